"""Does the word that disturbs its neighbours most name the predicate? What the items of ``ndd-predicates`` say.

*A Novel Metric for Evaluating Semantics Preservation*, Table 7. Per-sentence measures leave out sentences without a
predicate, where there is nothing to find, and sentences of predicates alone, where every ranking is right; pooled
measures hold the words of all sentences.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas
from numpy.typing import ArrayLike

from nbhelpers.base.errors import InputError
from nbhelpers.base.stats import Estimate, Resampled, adjusted, means, members, percent, resampled, shares
from nbhelpers.results import estimates, published
from nbhelpers.results.estimates import Rows, by_model, tabled
from nbhelpers.studies.ndd.predicates import ROWS, area, average_precision, ensemble, ranks

ENSEMBLE = "NDD-based Ensemble"

_WORDS = {
    "-based Ensemble": " ensemble",
    "-based Replace by word": " by replacement",
    "-based Replace": "",
    "-based Delete": " by deletion",
    "PPL": "perplexity",
    "Random": "random order",
    "T": "t",
    "Word": "word",
}


def in_words(row: str) -> str:
    """A row of Table 7, or a difference of two, as figures call it.

    Examples
    --------
    >>> in_words("NDD-based Replace by word minus PPL-based Delete")
    'NDD by replacement minus perplexity by deletion'
    """
    for printed, plain in _WORDS.items():
        row = row.replace(printed, plain)
    return row


EDITS = tuple(ROWS)[:3]
"""The single edits of NDD."""

OVER_PERPLEXITY = (("NDD-based Delete", "PPL-based Delete"), ("NDD-based Replace by mask", "PPL-based Replace by mask"))

COMPARISONS = (
    *OVER_PERPLEXITY,
    ("NDD-based Delete", "NDD-based Replace by word"),
    ("NDD-based Delete", "NDD-based Replace by mask"),
    *((ENSEMBLE, edit) for edit in EDITS),
    (ENSEMBLE, "Random"),
    (ENSEMBLE, "Word position"),
    (ENSEMBLE, "Tagger's verbs"),
    ("Tagger's verbs, ties by NDD", "Tagger's verbs"),
)
"""Rows whose difference on the same sentences is of interest, the second taken from the first."""

VARIED = (ENSEMBLE, "NDD-based Delete", "PPL-based Delete", "Tagger's verbs", "Tagger's verbs, then nouns")
"""Rows that are measured by other choices as well."""

CHOICES = {
    "verbal predicates only": {"verbal_only": True},
    "without punctuation": {"punctuation": False},
    "common nouns are predicates, too": {"nouns": True},
    "be, have and do are no predicates": {"auxiliaries": False},
}
"""What counts as a predicate and as a word; `per_sentence` has the default."""

MEASURES = {"mAP": average_precision, "AUC": area}
"""The measures of Table 7; each takes labels and scores."""


def _sentences(items: pandas.DataFrame) -> Iterator[dict[str, np.ndarray]]:
    """The columns of each sentence, as arrays: much faster than a frame for each."""
    keys = [key for key in ("model", "data", "sentence") if key in items]  # each data set has its own sentence 0
    number = items.groupby(keys, sort=False, observed=True).ngroup().to_numpy()
    columns = {name: items[name].to_numpy() for name in items}
    for rows in members(number):
        yield {name: column[rows] for name, column in columns.items()}


def method_scores(words: Mapping[str, ArrayLike]) -> dict[str, np.ndarray]:
    """Scores of a sentence's words by method; higher means predicate. Baselines follow the rows of Table 7.

    Parameters
    ----------
    words : mapping of str to array, or DataFrame
        The items of one sentence. Verbs are VERB, not AUX; nouns are NOUN.
    """
    rows = {name: np.asarray(words[key.replace(" ", "_")], float) for name, key in ROWS.items()}
    rows[ENSEMBLE] = ensemble([rows[name] for name in EDITS])
    rows["Random"] = np.zeros(len(rows[ENSEMBLE]))
    rows["Word position"] = -np.arange(len(rows[ENSEMBLE]), dtype=float)
    rows |= {f"{name}, lower first": -rows[name] for name in ROWS if name.startswith("PPL")}
    tags, predicted = (np.asarray(words[column], object) for column in ("tag", "predicted"))
    rows["Treebank's verbs"] = (tags == "VERB").astype(float)
    if (predicted != "").all():
        rows["Tagger's verbs"] = verb = (predicted == "VERB").astype(float)
        rows["Tagger's verbs, ties by NDD"] = verb + ranks(rows[ENSEMBLE]) / 2
        rows["Tagger's verbs, then nouns"] = 2 * verb + (predicted == "NOUN")
    return rows


def per_sentence(
    items: pandas.DataFrame,
    *,
    verbal_only: bool = False,
    nouns: bool = False,
    auxiliaries: bool = True,
    punctuation: bool = True,
    only: str = "",
    methods: Sequence[str] = (),
) -> pandas.DataFrame:
    """Average precision and AUC of each method on each sentence that has predicates and other words, times 100.

    Parameters
    ----------
    items : DataFrame
        As `nbhelpers.studies.ndd.predicates_evidence.run` makes them, or `evidence.load` has them; what this function
        made of them is returned as it is.
    verbal_only : bool
        Whether only verbs are predicates, and those that are none, such as nouns, count as other words.
    nouns : bool
        Whether every common noun is a predicate, too. CoNLL-2009 has predicates of NomBank beside those of PropBank, so
        that many nouns are; this marks all of them.
    auxiliaries : bool
        Whether forms of *be*, *have* and *do* that can be auxiliaries may be predicates, and verbs where part of speech
        is the rule.
    punctuation : bool
        Whether words without a letter or a digit are ranked as well.
    only : str
        Part of speech whose words alone are ranked, such as ``"NOUN"``; all words without it.
    methods : sequence of str
        Of `method_scores`; all without it.

    Returns
    -------
    DataFrame
        One line per model, data set, sentence and method, with ``mAP`` and ``AUC``. *Random* is what a random order
        has on average.
    """
    lines = []
    if "method" in items:
        return items
    items = items if "model" in items else items.assign(model="")
    for words in _sentences(items):
        labels = words["verbal" if verbal_only else "predicate"].astype(bool)
        if nouns:
            labels = labels | (words["tag"] == "NOUN")
        if not auxiliaries:
            auxiliary = words["auxiliary"].astype(bool)
            labels = labels & ~auxiliary
            words |= {key: np.where(auxiliary, "AUX", words[key]) for key in ("tag", "predicted") if any(words[key])}
        kept = np.full(len(labels), True) if punctuation else words["letters"].astype(bool)
        if only:
            kept = kept & (words["tag"] == only)
        model, name, place = (words[key][0] for key in ("model", "data", "sentence"))
        if labels[kept].any() and not labels[kept].all():
            for method, scores in method_scores(words).items():
                if not methods or method in methods:
                    found = [100 * measure(labels[kept], scores[kept]) for measure in MEASURES.values()]
                    lines.append((model, name, place, method, *found))
    return pandas.DataFrame(lines, columns=["model", "data", "sentence", "method", *MEASURES])


def sampled(measured: pandas.DataFrame, *, resamples: int = 2000) -> dict[str, dict[tuple[str, str], Resampled]]:
    """Means over sentences by data set, with resamples of the sentences.

    Parameters
    ----------
    measured : DataFrame
        As `per_sentence` makes it, of one model.

    Returns
    -------
    dict
        By data set the mean of each pair of a method and a measure.
    """
    found = {}
    for seed, (name, part) in enumerate(measured.groupby("data", sort=False, observed=True)):
        if part["sentence"].nunique() < 2:
            raise InputError(f"{name}: fewer than 2 sentences have predicates and other words")
        table = part.pivot(index="sentence", columns="method", values=list(MEASURES))
        columns = [(measure, method) for method in dict.fromkeys(part["method"]) for measure in MEASURES]
        its = means(table[columns].to_numpy(float), resamples=resamples, seed=seed)
        found[str(name)] = {column[::-1]: its[[place]] for place, column in enumerate(columns)}
    return found


def differences(measured: pandas.DataFrame, pairs: Sequence[tuple[str, str]], **how: Any) -> Resampled:
    """Differences of pairs of methods in every data set and measure, to be tested together; one model."""
    parts = [
        Resampled.beside(*(found[one, name] - found[other, name] for name in MEASURES for one, other in pairs))
        for found in sampled(measured, **how).values()
    ]
    return replace(Resampled.beside(*parts), n=sum(part.n for part in parts))


MARKS = {"mAP": 50.0, "AUC": 80.0}
"""What the ensemble is said to reach (section 6)."""


def above_marks(measured: pandas.DataFrame) -> Estimate:
    """Smallest distance of the ensemble from `MARKS` in points, all data sets jointly; as `per_sentence`, one model."""
    parts = [Resampled.beside(*(each[ENSEMBLE, name] for name in MARKS)) for each in sampled(measured).values()]
    distances = (part.of(lambda values: values - [*MARKS.values()]) for part in parts)
    return replace(Resampled.beside(*distances).smallest(unit="points"), n=sum(part.n for part in parts))


def pooled(
    items: pandas.DataFrame, methods: Sequence[str], *, resamples: int = 200
) -> Iterator[tuple[str, str, Estimate]]:
    """Average precision and AUC with the words of all sentences in one ranking; whole sentences are resampled.

    Parameters
    ----------
    items : DataFrame
        Of one model and data set.
    methods : sequence of str
        Of `method_scores`.
    resamples : int

    Returns
    -------
    iterator of (str, str, Estimate)
        Method and measure.
    """
    sentences = list(_sentences(items))
    every = [method_scores(words) for words in sentences]
    labels = np.concatenate([words["predicate"] for words in sentences]).astype(bool)
    groups = np.repeat(np.arange(len(sentences)), [len(words["predicate"]) for words in sentences])
    for method, (name, measure) in itertools.product(methods, MEASURES.items()):
        scores = np.concatenate([each[method] for each in every])

        def ranked(drawn: np.ndarray, measure: Callable = measure, scores: np.ndarray = scores) -> float:
            some = labels[drawn]
            return measure(some, scores[drawn]) if some.any() and not some.all() else math.nan

        yield method, name, percent(resampled(ranked, groups, resamples=resamples))


@by_model
def summary(items: pandas.DataFrame, *, resamples: int = 2000, **choices: Any) -> Rows:
    """Table 7, times 100: each method, and the baselines, on each data set.

    Parameters
    ----------
    items : DataFrame
        As `evidence.load` has them, or `per_sentence` measured them; of one or several models.
    resamples : int
        Of the sentences.
    **choices
        ``verbal_only``, ``nouns``, ``auxiliaries``, ``punctuation``, ``only`` and ``methods`` of `per_sentence`.
    """
    for name, found in sampled(per_sentence(items, **choices), resamples=resamples).items():
        for (method, measure), mean in found.items():
            value = replace(mean.estimate(), p=None)
            yield _row(method, name, measure, value) | {"published": _published(method, name, measure)}


VERBS = ("Tagger's verbs", "Treebank's verbs", "Tagger's verbs, then nouns")

NO_MODEL = "no language model"


def in_column(found: pandas.DataFrame, column: str) -> pandas.DataFrame:
    """Rows of one column of `summary` for a figure; those that need no language model once, on the largest sample."""
    found = found[found["column"] == column]
    order = [*VERBS, ENSEMBLE, *list(ROWS)[2::-1], *list(ROWS)[3:], "Word position"]
    once = estimates.once(found, found["row"].isin([*VERBS, "Word position"]), NO_MODEL)
    return once.set_index("row").loc[order].reset_index()


def _published(method: str, name: str, measure: str) -> float:
    """The paper's number, NaN where it has none."""
    printed = published.by_place("ndd/table7").get((method, f"{name} {measure}"))
    return math.nan if printed is None else printed.value


ANSWERS = (
    *OVER_PERPLEXITY,
    (ENSEMBLE, "NDD-based Delete"),
    (ENSEMBLE, "NDD-based Replace by word"),
    (ENSEMBLE, "Random"),
    (ENSEMBLE, "Tagger's verbs"),
)
"""What the paper's claims are about, as pairs of methods, and the ensemble beside a trained tagger."""


@by_model
def answers(items: pandas.DataFrame, *, resamples: int = 2000) -> Rows:
    """The paper's questions in one difference each: the mean over the data sets, in points; as `summary`."""
    measured = per_sentence(items)
    for pair in ANSWERS:
        if set(pair) <= set(measured["method"]):
            found = differences(measured, [pair], resamples=resamples)  # mAP and AUC of each data set
            for place, measure in enumerate(MEASURES):
                value = found[place :: len(MEASURES)].mean(unit="points")
                yield {"row": " minus ".join(pair), "column": measure, "value": value}


@by_model
def compared(
    items: pandas.DataFrame, pairs: Sequence[tuple[str, str]] = COMPARISONS, *, resamples: int = 2000, **choices: Any
) -> Rows:
    """Differences of two methods on the same sentences, in points, with p-values corrected for each other (Holm).

    ``published`` is the paper's difference, where its table has both methods.

    Parameters
    ----------
    items, resamples, choices
        As those of `summary`.
    pairs : sequence of (str, str)
        Methods, the second taken from the first; those without scores are left out.
    """
    family = {}
    for name, found in sampled(per_sentence(items, **choices), resamples=resamples).items():
        for (first, second), measure in itertools.product(pairs, MEASURES):
            if {(first, measure), (second, measure)} <= found.keys():
                difference = found[first, measure] - found[second, measure]
                family[first, second, name, measure] = difference.estimate(unit="points")
    for (first, second, *cell), value in adjusted(family, "holm").items():
        printed = _published(first, *cell) - _published(second, *cell)
        yield _row(f"{first} minus {second}", *cell, value) | {"published": printed}


@tabled
def models_compared(items: pandas.DataFrame, first: str, second: str, *, resamples: int = 2000) -> Rows:
    """One model's results minus another's on the same sentences, method by method, in points."""
    measured, measures = per_sentence(items), list(MEASURES)
    measured = measured[measured["method"].isin([*ROWS, ENSEMBLE])]
    for (name, method), part in measured.groupby(["data", "method"], sort=False, observed=True):
        both = part.pivot(index="sentence", columns="model", values=measures).dropna()
        if {first, second} <= set(both.columns.get_level_values(1)) and len(both) > 1:
            difference = both.xs(first, axis=1, level=1) - both.xs(second, axis=1, level=1)
            found = means(difference.to_numpy(float), resamples=resamples)
            yield from (_row(method, name, measure, found.estimate(i)) for i, measure in enumerate(measures))


def by_choice(items: pandas.DataFrame, *, resamples: int = 2000) -> pandas.DataFrame:
    """Some methods by other choices of what is a predicate, what is a word, and what is ranked together."""
    rows = []
    for choice, options in CHOICES.items():
        found = summary(items, resamples=resamples, methods=VARIED, **options)
        rows.append(found.assign(row=found["row"] + ", " + choice))
    lines = []
    for (model, name), part in items.groupby(["model", "data"], sort=False, observed=True):
        for method, measure, value in pooled(part, VARIED):
            lines.append(_row(f"{method}, pooled", str(name), measure, replace(value, p=None)) | {"model": model})
    return pandas.concat([*rows, estimates.frame(lines)], ignore_index=True)


@tabled
def by_part_of_speech(items: pandas.DataFrame, *, least: int = 20, resamples: int = 2000) -> Rows:
    """Mean rank (100 is the top of a sentence, 0 its end) of the words of each part of speech, by method.

    Parameters
    ----------
    items : DataFrame
        Of one model and data set.
    least : int
        Words that a part of speech has at least.
    resamples : int

    Returns
    -------
    DataFrame
        Estimates; ``words`` of each part of speech, and the share of them that are ``predicates``.
    """
    methods = ("NDD-based Delete", "NDD-based Replace by word", ENSEMBLE)
    sentences = list(_sentences(items))
    scores = [method_scores(words) for words in sentences]
    placed = [{name: ranks(each[name]) for name in methods} for each in scores]
    for tag, of_tag in items.groupby("tag", observed=True):
        if len(of_tag) < least:
            continue
        common = {"words": len(of_tag), "predicates": of_tag["predicate"].mean()}
        at = [words["tag"] == tag for words in sentences]
        for name in methods:
            sums = [[[ranked[name][where].sum(), where.sum()]] for ranked, where in zip(placed, at)]
            value = replace(shares(sums, resamples=resamples).estimate(), p=None)
            yield {"row": str(tag), "column": name, "value": percent(value), **common}


def _row(row: str, name: str, measure: str, value: Estimate) -> dict[str, Any]:
    return {"row": row, "column": f"{name} {measure}", "value": value, "data": name, "measure": measure}
