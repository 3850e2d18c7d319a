"""Matching the words of a reference with those of a candidate by paraphrases (section 4.1), explained link by link.

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
from scipy.optimize import Bounds, LinearConstraint, linear_sum_assignment, milp

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


# ------------------------------------------------------------------------------------------------------ greedy matching


@dataclass(frozen=True)
class _Pair:
    """All that two texts allow: paraphrase links in greedy order, and the places of each word that both have."""

    reference: Expression
    candidate: Expression
    links: tuple[Possible, ...]
    shared: tuple[tuple[int, int], ...]
    present: int


def _word_bits(words: Expression) -> dict[str, int]:
    bits: dict[str, int] = {}
    for position, word in enumerate(words):
        bits[word] = bits.get(word, 0) | 1 << position
    return bits


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
        self._sides = []  # (bit of a table, what each expression of a reference may be matched by)
        for bit, table in enumerate(self.tables):
            if self.settings.direction != "candidate":
                self._sides.append((1 << bit, table.pairs))
            if self.settings.direction != "reference":
                inverse: dict[Expression, dict[Expression, float]] = defaultdict(dict)
                for source, targets in table.pairs.items():
                    for target, score in targets.items():
                        inverse[target][source] = score
                self._sides.append((1 << bit, dict(inverse)))
        self._longest_source = max((len(x) for _, pairs in self._sides for x in pairs), default=0)
        every_target = (y for _, pairs in self._sides for targets in pairs.values() for y in targets)
        self._longest_target = max(map(len, every_target), default=0)
        # Texts come topic by topic, so few need to be remembered; expressions come again and again.
        self._targets = functools.lru_cache(1 << 12)(self._look_up)
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
        >>> Index([table]).match(["the", "car", "stopped"], ["an", "auto", "stopped"]).counts
        {1: 0, 2: 1, 3: 1}
        """
        pair = self._pair(_checked(reference, "reference"), _checked(candidate, "candidate"))
        mask = self._mask(self.names)
        links = []
        for one in self._taken(pair, mask):
            if one.literal:
                links += [Link(3, (one.i + k,), (one.j + k,)) for k in range(one.m)]
            else:
                x, y = pair.reference[one.i : one.i + one.m], pair.candidate[one.j : one.j + one.n]
                named = self._scores(x, y, one.mask)
                places = tuple(range(one.i, one.i + one.m)), tuple(range(one.j, one.j + one.n))
                links.append(Link(one.step, *places, tuple(named), tuple(named.values())))
        links.sort(key=lambda link: link.reference)
        return Match(pair.reference, pair.candidate, tuple(links))

    def recalls(
        self,
        references: Sequence[Iterable[str]],
        candidate: Iterable[str],
        combinations: Sequence[Collection[str]],
    ) -> np.ndarray:
        """The score of a candidate by each combination of tables.

        Parameters
        ----------
        references : sequence of sequences of str
            Words of one or more references, whose matched words are added up.
        candidate : sequence of str
        combinations : sequence of collections of str
            Names of tables; an empty one gives ROUGE-1.

        Returns
        -------
        numpy.ndarray, float64, shape (combinations,)
            Recalls in [0, 1].

        Raises
        ------
        InputError
            There is no reference, a reference has no words, or a table does not exist.

        Examples
        --------
        >>> table = ParaphraseTable("W", "en", {("car",): {("auto",): 1.0}}, "made up")
        >>> Index([table]).recalls([["a", "car"]], ["an", "auto"], ["", "W"]).tolist()
        [0.0, 0.5]
        """
        texts = [_checked(reference, "reference") for reference in references]
        if not texts:
            raise InputError("There is no reference, so no recall.")
        candidate = _checked(candidate, "candidate")
        pairs = [self._pair(text, candidate) for text in texts]
        present = functools.reduce(int.__or__, (pair.present for pair in pairs))
        total = sum(map(len, texts))
        found: dict[int, float] = {}  # tables that have no link here change nothing
        values = []
        for combination in combinations:
            mask = self._mask(combination) & present
            if mask not in found:
                found[mask] = sum(self._matched(pair, mask) for pair in pairs) / total
            values.append(found[mask])
        return np.array(values)

    # What is possible ---------------------------------------------------------------------------------------------

    def _look_up(self, expression: Expression) -> dict[Expression, int]:
        """What an expression may be matched by, with the bits of the tables that say so."""
        found: dict[Expression, int] = {}
        for bit, pairs in self._sides:
            for target in pairs.get(expression, ()):
                if target != expression:  # the same words are the literal step's
                    found[target] = found.get(target, 0) | bit
        return found

    def _expand(self, reference: Expression) -> dict[Expression, list[tuple[int, int, int]]]:
        """For everything that may match words of a reference the places (start, length) and the bits."""
        expansions: dict[Expression, list[tuple[int, int, int]]] = {}
        for i in range(len(reference)):
            for m in range(1, min(self._longest_source, len(reference) - i) + 1):
                for target, mask in self._targets(reference[i : i + m]).items():
                    expansions.setdefault(target, []).append((i, m, mask))
        return expansions

    def _find_places(self, candidate: Expression) -> dict[Expression, list[int]]:
        """Where each run of words starts in a candidate, up to the longest expression."""
        places: dict[Expression, list[int]] = {}
        for n in range(1, max(1, self._longest_target, self._longest_source) + 1):
            for j in range(len(candidate) - n + 1):
                places.setdefault(candidate[j : j + n], []).append(j)
        return places

    def _pair(self, reference: Expression, candidate: Expression) -> _Pair:
        expansions, places = self._expansions(reference), self._places(candidate)
        steps: tuple[list[Possible], list[Possible]] = [], []
        literal: dict[tuple[int, int, int], int] = {}
        present = 0
        for target in expansions.keys() & places.keys():
            n = len(target)
            for i, m, mask in expansions[target]:
                step = 1 if m == n == 1 else 0
                present |= mask
                literal[step, i, m] = literal.get((step, i, m), 0) | mask
                steps[step].extend(possible(i, m, j, n, mask) for j in places[target])
        if self.settings.literals == "preferred" and self.settings.matching == "greedy":
            for (step, i, m), mask in literal.items():
                same = places.get(reference[i : i + m], ())
                steps[step].extend(possible(i, m, j, m, mask, True) for j in same)
        # The key of a link is its own, so that neither the order of tables nor that of their pairs has a say.
        if self.settings.phrases == "longest":
            steps[0].sort(key=lambda one: (-one.m, not one.literal, -one.n, one.i, one.j))
        else:
            steps[0].sort(key=lambda one: (one.i, -one.m, not one.literal, -one.n, one.j))
        steps[1].sort(key=lambda one: (one.i, not one.literal, one.j))
        ours, theirs = _word_bits(reference), _word_bits(candidate)
        shared = sorted((bits, theirs[word]) for word, bits in ours.items() if word in theirs)
        return _Pair(reference, candidate, (*steps[0], *steps[1]), tuple(shared), present)

    def _scores(self, x: Expression, y: Expression, mask: int) -> dict[str, float]:
        """Score of a pair in each table that has it, by name; the higher one where it is read both ways."""
        named: dict[str, float] = {}
        for bit, pairs in self._sides:
            if bit & mask and y in pairs.get(x, ()):
                name = self.names[bit.bit_length() - 1]
                named[name] = max(named.get(name, float("-inf")), float(pairs[x][y]))
        return named

    # What is taken ------------------------------------------------------------------------------------------------

    def _greedy(self, pair: _Pair, mask: int) -> tuple[list[Possible], int, int]:
        """Paraphrase links taken in order, and the words of either side that they use up."""
        taken: list[Possible] = []
        ours = theirs = 0
        if self.settings.literals == "first":
            taken = self._literals(pair, 0, 0)
            ours = sum(one.reference_bits for one in taken)
            theirs = sum(one.candidate_bits for one in taken) if self.settings.clip else 0
        for one in pair.links:
            if one.mask & mask and not one.reference_bits & ours and not one.candidate_bits & theirs:
                taken.append(one)
                ours |= one.reference_bits
                if self.settings.clip:
                    theirs |= one.candidate_bits
        return taken, ours, theirs

    def _literals(self, pair: _Pair, ours: int, theirs: int) -> list[Possible]:
        """The same words on both sides that are free, from the left."""
        taken = []
        for reference_bits, candidate_bits in pair.shared:
            free, partners = positions(reference_bits & ~ours), positions(candidate_bits & ~theirs)
            if not self.settings.clip and partners:
                taken += [possible(i, 1, partners[0], 1, 0, True) for i in free]
            else:
                taken += [possible(i, 1, j, 1, 0, True) for i, j in zip(free, partners, strict=False)]
        return taken

    def _taken(self, pair: _Pair, mask: int) -> list[Possible]:
        if self.settings.matching == "optimal":
            return self._optimal(pair, mask)
        taken, ours, theirs = self._greedy(pair, mask)
        return taken if self.settings.literals == "first" else taken + self._literals(pair, ours, theirs)

    def _matched(self, pair: _Pair, mask: int) -> int:
        """Number of matched reference words; step 3 only counts."""
        if self.settings.matching == "optimal":
            return sum(one.m for one in self._optimal(pair, mask))
        _, ours, theirs = self._greedy(pair, mask)
        matched = ours.bit_count()
        if self.settings.literals != "first":
            for reference_bits, candidate_bits in pair.shared:
                free = (reference_bits & ~ours).bit_count()
                matched += min(free, (candidate_bits & ~theirs).bit_count()) if self.settings.clip else free
        return matched

    def _optimal(self, pair: _Pair, mask: int) -> list[Possible]:
        allowed = (one for one in pair.links if one.mask & mask)
        return optimal_links(allowed, pair.shared, len(pair.reference), self.settings.clip)


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


# ----------------------------------------------------------------------------------------------------- optimal matching


def optimal_links(
    links: Iterable[Possible], shared: Sequence[tuple[int, int]], length: int, clip: bool
) -> list[Possible]:
    """Links that together match most words of the reference: what the greedy steps of section 4.1 give away.

    Words of either side and the links between them fall into connected parts that are solved one by one, each exactly:
    a part with one-word links only is an assignment problem (`scipy.optimize.linear_sum_assignment`, a maximum
    bipartite matching), one with longer expressions an integer programme (`scipy.optimize.milp`, solved to a gap of
    zero), as is every part where words of the candidate are not used up. Among the solutions that match most words one
    with most literal matches is taken.

    Parameters
    ----------
    links : iterable of Possible
        Paraphrase links that are allowed; each word of the reference may be in one that is taken at most.
    shared : sequence of (int, int)
        For each word that both texts have its places in the reference and in the candidate, as bits.
    length : int
        Words of the reference.
    clip : bool
        Whether a word of the candidate may be in one link at most.

    Returns
    -------
    list of Possible
        From the left of the reference.

    Raises
    ------
    ModelError
        The solver found no solution.
    """
    allowed = [one for one in links if not one.literal]
    for ours, theirs in shared:
        allowed += [possible(i, 1, j, 1, 0, True) for i in positions(ours) for j in positions(theirs)]
    allowed.sort(key=lambda one: (one.i, one.m, not one.literal, one.n, one.j))
    if not clip:  # a link uses up no word of the candidate
        allowed = [one._replace(candidate_bits=0) for one in allowed]
    taken: list[Possible] = []
    for part in _parts(allowed):
        solve = _assign if clip and all(one.m == one.n == 1 for one in part) else _programme
        taken += solve(part, length + 1)
    return sorted(taken, key=lambda one: one.i)


def _parts(links: Sequence[Possible]) -> list[list[Possible]]:
    """Links grouped so that those of different groups share no word."""
    groups: list[tuple[int, int, list[Possible]]] = []
    for one in links:
        ours, theirs, members = one.reference_bits, one.candidate_bits, [one]
        apart = []
        for group in groups:
            if group[0] & ours or group[1] & theirs:
                ours, theirs, members = ours | group[0], theirs | group[1], group[2] + members
            else:
                apart.append(group)
        groups = [*apart, (ours, theirs, members)]
    return [members for _, _, members in groups]


def _gain(one: Possible, weight: int) -> int:
    """Matched words count first; a literal match is worth less than a word, whatever their number."""
    return one.m * weight + one.literal


def _assign(links: Sequence[Possible], weight: int) -> list[Possible]:
    """Part with one-word links only."""
    _, rows = np.unique([one.i for one in links], return_inverse=True)
    _, columns = np.unique([one.j for one in links], return_inverse=True)
    gains = np.zeros((rows.max() + 1, columns.max() + 1))
    gains[rows, columns] = [_gain(one, weight) for one in links]
    chosen = set(zip(*linear_sum_assignment(gains, maximize=True)))
    return [one for one, place in zip(links, zip(rows, columns)) if place in chosen]


def _programme(links: Sequence[Possible], weight: int) -> list[Possible]:
    """Part with longer expressions: choose links so that no word is in two of them."""
    sides = [one.reference_bits for one in links], [one.candidate_bits for one in links]
    words = [[bits >> place & 1 for bits in side] for side in sides for place in range(max(side).bit_length())]
    result = milp(
        -np.array([_gain(one, weight) for one in links], dtype=float),
        constraints=LinearConstraint(words, ub=1.0),
        integrality=np.ones(len(links)),
        bounds=Bounds(0, 1),
        options={"mip_rel_gap": 0.0},
    )
    if not result.success:
        raise ModelError(f"No optimal matching was found: {result.message}")
    return [one for one, value in zip(links, result.x, strict=True) if value > 0.5]
