"""Every measure on every test: what does it notice, and which one should be taken for which job?

`tasks` says which tests belong to which ability, `scoring` scores them and can go on after a break, `board` turns
scores into cells with intervals, ranks and groups that cannot be told apart, and shows what is recorded.
"""

from nbhelpers.leaderboard.board import Board, heat_map, jobs, people, recorded
from nbhelpers.leaderboard.scoring import score
from nbhelpers.leaderboard.tasks import ABILITIES, Task, all_tasks, questions, ranked, shortened, shuffled

__all__ = [
    "ABILITIES",
    "Board",
    "Task",
    "all_tasks",
    "heat_map",
    "jobs",
    "people",
    "questions",
    "ranked",
    "recorded",
    "score",
    "shortened",
    "shuffled",
]
