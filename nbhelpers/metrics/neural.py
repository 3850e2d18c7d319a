"""Metrics that compare vectors: BERTScore, the cosine of sentence vectors, and the cosine of summed word vectors.

The encoders are those of `nbhelpers.resources.models.load_encoder`; the default one needs no network. A text that
stands in several pairs is encoded once, texts of one length together and without padding, so neither the size nor
the order of the batches changes a value beyond 1e-5.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

import nbhelpers
from nbhelpers.base.errors import InputError, RowError, RowTooLongError
from nbhelpers.language.tokens import is_word, tokenize
from nbhelpers.metrics.metric import Compute, register, shared
from nbhelpers.resources import vectors as word_vector_files
from nbhelpers.resources.models import (
    DEFAULT_ENCODER,
    Encoder,
    batches_of_equal_length,
    cached_encoder,
    lowest_layers,
    map_batches,
)

PARTS = {"precision": "precision", "recall": "recall", "f1": "F1"}
"""The three values of BERTScore, in the order of the columns of `bertscore_parts`, and their titles."""

WINDOW = 4096
"""Pairs whose token vectors are in memory together; a text is encoded once in a window."""

_UNSEEN = "negations, opposites (safe, unsafe), who did what to whom; above the same in other words"

_word_vectors = functools.lru_cache(maxsize=2)(word_vector_files.load_vectors)


# ------------------------------------------------------------------------------------------------------- BERTScore


def bertscore_parts(
    candidates: Sequence[str],
    references: Sequence[Sequence[str]],
    encoder: Encoder,
    layer: int,
    truncate: bool = False,
) -> NDArray[np.float64]:
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
    references : sequence of sequence of str
        For each candidate one text or several; of several the best counts, for each value by itself.
    encoder : Encoder
    layer : int
        Number of the layer whose vectors are compared; 0 takes the embeddings.
    truncate : bool
        Cut texts that are too long for the encoder, with a warning that counts them.

    Returns
    -------
    numpy.ndarray, float64, shape (n, 3)
        Values in [-1, 1]. F1 is the harmonic mean; it has no bound where precision and recall differ in sign, and is
        0 there.

    Raises
    ------
    RowError
        The tokenizer leaves nothing of a text.
    RowTooLongError
        A text is too long for the encoder, unless `truncate`.
    """
    texts = [(i, "candidate", candidate) for i, candidate in enumerate(candidates)]
    kind = "reference (or the source in its place)"
    texts += [(i, kind, text) for i, given in enumerate(references) for text in given]
    rows = _piece_rows(encoder, texts, truncate)
    values = np.full((len(candidates), len(PARTS)), -np.inf)
    pairs = [(i, candidate, text) for i, candidate in enumerate(candidates) for text in references[i]]
    pairs.sort(key=lambda pair: pair[2])  # pairs with the same reference into the same window
    for start in range(0, len(pairs), WINDOW):
        window = pairs[start : start + WINDOW]
        needed = {text: rows[text] for pair in window for text in pair[1:]}
        for (i, *_), scores in zip(window, _match(encoder, layer, window, needed)):
            values[i] = np.maximum(values[i], scores)
    return values


_shared_parts = shared(bertscore_parts)


def _register_bertscore(part: str) -> None:
    name, title = f"bertscore-{part}", f"BERTScore {PARTS[part]}"

    @register(name, title, (-1.0, 1.0), needs_reference=True, scale=100.0, seconds=0.012, unseen=_UNSEEN)
    def bertscore(
        encoder: str | Encoder = DEFAULT_ENCODER, layer: int | None = None, truncate: bool = False
    ) -> tuple[str, Compute]:
        """Precision, recall or F1 of BERTScore; see `bertscore_parts`.

        Parameters
        ----------
        encoder : str or Encoder
            A name for `nbhelpers.resources.models.load_encoder`, or a loaded encoder.
        layer : int, optional
            Number of the layer whose vectors are compared; 0 takes the embeddings. Default: the layer that the authors
            of the library tuned for this encoder (``bert_score.utils.model2layers``), else the last one, from which
            sentence encoders make their vectors. No layer was tuned for this project.
        truncate : bool
            Cut texts that are too long for the encoder; by default they are an error.
        """
        loaded = cached_encoder(encoder) if isinstance(encoder, str) else encoder
        last = int(loaded.loaded.model.config.num_hidden_layers)
        if layer is None:
            from bert_score.utils import model2layers

            layer = int(model2layers.get(loaded.loaded.name, last))
        elif layer not in range(last + 1):
            raise InputError(f"layer is a whole number from 0 to {last} for {loaded.loaded.name}, not {layer!r}.")

        def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> NDArray[np.float64]:
            return _shared_parts(candidates, references, loaded, layer, truncate)[:, list(PARTS).index(part)]

        signature = (
            f"{name}|encoder:{loaded.loaded.identity}|layer:{layer}|idf:no|rescale:no"
            f"{loaded.loaded.dtype_mark}{'|cut:yes' if truncate else ''}|bert-score:{version('bert-score')}"
        )
        return signature, compute


for _part in PARTS:
    _register_bertscore(_part)


def _piece_rows(encoder: Encoder, texts: Sequence[tuple[int, str, str]], truncate: bool) -> dict[str, list[int]]:
    """Token ids of each distinct text, special tokens included; `texts` are (row, what it is, text)."""
    tokenizer, longest = encoder.loaded.tokenizer, encoder.max_length
    distinct = list(dict.fromkeys(text for _, _, text in texts))
    # The library strips every text and gives byte-level BPE a space before the first word, too (its request for that
    # space is lost in transformers 5, which ignores it).
    space = " " if (tokenizer.tokenize(" a") or [""])[0].startswith("Ġ") else ""
    rows = dict(zip(distinct, tokenizer([space + text.strip() for text in distinct])["input_ids"]))
    special = set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
    cut = 0
    for i, kind, text in texts:
        row = rows[text]
        if special.issuperset(row):
            raise RowError(i + 1, f"the tokenizer leaves nothing of the {kind} {text!r}.")
        if len(row) > longest:
            if not truncate:
                raise too_long(i, f"the {kind}", len(row), encoder.loaded.name, longest, text)
            rows[text] = [*row[: longest - 1], row[-1]]
            cut += 1
    if cut:
        warnings.warn(f"{cut} texts were cut to {longest} pieces.", stacklevel=2)
    return rows


def too_long(index: int, what: str, count: int, name: str, longest: int, text: str) -> RowTooLongError:
    """The error of the pair with this index, counted from 0."""
    return RowTooLongError(index + 1, f"there are {count} pieces in {what}, {name} takes {longest}: {text[:60]} …")


def _match(
    encoder: Encoder, layer: int, pairs: Sequence[tuple[int, str, str]], rows: dict[str, list[int]]
) -> list[tuple[float, float, float]]:
    """Precision, recall and F1 of each (number, candidate, reference), by the library's own greedy matching."""
    import torch
    from bert_score.utils import greedy_cos_idf

    # The library weighs the separator and the classifier token 0, wherever they stand.
    unweighted = {encoder.loaded.tokenizer.sep_token_id, encoder.loaded.tokenizer.cls_token_id}
    results = []
    with torch.inference_mode():
        found: dict[str, tuple[Any, Any, Any]] = {}
        for text, vectors in _token_vectors(encoder, layer, rows):
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


def _token_vectors(encoder: Encoder, layer: int, rows: dict[str, list[int]]) -> Iterator[tuple[str, Any]]:
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

    batches = list(batches_of_equal_length(list(rows.values()), encoder.loaded.token_budget()))
    for chosen, states in zip(batches, map_batches(hidden, batches, device), strict=True):
        for i, vectors in zip(chosen, states):
            yield texts[i], vectors[None]


# -------------------------------------------------------------------------------------------- one vector for a text


def _cosines(sources: list[str], candidates: list[str], texts: list[str], vectors: NDArray) -> NDArray[np.float64]:
    """Cosine of the vectors of each source and candidate; `vectors` holds a row for each of `texts`."""
    place = {text: row for row, text in enumerate(texts)}
    first, second = (vectors[[place[text] for text in part]] for part in (sources, candidates))
    return word_vector_files.cosine(first, second)


@register("sentence-transformer", "Sentence Transformer", (-1.0, 1.0), scale=100.0, seconds=0.01, unseen=_UNSEEN)
def sentence_transformer(encoder: str | Encoder = DEFAULT_ENCODER, truncate: bool = False) -> tuple[str, Compute]:
    """Cosine of the sentence vectors of source and candidate (Reimers and Gurevych 2019, *Sentence-BERT*).

    Parameters
    ----------
    encoder : str or Encoder
        A name for `nbhelpers.resources.models.load_encoder`, or a loaded encoder.
    truncate : bool
        Cut texts that are too long for the encoder, with a warning that counts them; by default they are an error.
    """
    loaded = cached_encoder(encoder) if isinstance(encoder, str) else encoder

    def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> NDArray[np.float64]:
        pairs = enumerate(zip(sources, candidates))
        named = [(i, kind, text) for i, pair in pairs for kind, text in zip(("source", "candidate"), pair)]
        texts = list(_piece_rows(loaded, named, truncate))
        return _cosines(sources, candidates, texts, loaded.encode(texts, truncate=truncate))

    cut = "|cut:yes" if truncate else ""
    return f"sentence-transformer|{loaded.signature}{cut}|v:{nbhelpers.__version__}", compute


@register("word-vectors", "Word vectors (cosine)", (-1.0, 1.0), scale=100.0, seconds=0.0003)
def word_vectors(vectors: str | word_vector_files.WordVectors = "word2vec-5") -> tuple[str, Compute]:
    """Cosine of the summed word vectors of source and candidate: which words, in whatever order.

    Words without a vector are left out of the sums. A text none of whose words has a vector is an InputError that
    names the row: there is nothing to compare, and 0 would say that the texts differ.

    Parameters
    ----------
    vectors : str or WordVectors
        A name for `nbhelpers.resources.vectors.load_vectors`, or loaded vectors.

    Examples
    --------
    >>> word_vectors()(["the rain fell"], ["fell the rain"]).round(3).tolist()
    [1.0]
    """
    loaded = _word_vectors(vectors) if isinstance(vectors, str) else vectors

    def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> NDArray[np.float64]:
        words = {text: list(filter(is_word, tokenize(text))) for text in (*sources, *candidates)}
        for i, pair in enumerate(zip(sources, candidates)):
            for kind, text in zip(("source", "candidate"), pair):
                if not (loaded.rows(words[text]) >= 0).any():
                    raise RowError(i + 1, f"no word of the {kind} has a vector: {text[:60]!r}.")
        return _cosines(sources, candidates, list(words), loaded.sums(list(words.values())))

    return f"word-vectors|{loaded.signature}|sum|v:{nbhelpers.__version__}", compute
