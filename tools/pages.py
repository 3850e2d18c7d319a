"""Write the pages from which Sphinx builds the site (`make site`) or the API pages alone (`make docs`).

``python tools/pages.py FOLDER`` writes Markdown and notebooks; ``docs/conf.py`` says how they become HTML. The front
page and the gallery are made from the claims, the registry of the notebooks and the README; a page of the API is made
for each room of the package.
"""

import argparse
import contextlib
import functools
import html
import importlib
import inspect
import io
import json
import math
import os
import pkgutil
import re
import shutil
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path
from string import Template

import numpy as np
import pandas as pd
import yaml

import nbhelpers
from nbhelpers import leaderboard, studies
from nbhelpers.base import plots, teaching
from nbhelpers.results import claims, evidence
from nbhelpers.results.estimates import short, with_interval
from nbhelpers.runner.parameters import load_registry

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "pages"
ROOMS = ("base", "resources", "language", "metrics", "results", "studies", "leaderboard", "commands", "runner")

JOBS = ("similarity", "other words", "order", "negation", "inside", "summaries")
"""Abilities of the leaderboard that stand on the front page."""

FINDINGS = {
    "02_compression": "ndd",
    "05_meaningbert_sanity": "meaningbert",
    "06_pyramid_embeddings": "pyramid",
    "07_sentence_order": "ordering",
    "08_paraphrase_evaluation": "paraphrase",
}
"""The notebook that speaks for each paper."""


# --------------------------------------------------------------------------------------------------------- small parts


def plain(text: str) -> str:
    """A text as Markdown that shows it as it is.

    Examples
    --------
    >>> plain("L_max*2 <3")
    'L\\\\_max\\\\*2 \\\\<3'
    """
    return re.sub(r"([\\`*_{}\[\]<>$|#~^])", r"\\\1", text)


def contents(*pages: str, caption: str = "") -> str:
    """A table of contents that stands in the sidebar only."""
    head = f":caption: {caption}\n" if caption else ""
    return "```{toctree}\n:hidden:\n" + head + "\n" + "\n".join(pages) + "\n```\n"


def sections(text: str) -> dict[str, str]:
    """The sections of a Markdown page by their second-level heading; the beginning, without its title, under "".

    Examples
    --------
    >>> sections("# A\\n\\nb\\n\\n## C\\n\\nd\\n")
    {'': 'b', 'C': 'd'}
    """
    parts = re.split(r"^## (.+)$", re.sub(r"\A# .+\n", "", text), flags=re.M)
    return {"": parts[0].strip(), **{name: body.strip() for name, body in zip(parts[1::2], parts[2::2])}}


def papers() -> dict[str, dict]:
    """The five papers of CITATION.cff by the short names that the claims use."""
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["references"]
    return {paper["abbreviation"]: paper for paper in found}


def citation(paper: dict) -> str:
    """Authors, year and place of a paper, in one line of Markdown."""
    names = [each.get("name") or f"{each['given-names']} {each['family-names']}" for each in paper["authors"]]
    where = paper.get("journal") or paper.get("collection-title") or paper["notes"]
    where += f" {paper['volume']}" if "volume" in paper else ""
    parts = [", ".join(names[:-1]) + " and " * (len(names) > 1) + names[-1], f"*{where}*", str(paper.get("year", ""))]
    link = f"[doi:{paper['doi']}](https://doi.org/{paper['doi']})" if "doi" in paper else ""
    parts += [link, *(each["value"] for each in paper.get("identifiers", ()))]
    return ". ".join(part for part in parts if part) + "."


def alt_text(figure: str) -> str:
    """What a figure shows: the title of its SVG file."""
    drawing = (ROOT / "figures" / f"{figure}.svg").read_text(encoding="utf-8")
    return " ".join(html.unescape(re.search(r"<title>(.*?)</title>", drawing, flags=re.S)[1]).split())


# --------------------------------------------------------------------------------------------------------------- pages


@functools.cache
def judged() -> dict[str, claims.Judged]:
    """Every claim with its number, by its name."""
    return {one.claim.id: one for one in claims.judged()}


@functools.cache
def notebooks_of_claims() -> dict[str, list[str]]:
    """For each notebook that lists claims, which: those that it names, or all of the paper."""
    found = {}
    for name in load_registry():
        text = (ROOT / "notebooks" / "text" / f"{name}.py").read_text(encoding="utf-8")
        if listed := re.search(r'claims\.(?:found|table)\("(\w+)"((?:, "[\w-]+-\d+")*)', text):
            named = re.findall(r'"([\w-]+)"', listed[2])
            found[name] = named or [one for one in judged() if one.startswith(f"{listed[1]}-")]
    return found


def strip(one: claims.Judged) -> str:
    """A claim's number with its interval, beside what the claim asks for and the paper's; hovering says all that."""
    claim, found = one.claim, one.found
    if found is None:
        return ""
    bounds = np.atleast_1d(claim.bound)
    sizes = [] if claim.size is None else np.atleast_1d(claim.size)
    ends = [end for end in (found.low, found.high) if math.isfinite(end)]
    marks = [found.value, *ends, *bounds, *sizes]
    lowest, span = min(marks), max(marks) - min(marks) or 1.0

    def x(value: float) -> str:
        return f"{10 + 280 * (value - lowest) / span:.1f}"

    parts = [f'<path class="bound" d="M{x(bound)} 1V27"/>' for bound in bounds]
    parts += [f'<path class="paper" d="M{x(size)} 7l7 7-7 7-7-7z"/>' for size in sizes]
    parts += [f'<path class="interval" d="M{x(ends[0])} 14H{x(ends[1])}"/>'] if len(ends) == 2 else []
    about = f"{claim.id}, {one.verdict}. Here {claims.ours(one)}. The paper: {claim.published}. "
    about += f"{one.measured} ({claim.likeness})"
    return (
        f'<svg class="strip" viewBox="0 0 300 28" role="img"><title>{html.escape(about)}</title>'
        f'<rect width="300" height="28" fill="none" pointer-events="all"/>{"".join(parts)}'
        f'<circle cx="{x(found.value)}" cy="14" r="5"/></svg>'
    )


STRIPS = """\
A line stands where the claim's number has to lie beyond (or between), a dot for our number with its 95 % interval, a
diamond for the paper's; each strip has a scale of its own, and hovering says the numbers."""


def claims_of(paper: str) -> str:
    """A paper's claims as a table, each with its verdict and, folded, how it was tested."""
    lines = ["::::{list-table}", ":class: claims", ":header-rows: 1", ":widths: 15 49 18 18", ""]
    lines += ["* - Verdict", "  - The paper says", "  - The paper's numbers", "  - Here, with 95 % interval"]
    code = studies.claims()
    for one in claims.table(paper).itertuples():
        link = r'<a href="#\g<0>">\g<0></a>'
        because = re.sub(rf"\b({'|'.join(papers())})-\d+\b", link, plain(one.because))
        kind = re.sub("[^a-z]+", "-", one.verdict)
        lines += [
            f"* - [{one.verdict}]{{.verdict .{kind}}}",
            f"  - [{one.claim}]{{#{one.claim} .claim}} {plain(one.says)}",
            "",
            f"    :::{{dropdown}} {'Why not' if one.verdict == claims.NOT_TESTED else 'How it was tested'}",
            *([f"    The paper's words: “{plain(one.quote)}”", ""] if one.quote != "–" else []),
            f"    {because}",
            "",
            *(["    ```{raw} html", f"    {drawn}", "    ```", ""] if (drawn := strip(judged()[one.claim])) else []),
            f"    Size: {plain(one.size)}. Power: {plain(one.power)}. Likeness: {plain(one.likeness)}.",
            *figure_of(one.claim),
            *(tested_by(code[one.claim]) if one.claim in code else []),
            "    :::",
            f"  - {plain(one.published)}",
            f"  - {plain(one.ours)}",
        ]
    return "\n".join([*lines, "::::", ""])


def figure_of(claim: str) -> list[str]:
    """The main figure of the notebook that lists a claim first, and links to all that do, for the folded part."""
    names = [name for name, listed in notebooks_of_claims().items() if claim in listed]
    if not names:
        return []
    links = ", ".join(f"[{load_registry()[name].title}](notebooks/{name}.ipynb)" for name in names)
    first = load_registry()[names[0]]
    return [f"    In its notebook: {links}.", "", f"    ![Main figure of {first.title}](figures/{first.figure}.svg)"]


def tested_by(function: Callable) -> list[str]:
    """The evidence and the code of a claim, for the folded part: its function, and what of its module that calls."""
    module, parts, waiting = inspect.getmodule(function), {}, [function.__name__]
    while waiting:
        if (name := waiting.pop(0)) not in parts:
            parts[name] = inspect.getsource(getattr(module, name)).rstrip()
            waiting += [one for one in re.findall(r"\b_[a-z]\w*", parts[name]) if callable(getattr(module, one, 0))]
    names = sorted(set(re.findall(r'"([\w-]+)"', "".join(parts.values()))) & set(evidence.names()))
    file = "{{download}}`{} <data/results/evidence/{}.{}>`"
    listed = []
    for one in names:
        made = file.format("how it was made", one, "json")
        listed.append(f"{file.format(one, one, 'parquet')}, {len(evidence.load(one)):,} lines, {made}")
    lines = "\n\n".join(parts.values()).splitlines()
    return [
        "",
        f"    Evidence: {'; '.join(listed)}.",
        "",
        "    ```python",
        *(f"    {line}" for line in lines),
        "    ```",
    ]


def claims_page() -> str:
    """Every claim with its verdict, the number that decides it and the code that makes the number."""
    described = papers()
    tally = claims.counts()
    table = ["| study | " + " | ".join(tally.columns) + " |", "|---|" + "--:|" * len(tally.columns)]
    table += [f"| [{name}](#claims-{name}) | {' | '.join(map(str, row))} |" for name, *row in tally.itertuples()]
    parts = [
        "# The claims",
        "[How a verdict comes about](docs/verdicts.md). Each claim unfolds to its evidence, its figure and its code.\n"
        f"The table counts all but what is true by definition. {STRIPS}",
    ]
    parts += ["\n".join(table)]
    for name in tally.index:
        paper = described[name]
        parts += [f"(claims-{name})=", f"## {paper['title']}", citation(paper), claims_of(name)]
    return "\n\n".join(parts)


def box() -> str:
    """The box to try a pair in, if `tools/site_box.py` has made what it needs; else the figure of one sentence."""
    file = ROOT / "build" / "static" / "box" / "settings.json"
    if not file.is_file():
        return f"![{plain(alt_text('00_one_sentence'))}](figures/00_one_sentence.svg)"
    settings = file.read_text(encoding="utf-8").replace("</", "<\\/")
    return Template((PAGES / "box.html").read_text(encoding="utf-8")).substitute(settings=settings)


@functools.cache
def board() -> leaderboard.Board:
    """The recorded leaderboard."""
    return leaderboard.Board(evidence.load("board-scores"))


def which_measure() -> str:
    """Which measures to take for some jobs, from the recorded scores."""
    table = leaderboard.jobs(board(), most=3).set_axis(list(board().abilities))
    lines = ["| to … | take | reached | not clearly above chance at |", "|---|---|---|---|"]
    for name in JOBS:
        row = table.loc[name]
        first, missed = row["take, the fastest first"], row["not above chance at"].lower() or "–"
        lines.append(f"| {row['job']} | {first} | {row['reached']} ({row['whose']}), n = {row['pairs']} | {missed} |")
    return "\n".join(lines)


def leaderboard_page() -> str:
    """Every measure on every ability, as a table that sorts and filters."""
    cells = {(one["row"], one["column"]): one for one in board().columns.to_dict("records")}
    names = {leaderboard.title(name): name for name in board().order}
    heads = ["Measure", "Licence", "Pairs a second", *(leaderboard.ABILITIES[one].title for one in board().abilities)]
    lines = [
        f'<table class="board"><thead><tr>{"".join(f"<th scope=col>{one}</th>" for one in heads)}</tr></thead><tbody>'
    ]
    for row in leaderboard.about(names.values()).to_dict("records"):
        fast = row["pairs a second"]
        line = [f'<tr><th scope="row">{html.escape(row["measure"])}</th><td>{html.escape(row["licence"])}</td>']
        line += [f'<td data-value="{fast.replace(",", "").replace("–", "")}">{fast}</td>']
        line += [board_cell(cells.get((names[row["measure"]], ability))) for ability in board().abilities]
        lines.append("".join([*line, "</tr>"]))
    table = "\n".join([*lines, "</tbody></table>"])
    return Template((PAGES / "leaderboard.md").read_text(encoding="utf-8")).substitute(table=table)


def board_cell(cell: dict | None) -> str:
    """A measure's value for an ability; what hovering shows is its interval, its pairs and where they come from."""
    if cell is None:
        return '<td data-value="">–</td>'
    interval = f"{short(cell['value'])} [{short(cell['low'])}, {short(cell['high'])}], n = {cell['n']:,.0f}"
    about = f"{interval}; chance {short(cell['chance'])}; {', '.join(board().abilities[cell['column']])}"
    about += f"; trained on {cell['seen']}" if cell["seen"] else ""
    kinds = " ".join(kind for kind in ("best", "seen") if cell[kind])
    skill = max(min(cell["skill"], 1), 0)
    return (
        f'<td class="{kinds}" style="--skill:{70 * skill:.0f}%" data-value="{cell["value"]:.4f}" '
        f'title="{html.escape(about)}"><span>{short(cell["value"])}</span></td>'
    )


def findings() -> str:
    """One card for each paper: its figure and what was found, from the notebooks' registry."""
    cards = []
    for name, paper in FINDINGS.items():
        entry = load_registry()[name]
        cards.append(
            f":::{{grid-item-card}} {plain(papers()[paper]['title'])}\n:link: notebooks/{name}\n:link-type: doc\n"
            f":img-top: thumbs/{entry.figure}.webp\n:img-alt: {alt_text(entry.figure)}\n\n{plain(entry.answer)}\n:::\n"
        )
    return "::::{grid} 1 1 1 1\n:gutter: 3\n:class-container: findings\n\n" + "\n".join(cards) + "::::\n"


def front() -> str:
    """The front page: what the project is, what was found, and where to go."""
    counts = claims.counts().sum()
    parts = {
        "box": box(),
        "jobs": which_measure(),
        "findings": findings(),
        "count": str(counts.sum()),
        "verdicts": ", ".join(f"{name} {counts[name]}" for name in counts.index),
        "citation": bibtex(),
        "project": source(),
    }
    return Template((PAGES / "front.md").read_text(encoding="utf-8")).substitute(parts)


def source() -> str:
    """The project as the front page names it: with links to its source and to a launch, if SOURCE_URL is set."""
    address = os.environ.get("SOURCE_URL", "").rstrip("/")
    launch = address.replace("https://github.com/", "https://mybinder.org/v2/gh/")
    opened = f" (or [in the browser, from Binder]({launch}/HEAD), which takes minutes)" if launch != address else ""
    return f"[the project]({address}){opened}" if address else "the project"


def bibtex() -> str:
    """The entry of this collection, from CITATION.cff."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    names = " and ".join(f"{{{each['name']}}}" for each in cited["authors"])
    title = cited["title"].replace("nbhelpers", "{nbhelpers}")
    fields = {"author": names, "title": title, "version": cited["version"]}
    return "@software{nbhelpers" + "".join(f",\n  {name} = {{{value}}}" for name, value in fields.items()) + "\n}"


def write_pictures(folder: Path) -> None:
    """Small pictures of the findings, and the picture that stands for the site where a link to it is shared."""
    from matplotlib import pyplot
    from PIL import Image

    (folder / "thumbs").mkdir()
    for name in FINDINGS:
        figure = load_registry()[name].figure
        with Image.open(ROOT / "figures" / f"{figure}.png") as image:
            small = image.convert("RGB")
            small.thumbnail((720, 900))
            small.save(folder / "thumbs" / f"{figure}.webp", quality=40, method=6)
    figure = pyplot.figure(figsize=(12, 6.3))
    figure.text(0.5, 0.94, "Does an edited text still mean the same?", ha="center", va="top", size=34, weight="bold")
    axes = figure.add_axes((0.03, 0.03, 0.94, 0.8))
    axes.imshow(pyplot.imread(ROOT / "figures" / "00_one_sentence.png"), interpolation="lanczos")
    axes.axis("off")
    figure.savefig(folder / "static" / "preview.png", dpi=100, metadata={"Software": None})
    pyplot.close(figure)


class _Drawn(Exception):
    """Carries the figure that a notebook would show."""


def marks(name: str) -> str:
    """An SVG that lies over a notebook's main figure: hovering over a mark says its number, n, interval and source.

    The figure is drawn again from the evidence, by the notebook's cells up to its own.
    """
    from matplotlib import pyplot
    from matplotlib.backends.backend_svg import RendererSVG

    entry = load_registry()[name]
    cells = json.loads(entry.path.read_text(encoding="utf-8"))["cells"]
    source = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")

    def caught(figure, name, **_):
        if name == entry.figure:
            raise _Drawn(figure)

    shown, plots.show = plots.show, caught
    with pyplot.rc_context(), contextlib.redirect_stdout(None):
        try:
            exec(compile(source, name, "exec"), {})
        except _Drawn as drawn:
            figure = drawn.args[0]
        finally:
            plots.show = shown
        plots.as_files(figure, name)  # lays it out as in its files
        figure.set(dpi=72, layout_engine="none")
        renderer = RendererSVG(*72 * figure.get_size_inches(), io.StringIO())  # letters as wide as in the file
        figure.draw(renderer)
        box = figure.get_tightbbox(renderer).padded(0.1)  # the part that is in the file
    picture = (ROOT / "figures" / f"{entry.figure}.svg").read_text(encoding="utf-8")
    width, height = map(float, re.search(r'viewBox="0 0 (\S+) (\S+)"', picture).groups())
    if max(abs(72 * box.width - width), abs(72 * box.height - height)) > 4:
        return ""  # the evidence has changed since the picture was made
    used = ", ".join(re.findall(r'evidence\.load\("([\w-]+)"', source[: source.index(f'name="{entry.figure}"')]))
    targets = []
    for axes, x, y, about in vars(figure).get("marks", ()):
        if not math.isnan(about["value"]):
            right, up = axes.transData.transform((x, y)) / figure.dpi
            said = [about["row"], *([about["series"]] if "series" in about else [])]
            text = f"{', '.join(said)}: {with_interval(*(about[part] for part in ('value', 'low', 'high')))}"
            text += f", n = {about['n']:,.0f}" if pd.notna(about["n"]) else ""
            text += f"; published {short(about['published'])}" if pd.notna(about.get("published")) else ""
            text += f"; trained on {about['seen']}" if about.get("seen") else ""
            place = f'cx="{72 * (right - box.x0):.1f}" cy="{72 * (box.y1 - up):.1f}"'
            targets.append(f'<circle {place} r="8"><title>{html.escape(text)}. Evidence: {used}</title></circle>')
    pyplot.close("all")
    size = f"0 0 {72 * box.width:.1f} {72 * box.height:.1f}"
    return f'<svg class="marks" viewBox="{size}" aria-hidden="true">{"".join(targets)}</svg>' if targets else ""


def gallery() -> str:
    """One card for each notebook: its figure, its question, and the answer in one sentence."""
    cards = []
    for name, entry in load_registry().items():
        drawn = (ROOT / "figures" / f"{entry.figure}.svg").is_file()  # not before the notebook has been recorded
        image = f"![{plain(alt_text(entry.figure))}](figures/{entry.figure}.svg)" if drawn else ""
        tested = [each for each in notebooks_of_claims().get(name, ()) if judged()[each].found is not None]
        strips = [f'<p><a href="claims.html#{each}">{each}</a>{strip(judged()[each])}</p>' for each in tested]
        numbers = (
            "\n".join(["", "```{raw} html", '<div class="strips">', *strips, "</div>", "```", ""]) if strips else ""
        )
        over = marks(name)
        over = f"```{{raw}} html\n{over}\n```\n" if over else ""
        cards.append(
            f"::::{{grid-item-card}} {name[:2]} · {plain(entry.title)}\n:link: notebooks/{name}\n:link-type: doc\n\n"
            f":::{{div}} drawn\n{image}\n\n{over}:::\n\n"
            f"{plain(entry.answer)}\n{numbers}::::\n"
        )
    intro = (
        "One figure and the answer in one sentence from each notebook, and below them the claims that it tests.\n"
        f"{STRIPS} The [leaderboard](leaderboard.md) sorts and filters."
    )
    return f"# Gallery\n\n{intro}\n\n:::::{{grid}} 1 1 1 1\n:gutter: 3\n\n" + "\n".join(cards) + ":::::\n"


def programs() -> str:
    """What the pages load beside the project's own files, with versions and licences, from the lock file of npm."""
    locked = json.loads((ROOT / "docs" / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    wanted = locked[""]["dependencies"]
    named = {name: locked[f"node_modules/{name}"] for name in wanted}
    return "\n".join(f"- {name} {one['version']}, {one['license']}" for name, one in named.items())


def as_read(notebook: dict) -> dict:
    """A notebook as its page shows it: code folded, and nothing said of exercises that nobody answered."""
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        if checks := "teaching.check(" in "".join(cell["source"]):
            cell["outputs"] = []
        if checks or cell["outputs"]:
            cell["metadata"].setdefault("tags", []).append("hide-input")
    return notebook


def stubs() -> dict[str, str]:
    """For each exercise in code the empty function that its notebook has, without the line that checks it."""
    found = {}
    for entry in load_registry().values():
        for cell in json.loads(entry.path.read_text(encoding="utf-8"))["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "code" and (check := re.search(r'^teaching\.check\("(\w+)", ', source, flags=re.M)):
                found[check[1]] = source[: check.start()].strip()
    return found


def exercises_data() -> str:
    """What the pages know of the exercises, as JavaScript: options, the right one and hints, but no model answers."""
    begun = stubs() if (ROOT / "build" / "static" / "python").is_dir() else {}
    known = {
        name: {part: getattr(one, part) for part in ("kind", "options", "right", "hints")}
        | {"stub": begun.get(name, "")}
        for name, one in teaching.exercises().items()
    }
    return f"const EXERCISES = {json.dumps(known, ensure_ascii=False)};\n"


def write_checker(file: Path) -> None:
    """What checks exercises in code in the page: a part of the package, with their cases and no solutions."""
    file.parent.mkdir(parents=True)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("__init__.py", "base/__init__.py", "base/errors.py", "base/paths.py", "base/teaching.py"):
            archive.write(ROOT / "nbhelpers" / name, f"nbhelpers/{name}")
        tables = tomllib.loads((ROOT / "data" / "exercises.toml").read_text(encoding="utf-8"))
        lines = []
        for name, table in tables.items():
            if table["kind"] == "code":  # a text in JSON is one in TOML, too
                parts = ("kind", "minutes", "cases", "mistakes", "hints")
                lines += [f"[{name}]", *(f"{part} = {json.dumps(table.get(part, []))}" for part in parts)]
        archive.writestr("nbhelpers/data/exercises.toml", "\n".join(lines) + "\n")


def modules(room: str) -> list[str]:
    """The modules of a room, or of a study, by name; packages inside it are left out."""
    package = importlib.import_module(f"nbhelpers.{room}")
    return [each.name for each in pkgutil.walk_packages(package.__path__, f"nbhelpers.{room}.") if not each.ispkg]


def first_line(name: str) -> str:
    return (importlib.import_module(name).__doc__ or "").strip().split("\n")[0]


def heading(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}"


def api_page(room: str, below: list[str]) -> str:
    """The page of a room or of a study, in reStructuredText: its purpose, then its modules with all that is public."""
    parts = [heading(room.replace(".", ": "), "="), f".. automodule:: nbhelpers.{room}"]
    if below:
        return "\n\n".join([*parts, ".. toctree::\n\n" + "\n".join(f"   {each}" for each in below)]) + "\n"
    for name in modules(room):
        parts += [heading(name.removeprefix(f"nbhelpers.{room}."), "-"), f".. automodule:: {name}\n   :members:"]
    return "\n\n".join(parts) + "\n"


def write_api(folder: Path) -> None:
    """The pages of the API, with their table of contents at ``api/index.md``."""
    folder.mkdir(parents=True)
    rows = "\n".join(f"| [{room}]({room}.rst) | {plain(first_line(f'nbhelpers.{room}'))} |" for room in ROOMS)
    intro = (
        f"`nbhelpers` {nbhelpers.__version__} has nine rooms. A room imports only from rooms above it in this list\n"
        "(`results` only from `base` and `resources`, `runner` from these two and `results`)."
    )
    index = f"# nbhelpers\n\n{intro}\n\n| room | what it is for |\n|---|---|\n{rows}\n\n{contents(*ROOMS)}"
    (folder / "index.md").write_text(index, encoding="utf-8")
    package = importlib.import_module("nbhelpers.studies")
    studies = [f"studies.{each.name}" for each in pkgutil.iter_modules(package.__path__) if each.ispkg]
    for room in (*ROOMS, *studies):
        page = api_page(room, studies if room == "studies" else [])
        (folder / f"{room}.rst").write_text(page, encoding="utf-8")


def write(folder: Path, api_only: bool = False) -> None:
    """Write all pages into a folder, which is emptied first. It has the layout of the repository, so links hold.

    Parameters
    ----------
    folder : Path
    api_only : bool
        The pages of the API alone.
    """
    shutil.rmtree(folder, ignore_errors=True)
    write_api(folder / "api")
    if api_only:
        text = f"# nbhelpers\n\nWhat the package offers, [room by room](api/index.md).\n\n{contents('api/index')}"
        (folder / "index.md").write_text(text, encoding="utf-8")
        return
    for name in ("docs", "notebooks"):
        (folder / name).mkdir()
    guides = sorted(path for path in (ROOT / "docs").glob("*.md"))
    notebooks = [entry.path for entry in load_registry().values()]
    for path in [*guides, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]:
        shutil.copy(path, folder / path.relative_to(ROOT))
    for path in notebooks:
        text = json.dumps(as_read(json.loads(path.read_text(encoding="utf-8"))))
        (folder / path.relative_to(ROOT)).write_text(text, encoding="utf-8")
    (folder / "static").mkdir()
    (folder / "static" / "exercises-data.js").write_text(exercises_data(), encoding="utf-8")
    write_pictures(folder)
    write_checker(folder / "static" / "python" / "nbhelpers.zip")
    shutil.copytree(ROOT / "data", folder / "data", ignore=shutil.ignore_patterns("*.safetensors"))
    shutil.copytree(ROOT / "figures", folder / "figures", ignore=shutil.ignore_patterns("*.png"))
    shutil.copy(ROOT / "LICENSE", folder)
    readme = sections((ROOT / "README.md").read_text(encoding="utf-8"))
    order = {"teaching": 0, "glossary": 1}  # then the others
    docs = [f"docs/{path.stem}" for path in sorted(guides, key=lambda path: (order.get(path.stem, 2), path.stem))]
    run = [name for name in readme if name and name not in ("The notebooks", "Results", "Working on it")]
    cards = sorted(path.relative_to(ROOT).with_suffix("").as_posix() for path in (ROOT / "data").rglob("*.md"))
    toc = [
        contents("leaderboard", "claims", "gallery", "run"),
        contents(*(f"notebooks/{name}" for name in load_registry()), caption="Notebooks"),
        contents(*docs, caption="Guides"),
        contents("api/index", "cards", "CONTRIBUTING", "CHANGELOG", caption="Package"),
    ]
    pages = {
        "index": front() + "\n" + "\n".join(toc),
        "gallery": gallery(),
        "claims": claims_page(),
        "leaderboard": leaderboard_page(),
        "run": "# Install and run\n\n" + "\n\n".join(f"## {name}\n\n{readme[name]}" for name in run),
        "cards": "# Data and models\n\nWhat ships with the project, and how it was made.\n\n"
        + contents(*cards).replace(":hidden:", ":maxdepth: 1")
        + "\nPrograms that the box on the front page and the exercises load, from this site's own folder:\n\n"
        + programs(),
    }
    for name, text in pages.items():
        (folder / f"{name}.md").write_text(text.rstrip() + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=main.__doc__ or __doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--api-only", action="store_true", help="the pages of the API alone")
    arguments = parser.parse_args()
    write(arguments.folder, arguments.api_only)


if __name__ == "__main__":
    main()
