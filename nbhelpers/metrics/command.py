"""``python -m nbhelpers score``: rate pairs of texts from a file or a pipe; one JSON line for each, then a summary."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from nbhelpers.base.errors import DataFormatError, InputError, NbhelpersError, ResourceNotFoundError
from nbhelpers.metrics import registry
from nbhelpers.metrics.metric import Metric

_DESCRIPTION = """\
Rate how far each candidate says what its source says.

The pairs are tab-separated lines of UTF-8, without quoting. A first line that names the columns source and candidate
is a header: columns whose name begins with reference are then the references, and all others are left alone. Without
a header the first column is the source, the second the candidate, and what follows are references. Where there are no
references, the source stands in for them in the metrics that need some (ref:source in the signature).

Written are one JSON line for each pair, {"row": 1, "bleu": 42.0}, and a last one, {"summary": {...}}, with mean,
95 % bootstrap interval, number of pairs and signature of each metric.
"""


@dataclass(frozen=True)
class Pairs:
    """What a file of pairs holds; `references` is None where it has no column for them."""

    sources: list[str]
    candidates: list[str]
    references: list[list[str]] | None


def _columns(cells: list[str]) -> tuple[int, int, list[int]] | None:
    """Places of source, candidate and references in a header, or None for a line that is no header."""
    names = [cell.strip().lower() for cell in cells]
    names = [{"original": "source", "simplification": "candidate"}.get(name, name) for name in names]  # as in CSMD
    if names.count("source") != 1 or names.count("candidate") != 1:
        return None
    places = [place for place, name in enumerate(names) if name.startswith("reference")]
    return names.index("source"), names.index("candidate"), places


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def read_pairs(stream: BinaryIO, name: str, references: int | None = None) -> Pairs:
    """Read tab-separated pairs.

    Parameters
    ----------
    stream : binary file
    name : str
        What messages call it.
    references : int, optional
        How many references each line must have.

    Raises
    ------
    DataFormatError
        Says the line and what is wrong with it: bytes that are no UTF-8, another number of columns than the first
        line, an empty cell, a last line that was cut off, no pairs at all.
    """
    lines = stream.read().removeprefix(b"\xef\xbb\xbf").split(b"\n")
    ended = lines[-1] == b""
    lines = lines[:-1] if ended else lines
    layout: tuple[int, int, list[int]] | None = None
    width = 0
    sources, candidates, given = [], [], []
    for number, line in enumerate(lines, start=1):
        try:
            cells = line.removesuffix(b"\r").decode("utf-8").split("\t")
        except UnicodeDecodeError as error:
            raise DataFormatError(name, number, f"byte {error.start + 1} of the line is not UTF-8.") from error
        if number == 1:
            header, width = _columns(cells), len(cells)
            layout = header or (0, 1, list(range(2, width)))
            if width < 2:
                raise DataFormatError(name, 1, "a source and a candidate, separated by a tab, are wanted.")
            if references is not None and references != len(layout[2]):
                raise DataFormatError(name, 1, f"there are {len(layout[2])} references, not {references}.")
            if header:
                continue
        if len(cells) != width:
            cut = " (the file seems to be cut off here)" if number == len(lines) and not ended else ""
            raise DataFormatError(name, number, f"{len(cells)} columns where the first line has {width}{cut}.")
        for place, title in [(layout[0], "source"), (layout[1], "candidate"), *((r, "reference") for r in layout[2])]:
            if not cells[place].strip():
                raise DataFormatError(name, number, f"the {title} (column {place + 1}) is empty.")
        sources.append(cells[layout[0]])
        candidates.append(cells[layout[1]])
        given.append([cells[place] for place in layout[2]])
    if not sources:
        raise DataFormatError(name, None, "it holds no pairs.")
    for place, texts in zip(layout[2] if layout else [], zip(*given)):
        if all(_is_number(text) for text in texts):
            reason = (
                f"column {place + 1} holds only numbers, so it is no reference; name source, candidate and "
                "reference in a first line, and other columns are left out."
            )
            raise DataFormatError(name, None, reason)
    if not ended:
        print(
            f"{name}, line {len(lines)}: no line end; if the file was cut off here, its last text is not whole.",
            file=sys.stderr,
        )
    return Pairs(sources, candidates, given if layout and layout[2] else None)


def _options(settings: Sequence[str]) -> dict[str, dict[str, Any]]:
    """For each metric what ``--option`` sets; a value is JSON where it can be read so, else text."""
    options: dict[str, dict[str, Any]] = {}
    for setting in settings:
        target, equals, value = setting.partition("=")
        metric, dot, option = target.partition(".")
        if not (equals and dot and option):
            raise InputError(f"An option is METRIC.NAME=VALUE, not {setting!r}.")
        try:
            read = json.loads(value)
        except ValueError:
            read = value
        options.setdefault(registry.resolve(metric), {})[option] = read
    return options


def _load(names: Sequence[str], settings: Sequence[str], skip: bool) -> tuple[list[Metric], dict[str, str]]:
    """The metrics, and why some are missing; with `skip` off, the first that cannot run is an error."""
    options, metrics, missing = _options(settings), [], {}
    if unused := options.keys() - set(names):
        raise InputError(f"--option is given for {', '.join(sorted(unused))}, which --metric does not name.")
    for name in names:
        try:
            metrics.append(registry.load(name, **options.get(name, {})))
        except ResourceNotFoundError as error:
            if not skip:
                raise
            missing[name] = str(error)
    return metrics, missing


def summarise(metric: Metric, values: Sequence[float], references: object | None) -> dict[str, Any]:
    """Mean, 95 % bootstrap interval (None for a single pair), n and signature of a metric's values."""
    from nbhelpers.base import stats

    low = high = None
    if len(values) > 1:
        estimate = stats.bootstrap(values)
        low, high = estimate.low, estimate.high
    return {
        "mean": math.fsum(values) / len(values),
        "low": low,
        "high": high,
        "level": 0.95,
        "n": len(values),
        "signature": metric.signature_for(references) if metric.needs_reference else metric.signature,
    }


def _score(arguments: argparse.Namespace) -> None:
    every = arguments.metric.strip().lower() == "all"
    names = registry.names() if every else [registry.resolve(name) for name in arguments.metric.split(",")]
    if arguments.pairs == "-":
        pairs = read_pairs(sys.stdin.buffer, "standard input", arguments.references)
    else:
        try:
            with open(arguments.pairs, "rb") as stream:
                pairs = read_pairs(stream, arguments.pairs, arguments.references)
        except OSError as error:
            raise ResourceNotFoundError(f"{arguments.pairs} cannot be read: {error.strerror}.") from error
    metrics, missing = _load(names, arguments.option, skip=every)
    result = registry.score_all(
        pairs.sources, pairs.candidates, pairs.references, metrics=metrics, progress=not arguments.quiet
    )
    values = result["values"]
    for name, reason in result["missing"].items():  # a text that this metric refuses
        if not every:
            raise InputError(f"{name}: {reason}")
        missing[name] = reason
    for row in range(len(pairs.sources)):
        print(json.dumps({"row": row + 1, **{name: float(of[row]) for name, of in values.items()}}))
    summary = {m.name: summarise(m, values[m.name], pairs.references) for m in metrics if m.name in values}
    print(json.dumps({"summary": summary, **({"missing": missing} if missing else {})}, ensure_ascii=False))


def _describe(name: str, metric: Metric | str) -> dict[str, Any]:
    described: dict[str, Any] = {"name": name, "title": registry.SPECIFICATIONS[name].title}
    if isinstance(metric, str):
        return {**described, "available": False, "reason": metric}
    low, high = (None if math.isinf(end) else end for end in metric.range)
    return {
        **described,
        "available": True,
        "range": [low, high],
        "higher_means_same": metric.higher_means_same,
        "needs_reference": metric.needs_reference,
        "signature": metric.signature,
    }


def _list(as_json: bool) -> None:
    rows = [_describe(name, metric) for name, metric in registry.available().items()]
    if as_json:
        for row in rows:
            print(json.dumps(row, ensure_ascii=False))
        return
    print(f"{'name':<21}{'range':<14}{'same is':<9}{'references':<12}signature, or why it cannot run here")
    for row in rows:
        if not row["available"]:
            print(f"{row['name']:<21}{'–':<14}{'–':<9}{'–':<12}missing: {row['reason']}")
            continue
        low, high = ("…" if end is None else f"{end:g}" for end in row["range"])
        print(
            f"{row['name']:<21}{f'{low} to {high}':<14}{'high' if row['higher_means_same'] else 'low':<9}"
            f"{'yes' if row['needs_reference'] else 'no':<12}{row['signature']}"
        )


def main(argv: Sequence[str] | None = None) -> int:
    """Command line: ``score --metric NAMES [pairs.tsv | -]``, ``score --list``.

    Returns
    -------
    int
        Exit status: 0, or 2 after an error, which is printed as one sentence.
    """
    parser = argparse.ArgumentParser(
        prog="python -m nbhelpers score", description=_DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pairs", nargs="?", default="-", help="file of pairs; - is standard input (default)")
    parser.add_argument(
        "--metric",
        default="bleu,ndd,bertscore,meaningbert",
        metavar="NAMES",
        help="names from --list, separated by commas, or all (default: %(default)s)",
    )
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="METRIC.NAME=VALUE",
        help="option of a metric, such as bertscore-f1.layer=4; may be repeated",
    )
    parser.add_argument("--references", type=int, metavar="N", help="refuse input without N references a line")
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    parser.add_argument("--list", action="store_true", help="show all metrics, and what is missing for which")
    parser.add_argument("--json", action="store_true", help="with --list: one JSON line for each (scores always are)")
    arguments = parser.parse_args(argv)
    try:
        if arguments.list:
            _list(arguments.json)
        else:
            _score(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of the pipe has seen enough; nothing is to be written at exit either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except NbhelpersError as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        return 2
    return 0
