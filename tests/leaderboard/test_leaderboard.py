"""The leaderboard: weighted statistics against plain ones, samples, resuming, refusals, ranks, groups, made tests."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from nbhelpers import leaderboard
from nbhelpers.base import stats
from nbhelpers.base.errors import InputError, RowError
from nbhelpers.leaderboard.board import resampled, weighted_auc, weighted_spearman
from nbhelpers.leaderboard.scoring import Scores
from nbhelpers.leaderboard.tasks import Task, sanity
from nbhelpers.metrics import Metric
from nbhelpers.resources.challenge import ChallengePair

rows = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 3)), min_size=4, max_size=30)


@given(rows)
def test_weights_are_repetitions(drawn):
    labels, values, weights = np.array(drawn).T
    x, y = np.repeat(labels, weights), np.repeat(values, weights)
    if len(set(x)) > 1 and len(set(y)) > 1:
        expected = spearmanr(x, y).statistic
        assert weighted_spearman(labels, values, weights[None].astype(float))[0] == pytest.approx(expected, abs=1e-9)
    kept = x > 1
    if 0 < kept.sum() < len(kept):
        found = weighted_auc((labels > 1).astype(float), values, weights[None].astype(float))[0]
        assert found == pytest.approx(stats.roc_auc(kept, y))


def task(labels="yes/no", count=60, by_kind=False):
    rng = np.random.default_rng(1)
    texts = [f"{'other' if n % 3 else 'same'} {rng.integers(100)} {n}" for n in range(count)]
    groups = [f"s{n // 3}" for n in range(count)]
    pairs = [
        ChallengePair(g, t, float(n % 3 == 0), f"k{n % 2}", g, g[1:]) for n, (g, t) in enumerate(zip(groups, texts))
    ]
    return Task("t", "T", labels, tuple(pairs), "t@0", by_kind)


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
    assert large[: len(small)] == small and len(small) == 12
    assert {best.pairs[place].item for place in small} == {best.pairs[place].item for place in small[::3]}
    assert task().sample(60) == tuple(range(60)) and len(task().sample(7)) == 7


def test_scoring_goes_on_where_it_was(tmp_path, monkeypatch):
    monkeypatch.setenv("NBHELPERS_OUT", str(tmp_path))
    calls = []

    def stops(text):
        if len(calls) >= 2:
            raise KeyboardInterrupt
        return right(text)

    monkeypatch.setattr("nbhelpers.leaderboard.scoring.SHARD_SECONDS", 0.02)  # 20 pairs in a file
    with pytest.raises(KeyboardInterrupt):
        leaderboard.score([task()], [metric("right", stops, calls)])
    done = len(calls)
    scores, _, _ = leaderboard.score([task()], [metric("right", right, calls)])
    assert done == 2 and len(calls) < done + 3, "finished parts are read, the others computed"
    expected = [right(pair.candidate) for pair in task().pairs]
    assert scores["right"]["t"].values.tolist() == expected


def test_refused_pairs_are_counted_and_distances_turned(tmp_path, monkeypatch):
    monkeypatch.setenv("NBHELPERS_OUT", str(tmp_path))
    scores, loaded, missing = leaderboard.score(
        [task()], [metric("refuses", right), metric("distance", right), "samsa"]
    )
    assert scores["refuses"]["t"].refused == 1 and 5 not in scores["refuses"]["t"].places
    assert set(scores["distance"]["t"].values) == {0.0, -1.0}
    assert set(loaded) == {"refuses", "distance"} and "samsa" in missing


@pytest.fixture
def board(tmp_path, monkeypatch):
    monkeypatch.setenv("NBHELPERS_OUT", str(tmp_path))
    chosen = [metric("right", right), metric("constant", lambda text: 0.5), metric("noise", noise)]
    chosen.append(metric("almost", lambda text: right(text) + 0.01 * noise(text)))
    every = {"order": [task()], "facts": [replace(task("best", by_kind=True), name="u", title="U")]}
    scores, loaded, _ = leaderboard.score([t for some in every.values() for t in some], chosen)
    return leaderboard.Board(every, scores, loaded, resamples=200)


def test_cells_ranks_and_groups(board):
    order = board.by_ability["order"]
    assert list(order)[:2] == ["almost", "right"] and order["right"].estimate.value == 1.0
    assert order["constant"].estimate.value == 0.5 == board.chance("order"), "ties count one half"
    assert order["constant"].estimate.low == order["constant"].estimate.high == 0.5
    groups = board.groups("order")
    assert groups["almost"] == groups["right"] == "a" != groups["constant"]
    ranks = board.ranks("order")
    assert ranks["almost"].value == 1 and ranks["noise"].low >= 2
    recorded = board.rows()
    assert len(recorded["abilities"]) == len(recorded["ranks"]) == len(recorded["sets"]) == 8
    assert all("chance 0.50" in row["note"] for row in recorded["abilities"])


def test_an_interval_resamples_sources():
    labels, values = np.tile([1.0, 0.0, 0.0], 20), np.random.default_rng(0).normal(size=60)
    groups = np.repeat(np.arange(20), 3)
    scored = Scores(np.arange(60), values, 0)
    counts = np.random.default_rng(0).multinomial(20, np.full(20, 1 / 20), size=1)
    found = resampled(task(), scored, counts, groups)[0]
    places = np.repeat(np.arange(60), counts[0][groups])
    assert found == pytest.approx(stats.roc_auc(labels[places], values[places]))


def test_people_agree_with_themselves():
    same = [ChallengePair(f"s{n}", "c", n, "", f"s{n}", "", (float(n), float(n))) for n in range(20)]
    assert leaderboard.people(Task("p", "P", "rating", tuple(same), "p@0"), 100).value == 1.0


def test_made_tests():
    pair = SimpleNamespace(sentence="the old ferry sank near Split", compression="the ferry sank")
    made = leaderboard.shortened([pair], "g@0").pairs
    assert [p.label for p in made] == [1, 0] and len(made[1].candidate.split()) == 3
    copy, mixed = leaderboard.shuffled([["A.", "B.", "C.", "D."], ["A."]], "l@0").pairs
    assert copy.candidate == "A. B. C. D." != mixed.candidate and sorted(mixed.candidate.split()) == copy.source.split()
    asked = leaderboard.questions([("q", ["a", "b", "c", "d"])], "p@0").pairs
    assert [p.label for p in asked] == [1, 0, 0, 0]
    summary = SimpleNamespace(text="x", score=2, kind="abstract")
    topics = [SimpleNamespace(id="1", references=[summary], candidates=[summary, summary])]
    assert [p.group for p in leaderboard.ranked(topics, "r").pairs] == ["1", "1"]
    own = sanity(real=False, sentences=20).pairs
    assert all((p.source == p.candidate) == (p.label == 1) for p in own) and len(own) == 40


def test_stand_ins_for_every_ability_that_has_some(monkeypatch, tmp_path):
    monkeypatch.setenv("NBHELPERS_DATA", str(tmp_path))
    found = leaderboard.all_tasks(real=True)
    assert found.keys() == leaderboard.all_tasks(real=False).keys() >= {"similarity", "order", "negation", "sanity"}
    assert all("shipped" in task.data for some in found.values() for task in some)
    with pytest.raises(InputError, match="no ability 'colour'"):
        leaderboard.all_tasks({"colour": []})
