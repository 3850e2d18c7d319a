"""``python -m nbhelpers score``: which files it reads, and what it writes."""

import io
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from nbhelpers import __main__ as entry
from nbhelpers import metrics
from nbhelpers.base import stats
from nbhelpers.base.errors import DataFormatError
from nbhelpers.commands import score as command
from nbhelpers.commands.reading import Pair, Pairs

ROOT = Path(__file__).resolve().parents[2]


# ---------------------------------------------------------------------------------------------------- reading pairs


def read(text, columns=None, header=True, name="pairs.tsv"):
    return list(Pairs(io.BytesIO(text.encode() if isinstance(text, str) else text), name, columns, header))


@pytest.mark.parametrize(
    ("text", "columns", "pairs"),
    [
        ("a b\tc\nd\te\n\n\n", None, [Pair("a b", "c"), Pair("d", "e")]),  # blank lines at the end
        ("a\tb\tr\ts\nd\te\tu\tv\n", "1,2,3,4", [Pair("a", "b", ["r", "s"]), Pair("d", "e", ["u", "v"])]),
        ("Source Text\tCandidate Text\na\tb\n", None, [Pair("a", "b")]),
        ('"source"\t"candidate"\n"a ""b"""\t"c"\n', None, [Pair('a "b"', "c")]),  # all quoted
        ("source;candidate\na, b;c\n", None, [Pair("a, b", "c")]),
        (
            '{"source": "a", "candidate": "b", "id": 7}\n\n{"id": 8, "candidate": "d", "source": "c"}\n',
            None,
            [Pair("a", "b", id="7"), Pair("c", "d", id="8")],
        ),
        (
            "candidate\tsource\na\t \nb\tc\n",
            None,
            [Pair(" ", "a", problem="line 2: the text in column 2 is empty"), Pair("c", "b")],
        ),
        ("\ufeffa\tb\r\nc\td", None, [Pair("a", "b"), Pair("c", "d")]),
        ("a\tb\rc\td\r", None, [Pair("a", "b"), Pair("c", "d")]),
        ('"a\tb"\n', None, [Pair('"a', 'b"')]),  # quotation marks are text
        ("Original\tEdited\na\tb\n", None, [Pair("a", "b")]),
        ("source\tout\na\tb\n", None, [Pair("a", "b")]),
        ("my system\tsource\na\tb\n", None, [Pair("b", "a")]),
        ("sentence1\tsentence2\tscore\na\tb\t4.5\n", None, [Pair("a", "b")]),
        (
            "id\tCandidate\tReference 1\tsources\treference2\n7\tc\tr\ts\tq\n",
            None,
            [Pair("s", "c", ["r", "q"], "7")],
        ),
        ("x\ty\tz\tID\na\tb\tr\t7\n", "Y, x, z", [Pair("b", "a", ["r"], "7")]),
        ("a\tb\t4\nc\td\t5\n", "1,2", [Pair("a", "b"), Pair("c", "d")]),
        # the header is no pair here, either
        ("source\tcandidate\tscore\na\tb\t4\n", "2,1", [Pair("b", "a")]),
    ],
)
def test_what_is_read(text, columns, pairs):
    assert read(text, columns) == pairs


def test_csv_files_have_commas_and_quotes():
    text = 'source,candidate\n"a, b","c ""d""\ne"\n'
    assert read(text, name="pairs.csv") == [Pair("a, b", 'c "d"\ne')]
    with pytest.raises(DataFormatError, match="pairs.csv, line 2: a quotation mark opens a cell and none closes it"):
        read('a,b\n"c,d\ne,f\n', name="pairs.csv")


@pytest.mark.parametrize(
    "text",
    [
        "premise\thypothesis\na\tb\n",
        "frase\tresumen\nUna frase.\tUna frase.\n",
        "this one\tthat one\tgrade\na\tb\t4.5\n",
    ],
)
def test_another_header_is_refused_with_a_hint_and_never_scored(text):
    with pytest.raises(DataFormatError, match="line 1: it looks like a header .*--columns A,B, or --no-header"):
        read(text)
    assert len(read(text, "1,2")) == 1
    assert len(read(text.replace("4.5", "good"), "1,2", header=False)) == 2


@pytest.mark.parametrize(
    ("text", "columns", "message"),
    [
        ("a\tb\n\nc\td\n", None, ", line 2: the first line has 2 columns, this one 0."),
        ("a\n", None, ", line 1: it has one column; a source and a candidate need two."),
        ("", None, ": it is empty."),
        ("source\tcandidate\n", None, ": it has no pairs."),
        ("a\tb\tr\nc\td\t\n", None, ", line 1: 3 columns and no header: which are they?"),
        ('{"source": "a"}\n{"source": \n', None, ", line 2: it is not JSON: Expecting value (column 11)."),
        (b"a\tb\nc\td\xff\n", None, ", line 2: it is not UTF-8."),
        ("a\tb\t85.3\nc\td\t7 %\n", "1,2,3", ": column 3 has only numbers, so it is no reference; --columns"),
        ("x\ty\na\tb\n", "x,w", ", line 1: there is no column 'w'; "),
        ("a\tb\n", "1,3", ", line 1: --columns takes two or more different ones of its 2 columns, not '1,3'."),
        ("a\tb\n", "2,2", ", line 1: --columns takes two or more different ones of its 2 columns, not '2,2'."),
    ],
)
def test_bad_files_are_named_with_their_line(text, columns, message):
    with pytest.raises(DataFormatError, match=f"^pairs.tsv{re.escape(message)}"):
        read(text, columns)


def test_a_file_is_read_row_by_row():
    """What is kept of 20,000 pairs is much less than the pairs."""
    pairs = Pairs(io.BytesIO(b"a cat sat on the mat\tthe cat sat\n" * 20_000), "pairs.tsv")
    tracemalloc.start()
    try:
        assert sum(len(pair.candidate) for pair in pairs) == 20_000 * len("the cat sat")
        assert tracemalloc.get_traced_memory()[1] < 200_000
    finally:
        tracemalloc.stop()
    assert (pairs.count, pairs.references, pairs.ids) == (20_000, False, False)


# ----------------------------------------------------------------------------------------------------- command line

SOURCES = ["The cat sat on the mat.", "A cold rain fell.", "The cat sat on the mat."]
CANDIDATES = ["The cat sat.", "A cold rain fell.", "A dog."]
TABLE = "id\tsource\tcandidate\n" + "".join(f"p{i}\t{s}\t{c}\n" for i, (s, c) in enumerate(zip(SOURCES, CANDIDATES)))


@pytest.fixture
def run(tmp_path, capfd):
    """Runs the command on a text; gives status, lines and what stands on standard error."""

    def call(*arguments, text=TABLE):
        (tmp_path / "pairs.tsv").write_text(text)
        status = entry.main(["score", *arguments, str(tmp_path / "pairs.tsv")])
        output, errors = capfd.readouterr()
        return status, output.splitlines(), errors

    return call


def test_one_line_a_pair_and_a_summary(run):
    status, lines, errors = run("--metric", "bleu,rouge1,fkgl")
    assert (status, errors) == (0, "")
    *rows, last = map(json.loads, lines)
    assert [(row["row"], row["id"]) for row in rows] == [(1, "p0"), (2, "p1"), (3, "p2")]
    for name in ("bleu", "rouge1-f1", "fkgl"):
        metric = metrics.load(name)
        values = metric(SOURCES, CANDIDATES)
        assert [row[name] for row in rows] == values.tolist()
        expected, found = stats.bootstrap(values), last["summary"][name]
        assert found["mean"] == pytest.approx(values.mean())
        assert (found["low"], found["high"], found["level"], found["n"]) == (expected.low, expected.high, 0.95, 3)
        assert found["signature"] == metric.signature + ("|ref:source" if metric.needs_reference else "")


def test_tables_have_the_summary_on_standard_error(run):
    status, lines, errors = run("--metric", "length-ratio,token-f1", "--format", "tsv")
    assert status == 0 and lines[0] == "row\tid\tlength-ratio\ttoken-f1\terrors"
    assert lines[2] == "2\tp1\t1.0\t1.0\t"
    assert "token-f1: mean 0.5556 [0, 1], n = 3, token-f1|words:lc" in errors


def test_references_and_options_count_and_are_named_in_the_signature(run):
    lower = ("--option", "BLEU.lowercase=true", "--option", "bleu.tokenize=none")
    _, lines, _ = run("--metric", "bleu", *lower, "--columns", "1,2,3", text="a b c d\tX y\tx y\n")
    assert json.loads(lines[0]) == {"row": 1, "bleu": 100.0}
    summary = json.loads(lines[1])["summary"]["bleu"]
    assert "case:lc|eff:yes|tok:none" in summary["signature"] and summary["signature"].endswith("|ref:given")
    assert (summary["n"], summary["low"], summary["high"]) == (1, None, None)  # no interval from one pair


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        (("--metric", "blue"), TABLE, "There is no metric 'blue'; did you mean 'bleu'"),
        (("--metric", "bleu,bleu"), TABLE, "a metric twice: bleu,bleu"),
        (("--metric", "bleu"), "a\tb\nc", "line 2: the first line has 2 columns, this one 1"),
        (("--metric", "rouge1"), "a\t猫\n", "No pair has a value: rouge1-f1: ROUGE knows only Latin letters"),
        (("--metric", "bleu", "--option", "bleu=x"), TABLE, "METRIC.NAME=VALUE, not 'bleu=x'"),
        (("--metric", "bleu", "--option", "ter.x=1"), TABLE, "given for ter, which --metric"),
        (("--metric", "bleu", "--option", "bleu.x=1"), TABLE, "bleu has no option x"),
        (("--metric", "lens"), TABLE, "pip install lens-metric"),
        (("--metric", "bleu", "--cache", "/dev/null/x"), TABLE, "--cache /dev/null/x cannot be used"),
        (("--metric", "bleu", "nowhere.tsv"), None, "nowhere.tsv cannot be read: No such file"),
    ],
)
def test_an_error_is_one_sentence_and_status_2(arguments, text, message, run, capfd):
    if text is None:
        status, errors = entry.main(["score", *arguments]), capfd.readouterr().err
    else:
        status, _, errors = run(*arguments, text=text)
    assert status == 2 and message in errors and errors.count("\n") == 1


def test_the_default_is_the_cheap_metrics_and_all_is_all(small_registry, run):
    status, lines, errors = run()
    assert (status, errors) == (0, "")
    assert json.loads(lines[0]) == {"row": 1, "id": "p0", "length1": 12.0}
    status, lines, errors = run("--all")
    assert (status, errors) == (0, "") and json.loads(lines[0])["length9"] == 108
    reason = "Weights of this model are missing; fetch them from its page."
    assert json.loads(lines[-1])["missing"] == {"lacking": reason}


def test_a_pair_that_is_too_long_costs_its_own_row(small_registry, run):
    text = "".join(f"a\t{'refuse' if i == 5 else 'b' * i}\n" for i in range(1, 20))
    status, lines, errors = run("--metric", "length1,length9", "--option", "length9.truncate=true", text=text)
    *rows, last = map(json.loads, lines)
    assert (status, errors, len(rows)) == (0, "", 19)
    reason = "it is too long. (--option length1.truncate=true cuts it)"
    assert rows[4] == {"row": 5, "length1": None, "length9": 54.0, "errors": {"length1": reason}}
    assert all("errors" not in row for row in rows if row["row"] != 5)
    assert [last["summary"][name]["n"] for name in ("length1", "length9")] == [18, 19]


def test_a_real_pair_that_is_too_long_prints_no_warning_of_a_library(run, tiny_model, capfd):
    long, model = "cold " * 600, tiny_model("bert")
    metric = ("--metric", "bertscore-f1", "--option", f"bertscore-f1.encoder={model}")
    capfd.readouterr()  # the making of the model shows a bar
    status, lines, errors = run(*metric, text=f"a cat sat\ta dog sat\n{long}\t{long}\n")
    assert (status, errors) == (0, "")
    assert "--option bertscore-f1.truncate=true" in json.loads(lines[1])["errors"]["bertscore-f1"]
    assert json.loads(lines[2])["summary"]["bertscore-f1"]["n"] == 1


def test_values_are_cached_by_text_and_signature(small_registry, run, tmp_path):
    arguments = ("--metric", "length1", "--cache", str(tmp_path / "cache"))
    first = run(*arguments)
    assert run(*arguments) == first and len(small_registry) == 1
    run(*arguments, "--option", "length1.truncate=true")  # another signature
    assert len(small_registry) == 2
    run(*arguments, text=TABLE + "p4\tnew\tpair\n")
    assert small_registry[2:] == [["pair"]]


def test_a_full_disk_under_the_cache_loses_nothing_and_says_so_once(small_registry, run, tmp_path):
    arguments = ("--metric", "length1,length9", "--cache", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    with sqlite3.connect(tmp_path / "cache" / "scores.sqlite") as database:
        database.execute("create table scores (key text primary key, value real)")
        database.execute("create trigger full before insert on scores begin select raise(abort, 'disk is full'); end")
    status, lines, errors = run(*arguments)
    assert status == 0 and [json.loads(line)["length1"] for line in lines[:3]] == [12.0, 17.0, 6.0]
    assert errors.count("The cache takes no more values") == 1 and errors.count("\n") == 1


def test_a_run_that_is_cached_loads_no_model(run, tmp_path, monkeypatch):
    arguments = ("--metric", "sentence-transformer", "--quiet", "--cache", str(tmp_path / "cache"))
    first = run(*arguments)
    monkeypatch.setattr(command.registry, "load", lambda *_, **__: pytest.fail("a model is loaded"))
    assert run(*arguments) == first


def test_the_list_says_what_each_measure_is_and_loads_no_model(capsys):
    code = "import sys; from nbhelpers.__main__ import main; main(['score', '--list']); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "False"
    assert "\nNot seen, where it was measured (notebook 05, cards in data/models):\n" in done.stdout
    assert re.search(r"^bleu +0 to 100 +high +yes +0.0003 .* runs of up to four words", done.stdout, re.MULTILINE)
    assert re.search(r"^ter +0 to … +low +yes +0.002 ", done.stdout, re.MULTILINE)
    assert re.search(r"^questeval .*\[missing: QuestEval needs the Python package", done.stdout, re.MULTILINE)
    assert re.search(r"^same-meaning .*research only", done.stdout, re.MULTILINE)
    assert re.search(r"^bleu-samsa-am .* both from 0 to 100 .* \[missing: ", done.stdout, re.MULTILINE), (
        "from its docstring"
    )


def start(lines, *arguments):
    """The command in a process of its own, on some lines."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    piped = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command_line = [sys.executable, "-m", "nbhelpers", "score", *arguments]
    process = subprocess.Popen(command_line, cwd=ROOT, env=environment, **piped)
    process.stdin.write("".join(lines).encode())
    process.stdin.close()
    return process


def test_a_reader_that_wants_one_line_only_ends_it():
    process = start(["a cat\ta dog\n"] * 20_000, "--metric", "token-f1")
    assert json.loads(process.stdout.readline()) == {"row": 1, "token-f1": 0.5}
    process.stdout.close()
    assert (process.stderr.read(), process.wait(timeout=60)) == (b"", 128 + signal.SIGPIPE)


def test_rows_are_written_as_they_are_done_and_ctrl_c_keeps_them():
    lines = (f"a cat sat on mat {i}\tthe {i} dog sat on a mat\n" for i in range(20_000))
    process = start(lines, "--metric", "ter", "--quiet")
    read = [process.stdout.readline() for _ in range(3)]
    process.send_signal(signal.SIGINT)
    *rows, last = map(json.loads, [*read, *process.stdout.read().splitlines()])
    assert [row["row"] for row in rows] == list(range(1, len(rows) + 1)) and 3 <= len(rows) < 20_000
    assert len(rows) - last["summary"]["ter"]["n"] in (0, 1)  # it may come between a row and its counting
    assert (process.stderr.read(), process.wait(timeout=60)) == (b"", 130)
