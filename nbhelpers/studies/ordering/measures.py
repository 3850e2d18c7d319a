"""Similarity of adjacent sentences, six ways, for a whole collection at once.

Every measure compares sentence i with a following sentence j as

    s(i, j) = a_i + b_j + left_i · right_j

with one row of `left` and `right` per sentence. Cosine over counts has left = right = rows of length 1 and no offsets;
the smoothed Kullback-Leibler divergence fits the same form (see `divergence`). So one engine serves all of them: all
pairs of a short document come from one product of matrices, and a long document needs only the products of those rows
that some order puts side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sparse

from nbhelpers.base.errors import InputError
from nbhelpers.language.english import NOUN_TAGS, coarse_tag
from nbhelpers.language.tokens import STOP_WORDS, is_word, stem
from nbhelpers.studies.ordering.documents import Collection as Documents

POS_WEIGHTS = {"NOUN": 1.0, "PROPN": 1.0, "VERB": 0.5, "ADJ": 0.5, "NUM": 0.5, "ADV": 0.25}
"""Default weights by part of speech: the paper announces such a weighting (section 6) and gives no numbers; these say
that what a sentence is about counts fully, what it says about it half. Parts of speech not named weigh 0."""


# -------------------------------------------------------------------- the analysed collection


@dataclass(frozen=True)
class Analysed:
    """A collection read by the text engine, in columns.

    Attributes
    ----------
    name, description, signature : str
        Of the collection, and of the text engine.
    names : tuple of str
        The documents that have at least one sentence with a word.
    starts : int array (documents + 1,)
        First sentence of each document; the last entry is the number of sentences.
    sentences : tuple of str
        All sentences, document after document.
    types, tags : tuple of str
        Different tokens, and different Penn Treebank tags.
    token_type, token_tag, token_sentence : int arrays (tokens,)
        Number of type, tag and sentence of every token.
    entities : tuple of str
        Different named entities, in lower case.
    entity, entity_sentence : int arrays
        Number and sentence of every occurrence of an entity.
    without_words : int
        Sentences that were left out because they hold no word (stray brackets, rules of dashes).
    """

    name: str
    description: str
    signature: str
    names: tuple[str, ...]
    starts: np.ndarray
    sentences: tuple[str, ...]
    types: tuple[str, ...]
    tags: tuple[str, ...]
    token_type: np.ndarray
    token_tag: np.ndarray
    token_sentence: np.ndarray
    entities: tuple[str, ...]
    entity: np.ndarray
    entity_sentence: np.ndarray
    without_words: int = 0

    def __len__(self) -> int:
        return len(self.names)

    @property
    def lengths(self) -> np.ndarray:
        """Number of sentences of each document, int array (documents,)."""
        return np.diff(self.starts)

    def document(self, number: int) -> tuple[str, ...]:
        """The sentences of one document."""
        return self.sentences[self.starts[number] : self.starts[number + 1]]

    @cached_property
    def _word_types(self) -> np.ndarray:
        return np.array([is_word(token) for token in self.types], bool)

    @cached_property
    def _plain_types(self) -> tuple[str, ...]:
        return tuple(token.lower().replace("’", "'") for token in self.types)


def analyse(collection: Documents, english=None) -> Analysed:
    """Read a collection with the text engine: sentences, tokens, tags and names.

    Parameters
    ----------
    collection : nbhelpers.studies.ordering.documents.Collection
    english : nbhelpers.language.English, optional
        The engine; by default ``load_english()``, the shipped models.

    Raises
    ------
    InputError
        If no document of the collection has a word.
    """
    if english is None:
        from nbhelpers.language.english import load_english

        english = load_english()
    types: dict[str, int] = {}
    tag_numbers: dict[str, int] = {}
    entity_numbers: dict[str, int] = {}
    token_type, token_tag, token_count, entity, entity_sentence = [], [], [], [], []
    sentences: list[str] = []
    names: list[str] = []
    starts = [0]
    without_words = 0

    def take(text: str, tokens: Sequence[str], tags: Sequence[str], found: Sequence[str]) -> int:
        if not any(map(is_word, tokens)):
            return 1
        token_type.append(np.array([types.setdefault(token, len(types)) for token in tokens], np.int32))
        token_tag.append(np.array([tag_numbers.setdefault(tag, len(tag_numbers)) for tag in tags], np.int16))
        token_count.append(len(tokens))
        for name in found:
            entity.append(entity_numbers.setdefault(name.lower(), len(entity_numbers)))
            entity_sentence.append(len(sentences))
        sentences.append(text)
        return 0

    units = (unit for document in collection.documents for unit in document.sentences or document.paragraphs)
    analysed = english.analyse(units)
    for document in collection.documents:
        for unit in document.sentences or document.paragraphs:
            parts = next(analysed)
            if document.sentences:  # one sentence, however many the splitter sees in it
                without_words += take(
                    unit,
                    [token for part in parts for token in part.tokens],
                    [tag for part in parts for tag in part.tags],
                    [name for part in parts for name in part.name_texts()],
                )
            else:
                for part in parts:
                    without_words += take(part.text, part.tokens, part.tags, part.name_texts())
        if len(sentences) > starts[-1]:
            names.append(document.name)
            starts.append(len(sentences))
    if not sentences:
        raise InputError(f"no document of {collection.name!r} has a word: there is nothing to score")
    return Analysed(
        name=collection.name,
        description=collection.description,
        signature=english.signature,
        names=tuple(names),
        starts=np.array(starts, np.intp),
        sentences=tuple(sentences),
        types=tuple(types),
        tags=tuple(tag_numbers),
        token_type=np.concatenate(token_type),
        token_tag=np.concatenate(token_tag),
        token_sentence=np.repeat(np.arange(len(sentences), dtype=np.int32), token_count),
        entities=tuple(entity_numbers),
        entity=np.array(entity, np.int32),
        entity_sentence=np.array(entity_sentence, np.int32),
        without_words=without_words,
    )


# -------------------------------------------------------------------- count matrices


def _stems(analysed: Analysed, stop_words: Collection[str], stemming: str | None) -> tuple[np.ndarray, int]:
    """Number of the stem of every type, -1 for stop words and for what is no word; and how many stems there are."""
    numbers: dict[str, int] = {}
    result = np.full(len(analysed.types), -1, np.int64)
    for place, (plain, word) in enumerate(zip(analysed._plain_types, analysed._word_types, strict=True)):
        if word and plain not in stop_words:
            form = plain if stemming is None else stem(plain, stemming)
            result[place] = numbers.setdefault(form, len(numbers))
    return result, len(numbers)


def _matrix(rows: np.ndarray, columns: np.ndarray, shape: tuple[int, int], values=None) -> sparse.csr_matrix:
    values = np.ones(len(rows)) if values is None else values
    matrix = sparse.csr_matrix((values, (rows, columns)), shape=shape)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix


def count_matrix(
    analysed: Analysed, *, stop_words: Collection[str] = STOP_WORDS, stemming: str | None = "snowball"
) -> sparse.csr_matrix:
    """Counts of stems, sparse (sentences, stems): the vectors of equation 3.

    Parameters
    ----------
    stop_words : collection of str
        Lower-case words that are left out; ``()`` keeps all. The paper does not mention them, but its magnitudes fit
        their removal.
    stemming : {"snowball", "porter", None}
        None compares lower-case word forms.
    """
    numbers, count = _stems(analysed, stop_words, stemming)
    column = numbers[analysed.token_type]
    keep = column >= 0
    return _matrix(analysed.token_sentence[keep], column[keep], (len(analysed.sentences), count))


def noun_matrix(
    analysed: Analysed,
    *,
    stemming: str | None = "snowball",
    as_set: bool = True,
    proper: bool = False,
    stop_words: Collection[str] = STOP_WORDS,
) -> sparse.csr_matrix:
    """Nouns, sparse (sentences, stems): section 3.2 maps "each sentence into the set of nouns".

    Parameters
    ----------
    as_set : bool
        1 for a noun that occurs (the default, as the paper says "set"), or its count.
    proper : bool
        Whether proper nouns count. The paper does not say. Without them (the default) its two findings about nouns
        come out on Wikipedia, a lower score than Sim's and a larger drop; with them neither does. Names have a measure
        of their own.
    """
    numbers, count = _stems(analysed, stop_words, stemming)
    wanted = NOUN_TAGS if proper else NOUN_TAGS - {"NNP", "NNPS"}
    is_noun = np.array([tag in wanted for tag in analysed.tags], bool)
    column = numbers[analysed.token_type]
    keep = (column >= 0) & is_noun[analysed.token_tag]
    matrix = _matrix(analysed.token_sentence[keep], column[keep], (len(analysed.sentences), count))
    if as_set:
        matrix.data[:] = 1.0
    return matrix


def entity_matrix(
    analysed: Analysed, *, as_set: bool = True, words: bool = False, minimum_words: int = 1
) -> sparse.csr_matrix:
    """Named entities, sparse (sentences, entities): section 3.3.

    Parameters
    ----------
    as_set : bool
        1 for an entity that occurs (the default, as for nouns), or its count.
    words : bool
        False (the default): a name is one item, so *Tony Blair* and *Blair* differ. True: its words are the items.
    minimum_words : int
        Names of fewer words are left out. With 2, only full names remain, which a text gives once and then shortens:
        the scores fall to the size of the paper's, and in news their order turns round.
    """
    if minimum_words < 1:
        raise InputError(f"a name has at least one word: minimum_words is not {minimum_words}")
    parts = [name.split() for name in analysed.entities]
    keep = np.array([len(part) >= minimum_words for part in parts], bool)
    keep = keep[analysed.entity] if len(parts) else np.zeros(0, bool)
    rows, columns, width = analysed.entity_sentence[keep], analysed.entity[keep], len(parts)
    if words:
        numbers: dict[str, int] = {}
        numbered = [[numbers.setdefault(word, len(numbers)) for word in part] for part in parts]
        rows = np.repeat(rows, [len(parts[e]) for e in columns])
        columns = np.array([number for e in columns for number in numbered[e]], np.intp)
        width = len(numbers)
    matrix = _matrix(rows, columns, (len(analysed.sentences), max(1, width)))
    if as_set:
        matrix.data[:] = 1.0
    return matrix


def weighted_matrix(
    analysed: Analysed,
    weights: Mapping[str, float] = POS_WEIGHTS,
    *,
    stop_words: Collection[str] = STOP_WORDS,
    stemming: str | None = "snowball",
) -> sparse.csr_matrix:
    """Counts of stems in which every token counts with the weight of its part of speech.

    Parameters
    ----------
    weights : mapping of str to float
        Universal part of speech (``NOUN``, ``PROPN``, ``VERB``, …) to weight, 0 or more; those not named weigh 0.

    Raises
    ------
    InputError
        If a weight is negative or not finite, or a part of speech is unknown.
    """
    from nbhelpers.language.english import COARSE_TAGS

    unknown = set(weights) - set(COARSE_TAGS.values())
    if unknown:
        known = ", ".join(sorted(set(COARSE_TAGS.values())))
        raise InputError(f"unknown parts of speech {sorted(unknown)}: take {known}")
    if any(not np.isfinite(weight) or weight < 0 for weight in weights.values()):
        raise InputError(f"weights are numbers of 0 or more: {dict(weights)}")
    numbers, count = _stems(analysed, stop_words, stemming)
    of_tag = np.array([weights.get(coarse_tag(tag), 0.0) for tag in analysed.tags])
    column = numbers[analysed.token_type]
    keep = column >= 0
    return _matrix(
        analysed.token_sentence[keep], column[keep], (len(analysed.sentences), count), of_tag[analysed.token_tag[keep]]
    )


# -------------------------------------------------------------------- measures


@dataclass(frozen=True)
class Measure:
    """How well a sentence goes on from the one before it, for all sentences of an analysed collection.

    Attributes
    ----------
    name : str
        ``"Sim"``, ``"NounSim"``, …
    left, right : (sentences, k) sparse or dense
        Rows for the first and the second sentence of a pair; the same object where the measure is symmetric.
    starts : int array (documents + 1,)
        First sentence of each document.
    left_offset, right_offset : float arrays (sentences,) or None
        The a_i and b_j of the module's formula.
    range : (float, float)
        Smallest and largest possible value; higher always means more alike.
    signature : str
        How the numbers were made, in one line.
    coverage : float or None
        Share of tokens that had a vector, where a measure depends on that.
    """

    name: str
    left: sparse.csr_matrix | np.ndarray
    right: sparse.csr_matrix | np.ndarray
    starts: np.ndarray
    left_offset: np.ndarray | None = None
    right_offset: np.ndarray | None = None
    range: tuple[float, float] = (0.0, 1.0)
    signature: str = ""
    coverage: float | None = None

    @property
    def is_symmetric(self) -> bool:
        """Whether s(i, j) = s(j, i), so that an order and its reversal have the same score."""
        return self.left is self.right and self.left_offset is None and self.right_offset is None

    @property
    def lengths(self) -> np.ndarray:
        """Number of sentences of each document."""
        return np.diff(self.starts)

    def pairs(self, first: np.ndarray, second: np.ndarray, rows_at_once: int = 100_000) -> np.ndarray:
        """s(i, j) for pairs of sentence numbers: one product of rows per pair, no matrix of all pairs.

        Parameters
        ----------
        first, second : int arrays (n,)
            Numbers of sentences in the collection.

        Returns
        -------
        float array (n,)
        """
        first, second = np.asarray(first, np.intp), np.asarray(second, np.intp)
        result = np.empty(len(first))
        for start in range(0, len(first), rows_at_once):
            i, j = first[start : start + rows_at_once], second[start : start + rows_at_once]
            if sparse.issparse(self.left):
                product = np.asarray(self.left[i].multiply(self.right[j]).sum(axis=1)).ravel()
            else:
                product = np.einsum("ij,ij->i", self.left[i], self.right[j], dtype=np.float64)
            result[start : start + rows_at_once] = product
        return self._with_offsets(result, first, second)

    def _with_offsets(self, values: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        if self.left_offset is not None:
            values = values + self.left_offset[first]
        if self.right_offset is not None:
            values = values + self.right_offset[second]
        return values

    def matrix(self, document: int) -> np.ndarray:
        """s(i, j) for all sentences i, j of one document, float array (n, n)."""
        return self.matrices(np.array([document]))[0]

    def matrices(self, documents: np.ndarray) -> list[np.ndarray]:
        """The matrices of several documents (see `matrix`), from one sparse product."""
        flat, places = self.flat_matrices(documents)
        lengths = self.lengths[documents]
        return [flat[p : p + n * n].reshape(n, n) for p, n in zip(places, lengths, strict=True)]

    def flat_matrices(self, documents: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The matrices of several documents one after the other, row by row, and where each starts.

        Sparse rows of all documents are multiplied at once: with columns kept apart by document, the product is
        block-diagonal, so sentences of different documents never meet.
        """
        documents = np.asarray(documents, np.intp)
        lengths = self.lengths[documents]
        sizes = lengths**2
        places = np.concatenate([[0], np.cumsum(sizes)])
        flat = np.zeros(places[-1])
        rows = _ranges(self.starts[documents], lengths)
        if sparse.issparse(self.left):
            owner = np.repeat(np.arange(len(documents)), lengths)
            left = _apart(self.left[rows], owner)
            right = left if self.right is self.left else _apart(self.right[rows], owner)
            left, right = _shared_columns(left, right)
            product = (left @ right.T).tocsr()
            first = np.repeat(np.arange(len(rows)), np.diff(product.indptr))
            own = owner[first]
            begin = np.concatenate([[0], np.cumsum(lengths)])[own]
            flat[places[own] + (first - begin) * lengths[own] + (product.indices - begin)] = product.data
        else:
            for number, (start, length) in enumerate(zip(self.starts[documents], lengths, strict=True)):
                block = slice(start, start + length)
                left = np.asarray(self.left[block], np.float64)
                right = left if self.right is self.left else np.asarray(self.right[block], np.float64)
                flat[places[number] : places[number + 1]] = (left @ right.T).ravel()
        if self.left_offset is not None:
            flat += np.repeat(self.left_offset[rows], np.repeat(lengths, lengths))
        if self.right_offset is not None:
            for number, (start, length) in enumerate(zip(self.starts[documents], lengths, strict=True)):
                part = flat[places[number] : places[number + 1]].reshape(length, length)
                part += self.right_offset[start : start + length]
        return flat, places[:-1]

    def source_scores(self) -> np.ndarray:
        """Score of every document as it stands (equation 2), float array (documents,); NaN below two sentences."""
        count = self.starts[-1]
        first = np.arange(count - 1)
        inside = np.ones(max(count - 1, 0), bool)
        inside[self.starts[1:-1] - 1] = False
        first = first[inside]
        document = np.repeat(np.arange(len(self.lengths)), self.lengths)[first]
        totals = np.bincount(document, weights=self.pairs(first, first + 1), minlength=len(self.lengths))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self.lengths > 1, totals / (self.lengths - 1), np.nan)

    def lag_profile(self, longest: int = 10) -> np.ndarray:
        """Mean s(i, i + d) over all sentences of the collection for the distances d = 1 … `longest`, float array.

        A measure can tell an order from a degraded one as far as this profile falls: moving a sentence puts distant
        ones side by side. NaN where no document is long enough.
        """
        owner = np.repeat(np.arange(len(self.lengths)), self.lengths)
        profile = np.full(longest, np.nan)
        for distance in range(1, longest + 1):
            first = np.arange(max(len(owner) - distance, 0))
            first = first[owner[first] == owner[first + distance]]
            if len(first):
                profile[distance - 1] = self.pairs(first, first + distance).mean()
        return profile

    def expected_scores(self) -> np.ndarray:
        """Expected score of every document over all its orders, exactly: the mean of s(i, j) over all i ≠ j.

        In a random order every ordered pair of sentences is adjacent with the same probability. Linear in the number
        of sentences, as the sum of all products is the product of the sums. NaN below two sentences.
        """
        lengths = self.lengths
        owner = np.repeat(np.arange(len(lengths)), lengths)
        everything = np.arange(self.starts[-1])
        if sparse.issparse(self.left):
            gather = sparse.csr_matrix((np.ones(len(owner)), (owner, everything)), shape=(len(lengths), len(owner)))
            left = gather @ self.left
            right = left if self.right is self.left else gather @ self.right
            total = np.asarray(left.multiply(right).sum(axis=1)).ravel()
        else:
            left = np.add.reduceat(self.left, self.starts[:-1], dtype=np.float64)
            right = left
            if self.right is not self.left:
                right = np.add.reduceat(self.right, self.starts[:-1], dtype=np.float64)
            total = np.einsum("ij,ij->i", left, right)
        diagonal = np.bincount(owner, weights=self.pairs(everything, everything), minlength=len(lengths))
        for offset in (self.left_offset, self.right_offset):
            if offset is not None:
                total = total + lengths * np.bincount(owner, weights=offset, minlength=len(lengths))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(lengths > 1, (total - diagonal) / (lengths * (lengths - 1)), np.nan)


def _ranges(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """start, …, start + length - 1 for each pair, in a row."""
    ends = np.cumsum(lengths)
    return np.repeat(starts - (ends - lengths), lengths) + np.arange(ends[-1] if len(ends) else 0)


def _apart(matrix: sparse.csr_matrix, owner: np.ndarray) -> sparse.csr_matrix:
    """The matrix with columns of its own for every owner of rows."""
    key = matrix.indices.astype(np.int64) + np.repeat(owner, np.diff(matrix.indptr)) * np.int64(matrix.shape[1])
    return sparse.csr_matrix(
        (matrix.data, key, matrix.indptr), shape=(matrix.shape[0], int(matrix.shape[1]) * (int(owner[-1]) + 1))
    )


def _shared_columns(left: sparse.csr_matrix, right: sparse.csr_matrix):
    """Both matrices with their used columns numbered from 0, so that a product does not pay for the others."""
    both = left.indices if left is right else np.concatenate([left.indices, right.indices])
    used, numbers = np.unique(both, return_inverse=True)
    shape = (left.shape[0], len(used))
    new_left = sparse.csr_matrix((left.data, numbers[: left.nnz], left.indptr), shape=shape)
    if left is right:
        return new_left, new_left
    return new_left, sparse.csr_matrix((right.data, numbers[left.nnz :], right.indptr), shape=shape)


def _unit_rows(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    """Rows scaled to length 1; rows of zeros stay, so that their cosine with anything is 0."""
    length = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    scale = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)
    result = matrix.astype(np.float64).copy()
    result.data *= np.repeat(scale, np.diff(result.indptr))
    return result


def cosine_measure(name: str, matrix: sparse.csr_matrix, analysed: Analysed, signature: str = "") -> Measure:
    """Cosine (equation 3) between the rows of a matrix with one row per sentence; 0 where a row is empty."""
    rows = _unit_rows(matrix.tocsr())
    return Measure(name, rows, rows, analysed.starts, signature=signature or f"order|{name}|{analysed.signature}")


def _options(text: Analysed, **values) -> str:
    return "|".join([*(f"{key}:{value}" for key, value in values.items()), text.signature])


def _stop_signature(stop_words: Collection[str]) -> str:
    return "none" if not stop_words else "shipped" if stop_words is STOP_WORDS else str(len(stop_words))


def similarity(
    analysed: Analysed,
    *,
    stop_words: Collection[str] = STOP_WORDS,
    stemming: str | None = "snowball",
    name: str = "Sim",
) -> Measure:
    """Sim: cosine of counts of stems (section 3.1, equation 3).

    Options as in `count_matrix`; `name` is what results call the measure.
    """
    options = _options(stem=stemming, stop=_stop_signature(stop_words), text=analysed)
    matrix = count_matrix(analysed, stop_words=stop_words, stemming=stemming)
    return cosine_measure(name, matrix, analysed, f"order|Sim|{options}")


def noun_similarity(
    analysed: Analysed,
    *,
    stemming: str | None = "snowball",
    as_set: bool = True,
    proper: bool = False,
    name: str = "NounSim",
) -> Measure:
    """NounSim: cosine of the sets of nouns (section 3.2). Options as in `noun_matrix`."""
    options = _options(stem=stemming, set=int(as_set), proper=int(proper), text=analysed)
    matrix = noun_matrix(analysed, stemming=stemming, as_set=as_set, proper=proper)
    return cosine_measure(name, matrix, analysed, f"order|NounSim|{options}")


def entity_similarity(
    analysed: Analysed,
    *,
    as_set: bool = True,
    words: bool = False,
    minimum_words: int = 1,
    name: str = "NESim",
) -> Measure:
    """NESim: cosine of the sets of named entities (section 3.3). Options as in `entity_matrix`."""
    unit = "word" if words else "name"
    options = _options(set=int(as_set), unit=unit, words=minimum_words, text=analysed)
    matrix = entity_matrix(analysed, as_set=as_set, words=words, minimum_words=minimum_words)
    return cosine_measure(name, matrix, analysed, f"order|NESim|{options}")


def weighted_similarity(
    analysed: Analysed,
    weights: Mapping[str, float] = POS_WEIGHTS,
    *,
    stop_words: Collection[str] = STOP_WORDS,
    stemming: str | None = "snowball",
    name: str = "PosSim",
) -> Measure:
    """PosSim: cosine of counts of stems weighted by part of speech, which the paper proposes (section 6)."""
    named = ",".join(f"{key}={value:g}" for key, value in sorted(weights.items()))
    options = _options(weights=named, stem=stemming, stop=_stop_signature(stop_words), text=analysed)
    matrix = weighted_matrix(analysed, weights, stop_words=stop_words, stemming=stemming)
    return cosine_measure(name, matrix, analysed, f"order|PosSim|{options}")


def divergence(
    analysed: Analysed,
    *,
    smoothing: float = 0.5,
    direction: str = "backward",
    stop_words: Collection[str] = STOP_WORDS,
    stemming: str | None = "snowball",
    name: str = "KL",
) -> Measure:
    """KL: minus the Kullback-Leibler divergence between the stem distributions of adjacent sentences, in nats.

    The paper proposes a non-symmetric measure so that A-B-C and C-B-A differ (section 5). A sentence's distribution is
    smoothed with that of its whole document (Jelinek-Mercer), which no order changes:

        p_i = (1 - smoothing) · counts_i / total_i + smoothing · document

    A sentence without a word is the document's distribution. The measure is at most 0, and 0 only for equal
    distributions. "backward", the default, is -D(p_previous ‖ p_next): how well the next sentence accounts for the
    words of the previous one. "forward" is -D(p_next ‖ p_previous). On news and Wikipedia the author's order mostly
    scores above its reversal with the first and below it with the second. Both depend on the sentences' lengths (a
    short sentence is far from the document's distribution), so this need not be the order of thoughts alone.

    Parameters
    ----------
    smoothing : float
        Weight of the document's distribution, greater than 0 and at most 1.
    direction : {"backward", "forward"}

    Raises
    ------
    InputError
        If the smoothing or the direction is not one of these.

    Notes
    -----
    With g_j(w) = ln p_j(w) - ln(λ_j d(w)), which is 0 for words outside sentence j, the divergence D(p_i ‖ p_j) is
    Σ p_i ln p_i - Σ p_i(w) ln d(w) - ln λ_j - p_i · g_j, and p_i · g_j = (1 - λ_i) m_i · g_j + λ_i (d · g_j): a term of
    i, a term of j and a product of two sparse rows.
    """
    if not 0 < smoothing <= 1:
        raise InputError(f"smoothing is greater than 0 and at most 1, not {smoothing!r}")
    if direction not in ("forward", "backward"):
        raise InputError(f"direction is 'forward' or 'backward', not {direction!r}")
    counts = count_matrix(analysed, stop_words=stop_words, stemming=stemming)
    lengths = np.diff(analysed.starts)
    owner = np.repeat(np.arange(len(lengths)), lengths)
    total = np.asarray(counts.sum(axis=1)).ravel()
    gather = sparse.csr_matrix((np.ones(len(owner)), (owner, np.arange(len(owner)))), shape=(len(lengths), len(owner)))
    document = (gather @ counts).tocsr()
    document_total = np.asarray(document.sum(axis=1)).ravel()
    share = np.divide(1.0, document_total, out=np.zeros_like(document_total), where=document_total > 0)
    background = sparse.diags(share) @ document
    # d(w) at the place of every count; log d(w) likewise.
    here = counts.copy()
    here.data[:] = 1.0
    background_here = _aligned(here, background, owner)
    weight = np.where(total > 0, smoothing, 1.0)
    nonzeros = np.diff(counts.indptr)
    inverse = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
    mass = counts.data * np.repeat(inverse, nonzeros)
    weight_here = np.repeat(weight, nonzeros)
    p = (1 - weight_here) * mass + weight_here * background_here
    log_background = np.log(background_here)
    g = np.log(p) - np.log(weight_here) - log_background
    rows = np.repeat(np.arange(len(total)), nonzeros)
    # Σ_w p_i ln p_i: the sentence's own words, and λ_i d(w) ln(λ_i d(w)) for all others.
    document_entropy = np.asarray(background.multiply(_logarithm(background)).sum(axis=1)).ravel()
    own = np.bincount(rows, weights=p * np.log(p), minlength=len(total))
    covered = np.bincount(rows, weights=background_here, minlength=len(total))
    covered_log = np.bincount(rows, weights=background_here * log_background, minlength=len(total))
    has_words = document_total[owner] > 0
    rest = np.where(has_words, 1.0 - covered, 0.0)
    entropy = own + weight * (rest * np.log(weight) + (document_entropy[owner] - covered_log))
    cross = np.bincount(rows, weights=(1 - weight_here) * mass * log_background, minlength=len(total))
    cross = cross + weight * document_entropy[owner]  # not in place: of no words at all the counts are whole numbers
    surprise = np.bincount(rows, weights=background_here * g, minlength=len(total))
    shape = counts.shape
    left = sparse.csr_matrix(((1 - weight_here) * mass, counts.indices, counts.indptr), shape=shape)
    right = sparse.csr_matrix((g, counts.indices, counts.indptr), shape=shape)
    left = sparse.hstack([left, weight[:, None]], format="csr")
    right = sparse.hstack([right, surprise[:, None]], format="csr")
    # -D(p_i ‖ p_j) = left_i · right_j + (cross_i - entropy_i) + ln λ_j, with p_i the sentence that surprises.
    of_surprising, of_expected = cross - entropy, np.log(weight)
    signature = "order|KL|" + _options(
        smoothing=f"{smoothing:g}",
        direction=direction,
        stem=stemming,
        stop=_stop_signature(stop_words),
        text=analysed,
    )
    if direction == "forward":  # the pair is (previous, next): the next one surprises
        return Measure(name, right, left, analysed.starts, of_expected, of_surprising, (-np.inf, 0.0), signature)
    return Measure(name, left, right, analysed.starts, of_surprising, of_expected, (-np.inf, 0.0), signature)


def _aligned(pattern: sparse.csr_matrix, table: sparse.csr_matrix, owner: np.ndarray) -> np.ndarray:
    """Value of table[owner[row], column] at every stored place of a pattern, in its order."""
    width = np.int64(pattern.shape[1])
    table = table.tocsr()
    table.sort_indices()
    keys = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr)) * width + table.indices
    wanted = np.repeat(owner, np.diff(pattern.indptr)) * width + pattern.indices
    return table.data[np.searchsorted(keys, wanted)]


def _logarithm(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    result = matrix.copy()
    result.data = np.log(result.data)
    return result


def embedding_similarity(analysed: Analysed, encoder) -> Measure:
    """EmbSim: cosine of sentence embeddings.

    Parameters
    ----------
    encoder
        Object with ``encode(list of str)`` that gives a float array (n, d), as
        `nbhelpers.resources.models.load_encoder` returns. Equal sentences are encoded once.

    Raises
    ------
    InputError
        If the encoder gives another shape, or a number that is not finite.
    """
    numbers: dict[str, int] = {}
    which = np.array([numbers.setdefault(sentence, len(numbers)) for sentence in analysed.sentences], np.intp)
    vectors = np.asarray(encoder.encode(list(numbers)))
    if vectors.ndim != 2 or len(vectors) != len(numbers):
        raise InputError(f"the encoder gave an array {vectors.shape} for {len(numbers)} sentences")
    signature = f"order|EmbSim|{getattr(encoder, 'signature', type(encoder).__name__)}|{analysed.signature}"
    return _dense_measure("EmbSim", vectors[which], analysed, signature, None)


def vector_similarity(
    analysed: Analysed,
    vectors: Mapping[str, np.ndarray] | Callable[[list[str]], np.ndarray | None],
    *,
    stop_words: Collection[str] = STOP_WORDS,
    name: str = "VecSim",
) -> Measure:
    """VecSim: cosine of the mean word vectors of the sentences.

    Parameters
    ----------
    vectors
        Word vectors (`nbhelpers.resources.vectors.load_vectors`) or a mapping of word to vector (looked up as written,
        then in lower case), or a function that maps the tokens of a sentence to one vector (None if it knows no word
        of it). Words without a vector are left out; `Measure.coverage` says how many tokens had one. A sentence
        without any has similarity 0 to all others.

    Raises
    ------
    InputError
        If no word has a vector, or vectors differ in length.
    """
    forms = zip(analysed._word_types, analysed._plain_types, strict=True)
    keep = np.array([is_a_word and plain not in stop_words for is_a_word, plain in forms], bool)
    wanted = keep[analysed.token_type]
    rows, types = analysed.token_sentence[wanted], analysed.token_type[wanted]
    if callable(vectors) and not hasattr(vectors, "__getitem__"):
        bounds = np.searchsorted(rows, np.arange(len(analysed.sentences) + 1))
        found = [
            vectors([analysed.types[t] for t in types[a:b]]) if b > a else None
            for a, b in zip(bounds[:-1], bounds[1:], strict=True)
        ]
        known = [vector for vector in found if vector is not None]
        if not known:
            raise InputError("no sentence has a word with a vector")
        zero = np.zeros_like(np.asarray(known[0], np.float64))
        matrix = np.stack([zero if vector is None else np.asarray(vector, np.float64) for vector in found])
        return _dense_measure(name, matrix, analysed, f"order|{name}|{analysed.signature}", None)
    place = np.full(len(analysed.types), -1, np.intp)
    table = []
    known_words = getattr(vectors, "index", vectors)
    for number in np.unique(types):
        word = analysed.types[number]
        form = word if word in known_words else word.lower()
        if form in known_words:
            place[number] = len(table)
            vector = vectors.matrix[known_words[form]] if known_words is not vectors else vectors[form]
            table.append(np.asarray(vector, np.float64))
    if not table:
        raise InputError("no word of the collection has a vector")
    if len({vector.shape for vector in table}) > 1 or table[0].ndim != 1:
        raise InputError("word vectors are one-dimensional and of one length")
    known = place[types] >= 0
    # Sums have the direction of means, and only that counts for the cosine.
    counts = _matrix(rows[known], place[types[known]], (len(analysed.sentences), len(table)))
    means = counts @ np.stack(table)
    signature = f"order|{name}|{getattr(vectors, 'signature', 'vectors')}|{analysed.signature}"
    return _dense_measure(name, means, analysed, signature, float(known.mean()) if len(known) else 0.0)


def _dense_measure(name: str, vectors, analysed: Analysed, signature: str, coverage: float | None) -> Measure:
    if not np.isfinite(vectors).all():
        raise InputError(f"{name}: a sentence vector holds a number that is not finite")
    vectors = np.asarray(vectors)
    if vectors.dtype != np.float32:  # embeddings stay in single precision: a large collection has hundreds of megabytes
        vectors = vectors.astype(np.float64)
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)
    return Measure(name, rows, rows, analysed.starts, None, None, (-1.0, 1.0), signature, coverage)


def standard_measures(analysed: Analysed) -> list[Measure]:
    """The paper's three measures, then the weighting and the divergence that it proposes."""
    return [
        similarity(analysed),
        noun_similarity(analysed),
        entity_similarity(analysed),
        weighted_similarity(analysed),
        divergence(analysed),
    ]
