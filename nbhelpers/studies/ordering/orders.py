"""Orders of sentences: random ones, how far two orders agree, and the one that a measure likes best.

An order of n sentences is an int array (n,): the sentence that stands first, second, …, each of 0 … n - 1 once. The
author's own order is 0, 1, …, n - 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import kendalltau

from nbhelpers.base.errors import InputError

EXACT_UP_TO = 12
"""Sentences: up to here the best order is found exactly (time and memory grow as n² · 2ⁿ)."""

STARTS = 10
"""Paths that the search for longer documents improves."""

LONGEST_SEARCH = 1000
"""Sentences: longer documents are refused by the search, whose tables hold n² numbers."""


# -------------------------------------------------------------------- random orders


def shuffled(length: int, repetitions: int, generator: np.random.Generator) -> np.ndarray:
    """Random orders, every one as likely (the author's own among them): the R collection of section 4.2.

    Returns
    -------
    int array (repetitions, length)
    """
    return generator.permuted(np.tile(np.arange(length), (repetitions, 1)), axis=1)


def moved(length: int, count: int, repetitions: int, generator: np.random.Generator) -> np.ndarray:
    """Orders with `count` sentences moved: the Rn collections of section 4.2 ("a random shift of n sentences").

    `count` different sentences are drawn. One after the other is taken out and put back at another place, every other
    place being as likely. Where several moves undo each other, they are drawn again, so that the result is never the
    author's order.

    Parameters
    ----------
    length : int
        Number of sentences, at least 3.
    count : int
        Sentences to move, 1 to `length`.

    Returns
    -------
    int array (repetitions, length)

    Raises
    ------
    InputError
        If there are fewer sentences, so that no other order may come of it.
    """
    if not 1 <= count <= length or length < 3:
        raise InputError(f"{count} of {length} sentences cannot be moved to give another order")
    orders = np.tile(np.arange(length), (repetitions, 1))
    missing = np.arange(repetitions)
    while len(missing):
        orders[missing] = _move(length, count, len(missing), generator)
        missing = missing[(orders[missing] == np.arange(length)).all(axis=1)]
    return orders


def _move(length: int, count: int, repetitions: int, generator: np.random.Generator) -> np.ndarray:
    orders = np.tile(np.arange(length), (repetitions, 1))
    places = np.arange(length)
    if count == 1:
        chosen = generator.integers(0, length, (repetitions, 1))
    else:
        chosen = generator.random((repetitions, length)).argsort(axis=1)[:, :count]
    for sentence in chosen.T:
        old = (orders == sentence[:, None]).argmax(axis=1)
        new = generator.integers(0, length - 1, repetitions)
        new += new >= old  # any place but the old one
        old, new = old[:, None], new[:, None]
        # What stands at a place after the move: the neighbours between both places close up.
        source = np.where((places >= old) & (places < new), places + 1, places)
        source = np.where((places > new) & (places <= old), places - 1, source)
        source = np.where(places == new, old, source)
        orders = np.take_along_axis(orders, source, axis=1)
    return orders


# -------------------------------------------------------------------- agreement with the author


def kendall_tau(order) -> float:
    """Kendall's τ between an order and the author's (equation 1): 1 for the same order, -1 for its reversal.

    NaN for one sentence, where the equation divides by zero.

    Examples
    --------
    >>> round(kendall_tau([0, 2, 1]), 2)
    0.33
    """
    return float(kendalltau(np.arange(len(order)), order).statistic) if len(order) > 1 else float("nan")


# -------------------------------------------------------------------- the order a measure likes best


class BestOrder(NamedTuple):
    """The order of one document that a measure scores highest.

    Attributes
    ----------
    order : int array (n,)
    score : float
        Mean similarity of adjacent sentences (equation 2); NaN for one sentence.
    """

    order: np.ndarray
    score: float


def order_score(similarity: np.ndarray, order=None) -> float:
    """Score of an order (equation 2): mean of s(i, j) over adjacent sentences; NaN for one sentence.

    Parameters
    ----------
    similarity : float array (n, n)
        s(i, j) of every sentence j after every sentence i.
    order : int array (n,), optional
        By default the author's.

    Raises
    ------
    InputError
        If the order does not hold each of 0 … n - 1 once.

    Examples
    --------
    >>> order_score([[0.0, 0.5, 1.0], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0]], [1, 0, 2])
    0.75
    """
    similarity = np.asarray(similarity, float)
    order = np.arange(len(similarity)) if order is None else np.asarray(order)
    if not np.array_equal(np.sort(order), np.arange(len(similarity))):
        raise InputError("an order holds each of 0, 1, …, n - 1 once")
    return float(similarity[order[:-1], order[1:]].mean()) if len(order) > 1 else float("nan")


def best_order(similarity: np.ndarray, *, seed: int = 0) -> BestOrder:
    """Order that maximises the score: the weakness that section 5 names, as a travelling-salesman path.

    Up to `EXACT_UP_TO` sentences by dynamic programming over sets (Held and Karp 1962). Above that from
    nearest-neighbour paths, improved by reversing stretches (2-opt) and by moving up to three sentences elsewhere
    (Or-opt), the best change first, until none helps; the best of `STARTS` starts. A symmetric measure gives an order
    and its reversal the same score: the one that starts with the smaller number is returned.

    Parameters
    ----------
    similarity : float array (n, n)
        Need not be symmetric; the diagonal is not used.
    seed : int
        Of the starts: the first is sentence 0, the others are random ones.

    Raises
    ------
    InputError
        If the matrix is not square and finite, or has more than 1,000 rows.

    Examples
    --------
    >>> best_order([[0.0, 0.5, 1.0], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0]]).order.tolist()
    [1, 0, 2]
    """
    similarity = np.asarray(similarity, float)
    n = len(similarity)
    if similarity.shape != (n, n) or not 1 <= n <= LONGEST_SEARCH or not np.isfinite(similarity).all():
        raise InputError(f"similarities form a square matrix of 1 to {LONGEST_SEARCH} rows, all finite numbers")
    order = _held_karp(similarity) if n <= EXACT_UP_TO else _searched(similarity, seed)
    if order[0] > order[-1] and np.array_equal(similarity, similarity.T):
        order = order[::-1].copy()
    return BestOrder(order, order_score(similarity, order))


def _searched(similarity: np.ndarray, seed: int) -> np.ndarray:
    """The best of several improved nearest-neighbour paths."""
    generator = np.random.default_rng(seed)
    first = np.concatenate([[0], 1 + generator.permutation(len(similarity) - 1)])[:STARTS]
    paths = [_improved(similarity, _nearest_neighbour(similarity, int(start))) for start in first]
    return max(paths, key=lambda path: similarity[path[:-1], path[1:]].sum())


def _held_karp(similarity: np.ndarray) -> np.ndarray:
    """Best path through all sentences, by sets of visited ones; sets of equal size are handled together."""
    n = len(similarity)
    sets = np.arange(1 << n)
    members = (sets[:, None] >> np.arange(n)) & 1
    size = members.sum(axis=1)
    best = np.full((1 << n, n), -np.inf)  # best path through a set that ends in a sentence
    parent = np.zeros((1 << n, n), np.int8)
    best[1 << np.arange(n), np.arange(n)] = 0.0
    for count in range(2, n + 1):
        of_size = sets[size == count]
        for end in range(n):
            here = of_size[members[of_size, end] == 1]
            without = best[here ^ (1 << end)] + similarity[:, end]
            parent[here, end] = without.argmax(axis=1)
            best[here, end] = without.max(axis=1)
    path = [int(best[-1].argmax())]
    visited = (1 << n) - 1
    while len(path) < n:
        before = int(parent[visited, path[-1]])
        visited ^= 1 << path[-1]
        path.append(before)
    return np.array(path[::-1])


def _nearest_neighbour(similarity: np.ndarray, start: int) -> np.ndarray:
    n = len(similarity)
    free = np.ones(n, bool)
    path = np.empty(n, np.intp)
    path[0] = start
    free[start] = False
    for place in range(1, n):
        path[place] = np.where(free, similarity[path[place - 1]], -np.inf).argmax()
        free[path[place]] = False
    return path


_LEAST_GAIN = 1e-12


def _improved(similarity: np.ndarray, path: np.ndarray) -> np.ndarray:
    """The path after all improving 2-opt and Or-opt changes, the best of both first."""
    path = path.copy()
    n = len(path)
    for _ in range(20 * n + 100):  # never reached: every change raises the score
        # s between the places of the path, with a rim of zeros for the places before the first and after the last.
        here = np.zeros((n + 2, n + 2))
        here[1:-1, 1:-1] = similarity[np.ix_(path, path)]
        reversal, i, j = _best_reversal(here)
        moving, segment, length, gap = _best_move(here)
        if max(reversal, moving) <= _LEAST_GAIN:
            break
        if reversal >= moving:
            path[i : j + 1] = path[i : j + 1][::-1]
        else:
            after = segment + length
            part = path[segment:after]
            if gap < segment:
                path = np.concatenate([path[:gap], part, path[gap:segment], path[after:]])
            else:
                path = np.concatenate([path[:segment], path[after:gap], part, path[gap:]])
    return path


def _best_reversal(here: np.ndarray) -> tuple[float, int, int]:
    """Largest gain of reversing places i … j (from 0) of a path with similarities `here` between its padded places."""
    n = len(here) - 2
    steps = np.arange(1, n)
    forward = np.concatenate([[0], np.cumsum(here[steps, steps + 1])])
    backward = np.concatenate([[0], np.cumsum(here[steps + 1, steps])])
    turned = backward - forward
    link = here[np.arange(n + 1), np.arange(1, n + 2)]  # between neighbours, from before the first to after the last
    gain = turned[None, :] - turned[:, None]
    gain += here[:n, 1 : n + 1]  # the one before i, then j
    gain += here[1 : n + 1, 2:]  # i, then the one after j
    gain -= link[:n, None] + link[None, 1:]
    gain[np.tril_indices(n)] = -np.inf
    i, j = divmod(int(gain.argmax()), n)
    return float(gain[i, j]), i, j


def _best_move(here: np.ndarray) -> tuple[float, int, int, int]:
    """Largest gain of moving 1 to 3 neighbours: gain, their first place, their number, and the gap they move to.

    Gap g lies before place g; gap n after the last place.
    """
    n = len(here) - 2
    link = here[np.arange(n + 1), np.arange(1, n + 2)]
    gaps = np.arange(n + 1)
    best = (-np.inf, 0, 1, 0)
    for length in range(1, min(3, n - 1) + 1):
        segments = np.arange(n - length + 1)
        ends = segments + length - 1
        lost = link[segments] + link[ends + 1] - here[segments, ends + 2]
        # Before a gap stands padded place g, behind it g + 1.
        gain = here[: n + 1, segments + 1].T + here[ends + 1][:, 1:] - link[None, :] - lost[:, None]
        gain[(gaps >= segments[:, None]) & (gaps <= segments[:, None] + length)] = -np.inf
        place = int(gain.argmax())
        segment, gap = divmod(place, n + 1)
        if gain[segment, gap] > best[0]:
            best = (float(gain[segment, gap]), segment, length, gap)
    return best
