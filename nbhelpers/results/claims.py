"""What each paper claims in words, and whether the project's numbers on real data bear it out.

``data/published/claims.toml`` lists the claims. Each names the row of the ledger that tests it and a rule, or the
reason why it is not tested. The verdict follows from the interval of that row in the profile ``full``; numbers on
shipped toy data decide nothing.
"""

from __future__ import annotations

import csv
import functools
import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbhelpers.base.errors import DataFormatError, InputError
from nbhelpers.base.files import open_text
from nbhelpers.base.paths import data_dir
from nbhelpers.base.stats import Estimate
from nbhelpers.results import ledger

if TYPE_CHECKING:
    import pandas
    from IPython.display import Markdown

VERDICTS = HOLDS, CONTRADICTED, UNDECIDED, NOT_TESTED = "holds", "contradicted", "cannot be told apart", "not tested"
RULES = ("above", "below", "within")


@dataclass(frozen=True)
class Claim:
    """One claim of a paper.

    Attributes
    ----------
    id : str
        The paper's short name and a number, such as ``ndd-7``.
    paper : {"ndd", "meaningbert", "pyramid", "ordering", "paraphrase"}
    says : str
        The claim in one sentence.
    place : str
        Where the paper makes it.
    published : str
        The paper's own numbers.
    rule : {"above", "below", "within"} or ""
        The claim holds if the whole interval lies above or below `bound`, or within its two ends.
    bound : float or (float, float)
    row : dict
        ``study``, ``table``, ``row`` and ``column`` of the ledger row that tests a claim without a function.
    exact : bool
        Whether the number is a count or an identity, which needs no interval.
    unit, size, matters, model, data, of_model, inconsistent, definition
        For the verdict's size, power and likeness; see ``claims.toml``.
    caveat : str
        What limits the test.
    not_tested : str
        Why there is no row.
    """

    id: str
    paper: str
    says: str
    place: str
    published: str
    rule: str = ""
    bound: float | tuple[float, float] = 0.0
    row: dict[str, str] | None = None
    exact: bool = False
    unit: str = ""
    size: float | tuple[float, float] | None = None
    matters: float | None = None
    model: str = "none"
    data: str = "same"
    of_model: bool = False
    inconsistent: str = ""
    definition: bool = False
    caveat: str = ""
    not_tested: str = ""


@functools.lru_cache(maxsize=1)
def read() -> tuple[Claim, ...]:
    """All claims, in the order of the file.

    Raises
    ------
    DataFormatError
        A claim lacks a field, has an unknown one, or has both a row and a reason why it is not tested.
    """
    path = data_dir() / "published" / "claims.toml"
    found = []
    for number, fields in enumerate(tomllib.loads(path.read_text(encoding="utf-8"))["claim"], start=1):
        name = fields.get("id", f"claim {number}")
        if unknown := fields.keys() - Claim.__dataclass_fields__.keys():
            raise DataFormatError(path, None, f"unknown field {sorted(unknown)[0]!r} ({name})")
        if missing := {"id", "paper", "says", "place", "published"} - fields.keys():
            raise DataFormatError(path, None, f"{sorted(missing)[0]!r} is missing ({name})")
        if ("not_tested" in fields) == (fields.get("rule") in RULES) or {"row", "not_tested"} <= fields.keys():
            raise DataFormatError(path, None, f"give a rule of {', '.join(RULES)}, or not_tested ({name})")
        found.append(Claim(**fields))
    return tuple(found)


def ledger_row(claim: Claim, rows: pandas.DataFrame | None = None) -> dict[str, Any] | None:
    """The row of the ledger, in the profile ``full``, that tests a claim; None if the claim is not tested.

    Parameters
    ----------
    claim : Claim
    rows : DataFrame, optional
        The ledger, if it was read already.

    Raises
    ------
    InputError
        The claim names a row that the ledger does not have.
    """
    if claim.row is None:
        return None
    rows = ledger.read() if rows is None else rows
    chosen = rows[rows["profile"] == "full"]
    for field, value in claim.row.items():
        chosen = chosen[chosen[field] == value]
    if len(chosen) != 1:
        raise InputError(f"The claim {claim.id} names {len(chosen)} rows of the ledger: {claim.row}.")
    return chosen.iloc[0].to_dict()


FIELDS = ("claim", "value", "low", "high", "n", "p", "q", "unit", "variant", "measured")
"""Columns of the file of `derived`."""


def derived_path() -> Path:
    """File of the claims' numbers as they ship for display."""
    return data_dir() / "results" / "derived" / "claims.csv"


def estimate_of(row: Mapping[str, Any]) -> Estimate:
    """The estimate in a line of the file, or in a mapping with the same fields."""
    numbers = {name: float(row[name]) for name in ("value", "low", "high")}
    tests = {name: None if row[name] in ("", None) else float(row[name]) for name in ("p", "q")}
    return Estimate(**numbers, n=int(float(row["n"])), **tests, unit=row["unit"], variant=row["variant"])


def _lines() -> dict[str, dict[str, str]]:
    path = derived_path()
    if not path.is_file():
        return {}
    with open_text(path) as lines:
        reader = csv.DictReader(lines)
        if tuple(reader.fieldnames or ()) != FIELDS:
            raise DataFormatError(path, 1, f"does not have the columns {', '.join(FIELDS)}")
        return {row["claim"]: row for row in reader}


def derived() -> dict[str, Estimate]:
    """The estimate that tests each claim, as the functions of ``studies.claims()`` made it from the evidence."""
    return {name: estimate_of(row) for name, row in _lines().items()}


def verdict(claim: Claim, row: dict[str, Any] | None) -> str:
    """One of ``holds``, ``contradicted``, ``cannot be told apart`` and ``not tested``.

    A number without an interval decides only a claim that is `exact`.

    Examples
    --------
    >>> claim = Claim("x-1", "x", "A beats B.", "section 1", "2.0", rule="above", row={})
    >>> verdict(claim, {"value": 1.0, "low": 0.2, "high": 1.8})
    'holds'
    >>> verdict(claim, {"value": 1.0, "low": -0.2, "high": 2.2})
    'cannot be told apart'
    """
    if row is None:
        return NOT_TESTED
    low, high = (row["value"], row["value"]) if claim.exact else (row["low"], row["high"])
    if low is None or math.isnan(low):
        return UNDECIDED
    bounds = {"within": claim.bound, "above": (claim.bound, math.inf), "below": (-math.inf, claim.bound)}
    least, most = bounds[claim.rule]
    if least < low and high < most:
        return HOLDS
    return CONTRADICTED if high <= least or low >= most else UNDECIDED


def judged() -> list[tuple[Claim, dict[str, Any] | None, str]]:
    """Every claim with the row of the ledger that tests it and the verdict."""
    known = ledger.read()
    tables = dict(list(known[known["profile"] == "full"].groupby(["study", "table"])))
    none = known.iloc[:0]  # a claim on a table that is not there is the error of `ledger_row`
    wanted = [claim.row and tables.get((claim.row["study"], claim.row["table"]), none) for claim in read()]
    shipped = _lines()
    rows = [_shipped(shipped[c.id]) if c.id in shipped else ledger_row(c, part) for c, part in zip(read(), wanted)]
    return [(claim, row, verdict(claim, row)) for claim, row in zip(read(), rows)]


def _shipped(line: Mapping[str, str]) -> dict[str, Any]:
    """A line of the derived claims with the fields that this module shows."""
    found = estimate_of(line)
    numbers = {"value": found.value, "low": found.low, "high": found.high, "n": found.n}
    return numbers | {"study": "", "table": "", "row": line["measured"], "column": ""}


def counts() -> pandas.DataFrame:
    """Number of claims by paper (rows) and verdict (columns).

    Examples
    --------
    >>> counts().columns.tolist()
    ['holds', 'contradicted', 'cannot be told apart', 'not tested']
    """
    import pandas

    found = pandas.DataFrame([(claim.paper, decided) for claim, _, decided in judged()])
    table = found.value_counts().unstack(fill_value=0).reindex(columns=list(VERDICTS))
    return table.reindex(found[0].unique()).fillna(0).astype(int).rename_axis(index=None, columns=None)


def table(paper: str | None = None) -> pandas.DataFrame:
    """Claims with their verdicts, as texts ready for display.

    Parameters
    ----------
    paper : str, optional
        One paper only.

    Returns
    -------
    DataFrame
        Columns ``claim``, ``says``, ``published``, ``ours`` (number, interval and n of the row that decides),
        ``verdict`` and ``because`` (what was measured, or why nothing was; then the caveat).

    Examples
    --------
    >>> table("ordering").columns.tolist()
    ['claim', 'says', 'published', 'ours', 'verdict', 'because']
    """
    import pandas

    rows = []
    for claim, row, decided in judged():
        if paper not in (None, claim.paper):
            continue
        ours = "–" if row is None else _numbers(row)
        measured = claim.not_tested or _measured(row)
        rows.append(
            {
                "claim": claim.id,
                "says": f"{claim.says} ({claim.place})",
                "published": claim.published,
                "ours": ours,
                "verdict": decided,
                "because": f"{measured.removesuffix('.')}. {claim.caveat}".strip(),
            }
        )
    return pandas.DataFrame(rows, columns=["claim", "says", "published", "ours", "verdict", "because"])


def found(paper: str, *ids: str) -> Markdown:
    """What was found about a paper's claims, as a list to open a notebook with.

    Parameters
    ----------
    paper : str
        Name of the paper in ``claims.toml``.
    *ids : str
        The claims to list; without any, all that were tested.

    Raises
    ------
    InputError
        The paper has no such claim.

    Examples
    --------
    >>> found("ordering", "ordering-2").data[:30]  # doctest: +SKIP
    '* **holds:** The same holds in'
    """
    from IPython.display import Markdown

    of_paper = [one for one in judged() if one[0].paper == paper]
    if unknown := set(ids) - {claim.id for claim, _, _ in of_paper}:
        raise InputError(f"{paper!r} has no claim {sorted(unknown)[0]!r}")
    chosen = [one for one in of_paper if (one[0].id in ids if ids else one[1] is not None)]
    lines = []
    for claim, row, decided in chosen:
        here = (
            claim.not_tested
            if row is None
            else f"Here: {_numbers(row)} ({row['row'] + ('; ' + row['column']) * bool(row['column'])})."
        )
        caveat = f" {claim.caveat}" if claim.caveat else ""
        lines.append(f"* **{decided}:** {claim.says} Paper: {claim.published}. {here}{caveat} ({claim.id})")
    tally = [f"*{each}* {sum(decided == each for _, _, decided in of_paper)}" for each in VERDICTS]
    lines.append(f"\nThe paper's {len(of_paper)} claims: {', '.join(tally)}.")
    return Markdown("\n".join(lines))


def _measured(row: Mapping[str, Any]) -> str:
    return f"{row['table']}: {row['row']}, {row['column']}" if row["table"] else row["row"]


def _numbers(row: dict[str, Any]) -> str:
    """Number, interval and n of a row of the ledger; for a count, of how many."""
    number = ledger.with_interval(row["value"], row["low"], row["high"])
    if math.isnan(row["n"] or math.nan):
        return number
    if row["column"] == "rows":
        return f"{row['value']:.0f} of {row['n']:,}"
    folds = re.search(r"(\d+ folds)$", row["column"])
    return number + (f", {folds[1]} × {row['n']}" if folds else f", n={row['n']:,}")
