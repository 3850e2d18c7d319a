"""Similarity of adjacent sentences, seven ways, for a whole collection at once.

Every measure compares sentence i with a following sentence j as the product of two rows,

    s(i, j) = left_i · right_j,

with one row of `left` and `right` per sentence. Cosine over counts has left = right = rows of length 1; the smoothed
Kullback-Leibler divergence fits the same form (see `divergence`). So one engine serves all of them, and costs only the
pairs that some order puts side by side.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from nbhelpers.base.errors import InputError
from nbhelpers.language.english import NOUN_TAGS, English, coarse_tag, load_english
from nbhelpers.language.tokens import STOP_WORDS, is_word, stem
from nbhelpers.resources.vectors import WordVectors
from nbhelpers.studies.ordering.documents import Collection, Document

POS_WEIGHTS = {"NOUN": 1.0, "PROPN": 1.0, "VERB": 0.5, "ADJ": 0.5, "NUM": 0.5, "ADV": 0.25}
"""Weights by part of speech: the paper announces such a weighting (section 6) and gives no numbers; these say that what
a sentence is about counts fully, what it says about it half. Parts of speech not named weigh 0."""

SMOOTHING = 0.5
"""Weight of the document's word distribution in that of a sentence, for `divergence`."""

PAIRS_AT_ONCE = 100_000
"""Pairs of rows that are multiplied together, which bounds the memory."""


# -------------------------------------------------------------------- the analysed collection


@dataclass(frozen=True)
class Analysed:
    """A collection read by the text engine, in columns.

    Attributes
    ----------
    name : str
        Of the collection.
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
    """

    name: str
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

    def __len__(self) -> int:
        return len(self.names)

    @property
    def lengths(self) -> np.ndarray:
        """Number of sentences of each document, int array (documents,)."""
        return np.diff(self.starts)

    def document(self, number: int) -> tuple[str, ...]:
        """The sentences of one document."""
        return self.sentences[self.starts[number] : self.starts[number + 1]]


def analyse(collection: Collection, english: English | None = None) -> Analysed:
    """Read a collection with the text engine: sentences, tokens, tags and names.

    Parameters
    ----------
    collection : Collection
    english : English, optional
        The engine; by default the shipped models, as `nbhelpers.language.load_english` gives them.

    Raises
    ------
    InputError
        If no document of the collection has a word.

    Examples
    --------
    >>> from nbhelpers.studies import ordering
    >>> analyse(ordering.from_texts({"a": "It rained. They left."})).sentences
    ('It rained.', 'They left.')
    """
    english = english or load_english()
    types, tags, entities = (defaultdict(itertools.count().__next__) for _ in range(3))  # numbered as they come
    token_type, token_tag, token_count, entity, entity_sentence = [], [], [], [], []
    sentences, names, starts = [], [], [0]
    analysed = english.analyse(unit for document in collection.documents for unit in _units(document))
    for document in collection.documents:
        for unit in _units(document):
            parts = next(analysed)
            # A given sentence is one, however many the splitter sees in it.
            for text, group in [(unit, parts)] if document.sentences else [(part.text, [part]) for part in parts]:
                tokens = [token for part in group for token in part.tokens]
                if not any(map(is_word, tokens)):
                    continue  # stray brackets, rules of dashes
                found = [entities[name.lower()] for part in group for name in part.name_texts()]
                token_type += [types[token] for token in tokens]
                token_tag += [tags[tag] for part in group for tag in part.tags]
                token_count.append(len(tokens))
                entity += found
                entity_sentence += [len(sentences)] * len(found)
                sentences.append(text)
        if len(sentences) > starts[-1]:
            names.append(document.name)
            starts.append(len(sentences))
    if not sentences:
        raise InputError(f"no document of {collection.name!r} has a word: there is nothing to score")
    return Analysed(
        name=collection.name,
        names=tuple(names),
        starts=np.array(starts, np.intp),
        sentences=tuple(sentences),
        types=tuple(types),
        tags=tuple(tags),
        token_type=np.array(token_type, np.int32),
        token_tag=np.array(token_tag, np.int16),
        token_sentence=np.repeat(np.arange(len(sentences), dtype=np.int32), token_count),
        entities=tuple(entities),
        entity=np.array(entity, np.int32),
        entity_sentence=np.array(entity_sentence, np.int32),
    )


def _units(document: Document) -> tuple[str, ...]:
    """What the text engine reads at a time."""
    return document.sentences or document.paragraphs


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
    """

    name: str
    left: sparse.csr_array | np.ndarray
    right: sparse.csr_array | np.ndarray
    starts: np.ndarray

    @property
    def is_symmetric(self) -> bool:
        """Whether s(i, j) = s(j, i), so that an order and its reversal have the same score."""
        return self.left is self.right

    @property
    def lengths(self) -> np.ndarray:
        """Number of sentences of each document."""
        return np.diff(self.starts)

    @property
    def owner(self) -> np.ndarray:
        """Number of each sentence's document."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    def pairs(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """s(i, j) for pairs of sentence numbers (n,), float array (n,)."""
        result = np.empty(len(first))
        for start in range(0, len(first), PAIRS_AT_ONCE):
            part = slice(start, start + PAIRS_AT_ONCE)
            result[part] = _row_products(self.left[first[part]], self.right[second[part]])
        return result

    def matrix(self, document: int) -> np.ndarray:
        """s(i, j) for all sentences i, j of one document, float array (n, n)."""
        rows = slice(self.starts[document], self.starts[document + 1])
        product = self.left[rows] @ self.right[rows].T
        return product.toarray() if sparse.issparse(product) else product.astype(np.float64)

    def lag_profile(self, longest: int) -> np.ndarray:
        """Mean s(i, i + d) for the distances d = 1 … `longest`, over documents of more than `longest` sentences.

        So every distance is measured on the same documents. A measure can tell an order from a degraded one as far as
        this profile falls: moving a sentence puts distant ones side by side.

        Returns
        -------
        array (3, longest), float
            The mean as a share of that of neighbours (d = 1), and the ends of its 95 % interval, from resampled
            documents. NaN if no document is long enough.
        """
        owner, count, enough = self.owner, len(self.lengths), self.lengths > longest
        totals = np.zeros((count, longest))
        for distance in range(1, longest + 1):
            first = np.flatnonzero((owner[:-distance] == owner[distance:]) & enough[owner[distance:]])
            totals[:, distance - 1] = np.bincount(
                owner[first], weights=self.pairs(first, first + distance), minlength=count
            )
        pairs = enough[:, None] * (self.lengths[:, None] - np.arange(1, longest + 1))
        drawn = np.random.default_rng(0).multinomial(count, np.full(count, 1 / count), 500)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.vstack([np.ones(count), drawn]) @ totals / (np.vstack([np.ones(count), drawn]) @ pairs)
            shares = means / means[:, :1]
        shares[~np.isfinite(shares)] = np.nan
        ends = np.full((2, longest), np.nan)
        known = np.isfinite(shares[0])
        ends[:, known] = np.nanquantile(shares[1:, known], [0.025, 0.975], axis=0)
        return np.vstack([shares[:1], ends])

    def expected_scores(self) -> np.ndarray:
        """Expected score of every document over all its orders, exactly: the mean of s(i, j) over all i ≠ j.

        In a random order every ordered pair of sentences is adjacent with the same probability. Linear in the number
        of sentences, as the sum of all products is the product of the sums. NaN below two sentences.
        """
        owner, lengths = self.owner, self.lengths
        everything = np.arange(len(owner))
        gather = sparse.csr_array((np.ones(len(owner)), (owner, everything)), shape=(len(lengths), len(owner)))
        total = _row_products(gather @ self.left, gather @ self.right)
        total -= np.bincount(owner, weights=self.pairs(everything, everything), minlength=len(lengths))
        return np.divide(total, lengths * (lengths - 1), out=np.full(len(lengths), np.nan), where=lengths > 1)


def _row_products(left, right) -> np.ndarray:
    """left_n · right_n for every row n."""
    if sparse.issparse(left):
        return left.multiply(right).sum(axis=1)
    return np.einsum("ij,ij->i", left, right, dtype=np.float64)


# -------------------------------------------------------------------- counts and sets, compared by cosine


def count_matrix(
    analysed: Analysed, weights: Mapping[str, float] | None = None, *, stop_words: bool = False
) -> sparse.csr_array:
    """Counts of stems, sparse (sentences, stems): the vectors of equation 3.

    Without `stop_words` these are left out. The paper does not mention them, but its magnitudes fit their removal.

    Parameters
    ----------
    weights : mapping of str to float, optional
        What a token counts, by its Penn Treebank tag; 0 for tags not named. By default every token counts 1.
    """
    stems = defaultdict(itertools.count().__next__)
    of_type = np.array([stems[stem(form)] if form else -1 for form in _word_forms(analysed, stop_words)], np.intp)
    of_tag = np.array([1.0 if weights is None else weights.get(tag, 0.0) for tag in analysed.tags])
    column, value = of_type[analysed.token_type], of_tag[analysed.token_tag]
    keep = (column >= 0) & (value > 0)
    places = (analysed.token_sentence[keep], column[keep])
    return sparse.csr_array((value[keep], places), shape=(len(analysed.sentences), max(1, len(stems))))


def _word_forms(analysed: Analysed, stop_words: bool = False) -> list[str]:
    """Of each type its lower-case form with straight apostrophes; empty for no words, and stop words left out."""
    forms = [token.lower().replace("’", "'") for token in analysed.types]
    return [form if is_word(form) and (stop_words or form not in STOP_WORDS) else "" for form in forms]


def _cosine_measure(name: str, matrix, analysed: Analysed) -> Measure:
    """Cosine (equation 3) between the rows of a sparse or dense matrix (sentences, k); 0 where a row is zero."""
    from sklearn.preprocessing import normalize

    rows = normalize(matrix)
    return Measure(name, rows, rows, analysed.starts)


def similarity(analysed: Analysed, *, stop_words: bool = False) -> Measure:
    """Sim: cosine of counts of stems (section 3.1, equation 3); with or without stop words.

    Examples
    --------
    >>> from nbhelpers.studies import ordering
    >>> text = ordering.analyse(ordering.from_texts({"a": ["A cat slept.", "The cat woke.", "Snow fell."]}))
    >>> similarity(text).matrix(0).round(2).tolist()
    [[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    name = "Sim with stop words" if stop_words else "Sim"
    return _cosine_measure(name, count_matrix(analysed, stop_words=stop_words), analysed)


def noun_similarity(analysed: Analysed, *, names: bool = False) -> Measure:
    """NounSim: cosine of the sets of nouns (section 3.2: "each sentence into the set of nouns").

    The paper does not say whether proper nouns count. Without them its two findings about nouns come out on Wikipedia,
    a lower score than Sim's and a larger drop; with them (`names`) neither does. Names have a measure of their own.

    Examples
    --------
    >>> from nbhelpers.studies import ordering
    >>> text = ordering.analyse(ordering.from_texts({"a": ["Two dogs ran home.", "The dog went home.", "It rained."]}))
    >>> noun_similarity(text).matrix(0)[0].tolist()
    [1.0, 1.0, 0.0]
    """
    tags = NOUN_TAGS if names else NOUN_TAGS - {"NNP", "NNPS"}
    matrix = count_matrix(analysed, dict.fromkeys(tags, 1.0))
    matrix.data[:] = 1.0
    return _cosine_measure("NounSim with names" if names else "NounSim", matrix, analysed)


def entity_similarity(analysed: Analysed, *, minimum_words: int = 1, name: str = "NESim") -> Measure:
    """NESim: cosine of the sets of named entities (section 3.3). A name is one item: *Tony Blair* and *Blair* differ.

    Parameters
    ----------
    minimum_words : int
        Names of fewer words are left out. With 2, only full names remain, which a text gives once and then shortens:
        the scores fall to the size of the paper's, and in news their order turns round.
    name : str
        What results call the measure.

    Examples
    --------
    >>> from nbhelpers.studies import ordering
    >>> text = ordering.analyse(ordering.from_texts({"a": ["Dogs bark.", "The dog slept.", "Anna Berg left."]}))
    >>> entity_similarity(text, minimum_words=2).matrix(0)[2].tolist()
    [0.0, 0.0, 1.0]
    """
    keep = np.array([len(entity.split()) >= minimum_words for entity in analysed.entities], bool)[analysed.entity]
    places = (analysed.entity_sentence[keep], analysed.entity[keep])
    shape = (len(analysed.sentences), max(1, len(analysed.entities)))
    matrix = sparse.csr_array((np.ones(keep.sum()), places), shape=shape)
    matrix.data[:] = 1.0
    return _cosine_measure(name, matrix, analysed)


def weighted_similarity(analysed: Analysed) -> Measure:
    """PosSim: cosine of counts of stems weighted by part of speech (`POS_WEIGHTS`), which section 6 proposes.

    Examples
    --------
    >>> from nbhelpers.studies import ordering
    >>> text = ordering.analyse(ordering.from_texts({"a": ["Dogs bark.", "The dog slept.", "Anna Berg left."]}))
    >>> weighted_similarity(text).matrix(0)[0].round(2).tolist()
    [1.0, 0.5, 0.0]
    """
    weights = {tag: POS_WEIGHTS.get(coarse_tag(tag), 0.0) for tag in analysed.tags}
    return _cosine_measure("PosSim", count_matrix(analysed, weights), analysed)


# -------------------------------------------------------------------- embeddings


def embedding_similarity(analysed: Analysed, encoder) -> Measure:
    """EmbSim: cosine of sentence embeddings.

    Parameters
    ----------
    encoder
        Object whose ``encode(list of str)`` gives a float array (n, d), as that of
        `nbhelpers.resources.models.load_encoder`. Equal sentences are encoded once.

    Examples
    --------
    >>> from nbhelpers.studies import ordering
    >>> text = ordering.analyse(ordering.from_texts({"a": ["Dogs bark.", "The dog slept.", "Anna Berg left."]}))
    >>> from nbhelpers.resources.models import load_encoder
    >>> embedding_similarity(text, load_encoder())  # doctest: +SKIP
    """
    different = dict.fromkeys(analysed.sentences)
    place = {sentence: number for number, sentence in enumerate(different)}
    vectors = np.asarray(encoder.encode(list(different)))
    rows = vectors[[place[sentence] for sentence in analysed.sentences]]
    return _cosine_measure("EmbSim", rows, analysed)


def vector_similarity(analysed: Analysed, vectors: WordVectors) -> Measure:
    """VecSim: cosine of the mean word vectors of the sentences, stop words left out.

    Words without a vector are left out. A sentence without any has similarity 0 to all others.

    Examples
    --------
    >>> from nbhelpers.studies import ordering
    >>> text = ordering.analyse(ordering.from_texts({"a": ["Dogs bark.", "The dog slept.", "Anna Berg left."]}))
    >>> vectors = WordVectors(("dogs", "slept"), [[1, 0], [1, 1]], "toy")
    >>> vector_similarity(text, vectors).matrix(0)[0].round(2).tolist()
    [1.0, 0.71, 0.0]
    """
    forms, texts = _word_forms(analysed), [[] for _ in analysed.sentences]
    for sentence, number in zip(analysed.token_sentence, analysed.token_type):
        if forms[number]:
            texts[sentence].append(analysed.types[number])
    # Sums have the direction of means, and only that counts for the cosine.
    counts, used, _ = vectors.token_counts(texts)
    return _cosine_measure("VecSim", counts @ vectors.matrix[used], analysed)


# -------------------------------------------------------------------- a measure that is not symmetric


def divergence(analysed: Analysed) -> Measure:
    """KL: minus the Kullback-Leibler divergence D(p_previous ‖ p_next) of adjacent sentences' stems, in nats.

    The paper proposes a non-symmetric measure so that A-B-C and C-B-A differ (section 5). This one says how well the
    next sentence accounts for the words of the previous one. A sentence's distribution is smoothed with that of its
    whole document (Jelinek-Mercer), which no order changes, with λ = `SMOOTHING`:

        p_i = (1 - λ) · counts_i / total_i + λ · document

    A sentence without a word is the document's distribution. The measure is at most 0, and 0 only for equal
    distributions. On news and Wikipedia the author's order mostly scores above its reversal. The measure depends on
    the sentences' lengths (a short sentence is far from the document's distribution), so this need not be the order of
    thoughts alone.

    Notes
    -----
    With d the document's distribution and g_j(w) = ln p_j(w) - ln(λ_j d(w)), which is 0 for words outside sentence j,
    the divergence D(p_i ‖ p_j) is Σ p_i ln p_i - Σ p_i(w) ln d(w) - ln λ_j - p_i · g_j, and
    p_i · g_j = (1 - λ_i) m_i · g_j + λ_i (d · g_j): a term of i, a term of j and products of two rows.

    Examples
    --------
    >>> from nbhelpers.studies import ordering
    >>> text = ordering.analyse(ordering.from_texts({"a": ["Dogs bark.", "The dog slept.", "Anna Berg left."]}))
    >>> divergence(text).matrix(0)[0, 1:].round(2).tolist()
    [-0.38, -0.62]
    """
    counts = count_matrix(analysed)
    sentences, width = counts.shape
    owner = np.repeat(np.arange(len(analysed)), analysed.lengths)
    rows = np.repeat(np.arange(sentences), np.diff(counts.indptr))

    def sums(values: np.ndarray) -> np.ndarray:
        return np.bincount(rows, weights=values, minlength=sentences)

    # d(w), one entry for each document and stem; then at the place of every count.
    keys, place = np.unique(owner[rows] * width + counts.indices, return_inverse=True)
    share, of_document = np.bincount(place, weights=counts.data), keys // width
    share = share / np.bincount(of_document, weights=share)[of_document]
    document_entropy = np.bincount(of_document, weights=share * np.log(share), minlength=len(analysed))[owner]
    d = share[place]
    total = sums(counts.data)
    weight = np.where(total > 0, SMOOTHING, 1.0)
    mass = (1 - weight[rows]) * counts.data / total[rows]
    smoothed = weight[rows] * d
    p = mass + smoothed
    g = np.log(p) - np.log(smoothed)
    # Σ p ln p: the sentence's own words, and λ d(w) ln(λ d(w)) for all others.
    others = (1.0 - sums(d)) * np.log(weight) + document_entropy - sums(d * np.log(d))
    entropy = sums(p * np.log(p)) + weight * others
    cross = sums(mass * np.log(d)) + weight * document_entropy
    ones = np.ones(sentences)

    def with_columns(values: np.ndarray, *columns: np.ndarray) -> sparse.csr_array:
        stored = sparse.csr_array((values, counts.indices, counts.indptr), shape=counts.shape)
        return sparse.hstack([stored, sparse.csr_array(np.column_stack(columns))], format="csr")

    left = with_columns(mass, weight, cross - entropy, ones)
    right = with_columns(g, sums(d * g), ones, np.log(weight))
    return Measure("KL", left, right, analysed.starts)


def standard_measures(analysed: Analysed) -> list[Measure]:
    """The paper's three measures, then the weighting and the divergence that it proposes.

    Examples
    --------
    >>> from nbhelpers.studies import ordering
    >>> text = ordering.analyse(ordering.from_texts({"a": "It rained. They left."}))
    >>> [measure.name for measure in standard_measures(text)]
    ['Sim', 'NounSim', 'NESim', 'PosSim', 'KL']
    """
    makers = (similarity, noun_similarity, entity_similarity, weighted_similarity, divergence)
    return [make(analysed) for make in makers]
