"""Pruning dependency trees: are the spans that NDD deletes the subordinate parts of a sentence?

*A Novel Metric for Evaluating Semantics Preservation*, section 5 and Table 6: the compression search runs on
the sentences of a treebank, and what it prunes is looked up in the trees. Depth-n is the share of pruned
words at depth n, Subtree-n the share of pruned spans of n words that are a complete subtree. Each run stands
beside random ones that prune as many spans of the same lengths. Where the paper leaves a choice:

* one search is made, not a series: its spans are unbroken in the sentence as in the tree (`iterations`);
* the settings are otherwise those of compression, with the bias for latter words (`nu`), without rate limit;
* the root has depth 1, and punctuation counts (`Counting.punctuation`): both fit the paper's random rows;
* a complete subtree is a word with all its descendants in the tree as given (`Counting.left`), and adjacent
  spans stay apart (`Counting.merged`). The paper's random shares for spans of two words and more are too high
  for that; they fit spans of one *or several* complete subtrees side by side (`Counting.several`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nbhelpers.base import plots
from nbhelpers.base.checks import check_number
from nbhelpers.base.errors import InputError, UndefinedStatisticError
from nbhelpers.base.stats import Estimate, bootstrap, paired_bootstrap
from nbhelpers.language.mlm import MaskedLM
from nbhelpers.language.tokens import is_word
from nbhelpers.metrics.ndd import NDDSettings
from nbhelpers.resources.treebank import Sentence, is_conllu, read_conllu, read_nltk_dependency
from nbhelpers.studies.ndd.baselines import random_placement
from nbhelpers.studies.ndd.compression import CompressionSettings, compress_many
from nbhelpers.studies.ndd.together import Skipped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CONFIGURATIONS = ((3, 1.0), (3, 2.0), (5, 1.0), (5, 2.0))
"""The pairs (L_max, NDD_max) of Table 6."""

COLUMNS = ("Depth 1", "Depth 2", "Depth 3", "Depth >=4", "Subtree 1", "Subtree 2", "Subtree >=3")
"""The columns of Table 6."""

_EM = 0.6
"""Mean width of a letter, in font sizes."""

Pruned = dict[str, Any]
"""What was pruned from one sentence, see `prune`."""


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


def pruning_settings(
    longest_span: int, threshold: float, *, nu: float = 0.9, iterations: int | None = 1
) -> CompressionSettings:
    """Settings of one of Table 6's configurations.

    Parameters
    ----------
    longest_span, threshold
        L_max in words and NDD_max in nats.
    nu : float
        The bias for latter words, 0.9 in section 4.4; 1 switches it off.
    iterations : int or None
        1 for a single search, None to go on until nothing changes.

    Examples
    --------
    >>> pruning_settings(3, 2.0).signature
    'L:3|max:2|overlap:code|last:yes|vs:previous|iter:1|rate:none'
    """
    ndd = NDDSettings("balanced", mu=0.9, nu=nu)
    return CompressionSettings(longest_span, threshold, ndd, iterations=iterations, rate_limit=None)


def prune(
    lm: MaskedLM,
    sentences: Iterable[Sequence[str]],
    settings: CompressionSettings,
) -> list[Pruned]:
    """Search sentences for the spans to prune.

    Parameters
    ----------
    lm : MaskedLM
    sentences : iterable of word lists
    settings : CompressionSettings
        See `pruning_settings`.

    Returns
    -------
    list of dict, fit for JSON
        ``words`` is the length of the sentence; ``spans`` are the pruned spans as lists of positions
        (0-based, rising), never all of it together; ``ndd`` and ``iteration`` (from 0) hold one number for
        each span. A sentence of one word has no spans.
        ``skipped`` says why a sentence was skipped, which has no spans either; else it is None.

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
        skipped = isinstance(found, Skipped)
        iterations = () if skipped else found.iterations
        spans = [(span, number) for number, each in enumerate(iterations) for span in each.deleted]
        results.append(
            {
                "skipped": found.reason if skipped else None,
                "words": len(found.source),
                "spans": [list(span.positions) for span, _ in spans],
                "ndd": [span.ndd for span, _ in spans],
                "iteration": [number for _, number in spans],
            }
        )
    return results


def at_threshold(pruned: Pruned, threshold: float, settings: CompressionSettings) -> Pruned:
    """What a lower threshold would have pruned, without another search.

    A span loses only to lower ones, so the choice among the spans below a threshold does not depend on those
    above it: one search with NDD_max 2.0 holds the one with 1.0.

    Parameters
    ----------
    pruned, settings
        A result of `prune` and its settings.
    threshold : float
        At most that of `settings`.

    Raises
    ------
    InputError
        For a higher threshold or none, or settings with more than one iteration.

    Examples
    --------
    >>> pruned = {"skipped": None, "words": 6, "spans": [[1], [3, 4]], "ndd": [0.4, 1.5], "iteration": [0, 0]}
    >>> at_threshold(pruned, 1.0, pruning_settings(3, 2.0))["spans"]
    [[1]]
    """
    check_number("threshold", threshold, above=0, most=settings.threshold)
    if settings.iterations != 1:
        raise InputError("A lower threshold follows only from a search with one iteration.")
    kept = [i for i, ndd in enumerate(pruned["ndd"]) if ndd < threshold]
    return {**pruned, **{key: [pruned[key][i] for i in kept] for key in ("spans", "ndd", "iteration")}}


def random_pruning(pruned: Pruned, seed: int | Sequence[int], *, match: str = "spans") -> Pruned:
    """Prune the same amount of a sentence at random.

    Parameters
    ----------
    pruned : dict
        A result of `prune`.
    seed : int or sequence of int
    match : {"spans", "words"}
        ``spans`` puts as many spans of the same lengths, in each iteration, where every arrangement without
        overlap is equally likely. ``words`` draws as many single words; those side by side are one span.

    Examples
    --------
    >>> pruned = {"skipped": None, "words": 6, "spans": [[1], [3, 4]], "iteration": [0, 0]}
    >>> sorted(len(span) for span in random_pruning(pruned, 0)["spans"])
    [1, 2]
    """
    if match not in ("spans", "words"):
        raise InputError(f"match is 'spans' or 'words', not {match!r}.")
    rng = np.random.default_rng(seed)
    left = np.arange(pruned["words"])
    spans, iterations = [], []
    for number in sorted(set(pruned["iteration"])):
        sizes = [len(span) for span, when in disjoint_spans(pruned) if when == number]
        if match == "words":
            sizes = [1] * sum(sizes)
        gone = random_placement(sizes, len(left), rng)
        drawn = [left[places].tolist() for places in gone]
        if match == "words":
            drawn = _runs(drawn, left.tolist())
        left = np.delete(left, np.concatenate(gone))
        spans += drawn
        iterations += [number] * len(drawn)
    return {"skipped": pruned["skipped"], "words": pruned["words"], "spans": spans, "iteration": iterations}


def disjoint_spans(pruned: Pruned) -> list[tuple[list[int], int]]:
    """Pruned spans with their iterations; those that overlap, since they tied in the search, as one span."""
    joined: list[tuple[list[int], int]] = []
    for span, number in zip(pruned["spans"], pruned["iteration"]):
        for other in [other for other in joined if other[1] == number and set(other[0]) & set(span)]:
            joined.remove(other)
            span = sorted({*span, *other[0]})
        joined.append((list(span), number))
    return joined


def _runs(spans: Sequence[Sequence[int]], text: Sequence[int]) -> list[list[int]]:
    """Spans of a text, given by the positions of its words, with those that stand side by side as one."""
    place = {position: index for index, position in enumerate(text)}
    positions = sorted(position for span in spans for position in span)
    runs = itertools.groupby(enumerate(positions), key=lambda item: place[item[1]] - item[0])
    return [[position for _, position in run] for _, run in runs]


# What was pruned, in the tree ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Counting:
    """What counts as pruned, and as a subtree.

    Attributes
    ----------
    punctuation : bool
        Whether words without a letter or digit count in Depth, and spans of nothing else in Subtree.
    several : bool
        Whether several complete subtrees side by side, whose removal leaves no word without its head, pass
        for one. It changes nothing for single words.
    merged : bool
        Whether pruned spans that stand side by side count as one.
    left : bool
        Whether a span needs only those descendants that no earlier iteration has pruned, or all of them.
    """

    punctuation: bool = True
    several: bool = False
    merged: bool = False
    left: bool = False


def is_subtree(heads: Sequence[int], span: Iterable[int], gone: Iterable[int] = (), *, several: bool = False) -> bool:
    """Whether words are one word with all its descendants, or, with `several`, any number of such words.

    Parameters
    ----------
    heads : sequence of int
        Id of each word's head, from 1; 0 for the root.
    span : iterable of int
        Positions of the words (0-based), next to each other or not.
    gone : iterable of int
        Positions of words that are no longer there; words whose head is gone hang on the next ancestor left.

    Examples
    --------
    >>> heads = [3, 3, 4, 0]  # the old man slept
    >>> is_subtree(heads, [0, 1, 2]), is_subtree(heads, [1, 2])
    (True, False)
    >>> is_subtree(heads, [0, 1]), is_subtree(heads, [0, 1], several=True)
    (False, True)
    """
    span, gone = set(span), set(gone)

    def head_inside(word: int) -> bool:
        head = heads[word] - 1
        while head in gone:
            head = heads[head] - 1
        return head in span

    inside = [head_inside(word) for word in span]
    outside = any(head_inside(word) for word in range(len(heads)) if word not in span | gone)
    return not outside and (several or inside.count(False) == 1)


def count_pruned(sentence: Sentence, pruned: Pruned, counting: Counting = Counting()) -> np.ndarray:
    """Look up what was pruned in the sentence's tree.

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
    >>> from nbhelpers.base.paths import data_dir
    >>> sentence = read_treebank(data_dir() / "corpus" / "treebank-en.conllu")[0]
    >>> pruned = {"skipped": None, "words": len(sentence), "spans": [[0]], "iteration": [0]}
    >>> count_pruned(sentence, pruned)[COLUMNS.index("Subtree 1")].tolist()
    [1, 1]
    """
    if pruned["words"] != len(sentence):
        raise InputError(f"Sentence {sentence.sent_id} has {len(sentence)} words, not {pruned['words']}.")
    depths, heads = sentence.depths(), [token.head for token in sentence.tokens]
    counts = np.zeros((len(COLUMNS), 2), dtype=int)
    marks = {i for i, word in enumerate(sentence.words) if not is_word(word)}
    ignored = set() if counting.punctuation else marks
    gone: set[int] = set()
    spans = disjoint_spans(pruned)
    for number in sorted({number for _, number in spans}):
        now = [span for span, when in spans if when == number]
        if counting.merged:
            now = _runs(now, [i for i in range(len(sentence)) if i not in gone])
        for span in now:
            words = [i for i in span if i not in ignored]
            for i in words:
                counts[min(depths[i], 4) - 1, 0] += 1
            counts[:4, 1] += len(words)
            if words:
                complete = is_subtree(heads, span, gone if counting.left else (), several=counting.several)
                counts[3 + min(len(span), 3)] += (int(complete), 1)
        gone.update(i for span in now for i in span)
    return counts


@dataclass(frozen=True)
class Cell:
    """One entry of Table 6, as shares in [0, 1]; intervals are from a bootstrap over sentences.

    Attributes
    ----------
    ndd, random, difference : Estimate or None
        The share by NDD, the mean of the random runs, and the first less the second with the p-value of the
        paired bootstrap; n counts sentences. None where there is nothing to be a share of, or so rarely that most
        resamples have nothing.
    hits, total : int
        Words or spans behind the share by NDD.
    """

    ndd: Estimate | None
    random: Estimate | None
    difference: Estimate | None
    hits: int
    total: int


def evaluate(
    sentences: Sequence[Sentence],
    pruned: Sequence[Pruned],
    *,
    counting: Counting = Counting(),
    match: str = "spans",
    seeds: Sequence[int] = range(10),
    resamples: int = 2000,
) -> dict[str, Cell]:
    """One configuration of Table 6 beside its own random runs: a `Cell` for each of `COLUMNS`.

    Parameters
    ----------
    sentences, pruned
        A treebank and what `prune` gave for its words; skipped sentences are left out.
    counting : Counting
    match : str
        See `random_pruning`.
    seeds : sequence of int
        One random run each, whose counts are averaged sentence by sentence.
    resamples : int
        Of the bootstrap.

    Raises
    ------
    InputError
        For numbers of sentences that differ, fewer than two not skipped, no seeds, or a missing tree.

    Examples
    --------
    >>> from nbhelpers.base.paths import data_dir
    >>> sentences = read_treebank(data_dir() / "corpus" / "treebank-en.conllu")[:9]
    >>> pruned = [{"skipped": None, "words": len(s), "spans": [[0]], "iteration": [0]} for s in sentences]
    >>> cell = evaluate(sentences, pruned, seeds=[0], resamples=100)["Subtree 1"]
    >>> cell.hits, cell.total
    (6, 9)
    """
    if len(sentences) != len(pruned):
        raise InputError(f"There are {len(sentences)} sentences, and {len(pruned)} have been pruned.")
    pairs = [(s, p) for s, p in zip(sentences, pruned) if not p["skipped"]]
    if len(pairs) < 2 or not len(seeds):
        raise InputError(f"There are {len(pairs)} sentences and {len(seeds)} seeds; 2 and 1 are needed.")
    ours = np.array([count_pruned(s, p, counting) for s, p in pairs])
    random_runs = [[random_pruning(p, (seed, i), match=match) for i, (_, p) in enumerate(pairs)] for seed in seeds]
    drawn = np.mean([[count_pruned(s, p, counting) for (s, _), p in zip(pairs, run)] for run in random_runs], axis=0)
    options = {"resamples": resamples, "statistic": _share}
    cells = {}
    for column, name in enumerate(COLUMNS):
        rows, random = ours[:, column], drawn[:, column]
        here, there = rows[:, 1].any(), random[:, 1].any()
        cells[name] = Cell(
            _if_defined(bootstrap, rows, **options) if here else None,
            _if_defined(bootstrap, random, **options) if there else None,
            _if_defined(paired_bootstrap, rows, random, **options) if here and there else None,
            *rows.sum(0).tolist(),
        )
    return cells


def _if_defined(estimate: Callable[..., Estimate], *rows: np.ndarray, **options: Any) -> Estimate | None:
    """An estimate, or None where what it counts is so rare that most resamples have none of it."""
    try:
        return estimate(*rows, **options)
    except UndefinedStatisticError:
        return None


def _share(rows: np.ndarray) -> float:
    """Hits over totals, from (hits, total) rows."""
    hits, total = rows.sum(0)
    return float(hits / total) if total else np.nan


# A drawn tree ----------------------------------------------------------------------------------------------


def tree_size(sentence: Sentence) -> tuple[float, float]:
    """Width and height in inches of a figure in which `draw_tree` has room for a sentence.

    Examples
    --------
    >>> from nbhelpers.base.paths import data_dir
    >>> sentence = read_treebank(data_dir() / "corpus" / "treebank-en.conllu")[0]
    >>> width, height = tree_size(sentence)
    >>> width > height
    True
    """
    return 0.1 * sum(_widths(sentence)) + 0.3, 1.1 + 0.36 * max(_levels(sentence), default=0)


def _widths(sentence: Sentence) -> list[float]:
    """Room for each word, in characters: for the word, and for the label of its arc."""
    return [1.3 + max(len(t.form), 0.75 * len(t.deprel), 1.5) for t in sentence.tokens]


def _levels(sentence: Sentence) -> list[int]:
    """Height of the arc above each word, so that it passes over the arcs below it; 0 for the root."""
    ends = [sorted((t.id, t.head)) if t.head else None for t in sentence.tokens]
    levels = [0] * len(ends)
    for i in sorted((i for i, end in enumerate(ends) if end), key=lambda i: ends[i][1] - ends[i][0]):
        first, last = ends[i]
        inner = [levels[j] for j, e in enumerate(ends) if e and j != i and first <= e[0] and e[1] <= last]
        levels[i] = 1 + max(inner, default=0)
    return levels


def draw_tree(axes: Axes, sentence: Sentence, pruned: Iterable[int] = ()) -> None:
    """Draw a dependency tree over its words, with the pruned ones struck out, as in the paper's Figure 3.

    Arcs run from head to dependent (the arrowhead) and bear the relation; below each word stands its depth. A
    pruned word is grey and struck out, and the arc above it is dashed, so that nothing hangs on colour alone.

    Parameters
    ----------
    axes : matplotlib Axes
        Of a figure about as large as `tree_size` says.
    sentence : Sentence
    pruned : iterable of int
        Positions of the pruned words (0-based).

    Raises
    ------
    InputError
        When the sentence has no tree, or no word at one of the positions.

    Examples
    --------
    >>> from nbhelpers.base.paths import data_dir
    >>> from matplotlib.figure import Figure
    >>> sentence = read_treebank(data_dir() / "corpus" / "treebank-en.conllu")[0]
    >>> axes = Figure(figsize=tree_size(sentence)).subplots()
    >>> draw_tree(axes, sentence, pruned=[0])
    """
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Outline

    pruned, depths, levels = set(pruned), sentence.depths(), _levels(sentence)
    if unknown := sorted(pruned - set(range(len(sentence)))):
        raise InputError(f"Sentence {sentence.sent_id} has {len(sentence)} words, and none at {unknown}.")
    widths = np.array(_widths(sentence))
    centres = np.cumsum(widths) - widths / 2
    points = axes.get_position().width * axes.figure.get_size_inches()[0] * 72 / widths.sum()
    size = float(np.clip(points / _EM, 5.0, 12.0))
    top = max(levels, default=0) + 1.0
    for i, token in enumerate(sentence.tokens):
        cut = i in pruned
        ink = "0.45" if cut else "black"
        style = {"edgecolor": "0.45" if cut else plots.PALETTE[0], "linestyle": "--" if cut else "-"}
        axes.text(centres[i], -0.45, token.form, ha="center", va="center", fontsize=size, color=ink)
        axes.text(centres[i], -1.05, depths[i], ha="center", va="center", fontsize=0.75 * size, color="0.3")
        if cut:
            half = (0.5 * len(token.form) + 0.3) * size * _EM / points
            axes.plot([centres[i] - half, centres[i] + half], [-0.45] * 2, color="0.2", lw=1.2, marker="")
        if token.head:
            side = np.sign(token.head - token.id) * 0.45
            here, there, height = centres[i] + side, centres[token.head - 1] - side, 0.8 * levels[i]
            bend = np.sign(here - there) * min(3.0, abs(here - there) / 2)
            corners = [
                (there, 0),
                (there, height),
                (there + bend, height),
                (here - bend, height),
                (here, height),
                (here, 0.12),
            ]
            bends = [Outline.CURVE3] * 2
            path = Outline(corners, [Outline.MOVETO, *bends, Outline.LINETO, *bends])
            label = ((here + there) / 2, height)
        else:
            here, label = centres[i], (centres[i], 0.8 * top)
            path = Outline([(here, 0.8 * top), (here, 0.12)])
        axes.add_patch(PathPatch(path, facecolor="none", lw=1.4, **style))
        axes.plot(here, 0.08, marker="v", ms=5, color=style["edgecolor"])
        name = "root" if not token.head else token.deprel
        if name != "_":
            box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
            axes.text(*label, name, ha="center", va="center", fontsize=0.8 * size, color=ink, bbox=box)
    axes.set(xlim=(0, widths.sum()), ylim=(-1.4, 0.8 * top + 0.3))
    axes.set_axis_off()
