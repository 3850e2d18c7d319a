"""The matcher: hand-worked examples of each step in both languages, its choices, properties, a plain slow version."""

import random
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refused import refused

from nbhelpers.metrics.paraphrase.matcher import Index, Link, MatchSettings, match
from nbhelpers.metrics.paraphrase.tables import ParaphraseTable


def table(name: str, *pairs: str, language: str = "en") -> ParaphraseTable:
    """A table from lines such as ``passed away > died``, words between spaces."""
    found: dict = {}
    for pair in pairs:
        source, target = (tuple(side.split()) for side in pair.split(">"))
        found.setdefault(source, {})[target] = 1.0
    return ParaphraseTable(name, language, found, f"{name}|made-up")


# ------------------------------------------------------------------------------------------------- plain version


def plain_match(reference, candidate, tables, settings=MatchSettings()) -> list[tuple]:
    """Section 4.1 word for word, by a plain search over the tables: links as (step, places, places, names).

    Every expression of the reference is looked up in every table, and everything that it may be paraphrased by is
    searched for at every place of the candidate.
    """

    def names(x, y):
        either = {"reference": [(x, y)], "candidate": [(y, x)], "both": [(x, y), (y, x)]}[settings.direction]
        return tuple(sorted(t.name for t in tables if any(b in t.pairs.get(a, {}) for a, b in either)))

    def partners(x):
        found = set()
        for one in tables:
            if settings.direction != "candidate":
                found |= set(one.pairs.get(x, {}))
            if settings.direction != "reference":
                found |= {source for source, targets in one.pairs.items() if x in targets}
        return found - {x}

    def places_of(y):
        return [j for j in range(len(candidate) - len(y) + 1) if candidate[j : j + len(y)] == y]

    possible = []
    for i in range(len(reference)):
        for stop in range(i + 1, len(reference) + 1):
            x = reference[i:stop]
            steps = set()
            for y in partners(x):
                step = 2 if len(x) == len(y) == 1 else 1
                for j in places_of(y):
                    possible.append((step, i, len(x), j, len(y), False))
                    steps.add(step)
            if settings.literals == "preferred":
                possible += [(step, i, len(x), j, len(x), True) for step in steps for j in places_of(x)]

    def order(one):
        step, i, m, j, n, literal = one
        longest = (-m, not literal, -n, i, j) if settings.phrases == "longest" else (i, -m, not literal, -n, j)
        return (step, *(longest if step == 1 else (i, not literal, j)))

    used, used_up, taken = set(), set(), []

    def literals():
        for i, word in enumerate(reference):
            free = [j for j, other in enumerate(candidate) if other == word and j not in used_up]
            if i not in used and free:
                take(3, range(i, i + 1), range(free[0], free[0] + 1), ())

    def take(step, ours, theirs, who):
        taken.append((step, tuple(ours), tuple(theirs), who))
        used.update(ours)
        if settings.clip:
            used_up.update(theirs)

    if settings.literals == "first":
        literals()
    for step, i, m, j, n, literal in sorted(possible, key=order):
        ours, theirs = range(i, i + m), range(j, j + n)
        if used.intersection(ours) or used_up.intersection(theirs):
            continue
        if literal:
            for k in range(m):
                take(3, [i + k], [j + k], ())
        else:
            take(step, ours, theirs, names(reference[i : i + m], candidate[j : j + n]))
    if settings.literals != "first":
        literals()
    return sorted(taken, key=lambda one: one[1])


def brute_force(reference, candidate, tables) -> int:
    """Most words of the reference that links without a common word can match, by trying all sets of links."""
    allowed = [((i,), (j,)) for i, a in enumerate(reference) for j, b in enumerate(candidate) if a == b]
    for one in tables:
        for x, targets in one.pairs.items():
            for y in targets:
                for i in range(len(reference) - len(x) + 1):
                    for j in range(len(candidate) - len(y) + 1):
                        if reference[i : i + len(x)] == x and candidate[j : j + len(y)] == y:
                            allowed.append((tuple(range(i, i + len(x))), tuple(range(j, j + len(y)))))

    def best(start, ours, theirs):
        value = 0
        for at in range(start, len(allowed)):
            x, y = allowed[at]
            if not ours.intersection(x) and not theirs.intersection(y):
                value = max(value, len(x) + best(at + 1, ours | set(x), theirs | set(y)))
        return value

    return best(0, frozenset(), frozenset())


# ---------------------------------------------------------------------------------------------- hand-worked examples


def test_three_steps_in_english():
    """Step 1 takes *passed away* → *died*, step 2 *physician* → *doctor*, step 3 *the* and *in*; *suddenly* is lost."""
    smt, wordnet = table("SMT", "passed away > died"), table("WordNet", "physician > doctor", "rome > milan")
    found = match(
        "the physician passed away suddenly in rome".split(), "the doctor died in paris".split(), [smt, wordnet]
    )
    assert found.links == (
        Link(3, (0,), (0,)),
        Link(2, (1,), (1,), ("WordNet",)),
        Link(1, (2, 3), (2,), ("SMT",)),
        Link(3, (5,), (3,)),
    )
    assert found.recall == 5 / 7
    assert [link and link.step for _, link in found.marks()] == [3, 2, 1, 1, None, 3, None]
    assert [link and link.step for _, link in found.marks("candidate")] == [3, 2, 1, 3, None]


def test_three_steps_in_japanese():
    """切り離せ ない → 繋がっ て いる (phrases), 時間 → 時 and 附属 → 付属 (words), の and が as they are."""
    tables = [
        table("SMT", "切り離せ ない > 繋がっ て いる", language="ja"),
        table("WordNet", "時間 > 時", language="ja"),
        table("Variants", "附属 > 付属", "時間 > 時", language="ja"),
    ]
    found = match("附属 の 時間 が 切り離せ ない 。".split(), "時 が 付属 の 学校 と 繋がっ て いる".split(), tables)
    assert [(link.step, *row.values(), *link.resources) for link, row in zip(found.links, found.rows())] == [
        (2, "附属", "付属", "Variants"),
        (3, "の", "の"),
        (2, "時間", "時", "Variants", "WordNet"),
        (3, "が", "が"),
        (1, "切り離せ ない", "繋がっ て いる", "SMT"),
    ]
    assert found.recall == 6 / 7


def test_rouge_1_is_that_of_the_rouge_score_package():
    from rouge_score.rouge_scorer import RougeScorer

    rng = random.Random(0)
    scorer = RougeScorer(["rouge1"], tokenizer=SimpleNamespace(tokenize=str.split))
    for _ in range(50):
        reference, candidate = (rng.choices("abcdefg", k=rng.randint(2, 12)) for _ in range(2))
        theirs = scorer.score(" ".join(reference), " ".join(candidate))["rouge1"].recall
        assert match(reference, candidate).recall == pytest.approx(theirs)


# ------------------------------------------------------------------------------------------------------ properties

WORDS = st.sampled_from("abcdef")
TEXTS = st.lists(WORDS, min_size=1, max_size=8).map(tuple)
EXPRESSIONS = st.lists(WORDS, min_size=1, max_size=3).map(tuple)
PAIRS = st.dictionaries(
    EXPRESSIONS, st.dictionaries(EXPRESSIONS, st.floats(0.1, 1), min_size=1, max_size=3), max_size=8
)
TABLES = st.lists(PAIRS, max_size=4).map(
    lambda found: [ParaphraseTable(name, "en", pairs, name) for name, pairs in zip("SDWN", found, strict=False)]
)
SETTINGS = st.builds(
    MatchSettings,
    direction=st.sampled_from(["reference", "candidate", "both"]),
    phrases=st.sampled_from(["longest", "left-to-right"]),
    literals=st.sampled_from(["preferred", "last", "first"]),
    clip=st.booleans(),
)
COMBINATIONS = ["", *"SDWN", "SD", "SW", "SN", "DW", "DN", "WN", "SDW", "SDN", "SWN", "DWN", "SDWN"]


@given(TEXTS, TEXTS, TABLES, SETTINGS)
def test_greedy_matching_equals_the_plain_version(reference, candidate, tables, settings):
    found = match(reference, candidate, tables, settings)
    ours = [(link.step, link.reference, link.candidate, link.resources) for link in found.links]
    assert ours == plain_match(reference, candidate, tables, settings)
    assert 0 <= found.recall <= 1


@given(TEXTS, TEXTS, TABLES, SETTINGS, st.booleans())
def test_combinations_share_what_is_found(reference, candidate, tables, settings, optimal):
    """All combinations at once give what each gives by itself, and what the explained match gives."""
    if optimal:
        settings = MatchSettings(settings.direction, clip=settings.clip, matching="optimal")
    index = Index(tables, settings)
    combinations = [letters for letters in COMBINATIONS if set(letters) <= set(index.names)]
    scores = index.recalls(reference, candidate, combinations)
    for letters, score in zip(combinations, scores, strict=True):
        chosen = [one for one in tables if one.name in letters]
        assert score == match(reference, candidate, chosen, settings).recall


@given(TEXTS, TABLES, SETTINGS)
def test_a_reference_scores_1_against_itself(text, tables, settings):
    if settings.literals != "last":
        assert match(text, text, tables, settings).recall == 1
    assert match(text, text, tables, MatchSettings(matching="optimal", clip=settings.clip)).recall == 1


@given(TEXTS, TEXTS, TABLES, st.booleans())
def test_another_resource_never_lowers_the_optimal_recall(reference, candidate, tables, clip):
    settings = MatchSettings(matching="optimal", clip=clip)
    recalls = [match(reference, candidate, tables[:count], settings).recall for count in range(len(tables) + 1)]
    assert recalls == sorted(recalls)
    assert recalls[-1] >= match(reference, candidate, tables, MatchSettings(clip=clip)).recall


@given(st.lists(WORDS, min_size=1, max_size=5).map(tuple), st.lists(WORDS, max_size=5).map(tuple), TABLES)
def test_the_optimal_matching_is_optimal(reference, candidate, tables):
    found = match(reference, candidate, tables, MatchSettings(matching="optimal"))
    assert found.matched == brute_force(reference, candidate, tables)
    for side in ("reference", "candidate"):
        used = [place for link in found.links for place in getattr(link, side)]
        assert len(used) == len(set(used))
    for link in found.links:
        x, y = found.words(link)
        assert x == y if link.step == 3 else all(y in t.pairs[x] for t in tables if t.name in link.resources)
        assert link.step == 3 or link.resources


# ------------------------------------------------------------------------------------------------------- bad input


test_what_does_not_fit_is_refused = refused(
    (lambda: match([], ["word"]), "reference has no words"),
    (lambda: match(["a"], "a text"), "candidate is a sequence of words"),
    (lambda: match(["a"], [None]), "word of the candidate is empty"),
    (lambda: Index([table("S"), table("S")]), "same name"),
    (lambda: Index([table("S"), table("D", language="ja")]), "different languages: en, ja"),
    (lambda: Index([table("S"), table("D")]).recalls(["a"], ["a"], ["W"]), "no table 'W'; there are D, S"),
    (lambda: MatchSettings(direction="up"), "direction is one of 'reference', 'candidate', 'both', not 'up'"),
)
