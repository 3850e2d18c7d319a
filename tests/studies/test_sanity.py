"""Sanity checks: pairs, shares of Tables 6 and 7, edits with a dose, negation and bad input."""

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refused import refused

from nbhelpers.language.inflection import base_form
from nbhelpers.language.tokens import STOP_WORDS, stem, tokenize
from nbhelpers.resources.csmd import RatedPair
from nbhelpers.results import estimates
from nbhelpers.studies.meaningbert import sanity
from nbhelpers.studies.meaningbert.sanity import checks
from nbhelpers.studies.meaningbert.sanity.negation import negations
from nbhelpers.studies.meaningbert.sanity.pairs import unrelated_pairs
from nbhelpers.studies.meaningbert.sanity.reading import how_many, word_spans
from nbhelpers.studies.meaningbert.sanity.swaps import names_in

KINDS = list(sanity.edits())


def generator(seed=0):
    return np.random.default_rng(seed)


def same_words(source, candidate):
    """Share of the words of the source that the candidate has, without order and case."""
    a, b = Counter(source.lower().split()), Counter(candidate.lower().split())
    return (a & b).total() / a.total()


article = sanity.ArticleSentence
TEXTS = [
    "The farmer sold two brown horses.",
    "Anna Berg opened a bakery in Bergen.",
    "Heavy rain flooded the northern valley.",
    "The council will vote on the budget.",
    "My neighbour plays the violin badly.",
    "Seventeen ships waited outside Rotterdam.",
]
NEWS = [article(text, name) for text, name in zip(TEXTS, "abcdef")]


# -------------------------------------------------------------------- pairs


@pytest.mark.parametrize("seed", range(5))
def test_unrelated_pairs_share_no_article_and_no_content_word(seed):
    pairs = unrelated_pairs(NEWS, seed)
    assert [p.source for p in pairs] == TEXTS
    assert sorted(p.candidate for p in pairs) == sorted(TEXTS), "every sentence is a candidate once"
    for pair in pairs:
        assert pair.source != pair.candidate
        words = [{stem(t) for t in tokenize(x)} - STOP_WORDS - {"."} for x in (pair.source, pair.candidate)]
        assert not words[0] & words[1]
    assert pairs == unrelated_pairs(NEWS, seed)


@pytest.mark.parametrize("seed", range(3))
def test_word_soup_is_as_long_as_the_sentence_and_has_none_of_its_words(seed):
    for pair in sanity.word_soup(NEWS, seed):
        assert len(pair.candidate.split()) == len(pair.source.split())
        own = {stem(t) for t in tokenize(pair.source) if t.isalpha()}
        assert not own & {stem(t) for t in tokenize(pair.candidate)}
        assert pair.candidate[0].isupper() and pair.candidate.endswith(".")


def test_lee_sentences_are_well_formed_and_one_of_an_article():
    sentences = sanity.lee_sentences(40, 1)
    assert len({s.article for s in sentences}) == len({s.text for s in sentences}) == 40
    for sentence in sentences:
        assert 8 <= len(word_spans(sentence.text)) <= 30
        assert sentence.text[0].isupper() and sentence.text.endswith(".") and '"' not in sentence.text
    assert sanity.lee_sentences(15, 1) == sentences[:15]
    assert sanity.lee_sentences(15, 2) != sentences[:15]
    articles = {s.text: s.article for s in sentences}
    assert all(articles[p.source] != articles[p.candidate] for p in unrelated_pairs(sentences))


# -------------------------------------------------------------------- Tables 6 and 7


def test_shares_by_hand():
    found = sanity.shares([100, 99.4, 97.6, 96.4, 94.6, 90.0], "identical")
    assert list(found) == [95, 96, 97, 98, 99]
    assert [e.value for e in found.values()] == pytest.approx([5 / 6, 4 / 6, 3 / 6, 3 / 6, 2 / 6])
    # Wilson (1927): at 5 of 6 and 95 %.
    assert (found[95].low, found[95].high) == pytest.approx((0.4365, 0.9699), abs=5e-5)
    assert found[95].n == 6

    found = sanity.shares([0, 1.4, 2.6, 5.4, 5.6, -30.0], "unrelated")
    assert list(found) == [5, 4, 3, 2, 1]
    assert [e.value for e in found.values()] == pytest.approx([5 / 6, 4 / 6, 4 / 6, 3 / 6, 3 / 6])
    for rating in np.arange(90, 100.5, 0.5):  # halves go to even numbers
        assert (sanity.shares([rating], "identical")[97].value == 1) == (round(rating) >= 97)


def test_both_checks_for_every_measure():
    items = checks.run(checks.news_pairs(NEWS), ["token-f1", "ter", "fkgl"])
    found = checks.summary(items, "lee")
    assert set(found["row"]) == {"Token F1", "TER"}, "a school grade is no rating"
    for row in ("Token F1", "TER"):  # a rating below 0 is not clipped, and passes
        assert estimates.estimate(found, row, "word soup ≤ 1").value == 1
        assert [estimates.estimate(found, row, f"identical ≥ {at}").value for at in (95, 99)] == [1, 1]
    other = items.loc[items["kind"] == "unrelated", "token-f1"]
    assert estimates.estimate(found, "Token F1", "unrelated ≤ 5").value == np.mean(other.round() <= 5)


# -------------------------------------------------------------------- negation

NEGATED = """
The man is ill. | The man is not ill.
She was singing in the garden. | She was not singing in the garden.
They have left the city. | They have not left the city.
She has already been told. | She has not already been told.
He has a car. | He does not have a car.
He had to leave. | He did not have to leave.
She had a bad cold. | She did not have a bad cold.
We do like it. | We do not like it.
The dog barked at night. | The dog did not bark at night.
The soup tastes good. | The soup does not taste good.
They live in Paris. | They do not live in Paris.
They can come tomorrow. | They cannot come tomorrow.
She could have won the race. | She could not have won the race.
He will go home. | He will not go home.
He's going to win. | He's not going to win.
They’ve gone home. | They’ve not gone home.
We'll see. | We'll not see.
I'd like some tea. | I'd not like some tea.
John's car is red. | John's car is not red.
Did he come? | Did he not come?
Is the man a doctor? | Is the man not a doctor?
What did they say? | What did they not say?
Where is the old man going? | Where is the old man not going?
Who came to the party? | Who did not come to the party?
Open the door. | Do not open the door.
Be careful. | Do not be careful.
Let's go home. | Let's not go home.
He quickly left the room. | He did not quickly leave the room.
He walked home and slept. | He did not walk home and did not sleep.
When the rain stopped, the game began. | When the rain did not stop, the game did not begin.
He said: "We want peace." | He did not say: "We do not want peace."
There is a problem. | There is not a problem.
He can't swim. |
She never smiles. |
The threat is no longer there. |
Don't go. |
A beautiful day in the park. |
You had better go. |
"""


@pytest.mark.parametrize("line", NEGATED.strip().splitlines())
def test_negation_by_hand(line):
    before, after = line.split(" |")  # nothing after the bar: negated already, or without a finite verb
    assert sanity.edits()["negation"](before, 1, generator()) == (after.strip() or None)
    assert bool(negations(before)) == bool(after)


def test_negation_counts_verbs():
    found = [sanity.edits()["negation"]("He came, saw us and left.", dose, generator()) for dose in (0.1, 0.5, 1)]
    assert [t.count("did not") for t in found] == [1, 2, 3]


BASES = """
VBD went go took take said say cut cut led lead agreed agree died die tried try played play used use lived live
caused cause raised raise passed pass called call controlled control stopped stop added add visited visit
opened open offered offer provided provide invited invite compared compare required require created create
treated treat evaluated evaluate changed change belonged belong tasted taste walked walk handled handle argued argue
panicked panic developed develop mentioned mention combined combine judged judge measured measure served serve
quoted quote fixed fix vetoed veto completed complete targeted target freed free owed owe
VBZ is be has have goes go tries try dies die passes pass watches watch uses use rises rise fixes fix says say
focuses focus vetoes veto shoes shoe
VBP think think
VB open open
"""


@pytest.mark.parametrize("line", BASES.replace("\n", " ").replace(" VB", "\nVB").strip().splitlines())
def test_base_forms_by_hand(line):
    tag, *words = line.split()
    for form, base in zip(words[::2], words[1::2], strict=True):
        assert base_form(form, tag) == base
        assert base_form(form.capitalize(), tag) == base
    assert base_form("ironic", "VBD") is None and base_form("rapid", "VBZ") is None


@pytest.mark.usefixtures("real_data")
def test_base_forms_of_a_treebank():
    from nbhelpers.resources import data, treebank

    path = data.find("ud-english-pud").path
    pairs = {
        (t.form, t.xpos, t.lemma)
        for s in treebank.read_conllu(path)
        for t in s.tokens
        if t.xpos in ("VBD", "VBZ") and t.lemma != "be" and t.form.isalpha()
    }
    right = sum(base_form(form, tag) == lemma for form, tag, lemma in pairs)
    assert len(pairs) > 300 and right / len(pairs) > 0.98


# -------------------------------------------------------------------- the other edits

SENTENCE = "In 1999, Anna Berg sold 12 old boats, and two ships, to the city of Bergen."


def edited(kind, dose, text=SENTENCE, seed=0, names=("Oslo", "Karl Holm", "Riga", "Tom")):
    return sanity.edits(names)[kind](text, dose, generator(seed))


def test_edits_of_half_and_of_the_whole():
    half = "In 1999, Anna Berg sold 12 old boats"
    assert [edited("truncated", dose) for dose in (0.5, 1)] == [half, "In"]
    assert [edited("repeated", dose) for dose in (0.5, 1)] == [f"{SENTENCE} {half}", f"{SENTENCE} {SENTENCE}"]
    assert edited("upper-case", 1) == SENTENCE.upper()
    swapped = SENTENCE.replace("Anna Berg", "Karl Holm")
    assert edited("entity", 1) in (swapped.replace("Bergen", other) for other in ("Oslo", "Riga", "Tom"))


def test_names_are_swapped_wherever_they_stand():
    text = "Oslo is large, but Anna Berg left Oslo in May."
    new = edited("entity", 1, text, names=["Bergen", "Karl Holm"])
    assert new == "Bergen is large, but Karl Holm left Bergen in May."
    assert edited("entity", 0.5, text, names=["Bergen", "Karl Holm"]) in (
        "Bergen is large, but Anna Berg left Bergen in May.",
        "Oslo is large, but Karl Holm left Oslo in May.",
    )


def test_names_are_not_swapped_for_names_of_the_sentence():
    text = "Anna Berg left Oslo."
    assert edited("entity", 1, text, names=["Oslo", "Anna Berg", "Berg"]) is None
    assert edited("entity", 1, text, names=["Riga"]) is None, "two names, one to put in their place"
    assert edited("entity", 1, "The dog sleeps.") is None
    assert names_in([text, "She met Anna Berg in Riga."]) == ["Anna Berg", "Oslo", "Riga"]


@pytest.mark.parametrize("seed", range(20))
def test_numbers_keep_their_form(seed):
    new = edited("number", 1, "On 3 May 2001 he paid $1,250.50 for twenty-five goats, Nine cows and 7 hens.", seed)
    words = new.split()
    assert 1 <= int(words[1]) <= 28 and words[1] != "3" and words[2] == "May"
    assert 1951 <= int(words[3]) <= 2051 and words[3] != "2001"
    price = words[6]
    assert (price[0], price[2], price[6], len(price)) == ("$", ",", ".", 9) and price != "$1,250.50"
    assert "-" in words[8] and words[8] != "twenty-five"
    assert words[10] in "Two Three Four Five Six Seven Eight Ten Eleven Twelve".split()
    assert words[13] in set("2345689")


def test_typos_touch_long_words_and_never_the_first_letter():
    for seed in range(20):
        for old, new in zip(SENTENCE.split(), edited("typos", 1, seed=seed).split(), strict=True):
            assert old[0] == new[0]
            assert (old == new) == (sum(character.isalpha() for character in old) < 4)
            assert len(old) == len(new)


def test_none_where_an_edit_cannot_be_made():
    texts = {"word-order": "Rain.|no no no", "truncated": "Rain.", "upper-case": "TV 24.", "repeated": "..."}
    texts["typos"] = "He is in."
    texts["number"] = "Many men.|No one came at 4:30.|The F-16 of the 1990s won the 21st race.|On 12/10/2001."
    assert all(edited(kind, 1, text) is None for kind, some in texts.items() for text in some.split("|"))


VOCABULARY = "the dog Oslo Anna barks went 12 seven is very quickly (old) boats, and. U.S. don't it's €5 ßa".split()
english = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=12).map(" ".join)
any_text = english | st.text(min_size=1, max_size=40).filter(str.strip)
seeds = st.integers(0, 1000)
doses = st.floats(0, 1)


@given(any_text, seeds, st.sampled_from(KINDS), doses.filter(bool))
def test_an_edit_repeats_with_its_seed_and_changes_the_text_unless_the_dose_is_0(text, seed, kind, dose):
    assert edited(kind, 0, text, seed) == text
    first = edited(kind, dose, text, seed)
    assert first == edited(kind, dose, text, seed)
    assert first != text and (first is None or first.strip())


@given(any_text, seeds, doses)
def test_what_edits_keep(text, seed, dose):
    kinds = ("word-order", "truncated", "repeated", "upper-case")
    # An edit that cannot be made keeps everything.
    shuffled, short, long, upper = (edited(kind, dose, text, seed) or text for kind in kinds)
    words = [Counter(each[a:b] for a, b in word_spans(each)) for each in (text, shuffled)]
    assert words[0] == words[1] and sorted(shuffled) == sorted(text)
    assert text.startswith(short) and long.startswith(text) and upper.casefold() == text.casefold()


@given(
    st.lists(st.from_regex("[a-z]{3}", fullmatch=True), min_size=2, max_size=30, unique=True), seeds, doses.filter(bool)
)
def test_the_dose_of_shuffling_is_the_share_of_words_that_move(words, seed, dose):
    new = edited("word-order", dose, " ".join(words), seed).split()
    assert sum(a != b for a, b in zip(new, words)) == how_many(dose, len(words), least=2)


@given(english, seeds, st.sampled_from(["upper-case", "typos", "number", "negation"]), doses, doses)
def test_a_larger_dose_edits_the_same_words_and_more(text, seed, kind, one, other):
    low, high = (edited(kind, dose, text, seed) for dose in sorted((one, other)))
    whole = edited(kind, 1, text, seed)
    if None in (low, high, whole):
        assert whole is None
    elif kind == "negation":
        assert text.count("not") <= low.count("not") <= high.count("not") <= whole.count("not")
    else:
        for old, a, b, c in zip(text.split(), low.split(), high.split(), whole.split(), strict=True):
            assert a in (old, b) and b in (old, c)


@given(st.floats(0.001, 1), st.integers(1, 50))
def test_how_many_is_at_least_one_and_all_at_dose_1(share, total):
    assert 1 <= how_many(share, total) <= total
    assert how_many(1.0, total) == total
    assert abs(how_many(share, total) - share * total) <= 1


# -------------------------------------------------------------------- ratings of edits


def test_graded_edits_have_the_same_sentences_at_every_dose():
    graded = sanity.graded_edits(TEXTS, [0, 0.5, 1], seed=3)
    assert graded["kind"].unique().tolist() == KINDS
    for kind, own in graded.groupby("kind"):
        none, half, whole = (part.set_index("text")["candidate"] for _, part in own.groupby("dose"))
        assert none.index.tolist() == half.index.tolist() == whole.index.tolist() == none.tolist()
        assert (whole != whole.index).all()
        if kind == "number":
            assert none.tolist() == [TEXTS[0], TEXTS[5]]
        elif kind == "entity":
            assert none.tolist() == [TEXTS[5]], "two names of a sentence need two others, and there is one"
    assert graded.equals(sanity.graded_edits(TEXTS, [0, 0.5, 1], seed=3))
    assert not graded.equals(sanity.graded_edits(TEXTS, [0, 0.5, 1], seed=4))


def test_a_sentence_is_edited_alike_in_every_list_and_at_every_set_of_doses():
    alone, among = sanity.graded_edits([TEXTS[5]], [1.0]), sanity.graded_edits(TEXTS, [0.3, 1.0])
    assert "entity" not in set(alone["kind"]), "there is no other name"
    both = alone.merge(among, on=["kind", "dose", "text"], suffixes=("", " among others"))
    assert len(both) == len(alone) > 3 and (both["candidate"] == both["candidate among others"]).all()


def rated(some, graded):
    """Items of edits with a column `value`, more for more alike."""
    edited = sanity.edited_pairs(graded)
    values = [some(a, b) for a, b in zip(edited["text"], edited["candidate"])]
    return edited.assign(value=values, source=edited["text"])


def test_detection_is_the_area_under_the_curve():
    items = rated(same_words, sanity.graded_edits(TEXTS, [0, 0.5, 1]))  # blind to order and case, misled by typos
    whole = items[items["dose"] == 1]
    keeps = whole["kind"].isin(["upper-case", "typos", "repeated"])
    assert set(whole.loc[~keeps, "kind"]) == {"truncated", "word-order", "number", "entity", "negation"}
    expected = np.mean(
        [(a > b) + 0.5 * (a == b) for a in whole.loc[keeps, "value"] for b in whole.loc[~keeps, "value"]]
    )
    found = sanity.detection(items, "value")
    assert found.value == pytest.approx(expected) and found.low < expected < found.high
    assert found.n == len(TEXTS) and found.p is None  # whole sentences are resampled


# -------------------------------------------------------------------- bad input

TRUNCATED = rated(same_words, sanity.graded_edits(TEXTS, [0, 1])).query("kind == 'truncated'")


test_bad_input = refused(
    (lambda: unrelated_pairs([article("A cat.", "a"), article("Cats eat.", "b")]), "no unrelated sentence"),
    (lambda: unrelated_pairs([article(t, "a") for t in TEXTS]), "too many sentences are of one article"),
    (lambda: unrelated_pairs([*(article(t, "a") for t in TEXTS[:5]), NEWS[5]]), "too many sentences are of"),
    (lambda: sanity.detection(TRUNCATED, "value"), "needs both classes"),
    (lambda: sanity.detection(rated(same_words, sanity.graded_edits(TEXTS[:1], [1])), "value"), "two groups with"),
)


def test_an_added_identical_pair_is_not_taken_for_a_rated_one_with_the_same_text_twice():
    rated = [RatedPair("A b.", "A b.", 90.0, 1), RatedPair("C d.", "C e.", 40.0, 2)]
    tested = [RatedPair("A b.", "A b.", 100.0, 1), *rated, RatedPair("C d.", "x y z", 0.0, 4), rated[0]]
    csmd = SimpleNamespace(identical=[], unrelated=[], pairs=rated)
    made = checks.csmd_pairs(csmd, {"unrelated": [], "test": tested})
    assert made["kind"].tolist() == ["identical", "rated", "rated", checks.SOUP, "identical"]
