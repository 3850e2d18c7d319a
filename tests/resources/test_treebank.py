"""Readers of dependency treebanks and marked predicates, the shape of trees, and the treebanks that ship."""

import gzip
import itertools
import zipfile
from pathlib import Path

import pytest
from refused import damaged

from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError
from nbhelpers.base.paths import data_dir
from nbhelpers.resources import treebank
from nbhelpers.resources.treebank import Sentence, Token


def make(heads):
    """A sentence from 1-based heads."""
    tokens = [Token(i, f"w{i}", "_", "_", "_", head, "_") for i, head in enumerate(heads, start=1)]
    return Sentence("the-seventh", "", tuple(tokens))


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


def test_depths_by_hand():
    the_old_dog_that_barked_slept = [3, 3, 6, 5, 3, 0, 6]
    assert make(the_old_dog_that_barked_slept).depths().tolist() == [3, 3, 2, 4, 3, 1, 2]
    a_hearing_is_scheduled_on_the_issue_today = [2, 4, 4, 0, 7, 7, 2, 4]
    assert make(a_hearing_is_scheduled_on_the_issue_today).depths().tolist() == [3, 2, 2, 1, 4, 4, 3, 2]
    for heads, reason in (([2, 3, 1], "0 words are the root"), ([0, 3, 4, 2], "circle"), ([0, None], "has no head")):
        with pytest.raises(InputError, match=f"the-seventh has no dependency tree: .*{reason}"):
            make(heads).depths()


@pytest.mark.parametrize(
    ("upos", "xpos", "verbal"),
    [("VERB", "_", 1), ("AUX", "_", 1), ("NOUN", "VBG", 0), ("_", "VBG", 1), ("_", "v", 1), ("_", "MD", 0)],
)
def test_verbal_predicates(upos, xpos, verbal):
    sentence = Sentence("s", "w", (Token(1, "w", "_", upos, xpos, 0, "root", {"Pred": "Y"}),))
    assert sentence.predicates() == [0] and sentence.predicates(verbal_only=True) == [0] * verbal
    open_tag = Sentence("s", "w", (Token(1, "w", "_", "_", "_", 0, "root", {"Pred": "Y"}),))
    with pytest.raises(InputError, match="sentence s: predicate 'w' has no part of speech"):
        open_tag.predicates(verbal_only=True)


# CoNLL-U

SPANISH = table(
    "1 « « PUNCT _ _ 2 punct _ SpaceAfter=No",
    "2-3 Vámonos",
    "2 Vamos ir VERB _ Mood=Imp 4 ccomp _ Pred=Y|Keep=Y",
    "3 nos yo PRON _ _ 2 expl:pv",
    "3.1 gran grande ADJ _ _ _ _ 6:amod",
    "4 dijo decir VERB _ _ 0 root _ SpaceAfter=No|Pred=Y",
    header="# newdoc id = d\n# sent_id = es-1\n# text = «Vámonos dijo\n",
)


def test_conllu_with_multiword_tokens_and_empty_nodes(write):
    (sentence,) = treebank.read_conllu(write(SPANISH))
    assert (sentence.sent_id, sentence.text) == ("es-1", "«Vámonos dijo")
    assert sentence.words == ["«", "Vamos", "nos", "dijo"] and len(sentence) == 4
    assert sentence.metadata["newdoc id"] == "d"
    assert sentence.predicates() == [1, 3] and sentence.kept() == [1]
    assert sentence.tokens[1] == Token(2, "Vamos", "ir", "VERB", "_", 4, "ccomp", {"Pred": "Y", "Keep": "Y"})
    assert sentence.depths().tolist() == [3, 2, 3, 1]


TWO = table("1 Dogs dog NOUN NNS _ 2 nsubj", "2 bark bark VERB VBP _ 0 root") + table("1 Yes yes INTJ UH _ 0 root")
DOGS, YES = ["Dogs", "bark"], ["Yes"]


@pytest.mark.parametrize(
    "content",
    [TWO, TWO.rstrip(), f"\n\n{TWO}\n\n", TWO.replace("\n", "\r\n"), "\ufeff" + TWO, "# a remark\n\n" + TWO],
)
def test_harmless_variations_read_the_same(write, content):
    for path in (write(content), write(gzip.compress(content.encode(), mtime=0), "x.conllu.gz")):
        sentences = treebank.read_conllu(path)
        assert [(s.sent_id, s.text, s.words) for s in sentences] == [("1", "Dogs bark", DOGS), ("2", "Yes", YES)]


READERS = [treebank.read_conllu, treebank.read_conll09, treebank.read_nltk_dependency]


@pytest.mark.parametrize("read", READERS)
def test_empty_and_missing_files(tmp_path, write, read):
    assert read(write("\n\n", "empty.dp")) == []
    with pytest.raises(ResourceNotFoundError, match="nowhere.conllu"):
        read(tmp_path / "nowhere.conllu")


def test_open_heads_only_where_no_tree_is_asked_for(write):
    path = write(TWO.replace("\t2\tnsubj", "\t_\tnsubj").replace("\t0\troot", "\t_\troot"))
    with pytest.raises(DataFormatError, match="sentence 1: word 1 has no head"):
        treebank.read_conllu(path)
    assert treebank.read_conllu(path, require_tree=False)[0].tokens[0].head is None


def test_universal_propositions_mark_predicates_in_the_ninth_column(write):
    rows = "1 Bush Bush PROPN NNP _ 2 nsubj _ _ A0", "2 left leave VERB VBD _ 0 root Y leave.01"
    (sentence,) = treebank.read_conllu(write(table(*rows, width=11)))
    assert sentence.predicates() == [1]


# CoNLL-2009

CONLL09 = table(
    "1 Profits profit profit NNS NNS _ _ 2 2 SBJ SBJ Y profit.01 A0 A1",
    "2 fell fall fall VBD VBD _ _ 0 0 ROOT ROOT Y _ _ _",  # the evaluation files leave PRED open
    "3 sharply _ _ RB RB _ _ 2 2 MNR MNR _ _ _ AM-MNR",
    width=16,
) + table("1 Why why why WRB WRB _ _ 0 0 ROOT ROOT _ _", width=14)


def test_conll09(write):
    first, second = treebank.read_conll09(write(CONLL09))
    assert first.words == ["Profits", "fell", "sharply"] and first.text == "Profits fell sharply"
    assert first.predicates() == [0, 1] and first.predicates(verbal_only=True) == [1]
    assert first.tokens[1] == Token(2, "fell", "fall", "_", "VBD", 0, "ROOT", {"Pred": "Y"})
    assert first.depths().tolist() == [2, 1, 2]
    assert second.sent_id == "2" and second.predicates() == []


# NLTK's dependency treebank

DP = "Stocks\tNNS\t2\tSUB\nfell\tVBD\t0\tROOT\n#\t#\t4\n5\tCD\t2\n.\t.\t2\n\nWhy\tWRB\t0\n"


def test_nltk_files_folders_and_archives(tmp_path):
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
    assert [token.deprel for token in sentences[0].tokens] == ["SUB", "ROOT", "_", "_", "_"]
    assert sentences[0].depths().tolist() == [2, 1, 3, 2, 2]


# Bad files

CONLLU, CONLL, NLTK = READERS
BAD = [
    (CONLLU, TWO.replace("\t", " ", 9), 1, "1 tab-separated columns, where the format has 10"),
    (CONLLU, TWO.replace("VBP\t_\t0", "VBP\t0"), 2, "9 tab-separated columns"),
    (CONLLU, TWO.replace("2\tbark", "3\tbark"), 2, "ID '3', where 2 was expected"),
    (CONLLU, TWO.replace("\t2\tnsubj", "\t-2\tnsubj"), 1, "HEAD '-2' is neither"),
    (CONLLU, TWO.replace("2\tbark", "2\t"), 2, "the word is empty"),
    (CONLLU, "1.1" + "\t_" * 9 + "\n", None, "0 words are the root"),
    (CONLLU, TWO.replace("\t2\tnsubj", "\t7\tnsubj"), 1, "sentence 1: word 1 has head 7"),
    (CONLLU, TWO.replace("\t2\tnsubj", "\t0\tnsubj"), 1, "sentence 1: 2 words are the root"),
    (CONLLU, "# sent_id = c-7\n" + TWO.replace("\t2\tnsubj", "\t1\tnsubj"), 2, "sentence c-7: .* circle"),
    (CONLLU, TWO.replace("\t0\troot", "\t_\troot", 1), 1, "sentence 1: word 2 has no head"),
    (CONLLU, TWO.replace("Yes", "Sí").encode("latin-1"), 4, "is not UTF-8"),
    (CONLLU, gzip.compress(TWO.encode(), mtime=0)[:-9], 4, "cut off or damaged"),
    (CONLL, CONLL09.replace("Y\tprofit.01", "yes\tprofit.01"), 1, "FILLPRED is 'yes'"),
    (CONLL, CONLL09.replace("Y\tprofit.01", "_\tprofit.01"), 1, "FILLPRED is '_' and PRED is 'profit.01'"),
    (CONLL, CONLL09.replace("ROOT\t_\t_\n", "ROOT\t_\n"), 5, "13 tab-separated columns, where the format has 14"),
    (CONLL, CONLL09.replace("\t0\t0\tROOT\tROOT\tY", "\t3\t0\tROOT\tROOT\tY"), 1, "1: 0 words are the root"),
    (NLTK, "Why\tWRB\n", 1, "2 tab-separated columns"),
    (NLTK, "a\tX\t0\n\nb\tX\t2\nc\tX\t1\n", 3, "sentence file-2: 0 words are the root"),
]


@pytest.mark.parametrize(("read", "content", "line", "reason"), BAD)
def test_bad_files_are_reported_with_file_line_and_reason(write, read, content, line, reason):
    path = write(content)
    with damaged(path, line, reason):
        read(path)


def test_bad_archives_and_folders(tmp_path, write):
    for path, reason in ((write("no archive", "x.zip"), "not a zip archive"), (tmp_path, "no .dp file")):
        with pytest.raises(DataFormatError, match=reason):
            treebank.read_nltk_dependency(path)


# The treebanks that ship

UPOS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split()
RELATIONS = (  # without subtypes
    "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated expl fixed "
    "flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum root vocative xcomp"
).split()
CLAUSES = {"root", "conj", "ccomp", "xcomp", "advcl", "acl", "csubj", "parataxis"}


def without_punctuation(sentence: Sentence) -> list[int]:
    return [i for i, token in enumerate(sentence.tokens) if token.upos != "PUNCT"]


def is_projective(sentence: Sentence) -> bool:
    """No two arcs cross, that from before the sentence to the root among them."""
    arcs = [sorted((token.head, token.id)) for token in sentence.tokens]
    return not any(a < c < b < d for (a, b), (c, d) in itertools.permutations(arcs, 2))


@pytest.fixture(scope="module", params=["en", "es"])
def path(request) -> Path:
    return data_dir() / "corpus" / f"treebank-{request.param}.conllu"


@pytest.fixture(scope="module")
def shipped(path) -> list[Sentence]:
    return treebank.read_conllu(path)


def test_shipped_sizes_texts_and_trees(path, shipped):
    assert len(shipped) >= (120 if "-en" in path.stem else 40)
    assert len({s.text.lower() for s in shipped}) == len({s.sent_id for s in shipped}) == len(shipped)
    assert [s.sent_id for s in shipped if not 8 <= len(without_punctuation(s)) <= 30] == []
    for sentence in shipped:
        assert sentence.metadata["projective"] == ("yes" if is_projective(sentence) else "no"), sentence.sent_id
    assert sum(s.metadata["projective"] == "yes" for s in shipped) > len(shipped) / 2


def test_shipped_texts_follow_from_the_words(path, shipped):
    for sentence, block in zip(shipped, path.read_text(encoding="utf-8").strip().split("\n\n"), strict=True):
        rows = [line.split("\t") for line in block.split("\n") if not line.startswith("#")]
        parts, last = [], 0
        for id, form, *_, misc in rows:
            if int(id.partition("-")[0]) > last:  # a multiword token stands for its words
                parts.append(form + " " * ("SpaceAfter=No" not in misc))
                last = int(id.rpartition("-")[2])
        assert "".join(parts).strip() == sentence.text


def test_shipped_labels_are_those_of_universal_dependencies(shipped):
    for sentence in shipped:
        for token in sentence.tokens:
            place = (sentence.sent_id, token)
            assert token.upos in UPOS and token.deprel.partition(":")[0] in RELATIONS, place
            assert (token.head == 0) == (token.deprel == "root"), place
            assert (token.upos == "PUNCT") == (token.deprel == "punct"), place
            assert set(token.misc) <= {"Keep", "Pred", "SpaceAfter"}, place


def test_shipped_predicates(shipped):
    for sentence in shipped:
        marked = [sentence.tokens[i] for i in sentence.predicates()]
        assert {token.upos for token in marked} <= {"VERB", "NOUN", "ADJ", "PROPN"}, sentence.sent_id
        root = next(token for token in sentence.tokens if token.head == 0)
        assert root.is_predicate or root.upos != "VERB", sentence.sent_id
    # Copulas and auxiliaries are not marked, so a sentence may do without; very few do.
    assert sum(not sentence.predicates() for sentence in shipped) <= 0.02 * len(shipped)
    kinds = [s.tokens[i].upos for s in shipped for i in s.predicates()]
    assert sum(len(s.predicates(verbal_only=True)) for s in shipped) == kinds.count("VERB") < len(kinds)


def test_shipped_short_versions_are_connected_and_keep_about_half(shipped):
    shares = []
    for sentence in shipped:
        tokens, kept = sentence.tokens, set(sentence.kept())
        words = kept & set(without_punctuation(sentence))
        (top,) = (i for i in words if tokens[i].head - 1 not in words)
        assert tokens[top].deprel in CLAUSES, sentence.sent_id
        copulas = [i for i in words if tokens[i].head == top + 1 and tokens[i].deprel == "cop"]
        assert tokens[top].upos in ("VERB", "AUX") or copulas, sentence.sent_id
        assert tokens[-1].upos == "PUNCT" and len(tokens) - 1 in kept, sentence.sent_id
        shares.append(len(words) / len(without_punctuation(sentence)))
    assert max(shares) < 1 and 0.4 <= sum(shares) / len(shares) <= 0.6
