"""``meaningbert-trained``: MeaningBERT trained on folds of CSMD, and what each trained model gives for its test pairs.

One line per model and pair: ``labels``, ``split``, ``augmented`` and ``seed`` of the fold, ``part`` (`dev` or `test`;
`sanity` for the lists of ``meaningbert-sanity``), ``item`` (the pair's number there or in ``meaningbert-csmd``) and
``rating``, not calibrated and not cut. The folds themselves follow from seeds, so that everything that compares a
trained model with a metric or with people is computed from the items of both tables.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from nbhelpers.base import shards
from nbhelpers.base.errors import InputError
from nbhelpers.base.stats import Estimate, means
from nbhelpers.metrics.meaning_model import Calibration
from nbhelpers.resources.csmd import Csmd, RatedPair, read_csmd, read_word_soups
from nbhelpers.results import estimates, evidence
from nbhelpers.results.evidence import Run
from nbhelpers.studies.meaningbert import measures, splits
from nbhelpers.studies.meaningbert.audits import all_source_ratings, restored
from nbhelpers.studies.meaningbert.sanity.checks import SOUP, csmd_pairs, named_shares
from nbhelpers.studies.meaningbert.training import TrainingSettings, lower_layers, predict, release, train

SEEDS = tuple(range(42, 52))
"""The study's ten seeds (section 3.4)."""

LABELS = ("published", "restored")
"""As published; or with the ratings of SimpDA-2022 and QuestEval back on the pairs that people gave them to."""

SPLITS = ("random", "grouped", "soups")
"""As the study splits; with no source sentence in two parts; or the parts first released, with or without soups."""

WITH, WITHOUT, COLLECTION = "MeaningBERT with DA", "MeaningBERT without DA", "Mean of the pair's collection"
"""What `over_folds` compares beside the measures: models with and without augmentation, and the mean of the ratings
that a pair's collection has in the training part."""


RIVALS = ("sentence-transformer", "bertscore-recall", "length-ratio")
"""Untrained metrics that a trained one is compared with, fold by fold."""


@dataclass(frozen=True)
class Fold:
    """One training: which of `LABELS` and `SPLITS`, with which additions to the training part, and which seed."""

    labels: str = "published"
    split: str = "random"
    augmented: bool = True
    seed: int = 42


@functools.lru_cache(64)
def split_of(sources: tuple[str, ...], split: str, seed: int) -> splits.Split:
    """The parts of one fold of pairs with these source sentences.

    Examples
    --------
    >>> [len(part) for part in split_of(tuple("ABCDEFGHIJ"), "random", 42)]
    [6, 1, 3]
    """
    return splits.grouped_split(sources, seed) if split == "grouped" else splits.random_split(len(sources), seed)


def parts_of(csmd: Csmd, labels: str, split: str, seed: int) -> tuple[list[RatedPair], ...]:
    """Training, development and test pairs of one fold; the study's own folds where labels are published.

    Examples
    --------
    >>> [len(part) for part in parts_of(read_csmd(), "restored", "random", 42)]  # doctest: +SKIP
    [853, 95, 407]
    """
    pairs = splits.construction_order(csmd) if labels == "published" else restored(csmd, all_source_ratings())
    return split_of(tuple(pair.source for pair in pairs), split, seed).parts(pairs)


def sanity_pairs(part: Sequence[RatedPair], seed: int) -> dict[str, list[RatedPair]]:
    """Identical and unrelated pairs made from the source sentences of a part, for calibration and checks."""
    added = splits.augment(part, seed=seed)[len(part) :]
    return {kind: [pair for pair in added if pair.origin == kind] for kind in ("identical", "unrelated")}


# ---------------------------------------------------------------------------------------------------------- trainings


def run(folds: Sequence[Fold], settings: TrainingSettings = TrainingSettings(epochs=3)) -> pd.DataFrame:
    """Train on folds of CSMD and rate their parts; a training that was done before is read from disk.

    Examples
    --------
    >>> len(run([Fold()]))  # doctest: +SKIP
    502
    """
    csmd = read_csmd()
    signature = f"meaningbert|{settings.signature}|data:{csmd.located.sha256[:8]}"
    work = functools.partial(_trained, settings=settings)
    results = shards.map(work, [asdict(fold) for fold in folds], shard_size=1, signature=signature)
    parts, sources = [], tuple(pair.source for pair in splits.construction_order(csmd))
    for fold, result in zip(folds, results):
        split = split_of(sources, fold.split, fold.seed)
        places = {"dev": split.dev, "test": split.test, "sanity": range(len(result.get("sanity", ())))}
        for part, ratings in result.items():
            parts.append(pd.DataFrame({**asdict(fold), "part": part, "item": places[part], "rating": ratings}))
    items = pd.concat(parts, ignore_index=True)
    return items.astype({"item": "int16", "seed": "int16", "rating": "float32"})


def _trained(folds: list[dict[str, Any]], *, settings: TrainingSettings) -> list[dict[str, list[float]]]:
    """Raw ratings of each fold's parts, for `shards.map`."""
    lower, csmd = _lower_layers(settings), read_csmd()
    results = []
    for fold in (Fold(**one) for one in folds):
        began = time.perf_counter()
        if fold.split == "soups":
            training, held_out, rated = _released(csmd, fold.augmented)
        else:
            training, dev, test = parts_of(csmd, fold.labels, fold.split, fold.seed)
            held_out, rated = dev, {"dev": dev, "test": test}
            if fold.augmented:
                training = list(splits.augment(training, seed=fold.seed))
                held_out = dev + [pair for kind in sanity_pairs(dev, fold.seed).values() for pair in kind]
        model, _ = train(training, held_out, settings, seed=fold.seed, lower=lower)
        results.append({part: predict(model, lower, own).round(4).tolist() for part, own in rated.items()})
        release(model)
        print(f"{fold}: {time.perf_counter() - began:.0f} s", flush=True)
    return results


def _released(csmd: Csmd, augmented: bool) -> tuple[list[RatedPair], list[RatedPair], dict[str, list[RatedPair]]]:
    """The parts first released, as the authors' script trains and tests on them, or only their rated pairs."""
    soups, rated = read_word_soups(), set(map(measures.texts_of, csmd.pairs))
    parts = [
        [pair for pair in soups[part] if augmented or measures.texts_of(pair) in rated] for part in ("train", "dev")
    ]
    lists = csmd_pairs(csmd, soups)
    sanity = [RatedPair(*one) for one in zip(lists["text"], lists["candidate"], lists["people"], lists["item"])]
    return *parts, {"sanity": sanity}


_lower_layers = functools.lru_cache(maxsize=1)(lower_layers)


def record(
    labels: str = "published", split: str = "random", augmented: bool = True, folds: int = 10, dtype: str = "bfloat16"
) -> tuple[pd.DataFrame, Run]:
    """Items of the first folds of one way to train; with word soups, whose pairs are longer, there is one."""
    settings = TrainingSettings(epochs=3, dtype=dtype, longest=384 if split == "soups" else 256)
    items = run([Fold(labels, split, augmented, seed) for seed in SEEDS[:folds]], settings)
    items = items.astype(dict.fromkeys(("labels", "split", "part"), "category"))
    way = f"{labels}|{split}|{'with' if augmented else 'without'} DA|{settings.signature}"
    data = read_csmd().located.identity
    return items, Run("all-MiniLM-L6-v2, adapters", _lower_layers(settings).base.identity, data, way)


# ----------------------------------------------------------------------------------------------- agreement in folds


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


def ratings_in_fold(
    system: str, csmd: pd.DataFrame, trained: pd.DataFrame, split: splits.Split, labels: str, seed: int
) -> NDArray[np.float64] | None:
    """What a measure, a trained model of this fold (`WITH`, `WITHOUT`) or `COLLECTION` gives for the test part.

    `trained` has models of one kind of split only; None where there is none of these labels and this seed.
    """
    test = list(split.test)
    if system == COLLECTION:
        learned = csmd.iloc[list(split.train)]
        means = learned.groupby("collection", observed=True)[labels].mean()
        return csmd["collection"].iloc[test].astype(str).map(means).fillna(learned[labels].mean()).to_numpy()
    if system not in (WITH, WITHOUT):
        return csmd[system].to_numpy(dtype=np.float64)[test]
    own = trained[(trained["part"] == "test") & (trained["labels"] == labels) & (trained["seed"] == seed)]
    own = own[own["augmented"] == (system == WITH)]
    return own.set_index("item")["rating"].loc[test].to_numpy(dtype=np.float64) if len(own) else None


def over_folds(
    system: str,
    csmd: pd.DataFrame,
    trained: pd.DataFrame,
    *,
    minus: str = "",
    measure: str = "Pearson",
    labels: str = "published",
    minus_labels: str = "",
    judged: str = "",
    split: str = "random",
    within: bool = False,
    leaking: bool = False,
    resamples: int = 1000,
) -> Estimate:
    """Agreement with people, mean over the folds' test parts, or the difference of two systems on the same folds.

    Source sentences, each with all its pairs, are resampled, and every fold is computed anew: folds overlap, so that
    they are no independent items. Models stay as they were trained: chance in training is not covered.

    Parameters
    ----------
    system, minus : str
        A measure's column, `WITH`, `WITHOUT` or `COLLECTION`; `minus` is taken from it. Folds without a model are left
        out.
    csmd, trained : DataFrame
        Items of ``meaningbert-csmd`` and ``meaningbert-trained``.
    measure : {"Pearson", "R2", "RMSE"}
    labels, judged : str
        On which of `LABELS` models were trained, and by which they are judged (default: the same).
    minus_labels : str
        On which labels a model that is taken away was trained (default: the same); without `minus` it is `system`.
    split : {"random", "grouped"}
    within : bool
        Compare within collections: both sides with the means of their collection taken away.
    leaking : bool
        What is found on test pairs whose source is in the training part, minus the same on the other test pairs.

    Raises
    ------
    InputError
        No fold has all that is compared.
    """
    sides = [(system, labels), *([(minus or system, minus_labels or labels)] if minus or minus_labels else [])]
    trained = trained[trained["split"] == split]
    source, collection = csmd["source"].to_numpy(), csmd["collection"].astype("category").cat.codes.to_numpy()
    people = csmd[judged or labels].to_numpy(dtype=np.float64)
    count, sources = int(source.max()) + 1, tuple(map(str, source))
    folds = []  # of each fold, for each side
    for seed in SEEDS:
        parts = split_of(sources, split, seed)
        test = list(parts.test)
        given = [ratings_in_fold(one, csmd, trained, parts, its, seed) for one, its in sides]
        if any(one is None for one in given):
            continue
        rated = people[test]
        if within:
            *given, rated = (measures.centred(one, collection[test]) for one in (*given, rated))
        seen = np.isin(source[test], source[list(parts.train)])
        folds.append(
            [
                measures.source_sums(one[chosen], rated[chosen], source[test][chosen], count)
                for chosen in ((seen, ~seen) if leaking else (np.full(len(test), True),))
                for one in given
            ]
        )
    if not folds:
        raise InputError(f"no model was trained on {labels} labels and {split} folds for {system} {minus}".rstrip())
    agree = measures.AGREEMENT[measure]
    found = [
        means(np.stack(sums, axis=1), resamples=resamples).of(lambda mean: agree(mean).mean(axis=-1))
        for sums in zip(*folds)
    ]
    leads = [one - other for one, other in zip(found[::2], found[1::2])] if len(sides) == 2 else found
    covered = int((sum(map(sum, folds))[:, 0] > 0).sum())
    variant = f"{len(folds)} split{'s' * (len(folds) > 1)}"
    return replace((leads[0] - leads[1] if leaking else leads[0]).estimate(), n=covered, variant=variant)


@estimates.tabled
def summary(
    csmd: pd.DataFrame, trained: pd.DataFrame, labels: str = "published", *, resamples: int = 1000
) -> estimates.Rows:
    """Table 5: every system's agreement with people, mean over the folds, or over those that a model was trained on.

    Returns
    -------
    DataFrame
        Estimates; columns ``Pearson``, ``R2``, ``RMSE`` and ``Pearson within collections``.
    """
    own = trained[(trained["labels"] == labels) & (trained["split"] == "random")]
    systems = [name for name in measures.known(csmd) if name not in measures.RATERS and csmd[name].notna().all()]
    systems.append(COLLECTION)
    systems += [name for name in (WITHOUT, WITH) if (own["augmented"] == (name == WITH)).any()]
    for system in systems:
        for column, how in measures.asked(system, within=system != COLLECTION).items():
            value = over_folds(system, csmd, trained, labels=labels, **how, resamples=resamples)
            yield {"row": measures.title(system), "column": column, "value": value}


@estimates.tabled
def gains(
    csmd: pd.DataFrame, trained: pd.DataFrame, rivals: Sequence[str] = RIVALS, resamples: int = 1000
) -> estimates.Rows:
    """What the training with augmentation adds to metrics that are not trained on ratings, paired by fold.

    Returns
    -------
    DataFrame
        Estimates; a row for each way of labels that was trained (``published``, ``published → restored``: trained on
        one, judged by the other), and columns such as ``Sentence Transformer`` and ``Sentence Transformer, within``.
    """
    for (labels, split), own in trained[trained["part"] == "test"].groupby(["labels", "split"], observed=True):
        if not own["augmented"].any():
            continue
        for judged in dict.fromkeys([labels, "restored"]):
            row = (labels if judged == labels else f"{labels} → {judged}") + (", grouped" if split == "grouped" else "")
            options = {"labels": labels, "judged": judged, "split": split, "resamples": resamples}
            for rival, within, column in _compared(rivals):
                value = over_folds(WITH, csmd, trained, minus=rival, within=within, **options)
                yield {"row": row, "column": column, "value": value}


def _compared(rivals: Sequence[str]) -> Iterator[tuple[str, bool, str]]:
    """Each rival over all pairs and within collections (not their means), and what tables call that."""
    for rival in rivals:
        yield rival, False, measures.title(rival)
        if rival != COLLECTION:
            yield rival, True, f"{measures.title(rival)}, within"


def test_part(csmd: pd.DataFrame, trained: pd.DataFrame) -> pd.DataFrame:
    """The test part of the published split, where the shipped MeaningBERT can be judged.

    Returns
    -------
    DataFrame
        Items of ``meaningbert-csmd`` with three more columns: `WITH` (what the model of this split gives, trained on
        restored labels) and `COLLECTION`, and ``new``: whether no pair of the training part has the same source.
    """
    seed = splits.PUBLISHED_SEED
    split, own = split_of(tuple(csmd["source"].map(str)), "random", seed), trained[trained["split"] == "random"]
    columns = {name: ratings_in_fold(name, csmd, own, split, "restored", seed) for name in (WITH, COLLECTION)}
    test = csmd.iloc[list(split.test)]
    return test.assign(**columns, new=~test["source"].isin(csmd["source"].iloc[list(split.train)]))


WAYS = {
    "shipped": "shipped, all {pairs} test pairs",
    "shipped, new": "shipped, the {pairs} pairs with a source new to training",
    "restored": "three epochs, corrected labels",
    "restored, grouped": "three epochs, corrected labels, only new source sentences",
    "published": "three epochs, published labels",
    "published → restored": "three epochs on published labels, judged by corrected ones",
}
"""Ways to train and to judge, as `training_adds` names them."""


@estimates.tabled
def training_adds(csmd: pd.DataFrame, trained: pd.DataFrame, resamples: int = 1000) -> estimates.Rows:
    """Correlation of trained models minus that of others, on the same test pairs: a row for each rival.

    Returns
    -------
    DataFrame
        Estimates; rows such as ``minus BLEU`` and ``minus BLEU, within``, columns of `WAYS` with splits and n.
    """
    test, rivals = test_part(csmd, trained), (*RIVALS, "source-recall", COLLECTION)
    for way, own in {"shipped": test, "shipped, new": test[test["new"]]}.items():
        for rival, within, name in _compared((*rivals, WITH)):
            how = {"within": "collection" if within else "", "resamples": resamples}
            value = measures.difference(own, "meaningbert", rival, "restored", **how)
            column = f"{WAYS[way].format(pairs=len(own))}, 1 split (n = {value.n})"
            yield {"row": f"minus {name}", "column": column, "value": value}
    gained = gains(csmd, trained, rivals, resamples)
    for way in WAYS:
        for one in gained[gained["row"] == way].itertuples():
            folds = int(one.variant.split()[0])
            column = f"{WAYS[way]}, {folds} split{'s' * (folds > 1)} (n = {one.n})"
            value = Estimate(one.value, one.low, one.high, one.n, p=one.p, variant=one.variant)
            yield {"row": f"minus {one.column}", "column": column, "value": value}


@estimates.tabled
def test_parts(sanity: pd.DataFrame, trained: pd.DataFrame, resamples: int = 1000) -> estimates.Rows:
    """Every system on the test part first released: its rated pairs alone (``plain``), and with its easy pairs.

    The shipped MeaningBERT is left out: its training part holds many of the pairs.
    """
    own = sanity[sanity["list"] == "test-soup"].set_index("item")
    systems = {name: own[name] for name in measures.known(own) if name not in measures.RATERS}
    systems |= _trained_on_released(trained, own)
    for name, values in systems.items():
        for column, chosen in (("plain", own["kind"] == "rated"), ("with word soups", values.notna())):
            some = own[chosen].assign(value=values)
            for measure in measures.asked(name):
                value = measures.with_people(some, "value", "people", measure=measure, resamples=resamples)
                yield {"row": measures.title(name), "column": f"{measure}, {column}", "value": value}


@estimates.tabled
def checks(sanity: pd.DataFrame, trained: pd.DataFrame) -> estimates.Rows:
    """Tables 6 and 7 for the models trained on the parts first released; ratings are cut to 0 to 100."""
    own = sanity[sanity["list"] == "csmd"].set_index("item")
    for name, values in _trained_on_released(trained, own).items():
        for kind in ("identical", "unrelated", SOUP):
            for column, value in named_shares(values[own["kind"] == kind].clip(0, 100), kind):
                yield {"row": name, "column": column, "value": value}


def _trained_on_released(trained: pd.DataFrame, own: pd.DataFrame) -> dict[str, pd.Series]:
    """What the models trained on the parts first released give for items of ``meaningbert-sanity``."""
    released = trained[(trained["split"] == "soups") & (trained["part"] == "sanity")]
    return {
        WITH if augmented else WITHOUT: part.set_index("item")["rating"].reindex(own.index)
        for augmented, part in released.groupby("augmented")
    }


TABLES = {"meaningbert/table5": lambda trained: summary(evidence.load("meaningbert-csmd"), trained)}
