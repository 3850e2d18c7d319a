"""Paraphrases by pivoting: two expressions with the same translation stand for each other.

p(y | x) = Σ_f p(f | x) p(y | f) over the foreign phrases f (Bannard & Callison-Burch 2005, equation 2; as in ParaEval,
Zhou et al. 2006), with both translation probabilities from the counts of phrase pairs. The paper keeps pairs with the
same number of words and the same parts of speech; each filter is a field of `PivotSettings`, and what it leaves is
counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nbhelpers.base.errors import InputError
from nbhelpers.studies.paraphrase.alignment import AlignmentSettings, Encoded, encode
from nbhelpers.studies.paraphrase.expressions import Expression
from nbhelpers.studies.paraphrase.parallel import PUNCTUATION
from nbhelpers.studies.paraphrase.phrases import align, extract_phrases, phrase_numbers
from nbhelpers.studies.paraphrase.sparse_pairs import best, products

if TYPE_CHECKING:
    from scipy.sparse import csr_array

LEVELS = ("paraphrase", "translation")

Pairs = dict[Expression, dict[Expression, float]]
Report = tuple[tuple[str, int], ...]
Tagged = Sequence[Sequence[tuple[str, str]]]


@dataclass(frozen=True)
class PivotSettings:
    """Which paraphrases are kept.

    Attributes
    ----------
    longest_phrase : int
        Words of a phrase, on either side of the translation.
    minimum_count : int
        Phrase pairs that were seen less often are passed over. Probabilities are taken before that, so that a filter
        never raises one.
    same_length : bool
        Both sides have the same number of words.
    same_tags : bool
        Both sides have the same parts of speech, word by word; an expression has the tags it has most often.
    level : {"paraphrase", "translation"}
        What the last two compare: x with its paraphrase y (the reading of the paper's example, "we don't consider a
        noun phrase and a verb phrase to be a paraphrase"), or each of them with their translation f (its sentence
        before, "we deleted English-Japanese expression pairs …").
    minimum_probability : float
        Least p(y | x).
    most : int
        So many paraphrases of an expression are kept, the most probable first; 0 keeps all.
    """

    longest_phrase: int = 4
    minimum_count: int = 2
    same_length: bool = True
    same_tags: bool = True
    level: str = "paraphrase"
    minimum_probability: float = 0.01
    most: int = 20

    def __post_init__(self) -> None:
        if self.longest_phrase < 1 or self.minimum_count < 1 or self.most < 0:
            raise InputError(f"Phrases and counts are at least 1, and most is not negative: {self}.")
        if not 0 <= self.minimum_probability <= 1:
            raise InputError(f"The least probability lies between 0 and 1; it is {self.minimum_probability}.")
        if self.level not in LEVELS:
            raise InputError(f"level is one of {', '.join(LEVELS)}, not {self.level!r}.")

    @property
    def signature(self) -> str:
        """All settings in one line."""
        return "pivot(" + ",".join(f"{item.name}:{getattr(self, item.name)}" for item in fields(self)) + ")"


@dataclass(frozen=True)
class Translations:
    """How often expressions were translated by which foreign phrases.

    Attributes
    ----------
    expressions, pivots : list of tuple of str
        In alphabetical order.
    counts : scipy.sparse.csr_array of float64, shape (expressions, pivots)
    tags, pivot_tags : list of tuple of str, or None
        Parts of speech of each expression; None where they are not known.
    report : tuple of (str, int)
        What was counted on the way.
    """

    expressions: list[Expression] = field(repr=False)
    pivots: list[Expression] = field(repr=False)
    counts: csr_array = field(repr=False)
    tags: list[tuple[str, ...]] | None = field(default=None, repr=False)
    pivot_tags: list[tuple[str, ...]] | None = field(default=None, repr=False)
    report: Report = ()

    @classmethod
    def of(
        cls,
        counts: Mapping[tuple[Expression, Expression], float],
        tags: Mapping[Expression, tuple[str, ...]] | None = None,
        pivot_tags: Mapping[Expression, tuple[str, ...]] | None = None,
    ) -> Translations:
        """From counts of (expression, foreign phrase), for a phrase table made elsewhere.

        Raises
        ------
        InputError
            A count is not positive and finite, or an expression has no tags where tags are given.
        """
        from scipy.sparse import csr_array

        for pair, count in counts.items():
            if not 0 < count < np.inf:
                raise InputError(f"The count of {pair!r} is {count!r}.")
        expressions = sorted({x for x, _ in counts})
        pivots = sorted({f for _, f in counts})
        row = {x: place for place, x in enumerate(expressions)}
        column = {f: place for place, f in enumerate(pivots)}
        places = ([row[x] for x, _ in counts], [column[f] for _, f in counts])
        matrix = csr_array((np.array(list(counts.values()), float), places), shape=(len(expressions), len(pivots)))
        try:
            own = None if tags is None else [tuple(tags[x]) for x in expressions]
            other = None if pivot_tags is None else [tuple(pivot_tags[f]) for f in pivots]
        except KeyError as error:
            raise InputError(f"The expression {error.args[0]!r} has no tags.") from None
        return cls(expressions, pivots, matrix, own, other)


# --------------------------------------------------------------------------------------- phrase table of a text


def translations(
    side: Tagged,
    pivot: Tagged,
    settings: PivotSettings = PivotSettings(),
    alignment: AlignmentSettings = AlignmentSettings(),
) -> Translations:
    """The phrase table of parallel sentences.

    Parameters
    ----------
    side, pivot : sequence of sequences of (str, str)
        The sentences of the language of the paraphrases and of the other one, as (token, tag); tokens tagged
        ``PUNCT`` are aligned but are part of no phrase.
    settings, alignment : PivotSettings, AlignmentSettings

    Raises
    ------
    InputError
        The sides differ in the number of sentences.
    """
    from scipy.sparse import csr_array

    first, second = (encode([[token for token, _ in sentence] for sentence in text]) for text in (side, pivot))
    links = align(first, second, alignment)
    found = extract_phrases(first, second, links, settings.longest_phrase)
    plain = _without_punctuation(side, found.first, found.first_length)
    plain &= _without_punctuation(pivot, found.second, found.second_length)
    own, expressions, tags = _phrases(
        first, side, found.first[plain], found.first_length[plain], settings.longest_phrase
    )
    other, pivots, pivot_tags = _phrases(
        second, pivot, found.second[plain], found.second_length[plain], settings.longest_phrase
    )
    ones = np.ones(len(own))
    counts = csr_array((ones, (own, other)), shape=(len(expressions), len(pivots)))
    counts.sum_duplicates()
    report = (
        ("sentence pairs", links.sentences),
        ("sentence pairs too long to align", links.too_long),
        ("word links", len(links.sentence)),
        ("phrase pair occurrences", len(own)),
    )
    has_tags = [all(tag for row in text for _, tag in row) for text in (side, pivot)]
    return Translations(
        expressions, pivots, counts, tags if has_tags[0] else None, pivot_tags if has_tags[1] else None, report
    )


def _without_punctuation(text: Tagged, start: NDArray, length: NDArray) -> NDArray[np.bool_]:
    marks = np.array([tag == PUNCTUATION for sentence in text for _, tag in sentence], np.int64)
    before = np.concatenate([[0], np.cumsum(marks)])
    return before[start + length] == before[start]


def _phrases(
    text: Encoded, tagged: Tagged, start: NDArray, length: NDArray, longest: int
) -> tuple[NDArray, list[Expression], list[tuple[str, ...]]]:
    """Places of phrase occurrences in the alphabetical list of phrases, that list, and the commonest tags of each."""
    numbers = phrase_numbers(text, longest)
    used, example, inverse = np.unique(numbers[length - 1, start], return_index=True, return_inverse=True)
    words = text.words
    expressions = [
        tuple(words[word] for word in text.ids[a : a + n].tolist())
        for a, n in zip(start[example].tolist(), length[example].tolist(), strict=True)
    ]
    order = sorted(range(len(expressions)), key=expressions.__getitem__)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))

    tag_text = encode([[tag for _, tag in sentence] for sentence in tagged])
    tag_numbers = phrase_numbers(tag_text, longest)
    there = numbers >= 0
    kinds = int(tag_numbers.max(initial=0)) + 1
    keys, count = np.unique(numbers[there] * kinds + tag_numbers[there], return_counts=True)
    # Of each phrase the last of its rows, sorted by count and then against the alphabet of tags.
    ranking = np.lexsort((-(keys % kinds), count, keys // kinds))
    phrase = keys[ranking] // kinds
    last = np.append(phrase[1:] != phrase[:-1], True) if len(phrase) else np.zeros(0, bool)
    commonest = dict(zip(phrase[last].tolist(), (keys[ranking] % kinds)[last].tolist(), strict=True))
    level, at = np.nonzero(tag_numbers >= 0)
    kind, first_place = np.unique(tag_numbers[level, at], return_index=True)
    spelled = {
        number: tuple(tag_text.words[tag] for tag in tag_text.ids[at[i] : at[i] + level[i] + 1].tolist())
        for number, i in zip(kind.tolist(), first_place.tolist(), strict=True)
    }
    tags = [spelled[commonest[number]] for number in used.tolist()]
    return place[inverse], [expressions[i] for i in order], [tags[i] for i in order]


# ------------------------------------------------------------------------------------------------------ pivoting


def pivot(table: Translations, settings: PivotSettings = PivotSettings()) -> tuple[Pairs, Report]:
    """Paraphrases of a phrase table.

    Returns
    -------
    dict of Expression to dict of Expression to float
        p(y | x) for x ≠ y; the probabilities of an expression sum to at most 1, most probable first.
    tuple of (str, int)
        The table's report, then the number of translation pairs and of paraphrase pairs before the filters and after
        each of them, in the order in which they apply.

    Raises
    ------
    InputError
        Parts of speech are to be compared that the table does not have.
    """
    counts = table.counts.tocsr()
    steps = [*table.report, ("translation pairs", counts.nnz)]
    rows, columns = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr)), counts.indices
    onward = counts.data / counts.sum(axis=1)[rows]
    backward = counts.data / counts.sum(axis=0)[columns]
    kept = counts.data >= settings.minimum_count
    steps.append((f"… seen at least {settings.minimum_count} times", int(kept.sum())))
    at_pivots = settings.level == "translation"
    own, other = _kinds(table, settings, at_pivots)
    for name, left, right in zip(("number of words", "parts of speech"), own, other, strict=True):
        if at_pivots and left is not None:
            kept &= left[rows] == right[columns]
            steps.append((f"… with the same {name}", int(kept.sum())))
    forward, back = _matrices(counts.shape, rows[kept], columns[kept], onward[kept], backward[kept])

    names = ["paraphrase pairs"]
    names += [
        f"… with the same {n}"
        for n, k in zip(("number of words", "parts of speech"), own)
        if k is not None and not at_pivots
    ]
    names += [f"… with a probability of at least {settings.minimum_probability:g}"]
    names += [f"… among the first {settings.most} of an expression"] if settings.most else []
    numbers = np.zeros(len(names), np.int64)
    pairs: Pairs = {}
    for left, right, scores in products(forward, back):
        different = left != right
        left, right, scores = left[different], right[different], scores[different]
        passed = [len(left)]
        for kind in () if at_pivots else own:
            if kind is not None:
                kept = kind[left] == kind[right]
                left, right, scores = left[kept], right[kept], scores[kept]
                passed.append(len(left))
        kept = scores >= settings.minimum_probability
        left, right, scores = left[kept], right[kept], scores[kept]
        passed.append(len(left))
        order = best(left, right, scores, settings.most)
        left, right, scores = left[order], right[order], scores[order]
        if settings.most:
            passed.append(len(left))
        numbers += passed
        for x, y, score in zip(left.tolist(), right.tolist(), scores.tolist(), strict=True):
            pairs.setdefault(table.expressions[x], {})[table.expressions[y]] = score
    return pairs, (*steps, *zip(names, numbers.tolist(), strict=True))


def _kinds(table: Translations, settings: PivotSettings, at_pivots: bool) -> tuple[list, list]:
    """Numbers that are equal for expressions of the same length, and of the same tags; None where nothing is asked."""
    own: list[NDArray | None] = [None, None]
    other: list[NDArray | None] = [None, None]
    if settings.same_length:
        own[0] = np.array([len(x) for x in table.expressions])
        other[0] = np.array([len(f) for f in table.pivots])
    if settings.same_tags:
        if table.tags is None or (at_pivots and table.pivot_tags is None):
            side = "of the paraphrases" if table.tags is None else "to pivot through"
            raise InputError(f"The language {side} has no parts of speech to compare; set same_tags=False.")
        number: dict[tuple[str, ...], int] = {}
        own[1] = np.array([number.setdefault(tags, len(number)) for tags in table.tags])
        other[1] = np.array([number.setdefault(tags, len(number)) for tags in table.pivot_tags or ()])
    return own, other


def _matrices(shape, rows, columns, onward, backward) -> tuple[csr_array, csr_array]:
    from scipy.sparse import csr_array

    forward = csr_array((onward, (rows, columns)), shape=shape)
    back = csr_array((backward, (columns, rows)), shape=shape[::-1])
    return forward, back
