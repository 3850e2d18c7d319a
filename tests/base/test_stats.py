"""Statistics: hand-worked values, agreement with SciPy and scikit-learn, calibration, bad input."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refused import refused
from scipy import stats as scipy_stats
from sklearn import metrics as sklearn_metrics

from nbhelpers.base import stats
from nbhelpers.base.errors import InputError
from nbhelpers.base.stats import Estimate


def plain_auc(positive, negative):
    """Share of pairs that the positive item wins, ties counting one half."""
    difference = np.subtract.outer(positive, negative)
    return (difference > 0).mean() + (difference == 0).mean() / 2


def normal(n, seed=0):
    return np.random.default_rng(seed).normal(size=n)


def test_estimate_prints_value_interval_and_n():
    assert str(Estimate(0.571, 0.12, 0.8312, 14)) == "0.571 [0.12, 0.831], n=14"
    assert str(Estimate(0.5, 0.0, 1.0, 8, p=0.04)) == "0.5 [0, 1], n=8, p=0.040"
    assert str(Estimate(0.5, 0.4, 0.6, 800, p=1e-5)).endswith("n=800, p<0.001")
    assert float(Estimate(0.25, 0, 1, 4)) == 0.25


# -------------------------------------------------------------------------------------------------- bootstrap


@pytest.mark.parametrize("statistic", [np.mean, np.median])
def test_value_and_interval_are_those_of_a_plain_loop(statistic):
    values = normal(25, seed=3)
    estimate = stats.resampled(lambda chosen: statistic(values[chosen]), range(25), seed=5, resamples=4000)
    rng = np.random.default_rng(99)
    plain = [statistic(rng.choice(values, len(values))) for _ in range(4000)]
    assert estimate.value == pytest.approx(statistic(values))
    assert estimate.n == 25
    # Two independent sets of resamples: the ends agree up to the noise of resampling.
    assert [estimate.low, estimate.high] == pytest.approx(np.quantile(plain, [0.025, 0.975]), abs=0.03)


def test_bootstrap_is_the_mean_resampled():
    values = normal(25, seed=3)
    whole = stats.resampled(lambda chosen: values[chosen].mean(), range(25))
    assert stats.bootstrap(values) == replace(whole, p=None)
    assert stats.bootstrap([2.0] * 6) == Estimate(2.0, 2.0, 2.0, 6)


def test_bootstrap_interval_covers_the_mean_about_as_often_as_it_says():
    rng = np.random.default_rng(7)
    intervals = [stats.bootstrap(rng.normal(3, 1, 40), resamples=400, seed=i) for i in range(300)]
    coverage = np.mean([e.low <= 3 <= e.high for e in intervals])
    assert 0.90 <= coverage <= 0.98  # 0.95, less the known narrowness at n = 40, give or take 300 repetitions


def test_a_statistic_that_is_undefined_on_a_few_resamples_keeps_its_interval():
    values = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
    undefined = [
        lambda chosen: np.nan if values[chosen].std() == 0 else values[chosen].mean(),
        lambda chosen: 1.0 if (chosen == np.arange(6)).all() else np.nan,
        lambda chosen: np.nan,
    ]
    estimate = stats.resampled(undefined[0], range(6))
    assert estimate.low <= 0.5 <= estimate.high
    with pytest.raises(InputError, match="undefined in"):
        stats.resampled(undefined[1], range(6))
    with pytest.raises(InputError, match="not defined on the data"):
        stats.resampled(undefined[2], range(6))


# ----------------------------------------------------------------------------------------------- paired tests


def test_exact_permutation_test_equals_full_enumeration():
    a, b = normal(9, seed=1) + 0.6, normal(9, seed=2)
    null = (np.array(list(itertools.product([1, -1], repeat=9))) * (a - b)).mean(axis=1)
    observed = (a - b).mean()
    tails = np.mean(null >= observed - 1e-12), np.mean(null <= observed + 1e-12)
    estimate = stats.paired_permutation(a, b)
    assert estimate.value == pytest.approx(observed)
    assert estimate.p == pytest.approx(min(1.0, 2 * min(tails)))


def test_permutation_is_exact_up_to_fifteen_pairs():
    a, b = normal(15, seed=3) + 0.5, normal(15, seed=4)
    first, second = (stats.paired_permutation(a, b, seed=seed).p * 2**15 for seed in (1, 2))
    assert first == second == pytest.approx(round(first))


@pytest.mark.parametrize("test, n", [(stats.paired_permutation, 9), (stats.paired_bootstrap, 40)])
def test_p_values_are_about_uniform_when_nothing_differs(test, n):
    rng = np.random.default_rng(11)
    p_values = []
    for i in range(300):
        common = rng.normal(size=n)
        p_values.append(test(common + rng.normal(size=n), common + rng.normal(size=n), resamples=500, seed=i).p)
    assert scipy_stats.kstest(p_values, "uniform").pvalue > 0.01
    assert 0.01 <= np.mean(np.array(p_values) <= 0.05) <= 0.10


def test_paired_bootstrap_sees_a_difference_that_unpaired_intervals_hide():
    difficulty = 10 * normal(50, seed=1)
    a, b = difficulty + 0.5 + 0.1 * normal(50, seed=2), difficulty
    estimate = stats.paired_bootstrap(a, b)
    assert estimate.p < 0.01
    assert 0.4 < estimate.low < estimate.value < estimate.high < 0.6


def test_a_system_against_itself_differs_by_nothing():
    a = normal(20)
    for estimate in (stats.paired_bootstrap(a, a), stats.paired_permutation(a, a)):
        assert (estimate.value, estimate.low, estimate.high, estimate.p) == (0, 0, 0, 1)


# ------------------------------------------------------------------------------------------------- proportion


def test_shares_and_means_are_those_of_the_bootstrap():
    rng = np.random.default_rng(3)
    counts = np.stack([rng.integers(0, 3, 40), np.full(40, 3)], axis=-1)[:, None]
    hits, total = counts[:, 0].T
    expected = stats.resampled(lambda chosen: hits[chosen].sum() / total[chosen].sum(), range(40))
    found = stats.shares(counts).estimate()
    assert (found.value, found.low, found.high) == pytest.approx((expected.value, expected.low, expected.high))
    values = rng.normal(size=(40, 2))
    expected, both = stats.paired_bootstrap(values[:, 0], values[:, 1]), stats.means(values)
    found = (both[:1] - both[1:]).estimate()
    assert (found.value, found.low, found.high, found.p) == pytest.approx(
        (expected.value, expected.low, expected.high, expected.p), abs=1e-9
    )
    assert both.mean().value == pytest.approx(values.mean()) and both.beside(both).values.shape == (4,)
    assert stats.shares(np.zeros((5, 1, 2))).estimate() is None and stats.shares(np.zeros((5, 1, 2))).mean() is None


@pytest.mark.parametrize("truth", [np.zeros(8), np.append(np.full(7, -1.0), 0.0), np.linspace(-0.3, 0, 8)])
def test_a_joint_interval_covers_the_largest_true_value(truth):
    missed, rejected, runs = 0, 0, 120
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        rows = truth + rng.normal(size=(80, 1)) + rng.normal(size=(80, 8))  # the cells share the sentences
        found = stats.means(rows, resamples=300, seed=seed).largest()
        missed += not found.low <= 0 <= found.high
        rejected += found.p < 0.05
    assert max(missed, rejected) <= 14  # 6 are expected at 5 %; 14 or more happen once in 400
    other = stats.means(-rows, resamples=300).smallest()
    assert (other.value, other.low) == pytest.approx((-found.value, -stats.means(rows, resamples=300).largest().high))


def test_wilson_interval_has_its_textbook_values():
    # Newcombe (1998), Table I: 81 of 263 gives 0.2553 to 0.3662; 0 of 20 gives 0 to 0.1611.
    some, none = stats.proportion([1] * 81 + [0] * 182), stats.proportion([False] * 20)
    assert (some.low, some.high) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert (none.value, none.low, none.high) == pytest.approx((0, 0, 0.1611), abs=5e-5)


# ------------------------------------------------------------------------------------------------ correlation


def test_correlation_values_are_scipys():
    x = np.round(normal(14, seed=1), 1)
    y = np.round(x + normal(14, seed=2), 1)  # rounded, so that there are ties
    estimate = stats.correlation(x, y, resamples=500)
    assert estimate.value == pytest.approx(scipy_stats.spearmanr(x, y).statistic)
    assert -1 <= estimate.low <= estimate.value <= estimate.high <= 1
    assert estimate.n == 14


def test_spearman_by_hand():
    # Differences of ranks 1, 1, 0, 0: rho = 1 - 6 * 2 / (4 * 15) = 0.8.
    # Of 24 orders 4 reach 0.8: p = 2 * 4 / 24.
    estimate = stats.correlation([1, 2, 3, 4], [2, 1, 3, 4])
    assert estimate.value == pytest.approx(0.8)
    assert estimate.p == pytest.approx(8 / 24)


def test_vectorised_spearman_equals_scipy_row_by_row():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 5, (30, 9)).astype(float), rng.integers(0, 5, (30, 9)).astype(float)
    expected = [scipy_stats.spearmanr(a, b).statistic for a, b in zip(x, y)]
    assert stats.spearman_rows(x, y) == pytest.approx(np.array(expected))


# ------------------------------------------------------------------------------------------- ranking measures


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=2, max_size=30))
def test_ranking_measures_agree_with_scikit_learn(items):
    labels, scores = (np.array(each, float) for each in zip(*items))
    if any(labels):
        precision = sklearn_metrics.average_precision_score(labels, scores)
        assert stats.average_precision(labels, scores) == pytest.approx(precision)
    if 0 < sum(labels) < len(labels):
        area = sklearn_metrics.roc_auc_score(labels, scores)
        assert stats.roc_auc(labels, scores) == pytest.approx(area)
        both = stats.areas(labels, [scores, -scores], range(len(labels)))
        assert both.values == pytest.approx([area, 1 - area])


def test_auc_interval_resamples_whole_groups():
    rng = np.random.default_rng(1)
    labels, groups = np.tile([0, 1], 30), np.repeat(np.arange(30), 2)
    scores = labels * 0.8 + rng.normal(size=60)
    estimate = stats.roc_auc_interval(labels, scores, groups=groups)
    assert estimate.value == pytest.approx(stats.roc_auc(labels, scores))
    assert estimate.n == 30 and estimate.p is None
    # the plain slow way, and what makes groups matter: every item four times over adds no information
    draws = np.random.default_rng(2).integers(0, 30, (4000, 30))
    pairs = scores.reshape(30, 2)
    slow = [plain_auc(pairs[chosen, 1], pairs[chosen, 0]) for chosen in draws]
    assert (estimate.low, estimate.high) == pytest.approx(np.quantile(slow, [0.025, 0.975]), abs=0.02)
    repeated = stats.roc_auc_interval(np.tile(labels, 4), np.tile(scores, 4), groups=np.tile(groups, 4))
    assert (repeated.value, repeated.low, repeated.high) == pytest.approx((estimate.value, estimate.low, estimate.high))
    naive = stats.roc_auc_interval(np.tile(labels, 4), np.tile(scores, 4))
    assert naive.high - naive.low < 0.7 * (estimate.high - estimate.low)


def test_auc_interval_of_groups_that_are_separated_or_have_one_class():
    labels, pairs = [0, 1] * 8, np.repeat(range(8), 2)
    alone = stats.roc_auc_interval(sorted(labels), sorted(labels))
    perfect = stats.roc_auc_interval(labels, labels, groups=pairs)
    assert (perfect.value, perfect.low, perfect.high, perfect.n) == (1.0, alone.low, 1.0, 8)
    turned = stats.roc_auc_interval([1, 0] * 8, labels, groups=pairs)
    assert (turned.low, turned.high) == (0.0, pytest.approx(1 - alone.low))
    apart = stats.roc_auc_interval(labels, labels, groups=range(16))  # every item by itself
    assert (apart.low, apart.n) == (alone.low, 16)
    one_class_each = stats.roc_auc_interval([0, 1] * 6, range(12), groups=range(12))
    assert 0 <= one_class_each.low < one_class_each.value < one_class_each.high <= 1


def test_auc_interval_is_a_stratified_bootstrap():
    rng = np.random.default_rng(0)
    labels = np.array([1] * 12 + [0] * 30)
    scores = rng.normal(size=42) + labels
    estimate = stats.roc_auc_interval(labels, scores)
    positive, negative = scores[labels == 1], scores[labels == 0]
    plain = [plain_auc(rng.choice(positive, 12), rng.choice(negative, 30)) for _ in range(1000)]
    assert estimate.value == pytest.approx(sklearn_metrics.roc_auc_score(labels, scores))
    assert [estimate.low, estimate.high] == pytest.approx(np.quantile(plain, [0.025, 0.975]), abs=0.03)
    assert estimate.p == pytest.approx(scipy_stats.mannwhitneyu(positive, negative).pvalue)
    assert estimate.n == 42


def test_perfect_separation_does_not_claim_certainty_and_constant_scores_know_nothing():
    up = stats.roc_auc_interval([0] * 8 + [1] * 8, range(16))
    down = stats.roc_auc_interval([1] * 8 + [0] * 8, range(16))
    larger = stats.roc_auc_interval([0] * 80 + [1] * 80, range(160))
    assert up.value == up.high == 1 and 0.6 < up.low < 0.9
    assert (down.value, down.low, down.high) == pytest.approx((0, 0, 1 - up.low))
    assert up.low < larger.low < 1
    assert stats.roc_auc_interval([0, 1, 0, 1], [5, 5, 5, 5]) == Estimate(0.5, 0.5, 0.5, 4, p=1.0)


# -------------------------------------------------------------------------------------------------- bad input


test_bad_input_is_one_clear_sentence = refused(
    (lambda: stats.bootstrap([1.0, float("nan"), 3.0]), r"values is not finite at position \(1,\): nan"),
    (lambda: stats.means([[1.0, 2.0], [3.0, float("inf")]]), r"position \(1, 1\): inf"),
    (lambda: stats.bootstrap([1.0]), "at least 2"),
    (lambda: stats.bootstrap("words"), "not an array of numbers"),
    (lambda: stats.bootstrap([1, 2, 3], resamples=10), "resamples"),
    (lambda: stats.paired_bootstrap([1, 2, 3], [1, 2]), "a has 3 items but b has 2"),
    (lambda: stats.correlation([1, 2, 3], [4, 4, 4]), "y is constant"),
    (lambda: stats.correlation([1, 1 + 1e-15, 1], [1, 2, 3]), "x is constant"),
    (lambda: stats.correlation([1, 2], [1, 2]), "at least 3"),
    (lambda: stats.average_precision([0, 0], [1, 2]), "needs a positive item"),
    (lambda: stats.average_precision([0, 2], [1, 2]), "0 or 1"),
    (lambda: stats.roc_auc([1, 1], [1, 2]), "all 2 labels are 1; the measure needs both"),
    (lambda: stats.roc_auc_interval([0, 1, 1], [1, 2, 3]), "two items in each class"),
    (lambda: stats.roc_auc_interval([0, 1, 0, 1], [1, 2, 3, 4], groups=[0, 1]), "groups of shape"),
    (lambda: stats.roc_auc_interval([0, 1, 1, 0], [1, 2, 3, 4], groups=list("abbc")), "two groups .* 1 pos"),
    (lambda: stats.proportion([0.5]), "0 or 1"),
)
