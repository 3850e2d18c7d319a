"""What a resource really links, and what becomes of the rankings when pairs are filtered or matched otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nbhelpers.base import plots, stats
from nbhelpers.language import STOP_WORDS
from nbhelpers.studies.paraphrase.collections import SummaryCollection
from nbhelpers.studies.paraphrase.experiment import (
    BASELINE,
    Plan,
    compare,
    evaluate_scores,
    make_plan,
    match_scores,
    p_values,
    spearman_rows,
)
from nbhelpers.studies.paraphrase.matcher import STEPS, Index, Match, MatchSettings
from nbhelpers.studies.paraphrase.tables import Expression, ParaphraseTable, shuffled
from nbhelpers.studies.paraphrase.tokens import FUNCTION_TAGS, coarse_tags, tokenize

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KINDS = ("with a function word", "with a number", "another form of the word", "synonym in WordNet", "other words")
"""Kinds of paraphrase links; a link is of the first kind that fits."""

SAME = "the same word (step 3)"


def is_function(expression: Expression, language: str) -> bool:
    """Whether an expression consists of function words only.

    Examples
    --------
    >>> is_function(("of", "the"), "en"), is_function(("the", "car"), "en")
    (True, False)
    """
    if language == "en":
        return set(expression) <= STOP_WORDS
    return set(coarse_tags(expression, "ja")) <= FUNCTION_TAGS


def without_function_words(table: ParaphraseTable) -> ParaphraseTable:
    """The pairs in which neither side consists of function words only.

    Examples
    --------
    >>> table = ParaphraseTable("SMT", "en", {("the",): {("a",): 0.5}, ("car",): {("auto",): 0.5}}, "made up")
    >>> without_function_words(table).pairs
    {('car',): {('auto',): 0.5}}
    """
    pairs = {
        x: kept
        for x, targets in table.pairs.items()
        if not is_function(x, table.language)
        and (kept := {y: score for y, score in targets.items() if not is_function(y, table.language)})
    }
    return replace(table, pairs=pairs, signature=f"{table.signature}|no function words")


def kind_of(x: Expression, y: Expression, tables: Mapping[str, ParaphraseTable]) -> str:
    """Which of `KINDS` a pair is, by its words and by the tables N (variants) and W (WordNet)."""
    if is_function(x, tables["W"].language) or is_function(y, tables["W"].language):
        return KINDS[0]
    if any(character.isdigit() for word in (*x, *y) for character in word):
        return KINDS[1]
    for letter, kind in (("N", KINDS[2]), ("W", KINDS[3])):
        if y in tables[letter].pairs.get(x, ()):
            return kind
    return KINDS[4]


def linked(
    plan: Plan, tables: Mapping[str, ParaphraseTable], letter: str = "S", experiment: str = "EX-4", **options: int
) -> tuple[list[dict[str, Any]], Counter[tuple[str, str]]]:
    """What one resource links in an experiment, by kind.

    Parameters
    ----------
    plan : Plan
    tables : mapping of str to ParaphraseTable
        The resource itself, and N and W, which say what kind a link is.
    letter, experiment : str
    **options : int
        ``resamples`` and ``seed`` of the intervals.

    Returns
    -------
    list of dict
        Rows for the ledger: for each kind its share of the links, and Spearman's correlation, topic by topic, of the
        share of the reference's words that such links match with people's scores.
    collections.Counter
        How often each pair of expressions was linked.
    """
    index, seen = Index([tables[letter]]), Counter()
    counts: Counter[str] = Counter()
    shares: dict[str, list[list[float]]] = {}
    for row in plan.rows:
        if row.experiment != experiment:
            continue
        found = index.match(*(tokenize(one.text, plan.language) for one in (row.references[0], row.candidate)))
        words = dict.fromkeys((SAME, *KINDS), 0)
        for link in found.links:
            x, y = (
                tuple(getattr(found, side)[place] for place in getattr(link, side))
                for side in ("reference", "candidate")
            )
            kind = kind_of(x, y, tables) if link.step < 3 else SAME
            words[kind] += len(x)
            counts[kind] += 1
            if link.step < 3:
                seen[" ".join(x), " ".join(y)] += 1
        numbers = [count / len(found.reference) for count in words.values()]
        shares.setdefault(row.topic, []).append([row.candidate.score, *numbers])
    total = sum(seen.values())
    rho = np.array([spearman_rows(np.array(topic).T[1:], np.array(topic).T[0]) for topic in shares.values()])
    rows = []
    for kind, values in zip((SAME, *KINDS), rho.T):
        note = f"{counts[kind]} links"
        if kind != SAME and total:
            rows.append({"row": kind, "column": "share of the links", "value": counts[kind] / total, "n": total})
        defined = values[~np.isnan(values)]
        value = stats.bootstrap(defined, **options) if len(defined) > 1 else None
        note += "" if value else "; too few topics have such links"
        rows.append({"row": kind, "column": "Spearman with people", "value": value, "note": note})
    return rows, seen


def passage_rows(passages: Any, tables: Mapping[str, ParaphraseTable], **options: int) -> list[dict[str, Any]]:
    """How well recall tells passages that say the same from others, by resource, topics resampled.

    Parameters
    ----------
    passages : nbhelpers.studies.pyramid.PairTest
    tables : mapping of str to ParaphraseTable
        S, D, W and N.
    **options : int
        ``resamples`` and ``seed``.

    Returns
    -------
    list of dict
        Rows for the ledger: area under the ROC curve, mean over topics, and its paired difference from ROUGE-1's. The
        recall of a pair is the mean of both directions; *Random pairs* are those of S, dealt out again; *Same stem* is
        the baseline of N (`same_stem`).
    """
    words = {one.text: tokenize(one.text, tables["W"].language) for one in passages.segments}
    given = {**tables, "R": shuffled(tables["S"]), "P": same_stem({word for text in words.values() for word in text})}
    index = Index([replace(table, name=letter) for letter, table in given.items()])
    methods = {BASELINE: "", **{name: name for name in ("S", "D", "W", "N", "WN", "SDW", "SDWN")}}
    methods |= {"Same stem": "P", "Random pairs": "R"}
    asked = list(methods.values())
    scores = np.array(
        [
            index.recalls([words[x]], words[y], asked) + index.recalls([words[y]], words[x], asked)
            for x, y, _ in passages.pairs()
        ]
    )
    places = [passages.topic == topic for topic in range(len(passages.topics))]
    areas = np.array([[stats.roc_auc(passages.same[at], column[at]) for at in places] for column in scores.T])
    note = f"{passages.positives} pairs of one unit, {passages.negatives} of different ones"
    rows = []
    for name, one in compare(list(methods), areas, BASELINE, options).items():
        rows.append({"row": name, "column": "AUC", "value": one.mean, "note": note})
        if one.difference:
            tests = p_values(one, len(methods) - 1, options["resamples"])
            rows.append({"row": name, "column": "minus ROUGE-1", "value": one.difference, "note": tests})
    pair = ["Same stem", "N"]
    ours = compare(pair, areas[[list(methods).index(name) for name in pair]], pair[0], options)["N"]
    if ours.difference:
        tests = p_values(ours, 1, options["resamples"])
        rows.append({"row": "N minus Same stem", "column": "AUC", "value": ours.difference, "note": tests})
    return rows


def same_stem(words: Collection[str]) -> ParaphraseTable:
    """English words that have the same stem by Porter's algorithm ("An algorithm for suffix stripping", 1980).

    Examples
    --------
    >>> same_stem(["complain", "complains", "port"]).pairs
    {('complain',): {('complains',): 1.0}, ('complains',): {('complain',): 1.0}}
    """
    from nltk.stem import PorterStemmer

    stem, groups = PorterStemmer().stem, {}
    for word in sorted(set(words)):
        groups.setdefault(stem(word), []).append(word)
    pairs = {(x,): {(y,): 1.0 for y in group if y != x} for group in groups.values() if len(group) > 1 for x in group}
    return ParaphraseTable("Same stem", "en", pairs, "porter|nltk")


def filter_rows(
    collection: SummaryCollection,
    tables: Mapping[str, ParaphraseTable],
    filters: Mapping[str, Callable[[ParaphraseTable], ParaphraseTable]],
    **options: int,
) -> list[dict[str, Any]]:
    """What filtered versions of S gain over S, and how they compare with ROUGE-1, in every experiment.

    Parameters
    ----------
    collection : SummaryCollection
    tables : mapping of str to ParaphraseTable
    filters : mapping of str to callable
        Makes another table out of S, by name.
    **options : int
        ``resamples`` and ``seed``.
    """
    rows = []
    letters = dict(zip(filters, "abcdefgh"))
    given = {"S": tables["S"], **{letter: filters[name](tables["S"]) for name, letter in letters.items()}}
    for mode in ("top", "each") if any(topic.references for topic in collection) else ("top",):
        plan = make_plan(collection, reference=mode)
        scores = match_scores(plan, given, list(given))
        named = {"S": scores["S"], **{name: scores[letter] for name, letter in letters.items()}}
        for column, baseline in (("Spearman gained", "S"), ("minus ROUGE-1", BASELINE)):
            results = evaluate_scores(plan, named | {baseline: scores[baseline]}, baseline=baseline, **options)
            for which, result in results.experiments.items():
                for name in filters:
                    one = result.methods[name]
                    cell = {"row": f"{plan.collection}, {which}: S with {name}", "column": column}
                    note = p_values(one, len(result.methods) - 1, options["resamples"]) or "too few topics"
                    rows.append(cell | {"value": one.difference, "signature": plan.signature, "note": note})
    return rows


CHOICES: dict[str, dict[str, Any]] = {
    "greedy, as above": {},
    "optimal": {"matching": "optimal"},
    "literals: last": {"literals": "last"},
    "literals: first": {"literals": "first"},
    "phrases: left to right": {"phrases": "left-to-right"},
    "words not used up": {"clip": False},
    "tables read both ways": {"direction": "both"},
    "tables read backwards": {"direction": "candidate"},
}
"""What section 4.1 leaves open, one choice changed at a time."""


def choice_rows(
    collection: SummaryCollection, tables: Mapping[str, ParaphraseTable], **options: int
) -> tuple[list[dict[str, Any]], NDArray[np.bool_]]:
    """All resources together with each of `CHOICES`, all summaries ranked against each written reference.

    Returns
    -------
    list of dict
        Rows for the ledger: the mean correlation and its paired difference from ROUGE-1's.
    bool array (comparisons,)
        Where greedy matching finds a lower recall than is possible.
    """
    plan = make_plan(collection, reference="each")
    plan = replace(plan, rows=tuple(row for row in plan.rows if row.experiment == "all-each"))
    scores: dict[str, NDArray] = {}
    for name, changed in CHOICES.items():
        found = match_scores(plan, tables, ["".join(tables)], MatchSettings(**changed))
        scores |= {BASELINE: found[BASELINE], name: found["".join(tables)]}
    results = evaluate_scores(plan, scores, **options).experiments["all-each"].methods
    rows = []
    for name, one in results.items():
        line = {"row": name, "signature": MatchSettings(**CHOICES.get(name, {})).signature}
        rows.append(line | {"column": "all-each", "value": one.mean})
        if one.difference:
            note = p_values(one, len(results) - 1, options["resamples"])
            rows.append(line | {"column": "minus ROUGE-1", "value": one.difference, "note": note})
    return rows, scores["optimal"] > scores["greedy, as above"] + 1e-12


def draw_match(found: Match, axes: Axes) -> None:
    """Draw both texts as rows of boxes, coloured by step, with a line for each link."""
    styles = {1: (plots.PALETTE[1], "-"), 2: (plots.PALETTE[0], "--"), 3: (plots.PALETTE[2], ":")}
    middles = {}
    for side, height in (("reference", 1.0), ("candidate", 0.0)):
        left = 0.0
        for place, (word, link) in enumerate(found.marks(side)):
            middle = middles[side, place] = left + 0.55 + 0.31 * len(word)
            left += 1.45 + 0.62 * len(word)
            edge = styles[link.step][0] if link else "0.45"
            text, face = ("white", edge) if link else ("black", "white")
            box = {"boxstyle": "round,pad=0.25", "facecolor": face, "edgecolor": edge}
            axes.text(middle, height, word, ha="center", va="center", fontsize=13, color=text, bbox=box)
        axes.text(-0.4, height, side, ha="right", va="center", fontsize=12)
    for link in found.links:
        colour, style = styles[link.step]
        ends = [np.mean([middles[side, place] for place in getattr(link, side)]) for side in ("reference", "candidate")]
        axes.plot(ends, [0.86, 0.14], color=colour, linestyle=style, marker="", linewidth=2)
    right = max(14.0, *middles.values())  # short texts leave room for what stands below
    for step, label in STEPS.items():
        at = right * (0.15 + 0.25 * (step - 1))
        axes.text(at, -0.72, f"{step} {label}", color=styles[step][0], fontsize=13, weight="bold")
    axes.text(right * 0.9, -0.72, "white: not matched", fontsize=12, ha="center")
    axes.set(xlim=(-0.5, right + 2), ylim=(-0.85, 1.4))
    axes.axis("off")
