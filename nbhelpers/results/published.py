"""The figures that the five papers published, cell by cell.

Every table is one CSV file in ``data/published``, named ``<study>-<table>.csv`` and known here as
``<study>/<table>``, for example ``ndd/table1``. Studies are ``ndd``, ``meaningbert``, ``pyramid``,
``paraphrase`` and ``ordering``; beside the tables stand a few figures (``pyramid/figure3``) and the numbers
given in running text (``meaningbert/text``).
``data/published/README.md`` explains labels, units and what is absent.

A file is checked when it is read: a damaged line raises an error that names it, and is never skipped.
"""

from __future__ import annotations

import csv
import difflib
import re
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

from nbhelpers.base import paths
from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError

if TYPE_CHECKING:
    import pandas

UNITS = {
    "points": "a score between 0 and 1, times 100 (F1, BLEU, mAP, AUC)",
    "%": "a share or a relative difference in percent",
    "fraction": "a score or a share between 0 and 1",
    "cosine": "a cosine similarity",
    "correlation": "a correlation coefficient, or a difference of two",
    "perplexity": "a perplexity",
    "divergence": "a weighted sum of Kullback-Leibler divergences (NDD); its logarithm's base is not given",
    "p-value": "a significance level",
    "ratio": "how many times one figure is another",
    "count": "a number of things",
    "words": "a length in words",
    "scale": "an end of a rating scale",
    "setting": "a parameter without a unit",
    "years": "years",
    "hours": "hours",
    "megabytes": "megabytes",
    "gigabytes": "gigabytes",
    "text": "no number: the cell holds words or a sign",
}
"""What the words in the ``unit`` column mean."""

MARKS = ("", "bold")
"""What the ``mark`` column may hold: nothing, or that the paper prints the cell in bold."""

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_NAME = re.compile(r"[a-z]+-[a-z]+[0-9]*")


@dataclass(frozen=True)
class Cell:
    """One cell of a published table.

    Attributes
    ----------
    table : str
        The table, such as ``"ndd/table1"``.
    row, column : str
        The labels; each pair occurs once in a table.
    value : float or None
        The number, or None where the cell holds words or the paper gives no number.
    unit : str
        A key of `UNITS`; ``"text"`` exactly where the cell holds words or a sign.
    text : str
        The words of a text cell; the reason of a missing number; else a remark, or nothing.
    group : str
        The group of rows (such as ``"unsupervised"``) or the section of the paper, or nothing.
    mark : str
        ``"bold"`` where the paper prints the cell in bold, else nothing.
    """

    table: str
    row: str
    column: str
    value: float | None
    unit: str
    text: str
    group: str
    mark: str


COLUMNS = tuple(field.name for field in fields(Cell))
"""The columns of every file, in order."""


def tables() -> list[str]:
    """Names of all published tables, sorted.

    Returns
    -------
    list of str
        Names such as ``"ndd/table1"``.

    Raises
    ------
    ResourceNotFoundError
        If the folder ``data/published`` holds no table.
    DataFormatError
        If a file in it is not named as a table.
    """
    files = sorted(_folder().glob("*.csv"))
    if not files:
        raise ResourceNotFoundError(f"No published tables in {_folder()}: the checkout is incomplete.")
    for path in files:
        if not _NAME.fullmatch(path.stem):
            raise DataFormatError(path, None, "The file name must be <study>-<table>.csv in small letters.")
    return sorted(path.stem.replace("-", "/") for path in files)


def cells(name: str) -> list[Cell]:
    """All cells of one table, in the order of the file.

    Parameters
    ----------
    name : str
        A name from `tables`.

    Returns
    -------
    list of Cell

    Raises
    ------
    InputError
        If there is no such table; the message names the nearest ones.
    DataFormatError
        If the file does not follow its format; the message names file and line.
    """
    known = tables()
    if name not in known:
        raise InputError(_unknown("table", name, known, "in data/published"))
    return _read(_folder() / f"{name.replace('/', '-')}.csv", name)


def table(name: str) -> pandas.DataFrame:
    """One table in tidy form: one row per cell.

    Parameters
    ----------
    name : str
        A name from `tables`.

    Returns
    -------
    pandas.DataFrame
        Columns ``table, row, column, value, unit, text, group, mark``, in the order of the file. ``value`` is
        float64, with NaN where the cell has no number; all other columns are strings, empty where there is
        nothing.

    Raises
    ------
    InputError
        If there is no such table.
    DataFormatError
        If the file does not follow its format.
    """
    import pandas

    frame = pandas.DataFrame([asdict(cell) for cell in cells(name)], columns=list(COLUMNS))
    return frame.astype({"value": "float64"})


def value(table: str, row: str, column: str) -> float:
    """The number in one cell.

    Parameters
    ----------
    table : str
        A name from `tables`.
    row, column : str
        The labels of the cell.

    Returns
    -------
    float
        The number as the paper prints it, in the unit of the cell; always finite.

    Raises
    ------
    InputError
        If there is no such table, row or column (the message names the nearest ones), or if the cell holds
        words or the paper gives no number there.
    DataFormatError
        If the file does not follow its format.
    """
    cell = _cell(table, row, column)
    if cell.value is None:
        what = "holds text, not a number" if cell.unit == "text" else "has no number in the paper"
        raise InputError(f"Cell ({row!r}, {column!r}) of {table} {what}: {cell.text}")
    return cell.value


def text(table: str, row: str, column: str) -> str:
    """The words in one cell, such as an example sentence.

    Parameters
    ----------
    table : str
        A name from `tables`.
    row, column : str
        The labels of the cell.

    Returns
    -------
    str
        The words, never empty.

    Raises
    ------
    InputError
        If there is no such table, row or column (the message names the nearest ones), or if it is not a text
        cell.
    DataFormatError
        If the file does not follow its format.
    """
    cell = _cell(table, row, column)
    if cell.unit != "text":
        raise InputError(f"Cell ({row!r}, {column!r}) of {table} is a number in {cell.unit}, not text.")
    return cell.text


def _folder() -> Path:
    return paths.data_dir() / "published"


def _cell(table: str, row: str, column: str) -> Cell:
    every = cells(table)
    in_row = [cell for cell in every if cell.row == row]
    if not in_row:
        raise InputError(_unknown("row", row, list(dict.fromkeys(cell.row for cell in every)), f"in {table}"))
    for cell in in_row:
        if cell.column == column:
            return cell
    # Tables of figures from running text have different columns from row to row.
    known = [cell.column for cell in in_row]
    raise InputError(_unknown("column", column, known, f"in row {row!r} of {table}"))


def _unknown(kind: str, asked: object, known: list[str], where: str) -> str:
    if not isinstance(asked, str):
        return f"The {kind} must be a string, not {type(asked).__name__}."
    # Compared without case, because difflib counts a capital as a different letter.
    folded = {name.casefold(): name for name in known}
    near = difflib.get_close_matches(asked.casefold(), folded, n=3, cutoff=0.4)
    if near:
        options = " or ".join(repr(folded[name]) for name in near)
        return f"No {kind} {asked!r} {where}; did you mean {options}?"
    return f"No {kind} {asked!r} {where}; known are {', '.join(map(repr, known))}."


def _read(path: Path, name: str) -> list[Cell]:
    try:
        content = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise DataFormatError(path, line, "The file is not UTF-8.") from None
    found: list[Cell] = []
    line_of: dict[tuple[str, str], int] = {}
    # Strict, so that text after a closing quote is an error; split by line first, so that a forgotten closing
    # quote is reported where it is instead of swallowing the rest of the file.
    for number, line in enumerate(content.removesuffix("\n").split("\n"), start=1):
        line = line.removesuffix("\r")
        try:
            record = next(csv.reader([line], strict=True), [])
        except csv.Error as error:
            raise DataFormatError(path, number, f"Not a line of CSV: {error}.") from None
        if number == 1:
            if tuple(record) != COLUMNS:
                raise DataFormatError(path, 1, f"The header must be {','.join(COLUMNS)!r}, not {line!r}.")
            continue
        cell = _parse(path, number, record, name)
        key = (cell.row, cell.column)
        if key in line_of:
            reason = f"Row {cell.row!r}, column {cell.column!r} stands in line {line_of[key]} already."
            raise DataFormatError(path, number, reason)
        line_of[key] = number
        found.append(cell)
    if not found:
        raise DataFormatError(path, None, "The file holds no cells.")
    return found


def _parse(path: Path, line: int, record: list[str], name: str) -> Cell:
    """Check one record and turn it into a cell."""

    def require(condition: object, reason: str) -> None:
        if not condition:
            raise DataFormatError(path, line, reason)

    require(len(record) == len(COLUMNS), f"Expected {len(COLUMNS)} fields, found {len(record)}.")
    for column, entry in zip(COLUMNS, record, strict=True):
        require(entry == entry.strip(), f"Field {column!r} begins or ends with white space: {entry!r}.")
    table, row, column, number, unit, words, group, mark = record
    require(table == name, f"Field 'table' must be {name!r}, not {table!r}.")
    require(row and column, "Row and column must not be empty.")
    require(unit in UNITS, f"Unknown unit {unit!r}; known: {', '.join(UNITS)}.")
    require(mark in MARKS, f"Unknown mark {mark!r}; known: nothing or 'bold'.")
    require(not number or _NUMBER.fullmatch(number), f"Value {number!r} is not a plain decimal number.")
    require(number or words, "A cell without a value must say why in 'text'.")
    require(not (number and unit == "text"), "A cell with a value needs the unit of the value, not 'text'.")
    return Cell(table, row, column, float(number) if number else None, unit, words, group, mark)
