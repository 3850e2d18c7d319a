"""The measures of Table 2: F1 of tokens and BLEU against a gold compression, always with the compression ratio."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nbhelpers.base import stats
from nbhelpers.base.errors import InputError
from nbhelpers.language.tokens import is_word
from nbhelpers.studies.ndd.compression.search import Compression, Skipped


@dataclass(frozen=True)
class Conventions:
    """What counts as a token, and as a hit.

    Attributes
    ----------
    tokens : {"nltk", "given"}
        NLTK's word tokens of the text (words joined by spaces), or the words as given (a string is split at spaces).
    lowercase : bool
        Whether tokens are lower-cased.
    punctuation : bool
        Whether tokens without a letter or digit count.
    hits : {"clipped", "any"}
        For F1: a token is a hit as often as it stands on the other side (multisets, the usual reading), or whenever it
        stands there at all.
    """

    tokens: str = "nltk"
    lowercase: bool = False
    punctuation: bool = True
    hits: str = "clipped"

    def __post_init__(self) -> None:
        if self.tokens not in ("nltk", "given"):
            raise InputError(f"tokens is 'nltk' or 'given', not {self.tokens!r}.")
        if self.hits not in ("clipped", "any"):
            raise InputError(f"hits is 'clipped' or 'any', not {self.hits!r}.")

    @property
    def signature(self) -> str:
        """The conventions in one line."""
        case, marks = ("lower" if self.lowercase else "mixed"), ("yes" if self.punctuation else "no")
        return f"tok:{self.tokens}|case:{case}|punct:{marks}|hits:{self.hits}"


USUAL = Conventions()
"""Case-sensitive multisets of NLTK tokens, the custom on the Google set."""

TABLE_2 = Conventions(lowercase=True, hits="any")
"""Gives the paper's row for unedited sentences to within 0.4 points on the first 5,000 pairs of the evaluation file,
and the scores printed in Table 3 to the digit (its first example without the final period)."""


@functools.cache
def _nltk_tokenize():
    from nltk.tokenize import NLTKWordTokenizer

    return NLTKWordTokenizer().tokenize


def tokens_of(text: str | Sequence[str], conventions: Conventions = USUAL) -> list[str]:
    """Tokens of a text, given as a string or as words.

    Raises
    ------
    InputError
        If there are none.
    """
    if conventions.tokens == "nltk":
        tokens = _nltk_tokenize()(text if isinstance(text, str) else " ".join(text))
    else:
        tokens = text.split() if isinstance(text, str) else list(text)
    if conventions.lowercase:
        tokens = [token.lower() for token in tokens]
    if not conventions.punctuation:
        tokens = [token for token in tokens if is_word(token)]
    if not tokens:
        raise InputError(f"There is no token in {text!r} ({conventions.signature}).")
    return tokens


def token_scores(output: Sequence[str], reference: Sequence[str], hits: str = "clipped") -> tuple[float, float, float]:
    """Precision, recall and F1 of tokens, each in [0, 1]; `hits` as in `Conventions`."""
    if hits == "clipped":
        common = sum((Counter(output) & Counter(reference)).values())
        precision, recall = common / len(output), common / len(reference)
    else:
        there, here = set(reference), set(output)
        precision = sum(token in there for token in output) / len(output)
        recall = sum(token in here for token in reference) / len(reference)
    return precision, recall, 2 * precision * recall / (precision + recall) if precision + recall else 0.0


@functools.cache
def _bleu():
    from sacrebleu.metrics import BLEU

    return BLEU(tokenize="none", force=True, effective_order=True)


def corpus_bleu(counts: Any, order: int = 4) -> float:
    """sacreBLEU's corpus BLEU up to n-grams of `order`, in [0, 100], from the rows of `Evaluation.counts`."""
    totals = [int(total) for total in np.asarray(counts).sum(0)]
    return (
        type(_bleu())
        .compute_bleu(
            totals[:order], totals[4 : 4 + order], totals[8], totals[9], smooth_method="exp", max_ngram_order=order
        )
        .score
    )


@dataclass(frozen=True)
class Evaluation:
    """Scores of one system's outputs, one entry for each of n sentences.

    Attributes
    ----------
    name : str
    f1, precision, recall : numpy.ndarray, shape (n,), in [0, 100]
        Of tokens.
    ngrams : numpy.ndarray, shape (n, 4), in [0, 100]
        Precision of n-grams for n = 1 to 4, clipped, without smoothing or brevity penalty; 0 for an output shorter
        than n. Table 2's B1 to B4 and Table 3's BLEU are these, and B is their mean.
    kept_words, kept_characters : numpy.ndarray, shape (n,)
        Tokens (characters) of the output over those of the source: the compression ratio.
    counts : numpy.ndarray, shape (n, 10)
        n-gram hits (4), n-grams (4), length of output and of reference, for `corpus_bleu`.
    signature : str
    """

    name: str
    f1: np.ndarray
    precision: np.ndarray
    recall: np.ndarray
    ngrams: np.ndarray
    kept_words: np.ndarray
    kept_characters: np.ndarray
    counts: np.ndarray
    signature: str

    MEASURES = ("F1", "B1", "B2", "B3", "B4", "B", "kept words", "kept characters")
    CORPUS_MEASURES = ("BLEU-1", "BLEU-2", "BLEU-3", "BLEU")

    def scores(self, measure: str) -> np.ndarray:
        """Scores of the sentences, shape (n,), for a measure of `MEASURES`."""
        if measure not in self.MEASURES:
            raise InputError(f"The measure is one of {', '.join(self.MEASURES)}, not {measure!r}.")
        if measure == "F1":
            return self.f1
        if measure == "B":
            return self.ngrams.mean(1)
        if measure in ("kept words", "kept characters"):
            return getattr(self, measure.replace(" ", "_"))
        return self.ngrams[:, int(measure[1]) - 1]

    def estimate(self, measure: str, *, seed: int = 0) -> stats.Estimate:
        """A measure with its bootstrap interval: the mean over sentences, or corpus BLEU up to 1-, 2-, 3-, 4-grams."""
        if measure in self.CORPUS_MEASURES:
            order = self.CORPUS_MEASURES.index(measure) + 1
            return stats.bootstrap(self.counts, lambda rows: corpus_bleu(rows, order), seed=seed, resamples=500)
        return stats.bootstrap(self.scores(measure), seed=seed)

    def row(self) -> dict[str, float]:
        """Every measure's value, by name."""
        values = {measure: float(self.scores(measure).mean()) for measure in self.MEASURES}
        return values | {name: corpus_bleu(self.counts, i + 1) for i, name in enumerate(self.CORPUS_MEASURES)}


def mean_evaluation(runs: Sequence[Evaluation]) -> Evaluation:
    """Scores of several runs of one baseline as one system: means sentence by sentence, n-gram counts added up."""
    arrays = {
        field: np.mean([getattr(run, field) for run in runs], axis=0)
        for field in ("f1", "precision", "recall", "ngrams", "kept_words", "kept_characters")
    }
    return replace(runs[0], counts=sum(run.counts for run in runs), **arrays)


def evaluate(
    name: str,
    sources: Sequence[str | Sequence[str]],
    outputs: Sequence[str | Sequence[str]],
    references: Sequence[str | Sequence[str]],
    conventions: Conventions = USUAL,
) -> Evaluation:
    """Score outputs against references, sentence by sentence.

    Parameters
    ----------
    sources, outputs, references : sequences of texts
        Each a string or a sequence of words, of equal length.

    Raises
    ------
    InputError
        For lists of different lengths, no sentences, a text without tokens, or an output that is a `Skipped`.
    """
    if not len(sources) == len(outputs) == len(references) or not len(sources):
        raise InputError(f"There are {len(sources)} sources, {len(outputs)} outputs and {len(references)} references.")
    rows = []
    for number, texts in enumerate(zip(sources, outputs, references)):
        if isinstance(texts[1], (Skipped, Compression)):
            kind = type(texts[1]).__name__
            raise InputError(f"Output {number} is no text but a {kind}; leave skipped sentences out.")
        try:
            source, output, reference = (tokens_of(text, conventions) for text in texts)
        except InputError as error:
            raise InputError(f"Sentence {number}: {error}") from None
        bleu = _bleu().sentence_score(" ".join(output), [" ".join(reference)])
        counts = [*bleu.counts, *bleu.totals, bleu.sys_len, bleu.ref_len]
        ngrams = [hits / total if total else 0.0 for hits, total in zip(bleu.counts, bleu.totals)]
        precision, recall, f1 = token_scores(output, reference, conventions.hits)
        long, short = (len(text if isinstance(text, str) else " ".join(text)) for text in texts[:2])
        rows.append([f1, precision, recall, *ngrams, len(output) / len(source), short / long, *counts])
    table = np.array(rows)
    signature = f"f1|{conventions.signature}|ngrams:sacrebleu-{_sacrebleu_version()}|tok:none|macro"
    return Evaluation(
        name,
        *(100 * table[:, :3].T),
        100 * table[:, 3:7],
        table[:, 7],
        table[:, 8],
        table[:, 9:].astype(int),
        signature,
    )


def _sacrebleu_version() -> str:
    import sacrebleu

    return sacrebleu.__version__


def against_best(
    system: Evaluation, baselines: Sequence[Evaluation], measure: str = "F1", *, seed: int = 0
) -> tuple[str, stats.Estimate]:
    """Compare a system with the best of some baselines: its name, and the paired bootstrap of the difference.

    Raises
    ------
    InputError
        For no baselines, or scores of different conventions.
    """
    if not baselines:
        raise InputError("There is no baseline to compare with.")
    if any(baseline.signature != system.signature for baseline in baselines):
        raise InputError("The systems were scored by different conventions.")
    if measure in Evaluation.CORPUS_MEASURES:
        order = Evaluation.CORPUS_MEASURES.index(measure) + 1
        best = max(baselines, key=lambda baseline: corpus_bleu(baseline.counts, order))
        return best.name, stats.paired_bootstrap(
            system.counts, best.counts, seed=seed, resamples=500, statistic=lambda rows: corpus_bleu(rows, order)
        )
    best = max(baselines, key=lambda baseline: baseline.scores(measure).mean())
    return best.name, stats.paired_bootstrap(system.scores(measure), best.scores(measure), seed=seed)
