"""``python -m nbhelpers score``: rate pairs of texts from a file or a pipe, one line for each, then a summary.

Rate how far each candidate says what its source says.

The pairs are lines of UTF-8: columns separated by tabs (plain or all quoted), by commas or semicolons with quotes, or
JSON lines. A first line that names a source (or original, text1, sentence1) and a candidate (or edited,
simplification, text2, sentence2) is a header; columns whose name begins with reference are references, a column id is
passed through, and all others are left alone. Without a header the first of two columns is the source, the second the
candidate. Without references the source takes their place in the metrics that need some (ref:source in the signature).

Each pair gives one JSON line, {"row": 1, "bleu": 42.0}. A pair that a metric refuses has null there, and the reason
under "errors". The last line, {"summary": {...}}, has mean, 95 % bootstrap interval, number of pairs and signature of
each metric. Ctrl-C ends with status 130 and the summary of what was done.
"""

from __future__ import annotations

import argparse
import csv
import functools
import hashlib
import itertools
import json
import logging
import math
import re
import sqlite3
import sys
import warnings
from array import array
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import nbhelpers
from nbhelpers.base import paths, stats
from nbhelpers.base.errors import InputError, NbhelpersError, ResourceNotFoundError, RowTooLongError
from nbhelpers.commands.pace import each, portions
from nbhelpers.commands.reading import Pair, Pairs, not_english, opened
from nbhelpers.metrics import registry
from nbhelpers.metrics.metric import SPECIFICATIONS, Metric, sharing
from nbhelpers.resources import base_model
from nbhelpers.resources.models import folders_of

Triple = tuple[str, str, list[str]]
"""A source, a candidate and its references."""

CHEAP = 0.005
"""Metrics that take less than this many seconds for a pair are the default."""


# ------------------------------------------------------------------------------------------------------------ scoring


class Cache:
    """Values by text and signature of the metric, in the file ``scores.sqlite`` of a folder or in a temporary one."""

    def __init__(self, folder: str | None) -> None:
        self.failed = False
        try:
            if folder:
                Path(folder).mkdir(parents=True, exist_ok=True)
            self.database = sqlite3.connect(Path(folder) / "scores.sqlite" if folder else "")
            self.database.execute("create table if not exists scores (key text primary key, value real)")
        except (OSError, sqlite3.Error) as error:
            raise InputError(f"--cache {folder} cannot be used: {error}.") from error

    def metric(self, name: str, options: dict[str, Any]) -> Metric:
        """A metric, loaded only when a value is missing if its signature is known and loading it takes time."""
        known = SPECIFICATIONS[name]
        if known.seconds < CHEAP:
            return registry.load(name, **options)
        key = json.dumps([name, options, _stamp()], sort_keys=True)
        if (signature := self._kept(key)) is None:
            metric = registry.load(name, **options)
            self._keep([(key, metric.signature)])
            return metric

        def compute(*texts: list) -> Sequence[float]:
            return registry.load(name, **options).compute(*texts)

        shape = (known.title, known.range, known.higher_means_same, known.needs_reference)
        return Metric(name, *shape, signature, compute)

    def _kept(self, key: str) -> Any:
        found = self.database.execute("select value from scores where key = ?", [key]).fetchone()
        return found and found[0]

    def _keep(self, new: list[tuple[str, Any]]) -> None:
        try:
            with self.database:
                self.database.executemany("insert or replace into scores values (?, ?)", new)
        except sqlite3.Error as error:  # a full disk: what was rated is still printed
            if not self.failed:
                print(f"The cache takes no more values ({error}); rating goes on without it.", file=sys.stderr)
            self.failed = True

    def values(self, metric: Metric, triples: list[Triple]) -> list[float | str]:
        """For each (source, candidate, references) its value, or the reason why the metric gives none."""
        keys = []
        for source, candidate, references in triples:
            made = [metric.signature, source, candidate, references if metric.needs_reference else []]
            keys.append(hashlib.sha256(json.dumps(made).encode()).hexdigest())
        found = {key: value for key in keys if (value := self._kept(key)) is not None}
        todo = {key: triple for key, triple in zip(keys, triples) if key not in found}
        found |= zip(todo, _score_each(metric, list(todo.values())))
        self._keep([(key, found[key]) for key in todo if isinstance(found[key], float)])
        return [found[key] for key in keys]


@functools.cache
def _stamp() -> list[Any]:
    """What a signature may change with: the versions of the packages that models run on, and the shipped weights."""
    versions = [version(name) for name in ("torch", "transformers", "peft", "bert-score")]
    weights = [path.stat().st_mtime_ns for path in sorted((paths.data_dir() / "models").rglob("*.*"))]
    return [nbhelpers.__version__, *versions, max(weights)]


def _score_each(metric: Metric, triples: list[Triple]) -> list[float | str]:
    """Score pairs together; where the metric refuses some, these have the reason in place of a value."""

    def reason(error: InputError) -> str:
        said = getattr(error, "reason", str(error))
        if isinstance(error, RowTooLongError) and "truncate" in registry.options(metric.name):
            said += f" (--option {metric.name}.truncate=true cuts it)"
        return said

    return each(lambda some: metric.scores(*map(list, zip(*some))).tolist(), triples, InputError, reason)


def _load(arguments: argparse.Namespace, cache: Cache) -> tuple[list[Metric], dict[str, str]]:
    """The metrics, and why some are missing; one that was asked for by name and cannot run is an error."""
    if arguments.metric:
        names = [registry.resolve(name) for name in arguments.metric.split(",")]
    else:
        names = [n for n in registry.names() if arguments.all or SPECIFICATIONS[n].seconds < CHEAP]
    if len(set(names)) < len(names):
        raise InputError(f"--metric names a metric twice: {arguments.metric}.")
    options: dict[str, dict[str, Any]] = {}
    for setting in arguments.option:
        parts = re.fullmatch(r"([^.=]+)\.([^=]+)=(.*)", setting)
        if not parts:
            raise InputError(f"An option is METRIC.NAME=VALUE, not {setting!r}.")
        try:
            value = json.loads(parts[3])
        except ValueError:
            value = parts[3]
        options.setdefault(registry.resolve(parts[1]), {})[parts[2]] = value
    if unused := sorted(options.keys() - set(names)):
        raise InputError(f"--option is given for {', '.join(unused)}, which --metric does not name.")
    metrics, missing = [], {}
    for name in names:
        try:
            metrics.append(cache.metric(name, options.get(name, {})))
        except ResourceNotFoundError as error:
            if arguments.metric:
                raise
            missing[name] = str(error)
    return metrics, missing


def _tell(pairs: Pairs) -> None:
    """Say on standard error what is wrong with the pairs."""
    first = list(itertools.islice(pairs, 500))
    if not_english([pair.source for pair in first] + [pair.candidate for pair in first]):
        print(
            "These texts are hardly English; measures with a model or a word list were made for English.",
            file=sys.stderr,
        )
    if problems := sum(bool(pair.problem) for pair in pairs):
        print(f"{problems:,} of {pairs.count:,} rows cannot be rated; their lines say why.", file=sys.stderr)


def _score(arguments: argparse.Namespace) -> int:
    pairs = Pairs(*opened(arguments.pairs), arguments.columns, not arguments.no_header)
    cache = Cache(arguments.cache)
    metrics, missing = _load(arguments, cache)
    if not arguments.quiet:
        _tell(pairs)
    identity, names, tsv = ["id"] if pairs.ids else [], [metric.name for metric in metrics], arguments.format == "tsv"
    table = csv.DictWriter(sys.stdout, ["row", *identity, *names, "errors"], delimiter="\t", lineterminator="\n")
    if tsv:
        table.writeheader()
    done = {name: array("d") for name in names}
    refused: dict[str, str] = {}
    status, waiting = 0, iter(pairs)
    try:
        for portion in portions(pairs.count, "scored pairs", not arguments.quiet):
            chosen = list(itertools.islice(waiting, len(portion)))
            with sharing():
                found = [_with_problems(cache, metric, chosen) for metric in metrics]
            for place, pair, values in zip(portion, chosen, zip(*found)):
                errors = {name: value for name, value in zip(names, values) if isinstance(value, str)}
                numbers = {name: None if name in errors else value for name, value in zip(names, values)}
                row = {"row": place + 1} | {key: pair.id for key in identity} | numbers
                if tsv:
                    reasons = "; ".join(f"{name}: {why}" for name, why in errors.items())
                    table.writerow(row | {"errors": " ".join(reasons.split())})
                else:
                    sys.stdout.write(json.dumps(row | ({"errors": errors} if errors else {})) + "\n")
                for name in numbers.keys() - errors.keys():
                    done[name].append(numbers[name])
                refused = errors | refused
            sys.stdout.flush()
    except KeyboardInterrupt:
        status = 130
    summary = {m.name: summarise(m, done[m.name], pairs.references) for m in metrics if done[m.name]}
    missing |= {name: refused[name] for name in refused if not done[name]}
    if tsv:
        for name, of in summary.items():
            interval = "" if of["low"] is None else f" [{of['low']:.4g}, {of['high']:.4g}]"
            print(f"{name}: mean {of['mean']:.4g}{interval}, n = {of['n']}, {of['signature']}", file=sys.stderr)
    else:
        print(json.dumps({"summary": summary} | ({"missing": missing} if missing else {}), ensure_ascii=False))
    if not summary and status == 0:
        raise InputError("No pair has a value: " + "; ".join(f"{name}: {why}" for name, why in missing.items()))
    return status


def _with_problems(cache: Cache, metric: Metric, pairs: Sequence[Pair]) -> list[float | str]:
    """Values of some rows; those with a problem have it in place of a value."""
    triples = [(one.source, one.candidate, one.references or [one.source]) for one in pairs if not one.problem]
    values = iter(cache.values(metric, triples))
    return [pair.problem or next(values) for pair in pairs]


def summarise(metric: Metric, values: Sequence[float], references: bool) -> dict[str, Any]:
    """Mean, 95 % bootstrap interval (None for a single pair), n and signature of a metric's values."""
    estimate = stats.bootstrap(values) if len(values) > 1 else None
    compared = f"|ref:{'given' if references else 'source'}" if metric.needs_reference else ""
    return {
        "mean": math.fsum(values) / len(values),
        "low": estimate and estimate.low,
        "high": estimate and estimate.high,
        "level": 0.95,
        "n": len(values),
        "signature": metric.signature + compared,
    }


# ------------------------------------------------------------------------------------------------------- command line


def _list() -> int:
    """What each measure is, from what is known before it is loaded."""
    print(f"{'name':<27}{'range':<14}{'same is':<9}{'references':<12}{'s a pair':<10}{'licence':<31}what it measures")
    for name in registry.names():
        metric, row = SPECIFICATIONS[name], registry.described().get(name, {})
        span = " to ".join("…" if math.isinf(end) else f"{end:g}" for end in metric.range)
        best, needs = "high" if metric.higher_means_same else "low", "yes" if metric.needs_reference else "no"
        what = row.get("what") or (metric.factory.__doc__ or "").partition("\n")[0]
        what = " ".join(filter(None, [what, _lacking(name)]))
        seconds, licence = f"{metric.seconds:.1g}", row.get("licence", "")
        print(f"{name:<27}{span:<14}{best:<9}{needs:<12}{seconds:<10}{licence:<31}{what}")
    print("\nNot seen, where it was measured (notebook 05, cards in data/models):")
    for name in registry.names():
        if unseen := SPECIFICATIONS[name].unseen:
            print(f"{name:<27}{unseen}")
    return 0


def _lacking(name: str) -> str:
    """Why a measure cannot run here, if that can be told without loading a model."""
    if name == "same-meaning-base" and not any(folder.is_dir() for folder in folders_of(base_model.ENCODER)):
        return f"[missing: {base_model.HOW_TO_GET}]"
    if SPECIFICATIONS[name].factory.__module__.endswith(".external"):
        try:
            registry.load(name)
        except NbhelpersError as error:
            return f"[missing: {error}]"
    return ""


def _parser() -> argparse.ArgumentParser:
    about = {"description": __doc__.partition("\n\n")[2], "formatter_class": argparse.RawDescriptionHelpFormatter}
    parser = argparse.ArgumentParser(f"{paths.program()} score", **about)
    add, which = parser.add_argument, parser.add_mutually_exclusive_group().add_argument
    add("pairs", nargs="?", default="-", help="file of pairs; - is standard input (default)")
    which(
        "--metric",
        metavar="NAMES",
        help="names from --list, with commas between (default: all that need less than 5 ms a pair)",
    )
    which("--all", action="store_true", help="all metrics that run here")
    which("--list", action="store_true", help="show all metrics, and what some of them still need")
    repeated = {"action": "append", "default": [], "metavar": "METRIC.NAME=VALUE"}
    add("--option", **repeated, help="option of a metric, such as bertscore-f1.layer=4; may be repeated")
    add(
        "--columns",
        metavar="A,B[,C]",
        help="names or numbers (from 1) of the columns of source, candidate and references",
    )
    add("--no-header", action="store_true", help="the first line is a pair, whatever it looks like")
    add("--format", choices=("json", "tsv"), default="json", help="tsv has its summary on stderr")
    add("--cache", metavar="FOLDER", help="keep values by text and metric, and use those kept before")
    add("--quiet", action="store_true", help="print no remarks and no progress")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Command line: ``score [--metric NAMES | --all] [pairs.tsv | -]``, ``score --list``.

    Returns
    -------
    int
        Exit status: 0; 130 after Ctrl-C.
    """
    arguments = _parser().parse_args(argv)
    logging.disable(logging.WARNING)  # libraries that warn of long texts, among others
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _list() if arguments.list else _score(arguments)
    except KeyboardInterrupt:
        return 130
    finally:
        logging.disable(logging.NOTSET)
