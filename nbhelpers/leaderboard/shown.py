"""The board as tables, a figure and files: which measure for which job, what each measure is, and where it stands."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nbhelpers.base import plots
from nbhelpers.base.errors import InputError, did_you_mean
from nbhelpers.leaderboard.board import ALONE, SENTINELS, TRIVIAL, Board
from nbhelpers.leaderboard.tasks import ABILITIES, title_of
from nbhelpers.metrics import SPECIFICATIONS
from nbhelpers.metrics.registry import described
from nbhelpers.results.estimates import short, text, with_interval

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

NEAR = 0.5
"""A sentinel that reaches this share of what the best measure gains over chance is named in its column."""

PRACTISED = ("negation", "facts", "inside", "noise")
"""Abilities whose tests have damage or noise of the kinds that *Same meaning* was trained on, in other texts."""

GOALS = frozenset(("parabank", "damaged-parabank", "parade", "paws-wiki", "semantoneg", "summedits", "menli", "csmd"))
"""Tests that were among the goals of the development of *Same meaning*, and were looked at between its trainings."""


def title(name: str) -> str:
    """A measure's name as it is shown."""
    known = described().get(name)
    return known["title"] if known else name


def speed(name: str) -> float:
    """Pairs that a measure scores in a second on one core, by the registry; NaN where it is not known."""
    if name == "paraphrase-matcher":
        return 500.0
    return 1 / SPECIFICATIONS[name].seconds if name in SPECIFICATIONS else float("nan")


def about(names: Iterable[str]) -> pandas.DataFrame:
    """What each measure is: backbone and layer, parameters, pairs a second, licence, what it needs."""
    import pandas

    rows = []
    for name in names:
        known = described().get(name, {})
        fields = {key: known.get(key, "–") for key in ("what", "backbone, layer", "parameters", "licence", "needs")}
        fast = speed(name)
        rate = "–" if np.isnan(fast) else f"{fast:,.0f}" if fast >= 1 else "under 1"
        rows.append({"measure": title(name), **fields, "pairs a second": rate})
    return pandas.DataFrame(rows)


def missing(board: Board) -> pandas.DataFrame:
    """Measures that the board does not have, and how to add them."""
    return about(name for name in described() if name not in board.measures and name != "ibleu")


def _names(names: list[str], most: int) -> str:
    shown = "; ".join(map(title, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def blind(board: Board, name: str) -> list[str]:
    """Abilities on which a measure is not clearly better than chance, worst first, without those it was trained on."""
    own = board.columns[(board.columns["row"] == name) & (board.columns["seen"] == "")]
    own = own[own["low"] <= own["chance"]].sort_values("skill")
    return [ABILITIES[one].title for one in own["column"]]


def _untried(board: Board, name: str) -> list[str]:
    """Abilities on which a measure has no score, without those that tell no good measures apart."""
    own = set(board.columns.loc[board.columns["row"] == name, "column"])
    return [ABILITIES[one].title for one in board.abilities if one not in own and not board.saturated(one)]


def jobs(board: Board, most: int = 4) -> pandas.DataFrame:
    """Which measures to take for which job; so many are named, and the others counted.

    Returns
    -------
    DataFrame
        For each ability its title, the job, and the measures that no other one is clearly better than (the fastest
        first; "none" where no measure is better than chance; also the highest first, and the fastest one, each with its
        value and n, and how far the highest is ahead of the fastest on the pairs that both scored); the highest value
        of a measure that was not trained on such text, with its interval and n, whose it is, and at which jobs that
        measure is not clearly above chance, or was not tried; the former for the fastest of them; and what makes the
        value worth less.
    """
    import pandas

    rows = []
    for ability in board.abilities:
        cells = board.columns[board.columns["column"] == ability].set_index("row")
        own = cells[~cells.index.isin(SENTINELS)]
        best = sorted(own.index[own["best"]], key=lambda name: -speed(name))
        order = own[own["best"]].sort_values("value", ascending=False)
        highest = [f"{title(name)} {short(one['value'])} ({one['n']:,.0f})" for name, one in order.iterrows()]
        ranked = own[own["seen"] == ""]
        top = ranked.loc[ranked["value"].idxmax()]
        hollow = own[(own["seen"] != "") & (own["value"] > top["value"])].sort_values("value", ascending=False)
        fastest = highest[order.index.get_loc(best[0])] if best[1:] else ""
        if fastest and best[0] != order.index[0]:
            fastest += f"; first minus fastest {text(board.difference(ability, order.index[0], best[0]))}"
        beware = ["the length ratio reads no word"] if "length-ratio" in best else []
        sentinel = cells[cells.index.isin(SENTINELS)]
        if (sentinel["skill"] >= max(NEAR * top["skill"], 0.05)).any():
            beware.append(f"one text alone reaches {short(sentinel['value'].max())}")
        if len(hollow):
            beware.append(f"{title(hollow.index[0])} has {short(hollow['value'].iloc[0])}, trained on such text")
        if top.name.startswith("same-meaning") and ability in PRACTISED:
            licence = described()[top.name]["licence"]
            beware.append(f"{title(top.name)}: trained on such damage or noise, in other texts; {licence}")
        goals = [title_of(test) for test in board.judged(ability) if test in GOALS]
        if top.name.startswith("same-meaning") and goals:
            beware.append(f"{' and '.join(goals)}: among the goals of its development")
        missed, never = "; ".join(blind(board, top.name)), "; ".join(_untried(board, top.name))
        rows.append(
            {
                "title": ABILITIES[ability].title,
                "job": ABILITIES[ability].job,
                "take, the fastest first": _names(best, most) if best else "none: no better than chance",
                "take, the highest first": _names(highest, most) or "none: no better than chance",
                "fastest of them": fastest,
                "others in the best set": max(len(best) - 1, 0),
                "it will not notice": " · ".join(filter(None, (missed, never and f"not tried: {never}"))),
                "reached": f"{short(top['value'])} [{short(top['low'])}, {short(top['high'])}]",
                "whose": title(top.name),
                "pairs": f"{top['n']:,.0f}",
                "chance": short(top["chance"]),
                "not above chance at": "; ".join(blind(board, best[0])[:3]) if best else "",
                "beware": "; ".join(beware),
            }
        )
    return pandas.DataFrame(rows)


def by_test(board: Board, tests: Iterable[str], names: Iterable[str]) -> pandas.DataFrame:
    """Some measures on single tests, with 95 % intervals and n; in brackets: trained on such text."""
    import pandas

    found = board.tests.set_index(["row", "column"])
    rows: dict[str, dict[str, str]] = {}
    for name in names:
        rows[title(name)] = {}
        for test in tests:
            if (name, test) in found.index:
                one = found.loc[(name, test)]
                shown = f"{with_interval(one['value'], one['low'], one['high'])}, n = {one['n']:,.0f}"
                rows[title(name)][title_of(test)] = f"({shown})" if one["seen"] else shown
    return pandas.DataFrame.from_dict(rows, orient="index").fillna("–")


def widths(board: Board, abilities: Iterable[str], without: Iterable[str]) -> pandas.DataFrame:
    """How many places a measure may have, by the median, with all measures and without some (such as slow ones).

    The fewer the places, the better a job's tests tell measures apart.
    """
    import pandas

    chosen, rows = list(abilities), []
    tests = [test for one in chosen for test in board.abilities[one]]
    items = board.items[board.items["test"].isin(tests)].reset_index(drop=True)
    fewer = replace(board, items=items.drop(columns=list(without)))
    for one in chosen:
        row: dict[str, object] = {"job": ABILITIES[one].title}
        for name, own in (("all measures", board), ("without the slow ones", fewer)):
            places = np.array(list(own.ranks(one).values()))
            row |= {f"{name}: places": float(np.median(places[:, 1] - places[:, 0] + 1)), f"{name}: n": len(places)}
        rows.append(row)
    return pandas.DataFrame(rows)


def choose(
    board: Board,
    abilities: Iterable[str] = (),
    *,
    licence: str = "",
    pairs_a_second: float = 0.0,
    intervals: bool = False,
) -> pandas.DataFrame:
    """Measures for several jobs at once: those in most best sets first, then by their possible places, then by speed.

    Among equals the better mean of the best possible places (``rank low`` of `Board.columns`) comes first; what was not
    scored, or was trained on, counts as the last place.

    Parameters
    ----------
    board : Board
    abilities : iterable of str
        Keys of `ABILITIES`; default all that tell good measures apart.
    licence : str
        Only measures whose licence has this text, such as "Apache".
    pairs_a_second : float
        Only measures that are so fast.
    intervals : bool
        Whether each value has its 95 % interval and its number of pairs beside it.

    Returns
    -------
    DataFrame
        Measure, in how many best sets it is, pairs a second, licence, and its value for each ability; a value in
        brackets is that of a measure trained on such text.
    """
    import pandas

    wanted = list(abilities) or [one for one in board.abilities if not board.saturated(one)]
    for one in wanted:
        if one not in board.abilities:
            raise InputError(f"there is no ability {one!r} on the board; {did_you_mean(one, board.abilities)}")
    cells = board.columns[board.columns["column"].isin(wanted)].set_index(["row", "column"])
    rows = []
    for name in board.order:
        given = described().get(name, {}).get("licence", "")
        if licence.lower() not in given.lower() or speed(name) < pairs_a_second:
            continue
        own = {one: cells.loc[(name, one)] for one in wanted if (name, one) in cells.index}
        best = sum(bool(cell["best"]) for cell in own.values())
        shown = {ABILITIES[one].title: "–" for one in wanted}
        for one, cell in own.items():
            value = short(cell["value"])
            if intervals:
                value = f"{with_interval(cell['value'], cell['low'], cell['high'])}, n = {cell['n']:,.0f}"
            shown[ABILITIES[one].title] = f"({value})" if cell["seen"] else value
        places = [own[one]["rank low"] if one in own else np.nan for one in wanted]
        places = np.nan_to_num(places, nan=len(board.measures)).mean()
        row = {"measure": title(name), "best sets": best, "pairs a second": f"{speed(name):,.0f}", **shown}
        rows.append(((-best, places, -speed(name)), row))
    return pandas.DataFrame([row for _, row in sorted(rows, key=lambda one: one[0])])


def place(board: Board, name: str) -> pandas.DataFrame:
    """Where one measure stands in every column: value, interval, pairs, simultaneous ranks, training."""
    own = board.columns[board.columns["row"] == name]
    rows = {
        "ability": [ABILITIES[one].title for one in own["column"]],
        "value": [f"{short(v)} [{short(a)}, {short(b)}]" for v, a, b in own[["value", "low", "high"]].to_numpy()],
        "chance": [short(one) for one in own["chance"]],
        "pairs": [f"{one:,.0f}" for one in own["n"]],
        "place": ["–" if np.isnan(a) else f"{a:.0f} to {b:.0f}" for a, b in own[["rank low", "rank high"]].to_numpy()],
        "best set": ["yes" if one else "" for one in own["best"]],
        "trained on": list(own["seen"]),
    }
    import pandas

    return pandas.DataFrame(rows)


def added(items: pandas.DataFrame, name: str, values: Mapping[str, NDArray]) -> pandas.DataFrame:
    """The scores with one more measure: for each test its values, one for each pair of the evidence.

    Raises
    ------
    InputError
        A test has another number of pairs.
    """
    items = items.assign(**{name: np.full(len(items), np.nan, np.float32)})
    for test, given in values.items():
        mine = items["test"] == test
        if mine.sum() != len(given):
            raise InputError(
                f"{test} has {mine.sum()} pairs on the board and {len(given)} here: another version of it?"
            )
        items.loc[mine, name] = np.asarray(given, np.float32)
    return items


def export(board: Board, folder: str | Path) -> list[Path]:
    """Write the scores of each test as a CSV, and the whole board with its intervals and ranks as one JSON file."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for test, own in board.items.groupby("test", sort=False):
        written.append(folder / f"{test.replace(' ', '-')}.csv")
        own.dropna(axis=1, how="all").drop(columns=["run", "model"], errors="ignore").to_csv(written[-1], index=False)
    whole = {"abilities": board.columns, "tests": board.tests, "measures": about(board.order), "jobs": jobs(board)}
    known = {name: json.loads(frame.to_json(orient="records")) for name, frame in whole.items()}
    written.append(folder / "board.json")
    written[-1].write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    return written


def heat_map(board: Board) -> Figure:
    """Every measure on every ability that tells good ones apart: blue is better than chance, orange worse.

    Bold: in the best set. A hollow cell is of a measure that was trained on such text; it has no rank. A dot: under a
    quarter of the column's pairs.
    """
    import matplotlib.pyplot
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.patches import Rectangle

    columns = [one for one in board.abilities if not board.saturated(one)]
    sentinel = [name for name in SENTINELS if name in set(board.columns["row"])]
    names = [*board.order, *sentinel]
    cells = {(one["row"], one["column"]): one for one in board.columns.to_dict("records")}
    most = {column: max(cells[name, column]["n"] for name in names if (name, column) in cells) for column in columns}
    colours = LinearSegmentedColormap.from_list("skill", ["#D55E00", "#F7F7F7", "#0072B2"])
    figure, axes = matplotlib.pyplot.subplots(figsize=(2.4 + 0.86 * len(columns), 1.9 + 0.33 * len(names)))
    for y, name in enumerate(names):
        for x, column in enumerate(columns):
            if (one := cells.get((name, column))) is None:
                axes.text(x, y, "–", ha="center", va="center", color="0.5")
                continue
            plots.note(axes, x, y, one | {"row": title(name), "series": ABILITIES[column].title})
            skill = float(np.clip(one["skill"], -1, 1))
            colour = colours((skill + 1) / 2)
            if one["seen"]:
                box = Rectangle((x - 0.42, y - 0.38), 0.84, 0.76, facecolor="white", edgecolor="0.55", linewidth=1.2)
            else:
                box = Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, edgecolor="white", linewidth=0.6)
            axes.add_patch(box)
            ink = "0.45" if one["seen"] else "white" if abs(skill) > 0.62 else "black"
            style = {"fontweight": "bold"} if one["best"] else {}
            axes.text(x, y, short(one["value"]).rstrip()[:5], ha="center", va="center", fontsize=10, color=ink, **style)
            if one["n"] < most[column] / 4:
                axes.plot(x + 0.36, y - 0.3, "o", markersize=2.5, color=ink)
    heads = []
    for column in columns:
        pairs = [cells[name, column]["n"] for name in board.order if (name, column) in cells]
        wrapped = textwrap.fill(ABILITIES[column].title, 12, break_long_words=False)
        fewest = f"{min(pairs):,.0f} to\n" if min(pairs) < max(pairs) else ""
        heads.append(f"{wrapped}\nchance {board.chance(column):g}\nn {fewest}{max(pairs):,.0f}")
    axes.set_xticks(range(len(columns)), heads)
    axes.set_yticks(range(len(names)), [title(name) for name in names])
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(names) - 0.5, -0.5)
    key = (
        "blue: better than chance; orange: worse; the depth of the colour is (value − chance) / (1 − chance)\n"
        "bold: none is clearly better; in a box: trained on such text; a dot: under a quarter of the column's pairs\n"
        "n: the fewest pairs, of a slow measure, to the most; rows by the number of best sets, of all jobs\n"
        "grey names: simple baselines, and what sees one text alone"
    )
    axes.set_xlabel(key, fontsize=10)
    axes.tick_params(axis="x", top=True, labeltop=True, bottom=False, labelbottom=False, labelsize=9, length=0)
    for label, name in zip(axes.get_yticklabels(), names):
        label.set_color("0.45" if name in {*TRIVIAL, *SENTINELS, *ALONE} else "black")
    axes.grid(visible=False)
    axes.set_frame_on(False)
    return figure
