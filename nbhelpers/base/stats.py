"""Intervals, paired tests, correlations and ranking measures, each with its number of items.

SciPy and scikit-learn do the arithmetic. This module fixes the choices (which interval, which test, which seed),
refuses input on which a number would mean nothing, and returns every estimate together with its interval and n.

Conventions: intervals are two-sided at 95 %; resampling is seeded, so a repeated call gives the same numbers; p-values
are two-sided; an argument that is not finite is an `InputError`, never dropped.
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbhelpers.base.errors import InputError, UndefinedStatisticError

LEVEL = 0.95
"""Confidence level of all intervals."""

_BATCH_CELLS = 1_000_000
"""Numbers that one batch of resamples may hold (8 MB in float64), so that memory does not grow with n."""

_EXACT_PAIRS = 15
"""Paired permutation tests enumerate all 2**n sign flips up to this n (32,768), and sample them above."""

_PERMUTED_SPEARMAN = 100
"""Spearman's p-value comes from permutations up to this n, and from the t distribution above."""


@dataclass(frozen=True)
class Estimate:
    """A number with its confidence interval.

    Attributes
    ----------
    value : float
        The estimate on the data as given.
    low, high : float
        Ends of the two-sided 95 % confidence interval, in the unit of `value`.
    n : int
        Number of independent items that the estimate rests on.
    p : float or None
        Two-sided p-value of the null hypothesis that the function names, where it tests one.
    q : float or None
        The p-value after a correction for several tests (see `adjusted`).
    unit : str
        Such as "points of F1"; empty for a plain number.
    variant : str
        Which of several readings of the number this is.

    Examples
    --------
    >>> print(Estimate(0.571, 0.12, 0.8312, 14, p=0.04))
    0.571 [0.12, 0.831], n=14, p=0.040
    """

    value: float
    low: float
    high: float
    n: int
    p: float | None = None
    q: float | None = None
    unit: str = ""
    variant: str = ""

    def __str__(self) -> str:
        text = f"{self.value:.3g} [{self.low:.3g}, {self.high:.3g}], n={self.n}"
        if self.p is not None:
            text += ", p<0.001" if self.p < 0.001 else f", p={self.p:.3f}"
        return text

    def __float__(self) -> float:
        return self.value


# ------------------------------------------------------------------------------------------------------- input checks


def _numbers(values: ArrayLike, name: str, minimum: int = 1, dimensions: tuple[int, ...] = (1,)) -> NDArray:
    """Float array of `values`, refused where a statistic on it would mean nothing."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} is not an array of numbers: {error}") from None
    if array.ndim not in dimensions:
        expected = " or ".join(f"{d}-dimensional" for d in dimensions)
        raise InputError(f"{name} must be {expected}, but has shape {array.shape}")
    if len(array) < minimum:
        raise InputError(f"{name} has {len(array)} item(s); at least {minimum} are needed")
    if not np.isfinite(array).all():
        position = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise InputError(f"{name} is not finite at position {position}: {array[position]}")
    return array


def _pair(a: ArrayLike, b: ArrayLike, names: tuple[str, str], minimum: int) -> tuple[NDArray, NDArray]:
    first, second = (_numbers(each, name, minimum) for each, name in zip((a, b), names))
    if len(first) != len(second):
        raise InputError(f"{names[0]} has {len(first)} items but {names[1]} has {len(second)}; they must be paired")
    return first, second


def _binary(array: NDArray, name: str) -> NDArray:
    if not np.isin(array, (0.0, 1.0)).all():
        raise InputError(f"{name} must be 0 or 1 (or bool), but one is {array[~np.isin(array, (0.0, 1.0))][0]:g}")
    return array.astype(bool)


def _ranking(labels: ArrayLike, scores: ArrayLike, classes: int) -> tuple[NDArray, NDArray]:
    """Labels and scores of a ranking that has a positive item, and with two `classes` a negative one too."""
    truth, ranking = _pair(labels, scores, ("labels", "scores"), 1)
    truth = _binary(truth, "labels")
    if not truth.any() or (classes == 2 and truth.all()):
        needed = "a positive item" if classes == 1 else "both classes"
        raise InputError(f"all {len(truth)} labels are {int(truth[0])}; the measure needs {needed}")
    return truth, ranking


# ---------------------------------------------------------------------------------------------------------- bootstrap


def _resampled(
    samples: tuple[NDArray, ...], statistic: Callable, value: float, resamples: int, seed: int, paired: bool = False
) -> tuple[float, float, NDArray]:
    """Ends of the percentile interval and the bootstrap distribution (SciPy); undefined resamples are left out."""
    from scipy.stats import bootstrap as scipy_bootstrap

    if resamples < 100:
        raise InputError(f"resamples must be at least 100, but is {resamples}")
    if not np.isfinite(value):
        raise InputError(f"the statistic is not defined on the data: it returned {value}")
    # two samples are drawn in turn, batch by batch: there the size of a batch decides which items are drawn
    cells = _BATCH_CELLS if paired or len(samples) == 1 else 4 * _BATCH_CELLS
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # undefined resamples are counted below, not warned about one by one
        result = scipy_bootstrap(
            samples,
            statistic,
            n_resamples=int(resamples),
            method="percentile",
            paired=paired,
            rng=np.random.default_rng(seed),
            batch=max(1, cells // sum(len(sample) for sample in samples)),
        )
    distribution = np.asarray(result.bootstrap_distribution, dtype=np.float64).ravel()
    defined = distribution[np.isfinite(distribution)]
    if len(defined) < len(distribution) / 2:
        raise UndefinedStatisticError(
            f"the statistic is undefined in {len(distribution) - len(defined)} of {len(distribution)} "
            "bootstrap resamples; there are too few distinct items for an interval"
        )
    return *_ends(defined), defined


def _ends(draws: NDArray) -> tuple[float, float]:
    """Ends of the percentile interval."""
    low, high = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def _p_value(distribution: NDArray, distance: float) -> float:
    """Share of resamples at least as far from their mean as the observed `distance` (see `paired_bootstrap`)."""
    # A distance that rounding alone makes smaller still counts as equal.
    reached = np.abs(distribution - distribution.mean()) >= abs(distance) - 1e-12 * max(1.0, abs(distance))
    return float((np.count_nonzero(reached) + 1) / (len(distribution) + 1))


def bootstrap(values: ArrayLike, *, resamples: int = 2000, seed: int = 0) -> Estimate:
    """A mean with its percentile bootstrap interval (Efron & Tibshirani 1993, chapter 13); `resampled` has others.

    Parameters
    ----------
    values : array of shape (n,)
    resamples : int, default=2000
        Number of bootstrap resamples, at least 100.
    seed : int, default=0
        Seed of the resampling.

    Returns
    -------
    Estimate
        On identical items the interval has width zero; a share that may be 0 or 1 is better given to `proportion`.

    Raises
    ------
    InputError
        Fewer than two items, or a value that is not finite.

    Examples
    --------
    >>> print(bootstrap([1, 2, 3, 4, 5]))
    3 [1.8, 4.2], n=5
    """
    array = _numbers(values, "values", 2)
    value = float(array.mean())
    if 100 <= resamples and resamples * len(array) <= 4 * _BATCH_CELLS:  # the same draws serve many means
        low, high = _ends(_weights(len(array), resamples, seed) @ array / len(array))
    else:
        low, high, _ = _resampled((array,), np.mean, value, resamples, seed)
    return Estimate(value, low, high, len(array))


def _difference_of_means(a: NDArray, b: NDArray, axis: int) -> NDArray:
    return a.mean(axis=axis) - b.mean(axis=axis)


def paired_bootstrap(a: ArrayLike, b: ArrayLike, *, resamples: int = 2000, seed: int = 0) -> Estimate:
    """Difference of the means of `a` and `b` on the same items, with interval and p-value.

    Both are resampled with the same item numbers. The interval is the percentile interval of the difference.
    The p-value is that of sacreBLEU and Riezler & Maxwell (2005): the share of resamples whose difference,
    centred on the mean of all resamples, is at least as large as the observed one, with one added to
    numerator and denominator.

    Parameters
    ----------
    a, b : array of shape (n,)
        Item i of `a` and of `b` belong together, such as scores of two systems on one sentence.
    resamples : int, default=2000
        Number of bootstrap resamples, at least 100.
    seed : int, default=0
        Seed of the resampling.

    Raises
    ------
    InputError
        Different lengths, fewer than two items, a value that is not finite.

    Examples
    --------
    >>> print(paired_bootstrap([3, 5, 4, 6], [1, 2, 3, 4]))
    2 [1.25, 2.75], n=4, p<0.001
    """
    first, second = _pair(a, b, ("a", "b"), 2)
    value = float(first.mean()) - float(second.mean())
    low, high, distribution = _resampled((first, second), _difference_of_means, value, resamples, seed, paired=True)
    return Estimate(value, low, high, len(first), _p_value(distribution, value))


def paired_permutation(a: ArrayLike, b: ArrayLike, *, resamples: int = 10_000, seed: int = 0) -> Estimate:
    """Difference of the means of `a` and `b` with the p-value of the paired permutation (sign-flip) test.

    Under the null hypothesis the two scores of an item are exchangeable. All ``2**n`` exchanges are
    enumerated up to n = 15; above that `resamples` random ones are drawn (with one added to numerator and
    denominator). The p-value is twice the smaller tail, at most 1. The interval is the percentile bootstrap
    interval of the difference.

    Parameters
    ----------
    a, b : array of shape (n,)
        Scores of two systems on the same items.
    resamples : int, default=10000
        Number of random exchanges.
    seed : int, default=0
        Seed of exchanges and resampling.

    Raises
    ------
    InputError
        Different lengths, fewer than two items, a value that is not finite.

    Examples
    --------
    >>> print(paired_permutation([2, 3, 4, 5, 6], [1, 2, 3, 4, 5]))
    1 [1, 1], n=5, p=0.062
    """
    from scipy.stats import permutation_test

    first, second = _pair(a, b, ("a", "b"), 2)
    n = len(first)
    estimate = paired_bootstrap(first, second, seed=seed)
    result = permutation_test(
        (first, second),
        _difference_of_means,
        permutation_type="samples",
        n_resamples=max(int(resamples), 2**n) if n <= _EXACT_PAIRS else int(resamples),
        rng=np.random.default_rng(seed),
        batch=max(1, _BATCH_CELLS // n),
    )
    return replace(estimate, p=float(result.pvalue))


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """p-values adjusted for their number (Holm 1979, A simple sequentially rejective multiple test procedure).

    Examples
    --------
    >>> holm({"a": 0.01, "b": 0.04, "c": 0.03})
    {'a': 0.03, 'c': 0.06, 'b': 0.06}
    """
    adjusted, highest = {}, 0.0
    for rank, name in enumerate(sorted(p_values, key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[name]))
        adjusted[name] = highest
    return adjusted


def percent(found: Estimate) -> Estimate:
    """An estimate times 100, for shares that are printed in percent.

    Examples
    --------
    >>> print(percent(Estimate(0.25, 0.125, 0.5, 8)))
    25 [12.5, 50], n=8
    """
    return replace(found, value=100 * found.value, low=100 * found.low, high=100 * found.high)


def adjusted(family: Mapping[str, Estimate], method: str = "fdr") -> dict[str, Estimate]:
    """Estimates of a family of tests with `q`: their p-values corrected for each other.

    Parameters
    ----------
    family : mapping of str to Estimate
        All with a p-value.
    method : {"fdr", "holm"}
        False discovery rate (Benjamini & Hochberg 1995), or the chance of any false discovery (Holm 1979).

    Raises
    ------
    InputError
        An estimate has no p-value.

    Examples
    --------
    >>> [one.q for one in adjusted({"a": Estimate(1, 0, 2, 9, 0.01), "b": Estimate(1, 0, 2, 9, 0.04)}).values()]
    [0.02, 0.04]
    """
    from scipy.stats import false_discovery_control

    if lacking := [name for name, one in family.items() if one.p is None]:
        raise InputError(f"{lacking[0]!r} has no p-value to correct")
    p_values = {name: one.p for name, one in family.items()}
    if method == "holm":
        corrected_values = holm(p_values)
    else:
        corrected_values = dict(zip(p_values, false_discovery_control(list(p_values.values())).tolist()))
    return {name: replace(one, q=corrected_values[name]) for name, one in family.items()}


def resampled(
    statistic: Callable[[NDArray], float], groups: ArrayLike, *, null: float = 0.0, resamples: int = 2000, seed: int = 0
) -> Estimate:
    """Any statistic of items, such as a difference of two systems, with an interval that resamples the items' groups.

    Parameters
    ----------
    statistic : callable
        Takes positions of items (with repetitions) and returns one number; NaN where it is undefined there.
    groups : array of shape (n,)
        What each item belongs to, such as its source sentence or its topic; ``range(n)`` for independent items.
    null : float
        The value under the null hypothesis. The p-value is that of `paired_bootstrap`: the share of resamples whose
        distance from their mean is at least the observed distance from `null`.
    resamples, seed : int

    Returns
    -------
    Estimate
        With n the number of groups.

    Raises
    ------
    InputError
        Fewer than two groups, a statistic undefined on the data or on most resamples.

    Examples
    --------
    >>> import numpy
    >>> gains = numpy.array([1.0, 2, 1, 2, 1, 2])
    >>> print(resampled(lambda chosen: gains[chosen].mean(), [0, 0, 1, 1, 2, 2]))
    1.5 [1.5, 1.5], n=3, p<0.001
    """
    names, number = np.unique(np.asarray(groups), return_inverse=True)
    if len(names) < 2:
        raise InputError(f"{len(names)} group(s) of items; at least 2 are needed to resample")
    order, sizes = np.argsort(number, kind="stable"), np.bincount(number)
    starts = np.cumsum(sizes) - sizes

    def items_of(chosen: NDArray) -> NDArray:
        """Positions of all items of the chosen groups, group by group."""
        if len(sizes) == len(order):  # independent items: ten times as fast
            return order[chosen]
        ends = np.cumsum(sizes[chosen])
        return order[np.repeat(starts[chosen] - ends + sizes[chosen], sizes[chosen]) + np.arange(ends[-1])]

    value = float(statistic(np.arange(len(number))))
    low, high, distribution = _resampled(
        (np.arange(len(names)),), lambda chosen: statistic(items_of(chosen)), value, resamples, seed
    )
    return Estimate(value, low, high, len(names), _p_value(distribution, value - null))


@dataclass(frozen=True)
class Resampled:
    """Several statistics of the same groups of items, and what each is on the same resamples of the groups.

    Because all have the same resamples, one can be taken from another (``a - b``), and several can be tested together.
    `shares` and `means` make it.

    Attributes
    ----------
    values : array of shape (k,)
        The statistics on the data as given.
    draws : array of shape (resamples, k)
        NaN where a statistic is undefined on a resample.
    n : int
        Number of groups.
    """

    values: NDArray
    draws: NDArray
    n: int

    def __sub__(self, other: Resampled) -> Resampled:
        return Resampled(self.values - other.values, self.draws - other.draws, self.n)

    def __getitem__(self, chosen: Any) -> Resampled:
        return Resampled(self.values[chosen], self.draws[:, chosen], self.n)

    def beside(self, *others: Resampled) -> Resampled:
        """These statistics and those of others of the same groups, one after the other."""
        all_of = (self, *others)
        values = np.concatenate([each.values for each in all_of])
        return Resampled(values, np.concatenate([each.draws for each in all_of], axis=1), self.n)

    def of(self, function: Callable[[NDArray], NDArray]) -> Resampled:
        """A function of these statistics, such as a ratio; it takes arrays (..., k) and returns (..., m) or (...).

        Examples
        --------
        >>> print(means([[4, 2], [6, 3], [5, 2]]).of(lambda mean: mean[..., 1] / mean[..., 0]).estimate())
        0.467 [0.4, 0.5], n=3, p<0.001
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            values, draws = np.atleast_1d(function(self.values)), function(self.draws)
            return Resampled(values, draws.reshape(len(draws), *values.shape), self.n)

    def estimate(self, place: int = 0, *, null: float = 0.0, unit: str = "") -> Estimate | None:
        """One of the statistics with percentile interval and the p-value of `paired_bootstrap` against `null`.

        None where it is undefined on the data or on more than half of the resamples.
        """
        value, draws = float(self.values[place]), self.draws[:, place]
        draws = draws[np.isfinite(draws)]
        if not math.isfinite(value) or len(draws) < len(self.draws) / 2:
            return None
        return Estimate(value, *_ends(draws), self.n, _p_value(draws, value - null), unit=unit)

    def mean(self, *, unit: str = "") -> Estimate | None:
        """The mean of all the statistics that are defined on the data; None where none is."""
        defined = self[np.isfinite(self.values)]
        if not len(defined.values):
            return None
        draws = defined.draws.mean(axis=1, keepdims=True)
        return Resampled(defined.values.mean(keepdims=True), draws, self.n).estimate(unit=unit)

    def largest(self, *, null: float = 0.0, unit: str = "") -> Estimate:
        """The largest of all the true values, tested jointly, so that nothing depends on which cell is looked at.

        The upper end is the largest of the upper ends (the largest true value cannot lie above it more often than that
        cell's own interval misses); the lower end comes from simultaneous intervals (the greatest studentised
        deviation of all on one resample). The p-value is for the largest being `null`: small if all lie below
        it, or if at least one lies above it.
        """
        draws = self.draws[np.isfinite(self.draws).all(axis=1)]  # a rare cell is undefined on some resamples
        if not np.isfinite(self.values).all() or len(draws) < len(self.draws) / 2:
            raise UndefinedStatisticError("one of the statistics is undefined on the data or on most resamples")
        spread = np.maximum(draws.std(axis=0), 1e-12)
        deviation = (draws - self.values) / spread
        most, count = deviation.max(axis=1), len(draws) + 1
        cut = np.quantile(most, (1 + LEVEL) / 2)
        high = np.quantile(draws, (1 + LEVEL) / 2, axis=0).max()
        distance = (self.values - null) / spread
        above = (np.count_nonzero(most >= distance.max()) + 1) / count
        below = max((np.count_nonzero(column >= -each) + 1) / count for column, each in zip(deviation.T, distance))
        low, p = float((self.values - cut * spread).max()), min(1.0, 2 * min(above, below))
        return Estimate(float(self.values.max()), low, float(high), self.n, p, unit=unit)

    def smallest(self, *, null: float = 0.0, unit: str = "") -> Estimate:
        """The smallest of all the true values, tested jointly; see `largest`."""
        found = Resampled(-self.values, -self.draws, self.n).largest(null=-null, unit=unit)
        return replace(found, value=-found.value, low=-found.high, high=-found.low)


@functools.lru_cache(maxsize=8)
def _weights(n: int, resamples: int, seed: int) -> NDArray:
    """How often each of n groups is in each resample, shape (resamples, n); the draws are those of `bootstrap`."""
    drawn = np.random.default_rng(seed).integers(0, n, (resamples, n))
    return _counts(drawn, n)


def _counts(places: NDArray, size: int) -> NDArray:
    """How often each of the numbers below `size` stands in each row, shape (rows, size)."""
    rows = places.reshape(-1, places.shape[-1])
    shifted = rows + size * np.arange(len(rows))[:, None]
    return np.bincount(shifted.ravel(), minlength=size * len(rows)).reshape(-1, size).astype(float)


def members(groups: NDArray) -> list[NDArray]:
    """Places of the items of each group, from the lowest group up, each in the order of the items.

    Examples
    --------
    >>> [places.tolist() for places in members(np.array([1, 0, 1]))]
    [[1], [0, 2]]
    """
    order = np.argsort(groups, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)


def shares(counts: ArrayLike, *, resamples: int = 2000, seed: int = 0) -> Resampled:
    """Shares of hits, with resamples of the groups that hits and totals are counted in.

    Parameters
    ----------
    counts : array of shape (n, k, 2)
        Hits, and what they are a share of, in each of n groups (such as sentences), for each of k shares.
    resamples, seed : int

    Examples
    --------
    >>> print(shares([[[1, 2]], [[2, 2]], [[1, 1]]]).estimate())
    0.8 [0.5, 1], n=3, p<0.001
    """
    return means(counts, resamples=resamples, seed=seed).of(lambda mean: mean[..., 0] / mean[..., 1])


def means(values: ArrayLike, *, resamples: int = 2000, seed: int = 0) -> Resampled:
    """Means of columns, with resamples of the rows.

    Parameters
    ----------
    values : array of shape (n, k) or (n, k, l)
        Of the latter, `Resampled.of` makes statistics that can be estimated.
    resamples, seed : int

    Examples
    --------
    >>> both = means([[1, 0], [2, 0], [3, 3]])
    >>> print((both[:1] - both[1:]).estimate())
    1 [0, 2], n=3, p=0.032
    """
    array = _numbers(values, "values", 2, (2, 3))
    draws = np.tensordot(_weights(len(array), resamples, seed), array, 1) / len(array)
    return Resampled(array.mean(axis=0), draws, len(array))


def proportion(hits: ArrayLike) -> Estimate:
    """Share of hits with its Wilson score interval, which stays honest at a share of 0 or 1.

    Parameters
    ----------
    hits : array of shape (n,), bool or 0/1

    Raises
    ------
    InputError
        No items, or values other than 0 and 1.

    Examples
    --------
    >>> print(proportion([True] * 20))
    1 [0.839, 1], n=20
    """
    from scipy.stats import binomtest

    array = _binary(_numbers(hits, "hits"), "hits")
    test = binomtest(int(array.sum()), len(array), array.mean())  # against itself: its p-value, not used, costs nothing
    interval = test.proportion_ci(LEVEL, method="wilson")
    return Estimate(float(array.mean()), float(interval.low), float(interval.high), len(array))


# -------------------------------------------------------------------------------------------------------- correlation


def spearman_rows(x: NDArray, y: NDArray, axis: int = -1) -> NDArray:
    """Spearman's rho along an axis (Pearson's r of average ranks); NaN where one side is constant."""
    from scipy.stats import rankdata

    x, y = (rankdata(side, axis=axis) for side in (x, y))
    x, y = (side - side.mean(axis=axis, keepdims=True) for side in (x, y))
    norm = np.sqrt((x**2).sum(axis=axis) * (y**2).sum(axis=axis))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(norm > 0, (x * y).sum(axis=axis) / norm, np.nan)


def correlation(x: ArrayLike, y: ArrayLike, *, resamples: int = 2000, seed: int = 0) -> Estimate:
    """Spearman's rho (average ranks) of two paired variables with interval and p-value (null hypothesis: independent).

    The interval is the percentile interval of a bootstrap over the pairs; the p-value comes from permutations up to
    n = 100, and from the t distribution above. A resample in which one variable is constant has no correlation and is
    left out; when that happens to more than half of them the call is refused. Bootstrap intervals of rank correlations
    are rough below n = 10: resampled pairs repeat, and ties follow.

    Parameters
    ----------
    x, y : array of shape (n,)
        At least three pairs.
    resamples : int, default=2000
        Number of bootstrap resamples, at least 100.
    seed : int, default=0
        Seed of resampling and permutations.

    Raises
    ------
    InputError
        Different lengths, fewer than three pairs, a value that is not finite, a constant variable.

    Examples
    --------
    >>> print(correlation([1, 2, 3, 4, 5], [2, 1, 4, 3, 5]))
    0.8 [0.111, 1], n=5, p=0.133
    """
    from scipy.stats import permutation_test, spearmanr

    first, second = _pair(x, y, ("x", "y"), 3)
    for name, array in (("x", first), ("y", second)):
        if np.ptp(array) <= 1e-13 * np.abs(array).max():
            raise InputError(f"{name} is constant ({array[0]:g} in all {len(array)} items); a correlation is undefined")
    result = spearmanr(first, second)
    value, p_value = float(result.statistic), float(result.pvalue)
    if len(first) <= _PERMUTED_SPEARMAN:
        permuted = permutation_test(
            (first,),
            lambda values, axis: spearman_rows(values, second, axis),
            permutation_type="pairings",
            rng=np.random.default_rng(seed),
        )
        p_value = float(permuted.pvalue)
    low, high, _ = _resampled((first, second), spearman_rows, value, resamples, seed, paired=True)
    return Estimate(value, low, high, len(first), p_value)


# --------------------------------------------------------------------------------------------------- ranking measures


def average_precision(labels: ArrayLike, scores: ArrayLike) -> float:
    """Average precision of a ranking, ``sum over n of (R_n - R_(n-1)) * P_n`` (scikit-learn), in (0, 1].

    Items with equal scores enter together, at one threshold. Higher scores must mean "more likely positive".

    Parameters
    ----------
    labels : array of shape (n,), bool or 0/1
    scores : array of shape (n,)

    Raises
    ------
    InputError
        No positive label (there is nothing to find; the measure is undefined, not 0), different lengths, not
        finite.

    Examples
    --------
    >>> average_precision([1, 0, 1], [0.9, 0.8, 0.7]).__round__(3)
    0.833
    """
    from sklearn.metrics import average_precision_score

    return float(average_precision_score(*_ranking(labels, scores, classes=1)))


def roc_auc(labels: ArrayLike, scores: ArrayLike) -> float:
    """Area under the ROC curve, in [0, 1].

    It is the share of (positive, negative) pairs in which the positive scores higher; ties count one half.

    Parameters
    ----------
    labels : array of shape (n,), bool or 0/1
    scores : array of shape (n,)

    Raises
    ------
    InputError
        Only one class among the labels, different lengths, a value that is not finite.

    Examples
    --------
    >>> roc_auc([1, 0, 1, 0], [3, 1, 2, 2])
    0.875
    """
    truth, ranking = _ranking(labels, scores, classes=2)
    return float(_area_of(truth, ranking)(np.ones((1, len(truth))))[0])


def _counted_area(up: NDArray, down: NDArray) -> NDArray:
    """AUC along the last axis from how many positive and negative items have each value, from the lowest value up."""
    below = down.cumsum(axis=-1) - down / 2
    with np.errstate(invalid="ignore"):
        return (up * below).sum(axis=-1) / (up.sum(axis=-1) * down.sum(axis=-1))


def _area_of(truth: NDArray, ranking: NDArray) -> Callable[[NDArray], NDArray]:
    """The AUC where each item counts several times, or not at all: takes counts, shape (rows, items)."""
    order = np.argsort(ranking, kind="stable")
    sides = truth[order], ~truth[order]
    starts = np.flatnonzero(np.diff(ranking[order], prepend=np.nan) != 0)

    def area(counts: NDArray) -> NDArray:
        return _counted_area(*(np.add.reduceat(counts[:, order] * side, starts, axis=1) for side in sides))

    return area


def areas(
    labels: ArrayLike, scores: ArrayLike, groups: ArrayLike, *, resamples: int = 2000, seed: int = 0
) -> Resampled:
    """Areas under the ROC curve of several scores of the same items, with resamples of the items' groups.

    Parameters
    ----------
    labels : array of shape (n,), bool or 0/1
    scores : array of shape (k, n)
    groups : array of shape (n,)
    resamples, seed : int

    Examples
    --------
    >>> both = areas([0, 1, 0, 1], [[1, 2, 3, 4], [4, 1, 2, 3]], [0, 0, 1, 1])
    >>> both.values.tolist()
    [0.75, 0.25]
    """
    found = [_ranking(labels, each, classes=2) for each in np.atleast_2d(np.asarray(scores, dtype=float))]
    names, number = np.unique(np.asarray(groups), return_inverse=True)
    drawn = _weights(len(names), resamples, seed)[:, number]
    draws = [_area_of(truth, ranking)(drawn) for truth, ranking in found]
    return Resampled(np.array([roc_auc(*each) for each in found]), np.stack(draws, axis=1), len(names))


def _auc_perfect_low(m: int, n: int) -> float:
    """Lower end of the score interval of an observed AUC of 1 (Newcombe 2006, method 5)."""
    from scipy.optimize import brentq
    from scipy.stats import norm

    z, half = norm.ppf((1 + LEVEL) / 2), (m + n) / 2

    def excess(area: float) -> float:
        spread = 1 + (half - 1) * ((1 - area) / (2 - area) + area / (1 + area))
        return (1 - area) - z * math.sqrt(area * (1 - area) * spread / (m * n))

    # The excess is 1 at 0 and falls below zero close to 1, where the square root outweighs the line.
    return float(brentq(excess, 0.0, 1 - 1e-12)) if excess(1 - 1e-12) < 0 else 1.0


def roc_auc_interval(
    labels: ArrayLike, scores: ArrayLike, *, groups: ArrayLike | None = None, resamples: int = 2000, seed: int = 0
) -> Estimate:
    """Area under the ROC curve with interval and p-value.

    The interval is the percentile interval of a stratified bootstrap: positives and negatives are resampled
    apart, so every resample has both classes. Where the classes are separated without an error (an area of 0
    or 1) resampling can say nothing, and the inner end comes from Newcombe's score interval (2006, Statistics
    in Medicine 25, method 5). The p-value is that of the Mann-Whitney test against an area of 0.5.

    Parameters
    ----------
    labels : array of shape (n,), bool or 0/1
    scores : array of shape (n,)
    groups : array of shape (n,), default=None
        What each item belongs to: numbers or names, such as the sentence that it is an edit of. Whole groups are
        then resampled, and there is no p-value, as the test takes every item for itself.
    resamples : int, default=2000
        Number of bootstrap resamples, at least 100.
    seed : int, default=0
        Seed of the resampling.

    Returns
    -------
    Estimate
        With n the number of items of both classes together, or of groups.

    Raises
    ------
    InputError
        As `roc_auc`, fewer than two items or two groups with either class, or more or fewer groups than items.

    Examples
    --------
    >>> print(roc_auc_interval([0, 0, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6]))
    1 [0.501, 1], n=6, p=0.100
    """
    from scipy.stats import mannwhitneyu

    truth, ranking = _ranking(labels, scores, classes=2)
    grouped = groups is not None
    named = np.asarray(groups) if grouped else np.arange(len(truth))
    if named.shape != truth.shape:
        raise InputError(f"there are {len(truth)} items, and groups of shape {named.shape}")
    distinct, number = np.unique(named, return_inverse=True)
    in_class = tuple(len(np.unique(number[side])) for side in (truth, ~truth))
    if min(in_class) < 2:
        what = "groups with" if grouped else "items in"
        raise InputError(f"an interval needs two {what} each class; {in_class[0]} positive, {in_class[1]} negative")
    value, p_value = roc_auc(truth, ranking), None
    if not grouped:
        p_value = float(mannwhitneyu(ranking[truth], ranking[~truth]).pvalue) if np.ptp(ranking) else 1.0
    if value in (0.0, 1.0):
        inner = _auc_perfect_low(*in_class)
        low, high = (inner, 1.0) if value == 1.0 else (0.0, 1.0 - inner)
    else:
        values, places = np.unique(ranking, return_inverse=True)
        area = _area_of(truth, ranking)

        def of_items(*sides: NDArray, axis: int) -> NDArray:
            return _counted_area(*(_counts(side, len(values)) for side in sides))

        def of_groups(chosen: NDArray, axis: int) -> NDArray:
            return area(_counts(chosen, len(distinct))[:, number])

        samples = (np.arange(len(distinct)),) if grouped else (places[truth], places[~truth])
        low, high, _ = _resampled(samples, of_groups if grouped else of_items, value, resamples, seed)
    return Estimate(value, low, high, len(distinct), p_value)
