"""What a run leaves to read: headline numbers, the table at its end, ``run.json``, ``index.html``, notebooks as pages.

All pages stand for themselves: they ask nothing of a network, and mathematics is MathML.
"""

from __future__ import annotations

import contextlib
import html
import importlib.metadata
import json
import os
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import nbhelpers
from nbhelpers.base.files import replace_file

_PACKAGES = ("papermill", "torch", "transformers", "numpy", "scipy", "scikit-learn", "pandas", "gensim", "nltk", "dask")
_COLUMNS = ("notebook", "result", "seconds", "headline", "this run", "recorded", "published")


# ---------------------------------------------------------------------------------------------- what a run prints


def describe(result: Mapping[str, Any], out: Path) -> str:
    """Where and how a notebook ended that did not run to its end: its cell and its error, or the end of its log.

    Parameters
    ----------
    result : mapping
        The notebook's result.
    out : path
        Folder of the results.
    """
    error = result["error"]
    if error is None:
        log = (out / result["log"]).read_text(encoding="utf-8", errors="replace") if result["log"] else ""
        return "\n    ".join([": its process ended", *log.strip().split("\n")[-10:]]).rstrip()
    place = f"in cell {error['cell']} of {result['cells']}" if error["cell"] else "before its first cell"
    text = f" {place}: {error['name']}: {error['value']}"
    for title, lines in (("cell", error["source"].split("\n")[:12]), ("error", error["traceback"].split("\n")[-15:])):
        text += "\n    ".join([f"\n  {title}:", *lines]) if lines != [""] else ""
    return text


def _cells(result: Mapping[str, Any]) -> tuple[str, ...]:
    """What the table and the index show of a notebook, by `_COLUMNS`."""
    seconds, found = "-" if result["seconds"] is None else f"{result['seconds']:.1f}", result["headline"]
    if not found:
        return result["name"], result["status"], seconds, "-", "-", "-", "-"
    here = f"{found['here']} ({found['model']})" if found["model"] and found["here"] else found["here"] or "-"
    recorded = f"{found['recorded']} ({found['of']})" if found["of"] else found["recorded"]
    return result["name"], result["status"], seconds, found["what"], here, recorded, found["published"] or "-"


def result_table(results: Sequence[Mapping[str, Any]], out: Path) -> str:
    """The table that ends a run: notebook, result, seconds, headline number beside the published one, and the places.

    Parameters
    ----------
    results : sequence of mapping
        The notebooks' results.
    out : path
        Folder of the results.
    """
    rows = [_COLUMNS, *map(_cells, results)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rows.insert(1, tuple("-" * width for width in widths))
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    shown = out.relative_to(Path.cwd()) if out.is_relative_to(Path.cwd()) else out
    places = {"figures": "figures", "executed notebooks": "notebooks", "HTML index": "index.html"}
    return "\n".join([*lines, "", *(f"{name + ':':<20}{shown / file}" for name, file in places.items())])


# ---------------------------------------------------------------------------------------------- what a run writes


def earlier_results(out: Path, profile: str) -> dict[str, dict[str, Any]]:
    """Results by notebook that an earlier run of the same profile has left in a folder; empty for none.

    Parameters
    ----------
    out : path
        Folder of the results.
    profile : str
        Profile of the run.
    """
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        report = json.loads((out / "run.json").read_text(encoding="utf-8"))
        if report["profile"] == profile:
            return {each["name"]: each for each in report["notebooks"]}
    return {}


def write(out: Path, **facts: Any) -> dict[str, Any]:
    """Write ``run.json`` and ``index.html``, each as a whole.

    Parameters
    ----------
    out : path
        Folder of the results.
    **facts
        What is to be said of the run: ``profile``, ``started``, ``seconds``, ``notebooks`` (the results) and others.

    Returns
    -------
    dict
        Contents of ``run.json``.
    """
    from jinja2 import Environment, FileSystemLoader

    from nbhelpers.results.evidence import device_name

    versions = {"python": platform.python_version(), "nbhelpers": nbhelpers.__version__}
    report = {
        **facts,
        "out": str(out),
        "versions": {**versions, **{package: importlib.metadata.version(package) for package in _PACKAGES}},
        "machine": {"system": platform.platform(), "processor": device_name(), "cores": os.cpu_count()},
    }
    pages = Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True)
    index = pages.get_template("index.html.j2").render(
        report=report,
        columns=(*_COLUMNS, "files"),
        rows=[(each, _cells(each)[1:]) for each in report["notebooks"]],
        figures=list(_figures(out)),
    )
    replace_file(out / "run.json", (json.dumps(report, indent=1, ensure_ascii=False) + "\n").encode("utf-8"))
    replace_file(out / "index.html", index.encode("utf-8"))
    return report


def _figures(out: Path) -> Iterable[dict[str, Any]]:
    """Figures of the run; the text that stands for one is its SVG file's title."""
    files = sorted((out / "figures").glob("*.*"))
    for name in sorted({path.stem for path in files}):
        own = {path.suffix: f"figures/{path.name}" for path in files if path.stem == name}
        drawing = (out / own[".svg"]).read_text(encoding="utf-8", errors="replace") if ".svg" in own else ""
        title = re.search(r"<(?:dc:)?title>(.*?)</(?:dc:)?title>", drawing, flags=re.DOTALL)
        alt = " ".join(html.unescape(title[1]).split()) if title else name
        yield {"name": name, "image": own.get(".png", own.get(".svg")), "alt": alt, "files": list(own.values())}


def notebook_page(notebook: Any) -> str:
    """A notebook as one HTML page that needs no network; its images carry their text alternatives.

    Parameters
    ----------
    notebook : nbformat NotebookNode

    Returns
    -------
    str
    """
    from jinja2 import FileSystemLoader
    from latex2mathml.converter import convert
    from nbconvert import HTMLExporter
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

    class Renderer(IPythonRenderer):
        def block_math(self, body: str) -> str:
            return convert(body, display="block")

        def inline_math(self, body: str) -> str:
            return convert(body)

    exporter = HTMLExporter(
        extra_loaders=[FileSystemLoader(Path(__file__).parent)],
        template_file="notebook.html.j2",
        filters={"markdown2html": lambda text: MarkdownWithMath(renderer=Renderer(escape=False)).render(text)},
    )
    return exporter.from_notebook_node(notebook)[0]
