"""Paraphrase tables: what every resource becomes, and how tables are combined.

A table maps an expression to the expressions that may stand for it, each with a score. `select`, `restrict`, `merge`,
`symmetric` and `shuffled` make tables of tables.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from nbhelpers.base.errors import InputError

LANGUAGES = ("en", "ja")

Expression = tuple[str, ...]
"""One or more words as the tokenizer of its language gives them, lower-cased in English."""

Pairs = dict[Expression, dict[Expression, float]]

PRODUCTS_AT_ONCE = 8_000_000
"""So many products of two entries are formed together by `products`: about 200 MB."""


def check_language(language: str) -> None:
    """Raise InputError for a language that the study does not know."""
    if language not in LANGUAGES:
        raise InputError(f"The language is one of {', '.join(LANGUAGES)}, not {language!r}.")


def check_choice(language: str, dictionaries: str) -> None:
    """Raise InputError for a language that the study does not know, or for a choice of dictionaries."""
    check_language(language)
    if dictionaries not in ("auto", "shipped"):
        raise InputError(f"The dictionaries are auto or shipped, not {dictionaries!r}.")


def check_vocabulary(vocabulary: Collection[str]) -> frozenset[str]:
    """The words of a vocabulary as a set; InputError for a plain string."""
    if isinstance(vocabulary, str):
        raise InputError("A vocabulary is a collection of words, not one string.")
    return frozenset(vocabulary)


@dataclass(frozen=True)
class ParaphraseTable:
    """Paraphrases of one resource.

    Attributes
    ----------
    name : str
        What results call the resource, such as ``WordNet``.
    language : {"en", "ja"}
        Language of both sides.
    pairs : mapping of Expression to mapping of Expression to float
        For each expression its paraphrases, with a score (a probability or a similarity if the resource has one,
        else 1). x → y does not imply y → x.
    signature : str
        One line that says how the table was made.
    report : tuple of (str, int)
        What was counted at each step of making it, in order.
    """

    name: str
    language: str
    pairs: Mapping[Expression, Mapping[Expression, float]] = field(repr=False)
    signature: str
    report: tuple[tuple[str, int], ...] = field(default=(), repr=False)

    def __len__(self) -> int:
        """Number of directed pairs."""
        return sum(len(targets) for targets in self.pairs.values())


def select(table: ParaphraseTable, holds: Callable[[Expression, Expression], bool], mark: str = "") -> ParaphraseTable:
    """The pairs x → y of a table for which ``holds(x, y)``, with a mark at the end of its signature.

    Examples
    --------
    >>> table = ParaphraseTable("SMT", "en", {("a",): {("b",): 0.5, ("c",): 0.4}, ("b",): {("a",): 0.3}}, "made up")
    >>> select(table, lambda x, y: x < y).pairs
    {('a',): {('b',): 0.5, ('c',): 0.4}}
    """
    pairs: Pairs = {}
    for x, targets in table.pairs.items():
        for y, score in targets.items():
            if holds(x, y):
                pairs.setdefault(x, {})[y] = score
    return replace(table, pairs=pairs, signature=table.signature + mark)


def restrict(table: ParaphraseTable, vocabulary: Collection[str]) -> ParaphraseTable:
    """The pairs of a table whose words are all in a vocabulary; signature and report stay the same.

    Parameters
    ----------
    table : ParaphraseTable
    vocabulary : collection of str

    Raises
    ------
    InputError
        `vocabulary` is a single string.

    Examples
    --------
    >>> pairs = {("car",): {("auto",): 0.5, ("van",): 0.1}, ("old", "car"): {("car",): 0.1}}
    >>> restrict(ParaphraseTable("SMT", "en", pairs, "made up"), {"car", "auto"}).pairs
    {('car',): {('auto',): 0.5}}
    """
    words = check_vocabulary(vocabulary)
    return select(table, lambda x, y: words.issuperset(x) and words.issuperset(y))


def merge(tables: Sequence[ParaphraseTable]) -> ParaphraseTable:
    """One table of the pairs of several, each pair with its highest score.

    Parameters
    ----------
    tables : sequence of ParaphraseTable
        At least one; all of the same resource and language.

    Raises
    ------
    InputError
        There is no table.

    Examples
    --------
    >>> tables = [ParaphraseTable("SMT", "en", {("car",): {("auto",): score}}, "made up") for score in (0.2, 0.7)]
    >>> merge(tables).pairs, merge(tables).signature
    ({('car',): {('auto',): 0.7}}, 'made up + made up')
    """
    if not tables:
        raise InputError("There is no table to merge; at least one is needed.")
    pairs: Pairs = {}
    for table in tables:
        for expression, targets in table.pairs.items():
            for target, score in targets.items():
                add_pair(pairs, expression, target, score)
    return ParaphraseTable(tables[0].name, tables[0].language, pairs, " + ".join(table.signature for table in tables))


def add_pair(pairs: Pairs, source: Expression, target: Expression, score: float) -> None:
    """Enter a pair; if it is there already, the higher score counts."""
    targets = pairs.setdefault(source, {})
    targets[target] = max(score, targets.get(target, score))


# ------------------------------------------------------------------------------------------------ direction of pairs


def symmetric(table: ParaphraseTable) -> ParaphraseTable:
    """The pairs of a table that hold both ways, with their scores.

    Examples
    --------
    >>> table = ParaphraseTable("SMT", "en", {("a",): {("b",): 0.5, ("c",): 0.4}, ("b",): {("a",): 0.3}}, "made up")
    >>> symmetric(table).pairs, symmetric(table).signature
    ({('a',): {('b',): 0.5}, ('b',): {('a',): 0.3}}, 'made up|symmetric')
    """
    return select(table, lambda x, y: x in table.pairs.get(y, ()), "|symmetric")


def shuffled(table: ParaphraseTable) -> ParaphraseTable:
    """A table with as many pairs, whose right sides are dealt out again among the left sides: what chance would link.

    Examples
    --------
    >>> table = ParaphraseTable("SMT", "en", {("a",): {("b",): 1.0}, ("c",): {("d",): 1.0}}, "made up")
    >>> sorted(y for targets in shuffled(table).pairs.values() for y in targets)
    [('b',), ('d',)]
    """
    given = [(x, y) for x, targets in table.pairs.items() for y in targets]
    order = np.random.default_rng(0).permutation(len(given))
    pairs: Pairs = {}
    for (x, _), place in zip(given, order):
        if (y := given[place][1]) != x:
            add_pair(pairs, x, y, 1.0)
    return ParaphraseTable(table.name, table.language, pairs, f"{table.signature}|shuffled:0")


# ---------------------------------------------------------------------------------- pairs from large sparse matrices


def products(left: csr_array, right: csr_array) -> Iterator[tuple[NDArray, NDArray, NDArray]]:
    """Row, column and value of each non-zero entry of ``left @ right``, in blocks of rows that fit into memory.

    Parameters
    ----------
    left, right : scipy.sparse.csr_array of float64, shapes (n, k) and (k, m)
    """
    work = np.concatenate([[0], np.cumsum(np.diff(right.indptr)[left.indices], dtype=np.int64)])[left.indptr]
    start = 0
    while start < left.shape[0]:
        stop = int(np.searchsorted(work, work[start] + PRODUCTS_AT_ONCE, side="right")) - 1
        stop = min(max(stop, start + 1), left.shape[0])
        block = (left[start:stop] @ right).tocoo()
        yield block.row.astype(np.int64) + start, block.col.astype(np.int64), block.data
        start = stop


def best(rows: NDArray, columns: NDArray, scores: NDArray, most: int) -> NDArray[np.int64]:
    """Places of the `most` highest scores of each row, highest first; the lower column wins a tie.

    Parameters
    ----------
    rows, columns : arrays of int, shape (n,)
    scores : array of float, shape (n,)
    """
    order = np.lexsort((columns, -scores, rows))
    _, begins, sizes = np.unique(rows[order], return_index=True, return_counts=True)
    return order[np.arange(len(order)) - np.repeat(begins, sizes) < most]
