"""Exercises: what a learner reads about an answer, hints; interactive cells with and without a reader."""

import pytest

from nbhelpers.base import teaching
from nbhelpers.base.errors import InputError

CODE = [name for name, exercise in teaching.exercises().items() if exercise.kind == "code"]
BY_LETTER = [name for name, exercise in teaching.exercises().items() if exercise.options]


def raising(values):
    return values / 0


def untouched(values): ...


def no_return(values):
    sum(values) / len(values)


def without_import(values):
    return fsum(values) / len(values)  # noqa: F821


def leaving(values):
    raise SystemExit("done")


def changing(words, index, replacement):
    before, after = words[:index], words[index + 1 :]
    words.clear()
    return [[*before, *middle, *after] for middle in ([], ["[MASK]"], [replacement])]


@pytest.mark.parametrize(
    "exercise, answer, printed",
    [
        ("00_mean", untouched, "Nothing to check yet"),
        ("00_mean", no_return, "no_return([2.0, 4.0]) gives None, expected 3. Does the function end with `return`?"),
        ("00_mean", 3.0, "Give the function itself, without brackets"),
        ("00_mean", raising, "raising([2.0, 4.0]) stops with TypeError: unsupported operand"),
        (
            "00_mean",
            without_import,
            "without_import([2.0, 4.0]) stops with NameError: name 'fsum' is not defined, expected 3. Python does\n"
            "not know this name: import it",
        ),
        ("00_mean", leaving, "leaving([2.0, 4.0]) stops with SystemExit: done, expected 3."),
        ("00_mean", max, "max([2.0, 4.0]) gives 4, expected 3. Sum the values"),
        ("03_depths", lambda heads: [1], "<lambda>([2, 0, 2]) gives [1], expected [2, 1, 2]. Words that hang"),
        ("04_editions", changing, "changing(['dogs', 'chase', 'cats'], 1, 'a') is right, but it has changed what"),
        ("00_verdict", ..., "No answer yet: put one of the letters a, b, c in the place of the dots."),
        ("00_verdict", "d", "'d' is none of the options"),
        ("00_verdict", "a", "No. The claim holds only if"),
        ("00_verdict", " C ", "Yes. The interval allows"),
    ],
)
def test_what_a_learner_reads(exercise, answer, printed, capsys):
    teaching.check(exercise, answer)
    shown = capsys.readouterr().out
    assert shown.startswith(printed)
    assert (f'Stuck? teaching.hint(1, "{exercise}") gives ' in shown) is not shown.startswith("Yes")


def test_hints_come_one_by_one_for_the_exercise_that_was_checked_last(capsys):
    teaching.check("01_auc", lambda broken, scores: 0.5)
    hints = teaching.exercises()["01_auc"].hints
    for step in (1, 2, 3):
        capsys.readouterr()
        teaching.hint(step)
        assert capsys.readouterr().out == hints[step - 1] + "\n"
    teaching.hint(2, "00_one_sentence")
    assert capsys.readouterr().out == "00_one_sentence has one hint: teaching.hint(1).\n"
    teaching.hint(1, "00_mean")
    assert capsys.readouterr().out.startswith("Which two numbers")
    with pytest.raises(InputError, match="no exercise '01_ac'; did you mean '01_auc'"):
        teaching.hint(1, "01_ac")
    with pytest.raises(InputError, match="is an open question"):
        teaching.check("00_one_sentence", "my answer")


@pytest.mark.parametrize("name", CODE)
def test_every_solution_passes_and_every_typical_mistake_is_told_its_own(name):
    exercise = teaching.exercises()[name]
    right, message = teaching.judge(name, teaching.compiled(exercise.solution.strip()))
    assert right and message == f"Correct on {len(exercise.cases)} cases."
    assert len({said for _, said in exercise.mistakes}) >= 3 and exercise.hints
    for source, said in exercise.mistakes:
        right, message = teaching.judge(name, teaching.compiled(source.strip()))
        assert not right and message.endswith(said), source
    forgotten = teaching.compiled(exercise.solution.strip())
    right, message = teaching.judge(name, lambda *given: print(forgotten(*given), end=""))
    assert not right and message.endswith("Does the function end with `return`?")


def test_every_exercise_has_what_its_kind_needs():
    for name, exercise in teaching.exercises().items():
        assert exercise.kind in teaching.KINDS and 2 <= exercise.minutes <= 30
        assert len(exercise.hints) >= 1, name
        if exercise.kind != "code":
            assert len(exercise.answer) > 80, name
    for name in BY_LETTER:
        exercise = teaching.exercises()[name]
        assert list(exercise.options) == ["a", "b", "c"]
        for letter, said in exercise.options.items():
            right = letter == exercise.right
            assert teaching.judge(name, letter) == (right, f"{'Yes' if right else 'No'}. {said}")
    rights = [teaching.exercises()[name].right for name in BY_LETTER]
    assert max(map(rights.count, "abc")) < 0.6 * len(rights)  # no letter to guess
    for exercise in teaching.exercises().values():
        if exercise.kind == "open":
            assert len(exercise.rubric) == 4


def test_a_headless_run_stores_one_static_example(monkeypatch, capsys):
    monkeypatch.setenv("NBHELPERS_HEADLESS", "1")
    teaching.try_it(print, {"Sentence": "shown once", "Order": ["first", "second"], "μ": (0.9, 0.5, 1.0, 0.1)})
    assert capsys.readouterr().out.splitlines()[0] == "shown once first 0.9"


@pytest.fixture
def shown(monkeypatch):
    """The widgets that an interactive cell displays."""
    import IPython.display

    monkeypatch.delenv("NBHELPERS_HEADLESS", raising=False)
    boxes = []
    monkeypatch.setattr(IPython.display, "display", boxes.append)
    return boxes


def printed(output):
    return "".join(each["text"] for each in output.outputs)


def test_controls_run_the_function_on_change_enter_button_and_example(shown):
    def count(text, least):
        if not text:
            raise InputError("A sentence has at least one word.")
        print(least, text)

    long = "word " * 20
    teaching.try_it(count, {"Text": long, "Letters": (2, 1, 9, 1)}, examples=[["one"], [long]])
    choice, text, slider, button, output = shown[0].children
    assert choice.label == "choose one, or type below"
    assert printed(output) == f"2 {long}\n"
    slider.value = 5
    assert printed(output) == f"5 {long}\n"
    text.value = "while typing"
    assert printed(output) == f"5 {long}\n"
    text.value = "while typing\n"  # Enter
    assert printed(output) == "5 while typing \n" and text.value == "while typing "
    choice.value = 0
    assert printed(output) == "5 one\n" and text.value == "one"
    choice.index = 0  # the invitation, which is no example
    assert printed(output) == "5 one\n" and text.value == "one"
    text.value = ""
    button.click()
    assert printed(output) == "A sentence has at least one word.\n"


def test_a_crash_in_an_interactive_cell_is_one_sentence(shown):
    teaching.try_it(lambda text: 1 / len(text), {"Text": "x"})
    text, _, output = shown[0].children
    text.value = ""
    assert printed(output) == "This input stops with ZeroDivisionError: division by zero\n"
