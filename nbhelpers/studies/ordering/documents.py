"""Collections of documents for sentence ordering, each read by a parser of its own format.

A document that cannot be read never stops the others: it is reported as a `Problem` (where, what, and whether it was
left out or repaired) and counted in `Collection.counts`. Nothing is cut silently.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import html
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import BinaryIO

import numpy as np

from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError

LONGEST_PARAGRAPH = 100_000
"""Characters: a longer paragraph is not running text (a dump, a sequence, a file without line breaks)."""

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
_LINE_END = r"(?:\r\n|\r(?!\n)|[\n\f\x85\u2028])"  # Windows' two characters are one
_BLANK_LINES = re.compile(rf"{_LINE_END}[ \t]*{_LINE_END}\s*|[\f\u2029]")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# Windows-1252 differs from Latin-1 only where that has control characters; five of these bytes it leaves undefined.
_WINDOWS = {byte: bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(0x80, 0xA0)}


def _as_windows(error: UnicodeDecodeError) -> tuple[str, int]:
    """Undecodable bytes as characters of Windows-1252, for `bytes.decode`; the rest of the text stays as it is."""
    return error.object[error.start : error.end].decode("latin-1").translate(_WINDOWS), error.end


codecs.register_error("nbhelpers.windows", _as_windows)


@dataclass(frozen=True)
class Document:
    """A text whose sentences stand in their author's order.

    Attributes
    ----------
    name : str
    paragraphs : tuple of str
        Running text, to be split into sentences.
    sentences : tuple of str
        The sentences, where the source already gives them; then `paragraphs` is empty.
    """

    name: str
    paragraphs: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()


@dataclass(frozen=True)
class Problem:
    """What is wrong with one document, and what was done about it.

    Attributes
    ----------
    document : str
        Name of the document, or of the file where no document could be told.
    path : str
    line : int or None
        1-based line of the file where the document starts, where the format has lines.
    kind : str
        ``"empty"``, ``"broken markup"``, ``"encoding"``, ``"control characters"``, ``"long line"``,
        ``"not a document"`` or ``"unreadable file"``.
    action : str
        ``"left out"`` or ``"repaired"``.
    reason : str
        One sentence.
    """

    document: str
    path: str
    line: int | None
    kind: str
    action: str
    reason: str

    def __str__(self) -> str:
        place = self.path + (f", line {self.line}" if self.line is not None else "")
        return f"{self.document} ({place}): {self.kind}, {self.action}: {self.reason}"


@dataclass(frozen=True)
class Collection:
    """Documents, what was wrong with others, and where they come from."""

    name: str
    documents: tuple[Document, ...]
    problems: tuple[Problem, ...] = ()
    description: str = ""

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def counts(self) -> dict[str, int]:
        """Documents kept, left out and repaired, and the last two by kind."""
        left = [problem for problem in self.problems if problem.action == "left out"]
        repaired = [problem for problem in self.problems if problem.action == "repaired"]
        counts = {
            "documents": len(self.documents),
            "left out": len(left),
            "repaired": len({problem.document for problem in repaired}),
        }
        for action, problems in (("left out", left), ("repaired", repaired)):
            for kind, count in sorted(Counter(problem.kind for problem in problems).items()):
                counts[f"{action}: {kind}"] = count
        return counts

    def sample(self, size: int, seed: int = 0) -> Collection:
        """A random sample of documents in their own order; the whole collection if it is not larger than `size`.

        Raises
        ------
        InputError
            If `size` is not positive.
        """
        if size < 1:
            raise InputError(f"a sample has at least one document, not {size}")
        if size >= len(self.documents):
            return self
        chosen = np.sort(np.random.default_rng(seed).choice(len(self.documents), size, replace=False))
        return replace(
            self,
            documents=tuple(self.documents[i] for i in chosen),
            description=f"{self.description}; {size} of {len(self.documents)} documents, seed {seed}".lstrip("; "),
        )


class _Reader:
    """Takes raw documents one by one, cleans or refuses each, and keeps the account."""

    def __init__(self, longest_paragraph: int) -> None:
        if longest_paragraph < 1:
            raise InputError(f"the longest paragraph has at least one character, not {longest_paragraph}")
        self.longest_paragraph = longest_paragraph
        self.documents: list[Document] = []
        self.problems: list[Problem] = []

    def problem(self, name: str, path, line: int | None, kind: str, action: str, reason: str) -> None:
        self.problems.append(Problem(name, str(path), line, kind, action, reason))

    def decode(self, raw: bytes, name: str, path, line: int | None, expected: str = "utf-8") -> str:
        """Text of a document's bytes; bytes that are not in the expected encoding are reported as repaired.

        Latin-1 is read as Windows-1252, as web pages mean it.
        """
        if raw.startswith(_UTF16):
            self.problem(name, path, line, "encoding", "repaired", "it is UTF-16, and was read as that")
            return raw.decode("utf-16", "replace")
        if raw.startswith(codecs.BOM_UTF8):
            raw, expected = raw.removeprefix(codecs.BOM_UTF8), "utf-8"
        if codecs.lookup(expected).name == "iso8859-1":
            return raw.decode("latin-1").translate(_WINDOWS)
        try:
            return raw.decode(expected)
        except UnicodeDecodeError as error:
            self.problem(
                name,
                path,
                line,
                "encoding",
                "repaired",
                f"byte 0x{raw[error.start]:02x} at position {error.start} is not {expected.upper()}: "
                "such bytes are read as Windows-1252",
            )
            return raw.decode(expected, "nbhelpers.windows")

    def add(self, name: str, path, line: int | None, paragraphs: Iterable[str], *, are_sentences=False) -> None:
        """Keep a document, or report why not."""
        kept, removed = [], 0
        for paragraph in paragraphs:
            cleaned, count = _CONTROL.subn(" ", paragraph)
            removed += count
            longest = max(map(len, cleaned.splitlines()), default=0)
            if longest > self.longest_paragraph:
                self.problem(
                    name,
                    path,
                    line,
                    "long line",
                    "left out",
                    f"a line of {longest:,} characters is not running text (limit {self.longest_paragraph:,})",
                )
                return
            cleaned = " ".join(cleaned.split())
            if cleaned:
                kept.append(cleaned)
        if not any(character.isalnum() for part in kept for character in part):
            self.problem(name, path, line, "empty", "left out", "it has no word")
            return
        if removed:
            self.problem(
                name, path, line, "control characters", "repaired", f"{removed} control characters became blanks"
            )
        document = Document(name, sentences=tuple(kept)) if are_sentences else Document(name, tuple(kept))
        self.documents.append(document)

    def collection(self, name: str, description: str) -> Collection:
        return Collection(name, tuple(self.documents), tuple(self.problems), description)


def paragraphs_of(text: str) -> list[str]:
    """Paragraphs of a plain text: what stands between blank lines or form feeds."""
    return [part for part in _BLANK_LINES.split(text) if part and not part.isspace()]


def from_texts(
    texts: Mapping[str, str | Sequence[str]], *, name: str = "texts", longest_paragraph: int = LONGEST_PARAGRAPH
) -> Collection:
    """A collection of texts in memory: name to running text, or name to a list of sentences.

    Raises
    ------
    InputError
        If a text is neither a string nor a sequence of strings.
    """
    reader = _Reader(longest_paragraph)
    for key, text in texts.items():
        if isinstance(text, str):
            reader.add(key, "memory", None, paragraphs_of(text))
        elif isinstance(text, Sequence) and all(isinstance(part, str) for part in text):
            reader.add(key, "memory", None, text, are_sentences=True)
        else:
            raise InputError(f"document {key!r} is neither a text nor a list of sentences")
    return reader.collection(name, name)


# -------------------------------------------------------------------- files


def _open(path: Path) -> BinaryIO:
    """A binary stream, unpacked where the file's first bytes say gzip or bzip2."""
    with open(path, "rb") as stream:
        start = stream.read(4)
    if start.startswith(b"\x1f\x8b"):
        return gzip.open(path, "rb")
    if start.startswith(b"BZh"):
        return bz2.open(path, "rb")
    if start.startswith(b"\x1f\x9d"):
        raise DataFormatError(path, None, "it is packed with Unix compress (.Z): unpack it with gzip -d first")
    return open(path, "rb")


def _lines(stream: BinaryIO, path: Path) -> Iterator[bytes]:
    """Lines of a file. In UTF-16 a line break is two bytes, one of which would stay behind: such a file is refused."""
    for number, line in enumerate(stream):
        if number == 0 and line.startswith(_UTF16):
            raise DataFormatError(path, None, "it is UTF-16, which is not read line by line: save it as UTF-8 first")
        yield line


def _existing(path: str | Path) -> Path:
    path = Path(path).expanduser()
    if not path.exists():
        raise ResourceNotFoundError(f"{path} does not exist")
    return path


def _files(path: Path, pattern: str) -> list[Path]:
    if path.is_file():
        return [path]
    return sorted(
        file
        for file in path.glob(pattern)
        if file.is_file() and not any(part.startswith(".") for part in file.relative_to(path).parts)
    )


_READ_ERRORS = (OSError, EOFError, DataFormatError)


def _unreadable(reader: _Reader, file: Path, error: Exception) -> None:
    reason = error.reason if isinstance(error, DataFormatError) else f"it cannot be read: {error}"
    reader.problem(file.name, file, None, "unreadable file", "left out", reason)


def read_text_folder(
    path: str | Path,
    *,
    pattern: str = "**/*.txt",
    first_line_is_title: bool = False,
    name: str | None = None,
    longest_paragraph: int = LONGEST_PARAGRAPH,
) -> Collection:
    """A folder of plain text files, one document a file, paragraphs between blank lines.

    Parameters
    ----------
    path : path
        The folder (or a single file).
    pattern : str
        Which files, as `pathlib.Path.glob` takes it.
    first_line_is_title : bool
        Whether the first line is a title and no sentence (as in the BBC's original files).

    Raises
    ------
    ResourceNotFoundError
        If the path does not exist or holds no such file.
    """
    path = _existing(path)
    files = _files(path, pattern)
    if not files:
        raise ResourceNotFoundError(f"{path} has no file that matches {pattern!r}")
    reader = _Reader(longest_paragraph)
    for file in files:
        label = file.name if path.is_file() else str(file.relative_to(path))
        try:
            with _open(file) as stream:
                raw = stream.read()
        except _READ_ERRORS as error:
            _unreadable(reader, file, error)
            continue
        text = reader.decode(raw, label, file, None)
        if first_line_is_title:
            text = text.lstrip().partition("\n")[2]
        reader.add(label, file, None, paragraphs_of(text))
    return reader.collection(name or path.stem, f"text files in {path.name}")


def read_lines(
    path: str | Path, *, name: str | None = None, encoding: str = "utf-8", longest_paragraph: int = LONGEST_PARAGRAPH
) -> Collection:
    """A file with one document a line (as gensim's Lee corpora)."""
    path = _existing(path)
    reader = _Reader(longest_paragraph)
    try:
        with _open(path) as stream:
            for number, raw in enumerate(_lines(stream, path), start=1):
                label = f"{path.stem}-{number}"
                reader.add(label, path, number, [reader.decode(raw, label, path, number, encoding)])
    except _READ_ERRORS as error:
        _unreadable(reader, path, error)
    return reader.collection(name or path.stem, f"lines of {path.name}")


_TEXT_FIELDS = ("sentences", "paragraphs", "text", "body", "content")
_NAME_FIELDS = ("name", "id", "docno", "title")


def read_json_lines(
    path: str | Path,
    *,
    text_field: str | None = None,
    name_field: str | None = None,
    name: str | None = None,
    longest_paragraph: int = LONGEST_PARAGRAPH,
) -> Collection:
    """A JSON-lines file, one document a line (plain, ``.gz`` or ``.bz2``).

    Parameters
    ----------
    text_field : str, optional
        Field with the text: a string (paragraphs between blank lines) or a list of strings (paragraphs; sentences if
        the field is called ``sentences``). By default the first of ``sentences``, ``paragraphs``, ``text``, ``body``,
        ``content`` that the line has.
    name_field : str, optional
        Field with the document's name; by default ``name``, ``id``, ``docno`` or ``title``, else the line's number. A
        ``category`` is put before the name, as BBC articles are numbered within their topic.
    """
    path = _existing(path)
    reader = _Reader(longest_paragraph)
    try:
        with _open(path) as stream:
            for number, raw in enumerate(_lines(stream, path), start=1):
                if raw.strip():
                    _add_json(reader, raw, path, number, text_field, name_field)
    except _READ_ERRORS as error:
        _unreadable(reader, path, error)
    return reader.collection(name or path.name.split(".")[0], f"JSON lines of {path.name}")


def _add_json(reader: _Reader, raw: bytes, path: Path, number: int, text_field, name_field) -> None:
    label = f"line {number}"
    text = reader.decode(raw, label, path, number)
    try:
        record = json.loads(text, strict=False)
    except (ValueError, RecursionError) as error:
        reader.problem(label, path, number, "not a document", "left out", f"it is not JSON: {error}")
        return
    if not isinstance(record, dict):
        reader.problem(label, path, number, "not a document", "left out", "it is no JSON object")
        return
    for key in [name_field] if name_field else _NAME_FIELDS:
        if isinstance(record.get(key), str | int):
            label = str(record[key])
            break
    if isinstance(record.get("category"), str):
        label = f"{record['category']}/{label}"
    field = text_field or next((key for key in _TEXT_FIELDS if key in record), None)
    content = record.get(field) if field else None
    if isinstance(content, str):
        reader.add(label, path, number, paragraphs_of(content))
    elif isinstance(content, list) and all(isinstance(part, str) for part in content):
        reader.add(label, path, number, content, are_sentences=field == "sentences")
    else:
        wanted = text_field or ", ".join(_TEXT_FIELDS)
        reader.problem(label, path, number, "not a document", "left out", f"it has no text in {wanted}")


# -------------------------------------------------------------------- Wikipedia dumps

_HEADING = re.compile(r"^(=+)\s*(.*?)\s*\1\s*$")
_NOT_PROSE = ("*", "#", ":", ";", "|", "!", "{", "}", "<", "&lt;")
_QUOTES = re.compile(r"'{2,5}")
_END_SECTIONS = frozenset(
    {
        "references",
        "notes",
        "footnotes",
        "see also",
        "external links",
        "further reading",
        "bibliography",
        "sources",
        "notes and references",
        "references and notes",
        "citations",
        "literature",
        "gallery",
        "works cited",
        "history of the article",
    }
)
_SENTENCE_END = re.compile(r"[.!?][\"'”’)\]]*$")


def wikipedia_paragraphs(markup: str) -> list[str]:
    """Paragraphs of running text of a Wikipedia page.

    gensim's reader takes off the markup and keeps the punctuation. Headings, lists, tables, captions (lines that do
    not end a sentence) and the sections of notes, references and links are left out, as the paper's collection has
    none of them (section 4.1).
    """
    from gensim.corpora.wikicorpus import filter_wiki

    paragraphs, skipping = [], 0
    for line in filter_wiki(_without_tables(markup)).splitlines():
        line = line.strip()
        heading = _HEADING.match(line)
        if heading:
            level = len(heading.group(1))
            if not skipping or level <= skipping:
                skipping = level if heading.group(2).lower() in _END_SECTIONS else 0
            continue
        if skipping or not line or line.startswith(_NOT_PROSE):
            continue
        line = " ".join(_QUOTES.sub("", line).split())
        # What stood in a template leaves holes behind: "is a city (, ) in".
        line = re.sub(r"\(\s*[,;]?\s*\)", "", line)
        line = re.sub(r"\(\s*[,;]\s*", "(", line)
        line = re.sub(r"\s+([,.;:)])", r"\1", " ".join(line.split()))
        if _SENTENCE_END.search(line):
            paragraphs.append(line)
    return paragraphs


def _without_tables(markup: str) -> str:
    """The markup without its tables (lines from ``{|`` to ``|}``, also nested); a table without end stays."""
    kept: list[str] = []
    waiting: list[list[str]] = []  # the lines of the open tables
    for line in markup.splitlines():
        start = line.lstrip(" \t:")
        if start.startswith("{|"):
            waiting.append([line])
        elif waiting:
            waiting[-1].append(line)
            if start.startswith("|}") and not start.startswith("|}}"):
                waiting.pop()
        else:
            kept.append(line)
    for table in waiting:
        kept.extend(table)
    return "\n".join(kept)


def read_wikipedia_dump(
    path: str | Path, *, name: str | None = None, limit: int | None = None, longest_paragraph: int = LONGEST_PARAGRAPH
) -> Collection:
    """Articles of a Wikipedia XML dump (plain, ``.bz2`` or ``.gz``), read with gensim's Wikipedia reader.

    Redirects and pages outside the article namespace are no documents and are not reported.

    Parameters
    ----------
    limit : int, optional
        Stop after that many articles.
    """
    from gensim.corpora.wikicorpus import extract_pages

    path = _existing(path)
    reader = _Reader(longest_paragraph)
    count = 0
    try:
        with _open(path) as stream:
            for title, markup, page in extract_pages(stream, ("0",)):
                if not markup or markup.lstrip()[:9].lower() == "#redirect":
                    continue
                if limit is not None and count >= limit:
                    break
                count += 1
                reader.add(str(title), f"{path.name}, page {page}", None, wikipedia_paragraphs(markup))
    except (*_READ_ERRORS, SyntaxError) as error:  # XML's ParseError is a SyntaxError
        _unreadable(reader, path, error)
    return reader.collection(name or "wikipedia", f"Wikipedia dump {path.name}")


# -------------------------------------------------------------------- TREC

_TREC_TAG = re.compile(rb"<(/?)DOC>", re.IGNORECASE)
_DOCNO = re.compile(rb"<DOCNO>\s*(.*?)\s*</DOCNO>", re.IGNORECASE | re.DOTALL)
_DOCHDR = re.compile(rb"<DOCHDR>.*?</DOCHDR>", re.IGNORECASE | re.DOTALL)
_TEXT_TAG = re.compile(r"<(/?)TEXT>", re.IGNORECASE)
_TREC_ENTITIES = {
    "&blank;": " ",
    "&hyph;": "-",
    "&sect;": "§",
    "&para;": "¶",
    "&cir;": "°",
    "&rsquo;": "'",
    "&lsquo;": "'",
    "&ge;": "≥",
    "&le;": "≤",
    "&mu;": "µ",
    "&bull;": " ",
    "&amp;lt;": "<",
    "&amp;gt;": ">",
}
_TREC_ENTITY = re.compile("|".join(map(re.escape, _TREC_ENTITIES)))

# Elements whose content is no running text.
_TREC_SKIPPED = frozenset(
    {
        "table",
        "tablecell",
        "footnote",
        "footcite",
        "footname",
        "rindock",
        "billing",
        "frfiling",
        "fr-filing",
        "signer",
        "signjob",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "h7",
        "h8",
    }
)
_HTML_SKIPPED = frozenset(
    {
        "script",
        "style",
        "title",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "select",
        "textarea",
        "noframes",
        "applet",
        "object",
        "address",
        "button",
    }
)
_HTML_BLOCKS = frozenset(
    {
        "p",
        "div",
        "br",
        "td",
        "th",
        "tr",
        "table",
        "li",
        "ul",
        "ol",
        "dl",
        "dt",
        "dd",
        "hr",
        "center",
        "blockquote",
        "pre",
        "body",
        "html",
        "head",
        "section",
        "article",
    }
)
_TREC_BLOCKS = frozenset({"p", "text", "ftag", "itag", "t2", "t3", "t4", "t5"})


class _Blocks(HTMLParser):
    """Running text of HTML or TREC's SGML, block by block; unclosed and unknown tags are taken as they come."""

    def __init__(self, skipped: frozenset[str], blocks: frozenset[str]) -> None:
        super().__init__(convert_charrefs=True)
        self.skipped, self.block_tags = skipped, blocks
        self.blocks: list[str] = []
        self._part: list[str] = []
        self.inside: str | None = None

    def close_block(self) -> None:
        text = "".join(self._part)
        self._part = []
        for paragraph in paragraphs_of(text):
            self.blocks.append(" ".join(paragraph.split()))

    def handle_starttag(self, tag: str, attrs) -> None:
        if self.inside is None:
            if tag in self.skipped:
                self.close_block()
                self.inside = tag
            elif tag in self.block_tags:
                self.close_block()
        elif tag in ("p", "body") and self.inside not in ("table", "script", "style"):
            self.inside = None  # the element was never closed
            self.close_block()

    def handle_startendtag(self, tag: str, attrs) -> None:
        if tag in self.block_tags:
            self.close_block()

    def handle_endtag(self, tag: str) -> None:
        if self.inside is not None:
            if tag == self.inside:
                self.inside = None
        elif tag in self.block_tags:
            self.close_block()

    def handle_data(self, data: str) -> None:
        if self.inside is None:
            self._part.append(data)

    def close(self) -> None:
        super().close()
        self.close_block()


def _blocks(markup: str, skipped: frozenset[str], blocks: frozenset[str]) -> list[str]:
    parser = _Blocks(skipped, blocks)
    parser.feed(markup)
    parser.close()
    if parser.inside is not None:
        raise DataFormatError("document", None, f"<{parser.inside.upper()}> is never closed")
    return parser.blocks


def trec_paragraphs(markup: str) -> list[str]:
    """Paragraphs inside the ``<TEXT>`` elements of a TREC document (Financial Times, Federal Register, FBIS, LA Times).

    Paragraphs are told by ``<P>`` and by blank lines; tables, footnotes and headings are left out.

    Raises
    ------
    DataFormatError
        If a ``<TEXT>`` is not closed, or closed without having been opened, or a table or footnote is not closed.
    """
    paragraphs, start = [], None
    for tag in _TEXT_TAG.finditer(markup):
        closes = bool(tag.group(1))
        if closes and start is None:
            raise DataFormatError("document", None, "</TEXT> without <TEXT>")
        if not closes and start is not None:
            raise DataFormatError("document", None, "<TEXT> inside <TEXT>")
        if closes:
            inner = _TREC_ENTITY.sub(lambda match: _TREC_ENTITIES[match.group()], markup[start : tag.start()])
            paragraphs.extend(_blocks(inner, _TREC_SKIPPED, _TREC_BLOCKS))
            start = None
        else:
            start = tag.end()
    if start is not None:
        raise DataFormatError("document", None, "<TEXT> without </TEXT>")
    return paragraphs


def html_paragraphs(markup: str) -> list[str]:
    """Blocks of running text of a web page: those that hold the end of a sentence.

    Titles, headings, scripts and forms are left out, and so are blocks without a full stop, question or exclamation
    mark: menus, captions, lists of links.

    Raises
    ------
    DataFormatError
        If an element that is left out (a script, a heading) is never closed, so that the text would be lost with it.
    """
    return [
        block
        for block in _blocks(markup, _HTML_SKIPPED, _HTML_BLOCKS)
        if re.search(r"[^\W\d_].*[.!?](?:\W|$)", html.unescape(block))
    ]


def _trec_documents(stream: Iterable[bytes]) -> Iterator[tuple[int, bytes, str | None]]:
    """Line number, content and fault (None if well formed) of every ``<DOC>`` of a file."""
    start, lines, fault = 0, [], None
    for number, line in enumerate(stream, start=1):
        place = 0
        for tag in _TREC_TAG.finditer(line):
            if not tag.group(1):
                if start:
                    lines.append(line[place : tag.start()])
                    yield start, b"".join(lines), "the next <DOC> starts before </DOC>"
                start, lines, place = number, [], tag.end()
            elif start:
                lines.append(line[place : tag.start()])
                yield start, b"".join(lines), fault
                start, lines, place = 0, [], tag.end()
            else:
                yield number, b"", "</DOC> without <DOC>"
                place = tag.end()
        if start:
            lines.append(line[place:])
    if start:
        yield start, b"".join(lines), "the file ends before </DOC>"


def _read_sgml(path: str | Path, paragraphs, encoding: str, name: str, pattern: str, longest_paragraph: int):
    path = _existing(path)
    reader = _Reader(longest_paragraph)
    files = _files(path, pattern)
    if not files:
        raise ResourceNotFoundError(f"{path} has no file that matches {pattern!r}")
    for file in files:
        found = 0
        try:
            with _open(file) as stream:
                for line, content, fault in _trec_documents(_lines(stream, file)):
                    found += 1
                    number = _DOCNO.search(content)
                    label = number.group(1).decode("latin-1") if number else f"{file.name}:{line}"
                    if fault is None and number is None:
                        fault = "it has no <DOCNO>"
                    if fault is None:
                        text = reader.decode(_DOCHDR.sub(b"", content), label, file, line, encoding)
                        try:
                            reader.add(label, file, line, paragraphs(text))
                            continue
                        except DataFormatError as error:
                            fault = error.reason
                    reader.problem(label, file, line, "broken markup", "left out", fault)
        except _READ_ERRORS as error:
            _unreadable(reader, file, error)
            continue
        if not found:
            reader.problem(file.name, file, None, "not a document", "left out", "the file has no <DOC>")
    return reader.collection(name, f"TREC files in {path.name}")


def read_trec(
    path: str | Path,
    *,
    name: str = "trec",
    pattern: str = "**/*",
    encoding: str = "latin-1",
    longest_paragraph: int = LONGEST_PARAGRAPH,
) -> Collection:
    """TREC documents in SGML, as on the Robust track's disks 4 and 5 (one file or a folder, plain or ``.gz``).

    A document is ``<DOC>`` with ``<DOCNO>`` and one or more ``<TEXT>``. Broken ones are reported with file and line.
    """
    return _read_sgml(path, trec_paragraphs, encoding, name, pattern, longest_paragraph)


def read_wt10g(
    path: str | Path,
    *,
    name: str = "wt10g",
    pattern: str = "**/*",
    encoding: str = "latin-1",
    longest_paragraph: int = LONGEST_PARAGRAPH,
) -> Collection:
    """Web pages in WT10G's format: ``<DOC>`` with ``<DOCNO>``, ``<DOCHDR>`` and the page's HTML (plain or ``.gz``)."""

    def paragraphs(markup: str) -> list[str]:
        return html_paragraphs(re.sub(r"<DOC(?:OLD)?NO>.*?</DOC(?:OLD)?NO>", "", markup, flags=re.I | re.S))

    return _read_sgml(path, paragraphs, encoding, name, pattern, longest_paragraph)


# -------------------------------------------------------------------- by name

COLLECTIONS = {
    "lee-background": "300 news articles of the Lee background corpus, in gensim's wheel",
    "lee": "50 news articles of the Lee corpus, in gensim's wheel",
    "wikipedia-excerpt": "106 English Wikipedia articles, in gensim's wheel",
    "bbc-news": "2,225 BBC news articles",
    "wikipedia-5000": "5,000 English Wikipedia articles",
    "robust04": "TREC disks 4 and 5 (Robust track), by path",
    "wt10g": "WT10G web pages, by path",
}
"""Collections that `open_collection` knows by name."""


def open_collection(name: str, path: str | Path | None = None) -> Collection:
    """A collection by name.

    Parameters
    ----------
    name : str
        One of `COLLECTIONS`; or any name together with a path, whose format is then told by the path: a folder of
        texts, a ``.jsonl`` file (also packed), or a plain text file with one document a line.
    path : path, optional
        Where it is. Without it, the collection is looked for as `nbhelpers.resources.data.find` does.

    Raises
    ------
    InputError
        If the name is unknown and there is no path.
    ResourceNotFoundError
        If it is not at hand.
    """
    if name in ("robust04", "wt10g"):
        if path is None:
            raise ResourceNotFoundError(
                f"{name} is licensed by NIST and the University of Glasgow and cannot be fetched: give its path"
            )
        return (read_trec if name == "robust04" else read_wt10g)(path, name=name)
    if name not in COLLECTIONS:
        if path is None:
            raise InputError(f"no collection is called {name!r}: {', '.join(COLLECTIONS)}, or give a path")
        path = _existing(path)
        if path.is_dir():
            return read_text_folder(path, name=name)
        if ".jsonl" in path.suffixes or ".json" in path.suffixes:
            return read_json_lines(path, name=name)
        return read_lines(path, name=name)
    from nbhelpers.resources import data

    located = data.find(name, path, allow_shipped=False)
    if name == "wikipedia-excerpt":
        collection = read_wikipedia_dump(located.path, name=name)
    elif name in ("lee", "lee-background"):
        collection = read_lines(located.path, name=name)
    else:
        collection = read_json_lines(located.path, name=name)
    return replace(collection, description=located.description)
