"""What the compression of a sentence is compared with: rules that need no model, and deletion by low perplexity."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from nbhelpers.language.mlm import MaskedLM
from nbhelpers.studies.ndd.compression import words_at
from nbhelpers.studies.ndd.span_search import least_perplexity, surprisals
from nbhelpers.studies.ndd.together import Skipped, Steps, run_together

LONGEST_SPAN = 3
"""Words of the longest span that a step of `delete_by_perplexity` may delete."""

GROWTH = 1.2
"""Growth of the perplexity above which a step of `delete_by_perplexity` tries longer spans."""

# Rules that need no model ---------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=4096)
def _seeded(seed: tuple[int, ...]) -> tuple[np.random.Generator, dict[str, Any]]:
    made = np.random.default_rng(seed)
    return made, made.bit_generator.state


def generator(*seed: int) -> np.random.Generator:
    """What ``default_rng`` makes of a seed; setting one back to its beginning takes a tenth of the time."""
    made, made.bit_generator.state = _seeded(seed)
    return made


def _draw(length: int, count: int, seed: Sequence[int]) -> list[int]:
    return generator(*seed).choice(length, count, replace=False).tolist()


def _spans(length: int, count: int, seed: Sequence[int]) -> Iterable[int]:
    """All words but those of random spans of up to nine words (the paper's L_max)."""
    drawn, gone, sizes = generator(*seed), length - count, []
    while sum(sizes) < gone:
        sizes.append(min(gone - sum(sizes), int(drawn.integers(1, 10))))
    deleted = random_placement(sizes, length, drawn)
    return set(range(length)) - {place for start, size in deleted for place in range(start, start + size)}


RULES: dict[str, Callable[[int, int, Sequence[int]], Iterable[int]]] = {
    "first words": lambda length, count, seed: range(count),
    "beginning and final word": lambda length, count, seed: [*range(count - 1), length - 1],
    "random words": lambda length, count, seed: [*_draw(length - 1, count - 1, seed), length - 1],
    "random words, final one too": _draw,
    "random spans": _spans,
    "last words": lambda length, count, seed: range(length - count, length),
    "middle words": lambda length, count, seed: range((length - count) // 2, (length + count) // 2),
    "words at even distances": lambda length, count, seed: np.linspace(0, length - 1, count).round(),
    "both ends": lambda length, count, seed: [*range(count - count // 2), *range(length - count // 2, length)],
}
"""Each takes the words of a sentence, how many are kept, and a seed, and gives the places of those that are kept.
Random words always hold the final one, which is nearly always the period and stands in every gold compression."""


def by_rule(rule: str, length: int, count: int, seed: Sequence[int] = (0,)) -> tuple[int, ...]:
    """Keep `count` of `length` words by one of `RULES`.

    Examples
    --------
    >>> by_rule("first words", 5, 3), by_rule("beginning and final word", 5, 3)
    ((0, 1, 2), (0, 1, 4))
    >>> len(by_rule("random words", 5, 3))
    3
    """
    return tuple(sorted(map(int, RULES[rule](length, count, seed))))


def random_placement(sizes: Sequence[int], length: int, generator: np.random.Generator) -> list[tuple[int, int]]:
    """Put spans of these sizes, in any order, anywhere into a text of `length` words, without overlap.

    Every arrangement is equally likely. Returns start and size of each span, from left to right.
    """
    free = length - sum(sizes)
    sizes = generator.permutation(np.asarray(sizes, dtype=int))
    slots = np.sort(generator.choice(free + len(sizes), len(sizes), replace=False))
    starts = slots + np.cumsum([0, *sizes[:-1]]) - np.arange(len(sizes)) if len(sizes) else slots
    return list(zip(starts.tolist(), sizes.tolist()))


def delete_by_perplexity(lm: MaskedLM, items: Sequence[tuple[Sequence[str], int]]) -> list[list[int] | None]:
    """Delete words step by step so that pseudo-perplexity stays as low as possible (after Niu et al., 2019).

    Niu et al. score a deletion by the average perplexity of the text that is left and search greedily with a
    progressive lookahead. Read here as: each step tries every single word, and deletes the one whose deletion leaves
    the lowest pseudo-perplexity; if that is more than `GROWTH` times the perplexity of the step before, spans of two
    words are tried as well, then of three (`LONGEST_SPAN`); when no span passes, the best of all is deleted. Their own
    stopping rule is not used, so that the comparison is at equal length.

    Parameters
    ----------
    lm : MaskedLM
    items : sequence of (words, count)
        How many words each sentence loses; fewer than it has.

    Returns
    -------
    list of list of int, or None
        For each word the number of the step that deleted it, 0 where it is left; None for a sentence that the model
        cannot take whole.
    """

    def steps(words: tuple[str, ...], count: int) -> Steps:
        pieces = sum(stop - start for start, stop in lm.encode(words).spans)
        kept, went = tuple(range(len(words))), [0] * len(words)
        if not count:
            return went
        scores = yield from surprisals(lm, words)
        level, goal = sum(scores) / pieces, len(words) - count
        while len(kept) > goal:
            best = None
            text = words_at(words, kept)
            for size in range(1, min(LONGEST_SPAN, len(kept) - goal) + 1):
                spans = [(start, start + size) for start in range(len(kept) - size + 1)]
                found = yield from least_perplexity(lm, text, spans, scores)
                best = found if best is None or found[0] < best[0] else best
                if best[0] <= level + math.log(GROWTH):
                    break
            level, (start, stop), scores = best
            for place in kept[start:stop]:
                went[place] = max(went) + (place == kept[start])
            kept = kept[:start] + kept[stop:]
        return went

    results = run_together(lm, [words for words, _ in items], lambda words, n: steps(words, items[n][1]))
    return [None if isinstance(result, Skipped) else result for result in results]
