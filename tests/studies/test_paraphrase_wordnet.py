"""WordNet as a paraphrase resource: every dictionary in its official format, and the shipped lexicons."""

import gzip
import itertools
import os
import shutil
import sqlite3
import zipfile
from pathlib import Path

import pytest

from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError
from nbhelpers.resources import data
from nbhelpers.studies.paraphrase import wordnet
from nbhelpers.studies.paraphrase.inflection import english_lemmas, japanese_readings
from nbhelpers.studies.paraphrase.lexicon_files import read_lexicon, read_sudachi_synonyms
from nbhelpers.studies.paraphrase.synonym_files import read_japanese_wordnet, read_open_english_wordnet, read_wordnet
from nbhelpers.studies.paraphrase.tokens import tokenize
from nbhelpers.studies.paraphrase.wordnet import load_wordnet

real_data = pytest.mark.skipif("NBHELPERS_DATA" not in os.environ, reason="NBHELPERS_DATA is not set")


def real_wordnet() -> Path:
    """WordNet 3.0 on this machine, or a skip."""
    try:
        return data.find("wordnet").path
    except ResourceNotFoundError:
        pytest.skip("WordNet in its own format is not installed")


def partners(table, *words):
    """What an expression may be replaced by, as texts."""
    return {" ".join(target) for target in table.pairs.get(tuple(words), ())}


# ------------------------------------------------------------------------------------- WordNet's own format

NOUNS = """  1 This stands where the licence stands.
02958343 06 n 05 car 0 auto 0 automobile 0 machine 6 motorcar 0 001 @ 03791235 n 0000 | a motor vehicle
02959942 06 n 02 car 1 railcar 0 001 @ 04524313 n 0000 | a wheeled vehicle on rails
10787470 18 n 02 woman 0 adult_female 0 001 @ 09605289 n 0000 | an adult female person
00001740 03 n 01 entity 0 000 | what exists
"""
VERBS = """  1 This stands where the licence stands.
02367363 41 v 03 act 0 move 3 give_up 0 001 @ 00000000 v 0000 01 + 02 00 | do something
02303331 40 v 02 give_up 1 surrender 2 001 @ 00000000 v 0000 01 + 02 00 | hand over
"""
ADJECTIVES = """  1 This stands where the licence stands.
00001740 00 a 01 galore(ip) 0 000 | in abundance
00002312 00 s 02 big 0 large(a) 0 000 | above average
"""


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "wordnet"
    place.mkdir()
    for name, content in (("noun", NOUNS), ("verb", VERBS), ("adj", ADJECTIVES), ("adv", "")):
        (place / f"data.{name}").write_text(content)
    (place / "noun.exc").write_text("women woman\n")
    (place / "verb.exc").write_text("gave give\nmoved move\n")
    return place


def test_wordnet_files(folder):
    synsets, exceptions = read_wordnet(folder, "nva")
    assert synsets[0] == ("n", ("car", "auto", "automobile", "machine", "motorcar"), frozenset())
    assert synsets[4] == ("v", ("act", "move", "give up"), frozenset())
    assert synsets[-1].lemmas == ("big", "large")
    assert exceptions == {"n": {"women": ("woman",)}, "v": {"gave": ("give",), "moved": ("move",)}, "a": {}}
    assert not (folder / "lexnames").exists()


def test_wordnet_table(folder):
    vocabulary = "cars auto automobiles railcar women adult females gave up acts moving surrenders machine".split()
    table = load_wordnet("en", "system", path=folder).table(vocabulary)
    assert (table.name, table.language) == ("WordNet", "en")
    assert partners(table, "cars") == {"auto", "automobiles", "machine", "railcar"}
    assert partners(table, "railcar") == {"cars"}  # shares a synset with car alone
    assert partners(table, "women") == {"adult females"} and partners(table, "adult", "females") == {"women"}
    assert partners(table, "gave", "up") == {"acts", "moving", "surrenders"}
    assert set(itertools.chain(*table.pairs)) <= set(vocabulary)
    assert {score for targets in table.pairs.values() for score in targets.values()} == {1.0}
    assert all(source in table.pairs[target] for source in table.pairs for target in table.pairs[source])


def test_wordnet_switches(folder):
    words = ["car", "cars", "big", "large"]
    assert len(load_wordnet("en", "system", path=folder).table(words)) == 0
    assert partners(load_wordnet("en", "system", path=folder, same_lemma=True).table(words), "car") == {"cars"}
    adjectives = load_wordnet("en", "system", path=folder, parts_of_speech="a")
    assert partners(adjectives.table(words), "big") == {"large"}
    signatures = {
        load_wordnet("en", "system", path=folder, **options).signature
        for options in ({}, {"parts_of_speech": "a"}, {"same_lemma": True}, {"function_words": True})
    }
    assert len(signatures) == 4


def test_wordnet_from_nltk_packed_and_unpacked(folder, tmp_path, monkeypatch):
    import nltk

    monkeypatch.setattr(nltk.data, "path", [str(tmp_path / "nltk")])
    with pytest.raises(ResourceNotFoundError, match="nltk.downloader wordnet"):
        load_wordnet("en", "nltk")
    packed = tmp_path / "nltk" / "corpora" / "wordnet.zip"
    packed.parent.mkdir(parents=True)
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("wordnet/", "")
        for file in folder.iterdir():
            archive.write(file, f"wordnet/{file.name}")
    vocabulary = ["cars", "autos", "gave", "up", "surrender"]
    tables = [load_wordnet("en", "nltk").table(vocabulary), load_wordnet("en", "system", path=folder).table(vocabulary)]
    folder.rename(packed.with_suffix(""))
    tables.append(load_wordnet("en", "nltk").table(vocabulary))
    assert tables[0].pairs == tables[1].pairs == tables[2].pairs
    assert load_wordnet("en").backend == "nltk"  # the first that auto finds


@pytest.mark.parametrize(
    ("name", "line", "message"),
    [
        ("data.noun", "00001740 03 n 03 entity 0 000 | too few words", r"data.noun, line 6: is no synset"),
        ("data.noun", "nonsense", r"data.noun, line 6: is no synset"),
        ("data.verb", "00001740 03 v zz entity 0 000 | count", r"data.verb, line 4: is no synset"),
        ("noun.exc", "men", r"noun.exc, line 2: names a form without its lemma"),
    ],
)
def test_damaged_wordnet(folder, name, line, message):
    with (folder / name).open("a") as stream:
        stream.write(line + "\n")
    with pytest.raises(DataFormatError, match=message):
        load_wordnet("en", "system", path=folder)


def test_incomplete_wordnet(folder, tmp_path):
    (folder / "data.verb").unlink()
    with pytest.raises(ResourceNotFoundError, match="data.verb"):
        load_wordnet("en", "system", path=folder)
    (tmp_path / "no.zip").write_bytes(b"PK no archive")
    with pytest.raises(DataFormatError, match="no readable zip"):
        read_wordnet(tmp_path / "no.zip")
    with pytest.raises(ResourceNotFoundError):
        load_wordnet("en", "system", path=tmp_path / "nowhere")


def test_real_wordnet_has_its_known_size():
    place = real_wordnet()
    sizes = {part: len(read_wordnet(place, part)[0]) for part in "nvar"}
    assert sizes == {"n": 82_115, "v": 13_767, "a": 18_156, "r": 3_621}  # wnstats(7WN), WordNet 3.0


@pytest.mark.filterwarnings("ignore:The multilingual functions")
def test_real_wordnet_agrees_with_nltk(tmp_path, monkeypatch):
    """The same pairs as NLTK's reader and Morphy give for every pair of a small vocabulary."""
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    place = real_wordnet().resolve()
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    copy = tmp_path / "corpora" / "wordnet"
    shutil.copytree(place, copy)  # NLTK follows no links out of its folders, and wants three more files
    for name in ("cntlist.rev", "index.sense"):
        (copy / name).touch()
    if not (copy / "lexnames").exists():
        (copy / "lexnames").write_text("".join(f"{i:02d}\tfile{i}\t1\n" for i in range(45)))
    reader = WordNetCorpusReader(str(copy), None)
    vocabulary = (
        "cars automobile machines women adults began starting commences help aided assistance police law children "
        "kids dies perished leaves leaf foliage went travelled moves buying purchased bought houses homes big large"
    ).split()

    def synsets(word, part):
        return {
            s: {n.lower() for n in s.lemma_names()}
            for lemma in reader._morphy(word, part)
            for s in reader.synsets(lemma, part)
        }

    expected = set()
    for x, y in itertools.permutations(vocabulary, 2):
        for part in "nv":
            lemmas_x, lemmas_y = reader._morphy(x, part), reader._morphy(y, part)
            for names in (synsets(x, part)[s] for s in synsets(x, part).keys() & synsets(y, part).keys()):
                if any(a != b for a in names.intersection(lemmas_x) for b in names.intersection(lemmas_y)):
                    expected.add((x, y))
    table = load_wordnet("en", "system", path=place).table(vocabulary)
    found = {(x[0], y[0]) for x in table.pairs for y in table.pairs[x] if len(x) == len(y) == 1}
    assert found == expected and len(found) > 20


# -------------------------------------------------------------------------------------------- other wordnets


def test_open_english_wordnet(tmp_path):
    lines = [
        '{"id": "1-n", "pos": "n", "members": ["car", "automobile"]}',
        '{"id": "2-s", "pos": "s", "members": ["big", "large"]}',
        '{"id": "3-v", "pos": "v", "members": ["give up", "surrender"]}',
    ]
    file = tmp_path / "oewn_synsets.jsonl.gz"
    file.write_bytes(gzip.compress("\n".join(lines).encode()))
    assert [s.part_of_speech for s in read_open_english_wordnet(tmp_path, "nva")] == ["n", "a", "v"]
    table = load_wordnet("en", "open-english-wordnet", path=tmp_path).table(["cars", "automobile", "gave", "up", "big"])
    assert partners(table, "cars") == {"automobile"}
    for bad in ('{"pos": "n"}', "[1]", '{"pos": "n", "members": []}', '{"pos": "n", "mem'):
        file.write_bytes(gzip.compress("\n".join([*lines, bad]).encode()))
        with pytest.raises(DataFormatError, match="line 4"):
            read_open_english_wordnet(file)
    file.write_bytes(gzip.compress("\n".join(lines).encode())[:-12])
    with pytest.raises(DataFormatError, match="cut off"):
        read_open_english_wordnet(file)


@real_data
def test_real_open_english_wordnet():
    place = data.find("open-english-wordnet").path
    assert len(read_open_english_wordnet(place, "nvar")) == 107_525
    table = load_wordnet("en", "open-english-wordnet").table(["cars", "automobile", "physicians", "doctor", "banana"])
    assert partners(table, "cars") == {"automobile"} and partners(table, "doctor") == {"physicians"}
    assert partners(table, "banana") == set()


JAPANESE = "00001740-n\t時間\thand\n00001740-n\t時\tmono\n00002000-v\t払う\thand\n00002000-v\t支払う\tmlsn\n"


def test_japanese_wordnet(tmp_path):
    ok = tmp_path / "wnjpn-ok.tab"
    ok.write_text(JAPANESE + "00003000-v\t研究+する\thand\n00003000-v\t調べる\thand\n".replace("+", "_"))
    open_multilingual = tmp_path / "wn-data-jpn.tab"
    open_multilingual.write_text(
        "# Japanese Wordnet\tjpn\thttps://example.org\twordnet\n"
        + "".join(f"{s}\tjpn:lemma\t{w}\n" for s, w, _ in (line.split("\t") for line in JAPANESE.splitlines()))
        + "00001740-n\tjpn:def\t0\t計ることのできるもの\n"
    )
    base = tmp_path / "wnjpn.db"
    with sqlite3.connect(base) as connection:
        connection.execute("CREATE TABLE word (wordid integer primary key, lang text, lemma text, pron text, pos text)")
        connection.execute("CREATE TABLE sense (synset text, wordid integer, lang text)")
        for number, line in enumerate(JAPANESE.splitlines()):
            synset, lemma, _ = line.split("\t")
            connection.execute("INSERT INTO word VALUES (?, 'jpn', ?, NULL, ?)", (number, lemma, synset[-1]))
            connection.execute("INSERT INTO sense VALUES (?, ?, 'jpn')", (synset, number))
        connection.execute("INSERT INTO word VALUES (99, 'eng', 'time', NULL, 'n')")
        connection.execute("INSERT INTO sense VALUES ('00001740-n', 99, 'eng')")
    connection.close()
    vocabulary = tokenize("長い時間の時、払った、支払わない、研究して調べて", "ja")
    for path in (ok, open_multilingual, base):
        table = load_wordnet("ja", "japanese-wordnet", path=path).table(vocabulary)
        assert partners(table, "時間") == {"時"}  # the example of category B in the paper
        assert partners(table, "払っ") == {"支払わ"} and partners(table, "支払わ") == {"払っ"}
    assert partners(load_wordnet("ja", "japanese-wordnet", path=ok).table(vocabulary), "研究", "し") == {"調べ"}
    nouns = load_wordnet("ja", "japanese-wordnet", path=ok, parts_of_speech="n").table(vocabulary)
    assert set(nouns.pairs) == {("時間",), ("時",)}


def test_full_width_lemmas_of_japanese_wordnet(tmp_path):
    path = tmp_path / "wnjpn-ok.tab"
    path.write_text(
        "00001740-n\tＤＮＡ\thand\n00001740-n\t遺伝子\thand\n00002000-v\tＰＲする\thand\n00002000-v\t広める\thand\n"
    )
    wordnet = load_wordnet("ja", "japanese-wordnet", path=path)
    for text in ("ＤＮＡや遺伝子を、ＰＲして広めて", "DNAや遺伝子を、PRして広めて"):
        table = wordnet.table(tokenize(text, "ja"))
        assert partners(table, "DNA") == {"遺伝子"} and partners(table, "遺伝子") == {"DNA"}
        assert partners(table, "PR", "し") == {"広め"}


def test_damaged_japanese_wordnet(tmp_path):
    path = tmp_path / "wnjpn-all.tab"
    for bad in ("00001740\t時間\thand", "00001740-n", "00001740-n\t\thand", "時間\t00001740-n\thand"):
        path.write_text(JAPANESE + bad + "\n")
        with pytest.raises(DataFormatError, match="wnjpn-all.tab, line 5"):
            read_japanese_wordnet(path)
    path.write_bytes(JAPANESE.encode("euc-jp"))
    with pytest.raises(DataFormatError, match="line 1.*UTF-8"):
        read_japanese_wordnet(path)
    base = tmp_path / "wnjpn.db"
    with sqlite3.connect(base) as connection:
        connection.execute("CREATE TABLE other (x text)")
    connection.close()
    with pytest.raises(DataFormatError, match="database of Japanese WordNet"):
        read_japanese_wordnet(base)


# The examples in the documentation of the format.
SUDACHI = """
000127,1,0,1,0,0,0,(医療),インフルエンザ,,
000127,1,0,1,0,0,1,(医療),influenza,,
000127,1,0,1,0,2,0,(医療),インフル,,
000127,1,0,2,0,0,0,(医療),流行性感冒,,

000008,1,0,1,0,0,0,(),支払い,,
000008,1,0,1,0,0,2,(),支払,,
000008,2,0,2,0,0,0,(),支払う,,
000008,1,1,3,0,0,0,(),勘定,,
000008,1,2,4,0,0,0,(),会計,,

000900,,,,,,,,鉄道,,
000900,,,,,,,,鉄路,,
000901,1,0,1/2,0,2,0,(),ネトゲ,,
"""


@pytest.fixture
def sudachi(tmp_path):
    path = tmp_path / "synonyms.txt"
    path.write_text(SUDACHI)
    return path


def test_sudachi_synonyms_as_word_level_resource(sudachi):
    entries = read_sudachi_synonyms(sudachi)
    assert len(entries) == 12 and entries[-1].lexemes == (1, 2) and entries[-2].lexemes == (0,)
    vocabulary = ["インフルエンザ", "インフル", "支払い", "勘定", "会計", "鉄道", "鉄路"]
    table = load_wordnet("ja", "sudachi-synonyms", path=sudachi).table(vocabulary)
    assert partners(table, "鉄道") == {"鉄路"} and partners(table, "インフル") == {"インフルエンザ"}
    assert partners(table, "支払い") == {"勘定"}  # may be replaced by 勘定, which is no trigger itself
    assert partners(table, "勘定") == set() and partners(table, "会計") == set()  # 会計 is withdrawn


@pytest.mark.parametrize(
    "bad",
    [
        "000128,1,0",
        "x,1,0,1,0,0,0,(),語,,",
        "000128,1,0,1,0,0,0,(),,,",
        "000128,1,3,1,0,0,0,(),語,,",
        "000128,1,0,a,0,0,0,(),語,,",
    ],
)
def test_damaged_sudachi_synonyms(sudachi, bad):
    sudachi.write_text(SUDACHI + bad + "\n")
    with pytest.raises(DataFormatError, match="synonyms.txt, line 16"):
        read_sudachi_synonyms(sudachi)


# ---------------------------------------------------------------------------------------- the shipped lexicons


@pytest.mark.parametrize("language", ["en", "ja"])
def test_shipped_lexicon_equals_a_plain_search(language):
    """Every row whose two sides stand in a sentence is a pair in both directions, and there is no other."""
    rows = [row for row in read_lexicon(wordnet._locate_shipped(language)) if row.part_of_speech != "adverb"][::15]
    vocabulary = {w for row in rows for side in row[:2] for w in tokenize(side, language)}
    resource = load_wordnet(language, "shipped", parts_of_speech="nvax", function_words=True)
    table = resource.table(vocabulary)
    for row in rows:
        first, second = tokenize(row.expression, language), tokenize(row.paraphrase, language)
        assert second in table.pairs[first] and first in table.pairs[second], row
    known = {part: set() for part in "nvax"}
    for part, lemmas, _ in resource.synsets:
        known[part] |= {word for lemma in lemmas for word in tokenize(lemma, language)}
    expected = set()
    for part, lemmas, _ in resource.synsets:
        heads = [tokenize(lemma, language) for lemma in lemmas]
        place = 0 if language == "en" and part == "v" else -1

        def written(lemma, part=part, place=place):
            head = place % len(lemma)
            for form in vocabulary if part != "x" else {lemma[head]} & vocabulary:
                same = form == lemma[head] or (
                    lemma[head] in english_lemmas(form, part, known[part])
                    if language == "en" and part != "x"
                    else language == "ja" and lemma[head] in {r.dictionary_form for r in japanese_readings(form)}
                )
                if same and vocabulary.issuperset(lemma[:head] + lemma[head + 1 :]):
                    yield lemma[:head] + (form,) + lemma[head + 1 :]

        expected |= {(x, y) for a, b in itertools.permutations(heads, 2) for x in written(a) for y in written(b)}
    assert {(x, y) for x in table.pairs for y in table.pairs[x]} == {pair for pair in expected if pair[0] != pair[1]}


def test_shipped_lexicon_by_part_of_speech():
    words = tokenize("accidents mishap in spite of despite fund finance", "en")
    assert partners(load_wordnet("en", "shipped").table(words), "accidents") == {"mishap"}
    assert ("despite",) not in load_wordnet("en", "shipped").table(words).pairs
    assert partners(load_wordnet("en", "shipped", parts_of_speech="x").table(words), "despite") == {"in spite of"}
    japanese = load_wordnet("ja", "shipped").table(tokenize("会社が企業を買い、値段や価格を決めた", "ja"))
    assert partners(japanese, "会社") == {"企業"} and partners(japanese, "値段") == {"価格"}


def test_damaged_lexicon(tmp_path):
    path = tmp_path / "lexicon.tsv"
    head = "expression\tparaphrase\tpart_of_speech\tkind\n"
    for content, line in (
        ("a\tb\n", 1),
        (head + "a\tb\tnoun\n", 2),
        (head + "# remark\na\ta\tnoun\tword\n", 3),
        (head + "a\tb\tpreposition\tword\n", 2),
        (head + "a\tb\tnoun\tidiom\n", 2),
    ):
        path.write_text(content)
        with pytest.raises(DataFormatError, match=f"lexicon.tsv, line {line}"):
            load_wordnet("en", "shipped", path=path)
    path.write_text("")
    with pytest.raises(DataFormatError, match="empty"):
        read_lexicon(path)


def test_auto_takes_what_ships_and_says_so(nothing_at_hand, monkeypatch):
    import nltk

    monkeypatch.setattr(nltk.data, "path", [])
    monkeypatch.setattr(Path, "exists", lambda self: False if "/usr/share" in str(self) else os.path.exists(self))
    for language in ("en", "ja"):
        resource = load_wordnet(language)
        assert resource.backend == "shipped" and "small synonym lexicon" in resource.description
    for language, backend in (("en", "open-english-wordnet"), ("ja", "sudachi-synonyms"), ("ja", "japanese-wordnet")):
        with pytest.raises(ResourceNotFoundError):
            load_wordnet(language, backend)


def test_wordnet_arguments(folder):
    with pytest.raises(InputError, match="nvarx"):
        load_wordnet("en", "shipped", parts_of_speech="q")
    with pytest.raises(InputError, match="japanese-wordnet"):
        load_wordnet("ja", "system")
    with pytest.raises(InputError, match="which backend"):
        load_wordnet("en", path=folder)
    with pytest.raises(InputError, match="collection of words"):
        load_wordnet("en", "shipped").table("car")
    assert len(load_wordnet("en", "shipped").table([])) == 0
