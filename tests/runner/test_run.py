"""The strict runner: parameters are checked before anything runs, and nothing is left behind afterwards."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time
from html.parser import HTMLParser
from pathlib import Path

import psutil
import pytest

from nbhelpers import __main__ as command_line
from nbhelpers.base.errors import DataFormatError, ParameterError
from nbhelpers.base.paths import ROOT
from nbhelpers.resources import data
from nbhelpers.runner import parameters as notebook_parameters
from nbhelpers.runner import process as notebook_process
from nbhelpers.runner import report as run_report
from nbhelpers.runner import run

sys.modules.setdefault("rfc3987_syntax", None)  # a grammar that nbformat's validator would compile for seconds, unused
import nbformat  # noqa: E402

# ---------------------------------------------------------------------------------------------- notebooks for the tests


def write_notebook(
    folder: Path, name: str, *cells: str, parameters: str | None = "size = 3", kernel: str = "python3"
) -> Path:
    """A notebook of a heading, a parameters cell (unless None) and code cells."""
    notebook = nbformat.v4.new_notebook()
    notebook.metadata["kernelspec"] = {"name": kernel, "display_name": kernel, "language": "python"}
    notebook.cells = [nbformat.v4.new_markdown_cell(f"# {name}")]
    if parameters is not None:
        notebook.cells.append(nbformat.v4.new_code_cell(parameters, metadata={"tags": ["parameters"]}))
    notebook.cells += [nbformat.v4.new_code_cell(cell) for cell in cells]
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, folder / f"{name}.ipynb")
    return folder / f"{name}.ipynb"


def entry(name: str, more: str = "", *, seconds: int = 90) -> str:
    """A table of ``profiles.toml``."""
    return (
        f'[notebooks.{name}]\ntitle = "About {name}"\nsource = ""\n'
        f"timeout = {{ quick = {seconds}, full = 100, paper = 100 }}\n{more}\n"
    )


def write_registry(folder: Path, *tables: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "profiles.toml").write_text("\n".join(tables), encoding="utf-8")
    return folder


def wait_for(condition, seconds: float = 60):
    """The first true answer of a condition."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if answer := condition():
            return answer
        time.sleep(0.05)
    raise AssertionError("waited in vain")


def gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


# --------------------------------------------------------------------------------------------------------- the registry


def test_registry_reads_everything_it_documents(tmp_path):
    write_registry(
        tmp_path,
        entry("02_b"),
        entry(
            "01_a",
            (
                'needs = ["real"]\nheadline = { study = "s", table = "t", row = "r", column = "c" }\n'
                "[notebooks.01_a.full]\nsize = 30\n[notebooks.01_a.paper]\nsize = 300"
            ),
        ),
    )
    entries = run.load_registry(tmp_path)
    assert list(entries) == ["01_a", "02_b"]
    first = entries["01_a"]
    assert first.path == tmp_path / "01_a.ipynb" and first.needs == ("real",)
    assert first.timeout == {"quick": 90, "full": 100, "paper": 100}
    assert first.values == {"full": {"size": 30}, "paper": {"size": 300}}
    assert first.headline == {"study": "s", "table": "t", "row": "r", "column": "c"}
    assert entries["02_b"].headline is None and entries["02_b"].values == {}


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (entry("01_a", 'need = ["x"]'), 5, "unknown key 'need'; did you mean 'needs'?"),
        (entry("01_a", "[notebooks.01_a.ful]\nsize = 1"), 5, "unknown key 'ful'; did you mean 'full'?"),
        (entry("01_a", "[notebooks.01_a.quick]\nsize = 1"), 5, "those that stand in the notebook"),
        (entry("01_a", 'headline = { study = "s", tabel = "t" }'), 5, "'tabel'; did you mean 'table'?"),
        (entry("01_a", 'headline = { study = "s" }'), 5, "headline.table is a text, not None"),
        (entry("01_a", 'needs = "x"'), 5, "needs is a list of names"),
        (entry("01_a").replace("full", "ful"), 4, "unknown key 'ful'; did you mean 'full'?"),
        (entry("01_a").replace("90", "0"), 4, "timeout.quick is a positive number"),
        (entry("01_a").replace(", full = 100", ""), 4, "timeout.full is a positive number of seconds, not None"),
        (entry("01_a").replace("title", "titel"), 2, "unknown key 'titel'; did you mean 'title'?"),
        (entry("01_a").replace('source = ""', "source = 3"), 3, "source is a text, not 3"),
        (entry("00_z") + entry("01_a").replace('source = ""\n', ""), 6, "the key 'source' is missing"),
        ("[notebook.01_a]\n", None, "unknown table 'notebook'; did you mean 'notebooks'?"),
        ("[notebooks]\n01_a = 3\n", None, "one table per notebook"),
        (entry("01_a", "[notebooks.01_a"), 5, "is not TOML"),
    ],
)
def test_mistakes_in_the_registry_are_named_with_their_line(tmp_path, text, line, message):
    write_registry(tmp_path, text)
    with pytest.raises(DataFormatError, match=re.escape(message)) as caught:
        run.load_registry(tmp_path)
    assert caught.value.line == line


def test_a_missing_registry_is_named(tmp_path):
    with pytest.raises(DataFormatError, match="missing"):
        run.load_registry(tmp_path)


def test_registry_and_notebooks_must_agree(tmp_path, monkeypatch):
    monkeypatch.setattr(data, "registry", lambda: {"google-compression": None})
    write_notebook(tmp_path, "01_a", "print(size)")
    write_registry(tmp_path, entry("01_a", 'needs = ["google-compression"]\n[notebooks.01_a.full]\nsize = 9'))
    assert list(notebook_parameters.check_registry(tmp_path)) == ["01_a"]

    write_notebook(tmp_path, "02_b", "print(size)")
    write_notebook(tmp_path, "03_c", "print(1)")
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "05_e.py").write_text("")
    write_registry(
        tmp_path,
        entry("01_a", 'needs = ["gogle-compression"]\n[notebooks.01_a.paper]\nsise = 9'),
        entry("03_c"),
        entry("04_d"),
    )
    with pytest.raises(ParameterError) as caught:
        notebook_parameters.check_registry(tmp_path)
    problems = str(caught.value).split("\n")
    assert len(problems) == 6
    assert "02_b.ipynb is not registered" in problems[0]
    assert "text/05_e.py is not registered" in problems[1]
    assert "profile paper: 01_a has no parameter 'sise'; did you mean 'size'?" in problems[2]
    assert "did you mean 'google-compression'?" in problems[3]
    assert "parameter 'size' of 03_c is read by no cell" in problems[4]
    assert "04_d.ipynb" in problems[5] and "the notebook is missing" in problems[5]


# -------------------------------------------------------------------------------------------------- the parameters cell


def test_defaults_are_the_literals_of_the_parameters_cell(tmp_path):
    path = write_notebook(
        tmp_path,
        "01_a",
        "print(a, b, c, d, e, f, g)",
        parameters=("a = 3  # whole\nb = -0.5\nc = 'x'\nd = None\ne = ['p', 'q']\nf = {'k': [1, 2]}\ng = True"),
    )
    source = run.read_source(path)
    assert source.defaults == {"a": 3, "b": -0.5, "c": "x", "d": None, "e": ["p", "q"], "f": {"k": [1, 2]}, "g": True}
    assert source.cells == 2


@pytest.mark.parametrize(
    ("cell", "line", "message"),
    [
        ("size = 3\nlimit: int | None = None", 2, "'limit: int | None = None' is not one"),
        ("size = 3\n\nother = 2 * 3", 3, "other is computed (2 * 3)"),
        ("size = int('3')", 1, "size is computed"),
        ("size = 3\nother = size", 2, "other is computed"),
        ("import os\nsize = 3", 1, "'import os' is not one"),
        ("size = other = 3", 1, "'size = other = 3' is not one"),
        ("size, other = 3, 4", 1, "is not one"),
        ("size = 3\nsize += 1", 2, "'size += 1' is not one"),
        ("size = 3\nsize = 4", 2, "size is assigned twice"),
        ("size = (1, 2)", 1, "size is a tuple"),
        ("size = 1e999", 1, "size is a float"),
        ("size = 3\n%matplotlib inline", 2, "is not Python"),
    ],
)
def test_anything_but_plain_assignments_is_an_error_with_notebook_and_line(tmp_path, cell, line, message):
    path = write_notebook(tmp_path, "01_a", "print(size, other, limit)", parameters=cell)
    with pytest.raises(ParameterError, match=re.escape(message)) as caught:
        run.read_source(path)
    assert f"01_a, parameters cell, line {line}: " in str(caught.value)


def test_there_is_exactly_one_parameters_cell(tmp_path):
    with pytest.raises(ParameterError, match="01_a has no cells tagged 'parameters'"):
        run.read_source(write_notebook(tmp_path, "01_a", "1", parameters=None))
    path = write_notebook(tmp_path, "02_b", "print(size)")
    notebook = nbformat.read(path, 4)
    notebook.cells.append(nbformat.v4.new_code_cell("a = 1", metadata={"tags": ["parameters"]}))
    nbformat.write(notebook, path)
    with pytest.raises(ParameterError, match="02_b has 2 cells tagged"):
        run.read_source(path)


@pytest.mark.parametrize(
    "cells",
    [
        ("print(size)",),
        ("def double():\n    return 2 * size",),
        ("f'{size:3d}'",),
        ("[n for n in range(size)]",),
        ("size = size or 5",),
        ("class A:\n    n = size",),
        ("await f(size)",),
        ("%timeit f(size)",),
        ("%matplotlib inline\nprint(size)",),
        ("!echo {size}",),
        ("%%time\nprint(size)",),
        ("1", "x = lambda: size"),
        ("if True:\n    size = 5", "print(size)"),
    ],
)
def test_a_parameter_that_a_cell_reads_is_fine(tmp_path, cells):
    assert run.read_source(write_notebook(tmp_path, "01_a", *cells)).defaults == {"size": 3}


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (("print(1)",), "is read by no cell"),
        (("# size\n'size'",), "is read by no cell"),
        (("def f(size):\n    return size",), "is read by no cell"),
        (("def f():\n    size = 1\n    return size",), "is read by no cell"),
        (("[size for size in range(3)]",), "is read by no cell"),
        (("x.size",), "is read by no cell"),
        (("f(size=1)",), "is read by no cell"),
        (("size = 5", "print(size)"), "is assigned anew before any cell reads it"),
        (("first, size = 5, 6", "print(size)"), "is assigned anew before any cell reads it"),
        (("for size in (1, 2):\n    pass", "%matplotlib inline"), "is read by no cell"),
    ],
)
def test_a_parameter_that_no_cell_reads_is_an_error(tmp_path, cells, message):
    path = write_notebook(tmp_path, "01_a", *cells)
    with pytest.raises(ParameterError, match=f"parameter 'size' of 01_a {message}"):
        run.read_source(path)


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"\xff\xfe", b'{"cells": ['])
def test_a_file_that_is_no_notebook_is_named(tmp_path, content):
    (tmp_path / "01_a.ipynb").write_bytes(content)
    with pytest.raises(DataFormatError, match="is not a notebook"):
        run.read_source(tmp_path / "01_a.ipynb")


# ----------------------------------------------------------------------------------------------------- parameter values


def source_of(**defaults) -> notebook_parameters.Source:
    return notebook_parameters.Source("01_a", defaults, 2, "")


@pytest.mark.parametrize(
    ("default", "value", "expected"),
    [
        (3, 4, 4),
        (0.5, 2, 2.0),
        (0.5, 0.25, 0.25),
        ("a", "b", "b"),
        (True, False, False),
        ([], [1, "x"], [1, "x"]),
        ([1, 2], [], []),
        ([0.5], [1, 2.5], [1.0, 2.5]),
        (["a"], ["b", "c"], ["b", "c"]),
        ({"k": 1}, {"l": 2}, {"l": 2}),
        (None, 3, 3),
        (None, "x", "x"),
        (None, [1], [1]),
        (None, None, None),
    ],
)
def test_values_of_the_right_type_pass(default, value, expected):
    checked = notebook_parameters.check_values(source_of(p=default), {"p": value}, "test")["p"]
    assert checked == expected and type(checked) is type(expected)


@pytest.mark.parametrize(
    ("default", "value", "kind"),
    [
        (3, 4.0, "a whole number"),
        (3, "4", "a whole number"),
        (3, True, "a whole number"),
        (3, None, "a whole number"),
        (0.5, "1", "a number"),
        (0.5, True, "a number"),
        (0.5, float("nan"), "a number"),
        (True, 1, "True or False"),
        ("a", 1, "a text"),
        ([1], 1, "a list"),
        ([1], ["a"], "a list of the same kind"),
        ([1], [1.5], "a list"),
        ({"k": 1}, [1], "a dictionary"),
    ],
)
def test_values_of_another_type_are_errors(default, value, kind):
    with pytest.raises(ParameterError, match=re.escape(f"parameter 'p' of 01_a takes {kind}")):
        notebook_parameters.check_values(source_of(p=default), {"p": value}, "test")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("thresold", "did you mean 'threshold'?"),
        ("Threshold", "did you mean 'threshold'?"),
        ("zzz", "choose from threshold, size"),
    ],
)
def test_unknown_parameters_are_errors_that_name_the_near_match(name, hint):
    with pytest.raises(ParameterError, match=re.escape(f"01_a has no parameter {name!r}; {hint}")):
        notebook_parameters.check_values(source_of(threshold=0.5, size=3), {name: 1}, "test")


@pytest.mark.parametrize(
    ("default", "text", "expected"),
    [
        (3, "4", 4),
        (0.5, "1e-3", 1e-3),
        (0.5, "2", 2.0),
        ("a", "b c", "b c"),
        ("a", "'b'", "b"),
        ("a", "007", "007"),
        ("a", "None", "None"),
        ("a", "", ""),
        ("a", "x=y", "x=y"),
        (True, "false", False),
        (True, "False", False),
        ([1], "[2, 3]", [2, 3]),
        (None, "5", 5),
        (None, "word", "word"),
        ({}, "{'k': 1}", {"k": 1}),
    ],
)
def test_values_of_the_command_line_are_read_by_the_type_of_the_default(tmp_path, default, text, expected):
    path = write_notebook(tmp_path, "01_a", "print(p)", parameters=f"p = {default!r}")
    chosen = notebook_parameters.Entry("01_a", path, "", "", {"quick": 1})
    given = notebook_parameters.parse_assignments([f"p={text}"])
    assert notebook_parameters.plan([chosen], "quick", given)["01_a"][1] == {"p": expected}


@pytest.mark.parametrize("text", ["p", "=3", "1p=3", "p-q=3"])
def test_assignments_have_a_name_and_a_value(text):
    with pytest.raises(ParameterError, match="name=value"):
        notebook_parameters.parse_assignments([text])


def test_a_parameter_is_given_once():
    with pytest.raises(ParameterError, match="given twice"):
        notebook_parameters.parse_assignments(["p=1", "p=2"])


def two_notebooks(folder: Path) -> dict[str, notebook_parameters.Entry]:
    write_notebook(folder, "01_a", "print(size, limit)", parameters="size = 3\nlimit = None")
    write_notebook(folder, "02_b", "print(size)")
    write_registry(folder, entry("01_a", "[notebooks.01_a.full]\nsize = 30\nlimit = 7"), entry("02_b"))
    return run.load_registry(folder)


def test_values_come_from_the_notebook_then_the_profile_then_the_command_line(tmp_path):
    entries = list(two_notebooks(tmp_path).values())
    said = []

    def values(profile, **given):
        plans = notebook_parameters.plan(entries, profile, given, say=said.append)
        return {name: each for name, (_, each) in plans.items()}

    assert values("quick") == {"01_a": {}, "02_b": {}}
    assert values("full") == {"01_a": {"size": 30, "limit": 7}, "02_b": {}}
    assert values("paper") == {"01_a": {}, "02_b": {}}
    assert values("full", size="5") == {"01_a": {"size": 5, "limit": 7}, "02_b": {"size": 5}}
    assert said == []
    assert values("quick", limit="5") == {"01_a": {"limit": 5}, "02_b": {}}
    assert said == ["limit = 5 applies to 01_a; the other notebooks have no such parameter"]


def test_a_parameter_that_no_selected_notebook_has_is_an_error(tmp_path):
    entries = two_notebooks(tmp_path)
    with pytest.raises(ParameterError, match="none of the notebooks has this parameter; did you mean 'limit'?"):
        notebook_parameters.plan(list(entries.values()), "quick", {"limt": "5"})
    with pytest.raises(ParameterError, match="none of the notebooks"):
        notebook_parameters.plan([entries["02_b"]], "quick", {"limit": "5"})
    with pytest.raises(ParameterError, match="unknown profile 'fulll'; did you mean 'full'?"):
        notebook_parameters.plan(list(entries.values()), "fulll")


def test_notebooks_are_selected_by_number_name_or_path(tmp_path):
    entries = two_notebooks(tmp_path)

    def names(*only):
        return [each.name for each in notebook_parameters.select(entries, only)]

    assert names() == ["01_a", "02_b"]
    assert names("02") == names("02_b") == names("notebooks/02_b.ipynb") == ["02_b"]
    assert names("02", "01") == ["01_a", "02_b"]
    with pytest.raises(ParameterError, match="--only 02_c: no such notebook is registered; did you mean '02_b'?"):
        names("02_c")


# --------------------------------------------------------------------------------------------------------- command line


def test_the_command_line_shows_its_commands_and_names_the_near_match(capsys):
    assert command_line.main(["--help"]) == 0
    assert "run" in capsys.readouterr().out
    assert command_line.main([]) == 2
    capsys.readouterr()
    assert command_line.main(["rum"]) == 2
    assert "unknown command 'rum'; did you mean 'run'?" in capsys.readouterr().err


def test_help_is_a_manual(capsys):
    with pytest.raises(SystemExit) as caught:
        command_line.main(["run", "--help"])
    assert caught.value.code == 0
    text = capsys.readouterr().out
    for word in (
        "--only",
        "--profile",
        "-p name=value",
        "--jobs",
        "--out",
        "--dask",
        "--list",
        "examples:",
        "exit status:",
        "index.html",
    ):
        assert word in text


def test_list_shows_parameters_in_each_profile(tmp_path, capsys):
    two_notebooks(tmp_path)
    assert run.main(["--list", "--notebooks", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert "01_a: About 01_a" in text and "quick 90 s" in text
    assert "  size = 3    (full: 30)" in text and "  limit = None    (full: 7)" in text


def test_an_output_folder_that_is_a_file_is_one_sentence(tmp_path, capsys):
    two_notebooks(tmp_path / "notebooks")
    (tmp_path / "out").write_text("")
    assert run.main(["--notebooks", str(tmp_path / "notebooks"), "--out", str(tmp_path / "out")]) == 2
    assert re.fullmatch(r"--out \S+ cannot take the results: .+\n", capsys.readouterr().err)


@pytest.mark.parametrize(
    "arguments",
    [
        ["-p", "sise=3"],
        ["-p", "size=x"],
        ["--profile", "ful"],
        ["--only", "77"],
        ["--jobs", "0"],
        ["-p", "size"],
    ],
)
def test_wrong_arguments_end_before_anything_runs(tmp_path, capsys, arguments):
    two_notebooks(tmp_path / "notebooks")
    out = tmp_path / "out"
    assert run.main(["--notebooks", str(tmp_path / "notebooks"), "--out", str(out), *arguments]) == 2
    streams = capsys.readouterr()
    assert streams.out == "" and streams.err.count("\n") == 1
    assert not out.exists()


def test_commands_and_heavy_packages_are_imported_when_they_are_used():
    code = (
        "import sys, nbhelpers.__main__\n"
        "assert 'nbhelpers.runner.run' not in sys.modules\n"
        "import nbhelpers.runner.run, nbhelpers.base.shards\n"
        "print([name for name in ('papermill', 'nbformat', 'torch', 'dask', 'distributed', 'pandas', 'tqdm')"
        " if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"


# ---------------------------------------------------------------------------------------------- a run with real kernels

_GOOD = """
import json, os, sys
from pathlib import Path
import nbhelpers
from IPython.display import display
from nbhelpers.base import paths
from tqdm.auto import tqdm
list(tqdm(range(3)))
display({"image/png": "iVBORw0KGgo=", "text/plain": "dot"}, raw=True, metadata={"image/png": {"alt": "One <dot>"}})
facts = {"size": size, "ratio": ratio, "words": words, "executable": sys.executable, "package": nbhelpers.__file__,
         "cwd": os.getcwd(), "headless": paths.is_headless(), "parent": os.getppid(), "pid": os.getpid(),
         "profile": os.environ["NBHELPERS_PROFILE"], "backend": os.environ["MPLBACKEND"], "path": sys.path,
         "dask": os.environ["NBHELPERS_DASK"]}
(paths.out_dir() / "facts.json").write_text(json.dumps(facts))
(paths.figures_dir() / "01_curve.svg").write_text("<svg><title>A curve that rises &amp; falls</title></svg>")
row = {"study": "s", "table": "t", "row": "Spearman", "column": "NDD", "profile": "quick", "value": 0.5713, "low": 0.12,
       "high": 0.83, "n": 14, "published": 0.9}
with open(paths.ledger_path(), "a") as stream:
    stream.write("{damaged\\n" + json.dumps({**row, "value": 9, "profile": "full"}) + "\\n" + json.dumps(row) + "\\n")
"""

LIMIT = 12
"""Seconds that the slow notebook may take; on a busy machine its kernel starts well before."""

_LEAVES = """
import json, os, signal, subprocess, sys, time
from nbhelpers.base import paths
signal.signal(signal.SIGTERM, signal.SIG_IGN)
started = [subprocess.Popen(["sleep", "300"]).pid,
           int(subprocess.check_output(["sh", "-c", "setsid sleep 300 >/dev/null 2>&1 & echo $!"]))]
(paths.out_dir() / "pids").with_suffix(f".{name}").write_text(json.dumps([os.getpid(), os.getppid(), *started]))
"""


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    """A run of four notebooks, one good, three that fail in their own ways; two at a time, started elsewhere.

    It goes on, mostly waiting for the slow notebook's limit, while other tests do their work.
    """
    folder = tmp_path_factory.mktemp("run {curly} ü")
    notebooks, out = folder / "notebooks", folder / "out"
    write_notebook(notebooks, "01_slow", "name = 'slow'", _LEAVES, "print(size)", "time.sleep(300)")
    write_notebook(
        notebooks,
        "02_good",
        _GOOD,
        "name = 'good'",
        _LEAVES,
        "print('to stdout', size)",
        kernel="no-such-kernel",
        parameters="size = 3\nratio = 0.5\nwords = ['a']",
    )
    write_notebook(notebooks, "03_fails", "print('before', size)", "raise ValueError('the <reason>')", "print('after')")
    write_notebook(notebooks, "04_dies", "print(size)", "import os\nos.kill(os.getpid(), 9)")
    headline = 'headline = { study = "s", table = "t", row = "Spearman", column = "NDD" }'
    write_registry(
        notebooks, entry("01_slow", seconds=LIMIT), entry("02_good", headline), entry("03_fails"), entry("04_dies")
    )
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "nbhelpers",
            "run",
            "--notebooks",
            str(notebooks),
            "--out",
            str(out),
            "--jobs",
            "2",
            "-p",
            "size=5",
            "-p",
            "ratio=1",
            "--dask",
            "tcp://10.0.0.1:8786",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    wait_for((out / "pids.slow").exists)  # what comes now does not make it slower
    yield process, out
    process.kill()
    process.communicate()


@pytest.fixture(scope="module")
def finished(started):
    """What the run of four notebooks printed, its folder and its report."""
    process, out = started
    streams = process.communicate(timeout=120)
    done = subprocess.CompletedProcess(process.args, process.returncode, *streams)
    return done, out, json.loads((out / "run.json").read_text())


def by_name(report: dict) -> dict[str, dict]:
    return {each["name"]: each for each in report["notebooks"]}


def executed(out: Path, name: str) -> list:
    """Code cells of an executed notebook, the injected one and Papermill's marks left out."""
    notebook = nbformat.read(out / "notebooks" / f"{name}.ipynb", 4)
    nbformat.validate(notebook)
    return [
        cell
        for cell in notebook.cells
        if cell.cell_type == "code" and "injected-parameters" not in cell.metadata.get("tags", [])
    ]


# ------------------------------------------------------------------------------------------------ a run that is stopped


@pytest.fixture(scope="module")
def endless(tmp_path_factory, started):
    """Three runs at a time that do not end by themselves, each to be stopped by a test; none is left behind.

    Gives for each name its command line and its folder; and the terminal of the one that runs on a terminal.
    """
    commands, processes = {}, {}
    for name in ("terminal", "terminated", "killed"):
        folder = tmp_path_factory.mktemp(name)
        write_notebook(
            folder / "notebooks",
            "01_endless",
            "name = 'endless'",
            _LEAVES,
            "print(size, flush=True)\n(paths.out_dir() / 'last').touch()\ntime.sleep(300)",
        )
        write_notebook(folder / "notebooks", "02_never", "print(size)")
        write_registry(folder / "notebooks", entry("01_endless"), entry("02_never"))
        (folder / "tmp").mkdir()
        commands[name] = (
            [
                sys.executable,
                "-m",
                "nbhelpers",
                "run",
                "--notebooks",
                str(folder / "notebooks"),
                "--out",
                str(folder / "out"),
            ],
            folder,
        )
    command, folder = commands["terminal"]
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
        os.environ["PYTHONPATH"] = str(ROOT)
        os.chdir(folder)
        os.execv(command[0], command)
    for name in ("terminated", "killed"):
        command, folder = commands[name]
        processes[name] = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env={**os.environ, "TMPDIR": str(folder / "tmp")}
        )
    yield commands, processes, terminal, pid
    for process in processes.values():
        process.kill()
        process.communicate()
    os.close(terminal)


def pids_of(out: Path) -> list[int]:
    """Kernel, its runner's process and what it started, once the last cell runs."""
    wait_for((out / "last").exists)
    time.sleep(0.5)  # for the output of that cell to arrive
    return json.loads((out / "pids.endless").read_text())


def check_stopped(out: Path, pids: list[int]) -> None:
    wait_for(lambda: all(gone(pid) for pid in pids), 5)
    report = json.loads((out / "run.json").read_text())
    assert report["status"] == "interrupted"
    assert {name: each["status"] for name, each in by_name(report).items()} == {
        "01_endless": "interrupted",
        "02_never": "not run",
    }
    cells = executed(out, "01_endless")
    assert [output.get("text", output.get("ename")) for output in cells[3].outputs] == ["3\n", "Interrupted"]


def test_control_c_on_a_terminal_leaves_no_kernel_behind(endless):
    commands, _, terminal, pid = endless
    out = commands["terminal"][1] / "out"
    shown = b""

    def read() -> bytes:
        nonlocal shown
        try:
            new = os.read(terminal, 65536)
        except OSError:  # Linux's end of file of a terminal
            return b""
        shown += new
        return new

    while not (out / "last").exists():
        assert read()
    pids = pids_of(out)
    os.write(terminal, b"\x03")
    while read():
        pass
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 130
    check_stopped(out, pids)
    assert b"%|" in shown and b"/6" in shown  # the bar counts code cells: 4 of the one, 2 of the other
    assert b"stopping 01_endless" in shown


def test_a_request_to_terminate_leaves_no_kernel_behind(endless):
    commands, processes, _, _ = endless
    command, folder = commands["terminated"]
    process, pids = processes["terminated"], pids_of(folder / "out")
    second = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert second.returncode == 2 and "another run is writing to" in second.stderr
    process.send_signal(signal.SIGTERM)
    text = process.communicate(timeout=40)[0]
    assert process.returncode == 143
    assert "01_endless: INTERRUPTED" in text and "not run" in text
    check_stopped(folder / "out", pids)


def test_a_notebook_s_process_that_no_longer_keeps_its_limit_is_killed_with_all_below_it(monkeypatch):
    monkeypatch.setattr(notebook_process, "GRACE", 0.2)
    process = subprocess.Popen(
        ["sh", "-c", "trap '' TERM; sleep 300 & echo $!; wait; sleep 300"], stdout=subprocess.PIPE, text=True
    )
    below = int(process.stdout.readline())
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    running = notebook_process.Running({"status": "lost", "notes": []}, process, reader, limit=0.0)
    os.write(writer, b'{"cell": 2}\n{"cell":')  # the last report is cut off
    assert not notebook_process.has_ended(running) and running.cell == 2
    time.sleep(0.25)
    assert notebook_process.has_ended(running)
    assert running.result == {"status": "timeout", "error": None, "notes": []}
    assert process.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL) and gone(below)
    for each in (reader, writer, process.stdout.fileno()):
        os.close(each)


@pytest.mark.skipif(sys.platform != "linux", reason="the death of a parent can be watched on Linux")
def test_a_killed_runner_leaves_no_kernel_behind(endless):
    commands, processes, _, _ = endless
    folder = commands["killed"][1]
    pids = pids_of(folder / "out")
    assert list((folder / "tmp").glob("nbhelpers-*/*/job.json"))
    processes["killed"].kill()
    wait_for(lambda: all(gone(pid) for pid in pids), 20)
    assert [output.ename for output in executed(folder / "out", "01_endless")[3].outputs if "ename" in output] == [
        "Interrupted"
    ]
    wait_for(lambda: not list((folder / "tmp").glob("nbhelpers-*")), 5)


# ------------------------------------------------------------------------------------------ a run that comes to its end


def test_a_failing_notebook_does_not_stop_the_others(finished):
    done, _, report = finished
    assert done.returncode == 1, done.stderr
    assert {name: each["status"] for name, each in by_name(report).items()} == {
        "01_slow": "timeout",
        "02_good": "ok",
        "03_fails": "failed",
        "04_dies": "failed",
    }
    assert report["status"] == "failed"


def test_values_are_injected_with_their_types(finished):
    _, out, report = finished
    facts = json.loads((out / "facts.json").read_text())
    assert (facts["size"], facts["ratio"], facts["words"]) == (5, 1.0, ["a"]) and isinstance(facts["ratio"], float)
    assert by_name(report)["02_good"]["parameters"] == {"size": 5, "ratio": 1.0, "words": ["a"]}


def test_kernels_are_of_this_python_and_this_checkout_wherever_the_run_is_started(finished):
    _, out, _ = finished
    facts = json.loads((out / "facts.json").read_text())
    assert facts["executable"] == sys.executable
    assert facts["package"] == str(ROOT / "nbhelpers" / "__init__.py")
    assert facts["headless"] is True and facts["profile"] == "quick"
    assert facts["backend"].endswith("inline") and facts["dask"] == "tcp://10.0.0.1:8786"


def test_relative_paths_mean_the_folder_that_the_run_is_started_from(finished):
    _, out, _ = finished
    assert json.loads((out / "facts.json").read_text())["cwd"] == str(out.parent)


def test_the_cell_and_its_error_are_printed_and_the_partial_notebook_is_kept(finished):
    done, out, report = finished
    assert "03_fails: FAILED after" in done.stdout
    assert "in cell 3 of 4: ValueError: the <reason>" in done.stdout
    assert "    raise ValueError('the <reason>')" in done.stdout
    assert "\x1b" not in done.stdout
    cells = executed(out, "03_fails")
    assert cells[1].outputs[0].text == "before 5\n"
    assert cells[2].outputs[0].ename == "ValueError" and cells[3].outputs == []
    assert by_name(report)["03_fails"]["error"]["cell"] == 3


def test_the_time_limit_holds_for_the_whole_notebook_and_keeps_what_was_done(finished):
    done, out, report = finished
    slow = by_name(report)["01_slow"]
    assert LIMIT <= slow["seconds"] < LIMIT + 10
    assert "01_slow: TIMEOUT after" in done.stdout and f"reached its limit of {LIMIT} s" in done.stdout
    cells = executed(out, "01_slow")
    assert cells[3].outputs[0].text == "5\n" and cells[4].outputs[0].ename == "TimeoutError"


def test_a_kernel_that_dies_is_a_failure_of_its_notebook(finished):
    done, out, report = finished
    assert by_name(report)["04_dies"]["error"]["value"].startswith("the kernel died")
    assert "04_dies: FAILED" in done.stdout and "in cell 3 of 3" in done.stdout
    assert executed(out, "04_dies")[1].outputs[0].text == "5\n"


@pytest.mark.parametrize("name", ["slow", "good"])
def test_no_process_is_left_behind(finished, name):
    _, out, _ = finished
    pids = json.loads((out / f"pids.{name}").read_text())
    assert len(pids) == 4
    wait_for(lambda: all(gone(pid) for pid in pids), 5)


def test_progress_is_plain_lines(finished):
    done, _, _ = finished
    assert "\r" not in done.stdout and "%|" not in done.stdout + done.stderr
    assert "%|" not in (finished[1] / "notebooks" / "02_good.ipynb").read_text()
    assert "[2/4] 02_good: started, 5 cells, limit 90 s" in done.stdout
    assert re.search(r"^02_good: ok in \d+\.\d s$", done.stdout, flags=re.MULTILINE)
    assert "ratio = 1 applies to 02_good; the other notebooks have no such parameter" in done.stdout


def test_the_run_ends_with_the_table_and_the_places(finished):
    done, out, report = finished
    lines = done.stdout[done.stdout.index("\nnotebook ") :].strip().split("\n")
    assert lines[0].split() == ["notebook", "result", "seconds", "headline", "value", "[interval],", "n", "published"]
    good = next(line for line in lines if line.startswith("02_good"))
    assert good.endswith("t, Spearman, NDD  0.5713 [0.12, 0.83], n=14  0.9") and "  ok  " in good
    assert [line.split()[0] for line in lines[2:6]] == ["01_slow", "02_good", "03_fails", "04_dies"]
    places = {line.split(":")[0]: line.split(":")[1].strip() for line in lines[7:]}
    assert places == {"figures": "out/figures", "executed notebooks": "out/notebooks", "HTML index": "out/index.html"}
    assert all((out.parent / place).exists() for place in places.values())


def test_a_headline_that_was_not_recorded_is_said_and_not_invented(tmp_path):
    (tmp_path / "ledger.jsonl").write_text(
        json.dumps(
            {"study": "s", "table": "t", "row": "r", "column": "c", "profile": "quick", "value": 0.5, "published": 0.6}
        )
        + "\n"
    )

    ledger = tmp_path / "ledger.jsonl"

    def headline(column: str, profile: str = "quick", since: float = 0.0):
        return run_report.headline({"study": "s", "table": "t", "row": "r", "column": column}, profile, ledger, since)

    found = headline("c")
    assert (found["value"], found["published"], found["n"]) == (0.5, 0.6, None)
    assert run_report.headline_text(found) == "0.5"
    assert headline("d") is None
    assert headline("c", profile="full") is None
    assert headline("c", since=time.time() + 60) is None  # the ledger of an older run
    assert run_report.headline_text(None) == "-"
    assert run_report.headline_text({**found, "value": None}) == "-"


def test_run_json_tells_how_the_results_came_about(finished):
    _, _, report = finished
    assert report["versions"]["python"].startswith(f"{sys.version_info[0]}.{sys.version_info[1]}.")
    assert report["versions"]["papermill"] and report["machine"]["cores"] == os.cpu_count()
    assert report["profile"] == "quick" and report["seconds"] > LIMIT and report["jobs"] == 2
    assert report["dask"] == "tcp://10.0.0.1:8786"


def test_executed_notebooks_hold_no_path_of_this_machine_beyond_what_their_cells_print(finished):
    _, out, _ = finished
    for name in ("01_slow", "02_good", "03_fails", "04_dies"):
        text = (out / "notebooks" / f"{name}.ipynb").read_text()
        assert str(out.parent) not in text and "widgets" not in json.loads(text)["metadata"]
    assert not list((out / "notebooks").glob(".*"))


class _Page(HTMLParser):
    """What a page holds, as far as the tests ask."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def all(self, tag: str) -> list[dict]:
        return [attributes for each, attributes in self.tags if each == tag]


def test_the_index_is_accessible_and_its_links_lead_somewhere(finished):
    from urllib.parse import unquote

    _, out, _ = finished
    text = (out / "index.html").read_text()
    page = _Page(text)
    assert page.all("html") == [{"lang": "en"}] and len(page.all("h1")) == 1 and page.all("caption")
    scopes = [each.get("scope") for each in page.all("th")]
    assert scopes.count("col") == 7 and scopes.count("row") == 4 and None not in scopes
    assert [image["alt"] for image in page.all("img")] == ["A curve that rises & falls"]
    links = [unquote(each["href"]) for each in page.all("a")]
    assert all((out / link).exists() for link in links)
    for name in ("01_slow", "02_good", "03_fails", "04_dies"):
        assert f"html/{name}.html" in links and f"notebooks/{name}.ipynb" in links
    assert {"run.json", "ledger.jsonl", "figures/01_curve.svg"} <= set(links)
    assert "0.5713 [0.12, 0.83], n=14" in text and "the &lt;reason&gt;" in text


def test_notebook_pages_have_language_and_title_and_load_no_widget_script(finished):
    _, out, _ = finished
    text = (out / "html" / "02_good.html").read_text()
    page = _Page(text)
    assert page.all("html")[0]["lang"] == "en" and "<title>About 02_good</title>" in text
    assert "to stdout 5" in text
    assert [image["alt"] for image in page.all("img")] == ["One <dot>"]
    assert not any("require" in each.get("src", "") for each in page.all("script"))


def test_a_headline_of_an_earlier_run_is_not_taken_for_a_new_one(tmp_path):
    ledger = tmp_path / "ledger.jsonl"
    key = {"study": "s", "table": "t", "row": "r", "column": "c"}
    lines = [json.dumps({**key, "profile": profile, "value": 1}) for profile in ("quick", "full")]
    other = json.dumps({**key, "row": "another", "profile": "quick", "value": 2})
    ledger.write_text("\n".join([*lines, other, "half a li"]) + "\n")
    run_report.forget_headlines([key], "quick", ledger)
    assert ledger.read_text().split("\n") == [lines[1], other, "half a li", ""]
    assert run_report.headline(key, "quick", ledger, 0.0) is None
    run_report.forget_headlines([key], "quick", tmp_path / "none.jsonl")
