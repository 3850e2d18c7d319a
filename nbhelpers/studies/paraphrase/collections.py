"""Summaries that people have judged, each collection read from the files of its source.

`open_collection` finds one by name: ``realsumm``, ``summeval``, and the original ``topics`` and ``topics-ja`` that ship
with the project. Other editorials, such as those of the Text Summarization Challenge, go into a folder of files like
those of ``data/corpus/topics-ja``.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbhelpers.base import paths
from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError
from nbhelpers.base.files import open_text
from nbhelpers.resources import data

KINDS = ("extract", "abstract", "")
"""Cut from the document, freely written, or not known."""

SUMMEVAL_SYSTEMS = {f"M{number}": "extract" if number < 8 else "abstract" for number in range(24)}
"""Kinds of the models that SummEval's repository (github.com/Yale-LILY/SummEval, *Model Outputs*) lists. Of the 16 that
people judged, M0, M1, M2 and M5 are extractive."""


@dataclass(frozen=True)
class CandidateSummary:
    """A summary of a topic.

    Attributes
    ----------
    id : str
        Its system or writer, unique within the topic.
    kind : {"extract", "abstract", ""}
    text : str
    score : float or None
        What people gave it, higher is better; None for a reference that nobody judged.
    """

    id: str
    kind: str
    text: str
    score: float | None = None


@dataclass(frozen=True)
class SummaryTopic:
    """References written for a document, and the summaries of it that people judged.

    `references` need no score; those that have one may also become the best extract or abstract of an experiment.
    """

    id: str
    language: str
    references: tuple[CandidateSummary, ...]
    candidates: tuple[CandidateSummary, ...]

    def __post_init__(self) -> None:
        """Check what comes from files: texts, kinds, scores and names."""
        if not self.candidates:
            raise InputError(f"topic {self.id!r} has no candidates")
        names = [summary.id for summary in (*self.references, *self.candidates)]
        for summary in (*self.references, *self.candidates):
            place = f"topic {self.id!r}, summary {summary.id!r}"
            if not isinstance(summary.text, str) or not summary.text.strip():
                raise InputError(f"{place} is empty or no text")
            if summary.kind not in KINDS:
                raise InputError(f"{place} is of kind {summary.kind!r}; kinds are extract, abstract or none")
            if names.count(summary.id) > 1:
                raise InputError(f"{place}: this name comes twice")
            is_judged = isinstance(summary.score, (int, float)) and math.isfinite(summary.score)
            if not is_judged and (summary.score is not None or summary in self.candidates):
                raise InputError(f"{place} has the score {summary.score!r}")

    @property
    def judged(self) -> tuple[CandidateSummary, ...]:
        """Every summary with a score, references first."""
        return tuple(summary for summary in (*self.references, *self.candidates) if summary.score is not None)


@dataclass(frozen=True)
class SummaryCollection:
    """Topics of one source.

    Attributes
    ----------
    name : str
    topics : tuple of SummaryTopic
    signature : str
        Name and checksum of the source, and how it was read.
    """

    name: str
    topics: tuple[SummaryTopic, ...]
    signature: str

    @property
    def language(self) -> str:
        """Language of all summaries."""
        return self.topics[0].language

    def __iter__(self) -> Iterator[SummaryTopic]:
        return iter(self.topics)


# --------------------------------------------------------------------------------------------------- reading JSON


def _read_json(path: Path) -> Any:
    """A JSON file, packed or not; DataFormatError with the line for what is none."""
    with open_text(path) as reader:
        text = reader.read()
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise DataFormatError(path, error.lineno, f"is not JSON ({error.msg})") from None


@contextlib.contextmanager
def _reading(path: Path, place: str) -> Iterator[None]:
    """Faults of the content are faults of its file."""
    try:
        yield
    except KeyError as error:
        raise DataFormatError(path, None, f"{place} has no {error.args[0]}") from None
    except (TypeError, ValueError, AttributeError) as error:
        raise DataFormatError(path, None, f"{place} is not as it should be: {error}") from None


# ---------------------------------------------------------------------------------------------------- the readers


def read_realsumm(path: str | Path | None = None) -> SummaryCollection:
    """REALSumm (Bhandari et al. 2020): 100 news articles, 24 systems, one reference, recall of content units.

    The two files of published scores tell 14 abstractive from 11 extractive systems. The one that is in both
    (``bart_out.txt``, an abstractive system repeated among the extractive ones, with the same text) counts as
    abstractive, which leaves 24 systems, 10 of them extractive. Scores are LitePyramid recall, in [0, 1].

    Parameters
    ----------
    path : path, optional
        A data folder with the three files, else they are looked for as `nbhelpers.resources.data.find` does.

    Raises
    ------
    ResourceNotFoundError
        A file is not found.
    DataFormatError
        A file is not what it should be, with the document.
    """
    names = ("realsumm", "realsumm-abs-scores", "realsumm-ext-scores")
    found, abstractive, extractive = (data.find(name, path) for name in names)
    abstracts, extracts = _read_json(abstractive.path), _read_json(extractive.path)
    topics = []
    for name, entry in _documents(found.path):
        with _reading(found.path, f"document {name!r}, or its published scores,"):
            kinds = dict.fromkeys(extracts[name]["system_summaries"], "extract")
            kinds |= dict.fromkeys(abstracts[name]["system_summaries"], "abstract")  # what is in both is abstractive
            candidates = _candidates(entry, kinds, "litepyramid_recall")
            reference = CandidateSummary("reference", "abstract", entry["ref_summ"])
            topics.append(SummaryTopic(name, "en", (reference,), candidates))
    signature = f"{found.identity}|score:litepyramid-recall"
    return SummaryCollection("REALSumm", tuple(topics), signature)


def read_summeval(path: str | Path | None = None) -> SummaryCollection:
    """SummEval (Fabbri et al. 2021): 100 news articles, 16 systems, 11 references, relevance judged by experts, 1 to 5.

    Of the four scores, relevance asks for the choice of content, which recall of a reference's words measures.

    Parameters
    ----------
    path : path, optional
        The file or a data folder, else it is looked for as `nbhelpers.resources.data.find` does.

    Raises
    ------
    ResourceNotFoundError, DataFormatError
        As `read_realsumm`.
    """
    found = data.find("summeval", path)
    topics = []
    for name, entry in _documents(found.path):
        with _reading(found.path, f"document {name!r}"):
            kinds = dict.fromkeys(entry["sys_summs"], "") | SUMMEVAL_SYSTEMS
            candidates = _candidates(entry, kinds, "relevance")
            references = tuple(
                CandidateSummary(f"reference {number}", "abstract", text)
                for number, text in enumerate(entry["ref_summs"], start=1)
            )
            topics.append(SummaryTopic(name, "en", references, candidates))
    return SummaryCollection("SummEval", tuple(topics), f"{found.identity}|score:relevance")


def _documents(path: Path) -> Iterator[tuple[str, Any]]:
    entries = _read_json(path)
    if not isinstance(entries, dict) or not entries:
        raise DataFormatError(path, None, "has no documents by name")
    yield from entries.items()


def _candidates(entry: dict[str, Any], kinds: dict[str, str], score: str) -> tuple[CandidateSummary, ...]:
    return tuple(
        CandidateSummary(system, kinds[system], answer["sys_summ"], float(answer["scores"][score]))
        for system, answer in entry["sys_summs"].items()
    )


def _topics(
    folder: str | Path | None, name: str, score: str, topic: Callable[[Any], SummaryTopic]
) -> SummaryCollection:
    """A folder of topics, one JSON file each; by default one of those that ship."""
    folder = Path(folder or paths.data_dir() / "corpus" / name)
    files = sorted(folder.glob("*.json"))
    if not files:
        raise ResourceNotFoundError(f"there is no topic (*.json) in {folder}")
    topics = []
    for path in files:
        entry = _read_json(path)
        with _reading(path, "the topic or one of its summaries"):
            topics.append(topic(entry))
    sums = "".join(f"{path.name}\0{data.sha256(path)}\n" for path in files)
    signature = f"{name}@{hashlib.sha256(sums.encode()).hexdigest()[:8]}|score:{score}"
    return SummaryCollection(name, tuple(topics), signature)


def _english_topic(entry: Any) -> SummaryTopic:
    """Four model summaries are the references; the candidates have pyramid scores, in [0, 1]."""
    references = [CandidateSummary(name, "abstract", " ".join(s)) for name, s in entry["summaries"].items()]
    candidates = [
        CandidateSummary(one["name"], one["kind"], " ".join(one["sentences"]), float(one["score"]))
        for one in entry["candidates"]
    ]
    return SummaryTopic(entry["name"], "en", tuple(references), tuple(candidates))


def _japanese_topic(entry: Any) -> SummaryTopic:
    """Editorials: a written and a cut reference; all summaries have a ``rating`` from 1 to 4."""
    references, candidates = (
        tuple(CandidateSummary(one["id"], one["kind"], one["text"], float(one["rating"])) for one in entry[part])
        for part in ("references", "candidates")
    )
    if not all(1 <= one.score <= 4 for one in (*references, *candidates)):
        raise ValueError("a rating is not from 1 to 4")
    return SummaryTopic(entry["id"], "ja", references, candidates)


_READERS = {
    "realsumm": read_realsumm,
    "summeval": read_summeval,
    "topics": functools.partial(_topics, name="topics", score="pyramid", topic=_english_topic),
    "topics-ja": functools.partial(_topics, name="topics-ja", score="rating", topic=_japanese_topic),
}


def open_collection(name: str, path: str | Path | None = None) -> SummaryCollection:
    """Open a collection by name.

    Parameters
    ----------
    name : {"realsumm", "summeval", "topics", "topics-ja"}
    path : path, optional
        The file or folder, if it is another one.

    Raises
    ------
    InputError
        There is no collection of that name.
    ResourceNotFoundError
        The files are not found.
    DataFormatError
        A file is not what it should be.

    Examples
    --------
    >>> [len(topic.candidates) for topic in open_collection("topics")]
    [6, 6, 6, 6, 6, 6]
    """
    if name not in _READERS:
        raise InputError(f"There is no collection {name!r}; there are {', '.join(_READERS)}.")
    return _READERS[name](path)
