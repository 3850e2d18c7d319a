"""``python -m nbhelpers board``: which measure for which job; and a measure of one's own on every test."""

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
from nbhelpers.base.checks import check_number
from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError, did_you_mean
from nbhelpers.base.files import open_text
from nbhelpers.base.paths import program
from nbhelpers.leaderboard import Board, Task
from nbhelpers.metrics import Metric
from nbhelpers.results import evidence

if TYPE_CHECKING:
    import pandas

_DESCRIPTION = """\
Say which measure is best for which job, and where a measure of your own stands on the same tests.

board                                which measures are in the best set of each job
board --measures --licence Apache --fast 50     all measures, or some; those in most best sets come first
board --metric my_module:my_metric   score every test with your own measure, and say where it stands
board --scores my.tsv                the same for scores made elsewhere: columns test, place and score, with tabs (or
                                     the file that --metric wrote)
board --pairs FILE                   write the texts of all tests, for scoring elsewhere (do not pass them on)
board --export DIR                   write every score as CSV, one file a test, and the whole board as JSON
"""


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
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(f"{name}: {error}; a measure is named my_module:my_metric") from None
    if callable(found) and not isinstance(found, Metric) and not inspect.signature(found).parameters:
        found = found()
    if isinstance(found, Metric):
        return found
    try:
        inspect.signature(found).bind([], [])
    except TypeError:  # not callable, or with other parameters
        raise InputError(f"{name} is no metric and no function of sources and candidates") from None
    code = hashlib.sha256(Path(inspect.getsourcefile(found) or "").read_bytes()).hexdigest()[:8]

    def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> NDArray[np.float64]:
        given = found(sources, candidates)
        try:
            values = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(f"{name} returns something else than numbers") from None
        if values.shape != (len(sources),):
            raise InputError(f"{name} does not return one number for each pair: {values.size} for {len(sources)}")
        return values

    return Metric(attribute, attribute, (-np.inf, np.inf), True, False, f"{name}|code:{code}", compute)


def read_scores(path: str) -> dict[str, dict[int, float]]:
    """Scores made elsewhere, by test and place: a table with columns test, place and score, separated by tabs.

    The file that ``board --metric`` writes is read, too: commas, and a third column with the name of the measure.
    """
    found: dict[str, dict[int, float]] = {}
    with open_text(path) as reader:
        lines = iter(reader)
        head = next(lines, "").rstrip("\n")
        split = "\t" if "\t" in head else ","
        columns = head.split(split)
        score = columns[2] if split == "," and len(columns) == 3 else "score"
        for row in csv.DictReader(lines, columns, delimiter=split):
            try:
                found.setdefault(row["test"], {})[int(row["place"])] = float(row[score])
            except (KeyError, TypeError, ValueError):
                reason = (
                    "it needs the columns test, place (a whole number) and score (a number), with tabs between them."
                )
                raise DataFormatError(path, reader.line, reason) from None
    if not found:
        raise DataFormatError(path, None, "it has no scores.")
    return found


_TESTS = [name for ability in leaderboard.ABILITIES.values() for name in ability.tests]


def _tasks(wanted: Sequence[str] = _TESTS) -> tuple[list[Task], list[str]]:
    """Those of some tests that are on this machine, and the names of the others."""
    found = {task.name: task for some in leaderboard.tests(wanted).values() for task in some}
    return list(found.values()), [name for name in wanted if name not in found]


def _absent(names: Sequence[str]) -> str:
    """Tests that are not on this machine, and why."""
    reasons: dict[str, list[str]] = {}
    for name in names:
        if reason := leaderboard.absent(name):
            reasons.setdefault(reason, []).append(name)
    lines = [f"    {', '.join(some)}: {reason}" for reason, some in reasons.items()]
    return "\n".join([f"{', '.join(names)} (see data/registry.toml)", *lines])


def _given(path: str, tasks: Sequence[Task]) -> dict[str, dict[str, NDArray[np.float32]]]:
    """Scores made elsewhere for each pair of some tests, NaN where there is none."""
    scores, found = read_scores(path), {}
    if unknown := next((test for test in scores if test not in _TESTS), None):
        raise InputError(f"{path}: there is no test {unknown!r}; {did_you_mean(unknown, _TESTS)}")
    for task in tasks:
        own = scores.get(task.name, {})
        values = [own.get(place, np.nan) for place in range(len(task.pairs))]
        found[task.name] = {"my-scores": np.array(values, np.float32)}
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(f"{program()} board", description=_DESCRIPTION, formatter_class=plain)
    add = parser.add_argument
    add("--metric", metavar="MODULE:NAME", help="your own measure")
    add("--scores", metavar="FILE", help="scores made elsewhere")
    add("--most", type=int, default=0, metavar="N", help="take about N pairs of each test, for a slow measure")
    add("--tests", default="", metavar="NAMES", help="only these tests, with commas between")
    add("--pairs", metavar="FILE", help="file for the texts of all tests")
    add("--export", metavar="DIR", help="folder for the scores and the board")
    add("--measures", action="store_true", help="list the measures instead of the jobs")
    add(
        "--ability",
        action="append",
        default=[],
        choices=leaderboard.ABILITIES,
        metavar="ABILITY",
        help=f"compare on this ability alone; may be repeated: {', '.join(leaderboard.ABILITIES)}",
    )
    add("--licence", default="", metavar="TEXT", help="only measures whose licence contains this")
    add("--fast", type=float, default=0.0, metavar="N", help="only measures that rate N pairs a second or more")
    options = parser.parse_args(argv)
    check_number("--most", options.most, least=0)
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
        note = "\nIn brackets: trained on text from the test's source."
        print("the board has no such measure" if chosen.empty else chosen.to_string(index=False) + note)
    else:
        for row in leaderboard.jobs(Board(items)).to_dict("records"):
            print(f"to {row.pop('job')}", *(f"    {name}: {text}" for name, text in row.items() if text), sep="\n")
    return 0


def _own(items: pandas.DataFrame, options: argparse.Namespace) -> str:
    tasks, absent = _tasks(list(filter(None, options.tests.split(","))) or _TESTS)
    if not tasks:
        raise ResourceNotFoundError(f"not on this machine: {_absent(absent)}")
    if options.metric:
        metric = load_metric(options.metric)
        name, signature = metric.name, metric.signature
        own = leaderboard.scored(tasks, [metric], options.most)
    else:
        name, signature = "my-scores", options.scores
        own = leaderboard.scored(tasks, [], values=_given(options.scores, tasks))
    if name in items:
        raise InputError(f"the board has a measure {name!r} already; give yours another name")
    by_test = {task.name: own.loc[own["test"] == task.name, name] for task in tasks}
    board, file = Board(leaderboard.added(items, name, by_test)), Path(f"{name}.board.csv")
    scored = own[["test", "place", name]].dropna()
    if scored.empty:
        raise InputError(f"{options.scores or options.metric} has no score for a pair of these tests")
    scored.to_csv(file, index=False)
    jobs = leaderboard.place(board, name)
    lines = [jobs.to_string(index=False)]
    if jobs.empty:
        near = [one for one, tests in board.abilities.items() if set(tests) & set(scored["test"])]
        needed = "; ".join(f"{one} needs {', '.join(board.judged(one))}" for one in near)
        lines = [f"a place on the board takes scores for all tests of an ability: {needed}"]
    if absent:
        lines.append(f"not on this machine, and so not scored: {_absent(absent)}")
    lines.append(f"{file} has the scores ({len(scored):,} pairs, {signature}); send it in as CONTRIBUTING says")
    return "\n".join(lines)
