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
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import nbhelpers
from nbhelpers.base.errors import InputError
from nbhelpers.base.stats import Estimate, bootstrap, corrected, paired_bootstrap, percent, roc_auc
from nbhelpers.language.mlm import EncodedWords, MaskedLM, Question, check_words
from nbhelpers.language.tokens import is_word
from nbhelpers.metrics.ndd import Edit, NDDSettings, encode_edit, kept_positions, neighbour_weights
from nbhelpers.resources.treebank import Sentence, is_conllu, read_conll09, read_conllu
from nbhelpers.studies.ndd.pruning import part_of_speech
from nbhelpers.studies.ndd.together import Skipped, Steps, distributions, run_together, surprisal_question

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
"""Rows of Table 7, and the key of each in the results of `score_words`."""

COMPARISONS = (
    ("NDD-based Delete", "PPL-based Delete"),
    ("NDD-based Replace by mask", "PPL-based Replace by mask"),
    ("NDD-based Delete", "NDD-based Replace by word"),
    ("NDD-based Delete", "NDD-based Replace by mask"),
    ("NDD-based Ensemble", "NDD-based Delete"),
    ("NDD-based Ensemble", "NDD-based Replace by word"),
    ("NDD-based Ensemble", "Random"),
    ("NDD-based Ensemble", "Word position"),
    ("NDD-based Ensemble", "Is a verb, ties at random"),
    ("Is a verb, ties by NDD", "Is a verb, ties at random"),
)
"""Rows whose paired difference is recorded, the second taken from the first."""

VARIED = ("NDD-based Ensemble", "NDD-based Delete", "PPL-based Delete", "Is a verb, ties at random")
"""Rows that are recorded for other choices as well."""

CHOICES = {
    "verbal predicates only": {"verbal_only": True},
    "without punctuation": {"punctuation": False},
}
"""What counts as a predicate and as a word; `per_sentence` has the default."""


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
        check_words([self.replacement])
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

    def make(words: tuple[str, ...], number: int) -> tuple[int, Steps]:
        n = len(words)
        # the distributions compared with, and the questions: five for each word and neighbour
        return 4 * n * lm.vocabulary_size + 5 * n * n * (500 + 8 * n), _steps(lm, words, settings)

    results = run_together(lm, sentences, make)
    return [{"skipped": "too long"} if isinstance(result, Skipped) else result for result in results]


def _steps(lm: MaskedLM, words: tuple[str, ...], settings: EditSettings) -> Steps:
    """The computation of one sentence's scores (see `nbhelpers.studies.ndd.together.Steps`)."""
    if len(words) == 1:
        return {"skipped": "one word"}
    keys = [key for key in ROWS.values() if settings.perplexity or key.startswith("ndd")]
    scores: Scores = {"skipped": None, **{key: [0.0] * len(words) for key in keys}}
    original, edited = lm.encode(words), _edited(lm, words, settings)
    references = yield from distributions(lm, words)
    questions: list[Question] = []
    uses: list[tuple[list[float], int, float]] = []
    for edition, edit, beside, alone in edited:
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
) -> list[tuple[str, Edit, EncodedWords, EncodedWords]]:
    """The edited versions of a sentence, as the model sees them: beside the sentence, and as texts of their own."""
    new = {"delete": (), "mask": (lm.loaded.tokenizer.mask_token,), "word": (settings.replacement,)}
    edited = []
    for edition, put in new.items():
        for i in range(len(words)):
            edit = Edit(i, i + 1, put)
            text = words[:i] + put + words[i + 1 :]
            beside = encode_edit(lm, words, text, [edit])[1]
            # These differ only where the first word goes: the next one keeps its space beside the sentence.
            alone = lm.encode(text) if settings.perplexity and not (i or put) else beside
            edited.append((edition, edit, beside, alone))
    return edited


def shares(scores: Sequence[float]) -> np.ndarray:
    """Scores of the words of one sentence divided by their sum; equal shares where all are 0.

    Raises
    ------
    InputError
        For a score that is not finite or negative.

    Examples
    --------
    >>> shares([1, 3]).tolist()
    [0.25, 0.75]
    """
    values = _finite(scores)
    if (values < 0).any():
        raise InputError(f"A share needs scores of at least 0, and one is {values.min():g}.")
    return values / values.sum() if values.any() else np.full(len(values), 1 / len(values))


def ranks(scores: Sequence[float]) -> np.ndarray:
    """Share of the words of a sentence with a lower score, ties and the word itself by half: 1 is the top, 0 the end.

    Examples
    --------
    >>> ranks([1, 3]).tolist()
    [0.25, 0.75]
    """
    values = _finite(scores)
    return (np.less.outer(values, values) + np.equal.outer(values, values) / 2).mean(0)


def ensemble(editions: Sequence[Sequence[float]]) -> np.ndarray:
    """Product of the `shares` of one sentence's words under several edits, shape (n,).

    Examples
    --------
    >>> ensemble([[1, 3], [1, 1]]).round(3).tolist()
    [0.125, 0.375]
    """
    if len({len(scores) for scores in editions}) != 1:
        raise InputError("An ensemble takes one or more score lists of the same length.")
    with np.errstate(divide="ignore"):  # a sum of logarithms; a score of 0 makes the product 0
        return np.exp(sum(np.log(shares(scores)) for scores in editions))


def average_precision(labels: Sequence[bool], scores: Sequence[float]) -> float:
    """Average precision of a ranking (see `nbhelpers.base.stats`), where words with the same score stand at random.

    It is the mean over all orders of such words, so that a score without information has what a random order has.

    Examples
    --------
    >>> average_precision([True, False], [0.0, 0.0])  # first in half of the orders, second in the other half
    0.75
    """
    labels, values = np.asarray(labels, dtype=bool), _finite(scores)
    order = np.argsort(-values, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(values[order]) != 0))
    size, hits = np.diff(np.append(starts, len(values))), np.add.reduceat(labels[order].astype(int), starts)
    group = np.repeat(np.arange(len(starts)), size)
    places = np.arange(len(values))
    beside = (places - starts[group]) * ((hits - 1) / np.maximum(1, size - 1))[group]
    found = (np.cumsum(hits) - hits)[group] + 1 + beside  # predicates down to a place, if a predicate stands there
    return float(((hits / size)[group] * found / (places + 1)).sum() / hits.sum())


MEASURES = {"mAP": average_precision, "AUC": roc_auc}
"""The measures of Table 7; each takes labels and scores."""


def method_scores(sentence: Sentence, scores: Scores, tags: Sequence[str] | None = None) -> dict[str, np.ndarray]:
    """Scores of a sentence's words by method; higher means predicate. Baselines follow the rows of Table 7.

    Parameters
    ----------
    sentence, scores
        A sentence and its entry in the result of `score_words`, not a skipped one.
    tags : sequence of str, optional
        A tagger's parts of speech. Verbs begin with V (``VERB`` of the universal tags, not ``AUX``; ``VBD`` of the
        Penn set), nouns with NN or NOUN.

    Examples
    --------
    >>> from nbhelpers.base.paths import data_dir
    >>> sentence = read_predicates(data_dir() / "corpus" / "treebank-en.conllu")[0]
    >>> list(method_scores(sentence, {"ndd delete": [0.5] * len(sentence)}))[:3]
    ['NDD-based Delete', 'NDD-based Ensemble', 'Random']
    """
    rows = {name: np.array(scores[key]) for name, key in ROWS.items() if key in scores}
    rows["NDD-based Ensemble"] = ensemble([rows[name] for name in rows if name.startswith("NDD")])
    rows["Random"] = np.zeros(len(sentence))
    rows["Word position"] = -np.arange(len(sentence), dtype=float)
    rows |= {f"{name}, lower first": -rows[name] for name in ROWS if name.startswith("PPL") and name in rows}
    if tags is not None:
        verb = np.array([tag.startswith("V") for tag in tags], dtype=float)
        noun = np.isin(tags, ("NN", "NNS", "NOUN"))
        rows["Is a verb, ties at random"] = verb
        rows["Is a verb, ties by NDD"] = verb + ranks(rows["NDD-based Ensemble"]) / 2
        rows["Verbs, then nouns, ties at random"] = 2 * verb + noun
    return rows


# Measures --------------------------------------------------------------------------------------------------


def labelled(
    sentences: Sequence[Sentence],
    scores: Sequence[Scores],
    tags: Sequence[Sequence[str]] | None = None,
    *,
    verbal_only: bool = False,
    punctuation: bool = True,
) -> list[tuple[np.ndarray, dict[str, np.ndarray]]]:
    """For each sentence with scores which words are predicates, and their scores by method.

    Parameters
    ----------
    sentences, scores, tags
        A treebank, what `score_words` gave for its words, and a tagger's parts of speech.
    verbal_only : bool
        Whether only verbs are predicates, and those that are none, such as nouns, count as other words.
    punctuation : bool
        Whether words without a letter or a digit are ranked as well.
    """
    if len(sentences) != len(scores):
        raise InputError(f"There are {len(sentences)} sentences and scores for {len(scores)}.")
    found = []
    for i, (sentence, given) in enumerate(zip(sentences, scores)):
        if not given["skipped"]:
            kept = [k for k, word in enumerate(sentence.words) if punctuation or is_word(word)]
            marked = sentence.predicates(verbal_only=verbal_only)
            by_method = method_scores(sentence, given, tags and tags[i])
            labels = np.array([k in marked for k in kept], dtype=bool)
            found.append((labels, {name: values[kept] for name, values in by_method.items()}))
    return found


def per_sentence(
    sentences: Sequence[Sentence],
    scores: Sequence[Scores],
    tags: Sequence[Sequence[str]] | None = None,
    **choices: Any,
) -> dict[str, np.ndarray]:
    """Average precision and AUC of each method on each sentence that has predicates and other words, shape (n, 2).

    ``Random`` is what a random order has on average. Parameters are those of `labelled`.

    Examples
    --------
    >>> from nbhelpers.base.paths import data_dir
    >>> sentences = read_predicates(data_dir() / "corpus" / "treebank-en.conllu")[:9]
    >>> scores = [{"skipped": None, "ndd delete": [0.5] * len(sentence)} for sentence in sentences]
    >>> float(per_sentence(sentences, scores)["NDD-based Delete"].mean(0)[1])
    0.5
    """
    words = labelled(sentences, scores, tags, **choices)
    usable = [(labels, rows) for labels, rows in words if labels.any() and not labels.all()]
    if len(usable) < 2:
        raise InputError(f"{len(usable)} sentences have predicates and other words; 2 are needed.")
    return {
        name: np.array([[measure(labels, rows[name]) for measure in MEASURES.values()] for labels, rows in usable])
        for name in usable[0][1]
    }


def pooled(
    words: Sequence[tuple[np.ndarray, dict[str, np.ndarray]]], method: str, *, resamples: int = 200
) -> list[Estimate]:
    """Average precision and AUC with the words of all sentences in one ranking; the bootstrap draws whole sentences.

    Parameters
    ----------
    words
        As `labelled` gives them.
    method : str
        One of the methods.
    resamples : int
        Of the bootstrap.
    """
    pairs = [(labels, rows[method]) for labels, rows in words]

    def together(measure: Callable, drawn: np.ndarray) -> float:
        return measure(*(np.concatenate(side) for side in zip(*(pairs[i] for i in drawn.astype(int)))))

    both = [functools.partial(together, measure) for measure in MEASURES.values()]
    return [bootstrap(np.arange(len(words)), statistic, resamples=resamples) for statistic in both]


# Rows for the ledger ---------------------------------------------------------------------------------------


def table_rows(
    column: str,
    sentences: Sequence[Sentence],
    scores: Sequence[Scores],
    tags: Sequence[Sequence[str]] | None = None,
    *,
    resamples: int = 2000,
) -> list[dict[str, Any]]:
    """Table 7 for one data set, as rows for the ledger, times 100: methods, baselines, differences, other choices.

    Parameters
    ----------
    column : str
        Name of the data set.
    sentences, scores, tags
        A treebank, what `score_words` gave for its words, and a tagger's parts of speech.
    resamples : int
        Of the bootstrap over sentences.
    """
    measured = per_sentence(sentences, scores, tags)
    rows = _estimates(column, measured, resamples)
    differences = []
    for first, second in COMPARISONS:
        if {first, second} <= measured.keys():
            name = f"{first} minus {second.removeprefix('Is a verb, ') if first.startswith('Is') else second}"
            for which, measure in enumerate(MEASURES):
                pair = measured[first][:, which], measured[second][:, which]
                differences.append(_row(name, f"{column} {measure}", paired_bootstrap(*pair, resamples=resamples)))
    notes = corrected(dict(enumerate(row["value"] for row in differences)), resamples)
    rows += [{**row, "note": notes[place]} for place, row in enumerate(differences)]
    varied = [name for name in VARIED if name in measured]
    for choice, options in CHOICES.items():
        again = per_sentence(sentences, scores, tags, **options)
        rows += _estimates(column, {f"{name}, {choice}": again[name] for name in varied}, resamples)
    words = labelled(sentences, scores, tags)
    for name in varied:
        for measure, estimate in zip(MEASURES, pooled(words, name)):
            rows.append(_row(f"{name}, pooled", f"{column} {measure}", estimate))
    return rows


def model_rows(
    name: str,
    column: str,
    sentences: Sequence[Sentence],
    scores: Sequence[Scores],
    other: Sequence[Scores],
    *,
    resamples: int = 2000,
) -> list[dict[str, Any]]:
    """One model's results minus another's on the same sentences, method by method, in points, as rows for the ledger.

    `name` says which minus which; the other parameters are those of `table_rows`.
    """
    first, second = (per_sentence(sentences, given) for given in (scores, other))
    found = {
        (f"{name}, {method}", f"{column} {measure}"): paired_bootstrap(
            values[:, which], second[method][:, which], resamples=resamples
        )
        for method, values in first.items()
        if method in (*ROWS, "NDD-based Ensemble")
        for which, measure in enumerate(MEASURES)
    }
    notes = corrected(found, resamples)
    return [_row(*key, value, note=notes[key]) for key, value in found.items()]


def error_rows(
    column: str, sentences: Sequence[Sentence], scores: Sequence[Scores], *, least: int = 20, resamples: int = 2000
) -> list[dict[str, Any]]:
    """Mean rank (100 is the top of a sentence, 0 its end) of the words of each part of speech, by three methods.

    Parameters
    ----------
    column, sentences, scores, resamples
        As those of `table_rows`.
    least : int
        Words that a part of speech has at least.
    """
    pairs = [(s, method_scores(s, given)) for s, given in zip(sentences, scores) if not given["skipped"]]
    kinds = [np.array([part_of_speech(token) for token in s.tokens]) for s, _ in pairs]
    rows = []
    for kind in sorted({kind for words in kinds for kind in words}):
        chosen = [words == kind for words in kinds]
        marked = sum(len(set(np.flatnonzero(c)) & set(s.predicates())) for c, (s, _) in zip(chosen, pairs))
        if (total := sum(c.sum() for c in chosen)) < least:
            continue
        for method in ("NDD-based Delete", "NDD-based Replace by word", "NDD-based Ensemble"):
            sums = np.array([(ranks(by[method])[c].sum(), c.sum()) for c, (_, by) in zip(chosen, pairs)])
            estimate = bootstrap(sums, lambda rows: rows[:, 0].sum() / rows[:, 1].sum(), resamples=resamples)
            note = f"{total} words, {marked} of them predicates"
            rows.append(_row(f"Mean rank of {kind}: {method}", column, estimate, note=note))
    return rows


def _estimates(column: str, measured: Mapping[str, np.ndarray], resamples: int) -> list[dict[str, Any]]:
    return [
        _row(name, f"{column} {measure}", bootstrap(values[:, which], resamples=resamples))
        for name, values in measured.items()
        for which, measure in enumerate(MEASURES)
    ]


def _row(name: str, column: str, found: Estimate, note: str = "") -> dict[str, Any]:
    return {"row": name, "column": column, "value": percent(found), "note": note}


def _finite(values: Sequence[float]) -> np.ndarray:
    array = np.asarray(values, dtype=float)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise InputError("Scores are one list of finite numbers.")
    return array
