"""Pyramid annotations: DUCView files.

The Pyramid Method (Nenkova & Passonneau 2004, HLT-NAACL) groups the passages of several model summaries that say the
same into summary content units (SCUs). DUCView keeps a topic in one XML file (``.pyr``; DUC 2005-2007, TAC): the lines
of the summaries, then the SCUs. Each SCU has a label and contributors; a contributor is a passage in one part or more;
a part is given by its words and by character offsets in the lines joined by line breaks.

Files are foreign input: entities and external DTDs are refused, and so is a file that is cut off or contradicts itself.
What real files get wrong in encoding, white space and offsets is repaired.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError, TreeBuilder

from defusedxml.common import DefusedXmlException, DTDForbidden
from defusedxml.ElementTree import XMLParser

from nbhelpers.base.errors import DataFormatError, ResourceNotFoundError

GAP = "..."
"""What DUCView puts between the parts of a contributor in its label."""

_HEADER = re.compile(r"^-{3,}[ \t]*\n[ \t]*(\S[^\n]*?)[ \t]*\n-{3,}[ \t]*$", re.MULTILINE)
_LINE = "line of the file"


@dataclass(frozen=True)
class Part:
    """A passage ``text[start:end]``, in characters; `label` is its words as the file gives them."""

    label: str
    start: int
    end: int


@dataclass(frozen=True)
class Contributor:
    """A passage, in one part or more, that expresses an SCU.

    `text` is the words in the order of the text, without line breaks and the "..." between the parts; `summary` is the
    model summary it comes from (None where the file does not say).
    """

    parts: tuple[Part, ...]
    text: str
    summary: str | None = None


@dataclass(frozen=True)
class SCU:
    """A summary content unit: `contributors` that say the same, and the annotator's `label` for it."""

    uid: str
    label: str
    contributors: tuple[Contributor, ...]

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
    """The annotation of one topic; everything is in the order of the file.

    `name` is the file's without its ending, `text` its lines joined by line breaks (offsets count its characters).
    `summaries` is empty where the file does not mark where they start.
    """

    name: str
    text: str
    scus: tuple[SCU, ...]
    summaries: tuple[ModelSummary, ...] = ()


def read_pyramid(path: str | Path) -> Pyramid:
    """Read a DUCView file: XML in UTF-8, or else in Windows-1252.

    A part whose offsets point at other words is put where its label stands nearest to them; where the label stands
    nowhere its offsets stay as they are. The contributor's label is right in real files.

    Parameters
    ----------
    path : path

    Returns
    -------
    Pyramid

    Raises
    ------
    ResourceNotFoundError
        There is no such file.
    DataFormatError
        With file and line: not XML or cut off; an entity declaration or an external DTD; not a pyramid; a missing or
        empty attribute; a duplicate SCU id; an SCU without contributors or a contributor without parts; an offset that
        is no number or outside the text.

    Examples
    --------
    >>> from nbhelpers.resources import data
    >>> folder = data.find("duc2006-pyramids", "shipped").path
    >>> pyramid = read_pyramid(folder / "01-dam-failure-floods-velmar.pyr")
    >>> pyramid.scus[0].label, pyramid.scus[0].weight
    ('The Kettin dam in the Velmar valley broke', 4)
    """
    path = Path(path)
    if not path.is_file():
        raise ResourceNotFoundError(f"there is no pyramid file at {path}")
    return _Reader(path).pyramid()


def read_pyramids(folder: str | Path) -> tuple[Pyramid, ...]:
    """Read all ``.pyr`` files of a folder, in the order of their names; errors as `read_pyramid`.

    Examples
    --------
    >>> from nbhelpers.resources import data
    >>> len(read_pyramids(data.find("duc2006-pyramids", "shipped").path))
    6
    """
    paths = sorted(Path(folder).glob("*.pyr"))
    if not paths:
        raise ResourceNotFoundError(f"there is no pyramid file (*.pyr) in {folder}")
    return tuple(read_pyramid(path) for path in paths)


class _Builder(TreeBuilder):
    """Notes the line of each element among its attributes."""

    def start(self, tag, attributes):
        return super().start(tag, {**attributes, _LINE: str(self.parser.CurrentLineNumber)})


class _Parser(XMLParser):
    """defusedxml's parser, which refuses entities; a DTD in the file itself may stand, one elsewhere is refused."""

    def defused_start_doctype_decl(self, name, sysid, pubid, has_internal_subset):
        if sysid or pubid:
            raise DTDForbidden(name, sysid, pubid)


class _Reader:
    """Reads one file, and keeps its text."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = ""
        self.summaries: tuple[ModelSummary, ...] = ()

    def _parse(self) -> Element:
        content = self.path.read_bytes()
        try:
            markup = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            markup = content.decode("cp1252", "replace")
        builder = _Builder()
        parser = _Parser(target=builder, forbid_dtd=True, forbid_entities=True, forbid_external=True)
        builder.parser = parser.parser
        try:
            parser.feed(markup)
            return parser.close()
        except ParseError as error:
            raise DataFormatError(self.path, error.position[0], f"is not XML, or cut off ({error})") from None
        except DefusedXmlException as error:
            reason = f"declares an entity or asks for an external DTD: refused ({error})"
            raise DataFormatError(self.path, parser.parser.CurrentLineNumber, reason) from None

    def pyramid(self) -> Pyramid:
        root = self._parse()
        texts = root.findall("text")
        if root.tag != "pyramid" or len(texts) != 1:
            raise self._refusal(root, f"<{root.tag}> with {len(texts)} texts is no pyramid, which has one")
        lines = texts[0].findall("line") or texts
        self.text = "\n".join(line.text or "" for line in lines)
        self.summaries = _summaries(self.text)
        scus: dict[str, SCU] = {}
        for node in root.findall("scu"):
            scu = self._scu(node)
            if scu.uid in scus:
                raise self._refusal(node, f"the SCU id {scu.uid!r} comes twice")
            scus[scu.uid] = scu
        if not scus:
            raise self._refusal(root, "the pyramid has no SCU")
        return Pyramid(self.path.name.removesuffix(".pyr"), self.text, tuple(scus.values()), self.summaries)

    def _scu(self, node: Element) -> SCU:
        uid = self._attribute(node, "uid")
        contributors = tuple(self._contributor(child) for child in node.findall("contributor"))
        if not contributors:
            raise self._refusal(node, f"SCU {uid!r} has no contributors")
        return SCU(uid, self._attribute(node, "label"), contributors)

    def _contributor(self, node: Element) -> Contributor:
        label = self._attribute(node, "label")
        read = [self._part(child) for child in node.findall("part")]
        if not read:
            raise self._refusal(node, f"a contributor has no parts: {label!r}")
        ordered = sorted(read, key=lambda entry: entry[0].start)
        is_right = GAP.join(part.label for part, _ in ordered) == label
        text = " ".join(passage for _, passage in ordered) if is_right else label.replace(GAP, " ")
        start = ordered[0][0].start
        summary = next((s.name for s in self.summaries if s.start <= start < s.start + len(s.text)), None)
        return Contributor(tuple(part for part, _ in read), " ".join(text.split()), summary)

    def _part(self, node: Element) -> tuple[Part, str]:
        """The part, and its words: those of the text where the offsets are right, else those of the label."""
        label = self._attribute(node, "label")
        try:
            start, end = int(self._attribute(node, "start")), int(self._attribute(node, "end"))
        except ValueError as error:
            raise self._refusal(node, f"an offset is no number ({error})") from None
        if not 0 <= start < end <= len(self.text):
            reason = f"the offsets {start} to {end} lie outside the text, which has {len(self.text)} characters"
            raise self._refusal(node, reason)
        found = self.text[start:end]
        if "".join(found.split()) == "".join(label.split()):  # real labels lack a blank or a line break
            return Part(label, start, end), found
        places = [match.start() for match in re.finditer(re.escape(label), self.text)]
        if not places:
            return Part(label, start, end), label
        place = min(places, key=lambda place: abs(place - start))
        return Part(label, place, place + len(label)), label

    def _attribute(self, node: Element, name: str) -> str:
        value = node.get(name, "")
        if not value.strip():
            raise self._refusal(node, f"<{node.tag}> has no {name}, or an empty one")
        return value

    def _refusal(self, node: Element, reason: str) -> DataFormatError:
        return DataFormatError(self.path, int(node.get(_LINE)), reason)


def _summaries(text: str) -> tuple[ModelSummary, ...]:
    """The passages after headers of the form dashes, name, dashes."""
    headers = list(_HEADER.finditer(text))
    found = []
    for header, end in zip(headers, [header.start() for header in headers[1:]] + [len(text)]):
        body = text[header.end() : end]
        found.append(ModelSummary(header[1], header.end() + len(body) - len(body.lstrip()), body.strip()))
    return tuple(found)
