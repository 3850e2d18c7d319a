"""The experiments of section 5: extracts and abstracts ranked by paraphrase matching, compared with people's ranking.

`make_plan` lists what is compared with what, `match_scores` scores it by every combination of tables and ROUGE-1 in
one pass, and `evaluate_scores` correlates any scores with the human ones, topic by topic (Spearman). A further method
joins in as an array of scores for the rows of the plan, such as `control_scores`. `contrasts` gives the
paired differences that the paper's claims are about.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbhelpers.base import stats
from nbhelpers.base.errors import InputError
from nbhelpers.base.stats import Estimate
from nbhelpers.studies.paraphrase.collections import CandidateSummary, SummaryCollection, SummaryTopic
from nbhelpers.studies.paraphrase.matcher import Index, MatchSettings
from nbhelpers.studies.paraphrase.tables import Expression, ParaphraseTable, shuffled
from nbhelpers.studies.paraphrase.tokens import tokenize

if TYPE_CHECKING:
    from pandas import DataFrame

BASELINE = "ROUGE-1"

LETTERS = {"S": "SMT", "D": "DS", "W": "WordNet", "N": "Variants"}
"""Resources by the letters of Table 3; Variants play the part of NTT Goi-Taikai."""

EXPERIMENTS = {
    "EX-1": ("extract", "extract"),
    "EX-2": ("abstract", "extract"),
    "EX-3": ("extract", "abstract"),
    "EX-4": ("abstract", "abstract"),
}
"""Kind evaluated and kind of the reference, with the numbers of Tables 4 and 5; the list in section 5.1 has EX-2 and
EX-3 the other way round."""

EACH = {"extract-each": ("extract", "each"), "abstract-each": ("abstract", "each"), "all-each": ("", "each")}
"""With one of the references that were written for the topic at a time, and with extracts and abstracts together."""

_DECIMALS = 12
"""Scores that differ by less are ties: means of the same numbers in another order differ in the last digit."""


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
    return frozenset(word for text in texts for word in tokenize(text, collection.language))


# ----------------------------------------------------------------------------------------------------- what is compared


@dataclass(frozen=True)
class Comparison:
    """A summary to be scored against its references, in one experiment."""

    experiment: str
    topic: str
    references: tuple[CandidateSummary, ...]
    candidate: CandidateSummary


@dataclass(frozen=True)
class Plan:
    """What is compared with what.

    Attributes
    ----------
    rows : tuple of Comparison
        Topic by topic; scores of a method are an array in this order.
    collection, language : str
    signature : str
        The collection's, and how references were chosen.
    """

    rows: tuple[Comparison, ...] = field(repr=False)
    collection: str
    language: str
    signature: str

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def experiments(self) -> tuple[str, ...]:
        """Names of the experiments that have rows."""
        return tuple(sorted({row.experiment for row in self.rows}))

    @property
    def texts(self) -> list[str]:
        """Every text once, in order."""
        return list(dict.fromkeys(s.text for row in self.rows for s in (*row.references, row.candidate)))


def make_plan(collection: SummaryCollection, *, reference: str = "top") -> Plan:
    """List the comparisons of the experiments.

    A topic without a reference, or with fewer than two summaries to rank, is left out of an experiment.

    Parameters
    ----------
    collection : SummaryCollection
    reference : {"top", "each"}
        ``top``: the best extract and the best abstract of each topic by human score, references that have a score
        included; both are taken out, and the others are ranked against either (EX-1 to EX-4). Of several best ones one
        that the collection gives as a reference is taken, and else the first by name. ``each``: one at a time
        of the abstracts that were written as references, against which all extracts, all abstracts, and both together
        are ranked; `evaluate_scores` then takes the mean over the references of a topic.

    Raises
    ------
    InputError
        An unknown choice, or no topic allows any comparison.

    Examples
    --------
    >>> from nbhelpers.studies.paraphrase.collections import open_collection
    >>> make_plan(open_collection("topics")).experiments
    ('EX-1', 'EX-2', 'EX-3', 'EX-4')
    """
    if reference not in ("top", "each"):
        raise InputError(f"reference is 'top' or 'each', not {reference!r}.")
    rows: list[Comparison] = []
    kinds = ("extract", "abstract") if reference == "top" else ()
    for topic in collection:
        leaders = {kind: _leaders(topic, kind) for kind in kinds}
        best = {kind: found[0] for kind, found in leaders.items() if found}
        pool = topic.judged if reference == "top" else topic.candidates
        for name, (evaluated, against) in (EXPERIMENTS if reference == "top" else EACH).items():
            others = [one for one in pool if evaluated in ("", one.kind) and one not in best.values()]
            if reference == "top":
                references = [best[against]] if against in best else []
            else:
                references = [one for one in topic.references if one.kind != "extract"]
            if len(others) > 1:
                rows += [Comparison(name, topic.id, (one,), other) for one in references for other in others]
    if not rows:
        raise InputError(f"{collection.name} has no topic with a reference and two summaries of one kind to rank.")
    signature = f"{collection.signature}|ref:{reference}" + "|ties:name" * (reference == "top")
    return Plan(tuple(rows), collection.name, collection.language, signature)


def _leaders(topic: SummaryTopic, kind: str) -> list[CandidateSummary]:
    """Summaries of a kind with the highest score, by name; only the references among them where there are such."""
    judged = [one for one in topic.judged if one.kind == kind]
    highest = max((one.score for one in judged), default=None)
    leaders = sorted((one for one in judged if one.score == highest), key=lambda one: one.id)
    return [one for one in leaders if one in topic.references] or leaders


# --------------------------------------------------------------------------------------------------------------- scores


def match_scores(
    plan: Plan,
    tables: Mapping[str, ParaphraseTable],
    methods: Sequence[str] | None = None,
    settings: MatchSettings = MatchSettings(),
) -> dict[str, NDArray[np.float64]]:
    """Recall of every row of a plan by ROUGE-1 and by combinations of tables.

    Each text is tokenized once, and the links between two texts are found once for all tables.

    Parameters
    ----------
    plan : Plan
    tables : mapping of str to ParaphraseTable
        By letter, such as ``{"S": smt, "D": ds, "W": wordnet, "N": variants}``.
    methods : sequence of str, optional
        Combinations such as ``SDW``, all by default; ROUGE-1 is always among the results.
    settings : MatchSettings

    Returns
    -------
    dict of str to numpy.ndarray, float64, shape (rows,)
        ``ROUGE-1`` first, then the methods; in [0, 1].

    Raises
    ------
    InputError
        A letter without a table, a table in another language, or a reference without words.

    Examples
    --------
    >>> from nbhelpers.studies.paraphrase.collections import open_collection
    >>> scores = match_scores(make_plan(open_collection("topics")), {})
    >>> list(scores), scores["ROUGE-1"].shape
    (['ROUGE-1'], (48,))
    """
    if foreign := {table.language for table in tables.values()} - {plan.language}:
        raise InputError(f"A table is in {foreign.pop()!r}, and the summaries are in {plan.language!r}.")
    methods = combinations("".join(tables)) if methods is None else list(methods)
    words = {text: tokenize(text, plan.language) for text in plan.texts}
    # In the index a table goes by its letter, so that two tables of one resource can be compared.
    index = Index([replace(table, name=letter) for letter, table in tables.items()], settings)
    scores = np.empty((len(plan), len(methods) + 1))
    known: dict[tuple[Expression, ...], NDArray[np.float64]] = {}  # experiments share comparisons
    for row, one in enumerate(plan.rows):
        references = [words[reference.text] for reference in one.references]
        texts = (*references, words[one.candidate.text])
        if texts not in known:
            known[texts] = index.recalls(references, texts[-1], ["", *methods])
        scores[row] = known[texts]
    return dict(zip((BASELINE, *methods), scores.T.copy(), strict=True))


def control_scores(plan: Plan) -> dict[str, NDArray[np.float64]]:
    """ROUGE-2 and ROUGE-L recall on the words of `tokenize`, and the number of words, which a measure has to beat.

    Examples
    --------
    >>> from nbhelpers.studies.paraphrase.collections import open_collection
    >>> list(control_scores(make_plan(open_collection("topics"))))
    ['ROUGE-2', 'ROUGE-L', 'Length']
    """
    from rouge_score.rouge_scorer import RougeScorer

    cut = functools.lru_cache(4096)(functools.partial(tokenize, language=plan.language))
    scorer = RougeScorer(["rouge2", "rougeL"], tokenizer=SimpleNamespace(tokenize=lambda text: list(cut(text))))

    @functools.cache
    def recalls(references: tuple[str, ...], candidate: str) -> tuple[float, ...]:
        scores = [scorer.score(reference, candidate) for reference in references]
        return tuple(float(np.mean([one[kind].recall for one in scores])) for kind in ("rouge2", "rougeL"))

    rows = [
        (*recalls(tuple(r.text for r in one.references), one.candidate.text), len(cut(one.candidate.text)))
        for one in plan.rows
    ]
    return dict(zip(("ROUGE-2", "ROUGE-L", "Length"), np.array(rows, dtype=np.float64).T, strict=True))


# ------------------------------------------------------------------------------------------------------------- rankings


@dataclass(frozen=True)
class MethodResult:
    """A method in one experiment.

    Attributes
    ----------
    correlations : float64 array (topics,)
        Spearman's rho of each topic, the mean over its references where a plan has several one by one; NaN where it is
        undefined, because people or the method gave all summaries the same score.
    mean : Estimate or None
        Mean over the topics where it is defined, with the bootstrap interval over topics and their number; None for
        fewer than two.
    difference : Estimate or None
        Mean difference to the baseline over the topics where both are defined, with interval and the p-value of the
        paired permutation test; None for the baseline and for fewer than two topics.
    adjusted : float or None
        That p-value adjusted for all methods of the experiment (Holm 1979).
    """

    correlations: NDArray[np.float64] = field(repr=False)
    mean: Estimate | None
    difference: Estimate | None
    adjusted: float | None = None


@dataclass(frozen=True)
class ExperimentResult:
    """All methods in one experiment, by name, and the topics."""

    topics: tuple[str, ...]
    methods: Mapping[str, MethodResult]


@dataclass(frozen=True)
class RankingResults:
    """All experiments on a collection.

    Attributes
    ----------
    experiments : dict of str to ExperimentResult
    collection : str
    signature : str
        How the numbers were made.
    """

    experiments: Mapping[str, ExperimentResult]
    collection: str
    signature: str

    def table(self) -> DataFrame:
        """Mean correlations, methods by experiments, as in Tables 4 and 5."""
        import pandas

        return pandas.DataFrame(
            {
                name: {method: one.mean.value if one.mean else math.nan for method, one in result.methods.items()}
                for name, result in self.experiments.items()
            }
        )

    def changes(self, experiment: str, method: str, other: str) -> dict[str, int]:
        """Count the topics that `method` ranks better, equally well or worse than `other` (Table 6).

        The second row of Table 6 is headed "W" vs. "SW" and, by the text, counts what SW does to W:
        ``changes("EX-4", "SW", "W")``. Topics in which either has no correlation are left out.
        """
        methods = self.experiments[experiment].methods
        differences = np.round(methods[method].correlations - methods[other].correlations, _DECIMALS)
        signs = {"Improve": differences > 0, "Same": differences == 0, "Impair": differences < 0}
        return {name: int(found.sum()) for name, found in signs.items()}


def spearman_rows(scores: ArrayLike, human: ArrayLike) -> NDArray[np.float64]:
    """Spearman's rho of each row of scores (methods, n) with human scores (n,); NaN where either is constant."""
    return stats.spearman_rows(np.round(np.atleast_2d(scores), _DECIMALS), np.round(human, _DECIMALS))


def evaluate_scores(
    plan: Plan,
    scores: Mapping[str, ArrayLike],
    *,
    baseline: str = BASELINE,
    resamples: int = 2000,
    seed: int = 0,
    signature: str = "",
) -> RankingResults:
    """Rank summaries by any scores and compare the rankings with people's.

    Parameters
    ----------
    plan : Plan
    scores : mapping of str to array (rows,)
        For each method the score of each row of the plan; higher means better.
    baseline : str
        The method that the others are tested against, if it is among the scores.
    resamples, seed : int
        Of the intervals (`nbhelpers.base.stats.bootstrap`) and tests (`nbhelpers.base.stats.paired_permutation`).
    signature : str
        How the scores were made; the plan's signature precedes it.

    Raises
    ------
    InputError
        An array has another length or a value that is not finite.

    Examples
    --------
    >>> from nbhelpers.studies.paraphrase.collections import open_collection
    >>> plan = make_plan(open_collection("topics"))
    >>> people = {"people themselves": [row.candidate.score for row in plan.rows]}
    >>> evaluate_scores(plan, people, resamples=100).experiments["EX-1"].methods["people themselves"].mean.value
    1.0
    """
    names = list(scores)
    matrix = np.array([scores[name] for name in names], dtype=np.float64)
    if matrix.shape != (len(names), len(plan)) or not np.isfinite(matrix).all():
        raise InputError(f"The scores of a method are {len(plan)} finite numbers, one for each row of the plan.")
    human = np.array([row.candidate.score for row in plan.rows])
    # For each experiment and topic the places of the rows by reference.
    places: dict[str, dict[str, dict[tuple[str, ...], list[int]]]] = {name: {} for name in plan.experiments}
    for number, row in enumerate(plan.rows):
        references = tuple(one.id for one in row.references)
        places[row.experiment].setdefault(row.topic, {}).setdefault(references, []).append(number)
    options = dict(resamples=resamples, seed=seed)
    experiments = {}
    for name, topics in places.items():
        rho = np.empty((len(names), len(topics)))
        for column, rankings in enumerate(topics.values()):
            values = np.ma.masked_invalid([spearman_rows(matrix[:, at], human[at]) for at in rankings.values()])
            rho[:, column] = values.mean(axis=0).filled(np.nan)
        experiments[name] = ExperimentResult(tuple(topics), compare(names, rho, baseline, options))
    whole = "|".join(filter(None, (plan.signature, signature)))
    return RankingResults(experiments, plan.collection, whole)


def compare(names: Sequence[str], rho: NDArray, baseline: str, options: dict) -> dict[str, MethodResult]:
    """Results of all methods from a value for each method and topic, shape (methods, topics); NaN where undefined."""
    base = rho[names.index(baseline)] if baseline in names else np.full(rho.shape[1], np.nan)
    means: dict[str, Estimate] = {}
    differences: dict[str, Estimate] = {}
    for name, values in zip(names, rho):
        defined = ~np.isnan(values)
        both = defined & ~np.isnan(base)
        if defined.sum() >= 2:
            means[name] = stats.bootstrap(values[defined], **options)
        if name != baseline and both.sum() >= 2:
            differences[name] = stats.paired_permutation(values[both], base[both], **options)
    adjusted = stats.holm({name: one.p for name, one in differences.items()})
    return {
        name: MethodResult(values, means.get(name), differences.get(name), adjusted.get(name))
        for name, values in zip(names, rho)
    }


# ------------------------------------------------------------------------------------------------- rows of the ledger

ALL_FOUR = "EX-1 to EX-4"
"""Column of the mean over the four experiments, topic by topic."""

COLUMNS = {
    "EX-1": ("table4", "Extract (EX-1)"),
    "EX-2": ("table4", "Abstract (EX-2)"),
    "EX-3": ("table5", "Extract (EX-3)"),
    "EX-4": ("table5", "Abstract (EX-4)"),
}
"""Where the paper prints an experiment."""

TABLE_6 = {"SDW vs. DW": ("SDW", "DW"), "W vs. SW": ("SW", "W")}
"""Rows of Table 6: which method is held against which."""


def p_values(one: MethodResult, tests: int, resamples: int) -> str:
    """The p-values of a difference in words; one at the floor of the test is an upper bound."""
    if one.difference is None:
        return "" if one.mean else "people or the method gave equal scores"
    floor = 2 / (2**one.difference.n if one.difference.n <= 15 else resamples + 1)
    sign, p = ("≤ ", floor) if one.difference.p <= floor * 1.001 else ("", one.difference.p)
    return f"p {sign}{p:.2g}, by Holm {sign}{min(1.0, max(one.adjusted, p)):.2g} ({tests} tests)"


def ranking_rows(results: RankingResults, resamples: int = 2000) -> dict[str, list[dict[str, Any]]]:
    """Rows of Tables 4, 5 and 6, and of the experiments that the paper does not have (``each``), by table."""
    found: dict[str, list[dict[str, Any]]] = {}
    for name, result in results.experiments.items():
        table, column = COLUMNS.get(name, ("each", name))
        for method, one in result.methods.items():
            note = p_values(one, len(result.methods) - 1, resamples)
            found.setdefault(table, []).append({"row": method, "column": column, "value": one.mean, "note": note})
        for row, (method, other) in TABLE_6.items() if name == "EX-4" and "SDW" in result.methods else ():
            counts = results.changes(name, method, other)
            n = sum(counts.values())
            for column, count in counts.items():
                cell = {"row": row, "column": column, "value": count, "n": n, "note": "the paper: of 30 topics"}
                share = stats.proportion([True] * count + [False] * (n - count))
                found.setdefault("table6", []).extend([cell, {**cell, "column": f"{column} share", "value": share}])
    return found


def contrasts(
    results: RankingResults,
    pairs: Sequence[tuple[str, str]] = tuple(TABLE_6.values()),
    *,
    resamples: int = 2000,
    seed: int = 0,
) -> list[dict[str, Any]]:
    """Paired differences and counts that decide the claims, in every experiment and in the mean of EX-1 to EX-4.

    Parameters
    ----------
    results : RankingResults
    pairs : sequence of (str, str)
        Further methods to compare, beside each method with ROUGE-1.
    resamples, seed : int

    Returns
    -------
    list of dict
        Rows for the ledger, topics resampled: each method minus ROUGE-1 (p-values corrected by Holm within the
        experiment); each of `pairs`, and in how many topics more the first is better than worse, as a share; the number
        of combinations of resources above and below ROUGE-1; their mean gain; and how much higher that is in EX-2 to
        EX-4 than in EX-1. With `control_scores` among the methods also ROUGE-1 minus the better of its family.

    Examples
    --------
    >>> from nbhelpers.studies.paraphrase.collections import open_collection
    >>> plan = make_plan(open_collection("topics"), reference="each")
    >>> scores = {"Length": control_scores(plan)["Length"], **match_scores(plan, {})}
    >>> [one["row"] for one in contrasts(evaluate_scores(plan, scores, resamples=100), (), resamples=100)][0]
    'Length minus ROUGE-1'
    """
    import pandas

    options = dict(resamples=resamples, seed=seed)
    rho = {
        name: pandas.DataFrame({method: one.correlations for method, one in result.methods.items()}, result.topics)
        for name, result in results.experiments.items()
    }
    tests = {name: result.methods for name, result in results.experiments.items()}
    if set(EXPERIMENTS) <= set(rho):
        rho[ALL_FOUR] = pandas.concat(rho, axis=1).dropna().T.groupby(level=1, sort=False).mean().T
        tests[ALL_FOUR] = compare(list(rho[ALL_FOUR]), rho[ALL_FOUR].to_numpy().T, BASELINE, options)
    rows: list[dict[str, Any]] = []

    def add(column: str, row: str, value: Estimate | None, note: str = "") -> None:
        rows.append({"column": column, "row": row, "value": value, "note": note})

    gains = {}
    for column, frame in rho.items():
        for name, one in tests[column].items():
            if one.difference:
                note = p_values(one, len(frame.columns) - 1, resamples)
                add(column, f"{name} minus {BASELINE}", one.difference, note)
        for first, second in pairs:
            both = frame[[first, second]].dropna()
            if len(both) > 1:
                gap = stats.paired_permutation(both[first], both[second], **options)
                sign = stats.bootstrap(np.sign(np.round(both[first] - both[second], _DECIMALS)), **options)
                add(column, f"{first} minus {second}", gap, f"p {gap.p:.2g}, one test")
                add(column, f"topics that {first} ranks better than {second}, minus worse", sign, "share of all topics")
        if {"ROUGE-2", "ROUGE-L"} <= set(frame):
            family = frame[["ROUGE-2", "ROUGE-L"]].rsub(frame[BASELINE], axis=0).dropna().to_numpy()
            least = stats.bootstrap(family, _least_mean, **options) if len(family) > 1 else None
            add(column, f"{BASELINE} minus the better of ROUGE-2 and ROUGE-L", least, "" if least else "too few topics")
        combined = [name for name in combinations() if name in frame]
        gain = frame[combined].sub(frame[BASELINE], axis=0).dropna()
        if len(combined) < 2 or len(gain) < 2:
            continue
        gains[column] = gain.mean(axis=1)
        for side, sign in (("above", 1), ("below", -1)):
            number = stats.bootstrap(sign * gain.to_numpy(), _number_above_zero, **options)
            note = f"of {len(combined)}, by their means; interval over topics"
            add(column, f"combinations {side} {BASELINE}", number, note)
        add(column, f"mean of the combinations minus {BASELINE}", stats.bootstrap(gains[column], **options))
    if set(EXPERIMENTS) <= set(gains):
        wide = pandas.concat(gains, axis=1).dropna()
        value = stats.bootstrap(wide[["EX-2", "EX-3", "EX-4"]].mean(axis=1) - wide["EX-1"], **options)
        add(ALL_FOUR, "mean gain with an abstract (EX-2 to EX-4) minus without (EX-1)", value)
    return rows


def _least_mean(differences: NDArray) -> float:
    return float(differences.mean(axis=0).min())


def _number_above_zero(gains: NDArray) -> float:
    """How many columns have a mean above 0."""
    return float((gains.mean(axis=0) > 1e-9).sum())


@dataclass(frozen=True)
class Evaluation:
    """A collection ranked by ROUGE-1, all combinations, and what they have to beat.

    Attributes
    ----------
    rows : dict of str to list of dict
        For the ledger, by table: those of `ranking_rows`, and of `contrasts` under that name.
    results : dict of str to RankingResults
        The combinations, by the reference: ``top`` and, where the collection has written references, ``each``.
    """

    rows: Mapping[str, list[dict[str, Any]]] = field(repr=False)
    results: Mapping[str, RankingResults] = field(repr=False)

    @property
    def summary(self) -> DataFrame:
        """Mean correlations, methods by experiments."""
        import pandas

        return pandas.concat([one.table() for one in self.results.values()], axis=1)


def evaluate(
    collection: SummaryCollection,
    tables: Mapping[str, ParaphraseTable],
    *,
    resamples: int = 2000,
    seed: int = 0,
) -> Evaluation:
    """Rank a collection's summaries in every experiment, and compare the rankings with people's.

    Beside ROUGE-1 and the combinations stand ROUGE-2, ROUGE-L, the length, and random pairs in the place of S.

    Parameters
    ----------
    collection : SummaryCollection
    tables : mapping of str to ParaphraseTable
        By letter, with S.
    resamples, seed : int

    Examples
    --------
    >>> list(evaluate(open_collection("topics"), tables).rows)  # doctest: +SKIP
    ['table4', 'table5', 'table6', 'contrasts', 'each']
    """
    options = dict(resamples=resamples, seed=seed)
    rows: dict[str, dict[tuple[str, str], dict[str, Any]]] = {}
    evaluated = {}
    how = "|".join([MatchSettings().signature, *(f"{letter}:[{one.signature}]" for letter, one in tables.items())])
    for mode in ("top", "each") if any(topic.references for topic in collection) else ("top",):
        plan = make_plan(collection, reference=mode)
        given = {**tables, "R": shuffled(tables["S"], seed)}
        scores = match_scores(plan, given, [*combinations("".join(tables)), "R"])
        controls = {"Random pairs": scores.pop("R"), BASELINE: scores[BASELINE], "S": scores["S"]}
        controls |= control_scores(plan)
        evaluated[mode] = evaluate_scores(plan, scores, signature=how, **options)
        others = evaluate_scores(plan, controls, signature=how, **options)
        for results, pairs in ((evaluated[mode], tuple(TABLE_6.values())), (others, (("S", "Random pairs"),))):
            found = ranking_rows(results, resamples) | {"contrasts": contrasts(results, pairs, **options)}
            for table, lines in found.items():
                for one in lines:  # of a method in both, the corrected p-values of the first stand
                    cell = {**one, "signature": results.signature}
                    rows.setdefault(table, {}).setdefault((one["row"], one["column"]), cell)
    return Evaluation({table: list(found.values()) for table, found in rows.items()}, evaluated)


def tally(frames: Iterable[DataFrame]) -> dict[str, int]:
    """How the combinations compare with ROUGE-1 in recorded rows of `contrasts`, one frame for each collection.

    Only real data (profile ``full``) count, and experiments whose numbers repeat another one's count once.

    Returns
    -------
    dict of str to int
        Numbers of comparisons: ``all``, ``better`` and ``worse`` by the mean, ``surely better`` and ``surely worse``
        after Holm's correction (5 %).
    """
    import pandas

    kept = []
    for frame in frames:
        chosen = frame[frame["row"].isin([f"{name} minus {BASELINE}" for name in combinations()])]
        chosen = chosen[(chosen["profile"] == "full") & (chosen["column"] != ALL_FOUR)]
        repeated = chosen.pivot(index="row", columns="column", values="value").round(_DECIMALS).T.duplicated()
        kept.append(chosen[~chosen["column"].map(repeated)])
    rows = pandas.concat(kept)
    is_sure = rows["note"].str.extract(r"by Holm (?:≤ )?([\d.e-]+)")[0].astype(float) < 0.05
    found = {"all": len(rows)}
    for name, wanted in (("better", rows["value"] > 1e-9), ("worse", rows["value"] < -1e-9)):
        found |= {name: int(wanted.sum()), f"surely {name}": int((wanted & is_sure).sum())}
    return found
