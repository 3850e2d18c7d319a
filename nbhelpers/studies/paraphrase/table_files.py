"""Paraphrase tables on disk: a table built once is kept with its signature, and a damaged file is never read.

A file is gzip-compressed text in UTF-8. Its first line is JSON with the table's name, language, signature, the number
of its pairs, a report of how it was made, and the SHA-256 of all that follows; each line after it is one pair: an
expression, its paraphrase (words separated by blanks) and the score, separated by tabs. Files are written beside their
place and then put there at once, so a reader sees a whole file or none, and their bytes do not depend on when or where
they were written.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import logging
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbhelpers.base.errors import ChecksumError, DataFormatError, InputError
from nbhelpers.base.files import open_text, replace_file
from nbhelpers.studies.paraphrase.expressions import Expression, ParaphraseTable

_log = logging.getLogger(__name__)
_FORMAT = "nbhelpers-paraphrases-1"


def restrict(table: ParaphraseTable, vocabulary: Collection[str] | None) -> ParaphraseTable:
    """The pairs of a table whose words are all in `vocabulary`; all pairs for None. The signature stays."""
    if vocabulary is None:
        return table
    if isinstance(vocabulary, str):
        raise InputError("A vocabulary is a collection of words, not one string.")
    words = frozenset(vocabulary)
    pairs = {}
    for expression, targets in table.pairs.items():
        if words.issuperset(expression):
            kept = {target: score for target, score in targets.items() if words.issuperset(target)}
            if kept:
                pairs[expression] = kept
    return ParaphraseTable(table.name, table.language, pairs, table.signature)


def merge(tables: Sequence[ParaphraseTable]) -> ParaphraseTable:
    """One table of the pairs of several, each pair with the highest of its scores.

    Raises
    ------
    InputError
        There are no tables, or they differ in name or language.
    """
    if not tables or len({(table.name, table.language) for table in tables}) > 1:
        raise InputError("Tables that are merged have one name and one language, and there is at least one.")
    pairs: dict[Expression, dict[Expression, float]] = {}
    for table in tables:
        for expression, targets in table.pairs.items():
            known = pairs.setdefault(expression, {})
            for target, score in targets.items():
                known[target] = max(score, known.get(target, score))
    signature = " + ".join(table.signature for table in tables)
    return ParaphraseTable(tables[0].name, tables[0].language, pairs, signature)


@dataclass(frozen=True)
class TableResource:
    """A resource whose whole table is in memory (see `nbhelpers.studies.paraphrase.expressions.Resource`).

    Attributes
    ----------
    whole : ParaphraseTable
        All its pairs.
    report : tuple of (str, int)
        How the table was made: what was counted at each step, in order.
    """

    whole: ParaphraseTable = field(repr=False)
    report: tuple[tuple[str, int], ...] = ()

    @property
    def name(self) -> str:
        """Name of the resource, such as ``SMT``."""
        return self.whole.name

    @property
    def language(self) -> str:
        """Language of both sides."""
        return self.whole.language

    @property
    def signature(self) -> str:
        """One line that says how the table was made."""
        return self.whole.signature

    def table(self, vocabulary: Collection[str] | None = None) -> ParaphraseTable:
        """The paraphrases whose words are all in `vocabulary`; all of them for None."""
        return restrict(self.whole, vocabulary)


# --------------------------------------------------------------------------------------------- writing and reading


def _words(expression: Expression, table: ParaphraseTable) -> str:
    if not expression or any(not word or word.split() != [word] for word in expression):
        raise InputError(f"{table.name}: the expression {expression!r} has an empty word or white space in a word.")
    return " ".join(expression)


def save_table(table: ParaphraseTable, path: str | Path, *, report: tuple[tuple[str, int], ...] = ()) -> Path:
    """Write a table to a file, which appears as a whole or not at all.

    Parameters
    ----------
    table : ParaphraseTable
    path : path
        Its folder is made where it lacks.
    report : tuple of (str, int)
        Kept in the file's first line.

    Returns
    -------
    Path
        `path`.

    Raises
    ------
    InputError
        An expression has no words or one with white space in it, or a score is not finite; nothing is written.
    """
    rows = []
    for expression, targets in table.pairs.items():
        left = _words(expression, table)
        for target, score in targets.items():
            if not math.isfinite(score):
                raise InputError(f"{table.name}: the score of {expression!r} and {target!r} is {score}.")
            rows.append(f"{left}\t{_words(target, table)}\t{float(score)!r}\n")
    content = "".join(sorted(rows)).encode()
    header = {
        "format": _FORMAT,
        "name": table.name,
        "language": table.language,
        "signature": table.signature,
        "pairs": len(rows),
        "report": [list(step) for step in report],
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    packed = gzip.compress(json.dumps(header, ensure_ascii=False).encode() + b"\n" + content, 6, mtime=0)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    return replace_file(path, packed)


def load_table(path: str | Path) -> TableResource:
    """Read a file that `save_table` has written.

    Returns
    -------
    TableResource
        The table (`whole`) with its report.

    Raises
    ------
    ResourceNotFoundError
        There is no such file.
    DataFormatError
        The file is no such table, is cut off, or a line of it is malformed.
    ChecksumError
        The content is not what was written.
    """
    path = Path(path)
    with open_text(path) as reader:
        lines = iter(reader)
        header = _header(path, next(lines, ""))
        rows = list(lines)
    digest = hashlib.sha256("".join(rows).encode()).hexdigest()
    if digest != header["sha256"]:
        raise ChecksumError(
            f"{path} does not hold the table that was written to it (expected sha256 {header['sha256'][:16]}…, "
            f"found {digest[:16]}…)."
        )
    pairs: dict[Expression, dict[Expression, float]] = {}
    for number, row in enumerate(rows, start=2):
        columns = row.removesuffix("\n").split("\t")
        try:
            left, right, score = columns
            left, right = tuple(left.split(" ")), tuple(right.split(" "))
            pairs.setdefault(left, {})[right] = float(score)
        except ValueError:
            reason = f"is not an expression, its paraphrase and a number, separated by tabs ({len(columns)} columns)"
            raise DataFormatError(path, number, reason) from None
    table = ParaphraseTable(header["name"], header["language"], pairs, header["signature"])
    if len(table) != header["pairs"]:
        raise DataFormatError(path, 1, f"says {header['pairs']} pairs, and {len(table)} follow")
    return TableResource(table, tuple((str(name), int(count)) for name, count in header["report"]))


def _header(path: Path, line: str) -> dict[str, Any]:
    try:
        header = json.loads(line)
        kinds = {"name": str, "language": str, "signature": str, "pairs": int, "report": list, "sha256": str}
        if header["format"] != _FORMAT or not all(isinstance(header[key], kind) for key, kind in kinds.items()):
            raise ValueError
        if not all(isinstance(name, str) and isinstance(count, int) for name, count in header["report"]):
            raise ValueError
    except (ValueError, TypeError, KeyError):
        raise DataFormatError(path, 1, f"is not the first line of a paraphrase table ({_FORMAT})") from None
    return header


# ------------------------------------------------------------------------------------------------------ the cache


def cache_path(signature: str, folder: str | Path) -> Path:
    """Where `cached` keeps the table with a signature."""
    return Path(folder) / f"{hashlib.sha256(signature.encode()).hexdigest()[:24]}.tsv.gz"


def cached(builder: Callable[[], TableResource], signature: str, folder: str | Path | None) -> TableResource:
    """The table with a signature: from its file in `folder`, else built and kept there.

    Parameters
    ----------
    builder : callable () -> TableResource
        Called when there is no file for the signature, or one that is damaged or holds another table; such a file is
        replaced.
    signature : str
        Everything that decides the table's content.
    folder : path or None
        None builds the table and keeps nothing.

    Raises
    ------
    InputError
        The builder's table has another signature.
    """
    path = cache_path(signature, folder) if folder is not None else None
    if path is not None and path.exists():
        try:
            found = load_table(path)
            if found.signature == signature:
                return found
            _log.warning("%s holds the table %r; it is built anew", path.name, found.signature)
        except (DataFormatError, ChecksumError) as error:
            _log.warning("the kept table is damaged and is built anew: %s", error)
    built = builder()
    if built.signature != signature:
        raise InputError(f"The table was to have the signature {signature!r} and has {built.signature!r}.")
    if path is not None:
        save_table(built.whole, path, report=built.report)
    return built
