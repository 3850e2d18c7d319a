"""Intervals, paired tests, correlations and ranking measures, each with its number of items.

SciPy and scikit-learn do the arithmetic; this module fixes the choices (which interval, which test, which
seed), refuses input on which a number would mean nothing, and returns every estimate together with its
interval and n.

Conventions: intervals are two-sided at `level`; resampling is seeded (`seed`, default 0), so a repeated call
gives the same numbers; p-values are two-sided; every argument that is not finite is an `InputError`, never
dropped.
"""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbhelpers.base.errors import InputError, UndefinedStatisticError

_BATCH_CELLS = 4_000_000
"""Numbers that one batch of resamples may hold (32 MB in float64), so that memory does not grow with n."""

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
        Ends of the two-sided confidence interval, in the unit of `value`.
    n : int
        Number of independent items the estimate rests on.
    level : float
        Confidence level, between 0 and 1.
    p_value : float or None
        Two-sided p-value of the null hypothesis that the function names, where it tests one.
    """

    value: float
    low: float
    high: float
    n: int
    level: float = 0.95
    p_value: float | None = None

    def __str__(self) -> str:
        text = f"{self.value:.3g} [{self.low:.3g}, {self.high:.3g}], n={self.n}"
        if self.level != 0.95:
            text += f", level={self.level:g}"
        if self.p_value is not None:
            text += ", p<0.001" if self.p_value < 0.001 else f", p={self.p_value:.3f}"
        return text

    def __float__(self) -> float:
        return self.value


# ----------------------------------------------------------------------------------------------- input checks


def _numbers(values: ArrayLike, name: str, *, minimum: int = 1, dimensions: tuple[int, ...] = (1,)) -> NDArray:
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
    finite = np.isfinite(array)
    if not finite.all():
        where = np.argwhere(~finite)[0]
        position = int(where[0]) if len(where) == 1 else tuple(int(i) for i in where)
        raise InputError(
            f"{name} holds {int((~finite).sum())} value(s) that are not finite, the first "
            f"{array[tuple(where)]} at position {position}"
        )
    return array


def _pair(a: ArrayLike, b: ArrayLike, names: tuple[str, str], *, minimum: int, dimensions=(1,)):
    first = _numbers(a, names[0], minimum=minimum, dimensions=dimensions)
    second = _numbers(b, names[1], minimum=minimum, dimensions=dimensions)
    if len(first) != len(second):
        raise InputError(f"{names[0]} has {len(first)} items but {names[1]} has {len(second)}; they must be paired")
    return first, second


def _labels(labels: ArrayLike, name: str = "labels") -> NDArray:
    array = _numbers(labels, name)
    if not np.isin(array, (0.0, 1.0)).all():
        odd = array[~np.isin(array, (0.0, 1.0))][0]
        raise InputError(f"{name} must be 0 or 1 (or bool), but one is {odd:g}")
    return array.astype(bool)


def _check_resampling(level: float, resamples: int) -> None:
    if not 0.0 < level < 1.0:
        raise InputError(f"level must lie between 0 and 1, but is {level}")
    if not isinstance(resamples, int | np.integer) or resamples < 100:
        raise InputError(f"resamples must be an integer of at least 100, but is {resamples!r}")


def _takes_axis(statistic: Callable) -> bool:
    try:
        return "axis" in inspect.signature(statistic).parameters
    except (TypeError, ValueError):
        return False


# -------------------------------------------------------------------------------------------------- bootstrap


def _resampled(
    samples: tuple[NDArray, ...],
    statistic: Callable,
    value: float,
    *,
    level: float,
    resamples: int,
    seed: int,
    method: str,
    vectorized: bool,
    paired: bool,
) -> tuple[float, float, NDArray]:
    """Interval ends and bootstrap distribution (SciPy); undefined resamples are left out."""
    from scipy.stats import bootstrap as scipy_bootstrap

    if method not in ("percentile", "bca"):
        raise InputError(f"method must be 'percentile' or 'bca', but is {method!r}")
    if not np.isfinite(value):
        raise InputError(f"the statistic is not defined on the data: it returned {value}")
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # undefined resamples are counted below, not warned about one by one
        result = scipy_bootstrap(
            samples,
            statistic,
            n_resamples=int(resamples),
            confidence_level=level,
            method=method,
            vectorized=vectorized,
            paired=paired,
            rng=np.random.default_rng(seed),
            batch=max(1, _BATCH_CELLS // sum(len(sample) for sample in samples)),
        )
    distribution = np.asarray(result.bootstrap_distribution, dtype=np.float64).ravel()
    defined = distribution[np.isfinite(distribution)]
    if len(defined) < len(distribution) / 2:
        raise UndefinedStatisticError(
            f"the statistic is undefined in {len(distribution) - len(defined)} of {len(distribution)} "
            "bootstrap resamples; there are too few distinct items for an interval"
        )
    if method == "bca":
        low, high = (float(end) for end in result.confidence_interval)
        if not (np.isfinite(low) and np.isfinite(high)):
            raise InputError(
                "the BCa interval is undefined on this data (constant or too few items); use method='percentile'"
            )
        return low, high, defined
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high), defined


def bootstrap(
    values: ArrayLike,
    statistic: Callable = np.mean,
    *,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    method: str = "percentile",
) -> Estimate:
    """Estimate of a statistic with its bootstrap interval (Efron & Tibshirani 1993, chapters 13 and 14).

    Parameters
    ----------
    values : array (n,) or (n, k)
        The items; for a two-dimensional array whole rows are resampled.
    statistic : callable
        Takes an array like `values` and returns one number. One that has an ``axis`` parameter is computed on
        all resamples at once when `values` is one-dimensional.
    level : float
        Confidence level.
    resamples : int
        Number of bootstrap resamples, at least 100.
    seed : int
        Seed of the resampling.
    method : {"percentile", "bca"}
        The percentile interval is the default: it is always defined, never leaves the range of the statistic,
        and is steady at small n, where it is somewhat too narrow. "bca" corrects bias and skew and needs a
        dozen items or more.

    Returns
    -------
    Estimate
        With n the number of rows. On identical items the interval has width zero; a share that may be 0 or 1
        is better given to `proportion`.

    Raises
    ------
    InputError
        Fewer than two items, a value that is not finite, a statistic undefined on the data or on most
        resamples (an `UndefinedStatisticError`; a few undefined resamples are left out).
    """
    _check_resampling(level, resamples)
    array = _numbers(values, "values", minimum=2, dimensions=(1, 2))
    value = float(statistic(array))
    options = dict(level=level, resamples=resamples, seed=seed, method=method, paired=False)
    if array.ndim == 1 and _takes_axis(statistic):
        low, high, _ = _resampled((array,), statistic, value, vectorized=True, **options)
    else:
        rows = np.arange(len(array))
        low, high, _ = _resampled((rows,), lambda i: statistic(array[i]), value, vectorized=False, **options)
    return Estimate(value, low, high, len(array), level)


def paired_bootstrap(
    a: ArrayLike,
    b: ArrayLike,
    *,
    statistic: Callable = np.mean,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Estimate:
    """Difference ``statistic(a) - statistic(b)`` on the same items, with interval and p-value.

    Both are resampled with the same item numbers. The interval is the percentile interval of the difference.
    The p-value is that of sacreBLEU and Riezler & Maxwell (2005): the share of resamples whose difference,
    centred on the mean of all resamples, is at least as large as the observed one, with one added to
    numerator and denominator.

    Parameters
    ----------
    a, b : arrays (n,) or (n, k)
        Item i of `a` and of `b` belong together: scores of two systems on one sentence, or rows of counts
        from which `statistic` computes a corpus score, or (score, label) rows to compare two correlations.
    statistic : callable
        Takes an array like `a` and returns one number.

    Raises
    ------
    InputError
        Different lengths, fewer than two items, a value that is not finite, an undefined statistic.
    """
    _check_resampling(level, resamples)
    first, second = _pair(a, b, ("a", "b"), minimum=2, dimensions=(1, 2))
    value = float(statistic(first)) - float(statistic(second))
    options = dict(level=level, resamples=resamples, seed=seed, method="percentile")
    if first.ndim == second.ndim == 1 and _takes_axis(statistic):
        low, high, distribution = _resampled(
            (first, second),
            lambda x, y, axis: statistic(x, axis=axis) - statistic(y, axis=axis),
            value,
            vectorized=True,
            paired=True,
            **options,
        )
    else:
        low, high, distribution = _resampled(
            (np.arange(len(first)),),
            lambda i: statistic(first[i]) - statistic(second[i]),
            value,
            vectorized=False,
            paired=False,
            **options,
        )
    # A difference that rounding alone makes smaller still counts as equal.
    slack = 1e-12 * max(1.0, abs(value))
    extreme = np.count_nonzero(np.abs(distribution - distribution.mean()) >= abs(value) - slack)
    return Estimate(value, low, high, len(first), level, float((extreme + 1) / (len(distribution) + 1)))


def paired_permutation(
    a: ArrayLike,
    b: ArrayLike,
    *,
    statistic: Callable = np.mean,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> Estimate:
    """Difference ``statistic(a) - statistic(b)`` with the p-value of the paired permutation (sign-flip) test.

    Under the null hypothesis the two scores of an item are exchangeable. All ``2**n`` exchanges are
    enumerated up to n = 15; above that `resamples` random ones are drawn (with one added to numerator and
    denominator). The p-value is twice the smaller tail, at most 1. The interval is the percentile bootstrap
    interval of the difference.

    Parameters
    ----------
    a, b : arrays (n,)
        Scores of two systems on the same items.
    statistic : callable
        Takes a one-dimensional array and returns one number.

    Raises
    ------
    InputError
        Different lengths, fewer than two items, a value that is not finite, an undefined statistic.
    """
    from scipy.stats import permutation_test

    _check_resampling(level, resamples)
    first, second = _pair(a, b, ("a", "b"), minimum=2)
    n = len(first)
    estimate = paired_bootstrap(first, second, statistic=statistic, level=level, resamples=2000, seed=seed)
    if _takes_axis(statistic):
        vectorized, difference = True, lambda x, y, axis: statistic(x, axis=axis) - statistic(y, axis=axis)
    else:
        vectorized, difference = False, lambda x, y: statistic(x) - statistic(y)
    result = permutation_test(
        (first, second),
        difference,
        permutation_type="samples",
        vectorized=vectorized,
        alternative="two-sided",
        n_resamples=max(int(resamples), 2**n) if n <= _EXACT_PAIRS else int(resamples),
        rng=np.random.default_rng(seed),
        batch=max(1, _BATCH_CELLS // n),
    )
    return Estimate(estimate.value, estimate.low, estimate.high, n, level, float(result.pvalue))


def proportion(hits: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Share of hits with its Wilson score interval.

    Unlike the bootstrap, that interval stays honest at a share of 0 or 1.

    Parameters
    ----------
    hits : array (n,) of bool or 0/1

    Raises
    ------
    InputError
        No items, or values other than 0 and 1.
    """
    from scipy.stats import binomtest

    _check_resampling(level, 100)
    array = _labels(hits, "hits")
    interval = binomtest(int(array.sum()), len(array)).proportion_ci(level, method="wilson")
    return Estimate(float(array.mean()), float(interval.low), float(interval.high), len(array), level)


# ------------------------------------------------------------------------------------------------ correlation


def _pearson_rows(x: NDArray, y: NDArray, axis: int = -1) -> NDArray:
    """Pearson's r along an axis; NaN where one side is constant."""
    x = x - x.mean(axis=axis, keepdims=True)
    y = y - y.mean(axis=axis, keepdims=True)
    norm = np.sqrt((x**2).sum(axis=axis) * (y**2).sum(axis=axis))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(norm > 0, (x * y).sum(axis=axis) / norm, np.nan)


def _spearman_rows(x: NDArray, y: NDArray, axis: int = -1) -> NDArray:
    """Spearman's rho along an axis (Pearson's r of average ranks); NaN where one side is constant."""
    from scipy.stats import rankdata

    return _pearson_rows(rankdata(x, axis=axis), rankdata(y, axis=axis), axis=axis)


def correlation(
    x: ArrayLike,
    y: ArrayLike,
    method: str = "spearman",
    *,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Estimate:
    """Correlation of two paired variables with interval and p-value (null hypothesis: independent).

    ==========  =======================================  ==============================================
    method      interval                                 p-value
    ==========  =======================================  ==============================================
    pearson     Fisher's z transform (SciPy)             exact under normality (SciPy)
    spearman    percentile bootstrap over the pairs      permutations up to n = 100, t above
    kendall     percentile bootstrap over the pairs      exact up to n = 33 without ties, else normal
    ==========  =======================================  ==============================================

    Kendall's is tau-b, which allows for ties; Spearman's rho uses average ranks. A bootstrap resample in
    which one variable is constant has no correlation and is left out; when that happens to more than half of
    them the call is refused. Bootstrap intervals of rank correlations are rough below n = 10: resampled pairs
    repeat, and ties follow.

    Parameters
    ----------
    x, y : arrays (n,)
        At least three pairs. With exactly three, Fisher's interval is [-1, 1].
    method : {"spearman", "pearson", "kendall"}

    Raises
    ------
    InputError
        Unknown method, different lengths, fewer than three pairs, a value that is not finite, a constant
        variable.
    """
    from scipy import stats as scipy_stats

    _check_resampling(level, resamples)
    if method not in ("spearman", "pearson", "kendall"):
        raise InputError(f"method must be 'spearman', 'pearson' or 'kendall', but is {method!r}")
    first, second = _pair(x, y, ("x", "y"), minimum=3)
    for name, array in (("x", first), ("y", second)):
        if np.ptp(array) == 0:
            raise InputError(f"{name} is constant ({array[0]:g} in all {len(array)} items); a correlation is undefined")
    n = len(first)
    if method == "pearson":
        with warnings.catch_warnings():
            warnings.simplefilter("error", scipy_stats.NearConstantInputWarning)
            try:
                result = scipy_stats.pearsonr(first, second)
            except scipy_stats.NearConstantInputWarning:
                raise InputError("x or y is constant up to rounding; a correlation is undefined") from None
        interval = result.confidence_interval(level)
        return Estimate(
            float(result.statistic), float(interval.low), float(interval.high), n, level, float(result.pvalue)
        )
    options = dict(level=level, resamples=resamples, seed=seed, method="percentile", paired=True)
    if method == "kendall":
        result = scipy_stats.kendalltau(first, second)
        value, p_value = float(result.statistic), float(result.pvalue)
        low, high, _ = _resampled(
            (first, second),
            lambda a, b: scipy_stats.kendalltau(a, b).statistic,
            value,
            vectorized=False,
            **options,
        )
        return Estimate(value, low, high, n, level, p_value)
    result = scipy_stats.spearmanr(first, second)
    value, p_value = float(result.statistic), float(result.pvalue)
    if n <= _PERMUTED_SPEARMAN:
        ranks = scipy_stats.rankdata(second)
        permuted = scipy_stats.permutation_test(
            (scipy_stats.rankdata(first),),
            lambda a, axis: _pearson_rows(a, ranks, axis=axis),
            vectorized=True,
            permutation_type="pairings",
            n_resamples=9_999,
            rng=np.random.default_rng(seed),
        )
        p_value = float(permuted.pvalue)
    low, high, _ = _resampled((first, second), _spearman_rows, value, vectorized=True, **options)
    return Estimate(value, low, high, n, level, p_value)


# ------------------------------------------------------------------------------------------- ranking measures


def average_precision(labels: ArrayLike, scores: ArrayLike) -> float:
    """Average precision of a ranking, ``sum over n of (R_n - R_(n-1)) * P_n`` (scikit-learn), in (0, 1].

    Items with equal scores enter together, at one threshold. Higher scores must mean "more likely positive".

    Parameters
    ----------
    labels : array (n,) of bool or 0/1
    scores : array (n,)

    Raises
    ------
    InputError
        No positive label (there is nothing to find; the measure is undefined, not 0), different lengths, not
        finite.
    """
    from sklearn.metrics import average_precision_score

    truth, ranking = _labels(labels), _numbers(scores, "scores")
    if len(truth) != len(ranking):
        raise InputError(f"labels has {len(truth)} items but scores has {len(ranking)}; they must be paired")
    if not truth.any():
        raise InputError(f"labels has no positive among {len(truth)} items; average precision is undefined")
    return float(average_precision_score(truth, ranking))


def mean_average_precision(
    labels: Sequence[ArrayLike], scores: Sequence[ArrayLike], *, without_positive: str = "error"
) -> float:
    """Mean over queries (for example sentences) of the average precision.

    Parameters
    ----------
    labels, scores : sequences of arrays
        One pair of arrays per query; lengths differ between queries.
    without_positive : {"error", "skip"}
        What to do with a query that has no positive label: refuse, or leave it out of the mean.

    Raises
    ------
    InputError
        As `average_precision`, naming the query; or no query left.
    """
    if without_positive not in ("error", "skip"):
        raise InputError(f"without_positive must be 'error' or 'skip', but is {without_positive!r}")
    if len(labels) != len(scores):
        raise InputError(f"labels has {len(labels)} queries but scores has {len(scores)}; they must be paired")
    values = []
    for number, (truth, ranking) in enumerate(zip(labels, scores)):
        try:
            if without_positive == "skip" and not _labels(truth).any():
                continue
            values.append(average_precision(truth, ranking))
        except InputError as error:
            raise InputError(f"query {number}: {error}") from None
    if not values:
        raise InputError(f"none of {len(labels)} queries has a positive label; mean average precision is undefined")
    return float(np.mean(values))


def _two_classes(labels: ArrayLike, scores: ArrayLike) -> tuple[NDArray, NDArray]:
    truth, ranking = _labels(labels), _numbers(scores, "scores")
    if len(truth) != len(ranking):
        raise InputError(f"labels has {len(truth)} items but scores has {len(ranking)}; they must be paired")
    if truth.all() or not truth.any():
        raise InputError(
            f"all {len(truth)} labels are {int(truth[0])}; the area under the ROC curve needs both classes"
        )
    return truth, ranking


def roc_auc(labels: ArrayLike, scores: ArrayLike) -> float:
    """Area under the ROC curve, in [0, 1].

    It is the share of (positive, negative) pairs in which the positive scores higher; ties count one half.

    Parameters
    ----------
    labels : array (n,) of bool or 0/1
    scores : array (n,)

    Raises
    ------
    InputError
        Only one class among the labels, different lengths, a value that is not finite.
    """
    from sklearn.metrics import roc_auc_score

    truth, ranking = _two_classes(labels, scores)
    return float(roc_auc_score(truth, ranking))


def _auc_rows(positive: NDArray, negative: NDArray, axis: int = -1) -> NDArray:
    """AUC along the last axis, as the Mann-Whitney statistic of average ranks."""
    from scipy.stats import rankdata

    if axis not in (-1, positive.ndim - 1):
        raise InputError(f"resamples must lie along the last axis, not {axis}")
    m, n = positive.shape[-1], negative.shape[-1]
    ranks = rankdata(np.concatenate([positive, negative], axis=-1), axis=-1)
    return (ranks[..., :m].sum(axis=-1) - m * (m + 1) / 2) / (m * n)


def _auc_perfect_low(m: int, n: int, level: float) -> float:
    """Lower end of the score interval of an observed AUC of 1 (Newcombe 2006, method 5)."""
    from scipy.optimize import brentq
    from scipy.stats import norm

    z, half = norm.ppf((1 + level) / 2), (m + n) / 2

    def excess(area: float) -> float:
        spread = 1 + (half - 1) * ((1 - area) / (2 - area) + area / (1 + area))
        return (1 - area) - z * math.sqrt(area * (1 - area) * spread / (m * n))

    # The excess is 1 at 0 and falls below zero close to 1, where the square root outweighs the line.
    return float(brentq(excess, 0.0, 1 - 1e-12)) if excess(1 - 1e-12) < 0 else 1.0


def roc_auc_interval(
    labels: ArrayLike,
    scores: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Estimate:
    """Area under the ROC curve with interval and p-value.

    The interval is the percentile interval of a stratified bootstrap: positives and negatives are resampled
    apart, so every resample has both classes. Where the classes are separated without an error (an area of 0
    or 1) resampling can say nothing, and the inner end comes from Newcombe's score interval (2006, Statistics
    in Medicine 25, method 5). The p-value is that of the Mann-Whitney test against an area of 0.5.

    Parameters
    ----------
    labels, scores : array (n,)
        As for `roc_auc`.
    groups : array (n,), optional
        What each item belongs to: numbers or names, such as the sentence that it is an edit of. Whole groups are
        then resampled, and there is no p-value, as the test takes every item for itself.

    Returns
    -------
    Estimate
        With n the number of items of both classes together, or of groups.

    Raises
    ------
    InputError
        As `roc_auc`, fewer than two items or two groups with either class, or more or fewer groups than items.
    """
    from scipy.stats import mannwhitneyu

    _check_resampling(level, resamples)
    truth, ranking = _two_classes(labels, scores)
    positive, negative = ranking[truth], ranking[~truth]
    if min(len(positive), len(negative)) < 2:
        raise InputError(
            f"an interval needs two items in each class; there are {len(positive)} positive and "
            f"{len(negative)} negative ones"
        )
    value = roc_auc(truth, ranking)
    options = dict(level=level, resamples=resamples, seed=seed)
    if groups is None:
        count, in_class = len(ranking), (len(positive), len(negative))
        p_value = float(mannwhitneyu(positive, negative, alternative="two-sided").pvalue) if np.ptp(ranking) else 1.0
    else:
        items, in_class = _items_of_groups(groups, truth)
        count, p_value = len(items), None
    if value in (0.0, 1.0):
        inner = _auc_perfect_low(*in_class, level)
        low, high = (inner, 1.0) if value == 1.0 else (0.0, 1.0 - inner)
    elif groups is None:
        low, high, _ = _resampled(
            (positive, negative), _auc_rows, value, method="percentile", vectorized=True, paired=False, **options
        )
    else:

        def area(chosen: NDArray) -> float:
            own = np.concatenate([items[int(group)] for group in chosen])
            first, second = ranking[own][truth[own]], ranking[own][~truth[own]]
            return float(_auc_rows(first, second)) if len(first) and len(second) else float("nan")

        estimate = bootstrap(np.arange(count), area, **options)
        low, high = estimate.low, estimate.high
    return Estimate(value, low, high, count, level, p_value)


def _items_of_groups(groups: ArrayLike, truth: NDArray) -> tuple[list[NDArray], tuple[int, int]]:
    """The places of each group's items, and how many groups have items of the positive and of the negative class."""
    named = np.asarray(groups)
    if named.shape != truth.shape:
        raise InputError(f"there are {len(truth)} items, and groups of shape {named.shape}")
    distinct, number = np.unique(named, return_inverse=True)
    positive, negative = (len(np.unique(number[side])) for side in (truth, ~truth))
    if min(positive, negative) < 2:
        raise InputError(
            f"an interval needs two groups with each class; {positive} have positive items, {negative} negative ones"
        )
    return [np.flatnonzero(number == group) for group in range(len(distinct))], (positive, negative)


def reciprocal_rank(rank: float) -> float:
    """``1 / rank`` for the rank of the right answer, counted from 1; fractional ranks stand for ties."""
    return mean_reciprocal_rank([rank])


def mean_reciprocal_rank(ranks: ArrayLike) -> float:
    """Mean of ``1 / rank`` over questions, in (0, 1].

    Parameters
    ----------
    ranks : array (n,)
        Rank of the right answer in each question, counted from 1; a mean rank such as 1.5 stands for a tie.

    Raises
    ------
    InputError
        No ranks, or a rank below 1 or not finite.
    """
    array = _numbers(ranks, "ranks")
    if (array < 1).any():
        raise InputError(f"ranks count from 1, but one is {array[array < 1][0]:g}")
    return float(np.mean(1.0 / array))
