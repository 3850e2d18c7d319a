"""Train `same-meaning`, a rater of pairs that has seen changes of meaning.

``python tools/meaning_changes.py data OUT --wordnet … --corpus …`` puts rated and labelled pairs of other people, and
made edits, on one scale from 0 to 100, frees them of every pair with a sentence of a test set, and writes two lessons;
``train OUT`` learns from them, and goes on after the last checkpoint where it was stopped. The challenge sets, CSMD
with its sources and the parallel texts are looked for as everywhere (``NBHELPERS_DATA``).
"""

from __future__ import annotations

import argparse
import gzip
import json
import lzma
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
from made_edits import MadeEdits
from numpy.typing import NDArray

from nbhelpers.base import paths
from nbhelpers.language.english import load_english
from nbhelpers.metrics.meaning_model import MeaningModel, PairInput, encode_pairs, make_head, model_inputs, pool
from nbhelpers.resources import challenge, data
from nbhelpers.resources.challenge import mark, normalized
from nbhelpers.resources.csmd import read_csmd
from nbhelpers.resources.models import load_encoder
from nbhelpers.studies.meaningbert import experiment
from nbhelpers.studies.meaningbert.training import TrainingSettings, with_adapter

FILES = ("dev.jsonl", "first.jsonl", "second.jsonl")

LABELLED = ("csmd", "paws", "cannot", "stsb", "sick", "msrp", "scone", "written")
PARTS = (*LABELLED, "made", "similar", "ends")
"""Kinds of training data; an ablation leaves some out. The first ones were labelled, or written for this project; then
made edits, pairs in different words with the encoder's cosine, and identical and unrelated ones."""

DRAWS = {
    "csmd": 12.0,
    "paws": 3.0,
    "cannot": 0.35,
    "stsb": 3.0,
    "sick": 1.0,
    "msrp": 1.5,
    "scone": 0.25,
    "written": 2.0,
}
"""How often each pair of a part is drawn, on average."""

LONGEST = {"paws": 300, "cannot": 220, "csmd": 600}
"""Characters that a pair may have, 420 where nothing is said: long ones cost most of the time."""

EVERY = 500
"""Steps between checkpoints."""

HEAD_RATE = 1e-3
"""Learning rate of the head; the adapter's is an option."""

PAWS, NEGATED, DAMAGED, TENSE, KEPT = {1: 95, 0: 20}, 12, 20, 35, 95
MSRP, SCONE = {1: 88, 0: 50}, {1: 85, 0: 50}
WRITTEN = {"same": 95, "small": 98, "added": 55, "lost": 55, "tense": 35, "certainty": 35}
"""Where labels that are no ratings lie on the scale from 0 to 100. STS-B's 0 to 5 and SICK's 1 to 5 are stretched; a
contradiction in SICK gets a fifth of that."""


SPARED = {"csmd": "simplification-errors", "msrp": "etpc", "stsb": "etpc", "made": "etpc", "ends": "etpc"}
"""Test sets that share many sentences with a part of the training: the leaderboard leaves these pairs out."""


class Pair(NamedTuple):
    """A pair for training: its rating from 0 to 100, and the part and kind it comes from."""

    source: str
    candidate: str
    rating: float
    part: str
    kind: str = ""

    @property
    def length(self) -> int:
        """Characters of both texts."""
        return len(self.source) + len(self.candidate)


def csmd_parts() -> tuple[list, list, list]:
    """Training, development and test pairs of CSMD, labels restored, no source sentence in two of them."""
    pairs = experiment.labelled(read_csmd(), "restored", experiment.all_source_ratings())
    return experiment.split_of(pairs, "grouped", 42).parts(pairs)


def labelled(part: str) -> list[Pair]:
    """The pairs of one part that people labelled, on the scale from 0 to 100, before overlaps are removed."""

    def pairs(name: str, rating, which: str = "train") -> list[Pair]:
        return [Pair(p.source, p.candidate, rating(p), part, p.kind) for p in challenge.read(name, which).pairs]

    if part == "csmd":
        return [Pair(p.source, p.candidate, p.rating, part, p.origin) for p in csmd_parts()[0]]
    if part == "cannot":
        return [p for name in ("wikifactcheck", "sentiment") for p in pairs(name, lambda p: NEGATED)]
    if part == "written":
        return list(written())
    if part == "sick":
        return pairs(part, lambda p: 25 * (p.label - 1) / (5 if p.kind == "CONTRADICTION" else 1))
    if part == "paws":
        return pairs("paws-wiki", lambda p: PAWS[p.label], "dev")
    scales = {"stsb": lambda p: 20 * p.label, "msrp": lambda p: MSRP[p.label], "scone": lambda p: SCONE[p.label]}
    return pairs(part, scales[part])


def written(use: str = "training") -> Iterator[Pair]:
    """Pairs from sentences that were written for this project: each in other words, and with a change of meaning.

    A change that stands in other words is compared with the source, a small change of a rewording with that rewording,
    too, so that neither the number of common words nor a small difference says whether the meaning stayed.
    """
    for line in (paths.data_dir() / "corpus" / "rewordings-en.jsonl").read_text(encoding="utf-8").splitlines():
        item = json.loads(line)
        if item["use"] != use:
            continue
        source, same, changed = item["source"], item["same"], item["changed"]
        ratings = [WRITTEN.get(kind, DAMAGED) for kind in item["kinds"]]
        yield Pair(source, item["small"], WRITTEN["small"], "written", "small")
        yield from (Pair(one, two, WRITTEN["same"], "written", "same") for one, two in combinations([source, *same], 2))
        yield from (
            Pair(source, text, rating, "written", kind) for text, rating, kind in zip(changed, ratings, item["kinds"])
        )
        yield Pair(same[1], changed[0], ratings[0], "written", item["kinds"][0])
        nearest = max(same, key=lambda text: overlap(text, changed[2]))
        yield Pair(nearest, changed[2], ratings[2], "written", item["kinds"][2])


def overlap(one: str, two: str) -> float:
    """Share of common words, from 0 to 1 (F1 of sets of words)."""
    first, second = set(normalized(one).split()), set(normalized(two).split())
    return 2 * len(first & second) / max(1, len(first) + len(second))


def similar_pairs(sentences: list[str], count: int, rng: random.Random) -> list[Pair]:
    """Near and distant pairs of sentences with less than half of their words in common, rated by the encoder's cosine.

    The encoder has learned from a thousand million pairs what is said in other words; these pairs keep that alive.
    Sentences that only share their subject have a cosine of about .5: from there the rating rises, 200 * cosine - 100.
    """
    vectors, found = load_encoder().encode(sentences), []
    for place in rng.sample(range(len(sentences)), count):
        cosines = vectors @ vectors[place]
        other = int(np.argsort(-cosines)[min(rng.choice((1, 1, 2, 3, rng.randint(4, 300))), len(sentences) - 1)])
        if overlap(sentences[place], sentences[other]) < 0.5:
            rating = 100 * max(0.0, 2 * float(cosines[other]) - 1)
            found.append(Pair(sentences[place], sentences[other], round(rating, 1), "similar"))
    return found


def test_sentences() -> dict[str, set[str]]:
    """The sentences of every English test set, as `normalized` gives them, by set."""
    texts = {
        name: [text for pair in challenge.read(name).pairs for text in (pair.source, pair.candidate)]
        for name in challenge.names()
        if not name.startswith("stsb-")
    }
    texts["csmd"] = [text for pair in csmd_parts()[2] for text in (pair.source, pair.candidate)]
    articles = data.find("lee-background").path.read_text(encoding="utf-8").splitlines()
    texts["lee-background"] = [text for article in articles for text in load_english().sentences(article)]
    return {name: {normalized(text) for text in some} - {""} for name, some in texts.items()}


def without_test_sentences(pairs: Iterable[Pair], tests: dict[str, set[str]]) -> tuple[list[Pair], Counter]:
    """Pairs none of whose sentences is in a test set, and how many pairs each test set cost (the first that has one).

    For the parts in `SPARED` one test set is not asked: the leaderboard leaves its shared pairs out.
    """
    kept, removed = [], Counter()
    for pair in pairs:
        sentences = {normalized(pair.source), normalized(pair.candidate)}
        spared = SPARED.get(pair.part)
        hit = next((name for name, texts in tests.items() if name != spared and not sentences.isdisjoint(texts)), None)
        if hit:
            removed[pair.part, hit] += 1
        elif all(sentences):
            kept.append(pair)
    return kept, removed


def clean_sentences(count: int, rng: random.Random, corpus: Path) -> list[str]:
    """Sentences to edit: half from an encyclopedia, novels and textbooks; captions, everyday speech and news."""
    lists = []
    with lzma.open(corpus, "rt", encoding="utf-8") as file:
        lists.append([line.strip() for line, _ in zip(file, range(60_000)) if line[:1].isupper()])
    for name in ("multi30k", "small-parallel-enja", "news-commentary"):
        with gzip.open(data.find(name, allow_shipped=False).path / "train.en.gz", "rt", encoding="utf-8") as file:
            lists.append([line[0].upper() + line[1:].strip() for line in file if line.strip()])
    chosen = []
    for some, share in zip(lists, (0.5, 0.15, 0.2, 0.15)):
        short = [text for text in some if 20 < len(text) < 120]
        long = [text for text in some if 120 <= len(text) < 210]
        chosen += rng.sample(short, min(len(short), int(0.85 * share * count)))
        chosen += rng.sample(long, min(len(long), int(0.15 * share * count)))
    return chosen


def made_pairs(edits: MadeEdits, sentences: list[str], anchors: list[Pair], rng: random.Random) -> Iterator[Pair]:
    """From each sentence one kept and one damaged version; from pairs that are paraphrases, the second one damaged."""

    def damaged(source: str, made: tuple[str, str], mark: str = "") -> Pair:
        return turned(Pair(source, made[0], TENSE if made[1] == "tense" else DAMAGED, "made", made[1] + mark), rng)

    read = edits.read(sentences)
    for one in read:
        kept = edits.kept(one, rng)
        if kept:
            yield turned(Pair(one.text, kept, KEPT, "made", "kept"), rng)
        start = edits.read_again(kept) if kept and rng.random() < 0.5 else one
        if rng.random() < 0.75:
            made = edits.damaged(start, rng)
            if made and rng.random() < 0.3:
                made = edits.damaged(edits.read_again(made[0]), rng) or made
            if made:
                yield damaged(one.text, made)
        elif made := edits.parts(start, rng, rng.choice(read)):
            text, share, kind = made
            rating = {"dropped": 90 - 95 * share, "added": 30 - 20 * share, "shuffled": 25}[kind]
            yield turned(Pair(one.text, text, max(rating, 5), "made", kind), rng)
    for pair, one in zip(anchors, edits.read([pair.candidate for pair in anchors])):
        if made := edits.damaged(one, rng):
            yield damaged(pair.source, made, " in a paraphrase")


def turned(pair: Pair, rng: random.Random) -> Pair:
    """The pair, or as often the pair with its two texts exchanged."""
    return pair._replace(source=pair.candidate, candidate=pair.source) if rng.random() < 0.5 else pair


def lessons(options: argparse.Namespace) -> tuple[list[Pair], list[Pair], list[Pair], Counter]:
    """Pairs for development, for a first and a second lesson, and how many were removed because a test has a sentence.

    The first lesson, a sixth, has no PAWS and nothing long: what needs a comparison of every word is learned later.
    """
    rng, tests = random.Random(options.seed), test_sentences()
    removed: Counter = Counter()
    dev, every, drawn = [], [], []
    for part in LABELLED:
        some, lost = without_test_sentences(labelled(part), tests)
        removed += lost
        rng.shuffle(some)
        held_out = min(len(some) // 12, 80)
        dev, some = dev + some[:held_out], some[held_out:]
        some = [pair for pair in some if pair.length <= LONGEST.get(part, 420)]
        every += some
        whole, rest = divmod(int(DRAWS[part] * len(some)), len(some))
        drawn += [
            turned(pair, rng) if part != "csmd" and part != "scone" else pair for pair in some * whole + some[:rest]
        ]
    anchors = [pair for pair in every if pair.rating >= 88 and pair.part in ("paws", "stsb", "sick", "msrp", "written")]
    clean = clean_sentences(18_000, rng, options.corpus)
    edits = MadeEdits.load(options.wordnet)
    made, lost = without_test_sentences(
        made_pairs(edits, clean, rng.sample(anchors, min(len(anchors), 6_000)), rng), tests
    )
    removed += lost
    similar, lost = without_test_sentences(similar_pairs(clean, 6_000, rng), tests)
    removed += lost
    rng.shuffle(made)
    texts = rng.sample([pair.source for pair in every] + clean, 8_000)
    ends = [Pair(text, text, 100, "ends", "identical") for text in texts[::2]]
    ends += [Pair(one, two, 0, "ends", "unrelated") for one, two in zip(texts[1::2], texts[3::2])]
    ends, lost = without_test_sentences(ends, tests)
    rng.shuffle(ends)
    for some in (made, similar, ends):
        dev += some[:150]
        drawn += some[150:]
    rng.shuffle(drawn)
    easy = [pair for pair in drawn if pair.part != "paws" and pair.length <= 210][: len(drawn) // 6]
    chosen = set(map(id, easy))
    return dev, easy, [pair for pair in drawn if id(pair) not in chosen], removed


def write(options: argparse.Namespace) -> None:
    """Write the pairs of each lesson, one JSON list a line, the counts, and a mark of every sentence."""
    import torch
    from safetensors.torch import save_file

    *parts, removed = lessons(options)
    options.out.mkdir(parents=True, exist_ok=True)
    for name, pairs in zip(FILES, parts):
        (options.out / name).write_text("".join(json.dumps(list(pair)) + "\n" for pair in pairs), encoding="utf-8")
    counts = Counter((pair.part, pair.kind) for pair in parts[1] + parts[2])
    content = {
        "drawn": {f"{part}, {kind}" if kind else part: number for (part, kind), number in sorted(counts.items())},
        "removed": {f"{part}, in {test}": number for (part, test), number in sorted(removed.items())},
    }
    (options.out / "counts.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    marks = sorted({mark(text) for pairs in parts for pair in pairs for text in (pair.source, pair.candidate)})
    save_file({"marks": torch.tensor(marks)}, options.out / "sentences.safetensors")
    print(json.dumps(content, indent=1), [len(pairs) for pairs in parts])


def train(options: argparse.Namespace) -> None:
    """Train on the lessons that `write` wrote, from the last checkpoint on; save adapter and head."""
    import torch
    from safetensors.torch import load_file, save_file

    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    base = load_encoder(options.encoder).loaded
    base.model.set_attn_implementation("eager")  # in bfloat16 on a CPU a third faster than the fused kernel
    adapted = with_adapter(base.model, TrainingSettings(rank=options.rank, frozen_layers=0)).eval()  # no dropout
    head = make_head(base.model.config.hidden_size)
    torch.nn.init.zeros_(head[-1].weight)
    torch.nn.init.constant_(head[-1].bias, 0.6)
    model = MeaningModel(replace(base, model=adapted), head, longest=256)
    learned = {name: weight for name, weight in adapted.named_parameters() if weight.requires_grad}
    own = {f"head.{name}": weight for name, weight in head.named_parameters()}
    groups = [{"params": list(learned.values()), "lr": options.rate}, {"params": list(own.values()), "lr": HEAD_RATE}]
    optimizer, weights = torch.optim.AdamW(groups, weight_decay=0.01), learned | own
    checkpoint, log = (options.out / f"{options.name}{end}" for end in ("-checkpoint.safetensors", "-log.jsonl"))
    order, plan = random.Random(options.seed), []
    for name, times in zip(FILES[1:], (1, options.epochs)):
        inputs, ratings, pairs = read_lesson(options.out / name, base.tokenizer)
        kept = [place for place, pair in enumerate(pairs) if pair.part not in options.without]
        for _ in range(times):
            made = batches([inputs[place] for place in kept], options.tokens, order)
            plan += [(inputs, ratings, [kept[place] for place in batch]) for batch in made]
    held_out = read_lesson(options.out / FILES[0], base.tokenizer)
    if options.steps:
        plan = order.sample(plan, options.steps)
    step, before, started, losses = 0, 0.0, time.perf_counter(), []
    if options.start:
        for name, weight in load_file(options.start).items():
            if name in weights:
                weights[name].data.copy_(weight)
    if checkpoint.exists():
        kept = load_file(checkpoint)
        step, before = int(kept["step"]), float(kept["seconds"])
        for name, weight in weights.items():
            weight.data.copy_(kept[name])
            moments = {key: kept[f"{key}.{name}"] for key in ("exp_avg", "exp_avg_sq")}
            optimizer.state[weight] = {"step": torch.tensor(float(step)), **moments}
    seconds = before
    while step < len(plan):
        inputs, ratings, chosen = plan[step]
        factor = min((step + 1) / (0.05 * len(plan)), 1.0) * (len(plan) - step) / len(plan)
        for group, rate in zip(optimizer.param_groups, (options.rate, HEAD_RATE)):
            group["lr"] = rate * factor
        loss = torch.nn.functional.mse_loss(forward(model, inputs, chosen), torch.tensor(ratings[chosen]))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights.values(), 1.0)
        optimizer.step()
        step += 1
        losses.append(float(loss.detach()))
        if step % EVERY and step < len(plan):
            continue
        seconds = before + time.perf_counter() - started
        state = {"step": torch.tensor(step), "seconds": torch.tensor(seconds)}
        for name, weight in weights.items():
            moments = optimizer.state[weight]
            state |= {name: weight.detach(), **{f"{key}.{name}": moments[key] for key in ("exp_avg", "exp_avg_sq")}}
        save_file(state, f"{checkpoint}.new")
        Path(f"{checkpoint}.new").replace(checkpoint)
        row = {"step": step, "of": len(plan), "seconds": round(seconds), "loss": round(float(np.mean(losses)), 4)}
        losses.clear()
        with log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row | {"dev": agreement(model, *held_out)}) + "\n")
    model = replace(model, symmetric=True)
    texts = sorted({text for pair in held_out[2] for text in (pair.source, pair.candidate)})
    random.Random(options.seed).shuffle(texts)
    texts = texts[: options.anchors]
    identical, unrelated = model.raw(texts, texts), model.raw(texts[1:], texts[:-1])
    model = replace(model, calibration=replace(experiment.anchored(identical, unrelated, share=0.98), soft=True))
    settings = {
        key: value for key, value in vars(options).items() if key in ("rank", "rate", "tokens", "seed", "without")
    }
    folder = model.save(options.out / options.name, settings=settings | {"steps": step, "seconds": round(seconds)})
    for name in ("adapter_model.safetensors", "head.safetensors"):
        save_file({key: value.half() for key, value in load_file(folder / name).items()}, folder / name)


def read_lesson(path: Path, tokenizer) -> tuple[list[PairInput], NDArray[np.float32], list[Pair]]:
    """Pairs of a file as the model sees them, their ratings divided by 100, and the pairs themselves."""
    pairs = [Pair(*json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
    texts = [pair.source for pair in pairs], [pair.candidate for pair in pairs]
    ratings = np.array([pair.rating / 100 for pair in pairs], dtype=np.float32)
    return encode_pairs(tokenizer, *texts, 256, truncate=True), ratings, pairs


def batches(inputs: Sequence[PairInput], tokens: int, order: random.Random) -> list[list[int]]:
    """Positions in batches of similar length with so many tokens at most, in random order."""
    places, made = list(range(len(inputs))), []
    order.shuffle(places)
    for start in range(0, len(places), 4096):
        batch: list[int] = []
        for place in sorted(places[start : start + 4096], key=lambda place: len(inputs[place].ids)):
            if batch and (len(batch) + 1) * len(inputs[place].ids) > tokens:
                made.append(batch)
                batch = []
            batch.append(place)
        made.append(batch)
    order.shuffle(made)
    return made


def forward(model: MeaningModel, inputs: Sequence[PairInput], chosen: Sequence[int]):
    """Ratings divided by 100 of some pairs, padded to the longest of them, in bfloat16 up to the head."""
    import torch

    longest = max(len(inputs[place].ids) for place in chosen)

    def padded(name: str, fill: int):
        rows = [getattr(inputs[place], name) for place in chosen]
        return torch.tensor([[*row, *[fill] * (longest - len(row))] for row in rows])

    sentence = padded("sentence", -1)
    batch = {"ids": padded("ids", 0), "types": padded("types", 0), "sentence": sentence}
    names = model_inputs(model.loaded.tokenizer, batch)
    lengths = torch.tensor([[len(inputs[place].ids)] for place in chosen])
    names["attention_mask"] = (torch.arange(longest) < lengths).long()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        hidden = model.loaded.model(**names).last_hidden_state
    return model.head(pool(hidden.float(), sentence))[:, 0]


def predicted(model: MeaningModel, inputs: Sequence[PairInput], ratings: NDArray, pairs: list[Pair]):
    """Ratings by the model from 0 to 100, those wanted, and the pairs."""
    import torch

    values = np.zeros(len(inputs))
    with torch.inference_mode():
        for batch in batches(inputs, 4096, random.Random(0)):
            values[batch] = 100 * forward(model, inputs, batch).numpy()
    return values, 100 * ratings, pairs


def agreement(
    model: MeaningModel, inputs: Sequence[PairInput], ratings: NDArray, pairs: list[Pair]
) -> dict[str, float]:
    """Squared error on the held-out pairs, and Pearson's correlation within each part whose ratings vary."""
    given, wanted, _ = predicted(model, inputs, ratings, pairs)
    found = {"loss": float(np.mean((given - wanted) ** 2)) / 1e4}
    for part in PARTS:
        mine = [pair.part == part for pair in pairs]
        if len(set(wanted[mine])) > 1:
            found[part] = float(np.corrcoef(given[mine], wanted[mine])[0, 1])
    return {name: round(value, 4) for name, value in found.items()}


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python tools/meaning_changes.py", description=__doc__.split("\n")[0])
    parser.add_argument("command", choices=("data", "train"))
    parser.add_argument("out", type=Path)
    parser.add_argument("--wordnet", type=Path, help="folder of WordNet 3.0 in its own format")
    parser.add_argument("--corpus", type=Path, help="clean sentences, one a line, packed with xz")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument(
        "--without", nargs="+", choices=PARTS, default=[], help="an ablation: train without these parts"
    )
    parser.add_argument("--epochs", type=int, default=2, help="how often the second lesson is read")
    parser.add_argument("--name", default="model")
    parser.add_argument("--start", type=Path, help="checkpoint of another training whose weights this one begins with")
    parser.add_argument("--encoder", default="all-MiniLM-L6-v2")
    parser.add_argument("--rank", type=int, default=32)
    parser.add_argument("--rate", type=float, default=3e-4)
    parser.add_argument("--tokens", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=0, help="so many batches at random, not all")
    parser.add_argument("--anchors", type=int, help="held-out sentences for the calibration; by default all")
    options = parser.parse_args()
    write(options) if options.command == "data" else train(options)


if __name__ == "__main__":
    main()
