"""The Japanese topics: layout, lengths, verbatim extracts, marked paraphrases, and a card that tells the truth."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter

import pytest
from scipy.stats import spearmanr
from tab_rows import card_table

from nbhelpers.base.paths import data_dir

FOLDER = data_dir() / "corpus" / "topics-ja"
CARD = FOLDER / "README.md"
STEMS = ["01-local-railway", "02-school-meals", "03-river-floods", "04-library-ebooks", "05-tourist-tax"]
CATEGORIES = "ABCDE"
REFERENCES, CANDIDATES = ["RE", "RA"], ["E1", "E2", "E3", "E4", "A1", "A2", "A3", "A4"]
KINDS = {"E": "extract", "A": "abstract"}
# Hiragana, katakana with the long-vowel mark and the middle dot, kanji with 々, the usual marks, and digits.
JAPANESE = re.compile(r"[ぁ-ゖァ-ヺー・一-鿿々、。「」0-9]+")
PAPER_SHARES = {"A": "20.1 %", "B": "24.5 %", "C": "11.9 %", "D": "12.3 %", "E": "31.2 %"}
"""Section 3.2 of the paper."""


def summaries(topic: dict) -> dict[str, dict]:
    """References and candidates of a topic by id."""
    return {summary["id"]: summary for summary in topic["references"] + topic["candidates"]}


def texts(topic: dict) -> list[str]:
    return [topic["title"], topic["article"], *(summary["text"] for summary in summaries(topic).values())]


@pytest.fixture(scope="module")
def topics() -> list[dict]:
    return [json.loads((FOLDER / f"{stem}.json").read_text(encoding="utf-8")) for stem in STEMS]


def test_layout_texts_and_lengths(topics):
    assert sorted(path.stem for path in FOLDER.glob("*.json")) == STEMS == [topic["id"] for topic in topics]
    for topic in topics:
        assert list(topic) == ["id", "title", "language", "article", "references", "candidates", "paraphrases"]
        assert topic["language"] == "ja" and list(summaries(topic)) == REFERENCES + CANDIDATES
        assert 600 <= len(topic["article"]) <= 900
        assert JAPANESE.fullmatch(topic["title"].replace("\u3000", "", 1))  # between the halves of a headline
        assert len(set(texts(topic))) == len(texts(topic))
        for text in texts(topic)[1:]:
            assert JAPANESE.fullmatch(text) and text.endswith("。") and "。。" not in text
            assert text.count("「") == text.count("」")
        for name, summary in summaries(topic).items():
            assert summary["kind"] == KINDS[name.removeprefix("R")[0]], (topic["id"], name)
            assert 0.18 <= len(summary["text"]) / len(topic["article"]) <= 0.23, (topic["id"], name)


def test_extracts_are_parts_of_the_article_in_its_order_and_abstracts_are_not(topics):
    for topic in topics:
        sentences = topic["article"].rstrip("。").split("。")
        for name, summary in summaries(topic).items():
            parts = summary["text"].rstrip("。").split("。")
            if summary["kind"] == "extract":
                places = [next(i for i, sentence in enumerate(sentences) if part in sentence) for part in parts]
                assert places == sorted(set(places)), (topic["id"], name)
            else:
                assert not set(sentences) & set(parts), (topic["id"], name)


def test_ratings_rise_and_references_are_best(topics):
    for topic in topics:
        rated = {name: summary["rating"] for name, summary in summaries(topic).items()}
        assert all(1 <= rating <= 4 and (2 * rating).is_integer() for rating in rated.values())
        for letter in KINDS:
            ladder = [*(rated[f"{letter}{number}"] for number in range(1, 5)), rated[f"R{letter}"]]
            assert all(worse < better for worse, better in itertools.pairwise(ladder)), (topic["id"], ladder)
    # The topics do not all follow one ladder.
    assert len({tuple(summary["rating"] for summary in topic["candidates"]) for topic in topics}) == len(topics)


def test_paraphrases_occur_in_their_texts(topics):
    seen = set()
    for topic in topics:
        sources = [topic["article"], *(summary["text"] for summary in topic["references"])]
        candidates = [summary["text"] for summary in topic["candidates"]]
        assert len(topic["paraphrases"]) >= 12
        assert {pair["category"] for pair in topic["paraphrases"]} == set(CATEGORIES)
        for pair in topic["paraphrases"]:
            assert list(pair) == ["article_or_reference", "candidate", "category"]
            first, second = pair["article_or_reference"], pair["candidate"]
            assert first != second and len(min(first, second, key=len)) >= 1
            assert any(first in text for text in sources), (topic["id"], first)
            assert any(second in text for text in candidates), (topic["id"], second)
            # No pair is marked twice, in whatever direction.
            assert frozenset((first, second)) not in seen, (topic["id"], first, second)
            seen.add(frozenset((first, second)))


def test_topics_share_no_text(topics):
    pieces = [{text[i : i + 10] for text in texts(topic) for i in range(len(text) - 9)} for topic in topics]
    for (first, own), (second, other) in itertools.combinations(enumerate(pieces), 2):
        assert not own & other, (STEMS[first], STEMS[second], own & other)


def test_card_sizes(topics):
    rows = []
    total: Counter = Counter()
    for topic in topics:
        counts = Counter(pair["category"] for pair in topic["paraphrases"])
        total += counts
        spans = [
            (min(lengths), max(lengths))
            for part in ("references", "candidates")
            for lengths in [[len(summary["text"]) for summary in topic[part]]]
        ]
        rows.append(
            [topic["id"][:2], str(len(topic["article"])), *(f"{low} to {high}" for low, high in spans)]
            + [str(counts[category]) for category in CATEGORIES]
            + [str(counts.total())]
        )
    rows.append(["all", "", "", "", *(str(total[category]) for category in CATEGORIES), str(total.total())])
    assert card_table(CARD, "topic", "paraphrases") == rows
    shares = [[category, f"{total[category] / total.total():.1%}".replace("%", " %")] for category in CATEGORIES]
    table = card_table(CARD, "category", "the paper")
    assert [[row[0], row[2]] for row in table] == shares
    assert {row[0]: row[3] for row in table} == PAPER_SHARES


def test_ratings_follow_the_card_rule(topics):
    table = card_table(CARD, "summary", "05")
    assert [row[0] for row in table] == REFERENCES + CANDIDATES
    for name, *cells in table:
        for topic, cell in zip(topics, cells, strict=True):
            reasons, rating = cell.split(" → ")
            words = reasons.split()
            claims = {word for word in words if word in set("123456")}
            faults = {word for word in words if word in ("unfaithful", "unclear")}
            assert len(words) == len(claims) + len(faults) or words == ["none"], (topic["id"], cell)
            expected = max(1, 1 + 0.5 * len(claims) - 0.5 * len(faults))
            assert float(rating) == expected == summaries(topic)[name]["rating"], (topic["id"], name)
    assert all(len(row) == 7 and all(row) for row in card_table(CARD, "topic", "6"))


def test_length_does_not_give_quality_away(topics):
    table = {row[0]: row[1:] for row in card_table(CARD, "kind", "05")}
    for letter, kind in KINDS.items():
        correlations = []
        for topic in topics:
            rated = [summaries(topic)[f"{letter}{number}"] for number in range(1, 5)]
            lengths = [len(summary["text"]) for summary in rated]
            correlations.append(spearmanr(lengths, [summary["rating"] for summary in rated]).statistic)
        assert table[kind] == [f"{correlation + 0:.2f}" for correlation in correlations]
        assert abs(sum(correlations) / len(correlations)) < 0.25, kind
