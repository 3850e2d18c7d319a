"""Tiny masked language models with random weights, one per family of tokenizers, built from a fixed seed."""

from pathlib import Path

import tokenizers
import torch
import transformers

WORDS = (
    "the a i am was is he walking running in cold cool hot rain snow night man dog cat sat on mat river bank lake of "
    "café cafe el comité ha tomado decisiones 大 型 で 非 常 に 強 い 台 風 台風 油 价 ##s ##ing ##ed un ##known walk "
    "cold rain . , ! ' - 1 2 3 sees no not old new"
).split()
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}
SIZES |= {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0, "initializer_range": 0.5}


def _save(family: str, tokenizer, folder: Path, *, head: str = "ForMaskedLM", seed: int = 0, positions=40, **sizes):
    """A model of a family (``Bert``) with random weights, saved with its tokenizer."""
    config = getattr(transformers, f"{family}Config")
    config = config(vocab_size=len(tokenizer), max_position_embeddings=positions, **SIZES | sizes)
    torch.manual_seed(seed)
    getattr(transformers, family + head)(config).eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _wordpiece_vocabulary(folder: Path) -> Path:
    letters = [c for c in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"]
    entries = list(dict.fromkeys(SPECIAL + WORDS + letters + ["##" + c for c in letters]))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(entries) + "\n", encoding="utf-8")
    return folder / "vocab.txt"


def tiny_bert(folder: Path, *, lower: bool = True, seed: int = 0) -> Path:
    """A BERT with a WordPiece tokenizer (uncased and without accents, or cased)."""
    vocabulary = str(_wordpiece_vocabulary(folder))
    tokenizer = transformers.BertTokenizer(vocab=vocabulary, do_lower_case=lower, model_max_length=40)
    return _save("Bert", tokenizer, folder, seed=seed)


def tiny_encoder_without_head(folder: Path) -> Path:
    """The encoder of a BERT, saved without a masked-LM head."""
    tokenizer = transformers.BertTokenizer(vocab=str(_wordpiece_vocabulary(folder)), model_max_length=40)
    return _save("Bert", tokenizer, folder, head="Model")


def tiny_mpnet(folder: Path) -> Path:
    """An MPNet, whose tokenizer splits as BERT's does."""
    lines = (_wordpiece_vocabulary(folder)).read_text(encoding="utf-8").split()
    vocabulary = ["<s>", "<pad>", "</s>", "<unk>", *(line for line in lines if line[:1] != "["), "[UNK]", "<mask>"]
    numbers = {piece: place for place, piece in enumerate(vocabulary)}
    return _save("MPNet", transformers.MPNetTokenizer(vocab=numbers, model_max_length=40), folder, positions=42)


def tiny_roberta(folder: Path) -> Path:
    """A RoBERTa with a byte-level BPE tokenizer trained on the word list."""
    trained = tokenizers.ByteLevelBPETokenizer()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trained.train_from_iterator([" ".join(WORDS)] * 5, vocab_size=400, min_frequency=1, special_tokens=special)
    trained._tokenizer.post_processor = tokenizers.processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    marks = ("bos", "pad", "eos", "unk", "mask", "cls", "sep")
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=trained._tokenizer,
        model_max_length=40,
        **{f"{mark}_token": piece for mark, piece in zip(marks, [*special, "<s>", "</s>"])},
    )
    return _save("Roberta", tokenizer, folder, positions=42, pad_token_id=1)


def tiny_albert(folder: Path) -> Path:
    """An ALBERT with a SentencePiece-like (unigram, metaspace) tokenizer."""
    trained = tokenizers.Tokenizer(tokenizers.models.Unigram())
    kinds = tokenizers.normalizers
    trained.normalizer = kinds.Sequence([kinds.NFKD(), kinds.StripAccents(), kinds.Lowercase()])
    trained.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    trained.decoder = tokenizers.decoders.Metaspace()
    special = ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]
    trainer = tokenizers.trainers.UnigramTrainer(vocab_size=120, special_tokens=special, unk_token="<unk>")
    trained.train_from_iterator([" ".join(WORDS)] * 5, trainer)
    ends = [("[CLS]", 2), ("[SEP]", 3)]
    trained.post_processor = tokenizers.processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=trained,
        model_max_length=40,
        **{f"{mark}_token": piece for mark, piece in zip(("pad", "unk", "cls", "sep", "mask"), special)},
    )
    return _save("Albert", tokenizer, folder, embedding_size=16)


def tiny_japanese_bert(folder: Path) -> Path:
    """A Japanese BERT whose words come from Sudachi and whose pieces are characters."""
    tokenizer = transformers.BertJapaneseTokenizer(
        str(_wordpiece_vocabulary(folder)),
        word_tokenizer_type="sudachi",
        subword_tokenizer_type="character",
        model_max_length=40,
    )
    return _save("Bert", tokenizer, folder)
