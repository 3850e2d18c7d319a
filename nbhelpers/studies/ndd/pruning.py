"""Pruning dependency trees: the spans that NDD deletes, the spans of a rule, and random ones beside them.

*A Novel Metric for Evaluating Semantics Preservation*, section 5: the compression search runs on the sentences of a
treebank. Where the paper leaves a choice:

* one search is made, not a series: its spans are unbroken in the sentence as in the tree;
* the settings are otherwise those of compression, with the bias for latter words (`nu`), without rate limit.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from nbhelpers.base import shards
from nbhelpers.language.mlm import EMBEDDED, MaskedLM, cached_engine, on_engine
from nbhelpers.metrics.ndd import NDDSettings
from nbhelpers.resources.treebank import Sentence
from nbhelpers.studies.ndd.baselines import random_placement
from nbhelpers.studies.ndd.compression import CompressionSettings, compress_many, compression_signature
from nbhelpers.studies.ndd.together import Skipped

CONFIGURATIONS = ((3, 1.0), (3, 2.0), (5, 1.0), (5, 2.0))
"""The pairs (L_max, NDD_max) of Table 6."""

RULE = ("DET", "ADJ", "ADV")
"""Parts of speech that the rule of thumb prunes."""

Span = tuple[int, int]
"""Start and length."""

Pruned = dict[str, Any]
"""What was pruned from one sentence, see `prune`."""


def pruning_settings(longest_span: int, threshold: float, *, nu: float = 0.9) -> CompressionSettings:
    """Settings of one of Table 6's configurations: L_max in words, NDD_max in nats, the bias for latter words.

    Examples
    --------
    >>> pruning_settings(3, 2.0).signature
    'L:3|max:2|overlap:code|last:yes|vs:previous|iter:1|rate:none'
    """
    ndd = NDDSettings("balanced", mu=0.9, nu=nu)
    return CompressionSettings(longest_span, threshold, ndd, iterations=1, rate_limit=None)


def prune(lm: MaskedLM, sentences: Iterable[Sequence[str]], settings: CompressionSettings) -> list[Pruned]:
    """Search sentences for the spans to prune.

    Returns
    -------
    list of dict, fit for JSON
        ``spans`` are the pruned spans as lists of positions (0-based, rising), never all of the sentence together;
        ``ndd`` holds one number for each span. A sentence of one word has no spans. ``skipped`` says why a sentence
        was skipped, which has no spans either; else it is None.

    Raises
    ------
    InputError
        As `nbhelpers.studies.ndd.compression.compress_many`.

    Examples
    --------
    >>> settings = pruning_settings(3, 2.0)
    >>> (pruned,) = prune(MaskedLM(), ["It was a very cold night .".split()], settings)  # doctest: +SKIP
    >>> max(pruned["ndd"], default=0) < 2  # doctest: +SKIP
    True
    """
    results = []
    for found in compress_many(lm, sentences, settings):
        reason = found.reason if isinstance(found, Skipped) else None
        spans = [] if reason else [span for each in found.iterations for span in each.deleted]
        places, values = [list(span.positions) for span in spans], [span.ndd for span in spans]
        results.append({"skipped": reason, "spans": places, "ndd": values})
    return results


def chosen(
    treebank: Iterable[Sentence], sentences: int, *, among: int = 400, longest: float = np.inf
) -> dict[int, Sentence]:
    """Sentences of a treebank by their place in it: the first `sentences` of its first `among`, in a fixed order.

    The order is drawn once (seed 0), so that a smaller number is a random sample of a larger one. Sentences of one
    word, and of more than `longest`, do not count.
    """
    fitting = [(place, one) for place, one in enumerate(treebank) if 2 <= len(one) <= longest][:among]
    order = np.random.default_rng(0).permutation(len(fitting))[:sentences]
    return dict(fitting[i] for i in order)


def search(
    sentences: Mapping[int, Sentence],
    *,
    model: str = EMBEDDED,
    mask: str = "word",
    dtype: str = "float32",
    nu: float = 0.9,
    workers: int = 1,
) -> dict[int, dict[int, Pruned]]:
    """What `prune` finds with the threshold 2.0, by sentence and L_max; kept on disk, so that it can be resumed."""
    found: dict[int, dict[int, Pruned]] = {place: {} for place in sentences}
    for longest in (3, 5):
        settings = pruning_settings(longest, 2.0, nu=nu)
        pruned = shards.map(
            functools.partial(on_engine, prune, settings=settings, model=model, mask=mask, dtype=dtype),
            [sentence.words for sentence in sentences.values()],
            signature=compression_signature(cached_engine(model, mask, dtype), settings),
            shard_size=2,  # a pair of sentences takes base half a minute
            workers=workers,
            description=f"pruning by {model}, spans of up to {longest} words",
        )
        for place, one in zip(sentences, pruned):
            found[place][longest] = one
    return found


def at_threshold(pruned: Pruned, threshold: float) -> Pruned:
    """What a lower threshold would have pruned, without another search.

    A span loses only to lower ones, so the choice among the spans below a threshold does not depend on those
    above it: one search with NDD_max 2.0 holds the one with 1.0.

    Examples
    --------
    >>> at_threshold({"skipped": None, "spans": [[1], [3, 4]], "ndd": [0.4, 1.5]}, 1.0)["spans"]
    [[1]]
    """
    kept = [i for i, ndd in enumerate(pruned["ndd"]) if ndd < threshold]
    return {**pruned, **{key: [pruned[key][i] for i in kept] for key in ("spans", "ndd")}}


def disjoint_spans(pruned: Pruned) -> dict[Span, float]:
    """Pruned spans and the NDD of each; those that overlap, since they tied in the search, are one, with the lowest.

    Examples
    --------
    >>> disjoint_spans({"skipped": None, "spans": [[1, 2], [2, 3], [5]], "ndd": [0.1, 0.1, 0.4]})
    {(1, 3): 0.1, (5, 1): 0.4}
    """
    found: list[tuple[int, int, float]] = []
    for places, ndd in sorted(zip(pruned["spans"], pruned["ndd"])):
        start, stop = places[0], places[-1] + 1
        if found and start < found[-1][1]:
            start, other_stop, other = found.pop()
            stop, ndd = max(stop, other_stop), min(ndd, other)
        found.append((start, stop, ndd))
    return {(start, stop - start): ndd for start, stop, ndd in found}


def random_spans(spans: Sequence[Span], words: int, seed: Sequence[int]) -> list[Span]:
    """As many spans of the same lengths, where every arrangement without overlap is equally likely.

    Examples
    --------
    >>> sorted(length for _, length in random_spans([(1, 1), (3, 2)], 6, (0, 0)))
    [1, 2]
    """
    return random_placement([length for _, length in spans], words, np.random.default_rng(seed))


def matched_spans(
    spans: Sequence[Span], words: int, places: Mapping[int, np.ndarray], seed: Sequence[int]
) -> list[Span]:
    """As many spans of the same lengths, at places that pruned spans have in other sentences.

    Parameters
    ----------
    spans : sequence of (start, length)
        What was pruned from the sentence.
    words : int
        Length of the sentence.
    places : mapping of int to array
        By length of span, where those of other sentences begin: 0 is as far to the left as can be, 1 to the right.
    seed : sequence of int

    Examples
    --------
    >>> matched_spans([(1, 1), (2, 2)], 6, {1: np.array([1.0]), 2: np.array([0.0])}, (0, 0))
    [(0, 2), (5, 1)]
    """
    generator, everywhere = np.random.default_rng(seed), np.concatenate(list(places.values()))
    for _ in range(20):
        taken: list[Span] = []
        for _, length in sorted(spans, key=lambda span: -span[1]):
            begin = generator.choice(places.get(length, everywhere), 50) * (words - length)
            free = (
                (int(start), length)
                for start in np.rint(begin)
                if all(start + length <= s or s + size <= start for s, size in taken)
            )
            if (found := next(free, None)) is None:
                break
            taken.append(found)
        else:
            return taken
    return random_spans(spans, words, seed)  # so much is pruned that the places are too narrow
