"""Every measure on every test: what does it notice, and which one should be taken for which job?

`tasks` says which tests belong to which ability, `scoring` scores them and can go on after a break, `board` turns
scores into cells with intervals and simultaneous ranks, `shown` makes tables, the figure and files of them.
"""

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
    widths,
)
from nbhelpers.leaderboard.tasks import ABILITIES, Task, absent, read, seen, tests, title_of

EXPERIMENTS = {"board-scores": "nbhelpers.leaderboard", "check-verdicts": "nbhelpers.leaderboard.verdicts"}
"""For each table of evidence of this room its module; see `nbhelpers.studies`."""

TABLES = {"board/abilities": lambda items: Board(items).columns, "board/tests": lambda items: Board(items).tests}
