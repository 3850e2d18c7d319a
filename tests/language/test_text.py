"""The English text engine: tokens, sentences, tags, names, and its agreement with NLTK."""

import json
import time
import unicodedata

import numpy as np
import pandas as pd
import pytest
import text_models
from hypothesis import given
from hypothesis import strategies as st

from nbhelpers import language as text
from nbhelpers.base import paths
from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError
from nbhelpers.base.files import open_text
from nbhelpers.language.english import as_tagger_sees, tagger_of
from nbhelpers.language.entities import name_spans

MODELS = paths.data_dir() / "models" / "text-en"

PASSAGE = (
    "Mr. Tanaka left Osaka at 4:30 p.m. on Monday. He wasn't late: the train, built in 1987, cost $2.5m. "
    '"We won\'t wait," said Dr. A. B. Lind. Did the U.S. delegation agree? No one knew... The long-term plan (see '
    "Fig. 3) was O'Brien's idea. The women’s team didn’t win; it can't be helped.\n\nA new paragraph starts here"
)


@pytest.fixture(scope="module")
def engine():
    return text.load_english()


# -------------------------------------------------------------------- tokens


@pytest.mark.parametrize(
    ("sentence", "tokens"),
    [
        ("I don't know.", "I|do|n't|know|."),
        ("John's car can’t stop, he'd said.", "John|'s|car|ca|n’t|stop|,|he|'d|said|."),
        ("We cannot go; they gonna stay.", "We|can|not|go|;|they|gon|na|stay|."),
        ("The U.S. and Dr. No met at 4:30 p.m.", "The|U.S.|and|Dr.|No|met|at|4:30|p.m."),
        ("It cost $1.13bn (£600m), up 76%.", "It|cost|$|1.13|bn|(|£|600|m|)|,|up|76|%|."),
        ("a long-term co-author of O'Brien", "a|long|-|term|co-author|of|O'Brien"),
        ("in the 1990s, on 21st May 10/11/2004", "in|the|1990s|,|on|21st|May|10/11/2004"),
        ("see https://example.org/a?b=c, or a.b@x.org.", "see|https://example.org/a?b=c|,|or|a.b@x.org|."),
        ("What?! Wait... -- yes :-)", "What|?!|Wait|...|--|yes|:-)"),
        ("AT&T and R&D", "AT&T|and|R&D"),
        ("Her résumé, naïve or not, isn't Zoë's.", "Her|résumé|,|naïve|or|not|,|is|n't|Zoë|'s|."),
        ("É.U. d'été: O'Ériú & A&É", "É.U.|d'été|:|O'Ériú|&|A&É"),
        ("a co-éditeur sent résumé.pdf to é.x@exämple.org", "a|co-éditeur|sent|résumé.pdf|to|é.x@exämple.org"),
        ("fiancé n't señ't l'ś can nóta 1ś", "fiancé|n't|señ't|l'ś|can|nóta|1|ś"),
    ],
)
def test_tokens_follow_the_treebank_and_decomposed_accents_belong_to_their_letters(sentence, tokens):
    for form in ("NFC", "NFD"):
        written = unicodedata.normalize(form, sentence)
        assert text.tokenize(written) == [unicodedata.normalize(form, token) for token in tokens.split("|")]
        assert [written[a:b] for a, b in text.token_spans(written)] == text.tokenize(written)


@given(st.text("aensét’'.-&1_ÄŚñçbc@m ", max_size=60))
def test_decomposed_text_has_the_tokens_of_composed_text(anything):
    composed = [unicodedata.normalize("NFD", token) for token in text.tokenize(anything)]
    assert text.tokenize(unicodedata.normalize("NFD", anything)) == composed


@given(st.text(max_size=80))
def test_tokens_joined_are_the_text_without_white_space(anything):
    tokens = text.tokenize(anything)
    assert "".join(tokens) == "".join(anything.split())
    spans = text.token_spans(anything)
    assert [anything[a:b] for a, b in spans] == tokens
    assert all(a < b for a, b in spans)


@pytest.mark.parametrize("part", ["a", "a.", "co-", "1,", "www.", "a@", "n't", "a&", "'", "\u0301", "e\u0301-"])
def test_long_runs_take_linear_time(part):
    def seconds(length):
        start = time.process_time()
        text.tokenize(part * length)
        return time.process_time() - start

    seconds(100)
    # Ten times the text: quadratic time would take a hundred times as long.
    assert seconds(50_000) < 40 * max(seconds(5_000), 2e-3)


def test_stems():
    words = "generously skies Relational caresses hopping consistency".split() + ["x" * 100_000]  # in no time
    # In the first two Snowball's English stemmer differs from Porter's first one.
    stems = "generous sky relat caress hop consist".split() + ["x" * 100_000]
    assert [text.stem(word) for word in words] == stems


def test_stop_words_cover_the_parts_of_contractions():
    tokens = text.tokenize("I'm sure they don't, can't and won't; it's ours, you'll see that he'd've been there")
    left = [token for token in tokens if text.is_word(token) and token.lower() not in text.STOP_WORDS]
    assert left == ["sure", "see"]


def test_typographic_apostrophes_make_no_content_words():
    for sentence in ("John's car isn't red, we'd say", "The firm's O'Brien won't wait: it's ours"):
        assert text.content_stems(sentence.replace("'", "’")) == text.content_stems(sentence)
    assert text.content_stems("It’s ours, and we don’t.") == frozenset()


# -------------------------------------------------------------------- sentences


def test_sentences_of_a_passage(engine):
    assert engine.sentences(PASSAGE) == [
        "Mr. Tanaka left Osaka at 4:30 p.m. on Monday.",
        "He wasn't late: the train, built in 1987, cost $2.5m.",
        '"We won\'t wait," said Dr. A. B. Lind.',
        "Did the U.S. delegation agree?",
        "No one knew...",
        "The long-term plan (see Fig. 3) was O'Brien's idea.",
        "The women’s team didn’t win; it can't be helped.",
        "A new paragraph starts here",
    ]
    assert [PASSAGE[a:b] for a, b in engine.sentence_spans(PASSAGE)] == engine.sentences(PASSAGE)


def test_white_space_has_no_sentence(engine):
    assert list(engine.analyse(["", "   ", "\n\n \n", "\t\r\n"])) == [[], [], [], []]


# -------------------------------------------------------------------- tagger


def test_tags_of_a_sentence(engine):
    tokens = text.tokenize("The old dog quickly found two bones in Berlin.")
    assert engine.tag([tokens, []]) == [["DT", "JJ", "NN", "RB", "VBD", "CD", "NNS", "IN", "NNP", "."], []]
    with pytest.raises(InputError, match="lists of tokens, not strings"):
        engine.tag(["a sentence"])


def as_nltk(stored):
    """NLTK's own tagger with the same weights in its own form."""
    from nltk.tag.perceptron import PerceptronTagger

    weights, entries = {}, iter(zip(stored["columns"], stored["weights"]))
    names = [group + rest for group, rests in stored["features"].items() for rest in rests]
    for name, count in zip(names, stored["weights_per_feature"]):
        row = [next(entries) for _ in range(count)]
        weights[name] = {stored["tags"][column]: weight / 1000 for column, weight in row}
    tagger = PerceptronTagger(load=False)
    dictionary = {word: tag for tag, words in stored["tag_dictionary"].items() for word in words}
    tagger.decode_json_params((weights, dictionary, stored["tags"]))
    return tagger


def test_tags_equal_nltks_with_the_same_weights(engine):
    with open_text(MODELS / "tagger.json.gz") as stream:
        stored = json.loads(stream.read())
    fast, original = tagger_of(stored), as_nltk(stored)
    odd = ["-END-", "-START-", "1999", "2-day", "zzzq", "Ünïcode", "-", "99", "qwerty's", "Xyzzy"]
    vocabulary = sorted({*text.tokenize(PASSAGE), *fast.tagdict, *odd})
    generator = np.random.default_rng(1)
    sentences = [generator.choice(vocabulary, length).tolist() for length in generator.integers(0, 30, 300)]
    sentences += [sentence.tokens for sentence in next(engine.analyse([PASSAGE]))]
    assert [fast.tag(sentence) for sentence in sentences] == [original.tag(sentence) for sentence in sentences]


SMALL = {
    "bias": {"A": 0.1, "B": 0.3},
    "i suffix a": {"A": 0.3, "B": 0.1},
    "i word x": {"A": 0.2},  # 0.1 + 0.2 is a little more than 0.3 in floating point: NLTK takes A
    "i suffix y": {"A": 0.2, "C": 0.3},
    "i-1 tag A": {"B": 0.2},
    "i-1 suffix a": {"B": -0.1, "C": 0.7},
    "i-1 tag+i word A b": {"C": 0.3},
    "i+1 word -END-": {"C": 0.1},
    "i-2 word -START-": {"B": 0.2},
}


@given(st.lists(st.text("xyzab1-A", min_size=1, max_size=6), max_size=8))
def test_tags_of_odd_tokens_and_ties_equal_nltks(sentence):
    stored = json.loads(json.dumps(text_models.packed_tagger(SMALL, {"the": "C"}, {"A", "B", "C"})))
    for tokens in (sentence, ["x"], ["x", "y", "z", "y"]):
        assert tagger_of(stored).tag(tokens) == as_nltk(stored).tag(tokens)


def test_typographic_marks_are_tagged_as_plain_ones(engine):
    plain, fancy = '"We don\'t know," she said -- twice.', "“We don’t know,” she said — twice."
    assert as_tagger_sees(text.tokenize(fancy)) == text.tokenize(plain)
    assert engine.tag([text.tokenize(fancy)]) == engine.tag([text.tokenize(plain)])


# -------------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("President Anna Lind met Mr. Okoro in Lagos on Friday.", ["Anna Lind", "Okoro", "Lagos"]),
        ("The Bank of England and the University of Leeds agreed.", ["Bank of England", "University of Leeds"]),
        ("Ludwig van Beethoven was born in Bonn.", ["Ludwig van Beethoven", "Bonn"]),
        ("Many Germans live in Spain.", ["Germans", "Spain"]),
        ("They flew to The Hague.", ["The Hague"]),
    ],
)
def test_names_in_sentences(engine, sentence, names):
    assert [name for part in next(engine.analyse([sentence])) for name in part.name_texts()] == names


def test_names_by_rule():
    assert name_spans(["Monday"], ["NNP"]) == []
    assert name_spans(["Children", "sleep"], ["NNP", "VBP"], {"children"}) == []
    assert name_spans(["Yukos", "paid"], ["NN", "VBD"], {"children"}) == [(0, 1)]
    assert name_spans(["he", "saw", "Ebro"], ["PRP", "VBD", "NN"]) == [(2, 3)]
    assert name_spans(["Peak", "of", "the", "Isles"], ["NNP", "IN", "DT", "NNPS"]) == [(0, 1), (3, 4)]
    assert name_spans(["War", "of", "the", "Roses"], ["NNP", "IN", "DT", "NNPS"]) == [(0, 4)]


# -------------------------------------------------------------------- the engine


@pytest.fixture(scope="module")
def accuracy():
    return json.loads((MODELS / "accuracy.json").read_text())


def test_measured_names_are_those_of_the_card(engine, accuracy):
    rows = pd.read_json(paths.data_dir() / "corpus" / "entities-en.jsonl", lines=True)
    for part, some in rows.groupby("part"):
        measured = text_models.measure_names(engine, some["text"], some["entities"])
        found = {key: round(value, 6) for key, value in measured.items()}
        assert found == accuracy["shipped"][f"names, F | entities-en {part}"]
    assert accuracy["shipped"]["names, F | entities-en test"]["value"] > 0.9


def test_the_card_shows_the_measures(accuracy):
    assert text_models.render_table(accuracy) in (MODELS / "README.md").read_text()
    assert accuracy["shipped"]["Penn tags | en_ewt-ud-test"]["value"] > 0.93
    assert {file.suffix for file in MODELS.iterdir()} == {".gz", ".json", ".md"}


def test_analysis_is_consistent(engine):
    (sentences,) = engine.analyse([PASSAGE])
    for sentence in sentences:
        assert PASSAGE[sentence.start : sentence.start + len(sentence.text)] == sentence.text
        assert sentence.tokens == text.tokenize(sentence.text)
        assert [sentence.tags] == engine.tag([sentence.tokens])
        assert all(0 <= first < last <= len(sentence.tokens) for first, last in sentence.names)
    assert sentences[0].name_texts() == ["Tanaka", "Osaka"]
    with pytest.raises(InputError, match="put a single text into a list"):
        list(engine.analyse("one text"))


@pytest.mark.parametrize("name", ["tagger.json.gz", "sentences.json.gz"])
def test_missing_and_damaged_models_are_refused(tmp_path, name):
    for file in MODELS.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    whole = (MODELS / name).read_bytes()
    for content in (b"no json", b'{"format": "other"}', b"[1]", whole[:5000]):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(DataFormatError, match=name):
            text.load_english(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(ResourceNotFoundError, match=name):
        text.load_english(tmp_path)
