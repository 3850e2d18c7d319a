"""The runner: what is wrong is found before anything runs, and nothing is left behind afterwards."""

import ast
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import unquote

import psutil
import pytest
from bs4 import BeautifulSoup
from notebooks_for_tests import entry, two_notebooks, write_notebook, write_registry

from nbhelpers import __main__ as command_line
from nbhelpers.base.paths import ROOT
from nbhelpers.runner import record, report, run
from nbhelpers.runner.process import _joined

import nbformat  # isort: skip  # after notebooks_for_tests, which makes this quick

COMMAND = [sys.executable, "-m", "nbhelpers", "run"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}


def wait_for(condition, seconds: float = 300):
    """The first true answer of a condition, however busy the machine is."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if answer := condition():
            return answer
        time.sleep(0.05)
    raise AssertionError("waited in vain")


def gone(pids: list[int]) -> bool:
    """Whether none of the processes is alive; one that nobody has waited for yet counts as gone."""

    def is_alive(pid: int) -> bool:
        try:
            return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:  # it may end while it is looked at
            return False

    return not any(map(is_alive, pids))


def executed(out: Path, name: str) -> list:
    """Code cells of an executed notebook without the injected one."""
    notebook = nbformat.read(out / "notebooks" / f"{name}.ipynb", 4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [cell for cell in cells if "injected-parameters" not in cell.metadata.get("tags", [])]


# --------------------------------------------------------------------------------------------------------- command line


def test_the_command_line_shows_its_commands_and_names_the_near_match(capsys):
    assert command_line.main(["--help"]) == 0 and "run" in capsys.readouterr().out
    assert command_line.main([]) == 2
    assert command_line.main(["rum"]) == 2
    assert "unknown command 'rum'; did you mean 'run'?" in capsys.readouterr().err
    with pytest.raises(SystemExit) as caught:
        command_line.main(["run", "--help"])
    text = capsys.readouterr().out
    assert caught.value.code == 0 and "examples:" in text and "exit status:" in text and "--resume" in text


def test_messages_name_the_program_as_it_was_called(monkeypatch, capsys):
    for called, name in (("/venv/bin/nbhelpers", "nbhelpers"), ("/clone/nbhelpers/__main__.py", "python -m nbhelpers")):
        monkeypatch.setattr(sys, "argv", [called])
        assert command_line.main(["score", "nowhere.tsv"]) == 2
        assert capsys.readouterr().err.startswith(f"{name} score: nowhere.tsv cannot be read")
        assert command_line.main(["--help"]) == 0
        assert capsys.readouterr().out.startswith(f"usage: {name} COMMAND")
        for command in command_line.COMMANDS:
            with pytest.raises(SystemExit):
                command_line.main([command, "--help"])
            text = capsys.readouterr().out
            assert text.startswith(f"usage: {name} {command} ") and "``" not in text


def test_list_shows_parameters_with_their_comments_and_profiles(capsys):
    assert run.main(["--list", "--only", "1", "--only", "12"]) == 0
    text, twelve = re.split(r"^(?=12_model_size: )", capsys.readouterr().out, flags=re.MULTILINE)
    assert text.startswith("01_ndd_cases: ") and "quick 600 s" in text and "00_" not in text
    assert re.search(r"^  mu = 0\.9  # decay of .*\n", text, flags=re.MULTILINE)
    assert re.search(
        r"^  model = 'embedded'  # .*\n      full: 'base', paper: 'bert-base-cased'$", text, flags=re.MULTILINE
    )


@pytest.mark.parametrize("arguments", [["--help"], *([name, "--help"] for name in ("check", "score", "compare"))])
def test_help_comes_at_once_since_nothing_large_is_imported(arguments):
    code = f"import sys; from nbhelpers.__main__ import main; sys.argv = ['nbhelpers', *{arguments}]"
    code += "\ntry:\n    main()\nexcept SystemExit:\n    pass\nprint(sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, env=ENVIRONMENT)
    loaded = set(ast.literal_eval(done.stdout.splitlines()[-1]))
    assert not loaded & {"torch", "transformers", "pandas", "scipy", "sklearn", "nltk", "matplotlib", "gensim"}


def test_make_lab_passes_arguments_on_and_jupyter_does_not_ask_about_news():
    shown = subprocess.run(["make", "-n", "lab", "ARGS=--no-browser"], capture_output=True, text=True, cwd=ROOT)
    config, command = re.search(r"JUPYTER_CONFIG_PATH=(\S+) \S*jupyter lab (.*)", shown.stdout).groups()
    assert command.endswith("--no-browser")
    pages = json.loads((Path(config) / "labconfig" / "page_config.json").read_text())
    assert pages == {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}
    assert "c.ServerApp.allow_root = True" in (Path(config) / "jupyter_server_config.py").read_text()  # in a container


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-p", "sise=3"], "did you mean 'size'?"),
        (["--profile", "ful"], "did you mean 'full'?"),
        (["--only", "77"], "no such notebook"),
        (["--jobs", "0"], "--jobs"),
        (["--timeout", "-1"], "--timeout"),
        (["--only", "1", "-p", "model=embeded"], "no model 'embeded' is on this machine .*; did you mean 'embedded'?"),
        (["--only", "1", "-p", "model=nobody/bert-base-casd"], "no model 'nobody/bert-base-casd'"),
        (["--dask", "nonsense://"], "no Dask scheduler answers at nonsense://"),
    ],
)
def test_what_is_wrong_is_one_sentence_before_anything_runs(tmp_path, capsys, monkeypatch, arguments, message):
    monkeypatch.setattr("nbhelpers.base.shards._CONNECT", 0.5)
    notebooks, out = two_notebooks(tmp_path / "notebooks"), tmp_path / "out"
    assert command_line.main(["run", "--notebooks", str(notebooks), "--out", str(out), *arguments]) == 2
    streams = capsys.readouterr()
    assert re.search(message, streams.err) and streams.err.count("\n") == 1
    assert streams.out == "" and not out.exists()


def test_a_model_that_nobody_knows_is_refused_at_once_without_a_network_too(tmp_path, capsys, monkeypatch):
    import huggingface_hub

    def unreachable(*_, **options):
        assert options["timeout"] <= 5
        raise ConnectionError("no route")

    monkeypatch.delenv("NBHELPERS_OFFLINE")
    monkeypatch.setattr(huggingface_hub, "get_hf_file_metadata", unreachable)
    notebooks, out = two_notebooks(tmp_path / "notebooks"), tmp_path / "out"
    assert command_line.main(["run", "--notebooks", str(notebooks), "--out", str(out), "-p", "model=embeded"]) == 2
    assert "and the hub gives no answer (ConnectionError); did you mean 'embedded'?" in capsys.readouterr().err
    assert not out.exists()


def test_what_is_around_a_run_is_checked_before_anything_runs(tmp_path, capsys, monkeypatch):
    from distributed import LocalCluster

    notebooks, out, file = two_notebooks(tmp_path / "notebooks"), tmp_path / "out", tmp_path / "file"

    def refused(message, out=out):
        assert command_line.main(["run", "--notebooks", str(notebooks), "--out", str(out)]) == 2
        assert re.fullmatch(rf".*{message}.*\n", capsys.readouterr().err)

    with LocalCluster(n_workers=0, processes=False, dashboard_address=None) as cluster, monkeypatch.context() as patch:
        patch.setenv("NBHELPERS_DASK", cluster.scheduler_address)
        refused("has no workers")
    with monkeypatch.context() as patch:
        patch.setenv("NBHELPERS_DATA", str(tmp_path / "nowhere"))
        refused("nowhere, which is no folder")
    file.touch()
    refused("--out \\S+ cannot take the results: .+", file)
    assert not out.exists()
    with run._alone(out):
        refused("another run is writing to")


def test_a_full_disk_and_a_closed_pipe_end_in_one_sentence_or_none(tmp_path):
    def done(*arguments, **options):
        done = subprocess.run([*COMMAND, *arguments], stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, **options)
        return done, done.stderr

    reader, writer = os.pipe()
    os.close(reader)
    closed, text = done("--list", stdout=writer)
    assert (closed.returncode, text) == (141, "")
    with open("/dev/full", "w") as full:
        listed, text = done("--list", stdout=full)
    assert listed.returncode == 3 and "No space left on device" in text and text.count("\n") == 1
    notebooks, out = two_notebooks(tmp_path / "notebooks"), tmp_path / "out"
    options = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))}  # as if the disk were full
    failed, text = done("--notebooks", notebooks, "--out", out, "--only", "2", stdout=subprocess.PIPE, **options)
    assert "02_b: FAILED" in failed.stdout and "OSError: [Errno 27] File too large" in failed.stdout
    assert failed.returncode == 3 and "File too large" in text and text.count("\n") == 1
    assert [path.name for path in out.glob("*.*")] == [".lock"]


# ------------------------------------------------------------------------------------------------ one run after another


@pytest.fixture
def without_kernels(monkeypatch):
    """Runs that take notebooks for executed; gives the names of those that were."""
    names = []

    def execute(entry, result, out, *how):
        (out / "notebooks" / f"{entry.name}.ipynb").touch()
        result.update(status="ok", seconds=1.0, notebook=f"notebooks/{entry.name}.ipynb")
        names.append((entry.name, result["timeout"]))

    monkeypatch.setattr(run, "_execute", execute)
    return names


def test_a_partial_run_leaves_the_other_notebooks_in_the_index(tmp_path, without_kernels, capsys):
    notebooks, out = two_notebooks(tmp_path / "notebooks"), tmp_path / "out"
    first = run.run_notebooks(notebooks=notebooks, out=out)
    capsys.readouterr()
    second = run.run_notebooks(["2"], notebooks=notebooks, out=out, parameters={"size": "4"}, timeout=7)
    assert without_kernels == [("01_a", 300), ("02_b", 300), ("02_b", 7)]
    assert second["selected"] == ["02_b"] and second["notebooks"][0] == first["notebooks"][0]
    assert [each["parameters"]["size"] for each in second["notebooks"]] == [3, 4]
    index = (out / "index.html").read_text()
    assert "01_a: About 01_a" in index and "02_b: About 02_b" in index
    other = run.run_notebooks(["2"], profile="full", notebooks=notebooks, out=out)
    assert [each["name"] for each in other["notebooks"]] == ["02_b"]  # profiles are not mixed
    assert not list(out.glob(".*.part"))


def test_texts_that_were_split_are_one_and_stay_beside_their_tables():
    def out(name, text):
        return nbformat.v4.new_output("stream", name=name, text=text)

    table = nbformat.v4.new_output("display_data", data={"text/plain": "a table"})
    given = [out("stdout", "a\n"), out("stdout", "b\n"), out("stderr", "c\n"), table, out("stdout", "d\n")]
    texts = [one.get("text", "table") for one in _joined(given)]
    assert texts == ["a\nb\n", "c\n", "table", "d\n"]


def test_resume_skips_what_has_finished_with_the_same_cells_and_parameters(tmp_path, without_kernels):
    notebooks, out = two_notebooks(tmp_path / "notebooks"), tmp_path / "out"

    def executed_by(**options):
        without_kernels.clear()
        assert run.run_notebooks(notebooks=notebooks, out=out, resume=True, **options)["status"] == "ok"
        return [name for name, _ in without_kernels]

    assert executed_by() == ["01_a", "02_b"]
    assert executed_by() == []
    assert executed_by(parameters={"limit": "4"}) == ["01_a"]
    write_notebook(notebooks, "02_b", "print(size + 1)")
    assert executed_by(parameters={"limit": "4"}) == ["02_b"]
    (out / "notebooks" / "02_b.ipynb").unlink()
    assert executed_by(parameters={"limit": "4"}) == ["02_b"]
    (out / "run.json").write_text("{damaged")
    assert executed_by() == ["01_a", "02_b"]


def test_a_full_run_without_real_data_is_refused_before_anything_runs(tmp_path, nothing_at_hand, capsys):
    notebooks, out = two_notebooks(tmp_path / "notebooks"), tmp_path / "out"
    write_registry(notebooks, entry("01_a", 'needs = ["google-compression", "bert-base-cased"]'), entry("02_b"))
    whole = ["run", "--notebooks", str(notebooks), "--out", str(out), "--profile", "full"]
    assert command_line.main(whole) == 2
    streams = capsys.readouterr()
    assert re.match(r"01_a needs data: google-compression \(.*looked in NBHELPERS_DATA \(not set\)", streams.out)
    assert "the profile full takes real data, which 01_a lack; nothing was run" in streams.err
    assert not out.exists()
    assert command_line.main([*whole, "--only", "2"]) == 0


# ---------------------------------------------------------------------------------------------- runs with real kernels

LIMIT = 15
"""Seconds that the slow notebook may take; on a busy machine, too, its kernel has started by then."""
_LEAVES = """
import json, os, signal, subprocess, sys, time
from nbhelpers.base import paths
pids = [os.getpid(), os.getppid(), subprocess.Popen(["sleep", "3000"]).pid]
(paths.out_dir() / f"pids.{name}").write_text(json.dumps(pids))
"""
_GOOD = """
import nbhelpers
from IPython.display import display
from nbhelpers.base.stats import Estimate
from nbhelpers.results import tables
from tqdm.auto import tqdm
list(tqdm(range(3)))
display({"image/png": "iVBORw0KGgo=", "text/plain": "dot"}, raw=True, metadata={"image/png": {"alt": "One <dot>"}})
facts = {"size": size, "ratio": ratio, "words": words, "executable": sys.executable, "package": nbhelpers.__file__,
         "cwd": os.getcwd(), "headless": paths.is_headless(), "profile": os.environ["NBHELPERS_PROFILE"]}
(paths.out_dir() / "facts.json").write_text(json.dumps(facts))
(paths.figures_dir() / "02_curve.svg").write_text("<svg><title>A curve that rises &amp; falls</title></svg>")
tables.headline("Spearman", Estimate(0.5713, 0.12, 0.83, 14), Estimate(0.5, 0.4, 0.6, size), of="base", model="tiny")
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run of four notebooks, one good, three that fail in their own ways; its process, folder and report."""
    folder = tmp_path_factory.mktemp("run {curly} ü")
    (folder / "nbhelpers").mkdir()  # another one in the folder that the run is started from
    notebooks, out = folder / "notebooks", folder / "out"
    write_notebook(notebooks, "01_slow", "name = 'slow'", _LEAVES, "print(size, flush=True)\ntime.sleep(3000)")
    cells = ["name = 'good'", _LEAVES, _GOOD, "print('to stdout', size)"]
    write_notebook(notebooks, "02_good", *cells, parameters="size = 3\nratio = 0.5\nwords = ['a']")
    write_notebook(notebooks, "03_fails", "print('before', size)", "raise ValueError('the <reason>')", "print('after')")
    write_notebook(notebooks, "04_dies", "print(size)", "import os\nos.kill(os.getpid(), 9)")
    tables = [entry("02_good"), entry("01_slow", seconds=LIMIT), entry("03_fails")]
    write_registry(notebooks, *tables, entry("04_dies"))
    (out / "figures").mkdir(parents=True)
    (out / "figures" / "02_old.svg").touch()
    command = [*COMMAND, "--notebooks", "notebooks", "--out", "out", "--jobs", "2", "-p", "size=5", "-p", "ratio=1"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=ENVIRONMENT)
    return done, out, json.loads((out / "run.json").read_text())


def test_a_failing_notebook_does_not_stop_the_others(finished):
    done, _, facts = finished
    assert done.returncode == 1, done.stderr
    statuses = {each["name"]: each["status"] for each in facts["notebooks"]}
    assert statuses == {"01_slow": "timeout", "02_good": "ok", "03_fails": "failed", "04_dies": "failed"}
    assert facts["status"] == "failed" and facts["jobs"] == 2 and facts["seconds"] > LIMIT
    assert facts["versions"]["papermill"] and facts["machine"]["cores"] == os.cpu_count()


def test_a_run_writes_nothing_into_the_notebooks_that_it_executes(finished):
    _, out, _ = finished
    cells = nbformat.read(out.parent / "notebooks" / "02_good.ipynb", as_version=4).cells
    assert not [cell for cell in cells if cell.cell_type == "code" and (cell.outputs or cell.execution_count)]


def test_values_keep_their_types_and_kernels_are_of_this_python_this_checkout_and_the_caller_s_folder(finished):
    _, out, facts = finished
    values = {"size": 5, "ratio": 1.0, "words": ["a"]}
    places = {"executable": sys.executable, "package": str(ROOT / "nbhelpers" / "__init__.py"), "cwd": str(out.parent)}
    seen = json.loads((out / "facts.json").read_text())
    assert seen == {**values, **places, "headless": True, "profile": "quick"}
    assert facts["notebooks"][1]["parameters"] == values and isinstance(seen["ratio"], float)


def test_why_a_notebook_failed_is_printed_and_what_was_done_is_kept(finished):
    done, out, facts = finished
    errors = [result["error"] for result in facts["notebooks"]]
    # an error
    assert "03_fails: FAILED after" in done.stdout and "in cell 3 of 4: ValueError: the <reason>" in done.stdout
    assert "    raise ValueError('the <reason>')" in done.stdout and "\x1b" not in done.stdout
    cells = executed(out, "03_fails")
    assert cells[1].outputs[0].text == "before 5\n"
    assert cells[2].outputs[0].ename == "ValueError" and cells[3].outputs == [] and errors[2]["cell"] == 3
    # the time limit, of the whole notebook
    assert facts["notebooks"][0]["seconds"] >= LIMIT
    assert "01_slow: TIMEOUT after" in done.stdout and f"reached its limit of {LIMIT} s" in done.stdout
    printed, error = executed(out, "01_slow")[3].outputs
    assert printed.text == "5\n" and error.ename == "TimeoutError"
    # a kernel that dies
    assert "04_dies: FAILED" in done.stdout and "in cell 3 of 3" in done.stdout
    assert executed(out, "04_dies")[1].outputs[0].text == "5\n" and errors[3]["value"].startswith("the kernel died")


def test_progress_is_plain_lines_and_the_run_ends_with_a_table(finished):
    done, out, _ = finished
    assert "ratio = 1 applies to 02_good; the other notebooks have no such parameter" in done.stdout
    assert "%|" not in done.stdout + done.stderr + (out / "notebooks" / "02_good.ipynb").read_text()
    lines = done.stdout[done.stdout.index("\nnotebook ") :].strip().split("\n")
    assert [line.split()[0] for line in lines[2:6]] == ["01_slow", "02_good", "03_fails", "04_dies"]
    shown = "Spearman  .500 [.400, .600], n = 5 (tiny)  .571 [.120, .830], n = 14 (base)  -"
    assert lines[3].endswith(shown) and lines[2].endswith("-")


def test_no_process_and_no_path_of_this_machine_is_left_behind(finished):
    _, out, _ = finished
    pids = [pid for name in ("slow", "good") for pid in json.loads((out / f"pids.{name}").read_text())]
    assert len(pids) == 6
    wait_for(lambda: gone(pids))
    written = list((out / "notebooks").iterdir())
    assert len(written) == 4
    for path in written:
        assert str(out.parent) not in path.read_text() and "widgets" not in nbformat.read(path, 4).metadata


def test_the_index_is_accessible_and_its_links_lead_somewhere(finished):
    _, out, _ = finished
    page = BeautifulSoup((out / "index.html").read_text(), "html.parser")
    assert page.html["lang"] == "en" and len(page.find_all("h1")) == 1 and page.caption
    assert [each["scope"] for each in page.find_all("th")] == ["col"] * 8 + ["row"] * 4
    assert [image["alt"] for image in page.find_all("img")] == ["A curve that rises & falls"]
    links = {unquote(each["href"]) for each in page.find_all("a")}
    assert all((out / link).exists() for link in links)
    names = ("01_slow", "02_good", "03_fails", "04_dies")
    assert links >= {f"html/{name}.html" for name in names} | {f"notebooks/{name}.ipynb" for name in names}
    assert links >= {"run.json", "figures/02_curve.svg"}
    assert (
        ".571 [.120, .830], n = 14 (base)" in page.text
        and ".500 [.400, .600], n = 5 (tiny)" in page.text
        and "the <reason>" in page.text
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_stopped_leaves_no_kernel_behind(tmp_path, number):
    notebooks, out = tmp_path / "notebooks", tmp_path / "out"
    cells = ["name = 'endless'\nprint('before')", _LEAVES, "(paths.out_dir() / 'last').touch()\ntime.sleep(3000)"]
    write_notebook(notebooks, "01_endless", *cells, "print(size)")
    write_notebook(notebooks, "02_never", "print(size)")
    write_registry(notebooks, entry("01_endless", seconds=3000), entry("02_never"))
    command = [*COMMAND, "--notebooks", str(notebooks), "--out", str(out)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT, start_new_session=True)
    try:
        wait_for((out / "last").exists)
        pids = json.loads((out / "pids.endless").read_text())
        os.killpg(process.pid, number)  # as a terminal does it
        text = process.communicate(timeout=300)[0]
    finally:
        process.kill()
    wait_for(lambda: gone(pids))
    cells = executed(out, "01_endless")
    assert cells[1].outputs[0].text == "before\n" and cells[3].outputs[-1].ename == "Interrupted"
    assert cells[4].execution_count is None
    if number == signal.SIGKILL:
        assert process.returncode == -number
        return
    assert process.returncode == 128 + number
    assert "stopping 01_endless" in text and "01_endless: INTERRUPTED" in text and "not run" in text
    facts = json.loads((out / "run.json").read_text())
    assert facts["status"] == "interrupted"
    assert [each["status"] for each in facts["notebooks"]] == ["interrupted", "not run"]


def test_a_process_that_no_longer_keeps_its_limit_is_killed_with_all_below_it():
    script = "trap '' TERM; sleep 3000 & echo $!; wait; sleep 3000"
    process = subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE, text=True)
    below = int(process.stdout.readline())
    run._kill_later(process, 0.01)
    wait_for(lambda: gone([process.pid, below]))
    process.communicate()


# ------------------------------------------------------------------------------------------------------- pages


def asks_the_network(page: BeautifulSoup) -> list:
    """Elements of a page that load something from an address."""
    tags = [*page.select("script[src], link[href], iframe[src], img[src]"), *page.select("script[type=module]")]
    styles = [style for style in page.find_all("style") if re.search(r"@import|url\(['\"]?(https?:)?//", style.text)]
    return [*(tag for tag in tags if not tag.get("src", "").startswith("data:")), *styles]


def test_pages_have_language_title_and_the_texts_of_images(finished):
    page = BeautifulSoup((finished[1] / "html" / "02_good.html").read_text(), "html.parser")
    assert page.html["lang"] == "en" and page.title.text == "About 02_good"
    assert "to stdout 5" in page.text and not asks_the_network(page)
    assert [image["alt"] for image in page.select(".jp-RenderedImage img")] == ["One <dot>"]


def test_pages_of_all_notebooks_show_their_mathematics_without_a_network():
    texts = [cell.source for path in record.text_files() for cell in record.read_text(path).cells]
    texts = [text for text in texts if not text.startswith("import")]
    output = nbformat.v4.new_output("display_data", {"image/png": "iVBORw0KGgo="})  # without an alternative text
    cells = [nbformat.v4.new_markdown_cell(text) for text in texts if "$" in text or "](" in text]
    cells = [cell for cell in cells if "```" not in cell.source and "=" not in cell.source.split("\n")[0]]
    texts_of = [cell.source for cell in cells]
    cells.append(nbformat.v4.new_code_cell("1", outputs=[output]))
    page = BeautifulSoup(report.notebook_page(nbformat.v4.new_notebook(cells=cells)), "html.parser")
    assert not asks_the_network(page) and page.select_one(".jp-RenderedImage img")["src"].endswith("iVBORw0KGgo=")
    formulas = re.findall(r"\$\$.+?\$\$|\$.+?\$", re.sub("`[^`]*`", "", "\n".join(texts_of)), flags=re.DOTALL)
    assert len(page.find_all("math")) == len(formulas) > 0 and page.select("math[display=block] mfrac")
    for cell in page.select(".jp-RenderedMarkdown"):
        for code in cell.find_all("code"):
            code.decompose()
        assert "$" not in cell.text and "\\" not in cell.text
