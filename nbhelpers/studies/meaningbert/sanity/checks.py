"""``meaningbert-sanity``: pairs whose meaning everybody knows, and what each measure gives for them.

The two checks of the MeaningBERT study (Beauchemin, Saggion and Khoury 2023, section 3.3 and Tables 6 and 7): the share
of ratings of at least 95 … 99 for identical pairs, and of at most 5 … 1 for unrelated pairs, each rating rounded to the
nearest integer first. "To account for computer floating-point inaccuracy" no threshold is 100 or 0.

One line per pair: ``list`` (`csmd`: the authors' holdouts; `test-soup`: the released test part with word soups; `lee`:
news sentences; `edits`: news sentences edited; `own`: pairs written and rated for this project), ``item`` in it,
``kind``, ``dose`` of an edit, ``people`` (the rating that it has, or should have), ``source`` (number of its source
sentence), ``seen`` (the released part of CSMD that it stands in: `train`, else `dev`, else `no`), and a column for each
measure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from nbhelpers.base.stats import Estimate, proportion, roc_auc_interval
from nbhelpers.resources.csmd import Csmd, RatedPair, normalized, read_csmd, read_meaning_pairs, read_word_soups
from nbhelpers.results import estimates
from nbhelpers.results.evidence import Run
from nbhelpers.studies.meaningbert import measures
from nbhelpers.studies.meaningbert.sanity.edits import edits, graded_edits
from nbhelpers.studies.meaningbert.sanity.pairs import ArticleSentence, lee_sentences, unrelated_pairs, word_soup

THRESHOLDS: dict[str, tuple[int, ...]] = {"identical": (95, 96, 97, 98, 99), "unrelated": (5, 4, 3, 2, 1)}
"""For each check the thresholds, from the easiest to the hardest, as in Tables 6 and 7."""

SOUP = "word soup"

KEPT = ("lexical paraphrase", "syntactic paraphrase", "simplification", "sentence split")
TURNED = ("negation", "reversal", "role swap")
"""Kinds of the project's own pairs that mostly keep the meaning, and that mostly turn it with few words changed."""

# ---------------------------------------------------------------------------------------------------------- the pairs


def news_pairs(sentences: Sequence[ArticleSentence]) -> pd.DataFrame:
    """News sentences with themselves, with one of another article, and with random words, as `run` takes them."""
    same = [RatedPair(one.text, one.text, 100.0, row, "identical") for row, one in enumerate(sentences, start=1)]
    return _table({"lee": [*same, *unrelated_pairs(sentences), *word_soup(sentences)]})


def edited_pairs(graded: pd.DataFrame) -> pd.DataFrame:
    """Graded edits as `run` takes them; people have not rated them."""
    made = graded.assign(list="edits", people=np.nan, item=range(len(graded)))
    return made[["list", "kind", "text", "candidate", "people", "dose", "item"]]


def own_pairs() -> pd.DataFrame:
    """The pairs written and rated for this project, as `run` takes them."""
    return _table({"own": read_meaning_pairs()})


def csmd_pairs(csmd: Csmd, soups: Mapping[str, Sequence]) -> pd.DataFrame:
    """The authors' holdouts of both releases, and their test part with word soups, as `run` takes them.

    Some rated pairs have the same text twice. A pair like them is an added one unless it has the rated pair's label; of
    pairs alike in both, as many as CSMD has are rated ones.
    """
    lists = {"identical": csmd.identical, "unrelated": csmd.unrelated, SOUP: soups["unrelated"]}
    held = [replace(pair, origin=kind) for kind, some in lists.items() for pair in some]
    rated, tested = Counter((*measures.texts_of(pair), round(pair.rating, 2)) for pair in csmd.pairs), []
    for pair in soups["test"]:
        source, candidate = measures.texts_of(pair)
        one = source, candidate, round(pair.rating, 2)
        kind = "rated" if rated[one] else "identical" if source == candidate else SOUP
        rated[one] -= kind == "rated"
        tested.append(replace(pair, origin=kind))
    return _table({"csmd": held, "test-soup": tested})


def _table(lists: Mapping[str, Sequence[RatedPair]]) -> pd.DataFrame:
    """Lists of pairs below each other, as `run` takes them; the origin of a pair is its kind."""
    rows = [(name, p.origin, p.source, p.candidate, p.rating) for name, pairs in lists.items() for p in pairs]
    made = pd.DataFrame(rows, columns=["list", "kind", "text", "candidate", "people"])
    return made.assign(dose=np.nan, item=range(len(made)))


def run(
    pairs: pd.DataFrame, metrics: Sequence[str] = measures.MEASURES, *, rater: str = "embedded", keep: bool = False
) -> pd.DataFrame:
    """Items of pairs: what each measure gives; the texts are left out.

    Parameters
    ----------
    pairs : DataFrame
        Of `news_pairs`, `edited_pairs`, `own_pairs` or `csmd_pairs`, or several of them below each other.
    metrics, rater, keep
        As in `measures.rate`.
    """
    texts = list(zip(pairs["text"], pairs["candidate"]))
    source = pd.factorize(pairs["text"].map(normalized))[0]
    items = pairs.drop(columns=["text", "candidate"]).reset_index(drop=True).assign(source=source)
    return pd.concat([items, measures.rate(texts, metrics, rater=rater, keep=keep)], axis=1)


def _all_pairs() -> pd.DataFrame:
    """CSMD's lists of pairs and the project's own, 300 news sentences, and 60 others under half and whole edits."""
    graded = graded_edits([one.text for one in lee_sentences(60, seed=1)], (0.5, 1.0))
    parts = [csmd_pairs(read_csmd(), read_word_soups()), own_pairs(), news_pairs(lee_sentences(300))]
    return pd.concat([*parts, edited_pairs(graded)], ignore_index=True)


def record(*, slow: int = 100) -> tuple[pd.DataFrame, Run]:
    """Items of all lists; `measures.SLOW` rate the first so many pairs of each of the authors' holdouts."""
    csmd, pairs = read_csmd(), _all_pairs()
    items = run(pairs, keep=True)
    some = pairs[pairs["list"] == "csmd"].groupby("kind").head(slow)
    rated = measures.rate(zip(some["text"], some["candidate"]), measures.SLOW, keep=True)
    items = items.join(rated.set_index(some.index))
    known = {normalized(pair.source): part for part in ("dev", "train") for pair in getattr(csmd, part)}
    items["seen"] = [known.get(normalized(text), "no") for text in pairs["text"]]
    items = items.astype(dict.fromkeys(("list", "kind", "seen"), "category"))
    data = f"{csmd.located.identity}, csmd-word-soup, lee-background, meaning-pairs"
    return items, Run(data=data, signature="; ".join((*measures.MEASURES, *measures.SLOW)))


# --------------------------------------------------------------------------------------------------------- the checks


def shares(ratings: ArrayLike, kind: str) -> dict[int, Estimate]:
    """Share of ratings that pass each threshold of a check, with Wilson intervals.

    Ratings are rounded to the nearest integer as Python and NumPy do, a half to the even one: 94.5 becomes 94 and 95.5
    becomes 96. The paper does not name its rule for halves.

    Parameters
    ----------
    ratings : array (n,)
        From 0 (another meaning) to 100 (the same). Ratings beyond, such as those of TER, are taken as they are.
    kind : {"identical", "unrelated"}
        At least 95 … 99, or at most 5 … 1.

    Returns
    -------
    dict of int to Estimate
        By threshold, from the easiest to the hardest.
    """
    rounded = np.rint(ratings)
    passes = np.greater_equal if kind == "identical" else np.less_equal
    return {threshold: proportion(passes(rounded, threshold)) for threshold in THRESHOLDS[kind]}


def named_shares(ratings: ArrayLike, kind: str) -> Iterator[tuple[str, Estimate]]:
    """`shares` of a kind of pairs, each with its name, such as ``word soup ≤ 5``."""
    sign, check = ("≥", "identical") if kind == "identical" else ("≤", "unrelated")
    for at, value in shares(ratings, check).items():
        yield f"{kind} {sign} {at}", value


@estimates.tabled
def summary(items: pd.DataFrame, of: str = "csmd") -> estimates.Rows:
    """Tables 6 and 7: for each measure with a rating the shares of one list's pairs that pass each threshold.

    Parameters
    ----------
    items : DataFrame
        Of `run`, or the evidence.
    of : str
        The list: ``csmd`` or ``lee``.

    Returns
    -------
    DataFrame
        Estimates; columns such as ``identical ≥ 95``, ``unrelated ≤ 5`` (real sentences) and ``word soup ≤ 5``.
    """
    for kind, own in items[items["list"] == of].groupby("kind", sort=False, observed=True):
        for name in filter(measures.has_rating, measures.known(own)):
            for column, value in named_shares(own[name].dropna(), kind):
                yield {"row": measures.title(name), "column": column, "value": value}


def adversarial(items: pd.DataFrame) -> pd.DataFrame:
    """The project's own pairs as `ratings.summary` takes them."""
    own = items[items["list"] == "own"]
    return own.assign(published=own["people"], collection="own")


@estimates.tabled
def noticed(items: pd.DataFrame, resamples: int = 1000) -> estimates.Rows:
    """How many own pairs of turned meaning are rated 80 or more, and whether kept meaning is rated above it (AUC).

    People's ratings decide within the kinds: a pair of `TURNED` counts if it has less than 50, one of `KEPT` from 80.
    """
    own = items[items["list"] == "own"]
    turned = own[own["kind"].isin(TURNED) & (own["people"] < 50)]
    kept = own[own["kind"].isin(KEPT) & (own["people"] >= 80)]
    for name in measures.known(own):
        for kind in TURNED if measures.has_rating(name) else ():
            hits = turned.loc[turned["kind"] == kind, name] >= 80
            yield {"row": measures.title(name), "column": f"{kind} rated ≥ 80", "value": proportion(hits)}
        area = _area(kept, turned, name, resamples)
        yield {"row": measures.title(name), "column": "AUC, kept against turned", "value": area}


def detection(items: pd.DataFrame, name: str, *, resamples: int = 2000) -> Estimate:
    """How well a measure tells whole edits (dose 1) that keep the meaning from those that change it: area under ROC.

    It is the chance that an edited sentence whose meaning is kept is rated higher than one whose meaning has changed; a
    half is guessing. A sentence stands on both sides, edited in different ways; so whole sentences, with all their
    edits, are resampled for the interval, and counted.

    Parameters
    ----------
    items : DataFrame
        With edits at dose 1.
    name : str
        The measure's column, or any other in which more means more alike.

    Raises
    ------
    InputError
        Either side has edits of fewer than two sentences.
    """
    whole = items[(items["list"] == "edits") & (items["dose"] == 1)]
    keeps = whole["kind"].map({kind: edit.meaning == "kept" for kind, edit in edits().items()}).astype(bool)
    return _area(whole[keeps], whole[~keeps], name, resamples)


def _area(kept: pd.DataFrame, changed: pd.DataFrame, name: str, resamples: int) -> Estimate:
    both = pd.concat([kept, changed])
    labels = np.arange(len(both)) < len(kept)
    return roc_auc_interval(labels, both[name], groups=both["source"], resamples=resamples)


TABLES = {"meaningbert/table6": summary, "meaningbert/table7": summary, "meaningbert/own pairs": noticed}
