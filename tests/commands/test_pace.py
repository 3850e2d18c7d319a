"""How long a run takes is told once, from portions of the run itself."""

import re

import numpy as np
import pytest

from nbhelpers.commands import pace as module
from nbhelpers.commands.pace import Pace


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes on only when a test says so."""
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return lambda seconds: now.__setitem__(0, now[0] + seconds)


@pytest.mark.parametrize(("seed", "load", "speed"), [(0, 0.0, 0.0002), (1, 9.0, 0.0002), (2, 3.0, 0.02)])
def test_the_estimate_is_near_the_time_taken(seed, load, speed, clock, capsys):
    letters, taken = np.random.default_rng(seed).integers(20, 400, 1_000).tolist(), load
    for portion in Pace(letters, "pairs", tell=True):
        seconds = speed * sum(letters[place] for place in portion) + (0 if portion.start else load)
        taken += seconds - (0 if portion.start else load)
        clock(seconds)
    (line,) = capsys.readouterr().err.splitlines()
    number, unit = re.fullmatch(r"1,000 pairs: about ([\d.]+) (s|minutes)", line).groups()
    assert float(number) * (60 if unit == "minutes" else 1) == pytest.approx(taken, rel=0.05)


def test_the_slowest_are_named_and_every_item_comes_once(clock, capsys):
    pace, seen = Pace([1] * 2_000, "pairs", tell=True), []
    for portion in pace:
        seen += portion
        pace.spent.update({"slow": 0.02 * len(portion), "fast": 0.001 * len(portion)})
        clock(0.021 * len(portion))
    assert seen == list(range(2_000))
    assert re.fullmatch(r"2,000 pairs: about 4[23] s, most of it for slow, fast\n", capsys.readouterr().err)


@pytest.mark.parametrize(("tell", "speed"), [(True, 0.001), (False, 1.0)])
def test_nothing_is_said_of_a_short_run_or_to_a_quiet_one(tell, speed, clock, capsys):
    for portion in Pace([1] * 500, "pairs", tell):
        clock(speed * len(portion))
    assert capsys.readouterr().err == ""
