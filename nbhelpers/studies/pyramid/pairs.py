"""The binary test: pairs of items, and whether they come from the same SCU (section 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nbhelpers.base.errors import InputError
from nbhelpers.resources.pyramids import Pyramid
from nbhelpers.studies.pyramid.items import Items, Segment, segments


@dataclass(frozen=True)
class Rules:
    """The constraints on pairs (section 3); None or False switches one off.

    Attributes
    ----------
    words : int or None
        Least number of words of either item.
    overlap : int or None
        Least number of words (see `word_form`, each counted once) that the items of a negative pair share: 3 agrees
        with the paper's Figure 2, 4 with its "more than 3 words".
    pronouns : bool
        Whether a pair with a pronoun (see `is_pronoun`) in either item is removed.
    variety : {"differ", "each"} or None
        The sets of content words differ, or each item has a content word that the other lacks.
    """

    words: int | None = 3
    overlap: int | None = 3
    pronouns: bool = True
    variety: str | None = "differ"

    def __post_init__(self) -> None:
        if self.variety not in (None, "differ", "each"):
            raise InputError(f"variety is 'differ', 'each' or None, not {self.variety!r}")
        for name in ("words", "overlap"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
                raise InputError(f"{name} is a number of words or None, not {value!r}")

    @classmethod
    def none(cls) -> Rules:
        """All rules switched off."""
        return cls(None, None, False, None)

    @property
    def active(self) -> dict[str, bool]:
        """Which rules are switched on, by name."""
        return {name: value is not None and value is not False for name, value in vars(self).items()}

    def __str__(self) -> str:
        return ",".join(f"{name}:{vars(self)[name]}" for name, on in self.active.items() if on) or "no-rules"


RULES = tuple(Rules().active)
"""Names of the rules, in the order of `Rules`."""


@dataclass(frozen=True)
class RuleCount:
    """Candidate pairs that break a rule; the `_alone` counts are of those that break no other active rule.

    Switching the rule brings or costs just the latter. An inactive rule is counted in its default form.
    """

    rule: str
    active: bool
    positives: int
    negatives: int
    positives_alone: int
    negatives_alone: int


@dataclass(frozen=True, eq=False)
class PairTest:
    """The binary test.

    `left` and `right` (n,) are the pairs, as places in `segments`; `same` (n,) whether both come from the same SCU;
    `topic` (n,) the place in `topics` of the pair's topic (across topics, of its left item's). `counts` says what each
    rule removes, `candidates` how many positive and negative pairs there were before.
    """

    segments: tuple[Segment, ...]
    topics: tuple[str, ...]
    left: NDArray
    right: NDArray
    same: NDArray
    topic: NDArray
    counts: tuple[RuleCount, ...]
    candidates: tuple[int, int]
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

    @property
    def always_yes(self) -> float:
        """F-measure of answering yes always, ``2p / (1 + p)`` at the prevalence p."""
        return random_answer_f(self.positives / len(self), 1.0)

    def pairs(self) -> list[tuple[str, str, bool]]:
        """The pairs as texts, with the right answer."""
        texts = [segment.text for segment in self.segments]
        return [(texts[i], texts[j], bool(s)) for i, j, s in zip(self.left, self.right, self.same)]


def pair_test(
    pyramids: Sequence[Pyramid],
    *,
    rules: Rules | None = None,
    labels: bool = True,
    across_topics: bool = False,
    unique: bool = False,
) -> PairTest:
    """Build the binary test: all pairs of items that pass the rules, positive if of the same SCU.

    Parameters
    ----------
    pyramids : sequence of Pyramid
        Their order changes nothing.
    rules : Rules, optional
        The paper's by default.
    labels : bool
        Whether SCU labels are items, as in the paper's Figure 2.
    across_topics : bool
        Whether items of different topics make negative pairs, too; the paper's pairs stay within a topic.
    unique : bool
        Leave out an item whose text its SCU has already (annotators often take a contributor's words as label).

    Raises
    ------
    InputError
        No pyramid, two of the same name, or no positive or no negative pair passes the rules.
    """
    rules = Rules() if rules is None else rules
    found = segments(pyramids, labels=labels)
    if unique:
        first = {(item.topic, item.scu, item.text.lower()): item for item in reversed(found)}
        found = tuple(item for item in found if first[item.topic, item.scu, item.text.lower()] is item)
    items = Items.of(found)
    active = sum(1 << r for r, on in enumerate(rules.active.values()) if on)
    table, kept = np.zeros((2, 1 << len(RULES)), np.int64), []
    for members in items.groups(across_topics):
        for left, right, *shared in items.pairs(members):
            same = items.unit[left] == items.unit[right]
            code = _broken(items, left, right, same, shared, rules)
            table += np.bincount(code + (same.astype(np.int64) << len(RULES)), minlength=table.size).reshape(2, -1)
            keep = (code & active) == 0
            kept.append((left[keep], right[keep], same[keep]))
    left, right, same = (np.concatenate(arrays) for arrays in zip(*kept))
    if not same.any() or same.all():
        lacking = "negative" if same.any() else "positive"
        raise InputError(f"no {lacking} pair passes the rules {rules} in {len(pyramids)} pyramid(s)")
    scope = ["pairs", "labels" if labels else "no-labels", "across" if across_topics else "within"]
    return PairTest(
        found,
        items.topics,
        left.astype(np.int32),
        right.astype(np.int32),
        same,
        items.topic[left],
        tuple(_counts(table, active, rules)),
        (int(table[1].sum()), int(table[0].sum())),
        "|".join([*scope, *["unique"] * unique, str(rules)]),
    )


def _broken(items: Items, left, right, same, shared, rules: Rules) -> NDArray:
    """Bit r is set where a pair breaks rule r; a rule that is off counts in its default form."""
    default = Rules()
    least_words = default.words if rules.words is None else rules.words
    least_shared = default.overlap if rules.overlap is None else rules.overlap
    own = items.own_content(left, right, shared[1])
    broken = (
        np.minimum(items.length[left], items.length[right]) < least_words,
        ~same & (shared[0] < least_shared),
        items.pronoun[left] | items.pronoun[right],
        own < (2 if rules.variety == "each" else 1),
    )
    return sum(bit.astype(np.int64) << r for r, bit in enumerate(broken))


def _counts(table: NDArray, active: int, rules: Rules):
    codes = np.arange(1 << len(RULES))
    for r, (name, on) in enumerate(rules.active.items()):
        breaks = (codes >> r) & 1 == 1
        alone = breaks & ((codes & active & ~(1 << r)) == 0)
        negatives, positives = table[:, breaks].sum(axis=1).tolist()
        negatives_alone, positives_alone = table[:, alone].sum(axis=1).tolist()
        yield RuleCount(name, on, positives, negatives, positives_alone, negatives_alone)


def random_answer_f(prevalence: float, rate: float) -> float:
    """F-measure expected of saying yes at random to a share `rate` of pairs: ``2pr / (p + r)``.

    Rate 1 is answering yes always, the best that an uninformed answer can do; the paper's Random row (0.041) is that of
    answering at the rate of its prevalence (0.042).
    """
    if not (0 < prevalence <= 1 and 0 < rate <= 1):
        raise InputError("prevalence and rate lie above 0 and at most at 1")
    return 2 * prevalence * rate / (prevalence + rate)
