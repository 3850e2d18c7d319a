"""Export of a training of `tools/masked_lm` as a Hugging Face folder, with a model card made from its log."""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nbhelpers.base.errors import DataFormatError, ModelError, NbhelpersError, ResourceNotFoundError

TIED = "cls.predictions.decoder."  # weights that stand elsewhere, too: the word embeddings and the head's bias

LOG_FIELDS = ("run", "tokens_total", "seconds", "step", "tokens", "dev", "loss", "tok_per_s", "lr", "signature")

# what would cut or pad a text unasked, and what names a folder of this machine
DROPPED = (
    "max_length",
    "stride",
    "truncation_strategy",
    "truncation_side",
    "pad_to_multiple_of",
    "padding_side",
    "pad_token_type_id",
    "name_or_path",
    "_name_or_path",
    "is_local",
    "local_files_only",
)


@contextmanager
def reading(path: str | Path, what: str) -> Iterator[None]:
    """Turn what any reader raises into one sentence: ResourceNotFoundError if missing, else DataFormatError."""
    if not Path(path).exists():
        raise ResourceNotFoundError(f"There is no {what} at {path}.")
    try:
        yield
    except NbhelpersError:
        raise
    except Exception as error:  # zip, pickle, tensor and tokenizer readers each have their own types
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise DataFormatError(path, None, f"is no {what}, or is damaged ({reason}).") from error


def read_state(path: Path, device: str = "cpu") -> dict[str, Any]:
    """Read a training state with PyTorch's weights-only reader: weights ``model``, ``opt``, counters ``count``."""
    import torch

    with reading(path, "training state"):
        state = torch.load(path, map_location=device, weights_only=True)
        return {part: state[part] for part in ("model", "opt", "count")}


def open_model(kind, folder: str | Path, **config: float) -> tuple[Any, list[str]]:
    """Open a folder with a model class of transformers, in float32: the model and the weights its file lacks."""
    import torch

    with reading(folder, "model folder"):
        model, report = kind.from_pretrained(
            folder, dtype=torch.float32, use_safetensors=True, local_files_only=True, output_loading_info=True, **config
        )
    return model, sorted(str(name) for name in (*report["missing_keys"], *report["mismatched_keys"]))


def save_configuration(config, tokenizer, folder: Path) -> None:
    """Write configuration and tokenizer without paths and without defaults that cut or pad."""
    tokenizer.model_max_length = min(tokenizer.model_max_length, config.max_position_embeddings)
    tokenizer.backend_tokenizer.no_truncation()
    tokenizer.backend_tokenizer.no_padding()
    tokenizer.save_pretrained(folder)
    config.save_pretrained(folder)
    for path in (folder / "config.json", folder / "tokenizer_config.json"):
        kept = {key: value for key, value in json.loads(path.read_text("utf-8")).items() if key not in DROPPED}
        path.write_text(json.dumps(kept, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def read_log(path: str | Path, last_step: float = math.inf) -> list[dict[str, Any]]:
    """Rows of a log (JSON lines) up to `last_step`, without those that a killed call left and a later one redid."""
    kept: list[dict[str, Any]] = []
    with reading(path, "training log"):
        for line in Path(path).read_text("utf-8").split("\n")[:-1]:  # a line without its end is being written
            row = {key: value for key, value in json.loads(line).items() if key in LOG_FIELDS}
            if not math.isfinite(row.get("loss") or 0):  # a call of few steps has no mean training loss
                row["loss"] = None
            while kept and kept[-1].get("run") == row.get("run") and kept[-1]["step"] >= row["step"]:
                kept.pop()
            kept.append(row)
    kept = [row for row in kept if row["step"] <= last_step]
    if not kept:
        raise DataFormatError(path, None, "holds no row for these weights.")
    return kept


def export(options, measure: Callable[[Path], dict[str, Any]]) -> int:
    """Write the state in ``options.state`` to ``options.out`` (see ``export --help``); returns the size in bytes.

    Files are replaced once the new folder has been opened and found whole; `measure` evaluates it, see
    `nbhelpers.pretrain.evaluate`. ModelError: a weight is missing or not finite, or the folder exceeds the limit.
    """
    import torch
    from safetensors.torch import save_file
    from transformers import AutoModelForMaskedLM, BertConfig, BertTokenizer

    state, out, saved = Path(options.state), Path(options.out), read_state(Path(options.state) / "state.pt")
    weights = {
        name: tensor.to(torch.float16).contiguous()
        for name, tensor in saved["model"].items()
        if not name.startswith(TIED) and not name.endswith("position_ids")
    }
    for name, tensor in weights.items():
        if not bool(torch.isfinite(tensor).all()):
            raise ModelError(f"The weight {name} is not finite in float16; the training has diverged.")
    before = read_log(options.log_before) if options.log_before else []
    log = [{"run": 1, "tokens_total": row["tokens"]} | row for row in before]
    run, tokens_before = (log[-1]["run"] + 1, log[-1]["tokens_total"]) if log else (1, 0)
    tokens_before = int(options.tokens_before or tokens_before)
    log += [
        row | {"run": run, "tokens_total": tokens_before + row["tokens"]}
        for row in read_log(state / "log.jsonl", saved["count"]["step"])
    ]
    with reading(state / "hf", "configuration"):
        config = BertConfig.from_pretrained(state / "hf")
        tokenizer = BertTokenizer.from_pretrained(state / "hf", local_files_only=True)
    config.dtype, config.architectures = "float16", ["BertForMaskedLM"]
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent) as name:
        folder = Path(name)
        save_configuration(config, tokenizer, folder)
        save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
        (folder / "training-log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in log), encoding="utf-8")
        if missing := open_model(AutoModelForMaskedLM, folder)[1]:
            raise ModelError(f"{len(missing)} weights are missing, for example {missing[0]}.")
        card = model_card(options, log, saved["count"], tokens_before, measure(folder) if options.dev else None)
        (folder / "README.md").write_text(card, encoding="utf-8")
        size = sum(path.stat().st_size for path in folder.iterdir())
        if size > 1e6 * options.limit_mb:
            raise ModelError(f"The folder would hold {size / 1e6:.1f} MB, more than {options.limit_mb:g} MB.")
        out.mkdir(exist_ok=True)
        for path in folder.iterdir():
            path.chmod(0o644)  # the weights are written for their owner alone
            os.replace(path, out / path.name)
    return size


CARD = """\
---
language: en
license: {o.licence}
pipeline_tag: fill-mask
---

# {name}: a small English masked language model

An uncased BERT that predicts masked pieces of English sentences:
{o.base}, trained further on plain text. Weights are float16.
{quality}

## Training

{facts}

Loss curve: development cross-entropy as the training logged it, in bfloat16 (all rows: `training-log.jsonl`).

{curve}

## Licence

Weights: {o.licence}, derived from {o.base}. The text, named above with its licences, is not in this folder.

## What it is not good for

Languages other than English; upper and lower case; texts longer than a sentence; sentence vectors (take the encoder it
derives from); facts, advice, decisions about people. It has the prejudices of its sources, and a measure computed with
it is not the same measure computed with a full-size BERT.

## Training it further

Text is one sentence a line, plain or `.xz`. Repeat the first command until the minutes are used; on a GPU take
`--budget 65536 --lr 1e-3 --warmup 500 --minutes 26 --this-call 26 --compile`.

```
python tools/masked_lm.py train --init data/models/{name} --text TEXT.txt.xz --dev {dev} \\
    --state runs/pretrain --minutes 300 --this-call 60 --schedule linear --budget 2048 --lr 3e-4 --warmup 200
python tools/masked_lm.py export --state runs/pretrain --out data/models/{name} --dev {dev} \\
    --log-before data/models/{name}/training-log.jsonl --corpus "the text and its licences"
```
"""


def model_card(options, log: list[dict], count: dict[str, Any], tokens_before: int, measured: dict | None) -> str:
    """The README of a model folder, from the options of ``export``, log, counters and `measured` (`evaluate`)."""
    hours = sum(({row["run"]: row["seconds"] for row in log} | {log[-1]["run"]: count["seconds"]}).values()) / 3600
    facts = [
        f"Text: {options.corpus}",
        f"Tokens seen, padding included: {tokens_before + count['tokens']:,}"
        + (f", of them {tokens_before:,} by the checkpoint that this training started from" if tokens_before else ""),
        f"This training: {count['step']:,} steps, rate at most {max(row['lr'] for row in log):.2g}, no dropout",
        f"Logged time: {hours:.2f} hours" + (options.machine and f" on {options.machine}"),
        *(f"Settings: `{found}`" for found in dict.fromkeys(row.get("signature") for row in log) if found),
        *options.note,
    ]
    quality = f"Development cross-entropy at the last report: {log[-1]['dev']:.3f} nats per masked piece."
    if measured:
        quality = (
            f"Cross-entropy on development sentences (in no training text; 10 % of the pieces masked, seed 1):\n"
            f"{measured['value']:.3f} nats per masked piece, 95 % interval [{measured['low']:.3f}, "
            f"{measured['high']:.3f}], n = {measured['n']:,} pieces in {measured['sentences']:,} sentences\n"
            f"(perplexity {measured['perplexity']:.1f}; {measured['accuracy']:.1%} of the pieces right)."
        )
    curve = ["| run | M tokens | step | hours | nats | perplexity | learning rate |", "|" + "---:|" * 7]
    for row in (log[index] for index in sorted({0, *range(len(log) - 1, 0, -math.ceil(len(log) / 12))})):
        curve.append(
            f"| {row['run']} | {row['tokens_total'] / 1e6:.2f} | {row['step']:,} | "
            f"{row['seconds'] / 3600:.2f} | {row['dev']:.3f} | {math.exp(row['dev']):.1f} | {row['lr']:.1e} |"
        )
    return CARD.format(
        o=options,
        name=Path(options.out).name,
        quality=quality,
        curve="\n".join(curve),
        facts="\n".join(f"* {fact}" for fact in facts),
        dev=Path(options.dev or "DEV.txt").name,
    )
