"""The experiments of section 5: extracts and abstracts ranked by paraphrase matching, compared with people's ranking.

`make_plan` lists what is compared with what, `match_scores` scores it by every combination of tables and ROUGE-1 in
one pass, and `evaluate_scores` correlates any scores with the human ones, topic by topic (Spearman). A further method
joins in as an array of scores for the rows of the plan (see `nbhelpers.studies.paraphrase.soft`).
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from nbhelpers.base import stats
from nbhelpers.base.errors import InputError
from nbhelpers.base.stats import Estimate
from nbhelpers.studies.paraphrase.collections import CandidateSummary, SummaryCollection, SummaryTopic
from nbhelpers.studies.paraphrase.matcher import Index, MatchSettings
from nbhelpers.studies.paraphrase.tables import Expression, ParaphraseTable
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
    ties : dict of str to int
        For each kind how many topics had several summaries with the highest score, in ``top`` plans.
    """

    rows: tuple[Comparison, ...] = field(repr=False)
    collection: str
    language: str
    signature: str
    ties: Mapping[str, int]

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


def make_plan(collection: SummaryCollection, *, reference: str = "top", ties: str = "name", seed: int = 0) -> Plan:
    """List the comparisons of the experiments.

    A topic without a reference, or with fewer than two summaries to rank, is left out of an experiment.

    Parameters
    ----------
    collection : SummaryCollection
    reference : {"top", "each"}
        ``top``: the best extract and the best abstract of each topic by human score, references that have a score
        included; both are taken out, and the others are ranked against either (EX-1 to EX-4). ``each``: one at a time
        of the abstracts that were written as references, against which all extracts, all abstracts, and both together
        are ranked; `evaluate_scores` then takes the mean over the references of a topic.
    ties : {"name", "random"}
        Which of several best summaries becomes the reference. One that the collection gives as a reference always
        does; then the first by name, or one drawn with `seed` and the topic's name, which favours no system.
    seed : int

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
    if reference not in ("top", "each") or ties not in ("name", "random"):
        raise InputError(f"reference is 'top' or 'each', ties 'name' or 'random'; not {reference!r} and {ties!r}.")
    rows: list[Comparison] = []
    tied = {"extract": 0, "abstract": 0} if reference == "top" else {}
    for topic in collection:
        best: dict[str, CandidateSummary] = {}
        for kind in tied:
            if leaders := _leaders(topic, kind):
                tied[kind] += len(leaders) > 1
                best[kind] = random.Random(f"{seed}:{topic.id}").choice(leaders) if ties == "random" else leaders[0]
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
    signature = f"{collection.signature}|ref:{reference}"
    if reference == "top":
        signature += f"|ties:{ties}{seed if ties == 'random' else ''}"
    return Plan(tuple(rows), collection.name, collection.language, signature, tied)


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

    @property
    def undefined(self) -> int:
        """Number of topics without a correlation."""
        return int(np.isnan(self.correlations).sum())


@dataclass(frozen=True)
class ExperimentResult:
    """All methods in one experiment, by name, and the topics."""

    topics: tuple[str, ...]
    methods: Mapping[str, MethodResult]


@dataclass(frozen=True)
class TopicChanges:
    """Topics that one method ranks better than, as well as, or worse than another (Table 6), and those left out."""

    improved: int
    same: int
    impaired: int
    undefined: int


@dataclass(frozen=True)
class RankingResults:
    """All experiments on a collection.

    Attributes
    ----------
    experiments : dict of str to ExperimentResult
    collection : str
    signature : str
        How the numbers were made.
    plan : Plan
    seconds : float
        Time that scoring took, where it was measured.
    """

    experiments: Mapping[str, ExperimentResult]
    collection: str
    signature: str
    plan: Plan = field(repr=False)
    seconds: float = 0.0

    def frame(self) -> DataFrame:
        """One row for each experiment and method, with intervals, tests and numbers of topics."""
        import pandas

        rows = []
        for name, result in self.experiments.items():
            for method, one in result.methods.items():
                row = {"experiment": name, "method": method}
                if one.mean:
                    row |= {"spearman": one.mean.value, "low": one.mean.low, "high": one.mean.high}
                row |= {"topics": len(result.topics) - one.undefined, "undefined": one.undefined}
                if gain := one.difference:
                    row |= {"difference": gain.value, "difference low": gain.low, "difference high": gain.high}
                    row |= {"p": gain.p_value, "p adjusted": one.adjusted}
                rows.append(row)
        columns = "experiment method spearman low high topics undefined difference".split()
        columns += ["difference low", "difference high", "p", "p adjusted"]
        return pandas.DataFrame(rows, columns=columns)

    def table(self) -> DataFrame:
        """Mean correlations, methods by experiments, as in Tables 4 and 5."""
        frame = self.frame()
        wide = frame.pivot(index="method", columns="experiment", values="spearman")
        return wide.loc[list(dict.fromkeys(frame["method"]))]

    def changes(self, experiment: str, method: str, other: str) -> TopicChanges:
        """Count the topics that `method` ranks better, equally well or worse than `other` (Table 6).

        The second row of Table 6 is headed "W" vs. "SW" and, by the text, counts what SW does to W:
        ``changes("EX-4", "SW", "W")``. Topics in which either has no correlation are left out.
        """
        methods = self.experiments[experiment].methods
        differences = methods[method].correlations - methods[other].correlations
        defined = np.round(differences[~np.isnan(differences)], _DECIMALS)
        counts = (int((defined > 0).sum()), int((defined == 0).sum()), int((defined < 0).sum()))
        return TopicChanges(*counts, len(differences) - len(defined))


def spearman_rows(scores: ArrayLike, human: ArrayLike) -> NDArray[np.float64]:
    """Spearman's rho of each row of scores (methods, n) with human scores (n,); NaN where either is constant."""
    ranks = rankdata(np.round(np.atleast_2d(scores), _DECIMALS), axis=1)
    wanted = rankdata(np.round(np.asarray(human, dtype=np.float64), _DECIMALS))
    ranks, wanted = ranks - ranks.mean(axis=1, keepdims=True), wanted - wanted.mean()
    size = np.sqrt((ranks**2).sum(axis=1) * (wanted**2).sum())
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(size > 0, ranks @ wanted / size, np.nan)


def evaluate_scores(
    plan: Plan,
    scores: Mapping[str, ArrayLike],
    *,
    baseline: str = BASELINE,
    resamples: int = 2000,
    seed: int = 0,
    signature: str = "",
    seconds: float = 0.0,
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
    seconds : float
        How long that took.

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
        experiments[name] = ExperimentResult(tuple(topics), _methods(names, rho, baseline, options))
    whole = "|".join(filter(None, (plan.signature, signature)))
    return RankingResults(experiments, plan.collection, whole, plan, seconds)


def _methods(names: Sequence[str], rho: NDArray, baseline: str, options: dict) -> dict[str, MethodResult]:
    """Results of all methods from their correlations (methods, topics)."""
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
    adjusted = stats.holm({name: one.p_value for name, one in differences.items()})
    return {
        name: MethodResult(values, means.get(name), differences.get(name), adjusted.get(name))
        for name, values in zip(names, rho)
    }
