"""The rated pairs: well formed, sensible by kind, not solved by word overlap, and a card that tells the truth."""

from __future__ import annotations

import difflib
import re
from collections import Counter

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr
from tab_rows import card_table, read_rows

from nbhelpers.base.paths import data_dir

FILE = data_dir() / "corpus" / "meaning-pairs.tsv"
CARD = data_dir() / "corpus" / "meaning-pairs.md"
COLUMNS = ["id", "kind", "source", "candidate", "rating", "second_rating", "note"]
KINDS = [
    "lexical paraphrase",
    "syntactic paraphrase",
    "simplification",
    "sentence split",
    "compression",
    "main point lost",
    "detail lost",
    "negation",
    "reversal",
    "role swap",
    "number",
    "entity",
    "certainty",
    "tense",
    "addition",
    "garbled",
    "related topic",
    "unrelated",
]


def words(text: str) -> list[str]:
    """Words of a text as the card defines them."""
    return re.findall(r"\w+(?:[.,']\w+)*", text.lower())


def shared(source: str, candidate: str) -> int:
    """Words on both sides, repeated ones as often as they occur on both."""
    return (Counter(words(source)) & Counter(words(candidate))).total()


def token_f1(source: str, candidate: str) -> float:
    """Harmonic mean of the shares of shared words in both texts, 0 to 1."""
    return 2 * shared(source, candidate) / (len(words(source)) + len(words(candidate)))


BASELINES = {
    "token F1": token_f1,
    "source recall": lambda s, c: shared(s, c) / len(words(s)),
    "length ratio, words": lambda s, c: len(words(c)) / len(words(s)),
    "size of the length difference, words": lambda s, c: abs(len(words(c)) - len(words(s))),
    "characters shared, share": lambda s, c: difflib.SequenceMatcher(None, s, c, autojunk=False).ratio(),
    "length of the source, words": lambda s, c: len(words(s)),
}


def baseline_values(rows: list[dict[str, str]], name: str) -> np.ndarray:
    """One baseline for every row."""
    return np.array([BASELINES[name](row["source"], row["candidate"]) for row in rows], dtype=float)


def ratings(rows: list[dict[str, str]], column: str = "rating") -> np.ndarray:
    return np.array([int(row[column]) for row in rows])


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    return read_rows(FILE, COLUMNS)


def test_rows_are_well_formed(rows):
    counts: Counter = Counter()
    for row in rows:
        counts[row["kind"]] += 1
        assert row["id"] == f"{row['kind'].split()[0]}-{counts[row['kind']]:02d}"
        assert row["source"] != row["candidate"] and len(row["note"]) >= 10, row["id"]
        for column in ("source", "candidate", "note"):
            # A reader that takes quotes for field marks must read the same cells.
            assert row[column] == " ".join(row[column].split()) and '"' not in row[column], (row["id"], column)
        for column in ("source", "candidate"):
            fits = re.fullmatch(r"[A-Z].*[.?]", row[column]) or (row["kind"], column) == ("garbled", "candidate")
            assert fits and 4 <= len(row[column].split()) <= 35, row["id"]
        for column in ("rating", "second_rating"):
            assert re.fullmatch(r"0|[1-9]\d?|100", row[column]), (row["id"], column)
    assert list(counts) == KINDS and min(counts.values()) >= 12
    for column in ("id", "source", "candidate"):
        assert len({" ".join(words(row[column])) for row in rows}) == len(rows), f"{column} is not unique"


def test_ratings_use_the_whole_scale_and_follow_the_kinds(rows):
    values = ratings(rows)
    assert (values.min(), values.max()) == (0, 100) and len(set(values)) >= 60
    assert np.mean(values % 10 == 0) < 0.25, "not only round ratings"
    assert all(((values >= low) & (values < low + 10)).any() for low in range(0, 100, 10))
    of = {kind: ratings([row for row in rows if row["kind"] == kind]) for kind in KINDS}
    mean = {kind: given.mean() for kind, given in of.items()}
    paraphrase = min(mean["lexical paraphrase"], mean["syntactic paraphrase"])
    assert paraphrase > mean["compression"] > mean["negation"] > mean["related topic"] > mean["unrelated"]
    assert mean["detail lost"] > mean["main point lost"]
    for kind in ("negation", "reversal", "role swap"):
        assert mean["addition"] > mean[kind] > mean["related topic"]
        # 5 to 29 where the main statement is turned round; those that keep the meaning stand at the other end.
        assert of[kind].min() >= 5 and np.mean(of[kind] <= 29) >= 0.5 and (of[kind] >= 90).sum() >= 2, kind
    left = np.sum((values - np.array([mean[row["kind"]] for row in rows])) ** 2)
    assert 1 - left / np.sum((values - values.mean()) ** 2) < 0.75, "the kind alone gives the rating"


def test_word_overlap_does_not_solve_the_set(rows):
    overlap, values = baseline_values(rows, "token F1"), ratings(rows)
    assert abs(spearmanr(overlap, values)[0]) < 0.3
    assert ((overlap >= 0.8) & (values < 30)).sum() >= 20, "much overlap, another meaning"
    assert ((overlap < 0.4) & (values >= 70)).sum() >= 20, "little overlap, the same meaning"
    for name in BASELINES:
        assert abs(spearmanr(baseline_values(rows, name), values)[0]) < 0.3, name


def test_card_gives_the_true_table_of_kinds(rows):
    table = {cells[0]: [float(cell) for cell in cells[1:]] for cells in card_table(CARD, "kind | pairs")}
    assert list(table) == [*KINDS, "all"]
    for kind, cells in table.items():
        chosen = [row for row in rows if kind in ("all", row["kind"])]
        first, second = ratings(chosen), ratings(chosen, "second_rating")
        assert [cells[0], cells[2], cells[3]] == [len(chosen), first.min(), first.max()], kind
        assert [cells[1], cells[4]] == pytest.approx([first.mean(), second.mean()], abs=0.51), kind
        assert cells[5] == pytest.approx(baseline_values(chosen, "token F1").mean(), abs=0.0051), kind
    assert CARD.read_text(encoding="utf-8").split("\n")[2].startswith(f"{len(rows)} pairs")
    assert [cells[0] for cells in card_table(CARD, "kind | what it holds")] == KINDS


def test_card_gives_the_true_bands(rows):
    values = ratings(rows)
    counts = {}
    for band, _, count in card_table(CARD, "rating"):
        low, high = int(band.split("-")[0]), int(band.split("-")[-1])
        counts[band] = int(count)
        assert int(count) == ((values >= low) & (values <= high)).sum(), band
    assert sum(counts.values()) == len(rows)


def test_card_gives_the_true_agreement(rows):
    given = {name: float(value) for name, value in card_table(CARD, "comparison of `rating` and `second_rating`")}
    first, second = ratings(rows), ratings(rows, "second_rating")
    difference = np.abs(first - second)
    assert given == {
        "Pearson correlation": pytest.approx(pearsonr(first, second)[0], abs=0.00051),
        "mean absolute difference": pytest.approx(difference.mean(), abs=0.051),
        "largest absolute difference": difference.max(),
        "pairs within 5 points": (difference <= 5).sum(),
    }


def test_card_gives_the_true_baselines(rows):
    table = {cells[0]: [float(cell) for cell in cells[1:]] for cells in card_table(CARD, "baseline")}
    assert list(table) == list(BASELINES)
    values = ratings(rows)
    for name, cells in table.items():
        scores = baseline_values(rows, name)
        expected = [spearmanr(scores, values)[0], pearsonr(scores, values)[0]]
        assert cells == pytest.approx(expected, abs=0.0051), name


def test_card_gives_the_true_overlap_by_rating(rows):
    overlap, values = baseline_values(rows, "token F1"), ratings(rows)
    limits = [(0.0, 0.4), (0.4, 0.8), (0.8, np.inf)]
    bands = [(0, 30), (30, 70), (70, 101)]
    expected = [
        [((overlap >= low) & (overlap < high) & (values >= a) & (values < b)).sum() for a, b in bands]
        for low, high in limits
    ]
    assert [[int(cell) for cell in cells[1:]] for cells in card_table(CARD, "token F1 | rating below 30")] == expected
    on_subject = [row for row in rows if row["kind"] not in ("related topic", "unrelated")]
    given = spearmanr(baseline_values(on_subject, "token F1"), ratings(on_subject))[0]
    assert f"token F1 is {given:.2f}:" in CARD.read_text(encoding="utf-8")
