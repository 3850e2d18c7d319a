"""The study's ten folds: train MeaningBERT on each, and measure it and every other metric in the same way."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import nbhelpers
from nbhelpers.base import shards
from nbhelpers.base.errors import InputError
from nbhelpers.base.stats import Estimate
from nbhelpers.metrics.meaning_model import Calibration
from nbhelpers.resources.csmd import (
    Csmd,
    RatedPair,
    SourceRatings,
    read_asset_ratings,
    read_csmd,
    read_source_ratings,
    read_word_soups,
)
from nbhelpers.studies.meaningbert.audits import restored
from nbhelpers.studies.meaningbert.layers import LowerLayers
from nbhelpers.studies.meaningbert.splits import Split, augment, construction_order, grouped_split, random_split
from nbhelpers.studies.meaningbert.training import TrainingSettings, lower_layers, predict, release, train

SEEDS = tuple(range(42, 52))
"""The study's ten seeds (section 3.4)."""

LABELS = ("published", "restored")
"""As published; or with the ratings of SimpDA-2022 and QuestEval back on the pairs that people gave them to."""

SPLITS = ("random", "grouped")
"""As the study splits; or with no source sentence in two parts."""


@dataclass(frozen=True)
class Fold:
    """One training: which of `LABELS` and `SPLITS`, with which additions to the training part, and which seed."""

    labels: str = "published"
    split: str = "random"
    augmented: bool = True
    seed: int = 42


@functools.lru_cache(maxsize=1)
def all_source_ratings() -> dict[str, SourceRatings]:
    """Ratings of CSMD's four collections, as `nbhelpers.resources.data` finds them."""
    return {**read_source_ratings(), "ASSET": read_asset_ratings()}


def labelled(csmd: Csmd, labels: str, sources: Mapping[str, SourceRatings]) -> tuple[RatedPair, ...]:
    """All pairs in the order of construction, so that `random_split` gives the study's folds, with chosen labels.

    Examples
    --------
    >>> csmd = read_csmd()  # doctest: +SKIP
    >>> len(labelled(csmd, "restored", all_source_ratings()))  # doctest: +SKIP
    1355
    """
    return construction_order(csmd) if labels == "published" else restored(csmd, sources)


def split_of(pairs: Sequence[RatedPair], split: str, seed: int) -> Split:
    """The parts of one fold.

    Examples
    --------
    >>> from nbhelpers.resources.csmd import RatedPair
    >>> pairs = [RatedPair(f"Sentence {row}.", "A sentence.", 50, row) for row in range(10)]
    >>> [len(part) for part in split_of(pairs, "random", 42)]
    [6, 1, 3]
    """
    if split == "grouped":
        return grouped_split([pair.source for pair in pairs], seed)
    return random_split(len(pairs), seed)


def all_folds(pairs: Sequence[RatedPair], split: str = "random") -> list[Split]:
    """The study's ten folds of pairs, which are in the order of construction."""
    return [split_of(pairs, split, seed) for seed in SEEDS]


def run_fold(fold: Fold, pairs: Sequence[RatedPair], settings: TrainingSettings, lower: LowerLayers) -> dict[str, Any]:
    """Train on one fold and rate its development and test part.

    Parameters
    ----------
    fold : Fold
    pairs : sequence of RatedPair
        From `labelled`.
    settings, lower
        As in `nbhelpers.studies.meaningbert.training.train`.

    Returns
    -------
    dict
        Raw ratings, ``dev`` and ``test``, in the order of the split; and ``seconds``.
    """
    started = time.perf_counter()
    training, dev, test = split_of(pairs, fold.split, fold.seed).parts(pairs)
    held_out = dev
    if fold.augmented:
        training = list(augment(training, seed=fold.seed))
        held_out = dev + [pair for kind in sanity_pairs(dev, fold.seed).values() for pair in kind]
    model, _ = train(training, held_out, settings, seed=fold.seed, lower=lower)
    result = {
        name: predict(model, lower, part, settings).round(4).tolist() for name, part in (("dev", dev), ("test", test))
    }
    release(model)
    return result | {"seconds": round(time.perf_counter() - started, 1)}


def run_folds(
    folds: list[dict[str, Any]], *, settings: TrainingSettings, data: str | None = None
) -> list[dict[str, Any]]:
    """`run_fold` for `nbhelpers.base.shards.map`; a fold is given as a dict.

    `data` is the folder of CSMD, by default where `nbhelpers.resources.data` finds it. Source ratings, which restored
    labels need, are always those that it finds.

    Examples
    --------
    >>> len(run_folds([{"seed": 42}], settings=TrainingSettings(epochs=1))[0]["test"])  # doctest: +SKIP
    407
    """
    lower, csmd = _cached_lower_layers(settings), _cached_csmd(data)
    results = []
    for fold in (Fold(**one) for one in folds):
        pairs = labelled(csmd, fold.labels, ratings_for(fold.labels))
        results.append(run_fold(fold, pairs, settings, lower))
    return results


def released_lists(csmd: Csmd, soups: Mapping[str, Sequence[RatedPair]]) -> dict[str, Sequence[RatedPair]]:
    """Lists of pairs that the authors' script tests on: three test parts, and the pairs of the sanity checks."""
    return {
        "plain": csmd.test,
        "with word soups": soups["test"],
        "with real sentences": csmd.augmented_test,
        "CSMD, identical": csmd.identical,
        "CSMD, unrelated": csmd.unrelated,
        "CSMD, word soup": soups["unrelated"],
    }


def run_released(
    runs: list[dict[str, Any]], *, settings: TrainingSettings, data: str | None = None
) -> list[dict[str, Any]]:
    """Train as the authors' script does, for `nbhelpers.base.shards.map`: on the released parts, plain or augmented.

    Parameters
    ----------
    runs : list of dict
        ``augmented`` (whether the parts have identical pairs and word soups, too) and ``seed`` (of the training).
    settings, data
        As in `run_folds`.

    Returns
    -------
    list of dict
        Raw ratings of each of `released_lists`, and ``seconds``.

    Examples
    --------
    >>> run_released([{"augmented": False, "seed": 42}], settings=TrainingSettings(epochs=1))  # doctest: +SKIP
    """
    lower, csmd, soups = _cached_lower_layers(settings), _cached_csmd(data), read_word_soups()
    results = []
    for run in runs:
        started = time.perf_counter()
        parts = (soups["train"], soups["dev"]) if run["augmented"] else (csmd.train, csmd.dev)
        model, _ = train(*parts, settings, seed=run["seed"], lower=lower)
        rated = {
            name: predict(model, lower, some, settings).round(4).tolist()
            for name, some in released_lists(csmd, soups).items()
        }
        results.append(rated | {"seconds": round(time.perf_counter() - started, 1)})
        release(model)
    return results


def train_ways(
    folds: int,
    further: int,
    recipe: int,
    settings: TrainingSettings,
    csmd: Csmd,
    *,
    data: str | None = None,
    workers: int = 1,
) -> dict[tuple[str, str, str], list[dict[str, Any]]]:
    """Train MeaningBERT on the first folds of several ways; what was trained before is read from disk.

    Parameters
    ----------
    folds : int
        Folds with and without augmentation in the study's own way, on published labels and random splits.
    further : int
        Folds of each other way of labels and splits, with augmentation.
    recipe : int
        Folds as the shipped model was trained: adapters on all layers, up to eight epochs.
    settings, csmd, data
        As in `run_folds`.
    workers : int
        Processes that share the trainings.

    Returns
    -------
    dict
        Results of `run_folds` by labels, split and kind: ``without DA``, ``with DA`` or ``with DA, all layers``.
    """
    every = [(labels, split) for labels in LABELS for split in SPLITS]
    counts = {(*every[0], kind): folds for kind in ("without DA", "with DA")}
    counts |= {(*way, "with DA"): further for way in every[1:]}
    counts |= {(*way, "with DA, all layers"): recipe for way in (every[0], every[-1])}
    found = {}
    for (labels, split, kind), count in counts.items():
        how = replace(settings, frozen_layers=0, epochs=8, patience=3) if kind.endswith("all layers") else settings
        plan = [asdict(Fold(labels, split, kind != "without DA", seed)) for seed in SEEDS[:count]]
        if plan:
            work = functools.partial(run_folds, settings=how, data=data)
            found[labels, split, kind] = _kept(work, plan, how, csmd, workers, f"{labels}, {split}, {kind}")
    return found


def train_released(
    seeds: int, settings: TrainingSettings, csmd: Csmd, *, data: str | None = None, workers: int = 1
) -> dict[str, list[dict[str, Any]]]:
    """`run_released` with so many seeds, ``with DA`` and ``without DA``; what was trained before is read from disk."""
    how = replace(settings, longest=384)  # word soups have many pieces
    plan = [{"augmented": augmented, "seed": seed} for seed in SEEDS[:seeds] for augmented in (True, False)]
    if not plan:
        return {}
    work = functools.partial(run_released, settings=how, data=data)
    results = _kept(work, plan, how, csmd, workers, "trainings on the released parts")
    return {"with DA": results[::2], "without DA": results[1::2]}


def _kept(work, plan: list[dict[str, Any]], how: TrainingSettings, csmd: Csmd, workers: int, description: str):
    signature = folds_signature(how, csmd)
    return shards.map(work, plan, shard_size=1, workers=workers, signature=signature, description=description)


def folds_signature(settings: TrainingSettings, csmd: Csmd) -> str:
    """One line that says how the folds were trained, with the revision of the encoder's weights.

    Examples
    --------
    >>> folds_signature(TrainingSettings(), read_csmd())[:20]  # doctest: +SKIP
    'meaningbert|encoder:'
    """
    revision = _cached_lower_layers(settings).base.revision
    made_by = f"data:{csmd.located.sha256[:8]}|v:{nbhelpers.__version__}"
    return f"meaningbert|{settings.signature}|weights:{revision}|{made_by}"


@functools.lru_cache(maxsize=1)
def _cached_lower_layers(settings: TrainingSettings) -> LowerLayers:
    return lower_layers(settings)


@functools.lru_cache(maxsize=1)
def _cached_csmd(folder: str | None) -> Csmd:
    return read_csmd(folder)


def ratings_for(labels: str) -> dict[str, SourceRatings]:
    """The source ratings that `labelled` needs: none for published labels, so that they may be missing."""
    return {} if labels == "published" else all_source_ratings()


def sanity_pairs(part: Sequence[RatedPair], seed: int) -> dict[str, list[RatedPair]]:
    """Identical and unrelated pairs made from the source sentences of a part, for calibration and checks."""
    added = augment(part, seed=seed)[len(part) :]
    return {kind: [pair for pair in added if pair.origin == kind] for kind in ("identical", "unrelated")}


# Measures -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Agreement:
    """How ratings agree with people's: Pearson's r, the coefficient of determination, and the root of the mean square
    error, the last two on the scale of 0 to 100 (NaN where a metric has no such scale)."""

    pearson: float
    r2: float
    rmse: float


def agreement(ratings: ArrayLike, people: ArrayLike, *, scaled: bool = True) -> Agreement:
    """Agreement of n ratings with n people's ratings.

    Raises
    ------
    InputError
        For shapes that differ, fewer than 3 pairs, a number that is not finite, or people's ratings that do not vary.
        Ratings that do not vary have no correlation (NaN), but an error.

    Examples
    --------
    >>> round(agreement([20, 40, 70], [10, 50, 60]).pearson, 3)
    0.901
    """
    given, wanted = np.asarray(ratings, dtype=np.float64), np.asarray(people, dtype=np.float64)
    if given.shape != wanted.shape or given.ndim != 1 or len(given) < 3:
        raise InputError("Agreement needs two lists of the same length, three numbers at least.")
    if not (np.isfinite(given).all() and np.isfinite(wanted).all()):
        raise InputError("A rating is not a finite number; a metric that failed must not enter a mean.")
    if np.ptp(wanted) == 0:
        raise InputError("People's ratings do not vary, so nothing can agree with them.")
    varies = np.ptp(given) > 1e-12 * max(1.0, float(np.abs(given).max()))
    pearson = float(np.corrcoef(given, wanted)[0, 1]) if varies else float("nan")
    if not scaled:
        return Agreement(pearson, float("nan"), float("nan"))
    squared = float(np.mean((given - wanted) ** 2))
    return Agreement(pearson, 1 - squared / float(np.var(wanted)), squared**0.5)


def least_squares(raw: ArrayLike, people: ArrayLike) -> Calibration:
    """The affine correction with the lowest squared error on a development part.

    Examples
    --------
    >>> least_squares([40, 50, 60], [0, 50, 100])([45]).round(1).tolist()
    [25.0]
    """
    given, wanted = np.asarray(raw, dtype=np.float64), np.asarray(people, dtype=np.float64)
    if np.ptp(given) == 0:
        return Calibration(0.0, float(wanted.mean()))
    slope, intercept = np.polyfit(given, wanted, 1)
    return Calibration(float(slope), float(intercept))


def anchored(identical: ArrayLike, unrelated: ArrayLike, share: float = 0.95) -> Calibration:
    """The affine correction that brings sanity pairs of a development part to the ends of the scale.

    It sends the rating that this share of the identical pairs reach to 95, and the one that this share of the unrelated
    pairs stay below to 5; what then lies outside 0 to 100 is cut.

    Raises
    ------
    InputError
        If the identical pairs are not rated above the unrelated ones at these points.
    """
    high, low = float(np.quantile(identical, 1 - share)), float(np.quantile(unrelated, share))
    if high <= low:
        raise InputError("Identical pairs are not rated above unrelated ones, so no correction can part them.")
    slope = 90 / (high - low)
    return Calibration(slope, 5 - slope * low)


def over_folds(values: Sequence[float]) -> tuple[float, float, int]:
    """Mean, standard deviation (of a sample) and number of the folds, as the study's Table 5 gives them.

    Raises
    ------
    InputError
        For a value that is not finite: a failed fold is not a zero in the mean.

    Examples
    --------
    >>> over_folds([0.5, 0.5])
    (0.5, 0.0, 2)
    """
    numbers: NDArray[np.float64] = np.asarray(values, dtype=np.float64)
    if not len(numbers) or not np.isfinite(numbers).all():
        raise InputError("A mean over folds needs a finite number from every fold.")
    return float(numbers.mean()), float(numbers.std(ddof=1)) if len(numbers) > 1 else 0.0, len(numbers)


def fold_interval(folds: tuple[float, float, int], tested: int, trained: int) -> Estimate:
    """A mean over random folds with an interval that allows for what the folds share.

    Test parts drawn again and again from one collection overlap, and so do the parts that are learned from: the plain
    error of the mean is too small. The corrected resampled t-test adds tested / trained to 1 / folds (Nadeau and
    Bengio, 2003, *Inference for the generalization error*, section 4).

    Parameters
    ----------
    folds : tuple
        Mean, standard deviation and number of folds, at least 2, as `over_folds` gives them.
    tested, trained : int
        Pairs in the test part and in the training part of a fold.

    Returns
    -------
    Estimate
        With a 95 % interval; its n is `tested`, and its p-value is that of a mean of 0.

    Examples
    --------
    >>> print(fold_interval((0.45, 0.04, 10), tested=407, trained=853))
    0.45 [0.381, 0.519], n=407, p<0.001
    """
    from scipy.stats import t as student

    mean, deviation, count = folds
    error = deviation * math.sqrt(1 / count + tested / trained)
    reach = float(student.ppf(0.975, count - 1)) * error
    p_value = 2 * float(student.sf(abs(mean) / error, count - 1)) if error else float(mean == 0)
    return Estimate(mean, mean - reach, mean + reach, tested, p_value)


FoldMean = tuple[float, float, int]
"""Mean, standard deviation and number of folds."""


def summarise(
    folds: Sequence[tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike]], *, scaled: bool = True
) -> dict[str, FoldMean]:
    """Summarise folds, each given as (ratings of dev, people on dev, ratings of test, people on test).

    Parameters
    ----------
    folds : sequence of tuples of arrays
    scaled : bool
        False where the values are no ratings of 0 to 100.

    Returns
    -------
    dict of str to (mean, standard deviation, folds)
        ``Pearson``; ``R2`` and ``RMSE`` of the ratings as they are (only if `scaled`); ``R2 calibrated`` and
        ``RMSE calibrated`` after the affine correction fitted on the development part of each fold.

    Raises
    ------
    InputError
        As `agreement`, and if a metric gives all pairs of a fold the same value, so that nothing correlates.

    Examples
    --------
    >>> fold = ([20, 40, 60], [0, 50, 100], [25, 45, 50], [12, 62, 75])
    >>> mean, _, folds = summarise([fold, fold])["Pearson"]
    >>> round(mean, 3), folds
    (1.0, 2)
    """
    plain = [agreement(test, people, scaled=scaled) for _, _, test, people in folds]
    mended = [agreement(least_squares(dev, dev_people)(test), people) for dev, dev_people, test, people in folds]
    columns = {"Pearson": [one.pearson for one in plain]}
    if scaled:
        columns |= {"R2": [one.r2 for one in plain], "RMSE": [one.rmse for one in plain]}
    columns |= {"R2 calibrated": [one.r2 for one in mended], "RMSE calibrated": [one.rmse for one in mended]}
    return {column: over_folds(values) for column, values in columns.items()}


def centred(values: ArrayLike, groups: Sequence[str]) -> NDArray[np.float64]:
    """Values with the mean of their group (the collection a pair is from) taken from each.

    Examples
    --------
    >>> centred([1, 3, 10, 20], ["a", "a", "b", "b"]).tolist()
    [-1.0, 1.0, -5.0, 5.0]
    """
    numbers, named = np.array(values, dtype=np.float64), np.asarray(groups)
    for group in np.unique(named):
        numbers[named == group] -= numbers[named == group].mean()
    return numbers


def each_fold(
    folds: Sequence[tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike]],
    measure: str = "pearson",
    groups: Sequence[Sequence[str]] | None = None,
) -> NDArray[np.float64]:
    """One number of `agreement` for the test part of each fold, to be compared fold by fold with another metric's.

    Parameters
    ----------
    folds : sequence of tuples of arrays
        As for `summarise`.
    measure : {"pearson", "r2", "rmse"}
        The last two are for ratings of 0 to 100.
    groups : sequence of sequence of str, optional
        For each fold the groups of its test pairs; ratings of both sides are then compared within groups (`centred`).

    Returns
    -------
    numpy.ndarray, float64, shape (folds,)

    Raises
    ------
    InputError
        As `agreement`.

    Examples
    --------
    >>> each_fold([([], [], [1, 2, 3], [10, 20, 30]), ([], [], [3, 2, 1], [10, 20, 30])]).round(3).tolist()
    [1.0, -1.0]
    """
    values = []
    for number, (_, _, test, people) in enumerate(folds):
        if groups is not None:
            test, people = centred(test, groups[number]), centred(people, groups[number])
        values.append(getattr(agreement(test, people), measure))
    return np.array(values)


def folds_of_group_means(
    groups: Sequence[str], people: ArrayLike, parts: Sequence[Split]
) -> list[tuple[NDArray, NDArray, NDArray, NDArray]]:
    """What `summarise` takes, for a predictor that knows nothing of a pair but its group (the collection it is from).

    It answers the group's mean rating in the training part, or the mean of that part for a group that is not in it.

    Examples
    --------
    >>> part = Split(train=(0, 1), dev=(2,), test=(3,))
    >>> folds_of_group_means(["a", "b", "a", "b"], [10, 90, 20, 80], [part])[0][2].tolist()
    [90.0]
    """
    named, wanted = np.asarray(groups), np.asarray(people, dtype=np.float64)
    folds = []
    for part in parts:
        learned, ratings = named[list(part.train)], wanted[list(part.train)]
        means = {name: ratings[learned == name].mean() for name in set(learned)}
        folds += folds_of_metric([means.get(name, ratings.mean()) for name in named], wanted, [part])
    return folds


def folds_of_metric(
    values: ArrayLike, people: ArrayLike, parts: Sequence[Split]
) -> list[tuple[NDArray, NDArray, NDArray, NDArray]]:
    """What `summarise` takes, for a metric that needs no training: n values and n people's ratings, and the splits.

    Examples
    --------
    >>> part = Split(train=(0,), dev=(1,), test=(2,))
    >>> [side.tolist() for side in folds_of_metric([0.1, 0.2, 0.3], [10, 20, 30], [part])[0]]
    [[0.2], [20.0], [0.3], [30.0]]
    """
    given, wanted = np.asarray(values, dtype=np.float64), np.asarray(people, dtype=np.float64)
    return [
        (given[list(part.dev)], wanted[list(part.dev)], given[list(part.test)], wanted[list(part.test)])
        for part in parts
    ]
