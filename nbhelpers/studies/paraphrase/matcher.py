"""Matching the words of a reference with those of a candidate by paraphrases (section 4.1), explained link by link.

Step 1 looks for paraphrases with two or more words on either side, step 2 for one-word paraphrases, step 3 for the
same words; the score is the recall of the reference's words. What the paper leaves open is named in `MatchSettings`.
An `Index` holds paraphrase tables: all links that any of them allows are found once for a pair of texts, each with a
bit for every table that gives it, and each combination of tables picks from them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from nbhelpers.base.errors import InputError
from nbhelpers.studies.paraphrase.expressions import Expression, ParaphraseTable
from nbhelpers.studies.paraphrase.links import (
    Link,
    Match,
    MatchSettings,
    Possible,
    check_text,
    positions,
    possible,
)
from nbhelpers.studies.paraphrase.optimal import optimal_links


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
        self._targets = lru_cache(1 << 12)(self._look_up)
        self._expansions = lru_cache(32)(self._expand)
        self._places = lru_cache(256)(self._find_places)

    @property
    def signature(self) -> str:
        """The settings and the signatures of the tables."""
        return "|".join([self.settings.signature, *(f"{table.name}:[{table.signature}]" for table in self.tables)])

    def mask(self, resources: Collection[str] | None = None) -> int:
        """Bits of the tables with these names, of all by default; InputError for a name that no table has."""
        chosen = set(self.names if resources is None else resources)
        if unknown := chosen - set(self.names):
            raise InputError(f"There is no table {min(unknown)!r}; there are {', '.join(self.names) or 'none'}.")
        return sum(1 << bit for bit, name in enumerate(self.names) if name in chosen)

    def match(
        self, reference: Iterable[str], candidate: Iterable[str], resources: Collection[str] | None = None
    ) -> Match:
        """Match a candidate's words with a reference's.

        Parameters
        ----------
        reference, candidate : sequence of str
            Words as `nbhelpers.studies.paraphrase.tokens.tokenize` gives them. An empty candidate matches nothing.
        resources : collection of str, optional
            Names of the tables to use, all by default.

        Raises
        ------
        InputError
            The reference has no words, a text is one string, or there is no such table.
        """
        pair = self._pair(check_text(reference, "reference"), check_text(candidate, "candidate"))
        mask = self.mask(resources)
        links = []
        for one in self._taken(pair, mask):
            if one.literal:
                links += [Link(3, (one.i + k,), (one.j + k,)) for k in range(one.m)]
            else:
                x, y = pair.reference[one.i : one.i + one.m], pair.candidate[one.j : one.j + one.n]
                named = self._scores(x, y, one.mask & mask)
                places = tuple(range(one.i, one.i + one.m)), tuple(range(one.j, one.j + one.n))
                links.append(Link(one.step, *places, tuple(named), tuple(named.values())))
        links.sort(key=lambda link: link.reference)
        used = [name for bit, name in enumerate(self.names) if mask >> bit & 1]
        signature = f"{self.settings.signature}|tables:{'+'.join(used) or 'none'}"
        return Match(pair.reference, pair.candidate, tuple(links), signature)

    def recalls(
        self,
        references: Sequence[Iterable[str]],
        candidate: Iterable[str],
        combinations: Sequence[Collection[str]],
    ) -> np.ndarray:
        """The score of a candidate by each combination of tables, float64 array, in [0, 1].

        `references` are one or more texts, `combinations` names of tables (none: ROUGE-1); errors as `match`.
        """
        if isinstance(references, str) or not len(references):
            raise InputError("There is no reference, so no recall.")
        texts = [check_text(reference, "reference") for reference in references]
        candidate = check_text(candidate, "candidate")
        pairs = [self._pair(text, candidate) for text in texts]
        present = 0
        for pair in pairs:
            present |= pair.present
        found: dict[int, float] = {}  # tables that have no link here change nothing
        values = []
        for combination in combinations:
            mask = self.mask(combination) & present
            if mask not in found:
                found[mask] = self._combined([self._matched(pair, mask) for pair in pairs], texts)
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

    def _combined(self, matched: Sequence[int], texts: Sequence[Expression]) -> float:
        if self.settings.references == "pooled":
            return sum(matched) / sum(map(len, texts))
        recalls = [count / len(text) for count, text in zip(matched, texts, strict=True)]
        return float(np.mean(recalls)) if self.settings.references == "mean" else max(recalls)


def match(
    reference_words: Iterable[str],
    candidate_words: Iterable[str],
    tables: Sequence[ParaphraseTable] = (),
    settings: MatchSettings = MatchSettings(),
) -> Match:
    """Match two texts by paraphrase tables (none: ROUGE-1); an `Index` serves better for many texts.

    Errors are those of `Index` and `Index.match`.

    Examples
    --------
    >>> table = ParaphraseTable("WordNet", "en", {("car",): {("auto",): 1.0}}, "made up")
    >>> match(["the", "car", "stopped"], ["an", "auto", "stopped"], [table]).recall
    0.6666666666666666
    """
    return Index(tables, settings).match(reference_words, candidate_words)


def rouge_n(references: Sequence[Iterable[str]], candidate: Iterable[str], n: int = 1) -> float:
    """ROUGE-N by the equation of section 2.1: shared n-grams by n-grams of all references, in [0, 1].

    An n-gram of a reference counts as often as the candidate has it, at most. With n = 1 this is the matcher's score
    without tables.

    Raises
    ------
    InputError
        No reference, a text that is one string, n below 1, or no reference with n words.
    """
    if isinstance(references, str) or not len(references) or n < 1:
        raise InputError(f"ROUGE-N takes one or more references and an n of at least 1, not {n}.")

    def grams(words: Expression) -> Counter:
        return Counter(words[start : start + n] for start in range(len(words) - n + 1))

    given = grams(check_text(candidate, "candidate"))
    wanted = [grams(check_text(reference, "reference")) for reference in references]
    if not (total := sum(count.total() for count in wanted)):
        raise InputError(f"No reference has {n} words, so ROUGE-{n} is undefined.")
    return sum((count & given).total() for count in wanted) / total
