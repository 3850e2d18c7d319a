"""Phrase pairs of parallel text: the two directions of word alignment joined, and the phrases that agree with them.

The directions are joined by *grow-diag-final-and* (Koehn et al. 2005). A phrase pair agrees with an alignment when it
holds at least one link and no word in it is linked to a word outside (Och & Ney 2004). The phrase pairs of all
sentences are found together, by running minima and maxima over the links.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from nbhelpers.base.errors import InputError
from nbhelpers.studies.paraphrase.alignment import AlignmentSettings, Encoded, train

# ------------------------------------------------------------------------------------------------ both directions


@dataclass(frozen=True)
class Alignment:
    """Links between the words of sentence pairs.

    Attributes
    ----------
    sentence, first, second : arrays of int64, shape (links,)
        Number of the sentence pair and places of the two linked words in their sentences, in rising order.
    sentences, too_long : int
        Number of sentence pairs, and of those left without links as one side is too long.
    tensions : (float, float)
        λ of the two directions.
    """

    sentence: NDArray[np.int64] = field(repr=False)
    first: NDArray[np.int64] = field(repr=False)
    second: NDArray[np.int64] = field(repr=False)
    sentences: int
    too_long: int = 0
    tensions: tuple[float, float] = (0.0, 0.0)

    @classmethod
    def of(cls, links: Iterable[Iterable[tuple[int, int]]]) -> Alignment:
        """From the links of each sentence pair."""
        links = list(links)
        rows = [(number, i, j) for number, pairs in enumerate(links) for i, j in sorted(pairs)]
        table = np.array(rows, np.int64).reshape(-1, 3)
        return cls(table[:, 0], table[:, 1], table[:, 2], len(links))

    def pairs(self, sentence: int) -> list[tuple[int, int]]:
        """The links of one sentence pair."""
        start, stop = np.searchsorted(self.sentence, [sentence, sentence + 1])
        return list(zip(self.first[start:stop].tolist(), self.second[start:stop].tolist(), strict=True))


def align(first: Encoded, second: Encoded, settings: AlignmentSettings = AlignmentSettings()) -> Alignment:
    """Align sentence pairs in both directions and join the two.

    Raises
    ------
    InputError
        The sides differ in the number of sentences.
    """
    forward, backward = train(first, second, settings), train(second, first, settings)
    joined = Alignment.of(_joined(first, second, forward.links, backward.links, settings.symmetrisation))
    too_long = int(((first.lengths > settings.longest) | (second.lengths > settings.longest)).sum())
    tensions = (forward.tension, backward.tension)
    return Alignment(joined.sentence, joined.first, joined.second, joined.sentences, too_long, tensions)


def _joined(
    first: Encoded, second: Encoded, forward: NDArray, backward: NDArray, how: str
) -> Iterator[set[tuple[int, int]]]:
    of_second, of_first = forward.tolist(), backward.tolist()
    first_starts, second_starts = first.starts.tolist(), second.starts.tolist()
    for sentence in range(len(first_starts) - 1):
        ahead = of_second[second_starts[sentence] : second_starts[sentence + 1]]
        back = of_first[first_starts[sentence] : first_starts[sentence + 1]]
        one = {(i, j) for j, i in enumerate(ahead) if i >= 0}
        two = {(i, j) for i, j in enumerate(back) if j >= 0}
        if how == "union" or one == two:
            yield one | two
        elif how == "intersection":
            yield one & two
        else:
            yield grow_diag_final_and(one, two)


_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def grow_diag_final_and(
    forward: Iterable[tuple[int, int]], backward: Iterable[tuple[int, int]]
) -> set[tuple[int, int]]:
    """Join two alignments of a sentence pair (Koehn et al. 2005, as Moses does).

    The links that both have grow by neighbouring links of either (also diagonally) that join a word without a link;
    then links of either between two words without a link are added. (NLTK's function of that name looks words up among
    the keys "e" and "f" of its own table, so its condition always holds and its result is the union.)

    Parameters
    ----------
    forward, backward : iterable of (int, int)
        Links as (place in the first sentence, place in the second).
    """
    forward, backward = set(forward), set(backward)
    links, union = forward & backward, forward | backward
    rows, columns = {i for i, _ in links}, {j for _, j in links}
    # Moses scans all cells from top left to bottom right until nothing changes. A link needs to be looked at once, as
    # words never lose their links; one that is found behind the scan waits for the next.
    scan = sorted(links)
    while scan:
        following: list[tuple[int, int]] = []
        while scan:
            i, j = heapq.heappop(scan)
            for down, right in _NEIGHBOURS:
                new = (i + down, j + right)
                if new in union and new not in links and (new[0] not in rows or new[1] not in columns):
                    links.add(new)
                    rows.add(new[0])
                    columns.add(new[1])
                    heapq.heappush(scan if new > (i, j) else following, new)
        scan = following
    for direction in (forward, backward):
        for i, j in sorted(direction):
            if i not in rows and j not in columns:
                links.add((i, j))
                rows.add(i)
                columns.add(j)
    return links


# ------------------------------------------------------------------------------------------------------- phrases


@dataclass(frozen=True)
class PhrasePairs:
    """Occurrences of phrase pairs, in token positions of the two `Encoded` sides.

    Attributes
    ----------
    first, second : arrays of int64, shape (occurrences,)
        First token of each phrase, counted through all sentences.
    first_length, second_length : arrays of int64, shape (occurrences,)
        Number of words.
    """

    first: NDArray[np.int64] = field(repr=False)
    first_length: NDArray[np.int64] = field(repr=False)
    second: NDArray[np.int64] = field(repr=False)
    second_length: NDArray[np.int64] = field(repr=False)

    def __len__(self) -> int:
        """Number of occurrences."""
        return len(self.first)


def _running(values: NDArray, longest: int, better: np.ufunc, worst: int) -> NDArray:
    """Row k - 1: the smallest (or largest) of k values beginning at each position; `worst` beyond the end."""
    rows = np.full((longest, len(values)), worst, np.int64)
    rows[0] = values
    for length in range(1, min(longest, len(values))):
        rows[length, :-length] = better(rows[length - 1, :-length], values[length:])
    return rows


def _runs(free: NDArray[np.bool_], sentence: NDArray, longest: int) -> NDArray:
    """How many words just before each position are free (have no link) in its sentence, at most `longest`."""
    run = np.zeros(len(free), np.int64)
    for step in range(1, longest + 1):
        reached = np.zeros(len(free), bool)
        reached[step:] = free[:-step] & (sentence[:-step] == sentence[step:]) & (run[step:] == step - 1)
        run[reached] = step
    return run


def extract_phrases(first: Encoded, second: Encoded, alignment: Alignment, longest: int = 4) -> PhrasePairs:
    """All phrase pairs of at most `longest` words a side that agree with the alignment.

    Words without a link at the edge of a phrase belong to it or not: both pairs are given (as in Och & Ney 2004).

    Raises
    ------
    InputError
        The sides and the alignment differ in the number of sentences, a link leaves its sentence, or `longest` is
        not positive.
    """
    if not len(first.starts) == len(second.starts) == alignment.sentences + 1:
        raise InputError("The two sides and their alignment differ in the number of sentences.")
    if longest < 1:
        raise InputError(f"A phrase has at least one word; longest is {longest}.")
    at = alignment.sentence
    beyond = (alignment.first >= first.lengths[at]) | (alignment.second >= second.lengths[at])
    if len(at) and (beyond.any() or min(alignment.first.min(), alignment.second.min()) < 0):
        raise InputError("A link leaves its sentence.")
    one, two = first.starts[at] + alignment.first, second.starts[at] + alignment.second
    size_one, size_two = len(first.ids), len(second.ids)
    far = size_one + size_two

    def extremes(of: NDArray, to: NDArray, size: int) -> tuple[NDArray, NDArray]:
        low, high = np.full(size, far), np.full(size, -1)
        np.minimum.at(low, of, to)
        np.maximum.at(high, of, to)
        return _running(low, longest, np.minimum, far), _running(high, longest, np.maximum, -1)

    low, high = extremes(one, two, size_one)
    back_low, back_high = extremes(two, one, size_two)
    sentence_one, sentence_two = first.sentence, second.sentence
    is_free = np.ones(size_two, bool)
    is_free[two] = False
    before = _runs(is_free, sentence_two, longest)
    after = _runs(is_free[::-1], sentence_two[::-1], longest)[::-1]

    parts = []
    for length in range(1, min(longest, size_one) + 1):
        start = np.arange(size_one - length + 1)
        start = start[sentence_one[start] == sentence_one[start + length - 1]]
        left, right = low[length - 1, start], high[length - 1, start]
        kept = (right >= 0) & (right - left < longest)
        start, left, right = start[kept], left[kept], right[kept]
        width = right - left
        kept = (back_low[width, left] >= start) & (back_high[width, left] < start + length)
        start, left, right = start[kept], left[kept], right[kept]
        for more_left in range(longest):
            for more_right in range(longest - more_left):
                kept = (
                    (more_left <= before[left])
                    & (more_right <= after[right])
                    & (right - left + 1 + more_left + more_right <= longest)
                )
                begin = left[kept] - more_left
                parts.append((start[kept], np.full(kept.sum(), length), begin, right[kept] + more_right - begin + 1))
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)] if parts else [np.zeros(0, np.int64)] * 4
    return PhrasePairs(*columns)


def phrase_numbers(text: Encoded, longest: int) -> NDArray[np.int64]:
    """A number for each phrase of at most `longest` words, the same wherever it occurs.

    Returns
    -------
    array of int64, shape (longest, tokens)
        Row k - 1: number of the phrase of k words that begins at each token, -1 where the sentence ends before it
        does. Numbers count through all rows from 0.
    """
    numbers = np.full((longest, len(text.ids)), -1, np.int64)
    if not len(text.ids):
        return numbers
    numbers[0] = text.ids
    sentence, following = text.sentence, len(text.words)
    for length in range(1, min(longest, len(text.ids))):
        start = np.flatnonzero(sentence[:-length] == sentence[length:])
        if not len(start):
            break
        # The numbers of the row before lie close together, so the keys stay small.
        shorter = numbers[length - 1, start]
        keys = (shorter - shorter.min()) * len(text.words) + text.ids[start + length]
        found, inverse = np.unique(keys, return_inverse=True)
        numbers[length, start] = inverse + following
        following += len(found)
    return numbers
