"""Verdicts: known truths go through the whole scheme, and its promises hold."""

import math

import numpy as np
import pytest

from nbhelpers.base import stats
from nbhelpers.base.errors import InputError
from nbhelpers.base.stats import Estimate
from nbhelpers.results.verdicts import CONTRADICTED, EXCLUDED, HOLDS, INSIDE, UNDECIDED, Test, judge


def one(test, *numbers, **options):
    return judge({"a": test}, {"a": Estimate(*numbers, **options)})["a"]


@pytest.mark.parametrize(
    ("rule", "bound", "value", "low", "high", "expected"),
    [
        ("above", 0, 0.2, 0.1, 0.3, HOLDS),
        ("above", 0, -0.2, -0.3, -0.1, CONTRADICTED),
        ("above", 0, 0.1, -0.1, 0.3, UNDECIDED),
        ("above", 0.5, 0.2, 0.1, 0.3, CONTRADICTED),
        ("below", 0, -0.2, -0.3, -0.1, HOLDS),
        ("within", (-0.02, 0.02), 0.0, -0.01, 0.01, HOLDS),
        ("within", (-0.02, 0.02), 0.01, -0.01, 0.05, UNDECIDED),
        ("within", (-0.02, 0.02), 0.04, 0.03, 0.05, CONTRADICTED),
    ],
)
def test_the_direction_of_a_single_claim_follows_from_its_interval(rule, bound, value, low, high, expected):
    assert one(Test(rule, bound), value, low, high, 100).direction == expected


def test_a_count_is_decided_by_its_value_and_joins_no_correction():
    found = one(Test("above", 17, exact=True), 18.0, math.nan, math.nan, 18)
    assert (found.direction, found.p, found.q, found.needed) == (HOLDS, None, None, None)


def test_size_power_and_what_n_would_decide():
    wide = one(Test("above", 0, size=17.4, matters=1.0), 1.0, -1.0, 3.0, 100)
    assert (wide.direction, wide.size, wide.equivalent) == (UNDECIDED, EXCLUDED, False)
    error = 2 / 1.959964
    assert wide.detectable == pytest.approx(2.801585 * error, rel=1e-6)
    assert wide.needed == math.ceil(100 * (2.801585 * error / 1.0) ** 2)  # 17.4 would have been found with this n
    near = one(Test("above", 0, size=2.0, matters=1.0), 1.0, -1.0, 3.0, 100)
    assert near.needed == math.ceil(100 * (2.801585 * error / 2.0) ** 2)
    assert (wide.aim, near.aim) == (1.0, 2.0)
    finer = one(Test("above", 0, size=17.4, matters=3.6), 1.2, -1.3, 3.7, 100)  # 3.6 would have been found, too
    assert (finer.aim, finer.needed) == (1.8, math.ceil(100 * (2.801585 * 2.5 / 1.959964 / 1.8) ** 2))
    nothing = one(Test("above", 0, size=17.4, matters=1.0), 0.1, -0.4, 0.6, 500)
    assert (nothing.direction, nothing.equivalent, nothing.needed) == (UNDECIDED, True, None)
    assert one(Test("above", 0, size=(2.0, 9.0)), 1.0, -1.0, 3.0, 9).size == INSIDE
    far, near = (one(Test("above", 0, size=size), 1.0, -1.0, 3.0, 100).predicted for size in (4.0, 3.8))
    assert (far, near) == (False, True)  # a prediction interval is wider by the square root of two
    same = one(Test("below", 0, size=-5.0), -5.0, -6.0, -4.0, 9)
    assert same.variation == 0
    assert one(Test("below", 0, size=-5.0), 5.0, 4.0, 6.0, 9).variation is None


def test_the_correction_counts_all_claims():
    estimates = {str(k): Estimate(2.2, 0.24, 4.16, 50) for k in range(20)}  # each alone has p = .033
    mixed = {name: Estimate(0.0, -2, 2, 50) if int(name) else one for name, one in estimates.items()}
    tests = {name: Test("above", 0) for name in estimates}
    assert {found.direction for found in judge(tests, estimates).values()} == {HOLDS}
    assert {found.direction for found in judge(tests, mixed).values()} == {UNDECIDED}


def test_a_wrong_rule_is_refused():
    with pytest.raises(InputError, match="a rule is one of"):
        Test("near", 0)
    with pytest.raises(InputError, match="two bounds"):
        Test("within", 0)


def test_false_discoveries_and_power_are_as_promised():
    """60 claims of which a third is true: 40 items each, intervals by the bootstrap, through the whole scheme."""
    rng, false, hits, wrong = np.random.default_rng(0), [], [], 0
    effect = 2.801585 / math.sqrt(40)  # what n = 40 finds four times out of five at a level of 5 %
    for _ in range(40):
        truths = [effect if k % 3 == 0 else 0.0 for k in range(60)]
        samples = rng.normal(np.array(truths)[:, None], 1.0, (60, 40))
        estimates = {str(k): stats.bootstrap(sample, resamples=1000) for k, sample in enumerate(samples)}
        judged = judge({name: Test("above", 0) for name in estimates}, estimates)
        decided = [int(name) for name, each in judged.items() if each.direction != UNDECIDED]
        false.append(sum(truths[k] == 0 for k in decided) / max(1, len(decided)))
        wrong += sum(judged[str(k)].direction == CONTRADICTED for k in decided if truths[k])
        hits += [judged[str(k)].p < 0.05 for k in range(0, 60, 3)]
    assert np.mean(false) < 0.05
    assert wrong == 0
    assert 0.74 < np.mean(hits) < 0.88
