"""Audits and splits of rated pairs: planted defects are found, CSMD's are, and no split or augmentation leaks."""

import csv
import gzip
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up_csmd import csmd_of
from refused import refused

from nbhelpers.base.errors import InputError
from nbhelpers.language.tokens import content_stems
from nbhelpers.resources import csmd as reader
from nbhelpers.resources import data
from nbhelpers.resources.csmd import RatedPair, SourceRatings, normalized
from nbhelpers.results import estimates
from nbhelpers.studies.meaningbert import audits, ratings, splits


def rated(*rows: tuple) -> tuple[RatedPair, ...]:
    return tuple(RatedPair(row[0], row[1], row[2], place, *row[3:]) for place, row in enumerate(rows, start=1))


def ratings_of(rows) -> SourceRatings:
    given: dict = {}
    for source, candidate, rating in rows:
        key = normalized(source), normalized(candidate)
        given[key] = (*given.get(key, ()), rating)
    return SourceRatings(given)


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
    parts = [rated(*part) for part in split.parts(order)]
    right = [row[2] for rows in truth.values() for row in rows]
    sources = {name: ratings_of(truth[name]) for name in SIZES}
    return csmd_of(*parts), sources, right


# --------------------------------------------------------------------------------------------------------- leakage


def count(found, row):
    return estimates.estimate(found, row, "count").value


def test_leakage_is_counted_in_rows_and_pairs():
    sources, same = [0, 1, 0, 2, 0, 0, 1, 0], [0, 1, 2, 3, 0, 5, 6, 0]
    parts = ["train"] * 3 + ["test"] * 4 + ["dev"]
    found = audits.leakage(pd.DataFrame({"pair": range(8), "source": sources, "same": same, "part": parts}))
    assert count(found, "Rows that repeat an earlier pair") == 2
    assert count(found, "Rows of test whose source is in training") == 3
    assert count(found, "Rows of test that are in training as they are") == 1
    assert count(found, "Rows of dev that are in training as they are") == 1


# ---------------------------------------------------------------------------------------------------------- labels


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_labels_misplaced_by_sorting_are_replayed_and_put_back(seed):
    csmd, sources, right = made_up(seed)
    found = audits.restored(csmd, sources)
    assert [pair.rating for pair in found] == right
    assert [pair.origin for pair in found] == [name for name, size in SIZES.items() for _ in range(size)]
    order = splits.construction_order(csmd)
    assert [replace(p, rating=0, origin="") for p in found] == [replace(p, rating=0) for p in order]
    pairs = audits.origins(csmd, sources)
    items = ratings.run(pairs, ["token-f1"]).assign(restored=right, replayed=audits.replayed_labels(pairs, sources))
    labels = audits.summary(items)
    for name in ("SimpDA-2022", "QuestEval"):
        assert count(labels, f"Labels of {name} that the authors' step gives") == SIZES[name]
        assert count(labels, f"Labels of {name} on their own pair") < SIZES[name]
    moved = [pair.rating != rating for pair, rating in zip(order, right)]
    assert count(labels, "Labels that are another pair's") == sum(moved)
    assert count(labels, "Labels that were sorted by text") == SIZES["SimpDA-2022"] + SIZES["QuestEval"]


def test_a_collection_in_another_place_is_an_error():
    csmd, sources, _ = made_up()
    with pytest.raises(InputError, match="is not in ASSET; the collections do not stand"):
        audits.origins(csmd, {**sources, "ASSET": sources["SimpDA-2022"]})


# ---------------------------------------------------------------------------------------------------------- splits


def assert_whole(split: splits.Split, count: int):
    assert sorted(place for part in split for place in part) == list(range(count))
    assert all(part for part in split)


def test_the_random_split_draws_as_the_authors_library_does():
    # NumPy's default generator with seed 42 shuffles ten items to 5 6 0 7 3 2 4 9 1 8, of which three are for test;
    # started anew, it shuffles the other seven, by their places, to 3 2 6 4 1 5 0.
    assert splits.random_split(10, 42) == splits.Split(test=(5, 6, 0), dev=(4,), train=(2, 8, 9, 3, 1, 7))
    assert [len(part) for part in splits.random_split(1355, 42)] == [853, 95, 407]


@given(st.integers(3, 400), st.integers(0, 2**32))
def test_random_splits_are_whole_and_repeatable(count, seed):
    split = splits.random_split(count, seed)
    assert_whole(split, count)
    assert len(split.test) == math.ceil(0.3 * count)
    assert split == splits.random_split(count, seed)


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
    csmd, _, _ = made_up()
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
    sources = [(PAIRS[place].source, row) for place, row in ((0, 1), (1, 2), (3, 4))]
    assert found[:7] == (*PAIRS, *(RatedPair(text, text, 100.0, row, "identical") for text, row in sources))
    assert [(p.source, p.row, p.rating, p.origin) for p in found[7:]] == [(*one, 0.0, "unrelated") for one in sources]
    assert all(pair.candidate in dict(sources).keys() - {pair.source} for pair in found[7:])
    pairs = rated(*((f"Word{place} verb{place}.", "x.", 5) for place in range(30)))
    assert splits.augment(pairs, seed=1) == splits.augment(pairs, seed=1) != splits.augment(pairs, seed=2)


# ------------------------------------------------------------------------------------------------------- bad input


def moved_to_train():
    """The CSMD with a pair of the development part in the training part."""
    csmd = made_up()[0]
    return replace(csmd, dev=csmd.dev[1:], train=csmd.train + csmd.dev[:1])


test_bad_input = refused(
    (lambda: splits.construction_order(moved_to_train()), "a random split of as many pairs has"),
    (lambda: splits.augment(PAIRS[:1], seed=0), "shares a content word .* row 1"),
)


# ------------------------------------------------------------------------------------------------------- real data


@pytest.fixture(scope="module")
def real(real_data):
    ratings = {**reader.read_source_ratings(), "ASSET": reader.read_asset_ratings()}
    return reader.read_csmd(), ratings


def test_the_order_before_the_shuffle_is_that_of_the_collections_files(real):
    csmd, _ = real
    order = splits.construction_order(csmd)

    def rows_of(file):
        with gzip.open(data.find("csmd-sources").path / file, "rt", encoding="utf-8") as stream:
            return list(csv.DictReader(stream))

    rows = rows_of("simplicity_DA.csv.gz")
    expected = [(row["orig_sent"], row["simp_sent"], float(row["meaning"])) for row in rows]
    assert [(pair.source, pair.candidate, pair.rating) for pair in order[460:1060]] == expected
    rows = rows_of("simpDA_2022.csv.gz")
    texts = dict.fromkeys((row["Input.original"], row["Input.simplified"]) for row in rows)
    assert [(pair.source, pair.candidate) for pair in order[100:460]] == list(texts)


def test_augmentation_and_grouped_splits_of_csmd(real):
    csmd, _ = real
    for seed in (42, 43):
        split = splits.grouped_split([pair.source for pair in csmd.pairs], seed)
        train, _, test = split.parts(csmd.pairs)
        assert not {normalized(pair.source) for pair in train} & {normalized(pair.source) for pair in test}
        assert [len(part) for part in split] == pytest.approx([853, 95, 407], abs=5)
    found = splits.augment(csmd.train, seed=42)
    assert Counter(pair.rating for pair in found[853:]) == dict.fromkeys((0.0, 100.0), (len(found) - 853) / 2)
    unrelated = [pair for pair in found if pair.origin == "unrelated"]
    assert not any(content_stems(pair.source) & content_stems(pair.candidate) for pair in unrelated)
