"""Audits and splits of rated pairs: planted defects are found, CSMD's are, and no split or augmentation leaks."""

import csv
import gzip
import math
import os
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbhelpers.base.errors import InputError
from nbhelpers.language.tokens import content_stems
from nbhelpers.resources import csmd as reader
from nbhelpers.resources import data
from nbhelpers.resources.csmd import Csmd, RatedPair, SourceRatings, normalized
from nbhelpers.studies.meaningbert import audits, splits

real_data = pytest.mark.skipif(not os.environ.get("NBHELPERS_DATA"), reason="needs real data in NBHELPERS_DATA")
LOCATED = data.Located("made-up", None, "argument", "0" * 64)


def rated(*rows: tuple) -> tuple[RatedPair, ...]:
    return tuple(RatedPair(row[0], row[1], row[2], place, *row[3:]) for place, row in enumerate(rows, start=1))


def ratings_of(name: str, rows) -> SourceRatings:
    given: dict = {}
    for source, candidate, rating in rows:
        key = normalized(source), normalized(candidate)
        given[key] = (*given.get(key, ()), rating)
    return SourceRatings(name, given, LOCATED)


def test_ratings_of_pairs_that_stand_in_two_collections():
    names = {"QuestEval": 10, "ASSET": 30, "Simplicity-DA": 50, "SimpDA-2022": 90}
    pairs = rated(*(("A.", "B.", rating, name) for name, rating in names.items()), ("C.", "D.", 20, "QuestEval"))
    assert audits.rated_twice(pairs, "QuestEval", ("ASSET", "Simplicity-DA")) == [(10, 40.0)]
    assert audits.rated_twice(pairs, "ASSET", ()) == []


# ------------------------------------------------------------------------------------------ a CSMD that is made up

SIZES = {"ASSET": 10, "SimpDA-2022": 14, "Simplicity-DA": 20, "QuestEval": 12}


def made_up(seed: int = 7):
    """A small CSMD put together as the authors' script did, faults included, and what its labels should be.

    Two QuestEval pairs are in ASSET, too, with another rating; two systems of Simplicity-DA wrote the same.
    """
    random = np.random.default_rng(seed)
    truth: dict[str, list[tuple[str, str, float]]] = {}
    for name, size in SIZES.items():
        numbers = random.permutation(size)
        texts = [(f"Source {number // 2} of {name}.", f"Candidate {number} of {name}.") for number in numbers]
        truth[name] = [(*text, float(rating)) for text, rating in zip(texts, random.uniform(1, 99, size))]
    truth["Simplicity-DA"][3] = (*truth["Simplicity-DA"][11][:2], 12.5)
    for place in (0, 5):
        truth["QuestEval"][place] = (*truth["ASSET"][place][:2], truth["ASSET"][place][2] / 2)

    def misplaced(rows, key):
        return [(*row[:2], right[2]) for row, right in zip(rows, sorted(rows, key=key))]

    published = {
        **truth,
        "SimpDA-2022": misplaced(truth["SimpDA-2022"], lambda row: row[1]),
        "QuestEval": misplaced(truth["QuestEval"], lambda row: row[:2]),
    }
    order = [row for rows in published.values() for row in rows]
    split = splits.random_split(len(order), 42)
    train, dev, test = (rated(*part) for part in split.parts(order))
    right = [row[2] for rows in truth.values() for row in rows]
    labels = [rating for part in split.parts(right) for rating in part]
    names = [name for part in split.parts([n for n, s in SIZES.items() for _ in range(s)]) for name in part]
    sources = {name: ratings_of(name, truth[name]) for name in SIZES if name != "QuestEval"}
    return Csmd(train, dev, test, (), (), (), (), (), LOCATED), sources, names, labels


# ------------------------------------------------------------------------------------------------------ duplicates


def test_duplicates_are_counted_within_and_between_parts():
    train = rated(("A.", "B.", 10), ("C.", "D.", 20), (" A. ", "B.", 35), ("E.", "F.", 5))
    test = rated(("C.", "D.", 20), ("a.", "B.", 10), ("E.", "G.", 5), ("A.", "B.", 10))
    found = audits.duplicates({"train": train, "dev": (), "test": test})
    assert (found.rows, found.repeats, found.groups, found.disagreeing) == (8, 3, 2, 1)
    assert found.largest_difference == 25
    assert found.between == {("train", "dev"): 0, ("train", "test"): 2, ("dev", "test"): 0}
    assert found.sentence.startswith("3 of 8 rows repeat an earlier pair;")
    assert audits.duplicates(rated(("A.", "B.", 10), ("B.", "A.", 10))).sentence == "None of 2 pairs occurs twice."


# --------------------------------------------------------------------------------------------------------- leakage


def test_leakage_is_counted_in_rows_sources_and_pairs():
    train = rated(("A.", "B.", 10), ("C.", "D.", 20), ("A.", "E.", 1))
    other = rated(("X.", "B.", 1), ("A.", "B.", 5), ("A. ", "Z.", 5), ("C.", "E.", 5), ("A.", "B.", 6), ("Y.", "A.", 1))
    found = audits.source_leakage(train, other)
    assert (found.rows, found.leaking_rows, found.clean_rows) == (6, 4, 2)
    assert (found.sources, found.leaking_sources) == (4, 2)
    assert (found.exact_rows, found.exact_pairs) == (2, 1)
    assert "and 1 pair is in both; 2 rows are clean." in found.sentence
    assert [pair.source for pair in audits.unseen(train, other)] == ["X.", "Y."]


# ---------------------------------------------------------------------------------------------------------- labels

RIGHT = [("A.", "a.", 10.0), ("B.", "b.", 40.0), ("C.", "c.", 70.0), ("D.", "d.", 95.0)]


@pytest.mark.parametrize(
    ("labels", "equal", "permuted", "sentence"),
    [
        ([10.0, 40.0, 70.0, 95.0], 4, False, "4 of 5 rows are in ASSET: every label is the rating of its pair."),
        ([70.0, 40.0, 95.0, 10.0], 1, True, "the labels are on the wrong pairs"),
        ([5.0, 20.0, 35.0, 47.5], 0, False, "Sorted, the lists differ by up to 47.50."),
    ],
)
def test_right_labels_and_other_labels_are_told_from_permuted_ones(labels, equal, permuted, sentence):
    pairs = rated(*((*right[:2], label) for right, label in zip(RIGHT, labels)), ("E.", "e.", 3.0))
    found = audits.label_provenance(pairs, ratings_of("ASSET", RIGHT))
    assert (found.rows, found.matched, found.equal, found.permuted) == (5, 4, equal, permuted)
    assert found.pearson == pytest.approx(np.corrcoef([10, 40, 70, 95], labels)[0, 1]) and sentence in found.sentence
    nothing = audits.label_provenance(pairs[4:], ratings_of("ASSET", RIGHT))
    assert (nothing.matched, nothing.pearson, nothing.permuted, nothing.sorted_difference) == (0, None, False, None)


def test_the_nearest_of_several_ratings_of_a_pair_is_taken():
    ratings = ratings_of("Simplicity-DA", [("A.", "a.", 10.0), ("A.", "a.", 90.0), ("B.", "b.", 50.0)])
    found = audits.label_provenance(rated(("A.", "a.", 90.0), ("A.", "a.", 10.0), ("B.", "b.", 50.0)), ratings)
    assert found.equal == 3


def test_labels_that_have_nothing_to_do_with_the_words_kept():
    kept = [(" ".join("abcdefgh"), " ".join("abcdefgh"[:n] + "ijklmnop"[n:]), 10.0 * n, "right") for n in range(9)]
    turned = [(s, c, 80 - y, "wrong") for s, c, y, _ in kept]
    found = audits.label_overlap(rated(*kept, *turned, ("A.", "A.", 5, "single"), *[("A.", "B.", 5, "same")] * 3))
    assert set(found) == {"right", "wrong"}
    assert (found["right"].value, found["wrong"].value, found["right"].n) == (pytest.approx(1), pytest.approx(-1), 9)


# ------------------------------------------------------------------------------------------ origins and correction


def test_origins_are_matched_and_the_rest_is_told_by_its_place():
    csmd, sources, names, _ = made_up()
    found = audits.origins(csmd, sources)
    assert [pair.origin for pair in found.pairs] == names
    assert found.counts == SIZES
    assert [replace(pair, origin="") for pair in found.pairs] == list(csmd.pairs)


def test_origins_stay_unknown_where_nothing_tells():
    csmd, sources, names, _ = made_up()
    two = audits.origins(csmd, {name: sources[name] for name in ("SimpDA-2022", "Simplicity-DA")})
    assert two.counts["unknown"] == SIZES["ASSET"] + SIZES["QuestEval"]
    pairs = csmd.pairs
    shuffled = replace(csmd, train=pairs[::-1][:35], dev=pairs[::-1][35:39], test=pairs[::-1][39:])
    found = audits.origins(shuffled, sources)
    assert found.counts["unknown"] == SIZES["QuestEval"]
    assert [pair.origin for pair in found.pairs if pair.origin != "unknown"] == [
        n for n in names[::-1] if n != "QuestEval"
    ]


def test_one_collection_is_corrected_and_the_others_are_left_as_they_are():
    csmd, sources, names, right = made_up()
    found = audits.corrected(csmd.pairs, sources["SimpDA-2022"])
    assert found.matched == SIZES["SimpDA-2022"]
    moved = [abs(pair.rating - label) > 1e-9 for pair, label in zip(csmd.pairs, right)]
    assert found.changed == sum(m for m, name in zip(moved, names) if name == "SimpDA-2022") > 0
    for before, after, name, label in zip(csmd.pairs, found.pairs, names, right):
        assert after == (replace(before, rating=label) if name == "SimpDA-2022" else before)
    published = [pair.rating for pair in csmd.pairs]
    assert found.pearson == pytest.approx(np.corrcoef(published, [pair.rating for pair in found.pairs])[0, 1])


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_labels_misplaced_by_sorting_are_put_back_without_the_file_they_come_from(seed):
    csmd, sources, _, right = made_up(seed)
    found = audits.restored(csmd, sources)
    assert [pair.rating for pair in found.pairs] == right
    assert [replace(pair, rating=0) for pair in found.pairs] == [replace(pair, rating=0) for pair in csmd.pairs]
    assert found.matched == SIZES["SimpDA-2022"] + SIZES["QuestEval"]


def test_labels_are_not_put_back_where_they_were_not_misplaced_by_sorting():
    csmd, sources, names, _ = made_up()
    pairs, dev, test = list(csmd.pairs), len(csmd.train), len(csmd.train) + len(csmd.dev)
    one, two = [place for place, name in enumerate(names) if name == "SimpDA-2022"][:2]
    labels = pairs[two].rating, pairs[one].rating
    pairs[one], pairs[two] = (replace(pairs[place], rating=label) for place, label in zip((one, two), labels))
    other = replace(csmd, train=tuple(pairs[:dev]), dev=tuple(pairs[dev:test]), test=tuple(pairs[test:]))
    with pytest.raises(InputError, match="not put together as supposed. 14 of 14 rows are in SimpDA-2022: 12 labels"):
        audits.restored(other, sources)
    with pytest.raises(InputError, match="cannot be told which rows come from QuestEval"):
        audits.restored(csmd, {"SimpDA-2022": sources["SimpDA-2022"]})


# ---------------------------------------------------------------------------------------------------------- splits


def assert_whole(split: splits.Split, count: int):
    assert sorted(place for part in split for place in part) == list(range(count))
    assert all(part for part in split)


def test_the_random_split_draws_as_the_authors_library_does():
    # NumPy's default generator with seed 42 shuffles ten items to 5 6 0 7 3 2 4 9 1 8, of which three are for test;
    # started anew, it shuffles the other seven, by their places, to 3 2 6 4 1 5 0.
    assert splits.random_split(10, 42) == splits.Split(test=(5, 6, 0), dev=(4,), train=(2, 8, 9, 3, 1, 7))


def test_the_studys_sizes():
    assert [len(part) for part in splits.random_split(1355, 42)] == [853, 95, 407]


@given(st.integers(3, 400), st.integers(0, 2**32))
def test_random_splits_are_whole_and_repeatable(count, seed):
    split = splits.random_split(count, seed)
    assert_whole(split, count)
    assert len(split.test) == math.ceil(0.3 * count)
    assert split == splits.random_split(count, seed)


@settings(max_examples=60)
@given(st.lists(st.integers(1, 9), min_size=3, max_size=80), st.integers(0, 99), st.randoms(use_true_random=False))
def test_grouped_splits_share_no_source_and_have_the_sizes_that_groups_allow(sizes, seed, random):
    sources = [f"Source {group}." for group, size in enumerate(sizes) for _ in range(size)]
    random.shuffle(sources)
    split = splits.grouped_split(sources, seed)
    assert_whole(split, len(sources))
    train, dev, test = (set(part) for part in split.parts(sources))
    assert not (train & dev or train & test or dev & test)
    assert split == splits.grouped_split(sources, seed)
    if len(sizes) >= 30:
        assert abs(len(split.test) - math.ceil(0.3 * len(sources))) <= max(sizes)
        assert abs(len(split.dev) - 0.07 * len(sources)) <= 2 * max(sizes)


def test_the_published_split_and_the_order_before_it():
    csmd, _, _, _ = made_up()
    order = splits.construction_order(csmd)
    assert splits.random_split(len(order), 42).parts(order) == ([*csmd.train], [*csmd.dev], [*csmd.test])
    assert [pair.source.split(" of ")[1] for pair in order[10:24]] == ["SimpDA-2022."] * 14


# ---------------------------------------------------------------------------------------------------- augmentation

PAIRS = rated(
    ("The cat sleeps on the sofa.", "The cat sleeps.", 70),
    ("Two trains were late.", "Trains were late.", 60),
    ("The cat sleeps on the  sofa.", "A cat is on the sofa.", 80),
    ("Rain fell all night.", "It rained.", 90, "weather"),
)


def test_an_identical_and_an_unrelated_pair_for_every_source():
    found = splits.augment(PAIRS, seed=0)
    assert found[:4] == PAIRS
    assert found[4:7] == tuple(
        RatedPair(PAIRS[place].source, PAIRS[place].source, 100.0, row, "identical")
        for place, row in ((0, 1), (1, 2), (3, 4))
    )
    sources = {PAIRS[place].source for place in (0, 1, 3)}
    assert [(pair.source, pair.rating, pair.row, pair.origin) for pair in found[7:]] == [
        (PAIRS[place].source, 0.0, row, "unrelated") for place, row in ((0, 1), (1, 2), (3, 4))
    ]
    assert all(pair.candidate in sources - {pair.source} for pair in found[7:])


def test_augmentation_repeats_with_its_seed_and_changes_with_it():
    pairs = rated(*((f"Word{place} verb{place}.", "x.", 5) for place in range(30)))
    assert splits.augment(pairs, seed=1) == splits.augment(pairs, seed=1) != splits.augment(pairs, seed=2)


def test_pairs_the_other_way_round_follow_all_others():
    pairs = (*PAIRS, RatedPair("Same.", " Same. ", 99, 5))
    one_way = splits.augment(pairs, seed=0)
    both = splits.augment(pairs, seed=0, commutative=True)
    assert both[: len(one_way)] == one_way
    turned = [replace(p, source=p.candidate, candidate=p.source) for p in one_way]
    assert list(both[len(one_way) :]) == [p for p in turned if p.origin != "identical" and p.row + len(p.origin) != 5]


# ------------------------------------------------------------------------------------------------------- bad input


def moved_to_train():
    """The CSMD with a pair of the development part in the training part."""
    csmd = made_up()[0]
    return replace(csmd, dev=csmd.dev[1:], train=csmd.train + csmd.dev[:1])


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: audits.duplicates([]), "no pairs to look at"),
        (lambda: audits.label_overlap([]), "There are no .*pairs to look at"),
        (lambda: audits.source_leakage([], PAIRS), "There are no .*pairs to look at"),
        (lambda: audits.source_leakage(PAIRS, []), "There are no .*pairs to look at"),
        (lambda: audits.label_provenance([], ratings_of("ASSET", RIGHT)), "There are no .*pairs to look at"),
        (lambda: audits.corrected([], ratings_of("ASSET", RIGHT)), "There are no .*pairs to look at"),
        (lambda: audits.corrected(PAIRS, ratings_of("ASSET", RIGHT)), "None of the pairs is in ASSET"),
        (lambda: splits.random_split(2, 0), "at least 3 pairs, not 2"),
        (lambda: splits.grouped_split(["A.", "B.", "A. "], 0), "at least 3 different source sentences, not 2"),
        (lambda: splits.Split((0,), (1,), (2,)).parts("ab"), "of 3 items, and the list has 2"),
        (lambda: splits.construction_order(moved_to_train()), "a random split of as many pairs has"),
        (lambda: splits.augment([], seed=0), "no pairs to augment"),
        (lambda: splits.augment(PAIRS[:1], seed=0), "shares a content word .* row 1"),
    ],
)
def test_bad_input(call, reason):
    with pytest.raises(InputError, match=reason):
        call()


# ------------------------------------------------------------------------------------------------------- real data


@pytest.fixture(scope="module")
def real():
    ratings = {**reader.read_source_ratings(), "ASSET": reader.read_asset_ratings()}
    return reader.read_csmd(), ratings


@real_data
def test_leakage_and_duplicates_of_csmd(real):
    csmd, _ = real
    test, dev = audits.source_leakage(csmd.train, csmd.test), audits.source_leakage(csmd.train, csmd.dev)
    assert (test.rows, test.leaking_rows, test.exact_pairs, test.clean_rows) == (407, 337, 12, 70)
    assert (dev.rows, dev.leaking_rows) == (95, 78)
    for holdout in (csmd.identical, csmd.unrelated):
        assert audits.source_leakage(csmd.train, holdout).leaking_sources == 274
    assert len({normalized(pair.source) for pair in csmd.pairs}) == 453
    assert audits.duplicates(csmd.pairs).repeats == 29
    parts = audits.duplicates({"train": csmd.train, "dev": csmd.dev, "test": csmd.test})
    assert parts.between[("train", "test")] == 12


@real_data
def test_labels_of_csmd(real):
    csmd, ratings = real
    simpda = audits.label_provenance(csmd.pairs, ratings["SimpDA-2022"])
    assert (simpda.matched, simpda.equal, simpda.permuted) == (360, 23, True)
    assert simpda.pearson == pytest.approx(0.009, abs=5e-4)
    everything, test = (audits.corrected(pairs, ratings["SimpDA-2022"]) for pairs in (csmd.pairs, csmd.test))
    assert (everything.matched, everything.changed, test.matched) == (360, 337, 97)
    assert (everything.pearson, test.pearson) == (pytest.approx(0.931, abs=5e-4), pytest.approx(0.947, abs=5e-4))
    named = audits.origins(csmd, ratings)
    assert named.counts == {"ASSET": 100, "SimpDA-2022": 360, "Simplicity-DA": 600, "QuestEval": 295}
    for name in ("ASSET", "Simplicity-DA"):
        own = audits.label_provenance([pair for pair in named.pairs if pair.origin == name], ratings[name])
        assert own.equal == own.matched == named.counts[name]


@real_data
def test_the_order_before_the_shuffle_is_that_of_the_collections_files(real):
    csmd, ratings = real
    order = splits.construction_order(csmd)
    with gzip.open(ratings["Simplicity-DA"].located.path / "simplicity_DA.csv.gz", "rt", encoding="utf-8") as stream:
        rows = [(row["orig_sent"], row["simp_sent"], float(row["meaning"])) for row in csv.DictReader(stream)]
    assert [(pair.source, pair.candidate, pair.rating) for pair in order[460:1060]] == rows
    with gzip.open(ratings["SimpDA-2022"].located.path / "simpDA_2022.csv.gz", "rt", encoding="utf-8") as stream:
        texts = dict.fromkeys((row["Input.original"], row["Input.simplified"]) for row in csv.DictReader(stream))
    assert [(pair.source, pair.candidate) for pair in order[100:460]] == list(texts)


@real_data
def test_the_labels_of_questeval_are_on_the_wrong_pairs_too(real):
    csmd, ratings = real
    named = audits.origins(csmd, ratings)
    found = audits.restored(csmd, ratings)
    assert (found.matched, found.pearson) == (655, pytest.approx(0.713, abs=5e-4))
    # The first two QuestEval pairs, counted in the authors' own file of its ratings: 14 annotators gave 1,093 points
    # together, and 15 gave 912.
    place = {id(pair): number for number, pair in enumerate(csmd.pairs)}
    order = splits.construction_order(csmd)
    first, second = (found.pairs[place[id(pair)]].rating for pair in order[1060:1062])
    assert (first, second) == (pytest.approx(1093 / 14), pytest.approx(912 / 15))
    # Pairs that ASSET or Simplicity-DA rated as well: only the restored labels agree with them.
    before = [pair for pair in named.pairs if pair.origin == "QuestEval"]
    after = [right for right, pair in zip(found.pairs, named.pairs) if pair.origin == "QuestEval"]
    for name in ("ASSET", "Simplicity-DA"):
        assert audits.label_provenance(before, ratings[name]).pearson < 0
        assert audits.label_provenance(after, ratings[name]).pearson > 0.85
    # And the words kept tell it without any file.
    overlap = audits.label_overlap(named.pairs)
    assert overlap["QuestEval"].value < 0.05 and overlap["ASSET"].low > 0.5


@real_data
def test_augmentation_and_grouped_splits_of_csmd(real):
    csmd, _ = real
    for seed in (42, 43):
        split = splits.grouped_split([pair.source for pair in csmd.pairs], seed)
        train, _, test = split.parts(csmd.pairs)
        assert audits.source_leakage(train, test).leaking_rows == 0
        assert [len(part) for part in split] == pytest.approx([853, 95, 407], abs=5)
    found = splits.augment(csmd.train, seed=42)
    assert Counter(pair.rating for pair in found[853:]) == dict.fromkeys((0.0, 100.0), (len(found) - 853) / 2)
    assert not any(
        content_stems(pair.source) & content_stems(pair.candidate) for pair in found if pair.origin == "unrelated"
    )
