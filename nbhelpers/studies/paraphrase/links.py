"""What matching a reference with a candidate takes and gives: the choices, the links, and a link that may be taken."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import NamedTuple

from nbhelpers.base.errors import InputError
from nbhelpers.studies.paraphrase.expressions import Expression

STEPS = {1: "phrase", 2: "word", 3: "literal"}
"""What the steps of section 4.1 look for."""

_CHOICES = {
    "direction": ("reference", "candidate", "both"),
    "phrases": ("longest", "left-to-right"),
    "literals": ("preferred", "last", "first"),
    "clip": (True, False),
    "matching": ("greedy", "optimal"),
    "references": ("pooled", "mean", "best"),
}


@dataclass(frozen=True)
class MatchSettings:
    """Choices that section 4.1 leaves open.

    Attributes
    ----------
    direction : {"reference", "candidate", "both"}
        Which way a table is read: what the *reference* says is paraphrased by what the candidate says (x in the
        reference, y in the candidate, x → y in the table); the other way round; or either.
    phrases : {"longest", "left-to-right"}
        Order of step 1. ``longest``: most reference words first, then most candidate words, then from the left.
        ``left-to-right``: from the left of the reference, the longest first at each place. Scores of tables play no
        part, as those of different resources cannot be compared.
    literals : {"preferred", "last", "first"}
        ``last`` takes a paraphrase even where the expression itself stands in the candidate, so that a text may not
        match itself completely. ``preferred`` counts every expression among its own paraphrases, as a synset does, and
        tries it before the others of its length; the order of the steps stays. ``first`` does step 3 before steps 1
        and 2.
    clip : bool
        Whether a word of the candidate is used up by a match, as in ROUGE; a word of the reference always is.
    matching : {"greedy", "optimal"}
        ``optimal`` takes the links that match most words of the reference, and among those most literal words;
        `phrases` and `literals` then have no effect.
    references : {"pooled", "mean", "best"}
        What several references give: matched words of all by words of all (the equation of section 2.1), the mean of
        their recalls, or the best one.
    """

    direction: str = "reference"
    phrases: str = "longest"
    literals: str = "preferred"
    clip: bool = True
    matching: str = "greedy"
    references: str = "pooled"

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise InputError(f"{name} is one of {', '.join(map(repr, choices))}, not {getattr(self, name)!r}.")

    @property
    def signature(self) -> str:
        """One line that names every choice."""
        values = asdict(self) | {"clip": "yes" if self.clip else "no"}
        if self.matching == "optimal":
            values |= {"phrases": "any", "literals": "any"}
        return "|".join(f"{name}:{value}" for name, value in values.items())


@dataclass(frozen=True)
class Link:
    """Words of the reference that words of the candidate match.

    Attributes
    ----------
    step : {1, 2, 3}
        See `STEPS`.
    reference, candidate : tuple of int
        Positions of the words, from 0.
    resources : tuple of str
        Every table that gives the pair, by name; empty in step 3.
    scores : tuple of float
        The score each of them gives it.
    """

    step: int
    reference: tuple[int, ...]
    candidate: tuple[int, ...]
    resources: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()

    @property
    def score(self) -> float:
        """The highest score; 1 for the same word."""
        return max(self.scores, default=1.0)


@dataclass(frozen=True)
class Match:
    """Two texts and the links between their words, from the left of the reference."""

    reference: Expression
    candidate: Expression
    links: tuple[Link, ...]
    signature: str

    @property
    def matched(self) -> int:
        """Number of reference words in links."""
        return sum(len(link.reference) for link in self.links)

    @property
    def recall(self) -> float:
        """Share of the reference's words that are matched, in [0, 1]: the score of the candidate."""
        return self.matched / len(self.reference)

    @property
    def counts(self) -> dict[int, int]:
        """Matched reference words of each step."""
        return {step: sum(len(link.reference) for link in self.links if link.step == step) for step in STEPS}

    def marks(self, side: str = "reference") -> list[tuple[str, Link | None]]:
        """Each word of the ``reference`` or the ``candidate`` with its link, or None: what a figure colours.

        Without clipping a word of the candidate may be in several links; the first is given.
        """
        if side not in ("reference", "candidate"):
            raise InputError(f"side is 'reference' or 'candidate', not {side!r}.")
        links = {position: link for link in reversed(self.links) for position in getattr(link, side)}
        return [(word, links.get(position)) for position, word in enumerate(getattr(self, side))]

    def rows(self) -> list[dict[str, object]]:
        """One row for each link, for a table: what matched what, in which step, by which resources."""
        return [
            {
                "step": f"{link.step} {STEPS[link.step]}",
                "reference": " ".join(self.reference[position] for position in link.reference),
                "candidate": " ".join(self.candidate[position] for position in link.candidate),
                "resources": ", ".join(link.resources),
                "score": link.score,
            }
            for link in self.links
        ]


class Possible(NamedTuple):
    """A link that may be taken: m reference words from i, n candidate words from j; `mask` has a bit for each giver."""

    i: int
    m: int
    j: int
    n: int
    mask: int
    literal: bool
    reference_bits: int
    candidate_bits: int

    @property
    def step(self) -> int:
        """See `STEPS`."""
        return 3 if self.literal else 2 if self.m == self.n == 1 else 1


def possible(i: int, m: int, j: int, n: int, mask: int = 0, literal: bool = False) -> Possible:
    """The link of m reference words from i with n candidate words from j, with the words as bits."""
    return Possible(i, m, j, n, mask, literal, ((1 << m) - 1) << i, ((1 << n) - 1) << j)


def positions(bits: int) -> list[int]:
    """Places of the bits that are set, rising."""
    return [position for position in range(bits.bit_length()) if bits >> position & 1]


def check_text(words: Iterable[str], name: str) -> Expression:
    """The words as a tuple; InputError for a plain string or for what is no word."""
    if isinstance(words, str):
        raise InputError(f"The {name} is a sequence of words, not one string; tokenize it first.")
    words = tuple(words)
    for position, word in enumerate(words):
        if not isinstance(word, str) or not word:
            raise InputError(f"Word {position} of the {name} is empty or no text: {word!r}.")
    if not words and name == "reference":
        raise InputError("The reference has no words, so its recall is undefined.")
    return words
