"""Sentence compression by deleting spans that disturb their neighbours least (NDD, section 4).

One iteration searches a text for spans whose deletion has an NDD below a threshold, chooses among overlapping ones and
deletes them; the next one searches the shorter text.

Where the paper leaves a choice, or its authors' code differs, `CompressionSettings` has a switch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from nbhelpers.base.checks import check_number
from nbhelpers.base.errors import InputError, TextTooLongError
from nbhelpers.language.mlm import MaskedLM
from nbhelpers.metrics.ndd import NDDSettings, ndd_signature
from nbhelpers.studies.ndd.span_search import OVERLAP_RULES, candidate_spans, rising, search_spans, select_spans
from nbhelpers.studies.ndd.together import Skipped, Steps, distributions, run_together

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
        Words of the longest span that may go: L_max, or one less in the authors' code.
    threshold : float
        NDD_max in nats; a span is deleted only below it.
    ndd : NDDSettings
        Weights; section 4.3's balanced weights with the bias ν for latter words.
    overlap : {"code", "paper"}
        Which of two overlapping spans is deleted, see `nbhelpers.studies.ndd.span_search.select_spans`. The paper's
        sentence deletes the one that disturbs more, which is probably a slip; the default is the authors' code.
    last_word : bool
        Whether the last word (usually the period) may go. The authors' code never deletes it; the paper does not
        exclude it, and the scores printed for its first example in Table 3 fit only an output without the period.
    iterations : int or None
        At most so many; None goes on until nothing changes. The authors' code stops after 5.
    rate_limit : float or None
        "Compressing rate is controlled under 0.6", read as the share of words that is kept: no further iteration starts
        once it is reached. (Kept is the usual meaning on this data set, and Table 2's F1 of random deletion is what a
        kept share of about 0.43 gives.) None for no limit, as in the authors' code.
    """

    longest_span: int = 9
    threshold: float = 1.0
    ndd: NDDSettings = NDDSettings("balanced", mu=0.9, nu=0.9)
    overlap: str = "code"
    last_word: bool = True
    iterations: int | None = None
    rate_limit: float | None = 0.6

    def __post_init__(self) -> None:
        if self.overlap not in OVERLAP_RULES:
            raise InputError(f"overlap is one of {', '.join(OVERLAP_RULES)}, not {self.overlap!r}.")
        check_number("longest_span", self.longest_span, least=1, whole=True)
        check_number("threshold", self.threshold, above=0)
        if self.iterations is not None:
            check_number("iterations", self.iterations, least=1, whole=True)
        if self.rate_limit is not None:
            check_number("rate_limit", self.rate_limit, above=0, below=1)

    @property
    def signature(self) -> str:
        """The settings in one line, those of the NDD left out."""
        last = "yes" if self.last_word else "no"
        rate = "none" if self.rate_limit is None else f"kept-words-stop{self.rate_limit:g}"
        return (
            f"L:{self.longest_span}|max:{self.threshold:g}|overlap:{self.overlap}|last:{last}|"
            f"vs:previous|iter:{self.iterations or 'all'}|rate:{rate}"
        )


BIASED = CompressionSettings()
"""The paper's setting (section 4.4): L_max 9, NDD_max 1.0, μ = ν = 0.9, rate 0.6."""

UNBIASED = CompressionSettings(
    longest_span=4,
    threshold=4.0,
    ndd=NDDSettings("balanced", mu=0.9, nu=1.0),
    last_word=False,
    iterations=5,
    rate_limit=None,
)
"""The setting that the authors' code runs: spans of up to 4 words, threshold 4.0, no bias, 5 iterations."""


SETTINGS = {"paper": BIASED, "code": UNBIASED}
"""Settings by name."""


def compression_signature(lm: MaskedLM, settings: CompressionSettings) -> str:
    """One line that says how a compression was made.

    Examples
    --------
    >>> compression_signature(MaskedLM(), BIASED).split("|")[0]  # doctest: +SKIP
    'compression'
    """
    return f"compression|{settings.signature}|{ndd_signature(lm, settings.ndd)}"


@dataclass(frozen=True)
class DeletedSpan:
    """A deleted span: its words, their positions in the source (rising, not always adjacent) and its NDD in nats."""

    words: tuple[str, ...]
    positions: tuple[int, ...]
    ndd: float


@dataclass(frozen=True)
class Iteration:
    """One iteration: the spans it deleted, by place, and the text after it as words and as source positions."""

    deleted: tuple[DeletedSpan, ...]
    words: tuple[str, ...]
    kept: tuple[int, ...]


@dataclass(frozen=True)
class Compression:
    """A compressed sentence: the source, what was done to it, and why it ended."""

    source: tuple[str, ...]
    iterations: tuple[Iteration, ...]
    stopped: str

    @property
    def kept(self) -> tuple[int, ...]:
        """Positions in the source of the words that are left."""
        return self.iterations[-1].kept if self.iterations else tuple(range(len(self.source)))

    @property
    def went(self) -> list[int]:
        """For each word of the source the number of the deletion that took it, 0 where it is left.

        Deletions are numbered iteration by iteration, and in each from the lowest NDD to the highest.
        """
        went = [0] * len(self.source)
        spans = [span for one in self.iterations for span in sorted(one.deleted, key=lambda span: span.ndd)]
        for number, span in enumerate(spans, start=1):
            for place in span.positions:
                went[place] = went[place] or number
        return went

    @property
    def words(self) -> tuple[str, ...]:
        """The words that are left."""
        return words_at(self.source, self.kept)

    @property
    def kept_share(self) -> float:
        """Words that are left over words of the source, in (0, 1]."""
        return len(self.kept) / len(self.source)


def words_at(words: Sequence[str], kept: Sequence[int]) -> tuple[str, ...]:
    """The words at some positions.

    Examples
    --------
    >>> words_at("a small dog sat".split(), (0, 2, 3))
    ('a', 'dog', 'sat')
    """
    return tuple(words[index] for index in kept)


def left(went: Sequence[int], count: int = 0) -> list[int]:
    """Places of the words that are left.

    Parameters
    ----------
    went : sequence of int
        As `Compression.went`.
    count : int
        Only so many of the first deletions are made as leave at most `count` words; 0 for all.

    Examples
    --------
    >>> left([0, 2, 2, 1, 0]), left([0, 2, 2, 1, 0], 4)
    ([0, 4], [0, 1, 2, 4])
    """
    order = sorted(number for number in went if number)
    surplus = len(went) - count if count else len(order)
    last = order[min(surplus, len(order)) - 1] if order and surplus > 0 else 0
    return [place for place, number in enumerate(went) if not 0 < number <= last]


def _steps(lm: MaskedLM, source: tuple[str, ...], settings: CompressionSettings) -> Steps:
    """The computation of one compression (see `nbhelpers.studies.ndd.together.Steps`)."""
    lm.encode(source)  # a sentence that is too long is refused before anything else
    kept, history = tuple(range(len(source))), []

    def ended(reason: str) -> Compression:
        return Compression(source, tuple(history), reason)

    if len(source) == 1:
        return ended(ONE_WORD)
    while True:
        words = words_at(source, kept)
        if settings.iterations is not None and len(history) >= settings.iterations:
            return ended(ITERATIONS)
        if settings.rate_limit is not None and len(kept) / len(source) <= settings.rate_limit:
            return ended(LIMIT)
        spans = candidate_spans(len(words), settings.longest_span, last_word=settings.last_word)
        if not spans:
            return ended(UNCHANGED)
        references = yield from distributions(lm, words)
        options = {"threshold": settings.threshold, "rule": settings.overlap, "settings": settings.ndd}
        found = yield from search_spans(lm, words, references, spans, **options)
        chosen, gone = [], set()
        for span in rising(select_spans(found, settings.overlap)):
            together = gone | set(range(span.start, span.stop))
            if len(together) < len(words):  # never the whole text
                chosen, gone = [*chosen, span], together
        if not chosen:
            return ended(UNCHANGED)
        deleted = tuple(
            DeletedSpan(words[span.start : span.stop], kept[span.start : span.stop], span.ndd)
            for span in sorted(chosen, key=lambda span: (span.start, span.stop))
        )
        kept = tuple(place for index, place in enumerate(kept) if index not in gone)
        history.append(Iteration(deleted, words_at(source, kept), kept))


def compress_many(
    lm: MaskedLM, sentences: Iterable[Sequence[str]], settings: CompressionSettings = BIASED
) -> Iterator[Compression | Skipped]:
    """Compress sentences, many at a time; results come in the order of the sentences, one for each.

    Parameters
    ----------
    lm : MaskedLM
    sentences : iterable of word sequences
        Taken as they are needed, so that any number can be streamed.
    settings : CompressionSettings

    Returns
    -------
    iterator of Compression or Skipped
        `Skipped` for a sentence that the model cannot take whole.

    Raises
    ------
    InputError
        For an empty sentence or one that is no list of words, naming its number.

    Examples
    --------
    >>> sentences = ["It was a cold night .".split(), ["Yes"]]
    >>> results = list(compress_many(MaskedLM(), sentences))  # doctest: +SKIP
    >>> results[1].words, results[1].stopped  # doctest: +SKIP
    (('Yes',), 'a single word cannot be shortened')
    """
    return run_together(lm, sentences, lambda words, _: _steps(lm, words, settings))


def compress(lm: MaskedLM, words: Sequence[str], settings: CompressionSettings = BIASED) -> Compression:
    """Compress one sentence; see `compress_many`. A single word is returned unchanged, and says why.

    One that is longer than the model takes is a TextTooLongError.

    Examples
    --------
    >>> words = "It was a cold night .".split()
    >>> result = compress(MaskedLM(), words, CompressionSettings(longest_span=1))
    >>> result.words == words_at(words, result.kept)
    True
    """
    result = next(compress_many(lm, [words], settings))
    if isinstance(result, Skipped):
        raise TextTooLongError(result.reason)
    return result


def compress_rows(
    lm: MaskedLM, items: Sequence[Sequence[str]], *, settings: CompressionSettings
) -> list[list[int] | None]:
    """`compress_many` for `nbhelpers.base.shards.map`: `Compression.went`, or None for a sentence that is too long."""
    results = compress_many(lm, items, settings)
    return [None if isinstance(result, Skipped) else result.went for result in results]
