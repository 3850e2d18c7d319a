"""Measure a meaning model on tests that nobody trained on: ``python tools/meaning_goals.py MODEL OUT.json``.

One row for each goal, with n, interval and what was aimed at; ties count one half, and items with a common source are
resampled together.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from nbhelpers import metrics
from nbhelpers.base.stats import Estimate, bootstrap, correlation, roc_auc_interval
from nbhelpers.metrics import meaning_model
from nbhelpers.resources import challenge
from nbhelpers.resources.csmd import read_csmd
from nbhelpers.studies.meaningbert import experiment, sanity


def wins(pairs, values) -> Estimate:
    """Share of items whose candidate with label 1 gets the highest value; a tie of k counts 1/k; by source."""
    items: dict[str, list[int]] = {}
    for place, pair in enumerate(pairs):
        items.setdefault(pair.item, []).append(place)
    by_group: dict[str, list[float]] = {}
    for places in items.values():
        best = max(values[p] for p in places)
        top = [p for p in places if values[p] == best]
        right = any(pairs[p].label == 1 for p in top) / len(top)
        by_group.setdefault(pairs[places[0]].group, []).append(right)
    groups = [(sum(some), len(some)) for some in by_group.values()]
    hits, counts = (np.array(column, dtype=float) for column in zip(*groups))
    found = bootstrap(
        np.arange(len(groups)), lambda chosen: hits[chosen.astype(int)].sum() / counts[chosen.astype(int)].sum()
    )
    return Estimate(found.value, found.low, found.high, len(items))


def rate(model, pairs) -> np.ndarray:
    """Ratings of pairs; what is too long for the model is cut."""
    return metrics.load("meaningbert", model=model, truncate=True)(
        [p.source for p in pairs], [p.candidate for p in pairs]
    )


def measure(name: str, dtype: str = "float32"):
    """Goal, wanted, estimate: one row after the other."""
    model = meaning_model.load_meaning_model(name, dtype=dtype)
    sentences = sanity.lee_sentences(300, seed=0)
    for kind, some in (
        ("identical", sanity.identical_pairs(sentences)),
        ("unrelated", sanity.unrelated_pairs(sentences)),
    ):
        limit = {"identical": 95, "unrelated": 5}[kind]
        yield (
            f"{kind} pairs at {limit}",
            0.95,
            sanity.shares(model.rate([p.source for p in some], [p.candidate for p in some]), kind)[limit],
        )
    edits = sanity.graded_edits([one.text for one in sanity.lee_sentences(60, seed=1)], [1.0], seed=0)
    rated = sanity.rate_all_edits([metrics.load("meaningbert", model=model, truncate=True)], edits)
    (given,) = rated.values()
    yield "graded edits, AUC", 0.85, sanity.detection(given)
    csmd = experiment.labelled(read_csmd(), "restored", experiment.all_source_ratings())
    _, _, test = experiment.split_of(csmd, "grouped", 42).parts(csmd)
    yield "CSMD restored, grouped: Pearson", None, correlation(rate(model, test), [p.rating for p in test], "pearson")
    paws = challenge.read("paws-wiki").pairs
    yield "PAWS-Wiki test, AUC", 0.85, roc_auc_interval([p.label for p in paws], rate(model, paws), resamples=500)
    anto = challenge.read("semantoneg").pairs
    yield "SemAntoNeg, accuracy", 0.60, wins(anto, rate(model, anto))
    bank = challenge.read("parabank").pairs
    people = [p.label for p in bank]
    cosine = metrics.load("sentence-transformer")([p.source for p in bank], [p.candidate for p in bank])
    yield "ParaBank, Spearman of the encoder's cosine", None, correlation(cosine, people)
    yield "ParaBank, Spearman", float(correlation(cosine, people).value), correlation(rate(model, bank), people)
    edited = challenge.read("summedits").pairs
    values = rate(model, edited)
    for kind in sorted({p.kind for p in edited}):
        mine = [i for i, p in enumerate(edited) if p.kind == kind]
        yield (
            f"SummEdits, {kind}: AUC",
            0.70,
            roc_auc_interval(
                [edited[i].label for i in mine], values[mine], groups=[edited[i].group for i in mine], resamples=500
            ),
        )
    menli = challenge.read("menli").pairs
    values = rate(model, menli)
    for kind in sorted({p.kind for p in menli}):
        mine = [i for i, p in enumerate(menli) if p.kind == kind]
        yield f"MENLI, {kind}: wins", 0.90, wins([menli[i] for i in mine], values[mine])


def main(name: str, out: str, dtype: str = "float32") -> None:
    """Print every row as it comes, and write all of them."""
    rows = []
    for goal, wanted, found in measure(name, dtype):
        rows.append(
            {
                "goal": goal,
                "wanted": wanted,
                "value": round(found.value, 4),
                "low": round(found.low, 4),
                "high": round(found.high, 4),
                "n": found.n,
            }
        )
        print(rows[-1], flush=True)
        Path(out).write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
