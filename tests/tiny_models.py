"""Tiny masked language models with random weights, one per family of tokenizers, built from a fixed seed."""

from __future__ import annotations

from pathlib import Path

WORDS = (
    "the a i am was is he walking running in cold cool hot rain snow night man dog cat sat on mat river bank lake of "
    "café cafe el comité ha tomado decisiones 大 型 で 非 常 に 強 い 台 風 台風 油 价 ##s ##ing ##ed un ##known walk "
    "cold rain . , ! ' - 1 2 3 sees no not old new"
).split()
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def _bert_config(vocabulary_size: int, **extra):
    from transformers import BertConfig

    return BertConfig(
        vocab_size=vocabulary_size,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=48,
        max_position_embeddings=40,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        initializer_range=0.5,
        **extra,
    )


def _save(model, tokenizer, folder: Path) -> Path:
    model.eval().save_pretrained(folder)
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
    import torch
    from transformers import BertForMaskedLM, BertTokenizer

    tokenizer = BertTokenizer(vocab=str(_wordpiece_vocabulary(folder)), do_lower_case=lower, model_max_length=40)
    torch.manual_seed(seed)
    return _save(BertForMaskedLM(_bert_config(len(tokenizer))), tokenizer, folder)


def tiny_encoder_without_head(folder: Path) -> Path:
    """The encoder of a BERT, saved without a masked-LM head."""
    import torch
    from transformers import BertModel, BertTokenizer

    tokenizer = BertTokenizer(vocab=str(_wordpiece_vocabulary(folder)), model_max_length=40)
    torch.manual_seed(0)
    return _save(BertModel(_bert_config(len(tokenizer))), tokenizer, folder)


def tiny_mpnet(folder: Path) -> Path:
    """An MPNet, whose tokenizer splits as BERT's does."""
    import torch
    from transformers import MPNetConfig, MPNetForMaskedLM, MPNetTokenizer

    lines = (_wordpiece_vocabulary(folder)).read_text(encoding="utf-8").split()
    vocabulary = ["<s>", "<pad>", "</s>", "<unk>", *(line for line in lines if line[:1] != "["), "[UNK]", "<mask>"]
    tokenizer = MPNetTokenizer(vocab={piece: place for place, piece in enumerate(vocabulary)}, model_max_length=40)
    torch.manual_seed(0)
    sizes = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64)
    config = MPNetConfig(vocab_size=len(tokenizer), max_position_embeddings=42, **sizes)
    return _save(MPNetForMaskedLM(config), tokenizer, folder)


def tiny_roberta(folder: Path) -> Path:
    """A RoBERTa with a byte-level BPE tokenizer trained on the word list."""
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from transformers import PreTrainedTokenizerFast, RobertaConfig, RobertaForMaskedLM

    trained = ByteLevelBPETokenizer()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trained.train_from_iterator([" ".join(WORDS)] * 5, vocab_size=400, min_frequency=1, special_tokens=special)
    from tokenizers.processors import RobertaProcessing

    trained._tokenizer.post_processor = RobertaProcessing(("</s>", 2), ("<s>", 0))
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=trained._tokenizer,
        bos_token="<s>",
        eos_token="</s>",
        cls_token="<s>",
        sep_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        mask_token="<mask>",
        model_max_length=40,
    )
    torch.manual_seed(0)
    config = RobertaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=48,
        max_position_embeddings=42,
        pad_token_id=1,
        initializer_range=0.5,
    )
    return _save(RobertaForMaskedLM(config), tokenizer, folder)


def tiny_albert(folder: Path) -> Path:
    """An ALBERT with a SentencePiece-like (unigram, metaspace) tokenizer."""
    import torch
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import AlbertConfig, AlbertForMaskedLM, PreTrainedTokenizerFast

    trained = Tokenizer(models.Unigram())
    trained.normalizer = normalizers.Sequence([normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase()])
    trained.pre_tokenizer = pre_tokenizers.Metaspace()
    trained.decoder = decoders.Metaspace()
    special = ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.UnigramTrainer(vocab_size=120, special_tokens=special, unk_token="<unk>")
    trained.train_from_iterator([" ".join(WORDS)] * 5, trainer)
    trained.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=trained,
        cls_token="[CLS]",
        sep_token="[SEP]",
        pad_token="<pad>",
        unk_token="<unk>",
        mask_token="[MASK]",
        model_max_length=40,
    )
    torch.manual_seed(0)
    config = AlbertConfig(
        vocab_size=len(tokenizer),
        embedding_size=16,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=48,
        max_position_embeddings=40,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        initializer_range=0.5,
    )
    return _save(AlbertForMaskedLM(config), tokenizer, folder)


def tiny_japanese_bert(folder: Path) -> Path:
    """A Japanese BERT whose words come from Sudachi and whose pieces are characters."""
    import torch
    from transformers import BertForMaskedLM, BertJapaneseTokenizer

    tokenizer = BertJapaneseTokenizer(
        str(_wordpiece_vocabulary(folder)),
        word_tokenizer_type="sudachi",
        subword_tokenizer_type="character",
        model_max_length=40,
    )
    torch.manual_seed(0)
    return _save(BertForMaskedLM(_bert_config(len(tokenizer))), tokenizer, folder)
