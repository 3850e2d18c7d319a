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


def check_07_score(function: Callable[[Sequence[Sequence[float]], Sequence[int]], float]) -> bool:
    """Exercise of notebook 07: ``function(similarity, order)`` gives the mean similarity of neighbours."""
    similarity = [[1, 0.5, 0.25], [0.5, 1, 0], [0.25, 0, 1]]
    return check(function, [
        ((similarity, [0, 1, 2]), 0.25, "Three sentences have two pairs of neighbours: (0.5 + 0) / 2."),
        ((similarity, [1, 0, 2]), 0.375, "Follow the given order: 1-0 and 0-2."),
        ((similarity, [2, 1]), 0.0, "Two sentences have one pair of neighbours."),
    ])  # fmt: skip


def check_07_expected(function: Callable[[Sequence[Sequence[float]]], float]) -> bool:
    """Exercise of notebook 07: ``function(similarity)`` gives the mean score over all orders."""
    return check(function, [
        (([[1, 0.5], [0.5, 1]],), 0.5, "A sentence is never its own neighbour: leave the diagonal out."),
        (([[1, 0.6, 0.3], [0.6, 1, 0], [0.3, 0, 1]],), 0.3,
         "In a random order any two sentences are neighbours with the same probability: take the mean off the diagonal."),
        (([[1, 0.2], [0.4, 1]],), 0.3, "A matrix need not be symmetric: both directions count."),
    ])  # fmt: skip


def check_07_kendall(function: Callable[[Sequence[int]], float]) -> bool:
    """Exercise of notebook 07: ``function(order)`` gives Kendall's τ with 0, 1, 2, …"""
    return check(function, [
        (([0, 1, 2],), 1.0, "Every pair is in the right order."),
        (([2, 1, 0],), -1.0, "Every pair is in the wrong order."),
        (([1, 0, 2],), 1 / 3, "Of three pairs two are right and one is wrong."),
    ])  # fmt: skip


def check_03_depths(function: Callable[[Sequence[int]], Sequence[int]]) -> bool:
    """Exercise of notebook 03: ``function(heads)`` gives the depth of each word, 1 for the root."""
    return check(
        function,
        [
            (([0],), [1], "A word whose head is 0 is the root, and the root has depth 1."),
            (([2, 0, 2],), [2, 1, 2], "Words that hang on the root have depth 2; heads count from 1."),
            (([3, 3, 4, 0, 4],), [3, 3, 2, 1, 2], "A word lies one deeper than its head, whether that stands left or right."),
        ],
    )  # fmt: skip


def check_03_complete_subtree(function: Callable[[Sequence[int], int, int], bool]) -> bool:
    """Exercise of notebook 03: ``function(heads, start, stop)`` says whether a span is a complete subtree."""
    heads = [3, 3, 4, 0, 4]  # the old man slept here
    return check(
        function,
        [
            ((heads, 0, 3), True, "One word, the third, leads out of the span, and none outside hangs on a word inside."),
            ((heads, 0, 1), True, "A word with nothing below it is a complete subtree by itself."),
            ((heads, 2, 3), False, "Two words outside the span hang on the third."),
            ((heads, 0, 2), False, "Two words inside have their head outside: two subtrees side by side, not one."),
            ((heads, 0, 5), True, "The whole sentence is the subtree of its root, whose head is 0, outside."),
        ],
    )  # fmt: skip


def check_03_leaf_share(function: Callable[[Sequence[Sequence[int]]], float]) -> bool:
    """Exercise of notebook 03: ``function(trees)`` gives the share of words with nothing below them."""
    return check(
        function,
        [
            (([[0]],), 1.0, "A single word has nothing below it."),
            (([[3, 3, 4, 0, 4]],), 3 / 5, "The third and the fourth word are heads; the other three of five are not."),
            (([[2, 0], [2, 0, 2, 2]],), 4 / 6, "Count words over all trees together, not the mean of the trees' shares."),
        ],
    )  # fmt: skip


def check_04_editions(function: Callable[[list[str], int, str], Sequence[Sequence[str]]]) -> bool:
    """Exercise of notebook 04: ``function(words, index, replacement)`` gives three edited versions of a sentence."""
    words = ["dogs", "chase", "cats"]
    correct = check(
        function,
        [
            ((words, 1, "a"), [["dogs", "cats"], ["dogs", "[MASK]", "cats"], ["dogs", "a", "cats"]],
             "Deleted, masked, replaced, in this order; the other words stay."),
            ((["dogs", "chase", "cats"], 0, "that"), [["chase", "cats"], ["[MASK]", "chase", "cats"], ["that", "chase", "cats"]],
             "The first word has nothing before it."),
        ],
    )  # fmt: skip
    if correct and words != ["dogs", "chase", "cats"]:
        print("But the list that was given has changed: build new lists instead.")
        return False
    return correct


def check_04_average_precision(function: Callable[[Sequence[bool], Sequence[float]], float]) -> bool:
    """Exercise of notebook 04: ``function(labels, scores)`` gives the average precision of a ranking without ties."""
    return check(
        function,
        [
            (([True, False], [0.9, 0.1]), 1.0, "The predicate stands first: one of one."),
            (([True, False], [0.1, 0.9]), 0.5, "The predicate stands second: one of two."),
            (([True, False, True, False], [0.9, 0.7, 0.5, 0.1]), (1 + 2 / 3) / 2,
             "At the first predicate 1 of 1, at the second 2 of 3; the mean over the two predicates."),
        ],
    )  # fmt: skip


def check_04_product_of_shares(function: Callable[[Sequence[Sequence[float]]], Sequence[float]]) -> bool:
    """Exercise of notebook 04: ``function(lists)`` gives the product of score lists, each divided by its sum."""
    return check(
        function,
        [
            (([[1.0, 3.0]],), [0.25, 0.75], "With one list the product is its shares."),
            (([[1.0, 3.0], [2.0, 2.0]],), [0.125, 0.375], "Divide each list by its own sum before multiplying."),
            (([[1.0, 1.0], [0.0, 4.0], [1.0, 3.0]],), [0.0, 0.375], "A share of 0 makes the product 0."),
        ],
    )  # fmt: skip
