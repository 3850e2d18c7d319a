"""Estimates as tidy tables, and one way to write them."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from nbhelpers.base.errors import InputError
from nbhelpers.base.stats import Estimate

if TYPE_CHECKING:
    import pandas

COLUMNS = ("row", "column", "value", "low", "high", "n", "unit", "p", "q", "variant", "model")
"""What a table of estimates holds: one line per number."""


def frame(rows: Iterable[Mapping[str, Any]], **common: Any) -> pandas.DataFrame:
    """A tidy table of estimates.

    Parameters
    ----------
    rows : iterable of mapping
        For each number its ``row``, ``column`` and ``value`` (an `Estimate`, a plain number, or None), and any other of
        `COLUMNS`, which wins over the estimate's own.
    **common
        Columns that all lines share, such as ``model="base"``.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`, and those that a row or `common` adds.

    Raises
    ------
    InputError
        A row lacks its row, column or value.

    Examples
    --------
    >>> found = frame([{"row": "NDD", "column": "F1", "value": Estimate(60.0, 58.0, 62.0, 300)}], model="base")
    >>> found[["value", "n", "model"]].values.tolist()
    [[60.0, 300, 'base']]
    """
    import pandas

    lines = []
    for one in rows:
        if missing := {"row", "column", "value"} - one.keys():
            raise InputError(f"an estimate lacks its {sorted(missing)[0]}: {dict(one)}")
        value = one["value"]
        if not isinstance(value, Estimate):
            value = Estimate(math.nan if value is None else value, *[math.nan] * 3)
        fields = {name: getattr(value, name) for name in COLUMNS[2:-1]} | {"model": ""}
        lines.append(fields | common | {name: each for name, each in one.items() if name != "value"})
    table = pandas.DataFrame(lines, columns=list(dict.fromkeys([*COLUMNS, *(name for line in lines for name in line)])))
    numbers = ["value", "low", "high", "p", "q"]
    return table.astype({name: "float64" for name in numbers})


Rows = Iterator[dict[str, Any]]
"""What `frame` takes, as a function with ``yield`` gives it."""


def tabled(rows: Callable[..., Rows]) -> Callable[..., pandas.DataFrame]:
    """Make of a function that yields rows another that gives the `frame` of them."""

    @functools.wraps(rows)
    def made(*arguments: Any, **options: Any) -> pandas.DataFrame:
        return frame(rows(*arguments, **options))

    return made


def by_model(rows: Callable[..., Rows]) -> Callable[..., pandas.DataFrame]:
    """Make of a function that yields rows for the items of one model another that gives the `frame` of every model.

    Items without the column ``model`` are those of one model without a name.

    Examples
    --------
    >>> import pandas
    >>> @by_model
    ... def count(items):
    ...     yield {"row": "all", "column": "count", "value": len(items)}
    >>> count(pandas.DataFrame({"model": ["base", "small", "base"]}))[["value", "model"]].values.tolist()
    [[2.0, 'base'], [1.0, 'small']]
    """

    @functools.wraps(rows)
    def made(items: pandas.DataFrame, *arguments: Any, **options: Any) -> pandas.DataFrame:
        models = items.groupby("model", sort=False) if "model" in items else [("", items)]
        return frame({"model": model, **row} for model, own in models for row in rows(own, *arguments, **options))

    return made


def once(found: pandas.DataFrame, plain: pandas.Series, model: str, *, smallest: bool = False) -> pandas.DataFrame:
    """Estimates of several models with the rows that need no model once, on the largest sample and named `model`.

    Parameters
    ----------
    found : DataFrame
        No row stands twice with the same model.
    plain : Series of bool
        Which lines need no model.
    model : str
        What these are called instead.
    smallest : bool
        Take them on the smallest sample, whose items all models have.

    Examples
    --------
    >>> lines = [("NDD", "base", 9), ("rule", "base", 9), ("rule", "small", 20)]
    >>> found = frame({"row": row, "column": "F1", "value": 60.0, "n": n, "model": model} for row, model, n in lines)
    >>> once(found, found["row"] == "rule", "none")[["row", "model", "n"]].values.tolist()
    [['NDD', 'base', 9], ['rule', 'none', 20]]
    >>> once(found, found["row"] == "rule", "none", smallest=True)["n"].tolist()
    [9, 9]
    """
    import pandas

    one = found[plain].sort_values("n").drop_duplicates("row", keep="first" if smallest else "last")
    return pandas.concat([found[~plain].sort_values("model", kind="stable"), one.assign(model=model)])


def estimate(found: pandas.DataFrame, row: str, column: str, **where: Any) -> Estimate:
    """One number of a table of estimates, by its row and column.

    Raises
    ------
    InputError
        No line or several lines fit.

    Examples
    --------
    >>> table = frame([{"row": "NDD", "column": "F1", "value": Estimate(60.0, 58.0, 62.0, 300)}])
    >>> print(estimate(table, "NDD", "F1"))
    60 [58, 62], n=300
    """
    chosen = found[(found["row"] == row) & (found["column"] == column)]
    for name, value in where.items():
        chosen = chosen[chosen[name] == value]
    if len(chosen) != 1:
        raise InputError(f"{len(chosen)} estimates have the row {row!r} and the column {column!r}, not one")
    line = chosen.iloc[0]
    optional = {name: None if math.isnan(line[name]) else float(line[name]) for name in ("p", "q")}
    n = 0 if line["n"] != line["n"] else int(line["n"])
    numbers = (float(line[name]) for name in ("value", "low", "high"))
    return Estimate(*numbers, n, **optional, unit=line["unit"], variant=line["variant"])


def short(value: float, like: float | None = None, whole: bool = False) -> str:
    """A number in two or three digits: three decimals up to 1, two below 10, one below 1,000; "–" for NaN.

    Parameters
    ----------
    value : float
    like : float, optional
        Another number that decides the decimals, as the largest of an estimate and the ends of its interval does.
    whole : bool
        No decimals.

    Examples
    --------
    >>> short(0.12345), short(-0.5, like=34.5), short(2359, whole=True)
    ('.123', '−0.5', '2,359')
    """
    if math.isnan(value):
        return "–"
    size = abs(value if like is None else like)
    decimals = 0 if whole or size >= 1000 else 1 if size >= 10 else 2 if size > 1 else 3
    text = f"{value:,.{decimals}f}".replace("-", "−")
    return text.replace("0.", ".", 1) if decimals == 3 and text.lstrip("−").startswith("0.") else text


def with_interval(value: float, low: float, high: float, like: float | None = None) -> str:
    """A number and its interval with the same number of decimals; the number alone where the interval is NaN.

    `like` is another number that decides the decimals; see `short`.

    Examples
    --------
    >>> with_interval(0.5, -0.25, 1.25), with_interval(0.5, math.nan, math.nan)
    ('0.50 [−0.25, 1.25]', '.500')
    """
    if math.isnan(low):
        return short(value)
    widest = max(abs(value), abs(low), abs(high)) if like is None else like
    return f"{short(value, widest)} [{short(low, widest)}, {short(high, widest)}]"


def text(found: Estimate) -> str:
    """An estimate with interval and n, as it stands in a sentence.

    Examples
    --------
    >>> text(Estimate(0.571, 0.12, 0.8312, 14))
    '.571 [.120, .831], n = 14'
    """
    return f"{with_interval(found.value, found.low, found.high)}, n = {found.n:,}"
