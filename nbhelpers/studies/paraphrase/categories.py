"""The categories of paraphrases of Hirahara et al. (2010, section 3.2), and which resource explains a pair (Table 2).

People sorted the paper's 318 pairs. Here a pair is sorted by paraphrase tables. Its two expressions are cut, from left
to right, into as many pieces each; a piece and its counterpart are the same words or stand in a table, in either
direction. The pair belongs to the lowest category with which such a cut succeeds:

* A, the same words in other characters: every piece is literal or in the table ``Variants``;
* B, word level: at worst a pair of single words of another table;
* C, phrase level: at worst an entry in which a side has two words or more;
* D, clause level: as C, and a side of that entry is a clause, that is, has a subject and after it a predicate;
* E, others: no cut succeeds.

So E also holds the phrases and clauses that the tables do not know: the counts say what the given resources can
explain, not what kind of paraphrases people would see.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nbhelpers.base.errors import InputError
from nbhelpers.studies.paraphrase.tables import Expression, ParaphraseTable
from nbhelpers.studies.paraphrase.tokens import coarse_tags, tokenize
from nbhelpers.studies.paraphrase.variants import NAME as VARIANTS

if TYPE_CHECKING:
    import pandas

CATEGORIES = {"A": "character", "B": "word", "C": "phrase", "D": "clause", "E": "others"}
"""The categories of section 3.2 with the level that Table 2 names."""

LONGEST_ENTRY = 12
"""Words of the longest table entry that a cut may use."""

_PREDICATES = {"en": frozenset({"VERB", "AUX"}), "ja": frozenset({"VERB", "ADJ", "AUX"})}
_NOMINALS = frozenset({"NOUN", "PROPN", "PRON", "NUM"})
_SUBJECT_PARTICLES = frozenset("がはも")


@functools.lru_cache(maxsize=1 << 14)
def is_clause(expression: Expression, language: str) -> bool:
    """Whether an expression has a subject and after it a predicate, by its parts of speech.

    In English the subject is a noun, name or pronoun before a verb; in Japanese a noun or pronoun with が, は or も
    before a verb, an adjective or an auxiliary.

    Examples
    --------
    >>> is_clause(("talks", "failed"), "en"), is_clause(("take", "place"), "en")
    (True, False)
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


def _piece(first: Expression, second: Expression, tables: Sequence[ParaphraseTable]) -> str | None:
    """Lowest category of two expressions as one piece of a cut, "" for the same word; None where nothing holds."""
    if first == second:
        return "" if len(first) == 1 else None
    holding = [
        table.name for table in tables if second in table.pairs.get(first, ()) or first in table.pairs.get(second, ())
    ]
    if not holding:
        return None
    if VARIANTS in holding:
        return "A"
    if len(first) == len(second) == 1:
        return "B"
    language = tables[0].language
    return "D" if is_clause(first, language) or is_clause(second, language) else "C"


def classify(first: Expression, second: Expression, tables: Sequence[ParaphraseTable]) -> str:
    """Category of a pair of expressions.

    Parameters
    ----------
    first, second : tuple of str
        Words as `nbhelpers.studies.paraphrase.tokens.tokenize` gives them.
    tables : sequence of ParaphraseTable
        In one language. The one called ``Variants`` makes category A.

    Returns
    -------
    {"A", "B", "C", "D", "E"}

    Examples
    --------
    >>> table = ParaphraseTable("SMT", "en", {("take", "place"): {("happen",): 1.0}}, "made up")
    >>> classify(("it", "will", "take", "place"), ("it", "will", "happen"), [table])
    'C'
    """
    best = {(0, 0): ""}  # for each pair of prefixes the category of the worst piece of their best cut
    for i in range(len(first)):
        for j in range(len(second)):
            if (i, j) not in best:
                continue
            for a in range(i + 1, min(i + LONGEST_ENTRY, len(first)) + 1):
                for b in range(j + 1, min(j + LONGEST_ENTRY, len(second)) + 1):
                    piece = _piece(first[i:a], second[j:b], tables)
                    if piece is not None:
                        best[a, b] = min(best.get((a, b), "E"), max(best[i, j], piece))
    return best.get((len(first), len(second)), "E")


def count(
    pairs: Sequence[tuple[str, str]], tables: Sequence[ParaphraseTable], marks: Sequence[str]
) -> pandas.DataFrame:
    """How many pairs fall into each category, beside people's own categories.

    Parameters
    ----------
    pairs : sequence of (str, str)
        Texts that say the same in other words.
    tables : sequence of ParaphraseTable
        In one language.
    marks : sequence of str
        The category (``A`` to ``E``) that people gave to each pair.

    Returns
    -------
    pandas.DataFrame
        One row per category with the columns ``level``; ``pairs``; ``marked`` (pairs of this category according to
        people) and ``agreed`` (those of them that the tables put there, too); and for each table how many ``pairs`` it
        explains by itself.

    Raises
    ------
    InputError
        A side has no words, both sides have the same, or the marks are not one letter for each pair.

    Examples
    --------
    >>> table = ParaphraseTable("SMT", "en", {("take", "place"): {("happen",): 1.0}}, "made up")
    >>> count([("It takes place.", "It happens."), ("take place", "happen")], [table], "CC")["pairs"].tolist()
    [0, 0, 1, 0, 1]
    """
    import pandas

    if len(marks) != len(pairs) or not set(marks) <= set(CATEGORIES):
        raise InputError(f"Marks are one of {', '.join(CATEGORIES)} for each of the {len(pairs)} pairs.")
    found, explained = [], {table.name: [] for table in tables}
    for number, pair in enumerate(pairs, 1):
        first, second = (tokenize(side, tables[0].language) for side in pair)
        if not first or not second or "".join(first) == "".join(second):
            raise InputError(f"Pair {number} has a side without words, or the same on both sides: {pair!r:.80}.")
        found.append(classify(first, second, tables))
        for table in tables:
            if found[-1] != "E" and classify(first, second, [table]) != "E":
                explained[table.name].append(found[-1])
    rows = []
    for letter, level in CATEGORIES.items():
        rows.append(
            {
                "level": level,
                "pairs": found.count(letter),
                "marked": list(marks).count(letter),
                "agreed": list(zip(found, marks)).count((letter, letter)),
                **{name: letters.count(letter) for name, letters in explained.items()},
            }
        )
    return pandas.DataFrame(rows, index=pandas.Index(list(CATEGORIES), name="category"))


def rows(counted: pandas.DataFrame) -> list[dict[str, Any]]:
    """Rows of Table 2 for the ledger, from what `count` gives; shares in percent."""
    n = int(counted["pairs"].sum())
    found = []
    for letter, line in counted.iterrows():
        marked = {"row": letter, "n": n, "note": "as the set's author marked and chose them"}
        found.append({**marked, "column": "Number of cases", "value": int(line["marked"])})
        found.append({**marked, "column": "Share of cases", "value": 100 * line["marked"] / n})
        note = f"{line['agreed']} of {line['marked']} marked ones; percent"
        share = {"column": "Share that the tables put there", "value": 100 * line["pairs"] / n, "note": note}
        found.append({"row": letter, "n": n, **share})
    explained = {"row": "A to D", "column": "Share that the tables explain", "n": n}
    note = "percent; the paper hopes for about 70, by category"
    return [*found, {**explained, "value": 100 * (1 - counted.loc["E", "pairs"] / n), "note": note}]
