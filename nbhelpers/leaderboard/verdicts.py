"""What *kept*, *changed* and *unsure* are worth: ratings of labelled pairs that nobody trained on.

``check-verdicts`` holds one line per pair and model: the set, the pair's place in it, its label and the rating. The
sets of `CALIBRATION` give a model's thresholds (`thresholds`); the others show how far their promise carries.
"""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import numpy as np

from nbhelpers.base.paths import data_dir
from nbhelpers.base.stats import Estimate, adjusted, paired_bootstrap, proportion
from nbhelpers.metrics import load
from nbhelpers.metrics.verdicts import RISK, Thresholds, thresholds_from
from nbhelpers.resources import challenge
from nbhelpers.resources.challenge import ChallengePair
from nbhelpers.results import estimates
from nbhelpers.results.evidence import Run

if TYPE_CHECKING:
    import pandas

CALIBRATION = ("menli", "paws-wiki", "semantoneg", "apt")
ELSEWHERE = ("summedits", "paws-qqp", "own-rewordings", "minimal-pairs", "tried-pairs", "everyday-pairs")

PASSED = "changed pairs that pass as kept"
ERRORS = (PASSED, "kept pairs called changed")
SHARES = (*ERRORS, "unsure", "kept pairs found", "changed pairs found")


def sample(pairs: tuple[ChallengePair, ...], most: int) -> list[int]:
    """Places of at most so many changed and so many kept pairs, at random, one of each for a source."""
    places = list(range(len(pairs)))
    random.Random(0).shuffle(places)
    chosen: dict[tuple[str, bool], int] = {}
    for place in places:
        chosen.setdefault((pairs[place].group or pairs[place].source, pairs[place].label == 1), place)
    return sorted(
        place for kept in (False, True) for place in [at for (_, k), at in chosen.items() if k == kept][:most]
    )


def record(model: str = "same-meaning", most: int = 300) -> tuple[pandas.DataFrame, Run]:
    """Rate the pairs of all sets.

    Parameters
    ----------
    model : str
        Name of a metric with ratings from 0 to 100.
    most : int
        Pairs of each set and label.
    """
    import pandas

    metric, tables, data = load(model, truncate=True), [], []
    for name in (*CALIBRATION, *ELSEWHERE):
        found = challenge.read(name)
        places = sample(found.pairs, most)
        pairs = [found.pairs[place] for place in places]
        values = metric.ratings(metric([pair.source for pair in pairs], [pair.candidate for pair in pairs]))
        labels = [int(pair.label == 1) for pair in pairs]
        tables.append(pandas.DataFrame({"set": name, "pair": places, "label": labels, "rating": values}))
        data.append(found.located.identity)
    items = pandas.concat(tables, ignore_index=True)
    items = items.astype({"set": "category", "pair": "int32", "label": "int8", "rating": "float32"})
    return items, Run(model, data="; ".join(data), signature=f"{metric.signature}|pairs:{most}")


def thresholds(items: pandas.DataFrame, risk: float = RISK) -> Thresholds:
    """Thresholds from one model's ratings of the sets of `CALIBRATION`, as many pairs of each set and label."""
    own = items[items["set"].isin(CALIBRATION)]
    found = thresholds_from(own["rating"], own["label"], risk=risk)
    source = f"{found.found} of {', '.join(CALIBRATION)}"
    return Thresholds(round(found.kept, 2), round(found.changed, 2), found.risk, source)


def shares(items: pandas.DataFrame, limits: Thresholds) -> pandas.DataFrame:
    """Estimates of `SHARES` for each set by one model's ratings, with Wilson intervals.

    Parameters
    ----------
    items : DataFrame
        One model's lines.
    limits : Thresholds
    """
    rows = []
    for name, own in items.groupby("set", sort=False, observed=True):
        changed, kept = (own.loc[own["label"] == label, "rating"].to_numpy() for label in (0, 1))
        both = np.r_[changed, kept]
        hits = (
            changed >= limits.kept,
            kept <= limits.changed,
            (both < limits.kept) & (both > limits.changed),
            kept >= limits.kept,
            changed <= limits.changed,
        )
        rows += [{"row": name, "column": what, "value": proportion(hit)} for what, hit in zip(SHARES, hits) if len(hit)]
    return estimates.frame(rows)


def promise(items: pandas.DataFrame, risk: float = RISK) -> pandas.DataFrame:
    """`shares` of every model at its own `thresholds`, with the column ``model``."""
    import pandas

    models = items.groupby("model", sort=False)
    return pandas.concat([shares(own, thresholds(own, risk)).assign(model=model) for model, own in models])


def pooled(items: pandas.DataFrame, risk: float = RISK) -> pandas.DataFrame:
    """`promise` for all pairs of the sets of `CALIBRATION` together, and for all pairs of the others."""
    import pandas

    names, tables = {True: "sets that chose the thresholds", False: "other sets"}, []
    for model, own in items.groupby("model", sort=False):
        together = own.assign(set=own["set"].isin(CALIBRATION).map(names))
        tables.append(shares(together, thresholds(own, risk)).assign(model=model))
    return pandas.concat(tables)


def beyond(found: pandas.DataFrame) -> pandas.DataFrame:
    """The two errors in the sets of `ELSEWHERE`, each tested for being more frequent than `RISK`.

    Parameters
    ----------
    found : DataFrame
        What `promise` gave.

    Returns
    -------
    DataFrame
        ``p`` comes from an exact binomial test, and ``q`` corrects it for the number of rows (false discovery rate).
    """
    from scipy.stats import binomtest, false_discovery_control

    errors = found[found["row"].isin(ELSEWHERE) & found["column"].isin(ERRORS)]
    counts = [(round(one.value * one.n), int(one.n)) for one in errors.itertuples()]
    p = [binomtest(wrong, n, RISK, alternative="greater").pvalue for wrong, n in counts]
    return errors.assign(p=p, q=false_discovery_control(p))


def compared(items: pandas.DataFrame, one: str, other: str, risk: float = RISK) -> pandas.DataFrame:
    """How many more changed pairs pass as kept by one model than by another, for each set.

    Only pairs count that both have rated, so that n is that of the smaller sample. The column ``q`` holds the p-values
    of the paired bootstrap, corrected for the number of sets (false discovery rate).

    Parameters
    ----------
    items : DataFrame
        Lines of both models.
    one, other : str
        Names of the models.
    risk : float
        Each model decides by its own `thresholds` for this risk.
    """
    limits = {name: thresholds(items[items["model"] == name], risk).kept for name in (one, other)}
    changed = items[items["label"] == 0].astype({"set": str})
    both = changed.pivot(index=["set", "pair"], columns="model", values="rating").dropna(subset=[one, other])
    sets = [name for name in (*CALIBRATION, *ELSEWHERE) if name in both.index.get_level_values("set")]
    family = {name: paired_bootstrap(*(both.loc[name][by] >= limits[by] for by in (one, other))) for name in sets}
    what = f"{one} minus {other}"
    return estimates.frame({"row": name, "column": what, "value": each} for name, each in adjusted(family).items())


def on_card(model: str) -> pandas.DataFrame:
    """The measurements of a metric's card: the row is what was tried, the column what was measured."""
    goals = json.loads((data_dir() / "models" / f"{model}-en" / "goals.json").read_text("utf-8"))
    lines = []
    for goal in goals:
        row, _, column = goal["goal"].partition(": ")
        value = Estimate(*(goal[key] for key in ("value", "low", "high", "n")))
        lines.append({"row": row, "column": column, "value": value})
    return estimates.frame(lines, model=model)


TABLES = {"check/verdicts": promise}
