"""The experiments of section 5: extracts and abstracts ranked by paraphrase matching, compared with people's ranking.

`run` scores every summary of a collection against the best extract, the best abstract and each written reference: one
line of items for a pair, with the number of the reference's words that each method matches. `correlations` ranks the
summaries of each topic by such items (Spearman); all estimates are made of these: `summary` (Tables 4 and 5), `gains`
(paired differences), `changes` (Table 6), `effects` (of each resource) and `by_system`.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pandas
from numpy.typing import NDArray
from pandas import DataFrame, Series

from nbhelpers.base import stats
from nbhelpers.base.errors import InputError
from nbhelpers.base.stats import Estimate
from nbhelpers.metrics.paraphrase.matcher import Index, MatchSettings
from nbhelpers.metrics.paraphrase.tables import ParaphraseTable
from nbhelpers.metrics.paraphrase.tokens import cut
from nbhelpers.results import estimates, evidence, published
from nbhelpers.studies.paraphrase.collections import CandidateSummary, SummaryCollection, SummaryTopic, open_collection
from nbhelpers.studies.paraphrase.sources import english_tables, signature_of, without_function_words, words_in

BASELINE = "ROUGE-1"

LETTERS = {"S": "SMT", "D": "DS", "W": "WordNet", "N": "Variants"}
"""Resources by the letters of Table 3; Variants play the part of NTT Goi-Taikai."""

STAND_INS = {
    "S": "SMT",
    "C": "SMT without function words",
    "P": "PPDB in place of SMT",
    "F": "PPDB without function words",
}
"""What may be S: pairs of a small parallel text or of the Paraphrase Database, as they are or of content words."""

CONTROLS = ("ROUGE-2", "ROUGE-L", "ROUGE-1 stemmed", "ROUGE-2 stemmed", "Length")
"""What a measure has to beat: recalls on the same words, and the number of words."""

EXPERIMENTS = {
    "EX-1": ("extract", "best extract"),
    "EX-2": ("abstract", "best extract"),
    "EX-3": ("extract", "best abstract"),
    "EX-4": ("abstract", "best abstract"),
}
"""Kind evaluated and reference, with the numbers of Tables 4 and 5; the list in section 5.1 has EX-2 and EX-3 the other
way round."""

FOUR = "EX-1 to EX-4"
"""Mean of the paper's four experiments, topic by topic."""

FURTHER = {
    "extract-each": ("extract", "written"),
    "abstract-each": ("abstract", "written"),
    "all-each": ("", "written"),
}
"""Not in the paper: with one of the references that were written for the topic at a time."""

ROLES = ("best extract", "best abstract", "written")
"""What a reference is."""

COLUMNS = {name: f"{kind.title()} ({name})" for name, (kind, _) in EXPERIMENTS.items()}
"""How the paper heads an experiment, in Table 4 (EX-1, EX-2) and Table 5."""

TABLE_6 = {"SDW vs. DW": ("SDW", "DW"), "W vs. SW": ("SW", "W")}
"""Rows of Table 6: which method is held against which. The second row's head is turned round in the paper, which counts
what SW does to W."""

SIGN_TEST = "sign test, p"

_FEW = 15
"""Topics for which a permutation test takes the place of the bootstrap."""

_NEAR, _MANY = 0.1, 20_000
"""p-values below this rest on so many resamples at least: after a correction, a verdict depends on a few of 2,000."""

_KEYS = ("collection", "topic", "role", "reference", "system", "kind", "people", "words", "run", "model")


def combinations(letters: str = "".join(LETTERS)) -> list[str]:
    """All combinations of the letters in the order of Table 3.

    Examples
    --------
    >>> combinations("SDW")
    ['S', 'D', 'W', 'SD', 'SW', 'DW', 'SDW']
    """
    sizes = range(1, len(letters) + 1)
    return ["".join(chosen) for size in sizes for chosen in itertools.combinations(letters, size)]


def words_of(collection: SummaryCollection) -> frozenset[str]:
    """Every word of the summaries: the vocabulary that paraphrase tables are made for.

    Examples
    --------
    >>> from nbhelpers.studies.paraphrase.collections import open_collection
    >>> "council" in words_of(open_collection("topics"))
    True
    """
    texts = dict.fromkeys(one.text for topic in collection for one in (*topic.references, *topic.candidates))
    return words_in(texts, collection.language)


# ----------------------------------------------------------------------------------------------------- what is compared


class Comparison(NamedTuple):
    """A summary to be scored against a reference; `topic` is the place in the file, `role` what the reference is."""

    topic: int
    role: str
    reference: CandidateSummary
    candidate: CandidateSummary


def comparisons(collection: SummaryCollection) -> Iterator[Comparison]:
    """Every pair of a reference and a summary to be ranked by it, topic by topic.

    The best extract and the best abstract of a topic by human score, written references that have a score included, are
    taken out and the others are compared with either. Of several best ones one that the collection gives as a reference
    is taken, and else the first by name. Then all candidates are compared with each written abstract.
    """
    for place, topic in enumerate(collection):
        best = {kind: _leader(topic, kind) for kind in ("extract", "abstract")}
        others = [one for one in topic.judged if one not in best.values()]
        for kind, reference in best.items():
            if reference is not None:
                yield from (Comparison(place, f"best {kind}", reference, one) for one in others)
        for reference in topic.references:
            if reference.kind != "extract":
                yield from (Comparison(place, "written", reference, one) for one in topic.candidates)


def _leader(topic: SummaryTopic, kind: str) -> CandidateSummary | None:
    """The summary of a kind with the highest score."""
    judged = [one for one in topic.judged if one.kind == kind]
    return min(judged, key=lambda one: (-one.score, one not in topic.references, one.id), default=None)


# --------------------------------------------------------------------------------------------------------------- items


def methods_of(letters: str) -> list[str]:
    """The combinations that tables with these letters allow: those of Table 3 with each stand-in for S, and the others.

    Examples
    --------
    >>> methods_of("SDC")
    ['S', 'D', 'SD', 'C', 'CD']
    """
    own = [letter for letter in LETTERS if letter in letters and letter != "S"]
    found = [name for first in STAND_INS if first in letters for name in combinations("".join([first, *own]))]
    alone = [letter for letter in "BRQ" if letter in letters]
    return list(dict.fromkeys([*found, *combinations("".join(own)), *alone]))


def run(
    collection: SummaryCollection,
    tables: Mapping[str, ParaphraseTable],
    methods: Sequence[str] | None = None,
    settings: MatchSettings = MatchSettings(),
    *,
    roles: Sequence[str] = ROLES,
) -> DataFrame:
    """Score a collection's summaries by every method.

    Parameters
    ----------
    collection : SummaryCollection
    tables : mapping of str to ParaphraseTable
        By letter, such as ``{"S": smt, "D": ds, "W": wordnet, "N": variants}``.
    methods : sequence of str, optional
        Combinations such as ``SDW``; by default `methods_of` the letters.
    settings : MatchSettings
    roles : sequence of str
        Of the references, some of `ROLES`.

    Returns
    -------
    DataFrame
        A line for each of `comparisons`: ``collection``, ``topic`` (place in the file), ``role`` and ``reference``,
        ``system`` and ``kind`` of the summary, ``people`` (its human score), ``words`` of the reference, and for each
        method how many of them are matched (of ROUGE-2 pairs of words; ``Length`` is the summary's own).

    Raises
    ------
    InputError
        A letter without a table, a table in another language, or a reference without words.

    Examples
    --------
    >>> from nbhelpers.studies.paraphrase.collections import open_collection
    >>> items = run(open_collection("topics"), {})
    >>> len(items), items.columns[8:].tolist()[:3]
    (192, ['ROUGE-1', 'ROUGE-2', 'ROUGE-L'])
    """
    if foreign := {table.language for table in tables.values()} - {collection.language}:
        raise InputError(f"A table is in {foreign.pop()!r}, and the summaries are in {collection.language!r}.")
    methods = methods_of("".join(tables)) if methods is None else list(methods)
    # In the index a table goes by its letter, so that two tables of one resource can be compared.
    index = Index([replace(table, name=letter) for letter, table in tables.items()], settings)

    @functools.cache  # a text is compared with another one as the best summary and as a reference
    def matched(reference: str, candidate: str) -> list[int]:
        x, y = cut(reference, collection.language), cut(candidate, collection.language)
        recalls = index.recalls(x, y, ["", *methods])
        first, *others = np.rint(recalls * len(x)).astype(int).tolist()
        return [len(x), first, *_controls(x, y), len(y), *others]

    lines = [
        (
            *(collection.name, one.topic, one.role, one.reference.id),
            *(one.candidate.id, one.candidate.kind, one.candidate.score),
            *matched(one.reference.text, one.candidate.text),
        )
        for one in comparisons(collection)
        if one.role in roles
    ]
    if not lines:
        raise InputError(f"{collection.name} has no topic with a reference.")
    items = pandas.DataFrame(lines, columns=[*_KEYS[:-2], BASELINE, *CONTROLS, *methods])
    return items.astype(dict.fromkeys(["topic", "words", BASELINE, *CONTROLS, *methods], "int16"))


@functools.cache
def _rouge():
    from nltk.stem.porter import PorterStemmer
    from rouge_score.rouge_scorer import RougeScorer

    stem = functools.lru_cache(1 << 16)(PorterStemmer().stem)
    return RougeScorer(["rouge1", "rouge2", "rougeL"], tokenizer=SimpleNamespace(tokenize=list)), stem


@functools.lru_cache(1 << 13)
def _controls(reference: tuple[str, ...], candidate: tuple[str, ...]) -> list[int]:
    """Matches of ROUGE-2 and ROUGE-L, and of ROUGE-1 and ROUGE-2 on stems (of words of four letters or more)."""
    scorer, stem = _rouge()
    stems = [[stem(word) if len(word) > 3 else word for word in text] for text in (reference, candidate)]
    plain, stemmed = scorer.score(reference, candidate), scorer.score(*stems)
    n, pairs = len(reference), max(len(reference) - 1, 0)
    found = [(plain["rouge2"], pairs), (plain["rougeL"], n), (stemmed["rouge1"], n), (stemmed["rouge2"], pairs)]
    return [round(score.recall * size) for score, size in found]


def with_all_tables() -> tuple[list[SummaryCollection], dict[str, ParaphraseTable]]:
    """The real English collections, and all resources for their words by letter."""
    opened = [open_collection(name) for name in ("realsumm", "summeval")]
    given = english_tables(frozenset().union(*map(words_of, opened)))
    return opened, given | {"F": without_function_words(given["P"])}


def record() -> tuple[DataFrame, evidence.Run]:
    """Evidence on real collections, with all resources."""
    opened, given = with_all_tables()
    items = pandas.concat([run(collection, given) for collection in opened], ignore_index=True)
    made = f"{MatchSettings().signature}|{signature_of(given)}"
    return items, evidence.Run(data=" + ".join(one.signature for one in opened), signature=made)


def stand_in(items: DataFrame, smt: str) -> DataFrame:
    """Items in which one of `STAND_INS` takes the place of S in every combination."""
    if smt not in STAND_INS or smt not in items:
        raise InputError(f"What stands for S is one of {', '.join(STAND_INS)}, not {smt!r}.")
    with_s = [name for name in combinations() if "S" in name and name.replace("S", smt) in items]
    return items.assign(**{name: items[name.replace("S", smt)] for name in with_s})


# ------------------------------------------------------------------------------------------------------------ rankings


def correlations(items: DataFrame, methods: Sequence[str] | None = None) -> DataFrame:
    """Spearman's correlation with people, by collection, experiment and topic (index) and method (columns).

    The mean over a topic's references; NaN where it is undefined, because people or the method gave all summaries the
    same score. A topic with fewer than two summaries to rank is left out of an experiment. `FOUR` is the mean of the
    paper's experiments, where all are defined.

    Examples
    --------
    >>> from nbhelpers.studies.paraphrase.collections import open_collection
    >>> correlations(run(open_collection("topics"), {})).loc[("topics", "EX-4", 0), "ROUGE-1"].item()
    1.0
    """
    methods = [name for name in items if name not in _KEYS] if methods is None else list(methods)
    places, rho = [], []
    for name, (kind, role) in (EXPERIMENTS | FURTHER).items():
        chosen = items[(items["role"] == role) & ((items["kind"] == kind) | (kind == ""))]
        numbers, people = chosen[methods].to_numpy(float), chosen["people"].to_numpy().round(12)
        by_reference = chosen.groupby(["collection", "topic", "reference"], sort=False).indices
        ranked = {place: at for place, at in by_reference.items() if len(at) > 1}
        of_place = dict.fromkeys(ranked)
        for size in {len(at) for at in ranked.values()}:  # rankings of one length together: few calls
            alike = {place: at for place, at in ranked.items() if len(at) == size}
            at = np.stack(list(alike.values()))
            of_place |= zip(alike, stats.spearman_rows(numbers[at], people[at][..., None], axis=1), strict=True)
        places += [(collection, name, topic) for collection, topic, _ in of_place]
        rho += of_place.values()
    index = pandas.MultiIndex.from_tuples(places, names=["collection", "experiment", "topic"])
    found = pandas.DataFrame(rho, index, methods).groupby(level=[0, 1, 2], sort=False).mean()
    four = found[found.index.isin(EXPERIMENTS, level=1)].groupby(level=[0, 2], sort=False)
    whole = four.mean().where(four.count() == len(EXPERIMENTS)).reset_index().assign(experiment=FOUR)
    return pandas.concat([found, whole.set_index(["collection", "experiment", "topic"])])


@estimates.tabled
def _estimates(rho: DataFrame, of, methods: Sequence[str]) -> estimates.Rows:
    """Estimates by method and experiment from ``of(topics, method)``; the collection is the column ``model``."""
    for (collection, name), part in rho.groupby(level=[0, 1], sort=False):
        common = {"column": COLUMNS.get(name, name), "model": collection}
        yield from ({"row": method, "value": of(part, method)} | common for method in methods)


def summary(items: DataFrame, methods: Sequence[str] | None = None, *, resamples: int = 2000) -> DataFrame:
    """Mean correlation of each method in each experiment, as in Tables 4 and 5, topics resampled."""
    rho = correlations(items, methods)
    found = _estimates(rho, lambda part, method: _mean(part[method], resamples), list(rho))
    return found.assign(p=math.nan)


def _mean(values: Series | NDArray, resamples: int) -> Estimate | None:
    """Mean over the topics where a value is defined; None of fewer than two."""
    values = np.asarray(values, float)
    values = values[~np.isnan(values)]
    return stats.means(values[:, None], resamples=resamples).estimate() if len(values) > 1 else None


def difference(rho: DataFrame, first: str, second: str = BASELINE, *, resamples: int = 2000) -> Estimate | None:
    """Mean difference of two methods over the topics where both are defined.

    The p-value is that of the bootstrap (`nbhelpers.base.stats.paired_bootstrap`), with 20,000 resamples or more where
    it is below .1; of a few topics it is that of the exact permutation test. The interval rests on `resamples`.
    """
    both = np.stack([rho[first].to_numpy(float), rho[second].to_numpy(float)])
    both = both[:, ~np.isnan(both).any(axis=0)]
    if 1 < both.shape[1] <= _FEW:
        return stats.paired_permutation(*both)
    found = _mean(both[0] - both[1], resamples)
    if found is None or found.p >= _NEAR or resamples >= _MANY:
        return found
    return replace(found, p=_mean(both[0] - both[1], _MANY).p)


def gains(
    items: DataFrame, methods: Sequence[str] | None = None, other: str = BASELINE, *, resamples: int = 2000
) -> DataFrame:
    """Correlation of each method minus that of another; `q` is corrected for the methods of an experiment (Holm).

    ``published`` is the difference of the paper's numbers.
    """
    methods = [name for name in combinations() if name in items] if methods is None else list(methods)
    rho = correlations(items, list(dict.fromkeys([*methods, other])))
    found = _estimates(rho, lambda part, method: difference(part, method, other, resamples=resamples), methods)
    return _with_published(found, lambda row: ([row], [other]))


def best_ones(items: DataFrame) -> Series:
    """How many summaries of a kind share the best score, by collection, kind and topic."""
    written = items[items["role"] == "written"].drop_duplicates(["collection", "topic", "system"])  # has every summary
    people = written["people"].round(12)
    by_kind = [written[name] for name in ("collection", "kind", "topic")]
    return (people == people.groupby(by_kind).transform("max")).groupby(by_kind).sum()


@estimates.tabled
def gains_by_best(items: DataFrame, methods: Sequence[str], *, resamples: int = 2000) -> estimates.Rows:
    """The `gains` of the paper's experiments where one summary is best, and where the reference is one of several."""
    rho, count = correlations(items, [BASELINE, *methods]), best_ones(items)
    for (collection, name), part in rho[rho.index.isin(EXPERIMENTS, level=1)].groupby(level=[0, 1], sort=False):
        best = count[collection, EXPERIMENTS[name][1].removeprefix("best ")]
        several = best[part.index.get_level_values("topic")].to_numpy() > 1
        common = {"column": COLUMNS[name], "model": collection}
        for method, (many, own) in itertools.product(methods, (("one", ~several), ("several", several))):
            value = difference(part[own], method, resamples=resamples)
            yield {"row": f"{method}, {many} best", "value": value} | common


def _with_published(found: DataFrame, sides: Callable[[str], Sequence[Sequence[str]]]) -> DataFrame:
    """Corrected estimates with the same difference of the paper: of two sets of methods, which ``sides(row)`` gives."""
    cells = published.by_place("paraphrase/table4") | published.by_place("paraphrase/table5")

    def printed(methods: Sequence[str], column: str) -> float:
        columns = COLUMNS.values() if column == FOUR else [column]
        places = [(method, one) for method in methods for one in columns]
        return float(np.mean([cells[place].value if place in cells else math.nan for place in places]))

    differences = [
        np.subtract(*(printed(side, column) for side in sides(row))) for row, column in found[["row", "column"]].values
    ]
    return corrected(found).assign(published=differences)


def corrected(found: DataFrame) -> DataFrame:
    """Estimates with `q`: p-values of one column and model corrected for each other (Holm)."""

    def adjusted(p: Series) -> Series:
        return Series(stats.holm(dict(p.dropna())), p.index, dtype=float)

    return found.assign(q=found.groupby(["column", "model"])["p"].transform(adjusted))


def significant(parts: Mapping[str, DataFrame]) -> DataFrame:
    """Differences whose corrected p-value is below .05, as texts; ``parts`` are estimates by what S is in them."""
    lines = [
        {
            "S is": name,
            "collection": one.model,
            "experiment": one.column,
            "what": one.row,
            "difference [95 % interval]": estimates.with_interval(one.value, one.low, one.high),
            "q": f"{one.q:.3f}".removeprefix("0"),
        }
        for name, found in parts.items()
        for one in found[found["q"] < 0.05].itertuples()
    ]
    return pandas.DataFrame(lines)


@estimates.tabled
def changes(items: DataFrame, experiment: str = "EX-4") -> estimates.Rows:
    """In how many topics S improves or impairs the ranking (Table 6), the share, and p of an exact sign test."""
    from scipy.stats import binomtest

    rho = correlations(items, list(dict.fromkeys(itertools.chain(*TABLE_6.values()))))
    for collection, part in rho.xs(experiment, level=1).groupby(level=0, sort=False):
        for row, (first, second) in TABLE_6.items():
            gap = np.round((part[first] - part[second]).dropna(), 12)
            common = {"row": row, "model": collection, "n": len(gap)}
            for column, hits in (("Improve", gap > 0), ("Same", gap == 0), ("Impair", gap < 0)):
                yield common | {"column": column, "value": int(hits.sum())}
                yield common | {"column": f"{column} share", "value": stats.proportion(hits)}
            signs = int((gap > 0).sum()), int((gap != 0).sum())
            yield common | {"column": SIGN_TEST, "value": binomtest(*signs).pvalue if signs[1] else 1.0}


def effects(items: DataFrame, *, resamples: int = 2000) -> DataFrame:
    """Main effect of each resource: what it adds to the correlation, mean over the eight sets of the other three.

    ``published`` is the same of the paper's numbers.
    """
    rho = correlations(items, [BASELINE, *combinations()])

    def effect(part: DataFrame, letter: str) -> Estimate | None:
        with_it, without = (part[own].mean(axis=1, skipna=False) for own in _sides(letter))
        return difference(part.assign(with_it=with_it, without=without), "with_it", "without", resamples=resamples)

    return _with_published(_estimates(rho, effect, list(LETTERS)), _sides)


def _sides(letter: str) -> tuple[list[str], list[str]]:
    """The eight sets of resources with one of them, and those without it."""
    without = combinations("".join(LETTERS).replace(letter, ""))
    added = ["".join(one for one in LETTERS if one in letter + name) for name in without]
    return [letter, *added], [BASELINE, *without]


def tally(found: DataFrame) -> DataFrame:
    """By collection, how many of the `gains` in EX-1 to EX-4 lie above, at and below 0, and how many significantly."""
    part = found[found["column"].isin(COLUMNS.values())].dropna(subset="value")
    sure = part["q"] < 0.05
    sides = {"better": part["value"] > 1e-9, "worse": part["value"] < -1e-9}
    counted = {"all": part["value"].notna()}
    for name, side in sides.items():
        counted |= {name: side, f"significantly {name}": side & sure}
    counted["equal"] = ~(sides["better"] | sides["worse"])
    return part.assign(**counted).groupby("model", sort=False)[list(counted)].sum()


@estimates.tabled
def by_system(items: DataFrame, methods: Sequence[str], *, resamples: int = 2000) -> estimates.Rows:
    """Spearman's correlation of the systems' mean scores with people's means, against the written references.

    Topics are resampled; a second column has the paired difference from ROUGE-1.
    """
    methods = list(dict.fromkeys([BASELINE, *methods]))
    for collection, part in items[items["role"] == "written"].groupby("collection", sort=False):
        scored = part[methods].div(part["words"], axis=0).assign(people=part["people"])
        wide = scored.groupby([part["topic"], part["system"]]).mean().unstack("system")
        means = {name: stats.means(wide[name], resamples=resamples) for name in scored}
        people, count, rho = means["people"], len(means["people"].values), {}
        for method in methods:
            both = means[method].beside(people)
            rho[method] = both.of(lambda each, n=count: stats.spearman_rows(each[..., :n], each[..., n:]))
            common = {"row": method, "model": collection, "systems": count}
            yield common | {"column": "by system", "value": replace(rho[method].estimate(), p=None)}
            if method != BASELINE:
                yield common | {"column": "minus ROUGE-1", "value": (rho[method] - rho[BASELINE]).estimate()}


TABLES = {
    "paraphrase/table4": summary,
    "paraphrase/table5": summary,
    "paraphrase/table6": changes,
    "paraphrase/by system": lambda items: by_system(items, [*CONTROLS, "SDW", "CDW", "PDW", "N"]),
    "paraphrase/controls minus ROUGE-1": lambda items: gains(items, [*CONTROLS, "B", "R", "Q"]),
    **{f"paraphrase/minus ROUGE-1, {one} as S": lambda i, one=one: gains(stand_in(i, one)) for one in STAND_INS},
    **{f"paraphrase/main effects, {one} as S": lambda i, one=one: effects(stand_in(i, one)) for one in STAND_INS},
}
