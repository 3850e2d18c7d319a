"""Train `same-meaning`, a rater of pairs that has seen changes of meaning.

``python tools/meaning_changes.py data OUT --wordnet … --corpus …`` puts rated and labelled pairs of other people, and
made edits, on one scale from 0 to 100, frees them of every pair with a sentence of a test set, and writes a lesson;
``train OUT`` learns from it, and goes on after the last checkpoint where it was stopped; ``teach OUT --teacher …``
writes a lesson whose ratings are half those of a trained model. Both take a GPU where there is one; `meaning_gpu.py`
trains on packed lessons there. ``marks OUT --name …`` notes the sentences of a lesson for the leak test of a model that
ships. The challenge sets, CSMD with its sources
and the parallel texts are looked for as everywhere (``NBHELPERS_DATA``).
"""

from __future__ import annotations

import argparse
import gzip
import json
import lzma
import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas
from made_edits import MadeEdits, noisy
from numpy.typing import NDArray

from nbhelpers.base import paths
from nbhelpers.base.files import replacing
from nbhelpers.language.english import load_english
from nbhelpers.metrics.meaning_model import (
    MeaningModel,
    PairInput,
    encode_pairs,
    load_meaning_model,
    make_head,
    model_inputs,
    pool,
)
from nbhelpers.resources import challenge, data
from nbhelpers.resources.challenge import TRAINED_ON, mark, normalized
from nbhelpers.resources.csmd import read_csmd
from nbhelpers.resources.models import load_encoder, slow_in_bfloat16
from nbhelpers.studies.meaningbert import experiment
from nbhelpers.studies.meaningbert.training import TrainingSettings, with_adapter

FILES = ("dev.jsonl", "lesson.jsonl")

LABELLED = ("csmd", "paws", "cannot", "stsb", "sick", "msrp", "scone", "written", "free")
PARTS = (*LABELLED, "made", "noise", "similar", "ends")
"""Kinds of training data; an ablation leaves some out. The first ones were labelled, or written for this project; then
made edits, harmless noise, pairs in different words with the encoder's cosine, and identical and unrelated ones."""

DRAWS = {
    "csmd": 6.0,
    "paws": 2.0,
    "cannot": 0.12,
    "stsb": 1.0,
    "sick": 1.0,
    "msrp": 1.0,
    "scone": 0.15,
    "written": 2.0,
    "free": 0.8,
}
"""How often each pair of a part is drawn, on average."""

LONGEST = {"paws": 300, "cannot": 220, "csmd": 600}
"""Characters that a pair may have, 420 where nothing is said: long ones cost most of the time."""

EVERY = 200
"""Steps between checkpoints."""

MARGIN = 0.35
"""So far the damaged candidate of a pair must lie below the other one, of 1; a smaller distance costs its square."""

PAWS, NEGATED, DAMAGED, TENSE, KEPT, NOISY = {1: 95, 0: 20}, 12, 20, 35, 95, 97
APT, T5, PARADE = {1: 92, 0: 45}, {1: 92, 0: 40}, {3: 88, 2: 72, 1: 50, 0: 35}
DETOXIFIED, SIMPLIFIED = 86, (88, 76, 60)
MSRP, SCONE = {1: 88, 0: 50}, {1: 85, 0: 50}
WRITTEN = {"same": 95, "small": 98, "added": 55, "lost": 55, "tense": 35, "certainty": 35}
"""Where labels that are no ratings lie on the scale from 0 to 100. STS-B's 0 to 5 and SICK's 1 to 5 are stretched; a
contradiction in SICK gets a fifth of that."""


RESTRICTED = ("csmd", "cannot", "stsb", "sick", "msrp", "free, APT", "free, PARADE", "free, ASSET", "free, STS")
"""Parts, and kinds of *free*, that are for research only or have no stated licence."""

SPARED = {"csmd": "simplification-errors", "msrp": "etpc", "stsb": "etpc", "made": "etpc", "ends": "etpc"}
SPARED |= {"free": "etpc", "noise": "etpc"}
"""Test sets that share many sentences with a part of the training: the leaderboard leaves these pairs out."""


class Pair(NamedTuple):
    """A pair for training: its rating from 0 to 100, and the part and kind it comes from.

    The rival is a damaged candidate; `below` is its own rating, and it must fall below the candidate's.
    """

    source: str
    candidate: str
    rating: float
    part: str
    kind: str = ""
    rival: str = ""
    below: float = 0

    @property
    def length(self) -> int:
        """Characters of both texts."""
        return len(self.source) + len(self.candidate)

    def is_of(self, some: Sequence[str]) -> bool:
        """Whether the pair belongs to one of some parts, such as ``msrp``, or kinds, such as ``free, APT``."""
        return any(f"{self.part}, {self.kind}, ".startswith(f"{one}, ") for one in some)

    @property
    def texts(self) -> tuple[str, ...]:
        """Source, candidate, and the rival where there is one."""
        return (self.source, self.candidate, self.rival) if self.rival else (self.source, self.candidate)


def csmd_parts() -> tuple[list, list, list]:
    """Training, development and test pairs of CSMD, labels restored, no source sentence in two of them."""
    return experiment.parts_of(read_csmd(), "restored", "grouped", 42)


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
    if part == "free":
        return list(free(random.Random(42)))
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
        yield Pair(source, nearest, WRITTEN["same"], "written", item["kinds"][2], changed[2], ratings[2])


def free(rng: random.Random) -> Iterator[Pair]:
    """Free rewordings by people and machines, from `rewordings`: paraphrases, definitions, detoxified, simplified."""
    folder = data.find("rewordings", allow_shipped=False).path
    for p in challenge.read("apt", "train").pairs:
        yield Pair(p.source, p.candidate, APT[p.label], "free", "APT, people")
    yield from machine_paraphrases(folder / "apt" / "t5.tsv.xz", rng)
    for which in ("train", "dev"):
        for p in challenge.read("parade", which).pairs:
            yield Pair(p.source, p.candidate, PARADE[p.label], "free", "PARADE")
    yield from detoxified(folder / "paradetox" / "paradetox.tsv")
    yield from simplified(folder / "asset", rng)
    for p in challenge.read("sts-years", "train").pairs:
        yield Pair(p.source, p.candidate, 20 * p.label, "free", "STS")


def machine_paraphrases(path: Path, rng: random.Random, most: int = 1) -> Iterator[Pair]:
    """Of each sentence at most so many paraphrases a label, none with nearly all the words of the sentence."""
    found = defaultdict(list)
    with lzma.open(path, "rt", encoding="utf-8", newline="\n") as file:
        next(file)
        for line in file:
            source, candidate, _, mutual, _ = line.rstrip("\r\n").split("\t")
            if overlap(source, candidate) < 0.88:
                found[source, int(mutual)].append(candidate)
    for (source, mutual), texts in found.items():
        for candidate in rng.sample(texts, min(most, len(texts))):
            yield Pair(source, candidate, T5[mutual], "free", "APT, machine")


def detoxified(path: Path) -> Iterator[Pair]:
    """Rude sentences and what people made of them; what kept most of its words is left out."""
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        source, *texts = line.split("\t")
        for text in texts:
            if text.strip() and overlap(source, text) < 0.85:
                yield Pair(source, text, DETOXIFIED, "free", "ParaDetox")


def simplified(folder: Path, rng: random.Random, most: int = 3) -> Iterator[Pair]:
    """Sentences with simplifications by people, rated by the length kept; and two of one sentence beside each other."""
    columns = [folder / "asset-valid.orig", *(folder / f"asset-valid.simp.{number}" for number in range(10))]
    for source, *texts in zip(*(path.read_text(encoding="utf-8").splitlines() for path in columns)):
        texts = [text for text in dict.fromkeys(texts) if text.strip() and text != source]
        texts = rng.sample(texts, min(most, len(texts)))
        for text in texts:
            kept = len(text) / len(source)
            yield Pair(source, text, SIMPLIFIED[0 if kept > 0.8 else 1 if kept > 0.55 else 2], "free", "ASSET")
        if len(texts) > 1:
            kept = min(map(len, texts[:2])) / max(map(len, texts[:2]))
            yield Pair(texts[0], texts[1], SIMPLIFIED[0 if kept > 0.8 else 1], "free", "ASSET, two")


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
        sentences = set(map(normalized, pair.texts))
        spared = SPARED.get(pair.part)
        hit = next((name for name, texts in tests.items() if name != spared and not sentences.isdisjoint(texts)), None)
        if hit:
            removed[pair.part, hit] += 1
        elif all(sentences):
            kept.append(pair)
    return kept, removed


def clean_sentences(count: int, rng: random.Random, corpus: Path, free_only: bool = False) -> list[str]:
    """Sentences to edit: half from an encyclopedia, novels and textbooks; captions, everyday speech and news.

    With `free_only`, all from the first three.
    """
    lists = []
    with lzma.open(corpus, "rt", encoding="utf-8") as file:
        lists.append([line.strip() for line, _ in zip(file, range(max(60_000, 4 * count))) if line[:1].isupper()])
    for name in () if free_only else ("multi30k", "small-parallel-enja", "news-commentary"):
        with gzip.open(data.find(name, allow_shipped=False).path / "train.en.gz", "rt", encoding="utf-8") as file:
            lists.append([line[0].upper() + line[1:].strip() for line in file if line.strip()])
    chosen = []
    for some, share in zip(lists, (1.0,) if free_only else (0.5, 0.15, 0.2, 0.15)):
        short = [text for text in some if 20 < len(text) < 120]
        long = [text for text in some if 120 <= len(text) < 210]
        chosen += rng.sample(short, min(len(short), int(0.85 * share * count)))
        chosen += rng.sample(long, min(len(long), int(0.15 * share * count)))
    return chosen


def made_pairs(edits: MadeEdits, sentences: list[str], rng: random.Random) -> Iterator[Pair]:
    """From each sentence a kept version with a damaged one as its rival; or words dropped, added or shuffled."""
    read = edits.read(sentences)
    for one in read:
        kept = edits.kept(one, rng)
        if rng.random() < 0.75:
            made = edits.damaged(edits.read_again(kept) if kept and rng.random() < 0.5 else one, rng)
            if made and rng.random() < 0.2:
                made = edits.damaged(edits.read_again(made[0]), rng) or made
            if made and kept:
                yield Pair(one.text, kept, KEPT, "made", made[1], made[0], damage(made[1]))
            elif made:
                yield Pair(one.text, made[0], damage(made[1]), "made", made[1])
        elif made := edits.parts(one, rng, rng.choice(read)):
            text, share, kind = made
            rating = {"dropped": 90 - 95 * share, "added": 30 - 20 * share, "shuffled": 25}[kind]
            yield Pair(one.text, text, max(rating, 5), "made", kind)


def damage(kind: str, rating: float = 100) -> float:
    """Rating of a damaged candidate that had so much before."""
    return (TENSE if kind == "tense" else DAMAGED) * rating / 100


def with_rivals(pairs: Sequence[Pair], edits: MadeEdits, rng: random.Random) -> Iterator[Pair]:
    """Pairs in other words, those of at least 70 with a damaged candidate as a rival where an edit can be made."""
    fit = [place for place, pair in enumerate(pairs) if pair.rating >= 70 and not pair.rival]
    read = dict(zip(fit, map(edits.read_again, (pairs[place].candidate for place in fit))))
    for place, pair in enumerate(pairs):
        made = place in read and edits.damaged(read[place], rng)
        if made:
            pair = pair._replace(rival=made[0], below=damage(made[1], pair.rating), kind=f"{pair.kind}, {made[1]}")
        yield pair


def noise(pairs: Sequence[Pair], rng: random.Random) -> Iterator[Pair]:
    """Sentences beside a noisy copy, with what damages them as the rival."""
    for pair in pairs:
        text = noisy(pair.source, rng)
        if text != pair.source:
            yield Pair(pair.source, text, NOISY, "noise", "", pair.rival, pair.below)


def lessons(options: argparse.Namespace) -> tuple[list[Pair], list[Pair], Counter]:
    """Pairs for development and for the lesson, and how many were removed because a test has a sentence."""
    rng, tests = random.Random(options.seed), test_sentences()
    removed: Counter = Counter()
    dev, every, drawn = [], [], []

    def free_of_tests(pairs: Iterable[Pair]) -> list[Pair]:
        kept, lost = without_test_sentences(pairs, tests)
        removed.update(lost)
        rng.shuffle(kept)
        return kept

    clean = clean_sentences(options.sentences, rng, options.corpus, options.free)
    edits = MadeEdits.load(options.wordnet)
    made = free_of_tests(made_pairs(edits, clean, rng))
    for part in LABELLED:
        if part in options.without:
            continue
        some = [pair for pair in labelled(part) if pair.length <= LONGEST.get(part, 420)]
        some = free_of_tests(pair for pair in some if not pair.is_of(options.without))
        if part in ("free", "msrp", "stsb", "written"):
            some = free_of_tests(with_rivals(some, edits, rng))
        held_out = min(len(some) // 12, 500 if part == "free" else 80)
        dev, some = dev + some[:held_out], some[held_out:]
        every += some
        whole, rest = divmod(int((DRAWS | dict(options.draws))[part] * len(some)), len(some))
        drawn += some * whole + some[:rest]
    disputed = [pair for pair in made if pair.rival]
    texts = rng.sample([pair.source for pair in every] + clean, options.sentences // 3)
    ends = [Pair(text, text, 100, "ends", "identical") for text in texts[::2]]
    ends += [Pair(one, two, 0, "ends", "unrelated") for one, two in zip(texts[1::2], texts[3::2])]
    others = noise(disputed[: len(disputed) // 4], rng), similar_pairs(clean, options.sentences // 4, rng), ends
    for some in (made, *map(free_of_tests, others)):
        dev += some[:150]
        drawn += some[150:]
    rng.shuffle(drawn)
    return dev, drawn, removed


def write(options: argparse.Namespace) -> None:
    """Write the pairs of each lesson, one JSON list a line, the counts, and a mark of every sentence."""
    *parts, removed = lessons(options)
    options.out.mkdir(parents=True, exist_ok=True)
    for name, pairs in zip(FILES, parts):
        (options.out / name).write_text("".join(json.dumps(list(pair)) + "\n" for pair in pairs), encoding="utf-8")
    counts = Counter((pair.part, pair.kind) for pair in parts[1])
    content = {
        "drawn": {f"{part}, {kind}" if kind else part: number for (part, kind), number in sorted(counts.items())},
        "rivals": dict(Counter(pair.part for pair in parts[1] if pair.rival)),
        "removed": {f"{part}, in {test}": number for (part, test), number in sorted(removed.items())},
    }
    (options.out / "counts.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    marks = sorted({mark(text) for pairs in parts for pair in pairs for text in pair.texts})
    pandas.DataFrame({"mark": marks}).to_parquet(options.out / "sentences.parquet")
    print(json.dumps(content, indent=1), [len(pairs) for pairs in parts])


def ship_marks(options: argparse.Namespace) -> None:
    """Enter the sentences of a lesson into the file of what the shipped model ``--name`` was trained on.

    After a training that went on from weights of its own (``--start``), it keeps the sentences that it has.
    """
    shipped, new = paths.data_dir() / TRAINED_ON, pandas.read_parquet(options.out / "sentences.parquet")
    known = pandas.read_parquet(shipped).set_index("mark")
    earlier = known.index[known[options.name]] if options.start and options.name in known else ()
    marks = {*new["mark"], *earlier}
    new = pandas.DataFrame({options.name: True}, index=pandas.Index(sorted(marks), name="mark"))
    known = known.drop(columns=options.name, errors="ignore").join(new, how="outer").fillna(False).astype(bool)
    known = known[known.any(axis=1)].sort_index().reset_index()
    packed = {"column_encoding": {"mark": "DELTA_BINARY_PACKED"}, "use_dictionary": False, "compression": "zstd"}
    known.to_parquet(shipped, index=False, **packed)


def train(options: argparse.Namespace) -> None:
    """Train on the lessons that `write` wrote, from the last checkpoint on; save adapter and head."""
    import torch
    from safetensors.torch import load_file, save, save_file

    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    base = load_encoder(options.encoder).loaded
    base.model.set_attn_implementation("eager")  # in bfloat16 on a CPU a third faster than the fused kernel
    adapted = with_adapter(base.model, TrainingSettings(rank=options.rank, frozen_layers=0)).eval()  # no dropout
    head = make_head(base.model.config.hidden_size).to(base.device)
    torch.nn.init.zeros_(head[-1].weight)
    torch.nn.init.constant_(head[-1].bias, 0.6)
    model = MeaningModel(replace(base, model=adapted), head, longest=256)
    learned = {name: weight for name, weight in adapted.named_parameters() if weight.requires_grad}
    own = {f"head.{name}": weight for name, weight in head.named_parameters()}
    groups = [
        {"params": list(learned.values()), "lr": options.rate},
        {"params": list(own.values()), "lr": options.head_rate},
    ]
    optimizer, weights = torch.optim.AdamW(groups, weight_decay=0.01), learned | own
    checkpoint, log = (options.out / f"{options.name}{end}" for end in ("-checkpoint.safetensors", "-log.jsonl"))
    order = random.Random(options.seed)
    lesson = read_lesson(options.out / FILES[1], base.tokenizer, options.without)
    held_out = read_lesson(options.out / FILES[0], base.tokenizer, most=options.held_out)
    plan = [batch for _ in range(options.epochs) for batch in batches(lesson.lengths, options.tokens, order)]
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
            moments = {key: kept[f"{key}.{name}"].to(base.device) for key in ("exp_avg", "exp_avg_sq")}
            optimizer.state[weight] = {"step": torch.tensor(float(step)), **moments}
    seconds, done = before, 0.0
    while done < 1:
        seconds = before + time.perf_counter() - started
        done = max(step / len(plan), seconds / (60 * options.minutes) if options.minutes else 0)
        for group, rate in zip(optimizer.param_groups, (options.rate, options.head_rate)):
            group["lr"] = rate * min(done / 0.05 + 0.02, 1.0) * max(1 - done, 0)
        loss = cost(model, lesson, plan[min(step, len(plan) - 1)])
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights.values(), 1.0)
        optimizer.step()
        step += 1
        losses.append(loss.detach())
        done = max(done, step / len(plan))
        if step % EVERY and done < 1:
            continue
        state = {"step": torch.tensor(step), "seconds": torch.tensor(seconds)}
        for name, weight in weights.items():
            moments = optimizer.state[weight]
            state |= {name: weight.detach(), **{f"{key}.{name}": moments[key] for key in ("exp_avg", "exp_avg_sq")}}
        with replacing(checkpoint) as stream:
            stream.write(save(state))
        row = {
            "step": step,
            "of": len(plan),
            "seconds": round(seconds),
            "loss": round(float(torch.stack(losses).mean()), 4),
        }
        losses.clear()
        with log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row | {"dev": agreement(model, held_out)}) + "\n")
    model = replace(model, symmetric=True, cosine=options.cosine)
    texts = sorted({text for pair in held_out.pairs for text in (pair.source, pair.candidate)})
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


class Lesson(NamedTuple):
    """Pairs, and as the model sees them: each pair's own input, and its rival's; ratings divided by 100."""

    pairs: list[Pair]
    inputs: list[PairInput]
    rivals: list[PairInput | None]
    ratings: NDArray[np.float32]
    below: NDArray[np.float32]

    @property
    def lengths(self) -> list[int]:
        """Pieces of each pair's input, doubled (and by the longer one) where there is a rival."""
        both = zip(self.inputs, self.rivals)
        return [2 * max(len(own.ids), len(other.ids)) if other else len(own.ids) for own, other in both]


def read_lesson(path: Path, tokenizer, without: Sequence[str] = (), most: int | None = None) -> Lesson:
    """Read the pairs of a file but those of some parts, or some at random; half of them have their texts exchanged."""
    pairs = [Pair(*json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
    pairs = [pair for pair in pairs if not pair.is_of(without)]
    order = random.Random(0)
    pairs = order.sample(pairs, most) if most and most < len(pairs) else pairs
    turned = [order.random() < 0.5 for _ in pairs]

    def encoded(candidates: list[str]) -> list[PairInput]:
        both = [(pair.source, text)[:: -1 if turn else 1] for pair, text, turn in zip(pairs, candidates, turned)]
        return encode_pairs(tokenizer, *map(list, zip(*both)), 256, truncate=True)

    every = encoded([pair.rival or pair.candidate for pair in pairs])
    rivals = [own if pair.rival else None for own, pair in zip(every, pairs)]
    ratings, below = np.array([(pair.rating, pair.below) for pair in pairs], np.float32).T / 100
    return Lesson(pairs, encoded([pair.candidate for pair in pairs]), rivals, ratings, below)


def teach(options: argparse.Namespace) -> None:
    """Write the lesson anew in the folder of the name, its ratings half the labels' and half the teacher's.

    The held-out pairs keep their labels, so that these measure the pupil.
    """
    model = load_meaning_model(options.teacher)
    folder = options.out / options.name
    folder.mkdir(exist_ok=True)
    (folder / FILES[0]).write_bytes((options.out / FILES[0]).read_bytes())
    lesson = read_lesson(options.out / FILES[1], model.loaded.tokenizer, options.without)
    given = predicted(model, lesson.inputs).clip(0, 100)
    places = [place for place, rival in enumerate(lesson.rivals) if rival]
    below = dict(zip(places, predicted(model, [lesson.rivals[place] for place in places]).clip(0, 100)))
    with (folder / FILES[1]).open("w", encoding="utf-8") as file:
        for place, pair in enumerate(lesson.pairs):
            pair = pair._replace(rating=round((pair.rating + float(given[place])) / 2, 1))
            if pair.rival:
                pair = pair._replace(below=round((pair.below + float(below[place])) / 2, 1))
            file.write(json.dumps(list(pair)) + "\n")


def batches(lengths: Sequence[int], tokens: int, order: random.Random) -> list[list[int]]:
    """Positions in batches of similar length with so many tokens at most, in random order."""
    places, made = list(range(len(lengths))), []
    order.shuffle(places)
    for start in range(0, len(places), 4096):
        batch: list[int] = []
        for place in sorted(places[start : start + 4096], key=lambda place: lengths[place]):
            if batch and (len(batch) + 1) * lengths[place] > tokens:
                made.append(batch)
                batch = []
            batch.append(place)
        made.append(batch)
    order.shuffle(made)
    return made


def cost(model: MeaningModel, lesson: Lesson, batch: Sequence[int]):
    """Mean squared error of a batch, rivals included; and what rivals cost that are not far enough below (`MARGIN`)."""
    import torch

    rows = [row for row, place in enumerate(batch) if lesson.rivals[place]]
    disputed = [batch[row] for row in rows]
    inputs = [lesson.inputs[place] for place in batch] + [lesson.rivals[place] for place in disputed]
    given = forward(model, inputs)
    wanted = torch.tensor(np.concatenate([lesson.ratings[batch], lesson.below[disputed]]), device=given.device)
    loss = torch.nn.functional.mse_loss(given, wanted)
    return loss + torch.relu(MARGIN - (given[rows] - given[len(batch) :])).square().sum() / len(inputs)


def forward(model: MeaningModel, inputs: Sequence[PairInput]):
    """Ratings divided by 100 of some pairs, padded to the longest; in bfloat16 up to the head where that is fast."""
    import torch

    longest = max(len(one.ids) for one in inputs)

    def padded(name: str, fill: int):
        rows = np.array([[*getattr(one, name), *[fill] * (longest - len(one.ids))] for one in inputs])
        return torch.from_numpy(rows).to(model.loaded.device, non_blocking=True)

    sentence = padded("sentence", -1)
    batch = {"ids": padded("ids", 0), "types": padded("types", 0), "sentence": sentence}
    names = model_inputs(model.loaded.tokenizer, batch)
    lengths = torch.tensor([[len(one.ids)] for one in inputs], device=sentence.device)
    names["attention_mask"] = (torch.arange(longest, device=sentence.device) < lengths).long()
    with torch.autocast(sentence.device.type, dtype=torch.bfloat16, enabled=not slow_in_bfloat16()):
        hidden = model.loaded.model(**names).last_hidden_state
    return model.head(pool(hidden.float(), sentence))[:, 0]


def predicted(model: MeaningModel, inputs: Sequence[PairInput]) -> NDArray[np.float64]:
    """Ratings by the model from 0 to 100."""
    import torch

    values = np.zeros(len(inputs))
    with torch.inference_mode():
        for batch in batches([len(one.ids) for one in inputs], model.loaded.token_budget(), random.Random(0)):
            values[batch] = 100 * forward(model, [inputs[place] for place in batch]).cpu().numpy()
    return values


def agreement(model: MeaningModel, lesson: Lesson) -> dict[str, float]:
    """Squared error on held-out pairs; in each part Pearson's correlation, and the share of rivals below their pair."""
    given, wanted = predicted(model, lesson.inputs), 100 * lesson.ratings
    disputed = [place for place, rival in enumerate(lesson.rivals) if rival]
    under = given[disputed] > predicted(model, [lesson.rivals[place] for place in disputed])
    found = {"loss": float(np.mean((given - wanted) ** 2)) / 1e4}
    for part in PARTS:
        mine = np.array([pair.part == part for pair in lesson.pairs])
        if len(set(wanted[mine])) > 1:
            found[part] = float(np.corrcoef(given[mine], wanted[mine])[0, 1])
        if mine[disputed].any():
            found[f"{part}, rivals"] = float(under[mine[disputed]].mean())
    return {name: round(value, 4) for name, value in found.items()}


def part_and_number(text: str) -> tuple[str, float]:
    """What PART=NUMBER says."""
    part, number = text.split("=")
    return part, float(number)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python tools/meaning_changes.py", description=__doc__.split("\n")[0])
    parser.add_argument("command", choices=("data", "train", "teach", "marks"))
    parser.add_argument("out", type=Path)
    parser.add_argument("--wordnet", type=Path, help="folder of WordNet 3.0 in its own format")
    parser.add_argument("--corpus", type=Path, help="clean sentences, one a line, packed with xz")
    parser.add_argument("--seed", type=int, default=42)
    about = f"leave out parts ({', '.join(PARTS)}) or kinds of one"
    parser.add_argument("--without", nargs="+", default=[], metavar="PART", help=about)
    about = "draws of a part, in place of DRAWS"
    parser.add_argument("--draws", nargs="+", default=[], type=part_and_number, metavar="PART=NUMBER", help=about)
    about = "data: only parts with free licences, and edits of the corpus alone (for `same-meaning-unrestricted`)"
    parser.add_argument("--free", action="store_true", help=about)
    parser.add_argument("--sentences", type=int, default=24_000, help="sentences to edit")
    parser.add_argument("--epochs", type=int, default=1, help="how often the lesson is read at most")
    parser.add_argument("--minutes", type=float, help="the rate reaches zero after so long, however far it came")
    parser.add_argument("--name", default="model")
    parser.add_argument("--start", type=Path, help="checkpoint of another training whose weights this one begins with")
    parser.add_argument("--teacher", help="folder or name of the meaning model that teaches")
    parser.add_argument("--encoder", default="all-MiniLM-L6-v2")
    parser.add_argument("--rank", type=int, default=32)
    parser.add_argument("--rate", type=float, default=3e-4)
    parser.add_argument("--head-rate", type=float, default=1e-3)
    parser.add_argument("--tokens", type=int, default=1024)
    parser.add_argument("--cosine", type=float, default=0.2, help="share of the small encoder's cosine in a rating")
    parser.add_argument("--held-out", type=int, help="held-out pairs to look at, at random; by default all")
    parser.add_argument("--anchors", type=int, help="held-out sentences for the calibration; by default all")
    options = parser.parse_args()
    if options.free:
        options.without = [*options.without, *RESTRICTED]
    {"data": write, "train": train, "teach": teach, "marks": ship_marks}[options.command](options)


if __name__ == "__main__":
    main()
