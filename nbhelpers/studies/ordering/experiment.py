"""The evaluation framework of section 4: does a measure score the author's order above degraded ones?

From a collection come the Source collection, the Rn collections (n sentences of every document moved) and the R
collection (all sentences shuffled). A good measure scores them, on average, Source > R1 > R2 > … > R.

All measures see the same orders. A document's orders depend on the seed and on the document alone, so leaving out or
reordering documents changes no other document's score. Per document the orders are drawn once and turned into pairs of
adjacent sentences once; every measure then reads its values for them from the document's matrix of similarities, or,
where the document is long, computes only the pairs that occur. Time is linear in the number of sentences for a fixed
number of orders.
"""

from __future__ import annotations

import hashlib
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

LARGEST_MATRIX = 512
"""Sentences: longer documents are never given a matrix of all pairs."""

NUMBERS_AT_ONCE = 8_000_000
"""Similarities and pairs held at a time (64 MB in float64)."""


@dataclass(frozen=True)
class Scores:
    """Scores of one measure on one collection.

    Attributes
    ----------
    measure : str
    source : float array (documents,)
        Score of the author's order (equation 2).
    altered : dict of str to float array (documents, repetitions)
        Scores of the degraded orders, by condition: ``"R1"``, ``"R2"``, …, ``"R"``, and ``"reversed"`` where asked for.
    expected : float array (documents,)
        Exact mean score over all orders of each document: what ``altered["R"]`` estimates.
    range : (float, float)
    signature : str
    """

    measure: str
    source: np.ndarray
    altered: dict[str, np.ndarray]
    expected: np.ndarray
    range: tuple[float, float]
    signature: str


@dataclass(frozen=True)
class Experiment:
    """Scores of several measures on the same degraded orders of one collection.

    Attributes
    ----------
    collection : str
    documents : tuple of str
        Names of the documents that were scored.
    lengths : int array (documents,)
        Their numbers of sentences.
    too_short : int
        Documents left out because they have fewer than `minimum_sentences`.
    scores : dict of str to Scores
        By the measure's name.
    conditions : tuple of str
    repetitions : int
    seed : int
    """

    collection: str
    documents: tuple[str, ...]
    lengths: np.ndarray
    too_short: int
    scores: dict[str, Scores]
    conditions: tuple[str, ...]
    repetitions: int
    seed: int

    def summary(self, *, resamples: int = 2000):
        """One row per measure and condition.

        Returns
        -------
        pandas.DataFrame
            ``measure``, ``condition``, ``n`` (documents), ``score`` (mean over documents and repetitions), ``drop`` (in
            per cent of the source score) with ``drop_low`` and ``drop_high`` (95 %, documents resampled),
            ``t_test_p`` (Student's two-sample t-test, as the paper's, on one altered order per document),
            ``difference`` (source minus altered) with ``low``, ``high`` and ``paired_p`` (paired permutation test on
            the documents' means). The row ``Source`` has the score alone, the row ``R expected`` the exact mean over
            all orders.
        """
        import pandas

        rows = []
        for name, scores in self.scores.items():
            source = scores.source.mean()
            rows.append({"measure": name, "condition": "Source", "n": len(scores.source), "score": source})
            for condition, altered in scores.altered.items():
                rows.append(_compare(name, condition, scores.source, altered, resamples))
            expected = scores.expected.mean()
            rows.append(
                {
                    "measure": name,
                    "condition": "R expected",
                    "n": len(scores.source),
                    "score": expected,
                    "drop": relative_drop(source, expected),
                }
            )
        return pandas.DataFrame(rows)

    def expected_order(self, measure: str, *, resamples: int = 2000) -> list[dict]:
        """Each step of Source > R1 > R2 > … > R, tested.

        Returns
        -------
        list of dict
            ``higher``, ``lower`` (the two conditions), ``difference`` (a `stats.Estimate` with the p-value of the
            paired permutation test) and ``holds`` (the mean falls).
        """
        scores = self._of(measure)
        steps = [("Source", scores.source)]
        steps += [(c, scores.altered[c].mean(axis=1)) for c in degradations(self.conditions)]
        result = []
        for (higher, a), (lower, b) in zip(steps, steps[1:], strict=False):
            estimate = stats.paired_permutation(a, b, resamples=resamples, seed=self.seed)
            result.append(
                {"higher": higher, "lower": lower, "difference": estimate, "holds": bool(a.mean() > b.mean())}
            )
        return result

    def discrimination(self, measure: str, condition: str = "R") -> dict:
        """Pairs of the author's order and a degraded one that the measure orders rightly (Barzilay and Lapata 2008).

        Returns
        -------
        dict
            ``accuracy`` (a `stats.Estimate`; a tie counts half; whole documents are resampled) and ``ties`` (share of
            pairs with equal scores). Chance is 0.5.
        """
        scores = self._of(measure)
        if condition not in scores.altered:
            raise InputError(f"no condition {condition!r}: {', '.join(scores.altered)}")
        difference = scores.source[:, None] - scores.altered[condition]
        tie = np.abs(difference) < 1e-12
        right = np.where(tie, 0.5, difference > 0).mean(axis=1)
        return {"accuracy": stats.bootstrap(right), "ties": float(tie.mean())}

    def _of(self, measure: str) -> Scores:
        if measure not in self.scores:
            raise InputError(f"no measure {measure!r}: {', '.join(self.scores)}")
        return self.scores[measure]


def relative_drop(source: float, altered: float) -> float:
    """How much lower the altered score is, in per cent of the source score (Table 1); NaN for a source score of 0."""
    return 100.0 * (source - altered) / abs(source) if source else float("nan")


def _compare(name: str, condition: str, source: np.ndarray, altered: np.ndarray, resamples: int) -> dict:
    from scipy.stats import ttest_ind

    means = altered.mean(axis=1)
    row = {
        "measure": name,
        "condition": condition,
        "n": len(source),
        "score": means.mean(),
        "drop": relative_drop(source.mean(), means.mean()),
    }
    if len(source) < 2:
        return row
    row["t_test_p"] = float(ttest_ind(source, altered[:, 0]).pvalue)
    if source.mean():
        # The ratio of two means over the same resampled documents.
        generator = np.random.default_rng(0)
        drops = np.empty(resamples)
        for number in range(resamples):
            chosen = generator.integers(0, len(source), len(source))
            drops[number] = relative_drop(source[chosen].mean() or np.nan, means[chosen].mean())
        row["drop_low"], row["drop_high"] = np.nanquantile(drops, [0.025, 0.975])
    estimate = stats.paired_permutation(source, means, resamples=resamples)
    row.update(difference=estimate.value, low=estimate.low, high=estimate.high, paired_p=estimate.p_value)
    return row


_CONDITION = re.compile(r"R([1-9]\d*)")


def degradations(conditions: Sequence[str]) -> list[str]:
    """The conditions R1, R2, …, R in order of expected degradation; ``"reversed"`` is none of them.

    Raises
    ------
    InputError
        If a condition is none of ``R1``, ``R2``, …, ``R``, ``reversed``.
    """
    found = []
    for condition in conditions:
        match = _CONDITION.fullmatch(condition)
        if condition not in ("R", "reversed") and not match:
            raise InputError(f"a condition is R1, R2, … (sentences moved), R (shuffled) or reversed, not {condition!r}")
        if condition != "reversed":
            found.append((int(match.group(1)) if match else np.inf, condition))
    return [condition for _, condition in sorted(found)]


def document_seed(seed: int, sentences: Sequence[str]) -> np.random.SeedSequence:
    """Seed of a document's orders: from the experiment's seed and the document's sentences, not from its place."""
    digest = hashlib.sha256("\n".join(sentences).encode("utf-8", "surrogatepass")).digest()
    return np.random.SeedSequence([seed, *np.frombuffer(digest[:16], np.uint32).tolist()])


def degraded_orders(length: int, condition: str, repetitions: int, generator: np.random.Generator) -> np.ndarray:
    """Orders of one document under one condition, int array (repetitions, length).

    Where a document has fewer sentences than ``Rn`` moves, all of them are moved.
    """
    if condition == "R":
        return orders.shuffled(length, repetitions, generator)
    if condition == "reversed":
        return np.tile(np.arange(length)[::-1], (repetitions, 1))
    match = _CONDITION.fullmatch(condition)
    if not match:
        degradations([condition])  # raises
    return orders.moved(length, min(int(match.group(1)), length), repetitions, generator)


def run(
    analysed: Analysed,
    measures: Sequence[Measure],
    *,
    conditions: Sequence[str] = ("R1", "R2", "R"),
    repetitions: int = 10,
    seed: int = 0,
    minimum_sentences: int = MINIMUM_SENTENCES,
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
    minimum_sentences : int
        At least 3; shorter documents are left out and counted.

    Returns
    -------
    Experiment

    Raises
    ------
    InputError
        If a measure belongs to another collection, two measures share a name, a parameter is out of range, or no
        document is long enough.
    """
    if repetitions < 1:
        raise InputError(f"an experiment has at least one repetition, not {repetitions}")
    if minimum_sentences < MINIMUM_SENTENCES:
        raise InputError(f"minimum_sentences is at least {MINIMUM_SENTENCES}, not {minimum_sentences}")
    if len({measure.name for measure in measures}) < len(measures) or not measures:
        raise InputError("an experiment takes one or more measures with different names")
    if any(not np.array_equal(measure.starts, analysed.starts) for measure in measures):
        raise InputError("a measure was made from another collection")
    conditions = tuple(conditions)
    degradations(conditions)
    lengths = analysed.lengths
    kept = np.flatnonzero(lengths >= minimum_sentences)
    if not len(kept):
        raise InputError(f"no document of {analysed.name!r} has {minimum_sentences} sentences")
    altered = {
        measure.name: {condition: np.empty((len(kept), repetitions)) for condition in conditions}
        for measure in measures
    }
    for batch in _batches(lengths[kept], repetitions * len(conditions)):
        _score_batch(analysed, measures, kept[batch], batch, conditions, repetitions, seed, altered)
    scores = {
        measure.name: Scores(
            measure.name,
            measure.source_scores()[kept],
            altered[measure.name],
            measure.expected_scores()[kept],
            measure.range,
            measure.signature,
        )
        for measure in measures
    }
    return Experiment(
        analysed.name,
        tuple(analysed.names[i] for i in kept),
        lengths[kept],
        int(len(lengths) - len(kept)),
        scores,
        conditions,
        repetitions,
        seed,
    )


def _uses_matrix(length: int, order_count: int) -> bool:
    """Whether the matrix of all pairs is cheaper than the rows of the pairs that occur."""
    return length <= LARGEST_MATRIX and length <= 8 * order_count


def _batches(lengths: np.ndarray, order_count: int) -> list[np.ndarray]:
    """Numbers of documents that are scored together: as many as the memory allows, at least one."""
    need = np.array([n * n * _uses_matrix(n, order_count) + n * order_count for n in lengths.tolist()])
    group = np.cumsum(need) // NUMBERS_AT_ONCE
    return np.split(np.arange(len(lengths)), np.flatnonzero(np.diff(group)) + 1)


def _score_batch(analysed, measures, documents, places, conditions, repetitions, seed, altered) -> None:
    count = repetitions * len(conditions)
    lengths = analysed.lengths[documents]
    all_orders = []
    for document, length in zip(documents, lengths, strict=True):
        generator = np.random.default_rng(document_seed(seed, analysed.document(document)))
        all_orders.append(np.concatenate([degraded_orders(int(length), c, repetitions, generator) for c in conditions]))
    short = np.array([_uses_matrix(int(length), count) for length in lengths])
    for group, value_of in ((np.flatnonzero(short), _from_matrices), (np.flatnonzero(~short), _from_pairs)):
        if not len(group):
            continue
        chosen = [all_orders[g] for g in group]
        steps = lengths[group] - 1
        for name, values in value_of(measures, documents[group], chosen):
            # Sums of neighbouring similarities, order by order: (documents, orders).
            bounds = np.concatenate([[0], np.cumsum(np.repeat(steps, count))[:-1]])
            sums = np.add.reduceat(values, bounds).reshape(len(group), count)
            means = (sums / steps[:, None]).reshape(len(group), len(conditions), repetitions)
            for number, condition in enumerate(conditions):
                altered[name][condition][places[group]] = means[:, number]


def _from_matrices(measures, documents, chosen):
    """Values of all adjacent pairs of all orders, read from the documents' matrices."""
    index, place = [], 0
    for order in chosen:
        n = order.shape[1]
        index.append((place + order[:, :-1] * n + order[:, 1:]).ravel())
        place += n * n
    index = np.concatenate(index)
    for measure in measures:
        flat, _ = measure.flat_matrices(documents)
        yield measure.name, flat[index]


def _from_pairs(measures, documents, chosen):
    """Values of all adjacent pairs of all orders, each different pair computed once."""
    total = measures[0].starts[-1]
    starts = measures[0].starts[documents]
    first = np.concatenate([(start + order[:, :-1]).ravel() for start, order in zip(starts, chosen, strict=True)])
    second = np.concatenate([(start + order[:, 1:]).ravel() for start, order in zip(starts, chosen, strict=True)])
    keys, back = np.unique(first.astype(np.int64) * total + second, return_inverse=True)
    for measure in measures:
        yield measure.name, measure.pairs(keys // total, keys % total)[back]


# -------------------------------------------------------------------- fitting an order to a measure


@dataclass(frozen=True)
class Reordered:
    """What the best order for a measure looks like, document by document.

    Attributes
    ----------
    documents : tuple of str
    source, best, shuffled : float arrays (documents,)
        Scores of the author's order, of the order found, and of the shuffled order from which the search started.
    tau, perfect, subsequence : float arrays (documents,)
        Kendall's τ, perfect match (0 or 1) and longest common subsequence between the order found and the author's.
        A symmetric measure cannot tell an order from its reversal: the value is then that of the better of the two.
    shuffled_tau, shuffled_subsequence : float arrays (documents,)
        The same for the shuffled order, the baseline: with the better of two directions, chance is not 0.
    is_exact : bool array (documents,)
    """

    documents: tuple[str, ...]
    source: np.ndarray
    best: np.ndarray
    shuffled: np.ndarray
    tau: np.ndarray
    perfect: np.ndarray
    subsequence: np.ndarray
    shuffled_tau: np.ndarray
    shuffled_subsequence: np.ndarray
    is_exact: np.ndarray


def reorder(
    analysed: Analysed,
    measure: Measure,
    *,
    longest: int = 60,
    limit: int | None = None,
    exact_up_to: int = orders.EXACT_UP_TO,
    starts: int = 10,
    seed: int = 0,
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
    """
    lengths = analysed.lengths
    kept = np.flatnonzero((lengths >= MINIMUM_SENTENCES) & (lengths <= longest))[:limit]
    if not len(kept):
        raise InputError(f"no document of {analysed.name!r} has {MINIMUM_SENTENCES} to {longest} sentences")
    rows = []
    for document in kept:
        generator = np.random.default_rng(document_seed(seed, analysed.document(document)))
        start = orders.shuffled(int(lengths[document]), 1, generator)[0]
        similarity = measure.matrix(document)
        # The search sees the shuffled text only.
        found = orders.best_order(similarity[np.ix_(start, start)], exact_up_to=exact_up_to, starts=starts, seed=seed)
        order = start[found.order]

        def best_of(agreement, order, both_ways=measure.is_symmetric):
            return float(max(agreement(order), agreement(order[::-1])) if both_ways else agreement(order))

        rows.append(
            (
                orders.order_score(similarity),
                found.score,
                orders.order_score(similarity, start),
                best_of(orders.kendall_tau, order),
                best_of(orders.perfect_match, order),
                best_of(orders.longest_common_subsequence, order),
                best_of(orders.kendall_tau, start),
                best_of(orders.longest_common_subsequence, start),
                found.is_exact,
            )
        )
    return Reordered(tuple(analysed.names[i] for i in kept), *map(np.array, zip(*rows, strict=True)))
