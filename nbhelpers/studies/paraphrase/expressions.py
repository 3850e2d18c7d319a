"""What every paraphrase resource becomes: a table of expressions that may stand for each other."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from nbhelpers.base.errors import InputError

LANGUAGES = ("en", "ja")

Expression = tuple[str, ...]
"""One or more words as the tokenizer of its language gives them, lower-cased in English."""


@dataclass(frozen=True)
class ParaphraseTable:
    """Paraphrases of one resource.

    Attributes
    ----------
    name : str
        How results call the resource, such as ``WordNet``.
    language : {"en", "ja"}
        Language of both sides.
    pairs : mapping of Expression to mapping of Expression to float
        For each expression what it can be paraphrased by, with a score (a probability or a similarity where the
        resource has one, else 1). x → y does not say y → x.
    signature : str
        One line that says how the table was made.
    """

    name: str
    language: str
    pairs: Mapping[Expression, Mapping[Expression, float]] = field(repr=False)
    signature: str

    def __post_init__(self) -> None:
        if self.language not in LANGUAGES:
            raise InputError(f"A paraphrase table is in one of {', '.join(LANGUAGES)}, not {self.language!r}.")

    def __len__(self) -> int:
        """Number of directed pairs."""
        return sum(len(targets) for targets in self.pairs.values())


class Resource(Protocol):
    """Where paraphrases come from."""

    name: str
    language: str
    signature: str

    def table(self, vocabulary: Collection[str]) -> ParaphraseTable:
        """The paraphrases whose words are all in `vocabulary`, the words of the texts at hand."""
        ...
