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

_LIST_ITEM = re.compile(r"\n(?=\s*(?:[-–—*•·‣▪◦]|\d{1,3}[.)])\s)")

MOST = 3
"""Sentences of one text that may stand against one of the other."""

ALONE, JOINED = 0.4, 0.03
"""A pair with a lower cosine stays apart; a further sentence in a group must raise the cosine by so much."""

SLACK = 0.2
"""How far the cosine of a run of sentences may lie above that of the mean of their vectors."""

Group = tuple[range, range]
"""Places of sentences of the source, and of the candidate; one of them may be empty."""


def pieces(text: str) -> list[str]:
    """The sentences and list items of a text; one that is too long for a rating (see `LONGEST`) is divided.

    Examples
    --------
    >>> pieces("It rained. We stayed in.")
    ['It rained.', 'We stayed in.']
    """
    found, english = [], load_english()
    for sentence in (each for part in _LIST_ITEM.split(text) for each in english.sentences(part)):
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

    Every sentence is encoded. A run of sentences is encoded only when it belongs to the best alignment so far, which
    hopes for a cosine up to `SLACK` above that of the mean of its vectors; then the best alignment is searched again.

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
    sides, distinct = (sources, candidates), list(dict.fromkeys([*sources, *candidates]))
    known = dict(zip(distinct, np.asarray(encode(distinct))))
    vectors = [np.array([known[text] for text in side]) for side in sides]
    cosines = {(1, 1): vectors[0] @ vectors[1].T}  # by the numbers of sentences that are joined on both sides
    for size in range(2, MOST + 1):
        cosines[1, size] = _hoped(candidates, vectors[1], vectors[0], size).T
        cosines[size, 1] = _hoped(sources, vectors[0], vectors[1], size)
    encoded: set[tuple[int, range]] = set()
    while True:
        groups = _best(cosines, len(sources), len(candidates))
        runs = list({(side, group[side]) for group in groups for side in (0, 1) if len(group[side]) > 1} - encoded)
        if not runs:
            return groups
        encoded.update(runs)
        for (side, run), vector in zip(runs, encode([" ".join(sides[side][at] for at in run) for side, run in runs])):
            if side == 0:
                cosines[len(run), 1][run.start] = vectors[1] @ vector
            else:
                cosines[1, len(run)][:, run.start] = vectors[0] @ vector


def _hoped(texts: Sequence[str], vectors: NDArray, others: NDArray, size: int) -> NDArray:
    """Cosines that runs of `size` texts may have with the other texts at most; 0 for a run that is too long."""
    words, found = (
        np.array([len(text.split()) for text in texts]),
        np.zeros((max(0, len(texts) - size + 1), len(others))),
    )
    for at in range(len(found)):
        run = slice(at, at + size)
        if words[run].sum() <= 2 * LONGEST:
            mean = words[run] @ vectors[run]
            found[at] = others @ mean / np.linalg.norm(mean) + SLACK
    return found


def _best(cosines: dict[tuple[int, int], NDArray], rows: int, columns: int) -> list[Group]:
    """The alignment with the largest sum of cosines, less what `ALONE` and `JOINED` ask for."""
    best = np.full((rows + 1, columns + 1), -np.inf)
    best[0, 0], back = 0.0, {}
    for i in range(rows + 1):
        for j in range(columns + 1):
            if i or j:
                moves = [(best[i - 1, j], (1, 0))] if i else []
                moves += [(best[i, j - 1], (0, 1))] if j else []
                for (a, b), values in cosines.items():
                    if i >= a and j >= b:
                        gain = values[i - a, j - b] - ALONE - JOINED * (a + b - 2)
                        moves.append((best[i - a, j - b] + gain, (a, b)))
                best[i, j], back[i, j] = max(moves, key=lambda move: move[0])
    groups, i, j = [], rows, columns
    while i or j:
        a, b = back[i, j]
        groups.append((range(i - a, i), range(j - b, j)))
        i, j = i - a, j - b
    return groups[::-1]
