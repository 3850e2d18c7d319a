"""Graded edits: every sentence under rising doses of edits that change the meaning or keep it."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nbhelpers.studies.meaningbert.sanity.edits import KINDS, edits
from nbhelpers.studies.meaningbert.sanity.swaps import names_in

DOSES = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class GradedEdit:
    """Sentences under rising doses of one edit.

    Attributes
    ----------
    kind : str
    doses : tuple of float
    sources : tuple of str
        The sentences that the edit can be made on at every dose and at dose 1, so that all doses have the same ones.
    candidates : tuple of tuple of str
        For each dose the edited sentences, in the order of `sources`.
    """

    kind: str
    doses: tuple[float, ...]
    sources: tuple[str, ...]
    candidates: tuple[tuple[str, ...], ...]


def graded_edits(
    sentences: Sequence[str],
    doses: Sequence[float] = DOSES,
    seed: int = 0,
    *,
    kinds: Sequence[str] = KINDS,
) -> list[GradedEdit]:
    """Every sentence under every dose of every kind of edit.

    The generator of a sentence depends on the seed, the kind and the text, not on the dose or the other sentences: a
    larger dose edits the same words and more.

    Parameters
    ----------
    sentences : sequence of str
        One sentence each.
    doses : sequence of float
        Distinct, each in [0, 1].
    seed : int
    kinds : sequence of str
        Of `KINDS`.
        Names are swapped for those of the other sentences.

    Examples
    --------
    >>> (edit,) = graded_edits(["He came and left early.", "She sold her boat."], [0.5, 1.0], kinds=["truncated"])
    >>> edit.candidates[1]
    ('He', 'She')
    """
    doses = tuple(doses)
    table = edits(names_in(sentences) if "entity" in kinds else [])
    result = []
    for kind in kinds:
        edit = table[kind]
        kept: list[tuple[str, list[str]]] = []
        for text in sentences:
            state = [seed, KINDS.index(kind), zlib.crc32(text.encode())]
            edited = {dose: edit(text, dose, np.random.default_rng(state)) for dose in {*doses, 1.0}}
            if None not in edited.values():
                kept.append((text, [edited[dose] for dose in doses]))
        candidates = tuple(zip(*(new for _, new in kept))) or tuple(() for _ in doses)
        sources = tuple(text for text, _ in kept)
        result.append(GradedEdit(kind, doses, sources, candidates))
    return result
