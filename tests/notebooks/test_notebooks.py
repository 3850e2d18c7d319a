"""The committed notebooks: in step with their text, executed in order, clean, registered, readable without a run."""

import ast
import copy
import functools
import json
import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import nbformat
import numpy as np
import pytest
from ipykernel.ipkernel import IPythonKernel

from nbhelpers import __main__ as command_line
from nbhelpers.base import paths
from nbhelpers.base.errors import InputError
from nbhelpers.resources import data
from nbhelpers.results import claims, published
from nbhelpers.runner import record
from nbhelpers.runner.parameters import check_values, load_registry, read_source
from nbhelpers.runner.record import clean, digest, read_text, text_files

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.usefixtures("judged_once")
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SECRET = re.compile(r"(api[_-]?key|secret|password|token)\s*[=:]\s*['\"][A-Za-z0-9_\-]{16,}", re.I)


def load(path: Path):
    return nbformat.read(path, as_version=4)


committed = functools.cache(load)


def code_cells(path: Path):
    return [cell for cell in committed(path).cells if cell.cell_type == "code"]


distributions = functools.cache(packages_distributions)  # it reads the files of all packages
every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def test_every_notebook_is_registered_and_has_its_text():
    entries = load_registry()
    assert set(entries) == {path.stem for path in NOTEBOOKS} == {path.stem for path in text_files()}
    for entry in entries.values():
        assert set(entry.needs) <= set(data.registry())
        source = read_source(entry.path)
        for profile, values in entry.values.items():
            check_values(source, values, f"profile {profile}")


@every_notebook
def test_text_and_notebook_are_in_step(path):
    text = ROOT / "notebooks" / "text" / f"{path.stem}.py"
    assert digest(committed(path)) == digest(read_text(text)), "run `python -m nbhelpers record` and execute it again"


@every_notebook
def test_jupyterlab_would_write_the_same_file(path):
    notebook = committed(path)
    assert path.read_text(encoding="utf-8") == nbformat.writes(notebook) + "\n"
    assert notebook.metadata.language_info | {"version": ""} == IPythonKernel.language_info | {"version": ""}
    assert notebook.metadata.language_info.version and not record.is_edited(notebook)


@every_notebook
def test_executed_in_order_without_errors(path):
    cells = code_cells(path)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert not [o for cell in cells for o in cell.outputs if o.output_type == "error"]


@every_notebook
def test_outputs_are_clean_and_small(path):
    raw = path.read_text(encoding="utf-8")
    assert "widgets" not in json.loads(raw)["metadata"]
    outputs = json.dumps([o for cell in code_cells(path) for o in cell.outputs])
    assert not re.search(r"/(home|root|Users|work|tmp|github)/", outputs), "an output names a folder of a machine"
    assert not SECRET.search(raw)
    assert len(raw) < 1_500_000
    assert "application/vnd.jupyter.widget-view+json" not in outputs


@every_notebook
def test_every_figure_says_what_it_shows(path):
    for cell in code_cells(path):
        for output in cell.outputs:
            if "image/png" in output.get("data", {}):
                alt = output.metadata.get("image/png", {}).get("alt", "")
                assert len(alt) >= 30, f"a figure of this cell has no alt text:\n{cell.source[:200]}"


@every_notebook
def test_has_the_parts_that_readers_expect(path):
    cells = committed(path).cells
    first = next(i for i, cell in enumerate(cells) if "parameters" in cell.metadata.get("tags", ()))
    header = "\n".join(cell.source for cell in cells[:first] if cell.cell_type == "markdown")
    for part in ("what we found", "you need", "time"):
        assert part in header.lower(), part
    assert sum("parameters" in cell.metadata.get("tags", ()) for cell in cells) == 1
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown").lower()
    if load_registry()[path.stem].source:
        for part in ("beside the paper", "what could be wrong|does not show", "try it", "exercise"):
            assert re.search(part, text), part
    assert len(cells) <= 29, "a notebook is read in one sitting, and has room for one more cell"
    code = [[line for line in cell.source.splitlines() if line.strip()] for cell in cells if cell.cell_type == "code"]
    assert all(len(lines) <= 25 for lines in code)


NUMBER = r"([−+-]?\d*\.?\d+)"
WITH_INTERVAL = re.compile(rf"{NUMBER}\s*%?\s*\[{NUMBER},\s*{NUMBER}\]")


@every_notebook
def test_a_number_in_the_prose_is_printed_by_a_cell(path):
    cells = committed(path).cells
    printed = WITH_INTERVAL.findall(str([cell.outputs for cell in cells if cell.cell_type == "code"]))
    known = np.array([[float(n.replace("−", "-")) for n in one] for one in printed]).reshape(-1, 3)
    for cell in (cell for cell in cells if cell.cell_type == "markdown"):
        prose = re.sub(r"\*\*Exercise.*?(?=\n#|\Z)", "", cell.source, flags=re.S)
        for found in WITH_INTERVAL.findall(prose.replace("\n", " ")):
            digits = np.array([0.51 * 10.0 ** -len(one.partition(".")[2]) for one in found])
            values = [float(one.replace("−", "-")) for one in found]
            assert (np.abs(known - values) <= digits).all(axis=1).any(), f"not printed: {found} in {prose[:200]}"


def test_every_published_table_and_figure_has_its_counterpart():
    text = "\n".join(path.read_text(encoding="utf-8") for path in text_files())
    for name in published.tables():
        study, table = name.split("/")
        if table != "text":
            assert f'"{study}", "{table}"' in text or f'"{name}"' in text, name


@every_notebook
def test_every_import_is_in_the_environment(path):
    lock, known = (ROOT / "requirements.lock").read_text(), distributions()
    for cell in code_cells(path):
        for node in ast.walk(ast.parse(cell.source)):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            for name in {n.split(".")[0] for n in names} - set(sys.stdlib_module_names) - {"nbhelpers"}:
                pins = {re.sub(r"[-_.]+", "-", d).lower() for d in known.get(name, ())}
                assert any(f"{pin}==" in lock for pin in pins), f"{name} is not in requirements.lock"


def inject(notebook, cells):
    notebook.cells.insert(1, nbformat.v4.new_code_cell("x = 1", metadata={"tags": ["injected-parameters"]}))


def fail(notebook, cells):
    cells[0].outputs = [nbformat.v4.new_output("error", ename="ValueError", evalue="no", traceback=[])]


def stop(notebook, cells):
    cells[-1].execution_count, cells[-1].outputs = None, []


def change(notebook, cells):
    notebook.cells[0].source += " changed"


@pytest.mark.parametrize(
    ("spoil", "message"),
    [(inject, "other parameters"), (fail, "ValueError"), (stop, "was not run"), (change, "run it again")],
)
def test_a_notebook_that_is_not_a_whole_run_of_its_text_is_not_recorded(spoil, message):
    executed = load(NOTEBOOKS[0])
    spoil(executed, [cell for cell in executed.cells if cell.cell_type == "code"])
    with pytest.raises(InputError, match=message):
        clean(executed, load(NOTEBOOKS[0]))


def test_two_runs_record_the_same_tables():
    def recorded(name):
        html = f'<style>#T_{name}_row0 {{}}</style><table id="T_{name}"></table>'
        output = nbformat.v4.new_output("display_data", {"text/html": html, "text/plain": f"<Styler at 0x{name}>"})
        cell = nbformat.v4.new_code_cell("1", execution_count=5, outputs=[output, copy.deepcopy(output)])
        executed = nbformat.v4.new_notebook(cells=[cell])
        return [str(o.data) for o in clean(executed, executed).cells[0].outputs]

    first, second = recorded("5295b")
    assert [first, second] == recorded("0ace1") and 'id="T_1_1_0"' in second
    assert "#T_1_0_0_row0" in first and "<Styler>" in first


def write(folder: Path, name: str, count: int | None) -> Path:
    """A notebook of one cell."""
    folder.mkdir(parents=True, exist_ok=True)
    cell = nbformat.v4.new_code_cell("1", execution_count=count)
    notebook = nbformat.v4.new_notebook(cells=[cell])
    notebook.metadata["nbhelpers"] = {"cells": record.digest(notebook)}
    nbformat.write(notebook, folder / f"{name}.ipynb")
    return folder / f"{name}.ipynb"


def test_nothing_is_recorded_of_a_run_with_one_bad_notebook(tmp_path, monkeypatch, capsys):
    run = tmp_path / "run"
    kept, _ = (write(tmp_path / "notebooks", name, None) for name in ("00_a", "01_b"))
    _, bad = write(run / "notebooks", "00_a", 7), write(run / "notebooks", "01_b", None)
    before = kept.read_bytes()
    monkeypatch.setattr(paths, "ROOT", tmp_path)

    def refused(message):
        assert command_line.main(["record", str(run)]) == 2
        assert message in capsys.readouterr().err
        assert kept.read_bytes() == before

    refused("is no folder of a run: it has no run.json")
    (run / "run.json").write_text("{}")
    refused("does not say which profile")
    (run / "run.json").write_text('{"profile": "full"}')
    refused("is a run of the profile full")
    (run / "run.json").write_text('{"profile": "quick"}')
    refused("01_b.ipynb: Cell 1 was not run")
    bad.write_text("{damaged")
    refused("01_b.ipynb: is no notebook")
    bad.unlink()


def test_a_run_that_says_something_else_is_found(tmp_path, monkeypatch, capsys):
    def notebook(folder, text):
        path = write(folder, "00_a", 1)
        content = nbformat.read(path, 4)
        content.cells[0].outputs = [nbformat.v4.new_output("stream", name="stdout", text=text)]
        nbformat.write(content, path)

    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(record, "readme_parts", lambda: {"results": "| 33 hold |"})
    (tmp_path / "README.md").write_text("# a\n| 33 hold |\n")
    notebook(tmp_path / "notebooks", "F1 61.2 [−3.8, 3.1], n = 1,000\n")
    for text, status in (
        ("F1 61.2 [−3.8, 3.1], n = 1,000\n", 0),
        ("F1 61.3 [−3.8, 3.1], n = 1,000\n", 0),  # another processor rounds otherwise
        ("F1 61.4 [−3.8, 3.1], n = 1,000\n", 1),
        ("F2 61.2 [−3.8, 3.1], n = 1,000\n", 1),
    ):
        notebook(tmp_path / "run" / "notebooks", text)
        assert command_line.main(["record", "--check", str(tmp_path / "run")]) == status
    assert "00_a, cell 1: committed 'F1 61.2" in capsys.readouterr().out
    notebook(tmp_path / "run" / "notebooks", "F1 61.2 [−3.8, 3.1], n = 1,000\n")
    (tmp_path / "README.md").write_text("# a\n| 32 hold |\n")
    assert command_line.main(["record", "--check", str(tmp_path / "run")]) == 1
    assert capsys.readouterr().out == "README.md: its table of results is not the present one\n"


@pytest.fixture
def with_answer(tmp_path, monkeypatch):
    """A checkout with one notebook, in which a student has written an answer; the text has changed, too."""
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    (tmp_path / "notebooks" / "text").mkdir(parents=True)
    text = tmp_path / "notebooks" / "text" / "00_a.py"
    text.write_text("# %%\n1 + 1\n")
    assert record.update_notebooks() == ["00_a"] and record.update_notebooks() == []
    path = tmp_path / "notebooks" / "00_a.ipynb"
    fresh = path.read_bytes()
    notebook = load(path)
    notebook.cells[0].source = "# my answer"
    nbformat.write(notebook, path)
    return path, text, fresh


def test_an_answer_in_a_notebook_survives_record_and_reset(with_answer, tmp_path, capsys):
    path, text, fresh = with_answer
    written = path.read_bytes()
    text.write_text("# %%\n2 + 2\n")
    assert command_line.main(["record"]) == 2
    assert "00_a.ipynb in notebooks/ was edited" in capsys.readouterr().err
    run = tmp_path / "run"
    write(run / "notebooks", "00_a", 1)
    (run / "run.json").write_text('{"profile": "quick"}')
    assert command_line.main(["record", str(run)]) == 2
    assert "`make reset` keeps a copy" in capsys.readouterr().err
    assert path.read_bytes() == written
    text.write_text("# %%\n1 + 1\n")
    for number in (1, 2):
        path.write_bytes(written)
        assert record.main(["--reset"]) == 0
        assert f"Your copy: notebooks/mine/00_a-{number}.ipynb" in capsys.readouterr().out
        assert (path.parent / "mine" / f"00_a-{number}.ipynb").read_bytes() == written and path.read_bytes() == fresh
    assert record.main(["--reset"]) == 0 and capsys.readouterr().out == "Notebooks restored.\n"


def test_reset_brings_back_the_committed_outputs(with_answer, tmp_path):
    path, _, fresh = with_answer
    path.write_bytes(fresh)
    executed = load(path)
    executed.cells[0].execution_count = 1
    nbformat.write(executed, path)
    committed = path.read_bytes()
    for command in ("init -q", "add notebooks", "-c user.name=t -c user.email=t@localhost commit -qm x"):
        subprocess.run(["git", *command.split()], cwd=tmp_path, check=True)
    path.write_bytes(fresh)
    assert record.reset() == [] and path.read_bytes() == committed


def test_figures_that_a_run_no_longer_makes_go(tmp_path, monkeypatch, capsys):
    run = tmp_path / "run"
    write(tmp_path / "notebooks", "00_a", 1)
    write(run / "notebooks", "00_a", 1)
    (run / "run.json").write_text('{"profile": "quick"}')
    for folder, names in ((run, ["00_new.svg"]), (tmp_path, ["00_old.svg", "00_new.svg", "01_other.svg"])):
        (folder / "figures").mkdir()
        for name in names:
            (folder / "figures" / name).write_text(folder.name)
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(record, "write_readme", lambda: None)
    record.record(run)
    assert capsys.readouterr().out == "Recorded 1 notebook.\n"
    left = {path.name: path.read_text() for path in (tmp_path / "figures").iterdir()}
    assert left == {"00_new.svg": "run", "01_other.svg": tmp_path.name}


def test_the_verdicts_shown_are_those_of_the_claims():
    now = {one.claim.id: one.verdict for one in claims.judged()}
    for path in NOTEBOOKS:
        outputs = [output for cell in code_cells(path) for output in cell.outputs]
        shown = "\n".join(output.get("data", {}).get("text/markdown", "") for output in outputs)
        listed = re.findall(r"\* \*\*([a-z' ]+):\*\*[^\n]*\((\w+-\d+)\)$", shown, flags=re.MULTILINE)
        assert all(now[name] == verdict for verdict, name in listed), f"run {path.name} again and `make record`"


@pytest.mark.parametrize("part", ["notebooks", "results"])
def test_the_readme_shows_answers_as_they_stand(part):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert record.readme_parts()[part] in readme, "run `make record`"
    assert readme.count("\n") <= 130, "long tables belong on the site"
