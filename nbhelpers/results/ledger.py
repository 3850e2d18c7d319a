"""The ledger: one JSON line per number that a notebook reports.

Tables beside the published values, the table of results in the README and the tests that compare numbers all
read the ledger; no number is typed by hand. A run writes its own ledger (`paths.ledger_path()`); the numbers
that ship with the project stand in ``data/results/ledger.jsonl`` and change only through `merge`.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbhelpers
from nbhelpers.base import paths
from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError, did_you_mean
from nbhelpers.base.files import open_text, replace_file
from nbhelpers.base.stats import LEVEL, Estimate
from nbhelpers.resources.data import stand_ins
from nbhelpers.results import published as papers
from nbhelpers.results.estimates import short, with_interval  # noqa: F401
from nbhelpers.results.evidence import device_name

if TYPE_CHECKING:
    import pandas

FIELDS = tuple(
    "study table row column value low high level n published profile signature data model seconds device version "
    "recorded note".split()
)
"""What a line holds, in this order: texts, but for the numbers."""

_NUMBERS = ("value", "low", "high", "level", "published", "seconds")
_TYPES: dict[str, type] = dict.fromkeys(FIELDS, str) | dict.fromkeys(_NUMBERS, float) | {"n": int}

KEY = ("study", "table", "row", "column", "profile")
"""What makes two lines the same entry: a later one replaces the earlier one."""

_RESULT = ("value", "low", "high", "level", "n", "published", "signature", "data", "model", "note")
_ALIKE = 30
"""Of fewer items that are all alike an interval without width says little."""


# ------------------------------------------------------------------------------------------------------------ stand-ins


def is_stand_in(entry: Mapping[str, Any]) -> bool:
    """Whether a number of a profile that wants real data was computed on a small set in its place.

    Parameters
    ----------
    entry : mapping
        A line of the ledger.
    """
    return entry["profile"] != "quick" and "-shipped" in entry["data"]


# ----------------------------------------------------------------------------------------------------- reading a file


def _wrong(entry: Any) -> str | None:
    """Why an object is no line of the ledger; None if it is one."""
    if not isinstance(entry, dict):
        return f"is not a JSON object but {type(entry).__name__}"
    missing, unknown = [f for f in FIELDS if f not in entry], [f for f in entry if f not in FIELDS]
    if missing or unknown:
        return f"lacks the field(s) {missing} or has the unknown field(s) {unknown}"
    for field, kind in _TYPES.items():
        value, is_text = entry[field], kind is str
        fits = isinstance(value, (int, float) if kind is float else kind) and not isinstance(value, bool)
        if not (fits or (value is None and not is_text)) or (fits and not is_text and not math.isfinite(value)):
            expected = {str: "a text", int: "an integer", float: "a finite number"}[kind]
            return f"{field} is not {expected}: {value!r}"
    return None


def _load(path: Path) -> dict[tuple[str, ...], dict[str, Any]]:
    """Entries of a ledger file by their key, in the order of the file; empty where there is no file."""
    entries: dict[tuple[str, ...], dict[str, Any]] = {}
    if not path.exists():
        return entries
    with open_text(path) as lines:
        for line in lines:
            try:
                entry = json.loads(line)
            except ValueError as error:
                raise DataFormatError(path, lines.line, f"is not a whole JSON object ({error})") from None
            if reason := _wrong(entry):
                raise DataFormatError(path, lines.line, reason)
            key = tuple(entry[field] for field in KEY)
            if key in entries:
                raise DataFormatError(path, lines.line, f"repeats the entry {' / '.join(key)}")
            entries[key] = entry
    return entries


def _write(path: Path, entries: dict[tuple[str, ...], dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(entry, ensure_ascii=False, allow_nan=False) + "\n" for entry in entries.values()]
    replace_file(path, "".join(lines).encode("utf-8"))


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on a file of its own; the system releases it even when the process is killed."""
    import fcntl

    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


# -------------------------------------------------------------------------------------------------- recording


def _plain(value: Any) -> Any:
    """Plain Python value of a NumPy one."""
    return value.item() if hasattr(value, "item") else value


def record(
    *,
    study: str,
    table: str,
    row: str,
    column: str,
    value: float | Estimate | None,
    n: int | None = None,
    published: float | None = None,
    signature: str = "",
    data: str = "",
    model: str = "",
    seconds: float | None = None,
    note: str = "",
    into: dict[tuple[str, ...], dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """Write one number into the ledger of the current run, in place of an earlier one with the same key.

    The key is (study, table, row, column, profile). The profile comes from ``NBHELPERS_PROFILE`` (default
    "quick"); device, package version and date are filled in. Several processes may record into one ledger at
    a time. In another profile than quick, `data` also names the small sets that this process took because real
    ones were not found, unless it names its data with a checksum (``name@sha256``) and so was looked up itself.

    Parameters
    ----------
    study, table, row, column : str
        Where the number stands: as in `nbhelpers.results.published` for a number that the paper has.
    value : number, Estimate or None
        An `Estimate` brings interval and n with it, and a note where the interval of few items has no width,
        since they are all alike. None says that the number cannot be had here;
        `note` says why.
    n : int, optional
        Number of items the value rests on.
    published : number, optional
        The paper's value.
    signature : str
        How the number was made, in one line.
    data, model : str
        What it was made from: name and sha256 of the data, name and revision of the model.
    seconds : number, optional
        Wall time of the computation.
    into : dict, optional
        Entries by their key, to put the line into in place of the file.

    Returns
    -------
    dict
        The line as it was written.

    Raises
    ------
    InputError
        An empty key, a number that is NaN or infinite, a value of None without a note.
    DataFormatError
        The ledger of this run is damaged; it is left as it is.

    Examples
    --------
    >>> from nbhelpers.base import stats
    >>> agreement = stats.correlation([1, 2, 3, 5], [1, 2, 4, 3])
    >>> record(study="ndd", table="table1", row="ours", column="Spearman", value=agreement)  # doctest: +SKIP
    """
    low = high = level = None
    if isinstance(value, Estimate):
        if value.low == value.high and 1 < value.n < _ALIKE:
            alike = f"all {value.n} items are alike: resampling them gives no width"
            note = f"{note}; {alike}" if note else alike
        low, high, level, n, value = value.low, value.high, LEVEL, value.n if n is None else n, value.value
    profile = os.environ.get("NBHELPERS_PROFILE") or "quick"
    if profile != "quick" and "@" not in data:
        data = "; ".join(filter(None, [data, *stand_ins()]))
    entry = {
        "study": study,
        "table": table,
        "row": row,
        "column": column,
        "value": _plain(value),
        "low": _plain(low),
        "high": _plain(high),
        "level": level,
        "n": _plain(n),
        "published": _plain(published),
        "profile": profile,
        "signature": signature,
        "data": data,
        "model": model,
        "seconds": None if seconds is None else round(float(seconds), 3),
        "device": device_name(),
        "version": nbhelpers.__version__,
        "recorded": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "note": note,
    }
    if reason := _wrong(entry):
        raise InputError(reason)
    for field, text in entry.items():
        if (field in KEY and not text.strip()) or (isinstance(text, str) and "\n" in text):
            raise InputError(f"{field} must be one line and not empty, but is {text!r}")
    if value is None and not note.strip():
        raise InputError("value is None: a note must say why the number cannot be had")
    with _run() if into is None else contextlib.nullcontext(into) as entries:
        entries[tuple(entry[field] for field in KEY)] = entry
    return entry


@contextlib.contextmanager
def _run() -> Iterator[dict[tuple[str, ...], dict[str, Any]]]:
    """The entries of the current run, which are written when the block ends."""
    path = paths.ledger_path()
    with _lock(path.with_name("ledger.lock")):
        entries = _load(path)
        yield entries
        _write(path, entries)


def record_rows(study: str, table: str, rows: Iterable[Mapping[str, Any]], **common: Any) -> None:
    """Write many numbers of one table; the paper's number comes from the published table with the same cell.

    Parameters
    ----------
    study, table : str
        Where the numbers stand.
    rows : iterable of mapping
        For each number its ``row``, ``column`` and ``value``, and any other parameter of `record`.
    **common
        Parameters of `record` that all share.

    Examples
    --------
    >>> fall = {"row": "Sim", "column": "R", "value": 0.4}
    >>> record_rows("ordering", "fall", [fall], data="bbc-news")  # doctest: +SKIP
    """
    paper = papers.by_place(f"{study}/{table}")
    with _run() as entries:
        for one in rows:
            cell = paper.get((one["row"], one["column"]))
            record(study=study, table=table, into=entries, **{"published": cell and cell.value, **common, **one})


# ---------------------------------------------------------------------------------------------------- reading


def read(path: str | Path | None = None) -> pandas.DataFrame:
    """Ledger as a table, one row per number.

    Parameters
    ----------
    path : path, optional
        A ledger file. Without it: the numbers that ship with the project, together with those of the current
        run, which replace shipped ones that have the same key; but numbers from a stand-in for real data do not.

    Returns
    -------
    DataFrame
        Columns as in `FIELDS`; missing numbers are NaN, missing `n` is NA.

    Raises
    ------
    ResourceNotFoundError
        `path` is given and is not there.
    DataFormatError
        A line is damaged, with file and line.

    Examples
    --------
    >>> frame = read()
    >>> "full" in set(frame[frame.study == "ndd"].profile)
    True
    """
    import pandas

    if path is not None:
        if not Path(path).is_file():
            raise ResourceNotFoundError(f"there is no ledger at {path}")
        entries = _load(Path(path))
    else:
        entries, news = _load(paths.committed_ledger_path()), _load(paths.ledger_path())
        entries |= {key: entry for key, entry in news.items() if key not in entries or not is_stand_in(entry)}
    frame = pandas.DataFrame(list(entries.values()), columns=list(FIELDS))
    return frame.astype({field: "float64" for field, kind in _TYPES.items() if kind is float} | {"n": "Int64"})


def of_table(study: str, table: str) -> pandas.DataFrame:
    """Recorded numbers of one table, as `read` has them; InputError names near tables if there are none."""
    frame = read()
    found = frame[(frame.study == study) & (frame.table == table)]
    if found.empty:
        name, known = f"{study}/{table}", (frame.study + "/" + frame.table).unique()
        raise InputError(f"nothing is recorded for {name}; {did_you_mean(name, known, 3)}")
    return found


def find(key: Mapping[str, str], profile: str, path: Path) -> dict[str, Any] | None:
    """One number of a ledger file, or None if it is not there.

    Parameters
    ----------
    key : mapping
        Its study, table, row and column.
    profile : str
    path : path
        A ledger file; it may not exist.
    """
    return _load(path).get((*(key[field] for field in KEY[:-1]), profile))


def forget(key: Mapping[str, str], profile: str, path: Path) -> None:
    """Take one number out of a ledger file; the parameters are those of `find`."""
    entries = _load(path)
    if entries.pop((*(key[field] for field in KEY[:-1]), profile), None):
        _write(path, entries)


# ---------------------------------------------------------------------------------------------------- merging


def _natural(text: str) -> list[Any]:
    """Sorting key under which table2 stands before table10."""
    return [(1, int(part), "") if part.isdigit() else (0, 0, part) for part in re.split(r"(\d+)", text)]


def _same_result(old: dict[str, Any], new: dict[str, Any]) -> bool:
    for field in _RESULT:
        a, b = old[field], new[field]
        both = isinstance(a, int | float) and isinstance(b, int | float)
        if not (math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9) if both else a == b):
            return False
    return True


def merge(run_dir: str | Path, *, replace: bool = False) -> tuple[int, int, int, int]:
    """Take the numbers of a run into the ledger that ships with the project.

    Tables are sorted by study and table; within a table, lines keep their place and new ones follow in the
    order of recording. A line whose numbers and signature are the same as before (to a millionth) is left as
    it was, with its old date and time, so that a repeated run changes nothing. Numbers that were computed on a
    stand-in for real data (`is_stand_in`) are refused.

    Parameters
    ----------
    run_dir : path
        Folder of a run (which holds ``ledger.jsonl``), or a ledger file.
    replace : bool
        Drop older lines of every table (of the same study and profile) in which the run recorded something, where the
        run has no such line: for a whole run whose rows or columns are called otherwise than before.

    Returns
    -------
    (int, int, int, int)
        Lines added, changed, left as they were, and refused.

    Raises
    ------
    ResourceNotFoundError
        The run has no ledger.
    DataFormatError
        Either ledger is damaged; nothing is written.
    """
    source = Path(run_dir)
    source = source / "ledger.jsonl" if source.is_dir() else source
    if not source.is_file():
        raise ResourceNotFoundError(f"there is no ledger at {source}; give the folder of a run that recorded numbers")
    target = paths.committed_ledger_path()
    added = changed = kept = 0
    # The lock stands outside data/, so that the shipped folder holds nothing but results.
    with _lock(paths.ROOT / "runs" / "ledger-merge.lock"):
        entries, run = _load(target), _load(source)
        news = {key: entry for key, entry in run.items() if not is_stand_in(entry)}
        tables = {(study, table, profile) for study, table, _, _, profile in news} if replace else set()
        dropped = [key for key in entries if (key[0], key[1], key[4]) in tables and key not in run]
        for key in dropped:
            del entries[key]
        for key, entry in news.items():
            if key not in entries:
                added += 1
            elif _same_result(entries[key], entry):
                kept += 1
                continue
            else:
                changed += 1
            entries[key] = entry
        ordered = dict(sorted(entries.items(), key=lambda item: (_natural(item[0][0]), _natural(item[0][1]))))
        if added or changed or dropped or list(ordered) != list(entries):
            _write(target, ordered)
    return added, changed, kept, len(run) - len(news)


def main(argv: Sequence[str] | None = None) -> int:
    """Command line: ``ledger merge RUN``, ``ledger table STUDY TABLE``, ``ledger list``.

    Returns
    -------
    int
        Exit status.
    """
    parser = argparse.ArgumentParser(prog="python -m nbhelpers ledger", description="Recorded numbers.")
    commands = parser.add_subparsers(dest="command", required=True)
    merging = commands.add_parser("merge", help="take the numbers of a run into data/results/ledger.jsonl")
    merging.add_argument("run", help="folder of a run, or a ledger file")
    merging.add_argument(
        "--replace", action="store_true", help="drop older lines of the run's tables that the run does not have"
    )
    showing = commands.add_parser("table", help="show the numbers of a table beside the published ones")
    showing.add_argument("study")
    showing.add_argument("table")
    commands.add_parser("list", help="show which tables have numbers, and how many")
    arguments = parser.parse_args(argv)
    if arguments.command == "merge":
        added, changed, kept, refused = merge(arguments.run, replace=arguments.replace)
        print(f"{added} added, {changed} changed, {kept} unchanged in {paths.committed_ledger_path()}")
        if refused:
            raise InputError(
                f"{refused} of {added + changed + kept + refused} numbers are refused: they were computed on small "
                "sets in place of real data, which the profiles full and paper need"
            )
    elif arguments.command == "table":
        columns = ["row", "column", "profile", "value", "low", "high", "n", "published", "note"]
        found = of_table(arguments.study, arguments.table)[columns]
        print(found.astype(object).fillna("–").to_string(index=False))
    else:
        counts = read().groupby(["study", "table", "profile"], sort=False).size()
        for (study, table, profile), count in counts.items():
            print(f"{study}/{table} ({profile}): {count} numbers")
    return 0
