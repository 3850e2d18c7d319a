"""Plans, rankings and soft tables of the paraphrase study: hand-worked collections, golden values, bad input."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbhelpers.base import paths
from nbhelpers.base.errors import InputError
from nbhelpers.resources.vectors import WordVectors
from nbhelpers.studies.paraphrase import soft
from nbhelpers.studies.paraphrase.collections import CandidateSummary, SummaryCollection, SummaryTopic
from nbhelpers.studies.paraphrase.experiment import (
    BASELINE,
    EXPERIMENTS,
    combinations,
    evaluate_scores,
    make_plan,
    match_scores,
    spearman_rows,
    words_of,
)
from nbhelpers.studies.paraphrase.tables import ParaphraseTable


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
    return SummaryCollection("made up", topics, "score", "made-up")


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
    assert plan.ties == {"extract": 0, "abstract": 1}, "three abstracts of topic two have the score 2"
    assert {row.references[0].id for row in plan.rows if row.topic == "two"} == {"E2", "A1"}
    assert plan.signature == "made-up|ref:top|ties:name"
    assert words_of(HAND) == set("abcdklmnpqrsxyz")


def test_experiments_have_the_numbers_of_tables_4_and_5_and_methods_the_order_of_table_3():
    for number, against in ((4, "extract"), (5, "abstract")):
        text = (paths.data_dir() / "published" / f"paraphrase-table{number}.csv").read_text()
        own = {name: evaluated for name, (evaluated, reference) in EXPERIMENTS.items() if reference == against}
        assert len(own) == 2 and all(f"{kind.capitalize()} ({name})" in text for name, kind in own.items())
    lines = (paths.data_dir() / "published" / "paraphrase-table3.csv").read_text().splitlines()[1:]
    assert [*combinations(), BASELINE] == list(dict.fromkeys(line.split(",")[1] for line in lines))


def test_ties_are_broken_by_name_or_drawn_with_a_seed():
    judged = (
        "E1 extract 1 a; E2 extract 0 a; E3 extract 0 b; C abstract 2 a; A abstract 2 b; B abstract 2 c; D abstract 1 d"
    )
    tied = collection(*(topic(f"t{n}", "", judged) for n in range(30)))

    def chosen(**options):
        plan = make_plan(tied, **options)
        assert plan.ties == {"extract": 0, "abstract": 30}
        return [row.references[0].id for row in plan.rows if row.experiment == "EX-3" and row.candidate.id == "E2"]

    assert chosen() == ["A"] * 30
    assert set(chosen(ties="random")) == {"A", "B", "C"}
    assert chosen(ties="random") == chosen(ties="random") != chosen(ties="random", seed=1)


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


@given(st.integers(2, 9), st.integers(0, 10**6))
def test_spearman_equals_scipy(size, seed):
    from scipy.stats import spearmanr

    rng = np.random.default_rng(seed)
    scores, human = rng.integers(0, 4, (3, size)).astype(float), rng.integers(0, 4, size).astype(float)
    for row, value in zip(scores, spearman_rows(scores, human), strict=True):
        if np.ptp(row) == 0 or np.ptp(human) == 0:
            assert math.isnan(value)
        else:
            assert value == pytest.approx(spearmanr(row, human).statistic)
    # Scores that differ by rounding are tied.
    assert spearman_rows([[0.1 + 0.2, 0.3, 0.5]], [1, 2, 3])[0] == pytest.approx(math.sqrt(3) / 2)


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
    assert best.difference.p_value == pytest.approx(2 / 4) and best.adjusted == best.difference.p_value
    assert nothing.undefined == 6 and nothing.mean is None and nothing.difference is None
    assert results.signature == "made-up|ref:top|ties:name|hand"
    changes = results.changes("EX-1", "S", "ROUGE-1")
    assert (changes.improved, changes.same, changes.impaired, changes.undefined) == (2, 4, 0, 0)
    assert results.changes("EX-1", "W", "S").undefined == 6
    frame = results.frame()
    assert len(frame) == 6 and frame["undefined"].tolist() == [0, 0, 6] * 2
    assert results.table().loc["S"].tolist() == pytest.approx([1, 1])
    # A topic that people do not rank is left out, and one topic gives no interval.
    other = evaluate_scores(make_plan(HAND), {"S": np.arange(16)}, resamples=100)
    assert other.experiments["EX-4"].methods["S"].undefined == 1
    assert np.isnan(other.frame().set_index("experiment").loc["EX-4", "spearman"])


# ------------------------------------------------------------------------------------------------------ soft tables


VECTORS = WordVectors(
    ("car", "auto", "van", "cab", "tree"), np.array([[1, 0], [0.8, 0.6], [0.6, 0.8], [0.6, -0.8], [0, 2]]), "hand"
)


def test_vector_table_by_hand():
    """Cosines to *car*: auto 0.8, van 0.6, cab 0.6, tree 0; *bus* has no vector."""
    words = ["tree", "van", "car", "auto", "cab", "bus"]
    table = soft.vector_table(words, VECTORS, 0.59, 2)
    assert table.pairs[("car",)] == {("auto",): pytest.approx(0.8), ("cab",): pytest.approx(0.6)}, "cab before van"
    assert table.pairs[("auto",)] == {("van",): pytest.approx(0.96), ("car",): pytest.approx(0.8)}
    assert ("tree",) in table.pairs and ("car",) not in table.pairs[("tree",)] and ("bus",) not in table.pairs
    assert table.signature == f"vectors:{VECTORS.signature}|cos:0.59|top:2|coverage:0.833"


def test_encoder_table_encodes_each_word_once():
    class Encoder:
        signature = "encoder:hand"

        def encode(self, sentences):
            assert sentences == ["auto", "car", "tree"]
            return np.array([[0.8, 0.6], [1, 0], [0, 1]], dtype=np.float32)

    table = soft.encoder_table({"car", "tree", "auto"}, Encoder(), 0.7)
    assert table.pairs == {("auto",): {("car",): pytest.approx(0.8)}, ("car",): {("auto",): pytest.approx(0.8)}}
    assert table.signature == "encoder:hand|cos:0.7|top:20"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: make_plan(HAND, reference="best"), "reference is 'top' or 'each'"),
        (lambda: make_plan(collection(topic("t", "", "E1 extract 1 a; E2 extract 2 a"))), "no topic with a reference"),
        (lambda: match_scores(make_plan(HAND), TABLES, ["SD"]), "no table 'D'"),
        (lambda: match_scores(make_plan(HAND), {"S": ParaphraseTable("SMT", "ja", {}, "")}), "table is in 'ja'"),
        (lambda: evaluate_scores(make_plan(HAND), {"S": [np.nan] * 16}), "are 16 finite numbers"),
        (lambda: soft.vector_table(["bus"], VECTORS), "a vector for none of 1 words"),
        (lambda: soft.vector_table(["car"], VECTORS, 0), "threshold lies in"),
        (lambda: soft.encoder_table([], None), "has no words"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_masked_lm_table_equals_one_request_at_a_time(tiny_lm):
    tokenizer = tiny_lm.loaded.tokenizer
    plain = "the walking night mat river decisiones walk rain".split()
    ids = {word: tokenizer.convert_tokens_to_ids(word) for word in plain}
    sentences = [["The", "night", ".", "river"], ["night", "rain", "the"]]
    table = soft.masked_lm_table(sentences, [*plain, "qqqq zz"], tiny_lm, threshold=1e-6, top=3)
    expected: dict = {}
    for sentence in sentences:
        for place, word in enumerate(map(str.lower, sentence)):
            if word in plain:
                request = tiny_lm.request(tiny_lm.encode(sentence), place, mask="word")
                given = tiny_lm.log_probabilities([request])[0][0]
                targets = expected.setdefault((word,), {})
                for other in sorted(plain, key=lambda other: -float(given[ids[other]]))[:3]:
                    targets[(other,)] = max(targets.get((other,), 0), math.exp(float(given[ids[other]])))
                targets.pop((word,), None)
    assert table.pairs == {source: pytest.approx(targets, rel=1e-4) for source, targets in expected.items()}
    assert table.signature.endswith("|p:1e-06|top:3|excluded:0|places:6")
    fewer = soft.masked_lm_table(sentences, plain, tiny_lm, threshold=1e-6, top=3, exclude=plain[:2])
    assert fewer.pairs and not {(word,) for word in plain[:2]} & {x for x in fewer.pairs for x in (x, *fewer.pairs[x])}
    with pytest.raises(InputError, match="is one piece"):
        soft.masked_lm_table(sentences, [], tiny_lm)


def test_any_metric_joins_the_experiment():
    from nbhelpers.metrics import Metric

    def compute(sources, candidates, references):
        return [abs(len(s) - len(c)) + 10 * len(r) for s, c, r in zip(sources, candidates, references, strict=True)]

    distance = Metric("gap", "Gap", (0, math.inf), False, False, "gap", compute)
    given = topic("t", "R1 abstract - a b; R2 abstract - a b c", "E1 extract 1 a; E2 extract 2 b b b b")
    plan = make_plan(collection(given), reference="each")
    rows = [dataclasses.replace(row, references=given.references) for row in plan.rows[:2]]
    plan = dataclasses.replace(plan, rows=tuple(rows))
    assert soft.metric_scores(plan, distance).tolist() == [-(12 + 14) / 2, -(14 + 12) / 2], "one by one, turned round"
    together = dataclasses.replace(distance, needs_reference=True, higher_means_same=True)
    assert soft.metric_scores(plan, together).tolist() == [22, 24]
