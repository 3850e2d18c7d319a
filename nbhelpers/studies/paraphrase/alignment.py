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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import NamedTuple

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


class _Group(NamedTuple):
    """The possible links of all sentence pairs of the same two lengths, n source words and m target words.

    `members` are the numbers of the sentence pairs. `pairs`, of shape (members, m, n + 1), has for each possible link
    the number of its (source word, target word) pair, the empty word first. `closeness`, of shape (m, n), is
    -|j/m - i/n|, in the paper h(i, j, m, n).
    """

    members: NDArray
    pairs: NDArray
    closeness: NDArray

    def diagonal_prior(self, tension: float, null_probability: float) -> NDArray:
        """Of shape (m, n + 1): p₀ for the empty word, and for the others what is left in proportion to exp(λh)."""
        weights = np.exp(tension * self.closeness)
        weights *= (1 - null_probability) / weights.sum(axis=1, keepdims=True)
        return np.insert(weights, 0, null_probability, axis=1)


def _grouped(source: Encoded, target: Encoded, longest: int) -> tuple[list[_Group], NDArray, NDArray]:
    """The possible links of sentences that are neither empty nor too long, the `pairs` of all, and the pairs' keys."""
    n, m = source.lengths, target.lengths
    usable = np.flatnonzero((n > 0) & (m > 0) & (n <= longest) & (m <= longest))
    order = usable[np.lexsort((n[usable], m[usable]))]
    new = np.flatnonzero(np.diff(m[order]) | np.diff(n[order])) + 1
    groups, keys = [], [np.zeros(0, np.int64)]
    for members in np.split(order, new) if len(order) else []:
        i, j = np.arange(n[members[0]]), np.arange(m[members[0]])
        left = np.insert(source.ids[source.starts[members][:, None] + i] + 1, 0, 0, axis=1)
        right = target.ids[target.starts[members][:, None] + j]
        found = left[:, None, :] * len(target.words) + right[:, :, None]
        groups.append(_Group(members, found, -np.abs((j[:, None] + 1) / len(j) - (i + 1) / len(i))))
        keys.append(found.ravel())
    unique, numbers = np.unique(np.concatenate(keys), return_inverse=True)
    parts = np.split(numbers, np.cumsum([one.pairs.size for one in groups], dtype=int))
    return [one._replace(pairs=part.reshape(one.pairs.shape)) for one, part in zip(groups, parts)], numbers, unique


def _best_tension(groups: Sequence[_Group], tension: float, linked: Sequence[NDArray]) -> float:
    """The λ that maximises the expected log prior, given the expected links of each word pair's places, (m, n).

    That is Σ λ·h·linked - Σ (links of the row)·log Z(λ), which is concave: Newton's method takes a few steps.
    fast_align walks up the same slope in eight steps of fixed size.
    """
    for _ in range(20):
        slope = bend = 0.0
        for group, links in zip(groups, linked):
            weights = group.diagonal_prior(tension, 0.0)[:, 1:]
            mean, square = ((weights * group.closeness**power).sum(axis=1) for power in (1, 2))
            of_row = links.sum(axis=1)
            slope += (links * group.closeness).sum() - of_row @ mean
            bend += of_row @ (square - mean**2)
        if bend <= 0:
            break
        step = min(max(tension + slope / bend, _LEAST_TENSION), _MOST_TENSION)
        if abs(step - tension) < 1e-9:
            break
        tension = step
    return float(tension)


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
    groups, pairs, keys = _grouped(source, target, settings.longest)
    # Any uniform start gives the same first posterior.
    probabilities = np.full(len(keys), 1.0 / max(len(target.words), 1))
    tension = settings.tension
    priors = [np.full(group.pairs.shape[1:], 1.0 / group.pairs.shape[2]) for group in groups]
    for iteration in range(settings.model1_iterations + settings.diagonal_iterations):
        is_diagonal = iteration >= settings.model1_iterations
        if is_diagonal:
            priors = [group.diagonal_prior(tension, settings.null_probability) for group in groups]
        posteriors = [probabilities[group.pairs] * prior for group, prior in zip(groups, priors)]
        for posterior in posteriors:
            posterior /= posterior.sum(axis=2, keepdims=True)
        weights = np.concatenate([np.zeros(0), *map(np.ravel, posteriors)])
        counts = np.bincount(pairs, weights, minlength=len(keys)).astype(float)
        probabilities = _maximise(counts, keys // max(len(target.words), 1), settings.pseudo_count)
        if is_diagonal and settings.optimise_tension:
            tension = _best_tension(groups, tension, [posterior.sum(axis=0)[:, 1:] for posterior in posteriors])
    if settings.diagonal_iterations:
        priors = [group.diagonal_prior(tension, settings.null_probability) for group in groups]
    links = np.full(len(target.ids), -1, np.int64)
    for group, prior in zip(groups, priors):
        scores = probabilities[group.pairs] * prior
        is_best = scores >= scores.max(axis=2, keepdims=True) * (1 - _TIE)
        links[target.starts[group.members][:, None] + np.arange(len(prior))] = is_best.argmax(axis=2) - 1
    return WordModel(keys, probabilities, links)


def _maximise(counts: NDArray, source_word: NDArray, pseudo_count: float) -> NDArray:
    """Probabilities of word pairs given their source word, from expected counts."""
    if not pseudo_count:
        return counts / np.bincount(source_word, weights=counts)[source_word]
    counts = counts + pseudo_count
    totals = digamma(np.bincount(source_word, weights=counts))
    return np.exp(digamma(counts) - totals[source_word])


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
    cells, before = sorted(union), 0
    while len(links) > before:  # from top left to bottom right until nothing changes
        before = len(links)
        for i, j in cells:
            if (i, j) in links:
                for new in ((i + down, j + right) for down, right in _NEIGHBOURS):
                    if new in union and new not in links and (new[0] not in rows or new[1] not in columns):
                        links.add(new)
                        rows.add(new[0])
                        columns.add(new[1])
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
