"""Pruning dependency trees: are the spans that NDD deletes the subordinate parts of a sentence?

*A Novel Metric for Evaluating Semantics Preservation*, section 5 and Table 6: the compression search runs on
the sentences of a treebank, and what it prunes is looked up in the trees. Depth-n is the share of pruned
words at depth n, Subtree-n the share of pruned spans of n words that are complete subtrees. Each setting stands
beside random runs that prune as many spans of the same lengths. Where the paper leaves a choice:

* one search is made, not a series: its spans are unbroken in the sentence as in the tree;
* the settings are otherwise those of compression, with the bias for latter words (`nu`), without rate limit;
* the root has depth 1, and punctuation counts: both fit the paper's random rows;
* one *or several* complete subtrees side by side pass for one: the paper's random shares for spans of two words and
  more are too high for single ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nbhelpers.base import plots
from nbhelpers.base.errors import InputError, UndefinedStatisticError
from nbhelpers.base.stats import bootstrap, corrected, paired_bootstrap, percent
from nbhelpers.language.english import coarse_tag
from nbhelpers.language.mlm import MaskedLM
from nbhelpers.metrics.ndd import NDDSettings
from nbhelpers.resources.treebank import Sentence, Token, is_conllu, read_conllu, read_nltk_dependency
from nbhelpers.studies.ndd.baselines import random_placement
from nbhelpers.studies.ndd.compression import CompressionSettings, compress_many
from nbhelpers.studies.ndd.together import Skipped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CONFIGURATIONS = ((3, 1.0), (3, 2.0), (5, 1.0), (5, 2.0))
"""The pairs (L_max, NDD_max) of Table 6."""

COLUMNS = ("Depth 1", "Depth 2", "Depth 3", "Depth >=4", "Subtree 1", "Subtree 2", "Subtree >=3")
"""The columns of Table 6."""

RULE = ("DET", "ADJ", "ADV")
"""Parts of speech that the rule of thumb prunes."""

Pruned = dict[str, Any]
"""What was pruned from one sentence, see `prune`."""


def sentence_of(words: Sequence[str], heads: Sequence[int]) -> Sentence:
    """A sentence with a tree, from its words, and the number of each word's head (0 for the root).

    Examples
    --------
    >>> sentence_of("the old man slept".split(), [3, 3, 4, 0]).depths().tolist()
    [3, 3, 2, 1]
    """
    rows = enumerate(zip(words, heads, strict=True), start=1)
    return Sentence("-", " ".join(words), tuple(Token(i, word, "_", "_", "_", head, "_") for i, (word, head) in rows))


def read_treebank(path: str | Path) -> list[Sentence]:
    """Sentences with trees: CoNLL-U (``.conllu``, also ``.gz``), else NLTK's dependency treebank.

    Examples
    --------
    >>> from nbhelpers.base.paths import data_dir
    >>> sentence = read_treebank(data_dir() / "corpus" / "treebank-en.conllu")[0]
    >>> sentence.words[int(sentence.depths().argmin())]
    'voted'
    """
    return read_conllu(path) if is_conllu(path) else read_nltk_dependency(path)


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
        ``words`` is the length of the sentence; ``spans`` are the pruned spans as lists of positions
        (0-based, rising), never all of it together; ``ndd`` holds one number for each span. A sentence of one word
        has no spans. ``skipped`` says why a sentence was skipped, which has no spans either; else it is None.

    Raises
    ------
    InputError
        As `nbhelpers.studies.ndd.compression.compress_many`.

    Examples
    --------
    >>> settings = pruning_settings(3, 2.0)
    >>> (pruned,) = prune(MaskedLM(), ["It was a very cold night .".split()], settings)  # doctest: +SKIP
    >>> pruned["words"], max(pruned["ndd"], default=0) < 2  # doctest: +SKIP
    (7, True)
    """
    results = []
    for found in compress_many(lm, sentences, settings):
        reason = found.reason if isinstance(found, Skipped) else None
        spans = [] if reason else [span for each in found.iterations for span in each.deleted]
        places, values = [list(span.positions) for span in spans], [span.ndd for span in spans]
        results.append({"skipped": reason, "words": len(found.source), "spans": places, "ndd": values})
    return results


def at_threshold(pruned: Pruned, threshold: float) -> Pruned:
    """What a lower threshold would have pruned, without another search.

    A span loses only to lower ones, so the choice among the spans below a threshold does not depend on those
    above it: one search with NDD_max 2.0 holds the one with 1.0.

    Examples
    --------
    >>> at_threshold({"skipped": None, "words": 6, "spans": [[1], [3, 4]], "ndd": [0.4, 1.5]}, 1.0)["spans"]
    [[1]]
    """
    kept = [i for i, ndd in enumerate(pruned["ndd"]) if ndd < threshold]
    return {**pruned, **{key: [pruned[key][i] for i in kept] for key in ("spans", "ndd")}}


def random_pruning(pruned: Pruned, seed: int | Sequence[int]) -> Pruned:
    """Prune as many spans of the same lengths at random, where every arrangement without overlap is equally likely.

    Examples
    --------
    >>> pruned = {"skipped": None, "words": 6, "spans": [[1], [3, 4]]}
    >>> sorted(len(span) for span in random_pruning(pruned, 0)["spans"])
    [1, 2]
    """
    sizes = [len(span) for span in disjoint_spans(pruned["spans"])]
    drawn = random_placement(sizes, pruned["words"], np.random.default_rng(seed))
    return {**pruned, "spans": [places.tolist() for places in drawn]}


def disjoint_spans(spans: Iterable[Sequence[int]]) -> list[list[int]]:
    """Pruned spans; those that overlap, since they tied in the search, as one."""
    joined: list[list[int]] = []
    for span in spans:
        for other in [other for other in joined if set(other) & set(span)]:
            joined.remove(other)
            span = sorted({*span, *other})
        joined.append(list(span))
    return joined


def part_of_speech(token: Token) -> str:
    """The token's universal part of speech, from the treebank's own tag where it has no universal one."""
    return token.upos if token.upos != "_" else coarse_tag(token.xpos)


def rule_of_thumb(sentences: Sequence[Sentence]) -> list[Pruned]:
    """Prune without a model: every determiner, adjective and adverb, each by itself."""
    found = [[[i] for i, token in enumerate(s.tokens) if part_of_speech(token) in RULE] for s in sentences]
    return [{"skipped": None, "words": len(s), "spans": spans} for s, spans in zip(sentences, found)]


# What was pruned, in the tree ------------------------------------------------------------------------------


def closed(heads: Sequence[int], span: Iterable[int]) -> bool:
    """Whether words are one or several complete subtrees: without them no word has lost its head.

    Parameters
    ----------
    heads : sequence of int
        Id of each word's head, from 1; 0 for the root.
    span : iterable of int
        Positions of the words (0-based), next to each other or not.

    Examples
    --------
    >>> closed([3, 3, 4, 0], [0, 1]), closed([3, 3, 4, 0], [1, 2])  # the old man slept
    (True, False)
    """
    span = set(span)
    return not any(head - 1 in span for word, head in enumerate(heads) if word not in span)


def is_subtree(heads: Sequence[int], span: Iterable[int]) -> bool:
    """Whether words are one word with all that hangs on it; parameters as those of `closed`.

    Examples
    --------
    >>> is_subtree([3, 3, 4, 0], [0, 1, 2]), is_subtree([3, 3, 4, 0], [0, 1])  # the old man slept
    (True, False)
    """
    span = set(span)
    return closed(heads, span) and sum(heads[word] - 1 not in span for word in span) == 1


def count_pruned(sentence: Sentence, pruned: Pruned, single: bool = False) -> np.ndarray:
    """Look up what was pruned in the sentence's tree.

    Parameters
    ----------
    sentence, pruned
        A sentence and what was pruned from it.
    single : bool
        Whether a span must be a single subtree, not several side by side.

    Returns
    -------
    numpy.ndarray of int, shape (7, 2)
        For each of `COLUMNS` the hits and what they are a share of: pruned words at a depth, of all pruned
        words; pruned spans of a length that are complete subtrees, of all pruned spans of that length.

    Raises
    ------
    InputError
        When the sentence has no tree, or is not the one that was pruned.

    Examples
    --------
    >>> sentence = sentence_of("the old man slept".split(), [3, 3, 4, 0])
    >>> count_pruned(sentence, {"words": 4, "spans": [[0]]})[COLUMNS.index("Subtree 1")].tolist()
    [1, 1]
    """
    if pruned["words"] != len(sentence):
        raise InputError(f"Sentence {sentence.sent_id} has {len(sentence)} words, not {pruned['words']}.")
    depths, heads = sentence.depths(), [token.head for token in sentence.tokens]
    counts = np.zeros((len(COLUMNS), 2), dtype=int)
    for span in disjoint_spans(pruned["spans"]):
        for i in span:
            counts[min(depths[i], 4) - 1, 0] += 1
        counts[:4, 1] += len(span)
        counts[3 + min(len(span), 3)] += (int((is_subtree if single else closed)(heads, span)), 1)
    return counts


def count_all(
    sentences: Sequence[Sentence], pruned: Sequence[Pruned], *, runs: int = 10, single: bool = False
) -> np.ndarray:
    """Hits and totals by sentence and column, of the pruning and, on average, of random runs (seeds 0, 1, 2, …).

    Returns
    -------
    numpy.ndarray, shape (sentences, 7, 4)
        Hits and total of the pruning, then those of the random runs.

    Raises
    ------
    InputError
        For numbers of sentences that differ, or a missing tree.
    """
    if len(sentences) != len(pruned):
        raise InputError(f"There are {len(sentences)} sentences, and {len(pruned)} have been pruned.")
    both = list(enumerate(zip(sentences, pruned)))
    drawn = [[count_pruned(s, random_pruning(p, (run, i)), single) for i, (s, p) in both] for run in range(runs)]
    ours = [count_pruned(s, p, single) for _, (s, p) in both]
    return np.concatenate([ours, np.mean(drawn, axis=0)], axis=-1)


# Rows for the ledger ---------------------------------------------------------------------------------------


def setting_name(key: tuple[int, float]) -> str:
    """Name of a configuration in Table 6.

    Examples
    --------
    >>> setting_name((3, 1.0))
    'L_max=3 NDD_max=1.0'
    """
    return f"L_max={key[0]} NDD_max={key[1]:.1f}"


def table_rows(
    sentences: Sequence[Sentence],
    found: Mapping[tuple[int, float], Sequence[Pruned]],
    *,
    runs: int = 10,
    resamples: int = 2000,
) -> list[dict[str, Any]]:
    """Table 6, as rows for the ledger: each setting, its random runs, their difference, and the rule of thumb.

    Intervals are from a bootstrap over sentences, in percent or points. *Single subtrees* is the stricter count.

    Parameters
    ----------
    sentences : sequence of Sentence
    found : mapping
        By (L_max, NDD_max), what was pruned from each sentence.
    runs, resamples : int
        Random runs beside each setting, and resamples of the bootstrap.
    """
    rows = []
    words = sum(map(len, sentences))
    for key, pruned in found.items():
        share = 100 * sum(len(span) for p in pruned for span in p["spans"]) / words
        note = "% of all words; not in the paper"
        where = {"row": f"NDD-based {setting_name(key)}", "column": "Words pruned"}
        rows.append({**where, "value": share, "n": len(sentences), "note": note})
        for single, kind in ((False, ""), (True, ", single subtrees")):
            counts = count_all(sentences, pruned, runs=runs, single=single)
            for c, column in list(enumerate(COLUMNS))[5 if single else 0 :]:
                both, random = counts[:, c], counts[:, c, 2:]
                options = {"column": column, "resamples": resamples}
                rows.append(_row(f"NDD-based{kind} {setting_name(key)}", both[:, :2], **options))
                rows.append(_row(f"Random{kind} {setting_name(key)}", random, note=f"mean of {runs} runs", **options))
                minus = f"NDD-based{kind} minus Random {setting_name(key)}"
                rows.append(_row(minus, both[:, :2], random, note="points", **options))
    counts = count_all(sentences, rule_of_thumb(sentences), runs=runs)
    for c, column in enumerate(COLUMNS[:5]):
        options = {"column": column, "resamples": resamples}
        rows.append(_row("Rule of thumb: determiners, adjectives, adverbs", counts[:, c, :2], **options))
        rows.append(_row("Rule of thumb minus Random", counts[:, c, :2], counts[:, c, 2:], note="points", **options))
    return rows


def paired_rows(
    sentences: Sequence[Sentence],
    found: Mapping[tuple[int, float], Sequence[Pruned]],
    *,
    runs: int = 10,
    resamples: int = 2000,
) -> list[dict[str, Any]]:
    """The settings of Table 6 against each other and against the rule of thumb, as rows for the ledger.

    Each comparison stands there twice: of the shares, and of their distances from the random runs. Parameters are
    those of `table_rows`; p-values are corrected for the comparisons of one kind (Holm).
    """
    counts = {key: count_all(sentences, pruned, runs=runs) for key, pruned in found.items()}
    rule = count_all(sentences, rule_of_thumb(sentences), runs=runs)
    deep = range(3, 7)
    kinds = [
        {f"NDD_max 1.0 minus 2.0, L_max={a}": (counts[a, 1.0], counts[a, 2.0], deep) for a in (3, 5)},
        {f"L_max 5 minus 3, NDD_max={t:.1f}": (counts[5, t], counts[3, t], deep) for t in (1.0, 2.0)},
        {f"NDD-based {setting_name(key)} minus rule of thumb": (counts[key], rule, (3, 4)) for key in counts},
    ]
    return _against(kinds, resamples)


def model_rows(
    name: str,
    sentences: Sequence[Sentence],
    found: Mapping[tuple[int, float], Sequence[Pruned]],
    other: Mapping[tuple[int, float], Sequence[Pruned]],
    *,
    runs: int = 10,
    resamples: int = 2000,
) -> list[dict[str, Any]]:
    """What one model prunes minus what another one prunes from the same sentences, as rows for the ledger.

    `name` says which minus which; the other parameters are those of `table_rows`, the rows those of `paired_rows`.
    """
    both = {
        key: [count_all(sentences, pruned[key], runs=runs) for pruned in (found, other)]
        for key in found
        if key in other
    }
    return _against([{f"{name} {setting_name(key)}": (*both[key], range(3, 7)) for key in both}], resamples)


def _against(kinds: Sequence[Mapping[str, tuple[np.ndarray, np.ndarray, Any]]], resamples: int) -> list[dict[str, Any]]:
    """Differences of counts, as they are and each minus random; each kind is one family for Holm's correction."""
    rows = []
    for kind in kinds:
        for width, suffix in ((2, ""), (4, ", each minus random")):
            family = [
                _row(name + suffix, a[:, c, :width], b[:, c, :width], column=COLUMNS[c], resamples=resamples)
                for name, (a, b, columns) in kind.items()
                for c in columns
            ]
            notes = corrected({row["row"] + row["column"]: row["value"] for row in family if row["value"]}, resamples)
            rows += [{**row, "note": notes.get(row["row"] + row["column"], row["note"])} for row in family]
    return rows


def error_rows(
    sentences: Sequence[Sentence], pruned: Sequence[Pruned], *, least: int = 5, resamples: int = 2000
) -> list[dict[str, Any]]:
    """Single words that were pruned, by part of speech: how often nothing hangs on them, and on any such word.

    Parameters
    ----------
    sentences, pruned
        A treebank and what was pruned from it.
    least : int
        Pruned words that a part of speech has at least.
    resamples : int
        Of the bootstrap.
    """
    single = [[span[0] for span in p["spans"] if len(span) == 1] for p in pruned]
    kinds = [[part_of_speech(token) for token in s.tokens] for s in sentences]
    leaves = [{*range(1, len(s) + 1)} - {token.head for token in s.tokens} for s in sentences]
    often = Counter(k[i] for k, places in zip(kinds, single) for i in places)
    rows = []
    for kind, count in often.most_common():
        for column, places in (("Subtree 1", single), ("All such words", [range(len(s)) for s in sentences])):
            of_kind = [[i + 1 in free for i in p if k[i] == kind] for k, p, free in zip(kinds, places, leaves)]
            if count >= least:
                shares = np.array([(sum(hits), len(hits)) for hits in of_kind])
                rows.append(_row(f"Pruned single words: {kind}", shares, column=column, resamples=resamples))
    return rows


def _row(
    name: str, counts: np.ndarray, other: np.ndarray | None = None, *, column: str, resamples: int, note: str = ""
) -> dict[str, Any]:
    """A share in percent, or the difference of two in points; empty where most resamples have nothing to count."""
    empty = {"row": name, "column": column, "value": None, "note": "too little of this kind was pruned"}
    if not np.isfinite([_share(part) for part in (counts, other) if part is not None]).all():
        return empty
    options = {"statistic": _share, "resamples": resamples}
    try:
        found = bootstrap(counts, **options) if other is None else paired_bootstrap(counts, other, **options)
    except UndefinedStatisticError:
        return empty
    hits, total = counts.sum(0)[:2]
    return {"row": name, "column": column, "value": percent(found), "note": note or f"{hits:.0f} of {total:.0f}"}


def _share(counts: np.ndarray) -> float:
    """Hits over totals, from (hits, total) rows; from rows with a second such pair, less its share."""
    pairs = counts.sum(0).reshape(-1, 2)
    if not pairs[:, 1].all():
        return np.nan
    shares = pairs[:, 0] / pairs[:, 1]
    return float(shares[0] - shares[1:].sum())


# A drawn tree ----------------------------------------------------------------------------------------------


def draw_tree(sentence: Sentence, pruned: Iterable[int] = (), branch: Iterable[int] = ()) -> Figure:
    """Draw a dependency tree over depth, as the paper's Figure 3: each word hangs on its head.

    A pruned word is grey and struck out, and its line is dashed, so that nothing hangs on colour alone.

    Parameters
    ----------
    sentence : Sentence
    pruned, branch : iterable of int
        Positions (0-based) of the words that are pruned, and of those that stand in a frame.

    Raises
    ------
    InputError
        When the sentence has no tree, or no word at one of the positions.

    Examples
    --------
    >>> figure = draw_tree(sentence_of("the old man slept".split(), [3, 3, 4, 0]), pruned=[1])
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['the', 'old', 'man', 'slept']
    """
    import matplotlib.pyplot

    depths, pruned, branch = sentence.depths(), set(pruned), set(branch)
    if unknown := sorted((pruned | branch) - set(range(len(sentence)))):
        raise InputError(f"Sentence {sentence.sent_id} has {len(sentence)} words, and none at {unknown}.")
    widths = np.array([len(word) + 2.5 for word in sentence.words])  # in letters
    centres = np.cumsum(widths) - widths / 2
    figure, axes = matplotlib.pyplot.subplots(figsize=(0.105 * widths.sum() + 0.8, 0.55 * depths.max() + 0.6))
    for i, (token, x, depth) in enumerate(zip(sentence.tokens, centres, depths)):
        cut = i in pruned
        if token.head:
            ends = [x, centres[token.head - 1]], [depth, depths[token.head - 1]]
            axes.plot(*ends, color="0.6", marker="", lw=1.3, ls="--" if cut else "-", zorder=0)
        edge = plots.PALETTE[1] if i in branch else "white"
        box = {"boxstyle": "round,pad=0.2", "facecolor": "white", "edgecolor": edge, "linewidth": 1.6}
        axes.text(x, depth, token.form, ha="center", va="center", color="0.45" if cut else "black", bbox=box)
        if cut:
            half = len(token.form) / 2
            axes.plot([x - half, x + half], [depth, depth], color="0.2", lw=1.4, marker="", zorder=5)
    axes.set(
        xlim=(0, widths.sum()), ylim=(depths.max() + 0.5, 0.5), xticks=[], yticks=sorted(set(depths)), ylabel="depth"
    )
    axes.grid(False)
    return figure
