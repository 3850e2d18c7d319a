"""How well scores rank summaries: Spearman's correlation with people's scores, topic by topic (section 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbhelpers.base import stats
from nbhelpers.base.errors import InputError
from nbhelpers.base.stats import Estimate
from nbhelpers.studies.paraphrase.plan import BASELINE, Plan

if TYPE_CHECKING:
    from pandas import DataFrame

_DECIMALS = 12
"""Scores that differ by less are ties: means of the same numbers in another order differ in the last digit."""


@dataclass(frozen=True)
class MethodResult:
    """A method in one experiment.

    Attributes
    ----------
    method : str
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

    method: str
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
    """All methods in one experiment.

    Attributes
    ----------
    experiment : str
    topics : tuple of str
    candidates : tuple of int
        Summaries ranked in each topic, counted once for each reference that ranks them.
    constant : int
        Topics in which people gave all summaries the same score, so that no method has a correlation.
    methods : dict of str to MethodResult
    """

    experiment: str
    topics: tuple[str, ...]
    candidates: tuple[int, ...]
    constant: int
    methods: Mapping[str, MethodResult]


@dataclass(frozen=True)
class TopicChanges:
    """Topics that one method ranks better than, as well as, or worse than another (Table 6), and those left out."""

    experiment: str
    method: str
    other: str
    improved: int
    same: int
    impaired: int
    undefined: int

    @property
    def shares(self) -> tuple[float, float, float]:
        """Shares of improved, same and impaired topics; NaN where no topic has both correlations."""
        total = self.improved + self.same + self.impaired
        counts = (self.improved, self.same, self.impaired)
        return tuple(count / total if total else float("nan") for count in counts)


@dataclass(frozen=True)
class RankingResults:
    """All experiments on a collection.

    Attributes
    ----------
    experiments : dict of str to ExperimentResult
    baseline : str
    collection : str
    signature : str
        How the numbers were made.
    plan : Plan
    seconds : float
        Time that scoring took, where it was measured.
    """

    experiments: Mapping[str, ExperimentResult]
    baseline: str
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
                mean, difference = one.mean, one.difference
                rows.append(
                    {
                        "experiment": name,
                        "method": method,
                        "spearman": mean.value if mean else np.nan,
                        "low": mean.low if mean else np.nan,
                        "high": mean.high if mean else np.nan,
                        "topics": mean.n if mean else len(result.topics) - one.undefined,
                        "undefined": one.undefined,
                        "difference": difference.value if difference else np.nan,
                        "difference low": difference.low if difference else np.nan,
                        "difference high": difference.high if difference else np.nan,
                        "p": difference.p_value if difference else np.nan,
                        "p adjusted": one.adjusted if difference else np.nan,
                    }
                )
        return pandas.DataFrame(rows)

    def table(self) -> DataFrame:
        """Mean correlations, methods by experiments, as in Tables 4 and 5."""
        frame = self.frame()
        wide = frame.pivot(index="method", columns="experiment", values="spearman")
        return wide.loc[list(dict.fromkeys(frame["method"]))]

    def changes(self, experiment: str, method: str, other: str) -> TopicChanges:
        """Count the topics that `method` ranks better, equally well or worse than `other` (Table 6).

        The second row of Table 6 is headed "W" vs. "SW" and, by the text, counts what SW does to W:
        ``changes("EX-4", "SW", "W")``. Topics in which either has no correlation are left out.

        Raises
        ------
        InputError
            There is no such experiment or method.
        """
        if experiment not in self.experiments:
            raise InputError(f"There is no experiment {experiment!r}; there are {', '.join(self.experiments)}.")
        methods = self.experiments[experiment].methods
        for name in (method, other):
            if name not in methods:
                raise InputError(f"There is no method {name!r} in {experiment}; there are {', '.join(methods)}.")
        differences = methods[method].correlations - methods[other].correlations
        defined = np.round(differences[~np.isnan(differences)], _DECIMALS)
        counts = (int((defined > 0).sum()), int((defined == 0).sum()), int((defined < 0).sum()))
        return TopicChanges(experiment, method, other, *counts, len(differences) - len(defined))


def spearman_rows(scores: ArrayLike, human: ArrayLike) -> NDArray[np.float64]:
    """Spearman's rho of each row of scores (methods, n) with human scores (n,); NaN where either is constant."""
    from scipy.stats import rankdata

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
    resamples, seed
        Of the intervals (`nbhelpers.base.stats.bootstrap`) and tests (`nbhelpers.base.stats.paired_permutation`).
    signature : str
        How the scores were made; the plan's signature precedes it.
    seconds : float
        How long that took.

    Raises
    ------
    InputError
        No scores, or an array that has another length or a value that is not finite.
    """
    if not scores:
        raise InputError("There are no scores to evaluate.")
    names = list(scores)
    matrix = np.empty((len(names), len(plan)))
    for row, name in enumerate(names):
        values = np.asarray(scores[name], dtype=np.float64)
        if values.shape != (len(plan),) or not np.isfinite(values).all():
            raise InputError(f"The scores of {name} are not {len(plan)} finite numbers, one for each row of the plan.")
        matrix[row] = values
    human = np.array([row.candidate.score for row in plan.rows])
    places: dict[str, dict[str, dict[tuple[str, ...], list[int]]]] = {name: {} for name in plan.experiments}
    for number, row in enumerate(plan.rows):
        references = tuple(one.id for one in row.references)
        places[row.experiment].setdefault(row.topic, {}).setdefault(references, []).append(number)
    options = dict(resamples=resamples, seed=seed)
    experiments = {}
    for name, topics in places.items():
        rho = np.column_stack(
            [
                _mean([spearman_rows(matrix[:, at], human[at]) for at in rankings.values()])
                for rankings in topics.values()
            ]
        )
        methods = _methods(names, rho, names.index(baseline) if baseline in names else None, options)
        every = [np.concatenate(list(rankings.values())) for rankings in topics.values()]
        constant = sum(bool(np.ptp(human[at]) == 0) for at in every)
        sizes = tuple(map(len, every))
        experiments[name] = ExperimentResult(name, tuple(topics), sizes, constant, methods)
    whole = "|".join(filter(None, (plan.signature, signature)))
    return RankingResults(experiments, baseline, plan.collection, whole, plan, seconds)


def _mean(rankings: Sequence[NDArray]) -> NDArray[np.float64]:
    """Mean of the rankings (methods,) that are defined, for each method; NaN where none is."""
    values = np.stack(rankings)
    defined = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.where(defined, values, 0).sum(axis=0) / defined.sum(axis=0)


def _methods(names: Sequence[str], rho: NDArray, baseline: int | None, options: dict) -> dict[str, MethodResult]:
    """Results of all methods from their correlations (methods, topics)."""
    differences: dict[str, Estimate] = {}
    means: dict[str, Estimate | None] = {}
    for row, name in enumerate(names):
        defined = ~np.isnan(rho[row])
        means[name] = stats.bootstrap(rho[row, defined], **options) if defined.sum() >= 2 else None
        if baseline is not None and row != baseline:
            both = defined & ~np.isnan(rho[baseline])
            if both.sum() >= 2:
                differences[name] = stats.paired_permutation(rho[row, both], rho[baseline, both], **options)
    adjusted = stats.holm({name: one.p_value for name, one in differences.items()})
    return {
        name: MethodResult(name, rho[row].copy(), means[name], differences.get(name), adjusted.get(name))
        for row, name in enumerate(names)
    }
