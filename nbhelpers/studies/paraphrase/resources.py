"""How large the resources are, and what kind of pairs they have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas
from pandas import DataFrame

from nbhelpers.base import stats
from nbhelpers.base.stats import Resampled
from nbhelpers.metrics.paraphrase.tables import ParaphraseTable
from nbhelpers.metrics.paraphrase.tokens import is_function
from nbhelpers.results import estimates, evidence
from nbhelpers.studies.paraphrase.collections import open_collection
from nbhelpers.studies.paraphrase.experiment import words_of
from nbhelpers.studies.paraphrase.sources import english_tables, real_tables, signature_of

SHARES = {
    "one_way": "share that holds one way only",
    "phrases": "share with a phrase",
    "function": "share with a side of function words only",
    "synonyms": "share of synonyms in WordNet",
}


def run(tables: Mapping[str, ParaphraseTable]) -> DataFrame:
    """Pairs of each resource, counted for each expression that has paraphrases.

    Returns
    -------
    DataFrame
        ``language``, ``resource`` (letter), ``expression`` (its number in the table), ``pairs``, and how many of them
        lack the way back (``one_way``), have several words on a side (``phrases``), have a side of function words only
        (``function``), and are synonyms by table W (``synonyms``).
    """
    lines, synonyms = [], tables["W"].pairs
    for letter, table in tables.items():
        for number, (x, targets) in enumerate(table.pairs.items()):
            for y in targets:
                is_one_way, is_phrase = x not in table.pairs.get(y, ()), max(len(x), len(y)) > 1
                has_function = is_function(x, table.language) or is_function(y, table.language)
                marks = (is_one_way, is_phrase, has_function, y in synonyms.get(x, ()))
                lines.append((table.language, letter, number, 1, *map(int, marks)))
    keys = ["language", "resource", "expression"]
    items = pandas.DataFrame(lines, columns=[*keys, "pairs", *SHARES])
    return items.groupby(keys, sort=False, as_index=False).sum()


def record() -> tuple[DataFrame, evidence.Run]:
    """Evidence: all resources, in English for the words of REALSumm and SummEval, in Japanese for the editorials."""
    opened = [open_collection(name) for name in ("realsumm", "summeval", "topics-ja")]
    english = english_tables(words_of(opened[0]) | words_of(opened[1]))
    japanese = real_tables("ja", words_of(opened[2]))[0]
    made = f"{signature_of(english)}|{signature_of(japanese)}"
    items = pandas.concat([run(english), run(japanese)], ignore_index=True)
    return items, evidence.Run(data=" + ".join(one.signature for one in opened), signature=made)


@estimates.tabled
def summary(items: DataFrame) -> estimates.Rows:
    """Number of pairs of each resource, and the shares of `SHARES`, expressions resampled."""
    for (language, letter), part in items.groupby(["language", "resource"], sort=False):
        common = {"row": letter, "model": language}
        yield common | {"column": "pairs", "value": int(part["pairs"].sum()), "unit": "count"}
        found = _shares(part)
        for place, column in enumerate(SHARES.values()):
            value = replace(found.estimate(place), n=len(part), p=None)
            yield common | {"column": column, "value": value}


def _shares(part: DataFrame) -> Resampled:
    """The shares of a resource; its expressions are resampled by the hundredth part."""
    counts = part.groupby(part["expression"] % 100)[[*SHARES, "pairs"]].sum().to_numpy(float)
    total = counts[:, -1:].repeat(len(SHARES), axis=1)
    return stats.shares(np.stack([counts[:, :-1], total], axis=2))


def synonyms(items: DataFrame, first: str, second: str) -> stats.Estimate:
    """Share of English pairs that WordNet has as synonyms, of one resource minus another."""
    english = items[items["language"] == "en"]
    one, other = (_shares(english[english["resource"] == letter]) for letter in (first, second))
    count = int(english["resource"].isin([first, second]).sum())
    return replace((one - other).estimate([*SHARES].index("synonyms")), n=count)


TABLES = {"paraphrase/resources": summary}
