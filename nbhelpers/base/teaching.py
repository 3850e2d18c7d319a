"""What teaches in the notebooks: checks of learners' answers to exercises, and cells that take a reader's own text."""

from __future__ import annotations

import ast
import copy
import functools
import math
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from nbhelpers.base.errors import NbhelpersError
from nbhelpers.base.paths import data_dir, is_headless

_LINE = 60
"""Characters of a text that still fits into a field of one line."""


@functools.cache
def exercises() -> dict[str, list[tuple[tuple, Any, str]]]:
    """Cases of each exercise (``data/exercises.toml``): arguments, expected result, what a wrong answer overlooks.

    Examples
    --------
    >>> exercises()["00_mean"][0]
    (([2.0, 4.0],), 3.0, 'Sum the values and divide by how many there are.')
    """
    tables = tomllib.loads((data_dir() / "exercises.toml").read_text(encoding="utf-8"))
    return {
        name: [(ast.literal_eval(f"({given},)"), ast.literal_eval(expected), why) for given, expected, why in cases]
        for name, cases in tables.items()
    }


def check(exercise: str, function: Callable) -> bool:
    """Try a learner's function on the cases of an exercise and print the first thing to learn.

    It never raises an error of the function, so that a notebook with open exercises still runs from top to bottom.

    Parameters
    ----------
    exercise : str
        A key of `exercises`.
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
    for arguments, expected, why in exercises()[exercise]:
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
    print(f"Correct on {len(exercises()[exercise])} cases.")
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
    """Show text fields; Enter or the button calls `function` with their texts and shows what it displays.

    Parameters
    ----------
    function : callable
        Takes one string per field, in order, and prints or displays a result. Errors of nbhelpers are shown as their
        one sentence.
    fields : mapping of str to str
        Label of each text field and its first text; a long first text gets a field of several lines.

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

    layout = {"layout": ipywidgets.Layout(width="95%"), "style": {"description_width": "9em"}}
    boxes = []
    for label, text in fields.items():
        is_long = len(text) > _LINE
        kind = functools.partial(ipywidgets.Textarea, rows=5) if is_long else ipywidgets.Text
        boxes.append(kind(value=text, description=label, continuous_update=False, **layout))
    click, output = ipywidgets.Button(description="Show", button_style="primary"), ipywidgets.Output()

    def run(_=None) -> None:
        output.clear_output(wait=True)
        with output:
            try:
                function(*(box.value for box in boxes))
            except NbhelpersError as error:
                print(error)

    click.on_click(run)
    for box in boxes:
        box.observe(run, "value")  # Enter, or leaving the field
    display(ipywidgets.VBox([*boxes, click, output]))
    run()
