"""The registry of metrics, all of them in one call, and the command line that stands on it."""

import io
import json
import os
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

from nbhelpers import __main__ as entry
from nbhelpers import metrics
from nbhelpers.base import stats
from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError
from nbhelpers.metrics import command, registry
from nbhelpers.metrics.metric import Metric

ROOT = Path(__file__).resolve().parents[2]
PAPER = [
    "fkgl",
    "bertscore-precision",
    "bertscore-recall",
    "bertscore-f1",
    "blanc",
    "bleu",
    "bleu-samsa-am",
    "bleu-samsa-gm",
    "bleurt",
    "coverage",
    "ibleu",
    "fkbleu",
    "lens",
    "meteor",
    "questeval",
    *(f"rouge{kind}-{part}" for kind in "12L" for part in ("precision", "recall", "f1")),
    "samsa",
    "sari",
    "sentence-transformer",
    "ter",
    "meaningbert",
]


@pytest.fixture
def small_registry(monkeypatch):
    """Three measures: one that runs and counts its work, one that needs something, one whose module is not there."""
    module = types.ModuleType("nbhelpers_test_metrics")
    module.calls = []

    @registry.shared
    def lengths(texts, scale=1):
        module.calls.append(list(texts))
        return [scale * len(text) for text in texts]

    def make(part, scale=1):
        def compute(sources, candidates, references):
            if "refuse" in candidates:
                raise InputError("this text is refused: 'refuse'.")
            return [part * value for value in lengths(candidates, scale)]

        return Metric(f"length{part}", f"Length {part}", (0, float("inf")), True, False, f"length{part}|v:1", compute)

    def lacking():
        raise ResourceNotFoundError("Weights of this model are missing; fetch them from its page.")

    module.make, module.lacking = make, lacking
    monkeypatch.setitem(sys.modules, module.__name__, module)
    specifications = {
        "length1": registry.Specification("Length 1", module.__name__, "make", {"part": 1}),
        "length2": registry.Specification("Length 2", module.__name__, "make", {"part": 2}),
        "lacking": registry.Specification("Lacking", module.__name__, "lacking"),
        "absent": registry.Specification("Absent", "nbhelpers_test_absent", "make"),
    }
    monkeypatch.setattr(registry, "SPECIFICATIONS", specifications)
    return module


# --------------------------------------------------------------------------------------------------------- registry


def test_names_are_those_of_the_paper_and_then_the_others():
    assert metrics.names() == [*PAPER, "ndd", "word-vectors", "length-ratio", "source-recall", "token-f1"]


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("bleu", "bleu"),
        ("BLEU", "bleu"),
        ("bertscore", "bertscore-f1"),
        ("rouge1", "rouge1-f1"),
        ("rougeL", "rougeL-f1"),
        ("ROUGEl-Recall", "rougeL-recall"),
        (" ndd ", "ndd"),
    ],
)
def test_names_and_aliases(given, name):
    assert metrics.resolve(given) == name


def test_unknown_names_and_options():
    with pytest.raises(InputError, match="no metric 'blue'; did you mean 'bleu'"):
        metrics.load("blue")
    with pytest.raises(InputError, match="no metric 'qqqq'; choose from fkgl, "):
        metrics.load("qqqq")
    with pytest.raises(InputError, match="bleu has no such options.*'smooth'.*it takes tokenize, smooth_method"):
        metrics.load("bleu", smooth="exp")
    with pytest.raises(InputError, match="rouge1-f1 has no such options"):
        metrics.load("rouge1-f1", encoder="x")
    with pytest.raises(InputError, match="bleu is asked for more than once"):
        metrics.score_all(["a"], ["a"], metrics=["bleu", "BLEU"])


def test_what_cannot_run_keeps_its_place_with_the_reason(small_registry):
    found = metrics.available()
    assert list(found) == ["length1", "length2", "lacking", "absent"]
    assert isinstance(found["length1"], Metric)
    assert found["lacking"] == "Weights of this model are missing; fetch them from its page."
    assert found["absent"] == "Absent needs nbhelpers_test_absent, which is not installed."
    with pytest.raises(ResourceNotFoundError, match="fetch them"):
        metrics.load("lacking")
    result = metrics.score_all(["a", "b"], ["abc", "a"], progress=False)
    assert {name: values.tolist() for name, values in result["values"].items()} == {
        "length1": [3, 1],
        "length2": [6, 2],
    }
    assert result["missing"] == {"lacking": found["lacking"], "absent": found["absent"]}
    assert result["seconds"].keys() == result["values"].keys() and min(result["seconds"].values()) >= 0


def test_a_package_that_a_module_needs_is_named(monkeypatch, tmp_path):
    (tmp_path / "nbhelpers_test_needy.py").write_text("import nbhelpers_no_such_package\n")
    monkeypatch.syspath_prepend(tmp_path)
    needy = {"needy": registry.Specification("Needy", "nbhelpers_test_needy", "make")}
    monkeypatch.setattr(registry, "SPECIFICATIONS", needy)
    with pytest.raises(ResourceNotFoundError, match="Needy needs the Python package nbhelpers_no_such_package: pip"):
        metrics.load("needy")


def test_a_family_computes_once_and_only_within_one_call(small_registry):
    for calls in (1, 2):
        metrics.score_all(["a", "b"], ["abc", "a"], metrics=["length1", "length2"], progress=False)
        assert small_registry.calls == [["abc", "a"]] * calls
    other_scale = metrics.load("length2", scale=3)
    metrics.score_all(["a", "b"], ["abc", "a"], metrics=["length1", other_scale], progress=False)
    assert len(small_registry.calls) == 4  # other options are other work
    metrics.load("length1")(["a"], ["b"])
    metrics.load("length1")(["a"], ["b"])
    assert len(small_registry.calls) == 6
    with pytest.raises(InputError):
        metrics.score_all(["a"], [" "], progress=False)
    assert registry._results.get() is None


def test_a_metric_that_refuses_a_text_does_not_stop_the_others(small_registry):
    bleu = metrics.Metric(
        "same", "Same", (0, 1), True, False, "same", lambda s, c, r: [float(x == y) for x, y in zip(s, c)]
    )
    result = metrics.score_all(["a", "b"], ["refuse", "b"], metrics=["length1", bleu], progress=False)
    assert result["missing"] == {"length1": "this text is refused: 'refuse'."}
    assert result["values"]["same"].tolist() == [0, 1]


SOURCES = ["The cat sat on the mat.", "A cold rain fell.", "The cat sat on the mat."]
CANDIDATES = ["The cat sat.", "A cold rain fell.", "A dog."]


def test_all_in_one_call_equals_each_by_itself():
    chosen = ["bleu", "ibleu", "fkbleu", "fkgl", "rouge1-precision", "rougeL-f1", "sari", "meteor", "ter", "token-f1"]
    for references in (None, [["The cat sat."], ["It rained.", "Rain fell."], ["A dog sat."]]):
        together = metrics.score_all(SOURCES, CANDIDATES, references, metrics=chosen, progress=False)
        assert list(together["values"]) == chosen and not together["missing"]
        for name in chosen:
            expected = metrics.load(name)(SOURCES, CANDIDATES, references)
            np.testing.assert_array_equal(together["values"][name], expected)


def test_progress_is_lines_where_there_is_no_terminal(small_registry, monkeypatch, capsys):
    monkeypatch.setattr("nbhelpers.base.progress.LINE_EVERY", 0.0)
    metrics.score_all(["a"], ["b"], metrics=["length1", "length2"])
    assert [line.split(",")[0] for line in capsys.readouterr().err.splitlines()] == [
        "metrics over 1 pairs: 1 of 2",
        "metrics over 1 pairs: 2 of 2",
    ]
    metrics.score_all(["a"], ["b"], metrics=["length1"], progress=False)
    assert capsys.readouterr().err == ""


def test_progress_is_a_bar_on_a_terminal(small_registry, monkeypatch, capsys):
    monkeypatch.delenv("NBHELPERS_HEADLESS", raising=False)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    metrics.score_all(["a"], ["b"], metrics=["length1", "lacking"])
    assert "lacking, 1 pairs: 100%" in capsys.readouterr().err


# ---------------------------------------------------------------------------------------------------- reading pairs


def read(text, **options):
    return command.read_pairs(io.BytesIO(text.encode() if isinstance(text, str) else text), "pairs.tsv", **options)


def test_pairs_without_a_header():
    assert read("a b\tc\nd\te\n") == command.Pairs(["a b", "d"], ["c", "e"], None)
    assert read("a\tb\tr\ts\nd\te\tu\tv\n").references == [["r", "s"], ["u", "v"]]
    assert read("\ufeffa\tb\r\nc\td\r\n") == command.Pairs(["a", "c"], ["b", "d"], None)
    assert read('"a\tb"\n').sources == ['"a']  # quotation marks are text


def test_pairs_with_a_header_take_the_columns_by_name():
    table = "id\tCandidate\tReference 1\tsource\treference2\n7\tc\tr\ts\tq\n"
    assert read(table) == command.Pairs(["s"], ["c"], [["r", "q"]])
    assert read("source\tcandidate\nsource\tcandidate\n").sources == ["source"]
    assert read("source\tsource\na\tb\n").sources == ["source", "a"]  # no header
    assert read("original\tsimplification\tlabel\na\tb\t85.3\n") == command.Pairs(["a"], ["b"], None)  # CSMD's header


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tb\nc\n", "pairs.tsv, line 2: 1 columns where the first line has 2."),
        ("a\tb\nc\td\te\n", "pairs.tsv, line 2: 3 columns where the first line has 2."),
        ("a\tb\nc", "pairs.tsv, line 2: 1 columns where the first line has 2 (the file seems to be cut off here)."),
        ("a\tb\n\nc\td\n", "pairs.tsv, line 2: 1 columns where the first line has 2."),
        ("a\n", "pairs.tsv, line 1: a source and a candidate, separated by a tab, are wanted."),
        ("a\tb\nc\t \n", "pairs.tsv, line 2: the candidate (column 2) is empty."),
        ("a\tb\n\td\n", "pairs.tsv, line 2: the source (column 1) is empty."),
        ("a\tb\tr\nc\td\t\n", "pairs.tsv, line 2: the reference (column 3) is empty."),
        ("candidate\tsource\na\t\n", "pairs.tsv, line 2: the source (column 2) is empty."),
        (b"a\tb\nc\td\xff\n", "pairs.tsv, line 2: byte 4 of the line is not UTF-8."),
        (
            "a\tb\t85.3\nc\td\t7\n",
            "pairs.tsv: column 3 holds only numbers, so it is no reference; name source, candidate "
            "and reference in a first line, and other columns are left out.",
        ),
        ("", "pairs.tsv: it holds no pairs."),
        ("source\tcandidate\n", "pairs.tsv: it holds no pairs."),
    ],
)
def test_bad_lines_are_named(text, message):
    with pytest.raises(DataFormatError) as error:
        read(text)
    assert str(error.value) == message


def test_the_number_of_references_can_be_asked_for():
    assert read("a\tb\tr\n", references=1).references == [["r"]]
    assert read("a\tb\n", references=0).references is None
    with pytest.raises(DataFormatError, match="line 1: there are 1 references, not 2"):
        read("a\tb\tr\n", references=2)


def test_a_last_line_without_end_is_read_and_announced(capsys):
    assert read("a\tb\nc\td").candidates == ["b", "d"]
    assert capsys.readouterr().err.startswith("pairs.tsv, line 2: no line end; if the file was cut off here")


# ----------------------------------------------------------------------------------------------------- command line

TABLE = "source\tcandidate\n" + "".join(f"{s}\t{c}\n" for s, c in zip(SOURCES, CANDIDATES))


def run(*arguments, capsys):
    status = entry.main(["score", "--quiet", *arguments])
    output, errors = capsys.readouterr()
    return status, output.splitlines(), errors


def test_one_line_a_pair_and_a_summary(tmp_path, capsys):
    (tmp_path / "pairs.tsv").write_text(TABLE)
    status, lines, errors = run("--metric", "bleu,rouge1,fkgl", str(tmp_path / "pairs.tsv"), capsys=capsys)
    assert (status, errors) == (0, "")
    *rows, last = map(json.loads, lines)
    assert [row.pop("row") for row in rows] == [1, 2, 3]
    for name in ("bleu", "rouge1-f1", "fkgl"):
        metric = metrics.load(name)
        values = metric(SOURCES, CANDIDATES)
        assert [row[name] for row in rows] == values.tolist()
        expected, found = stats.bootstrap(values), last["summary"][name]
        assert found["mean"] == pytest.approx(values.mean())
        assert (found["low"], found["high"], found["level"], found["n"]) == (expected.low, expected.high, 0.95, 3)
        assert found["signature"] == metric.signature + ("|ref:source" if metric.needs_reference else "")
    assert list(last) == ["summary"] and [*rows[0]] == ["bleu", "rouge1-f1", "fkgl"]


def test_references_count_and_are_named_in_the_signature(tmp_path, capsys):
    (tmp_path / "pairs.tsv").write_text("a b c d\tx y\tx y\n")
    _, lines, _ = run("--metric", "bleu", "--references", "1", str(tmp_path / "pairs.tsv"), capsys=capsys)
    assert json.loads(lines[0]) == {"row": 1, "bleu": 100.0}
    summary = json.loads(lines[1])["summary"]["bleu"]
    assert summary["signature"].endswith("|ref:given")
    assert (summary["n"], summary["low"], summary["high"]) == (1, None, None)  # no interval from one pair


def test_options_of_metrics(tmp_path, capsys):
    (tmp_path / "pairs.tsv").write_text("A b\ta b\n")
    path, lower = str(tmp_path / "pairs.tsv"), ("--option", "BLEU.lowercase=true", "--option", "bleu.tokenize=none")
    _, lines, _ = run("--metric", "bleu", *lower, path, capsys=capsys)
    assert json.loads(lines[0])["bleu"] == 100
    assert "case:lc|eff:yes|tok:none" in lines[1]
    for wrong, message in (
        ("bleu=x", "METRIC.NAME=VALUE, not 'bleu=x'"),
        ("ter.x=1", "given for ter, which --metric"),
        ("bleu.x=1", "bleu has no such options"),
        ("blue.x=1", "did you mean"),
    ):
        status, _, errors = run("--metric", "bleu", "--option", wrong, path, capsys=capsys)
        assert status == 2 and message in errors and errors.count("\n") == 1


def test_all_metrics_with_the_reasons_of_those_that_are_missing(small_registry, tmp_path, capsys):
    (tmp_path / "pairs.tsv").write_text("a\tabc\n")
    status, lines, _ = run("--metric", "all", str(tmp_path / "pairs.tsv"), capsys=capsys)
    assert status == 0 and json.loads(lines[0]) == {"row": 1, "length1": 3.0, "length2": 6.0}
    last = json.loads(lines[1])
    assert last["summary"]["length2"]["signature"] == "length2|v:1"
    assert list(last["missing"]) == ["lacking", "absent"]
    (tmp_path / "pairs.tsv").write_text("a\trefuse\n")
    status, lines, _ = run("--metric", "all", str(tmp_path / "pairs.tsv"), capsys=capsys)
    assert status == 0 and json.loads(lines[1])["missing"]["length1"] == "this text is refused: 'refuse'."


@pytest.mark.parametrize(
    ("names", "text", "message"),
    [
        ("blue", "a\tb\n", "There is no metric 'blue'; did you mean 'bleu'"),
        ("bleu,", "a\tb\n", "There is no metric ''"),
        ("bleu", "a\tb\nc", "line 2: 1 columns"),
        ("rouge1", "a\t猫\n", "rouge1-f1: ROUGE knows only Latin letters"),
        ("bleu,bleu", "a\tb\n", "bleu is asked for more than once"),
    ],
)
def test_an_error_is_one_sentence_and_status_2(names, text, message, tmp_path, capsys):
    (tmp_path / "pairs.tsv").write_text(text)
    status, lines, errors = run("--metric", names, str(tmp_path / "pairs.tsv"), capsys=capsys)
    assert (status, lines) == (2, [])
    assert message in errors and errors.count("\n") == 1


def test_what_is_asked_for_and_cannot_run_is_an_error(small_registry, tmp_path, capsys):
    (tmp_path / "pairs.tsv").write_text("a\tb\n")
    status, lines, errors = run("--metric", "length1,lacking", str(tmp_path / "pairs.tsv"), capsys=capsys)
    assert (status, lines) == (2, []) and "fetch them from its page" in errors
    status, _, errors = run("--metric", "length1", str(tmp_path / "nowhere.tsv"), capsys=capsys)
    assert status == 2 and "nowhere.tsv cannot be read: No such file" in errors


def test_the_list_of_metrics(small_registry, capsys):
    status, lines, _ = run("--list", "--json", capsys=capsys)
    assert status == 0
    assert json.loads(lines[0]) == {
        "name": "length1",
        "title": "Length 1",
        "available": True,
        "range": [0, None],
        "higher_means_same": True,
        "needs_reference": False,
        "signature": "length1|v:1",
    }
    assert json.loads(lines[2])["reason"].startswith("Weights of this model are missing")
    _, lines, _ = run("--list", capsys=capsys)
    assert lines[1].split() == ["length1", "0", "to", "…", "high", "no", "length1|v:1"]
    assert lines[4].endswith("missing: Absent needs nbhelpers_test_absent, which is not installed.")


def start(**options):
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    arguments = [sys.executable, "-m", "nbhelpers", "score", "--metric", "token-f1"]
    return subprocess.Popen(arguments, cwd=ROOT, env=environment, **options)


def test_it_works_in_a_pipe():
    piped = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = start(**piped)
    output, errors = process.communicate(TABLE.encode())
    assert (process.returncode, errors) == (0, b"")
    assert [json.loads(line).get("row") for line in output.splitlines()] == [1, 2, 3, None]
    # a reader that wants one line only, of more than a pipe holds
    process = start(**piped)
    process.stdin.write(b"a cat\ta dog\n" * 20_000)
    process.stdin.close()
    assert json.loads(process.stdout.readline()) == {"row": 1, "token-f1": 0.5}
    process.stdout.close()
    errors = process.stderr.read()
    assert (process.wait(timeout=60), errors) == (0, b"")
