"""Items of the pyramid tests, labels and passages, and what the constraints see of them."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nbhelpers.base.errors import InputError
from nbhelpers.language.tokens import STOP_WORDS, is_word, tokenize
from nbhelpers.resources.pyramids import Pyramid

if TYPE_CHECKING:
    from scipy import sparse

PRONOUNS = frozenset(
    "i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself "
    "she her hers herself it its itself they them their theirs themselves".split()
)
"""Personal, possessive and reflexive pronouns; "this" and "who" refer to nothing outside most items."""

BLOCK = 256
"""Rows of a matrix of shared words that are held at once."""


@dataclass(frozen=True)
class Segment:
    """An item: an SCU's label or the passage of one contributor.

    `topic` is the pyramid's name, `scu` the unit's id, `kind` "label" or "contributor", `summary` a contributor's.
    """

    topic: str
    scu: str
    kind: str
    text: str
    summary: str | None = None


@functools.lru_cache(maxsize=1 << 15)  # every embedding and every test meets the same texts
def words(text: str) -> tuple[str, ...]:
    """Tokens with a letter or a digit, with straight apostrophes; clitics ("'s", "n't") are words, as for spaCy.

    Examples
    --------
    >>> words("They weren't there.")
    ('They', 'were', "n't", 'there')
    """
    tokens = tokenize(text.replace("’", "'"))  # as embeddings and lists of stop words write clitics
    return tuple(token for token in tokens if token.isalnum() or is_word(token))


def is_pronoun(token: str) -> bool:
    """Whether a token is one of `PRONOUNS`; capitals of two letters or more ("US", "IT") are names."""
    return token.lower() in PRONOUNS and not (len(token) > 1 and token.isupper())


def word_form(token: str) -> str:
    """What two tokens have in common when they count as one word: lower case, but "US" is not "us"."""
    token = token.replace("’", "'")
    return token if len(token) > 1 and token.isupper() and token.lower() in STOP_WORDS else token.lower()


def segments(pyramids: Sequence[Pyramid], *, labels: bool = True) -> tuple[Segment, ...]:
    """Items of all pyramids in the order of the topics' names, each SCU's label (if wanted) before its contributors.

    No pyramid, or two of the same name, is an InputError.
    """
    names = [pyramid.name for pyramid in pyramids]
    if not names or len(set(names)) < len(names):
        raise InputError("there is no pyramid" if not names else "two pyramids have the same name")
    found = []
    for pyramid in sorted(pyramids, key=lambda pyramid: pyramid.name):
        for scu in pyramid.scus:
            if labels:
                found.append(Segment(pyramid.name, scu.uid, "label", " ".join(scu.label.split())))
            found += [Segment(pyramid.name, scu.uid, "contributor", c.text, c.summary) for c in scu.contributors]
    return tuple(found)


@dataclass(frozen=True, eq=False)
class Items:
    """Segments as arrays.

    `present` and `content` (n, vocabulary) say which words and content words (no `nbhelpers.language.STOP_WORDS`) each
    has; `length` is its number of words, `pronoun` whether one is a pronoun; `text` (case apart), `unit` and `topic`
    number the text, SCU and topic it belongs to.
    """

    present: sparse.csr_array
    content: sparse.csr_array
    length: NDArray
    pronoun: NDArray
    text: NDArray
    unit: NDArray
    topic: NDArray
    topics: tuple[str, ...]

    @classmethod
    def of(cls, found: Sequence[Segment]) -> Items:
        """The arrays of some segments."""
        from scipy import sparse

        def numbers(keys: list) -> tuple[NDArray, dict]:
            places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
            return np.array([places[key] for key in keys]), places

        tokens = [words(segment.text) for segment in found]
        forms = [dict.fromkeys(map(word_form, line)) for line in tokens]
        columns, vocabulary = numbers([form for row in forms for form in row])
        pointers = np.cumsum([0, *map(len, forms)])
        shape = (len(found), max(1, len(vocabulary)))
        present = sparse.csr_array((np.ones(len(columns), np.float32), columns, pointers), shape=shape)
        is_content = np.array([word not in STOP_WORDS for word in vocabulary] or [False], dtype=np.float32)
        content = sparse.csr_array(present * is_content[None, :])
        content.eliminate_zeros()
        topic, topics = numbers([segment.topic for segment in found])
        text, _ = numbers([segment.text.lower() for segment in found])
        unit, _ = numbers([(segment.topic, segment.scu) for segment in found])
        length, pronoun = np.array([len(line) for line in tokens]), np.array([any(map(is_pronoun, t)) for t in tokens])
        return cls(present, content, length, pronoun, text, unit, topic, tuple(topics))

    def groups(self, across: bool) -> list[NDArray]:
        """Indices of the segments that may meet: those of one topic, or all."""
        everything = np.arange(len(self.text))
        return [everything] if across else [everything[self.topic == n] for n in range(len(self.topics))]

    def shared(self, left: NDArray, right: NDArray) -> tuple[NDArray, NDArray]:
        """How many words, and content words, the items of each pair share."""
        both = (rows[left].multiply(rows[right]).sum(axis=1) for rows in (self.present, self.content))
        return tuple(np.asarray(sums).astype(np.int64) for sums in both)

    def pairs(self, members: NDArray) -> Iterator[tuple[NDArray, NDArray, NDArray, NDArray]]:
        """All pairs of some items, block by block: left, right, and how many words and content words they share."""
        present, content = self.present[members], self.content[members]
        for start in range(0, len(members), BLOCK):
            part = slice(start, start + BLOCK)
            common, common_content = ((rows[part] @ rows.T).toarray() for rows in (present, content))
            row, column = np.nonzero(np.arange(len(members))[None, :] > np.arange(len(members))[part, None])
            yield members[start + row], members[column], common[row, column], common_content[row, column]

    def own_content(self, left: NDArray, right: NDArray, shared_content: NDArray) -> NDArray:
        """How many of the two items of each pair have a content word that the other lacks: 0, 1 or 2."""
        size = np.diff(self.content.indptr)
        return (size[left] > shared_content).astype(np.int64) + (size[right] > shared_content)
