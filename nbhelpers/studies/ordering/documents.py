"""Collections of documents for sentence ordering, each read by a parser of its own format.

A document that cannot be read never stops the others: it is reported in `Collection.problems` (where, what, and
whether it was left out or repaired). Nothing is cut silently.
"""

from __future__ import annotations

import codecs
import io
import json
import lzma
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from nbhelpers.base.errors import ResourceNotFoundError
from nbhelpers.base.files import open_binary
from nbhelpers.resources import data

LONGEST_LINE = 100_000
"""Characters: a longer line is not running text (a dump, a sequence, a file without line breaks)."""

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
_LINE_END = r"(?:\r\n|\r(?!\n)|[\n\f\x85\u2028])"  # Windows' two characters are one
_BLANK_LINES = re.compile(rf"{_LINE_END}[ \t]*{_LINE_END}\s*|[\f\u2029]")


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


@dataclass
class Collection:
    """Documents, and what was wrong with others; readers add documents one by one, which are cleaned or refused.

    Attributes
    ----------
    name : str
    documents : list of Document
    problems : list of str
        A line for each: ``document (path, line): kind, action: reason``. The line counts from 1, where the format has
        lines; the kind is empty, encoding, control characters, long line, not a document or unreadable file; the action
        is left out or repaired.
    """

    name: str
    documents: list[Document] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.documents)

    def sample(self, size: int, seed: int = 0) -> Collection:
        """A random sample of documents in their own order; the whole collection if it is not larger than `size`.

        Examples
        --------
        >>> collection = from_texts({str(number): "A text." for number in range(50)})
        >>> len(collection.sample(10))
        10
        """
        if size >= len(self.documents):
            return self
        chosen = np.sort(np.random.default_rng(seed).choice(len(self.documents), size, replace=False))
        return replace(self, documents=[self.documents[i] for i in chosen])

    def report(self, name: str, path: Path | str, line: int | None, what: str, reason: str) -> None:
        """Note what was wrong with a document, and what became of it."""
        place = f"{path}, line {line}" if line is not None else path
        self.problems.append(f"{name} ({place}): {what}: {reason}")

    def text(self, path: Path) -> str | None:
        """Content of a file, unpacked and decoded; None if it cannot be read, which is reported.

        A file that is not UTF-8 is read as Windows-1252 and reported.
        """
        try:
            with open_binary(path) as stream:
                raw = stream.read()
        except (OSError, EOFError, ValueError, lzma.LZMAError, zlib.error) as error:
            self.report(path.name, path, None, "unreadable file, left out", f"it cannot be read: {error}")
            return None
        if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            self.report(path.name, path, None, "encoding, repaired", "it is UTF-16, and was read as that")
            return raw.decode("utf-16", "replace")
        try:
            return raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            reason = f"byte 0x{error.object[error.start]:02x} is not UTF-8: the file is read as Windows-1252"
            self.report(path.name, path, line, "encoding, repaired", reason)
            return raw.decode("cp1252", "replace")

    def add(self, name: str, path: Path | str, line: int | None, parts: Iterable[str], *, are_sentences=False) -> None:
        """Keep a document, or report why not."""
        kept, removed = [], 0
        for part in parts:
            cleaned, count = _CONTROL.subn(" ", part)
            removed += count
            longest = max(map(len, cleaned.splitlines()), default=0)
            if longest > LONGEST_LINE:
                reason = f"a line of {longest:,} characters is not running text (limit {LONGEST_LINE:,})"
                self.report(name, path, line, "long line, left out", reason)
                return
            if cleaned := " ".join(cleaned.split()):
                kept.append(cleaned)
        if not any(character.isalnum() for part in kept for character in part):
            self.report(name, path, line, "empty, left out", "it has no word")
            return
        if removed:
            reason = f"{removed} control characters became blanks"
            self.report(name, path, line, "control characters, repaired", reason)
        kept = tuple(kept)
        self.documents.append(Document(name, sentences=kept) if are_sentences else Document(name, kept))


def paragraphs_of(text: str) -> list[str]:
    """Paragraphs of a plain text: what stands between blank lines or form feeds."""
    return [part for part in _BLANK_LINES.split(text) if part and not part.isspace()]


# -------------------------------------------------------------------- plain texts and JSON lines


def from_texts(texts: Mapping[str, str | Sequence[str]]) -> Collection:
    """A collection of texts in memory: name to running text, or name to a list of sentences.

    Examples
    --------
    >>> len(from_texts({"a": "It rained. They left.", "b": ["It snowed.", "They stayed."]}))
    2
    """
    collection = Collection("texts")
    for name, text in texts.items():
        if isinstance(text, str):
            collection.add(name, "memory", None, paragraphs_of(text))
        else:
            collection.add(name, "memory", None, text, are_sentences=True)
    return collection


def read_text_folder(path: Path) -> Collection:
    """A folder of plain text files (``*.txt``), one document each (not hidden ones), paragraphs between blank lines."""
    collection, names = Collection(path.name), [file.relative_to(path) for file in sorted(path.glob("**/*.txt"))]
    names = [name for name in names if not any(part.startswith(".") for part in name.parts)]
    if not names:
        raise ResourceNotFoundError(f"{path} has no file that matches '**/*.txt'")
    for name in names:
        text = collection.text(path / name)
        if text is not None:
            collection.add(name.as_posix(), path / name, None, paragraphs_of(text))
    return collection


def read_lines(path: Path) -> Collection:
    """A file with one document a line (as gensim's Lee corpora)."""
    collection = Collection(path.stem)
    for number, line in enumerate(io.StringIO(collection.text(path)), start=1):
        collection.add(f"{path.stem}-{number}", path, number, [line])
    return collection


def read_json_lines(path: Path) -> Collection:
    """A JSON-lines file, one document a line.

    The text is the first of the fields ``sentences`` (a list), ``paragraphs`` (a list) and ``text`` (a string, with
    blank lines between paragraphs); the name is ``name``, ``id`` or ``title``, else the line's number. A ``category``
    is put before the name, as BBC articles are numbered within their topic.
    """
    collection = Collection(path.name.split(".")[0])
    for number, line in enumerate(io.StringIO(collection.text(path)), start=1):
        if line.strip():
            _add_json(collection, line, path, number)
    return collection


def _add_json(collection: Collection, line: str, path: Path, number: int) -> None:
    name = f"line {number}"
    try:
        record = json.loads(line, strict=False)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        collection.report(name, path, number, "not a document, left out", "it is no JSON object")
        return
    name = str(next((record[key] for key in ("name", "id", "title") if key in record), name))
    if "category" in record:
        name = f"{record['category']}/{name}"
    kind = next((key for key in ("sentences", "paragraphs", "text") if key in record), "")
    content = record.get(kind)
    if isinstance(content, str):
        collection.add(name, path, number, paragraphs_of(content))
    elif isinstance(content, list) and all(isinstance(part, str) for part in content):
        collection.add(name, path, number, content, are_sentences=kind == "sentences")
    else:
        collection.report(name, path, number, "not a document, left out", "it has no text, paragraphs or sentences")


# -------------------------------------------------------------------- Wikipedia dumps

_HEADING = re.compile(r"^(=+)\s*(.*?)\s*\1\s*$")
_NOT_PROSE = ("*", "#", ":", ";", "|", "!", "{", "}", "<", "&lt;")
_QUOTES = re.compile(r"'{2,5}")
_END_SECTIONS = re.compile(
    "references( and notes)?|notes( and references)?|footnotes|see also|external links|further reading|bibliography|"
    "sources|citations|literature|gallery|works cited|history of the article",
    re.IGNORECASE,
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
                skipping = level if _END_SECTIONS.fullmatch(heading.group(2)) else 0
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


def read_wikipedia_dump(path: Path) -> Collection:
    """Articles of a Wikipedia XML dump (plain, ``.bz2`` or ``.gz``), read with gensim's Wikipedia reader.

    Redirects and pages outside the article namespace are no documents and are not reported.
    """
    from gensim.corpora.wikicorpus import extract_pages
    from gensim.utils import open as open_packed

    collection = Collection("wikipedia")
    try:
        with open_packed(path, "rb") as stream:
            for title, markup, page in extract_pages(stream, ("0",)):
                if markup and markup.lstrip()[:9].lower() != "#redirect":
                    collection.add(str(title), f"{path.name}, page {page}", None, wikipedia_paragraphs(markup))
    except (OSError, EOFError, SyntaxError) as error:  # XML's ParseError is a SyntaxError
        collection.report(path.name, path, None, "unreadable file, left out", f"it cannot be read: {error}")
    return collection


# -------------------------------------------------------------------- by name

COLLECTIONS = {
    "lee-background": read_lines,
    "lee": read_lines,
    "wikipedia-excerpt": read_wikipedia_dump,
    "bbc-news": read_json_lines,
    "wikipedia-5000": read_json_lines,
}
"""Readers of the registered collections that `open_collection` knows by name."""


def open_collection(name: str | Path) -> Collection:
    """A collection by name or by path.

    Parameters
    ----------
    name : str or path
        One of `COLLECTIONS`, looked for as `nbhelpers.resources.data.find` does. Or a path: a folder holds text files;
        a ``.jsonl`` file (also packed) has a JSON object a line, any other file a document a line.

    Raises
    ------
    ResourceNotFoundError
        If the collection is not on this machine, or there is no such name or path.

    Examples
    --------
    >>> len(open_collection("lee-background"))
    300
    """
    if name in COLLECTIONS:
        return replace(COLLECTIONS[name](data.find(name, allow_shipped=False).path), name=name)
    path = Path(name).expanduser()
    if not path.exists():
        raise ResourceNotFoundError(f"{name} is no path and none of the known collections: {', '.join(COLLECTIONS)}")
    if path.is_dir():
        return read_text_folder(path)
    return (read_json_lines if {".json", ".jsonl"} & set(path.suffixes) else read_lines)(path)
