"""Exercises: what a learner reads about an answer; interactive cells without a reader."""

import math
import re
from collections import Counter

import numpy as np
import pytest

from nbhelpers.base import teaching
from nbhelpers.base.paths import ROOT


def raising(values):
    return values / 0


def changing(words, index, replacement):
    before, after = words[:index], words[index + 1 :]
    words.clear()
    return [[*before, *middle, *after] for middle in ([], ["[MASK]"], [replacement])]


@pytest.mark.parametrize(
    "exercise, function, printed",
    [
        ("00_mean", lambda values: None, "Nothing to check yet"),
        ("00_mean", raising, "raising([2.0, 4.0]) stops with TypeError: unsupported operand"),
        ("00_mean", max, "max([2.0, 4.0]) gives 4, expected 3. Sum the values"),
        ("03_depths", lambda heads: [1], "<lambda>([2, 0, 2]) gives [1], expected [2, 1, 2]. Words that hang"),
        ("04_editions", changing, "changing(['dogs', 'chase', 'cats'], 1, 'a') is right, but it has changed what"),
    ],
)
def test_a_wrong_answer_prints_what_to_learn(exercise, function, printed, capsys):
    assert teaching.check(exercise, function) is False
    assert capsys.readouterr().out.startswith(printed)


def test_every_exercise_is_in_its_notebook_with_a_right_solution(capsys):
    asked = set()
    for path in sorted((ROOT / "notebooks" / "text").glob("*.py")):
        for cell in re.split(r"^# %%", path.read_text(), flags=re.MULTILINE):
            if 'tags=["solution"]' in cell and (found := re.search(r'teaching\.check\("((..)_\w+)".*', cell)):
                space = {"teaching": teaching, "math": math, "np": np, "Counter": Counter}
                exec("#" + cell[: found.end()], space)  # what follows the check uses the notebook's variables
                assert capsys.readouterr().out.startswith("Correct on"), found[1]
                assert path.name.startswith(found[2])
                asked.add(found[1])
    assert asked == set(teaching.exercises())


def test_interactive_cells_stay_silent_in_a_headless_run(monkeypatch, capsys):
    monkeypatch.setenv("NBHELPERS_HEADLESS", "1")
    teaching.try_it(print, {"Sentence": "never shown"})
    assert capsys.readouterr().out.startswith("Interactive: open this notebook")
