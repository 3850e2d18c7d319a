"""Pyramid annotations: DUCView files read and written, and the topics that ship with the project.

The Pyramid Method (Nenkova & Passonneau 2004, HLT-NAACL) groups the passages of several model summaries that say the
same into summary content units (SCUs). DUCView keeps a topic in one XML file (``.pyr``; DUC 2005-2007, TAC): the lines
of the summaries, then the SCUs, each with a label and contributors, each of one part or more, given by its words and by
character offsets in the lines joined by line breaks.

Files are foreign input. Entities and external DTDs are refused, and so is a file that contradicts itself: cut off, an
SCU id that comes twice, an SCU without contributors, an offset outside the text. What can be repaired is repaired and
listed in `Pyramid.problems`: Windows characters in a file that is not UTF-8, characters decoded twice, offsets that
point at other words than the part's label.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.saxutils import escape

from defusedxml.common import DTDForbidden, EntitiesForbidden, ExternalReferenceForbidden
from defusedxml.expatreader import DefusedExpatParser

from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError
from nbhelpers.base.paths import replace_file

LARGEST_FILE = 32 << 20
"""Bytes; real files have about 50,000."""

GAP = "..."
"""What DUCView puts between the parts of a contributor in its label."""

_HEADER = re.compile(r"^-{3,}[ \t]*\n[ \t]*(\S[^\n]*?)[ \t]*\n-{3,}[ \t]*$", re.MULTILINE)
_DECLARED = re.compile(rb"""\s*<\?xml[^>]*?encoding\s*=\s*["']([^"']*)["']""")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")
_FOREIGN = re.compile("[^\x00-\x7f]+")
_UNWRITABLE = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]")
_ELEMENTS = {"pyramid", "startDocumentRegEx", "text", "line", "scu", "contributor", "part"}
_DOCTYPE = """<!DOCTYPE pyramid [
 <!ELEMENT pyramid (startDocumentRegEx?,text,scu*)>
 <!ELEMENT startDocumentRegEx (#PCDATA)>
 <!ELEMENT text (line*)>
 <!ELEMENT line (#PCDATA)>
 <!ELEMENT scu (contributor)+>
 <!ATTLIST scu uid CDATA #REQUIRED
               label CDATA #REQUIRED
               comment CDATA #IMPLIED>
 <!ELEMENT contributor (part)+>
 <!ATTLIST contributor label CDATA #REQUIRED
                       comment CDATA #IMPLIED>
 <!ELEMENT part EMPTY>
 <!ATTLIST part label CDATA #REQUIRED
                start CDATA #REQUIRED
                end   CDATA #REQUIRED>

]>"""


@dataclass(frozen=True)
class Problem:
    """Something that was repaired or could not be checked, on a 1-based line of the file.

    `kind` is "encoding" (characters repaired), "lost" (characters that cannot be restored), "offset" (offsets that do
    not fit the words), "label" (a contributor's label that is not the words of its parts) or "element" (unknown).
    """

    line: int
    kind: str
    message: str


@dataclass(frozen=True)
class Part:
    """A passage ``text[start:end]``, in characters; `label` is its words as the file gives them."""

    label: str
    start: int
    end: int


@dataclass(frozen=True)
class Contributor:
    """A passage, in one part or more, that expresses an SCU.

    `label` is as the file gives it, with "..." between the parts; `text` the words in the order of the text, without
    "..." and line breaks; `summary` the model summary it comes from (None where the file does not tell them apart).
    """

    label: str
    parts: tuple[Part, ...]
    text: str
    summary: str | None = None
    comment: str = ""


@dataclass(frozen=True)
class SCU:
    """A summary content unit: `contributors` that say the same, and the annotator's `label` for it."""

    uid: str
    label: str
    contributors: tuple[Contributor, ...]
    comment: str = ""

    @property
    def weight(self) -> int:
        """Number of contributors, one for each model summary that mentions the unit."""
        return len(self.contributors)


@dataclass(frozen=True)
class ModelSummary:
    """A model summary: its name, and its text (sentences on lines), which starts at offset `start`."""

    name: str
    start: int
    text: str


@dataclass(frozen=True)
class Pyramid:
    """The annotation of one topic; all parts are in the order of the file.

    `name` is the file's without its ending, `text` its lines joined by line breaks (offsets count its characters).
    `summaries` is empty where the file does not mark where they start; `start_pattern`, DUCView's regular expression
    for that, is kept and never used; `problems` is not compared.
    """

    name: str
    text: str
    scus: tuple[SCU, ...]
    summaries: tuple[ModelSummary, ...] = ()
    start_pattern: str = ""
    problems: tuple[Problem, ...] = field(default=(), compare=False)

    def score(self, uids: Iterable[str]) -> float:
        """Pyramid score, in [0, 1], of a summary that expresses the SCUs `uids` (section 2 of Baumel et al. 2016).

        The sum of their weights, divided by the largest sum that as many SCUs can have. An id that the pyramid does not
        have or that is given twice, and no id at all (0/0), are InputErrors.
        """
        uids = list(uids)
        weights = {scu.uid: scu.weight for scu in self.scus}
        for place, uid in enumerate(uids):
            if uid not in weights or uid in uids[:place]:
                wrong = "is given twice" if uid in weights else "is not in the pyramid"
                raise InputError(f"SCU {uid!r} of {self.name} {wrong}")
        if not uids:
            raise InputError("a pyramid score needs at least one SCU: without one it is 0/0")
        return sum(weights[uid] for uid in uids) / sum(sorted(weights.values(), reverse=True)[: len(uids)])


# ----------------------------------------------------------------------------------------------------- reading


def read_pyramid(path: str | Path, *, strict: bool = True) -> Pyramid:
    """Read a DUCView file: XML in UTF-8, UTF-16 with a byte-order mark, Windows-1252, Latin-1, Latin-9 or Mac Roman.

    A part whose offsets point at other words is put where its label stands nearest to them, and reported; where the
    label stands nowhere its offsets stay as they are. The contributor's label is right in real files.

    Parameters
    ----------
    strict : bool
        False reports offsets outside the text among the problems and takes the label, instead of refusing the file.

    Raises
    ------
    ResourceNotFoundError, DataFormatError
        With file and line: not XML or cut off; an entity declaration or an external DTD; not a pyramid; a missing
        attribute; a duplicate SCU id; an SCU without contributors or a contributor without parts; an empty label; an
        offset that is no number, or (`strict`) outside the text. Nothing is half-loaded.
    """
    path = Path(path)
    markup, problems = _decode(path)
    root = _parse(markup, path, problems)
    text_nodes = root.named("text")
    if len(text_nodes) != 1:
        raise DataFormatError(path, root.line, f"a pyramid has one text, this one has {len(text_nodes)}")
    lines = text_nodes[0].named("line")
    raw = "\n".join(line.content for line in lines) if lines else text_nodes[0].content
    text, edits = _repair(raw)
    for line in lines or text_nodes:
        _report_repair(line.content, line.line, problems)
    summaries = _summaries(text)
    reader = _Reader(path, raw, edits, summaries, strict, problems)
    scus, first = [], {}
    for node in root.named("scu"):
        scu = reader.scu(node)
        if scu.uid in first:
            message = f"the SCU id {scu.uid!r} comes twice, first on line {first[scu.uid]}"
            raise DataFormatError(path, node.line, message)
        first[scu.uid] = node.line
        scus.append(scu)
    if not scus:
        raise DataFormatError(path, root.line, "the pyramid has no SCU")
    pattern = "".join(node.content for node in root.named("startDocumentRegEx"))
    problems.sort(key=lambda problem: problem.line)
    return Pyramid(path.name.removesuffix(".pyr"), text, tuple(scus), summaries, pattern, tuple(problems))


def read_pyramids(folder: str | Path, *, strict: bool = True) -> tuple[Pyramid, ...]:
    """Read all ``.pyr`` files of a folder, in the order of their names; errors as `read_pyramid`."""
    paths = sorted(Path(folder).glob("*.pyr"))
    if not paths:
        raise ResourceNotFoundError(f"there is no pyramid file (*.pyr) in {folder}")
    return tuple(read_pyramid(path, strict=strict) for path in paths)


@dataclass
class _Node:
    """An element with the line it starts on."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[_Node] = field(default_factory=list)
    content: str = ""

    def named(self, tag: str) -> list[_Node]:
        return [child for child in self.children if child.tag == tag]


class _Parser(DefusedExpatParser):
    """defusedxml's parser, which refuses entities; a DTD in the file itself may stand, one elsewhere is refused."""

    def defused_start_doctype_decl(self, name, sysid, pubid, has_internal_subset):
        if sysid or pubid:
            raise DTDForbidden(name, sysid, pubid)


class _Handler(ContentHandler):
    """Builds the tree of elements and characters."""

    def __init__(self, path: Path, parser: _Parser, problems: list[Problem]) -> None:
        super().__init__()
        self.path, self.parser, self.problems = path, parser, problems
        self.document = _Node("", {}, 1)
        self.stack = [self.document]

    def startElement(self, name, attrs):
        node = _Node(name, dict(attrs.items()), self.parser.getLineNumber())
        if len(self.stack) == 1 and name != "pyramid":
            raise DataFormatError(self.path, node.line, f"the root is <{name}>; a pyramid file has <pyramid>")
        if name not in _ELEMENTS:
            self.problems.append(Problem(node.line, "element", f"unknown element <{name}>, left out"))
        self.stack[-1].children.append(node)
        self.stack.append(node)

    def endElement(self, name):
        self.stack.pop()

    def characters(self, content):
        self.stack[-1].content += content


def _parse(markup: str, path: Path, problems: list[Problem]) -> _Node:
    """The root element. Only elements and characters are read: declaring an entity or asking for a DTD is an error."""
    parser = _Parser(forbid_dtd=True, forbid_entities=True, forbid_external=True)
    handler = _Handler(path, parser, problems)
    parser.setContentHandler(handler)
    try:
        parser.feed(markup)
        parser.close()
    except SAXParseException as error:
        raise DataFormatError(path, error.getLineNumber(), f"is not XML, or cut off ({error.getMessage()})") from None
    except DTDForbidden as error:
        reason = f"asks for the external DTD {error.sysid or error.pubid!r}: refused"
        raise DataFormatError(path, parser.getLineNumber(), reason) from None
    except EntitiesForbidden as error:
        raise DataFormatError(path, parser.getLineNumber(), f"declares the entity {error.name!r}: refused") from None
    except ExternalReferenceForbidden as error:
        reason = f"asks for the external entity {error.sysid or error.pubid!r}: refused"
        raise DataFormatError(path, parser.getLineNumber(), reason) from None
    return handler.document.children[0]


def _decode(path: Path) -> tuple[str, list[Problem]]:
    """The file as characters, decoded line by line: real files mix UTF-8 with Windows characters."""
    if not path.is_file():
        raise ResourceNotFoundError(f"there is no pyramid file at {path}")
    if path.stat().st_size > LARGEST_FILE:
        raise DataFormatError(path, None, f"has more than {LARGEST_FILE} bytes, so it is no pyramid file")
    data = path.read_bytes()
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            data = data.decode("utf-16").encode()
        except UnicodeDecodeError:
            raise DataFormatError(path, None, "is not UTF-16, though it begins like it") from None
    data = data.removeprefix(codecs.BOM_UTF8)
    found = _DECLARED.match(data)
    declared = found[1].decode("ascii", "replace") if found else "utf-8"
    try:
        name = codecs.lookup(declared).name
    except LookupError:
        name = ""
    # Latin-1 is read as Windows-1252, which differs from it only where Latin-1 has control characters.
    fallback = name if name in ("iso8859-15", "mac-roman") else "cp1252"
    if fallback == "cp1252" and name not in ("utf-8", "utf-16", "ascii", "iso8859-1", "cp1252"):
        raise DataFormatError(path, 1, f"declares the encoding {declared!r}, which pyramid files do not have")
    lines, problems = [], []
    for number, raw in enumerate(data.split(b"\n"), start=1):
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError:
            line = raw.decode(fallback, "replace")
            if name not in ("iso8859-1", "cp1252", fallback):
                problems.append(Problem(number, "encoding", f"is not {declared}; read as {fallback}"))
        if _CONTROL.search(line):
            line = _CONTROL.sub(" ", line)
            problems.append(Problem(number, "encoding", "control characters replaced by spaces"))
        lines.append(line)
    return "\n".join(lines), problems


def _repair(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Undo a second decoding ("â€™" for "’") and Windows characters given by number ("&#146;").

    Only characters that Windows-1252 has are restored: "é——" is also what "闗" becomes when it is decoded twice, but
    stands for itself. Returns the text, and (end of a changed stretch in the old text, growth) to carry offsets over.
    """
    edits = []

    def restore(match: re.Match) -> str:
        stretch, octets = match.group(), bytearray()
        for character in stretch:
            try:
                octets += character.encode("cp1252")
            except UnicodeEncodeError:
                if ord(character) > 0xFF:
                    return stretch
                octets.append(ord(character))
        try:
            restored = octets.decode("utf-8")
            restored.encode("cp1252")
        except UnicodeError:
            by_number = [bytes([ord(c)]).decode("cp1252", "replace") if 0x80 <= ord(c) < 0xA0 else c for c in stretch]
            restored = "".join(by_number)
        if len(restored) != len(stretch):
            edits.append((match.end(), len(restored) - len(stretch)))
        return restored

    return _FOREIGN.sub(restore, text), edits


def _report_repair(raw: str, line: int, problems: list[Problem]) -> None:
    repaired, _ = _repair(raw)
    if repaired != raw:
        problems.append(Problem(line, "encoding", "characters decoded twice or given by Windows number, restored"))
    if "\ufffd" in repaired:
        problems.append(Problem(line, "lost", f"{repaired.count(chr(0xFFFD))} characters were lost before"))


def _summaries(text: str) -> tuple[ModelSummary, ...]:
    """The passages after headers of the form dashes, name, dashes."""
    headers = list(_HEADER.finditer(text))
    found = []
    for header, end in zip(headers, [header.start() for header in headers[1:]] + [len(text)]):
        body = text[header.end() : end]
        found.append(ModelSummary(header[1], header.end() + len(body) - len(body.lstrip()), body.strip()))
    return tuple(found)


@dataclass
class _Reader:
    """Turns the elements of one file into SCUs, checking offsets on the text as the file gives it."""

    path: Path
    raw: str
    edits: list[tuple[int, int]]
    summaries: tuple[ModelSummary, ...]
    strict: bool
    problems: list[Problem]

    def refuse(self, node: _Node, reason: str) -> DataFormatError:
        return DataFormatError(self.path, node.line, reason)

    def report(self, node: _Node, kind: str, message: str) -> None:
        self.problems.append(Problem(node.line, kind, message))

    def attribute(self, node: _Node, name: str) -> str:
        value = node.attributes.get(name)
        if value is None or not value.strip():
            raise self.refuse(node, f"<{node.tag}> has {'no' if value is None else 'an empty'} {name}")
        return value

    def label(self, node: _Node) -> str:
        raw = self.attribute(node, "label")
        _report_repair(raw, node.line, self.problems)
        return _repair(raw)[0]

    def comment(self, node: _Node) -> str:
        return _repair(node.attributes.get("comment", ""))[0]

    def scu(self, node: _Node) -> SCU:
        uid = self.attribute(node, "uid")
        contributors = tuple(self.contributor(child, uid) for child in node.named("contributor"))
        if not contributors:
            raise self.refuse(node, f"SCU {uid!r} has no contributors")
        return SCU(uid, self.label(node), contributors, self.comment(node))

    def contributor(self, node: _Node, uid: str) -> Contributor:
        label = self.label(node)
        read = [self.part(child) for child in node.named("part")]
        if not read:
            raise self.refuse(node, f"a contributor of SCU {uid!r} has no parts: {label!r}")
        ordered = sorted(read, key=lambda entry: entry[0].start)
        if GAP.join(part.label for part, _ in ordered) == label:
            text = " ".join(passage for _, passage in ordered)
        else:
            self.report(node, "label", f"the label {label!r} is not the words of the parts; label taken")
            text = label.replace(GAP, " ")
        start = ordered[0][0].start
        summary = next((s.name for s in self.summaries if s.start <= start < s.start + len(s.text)), None)
        parts = tuple(part for part, _ in read)
        return Contributor(label, parts, " ".join(text.split()), summary, self.comment(node))

    def part(self, node: _Node) -> tuple[Part, str]:
        """The part, and its words: those of the text where the offsets are right, else those of the label."""
        raw, label = self.attribute(node, "label"), self.label(node)
        given = {name: self.attribute(node, name) for name in ("start", "end")}
        for name, value in given.items():
            if not re.fullmatch(r"[+-]?[0-9]{1,12}", value):
                raise self.refuse(node, f"{name}={value!r} is no number of characters")
        start, end = map(int, given.values())
        inside = 0 <= start < end <= len(self.raw)
        if not inside and self.strict:
            size = f"which has {len(self.raw)} characters"
            raise self.refuse(node, f"the offsets {start} to {end} lie outside the text, {size}")
        found = self.raw[start:end] if inside else ""
        if "".join(found.split()) == "".join(raw.split()):
            if found != raw:
                self.report(node, "offset", f"{label!r} differs from the text at {start} in white space")
            return Part(label, self.moved(start), self.moved(end)), _repair(found)[0]
        places = [match.start() for match in re.finditer(re.escape(raw), self.raw)]
        if not places:
            where = f"offsets {start} to {end} give other words than {label!r}, which stand nowhere in the text"
            self.report(node, "offset", where)
            return Part(label, start, end), label
        place = min(places, key=lambda place: abs(place - start))
        self.report(node, "offset", f"{label!r} stands at {place} to {place + len(raw)}, not at {start} to {end}")
        return Part(label, self.moved(place), self.moved(place + len(raw))), label

    def moved(self, offset: int) -> int:
        """An offset into the text of the file as an offset into the repaired text."""
        return offset + sum(growth for end, growth in self.edits if end <= offset)


# ------------------------------------------------------------------------------------------- making and writing


def make_pyramid(
    name: str,
    summaries: Mapping[str, Sequence[str]],
    units: Iterable[tuple[str, str, Mapping[str, Sequence[str]]]],
) -> Pyramid:
    """Make a pyramid from plain texts; what does not fit together is an InputError.

    Parameters
    ----------
    summaries : mapping of str to sequence of str
        Sentences of each model summary, by the summary's name, which is one word.
    units : iterable of (uid, label, contributors)
        `contributors` maps names of summaries to the parts of the passage, each an exact substring of one of the
        summary's sentences; where it occurs more than once the first occurrence is meant.
    """
    lines, starts, length = [], {}, 0
    for summary, sentences in summaries.items():
        if not re.fullmatch(r"\S+", summary):
            raise InputError(f"the name of a summary is one word, not {summary!r}")
        block = ["---------------", summary, "---------------", "", *sentences, "", ""]
        if any("\n" in line for line in block):
            raise InputError(f"a sentence of summary {summary} has a line break")
        starts[summary] = length + sum(len(line) + 1 for line in block[:4])
        length += sum(len(line) + 1 for line in block)
        lines += block
    text = "\n".join(lines)
    scus: list[SCU] = []
    for uid, label, contributors in units:
        if not label.strip() or not contributors or any(scu.uid == uid for scu in scus):
            raise InputError(f"SCU {uid!r} has no label or no contributors, or its id comes twice")
        made = []
        for summary, passages in contributors.items():
            if summary not in starts or not passages:
                raise InputError(f"SCU {uid!r}: there is no summary {summary!r}, or no part is given")
            for part in passages:
                if not part.strip() or not any(part in sentence for sentence in summaries[summary]):
                    raise InputError(f"SCU {uid!r}: no sentence of summary {summary} has {part!r}")
            places = [text.index(part, starts[summary]) for part in passages]
            parts = tuple(Part(part, place, place + len(part)) for part, place in zip(passages, places))
            ordered = [part.label for part in sorted(parts, key=lambda part: part.start)]
            made.append(Contributor(GAP.join(ordered), parts, " ".join(" ".join(ordered).split()), summary))
        scus.append(SCU(uid, label, tuple(made)))
    pattern = "[-]*\\n(" + "|".join(re.escape(summary) for summary in summaries) + ")\\n[-]*\\n"
    return Pyramid(name, text, tuple(scus), _summaries(text), pattern)


def write_pyramid(pyramid: Pyramid, path: str | Path) -> Path:
    """Write a pyramid in DUCView's layout, in UTF-8, and return the path; reading it back gives an equal pyramid.

    The file appears only when it is complete. Characters that XML cannot hold are an InputError.
    """

    def quoted(value: object) -> str:
        return escape(str(value), {'"': "&quot;", "\n": "&#10;", "\t": "&#9;"})

    def attributes(**values: object) -> str:
        return "".join(f' {name}="{quoted(value)}"' for name, value in values.items() if value or name != "comment")

    lines = ['<?xml version="1.0"?>', _DOCTYPE, "", "<pyramid>"]
    if pyramid.start_pattern:
        lines.append(f"<startDocumentRegEx><![CDATA[{pyramid.start_pattern}]]></startDocumentRegEx>")
    lines.append(" <text>")
    lines += [f"  <line>{quoted(line)}</line>" for line in pyramid.text.split("\n")]
    lines.append(" </text>")
    for scu in pyramid.scus:
        lines.append(f" <scu{attributes(uid=scu.uid, label=scu.label, comment=scu.comment)}>")
        for contributor in scu.contributors:
            lines.append(f"  <contributor{attributes(label=contributor.label, comment=contributor.comment)}>")
            lines += [f"   <part{attributes(**vars(part))}/>" for part in contributor.parts]
            lines.append("  </contributor>")
        lines.append(" </scu>")
    content = "\n".join([*lines, "</pyramid>", ""])
    if "]]>" in pyramid.start_pattern or _UNWRITABLE.search(content):
        raise InputError(f"pyramid {pyramid.name} holds characters that an XML file cannot hold")
    return replace_file(path, content.encode("utf-8"))


# ---------------------------------------------------------------------------------------------- shipped topics


@dataclass(frozen=True)
class Candidate:
    """A further summary of a topic, named E1 to E3 and A1 to A3 in order of rising quality.

    `kind` is "extract" (sentences of the article; `article_sentences` are their numbers, from 1) or "abstract" (freely
    written), `scus` the ids of the SCUs that it expresses, `score` its pyramid score in [0, 1].
    """

    name: str
    kind: str
    sentences: tuple[str, ...]
    article_sentences: tuple[int, ...]
    scus: tuple[str, ...]
    score: float

    @property
    def text(self) -> str:
        """The sentences with spaces between."""
        return " ".join(self.sentences)


@dataclass(frozen=True)
class Topic:
    """An article, model summaries (sentences by name) and candidates; the pyramid is the ``.pyr`` file beside it."""

    name: str
    title: str
    article: tuple[str, ...]
    summaries: Mapping[str, tuple[str, ...]]
    candidates: tuple[Candidate, ...]


def read_topic(path: str | Path) -> Topic:
    """Read a topic of ``data/corpus/topics``; DataFormatError for a file that is no JSON or no topic."""
    path = Path(path)
    if not path.is_file():
        raise ResourceNotFoundError(f"there is no topic at {path}")
    try:
        entry = json.loads(path.read_text(encoding="utf-8"))
        candidates = tuple(
            Candidate(
                str(one["name"]),
                str(one["kind"]),
                tuple(map(str, one["sentences"])),
                tuple(map(int, one.get("article_sentences", ()))),
                tuple(map(str, one["scus"])),
                float(one["score"]),
            )
            for one in entry["candidates"]
        )
        summaries = {str(name): tuple(map(str, lines)) for name, lines in entry["summaries"].items()}
        return Topic(str(entry["name"]), str(entry["title"]), tuple(map(str, entry["article"])), summaries, candidates)
    except json.JSONDecodeError as error:
        raise DataFormatError(path, error.lineno, f"is not JSON ({error.msg})") from None
    except UnicodeDecodeError:
        raise DataFormatError(path, None, "is not UTF-8") from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DataFormatError(path, None, f"is no topic: {type(error).__name__} {error}") from None


def read_topics(folder: str | Path) -> tuple[Topic, ...]:
    """Read all topics (``.json``) of a folder, in the order of their names; errors as `read_topic`."""
    paths = sorted(Path(folder).glob("*.json"))
    if not paths:
        raise ResourceNotFoundError(f"there is no topic (*.json) in {folder}")
    return tuple(read_topic(path) for path in paths)
