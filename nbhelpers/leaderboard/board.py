"""From scores to a board: cells with intervals, ranks, groups that cannot be told apart, and which measure to take.

Every interval resamples groups, mostly sources, with the same draws for all metrics of a task (multinomial counts, so
that Spearman's rho and the area under the curve of a resample are computed with weights and nothing is copied).
"""

from __future__ import annotations

import textwrap
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nbhelpers.base import stats
from nbhelpers.base.stats import Estimate
from nbhelpers.leaderboard.scoring import Scores
from nbhelpers.leaderboard.tasks import ABILITIES, Task
from nbhelpers.metrics import SPECIFICATIONS, Metric
from nbhelpers.results import tables

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

TRIVIAL = ("length-ratio", "source-recall", "token-f1")
"""Metrics that know no meaning; any other has to beat them."""

CHANCE = {"rating": 0.0, "ranking": 0.0, "yes/no": 0.5, "best": 0.5}
"""What a metric that knows nothing reaches, by kind of labels."""

_CELLS = 4_000_000
"""Numbers in memory together."""


# -------------------------------------------------------------------------------------------------- weighted statistics


def _midranks(values: NDArray, weights: NDArray) -> NDArray:
    """Average ranks of values that occur as often as `weights` (r, n) says, each row for itself; shape (r, n)."""
    order = np.argsort(values, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(values[order]) != 0])
    totals = np.add.reduceat(weights[:, order], starts, axis=1)
    middle = np.cumsum(totals, axis=1) - totals / 2
    ranks = np.empty_like(middle, shape=weights.shape)
    ranks[:, order] = np.repeat(middle, np.diff(np.r_[starts, len(values)]), axis=1)
    return ranks


def weighted_spearman(labels: NDArray, values: NDArray, weights: NDArray) -> NDArray:
    """Spearman's rho of each resample, shape (r,); 0 where one side is constant, since it orders nothing.

    Examples
    --------
    >>> weighted_spearman(np.array([1, 2, 3]), np.array([1, 3, 2]), np.ones((1, 3))).tolist()
    [0.5]
    """
    x, y = (_midranks(side, weights) for side in (labels, values))
    total = weights.sum(1, keepdims=True)
    x, y = (side - (weights * side).sum(1, keepdims=True) / total for side in (x, y))
    spread = np.sqrt((weights * x * x).sum(1) * (weights * y * y).sum(1))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(spread > 1e-9, (weights * x * y).sum(1) / spread, 0.0)


def weighted_auc(labels: NDArray, values: NDArray, weights: NDArray) -> NDArray:
    """Share of (kept, changed) pairs in which the kept one has the higher value, ties one half, of each resample.

    Examples
    --------
    >>> weighted_auc(np.array([1, 0, 0]), np.array([2, 2, 1]), np.ones((1, 3))).tolist()
    [0.75]
    """
    kept, changed = weights * (labels > 0.5), weights * (labels <= 0.5)
    below = _midranks(values, changed)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (kept * below).sum(1) / (kept.sum(1) * changed.sum(1))


def _units(task: Task, scores: Scores) -> tuple[NDArray, list[int]]:
    """Values of what is compared by itself (an item, a ranking), and the place of a pair of each."""
    found: dict[str, list[int]] = {}
    for index, place in enumerate(scores.places):
        pair = task.pairs[place]
        found.setdefault(pair.item if task.labels == "best" else pair.group, []).append(index)
    labels = np.array([task.pairs[place].label for place in scores.places])
    values, places = [], []
    for members in found.values():
        truth, given = labels[members], scores.values[members]
        if truth.min() == truth.max():
            continue  # a pair was refused, or people saw no difference
        if task.labels == "best":  # the area under the curve, without the cost of its checks for each item
            gaps = given[truth > 0.5][:, None] - given[truth <= 0.5]
            value = float(np.mean((gaps > 0) + 0.5 * (gaps == 0)))
        else:
            value = float(weighted_spearman(truth, given, np.ones((1, len(members))))[0])
        values.append(value)
        places.append(int(scores.places[members[0]]))
    return np.array(values), places


def resampled(task: Task, scores: Scores, counts: NDArray, groups: NDArray) -> NDArray:
    """The statistic of a task on each row of counts; the task's kinds apart, where it says so.

    Parameters
    ----------
    counts : numpy.ndarray, shape (r, number of groups)
        How often each group is drawn.
    groups : numpy.ndarray, int, shape (pairs of the task,)
        Number of each pair's group.

    Returns
    -------
    numpy.ndarray, shape (r,)
        Spearman's rho; or the share of comparisons won, ties one half. NaN where a resample lacks a class.
    """
    by_unit = task.labels in ("best", "ranking")
    values, places = _units(task, scores) if by_unit else (scores.values, scores.places)
    places = np.asarray(places, dtype=int)
    kinds = np.array([task.pairs[place].kind if task.by_kind else "" for place in places])
    labels = np.array([task.pairs[place].label for place in places])
    found = []
    for kind in np.unique(kinds):
        chosen = kinds == kind
        parts = []
        for rows in np.array_split(counts, max(1, len(counts) * int(chosen.sum()) // _CELLS)):
            weights = rows[:, groups[places[chosen]]].astype(np.float64)
            if by_unit:
                with np.errstate(invalid="ignore"):
                    parts.append(weights @ values[chosen] / weights.sum(1))
            else:
                statistic = weighted_spearman if task.labels == "rating" else weighted_auc
                parts.append(statistic(labels[chosen], values[chosen], weights))
        found.append(np.concatenate(parts))
    return np.mean(found, axis=0) if found else np.full(len(counts), np.nan)


# -------------------------------------------------------------------------------------------------------------- board


@dataclass(frozen=True)
class Cell:
    """An estimate, its bootstrap distribution, shape (resamples,), and how many pairs were refused."""

    estimate: Estimate
    drawn: NDArray
    refused: int = 0


def _cell(value: float, drawn: NDArray, n: int, refused: int) -> Cell:
    low, high = np.nanquantile(drawn, [(1 - stats.LEVEL) / 2, (1 + stats.LEVEL) / 2])
    return Cell(Estimate(value, min(float(low), value), max(float(high), value), n), drawn, refused)


@dataclass(frozen=True)
class Board:
    """All cells of a leaderboard.

    Attributes
    ----------
    tasks : dict
        Tasks of each ability.
    scores : dict
        For each metric, for each task, its `Scores`.
    metrics : dict
        The metrics by name.
    resamples, seed : int
        Of the intervals.
    """

    tasks: Mapping[str, Sequence[Task]]
    scores: Mapping[str, Mapping[str, Scores]]
    metrics: Mapping[str, Metric]
    resamples: int = 1000
    seed: int = 0

    @cached_property
    def by_task(self) -> dict[str, dict[str, Cell]]:
        """For each task, for each metric, its cell; without metrics that refuse nearly all of a task."""
        cells: dict[str, dict[str, Cell]] = {}
        for task in (task for some in self.tasks.values() for task in some):
            _, groups = np.unique([pair.group for pair in task.pairs], return_inverse=True)
            count = int(groups.max()) + 1
            rng = np.random.default_rng([self.seed, zlib.crc32(task.name.encode())])
            counts = rng.multinomial(count, np.full(count, 1 / count), size=self.resamples)
            counts = np.vstack([np.ones(count, int), counts]).astype(np.uint16)  # the first row is the data as they are
            cells[task.name] = {}
            for name in self.scores:
                scored = self.scores[name][task.name]
                if len(scored.values) < 10:
                    continue
                value, *drawn = resampled(task, scored, counts, groups)
                if np.isfinite(value):
                    cells[task.name][name] = _cell(float(value), np.array(drawn), len(scored.values), scored.refused)
        return cells

    @cached_property
    def by_ability(self) -> dict[str, dict[str, Cell]]:
        """For each ability, for each metric that has all its tasks, the mean over the tasks, the best metric first."""
        cells: dict[str, dict[str, Cell]] = {}
        for ability, some in self.tasks.items():
            parts = [self.by_task[task.name] for task in some]
            both = {}
            for name in set.intersection(*map(set, parts)):
                own = [part[name] for part in parts]
                drawn = np.mean([cell.drawn for cell in own], axis=0)
                value = float(np.mean([cell.estimate.value for cell in own]))
                both[name] = _cell(value, drawn, sum(c.estimate.n for c in own), sum(c.refused for c in own))
            cells[ability] = dict(sorted(both.items(), key=lambda item: (-item[1].estimate.value, item[0])))
        return cells

    def chance(self, ability: str) -> float:
        """What a metric that knows nothing reaches on average over the ability's tasks."""
        return float(np.mean([CHANCE[task.labels] for task in self.tasks[ability]]))

    def ranks(self, ability: str) -> dict[str, Estimate]:
        """Rank of each metric (1 is best) with the interval of its rank over resamples."""
        cells = self.by_ability[ability]
        drawn = np.array([cell.drawn for cell in cells.values()])
        places = 1 + (drawn[:, None, :] < drawn[None, :, :]).sum(1)
        low, high = np.quantile(places, [(1 - stats.LEVEL) / 2, (1 + stats.LEVEL) / 2], axis=1, method="nearest")
        values = np.array([cell.estimate.value for cell in cells.values()])
        order = 1 + (values[:, None] < values[None, :]).sum(1)
        return {
            name: Estimate(float(k), min(float(a), k), max(float(b), k), len(cells))
            for name, k, a, b in zip(cells, order, low, high)
        }

    def groups(self, ability: str) -> dict[str, str]:
        """A letter for each metric: those with one letter cannot be told from the best of them.

        The best metric is compared with every other one (difference over its bootstrap standard error, Holm over the
        comparisons, level 0.05). Those that are not worse share its letter; the rest is compared in the same way.
        """
        from scipy.stats import norm

        left, letters = dict(self.by_ability[ability]), {}
        for letter in "abcdefghijklmnopqrstuvwxyz":
            if not left:
                break
            best = next(iter(left))
            p_values = {}
            for name, cell in left.items():
                if name != best:
                    gap = left[best].estimate.value - cell.estimate.value
                    error = float(np.nanstd(left[best].drawn - cell.drawn))
                    p_values[name] = 2 * float(norm.sf(gap / error)) if error > 0 else float(gap <= 0)
            adjusted = stats.holm(p_values) if p_values else {}
            group = [best, *(name for name in p_values if adjusted[name] >= 0.05)]
            letters |= dict.fromkeys(group, letter)
            left = {name: cell for name, cell in left.items() if name not in group}
        return letters

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """Rows for the ledger: tables ``abilities``, ``sets`` and ``ranks``; the best metric of an ability first."""
        found: dict[str, list[dict[str, Any]]] = {"abilities": [], "sets": [], "ranks": []}
        for ability, cells in self.by_ability.items():
            ranks, letters, column = self.ranks(ability), self.groups(ability), ABILITIES[ability].title
            data = "; ".join(dict.fromkeys(task.data for task in self.tasks[ability]))
            chance = f"chance {self.chance(ability):.2f}"
            for name, cell in cells.items():
                line = {"row": self.metrics[name].title, "column": column, "signature": self.metrics[name].signature}
                refused = f"; {cell.refused} refused" if cell.refused else ""
                note = f"group {letters[name]}; {chance}{refused}"
                found["abilities"].append({**line, "data": data, "value": cell.estimate, "note": note})
                found["ranks"].append({**line, "data": data, "value": ranks[name]})
            for task in self.tasks[ability]:
                for name, cell in self.by_task[task.name].items():
                    line = {"row": self.metrics[name].title, "column": task.title, "data": task.data}
                    refused = f"; {cell.refused} refused" if cell.refused else ""
                    note = f"{column}; of {len(task.pairs)} pairs{refused}"
                    signature = self.metrics[name].signature
                    found["sets"].append({**line, "value": cell.estimate, "note": note, "signature": signature})
        return found


def people(task: Task, resamples: int = 1000, seed: int = 0) -> Estimate:
    """Spearman's rho of the means of two random halves of the people who rated each pair: what a person reaches.

    Pairs with a single rating are left out; references are resampled.
    """
    rng = np.random.default_rng(seed)
    pairs = [pair for pair in task.pairs if len(pair.ratings) > 1]
    halves = []
    for pair in pairs:
        mixed = rng.permutation(pair.ratings)
        half = len(mixed) // 2
        halves.append((mixed[:half].mean(), mixed[half:].mean()))
    first, second = np.array(halves).T
    _, groups = np.unique([pair.group for pair in pairs], return_inverse=True)
    count = int(groups.max()) + 1
    counts = rng.multinomial(count, np.full(count, 1 / count), size=resamples)[:, groups].astype(np.float64)
    value = float(weighted_spearman(first, second, np.ones((1, len(pairs))))[0])
    return _cell(value, weighted_spearman(first, second, counts), len(pairs), 0).estimate


# ------------------------------------------------------------------------------------------------- what is recorded


def recorded() -> pandas.DataFrame:
    """The ledger's cells by ability: columns of the ledger, ``group``, ``chance`` and ``skill``, best measures first.

    ``skill`` is 0 at chance and 1 at the best possible value; a measure's place is that of its mean skill.
    """
    known = tables.rows("leaderboard", "abilities")
    if "full" in set(known["profile"]):
        known = known[known["profile"] == "full"]
    known = known.assign(
        group=known["note"].str.extract(r"group (\w)")[0], chance=known["note"].str.extract(r"chance ([\d.]+)")[0]
    )
    known["chance"] = known["chance"].astype(float)
    known["skill"] = (known["value"] - known["chance"]) / (1 - known["chance"])
    mean = known.groupby("row")["skill"].transform("mean") - 10 * (known.groupby("row")["skill"].transform("count") < 6)
    return known.assign(mean=mean).sort_values("mean", ascending=False, kind="stable")


def _seconds() -> dict[str, float]:
    return {known.title: known.seconds for known in SPECIFICATIONS.values()}


def jobs() -> pandas.DataFrame:
    """Which measure to take for which job, from the ledger.

    Returns
    -------
    DataFrame
        For each ability the job, the best measure with its value ("none" where that cannot be told from chance), the
        fastest one that cannot be told from it, how many others cannot, and the best of those that only count words.
    """
    import pandas

    known, cost = recorded(), _seconds()
    trivial = {SPECIFICATIONS[name].title for name in TRIVIAL}
    lines = []
    for ability in ABILITIES.values():
        cells = known[known["column"] == ability.title].sort_values("value", ascending=False, kind="stable")
        if cells.empty:
            continue
        best = cells.iloc[0]
        tied = cells[cells["group"] == "a"].set_index("row")
        fastest = min(tied.index, key=lambda title: cost.get(title, 0.001))
        simple = cells[cells["row"].isin(trivial)].iloc[0]
        also = "" if simple["row"] in tied.index else ", behind"
        lines.append(
            {
                "to": ability.job,
                "best here": best["row"] if best["low"] > best["chance"] else f"none ({best['row']} is best)",
                "reached [95 % interval]": f"{best['value']:.2f} [{best['low']:.2f}, {best['high']:.2f}]",
                "n": f"{best['n']:,.0f}",
                "chance": f"{best['chance']:.2f}",
                "fastest not told apart from it": "the same"
                if fastest == best["row"]
                else f"{fastest} {tied['value'][fastest]:.2f}, n = {tied['n'][fastest]:,.0f}",
                "others not told apart": len(tied) - 1,
                "best that only counts words": f"{simple['row']} {simple['value']:.2f}{also}",
            }
        )
    return pandas.DataFrame(lines)


def heat_map(known: pandas.DataFrame | None = None) -> Figure:
    """Every recorded measure on every ability: darker blue is better than chance, orange worse.

    Bold cells lie above chance with their interval and cannot be told from the best of their column.

    Parameters
    ----------
    known : DataFrame, optional
        As `recorded` gives it.
    """
    import matplotlib.pyplot
    from matplotlib.colors import LinearSegmentedColormap

    known = recorded() if known is None else known
    columns = [ability.title for ability in ABILITIES.values() if ability.title in set(known["column"])]
    names = list(dict.fromkeys(known["row"]))
    cells = {(one["row"], one["column"]): one for one in known.to_dict("records")}
    colours = LinearSegmentedColormap.from_list("skill", ["#D55E00", "#F7F7F7", "#0072B2"])
    skill = np.array([[cells[name, c]["skill"] if (name, c) in cells else np.nan for c in columns] for name in names])
    figure, axes = matplotlib.pyplot.subplots(figsize=(1.9 + 0.92 * len(columns), 1.6 + 0.34 * len(names)))
    axes.imshow(np.clip(skill, -1, 1), cmap=colours, vmin=-1, vmax=1, aspect="auto")
    for y, name in enumerate(names):
        for x, column in enumerate(columns):
            if (one := cells.get((name, column))) is None:
                axes.text(x, y, "–", ha="center", va="center", color="0.5")
                continue
            best = one["group"] == "a" and one["low"] > one["chance"]
            text = f"{one['value']:.2f}".replace("0.", ".", 1).replace("-", "−")
            colour = "white" if abs(one["skill"]) > 0.62 else "black"
            style = {"fontweight": "bold"} if best else {}
            axes.text(x, y, text, ha="center", va="center", fontsize=11, color=colour, **style)
    by_column = known.groupby("column")
    heads = [
        textwrap.fill(column, 11, break_long_words=False)
        + f"\nchance {by_column['chance'].first()[column]:g}\nn ≥ {by_column['n'].min()[column]:,.0f}"
        for column in columns
    ]
    axes.set_xticks(range(len(columns)), heads)
    key = "blue: better than chance; orange: worse; bold: above chance and not told apart from the best of the column"
    axes.set_xlabel(f"{key}\nrows in the order of their mean; grey names only count words", fontsize=10)
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="x", top=True, labeltop=True, bottom=False, labelbottom=False, labelsize=9.5)
    trivial = {SPECIFICATIONS[name].title for name in TRIVIAL}
    for label in axes.get_yticklabels():
        label.set_color("0.45" if label.get_text() in trivial else "black")
    axes.grid(visible=False)
    axes.set_frame_on(False)
    return figure
