"""What the compression of a sentence is compared with: its first words, random deletions, and low perplexity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbhelpers.base.errors import InputError
from nbhelpers.language.mlm import MaskedLM, cached_engine, check_words
from nbhelpers.resources.models import EMBEDDED
from nbhelpers.studies.ndd.compression.search import Skipped, run_sentences, words_at
from nbhelpers.studies.ndd.span_search import Steps, candidate_spans, least_perplexity, missing_runs, surprisals

# Each gives, for every sentence, the positions of the words it keeps.


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


def random_placement(sizes: Sequence[int], length: int, generator: np.random.Generator) -> list[np.ndarray]:
    """Put spans of these sizes, in any order, anywhere into a text of `length` words, without overlap.

    Every arrangement is equally likely. Returns the positions of each span, from left to right.

    Raises
    ------
    InputError
        If they do not fit.
    """
    free = length - sum(sizes)
    if free < 0:
        raise InputError(f"Spans of {sum(sizes)} words do not fit into a text of {length}.")
    sizes = generator.permutation(np.asarray(sizes, dtype=int))
    slots = np.sort(generator.choice(free + len(sizes), len(sizes), replace=False))
    starts = slots + np.cumsum([0, *sizes[:-1]]) - np.arange(len(sizes)) if len(sizes) else slots
    return [np.arange(start, start + size) for start, size in zip(starts, sizes)]


def random_spans(
    sentences: Sequence[Sequence[str]], kept: Sequence[Sequence[int]], *, seed: int, last_word: bool = True
) -> list[tuple[int, ...]]:
    """Delete as many spans of each sentence, of the same lengths, as a method that left the positions `kept`.

    Words side by side that the method deleted are a span. Without `last_word` the last word is never in one.
    """
    generator = np.random.default_rng(seed)
    left = []
    for words, stays in zip(sentences, kept, strict=True):
        sizes = [run.stop - run.start for run in missing_runs(stays, len(words))]
        placed = random_placement(sizes, len(words) - (not last_word), generator)
        gone = {int(place) for span in placed for place in span}
        left.append(tuple(index for index in range(len(words)) if index not in gone))
    return left


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

    return list(run_sentences(lm, sentences, make, too_long, None, "edited||original"))


def delete_by_perplexity(
    items: list[list[Any]], *, model: str = EMBEDDED, mask: str = "word", device: str = "auto", dtype: str = "float32"
) -> list[list[int] | None]:
    """`perplexity_deletion` with a model by name, for `nbhelpers.base.shards.map`; items are [words, deletions]
    pairs."""
    results = perplexity_deletion(
        cached_engine(model, mask, device, dtype),
        [words for words, _ in items],
        [count for _, count in items],
        too_long="skip",
    )
    return [None if isinstance(result, Skipped) else list(result) for result in results]
