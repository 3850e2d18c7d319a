"""Estimates in the layout of the papers' tables, tables ready for display, and a notebook's headline number."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from nbhelpers.base.errors import InputError
from nbhelpers.base.stats import Estimate
from nbhelpers.results import published
from nbhelpers.results.estimates import short, text, with_interval

if TYPE_CHECKING:
    import pandas
    from IPython.display import HTML, Markdown
    from pandas.io.formats.style import Styler

_LEFT = {"text-align": "left", "vertical-align": "top"}

THIS_RUN = "this run"
_SHOWN = "nbhelpers-headline"


def layout(
    found: pandas.DataFrame,
    paper: str = "",
    *,
    here: pandas.DataFrame | None = None,
    also: Iterable[str] = (),
    only: Iterable[str] | None = None,
    columns: Iterable[str] | None = None,
    empty: Mapping[str, str] | None = None,
    like: float | None = None,
) -> pandas.DataFrame:
    """Estimates in the layout of a paper's table: ``ours [95 % interval] (paper)`` in each cell.

    Parameters
    ----------
    found : DataFrame
        Estimates from evidence (`nbhelpers.results.estimates.frame`). Where they are of several models, a row has a
        line for each, with the model's name.
    paper : str
        The published table, such as ``"ndd/table2"``; empty for a table that no paper has.
    here : DataFrame, optional
        Estimates of this run, by the same summary: a line of its own below each row.
    also : iterable of str
        Rows to show below those of the paper, such as baselines; ``["*"]`` for all others.
    only, columns : iterable of str, optional
        Rows and columns to show, in this order; by default the paper's, or all where it has none.
    empty : mapping of str to str, optional
        Why a row has no numbers, by row. The key ``""`` stands for all other rows.
    like : float, optional
        A number that decides the decimals of all cells with an interval; by default each cell has its own.

    Returns
    -------
    DataFrame
        Texts; a column ``remark`` where a row is empty.

    Raises
    ------
    InputError
        A row of `also` is not among the estimates.

    Examples
    --------
    >>> from nbhelpers.results import estimates
    >>> found = estimates.frame([{"row": "NDD", "column": "F1", "value": Estimate(60.0, 58.0, 62.0, 300)}])
    >>> layout(found).loc["NDD", "F1"]
    '60.0 [58.0, 62.0]'
    """
    import pandas

    theirs, empty = published.by_place(paper) if paper else {}, dict(empty or {})
    printed = list(theirs.values())
    names = list(dict.fromkeys(cell.row for cell in printed)) if only is None else list(dict.fromkeys(only))
    others = [name for name in dict.fromkeys(found["row"]) if name not in names]
    if unknown := set(also) - {"*"} - set(found["row"]):
        raise InputError(f"there is no row {sorted(unknown)[0]!r} among the estimates for {paper or 'the table'}")
    names += others if "*" in also or not names else [name for name in also if name not in names]
    shown = list(columns or dict.fromkeys(cell.column for cell in printed) or dict.fromkeys(found["column"]))
    sources = [("", found)] if found["model"].nunique() < 2 else list(found.groupby("model", sort=False))
    if here is not None:
        models = ", ".join(sorted({name for name in here["model"] if name}))
        sources.append((f"{THIS_RUN}: {models}" if models else THIS_RUN, here))
    lines, labels = [], []
    for row in names:
        before = len(lines)
        for label, part in sources:
            cells = {one["column"]: one for one in part[part["row"] == row].to_dict("records")}
            if not cells.keys() & set(shown):
                continue
            paper_cells = {column: theirs.get((row, column)) for column in shown}
            lines.append({column: _text(cells.get(column), paper_cells[column], like) for column in shown})
            labels.append(f"{row} ({label})" if label else row)
        if len(lines) == before:
            line = {column: _text(None, theirs.get((row, column))) for column in shown}
            lines.append(line | {"remark": empty.get(row) or empty.get("", "not computed here")})
            labels.append(row)
    remark = ["remark"] if any("remark" in line for line in lines) else []
    return pandas.DataFrame(lines, index=labels, columns=shown + remark).fillna("")


def beside(found: pandas.DataFrame, paper: str = "", *, caption: str = "", **options: Any) -> Styler:
    """`layout` ready for display; the caption says the model, where it is one, and n.

    Examples
    --------
    >>> from nbhelpers.results import estimates
    >>> line = {"row": "NDD", "column": "F1", "value": Estimate(60.0, 58.0, 62.0, 300), "model": "base"}
    >>> found = estimates.frame([line])
    >>> beside(found, caption="Table 2").caption
    'Table 2, base, n = 300: ours [95 % interval]'
    """
    cells = "ours [95 % interval] (paper)" if paper else "ours [95 % interval]"
    shown = layout(found, paper, **options)
    sources = {"": found} if options.get("here") is None else {"": found, f"{THIS_RUN} ": options["here"]}
    caption = caption or re.sub(r".*/(table|figure)(?=\d)", lambda found: f"{found[1].title()} ", paper)
    known = [caption] if caption else []
    if found["model"].nunique() == 1 and found["model"].iloc[0].lower() not in caption.lower():
        known.append(found["model"].iloc[0])
    for whose, part in sources.items() if "n = " not in caption else ():
        there = part["row"].map(lambda row: any(label == row or label.startswith(f"{row} (") for label in shown.index))
        counts = part["n"][there & part["column"].isin(shown.columns) & (part["n"] > 0)]
        if len(counts):
            known.append(f"{whose}n = " + " to ".join(f"{n:,.0f}" for n in sorted({counts.min(), counts.max()})))
    return plain(shown, f"{', '.join(known)}: {cells}" if known else cells)


def in_numbers(found: pandas.DataFrame, reference: float = 0.0) -> Markdown:
    """An answer in numbers: a line for each row, in it each model's estimate, and on which side of `reference` it lies.

    Examples
    --------
    >>> from nbhelpers.results import estimates
    >>> line = {"row": "NDD minus random, F1", "column": "F1", "value": Estimate(9.3, 6.2, 12.4, 100), "model": "base"}
    >>> print(in_numbers(estimates.frame([line])).data)
    **In numbers**, with 95 % intervals:
    <BLANKLINE>
    * NDD minus random, F1: base 9.3 [6.2, 12.4], n = 100 (above 0)
    """
    from IPython.display import Markdown

    lines = ["**In numbers**, with 95 % intervals:", ""]
    for row, part in found.groupby("row", sort=False):
        each = []
        for one in part.itertuples():
            number = text(Estimate(one.value, one.low, one.high, int(one.n)))
            each.append(f"{one.model} {number} ({_side(one, reference)} {reference:g})".strip())
        lines.append(f"* {row}: {'; '.join(each)}")
    return Markdown("\n".join(lines))


def _side(one: Any, reference: float) -> str:
    return "above" if one.low > reference else "below" if one.high < reference else "not told apart from"


def plain(frame: pandas.DataFrame, caption: str = "", *, index: bool = True) -> Styler:
    """A table ready for display, aligned to the left, every text escaped.

    Parameters
    ----------
    frame : DataFrame
    caption : str
    index : bool
        Whether the names of the rows are shown.

    Examples
    --------
    >>> import pandas
    >>> "<b>" in plain(pandas.DataFrame({"text": ["<b>bold</b>"]})).to_html()
    False
    """
    import html

    styler = frame.style.format(escape="html").set_properties(**_LEFT)
    styler = styler.format_index(escape="html", axis=0).format_index(escape="html", axis=1)
    styler = styler if index else styler.hide(axis="index")
    styler = styler.set_caption(html.escape(caption, quote=False)) if caption else styler
    return styler.set_table_styles([{"selector": "th, caption", "props": list(_LEFT.items())}])


def folded(summary: str, *shown: Styler) -> HTML:
    """Tables behind one line; a click on it opens them.

    Parameters
    ----------
    summary : str
        The line, such as "Every cell of Table 6".
    *shown : Styler
        Tables of `beside` or `plain`.

    Examples
    --------
    >>> import pandas
    >>> folded("All", plain(pandas.DataFrame({"a": [1]}))).data.startswith("<details><summary>All</summary>")
    True
    """
    import html

    from IPython.display import HTML

    inside = "".join(one.to_html() for one in shown)
    return HTML(f"<details><summary>{html.escape(summary)}</summary>{inside}</details>")


def headline(
    what: str,
    found: Estimate,
    here: Estimate | None = None,
    *,
    of: str = "",
    model: str = "",
    published: float | None = None,
) -> None:
    """Show a notebook's main number, of the evidence and of this run; `make run` prints it at its end.

    Parameters
    ----------
    what : str
        What the number is, such as "NDD minus the first words, F1".
    found : Estimate
        From the evidence.
    here : Estimate, optional
        From this run, by the same summary.
    of, model : str
        What the evidence and this run are of, such as ``"base, Google set"`` and ``"embedded"``.
    published : float, optional
        The paper's number.

    Examples
    --------
    >>> headline("NDD minus random, F1", Estimate(20.0, 15.0, 25.0, 300), of="base")
    NDD minus random, F1: 20.0 [15.0, 25.0], n = 300 (recorded: base)
    """
    line = f"{what}: {text(found)} (recorded{': ' + of if of else ''})"
    if here is not None:
        line += f"; {text(here)} ({THIS_RUN}{': ' + model if model else ''})"
    if published is not None:
        line += f"; paper {short(published)}"
    shown = {"what": what, "recorded": f"{text(found)}", "of": of, "here": text(here) if here else "", "model": model}
    shown["published"] = "" if published is None else short(published)
    from IPython.core.interactiveshell import InteractiveShell

    if not InteractiveShell.initialized():
        print(line)
        return
    from IPython.display import publish_display_data

    publish_display_data({"text/plain": line}, metadata={_SHOWN: shown})


def _whole(paper: published.Cell | None) -> bool:
    return paper is not None and paper.unit == "count"


def _text(ours: Mapping[str, Any] | None, paper: published.Cell | None, like: float | None = None) -> str:
    """Text of one cell."""
    if ours is None and paper is not None and paper.unit == "text":
        return f"({paper.text})"
    printed = "" if paper is None or paper.value is None else f" ({short(paper.value, whole=_whole(paper))})"
    if ours is None or math.isnan(ours["value"]):
        return f"–{printed}"
    if math.isnan(ours["low"]):
        return short(ours["value"], whole=_whole(paper) or ours.get("unit") == "count") + printed
    return with_interval(ours["value"], ours["low"], ours["high"], like) + printed
