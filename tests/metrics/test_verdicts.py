"""Which words cost meaning, verdicts with a stated error, and long texts sentence by sentence."""

import itertools
import random
import re
from dataclasses import replace

import numpy as np
import pytest
from gensim.test.utils import datapath
from refused import refused

from nbhelpers import metrics
from nbhelpers.base.errors import InputError, RowError, RowTooLongError
from nbhelpers.metrics import alignment, changes, verdicts
from nbhelpers.metrics.metric import Metric
from nbhelpers.metrics.verdicts import Thresholds
from nbhelpers.resources.models import DEFAULT_ENCODER, cached_encoder


def toy(longest: int = 30, scale: float | None = 1.0) -> Metric:
    """Loses 40 points for each *not* that one text has more, and 5 for each other word that differs."""

    def compute(sources, candidates, references):
        values = []
        for row, (source, candidate) in enumerate(zip(sources, candidates), start=1):
            one, two = source.lower().split(), candidate.lower().split()
            if len(one) + len(two) > longest:
                raise RowTooLongError(row, "too long.")
            other = len(set(one) ^ set(two) - {"not"})
            values.append(max(0, 100 - 40 * abs(one.count("not") - two.count("not")) - 5 * other))
        return values

    return Metric("toy", "Toy", (0, 100), True, False, "toy", compute, scale)


LIMITS = Thresholds(90, 60)


CLAUSE = " because nobody needed him any more"


NUMBERS = " ".join(map(str, range(3_000)))


WHOLE = ("Sales fell by 12% last year", "Last year 21% less was sold")


@pytest.mark.parametrize(
    ("source", "candidate", "verdict"),
    [
        ("He replied 🙂.", "He replied 😡.", "unsure"),
        ("He replied 🙂.", "He replied 🙂 .", "unsure"),
        ("The key is " + "a1b2" * 40, "The key is " + "c3d4" * 40, "unsure"),
        ("He replied 🙂.", "He never replied 🙂.", "changed"),
    ],
)
def test_a_change_that_the_model_cannot_read_is_never_kept(source, candidate, verdict):
    assert verdicts.check(source, candidate).verdict == verdict
    metric = replace(toy(), unread=lambda text: "🙂" in text)
    assert verdicts.check("One 🙂 here.", "Some 🙂 here.", metric=metric, thresholds=LIMITS).verdict == "kept"


@pytest.mark.parametrize(
    ("source", "candidate", "expected"),
    [
        ("He paid 20 euros.", "He paid 30 euros.", ("20", "30", "number")),
        ("It is safe.", "It is not safe.", ("", "not", "negation")),
        ("It lowers costs.", "It may lower costs.", ("lowers", "may lower", "certainty")),
        ("It closed in May again.", "It closed in June again.", ("May", "June", "time")),
        ("He met Anna there.", "He met Maria there.", ("Anna", "Maria", "name")),
        ("Few of them left.", "Many of them left.", ("Few", "Many", "quantity")),
        ("We left despite rain.", "We left because rain.", ("despite", "because", "connective")),
        ("The old dog ran.", "The dog ran.", ("old", "", "left out")),
        ("The dog ran.", "The dog ran home.", ("", "home", "added")),
        ("He left.", f"He left{CLAUSE}.", ("", CLAUSE.strip(), "added")),
        (f"He left{CLAUSE}.", "He left.", (CLAUSE.strip(), "", "left out")),
        ("We know the way.", "We know it is not the case that the way.", ("", "it is not the case that", "negation")),
        ("The dog ran.", "The cat ran.", ("dog", "cat", "word")),
        ("A dog bit the cat badly.", "The cat bit a dog badly.", ("A dog bit the cat", "The cat bit a dog", "order")),
        ("Sales fell by 12% last year.", "Last year 21% less was sold.", (*WHOLE, "number")),
    ],
)
def test_the_place_and_its_likely_kind(source, candidate, expected):
    (one,) = changes.differences(source, candidate)
    assert (one.was, one.became, one.kind) == expected
    assert source[slice(*one.source)] == one.was and candidate[slice(*one.candidate)] == one.became
    assert changes.put(candidate, one.candidate, one.was) == source


def test_what_moved_is_called_order_and_what_is_common_is_left_out():
    assert {one.kind for one in changes.differences("Dogs bite men.", "Men bite dogs.")} == {"order"}
    apart = changes.differences("Only members can vote here.", "Members can only vote here.")
    assert [(one.was, one.became, one.kind) for one in apart] == [("Only", "", "order"), ("", "only", "order")]
    unrelated = changes.differences("Sadly he died.", "He died in Rome.")
    assert [one.kind for one in unrelated] == ["left out", "added"]
    assert changes.differences("It Rained.", "it rained.") == []


def test_free_rewordings_are_not_torn_apart_at_small_words():
    texts = (
        "The mayor refused to open the pool in winter.",
        "Swimming there from December on was ruled out by the council.",
    )
    assert len(changes.differences(*texts)) <= 3


def test_the_costliest_place_comes_first():
    found = toy().changes("The road is safe today.", "That road is not safe today.")
    assert [(one.became, one.cost) for one in found] == [("not", 40), ("That", 10)]
    assert toy().changes("It rained.", "It rained.") == ()
    distance = Metric("d", "D", (0, 100), False, False, "d", lambda s, c, r: [a != b for a, b in zip(s, c)])
    assert distance.changes("It rained.", "It snowed.")[0].cost == 1  # what a distance loses is a gain


def test_words_are_named_where_the_source_fits_only_beside_a_short_text():
    source, candidate = "The road to the old mill is safe.", "The road is not safe."
    (found,) = metrics.check_all([source], [candidate], metric=toy(longest=14), thresholds=LIMITS)
    assert "not" in found.changes[0].became and found.changes[0].cost > 0


def test_many_pairs_are_rated_in_few_calls_and_get_what_each_gets_alone(monkeypatch):
    monkeypatch.setattr(verdicts, "_PAIRS_AT_ONCE", 3)
    sources = ["The road is safe today.", "It rained.", "He came.", "The dog ran.", "The road is safe today."]
    candidates = ["That road is not safe.", "It rained.", "He did not come.", "The dog did not run.", "It is safe."]
    calls, plain = [], toy()
    metric = replace(plain, compute=lambda *texts: calls.append(len(texts[0])) or plain.compute(*texts))
    found = metrics.check_all(sources, candidates, metric=metric, thresholds=LIMITS)
    assert len(calls) == 4
    assert found == [metrics.check(*pair, metric=plain, thresholds=LIMITS) for pair in zip(sources, candidates)]


def test_a_head_for_words_changes_the_order_and_not_the_costs():
    texts = ("The road is safe today.", "That road is not safe today.")
    marked = replace(toy(), damaged=lambda source, candidate: [(0, 4, 0.9), (13, 16, 0.0)])
    assert [(one.became, one.cost) for one in marked.changes(*texts)] == [("That", 10), ("not", 40)]
    silent = replace(toy(), damaged=lambda source, candidate: [])
    assert silent.changes(*texts) == toy().changes(*texts)


def test_the_shipped_head_reads_every_piece_of_the_candidate():
    metric, candidate = metrics.load("same-meaning"), "On Monday the new bridge was closed by the mayor."
    pieces = metric.damaged("The mayor opened the new bridge on Monday.", candidate)
    assert [candidate[first:last] for first, last, _ in pieces if candidate[first:last].isalpha()] == re.findall(
        r"\w+", candidate
    )
    assert all(0 <= likely <= 1 for *_, likely in pieces)
    first, last, _ = max(pieces, key=lambda piece: piece[2])
    assert candidate[first:last] == "closed"
    assert metrics.load("meaningbert").damaged is None


def test_a_verdict_names_rating_words_and_kind():
    kept, changed, unsure = metrics.check_all(
        ["It is safe."] * 3,
        ["It is safe.", "It is not at all safe.", "It was not far."],
        metric=toy(),
        thresholds=LIMITS,
    )
    assert (kept.verdict, kept.changes, kept.kind) == ("kept", (), "")
    assert (changed.verdict, changed.rating, changed.kind) == ("changed", 50, "negation")
    assert changed.changes[0].became == "not at all" and changed.mean == 50
    assert unsure.verdict == "changed"
    assert metrics.check("It is safe.", "It was safe.", metric=toy(), thresholds=Thresholds(95, 80)).verdict == "unsure"
    (bare,) = metrics.check_all(["It is safe."], ["It is not safe."], metric=toy(), thresholds=LIMITS, words=False)
    assert bare.changes == () and bare.verdict == "changed"


def test_the_same_text_is_kept_whatever_the_rating():
    assert metrics.check("It  rained.", "It rained.", metric=toy(), thresholds=Thresholds(101, 100)).verdict == "kept"


def vectors(texts):
    """Words as dimensions."""
    words = "ferry sank nobody died prices rose captain slept cat".split()
    rows = np.array([[word in text.lower() for word in words] for text in texts], float) + 1e-9
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_sentences_are_aligned_in_order_one_to_many():
    source = ["The ferry sank and nobody died.", "Prices rose.", "The captain slept."]
    candidate = ["The ferry sank.", "Nobody died.", "A cat.", "The captain slept."]
    groups = alignment.align(source, candidate, vectors)
    assert [tuple(map(list, group)) for group in groups] == [([0], [0, 1]), ([], [2]), ([1], []), ([2], [3])]
    assert alignment.align(candidate[:2], source[:1], vectors) == [(range(0, 2), range(0, 1))]


def test_alignment_is_that_of_the_search_which_encodes_every_run(monkeypatch):
    rng, encoder = random.Random(0), cached_encoder(DEFAULT_ENCODER)
    with open(datapath("lee_background.cor"), encoding="utf-8") as lines:
        articles = [alignment.pieces(line)[:8] for line in itertools.islice(lines, 4)]
    pages = []
    for source in articles:
        candidate = [word for text in source for word in text.split() if rng.random() > 0.1]
        cuts = [0, *sorted(rng.sample(range(5, len(candidate) - 5), 6)), len(candidate)]
        pages.append((source, [" ".join(candidate[first:last]) for first, last in zip(cuts, cuts[1:])]))

    def encode(texts):
        return encoder.encode(texts, truncate=True)

    few = [alignment.align(*page, encode) for page in pages]

    def exact(texts, vectors, others, size):
        runs = [" ".join(texts[at : at + size]) for at in range(len(texts) - size + 1)]
        close = np.array([len(run.split()) <= 2 * alignment.LONGEST for run in runs])
        return (encode(runs) @ others.T) * close[:, None]

    monkeypatch.setattr(alignment, "_hoped", exact)
    assert few == [alignment.align(*page, encode) for page in pages]
    assert any(len(places) > 1 for groups in few for group in groups for places in group)


def test_long_sentences_are_divided_and_nothing_is_lost():
    text = " ".join(f"word{number}," if number % 7 == 0 else f"word{number}" for number in range(200)) + "."
    pieces = alignment.pieces(f"It rained. {text}")
    assert pieces[0] == "It rained." and all(len(piece.split()) <= alignment.LONGEST for piece in pieces)
    assert " ".join(pieces[1:]) == text
    assert alignment.pieces("...") == ["..."]


def test_long_texts_are_rated_by_sentence(monkeypatch):
    monkeypatch.setattr(
        alignment, "cached_encoder", lambda _: type("E", (), {"encode": staticmethod(lambda t, **k: vectors(t))})
    )
    source = "The ferry sank. Nobody died. Prices rose. The captain slept."
    candidate = "The ferry sank. Nobody not died. The captain slept. A cat sat there."
    found = metrics.check(source, candidate, metric=toy(longest=12), thresholds=LIMITS)
    parts = {(part.source, part.candidate): (part.rating, part.verdict) for part in found.parts}
    assert parts["Nobody died.", "Nobody not died."] == (60, "changed")
    assert parts["Prices rose.", ""] == parts["", "A cat sat there."] == (0, "changed")
    assert parts["The ferry sank.", "The ferry sank."] == (100, "kept")
    assert (found.rating, found.verdict) == (0, "changed") and found.kind in ("left out", "added")
    assert found.mean == pytest.approx((100 * 2 + 60 * 2 + 100 * 2) / 8)
    lost = metrics.check(source, source.replace("Prices rose. ", ""), metric=toy(longest=12), thresholds=LIMITS)
    assert (lost.mean_source, lost.mean_candidate, lost.mean) == (75, 100, pytest.approx(600 / 7))
    gained = metrics.check(source.replace("Prices rose. ", ""), source, metric=toy(longest=12), thresholds=LIMITS)
    assert (gained.mean_source, gained.mean_candidate) == (100, 75)
    same = metrics.check(source, source, metric=toy(longest=12), thresholds=LIMITS)
    assert (same.verdict, same.rating, same.kind) == ("kept", 100, "")


def test_list_items_are_pieces_and_lines_of_prose_are_not():
    assert alignment.pieces("Bring:\n- two boats\n 2) a rope\n\nand a\n3 km map") == [
        "Bring:", "- two boats", "2) a rope", "and a 3 km map"
    ]  # fmt: skip


@pytest.mark.parametrize("text", [NUMBERS[:600], "\n".join(f"- buy {n} apples" for n in range(60)), "? " * 99])
def test_the_same_long_text_is_kept_and_no_text_is_too_long(text):
    severe = Thresholds(101, -1)
    same = metrics.check(text, f" {text}\n", metric=toy(), thresholds=severe)
    assert (same.verdict, same.rating, same.mean_source) == ("kept", 100, 100)
    other = metrics.check(text, text + " Prices rose.", metric=toy(), thresholds=severe)
    assert other.verdict in ("changed", "unsure") and other.parts and other.rating < 100


def test_the_shipped_model_says_which_of_3000_numbers_was_changed():
    found = metrics.check(NUMBERS, NUMBERS.replace(" 1450 ", " 7 "))
    (other,) = (part for part in found.parts if part.verdict != "kept")
    assert found.verdict != "kept" and " 1450 " in other.source and " 7 " in other.candidate
    assert found.kind == "number" and found.rating == other.rating < 100 and len(found.parts) > 60


def test_a_number_in_place_of_another_one_is_never_kept():
    assert verdicts._other_numbers("It cost 1,450 pounds in 2 parts.", "It cost 7 pounds in 2 parts.")
    for same in (
        "It cost 1450 pounds.",
        "It cost fourteen hundred and fifty pounds.",
        "It cost 1,450 pounds, in all 1,450.",
    ):
        assert not verdicts._other_numbers("It cost 1,450 pounds.", same)
    thresholds = verdicts.Thresholds(50, 10)
    assert (
        metrics.check("It cost 20 pounds.", "It cost 30 pounds.", metric=toy(), thresholds=thresholds).verdict
        == "unsure"
    )


def test_sentences_too_long_for_the_metric_are_cut_beside_common_words():
    words = [f"w{n}" for n in range(40)]
    pair = " ".join(words), " ".join(words[:5] + words[8:])
    assert verdicts._rated(toy(), [pair]) == [85]  # three words of 40 are missing, all in one half
    assert verdicts._halves("a b", "c") == [("a", "c"), ("b", "c")]
    assert verdicts._halves("abc", "d e f") == [("ab", "d"), ("c", "e f")]


def test_a_text_that_cannot_be_read_is_refused_with_its_row(monkeypatch):
    monkeypatch.setattr(verdicts, "_PAIRS_AT_ONCE", 3)
    sources, unreadable = ["It rained."] * 5, [NUMBERS, "It rained.", "It rained.", NUMBERS, "\u200b"]
    with pytest.raises(RowError, match="^Row 5: a text of the pair has no pieces"):
        metrics.check_all(sources, unreadable)


def test_the_promise_holds_on_new_pairs():
    rng = np.random.default_rng(0)
    broken = 0
    for seed in range(200):
        changed, kept = rng.normal(40, 15, 300), rng.normal(80, 15, 300)
        found = verdicts.thresholds_from(np.r_[changed, kept], [0] * 300 + [1] * 300, seed=seed)
        passing = (rng.normal(40, 15, 20_000) >= found.kept).mean()
        broken += passing > 0.05
        assert found.changed < found.kept
    assert broken <= 0.06 * 200  # 2.5 % are expected


def test_pairs_of_one_source_count_once_and_too_few_are_refused():
    ratings, labels = [10.0] * 90 + [90.0] * 90, [0] * 90 + [1] * 90
    with pytest.raises(InputError, match="A risk of 0.05 needs 72 changed pairs of different sources; there are 1"):
        verdicts.thresholds_from(ratings, labels, groups=["a"] * 90 + [str(place) for place in range(90)])
    found = metrics.calibrate([f"It is {n}." for n in range(90)] * 2, [f"It is {n}." for n in range(90)]
                              + [f"It is not {n}." for n in range(90)], [1] * 90 + [0] * 90, metric=toy())  # fmt: skip
    assert 60 < found.changed < found.kept < 100 and found.found == "90 changed and 90 kept pairs"


test_bad_input = refused(
    (lambda: metrics.check("", "It rained.", metric=toy(), thresholds=LIMITS), "source of row 1 is empty"),
    (lambda: metrics.check("It rained.", "It rained.", metric=toy(scale=None)), "no rating from 0 to 100"),
    (lambda: metrics.check("It rained.", "It rained.", metric="token-f1"), "no stored thresholds"),
    (lambda: verdicts.thresholds_from([1, 2], [0, 2]), "label: 1 where"),
    (lambda: verdicts.thresholds_from([1, 2], [0, 1], risk=2), "between 0 and 1"),
)
