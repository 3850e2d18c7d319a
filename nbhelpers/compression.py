"""Sentence compression by deleting spans that disturb their neighbours least (NDD, section 4), and what it is up to.

One iteration searches a text for spans whose deletion has an NDD below a threshold, chooses among overlapping ones and
deletes them; the next one searches the shorter text. Beside it stand the baselines of Table 2 (unedited, random and
perplexity-guided deletion, and the first words), the measures of that table, and a calibration of the threshold.

Where the paper leaves a choice, or its authors' code differs, `CompressionSettings` has a switch.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from nbhelpers import stats
from nbhelpers.data import CompressionPair, find, read_compressions
from nbhelpers.errors import InputError, ResourceNotFoundError, TextTooLongError
from nbhelpers.mlm import MaskedLM, cached_engine, check_words
from nbhelpers.models import EMBEDDED
from nbhelpers.ndd import NDDSettings, divergence, ndd_signature
from nbhelpers.span_search import (
    OVERLAP_RULES,
    Steps,
    candidate_spans,
    distributions,
    least_perplexity,
    rising,
    run_together,
    search_spans,
    select_spans,
    surprisals,
)
from nbhelpers.text.tokens import is_word
from nbhelpers.treebank import is_conllu, read_conllu

UNCHANGED, LIMIT, ITERATIONS, ONE_WORD = (
    "no span left below the threshold",
    "compression rate reached",
    "iterations used up",
    "a single word cannot be shortened",
)
"""Why a compression ended (`Compression.stopped`)."""


@dataclass(frozen=True)
class CompressionSettings:
    """How a sentence is compressed. The defaults are the paper's (section 4.4).

    Attributes
    ----------
    longest_span : int
        L_max, in words.
    inclusive : bool
        Whether a span may have `longest_span` words, or one less at most, as in the authors' code.
    threshold : float
        NDD_max in nats; a span is deleted only below it.
    ndd : NDDSettings
        Weights and direction; section 4.3's balanced weights with the bias ν for latter words.
    overlap : {"code", "paper", "lowest-first"}
        Which of two overlapping spans is deleted, see `nbhelpers.span_search.select_spans`. The paper's sentence
        deletes the one that disturbs more, which is probably a slip; the default is the authors' code.
    last_word : bool
        Whether the last word (usually the period) may go. The authors' code never deletes it; the paper does not
        exclude it, and the scores printed for its first example in Table 3 fit only an output without the period.
    compare_with : {"previous", "original"}
        The text that the edited one is compared with: that of the iteration before (the authors' code) or the
        sentence as given, where everything deleted so far counts, which deletes less.
    iterations : int or None
        At most so many; None goes on until nothing changes. The authors' code stops after 5.
    rate_limit : float or None
        "Compressing rate is controlled under 0.6": the limit, or None for none, as in the authors' code.
    rate_of : {"kept", "deleted"}
        Whether the rate is the share that is kept or that is deleted. Kept is the usual meaning on this data set, and
        Table 2's F1 of random deletion is what a kept share of about 0.43 gives.
    rate_unit : {"words", "characters"}
        Characters count the spaces between words.
    rate_rule : {"stop", "floor"}
        ``stop`` starts no further iteration once the limit is reached; the iteration that reaches it may go beyond.
        ``floor`` never goes beyond: spans are deleted by rising NDD, and those that would are left.
    """

    longest_span: int = 9
    inclusive: bool = True
    threshold: float = 1.0
    ndd: NDDSettings = field(default_factory=lambda: NDDSettings("balanced", mu=0.9, nu=0.9))
    overlap: str = "code"
    last_word: bool = True
    compare_with: str = "previous"
    iterations: int | None = None
    rate_limit: float | None = 0.6
    rate_of: str = "kept"
    rate_unit: str = "words"
    rate_rule: str = "stop"

    def __post_init__(self) -> None:
        choices = {
            "overlap": OVERLAP_RULES,
            "compare_with": ("previous", "original"),
            "rate_of": ("kept", "deleted"),
            "rate_unit": ("words", "characters"),
            "rate_rule": ("stop", "floor"),
        }
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                raise InputError(f"{name} is one of {', '.join(allowed)}, not {getattr(self, name)!r}.")
        if self.longest < 1:
            raise InputError(f"longest_span allows no word: {self.longest_span}, inclusive={self.inclusive}.")
        if not self.threshold > 0:
            raise InputError(f"threshold is above 0, not {self.threshold!r}.")
        if self.iterations is not None and self.iterations < 1:
            raise InputError(f"iterations is at least 1 or None, not {self.iterations!r}.")
        if self.rate_limit is not None and not 0 < self.rate_limit < 1:
            raise InputError(f"rate_limit lies between 0 and 1 or is None, not {self.rate_limit!r}.")

    @property
    def longest(self) -> int:
        """Number of words of the longest span that is offered."""
        return self.longest_span if self.inclusive else self.longest_span - 1

    @property
    def least_kept(self) -> float:
        """The rate limit as a share that is kept; 0 where there is none."""
        if self.rate_limit is None:
            return 0.0
        return self.rate_limit if self.rate_of == "kept" else 1 - self.rate_limit

    @property
    def signature(self) -> str:
        """The settings in one line, those of the NDD left out."""
        rate, last = "none", "yes" if self.last_word else "no"
        if self.rate_limit is not None:
            rate = f"{self.rate_of}-{self.rate_unit}-{self.rate_rule}{self.rate_limit:g}"
        return (
            f"L:{self.longest}|max:{self.threshold:g}|overlap:{self.overlap}|last:{last}|"
            f"vs:{self.compare_with}|iter:{self.iterations or 'all'}|rate:{rate}"
        )


BIASED = CompressionSettings()
"""The paper's setting (section 4.4): L_max 9, NDD_max 1.0, μ = ν = 0.9, rate 0.6."""

UNBIASED = CompressionSettings(
    longest_span=5, inclusive=False, threshold=4.0, ndd=NDDSettings("balanced", mu=0.9, nu=1.0),
    last_word=False, iterations=5, rate_limit=None,
)  # fmt: skip
"""The setting that the authors' code runs: spans of up to 4 words, threshold 4.0, no bias, 5 iterations."""


def compression_signature(lm: MaskedLM, settings: CompressionSettings) -> str:
    """One line that says how a compression was made."""
    return f"compression|{settings.signature}|{ndd_signature(lm, settings.ndd)}"


@dataclass(frozen=True)
class DeletedSpan:
    """A deleted span: its words, their positions in the source (rising, not always adjacent) and its NDD in nats."""

    words: tuple[str, ...]
    positions: tuple[int, ...]
    ndd: float


@dataclass(frozen=True)
class Iteration:
    """One iteration: the spans it deleted, by place, and the text after it as words and as source positions.

    `requests` is the number of masked texts that the model was asked about.
    """

    deleted: tuple[DeletedSpan, ...]
    words: tuple[str, ...]
    kept: tuple[int, ...]
    requests: int


@dataclass(frozen=True)
class Compression:
    """A compressed sentence: the source, what was done to it, and why it ended.

    `requests` counts the masked texts of all iterations, the last one, which found nothing, included.
    """

    source: tuple[str, ...]
    iterations: tuple[Iteration, ...]
    stopped: str
    requests: int

    @property
    def kept(self) -> tuple[int, ...]:
        """Positions in the source of the words that are left."""
        return self.iterations[-1].kept if self.iterations else tuple(range(len(self.source)))

    @property
    def words(self) -> tuple[str, ...]:
        """The words that are left."""
        return words_at(self.source, self.kept)

    @property
    def deletions(self) -> int:
        """Number of words deleted."""
        return len(self.source) - len(self.kept)

    @property
    def kept_share(self) -> float:
        """Words that are left over words of the source, in (0, 1]."""
        return len(self.kept) / len(self.source)


@dataclass(frozen=True)
class Skipped:
    """A sentence that was not compressed, by explicit choice, and why. It has no output."""

    source: tuple[str, ...]
    reason: str


def words_at(words: Sequence[str], kept: Sequence[int]) -> tuple[str, ...]:
    """The words at some positions."""
    return tuple(words[index] for index in kept)


def _share(source: Sequence[str], kept: Sequence[int], unit: str) -> float:
    if unit == "words":
        return len(kept) / len(source)
    return len(" ".join(words_at(source, kept))) / len(" ".join(source))


def _steps(lm: MaskedLM, source: tuple[str, ...], settings: CompressionSettings) -> Steps:
    """The computation of one compression (see `nbhelpers.span_search.Steps`)."""
    lm.encode(source)  # a sentence that is too long is refused before anything else
    kept, history, requests = tuple(range(len(source))), [], 0
    references: list[Any] = []
    known: dict[int, Any] = {}

    def ended(reason: str) -> Compression:
        return Compression(source, tuple(history), reason, requests)

    def counted(steps: Steps) -> Steps:
        nonlocal requests
        try:
            questions = next(steps)
            while True:
                requests += len(questions)
                questions = steps.send((yield questions))
        except StopIteration as end:
            return end.value

    if len(source) == 1:
        return ended(ONE_WORD)
    while True:
        before, words = requests, words_at(source, kept)
        if settings.iterations is not None and len(history) >= settings.iterations:
            return ended(ITERATIONS)
        if settings.rate_limit is not None and _share(source, kept, settings.rate_unit) <= settings.least_kept:
            return ended(LIMIT)
        if settings.compare_with == "previous":
            places, length = tuple(range(len(words))), len(words)
        else:
            places, length = kept, len(source)
        spans = candidate_spans(len(words), settings.longest, last_word=settings.last_word)
        if not spans:
            return ended(UNCHANGED)
        if settings.compare_with == "previous" or not references:
            references = yield from counted(distributions(lm, words, known))
        found = yield from counted(
            search_spans(lm, words, places, length, references, spans, threshold=settings.threshold,
                         rule=settings.overlap, settings=settings.ndd)
        )  # fmt: skip
        selected = select_spans(found.spans, settings.overlap)
        chosen, gone = [], set()
        for span in rising(selected):
            together = gone | set(range(span.start, span.stop))
            left = [place for index, place in enumerate(kept) if index not in together]
            if not left or (
                settings.rate_rule == "floor" and _share(source, left, settings.rate_unit) < settings.least_kept
            ):
                continue
            chosen, gone = [*chosen, span], together
        if not chosen:
            return ended(LIMIT if selected else UNCHANGED)
        deleted = tuple(
            DeletedSpan(words[span.start : span.stop], kept[span.start : span.stop], span.ndd)
            for span in sorted(chosen, key=lambda span: (span.start, span.stop))
        )
        # What the model expects in the text without the one deleted span is known already; not where the first word
        # went, as a word may have other pieces at the beginning of a text.
        reuse = settings.compare_with == "previous" and chosen == [found.best] and found.best.start > 0
        known = found.rows if reuse else {}
        kept = tuple(place for index, place in enumerate(kept) if index not in gone)
        history.append(Iteration(deleted, words_at(source, kept), kept, requests - before))


def _run(lm: MaskedLM, sentences, make, too_long: str, memory: int | None, direction: str) -> Iterator[Any]:
    """Check sentences one by one and run ``make(words, number)``, a (bytes, steps) pair, on each of them."""
    if too_long not in ("error", "skip"):
        raise InputError(f"too_long is 'error' or 'skip', not {too_long!r}.")
    if isinstance(sentences, str):
        raise InputError("Sentences are given as lists of words, not as one string.")

    def guarded(words: tuple[str, ...], number: int, steps: Steps) -> Steps:
        try:
            return (yield from steps)
        except TextTooLongError as error:
            if too_long == "error":
                raise TextTooLongError(f"Sentence {number}: {error}") from None
            return Skipped(words, str(error))

    def jobs():
        for number, sentence in enumerate(sentences):
            try:
                words = check_words(sentence)
            except InputError as error:
                raise InputError(f"Sentence {number}: {error}") from None
            size, steps = make(words, number)
            yield size, guarded(words, number, steps)

    return run_together(lm, jobs(), lambda a, b: divergence(a, b, direction), memory=memory)


def compress_many(
    lm: MaskedLM,
    sentences: Iterable[Sequence[str]],
    settings: CompressionSettings = BIASED,
    *,
    too_long: str = "error",
    memory: int | None = None,
) -> Iterator[Compression | Skipped]:
    """Compress sentences, many at a time; results come in the order of the sentences, one for each.

    Parameters
    ----------
    lm : MaskedLM
    sentences : iterable of word sequences
        Taken as they are needed, so that any number can be streamed.
    settings : CompressionSettings
    too_long : {"error", "skip"}
        What to do with a sentence that the model cannot take whole: refuse, or give a `Skipped` in its place.
    memory : int, optional
        Bytes of distributions kept at a time (see `nbhelpers.span_search.run_together`); changes no result.

    Raises
    ------
    InputError
        For an empty sentence or one that is no list of words, naming its number.
    TextTooLongError
        For a sentence longer than the model takes, unless `too_long` is ``skip``.
    """

    def make(words: tuple[str, ...], number: int) -> tuple[int, Steps]:
        # the distributions compared with, and those of the leading span, which the next iteration may take over
        return 8 * len(words) * lm.vocabulary_size, _steps(lm, words, settings)

    return _run(lm, sentences, make, too_long, memory, settings.ndd.direction)


def compress(lm: MaskedLM, words: Sequence[str], settings: CompressionSettings = BIASED) -> Compression:
    """Compress one sentence; see `compress_many`. A single word is returned unchanged, and says why.

    Examples
    --------
    >>> lm = MaskedLM()                                              # doctest: +SKIP
    >>> compress(lm, "The old man sat on a bench .".split()).words  # doctest: +SKIP
    """
    return next(compress_many(lm, [words], settings))


@dataclass(frozen=True)
class Calibration:
    """A threshold and the mean kept share it gives on `n` sentences; `tried` holds every (threshold, share)."""

    threshold: float
    kept_share: float
    target: float
    n: int
    tried: tuple[tuple[float, float], ...]


def calibrate_threshold(
    lm: MaskedLM,
    sentences: Sequence[Sequence[str]],
    target_rate: float,
    settings: CompressionSettings = BIASED,
    *,
    tolerance: float = 0.01,
    steps: int = 12,
    too_long: str = "error",
) -> Calibration:
    """Find the threshold at which sentences keep a given share of their words on average.

    Thresholds depend on the model: NDD is a sum that grows with sentence length and with how sure the model is. The
    share is all that is looked at, never a score, and the sentences must not be those that are tested on.

    Parameters
    ----------
    target_rate : float
        Mean over sentences of kept words / words, in (0, 1).
    tolerance : float
        How close is close enough.
    steps : int
        Thresholds to try at most: doubling or halving from the one in `settings`, then bisection of its logarithm.
        The share is not strictly monotone in it; the closest one tried is returned.
    too_long : {"error", "skip"}
        As in `compress_many`; skipped sentences do not count into `n`.

    Raises
    ------
    InputError
        For a target outside (0, 1), or no sentences.
    """
    if not 0 < target_rate < 1:
        raise InputError(f"target_rate lies between 0 and 1, not {target_rate!r}.")
    threshold, low, high = settings.threshold, None, None
    tried: dict[float, float] = {}
    n = 0
    for _ in range(steps):
        results = list(compress_many(lm, sentences, replace(settings, threshold=threshold), too_long=too_long))
        shares = [result.kept_share for result in results if isinstance(result, Compression)]
        if not shares:
            raise InputError("There is no sentence to calibrate the threshold on.")
        n, tried[threshold] = len(shares), sum(shares) / len(shares)
        if abs(tried[threshold] - target_rate) <= tolerance:
            break
        if tried[threshold] > target_rate:
            low = threshold
        else:
            high = threshold
        threshold = 2 * low if high is None else high / 2 if low is None else math.sqrt(low * high)
    best = min(tried, key=lambda value: abs(tried[value] - target_rate))
    return Calibration(best, tried[best], target_rate, n, tuple(tried.items()))


# Baselines: each gives, for every sentence, the positions of the words it keeps ------------------------------------


def lead(
    sentences: Sequence[Sequence[str]], *, words: int | None = None, share: float | None = None
) -> list[tuple[int, ...]]:
    """Keep the first `words` words of each sentence, or the first `share` of them (rounded, at least one).

    Raises
    ------
    InputError
        Unless exactly one of the two is given, `words` at least 1 or `share` in (0, 1].
    """
    fits = words is None or words >= 1, share is None or 0 < share <= 1
    if (words is None) == (share is None) or not all(fits):
        raise InputError(f"lead takes words (1 or more) or share (in (0, 1]), not words={words!r} and share={share!r}.")
    lengths = [len(check_words(sentence)) for sentence in sentences]
    return [tuple(range(min(n, words) if words else max(1, math.floor(share * n + 0.5)))) for n in lengths]


def random_deletion(
    sentences: Sequence[Sequence[str]], deletions: Sequence[int], *, seed: int, last_word: bool = True
) -> list[tuple[int, ...]]:
    """Delete as many words of each sentence as `deletions` says, drawn without preference (section 4.4, "Random").

    Without `last_word` the last word is never drawn.
    """
    generator = np.random.default_rng(seed)
    kept = []
    for words, count in _with_deletions(sentences, deletions):
        choices = len(words) if last_word else len(words) - 1
        gone = set(generator.choice(choices, min(count, choices), replace=False).tolist())
        kept.append(tuple(index for index in range(len(words)) if index not in gone))
    return kept


def _with_deletions(sentences, deletions) -> list[tuple[tuple[str, ...], int]]:
    if len(sentences) != len(deletions):
        raise InputError(f"There are {len(deletions)} numbers of deletions for {len(sentences)} sentences.")
    pairs = [(check_words(words), int(count)) for words, count in zip(sentences, deletions)]
    for number, (words, count) in enumerate(pairs):
        if not 0 <= count < len(words):
            raise InputError(f"{count} of {len(words)} words cannot be deleted from sentence {number}.")
    return pairs


def perplexity_deletion(
    lm: MaskedLM,
    sentences: Sequence[Sequence[str]],
    deletions: Sequence[int],
    *,
    longest_span: int = 3,
    growth: float = 1.2,
    last_word: bool = True,
    too_long: str = "error",
) -> list[tuple[int, ...] | Skipped]:
    """Delete words step by step so that pseudo-perplexity stays as low as possible (after Niu et al., 2019).

    Niu et al. score a deletion by the average perplexity of the text that is left and search greedily with a
    progressive lookahead. Read here as: each step tries every single word, and deletes the one whose deletion leaves
    the lowest pseudo-perplexity; if that is more than `growth` times the perplexity of the step before, spans of two
    words are tried as well, then of three, and so on; when no span passes, the best of all is deleted. A sentence is
    done when it has lost as many words as `deletions` says, so that the comparison is at equal length; their own
    stopping rule is not used.

    Parameters
    ----------
    deletions : sequence of int
        Words to delete, for each sentence; below its length.
    longest_span : int
        Longest span that a step may delete; 1 deletes word by word.
    growth : float
        At least 1.
    last_word : bool
        Whether the last word may go.

    Returns
    -------
    list of tuple of int, or Skipped
        Positions of the words that are left.
    """
    if longest_span < 1 or growth < 1:
        raise InputError(f"longest_span and growth are at least 1, not {longest_span!r} and {growth!r}.")
    wanted = [count for _, count in _with_deletions(sentences, deletions)]

    def steps(words: tuple[str, ...], count: int) -> Steps:
        lm.encode(words)
        kept = tuple(range(len(words)))
        if not count:
            return kept
        scores = yield from surprisals(lm, words)
        level = sum(scores) / sum(stop - start for start, stop in lm.encode(words).spans)
        goal = len(words) - count
        while len(kept) > goal:
            best = None
            text = words_at(words, kept)
            for size in range(1, min(longest_span, len(kept) - goal) + 1):
                spans = [s for s in candidate_spans(len(kept), size, last_word=last_word) if s[1] - s[0] == size]
                found = yield from least_perplexity(lm, text, spans, scores)
                best = found if best is None or found[0] < best[0] else best
                if best[0] <= level + math.log(growth):
                    break
            level, (start, stop), scores = best
            kept = kept[:start] + kept[stop:]
        return kept

    def make(words: tuple[str, ...], number: int) -> tuple[int, Steps]:
        return 0, steps(words, wanted[number])

    return list(_run(lm, sentences, make, too_long, None, "edited||original"))


# Measures ------------------------------------------------------------------------------------------------------------


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
and the scores printed in Table 3 to the digit."""


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
    return type(_bleu()).compute_bleu(totals[:order], totals[4 : 4 + order], totals[8], totals[9],
                                      smooth_method="exp", max_ngram_order=order).score  # fmt: skip


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
        name, *(100 * table[:, :3].T), 100 * table[:, 3:7], table[:, 7], table[:, 8], table[:, 9:].astype(int),
        signature,
    )  # fmt: skip


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
        return best.name, stats.paired_bootstrap(system.counts, best.counts, seed=seed, resamples=500,
                                                 statistic=lambda rows: corpus_bleu(rows, order))  # fmt: skip
    best = max(baselines, key=lambda baseline: baseline.scores(measure).mean())
    return best.name, stats.paired_bootstrap(system.scores(measure), best.scores(measure), seed=seed)


# Data and long runs --------------------------------------------------------------------------------------------------


def read_pairs(path: str | Path, *, limit: int | None = None) -> list[tuple[tuple[str, ...], str]]:
    """Sentences as words, each with a shortened version as text.

    A CoNLL-U file with ``Keep=Y`` marks (such as the treebank that ships with the project) gives its words and the kept
    ones; any other file is read as records of the Google set.

    Raises
    ------
    DataFormatError
        For a file that does not follow its format.
    """
    if is_conllu(path):
        sentences = [sentence for sentence in read_conllu(path) if sentence.kept()][:limit]
        return [(tuple(s.words), " ".join(words_at(s.words, s.kept()))) for s in sentences]
    return [(pair.source_tokens, pair.compression) for pair in read_compressions(path, limit)]


EXAMPLE_RECORDS = {("ndd/table3", "Example 1"): "1039", ("ndd/table3", "Example 2"): "1068",
                   ("ndd/table4", "Example 1"): "277"}  # fmt: skip
"""Records of the Google evaluation file from which the paper's Tables 3 and 4 take their sentences."""


def example_pair(table: str, row: str, path: str | Path | None = None) -> CompressionPair:
    """Sentence and gold compression of an example of Table 3 or 4, which are read from the Google set, not reprinted.

    Parameters
    ----------
    table, row : str
        As in `EXAMPLE_RECORDS`.
    path : path, optional
        The evaluation file; by default where `nbhelpers.data.find` finds it.

    Raises
    ------
    InputError
        For another table or row.
    ResourceNotFoundError
        When the set is not at hand, or the file does not have the record.
    """
    if (table, row) not in EXAMPLE_RECORDS:
        raise InputError(f"{table} has no {row!r} whose sentence is on record.")
    located = find("google-compression", path, allow_shipped=False)
    for pair in read_compressions(located.path):
        if pair.id == EXAMPLE_RECORDS[table, row]:
            return pair
    raise ResourceNotFoundError(f"{located.path.name} has no record {EXAMPLE_RECORDS[table, row]}.")


def compress_batch(
    items: list[list[str]], *, settings: CompressionSettings, model: str = EMBEDDED, mask: str = "word",
    device: str = "auto", dtype: str = "float32",
) -> list[dict[str, Any]]:  # fmt: skip
    """`compress_many` with a model by name, for `nbhelpers.shards.map`; pass `compression_signature`.

    Returns
    -------
    list of dict
        ``kept`` (positions, or None for a sentence that was skipped as too long), ``texts`` (positions kept after each
        iteration), ``stopped`` (why it ended) and ``requests``.
    """
    results = []
    for result in compress_many(cached_engine(model, mask, device, dtype), items, settings, too_long="skip"):
        if isinstance(result, Skipped):
            results.append({"kept": None, "texts": [], "stopped": result.reason, "requests": 0})
        else:
            texts = [list(iteration.kept) for iteration in result.iterations]
            results.append({"kept": list(result.kept), "texts": texts, "stopped": result.stopped,
                            "requests": result.requests})  # fmt: skip
    return results


def delete_by_perplexity(
    items: list[list[Any]], *, model: str = EMBEDDED, mask: str = "word", device: str = "auto", dtype: str = "float32"
) -> list[list[int] | None]:
    """`perplexity_deletion` with a model by name, for `nbhelpers.shards.map`; items are [words, deletions] pairs."""
    results = perplexity_deletion(cached_engine(model, mask, device, dtype), [words for words, _ in items],
                                  [count for _, count in items], too_long="skip")  # fmt: skip
    return [None if isinstance(result, Skipped) else list(result) for result in results]
