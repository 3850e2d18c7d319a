"""Plans, rankings and recorded rows of the paraphrase study: hand-worked collections, golden values, bad input."""

import dataclasses
import math

import numpy as np
import pytest
from refused import refused

from nbhelpers.base import paths
from nbhelpers.base.stats import Estimate
from nbhelpers.studies.paraphrase import experiment, links
from nbhelpers.studies.paraphrase.collections import CandidateSummary, SummaryCollection, SummaryTopic
from nbhelpers.studies.paraphrase.experiment import BASELINE, evaluate_scores, make_plan, match_scores
from nbhelpers.studies.paraphrase.tables import ParaphraseTable, shuffled


def topic(name: str, references: str, candidates: str) -> SummaryTopic:
    """From lines such as ``E1 extract 0.5 the words``, between semicolons; the score may be ``-``."""
    rows = ([line.split(maxsplit=3) for line in part.split("; ") if line] for part in (references, candidates))
    found = (
        tuple(
            CandidateSummary(one, kind, text, None if score == "-" else float(score)) for one, kind, score, text in row
        )
        for row in rows
    )
    return SummaryTopic(name, "en", *found)


def collection(*topics: SummaryTopic) -> SummaryCollection:
    return SummaryCollection("made up", topics, "made-up")


HAND = collection(
    topic(
        "one",
        "R abstract - a b c d",
        "E1 extract 3 a b c x; E2 extract 2 a b x y; E3 extract 1 a x y z; "
        "A1 abstract 4 p q r s; A2 abstract 1 p q c c; A3 abstract 2 p x x x",
    ),
    topic(
        "two",
        "R abstract - k l m n",
        "E1 extract 1 k x x x; E2 extract 5 k l m x; E3 extract 4 k l x x; "
        "A1 abstract 2 k l m n; A2 abstract 2 k l m x; A3 abstract 2 k l x x",
    ),
)


# ------------------------------------------------------------------------------------------------------------ plans


def test_the_best_extract_and_the_best_abstract_are_references_and_are_not_ranked():
    plan = make_plan(HAND)
    found = [f"{row.experiment} {row.candidate.id} {row.references[0].id}" for row in plan.rows if row.topic == "one"]
    assert found == [
        *("EX-1 E2 E1", "EX-1 E3 E1", "EX-2 A2 E1", "EX-2 A3 E1"),
        *("EX-3 E2 A1", "EX-3 E3 A1", "EX-4 A2 A1", "EX-4 A3 A1"),
    ]
    assert plan.experiments == ("EX-1", "EX-2", "EX-3", "EX-4")
    assert {row.references[0].id for row in plan.rows if row.topic == "two"} == {"E2", "A1"}
    assert plan.signature == "made-up|ref:top|ties:name"
    assert experiment.words_of(HAND) == set("abcdklmnpqrsxyz")


def test_experiments_have_the_numbers_of_tables_4_and_5_and_methods_the_order_of_table_3():
    for number, against in ((4, "extract"), (5, "abstract")):
        text = (paths.data_dir() / "published" / f"paraphrase-table{number}.csv").read_text()
        known = experiment.EXPERIMENTS.items()
        own = {name: evaluated for name, (evaluated, reference) in known if reference == against}
        assert len(own) == 2 and all(f"{kind.capitalize()} ({name})" in text for name, kind in own.items())
    lines = (paths.data_dir() / "published" / "paraphrase-table3.csv").read_text().splitlines()[1:]
    assert [*experiment.combinations(), BASELINE] == list(dict.fromkeys(line.split(",")[1] for line in lines))


def test_references_with_a_score_come_first_among_equals():
    judged = "E1 extract 4 a; E2 extract 1 b; E3 extract 2 b; A1 abstract 3 a; A2 abstract 1 b"
    plan = make_plan(collection(topic("t", "Z extract 4 a b", judged)))
    assert plan.experiments == ("EX-1", "EX-3"), "one abstract is no ranking"
    ranked = [(row.references[0].id, row.candidate.id) for row in plan.rows if row.experiment == "EX-1"]
    assert ranked == [("Z", "E1"), ("Z", "E2"), ("Z", "E3")]


def test_one_reference_at_a_time_and_the_mean_of_their_rankings():
    """R1 ranks E1 above E2 as people do, R2 the other way round, R3 not at all: the topic's mean is 0."""
    given = topic(
        "t",
        "R1 abstract - a b; R2 abstract - c d; R3 abstract - e f; RE extract 4 a",
        "E1 extract 2 a b; E2 extract 1 c d",
    )
    plan = make_plan(collection(given), reference="each")
    assert plan.experiments == ("all-each", "extract-each")
    ranked = [(row.references[0].id, row.candidate.id) for row in plan.rows if row.experiment == "all-each"]
    assert ranked == [(r, e) for r in ("R1", "R2", "R3") for e in ("E1", "E2")]
    results = evaluate_scores(plan, match_scores(plan, {}))
    one = results.experiments["all-each"]
    assert one.methods[BASELINE].correlations.tolist() == [0.0]
    agreeing = evaluate_scores(plan, {BASELINE: np.tile([1.0, 0.0, 1.0, 0.0, 0.5, 0.5], 2)})
    assert agreeing.experiments["extract-each"].methods[BASELINE].correlations.tolist() == [1.0]


# ----------------------------------------------------------------------------------------------------- match scores

TABLES = {
    "S": ParaphraseTable("SMT", "en", {("c", "d"): {("x", "y"): 0.5}}, "hand"),
    "W": ParaphraseTable("WordNet", "en", {("d",): {("x",): 1.0}}, "hand"),
}


def test_scores_by_hand():
    """References are *a b c d* and *k l m n*. In topic one *c d* → *x y* is worth two words, *d* → *x* one."""
    plan = make_plan(HAND, reference="each")
    scores = match_scores(plan, TABLES)
    assert list(scores) == ["ROUGE-1", "S", "W", "SW"]
    expected = {
        "one": [(3, 3, 4, 4), (2, 4, 3, 4), (1, 3, 2, 3), (0, 0, 0, 0), (1, 1, 1, 1), (0, 0, 1, 1)],
        "two": [(1, 1, 1, 1), (3, 3, 3, 3), (2, 2, 2, 2), (4, 4, 4, 4), (3, 3, 3, 3), (2, 2, 2, 2)],
    }
    for name, counts in expected.items():
        rows = [n for n, row in enumerate(plan.rows) if row.topic == name and row.experiment == "all-each"]
        assert [tuple(4 * scores[method][row] for method in scores) for row in rows] == counts


# ---------------------------------------------------------------------------------------------------------- ranking


def test_scores_that_differ_by_rounding_are_tied_and_equal_ones_have_no_correlation():
    for values, people in (([[1, 1, 1]], [1, 2, 3]), ([[1, 2]], [1, 1])):
        assert np.isnan(experiment.spearman_rows(values, people)).all()
    assert experiment.spearman_rows([[0.1 + 0.2, 0.3, 0.5]], [1, 2, 3])[0] == pytest.approx(math.sqrt(3) / 2)


def ranked(topics: int = 6):
    """Three extracts to rank in each topic: a method that is right, one wrong in two topics, one that says nothing."""
    judged = "A abstract 1 a; E1 extract 9 a; E2 extract 3 a; E3 extract 2 a; E4 extract 1 a"
    plan = make_plan(collection(*(topic(f"t{n}", "", judged) for n in range(topics))))
    assert plan.experiments == ("EX-1", "EX-3")
    right = np.array([row.candidate.score for row in plan.rows])
    wrong = np.array([row.candidate.score * (-1 if row.topic in ("t0", "t1") else 1) for row in plan.rows])
    return plan, {"ROUGE-1": wrong, "S": right, "W": np.zeros(len(plan))}


def test_evaluation_by_hand():
    plan, scores = ranked()
    results = evaluate_scores(plan, scores, signature="hand", resamples=500)
    result = results.experiments["EX-1"]
    assert result.topics == tuple(f"t{n}" for n in range(6))
    best, base, nothing = (result.methods[name] for name in ("S", "ROUGE-1", "W"))
    assert best.correlations.tolist() == pytest.approx([1] * 6) and best.mean.value == pytest.approx(1)
    assert base.mean.value == pytest.approx((4 - 2) / 6) and base.mean.n == 6 and base.difference is None
    assert best.difference.value == pytest.approx(4 / 6)
    # Two topics differ, by the same amount: of the four ways to exchange them one is as extreme, on either side.
    assert best.difference.p == pytest.approx(2 / 4) and best.adjusted == best.difference.p
    assert np.isnan(nothing.correlations).all() and nothing.mean is None and nothing.difference is None
    assert results.signature == "made-up|ref:top|ties:name|hand"
    assert results.changes("EX-1", "S", "ROUGE-1") == {"Improve": 2, "Same": 4, "Impair": 0}
    assert set(results.changes("EX-1", "W", "S").values()) == {0}, "topics without a correlation are left out"
    assert results.table().loc["S"].tolist() == pytest.approx([1, 1])
    # A topic that people do not rank is left out, and one topic gives no interval.
    other = evaluate_scores(make_plan(HAND), {"S": np.arange(16)}, resamples=100)
    assert np.isnan(other.experiments["EX-4"].methods["S"].correlations).sum() == 1
    assert np.isnan(other.table().loc["S", "EX-4"])


# ----------------------------------------------------------------------------------------------- rows and controls


test_bad_arguments = refused(
    (lambda: make_plan(HAND, reference="best"), "reference is 'top' or 'each'"),
    (lambda: make_plan(collection(topic("t", "", "E1 extract 1 a; E2 extract 2 a"))), "no topic with a reference"),
    (lambda: match_scores(make_plan(HAND), TABLES, ["SD"]), "no table 'D'"),
    (lambda: match_scores(make_plan(HAND), {"S": ParaphraseTable("SMT", "ja", {}, "")}), "table is in 'ja'"),
    (lambda: evaluate_scores(make_plan(HAND), {"S": [np.nan] * 16}), "are 16 finite numbers"),
)


def test_contrasts_are_paired_and_counted():
    """Two topics; in EX-1 to EX-4 the method *up* ranks as people do, ROUGE-1 the other way round in one of them."""
    plan = make_plan(HAND)
    people = np.array([row.candidate.score for row in plan.rows])
    first = np.array([row.topic == "one" for row in plan.rows])
    scores = {BASELINE: np.where(first, -people, people), "S": people, "W": np.where(first, -people, people)}
    results = evaluate_scores(plan, scores, resamples=100)
    rows = {(one["row"], one["column"]): one for one in experiment.contrasts(results, [("S", "W")], resamples=100)}
    gain = rows["S minus ROUGE-1", "EX-1"]
    assert gain["value"].value == 1 and gain["note"] == "p 1, by Holm 1 (2 tests)", "one of two topics, a gain of 2"
    assert rows["S minus W", "EX-3"]["value"].value == 1
    assert rows["topics that S ranks better than W, minus worse", "EX-3"]["value"].value == 0.5
    assert rows["combinations above ROUGE-1", "EX-1"]["value"].value == 1
    assert rows["combinations below ROUGE-1", "EX-1"]["value"].value == 0
    assert rows["mean of the combinations minus ROUGE-1", "EX-1"]["value"].value == 0.5
    # topic two has no correlation in EX-4, and one topic is no sample
    assert ("S minus ROUGE-1", experiment.ALL_FOUR) not in rows


def test_p_values_at_the_floor_of_the_test_are_upper_bounds():
    floor = dataclasses.replace(Estimate(1, 1, 1, 100, p=2 / 1001))
    one = experiment.MethodResult(np.ones(100), None, floor, adjusted=2 / 1001 * 15)
    assert experiment.p_values(one, 15, 1000) == "p ≤ 0.002, by Holm ≤ 0.03 (15 tests)"
    exact = dataclasses.replace(one, difference=Estimate(1, 1, 1, 5, p=0.0625), adjusted=0.94)
    assert experiment.p_values(exact, 15, 1000) == "p ≤ 0.062, by Holm ≤ 0.94 (15 tests)"


def test_controls_and_random_pairs():
    plan = make_plan(HAND)
    scores = experiment.control_scores(plan)
    row = next(n for n, one in enumerate(plan.rows) if (one.experiment, one.candidate.id) == ("EX-1", "E2"))
    assert [scores[name][row] for name in ("ROUGE-2", "ROUGE-L", "Length")] == [1 / 3, 0.75, 4], "a b c x and a b x y"
    given = ParaphraseTable("SMT", "en", {(x,): {(y,): 0.5} for x, y in zip("abcd", "efgh")}, "made up")
    other = shuffled(given)
    assert other.pairs.keys() == given.pairs.keys() and other.pairs != given.pairs
    assert {y for targets in other.pairs.values() for y in targets} == {("e",), ("f",), ("g",), ("h",)}


def test_links_by_kind():
    table = ParaphraseTable("SMT", "en", {("a",): {("the",): 0.5}, ("k",): {("q",): 0.5, ("7",): 0.5}}, "made up")
    empty = ParaphraseTable("WordNet", "en", {}, "made up")
    given = topic(
        "t", "R abstract 9 a k k", "A1 abstract 3 the q x; A2 abstract 2 the z 7; A3 abstract 1 x x a; E1 extract 1 a"
    )
    plan = make_plan(collection(given, dataclasses.replace(given, id="u")))
    rows, pairs = links.linked(plan, {"S": table, "W": empty, "N": empty}, resamples=100)
    assert pairs == {("a", "the"): 4, ("k", "q"): 2, ("k", "7"): 2}
    shares = {one["row"]: one["value"] for one in rows if one["column"] == "share of the links"}
    assert [shares[kind] for kind in links.KINDS] == [0.5, 0.25, 0, 0, 0.25]
    rho = {one["row"]: one["value"] for one in rows if one["column"] == "Spearman with people"}
    assert rho["with a function word"].value == pytest.approx(0.866, abs=1e-3) and rho["synonym in WordNet"] is None
