"""The tests and their items (section 3).

Items are the labels and passages of pyramids. The binary test asks whether two of them come from the same SCU, the
ranking test which of four segments says the same as the question.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nbhelpers.base.errors import InputError, did_you_mean
from nbhelpers.language.tokens import STOP_WORDS, is_word, tokenize
from nbhelpers.resources.pyramids import Pyramid

DISTRACTORS = 3
"""Wrong answers of a question."""

# ------------------------------------------------------------------------------------------------------ the items

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

    `topic` is the pyramid's name, `scu` the unit's id, `kind` "label" or "contributor".
    """

    topic: str
    scu: str
    kind: str
    text: str


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
            found += [Segment(pyramid.name, scu.uid, "contributor", c.text) for c in scu.contributors]
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


# ------------------------------------------------------------------------------------------------ the binary test


RULES = ("words", "overlap", "pronouns", "variety")
"""The constraints on pairs (section 3): words of either item, words in common, no pronoun (see `is_pronoun`), and
different sets of content words."""

FEWEST_WORDS = 3
"""Words that either item has at least."""


FEWEST_SHARED = 3
"""Words (see `word_form`, each counted once) that the items of a negative pair share at least: 3 agrees with Figure 2
of the paper, 4 with its "more than 3 words"."""


@dataclass(frozen=True)
class RuleCount:
    """Candidate pairs that break a rule."""

    rule: str
    positives: int
    negatives: int


@dataclass(frozen=True, eq=False)
class PairTest:
    """The binary test.

    `left` and `right` (n,) are the pairs, as places in `segments`; `same` (n,) whether both come from the same SCU;
    `topic` (n,) the place in `topics` of the pair's topic (across topics, of its left item's). `counts` says what each
    rule removes.
    """

    segments: tuple[Segment, ...]
    topics: tuple[str, ...]
    left: NDArray
    right: NDArray
    same: NDArray
    topic: NDArray
    counts: tuple[RuleCount, ...]
    signature: str

    def __len__(self) -> int:
        return len(self.left)

    @property
    def positives(self) -> int:
        """Number of paraphrase pairs."""
        return int(self.same.sum())

    @property
    def negatives(self) -> int:
        """Number of non-paraphrase pairs."""
        return len(self) - self.positives


def pair_test(
    pyramids: Sequence[Pyramid], *, overlap: int = FEWEST_SHARED, labels: bool = True, across_topics: bool = False
) -> PairTest:
    """Build the binary test: all pairs of items that pass the rules, positive if of the same SCU.

    Parameters
    ----------
    pyramids : sequence of Pyramid
        Their order changes nothing.
    overlap : int
        Words that the items of a negative pair share at least.
    labels : bool
        Whether SCU labels are items, as in the paper's Figure 2.
    across_topics : bool
        Whether items of different topics make negative pairs, too; the paper's pairs stay within a topic.

    Raises
    ------
    InputError
        No pyramid, two of the same name, or no positive or no negative pair passes the rules.

    Examples
    --------
    >>> from nbhelpers.resources import data
    >>> from nbhelpers.studies import pyramid
    >>> topics = pyramid.read_pyramids(data.find("duc2006-pyramids", "shipped").path)
    >>> test = pair_test(topics[:1])
    >>> test.positives, test.negatives
    (77, 154)
    """
    found = segments(pyramids, labels=labels)
    items = Items.of(found)
    removed, kept = np.zeros((len(RULES), 2), int), []
    for members in items.groups(across_topics):
        for left, right, *shared in items.pairs(members):
            same = items.unit[left] == items.unit[right]
            keep = np.ones(len(left), bool)
            for counts, broken in zip(removed, _broken(items, left, right, same, shared, overlap)):
                counts += np.bincount(same[broken], minlength=2)
                keep &= ~broken
            kept.append((left[keep], right[keep], same[keep]))
    left, right, same = (np.concatenate(arrays) for arrays in zip(*kept))
    if not same.any() or same.all():
        lacking = "negative" if same.any() else "positive"
        raise InputError(f"no {lacking} pair of {len(pyramids)} pyramid(s) passes the rules")
    scope = f"{'labels' if labels else 'no-labels'}|{'across' if across_topics else 'within'}"
    return PairTest(
        found,
        items.topics,
        left.astype(np.int32),
        right.astype(np.int32),
        same,
        items.topic[left],
        tuple(RuleCount(name, int(same), int(other)) for name, (other, same) in zip(RULES, removed)),
        f"pairs|{scope}|words:{FEWEST_WORDS},overlap:{overlap},pronouns:True,variety:differ",
    )


def _broken(items: Items, left, right, same, shared, overlap: int) -> list[NDArray]:
    """For each of `RULES` which pairs break it."""
    size = np.diff(items.content.indptr)
    return [
        np.minimum(items.length[left], items.length[right]) < FEWEST_WORDS,
        ~same & (shared[0] < overlap),
        items.pronoun[left] | items.pronoun[right],
        np.maximum(size[left], size[right]) == shared[1],  # the same content words
    ]


# ----------------------------------------------------------------------------------------------- the ranking test


@dataclass(frozen=True, eq=False)
class QuestionTest:
    """The ranking test.

    `question` (n,) and `answers` (n, 4) are places in `segments`, `topic` (n,) in `topics`. The right answer stands
    first; ties are shared out, so its place gives no advantage.
    """

    segments: tuple[Segment, ...]
    topics: tuple[str, ...]
    question: NDArray
    answers: NDArray
    topic: NDArray
    signature: str

    def __len__(self) -> int:
        return len(self.question)

    def questions(self) -> list[tuple[str, list[str]]]:
        """The questions as texts, each with its answers, the right one first."""
        texts = [segment.text for segment in self.segments]
        return [(texts[q], [texts[a] for a in row]) for q, row in zip(self.question, self.answers.tolist())]

    def take(self, places: Sequence[int]) -> QuestionTest:
        """Some of the questions, for scorers that take long."""
        return replace(self, question=self.question[places], answers=self.answers[places], topic=self.topic[places])


def question_test(pyramids: Sequence[Pyramid], *, labels: bool = True, distractors: str = "passages") -> QuestionTest:
    """Build the ranking test: a question, another item of its SCU, and three distractors of the same topic.

    The distractors are the passages of other SCUs that share most words (see `word_form`, each counted once) with the
    question; among equals the one that comes first in the order of the segments. A distractor never has the text of an
    item of the question's SCU, nor that of another distractor; a question with fewer of them is left out. The paper
    calls them "text segments from distinct SCUs" (section 3).

    Parameters
    ----------
    labels : bool
        Whether SCU labels are items. Questions go from the label to each contributor, or, without labels, from each
        contributor to each other one.
    distractors : {"passages", "items"}
        Whether labels of other SCUs may be distractors too ("items").

    Raises
    ------
    InputError
        An unknown choice, or no question is left.

    Examples
    --------
    >>> from nbhelpers.resources import data
    >>> from nbhelpers.studies import pyramid
    >>> topics = pyramid.read_pyramids(data.find("duc2006-pyramids", "shipped").path)
    >>> asked, answers = question_test(topics[:1]).questions()[0]
    >>> asked, answers[0]
    ('The Kettin dam in the Velmar valley broke', 'The Kettin dam in the Velmar valley collapsed late Tuesday')
    """
    if distractors not in ("passages", "items"):
        raise InputError(f"distractors is 'passages' or 'items', not {distractors!r}")
    ask, found = "label" if labels else "contributor", segments(pyramids, labels=labels)
    items = Items.of(found)
    allowed = np.array([distractors == "items" or segment.kind == "contributor" for segment in found])
    pairs = np.array(list(_question_pairs(found, items, ask)), dtype=np.int64).reshape(-1, 2)
    nearest_of = np.full((len(found), DISTRACTORS), -1)
    for members in items.groups(False):
        wanted = np.flatnonzero(np.isin(members, pairs[:, 0]))
        nearest_of[members[wanted]] = nearest(items, members, wanted, allowed[members], DISTRACTORS)
    enough = nearest_of[pairs[:, 0], -1] >= 0
    if not enough.any():
        raise InputError(f"no question is left of {len(pairs)}: too few distractors")
    question, right = pairs[enough].T.astype(np.int32)
    answers = np.column_stack([right, nearest_of[question]]).astype(np.int32)
    signature = f"questions|{'labels' if labels else 'no-labels'}|ask:{ask}|distractors:{distractors}|within"
    return QuestionTest(found, items.topics, question, answers, items.topic[question], signature)


# ------------------------------------------------------------------------------------- what the paper leaves open

DEFAULTS = "the defaults"
READINGS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    DEFAULTS: ({}, {}),
    "labels may be distractors": ({}, {"distractors": "items"}),
    "passages only, no labels": ({"labels": False}, {"labels": False}),
    "more than 3 shared words": ({"overlap": 4}, {}),
    "negatives across topics too": ({"across_topics": True}, {}),
}
"""Readings of the paper's rules: options of `pair_test` and of `question_test`."""


def reading_options(reading: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options of a reading; an unknown one is an InputError."""
    if reading not in READINGS:
        raise InputError(f"there is no reading {reading!r}; {did_you_mean(reading, READINGS)}")
    return READINGS[reading]


def _question_pairs(found: Sequence[Segment], items: Items, ask: str):
    for unit in range(items.unit.max() + 1):
        for i, j in itertools.permutations(np.flatnonzero(items.unit == unit).tolist(), 2):
            if (found[i].kind, found[j].kind) == (ask, "contributor"):
                yield i, j


def nearest(items: Items, members: NDArray, wanted: NDArray, allowed: NDArray, count: int) -> NDArray:
    """Allowed members of other SCUs that share most words with the wanted ones: (w, count), -1 where too few."""
    present, m = items.present[members], len(members)
    _, unit = np.unique(items.unit[members], return_inverse=True)
    _, text = np.unique(items.text[members], return_inverse=True)
    _, earliest = np.unique(text[allowed], return_index=True)
    left_out = ~np.isin(np.arange(m), np.flatnonzero(allowed)[earliest])  # no answer, or a text that came before
    texts_of_unit = sparse.csr_array((np.ones(m, bool), (unit, text)), shape=(unit.max() + 1, text.max() + 1))
    # One key that no two members share: words in common first, then the order of the segments.
    key = (present[wanted] @ present.T).toarray().astype(np.int64) * m + (m - 1 - np.arange(m))
    key[texts_of_unit[unit[wanted]].toarray().astype(bool)[:, text]] = -1
    key[:, left_out] = -1
    best = np.argsort(-key, axis=1)[:, :count]
    chosen = np.where(np.take_along_axis(key, best, axis=1) >= 0, members[best], -1)
    return np.pad(chosen, ((0, 0), (0, count - chosen.shape[1])), constant_values=-1)
