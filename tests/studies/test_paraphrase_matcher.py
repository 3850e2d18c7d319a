"""The matcher: hand-worked examples of each step in both languages, its choices, properties, a plain slow version."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbhelpers.base.errors import InputError
from nbhelpers.studies.paraphrase.expressions import ParaphraseTable
from nbhelpers.studies.paraphrase.links import Link, MatchSettings
from nbhelpers.studies.paraphrase.matcher import Index, match, rouge_n

LAST = MatchSettings(literals="last")
OPTIMAL = MatchSettings(matching="optimal")


def table(name: str, *pairs: str, language: str = "en", score: float = 1.0) -> ParaphraseTable:
    """A table from lines such as ``passed away > died``, words between spaces."""
    found: dict = {}
    for pair in pairs:
        source, target = (tuple(side.split()) for side in pair.split(">"))
        found.setdefault(source, {})[target] = score
    return ParaphraseTable(name, language, found, f"{name}|made-up")


def links(reference: str, candidate: str, tables, settings=MatchSettings()) -> list[tuple]:
    """Step, words of either side and resources of each link."""
    found = match(reference.split(), candidate.split(), tables, settings)
    return [(row["step"][0], row["reference"], row["candidate"], row["resources"]) for row in found.rows()]


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
        Link(2, (1,), (1,), ("WordNet",), (1.0,)),
        Link(1, (2, 3), (2,), ("SMT",), (1.0,)),
        Link(3, (5,), (3,)),
    )
    assert found.counts == {1: 2, 2: 1, 3: 2}
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
    assert links("附属 の 時間 が 切り離せ ない 。", "時 が 付属 の 学校 と 繋がっ て いる", tables) == [
        ("2", "附属", "付属", "Variants"),
        ("3", "の", "の", ""),
        ("2", "時間", "時", "Variants, WordNet"),
        ("3", "が", "が", ""),
        ("1", "切り離せ ない", "繋がっ て いる", "SMT"),
    ]
    found = match("附属 の 時間 が 切り離せ ない 。".split(), "時 が 付属 の 学校 と 繋がっ て いる".split(), tables)
    assert (found.recall, found.counts) == (6 / 7, {1: 2, 2: 2, 3: 2})


def test_a_phrase_takes_words_before_one_word_paraphrases_do():
    tables = [table("SMT", "big house > villa"), table("WordNet", "house > villa", "big > large")]
    assert links("big house", "large villa", tables) == [("1", "big house", "villa", "SMT")]


def test_one_word_may_be_paraphrased_by_a_phrase_in_step_1():
    assert links("he died today", "he passed away", [table("SMT", "died > passed away")]) == [
        ("3", "he", "he", ""),
        ("1", "died", "passed away", "SMT"),
    ]


def test_direction_of_the_tables():
    smt = table("SMT", "ruling > defeat", score=0.25)
    assert match(["ruling"], ["defeat"], [smt]).recall == 1
    assert match(["defeat"], ["ruling"], [smt]).recall == 0
    backwards = MatchSettings(direction="candidate")
    assert match(["ruling"], ["defeat"], [smt], backwards).recall == 0
    assert match(["defeat"], ["ruling"], [smt], backwards).links[0].score == 0.25
    both = MatchSettings(direction="both")
    assert match(["ruling", "defeat"], ["defeat", "ruling"], [smt], both).recall == 1
    two_ways = table("SMT", "ruling > defeat")
    two_ways.pairs[("defeat",)] = {("ruling",): 0.5}
    assert match(["ruling"], ["defeat"], [two_ways], both).links[0].scores == (1.0,), "the higher of the two"


def test_order_of_phrases():
    """Longest first takes *b c d*, after which *a* is alone; from the left *a b* comes first, then *c* and *d* fail."""
    smt = table("SMT", "a b > x y", "b c d > z")
    assert links("a b c d", "x y z", [smt]) == [("1", "b c d", "z", "SMT")]
    left = MatchSettings(phrases="left-to-right")
    assert links("a b c d", "x y z", [smt], left) == [("1", "a b", "x y", "SMT")]


def test_clipping():
    """One *car* in the candidate: it is used up by the first of the three words that match it, or serves all."""
    wordnet = table("WordNet", "auto > car", "vehicle > car")
    assert match("auto car vehicle".split(), ["car"], [wordnet], LAST).recall == 1 / 3
    assert match("auto car vehicle".split(), ["car"], [wordnet], MatchSettings(clip=False)).recall == 1
    assert match("car car car".split(), "car car".split()).recall == 2 / 3
    assert match("car car car".split(), "car car".split(), (), MatchSettings(clip=False)).recall == 1


def test_greed_may_score_below_rouge_1():
    """*a* → *b c* uses up the literal partners of *b* and of *c*: one word of three instead of two."""
    smt = table("SMT", "a > b c")
    assert match("a b c".split(), "b c".split(), [smt]).recall == 1 / 3
    assert rouge_n(["a b c".split()], "b c".split()) == 2 / 3
    assert match("a b c".split(), "b c".split(), [smt], MatchSettings(literals="first")).recall == 2 / 3
    assert match("a b c".split(), "b c".split(), [smt], OPTIMAL).recall == 2 / 3


def test_a_text_matches_itself_unless_paraphrases_come_before_its_own_words():
    """To the letter *big* → *large* in step 2 takes *large*, and the word *large* finds only *big* left over."""
    text, wordnet = "big or large".split(), table("WordNet", "big > large")
    assert match(text, text, [wordnet], LAST).recall == 2 / 3
    assert match(text, text, [wordnet]).recall == 1
    assert match(text, text, [wordnet], MatchSettings(literals="first")).recall == 1
    assert match(text, text, [wordnet], OPTIMAL).counts == {1: 0, 2: 0, 3: 3}


def test_the_optimal_matching_weighs_a_phrase_against_words():
    """Either *x y* → *m* (two words by one) or *x* → *m* and *y* lost; and *z* → *n* needs what *x y z* does not."""
    tables = [table("SMT", "x y > m", "x y z > n"), table("WordNet", "x > m", "z > n")]
    found = match("x y z".split(), "n m".split(), tables, OPTIMAL)
    assert found.matched == 3
    assert brute_force(tuple("xyz"), tuple("nm"), tables) == 3
    assert match("x y z w".split(), "n m w".split(), tables, OPTIMAL).counts[3] == 1


def test_several_references():
    """Recalls 1/2 and 1/4: pooled 2 of 6 words."""
    texts, candidate = ["a b".split(), "a c d e".split()], ["a"]
    for references, expected in (("pooled", 2 / 6), ("mean", 3 / 8), ("best", 1 / 2)):
        index = Index((), MatchSettings(references=references))
        assert index.recalls(texts, candidate, [()]).tolist() == [expected]
    assert rouge_n(texts, candidate) == 2 / 6


def test_rouge_agrees_with_the_rouge_score_package():
    from rouge_score.rouge_scorer import RougeScorer
    from rouge_score.tokenizers import Tokenizer

    class Spaces(Tokenizer):
        def tokenize(self, text):
            return text.split()

    rng = random.Random(0)
    scorer = RougeScorer(["rouge1", "rouge2"], tokenizer=Spaces())
    for _ in range(50):
        reference, candidate = (rng.choices("abcdefg", k=rng.randint(2, 12)) for _ in range(2))
        theirs = scorer.score(" ".join(reference), " ".join(candidate))
        assert rouge_n([reference], candidate) == pytest.approx(theirs["rouge1"].recall)
        assert rouge_n([reference], candidate, 2) == pytest.approx(theirs["rouge2"].recall)
        assert match(reference, candidate).recall == pytest.approx(theirs["rouge1"].recall)


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
    scores = index.recalls([reference], candidate, combinations)
    for letters, score in zip(combinations, scores, strict=True):
        chosen = [one for one in tables if one.name in letters]
        assert score == match(reference, candidate, chosen, settings).recall
        assert score == index.match(reference, candidate, letters).recall
    assert scores[0] == rouge_n([reference], candidate) or not settings.clip


@given(TEXTS, TEXTS, TABLES, SETTINGS, st.randoms(use_true_random=False))
def test_the_order_of_resources_does_not_matter(reference, candidate, tables, settings, rng):
    found = match(reference, candidate, tables, settings)
    mixed = []
    for one in rng.sample(tables, len(tables)):
        entries = rng.sample(list(one.pairs.items()), len(one.pairs))
        pairs = {source: dict(reversed(targets.items())) for source, targets in entries}
        mixed.append(ParaphraseTable(one.name, "en", pairs, one.name))
    assert match(reference, candidate, mixed, settings).links == found.links


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
    found = match(reference, candidate, tables, OPTIMAL)
    assert found.matched == brute_force(reference, candidate, tables)
    for side in ("reference", "candidate"):
        used = [place for link in found.links for place in getattr(link, side)]
        assert len(used) == len(set(used))
    for link in found.links:
        x = tuple(reference[place] for place in link.reference)
        y = tuple(candidate[place] for place in link.candidate)
        assert x == y if link.step == 3 else all(y in t.pairs[x] for t in tables if t.name in link.resources)
        assert link.step == 3 or link.resources


def test_one_word_links_are_a_maximum_bipartite_matching():
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    rng = random.Random(1)
    for _ in range(100):
        reference, candidate = (tuple(rng.choices("abcdefghij", k=12)) for _ in range(2))
        words = table("D", *(f"{a} > {b}" for a, b in (rng.choices("abcdefghij", k=2) for _ in range(15))))
        allowed = np.array([[a == b or (b,) in words.pairs.get((a,), {}) for b in candidate] for a in reference])
        size = int((maximum_bipartite_matching(csr_array(allowed)) >= 0).sum())
        assert match(reference, candidate, [words], OPTIMAL).matched == size


# ------------------------------------------------------------------------------------------------------- bad input


def test_an_empty_candidate_scores_0_and_an_empty_reference_is_refused():
    assert match(["word"], [], [table("S", "word > other")]).recall == 0
    with pytest.raises(InputError, match="reference has no words"):
        match([], ["word"])
    with pytest.raises(InputError, match="no reference"):
        Index().recalls([], ["word"], [()])
    with pytest.raises(InputError, match="has 2 words, so ROUGE-2"):
        rouge_n([["word"]], ["word"], 2)
    with pytest.raises(InputError, match="n of at least 1"):
        rouge_n([["word"]], ["word"], 0)


@pytest.mark.parametrize(
    ("reference", "candidate", "reason"),
    [
        ("a text", ["a"], "reference is a sequence of words"),
        (["a"], "a text", "candidate is a sequence of words"),
        (["a", ""], ["a"], "Word 1 of the reference"),
        (["a"], [None], "Word 0 of the candidate"),
    ],
)
def test_texts_are_words(reference, candidate, reason):
    with pytest.raises(InputError, match=reason):
        match(reference, candidate)


def test_tables_must_fit_together():
    with pytest.raises(InputError, match="same name"):
        Index([table("S"), table("S")])
    with pytest.raises(InputError, match="different languages: en, ja"):
        Index([table("S"), table("D", language="ja")])
    with pytest.raises(InputError, match="no table 'W'; there are D, S"):
        Index([table("S"), table("D")]).match(["a"], ["a"], ["W"])


def test_settings_are_checked_and_named():
    assert MatchSettings().signature == (
        "direction:reference|phrases:longest|literals:preferred|clip:yes|matching:greedy|references:pooled"
    )
    assert OPTIMAL.signature == (
        "direction:reference|phrases:any|literals:any|clip:yes|matching:optimal|references:pooled"
    )
    with pytest.raises(InputError, match="direction is one of 'reference', 'candidate', 'both', not 'sideways'"):
        MatchSettings(direction="sideways")
    found = Index([table("S"), table("D")]).match(["a"], ["a"], "S")
    assert found.signature == MatchSettings().signature + "|tables:S"
    assert Index([table("S")]).signature.endswith("|S:[S|made-up]")
    with pytest.raises(InputError, match="side is"):
        found.marks("left")
