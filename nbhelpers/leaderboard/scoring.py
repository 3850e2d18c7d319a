"""Score tests with measures, part by part, so that a run that was stopped goes on where it was.

Scores are a table with one line per pair and one column per measure: **higher where more of the meaning is said to be
kept**, NaN where the pair was not drawn for the measure, infinite where the measure refused it.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nbhelpers.base import shards
from nbhelpers.base.errors import InputError, ResourceNotFoundError, RowError
from nbhelpers.language.mlm import EMBEDDED, cached_engine, on_engine
from nbhelpers.leaderboard.tasks import Task, read
from nbhelpers.metrics import SPECIFICATIONS, Metric, load, names
from nbhelpers.metrics.language_model import log_perplexities
from nbhelpers.metrics.metric import check_pairs, sharing
from nbhelpers.resources import vectors
from nbhelpers.results import evidence

if TYPE_CHECKING:
    import pandas

Values = dict[str, np.ndarray]

SHARD_SECONDS = 20.0
"""Pairs that a measure scores in about this time are kept together in one file, at most 2,000 of them."""

FEATURES = ("words", "characters", "frequency", "rarest", "perplexity")
"""What the sentinels see of a text: its length; mean and largest logarithm of its words' places by frequency; and, in
evidence only, the logarithm of its pseudo-perplexity by the small masked language model that ships."""

ITEMS = ("test", "labels", "place", "label", "kind", "group", "item", "first", "second")
"""What a line says of its pair; labels are their kind, first and second means of two halves of the people."""


def items_of(task: Task) -> pandas.DataFrame:
    """The pairs of a test as numbers and codes: columns `ITEMS`, and the cheap `FEATURES` of source and candidate."""
    import pandas

    rng, rows = np.random.default_rng(0), []
    labels = "share" if task.topics else task.labels
    groups: dict[str, int] = {}
    items: dict[str, int] = {}
    for place, pair in enumerate(task.pairs):
        mixed = rng.permutation(pair.ratings)
        halves = (mixed[::2].mean(), mixed[1::2].mean()) if len(mixed) > 1 else (np.nan, np.nan)
        group = groups.setdefault(pair.group or str(place), len(groups))
        item = items.setdefault(pair.item, len(items))
        rows.append((task.name, labels, place, pair.label, pair.kind if task.by_kind else "", group, item, *halves))
    table = pandas.DataFrame(rows, columns=list(ITEMS))
    seen = _features(text for pair in task.pairs for text in (pair.source, pair.candidate))
    for side, start in (("source", 0), ("candidate", 1)):
        for column, name in enumerate(FEATURES[:-1]):
            table[f"{side} {name}"] = seen[start::2, column]
    return _compact(table)


def _perplexities(task: Task) -> dict[str, np.ndarray]:
    """The last of the `FEATURES` of a test's pairs, kept on disk as they are made."""
    sides = {side: [getattr(pair, side) for pair in task.pairs] for side in ("source", "candidate")}
    texts = sorted({text for own in sides.values() for text in own}, key=lambda text: (len(text), text))
    found = shards.map(
        functools.partial(on_engine, log_perplexities),
        texts,
        signature=f"log-perplexity|lm:{cached_engine(EMBEDDED).signature}|gap:3",
        shard_size=500,
        description=f"perplexity on {task.name}",
    )
    known = dict(zip(texts, found))
    return {f"{side} perplexity": np.array([known[text] for text in own], np.float32) for side, own in sides.items()}


def _features(texts: Iterable[str]) -> np.ndarray:
    known = _frequencies()
    rows = []
    for text in texts:
        places = [known.get(word.strip(".,;:!?\"'()").lower(), len(known)) for word in text.split()]
        logs = np.log1p(places)
        rows.append((len(places), len(text), logs.mean(), logs.max()))
    return np.array(rows, dtype=np.float32)


@functools.cache
def _frequencies() -> dict[str, int]:
    return dict(vectors.load_vectors("word2vec-5").index)


def _compact(table: pandas.DataFrame) -> pandas.DataFrame:
    whole = {name: "int32" for name in ("place", "group", "item")}
    return table.astype(whole | {name: "float32" for name in table.select_dtypes("float64")})


def _family(name: str) -> str:
    return name.partition("-")[0] if name.startswith(("bertscore", "rouge")) else name


def _values(metrics: Sequence[Metric], pairs: list[list[str]]) -> list[list[float] | None]:
    """Values of each pair by each measure of a family; None for a pair that one of them refuses."""
    left = dict(enumerate(pairs))
    while left:
        places = list(left)
        try:
            with sharing():
                checked = check_pairs(*map(list, zip(*left.values())))
                columns = [metric.scores(*checked).tolist() for metric in metrics]
        except RowError as error:
            del left[places[error.row - 1]]
            continue
        found = dict(zip(places, zip(*columns)))
        return [list(found[place]) if place in found else None for place in range(len(pairs))]
    return [None] * len(pairs)


def score(task: Task, metrics: Iterable[Metric], most: int = 0) -> Values:
    """Values of all pairs of a test by each measure, as the module says; what was scored before is read.

    Parameters
    ----------
    task : Task
    metrics : iterable of Metric
    most : int
        About so many pairs, in whole items drawn at random; 0: all. A larger sample holds the smaller one.
    """
    loaded = {metric.name: metric for metric in metrics}
    families: dict[str, list[Metric]] = {}
    for name, metric in loaded.items():
        families.setdefault(_family(name), []).append(metric)
    places = np.array(task.sample(most or len(task.pairs)))
    pairs = [[task.pairs[place].source, task.pairs[place].candidate] for place in places]
    found = {}
    for family, members in families.items():
        cost = SPECIFICATIONS[members[0].name].seconds if members[0].name in SPECIFICATIONS else 0.1
        values = shards.map(
            functools.partial(_values, members),
            pairs,
            signature="; ".join(metric.signature for metric in members),
            shard_size=min(2000, max(10, round(SHARD_SECONDS / cost))),
            description=f"{family} on {task.name}",
        )
        for column, metric in enumerate(members):
            sign = 1.0 if metric.higher_means_same else -1.0
            found[metric.name] = np.full(len(task.pairs), np.nan, np.float32)
            found[metric.name][places] = [np.inf if one is None else sign * one[column] for one in values]
    return found


def scored(
    tasks: Iterable[Task], metrics: Iterable[Metric], most: int = 0, values: Mapping[str, Values] | None = None
) -> pandas.DataFrame:
    """Pairs of several tests with their values by each measure (or `values`), as the evidence has them."""
    import pandas

    metrics = list(metrics)
    parts = [_lines(task, values[task.name] if values else score(task, metrics, most)) for task in tasks]
    return pandas.concat(parts, ignore_index=True)


def _lines(task: Task, values: Values) -> pandas.DataFrame:
    """The pairs of a test, or its topics, with values of all pairs."""
    table = items_of(task)
    table, values = _sums(table, values) if task.topics else (table, values)
    return table.assign(**values)


def chosen(measures: str, dtype: str = "float32") -> list[Metric]:
    """Measures by name, separated by commas; ``fast`` means those that take less than 5 ms for a pair.

    Another `dtype` than float32 is for measures that have such an option.

    Raises
    ------
    InputError
        A name is unknown.
    ResourceNotFoundError
        One cannot run here.
    """
    fast = [name for name in names() if SPECIFICATIONS[name].seconds < 0.005 and name != "ter"]
    wanted = fast if measures == "fast" else [one.strip() for one in measures.split(",")]
    options = {} if dtype == "float32" else {"dtype": dtype}
    return [load(name, **options) for name in wanted]


def record(
    test: str, measures: str = "fast", most: int = 0, dtype: str = "float32"
) -> tuple[pandas.DataFrame, evidence.Run]:
    """Score one test with some measures, and put the values beside those that the evidence has already.

    Parameters
    ----------
    test : str
    measures, dtype : str
        As `chosen` takes them.
    most : int
        As in `score`.
    """
    task, seconds = read(test), shards.stopwatch()
    if task is None:
        raise ResourceNotFoundError(f"the data of the test {test!r} are not on this machine")
    metrics = chosen(measures, dtype)
    table = _lines(task, score(task, metrics, most))
    known: dict[str, Any] = {"signatures": {}, "seconds": {}, "computed": {}}  # where, if not on the device of the run
    signature = f"board|test:{test}|sample:0"
    if "board-scores" in evidence.names():
        older, runs = evidence.load("board-scores"), evidence.runs("board-scores")
        for number, run in enumerate(runs):
            if (run.data, run.signature) == (task.data, signature):
                earlier = older[older["run"] == number].dropna(axis=1, how="all").reset_index(drop=True)
                if len(earlier) != len(table) or not np.array_equal(earlier["label"], table["label"]):
                    raise InputError(f"{test} has other pairs than the evidence; take it out of the table first")
                wanted = [*run.settings["signatures"], "source perplexity", "candidate perplexity"]
                names = [name for name in wanted if name in earlier and name not in table]
                table[names] = earlier[names]
                known = {name: dict(run.settings.get(name, {})) for name in known}
    if not task.topics and "source perplexity" not in table:
        table = table.assign(**_perplexities(task))
    known["signatures"] |= {metric.name: metric.signature for metric in metrics}
    for metric in metrics:
        known["computed"].pop(metric.name, None)
    others = sum(spent for given, spent in known["seconds"].items() if given != measures)
    known["seconds"][measures] = round(seconds(), 1)
    return table, evidence.Run(data=task.data, signature=signature, settings=known, seconds=others)


def _sums(table: pandas.DataFrame, values: dict[str, np.ndarray]) -> tuple[pandas.DataFrame, dict[str, np.ndarray]]:
    """One line per group: its number of items as the label, and the share of them that each measure gets right."""
    wins: dict[str, Any] = {}
    for name, given in values.items():
        shares = {}
        for (group, _), one in table.assign(given=given).groupby(["group", "item"]):
            right, wrong = one["given"][one["label"] > 0.5], one["given"][one["label"] <= 0.5]
            if np.isfinite(one["given"]).all():
                gaps = right.to_numpy()[:, None] - wrong.to_numpy()
                shares.setdefault(group, []).append(float(np.mean((gaps > 0) + 0.5 * (gaps == 0))))
        wins[name] = np.array([np.mean(shares.get(group, np.nan)) for group in sorted(set(table["group"]))], np.float32)
    sums = table.groupby("group", as_index=False).first()
    sums["label"] = table.groupby("group")["item"].nunique().to_numpy()
    numbers = [name for name in table if name.startswith(("source ", "candidate "))]
    sums[numbers] = table.groupby("group")[numbers].mean().to_numpy()
    return _compact(sums.assign(place=range(len(sums)), item=0)[list(table)]), wins
