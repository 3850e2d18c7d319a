"""The two sanity checks of the MeaningBERT study: identical sentences are rated 100, unrelated ones 0.

Beauchemin, Saggion and Khoury (2023), section 3.3 and Tables 6 and 7: the share of ratings of at least 95 … 99 for
identical pairs, and of at most 5 … 1 for unrelated pairs, each rating rounded to the nearest integer first. "To account
for computer floating-point inaccuracy" no threshold is 100 or 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from nbhelpers.base.errors import InputError
from nbhelpers.base.stats import Estimate, proportion
from nbhelpers.metrics import SPECIFICATIONS, Metric, load_all, resolve, score_all

THRESHOLDS: dict[str, tuple[int, ...]] = {"identical": (95, 96, 97, 98, 99), "unrelated": (5, 4, 3, 2, 1)}
"""For each check the thresholds, from the easiest to the hardest, as in Tables 6 and 7."""


class Pair(Protocol):
    """Whatever has a source and a candidate: a `SanityPair`, or a row of a file of rated pairs."""

    source: str
    candidate: str


@dataclass(frozen=True)
class SanityRow:
    """A metric's answer to one check.

    Attributes
    ----------
    metric, title : str
        Name and title of the metric.
    signature : str or None
        How its numbers were made; None where the metric cannot run here.
    kind : {"identical", "unrelated"}
        Which check.
    pairs : str
        Which pairs, where there are several lists of them.
    n : int
        Number of pairs.
    shares : dict of int to Estimate, or None
        For each threshold the share of pairs that pass, with its Wilson interval.
    mean : float or None
        Mean rating, not rounded.
    seconds : float or None
        How long the metric took for all pairs of the table; see `nbhelpers.metrics.score_all`.
    reason : str or None
        Why there are no shares.
    """

    metric: str
    title: str
    signature: str | None
    kind: str
    pairs: str
    n: int
    shares: dict[int, Estimate] | None
    mean: float | None
    seconds: float | None
    reason: str | None = None


def shares(ratings: ArrayLike, kind: str) -> dict[int, Estimate]:
    """Share of ratings that pass each threshold of a check, with Wilson intervals.

    Ratings are rounded to the nearest integer as Python and NumPy do, a half to the even one: 94.5 becomes 94 and 95.5
    becomes 96. The paper does not name its rule for halves.

    Parameters
    ----------
    ratings : array (n,)
        From 0 (another meaning) to 100 (the same). Ratings beyond, such as those of TER, are taken as they are.
    kind : {"identical", "unrelated"}
        At least 95 … 99, or at most 5 … 1.

    Returns
    -------
    dict of int to Estimate
        By threshold, from the easiest to the hardest.

    Raises
    ------
    InputError
        For no ratings, or a rating that is not a finite number (with its row, counted from 1).
    """
    array = np.asarray(ratings, dtype=np.float64)
    if not len(array):
        raise InputError("There are no ratings.")
    if not np.isfinite(array).all():
        row = int(np.flatnonzero(~np.isfinite(array))[0])
        raise InputError(f"The rating of row {row + 1} is {array[row]}, not a number that can be used.")
    rounded = np.rint(array)
    passes = np.greater_equal if kind == "identical" else np.less_equal
    return {threshold: proportion(passes(rounded, threshold)) for threshold in THRESHOLDS[kind]}


def sanity_table(
    metrics: Sequence[str | Metric],
    identical: Sequence[Pair] | Mapping[str, Sequence[Pair]],
    unrelated: Sequence[Pair] | Mapping[str, Sequence[Pair]],
) -> list[SanityRow]:
    """Both checks for every metric (Tables 6 and 7).

    A metric is called once, with all pairs. One that has no rating of 0 to 100, that cannot run here or that refuses a
    text keeps its rows, with the reason in place of shares.

    Parameters
    ----------
    metrics : sequence of str or Metric
        Names in the registry, or metrics.
    identical, unrelated : sequence of pairs, or a dict of them by name
        Anything with a ``source`` and a ``candidate``, such as the holdouts of `nbhelpers.resources.csmd.read_csmd`; a
        dict where there are several lists, such as sentences of other articles and word soup. A list without a name is
        called as its check.

    Returns
    -------
    list of SanityRow
        Metric by metric, within a metric list by list.

    Raises
    ------
    InputError
        For a list without pairs, an empty text, an unknown name, or a metric given twice.

    Examples
    --------
    >>> from nbhelpers.studies.meaningbert.sanity.pairs import ArticleSentence, identical_pairs, unrelated_pairs
    >>> sentences = [ArticleSentence("The farmer sold two horses.", "a"), ArticleSentence("It rained in Oslo.", "b")]
    >>> identical, unrelated = sanity_table(["bleu"], identical_pairs(sentences), unrelated_pairs(sentences))
    >>> identical.shares[95].value
    1.0
    """
    lists = [
        (kind, name, list(pairs))
        for kind, given in (("identical", identical), ("unrelated", unrelated))
        for name, pairs in (given.items() if isinstance(given, Mapping) else [(kind, given)])
    ]
    for _, name, pairs in lists:
        if not pairs:
            raise InputError(f"The list {name!r} has no pairs.")
    everything = [pair for _, _, pairs in lists for pair in pairs]
    loaded, missing = load_all(metrics)
    rated = [metric for metric in loaded.values() if metric.scale is not None]
    scores = score_all(
        [pair.source for pair in everything], [pair.candidate for pair in everything], metrics=rated, progress=False
    )
    missing |= scores["missing"]
    missing |= {key: f"{m.title} has no rating of 0 to 100." for key, m in loaded.items() if m.scale is None}
    rows = []
    for key in [metric.name if isinstance(metric, Metric) else resolve(metric) for metric in metrics]:
        metric = loaded.get(key)
        ratings = None if key in missing else metric.ratings(scores["values"][key])
        start = 0
        for kind, name, pairs in lists:
            part = None if ratings is None else ratings[start : start + len(pairs)]
            start += len(pairs)
            rows.append(
                SanityRow(
                    metric=key,
                    title=metric.title if metric else SPECIFICATIONS[key].title,
                    signature=metric.signature_for(None) if metric else None,
                    kind=kind,
                    pairs=name,
                    n=len(pairs),
                    shares=None if part is None else shares(part, kind),
                    mean=None if part is None else float(np.mean(part)),
                    seconds=scores["seconds"].get(key),
                    reason=missing.get(key),
                )
            )
    return rows
