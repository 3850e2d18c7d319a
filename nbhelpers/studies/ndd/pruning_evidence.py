"""The experiment of section 5: sentences of a treebank, what is pruned from them, and where it stands in the trees.

The evidence ``ndd-pruning`` has one line for each span: of what NDD prunes, of random runs, of rules that need no
masked language model, and of every single word of the sentences.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas

from nbhelpers.language.english import coarse_tag, load_english
from nbhelpers.language.mlm import EMBEDDED, cached_engine
from nbhelpers.resources import data
from nbhelpers.resources.treebank import Sentence, depths_of
from nbhelpers.results import evidence
from nbhelpers.studies.ndd import branches, pruning
from nbhelpers.studies.ndd.compression import compression_signature
from nbhelpers.studies.ndd.trees import TREES, closed, is_subtree, part_of_speech, read_treebank, tree_heads


def run(
    sentences: Mapping[int, Sentence],
    *,
    draws: int = 10,
    known: Mapping[int, Mapping[int, pruning.Pruned]] = MappingProxyType({}),
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
        What a search found before, by sentence and L_max: these sentences are not searched again.
    **options
        Of `nbhelpers.studies.ndd.pruning.search`: masked language model, bias for latter words, processes.

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
    found = {**known, **pruning.search(new, **options)}
    places = [place for place in sentences if not any(one["skipped"] for one in found[place].values())]
    many = [sentences[place] for place in places]
    predicted = [list(map(coarse_tag, tags)) for tags in load_english().tag([one.words for one in many])]
    gold = [[part_of_speech(token) for token in one.tokens] for one in many]
    systems: dict[tuple[str, int, float], list[dict[pruning.Span, float]]] = {}
    for longest, threshold in pruning.CONFIGURATIONS:
        pruned = (pruning.at_threshold(found[place][longest], threshold) for place in places)
        systems["ndd", longest, threshold] = [pruning.disjoint_spans(one) for one in pruned]
    for name, tagged in (("rule", gold), ("rule predicted", predicted)):
        systems[name, 0, 0.0] = [
            {(i, 1): np.nan for i, tag in enumerate(tags) if tag in pruning.RULE} for tags in tagged
        ]
    lines = []
    for key, own in systems.items():
        lines += _placed(key, own, [len(one) for one in many], places, draws)
    lines += [("word", 0, 0.0, k, "own", 0, i, 1, np.nan) for k, one in enumerate(many) for i in range(len(one))]
    return _looked_up(lines, places, many, gold)


def _placed(
    key, own: Sequence[dict[pruning.Span, float]], words: Sequence[int], places: Sequence[int], draws: int
) -> list:
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
            drawn = {"random": pruning.random_spans(list(spans), words[number], seed)}
            if others:
                drawn["matched"] = pruning.matched_spans(list(spans), words[number], others, seed)
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


def searched(items: pandas.DataFrame) -> dict[int, dict[int, pruning.Pruned]]:
    """What the search found, by sentence and L_max, from items of one model."""
    found: dict[int, dict[int, pruning.Pruned]] = {
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
    *,
    model: str = EMBEDDED,
    sentences: int = 400,
    first: int = 0,
    dtype: str = "bfloat16",
    workers: int = 1,
    more: bool = False,
) -> tuple[pandas.DataFrame, evidence.Run]:
    """Evidence on the Penn Treebank sample; see `run`.

    Of the drawn sentences the `first` ones are left out, where they stand in the evidence with another `dtype`. With
    `more`, spans that it has are kept.
    """
    located, lm = data.find("nltk-dependency-treebank", "auto"), cached_engine(model, "word", dtype)
    made = compression_signature(lm, pruning.pruning_settings(5, 2.0)).replace("L:5|max:2", "L:3,5|max:1,2")
    found = evidence.Run(model=model, identity=lm.loaded.identity, data=located.identity, signature=made)
    items, before = evidence.earlier("ndd-pruning", found) if more else (None, evidence.Run())
    known = {} if items is None else searched(items)
    asked = dict(list(pruning.chosen(read_treebank(located.path), sentences).items())[first:])
    items = run(asked, known=known, model=model, dtype=dtype, workers=workers)
    return items, replace(found, seconds=before.seconds)


TABLES = {
    "ndd/table6": branches.summary,
    "ndd/table6, the answers": branches.answers,
    "ndd/table6, settings compared": branches.compared,
    "ndd/table6, settings compared, each minus random": functools.partial(branches.compared, over="random"),
    "ndd/table6, single subtrees": functools.partial(branches.summary, single=True),
    "ndd/table6, Stanford trees": functools.partial(branches.summary, tree="stanford"),
    "ndd/table6, Universal trees": functools.partial(branches.summary, tree="content"),
}
"""For each table the function that makes its estimates."""
