"""Training a masked language model: a tiny random BERT on a toy text, built here."""

import json
import lzma
import pickle
import shlex
from pathlib import Path

import masked_lm
import numpy as np
import pytest

from nbhelpers.base.errors import DataFormatError, ModelError

torch = pytest.importorskip("torch")

SENTENCES = [
    "the cat sat on the mat .",
    "a dog ran to the house .",
    "the dog sat on a mat in the house .",
    "a cat ran .",
    "the red bird saw the cat and the dog .",
]
EXPORT = shlex.split("export --state state --out models/toy --corpus 'five toy sentences' --dev dev.txt")
STATE = Path("state/state.pt")
PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *sorted(set(" ".join(SENTENCES).split())), "##s"]


def make_tokenizer():
    from transformers import BertTokenizer

    return BertTokenizer(vocab={piece: number for number, piece in enumerate(PIECES)})


def make_model(width=32):
    from transformers import BertConfig, BertForMaskedLM

    torch.manual_seed(0)
    sizes = dict(hidden_size=width, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64)
    return BertForMaskedLM(BertConfig(vocab_size=len(PIECES), max_position_embeddings=32, **sizes))


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """Command line of a training of 60 steps in a folder with a starting model, a text and a development text."""
    monkeypatch.chdir(tmp_path)
    make_tokenizer().save_pretrained("start")
    make_model().save_pretrained("start")
    Path("text.txt.xz").write_bytes(lzma.compress("\n".join(SENTENCES * 20).encode()))
    Path("dev.txt").write_text("\n\n".join(SENTENCES * 3))
    return shlex.split(
        "train --init start --text text.txt.xz --dev dev.txt --state state --steps 60 --budget 256 --lr 5e-3 --warmup 5"
    )


def run(command, *more):
    return masked_lm.train(masked_lm.build_parser().parse_args([*command, *more]))


def weights(state=STATE):
    return masked_lm.read_state(state)["model"]


def test_batches_hold_every_piece_of_every_sentence_once(tmp_path):
    tokenizer, path = make_tokenizer(), tmp_path / "text.txt"
    path.write_text("\n".join(SENTENCES * 10))
    stream = masked_lm.batches(masked_lm.encode(tokenizer, path, 16), 64, np.random.default_rng(0), 0)
    seen = []
    while len(seen) < 50:
        batch = next(stream)
        assert batch.size <= 64 and batch.shape[1] % 8 == 0
        seen += [row[row != 0].tolist() for row in batch]
    assert sorted(seen) == sorted(tokenizer(SENTENCES * 10)["input_ids"])
    cut = masked_lm.encode(tokenizer, path, 8)
    assert max(map(len, cut)) == 8 and all(row[-1] == tokenizer.sep_token_id for row in cut)


def test_masking_spares_special_pieces_and_splits_90_5_5():
    tokenizer, ids = make_tokenizer(), torch.full((400, 500), 7)
    ids[:, 0], ids[:, -1], ids[:, -2] = tokenizer.cls_token_id, tokenizer.pad_token_id, tokenizer.sep_token_id
    torch.manual_seed(0)
    inputs, chosen = masked_lm.mask(ids, 0.25, tokenizer, words=len(PIECES))
    assert not chosen[:, [0, -2, -1]].any() and torch.equal(inputs[~chosen], ids[~chosen])
    assert chosen[:, 1:-2].float().mean().item() == pytest.approx(0.25, abs=0.005)
    assert (inputs[chosen] == tokenizer.mask_token_id).float().mean().item() == pytest.approx(0.90, abs=0.005)
    assert (inputs[chosen] == 7).float().mean().item() == pytest.approx(0.05, abs=0.005)
    words = inputs[chosen & (inputs != 7) & (inputs != tokenizer.mask_token_id)]
    assert words.min() >= len(PIECES) // 2 and len(words.unique()) > 5


def test_the_learning_rate_rises_and_falls(toy):
    options = masked_lm.build_parser().parse_args([*toy, "--lr", "1", "--warmup", "10", "--decay", "0.25"])
    assert [masked_lm.learning_rate(options, step, 0.0) for step in (0, 4, 9, 50)] == [0.1, 0.5, 1.0, 1.0]
    used = (0.0, 0.5, 0.75, 0.875, 1.0, 1.5)
    assert [masked_lm.learning_rate(options, 50, share) for share in used] == [1.0, 1.0, 1.0, 0.5, 0.0, 0.0]


def test_the_loss_falls(toy):
    before = masked_lm.evaluate("start", "dev.txt", "bfloat16")["value"]
    count = run(toy)
    rows = masked_lm.read_log("state/log.jsonl")
    assert count["step"] == rows[-1]["step"] == 60 and count["tokens"] == rows[-1]["tokens"]
    assert before > 2.5 and rows[-1]["dev"] < 0.7 * before, "a random model is near the uniform distribution"
    assert run(toy)["tokens"] == count["tokens"] and masked_lm.read_log("state/log.jsonl") == rows


def test_one_seed_gives_one_result(toy):
    for state in ("state", "other"):
        run(toy, "--state", state, "--steps", "5")
    other = weights(Path("other/state.pt"))
    assert all(torch.equal(weight, other[name]) for name, weight in weights().items())


def test_a_training_goes_on_where_it_was(toy):
    first, saved = run(toy, "--steps", "11"), masked_lm.read_state(STATE)
    second, after = run(toy, "--steps", "12", "--lr", "1e-30"), masked_lm.read_state(STATE)  # no weight moves
    assert all(torch.equal(after["model"][name], weight) for name, weight in saved["model"].items())
    assert first["step"] == 11 and second["step"] == 12 == after["opt"]["state"][0]["step"]
    assert second["seconds"] > first["seconds"] and second["tokens"] > first["tokens"]


def test_a_diverged_training_keeps_the_last_state(toy):
    run(toy, "--steps", "5")
    whole = STATE.read_bytes()
    with pytest.raises(ModelError, match="diverged: the last saved state stands"):
        run(toy, "--steps", "20", "--lr", "1e38")
    assert STATE.read_bytes() == whole and run(toy, "--steps", "6")["step"] == 6


class Harm:
    def __reduce__(self):
        return Path.touch, (Path("harmed"),)


def test_bad_input_ends_in_one_sentence(toy, capsys):
    run(toy, "--steps", "1")
    whole = STATE.read_bytes()
    for content in (whole[: len(whole) // 2], pickle.dumps(Harm(), 2)):
        STATE.write_bytes(content)
        with pytest.raises(DataFormatError, match="state.pt: is no training state, or is damaged"):
            run(toy)
    assert not Path("harmed").exists()
    STATE.write_bytes(whole)
    make_model(width=16).save_pretrained("small")
    Path("one.txt").write_text("one\n")
    capsys.readouterr()
    for more in (["--init", "small"], ["--init", "nowhere"], ["--text", "nowhere"], ["--dev", "one.txt"]):
        assert masked_lm.main([*toy, *more]) == 2
        assert capsys.readouterr().err.startswith("error: ")


def test_minilm_starts_with_the_identity_as_head_and_is_no_masked_lm_yet(toy):
    model, _, new_head = masked_lm.load("minilm")
    dense = model.cls.predictions.transform.dense
    assert new_head and torch.equal(dense.weight, torch.eye(384)) and not dense.bias.any()
    assert {module.p for module in model.modules() if isinstance(module, torch.nn.Dropout)} == {0.0}
    with pytest.raises(ModelError, match="no trained masked-LM head"):
        masked_lm.evaluate("minilm", "dev.txt", "float32")


def test_evaluation_equals_a_plain_loop(toy, capsys):
    tokenizer, model = make_tokenizer(), make_model().double().eval()
    rows = sorted((tokenizer(line)["input_ids"] for line in SENTENCES * 3), key=len)
    chance = torch.rand((len(rows), len(rows[-1])), generator=torch.Generator().manual_seed(1))
    losses = []
    for row, numbers in zip(rows, chance):
        places = [i for i in range(1, len(row) - 1) if numbers[i] < 0.10]
        read = [tokenizer.mask_token_id if i in places else piece for i, piece in enumerate(row)]
        with torch.no_grad():
            log_probabilities = model(torch.tensor([read])).logits[0].log_softmax(-1)
        losses.append([-log_probabilities[i, row[i]].item() for i in places])
    every = [loss for sentence in losses for loss in sentence]
    assert masked_lm.main(["evaluate", "--model", "start", "--dev", "dev.txt"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["n"] == len(every) > 5 and found["sentences"] == 15
    assert found["value"] == pytest.approx(np.mean(every), abs=1e-5)
    assert masked_lm.evaluate("start", "dev.txt", "bfloat16")["value"] == pytest.approx(np.mean(every), abs=0.02)
    draws = np.random.default_rng(0).integers(0, 15, (4000, 15))  # the interval, against a bootstrap of sentences
    sums, counts = np.array([(sum(x), len(x)) for x in losses]).T
    low, high = np.quantile(sums[draws].sum(1) / counts[draws].sum(1), [0.025, 0.975])
    assert found["high"] - found["low"] == pytest.approx(high - low, rel=0.3)


def test_export_opens_as_a_masked_lm_and_cuts_no_text(toy, tmp_path):
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    run(toy, "--steps", "3")
    tokenizer = make_tokenizer()
    tokenizer.backend_tokenizer.enable_truncation(8)  # as the encoder's may have it
    tokenizer.save_pretrained("state/hf")
    assert masked_lm.main(EXPORT) == 0
    model, report = AutoModelForMaskedLM.from_pretrained("models/toy", output_loading_info=True)
    assert not report["missing_keys"] and not report["unexpected_keys"] and model.dtype == torch.float16
    original, ids = make_model(), torch.tensor([make_tokenizer()(SENTENCES[4])["input_ids"]])
    original.load_state_dict(weights())
    with torch.no_grad():
        torch.testing.assert_close(model.float()(ids).logits, original.eval()(ids).logits, atol=5e-3, rtol=5e-3)
    long = " ".join(SENTENCES * 20)
    exported = AutoTokenizer.from_pretrained("models/toy")
    assert exported(long, verbose=False)["input_ids"] == make_tokenizer()(long, verbose=False)["input_ids"]
    assert json.loads(Path("models/toy/tokenizer.json").read_text())["truncation"] is None
    for path in Path("models/toy").iterdir():
        assert str(tmp_path).encode() not in path.read_bytes() and b"truncation_strategy" not in path.read_bytes()
    state = masked_lm.read_state(STATE)
    state["model"]["cls.predictions.bias"][0] = 1e6
    torch.save(state, STATE)
    with pytest.raises(ModelError, match="cls.predictions.bias is not finite in float16"):
        masked_lm.export(masked_lm.build_parser().parse_args(EXPORT))


def test_the_card_says_what_was_done_and_how_to_go_on(toy):
    run(toy, "--steps", "10")
    count = run(toy, "--steps", "20")
    with open("state/log.jsonl", "a", encoding="utf-8") as stream:  # a call that was killed before its state was saved
        stream.write(json.dumps({"step": 30}) + "\n")
    assert masked_lm.main(EXPORT) == 0
    card = Path("models/toy/README.md").read_text(encoding="utf-8")
    measured = masked_lm.evaluate("models/toy", "dev.txt", "float32")
    rows = masked_lm.read_log("models/toy/training-log.jsonl")
    assert [row["step"] for row in rows] == [10, 20]
    cells = f"{count['tokens']:,}", f"{measured['value']:.3f} nats", f"n = {measured['n']}", f"{rows[1]['dev']:.3f} |"
    for expected in ("five toy sentences", "not good for", "Licence", "lr:0.005|decay:1", *cells):
        assert expected in card, expected
    for command in card.split("```")[1].replace("\\\n", " ").strip().splitlines():
        masked_lm.build_parser().parse_args(shlex.split(command)[2:])  # an unknown option would end the test

    Path("models/toy/training-log.jsonl").rename("before.jsonl")
    assert masked_lm.main([*EXPORT, "--log-before", "before.jsonl"]) == 0
    both = masked_lm.read_log("models/toy/training-log.jsonl")
    assert both[:2] == rows and {row["run"] for row in both[2:]} == {2}
    assert both[-1]["tokens_total"] == 2 * count["tokens"]
