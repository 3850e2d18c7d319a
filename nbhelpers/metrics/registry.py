"""The registry: every measure of meaning by its name, and all of them over many pairs in one call.

A measure that cannot run on this machine stays in the table, with the reason and the way to get what it lacks.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbhelpers.base.errors import InputError, NbhelpersError, ResourceNotFoundError, did_you_mean
from nbhelpers.base.progress import Progress
from nbhelpers.metrics.metric import Metric, check_pairs


@dataclass(frozen=True)
class Specification:
    """How a measure is called, and which function of which module makes it (imported when it is loaded)."""

    title: str
    module: str
    factory: str
    options: dict[str, Any] = field(default_factory=dict)


def _rouge() -> dict[str, Specification]:
    parts = {"precision": "precision", "recall": "recall", "f1": "F1"}
    return {
        f"rouge{kind}-{part}": Specification(
            f"ROUGE-{kind} {title}", "nbhelpers.metrics.lexical", "rouge", {"kind": kind, "part": part}
        )
        for kind in ("1", "2", "L")
        for part, title in parts.items()
    }


_LEXICAL, _SIMPLIFICATION = "nbhelpers.metrics.lexical", "nbhelpers.metrics.simplification"
_NEURAL, _EXTERNAL = "nbhelpers.metrics.neural", "nbhelpers.metrics.external"
_LANGUAGE_MODEL = "nbhelpers.metrics.language_model"

SPECIFICATIONS: dict[str, Specification] = {
    "fkgl": Specification("FKGL", _SIMPLIFICATION, "fkgl"),
    "bertscore-precision": Specification("BERTScore precision", _NEURAL, "bertscore", {"part": "precision"}),
    "bertscore-recall": Specification("BERTScore recall", _NEURAL, "bertscore", {"part": "recall"}),
    "bertscore-f1": Specification("BERTScore F1", _NEURAL, "bertscore", {"part": "f1"}),
    "blanc": Specification("BLANC", _LANGUAGE_MODEL, "blanc"),
    "bleu": Specification("BLEU", _LEXICAL, "bleu"),
    "bleu-samsa-am": Specification("AM of BLEU and SAMSA", _EXTERNAL, "bleu_samsa", {"mean": "arithmetic"}),
    "bleu-samsa-gm": Specification("GM of BLEU and SAMSA", _EXTERNAL, "bleu_samsa", {"mean": "geometric"}),
    "bleurt": Specification("BLEURT", _EXTERNAL, "bleurt"),
    "coverage": Specification("Coverage", _LANGUAGE_MODEL, "coverage"),
    "ibleu": Specification("iBLEU", _SIMPLIFICATION, "ibleu"),
    "fkbleu": Specification("FKBLEU", _SIMPLIFICATION, "fkbleu"),
    "lens": Specification("LENS", _EXTERNAL, "lens"),
    "meteor": Specification("METEOR", _LEXICAL, "meteor"),
    "questeval": Specification("QuestEval", _EXTERNAL, "questeval"),
    **_rouge(),
    "samsa": Specification("SAMSA", _EXTERNAL, "samsa"),
    "sari": Specification("SARI", _SIMPLIFICATION, "sari"),
    "sentence-transformer": Specification("Sentence Transformer", _NEURAL, "sentence_transformer"),
    "ter": Specification("TER", _LEXICAL, "ter"),
    "meaningbert": Specification("MeaningBERT", "nbhelpers.metrics.meaning_model", "metric"),
    "ndd": Specification("NDD", _LANGUAGE_MODEL, "ndd"),
    "word-vectors": Specification("Word vectors (cosine)", _NEURAL, "word_vectors"),
    "length-ratio": Specification("Length ratio", _LEXICAL, "length_ratio"),
    "source-recall": Specification("Source recall", _LEXICAL, "source_recall"),
    "token-f1": Specification("Token F1", _LEXICAL, "token_f1"),
}
"""In the order of section 3.2 of the MeaningBERT study (FKGL, which needs no reference, stands first); then the
study's own measure, those that the study did not have, and the trivial predictors."""

ALIASES = {
    "bertscore": "bertscore-f1",
    "rouge1": "rouge1-f1",
    "rouge2": "rouge2-f1",
    "rougel": "rougeL-f1",
}
"""Shorter names that are accepted for a measure."""


def names() -> list[str]:
    """All registered names, also of measures that cannot run here, in the order of `SPECIFICATIONS`."""
    return list(SPECIFICATIONS)


def resolve(name: str) -> str:
    """The registered name that is meant; case does not matter, and `ALIASES` are accepted.

    Raises
    ------
    InputError
        Nothing is registered under this name; the message names a close one.
    """
    known = {key.lower(): key for key in SPECIFICATIONS} | ALIASES
    wanted = str(name).strip().lower()
    if wanted not in known:
        raise InputError(f"There is no metric {name!r}; {did_you_mean(wanted, [*SPECIFICATIONS, *ALIASES])}")
    return known[wanted]


def load(name: str, **options: Any) -> Metric:
    """A measure, ready to score.

    Parameters
    ----------
    name : str
        As registered, or an alias.
    **options
        What the measure's factory takes, such as ``encoder`` and ``layer`` of BERTScore.

    Raises
    ------
    InputError
        The name or an option is unknown, or an option's value is none that can be used.
    ResourceNotFoundError
        It cannot run here; the message says what is missing and how to get it.

    Examples
    --------
    >>> load("bleu")(["A cold rain fell ."], ["A cold rain fell ."]).tolist()
    [100.0]
    """
    name = resolve(name)
    specification = SPECIFICATIONS[name]
    try:
        factory = getattr(importlib.import_module(specification.module), specification.factory)
    except ModuleNotFoundError as error:
        if error.name != specification.module:
            raise ResourceNotFoundError(
                f"{specification.title} needs the Python package {error.name}: pip install {error.name}."
            ) from error
        raise ResourceNotFoundError(f"{specification.title} needs {error.name}, which is not installed.") from error
    arguments = {**specification.options, **options}
    try:
        inspect.signature(factory).bind(**arguments)
    except TypeError as error:
        taken = [key for key in inspect.signature(factory).parameters if key not in specification.options]
        known = f"it takes {', '.join(taken)}" if taken else "it takes none"
        raise InputError(f"{name} has no such options ({error}); {known}.") from error
    return factory(**arguments)


def available() -> dict[str, Metric | str]:
    """Every registered measure, loaded with its default options, or in one sentence why it cannot run here."""
    found: dict[str, Metric | str] = {}
    for name in names():
        try:
            found[name] = load(name)
        except NbhelpersError as error:
            found[name] = str(error)
    return found


# ---------------------------------------------------------------------------------------------- work that is shared

_results: ContextVar[dict[Any, Any] | None] = ContextVar("results", default=None)


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


def shared(function: Callable) -> Callable:
    """Decorator for what several measures need: inside `score_all` it runs once for the same positional arguments.

    Precision, recall and F1 of one family come from one pass in this way, and BLEU inside iBLEU is BLEU's own.
    Outside `score_all` the function runs every time. Its arguments are texts, numbers, and lists or tuples of them.
    """

    @functools.wraps(function)
    def once(*arguments: Any) -> Any:
        results = _results.get()
        if results is None:
            return function(*arguments)
        key = (function, _frozen(arguments))
        if key not in results:
            results[key] = function(*arguments)
        return results[key]

    return once


@contextmanager
def _sharing() -> Iterator[None]:
    token = _results.set({})
    try:
        yield
    finally:
        _results.reset(token)


# --------------------------------------------------------------------------------------------------- all in one call


def score_all(
    sources: Sequence[str],
    candidates: Sequence[str],
    references: Sequence[str | Sequence[str]] | None = None,
    *,
    metrics: Sequence[str | Metric] | None = None,
    progress: bool = True,
) -> dict[str, dict[str, Any]]:
    """Score all pairs with many measures; what several of them need is computed once.

    Parameters
    ----------
    sources, candidates, references
        As `Metric` takes them, n of each.
    metrics : sequence of str or Metric, optional
        Names, or measures that were loaded with options. Default: all that are registered.
    progress : bool
        Show a bar (a plain line now and then where the output is no terminal).

    Returns
    -------
    dict
        ``values``: for each name a float64 array of shape (n,). ``missing``: for each that has no values the reason,
        in one sentence: it cannot run here, or it refuses one of the texts. ``seconds``: for each name with values
        how long they took, loading excluded; the first of a family carries the time of what the family shares.

    Raises
    ------
    InputError
        The pairs are no pairs that any measure could score, or a name is unknown or given twice.
    """
    sources, candidates, checked = check_pairs(sources, candidates, references)
    wanted = [m if isinstance(m, Metric) else resolve(m) for m in (names() if metrics is None else metrics)]
    keys = [m.name if isinstance(m, Metric) else m for m in wanted]
    if twice := sorted({key for key in keys if keys.count(key) > 1}):
        raise InputError(f"{', '.join(twice)} is asked for more than once.")
    values: dict[str, NDArray[np.float64]] = {}
    missing: dict[str, str] = {}
    seconds: dict[str, float] = {}
    description = f"metrics over {len(sources):,} pairs"
    with _sharing(), Progress(len(wanted), description, unit="metric", show=progress) as bar:
        for key, metric in zip(keys, wanted):
            bar.describe(f"{key}, {len(sources):,} pairs")
            try:
                metric = load(metric) if isinstance(metric, str) else metric
                begin = time.perf_counter()
                values[key] = metric(sources, candidates, checked)
                seconds[key] = time.perf_counter() - begin
            except NbhelpersError as error:
                missing[key] = str(error)
            bar.add()
    return {"values": values, "missing": missing, "seconds": seconds}
