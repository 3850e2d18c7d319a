"""The registry: every metric by its name, and many of them over many pairs in one call."""

from __future__ import annotations

import csv
import functools
import inspect
import time
from collections.abc import Sequence
from typing import Any

from nbhelpers.base.errors import InputError, NbhelpersError, did_you_mean
from nbhelpers.base.paths import data_dir
from nbhelpers.metrics.metric import SPECIFICATIONS, Metric, check_pairs, sharing


def names() -> list[str]:
    """All registered names in alphabetical order, also of metrics that cannot run on this machine.

    Examples
    --------
    >>> names()[:5]
    ['bertscore-f1', 'bertscore-precision', 'bertscore-recall', 'blanc', 'bleu']
    """
    return sorted(SPECIFICATIONS, key=str.lower)


@functools.cache
def described() -> dict[str, dict[str, str]]:
    """What ``data/measures.tsv`` says of each measure, by its name, or by its title where it is not registered."""
    with (data_dir() / "measures.tsv").open(encoding="utf-8", newline="") as file:
        return {one["name"] or one["title"]: one for one in csv.DictReader(file, delimiter="\t")}


def resolve(name: str) -> str:
    """The registered name; case does not matter, and ``bertscore`` means ``bertscore-f1``, ``rouge1`` ``rouge1-f1``.

    Raises
    ------
    InputError
        The name is unknown; the message suggests a close one.
    """
    known = {key.removesuffix("-f1").lower(): key for key in SPECIFICATIONS} | {k.lower(): k for k in SPECIFICATIONS}
    wanted = str(name).strip().lower()
    if wanted not in known:
        raise InputError(f"There is no metric {name!r}; {did_you_mean(wanted, names())}")
    return known[wanted]


def options(name: str) -> list[str]:
    """Names of the options that a registered metric takes."""
    return list(inspect.signature(SPECIFICATIONS[name].factory).parameters)


def load(name: str, **chosen: Any) -> Metric:
    """A metric, ready to score.

    Parameters
    ----------
    name : str
        As `resolve` takes it.
    **chosen
        Options of the metric, such as ``encoder`` and ``layer`` of BERTScore.

    Returns
    -------
    Metric

    Raises
    ------
    InputError
        The name or an option is unknown, or the value of an option is wrong.
    ResourceNotFoundError
        The metric cannot run on this machine; the message says what is missing and how to get it.

    Examples
    --------
    >>> load("bleu")(["A cold rain fell ."], ["A cold rain fell ."]).tolist()
    [100.0]
    >>> load("bleu", lowercase=True, tokenize="none")(["A B"], ["a b"]).tolist()
    [100.0]
    """
    name = resolve(name)
    taken = options(name)
    if unknown := sorted(chosen.keys() - set(taken)):
        raise InputError(f"{name} has no option {', '.join(unknown)}; it takes {', '.join(taken) or 'none'}.")
    return SPECIFICATIONS[name].factory(**chosen)


def score_all(
    sources: Sequence[str],
    candidates: Sequence[str],
    references: Sequence[str | Sequence[str]] | None = None,
    *,
    metrics: Sequence[str | Metric] | None = None,
) -> dict[str, dict[str, Any]]:
    """Score all pairs with many metrics; work that several of them need is done once.

    Parameters
    ----------
    sources, candidates, references
        As `Metric` takes them: lists, NumPy arrays or pandas columns of length n.
    metrics : sequence of str or Metric, optional
        Names, or metrics loaded with options. Default: all that are registered.

    Returns
    -------
    dict
        ``values``: for each name a float64 array of shape (n,). ``missing``: for each metric without values the reason,
        in one sentence: it cannot run here, or it refuses one of the texts. ``seconds``: for each name with values
        how long it took, loading excluded; the first of a family carries the time of what the family shares.

    Raises
    ------
    InputError
        The pairs are wrong for any metric, or a name is unknown or given twice.

    Examples
    --------
    >>> found = score_all(["A cold rain fell."], ["Rain fell."], metrics=["token-f1", "bleu"])
    >>> found["values"]["token-f1"].round(2).tolist(), found["missing"]
    ([0.67], {})
    """
    pairs = check_pairs(sources, candidates, references)
    chosen: dict[str, str | Metric] = {}
    for metric in names() if metrics is None else metrics:
        name = metric.name if isinstance(metric, Metric) else resolve(metric)
        if name in chosen:
            raise InputError(f"{name} is asked for more than once.")
        chosen[name] = metric
    found: dict[str, dict[str, Any]] = {"values": {}, "missing": {}, "seconds": {}}
    with sharing():
        for name, metric in chosen.items():
            try:
                ready = metric if isinstance(metric, Metric) else load(name)
                begin = time.perf_counter()
                found["values"][name] = ready.scores(*pairs)
                found["seconds"][name] = time.perf_counter() - begin
            except NbhelpersError as error:
                found["missing"][name] = str(error)
    return found
