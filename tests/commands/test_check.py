"""``python -m nbhelpers check``: worst first, words marked, every form of output, and nothing that runs in a page."""

import csv
import io
import json

import numpy as np
import pytest

from nbhelpers import __main__ as command_line
from nbhelpers.base.errors import DataFormatError, InputError
from nbhelpers.commands import check
from nbhelpers.commands.reading import Systems, read_systems
from nbhelpers.metrics import Verdict
from nbhelpers.metrics.changes import Change

SOURCES = ["The road is safe.", "She sold two boats.", "It rained.", "We left early."]
GOOD = ["The road is safe.", "She sold two boats.", "It rained.", ""]
BAD = ["The road is not safe.", "She sold nine boats.", "It rained.", "We left late."]
SCRIPT = '<img src=x onerror="document.title=1">'


@pytest.fixture
def rated(monkeypatch):
    """Ratings by a simple rule in place of a model: 99 for a copy, 10 with *not*, else 60."""

    def verdict(source, candidate):
        if source == candidate:
            return Verdict(99.0, "kept", mean=99.0)
        cost = 90.0 if " not " in candidate else 40.0
        word = next(w for w in candidate.split() if w not in source.split())
        at = candidate.index(word)
        change = Change((0, 0), (at, at + len(word)), "", word, cost, "negation" if word == "not" else "word")
        return Verdict(100 - cost, "changed" if cost > 50 else "unsure", (change,), change.kind, mean=100 - cost)

    def check_all(sources, candidates, **_):
        return [verdict(*pair) for pair in zip(sources, candidates)]

    monkeypatch.setattr(check, "check_all", check_all)
    monkeypatch.setattr(check, "_note", lambda *_: "thresholds of the test")


@pytest.fixture
def run(rated, tmp_path, capsys):
    for name, texts in (("sources", SOURCES), ("good", GOOD), ("bad", BAD)):
        (tmp_path / f"{name}.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")

    def call(*arguments):
        files = [str(tmp_path / f"{name}.txt") for name in ("sources", "good", "bad")]
        status = command_line.main(["check", *files, *arguments, "--quiet"])
        return status, *capsys.readouterr()

    return call


def test_the_worst_stands_first_and_its_words_are_marked(run):
    status, out, err = run()
    lines = out.splitlines()
    assert (status, err) == (0, "")
    assert lines[0] == "good, line 4: not checked, the output is empty"
    assert lines[1].split() == ["CHANGED", "10.0", "bad,", "line", "1"]
    assert lines[3].strip() == "The road is [not] safe." and lines[4].strip() == "– → not (negation, −90)"
    assert "good: 3 kept, 1 not checked; mean rating 99.0" in out
    assert "bad: 1 kept, 2 unsure, 1 changed; mean rating 57.2" in out
    assert "good - bad: rating 42.7" in out and "n = 3" in out


@pytest.mark.parametrize("end", ["", "\n", "\n\n\n"])
def test_an_empty_output_at_the_end_is_a_line_and_blank_lines_after_it_are_none(end, tmp_path):
    files = [tmp_path / name for name in ("sources.txt", "good.txt", "bad.txt")]
    for file, texts in zip(files, (SOURCES, GOOD, BAD)):
        file.write_text("\n".join(texts) + "\n" + end, encoding="utf-8")
    found = read_systems([str(file) for file in files])
    assert (found.sources, found.outputs) == (SOURCES, {"good": GOOD, "bad": BAD})
    assert found.problems == {("good", 3): "the output is empty"}


def test_json_lines_and_tsv_hold_the_same(run):
    _, out, _ = run("--format", "json")
    *rows, last = map(json.loads, out.splitlines())
    assert [row["verdict"] for row in rows] == ["not checked", "changed", "unsure", "unsure", *["kept"] * 4]
    assert rows[1]["changes"][0]["became"] == "not" and last["summary"][0]["system"] == "good"
    _, out, _ = run("--format", "tsv", "--top", "2")
    table = list(csv.DictReader(io.StringIO(out), delimiter="\t"))
    assert [row["verdict"] for row in table] == ["not checked", "changed"] and table[1]["kind"] == "negation"


def test_another_language_and_a_better_metric_are_named(rated, tmp_path, capsys, monkeypatch):
    german = "Wer hat den alten Mann am Ufer gesehen? Ich nicht, es war ja schon dunkel und sehr kalt dort."
    (tmp_path / "pairs.tsv").write_text(f"source\toutput\n{german}\t{german}\n", encoding="utf-8")
    monkeypatch.setattr(check, "folders_of", lambda name: [tmp_path])
    for command, warned in (("check", "hardly English"), ("score", "hardly English")):
        assert command_line.main([command, str(tmp_path / "pairs.tsv")]) == 0
        said = capsys.readouterr().err
        assert warned in said and ("--metric same-meaning-base" in said) == (command == "check")


def test_a_line_that_cannot_be_read_leaves_the_others_their_verdicts(tmp_path, capsys):
    texts = ["The road is safe.", "\u200b", "It rained.", "x7/" * 300]
    for name, own in (("a", texts), ("b", [*texts[:3], "x7/" * 280 + "y8/" * 20])):
        (tmp_path / f"{name}.txt").write_text("\n".join(own) + "\n", encoding="utf-8")
    call = ["check", str(tmp_path / "a.txt"), str(tmp_path / "b.txt"), "--quiet", "--format", "json"]
    assert command_line.main(call) == 0
    *rows, last = map(json.loads, capsys.readouterr().out.splitlines())
    found = {(row["system"], row["line"]): row["verdict"] for row in rows}
    assert found.pop(("b", 4)) in ("changed", "unsure")
    assert found == {(name, n): "not checked" if n == 2 else "kept" for name, n in [*found]}
    assert "no pieces that the model knows" in rows[0]["why"] and rows[0]["line"] == 2
    assert {"mean", "mean_source", "mean_candidate"} <= rows[1].keys() and last["summary"][0]["not checked"] == 1


@pytest.mark.parametrize(("fail", "status"), [("changed", 1), ("unsure", 1), (None, 0)])
def test_the_exit_status(run, fail, status):
    assert run(*(["--fail-on", fail] if fail else []))[0] == status


def test_a_text_in_the_page_is_text(rated):
    systems = Systems([f"A {SCRIPT} here."], {SCRIPT: [f"B {SCRIPT} not here."]}, ids=[SCRIPT])
    lines = check.report(systems)
    page = check.page(lines, check.summary(lines, [SCRIPT]), SCRIPT)
    assert "<img" not in page and page.count("&lt;img") >= 5 and "<mark>B</mark>" in page
    assert "http" not in page.replace("http-equiv", "")  # it asks nothing of a network


def test_a_summary_pairs_the_lines_of_each_two_systems(rated):
    systems = Systems(SOURCES, {"a": SOURCES, "b": BAD, "c": BAD})
    rows = check.summary(check.report(systems), [*"abc"])
    assert [row["system"] for row in rows] == ["a", "b", "c", "a - b", "a - c", "b - c"]
    assert rows[3]["mean"] == pytest.approx(99 - np.mean([10, 60, 99, 60])) and rows[5]["mean"] == 0
    assert "p = 1.000: no difference is shown" in check._summary_text(rows)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tb\n", ", line 1: a line has a source, a candidate and 1"),
        ("source\ttext\tkept\n\na\tb\t1\nc\td\t2\n", ", line 4: a line has a source, a candidate and 1"),
        ("\n", ": it has no pairs"),
    ],
)
def test_a_labelled_file_that_is_none_is_refused(text, message, tmp_path):
    (tmp_path / "own.tsv").write_text(text)
    with pytest.raises(DataFormatError, match=f"own.tsv{message}"):
        check._own(str(tmp_path / "own.tsv"), "same-meaning")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--top", "0"], "--top is a number of at least 1, not 0."),
        (["--out", "."], ".: Is a directory"),
        (["--out", "nowhere/report.html"], "nowhere/report.html: No such file or directory"),
        (["--columns", "source,a"], "--columns is for one table"),
    ],
)
def test_a_wrong_option_is_refused_before_anything_is_rated(run, monkeypatch, arguments, message):
    monkeypatch.setattr(check, "check_all", None)
    status, out, err = run(*arguments)
    assert (status, out) == (2, "") and message in err and err.count("\n") == 1


def test_a_file_given_twice_is_refused(tmp_path):
    (tmp_path / "a.txt").write_text("One.\n")
    with pytest.raises(InputError, match="a.txt is given twice"):
        read_systems([str(tmp_path / "a.txt")] * 3)
    assert list(read_systems([str(tmp_path / "a.txt")] * 2).outputs) == ["a"]  # the sources as a system


def test_the_shipped_metric_finds_the_damage(tmp_path, capsys):
    rows = ["source\tsystem", "The road is safe.\tThe road is not safe.", "It rained all night.\tIt rained all night."]
    (tmp_path / "pairs.tsv").write_text("\n".join(rows), encoding="utf-8")
    assert command_line.main(["check", str(tmp_path / "pairs.tsv"), "--format", "json", "--quiet"]) == 0
    first, second, last = map(json.loads, capsys.readouterr().out.splitlines())
    assert first["rating"] < 50 < second["rating"] and first["verdict"] != "kept" == second["verdict"]
    assert "not" in first["why"] and "same-meaning: kept from" in last["note"]
