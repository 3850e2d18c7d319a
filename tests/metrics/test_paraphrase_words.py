"""Words of the paraphrase study: tokens, parts of speech, inflection."""

import unicodedata

import pytest
from refused import refused

from nbhelpers.language.inflection import IRREGULAR, english_lemmas
from nbhelpers.metrics.paraphrase import tokens
from nbhelpers.metrics.paraphrase.tokens import coarse_tags, japanese_readings, japanese_words, tokenize
from nbhelpers.metrics.paraphrase.variants import load_variants
from nbhelpers.metrics.paraphrase.wordnet import load_wordnet

# ------------------------------------------------------------------------------------------------------- tokens


def test_english_words():
    text = "Don’t e-mail John's long-term co-author 1,000 times, at 4:30 — U.S. style!"
    expected = "do n't e-mail john 's long term co-author 1,000 times at 4:30 u.s. style"
    assert tokenize(text, "en") == tuple(expected.split())
    accents = "the résumé of zoë a naïve co-éditeur"
    assert tokenize(unicodedata.normalize("NFD", accents), "en") == tuple(accents.split())
    assert tokenize("", "en") == tokenize(" … !", "en") == tokenize("。", "ja") == ()


def test_japanese_words_know_their_forms():
    # Normalised forms that Sudachi's documentation lists: okurigana, kanji, foreign word, misspelling.
    normalized = {"打込む": "打ち込む", "附属": "付属", "SUMMER": "サマー", "シュミレーション": "シミュレーション"}
    assert {text: japanese_words(text)[0].normalized_form for text in normalized} == normalized
    word = japanese_words("駅に行った。")[2]
    assert word[:2] == ("行っ", "行く") and word.part_of_speech[0] == "動詞"
    text = "ＮＴＴは３０％増の５．５兆円だと（昨日）言った。"
    assert tokenize(text, "ja") == tuple(word.surface for word in japanese_words(text))
    assert tokenize(text, "ja")[:3] == ("NTT", "は", "30")


def test_words_of_a_sentence_do_not_depend_on_its_neighbours():
    sentences = ["鉄道がなければ、通学できない。", "県が費用を負担する！", "移植を受ける者（ドナー）がいる。"]
    assert tokenize("".join(sentences), "ja") == tuple(w for s in sentences for w in tokenize(s, "ja"))
    assert {"者", "ドナー"} <= set(tokenize(sentences[2], "ja"))  # kana in brackets are no reading of the noun


@pytest.mark.parametrize("text", ["国会。" * 8_000, "国会、" * 8_000, "国" * 20_000, "ﷺ" * 3_000 + "国"])
def test_long_japanese_texts_are_no_error(text):
    assert len(text.encode()) > 9_000
    assert "".join(tokens.japanese_pieces(text)) == text
    words = tokenize(text, "ja")
    assert "".join(words).count("国") == text.count("国")


def test_parts_of_speech():
    words = tokenize("県が費用を早く払わない", "ja")
    assert words == tuple("県 が 費用 を 早く 払わ ない".split())
    assert coarse_tags(words, "ja") == tuple("NOUN ADP NOUN ADP ADJ VERB AUX".split())
    # Words of another tokenizer: the head of a compound, and the verb before its ending.
    assert coarse_tags(("国会議員", "が", "行った"), "ja") == ("NOUN", "ADP", "VERB")
    assert coarse_tags((), "ja") == ()


test_bad_texts = refused(
    (lambda: tokenize("x", "fr"), "en, ja"),
    (lambda: load_wordnet("fr"), "en, ja"),
    (lambda: load_variants("EN"), "en, ja"),
    (lambda: tokenize(3, "en"), "string"),
    (lambda: tokenize("国\ud800", "ja"), "surrogate"),
)


# --------------------------------------------------------------------------------------------------- inflection


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("n", "churches>church women>woman cities>city wolves>wolf knives>knife heroes>hero"),
        ("v", "went>go running>run carried>carry making>make stopped>stop travelling>travel"),
        ("a", "happier>happy biggest>big worse>bad"),
    ],
)
def test_english_lemmas(part, words):
    for word, lemma in (pair.split(">") for pair in words.split()):
        assert english_lemmas(word, part, {lemma}, IRREGULAR[part]) == (lemma,)
        assert english_lemmas(word, part, set(), {}) == (), "lemmas are words of the dictionary"
    assert english_lemmas("left", "v", {"leave", "left"}, IRREGULAR["v"]) == ("left", "leave")


def test_japanese_readings():
    assert {r.dictionary_form for r in japanese_readings("行っ")} >= {"行く", "行う"}
    assert [r.normalized_form for r in japanese_readings("いる")] == ["居る"]  # not 要る, 入る, 射る
    assert "無い" not in {r.normalized_form for r in japanese_readings("失え")}
    assert "する" in {r.dictionary_form for r in japanese_readings("し")}
