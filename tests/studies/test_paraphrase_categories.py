"""Categories A to E of the paraphrase study."""

import random

import pytest
from refused import refused

from nbhelpers.metrics.paraphrase.tables import ParaphraseTable
from nbhelpers.metrics.paraphrase.tokens import tokenize
from nbhelpers.metrics.paraphrase.variants import load_variants
from nbhelpers.studies.paraphrase.categories import classify, is_clause, run


def table(name, language, *pairs):
    """A table of one direction, from texts."""
    entries = {}
    for source, target in pairs:
        entries.setdefault(tokenize(source, language), {})[tokenize(target, language)] = 1.0
    return ParaphraseTable(name, language, entries, "test")


CANNOT_BE_DIVIDED, LINKED = "切り離せない", "繋がっている"
WITHOUT, BECAUSE_OF = "協力がなければ成功はできなかった", "協力により成功ができた"

JAPANESE = (
    table("SMT", "ja", (CANNOT_BE_DIVIDED, LINKED), (WITHOUT, BECAUSE_OF)),
    table("WordNet", "ja", ("時間", "時"), ("値段", "価格")),
    load_variants("ja", "shipped").table(
        tokenize("附属の病院、付属の病院、とき、時、時間、値段、繋がって、つながって", "ja")
    ),
)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("附属の病院", "付属の病院", "A"),
        ("時間", "時", "B"),  # the paper's example of category B
        (CANNOT_BE_DIVIDED, LINKED, "C"),  # of category C
        (WITHOUT, BECAUSE_OF, "D"),  # of category D, with words for X and Y
        ("協力", "関係", "E"),
        (f"附属の病院と{CANNOT_BE_DIVIDED}", f"付属の病院と{LINKED}", "C"),
        ("時間の病院", "時の県", "E"),  # one part is not explained
    ],
)
def test_japanese_categories(first, second, expected):
    first, second = tokenize(first, "ja"), tokenize(second, "ja")
    assert classify(first, second, JAPANESE) == classify(second, first, JAPANESE) == expected


ENGLISH = [table("WordNet", "en", ("car", "automobile"))]


def slow_category(first, second, tables):
    """Every cut of both sides into pieces, one by one."""
    if not first and not second:
        return 0
    best = 9
    for a in range(1, len(first) + 1):
        for b in range(1, len(second) + 1):
            x, y = first[:a], second[:b]
            names = [t.name for t in tables if y in t.pairs.get(x, ()) or x in t.pairs.get(y, ())]
            if x == y and a == 1:
                level = 0
            elif not names or x == y:
                continue
            else:
                level = 1 if "Variants" in names else 2 if a == b == 1 else 3
            best = min(best, max(level, slow_category(first[a:], second[b:], tables)))
    return best


def test_categories_equal_an_exhaustive_search():
    generator = random.Random(7)

    def expression(longest):
        return tuple(generator.choices("abc", k=generator.randint(1, longest)))

    found = set()
    for _ in range(150):
        tables = []
        for name in ("SMT", "WordNet", "Variants"):
            pairs = {}
            for _ in range(generator.choice((2, 6, 12))):
                pairs.setdefault(expression(3), {})[expression(3)] = 1.0
            tables.append(ParaphraseTable(name, "en", pairs, "test"))
        first, second = expression(5), expression(5)
        if first == second:
            continue
        category = classify(first, second, tables)
        slow = slow_category(first, second, tables)
        assert slow == {"A": 1, "B": 2, "C": 3, "D": 3, "E": 9}[category]
        found.add(category)
        # A further resource never makes a pair harder.
        assert category <= classify(first, second, tables[:2])
    assert found >= set("ABCE")


def test_clauses():
    for text in ("talks broke down", "no agreement was reached", "they could not agree"):
        assert is_clause(tokenize(text, "en"), "en")
    for text in ("kick the bucket", "the committee", "take place", "because of the rain"):
        assert not is_clause(tokenize(text, "en"), "en")
    for text in (WITHOUT, BECAUSE_OF, "雨が降ったので中止になった"):
        assert is_clause(tokenize(text, "ja"), "ja")
    for text in (CANNOT_BE_DIVIDED, LINKED, "責任を取る", "県の負担"):
        assert not is_clause(tokenize(text, "ja"), "ja")


# -------------------------------------------------------------------------------------------------------- counts


def test_counts_beside_table_2():
    pairs = [("附属の病院", "付属の病院"), ("時間", "時"), ("値段", "価格"), (CANNOT_BE_DIVIDED, LINKED), ("県", "国")]
    items = run(pairs, dict(zip("SWN", JAPANESE)), marks="ABBEE")
    assert "".join(items["found"]) == "ABBCE" and "".join(items["marked"]) == "ABBEE"
    assert items["S"].tolist() == [False, False, False, True, False]
    assert items["W"].tolist() == [False, True, True, False, False]
    assert items["N"].tolist() == [True, False, False, False, False]


TABLES = dict(zip("SWN", ENGLISH))

test_bad_input = refused(
    (lambda: run([("a", "b"), ("", "car")], TABLES, "EE"), "Pair 2 has a side without words, or the same on both"),
    (lambda: run([("Car", "car.")], TABLES, "E"), "Pair 1 has a side without words, or the same on both sides"),
    (lambda: run([("a", "b")], TABLES, "AB"), "one of A, B, C, D, E for each of the 1"),
    (lambda: run([("a", "b")], TABLES, "F"), "one of A, B, C, D, E for each of the 1"),
)
