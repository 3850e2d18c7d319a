"""Readers of dependency treebanks and marked predicates, the shape of trees, and the treebanks that ship."""

import gzip
import os
import pickle
import random
import zipfile
from pathlib import Path

import pytest

from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError
from nbhelpers.base.paths import data_dir
from nbhelpers.resources import treebank
from nbhelpers.resources.treebank import Sentence, Token


def make(heads, sent_id="s", words=None, **misc):
    """A sentence from 1-based heads; ``misc`` gives the positions (0-based) of a mark: ``Pred=[2]``."""
    words = words or [f"w{i}" for i in range(1, len(heads) + 1)]
    marks = [{key: "Y" for key, places in misc.items() if i in places} for i in range(len(heads))]
    tokens = [
        Token(i + 1, word, "_", "_", "_", head, "_", mark)
        for i, (word, head, mark) in enumerate(zip(words, heads, marks, strict=True))
    ]
    return Sentence(sent_id, " ".join(words), tuple(tokens))


def table(*rows, width=10, header=""):
    """Lines of tab-separated columns, from rows of words, filled up with ``_``; one sentence."""
    lines = ["\t".join((row.split() + ["_"] * width)[:width]) for row in rows]
    return header + "\n".join(lines) + "\n\n"


@pytest.fixture
def write(tmp_path):
    def write(text, name="file.conllu"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


# The shape of a tree

#          The old dog that barked slept .   (slept is the root; "that barked" modifies dog)
DOG = make([3, 3, 6, 5, 3, 0, 6], words="The old dog that barked slept .".split())
#              A hearing is scheduled on the issue today   ("on the issue" belongs to hearing)
HEARING = make([2, 4, 4, 0, 7, 7, 2, 4], words="A hearing is scheduled on the issue today".split())


def test_depths_by_hand():
    assert DOG.depths().tolist() == [3, 3, 2, 4, 3, 1, 2]
    assert HEARING.depths().tolist() == [3, 2, 2, 1, 4, 4, 3, 2]
    assert make([0]).depths().tolist() == [1]
    assert make([]).depths().tolist() == []


def test_projectivity_by_hand():
    assert DOG.is_projective()
    assert not HEARING.is_projective()
    assert make([0]).is_projective() and make([]).is_projective()
    assert make([0, 1, 2]).is_projective() and make([2, 3, 0]).is_projective()
    # The arc 1-3 passes over the root at 2.
    assert not make([3, 0, 2]).is_projective()


def test_complete_subtrees_by_hand():
    spans = {(i, j) for i in range(7) for j in range(i + 1, 8) if DOG.is_complete_subtree(i, j)}
    assert spans == {(0, 1), (1, 2), (3, 4), (3, 5), (0, 5), (6, 7), (0, 7)}
    assert HEARING.is_complete_subtree(4, 7)
    # "A hearing" is the beginning of a broken yield, "A hearing ... issue" has a stranger inside.
    assert not HEARING.is_complete_subtree(0, 2)
    assert not HEARING.is_complete_subtree(0, 7)


@pytest.mark.parametrize("span", [(0, 0), (3, 2), (-1, 2), (0, 8)])
def test_a_span_must_lie_in_the_sentence(span):
    with pytest.raises(InputError, match="sentence s"):
        DOG.is_complete_subtree(*span)


def test_random_trees_agree_with_the_definitions():
    generator = random.Random(0)
    kinds = set()
    for _ in range(200):
        size = generator.randint(1, 8)
        order = generator.sample(range(1, size + 1), size)
        heads = [0] * size
        for place, word in enumerate(order[1:], start=1):
            heads[word - 1] = generator.choice(order[:place])
        sentence = make(heads)

        ancestors = []  # of each word, itself first
        for word in range(1, size + 1):
            chain = [word]
            while heads[chain[-1] - 1]:
                chain.append(heads[chain[-1] - 1])
            ancestors.append(chain)
        words = range(1, size + 1)
        yields = [{word for word in words if top in ancestors[word - 1]} for top in words]
        crossing = any(
            head and head not in ancestors[between - 1]
            for word, head in enumerate(heads, start=1)
            for between in range(min(word, head) + 1, max(word, head))
        )
        assert sentence.depths().tolist() == [len(chain) for chain in ancestors]
        assert sentence.is_projective() == (not crossing)
        for start in range(size):
            for stop in range(start + 1, size + 1):
                span = set(words[start:stop])
                assert sentence.is_complete_subtree(start, stop) == (span in yields)
        kinds.add(crossing)
    assert kinds == {True, False}


@pytest.mark.parametrize(
    "heads, reason",
    [
        ([2, 3, 1], "no word is the root"),
        ([0, 3, 4, 2], "circle through word"),
        ([0, 2], "circle through word 2"),
        ([0, 0, 1], "words 1, 2 are all roots"),
        ([0, 9], "word 2 has head 9"),
        ([0, None], "no dependency tree"),
    ],
)
def test_what_is_no_tree_has_no_depths(heads, reason):
    sentence = make(heads, sent_id="the-seventh")
    for measure in (sentence.depths, sentence.is_projective, lambda: sentence.is_complete_subtree(0, 1)):
        with pytest.raises(InputError, match=f"the-seventh.*{reason}"):
            measure()


def test_predicates_and_kept_words():
    sentence = make([3, 3, 0, 3], Pred=[0, 2], Keep=[2, 3])
    assert sentence.predicates() == [0, 2]
    assert sentence.kept() == [2, 3]
    assert make([0]).predicates() == [] and make([0]).predicates(verbal_only=True) == []


@pytest.mark.parametrize(
    "upos, xpos, verbal",
    [
        ("VERB", "_", True),
        ("AUX", "_", True),
        ("NOUN", "VBG", False),
        ("_", "VBG", True),
        ("_", "v", True),
        ("_", "NN", False),
        ("_", "MD", False),
    ],
)
def test_verbal_predicates(upos, xpos, verbal):
    sentence = Sentence("s", "w", (Token(1, "w", "_", upos, xpos, 0, "root", {"Pred": "Y"}),))
    assert sentence.predicates(verbal_only=True) == ([0] if verbal else [])


def test_verbal_predicates_need_a_part_of_speech():
    with pytest.raises(InputError, match="sentence s: predicate 'w1' has no part of speech"):
        make([0], Pred=[0]).predicates(verbal_only=True)


def test_sentences_are_frozen_and_travel_between_processes():
    assert pickle.loads(pickle.dumps(DOG)) == DOG
    assert len(DOG) == 7 and DOG.words[2] == "dog"
    with pytest.raises(AttributeError):
        DOG.tokens[0].form = "A"


# CoNLL-U

SPANISH = table(
    "1 « « PUNCT _ _ 2 punct _ SpaceAfter=No",
    "2-3 Vámonos",
    "2 Vamos ir VERB _ Mood=Imp 9 ccomp _ Pred=Y|Keep=Y",
    "3 nos yo PRON _ _ 2 expl:pv",
    "4-5 al",
    "4 a a ADP _ _ 6 case",
    "5 el el DET _ _ 6 det",
    "5.1 gran grande ADJ _ _ _ _ 6:amod",
    "6 mar mar NOUN _ _ 2 obl _ SpaceAfter=No",
    "7 » » PUNCT _ _ 2 punct _ SpaceAfter=No",
    "8 , , PUNCT _ _ 2 punct",
    "9 dijo decir VERB _ _ 0 root _ SpaceAfter=No|Pred=Y",
    "10 . . PUNCT _ _ 9 punct",
    header="# newdoc id = d\n# sent_id = es-1\n# text = «Vámonos al mar», dijo.\n",
)


def test_conllu_with_multiword_tokens_and_empty_nodes(write):
    (sentence,) = treebank.read_conllu(write(SPANISH))
    assert sentence.sent_id == "es-1"
    assert sentence.words == ["«", "Vamos", "nos", "a", "el", "mar", "»", ",", "dijo", "."]
    assert sentence.text == "«Vámonos al mar», dijo."
    assert sentence.surface_text() == sentence.text
    assert sentence.multiword == ((2, 3, "Vámonos", True), (4, 5, "al", True))
    assert sentence.metadata["newdoc id"] == "d"
    assert sentence.predicates() == [1, 8] and sentence.kept() == [1]
    second = sentence.tokens[1]
    assert (second.id, second.lemma, second.upos, second.head, second.deprel) == (2, "ir", "VERB", 9, "ccomp")
    assert second.misc == {"Pred": "Y", "Keep": "Y"}
    assert sentence.has_tree and sentence.depths().tolist() == [3, 2, 3, 4, 4, 3, 3, 3, 1, 2]


TWO = table("1 Dogs dog NOUN NNS _ 2 nsubj", "2 bark bark VERB VBP _ 0 root") + table("1 Yes yes INTJ UH _ 0 root")
DOGS, YES = ["Dogs", "bark"], ["Yes"]
REST = "\t_" * 8 + "\n"  # the rest of a multiword token's line


def test_sentences_without_comments_get_numbers_and_a_text(write):
    first, second = treebank.read_conllu(write(TWO))
    assert (first.sent_id, first.text) == ("1", "Dogs bark")
    assert (second.sent_id, second.text) == ("2", "Yes")


@pytest.mark.parametrize(
    "content",
    [TWO.rstrip(), f"\n\n{TWO}\n\n", TWO.replace("\n", "\r\n"), "\ufeff" + TWO, "# a remark\n\n" + TWO],
    ids=["no last line end", "many blank lines", "Windows line ends", "byte order mark", "comments alone"],
)
def test_harmless_variations_read_the_same(write, content):
    assert [sentence.words for sentence in treebank.read_conllu(write(content))] == [DOGS, YES]


def test_gz_files_are_read_as_they_are(write):
    packed = write(gzip.compress(TWO.encode()), "x.conllu.gz")
    assert treebank.read_conllu(packed) == treebank.read_conllu(write(TWO))


@pytest.mark.parametrize("content", ["", "\n\n", "# only a remark\n"])
@pytest.mark.parametrize("read", [treebank.read_conllu, treebank.read_conll09, treebank.read_nltk_dependency])
def test_an_empty_file_is_an_empty_list(write, read, content):
    if read is treebank.read_nltk_dependency:
        content = content.replace("# only a remark", "")  # that format has no comments
    assert read(write(content, "empty.dp")) == []


def test_streaming_gives_what_precedes_an_error(write):
    stream = treebank.iterate_conllu(write(TWO + "broken\n"))
    assert [next(stream).words, next(stream).words] == [DOGS, YES]
    with pytest.raises(DataFormatError, match="line 6"):
        next(stream)


BAD_CONLLU = {
    "spaces for tabs": (TWO.replace("\t", " ", 9), 1, "1 tab-separated columns, where CoNLL-U has 10"),
    "a column too few": (TWO.replace("VBP\t_\t0", "VBP\t0"), 2, "9 tab-separated columns"),
    "widths differ": (TWO.replace("root\t_\t_\n", "root\t_\t_\t_\n", 1), 2, "11 columns in a sentence"),
    "a missing id": (TWO.replace("2\tbark", "3\tbark"), 2, "ID '3', where 2 was expected"),
    "a word for an id": (TWO.replace("1\tDogs", "x\tDogs"), 1, "ID 'x', where 1 was expected"),
    "a head that is no number": (TWO.replace("\t2\tnsubj", "\ttwo\tnsubj"), 1, "HEAD 'two' is neither"),
    "a negative head": (TWO.replace("\t2\tnsubj", "\t-2\tnsubj"), 1, "HEAD '-2' is neither"),
    "an empty word": (TWO.replace("2\tbark", "2\t"), 2, "the word is empty"),
    "multiword behind": (TWO.replace("2\tbark", f"1-2\tx{REST}2\tbark"), 2, "multiword token 1-2"),
    "multiword too long": (TWO.replace("1\tDogs", f"1-3\tx{REST}1\tDogs"), 1, "goes on after the last"),
    "multiword backwards": (TWO.replace("1\tDogs", f"1-1\tx{REST}1\tDogs"), 1, "multiword token 1-1"),
    "no words": ("1.1" + "\t_" * 9 + "\n", 1, "has no words"),
    "a head out of range": (TWO.replace("\t2\tnsubj", "\t7\tnsubj"), 1, "sentence 1: word 1 has head 7"),
    "no root": (TWO.replace("\t0\troot", "\t1\troot", 1), 1, "sentence 1: no word is the root"),
    "two roots": (TWO.replace("\t2\tnsubj", "\t0\tnsubj"), 1, "sentence 1: words 1, 2 are all roots"),
    "a circle": ("# sent_id = c-7\n" + TWO.replace("\t2\tnsubj", "\t1\tnsubj"), 2, "sentence c-7: .* circle"),
    "no heads": (TWO.replace("\t0\troot", "\t_\troot", 1), 1, "sentence 1: word 2 has no head"),
    "another tool's columns": ("# global.columns = ID UP:PRED\n1\tbe.01\n", 2, "merge it with its treebank"),
    "a zero byte": (TWO.replace("Yes", "Y\0s"), 4, "zero byte"),
    "Latin-1": (TWO.replace("Yes", "Sí").encode("latin-1"), 4, "byte 4 of the line is not UTF-8"),
    "UTF-16": (TWO.encode("utf-16"), 1, "not UTF-8"),
}


@pytest.mark.parametrize("content, line, reason", BAD_CONLLU.values(), ids=list(BAD_CONLLU))
def test_bad_conllu_is_reported_with_file_line_and_reason(write, content, line, reason):
    path = write(content)
    with pytest.raises(DataFormatError, match=reason) as caught:
        treebank.read_conllu(path)
    assert caught.value.path == str(path)
    assert caught.value.line == line


def test_a_damaged_archive_is_reported(write):
    whole = gzip.compress((TWO * 500).encode())
    for content in (whole[: len(whole) // 2], TWO.encode()):
        with pytest.raises(DataFormatError, match="damaged"):
            treebank.read_conllu(write(content, "x.conllu.gz"))


@pytest.mark.parametrize("read", [treebank.read_conllu, treebank.read_conll09, treebank.read_nltk_dependency])
def test_a_missing_file_is_named(tmp_path, read):
    with pytest.raises(ResourceNotFoundError, match="nowhere.conllu"):
        read(tmp_path / "nowhere.conllu")


def test_open_heads_only_where_no_tree_is_asked_for(write):
    path = write(TWO.replace("\t2\tnsubj", "\t_\tnsubj").replace("\t0\troot", "\t_\troot"))
    with pytest.raises(DataFormatError, match="sentence 1: word 1 has no head"):
        treebank.read_conllu(path)
    first, second = treebank.read_conllu(path, require_tree=False)
    assert first.tokens[0].head is None and not first.has_tree
    # Heads that are given must be a tree, asked for or not.
    with pytest.raises(DataFormatError, match="sentence 1: no word is the root"):
        treebank.read_conllu(write(TWO.replace("\t0\troot", "\t1\troot", 1)), require_tree=False)


# Predicates in the layouts of Universal Propositions

COLUMNS = "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC"
PROPOSITIONS = {
    "MISC of 1.0 for English": table(
        "1 Bush Bush PROPN NNP _ 2 nsubj _ Framefile=-|Roleset=-|Args=ARG0",
        "2 left leave VERB VBD _ 0 root _ SpaceAfter=No|Framefile=leave|Roleset=leave.01|Args=V",
        "3 . . PUNCT . _ 2 punct _ Framefile=-|Roleset=-|Args=_",
    ),
    "eleventh column": table(
        "1 Bush Bush PROPN NNP _ 2 nsubj _ _ _ ARG0",
        "2 left leave VERB VBD _ 0 root _ SpaceAfter=No leave.01 V",
        "3 . . PUNCT . _ 2 punct",
        width=12,
    ),
    "columns 9 and 10 of 1.0": table(
        "1 Bush Bush PROPN NNP _ 2 nsubj _ _ A0",
        "2 left leave VERB VBD _ 0 root Y leave.01",
        "3 . . PUNCT . _ 2 punct",
        width=11,
    ),
    "named columns of 2.0": table(
        "1 Bush Bush PROPN NNP _ 2 nsubj _ _ * _ _",
        "2 left leave VERB VBD _ 0 root _ _ * leave.01 A0:1",
        "3 . . PUNCT . _ 2 punct _ _ *",
        width=13,
        header=COLUMNS + " PARSEME:MWE UP:PRED UP:ARGHEADS\n",
    ),
}


@pytest.mark.parametrize("content", PROPOSITIONS.values(), ids=list(PROPOSITIONS))
def test_universal_propositions_in_all_their_layouts(write, content):
    (sentence,) = treebank.read_conllu(write(content))
    assert sentence.predicates() == [1]
    assert sentence.predicates(verbal_only=True) == [1]
    assert sentence.tokens[1].misc["Sense"] == "leave.01"


def test_extra_columns_that_are_no_propositions_mark_no_predicate(write):
    rows = "1 Dogs dog NOUN NNS _ 2 nsubj _ _ 1:VID", "2 bark bark VERB VBP _ 0 root _ _ 1"
    content = table(*rows, width=11, header=COLUMNS + " PARSEME:MWE\n")
    (sentence,) = treebank.read_conllu(write(content))
    assert sentence.predicates() == []


def test_the_first_version_of_comments(write):
    (sentence,) = treebank.read_conllu(write("# sent_id dev-s1/de\n" + table("1 Ja ja PART _ _ 0 root")))
    assert sentence.sent_id == "dev-s1/de"


# CoNLL-2009

CONLL09 = table(
    "1 Profits profit profit NNS NNS _ _ 2 2 SBJ SBJ Y profit.01 A0 A1",
    "2 fell fall fall VBD VBD _ _ 0 0 ROOT ROOT Y fall.01 _ _",
    "3 sharply _ _ RB RB _ _ 2 2 MNR MNR _ _ _ AM-MNR",
    width=16,
) + table("1 Why why why WRB WRB _ _ 0 0 ROOT ROOT _ _", width=14)


def test_conll09(write):
    first, second = treebank.read_conll09(write(CONLL09))
    assert first.words == ["Profits", "fell", "sharply"] and first.text == "Profits fell sharply"
    assert first.predicates() == [0, 1] and first.predicates(verbal_only=True) == [1]
    assert [token.misc.get("Sense") for token in first.tokens] == ["profit.01", "fall.01", None]
    fell = first.tokens[1]
    assert (fell.lemma, fell.upos, fell.xpos, fell.head, fell.deprel) == ("fall", "_", "VBD", 0, "ROOT")
    assert first.depths().tolist() == [2, 1, 2]
    assert second.sent_id == "2" and second.predicates() == []


def test_conll09_without_heads(write):
    lines = CONLL09
    for relation, head in (("SBJ", 2), ("ROOT", 0), ("MNR", 2)):
        lines = lines.replace(f"\t{head}\t{head}\t{relation}", f"\t_\t{head}\t{relation}")
    sentences = treebank.read_conll09(write(lines))
    assert [sentence.has_tree for sentence in sentences] == [False, False]
    with pytest.raises(InputError, match="sentence 1 has no dependency tree"):
        sentences[0].depths()
    with pytest.raises(DataFormatError, match="sentence 1: word 1 has no head"):
        treebank.read_conll09(write(lines), require_tree=True)


def test_conll09_with_predicates_to_be_named(write):
    (sentence,) = treebank.read_conll09(write(table("1 Go go go VB VB _ _ 0 0 ROOT ROOT Y _ _", width=15)))
    assert sentence.predicates() == [0] and "Sense" not in sentence.tokens[0].misc


@pytest.mark.parametrize(
    "old, new, line, reason",
    [
        ("Y\tfall.01", "yes\tfall.01", 2, "FILLPRED is Y or _, not 'yes'"),
        ("Y\tfall.01", "_\tfall.01", 2, "PRED is 'fall.01' where FILLPRED is _"),
        ("3\tsharply", "4\tsharply", 3, "ID '4', where 3 was expected"),
        ("\tAM-MNR", "", 3, "15 columns in a sentence that began with 16"),
        ("ROOT\t_\t_\n", "ROOT\t_\n", 5, "13 tab-separated columns, where CoNLL-2009 has 14"),
        ("\t0\t0\tROOT\tROOT\tY", "\t3\t0\tROOT\tROOT\tY", 1, "sentence 1: no word is the root"),
        ("\t2\t2\tSBJ", "\t1\t2\tSBJ", 1, "sentence 1: the heads run in a circle through word 1"),
    ],
)
def test_bad_conll09_is_reported_with_file_line_and_reason(write, old, new, line, reason):
    assert old in CONLL09
    path = write(CONLL09.replace(old, new))
    with pytest.raises(DataFormatError, match=reason) as caught:
        treebank.read_conll09(path)
    assert (caught.value.path, caught.value.line) == (str(path), line)


# NLTK's dependency treebank

DP = "Stocks\tNNS\t2\nfell\tVBD\t0\n#\t#\t4\n5\tCD\t2\n.\t.\t2\n\nWhy\tWRB\t0\n"


def test_nltk_files_folders_and_archives(tmp_path, write):
    folder = tmp_path / "dependency_treebank"
    folder.mkdir()
    for name in ("wsj_0002.dp", "wsj_0001.dp"):
        (folder / name).write_text(DP)
    archive = tmp_path / "dependency_treebank.zip"
    with zipfile.ZipFile(archive, "w") as target:
        for file in folder.iterdir():
            target.write(file, f"dependency_treebank/{file.name}")

    sentences = treebank.read_nltk_dependency(folder)
    assert [s.sent_id for s in sentences] == ["wsj_0001-1", "wsj_0001-2", "wsj_0002-1", "wsj_0002-2"]
    assert treebank.read_nltk_dependency(archive) == sentences
    assert treebank.read_nltk_dependency(folder / "wsj_0001.dp") == sentences[:2]
    # The Penn Treebank writes the pound sign as #, which is no comment here.
    assert sentences[0].words == ["Stocks", "fell", "#", "5", "."]
    assert [token.xpos for token in sentences[0].tokens] == ["NNS", "VBD", "#", "CD", "."]
    assert sentences[0].depths().tolist() == [2, 1, 3, 2, 2]


def test_nltk_with_relations(write):
    (sentence,) = treebank.read_nltk_dependency(write("He\tPRP\t2\tSUB\ncame\tVBD\t0\tROOT\n", "x.dp"))
    assert [token.deprel for token in sentence.tokens] == ["SUB", "ROOT"]


@pytest.mark.parametrize(
    "content, line, reason",
    [
        ("Why\tWRB\n", 1, "2 tab-separated columns"),
        ("Why WRB 0\n", 1, "1 tab-separated columns"),
        ("\n\nWhy\tWRB\tx\n", 3, "HEAD 'x'"),
        ("a\tX\t0\n\nb\tX\t2\nc\tX\t1\n", 3, "sentence x-2: no word is the root"),
        ("a\tX\t_\n", 1, "sentence x-1: word 1 has no head"),
    ],
)
def test_bad_nltk_files_are_reported(write, content, line, reason):
    with pytest.raises(DataFormatError, match=reason) as caught:
        treebank.read_nltk_dependency(write(content, "x.dp"))
    assert caught.value.line == line


def test_bad_nltk_archives_are_reported(tmp_path, write):
    with pytest.raises(DataFormatError, match="not a zip archive"):
        treebank.read_nltk_dependency(write("no archive", "x.zip"))
    with pytest.raises(DataFormatError, match="no .dp file"):
        treebank.read_nltk_dependency(tmp_path)


# The real treebanks, where they are at hand


def real(relative: str) -> Path:
    """A real file below one of the folders of ``NBHELPERS_DATA``; skips the test where there is none."""
    for folder in filter(None, os.environ.get("NBHELPERS_DATA", "").split(os.pathsep)):
        if (Path(folder) / relative).exists():
            return Path(folder) / relative
    pytest.skip(f"{relative} is in no folder of NBHELPERS_DATA")


@pytest.mark.parametrize(
    "name", ["en_ewt-ud-dev", "en_pud-ud-test", "es_ancora-ud-dev", "ja_gsd-ud-dev", "zh_gsdsimp-ud-dev"]
)
def test_real_universal_dependencies(name):
    path = real(f"ud/{name}.conllu.gz")
    sentences = treebank.read_conllu(path)
    lines = gzip.decompress(path.read_bytes()).decode().split("\n")
    assert len(sentences) == sum(line.startswith("# sent_id = ") for line in lines)
    assert sum(map(len, sentences)) == sum(line.split("\t")[0].isdigit() for line in lines)
    # The published texts follow from the words, multiword tokens and SpaceAfter alone.
    assert [s.surface_text() for s in sentences] == [s.text for s in sentences]
    assert all(s.depths().min() == 1 for s in sentences)
    # Few sentences of any treebank are non-projective, and in these some are.
    projective = sum(s.is_projective() for s in sentences) / len(sentences)
    assert 0.9 < projective < 1


@pytest.mark.parametrize("name", ["wsj-sample", "ewt-dev", "es-ancora-projected"])
def test_real_conll09(name):
    path = real(f"srl/{name}.conll09.gz")
    sentences = treebank.read_conll09(path)
    rows = [line.split("\t") for line in gzip.decompress(path.read_bytes()).decode().split("\n") if line]
    assert len(sentences) == sum(row[0] == "1" for row in rows)
    assert sum(map(len, sentences)) == len(rows)
    marked = [row[13] for row in rows if row[12] == "Y"]
    assert [s.tokens[i].misc["Sense"] for s in sentences for i in s.predicates()] == marked
    if name != "es-ancora-projected":  # its parts of speech are open
        verbs = [row for row in rows if row[12] == "Y" and row[4].startswith("V")]
        assert sum(len(s.predicates(verbal_only=True)) for s in sentences) == len(verbs)


def test_real_nltk_dependency_treebank():
    path = real("nltk_data/corpora/dependency_treebank.zip")
    sentences = treebank.read_nltk_dependency(path)
    assert len(sentences) == 3914  # the size NLTK gives for its sample of the Penn Treebank
    with zipfile.ZipFile(path) as archive:
        first = archive.read("dependency_treebank/wsj_0001.dp").decode().split("\n\n")[0].split("\n")
    expected = [line.split("\t") for line in first]
    assert [[t.form, t.xpos, str(t.head)] for t in sentences[0].tokens] == expected


# The treebanks that ship

SHIPPED = {"en": 120, "es": 40}
UPOS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split()
RELATIONS = (
    "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated "
    "expl fixed "
    "flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum root vocative "
    "xcomp"
).split()
SUBTYPES = (
    "acl:relcl advcl:relcl aux:pass cc:preconj compound:prt csubj:outer csubj:pass det:predet expl:impers "
    "expl:pass expl:pv flat:foreign flat:name nmod:desc nmod:npmod nmod:poss nmod:tmod nmod:unmarked "
    "nsubj:outer nsubj:pass obl:agent obl:arg obl:npmod obl:tmod obl:unmarked"
).split()
CLAUSES = {"root", "conj", "ccomp", "xcomp", "advcl", "acl", "csubj", "parataxis"}


def without_punctuation(sentence: Sentence) -> list[int]:
    return [i for i, token in enumerate(sentence.tokens) if token.upos != "PUNCT"]


def kept_share(sentence: Sentence) -> float:
    words = without_punctuation(sentence)
    return len(set(words) & set(sentence.kept())) / len(words)


@pytest.fixture(scope="module", params=SHIPPED)
def shipped(request) -> tuple[str, list[Sentence]]:
    return request.param, treebank.read_conllu(data_dir() / "corpus" / f"treebank-{request.param}.conllu")


def test_shipped_size(shipped):
    language, sentences = shipped
    assert len(sentences) >= SHIPPED[language]
    wrong = [s.sent_id for s in sentences if not 8 <= len(without_punctuation(s)) <= 30]
    assert wrong == []


def test_shipped_sentences_are_all_different(shipped):
    language, sentences = shipped
    assert len({s.text.lower() for s in sentences}) == len(sentences)
    assert len({s.sent_id for s in sentences}) == len(sentences)


def test_shipped_texts_follow_from_the_words(shipped):
    for sentence in shipped[1]:
        assert sentence.metadata["text"] == sentence.surface_text()


def test_shipped_trees_have_one_root_and_no_circle(shipped):
    # The reader refuses anything else; this says it once more without the reader's own check.
    for sentence in shipped[1]:
        heads = [token.head for token in sentence.tokens]
        assert heads.count(0) == 1, sentence.sent_id
        for word in range(1, len(heads) + 1):
            for _ in heads:
                word = heads[word - 1] if word else 0
            assert word == 0, sentence.sent_id
        assert [t.id for t in sentence.tokens if t.deprel == "root"] == [heads.index(0) + 1], sentence.sent_id


def test_shipped_trees_are_projective_where_they_say_so(shipped):
    for sentence in shipped[1]:
        claim = sentence.metadata["projective"]
        assert claim == ("yes" if sentence.is_projective() else "no"), sentence.sent_id
    assert sum(s.metadata["projective"] == "yes" for s in shipped[1]) > len(shipped[1]) / 2


def test_shipped_labels_are_those_of_universal_dependencies(shipped):
    for sentence in shipped[1]:
        for token in sentence.tokens:
            assert token.upos in UPOS, (sentence.sent_id, token)
            assert token.deprel in RELATIONS + SUBTYPES, (sentence.sent_id, token)
            assert (token.upos == "PUNCT") == (token.deprel == "punct"), (sentence.sent_id, token)
            assert set(token.misc) <= {"Keep", "Pred", "SpaceAfter"}, (sentence.sent_id, token)


def test_shipped_function_words_and_punctuation_govern_nothing_of_content(shipped):
    light = {"fixed", "conj", "cc", "punct", "advmod", "goeswith"}
    for sentence in shipped[1]:
        for token in sentence.tokens:
            head = sentence.tokens[token.head - 1] if token.head else None
            if head and head.deprel.partition(":")[0] in {"aux", "case", "cc", "cop", "mark", "punct"}:
                assert token.deprel in light and head.deprel != "punct", (sentence.sent_id, token)


def test_shipped_predicates(shipped):
    sentences = shipped[1]
    for sentence in sentences:
        marked = [sentence.tokens[i] for i in sentence.predicates()]
        assert {token.upos for token in marked} <= {"VERB", "NOUN", "ADJ", "PROPN"}, sentence.sent_id
        root = next(token for token in sentence.tokens if token.head == 0)
        assert root.is_predicate or root.upos != "VERB", sentence.sent_id
    # Copulas and auxiliaries are not marked, so a sentence may do without; very few do.
    assert sum(not sentence.predicates() for sentence in sentences) <= 0.02 * len(sentences)
    # Beside the verbs there are nouns, so that verbal predicates alone are a different row.
    kinds = [s.tokens[i].upos for s in sentences for i in s.predicates()]
    assert 0 < kinds.count("NOUN") < kinds.count("VERB")
    assert sum(len(s.predicates(verbal_only=True)) for s in sentences) == kinds.count("VERB")


def test_shipped_short_versions_are_connected_and_end_as_sentences(shipped):
    for sentence in shipped[1]:
        tokens, kept = sentence.tokens, set(sentence.kept())
        words = kept & set(without_punctuation(sentence))
        tops = [i for i in words if tokens[i].head - 1 not in words]
        assert len(tops) == 1, (sentence.sent_id, tops)
        top = tops[0]
        assert tokens[top].deprel in CLAUSES, sentence.sent_id
        copulas = [i for i in words if tokens[i].head == top + 1 and tokens[i].deprel == "cop"]
        assert tokens[top].upos in ("VERB", "AUX") or copulas, sentence.sent_id
        assert tokens[-1].upos == "PUNCT" and len(tokens) - 1 in kept, sentence.sent_id


def test_shipped_short_versions_keep_about_half(shipped):
    sentences = shipped[1]
    shares = [kept_share(sentence) for sentence in sentences]
    words = [len(without_punctuation(sentence)) for sentence in sentences]
    assert max(shares) < 1
    assert 0.4 <= sum(shares) / len(shares) <= 0.6
    assert 0.4 <= sum(share * size for share, size in zip(shares, words)) / sum(words) <= 0.6
