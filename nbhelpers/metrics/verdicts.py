"""Kept, changed or unsure: a verdict on a pair of texts, with an error that is stated.

Two thresholds of the rating decide. They come from labelled pairs that nobody trained on, by *learn then test*
(Angelopoulos, Bates, Candès, Jordan and Lei 2021, arXiv:2110.01052): from the strictest threshold down, each is taken
while an exact binomial test still says that at most 5 % of changed pairs pass as kept (and, for the other threshold,
that at most 5 % of kept pairs are called changed). Between the two the verdict is *unsure*. The promise holds for pairs
like those of the calibration; `calibrate` gives thresholds for your own. Whatever the rating, a number in figures in
place of another one is never *kept*, nor is a change that the metric cannot read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbhelpers.base.errors import InputError, RowError
from nbhelpers.metrics.alignment import align, pieces
from nbhelpers.metrics.changes import Change
from nbhelpers.metrics.metric import Metric, check_pairs
from nbhelpers.metrics.registry import load

KEPT, CHANGED, UNSURE = "kept", "changed", "unsure"

RISK = 0.05
"""Share of changed pairs that may pass as kept, and of kept ones that may be called changed."""

CONFIDENCE = 0.975
"""How sure that is: the upper end of a two-sided 95 % interval lies at or below the risk."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")

_PAIRS_AT_ONCE = 256
"""Pairs whose changed places are rated together."""


@dataclass(frozen=True)
class Thresholds:
    """Ratings that decide: at or above `kept` the meaning is kept, at or below `changed` it is changed.

    Attributes
    ----------
    kept, changed : float
    risk : float
    found : str
        The data they come from.
    """

    kept: float
    changed: float
    risk: float = RISK
    found: str = ""

    def verdict(self, rating: float) -> str:
        """``kept``, ``changed`` or ``unsure``.

        Examples
        --------
        >>> Thresholds(90, 60).verdict(75)
        'unsure'
        """
        return KEPT if rating >= self.kept else CHANGED if rating <= self.changed else UNSURE


@dataclass(frozen=True)
class Part:
    """Sentences of a long text that belong together; one of the texts is empty where a sentence is missing or added.

    The rating of the same words is 100, and 0 beside nothing. Sentences that are still too long for the metric are
    rated in halves, and have the lowest rating of these.
    """

    source: str
    candidate: str
    rating: float
    verdict: str


@dataclass(frozen=True)
class Verdict:
    """What became of the meaning.

    Attributes
    ----------
    rating : float
        From 0 to 100; of a long text the lowest of its parts, 0 for a sentence that is missing or added.
    verdict : str
        ``kept``, ``changed`` or ``unsure``.
    changes : tuple of Change
        The places where the texts differ, the most harmful first; none for a long text, whose parts are named instead.
    kind : str
        Likely kind of change: that of the first place; empty where the meaning is kept.
    parts : tuple of Part
        Of a long text; empty for a pair that the metric takes whole.
    mean, mean_source, mean_candidate : float
        Mean rating over the sentences of both texts, of the source (what is missing lowers it) and of the candidate
        (what was added lowers it); the rating itself for a pair that was taken whole.
    """

    rating: float
    verdict: str
    changes: tuple[Change, ...] = ()
    kind: str = ""
    parts: tuple[Part, ...] = ()
    mean: float = 0.0
    mean_source: float = 0.0
    mean_candidate: float = 0.0


def check(
    source: str, candidate: str, *, metric: str | Metric = "same-meaning", thresholds: Thresholds | None = None
) -> Verdict:
    """Is the meaning of a text kept in another one?

    Parameters
    ----------
    source, candidate : str
        A pair that the metric cannot take whole is divided into sentences.
    metric : str or Metric
        ``same-meaning``, ``same-meaning-base``, or any metric with a rating from 0 to 100.
    thresholds : Thresholds, optional
        By default those that are stored with the metric's weights; `calibrate` finds others.

    Raises
    ------
    InputError
        An empty text, one that the metric cannot read, or a metric without thresholds or a rating from 0 to 100.

    Examples
    --------
    >>> found = check("The road is safe.", "The road is not safe.")  # doctest: +SKIP
    >>> found.verdict, found.kind  # doctest: +SKIP
    ('changed', 'negation')
    """
    return check_all([source], [candidate], metric=metric, thresholds=thresholds)[0]


def check_all(
    sources: Sequence[str],
    candidates: Sequence[str],
    *,
    metric: str | Metric = "same-meaning",
    thresholds: Thresholds | None = None,
    words: bool = True,
) -> list[Verdict]:
    """`check` for many pairs, rated together; without `words` the changed places are not looked for.

    Examples
    --------
    >>> [one.verdict for one in check_all(["It rained."], ["It rained."])]  # doctest: +SKIP
    ['kept']
    """
    metric, thresholds = _ready(metric, thresholds)
    sources, candidates, _ = check_pairs(sources, candidates)
    verdicts: list[Verdict] = []
    for start in range(0, len(sources), _PAIRS_AT_ONCE):
        part = slice(start, start + _PAIRS_AT_ONCE)
        try:
            verdicts += _checked(metric, thresholds, sources[part], candidates[part], words)
        except RowError as error:
            raise type(error)(start + error.row, error.reason) from error
    return verdicts


def _checked(
    metric: Metric, thresholds: Thresholds, sources: list[str], candidates: list[str], words: bool
) -> list[Verdict]:
    pairs, ratings = list(zip(sources, candidates)), metric.ratings(metric.where_it_fits(sources, candidates))
    named = [pair for pair, rating in zip(pairs, ratings) if words and not np.isnan(rating) and pair[0] != pair[1]]
    changes = dict(zip(named, metric.all_changes(*map(list, zip(*named))))) if named else {}
    verdicts = []
    for row, ((source, candidate), rating) in enumerate(zip(pairs, ratings), start=1):
        if np.isnan(rating):
            try:
                verdicts.append(_in_parts(metric, thresholds, source, candidate))
            except RowError as error:  # its row counts the parts
                raise type(error)(row, error.reason) from error
            continue
        verdict = _verdict(metric, thresholds, source, candidate, rating)
        own = changes.get((source, candidate), ())
        kind = own[0].kind if own and verdict != KEPT else ""
        verdicts.append(Verdict(float(rating), verdict, own, kind, (), *[float(rating)] * 3))
    return verdicts


def _verdict(metric: Metric, thresholds: Thresholds, source: str, candidate: str, rating: float) -> str:
    """Same words are kept; other numbers, or what the metric cannot read, are unsure, however high its rating."""
    if _same(source, candidate):
        return KEPT
    verdict = thresholds.verdict(rating)
    if verdict != KEPT:
        return verdict
    changed = set(source.split()) ^ set(candidate.split())
    unread = metric.unread and any(map(metric.unread, changed))
    return UNSURE if unread or _other_numbers(source, candidate) else KEPT


def _other_numbers(source: str, candidate: str) -> bool:
    """Whether a number in figures stands in place of another one; one in words may be the same."""
    here, there = (Counter(number.replace(",", "") for number in _NUMBER.findall(text)) for text in (source, candidate))
    return bool(here - there and there - here)


def _same(source: str, candidate: str) -> bool:
    return source.split() == candidate.split()


def _rating(metric: str | Metric) -> Metric:
    """A metric with ratings from 0 to 100."""
    metric = load(metric) if isinstance(metric, str) else metric
    if metric.scale is None:
        raise InputError(f"{metric.title} has no rating from 0 to 100, and so no verdict.")
    return metric


def _ready(metric: str | Metric, thresholds: Thresholds | None) -> tuple[Metric, Thresholds]:
    from nbhelpers.metrics.meaning_model import stored_thresholds

    given, metric = metric, _rating(metric)
    if thresholds is None:
        stored = stored_thresholds(metric.name)
        if stored is None or (metric is given and metric.signature != load(metric.name).signature):
            raise InputError(
                f"{metric.name} has no stored thresholds: find them with `calibrate` (in Python) or --calibrate FILE, "
                "from 72 or more labelled pairs of each kind."
            )
        thresholds = Thresholds(**stored)
    return metric, thresholds


def _in_parts(metric: Metric, thresholds: Thresholds, source: str, candidate: str) -> Verdict:
    if _same(source, candidate):
        return Verdict(100.0, KEPT, (), "", tuple(Part(one, one, 100.0, KEPT) for one in pieces(source)), *[100.0] * 3)
    texts = pieces(source), pieces(candidate)
    groups = align(*texts)
    pairs = [[" ".join(own[at] for at in places) for own, places in zip(texts, group)] for group in groups]
    same = np.array([_same(*pair) for pair in pairs])
    ratings = np.where(same, 100.0, 0.0)
    whole = [place for place, pair in enumerate(pairs) if all(pair) and not same[place]]
    ratings[whole] = _rated(metric, [pairs[place] for place in whole]) if whole else []
    parts = tuple(
        Part(*pair, float(rating), _verdict(metric, thresholds, *pair, rating) if all(pair) else CHANGED)
        for pair, rating in zip(pairs, ratings)
    )
    verdicts = {part.verdict for part in parts}
    verdict = CHANGED if CHANGED in verdicts else UNSURE if UNSURE in verdicts else KEPT
    worst = min(parts, key=lambda part: part.rating)
    kind = "added" if not worst.source else "left out" if not worst.candidate else ""
    if verdict != KEPT and not kind:
        kind = "".join(one.kind for one in metric.changes(worst.source, worst.candidate)[:1])
    counts = np.array([[len(first), len(second)] for first, second in groups])
    means = [float(np.average(ratings, weights=weights)) for weights in (counts.sum(1), *counts.T)]
    return Verdict(worst.rating, verdict, (), kind if verdict != KEPT else "", parts, *means)


def _rated(metric: Metric, pairs: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """Ratings; a pair that is too long for the metric has the lower one of its halves."""
    ratings = metric.ratings(metric.where_it_fits(*map(list, zip(*pairs))))
    for place in np.flatnonzero(np.isnan(ratings)):
        ratings[place] = _rated(metric, _halves(*pairs[place])).min()
    return ratings


def _halves(source: str, candidate: str) -> list[tuple[str, str]]:
    """Both texts cut in two, if possible beside a common word near their middle; a single word is cut in itself."""
    sides = [source.split(), candidate.split()]
    middles = [len(words) // 2 for words in sides]
    blocks = SequenceMatcher(None, *sides, autojunk=False).get_matching_blocks()
    common = [(block.a + at, block.b + at) for block in blocks for at in range(block.size + 1)]
    inside = [cuts for cuts in common if all(0 < cut < len(words) for cut, words in zip(cuts, sides))]
    cuts = min(inside, key=lambda cuts: np.abs(np.subtract(cuts, middles)).sum(), default=middles)
    halves = []
    for words, cut in zip(sides, cuts):
        if len(words) > 1:
            halves.append((" ".join(words[:cut]), " ".join(words[cut:])))
        else:
            middle = (len(words[0]) + 1) // 2
            halves.append((words[0][:middle], words[0][middle:] or words[0]))
    return list(zip(*halves))


def calibrate(
    sources: Sequence[str],
    candidates: Sequence[str],
    kept: ArrayLike,
    *,
    metric: str | Metric = "same-meaning",
) -> Thresholds:
    """Thresholds from your own labelled pairs, of which one of each source counts.

    Parameters
    ----------
    sources, candidates : sequence of str
    kept : array of shape (n,), bool or 0/1
        Whether each pair keeps its meaning.
    metric : str or Metric

    Raises
    ------
    InputError
        Too few pairs of a kind: the message says how many are needed.

    Examples
    --------
    >>> calibrate(sources, candidates, labels, metric="same-meaning-base")  # doctest: +SKIP
    Thresholds(kept=93.1, changed=41.7, risk=0.05, found='2,310 pairs')
    """
    metric = _rating(metric)
    ratings = metric.ratings(metric(sources, candidates))
    return thresholds_from(ratings, kept, groups=sources)


def thresholds_from(
    ratings: ArrayLike, kept: ArrayLike, *, groups: Sequence[str] | None = None, risk: float = RISK, seed: int = 0
) -> Thresholds:
    """Thresholds from ratings of labelled pairs.

    Parameters
    ----------
    ratings : array of shape (n,)
    kept : array of shape (n,), bool or 0/1
        Whether each pair keeps its meaning.
    groups : sequence of str, optional
        What pairs that are not independent have in common. One pair of each counts.
    risk : float
        Share of changed pairs that may pass as kept, and of kept ones that may be called changed.
    seed : int
        Of the draw of one pair of each group.

    Raises
    ------
    InputError
        Too few pairs of a kind: the message says how many are needed.

    Examples
    --------
    >>> found = thresholds_from([99] * 100 + [10] * 100, [1] * 100 + [0] * 100)
    >>> round(found.kept, 6), round(found.changed, 6)
    (54.5, 54.5)
    """
    ratings, labels = np.asarray(ratings, dtype=np.float64), np.asarray(kept)
    if ratings.shape != labels.shape or not set(np.unique(labels)) <= {0, 1}:
        raise InputError("Each pair needs one rating and a label: 1 where the meaning is kept, else 0.")
    if not 0 < risk < 1:
        raise InputError(f"The risk is a share between 0 and 1, not {risk}.")
    order = np.random.default_rng(seed).permutation(len(ratings))
    named = np.asarray(range(len(ratings)) if groups is None else groups)
    sides = {}
    for label in (0, 1):
        mine = order[labels[order] == label]
        sides[label] = ratings[mine[np.unique(named[mine], return_index=True)[1]]]
    needed = int(np.ceil(np.log(1 - CONFIDENCE) / np.log(1 - risk)))
    for label, what in ((0, "changed"), (1, "kept")):
        if len(sides[label]) < needed:
            have = len(sides[label])
            raise InputError(f"A risk of {risk} needs {needed} {what} pairs of different sources; there are {have}.")
    high, low = _strictest(sides[0], risk), -_strictest(-sides[1], risk)
    if high <= low:  # any threshold between the two keeps both promises
        high = (high + low) / 2
        low = float(np.nextafter(high, -np.inf))
    return Thresholds(high, low, risk, f"{len(sides[0]):,} changed and {len(sides[1]):,} kept pairs")


def _strictest(wrong: NDArray[np.float64], risk: float) -> float:
    """The lowest threshold that so few of the wrong pairs reach that an exact test takes their risk to be lower."""
    from scipy.stats import binom

    allowed = int(np.searchsorted(binom.cdf(np.arange(len(wrong)), len(wrong), risk), 1 - CONFIDENCE, "right")) - 1
    return float(np.nextafter(np.sort(wrong)[::-1][allowed], np.inf))
