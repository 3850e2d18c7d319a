"""``python -m nbhelpers board``: which measure for which job; and a measure of one's own on every test.

board                                     which measures are in the best set of each job
board --measures --licence Apache --fast 50     all measures, those in most best sets first; only some of them
board --metric my_module:my_metric        score every test of the board with a measure, and say where it stands
board --scores my.tsv                     the same for scores made elsewhere: columns test, place, score
board --pairs FILE                        write the texts of all tests, for scoring elsewhere (not to be passed on)
board --export DIR                        every score as CSV, one file per test, and the whole board as JSON
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import importlib
import inspect
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nbhelpers import leaderboard
from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError, did_you_mean
from nbhelpers.base.files import open_text
from nbhelpers.leaderboard import Board, Task
from nbhelpers.metrics import Metric
from nbhelpers.results import evidence

if TYPE_CHECKING:
    import pandas


def load_metric(name: str) -> Metric:
    """A measure of one's own.

    Parameters
    ----------
    name : str
        ``module:name`` of a `Metric`, of a function without parameters that returns one, or of a function that takes
        sources and candidates and returns one number for each pair, higher where more of the meaning is kept. The
        module is looked for in the working folder, too.

    Raises
    ------
    InputError
        There is no such module or name, or it is none of these.
    """
    module, _, attribute = name.partition(":")
    sys.path.insert(0, str(Path.cwd()))
    try:
        found: Any = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise InputError(f"{name}: {error}; a measure is named my_module:my_metric") from None
    if isinstance(found, Metric):
        return found
    if not callable(found):
        raise InputError(f"{name} is neither a metric nor a function")
    if not inspect.signature(found).parameters:
        return found()
    code = hashlib.sha256(Path(inspect.getsourcefile(found) or "").read_bytes()).hexdigest()[:8]

    def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> NDArray[np.float64]:
        return np.asarray(found(sources, candidates), dtype=np.float64)

    return Metric(attribute, attribute, (-np.inf, np.inf), True, False, f"{name}|code:{code}", compute)


def read_scores(path: str) -> dict[str, dict[int, float]]:
    """Scores made elsewhere, by test and place: a table with columns test, place and score, separated by tabs."""
    found: dict[str, dict[int, float]] = {}
    with open_text(path) as reader:
        for row in (rows := csv.DictReader(reader, delimiter="\t")):
            try:
                found.setdefault(row["test"], {})[int(row["place"])] = float(row["score"])
            except (KeyError, TypeError, ValueError):
                raise DataFormatError(path, rows.line_num, "needs the columns test, place and score") from None
    return found


def _tasks() -> tuple[list[Task], list[str]]:
    """The tests on this machine, and the names of the others."""
    found = {task.name: task for some in leaderboard.tests().values() for task in some}
    every = [name for ability in leaderboard.ABILITIES.values() for name in ability.tests]
    return list(found.values()), [name for name in every if name not in found]


def scores_of(metric: Metric | dict[str, dict[int, float]], tasks: Sequence[Task], most: int = 0) -> pandas.DataFrame:
    """Every pair of the tests with the values of a measure, or with scores made elsewhere, as the evidence has them."""
    if isinstance(metric, Metric):
        return leaderboard.scored(tasks, [metric], most)

    def looked_up(task: Task) -> NDArray[np.float32]:
        given = metric.get(task.name, {})
        return np.array([given.get(place, np.nan) for place in range(len(task.pairs))], np.float32)

    return leaderboard.scored(tasks, [], values={task.name: {"my-scores": looked_up(task)} for task in tasks})


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("python -m nbhelpers board", description=__doc__, formatter_class=plain)
    parser.add_argument("--metric", help="module:name of a measure of your own")
    parser.add_argument("--scores", help="a table of scores made elsewhere")
    parser.add_argument("--most", type=int, default=0, help="pairs of each test at most, for a slow measure")
    parser.add_argument("--tests", default="", help="only these tests, with commas")
    parser.add_argument("--pairs", help="file for the texts of all tests")
    parser.add_argument("--export", metavar="DIR", help="folder for the scores and the board")
    parser.add_argument("--measures", action="store_true", help="list the measures instead of the jobs")
    parser.add_argument("--ability", action="append", default=[], choices=leaderboard.ABILITIES)
    parser.add_argument("--licence", default="", help="only measures whose licence has this text")
    parser.add_argument(
        "--fast", type=float, default=0.0, metavar="N", help="only measures of N pairs a second or more"
    )
    options = parser.parse_args(argv)
    items = evidence.load("board-scores")
    if options.pairs:
        with open(options.pairs, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter="\t", lineterminator="\n")
            writer.writerow(["test", "place", "source", "candidate"])
            for task in _tasks()[0]:
                for place, pair in enumerate(task.pairs):
                    texts = (" ".join(text.split()) for text in (pair.source, pair.candidate))
                    writer.writerow([task.name, place, *texts])
        print(f"{options.pairs}: score column by column and hand it to --scores")
    elif options.metric or options.scores:
        print(_own(items, options))
    elif options.export:
        print(f"{len(leaderboard.export(Board(items), options.export))} files in {options.export}")
    elif options.measures or options.ability or options.licence or options.fast:
        chosen = leaderboard.choose(Board(items), options.ability, licence=options.licence, pairs_a_second=options.fast)
        print(chosen.to_string(index=False))
    else:
        for row in leaderboard.jobs(Board(items)).to_dict("records"):
            print(f"to {row.pop('job')}", *(f"    {name}: {text}" for name, text in row.items() if text), sep="\n")
    return 0


def _own(items: pandas.DataFrame, options: argparse.Namespace) -> str:
    tasks, absent = _tasks()
    every = [*(task.name for task in tasks), *absent]
    wanted = list(filter(None, options.tests.split(","))) or every
    for test in wanted:
        if test not in every:
            raise InputError(f"there is no test {test!r}; {did_you_mean(test, every)}")
    tasks, absent = [task for task in tasks if task.name in wanted], [test for test in absent if test in wanted]
    if not tasks:
        raise ResourceNotFoundError(f"not on this machine: {', '.join(absent)} (see data/registry.toml)")
    metric = load_metric(options.metric) if options.metric else read_scores(options.scores)
    name = metric.name if isinstance(metric, Metric) else "my-scores"
    own = scores_of(metric, tasks, options.most)
    if name in items:
        raise InputError(f"the board has a measure {name!r} already; give yours another name")
    board = Board(
        leaderboard.added(items, name, {task.name: own.loc[own["test"] == task.name, name] for task in tasks})
    )
    file = Path(f"{name}.board.csv")
    scored = own[["test", "place", name]].dropna()
    scored.to_csv(file, index=False)
    signature = metric.signature if isinstance(metric, Metric) else options.scores
    jobs = leaderboard.place(board, name)
    lines = ["too few pairs for any job of the board" if jobs.empty else jobs.to_string(index=False)]
    if absent:
        lines.append(f"not on this machine, and so not scored: {', '.join(absent)} (see data/registry.toml)")
    lines.append(f"{file} has the scores ({len(scored):,} pairs, {signature}); send it in as CONTRIBUTING says")
    return "\n".join(lines)
