"""From an estimate to a verdict: direction, size and power, by the same few rules for every claim.

*Direction*: does the number lie on the side that the claim names? Tested with a two-sided p-value, and all tested
claims together are held to a false discovery rate of 5 % (Benjamini & Hochberg 1995). *Size*: does the interval hold
the published size, and does it lie within the smallest effect that matters (equivalence: Schuirmann 1987; Lakens
2017)? *Power*: which difference would this n find four times out of five, and what n would decide (compare the small
telescopes of Simonsohn 2015)? ``docs/verdicts.md`` explains the choices.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from nbhelpers.base.errors import InputError
from nbhelpers.base.stats import Estimate

RATE = 0.05
"""False discovery rate over all tested claims."""

HOLDS, CONTRADICTED, UNDECIDED = "holds", "contradicted", "undecided"
INSIDE, EXCLUDED = "inside", "excluded"
RULES = ("above", "below", "within")
_Z = 1.959963984540054
_DETECTABLE = _Z + 0.8416212335729143
"""Standard errors between no effect and one that is found four times out of five."""


@dataclass(frozen=True)
class Test:
    """What a claim says of a number.

    Attributes
    ----------
    rule : {"above", "below", "within"}
        Where the number lies if the claim holds.
    bound : float or (float, float)
        Above or below what, or between what.
    size : float or (float, float), optional
        The published size, or the smallest and largest of several.
    matters : float, optional
        The smallest distance from the bound that matters.
    exact : bool
        The number is a count, or that of the one example that the claim is about: it has no sampling error.
    """

    __test__ = False  # no test of pytest's

    rule: str
    bound: float | tuple[float, float]
    size: float | tuple[float, float] | None = None
    matters: float | None = None
    exact: bool = False

    def __post_init__(self) -> None:
        if self.rule not in RULES or (self.rule == "within") != isinstance(self.bound, (tuple, list)):
            raise InputError(f"a rule is one of {', '.join(RULES)}, with two bounds for within; not {self.rule!r}")


@dataclass(frozen=True)
class Judgement:
    """What follows from an estimate.

    Attributes
    ----------
    direction : {"holds", "contradicted", "undecided"}
    p, q : float or None
        Of the test of the direction, before and after the correction for all claims; None for an exact number.
    size : {"inside", "excluded", ""}
        Whether the interval holds the published size; empty where there is none.
    equivalent : bool
        Whether the whole interval is nearer to the bound than the smallest effect that matters.
    detectable : float
        Distance from the bound that this n finds four times out of five.
    needed : int or None
        For an undecided claim that is not `equivalent`: n at which the effect `aim` is found four times out of five.
    aim : float or None
        The first of these that this n would not have found: the published size, as a distance from the bound; the
        smallest effect that matters; half of that, which is the hardest to decide either way.
    predicted : bool or None
        Whether the published number lies in the 95 % prediction interval for another study of this n.
    variation : float or None
        Coefficient of variation of the published number and ours, in per cent, corrected for two measurements (QRA++:
        Belz 2022, 2025); None where they have different signs or one is 0.
    """

    direction: str
    p: float | None
    q: float | None
    size: str
    equivalent: bool
    detectable: float
    needed: int | None
    aim: float | None
    predicted: bool | None
    variation: float | None


def _error(found: Estimate, bound: float) -> float:
    """Standard error on the side of the bound: a quarter of the interval, as its two halves may differ."""
    half = found.value - found.low if bound < found.value else found.high - found.value
    return half / _Z


def _distance_p(found: Estimate, bound: float) -> float:
    """Two-sided p-value of the hypothesis that the number is `bound`, by its interval and n (Student's t)."""
    from scipy.stats import t

    error = _error(found, bound)
    if error <= 0:
        return 1.0 if found.value == bound else 0.0
    return float(2 * t.sf(abs(found.value - bound) / error, max(found.n - 1, 1)))


def _direction(test: Test, found: Estimate) -> tuple[bool, float]:
    """Whether the estimate lies where the claim says, and the p-value against the other answer."""
    if test.rule == "within":
        low, high = test.bound
        inside = low < found.value < high
        p_values = [_distance_p(found, bound) for bound in (low, high)]
        return inside, max(p_values) if inside else min(1.0, _distance_p(found, low if found.value <= low else high))
    right = found.value > test.bound if test.rule == "above" else found.value < test.bound
    own = found.p if found.p is not None and test.bound == 0 else None
    return right, _distance_p(found, test.bound) if own is None else own


def judge(tests: Mapping[str, Test], found: Mapping[str, Estimate]) -> dict[str, Judgement]:
    """Verdicts on a family of claims.

    Parameters
    ----------
    tests : mapping of str to Test
    found : mapping of str to Estimate
        The same names. An estimate's own p-value is taken where the bound is 0; elsewhere it follows from the half of
        the interval that faces the bound.

    Examples
    --------
    >>> one = judge({"a": Test("above", 0.0, size=5.0)}, {"a": Estimate(6.0, 4.0, 8.0, 100)})["a"]
    >>> one.direction, one.size, round(one.detectable, 2)
    ('holds', 'inside', 2.86)
    """
    from scipy.stats import false_discovery_control

    sides = {name: _direction(test, found[name]) for name, test in tests.items()}
    inexact = [name for name, test in tests.items() if not test.exact]
    q_values = (
        dict(zip(inexact, false_discovery_control([sides[name][1] for name in inexact]).tolist())) if inexact else {}
    )
    judged = {}
    for name, test in tests.items():
        right, p = sides[name]
        direction = HOLDS if right else CONTRADICTED
        if not test.exact and not q_values[name] < RATE:
            direction = UNDECIDED
        one = _size(test, found[name], direction)
        judged[name] = one if test.exact else replace(one, p=p, q=q_values[name])
    return judged


def _ends(given: float | Sequence[float]) -> Sequence[float]:
    return given if isinstance(given, (tuple, list)) else (given, given)


def _size(test: Test, found: Estimate, direction: str) -> Judgement:
    """Everything but the p-values."""
    ends = (found.low, found.high) if not math.isnan(found.low) else (found.value, found.value)
    sizes, bounds = None if test.size is None else _ends(test.size), _ends(test.bound)
    nearest = min(bounds, key=lambda bound: abs(found.value - bound))
    error = _error(found, nearest) if ends[0] < ends[1] else 0.0
    published = min((abs(size - nearest) for size in sizes or ()), default=0.0)
    equivalent = bool(
        test.matters and test.rule != "within" and max(abs(end - test.bound) for end in ends) < test.matters
    )
    needed, aim = None, None
    if direction == UNDECIDED and not equivalent:
        aims = (published, test.matters or 0.0, (test.matters or 0.0) / 2)
        aim = next((one for one in aims if 0 < one < _DETECTABLE * error), None)
        needed = aim and math.ceil(found.n * (_DETECTABLE * error / aim) ** 2)
    size, predicted, variation = "", None, None
    if sizes is not None:
        size = INSIDE if ends[0] <= max(sizes) and min(sizes) <= ends[1] else EXCLUDED
        middle, spread = sum(sizes) / 2, math.sqrt(2) * (ends[1] - ends[0]) / 2
        predicted = abs(min(sizes, key=lambda one: abs(one - found.value)) - found.value) <= spread
        if middle * found.value > 0:
            deviation = abs(middle - found.value) / math.sqrt(2) / 0.7978845608028654  # unbiased for two
            variation = 100 * (1 + 1 / 8) * deviation / (abs(middle + found.value) / 2)
    return Judgement(direction, None, None, size, equivalent, _DETECTABLE * error, needed, aim, predicted, variation)
