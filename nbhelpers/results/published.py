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
import re
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

from nbhelpers.base import paths
from nbhelpers.base.errors import DataFormatError, InputError, did_you_mean
from nbhelpers.base.files import open_text

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

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


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

    Examples
    --------
    >>> tables()[:3]
    ['meaningbert/text', 'ndd/figure1', 'ndd/figure3']
    """
    return sorted(path.stem.replace("-", "/") for path in _folder().glob("*.csv"))


def cells(name: str) -> list[Cell]:
    """All cells of one table, in the order of the file.

    Parameters
    ----------
    name : str
        A name from `tables`.

    Raises
    ------
    InputError
        There is no such table; the message names the nearest ones.
    DataFormatError
        The file does not follow its format; the message names file and line.

    Examples
    --------
    >>> cells("ndd/table2")[0].value
    63.2
    """
    if name not in tables():
        raise InputError(f"No table {name!r} in data/published; {did_you_mean(name, tables(), 3)}")
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
        float64, with NaN where the cell has no number; all other columns are strings.

    Raises
    ------
    InputError, DataFormatError
        As `cells`.

    Examples
    --------
    >>> table("ndd/table2")[["row", "column", "value"]].head(2)
            row column  value
    0  Unedited     F1   63.2
    1  Unedited     B1   44.8
    """
    import pandas

    frame = pandas.DataFrame([asdict(cell) for cell in cells(name)], columns=list(COLUMNS))
    return frame.astype({"value": "float64"})


def value(table: str, row: str, column: str) -> float:
    """The number in one cell, as the paper prints it, in the unit of the cell.

    Parameters
    ----------
    table : str
        A name from `tables`.
    row, column : str
        The labels of the cell.

    Raises
    ------
    InputError
        There is no such table, row or column (the message names the nearest ones), or the cell holds words or the
        paper gives no number there.
    DataFormatError
        The file does not follow its format.

    Examples
    --------
    >>> value("ndd/table2", "NDD-based (ours)", "F1")
    67.4
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

    Raises
    ------
    InputError
        There is no such table, row or column (the message names the nearest ones), or it is not a text cell.
    DataFormatError
        The file does not follow its format.

    Examples
    --------
    >>> text("ndd/figure3", "Example", "Subtree")
    'since the early 1970s'
    """
    cell = _cell(table, row, column)
    if cell.unit != "text":
        raise InputError(f"Cell ({row!r}, {column!r}) of {table} is a number in {cell.unit}, not text.")
    return cell.text


def _folder() -> Path:
    return paths.data_dir() / "published"


def _cell(table: str, row: str, column: str) -> Cell:
    every = cells(table)
    in_row = {cell.column: cell for cell in every if cell.row == row}
    if not in_row:
        rows = dict.fromkeys(cell.row for cell in every)
        raise InputError(f"No row {row!r} in {table}; {did_you_mean(row, rows, 3)}")
    if column not in in_row:  # tables of figures from running text have different columns from row to row
        raise InputError(f"No column {column!r} in row {row!r} of {table}; {did_you_mean(column, in_row, 3)}")
    return in_row[column]


def _read(path: Path, name: str) -> list[Cell]:
    found: dict[tuple[str, str], Cell] = {}
    with open_text(path) as lines:
        # Strict, so that text after a closing quote is an error; line by line, so that a forgotten closing quote is
        # reported where it is instead of swallowing the rest of the file.
        for line in lines:
            try:
                record = next(csv.reader([line], strict=True), [])
            except csv.Error as error:
                raise DataFormatError(path, lines.line, f"Not a line of CSV: {error}.") from None
            if lines.line == 1:
                if tuple(record) != COLUMNS:
                    raise DataFormatError(path, 1, f"The header must be {','.join(COLUMNS)!r}, not {line!r}.")
                continue
            cell = _parse(path, lines.line, record, name)
            if (cell.row, cell.column) in found:
                raise DataFormatError(path, lines.line, f"Row {cell.row!r}, column {cell.column!r} stands there twice.")
            found[cell.row, cell.column] = cell
    if not found:
        raise DataFormatError(path, None, "The file holds no cells.")
    return list(found.values())


def _parse(path: Path, line: int, record: list[str], name: str) -> Cell:
    """Check one record and turn it into a cell."""

    def require(condition: object, reason: str) -> None:
        if not condition:
            raise DataFormatError(path, line, reason)

    require(len(record) == len(COLUMNS), f"Expected {len(COLUMNS)} fields, found {len(record)}.")
    require(record == [entry.strip() for entry in record], f"A field begins or ends with white space: {record}.")
    table, row, column, number, unit, words, group, mark = record
    require(table == name, f"Field 'table' must be {name!r}, not {table!r}.")
    require(row and column, "Row and column must not be empty.")
    require(unit in UNITS, f"Unknown unit {unit!r}; known: {', '.join(UNITS)}.")
    require(mark in ("", "bold"), f"Unknown mark {mark!r}; known: nothing or 'bold'.")
    require(not number or _NUMBER.fullmatch(number), f"Value {number!r} is not a plain decimal number.")
    require(number or words, "A cell without a value must say why in 'text'.")
    require(not (number and unit == "text"), "A cell with a value needs the unit of the value, not 'text'.")
    return Cell(table, row, column, float(number) if number else None, unit, words, group, mark)
