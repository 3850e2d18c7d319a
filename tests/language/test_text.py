"""The English text engine: tokens, sentences, tags, names, and its agreement with NLTK."""

import gzip
import json
import os
import subprocess
import sys
import types
import unicodedata

import numpy as np
import pytest
import text_models as text_training
from hypothesis import given, settings
from hypothesis import strategies as st

from nbhelpers import language as text
from nbhelpers.base import paths
from nbhelpers.base.errors import DataFormatError, InputError, ModelError, ParameterError, ResourceNotFoundError
from nbhelpers.language import english as english_module
from nbhelpers.language.english import SentenceSplitter
from nbhelpers.language.entities import document_names, name_spans
from nbhelpers.language.tagger import PerceptronTagger, normalize

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
        (
            "see https://example.org/a?b=c, or mail a.b@example.org.",
            "see|https://example.org/a?b=c|,|or|mail|a.b@example.org|.",
        ),
        ("What?! Wait... -- yes :-)", "What|?!|Wait|...|--|yes|:-)"),
        ("AT&T and R&D", "AT&T|and|R&D"),
    ],
)
def test_tokens_follow_the_treebank(sentence, tokens):
    assert text.tokenize(sentence) == tokens.split("|")


@pytest.mark.parametrize(
    ("sentence", "tokens"),
    [
        ("Her résumé, naïve or not, isn't Zoë's.", "Her|résumé|,|naïve|or|not|,|is|n't|Zoë|'s|."),
        ("É.U. d'été: O'Ériú & A&É", "É.U.|d'été|:|O'Ériú|&|A&É"),
        ("a co-éditeur sent résumé.pdf to é.x@exämple.org", "a|co-éditeur|sent|résumé.pdf|to|é.x@exämple.org"),
        ("fiancé n't señ't l'ś can nóta 1ś", "fiancé|n't|señ't|l'ś|can|nóta|1|ś"),
    ],
)
def test_decomposed_accents_belong_to_their_letters(sentence, tokens):
    for form in ("NFC", "NFD"):
        written = unicodedata.normalize(form, sentence)
        assert text.tokenize(written) == [unicodedata.normalize(form, token) for token in tokens.split("|")]
        assert [written[a:b] for a, b in text.token_spans(written)] == text.tokenize(written)


@given(st.text("aensét’'.-&1_ÄŚñçbc@m ", max_size=60))
@settings(max_examples=300, deadline=None)
def test_decomposed_text_has_the_tokens_of_composed_text(anything):
    composed = [unicodedata.normalize("NFD", token) for token in text.tokenize(anything)]
    assert text.tokenize(unicodedata.normalize("NFD", anything)) == composed


@given(st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_tokens_joined_are_the_text_without_white_space(anything):
    tokens = text.tokenize(anything)
    assert "".join(tokens) == "".join(anything.split())
    spans = text.token_spans(anything)
    assert [anything[a:b] for a, b in spans] == tokens
    assert all(a < b for a, b in spans)


@pytest.mark.parametrize(
    "part", ["a", "a.", "a-", "co-", "1,", "www.", "@", "a@", "n't", "_", "a&", "'", "e\u0301", "\u0301", "e\u0301-"]
)
def test_long_runs_take_linear_time(part):
    import time

    def seconds(length):
        start = time.perf_counter()
        text.tokenize(part * length)
        return time.perf_counter() - start

    seconds(100)
    # Ten times the text: quadratic time would take a hundred times as long.
    assert seconds(50_000) < 40 * max(seconds(5_000), 2e-3)


def test_texts_are_strings():
    for function in (text.tokenize, text.token_spans):
        with pytest.raises(InputError, match="a text is a string, not bytes"):
            function(b"bytes")


@pytest.mark.parametrize(
    ("word", "snowball", "porter"),
    # The published vocabularies of both algorithms: they part at "generously" and "skies".
    [
        ("generously", "generous", "gener"),
        ("skies", "sky", "ski"),
        ("Relational", "relat", "relat"),
        ("caresses", "caress", "caress"),
        ("hopping", "hop", "hop"),
        ("consistency", "consist", "consist"),
    ],
)
def test_stems_are_those_of_both_algorithms(word, snowball, porter):
    assert text.stem(word) == snowball
    assert text.stem(word, "porter") == porter


def test_stems_of_odd_words():
    assert text.stem("x" * 100_000) == "x" * 100_000
    with pytest.raises(InputError, match="'snowball' or 'porter'"):
        text.stem("word", "lancaster")


def test_stop_words_cover_the_parts_of_contractions():
    tokens = text.tokenize("I'm sure they don't, can't and won't; it's ours, you'll see that he'd've been there")
    left = [token for token in tokens if text.is_word(token) and token.lower() not in text.STOP_WORDS]
    assert left == ["sure", "see"]
    assert all(word == word.lower() for word in text.STOP_WORDS)
    content = "time year people way man government world company new say make know good first last use bill fire system"
    assert text.STOP_WORDS.isdisjoint(content.split())


def test_typographic_apostrophes_make_no_content_words():
    for sentence in ("John's car isn't red, we'd say", "The firm's O'Brien won't wait: it's ours"):
        assert text.content_stems(sentence.replace("'", "’")) == text.content_stems(sentence)
    assert text.content_stems("It’s ours, and we don’t.") == frozenset()


def test_stop_words_are_function_words_by_the_tagger(engine):
    words = sorted(word for word in text.STOP_WORDS if "'" not in word and len(word) > 2)
    tags = engine.tag([[word] for word in words])
    assert not [word for word, (tag,) in zip(words, tags, strict=True) if tag in ("NNP", "NNPS")]


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


@pytest.mark.parametrize("nothing", ["", "   ", "\n\n \n", "\t\r\n"])
def test_white_space_has_no_sentence(engine, nothing):
    assert engine.sentences(nothing) == []
    assert list(engine.analyse([nothing])) == [[]]


def test_splitter_decides_as_nltk(engine):
    from nltk.tokenize.punkt import PunktSentenceTokenizer

    splitter, _ = SentenceSplitter.load(MODELS / "sentences.json.gz")
    original = PunktSentenceTokenizer(splitter.parameters)
    generator = np.random.default_rng(0)
    words = 'Mr. Dr. U.S. etc. e.g. J. he The He said. Paris. 3. 1987. end." (see p. 5) what? No! ... "Yes." I a'
    words = words.split()
    passages = [" ".join(generator.choice(words, 40)) for _ in range(200)] + PASSAGE.split("\n\n")
    for passage in passages:
        assert splitter.spans(passage) == list(original.span_tokenize(passage))


def test_splitting_does_not_depend_on_the_clock(engine):
    # NLTK's own patterns stop after five seconds of wall time; a text of several megabytes takes longer.
    from nltk import redos

    limit, redos.DEFAULT_TIMEOUT = redos.DEFAULT_TIMEOUT, 1e-9
    try:
        assert len(engine.sentences("It rained. He left early. " * 2_000)) == 4_000
    finally:
        redos.DEFAULT_TIMEOUT = limit


# -------------------------------------------------------------------- tagger


def test_tags_of_a_sentence(engine):
    tokens = text.tokenize("The old dog quickly found two bones in Berlin.")
    assert engine.tag([tokens]) == [["DT", "JJ", "NN", "RB", "VBD", "CD", "NNS", "IN", "NNP", "."]]


@pytest.fixture(scope="module")
def taggers():
    fast = PerceptronTagger.load(MODELS / "tagger.json.gz")
    return fast, fast.to_nltk()


def test_tags_equal_nltks_with_the_same_weights(taggers, engine):
    fast, original = taggers
    generator = np.random.default_rng(1)
    vocabulary = sorted({t for t in text.tokenize(PASSAGE)} | set(fast.tag_dictionary)) + [
        "-END-",
        "-START-",
        "1999",
        "2-day",
        "zzzq",
        "Ünïcode",
        "-",
        "99",
        "qwerty's",
        "Xyzzy",
    ]
    sentences = [generator.choice(vocabulary, length).tolist() for length in generator.integers(0, 30, 300)]
    sentences += [sentence.tokens for sentence in next(engine.analyse([PASSAGE]))]
    assert fast.tag(sentences) == [[tag for _, tag in original.tag(sentence)] for sentence in sentences]


@given(st.lists(st.lists(st.text(min_size=1, max_size=6), max_size=8), max_size=5))
@settings(max_examples=100, deadline=None)
def test_tags_of_odd_tokens_equal_nltks(sentences):
    fast = _small_tagger()
    original = fast.to_nltk()
    assert fast.tag(sentences) == [[tag for _, tag in original.tag(sentence)] for sentence in sentences]


def _small_tagger() -> PerceptronTagger:
    weights = {
        "bias": {"A": 0.1, "B": 0.1},
        "i suffix a": {"A": 0.3, "B": 0.1},
        "i-1 tag A": {"B": 0.2},
        "i-1 suffix a": {"B": -0.1, "C": 0.7},
        "i-1 tag+i word A b": {"C": 0.3},
        "i+1 word -END-": {"C": 0.1},
        "i-2 word -start-": {"A": 5.0},  # no token may pass for a mark
        "i-2 word -START-": {"B": 0.2},
    }
    return PerceptronTagger(weights, {"the": "C"}, ["A", "B", "C"])


def test_ties_are_decided_as_nltk_decides_them():
    # 0.1 + 0.2 is a little more than 0.3 in floating point, in whichever order NLTK adds: whole thousandths tie.
    weights = {
        "bias": {"A": 0.1, "B": 0.3},
        "i word x": {"A": 0.2},
        "i suffix y": {"A": 0.2, "C": 0.3},
    }
    fast = PerceptronTagger(weights, {}, ["A", "B", "C"])
    sentences = [["x"], ["y"], ["z"], ["x", "y", "z", "y"]]
    assert fast.tag(sentences) == [[tag for _, tag in fast.to_nltk().tag(sentence)] for sentence in sentences]
    assert fast.tag([["x"]]) == [["A"]]  # 0.30000000000000004 beats 0.3


def test_a_tag_does_not_depend_on_the_other_sentences(taggers, engine):
    fast, _ = taggers
    sentences = [sentence.tokens for sentence in next(engine.analyse([PASSAGE]))]
    alone = [fast.tag([sentence])[0] for sentence in sentences]
    assert fast.tag(sentences) == alone
    assert fast.tag(sentences[::-1]) == alone[::-1]
    assert fast.tag([[], *sentences, []]) == [[], *alone, []]
    many = sentences * 400  # several blocks
    assert fast.tag(many) == alone * 400


def test_normalisation_is_nltks(taggers):
    _, original = taggers
    for word in ["Word", "1999", "19", "3rd", "a-b", "-a", "-", "", "ÉTÉ", "20.5"]:
        assert normalize(word) == original.normalize(word)


def test_a_tagger_survives_its_file(tmp_path):
    fast = _small_tagger()
    for name in ("model.json", "model.json.gz"):
        fast.save(tmp_path / name)
        again = PerceptronTagger.load(tmp_path / name)
        assert again.weights() == fast.weights()
        assert again.tag_dictionary == fast.tag_dictionary
        assert again.tags == fast.tags
        first = (tmp_path / name).read_bytes()
        again.save(tmp_path / name)
        assert (tmp_path / name).read_bytes() == first


def test_bad_taggers_and_bad_tokens(tmp_path):
    fast = _small_tagger()
    with pytest.raises(InputError, match="lists of tokens, not strings"):
        fast.tag(["a sentence"])
    with pytest.raises(InputError, match="tokens are strings, not int"):
        fast.tag([["a", 3]])
    assert fast.tag([["a"]]) == PerceptronTagger.tag(_small_tagger(), [["a"]])  # it goes on after the error
    with pytest.raises(InputError, match="tokens are strings"):
        fast.tag([["a", ["b"]]])
    with pytest.raises(ModelError, match="not a whole number of thousandths"):
        PerceptronTagger({"bias": {"A": 0.00049}}, {}, ["A"])
    with pytest.raises(ModelError, match="not among its classes"):
        PerceptronTagger({"bias": {"B": 0.1}}, {}, ["A"])
    for content in (b"{}", b"[1]", b"not json", b'{"format": "other"}'):
        (tmp_path / "bad.json").write_bytes(content)
        with pytest.raises(DataFormatError, match="not a perceptron tagger"):
            PerceptronTagger.load(tmp_path / "bad.json")
    (tmp_path / "bad.json.gz").write_bytes((MODELS / "tagger.json.gz").read_bytes()[:5000])
    with pytest.raises(DataFormatError, match="not a perceptron tagger"):
        PerceptronTagger.load(tmp_path / "bad.json.gz")


def test_typographic_marks_are_tagged_as_plain_ones(engine):
    plain = '"We don\'t know," she said -- twice.'
    fancy = "“We don’t know,” she said — twice."
    assert engine.tag([text.tokenize(fancy)]) == engine.tag([text.tokenize(plain)])


def test_coarse_tags():
    assert [text.coarse_tag(tag) for tag in ("NN", "NNP", "VBD", "MD", "JJR", "''", "nonsense")] == [
        "NOUN",
        "PROPN",
        "VERB",
        "AUX",
        "ADJ",
        "PUNCT",
        "X",
    ]


# -------------------------------------------------------------------- names


def _names(engine, sentence):
    return [name for found in engine.analyse([sentence]) for part in found for name in part.name_texts()]


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("President Anna Lind met Mr. Okoro in Lagos on Friday.", ["Anna Lind", "Okoro", "Lagos"]),
        ("The Bank of England and the University of Leeds agreed.", ["Bank of England", "University of Leeds"]),
        ("Ludwig van Beethoven was born in Bonn.", ["Ludwig van Beethoven", "Bonn"]),
        ("Prices rose in January.", []),
        ("Many Germans live in Spain.", ["Germans", "Spain"]),
        ("They flew to The Hague.", ["The Hague"]),
        ("It was raining.", []),
    ],
)
def test_names_in_sentences(engine, sentence, names):
    assert _names(engine, sentence) == names


def test_names_by_rule():
    # The rules alone, on given tags.
    assert name_spans(["Rolls", "-", "Royce"], ["NNP", "HYPH", "NNP"]) == [(0, 3)]
    assert name_spans(["Monday"], ["NNP"]) == []
    assert name_spans(["Mr."], ["NNP"]) == []
    assert name_spans(["Children", "sleep"], ["NNP", "VBP"], {"children"}) == []
    assert name_spans(["Yukos", "paid"], ["NN", "VBD"], {"children"}) == [(0, 1)]
    assert name_spans(["he", "saw", "Ebro"], ["PRP", "VBD", "NN"]) == [(2, 3)]
    assert name_spans([], []) == []
    assert document_names([["Oslo"], []], [["NNP"], []]) == [[(0, 1)], []]


def test_measured_names_are_those_of_the_card(engine):
    rows = text_training.read_names(paths.data_dir() / "corpus" / "entities-en.jsonl")
    stored = json.loads((MODELS / "accuracy.json").read_text())["shipped"]
    for part in ("dev", "test"):
        measured = text_training.measure_names(engine, [row for row in rows if row["part"] == part])
        assert {key: round(value, 6) for key, value in measured.items()} == stored[f"names, F | entities-en {part}"]
    assert stored["names, F | entities-en test"]["value"] > 0.9


def test_the_card_shows_the_measures():
    stored = json.loads((MODELS / "accuracy.json").read_text())
    card = (MODELS / "README.md").read_text()
    assert text_training.render_table(stored) in card
    assert stored["shipped"]["Penn tags | en_ewt-ud-test"]["value"] > 0.93
    assert sum(file.stat().st_size for file in MODELS.iterdir()) < 3_000_000
    assert not [file for file in MODELS.iterdir() if "pickle" in file.name or file.suffix == ".pkl"]


@pytest.mark.parametrize("name", ["ud-english-ewt-test", "ud-english-pud"])
def test_measured_tags_are_those_of_the_card(engine, name):
    from nbhelpers.resources import data

    try:
        path = data.find(name, allow_shipped=False).path
    except ResourceNotFoundError:
        pytest.skip(f"{name} is not at hand (set NBHELPERS_DATA)")
    stored = json.loads((MODELS / "accuracy.json").read_text())["shipped"]
    measured = text_training.measure_tags(engine, text_training.read_treebank(path))
    label = path.name.split(".")[0]
    assert round(measured["value"], 6) == stored[f"Penn tags | {label}"]["value"]


# -------------------------------------------------------------------- the engine


def test_analysis_is_consistent(engine):
    (sentences,) = engine.analyse([PASSAGE])
    for sentence in sentences:
        assert PASSAGE[sentence.start : sentence.start + len(sentence.text)] == sentence.text
        assert "".join(sentence.tokens) == "".join(sentence.text.split())
        assert len(sentence.tags) == len(sentence.tokens)
        assert all(0 <= first < last <= len(sentence.tokens) for first, last in sentence.names)
    assert sentences[0].name_texts() == ["Tanaka", "Osaka"]


def test_analysis_does_not_depend_on_the_batch(engine):
    texts = PASSAGE.split(". ") * 3
    assert list(engine.analyse(texts)) == list(engine.analyse(texts, characters_at_once=1))


def test_the_engine_says_what_it_is(engine):
    assert engine.backend == "shipped"
    assert engine.signature.startswith("text:shipped@")
    assert "UD English EWT" in engine.description
    assert text.load_english() is engine
    with pytest.raises(InputError, match="put a single text into a list"):
        list(engine.analyse("one text"))
    with pytest.raises(InputError, match="a text is a string, not int"):
        list(engine.analyse([3]))


def test_unknown_and_missing_backends(tmp_path, monkeypatch):
    import nltk

    with pytest.raises(ParameterError, match="backend is one of shipped, nltk, spacy, auto"):
        text.load_english("stanza")
    with pytest.raises(ResourceNotFoundError, match="text_models"):
        text.load_english(path=tmp_path)
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    monkeypatch.setitem(sys.modules, "spacy", None)  # import spacy fails
    english_module._load_nltk.cache_clear()
    english_module._load_spacy.cache_clear()
    with pytest.raises(ResourceNotFoundError, match="nltk.downloader punkt_tab"):
        text.load_english("nltk")
    with pytest.raises(ResourceNotFoundError, match="spacy download en_core_web_sm"):
        text.load_english("spacy")
    assert text.load_english("auto").backend == "shipped"


def _nltk_folders():
    folders = [os.environ.get("NLTK_DATA", "")]
    folders += [os.path.join(folder, "nltk_data") for folder in os.environ.get("NBHELPERS_DATA", "").split(":")]
    return [f for f in folders if f and os.path.isdir(os.path.join(f, "tokenizers", "punkt_tab"))]


@pytest.mark.skipif(not _nltk_folders(), reason="NLTK's punkt_tab is not at hand (set NBHELPERS_DATA or NLTK_DATA)")
def test_nltk_backend_uses_nltks_models(monkeypatch):
    import nltk
    from nltk.tag.perceptron import PerceptronTagger as NltkTagger
    from nltk.tokenize.punkt import PunktTokenizer

    monkeypatch.setattr(nltk.data, "path", _nltk_folders())
    english_module._load_nltk.cache_clear()
    engine = text.load_english("nltk")
    passage = PASSAGE.split("\n\n")[0]
    assert engine.sentences(passage) == PunktTokenizer("english").tokenize(passage)
    tokens = engine.tokenize("The old dog didn't find two well-known bones.")
    assert tokens == ["The", "old", "dog", "did", "n't", "find", "two", "well-known", "bones", "."]
    assert engine.tag([tokens]) == [[tag for _, tag in NltkTagger().tag(tokens)]]
    assert engine.signature.startswith("text:nltk-")
    quoted = engine.tag([["He", "said", '"', "no", '"', "."]])[0]
    assert quoted[2] == "``" and quoted[4] == "''"
    english_module._load_nltk.cache_clear()


def test_spacy_backend(monkeypatch):
    """A stand-in with the parts of spaCy's interface that the engine uses."""

    class Token:
        is_space = False

        def __init__(self, i, idx, text, tag):
            self.i, self.idx, self.text, self.tag_ = i, idx, text, tag
            self.is_space = text.isspace()

    class Entity(list):
        label_ = "GPE"

    class Date(list):
        label_ = "DATE"

    class Span(list):
        ents = ()

    class Doc:
        def __init__(self, text):
            self.text = text
            words, place = [], 0
            for number, word in enumerate(text.split(" ")):
                words.append(Token(number, place, word, "NNP" if word[:1].isupper() else "NN"))
                place += len(word) + 1
            sentence = Span(words)
            sentence.ents = (Entity(words[2:3]), Date(words[4:5]))
            self.sents = [sentence]

    class Pipeline:
        meta = {"version": "1.0"}

        def __call__(self, text):
            return Doc(text)

        def pipe(self, texts):
            return (Doc(text) for text in texts)

        def make_doc(self, text):
            return Doc(text).sents[0]

    module = types.ModuleType("spacy")
    module.__version__, module.load = "9.9", lambda name: Pipeline()
    monkeypatch.setitem(sys.modules, "spacy", module)
    english_module._load_spacy.cache_clear()
    engine = text.load_english("auto")
    assert engine.signature == "text:spacy-9.9:en_core_web_sm-1.0"
    ((sentence,),) = engine.analyse(["went to Rome on Monday"])
    assert sentence.tokens == ["went", "to", "Rome", "on", "Monday"]
    assert sentence.name_texts() == ["Rome"]  # dates are no names
    assert engine.sentences("went to Rome on Monday") == ["went to Rome on Monday"]
    assert engine.tokenize("went to Rome") == ["went", "to", "Rome"]
    with pytest.raises(InputError, match="use analyse"):
        engine.names([["a"]], [["NN"]])
    english_module._load_spacy.cache_clear()


def test_damaged_sentence_models_are_refused(tmp_path):
    for content in (b"", b"no gzip", gzip.compress(b"{}"), gzip.compress(b'{"format": "other"}')):
        (tmp_path / "sentences.json.gz").write_bytes(content)
        with pytest.raises(DataFormatError, match="not a sentence model"):
            SentenceSplitter.load(tmp_path / "sentences.json.gz")


def test_importing_is_cheap():
    heavy = ("nltk", "torch", "sklearn", "scipy", "pandas")
    code = f"import sys, nbhelpers.language; print([name for name in {heavy} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=paths.ROOT, check=True)
    assert result.stdout.strip() == "[]"


# -------------------------------------------------------------------- training

TINY = "".join(
    f"# newpar id = {n}\n# text = {a} {b} {c}.\n1\t{a}\t_\t_\tDT\t_\t_\t_\t_\t_\n2\t{b}\t_\t_\tNN\t_\t_\t_\t_\t_\n"
    f"3\t{c}\t_\t_\tVBZ\t_\t_\t_\t_\tSpaceAfter=No\n4\t.\t_\t_\t.\t_\t_\t_\t_\t_\n\n"
    for n, (a, b, c) in enumerate([("The", "dog", "barks"), ("A", "cat", "sleeps"), ("The", "bird", "sings")] * 4)
)


def test_training_learns_and_repeats(tmp_path):
    (tmp_path / "tiny.conllu").write_text(TINY, encoding="utf-8")
    paragraphs = ["Mr. Fox met Mr. Hen. The dog sleeps. " * 20, "A cat saw Mr. Fox. The bird sings. " * 20]
    articles = {"paragraphs": paragraphs}
    (tmp_path / "text.jsonl").write_text(json.dumps(articles) + "\n", encoding="utf-8")
    arguments = ["train", "--treebank", str(tmp_path / "tiny.conllu"), "--text", str(tmp_path / "text.jsonl"), "--out"]
    assert text_training.main([*arguments, str(tmp_path / "first")]) == 0
    assert text_training.main([*arguments, str(tmp_path / "second")]) == 0
    for name in ("tagger.json.gz", "sentences.json.gz"):
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes()
    engine = text.load_english(path=tmp_path / "first")
    sentences = text_training.read_treebank(tmp_path / "tiny.conllu")
    assert text_training.measure_tags(engine, sentences)["value"] == 1.0
    assert text_training.measure_tokens(engine, sentences)["value"] == 1.0
    assert engine.sentences("Mr. Fox sings. A cat sleeps.") == ["Mr. Fox sings.", "A cat sleeps."]


def test_sentence_ends_are_measured_inside_paragraphs(engine):
    make = text_training.TreebankSentence
    sentences = [make("He slept.", (), (), True), make("she left", (), (), False), make("It rained.", (), (), True)]
    measured = text_training.measure_sentences(engine, sentences)
    # One end to find, between "slept." and "she": a small letter follows, so it is missed.
    assert (measured["n"], measured["value"]) in {(1, 0.0), (1, 1.0)}
    found = len(engine.sentences("He slept. she left")) == 2
    assert measured["value"] == float(found)


def test_broken_training_files_name_the_line(tmp_path, capsys):
    (tmp_path / "bad.conllu").write_text("# text = x\n1\tx\tx\n", encoding="utf-8")
    with pytest.raises(DataFormatError, match="line 2: 3 tab-separated columns"):
        text_training.read_treebank(tmp_path / "bad.conllu")
    (tmp_path / "bad.jsonl").write_text('{"paragraphs": ["a"]}\n{"text": 1}\n', encoding="utf-8")
    with pytest.raises(DataFormatError, match="line 2: not an article"):
        text_training.read_paragraphs(tmp_path / "bad.jsonl", 10)
    (tmp_path / "names.jsonl").write_text('{"text": "Oslo", "entities": [[0, 9]]}\n', encoding="utf-8")
    with pytest.raises(DataFormatError, match="line 1: .*outside its sentence"):
        text_training.read_names(tmp_path / "names.jsonl")
    arguments = ["train", "--treebank", str(tmp_path / "bad.conllu"), "--text", "x", "--out", str(tmp_path)]
    assert text_training.main(arguments) == 1
    assert "3 tab-separated columns" in capsys.readouterr().err
