"""Thresholds of a meaning model and what its card shows: ``python tools/meaning_card.py data/models/same-meaning-en``.

They come from the evidence of its verdicts (``evidence record check-verdicts model=…``, recorded with the weights in
place), from that of the board, and from what stands beside the weights: ``goals.json`` and ``training-log.json``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from model_card import fill_table

from nbhelpers import metrics
from nbhelpers.base.stats import proportion, resampled, roc_auc, spearman_rows
from nbhelpers.leaderboard import verdicts
from nbhelpers.metrics.verdicts import Thresholds
from nbhelpers.resources import challenge
from nbhelpers.results import evidence

if TYPE_CHECKING:
    import pandas
    from numpy.typing import NDArray

LEARNED = ("loss", "paws", "stsb", "csmd", "written", "made", "free, rivals")


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; all columns but the first are numbers."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def goals(folder: Path) -> str:
    """What was aimed at and reached, with the numbers of earlier weights where they are known."""
    rows, counts = [], {"yes": 0, "value only": 0, "no": 0}
    for row in rows_of(folder):
        aim, old = row["wanted"], row.get("before")
        reached = f"{row['value']:.3f}{'°' if 'evidence' in row else ''}"
        met = "–" if aim is None else "yes" if row["low"] >= aim else "value only" if row["value"] >= aim else "no"
        if aim is not None:
            counts[met] += 1
        cells = [row["goal"], "–" if aim is None else f"{aim:.3f}", reached]
        cells += [f"{row['low']:.3f} to {row['high']:.3f}", f"{row['n']:,}", met]
        rows.append([*cells, f"{old['value']:.3f} ({old['n']:,})" if old else "–"])
    header = ["goal", "wanted", "reached", "interval", "n", "met", "before (n)"]
    said = f"{sum(counts.values())} rows have a goal: {counts['yes']} reach it with the whole interval (*yes*), "
    said += f"{counts['value only']} with the value only, {counts['no']} do not."
    if any("evidence" in row for row in rows_of(folder)):
        said += " ° From the ratings in the evidence `board-scores`, by `tools/meaning_goals.py --recorded`."
    return f"{said}\n\n{table(header, rows)}"


def rows_of(folder: Path) -> list[dict[str, Any]]:
    """The rows of ``goals.json``."""
    return json.loads((folder / "goals.json").read_text(encoding="utf-8"))


def halves(folder: Path) -> str:
    """Has the small model closed half of its distance to the larger one? From where both were at first."""
    base = {row["goal"]: row for row in rows_of(folder.with_name("same-meaning-base-en"))}
    rows, closed = [], [0, 0]
    for row in rows_of(folder):
        other = base.get(row["goal"], {})
        if row["wanted"] is None or "first" not in row or "first" not in other:
            continue
        start, theirs = row["first"], other["first"]
        halfway = [(start["value"] + end) / 2 for end in (theirs["value"], other["value"])]
        if theirs["value"] <= start["value"]:
            continue
        met = [row["value"] >= each for each in halfway]
        closed = [count + one for count, one in zip(closed, met)]
        cells = [f"{one['value']:.3f} ({one['n']:,})" for one in (start, theirs, row, other)]
        words = [f"{each:.3f}: {'yes' if one else 'no'}" for each, one in zip(halfway, met)]
        rows.append([row["goal"], *cells, *words])
    header = ["goal", "small, first (n)", "base, first (n)", "small, now (n)", "base, now (n)"]
    header += ["half-way to base, first", "half-way to base, now"]
    said = f"By the values, {closed[0]} of {len(rows)} are half-way to where base was first, "
    said += f"{closed[1]} to where it is now."
    return f"{said}\n\n{table(header, rows)}"


def beside(tests: Sequence[str] = ()) -> str:
    """The three models and the encoder's cosine on the same pairs, and what the version with free licences costs."""
    board, rated = evidence.load("board-scores"), evidence.load("check-verdicts")
    rows = []
    for name, (title, statistic) in COMPARED.items():
        if tests and name not in tests:
            continue
        own = board[board["test"] == name]
        rows.append([title, *_columns(own.dropna(subset=[*MODELS, COSINE]), statistic, COSINE)])
    for name, (title, statistic) in OURS.items():
        if tests and name not in tests:
            continue
        pairs = challenge.read(name).pairs
        own = rated[rated["set"] == name].pivot(index=["pair", "label"], columns="model", values="rating").reset_index()
        own = own.assign(group=[pairs[place].group or str(place) for place in own["pair"]])
        if statistic is _mean:
            own = own[[pairs[place].kind == "same" for place in own["pair"]]]
        rows.append([title, *_columns(own, statistic)])
    header = ["test, on the same pairs", "base", "small", "unrestricted", "small encoder's cosine"]
    return table([*header, "small minus unrestricted", "n"], rows)


def _columns(own: pandas.DataFrame, statistic: Statistic, cosine: str = "") -> list[str]:
    """The statistic by each model and by the cosine, the difference of the last two models, and its n."""
    names = [*MODELS, *([cosine] if cosine else [])]
    if statistic is _won:
        own = _items_won(own, names)
    labels, values = own["label"].to_numpy(float), {name: own[name].to_numpy(float) for name in names}

    def gap(chosen: NDArray[np.intp]) -> float:
        small, free = (statistic(labels[chosen], values[name][chosen]) for name in MODELS[1:])
        return small - free

    found = resampled(gap, own["group"], resamples=300)
    digits = ".0f" if statistic is _mean else ".3f"
    cells = [format(statistic(labels, values[name]), digits) for name in names] + ([] if cosine else ["–"])
    return [*cells, f"{found.value:{digits}} [{found.low:{digits}}, {found.high:{digits}}]", f"{len(own):,}"]


def _items_won(own: pandas.DataFrame, names: list[str]) -> pandas.DataFrame:
    """One line per item: for each measure 1 where the candidate with label 1 is highest; a tie of k counts 1/k."""
    own = own.sort_values("item", kind="stable")
    for name in names:
        top = own[name] == own.groupby("item")[name].transform("max")
        own = own.assign(**{name: (top * own["label"]) / top.groupby(own["item"]).transform("sum")})
    return own.groupby("item").agg({"group": "first", "label": "sum", **dict.fromkeys(names, "sum")})


def _area(labels: NDArray, values: NDArray) -> float:
    return roc_auc(labels, values) if 0 < labels.sum() < len(labels) else np.nan


def _rank(labels: NDArray, values: NDArray) -> float:
    return float(spearman_rows(values, labels))


def _pearson(labels: NDArray, values: NDArray) -> float:
    return float(np.corrcoef(values, labels)[0, 1])


def _mean(labels: NDArray, values: NDArray) -> float:
    return float(values.mean())


def _won(labels: NDArray, values: NDArray) -> float:
    return float(values.mean())


Statistic = Callable[["NDArray", "NDArray"], float]

MODELS = ("same-meaning-base", "same-meaning", "same-meaning-unrestricted")
COSINE = "sentence-transformer"
COMPARED: dict[str, tuple[str, Statistic]] = {
    "paws-wiki": ("PAWS-Wiki, words moved: AUC", _area),
    "paws-qqp": ("PAWS-QQP, words moved in questions: AUC", _area),
    "semantoneg": ("SemAntoNeg, negations and opposites: best of three (chance .333)", _won),
    "menli": ("MENLI, an error in a translation: wins (chance .5)", _won),
    "summedits": ("SummEdits, an edit of a summary: AUC, domains together", _area),
    "csmd": ("CSMD, simplifications: Pearson with people", _pearson),
    "parabank": ("ParaBank, paraphrases: Spearman with people", _rank),
    "parade": ("PARADE, definitions, two classes: AUC", _area),
}
OURS: dict[str, tuple[str, Statistic]] = {
    "own-rewordings": ("Own free rewordings: mean rating (goal 75)", _mean),
    "tried-pairs": ("Pairs for a try: AUC", _area),
}
BANDS = (0, 10, 25, 50, 75, 90, 99, 100)


def meant(own: pandas.DataFrame) -> str:
    """Of the pairs of the evidence whose rating lies in a band: how many keep their meaning?"""
    rows = []
    for low, high in zip(BANDS, BANDS[1:]):
        inside = own[(own["rating"] >= low) & ((own["rating"] < high) | (high == BANDS[-1]))]
        cells = []
        for chosen in (inside["set"].isin(verdicts.CALIBRATION), inside["set"].isin(verdicts.ELSEWHERE)):
            labels = inside.loc[chosen, "label"] == 1
            found = proportion(labels) if len(labels) else None
            cells.append(f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}], {found.n:,}" if found else "–")
        rows.append([f"{low} to {high}", *cells])
    return table(["rating", "meaning kept, four sets", "meaning kept, six other sets"], rows)


def scores(own: pandas.DataFrame, limits: Thresholds | None) -> str:
    """The thresholds in words, and what ratings are worth."""
    said = "`check` has no thresholds for this metric: no rating by itself means *kept* or *changed*."
    if limits:
        said = f"`check` says ***kept* from {limits.kept:g}, *changed* up to {limits.changed:g}, *unsure* between**."
    return f"{said}\n\n{meant(own)}"


def example(model: str, limits: Thresholds | None) -> str:
    """Three pairs with what the metric says of them."""
    metric = metrics.load(model)
    lines = ["```python", "from nbhelpers import metrics", "", f'rating = metrics.load("{model}")']
    for source, candidate in EXAMPLES:
        lines += ["", f'source, candidate = "{source}", "{candidate}"']
        lines += [f"rating([source], [candidate])  # {metric([source], [candidate])[0]:.1f}"]
        if limits:
            found = metrics.check(source, candidate, metric=metric, thresholds=limits)
            lines += [f'metrics.check(source, candidate, metric="{model}").verdict  # {found.verdict}']
        if (source, candidate) == EXAMPLES[0]:
            lines += ["rating.changes(source, candidate)  # the places that differ, the most harmful first:"]
            for one in metric.changes(source, candidate):
                lines += [f"# {one.was or '–'} → {one.became or '–'}, cost {one.cost:.1f}, likely kind: {one.kind}"]
    return "\n".join([*lines, "```"])


EXAMPLES = (
    ("The road is safe in winter.", "In winter, the road is not safe."),
    ("She sold the house in May.", "In May she parted with her home."),
    ("Members can only vote in person.", "Only members can vote in person."),
)


def ablations(folder: Path) -> str:
    """What an earlier recipe reached without one part of its data at a time."""
    found = json.loads((folder / "ablations.json").read_text(encoding="utf-8"))
    sizes = {row["goal"]: row["n"] for row in found}
    cells = {
        (row["without"], row["goal"]): f"{row['value']:.2f} [{row['low']:.2f}, {row['high']:.2f}]" for row in found
    }
    names = list(dict.fromkeys(row["without"] for row in found))
    header = ["without", *(f"{goal} (n = {n})" for goal, n in sizes.items())]
    return table(header, [[name, *(cells[name, goal] for goal in sizes)] for name in names])


def training(folder: Path) -> str:
    """Error and agreement on held-out pairs along the last course of training."""
    log = json.loads((folder / "training-log.json").read_text(encoding="utf-8"))
    last = max(row.get("course", 0) for row in log)
    log = [row for row in log if row.get("course", 0) == last]
    learned = [name for name in LEARNED if all(name in row["dev"] for row in log)]
    rows = [[f"{row['step']:,}", *(f"{row['dev'][name]:.3f}" for name in learned)] for row in log]
    return table(["step", *learned], rows)


def worth(own: pandas.DataFrame, limits: Thresholds) -> str:
    """Shares of right and wrong verdicts for each set; those with a star did not choose the thresholds."""
    found = verdicts.shares(own, limits)
    found["cell"] = [f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}], {one.n}" for one in found.itertuples()]
    wide = found.pivot(index="row", columns="column", values="cell").loc[list(dict.fromkeys(found["row"]))]
    rows = [
        [f"{name}{'' if name in verdicts.CALIBRATION else ' *'}", *wide.loc[name, list(verdicts.SHARES)]]
        for name in wide.index
    ]
    return table(["set", *verdicts.SHARES], rows)


def fill(folder: Path, sides: str, with_example: bool) -> None:
    """Fill the tables of one card, and store the thresholds with its weights."""
    card, model = folder / "README.md", folder.name.removesuffix("-en")
    text = card.read_text(encoding="utf-8")
    rated = evidence.load("check-verdicts")
    own = rated[rated["model"] == model]
    limits = verdicts.thresholds(own) if "<!-- verdicts -->" in text else None
    fill_table(card, "scores", scores(own, limits))
    fill_table(card, "beside", sides)
    fill_table(card, "training", training(folder))
    fill_table(card, "goals", goals(folder))
    if "<!-- halves -->" in text:
        fill_table(card, "halves", halves(folder))
    if "<!-- ablations -->" in text:
        fill_table(card, "ablations", ablations(folder))
    if with_example:
        fill_table(card, "example", example(model, limits))
    if limits:
        fill_table(card, "verdicts", worth(own, limits))
        stored = folder / "meaning.json"
        settings = json.loads(stored.read_text(encoding="utf-8")) | {"verdict": asdict(limits)}
        stored.write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")
    print(model, limits)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--example", action="store_true", help="rate the example anew: it needs the model's encoder")
    options = parser.parse_args()
    sides = beside()
    for folder in options.folders:
        fill(folder, sides, options.example)


if __name__ == "__main__":
    main()
