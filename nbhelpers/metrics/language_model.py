"""Measures that ask a masked language model: BLANC, Coverage, InfoLM, and Neighboring Distribution
Divergence (NDD).

All run on the engine of `nbhelpers.language.mlm`: the masked texts of all pairs share its batches, equal ones
are asked once, and neither the size nor the order of the batches changes a value beyond 1e-5.
"""

from __future__ import annotations

import collections
import functools
import logging
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import nbhelpers
from nbhelpers.base.errors import RowError, RowTooLongError, TextTooLongError
from nbhelpers.language.mlm import MaskedLM, MaskRequest, Question, cached_engine
from nbhelpers.language.tokens import STOP_WORDS, is_word, token_spans
from nbhelpers.metrics.metric import Compute, register
from nbhelpers.metrics.ndd import (
    Edit,
    NDDSettings,
    encode_edit,
    find_edits,
    kept_positions,
    ndd_batch,
    ndd_signature,
    neighbour_weights,
    split_words,
)
from nbhelpers.metrics.neural import too_long
from nbhelpers.resources import vectors
from nbhelpers.resources.models import EMBEDDED

_log = logging.getLogger(__name__)

GAP = 6
"""Every sixth piece is masked at a time: BLANC's M, the paper's value (later versions of the authors' package: 2)."""

MINIMUM_LENGTHS = (4, 2, 100)
"""Fewest letters of a piece that BLANC masks: a whole word, the first piece of a word, a later piece (as the authors'
package: later pieces never)."""

TEMPERATURE = 0.25
"""InfoLM's: the value of the authors' code."""

KEYWORDS = 15
"""Words that Coverage masks at most (The Summary Loop, section 3.1)."""


# ---------------------------------------------------------------------------------------------- texts and answers


@dataclass(frozen=True)
class _Pieces:
    """A text as the model's own tokenizer splits it: token ids, the words, for each piece its word and its letters."""

    ids: tuple[int, ...]
    words: tuple[str, ...]
    word_of: tuple[int, ...]
    lengths: tuple[int, ...]

    @property
    def places(self) -> list[str]:
        """For each piece whether it is a ``whole`` word, the ``first`` of several pieces or a ``later`` one."""
        count = collections.Counter(word for word, length in zip(self.word_of, self.lengths) if length)
        seen: set[int] = set()
        found = []
        for word, length in zip(self.word_of, self.lengths):
            found.append("later" if word in seen or not length else "first" if count[word] > 1 else "whole")
            if length:  # a space that is a piece of its own begins no word
                seen.add(word)
        return found


def _read(lm: MaskedLM, text: str) -> _Pieces:
    from tokenizers.pre_tokenizers import BertPreTokenizer

    tokenizer, text = lm.loaded.tokenizer, text.strip()
    if tokenizer.is_fast and isinstance(tokenizer.backend_tokenizer.pre_tokenizer, BertPreTokenizer):
        # split_special_tokens: "[MASK]" in a text is text
        encoding = tokenizer([text], add_special_tokens=False, split_special_tokens=True).encodings[0]
        ids, word_of = encoding.ids, encoding.word_ids
        spans = [encoding.word_to_chars(word) for word in range(max(word_of, default=-1) + 1)]
        words = [text[slice(*span)] if span else "" for span in spans]
    else:  # other tokenizers do not say which piece is of which word, or count spaces and punctuation into words
        spans = token_spans(text)
        words = [text[start:end].replace("’", "'") for start, end in spans]  # as in STOP_WORDS
        spaces = [text[start - 1].isspace() if start else lm.default_spaces(1)[0] for start, _ in spans]
        encoded = lm.encode(words, spaces)
        ids = encoded.input_ids[1:-1]
        word_of = [number for number, (start, stop) in enumerate(encoded.spans) for _ in range(start, stop)]
    names = [tokenizer.decode([i]) for i in ids]  # letters, where a tokenizer names pieces by their bytes
    lengths = [len(name.removeprefix("##").strip()) for name in names]
    return _Pieces(tuple(ids), tuple(words), tuple(word_of), tuple(lengths))


def _read_pairs(
    lm: MaskedLM, sources: Sequence[str], candidates: Sequence[str], separators: int
) -> list[tuple[_Pieces, _Pieces]]:
    """Both texts of each pair; they stand in one input, with `separators` special tokens between and two around."""
    read = {text: _read(lm, text) for text in {*sources, *candidates}}
    pairs = [(read[source], read[candidate]) for source, candidate in zip(sources, candidates)]
    for i, pair in enumerate(pairs):
        for kind, pieces, text in zip(("source", "candidate"), pair, (sources[i], candidates[i])):
            if not pieces.ids:
                raise RowError(i + 1, f"the tokenizer leaves nothing of the {kind} {text!r}.")
        length = sum(len(pieces.ids) for pieces in pair) + separators + 2
        if length > lm.longest:
            raise too_long(i, "source and candidate together", length, lm.loaded.name, lm.longest, sources[i])
    return pairs


def _masked(lm: MaskedLM, before: Sequence[int], text: _Pieces, positions: Iterable[int]) -> MaskRequest:
    """A request for pieces of `text`, which follows the token ids `before`."""
    first, last = lm.loaded.tokenizer("")["input_ids"]
    ids = [first, *before, *text.ids, last]
    places = [1 + len(before) + position for position in positions]
    for place in places:
        ids[place] = lm.loaded.tokenizer.mask_token_id
    return MaskRequest(tuple(ids), tuple(places))


def _metric(scores: Callable, model: str | MaskedLM, kind: str, settings: str) -> tuple[str, Compute]:
    """What `register` takes, of a function of sources, candidates and an engine."""
    lm = cached_engine(model) if isinstance(model, str) else model
    signature = f"{kind}|lm:{lm.loaded.identity}{lm.loaded.dtype_mark}|{settings}|v:{nbhelpers.__version__}"
    return signature, lambda sources, candidates, references: scores(sources, candidates, lm)


def log_perplexities(lm: MaskedLM, texts: Sequence[str], *, gap: int = 3) -> list[float]:
    """Logarithm of each text's pseudo-perplexity, in nats per piece, in `gap` passes (Salazar et al. 2020, section 2).

    Every `gap`-th piece is masked at once, where the exact value masks one piece at a time. Pieces beyond the model's
    longest input are left out; a text without pieces has 0.
    """
    most, questions, owners = lm.longest - 2, [], []
    for number, text in enumerate(texts):
        pieces = _read(lm, text)
        pieces = replace(pieces, ids=pieces.ids[:most])
        for turn in range(min(gap, len(pieces.ids))):
            places = range(turn, len(pieces.ids), gap)
            true = tuple(pieces.ids[place] for place in places)
            questions.append(Question(_masked(lm, (), pieces, places), targets=true))
            owners.append(number)
    total, count = np.zeros(len(texts)), np.zeros(len(texts))
    for owner, answer in zip(owners, lm.answer(questions)):
        total[owner] -= sum(answer.log_probabilities)
        count[owner] += len(answer.log_probabilities)
    return (total / np.maximum(count, 1)).tolist()


# ----------------------------------------------------------------------------------------------------------- BLANC


def blanc_scores(sources: Sequence[str], candidates: Sequence[str], lm: MaskedLM) -> NDArray[np.float64]:
    """BLANC-help: how much a candidate helps to guess masked pieces of its source (Vasilyev et al. 2020, section 3).

    Every `GAP`-th piece of the source is masked, in turn, where it is long enough. The model guesses each of them
    twice: with the candidate in front of the source, and with as many periods as the candidate has pieces. BLANC is
    (S01 - S10) / (S00 + S01 + S10 + S11), where S01 counts pieces that only the candidate let it guess, S10 those that
    only the periods did. As in the authors' package nothing stands between candidate and source, and both have token
    type 0.

    Differences from the package: a source is taken whole, and not cut into sentences (those of the study are single
    sentences); where no piece is long enough every piece is masked in turn, as 0 would say that the candidate does not
    help; characters are not decomposed (NFKD); a text that is too long is an error instead of being cut.

    Parameters
    ----------
    sources, candidates : sequence of str
        n texts each.
    lm : MaskedLM

    Returns
    -------
    numpy.ndarray, float64, shape (n,), in [-1, 1]

    Raises
    ------
    RowError
        The tokenizer leaves nothing of a text.
    RowTooLongError
        Source and candidate together are too long for the model.
    """
    period = lm.loaded.tokenizer(".", add_special_tokens=False)["input_ids"][-1]
    asked, owners = [], []
    for i, (source, candidate) in enumerate(_read_pairs(lm, sources, candidates, separators=0)):
        fewest = dict(zip(("whole", "first", "later"), MINIMUM_LENGTHS))
        every = range(len(source.ids))
        enough = [k for k in every if source.lengths[k] >= fewest[source.places[k]]] or list(every)
        step = min(GAP, len(source.ids))
        for turn in range(step):
            if chosen := [k for k in enough if k % step == turn]:
                true = tuple(source.ids[k] for k in chosen)
                for before in (candidate.ids, (period,) * len(candidate.ids)):
                    asked.append(Question(_masked(lm, before, source, chosen), targets=true))
                owners.append(i)
    right = [np.array(answer.likeliest, dtype=float) for answer in lm.answer(asked)]
    gained, masked = np.zeros(len(sources)), np.zeros(len(sources))
    for i, helped, alone in zip(owners, right[::2], right[1::2]):
        gained[i] += (helped - alone).sum()  # S01 - S10
        masked[i] += len(helped)
    return gained / masked


@register("blanc", "BLANC", (-1.0, 1.0), scale=100.0, seconds=0.1)
def blanc(model: str | MaskedLM = EMBEDDED) -> tuple[str, Compute]:
    """BLANC-help of each candidate for its source; see `blanc_scores`.

    Not every identical pair reaches 1: what the model guesses without help counts in the denominator only. The shipped
    model has seen single sentences, hardly learns from a text in front, and leaves BLANC and Coverage near 0.

    Parameters
    ----------
    model : str or MaskedLM
        A name for `nbhelpers.resources.models.load_masked_lm`, or an engine. The paper's is ``bert-base-uncased``.
    """
    letters = ",".join(map(str, MINIMUM_LENGTHS))
    return _metric(blanc_scores, model, "blanc|help", f"gap:{GAP}|letters:{letters}")


# -------------------------------------------------------------------------------------------------------- Coverage


@functools.lru_cache(maxsize=1)
def _word_weights() -> tuple[dict[str, float], float]:
    """How rare each word is, -log of its share of the text that the shipped vectors come from; and a new word."""
    counts = vectors.word_counts()
    total = sum(counts.values())
    return {word: math.log(total / count) for word, count in counts.items()}, math.log(total)


def keywords(words: Sequence[str]) -> set[str]:
    """The words of a text that Coverage masks, lower-cased.

    The `KEYWORDS` words with the highest weight, how often the word comes in the text times minus the logarithm of its
    share of English text, without stop words (`nbhelpers.language.tokens.STOP_WORDS`); of equals the earlier. A text of
    stop words alone is masked whole, one without any word in its punctuation.
    """
    weights, new = _word_weights()
    lowered = [word.lower() for word in words]
    real = [word for word in lowered if is_word(word)]
    content = [word for word in real if word not in STOP_WORDS]
    often = collections.Counter(content or real or lowered)
    return set(sorted(often, key=lambda word: -often[word] * weights.get(word, new))[:KEYWORDS])


def coverage_scores(sources: Sequence[str], candidates: Sequence[str], lm: MaskedLM) -> NDArray[np.float64]:
    """Coverage: how many masked keywords of the source the candidate lets a model guess (Laban et al. 2020, 3.1).

    The keywords of the source are masked, all at once, a mask for each piece; in front stands the candidate, and a
    separator. Coverage is the share of masked pieces that the model guesses right. What it guesses without the
    candidate is not subtracted, as in the MeaningBERT study (section 3.2).

    Differences from the authors' code: the model is not fine-tuned for this task; rarity is that of words in general
    text, instead of pieces in a news corpus (see `keywords`); the share has no 0.1 added to its denominator; one
    separator stands between the texts; texts that are too long are an error instead of being cut.

    Parameters, returned shape and errors are those of `blanc_scores`; values are in [0, 1].
    """
    separator = lm.loaded.tokenizer("")["input_ids"][-1]
    asked = []
    for source, candidate in _read_pairs(lm, sources, candidates, separators=1):
        chosen = keywords(source.words)
        places = [k for k, word in enumerate(source.word_of) if source.words[word].lower() in chosen]
        request = _masked(lm, (*candidate.ids, separator), source, places)
        asked.append(Question(request, targets=tuple(source.ids[k] for k in places)))
    return np.array([np.mean(answer.likeliest) for answer in lm.answer(asked)])


@register("coverage", "Coverage", (0.0, 1.0), scale=100.0, seconds=0.03)
def coverage(model: str | MaskedLM = EMBEDDED) -> tuple[str, Compute]:
    """Coverage of each source by its candidate; see `coverage_scores`.

    Parameters
    ----------
    model : str or MaskedLM
        As in `blanc`.
    """
    return _metric(coverage_scores, model, "coverage|accuracy", f"words:{KEYWORDS}")


# ---------------------------------------------------------------------------------------------------------- InfoLM


def infolm_scores(sources: Sequence[str], candidates: Sequence[str], lm: MaskedLM) -> NDArray[np.float64]:
    """InfoLM with the Fisher-Rao distance (Colombo, Clavel & Piantanida 2022, *InfoLM*, sections 3 and 4).

    Every piece of a text is masked by itself, and the model's distributions at the masks, sharpened by `TEMPERATURE`,
    are averaged: one distribution over the vocabulary for each text. The distance of two of them is 0 where they are
    equal and 1 where they share nothing. It is the closest relative of NDD, which compares position by position.
    Pieces weigh the same: weights by document frequency would make a pair's value depend on the other pairs.

    Parameters and errors are those of `blanc_scores`, each text by itself.

    Returns
    -------
    numpy.ndarray, float64, shape (n,), in [0, 1]
    """
    import torch

    mixed: dict[str, Any] = {}
    for text, row in _rows_of_texts(sources, candidates).items():
        pieces = _read(lm, text)
        if not pieces.ids:
            raise RowError(row, f"the tokenizer leaves nothing of {text!r}.")
        if len(pieces.ids) + 2 > lm.longest:
            raise too_long(row - 1, "a text", len(pieces.ids) + 2, lm.loaded.name, lm.longest, text)
        requests = [_masked(lm, (), pieces, [position]) for position in range(len(pieces.ids))]
        logits = torch.cat(lm.log_probabilities(requests)) / TEMPERATURE
        mixed[text] = torch.softmax(logits, dim=1).mean(0).sqrt()
    overlap = [
        float(mixed[source].double() @ mixed[candidate].double()) for source, candidate in zip(sources, candidates)
    ]
    return 2 / math.pi * np.arccos(np.clip(overlap, 0, 1))


def _rows_of_texts(sources: Sequence[str], candidates: Sequence[str]) -> dict[str, int]:
    """Each distinct text with the number of its first row, from 1."""
    found: dict[str, int] = {}
    for row, pair in enumerate(zip(sources, candidates), start=1):
        for text in pair:
            found.setdefault(text, row)
    return found


@register("infolm", "InfoLM", (0.0, 1.0), higher_means_same=False, scale=100.0, seconds=0.2)
def infolm(model: str | MaskedLM = EMBEDDED) -> tuple[str, Compute]:
    """InfoLM, a distance; see `infolm_scores`.

    Parameters
    ----------
    model : str or MaskedLM
        As in `blanc`.
    """
    return _metric(infolm_scores, model, "infolm|fisher-rao", f"temperature:{TEMPERATURE}|idf:no")


# ------------------------------------------------------------------------------------------------------------- NDD


def ndd_scores(sources: Sequence[str], candidates: Sequence[str], lm: MaskedLM) -> NDArray[np.float64]:
    """NDD of the edits that turn each source into its candidate (`nbhelpers.metrics.ndd`), in nats.

    The edits are found by aligning the words of both texts. NDD is a sum over the words that stay in place, made for
    texts that overlap much: a candidate that keeps fewer words has fewer terms, so unrelated texts that share a period
    may come out near 0. Where no word stays the sum is empty, and 0 would say that the texts are identical. Such a pair
    gets the value as if each word of the source stood next to an edit and had moved by ln V nats, the divergence of a
    certain prediction from an even one over the V pieces of the vocabulary. This is a convention of this project:
    large, but no bound, as a divergence has none. The number of such pairs is logged.

    Parameters and errors are those of `blanc_scores`, each text by itself.

    Returns
    -------
    numpy.ndarray, float64, shape (n,), at least 0; 0 for identical texts
    """
    settings = NDDSettings()
    pairs = [(split_words(source), split_words(candidate)) for source, candidate in zip(sources, candidates)]
    edits = [find_edits(*pair) for pair in pairs]
    for i, pair in enumerate(pairs):
        try:
            encode_edit(lm, *pair, edits[i])
        except TextTooLongError as error:
            raise RowTooLongError(i + 1, str(error)) from None
    together = [i for i, pair in enumerate(pairs) if kept_positions(len(pair[0]), edits[i])]
    results = ndd_batch(lm, [pairs[i] for i in together], [edits[i] for i in together], settings=settings)
    values = dict(zip(together, (result.value for result in results)))
    if len(values) < len(pairs):
        _log.info("NDD: %d of %d pairs have no word in place", len(pairs) - len(values), len(pairs))
    nearest = neighbour_weights(2, [Edit(0, 1)], settings)[1][0] * math.log(lm.vocabulary_size)
    return np.array([values.get(i, len(source) * nearest) for i, (source, _) in enumerate(pairs)])


@register("ndd", "NDD", (0.0, math.inf), higher_means_same=False, seconds=0.12)
def ndd(model: str | MaskedLM = EMBEDDED) -> tuple[str, Compute]:
    """Neighboring Distribution Divergence, a distance; see `ndd_scores`.

    Parameters
    ----------
    model : str or MaskedLM
        As in `blanc`.
    """
    lm = cached_engine(model) if isinstance(model, str) else model
    signature = f"{ndd_signature(lm, NDDSettings())}|apart:worst"
    return signature, lambda sources, candidates, references: ndd_scores(sources, candidates, lm)
