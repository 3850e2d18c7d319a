"""The numbers of the article's tables as rows for the ledger (`nbhelpers.results.ledger.record_rows`).

Intervals over all pairs resample source sentences, each with all its pairs: pairs of one source are not independent.
Intervals over the ten folds allow for what the folds share (`experiment.fold_interval`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbhelpers.base.stats import Estimate, bootstrap, paired_bootstrap, proportion, roc_auc_interval
from nbhelpers.language.tokens import STOP_WORDS, is_word, tokenize
from nbhelpers.metrics import SPECIFICATIONS, Metric, load_all, score_all
from nbhelpers.resources.csmd import Csmd, RatedPair, normalized, read_word_soups
from nbhelpers.studies.meaningbert import experiment, sanity
from nbhelpers.studies.meaningbert.audits import unseen
from nbhelpers.studies.meaningbert.splits import Split

Rows = list[dict[str, Any]]

TRIVIAL = ("length-ratio", "source-recall", "token-f1")
"""Predictors that no metric should be worse than."""

VECTORS = ("bertscore-precision", "bertscore-recall", "bertscore-f1", "sentence-transformer")
"""Metrics built on a language model that the article puts into its upper group and that run here."""

WORDS = ("bleu", "ibleu", "fkbleu", "meteor", "sari", "ter", "fkgl") + tuple(
    f"rouge{kind}-{part}" for kind in "12L" for part in ("precision", "recall", "f1")
)
"""Metrics of shared words."""

TABLE5 = (
    "FKGL|BERTScore precision|BERTScore recall|BERTScore F1|BLANC|BLEU|AM of BLEU and SAMSA|GM of BLEU and SAMSA|"
    "BLEURT|Coverage|iBLEU|FKBLEU|LENS|METEOR|QuestEval|ROUGE-1 F1|ROUGE-2 F1|ROUGE-L F1|SARI|Sentence Transformer|TER|"
    "MeaningBERT without DA|MeaningBERT with DA"
).split("|")
"""The rows of the article's Tables 5 to 7; it does not say which ROUGE it means."""

ARTICLE = (*VECTORS, *(name for name in WORDS if not name.endswith(("precision", "recall")) and name != "fkgl"))
"""The article's metrics that have a rating and are fast, one for each of its rows (F1 of each ROUGE)."""

NAMES = {"ASSET": "ASSET", "Simplicity-DA": "Simplicity-DA", "SimpDA-2022": "SimpDA2022", "QuestEval": "QuestEval"}
"""The article's names of the four collections, in the order of its tables."""


# ------------------------------------------------------------------------------------- Tables 1 to 3: the collections


def collection_rows(pairs: Sequence[RatedPair]) -> dict[str, Rows]:
    """Tables 1 to 3 of pairs that know their collection: counts, texts and ratings, as ``table1`` to ``table3``.

    Words hold a letter or a digit and are lower-cased; lexical words are no function words. Lexical richness is what
    the authors' code computes: different lexical words over all lexical words.
    """
    parts = {title: [pair for pair in pairs if pair.origin == name] for name, title in NAMES.items()}
    tables: dict[str, Rows] = {"table1": [], "table2": [], "table3": []}
    for name, own in {**parts, "Merged": list(pairs)}.items():
        people = np.array([pair.rating for pair in own])
        counts = {
            "Pairs": len(own),
            "Different pairs": len({(normalized(pair.source), normalized(pair.candidate)) for pair in own}),
            "Source sentences": len({normalized(pair.source) for pair in own}),
            "Mean rating": float(people.mean()),
        }
        tables["table1"] += [
            {"row": name, "column": key, "value": value, "n": len(own)} for key, value in counts.items()
        ]
        spread = {"Min": people.min(), "Max": people.max(), "Mean": people.mean()}
        spread |= {"Standard deviation": people.std(ddof=1)}
        spread |= zip(("25 % quartile", "Median", "75 % quartile"), np.quantile(people, (0.25, 0.5, 0.75)))
        tables["table3"] += [
            {"row": key, "column": name, "value": float(value), "n": len(own)} for key, value in spread.items()
        ]
    for name, own in parts.items():
        for side, kind in (("source", "source"), ("candidate", "simplification")):
            for row, value in _text_statistics([getattr(pair, side) for pair in own]).items():
                tables["table2"].append({"row": row, "column": f"{name} {kind}", "value": value, "n": len(own)})
    return tables


def _text_statistics(texts: Sequence[str]) -> dict[str, float]:
    words = [token.lower() for text in texts for token in tokenize(text) if is_word(token)]
    lexical = [word for word in words if word not in STOP_WORDS]
    return {
        "Vocabulary size": len(set(words)),
        "Vocabulary size, lexical words (LW)": len(set(lexical)),
        "Average sentence length, tokens": len(words) / len(texts),
        "Average sentence length, LW": len(lexical) / len(texts),
        "Lexical richness": len(set(lexical)) / len(lexical),
    }


# ----------------------------------------------------------------------------------------- Table 5: metrics and people


@dataclass(frozen=True)
class Scored:
    """Metrics over a list of pairs.

    Attributes
    ----------
    values : dict of str to array (n,)
        By name: ratings from 0 to 100 where the metric has them, else its values; more is always more alike.
    scaled : dict of str to bool
        Whether the values are such ratings.
    common : dict of str to dict
        For each metric what its rows in the ledger share: row, signature and seconds.
    missing : dict of str to str
        By title: why there are no values.
    """

    values: dict[str, NDArray[np.float64]]
    scaled: dict[str, bool]
    common: dict[str, dict[str, Any]]
    missing: dict[str, str]


def score(pairs: Sequence[RatedPair], metrics: Sequence[str | Metric]) -> Scored:
    """Values of metrics, turned so that more is more alike.

    Examples
    --------
    >>> from nbhelpers.resources.csmd import RatedPair
    >>> score([RatedPair("A cold rain fell.", "Rain fell.", 80, 1)], ["ter"]).values["ter"].round(1).tolist()
    [50.0]
    """
    loaded, missing = load_all(metrics)
    texts = [pair.source for pair in pairs], [pair.candidate for pair in pairs]
    found = score_all(*texts, metrics=list(loaded.values()), progress=len(pairs) > 1000)
    values, scaled, common = {}, {}, {}
    for name, given in found["values"].items():
        ratings = loaded[name].ratings(given)
        values[name] = ratings if ratings is not None else given if loaded[name].higher_means_same else -given
        scaled[name] = ratings is not None
        signature = loaded[name].signature_for(None)
        title = loaded[name].title + (", uncalibrated" if "calibrated:no" in signature else "")
        common[name] = {"row": title, "signature": signature, "seconds": found["seconds"][name]}
    titles = {name: (loaded.get(name) or SPECIFICATIONS[name]).title for name in missing | found["missing"]}
    reasons = {titles[name]: reason for name, reason in (missing | found["missing"]).items()}
    return Scored(values, scaled, common, reasons)


def source_sums(ratings: ArrayLike, people: ArrayLike, sources: Sequence[str]) -> NDArray[np.float64]:
    """What correlation and errors are made of, summed over the pairs of each source sentence: shape (sources, 7)."""
    given, wanted = np.asarray(ratings, dtype=np.float64), np.asarray(people, dtype=np.float64)
    place = {text: number for number, text in enumerate(dict.fromkeys(map(normalized, sources)))}
    number = [place[normalized(text)] for text in sources]
    columns = np.ones_like(given), given, wanted, given**2, wanted**2, given * wanted, (given - wanted) ** 2
    return np.stack([np.bincount(number, weights=column) for column in columns], axis=1)


def _totals(sums: NDArray) -> NDArray:
    """Seven totals for each of k lists that stand side by side: shape (7, k)."""
    return sums.sum(axis=0).reshape(-1, 7).T


def _correlations(sums: NDArray) -> NDArray:
    n, x, y, xx, yy, xy, _ = _totals(sums)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (n * xy - x * y) / np.sqrt((n * xx - x * x) * (n * yy - y * y))


def pearson(sums: NDArray) -> float:
    """Pearson's correlation from `source_sums`; of several lists side by side the mean."""
    return float(_correlations(sums).mean())


def r_squared(sums: NDArray) -> float:
    """Coefficient of determination of ratings, as `pearson`."""
    n, _, y, _, yy, _, error = _totals(sums)
    return float((1 - error / (yy - y * y / n)).mean())


def rmse(sums: NDArray) -> float:
    """Root of the mean square error of ratings, as `pearson`."""
    n, *_, error = _totals(sums)
    return float(np.sqrt(error / n).mean())


MEASURES: dict[str, Callable[[NDArray], float]] = {"Pearson": pearson, "R2": r_squared, "RMSE": rmse}


def agreement_rows(
    scored: Scored, pairs: Sequence[RatedPair], parts: Sequence[Split] = (), resamples: int = 1000
) -> Rows:
    """Every metric beside people: over all pairs, within collections where pairs have one, and over folds."""
    people, sources = np.array([pair.rating for pair in pairs]), [pair.source for pair in pairs]
    groups = [pair.origin for pair in pairs]
    note = f"{len(set(map(normalized, sources)))} source sentences resampled"
    rows: Rows = []

    def add(column: str, value: Estimate, **common: Any) -> None:
        rows.append({"column": column, "value": value, "n": len(pairs), "note": note, **common})

    for name, values in scored.values.items():
        sums, common = source_sums(values, people, sources), scored.common[name]
        for measure, function in MEASURES.items():
            if measure == "Pearson" or scored.scaled[name]:
                add(f"{measure}, all pairs", bootstrap(sums, function, resamples=resamples), **common)
        if parts:
            inside = source_sums(experiment.centred(values, groups), experiment.centred(people, groups), sources)
            add("Pearson, within collections", bootstrap(inside, pearson, resamples=resamples), **common)
            folds = experiment.folds_of_metric(values, people, parts)
            rows += fold_rows(experiment.summarise(folds, scaled=scored.scaled[name]), parts, **common)
            if not scored.scaled[name]:
                reason = {"value": None, "note": "no rating of 0 to 100", **common}
                rows += [{"column": f"{measure}, mean of {len(parts)} folds", **reason} for measure in ("R2", "RMSE")]
    if parts:
        means = experiment.folds_of_group_means(groups, people, parts)
        rows += fold_rows(
            experiment.summarise(means), parts, row="Mean of the pair's collection", signature="group mean"
        )
    for title, reason in scored.missing.items():
        columns = ["Pearson, all pairs", *(f"Pearson, mean of {len(parts)} folds" for _ in parts[:1])]
        rows += [{"row": title, "column": column, "value": None, "note": reason} for column in columns]
    return rows


def fold_rows(summary: Mapping[str, experiment.FoldMean], parts: Sequence[Split], **common: Any) -> Rows:
    """Means over folds (`experiment.summarise`) with intervals, and the standard deviations."""
    rows: Rows = []
    test, train = len(parts[0].test), len(parts[0].train)
    for measure, over in summary.items():
        mean = experiment.fold_interval(over, test, train) if over[2] > 1 else over[0]
        here = {"n": test, "note": f"{over[2]} overlapping folds of {test} pairs", **common}
        rows.append({"column": f"{measure}, mean of {over[2]} folds", "value": mean, **here})
        rows.append({"column": f"{measure}, standard deviation over folds", "value": over[1], **here})
    return rows


def gap_rows(scored: Scored, pairs: Sequence[RatedPair], resamples: int = 1000) -> Rows:
    """Does every metric of vectors correlate better than every metric of words?

    Weakest and strongest are chosen anew in each resample of source sentences.
    """
    people, sources = [pair.rating for pair in pairs], [pair.source for pair in pairs]
    upper, lower = ([name for name in some if name in scored.values] for some in (VECTORS, WORDS))

    def difference(sums: NDArray) -> float:
        values = _correlations(sums)
        return float(values[: len(upper)].min() - values[len(upper) :].max())

    sums = np.hstack([source_sums(scored.values[name], people, sources) for name in upper + lower])
    value = bootstrap(sums, difference, resamples=resamples)
    note = f"{len(upper)} metrics of vectors, {len(lower)} of words; {len(sums)} source sentences resampled"
    row = "Weakest metric of vectors minus strongest of words"
    return [{"row": row, "column": "Pearson, all pairs", "value": value, "n": len(pairs), "note": note}]


# --------------------------------------------------------------------------------------- Tables 6 and 7: sanity checks


def sanity_rows(
    metrics: Sequence[str | Metric], identical: Mapping[str, Sequence], unrelated: Mapping[str, Sequence]
) -> dict[str, Rows]:
    """Both checks for every metric (``table6``, ``table7``), and how many of the article's metrics are perfect.

    A metric that has no rating of 0 to 100, that cannot run here or that refuses a text has rows with the reason.

    Parameters
    ----------
    metrics : sequence of str or Metric
    identical, unrelated : mapping of str to pairs
        Lists of anything with a ``source`` and a ``candidate``, by the name that their columns begin with.

    Examples
    --------
    >>> from nbhelpers.resources.csmd import RatedPair
    >>> same, other = RatedPair("It rained.", "It rained.", 100, 1), RatedPair("It rained.", "Two cats sleep.", 0, 1)
    >>> sanity_rows(["token-f1"], {"same": [same]}, {"other": [other]})["table6"][0]["column"]
    'same ≥ 95'
    """
    lists = {**identical, **unrelated}
    scored = score([pair for pairs in lists.values() for pair in pairs], metrics)
    ends = np.cumsum([len(pairs) for pairs in lists.values()])
    ratings = {name: np.split(values, ends[:-1]) for name, values in scored.values.items() if scored.scaled[name]}
    tables: dict[str, Rows] = {}
    for place, title in enumerate(lists):
        kind, sign, table = ("identical", "≥", "table6") if title in identical else ("unrelated", "≤", "table7")
        rows = tables.setdefault(table, [])
        columns = {threshold: f"{title} {sign} {threshold}" for threshold in sanity.THRESHOLDS[kind]}
        shares = {name: sanity.shares(given[place], kind) for name, given in ratings.items()}
        for name, own in shares.items():
            rows += [{"column": column, "value": own[at], **scored.common[name]} for at, column in columns.items()]
        reasons = {
            common["row"]: "no rating of 0 to 100" for name, common in scored.common.items() if name not in shares
        }
        for row, note in {**reasons, **scored.missing}.items():
            rows += [{"row": row, "column": column, "value": None, "note": note} for column in columns.values()]
        for at, column in columns.items():
            passed = [own[at].value == 1 for name, own in shares.items() if name in ARTICLE]
            if passed:
                rows.append({"row": "Perfect metrics", "column": column, "value": sum(passed), "n": len(passed)})
    return tables


def holdouts(csmd: Csmd) -> tuple[dict[str, Sequence[RatedPair]], dict[str, Sequence[RatedPair]]]:
    """CSMD's lists of identical and of unrelated pairs, and those whose source the shipped MeaningBERT has not seen."""
    seen = [*csmd.train, *csmd.dev]
    lists = {"CSMD, identical": csmd.identical, "CSMD, unrelated": csmd.unrelated}
    lists |= {f"{name}, new sources": unseen(seen, pairs) for name, pairs in lists.items()}
    lists["CSMD, word soup"] = read_word_soups()["unrelated"]
    identical = {name: pairs for name, pairs in lists.items() if "identical" in name}
    return identical, {name: pairs for name, pairs in lists.items() if name not in identical}


# ------------------------------------------------------------------------------------------- trainings, fold by fold

RIVALS = ("sentence-transformer", "bertscore-recall", "length-ratio")
"""Untrained metrics that a trained one is compared with, fold by fold."""


def table_of(labels: str, split: str) -> str:
    """Name of the table of one way of labels and splits: ``table5`` is the article's own."""
    return "table5" if (labels, split) == ("published", "random") else f"table5 {labels} {split}"


def _differences(
    first: Sequence, second: Sequence, parts: Sequence[Split], row: str, columns: Mapping[str, Mapping[str, Any]]
) -> Rows:
    """Differences paired by fold, on as many folds as either has; `columns` gives the options of `each_fold`."""
    both = list(zip(*zip(first, second)))
    values = {
        measure: experiment.over_folds(np.subtract(*(experiment.each_fold(one, **how) for one in both)))
        for measure, how in columns.items()
    }
    return [one for one in fold_rows(values, parts, row=row) if "mean of" in one["column"]]


def training_rows(
    trained: Mapping[tuple[str, str, str], Sequence[Mapping[str, Any]]],
    rated: Mapping[str, Sequence[RatedPair]],
    scored: Scored,
) -> dict[str, Rows]:
    """What trainings reach on their folds, and paired by fold what they gain, by name of the table.

    Parameters
    ----------
    trained : mapping
        `experiment.run_folds` by labels, split and kind (``with DA``, ``without DA`` or ``with DA, all layers``).
    rated : mapping
        For each kind of labels the pairs, in the order of construction and with their collections.
    scored : Scored
        The untrained rivals on the same pairs.
    """
    tables: dict[str, Rows] = {}
    known: dict[tuple[str, str], list] = {}
    for (labels, split, kind), results in trained.items():
        parts = experiment.all_folds(rated[labels], split)
        for judged in dict.fromkeys([labels, "restored"]):
            people, groups = np.array([p.rating for p in rated[judged]]), [p.origin for p in rated[judged]]
            table = f"trained on {labels} {split}, judged by {judged}" if judged != labels else table_of(labels, split)
            tested = [[groups[place] for place in part.test] for part in parts]
            given = [
                (one["dev"], people[list(part.dev)], one["test"], people[list(part.test)])
                for one, part in zip(results, parts)
            ]
            rows, row = tables.setdefault(table, []), f"MeaningBERT {kind}"
            rows += fold_rows(experiment.summarise(given), parts, row=row)
            known[table, kind] = given
            columns: dict[str, dict[str, Any]] = {"Pearson": {}, "Pearson within collections": {"groups": tested}}
            inside = {"Pearson within collections": experiment.over_folds(experiment.each_fold(given, groups=tested))}
            rows += fold_rows(inside, parts, row=row)[:1]
            for rival in RIVALS if kind != "without DA" else ():
                other = experiment.folds_of_metric(scored.values[rival], people, parts)
                rows += _differences(given, other, parts, f"{row} minus {SPECIFICATIONS[rival].title}", columns)
            errors = {"Pearson": {}, "R2": {"measure": "r2"}, "RMSE": {"measure": "rmse"}}
            for better, worse in (("with DA", "without DA"), ("with DA, all layers", "with DA")):
                if kind == better and (table, worse) in known:
                    rows += _differences(
                        given, known[table, worse], parts, f"MeaningBERT {better} minus {worse}", errors
                    )
    return tables


# -------------------------------------------------------------------------------- what passes the checks unnoticed

KEPT = ("lexical paraphrase", "syntactic paraphrase", "simplification", "sentence split")
TURNED = ("negation", "reversal", "role swap")
"""Kinds of the project's own pairs that mostly keep the meaning, and that mostly turn it with few words changed."""


def notice_rows(scored: Scored, pairs: Sequence[RatedPair], resamples: int = 1000) -> Rows:
    """How many pairs of turned meaning are rated 80 or more, and whether kept meaning is rated above it (AUC).

    People's ratings decide within the kinds: a pair of `TURNED` counts if it has less than 50, one of `KEPT` from 80.
    """
    kinds, people = np.array([pair.origin for pair in pairs]), np.array([pair.rating for pair in pairs])
    turned, kept = np.isin(kinds, TURNED) & (people < 50), np.isin(kinds, KEPT) & (people >= 80)
    rows = []
    for name, values in scored.values.items():
        common = scored.common[name]
        for kind in TURNED if scored.scaled[name] else ():
            rows.append(
                {"column": f"{kind} rated ≥ 80", "value": proportion(values[turned & (kinds == kind)] >= 80), **common}
            )
        chosen = turned | kept
        groups = [normalized(pair.source) for pair, taken in zip(pairs, chosen) if taken]
        area = roc_auc_interval(kept[chosen], values[chosen], groups=groups, resamples=resamples)
        rows.append({"column": "AUC, kept against turned", "value": area, **common})
    return rows


# ------------------------------------------------------------------------------ the test part that holds easy pairs


def released_rows(
    csmd: Csmd, trained: Mapping[str, Sequence[Mapping[str, Any]]], resamples: int = 1000
) -> dict[str, Rows]:
    """Every system on every released test part (``test parts``), and the sanity checks of the models trained here.

    Parameters
    ----------
    csmd : Csmd
    trained : mapping
        From `experiment.train_released`; with several seeds measures are means over them, and the sanity checks are
        those of the first.
    resamples : int
    """
    lists = experiment.released_lists(csmd, read_word_soups())
    parts = {name: pairs for name, pairs in lists.items() if "CSMD" not in name}
    scored = score([pair for pairs in parts.values() for pair in pairs], (*TRIVIAL, *ARTICLE, "meaningbert"))
    ends = np.cumsum([len(pairs) for pairs in parts.values()])[:-1]
    systems = {
        common["row"]: [dict(zip(parts, np.split(scored.values[name], ends)))] for name, common in scored.common.items()
    }
    systems |= {f"MeaningBERT {kind}": list(results) for kind, results in trained.items()}
    tables: dict[str, Rows] = {"test parts": [], "table6": [], "table7": []}
    for name, pairs in parts.items():
        people, sources = [pair.rating for pair in pairs], [pair.source for pair in pairs]
        sums = {
            row: np.hstack([source_sums(one[name], people, sources) for one in runs]) for row, runs in systems.items()
        }
        for measure, function in MEASURES.items():
            column = {"column": f"{measure}, {name}", "n": len(pairs)}
            for row, own in sums.items():
                value = bootstrap(own, function, resamples=resamples)
                tables["test parts"].append({"row": row, "value": value, **column})
            if trained:
                first, second = (sums[f"MeaningBERT {kind}"] for kind in ("with DA", "without DA"))
                value = paired_bootstrap(first, second, statistic=function, resamples=resamples)
                tables["test parts"].append({"row": "MeaningBERT with DA minus without DA", "value": value, **column})
    for kind, results in trained.items():
        for name in lists.keys() - parts.keys():
            check, sign, table = ("identical", "≥", "table6") if "identical" in name else ("unrelated", "≤", "table7")
            for at, value in sanity.shares(np.clip(results[0][name], 0, 100), check).items():
                row = {"row": f"MeaningBERT {kind}", "column": f"{name} {sign} {at}", "value": value}
                tables[table].append(row | {"note": "trained on the released parts, ratings cut to 0 to 100"})
    return tables
