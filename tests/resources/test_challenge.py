"""Readers of the challenge sets: each official format in small, the direction of labels, and bad rows."""

import json

import pytest
from refused import damaged, refused

from nbhelpers.base.errors import ResourceNotFoundError
from nbhelpers.resources import challenge, data


def lines(folder, name, *rows):
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("\n".join(rows) + "\n", encoding="utf-8")


def entries(folder, name, *rows):
    lines(folder, name, json.dumps(list(rows)))


def found(name, folder, part="test"):
    return [(p.source, p.candidate, p.label, p.kind) for p in challenge.read(name, part, folder).pairs]


def test_tables(tmp_path):
    lines(tmp_path, "stsb-en-test.csv", '"A, a.",B.,5.0', "C.,D.,0.25")
    assert found("stsb", tmp_path) == [("A, a.", "B.", 5.0, ""), ("C.", "D.", 0.25, "")]
    head = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment"
    lines(tmp_path, "SICK_test_annotated.txt", head, '6\tA "a\tB\t3.3\tNEUTRAL')
    assert found("sick", tmp_path) == [('A "a', "B", 3.3, "NEUTRAL")]
    lines(tmp_path, "dev.tsv", '1\tA " a .\tB .\t0')
    assert found("paws-wiki", tmp_path, "dev") == [('A " a .', "B .", 0.0, "")]
    rows = ("2.5\tA b\tC", "\tA\tC")
    lines(tmp_path / "sts", "2015-images.test.tsv", *rows)
    assert found("sts-years", tmp_path, "train") == [("A b", "C", 2.5, "2015-images.test")]
    head = "Four-class labels\tBinary labels\tEntity\tDefinition1\tDefinition2"
    lines(tmp_path / "parade", "PARADE_test.txt", head, '3\t1\tqueue\tA "b\tC')
    assert found("parade", tmp_path) == [('A "b', "C", 3.0, "queue")]
    lines(tmp_path / "apt", "human-test.tsv", "text_a\ttext_b\tlabels", "A\tB\t1", "A\t\t0")
    assert found("apt", tmp_path) == [("A", "B", 1.0, "")]
    lines(tmp_path, "dev_and_test.tsv", "id\tsentence1\tsentence2\tlabel", "1\tb'Caf\\xc3\\xa9 ?'\tb\"I 'm .\"\t1")
    assert found("paws-qqp", tmp_path) == [("Café ?", "I 'm .", 1.0, "")]
    lines(tmp_path, "msr-para-test.tsv", "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String", '1\t2\t3\t"A\tB')
    assert found("msrp", tmp_path) == [('"A', "B", 1.0, "")]
    lines(tmp_path, "nan_nli.tsv", "sentence\tnegated", "A.\tNot A.")
    assert found("nan-nli", tmp_path) == [("A.", "Not A.", 0.0, "")]
    head = "sentence1,sentence1_lex,sentence1_edited,sentence2_edited,gold_label_edited"
    lines(tmp_path / "test", "two_scoped.csv", head, "no dog,dog,No dog!,No pug!,neutral")
    assert found("scone", tmp_path) == [("No dog!", "No pug!", 0.0, "two_scoped")]
    assert challenge.read("scone", path=tmp_path).pairs[0].group == "no …"


def test_the_best_of_several(tmp_path):
    row = {"idx": 7, "label": 2, "input": "A.", "sentences": ["B.", "C.", "D."]}
    lines(tmp_path, "SemAntoNeg_v1.0.json", json.dumps(row), json.dumps(row | {"idx": 8}))
    pairs = challenge.read("semantoneg", path=tmp_path).pairs
    expected = [("B.", 0.0, "7"), ("C.", 0.0, "7"), ("D.", 1.0, "7"), ("B.", 0.0, "8")]
    assert [(p.candidate, p.label, p.item) for p in pairs[:4]] == expected
    assert {p.group for p in pairs} == {"A."}
    lines(tmp_path, "num.txt", "3\tnone\tA 2\tnone\tA two\tA 9")
    lines(tmp_path, "add.txt", "3\tnone\tA 2\tnone\tA two\tA 2 b")
    pairs = challenge.read("menli", path=tmp_path).pairs
    expected = [("A 2 b", 0.0, "add", "add 3"), ("A two", 1.0, "num", "num 3")]
    assert [(p.candidate, p.label, p.kind, p.item) for p in pairs][1:3] == expected
    article = "It rained in May. The ferry sank near Split. Nobody died. A cat slept. It was new."
    row = {"id": 1, "article": article, "article_id": 5, "corrected_error_type": "Extrinsic Entity Error"}
    row |= {"reference_summary": "The ferry sank", "edited_summary": "The cat sank"}
    entries(tmp_path, "task1_dataset.json", row)
    good, bad = challenge.read("bump", path=tmp_path).pairs
    assert (good.label, bad.label, good.kind, good.group) == (1.0, 0.0, "extrinsic entity", "5")
    assert good.source == bad.source == "It rained in May. The ferry sank near Split. Nobody died."


def test_labels_rise_with_meaning(tmp_path):
    rows = [{"ExampleId": 1, "Complex": "A.", "Simplified": "B.", "Deletion": severity} for severity in (0, 2, -1)]
    entries(tmp_path, "x_wikilarge_deletion.json", *rows)
    assert found("simplification-errors", tmp_path) == [("A.", "B.", 0.0, "deletion"), ("A.", "B.", -2.0, "deletion")]
    head = "worker_id_anon\tref_id\tcandidate\thuman_score"
    lines(tmp_path, "ref.tsv", "ref_id\tref_sent", "9\tA.")
    lines(tmp_path, "candidates.tsv", head, "1\t9\tB.\t80", "2\t9\tB.\t100", "1\t9\tA.\t100", "1\t9\tx x\t")
    assert [(p.source, p.candidate, p.label, p.ratings) for p in challenge.read("parabank", path=tmp_path).pairs] == [
        ("A.", "B.", 90.0, (80.0, 100.0))
    ]
    rows = [{"original_summary": "A.", "summary": text, "label": label} for text, label in (("A.", 1), ("B.", 0))]
    entries(tmp_path, "summedits_samsum.json", *rows)
    assert found("summedits", tmp_path) == [("A.", "B.", 0.0, "samsum")]


@pytest.mark.parametrize(
    ("name", "file", "content", "line", "reason"),
    [
        ("stsb", "stsb-en-test.csv", ["A.,B.,5", "A.,B."], 2, "more or fewer cells"),
        ("stsb", "stsb-en-test.csv", ["A., ,5"], 1, "a text is empty"),
        ("stsb", "stsb-en-test.csv", ["A.,B.,nan"], 1, "the label is nan"),
        ("stsb", "stsb-en-test.csv", ['A.,"B.,5'], 1, "cut off"),
        ("nan-nli", "nan_nli.tsv", ["sentence\tedited", "A.\tB."], 2, "lacks 'negated'"),
        ("nan-nli", "nan_nli.tsv", ["sentence\tnegated"], None, "holds no pairs"),
        ("med", "MED.tsv", ["sentence1\tsentence2\tgold_label\tgenre", "A\tB\tmaybe\t"], 2, "lacks 'maybe'"),
        ("bump", "task1_dataset.json", ['[{"id": 1,', '"article": '], 3, "is not JSON"),
        (
            "semantoneg",
            "SemAntoNeg_v1.0.json",
            ['{"idx": 1, "label": 0, "input": "A", "sentences": ["B"]}', "{"],
            2,
            "is not",
        ),
        ("bump", "task1_dataset.json", ['[{"id": 1}]'], 1, "lacks 'reference_summary'"),
    ],
)
def test_bad_rows_are_named(tmp_path, name, file, content, line, reason):
    lines(tmp_path, file, *content)
    with damaged(tmp_path / file, line, reason):
        challenge.read(name, path=tmp_path)


def test_what_is_not_there(monkeypatch, tmp_path):
    monkeypatch.setenv("NBHELPERS_DATA", str(tmp_path))
    with pytest.raises(ResourceNotFoundError, match="To get it: clone"):
        challenge.read("menli")


test_unknown_names = refused(
    (lambda: challenge.read("paws_wiki"), "did you mean 'paws-wiki'"),
    (lambda: challenge.read("paws-wiki", "train"), "no part 'train'"),
)


def test_every_set_is_registered_and_the_own_ones_ship():
    known = data.registry()
    assert {spec.resource for spec in challenge._SETS.values()} - {""} <= set(known)
    own = {
        name: challenge.read(name)
        for name in ("rated-pairs", "minimal-pairs", "tried-pairs", "everyday-pairs", "own-rewordings")
    }
    sizes = {"rated-pairs": 250, "minimal-pairs": 96, "tried-pairs": 60, "everyday-pairs": 40, "own-rewordings": 1320}
    assert {name: len(each.frame) for name, each in own.items()} == sizes
    assert own["tried-pairs"].frame.label.sum() == 36 and own["everyday-pairs"].frame.label.sum() == 19
    assert own["minimal-pairs"].frame.label.mean() == 0.5 and own["rated-pairs"].located.is_shipped
