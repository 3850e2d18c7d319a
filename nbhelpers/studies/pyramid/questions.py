"""The ranking test: which of four segments says the same as the question? (section 3)"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nbhelpers.base.errors import InputError
from nbhelpers.resources.pyramids import Pyramid
from nbhelpers.studies.pyramid.items import BLOCK, Items, Segment, segments

DISTRACTORS = 3
"""Wrong answers of a question."""

CHANCE_SUCCESS, CHANCE_RECIPROCAL_RANK = 0.25, (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4
"""What a random answer among four gets: 0.25 and 0.5208."""


@dataclass(frozen=True, eq=False)
class QuestionTest:
    """The ranking test.

    `question` (n,) and `answers` (n, 4) are places in `segments`, `topic` (n,) in `topics`. The right answer stands
    first; ties are shared out, so its place gives no advantage. `skipped` counts questions with too few distractors.
    """

    segments: tuple[Segment, ...]
    topics: tuple[str, ...]
    question: NDArray
    answers: NDArray
    topic: NDArray
    skipped: int
    signature: str

    def __len__(self) -> int:
        return len(self.question)

    def questions(self) -> list[tuple[str, list[str]]]:
        """The questions as texts, each with its answers, the right one first."""
        texts = [segment.text for segment in self.segments]
        return [(texts[q], [texts[a] for a in row]) for q, row in zip(self.question, self.answers.tolist())]

    def take(self, places: Sequence[int]) -> QuestionTest:
        """Some of the questions, for scorers that take long."""
        chosen = np.asarray(places, dtype=np.int64)
        parts = (self.question[chosen], self.answers[chosen], self.topic[chosen])
        return QuestionTest(self.segments, self.topics, *parts, self.skipped, f"{self.signature}|n:{len(chosen)}")


def question_test(
    pyramids: Sequence[Pyramid], *, labels: bool = True, ask: str | None = None, across_topics: bool = False
) -> QuestionTest:
    """Build the ranking test: a question, another item of its SCU, and three distractors.

    The distractors are the items of other SCUs that share most words (see `word_form`, each counted once) with the
    question; among equals the one that comes first in the order of the segments. A distractor never has the text of an
    item of the question's SCU, nor that of another distractor.

    Parameters
    ----------
    labels : bool
        Whether SCU labels are items.
    ask : {"label", "contributor", "any"}, optional
        Questions go from the label to each contributor (the default with labels), from each contributor to each other
        one (the default without), or from each item to each other one.
    across_topics : bool
        Whether distractors come from all topics.

    Raises
    ------
    InputError
        An unknown choice, or no question is left.
    """
    ask = ask or ("label" if labels else "contributor")
    if ask not in ("label", "contributor", "any") or (ask == "label" and not labels):
        raise InputError(f"ask is 'label' (where labels are items), 'contributor' or 'any', not {ask!r}")
    found = segments(pyramids, labels=labels)
    items = Items.of(found)
    pairs = np.array(list(_question_pairs(found, items, ask)), dtype=np.int64).reshape(-1, 2)
    distractors = np.full((len(found), DISTRACTORS), -1)
    for members in items.groups(across_topics):
        wanted = np.flatnonzero(np.isin(members, pairs[:, 0]))
        distractors[members[wanted]] = nearest(items, members, wanted, DISTRACTORS)
    enough = distractors[pairs[:, 0], -1] >= 0
    if not enough.any():
        raise InputError(f"no question is left of {len(pairs)}: too few distractors")
    question, right = pairs[enough].T.astype(np.int32)
    answers = np.column_stack([right, distractors[question]]).astype(np.int32)
    scope = ["questions", "labels" if labels else "no-labels", f"ask:{ask}", "across" if across_topics else "within"]
    skipped = int((~enough).sum())
    return QuestionTest(found, items.topics, question, answers, items.topic[question], skipped, "|".join(scope))


def _question_pairs(found: Sequence[Segment], items: Items, ask: str):
    units: dict[int, list[int]] = {}
    for place, unit in enumerate(items.unit.tolist()):
        units.setdefault(unit, []).append(place)
    for places in units.values():
        for i in places:
            for j in places:
                if i != j and (ask == "any" or (found[i].kind, found[j].kind) == (ask, "contributor")):
                    yield i, j


def nearest(items: Items, members: NDArray, wanted: NDArray, count: int) -> NDArray:
    """Members of other SCUs that share most words with the wanted ones: (w, count), -1 where there are too few."""
    from scipy import sparse

    present, m = items.present[members], len(members)
    _, unit = np.unique(items.unit[members], return_inverse=True)
    _, earliest, text = np.unique(items.text[members], return_index=True, return_inverse=True)
    repeated = ~np.isin(np.arange(m), earliest)
    texts_of_unit = sparse.csr_array((np.ones(m, bool), (unit, text)), shape=(unit.max() + 1, text.max() + 1))
    result = np.full((len(wanted), count), -1)
    for start in range(0, len(wanted), BLOCK):
        rows = wanted[start : start + BLOCK]
        # One key that no two members share: words in common first, then the order of the segments.
        key = (present[rows] @ present.T).toarray().astype(np.int64) * m + (m - 1 - np.arange(m))
        key[texts_of_unit[unit[rows]].toarray().astype(bool)[:, text]] = -1
        key[:, repeated] = -1
        best = np.argpartition(-key, count, axis=1)[:, :count] if m > count else np.arange(m)[None]
        best = np.take_along_axis(best, np.argsort(-np.take_along_axis(key, best, axis=1), axis=1), axis=1)
        chosen = np.where(np.take_along_axis(key, best, axis=1) >= 0, members[best], -1)
        result[start : start + len(rows), : chosen.shape[1]] = chosen
    return result
