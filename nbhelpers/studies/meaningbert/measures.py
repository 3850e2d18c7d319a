"""The study's metrics: which there are, what they give for pairs, and how that agrees with people's ratings."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from nbhelpers.base import shards
from nbhelpers.base.errors import NbhelpersError
from nbhelpers.base.stats import Estimate, bootstrap, paired_bootstrap
from nbhelpers.metrics import SPECIFICATIONS, load, meaning_model
from nbhelpers.metrics.metric import shared, sharing

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

FAST = tuple(name for name in (*WORDS, *TRIVIAL) if name != "ter")
"""Measures that take no longer than counting words."""

ARTICLE = (*VECTORS, *(name for name in WORDS if not name.endswith(("precision", "recall")) and name != "fkgl"))
"""The article's metrics that have a rating and run here, one for each of its rows (F1 of each ROUGE)."""

TABLE5 = (
    "FKGL|BERTScore precision|BERTScore recall|BERTScore F1|BLANC|BLEU|AM of BLEU and SAMSA|GM of BLEU and SAMSA|"
    "BLEURT|Coverage|iBLEU|FKBLEU|LENS|METEOR|QuestEval|ROUGE-1 F1|ROUGE-2 F1|ROUGE-L F1|SARI|Sentence Transformer|TER|"
    "MeaningBERT without DA|MeaningBERT with DA"
).split("|")
"""The rows of the article's Tables 5 to 7; it does not say which ROUGE it means."""

_NO_RATING = {"fkgl"}


def title(name: str) -> str:
    """How tables call a measure.

    Examples
    --------
    >>> title("bleu"), title("meaningbert-raw")
    ('BLEU', 'MeaningBERT shipped, uncalibrated')
    """
    own = {"meaningbert": "MeaningBERT shipped", "meaningbert-raw": "MeaningBERT shipped, uncalibrated"}
    return own.get(name) or SPECIFICATIONS[name].title


def known(items: pd.DataFrame) -> list[str]:
    """The measures that items have values of."""
    return [name for name in MEASURES if name in items and items[name].notna().any()]


def has_rating(name: str) -> bool:
    """Whether a measure rates from 0 to 100; a school grade, as FKGL, does not."""
    return name not in _NO_RATING


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
        Of `MEASURES`.
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


def _totals(sums: NDArray) -> NDArray:
    """Seven totals for each of k lists that stand side by side: shape (7, k)."""
    return sums.sum(axis=0).reshape(-1, 7).T


def correlations(sums: NDArray) -> NDArray:
    """Pearson's correlation of each of the lists that stand side by side in `source_sums`."""
    n, x, y, xx, yy, xy, _ = _totals(sums)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (n * xy - x * y) / np.sqrt((n * xx - x * x) * (n * yy - y * y))


def pearson(sums: NDArray) -> float:
    """Pearson's correlation from `source_sums`; of several lists side by side the mean."""
    return float(correlations(sums).mean())


def r_squared(sums: NDArray) -> float:
    """Coefficient of determination of ratings, as `pearson`."""
    n, _, y, _, yy, _, error = _totals(sums)
    return float((1 - error / (yy - y * y / n)).mean())


def rmse(sums: NDArray) -> float:
    """Root of the mean square error of ratings, as `pearson`."""
    n, *_, error = _totals(sums)
    return float(np.sqrt(error / n).mean())


AGREEMENT: dict[str, Callable[[NDArray], float]] = {"Pearson": pearson, "R2": r_squared, "RMSE": rmse}
"""The article's three measures of agreement."""


def centred(values: ArrayLike, groups: ArrayLike) -> NDArray[np.float64]:
    """Values with the mean of their group (the collection a pair is from) taken from each.

    Examples
    --------
    >>> centred([1, 3, 10, 20], ["a", "a", "b", "b"]).tolist()
    [-1.0, 1.0, -5.0, 5.0]
    """
    numbers = pd.Series(np.asarray(values, dtype=np.float64))
    return (numbers - numbers.groupby(np.asarray(groups)).transform("mean")).to_numpy()


def sums_of(items: pd.DataFrame, name: str, labels: str = "published", within: str = "") -> NDArray[np.float64]:
    """`source_sums` of a measure's values and the column `labels`, both `centred` by the column `within`, if given."""
    values, people = items[name], items[labels]
    if within:
        values, people = (centred(side, items[within]) for side in (values, people))
    return source_sums(values, people, items["source"])


def with_people(
    items: pd.DataFrame, name: str, labels: str = "published", resamples: int = 1000, within: str = ""
) -> Estimate:
    """Pearson's correlation of a measure with people; source sentences, each with all its pairs, are resampled."""
    return bootstrap(sums_of(items, name, labels, within), pearson, resamples=resamples)


def difference(
    items: pd.DataFrame,
    first: str,
    second: str,
    labels: str = "published",
    resamples: int = 1000,
    *,
    statistic: Callable[[NDArray], float] = pearson,
    within: str = "",
) -> Estimate:
    """Difference of two measures' correlations with people (or another of `AGREEMENT`), on the same sources."""
    sums = [sums_of(items, name, labels, within) for name in (first, second)]
    return paired_bootstrap(*sums, statistic=statistic, resamples=resamples)


def gap(items: pd.DataFrame, labels: str = "published", resamples: int = 1000) -> Estimate:
    """Correlation of the weakest of `VECTORS` minus that of the strongest of `WORDS`, chosen anew in each resample."""
    upper, lower = ([name for name in some if name in items] for some in (VECTORS, WORDS))

    def apart(sums: NDArray) -> float:
        values = correlations(sums)
        return float(values[: len(upper)].min() - values[len(upper) :].max())

    sums = np.hstack([sums_of(items, name, labels) for name in upper + lower])
    return bootstrap(sums, apart, resamples=resamples)
