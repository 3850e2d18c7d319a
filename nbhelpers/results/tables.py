"""Recorded numbers in the layout of the papers' tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from nbhelpers.base.errors import InputError
from nbhelpers.results import claims, ledger, published

if TYPE_CHECKING:
    import pandas
    from pandas.io.formats.style import Styler

QUICK = "◦"
"""Mark of a number that rests on the small shipped data."""
_LEFT = {"text-align": "left", "vertical-align": "top"}


def rows(study: str, table: str) -> pandas.DataFrame:
    """Recorded numbers of a table: from real data, and from the small shipped data where there is no other.

    Parameters
    ----------
    study, table : str
        As recorded.

    Returns
    -------
    DataFrame
        Columns of the ledger, one line per row and column of the table, in the order of recording. ``published`` is
        the paper's number, if its table has the same cell.

    Raises
    ------
    InputError
        Nothing is recorded for this table.

    Examples
    --------
    >>> rows("ordering", "table1").profile.unique().tolist()
    ['full', 'quick']
    """
    import pandas

    found = ledger.of_table(study, table)
    found = found.sort_values("profile", key=lambda names: names.map({"full": 0, "quick": 1}).fillna(2), kind="stable")
    found = found.drop_duplicates(["row", "column"]).reset_index(drop=True)
    paper = published.by_place(f"{study}/{table}")
    printed = [cell and cell.value for cell in map(paper.get, zip(found["row"], found["column"]))]
    return found.assign(published=found["published"].fillna(pandas.Series(printed, dtype=float)))


def in_layout(
    study: str,
    table: str,
    *,
    paper: str = "",
    also: Iterable[str] = (),
    only: Iterable[str] | None = None,
    columns: Iterable[str] | None = None,
    empty: Mapping[str, str] | None = None,
) -> pandas.DataFrame:
    """A table in the paper's own layout: ``ours [95 % interval] (paper)`` in each cell.

    Parameters
    ----------
    study, table : str
        As recorded; the rows and columns of the published table come first.
    paper : str
        The published table that sets the layout, if it has another name.
    also : iterable of str
        Recorded rows to show below those of the paper, such as baselines.
    only : iterable of str, optional
        The paper's rows to show; without it, all.
    columns : iterable of str, optional
        Columns to show; without it, those of the paper, or all recorded ones where the paper has no such table.
    empty : mapping of str to str, optional
        Why a row has no numbers here, by row. The key ``""`` stands for all other rows.

    Returns
    -------
    DataFrame
        Texts. A number of the small shipped data ends in "◦". A column ``remark`` follows where a row is empty.

    Raises
    ------
    InputError
        Nothing is recorded for this table, or a row of `also` is not recorded.

    Examples
    --------
    >>> in_layout("ordering", "table1").columns.tolist()[:2]
    ['Score', 'R1-score']
    """
    import pandas

    name, empty = f"{study}/{paper or table}", dict(empty or {})
    theirs = published.by_place(name)
    printed = list(theirs.values())
    try:
        ours = {(one["row"], one["column"]): one for one in rows(study, table).to_dict("records")}
    except InputError:
        if not printed or also:
            raise
        ours = {}  # a table of the paper that nothing here answers
    if unknown := set(also) - {row for row, _ in ours}:
        raise InputError(f"no row {sorted(unknown)[0]!r} is recorded for {study}/{table}")
    names = list(dict.fromkeys(cell.row for cell in printed)) if only is None else list(only)
    names += [row for row in also if row not in names]
    names = names or list(dict.fromkeys(row for row, _ in ours))
    shown = list(columns or dict.fromkeys(cell.column for cell in printed) or dict.fromkeys(c for _, c in ours))
    lines = []
    for row in names:
        found = {column: ours.get((row, column)) for column in shown}
        line = {column: _cell(found[column], theirs.get((row, column))) for column in shown}
        notes = [one["note"] for one in found.values() if one and math.isnan(one["value"])]
        if notes or not any(found.values()):
            line["remark"] = empty.get(row) or "; ".join(dict.fromkeys(notes)) or empty.get("", "not computed here")
        lines.append(line)
    remark = ["remark"] if any("remark" in line for line in lines) else []
    return pandas.DataFrame(lines, index=names, columns=shown + remark).fillna("")


def show(study: str, table: str, **options: Any) -> Styler:
    """A table in the paper's layout, ready for display, with the verdicts on the claims that it decides.

    Parameters
    ----------
    study, table : str
        As recorded.
    **options
        Of `in_layout`.

    Examples
    --------
    >>> show("ordering", "table1").caption.startswith("ours [95 % interval] (paper)")
    True
    """
    frame = in_layout(study, table, **options)
    caption = "ours [95 % interval] (paper)"
    if frame.map(lambda text: QUICK in text).any(axis=None):
        caption += f"; {QUICK} small shipped data, an illustration"
    decided = [
        f"{claim.id} {decision}"
        for claim, row, decision in claims.judged()
        if row is not None and (row["study"], row["table"]) == (study, table)
    ]
    caption += f". Claims: {'; '.join(decided)}." if decided else "."
    styler = frame.style.set_caption(caption).set_properties(**_LEFT)
    return styler.set_table_styles([{"selector": "th, caption", "props": list(_LEFT.items())}])


def _cell(ours: dict[str, Any] | None, paper: published.Cell | None) -> str:
    """Text of one cell."""
    if paper is not None and paper.unit == "text" and ours is None:
        return f"({paper.text})"
    theirs = paper.value if paper else None
    if ours is not None and not math.isnan(ours["published"]):
        theirs = ours["published"]
    number = None if ours is None or math.isnan(ours["value"]) else ours["value"]
    printed = "" if theirs is None else f" ({ledger.short(theirs, whole=_whole(paper))})"
    if number is None:
        return f"–{printed}"
    mark = "" if ours["profile"] == "full" else QUICK
    if math.isnan(ours["low"]):
        return ledger.short(number, whole=_whole(paper)) + mark + printed
    return ledger.with_interval(number, ours["low"], ours["high"]) + mark + printed


def _whole(paper: published.Cell | None) -> bool:
    return paper is not None and paper.unit == "count"
