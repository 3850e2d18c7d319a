"""The one shape of every measure of meaning, and the checks that all of them share."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from nbhelpers.base.errors import InputError, RowError

Compute = Callable[[list[str], list[str], list[list[str]]], Sequence[float]]
"""Sources, candidates and for each candidate its references; one number for each candidate."""


@dataclass(frozen=True)
class Metric:
    """A measure of how far a candidate says what its source says: ``metric(sources, candidates, references=None)``.

    Attributes
    ----------
    name : str
        Its key in the registry, such as ``rouge1-f1``.
    title : str
        How tables call it, such as ``ROUGE-1 F1``.
    range : (float, float)
        Lowest and highest value that it can take; infinite where there is no bound.
    higher_means_same : bool
        False for a distance, such as TER.
    needs_reference : bool
        True where the definition compares with texts written by people. Without them the source stands in their
        place, as in the MeaningBERT study, and the signature says so (``ref:source``).
    signature : str
        One line that says how a number was made.
    compute : callable
        The measure itself; it sees checked input only, and each distinct triple once.
    scale : float or None
        What a value is multiplied by to become a rating of 0 to 100 (section 4 of the MeaningBERT study); a distance
        is then taken from 100. None where no such rating exists.
    """

    name: str
    title: str
    range: tuple[float, float]
    higher_means_same: bool
    needs_reference: bool
    signature: str
    compute: Compute = field(repr=False)
    scale: float | None = None

    def __call__(
        self,
        sources: Sequence[str],
        candidates: Sequence[str],
        references: Sequence[str | Sequence[str]] | None = None,
    ) -> NDArray[np.float64]:
        """Score every candidate against its source.

        Parameters
        ----------
        sources, candidates : sequence of str
            n texts each, none of them empty.
        references : sequence, optional
            For each candidate one text or several, written by people; by default the source stands for them.

        Returns
        -------
        numpy.ndarray, float64, shape (n,)
            Values in `range`, finite.

        Raises
        ------
        InputError
            For a single string, lists of different lengths, an empty text (with its row, counted from 1), references
            that are transposed (as many lists as there are references per candidate), or a value that is not finite.
        """
        sources, candidates, references = check_pairs(sources, candidates, references)
        triples = [(s, c, tuple(r)) for s, c, r in zip(sources, candidates, references)]
        distinct = list(dict.fromkeys(triples))
        if not distinct:
            return np.zeros(0)
        try:
            given = self.compute([t[0] for t in distinct], [t[1] for t in distinct], [list(t[2]) for t in distinct])
        except RowError as error:  # of the distinct triples, which are what the measure saw
            raise type(error)(triples.index(distinct[error.row - 1]) + 1, error.reason) from error
        by_triple = dict(zip(distinct, given, strict=True))
        values = np.array([by_triple[t] for t in triples], dtype=np.float64)
        for row, value in enumerate(values, start=1):
            if not math.isfinite(value):
                raise InputError(f"{self.title} of row {row} is {value}, not a number that can be used.")
        return values

    def ratings(self, values: Sequence[float]) -> NDArray[np.float64] | None:
        """Values as ratings of 0 (another meaning) to 100 (the same), or None where the measure has no such scale."""
        if self.scale is None:
            return None
        scaled = np.asarray(values, dtype=np.float64) * self.scale
        return scaled if self.higher_means_same else 100 - scaled

    def signature_for(self, references: object | None) -> str:
        """The signature, with what the candidates are compared to."""
        return f"{self.signature}|ref:{'source' if references is None else 'given'}"


def check_pairs(
    sources: Sequence[str],
    candidates: Sequence[str],
    references: Sequence[str | Sequence[str]] | None = None,
) -> tuple[list[str], list[str], list[list[str]]]:
    """Lists of the same length of texts that are not empty, references as a list for each candidate.

    Raises
    ------
    InputError
        Says what is wrong, and in which row (counted from 1).
    """
    for name, texts in (("sources", sources), ("candidates", candidates), ("references", references)):
        if isinstance(texts, str):
            raise InputError(f"{name} is a list of texts, not one text.")
    sources, candidates = list(sources), list(candidates)
    if len(sources) != len(candidates):
        raise InputError(f"There are {len(sources)} sources and {len(candidates)} candidates.")
    for name, texts in (("source", sources), ("candidate", candidates)):
        for row, text in enumerate(texts, start=1):
            if not isinstance(text, str) or not text.strip():
                raise InputError(f"The {name} of row {row} is empty or no text: {text!r}.")
    if references is None:
        return sources, candidates, [[source] for source in sources]
    given = list(references)
    if len(given) != len(candidates):
        hint = ""
        if given and all(not isinstance(r, str) and len(r) == len(candidates) for r in given):
            hint = " They seem to be transposed: a list of references for each candidate is wanted."
        raise InputError(f"There are references for {len(given)} of {len(candidates)} candidates.{hint}")
    lists = [[r] if isinstance(r, str) else list(r) for r in given]
    for row, texts in enumerate(lists, start=1):
        if not texts or not all(isinstance(t, str) and t.strip() for t in texts):
            raise InputError(f"The references of row {row} are missing, empty or no texts: {texts!r}.")
    return sources, candidates, lists
