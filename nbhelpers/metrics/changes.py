"""Which words cost meaning: the places where two texts differ, and how much each one costs by a metric.

A place costs what the rating gains when it alone is taken back, and what an exact copy loses when it alone is put in;
the mean of both is its cost. That takes two more ratings a place, works with every metric, and needs no training. A
metric may also have a head that says how likely each piece of the candidate is damaged. Then a place's share of all
costs and its share of these likelihoods together decide which comes first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray

from nbhelpers.language.tokens import token_spans

Damaged = Callable[[str, str], list[tuple[int, int, float]]]
"""Says of a source and a candidate how likely each piece of the candidate (first and last character) is damaged."""

_WORDS = {
    "negation": "not n't no never none nobody nothing nowhere neither nor without cannot hardly lack lacks failed",
    "certainty": "may might must can could should would will probably possibly perhaps certainly likely unlikely "
    "surely said allegedly reportedly suggest suggests suggested prove proves proved seem seems appear appears need",
    "quantity": "all some few many most both half more less fewer every each any several only least much twice one two "
    "three four five six seven eight nine ten eleven twelve dozen hundred thousand million billion third quarter",
    "time": "before after until till since during already still yet yesterday today tomorrow now soon later earlier "
    "ago once again always often sometimes monday tuesday wednesday thursday friday saturday sunday january february "
    "march april june july august september october november december morning evening night year month week day hour",
    "connective": "because although though despite owing due if unless while whereas therefore so but however instead",
}
_KIND = {word: kind for kind, words in _WORDS.items() for word in words.split()}
SMALL_WORDS = frozenset(
    "a an the of in on at to for and or by with from as is are was were be been it its that this".split()
)
"""Words between two changed places that do not keep these apart."""


@dataclass(frozen=True)
class Change:
    """A place where two texts differ.

    Attributes
    ----------
    source, candidate : (int, int)
        First and last (not included) character in each text; equal where nothing stands there.
    was, became : str
        The words of each text; empty where something was added or left out.
    cost : float
        What it costs by the metric: points of 100 where the metric has such a scale.
    kind : str
        What kind of change its words point to: number, name, negation, certainty, quantity, time, connective, order,
        added, left out, or word. A guess from lists of words, not from the model.
    """

    source: tuple[int, int]
    candidate: tuple[int, int]
    was: str
    became: str
    cost: float = 0.0
    kind: str = "word"


def differences(source: str, candidate: str) -> list[Change]:
    """The places where two texts differ, word by word, by the longest common runs; case is ignored.

    Two places with nothing but small words between them are one where little is common, as in free rewordings. So are
    words left out before a short common run and words added behind it (or the other way round): something was moved.

    Examples
    --------
    >>> [(one.was, one.became, one.kind) for one in differences("He sold two boats.", "He sold nine boats in May.")]
    [('two', 'nine', 'quantity'), ('', 'in May', 'added')]
    >>> [(one.was, one.became, one.kind) for one in differences("The dog bit a cat badly.", "A cat bit the dog badly.")]
    [('The dog bit a cat', 'A cat bit the dog', 'order')]
    """
    texts, spans = (source, candidate), (token_spans(source), token_spans(candidate))
    words = [[text[a:b].lower() for a, b in places] for text, places in zip(texts, spans)]
    matcher = SequenceMatcher(None, *words, autojunk=False)
    found = [list(code[1:]) for code in matcher.get_opcodes() if code[0] != "equal"]
    apart = matcher.ratio() < 0.5
    merged: list[list[int]] = []
    for one in found:
        last = merged[-1] if merged else one
        between = words[0][last[1] : one[0]]
        small = len(between) < 3 and all(word in SMALL_WORDS or not word[0].isalnum() for word in between)
        if merged and (apart and small or _moved(last, one, words)):
            last[1::2] = one[1], one[3]
        else:
            merged.append(one)

    def characters(side: int, first: int, last: int) -> tuple[int, int]:
        places = spans[side]
        if first < last:
            return places[first][0], places[last - 1][1]
        where = places[first - 1][1] if first else 0
        return where, where

    lost = {word for a, b, *_ in merged for word in words[0][a:b]}
    gained = {word for *_, a, b in merged for word in words[1][a:b]}
    changes = []
    for a, b, c, d in merged:
        first, second = characters(0, a, b), characters(1, c, d)
        was, became = source[slice(*first)], candidate[slice(*second)]
        kind = _kind(words[0][a:b], words[1][c:d], was, became, lost, gained, a > 0)
        changes.append(Change(first, second, was, became, kind=kind))
    return changes


def _moved(first: Sequence[int], second: Sequence[int], words: Sequence[list[str]]) -> bool:
    """Whether one of two places only loses words and the other only gains some, with a shorter run between them.

    A run as long as the shorter of the two will do if they have a word in common.
    """
    losing = [one for one in (first, second) if one[2] == one[3]]
    gaining = [one for one in (first, second) if one[0] == one[1]]
    if not len(losing) == len(gaining) == 1:
        return False
    (lost,), (gained,) = losing, gaining
    was, became = words[0][lost[0] : lost[1]], words[1][gained[2] : gained[3]]
    return second[0] - first[1] < min(len(was), len(became)) + bool(set(was) & set(became))


def _kind(old: list[str], new: list[str], was: str, became: str, lost: set, gained: set, inside: bool) -> str:
    words, both = set(old) ^ set(new), old and new
    content = {word for word in words if word[0].isalnum()} - SMALL_WORDS
    moved = all(word in (gained if word in old else lost) for word in content)
    if moved and (content and not both or not content and any(word[0].isalnum() for word in set(old) & set(new))):
        return "order"
    if not both and len(content) > 4:  # a clause: its words say nothing of the rest
        return "added" if new else "left out"
    if "may" in words and inside and re.search(r"\bMay\b", f"{was} {became}"):  # the month
        words = words - {"may"} | {"january"}
    if any(re.search(r"\d", word) for word in words):
        return "number"
    for kind in ("negation", "connective", "certainty", "quantity", "time"):
        if any(_KIND.get(word) == kind for word in words):
            return kind if both or kind != "time" else "added" if new else "left out"
    if content and moved:
        return "order"
    if not both:
        return "added" if new else "left out"
    named = re.compile(r"(?<!^)\b[A-Z]\w+" if not inside else r"\b[A-Z]\w+")
    return "name" if named.search(was) and named.search(became) else "word"


def put(text: str, span: tuple[int, int], new: str) -> str:
    """The text with a span replaced, and one blank between words.

    Examples
    --------
    >>> put("He sold boats.", (7, 7), "two"), put("He sold two boats.", (8, 11), "")
    ('He sold two boats.', 'He sold boats.')
    """
    before, after = text[: span[0]].rstrip(), text[span[1] :].lstrip()
    parts = [part for part in (before, new.strip(), after) if part]
    joined = " ".join(parts)
    return re.sub(r" (?=[.,;:!?)\]](?:\s|$))", "", joined) if not re.search(r" [.,;:!?]", text) else joined


def _share(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return values / values.sum() if values.any() else values


def touches(piece: tuple[int, int], span: tuple[int, int]) -> bool:
    """Whether a piece overlaps a span, or stands beside an empty one, where words were left out.

    Examples
    --------
    >>> touches((3, 7), (5, 9)), touches((3, 7), (7, 7)), touches((3, 7), (9, 9))
    (True, True, False)
    """
    slack = 1 if span[0] == span[1] else 0
    return piece[0] < span[1] + slack and span[0] - slack < piece[1]


def changes(
    rate: Callable[[Sequence[str], Sequence[str]], NDArray],
    sources: Sequence[str],
    candidates: Sequence[str],
    damaged: Damaged | None = None,
) -> list[tuple[Change, ...]]:
    """The places where the texts of each pair differ, the most harmful first; all of them are rated in one call.

    Parameters
    ----------
    rate : callable
        Takes sources and candidates and returns a number for each pair, higher where more is kept; NaN where it
        has none.
    sources, candidates : sequence of str
    damaged : callable, optional
        As `nbhelpers.metrics.Metric.damaged`. Without it the costs alone give the order.

    Examples
    --------
    >>> from nbhelpers.metrics import load
    >>> (found,) = changes(load("token-f1"), ["A cold rain fell."], ["A warm rain fell."])
    >>> [(one.was, one.became, round(one.cost, 2)) for one in found]
    [('cold', 'warm', 0.25)]
    """
    found = [differences(*pair) for pair in zip(sources, candidates)]
    texts: list[list[str]] = []
    for source, candidate, places in zip(sources, candidates, found):
        back = [put(candidate, one.candidate, one.was) for one in places]
        alone = [put(source, one.source, one.became) for one in places]
        texts.append([candidate, source, *back, *alone] if places else [])
    asked = {(source, text): 0.0 for source, own in zip(sources, texts) for text in own}
    known = [pair for pair in asked if pair[1].strip()]
    if known:
        asked |= zip(known, rate(*zip(*known)))
    result = []
    for source, candidate, own, places in zip(sources, candidates, texts, found):
        values, count = np.array([asked[source, text] for text in own]), len(places)
        gains, losses = values[2 : 2 + count] - values[:1], values[1:2] - values[2 + count :]
        both = np.array([gains, losses])
        known = np.isfinite(both)  # a text with something put back may be too long for the metric
        costs = np.maximum(np.where(known, both, 0).sum(0) / np.maximum(known.sum(0), 1), 0)
        harm = _share(costs)
        if damaged is not None and len(places) > 1:
            likely = [(one[:2], one[2]) for one in damaged(source, candidate)]
            near = [[value for piece, value in likely if touches(piece, one.candidate)] for one in places]
            harm = harm + _share(np.array([max(each, default=0.0) for each in near]))
        order = np.argsort(-harm, kind="stable")
        result.append(tuple(replace(places[place], cost=round(float(costs[place]), 4)) for place in order))
    return result
