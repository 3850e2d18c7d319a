"""Soft matching: word vectors, a sentence encoder and a masked LM as further paraphrase tables, and any other metric.

A table of neighbours whose similarity reaches a threshold goes into the same matcher as the four resources of the
paper; the score of a link then says how near the words are. `metric_scores` puts a measure of `nbhelpers.metrics` into
the same experiment.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nbhelpers.base.errors import InputError
from nbhelpers.studies.paraphrase.experiment import Plan
from nbhelpers.studies.paraphrase.tables import Pairs, ParaphraseTable, add_pair, check_vocabulary

if TYPE_CHECKING:
    from nbhelpers.language.mlm import MaskedLM
    from nbhelpers.metrics import Metric
    from nbhelpers.resources.models import Encoder
    from nbhelpers.resources.vectors import WordVectors

_ROWS = 1024
"""Words whose cosines with the whole vocabulary are computed at a time."""


def _check_limits(threshold: float, top: int) -> None:
    if not 0 < threshold <= 1 or top < 1:
        raise InputError(f"threshold lies in (0, 1] and top is at least 1, not {threshold} and {top}.")


def _neighbours(words: Sequence[str], matrix: NDArray, threshold: float, top: int) -> Pairs:
    """For each word the nearest others, by falling cosine and then by name; a zero vector has none."""
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    unit = (matrix / np.where(norms > 0, norms, 1)).astype(np.float32)
    pairs: Pairs = {}
    for start in range(0, len(words), _ROWS):
        cosines = unit[start : start + _ROWS] @ unit.T
        for row, values in enumerate(cosines, start=start):
            values[row] = -2.0
            near = np.flatnonzero(values >= threshold)
            # `near` is in alphabetical order, which a stable sort keeps among equals.
            near = near[np.argsort(-values[near], kind="stable")][:top]
            if len(near):
                pairs[(words[row],)] = {(words[other],): min(1.0, float(values[other])) for other in near}
    return pairs


def vector_table(
    vocabulary: Collection[str],
    vectors: WordVectors,
    threshold: float = 0.6,
    top: int = 20,
) -> ParaphraseTable:
    """Words of a vocabulary whose vectors are near.

    Parameters
    ----------
    vocabulary : collection of str
        The words of the texts; neighbours are sought among them alone.
    vectors : WordVectors
        See `nbhelpers.resources.vectors.load_vectors`. Words without a vector have no neighbours; the signature tells
        the share of words that have one.
    threshold : float
        Least cosine, in (0, 1]; it is the score of a pair.
    top : int
        Most neighbours of a word.

    Raises
    ------
    InputError
        A limit is out of range, or no word of the vocabulary has a vector.

    Examples
    --------
    >>> from nbhelpers.resources.vectors import WordVectors
    >>> vectors = WordVectors(("car", "auto", "tree"), np.array([[1, 0], [0.8, 0.6], [0, 2]]), "made up")
    >>> list(vector_table(["car", "auto", "tree"], vectors, 0.7).pairs)
    [('auto',), ('car',)]
    """
    _check_limits(threshold, top)
    words = sorted(check_vocabulary(vocabulary))
    rows = vectors.rows(words)
    known = [word for word, row in zip(words, rows, strict=True) if row >= 0]
    if not known:
        raise InputError(f"{vectors.name} has a vector for none of {len(words)} words.")
    pairs = _neighbours(known, np.asarray(vectors.matrix[rows[rows >= 0]]), threshold, top)
    coverage = len(known) / len(words)
    signature = f"vectors:{vectors.signature}|cos:{threshold:g}|top:{top}|coverage:{coverage:.3f}"
    return ParaphraseTable("Vectors", "en", pairs, signature)


def encoder_table(
    vocabulary: Collection[str],
    encoder: Encoder | None = None,
    threshold: float = 0.6,
    top: int = 20,
) -> ParaphraseTable:
    """Words of a vocabulary that a sentence encoder puts near each other, each encoded as a text of its own.

    Parameters
    ----------
    vocabulary : collection of str
        The words of the texts.
    encoder : Encoder, optional
        all-MiniLM-L6-v2 by default (`nbhelpers.resources.models.load_encoder`), an English model.
    threshold : float
        Least cosine, in (0, 1].
    top : int
        Most neighbours of a word.

    Raises
    ------
    InputError
        A limit is out of range, or the vocabulary is empty.

    Examples
    --------
    >>> encoder_table(["car", "auto", "tree"], threshold=0.7).pairs  # doctest: +SKIP
    {('auto',): {('car',): 0.78}, ('car',): {('auto',): 0.78}}
    """
    from nbhelpers.resources.models import load_encoder

    _check_limits(threshold, top)
    words = sorted(check_vocabulary(vocabulary))
    if not words:
        raise InputError("The vocabulary has no words.")
    encoder = encoder or load_encoder()
    pairs = _neighbours(words, encoder.encode(words), threshold, top)
    return ParaphraseTable("Encoder", "en", pairs, f"{encoder.signature}|cos:{threshold:g}|top:{top}")


def masked_lm_table(
    sentences: Iterable[Sequence[str]],
    vocabulary: Collection[str],
    engine: MaskedLM | None = None,
    threshold: float = 0.02,
    top: int = 10,
    *,
    exclude: Collection[str] = (),
) -> ParaphraseTable:
    """Words that a masked LM expects in the place of a word, in the sentences of the references.

    Every word of every sentence is masked once. A word of the vocabulary that is among the most probable there becomes
    a paraphrase of the masked word, with its highest probability over all places. A table knows words and not places,
    so what holds in one sentence is allowed wherever the word stands: make it from the references.

    Parameters
    ----------
    sentences : iterable of sequence of str
        Words of each sentence as the model should see them, with case and punctuation.
    vocabulary : collection of str
        The words of the texts. Only those that are one piece to the model can be expected.
    engine : MaskedLM, optional
        The shipped model by default.
    threshold : float
        Least probability, in (0, 1].
    top : int
        How many of the vocabulary's most probable words are looked at in each place; the word itself is passed over.
    exclude : collection of str
        Words that are neither masked nor expected, such as `nbhelpers.language.STOP_WORDS`, which a model expects
        nearly everywhere.

    Raises
    ------
    InputError
        A limit that is out of range, or no word of the vocabulary is one piece.
    TextTooLongError
        A sentence is longer than the model takes.

    Examples
    --------
    >>> masked_lm_table([["The", "big", "car"]], ["big", "large"]).pairs  # doctest: +SKIP
    {('big',): {('large',): 0.04}}
    """
    import torch

    from nbhelpers.language.mlm import MaskedLM

    _check_limits(threshold, top)
    engine = engine or MaskedLM()
    skipped = frozenset(exclude)
    words = [word for word in sorted(check_vocabulary(vocabulary)) if word not in skipped]
    pieces: dict[int, str] = {}
    unknown = engine.loaded.tokenizer.unk_token_id
    for word in words:
        encoded = engine.encode(("a", word))  # as it stands after a space
        start, stop = encoded.spans[1]
        if stop - start == 1 and encoded.input_ids[start] != unknown:
            pieces.setdefault(encoded.input_ids[start], word)
    if not pieces:
        raise InputError(f"None of {len(words)} words is one piece of {engine.loaded.name}.")
    expected, ids = list(pieces.values()), torch.tensor(list(pieces))
    known = set(words)
    masked: list[str] = []
    requests = []
    for sentence in sentences:
        encoded = engine.encode(sentence)
        for place, word in enumerate(map(str.lower, encoded.words)):
            if word in known:
                masked.append(word)
                requests.append(engine.request(encoded, place, mask="word"))
    pairs: Pairs = {}
    for start in range(0, len(requests), 256):  # so many distributions are held at a time
        log_probabilities = torch.cat(engine.log_probabilities(requests[start : start + 256]))
        chosen = log_probabilities[:, ids.to(log_probabilities.device)].exp()
        values, places = chosen.topk(min(top, len(expected)), dim=1)
        for word, row, nearest in zip(masked[start:], values.tolist(), places.tolist()):
            for probability, place in zip(row, nearest, strict=True):
                if probability >= threshold and expected[place] != word:
                    add_pair(pairs, (word,), (expected[place],), probability)
    signature = f"{engine.signature}|p:{threshold:g}|top:{top}|excluded:{len(skipped)}|places:{len(requests)}"
    return ParaphraseTable("Masked LM", "en", pairs, signature)


def metric_scores(plan: Plan, metric: Metric) -> NDArray[np.float64]:
    """Scores of a measure of `nbhelpers.metrics`, such as BERTScore or MeaningBERT, for the rows of a plan.

    The reference summary is the source. Several references are given together to a measure that is defined on
    references, and one by one to any other, whose mean is taken. Distances are turned round, so that higher is better.

    Parameters
    ----------
    plan : Plan
    metric : Metric

    Returns
    -------
    numpy.ndarray, float64, shape (rows,)
        For `nbhelpers.studies.paraphrase.experiment.evaluate_scores`.

    Raises
    ------
    TextTooLongError
        A summary is longer than the measure's model takes.

    Examples
    --------
    >>> from nbhelpers import metrics
    >>> from nbhelpers.studies.paraphrase.collections import open_collection
    >>> from nbhelpers.studies.paraphrase.experiment import make_plan
    >>> metric_scores(make_plan(open_collection("topics")), metrics.load("rouge1-recall")).shape
    (48,)
    """
    if metric.needs_reference:
        texts = [[reference.text for reference in row.references] for row in plan.rows]
        values = metric([given[0] for given in texts], [row.candidate.text for row in plan.rows], texts)
    else:
        numbers = [number for number, row in enumerate(plan.rows) for _ in row.references]
        sources = [reference.text for row in plan.rows for reference in row.references]
        each = metric(sources, [plan.rows[number].candidate.text for number in numbers])
        values = np.bincount(numbers, weights=each) / np.bincount(numbers)
    return values if metric.higher_means_same else -values
