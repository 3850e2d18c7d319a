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


@dataclass(frozen=True)
class Conventions:
    """What counts as a hit.

    Attributes
    ----------
    lowercase : bool
        Whether tokens (NLTK's) are lower-cased.
    clipped : bool
        For F1: whether a token is a hit as often as it stands on the other side (multisets, the usual reading), or
        whenever it stands there at all.
    """

    lowercase: bool = False
    clipped: bool = True

    @property
    def signature(self) -> str:
        """The conventions in one line."""
        case, hits = ("lower" if self.lowercase else "mixed"), ("clipped" if self.clipped else "any")
        return f"tok:nltk|case:{case}|punct:yes|hits:{hits}"


USUAL = Conventions()
"""Case-sensitive multisets of NLTK tokens, the custom on the Google set."""

TABLE_2 = Conventions(lowercase=True, clipped=False)
"""Gives the paper's row for unedited sentences to within 0.4 points on the first 5,000 pairs of the evaluation file,
and the scores printed in Table 3 to the digit (its first example without the final period)."""


@functools.cache
def _nltk_tokenize():
    from nltk.tokenize import NLTKWordTokenizer

    return NLTKWordTokenizer().tokenize


def tokens_of(text: str, conventions: Conventions = USUAL) -> list[str]:
    """Tokens of a text.

    Raises
    ------
    InputError
        If there are none.

    Examples
    --------
    >>> tokens_of("He isn't here.")
    ['He', 'is', "n't", 'here', '.']
    """
    tokens = _nltk_tokenize()(text)
    if not tokens:
        raise InputError(f"There is no token in {text!r}.")
    return [token.lower() for token in tokens] if conventions.lowercase else tokens


def token_f1(output: Sequence[str], reference: Sequence[str], clipped: bool = True) -> float:
    """F1 of tokens, in [0, 1]; `clipped` as in `Conventions`.

    Examples
    --------
    >>> token_f1("a b b c".split(), "b a".split())
    0.6666666666666666
    """
    if clipped:
        common = sum((Counter(output) & Counter(reference)).values())
        precision, recall = common / len(output), common / len(reference)
    else:
        there, here = set(reference), set(output)
        precision = sum(token in there for token in output) / len(output)
        recall = sum(token in here for token in reference) / len(reference)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


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
    scores : dict of str to numpy.ndarray, shape (n,)
        ``F1`` of tokens, in [0, 100]. ``B1`` to ``B4``: precision of n-grams, clipped, without smoothing or brevity
        penalty, in [0, 100]; 0 for an output shorter than n. Table 2's B1 to B4 and Table 3's BLEU are these, and ``B``
        is their mean. ``kept words`` and ``kept characters``: tokens (characters) of the output over those of the
        source, the compression ratio.
    counts : numpy.ndarray, shape (n, 10)
        n-gram hits (4), n-grams (4), length of output and of reference, for `corpus_bleu`.
    signature : str
    """

    name: str
    scores: dict[str, np.ndarray]
    counts: np.ndarray
    signature: str

    def estimate(self, measure: str, *, seed: int = 0) -> stats.Estimate:
        """The mean of a measure over sentences with its bootstrap interval."""
        return stats.bootstrap(self.scores[measure], seed=seed)

    def row(self) -> dict[str, float]:
        """Every measure's mean, and corpus BLEU up to 1-, 2-, 3- and 4-grams."""
        values = {measure: float(scores.mean()) for measure, scores in self.scores.items()}
        bleu = {"BLEU-1": 1, "BLEU-2": 2, "BLEU-3": 3, "BLEU": 4}
        return values | {name: corpus_bleu(self.counts, order) for name, order in bleu.items()}


def mean_evaluation(runs: Sequence[Evaluation]) -> Evaluation:
    """Scores of several runs of one baseline as one system: means sentence by sentence, n-gram counts added up.

    Examples
    --------
    >>> outputs = ["a man sat .", "an old man ."]
    >>> runs = [evaluate("drawn", ["an old man sat ."], [output], ["a man sat ."]) for output in outputs]
    >>> round(mean_evaluation(runs).row()["F1"], 1)
    75.0
    """
    scores = {measure: np.mean([run.scores[measure] for run in runs], axis=0) for measure in runs[0].scores}
    return replace(runs[0], scores=scores, counts=sum(run.counts for run in runs))


def evaluate(
    name: str,
    sources: Sequence[str],
    outputs: Sequence[str],
    references: Sequence[str],
    conventions: Conventions = USUAL,
) -> Evaluation:
    """Score outputs against references, sentence by sentence.

    Parameters
    ----------
    name : str
        Of the system.
    sources, outputs, references : sequences of str
        Of equal length.
    conventions : Conventions

    Raises
    ------
    InputError
        For lists of different lengths, no sentences, or a text without tokens.

    Examples
    --------
    >>> result = evaluate("first words", ["an old man sat there ."], ["an old man ."], ["a man sat ."])
    >>> round(result.row()["F1"], 1)
    50.0
    """
    import sacrebleu

    if not len(sources) == len(outputs) == len(references) or not len(sources):
        raise InputError(f"There are {len(sources)} sources, {len(outputs)} outputs and {len(references)} references.")
    rows, counts = [], []
    for number, texts in enumerate(zip(sources, outputs, references)):
        try:
            source, output, reference = (tokens_of(text, conventions) for text in texts)
        except InputError as error:
            raise InputError(f"Sentence {number}: {error}") from None
        bleu = _bleu().sentence_score(" ".join(output), [" ".join(reference)])
        counts.append([*bleu.counts, *bleu.totals, bleu.sys_len, bleu.ref_len])
        ngrams = [100 * hits / total if total else 0.0 for hits, total in zip(bleu.counts, bleu.totals)]
        f1 = 100 * token_f1(output, reference, conventions.clipped)
        kept = len(output) / len(source), len(texts[1]) / len(texts[0])
        rows.append([f1, *ngrams, np.mean(ngrams), *kept])
    measures = ("F1", "B1", "B2", "B3", "B4", "B", "kept words", "kept characters")
    signature = f"f1|{conventions.signature}|ngrams:sacrebleu-{sacrebleu.__version__}|tok:none|macro"
    return Evaluation(name, dict(zip(measures, np.array(rows).T)), np.array(counts, dtype=int), signature)


def against_best(
    system: Evaluation, baselines: Sequence[Evaluation], measure: str = "F1", *, seed: int = 0
) -> tuple[str, stats.Estimate]:
    """Compare a system with the best of some baselines: its name, and the paired bootstrap of the difference.

    Raises
    ------
    InputError
        For scores of different conventions.

    Examples
    --------
    >>> texts = [["an old man sat ."] * 2, ["a man sat ."] * 2]
    >>> ours, base = evaluate("ours", *texts, texts[1]), evaluate("base", texts[0], texts[0], texts[1])
    >>> name, difference = against_best(ours, [base])
    >>> name, round(difference.value, 1)
    ('base', 33.3)
    """
    if any(baseline.signature != system.signature for baseline in baselines):
        raise InputError("The systems were scored by different conventions.")
    best = max(baselines, key=lambda baseline: baseline.scores[measure].mean())
    return best.name, stats.paired_bootstrap(system.scores[measure], best.scores[measure], seed=seed)
