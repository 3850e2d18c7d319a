"""What the edits see of a sentence: its words, tokens, tags and names, each with its place in the text."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from nbhelpers.language.english import load_english
from nbhelpers.language.tokens import token_spans

T = TypeVar("T")

_WORD = re.compile(r"[^\W_](?:\S*[^\W_])?")


@dataclass(frozen=True)
class Reading:
    """A sentence as the shipped English engine reads it.

    Attributes
    ----------
    tokens : tuple of str
    spans : tuple of (int, int)
        Start and end of every token in the text.
    tags : tuple of str
        Penn Treebank tags, one per token.
    names : tuple of (int, int)
        Start and end of every proper name in the text.
    """

    tokens: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    tags: tuple[str, ...]
    names: tuple[tuple[int, int], ...]


@functools.lru_cache(maxsize=8192)
def read(text: str) -> Reading:
    """Tokens, tags and names of one sentence, by the shipped models (cached: every dose reads the same sentences)."""
    english = load_english()
    spans = tuple(token_spans(text))
    tokens = [text[start:end] for start, end in spans]
    tags = english.tag([tokens])[0]
    names = english.names(tokens, tags)
    places = tuple((spans[first][0], spans[last - 1][1]) for first, last in names)
    return Reading(tuple(tokens), spans, tuple(tags), places)


def word_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of the words: what stands between blanks, without the punctuation around it."""
    return [word.span() for word in _WORD.finditer(text)]


def how_many(share: float, total: int, *, least: int = 1) -> int:
    """How many of `total` things a share above 0 stands for: rounded (halves up), never fewer than `least`."""
    return min(total, max(least, math.floor(share * total + 0.5)))


def some_of(things: Sequence[T], share: float, generator: np.random.Generator, *, least: int = 1) -> list[T]:
    """A share of things (see `how_many`) in random order; a larger share, equally drawn, has the same ones and more."""
    order = generator.permutation(len(things))
    return [things[i] for i in order[: how_many(share, len(things), least=least)]]


def replaced(text: str, changes: list[tuple[int, int, str]]) -> str:
    """The text with the stretches ``(start, end, new)`` replaced; they do not overlap."""
    parts, place = [], 0
    for start, end, new in sorted(changes):
        parts += [text[place:start], new]
        place = end
    return "".join([*parts, text[place:]])
