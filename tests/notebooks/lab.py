"""JupyterLab and a browser for opt-in tests: NBHELPERS_BROWSER=1, with Chromium and `pip install playwright`."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
needs_browser = pytest.mark.skipif(not os.environ.get("NBHELPERS_BROWSER"), reason="set NBHELPERS_BROWSER=1")


@contextlib.contextmanager
def jupyter_lab(folder: Path):
    """The address of a JupyterLab on `folder`, with the settings of `make lab`."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--no-browser", f"--port={port}", f"--notebook-dir={folder}", "--IdentityProvider.token="]
    environment = os.environ | {
        "JUPYTER_CONFIG_PATH": str(ROOT / ".jupyter"),
        "JUPYTER_CONFIG_DIR": str(folder / ".config"),
        "JUPYTER_DATA_DIR": str(folder / ".data"),
        "PYTHONPATH": str(ROOT),
        "NBHELPERS_OUT": str(folder / ".out"),
    }
    if os.getuid() == 0:
        options.append("--allow-root")
    command = [sys.executable, "-m", "jupyterlab", *options]
    with (folder / ".lab.log").open("w") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            for _ in range(240):
                with contextlib.suppress(OSError):
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/api").close()
                    break
                assert server.poll() is None, (folder / ".lab.log").read_text()
                time.sleep(0.5)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait(30)


@contextlib.contextmanager
def chromium(width: int = 1200, height: int = 1000):
    """A page of a headless Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": width, "height": height})
        page.set_default_timeout(120_000)
        yield page
        browser.close()


def open_notebook(page, address: str, path: str) -> None:
    """Open a notebook in a workspace of its own and wait until its kernel has answered."""
    page.goto(f"{address}/lab/workspaces/{Path(path).stem}/tree/{path}?reset")
    page.wait_for_selector(".jp-Notebook .jp-Cell")
    page.wait_for_selector(".jp-NotebookPanel-toolbar [data-status=idle]")
    page.wait_for_timeout(1000)
