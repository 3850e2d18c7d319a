"""Variants as a paraphrase resource: spelling and inflection, in English and Japanese."""

import pytest

from nbhelpers.base.errors import DataFormatError, InputError
from nbhelpers.metrics.paraphrase.variants import load_variants, read_sudachi_synonyms, read_varcon
from nbhelpers.resources import data


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
def varcon(in_data):
    return in_data("paraphrase/varcon.txt", VARCON.encode("latin-1"))


def test_varcon(varcon):
    groups = read_varcon(varcon)
    assert groups[0] == ("acknowledgment", "acknowledgement") and ("Roentgen", "Röntgen") in groups
    assert ("bark", "barque") not in groups
    assert not any("eyry" in group or "eerie" in group for group in groups)
    for bad in ("acknowledgment / A: x", "Y: x / A: z", "A: / B: x"):
        varcon.write_text(VARCON + bad + "\n", encoding="latin-1")
        with pytest.raises(DataFormatError, match="varcon.txt, line 18"):
            read_varcon(varcon)


# The examples in the documentation of the format, and two abbreviations with one set of marks.
SUDACHI = """
000127,1,0,1,0,0,0,(医療),インフルエンザ,,
000127,1,0,1,0,0,1,(医療),influenza,,
000127,1,0,1,0,2,0,(医療),インフル,,
000127,1,0,1,0,2,0,(医療),フル,,

000008,1,0,1,0,0,0,(),支払い,,
000008,1,0,1,0,0,2,(),支払,,
000008,2,0,2,0,0,0,(),支払う,,

000900,,,,,,,,鉄道,,
000901,1,0,1/2,0,2,0,(),ネトゲ,,

000127,1,0,1,0,0,0,(),ディーエヌエー,,
000127,1,0,1,0,0,1,(),ＤＮＡ,,
000128,2,0,1,0,0,0,(),ピーアールする,,
000128,2,0,1,0,0,1,(),ＰＲする,,
"""


@pytest.fixture
def sudachi(in_data):
    return in_data("paraphrase/sudachi_synonyms.txt", SUDACHI)


def test_sudachi_synonyms(sudachi):
    entries = read_sudachi_synonyms(sudachi)
    assert len(entries) == 13 and entries[-5].lexemes == (1, 2) and entries[-6].lexemes == (0,)
    for bad in ("0", "0,1,0,0,0,(),,,", "3,1,0,0,0,(),語,,", "0,1,0,1/2,0,(),語,,"):
        sudachi.write_text(f"{SUDACHI}000128,1,{bad}\n")
        with pytest.raises(DataFormatError, match="synonyms.txt, line 18"):
            read_sudachi_synonyms(sudachi)


def test_english_variants(varcon):
    vocabulary = (
        "acknowledgement acknowledgments colour colors organise organizing practise practice on line online so sol "
        "universal universities university go went gone is was n't not 're are 1,000 1000 two 2 one happy happier "
        "number numb car cars caring care carried carry carrie news new"
    ).split()
    table = load_variants("en").table(vocabulary)
    assert table.name == "Variants" and table.signature.endswith("|en|kinds:contraction+inflection+number+spelling")
    alike = (
        "colour=colors acknowledgement=acknowledgments organise=organizing practise=practice online=on_line not=n't "
        "university=universities 1,000=1000 two=2 happier=happy cars=car caring=care carried=carry"
    )
    for first, second in (pair.replace("_", " ").split("=") for pair in alike.split()):
        assert partners(table, first) == {second} and first in partners(table, *second.split())
    assert partners(table, "went") == {"go", "gone"}
    assert not any(partners(table, word) for word in "so is one universal number new".split())
    assert all(source in table.pairs[target] for source in table.pairs for target in table.pairs[source])
    assert not any(source in targets for source, targets in table.pairs.items())


def test_japanese_variants(sudachi):
    alike = (
        "附属=付属 あいまい=曖昧 子供=子ども 打込ん=打ち込ん 行か=行く コンピュータ=コンピューター 十=10 支払い=支払 "
        "インフルエンザ=influenza DNA=ディーエヌエー 美しく=うつくしく"
    )
    # Auxiliaries, abbreviations, particles, and no noun, verb or adjective.
    alone = "いる い する し インフル フル の ノ および 及び".split()
    pairs = [pair.split("=") for pair in alike.split()]
    words = {"PR", "ピーアール", *alone, *(word for pair in pairs for word in pair)}
    table = load_variants("ja").table(words)
    for first, second in pairs:
        assert partners(table, first) == {second} and partners(table, second) == {first}
    assert not any(partners(table, word) for word in alone)
    assert partners(table, "PR", "し") == {"ピーアール し", "ピーアール する"}


def test_variants_without_a_dictionary(nothing_at_hand):
    english, japanese = load_variants("en"), load_variants("ja")
    assert english.signature == "variants:shipped|en|kinds:contraction+inflection+number", "no spelling is claimed"
    assert not partners(english.table(["colour", "color"]), "colour")
    assert "shipped|ja|kinds:inflection+spelling|" in japanese.signature, "Sudachi's normalised forms need no file"
    assert {"varcon-shipped", "sudachi-synonyms-shipped"} <= set(data.stand_ins())
    assert partners(english.table(["colour", "color", "walk", "walked"]), "walk") == {"walked"}
    with pytest.raises(InputError, match="auto or shipped"):
        load_variants("en", "varcon")
    with pytest.raises(InputError, match="collection of words"):
        english.table("color")


@pytest.mark.usefixtures("real_data")
def test_real_variants():
    english = load_variants("en").table(["colour", "color", "organisation", "organization", "theatre"])
    assert partners(english, "colour") == {"color"} and partners(english, "organisation") == {"organization"}
    japanese = load_variants("ja")
    table = japanese.table(["あて先", "宛先", "送り先", "サマリー", "サマリ", "要約"])
    assert partners(table, "宛先") == {"あて先"} and partners(table, "サマリ") == {"サマリー"}
    assert len(japanese.entries) == 67_311
