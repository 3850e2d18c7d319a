"""Variants as a paraphrase resource: spelling and inflection, in English and Japanese."""

import gzip
import os
import time

import pytest

from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError
from nbhelpers.studies.paraphrase.lexicon_files import read_varcon
from nbhelpers.studies.paraphrase.variants import load_variants
from nbhelpers.studies.paraphrase.wordnet import load_wordnet

real_data = pytest.mark.skipif("NBHELPERS_DATA" not in os.environ, reason="NBHELPERS_DATA is not set")


def partners(table, *words):
    """What an expression may be replaced by, as texts."""
    return {" ".join(target) for target in table.pairs.get(tuple(words), ())}


VARCON = """# acknowledgment <verified> (level 35)
A Cv: acknowledgment / Av B C: acknowledgement
A Cv: acknowledgments / Av B C: acknowledgements
A Cv: acknowledgment's / Av B C: acknowledgement's

# color (level 10)
A: color / B: colour
A: colors / B: colours
A: organize / B: organise / Z: organize
A B C: practice / AV Cv: practise | <N>
A B: bark | :1
A: bark / Av B: barque | (-) ship
A B: aerie / A-: eyry / Bx: eerie # a remark
_: online / _v: on-line
_: sol / _v: so
_: Roentgen / _v: R\xf6ntgen
## a remark about the cluster
"""


@pytest.fixture
def varcon(tmp_path):
    path = tmp_path / "varcon.txt"
    path.write_bytes(VARCON.encode("latin-1"))
    return path


def test_varcon(varcon, tmp_path):
    groups = read_varcon(varcon)
    assert groups[0] == ("acknowledgment", "acknowledgement") and ("Roentgen", "Röntgen") in groups
    assert ("bark", "barque") not in groups and ("bark", "barque") in read_varcon(varcon, rare=True)
    assert not any("eyry" in group or "eerie" in group for group in groups)
    assert ("aerie", "eyry") in read_varcon(varcon, rare=True)
    packed = tmp_path / "varcon.txt.gz"
    packed.write_bytes(gzip.compress(VARCON.encode()))
    assert read_varcon(packed) == groups  # also in UTF-8
    for bad in ("acknowledgment / A: x", "Y: x / A: z", "A: / B: x"):
        varcon.write_bytes((VARCON + bad + "\n").encode("latin-1"))
        with pytest.raises(DataFormatError, match="varcon.txt, line 18"):
            read_varcon(varcon)
    packed.write_bytes(packed.read_bytes()[:-20])
    with pytest.raises(DataFormatError, match="cut off"):
        read_varcon(packed)


# The examples in the documentation of the format, and two abbreviations with one set of marks.
SUDACHI = """
000127,1,0,1,0,0,0,(医療),インフルエンザ,,
000127,1,0,1,0,0,1,(医療),influenza,,
000127,1,0,1,0,2,0,(医療),インフル,,
000127,1,0,1,0,2,0,(医療),フル,,

000008,1,0,1,0,0,0,(),支払い,,
000008,1,0,1,0,0,2,(),支払,,
000008,2,0,2,0,0,0,(),支払う,,
"""


@pytest.fixture
def sudachi(tmp_path):
    path = tmp_path / "synonyms.txt"
    path.write_text(SUDACHI)
    return path


def test_english_variants(varcon):
    vocabulary = (
        "acknowledgement acknowledgments colour colors organise organizing practise practice on line online so sol "
        "universal universities university go went gone is was n't not 're are 1,000 1000 two 2 one happy happier "
        "number numb car cars caring care carried carry carrie news new"
    ).split()
    table = load_variants("en", "varcon", path=varcon).table(vocabulary)
    assert table.name == "Variants"
    assert partners(table, "colour") == {"colors"}  # another spelling and another form
    assert partners(table, "acknowledgement") == {"acknowledgments"}
    assert partners(table, "organise") == {"organizing"}
    assert partners(table, "practise") == {"practice"}
    assert partners(table, "on", "line") == {"online"} and partners(table, "online") == {"on line"}
    assert partners(table, "so") == partners(table, "is") == partners(table, "one") == set()
    assert partners(table, "went") == {"go", "gone"} and partners(table, "not") == {"n't"}
    assert partners(table, "university") == {"universities"} and partners(table, "universal") == set()
    assert partners(table, "1,000") == {"1000"} and partners(table, "two") == {"2"}
    assert partners(table, "happier") == {"happy"} and partners(table, "number") == set()
    assert partners(table, "cars") == {"car"} and partners(table, "caring") == {"care"}
    assert partners(table, "carried") == {"carry"} and partners(table, "new") == set()
    assert all(source in table.pairs[target] for source in table.pairs for target in table.pairs[source])
    assert not any(source in targets for source, targets in table.pairs.items())
    spelling = load_variants("en", "varcon", path=varcon, kinds=["spelling"]).table(vocabulary)
    assert set(spelling.pairs) == {("practise",), ("practice",), ("on", "line"), ("online",)}


def test_japanese_variants(sudachi):
    vocabulary = (
        "附属 付属 あいまい 曖昧 子供 子ども 打込ん 打ち込ん 行か 行く いる い する し コンピュータ コンピューター "
        "十 10 支払い 支払 インフルエンザ influenza インフル フル の ノ"
    ).split()
    table = load_variants("ja", "sudachi-synonyms", path=sudachi).table(vocabulary)
    for first, second in (
        ("附属", "付属"),
        ("あいまい", "曖昧"),
        ("子供", "子ども"),
        ("打込ん", "打ち込ん"),
        ("行か", "行く"),
        ("コンピュータ", "コンピューター"),
        ("十", "10"),
        ("支払い", "支払"),
        ("インフルエンザ", "influenza"),
    ):
        assert partners(table, first) == {second} and partners(table, second) == {first}
    for word in ("いる", "い", "する", "し", "インフル", "フル", "の", "ノ"):  # auxiliaries, abbreviations, particles
        assert partners(table, word) == set()
    spelling = load_variants("ja", "shipped", kinds=["spelling"]).table(vocabulary)
    assert partners(spelling, "附属") == {"付属"} and partners(spelling, "行か") == set()
    inflection_only = load_variants("ja", "shipped", kinds=["inflection"]).table(vocabulary)
    assert set(inflection_only.pairs) == {("行か",), ("行く",)}


def test_full_width_headwords(tmp_path):
    path = tmp_path / "synonyms.txt"
    path.write_text(
        "000127,1,0,1,0,0,0,(),ディーエヌエー,,\n000127,1,0,1,0,0,1,(),ＤＮＡ,,\n\n"
        "000128,2,0,1,0,0,0,(),ピーアールする,,\n000128,2,0,1,0,0,1,(),ＰＲする,,\n"
    )
    variants = load_variants("ja", "sudachi-synonyms", path=path, kinds=["dictionary"])
    table = variants.table(["DNA", "ディーエヌエー", "PR", "し", "ピーアール"])
    assert partners(table, "DNA") == {"ディーエヌエー"} and partners(table, "ディーエヌエー") == {"DNA"}
    assert partners(table, "PR", "し") == {"ピーアール し"}


def test_japanese_variants_by_part_of_speech():
    vocabulary = ["および", "及び", "美しく", "うつくしく"]
    assert set(load_variants("ja", "shipped").table(vocabulary).pairs) == {("美しく",), ("うつくしく",)}
    assert set(load_variants("ja", "shipped", parts_of_speech="r").table(vocabulary).pairs) == {("および",), ("及び",)}


def test_variants_without_a_dictionary(nothing_at_hand):
    english, japanese = load_variants("en"), load_variants("ja")
    assert "no spelling dictionary" in english.description and "no synonym dictionary" in japanese.description
    assert english.backend == japanese.backend == "shipped"
    assert partners(english.table(["colour", "color", "walk", "walked"]), "walk") == {"walked"}
    for language, backend in (("en", "varcon"), ("ja", "sudachi-synonyms")):
        with pytest.raises(ResourceNotFoundError, match="NBHELPERS_DATA"):
            load_variants(language, backend)


def test_variants_arguments(varcon):
    with pytest.raises(InputError, match="Kinds"):
        load_variants("en", "shipped", kinds=["dictionary"])
    with pytest.raises(InputError, match="backend"):
        load_variants("en", "sudachi-synonyms")
    with pytest.raises(InputError, match="nvar"):
        load_variants("ja", "shipped", parts_of_speech="z")
    with pytest.raises(InputError, match="which backend"):
        load_variants("en", path=varcon)
    with pytest.raises(InputError, match="collection of words"):
        load_variants("en", "shipped").table("color")
    signatures = {load_variants("en", "shipped", kinds=[kind]).signature for kind in ("inflection", "number")}
    assert len(signatures) == 2


@real_data
def test_real_variants():
    english = load_variants("en", "varcon").table(["colour", "color", "organisation", "organization", "theatre"])
    assert partners(english, "colour") == {"color"} and partners(english, "organisation") == {"organization"}
    japanese = load_variants("ja", "sudachi-synonyms")
    table = japanese.table(["あて先", "宛先", "送り先", "サマリー", "サマリ", "要約"])
    assert partners(table, "宛先") == {"あて先"} and partners(table, "サマリ") == {"サマリー"}
    assert len(japanese.synonyms) == 67_311


def test_tables_of_large_vocabularies_are_fast():
    """Generous limits: a table is looked up, not searched."""
    vocabulary = [
        f"{a}{b}"
        for a in "walk talk work play jump call turn need look help".split()
        for b in ("", "s", "ed", "ing", *(f"x{i}" for i in range(1_000)))
    ]
    resources = [load_wordnet("en", "shipped"), load_variants("en", "shipped")]
    resources[1].table(["walk"])  # loads the tagger
    start = time.perf_counter()
    tables = [resource.table(vocabulary) for resource in resources]
    assert time.perf_counter() - start < 10
    assert partners(tables[1], "walked") == {"walk", "walks", "walking"}
