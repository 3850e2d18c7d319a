"""``meaningbert-csmd``: every rated pair with its labels, where it stands, and what each measure gives for it.

One line per pair: ``pair`` (its place in the order of construction), ``part`` (of the released split), ``collection``,
``source`` (number of its source sentence), ``same`` (the first pair with the same texts), ``published`` and
``restored`` (its label as released, and with the ratings put back on their own pairs), ``replayed`` (the label that the
authors' step gives), counts of words, and a column for each of `measures.MEASURES`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from nbhelpers.base.stats import Estimate
from nbhelpers.language.tokens import STOP_WORDS, is_word, tokenize
from nbhelpers.resources.csmd import COLLECTIONS, RatedPair, read_csmd
from nbhelpers.results import estimates
from nbhelpers.results.evidence import Run
from nbhelpers.studies.meaningbert import audits, measures
from nbhelpers.studies.meaningbert.splits import PUBLISHED_SEED, random_split

NAMES = {"ASSET": "ASSET", "Simplicity-DA": "Simplicity-DA", "SimpDA-2022": "SimpDA2022", "QuestEval": "QuestEval"}
"""The article's names of the four collections, in the order of its tables."""


def run(pairs: Sequence[RatedPair], metrics: Sequence[str] = measures.MEASURES, *, keep: bool = False) -> pd.DataFrame:
    """Items of rated pairs: their labels, source sentences, word counts and what each measure gives.

    Parameters
    ----------
    pairs : sequence of RatedPair
        A pair's `origin` becomes its collection.
    metrics, keep
        As in `measures.rate`.

    Examples
    --------
    >>> pairs = [RatedPair("A cold rain fell.", "Rain fell.", 80, 1)]
    >>> run(pairs, ["ter"])[["source", "published", "ter", "source_words"]].values.tolist()
    [[0.0, 80.0, 50.0, 4.0]]
    """
    values = measures.rate([(pair.source, pair.candidate) for pair in pairs], metrics, keep=keep)
    keys, first = [measures.texts_of(pair) for pair in pairs], {}
    for number, key in enumerate(keys):
        first.setdefault(key, number)
    people = [pair.rating for pair in pairs]
    items = pd.DataFrame(
        {
            "pair": range(len(pairs)),
            "collection": [pair.origin for pair in pairs],
            "source": pd.factorize(pd.Series([source for source, _ in keys]))[0],
            "same": [first[key] for key in keys],
            "published": people,
            "restored": people,
        }
    )
    return pd.concat([items, _word_counts(pairs), values], axis=1)


def _word_counts(pairs: Sequence[RatedPair]) -> pd.DataFrame:
    """Words and lexical words (no function words) of each text, and those that its collection has not had before."""
    seen: dict[tuple[str, str], set[str]] = {}
    rows = []
    for pair in pairs:
        row = {}
        for side, text in (("source", pair.source), ("candidate", pair.candidate)):
            words = [token.lower() for token in tokenize(text) if is_word(token)]
            known = seen.setdefault((pair.origin, side), set())
            new = set(words) - known
            known |= new
            row |= {f"{side}_words": len(words), f"{side}_lexical": sum(word not in STOP_WORDS for word in words)}
            row |= {f"{side}_new": len(new), f"{side}_new_lexical": len(new - STOP_WORDS)}
        rows.append(row)
    return pd.DataFrame(rows, dtype="int16")


def record(*, slow: int = 300) -> tuple[pd.DataFrame, Run]:
    """Items of CSMD; `measures.SLOW` rate so many of its pairs, drawn at random."""
    csmd, sources = read_csmd(), audits.all_source_ratings()
    pairs, right = audits.origins(csmd, sources), audits.restored(csmd, sources)
    items = run(pairs, keep=True)
    some = np.random.default_rng(0).permutation(len(pairs))[:slow]
    rated = measures.rate([(pairs[i].source, pairs[i].candidate) for i in some], measures.SLOW, keep=True)
    items = items.join(rated.set_index(some))
    items["part"] = ""
    for part, places in random_split(len(pairs), PUBLISHED_SEED)._asdict().items():
        items.loc[list(places), "part"] = part
    items["restored"] = [pair.rating for pair in right]
    items["replayed"] = audits.replayed_labels(pairs, sources)
    items = items.astype({"part": "category", "collection": "category"})
    data = f"{csmd.located.identity}, csmd-sources, asset-ratings"
    return items, Run(data=data, signature="; ".join((*measures.MEASURES, *measures.SLOW)))


# ----------------------------------------------------------------------------------------------- from items to numbers


@estimates.tabled
def summary(items: pd.DataFrame, labels: str = "published", resamples: int = 1000) -> estimates.Rows:
    """How every measure agrees with people over all pairs; source sentences, each with all its pairs, are resampled.

    Parameters
    ----------
    items : DataFrame
        Of `run`, or the evidence.
    labels : {"published", "restored"}
    resamples : int

    Returns
    -------
    DataFrame
        Estimates; columns ``Pearson``, ``R2``, ``RMSE`` (of measures with a rating), ``Pearson within collections``
        where there are collections.
    """
    merged = items["collection"].nunique() == len(COLLECTIONS)
    for name in measures.known(items):
        for column, how in measures.asked(name, "collection" if merged else "").items():
            value = measures.with_people(items, name, labels, resamples=resamples, **how)
            yield {"row": measures.title(name), "column": column, "value": value}


def collections(items: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Tables 1 to 3 of CSMD: counts, texts and ratings, as ``table1`` to ``table3``.

    Words hold a letter or a digit and are lower-cased; lexical words are no function words. Lexical richness is what
    the authors' code computes: different lexical words over all lexical words.
    """
    tables: dict[str, list[dict[str, Any]]] = {"table1": [], "table2": [], "table3": []}
    parts = {title: items[items["collection"] == name] for name, title in NAMES.items()}

    def add(table: str, row: str, column: str, value: float, n: int) -> None:
        tables[table].append({"row": row, "column": column, "value": Estimate(float(value), np.nan, np.nan, n)})

    for name, own in {**parts, "Merged": items}.items():
        people, n = own["published"], len(own)
        counts = {"Pairs": n, "Different pairs": own["same"].nunique(), "Source sentences": own["source"].nunique()}
        for column, value in {**counts, "Mean rating": people.mean()}.items():
            add("table1", name, column, value, n)
        spread = {"Min": people.min(), "Max": people.max(), "Mean": people.mean(), "Standard deviation": people.std()}
        spread |= zip(("25 % quartile", "Median", "75 % quartile"), people.quantile([0.25, 0.5, 0.75]))
        for row, value in spread.items():
            add("table3", row, name, value, n)
    for name, own in parts.items():
        for side, kind in (("source", "source"), ("candidate", "simplification")):
            words, lexical, new, new_lexical = (
                int(own[f"{side}_{what}"].sum()) for what in ("words", "lexical", "new", "new_lexical")
            )
            statistics = {
                "Vocabulary size": new,
                "Vocabulary size, lexical words (LW)": new_lexical,
                "Average sentence length, tokens": words / len(own),
                "Average sentence length, LW": lexical / len(own),
                "Lexical richness": new_lexical / lexical,
            }
            for row, value in statistics.items():
                add("table2", row, f"{name} {kind}", value, len(own))
    return {table: estimates.frame(rows) for table, rows in tables.items()}


TABLES = {
    f"meaningbert/table{number}": lambda items, of=f"table{number}": collections(items)[of] for number in (1, 2, 3)
}
TABLES |= {
    "meaningbert/all pairs": summary,
    "meaningbert/labels": audits.summary,
    "meaningbert/leakage": audits.leakage,
}
