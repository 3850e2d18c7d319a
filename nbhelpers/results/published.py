"""The figures that the five papers published, cell by cell.

Every table is one CSV file in ``data/published``, named ``<study>-<table>.csv`` and known here as
``<study>/<table>``, for example ``ndd/table1``. Studies are ``ndd``, ``meaningbert``, ``pyramid``,
``paraphrase`` and ``ordering``; beside the tables stand a few figures (``pyramid/figure3``) and the numbers
given in running text (``meaningbert/text``).
``data/published/README.md`` explains labels, units and what is absent.
"""

from __future__ import annotations

import csv
import functools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nbhelpers.base import paths
from nbhelpers.base.errors import InputError, did_you_mean

if TYPE_CHECKING:
    import pandas


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
        As ``data/published/README.md`` lists them; ``"text"`` exactly where the cell holds words or a sign.
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


def tables() -> list[str]:
    """Names of all published tables, sorted.

    Examples
    --------
    >>> tables()[:3]
    ['meaningbert/table2', 'meaningbert/table3', 'meaningbert/text']
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

    Examples
    --------
    >>> cells("ndd/table2")[0].value
    63.2
    """
    path = _folder() / f"{name.replace('/', '-')}.csv"
    if not path.is_file():
        raise InputError(f"No table {name!r} in data/published; {did_you_mean(name, tables(), 3)}")
    return list(_read(path))


@functools.lru_cache
def _read(path: Path) -> tuple[Cell, ...]:
    """The cells of one file; each is read once, since a summary asks for thousands of them."""
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    return tuple(Cell(**{**row, "value": float(row["value"]) if row["value"] else None}) for row in rows)


def by_place(name: str) -> dict[tuple[str, str], Cell]:
    """Cells of one table by row and column; empty for a table that the papers do not have.

    Examples
    --------
    >>> by_place("ndd/table2")["Unedited", "F1"].value, by_place("ndd/no such table")
    (63.2, {})
    """
    there = (_folder() / f"{name.replace('/', '-')}.csv").is_file()
    return {(cell.row, cell.column): cell for cell in cells(name)} if there else {}


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
    InputError
        As `cells`.

    Examples
    --------
    >>> table("ndd/table2")[["row", "column", "value"]].head(2)
            row column  value
    0  Unedited     F1   63.2
    1  Unedited     B1   44.8
    """
    import pandas

    return pandas.DataFrame(cells(name)).astype({"value": "float64"})


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
