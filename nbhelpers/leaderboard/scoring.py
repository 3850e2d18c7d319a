"""Score tasks with metrics, part by part, so that a run that was stopped goes on where it was."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nbhelpers.base import shards
from nbhelpers.base.errors import RowError
from nbhelpers.leaderboard.tasks import Task
from nbhelpers.metrics import SPECIFICATIONS, Metric, load_all
from nbhelpers.metrics.metric import check_pairs, sharing

SHARD_SECONDS = 5.0
"""Pairs that a metric scores in about this time are kept together in one file, at most 2,000 of them."""

FAST = 0.001
"""Seconds for a pair below which a metric scores every pair."""


@dataclass(frozen=True)
class Scores:
    """Values of one metric on one task, higher where more of the meaning is said to be kept.

    Attributes
    ----------
    places : numpy.ndarray, int, shape (n,)
        Which pairs of the task were scored.
    values : numpy.ndarray, float64, shape (n,)
    refused : int
        Further pairs that the metric refused, mostly because they are too long for its model.
    """

    places: NDArray
    values: NDArray
    refused: int


def _family(name: str) -> str:
    return name.partition("-")[0] if name.startswith(("bertscore", "rouge")) else name


def _values(metrics: Sequence[Metric], pairs: list[list[str]]) -> list[list[float] | None]:
    """Values of each pair by each metric of a family; None for a pair that one of them refuses."""
    left = dict(enumerate(pairs))
    while left:
        places = list(left)
        try:
            with sharing():
                checked = check_pairs(*map(list, zip(*left.values())))
                columns = [metric.scores(*checked).tolist() for metric in metrics]
        except RowError as error:
            del left[places[error.row - 1]]
            continue
        found = dict(zip(places, zip(*columns)))
        return [list(found[place]) if place in found else None for place in range(len(pairs))]
    return [None] * len(pairs)


def score(
    tasks: Iterable[Task], metrics: Iterable[str | Metric], *, seconds: float = 3.0, fewest: int = 50, seed: int = 0
) -> tuple[dict[str, dict[str, Scores]], dict[str, Metric], dict[str, str]]:
    """Score every task with every metric; what has been scored before, in the same folder of results, is read.

    A metric that is not `FAST` scores a random sample of each task: as many pairs as it takes `seconds` for, by the
    registry, and at least `fewest`. Fast metrics come first.

    Parameters
    ----------
    tasks : iterable of Task
        With different names.
    metrics : iterable of str or Metric
        Those that cannot run here are left out, with the reason.
    seconds : float
        Per metric and task, on a processor core that is free. A larger sample holds the smaller one, so that a later
        call with more seconds computes only what is new.
    fewest : int
        Pairs of a task that even the slowest metric scores, if there are so many.
    seed : int
        Of the samples.

    Returns
    -------
    scores : dict
        For each metric, for each task: `Scores`.
    metrics : dict
        The metrics by name.
    missing : dict
        Why the others cannot run.
    """
    tasks = list(tasks)
    loaded, missing = load_all(metrics)
    cost = {name: SPECIFICATIONS[name].seconds if name in SPECIFICATIONS else 0.001 for name in loaded}
    families: dict[str, list[str]] = {}
    for name in sorted(loaded, key=lambda name: (cost[name], name)):
        families.setdefault(_family(name), []).append(name)
    scores: dict[str, dict[str, Scores]] = {name: {} for name in loaded}
    for family, names in families.items():
        members = [loaded[name] for name in names]
        signature = "; ".join(metric.signature for metric in members)
        rows = max(fewest, round(seconds / cost[names[0]])) if cost[names[0]] >= FAST else 10**9
        size = min(2000, max(10, round(SHARD_SECONDS / cost[names[0]])))
        for task in tasks:
            places = np.array(task.sample(rows, seed))
            pairs = [[task.pairs[place].source, task.pairs[place].candidate] for place in places]
            label = f"{family} on {task.name}"
            work = functools.partial(_values, members)
            found = shards.map(work, pairs, signature=signature, shard_size=size, description=label)
            kept = np.array([values is not None for values in found])
            for column, metric in enumerate(members):
                sign = 1.0 if metric.higher_means_same else -1.0
                values = sign * np.array([values[column] for values in found if values is not None])
                scores[metric.name][task.name] = Scores(places[kept], values, int((~kept).sum()))
    return scores, loaded, missing
