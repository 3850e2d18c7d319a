"""Word alignment of parallel sentences: IBM Model 1 and Model 2 with a diagonal prior, vectorised.

Model 1 (Brown et al. 1993) learns which words translate which; the diagonal prior (Dyer, Chahuneau & Smith 2013, "A
simple, fast, and effective reparameterization of IBM Model 2", the model of fast_align) adds that words in the same
part of a sentence tend to translate each other. A model gives every target word one source word or none;
`nbhelpers.studies.paraphrase.phrases` joins the two directions.

Sentence pairs of equal lengths are computed together, as one array of shape (pairs, target words, source words + 1);
an iteration is then a handful of NumPy operations. All probabilities are float64; nothing depends on the order of the
sentences. Memory is about 50 bytes per possible link, that is, per product of the two lengths of a sentence pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import NDArray

from nbhelpers.base.errors import InputError

SYMMETRISATIONS = ("grow-diag-final-and", "intersection", "union")
_LEAST_TENSION, _MOST_TENSION = 0.1, 14.0  # the limits of fast_align


@dataclass(frozen=True)
class AlignmentSettings:
    """How sentences are aligned.

    The defaults are those of fast_align's authors, after five iterations of Model 1, with which GIZA++, the tool of the
    paper, begins.

    Attributes
    ----------
    model1_iterations : int
        Iterations of Model 1, which ignores positions, before those of the diagonal model.
    diagonal_iterations : int
        Iterations of Model 2 with the diagonal prior.
    tension : float
        λ of the prior at the start: 0 is uniform, large values keep close to the diagonal.
    optimise_tension : bool
        Whether λ is estimated along (within 0.1 to 14).
    null_probability : float
        p₀, the prior probability that a target word translates no source word (diagonal model).
    pseudo_count : float
        α of the Dirichlet prior on translation probabilities (variational Bayes); 0 is maximum likelihood.
    symmetrisation : {"grow-diag-final-and", "intersection", "union"}
        How the two directions are joined.
    longest : int
        Sentence pairs with a side of more words are left without links (and counted), as GIZA++ does from 100 on.
    """

    model1_iterations: int = 5
    diagonal_iterations: int = 5
    tension: float = 4.0
    optimise_tension: bool = True
    null_probability: float = 0.08
    pseudo_count: float = 0.01
    symmetrisation: str = "grow-diag-final-and"
    longest: int = 100

    def __post_init__(self) -> None:
        if min(self.model1_iterations, self.diagonal_iterations) < 0 or not (
            self.model1_iterations + self.diagonal_iterations
        ):
            raise InputError("Alignment takes at least one iteration, and no negative number of them.")
        if not (0 < self.null_probability < 1 and self.tension >= 0 and self.pseudo_count >= 0 and self.longest >= 1):
            raise InputError(f"Alignment settings out of range: {self}.")
        if self.symmetrisation not in SYMMETRISATIONS:
            raise InputError(f"Symmetrisation is one of {', '.join(SYMMETRISATIONS)}, not {self.symmetrisation!r}.")

    @property
    def signature(self) -> str:
        """All settings in one line."""
        return "align(" + ",".join(f"{item.name}:{getattr(self, item.name)}" for item in fields(self)) + ")"


# -------------------------------------------------------------------------------------------------------- sentences


@dataclass(frozen=True)
class Encoded:
    """Sentences as numbers.

    Attributes
    ----------
    words : list of str
        The vocabulary in alphabetical order.
    ids : array of int64, shape (tokens,)
        Place of each token in `words`, sentence after sentence.
    starts : array of int64, shape (sentences + 1,)
        Where each sentence begins in `ids`.
    """

    words: list[str] = field(repr=False)
    ids: NDArray[np.int64] = field(repr=False)
    starts: NDArray[np.int64] = field(repr=False)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of tokens of each sentence."""
        return np.diff(self.starts)

    @property
    def sentence(self) -> NDArray[np.int64]:
        """Number of the sentence of each token."""
        return np.repeat(np.arange(len(self.starts) - 1), self.lengths)


def encode(sentences: Sequence[Sequence[str]]) -> Encoded:
    """Sentences (sequences of words, also empty) as numbers."""
    words = sorted({word for sentence in sentences for word in sentence})
    number = {word: place for place, word in enumerate(words)}
    ids = np.fromiter((number[word] for sentence in sentences for word in sentence), np.int64)
    starts = np.concatenate([[0], np.cumsum([len(sentence) for sentence in sentences], dtype=np.int64)])
    return Encoded(words, ids, starts.astype(np.int64))


# ------------------------------------------------------------------------------------------------- one direction


class _Cells:
    """All possible links of all sentence pairs, sentence pairs of the same two lengths side by side.

    `pair` holds the number of the (source word, target word) pair of each possible link; a group's part of it has the
    shape (sentences, target words, source words + 1), the empty word first. `prior` has one such block, without the
    sentences, for each group.
    """

    def __init__(self, source: Encoded, target: Encoded, longest: int) -> None:
        n, m = source.lengths, target.lengths
        usable = np.flatnonzero((n > 0) & (m > 0) & (n <= longest) & (m <= longest))
        order = usable[np.lexsort((n[usable], m[usable]))]
        new = np.flatnonzero(np.diff(m[order]) | np.diff(n[order])) + 1
        self.groups: list[tuple[NDArray, int, int, slice, slice]] = []
        sizes, keys, place, prior_place = [], [], 0, 0
        for members in np.split(order, new) if len(order) else []:
            rows, columns = int(m[members[0]]), int(n[members[0]])
            left = np.zeros((len(members), columns + 1), np.int64)
            left[:, 1:] = source.ids[source.starts[members][:, None] + np.arange(columns)] + 1
            right = target.ids[target.starts[members][:, None] + np.arange(rows)]
            keys.append((left[:, None, :] * len(target.words) + right[:, :, None]).ravel())
            cells, size = len(keys[-1]), rows * (columns + 1)
            block, prior = slice(place, place + cells), slice(prior_place, prior_place + size)
            self.groups.append((members, rows, columns, block, prior))
            sizes.append((rows, columns))
            place, prior_place = place + cells, prior_place + size
        every = np.concatenate(keys) if keys else np.zeros(0, np.int64)
        del keys
        self.keys, self.pair = np.unique(every, return_inverse=True)
        self.source_of_pair = self.keys // max(len(target.words), 1)
        self._set_features(sizes)

    def _set_features(self, sizes: list[tuple[int, int]]) -> None:
        """h(i, j, m, n) = -|j/m - i/n| of each cell of each group's block; NaN marks the empty word."""
        blocks = []
        for rows, columns in sizes:
            distance = -np.abs(np.arange(1, rows + 1)[:, None] / rows - np.arange(1, columns + 1) / columns)
            blocks.append(np.concatenate([np.full((rows, 1), np.nan), distance], axis=1).ravel())
        self.feature = np.concatenate(blocks) if blocks else np.zeros(0)
        self.is_null = np.isnan(self.feature)
        self.feature[self.is_null] = 0.0
        self.rows = np.flatnonzero(self.is_null)  # each row begins with the empty word
        self.row_sizes = np.diff(np.append(self.rows, len(self.feature)))

    def uniform_prior(self) -> NDArray:
        return np.repeat(1.0 / self.row_sizes, self.row_sizes)

    def _weights(self, tension: float) -> tuple[NDArray, NDArray]:
        """exp(λh), zero for the empty word, and its sum over each row."""
        weights = np.where(self.is_null, 0.0, np.exp(tension * self.feature))
        return weights, np.add.reduceat(weights, self.rows)

    def diagonal_prior(self, tension: float, null_probability: float) -> NDArray:
        weights, totals = self._weights(tension)
        return np.where(
            self.is_null, null_probability, (1 - null_probability) * weights / np.repeat(totals, self.row_sizes)
        )

    def best_tension(self, tension: float, linked: NDArray) -> float:
        """The λ that maximises the expected log prior, given the expected number of links of each prior cell.

        That is Σ λ·h·linked - Σ (links of the row)·log Z(λ), which is concave: Newton's method takes a few steps.
        fast_align walks up the same slope in eight steps of fixed size.
        """
        linked = np.where(self.is_null, 0.0, linked)
        of_row = np.add.reduceat(linked, self.rows)
        observed = float(linked @ self.feature)
        for _ in range(20):
            weights, totals = self._weights(tension)
            mean = np.add.reduceat(weights * self.feature, self.rows) / totals
            square = np.add.reduceat(weights * self.feature**2, self.rows) / totals
            slope, bend = observed - float(of_row @ mean), float(of_row @ (square - mean**2))
            if bend <= 0:
                break
            step = min(max(tension + slope / bend, _LEAST_TENSION), _MOST_TENSION)
            if abs(step - tension) < 1e-9:
                break
            tension = step
        return tension


@dataclass(frozen=True)
class WordModel:
    """What one direction has learned.

    Attributes
    ----------
    source_words, target_words : list of str
    keys : array of int64, shape (pairs,)
        ``(source word + 1) * len(target_words) + target word`` of each pair that occurs, rising; source word -1 is the
        empty word.
    probabilities : array of float64, shape (pairs,)
        t(target word | source word).
    tension : float
        λ at the end.
    log_likelihoods : tuple of float
        Of the target sentences, before each iteration (natural logarithm).
    links : array of int64, shape (target tokens,)
        Place of the most probable source word in its sentence, or -1 for none.
    """

    source_words: list[str] = field(repr=False)
    target_words: list[str] = field(repr=False)
    keys: NDArray[np.int64] = field(repr=False)
    probabilities: NDArray[np.float64] = field(repr=False)
    tension: float
    log_likelihoods: tuple[float, ...]
    links: NDArray[np.int64] = field(repr=False)

    def probability(self, target: str, source: str | None) -> float:
        """t(target | source), None being the empty word; 0 for words that never meet in a sentence pair."""
        try:
            left = 0 if source is None else self.source_words.index(source) + 1
            key = left * len(self.target_words) + self.target_words.index(target)
        except ValueError:
            return 0.0
        place = int(np.searchsorted(self.keys, key))
        return float(self.probabilities[place]) if place < len(self.keys) and self.keys[place] == key else 0.0


def train(source: Encoded, target: Encoded, settings: AlignmentSettings = AlignmentSettings()) -> WordModel:
    """Learn one direction by expectation maximisation and align every target word.

    Parameters
    ----------
    source, target : Encoded
        Sentence i of one translates sentence i of the other.

    Raises
    ------
    InputError
        The sides differ in the number of sentences.
    """
    if len(source.starts) != len(target.starts):
        raise InputError(f"{len(source.starts) - 1} source and {len(target.starts) - 1} target sentences.")
    cells = _Cells(source, target, settings.longest)
    # Any uniform start gives the same first posterior.
    probabilities = np.full(len(cells.keys), 1.0 / max(len(target.words), 1))
    posterior = np.empty(len(cells.pair))
    tension, likelihoods = settings.tension, []
    prior = cells.uniform_prior()
    for iteration in range(settings.model1_iterations + settings.diagonal_iterations):
        is_diagonal = iteration >= settings.model1_iterations
        if is_diagonal:
            prior = cells.diagonal_prior(tension, settings.null_probability)
        likelihood, linked = _expect(cells, probabilities, prior, posterior)
        likelihoods.append(likelihood)
        probabilities = _maximise(cells, posterior, settings.pseudo_count)
        if is_diagonal and settings.optimise_tension and len(linked):
            tension = cells.best_tension(tension, linked)
    if settings.diagonal_iterations:
        prior = cells.diagonal_prior(tension, settings.null_probability)
    links = np.full(len(target.ids), -1, np.int64)
    for members, rows, columns, block, prior_block in cells.groups:
        scores = probabilities[cells.pair[block]].reshape(len(members), rows, columns + 1)
        best = (scores * prior[prior_block].reshape(rows, columns + 1)).argmax(axis=2) - 1
        links[target.starts[members][:, None] + np.arange(rows)] = best
    return WordModel(source.words, target.words, cells.keys, probabilities, tension, tuple(likelihoods), links)


def _expect(cells: _Cells, probabilities: NDArray, prior: NDArray, posterior: NDArray) -> tuple[float, NDArray]:
    """Fill `posterior`; give the log-likelihood and the expected number of links of each prior cell."""
    np.take(probabilities, cells.pair, out=posterior)
    linked = np.empty(len(prior))
    likelihood = 0.0
    for members, rows, columns, block, prior_block in cells.groups:
        part = posterior[block].reshape(len(members), rows, columns + 1)  # a view
        part *= prior[prior_block].reshape(rows, columns + 1)
        totals = part.sum(axis=2, keepdims=True)
        part /= totals
        likelihood += float(np.log(totals).sum())
        linked[prior_block] = part.sum(axis=0).ravel()
    return likelihood, linked


def _maximise(cells: _Cells, posterior: NDArray, pseudo_count: float) -> NDArray:
    counts = np.bincount(cells.pair, weights=posterior, minlength=len(cells.keys)).astype(float)
    if not pseudo_count:
        return counts / np.bincount(cells.source_of_pair, weights=counts)[cells.source_of_pair]
    from scipy.special import digamma

    counts += pseudo_count
    totals = np.bincount(cells.source_of_pair, weights=counts)
    seen = totals > 0
    totals[seen] = digamma(totals[seen])
    return np.exp(digamma(counts) - totals[cells.source_of_pair])
