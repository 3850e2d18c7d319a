"""The evaluation framework of section 4: does a measure score the author's order above degraded ones?

From a collection come the Source collection, the Rn collections (n sentences of every document moved) and the R
collection (all sentences shuffled). A good measure scores them, on average, Source > R1 > R2 > … > R.

All measures see the same orders. A document's orders depend on the seed and on the document alone, so leaving out or
reordering documents changes no other document's score. The orders are drawn once and turned into the pairs of
sentences that they put side by side; every measure then scores each different pair once. Time is linear in the number
of sentences for a fixed number of orders.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nbhelpers.base import stats
from nbhelpers.base.errors import InputError
from nbhelpers.studies.ordering import orders
from nbhelpers.studies.ordering.measures import Analysed, Measure

MINIMUM_SENTENCES = 3
"""Shorter documents are left out: with two sentences every order has the same symmetric score, with one it has none."""

PAIRS_AT_ONCE = 4_000_000
"""Pairs of adjacent sentences, of all orders, that are held at a time."""

_CONDITION = re.compile(r"R([1-9]\d*)?|reversed")


@dataclass(frozen=True)
class Scores:
    """Scores of one measure on one collection.

    Attributes
    ----------
    source : float array (documents,)
        Score of the author's order (equation 2).
    altered : dict of str to float array (documents, repetitions)
        Scores of the degraded orders, by condition: ``"R1"``, ``"R2"``, …, ``"R"``, and ``"reversed"`` where asked for.
    signature : str
    """

    source: np.ndarray
    altered: dict[str, np.ndarray]
    signature: str


@dataclass(frozen=True)
class Experiment:
    """Scores of several measures on the same degraded orders of one collection.

    Attributes
    ----------
    documents : tuple of str
        Names of the documents that were scored.
    scores : dict of str to Scores
        By the measure's name.
    seed : int
    """

    documents: tuple[str, ...]
    scores: dict[str, Scores]
    seed: int

    def discrimination(self, measure: str, condition: str = "R") -> dict[str, stats.Estimate]:
        """Pairs of the author's order and a degraded one that the measure orders rightly (Barzilay and Lapata 2008).

        Returns
        -------
        dict
            ``accuracy``: mean of `wins`; whole documents are resampled. Chance is 0.5.
        """
        return {"accuracy": stats.bootstrap(self.wins(measure, condition))}

    def wins(self, measure: str, condition: str = "R") -> np.ndarray:
        """Share of the degraded orders that score lower, ties one half: float array (documents,)."""
        scores = self.scores[measure]
        difference = scores.source[:, None] - scores.altered[condition]
        return np.where(np.abs(difference) < 1e-12, 0.5, difference > 0).mean(axis=1)


def tables(found: Experiment, collection: str, *, resamples: int = 2000) -> dict[str, list[dict]]:
    """The experiment's results as rows for the ledger, by table.

    Parameters
    ----------
    found : Experiment
        With the conditions R1, R2, R and reversed.
    collection : str
        Its name; one that starts with "wikipedia" stands for the paper's Wikipedia in Table 1.
    resamples : int
        Bootstrap resamples of documents.

    Returns
    -------
    dict of str to list of dict
        ``discrimination``: the share of pairs in which the author's order wins, by measure, and of NounSim minus Sim;
        ``fall``: by how much the mean score falls, in per cent of the author's order; ``table1``: mean scores, and the
        falls as the paper prints them, from the source and divided by the column before (R2 by R1, R by R2);
        ``expected order``: the share of the steps Source > R1 > R2 > R that hold.
    """
    place = "Wikipedia" if collection.startswith("wikipedia") else collection
    result = {"discrimination": [], "fall": [], "table1": [], "expected order": []}
    shares, holds = {}, []
    for measure, scores in found.scores.items():
        signed = {"signature": scores.signature}
        for condition in ("R1", "R", "reversed"):
            wins = found.wins(measure, condition)
            shares[measure, condition] = wins
            row = {"row": f"{measure} {collection}", "column": condition, "value": stats.bootstrap(wins)}
            result["discrimination"].append(row | signed)
        means = {"Source": scores.source} | {c: scores.altered[c].mean(axis=1) for c in ("R1", "R2", "R")}
        holds += (np.diff([values.mean() for values in means.values()]) < 0).tolist()
        for before, condition in (("Source", "R1"), ("R1", "R2"), ("R2", "R")):
            if not means[before].mean():  # no sentence shares anything with its neighbours
                continue
            fall = relative_fall(means["Source"], means[condition], resamples)
            row = {"row": f"{measure} {collection}", "column": f"{condition}, % of the source"} | signed
            result["fall"].append(row | {"value": fall})
            printed = relative_fall(means["Source"], means[condition], resamples, divisor=means[before])
            row = {"row": f"{measure} {place}", "column": f"{condition}-score relative difference"} | signed
            result["table1"].append(row | {"value": printed})
        for condition, values in means.items():
            column = "Score" if condition == "Source" else f"{condition}-score"
            score = stats.bootstrap(values, resamples=resamples)
            result["table1"].append({"row": f"{measure} {place}", "column": column, "value": score} | signed)
    if {"Sim", "NounSim"} <= found.scores.keys():
        difference = stats.paired_permutation(shares["NounSim", "R"], shares["Sim", "R"])
        name = f"NounSim minus Sim {collection}"
        result["discrimination"].append({"row": name, "column": "R", "value": difference})
    note = "steps of Source > R1 > R2 > R over all measures"
    steps = {"row": collection, "column": "share of steps that hold", "value": float(np.mean(holds)), "n": len(holds)}
    result["expected order"].append(steps | {"note": note})
    return result


def relative_fall(
    before: np.ndarray, after: np.ndarray, resamples: int = 2000, *, divisor: np.ndarray | None = None
) -> stats.Estimate:
    """By how much the mean over documents falls, in per cent of the mean of `divisor` (by default of `before`).

    Documents are resampled. Table 1 divides by the column before, whatever the fall is counted from.
    """
    divisor = before if divisor is None else divisor

    def fall(rows: np.ndarray) -> float:
        first, second, base = rows.mean(axis=0)
        return 100.0 * (first - second) / abs(base) if base else math.nan

    return stats.bootstrap(np.column_stack([before, after, divisor]), fall, resamples=resamples)


def document_generator(seed: int, sentences: Sequence[str]) -> np.random.Generator:
    """Generator of a document's orders: from the experiment's seed and the document's sentences, not from its place."""
    digest = hashlib.sha256("\n".join(sentences).encode("utf-8", "surrogatepass")).digest()
    return np.random.default_rng([seed, *np.frombuffer(digest[:16], np.uint32).tolist()])


def degraded_orders(length: int, condition: str, repetitions: int, generator: np.random.Generator) -> np.ndarray:
    """Orders of one document under one condition, int array (repetitions, length).

    Where a document has fewer sentences than ``Rn`` moves, all of them are moved.
    """
    if condition == "R":
        return orders.shuffled(length, repetitions, generator)
    if condition == "reversed":
        return np.tile(np.arange(length)[::-1], (repetitions, 1))
    return orders.moved(length, min(int(condition[1:]), length), repetitions, generator)


def run(
    analysed: Analysed,
    measures: Sequence[Measure],
    *,
    conditions: Sequence[str] = ("R1", "R2", "R"),
    repetitions: int = 10,
    seed: int = 0,
) -> Experiment:
    """Score the author's orders and degraded ones with every measure.

    Parameters
    ----------
    analysed : Analysed
        The collection, read by the text engine.
    measures : sequence of Measure
        Made from `analysed`.
    conditions : sequence of str
        ``"R1"``, ``"R2"``, … (that many sentences moved, each to another place), ``"R"`` (shuffled), ``"reversed"``.
    repetitions : int
        Degraded orders per document and condition.

    Raises
    ------
    InputError
        If a measure belongs to another collection, two measures share a name, a condition is unknown, nothing is to be
        scored, or no document is long enough.

    Examples
    --------
    >>> from nbhelpers.studies import ordering
    >>> text = ordering.analyse(ordering.from_texts({"a": ["A cat slept.", "The cat woke.", "Snow fell."]}))
    >>> experiment = run(text, [ordering.similarity(text)])
    >>> experiment.scores["Sim"].source.round(2).tolist()
    [0.25]
    """
    if unknown := [condition for condition in conditions if not _CONDITION.fullmatch(condition)]:
        raise InputError(f"a condition is R1, R2, … (sentences moved), R (shuffled) or reversed, not {unknown[0]!r}")
    if repetitions < 1 or not conditions or not measures:
        raise InputError("an experiment has at least one measure, one condition and one repetition")
    if len({measure.name for measure in measures}) < len(measures):
        raise InputError("two measures have the same name")
    if any(not np.array_equal(measure.starts, analysed.starts) for measure in measures):
        raise InputError("a measure was made from another collection")
    lengths = analysed.lengths
    kept = np.flatnonzero(lengths >= MINIMUM_SENTENCES)
    if not len(kept):
        raise InputError(f"no document of {analysed.name!r} has {MINIMUM_SENTENCES} sentences")
    count = repetitions * len(conditions)
    means = {measure.name: [] for measure in measures}  # arrays (documents, orders), batch by batch
    batch_number = np.cumsum(lengths[kept]) * count // PAIRS_AT_ONCE
    for batch in np.split(kept, np.flatnonzero(np.diff(batch_number)) + 1):
        drawn = []
        for document in batch:
            generator = document_generator(seed, analysed.document(document))
            rows = [degraded_orders(int(lengths[document]), c, repetitions, generator) for c in conditions]
            drawn.append(analysed.starts[document] + np.concatenate(rows))
        first = np.concatenate([rows[:, :-1].ravel() for rows in drawn])
        second = np.concatenate([rows[:, 1:].ravel() for rows in drawn])
        keys, back = np.unique(first * analysed.starts[-1] + second, return_inverse=True)
        steps = lengths[batch] - 1
        order_starts = np.concatenate([[0], np.cumsum(np.repeat(steps, count))[:-1]])
        for measure in measures:
            values = measure.pairs(keys // analysed.starts[-1], keys % analysed.starts[-1])[back]
            sums = np.add.reduceat(values, order_starts).reshape(len(batch), count)
            means[measure.name].append(sums / steps[:, None])
    scores = {}
    for measure in measures:
        by_condition = np.split(np.concatenate(means[measure.name]), len(conditions), axis=1)
        altered = dict(zip(conditions, by_condition))
        scores[measure.name] = Scores(measure.source_scores()[kept], altered, measure.signature)
    return Experiment(tuple(analysed.names[i] for i in kept), scores, seed)


# -------------------------------------------------------------------- fitting an order to a measure


@dataclass(frozen=True)
class Reordered:
    """What the best order for a measure looks like, document by document.

    Attributes
    ----------
    documents : tuple of str
    source, best, shuffled : float arrays (documents,)
        Scores of the author's order, of the order found, and of the shuffled order from which the search started.
    tau : float array (documents,)
        Kendall's τ between the order found and the author's. A symmetric measure cannot tell an order from its
        reversal: the value is then that of the better of the two.
    shuffled_tau : float array (documents,)
        The same for the shuffled order, the baseline: with the better of two directions, chance is not 0.
    """

    documents: tuple[str, ...]
    source: np.ndarray
    best: np.ndarray
    shuffled: np.ndarray
    tau: np.ndarray
    shuffled_tau: np.ndarray


def reorder(
    analysed: Analysed, measure: Measure, *, longest: int = 60, limit: int | None = None, seed: int = 0
) -> Reordered:
    """Shuffle each document and look for the order that the measure scores highest.

    This is the weakness that section 5 names: an order can be fitted to the measure, and then scores above the
    author's without being the author's.

    Parameters
    ----------
    longest : int
        Longer documents are left out (the search takes time that grows as the cube of the number of sentences).
    limit : int, optional
        Take only the first that many documents.

    Raises
    ------
    InputError
        If no document is short enough.

    Examples
    --------
    >>> from nbhelpers.studies import ordering
    >>> text = ordering.analyse(ordering.from_texts({"a": ["A cat slept.", "Snow fell.", "The cat woke."]}))
    >>> found = reorder(text, ordering.similarity(text))
    >>> (found.source.round(2).tolist(), found.best.round(2).tolist())
    ([0.0], [0.25])
    """
    lengths = analysed.lengths
    kept = np.flatnonzero((lengths >= MINIMUM_SENTENCES) & (lengths <= longest))[:limit]
    if not len(kept):
        raise InputError(f"no document of {analysed.name!r} has {MINIMUM_SENTENCES} to {longest} sentences")

    def tau(order: np.ndarray) -> float:
        value = orders.kendall_tau(order)
        return abs(value) if measure.is_symmetric else value

    rows = []
    for document in kept:
        generator = document_generator(seed, analysed.document(document))
        start = orders.shuffled(int(lengths[document]), 1, generator)[0]
        similarity = measure.matrix(document)
        found = orders.best_order(similarity[np.ix_(start, start)], seed=seed)  # sees the shuffled text only
        order = start[found.order]
        scores = orders.order_score(similarity), found.score, orders.order_score(similarity, start)
        rows.append((*scores, tau(order), tau(start)))
    return Reordered(tuple(analysed.names[i] for i in kept), *np.array(rows).T)
