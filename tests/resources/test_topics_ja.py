"""The Japanese topics: layout, lengths, verbatim extracts, marked paraphrases, and a card that tells the truth."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter

import pytest
from scipy.stats import spearmanr

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


def card_table(first_header: str, last_header: str) -> list[list[str]]:
    """Body cells of the card's table with these first and last headers."""
    lines = CARD.read_text(encoding="utf-8").split("\n")
    start = next(
        i
        for i, line in enumerate(lines)
        if line.startswith(f"| {first_header} |") and line.endswith(f"{last_header} |")
    )
    body = itertools.takewhile(lambda line: line.startswith("|"), lines[start + 2 :])
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in body]


def summaries(topic: dict) -> dict[str, dict]:
    """References and candidates of a topic by id."""
    return {summary["id"]: summary for summary in topic["references"] + topic["candidates"]}


def texts(topic: dict) -> list[str]:
    return [topic["title"], topic["article"], *(summary["text"] for summary in summaries(topic).values())]


@pytest.fixture(scope="module")
def topics() -> list[dict]:
    return [json.loads((FOLDER / f"{stem}.json").read_text(encoding="utf-8")) for stem in STEMS]


def test_layout_and_ids(topics):
    assert sorted(path.stem for path in FOLDER.glob("*.json")) == STEMS == [topic["id"] for topic in topics]
    for topic in topics:
        assert list(topic) == ["id", "title", "language", "article", "references", "candidates", "paraphrases"]
        assert topic["language"] == "ja"
        assert [summary["id"] for summary in topic["references"]] == REFERENCES
        assert [summary["id"] for summary in topic["candidates"]] == CANDIDATES
        for summary in summaries(topic).values():
            assert set(summary) == {"id", "kind", "text", "rating"}
            kind = summary["id"][1] if summary["id"] in REFERENCES else summary["id"][0]
            assert summary["kind"] == KINDS[kind], (topic["id"], summary["id"])


def test_texts_are_japanese_and_complete(topics):
    for topic in topics:
        for text in texts(topic):
            # Headlines have one ideographic space between their halves.
            assert JAPANESE.fullmatch(text.replace("\u3000", "", 1) if text == topic["title"] else text), text
        for text in texts(topic)[1:]:
            assert text.endswith("。") and "。。" not in text
            assert text.count("「") == text.count("」")
        everything = texts(topic)
        assert len(set(everything)) == len(everything)


def test_lengths(topics):
    for topic in topics:
        assert 600 <= len(topic["article"]) <= 900
        for name, summary in summaries(topic).items():
            share = len(summary["text"]) / len(topic["article"])
            assert 0.18 <= share <= 0.23, (topic["id"], name, share)


def test_extracts_are_parts_of_the_article_in_its_order(topics):
    for topic in topics:
        sentences = topic["article"].rstrip("。").split("。")
        assert len(set(sentences)) == len(sentences)
        for name, summary in summaries(topic).items():
            if summary["kind"] != "extract":
                continue
            places = []
            for part in summary["text"].rstrip("。").split("。"):
                found = [i for i, sentence in enumerate(sentences) if part in sentence]
                assert found, (topic["id"], name, part)
                places.append(found[0])
            assert places == sorted(set(places)), (topic["id"], name)


def test_abstracts_are_freely_worded(topics):
    for topic in topics:
        sentences = set(topic["article"].rstrip("。").split("。"))
        for name, summary in summaries(topic).items():
            if summary["kind"] == "abstract":
                assert not sentences & set(summary["text"].split("。")), (topic["id"], name)


def test_ratings_rise_and_references_are_best(topics):
    for topic in topics:
        rated = summaries(topic)
        for summary in rated.values():
            assert 1 <= summary["rating"] <= 4 and (2 * summary["rating"]).is_integer()
        for letter in KINDS:
            ratings = [rated[f"{letter}{number}"]["rating"] for number in range(1, 5)]
            assert all(worse < better for worse, better in itertools.pairwise(ratings)), (topic["id"], ratings)
            assert ratings[-1] < rated[f"R{letter}"]["rating"]
    # The topics do not all follow one ladder.
    ladders = {tuple(summary["rating"] for summary in topic["candidates"]) for topic in topics}
    assert len(ladders) == len(topics)


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
    assert card_table("topic", "paraphrases") == rows
    shares = [[category, f"{total[category] / total.total():.1%}".replace("%", " %")] for category in CATEGORIES]
    table = card_table("category", "the paper")
    assert [[row[0], row[2]] for row in table] == shares
    assert {row[0]: row[3] for row in table} == PAPER_SHARES


def test_ratings_follow_the_card_rule(topics):
    table = card_table("summary", "05")
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
    assert all(len(row) == 7 and all(row) for row in card_table("topic", "6"))


def test_length_does_not_give_quality_away(topics):
    table = {row[0]: row[1:] for row in card_table("kind", "05")}
    for letter, kind in KINDS.items():
        correlations = []
        for topic in topics:
            rated = [summaries(topic)[f"{letter}{number}"] for number in range(1, 5)]
            lengths = [len(summary["text"]) for summary in rated]
            correlations.append(spearmanr(lengths, [summary["rating"] for summary in rated]).statistic)
        assert table[kind] == [f"{correlation + 0:.2f}" for correlation in correlations]
        assert abs(sum(correlations) / len(correlations)) < 0.25, kind
