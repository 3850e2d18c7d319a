"""JupyterLab in a real browser: what it leaves of the committed notebooks (opt-in: NBHELPERS_BROWSER=1)."""

import subprocess
import time

from lab import ROOT, chromium, jupyter_lab, needs_browser, open_notebook


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
