"""Predicate detection: the word whose edit disturbs its neighbours most is the likeliest predicate.

*A Novel Metric for Evaluating Semantics Preservation*, section 6 and Table 7. Each word of a sentence is
deleted, masked or replaced by a given word; words are ranked by the NDD of their edit, by the product of the
three (the ensemble), or by the pseudo-perplexity of the edited sentence. Where the paper leaves a choice:

* NDD has the weights of section 2 (``plain``);
* the ensemble multiplies "predicted probabilities", and NDD is none: each edition's scores are divided by their
  sum over the sentence, which ranks the words of a sentence as the plain product does;
* the perplexity of a sentence with ``[MASK]`` in it leaves the mask out, which stands for no word;
* every token is a candidate, punctuation too, as in CoNLL-2009;
* per-sentence measures leave out sentences without a predicate, where there is nothing to find, and sentences
  of predicates alone, where every ranking is right; pooled measures hold the words of all sentences.

The evidence ``ndd-predicates`` has one line for each word (`run`).
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas
from numpy.typing import ArrayLike

import nbhelpers
from nbhelpers.base import shards
from nbhelpers.base.errors import InputError
from nbhelpers.base.stats import Estimate, Resampled, adjusted, means, members, percent, resampled, shares
from nbhelpers.language.english import coarse_tag, load_english
from nbhelpers.language.mlm import EMBEDDED, EncodedWords, MaskedLM, Question, cached_engine, on_engine
from nbhelpers.language.tokens import is_word
from nbhelpers.metrics.ndd import Edit, NDDSettings, encode_edit, kept_positions, neighbour_weights
from nbhelpers.resources import data
from nbhelpers.resources.treebank import Sentence, is_conllu, read_conll09, read_conllu
from nbhelpers.results import estimates, evidence, published
from nbhelpers.results.estimates import Rows, by_model, tabled
from nbhelpers.studies.ndd.pruning import chosen
from nbhelpers.studies.ndd.together import Skipped, Steps, distributions, run_together, surprisal_question
from nbhelpers.studies.ndd.trees import part_of_speech

REPLACEMENTS = {"ENG-ID": "a", "ENG-OOD": "that", "SPA": "el"}
"""The replacement words of Table 7, by data set."""

WEIGHTS = NDDSettings()
"""Those of section 2."""

Scores = dict[str, Any]
"""What `score_words` gives for one sentence."""

ROWS = {
    "NDD-based Delete": "ndd delete",
    "NDD-based Replace by mask": "ndd mask",
    "NDD-based Replace by word": "ndd word",
    "PPL-based Delete": "ppl delete",
    "PPL-based Replace by mask": "ppl mask",
}
"""Rows of Table 7, and the key of each in the results of `score_words` (in the evidence with ``_``)."""

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
}
"""What counts as a predicate and as a word; `per_sentence` has the default."""

SETS = {"ENG-ID": "srl-wsj", "ENG-OOD": "srl-ewt"}
"""The English data sets of Table 7, and what stands for them here."""


def read_predicates(path: str | Path) -> list[Sentence]:
    """Sentences with marked predicates: CoNLL-U (``.conllu``, also ``.gz``), else CoNLL-2009's layout.

    Examples
    --------
    >>> from nbhelpers.base.paths import data_dir
    >>> sentence = read_predicates(data_dir() / "corpus" / "treebank-en.conllu")[0]
    >>> [sentence.words[i] for i in sentence.predicates()]
    ['voted', 'close']
    """
    return read_conllu(path, require_tree=False) if is_conllu(path) else read_conll09(path)


@dataclass(frozen=True)
class EditSettings:
    """How the words of a sentence are edited and scored.

    Attributes
    ----------
    replacement : str
        The one word that takes the place of each word in the third edition.
    perplexity : bool
        Whether pseudo-perplexities are computed as well; they share most forward passes with NDD.
    """

    replacement: str = "a"
    perplexity: bool = True

    def __post_init__(self) -> None:
        if self.replacement.split() != [self.replacement]:
            raise InputError(f"replacement is one word, not {self.replacement!r}.")

    @property
    def signature(self) -> str:
        """The settings in one line."""
        perplexity = "without-mask" if self.perplexity else "no"
        return f"by:{self.replacement}|{WEIGHTS.signature}|ppl:{perplexity}|longest:any"


def scores_signature(lm: MaskedLM, settings: EditSettings) -> str:
    """One line that says how word scores were made.

    Examples
    --------
    >>> scores_signature(MaskedLM(), EditSettings()).split("|")[0]  # doctest: +SKIP
    'predicates'
    """
    return f"predicates|{lm.signature}|{settings.signature}|v:{nbhelpers.__version__}"


def score_words(
    lm: MaskedLM, sentences: Sequence[Sequence[str]], settings: EditSettings = EditSettings()
) -> list[Scores]:
    """Score every word of every sentence by what its edits do to the others.

    Parameters
    ----------
    lm : MaskedLM
        Sentences share its batches; the distributions of an unedited sentence are computed once.
    sentences : sequence of word lists
    settings : EditSettings

    Returns
    -------
    list of dict, fit for JSON
        ``skipped`` is None, and ``ndd delete``, ``ndd mask``, ``ndd word`` (nats, at least 0), ``ppl delete``
        and ``ppl mask`` (at least 1) hold one float per word. Or ``skipped`` says why there are none:
        ``too long``, or ``one word`` (a word without neighbours disturbs none, and an empty sum is no score).

    Raises
    ------
    InputError
        For a sentence that is no list of words.

    Examples
    --------
    >>> (scores,) = score_words(MaskedLM(), ["A cold rain fell .".split()])  # doctest: +SKIP
    >>> {key: len(values) for key, values in scores.items() if values}  # doctest: +SKIP
    {'ndd delete': 5, 'ndd mask': 5, 'ndd word': 5, 'ppl delete': 5, 'ppl mask': 5}
    """
    results = run_together(lm, sentences, lambda words, _: _steps(lm, words, settings))
    return [{"skipped": "too long"} if isinstance(result, Skipped) else result for result in results]


def _steps(lm: MaskedLM, words: tuple[str, ...], settings: EditSettings) -> Steps:
    """The computation of one sentence's scores (see `nbhelpers.studies.ndd.together.Steps`)."""
    if len(words) == 1:
        return {"skipped": "one word"}
    keys = [key for key in ROWS.values() if settings.perplexity or key.startswith("ndd")]
    scores: Scores = {"skipped": None, **{key: [0.0] * len(words) for key in keys}}
    original = lm.encode(words)
    references = yield from distributions(lm, words)
    questions: list[Question] = []
    uses: list[tuple[list[float], int, float]] = []
    for edition, edit, beside, alone in _edited(lm, words, settings):
        if beside.input_ids != original.input_ids:  # an edit that changes no piece has NDD 0 by definition
            weights = neighbour_weights(len(words), [edit], WEIGHTS)[1].tolist()
            for (k, place), weight in zip(kept_positions(len(words), [edit]), weights):
                questions.append(Question(lm.request(beside, place), references=(references[k],)))
                uses.append((scores[f"ndd {edition}"], edit.start, weight))
        if f"ppl {edition}" in scores:
            counted = [k for k in range(len(alone.words)) if edition != "mask" or k != edit.start]
            pieces = sum(alone.spans[k][1] - alone.spans[k][0] for k in counted)
            for k in counted:
                questions.append(surprisal_question(lm, alone, k))
                uses.append((scores[f"ppl {edition}"], edit.start, -1 / pieces))
    for (values, index, factor), answer in zip(uses, (yield questions)):
        values[index] += factor * sum(answer.divergences or answer.log_probabilities)
    for key in ("ppl delete", "ppl mask"):
        if key in scores:
            scores[key] = [math.exp(mean) for mean in scores[key]]
    return scores


def _edited(
    lm: MaskedLM, words: tuple[str, ...], settings: EditSettings
) -> Iterator[tuple[str, Edit, EncodedWords, EncodedWords]]:
    """The edited versions of a sentence, as the model sees them: beside the sentence, and as texts of their own."""
    new = {"delete": (), "mask": (lm.loaded.tokenizer.mask_token,), "word": (settings.replacement,)}
    for edition, put in new.items():
        for i in range(len(words)):
            edit = Edit(i, i + 1, put)
            text = words[:i] + put + words[i + 1 :]
            beside = encode_edit(lm, words, text, [edit])[1]
            # These differ only where the first word goes: the next one keeps its space beside the sentence.
            alone = lm.encode(text) if settings.perplexity and not (i or put) else beside
            yield edition, edit, beside, alone


def search(
    sentences: Sequence[Sentence],
    *,
    replacement: str = "a",
    model: str = EMBEDDED,
    mask: str = "word",
    dtype: str = "float32",
    workers: int = 1,
) -> list[Scores]:
    """What `score_words` gives for sentences; kept on disk, so that it can be resumed."""
    settings = EditSettings(replacement)
    return shards.map(
        functools.partial(on_engine, score_words, model=model, mask=mask, dtype=dtype, settings=settings),
        [sentence.words for sentence in sentences],
        signature=scores_signature(cached_engine(model, mask, dtype), settings),
        shard_size=2,  # a pair of sentences takes base a minute
        workers=workers,
        description=f"words scored by {model}",
    )


def of_sum(scores: Sequence[float]) -> np.ndarray:
    """Scores of the words of one sentence, 0 or more, divided by their sum; equal shares where all are 0.

    Examples
    --------
    >>> of_sum([1, 3, 0]).tolist(), of_sum([0, 0]).tolist()
    ([0.25, 0.75, 0.0], [0.5, 0.5])
    """
    values = np.asarray(scores, float)
    return values / values.sum() if values.any() else np.full(len(values), 1 / len(values))


def ranks(scores: Sequence[float]) -> np.ndarray:
    """Share of the words of a sentence with a lower score, ties and the word itself by half: 1 is the top, 0 the end.

    Examples
    --------
    >>> ranks([5, 1, 5, 0]).tolist()
    [0.75, 0.375, 0.75, 0.125]
    """
    rising = np.sort(scores)
    below, no_higher = (np.searchsorted(rising, scores, side) for side in ("left", "right"))
    return (below + no_higher) / 2 / len(rising)


def ensemble(editions: Sequence[Sequence[float]]) -> np.ndarray:
    """Product of the shares (`of_sum`) of one sentence's words under several edits, shape (n,).

    Examples
    --------
    >>> ensemble([[1, 3], [2, 2], [4, 1]]).round(4).tolist()  # such as 1/4 · 1/2 · 4/5
    [0.1, 0.075]
    >>> ensemble([[0, 1], [1, 1]]).tolist()
    [0.0, 0.5]
    """
    with np.errstate(divide="ignore"):  # a sum of logarithms; a score of 0 makes the product 0
        return np.exp(sum(np.log(of_sum(scores)) for scores in editions))


def average_precision(labels: Sequence[bool], scores: Sequence[float]) -> float:
    """Average precision of a ranking (see `nbhelpers.base.stats`), where words with the same score stand at random.

    It is the mean over all orders of such words, so that a score without information has what a random order has.

    Examples
    --------
    >>> average_precision([True, False], [0.0, 0.0])  # first in half of the orders, second in the other half
    0.75
    """
    labels, values = np.asarray(labels, dtype=bool), np.asarray(scores, float)
    order = np.argsort(-values, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(values[order]) != 0))
    size, hits = np.diff(np.append(starts, len(values))), np.add.reduceat(labels[order].astype(int), starts)
    group = np.repeat(np.arange(len(starts)), size)
    places = np.arange(len(values))
    beside = (places - starts[group]) * ((hits - 1) / np.maximum(1, size - 1))[group]
    found = (np.cumsum(hits) - hits)[group] + 1 + beside  # predicates down to a place, if a predicate stands there
    return float(((hits / size)[group] * found / (places + 1)).sum() / hits.sum())


def area(labels: np.ndarray, scores: np.ndarray) -> float:
    """Area under the ROC curve of one sentence: how often a predicate stands above another word, ties by half.

    Examples
    --------
    >>> area(np.array([True, False, False]), np.array([1.0, 1.0, 0.0]))
    0.75
    """
    predicates, others = scores[labels], np.sort(scores[~labels])
    below, no_higher = (np.searchsorted(others, predicates, side) for side in ("left", "right"))
    return float((below + no_higher).mean() / 2 / len(others))


MEASURES = {"mAP": average_precision, "AUC": area}
"""The measures of Table 7; each takes labels and scores."""


# Evidence ----------------------------------------------------------------------------------------------------


def run(sets: Mapping[str, Mapping[int, Sentence]], **options: Any) -> pandas.DataFrame:
    """Score every word of sentences by what its edits do to the others.

    Parameters
    ----------
    sets : mapping of str to mapping of int to Sentence
        Sentences by their place in the file of each data set. Those of `REPLACEMENTS` have the paper's replacement
        word, others *a*; all but *SPA* are tagged by the package's English tagger.
    **options
        Of `search`: masked language model, processes.

    Returns
    -------
    DataFrame
        One line per word. ``data``, ``sentence`` (its place) and ``words`` (its length); ``place`` of the word;
        ``predicate``, and ``verbal`` for one that is a verb; ``letters``: whether it has a letter or a digit; ``tag``
        and ``predicted``, its part of speech by the data and by the tagger (empty where none was used); and what each
        edit of `ROWS` gives. Sentences of one word, and those too long for the model, are left out.
    """
    parts = []
    for name, sentences in sets.items():
        many = list(sentences.values())
        found = search(many, replacement=REPLACEMENTS.get(name, "a"), **options)
        tags = load_english().tag([one.words for one in many]) if name != "SPA" else [[""] * len(one) for one in many]
        for place, one, scores, predicted in zip(sentences, many, found, tags):
            if not scores["skipped"]:
                marked, verbal = one.predicates(), one.predicates(verbal_only=True)
                columns = {
                    "data": name,
                    "sentence": place,
                    "words": len(one),
                    "place": range(len(one)),
                    "predicate": [i in marked for i in range(len(one))],
                    "verbal": [i in verbal for i in range(len(one))],
                    "letters": [is_word(word) for word in one.words],
                    "tag": [part_of_speech(token) for token in one.tokens],
                    "predicted": [tag and coarse_tag(tag) for tag in predicted],
                }
                columns |= {key.replace(" ", "_"): values for key, values in scores.items() if key != "skipped"}
                parts.append(pandas.DataFrame(columns))
    if not parts:
        raise InputError("no sentence could be scored")
    table = pandas.concat(parts, ignore_index=True)
    kinds = {"data": "category", "tag": "category", "predicted": "category"}
    kinds |= {"sentence": "int32", "words": "int16", "place": "int16"}
    return table.astype(kinds | {key.replace(" ", "_"): "float32" for key in ROWS.values()})


def record(
    *, model: str = EMBEDDED, sentences: int = 300, dtype: str = "bfloat16", workers: int = 1
) -> tuple[pandas.DataFrame, evidence.Run]:
    """Evidence in domain and out of domain, `sentences` of each of up to 20 words; see `chosen` and `run`."""
    located = {name: data.find(resource, "auto") for name, resource in SETS.items()}
    every = {name: read_predicates(there.path) for name, there in located.items()}
    asked = {name: chosen(many, sentences, longest=20, among=600) for name, many in every.items()}
    items = run(asked, model=model, dtype=dtype, workers=workers)
    lm = cached_engine(model, "word", dtype)
    return items, evidence.Run(
        model=model,
        identity=lm.loaded.identity,
        data="; ".join(there.identity for there in located.values()),
        signature=scores_signature(lm, EditSettings()).replace("by:a|", "by:a,that|"),
    )


# Measures --------------------------------------------------------------------------------------------------


def _sentences(items: pandas.DataFrame, *keys: str) -> Iterator[dict[str, np.ndarray]]:
    """The columns of each sentence, as arrays: much faster than a frame for each."""
    number = items.groupby([*keys, "sentence"], sort=False, observed=True).ngroup().to_numpy()
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
    punctuation: bool = True,
    methods: Sequence[str] = (),
) -> pandas.DataFrame:
    """Average precision and AUC of each method on each sentence that has predicates and other words, times 100.

    Parameters
    ----------
    items : DataFrame
        As `run` makes them, or `evidence.load` has them; what this function made of them is returned as it is.
    verbal_only : bool
        Whether only verbs are predicates, and those that are none, such as nouns, count as other words.
    nouns : bool
        Whether every common noun is a predicate, too. CoNLL-2009 has predicates of NomBank beside those of PropBank, so
        that many nouns are; this marks all of them.
    punctuation : bool
        Whether words without a letter or a digit are ranked as well.
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
    for words in _sentences(items, "model", "data"):
        labels = words["verbal" if verbal_only else "predicate"].astype(bool)
        if nouns:
            labels = labels | (words["tag"] == "NOUN")
        kept = np.full(len(labels), True) if punctuation else words["letters"].astype(bool)
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
    scores = [method_scores(words) for words in sentences]
    for method, (name, measure) in itertools.product(methods, MEASURES.items()):
        ranking = [each[method] for each in scores]
        yield method, name, _in_one_ranking(sentences, ranking, measure, resamples=resamples)


def among(items: pandas.DataFrame, tag: str, *, resamples: int = 2000) -> Estimate:
    """How often the ensemble ranks a predicate above another word of the same part of speech, all sentences together.

    Words stand at their rank within their sentence; sentences are resampled. In per cent; one model and data set.
    """
    sentences = list(_sentences(items))
    chosen = [words["tag"] == tag for words in sentences]
    placed = [ranks(method_scores(words)[ENSEMBLE])[own] for words, own in zip(sentences, chosen)]
    some = [{name: column[own] for name, column in words.items()} for words, own in zip(sentences, chosen)]
    return _in_one_ranking(some, placed, area, null=0.5, resamples=resamples)


def _in_one_ranking(
    sentences: Sequence[Mapping[str, np.ndarray]], ranking: Sequence[np.ndarray], measure: Callable, **how: Any
) -> Estimate:
    """A measure of the words of all sentences by their scores, in per cent; keywords of `resampled`."""
    labels, groups = (np.concatenate([one[name] for one in sentences]) for name in ("predicate", "sentence"))
    labels, scores = labels.astype(bool), np.concatenate(ranking)

    def ranked(drawn: np.ndarray) -> float:
        some = labels[drawn]
        return measure(some, scores[drawn]) if some.any() and not some.all() else math.nan

    return percent(resampled(ranked, groups, **how))


# Tables ----------------------------------------------------------------------------------------------------


@by_model
def summary(items: pandas.DataFrame, *, resamples: int = 2000, **choices: Any) -> Rows:
    """Table 7, times 100: each method, and the baselines, on each data set.

    Parameters
    ----------
    items : DataFrame
        As `run` makes them, `evidence.load` has them or `per_sentence` measured them; of one or several models.
    resamples : int
        Of the sentences.
    **choices
        ``verbal_only``, ``nouns``, ``punctuation`` and ``methods`` of `per_sentence`.
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


TABLES = {
    "ndd/table7": summary,
    "ndd/table7, the answers": answers,
    "ndd/table7, differences": compared,
    "ndd/table7, other choices": by_choice,
}
"""For each table the function that makes its estimates."""
