"""Long texts, sentence by sentence: which sentences of one text say what which sentences of the other say.

Groups of one to three sentences are aligned in order (Gale and Church 1993, with the cosine of sentence vectors in the
place of lengths); a sentence may stay alone: it is missing, or added. Nothing is cut.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nbhelpers.language.english import load_english
from nbhelpers.resources.models import DEFAULT_ENCODER, cached_encoder

LONGEST = 45
"""Words that a piece of a text has at most; a longer sentence is divided at its commas, or between words."""

MOST = 3
"""Sentences of one text that may stand against one of the other."""

ALONE, JOINED = 0.4, 0.03
"""A pair with a lower cosine stays apart; a further sentence in a group must raise the cosine by so much."""

Group = tuple[range, range]
"""Places of sentences of the source, and of the candidate; one of them may be empty."""


def pieces(text: str) -> list[str]:
    """The sentences of a text; one that is too long for a rating (see `LONGEST`) is divided.

    Examples
    --------
    >>> pieces("It rained. We stayed in.")
    ['It rained.', 'We stayed in.']
    """
    found = []
    for sentence in load_english().sentences(text):
        words = sentence.split()
        while len(words) > LONGEST:
            ends = [n for n in range(LONGEST // 3, LONGEST) if words[n - 1].endswith((",", ";", ":", ".", "!", "?"))]
            end = ends[-1] if ends else LONGEST
            found.append(" ".join(words[:end]))
            words = words[end:]
        found.append(" ".join(words))
    return [piece for piece in found if re.search(r"\w", piece)] or [text.strip()]


def align(sources: Sequence[str], candidates: Sequence[str], encode=None) -> list[Group]:
    """Groups of sentences that belong together, in order.

    Parameters
    ----------
    sources, candidates : sequence of str
        Sentences of two texts.
    encode : callable, optional
        Gives a list of texts unit vectors; by default the encoder that ships with the project.

    Examples
    --------
    >>> align(["It rained.", "Prices rose."], ["It rained.", "We saw a film.", "Prices went up."])  # doctest: +SKIP
    [(range(0, 1), range(0, 1)), (range(1, 1), range(1, 2)), (range(1, 2), range(2, 3))]
    """
    encode = encode or (lambda texts: cached_encoder(DEFAULT_ENCODER).encode(texts, truncate=True))
    known: dict[str, NDArray] = {}  # what stands in both texts is encoded once
    vectors = [_windows(texts, encode, known) for texts in (sources, candidates)]
    shapes = [(1, size) for size in range(1, MOST + 1)] + [(size, 1) for size in range(2, MOST + 1)]
    cosines = {shape: vectors[0][shape[0]] @ vectors[1][shape[1]].T for shape in shapes}
    rows, columns = len(sources), len(candidates)
    best = np.full((rows + 1, columns + 1), -np.inf)
    best[0, 0], back = 0.0, {}
    for i in range(rows + 1):
        for j in range(columns + 1):
            if i or j:
                moves = [(best[i - 1, j], (1, 0))] if i else []
                moves += [(best[i, j - 1], (0, 1))] if j else []
                for a, b in shapes:
                    if i >= a and j >= b:
                        gain = cosines[a, b][i - a, j - b] - ALONE - JOINED * (a + b - 2)
                        moves.append((best[i - a, j - b] + gain, (a, b)))
                best[i, j], back[i, j] = max(moves, key=lambda move: move[0])
    groups, i, j = [], rows, columns
    while i or j:
        a, b = back[i, j]
        groups.append((range(i - a, i), range(j - b, j)))
        i, j = i - a, j - b
    return groups[::-1]


def _windows(texts: Sequence[str], encode, known: dict[str, NDArray]) -> dict[int, NDArray]:
    """Vectors of every run of one to `MOST` sentences, by length; a run that is too long has the zero vector."""
    runs = {size: [texts[at : at + size] for at in range(len(texts) - size + 1)] for size in range(1, MOST + 1)}
    joined = {run: " ".join(run) for group in runs.values() for run in map(tuple, group)}
    short = [run for run, text in joined.items() if len(run) == 1 or len(text.split()) <= 2 * LONGEST]
    if new := [text for text in dict.fromkeys(joined[run] for run in short) if text not in known]:
        known.update(zip(new, np.asarray(encode(new))))
    vectors = {run: known[joined[run]] for run in short}
    zero = np.zeros_like(next(iter(vectors.values())))
    return {
        size: np.array([vectors.get(tuple(run), zero) for run in group]).reshape(len(group), len(zero))
        for size, group in runs.items()
    }
