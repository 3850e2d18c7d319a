"""Training a masked language model: a tiny random BERT on a toy text, built here."""

import json
import lzma
import shlex
import signal
from pathlib import Path

import masked_lm as pretrain
import numpy as np
import pytest
from masked_lm_card import read_log, read_state

from nbhelpers.base.errors import DataFormatError, InputError, ModelError, ResourceNotFoundError

torch = pytest.importorskip("torch")

SENTENCES = [
    "the cat sat on the mat .",
    "a dog ran to the house .",
    "the dog sat on a mat in the house .",
    "a cat ran .",
    "the red bird saw the cat and the dog .",
]
EXPORT = ["export", "--state", "state", "--out", "models/toy", "--corpus", "five toy sentences"]
STATE = Path("state/state.pt")
PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *sorted(set(" ".join(SENTENCES).split())), "##s"]


def make_tokenizer():
    from transformers import BertTokenizer

    return BertTokenizer(vocab={piece: number for number, piece in enumerate(PIECES)})


def make_model(width=32):
    from transformers import BertConfig, BertForMaskedLM

    torch.manual_seed(0)
    return BertForMaskedLM(
        BertConfig(
            vocab_size=len(PIECES),
            hidden_size=width,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=64,
            max_position_embeddings=32,
        )
    )


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """Command line of a training of 60 steps in a folder with a starting model, a text and a development text."""
    monkeypatch.chdir(tmp_path)
    make_tokenizer().save_pretrained("start")
    make_model().save_pretrained("start")
    for name, times in (("text.txt", 20), ("dev.txt", 3)):
        Path(name).write_text("\n".join(SENTENCES * times), encoding="utf-8")
    return shlex.split(
        "train --init start --text text.txt --dev dev.txt --state state --steps 60 --budget 256 "
        "--lr 5e-3 --warmup 5 --max-len 16"
    )


def run(command, *more):
    return pretrain.train(pretrain.build_parser().parse_args([*command, *more]))


def test_texts_are_read_plain_and_packed_and_bad_ones_are_typed_errors(tmp_path):
    for name, opened in (("a.txt", open), ("a.txt.xz", lzma.open)):
        with opened(tmp_path / name, "wt", encoding="utf-8", newline="") as stream:
            stream.write("one\n\ntwo\r\n  \nthree")
        assert pretrain.read_sentences(tmp_path / name) == ["one", "two", "three"]
    with pytest.raises(ResourceNotFoundError, match="missing.txt"):
        pretrain.read_sentences(tmp_path / "missing.txt")
    for name, content in (
        ("empty.txt", b"\n \n"),
        ("latin.txt", "d\u00e9j\u00e0".encode("latin-1")),
        ("half.txt.xz", lzma.compress(b"a sentence\n" * 1000)[:60]),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(DataFormatError, match=name):
            pretrain.read_sentences(tmp_path / name)


def test_batches_hold_every_piece_of_every_sentence_once_and_what_is_cut_is_told(capsys):
    tokenizer = make_tokenizer()
    flat, offsets = pretrain.encode(tokenizer, SENTENCES * 10, 16)
    stream, seen = pretrain.batches(flat, offsets, 64, np.random.default_rng(0), 0), []
    while len(seen) < 50:
        batch = next(stream)
        assert batch.size <= 64 and batch.shape[1] % 8 == 0
        seen += [row[row != 0].tolist() for row in batch]
    assert sorted(seen) == sorted(tokenizer(SENTENCES * 10)["input_ids"]) and capsys.readouterr().err == ""
    flat, offsets = pretrain.encode(tokenizer, SENTENCES, 8)
    assert np.diff(offsets).max() == 8 and (flat[offsets[1:] - 1] == tokenizer.sep_token_id).all()
    assert capsys.readouterr().err.startswith("4 of 5 sentences are longer than 8 pieces")


def test_an_encoded_text_replaces_its_file_and_is_refused_when_it_no_longer_fits(tmp_path):
    path, tokenizer = tmp_path / "text.txt", make_tokenizer()
    path.write_text("\n".join(SENTENCES), encoding="utf-8")
    first = pretrain.encode_file(tokenizer, path, tmp_path, 16)
    path.write_text("\n".join(SENTENCES).replace("cat", "act"), encoding="utf-8")  # as many bytes
    with pytest.raises(DataFormatError, match="made from another text.txt"):
        pretrain.encode_file(tokenizer, path, tmp_path, 16)
    path.unlink()
    assert all(map(np.array_equal, first, pretrain.encode_file(tokenizer, path, tmp_path, 16)))
    with pytest.raises(DataFormatError, match="--max-len"):
        pretrain.encode_file(tokenizer, path, tmp_path, 12)


@pytest.mark.parametrize(
    "more, message",
    [
        (["--steps", "-5"], "--steps has to be above 0"),
        (["--text", "text.txt", "other/text.txt"], "two files of the same name"),
    ],
)
def test_options_that_cannot_be_meant(toy, more, message):
    with pytest.raises(InputError, match=message):
        run(toy, *more)


def test_a_vocabulary_that_does_not_fit_is_refused():
    class Many:
        def __len__(self):
            return 119_547

    with pytest.raises(InputError, match="119,547 entries"):
        pretrain.encode(Many(), SENTENCES, 16)


def test_masking_spares_special_pieces_and_splits_90_5_5():
    tokenizer, ids = make_tokenizer(), torch.full((400, 500), 7)
    ids[:, 0], ids[:, -1], ids[:, -2] = tokenizer.cls_token_id, tokenizer.pad_token_id, tokenizer.sep_token_id
    torch.manual_seed(0)
    inputs, chosen = pretrain.mask(ids, 0.25, tokenizer, words=len(PIECES))
    assert not chosen[:, [0, -2, -1]].any() and torch.equal(inputs[~chosen], ids[~chosen])
    assert chosen[:, 1:-2].float().mean().item() == pytest.approx(0.25, abs=0.005)
    assert (inputs[chosen] == tokenizer.mask_token_id).float().mean().item() == pytest.approx(0.90, abs=0.005)
    assert (inputs[chosen] == 7).float().mean().item() == pytest.approx(0.05, abs=0.005)
    words = inputs[chosen & (inputs != 7) & (inputs != tokenizer.mask_token_id)]
    assert words.min() >= len(PIECES) // 2 and words.max() == len(PIECES) - 1 and len(words.unique()) > 5


def test_learning_rate_schedules(toy):
    options = pretrain.build_parser().parse_args([*toy, "--lr", "1", "--warmup", "10"])
    assert [pretrain.learning_rate(options, step, 0.0) for step in (0, 4, 9, 50)] == [0.1, 0.5, 1.0, 1.0]
    used = (0.0, 0.5, 0.75, 0.875, 1.0, 1.5)
    assert [pretrain.learning_rate(options, 50, share) for share in used] == [1.0, 1.0, 1.0, 0.5, 0.0, 0.0]
    options.schedule = "linear"
    assert [pretrain.learning_rate(options, 50, share) for share in used] == [1.0, 0.5, 0.25, 0.125, 0.0, 0.0]


def test_the_loss_falls_and_one_seed_gives_one_result(toy):
    before = pretrain.evaluate("start", "dev.txt")["bfloat16"]["value"]
    count = run(toy)
    rows = read_log("state/log.jsonl")
    assert count["step"] == rows[-1]["step"] == 60 and count["tokens"] == rows[-1]["tokens"]
    assert before > 2.5 and rows[-1]["dev"] < 0.7 * before, "a random model is near the uniform distribution"
    assert run(toy)["tokens"] == count["tokens"] and read_log("state/log.jsonl") == rows
    run(toy, "--state", "other")
    other = read_state(Path("other/state.pt"))["model"]
    assert all(torch.equal(weight, other[name]) for name, weight in read_state(STATE)["model"].items())


def test_a_terminated_training_saves_and_goes_on_where_it_was(toy, monkeypatch):
    def terminate(options, step, used, original=pretrain.learning_rate):
        if step == 10:
            signal.raise_signal(signal.SIGTERM)
        return original(options, step, used)

    monkeypatch.setattr(pretrain, "learning_rate", terminate)
    usual = signal.getsignal(signal.SIGTERM)
    first, saved = run(toy), read_state(STATE)
    assert first["interrupted"] and first["step"] == saved["count"]["step"] == 11
    assert signal.getsignal(signal.SIGTERM) == usual
    second, after = run(toy, "--steps", "12", "--lr", "1e-30"), read_state(STATE)  # a rate at which no weight moves
    assert all(torch.equal(after["model"][name], weight) for name, weight in saved["model"].items())
    assert after["opt"]["state"][0]["step"] == 12 and second["seconds"] > first["seconds"]
    assert not second["interrupted"] and second["step"] == 12 and second["tokens"] > first["tokens"]


def test_a_diverged_training_keeps_the_last_state_and_bad_input_ends_in_one_sentence(toy, capsys):
    run(toy, "--steps", "5")
    whole = STATE.read_bytes()
    for steps in ("60", "8"):  # seen in the loss; seen in the weights before they are saved
        with pytest.raises(ModelError, match="diverged.*the last saved state stands"):
            run(toy, "--lr", "1e38", "--steps", steps)
    assert STATE.read_bytes() == whole
    assert run(toy, "--steps", "6")["step"] == 6
    STATE.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataFormatError, match="state.pt: is no training state, or is damaged"):
        run(toy)
    STATE.write_bytes(whole)
    make_model(width=16).save_pretrained("start")
    with pytest.raises(DataFormatError, match="state of this model"):
        run(toy)
    capsys.readouterr()
    for more in (["--max-len", "64"], ["--lr", "0"], ["--text", "nowhere.txt"], ["--init", "nowhere"]):
        assert pretrain.main([*toy, *more]) == 1
        assert capsys.readouterr().err.startswith("error: ")


def test_minilm_starts_with_the_identity_as_head_and_is_no_masked_lm_yet(toy):
    model, _, new_head = pretrain.load_start("minilm")
    dense = model.cls.predictions.transform.dense
    assert new_head and torch.equal(dense.weight, torch.eye(384)) and not dense.bias.any()
    assert {module.p for module in model.modules() if isinstance(module, torch.nn.Dropout)} == {0.0}
    with pytest.raises(ModelError, match="no trained masked-LM head"):
        pretrain.evaluate("minilm", "dev.txt")


def test_a_pack_keeps_every_weight_to_half_a_step_and_a_damaged_one_is_refused(toy):
    make_model(width=192).half().save_pretrained("start")
    pretrain.main(["pack", "--init", "start", "--out", "start.npz"])
    original = pretrain.load_start("start")[0].state_dict()
    model, tokenizer, new_head = pretrain.load_start("start.npz")
    packed = np.load("start.npz").files
    assert model.dtype == torch.float32 and not new_head and any(name.endswith("|q") for name in packed)
    assert tokenizer(SENTENCES[0])["input_ids"] == make_tokenizer()(SENTENCES[0])["input_ids"]
    for name, weight in model.state_dict().items():
        half_step = original[name].abs().amax(-1, keepdim=True) / 254 if f"{name}|q" in packed else 0.0
        assert ((weight - original[name]).abs() <= half_step * 1.001 + 1e-9).all(), name
    Path("start.npz").write_bytes(Path("start.npz").read_bytes()[:20_000])
    with pytest.raises(DataFormatError, match="start.npz: is no model folder or int8 pack"):
        pretrain.load_start("start.npz")


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
    assert pretrain.main(["evaluate", "--model", "start", "--dev", "dev.txt"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["float32"]["n"] == found["bfloat16"]["n"] == len(every) > 5 and found["float32"]["sentences"] == 15
    assert found["float32"]["value"] == pytest.approx(np.mean(every), abs=1e-5)
    assert found["bfloat16"]["value"] == pytest.approx(np.mean(every), abs=0.02)
    draws = np.random.default_rng(0).integers(0, 15, (4000, 15))  # the interval, against a bootstrap of sentences
    sums, counts = np.array([(sum(x), len(x)) for x in losses]).T
    low, high = np.quantile(sums[draws].sum(1) / counts[draws].sum(1), [0.025, 0.975])
    assert found["float32"]["high"] - found["float32"]["low"] == pytest.approx(high - low, rel=0.3)


def test_export_opens_as_a_masked_lm_and_cuts_no_text(toy, tmp_path):
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    run(toy, "--steps", "3")
    tokenizer = make_tokenizer()
    tokenizer.backend_tokenizer.enable_truncation(8)  # as an older state may have it
    tokenizer.save_pretrained("state/hf")
    assert pretrain.main([*EXPORT, "--limit-mb", "0.01"]) == 1 and not Path("models/toy").exists()
    assert pretrain.main(EXPORT) == 0
    model, report = AutoModelForMaskedLM.from_pretrained("models/toy", output_loading_info=True)
    assert not report["missing_keys"] and not report["unexpected_keys"] and model.dtype == torch.float16
    original, ids = make_model(), torch.tensor([make_tokenizer()(SENTENCES[4])["input_ids"]])
    original.load_state_dict(read_state(STATE)["model"])
    with torch.no_grad():
        torch.testing.assert_close(model.float()(ids).logits, original.eval()(ids).logits, atol=5e-3, rtol=5e-3)
    long = " ".join(SENTENCES * 20)
    exported = AutoTokenizer.from_pretrained("models/toy")
    assert exported(long, verbose=False)["input_ids"] == make_tokenizer()(long, verbose=False)["input_ids"]
    assert json.loads(Path("models/toy/tokenizer.json").read_text())["truncation"] is None
    for path in Path("models/toy").iterdir():
        assert str(tmp_path).encode() not in path.read_bytes() and b"truncation_strategy" not in path.read_bytes()
    assert list(Path("models").iterdir()) == [Path("models/toy")], "no working folder is left"

    assert pretrain.main([*EXPORT, "--piece-mb", "0.02"]) == 0
    assert len(list(Path("models/toy").glob("model.safetensors.*"))) > 2
    assert pretrain.main(["join", "--pieces", "models/toy", "--out", "joined"]) == 0
    joined = pretrain.load_start("joined")[0].state_dict()
    assert all(torch.equal(weight, joined[name]) for name, weight in model.state_dict().items())
    Path("models/toy/model.safetensors.001").unlink()
    before = Path("joined/model.safetensors").read_bytes()
    for pieces in ("models/toy", "start"):  # one is missing; there are none
        assert pretrain.main(["join", "--pieces", pieces, "--out", "joined"]) == 1
    assert Path("joined/model.safetensors").read_bytes() == before
    with pytest.raises(InputError, match="--piece-mb"):
        pretrain.cut_weights(Path("joined"), -1.0)
    assert Path("joined/model.safetensors").read_bytes() == before
    state = read_state(STATE)
    state["model"]["cls.predictions.bias"][0] = 1e6
    torch.save(state, "state/state.pt")
    with pytest.raises(ModelError, match="cls.predictions.bias is not finite in float16"):
        pretrain.export(pretrain.build_parser().parse_args(EXPORT), None)


def test_the_card_says_what_was_done_and_how_to_go_on(toy):
    count = run(toy, "--steps", "20", "--report", "0.0001")
    facts = shlex.split("--dev dev.txt --tokens-before 7.4e6 --note 'A note.' --machine 'a small machine'")
    assert pretrain.main([*EXPORT, *facts]) == 0
    card = Path("models/toy/README.md").read_text(encoding="utf-8")
    measured = pretrain.evaluate("models/toy", "dev.txt", ["float32"])["float32"]
    rows = read_log("models/toy/training-log.jsonl")
    for expected in (
        "five toy sentences",
        "a small machine",
        "* A note.",
        "not good for",
        "Licence",
        "Loss curve",
        f"{7_400_000 + count['tokens']:,}",
        f"{measured['value']:.3f} nats",
        f"n = {measured['n']}",
        f"| {rows[0]['dev']:.3f} |",
        f"| {rows[-1]['dev']:.3f} |",
        "lr:0.005|schedule:constant",
    ):
        assert expected in card, expected
    assert card.count("\n| 1 |") <= 13 and rows[-1]["tokens_total"] == 7_400_000 + count["tokens"]
    for command in card.split("```")[1].replace("\\\n", " ").strip().splitlines():
        pretrain.build_parser().parse_args(shlex.split(command)[2:])  # an option that is not known would end the test

    Path("models/toy/training-log.jsonl").rename("before.jsonl")
    assert pretrain.main([*EXPORT, "--log-before", "before.jsonl"]) == 0
    both = read_log("models/toy/training-log.jsonl")
    assert both[: len(rows)] == rows and {row["run"] for row in both[len(rows) :]} == {2}
    assert both[-1]["tokens_total"] == 7_400_000 + 2 * count["tokens"]


def test_a_log_keeps_only_the_rows_that_led_to_the_weights(tmp_path):
    path = tmp_path / "log.jsonl"
    rows = [{"step": step, "loss": float("nan"), "other": 0, "tokens": 1} for step in (10, 20, 30, 25, 40)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + '{"step": 5', encoding="utf-8")
    assert read_log(path, 30) == [{"step": step, "loss": None, "tokens": 1} for step in (10, 20, 25)]
    path.write_text("no row\n", encoding="utf-8")
    with pytest.raises(DataFormatError, match="log.jsonl"):
        read_log(path)
