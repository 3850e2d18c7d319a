"""Does a resource link passages that say the same, and leave the others alone? A test on pyramids.

The passages of a summary content unit, and its label, say the same. Pairs of them are compared with pairs of different
units of the topic that share at least three words, or three content words. Passages of DUC may not be published, so
items are of topics.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas
from pandas import DataFrame

from nbhelpers.base import stats
from nbhelpers.language import STOP_WORDS
from nbhelpers.metrics.paraphrase.matcher import Index, MatchSettings
from nbhelpers.metrics.paraphrase.tables import Expression, ParaphraseTable
from nbhelpers.metrics.paraphrase.tokens import tokenize
from nbhelpers.resources import data
from nbhelpers.resources.pyramids import Pyramid, read_pyramids
from nbhelpers.results import estimates, evidence
from nbhelpers.studies.paraphrase.experiment import BASELINE, corrected
from nbhelpers.studies.paraphrase.sources import english_tables, same_stem, signature_of

METHODS = ("S", "C", "B", "P", "D", "W", "N", "WN", "CDW", "PDW", "SDWN", "CDWN", "PDWN", "K", "PK", "R", "Q")
"""Combinations of resources that are compared; K links words of one stem."""

FEWEST = 3
"""Words of a passage, and words that passages of different units share, at least."""


WAYS = {
    "different units share three words": {"alike": False, "content": False},
    "all pairs share three words": {"alike": True, "content": False},
    "different units share three content words": {"alike": False, "content": True},
    "all pairs share three content words": {"alike": True, "content": True},
}
"""Which pairs share what, by the options of `passages`."""


def passages(
    pyramid: Pyramid, alike: bool = False, content: bool = False
) -> Iterator[tuple[Expression, Expression, bool]]:
    """Pairs of passages of a topic as words, and whether they are of one unit; both have other content words.

    Passages of different units share at least `FEWEST` words, which makes it hard for a count of shared words; with
    `content` function words are not counted, and with `alike` those of one unit share as many, too.

    Examples
    --------
    >>> pyramid = read_pyramids(data.find("duc2006-pyramids", "shipped").path)[0]
    >>> same = [same for _, _, same in passages(pyramid)]
    >>> sum(same) > 50, len(same) > 2 * sum(same)
    (True, True)
    """
    texts = [
        (place, tokenize(text, "en"))
        for place, unit in enumerate(pyramid.scus)
        for text in (unit.label, *(one.text for one in unit.contributors))
    ]
    texts = [(place, words, frozenset(words)) for place, words in texts if len(words) >= FEWEST]
    for (unit, x, first), (other, y, second) in itertools.combinations(texts, 2):
        shared = (first & second) - STOP_WORDS if content else first & second
        near = len(shared) >= FEWEST or (unit == other and not alike)
        if near and first - STOP_WORDS != second - STOP_WORDS:
            yield x, y, unit == other


def words_of(pyramids: Sequence[Pyramid]) -> frozenset[str]:
    """Every word of the passages."""
    return frozenset(word for pyramid in pyramids for x, y, _ in passages(pyramid) for word in (*x, *y))


def run(
    pyramids: Sequence[Pyramid], tables: Mapping[str, ParaphraseTable], alike: bool = False, content: bool = False
) -> DataFrame:
    """How well recall tells pairs of one unit from others, for each topic and method.

    Parameters
    ----------
    pyramids : sequence of Pyramid
    tables : mapping of str to ParaphraseTable
        By letter; of `METHODS` those are tried whose tables are given.
    alike, content : bool
        Of `passages`.

    Returns
    -------
    DataFrame
        ``topic`` (place of the pyramid), ``method``, ``auc`` (area under the ROC curve; the value of a pair is the mean
        of its two recalls), the numbers of pairs, ``same`` and ``other``, ``alike`` and ``content``.
    """
    index = Index([replace(table, name=letter) for letter, table in tables.items()])
    methods = [name for name in METHODS if set(name) <= set(tables)]
    lines = []
    for topic, pyramid in enumerate(pyramids):
        pairs = list(passages(pyramid, alike, content))
        same = np.array([one for _, _, one in pairs])
        asked = ["", *methods]
        values = np.array([index.recalls(x, y, asked) + index.recalls(y, x, asked) for x, y, _ in pairs])
        for method, column in zip((BASELINE, *methods), values.T):
            lines.append((topic, method, stats.roc_auc(same, column), int(same.sum()), int((~same).sum())))
    columns = ["topic", "method", "auc", "same", "other"]
    return pandas.DataFrame(lines, columns=columns).assign(alike=alike, content=content)


def record(alike: bool = False, content: bool = False) -> tuple[DataFrame, evidence.Run]:
    """Evidence on the pyramids of DUC 2006, with all resources."""
    located = data.find("duc2006-pyramids", "auto")
    pyramids = read_pyramids(located.path)
    words = words_of(pyramids)
    given = english_tables(words) | {"K": same_stem(words)}
    chosen = f"{'alike|' if alike else ''}{'content|' if content else ''}"
    made = f"{chosen}{MatchSettings().signature}|{signature_of(given)}"
    return run(pyramids, given, alike, content), evidence.Run(data=located.identity, signature=made)


def summary(items: DataFrame, other: str = BASELINE, alike: bool = False, content: bool = False) -> DataFrame:
    """Mean area over the topics, and its paired difference from another method, topics resampled; q by Holm."""
    items = items[(items["alike"] == alike) & (items["content"] == content)]
    wide = items.pivot(index="topic", columns="method", values="auc")
    rows = []
    for method in dict.fromkeys(items["method"]):
        rows.append({"row": method, "column": "AUC", "value": stats.bootstrap(wide[method])})
        if method != other:
            gained = stats.paired_permutation(wide[method], wide[other])
            rows.append({"row": method, "column": f"minus {other}", "value": gained})
    return corrected(estimates.frame(rows))


def in_short(items: DataFrame, names: Mapping[str, str]) -> DataFrame:
    """What resources add to ROUGE-1's area in the first of `WAYS`, and PPDB and stems in the second, for an opening.

    The largest gain comes first; what lies above 0 only before the correction says so.
    """
    first, second, *_ = (summary(items, **how).assign(way=f", where {way}") for way, how in WAYS.items())
    first = first[first["row"].isin(["P", "K", "PK", "N", "W", "S", "D"])].sort_values("value", ascending=False)
    stems = summary(items, "K").query("row == 'P' and column == 'minus K'")
    found = pandas.concat(
        [
            first.assign(way=""),
            stems.assign(way=f" minus {names['K']}"),
            second[second["row"].isin(["P", "K"])],
        ]
    )
    undecided = ((found["low"] > 0) & (found["q"] > 0.05)).map({True: " (not shown once corrected)", False: ""})
    return found.assign(row=found["row"].map(names) + found["way"] + undecided).query("column != 'AUC'")


TABLES = {
    "paraphrase/passages": summary,
    "paraphrase/passages, stems": functools.partial(summary, other="K"),
    "paraphrase/passages, both kinds alike": functools.partial(summary, alike=True),
    "paraphrase/passages, content words": functools.partial(summary, content=True),
    "paraphrase/passages, both kinds alike, content words": functools.partial(summary, alike=True, content=True),
}
