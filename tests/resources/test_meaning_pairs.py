"""The rated pairs: well formed, sensible by kind, not solved by word overlap, and a card that tells the truth."""

from __future__ import annotations

import difflib
import re
from collections import Counter

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr
from tab_rows import read_rows

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
PARAPHRASES = ("lexical paraphrase", "syntactic paraphrase")


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


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    return read_rows(FILE, COLUMNS)


@pytest.fixture(scope="module")
def mean_rating(rows) -> dict[str, float]:
    return {kind: ratings([row for row in rows if row["kind"] == kind]).mean() for kind in KINDS}


def test_size_and_kinds(rows):
    assert len(rows) >= 180
    counts = Counter(row["kind"] for row in rows)
    assert list(dict.fromkeys(row["kind"] for row in rows)) == KINDS
    assert all(count >= 12 for count in counts.values()), counts


def test_keys_are_unique(rows):
    for column in ("id", "source", "candidate"):
        values = [" ".join(words(row[column])) for row in rows]
        assert len(set(values)) == len(values), f"{column} is not unique"
    numbers: Counter = Counter()
    for row in rows:
        numbers[row["kind"]] += 1
        assert row["id"] == f"{row['kind'].split()[0]}-{numbers[row['kind']]:02d}"


def test_texts_are_well_formed(rows):
    for row in rows:
        assert row["source"] != row["candidate"], row["id"]
        for column in ("source", "candidate", "note"):
            assert row[column] and row[column] == " ".join(row[column].split()), (row["id"], column)
            # A reader that takes quotes for field marks must read the same cells.
            assert '"' not in row[column], (row["id"], column)
        assert re.fullmatch(r"[A-Z].*[.?]", row["source"]), row["id"]
        if row["kind"] != "garbled":
            assert re.fullmatch(r"[A-Z].*[.?]", row["candidate"]), row["id"]
        assert len(row["note"]) >= 10, row["id"]


def test_lengths(rows):
    sources = [len(row["source"].split()) for row in rows]
    candidates = [len(row["candidate"].split()) for row in rows]
    assert (min(sources), max(sources)) == (8, 35)
    assert (min(candidates), max(candidates)) == (4, 35)
    assert len(set(sources)) >= 20, "sentences of many lengths"
    assert sum(length >= 20 for length in sources) >= 40


def test_ratings_are_whole_numbers_of_the_scale_and_use_all_of_it(rows):
    for row in rows:
        for column in ("rating", "second_rating"):
            assert re.fullmatch(r"0|[1-9]\d?|100", row[column]), (row["id"], column)
    values = ratings(rows)
    assert (values.min(), values.max()) == (0, 100)
    assert len(set(values)) >= 60
    assert np.mean(values % 10 == 0) < 0.25, "not only round ratings"
    assert all(((values >= low) & (values < low + 10)).any() for low in range(0, 100, 10))


def test_kinds_are_in_a_sensible_order(mean_rating):
    paraphrase = min(mean_rating[kind] for kind in PARAPHRASES)
    assert paraphrase > mean_rating["compression"] > mean_rating["negation"] > mean_rating["unrelated"]
    assert mean_rating["detail lost"] > mean_rating["main point lost"]
    for contradiction in ("negation", "reversal", "role swap"):
        assert mean_rating["addition"] > mean_rating[contradiction] > mean_rating["related topic"]
    assert mean_rating["related topic"] > mean_rating["unrelated"]


def test_contradictions_follow_their_rule(rows):
    # 5 to 29 where the main statement is turned round; those that keep the meaning stand apart, at the other end.
    for kind in ("negation", "reversal", "role swap"):
        values = ratings([row for row in rows if row["kind"] == kind])
        assert values.min() >= 5
        assert np.mean(values <= 29) >= 0.5
        assert (values >= 90).sum() >= 2, f"{kind} needs members that keep the meaning"


def test_kind_alone_does_not_give_the_rating(rows, mean_rating):
    values = ratings(rows)
    left = np.sum((values - np.array([mean_rating[row["kind"]] for row in rows])) ** 2)
    assert 1 - left / np.sum((values - values.mean()) ** 2) < 0.75


def test_word_overlap_does_not_solve_the_set(rows):
    overlap, values = baseline_values(rows, "token F1"), ratings(rows)
    assert abs(spearmanr(overlap, values)[0]) < 0.3
    assert ((overlap >= 0.8) & (values < 30)).sum() >= 20, "much overlap, another meaning"
    assert ((overlap < 0.4) & (values >= 70)).sum() >= 20, "little overlap, the same meaning"
    for name in BASELINES:
        assert abs(spearmanr(baseline_values(rows, name), values)[0]) < 0.3, name


def test_overlap_is_measured_as_the_card_says():
    assert token_f1("A dog barks.", "a DOG barks") == 1.0
    assert token_f1("The the cat.", "The cat sat.") == pytest.approx(2 * 2 / 6)
    assert token_f1("One two.", "Three four.") == 0.0
    assert words("It's 3.2 or 1,200.") == ["it's", "3.2", "or", "1,200"]


def test_a_set_that_overlap_solves_would_be_seen(rows):
    solved = [dict(row, rating=str(round(100 * token_f1(row["source"], row["candidate"])))) for row in rows]
    assert spearmanr(baseline_values(solved, "token F1"), ratings(solved))[0] > 0.99


def test_a_row_with_a_missing_cell_is_refused(tmp_path, rows):
    path = tmp_path / "cut.tsv"
    path.write_text("\t".join(COLUMNS) + "\n" + "\t".join(list(rows[0].values())[:-1]) + "\n", encoding="ascii")
    with pytest.raises(AssertionError, match="line 2 has 6 fields"):
        read_rows(path, COLUMNS)


def test_card_gives_the_true_table_of_kinds(rows):
    table = {cells[0]: [float(cell) for cell in cells[1:]] for cells in card_table("kind | pairs")}
    assert list(table) == [*KINDS, "all"]
    for kind, cells in table.items():
        chosen = [row for row in rows if kind in ("all", row["kind"])]
        first, second = ratings(chosen), ratings(chosen, "second_rating")
        assert [cells[0], cells[2], cells[3]] == [len(chosen), first.min(), first.max()], kind
        assert [cells[1], cells[4]] == pytest.approx([first.mean(), second.mean()], abs=0.51), kind
        assert cells[5] == pytest.approx(baseline_values(chosen, "token F1").mean(), abs=0.0051), kind
    assert CARD.read_text(encoding="utf-8").split("\n")[2].startswith(f"{len(rows)} pairs")
    assert [cells[0] for cells in card_table("kind | what it holds")] == KINDS


def test_card_gives_the_true_bands(rows):
    values = ratings(rows)
    counts = {}
    for band, _, count in card_table("rating"):
        low, high = int(band.split("-")[0]), int(band.split("-")[-1])
        counts[band] = int(count)
        assert int(count) == ((values >= low) & (values <= high)).sum(), band
    assert sum(counts.values()) == len(rows)


def test_card_gives_the_true_agreement(rows):
    given = {name: float(value) for name, value in card_table("comparison of `rating` and `second_rating`")}
    first, second = ratings(rows), ratings(rows, "second_rating")
    difference = np.abs(first - second)
    assert given == {
        "Pearson correlation": pytest.approx(pearsonr(first, second)[0], abs=0.00051),
        "mean absolute difference": pytest.approx(difference.mean(), abs=0.051),
        "largest absolute difference": difference.max(),
        "pairs within 5 points": (difference <= 5).sum(),
    }


def test_card_gives_the_true_baselines(rows):
    table = {cells[0]: [float(cell) for cell in cells[1:]] for cells in card_table("baseline")}
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
    assert [[int(cell) for cell in cells[1:]] for cells in card_table("token F1 | rating below 30")] == expected
    on_subject = [row for row in rows if row["kind"] not in ("related topic", "unrelated")]
    given = spearmanr(baseline_values(on_subject, "token F1"), ratings(on_subject))[0]
    assert f"token F1 is {given:.2f}:" in CARD.read_text(encoding="utf-8")
