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

The evidence ``ndd-pruning`` has one line for each span (`items`): of what NDD prunes, of random runs, of rules that
need no masked language model, and of every single word of the sentences.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas

from nbhelpers.base import plots, shards
from nbhelpers.base.errors import InputError
from nbhelpers.base.stats import Estimate, Resampled, percent, proportion, shares
from nbhelpers.language.english import coarse_tag, load_english
from nbhelpers.language.mlm import EMBEDDED, MaskedLM, cached_engine, on_engine
from nbhelpers.metrics.ndd import NDDSettings
from nbhelpers.resources import data
from nbhelpers.resources.treebank import Sentence, Token, depths_of, is_conllu, read_conllu, read_nltk_dependency
from nbhelpers.results import estimates, evidence, published
from nbhelpers.results.estimates import Rows, by_model, tabled
from nbhelpers.studies.ndd.baselines import random_placement
from nbhelpers.studies.ndd.compression import CompressionSettings, compress_many, compression_signature
from nbhelpers.studies.ndd.together import Skipped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CONFIGURATIONS = ((3, 1.0), (3, 2.0), (5, 1.0), (5, 2.0))
"""The pairs (L_max, NDD_max) of Table 6."""

SYSTEMS = (*(("ndd", *key) for key in CONFIGURATIONS), ("rule", 0, 0.0), ("rule predicted", 0, 0.0))
"""What prunes: system, L_max and NDD_max, of which the rules of thumb have none."""

_NDD, _OF_RULES = SYSTEMS[: len(CONFIGURATIONS)], SYSTEMS[len(CONFIGURATIONS) :]

COLUMNS = ("Depth 1", "Depth 2", "Depth 3", "Depth >=4", "Subtree 1", "Subtree 2", "Subtree >=3")
"""The columns of Table 6."""

RULE = ("DET", "ADJ", "ADV")
"""Parts of speech that the rule of thumb prunes."""

RULES = {"rule": "Rule of thumb, treebank's tags", "rule predicted": "Rule of thumb, tagger's tags"}
"""The rule of thumb by whose parts of speech: systems of the evidence, and their rows in tables."""

TREES_IN_WORDS = {"treebank": "NLTK's treebank", "stanford": "Stanford style", "content": "Universal style"}
"""How the words hang together: as the treebank has it, and with function words lowered (see `lowered_heads`)."""

TREES = tuple(TREES_IN_WORDS)
"""Their names in the evidence."""

NO_MODEL = "rule"
"""What the series of the rules is called in a figure."""

PLACED = {"random": "Random", "matched": "Matched in position"}
"""How the spans beside those of a system are drawn, and the beginning of their rows in tables."""

Span = tuple[int, int]
"""Start and length."""

Setting = tuple[str, int, float]
"""System, longest span, threshold: one of `SYSTEMS`."""

Key = tuple[str, int, float, str]
"""System, longest span, threshold, and how its spans are placed."""

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


# Runs beside it ----------------------------------------------------------------------------------------------


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


def part_of_speech(token: Token) -> str:
    """The token's universal part of speech, from the treebank's own tag where it has no universal one."""
    return token.upos if token.upos != "_" else coarse_tag(token.xpos)


# In the tree -------------------------------------------------------------------------------------------------


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
_AUXILIARIES = {
    **dict.fromkeys("be is are was were been being 's 're 'm am".split(), ("VBN", "VBG")),
    **dict.fromkeys("have has had having 've 'd".split(), ("VBN", "VBD")),
    **dict.fromkeys("do does did".split(), ("VB", "VBP")),
}
"""Forms of auxiliaries, and the tags of the verb that hangs on them."""
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
            content = [j for j in bare if tags[j] in _AUXILIARIES.get(word, ())]
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


# Evidence ------------------------------------------------------------------------------------------------------


def run(
    sentences: Mapping[int, Sentence],
    *,
    draws: int = 10,
    known: Mapping[int, Mapping[int, Pruned]] = MappingProxyType({}),
    **options: Any,
) -> pandas.DataFrame:
    """Prune sentences in all settings of Table 6, and look up every span in the trees.

    Parameters
    ----------
    sentences : mapping of int to Sentence
        By their place in the treebank.
    draws : int
        Random runs beside each setting and each rule.
    known : mapping of int to mapping
        What `search` found before, by sentence and L_max: these sentences are not searched again.
    **options
        Of `search`: masked language model, bias for latter words, processes.

    Returns
    -------
    DataFrame
        One line per span. ``sentence`` (its place) and ``words`` (its length); ``system``: *ndd*, *rule* (each
        determiner, adjective and adverb by the treebank's tags), *rule predicted* (by the package's tagger) or
        *word* (every single word); ``longest`` and ``threshold``, the setting; ``placed``: *own*, or *random* or
        *matched* (at random places that the system's spans have in other sentences), with the number of the ``draw``;
        ``start``, ``length`` and ``ndd`` of the span, and the first word's part of speech, ``tag``. In each of `TREES`
        ``…_branch`` says whether the span is one or several complete subtrees, ``…_1``, ``…_2``, ``…_3`` how many of
        its words have that depth; ``single`` whether it is one subtree of the treebank's.
    """
    new = {place: one for place, one in sentences.items() if place not in known}
    found = {**known, **search(new, **options)}
    places = [place for place in sentences if not any(one["skipped"] for one in found[place].values())]
    many = [sentences[place] for place in places]
    predicted = [list(map(coarse_tag, tags)) for tags in load_english().tag([one.words for one in many])]
    gold = [[part_of_speech(token) for token in one.tokens] for one in many]
    systems: dict[tuple[str, int, float], list[dict[Span, float]]] = {}
    for longest, threshold in CONFIGURATIONS:
        pruned = (at_threshold(found[place][longest], threshold) for place in places)
        systems["ndd", longest, threshold] = [disjoint_spans(one) for one in pruned]
    for name, tagged in (("rule", gold), ("rule predicted", predicted)):
        systems[name, 0, 0.0] = [{(i, 1): np.nan for i, tag in enumerate(tags) if tag in RULE} for tags in tagged]
    lines = []
    for key, own in systems.items():
        lines += _placed(key, own, [len(one) for one in many], places, draws)
    lines += [("word", 0, 0.0, k, "own", 0, i, 1, np.nan) for k, one in enumerate(many) for i in range(len(one))]
    return _looked_up(lines, places, many, gold)


def _placed(key, own: Sequence[dict[Span, float]], words: Sequence[int], places: Sequence[int], draws: int) -> list:
    """Lines of a system's spans, where they are and as random runs have them."""
    begin: dict[int, list[tuple[int, float]]] = {}
    for number, spans in enumerate(own):
        for start, length in spans:
            begin.setdefault(length, []).append((number, start / (words[number] - length)))
    where = {length: np.array(of_length) for length, of_length in begin.items()}
    lines = []
    for number, spans in enumerate(own):
        lines += [(*key, number, "own", 0, start, length, ndd) for (start, length), ndd in spans.items()]
        others = {length: many[many[:, 0] != number, 1] for length, many in where.items()}
        others = {length: many for length, many in others.items() if len(many)}
        for draw in range(draws if spans else 0):
            seed = (draw, places[number])
            drawn = {"random": random_spans(list(spans), words[number], seed)}
            if others:
                drawn["matched"] = matched_spans(list(spans), words[number], others, seed)
            lines += [
                (*key, number, placed, draw, start, length, np.nan)
                for placed, random in drawn.items()
                for start, length in random
            ]
    return lines


def _looked_up(lines: list, places: Sequence[int], sentences: Sequence[Sentence], tags: list) -> pandas.DataFrame:
    """Lines of spans with what they are in the trees."""
    names = ("system", "longest", "threshold", "number", "placed", "draw", "start", "length", "ndd")
    table = pandas.DataFrame(lines, columns=names)
    heads = [tree_heads(one) for one in sentences]
    depths = [{tree: np.array(depths_of(each)) for tree, each in trees.items()} for trees in heads]

    @functools.cache
    def measures(number: int, start: int, length: int) -> list:
        span = range(start, start + length)
        found: list = [tags[number][start], is_subtree(heads[number]["treebank"], span)]
        for tree in TREES:
            at = depths[number][tree][start : start + length]
            found += [closed(heads[number][tree], span), *(int((at == depth).sum()) for depth in (1, 2, 3))]
        return found

    looked_up = [measures(*span) for span in zip(table["number"], table["start"], table["length"])]
    columns = ["tag", "single", *(f"{tree}_{what}" for tree in TREES for what in ("branch", 1, 2, 3))]
    table = pandas.concat([table, pandas.DataFrame(looked_up, columns=columns)], axis=1)
    table.insert(0, "sentence", np.array(places)[table["number"]])
    table.insert(1, "words", np.array([len(one) for one in sentences])[table["number"]])
    small = {name: "int8" for name in ("longest", "draw", "length") + tuple(c for c in columns if c[-1].isdigit())}
    small |= {"sentence": "int16", "words": "int16", "start": "int16", "threshold": "float32", "ndd": "float32"}
    return table.drop(columns="number").astype(small | {name: "category" for name in ("system", "placed", "tag")})


def searched(items: pandas.DataFrame) -> dict[int, dict[int, Pruned]]:
    """What `search` found, by sentence and L_max, from items of one model."""
    found: dict[int, dict[int, Pruned]] = {
        place: {longest: {"skipped": None, "spans": [], "ndd": []} for longest in (3, 5)}
        for place in items["sentence"].unique()
    }
    own = items[(items["system"] == "ndd") & (items["placed"] == "own") & (items["threshold"] == 2.0)]
    for line in own.itertuples():
        one = found[line.sentence][line.longest]
        one["spans"].append(list(range(line.start, line.start + line.length)))
        one["ndd"].append(line.ndd)
    return found


def record(
    *, model: str = EMBEDDED, sentences: int = 400, dtype: str = "bfloat16", workers: int = 1, more: bool = False
) -> tuple[pandas.DataFrame, evidence.Run]:
    """Evidence on the Penn Treebank sample; see `chosen` and `run`. With `more`, spans that it has are kept."""
    located, lm = data.find("nltk-dependency-treebank", "auto"), cached_engine(model, "word", dtype)
    made = compression_signature(lm, pruning_settings(5, 2.0)).replace("L:5|max:2", "L:3,5|max:1,2")
    found = evidence.Run(model=model, identity=lm.loaded.identity, data=located.identity, signature=made)
    items, before = evidence.earlier("ndd-pruning", found) if more else (None, evidence.Run())
    known = {} if items is None else searched(items)
    asked = chosen(read_treebank(located.path), sentences)
    items = run(asked, known=known, model=model, dtype=dtype, workers=workers)
    return items, replace(found, seconds=before.seconds)


# What the items say --------------------------------------------------------------------------------------------


def counts(
    items: pandas.DataFrame, *, tree: str = "treebank", single: bool = False, punctuation: bool = True
) -> dict[Key, np.ndarray]:
    """Hits and totals of `COLUMNS` in each sentence, for each system; random runs as the mean of their draws.

    Parameters
    ----------
    items : DataFrame
        As `run` makes them, of one model.
    tree : str
        One of `TREES`.
    single : bool
        Whether a span must be a single subtree, not several side by side (of the treebank's trees).
    punctuation : bool
        Whether punctuation marks count; without them they are no words of a depth, and no spans by themselves.

    Returns
    -------
    dict
        By (system, longest, threshold, placed) arrays of shape (sentences, 7, 2), with the sentences in order.

    Raises
    ------
    InputError
        Items of several models.
    """
    if "model" in items and items["model"].nunique() > 1:
        raise InputError(f"these are items of {items['model'].nunique()} models; choose one")
    if tree not in TREES:
        raise InputError(f"tree is one of {', '.join(TREES)}, not {tree!r}")
    places = np.unique(items["sentence"])
    every = [(*system, placed) for system in SYSTEMS for placed in ("own", *PLACED)]
    found = {key: np.zeros((len(places), len(COLUMNS), 2)) for key in every}  # a system may prune nothing
    words = items[["length", *(f"{tree}_{depth}" for depth in (1, 2, 3))]].to_numpy(float)  # all, and by depth
    if not punctuation:
        words = words - _marks(items, tree)
    length, *depths = words.T
    whole, longest = items["single" if single else f"{tree}_branch"].to_numpy(bool), np.minimum(items["length"], 3)
    sizes = [(length > 0) & (longest == size) for size in (1, 2, 3)]
    hits = np.stack([*depths, length - sum(depths), *(whole & of_size for of_size in sizes)], axis=1)
    cells = np.stack([hits, np.stack([length] * 4 + sizes, axis=1)], axis=2)
    number, draws = np.searchsorted(places, items["sentence"]), items["draw"].to_numpy()
    groups = items.groupby(["system", "longest", "threshold", "placed"], observed=True)
    for key, at in groups.indices.items():
        table = np.zeros((len(places), len(COLUMNS), 2))
        np.add.at(table, number[at], cells[at])
        found[(str(key[0]), int(key[1]), float(key[2]), str(key[3]))] = table / len(np.unique(draws[at]))
    return found


def _marks(items: pandas.DataFrame, tree: str) -> np.ndarray:
    """Punctuation marks in each span: how many, and how many of them at depths 1, 2 and 3."""
    places, alone = np.unique(items["sentence"]), items[(items["tag"] == "PUNCT") & (items["length"] == 1)]
    before = np.zeros((len(places), int(items["words"].max()) + 1, 4))
    columns = ["length", *(f"{tree}_{depth}" for depth in (1, 2, 3))]
    before[np.searchsorted(places, alone["sentence"]), alone["start"].to_numpy(int) + 1] = alone[columns]
    before, start = before.cumsum(axis=1), items["start"].to_numpy(int)
    number = np.searchsorted(places, items["sentence"])
    return before[number, start + items["length"].to_numpy(int)] - before[number, start]


def sampled(items: pandas.DataFrame, *, resamples: int = 2000, **how: Any) -> dict[Key, Resampled]:
    """The shares of `COLUMNS` for each system, with resamples of the sentences; keywords of `counts`."""
    return {key: shares(table, resamples=resamples) for key, table in counts(items, **how).items()}


def leads(items: pandas.DataFrame, **how: Any) -> dict[tuple[int, float], Resampled]:
    """For each setting NDD's shares minus those of its random runs."""
    found = sampled(items, **how)
    return {key: found["ndd", *key, "own"] - found["ndd", *key, "random"] for key in CONFIGURATIONS}


def cells(leads: Mapping[tuple[int, float], Resampled], columns: slice) -> Resampled:
    """Some of `COLUMNS` in all settings, to be tested together."""
    return Resampled.beside(*(lead[columns] for lead in leads.values()))


def setting_name(key: tuple[int, float]) -> str:
    """Name of a configuration in Table 6.

    Examples
    --------
    >>> setting_name((3, 1.0))
    'L_max=3 NDD_max=1.0'
    """
    return f"L_max={key[0]} NDD_max={key[1]:.1f}"


def _cells(
    row: str, found: Resampled, columns: Sequence[str] = COLUMNS, totals: Sequence[float] = (), **more: Any
) -> Rows:
    """Rows of a table of estimates: shares in percent, differences in points.

    A share of 0 or 1 of the `totals` has Wilson's interval, since no resample would differ from it.
    """
    for place, column in enumerate(columns):
        value = found.estimate(place)
        if value and len(totals) and value.value in (0, 1):
            ends = proportion(np.full(round(totals[place]), value.value))
            value = replace(value, low=ends.low, high=ends.high)
        if value:
            value = replace(percent(value), p=value.p if more.get("over", True) else None)  # a share is not tested
        yield {"row": row, "column": column, "value": value, **more}


def _printed(key: tuple[int, float], column: str, placed: str = "own", over: str = "") -> float:
    """A cell of Table 6, or how much more its value is than that of spans placed `over`; NaN where it has none."""
    if over:
        return _printed(key, column, placed) - _printed(key, column, over)
    who = {"own": "NDD-based", "random": "Random"}.get(placed)
    cell = published.by_place("ndd/table6").get((f"{who} {setting_name(key)}", column))
    return np.nan if cell is None else cell.value


def _points(parts: Iterable[Resampled]) -> Estimate | None:
    """The mean of differences of shares on the same sentences, in points; None where none is defined."""
    value = Resampled.beside(*parts).mean(unit="points")
    return value and percent(value)


@by_model
def summary(items: pandas.DataFrame, *, resamples: int = 2000, **how: Any) -> Rows:
    """Table 6, in percent, with differences in points: each setting, its random runs, and the rules of thumb.

    Parameters
    ----------
    items : DataFrame
        As `run` makes them, or `evidence.load` has them; of one or several models.
    resamples : int
        Of the sentences.
    **how
        ``tree``, ``single`` and ``punctuation`` of `counts`.

    Returns
    -------
    DataFrame
        Estimates. Beside the usual columns ``system``, ``longest``, ``threshold`` and ``over``: what was
        subtracted, *random* or *matched* or nothing; and ``published``, the paper's number or difference.
    """
    tables = counts(items, **how)
    words = items[items["system"] == "word"].groupby("sentence").size()
    for key in SYSTEMS:
        found = {placed: shares(tables[*key, placed], resamples=resamples) for placed in ("own", *PLACED)}
        gone = _own(items, *key).groupby("sentence")["length"].sum().reindex(words.index, fill_value=0)
        pruned = shares(np.stack([gone, words], axis=-1)[:, None], resamples=resamples)
        for one in _of_system(key, found, pruned, tables[*key, "own"][..., 1].sum(axis=0)):
            setting = dict(zip(("system", "longest", "threshold"), key))
            yield one | setting | {"published": _printed(key[1:], one["column"], one["placed"], one["over"])}


def _of_system(key: Setting, found: Mapping[str, Resampled], pruned: Resampled, totals: np.ndarray) -> Rows:
    """The rows of `summary` of one of `SYSTEMS`, from its shares by how spans are placed, and that of pruned words."""
    if key in _NDD:
        columns, name, beside = COLUMNS, f"NDD-based {setting_name(key[1:])}", f" {setting_name(key[1:])}"
    else:
        columns, name, beside = COLUMNS[:5], RULES[key[0]], f" beside: {RULES[key[0]]}"
    yield from _cells(name, found["own"], columns, totals, over="", placed="own")
    for placed, title in PLACED.items():
        yield from _cells(title + beside, found[placed], columns, over="", placed=placed)
        lead = found["own"] - found[placed]
        yield from _cells(f"{name} minus {placed}", lead, columns, over=placed, placed="own")
    yield from _cells(name, pruned, ["Words pruned"], over="", placed="own")


def _own(items: pandas.DataFrame, system: str, longest: int, threshold: float) -> pandas.DataFrame:
    """What one of `SYSTEMS` prunes, without random runs."""
    own = items[(items["system"] == system) & (items["placed"] == "own")]
    return own[(own["longest"] == longest) & (own["threshold"] == np.float32(threshold))]


@by_model
def compared(items: pandas.DataFrame, *, over: str = "", resamples: int = 2000, **how: Any) -> Rows:
    """The settings of Table 6 against each other and against the rule of thumb, on the same sentences, in points.

    Parameters
    ----------
    items, resamples, how
        As those of `summary`.
    over : str
        Subtract the random runs of each setting first: *random* or *matched*; nothing without it.

    Returns
    -------
    DataFrame
        Estimates, with the ``kind`` of the comparison and the ``published`` difference.
    """
    found = sampled(items, resamples=resamples, **how)

    def of(system: str, longest: int = 0, threshold: float = 0.0) -> Resampled:
        own = found[system, longest, threshold, "own"]
        return own - found[system, longest, threshold, over] if over else own

    pairs = {f"threshold 1 minus 2, longest span {n}": ((n, 1.0), (n, 2.0), "threshold") for n in (3, 5)}
    pairs |= {f"longest span 5 minus 3, threshold {t:.0f}": ((5, t), (3, t), "longest span") for t in (1.0, 2.0)}
    for title, (first, second, kind) in pairs.items():
        for one in _cells(title, of("ndd", *first) - of("ndd", *second), kind=kind):
            ahead, behind = (_printed(key, one["column"], over=over) for key in (first, second))
            yield one | {"published": ahead - behind}
    for key in CONFIGURATIONS:
        for rule, name in RULES.items():
            title = f"NDD-based {setting_name(key)} minus {name[0].lower()}{name[1:]}"
            yield from _cells(title, of("ndd", *key) - of(rule), COLUMNS[:5], kind="rule")


@tabled
def models_compared(items: pandas.DataFrame, first: str, second: str, **how: Any) -> Rows:
    """What one model prunes minus what another one prunes from the same sentences, in points; keywords of `sampled`."""
    both = set(items.loc[items["model"] == first, "sentence"]) & set(items.loc[items["model"] == second, "sentence"])
    shared = items[items["sentence"].isin(both)]
    a, b = (sampled(shared[shared["model"] == name], **how) for name in (first, second))
    for key in CONFIGURATIONS:
        difference = a["ndd", *key, "own"] - b["ndd", *key, "own"]
        yield from _cells(f"{first} minus {second}, {setting_name(key)}", difference)


@tabled
def by_part_of_speech(items: pandas.DataFrame, *, least: int = 5, resamples: int = 2000) -> Rows:
    """How often nothing hangs on a single word that NDD prunes, and on any such word, by part of speech, in percent.

    In the first setting of `CONFIGURATIONS`.

    Parameters
    ----------
    items : DataFrame
        Of one model.
    least : int
        Pruned words that a part of speech has at least.
    resamples : int
    """
    pruned, every = _own(items, *SYSTEMS[0]), items[items["system"] == "word"]
    pruned, places = pruned[pruned["length"] == 1], np.unique(items["sentence"])
    for tag, count in pruned["tag"].value_counts().items():
        for column, part in (("Pruned words", pruned), ("All words", every)):
            if count >= least:
                table = _branches(part[part["tag"] == tag], "treebank", places)
                found, totals = shares(table, resamples=resamples), [table[..., 1].sum()]
                yield from _cells(str(tag), found, [column], totals, over="", pruned=int(count))


def _branches(words: pandas.DataFrame, tree: str, places: np.ndarray) -> np.ndarray:
    """How many single words are whole branches, and how many there are, in each sentence."""
    hits = words.groupby("sentence")[f"{tree}_branch"].agg(["sum", "size"])
    return hits.reindex(places, fill_value=0).to_numpy(float)[:, None]


ANSWERS = {"whole branches": slice(4, 7), "depth 4 and more": slice(3, 4), "depth 2": slice(1, 2)}
"""What the paper's claims are about, as columns of Table 6."""


@by_model
def answers(items: pandas.DataFrame, *, resamples: int = 2000, **how: Any) -> Rows:
    """The paper's questions in one number each: means over the four settings, in points.

    NDD minus random spans, and minus random spans matched in position. Spans of all lengths count together, so that few
    sentences do for a number. In the last rows single words that are whole branches, NDD minus the rule of thumb, after
    the random words of each. Parameters are those of `summary`.
    """
    lead = functools.partial(_lead, counts(items, **how), resamples=resamples)
    single = slice(4, 5)
    for over in PLACED:
        asked = {what: [lead(key, over, at) for key in _NDD] for what, at in ANSWERS.items()}
        for rule in _OF_RULES:
            tags = RULES[rule[0]].partition(", ")[2]
            leads = [lead(key, over, single) - lead(rule, over, single) for key in _NDD]
            asked[f"single words, NDD minus the rule ({tags})"] = leads
        for what, leads in asked.items():
            yield {"row": what, "column": f"minus {over}", "value": _points(leads)}


def _lead(
    found: Mapping[Key, np.ndarray], system: tuple, over: str, columns: slice, *, resamples: int, of: Any = 1.0
) -> Resampled:
    """A system's share minus that of its random spans, columns together; `of` weighs the sentences."""
    of = np.asarray(of, float)[..., None, None]
    own, random = (of * found[(*system, placed)][:, columns].sum(axis=1, keepdims=True) for placed in ("own", over))
    return shares(own, resamples=resamples) - shares(random, resamples=resamples)


@by_model
def by_group(items: pandas.DataFrame, group: str, *, resamples: int = 2000, **how: Any) -> Rows:
    """The lead in whole branches (see `answers`) in two groups of sentences, and the first of them minus the second.

    Parameters
    ----------
    items : DataFrame
        As those of `summary`.
    group : str
        The column that says for each line to which group its sentence belongs.
    resamples, how
        As those of `summary`.
    """
    found, of = counts(items, **how), items.groupby("sentence")[group].first()
    names = sorted(set(items[group]))

    def leads(name: str) -> Resampled:
        parts = (_lead(found, key, "random", slice(4, 7), resamples=resamples, of=of == name) for key in _NDD)
        return Resampled.beside(*parts)

    first, second = map(leads, names)
    sizes = [int((of == name).sum()) for name in names]
    rows = [*names, f"{names[0]} minus {names[1]}"]
    for row, its, n in zip(rows, (first, second, first - second), (*sizes, len(of))):
        value = _points([its])
        yield {"row": row, "column": "minus random", "value": value and replace(value, n=n)}


@by_model
def random_rows(items: pandas.DataFrame, *, resamples: int = 2000) -> Rows:
    """Random spans beside NDD's, as the mean of the four settings, in each of `TREES`, in per cent.

    With and without punctuation marks; ``published`` is the mean of the paper's four random rows.
    """
    for tree, name in TREES_IN_WORDS.items():
        for punctuation, ending in ((True, ""), (False, ", without punctuation")):
            found = sampled(items, tree=tree, punctuation=punctuation, resamples=resamples)
            for place, column in enumerate(COLUMNS):
                rows = [found[*key, "random"][place : place + 1] for key in _NDD]
                value = Resampled.beside(*rows).mean()
                cell = {"column": column, "published": random_published(column)}
                yield cell | {"row": f"{name}{ending}", "value": value and replace(percent(value), p=None)}


def random_published(column: str) -> float:
    """Mean of the paper's four random rows in one of `COLUMNS`."""
    return float(np.mean([_printed(key, column, "random") for key in CONFIGURATIONS]))


def in_trees(items: pandas.DataFrame, **options: Any) -> pandas.DataFrame:
    """`answers` in each of `TREES`, whose name in words is in the column ``tree``."""
    parts = (answers(items, tree=tree, **options).assign(tree=name) for tree, name in TREES_IN_WORDS.items())
    return pandas.concat(parts, ignore_index=True)


@by_model
def as_many(items: pandas.DataFrame, *, resamples: int = 2000) -> Rows:
    """NDD's single words that are whole branches minus the rule's, when NDD deletes no more words than the rule.

    In each sentence the words with the lowest NDD count, at most as many as the rule deletes; the mean of both longest
    spans (threshold 2), in points. A row for each of `TREES`, a column for each of `RULES`.
    """
    places = np.unique(items["sentence"])

    def share(words: pandas.DataFrame, tree: str) -> Resampled:
        return shares(_branches(words, tree, places), resamples=resamples)

    for rule, name in RULES.items():
        its = _own(items, rule, 0, 0.0)
        limit, lowest = its.groupby("sentence").size().reindex(places, fill_value=0), []
        for longest in (3, 5):
            own = _own(items, "ndd", longest, 2.0)
            own = own[own["length"] == 1].sort_values("ndd", kind="stable")
            lowest.append(own[own.groupby("sentence").cumcount().to_numpy() < limit.loc[own["sentence"]].to_numpy()])
        for tree, row in TREES_IN_WORDS.items():
            value = _points(share(own, tree) - share(its, tree) for own in lowest)
            yield {"row": row, "column": name.partition(", ")[2], "value": value}


def rules_once(found: pandas.DataFrame) -> pandas.DataFrame:
    """Rows of `by_length` for a figure: the rules, which need no model, once, on the sentences that all models have."""
    once = estimates.once(found, found["row"].str.contains("rule"), NO_MODEL, smallest=True)
    return once.set_index("row").loc[list(dict.fromkeys(found["row"]))].reset_index()


def in_short(items: pandas.DataFrame, **options: Any) -> pandas.DataFrame:
    """`answers` beside random spans as an opening has them: each row with its unit, and depth 2 without punctuation."""
    every, words = answers(items, **options), answers(items, punctuation=False, **options)
    words = words[words["row"] == "depth 2"].assign(row="depth 2 without punctuation marks")
    rules = every["row"].str.contains("rule")
    rows = pandas.concat([every[~rules], words, every[every["row"].str.contains("tagger")]])
    rows = rows[rows["column"] == "minus random"].sort_values("model", kind="stable")
    units = {True: ": difference of their leads over random words, in points", False: ", points more than random spans"}
    return rows.assign(row=rows["row"] + rows["row"].str.contains("rule").map(units))


def at_depths(found: pandas.DataFrame, model: str) -> pandas.DataFrame:
    """Rows of `summary` for a figure: how far a model's shares at each depth are from those of random spans."""
    rows = found[(found["model"] == model) & (found["system"] == "ndd") & (found["over"] != "")]
    rows = rows[rows["column"].str.startswith("Depth")].sort_values("column", kind="stable")
    return rows.assign(
        row=[f"longest span {one.longest}, NDD below {one.threshold:.0f}" for one in rows.itertuples()],
        over="minus " + rows["over"],
        column=rows["column"].str.replace(">=4", "4 and more"),
    )


@by_model
def by_length(items: pandas.DataFrame, *, resamples: int = 2000, **how: Any) -> Rows:
    """Spans that are whole branches, minus random ones, by length: NDD as the mean of the four settings, and the rules.

    In points, with the paper's numbers (``published``). Parameters are those of `summary`.
    """
    found = sampled(items, resamples=resamples, **how)
    for place, length in {4: "1 word", 5: "2 words", 6: "3 words or more"}.items():
        leads = {key: (found[*key, "own"] - found[*key, "random"])[place : place + 1] for key in SYSTEMS}
        printed = np.mean([_printed(key, COLUMNS[place], over="random") for key in CONFIGURATIONS])
        own = {"row": f"{length}, NDD", "value": _points(leads[key] for key in _NDD), "published": printed}
        yield {"column": "minus random"} | own
        for key in _OF_RULES if place == 4 else ():
            row, value = f"{length}, rule ({RULES[key[0]].partition(', ')[2]})", leads[key].estimate()
            yield {"column": "minus random", "row": row, "value": value and percent(value), "published": np.nan}


TABLES = {
    "ndd/table6": summary,
    "ndd/table6, the answers": answers,
    "ndd/table6, settings compared": compared,
    "ndd/table6, settings compared, each minus random": functools.partial(compared, over="random"),
    "ndd/table6, single subtrees": functools.partial(summary, single=True),
    "ndd/table6, Stanford trees": functools.partial(summary, tree="stanford"),
    "ndd/table6, Universal trees": functools.partial(summary, tree="content"),
}
"""For each table the function that makes its estimates."""


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
        axes.text(x, depth, token.form, ha="center", va="center", color="0.3" if cut else "black", bbox=box)
        if cut:
            half = len(token.form) / 2
            axes.plot([x - half, x + half], [depth, depth], color=plots.PALETTE[0], lw=1.2, marker="", zorder=5)
    axes.set(
        xlim=(0, widths.sum()), ylim=(depths.max() + 0.5, 0.5), xticks=[], yticks=sorted(set(depths)), ylabel="depth"
    )
    axes.grid(False)
    return figure
