"""What a run leaves to read: the headline numbers, the table at its end, ``run.json`` and ``index.html``."""

from __future__ import annotations

import contextlib
import datetime
import html
import importlib.metadata
import json
import os
import platform
import re
import string
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import nbhelpers
from nbhelpers.base.files import replace_file
from nbhelpers.runner.parameters import HEADLINE_KEYS

_PACKAGES = ("papermill", "torch", "transformers", "numpy", "scipy", "scikit-learn", "pandas", "gensim", "nltk", "dask")
_COLUMNS = ("notebook", "result", "seconds", "headline", "value [interval], n", "published")


def _row(line: str, profile: str) -> dict[str, Any]:
    """The number on a line of a ledger; nothing for another profile's, or for what is no number."""
    with contextlib.suppress(ValueError):
        row = json.loads(line)
        if isinstance(row, dict) and row.get("profile", profile) == profile:
            return row
    return {}


def _place(row: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(row.get(name)) for name in HEADLINE_KEYS)


def forget_headlines(keys: Sequence[Mapping[str, str]], profile: str, ledger: Path) -> None:
    """Take an earlier run's headline numbers out of a ledger that a new run goes on with: none passes as new."""
    if ledger.exists():
        places = {_place(key) for key in keys}
        lines = ledger.read_bytes().split(b"\n")
        left = [line for line in lines if _place(_row(line.decode("utf-8", "replace"), profile)) not in places]
        if left != lines:
            replace_file(ledger, b"\n".join(left))


def headline(key: Mapping[str, str], profile: str, ledger: Path, since: float) -> dict[str, Any] | None:
    """The ledger's line of a notebook's headline number, or None where this run did not record it.

    Parameters
    ----------
    key : mapping
        study, table, row and column of the number.
    profile : str
        Profile of the run.
    ledger : path
        The run's ledger.
    since : float
        When the notebook began (seconds since 1970); an older ledger is another run's.
    """
    found = None
    if ledger.exists() and ledger.stat().st_mtime >= since - 1:
        for line in ledger.read_text(encoding="utf-8", errors="replace").split("\n"):
            row = _row(line, profile)
            found = row if _place(row) == _place(key) else found
    names = (*HEADLINE_KEYS, "value", "low", "high", "n", "published", "signature", "note")
    return None if found is None else {name: found.get(name) for name in names}


def _number(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, int | float) and not isinstance(value, bool) else "-"


def headline_text(found: Mapping[str, Any] | None) -> str:
    """A headline number with its interval and n, for example ``0.57 [0.12, 0.83], n=14``; ``-`` for none."""
    if found is None:
        return "-"
    text = _number(found["value"])
    if found["low"] is not None and found["high"] is not None:
        text += f" [{_number(found['low'])}, {_number(found['high'])}]"
    return text if found["n"] is None else f"{text}, n={found['n']}"


def describe(result: Mapping[str, Any], cell: int, out: Path) -> str:
    """Where and how a notebook ended that did not run to its end: the cell and its error, or the end of its log.

    Parameters
    ----------
    result : mapping
        The notebook's result.
    cell : int
        Number of the last code cell it reported.
    out : path
        Folder of the results.
    """
    error, parts = result["error"], {}
    if error is None:
        text = f" in cell {cell} of {result['cells']}"
        if result["log"]:
            parts["log"] = (out / result["log"]).read_text(encoding="utf-8", errors="replace").strip().split("\n")[-10:]
    else:
        place = f"in cell {error['cell']} of {result['cells']}" if error["cell"] else "before its first cell"
        text = f" {place}: {error['name']}: {error['value']}"
        parts = {
            "cell": error["source"].strip().split("\n")[:12],
            "error": error["traceback"].strip().split("\n")[-15:],
        }
    return text + "".join(
        f"\n  {title}:" + "".join(f"\n    {line}" for line in lines) for title, lines in parts.items() if lines != [""]
    )


def _cells(result: Mapping[str, Any]) -> tuple[str, ...]:
    """What the table and the page show of a notebook, by `_COLUMNS`."""
    found = result["headline"]
    return (
        result["name"],
        result["status"],
        "-" if result["seconds"] is None else f"{result['seconds']:.1f}",
        ", ".join(str(found[key]) for key in ("table", "row", "column")) if found else "-",
        headline_text(found),
        _number(found["published"]) if found else "-",
    )


def result_table(report: Mapping[str, Any]) -> str:
    """The table that ends a run: notebook, result, seconds, headline number beside the published one, and the places.

    Parameters
    ----------
    report : mapping
        As `nbhelpers.runner.run.run_notebooks` returns it.
    """
    rows = [_COLUMNS, *(_cells(each) for each in report["notebooks"])]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMNS))]
    lines = [
        "  ".join(
            text.rjust(width) if column == 2 else text.ljust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    out = Path(report["out"])
    shown = out.relative_to(Path.cwd()) if out.is_relative_to(Path.cwd()) else out
    places = {"figures": "figures", "executed notebooks": "notebooks", "HTML index": "index.html"}
    return "\n".join([*lines, "", *(f"{name + ':':<20}{shown / file}" for name, file in places.items())])


def write(results: Sequence[Mapping[str, Any]], out: Path, since: float, **facts: Any) -> dict[str, Any]:
    """Write ``run.json`` and ``index.html``.

    Parameters
    ----------
    results : sequence of mapping
        The notebooks' results.
    out : path
        Folder of the results.
    since : float
        When the run began (seconds since 1970).
    **facts
        What else is to be said of the run: profile, status, signal, jobs, dask.

    Returns
    -------
    dict
        Contents of ``run.json``.
    """
    from nbhelpers.results.ledger import device_name

    versions = {"python": platform.python_version(), "nbhelpers": nbhelpers.__version__}
    for package in _PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions[package] = importlib.metadata.version(package)
    begin = datetime.datetime.fromtimestamp(since, datetime.UTC)
    report = {
        **facts,
        "started": begin.isoformat(timespec="seconds"),
        "seconds": round(time.time() - since, 2),
        "out": str(out),
        "versions": versions,
        "notebooks": list(results),
        "machine": {"system": platform.platform(), "processor": device_name(), "cores": os.cpu_count()},
    }
    for name, text in (
        ("run.json", json.dumps(report, indent=1, ensure_ascii=False) + "\n"),
        ("index.html", _index(report, out, since)),
    ):
        (out / name).write_text(text, encoding="utf-8", newline="\n")
    return report


_PAGE = string.Template("""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Notebooks, profile $profile</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a;
       background: #fff; }
table { border-collapse: collapse; width: 100%; } caption { text-align: left; padding: .5rem 0; }
th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid #767676; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
a { color: #0b4f9e; } img { max-width: 100%; height: auto; }
pre { overflow-x: auto; background: #f3f3f3; padding: 1rem; }
</style></head>
<body><main>
<h1>Notebooks, profile $profile</h1>
<p>$summary</p>
<table><caption>Each notebook's result, and its headline number beside the published one</caption>
<thead><tr>$header</tr></thead>
<tbody>
$rows
</tbody></table>
$errors
$figures
<h2>Records</h2>
<p>$records</p>
<p>$versions</p>
</main></body></html>
""")


def _link(path: str | None, text: str) -> str:
    return f'<a href="{quote(path)}">{html.escape(text)}</a>' if path else html.escape(text)


def _section(title: str, parts: Iterable[str]) -> str:
    body = "\n".join(parts)
    return f"<h2>{title}</h2>\n{body}" if body else ""


def _figures(out: Path, since: float) -> Iterable[str]:
    """Figures of this run; the text that stands for one is its SVG file's title."""
    files = sorted(
        path
        for path in (out / "figures").iterdir()
        if path.suffix in (".svg", ".png", ".pdf") and path.stat().st_mtime >= since - 1
    )
    for name in sorted({path.stem for path in files}):
        own = {path.suffix: f"figures/{path.name}" for path in files if path.stem == name}
        drawing = (out / own[".svg"]).read_text(encoding="utf-8", errors="replace") if ".svg" in own else ""
        title = re.search(r"<(?:dc:)?title>(.*?)</(?:dc:)?title>", drawing, flags=re.DOTALL)
        alt = html.escape(" ".join(html.unescape(title[1]).split()) if title else name)
        image = own.get(".png", own.get(".svg"))
        picture = f'<img src="{quote(image)}" alt="{alt}" loading="lazy">' if image else ""
        links = ", ".join(_link(file, suffix[1:].upper()) for suffix, file in own.items())
        yield f"<figure>{picture}<figcaption>{html.escape(name)} ({links})</figcaption></figure>"


def _index(report: Mapping[str, Any], out: Path, since: float) -> str:
    """The page that leads to everything a run has made."""
    rows, errors = [], []
    number = ' class="number"'
    kinds = ("", number, "", number, number)
    for each in report["notebooks"]:
        files = ", ".join(_link(each[key], key) for key in ("notebook", "log") if each[key])
        _, *texts = _cells(each)
        values = "".join(f"<td{kind}>{html.escape(text)}</td>" for kind, text in zip(kinds, texts, strict=True))
        shown = _link(each["html"], f"{each['name']}: {each['title']}")
        rows.append(f'<tr><th scope="row">{shown}</th>{values}<td>{files}</td></tr>')
        if error := each["error"]:
            text = f"{error['name']}: {error['value']}\n\n{error['traceback']}".strip()
            errors.append(
                f"<h3>{html.escape(each['name'])}, cell {error['cell']}</h3>\n"
                f'<pre tabindex="0">{html.escape(text)}</pre>'
            )
    count = sum(each["status"] == "ok" for each in report["notebooks"])
    machine = report["machine"]
    summary = (
        f"{count} of {len(report['notebooks'])} notebooks ran to their end, {report['seconds']:.0f} s in all, "
        f"{report['started']} on {machine['processor']}, {machine['system']}."
    )
    return _PAGE.substitute(
        profile=report["profile"],
        summary=html.escape(summary),
        rows="\n".join(rows),
        header="".join(f'<th scope="col">{text.capitalize()}</th>' for text in (*_COLUMNS, "files")),
        errors=_section("Errors", errors),
        figures=_section("Figures", _figures(out, since)),
        records=" and ".join(
            _link(name, name) for name in ("run.json", "ledger.jsonl") if name == "run.json" or (out / name).exists()
        ),
        versions=html.escape(", ".join(f"{name} {version}" for name, version in report["versions"].items())),
    )
