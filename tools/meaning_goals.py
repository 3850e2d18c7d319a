"""Measure a meaning model on tests that nobody trained on: ``python tools/meaning_goals.py OUT.json --model MODEL``.

One row for each goal, with n, interval and what was aimed at; ties count one half, and items with a common source are
resampled together. Rows that OUT.json has already are kept, so that work can be shared out and goes on after a stop.
With ``--recorded`` nothing is rated: the rows come from the ratings in the evidence `board-scores`, where these are of
more items than the row has, and are marked as such.
"""

from __future__ import annotations

import argparse
import fnmatch
import functools
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from made_edits import MadeEdits, noisy
from meaning_changes import csmd_parts, overlap, written
from numpy.typing import NDArray

from nbhelpers import metrics
from nbhelpers.base.stats import (
    Estimate,
    bootstrap,
    paired_bootstrap,
    proportion,
    resampled,
    roc_auc_interval,
    shares,
    spearman_rows,
)
from nbhelpers.metrics import meaning_model
from nbhelpers.metrics.alignment import pieces
from nbhelpers.metrics.changes import differences
from nbhelpers.resources import challenge, data
from nbhelpers.resources.challenge import mark
from nbhelpers.resources.models import load_encoder
from nbhelpers.results import evidence
from nbhelpers.studies.meaningbert import sanity

Rows = Iterator[tuple[str, Estimate]]
"""Name of the goal, and what was reached."""

GOALS = {
    "Tried pairs: AUC": 0.90,
    "Own rewordings, test part: AUC": 0.85,
    "Own rewordings, test part: mean rating of the same in other words": 75,
    "identical pairs rated ≥ 95": 0.95,
    "unrelated pairs rated ≤ 5": 0.95,
    "graded edits: AUC": 0.85,
    "CSMD restored, grouped: Pearson": 0.637,  # the study has a mean of .657 over four such folds (notebook 10)
    "PAWS-Wiki test: AUC": 0.95,
    "SemAntoNeg: accuracy": 0.60,
    "ParaBank: Spearman": 0.662,  # the small encoder's cosine on the 758 pairs that were rated when the goal was set
    "*: above the cosine": 0,
    "MENLI, *: wins": 0.90,
    "SummEdits, *: AUC": 0.80,
    "SummEdits, document against summary: balanced accuracy": 70,
    "Damage inside a rewording, *: wins": 0.95,
    "Words, *: the costliest place is the damaged one": 0.80,
    "Words, *: the first place by cost and head together": 0.80,
    "Harmless noise: mean rating": 95,
}
"""What was aimed at, before it was measured; a star stands for any text."""


def wanted(goal: str) -> float | None:
    """What was aimed at; None for a row that only explains others."""
    return next((aim for pattern, aim in GOALS.items() if fnmatch.fnmatchcase(goal, pattern)), None)


def rate(metric: metrics.Metric, pairs) -> NDArray[np.float64]:
    """The metric's values of pairs."""
    return metric([pair.source for pair in pairs], [pair.candidate for pair in pairs])


def wins(pairs, values) -> Estimate:
    """Share of items whose candidate with label 1 gets the highest value; a tie of k counts 1/k; by source."""
    items, hits, counts = defaultdict(list), defaultdict(float), defaultdict(int)
    for pair, value in zip(pairs, values):
        items[pair.group, pair.item].append((value, pair.label))
    for (group, _), rated in items.items():
        top = [label for value, label in rated if value == max(rated)[0]]
        hits[group] += sum(label == 1 for label in top) / len(top)
        counts[group] += 1
    found = shares([[[hits[group], counts[group]]] for group in counts], resamples=1000)
    return replace(found.estimate(), n=len(items))


def by_kind(pairs) -> dict[str, list[int]]:
    """Positions of the pairs of each kind."""
    found = defaultdict(list)
    for place, pair in enumerate(pairs):
        found[pair.kind].append(place)
    return dict(sorted(found.items()))


def read(name: str, about: int) -> list[challenge.ChallengePair]:
    """Pairs of whole items of a challenge set, drawn at random, `about` so many in all; every pair for 0."""
    pairs = challenge.read(name).pairs
    items = list(dict.fromkeys((pair.group, pair.item) for pair in pairs))
    share = min(1.0, about / len(pairs)) if about else 1.0
    drawn = set(random.Random(0).sample(items, round(share * len(items))))
    return [pair for pair in pairs if (pair.group, pair.item) in drawn]


def agreement(pairs, *columns: NDArray[np.float64]) -> Estimate:
    """Spearman's correlation of values with people's ratings; of two columns, how much higher the first one's is."""
    people = np.array([pair.label for pair in pairs])

    def statistic(chosen: NDArray[np.intp]) -> float:
        found = [spearman_rows(values[chosen], people[chosen]) for values in columns]
        return float(found[0] - found[1] if len(found) > 1 else found[0])

    return resampled(statistic, [pair.group for pair in pairs], resamples=1000)


def of_paws_wiki(pairs, values: NDArray[np.float64]) -> Rows:
    """Paraphrases above pairs with words moved."""
    labels, groups = [pair.label for pair in pairs], [pair.group for pair in pairs]
    yield "PAWS-Wiki test: AUC", roc_auc_interval(labels, values, groups=groups, resamples=500)


def of_semantoneg(pairs, values: NDArray[np.float64]) -> Rows:
    """The best of three: chance is a third."""
    yield "SemAntoNeg: accuracy", wins(pairs, values)


def of_ratings(title: str, pairs, values: NDArray[np.float64], cosines: NDArray[np.float64]) -> Rows:
    """Agreement with people, beside that of the cosine."""
    yield f"{title}: Spearman of the small encoder's cosine", agreement(pairs, cosines)
    yield f"{title}: Spearman", agreement(pairs, values)
    yield f"{title}: above the cosine", agreement(pairs, values, cosines)


of_parabank = functools.partial(of_ratings, "ParaBank")
of_parade = functools.partial(of_ratings, "PARADE test, four grades")


def of_summedits(pairs, values: NDArray[np.float64]) -> Rows:
    """Faithful edits above the others, in each domain."""
    for kind, mine in by_kind(pairs).items():
        labels, groups = [pairs[place].label for place in mine], [pairs[place].group for place in mine]
        yield f"SummEdits, {kind}: AUC", roc_auc_interval(labels, values[mine], groups=groups, resamples=500)


def of_menli(pairs, values: NDArray[np.float64]) -> Rows:
    """A paraphrase above its damaged copy, for each kind of damage."""
    for kind, mine in by_kind(pairs).items():
        yield f"MENLI, {kind}: wins", wins([pairs[place] for place in mine], values[mine])


RECORDED = {
    "paws-wiki": ("PAWS-Wiki test: AUC", of_paws_wiki),
    "semantoneg": ("SemAntoNeg", of_semantoneg),
    "menli": ("MENLI, ", of_menli),
    "summedits": ("SummEdits, ", of_summedits),
    "parabank": ("ParaBank: ", of_parabank),
}
"""Tests of the board with the beginning of their rows; PARADE is not here, as its terms are resampled there."""


def recorded(model: str, sizes: Mapping[str, int]) -> Rows:
    """Rows from the ratings in the evidence `board-scores` where these are of more items than the known `sizes`."""
    board = evidence.load("board-scores")
    for name, (title, rows) in RECORDED.items():
        chosen = board[(board["test"] == name) & board[model].notna()]
        for kind, own in chosen.groupby("kind", observed=True):
            known = [size for goal, size in sizes.items() if goal.startswith(f"{title}{kind}")]
            if own.groupby(["group", "item"]).ngroups > max(known, default=0):
                pairs = [
                    challenge.ChallengePair("", "", float(one.label), str(kind), str(one.group), str(one.item))
                    for one in own.itertuples()
                ]
                columns = [model, *(["sentence-transformer"] if name == "parabank" else [])]
                yield from rows(pairs, *(own[column].to_numpy(float) for column in columns))


def damaged_inside(wordnet: Path, about: int) -> Iterator[tuple[str, list[challenge.ChallengePair]]]:
    """Good rewordings from sets that nobody trained on, each beside itself with a damage: items of two candidates."""
    edits = MadeEdits.load(wordnet)
    sets = {name: challenge.read(name).pairs for name in ("parabank", "apt", "parade")}
    good = {
        "ParaBank of 95 or more": [pair for pair in sets["parabank"] if pair.label >= 95],
        "APT": [pair for pair in sets["apt"] if pair.label == 1 and overlap(pair.source, pair.candidate) < 0.85],
        "PARADE": [pair for pair in sets["parade"] if pair.label == 3],
    }
    own = [pair for pair in written("test") if pair.rival]
    good["own rewordings"] = [challenge.ChallengePair(p.source, p.candidate, 1, group=p.source) for p in own]
    for name, pairs in good.items():
        rng = random.Random(0)
        pairs, items = rng.sample(pairs, min(len(pairs), about or len(pairs))), []
        for place, (pair, read) in enumerate(zip(pairs, edits.read([pair.candidate for pair in pairs]), strict=True)):
            if made := edits.damaged(read, rng):
                one = replace(pair, label=1.0, item=f"{name} {place}", kind=made[1])
                items += [one, replace(one, candidate=made[0], label=0.0)]
        yield name, items
    by_hand = []
    for place, pair in enumerate(own):
        one = challenge.ChallengePair(pair.source, pair.candidate, 1, pair.kind, pair.source, f"hand {place}")
        by_hand += [one, replace(one, candidate=pair.rival, label=0)]
    yield "own rewordings by hand", by_hand


def check_sanity(metric: metrics.Metric, items: int, about: int) -> Rows:
    """Identical and unrelated pairs, and graded edits, of sentences of the Lee news."""
    sentences = sanity.lee_sentences(300, seed=0)
    pairs = sanity.checks.news_pairs(sentences)
    for kind, limit in (("identical", 95), ("unrelated", 5)):
        own = pairs[pairs["kind"] == kind]
        values = metric(list(own["text"]), list(own["candidate"]))
        yield f"{kind} pairs rated {'≥' if limit == 95 else '≤'} {limit}", sanity.shares(values, kind)[limit]
    edits = sanity.graded_edits([one.text for one in sanity.lee_sentences(60, seed=1)], [1.0], seed=0)
    edited = sanity.edited_pairs(edits)
    values = metric(list(edited["text"]), list(edited["candidate"]))
    yield "graded edits: AUC", sanity.detection(edited.assign(value=values, source=edited["text"]), "value")


def check_csmd(metric: metrics.Metric, items: int, about: int) -> Rows:
    """People's ratings on CSMD's test part."""
    _, _, test = csmd_parts()
    values, people = rate(metric, test), np.array([pair.rating for pair in test])

    def pearson(chosen: NDArray[np.intp]) -> float:
        return float(np.corrcoef(values[chosen], people[chosen])[0, 1])

    found = resampled(pearson, [pair.source for pair in test], resamples=1000)
    yield "CSMD restored, grouped: Pearson", found


def check_paws(metric: metrics.Metric, items: int, about: int) -> Rows:
    """Word order, and how far the two orders of a pair are apart."""
    pairs = challenge.read("paws-wiki").pairs[: 4 * items]
    values = rate(metric, pairs)
    yield from of_paws_wiki(pairs, values)
    some = pairs[:500]
    back = metric([pair.candidate for pair in some], [pair.source for pair in some])
    yield "PAWS-Wiki test: mean difference of the two orders", bootstrap(np.abs(values[:500] - back))


def check_semantoneg(metric: metrics.Metric, items: int, about: int) -> Rows:
    """Negation and antonyms."""
    pairs = read("semantoneg", about)
    yield from of_semantoneg(pairs, rate(metric, pairs))


def check_parabank(metric: metrics.Metric, items: int, about: int) -> Rows:
    """People's ratings of paraphrases, for the metric and for the cosine of its encoder."""
    for name, of_set in (("parabank", of_parabank), ("parade", of_parade)):
        pairs = read(name, about)
        yield from of_set(pairs, rate(metric, pairs), rate(metrics.load("sentence-transformer"), pairs))


def check_rewordings(metric: metrics.Metric, items: int, about: int) -> Rows:
    """Free rewordings against changed ones, by authors none of whose sentences was trained on; the cosine beside it."""
    pairs = [pair for pair in written("test") if not pair.rival]
    labels = [float(pair.kind in ("same", "small")) for pair in pairs]
    groups = [place // 9 for place in range(len(pairs))]  # pairs of one item
    values = {"": rate(metric, pairs), " by the encoder's cosine": rate(metrics.load("sentence-transformer"), pairs)}
    for name, given in values.items():
        found = roc_auc_interval(labels, given, groups=groups, resamples=500)
        yield f"Own rewordings, test part: AUC{name}", found
    same = values[""][[pair.kind == "same" for pair in pairs]]
    yield "Own rewordings, test part: mean rating of the same in other words", bootstrap(same)
    own = [pair for pair in challenge.read("rated-pairs").pairs if pair.kind == "lexical paraphrase"]
    yield "Own rated pairs: mean rating of lexical paraphrases (authors: 87)", bootstrap(rate(metric, own))


def check_tried(metric: metrics.Metric, items: int, about: int) -> Rows:
    """36 free rewordings against 24 small changes."""
    pairs = challenge.read("tried-pairs").pairs
    labels = [pair.label for pair in pairs]
    for name, rater in (("", metric), (" by the small encoder's cosine", metrics.load("sentence-transformer"))):
        yield f"Tried pairs: AUC{name}", roc_auc_interval(labels, rate(rater, pairs))
    values = rate(metric, pairs)
    for label, what in ((1, "rewordings"), (0, "changes")):
        yield f"Tried pairs: mean rating of {what}", bootstrap(values[np.array(labels) == label])


def check_inside(metric: metrics.Metric, items: int, about: int, wordnet: Path | None = None) -> Rows:
    """Damage inside a rewording, made and by hand: does the undamaged one win?"""
    for name, pairs in damaged_inside(wordnet, about // 4):
        for title, rater in (("", metric), (" by the small encoder's cosine", metrics.load("sentence-transformer"))):
            yield f"Damage inside a rewording, {name}: wins{title}", wins(pairs, rate(rater, pairs))


def check_words(metric: metrics.Metric, items: int, about: int, wordnet: Path | None = None) -> Rows:
    """Is the costliest place the damaged one, in rewordings with several places that differ? One item a source."""
    for name, pairs in damaged_inside(wordnet, about // 8):
        first, hits, chance, longest, sizes = [], [], [], [], []
        for good, bad in zip(pairs[::2], pairs[1::2]):
            if len(differences(bad.source, bad.candidate)) < 2:
                continue
            spans = [one.candidate for one in differences(good.candidate, bad.candidate)]
            found = metric.changes(bad.source, bad.candidate)
            hit = [any(a <= d and c <= b for c, d in spans) for a, b in (one.candidate for one in found)]
            if len(hit) > 1 and any(hit) and not all(hit):
                first.append(hit[0])
                hits.append(hit[int(np.argmax([one.cost for one in found]))])
                chance.append(np.mean(hit))
                longest.append(hit[int(np.argmax([len(one.was) + len(one.became) for one in found]))])
                damaged = [len(one.became.split()) for one, is_damaged in zip(found, hit) if is_damaged]
                sizes.append(np.mean(damaged) / len(bad.candidate.split()))
        yield f"Words, {name}: the costliest place is the damaged one", proportion(hits)
        if metric.damaged is not None:
            yield f"Words, {name}: the first place by cost and head together", proportion(first)
            yield f"Words, {name}: cost and head above the longest place", paired_bootstrap(first, longest)
        yield f"Words, {name}: any place", bootstrap(np.array(chance))
        yield f"Words, {name}: the longest place", proportion(longest)
        counted = [True] * len(hits) + [False] * (len(pairs) // 2 - len(hits))
        yield f"Words, {name}: pairs with a damaged and an undamaged place", proportion(counted)
        yield f"Words, {name}: share of the candidate's words in the damaged place", bootstrap(np.array(sizes))


def check_documents(metric: metrics.Metric, items: int, about: int) -> Rows:
    """SummEdits' own protocol, a document against a summary; the threshold comes from the other half of the documents.

    Each sentence of a summary is rated against the sentences of the document that are nearest to it, one, two or three
    in a row; its best rating counts, and the lowest one of the summary's sentences.
    """
    folder = data.find("summedits", allow_shipped=False).path
    rows = [
        (path.stem, row) for path in sorted(folder.glob("summedits_*.json")) for row in json.loads(path.read_text())
    ]
    rows = random.Random(0).sample(rows, min(about or len(rows), len(rows)))
    values = np.array([faithfulness(metric, row["doc"], row["summary"]) for _, row in rows])
    labels, documents = np.array([row["label"] for _, row in rows]), [row["doc"] for _, row in rows]
    side = np.array([mark(text) % 2 for text in documents])
    given = np.zeros(len(rows), bool)
    for half in (0, 1):
        grid = np.unique(values[side != half])
        shares = [balanced(values[side != half] >= limit, labels[side != half]) for limit in grid]
        given[side == half] = values[side == half] >= grid[int(np.argmax(shares))]

    def statistic(chosen: NDArray[np.intp]) -> float:
        return 100 * balanced(given[chosen], labels[chosen])

    yield "SummEdits, document against summary: balanced accuracy", resampled(statistic, documents, resamples=1000)


def balanced(given: NDArray[np.bool_], labels: NDArray[np.intp]) -> float:
    """Mean share of right answers over the two labels."""
    return float(np.mean([(given[labels == label] == label).mean() for label in (0, 1) if (labels == label).any()]))


@functools.lru_cache(maxsize=4)
def _windows(document: str) -> tuple[list[str], NDArray]:
    sentences = pieces(document)
    runs = [" ".join(sentences[at : at + size]) for size in (1, 2, 3) for at in range(len(sentences) - size + 1)]
    return runs, load_encoder().encode(runs, truncate=True)


def faithfulness(metric: metrics.Metric, document: str, summary: str) -> float:
    """The lowest rating of a sentence of the summary, each by the best of the nearest places of the document."""
    (runs, vectors), sentences = _windows(document), pieces(summary)
    cosines = load_encoder().encode(sentences, truncate=True) @ vectors.T
    nearest = [(runs[place], text) for text, row in zip(sentences, cosines) for place in np.argsort(-row)[:4]]
    return float(np.reshape(metric(*map(list, zip(*nearest))), (len(sentences), -1)).max(1).min())


def check_noise(metric: metrics.Metric, items: int, about: int) -> Rows:
    """Other case, slips of the pen, punctuation: what should not matter, in sentences of news."""
    rng = random.Random(0)
    texts = [one.text for one in sanity.lee_sentences(min(about // 4 or 300, 300), seed=2)]
    yield "Harmless noise: mean rating", bootstrap(metric(texts, [noisy(text, rng) for text in texts]))


def check_summedits(metric: metrics.Metric, items: int, about: int) -> Rows:
    """Unfaithful edits of summaries in six domains."""
    pairs = read("summedits", about)
    yield from of_summedits(pairs, rate(metric, pairs))


def check_menli(metric: metrics.Metric, items: int, about: int) -> Rows:
    """A paraphrase against a damaged copy, nine kinds of damage."""
    pairs = challenge.read("menli").pairs
    pairs = [pairs[place] for mine in by_kind(pairs).values() for place in mine[: 2 * items]]
    yield from of_menli(pairs, rate(metric, pairs))


CHECKS = {name.removeprefix("check_"): check for name, check in globals().items() if name.startswith("check_")}


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--model", default=meaning_model.SAME_MEANING)
    parser.add_argument("--only", nargs="+", choices=CHECKS, default=list(CHECKS))
    about = "of each kind of MENLI, and four times as many pairs of PAWS: the first ones"
    parser.add_argument("--items", type=int, default=2000, help=about)
    about = "of SemAntoNeg, ParaBank, PARADE and SummEdits, at random; 0: all"
    parser.add_argument("--pairs", type=int, default=0, help=about)
    parser.add_argument("--wordnet", type=Path, help="folder of WordNet 3.0, for damage inside rewordings")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--recorded", action="store_true", help="rate nothing: rows of more items from board-scores")
    options = parser.parse_args()
    rows = json.loads(options.out.read_text(encoding="utf-8")) if options.out.exists() else []
    for row in rows:
        row["wanted"] = wanted(row["goal"])
    if options.recorded:
        for goal, found in recorded(options.model, {row["goal"]: row["n"] for row in rows}):
            put(rows, goal, found, evidence="board-scores")
        write(options.out, rows)
        return
    model = meaning_model.load_meaning_model(options.model, dtype=options.dtype)
    metric = metrics.load(meaning_model.SAME_MEANING, model=model, truncate=True)
    for name in options.only:
        extra = {"wordnet": options.wordnet} if name in ("inside", "words") else {}
        for goal, found in CHECKS[name](metric, options.items, options.pairs, **extra):
            put(rows, goal, found)
            write(options.out, rows)


def put(rows: list[dict], goal: str, found: Estimate, **more: str) -> None:
    """Put what was reached into the row of a goal; what earlier weights reached stays in it."""
    row = next((row for row in rows if row["goal"] == goal), None)
    if row is None:
        rows.append(row := {"goal": goal})
    row.pop("evidence", None)
    numbers = {key: round(float(getattr(found, key)), 4) for key in ("value", "low", "high")}
    row |= {"wanted": wanted(goal), **numbers, "n": int(found.n), **more}
    print(row, flush=True)


def write(path: Path, rows: list[dict]) -> None:
    """Write the rows."""
    path.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
