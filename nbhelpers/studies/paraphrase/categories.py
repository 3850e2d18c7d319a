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
from collections.abc import Mapping, Sequence

import pandas

from nbhelpers.base import stats
from nbhelpers.base.errors import InputError
from nbhelpers.metrics.paraphrase.tables import Expression, ParaphraseTable
from nbhelpers.metrics.paraphrase.tokens import coarse_tags, tokenize
from nbhelpers.metrics.paraphrase.variants import NAME as VARIANTS
from nbhelpers.results import estimates, evidence
from nbhelpers.studies.paraphrase.experiment import LETTERS
from nbhelpers.studies.paraphrase.sources import marked_paraphrases, real_tables, signature_of, words_in

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
        Words as `nbhelpers.metrics.paraphrase.tokens.tokenize` gives them.
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


def run(
    pairs: Sequence[tuple[str, str]], tables: Mapping[str, ParaphraseTable], marks: Sequence[str]
) -> pandas.DataFrame:
    """The category of each pair, and which resources explain it.

    Parameters
    ----------
    pairs : sequence of (str, str)
        Texts that say the same in other words.
    tables : mapping of str to ParaphraseTable
        By letter, in one language.
    marks : sequence of str
        The category (``A`` to ``E``) that people gave to each pair.

    Returns
    -------
    pandas.DataFrame
        For each pair ``marked``, ``found`` (the category by all tables together), and for each letter whether that
        table explains the pair by itself.

    Raises
    ------
    InputError
        A side has no words, both sides have the same, or the marks are not one letter for each pair.

    Examples
    --------
    >>> table = ParaphraseTable("SMT", "en", {("take", "place"): {("happen",): 1.0}}, "made up")
    >>> run([("It takes place.", "It happens."), ("take place", "happen")], {"S": table}, "CC")["found"].tolist()
    ['E', 'C']
    """
    if len(marks) != len(pairs) or not set(marks) <= set(CATEGORIES):
        raise InputError(f"Marks are one of {', '.join(CATEGORIES)} for each of the {len(pairs)} pairs.")
    lines, given = [], list(tables.values())
    for number, (pair, mark) in enumerate(zip(pairs, marks), 1):
        first, second = (tokenize(side, given[0].language) for side in pair)
        if not first or not second or "".join(first) == "".join(second):
            raise InputError(f"Pair {number} has a side without words, or the same on both sides: {pair!r:.80}.")
        found = classify(first, second, given)
        alone = [found != "E" and classify(first, second, [table]) != "E" for table in given]
        lines.append((number - 1, mark, found, *alone))
    return pandas.DataFrame(lines, columns=["pair", "marked", "found", *tables])


def record() -> tuple[pandas.DataFrame, evidence.Run]:
    """Evidence: the marked paraphrases of the Japanese editorials that ship, by real resources."""
    marked = marked_paraphrases()
    pairs = [pair[:2] for pair in marked]
    tables = real_tables("ja", words_in([text for pair in pairs for text in pair], "ja"))[0]
    run_of = evidence.Run(data="topics-ja", signature=signature_of(tables))
    return run(pairs, tables, [pair[2] for pair in marked]), run_of


@estimates.tabled
def summary(items: pandas.DataFrame) -> estimates.Rows:
    """For the rows of Table 2, how many pairs were marked so, and how many of these all tables and each one explain."""
    for letter in [*CATEGORIES, "A to D"]:
        part = items[items["marked"] == letter] if letter in CATEGORIES else items[items["marked"] != "E"]
        counts = {"marked": len(part), "explained": int((part["found"] != "E").sum())}
        counts |= {one: int(part[one].sum()) for one in LETTERS if one in part}
        yield from ({"row": letter, "column": name, "value": one, "unit": "count"} for name, one in counts.items())
    share = stats.percent(stats.proportion(items["found"] != "E"))
    yield {"row": "all", "column": "explained, %", "value": share}


TABLES = {"paraphrase/table2": summary}
