"""Summaries that people have judged: one summary, the topic they are of, and a collection of topics."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from nbhelpers.base.errors import InputError
from nbhelpers.studies.paraphrase.expressions import LANGUAGES

KINDS = ("extract", "abstract", "")
"""Cut from the document, freely written, or not known."""


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
    """A document, references written for it, and the summaries that people judged.

    `references` need no score; those that have one may also become the best extract or abstract of an experiment.
    """

    id: str
    language: str
    references: tuple[CandidateSummary, ...]
    candidates: tuple[CandidateSummary, ...]
    document: str = ""

    def __post_init__(self) -> None:
        if self.language not in LANGUAGES:
            raise InputError(f"topic {self.id!r} is in {self.language!r}; languages are {', '.join(LANGUAGES)}")
        seen: set[str] = set()
        for summary in (*self.references, *self.candidates):
            place = f"topic {self.id!r}, summary {summary.id!r}"
            if not isinstance(summary.text, str) or not summary.text.strip():
                raise InputError(f"{place} is empty")
            if summary.kind not in KINDS:
                raise InputError(f"{place} is of kind {summary.kind!r}; kinds are extract, abstract or none")
            if summary.score is not None and not math.isfinite(summary.score):
                raise InputError(f"{place} has the score {summary.score}")
            if summary.id in seen:
                raise InputError(f"{place}: this name comes twice")
            seen.add(summary.id)
        for summary in self.candidates:
            if summary.score is None:
                raise InputError(f"topic {self.id!r}, candidate {summary.id!r} has no score")

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
    score_name : str
        What the human scores are.
    signature : str
        Name and checksum of the source, and how it was read.
    description : str
        Where the files came from, in one line without a folder of this machine.
    """

    name: str
    topics: tuple[SummaryTopic, ...]
    score_name: str
    signature: str
    description: str = ""

    def __post_init__(self) -> None:
        if not self.topics:
            raise InputError(f"the collection {self.name} has no topics")
        if len({topic.id for topic in self.topics}) < len(self.topics):
            raise InputError(f"the collection {self.name} has a topic twice")

    def __len__(self) -> int:
        return len(self.topics)

    def __iter__(self) -> Iterator[SummaryTopic]:
        return iter(self.topics)

    @property
    def counts(self) -> dict[str, int]:
        """Numbers of topics, references and candidates, and of candidates by kind."""
        kinds = [summary.kind for topic in self.topics for summary in topic.candidates]
        return {
            "topics": len(self.topics),
            "references": sum(len(topic.references) for topic in self.topics),
            "candidates": len(kinds),
            "extracts": kinds.count("extract"),
            "abstracts": kinds.count("abstract"),
        }
