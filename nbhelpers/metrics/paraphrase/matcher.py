"""Matching the words of a reference with those of a candidate by paraphrases (section 4.1), link by link.

Step 1 looks for paraphrases with two or more words on either side, step 2 for one-word paraphrases, step 3 for the
same words; the score is the recall of the reference's words. What the paper leaves open is named in `MatchSettings`.
An `Index` holds paraphrase tables: all links that any of them allows are found once for a pair of texts, each with a
bit for every table that gives it, and each combination of tables picks from them, greedily or optimally.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from nbhelpers.base.errors import InputError, ModelError
from nbhelpers.metrics.paraphrase.tables import Expression, ParaphraseTable

STEPS = {1: "phrase", 2: "word", 3: "literal"}
"""What the steps of section 4.1 look for."""

_CHOICES = {
    "direction": ("reference", "candidate", "both"),
    "phrases": ("longest", "left-to-right"),
    "literals": ("preferred", "last", "first"),
    "clip": (True, False),
    "matching": ("greedy", "optimal"),
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
    """

    direction: str = "reference"
    phrases: str = "longest"
    literals: str = "preferred"
    clip: bool = True
    matching: str = "greedy"

    def __post_init__(self) -> None:
        """Check the choices: a misspelt one would silently give other numbers."""
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise InputError(f"{name} is one of {', '.join(map(repr, choices))}, not {getattr(self, name)!r}.")

    @property
    def signature(self) -> str:
        """One line that names every choice; several references are pooled (the equation of section 2.1)."""
        values = asdict(self) | {"clip": "yes" if self.clip else "no", "references": "pooled"}
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
    """

    step: int
    reference: tuple[int, ...]
    candidate: tuple[int, ...]
    resources: tuple[str, ...] = ()


@dataclass(frozen=True)
class Match:
    """Two texts and the links between their words, from the left of the reference."""

    reference: Expression
    candidate: Expression
    links: tuple[Link, ...]

    @property
    def matched(self) -> int:
        """Number of reference words in links."""
        return sum(len(link.reference) for link in self.links)

    @property
    def recall(self) -> float:
        """Share of the reference's words that are matched, in [0, 1]: the score of the candidate."""
        return self.matched / len(self.reference)

    def words(self, link: Link) -> tuple[Expression, Expression]:
        """The words of the reference and of the candidate that a link joins."""
        x = tuple(self.reference[position] for position in link.reference)
        return x, tuple(self.candidate[position] for position in link.candidate)

    def marks(self, side: str = "reference") -> list[tuple[str, Link | None]]:
        """Each word of the ``reference`` or the ``candidate`` with its link, or None: what a figure colours.

        Without clipping a word of the candidate may be in several links; the first is given.
        """
        links = {position: link for link in reversed(self.links) for position in getattr(link, side)}
        return [(word, links.get(position)) for position, word in enumerate(getattr(self, side))]

    def rows(self) -> list[dict[str, str]]:
        """For each link the words that it joins, as texts, under ``reference`` and ``candidate``."""
        return [{"reference": " ".join(x), "candidate": " ".join(y)} for x, y in map(self.words, self.links)]


class _Possible(NamedTuple):
    """A link that may be taken: m reference words from i, n candidate words from j.

    `mask` has a bit for each table that gives it; the places of its words are bits, too. A link that uses up no word of
    the candidate has none of these.
    """

    i: int
    m: int
    j: int
    n: int
    mask: int
    literal: bool
    reference_bits: int
    candidate_bits: int


def _checked(words: Iterable[str], name: str) -> Expression:
    """The words as a tuple; InputError for a plain string or for what is no word."""
    if isinstance(words, str):
        raise InputError(f"The {name} is a sequence of words, not one string; tokenize it first.")
    words = tuple(words)
    if not all(isinstance(word, str) and word for word in words):
        raise InputError(f"A word of the {name} is empty or no text: {words!r:.60}.")
    if not words and name == "reference":
        raise InputError("The reference has no words, so its recall is undefined.")
    return words


class _Pair(NamedTuple):
    """All links that two texts allow, in greedy order; `present` has the bits of every table that gives one."""

    reference: Expression
    candidate: Expression
    paraphrases: list[_Possible]
    literals: list[_Possible]
    present: int


@dataclass(eq=False)
class Index:
    """Paraphrase tables compiled for matching.

    Parameters
    ----------
    tables : sequence of ParaphraseTable
        Of one language and with different names, in any order.
    settings : MatchSettings

    Raises
    ------
    InputError
        Two tables of one name or of different languages.
    """

    tables: Sequence[ParaphraseTable] = ()
    settings: MatchSettings = MatchSettings()
    names: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.tables = tuple(sorted(self.tables, key=lambda table: table.name))
        self.names = tuple(table.name for table in self.tables)
        if len(set(self.names)) < len(self.names):
            raise InputError(f"Two tables have the same name: {', '.join(self.names)}.")
        if len(languages := {table.language for table in self.tables}) > 1:
            raise InputError(f"The tables are of different languages: {', '.join(sorted(languages))}.")
        # What each expression of a reference may be matched by, with the bits of the tables that say so.
        self._targets: dict[Expression, dict[Expression, int]] = defaultdict(dict)
        for bit, table in enumerate(self.tables):
            for x, targets in table.pairs.items():
                for y in targets:
                    if self.settings.direction != "candidate":
                        self._targets[x][y] = self._targets[x].get(y, 0) | 1 << bit
                    if self.settings.direction != "reference":
                        self._targets[y][x] = self._targets[y].get(x, 0) | 1 << bit
        self._longest_source = max(map(len, self._targets), default=0)
        self._longest_target = max((len(y) for found in self._targets.values() for y in found), default=0)
        # Texts come topic by topic, so few need to be remembered.
        self._expansions = functools.lru_cache(32)(self._expand)
        self._places = functools.lru_cache(256)(self._find_places)

    def _mask(self, names: Collection[str]) -> int:
        """Bits of the tables with these names; InputError for a name that no table has."""
        if unknown := set(names) - set(self.names):
            raise InputError(f"There is no table {min(unknown)!r}; there are {', '.join(self.names) or 'none'}.")
        return sum(1 << bit for bit, name in enumerate(self.names) if name in names)

    def match(self, reference: Iterable[str], candidate: Iterable[str]) -> Match:
        """Match a candidate's words with a reference's, by all tables.

        Parameters
        ----------
        reference, candidate : sequence of str
            Words as `nbhelpers.metrics.paraphrase.tokens.tokenize` gives them. An empty candidate matches nothing.

        Raises
        ------
        InputError
            The reference has no words, or a text is one string.

        Examples
        --------
        >>> table = ParaphraseTable("WordNet", "en", {("car",): {("auto",): 1.0}}, "made up")
        >>> Index([table]).match(["the", "car", "stopped"], ["an", "auto", "stopped"]).matched
        2
        """
        pair = self._pair(_checked(reference, "reference"), _checked(candidate, "candidate"))
        links = []
        for one in self._taken(pair, self._mask(self.names)):
            if one.literal:
                links += [Link(3, (one.i + k,), (one.j + k,)) for k in range(one.m)]
            else:
                step = 2 if one.m == one.n == 1 else 1
                places = tuple(range(one.i, one.i + one.m)), tuple(range(one.j, one.j + one.n))
                given = tuple(name for bit, name in enumerate(self.names) if one.mask >> bit & 1)
                links.append(Link(step, *places, given))
        links.sort(key=lambda link: link.reference)
        return Match(pair.reference, pair.candidate, tuple(links))

    def recalls(
        self, reference: Iterable[str], candidate: Iterable[str], combinations: Sequence[Collection[str]]
    ) -> np.ndarray:
        """The score of a candidate by each combination of tables.

        Parameters
        ----------
        reference, candidate : sequence of str
            As for `match`.
        combinations : sequence of collections of str
            Names of tables; an empty one gives ROUGE-1.

        Returns
        -------
        numpy.ndarray, float64, shape (combinations,)
            Recalls in [0, 1].

        Raises
        ------
        InputError
            The reference has no words, a text is one string, or a table does not exist.

        Examples
        --------
        >>> table = ParaphraseTable("W", "en", {("car",): {("auto",): 1.0}}, "made up")
        >>> Index([table]).recalls(["a", "car"], ["an", "auto"], ["", "W"]).tolist()
        [0.0, 0.5]
        """
        pair = self._pair(_checked(reference, "reference"), _checked(candidate, "candidate"))
        found: dict[int, float] = {}  # tables that have no link here change nothing
        values = []
        for combination in combinations:
            mask = self._mask(combination) & pair.present
            if mask not in found:
                found[mask] = sum(one.m for one in self._taken(pair, mask)) / len(pair.reference)
            values.append(found[mask])
        return np.array(values)

    # What is possible ---------------------------------------------------------------------------------------------

    def _expand(self, reference: Expression) -> dict[Expression, list[tuple[int, int, int]]]:
        """For everything that may match words of a reference the places (start, length) and the bits."""
        expansions: dict[Expression, list[tuple[int, int, int]]] = {}
        for i in range(len(reference)):
            for m in range(1, min(self._longest_source, len(reference) - i) + 1):
                source = reference[i : i + m]
                for target, mask in self._targets.get(source, {}).items():
                    if target != source:  # the same words are the literal step's
                        expansions.setdefault(target, []).append((i, m, mask))
        return expansions

    def _find_places(self, candidate: Expression) -> dict[Expression, list[int]]:
        """Where each run of words starts in a candidate, up to the longest expression."""
        places: dict[Expression, list[int]] = {}
        for n in range(1, max(1, self._longest_target, self._longest_source) + 1):
            for j in range(len(candidate) - n + 1):
                places.setdefault(candidate[j : j + n], []).append(j)
        return places

    def _possible(self, i: int, m: int, j: int, n: int, mask: int, literal: bool) -> _Possible:
        theirs = ((1 << n) - 1) << j if self.settings.clip else 0
        return _Possible(i, m, j, n, mask, literal, ((1 << m) - 1) << i, theirs)

    def _pair(self, reference: Expression, candidate: Expression) -> _Pair:
        expansions, places = self._expansions(reference), self._places(candidate)
        steps: tuple[list[_Possible], list[_Possible]] = [], []
        expanded: dict[tuple[int, int, int], int] = {}
        present = 0
        for target in expansions.keys() & places.keys():
            n = len(target)
            for i, m, mask in expansions[target]:
                step = 1 if m == n == 1 else 0
                present |= mask
                expanded[step, i, m] = expanded.get((step, i, m), 0) | mask
                steps[step].extend(self._possible(i, m, j, n, mask, False) for j in places[target])
        if self.settings.literals == "preferred" and self.settings.matching == "greedy":
            for (step, i, m), mask in expanded.items():
                same = places.get(reference[i : i + m], ())
                steps[step].extend(self._possible(i, m, j, m, mask, True) for j in same)
        # The key of a link is its own, so that neither the order of tables nor that of their pairs has a say.
        if self.settings.phrases == "longest":
            steps[0].sort(key=lambda one: (-one.m, not one.literal, -one.n, one.i, one.j))
        else:
            steps[0].sort(key=lambda one: (one.i, -one.m, not one.literal, -one.n, one.j))
        steps[1].sort(key=lambda one: (one.i, not one.literal, one.j))
        literals = [
            self._possible(i, 1, j, 1, 0, True)
            for i in range(len(reference))
            for j in places.get(reference[i : i + 1], ())
        ]
        return _Pair(reference, candidate, steps[0] + steps[1], literals, present)

    # What is taken ------------------------------------------------------------------------------------------------

    def _taken(self, pair: _Pair, mask: int) -> list[_Possible]:
        """The links that some tables make of what is possible; no word is in two of them."""
        allowed = [one for one in pair.paraphrases if one.mask & mask]
        allowed = pair.literals + allowed if self.settings.literals == "first" else allowed + pair.literals
        if self.settings.matching == "optimal":
            return _optimal(allowed, len(pair.reference))
        taken, ours, theirs = [], 0, 0
        for one in allowed:
            if not one.reference_bits & ours and not one.candidate_bits & theirs:
                taken.append(one)
                ours |= one.reference_bits
                theirs |= one.candidate_bits
        return taken


def match(
    reference_words: Iterable[str],
    candidate_words: Iterable[str],
    tables: Sequence[ParaphraseTable] = (),
    settings: MatchSettings = MatchSettings(),
) -> Match:
    """Match two texts by paraphrase tables; an `Index` serves better for many texts.

    Parameters
    ----------
    reference_words, candidate_words : sequence of str
        Words as `nbhelpers.metrics.paraphrase.tokens.tokenize` gives them.
    tables : sequence of ParaphraseTable
        Without any, the recall is that of ROUGE-1.
    settings : MatchSettings

    Raises
    ------
    InputError
        The reference has no words, a text is one string, or the tables do not fit together.

    Examples
    --------
    >>> table = ParaphraseTable("WordNet", "en", {("car",): {("auto",): 1.0}}, "made up")
    >>> match(["the", "car", "stopped"], ["an", "auto", "stopped"], [table]).recall
    0.6666666666666666
    """
    return Index(tables, settings).match(reference_words, candidate_words)


def _optimal(links: Sequence[_Possible], length: int) -> list[_Possible]:
    """Links that match most of a reference's words, and of such choices one with most literal links."""
    if not links:
        return []
    sides = [one.reference_bits for one in links], [one.candidate_bits for one in links]
    words = [[bits >> place & 1 for bits in side] for side in sides for place in range(max(side).bit_length())]
    result = milp(
        [-float(one.m * (length + 1) + one.literal) for one in links],
        constraints=LinearConstraint(words, ub=1.0),
        integrality=np.ones(len(links)),
        bounds=Bounds(0, 1),
        options={"mip_rel_gap": 0.0},
    )
    if not result.success:
        raise ModelError(f"No optimal matching was found: {result.message}")
    return [one for one, value in zip(links, result.x, strict=True) if value > 0.5]
