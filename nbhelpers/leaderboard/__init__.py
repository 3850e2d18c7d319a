"""Every measure on every test: what does it notice, and which one should be taken for which job?

`tasks` says which tests belong to which ability, `scoring` scores them and can go on after a break, `board` turns
scores into cells with intervals and simultaneous ranks, `shown` makes tables, the figure and files of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbhelpers.leaderboard.board import Board, people, systems, within
from nbhelpers.leaderboard.scoring import chosen, items_of, record, score, scored
from nbhelpers.leaderboard.shown import (
    about,
    added,
    blind,
    by_test,
    choose,
    export,
    heat_map,
    jobs,
    missing,
    place,
    title,
)
from nbhelpers.leaderboard.tasks import ABILITIES, Task, read, seen, tests, title_of

if TYPE_CHECKING:
    import pandas

EXPERIMENTS = {"board-scores": "nbhelpers.leaderboard", "check-verdicts": "nbhelpers.leaderboard.verdicts"}
"""For each table of evidence of this room its module; see `nbhelpers.studies`."""


def _columns(items: pandas.DataFrame) -> pandas.DataFrame:
    return Board(items).columns


def _tests(items: pandas.DataFrame) -> pandas.DataFrame:
    return Board(items).tests


TABLES = {"board/abilities": _columns, "board/tests": _tests}

__all__ = [
    "ABILITIES",
    "EXPERIMENTS",
    "TABLES",
    "Board",
    "Task",
    "about",
    "added",
    "blind",
    "by_test",
    "choose",
    "chosen",
    "export",
    "heat_map",
    "items_of",
    "jobs",
    "missing",
    "people",
    "place",
    "read",
    "record",
    "score",
    "scored",
    "seen",
    "systems",
    "tests",
    "title",
    "title_of",
    "within",
]
