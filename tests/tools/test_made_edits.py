"""Edits made for training: what keeps the meaning, its damaging partner, and a dictionary of a few lines."""

import random

import pytest
from made_edits import MadeEdits, inflected, noisy, number_words

from nbhelpers.resources.challenge import normalized

ADJECTIVES = """\
00000001 00 a 02 safe 0 secure 0 001 ! 00000002 a 0101 | free from danger
00000002 00 a 01 unsafe 0 001 ! 00000001 a 0101 | dangerous
"""
INDEX = """\
  a remark
safe a 1 1 ! 1 1 00000001
secure a 1 0 1 1 00000001
unsafe a 1 1 ! 1 1 00000002
"""


@pytest.fixture(scope="module")
def edits(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wordnet")
    for name in ("noun", "verb", "adj", "adv"):
        (folder / f"index.{name}").write_text(INDEX if name == "adj" else "")
        (folder / f"data.{name}").write_text(ADJECTIVES if name == "adj" else "")
    return MadeEdits.load(folder)


def test_words_of_one_first_sense_are_synonyms_and_pointers_are_antonyms(edits):
    assert edits.synonyms["a", "safe"][:1] == ["secure"] and edits.synonyms["a", "secure"][:1] == ["safe"]
    assert edits.antonyms == {("a", "safe"): ["unsafe"], ("a", "unsafe"): ["safe"]}
    assert "mishap" in edits.synonyms["n", "accident"]  # the project's own


@pytest.mark.parametrize(
    ("name", "text", "edited"),
    [
        ("synonym", "It is safe.", "It is secure."),
        ("opposite", "The road is safe.", "The road is unsafe."),
        ("opposite_denied", "The road is safe.", "The road is not unsafe."),
        ("opposite_denied", "The road is not safe.", "The road is unsafe."),
        ("passive", "The dog chased the cat in the park.", "The cat was chased by the dog in the park."),
        ("coordination", "He saw cats and dogs.", "He saw dogs and cats."),
        ("coordination", "Two men are eating.", None),
        ("clause", "The old ferry sank because the storm came.", "Because the storm came, the old ferry sank."),
        ("turned", "It rose.", "It fell."),
        ("otherwise", "They left despite the rain.", "They left because of the rain."),
        ("otherwise", "A few of them left.", "Few of them left."),
        ("scope", "Members can only vote.", "Only members can vote."),
        ("scope", "They left early.", None),
        ("tense", "The road is safe.", None),
        ("number", "They left early.", None),
    ],
)
def test_an_edit(edits, name, text, edited):
    made = getattr(edits, name)(edits.read([text])[0], random.Random(0))
    assert made == edited


def test_a_negation_is_taken_back(edits):
    for text, denied in (("She won.", "She did not win."), ("It can fly.", "It can not fly.")):
        (read,) = edits.read([text])
        assert read.replaced([edits._negation(read)]) == denied
        again = edits.read_again(denied)
        assert "not" not in again.replaced([edits._negation(again)])


def test_exchanged_roles_keep_the_words(edits):
    (read,) = edits.read(["The dog chased the cat."])
    made = {edits.roles(read, random.Random(seed)) for seed in range(20)}
    assert made <= {"The cat chased the dog.", "The dog was chased by the cat."} and len(made) == 2


def test_a_damaged_sentence_has_other_words_or_another_order(edits):
    for read in edits.read(["The old dog saw two red birds before the rain.", "He sold the boat in 1984."]):
        for seed in range(30):
            text, kind = edits.damaged(read, random.Random(seed))
            assert normalized(text) != normalized(read.text) and kind in edits.DAMAGES


def test_forms_and_numbers():
    assert [inflected("carry", tag) for tag in ("VBZ", "VBD", "VBG")] == ["carries", "carried", "carrying"]
    others = {("write", "VBN"): "written", ("stop", "VBD"): "stopped", ("woman", "NNS"): "women"}
    assert {word: inflected(*word) for word in others} == others
    assert [number_words(n) for n in (0, 19, 20, 57)] == ["zero", "nineteen", "twenty", "fifty-seven"]


def test_noise_keeps_nearly_all_letters():
    text = "The old dog saw two well-fed birds, before the rain."
    made = {noisy(text, random.Random(seed)) for seed in range(60)} - {text}
    letters = sorted(normalized(text).replace(" ", ""))
    differences = [
        len(set(enumerate(letters)) ^ set(enumerate(sorted(normalized(one).replace(" ", ""))))) for one in made
    ]
    assert len(made) > 10 and sum(difference == 0 for difference in differences) > 8
    assert all(abs(len(one) - len(text)) < 12 for one in made)
