"""The SMT resource: paraphrases by pivoting through parallel text, and ready-made ones from PPDB files.

Two expressions with the same translation stand for each other: p(y | x) = Σ_f p(f | x) p(y | f) over the foreign
phrases f (Bannard & Callison-Burch 2005, equation 2; as in ParaEval, Zhou et al. 2006), with both translation
probabilities from the counts of phrase pairs. The paper keeps pairs with the same number of words and the same parts of
speech (word by word; an expression has the tags it has most often), and what each filter leaves is counted. `read_ppdb`
reads a file of the Paraphrase Database (Ganitkevitch, Van Durme & Callison-Burch 2013), which was made in the same way
from 100 million sentence pairs.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from nbhelpers.base.errors import DataFormatError
from nbhelpers.base.files import open_text
from nbhelpers.metrics.paraphrase import tables
from nbhelpers.metrics.paraphrase.tables import Expression, Pairs, ParaphraseTable
from nbhelpers.metrics.paraphrase.tokens import cut
from nbhelpers.resources.data import find
from nbhelpers.studies.paraphrase.alignment import AlignmentSettings, align, encode, phrase_pairs
from nbhelpers.studies.paraphrase.parallel import PUNCTUATION, ParallelText, Tagged, analyse, analyser_signature

NAME = "SMT"

LONGEST_PHRASE = 4
"""Words of a phrase, on either side of the translation."""

LEAST_PROBABILITY = 0.01
"""Least p(y | x) of a paraphrase that is kept."""

MOST = 20
"""So many paraphrases of an expression are kept, the most probable first."""

Report = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class PivotSettings:
    """Which paraphrases are kept.

    An expression x is compared with its paraphrase y, as in the paper's example ("we don't consider a noun phrase and a
    verb phrase to be a paraphrase"). Its sentence before ("we deleted English-Japanese expression pairs …") compares
    each of them with their translation.

    Attributes
    ----------
    minimum_count : int
        Phrase pairs that were seen less often are passed over. Probabilities are taken before that, so that a filter
        never raises one.
    """

    minimum_count: int = 2

    @property
    def signature(self) -> str:
        """All settings in one line, among them those that are fixed."""
        return (
            f"pivot(longest_phrase:{LONGEST_PHRASE},minimum_count:{self.minimum_count},same_length:True,same_tags:True,"
            f"level:paraphrase,minimum_probability:{LEAST_PROBABILITY},most:{MOST})"
        )


@dataclass(frozen=True)
class Translations:
    """How often expressions were translated by which foreign phrases.

    Attributes
    ----------
    expressions : list of tuple of str
        In alphabetical order.
    counts : scipy.sparse.csr_array of float64, shape (expressions, pivots)
    tags : list of tuple of str
        Parts of speech of each expression.
    report : tuple of (str, int)
        What was counted on the way.
    """

    expressions: list[Expression] = field(repr=False)
    counts: csr_array = field(repr=False)
    tags: list[tuple[str, ...]] = field(repr=False)
    report: Report = ()


def translations(side: Tagged, pivot: Tagged) -> Translations:
    """The phrase table of parallel sentences.

    Parameters
    ----------
    side, pivot : sequence of sequences of (str, str)
        The sentences of the language of the paraphrases and of the other one, as (token, tag); tokens tagged
        ``PUNCT`` are aligned but are part of no phrase.
    """
    (words, tags), (foreign, foreign_tags) = (
        [[tuple(one[place] for one in sentence) for sentence in text] for place in (0, 1)] for text in (side, pivot)
    )
    links = align(encode(words), encode(foreign))
    number: dict[Expression, int] = {}
    pivot_number: dict[Expression, int] = {}
    rows, columns = [], []
    for x, x_tags, f, f_tags, pairs in zip(words, tags, foreign, foreign_tags, links, strict=True):
        for at, there in phrase_pairs(pairs, (len(x), len(f)), LONGEST_PHRASE):
            if PUNCTUATION not in x_tags[at] and PUNCTUATION not in f_tags[there]:
                rows.append(number.setdefault(x[at], len(number)))
                columns.append(pivot_number.setdefault(f[there], len(pivot_number)))
    expressions, pivots = sorted(number), sorted(pivot_number)
    counts = csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(expressions), len(pivots)))
    counts = counts[[number[x] for x in expressions]][:, [pivot_number[f] for f in pivots]]
    counts.sort_indices()
    long = [max(len(x), len(f)) > AlignmentSettings.longest for x, f in zip(words, foreign)]
    report = (
        ("sentence pairs", len(links)),
        ("sentence pairs too long to align", sum(long)),
        ("word links", sum(map(len, links))),
        ("phrase pair occurrences", len(rows)),
    )
    tags_of = _commonest_tags(words, tags, number)
    return Translations(expressions, counts, [tags_of[x] for x in expressions], report)


def _commonest_tags(
    words: list[Expression], tags: list[tuple[str, ...]], phrases: Mapping[Expression, int]
) -> dict[Expression, tuple[str, ...]]:
    """The parts of speech that each phrase has most often, the first by alphabet among equals."""
    counts: Counter = Counter()
    for x, kinds in zip(words, tags):
        for length in range(1, LONGEST_PHRASE + 1):
            for start in range(len(x) - length + 1):
                if (phrase := x[start : start + length]) in phrases:
                    counts[phrase, kinds[start : start + length]] += 1
    ranked = sorted(counts, key=lambda one: one[1], reverse=True)
    ranked.sort(key=counts.__getitem__)
    return dict(ranked)  # of each phrase the last one stays


# ------------------------------------------------------------------------------------------------------ pivoting


def pivot(table: Translations, settings: PivotSettings = PivotSettings()) -> tuple[Pairs, Report]:
    """Paraphrases of a phrase table.

    Parameters
    ----------
    table : Translations
    settings : PivotSettings

    Returns
    -------
    dict of Expression to dict of Expression to float
        p(y | x) for x ≠ y; the probabilities of an expression sum to at most 1, most probable first.
    tuple of (str, int)
        The table's report, then the number of translation pairs and of paraphrase pairs before the filters and after
        each of them, in the order in which they apply.
    """
    counts = table.counts
    rows, columns = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr)), counts.indices
    onward = counts.data / counts.sum(axis=1)[rows]
    backward = counts.data / counts.sum(axis=0)[columns]
    kept = counts.data >= settings.minimum_count
    least = "once" if settings.minimum_count == 1 else f"{settings.minimum_count} times"
    report = [("translation pairs", counts.nnz), (f"… seen at least {least}", int(kept.sum()))]
    number = {kinds: place for place, kinds in enumerate(dict.fromkeys(table.tags))}
    filters = {
        "… with the same number of words": np.array([len(x) for x in table.expressions], int),
        "… with the same parts of speech": np.array([number[kinds] for kinds in table.tags], int),
    }
    forward = csr_array((onward[kept], (rows[kept], columns[kept])), shape=counts.shape)
    back = csr_array((backward[kept], (columns[kept], rows[kept])), shape=counts.shape[::-1])
    numbers: Counter = Counter()
    pairs: Pairs = {}
    for left, right, scores in tables.products(forward, back):
        kept = left != right
        numbers["paraphrase pairs"] += int(kept.sum())
        for name, kinds in filters.items():
            kept &= kinds[left] == kinds[right]
            numbers[name] += int(kept.sum())
        kept &= scores >= LEAST_PROBABILITY
        numbers[f"… with a probability of at least {LEAST_PROBABILITY:g}"] += int(kept.sum())
        left, right, scores = left[kept], right[kept], scores[kept]
        order = tables.best(left, right, scores, MOST)
        numbers[f"… among the first {MOST} of an expression"] += len(order)
        for x, y, score in zip(left[order].tolist(), right[order].tolist(), scores[order].tolist()):
            pairs.setdefault(table.expressions[x], {})[table.expressions[y]] = score
    return pairs, (*table.report, *report, *numbers.items())


def pivot_table(text: ParallelText, language: str = "en", settings: PivotSettings = PivotSettings()) -> ParaphraseTable:
    """Paraphrases by pivoting through the other language of a parallel text (section 4.2).

    Parameters
    ----------
    text : ParallelText
    language : {"en", "ja"}
        Language of the paraphrases, one of the text's two.
    settings : PivotSettings

    Returns
    -------
    ParaphraseTable
        With the counts before and after each filter as its report.

    Raises
    ------
    InputError
        The text is not in the language.

    Examples
    --------
    >>> from nbhelpers.studies.paraphrase.parallel import parallel_text
    >>> text = parallel_text(["Hi!", "Hello!"] * 3, ["Hallo!"] * 6, ("en", "de"))
    >>> pivot_table(text).pairs
    {('hello',): {('hi',): 0.5}, ('hi',): {('hello',): 0.5}}
    """
    tables.check_language(language)
    other = text.other(language)
    signature = (
        f"smt|{text.signature}|{language}:{analyser_signature(language)}|{other}:{analyser_signature(other)}"
        f"|{AlignmentSettings().signature}|{settings.signature}"
    )
    side, foreign = analyse(text.side(language), language), analyse(text.side(other), other)
    pairs, report = pivot(translations(side, foreign), settings)
    return ParaphraseTable(NAME, language, pairs, signature, report)


# ------------------------------------------------------------------------------------------------------------ PPDB


def read_ppdb(path: str | Path | None = None) -> ParaphraseTable:
    """English paraphrases from a file of the Paraphrase Database.

    Two formats are told by their first line. The official one of release 1.0 is
    ``LHS ||| PHRASE ||| PARAPHRASE ||| FEATURES ||| ALIGNMENT`` (release 2.0 adds a column); the score of a pair is
    p(paraphrase | phrase) from its features ``p(e|f)`` or ``-logp(e2|e1)``, negative natural logarithms, or 1 if the
    line has neither; of several lines for a pair the highest counts. The other has two or three columns separated by
    tabs: an unordered pair of expressions and perhaps a score, else 1.

    Words are those of the matcher: hyphenated words are split and punctuation is dropped. Lines with no word on a side,
    or with the same words on both, are left out. Lexical and phrasal files are read; nonterminals are not known.

    Parameters
    ----------
    path : path, optional
        The file, plain or packed; by default the registered ``ppdb-lexical``, wherever it is found.

    Raises
    ------
    ResourceNotFoundError
        There is no such file.
    DataFormatError
        A line does not follow the format, an expression is empty, or a score is no number; with file and line. Also
        for an empty file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
    ...     print("[JJ] ||| big ||| large ||| p(e|f)=0 ||| 0-0", file=file, flush=True)
    ...     dict(read_ppdb(file.name).pairs)
    {('big',): {('large',): 1.0}}
    """
    located = find("ppdb-lexical") if path is None else None
    path = located.path if located else Path(path)
    pairs: Pairs = {}
    digest, official = hashlib.sha256(), None
    with open_text(path) as reader:
        for line in reader:
            digest.update(line.encode())
            if official is None:
                official = "|||" in line
            try:
                left, right, score = (_official if official else _columns)(line.rstrip("\n"))
                if not left or not right or not math.isfinite(score):
                    raise ValueError
            except ValueError:
                form = "LHS ||| PHRASE ||| PARAPHRASE ||| FEATURES ||| ALIGNMENT" if official else _COLUMNS
                raise DataFormatError(path, reader.line, f"is not {form}") from None
            x, y = cut(left, "en"), cut(right, "en")
            if x and y and x != y:
                tables.add_pair(pairs, x, y, score)
                if not official:
                    tables.add_pair(pairs, y, x, score)
    if official is None:
        raise DataFormatError(path, 1, "the file is empty")
    name = located.name if located else "ppdb"
    signature = f"smt|{name}@{digest.hexdigest()[:8]}|minimum_score:0|both_directions:{not official}"
    return ParaphraseTable(NAME, "en", pairs, signature)


_COLUMNS = "two expressions and perhaps a score, separated by tabs"


def _official(line: str) -> tuple[str, str, float]:
    _, left, right, features, _, *_ = (column.strip() for column in line.split("|||"))
    for feature in features.split():
        name, _, value = feature.rpartition("=")
        if name in ("p(e|f)", "-logp(e2|e1)"):
            # Rounding makes some of these logarithms slightly negative.
            return left, right, min(1.0, math.exp(-float(value)))
    return left, right, 1.0


def _columns(line: str) -> tuple[str, str, float]:
    columns = line.split("\t")
    left, right, score = columns if len(columns) == 3 else (*columns, 1.0)
    return left, right, float(score)
