"""Fitting an order to a measure: the weakness that section 5 of the paper names.

`run` shuffles each document and looks for the order that the measure scores highest, as a travelling salesman looks for
the shortest way; `summary` says how often that order scores above the author's, and whether it resembles it.
"""

from __future__ import annotations

import functools

import numpy as np
import pandas

from nbhelpers.base import stats
from nbhelpers.base.errors import InputError
from nbhelpers.results import estimates, evidence
from nbhelpers.studies.ordering import experiment, orders
from nbhelpers.studies.ordering.measures import Analysed, Measure, similarity

LONGEST = 60
"""Sentences: longer documents are left out (the search takes time that grows as the cube of their number)."""

_FIELDS = ("measure", "sentences", "source", "best", "shuffled", "tau", "shuffled tau")


def run(analysed: Analysed, measure: Measure, *, limit: int | None = None, seed: int = 0) -> pandas.DataFrame:
    """Shuffle each document and look for the order that the measure scores highest.

    Parameters
    ----------
    limit : int, optional
        Take only the first that many documents.

    Returns
    -------
    DataFrame
        A line for each document of 3 to `LONGEST` sentences: ``collection``, ``document``, ``measure``, ``sentences``,
        the scores of the author's order (``source``), of the order found (``best``) and of the shuffled one where the
        search began (``shuffled``), and Kendall's τ between the author's order and these two (``tau``,
        ``shuffled tau``). A symmetric measure cannot tell an order from its reversal: τ is then that of the better of
        the two, so that chance is not 0.

    Raises
    ------
    InputError
        If no document is short enough.

    Examples
    --------
    >>> from nbhelpers.studies import ordering
    >>> text = ordering.analyse(ordering.from_texts({"a": ["A cat slept.", "Snow fell.", "The cat woke."]}))
    >>> run(text, ordering.similarity(text))[["source", "best"]].round(2).values.tolist()
    [[0.0, 0.25]]
    """
    lengths = analysed.lengths
    kept = np.flatnonzero((lengths >= experiment.MINIMUM_SENTENCES) & (lengths <= LONGEST))[:limit]
    if not len(kept):
        raise InputError(f"no document of {analysed.name!r} has {experiment.MINIMUM_SENTENCES} to {LONGEST} sentences")

    def tau(order: np.ndarray) -> float:
        value = orders.kendall_tau(order)
        return abs(value) if measure.is_symmetric else value

    rows = []
    for document in kept:
        generator = experiment.document_generator(seed, analysed.document(document))
        start = orders.shuffled(int(lengths[document]), 1, generator)[0]
        matrix = measure.matrix(document)
        found = orders.best_order(matrix[np.ix_(start, start)], seed=seed)  # sees the shuffled text only
        order = start[found.order]
        names = analysed.name, analysed.names[document], measure.name
        scores = orders.order_score(matrix), found.score, orders.order_score(matrix, start)
        rows.append((*names, int(lengths[document]), *scores, tau(order), tau(start)))
    return pandas.DataFrame(rows, columns=["collection", "document", *_FIELDS])


BEATEN, NEARER = "the fitted order scores higher", "Kendall's τ, fitted minus shuffled"


@estimates.tabled
def summary(items: pandas.DataFrame, *, resamples: int = 2000) -> estimates.Rows:
    """How often the fitted order scores above the author's, and whether it is nearer to it than a shuffled one.

    Examples
    --------
    >>> from nbhelpers.studies import ordering
    >>> texts = {name: ["A cat slept.", "Snow fell.", "The cat woke."] for name in "ab"}
    >>> text = ordering.analyse(ordering.from_texts(texts))
    >>> summary(run(text, ordering.similarity(text)))["value"].tolist()[0]
    1.0
    """
    for (collection, measure), part in items.groupby(["collection", "measure"], sort=False, observed=True):
        higher = (part["best"] - part["source"] > 1e-6).to_numpy()
        taus = stats.means(part[["tau", "shuffled tau"]].to_numpy(), resamples=resamples)
        for column, value in {BEATEN: stats.proportion(higher), NEARER: (taus[:1] - taus[1:]).estimate()}.items():
            yield {"row": f"{measure}, {collection}", "column": column, "value": value}


TABLES = {"fitted orders": summary}


def _score(analysed: Analysed, *, seed: int) -> pandas.DataFrame:
    return run(analysed, similarity(analysed), seed=seed)


def record(collection: str = "bbc-news", documents: int = 0, seed: int = 0) -> tuple[pandas.DataFrame, evidence.Run]:
    """Fit an order to *Sim* for the documents of a collection, for the evidence ``ordering-reorder``."""
    places, identity, signature = experiment.chosen(collection, documents, seed)
    run_of = evidence.Run(data=identity, signature=f"fit|longest:{LONGEST}|{signature}")
    options = {"signature": f"{run_of.signature}|{identity}", "shard_size": 50}
    return experiment.recorded(functools.partial(_score, seed=seed), collection, places, _FIELDS, **options), run_of
