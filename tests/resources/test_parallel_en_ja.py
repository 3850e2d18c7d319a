"""The small English-Japanese parallel corpus: well formed, alignable, able to join paraphrases, and a true card."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from tab_rows import read_rows

from nbhelpers.base.paths import data_dir
from nbhelpers.studies.paraphrase.parallel import mismatch

FILE = data_dir() / "corpus" / "parallel-en-ja.tsv"
CARD = data_dir() / "corpus" / "parallel-en-ja.md"
COLUMNS = ["id", "english", "japanese"]

EXPECTED_ENGLISH = [
    ("rose", "increased", "増え"),
    ("increased", "grew", "増え"),
    ("fell", "declined", "減った"),
    ("residents", "inhabitants", "住民"),
    ("residents", "citizens", "市民"),
    ("children", "kids", "子供"),
    ("doctor", "physician", "医師"),
    ("price rise", "price increase", "値上げ"),
    ("price cut", "price reduction", "値下げ"),
    ("jobs", "employment", "雇用"),
    ("damage", "harm", "被害"),
    ("soared", "jumped", "急騰"),
    ("pupils", "students", "生徒"),
    ("police", "officers", "警察"),
    ("company", "firm", "会社"),
    ("shop", "store", "店"),
    ("tourists", "visitors", "観光客"),
    ("illness", "disease", "病気"),
    ("hospital", "clinic", "病院"),
    ("cost", "expenses", "費用"),
    ("workers", "labourers", "労働者"),
    ("harvest", "crop", "収穫"),
    ("fire", "blaze", "火事"),
    ("meeting", "conference", "会議"),
    ("mistake", "error", "間違い"),
    ("law", "legislation", "法律"),
    ("began", "started", "始め"),
    ("opposed", "objected to", "反対"),
    ("supported", "backed", "支持"),
    ("raised", "increased", "引き上げ"),
    ("lowered", "reduced", "引き下げ"),
    ("abolished", "did away with", "廃止"),
    ("repaired", "fixed", "修理"),
    ("turned down", "refused", "断った"),
    ("put off", "postponed", "延期"),
    ("called off", "cancelled", "中止"),
    ("pulled down", "demolished", "取り壊"),
    ("resigned", "stepped down", "辞任"),
    ("many", "a large number of", "多くの"),
    ("essential", "indispensable", "欠かせない"),
    ("necessary", "required", "必要"),
    ("despite", "in spite of", "にもかかわらず"),
]
"""Two English expressions and the Japanese one that both translate."""

EXPECTED_JAPANESE = [
    ("住民", "市民", "residents"),
    ("医師", "医者", "doctor"),
    ("教師", "先生", "teacher"),
    ("自動車", "車", "car"),
    ("道路", "通り", "street"),
    ("火事", "火災", "fire"),
    ("危険", "リスク", "risk|danger"),
    ("機会", "チャンス", "chance"),
    ("試合", "ゲーム", "game"),
    ("夕食", "晩ご飯", "dinner"),
    ("始めた", "開始", "began"),
    ("終わった", "終了", "ended"),
    ("建てた", "建設", "built"),
    ("けが", "負傷", "injured"),
    ("逮捕", "拘束", "arrested"),
    ("発表", "公表", "announced"),
    ("重要", "大切", "important"),
    ("すぐに", "直ちに", "immediately"),
    ("しばしば", "よく", "often"),
    ("突然", "急に", "suddenly"),
]
"""Two Japanese expressions and the English one that both translate."""

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


def listed() -> list[tuple[str, list[str]]]:
    """The Japanese expressions of the card with their English translations."""
    return [
        (japanese, [item.strip().rsplit(" ", 1)[0] for item in english.split(",")])
        for japanese, english, _ in card_table("Japanese")
    ]


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    return read_rows(FILE, COLUMNS, "utf-8")


def test_size_and_ids(rows):
    assert len(rows) >= 700
    numbers: Counter = Counter()
    for row in rows:
        group = re.fullmatch(r"([a-z]+(?:-[a-z]+)*)-[1-9]\d*", row["id"])[1]
        numbers[group] += 1
        assert row["id"] == f"{group}-{numbers[group]}"
    assert len({row["id"] for row in rows}) == len(rows)
    assert min(numbers.values()) >= 4


def test_no_sentence_twice(rows):
    for column in ("english", "japanese"):
        counts = Counter(row[column] for row in rows)
        assert [sentence for sentence, count in counts.items() if count > 1] == []


def test_sentences_are_well_formed(rows):
    for row in rows:
        assert re.fullmatch(r"[A-Z][A-Za-z, ]*[a-z][.?]", row["english"]), row
        assert re.fullmatch(r"[ぁ-ゖァ-ヺー一-鿿々、]+。", row["japanese"]), row
        assert row["english"].endswith("?") == row["japanese"].endswith("か。"), row
        assert "  " not in row["english"] and "、、" not in row["japanese"], row
        assert 4 <= len(words(row["english"])) <= 12, row
        assert 7 <= len(row["japanese"]) <= 40, row


def test_lengths_correspond(rows):
    assert mismatch([row["english"] for row in rows], [row["japanese"] for row in rows]) is None


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
    assert {name: int(number.replace(",", "")) for name, number in card_table("what")} == expected


def test_card_sentence_lengths(rows):
    lengths = Counter(len(words(row["english"])) for row in rows)
    assert {int(length): int(count) for length, count in card_table("English words in the sentence")} == lengths


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
    assert card_table("Japanese") == expected
    assert len(expected) >= 110
    assert f"{len(expected)} Japanese expressions" in CARD.read_text(encoding="utf-8")


def test_card_number_of_english_expressions_with_several_translations():
    counts = Counter(form for _, english in listed() for form in english)
    several = sum(count > 1 for count in counts.values())
    assert f"{several} English expressions stand under two or more Japanese ones" in CARD.read_text(encoding="utf-8")


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


@pytest.mark.parametrize(("one", "other", "pivot"), EXPECTED_ENGLISH)
def test_english_paraphrases_share_a_translation(rows, one, other, pivot):
    assert together(rows, one, pivot) >= 2
    assert together(rows, other, pivot) >= 2


@pytest.mark.parametrize(("one", "other", "pivot"), EXPECTED_JAPANESE)
def test_japanese_paraphrases_share_a_translation(rows, one, other, pivot):
    assert together(rows, pivot, one) >= 2
    assert together(rows, pivot, other) >= 2


@pytest.mark.parametrize(("english", "japanese"), OPPOSITES)
def test_opposites_share_none(rows, english, japanese):
    assert together(rows, english, japanese) == 0
