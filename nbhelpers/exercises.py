"""Checks for the notebooks' exercises: each takes the learner's function and answers with a teaching message.

A check never raises: it prints what it found and returns whether the answer is right, so that a notebook with open
exercises still runs from top to bottom.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any


def check(function: Callable, cases: Sequence[tuple[tuple, Any, str]], *, tolerance: float = 1e-6) -> bool:
    """Try a learner's function on cases and print the first thing to learn.

    Parameters
    ----------
    function : callable
        The learner's answer. Returning None or raising NotImplementedError counts as not yet tried.
    cases : sequence of (arguments, expected result, why)
        ``why`` says, in a sentence, what a wrong answer on this case has overlooked.
    tolerance : float
        Absolute tolerance for numbers, also inside lists.

    Returns
    -------
    bool
        Whether every case came out right.
    """
    for arguments, expected, why in cases:
        call = f"{getattr(function, '__name__', 'your function')}({', '.join(map(_short, arguments))})"
        try:
            result = function(*arguments)
        except NotImplementedError:
            result = None
        except Exception as error:
            print(f"{call} stops with {type(error).__name__}: {error}. Expected {_short(expected)}. {why}")
            return False
        if result is None:
            print("Nothing to check yet: write the function above and run this cell again.")
            return False
        if not _same(result, expected, tolerance):
            print(f"{call} gives {_short(result)}, expected {_short(expected)}. {why}")
            return False
    print(f"Correct on {len(cases)} {'case' if len(cases) == 1 else 'cases'}.")
    return True


def _same(result: Any, expected: Any, tolerance: float) -> bool:
    if isinstance(expected, bool) or isinstance(expected, str):
        return result == expected
    if isinstance(expected, int | float):
        try:
            return math.isclose(float(result), expected, rel_tol=tolerance, abs_tol=tolerance)
        except (TypeError, ValueError):
            return False
    try:
        return len(result) == len(expected) and all(_same(r, e, tolerance) for r, e in zip(result, expected))
    except TypeError:
        return False


def _short(value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else repr(value)
    return text if len(text) <= 80 else text[:77] + "…"


def check_01_plain_weights(function: Callable[[int, int, int, float], Sequence[float]]) -> bool:
    """Exercise of notebook 01: ``function(n, start, stop, mu)`` gives the plain weights of the unedited words."""
    return check(
        function,
        [
            ((3, 1, 2, 0.5), [0.5, 0.5], "Both neighbours of a one-word edit are at distance 1, so each weighs μ."),
            ((5, 0, 1, 0.5), [0.5, 0.25, 0.125, 0.0625], "Distance grows by 1 with every word away from the edit."),
            ((6, 2, 4, 0.5), [0.25, 0.5, 0.5, 0.25],
             "For an edit of several words the distance is counted from its nearer end; edited words have no weight."),
            ((4, 1, 2, 1.0), [1, 1, 1], "With μ = 1 every word weighs the same."),
        ],
    )  # fmt: skip


def check_01_divergence(function: Callable[[Sequence[float], Sequence[float]], float]) -> bool:
    """Exercise of notebook 01: ``function(before, after)`` gives KL(after ‖ before) in nats."""
    half = [0.5, 0.5]
    return check(
        function,
        [
            ((half, half), 0.0, "A distribution does not diverge from itself."),
            ((half, [1.0, 0.0]), math.log(2), "A probability of 0 in `after` adds nothing: 0·log 0 counts as 0."),
            (([0.9, 0.1], half), 0.5 * math.log(0.5 / 0.9) + 0.5 * math.log(0.5 / 0.1),
             "The distribution after the edit, `after`, stands in front: sum of after·log(after / before)."),
        ],
    )  # fmt: skip


def check_01_auc(function: Callable[[Sequence[bool], Sequence[float]], float]) -> bool:
    """Exercise of notebook 01: ``function(broken, scores)`` gives the area under the ROC curve."""
    return check(
        function,
        [
            (([True, False], [2.0, 1.0]), 1.0, "The broken pair scores higher, so the one comparison is won."),
            (([True, False, True, False], [1.0, 2.0, 4.0, 3.0]), 0.5, "Compare every broken with every kept pair: 2 of 4 won."),
            (([True, False], [1.0, 1.0]), 0.5, "A tie counts one half."),
        ],
    )  # fmt: skip


def check_00_mean(function: Callable[[Sequence[float]], float]) -> bool:
    """Exercise of notebook 00: ``function(values)`` gives the arithmetic mean."""
    return check(function, [(([2.0, 4.0],), 3.0, "Sum the values and divide by how many there are."),
                            (([5],), 5.0, "The mean of one value is that value.")])  # fmt: skip
