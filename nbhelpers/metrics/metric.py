"""The one shape of every metric, how a metric is registered, and work that several metrics share."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nbhelpers.base.errors import InputError, RowError, RowTooLongError

if TYPE_CHECKING:
    from nbhelpers.metrics.changes import Change, Damaged

Texts = list[str]
Compute = Callable[[Texts, Texts, list[Texts]], Sequence[float]]
"""Takes sources, candidates and the list of references of each candidate; gives one number for each candidate."""


@dataclass(frozen=True)
class Metric:
    """A measure of how far a candidate says what its source says: ``metric(sources, candidates, references=None)``.

    Attributes
    ----------
    name : str
        Its key in the registry, such as ``rouge1-f1``.
    title : str
        Its name in tables, such as ``ROUGE-1 F1``.
    range : (float, float)
        Lowest and highest possible value; infinite where there is no bound.
    higher_means_same : bool
        False for a distance, such as TER.
    needs_reference : bool
        True where the definition compares with texts written by people. Without them the source takes their place, as
        in the MeaningBERT study, and the signature says so (``ref:source``).
    signature : str
        One line that says how a number was made.
    compute : callable
        The metric itself. It sees checked input only, and each distinct triple once.
    scale : float or None
        Factor that turns a value into a rating from 0 to 100 (section 4 of the MeaningBERT study); a distance is then
        subtracted from 100. None where no such rating exists.
    damaged : callable or None
        ``damaged(source, candidate)`` says of pieces of the candidate (first and last character) how likely each is
        damaged, where the metric has a head for that; see `changes`.
    unread : callable or None
        ``unread(text)`` says whether a sign or word of the text is one that the metric's model does not know (an emoji,
        a key of 160 letters). It reads all of these alike, so what changes there costs nothing.
    """

    name: str
    title: str
    range: tuple[float, float]
    higher_means_same: bool
    needs_reference: bool
    signature: str
    compute: Compute = field(repr=False)
    scale: float | None = None
    damaged: Damaged | None = field(default=None, repr=False)
    unread: Callable[[str], bool] | None = field(default=None, repr=False)

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
            n texts each, none of them empty: lists, NumPy arrays or pandas columns.
        references : sequence, optional
            For each candidate one text or several, written by people. Default: the source.

        Returns
        -------
        numpy.ndarray, float64, shape (n,)
            Values in `range`, finite.

        Raises
        ------
        InputError
            A single string, lists of different lengths, an empty text (the message names its row, counted from 1),
            transposed references (as many lists as there are references per candidate), or a value that is not finite.

        Examples
        --------
        >>> from nbhelpers.metrics import load
        >>> load("token-f1")(["A cold rain fell."], ["Rain fell."]).round(2).tolist()
        [0.67]
        """
        return self.scores(*check_pairs(sources, candidates, references))

    def scores(self, sources: Texts, candidates: Texts, references: list[Texts]) -> NDArray[np.float64]:
        """Score pairs that `check_pairs` returned."""
        triples = [(s, c, tuple(r)) for s, c, r in zip(sources, candidates, references)]
        distinct = list(dict.fromkeys(triples))
        if not distinct:
            return np.zeros(0)
        try:
            given = self.compute([t[0] for t in distinct], [t[1] for t in distinct], [list(t[2]) for t in distinct])
        except RowError as error:  # its row counts the distinct triples
            raise type(error)(triples.index(distinct[error.row - 1]) + 1, error.reason) from error
        by_triple = dict(zip(distinct, given, strict=True))
        values = np.array([by_triple[t] for t in triples], dtype=np.float64)
        for row, value in enumerate(values, start=1):
            if not math.isfinite(value):
                raise RowError(row, f"{self.title} is {value}.")
        return values

    def where_it_fits(self, sources: Texts, candidates: Texts) -> NDArray[np.float64]:
        """Values of pairs that `check_pairs` returned, without references; NaN for one too long for the metric."""
        values, short = np.full(len(sources), np.nan), list(range(len(sources)))
        while short:
            try:
                values[short] = self([sources[place] for place in short], [candidates[place] for place in short])
                break
            except RowTooLongError as error:
                del short[error.row - 1]
            except RowError as error:
                raise type(error)(short[error.row - 1] + 1, error.reason) from error
        return values

    def ratings(self, values: Sequence[float]) -> NDArray[np.float64] | None:
        """Values as ratings from 0 (another meaning) to 100 (the same), or None where the metric has no such scale."""
        if self.scale is None:
            return None
        scaled = np.asarray(values, dtype=np.float64) * self.scale
        return scaled if self.higher_means_same else 100 - scaled

    def changes(self, source: str, candidate: str) -> tuple[Change, ...]:
        """The places where two texts differ, the most harmful first; see `nbhelpers.metrics.changes`.

        Costs are points from 0 to 100 where the metric has such a rating, else its own units.

        Examples
        --------
        >>> from nbhelpers.metrics import load
        >>> [one.became for one in load("token-f1").changes("A cold rain fell.", "A warm rain fell.")]
        ['warm']
        """
        check_pairs([source], [candidate])
        return self.all_changes([source], [candidate])[0]

    def all_changes(self, sources: Texts, candidates: Texts) -> list[tuple[Change, ...]]:
        """`changes` of many pairs that `check_pairs` returned, rated together."""
        from nbhelpers.metrics.changes import changes

        def rate(sources: Sequence[str], candidates: Sequence[str]) -> NDArray[np.float64]:
            values = self.where_it_fits(sources, candidates)
            ratings = self.ratings(values)
            return (values if self.higher_means_same else -values) if ratings is None else ratings

        return changes(rate, sources, candidates, self.damaged)


def check_pairs(
    sources: Sequence[str],
    candidates: Sequence[str],
    references: Sequence[str | Sequence[str]] | None = None,
) -> tuple[Texts, Texts, list[Texts]]:
    """Lists of the same length of texts that are not empty, with a list of references for each candidate.

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
            hint = " They seem to be transposed: each candidate needs its own list of references."
        raise InputError(f"There are references for {len(given)} of {len(candidates)} candidates.{hint}")
    lists = [[r] if isinstance(r, str) else list(r) for r in given]
    for row, texts in enumerate(lists, start=1):
        if not texts or not all(isinstance(t, str) and t.strip() for t in texts):
            raise InputError(f"The references of row {row} are missing, empty or no texts: {texts!r}.")
    return sources, candidates, lists


# ------------------------------------------------------------------------------------------------------- registration


@dataclass(frozen=True)
class Specification:
    """What is known of a metric before it is loaded.

    Attributes
    ----------
    title : str
        Its name in tables.
    factory : callable
        Takes the metric's options and returns the `Metric`.
    seconds : float
        About how long one pair takes on one CPU core.
    range, higher_means_same, needs_reference
        As in `Metric`.
    unseen : str
        Changes of meaning that it was measured not to notice; empty where that was not measured.
    """

    title: str
    factory: Callable[..., Metric]
    seconds: float
    range: tuple[float, float] = (-math.inf, math.inf)
    higher_means_same: bool = True
    needs_reference: bool = False
    unseen: str = ""


SPECIFICATIONS: dict[str, Specification] = {}
"""Every registered metric by its name; filled by `register` when the modules of this package are imported."""


def register(
    name: str,
    title: str,
    range: tuple[float, float],
    *,
    seconds: float,
    higher_means_same: bool = True,
    needs_reference: bool = False,
    scale: float | None = None,
    unseen: str = "",
) -> Callable[[Callable[..., tuple[Any, ...]]], Callable[..., Metric]]:
    """Decorator that registers a metric: all that a new metric needs, besides its test.

    The decorated function takes the metric's options and returns its signature, its `Compute` function and, where it
    has them, `Metric.damaged` and `Metric.unread`. Packages and models are imported inside it, so that importing
    `nbhelpers.metrics` stays cheap. The parameters are those of `Metric` and `Specification`.
    """

    def decorate(function: Callable[..., tuple[Any, ...]]) -> Callable[..., Metric]:
        @functools.wraps(function)
        def factory(*arguments: Any, **options: Any) -> Metric:
            signature, compute, *more = function(*arguments, **options)
            return Metric(name, title, range, higher_means_same, needs_reference, signature, compute, scale, *more)

        SPECIFICATIONS[name] = Specification(title, factory, seconds, range, higher_means_same, needs_reference, unseen)
        return factory

    return decorate


# -------------------------------------------------------------------------------------------------------- shared work

_results: ContextVar[dict[Any, Any] | None] = ContextVar("results", default=None)


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


def shared(function: Callable) -> Callable:
    """Decorator for work that several metrics need: within `sharing` it runs once for the same positional arguments.

    So precision, recall and F1 of one family come from one pass, and BLEU inside iBLEU is BLEU's own. Elsewhere the
    function runs every time. Its arguments are hashable, or lists of such.
    """

    @functools.wraps(function)
    def once(*arguments: Any) -> Any:
        results = _results.get()
        if results is None:
            return function(*arguments)
        key = (function, _frozen(arguments))
        if key not in results:
            results[key] = function(*arguments)
        return results[key]

    return once


@contextmanager
def sharing() -> Iterator[None]:
    """Remember the results of `shared` functions until the end of the block."""
    token = _results.set({})
    try:
        yield
    finally:
        _results.reset(token)
