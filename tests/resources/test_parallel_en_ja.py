"""The small English-Japanese parallel corpus: well formed, alignable, able to join paraphrases, and a true card."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from tab_rows import card_table, read_rows

from nbhelpers.base.paths import data_dir
from nbhelpers.studies.paraphrase.parallel import mismatch

FILE = data_dir() / "corpus" / "parallel-en-ja.tsv"
CARD = data_dir() / "corpus" / "parallel-en-ja.md"
COLUMNS = ["id", "english", "japanese"]

OPPOSITES = [
    ("fell", "増え"),
    ("rose", "減った"),
    ("price cut", "値上げ"),
    ("price rise", "値下げ"),
    ("lowered", "引き上げ"),
    ("raised", "引き下げ"),
    ("supported", "反対"),
    ("opposed", "支持"),
    ("ended", "始め"),
    ("began", "終わ"),
    ("cheap", "高価"),
    ("difficult", "簡単"),
    ("easy", "難し"),
    ("banned", "許可"),
    ("permitted", "禁止"),
]
"""English expressions that a Japanese one must never stand for."""


def words(sentence: str) -> list[str]:
    """Lower-cased words of an English sentence."""
    return re.findall(r"[a-z]+", sentence.lower())


def stands_in(expression: str, sentence: str) -> bool:
    """Whether an English expression, or one of several parted by a stroke, is in a sentence (plain plurals count)."""
    return re.search(rf"\b(?:{expression.replace('/', '|')})(?:s|es)?\b", sentence.lower()) is not None


def together(rows: list[dict[str, str]], english: str, japanese: str) -> int:
    """Number of pairs with the one expression on the English side and the other on the Japanese side."""
    return sum(japanese in row["japanese"] and stands_in(english, row["english"]) for row in rows)


def listed() -> list[tuple[str, list[str]]]:
    """The Japanese expressions of the card with their English translations."""
    return [
        (japanese, [item.strip().rsplit(" ", 1)[0] for item in english.split(",")])
        for japanese, english, _ in card_table(CARD, "Japanese")
    ]


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    return read_rows(FILE, COLUMNS, "utf-8")


def test_rows_are_well_formed(rows):
    counts: Counter = Counter()
    for row in rows:
        group = row["id"].rpartition("-")[0]
        counts[group] += 1
        assert row["id"] == f"{group}-{counts[group]}"
        assert re.fullmatch(r"[A-Z][A-Za-z, ]*[a-z][.?]", row["english"]), row
        assert re.fullmatch(r"[ぁ-ゖァ-ヺー一-鿿々、]+。", row["japanese"]), row
        assert row["english"].endswith("?") == row["japanese"].endswith("か。"), row
        assert "  " not in row["english"] and "、、" not in row["japanese"], row
        assert 4 <= len(words(row["english"])) <= 12 and 7 <= len(row["japanese"]) <= 40, row
    assert len(rows) >= 700 and min(counts.values()) >= 4
    for column in ("id", "english", "japanese"):
        assert len({row[column] for row in rows}) == len(rows), column
    assert mismatch([row["english"] for row in rows], [row["japanese"] for row in rows]) is None


def test_opposites_share_no_translation(rows):
    assert [pair for pair in OPPOSITES if together(rows, *pair)] == []


def test_card_size(rows):
    english = [words(row["english"]) for row in rows]
    expected = {
        "sentence pairs": len(rows),
        "groups": len({row["id"].rsplit("-", 1)[0] for row in rows}),
        "questions": sum(row["english"].endswith("?") for row in rows),
        "English words": sum(map(len, english)),
        "different English words": len({word for sentence in english for word in sentence}),
        "Japanese characters, without 、 and 。": sum(len(re.sub("[、。]", "", row["japanese"])) for row in rows),
    }
    assert {name: int(number.replace(",", "")) for name, number in card_table(CARD, "what")} == expected
    lengths = Counter(map(len, english))
    assert {int(length): int(count) for length, count in card_table(CARD, "English words in the sentence")} == lengths


def test_card_expressions(rows):
    expected = []
    for japanese, english in listed():
        counts = [together(rows, expression, japanese) for expression in english]
        pairs = sum(
            japanese in row["japanese"] and any(stands_in(expression, row["english"]) for expression in english)
            for row in rows
        )
        assert pairs >= 6 and min(counts) >= 2 and len(counts) >= 2, japanese
        cell = ", ".join(f"{expression} {count}" for expression, count in zip(english, counts))
        expected.append([japanese, cell, str(pairs)])
    assert card_table(CARD, "Japanese") == expected
    assert len(expected) >= 110
    card = CARD.read_text(encoding="utf-8")
    assert f"{len(expected)} Japanese expressions" in card
    several = sum(count > 1 for count in Counter(form for _, english in listed() for form in english).values())
    assert f"{several} English expressions stand under two or more Japanese ones" in card


def test_no_other_word_always_comes_with_an_expression(rows):
    """A content word that stood in most sentences of an expression could be taken for its translation."""
    frequent = Counter(word for row in rows for word in set(words(row["english"])))
    function_words = {word for word, count in frequent.items() if count > 0.02 * len(rows)}
    for japanese, english in listed():
        own = {word + ending for word in words(" ".join(english)) for ending in ("", "s", "es")}
        sentences = [
            set(words(row["english"])) - own - function_words
            for row in rows
            if japanese in row["japanese"] and any(stands_in(expression, row["english"]) for expression in english)
        ]
        others = Counter(word for sentence in sentences for word in sentence)
        word, count = others.most_common(1)[0]
        assert count <= len(sentences) / 2, f"{word} comes with {japanese} in {count} of {len(sentences)} sentences"
