"""Predicate detection: the word whose edit disturbs its neighbours most is the likeliest predicate.

*A Novel Metric for Evaluating Semantics Preservation*, section 6 and Table 7. Each word of a sentence is
deleted, masked or replaced by a given word; words are ranked by the NDD of their edit, by the product of the
three (the ensemble), or by the pseudo-perplexity of the edited sentence. Where the paper leaves a choice:

* NDD has the weights of section 2 (``plain``);
* the ensemble multiplies "predicted probabilities", and NDD is none: here the NDDs themselves are multiplied (divided
  by their sum over the sentence they would rank its words in the same order);
* the perplexity of a sentence with ``[MASK]`` in it leaves the mask out, which stands for no word;
* every token is a candidate, punctuation too, as in CoNLL-2009.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import nbhelpers
from nbhelpers.base import shards
from nbhelpers.base.errors import InputError
from nbhelpers.language.mlm import EMBEDDED, EncodedWords, MaskedLM, Question, cached_engine, on_engine
from nbhelpers.metrics.ndd import Edit, NDDSettings, encode_edit, kept_positions, neighbour_weights
from nbhelpers.resources.treebank import Sentence, is_conllu, read_conll09, read_conllu
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
"""Rows of Table 7, and the key of each in the results of `score_words` (in the evidence with ``_``)."""

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
    """Product of the scores of one sentence's words under several edits, shape (n,).

    Examples
    --------
    >>> ensemble([[1, 3], [2, 2], [4, 0]]).tolist()
    [8.0, 0.0]
    """
    return np.prod(np.asarray(editions, float), axis=0)


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
