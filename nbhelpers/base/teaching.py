"""What teaches in the notebooks: checks of learners' answers to exercises, and cells that take a reader's own text."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from typing import Any

from nbhelpers.base.errors import NbhelpersError
from nbhelpers.base.paths import is_headless


def check(exercise: str, function: Callable) -> bool:
    """Try a learner's function on the cases of an exercise and print the first thing to learn.

    It never raises an error of the function, so that a notebook with open exercises still runs from top to bottom.

    Parameters
    ----------
    exercise : str
        A key of `EXERCISES`.
    function : callable
        The learner's answer. Returning None or raising NotImplementedError counts as not yet tried.

    Returns
    -------
    bool
        Whether every case came out right.

    Examples
    --------
    >>> check("00_mean", sum)
    sum([2.0, 4.0]) gives 6, expected 3. Sum the values and divide by how many there are.
    False
    >>> check("00_mean", lambda values: sum(values) / len(values))
    Correct on 2 cases.
    True
    """
    for arguments, expected, why in EXERCISES[exercise]:
        call = f"{getattr(function, '__name__', 'your function')}({', '.join(map(_short, arguments))})"
        given = copy.deepcopy(arguments)
        try:
            result = function(*given)
        except NotImplementedError:
            result = None
        except Exception as error:
            print(f"{call} stops with {type(error).__name__}: {error}. Expected {_short(expected)}. {why}")
            return False
        if result is None:
            print("Nothing to check yet: write the function above and run this cell again.")
            return False
        if not _same(result, expected):
            print(f"{call} gives {_short(result)}, expected {_short(expected)}. {why}")
            return False
        if given != arguments:
            print(f"{call} is right, but it has changed what it was given: build a new list or dict instead.")
            return False
    print(f"Correct on {len(EXERCISES[exercise])} cases.")
    return True


def _same(result: Any, expected: Any) -> bool:
    if isinstance(expected, bool) or isinstance(expected, str):
        return result == expected
    if isinstance(expected, int | float):
        try:
            return math.isclose(float(result), expected, rel_tol=1e-6, abs_tol=1e-6)
        except (TypeError, ValueError):
            return False
    try:
        return len(result) == len(expected) and all(_same(r, e) for r, e in zip(result, expected))
    except TypeError:
        return False


def _short(value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else repr(value)
    return text if len(text) <= 80 else text[:77] + "…"


def try_it(function: Callable[..., None], fields: Mapping[str, str]) -> None:
    """Show text fields and a button; a click calls `function` with the fields' texts and shows what it displays.

    Parameters
    ----------
    function : callable
        Takes one string per field, in order, and prints or displays a result. Errors of nbhelpers are shown as their
        one sentence.
    fields : mapping of str to str
        Label of each text field and its first text.

    Examples
    --------
    >>> def count(text):
    ...     print(len(text.split()), "words")
    >>> try_it(count, {"Text": "a cold rain"})  # doctest: +SKIP
    """
    if is_headless():
        print("Interactive: open this notebook in JupyterLab to try your own text.")
        return
    import ipywidgets
    from IPython.display import display

    boxes = [
        ipywidgets.Text(
            value=text, description=label, layout=ipywidgets.Layout(width="95%"), style={"description_width": "9em"}
        )
        for label, text in fields.items()
    ]
    click, output = ipywidgets.Button(description="Show", button_style="primary"), ipywidgets.Output()

    def run(_=None) -> None:
        output.clear_output(wait=True)
        with output:
            try:
                function(*(box.value for box in boxes))
            except NbhelpersError as error:
                print(error)

    click.on_click(run)
    display(ipywidgets.VBox([*boxes, click, output]))
    run()


_SIMILARITY = [[1, 0.5, 0.25], [0.5, 1, 0], [0.25, 0, 1]]
_HEADS = [3, 3, 4, 0, 4]  # the old man slept here
_FORWARD = {"big": {"gross": 0.8, "wichtig": 0.2}}
_BACKWARD = {"gross": {"big": 0.5, "large": 0.5}, "wichtig": {"important": 1.0}}

EXERCISES: dict[str, list[tuple[tuple, Any, str]]] = {
    # function(values) gives the arithmetic mean
    "00_mean": [
        (([2.0, 4.0],), 3.0, "Sum the values and divide by how many there are."),
        (([5],), 5.0, "The mean of one value is that value."),
    ],
    # function(n, start, stop, mu) gives the plain weights of the unedited words
    "01_plain_weights": [
        ((3, 1, 2, 0.5), [0.5, 0.5], "Both neighbours of a one-word edit are at distance 1, so each weighs μ."),
        ((5, 0, 1, 0.5), [0.5, 0.25, 0.125, 0.0625], "Distance grows by 1 with every word away from the edit."),
        (
            (6, 2, 4, 0.5),
            [0.25, 0.5, 0.5, 0.25],
            "For several edited words the distance is counted from its nearer end; edited words have no weight.",
        ),
        ((4, 1, 2, 1.0), [1, 1, 1], "With μ = 1 every word weighs the same."),
    ],
    # function(before, after) gives KL(after ‖ before) in nats
    "01_divergence": [
        (([0.5, 0.5], [0.5, 0.5]), 0.0, "A distribution does not diverge from itself."),
        (([0.5, 0.5], [1.0, 0.0]), math.log(2), "A probability of 0 in `after` adds nothing: 0·log 0 counts as 0."),
        (
            ([0.9, 0.1], [0.5, 0.5]),
            0.5 * math.log(0.5 / 0.9) + 0.5 * math.log(0.5 / 0.1),
            "The distribution after the edit, `after`, stands in front: sum of after·log(after / before).",
        ),
    ],
    # function(broken, scores) gives the area under the ROC curve
    "01_auc": [
        (([True, False], [2.0, 1.0]), 1.0, "The broken pair scores higher, so the one comparison is won."),
        (
            ([True, False, True, False], [1.0, 2.0, 4.0, 3.0]),
            0.5,
            "Compare every broken with every kept pair: 2 of 4 won.",
        ),
        (([True, False], [1.0, 1.0]), 0.5, "A tie counts one half."),
    ],
    # function(n, longest) lists the spans that may be deleted
    "02_candidates": [
        ((2, 2), [(0, 1), (1, 2)], "The whole sentence is never offered: nothing would be left to compare."),
        ((3, 1), [(0, 1), (1, 2), (2, 3)], "Spans of one word: one for each word."),
        ((3, 2), [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)], "Order by start, then by stop; no span passes the end."),
    ],
    # function(spans) applies the overlap rule of the authors' code
    "02_survivors": [
        (([(0, 1, 0.5), (1, 2, 0.1)],), [(0, 1, 0.5), (1, 2, 0.1)], "Spans that only touch do not overlap."),
        (([(0, 2, 0.3), (1, 3, 0.2)],), [(1, 3, 0.2)], "Of two that overlap, the one that disturbs more is dropped."),
        (
            ([(0, 2, 0.3), (1, 3, 0.2), (2, 4, 0.1)],),
            [(2, 4, 0.1)],
            "The first span is dropped by the second, although the third drops that one.",
        ),
        (([(0, 2, 0.2), (1, 3, 0.2)],), [(0, 2, 0.2), (1, 3, 0.2)], "A tie drops neither."),
    ],
    # function(output, reference) gives the F1 of two multisets of tokens
    "02_f1": [
        ((["a", "b"], ["a", "b"]), 1.0, "Equal lists agree fully."),
        ((["a"], ["a", "b", "c"]), 0.5, "Precision 1 and recall 1/3 have the harmonic mean 1/2."),
        ((["a", "a"], ["a", "b"]), 0.5, "A token counts as often as it stands on both sides."),
    ],
    # function(heads) gives the depth of each word, 1 for the root
    "03_depths": [
        (([0],), [1], "A word whose head is 0 is the root, and the root has depth 1."),
        (([2, 0, 2],), [2, 1, 2], "Words that hang on the root have depth 2; heads count from 1."),
        (([3, 3, 4, 0, 4],), [3, 3, 2, 1, 2], "A word lies one deeper than its head, on either side of it."),
    ],
    # function(heads, start, stop) says whether a span is a complete subtree
    "03_complete_subtree": [
        ((_HEADS, 0, 3), True, "Only the third word's head is outside, and no word outside hangs on one inside."),
        ((_HEADS, 0, 1), True, "A word with nothing below it is a complete subtree by itself."),
        ((_HEADS, 2, 3), False, "Two words outside the span hang on the third."),
        ((_HEADS, 0, 2), False, "Two words inside have their head outside: two subtrees side by side, not one."),
        ((_HEADS, 0, 5), True, "The whole sentence is the subtree of its root, whose head is 0, outside."),
    ],
    # function(trees) gives the share of words with nothing below them
    "03_leaf_share": [
        (([[0]],), 1.0, "A single word has nothing below it."),
        (([[3, 3, 4, 0, 4]],), 3 / 5, "The third and the fourth word are heads; the other three of five are not."),
        (([[2, 0], [2, 0, 2, 2]],), 4 / 6, "Count words over all trees together; no mean of the trees' shares."),
    ],
    # function(words, index, replacement) gives three edited versions of a sentence
    "04_editions": [
        (
            (["dogs", "chase", "cats"], 1, "a"),
            [["dogs", "cats"], ["dogs", "[MASK]", "cats"], ["dogs", "a", "cats"]],
            "Deleted, masked, replaced, in this order; the other words stay.",
        ),
        (
            (["dogs", "bark", "."], 0, "that"),
            [["bark", "."], ["[MASK]", "bark", "."], ["that", "bark", "."]],
            "The first word has nothing before it.",
        ),
    ],
    # function(labels, scores) gives the average precision of a ranking without ties
    "04_average_precision": [
        (([True, False], [0.9, 0.1]), 1.0, "The predicate stands first: one of one."),
        (([True, False], [0.1, 0.9]), 0.5, "The predicate stands second: one of two."),
        (
            ([True, False, True, False], [0.9, 0.7, 0.5, 0.1]),
            (1 + 2 / 3) / 2,
            "At the first predicate 1 of 1, at the second 2 of 3; the mean over the two predicates.",
        ),
    ],
    # function(lists) gives the product of score lists, each divided by its sum
    "04_product_of_shares": [
        (([[1.0, 3.0]],), [0.25, 0.75], "With one list the product is its shares."),
        (([[1.0, 3.0], [2.0, 2.0]],), [0.125, 0.375], "Divide each list by its own sum before multiplying."),
        (([[1.0, 1.0], [0.0, 4.0], [1.0, 3.0]],), [0.0, 0.375], "A share of 0 makes the product 0."),
    ],
    # function(ratings, threshold) gives the share of rounded ratings that reach it
    "05_share": [
        (([100.0, 99.0, 40.0, 0.0], 95), 0.5, "Two of four ratings reach 95."),
        (([94.6, 94.4], 95), 0.5, "Ratings are rounded before they are compared: 94.6 counts as 95."),
        (([100.0], 99), 1.0, "A share lies between 0 and 1: it is no percentage."),
    ],
    # function(training_sources, test_sources) counts the test rows that leak
    "05_leakage": [
        ((["a", "b"], ["b", "c"]), 1, "Only b stands in both parts."),
        ((["a"], ["a", "a", "b"]), 2, "Rows are counted, not different sentences: a leaks twice."),
        ((["a", "a"], ["b"]), 0, "A sentence that repeats in training does no harm to a test without it."),
    ],
    # function(predictions, people) gives the coefficient of determination
    "05_r_squared": [
        (([10.0, 20.0, 30.0], [10.0, 20.0, 30.0]), 1.0, "Predictions without error have 1."),
        (([20.0, 20.0, 20.0], [10.0, 20.0, 30.0]), 0.0, "Always the mean has 0."),
        (([30.0, 20.0, 10.0], [10.0, 20.0, 30.0]), -3.0, "Worse than the mean is below 0: it is not r squared."),
    ],
    # a rating after the straight line through two points of a development part
    "05_calibrated": [
        ((40.0, 0.0, 60.0, 100.0, 50.0), 50.0, "Halfway between the two ratings lies halfway between the answers."),
        ((40.0, 0.0, 60.0, 100.0, 60.0), 100.0, "The line goes through the points that it was made from."),
        ((20.0, 30.0, 80.0, 60.0, 100.0), 70.0, "The line goes on beyond the points; it is cut only afterwards."),
    ],
    # function(positives, negatives) gives the F-measure of answering yes always
    "06_always_yes": [
        ((10, 0), 1.0, "Without negatives yes is always right."),
        ((10, 10), 2 / 3, "Precision is the share of positives, recall is 1; F is their harmonic mean."),
        ((1, 99), 0.02 / 1.01, "F is not the share of positives, but nearly twice as much where that is small."),
    ],
    # function(first, second) counts the words that two lists of tokens share
    "06_shared_words": [
        ((["the", "bridge", "fell"], ["The", "old", "bridge"]), 2, "Case does not matter for ordinary words."),
        ((["no", "no", "never"], ["no", "no"]), 1, "Each word counts once, however often it stands there."),
        ((["US", "troops"], ["they", "sent", "us", "troops"]), 1, "US is a name and us a pronoun: not the same word."),
        ((["A", "bridge"], ["a", "ship"]), 1, "A single capital letter is no name: it may begin a sentence."),
    ],
    # function(rows) gives the mean reciprocal rank of the first of each row
    "06_mean_reciprocal_rank": [
        (([[0.9, 0.1, 0.2, 0.3]],), 1.0, "The right answer scores highest: rank 1."),
        (([[0.2, 0.1, 0.9, 0.3]],), 1 / 3, "Two answers score higher: rank 3, reciprocal 1/3."),
        (([[0.9, 0.1], [0.1, 0.9]],), 0.75, "Average the reciprocal ranks, not the ranks."),
    ],
    # function(same, similarities) gives the highest F of any threshold
    "06_best_f": [
        (([True, False], [0.9, 0.1]), 1.0, "A threshold between the two is always right."),
        (([False, True], [0.9, 0.1]), 2 / 3, "Here yes to both is best: precision 1/2, recall 1."),
        (([True, True, False, False], [0.5, 0.5, 0.5, 0.1]), 0.8, "Equal similarities fall on the same side."),
    ],
    # function(similarity, order) gives the mean similarity of neighbours
    "07_score": [
        ((_SIMILARITY, [0, 1, 2]), 0.25, "Three sentences have two pairs of neighbours: (0.5 + 0) / 2."),
        ((_SIMILARITY, [1, 0, 2]), 0.375, "Follow the given order: 1-0 and 0-2."),
        ((_SIMILARITY, [2, 1]), 0.0, "Two sentences have one pair of neighbours."),
    ],
    # function(similarity) gives the mean score over all orders
    "07_expected": [
        (([[1, 0.5], [0.5, 1]],), 0.5, "A sentence is never its own neighbour: leave the diagonal out."),
        (
            ([[1, 0.6, 0.3], [0.6, 1, 0], [0.3, 0, 1]],),
            0.3,
            "In a random order any two sentences are neighbours equally often: take the mean off the diagonal.",
        ),
        (([[1, 0.2], [0.4, 1]],), 0.3, "A matrix need not be symmetric: both directions count."),
    ],
    # function(order) gives Kendall's τ with 0, 1, 2, …
    "07_kendall": [
        (([0, 1, 2],), 1.0, "Every pair is in the right order."),
        (([2, 1, 0],), -1.0, "Every pair is in the wrong order."),
        (([1, 0, 2],), 1 / 3, "Of three pairs two are right and one is wrong."),
    ],
    # function(reference, candidate) gives ROUGE-1, recall of the reference
    "08_recall": [
        ((["a", "b"], ["b", "a", "c"]), 1.0, "Order does not matter, and further words of the candidate do no harm."),
        ((["a", "a", "b", "c"], ["a", "b"]), 0.5, "The candidate's one a matches one of the two."),
        ((["a", "b", "c", "d"], ["a", "a", "a"]), 0.25, "Repeating a word in the candidate gains nothing."),
        ((["a"], []), 0.0, "An empty candidate matches nothing."),
    ],
    # function(forward, backward, x, y) gives p(y | x) through all translations of x
    "08_pivot": [
        ((_FORWARD, _BACKWARD, "big", "large"), 0.4, "0.8 · 0.5: translated to gross, and back to large."),
        ((_FORWARD, _BACKWARD, "big", "important"), 0.2, "Every translation counts, also the rarer one."),
        ((_FORWARD, _BACKWARD, "big", "tall"), 0.0, "What no translation leads to has probability 0."),
        (
            ({"x": {"f": 0.5, "g": 0.5}}, {"f": {"y": 0.4}, "g": {"y": 0.2}}, "x", "y"),
            0.3,
            "Two ways to the same paraphrase are added: 0.5 · 0.4 + 0.5 · 0.2.",
        ),
    ],
    # function(reference, candidate, synonyms) counts the words matched in two steps
    "08_greedy": [
        ((["car", "stops"], ["auto", "stops"], {"car": {"auto"}}), 2, "One paraphrase and one literal match."),
        ((["car", "car"], ["auto"], {"car": {"auto"}}), 1, "A word of the candidate is used once."),
        (
            (["car", "auto"], ["auto", "van"], {"car": {"auto"}}),
            1,
            "Step 2 is first: car takes auto, and the reference's own auto finds nothing left: the cost of greed.",
        ),
        ((["a", "a", "b"], ["a", "b"], {}), 2, "Without synonyms it is ROUGE-1, counted in words."),
    ],
    # function(pairs) gives the share of the pairs x → y without y → x
    "08_one_way": [
        (({"a": {"b": 0.5}, "b": {"a": 0.2}},), 0.0, "Both directions are there; the scores need not agree."),
        (({"a": {"b": 0.5, "c": 0.1}, "b": {"a": 0.2}},), 1 / 3, "Of three directed pairs only a → c has no way back."),
        (({"verdict": {"defeat": 0.3}},), 1.0, "An expression may be a paraphrase and have none itself."),
    ],
}
"""Cases of each exercise, named after its notebook: arguments, expected result, what a wrong answer overlooks."""
