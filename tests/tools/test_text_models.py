"""Training and measuring the models of the English text engine, on a toy treebank."""

import json
import zipfile

import text_models

from nbhelpers import language as text
from nbhelpers.resources.treebank import Sentence, Token

TREES = [("The", "dog", "NN", "barks"), ("A", "cat", "NN", "sleeps"), ("The", "Fox", "NNP", "sings")] * 4
TINY = "".join(
    ("# newpar\n" if number % 2 == 0 else "")
    + f"# text = {a} {b} {c}.\n1\t{a}\t_\t_\tDT\t_\t_\t_\t_\t_\n2\t{b}\t_\t_\t{tag}\t_\t_\t_\t_\t_\n"
    f"3\t{c}\t_\t_\tVBZ\t_\t_\t_\t_\tSpaceAfter=No\n4\t.\t_\t_\t.\t_\t_\t_\t_\t_\n\n"
    for number, (a, b, tag, c) in enumerate(TREES)
)
PENN = "( (S (NP-SBJ (-NONE- *)) (VP (VB Go))\n   (. .) ))\n( (S (NP (DT The) (NN end)) (-RRB- -RRB-)))\n"


def test_training_learns_repeats_and_is_measured(tmp_path, capsys):
    (tmp_path / "tiny.conllu").write_text(TINY, encoding="utf-8")
    paragraphs = ["Mr. Fox met Mr. Hen. The dog sleeps. " * 20, "A cat saw Mr. Fox. The bird sings. " * 20]
    (tmp_path / "text.jsonl").write_text(json.dumps({"paragraphs": paragraphs}) + "\n", encoding="utf-8")
    arguments = ["train", "--treebank", str(tmp_path / "tiny.conllu"), "--text", str(tmp_path / "text.jsonl"), "--out"]
    for name in ("first", "second"):
        assert text_models.main([*arguments, str(tmp_path / name)]) == 0
    for name in ("tagger.json.gz", "sentences.json.gz"):
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes()
    engine = text.load_english(tmp_path / "first")
    assert engine.sentences("Mr. Fox sings. A cat sleeps.") == ["Mr. Fox sings.", "A cat sleeps."]

    card = tmp_path / "first" / "README.md"
    card.write_text("# Card\n<!-- accuracy -->\nold\n<!-- end of accuracy -->\nend\n", encoding="utf-8")
    (tmp_path / "first" / "accuracy.json").write_text('{"other": {}}', encoding="utf-8")
    names = '{"text": "Oslo fell.", "entities": [[0, 4]], "part": "dev"}\n'
    (tmp_path / "names.jsonl").write_text(names * 3, encoding="utf-8")
    options = ["--test", str(tmp_path / "tiny.conllu"), "--names", str(tmp_path / "names.jsonl")]
    assert text_models.main(["measure", "--models", str(tmp_path / "first"), *options]) == 0
    accuracy = json.loads((tmp_path / "first" / "accuracy.json").read_text())
    rows = accuracy["shipped"]
    assert list(accuracy) == ["other", "shipped"] and rows["Penn tags | tiny"]["n"] == 48
    assert rows["Penn tags | tiny"]["value"] == rows["token boundaries, F | tiny"]["value"] == 1
    assert "\n| Penn tags | tiny | 48 |  | 1.0000 [" in card.read_text() and "old" not in card.read_text()
    assert card.read_text().endswith("<!-- end of accuracy -->\nend\n") and "| 48 |" in capsys.readouterr().out


def test_sentence_ends_are_measured_inside_paragraphs():
    rows = (("He", "left", "Oslo"), ("She", "left", "Oslo", "."), ("then", "Oslo", "fell"), ("Oslo", "stood", "."))
    tags = [tuple("NNP" if token == "Oslo" else "VBD" for token in row) for row in rows]
    starts = ("newpar", "", "", "newdoc id")
    tokens = [tuple(Token(1, w, "_", "_", tag, None, "_") for w, tag in zip(*both)) for both in zip(rows, tags)]
    texts = [" ".join(row).replace(" .", ".") for row in rows]
    sentences = [Sentence("", t, own, {"text": t, start: ""}) for t, own, start in zip(texts, tokens, starts)]
    measured = text_models.measure_treebank(text.load_english(), sentences)["sentence ends, F"]
    assert measured["n"] == 2 and measured["recall"] == 0.5 and measured["precision"] == 1  # not before "She"


def test_the_penn_treebank_is_read_without_traces(tmp_path):
    with zipfile.ZipFile(tmp_path / "treebank.zip", "w") as archive:
        archive.writestr("treebank/combined/wsj_0001.mrg", "\n" + PENN)
    one, two = text_models.read_treebank(tmp_path / "treebank.zip")
    assert (one.words, text_models.tags_of(one)) == (["Go", "."], ["VB", "."])
    assert (two.words, text_models.tags_of(two)) == (["The", "end", ")"], ["DT", "NN", "-RRB-"])


def test_a_broken_treebank_is_named_with_its_line(tmp_path, capsys):
    (tmp_path / "bad.conllu").write_text("# text = x\n1\tx\tx\n", encoding="utf-8")
    arguments = ["train", "--treebank", str(tmp_path / "bad.conllu"), "--text", "x", "--out", str(tmp_path)]
    assert text_models.main(arguments) == 2
    assert "line 2: 3 tab-separated columns" in capsys.readouterr().err
