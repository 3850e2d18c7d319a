"""Graded checks: whether the ratings of a metric tell edits that change the meaning from edits that keep it."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nbhelpers.base.errors import InputError
from nbhelpers.base.stats import Estimate, roc_auc_interval
from nbhelpers.metrics import Metric, load_all, score_all
from nbhelpers.studies.meaningbert.sanity.edits import KINDS, edits
from nbhelpers.studies.meaningbert.sanity.swaps import names_in

DOSES = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class GradedEdit:
    """Sentences under rising doses of one edit.

    Attributes
    ----------
    kind, title : str
    meaning : {"changes", "kept"}
    unit : str
        What the dose is a share of.
    doses : tuple of float
    sources : tuple of str
        The sentences that the edit can be made on at every dose and at dose 1, so that all doses have the same ones.
    candidates : tuple of tuple of str
        For each dose the edited sentences, in the order of `sources`.
    """

    kind: str
    title: str
    meaning: str
    unit: str
    doses: tuple[float, ...]
    sources: tuple[str, ...]
    candidates: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class RatedEdits:
    """Graded edits with a metric's ratings.

    Attributes
    ----------
    unit : {"rating", "value"}
        Ratings of 0 to 100, or the metric's own values where it has no ratings.
    higher_means_same : bool
        Always True for ratings.
    edits : tuple of GradedEdit
    values : tuple of arrays (doses, sentences), float64
        One for each edit.
    """

    unit: str
    higher_means_same: bool
    edits: tuple[GradedEdit, ...]
    values: tuple[NDArray[np.float64], ...]


def graded_edits(
    sentences: Sequence[str],
    doses: Sequence[float] = DOSES,
    seed: int = 0,
    *,
    kinds: Sequence[str] = KINDS,
) -> list[GradedEdit]:
    """Every sentence under every dose of every kind of edit.

    The generator of a sentence depends on the seed, the kind and the text, not on the dose or the other sentences: a
    larger dose edits the same words and more.

    Parameters
    ----------
    sentences : sequence of str
        One sentence each.
    doses : sequence of float
        Distinct, each in [0, 1].
    seed : int
    kinds : sequence of str
        Of `KINDS`.
        Names are swapped for those of the other sentences.

    Raises
    ------
    InputError
        For no sentences, an empty one (with its row), a dose outside [0, 1] or given twice, or an unknown kind.

    Examples
    --------
    >>> (edit,) = graded_edits(["He came and left early.", "She sold her boat."], [0.5, 1.0], kinds=["truncated"])
    >>> edit.candidates[1]
    ('He', 'She')
    """
    if isinstance(sentences, str) or not sentences:
        raise InputError("Give a list of one sentence or more.")
    for row, text in enumerate(sentences, start=1):
        if not isinstance(text, str) or not text.strip():
            raise InputError(f"The sentence of row {row} is empty or no text: {text!r}.")
    doses = tuple(doses)
    if not doses or len(set(doses)) < len(doses) or not all(0 <= dose <= 1 for dose in doses):
        raise InputError(f"Doses are different numbers between 0 and 1, not {doses}.")
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise InputError(f"There is no edit called {unknown[0]!r}; there are {', '.join(KINDS)}.")
    table = edits(names_in(sentences) if "entity" in kinds else [])
    result = []
    for kind in kinds:
        edit = table[kind]
        kept: list[tuple[str, list[str]]] = []
        for text in sentences:
            state = [seed, KINDS.index(kind), zlib.crc32(text.encode())]
            edited = {dose: edit(text, dose, np.random.default_rng(state)) for dose in {*doses, 1.0}}
            if None not in edited.values():
                kept.append((text, [edited[dose] for dose in doses]))
        candidates = tuple(zip(*(new for _, new in kept))) or tuple(() for _ in doses)
        sources = tuple(text for text, _ in kept)
        result.append(GradedEdit(kind, edit.title, edit.meaning, edit.unit, doses, sources, candidates))
    return result


def rate_all_edits(metrics: Sequence[str | Metric], graded: Sequence[GradedEdit]) -> dict[str, RatedEdits | str]:
    """Ratings of graded edits by many metrics; what several of them need is computed once.

    Parameters
    ----------
    metrics : sequence of str or Metric
        Names in the registry, or metrics.
    graded : sequence of GradedEdit

    Returns
    -------
    dict
        By name of the metric its ratings, or in one sentence why there are none.

    Raises
    ------
    InputError
        For an unknown name, a metric given twice, or nothing to rate.

    Examples
    --------
    >>> (edit,) = graded_edits(["He came and left early.", "She sold her boat."], [0.5, 1.0], kinds=["truncated"])
    >>> rate_all_edits(["token-f1"], [edit])["token-f1"].values[0].shape
    (2, 2)
    """
    loaded, missing = load_all(metrics)
    scores = score_all(*_texts(graded), metrics=list(loaded.values()), progress=False)
    missing |= scores["missing"]
    rated = {name: _rated(loaded[name], graded, values) for name, values in scores["values"].items()}
    return {name: rated[name] if name in rated else missing[name] for name in dict.fromkeys([*loaded, *missing])}


def _texts(graded: Sequence[GradedEdit]) -> tuple[list[str], list[str]]:
    sources = [source for edit in graded for _ in edit.doses for source in edit.sources]
    if not sources:
        raise InputError("None of the edits can be made on any of the sentences.")
    return sources, [candidate for edit in graded for texts in edit.candidates for candidate in texts]


def _rated(metric: Metric, graded: Sequence[GradedEdit], values: NDArray[np.float64]) -> RatedEdits:
    ratings = metric.ratings(values)
    sizes = [len(edit.doses) * len(edit.sources) for edit in graded]
    parts = np.split(values if ratings is None else ratings, np.cumsum(sizes)[:-1])
    return RatedEdits(
        unit="value" if ratings is None else "rating",
        higher_means_same=metric.higher_means_same or ratings is not None,
        edits=tuple(graded),
        values=tuple(part.reshape(len(edit.doses), len(edit.sources)) for part, edit in zip(parts, graded)),
    )


def detection(rated: RatedEdits, *, resamples: int = 2000) -> Estimate:
    """How well a metric tells whole edits (dose 1) that keep the meaning from those that change it: area under the ROC.

    It is the chance that an edited sentence whose meaning is kept is rated higher than one whose meaning has changed; a
    half is guessing. A sentence stands on both sides, edited in different ways; so whole sentences, with all their
    edits, are resampled for the interval, and counted. It is one for other sentences under the same kinds of edits.

    Parameters
    ----------
    rated : RatedEdits
        With kinds of both sorts, at dose 1.

    Raises
    ------
    InputError
        If dose 1 was not made, or either side has fewer than two sentences.

    Examples
    --------
    >>> edits = graded_edits(["He came and left early.", "She sold her boat."], kinds=["truncated", "upper-case"])
    >>> detection(rate_all_edits(["token-f1"], edits)["token-f1"]).value
    1.0
    """
    labels, scores, sentences = [], [], []
    for edit, values in zip(rated.edits, rated.values):
        if 1 not in edit.doses:
            raise InputError(f"{edit.title} was not made at dose 1, but at {', '.join(map(str, edit.doses))}.")
        row = values[edit.doses.index(1)]
        labels += [edit.meaning == "kept"] * len(row)
        scores += list(row if rated.higher_means_same else -row)
        sentences += edit.sources
    kept = sum(labels)
    if min(kept, len(labels) - kept) < 2:
        raise InputError(f"{kept} edits keep the meaning and {len(labels) - kept} change it; two of each are needed.")
    return roc_auc_interval(labels, scores, groups=sentences, resamples=resamples)
