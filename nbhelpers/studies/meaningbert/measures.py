"""The study's metrics: which there are, what they give for pairs, and how that agrees with people's ratings."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from nbhelpers.base import shards
from nbhelpers.base.errors import NbhelpersError
from nbhelpers.base.stats import Estimate, Resampled, means
from nbhelpers.metrics import SPECIFICATIONS, load, meaning_model
from nbhelpers.metrics.metric import shared, sharing
from nbhelpers.resources.csmd import RatedPair, normalized
from nbhelpers.results import published

VECTORS = ("bertscore-precision", "bertscore-recall", "bertscore-f1", "sentence-transformer")
"""Metrics built on a language model that the article puts into its upper group and that run here."""

WORDS = ("bleu", "ibleu", "fkbleu", "meteor", "sari", "ter", "fkgl") + tuple(
    f"rouge{kind}-{part}" for kind in "12L" for part in ("precision", "recall", "f1")
)
"""Metrics of shared words."""

TRIVIAL = ("length-ratio", "source-recall", "token-f1")
"""Predictors that no metric should be worse than."""

RATERS = ("meaningbert", "meaningbert-raw")
"""The shipped MeaningBERT, with its calibration (a straight line, cut at 0 and 100) and without."""

MEASURES = (*VECTORS, *WORDS, *TRIVIAL, *RATERS)

SLOW = ("blanc", "coverage")
"""Metrics of the article that are recorded on a sample."""

ARTICLE = (*VECTORS, *(name for name in WORDS if not name.endswith(("precision", "recall")) and name != "fkgl"))
"""The article's metrics that have a rating and run here, one for each of its rows (F1 of each ROUGE)."""

TABLE5 = (
    "FKGL|BERTScore precision|BERTScore recall|BERTScore F1|BLANC|BLEU|AM of BLEU and SAMSA|GM of BLEU and SAMSA|"
    "BLEURT|Coverage|iBLEU|FKBLEU|LENS|METEOR|QuestEval|ROUGE-1 F1|ROUGE-2 F1|ROUGE-L F1|SARI|Sentence Transformer|TER|"
    "MeaningBERT without DA|MeaningBERT with DA"
).split("|")
"""The rows of the article's Tables 5 to 7; it does not say which ROUGE it means."""

FIGURE = {
    "MeaningBERT shipped": "trained: our model, 1 split",
    "MeaningBERT with DA": "trained: our model, 3 epochs",
    "BERTScore recall": "vectors: BERTScore recall",
    "Sentence Transformer": "vectors: Sentence Transformer",
    "METEOR": "shared words: METEOR",
    "ROUGE-1 F1": "shared words: ROUGE-1 F1",
    "BLEU": "shared words: BLEU",
    "SARI": "shared words: SARI",
    "Source recall": "shared words: source recall",
    "Mean of the pair's collection": "no meaning: mean of the collection",
    "Length ratio": "no meaning: length ratio",
}
"""Rows of the figure that compares metrics with people, and their names there."""


def title(name: str) -> str:
    """How tables call a measure; what is no measure, such as a trained model, has its name already.

    Examples
    --------
    >>> title("bleu"), title("meaningbert-raw")
    ('BLEU', 'MeaningBERT shipped, uncalibrated')
    """
    own = {"meaningbert": "MeaningBERT shipped", "meaningbert-raw": "MeaningBERT shipped, uncalibrated"}
    return own.get(name) or (SPECIFICATIONS[name].title if name in SPECIFICATIONS else name)


def printed(row: str) -> dict[str, str]:
    """What the article's text says of a row of its Tables 5 and 6, by column; nothing where it is silent.

    A metric that the text does not put into the upper of its two groups by correlation belongs to the lower one.

    Examples
    --------
    >>> printed("LENS")["Pearson"], printed("BLEU")["Pearson"]
    ('(.5638)', '(below .21)')
    >>> printed("ROUGE-1 F1")["identical ≥ 99"]
    '(always the near-expected value)'
    """
    cells = published.by_place("meaningbert/text")

    def words(column: str) -> str:
        named = [one for one, what in cells if what == column and row.startswith(one)]
        return cells[max(named, key=len), column].text.replace("0.", ".") if named else ""

    exact = cells.get((row, "Pearson correlation"))
    group = f"{exact.value:.4f}"[1:] if exact else words("Group by Pearson correlation") or "below .21"
    positive = (row, "R2 positive") in cells
    identical = words("Identical sentences").partition(" compared")[0]
    said = {"Pearson": group, "R2": "positive" if positive else "not positive", "identical ≥ 99": identical}
    return {column: f"({text})" if text else "" for column, text in said.items()}


def known(items: pd.DataFrame) -> list[str]:
    """The measures that items have values of."""
    return [name for name in (*MEASURES, *SLOW) if name in items and items[name].notna().any()]


def has_rating(name: str) -> bool:
    """Whether a measure rates from 0 to 100; a school grade, as FKGL, does not."""
    return name != "fkgl"


def count(hits: ArrayLike) -> Estimate:
    """How many of several things are so; without an interval."""
    return Estimate(int(np.sum(hits)), np.nan, np.nan, len(hits))


def texts_of(pair: RatedPair) -> tuple[str, str]:
    """Source and candidate as pairs are compared by them."""
    return normalized(pair.source), normalized(pair.candidate)


# ------------------------------------------------------------------------------------------------ values of pairs


def rate(
    pairs: Iterable[tuple[str, str]], metrics: Sequence[str] = MEASURES, *, rater: str = "embedded", keep: bool = False
) -> pd.DataFrame:
    """Values of measures: ratings from 0 to 100 where a measure has them; more is always more alike.

    Parameters
    ----------
    pairs : iterable of (source, candidate)
        A pair that stands there twice is computed once.
    metrics : sequence of str
        Of `MEASURES` and `SLOW`.
    rater : str
        The MeaningBERT behind `RATERS`, as `nbhelpers.metrics.meaning_model.load_meaning_model` takes it.
    keep : bool
        Write finished parts to disk, so that a run that was stopped goes on.

    Returns
    -------
    DataFrame
        float32, a column for each measure; NaN where one refuses a pair.

    Examples
    --------
    >>> rate([("A cold rain fell.", "Rain fell.")], ["ter"])["ter"].tolist()
    [50.0]
    """
    pairs = [tuple(pair) for pair in pairs]
    distinct = [list(pair) for pair in dict.fromkeys(pairs)]
    work = functools.partial(_rated, metrics=list(metrics), rater=rater)
    signature = f"meaningbert|rater:{rater}|" + "|".join(metrics)
    rows = shards.map(work, distinct, signature=signature, shard_size=100) if keep else work(distinct)
    place = {tuple(pair): row for pair, row in zip(distinct, rows)}
    return pd.DataFrame([place[pair] for pair in pairs], columns=list(metrics), dtype="float32")


def _rated(pairs: list[list[str]], *, metrics: list[str], rater: str) -> list[list[float | None]]:
    sources, candidates = ([pair[side] for pair in pairs] for side in (0, 1))
    with sharing():
        columns = [_of_measure(name, rater, sources, candidates) for name in metrics]
    return [[None if value != value else round(float(value), 4) for value in row] for row in zip(*columns)]


def _of_measure(name: str, rater: str, sources: list[str], candidates: list[str]) -> NDArray[np.float64]:
    compute = _computer(name, rater)
    try:
        return compute(sources, candidates)
    except NbhelpersError:
        if len(sources) == 1:
            return np.array([np.nan])
        return np.concatenate([_of_measure(name, rater, [one], [other]) for one, other in zip(sources, candidates)])


@functools.lru_cache(maxsize=64)
def _computer(name: str, rater: str) -> Callable[[list[str], list[str]], NDArray[np.float64]]:
    if name in RATERS:
        calibration = _model(rater).calibration or meaning_model.Calibration()
        raw = functools.partial(_raw, rater)
        return raw if name == "meaningbert-raw" else lambda *texts: calibration(raw(*texts))
    metric = load(name)

    def compute(sources: list[str], candidates: list[str]) -> NDArray[np.float64]:
        values = metric(sources, candidates)
        ratings = metric.ratings(values)
        return ratings if ratings is not None else values if metric.higher_means_same else -values

    return compute


@functools.lru_cache(maxsize=2)
def _model(rater: str) -> meaning_model.MeaningModel:
    return meaning_model.load_meaning_model(rater)


@shared
def _raw(rater: str, sources: list[str], candidates: list[str]) -> NDArray[np.float64]:
    return _model(rater).raw(sources, candidates)


# ------------------------------------------------------------------------------------------- agreement with people


def source_sums(ratings: ArrayLike, people: ArrayLike, sources: ArrayLike, count: int = 0) -> NDArray[np.float64]:
    """What correlation and errors are made of, summed over the pairs of each source sentence: shape (sources, 7).

    With `count`, sources are numbers below it, and each of them has a line, also those without a pair.
    """
    given, wanted = np.asarray(ratings, dtype=np.float64), np.asarray(people, dtype=np.float64)
    number = np.asarray(sources) if count else np.unique(np.asarray(sources), return_inverse=True)[1]
    columns = np.ones_like(given), given, wanted, given**2, wanted**2, given * wanted, (given - wanted) ** 2
    return np.stack([np.bincount(number, weights=column, minlength=count) for column in columns], axis=1)


def pearson(totals: NDArray) -> NDArray:
    """Pearson's correlation from sums or means of `source_sums`, shape (…, 7)."""
    n, x, y, xx, yy, xy, _ = np.moveaxis(totals, -1, 0)
    return (n * xy - x * y) / np.sqrt((n * xx - x * x) * (n * yy - y * y))


def r_squared(totals: NDArray) -> NDArray:
    """Coefficient of determination of ratings, as `pearson`."""
    n, _, y, _, yy, _, error = np.moveaxis(totals, -1, 0)
    return 1 - error / (yy - y * y / n)


def rmse(totals: NDArray) -> NDArray:
    """Root of the mean square error of ratings, as `pearson`."""
    return np.sqrt(totals[..., -1] / totals[..., 0])


AGREEMENT: dict[str, Callable[[NDArray], NDArray]] = {"Pearson": pearson, "R2": r_squared, "RMSE": rmse}
"""The article's three measures of agreement."""


def asked(name: str, within: str | bool = "") -> dict[str, dict[str, Any]]:
    """Columns of a table of agreement, and the options that ask for each: `AGREEMENT`, and Pearson's with `within`."""
    found = {measure: {"measure": measure} for measure in AGREEMENT if measure == "Pearson" or has_rating(name)}
    return found | ({"Pearson within collections": {"within": within}} if within else {})


def centred(values: ArrayLike, groups: ArrayLike) -> NDArray[np.float64]:
    """Values with the mean of their group (the collection a pair is from) taken from each.

    Examples
    --------
    >>> centred([1, 3, 10, 20], ["a", "a", "b", "b"]).tolist()
    [-1.0, 1.0, -5.0, 5.0]
    """
    numbers = pd.Series(np.asarray(values, dtype=np.float64))
    return (numbers - numbers.groupby(np.asarray(groups)).transform("mean")).to_numpy()


def agreements(
    items: pd.DataFrame,
    names: Sequence[str],
    labels: str = "published",
    *,
    measure: str = "Pearson",
    within: str = "",
    resamples: int = 2000,
) -> Resampled:
    """How each of several measures agrees with people; source sentences, each with all its pairs, are resampled.

    Parameters
    ----------
    items : DataFrame
        Those that a measure has no value of are left out for all.
    names : sequence of str
    labels : str
        The column of people's ratings.
    measure : {"Pearson", "R2", "RMSE"}
    within : str
        A column; both sides are `centred` by it.
    resamples : int
    """
    items = items.dropna(subset=list(names))
    people, sums = items[labels], []
    for values in (items[name] for name in names):
        both = (values, people) if not within else [centred(side, items[within]) for side in (values, people)]
        sums.append(source_sums(*both, items["source"]))
    return means(np.stack(sums, axis=1), resamples=resamples).of(AGREEMENT[measure])


def with_people(items: pd.DataFrame, name: str, labels: str = "published", **options: Any) -> Estimate:
    """A measure's agreement with people; keywords of `agreements`."""
    return agreements(items, [name], labels, **options).estimate()


def difference(items: pd.DataFrame, first: str, second: str, labels: str = "published", **options: Any) -> Estimate:
    """What one measure's agreement has over another's, on the same pairs; keywords of `agreements`."""
    both = agreements(items, [first, second], labels, **options)
    return (both[:1] - both[1:]).estimate()


def gap(items: pd.DataFrame, labels: str = "published", **options: Any) -> Estimate:
    """Weakest of `VECTORS` minus strongest of `WORDS`: the smallest of all differences of two, tested jointly."""
    upper, lower = ([name for name in some if name in items] for some in (VECTORS, WORDS))
    both = agreements(items, upper + lower, labels, **options)
    pairs = [(i, len(upper) + j) for i in range(len(upper)) for j in range(len(lower))]
    first, second = ([one[side] for one in pairs] for side in (0, 1))
    return (both[first] - both[second]).smallest()
