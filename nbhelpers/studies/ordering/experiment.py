"""The evaluation framework of section 4: does a measure score the author's order above degraded ones?

Beside the author's order of a document stand orders with one sentence moved (R1), two (R2), …, all shuffled (R), and
the reversed one. A good measure scores them, on average, Source > R1 > R2 > … > R.

`run` scores documents and gives items: a line for each document and measure. `summary` makes every number from items.
`record` runs a whole collection, in shards that another run continues or that a Dask cluster computes.

All measures see the same orders. A document's orders depend on the seed and on the document alone, so leaving out or
reordering documents changes no other document's score. The orders are drawn once and turned into the pairs of
sentences that they put side by side; every measure then scores each different pair once. Time is linear in the number
of sentences for a fixed number of orders.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas

from nbhelpers.base import shards, stats
from nbhelpers.base.errors import InputError
from nbhelpers.language.english import load_english
from nbhelpers.resources import data
from nbhelpers.results import estimates, evidence
from nbhelpers.studies.ordering import measures as ways
from nbhelpers.studies.ordering import orders
from nbhelpers.studies.ordering.documents import Collection, open_collection
from nbhelpers.studies.ordering.measures import Analysed, Measure

MINIMUM_SENTENCES = 3
"""Shorter documents are left out: with two sentences every order has the same symmetric score, with one it has none."""

CONDITIONS = ("R1", "R2", "R", "reversed")
"""One sentence moved, two moved, all shuffled, and the author's order turned round."""


def document_generator(seed: int, sentences: Sequence[str]) -> np.random.Generator:
    """Generator of a document's orders: from the experiment's seed and the document's sentences, not from its place."""
    digest = hashlib.sha256("\n".join(sentences).encode("utf-8", "surrogatepass")).digest()
    return np.random.default_rng([seed, *np.frombuffer(digest[:16], np.uint32).tolist()])


def degraded_orders(length: int, condition: str, repetitions: int, generator: np.random.Generator) -> np.ndarray:
    """Orders of one document under one of `CONDITIONS`, int array (repetitions, length); one for ``reversed``."""
    if condition == "R":
        return orders.shuffled(length, repetitions, generator)
    if condition == "reversed":
        return np.arange(length)[::-1][None]
    return orders.moved(length, int(condition[1:]), repetitions, generator)


def run(
    analysed: Analysed,
    measures: Sequence[Measure],
    *,
    repetitions: int = 10,
    seed: int = 0,
    like: Sequence[int] = (),
    skip: int = 0,
) -> pandas.DataFrame:
    """Score the author's orders and degraded ones with every measure.

    Parameters
    ----------
    analysed : Analysed
        The collection, read by the text engine.
    measures : sequence of Measure
        Made from `analysed`.
    repetitions : int
        Degraded orders per document and condition.
    like : sequence of int
        Cut every document to a stretch of consecutive sentences, as long as one of these numbers, which is drawn; what
        is shorter is left out. Empty: whole documents.
    skip : int
        Leave out so many sentences at the start of each document.

    Returns
    -------
    DataFrame
        A line for each document of three sentences or more and each measure: ``collection``, ``document`` (its name),
        ``sentences``, ``measure``, ``source`` (score of the author's order, equation 2), ``zeros`` (share of neighbours
        with similarity 0), and for each of `CONDITIONS` its mean score and ``… wins``, the share of its orders that
        score below the author's, ties one half.

    Raises
    ------
    InputError
        If a measure belongs to another collection, two measures share a name, nothing is to be scored, or no document
        is long enough.

    Examples
    --------
    >>> from nbhelpers.studies import ordering
    >>> text = ordering.analyse(ordering.from_texts({"a": ["A cat slept.", "The cat woke.", "Snow fell."]}))
    >>> run(text, [ordering.similarity(text)])["source"].round(2).tolist()
    [0.25]
    """
    _check(analysed, measures, repetitions)
    chosen = list(_stretches(analysed, like, skip, seed))
    if not chosen:
        raise InputError(f"no document of {analysed.name!r} has {MINIMUM_SENTENCES} sentences")
    parts, sizes, drawn = [], [1], []
    for _, start, length, generator in chosen:
        rows = [degraded_orders(length, condition, repetitions, generator) for condition in CONDITIONS]
        sizes = [1, *map(len, rows)]
        drawn.append(start + np.concatenate([np.arange(length)[None], *rows]))
    lengths = np.array([length for _, _, length, _ in chosen])
    for measure in measures:
        scores, zeros = _scores(measure, drawn, lengths)
        source, *altered = np.split(scores, np.cumsum(sizes)[:-1], axis=1)
        own = {
            "collection": analysed.name,
            "document": [analysed.names[document] for document, *_ in chosen],
            "sentences": lengths,
            "measure": measure.name,
            "source": source[:, 0],
            "zeros": zeros,
        }
        for condition, degraded in zip(CONDITIONS, altered):
            lead = source - degraded
            own[condition] = degraded.mean(axis=1)
            own[f"{condition} wins"] = np.where(np.abs(lead) < 1e-12, 0.5, lead > 0).mean(axis=1)
        parts.append(pandas.DataFrame(own))
    return pandas.concat(parts, ignore_index=True)


def _check(analysed: Analysed, measures: Sequence[Measure], repetitions: int) -> None:
    if repetitions < 1 or not measures:
        raise InputError("an experiment has at least one measure and one repetition")
    if len({measure.name for measure in measures}) < len(measures):
        raise InputError("two measures have the same name")
    if any(not np.array_equal(measure.starts, analysed.starts) for measure in measures):
        raise InputError("a measure was made from another collection")


def _stretches(
    analysed: Analysed, like: Sequence[int], skip: int, seed: int
) -> Iterator[tuple[int, int, int, np.random.Generator]]:
    """Number, first sentence, number of sentences and generator of every document that is scored."""
    for document, length in enumerate((analysed.lengths - skip).tolist()):
        generator, start = document_generator(seed, analysed.document(document)), int(analysed.starts[document]) + skip
        if len(like):
            wanted = int(like[generator.integers(len(like))])
            if wanted > length:
                continue
            start, length = start + int(generator.integers(length - wanted + 1)), wanted
        if length >= MINIMUM_SENTENCES:
            yield document, start, length, generator


def _scores(measure: Measure, drawn: Sequence[np.ndarray], lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scores (documents, orders), and the share of neighbours in the first order that have similarity 0."""
    first = np.concatenate([rows[:, :-1].ravel() for rows in drawn])
    second = np.concatenate([rows[:, 1:].ravel() for rows in drawn])
    width, count, steps = int(measure.starts[-1]), len(drawn[0]), lengths - 1
    keys, back = np.unique(first * width + second, return_inverse=True)
    values = measure.pairs(keys // width, keys % width)[back]
    begins = np.concatenate([[0], np.cumsum(np.repeat(steps, count))[:-1]])

    def means(array: np.ndarray) -> np.ndarray:
        return np.add.reduceat(array, begins).reshape(len(drawn), count) / steps[:, None]

    return means(values), means((values == 0).astype(float))[:, 0]


# -------------------------------------------------------------------- every number, from items


_VALUES = ("source", "zeros", *(field for one in CONDITIONS for field in (one, f"{one} wins")))
_PLAIN = {"source": "score", "zeros": "neighbours with similarity 0"}
_SCORES = ("Score", "R1-score", "R2-score", "R-score")
"""The scores of Table 1."""


@estimates.tabled
def summary(items: pandas.DataFrame, *, resamples: int = 2000) -> estimates.Rows:
    """What every measure does on every collection; documents are resampled.

    Parameters
    ----------
    items : DataFrame
        Of `run`, or the evidence ``ordering-documents``.

    Returns
    -------
    DataFrame
        Estimates, one row for each measure and collection (``Sim, bbc-news``), with the columns ``score`` (mean of the
        author's orders), ``neighbours with similarity 0`` (their share), and for each condition ``R falls by, %`` (of
        the author's mean score; negative for a rise) and ``wins over R`` (share of the degraded orders that score below
        the author's; chance is .5).
    """
    for collection, model, values, place in wide(items):
        means, common = stats.means(values, resamples=resamples), {"collection": collection, "model": model}
        for (measure, field), column in place.items():
            if field in _PLAIN:
                name, value = _PLAIN[field], means.estimate(column)
            elif field.endswith(" wins"):
                name, value = f"wins over {field.removesuffix(' wins')}", means.estimate(column, null=0.5)
            else:
                own = functools.partial(fall, before=place[measure, "source"], after=column)
                name, value = f"{field} falls by, %", means.of(own).estimate()
            if value is not None:
                line = {"row": f"{measure}, {collection}", "column": name, "value": value, "measure": measure}
                yield line | common


def leads(items: pandas.DataFrame, measure: str, others: Sequence[str], *, resamples: int = 2000) -> pandas.DataFrame:
    """How much more often a measure prefers the author's order to a shuffle than others do, on the texts of both."""
    table = items.pivot(index="document", columns="measure", values="R wins").dropna(subset=[measure, *others])
    gaps = stats.means(table[[measure]].to_numpy() - table[[*others]].to_numpy(), resamples=resamples)
    rows = [{"row": f"{measure} minus {one}", "column": "wins over R"} for one in others]
    return estimates.frame([row | {"value": gaps.estimate(place)} for place, row in enumerate(rows)])


def with_n(found: pandas.DataFrame) -> pandas.DataFrame:
    """Estimates with a further column ``n`` for each row: the number of texts behind it.

    Examples
    --------
    >>> found = estimates.frame([{"row": "Sim", "column": "wins over R", "value": stats.Estimate(0.6, 0.5, 0.7, 9)}])
    >>> with_n(found)[["row", "column", "value"]].values.tolist()
    [['Sim', 'wins over R', 0.6], ['Sim', 'n', 9.0]]
    """
    rows = found.drop_duplicates(["row", "model"])
    counts = rows.assign(column="n", value=rows["n"].astype(float), low=np.nan, high=np.nan, unit="count")
    return pandas.concat([found, counts], ignore_index=True)


def wide(items: pandas.DataFrame) -> Iterator[tuple[str, str, np.ndarray, dict[tuple[str, str], int]]]:
    """For each collection and model its name, the values (documents, k), and the column of each measure's field."""
    items = items if "model" in items else items.assign(model="")
    for (collection, model), part in items.groupby(["collection", "model"], sort=False, observed=True):
        table = part.pivot(index="document", columns="measure", values=list(_VALUES))
        names = [(measure, field) for measure in dict.fromkeys(part["measure"]) for field in _VALUES]
        values = np.column_stack([table[field, measure] for measure, field in names]).astype(np.float64)
        place = {name: column for column, name in enumerate(names)}
        yield str(collection), str(model), values[~np.isnan(values).any(axis=1)], place


def fall(means: np.ndarray, before: int, after: int, divisor: int | None = None) -> np.ndarray:
    """By how much a column falls below another, in per cent of the latter, or of a third."""
    divisor = before if divisor is None else divisor
    return 100.0 * (means[..., before] - means[..., after]) / np.abs(means[..., divisor])


@estimates.tabled
def table1(items: pandas.DataFrame, *, resamples: int = 2000) -> estimates.Rows:
    """Estimates for Table 1: mean scores, and the falls as the paper prints them.

    Those count from the source and divide by the column before (R2 by R1, R by R2). Rows are called as in the paper:
    the collection "wikipedia-5000" stands for its Wikipedia.
    """
    for collection, model, values, place in wide(items):
        shown = "Wikipedia" if collection == "wikipedia-5000" else collection
        means = stats.means(values, resamples=resamples)
        for measure in dict.fromkeys(measure for measure, _ in place):
            own = [place[measure, field] for field in ("source", "R1", "R2", "R")]
            found = {name: means.estimate(column) for name, column in zip(_SCORES, own)}
            for before, after, name in zip(own, own[1:], _SCORES[1:]):
                as_printed = functools.partial(fall, before=own[0], after=after, divisor=before)
                found[f"{name} relative difference"] = means.of(as_printed).estimate()
            common = {"row": f"{measure} {shown}", "model": model}
            yield from (common | {"column": name, "value": one} for name, one in found.items() if one is not None)


TABLES = {"ordering/table1": table1, "falls and wins": summary}


# -------------------------------------------------------------------- whole collections, as evidence

_FIELDS = ("sentences", "measure", *_VALUES)


@functools.lru_cache(maxsize=1)
def _whole(collection: str) -> Collection:
    return open_collection(collection)


def opened(collection: str, places: Sequence[int]) -> Collection:
    """Some documents of a collection, named by their places in it."""
    whole = _whole(collection)
    return replace(whole, documents=[replace(whole.documents[place], name=str(place)) for place in places])


def chosen(collection: str, documents: int, seed: int) -> tuple[list[int], str, str]:
    """Places of a sample of documents (0: all), the collection's identity, and the signature of how it is read."""
    located = data.find(collection, allow_shipped=False)
    # In one random order, so that a larger sample goes on where a smaller one ended.
    places = np.random.default_rng(seed).permutation(len(_whole(collection)))
    places = places[:documents] if documents else places
    return places.tolist(), located.identity, f"seed:{seed}|{load_english().signature}"


def _measures(analysed: Analysed, encoder: str, cut: bool, skip: int) -> list[Measure]:
    if encoder:
        from nbhelpers.resources.models import load_encoder

        return [ways.embedding_similarity(analysed, load_encoder(encoder))]
    if skip:
        return [ways.similarity(analysed), ways.similarity(analysed, stop_words=True)]
    from nbhelpers.resources.vectors import load_vectors

    found = [
        *ways.standard_measures(analysed),
        ways.entity_similarity(analysed, minimum_words=2, name="NESim, full names"),
        ways.noun_similarity(analysed, names=True),
        ways.similarity(analysed, stop_words=True),
        ways.vector_similarity(analysed, load_vectors("glove")),
    ]
    # The divergence depends on the words of the whole document, so a stretch of it has none.
    return [measure for measure in found if not (cut and measure.name == "KL")]


def _score(analysed: Analysed, *, encoder: str, like: Sequence[int], skip: int, **options: Any) -> pandas.DataFrame:
    return run(analysed, _measures(analysed, encoder, bool(like), skip), like=like, skip=skip, **options)


def _lines(
    places: list[int], *, collection: str, fields: Sequence[str], score: Callable[[Analysed], pandas.DataFrame]
) -> list[list[list[Any]]]:
    """For each of some documents of a collection its lines of `fields`; none for one that is not scored."""
    analysed = ways.analyse(opened(collection, places))
    found: dict[str, list[list[Any]]] = {str(place): [] for place in places}
    with contextlib.suppress(InputError):  # no document of these is long enough
        for name, *line in score(analysed)[["document", *fields]].itertuples(index=False):
            found[name].append(line)
    return list(found.values())


def recorded(
    score: Callable[[Analysed], pandas.DataFrame],
    collection: str,
    places: Sequence[int],
    fields: Sequence[str],
    *,
    name: str = "",
    **options: Any,
) -> pandas.DataFrame:
    """Items of documents of a collection, by their places in it, with some fields of what `score` gives.

    The collection is called `name`; `options` are those of `nbhelpers.base.shards.map`.
    """
    function = functools.partial(_lines, collection=collection, fields=fields, score=score)
    found = shards.map(function, places, description="documents", **options)
    lines = [[place, *line] for place, own in zip(places, found) for line in own]
    items = pandas.DataFrame(lines, columns=["document", *fields])
    items.insert(0, "collection", name or collection)
    small = {"document": "int32", "sentences": "int16", "collection": "category", "measure": "category"}
    return items.astype({field: "float32" for field in fields} | small)


def record(
    collection: str = "bbc-news",
    documents: int = 0,
    like: str = "",
    skip: int = 0,
    encoder: str = "",
    repetitions: int = 10,
    seed: int = 0,
) -> tuple[pandas.DataFrame, evidence.Run]:
    """Score a whole collection, for the evidence ``ordering-documents``.

    Parameters
    ----------
    collection : str
        As `open_collection` takes it.
    documents : int
        A random sample of so many; 0 for all.
    like : str
        A collection that is recorded already: documents are cut to its lengths (see `run`).
    skip : int
        Leave out so many first sentences, and score by all words alone.
    encoder : str
        Score by the sentence embeddings of this model alone.
    repetitions, seed : int
        As `run` takes them.
    """
    places, identity, signature = chosen(collection, documents, seed)
    given = "".join(f"|{key}:{value}" for key, value in {"like": like, "skip": skip}.items() if value)
    signature, lengths = f"order|repetitions:{repetitions}{given}|{signature}", []
    if like:
        known = evidence.load("ordering-documents").query("collection == @like and measure == 'Sim'")
        lengths = known.sort_values("document")["sentences"].tolist()
    items = recorded(
        functools.partial(_score, repetitions=repetitions, seed=seed, like=lengths, skip=skip, encoder=encoder),
        collection,
        places,
        _FIELDS,
        name=collection + (f" cut to {like}" if like else "") + (f" without first {skip}" if skip else ""),
        signature=f"{signature}|{identity}",
        shard_size=100,
    )
    return items, evidence.Run(model=encoder, identity=encoder, data=identity, signature=signature)
