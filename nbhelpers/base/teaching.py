"""What teaches in the notebooks: exercises with their checks and hints, and cells that take a reader's own text."""

from __future__ import annotations

import ast
import asyncio
import copy
import dis
import functools
import math
import textwrap
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nbhelpers.base.errors import InputError, NbhelpersError, did_you_mean
from nbhelpers.base.paths import data_dir, is_headless

KINDS = {"predict": "predict, then run", "read": "read a result", "code": "write code", "open": "open question"}
"""Kinds of exercises, and how a notebook calls them."""

_LINE, _PAUSE = 60, 0.4
"""Characters of a text that still fits into a field of one line; seconds after the last key before a live cell runs."""

_IDLE = frozenset(
    "RESUME NOP LOAD_CONST LOAD_SMALL_INT RETURN_VALUE RETURN_CONST LOAD_GLOBAL RAISE_VARARGS CACHE".split()
)
"""Instructions of functions that return a constant or raise an error."""

_last = ""  # the exercise that was checked last, for `hint`


@dataclass(frozen=True)
class Exercise:
    """An exercise of a notebook with what belongs to it (``data/exercises.toml``).

    Attributes
    ----------
    kind : str
        ``predict`` and ``read`` are answered by a letter, ``code`` by a function, ``open`` in words.
    minutes : int
        How long learners need for it.
    cases : list of (arguments, expected result, what a wrong answer overlooks)
        What a function is tried on.
    solution : str
        Source of a right function.
    mistakes : list of (source, message)
        Typical wrong functions, and what to say to somebody whose function gives the same results.
    options : dict of str to str
        For each letter what to say to somebody who chooses it.
    right : str
        The letter of the right option.
    answer : str
        Model answer, in Markdown.
    rubric : list of str
        What an answer gets points for.
    hints : list of str
        In the order in which they are given.
    """

    kind: str
    minutes: int
    cases: list[tuple[tuple, Any, str]] = field(default_factory=list)
    solution: str = ""
    mistakes: list[tuple[str, str]] = field(default_factory=list)
    options: dict[str, str] = field(default_factory=dict)
    right: str = ""
    answer: str = ""
    rubric: list[str] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)


@functools.cache
def exercises() -> dict[str, Exercise]:
    """Every exercise, by its name; the first two characters are the notebook's number.

    Examples
    --------
    >>> exercises()["00_mean"].cases[0]
    (([2.0, 4.0],), 3.0, 'Sum the values and divide by how many there are.')
    """
    tables = tomllib.loads((data_dir() / "exercises.toml").read_text(encoding="utf-8"))
    for table in tables.values():
        table["cases"] = [
            (ast.literal_eval(f"({given},)"), ast.literal_eval(expected), why)
            for given, expected, why in table.get("cases", ())
        ]
        table["mistakes"] = [tuple(each) for each in table.get("mistakes", ())]
    return {name: Exercise(**table) for name, table in tables.items()}


def check(exercise: str, answer: Callable | str) -> None:
    """Try an answer and print the first thing to learn from it.

    It never raises an error of a learner's function, so that a notebook with open exercises still runs from top to
    bottom. A function whose results are those of a typical mistake is told which one.

    Parameters
    ----------
    exercise : str
        A key of `exercises`.
    answer : callable or str
        A function for an exercise in code, else the letter of an option.

    Raises
    ------
    InputError
        There is no such exercise, or it is an open question.

    Examples
    --------
    >>> check("00_mean", lambda values: sum(values) / len(values))
    Correct on 4 cases.
    >>> check("00_mean", lambda values: values[0])
    <lambda>([2.0, 4.0]) gives 2, expected 3. Sum the values and divide by how many there are.
    Stuck? teaching.hint(1, "00_mean") gives the first of 2 hints.
    """
    global _last
    right, message = judge(exercise, answer)
    _last = exercise
    _say(message)
    if not right:
        hints = exercises()[exercise].hints
        given = "a hint" if len(hints) == 1 else f"the first of {len(hints)} hints"
        print(f'Stuck? teaching.hint(1, "{exercise}") gives {given}.')


def judge(exercise: str, answer: Callable | str) -> tuple[bool, str]:
    """Whether an answer is right, and what to say of it; see `check`."""
    found = _find(exercise)
    if found.kind == "open":
        raise InputError(f"{exercise} is an open question: write your answer in words; the model answer judges it.")
    return (_try_function if found.kind == "code" else _try_option)(found, answer)


def judge_source(exercise: str, source: str) -> tuple[bool, str]:
    """`judge` for the text of a function, as the exercises on the site's pages hand it in.

    Parameters
    ----------
    exercise : str
        A key of `exercises`, of an exercise in code.
    source : str
        Python that defines the function; where it defines several, the last one is tried.

    Examples
    --------
    >>> judge_source("00_mean", "def mean(values):\\n    return sum(values) / len(values)")
    (True, 'Correct on 4 cases.')
    >>> judge_source("00_mean", "def mean(values) return 0")
    (False, "Python cannot read line 1: expected ':'.")
    """
    try:
        function = compiled(source)
    except SyntaxError as error:
        return False, f"Python cannot read line {error.lineno}: {error.msg}."
    except IndexError:
        return False, "Nothing to check yet: there is no function."
    except (Exception, SystemExit) as error:
        return False, f"Your code stops with {type(error).__name__}: {error}."
    return judge(exercise, function)


def hint(step: int, exercise: str = "") -> None:
    """Print one hint.

    Parameters
    ----------
    step : int
        1 for the first; ask for them one after the other.
    exercise : str
        A key of `exercises`; default: the one that was checked last.

    Raises
    ------
    InputError
        No exercise is named and none was checked, or there is no such exercise.

    Examples
    --------
    >>> hint(1, "00_mean")
    Which two numbers do you need, the sum and …? Python has a function for each.
    >>> hint(9, "00_mean")
    00_mean has 2 hints: teaching.hint(1) to teaching.hint(2).
    """
    if not (name := exercise or _last):
        raise InputError('name the exercise, as in teaching.hint(1, "00_mean")')
    hints = _find(name).hints
    if 1 <= step <= len(hints):
        _say(hints[step - 1])
    elif len(hints) == 1:
        print(f"{name} has one hint: teaching.hint(1).")
    else:
        print(f"{name} has {len(hints)} hints: teaching.hint(1) to teaching.hint({len(hints)}).")


def _say(text: str) -> None:
    """Print a text in lines of at most 100 characters; JupyterLab would break longer ones within a word."""
    for line in text.splitlines():
        print(textwrap.fill(line, 100, break_long_words=False, break_on_hyphens=False))


def _find(name: str) -> Exercise:
    if name not in exercises():
        raise InputError(f"there is no exercise {name!r}; {did_you_mean(name, exercises())}")
    return exercises()[name]


def _try_option(exercise: Exercise, answer: Any) -> tuple[bool, str]:
    letter = answer.strip().lower() if isinstance(answer, str) else ""
    if letter in exercise.options:
        right = letter == exercise.right
        return right, f"{'Yes' if right else 'No'}. {exercise.options[letter]}"
    if answer in (..., None, ""):
        return False, f"No answer yet: put one of the letters {', '.join(exercise.options)} in the place of the dots."
    return False, f"{answer!r} is none of the options: answer with one of the letters {', '.join(exercise.options)}."


def _try_function(exercise: Exercise, function: Any) -> tuple[bool, str]:
    """Whether a function is right on all cases, and what to say of it."""
    if not callable(function):
        return False, "Give the function itself, without brackets: check(name, function)."
    name = getattr(function, "__name__", "your function")
    outcomes = _outcomes(function, exercise)
    if _is_stub(function) and all(result is None for result, _ in outcomes):
        return False, "Nothing to check yet: write the function above and run this cell again."
    for number, (result, changed) in enumerate(outcomes):
        arguments, expected, why = exercise.cases[number]
        call = f"{name}({', '.join(map(_short, arguments))})"
        if result is None:
            return False, f"{call} gives None, expected {_short(expected)}. Does the function end with `return`?"
        if not _same(result, expected):
            for source, message in exercise.mistakes:
                made = [one for one, _ in _outcomes(compiled(source), exercise)]
                if all(_alike(one, other) for (one, _), other in zip(outcomes, made)):
                    why = message
            if isinstance(result, NameError):
                why = "Python does not know this name: import it, or give it a value, inside the function or above it."
            stops = isinstance(result, (Exception, SystemExit))
            gives = f"stops with {type(result).__name__}: {result}" if stops else f"gives {_short(result)}"
            return False, f"{call} {gives}, expected {_short(expected)}. {why}"
        if changed:
            return False, f"{call} is right, but it has changed what it was given: build a new list or dict instead."
    return True, f"Correct on {len(outcomes)} cases."


def _outcomes(function: Callable, exercise: Exercise) -> list[tuple[Any, bool]]:
    """For each case the result, or the error, and whether the function changed its arguments."""
    outcomes = []
    for arguments, _, _ in exercise.cases:
        given = copy.deepcopy(arguments)
        try:
            result = function(*given)
        except NotImplementedError:
            result = None
        except (Exception, SystemExit) as error:  # exit() in a function must not end the kernel
            result = error
        outcomes.append((result, given != arguments))
    return outcomes


def _is_stub(function: Callable) -> bool:
    """Whether a function does nothing but return a constant or raise NotImplementedError."""
    return hasattr(function, "__code__") and {one.opname for one in dis.get_instructions(function)} <= _IDLE


def compiled(source: str) -> Callable:
    """The function that a source text defines: a lambda, or the last `def`."""
    if source.startswith("lambda"):
        return eval(source, {})
    space: dict[str, Any] = {}
    exec(source, space)
    return [each for each in space.values() if callable(each)][-1]


def _alike(one: Any, other: Any) -> bool:
    """Whether two outcomes are the same: equal results, or errors of one type."""
    if isinstance(one, BaseException) or isinstance(other, BaseException) or one is None or other is None:
        return type(one) is type(other)
    return _same(one, other)


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


def try_it(
    function: Callable[..., None],
    fields: Mapping[str, str | list[str] | tuple[float, float, float, float]],
    *,
    examples: Sequence[Sequence[str]] = (),
    live: bool = False,
) -> None:
    """Show controls; a change calls `function` with their values and shows what it prints and displays.

    In a headless run the function is called once with the first values, so that a stored notebook shows an example.

    Parameters
    ----------
    function : callable
        Takes one value for each control, in order. Errors of nbhelpers are shown as their one sentence.
    fields : mapping of str to str, list or tuple
        Label and kind of each control: a text is a field that holds it (Enter submits; a long text wraps over several
        lines), a list of texts a drop-down, ``(value, lowest, highest, step)`` a slider.
    examples : sequence of sequences of str
        For a drop-down that fills the text fields; each has one text for each of them.
    live : bool
        Call the function while the reader types, after a short pause; for functions that take less than a second.

    Examples
    --------
    >>> def count(text, least):
    ...     print(sum(len(word) >= least for word in text.split()), "words")
    >>> try_it(count, {"Text": "a cold rain", "Letters": (2, 1, 9, 1)})  # doctest: +SKIP
    """
    first = [value[0] if isinstance(value, list | tuple) else value for value in fields.values()]
    if is_headless():
        function(*first)
        print("Interactive: open this notebook in JupyterLab to change the values.")
        return
    import ipywidgets
    from IPython.display import display

    look = {"layout": ipywidgets.Layout(width="95%"), "style": {"description_width": "9em"}}
    controls = [_control(label, value, live, look) for label, value in fields.items()]
    button = ipywidgets.Button(description="Show", button_style="primary")
    output, waiting = ipywidgets.Output(), []

    def run(_: Any = None) -> None:
        button.disabled, button.description = True, "Working …"
        output.outputs = _captured(function, [control.value for control in controls])
        button.disabled, button.description = False, "Show"

    def put(control: Any, text: str) -> None:
        control.unobserve(changed, "value")
        control.value = text
        control.observe(changed, "value")

    def changed(change: Any) -> None:
        control, text = change["owner"], change["new"]
        while waiting:
            waiting.pop().cancel()
        if isinstance(control, ipywidgets.Textarea) and text.count("\n") == change["old"].count("\n") + 1:
            put(control, " ".join(text.split("\n")))  # Enter
            run()
        elif live and isinstance(text, str):
            waiting.append(asyncio.get_event_loop().call_later(_PAUSE, run))
        elif not isinstance(control, ipywidgets.Textarea):
            run()

    def fill(change: Any) -> None:
        if change["new"] < 0:
            return
        fields_of_text = [one for one in controls if isinstance(one, ipywidgets.Text | ipywidgets.Textarea)]
        for control, text in zip(fields_of_text, examples[change["new"]]):
            put(control, text)
        run()

    shown = [*controls, button, output]
    if examples:
        options = [(" → ".join(_cut(text) for text in texts), place) for place, texts in enumerate(examples)]
        options = [("choose one, or type below", -1), *options]  # ipywidgets shows an empty field for None
        choice = ipywidgets.Dropdown(options=options, description="Example", **look)
        choice.observe(fill, "value")
        shown.insert(0, choice)
    button.on_click(run)
    for control in controls:
        control.observe(changed, "value")
    display(ipywidgets.VBox(shown))
    run()


def _control(label: str, value: Any, live: bool, look: dict[str, Any]) -> Any:
    """The widget for a value; see `try_it`."""
    import ipywidgets

    if isinstance(value, tuple):
        start, low, high, step = value
        kind = ipywidgets.IntSlider if isinstance(step, int) else ipywidgets.FloatSlider
        return kind(value=start, min=low, max=high, step=step, description=label, continuous_update=False, **look)
    if isinstance(value, list):
        return ipywidgets.Dropdown(options=value, description=label, **look)
    if len(value) > _LINE:
        return ipywidgets.Textarea(value=value, description=label, rows=4, **look)
    return ipywidgets.Text(value=value, description=label, continuous_update=live, **look)


def _captured(function: Callable[..., None], values: Sequence[Any]) -> tuple[dict[str, Any], ...]:
    """What a function prints and displays, as outputs of a notebook; an error as one sentence."""
    from IPython.utils.capture import capture_output

    with capture_output() as seen:
        try:
            function(*values)
        except NbhelpersError as error:
            print(error)
        except (Exception, SystemExit) as error:
            print(f"This input stops with {type(error).__name__}: {error}")
    printed = ({"output_type": "stream", "name": "stdout", "text": seen.stdout},) if seen.stdout else ()
    shown = ({"output_type": "display_data", "data": o.data, "metadata": o.metadata or {}} for o in seen.outputs)
    return (*printed, *shown)


def _cut(text: str) -> str:
    return text if len(text) <= 50 else text[:49] + "…"
