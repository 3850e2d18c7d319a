"""Paraphrase tables: what every resource becomes, how tables are combined, and where they are kept.

A table maps an expression to the expressions that may stand for it, each with a score. `restrict`, `merge` and
`symmetric` make tables of tables. A table that takes long to build is kept in a file (`cached`): gzip-compressed JSON,
named after the table's signature. A damaged file is never used, since gzip carries a checksum of its content.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import logging
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nbhelpers.base.errors import InputError
from nbhelpers.base.files import replace_file
from nbhelpers.base.stats import Estimate, proportion

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_log = logging.getLogger(__name__)

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
    """

    name: str
    language: str
    pairs: Mapping[Expression, Mapping[Expression, float]] = field(repr=False)
    signature: str

    def __len__(self) -> int:
        """Number of directed pairs."""
        return sum(len(targets) for targets in self.pairs.values())


@dataclass(frozen=True)
class TableResource:
    """A resource whose whole table is in memory.

    Attributes
    ----------
    whole : ParaphraseTable
        All its pairs.
    report : tuple of (str, int)
        How the table was made: what was counted at each step, in order.
    """

    whole: ParaphraseTable = field(repr=False)
    report: tuple[tuple[str, int], ...] = ()

    def table(self, vocabulary: Collection[str]) -> ParaphraseTable:
        """The paraphrases whose words are all in `vocabulary`."""
        return restrict(self.whole, vocabulary)


def restrict(table: ParaphraseTable, vocabulary: Collection[str]) -> ParaphraseTable:
    """The pairs of a table whose words are all in a vocabulary; the signature stays the same.

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
    >>> table = ParaphraseTable("SMT", "en", {("car",): {("auto",): 0.5, ("van",): 0.1}}, "made up")
    >>> restrict(table, {"car", "auto"}).pairs
    {('car',): {('auto',): 0.5}}
    """
    words = check_vocabulary(vocabulary)
    pairs = {}
    for expression, targets in table.pairs.items():
        if words.issuperset(expression):
            kept = {target: score for target, score in targets.items() if words.issuperset(target)}
            if kept:
                pairs[expression] = kept
    return ParaphraseTable(table.name, table.language, pairs, table.signature)


def merge(tables: Sequence[ParaphraseTable]) -> ParaphraseTable:
    """One table of the pairs of several, each pair with its highest score.

    Parameters
    ----------
    tables : sequence of ParaphraseTable
        At least one; all of the same name and language.

    Examples
    --------
    >>> tables = [ParaphraseTable("SMT", "en", {("car",): {("auto",): score}}, "made up") for score in (0.2, 0.7)]
    >>> merge(tables).pairs
    {('car',): {('auto',): 0.7}}
    """
    if len({(table.name, table.language) for table in tables}) != 1:
        raise InputError("Tables that are merged have one name and one language, and there is at least one.")
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


@dataclass(frozen=True)
class Asymmetry:
    """How often a paraphrase holds one way only (section 5.3, "Effectiveness of SMT").

    Attributes
    ----------
    pairs, one_way : int
        Directed pairs x → y of the table, and those without y → x.
    share : Estimate
        One-way pairs among all, with Wilson's 95 % interval.
    """

    pairs: int
    one_way: int
    share: Estimate


def asymmetry(table: ParaphraseTable) -> Asymmetry:
    """Share of the pairs x → y of a table for which it lacks y → x.

    Pivoting by itself is mutual: a translation that x and y share makes both probabilities positive. A pair is one-way
    if one of them falls below the least probability or behind the most that are kept.

    Raises
    ------
    InputError
        The table is empty.

    Examples
    --------
    >>> table = ParaphraseTable("SMT", "en", {("a",): {("b",): 0.5, ("c",): 0.4}, ("b",): {("a",): 0.3}}, "made up")
    >>> asymmetry(table).one_way
    1
    """
    mutual = len(symmetric(table))
    one_way = len(table) - mutual
    return Asymmetry(len(table), one_way, proportion([True] * one_way + [False] * mutual))


def symmetric(table: ParaphraseTable) -> ParaphraseTable:
    """The pairs of a table that hold both ways, with their scores.

    Examples
    --------
    >>> table = ParaphraseTable("SMT", "en", {("a",): {("b",): 0.5, ("c",): 0.4}, ("b",): {("a",): 0.3}}, "made up")
    >>> symmetric(table).pairs
    {('a',): {('b',): 0.5}, ('b',): {('a',): 0.3}}
    """
    pairs: Pairs = {}
    for x, targets in table.pairs.items():
        for y, score in targets.items():
            if x in table.pairs.get(y, ()):
                pairs.setdefault(x, {})[y] = score
    return ParaphraseTable(table.name, table.language, pairs, f"{table.signature}|symmetric")


# ------------------------------------------------------------------------------------------------------ kept tables


def cache_path(signature: str, folder: str | Path) -> Path:
    """Where `cached` keeps the table with a signature."""
    return Path(folder) / f"{hashlib.sha256(signature.encode()).hexdigest()[:24]}.json.gz"


def cached(builder: Callable[[], TableResource], signature: str, folder: str | Path | None) -> TableResource:
    """The table with a signature: from its file in a folder, else built and kept there.

    Parameters
    ----------
    builder : callable () -> TableResource
        Called if there is no file for the signature, or a damaged one, which is then replaced.
    signature : str
        Everything that decides the content of the table.
    folder : path or None
        None builds the table and keeps nothing.
    """
    if folder is None:
        return builder()
    path = cache_path(signature, folder)
    if path.exists():
        try:
            return _load(path, signature)
        except (OSError, EOFError, zlib.error, ValueError) as error:
            _log.warning("%s is damaged and is built anew: %s", path.name, error)
    built = builder()
    whole = built.whole
    rows = [(x, y, score) for x, targets in whole.pairs.items() for y, score in targets.items()]
    content = {"signature": signature, "name": whole.name, "language": whole.language, "report": built.report}
    path.parent.mkdir(parents=True, exist_ok=True)
    packed = gzip.compress(json.dumps(content | {"pairs": rows}, ensure_ascii=False).encode(), 6, mtime=0)
    replace_file(path, packed)
    return built


def _load(path: Path, signature: str) -> TableResource:
    content = json.loads(gzip.decompress(path.read_bytes()))
    if content["signature"] != signature:
        raise ValueError("it holds another table")
    pairs: Pairs = {}
    for x, y, score in content["pairs"]:
        pairs.setdefault(tuple(x), {})[tuple(y)] = score
    table = ParaphraseTable(content["name"], content["language"], pairs, signature)
    return TableResource(table, tuple((name, count) for name, count in content["report"]))


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


def best(rows: NDArray, columns: NDArray, scores: NDArray, most: int = 0) -> NDArray[np.int64]:
    """Places of the `most` highest scores of each row, highest first; the lower column wins a tie; 0 takes all.

    Parameters
    ----------
    rows, columns : arrays of int, shape (n,)
    scores : array of float, shape (n,)
    """
    order = np.lexsort((columns, -scores, rows))
    if not most or not len(order):
        return order
    sorted_rows = rows[order]
    begins = np.flatnonzero(np.append(True, sorted_rows[1:] != sorted_rows[:-1]))
    rank = np.arange(len(order)) - np.repeat(begins, np.diff(np.append(begins, len(order))))
    return order[rank < most]
