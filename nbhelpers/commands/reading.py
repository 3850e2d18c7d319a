"""Read texts from files: pairs and tables of several systems, in the forms in which people keep them.

Tab-separated lines (plain or quoted), comma- or semicolon-separated lines with quotes, JSON lines, and plain text with
one text a line. Parsing only: nothing here rates anything.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError, did_you_mean

_SOURCE = {"source", "src", "original", "text1", "sentence1"}
_CANDIDATE = {"candidate", "edited", "simplification", "paraphrase", "output", "hypothesis", "text2", "sentence2"}
_OTHER_TITLES = (
    "text sentence reference id score label rating meaning similarity premise prediction target input summary document "
    "complex simple translation system"
)
_TITLES = {*_SOURCE, *_CANDIDATE, *_OTHER_TITLES.split()}


class Pair(NamedTuple):
    """A row of a file of pairs; `references` and `id` are None where the file has no column for them.

    `problem` says why the row cannot be rated; its texts may be empty.
    """

    source: str
    candidate: str
    references: list[str] | None = None
    id: str | None = None
    problem: str = ""


@dataclass(frozen=True)
class Systems:
    """What several systems made of the same sources; `problems` says by system and row why a text cannot be rated."""

    sources: list[str]
    outputs: dict[str, list[str]]
    ids: list[str] | None = None
    problems: dict[tuple[str, int], str] = field(default_factory=dict)


def opened(path: str) -> tuple[BinaryIO, str]:
    """A file or, for ``-``, standard input, and its name; a pipe is copied, as files are read more than once."""
    try:
        file = sys.stdin.buffer if path == "-" else open(path, "rb")
        if path != "-" and file.seekable():
            return file, path
        copy = tempfile.TemporaryFile()
        shutil.copyfileobj(file, copy)
    except OSError as error:
        raise ResourceNotFoundError(f"{path} cannot be read: {error.strerror}.") from error
    return copy, "standard input" if path == "-" else path


# ------------------------------------------------------------------------------------------------------------- tables


def _lines(file: BinaryIO, name: str) -> Iterator[str]:
    """Lines with their ends, from the beginning of the file."""
    file.seek(0)
    for number, line in enumerate(file, start=1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise DataFormatError(name, number, "it is not UTF-8.") from error
        yield from io.StringIO(text, newline="")  # a carriage return ends a line, too


class _Table:
    """Line number and cells of each row of a file, which is read anew, row by row, each time.

    What all rows together say is read first: the first row, and of the others their number, whether their first two
    columns are sentences, and which columns hold numbers only. Fewer than two columns, or a row with another number of
    them, is an error.
    """

    def __init__(self, file: BinaryIO, name: str) -> None:
        self.file, self.name = file, name
        first = next(_lines(file, name), "")
        begin = next((line for line in _lines(file, name) if line.strip()), "")
        self.json = begin.lstrip().startswith("{")
        if "\t" in first and not name.lower().endswith(".csv"):
            quoted = all(re.fullmatch(r'".*"', cell.strip()) for cell in first.split("\t"))
            self.form = {"delimiter": "\t"} | ({"strict": True} if quoted else {"quoting": csv.QUOTE_NONE})
        elif name.lower().endswith(".csv") or first.count(";") > 0 and "," not in first:
            self.form = {"delimiter": max(",;\t", key=first.count), "strict": True}
        else:
            self.form = {"delimiter": "\t", "quoting": csv.QUOTE_NONE}
        rows = iter(self)
        _, self.first = next(rows, (1, []))
        if not self.first:
            raise DataFormatError(name, None, "it is empty.")
        if len(self.first) < 2:
            raise DataFormatError(name, 1, "it has one column; a source and a candidate need two.")
        self.titles, self.count = [_title(cell) for cell in self.first], 0
        self.sentences, self.numeric = True, [True] * len(self.first)
        for line, cells in rows:
            if len(cells) != len(self.first):
                reason = f"the first line has {len(self.first)} columns, this one {len(cells)}."
                raise DataFormatError(name, line, reason)
            self.count += 1
            self.sentences = self.sentences and all(" " in cell.strip() for cell in cells[:2])
            self.numeric = [before and _is_number(cell) for before, cell in zip(self.numeric, cells)]

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        return self._json_rows() if self.json else self._rows()

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        csv.field_size_limit(2**31 - 1)  # it holds for all readers of the process
        reader, blank, done = csv.reader(_lines(self.file, self.name), **self.form), [], 0
        try:
            for cells in reader:
                done = reader.line_num
                if cells:  # blank lines at the end are none
                    yield from blank
                    blank = []
                    yield reader.line_num, cells
                else:
                    blank.append((reader.line_num, cells))
        except csv.Error as error:
            if "unexpected end" in str(error):
                raise DataFormatError(
                    self.name, done + 1, "a quotation mark opens a cell and none closes it."
                ) from error
            raise DataFormatError(self.name, reader.line_num, f"{error}.") from error

    def _json_rows(self) -> Iterator[tuple[int, list[str]]]:
        titles = list(dict.fromkeys(title for _, entry in self._entries() for title in entry))
        yield 0, titles
        for number, entry in self._entries():
            yield number, ["" if entry.get(title) is None else str(entry.get(title)) for title in titles]

    def _entries(self) -> Iterator[tuple[int, dict]]:
        for number, line in enumerate(_lines(self.file, self.name), start=1):
            if not line.strip():
                continue
            try:
                entry = json.loads(line.rstrip())
            except json.JSONDecodeError as error:
                raise DataFormatError(
                    self.name, number, f"it is not JSON: {error.msg} (column {error.colno})."
                ) from None
            if not isinstance(entry, dict):
                raise DataFormatError(self.name, number, "it is not a JSON object.")
            yield number, entry

    def looks_like_header(self) -> bool:
        """Titles such as `score`, single words above sentences, or a word above numbers."""
        if any(title.rstrip("0123456789") in _TITLES for title in self.titles):
            return True
        if self.count and self.sentences and not any(" " in cell.strip() for cell in self.first):
            return True
        above = (numeric and not _is_number(own) for own, numeric in zip(self.first, self.numeric))
        return self.count > 0 and any(above)

    def named(self, columns: str) -> list[int]:
        """Places of columns by their names, with commas between."""
        names = [cell.strip().lower() for cell in self.first]
        wanted = [column.strip() for column in columns.split(",")]
        if unknown := next((column for column in wanted if column.lower() not in names), None):
            hint = did_you_mean(unknown, [cell.strip() for cell in self.first])
            raise DataFormatError(self.name, 1, f"there is no column {unknown!r}; {hint}")
        return [names.index(column.lower()) for column in wanted]


def _title(cell: str) -> str:
    """A title without blanks, case, a plural and a word such as *text* behind it."""
    plain = re.sub(r"[\s_-]", "", cell).lower().removesuffix("s")
    shorter = re.sub(r"(text|sentence|segment)$", "", plain)
    return shorter if shorter in _TITLES else plain


def _is_number(text: str) -> bool:
    try:
        float(text.strip().removesuffix("%").replace(",", "."))
    except ValueError:
        return False
    return True


class Pairs:
    """The pairs of a file, which is read anew, row by row, each time: any number of them takes the same memory.

    Parameters
    ----------
    file : file of bytes
        Lines of UTF-8; see the module for the forms.
    name : str
        Name of the file, for messages; one that ends in ``.csv`` has commas, semicolons or tabs with quotes.
    columns : str, optional
        Names or numbers (from 1) of source, candidate and references, separated by commas.
    header : bool
        False reads the first line as a pair, whatever it looks like.

    Attributes
    ----------
    count : int
        Number of pairs.
    references, ids : bool
        Whether they have any.

    Raises
    ------
    DataFormatError
        Says the line and what is wrong with it. A row with an empty text is no error: `Pair.problem` names it.
    """

    def __init__(self, file: BinaryIO, name: str, columns: str | None = None, header: bool = True) -> None:
        self._table = table = _Table(file, name)
        self._places, self._skipped = _layout(table, columns, header)
        self._id = table.titles.index("id") if self._skipped and "id" in table.titles else None
        self.count = table.count + (not self._skipped)
        self.references, self.ids = len(self._places) > 2, self._id is not None
        if not self.count:
            raise DataFormatError(name, None, "it has no pairs.")
        for place in self._places[2:]:
            if table.numeric[place] and (self._skipped or _is_number(table.first[place])):
                reason = f"column {place + 1} has only numbers, so it is no reference;"
                raise DataFormatError(name, None, f"{reason} --columns names the columns to read.")

    def __iter__(self) -> Iterator[Pair]:
        for line, cells in itertools.islice(self._table, int(self._skipped), None):
            source, candidate, *references = (cells[place] for place in self._places)
            empty = next((place for place in self._places if not cells[place].strip()), None)
            problem = "" if empty is None else f"line {line}: the text in column {empty + 1} is empty"
            yield Pair(source, candidate, references or None, cells[self._id] if self.ids else None, problem)


def _layout(table: _Table, columns: str | None, header: bool) -> tuple[list[int], bool]:
    """Places of source, candidate and references, and whether the first line is a header."""
    titles, name = table.titles, table.name
    sources, candidates = ([i for i, title in enumerate(titles) if title in of] for of in (_SOURCE, _CANDIDATE))
    if len(sources) == 1 and not candidates and len(titles) == 2:
        candidates = [1 - sources[0]]  # beside a source, the other column is the candidate, whatever its name
    known = len(sources) == len(candidates) == 1
    is_header = table.json or header and (known or table.looks_like_header())
    if columns and re.fullmatch(r"\s*\d+\s*(,\s*\d+\s*)*", columns):
        places = [int(column) - 1 for column in columns.split(",")]
    elif columns:
        places, is_header = table.named(columns), True
    elif is_header and known:
        places = [*sources, *candidates, *(i for i, title in enumerate(titles) if title.startswith("reference"))]
    elif is_header:
        reason = f"it looks like a header ({', '.join(table.first)}), but does not name both a source and a candidate"
        hint = "give their names with --columns A,B, or --no-header if the line is a pair."
        raise DataFormatError(name, 1, f"{reason}: {hint}")
    elif len(titles) > 2:
        reason = f"{len(titles)} columns and no header: which are they?"
        hint = "--columns 1,2 takes the first two; --columns 1,2,3 takes the third as a reference."
        raise DataFormatError(name, 1, f"{reason} {hint}")
    else:
        places = [0, 1]
    if len(set(places)) < max(2, len(places)) or not set(places) <= set(range(len(titles))):
        reason = f"--columns takes two or more different ones of its {len(titles)} columns, not {columns!r}."
        raise DataFormatError(name, 1, reason)
    return places, is_header


# ------------------------------------------------------------------------------------------------------------ systems


def read_lines(path: str, count: int | None = None) -> list[str]:
    """The texts of a file, one a line; empty lines stay, so that line numbers hold.

    Parameters
    ----------
    path : str
    count : int, optional
        How many there should be: further lines go if they are empty. By default all empty lines at the end go.
    """
    lines = [line.rstrip("\r\n") for line in _lines(*opened(path))]
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
        if columns:
            raise InputError("--columns is for one table; of several files each line is a text.")
        for number, file in enumerate(files[1:], start=1):
            if file in files[1:number]:
                raise InputError(f"{file} is given twice.")
            label = Path(file).stem
            label = label if label not in outputs else file
            outputs[label] = read_lines(file, len(sources))
            if len(outputs[label]) != len(sources):
                raise InputError(f"{file} has {len(outputs[label]):,} lines, and {files[0]} has {len(sources):,}.")
    problems = {}
    for label, texts in outputs.items():
        for row, (source, text) in enumerate(zip(sources, texts)):
            if not source.strip() or not text.strip():
                problems[label, row] = "the source is empty" if not source.strip() else "the output is empty"
    if not sources or len(problems) == len(sources) * len(outputs):
        raise InputError(f"{files[0]} has no texts to check.")
    return Systems(sources, outputs, ids, problems)


def _table_of_systems(file: str, columns: str | None) -> tuple[list[str], dict[str, list[str]], list[str] | None]:
    table = _Table(*opened(file))
    rows, titles = [cells for _, cells in table], table.titles
    sources = [place for place, title in enumerate(titles) if title in _SOURCE]
    identity = titles.index("id") if "id" in titles else None
    if columns:
        places = table.named(columns)
    elif len(sources) == 1:
        places = [sources[0]]
        for place, title in enumerate(titles):
            numeric = table.count > 0 and table.numeric[place]
            if place not in (sources[0], identity) and not numeric and not title.startswith("reference"):
                places.append(place)
    elif not table.json and len(titles) == 2 and not table.looks_like_header():
        return [cells[0] for cells in rows], {"candidate": [cells[1] for cells in rows]}, None
    else:
        reason = f"the header ({', '.join(table.first)}) names no source;"
        raise DataFormatError(table.name, 1, f"{reason} name the columns with --columns SOURCE,SYSTEM,…")
    if len(places) < 2:
        raise DataFormatError(table.name, 1, "it has no column of a system beside the source.")
    body = rows[1:]
    outputs = {table.first[place].strip(): [cells[place] for cells in body] for place in places[1:]}
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
