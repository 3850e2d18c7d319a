"""Predicate detection: the word whose edit disturbs its neighbours most is the likeliest predicate.

*A Novel Metric for Evaluating Semantics Preservation*, section 6 and Table 7. Each word of a sentence is
deleted, masked or replaced by a given word; words are ranked by the NDD of their edit, by the product of the
three (the ensemble), or by the pseudo-perplexity of the edited sentence. Where the paper leaves a choice:

* NDD has the weights of section 2 (``plain``); `EditSettings.ndd` takes others;
* the ensemble multiplies "predicted probabilities", and NDD is none: by default each edition's scores are
  divided by their sum over the sentence (`normalise` has others);
* the perplexity of a sentence with ``[MASK]`` in it leaves the mask out, which stands for no word;
* every token is a candidate, punctuation too, as in CoNLL-2009;
* per-sentence measures leave out sentences without a predicate, where there is nothing to find, and sentences
  of predicates alone, where every ranking is right; pooled measures hold the words of all sentences.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import nbhelpers
from nbhelpers.base.errors import InputError
from nbhelpers.base.stats import Estimate, bootstrap
from nbhelpers.language.mlm import EncodedWords, MaskedLM, Question, check_words
from nbhelpers.language.tokens import is_word
from nbhelpers.metrics.ndd import (
    Edit,
    NDDSettings,
    encode_edit,
    kept_positions,
    neighbour_distances,
    neighbour_weights,
)
from nbhelpers.resources.treebank import Sentence, is_conllu, read_conll09, read_conllu
from nbhelpers.studies.ndd.together import Skipped, Steps, distributions, run_together, surprisal_question

REPLACEMENTS = {"ENG-ID": "a", "ENG-OOD": "that", "SPA": "el"}
"""The replacement words of Table 7, by data set."""

Scores = dict[str, Any]
"""What `score_words` gives for one sentence."""

NORMALISATIONS = ("share", "softmax", "rank", "none")

ROWS = {
    "NDD-based Delete": "ndd delete",
    "NDD-based Replace by mask": "ndd mask",
    "NDD-based Replace by word": "ndd word",
    "PPL-based Delete": "ppl delete",
    "PPL-based Replace by mask": "ppl mask",
}
"""Rows of Table 7, and the key of each in the results of `score_words`."""


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
    ndd : NDDSettings
        Weights and divergence.
    perplexity : bool
        Whether pseudo-perplexities are computed as well; they share most forward passes with NDD.
    """

    replacement: str = "a"
    ndd: NDDSettings = NDDSettings()
    perplexity: bool = True

    def __post_init__(self) -> None:
        check_words([self.replacement])
        if self.replacement.split() != [self.replacement]:
            raise InputError(f"replacement is one word, not {self.replacement!r}.")

    @property
    def signature(self) -> str:
        """The settings in one line."""
        perplexity = "without-mask" if self.perplexity else "no"
        return f"by:{self.replacement}|{self.ndd.signature}|ppl:{perplexity}|longest:any"


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

    results = run_together(lm, sentences, make, direction=settings.ndd.direction)
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
            distances = neighbour_distances(len(words), [edit], settings.ndd.nearest_distance)
            weights = neighbour_weights(distances, settings.ndd).tolist()
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


def normalise(scores: Sequence[float], how: str = "share") -> np.ndarray:
    """Scores of the words of one sentence as something like probabilities, shape (n,); their order stays.

    Parameters
    ----------
    scores : sequence of float
    how : {"share", "softmax", "rank", "none"}
        ``share`` divides by the sum (equal shares where all are 0); ``softmax`` divides exponentials by their
        sum; ``rank`` is the share of words with a lower score, ties and the word itself by half; ``none``
        changes nothing.

    Raises
    ------
    InputError
        For an unknown `how`, a score that is not finite, or a negative one that is to have a share.

    Examples
    --------
    >>> normalise([1, 3]).tolist()
    [0.25, 0.75]
    >>> normalise([1, 3], "rank").tolist()
    [0.25, 0.75]
    """
    values = _finite(scores)
    if how not in NORMALISATIONS:
        raise InputError(f"how is one of {', '.join(NORMALISATIONS)}, not {how!r}.")
    if how == "rank":
        lower = np.less.outer(values, values) + np.equal.outer(values, values) / 2
        return lower.sum(0) / max(1, len(values))
    if how == "none" or not len(values):
        return values
    values = np.exp(values - values.max()) if how == "softmax" else values
    if (values < 0).any():
        raise InputError(f"A share needs scores of at least 0, and one is {values.min():g}.")
    return values / values.sum() if values.any() else np.full(len(values), 1 / len(values))


def ensemble(editions: Sequence[Sequence[float]], how: str = "share") -> np.ndarray:
    """Product of the normalised scores of one sentence's words under several edits, shape (n,).

    Computed as a sum of logarithms. ``share`` and ``none`` (see `normalise`) differ by one factor in each
    sentence: they rank its words alike, but not the words of all sentences pooled.

    Examples
    --------
    >>> ensemble([[1, 3], [1, 1]]).round(3).tolist()
    [0.125, 0.375]
    """
    if len({len(scores) for scores in editions}) != 1:
        raise InputError("An ensemble takes one or more score lists of the same length.")
    with np.errstate(divide="ignore"):  # a score of 0 makes the product 0
        return np.exp(sum(np.log(normalise(scores, how)) for scores in editions))


def verb_scores(sentence: Sentence, tagger: Callable[[list[str]], Sequence[str]] | None = None) -> list[float]:
    """1 for a verb, 0 for any other word: the baseline that only knows parts of speech.

    A verb's tag begins with V: ``VERB`` of the universal tags (not ``AUX``), ``VBD`` of the Penn set.

    Parameters
    ----------
    sentence : Sentence
    tagger : callable, optional
        Gives one tag for each of a list of words; without it the tags are the treebank's own.

    Raises
    ------
    InputError
        When there are no tags.

    Examples
    --------
    >>> from nbhelpers.base.paths import data_dir
    >>> sentence = read_predicates(data_dir() / "corpus" / "treebank-en.conllu")[0]
    >>> [word for word, score in zip(sentence.words, verb_scores(sentence)) if score]
    ['voted', 'close']
    """
    tags = [token.upos if token.upos != "_" else token.xpos for token in sentence.tokens]
    if tagger is not None:
        tags = tagger(sentence.words)
    elif set(tags) == {"_"}:
        raise InputError(f"Sentence {sentence.sent_id} has no parts of speech; pass a tagger.")
    return [float(tag[:1] in ("V", "v")) for tag in tags]


def method_scores(
    sentence: Sentence,
    scores: Scores,
    *,
    how: str = "share",
    verbs: Callable[[Sentence], Sequence[float]] | None = verb_scores,
    rng: np.random.Generator | None = None,
) -> dict[str, np.ndarray]:
    """Scores of a sentence's words by method, under the names of Table 7's rows; higher means predicate.

    Baselines follow the paper's rows: ``Random``, ``Word position`` (the earlier, the higher), ``Is a verb``.

    Parameters
    ----------
    sentence, scores
        A sentence and its entry in the result of `score_words`, not a skipped one.
    how : str
        See `ensemble`.
    verbs : callable or None
        Gives the scores of the last baseline; None leaves it out, for data without parts of speech.
    rng : numpy.random.Generator, optional
        For the random scores.

    Examples
    --------
    >>> from nbhelpers.base.paths import data_dir
    >>> sentence = read_predicates(data_dir() / "corpus" / "treebank-en.conllu")[0]
    >>> list(method_scores(sentence, {"ndd delete": [0.5] * len(sentence)}))
    ['NDD-based Delete', 'NDD-based Ensemble', 'Random', 'Word position', 'Is a verb']
    """
    rows = {name: np.array(scores[key]) for name, key in ROWS.items() if key in scores}
    rows["NDD-based Ensemble"] = ensemble([rows[name] for name in rows if name.startswith("NDD")], how)
    rows["Random"] = (rng or np.random.default_rng(0)).random(len(sentence))
    rows["Word position"] = -np.arange(len(sentence), dtype=float)
    if verbs is not None:
        rows["Is a verb"] = np.array(verbs(sentence))
    return rows


@dataclass(frozen=True)
class Ranking:
    """How well one method ranks predicates above other words.

    Attributes
    ----------
    mean_average_precision, mean_auc : Estimate
        Means over sentences, in [0, 1]; n counts the sentences measured.
    pooled_average_precision, pooled_auc : Estimate
        All words of all sentences in one ranking; n counts sentences, and the bootstrap draws whole ones.
    average_precisions, areas : tuple of float
        The values behind the means, in the order of the sentences, for paired tests between methods.
    words, predicates : int
        Candidates of all sentences, and the predicates among them.
    without_predicate, only_predicates, skipped : int
        Sentences left out of the means, and those without scores, which are left out of everything.
    """

    mean_average_precision: Estimate
    mean_auc: Estimate
    pooled_average_precision: Estimate
    pooled_auc: Estimate
    average_precisions: tuple[float, ...]
    areas: tuple[float, ...]
    words: int
    predicates: int
    without_predicate: int
    only_predicates: int
    skipped: int


def evaluate(
    labels: Sequence[Sequence[bool]],
    scores: Sequence[Sequence[float] | None],
    *,
    resamples: int = 2000,
    seed: int = 0,
) -> Ranking:
    """Average precision and area under the ROC curve (see `nbhelpers.base.stats`), per sentence and pooled.

    Parameters
    ----------
    labels : sequence of bool lists, one per sentence
    scores : sequence of score lists
        Higher means predicate; None for a sentence without scores.
    resamples, seed : int
        Of the bootstrap over sentences.

    Raises
    ------
    InputError
        For numbers of sentences or words that differ, a score that is not finite, or fewer than two sentences
        with both predicates and other words.

    Examples
    --------
    >>> labels = [[True, False], [False, True]]
    >>> evaluate(labels, [[2.0, 1.0], [3.0, 1.0]], resamples=100).mean_average_precision.value
    0.75
    """
    if len(labels) != len(scores):
        raise InputError(f"There are labels for {len(labels)} sentences and scores for {len(scores)}.")
    pairs = []
    for number, (marks, given) in enumerate(zip(labels, scores)):
        if given is not None:
            pairs.append((np.asarray(marks, dtype=bool), _finite(given)))
            if len(marks) != len(given):
                raise InputError(f"Sentence {number} has {len(marks)} labels and {len(given)} scores.")
    measured = [_measures(*_sorted(*pair)) for pair in pairs if pair[0].any() and not pair[0].all()]
    if len(measured) < 2:
        both = f"{len(measured)} of {len(labels)} sentences have predicates and other words"
        raise InputError(f"{both}; 2 are needed.")
    precisions, areas = (tuple(values) for values in zip(*measured))
    owner = np.repeat(np.arange(len(pairs)), [len(truth) for truth, _ in pairs])
    truth, ranking, owner = _sorted(*(np.concatenate(side) for side in zip(*pairs)), owner)
    estimate = functools.partial(bootstrap, resamples=resamples, seed=seed)

    def pooled(drawn: np.ndarray, which: int) -> float:
        times = np.bincount(drawn.astype(int), minlength=len(pairs))
        return _measures(truth, ranking, times[owner])[which]

    return Ranking(
        estimate(precisions),
        estimate(areas),
        estimate(np.arange(len(pairs)), functools.partial(pooled, which=0)),
        estimate(np.arange(len(pairs)), functools.partial(pooled, which=1)),
        precisions,
        areas,
        words=len(truth),
        predicates=int(truth.sum()),
        without_predicate=sum(not marks.any() for marks, _ in pairs),
        only_predicates=sum(bool(marks.any() and marks.all()) for marks, _ in pairs),
        skipped=len(labels) - len(pairs),
    )


def evaluate_methods(
    sentences: Sequence[Sentence],
    scores: Sequence[Scores],
    *,
    verbal_only: bool = False,
    punctuation: bool = True,
    how: str = "share",
    seed: int = 0,
    verbs: Callable[[Sentence], Sequence[float]] | None = verb_scores,
    resamples: int = 2000,
) -> dict[str, Ranking]:
    """Table 7 for one data set: a `Ranking` for each row of `method_scores`.

    Parameters
    ----------
    sentences, scores
        A treebank and what `score_words` gave for its words.
    verbal_only : bool
        Whether only verbs are predicates, and those that are none, such as nouns, count as other words.
    punctuation : bool
        Whether words without a letter or a digit are ranked as well.
    how, verbs
        See `method_scores`.
    seed, resamples : int
        Of the random scores and the bootstrap; see `evaluate`.

    Examples
    --------
    >>> from nbhelpers.base.paths import data_dir
    >>> sentences = read_predicates(data_dir() / "corpus" / "treebank-en.conllu")[:9]
    >>> scores = [{"skipped": None, "ndd delete": [0.5] * len(sentence)} for sentence in sentences]
    >>> rankings = evaluate_methods(sentences, scores, resamples=100)
    >>> rankings["NDD-based Delete"].mean_auc.value
    0.5
    """
    if len(sentences) != len(scores):
        raise InputError(f"There are {len(sentences)} sentences and scores for {len(scores)}.")
    rng = np.random.default_rng(seed)
    labels, by_method = [], []
    for sentence, given in zip(sentences, scores):
        kept = [i for i, word in enumerate(sentence.words) if punctuation or is_word(word)]
        marked = sentence.predicates(verbal_only=verbal_only)
        labels.append([i in marked for i in kept])
        rows = None if given["skipped"] else method_scores(sentence, given, how=how, verbs=verbs, rng=rng)
        by_method.append(rows and {name: values[kept] for name, values in rows.items()})
    names = next((list(rows) for rows in by_method if rows), None)
    if names is None:
        raise InputError(f"None of {len(sentences)} sentences has scores.")
    return {
        name: evaluate(labels, [rows and rows[name] for rows in by_method], seed=seed, resamples=resamples)
        for name in names
    }


def _finite(values: Sequence[float]) -> np.ndarray:
    array = np.asarray(values, dtype=float)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise InputError("Scores are one list of finite numbers.")
    return array


def _sorted(truth: np.ndarray, ranking: np.ndarray, *others: np.ndarray) -> tuple[np.ndarray, ...]:
    order = np.argsort(-ranking, kind="stable")
    return tuple(values[order] for values in (truth, ranking, *others))


def _measures(truth: np.ndarray, ranking: np.ndarray, times: np.ndarray | int = 1) -> tuple[float, float]:
    """Average precision and area of a ranking sorted from high to low; word i counts ``times[i]`` times.

    So a bootstrap sorts only once, not for every resample as with scikit-learn's functions.
    """
    starts = np.flatnonzero(np.append(True, ranking[1:] != ranking[:-1]))
    hits, misses = np.add.reduceat(times * truth, starts), np.add.reduceat(times * ~truth, starts)
    found, wrong = np.cumsum(hits), np.cumsum(misses)
    if not found[-1] or not wrong[-1]:
        return math.nan, math.nan
    average = (hits * found / np.maximum(found + wrong, 1)).sum() / found[-1]
    area = (hits * (wrong[-1] - wrong + misses / 2)).sum() / (found[-1] * wrong[-1])
    return float(average), float(area)
