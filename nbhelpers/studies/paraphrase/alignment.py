"""Word alignment of parallel sentences, and the phrase pairs that agree with it.

Model 1 (Brown et al. 1993) learns which words translate which; the diagonal prior (Dyer, Chahuneau & Smith 2013, "A
simple, fast, and effective reparameterization of IBM Model 2", the model of fast_align) adds that words in the same
part of a sentence tend to translate each other. A model gives every target word one source word or none; the two
directions are joined by *grow-diag-final-and* (Koehn et al. 2005). A phrase pair agrees with an alignment if it holds
at least one link and no word in it is linked to a word outside (Och & Ney 2004).

Sentence pairs of equal lengths are aligned together, as one array of shape (pairs, target words, source words + 1);
an iteration is then a handful of NumPy operations. All probabilities are float64; nothing depends on the order of the
sentences. Of links with the same score, but for rounding, the first is taken, so that links do not depend on how many
threads add up the numbers. Memory is about 50 bytes per possible link, that is, per product of the two lengths of a
sentence pair.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

_LEAST_TENSION, _MOST_TENSION = 0.1, 14.0  # the limits of fast_align
_TIE = 1e-9  # scores whose relative difference is smaller are equal


@dataclass(frozen=True)
class AlignmentSettings:
    """How sentences are aligned.

    The defaults are those of fast_align's authors, after five iterations of Model 1, with which GIZA++, the tool of the
    paper, begins.

    Attributes
    ----------
    model1_iterations : int
        Iterations of Model 1, which ignores positions, before those of the diagonal model.
    diagonal_iterations : int
        Iterations of Model 2 with the diagonal prior.
    tension : float
        λ of the prior at the start: 0 is uniform, large values keep close to the diagonal.
    optimise_tension : bool
        Whether λ is estimated along (within 0.1 to 14).
    null_probability : float
        p₀, the prior probability that a target word translates no source word (diagonal model).
    pseudo_count : float
        α of the Dirichlet prior on translation probabilities (variational Bayes); 0 is maximum likelihood.
    longest : int
        Sentence pairs with a side of more words are left without links (and counted), as GIZA++ does from 100 on.
    """

    model1_iterations: int = 5
    diagonal_iterations: int = 5
    tension: float = 4.0
    optimise_tension: bool = True
    null_probability: float = 0.08
    pseudo_count: float = 0.01
    longest: int = 100

    @property
    def signature(self) -> str:
        """All settings in one line."""
        *values, longest = (f"{item.name}:{getattr(self, item.name)}" for item in fields(self))
        return f"align({','.join(values)},symmetrisation:grow-diag-final-and,{longest})"


# -------------------------------------------------------------------------------------------------------- sentences


@dataclass(frozen=True)
class Encoded:
    """Sentences as numbers.

    Attributes
    ----------
    words : list of str
        The vocabulary in alphabetical order.
    ids : array of int64, shape (tokens,)
        Place of each token in `words`, sentence after sentence.
    starts : array of int64, shape (sentences + 1,)
        Where each sentence begins in `ids`.
    """

    words: list[str] = field(repr=False)
    ids: NDArray[np.int64] = field(repr=False)
    starts: NDArray[np.int64] = field(repr=False)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of tokens of each sentence."""
        return np.diff(self.starts)


def encode(sentences: Sequence[Sequence[str]]) -> Encoded:
    """Sentences (sequences of words, also empty) as numbers."""
    words = sorted({word for sentence in sentences for word in sentence})
    number = {word: place for place, word in enumerate(words)}
    ids = np.fromiter((number[word] for sentence in sentences for word in sentence), np.int64)
    starts = np.concatenate([[0], np.cumsum([len(sentence) for sentence in sentences], dtype=np.int64)])
    return Encoded(words, ids, starts.astype(np.int64))


# ------------------------------------------------------------------------------------------------- one direction


class _Cells:
    """All possible links of all sentence pairs, sentence pairs of the same two lengths side by side.

    `pair` holds the number of the (source word, target word) pair of each possible link; a group's part of it has the
    shape (sentences, target words, source words + 1), the empty word first. `prior` has one such block, without the
    sentences, for each group.
    """

    def __init__(self, source: Encoded, target: Encoded, longest: int) -> None:
        n, m = source.lengths, target.lengths
        usable = np.flatnonzero((n > 0) & (m > 0) & (n <= longest) & (m <= longest))
        order = usable[np.lexsort((n[usable], m[usable]))]
        new = np.flatnonzero(np.diff(m[order]) | np.diff(n[order])) + 1
        self.groups: list[tuple[NDArray, int, int, slice, slice]] = []
        keys, features, place, prior_place = [np.zeros(0, np.int64)], [np.zeros(0)], 0, 0
        for members in np.split(order, new) if len(order) else []:
            rows, columns = int(m[members[0]]), int(n[members[0]])
            left = np.zeros((len(members), columns + 1), np.int64)
            left[:, 1:] = source.ids[source.starts[members][:, None] + np.arange(columns)] + 1
            right = target.ids[target.starts[members][:, None] + np.arange(rows)]
            keys.append((left[:, None, :] * len(target.words) + right[:, :, None]).ravel())
            # h(i, j, m, n) = -|j/m - i/n| of each cell of the block; NaN marks the empty word.
            distance = -np.abs(np.arange(1, rows + 1)[:, None] / rows - np.arange(1, columns + 1) / columns)
            features.append(np.insert(distance, 0, np.nan, axis=1).ravel())
            cells, size = len(keys[-1]), len(features[-1])
            block, prior = slice(place, place + cells), slice(prior_place, prior_place + size)
            self.groups.append((members, rows, columns, block, prior))
            place, prior_place = place + cells, prior_place + size
        self.keys, self.pair = np.unique(np.concatenate(keys), return_inverse=True)
        self.source_of_pair = self.keys // max(len(target.words), 1)
        self.feature = np.concatenate(features)
        self.is_null = np.isnan(self.feature)
        self.feature[self.is_null] = 0.0
        self.rows = np.flatnonzero(self.is_null)  # each row begins with the empty word
        self.row_sizes = np.diff(np.append(self.rows, len(self.feature)))

    def uniform_prior(self) -> NDArray:
        return np.repeat(1.0 / self.row_sizes, self.row_sizes)

    def _weights(self, tension: float) -> tuple[NDArray, NDArray]:
        """exp(λh), zero for the empty word, and its sum over each row."""
        weights = np.where(self.is_null, 0.0, np.exp(tension * self.feature))
        return weights, np.add.reduceat(weights, self.rows)

    def diagonal_prior(self, tension: float, null_probability: float) -> NDArray:
        weights, totals = self._weights(tension)
        return np.where(
            self.is_null, null_probability, (1 - null_probability) * weights / np.repeat(totals, self.row_sizes)
        )

    def best_tension(self, tension: float, linked: NDArray) -> float:
        """The λ that maximises the expected log prior, given the expected number of links of each prior cell.

        That is Σ λ·h·linked - Σ (links of the row)·log Z(λ), which is concave: Newton's method takes a few steps.
        fast_align walks up the same slope in eight steps of fixed size.
        """
        linked = np.where(self.is_null, 0.0, linked)
        of_row = np.add.reduceat(linked, self.rows)
        observed = float(linked @ self.feature)
        for _ in range(20):
            weights, totals = self._weights(tension)
            mean = np.add.reduceat(weights * self.feature, self.rows) / totals
            square = np.add.reduceat(weights * self.feature**2, self.rows) / totals
            slope, bend = observed - float(of_row @ mean), float(of_row @ (square - mean**2))
            if bend <= 0:
                break
            step = min(max(tension + slope / bend, _LEAST_TENSION), _MOST_TENSION)
            if abs(step - tension) < 1e-9:
                break
            tension = step
        return tension


@dataclass(frozen=True)
class WordModel:
    """What one direction has learned.

    Attributes
    ----------
    keys : array of int64, shape (pairs,)
        ``(source word + 1) * number of target words + target word`` of each pair that occurs, rising; source word -1 is
        the empty word.
    probabilities : array of float64, shape (pairs,)
        t(target word | source word).
    links : array of int64, shape (target tokens,)
        Place of the most probable source word in its sentence, or -1 for none.
    """

    keys: NDArray[np.int64] = field(repr=False)
    probabilities: NDArray[np.float64] = field(repr=False)
    links: NDArray[np.int64] = field(repr=False)


def train(source: Encoded, target: Encoded, settings: AlignmentSettings = AlignmentSettings()) -> WordModel:
    """Learn one direction by expectation maximisation and align every target word.

    Parameters
    ----------
    source, target : Encoded
        Sentence i of one translates sentence i of the other.
    settings : AlignmentSettings

    Examples
    --------
    >>> english, german = encode([["the", "house"], ["the", "book"]]), encode([["das", "haus"], ["das", "buch"]])
    >>> train(english, german).links.tolist()
    [0, 1, 0, 1]
    """
    cells = _Cells(source, target, settings.longest)
    # Any uniform start gives the same first posterior.
    probabilities = np.full(len(cells.keys), 1.0 / max(len(target.words), 1))
    posterior = np.empty(len(cells.pair))
    tension = settings.tension
    prior = cells.uniform_prior()
    for iteration in range(settings.model1_iterations + settings.diagonal_iterations):
        is_diagonal = iteration >= settings.model1_iterations
        if is_diagonal:
            prior = cells.diagonal_prior(tension, settings.null_probability)
        linked = _expect(cells, probabilities, prior, posterior)
        probabilities = _maximise(cells, posterior, settings.pseudo_count)
        if is_diagonal and settings.optimise_tension and len(linked):
            tension = cells.best_tension(tension, linked)
    if settings.diagonal_iterations:
        prior = cells.diagonal_prior(tension, settings.null_probability)
    links = np.full(len(target.ids), -1, np.int64)
    for members, rows, columns, block, prior_block in cells.groups:
        scores = probabilities[cells.pair[block]].reshape(len(members), rows, columns + 1)
        scores *= prior[prior_block].reshape(rows, columns + 1)
        is_best = scores >= scores.max(axis=2, keepdims=True) * (1 - _TIE)
        links[target.starts[members][:, None] + np.arange(rows)] = is_best.argmax(axis=2) - 1
    return WordModel(cells.keys, probabilities, links)


def _expect(cells: _Cells, probabilities: NDArray, prior: NDArray, posterior: NDArray) -> NDArray:
    """Fill `posterior`; give the expected number of links of each prior cell."""
    np.take(probabilities, cells.pair, out=posterior)
    linked = np.empty(len(prior))
    for members, rows, columns, block, prior_block in cells.groups:
        part = posterior[block].reshape(len(members), rows, columns + 1)  # a view
        part *= prior[prior_block].reshape(rows, columns + 1)
        part /= part.sum(axis=2, keepdims=True)
        linked[prior_block] = part.sum(axis=0).ravel()
    return linked


def _maximise(cells: _Cells, posterior: NDArray, pseudo_count: float) -> NDArray:
    counts = np.bincount(cells.pair, weights=posterior, minlength=len(cells.keys)).astype(float)
    if not pseudo_count:
        return counts / np.bincount(cells.source_of_pair, weights=counts)[cells.source_of_pair]
    counts += pseudo_count
    totals = np.bincount(cells.source_of_pair, weights=counts)
    seen = totals > 0
    totals[seen] = digamma(totals[seen])
    return np.exp(digamma(counts) - totals[cells.source_of_pair])


# ------------------------------------------------------------------------------------------------ both directions


Links = list[tuple[int, int]]
"""The links of a sentence pair: places of two words in their sentences, in rising order."""


def align(first: Encoded, second: Encoded, settings: AlignmentSettings = AlignmentSettings()) -> list[Links]:
    """Align sentence pairs in both directions and join the two.

    Parameters
    ----------
    first, second : Encoded
        Sentence i of one translates sentence i of the other.
    settings : AlignmentSettings

    Returns
    -------
    list of list of (int, int)
        The links of each sentence pair.

    Examples
    --------
    >>> align(encode([["the", "house"], ["the", "book"]]), encode([["das", "haus"], ["das", "buch"]]))
    [[(0, 0), (1, 1)], [(0, 0), (1, 1)]]
    """
    ahead = np.split(train(first, second, settings).links, second.starts[1:-1])
    back = np.split(train(second, first, settings).links, first.starts[1:-1])
    joined = []
    for of_second, of_first in zip(ahead, back):
        forward = {(i, j) for j, i in enumerate(of_second.tolist()) if i >= 0}
        backward = {(i, j) for i, j in enumerate(of_first.tolist()) if j >= 0}
        joined.append(sorted(grow_diag_final_and(forward, backward)))
    return joined


_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def grow_diag_final_and(forward: set[tuple[int, int]], backward: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Join two alignments of a sentence pair (Koehn et al. 2005, as Moses does).

    The links that both have grow by neighbouring links of either (also diagonally) that join a word without a link;
    then links of either between two words without a link are added. (NLTK's function of that name looks words up among
    the keys "e" and "f" of its own table, so its condition always holds and its result is the union.)

    Parameters
    ----------
    forward, backward : set of (int, int)
        Links as (place in the first sentence, place in the second).
    """
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


def phrase_pairs(links: Links, sizes: tuple[int, int], longest: int) -> Iterator[tuple[slice, slice]]:
    """All phrase pairs of a sentence pair that agree with its links (Och & Ney 2004).

    Words without a link at the edge of a foreign phrase belong to it or not: both pairs are given.

    Parameters
    ----------
    links : list of (int, int)
    sizes : (int, int)
        Words of the two sentences.
    longest : int
        Words of the longest phrase on either side.

    Yields
    ------
    (slice, slice)
        Places of the words of both phrases in their sentences.

    Examples
    --------
    >>> pairs = phrase_pairs([(0, 0), (1, 2)], (2, 3), 2)
    >>> [(x.start, x.stop, y.start, y.stop) for x, y in pairs]
    [(0, 1, 0, 1), (0, 1, 0, 2), (1, 2, 2, 3), (1, 2, 1, 3)]
    """
    partners: list[list[int]] = [[] for _ in range(sizes[0])]
    linked: list[list[int]] = [[] for _ in range(sizes[1])]
    for i, j in links:
        partners[i].append(j)
        linked[j].append(i)
    for start in range(sizes[0]):
        reached: list[int] = []
        for stop in range(start + 1, min(start + longest, sizes[0]) + 1):
            reached += partners[stop - 1]
            if not reached:
                continue
            left, right = min(reached), max(reached) + 1
            if right - left > longest:
                break
            back = [i for j in range(left, right) for i in linked[j]]
            if min(back) < start or max(back) >= stop:
                continue
            begin = left
            while right - begin <= longest:
                end = right
                while end - begin <= longest:
                    yield slice(start, stop), slice(begin, end)
                    if end == sizes[1] or linked[end]:
                        break
                    end += 1
                begin -= 1
                if begin < 0 or linked[begin]:
                    break
