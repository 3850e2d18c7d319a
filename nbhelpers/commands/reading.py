"""Read texts from files: pairs and tables of several systems, in the forms in which people keep them.

Tab-separated lines (plain or quoted), comma- or semicolon-separated lines with quotes, JSON lines, and plain text with
one text a line. Parsing only: nothing here rates anything.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError, did_you_mean

_SOURCE = {"source", "src", "original", "text1", "sentence1"}
_CANDIDATE = {"candidate", "edited", "simplification", "paraphrase", "output", "hypothesis", "text2", "sentence2"}
_OTHER_TITLES = (
    "text sentence reference id score label rating meaning similarity premise prediction target input summary document "
    "complex simple translation system"
)
_TITLES = {*_SOURCE, *_CANDIDATE, *_OTHER_TITLES.split()}


@dataclass(frozen=True)
class Pairs:
    """The content of a file of pairs; `references` and `ids` are None where it has no column for them.

    `problems` says of a row (from 0) why it cannot be rated; its texts may be empty.
    """

    sources: list[str]
    candidates: list[str]
    references: list[list[str]] | None = None
    ids: list[str] | None = None
    problems: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Systems:
    """What several systems made of the same sources; `problems` as in `Pairs`, by system and row."""

    sources: list[str]
    outputs: dict[str, list[str]]
    ids: list[str] | None = None
    problems: dict[tuple[str, int], str] = field(default_factory=dict)


def content_of(path: str) -> tuple[bytes, str]:
    """Content and name of a file, or of standard input for ``-``."""
    if path == "-":
        return sys.stdin.buffer.read(), "standard input"
    try:
        return Path(path).read_bytes(), path
    except OSError as error:
        raise ResourceNotFoundError(f"{path} cannot be read: {error.strerror}.") from error


# ------------------------------------------------------------------------------------------------------------- tables


def _decoded(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataFormatError(name, content.count(b"\n", 0, error.start) + 1, "it is not UTF-8.") from error


def _rows(text: str, name: str) -> tuple[list[tuple[int, list[str]]], bool]:
    """Line number and cells of each row, and whether the first row is a header for certain (JSON lines have one)."""
    if text.lstrip().startswith("{"):
        return _json_rows(text, name), True
    first = text.split("\n", 1)[0]
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))  # it holds for all readers of the process
    if "\t" in first and not name.lower().endswith(".csv"):
        quoted = all(re.fullmatch(r'".*"', cell.strip()) for cell in first.split("\t"))
        form = {"delimiter": "\t"} | ({"strict": True} if quoted else {"quoting": csv.QUOTE_NONE})
    elif name.lower().endswith(".csv") or first.count(";") > 0 and "," not in first:
        form = {"delimiter": max(",;\t", key=first.count), "strict": True}
    else:
        form = {"delimiter": "\t", "quoting": csv.QUOTE_NONE}
    reader = csv.reader(io.StringIO(text.rstrip("\r\n"), newline=""), **form)
    try:
        return [(reader.line_num, cells) for cells in reader], False
    except csv.Error as error:
        raise DataFormatError(name, reader.line_num, f"{error}.") from error


def _json_rows(text: str, name: str) -> list[tuple[int, list[str]]]:
    found: list[tuple[int, dict]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except ValueError as error:
            raise DataFormatError(name, number, f"it is not JSON ({error}).") from None
        if not isinstance(entry, dict):
            raise DataFormatError(name, number, "it is no JSON object.")
        found.append((number, entry))
    titles = list(dict.fromkeys(title for _, entry in found for title in entry))
    cells = [(number, ["" if entry.get(t) is None else str(entry.get(t)) for t in titles]) for number, entry in found]
    return [(0, titles), *cells]


def _title(cell: str) -> str:
    """A title without blanks, case, a plural and a word such as *text* behind it."""
    plain = re.sub(r"[\s_-]", "", cell).lower().removesuffix("s")
    shorter = re.sub(r"(text|sentence|segment)$", "", plain)
    return shorter if shorter in _TITLES else plain


def _looks_like_header(rows: list[list[str]]) -> bool:
    """Titles such as `score`, single words above sentences, or a word above numbers."""
    first, rest = rows[0], rows[1:]
    if any(_title(cell).rstrip("0123456789") in _TITLES for cell in first):
        return True
    words = not any(" " in cell.strip() for cell in first)
    if rest and words and all(" " in cell.strip() for cells in rest for cell in cells[:2]):
        return True
    return bool(rest) and any(not _is_number(own) and all(map(_is_number, of)) for own, *of in zip(*rows))


def _is_number(text: str) -> bool:
    try:
        float(text.strip().removesuffix("%").replace(",", "."))
    except ValueError:
        return False
    return True


def _even(rows: list[tuple[int, list[str]]], name: str) -> None:
    if not rows or len(rows[0][1]) < 2:
        raise DataFormatError(name, 1, "it has no pair: a source and a candidate in two columns.")
    for line, cells in rows:
        if len(cells) != len(rows[0][1]):
            raise DataFormatError(name, line, f"{len(cells)} columns where the first line has {len(rows[0][1])}.")


def _named(wanted: Sequence[str], titles: list[str], name: str) -> list[int]:
    """Places of columns by their names."""
    names = [cell.strip().lower() for cell in titles]
    if unknown := [column for column in wanted if column.lower() not in names]:
        hint = did_you_mean(unknown[0], [cell.strip() for cell in titles])
        raise DataFormatError(name, 1, f"there is no column {unknown[0]!r}; {hint}")
    return [names.index(column.lower()) for column in wanted]


def read_pairs(content: bytes, name: str, columns: str | None = None, header: bool = True) -> Pairs:
    """Read pairs.

    Parameters
    ----------
    content : bytes
        Lines of UTF-8; see the module for the forms.
    name : str
        Name of the file, for messages; one that ends in ``.csv`` has commas, semicolons or tabs with quotes.
    columns : str, optional
        Names or numbers (from 1) of source, candidate and references, separated by commas.
    header : bool
        False reads the first line as a pair, whatever it looks like.

    Raises
    ------
    DataFormatError
        Says the line and what is wrong with it. A row with an empty text is no error: `Pairs.problems` names it.
    """
    rows, sure = _rows(_decoded(content, name), name)
    _even(rows, name)
    places, identity, skipped = _layout([cells for _, cells in rows], name, columns, header, sure)
    rows = rows[skipped:]
    if not rows:
        raise DataFormatError(name, None, "it has no pairs.")
    problems = {}
    for number, (line, cells) in enumerate(rows):
        if empty := [place for place in places if not cells[place].strip()]:
            problems[number] = f"line {line}: the text in column {empty[0] + 1} is empty"
    for place in places[2:]:
        if all(_is_number(cells[place]) for _, cells in rows):
            reason = f"column {place + 1} has only numbers, so it is no reference; --columns names the columns to read."
            raise DataFormatError(name, None, reason)
    sources, candidates, *references = ([cells[place] for _, cells in rows] for place in places)
    ids = None if identity is None else [cells[identity] for _, cells in rows]
    return Pairs(sources, candidates, list(map(list, zip(*references))) or None, ids, problems)


def _layout(
    rows: list[list[str]], name: str, columns: str | None, header: bool, sure: bool
) -> tuple[list[int], int | None, bool]:
    """Places of source, candidate and references, the place of the id, and whether the first line is a header."""
    titles = [_title(cell) for cell in rows[0]]
    sources, candidates = ([i for i, title in enumerate(titles) if title in of] for of in (_SOURCE, _CANDIDATE))
    known = len(sources) == len(candidates) == 1
    is_header = sure or header and (known or _looks_like_header(rows))
    wanted = [column.strip() for column in (columns or "").split(",")]
    if columns and all(column.isdigit() for column in wanted):
        places = [int(column) - 1 for column in wanted]
    elif columns:
        places, is_header = _named(wanted, rows[0], name), True
    elif is_header and known:
        places = [*sources, *candidates, *(i for i, title in enumerate(titles) if title.startswith("reference"))]
    elif is_header:
        reason = f"it looks like a header ({', '.join(rows[0])}), but does not name a source and a candidate"
        hint = "give their names with --columns A,B, or --no-header if the line is a pair."
        raise DataFormatError(name, 1, f"{reason}: {hint}")
    elif len(titles) > 2:
        reason = f"{len(titles)} columns and no header: which are they?"
        hint = "--columns 1,2 takes the first two; --columns 1,2,3 takes the third as a reference."
        raise DataFormatError(name, 1, f"{reason} {hint}")
    else:
        places = [0, 1]
    if len(places) < 2 or not set(places) <= set(range(len(titles))):
        raise DataFormatError(name, 1, f"--columns needs two or more of its {len(titles)} columns, not {columns!r}.")
    return places, titles.index("id") if is_header and "id" in titles else None, is_header


# ------------------------------------------------------------------------------------------------------------ systems


def read_lines(path: str, count: int | None = None) -> list[str]:
    """The texts of a file, one a line; empty lines stay, so that line numbers hold.

    Parameters
    ----------
    path : str
    count : int, optional
        How many there should be: further lines go if they are empty. By default all empty lines at the end go.
    """
    content, name = content_of(path)
    lines = [line.rstrip("\r") for line in _decoded(content, name).removesuffix("\n").split("\n")]
    while len(lines) > (count or 0) and not lines[-1].strip():
        lines.pop()
    return lines


def read_systems(files: Sequence[str], columns: str | None = None) -> Systems:
    """Sources and what several systems made of them.

    Parameters
    ----------
    files : sequence of str
        One table, whose header names a source and whose other text columns are the systems' outputs; or a file of
        sources and one file for each system, with one text a line.
    columns : str, optional
        For a table: names of the source's column and of the systems' columns.

    Raises
    ------
    DataFormatError, InputError
        Says what is wrong, with file and line. An empty output is no error: `Systems.problems` names it.
    """
    if len(files) == 1:
        sources, outputs, ids = _table_of_systems(files[0], columns)
    else:
        sources, ids = read_lines(files[0]), None
        outputs = {}
        for file in files[1:]:
            label = Path(file).stem
            label = label if label not in outputs else file
            if label in outputs:
                raise InputError(f"{file} is given twice.")
            outputs[label] = read_lines(file, len(sources))
            if len(outputs[label]) != len(sources):
                raise InputError(f"{file} has {len(outputs[label]):,} lines, and {files[0]} has {len(sources):,}")
    problems = {}
    for label, texts in outputs.items():
        for row, (source, text) in enumerate(zip(sources, texts)):
            if not source.strip() or not text.strip():
                problems[label, row] = "the source is empty" if not source.strip() else "the output is empty"
    if not sources or len(problems) == len(sources) * len(outputs):
        raise InputError(f"{files[0]} has no texts to check.")
    return Systems(sources, outputs, ids, problems)


def _table_of_systems(file: str, columns: str | None) -> tuple[list[str], dict[str, list[str]], list[str] | None]:
    content, name = content_of(file)
    rows, sure = _rows(_decoded(content, name), name)
    _even(rows, name)
    titles = [_title(cell) for cell in rows[0][1]]
    sources = [place for place, title in enumerate(titles) if title in _SOURCE]
    identity = titles.index("id") if "id" in titles else None
    if columns:
        places = _named([each.strip() for each in columns.split(",")], rows[0][1], name)
    elif len(sources) == 1:
        body = [cells for _, cells in rows[1:]]
        places = [sources[0]]
        for place, title in enumerate(titles):
            numeric = all(_is_number(cells[place]) for cells in body) if body else False
            if place not in (sources[0], identity) and not numeric and not title.startswith("reference"):
                places.append(place)
    elif not sure and len(titles) == 2 and not _looks_like_header([cells for _, cells in rows]):
        return [cells[0] for _, cells in rows], {"candidate": [cells[1] for _, cells in rows]}, None
    else:
        raise DataFormatError(
            name, 1, f"the header ({', '.join(rows[0][1])}) names no source; --columns SOURCE,SYSTEM,… does."
        )
    if len(places) < 2:
        raise DataFormatError(name, 1, "it has a source and no column with a system's output.")
    body = [cells for _, cells in rows[1:]]
    outputs = {rows[0][1][place].strip(): [cells[place] for cells in body] for place in places[1:]}
    ids = None if identity is None else [cells[identity] for cells in body]
    return [cells[places[0]] for cells in body], outputs, ids


# ----------------------------------------------------------------------------------------------------------- language

_ENGLISH = frozenset(
    "the of and to in a is that it for was on are as with be by this at from not or have an they which you were all "
    "we his her he she but has had their one there been if would who so no will can more my do out about up".split()
)


def not_english(texts: Sequence[str]) -> bool:
    """Whether texts are hardly English: fewer than one word in eight is among its commonest.

    Examples
    --------
    >>> german = "Wer hat den alten Mann am Ufer gesehen? Ich nicht, es war ja schon dunkel und sehr kalt dort."
    >>> english = "Who saw the old man on the bank? I did not, yesterday or before, since it was dark and cold there."
    >>> not_english([german]), not_english([english])
    (True, False)
    """
    words = [word for text in texts[:500] for word in re.findall(r"\w+", text.lower())]
    return len(set(words)) >= 15 and sum(word in _ENGLISH for word in words) < len(words) / 8
