"""Measures that compare vectors: BERTScore, the cosine of sentence vectors, and the cosine of summed word vectors.

The encoders are those that `nbhelpers.resources.models.load_encoder` finds; the default one needs no network. Texts
that stand in several pairs are encoded once, texts of one length together and without padding, so neither the size nor
the order of the batches changes a value beyond 1e-5.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import nbhelpers
from nbhelpers.base.errors import InputError, RowError, RowTooLongError
from nbhelpers.language.tokens import is_word, tokenize
from nbhelpers.metrics.metric import Metric, check_pairs
from nbhelpers.resources import vectors as word_vector_files
from nbhelpers.resources.models import (
    DEFAULT_ENCODER,
    Encoder,
    batches_of_equal_length,
    load_encoder,
    lowest_layers,
    map_batches,
)

PARTS = ("precision", "recall", "f1")
"""The three values of BERTScore, in the order of the columns of `BertScores.values`."""

WINDOW = 4096
"""Pairs whose token vectors are in memory together; a text is encoded once in a window."""


# ------------------------------------------------------------------------------------------------------- BERTScore


@dataclass(frozen=True)
class BertScores:
    """BERTScore of n candidates.

    Attributes
    ----------
    values : numpy.ndarray, float64, shape (n, 3)
        Precision, recall and F1.
    truncated : int
        How many distinct texts were cut to the length that the encoder takes; 0 unless that was allowed.
    """

    values: NDArray[np.float64]
    truncated: int


def bertscore_parts(
    candidates: Sequence[str],
    references: Sequence[str | Sequence[str]],
    *,
    encoder: str | Encoder = DEFAULT_ENCODER,
    layer: int | None = None,
    truncate: bool = False,
    batch_tokens: int | None = None,
) -> BertScores:
    """Precision, recall and F1 of BERTScore in one pass (Zhang et al. 2020, *BERTScore*, section 3).

    Every piece of one text is matched with the piece of the other whose contextual vector has the largest cosine with
    its own (``bert_score.utils.greedy_cos_idf``); precision is the mean over the candidate's pieces, recall that over
    the reference's. As in the authors' library the special tokens at both ends can be matched, but have no weight.
    Pieces weigh the same: weights by document frequency (idf) would make the value of a pair depend on the other
    pairs. Nothing is rescaled with a baseline.

    Parameters
    ----------
    candidates : sequence of str
        n texts.
    references : sequence
        For each candidate one text or several; of several the best counts, for each value by itself.
    encoder : str or Encoder
        A name for `nbhelpers.resources.models.load_encoder`, or an encoder already loaded.
    layer : int, optional
        Which layer's vectors are compared, counted from 1; 0 takes the embeddings. By default the layer that the
        library's authors tuned for an encoder of this name (``bert_score.utils.model2layers``), else the last one:
        the layer from which sentence encoders make their vectors. No layer was tuned for this project.
    truncate : bool
        Cut texts that the encoder cannot take whole. They are counted in the result and announced with a warning.
    batch_tokens : int, optional
        Token budget of a forward pass; by default 4,096 on a CPU and 65,536 on a GPU.

    Returns
    -------
    BertScores
        Values in [-1, 1]. F1 is the harmonic mean; it has no bound where precision and recall differ in sign, and is
        0 there.

    Raises
    ------
    InputError
        An empty text, lists of different lengths, a text that the tokenizer leaves nothing of, or no such layer.
    RowTooLongError
        A text longer than the encoder takes, unless `truncate`; the message names the row, counted from 1.
    """
    candidates, _, references = check_pairs(candidates, candidates, references)
    loaded, layer = _with_layer(encoder, layer)
    rows, truncated = _piece_rows(loaded, [*_labelled(candidates, references)], truncate)
    values = np.full((len(candidates), len(PARTS)), -np.inf)
    pairs = [(i, candidate, text) for i, candidate in enumerate(candidates) for text in references[i]]
    pairs.sort(key=lambda pair: pair[2])  # pairs with the same reference into the same window
    for start in range(0, len(pairs), WINDOW):
        window = pairs[start : start + WINDOW]
        needed = {text: rows[text] for pair in window for text in pair[1:]}
        for (i, *_), scores in zip(window, _match(loaded, layer, window, needed, batch_tokens)):
            values[i] = np.maximum(values[i], scores)
    if truncated:
        warnings.warn(f"BERTScore cut {truncated} texts to {loaded.max_length} pieces.", stacklevel=2)
    return BertScores(values, truncated)


def bertscore(
    part: str,
    encoder: str | Encoder = DEFAULT_ENCODER,
    layer: int | None = None,
    truncate: bool = False,
    dtype: str = "float32",
) -> Metric:
    """Precision, recall or F1 of BERTScore; see `bertscore_parts` for the definition and the options.

    The three share one pass: the last results are remembered by their texts.

    Parameters
    ----------
    part : {"precision", "recall", "f1"}
    encoder, layer, truncate
        As `bertscore_parts` takes them.
    dtype : {"float32", "bfloat16"}
        Precision of an encoder given by name. bfloat16 is faster where the processor has it; values move by some
        thousandths.
    """
    from importlib.metadata import version

    if part not in PARTS:
        raise InputError(f"part is one of {', '.join(PARTS)}, not {part!r}.")
    loaded, number = _with_layer(encoder, layer, dtype)

    def compute(_: list[str], candidates: list[str], references: list[list[str]]) -> NDArray[np.float64]:
        given = tuple(candidates), tuple(map(tuple, references))
        return _remembered_parts(loaded, number, truncate, *given).values[:, PARTS.index(part)]

    return Metric(
        name=f"bertscore-{part}",
        title=f"BERTScore {part if part != 'f1' else 'F1'}",
        range=(-1.0, 1.0),
        higher_means_same=True,
        needs_reference=True,
        signature=f"bertscore-{part}|encoder:{loaded.loaded.identity}|layer:{number}|idf:no|rescale:no"
        f"{loaded.loaded.dtype_mark}{'|cut:yes' if truncate else ''}|bert-score:{version('bert-score')}",
        compute=compute,
        scale=100.0,
    )


@functools.lru_cache(maxsize=2)
def _remembered_parts(
    encoder: Encoder,
    layer: int,
    truncate: bool,
    candidates: tuple[str, ...],
    references: tuple[tuple[str, ...], ...],
) -> BertScores:
    return bertscore_parts(candidates, references, encoder=encoder, layer=layer, truncate=truncate)


@functools.lru_cache(maxsize=2)
def _encoder(name: str, dtype: str) -> Encoder:
    return load_encoder(name, dtype=dtype)


def _with_layer(encoder: str | Encoder, layer: int | None, dtype: str = "float32") -> tuple[Encoder, int]:
    """The encoder, loaded, and the number of the layer that is meant."""
    loaded = _encoder(encoder, dtype) if isinstance(encoder, str) else encoder
    last = int(loaded.loaded.model.config.num_hidden_layers)
    if layer is None:
        from bert_score.utils import model2layers

        return loaded, int(model2layers.get(loaded.loaded.name, last))
    if isinstance(layer, bool) or not isinstance(layer, int) or not 0 <= layer <= last:
        raise InputError(f"layer is a whole number from 0 to {last} for {loaded.loaded.name}, not {layer!r}.")
    return loaded, layer


def _labelled(candidates: Sequence[str], references: Sequence[Sequence[str]]) -> Iterator[tuple[int, str, str]]:
    for i, candidate in enumerate(candidates):
        yield i, "candidate", candidate
        for text in references[i]:
            yield i, "reference (or the source that stands for it)", text


def _piece_rows(
    encoder: Encoder, texts: Sequence[tuple[int, str, str]], truncate: bool
) -> tuple[dict[str, list[int]], int]:
    """Token ids of each distinct text, special tokens included, and how many texts were cut."""
    tokenizer, longest = encoder.loaded.tokenizer, encoder.max_length
    distinct = list(dict.fromkeys(text for _, _, text in texts))
    if not distinct:
        return {}, 0
    # The library strips every text and gives byte-level BPE a space before the first word, too (its request for that
    # space is lost in transformers 5, which ignores it).
    space = " " if (tokenizer.tokenize(" a") or [""])[0].startswith("Ġ") else ""
    rows = dict(zip(distinct, tokenizer([space + text.strip() for text in distinct])["input_ids"]))
    special = set(tokenizer.all_special_ids)
    truncated = 0
    for i, kind, text in texts:
        row = rows[text]
        if all(piece in special and piece != tokenizer.unk_token_id for piece in row):
            raise RowError(i + 1, f"the tokenizer leaves nothing of the {kind} {text!r}.")
        if len(row) > longest and not truncate:
            raise too_long(i, f"the {kind}", len(row), encoder.loaded.name, longest, text)
        if len(row) > longest:
            rows[text] = [*row[: longest - 1], row[-1]]
            truncated += 1
    return rows, truncated


def too_long(index: int, what: str, count: int, name: str, longest: int, text: str) -> RowTooLongError:
    """The error of the pair with this index, counted from 0."""
    return RowTooLongError(index + 1, f"there are {count} pieces in {what}, {name} takes {longest}: {text[:60]} …")


def _match(
    encoder: Encoder,
    layer: int,
    pairs: Sequence[tuple[int, str, str]],
    rows: dict[str, list[int]],
    batch_tokens: int | None,
) -> list[tuple[float, float, float]]:
    """Precision, recall and F1 of each (number, candidate, reference), by the library's own greedy matching."""
    import torch
    from bert_score.utils import greedy_cos_idf

    # The library weighs the separator and the classifier token 0, wherever they stand.
    unweighted = {encoder.loaded.tokenizer.sep_token_id, encoder.loaded.tokenizer.cls_token_id}
    results = []
    with torch.inference_mode():
        found: dict[str, tuple[Any, Any, Any]] = {}
        for text, vectors in _token_vectors(encoder, layer, rows, batch_tokens):
            weights = torch.tensor([[float(piece not in unweighted) for piece in rows[text]]], device=vectors.device)
            found[text] = vectors, torch.ones_like(weights), weights
        for _, candidate, text in pairs:
            # one pair at a time, without padding (which would count as a cosine of 0); copies, as it changes its input
            both = [part.clone() for name in (text, candidate) for part in found[name]]
            precision, recall, f1 = (float(value) for value in greedy_cos_idf(*both))
            if precision * recall < 0:
                f1 = 0.0
            results.append(tuple(min(1.0, max(-1.0, value)) for value in (precision, recall, f1)))
    return results


def _token_vectors(
    encoder: Encoder, layer: int, rows: dict[str, list[int]], batch_tokens: int | None
) -> Iterator[tuple[str, Any]]:
    """Each text with the vectors of its pieces at a layer, shape (1, pieces, d), float32."""
    import torch

    model, device, texts = encoder.loaded.model, encoder.loaded.device, list(rows)
    shorter = model if layer == model.config.num_hidden_layers else lowest_layers(model, layer)

    def hidden(chosen: list[int]) -> Any:
        ids = torch.tensor([rows[texts[i]] for i in chosen], device=device)
        inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
        if shorter is not None:
            return shorter(**inputs, output_hidden_states=False).last_hidden_state.float()
        return model(**inputs, output_hidden_states=True).hidden_states[layer].float()

    batches = list(batches_of_equal_length(list(rows.values()), batch_tokens or encoder.loaded.token_budget()))
    for chosen, states in zip(batches, map_batches(hidden, batches, device), strict=True):
        for i, vectors in zip(chosen, states):
            yield texts[i], vectors[None]


# -------------------------------------------------------------------------------------------- one vector for a text


def sentence_transformer(
    encoder: str | Encoder = DEFAULT_ENCODER, truncate: bool = False, dtype: str = "float32"
) -> Metric:
    """Cosine of the sentence vectors of source and candidate (Reimers and Gurevych 2019, *Sentence-BERT*).

    Parameters
    ----------
    encoder : str or Encoder
        A name for `nbhelpers.resources.models.load_encoder`, or an encoder already loaded.
    truncate : bool
        Cut texts that the encoder cannot take whole, with a warning that counts them; by default they are a
        RowTooLongError.
    dtype : {"float32", "bfloat16"}
        As in `bertscore`.
    """
    loaded = _encoder(encoder, dtype) if isinstance(encoder, str) else encoder

    def compute(sources: list[str], candidates: list[str], _: list[list[str]]) -> NDArray[np.float64]:
        texts = [
            (i, kind, text)
            for i, pair in enumerate(zip(sources, candidates))
            for kind, text in zip(("source", "candidate"), pair)
        ]
        _, truncated = _piece_rows(loaded, texts, truncate)
        if truncated:
            warnings.warn(f"{truncated} texts were cut to {loaded.max_length} pieces.", stacklevel=3)
        place = {text: row for row, text in enumerate(dict.fromkeys(text for _, _, text in texts))}
        encoded = loaded.encode(list(place), truncate=truncate)
        first, second = (encoded[[place[text] for text in part]] for part in (sources, candidates))
        return word_vector_files.cosine(first, second)

    return Metric(
        name="sentence-transformer",
        title="Sentence Transformer",
        range=(-1.0, 1.0),
        higher_means_same=True,
        needs_reference=False,
        signature=f"sentence-transformer|{loaded.signature}{'|cut:yes' if truncate else ''}|v:{nbhelpers.__version__}",
        compute=compute,
        scale=100.0,
    )


def word_vectors(vectors: str | word_vector_files.WordVectors = "word2vec-5") -> Metric:
    """Cosine of the summed word vectors of source and candidate: which words, in whatever order.

    Words without a vector are left out of the sums; `word_vector_coverage` gives the share of words that have one and
    belongs beside the score. A text none of whose words has a vector is an InputError that names the row: there is
    nothing to compare, and 0 would say that the texts differ.

    Parameters
    ----------
    vectors : str or WordVectors
        A name for `nbhelpers.resources.vectors.load_vectors`, or vectors already loaded.
    """
    loaded = _word_vectors(vectors) if isinstance(vectors, str) else vectors

    def compute(sources: list[str], candidates: list[str], _: list[list[str]]) -> NDArray[np.float64]:
        texts = list(dict.fromkeys([*sources, *candidates]))
        words = {text: _words(text) for text in texts}
        for i, pair in enumerate(zip(sources, candidates)):
            for kind, text in zip(("source", "candidate"), pair):
                if not (loaded.rows(words[text]) >= 0).any():
                    raise RowError(i + 1, f"no word of the {kind} has a vector: {text[:60]!r}.")
        place = {text: row for row, text in enumerate(texts)}
        sums = loaded.sums(list(words.values()))
        first, second = (sums[[place[text] for text in part]] for part in (sources, candidates))
        return word_vector_files.cosine(first, second)

    return Metric(
        name="word-vectors",
        title="Word vectors (cosine)",
        range=(-1.0, 1.0),
        higher_means_same=True,
        needs_reference=False,
        signature=f"word-vectors|{loaded.signature}|sum|v:{nbhelpers.__version__}",
        compute=compute,
        scale=100.0,
    )


def word_vector_coverage(texts: Sequence[str], vectors: str | word_vector_files.WordVectors = "word2vec-5") -> float:
    """Share of the words of all texts that have a vector, in [0, 1]; repeated words count each time."""
    loaded = _word_vectors(vectors) if isinstance(vectors, str) else vectors
    return loaded.coverage([word for text in texts for word in _words(text)])


@functools.lru_cache(maxsize=2)
def _word_vectors(name: str) -> word_vector_files.WordVectors:
    return word_vector_files.load_vectors(name)


def _words(text: str) -> list[str]:
    return [token for token in tokenize(text) if is_word(token)]
