"""From scores to a board: cells with intervals, simultaneous ranks, and which measure to take for which job.

Everything is computed from a table of scores as `scoring` makes it, recorded or of this run. Each statistic comes with
what every *source* contributes to it (its influence): sums over pairs of one source keep dependent pairs together, as
resampling sources does (clustered AUC: Obuchowski 1997, Biometrics 53; for Spearman's rho the same by its derivative).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nbhelpers.base.errors import InputError
from nbhelpers.base.stats import LEVEL, Estimate, members, spearman_rows
from nbhelpers.leaderboard.scoring import FEATURES, ITEMS
from nbhelpers.leaderboard.tasks import ABILITIES, seen

if TYPE_CHECKING:
    import pandas

TRIVIAL = ("length-ratio", "source-recall", "token-f1")
"""Measures that only count words; any other has to beat them."""

ALONE = ("fkgl",)
"""Measures that see the candidate alone."""

SENTINELS = ("only the source", "only the candidate")
"""Predictors that see one of the two texts: what they reach is not meaning."""

CHANCE = {"rating": 0.0, "ranking": 0.0, "yes/no": 0.5, "best": 0.5, "share": 0.5}
"""What a measure that knows nothing reaches, by kind of labels."""

_REFUSED = 0.2
"""A measure that refuses a larger share of a test's pairs has no cell there."""

_Z = 1.959964

Statistic = tuple[float, NDArray]
"""A value, and the influence of each group on it, shape (groups,); its variance is about the sum of their squares."""


# ------------------------------------------------------------------------------------------------- value and influence


def _below(values: NDArray, weights: NDArray) -> NDArray:
    """For each value the mean over all of ``weights`` where theirs is larger, half of it where it is equal."""
    order = values.argsort(kind="stable")
    rising, new = values[order], np.ones(len(values), bool)
    np.not_equal(rising[1:], rising[:-1], out=new[1:])
    totals = np.add.reduceat(weights[order], new.nonzero()[0])
    larger = totals[::-1].cumsum()[::-1] - totals / 2
    found = np.empty(len(values))
    found[order] = larger[new.cumsum() - 1]
    return found / len(values)


def spearman(labels: NDArray, values: NDArray) -> Statistic:
    """Spearman's rho (average ranks), and the influence of each pair, shape (n,); 0 where one side is constant.

    Examples
    --------
    >>> round(spearman(np.array([1, 2, 3]), np.array([1, 3, 2]))[0], 3)
    0.5
    """
    n = len(labels)
    x, y = (0.5 - _below(side, np.ones(n)) for side in (labels, values))  # centred ranks
    product, first, second = (x * y).mean(), (x * x).mean(), (y * y).mean()
    scale = np.sqrt(first * second)
    if scale < 1e-12:
        return 0.0, np.zeros(n)
    rho = product / scale
    joint = x * y + _below(labels, y) + _below(values, x) - 3 * product
    one, other = (s * s + 2 * _below(of, s) - 3 * m for s, of, m in ((x, labels, first), (y, values, second)))
    return float(rho), (joint / scale - rho / 2 * (one / first + other / second)) / n


def area(labels: NDArray, values: NDArray) -> Statistic:
    """Share of (kept, changed) pairs in which the kept one has the higher value, ties one half; and influences.

    Examples
    --------
    >>> area(np.array([1, 0, 0]), np.array([2, 2, 1]))[0]
    0.75
    """
    kept = labels > 0.5
    count = kept.sum(), (~kept).sum()
    if not min(count):
        return float("nan"), np.zeros(len(labels))
    n = len(labels)
    above = _below(values, np.where(kept, 1.0, 0.0)) * n / count[0]
    under = 1 - _below(values, np.where(kept, 0.0, 1.0)) * n / count[1]
    value = float(under[kept].mean())
    return value, np.where(kept, (under - value) / count[0], (above - value) / count[1])


def _wins(labels: NDArray, values: NDArray, items: NDArray) -> NDArray:
    """For each pair the share of comparisons that its item wins; the right candidate of an item is its only one."""
    right = labels > 0.5
    kept, others = (np.bincount(items[side], minlength=items.max() + 1) for side in (right, ~right))
    if (kept != 1).any() or not others.all():
        raise InputError(
            "candidates that compete need one right one and at least one other: keep all of an item, or none"
        )
    best = np.full(items.max() + 1, np.nan)
    best[items[right]] = values[right]
    gaps = best[items] - values
    won = np.where(right, 0.0, (gaps > 0) + 0.5 * (gaps == 0))
    return np.bincount(items, won) / np.bincount(items, ~right)


def statistic(pairs: Mapping[str, NDArray], values: NDArray) -> Statistic:
    """The statistic of a test and the influence of each group; kinds of pairs by themselves, where there are some.

    Parameters
    ----------
    pairs : mapping
        Columns ``labels``, ``label``, ``kind``, ``group`` and ``item`` of the test's pairs.
    values : numpy.ndarray, shape (n,)
        By one measure, all finite.

    Returns
    -------
    value : float
        Spearman's rho; or the share of comparisons won, ties one half.
    influence : numpy.ndarray, shape (number of groups,)
    """
    count = int(pairs["group"].max()) + 1
    parts = []
    for kind in np.unique(pairs["kind"]):
        mine = pairs["kind"] == kind
        label, group, given = pairs["label"][mine], pairs["group"][mine], values[mine]
        labels = pairs["labels"][0]
        if labels in ("rating", "yes/no"):
            value, each = (spearman if labels == "rating" else area)(label, given)
        else:
            if labels == "best":
                _, first, item = np.unique(pairs["item"][mine], return_index=True, return_inverse=True)
                units, owner, weight = _wins(label, given, item), group[first], np.ones(len(first))
            elif labels == "ranking":
                names, number = np.unique(group, return_inverse=True)
                each = members(number)
                told = [np.ptp(label[own]) > 0 for own in each]
                owner = names[told]
                rho = [spearman_rows(label[own], given[own]) for own in itertools.compress(each, told)]
                units = np.nan_to_num(np.array(rho))  # a constant side tells nothing
                weight = np.ones(len(units))
            else:
                units, owner, weight = given, group, label
            value, group = float(np.average(units, weights=weight)), owner
            each = weight * (units - value) / weight.sum()
        parts.append((value, np.bincount(group, each, minlength=count)))
    used = len(np.unique(pairs["group"]))
    influence = np.mean([one for _, one in parts], axis=0) * np.sqrt(used / max(used - 1, 1))
    return float(np.mean([one for one, _ in parts])), influence


def interval(value: float, error: float, groups: int, share: bool) -> tuple[float, float]:
    """Ends of the 95 % interval of a share or a correlation from its standard error.

    A share has Wilson's interval at the number of independent comparisons that would have this error (Franco, Little,
    Louis and Slud 2019, *Journal of Survey Statistics and Methodology* 7), which does not collapse at 0 or 1. A
    correlation has that of Fisher's transform.

    Examples
    --------
    >>> tuple(round(end, 2) for end in interval(1.0, 0.0, 20, True))
    (0.84, 1.0)
    """
    if not share:
        middle, half = np.arctanh(np.clip(value, -0.9999, 0.9999)), _Z * error / max(1 - value**2, 1e-4)
        return float(np.tanh(middle - half)), float(np.tanh(middle + half))
    n = value * (1 - value) / error**2 if error > 1e-9 else groups
    n = max(n, 2.0)
    middle, half = value + _Z**2 / (2 * n), _Z * np.sqrt(value * (1 - value) / n + _Z**2 / (4 * n * n))
    return float((middle - half) / (1 + _Z**2 / n)), float((middle + half) / (1 + _Z**2 / n))


# -------------------------------------------------------------------------------------------------------------- board


@dataclass(frozen=True, eq=False)
class Level:
    """Measures that scored at least some pairs of a test, on exactly these pairs.

    Attributes
    ----------
    pairs, groups : int
        How many.
    values : dict
        The statistic of each measure.
    influence : dict
        That of each group on it.
    """

    pairs: int
    groups: int
    values: dict[str, float]
    influence: dict[str, NDArray]


def _levels(items: pandas.DataFrame, measures: Iterable[str]) -> tuple[list[Level], dict[str, int]]:
    """Levels of a test, from the largest to the smallest, and how many pairs each measure refused."""
    columns = {name: items[name].to_numpy(np.float64) for name in measures}
    columns = {name: values for name, values in columns.items() if not np.isnan(values).all()}
    refused = {name: int(np.isinf(values).sum()) for name, values in columns.items()}
    columns = {n: v for n, v in columns.items() if refused[n] <= _REFUSED * (~np.isnan(v)).sum()}
    sizes = sorted({int((~np.isnan(values)).sum()) for values in columns.values()}, reverse=True)
    pairs = {name: items[name].to_numpy() for name in ("labels", "label", "kind", "group", "item")}
    pairs["kind"] = np.unique(pairs["kind"], return_inverse=True)[1]  # numbers are told apart faster than names
    levels = []
    for size in sizes:
        members = {name: values for name, values in columns.items() if (~np.isnan(values)).sum() >= size}
        rows = np.all([np.isfinite(values) for values in members.values()], axis=0)
        if pairs["labels"][0] == "best":  # an item is whole, or out
            broken = np.unique(pairs["item"][~rows])
            rows &= ~np.isin(pairs["item"], broken)
        if rows.sum() < 10:
            continue
        chosen = {name: column[rows] for name, column in pairs.items()}
        found = {name: statistic(chosen, values[rows]) for name, values in members.items()}
        found = {name: one for name, one in found.items() if np.isfinite(one[0])}
        values, influence = ({name: one[part] for name, one in found.items()} for part in (0, 1))
        count = chosen["label"].sum() if pairs["labels"][0] == "share" else rows.sum()
        levels.append(Level(int(count), len(np.unique(chosen["group"])), values, influence))
    return levels, refused


@dataclass(frozen=True)
class Board:
    """All cells of a leaderboard.

    Attributes
    ----------
    items : DataFrame
        Scores, one line per pair, as `scoring.record` makes them.
    draws, seed : int
        Of the simultaneous ranks and of the halves.
    """

    items: pandas.DataFrame
    draws: int = 1000
    seed: int = 0

    @cached_property
    def measures(self) -> list[str]:
        """Names of the measures that have scores; iBLEU is out, as without references it is a multiple of BLEU."""
        features = {f"{side} {name}" for side in ("source", "candidate") for name in FEATURES}
        return [name for name in self.items if name not in {*ITEMS, *features, "run", "model", "ibleu"}]

    @cached_property
    def _tests(self) -> dict[str, tuple[list[Level], dict[str, int], str]]:
        found = {}
        for test, own in self.items.groupby("test", sort=False):
            own = own.reset_index(drop=True)
            own = own.assign(**sentinels(own)) if own["labels"][0] != "share" and len(own) >= 100 else own
            measures = [*self.measures, *(name for name in SENTINELS if name in own)]
            found[test] = *_levels(own, measures), own["labels"][0]
        return found

    @cached_property
    def abilities(self) -> dict[str, tuple[str, ...]]:
        """For each ability its tests that have scores."""
        own = {name: one.tests for name, one in ABILITIES.items()}
        own = {name: [*tests, f"own {name}"] for name, tests in own.items()}
        found = {name: tuple(test for test in tests if test in self._tests) for name, tests in own.items()}
        return {name: tests for name, tests in found.items() if tests}

    def judged(self, ability: str) -> tuple[str, ...]:
        """The tests that decide about an ability: those whose source fewest measures were trained on."""
        hollow = {test: sum(bool(seen(test, name)) for name in self.measures) for test in self.abilities[ability]}
        return tuple(test for test, count in hollow.items() if count == min(hollow.values()))

    def chance(self, ability: str) -> float:
        """What a measure that knows nothing reaches."""
        return CHANCE[self._tests[self.abilities[ability][0]][2]]

    def _level(self, test: str, *measures: str) -> Level | None:
        """The largest level of a test on which all of some measures are."""
        return next((level for level in self._tests[test][0] if level.values.keys() >= set(measures)), None)

    def difference(self, ability: str, first: str, second: str) -> Estimate:
        """The first measure's value minus the second's, on the pairs of the deciding tests that both scored.

        The 95 % interval resamples sources and is for this difference alone; `ranks` looks at all pairs of measures.
        """
        levels = [self._level(test, first, second) for test in self.judged(ability)]
        if None in levels:
            raise InputError(f"{first} and {second} have no common pairs in a test of {ability!r}")
        gap = float(np.mean([level.values[first] - level.values[second] for level in levels]))
        apart = [level.influence[first] - level.influence[second] for level in levels]
        half = _Z * float(np.sqrt(sum((one**2).sum() for one in apart))) / len(levels)
        return Estimate(gap, gap - half, gap + half, sum(level.pairs for level in levels))

    def _estimate(self, tests: Iterable[str], measure: str) -> Estimate | None:
        levels = [self._level(test, measure) for test in tests]
        if not levels or None in levels:
            return None
        value = float(np.mean([level.values[measure] for level in levels]))
        error = np.sqrt(sum((level.influence[measure] ** 2).sum() for level in levels)) / len(levels)
        share = CHANCE[self._tests[next(iter(tests))][2]] > 0
        low, high = interval(value, float(error), sum(level.groups for level in levels), share)
        return Estimate(value, low, high, sum(level.pairs for level in levels))

    @cached_property
    def tests(self) -> pandas.DataFrame:
        """Every measure on every test: a tidy table of estimates, with ``groups``, ``refused`` and ``seen``."""
        from nbhelpers.results import estimates

        rows = []
        for ability, names in self.abilities.items():
            for test in names:
                levels, refused, _ = self._tests[test]
                for name in levels[0].values | levels[-1].values if levels else ():
                    own = self._level(test, name)
                    rows.append(
                        {"row": name, "column": test, "value": self._estimate((test,), name), "ability": ability}
                        | {"groups": own.groups, "refused": refused.get(name, 0), "seen": seen(test, name)}
                    )
        return estimates.frame(rows)

    @cached_property
    def columns(self) -> pandas.DataFrame:
        """Every measure on every ability, from the tests that decide: a tidy table of estimates.

        ``rank low`` and ``rank high`` are the places that the measure may have, for all measures together at 95 %
        (Mogstad, Romano, Shaikh and Wilhelm 2024, *Review of Economic Studies* 91); ``best`` says whether no other
        measure is surely better and the value lies above chance. A measure trained on such text (``seen``) has no rank.
        """
        from nbhelpers.results import estimates

        rows = []
        for ability in self.abilities:
            tests, ranks, chance = self.judged(ability), self.ranks(ability), self.chance(ability)
            for name in [*self.measures, *SENTINELS]:
                if (value := self._estimate(tests, name)) is None:
                    continue
                low, high = ranks.get(name, (np.nan, np.nan))
                what = "; ".join(dict.fromkeys(filter(None, (seen(test, name) for test in tests))))
                rows.append(
                    {"row": name, "column": ability, "value": value, "rank low": low, "rank high": high}
                    | {"best": low == 1 and value.low > chance, "seen": what, "chance": chance}
                    | {"skill": (value.value - chance) / (1 - chance)}
                )
        return estimates.frame(rows)

    def _ranked(self, ability: str) -> list[str]:
        tests = self.judged(ability)
        names = [name for name in self.measures if all(self._level(test, name) for test in tests)]
        return [name for name in names if not any(seen(test, name) for test in tests)]

    def _drawn(self, ability: str, signs: bool = False) -> dict[Level, dict[str, NDArray]]:
        """Random sums of influences, shape (draws,), of each level and measure; one draw of sources for a test."""
        rng, found = np.random.default_rng(self.seed), {}
        for test in self.judged(ability):
            levels = self._tests[test][0]
            count = max(len(each) for level in levels for each in level.influence.values())
            drawn = rng.standard_normal((self.draws, count))
            drawn = np.sign(drawn) if signs else drawn
            for level in levels:
                found[level] = {name: drawn[:, : len(one)] @ one for name, one in level.influence.items()}
        return found

    def ranks(self, ability: str) -> dict[str, tuple[int, int]]:
        """Lowest and highest place (1 is best) of each measure, for all of them together at 95 %.

        Differences that are sure leave the maximum from which the limit comes, until no further one is found (step
        down: Romano and Wolf 2005, *Econometrica* 73; as in the authors' R package csranks by default).
        """
        return self._places[ability]

    @cached_property
    def _places(self) -> dict[str, dict[str, tuple[int, int]]]:
        return {ability: self._ranks(ability) for ability in self.abilities}

    def _ranks(self, ability: str) -> dict[str, tuple[int, int]]:
        names, tests, drawn = self._ranked(ability), self.judged(ability), self._drawn(ability)
        pairs, sizes, sums = list(itertools.combinations(names, 2)), [], []
        for first, second in pairs:
            gap, variance, random = 0.0, 0.0, np.zeros(self.draws)
            for test in tests:
                level = self._level(test, first, second)
                gap += (level.values[first] - level.values[second]) / len(tests)
                apart = ((level.influence[first] - level.influence[second]) ** 2).sum()
                variance += max(apart, (0.5 / level.groups) ** 2) / len(tests) ** 2  # never surer than half a source
                random += (drawn[level][first] - drawn[level][second]) / len(tests)
            sizes.append(gap / np.sqrt(variance))
            sums.append(random / np.sqrt(variance))
        sure, found = None, np.zeros(len(pairs), bool)
        while pairs and not np.array_equal(sure, found):
            sure = found
            # of a sure difference only the other direction, which was not found, stays in the maximum
            one_sided = -np.sign(sizes)[:, None] * np.array(sums)
            largest = np.where(sure[:, None], one_sided, np.abs(sums)).max(axis=0)
            found = np.abs(sizes) > np.quantile(largest, LEVEL)
        below = dict.fromkeys(names, 0)
        above = dict.fromkeys(names, 0)
        for (first, second), size in itertools.compress(zip(pairs, sizes), found):
            better, worse = (first, second) if size > 0 else (second, first)
            above[worse] += 1
            below[better] += 1
        return {name: (1 + above[name], len(names) - below[name]) for name in names}

    @cached_property
    def order(self) -> list[str]:
        """Measures by the number of columns in whose best set they are; among equals the better places, added up."""
        found = self.columns[self.columns["row"].isin(self.measures)]
        best = found.groupby("row")["best"].sum()
        places = found.groupby("row")["rank low"].mean().fillna(99)
        return sorted(best.index, key=lambda name: (-best[name], places[name]))

    def saturated(self, ability: str) -> bool:
        """Whether five measures or more reach .98, so that the column tells no good ones apart."""
        own = self.columns[(self.columns["column"] == ability) & self.columns["row"].isin(self.measures)]
        return int((own["value"] >= 0.98).sum()) >= 5

    def winners(self) -> pandas.DataFrame:
        """What picking the best of many measures adds by chance: chosen on one half of the sources, tried on the other.

        Data splitting (Cox 1975, *Biometrika* 62), over as many random halves as there are draws.

        Returns
        -------
        DataFrame
            For each ability the best measure, its value, the mean value of the measure that was best on the other half,
            and how often that was the same one.
        """
        import pandas

        rows = []
        for ability in self.abilities:
            names, tests, drawn = self._ranked(ability), self.judged(ability), self._drawn(ability, signs=True)
            value, shift = [], []
            for name in names:
                own = [self._level(test, name) for test in tests]
                value.append(np.mean([level.values[name] for level in own]))
                shift.append(np.mean([drawn[level][name] for level in own], axis=0))
            one, other = (np.array(value)[:, None] + sign * np.array(shift) for sign in (1, -1))
            picked = one.argmax(0)
            best = int(np.argmax(value))
            rows.append(
                {"ability": ability, "best": names[best], "value": value[best], "measures": len(names)}
                | {"other half": other[picked, np.arange(self.draws)].mean(), "same": (picked == best).mean()}
            )
        return pandas.DataFrame(rows)


# ---------------------------------------------------------------------------------------------- sentinels and people


def sentinels(items: pandas.DataFrame) -> dict[str, NDArray]:
    """Predictions of a test's labels from one text alone: least squares on its `FEATURES` and their squares.

    Five parts of the sources: each is predicted by what the other four taught.
    """
    label, fold = items["label"].to_numpy(np.float64), items["group"].to_numpy() % 5
    found = {}
    for name, side in zip(SENTINELS, ("source", "candidate")):
        known = items.reindex(columns=[f"{side} {each}" for each in FEATURES]).dropna(axis=1).to_numpy(np.float64)
        known = (known - known.mean(0)) / (known.std(0) + 1e-9)
        known = np.column_stack([np.ones(len(known)), known, known**2])
        values = np.zeros(len(known))
        for part in range(5):
            rest = fold != part
            if rest.any() and not rest.all():
                values[~rest] = known[~rest] @ np.linalg.lstsq(known[rest], label[rest], rcond=None)[0]
        found[name] = np.round(values, 9)
    return found


def people(items: pandas.DataFrame, measures: Iterable[str]) -> dict[str, tuple[Estimate, Estimate]]:
    """How well people and measures agree with the people who rated each pair: like with like.

    Returns
    -------
    dict
        For each measure, and for ``people``, Spearman's rho with *half* of the people (people: the other half), and its
        rho with all of them as a share of what another panel of the same size would reach, which follows from the two
        halves (Spearman 1910 and Brown 1910, *British Journal of Psychology* 3).
    """
    rated, found = items[items["first"].notna()], {}
    people = [rated[side].to_numpy(np.float64) for side in ("first", "second", "label")]
    for name in ("people", *measures):
        values = people[1] if name == "people" else rated[name].to_numpy(np.float64)
        good = np.isfinite(values)
        (first, second, label), values, group = (side[good] for side in people), values[good], rated["group"][good]
        half, half_each = spearman(first, values)
        between, between_each = spearman(first, second)
        whole, whole_each = spearman(label, values)
        panel = 2 * between / (1 + between)
        share = 1.0 if name == "people" else whole / panel
        each = (whole_each - share * 2 / (1 + between) ** 2 * between_each) / panel
        error = 0.0 if name == "people" else _error(each, group)
        n = int(good.sum())
        found[name] = (
            Estimate(half, *interval(half, _error(half_each, group), n, False), n),
            Estimate(share, share - _Z * error, share + _Z * error, n),
        )
    return found


def _error(each: NDArray, group: NDArray) -> float:
    """Standard error from what each pair contributes, pairs of one source together."""
    return float(np.sqrt((np.bincount(group, each) ** 2).sum()))


def within(items: pandas.DataFrame, measures: Iterable[str]) -> dict[str, Estimate]:
    """Share of pairs of candidates of one source that a measure orders as people do, ties calibrated.

    Deutsch, Foster and Freitag (2023, *Ties matter*, EMNLP): a difference below a threshold counts as a tie, which is
    right where people tie. The threshold is chosen on half of the sources and used on the other, both ways.
    """
    found = {}
    group, label = items["group"].to_numpy(), items["label"].to_numpy(np.float64)
    pairs = [(part[a], part[b]) for part in members(group) for a, b in zip(*np.triu_indices(len(part), 1))]
    first, second = np.array(pairs).T
    truth, half = np.sign(label[first] - label[second]), group[first] % 2
    for name in measures:
        values = items[name].to_numpy(np.float64)
        good = np.isfinite(values[first]) & np.isfinite(values[second])
        gap, same, side, own = (values[first] - values[second])[good], truth[good], half[good], group[first][good]
        size, right = np.abs(gap), np.zeros(len(gap))
        for part in (0, 1):
            mine = side != part
            order = np.argsort(size[mine])
            agree, tied = (np.sign(gap) == same)[mine][order], (same == 0)[mine][order]
            gain = np.cumsum(tied.astype(int) - agree.astype(int))
            at = int(np.argmax(gain))
            limit = size[mine][order][at] if gain[at] > 0 else -1.0
            right[~mine] = np.where(size <= limit, same == 0, np.sign(gap) == same)[~mine]
        value = float(right.mean())
        error = _error((right - value) / len(right), own)
        found[name] = Estimate(value, *interval(value, error, len(set(own)), True), len(right))
    return found


def systems(items: pandas.DataFrame, measures: Iterable[str], draws: int = 500) -> dict[str, Estimate]:
    """Soft pairwise accuracy over systems that wrote a candidate for the same sources.

    Thompson, Mathur, Deutsch and Khayrallah (2024, WMT): one minus the mean difference of two p-values, people's and
    the measure's, that the first system of a pair is better; by exchanging their candidates of single sources. The
    interval leaves out one source after another (jackknife; Efron 1982); n is the number of sources.
    """
    rng, found = np.random.default_rng(0), {}
    people: list[NDArray] = []
    for name in ("label", *measures):
        table = items.pivot_table(index="group", columns="item", values=name).replace([np.inf, -np.inf], np.nan)
        table = table.dropna(axis=1, thresh=int(0.9 * len(table))).dropna()
        one, two = np.triu_indices(table.shape[1], 1)
        gaps = table.to_numpy()[:, one] - table.to_numpy()[:, two]
        if len(table) < 20 or (people and people[1].shape != gaps.shape):
            continue
        if not people:
            signs = rng.choice((-1.0, 1.0), (draws, len(table)))
        sums, whole = signs @ gaps, gaps.sum(0)
        better = (sums >= whole).sum(0)
        without = np.array([(sums - np.outer(s, gap) >= whole - gap).sum(0) for s, gap in zip(signs.T, gaps)])
        chances = [(count + 1) / (draws + 1) for count in (better, without)]
        people = people or chances
        if name != "label":
            value, each = (1 - np.abs(p - q).mean(-1) for p, q in zip(chances, people))
            n = len(table)
            error = float(np.sqrt((n - 1) / n * ((each - each.mean()) ** 2).sum()))
            found[name] = Estimate(float(value), *interval(float(value), error, n, True), n)
    return found
