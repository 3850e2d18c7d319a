"""JupyterLab in a real browser: what it leaves of the notebooks, interactive cells, answers (NBHELPERS_BROWSER=1)."""

import contextlib
import subprocess
import time

import nbformat
from lab import ROOT, chromium, jupyter_lab, needs_browser, open_notebook

from nbhelpers.runner import course, record


def git(folder, *arguments):
    options = ["-c", "user.name=test", "-c", "user.email=test@localhost"]
    return subprocess.run(["git", *options, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


@needs_browser
def test_opening_and_saving_every_notebook_changes_no_file(tmp_path):
    paths = sorted((ROOT / "notebooks").glob("*.ipynb"))
    for path in paths:
        (tmp_path / path.name).write_bytes(path.read_bytes())
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", *(path.name for path in paths))
    git(tmp_path, "commit", "-qm", "as committed")
    with jupyter_lab(tmp_path) as address, chromium() as page:
        for path in paths:
            before = (tmp_path / path.name).stat().st_mtime_ns
            open_notebook(page, address, path.name)
            page.locator(".jp-Notebook .jp-Cell").first.click()
            page.keyboard.press("Escape")
            page.keyboard.press("Control+s")
            for _ in range(120):
                if (tmp_path / path.name).stat().st_mtime_ns != before:
                    break
                time.sleep(0.5)
            assert (tmp_path / path.name).stat().st_mtime_ns != before, f"{path.name} was not saved"
            page.keyboard.press("Control+s")
            time.sleep(1)
    assert git(tmp_path, "diff") == ""


def small_notebook(folder, stem, *starts):
    """A notebook of those code cells of another that start with one of some texts."""
    source = record.read_text(ROOT / "notebooks" / "text" / f"{stem}.py")
    cells = [cell for cell in source.cells if cell.cell_type == "code" and cell.source.startswith(starts)]
    assert len(cells) == len(starts)
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=source.metadata)
    nbformat.write(notebook, folder / f"{stem}.ipynb")


def run_all(page):
    """Run every cell, and wait until controls stand there; a kernel that has just started may miss the first call."""
    for _ in range(3):
        page.locator(".jp-Notebook .jp-Cell").first.click()
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_text("Run All Cells", exact=True).click()
        with contextlib.suppress(Exception):
            page.wait_for_selector(".widget-button:has-text('Show')", timeout=60_000)
            break
    page.wait_for_selector(".jp-NotebookPanel-toolbar [data-status=idle]")


def shown(page):
    """What stands below the controls: texts, and how many figures."""
    area = page.locator(".widget-output").last
    return area.inner_text(), area.locator("img").count()


@needs_browser
def test_the_strip_follows_the_typed_text_in_any_script(tmp_path):
    small_notebook(tmp_path, "01_ndd_cases", "from IPython", "model =", "from matplotlib", "def show_edit")
    typed = [
        ("The price of bread fell.", "The price of bread doubled."),
        ("面包的价格下降了。", "面包的价格上涨了。"),
        ("パンの値段が下がった。", "パンの値段が上がった。"),
        ("انخفض سعر الخبز اليوم", "ارتفع سعر الخبز اليوم"),
        ("Bread 😀 fell.", "Bread 😢 fell."),
    ]
    with jupyter_lab(tmp_path) as address, chromium() as page:
        open_notebook(page, address, "01_ndd_cases.ipynb")
        run_all(page)
        page.wait_for_function("document.querySelectorAll('.widget-output img').length == 1")
        for number, texts in enumerate(typed):
            before = page.locator(".widget-output img").last.get_attribute("src")
            for place, text in enumerate(texts):
                page.locator(".widget-text input").nth(place).fill(text)  # no Enter: the strip follows
            changed = "src => ![null, undefined, src].includes(document.querySelector('.widget-output img')?.src)"
            page.wait_for_function(changed, arg=before)
            page.wait_for_timeout(3000)
            said, figures = shown(page)
            assert figures == 1 and "Warning" not in said and "Glyph" not in said
            assert said.count("No font on this machine has") <= (number > 0)
            assert said.count("The model does not know") <= (number > 0)
        assert not page.locator(".jp-OutputArea-output[data-mime-type*=stderr]").count()


@needs_browser
def test_a_learner_gets_help_and_the_answer_stays(tmp_path):
    source = record.read_text(ROOT / "notebooks" / "text" / "00_start_here.py")
    notebook = course.make(source, "learner", "00_start_here")
    first = next(i for i, cell in enumerate(notebook.cells) if cell.source.startswith("**Exercise 2"))
    last = next(i for i, cell in enumerate(notebook.cells) if "def mean" in cell.source)
    notebook.cells = [*notebook.cells[:2], *notebook.cells[first : last + 1]]
    nbformat.write(notebook, tmp_path / "00.ipynb")
    path = tmp_path / "00.ipynb"
    with jupyter_lab(tmp_path) as address, chromium() as page:
        open_notebook(page, address, path.name)
        cell = page.locator(".jp-CodeCell").filter(has_text="def mean")

        def answer(body):
            cell.locator(".cm-content").click()
            page.keyboard.press("Control+a")
            check = 'teaching.check("00_mean", mean)\nteaching.hint(1)'
            page.keyboard.insert_text(f"def mean(values):\n    {body}\n{check}")
            page.wait_for_timeout(2000)
            page.get_by_role("menuitem", name="Run", exact=True).click()
            page.get_by_text("Run All Cells", exact=True).click()

        for body, said in (
            ("sum(values) / len(values)", "Does the function end with `return`?"),
            ("return sum(values) / (len(values) - 1)", "Off by one"),
            ("return sum(values) / len(values)", "Correct on 4 cases."),
        ):
            answer(body)
            cell.get_by_text(said).wait_for()
        page.keyboard.press("Control+s")
        page.wait_for_timeout(3000)
    kept = record.read_notebook(path)
    assert "return sum(values) / len(values)" in kept.cells[-1].source and record.is_edited(kept)
