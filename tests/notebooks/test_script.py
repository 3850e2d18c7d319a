"""Script in somebody's texts stays text: in tables, in exported pages, in a browser (NBHELPERS_BROWSER=1)."""

import ast
import json
import re
import shutil
import subprocess

import nbformat
import pandas as pd
import pytest
from IPython.core.formatters import DisplayFormatter
from lab import ROOT, needs_browser

from nbhelpers import __main__ as command_line
from nbhelpers.results import tables
from nbhelpers.runner import run
from nbhelpers.runner.report import notebook_page

SCRIPT = '<img src=x onerror="document.title=1">'
WORD = "<img/src=x/onerror=document.title=1>"
CORPUS = ROOT / "data" / "corpus"


def test_a_page_of_a_notebook_shows_script_as_text():
    frame = pd.DataFrame({SCRIPT: [SCRIPT]}, index=[SCRIPT])
    outputs = []
    for shown in (tables.plain(frame, SCRIPT), frame, SCRIPT):
        content, metadata = DisplayFormatter().format(shown)
        outputs.append(nbformat.v4.new_output("display_data", content, metadata=metadata))
    picture = {"image/png": "iVBORw0KGgo="}
    outputs += [
        nbformat.v4.new_output("display_data", picture, metadata={"image/png": {"alt": f'">{SCRIPT}'}}),
        nbformat.v4.new_output("stream", name="stdout", text=SCRIPT),
        nbformat.v4.new_output("error", ename="InputError", evalue=SCRIPT, traceback=[SCRIPT]),
    ]
    cell = nbformat.v4.new_code_cell(f"text = {SCRIPT!r}", outputs=outputs)
    page = notebook_page(nbformat.v4.new_notebook(cells=[cell], metadata={"title": SCRIPT}))
    assert not re.findall(r"<img\s+src=x[^>]*>", page) and page.count("&lt;img src=x") >= 12


def test_notebooks_make_no_markup_of_their_own():
    """Tables go through `tables.plain`, which escapes, or through pandas, which does too."""
    for path in sorted((ROOT / "notebooks" / "text").glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
        names = {getattr(call, "id", getattr(call, "attr", "")) for call in calls}
        attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        allowed = {"HTML"} if path.stem.startswith("05") else set()  # a heading around two tables of `plain`
        assert (names | attributes) & {"HTML", "Markdown", "style", "display_html", "display_markdown"} <= allowed


def treebank(folder):
    """The project's treebank with a word of script in every sentence."""
    text = re.sub(r"(?m)^(2\t)\S+", rf"\1{WORD}", (CORPUS / "treebank-en.conllu").read_text(encoding="utf-8"))
    (folder / "treebank.conllu").write_text(text, encoding="utf-8")
    return str(folder / "treebank.conllu")


def documents(folder):
    """Documents whose sentences, names and collection are script."""
    sentences = [f"Number {n} saw the {SCRIPT} near the old bridge." for n in range(6)]
    lines = [json.dumps({"name": f"{SCRIPT} {n}", "sentences": sentences}) for n in range(8)]
    (folder / "documents.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [str(folder / "documents.jsonl")]


def pyramids(folder):
    """The project's pyramids under names that are script."""
    (folder / "pyramids").mkdir()
    for number, path in enumerate(sorted((CORPUS / "topics").glob("*.pyr"))):
        shutil.copy(path, folder / "pyramids" / f"{SCRIPT} {number}.pyr")
    return str(folder / "pyramids")


def opened(page):
    """The page after a browser has run what it wants to run."""
    command = [shutil.which("chromium"), "--headless", "--no-sandbox", "--virtual-time-budget=4000", "--dump-dom"]
    return subprocess.run([*command, page.as_uri()], capture_output=True, text=True, check=True, timeout=120).stdout


@needs_browser
@pytest.mark.parametrize(
    ("number", "name", "write"),
    [
        ("02", "pairs", treebank),
        ("03", "treebank", treebank),
        ("04", "treebank", treebank),
        ("06", "pyramids", pyramids),
        ("07", "collections", documents),
    ],
)
def test_a_notebook_on_a_file_with_script(number, name, write, tmp_path):
    given = write(tmp_path)
    given = given if isinstance(given, str) else repr(given)
    out = tmp_path / "out"
    assert run.run_notebooks([number], parameters={name: given}, out=out)["status"] == "ok"
    (page,) = (out / "html").glob(f"{number}_*.html")
    assert not re.search(r"<img[ /]src=x", page.read_text(encoding="utf-8"))
    dom = opened(page)
    assert "<title>1</title>" not in dom and "<title>" in dom


@needs_browser
def test_the_report_of_check_in_a_browser(tmp_path):
    (tmp_path / "sources.txt").write_text(f"The road is safe.\nThe {SCRIPT} road.\n", encoding="utf-8")
    (tmp_path / f"{WORD.replace('/', ' ')}.txt").write_text(
        f"The road is not {SCRIPT} safe.\nThe road.\n", encoding="utf-8"
    )
    files = [str(tmp_path / "sources.txt"), str(tmp_path / f"{WORD.replace('/', ' ')}.txt")]
    page = tmp_path / "report.html"
    assert command_line.main(["check", *files, "--format", "html", "--out", str(page), "--quiet"]) == 0
    dom = opened(page)
    assert "<title>Is the meaning kept?</title>" in dom and "2 of 2 texts" in dom
