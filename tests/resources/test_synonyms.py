"""The synonym lexicons: well formed, no pair twice, and a card that tells the truth."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest
from tab_rows import card_table, read_rows

from nbhelpers.base.paths import data_dir

FOLDER = data_dir() / "corpus"
CARD = FOLDER / "synonyms.md"
COLUMNS = ["expression", "paraphrase", "part_of_speech", "kind"]
PARTS_OF_SPEECH = ["noun", "verb", "adjective", "adverb", "phrase"]
KINDS = ["word", "phrase", "clause"]
MINIMUM_ROWS = {"en": 600, "ja": 250}
SIDE = {"en": re.compile(r"[a-z]+(?: [a-z]+)*"), "ja": re.compile(r"[ぁ-ゖァ-ヺー一-鿿々]+")}


def rows_of(language: str) -> list[dict[str, str]]:
    """All rows of a lexicon."""
    return read_rows(FOLDER / f"synonyms-{language}.tsv", COLUMNS, "ascii" if language == "en" else "utf-8")


def pair(row: dict[str, str]) -> frozenset[str]:
    return frozenset((row["expression"], row["paraphrase"]))


@pytest.mark.parametrize("language", ["en", "ja"])
def test_rows_are_well_formed(language):
    rows = rows_of(language)
    assert len(rows) >= MINIMUM_ROWS[language]
    for row in rows:
        sides = (row["expression"], row["paraphrase"])
        assert sides[0] != sides[1] and all(SIDE[language].fullmatch(side) for side in sides), row
        assert row["part_of_speech"] in PARTS_OF_SPEECH and row["kind"] in KINDS, row
        if row["kind"] == "clause":
            assert row["part_of_speech"] == "phrase", row
        elif language == "en":
            assert row["kind"] == ("phrase" if " " in "".join(sides) else "word"), row
        if (language, row["part_of_speech"]) == ("ja", "verb"):
            assert all(side[-1] in "うくぐすつぬぶむる" for side in sides), row  # dictionary form
    counts = Counter((pair(row), row["part_of_speech"]) for row in rows)
    assert [key for key, count in counts.items() if count > 1] == []


def test_card_counts():
    expected = []
    for language in ("en", "ja"):
        counts = Counter((row["part_of_speech"], row["kind"]) for row in rows_of(language))
        for part in PARTS_OF_SPEECH:
            cells = [counts[part, kind] for kind in KINDS]
            expected.append([language, part, *map(str, cells), str(sum(cells))])
        cells = [sum(counts[part, kind] for part in PARTS_OF_SPEECH) for kind in KINDS]
        expected.append([language, "all", *map(str, cells), str(counts.total())])
    assert card_table(CARD, "language") == expected


def test_card_overlap_with_the_marked_paraphrases():
    marked = [
        frozenset((item["article_or_reference"], item["candidate"]))
        for path in sorted((FOLDER / "topics-ja").glob("*.json"))
        for item in json.loads(path.read_text(encoding="utf-8"))["paraphrases"]
    ]
    listed = {pair(row) for row in rows_of("ja")}
    sentence = f"{sum(item in listed for item in marked)} of the {len(marked)} paraphrases marked there"
    assert sentence in CARD.read_text(encoding="utf-8")


def test_card_overlap_with_the_words_of_the_english_topics():
    files = sorted((FOLDER / "topics").glob("*.json"))
    words = set(re.findall(r"[a-z]+", " ".join(path.read_text(encoding="utf-8") for path in files).lower()))
    shared = [len(pair(row) & words) for row in rows_of("en") if row["kind"] == "word"]
    one, both = sum(count > 0 for count in shared), sum(count == 2 for count in shared)
    sentence = (
        f"Of the {len(shared)} rows of kind `word`, {one} have a side that is a word of those files, {both} have two."
    )
    assert sentence in CARD.read_text(encoding="utf-8")
