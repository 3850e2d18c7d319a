"""Readers of summary collections: made-up files in the layout of each source, the shipped topics, bad input."""

import gzip
import json
import math

import pytest
from refused import refused

from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError
from nbhelpers.studies.paraphrase.collections import CandidateSummary, SummaryTopic, open_collection


def topic(*candidates):
    return SummaryTopic("t", "en", (), tuple(CandidateSummary(*one) for one in candidates))


def write_json(path, content) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as stream:
        stream.write(content if isinstance(content, str) else json.dumps(content))


def realsumm_files(folder, **changes):
    """Two documents, systems *abs*, *ext* and the one that the official files list twice."""
    systems = {"abs_out.txt": 0.5, "bart_out.txt": 0.7, "ext_out.txt": 0.25}
    main = {
        name: {
            "src": "the document",
            "ref_summ": "the reference",
            "sys_summs": {
                s: {"sys_summ": f"{s} says", "scores": {"litepyramid_recall": v}} for s, v in systems.items()
            },
        }
        for name in ("52", "2")
    }
    published = {
        kind: {name: {"doc_id": name, "system_summaries": dict.fromkeys(names, {})} for name in main}
        for kind, names in (("abs", ["abs_out.txt", "bart_out.txt"]), ("ext", ["ext_out.txt", "bart_out.txt"]))
    }
    files = {
        "realsumm": main,
        "realsumm_abs_scores": published["abs"],
        "realsumm_ext_scores": published["ext"],
    } | changes
    for name, content in files.items():
        write_json(folder / "summaries" / f"{name}.json.gz", content)
    return main


def test_the_system_in_both_files_of_realsumm_is_abstractive(tmp_path):
    realsumm_files(tmp_path)
    found = open_collection("realsumm", tmp_path)
    assert [topic.id for topic in found] == ["52", "2"]
    first = found.topics[0]
    assert [(one.id, one.kind, one.score) for one in first.candidates] == [
        ("abs_out.txt", "abstract", 0.5),
        ("bart_out.txt", "abstract", 0.7),
        ("ext_out.txt", "extract", 0.25),
    ]
    assert first.references == (CandidateSummary("reference", "abstract", "the reference"),)
    assert found.signature.startswith("realsumm@") and found.signature.endswith("|score:litepyramid-recall")


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        ({"ext_out.txt": {"sys_summ": "a", "scores": {}}}, "gz: document '2', .* has no litepyramid_recall"),
        ({"new_out.txt": {}}, "document '2', .* has no new_out.txt"),
        ([], "document '2', .* is not as it should be"),
    ],
)
def test_realsumm_documents_that_are_damaged(tmp_path, systems, message):
    main = realsumm_files(tmp_path)
    main["2"]["sys_summs"] = main["2"]["sys_summs"] | systems if "ext_out.txt" in systems else systems
    realsumm_files(tmp_path, realsumm=main)
    with pytest.raises(DataFormatError, match=message):
        open_collection("realsumm", tmp_path)


def test_summeval_kinds_and_scores(tmp_path):
    kinds = {"M0": "extract", "M5": "extract", "M7": "extract", "M8": "abstract", "M23": "abstract", "GPT": ""}
    systems = {name: {"sys_summ": name, "scores": {"coherence": 1, "relevance": 4}} for name in kinds}
    content = {"d": {"src": "text", "ref_summ": "r", "ref_summs": ["r", "s"], "sys_summs": systems}}
    path = tmp_path / "summeval.json.gz"
    write_json(path, content)
    found = open_collection("summeval", path)
    assert {one.id: one.kind for one in found.topics[0].candidates} == kinds
    assert {one.score for one in found.topics[0].candidates} == {4.0}
    assert [one.text for one in found.topics[0].references] == ["r", "s"]
    systems["M8"]["sys_summ"] = "  "
    write_json(path, content)
    with pytest.raises(DataFormatError, match="topic 'd', summary 'M8' is empty"):
        open_collection("summeval", path)


def test_shipped_topics():
    english = open_collection("topics")
    for topic in english:
        assert len(topic.references) == 4
        assert [one.kind for one in topic.candidates].count("extract") == len(topic.candidates) / 2 == 3
        for one in topic.candidates:
            assert 0 < one.score < 1
    japanese = open_collection("topics-ja")
    assert japanese.language == "ja" and len(japanese.topics) == 5
    assert all({one.kind for one in topic.references} == {"abstract", "extract"} for topic in japanese)
    assert english.signature.startswith("topics@") and japanese.signature.startswith("topics-ja@")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"id": "a",\n"language"', "a.json, line 2: is not JSON"),
        ('{"id": "a", "references": []}', "has no candidates"),
        ('{"id": "a", "references": [{"id": "R", "kind": "abstract", "rating": 4}]}', "has no text"),
        (
            '{"id": "a", "references": [{"id": "R", "kind": "abstract", "text": "b", "rating": 5}], "candidates": []}',
            "not from 1 to 4",
        ),
    ],
)
def test_japanese_topics_that_are_none(tmp_path, text, reason):
    (tmp_path / "a.json").write_text(text, encoding="utf-8")
    with pytest.raises(DataFormatError, match=reason):
        open_collection("topics-ja", tmp_path)


test_bad_arguments = refused(
    (lambda: open_collection("duc"), "no collection 'duc'; there are realsumm, summeval, topics"),
    (lambda: open_collection("realsumm", "/none"), "realsumm: there is nothing at the given path"),
    (lambda: topic(("b", "extract", "text")), "summary 'b' has the score None"),
    (lambda: topic(("b", "extract", "text", math.nan)), "has the score nan"),
    (lambda: topic(*[("b", "extract", "text", 1.0)] * 2), "comes twice"),
    (lambda: topic(("b", "cut", "text", 1.0)), "is of kind 'cut'"),
    (lambda: topic(("b", "extract", 3, 1.0)), "is empty or no text"),
    (topic, "has no candidates"),
    error=(InputError, ResourceNotFoundError),
)


@pytest.mark.usefixtures("real_data")
def test_real_collections():
    """24 distinct systems of REALSumm, 10 of them extractive; 4 extractive ones of SummEval's 16, 11 references."""
    realsumm, summeval = open_collection("realsumm"), open_collection("summeval")
    for collection, references, extracts, candidates in ((realsumm, 1, 10, 24), (summeval, 11, 4, 16)):
        assert len(collection.topics) == 100 and {len(topic.references) for topic in collection} == {references}
        kinds = [one.kind for topic in collection for one in topic.candidates]
        assert (kinds.count("extract"), len(kinds)) == (100 * extracts, 100 * candidates)
    assert len({one.id for topic in realsumm for one in topic.candidates}) == 24
