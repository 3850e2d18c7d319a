"""WordNet as a paraphrase resource: every dictionary in its official format, and the shipped lexicons."""

import gzip
import itertools
import json
from collections import Counter
from pathlib import Path

import pytest
from refused import refused
from test_paraphrase_variants import partners
from tiny_wordnet import write_wordnet

from nbhelpers.base.errors import DataFormatError
from nbhelpers.language import STOP_WORDS
from nbhelpers.language.inflection import IRREGULAR, english_lemmas
from nbhelpers.metrics.paraphrase.tokens import is_content, japanese_readings, tokenize
from nbhelpers.metrics.paraphrase.wordnet import load_wordnet, read_open_english_wordnet, read_wordnet
from nbhelpers.resources import data
from nbhelpers.resources.wordnet import find_wordnet

# ------------------------------------------------------------------------------------- WordNet's own format

SYNSETS = {
    "noun": ["car auto automobile machine motorcar", "car railcar", "woman adult_female", "entity"],
    "verb": ["act move give_up", "give_up surrender"],
    "adj": ["galore(ip)", "big large(a)"],
    "adv": [],
}


@pytest.fixture
def folder(tmp_path, nothing_at_hand, monkeypatch):
    """A small WordNet where the registry looks for it."""
    made = write_wordnet(tmp_path / "wordnet", SYNSETS, {"noun": "women woman\n", "verb": "gave give\nmoved move\n"})
    monkeypatch.setenv("NBHELPERS_DATA", str(tmp_path))
    return made


def test_wordnet_table(folder):
    vocabulary = "cars auto automobiles railcar women adult females gave up acts moving surrenders machine".split()
    table = load_wordnet("en").table(vocabulary)
    assert (table.name, table.language) == ("WordNet", "en")
    assert table.signature == f"wordnet:wordnet@{data.sha256(folder)[:8]}|en|pos:nv"
    assert partners(table, "cars") == {"auto", "automobiles", "machine", "railcar"}
    assert partners(table, "railcar") == {"cars"}  # shares a synset with car alone
    assert partners(table, "women") == {"adult females"} and partners(table, "adult", "females") == {"women"}
    assert partners(table, "gave", "up") == {"acts", "moving", "surrenders"}
    assert set(itertools.chain(*table.pairs)) <= set(vocabulary)
    assert {score for targets in table.pairs.values() for score in targets.values()} == {1.0}
    assert all(source in table.pairs[target] for source in table.pairs for target in table.pairs[source])


def test_parts_of_speech(folder):
    assert len(load_wordnet("en").table(["car", "cars", "big", "large"])) == 0
    adjectives = load_wordnet("en", parts_of_speech="a")
    assert partners(adjectives.table(["big", "large"]), "big") == {"large"}
    assert adjectives.signature != load_wordnet("en").signature


def test_damaged_wordnet(folder):
    (folder / "index.verb").write_text("act v zz\n")
    with pytest.raises(DataFormatError, match=r"index.verb, line 1"):
        load_wordnet("en")
    (folder / "index.verb").unlink()
    with pytest.raises(DataFormatError, match="index.verb"):
        load_wordnet("en")


@pytest.mark.skipif(not Path("/usr/share/wordnet").is_dir(), reason="WordNet is not installed")
def test_real_wordnet_has_its_known_size(monkeypatch):
    monkeypatch.delenv("NBHELPERS_DATA", raising=False)
    sizes = Counter(one.part_of_speech for one in read_wordnet(find_wordnet()[0])[0])
    assert sizes == {"n": 82_115, "v": 13_767, "a": 18_156, "r": 3_621}  # wnstats(7WN), WordNet 3.0


# -------------------------------------------------------------------------------------------- other wordnets


@pytest.fixture
def no_wordnet(nothing_at_hand, monkeypatch):
    import nltk

    monkeypatch.setattr(nltk.data, "path", [])


def test_open_english_wordnet(no_wordnet, in_data):
    synsets = [("n", ["car", "automobile"]), ("s", ["big", "large"]), ("v", ["give up", "surrender"])]
    lines = [json.dumps({"pos": part, "members": members}) for part, members in synsets]
    file = in_data("open-english-wordnet/oewn_lemma_senses.json.gz", "").with_name("oewn_synsets.jsonl.gz")
    for bad in ('{"pos": "n"}', "[1]", '{"pos": "n", "members": []}', '{"pos": "n", "mem'):
        file.write_bytes(gzip.compress("\n".join([*lines, bad]).encode()))
        with pytest.raises(DataFormatError, match="line 4"):
            load_wordnet("en")
    file.write_bytes(gzip.compress("\n".join(lines).encode()))
    resource = load_wordnet("en", parts_of_speech="nva")
    table = resource.table(["cars", "automobile", "gave", "up", "surrender", "big", "large"])
    for first, second in (("cars", "automobile"), ("gave up", "surrender"), ("big", "large")):
        assert partners(table, *first.split()) == {second}


@pytest.mark.usefixtures("real_data")
def test_real_open_english_wordnet():
    synsets = list(read_open_english_wordnet(data.find("open-english-wordnet").path))
    assert len(synsets) == 107_525 and any({"car", "automobile"} <= set(one.lemmas) for one in synsets)


JAPANESE = "".join(
    f"{synset}\t{lemma}\thand\n"
    for synset, lemmas in {
        "00001740-n": "時間 時",
        "00002000-v": "払う 支払う",
        "00003000-v": "研究_する 調べる",
        "00004000-n": "ＤＮＡ 遺伝子",
        "00005000-v": "ＰＲする 広める",
    }.items()
    for lemma in lemmas.split()
)


def test_japanese_wordnet(in_data):
    vocabulary = tokenize("長い時間の時、払った、支払わない、研究して調べて、DNAや遺伝子を、PRして広めて", "ja")
    path = in_data("japanese-wordnet/wnjpn-ok.tab", JAPANESE)
    table = load_wordnet("ja").table(vocabulary)
    assert partners(table, "時間") == {"時"}  # the example of category B in the paper
    assert partners(table, "払っ") == {"支払わ"} and partners(table, "支払わ") == {"払っ"}
    assert partners(table, "研究", "し") == {"調べ"}
    assert partners(table, "DNA") == {"遺伝子"} and partners(table, "PR", "し") == {"広め"}
    nouns = load_wordnet("ja", parts_of_speech="n").table(vocabulary)
    assert set(nouns.pairs) == {(word,) for word in ("時間", "時", "DNA", "遺伝子")}

    for bad in ("00001740\t時間\thand", "00001740-n", "00001740-n\t\thand", "時間\t00001740-n\thand"):
        path.write_text(JAPANESE + bad + "\n")
        with pytest.raises(DataFormatError, match="wnjpn-ok.tab, line 11"):
            load_wordnet("ja")


SUDACHI = """
000127,1,0,1,0,0,0,(医療),インフルエンザ,,
000127,1,0,1,0,2,0,(医療),インフル,,
000008,1,0,1,0,0,0,(),支払い,,
000008,1,1,3,0,0,0,(),勘定,,
000008,1,2,4,0,0,0,(),会計,,
000900,,,,,,,,鉄道,,
000900,,,,,,,,鉄路,,
"""


def test_sudachi_synonyms_as_word_level_resource(in_data):
    in_data("paraphrase/sudachi_synonyms.txt", SUDACHI)
    vocabulary = ["インフルエンザ", "インフル", "支払い", "勘定", "会計", "鉄道", "鉄路"]
    table = load_wordnet("ja").table(vocabulary)
    assert partners(table, "鉄道") == {"鉄路"} and partners(table, "インフル") == {"インフルエンザ"}
    assert partners(table, "支払い") == {"勘定"}  # may be replaced by 勘定, which is no trigger itself
    assert partners(table, "勘定") == set() and partners(table, "会計") == set()  # 会計 is withdrawn


# ---------------------------------------------------------------------------------------- the shipped lexicons


@pytest.mark.parametrize("language", ["en", "ja"])
def test_shipped_lexicon_equals_a_plain_search(language):
    resource = load_wordnet(language, "shipped", parts_of_speech="nvax")
    known = {part: set() for part in "nvax"}
    for part, lemmas, _ in resource.synsets:
        known[part] |= {word for lemma in lemmas for word in tokenize(lemma, language)}
    vocabulary = {w for row in resource.synsets[::15] for side in row.lemmas for w in tokenize(side, language)}

    def is_form(form, lemma, part):
        if form == lemma or part == "x":
            return form == lemma
        if language == "en":
            return lemma in english_lemmas(form, part, known[part], IRREGULAR[part])
        return lemma in {reading.dictionary_form for reading in japanese_readings(form)}

    def stands_alone(word):
        return word not in STOP_WORDS if language == "en" else any(map(is_content, japanese_readings(word)))

    def written(lemma, part):
        head = 0 if language == "en" and part == "v" else len(lemma) - 1
        for form in vocabulary:
            found = lemma[:head] + (form,) + lemma[head + 1 :]
            is_word = part == "x" or len(lemma) > 1 or stands_alone(form)
            if is_word and vocabulary.issuperset(found) and is_form(form, lemma[head], part):
                yield found

    expected = set()
    for part, lemmas, _ in resource.synsets:
        first, second = (set(written(tokenize(lemma, language), part)) for lemma in lemmas)
        expected |= {pair for x, y in itertools.product(first, second) for pair in ((x, y), (y, x)) if x != y}
    table = resource.table(vocabulary)
    assert {(x, y) for x in table.pairs for y in table.pairs[x]} == expected and len(expected) > 60


def test_auto_takes_what_ships_and_says_so(no_wordnet):
    for language in ("en", "ja"):
        resource = load_wordnet(language)
        assert resource.signature.startswith("wordnet:shipped@")
    assert "wordnet-shipped" in data.stand_ins()


test_bad_arguments = refused(
    (lambda: load_wordnet("en", "shipped", parts_of_speech="q"), "nvarx"),
    (lambda: load_wordnet("ja", "wordnet"), "auto or shipped, not 'wordnet'"),
    (lambda: load_wordnet("en", "shipped").table("car"), "collection of words"),
)


def test_the_shipped_lexicon_by_part_of_speech():
    assert len(load_wordnet("en", "shipped").table([])) == 0
    words = tokenize("in spite of despite", "en")
    assert not load_wordnet("en", "shipped").table(words).pairs
    assert partners(load_wordnet("en", "shipped", parts_of_speech="x").table(words), "despite") == {"in spite of"}
