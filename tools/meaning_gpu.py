"""Train and rate on a GPU, many pairs at a time: what `meaning_changes.py train` does, without a library's overhead.

``pack FILE --lessons …`` turns lessons into one file of token ids; ``train FILE OUT …`` learns from it;
``rate`` gives the ratings of packed pairs. The last two need PyTorch and safetensors alone. The low-rank matrices are
multiplied out and added to the encoder's weights in every step, so that a layer is a plain product; batches are put
together on the GPU. The loss, the optimizer and the course of the learning rate are those of `meaning_changes.py`.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch.nn import functional

MARGIN = 0.35  # as in `meaning_changes.py`, which needs more than PyTorch
_ENDS = {"mpnet": (0, 2, 1, 4), "bert": (101, 102, 0, 0)}
"""Token at the start of a pair, between and behind its texts, and the one that pads; and what is added to BERT's ids of
word pieces, since MPNet has the same pieces behind four tokens of its own."""


class Texts:
    """Token ids of texts on the device, one after the other."""

    def __init__(self, ids: np.ndarray, offsets: np.ndarray, device: str) -> None:
        self.ids = torch.from_numpy(ids.astype(np.int64)).to(device)
        self.first = torch.from_numpy(offsets[:-1].astype(np.int64)).to(device)
        self.lengths = np.diff(offsets).astype(np.int64)
        self.count = torch.from_numpy(self.lengths).to(device)


def pairs_of(texts: Texts, one, two, kind: str):
    """Token ids, token types and sentence (-1: neither) of pairs of texts, each of shape (n, length), padded."""
    start, end, pad, shift = _ENDS[kind]
    between = 2 if kind == "mpnet" else 1
    first, second = texts.count[one][:, None], texts.count[two][:, None]
    longest = int((first + second).max()) + between + 2
    longest = -(-longest // 8) * 8
    place = torch.arange(longest, device=texts.ids.device)[None]
    at = 1 + first + between
    in_one, in_two = (place >= 1) & (place < 1 + first), (place >= at) & (place < at + second)
    index = torch.where(in_one, texts.first[one][:, None] + place - 1, texts.first[two][:, None] + place - at)
    ids = texts.ids[index.clamp(0, len(texts.ids) - 1)] + shift
    ids = torch.where(in_one | in_two, ids, torch.where(place > at + second, pad, end))
    ids[:, 0] = start
    sentence = torch.where(in_one, 0, torch.where(in_two, 1, -1))
    return ids, ((place >= at) & (place <= at + second)).long(), sentence, place <= at + second


def buckets(length: int, device) -> torch.Tensor:
    """MPNet's classes of relative positions, shape (length, length)."""
    place = torch.arange(length, device=device)
    distance = -(place[None] - place[:, None])
    found = (distance < 0).long() * 16
    distance = distance.abs()
    far = 8 + (torch.log(distance.float().clamp(min=1) / 8) / math.log(128 / 8) * 8).long()
    return found + torch.where(distance < 8, distance, far.clamp(max=15))


class Rater(torch.nn.Module):
    """An encoder with low-rank matrices beside its linear layers, and a head; weights by the names of the files."""

    def __init__(self, encoder: dict, config: dict, adapter: dict, head: dict, device: str) -> None:
        super().__init__()
        self.kind, self.heads, self.eps = config["model_type"], config["num_attention_heads"], config["layer_norm_eps"]
        self.layers = config["num_hidden_layers"]
        strip = {name.removeprefix("mpnet.").removeprefix("bert."): weight for name, weight in encoder.items()}
        self.frozen = {name: weight.float().to(device) for name, weight in strip.items() if weight.is_floating_point()}
        self.adapter = torch.nn.ParameterDict(
            {name.replace(".", "|"): torch.nn.Parameter(weight.float().to(device)) for name, weight in adapter.items()}
        )
        self.head = torch.nn.ParameterDict(
            {name.replace(".", "|"): torch.nn.Parameter(weight.float().to(device)) for name, weight in head.items()}
        )
        parts = ("q k v o" if self.kind == "mpnet" else "query key value").split()
        self.parts = [f"attention.attn.{part}" for part in parts]
        if self.kind == "bert":
            self.parts = [f"attention.self.{part}" for part in parts] + ["attention.output.dense"]

    def weight(self, name: str) -> torch.Tensor:
        """A matrix of the encoder with what was learned beside it."""
        known = f"base_model|model|{name.replace('.', '|')}|lora_%s|weight"
        if known % "A" not in self.adapter:
            return self.frozen[f"{name}.weight"]
        return self.frozen[f"{name}.weight"] + 2 * (self.adapter[known % "B"] @ self.adapter[known % "A"])

    def normal(self, name: str, hidden):
        """Layer normalisation."""
        weight, bias = (self.frozen[f"{name}.{part}"].to(hidden.dtype) for part in ("weight", "bias"))
        return functional.layer_norm(hidden, hidden.shape[-1:], weight, bias, self.eps)

    def forward(self, ids, types, sentence, mask, dtype=torch.float32):
        """Ratings divided by 100, shape (n,)."""
        n, length = ids.shape
        place = torch.arange(length, device=ids.device)
        word = "embeddings.{}_embeddings.weight".format
        hidden = self.frozen[word("word")][ids]
        if self.kind == "mpnet":
            hidden = hidden + self.frozen[word("position")][place + 2]
        else:
            hidden = hidden + self.frozen[word("token_type")][types] + self.frozen[word("position")][place]
        hidden = self.normal("embeddings.LayerNorm", hidden).to(dtype)
        bias = torch.zeros(n, 1, 1, length, device=ids.device, dtype=dtype).masked_fill(~mask[:, None, None], -1e4)
        if self.kind == "mpnet":
            near = self.frozen["encoder.relative_attention_bias.weight"][buckets(length, ids.device)]
            bias = bias + near.permute(2, 0, 1)[None].to(dtype)
        bias = bias.expand(n, self.heads, length, length)

        def linear(name: str, given):
            return functional.linear(given, self.weight(name).to(dtype), self.frozen[f"{name}.bias"].to(dtype))

        for layer in range(self.layers):
            own = f"encoder.layer.{layer}."
            three = [own + part for part in self.parts[:3]]
            weight = torch.cat([self.weight(name) for name in three]).to(dtype)
            added = torch.cat([self.frozen[f"{name}.bias"] for name in three]).to(dtype)
            states = functional.linear(hidden, weight, added).view(n, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            seen = functional.scaled_dot_product_attention(*states, attn_mask=bias)
            seen = linear(own + self.parts[3], seen.transpose(1, 2).reshape(n, length, -1))
            norm = "attention.LayerNorm" if self.kind == "mpnet" else "attention.output.LayerNorm"
            hidden = self.normal(own + norm, hidden + seen)
            inner = functional.gelu(linear(own + "intermediate.dense", hidden))
            hidden = self.normal(own + "output.LayerNorm", hidden + linear(own + "output.dense", inner))
        hidden, means = hidden.float(), []
        for which in (0, 1):
            share = (sentence == which).float()
            means.append(torch.einsum("nl,nlw->nw", share / share.sum(1, keepdim=True).clamp(min=1), hidden))
        pooled = torch.cat([*means, (means[0] - means[1]).abs(), means[0] * means[1]], -1)
        inner = functional.linear(pooled, self.head["0|weight"], self.head["0|bias"]).tanh()
        return functional.linear(inner, self.head["3|weight"], self.head["3|bias"])[:, 0]


def opened(encoder: Path, start: Path | None, rank: int, device: str, seed: int = 0) -> Rater:
    """A rater on an encoder, with the weights of a folder, or with new ones."""
    config = json.loads((encoder / "config.json").read_text())
    weights = load_file(encoder / "model.safetensors")
    if start is not None:
        names = ("adapter_model.safetensors", "head.safetensors")
        return Rater(weights, config, *(load_file(start / name) for name in names), device)
    torch.manual_seed(seed)
    adapter, width = {}, config["hidden_size"]
    for name, weight in weights.items():
        name = name.removeprefix("mpnet.").removeprefix("bert.")
        if ".layer." in name and name.endswith(".weight") and weight.ndim == 2:
            known = f"base_model.model.{name.removesuffix('.weight')}.lora_%s.weight"
            adapter[known % "A"] = torch.empty(rank, weight.shape[1]).uniform_(-1, 1) / math.sqrt(weight.shape[1])
            adapter[known % "B"] = torch.zeros(weight.shape[0], rank)
    head = torch.nn.Sequential(
        torch.nn.Linear(4 * width, width), torch.nn.Tanh(), torch.nn.Dropout(0), torch.nn.Linear(width, 1)
    )
    torch.nn.init.zeros_(head[3].weight)
    torch.nn.init.constant_(head[3].bias, 0.6)
    return Rater(
        weights, config, adapter, {name: weight.detach() for name, weight in head.state_dict().items()}, device
    )


def batches(lengths: np.ndarray, tokens: int, order: random.Random) -> list[np.ndarray]:
    """Positions in batches of similar length with so many tokens at most, in random order."""
    places, made = list(range(len(lengths))), []
    order.shuffle(places)
    for start in range(0, len(places), 16_384):
        some = np.array(places[start : start + 16_384])
        some = some[np.argsort(lengths[some], kind="stable")]
        first = 0
        while first < len(some):
            last = first + 1
            while last < len(some) and (last + 1 - first) * lengths[some[last]] <= tokens:
                last += 1
            made.append(some[first:last])
            first = last
    order.shuffle(made)
    return made


class Lesson:
    """Packed pairs: numbers of the source, the candidate and the rival (-1: none); ratings of both divided by 100."""

    def __init__(
        self, file: Path, part: str, device: str, taught: Path | None = None, only: Sequence[int] | None = None
    ) -> None:
        packed = np.load(file)
        self.texts = Texts(packed["ids"], packed["offsets"], device)
        self.pairs, ratings, self.parts = (packed[f"{part}_{name}"] for name in ("pairs", "ratings", "parts"))
        self.names = [str(name) for name in packed["names"]]
        if taught is not None:
            given = np.load(taught)
            ratings = np.where(np.isnan(given), ratings, (ratings + given.clip(0, 1)) / 2).astype(np.float32)
        if only is not None:
            mine = np.isin(packed[f"{part}_lesson"], only)
            self.pairs, ratings, self.parts = self.pairs[mine], ratings[mine], self.parts[mine]
        self.ratings = torch.from_numpy(ratings).to(device)
        self.given = torch.from_numpy(self.pairs.astype(np.int64)).to(device)
        count = self.texts.lengths
        own, rival = count[self.pairs[:, 1]], np.where(self.pairs[:, 2] < 0, 0, count[self.pairs[:, 2]])
        both = np.where(self.pairs[:, 2] < 0, 1, 2)
        self.lengths = both * (count[self.pairs[:, 0]] + np.maximum(own, rival) + 4)


def given(model: Rater, lesson: Lesson, places, turned):
    """Ratings of pairs and of the rivals that they have, with the rows that have one."""
    dtype = torch.bfloat16 if places.is_cuda else torch.float32
    source, candidate, rival = lesson.given[places].T
    rows = torch.nonzero(rival >= 0)[:, 0]
    one, two = torch.cat([source, source[rows]]), torch.cat([candidate, rival[rows]])
    turn = torch.cat([turned, turned[rows]])
    one, two = torch.where(turn, two, one), torch.where(turn, one, two)
    found = model(*pairs_of(lesson.texts, one, two, model.kind), dtype=dtype)
    return found[: len(places)], found[len(places) :], rows


def measured(model: Rater, lesson: Lesson, tokens: int) -> tuple[np.ndarray, np.ndarray]:
    """Ratings of all pairs and of their rivals (NaN where there is none), divided by 100."""
    found = np.full((len(lesson.pairs), 2), np.nan, np.float32)
    with torch.inference_mode():
        for batch in batches(lesson.lengths, tokens, random.Random(0)):
            places = torch.from_numpy(batch).to(lesson.given.device)
            own, below, rows = given(model, lesson, places, places % 2 == 0)
            found[batch, 0] = own.float().cpu().numpy()
            found[batch[rows.cpu().numpy()], 1] = below.float().cpu().numpy()
    return found


def agreement(model: Rater, lesson: Lesson, tokens: int) -> dict[str, float]:
    """Squared error on held-out pairs; in each part Pearson's correlation, and the share of rivals below their pair."""
    found, wanted = measured(model, lesson, tokens), lesson.ratings.cpu().numpy()
    result = {"loss": float(np.mean((found[:, 0] - wanted[:, 0]) ** 2))}
    for number, part in enumerate(lesson.names):
        mine = lesson.parts == number
        if len(set(wanted[mine, 0])) > 1:
            result[part] = float(np.corrcoef(found[mine, 0], wanted[mine, 0])[0, 1])
        disputed = mine & ~np.isnan(found[:, 1])
        if disputed.any():
            result[f"{part}, rivals"] = float((found[disputed, 0] > found[disputed, 1]).mean())
    return {name: round(value, 4) for name, value in result.items()}


def train(options: argparse.Namespace) -> None:
    """Learn from a packed lesson, the rate reaching zero after so many epochs or minutes; save adapter and head."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.manual_seed(options.seed)
    lesson = Lesson(options.file, "lesson", device, options.taught, options.only)
    held_out = Lesson(options.file, "dev", device, only=options.only)
    model = opened(options.encoder, options.start, options.rank, device, options.seed)
    groups = [
        {"params": list(model.adapter.parameters()), "lr": options.rate},
        {"params": list(model.head.parameters()), "lr": options.head_rate},
    ]
    optimizer, order = torch.optim.AdamW(groups, weight_decay=0.01, fused=device == "cuda"), random.Random(options.seed)
    plan = [batch for _ in range(options.epochs) for batch in batches(lesson.lengths, options.tokens, order)]
    log, seen, losses = options.out.with_suffix(".jsonl"), 0, []
    started, step, done = time.perf_counter(), 0, 0.0
    while done < 1:
        seconds = time.perf_counter() - started
        done = max(step / len(plan), seconds / (60 * options.minutes))
        for group, rate in zip(optimizer.param_groups, (options.rate, options.head_rate)):
            group["lr"] = rate * min(done / 0.05 + 0.02, 1.0) * max(1 - done, 0)
        places = torch.from_numpy(plan[min(step, len(plan) - 1)]).to(device)
        turned = torch.rand(len(places), device=device) < 0.5
        own, below, rows = given(model, lesson, places, turned)
        wanted = torch.cat([lesson.ratings[places, 0], lesson.ratings[places[rows], 1]])
        loss = functional.mse_loss(torch.cat([own, below]), wanted)
        loss = loss + torch.relu(MARGIN - (own[rows] - below)).square().sum() / len(wanted)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step, seen = step + 1, seen + len(wanted)
        losses.append(loss.detach())
        done = max(done, step / len(plan))
        if step % options.every and done < 1:
            continue
        row = {"step": step, "of": len(plan), "seconds": round(time.perf_counter() - started), "pairs": seen}
        row |= {"loss": round(float(torch.stack(losses).mean()), 4), "dev": agreement(model, held_out, options.tokens)}
        losses.clear()
        print(json.dumps(row), flush=True)
        with log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
    options.out.mkdir(parents=True, exist_ok=True)
    for name, weights in (("adapter_model", model.adapter), ("head", model.head)):
        halves = {key.replace("|", "."): weight.detach().half().cpu().contiguous() for key, weight in weights.items()}
        save_file(halves, options.out / f"{name}.safetensors")
    if options.teach:
        np.save(options.teach, measured(model, lesson, 2 * options.tokens))


def rate(options: argparse.Namespace) -> None:
    """Ratings of packed pairs, divided by 100, in float32 by the weights of a folder."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = False
    packed = np.load(options.file)
    texts, pairs = Texts(packed["ids"], packed["offsets"], device), packed["pairs"]
    model = opened(options.encoder, options.start, options.rank, device)
    lengths = texts.lengths[pairs].sum(1) + 4
    found = np.zeros(len(pairs), np.float32)
    with torch.inference_mode():
        for batch in batches(lengths, options.tokens, random.Random(0)):
            one, two = torch.from_numpy(pairs[batch].astype(np.int64)).to(device).T
            given = model(*pairs_of(texts, one, two, model.kind), dtype=torch.float32)
            found[batch] = given.cpu().numpy()
    np.save(options.out, found)


def lines_of(files: Sequence[Path]) -> Iterator[tuple[int, list]]:
    """Pairs of lessons, as they were written, with the number of their lesson."""
    for number, file in enumerate(files):
        with file.open(encoding="utf-8") as lines:
            yield from ((number, json.loads(line)) for line in lines)


def pack(options: argparse.Namespace) -> None:
    """Put lessons into one file: token ids of each text once, and the numbers of the texts of each pair."""
    from nbhelpers.resources.models import load_encoder

    tokenizer = load_encoder().loaded.tokenizer
    numbers: dict[str, int] = {}
    names: dict[str, int] = {}
    packed: dict = {}
    for part, which in (("lesson", "lesson.jsonl"), ("dev", "dev.jsonl")):
        pairs, ratings, parts, lessons = [], [], [], []
        for number, line in lines_of([folder / which for folder in options.lessons]):
            source, candidate, rating, own, _, rival, below = line
            three = [source, candidate, rival] if rival else [source, candidate]
            pairs.append([*(numbers.setdefault(text, len(numbers)) for text in three), -1][:3])
            ratings.append([rating / 100, below / 100])
            parts.append(names.setdefault(own, len(names)))
            lessons.append(number)
        packed[f"{part}_pairs"], packed[f"{part}_ratings"] = np.array(pairs, np.int32), np.array(ratings, np.float32)
        packed[f"{part}_parts"], packed[f"{part}_lesson"] = np.array(parts, np.int8), np.array(lessons, np.int8)
    rows = tokenizer(list(numbers), add_special_tokens=False, verbose=False)["input_ids"]
    packed["ids"] = np.concatenate([np.array(row, np.int16) for row in rows])
    packed["offsets"] = np.cumsum([0, *map(len, rows)]).astype(np.int32)
    for part in ("lesson", "dev"):  # what the model cannot take whole is left out
        count = np.append(np.diff(packed["offsets"]), 0)
        pairs = packed[f"{part}_pairs"]
        fit = (count[pairs[:, 0]] + np.maximum(count[pairs[:, 1]], count[pairs[:, 2]]) + 4 <= 256) & (
            count[pairs[:, :2]] > 0
        ).all(1)
        print(part, len(pairs), "pairs,", int((~fit).sum()), "too long")
        for name in ("pairs", "ratings", "parts", "lesson"):
            packed[f"{part}_{name}"] = packed[f"{part}_{name}"][fit]
    np.savez_compressed(options.file, names=list(names), **packed)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python tools/meaning_gpu.py", description=__doc__.split("\n")[0])
    parser.add_argument("command", choices=("pack", "train", "rate"))
    parser.add_argument("file", type=Path, help="the packed file")
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--lessons", type=Path, nargs="+")
    parser.add_argument("--encoder", type=Path, help="folder of the encoder")
    parser.add_argument("--start", type=Path, help="folder with adapter and head")
    parser.add_argument("--only", type=int, nargs="+", help="numbers of the packed lessons to learn from")
    parser.add_argument("--taught", type=Path, help="ratings by another model, from --teach: half of what is learned")
    parser.add_argument("--teach", type=Path, help="where the trained model's ratings of the lesson are written")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--rank", type=int, default=32)
    parser.add_argument("--rate", type=float, default=3e-4)
    parser.add_argument("--head-rate", type=float, default=1e-3)
    parser.add_argument("--tokens", type=int, default=16_384)
    parser.add_argument("--every", type=int, default=400, help="steps between looks at the held-out pairs")
    options = parser.parse_args()
    {"pack": pack, "train": train, "rate": rate}[options.command](options)


if __name__ == "__main__":
    main()
