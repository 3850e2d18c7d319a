"""Readers of spelling and synonym lexicons in their official formats.

* Sudachi's synonym dictionary (``synonyms.txt``)
* VarCon's spelling variants of English (``varcon.txt``)
* the lexicons of this project, ``data/corpus/synonyms-*.tsv``
"""

from __future__ import annotations

import csv
import functools
import gzip
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from nbhelpers.base.errors import DataFormatError, ResourceNotFoundError
from nbhelpers.base.files import open_text

# ------------------------------------------------------------------------------------- Sudachi's synonym dictionary


class SudachiSynonym(NamedTuple):
    """One headword of Sudachi's synonym dictionary.

    Attributes
    ----------
    group : str
        Words of one group are synonyms.
    is_predicate : bool
        用言 (verb or adjective) as against 体言 (noun).
    expansion : int
        0: a word like any other; 1: others may be replaced by it, it not by others; 2: withdrawn, never used.
    lexemes : tuple of int
        Numbers of its lexeme in the group; rarely two (an abbreviation of both).
    form, abbreviation : int
        0 the lexeme's main form, 1 translation, 2 other name, 3 old name, 4 misuse; 0 the full form, 1 abbreviation
        in letters, 2 another abbreviation.
    spelling : int
        Among words with the same four marks: 0 the main spelling, 1 in Latin letters, 2 another spelling, 3 misspelt.
    headword : str
    """

    group: str
    is_predicate: bool
    expansion: int
    lexemes: tuple[int, ...]
    form: int
    abbreviation: int
    spelling: int
    headword: str


_HIGHEST = (2, 2, 10**6, 4, 2, 3)
"""The greatest number that the documentation knows in each of the columns 2 to 7."""


def read_sudachi_synonyms(path: str | Path) -> list[SudachiSynonym]:
    """Headwords of Sudachi's synonym dictionary, in the order of the file.

    The file is CSV (RFC 4180) in UTF-8 with eleven columns, as ``docs/synonyms.md`` of SudachiDict describes it;
    numbers that are left out count as 0, and blank lines stand between groups.

    Raises
    ------
    ResourceNotFoundError
        There is no such file.
    DataFormatError
        With file and line: too few columns, no group, no headword, or a number that the format does not know.
    """
    entries = []
    with open_text(path) as reader:
        for line in reader:
            if not line.strip():
                continue
            fields = next(csv.reader([line.rstrip("\n")]))
            if len(fields) < 9 or not fields[0].isdigit() or not fields[8].strip():
                raise DataFormatError(path, reader.line, "is no group number, seven marks and a headword")
            marks = [fields[column].strip() or "0" for column in range(1, 7)]
            lexemes = marks[2].split("/")
            for column, (mark, highest) in enumerate(zip(marks, _HIGHEST), 2):
                parts = lexemes if column == 4 else [mark]
                if not all(part.isdecimal() and int(part) <= highest for part in parts):
                    raise DataFormatError(path, reader.line, f"has {mark!r} in column {column}")
            numbers = [int(mark) for mark in marks[:2] + marks[3:]]
            entries.append(
                SudachiSynonym(
                    fields[0], numbers[0] == 2, numbers[1], tuple(map(int, lexemes)), *numbers[2:], fields[8].strip()
                )
            )
    return entries


@functools.lru_cache(maxsize=2)
def sudachi_synonyms_of(path: Path, sha256: str) -> tuple[SudachiSynonym, ...]:
    """`read_sudachi_synonyms`, kept in memory; the checksum is in the key, so that a changed file is read again."""
    return tuple(read_sudachi_synonyms(path))


# -------------------------------------------------------------------------------------------------------- VarCon

_VARCON_TAG = re.compile(r"[ABZCD_*Q][.vVx0-9-]?|[0-9]+")


def read_varcon(path: str | Path, *, rare: bool = False) -> list[tuple[str, ...]]:
    """Spellings of the same English word form, line by line, from VarCon's ``varcon.txt`` (Atkinson).

    A line such as ``A Cv: acknowledgment / Av B C: acknowledgement | note`` lists the spellings of one form with tags
    that say where each is used. Spellings tagged ``x`` (improper) everywhere are left out; so are, unless `rare` is
    set, those tagged ``-`` (should generally not be used) everywhere and lines about a rare or archaic use of a word
    (``| (-) …``). Lines with one spelling are passed over, lines that begin with ``#`` are remarks.

    Parameters
    ----------
    path : path
        Packed or not, in UTF-8 or (as the official file is) Latin-1.
    rare : bool

    Returns
    -------
    list of tuple of str
        At least two different spellings each, in the order of the line.

    Raises
    ------
    ResourceNotFoundError
        There is no such file.
    DataFormatError
        With file and line: an entry without tags or with unknown ones.
    """
    groups = []
    for number, line in _varcon_lines(Path(path)):
        content = line.split("#", 1)[0].strip()
        if not content:
            continue
        entries, _, note = content.partition("|")
        spellings: dict[str, None] = {}
        for entry in entries.split(" / "):
            tags, separator, word = entry.strip().partition(": ")
            marks = tags.split()
            if not separator or not word.strip() or not marks or not all(map(_VARCON_TAG.fullmatch, marks)):
                raise DataFormatError(path, number, f"has the entry {entry.strip()!r}, which is not tags: word")
            avoided = "x" if rare else "x-"
            if not all(mark[-1] in avoided for mark in marks if not mark.isdigit()):
                spellings[word.strip()] = None
        if len(spellings) > 1 and (rare or not note.strip().startswith("(-)")):
            groups.append(tuple(spellings))
    return groups


def _varcon_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines. The official file is Latin-1, which no reader of this project's other files takes."""
    if not path.is_file():
        raise ResourceNotFoundError(f"There is no file at {path}.")
    content = path.read_bytes()
    if content.startswith(b"\x1f\x8b"):
        try:
            content = gzip.decompress(content)
        except (EOFError, OSError, zlib.error):
            raise DataFormatError(path, None, "the compressed data is cut off or damaged") from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    return enumerate(text.replace("\r\n", "\n").split("\n"), 1)


# ---------------------------------------------------------------------------------------- the project's lexicons


class LexiconEntry(NamedTuple):
    """A line of one of the project's small lexicons: each side may stand for the other."""

    expression: str
    paraphrase: str
    part_of_speech: str
    kind: str


LEXICON_COLUMNS = LexiconEntry._fields

LEXICON_PARTS = ("noun", "verb", "adjective", "adverb", "phrase")
"""Parts of speech of lexicon lines; ``phrase`` is what is used as it stands: connectives, endings, clauses."""

LEXICON_KINDS = ("word", "phrase", "clause")
"""One word on both sides; several words on a side; both sides are clauses or begin one."""


def read_lexicon(path: str | Path) -> list[LexiconEntry]:
    """Pairs of a small lexicon: tab-separated columns expression, paraphrase, part_of_speech, kind under a heading.

    Lines that begin with ``#`` are remarks.

    Raises
    ------
    ResourceNotFoundError
        There is no such file.
    DataFormatError
        With file and line: the heading is another, a line has not four fields, an empty or twice the same expression,
        or an unknown part of speech or kind; the file is empty.
    """
    entries: list[LexiconEntry] = []
    heading: tuple[str, ...] | None = None
    with open_text(path) as reader:
        for line in reader:
            if not line.strip() or line.startswith("#"):
                continue
            fields = tuple(field.strip() for field in line.rstrip("\n").split("\t"))
            if heading is None:
                heading = fields
                if heading != LEXICON_COLUMNS:
                    raise DataFormatError(path, reader.line, f"the heading is not {', '.join(LEXICON_COLUMNS)}")
                continue
            if len(fields) != len(LEXICON_COLUMNS) or not fields[0] or not fields[1] or fields[0] == fields[1]:
                raise DataFormatError(path, reader.line, "is not two expressions, part of speech and kind, with tabs")
            for value, known in ((fields[2], LEXICON_PARTS), (fields[3], LEXICON_KINDS)):
                if value not in known:
                    raise DataFormatError(path, reader.line, f"has {value!r}, which is none of {', '.join(known)}")
            entries.append(LexiconEntry(*fields))
    if heading is None:
        raise DataFormatError(path, None, "is empty")
    return entries
