"""The registry: every metric by its name, and many of them over many pairs in one call."""

from __future__ import annotations

import inspect
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from nbhelpers.base.errors import InputError, NbhelpersError, did_you_mean
from nbhelpers.base.progress import progress_bar, shows_bars
from nbhelpers.metrics.metric import SPECIFICATIONS, Metric, check_pairs, sharing

if TYPE_CHECKING:
    import pandas


def names() -> list[str]:
    """All registered names in alphabetical order, also of metrics that cannot run on this machine.

    Examples
    --------
    >>> names()[:5]
    ['bertscore-f1', 'bertscore-precision', 'bertscore-recall', 'blanc', 'bleu']
    """
    return sorted(SPECIFICATIONS, key=str.lower)


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


def load_all(metrics: Iterable[str | Metric]) -> tuple[dict[str, Metric], dict[str, str]]:
    """Metrics by name, and for those that cannot run here the reason, in one sentence.

    Raises
    ------
    InputError
        A name is unknown, or a metric is given twice.
    """
    loaded: dict[str, Metric] = {}
    missing: dict[str, str] = {}
    for metric in metrics:
        name = metric.name if isinstance(metric, Metric) else resolve(metric)
        if name in loaded or name in missing:
            raise InputError(f"{name} is asked for more than once.")
        try:
            loaded[name] = metric if isinstance(metric, Metric) else load(name)
        except NbhelpersError as error:
            missing[name] = str(error)
    return loaded, missing


def score_all(
    sources: Sequence[str],
    candidates: Sequence[str],
    references: Sequence[str | Sequence[str]] | None = None,
    *,
    metrics: Sequence[str | Metric] | None = None,
    progress: bool = True,
    frame: bool = False,
) -> dict[str, dict[str, Any]] | pandas.DataFrame:
    """Score all pairs with many metrics; work that several of them need is done once.

    Parameters
    ----------
    sources, candidates, references
        As `Metric` takes them: lists, NumPy arrays or pandas columns of length n.
    metrics : sequence of str or Metric, optional
        Names, or metrics loaded with options. Default: all that are registered.
    progress : bool
        Show a bar in a terminal or an interactive notebook.
    frame : bool
        Return a table.

    Returns
    -------
    dict or pandas.DataFrame
        ``values``: for each name a float64 array of shape (n,). ``missing``: for each metric without values the reason,
        in one sentence: it cannot run here, or it refuses one of the texts. ``seconds``: for each name with values
        how long it took, loading excluded; the first of a family carries the time of what the family shares.
        With `frame`: the values as columns, with the index of `sources` where that is a pandas column; ``missing``
        and ``seconds`` are in the table's ``attrs``.

    Raises
    ------
    InputError
        The pairs are wrong for any metric, or a name is unknown or given twice.

    Examples
    --------
    >>> found = score_all(["A cold rain fell."], ["Rain fell."], metrics=["token-f1", "bleu"], progress=False)
    >>> found["values"]["token-f1"].round(2).tolist(), found["missing"]
    ([0.67], {})
    >>> score_all(["A cold rain fell."], ["Rain fell."], metrics=["length-ratio", "source-recall"], frame=True)
       length-ratio  source-recall
    0           0.5            0.5
    """
    pairs = check_pairs(sources, candidates, references)
    loaded, missing = load_all(names() if metrics is None else metrics)
    found: dict[str, dict[str, Any]] = {"values": {}, "missing": missing, "seconds": {}}
    over = f"over {len(pairs[0]):,} pairs"
    with sharing(), progress_bar(len(loaded), f"metrics {over}", unit="metric", show=progress) as bar:
        for name, metric in loaded.items():
            bar.set_description_str(f"{name} {over}", refresh=shows_bars())
            begin = time.perf_counter()
            try:
                found["values"][name] = metric.scores(*pairs)
                found["seconds"][name] = time.perf_counter() - begin
            except NbhelpersError as error:
                missing[name] = str(error)
            bar.update()
    if not frame:
        return found
    import pandas

    index = sources.index if isinstance(sources, pandas.Series) else None
    table = pandas.DataFrame(found["values"], index=index)
    table.attrs = {"missing": found["missing"], "seconds": found["seconds"]}
    return table
