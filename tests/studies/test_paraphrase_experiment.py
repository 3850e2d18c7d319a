"""Items, rankings and estimates of the paraphrase study: hand-worked collections and bad input."""

import dataclasses
import math

import pandas as pd
import pytest
from refused import refused

from nbhelpers.base import paths
from nbhelpers.metrics.paraphrase.tables import ParaphraseTable, shuffled
from nbhelpers.resources import data
from nbhelpers.resources.pyramids import read_pyramids
from nbhelpers.results.estimates import estimate
from nbhelpers.studies.paraphrase import categories, choices, experiment, links, passages, resources
from nbhelpers.studies.paraphrase.collections import CandidateSummary, SummaryCollection, SummaryTopic
from nbhelpers.studies.paraphrase.experiment import BASELINE, comparisons, correlations, run
from nbhelpers.studies.paraphrase.sources import same_stem, with_variants


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


# ------------------------------------------------------------------------------------------------- what is compared


def compared(given, role):
    return [(one.reference.id, one.candidate.id) for one in comparisons(given) if one.role == role]


def test_the_best_extract_and_the_best_abstract_are_references_and_are_not_ranked():
    one = collection(HAND.topics[0])
    assert compared(one, "best extract") == [("E1", other) for other in ("E2", "E3", "A2", "A3")]
    assert compared(one, "best abstract") == [("A1", other) for other in ("E2", "E3", "A2", "A3")]
    assert compared(one, "written") == [("R", other) for other in ("E1", "E2", "E3", "A1", "A2", "A3")]
    assert {reference for reference, _ in compared(collection(HAND.topics[1]), "best abstract")} == {"A1"}
    assert experiment.words_of(HAND) == set("abcdklmnpqrsxyz")


def test_experiments_have_the_numbers_of_tables_4_and_5_and_methods_the_order_of_table_3():
    for number, against in ((4, "best extract"), (5, "best abstract")):
        text = (paths.data_dir() / "published" / f"paraphrase-table{number}.csv").read_text()
        own = [name for name, (_, reference) in experiment.EXPERIMENTS.items() if reference == against]
        assert len(own) == 2 and all(experiment.COLUMNS[name] in text for name in own)
    lines = (paths.data_dir() / "published" / "paraphrase-table3.csv").read_text().splitlines()[1:]
    assert [*experiment.combinations(), BASELINE] == list(dict.fromkeys(line.split(",")[1] for line in lines))


def test_references_with_a_score_come_first_among_equals():
    judged = "E1 extract 4 a; E2 extract 1 b; E3 extract 2 b; A1 abstract 3 a; A2 abstract 1 b"
    given = collection(topic("t", "Z extract 4 a b", judged))
    assert [pair for pair in compared(given, "best extract") if pair[1][0] == "E"] == [("Z", f"E{n}") for n in "123"]
    rho = correlations(run(given, {}))  # one abstract is no ranking
    assert list(rho.index.get_level_values("experiment")) == ["EX-1", "EX-3", "EX-1 to EX-4"]


def test_the_value_of_a_topic_is_the_mean_over_its_references():
    """R1 ranks E1 above E2 as people do, R2 the other way round, R3 not at all: the topic's mean is 0."""
    references = "R1 abstract - a b; R2 abstract - c d; R3 abstract - e f; RE extract 4 a"
    given = collection(topic("t", references, "E1 extract 2 a b; E2 extract 1 c d"))
    assert compared(given, "written") == [(r, e) for r in ("R1", "R2", "R3") for e in ("E1", "E2")]
    assert correlations(run(given, {})).loc[("made up", "all-each", 0), BASELINE] == 0


# ------------------------------------------------------------------------------------------------------------ items

TABLES = {
    "S": ParaphraseTable("SMT", "en", {("c", "d"): {("x", "y"): 0.5}}, "hand"),
    "W": ParaphraseTable("WordNet", "en", {("d",): {("x",): 1.0}}, "hand"),
}


def test_matches_by_hand():
    """References are *a b c d* and *k l m n*. In topic one *c d* → *x y* is worth two words, *d* → *x* one."""
    items = run(HAND, TABLES)
    expected = [
        [(3, 3, 4, 4), (2, 4, 3, 4), (1, 3, 2, 3), (0, 0, 0, 0), (1, 1, 1, 1), (0, 0, 1, 1)],
        [(1, 1, 1, 1), (3, 3, 3, 3), (2, 2, 2, 2), (4, 4, 4, 4), (3, 3, 3, 3), (2, 2, 2, 2)],
    ]
    for place, counts in enumerate(expected):
        rows = items[(items["topic"] == place) & (items["role"] == "written")]
        assert list(map(tuple, rows[[BASELINE, "S", "W", "SW"]].values)) == counts and set(rows["words"]) == {4}
    first = items[(items["role"] == "best extract") & (items["system"] == "E2")].iloc[0]
    assert (first["ROUGE-2"], first["ROUGE-L"], first["Length"]) == (1, 3, 4), "a b c x and a b x y"


def test_stems_count_as_words_of_stemmed_rouge():
    given = "E1 extract 1 it rains; E2 extract 3 complains often; A1 abstract 1 a; A2 abstract 2 b"
    items = run(collection(topic("t", "R abstract - he complained often", given)), {})
    one = items[(items["role"] == "written") & (items["system"] == "E2")].iloc[0]
    assert (one[BASELINE], one["ROUGE-1 stemmed"], one["ROUGE-2"], one["ROUGE-2 stemmed"]) == (1, 2, 0, 1)


def test_stand_ins_for_s_and_chance():
    smt = ParaphraseTable("SMT", "en", {("the",): {("car",): 1.0}, ("car",): {("the",): 1.0, ("auto",): 1.0}}, "made")
    given = with_variants({"S": smt}, smt)
    assert list(given) == list("SCBRPQ") and given["C"].pairs == {("car",): {("auto",): 1.0}}
    assert given["B"].pairs == {("the",): {("car",): 1.0}, ("car",): {("the",): 1.0}}
    assert experiment.methods_of("SDCR") == ["S", "D", "SD", "C", "CD", "R"]
    plain = ParaphraseTable("SMT", "en", {(x,): {(y,): 0.5} for x, y in zip("abcd", "efgh")}, "made up")
    assert shuffled(plain).pairs.keys() == plain.pairs.keys() and shuffled(plain).pairs != plain.pairs


test_bad_arguments = refused(
    (lambda: run(collection(SummaryTopic("t", "en", (), (CandidateSummary("X", "", "a", 1.0),))), {}), "no topic with"),
    (lambda: experiment.stand_in(made_items(), "C"), "one of S, C, P, F, not 'C'"),
    (lambda: run(HAND, TABLES, ["SD"]), "no table 'D'"),
    (lambda: run(HAND, {"S": ParaphraseTable("SMT", "ja", {}, "")}), "table is in 'ja'"),
)


# -------------------------------------------------------------------------------------------------------- estimates


def made_items(topics: int = 6) -> pd.DataFrame:
    """Three extracts to rank in each topic: S is right, ROUGE-1 wrong in two topics, W says nothing."""
    judged = "A abstract 1 a; E1 extract 9 a; E2 extract 3 a; E3 extract 2 a; E4 extract 1 a"
    items = run(collection(*(topic(f"t{n}", "", judged) for n in range(topics))), {})
    items["S"] = items["people"]
    items[BASELINE] = items["people"].where(items["topic"] > 1, -items["people"])
    return items.assign(D=items[BASELINE], W=0, SD=items["S"], SW=items["S"], DW=items[BASELINE], SDW=items["S"])


def test_estimates_by_hand():
    items = made_items()
    rho = correlations(items, [BASELINE, "S", "W"])
    assert rho.xs("EX-1", level=1)["S"].tolist() == pytest.approx([1] * 6) and rho["W"].isna().all()
    found = experiment.summary(items, [BASELINE, "S", "W"])
    base = estimate(found, BASELINE, "Extract (EX-1)")
    assert base.value == pytest.approx((4 - 2) / 6) and base.n == 6 and set(found["model"]) == {"made up"}
    assert math.isnan(found[found["row"] == "W"]["value"].iloc[0])
    gained = experiment.gains(items, ["S", "SDW", "D"])
    best = estimate(gained, "S", "Extract (EX-1)")
    # Two topics differ, by the same amount: of the four ways to exchange them one is as extreme, on either side.
    assert best.value == pytest.approx(4 / 6) and best.p == pytest.approx(2 / 4) and best.q == 1
    assert estimate(gained, "D", "Extract (EX-1)").value == 0
    assert experiment.difference(rho, "S", "W") is None
    counts = experiment.tally(gained).loc["made up"].to_dict()
    sure = {"significantly better": 0, "significantly worse": 0}
    assert counts == {"all": 6, "better": 4, "worse": 0, "equal": 2, **sure}
    paper = gained[(gained["row"] == "SDW") & (gained["column"] == "Extract (EX-1)")]["published"].item()
    assert paper == pytest.approx(0.333 - 0.358)
    assert experiment.stand_in(items.assign(C=items["W"]), "C")["S"].eq(0).all()


def test_table_6_counts_topics():
    items = made_items().assign(W=lambda one: one["S"])
    found = experiment.changes(items, experiment="EX-1")
    cells = {column: estimate(found, "SDW vs. DW", column).value for column in ("Improve", "Same", "Impair")}
    assert cells == {"Improve": 2, "Same": 4, "Impair": 0} and estimate(found, "W vs. SW", "Same").value == 6
    tests = {row: estimate(found, row, experiment.SIGN_TEST).value for row in experiment.TABLE_6}
    assert tests == {"SDW vs. DW": 0.5, "W vs. SW": 1}, "two of two that differ; none differs"
    share = estimate(found, "SDW vs. DW", "Improve share")
    assert share.value == pytest.approx(1 / 3) and share.n == 6 and share.low < 1 / 3 < share.high


def test_a_resources_effect_is_the_mean_over_the_sets_of_the_others():
    items = made_items().assign(W=lambda one: one["D"], SW=lambda one: one["D"])
    items = items.assign(N=items["D"], **{name: items["D"] for name in ("DN", "WN", "DWN")})
    items = items.assign(**{name: items["S"] for name in experiment.combinations() if name not in items})
    found = experiment.effects(items)
    with_s = [name for name in experiment.combinations() if "S" in name]
    assert len(with_s) == 8 and with_s.count("SW") == 1  # the one with S that is as wrong as ROUGE-1
    assert estimate(found, "S", "Extract (EX-1)").value == pytest.approx(7 / 8 * 4 / 6)
    assert estimate(found, "N", "Extract (EX-1)").value == pytest.approx(1 / 8 * 4 / 6)
    paper = found.set_index(["row", "column"])["published"]["S", "Extract (EX-1)"]
    assert paper == pytest.approx((0.296 + 0.319 + 0.331 + 0.316 + 0.333 + 0.332 + 0.321 + 0.314) / 8 - 0.36275)


def test_significant_differences_as_texts():
    line = {"row": "D", "column": "EX-1", "model": "made up", "value": 0.02, "low": 0.01, "high": 0.03}
    found = experiment.significant({"PPDB": pd.DataFrame([line | {"q": 0.02}, line | {"q": 0.07}, line | {"q": None}])})
    assert found.values.tolist() == [["PPDB", "made up", "EX-1", "D", ".020 [.010, .030]", ".020"]]


def test_gains_apart_by_whether_one_summary_is_best():
    items = run(HAND, TABLES)
    best = experiment.best_ones(items)
    assert best["made up", "extract"].tolist() == [1, 1] and best["made up", "abstract"].tolist() == [1, 3]
    items.loc[items["system"] == "A2", "people"] -= 1  # in topic two A1 and A3 stay best
    doubled = pd.concat([items, items.assign(topic=items["topic"] + 2)])
    found = experiment.gains_by_best(doubled, ["W"], resamples=100).set_index(["row", "column"])["n"]
    assert found["W, one best", "Extract (EX-1)"] == 4 and math.isnan(found["W, several best", "Extract (EX-1)"])
    assert found["W, one best", "Abstract (EX-4)"] == found["W, several best", "Abstract (EX-4)"] == 2


def test_systems_are_ranked_by_their_means():
    items = run(HAND, TABLES)
    items["people"] = items["ROUGE-1"] / items["words"]
    found = experiment.by_system(items, ["W"], resamples=100)
    assert estimate(found, BASELINE, "by system").value == pytest.approx(1)
    assert estimate(found, "W", "minus ROUGE-1").value < 0


def test_choices_have_a_column_each():
    items = choices.run(HAND, TABLES, ("SW",))
    assert set(items["role"]) == {"written"} and (items["SW, optimal"] >= items["SW, greedy"]).all()
    assert "SW, read backwards" in items and len(choices.summary(items, "SW")) == 9


# --------------------------------------------------------------------------------------- links, passages, resources


def test_links_by_kind():
    table = ParaphraseTable("SMT", "en", {("a",): {("the",): 0.5}, ("k",): {("q",): 0.5, ("7",): 0.5}}, "made up")
    empty = ParaphraseTable("WordNet", "en", {}, "made up")
    given = topic(
        "t", "R abstract 9 a k k", "A1 abstract 3 the q x; A2 abstract 2 the z 7; A3 abstract 1 x x a; E1 extract 1 a"
    )
    both = collection(given, dataclasses.replace(given, id="u"))
    items, pairs = links.run(both, {"S": table, "W": empty, "N": empty})
    assert pairs == {("a", "the"): 4, ("k", "q"): 2, ("k", "7"): 2}
    found = links.shares(items)
    assert [estimate(found, "S", kind).value for kind in links.KINDS.values()] == [0.5, 0.25, 0, 0, 0.25]
    assert [estimate(found, "S", column).value for column in (links.WORDS, links.NONE)] == [4 / 9, 1 / 3]
    rho = links.with_people(items)
    linked, same = (estimate(rho, row, "Spearman with people").value for row in ("S", links.SAME))
    assert linked == -same == pytest.approx(0.866, abs=1e-3), "A1 and A2 have two words by links, A3 has its own a"


def test_passages_of_a_unit_are_told_from_others():
    pyramids = read_pyramids(data.find("duc2006-pyramids", "shipped").path)
    stems = same_stem(passages.words_of(pyramids))
    nothing = ParaphraseTable("SMT", "en", {}, "made up")
    items = passages.run(pyramids, {"S": nothing, "K": stems})
    assert set(items["method"]) == {BASELINE, "S", "K"} and items["topic"].nunique() == 6
    found = passages.summary(items)
    assert estimate(found, "S", "minus ROUGE-1").value == 0 and estimate(found, "K", "minus ROUGE-1").value > 0
    for x, y, same in passages.passages(pyramids[0]):
        assert min(len(x), len(y)) >= 3 and (same or len(set(x) & set(y)) >= 3)
    content = {(x, y) for x, y, same in passages.passages(pyramids[0], content=True) if not same}
    assert content and all(len((set(x) & set(y)) - passages.STOP_WORDS) >= 3 for x, y in content)
    assert content < {(x, y) for x, y, same in passages.passages(pyramids[0]) if not same}


def test_sizes_and_kinds_of_resources():
    table = {("the",): {("a",): 1.0}, ("car",): {("auto",): 1.0, ("van",): 1.0}, ("auto",): {("car",): 1.0}}
    words = ParaphraseTable("WordNet", "en", {("car",): {("auto",): 1.0}, ("auto",): {("car",): 1.0}}, "made up")
    items = resources.run({"S": ParaphraseTable("SMT", "en", table, "made up"), "W": words})
    found = resources.summary(items)
    values = {name: estimate(found, "S", column).value for name, column in resources.SHARES.items()}
    assert values == {"one_way": 0.5, "phrases": 0, "function": 0.25, "synonyms": 0.5}
    assert estimate(found, "S", "pairs").value == 4


def test_table_2_counts_what_was_marked_and_what_the_tables_explain():
    items = pd.DataFrame({"marked": list("ABBE"), "found": list("ABEE"), "S": [False, True, False, False]})
    found = categories.summary(items)
    cells = {
        (row, column): estimate(found, row, column).value
        for row in ("B", "A to D")
        for column in ("marked", "explained")
    }
    assert cells == {("B", "marked"): 2, ("B", "explained"): 1, ("A to D", "marked"): 3, ("A to D", "explained"): 2}
    assert estimate(found, "B", "S").value == 1 and estimate(found, "all", "explained, %").value == 50
