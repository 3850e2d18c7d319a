"""Dependency trees of sentences: where a span stands in its tree, in three conversions of the treebank.

Depths count from 1, the root. A *branch* is one or several complete subtrees side by side: the random shares of the
paper's Table 6 for spans of two words and more are too high for single ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from nbhelpers.base import plots
from nbhelpers.base.errors import InputError
from nbhelpers.language.english import coarse_tag
from nbhelpers.resources.treebank import Sentence, Token, is_conllu, read_conllu, read_nltk_dependency

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TREES_IN_WORDS = {"treebank": "NLTK's treebank", "stanford": "Stanford style", "content": "Universal style"}
"""How the words hang together: as the treebank has it, and with function words lowered (see `lowered_heads`)."""

TREES = tuple(TREES_IN_WORDS)
"""Their names in the evidence."""


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


def part_of_speech(token: Token) -> str:
    """The token's universal part of speech, from the treebank's own tag where it has no universal one."""
    return token.upos if token.upos != "_" else coarse_tag(token.xpos)


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


_FINITE = ("VBD", "VBZ", "VBP", "MD")

AUXILIARIES = {
    **dict.fromkeys("be is are was were been being 's 're 'm am".split(), ("VBN", "VBG")),
    **dict.fromkeys("have has had having 've 'd".split(), ("VBN", "VBD")),
    **dict.fromkeys("do does did".split(), ("VB", "VBP")),
}
"""Forms of *be*, *have* and *do* that can be auxiliaries, and the tags of the verb that hangs on them."""

_COPULAS = frozenset("be is are was were been being 's 're 'm am".split())


def lowered_heads(sentence: Sentence, *, prepositions: bool = False) -> list[int]:
    """Heads of the words once function words hang on their content words, as other conversions of a treebank have it.

    In NLTK's treebank auxiliaries, copulas, conjunctions, relative words and *'s* stand above the words that they go
    with. Here they change places with them, as in Stanford dependencies (which the paper's Figure 3 shows); with
    `prepositions` these do, too, as in Universal Dependencies. It goes by Penn Treebank tags, and is an approximation.

    Examples
    --------
    >>> tags = {"He": ("PRP", 2), "will": ("MD", 0), "go": ("VB", 2), "to": ("TO", 3), "Rome": ("NNP", 4)}
    >>> tokens = [Token(i, word, "_", "_", tag, head, "_") for i, (word, (tag, head)) in enumerate(tags.items(), 1)]
    >>> lowered_heads(Sentence("1", "He will go to Rome", tuple(tokens)))
    [3, 3, 0, 3, 4]
    >>> lowered_heads(Sentence("1", "He will go to Rome", tuple(tokens)), prepositions=True)
    [3, 3, 0, 5, 3]
    """
    heads, tags = [token.head - 1 for token in sentence.tokens], [token.xpos for token in sentence.tokens]
    words, low = [token.form.lower() for token in sentence.tokens], set()

    def carries(word: int, kinds: Sequence[str]) -> bool:
        """Whether a word has one of the tags, or a lowered word with one of them below it."""
        return tags[word] in kinds or any(heads[other] == word and tags[other] in kinds for other in low)

    for i in np.argsort(-sentence.depths(), kind="stable").tolist():
        below = [j for j, head in enumerate(heads) if head == i]
        right, word = [j for j in below if j > i], words[i]
        bare = [j for j in right if not any(heads[k] == j and tags[k] == "TO" and k < j for k in range(j))]
        if tags[i] == "MD":
            content = [j for j in bare if tags[j].startswith("VB") or any(heads[k] == j for k in low)]
        elif tags[i].startswith("VB"):
            content = [j for j in bare if tags[j] in AUXILIARIES.get(word, ())]
            if word in _COPULAS:
                content = content or [j for j in right if tags[j][:2] in ("NN", "JJ", "CD", "PR", "$")]
        elif tags[i] in ("IN", "TO", "WDT", "WP", "WRB", "WP$"):
            content = [j for j in right if carries(j, _FINITE)]
            content = content or (right if prepositions and tags[i] in ("IN", "TO") else [])
        else:
            content = [j for j in below if j < i][-1:] if tags[i] == "POS" else []
        if content:
            heads[content[0]], heads[i] = heads[i], content[0]
            low.add(i)
            for j in below:
                heads[j] = heads[j] if j == content[0] else content[0]
    return [head + 1 for head in heads]


def tree_heads(sentence: Sentence) -> dict[str, list[int]]:
    """Heads of a sentence's words in each of `TREES`."""
    return {
        "treebank": [token.head for token in sentence.tokens],
        "stanford": lowered_heads(sentence),
        "content": lowered_heads(sentence, prepositions=True),
    }


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
        axes.text(x, depth, token.form, ha="center", va="center", color="0.3" if cut else "black", bbox=box)
        if cut:
            half = len(token.form) / 2
            axes.plot([x - half, x + half], [depth, depth], color=plots.PALETTE[0], lw=1.2, marker="", zorder=5)
    axes.set(
        xlim=(0, widths.sum()), ylim=(depths.max() + 0.5, 0.5), xticks=[], yticks=sorted(set(depths)), ylabel="depth"
    )
    axes.grid(False)
    return figure
