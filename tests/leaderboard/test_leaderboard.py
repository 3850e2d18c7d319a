"""The leaderboard: influences against resampling, samples, resuming, refusals, simultaneous ranks, made tests."""

import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from rouge_score import rouge_scorer
from scipy.stats import spearmanr, studentized_range
from sklearn.metrics import roc_auc_score

from nbhelpers import leaderboard
from nbhelpers.base import stats
from nbhelpers.base.errors import ChecksumError, InputError, ResourceNotFoundError, RowError
from nbhelpers.commands import board as command
from nbhelpers.leaderboard import Board, Task, scoring, tasks
from nbhelpers.leaderboard.board import area, interval, spearman, statistic
from nbhelpers.metrics import Metric
from nbhelpers.metrics.registry import described
from nbhelpers.resources import challenge, data
from nbhelpers.resources.challenge import ChallengePair
from nbhelpers.results import evidence

rows = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=4, max_size=30)


@given(rows)
def test_values_are_those_of_the_libraries(drawn):
    labels, values = np.array(drawn, float).T
    if len(set(labels)) > 1 and len(set(values)) > 1:
        assert spearman(labels, values)[0] == pytest.approx(spearmanr(labels, values).statistic, abs=1e-9)
    kept = labels > 1
    if 0 < kept.sum() < len(kept):
        assert area(kept.astype(float), values)[0] == pytest.approx(stats.roc_auc(kept, values))


@pytest.mark.parametrize("labels", ["rating", "yes/no", "best", "ranking", "share"])
def test_influences_give_the_error_that_resampling_sources_gives(labels):
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(80), 4)
    shared = rng.normal(size=80)[group]
    truth = np.tile([1.0, 0.0, 0.0, 0.0], 80) if labels == "best" else np.round(shared + rng.normal(size=320))
    truth = (truth > 0).astype(float) if labels == "yes/no" else np.full(320, 3.0) if labels == "share" else truth
    values = np.round(truth + shared + 2 * rng.normal(size=320), 1)
    pairs = {"labels": np.full(320, labels), "label": truth, "kind": np.full(320, ""), "group": group, "item": group}
    value, influence = statistic(pairs, values)
    found = []
    for _ in range(400):
        drawn = rng.integers(0, 80, 80)
        rows = (4 * drawn[:, None] + np.arange(4)).ravel()
        again = {name: column[rows] for name, column in pairs.items()} | {"item": group, "group": group}
        found.append(statistic(again, values[rows])[0])
    assert np.sqrt((influence**2).sum()) == pytest.approx(np.std(found), rel=0.2)
    assert abs(np.mean(found) - value) < 0.03 and abs(influence.sum()) < 1e-9


def test_an_interval_does_not_collapse():
    low, high = interval(1.0, 0.0, 50, True)
    assert 0.9 < low < 0.95 and high == pytest.approx(1.0)
    low, high = interval(0.5, 0.05, 100, True)
    assert (low, high) == pytest.approx((0.5 - 1.96 * 0.05, 0.5 + 1.96 * 0.05), abs=0.01)
    assert interval(0.999, 0.01, 10, False)[1] < 1


def task(labels="yes/no", count=60, by_kind=False, name="stsb"):
    rng = np.random.default_rng(1)
    texts = [f"{'other' if n % 3 else 'same'} {rng.integers(100)} {n}" for n in range(count)]
    groups = [f"s{n // 3}" for n in range(count)]
    pairs = [
        ChallengePair(g, t, float(n % 3 == 0), f"k{n // 3 % 2}", g, g[1:])
        for n, (g, t) in enumerate(zip(groups, texts))
    ]
    return Task(name, labels, tuple(pairs), "t@0", by_kind)


def metric(name, value, calls=None):
    def compute(sources, candidates, references):
        for row, text in enumerate(candidates, start=1):
            if text.endswith(" 5") and name == "refuses":
                raise RowError(row, "no")
        if calls is not None:
            calls.append(len(candidates))
        return [value(text) for text in candidates]

    return Metric(name, name.title(), (0.0, 1.0), name != "distance", False, f"{name}|v:1", compute)


def right(text):
    return float(text.startswith("same"))


def noise(text):
    return sum(map(ord, text)) % 7 / 7


def test_samples_are_nested_and_keep_items_whole():
    best = task("best")
    small, large = best.sample(10), best.sample(30)
    assert set(small) < set(large) and len(small) == 12
    assert {best.pairs[place].item for place in small} == {best.pairs[place].item for place in small[::3]}
    assert task().sample(60) == tuple(range(60)) and len(task().sample(7)) == 7


def test_scoring_goes_on_where_it_was(tmp_path, monkeypatch):
    monkeypatch.setenv("NBHELPERS_OUT", str(tmp_path))
    calls = []

    def stops(text):
        if len(calls) >= 2:
            raise KeyboardInterrupt
        return right(text)

    monkeypatch.setattr(scoring, "SHARD_SECONDS", 2.0)  # 20 pairs in a file
    with pytest.raises(KeyboardInterrupt):
        leaderboard.score(task(), [metric("right", stops, calls)])
    done = len(calls)
    values = leaderboard.score(task(), [metric("right", right, calls)])
    assert done == 2 and len(calls) < done + 3, "finished parts are read, the others computed"
    assert values["right"].tolist() == [right(pair.candidate) for pair in task().pairs]


def test_refused_pairs_are_infinite_and_distances_turned(tmp_path, monkeypatch):
    monkeypatch.setenv("NBHELPERS_OUT", str(tmp_path))
    values = leaderboard.score(task(), [metric("refuses", right), metric("distance", right)], most=30)
    assert np.isnan(values["distance"]).sum() == 30 and set(values["distance"]) >= {0.0, -1.0}
    assert np.isinf(values["refuses"]).sum() <= 1
    board = Board(leaderboard.scored([task()], [metric("refuses", right), metric("distance", right)]))
    refused = board.tests.set_index("row")["refused"]
    assert refused["refuses"] == 1 and board.tests["n"].iloc[0] == 59, "all are compared on the pairs that all rated"


@pytest.fixture
def board(tmp_path, monkeypatch):
    monkeypatch.setenv("NBHELPERS_OUT", str(tmp_path))
    chosen = [metric("right", right), metric("constant", lambda text: 0.5), metric("noise", noise)]
    chosen.append(metric("almost", lambda text: right(text) + 0.01 * noise(text)))
    tests = [task(name="paws-wiki"), task("best", by_kind=True, name="summedits"), task(name="paws-qqp")]
    own = leaderboard.scored(tests, chosen)
    return Board(pd.concat([own, own.assign(test="menli")]), draws=300)


def test_cells_and_simultaneous_ranks(board):
    columns = board.columns.set_index(["row", "column"])
    assert columns.loc[("right", "order"), "value"] == 1.0 and columns.loc[("right", "order"), "low"] < 1
    constant = columns.loc[("constant", "order")]
    assert constant["value"] == 0.5 == board.chance("order") and not constant["best"]
    assert board.ranks("order")["right"][0] == board.ranks("order")["almost"][0] == 1
    assert board.ranks("order")["constant"] == (3, 4) and set(board.order[:2]) == {"right", "almost"}
    assert set(board.abilities) == {"order", "facts"}
    found = board.winners().set_index("ability")
    assert found.loc["order", "value"] == found.loc["order", "other half"] == 1.0


def test_widths_are_medians_of_possible_places(board):
    found = leaderboard.widths(board, ["order"], ["constant"]).iloc[0].tolist()
    assert found[1:] == [2.0, 4, 2.0, 3]
    places = sorted(high - low + 1 for low, high in board.ranks("order").values())
    assert found[1] == np.median(places)


def test_what_a_measure_was_trained_on_has_no_rank(board):
    items = board.items.rename(columns={"almost": "same-meaning", "noise": "sentence-transformer"})
    found = replace(board, items=items)
    assert found.judged("order") == ("paws-wiki",), "fewer measures were trained on it than on the questions"
    cells = found.columns.set_index(["row", "column"])
    assert cells.loc[("same-meaning", "order"), "seen"] == "its development part"
    assert (
        np.isnan(cells.loc[("same-meaning", "order"), "rank low"]) and not cells.loc[("same-meaning", "order"), "best"]
    )
    assert found.ranks("order")["right"] == (1, 1)


def items_with(label, scores):
    """Evidence of one test with these scores, and nothing known of its texts."""
    items = pd.DataFrame(
        {"test": "paws-wiki", "labels": "yes/no", "label": label, "kind": "", "group": range(len(label))}
    )
    zeros = dict.fromkeys((f"{s} {f}" for s in ("source", "candidate") for f in scoring.FEATURES), 0.0)
    return items.assign(item=0, **zeros, **scores)


def test_ranks_cover_the_truth_for_all_measures_together():
    rng, wrong = np.random.default_rng(0), 0
    for seed in range(40):
        label = rng.integers(0, 2, 300).astype(float)
        scores = {f"m{k}": label * (k // 2) * 0.5 + rng.normal(size=300) for k in range(6)}  # equal two by two
        ranks = Board(items_with(label, scores), draws=300, seed=seed).ranks("order")
        truth = {f"m{k}": (5 - 2 * (k // 2), 6 - 2 * (k // 2)) for k in range(6)}
        wrong += any(ranks[name][0] > a or ranks[name][1] < b for name, (a, b) in truth.items())
    assert wrong <= 6


def test_ranks_step_down_once_the_far_apart_are_settled():
    rng = np.random.default_rng(1)
    label = np.repeat([0.0, 1.0], 400)
    noise = rng.normal(size=(6, 800))
    signals = (3, 2.6, 1.7, 1.0, 0.4, -0.3)
    scores = {f"m{k}": label * signal + noise[k] for k, signal in enumerate(signals)}
    board = Board(items_with(label, scores))
    level = board._tests["paws-wiki"][0][0]
    gap = level.values["m0"] - level.values["m1"]
    size = gap / np.sqrt(((level.influence["m0"] - level.influence["m1"]) ** 2).sum())
    single = studentized_range.ppf(0.95, len(signals), np.inf) / np.sqrt(2)
    assert 1.96 < size < single, "too little for one limit for all differences, enough for one difference"
    assert board.ranks("order")["m0"] == (1, 1) and board.ranks("order")["m1"] == (2, 2)


def test_sentinels_see_length_and_nothing_else():
    rng = np.random.default_rng(0)
    pairs = [
        ChallengePair("the ferry sank " * 3, "word " * int(rng.integers(1, 9)), float(n % 2), "", f"s{n}")
        for n in range(200)
    ]
    plain = scoring.items_of(Task("stsb", "yes/no", tuple(pairs), "t@0"))
    longer = plain.assign(label=(plain["candidate words"] > 4).astype(float))
    found = leaderboard.board.sentinels(longer)
    label = longer["label"].to_numpy()
    assert area(label, found["only the candidate"])[0] > 0.95 and area(label, found["only the source"])[0] < 0.65
    plain["candidate perplexity"] = plain["label"] + rng.normal(0, 0.2, 200).astype("float32")
    found = leaderboard.board.sentinels(plain)
    assert area(plain["label"].to_numpy(), found["only the candidate"])[0] > 0.95, (
        "and perplexity, where evidence has it"
    )


def test_people_and_measures_are_held_against_the_same_half():
    rng = np.random.default_rng(0)
    ratings, pairs = np.arange(300)[:, None] + 60 * rng.normal(size=(300, 8)), []
    for n, own in enumerate(ratings[:, :4]):  # the other four are another panel
        pairs.append(ChallengePair(f"s{n // 3}", f"c {n}", float(np.mean(own)), "", f"s{n // 3}", "", tuple(own)))
    items = scoring.items_of(Task("parabank", "rating", tuple(pairs), "p@0"))
    found = leaderboard.people(items.assign(truth=np.arange(300.0)), ["truth"])
    (half, _), (truth, share) = found["people"], found["truth"]
    assert 0.7 < half.value < truth.value < 1 and half.n == 300
    reached = 2 * half.value / (1 + half.value)
    assert reached == pytest.approx(spearmanr(ratings[:, :4].mean(1), ratings[:, 4:].mean(1)).statistic, abs=0.03)
    assert share.value == pytest.approx(spearmanr(items["label"], np.arange(300)).statistic / reached)
    draws = [rng.integers(0, 100, 100)[:, None] * 3 + np.arange(3) for _ in range(200)]
    again = [items.iloc[one.ravel()].assign(truth=one.ravel().astype(float)) for one in draws]
    spread = np.std([leaderboard.people(one, ["truth"])["truth"][1].value for one in again])
    assert (share.high - share.low) / 3.92 == pytest.approx(spread, rel=0.25), "resampling sources gives the same error"


def test_ties_are_calibrated_within_sources():
    group = np.repeat(np.arange(60), 3)
    label = np.tile([0.0, 0.0, 1.0], 60)
    nearly = label + 0.01 * np.random.default_rng(0).normal(size=180)
    items = pd.DataFrame({"group": group, "label": label, "nearly": nearly, "turned": -label})
    found = leaderboard.within(items, ["nearly", "turned"])
    assert found["nearly"].value > 0.98
    assert found["turned"].value == pytest.approx(1 / 3)


def test_soft_accuracy_over_systems():
    rng = np.random.default_rng(0)
    items = pd.DataFrame({"group": np.repeat(np.arange(50), 4), "item": np.tile(np.arange(4), 50)})
    items["label"] = items["item"] / 4 + rng.normal(size=200)
    items = items.assign(same=items["label"], turned=-items["label"], noisy=items["label"] + rng.normal(size=200))
    found = leaderboard.systems(items, ["same", "turned", "noisy"])
    assert found["same"].value == 1.0 and found["turned"].value < 0.2 and found["same"].low < 0.95
    again = []
    for _ in range(60):
        drawn = rng.integers(0, 50, 50)
        rows = items.iloc[(4 * drawn[:, None] + np.arange(4)).ravel()].assign(group=np.repeat(np.arange(50), 4))
        again.append(leaderboard.systems(rows, ["noisy"])["noisy"].value)
    assert (found["noisy"].high - found["noisy"].low) / 3.92 == pytest.approx(np.std(again), rel=0.5)


def test_sums_stand_for_topics_whose_items_may_not_be_shown(tmp_path, monkeypatch):
    monkeypatch.setenv("NBHELPERS_OUT", str(tmp_path))
    own = replace(task("best", name="pyramid"), topics=True)
    own = replace(own, pairs=tuple(replace(pair, group=f"g{n // 30}") for n, pair in enumerate(own.pairs)))
    found = leaderboard.scored([own], [metric("right", right), metric("constant", lambda text: 1.0)])
    assert found["labels"].tolist() == ["share"] * 2 and found["label"].tolist() == [10, 10]
    assert found["right"].tolist() == [1, 1] and found["constant"].tolist() == [0.5, 0.5]


def test_made_tests():
    made = tasks.shortened([("the old ferry sank near Split", "the ferry sank")], "c", "g@0").pairs
    assert [p.label for p in made] == [1, 0] and made[1].candidate in made[1].source, "the rival is a run of words"
    copy, mixed = tasks.shuffled([["A.", "B.", "C.", "D."], ["A."]], "shuffled-lee", "l@0").pairs
    assert copy.candidate == "A. B. C. D." != mixed.candidate and sorted(mixed.candidate.split()) == copy.source.split()
    summary = SimpleNamespace(text="x", score=2, kind="abstract", id="M1")
    topics = [SimpleNamespace(id="1", references=[summary], candidates=[summary, summary])]
    assert [p.group for p in tasks.ranked(topics, "r").pairs] == ["1", "1"]
    assert tasks.damaged("Nothing fits here") == ("", "") and tasks.damaged("It is so.") == ("It is not so.", "not")
    noisy = {kind: change("The captain, they said, sank.") for kind, change in tasks.NOISE.items()}
    assert len(set(noisy.values())) == 5 and noisy["two letters exchanged"] == "The catpain, they said, sank."


def test_every_test_has_a_title_and_one_ability_and_measures_are_described():
    every = [test for ability in leaderboard.ABILITIES.values() for test in ability.tests]
    assert len(every) == len(set(every)) and set(tasks.SEEN) <= set(every)
    titles = {tasks.title_of(name) for name in every}
    assert len(titles) == len(every) and not titles & set(every)
    assert set(every) - set(tasks._MADE) <= set(challenge.names())
    kinds = {name: one.labels for name, one in challenge._SETS.items()}
    for ability in leaderboard.ABILITIES.values():
        scales = {kinds.get(test) == "rating" and test != "parade" for test in ability.tests if test in kinds}
        assert len(scales) <= 1, "no mean over a correlation and a share"
    known = described()
    assert all(one["what"] and one["licence"] and one["needs"] for one in known.values())
    assert {measure for group in tasks.GROUPS.values() for measure in group} <= set(known)


def test_stand_ins_where_no_set_is_read(monkeypatch):
    found = leaderboard.tests(real=False)
    assert found.keys() >= {"similarity", "order", "negation"} and all("shipped" in t[0].data for t in found.values())
    with pytest.raises(InputError, match="no test 'colour'"):
        leaderboard.tests(["colour"])

    def changed(*given, **named):
        raise ChecksumError("the source has another file by now")

    monkeypatch.setattr(data, "find", changed)
    assert leaderboard.tests(["stsb", "bump", "noise-bump"]) == {}, "other tests are scored all the same"


def test_what_was_scored_before_counts_in_the_processor_time(tmp_path, monkeypatch):
    monkeypatch.setenv("NBHELPERS_OUT", str(tmp_path))

    def slow(text):
        began = time.process_time()
        while time.process_time() < began + 0.005:
            pass
        return right(text)

    monkeypatch.setattr(scoring, "read", lambda test: task(name=test))
    monkeypatch.setattr(scoring, "chosen", lambda measures, dtype: [metric("slow", slow)])
    monkeypatch.setattr(evidence, "names", list)
    spent = [leaderboard.record("stsb", "slow")[1].settings["seconds"]["slow"] for _ in range(2)]
    assert min(spent) >= 0.3, "60 pairs; the second time they are read"


def test_a_further_measure_keeps_the_scores_of_the_others_and_where_they_were_computed(tmp_path, monkeypatch):
    monkeypatch.setenv("NBHELPERS_OUT", str(tmp_path))
    monkeypatch.setattr(scoring, "read", lambda test: task(name=test))
    monkeypatch.setattr(scoring, "chosen", lambda measures, dtype: [metric(measures, right)])
    monkeypatch.setattr(evidence, "names", list)
    table, run = leaderboard.record("stsb", "one")
    run.settings["computed"]["one"] = "GPU"
    monkeypatch.setattr(evidence, "names", lambda: ["board-scores"])
    monkeypatch.setattr(evidence, "load", lambda name: table.assign(run=0))
    monkeypatch.setattr(evidence, "runs", lambda name: [run])
    both, further = leaderboard.record("stsb", "other")
    assert further.settings["computed"] == {"one": "GPU"} and both["one"].tolist() == table["one"].tolist()
    assert leaderboard.record("stsb", "one")[1].settings["computed"] == {}


# --------------------------------------------------------------------------------------------- what ships, the command


def test_the_recorded_board():
    items = evidence.load("board-scores")
    board = Board(items)
    assert set(board.measures) <= set(described())
    answers = leaderboard.jobs(board)
    assert len(answers) == len(board.abilities) and answers["reached"].str.contains(r"\[").all()
    own = items[items["test"] == "parabank"]
    own = own[np.isfinite(own[[name for name in board.measures if own[name].notna().all()]]).all(axis=1)]
    cell = board.tests.set_index(["row", "column"]).loc[("chrf", "parabank")]
    assert cell["value"] == pytest.approx(spearmanr(own["label"], own["chrf"]).statistic, abs=1e-6)
    assert cell["high"] - cell["low"] > 0.05, "sources are resampled, not pairs"
    assert len(leaderboard.choose(board, ["order"], licence="CC BY-SA")) == 1
    both = leaderboard.choose(board, ["similarity", "content"], pairs_a_second=1000, intervals=True)["measure"].tolist()
    assert both.index("chrF") < both.index("METEOR"), "among equals the better places come first"
    assert answers["fastest of them"].str.contains(r"first minus fastest \S+ \[").any()
    gap, cells = board.difference("facts", "length-ratio", "rougeL-f1"), board.columns.set_index(["row", "column"])
    values = [cells["value"][name, "facts"] for name in ("length-ratio", "rougeL-f1")]
    assert gap.value == pytest.approx(values[0] - values[1]) and gap.low < gap.value < gap.high
    table = leaderboard.by_test(board, ["menli", "semantoneg"], ["chrf", "same-meaning"])
    assert table.shape == (2, 2) and table.iloc[1, 0].startswith("(") and not table.iloc[0, 0].startswith("(")
    half = items[(items["test"] == "bump") & (items["candidate words"] > 25)]
    with pytest.raises(InputError, match="all of an item, or none"):
        _ = Board(half).tests


def test_a_row_of_the_board_is_one_measure_on_all_tests():
    found: dict[str, dict[str, list[str]]] = {}
    for run in evidence.runs("board-scores"):
        for name, signature in run.settings["signatures"].items():
            found.setdefault(name, {}).setdefault(signature, []).append(run.settings["test"])
    assert {name: some for name, some in found.items() if len(some) > 1} == {}
    assert "wordnet:none" not in str(found), "scored without the synonyms that the measure has"


def order_by_other_code(path):
    """Word order, roles: what four measures get in the official file of PAWS-Wiki, by their authors' packages."""
    rows = [line.split("\t") for line in path.read_text("utf-8").splitlines()]
    rouge = rouge_scorer.RougeScorer(["rouge2", "rougeL"])
    found = {"bleu": sacrebleu.BLEU(effective_order=True), "chrf": sacrebleu.CHRF()}
    values = {name: [one.sentence_score(c, [s]).score for _, s, c, _ in rows] for name, one in found.items()}
    for kind in ("rouge2", "rougeL"):
        scores = [rouge.score(source, candidate)[kind] for _, source, candidate, _ in rows]
        values |= {f"{kind}-precision": [s.precision for s in scores], f"{kind}-f1": [s.fmeasure for s in scores]}
    kept = [int(row[-1]) for row in rows]
    return {name: roc_auc_score(kept, np.round(own, 9)) for name, own in values.items()}  # equal shares are ties


def test_a_column_computed_again_from_a_file_by_other_code(in_data, tmp_path, monkeypatch):
    monkeypatch.setenv("NBHELPERS_OUT", str(tmp_path / "out"))
    rng, words = np.random.default_rng(0), "the old grey ferry left port before noon and came back late".split()
    lines = []
    for number in range(40):
        source = list(rng.choice(words, 8))
        candidate = list(rng.permutation(source)) if number % 2 else [*source[1:], str(rng.choice(words))]
        lines.append(f"{number}\t{' '.join(source)} .\t{' '.join(candidate)} .\t{int(rng.random() < 0.5)}\n")
    file = in_data("challenge/paws-wiki/test.tsv", "".join(lines))
    in_data("challenge/paws-wiki/dev.tsv", "".join(lines[:2]))
    expected = order_by_other_code(file)
    board = Board(leaderboard.scored([tasks.read("paws-wiki")], leaderboard.chosen(",".join(expected))))
    cells = board.columns.set_index(["row", "column"])["value"]
    assert {name: cells[name, "order"] for name in expected} == pytest.approx(expected, abs=2e-5)


@pytest.mark.usefixtures("real_data")
def test_a_column_computed_again_from_the_official_file_by_other_code():
    expected = order_by_other_code(data.find("paws-wiki").path / "test.tsv")
    items = evidence.load("board-scores").query("test == 'paws-wiki'").reset_index(drop=True)
    cells = Board(items).columns.set_index(["row", "column"])["value"]
    assert {name: cells[name, "order"] for name in expected} == pytest.approx(expected, abs=2e-5), "to four digits"


def test_a_strangers_measure(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NBHELPERS_OUT", str(tmp_path))
    items = evidence.load("board-scores").query("test in ('sanity', 'shuffled-lee')").reset_index(drop=True)
    monkeypatch.setattr(evidence, "load", lambda name: items)
    count = int((items["test"] == "sanity").sum())
    own = Task(
        "sanity",
        "best",
        tuple(p for n in range(count // 2) for p in tasks.against([("a b", "a b", "c", "")])),
        "s@0",
    )
    monkeypatch.setattr(tasks, "read", {"sanity": own}.get)
    (tmp_path / "stranger.py").write_text(
        "def same(sources, candidates):\n    return [s == c for s, c in zip(sources, candidates)]\n"
    )
    assert command.main(["--metric", "stranger:same"]) == 0
    shown_text = capsys.readouterr().out
    assert "not on this machine, and so not scored: parabank, stsb" in shown_text and "Sanity" in shown_text
    lines = (tmp_path / "same.board.csv").read_text().splitlines()
    assert lines[0] == "test,place,same" and len(lines) == count + 1
    (tmp_path / "sent.csv").write_text("\n".join(lines))
    assert command.main(["--scores", "sent.csv", "--tests", "sanity"]) == 0
    again = capsys.readouterr().out
    assert again.splitlines()[:2] == shown_text.splitlines()[:2] and "1.000 [" in again, "the same row"
    (tmp_path / "my.tsv").write_text("test\tplace\tscore\n" + "".join(f"sanity\t{n}\t{n % 2}\n" for n in range(count)))
    assert command.main(["--scores", "my.tsv", "--tests", "sanity"]) == 0
    assert ".000" in capsys.readouterr().out
    monkeypatch.delenv("NBHELPERS_DATA", raising=False)
    with pytest.raises(ResourceNotFoundError, match="not on this machine: stsb, pit .*\n    stsb: .*OFFLINE is set\n"):
        command.main(["--metric", "stranger:same", "--tests", "stsb,pit"])


def test_why_a_test_is_absent(monkeypatch):
    def unreachable(name):
        raise ResourceNotFoundError("long", "its official source https://host.org/a/b.csv (not reachable: Timeout)")

    monkeypatch.setattr(challenge, "read", unreachable)
    assert leaderboard.absent("stsb") == "its official source host.org (not reachable: Timeout)"

    def changed(name):
        raise ChecksumError("the source has another file by now")

    monkeypatch.setattr(challenge, "read", changed)
    assert leaderboard.absent("noise-bump") == "the source has another file by now"
    monkeypatch.setattr(tasks, "_opened", lambda name: task())
    assert leaderboard.absent("stsb") == ""


def test_export_and_pairs(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "_tasks", lambda: ([task()], []))
    assert command.main(["--pairs", str(tmp_path / "pairs.tsv")]) == 0
    assert len((tmp_path / "pairs.tsv").read_text().splitlines()) == 61
    items = evidence.load("board-scores").query("test in ('paws-qqp', 'sanity')")
    written = leaderboard.export(Board(items), tmp_path / "out")
    assert {one.name for one in written} == {"paws-qqp.csv", "sanity.csv", "board.json"}
