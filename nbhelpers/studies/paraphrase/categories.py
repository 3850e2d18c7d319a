"""The categories of paraphrases of Hirahara et al. (2010, section 3.2), and which resource explains a pair (Table 2).

People sorted the paper's 318 pairs. Here a pair is sorted by the paraphrase tables at hand. Its two expressions are
cut, from left to right, into as many pieces each; a piece and its counterpart are the same words or stand in a table,
in either direction. The pair belongs to the lowest category with which such a cut succeeds:

* A, the same words in other characters: every piece is literal or in the table ``Variants``;
* B, word level: at worst a pair of single words of another table;
* C, phrase level: at worst an entry in which a side has two words or more;
* D, clause level: as C, and a side of that entry is a clause, that is, has a subject and after it a predicate;
* E, others: no cut succeeds.

So E also holds the phrases and clauses that the tables do not know: the counts say what the resources at hand can
explain, not what kind of paraphrases people would see.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nbhelpers.base.errors import InputError
from nbhelpers.results import published
from nbhelpers.studies.paraphrase.expressions import LANGUAGES, Expression, ParaphraseTable
from nbhelpers.studies.paraphrase.tokens import coarse_tags, tokenize
from nbhelpers.studies.paraphrase.variants import NAME as VARIANTS

if TYPE_CHECKING:
    import pandas

LONGEST_ENTRY = 12
"""Words of the longest table entry that a cut may use."""

Pair = tuple[str | Expression, str | Expression]
"""Two expressions, as texts or as words."""


class Category(enum.Enum):
    """A category of section 3.2; the value is the level that Table 2 names."""

    A = "character"
    B = "word"
    C = "phrase"
    D = "clause"
    E = "others"

    @property
    def level(self) -> str:
        """What the paraphrase is about: character, word, phrase, clause, others."""
        return self.value


@dataclass(frozen=True)
class Piece:
    """A piece of both expressions and what makes them the same.

    Attributes
    ----------
    first, second : Expression
    resource : str
        Name of the table, or nothing for the same words.
    category : Category or None
        None for the same words.
    """

    first: Expression
    second: Expression
    resource: str
    category: Category | None


@dataclass(frozen=True)
class Explanation:
    """A classified pair.

    Attributes
    ----------
    first, second : Expression
    category : Category
    pieces : tuple of Piece
        The cut that explains it, from left to right; empty for category E.
    """

    first: Expression
    second: Expression
    category: Category
    pieces: tuple[Piece, ...]


# ---------------------------------------------------------------------------------------------------- clauses

_PREDICATES = {"en": frozenset({"VERB", "AUX"}), "ja": frozenset({"VERB", "ADJ", "AUX"})}
_NOMINALS = frozenset({"NOUN", "PROPN", "PRON", "NUM"})
_SUBJECT_PARTICLES = frozenset("がはも")


@functools.lru_cache(maxsize=1 << 14)
def is_clause(expression: Expression, language: str) -> bool:
    """Whether an expression has a subject and after it a predicate, by its parts of speech.

    In English the subject is a noun, name or pronoun before a verb; in Japanese a noun or pronoun with が, は or も
    before a verb, an adjective or an auxiliary.

    Raises
    ------
    InputError
        The language is unknown.
    """
    tags = coarse_tags(expression, language)
    subject = False
    for place, tag in enumerate(tags):
        if subject and tag in _PREDICATES[language]:
            return True
        if language == "ja":
            subject |= expression[place] in _SUBJECT_PARTICLES and place > 0 and tags[place - 1] in _NOMINALS
        else:
            subject |= tag in _NOMINALS
    return False


# ------------------------------------------------------------------------------------------------ classifying

_RANK = {None: 0, **{category: rank for rank, category in enumerate(Category, 1)}}


def _language_of(tables: Sequence[ParaphraseTable], language: str | None) -> str:
    if isinstance(tables, ParaphraseTable):
        raise InputError("Tables are a sequence of paraphrase tables: put a single one into a list.")
    if len({table.name for table in tables}) < len(tables):
        raise InputError("Two paraphrase tables have the same name.")
    languages = {table.language for table in tables} | ({language} if language is not None else set())
    if len(languages) != 1 or not languages <= set(LANGUAGES):
        raise InputError(
            f"Tables and pairs are in one of {', '.join(LANGUAGES)}, not in {sorted(languages) or 'none'}."
        )
    return languages.pop()


def _expressions(pair: Pair, language: str) -> tuple[Expression, Expression]:
    if isinstance(pair, str) or len(pair) != 2:
        raise InputError(f"A pair is two expressions, not {pair!r:.80}.")
    first, second = (tokenize(side, language) if isinstance(side, str) else tuple(side) for side in pair)
    if not first or not second:
        raise InputError(f"The pair {pair!r:.80} has a side without words.")
    if first == second or (language == "ja" and "".join(first) == "".join(second)):
        raise InputError(f"The pair {pair!r:.80} has the same words on both sides: that is no paraphrase.")
    return first, second


def _piece(first: Expression, second: Expression, tables: Sequence[ParaphraseTable], language: str) -> Piece | None:
    """Two expressions as one piece of a cut, in the lowest category that holds; None where nothing does."""
    if first == second:
        return Piece(first, second, "", None) if len(first) == 1 else None
    holding = [
        table.name for table in tables if second in table.pairs.get(first, ()) or first in table.pairs.get(second, ())
    ]
    if not holding:
        return None
    if VARIANTS in holding:
        return Piece(first, second, VARIANTS, Category.A)
    if len(first) == len(second) == 1:
        return Piece(first, second, holding[0], Category.B)
    is_d = is_clause(first, language) or is_clause(second, language)
    return Piece(first, second, holding[0], Category.D if is_d else Category.C)


def explain(pair: Pair, tables: Sequence[ParaphraseTable], *, language: str | None = None) -> Explanation:
    """Category of a pair of expressions, with the table entries that explain it.

    Among cuts of the same category the one with the fewest pieces that are not literal is given.

    Parameters
    ----------
    pair : (x, y)
        Texts, or words as `nbhelpers.studies.paraphrase.tokens.tokenize` gives them.
    tables : sequence of ParaphraseTable
        The resources at hand, in one language. The one called ``Variants`` makes category A.
    language : {"en", "ja"}, optional
        Needed only where there are no tables.

    Raises
    ------
    InputError
        A side has no words, both have the same, or the languages differ.
    """
    language = _language_of(tables, language)
    first, second = _expressions(pair, language)
    # For each pair of prefixes the rank of the worst piece, and with it the fewest pieces that are not literal.
    best: dict[tuple[int, int], dict[int, tuple[int, tuple[Piece, ...]]]] = {(0, 0): {0: (0, ())}}
    for i in range(len(first)):
        for j in range(len(second)):
            if (i, j) not in best:
                continue
            for a in range(1, min(LONGEST_ENTRY, len(first) - i) + 1):
                for b in range(1, min(LONGEST_ENTRY, len(second) - j) + 1):
                    piece = _piece(first[i : i + a], second[j : j + b], tables, language)
                    if piece is None:
                        continue
                    reached = best.setdefault((i + a, j + b), {})
                    for rank, (number, pieces) in best[i, j].items():
                        rank, number = max(rank, _RANK[piece.category]), number + (piece.category is not None)
                        if rank not in reached or number < reached[rank][0]:
                            reached[rank] = (number, (*pieces, piece))
    end = best.get((len(first), len(second)))
    if end is None:
        return Explanation(first, second, Category.E, ())
    lowest = min(end)
    return Explanation(first, second, next(c for c in Category if _RANK[c] == lowest), end[lowest][1])


def classify(pair: Pair, tables: Sequence[ParaphraseTable], *, language: str | None = None) -> Category:
    """Category of a pair of expressions; see `explain`."""
    return explain(pair, tables, language=language).category


def count(
    pairs: Iterable[Pair],
    tables: Sequence[ParaphraseTable],
    *,
    language: str | None = None,
    marks: Sequence[str] | None = None,
) -> pandas.DataFrame:
    """How many pairs fall into each category, beside the paper's Table 2.

    Parameters
    ----------
    pairs : iterable of (x, y)
        Marked by people, or found by `differing_expressions`.
    tables : sequence of ParaphraseTable
        The resources at hand, in one language.
    language : {"en", "ja"}, optional
        Needed only where there are no tables.
    marks : sequence of str, optional
        The category (``A`` to ``E``) that people gave to each pair.

    Returns
    -------
    pandas.DataFrame
        One row per category (A to E) with the columns ``level``; ``pairs`` and ``share`` (0 to 1, missing without
        pairs); ``paper pairs`` and ``paper share`` (of 318); with `marks`, ``marked`` (pairs of this category
        according to people) and ``agreed`` (those of them that the tables put there, too); and for each table the
        number of ``pairs`` that it explains by itself.

    Raises
    ------
    InputError
        As `explain` does, with the number of the pair from 1; or the marks are not one letter for each pair.
    """
    import pandas

    language = _language_of(tables, language)
    pairs = list(pairs)
    letters = [category.name for category in Category]
    if marks is not None and (len(marks) != len(pairs) or not set(marks) <= set(letters)):
        raise InputError(f"Marks are one of {', '.join(letters)} for each of the {len(pairs)} pairs.")
    agreed = dict.fromkeys(letters, 0)
    counts = {category: {"pairs": 0, **{table.name: 0 for table in tables}} for category in Category}
    for number, pair in enumerate(pairs, 1):
        try:
            category = classify(pair, tables, language=language)
        except InputError as error:
            raise InputError(f"Pair {number}: {error}") from None
        agreed[category.name] += marks is not None and marks[number - 1] == category.name
        counts[category]["pairs"] += 1
        for table in tables if category is not Category.E else ():
            counts[category][table.name] += classify(pair, [table]) is not Category.E
    rows = []
    for category in Category:
        found = counts[category]
        rows.append(
            {
                "level": category.level,
                "pairs": found.pop("pairs"),
                "paper pairs": int(published.value("paraphrase/table2", category.name, "Number of cases")),
                "paper share": published.value("paraphrase/table2", category.name, "Share of cases") / 100,
                **found,
            }
        )
    frame = pandas.DataFrame(rows, index=pandas.Index(letters, name="category"))
    frame.insert(2, "share", frame["pairs"] / len(pairs) if pairs else float("nan"))
    if marks is not None:
        frame.insert(5, "marked", [list(marks).count(letter) for letter in letters])
        frame.insert(6, "agreed", [agreed[letter] for letter in letters])
    return frame
