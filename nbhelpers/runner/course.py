"""The course: a learners' and an instructors' version of every notebook, from its text and ``data/exercises.toml``.

In a text an exercise is a paragraph that starts with ``**Exercise 2 · write code**`` and its name, such as ``01_auc``,
in backticks; it ends at the next exercise, the next heading or the end of its cell. Code exercises are followed by a
cell with an empty function and its check. Learners get a place for each answer and no outputs; instructors get answers,
rubrics, times and outputs.
"""

from __future__ import annotations

import argparse
import importlib.util
import platform
import re
from collections.abc import Iterator, Sequence
from typing import Any

import nbhelpers
from nbhelpers.base import paths, teaching
from nbhelpers.base.errors import InputError
from nbhelpers.resources import data
from nbhelpers.runner import record
from nbhelpers.runner.checks import is_here
from nbhelpers.runner.parameters import load_registry

VERSIONS = ("learner", "instructor")

_MARK = re.compile(r"^\*\*Exercise (\d+) · ([a-z, ]+)\*\* · `(\w+)`", re.MULTILINE)
_STUB = re.compile(r"^(def .*\)): \.\.\.$", re.MULTILINE)
_CHECK = re.compile(r'teaching\.check\("(\w+)"')


def split(markdown: str) -> list[tuple[str, str]]:
    """Cut a Markdown cell into parts: texts, and exercises with their names.

    Examples
    --------
    >>> split("Look.\\n\\n**Exercise 1 · open question** · `01_why`\\nWhy?\\n\\n## Next")
    [('', 'Look.'), ('01_why', '**Exercise 1 · open question** · `01_why`\\nWhy?'), ('', '## Next')]
    """
    parts, starts = [], [found.start() for found in _MARK.finditer(markdown)]
    starts += [found.start() for found in re.finditer(r"^#+ ", markdown, re.MULTILINE)] if starts else []
    places = sorted({0, *starts, len(markdown)})
    for start, stop in zip(places, places[1:]):
        text, found = markdown[start:stop].strip(), _MARK.match(markdown, start)
        if parts and not found and not parts[-1][0]:  # a heading between texts starts no cell
            parts[-1] = ("", f"{parts[-1][1]}\n\n{text}")
        elif text:
            parts.append((found[3] if found else "", text))
    return parts


def asked(notebook: Any) -> dict[str, tuple[int, str]]:
    """Number and kind of every exercise that a notebook asks, by name, in their order."""
    texts = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    return {name: (int(number), kind) for number, kind, name in _MARK.findall(texts)}


def make(source: Any, version: str, name: str, executed: Any = None) -> Any:
    """One version of a notebook.

    Parameters
    ----------
    source : nbformat NotebookNode
        The notebook of a text, without outputs; see `nbhelpers.runner.record.read_text`.
    version : str
        ``learner`` or ``instructor``.
    name : str
        The notebook's, such as ``01_ndd_cases``.
    executed : nbformat NotebookNode, optional
        The same notebook with the outputs that instructors get.

    Returns
    -------
    nbformat NotebookNode
    """
    import nbformat

    outputs = {cell.source: cell.outputs for cell in executed.cells if cell.cell_type == "code"} if executed else {}
    cells = []
    for number, cell in enumerate(source.cells):
        if cell.cell_type == "markdown":
            for exercise, text in split(cell.source.replace("](../", "](../../")):
                cells.append(nbformat.v4.new_markdown_cell(text))
                if exercise and teaching.exercises()[exercise].kind != "code":
                    cells += _answer_cells(exercise, version)
        else:
            cell = nbformat.from_dict(cell)
            exercise = found[1] if (found := _CHECK.search(cell.source)) else ""
            if version == "instructor":
                cell.outputs = outputs.get(cell.source, [])
            elif exercise:
                cell.source = _STUB.sub(r"\1:\n    ...  # your code in place of the dots", cell.source)
                cell.source += f'\n# Stuck? teaching.hint(1, "{exercise}"), then teaching.hint(2, "{exercise}")'
            cells.append(cell)
            if exercise and version == "instructor":
                cells += _solution_cells(exercise)
        if number == 0:
            imports = "from nbhelpers.base import teaching\nfrom nbhelpers.runner import course"
            cells.append(nbformat.v4.new_code_cell(f'{imports}\n\ncourse.check_data("{name}")'))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number:02d}"
    made = nbformat.v4.new_notebook(cells=cells, metadata=source.metadata | {})
    made.nbformat_minor = source.nbformat_minor
    made.metadata["nbhelpers"] = {"cells": record.digest(made)}
    return made


def _answer_cells(name: str, version: str) -> Iterator[Any]:
    """What follows an exercise that is answered by a letter or in words."""
    import nbformat

    exercise = teaching.exercises()[name]
    if version == "instructor":
        right = f"**{exercise.right}.** " if exercise.right else ""
        lines = [f"> **Model answer** (`{name}`, {exercise.minutes} minutes). {right}{exercise.answer}"]
        if exercise.options:
            lines += [">", *(f"> * *{letter}*: {said}" for letter, said in exercise.options.items())]
        if exercise.rubric:
            lines += [">", "> **Rubric**", ">", *(f"> * {line}" for line in exercise.rubric)]
        yield nbformat.v4.new_markdown_cell("\n".join([*lines, *_hints(exercise)]))
        return
    yield nbformat.v4.new_markdown_cell("*Your answer, in a sentence or two (double-click here to write):*\n\n")
    code = f'# Stuck? teaching.hint(1, "{name}")'
    if exercise.options:
        letters = ", ".join(exercise.options)
        ask = f'teaching.check("{name}", ...)  # one of the letters {letters}, in quotation marks, for the dots'
        code = f"{ask}\n{code}"
    yield nbformat.v4.new_code_cell(code)


def _solution_cells(name: str) -> Iterator[Any]:
    """Solution of a code exercise, with the typical mistakes that its check knows."""
    import nbformat

    exercise = teaching.exercises()[name]
    lines = [f"> **Solution** (`{name}`, {exercise.minutes} minutes). The check knows these mistakes:", ">"]
    lines += dict.fromkeys(f"> * {said}" for _, said in exercise.mistakes)
    yield nbformat.v4.new_markdown_cell("\n".join([*lines, *_hints(exercise)]))
    source = exercise.solution.strip()
    function = re.findall(r"^def (\w+)", source, re.MULTILINE)[-1]
    cell = nbformat.v4.new_code_cell(f'{source}\n\n\nteaching.check("{name}", {function})')
    cell.metadata["tags"] = ["solution"]
    _, message = teaching.judge(name, teaching.compiled(source))
    cell.outputs = [nbformat.v4.new_output("stream", text=f"{message}\n")]
    yield cell


def _hints(exercise: teaching.Exercise) -> list[str]:
    return [">", "> **Hints**", ">", *(f"> {n}. {hint}" for n, hint in enumerate(exercise.hints, start=1))]


def check_data(name: str) -> None:
    """Print whether what a notebook needs is on this machine: what ships, and which real data.

    Parameters
    ----------
    name : str
        The notebook's, such as ``01_ndd_cases``.
    """
    shipped = {one.shipped for one in data.registry().values() if one.shipped} | {"models/embedded", "results"}
    missing = [f"data/{path}" for path in sorted(shipped) if not (paths.data_dir() / path).exists()]
    missing += [each for each in ("torch", "transformers", "ipywidgets") if importlib.util.find_spec(each) is None]
    versions = f"Python {platform.python_version()}, nbhelpers {nbhelpers.__version__}"
    if missing:
        print(f"Not ready ({versions}): {', '.join(missing)} missing. Fetch the project anew, or run `make run` once.")
        return
    print(f"Ready ({versions}): everything that this notebook needs is here.")
    needs = [need for need in load_registry()[name].needs if data.registry()[need].kind != "model"]
    if needs:
        here = [need for need in needs if is_here(need)]
        print(
            f"Real data for the full profile, which you do not need: {len(here)} of {len(needs)} ({', '.join(needs)})."
        )


def build(versions: Sequence[str] = VERSIONS, *, fresh: bool = False) -> tuple[list[str], list[str]]:
    """Write every notebook to ``course``, in one or both versions; one that somebody has edited there stays.

    Parameters
    ----------
    versions : sequence of {"learner", "instructor"}
        Those to write.
    fresh : bool
        Write edited notebooks anew, too, after a copy of each went to the folder ``mine`` beside it.

    Returns
    -------
    list of str, list of str
        The notebooks written; those kept or, with `fresh`, their copies.
    """
    written, kept = [], []
    for text in record.text_files():
        source, executed = record.read_text(text), paths.ROOT / "notebooks" / f"{text.stem}.ipynb"
        if unknown := set(asked(source)) - set(teaching.exercises()):
            raise InputError(f"{text.name} asks {', '.join(sorted(unknown))}, which data/exercises.toml does not have.")
        for version in versions:
            target = paths.ROOT / "course" / version / f"{text.stem}.ipynb"
            target.parent.mkdir(parents=True, exist_ok=True)
            if target.exists() and record.is_edited(record.read_notebook(target)):
                kept.append(record.keep_copy(target) if fresh else str(target.relative_to(paths.ROOT)))
                if not fresh:
                    continue
            known = record.read_notebook(executed) if executed.exists() else None
            record.write_notebook(make(source, version, text.stem, known), target)
            written.append(str(target.relative_to(paths.ROOT)))
    if "instructor" in versions:
        (paths.ROOT / "course" / "instructor" / "README.md").write_text(_timetable(), encoding="utf-8")
    return written, kept


def _timetable() -> str:
    """Every exercise with its kind and its minutes, as a Markdown page for instructors."""
    lines = ["# Exercises and times", "", "| notebook | exercise | kind | minutes |", "|---|---|---|---|"]
    for text in record.text_files():
        found = asked(record.read_text(text))
        times = {name: teaching.exercises()[name].minutes for name in found}
        lines += [f"| {text.stem} | {n}: `{name}` | {kind} | {times[name]} |" for name, (n, kind) in found.items()]
        lines.append(f"| {text.stem} | **all** | | **{sum(times.values())}** |")
    return "\n".join([*lines, "", "The plan of six lessons is in docs/teaching.md.", ""])


def main(argv: Sequence[str]) -> int:
    """``python -m nbhelpers course [--learner] [--fresh]``: write the learners' and instructors' notebooks."""
    parser = argparse.ArgumentParser(
        prog=f"{paths.program()} course",
        description="Write every notebook for learners (course/learner) and for instructors (course/instructor).",
    )
    add = parser.add_argument
    add("--learner", action="store_true", help="only the version for learners, without solutions")
    add("--fresh", action="store_true", help="write the folders of course anew; of edited notebooks a copy is kept")
    options = parser.parse_args(argv)
    versions, fresh = VERSIONS[:1] if options.learner else VERSIONS, options.fresh
    if fresh:
        versions = [version for version in versions if (paths.ROOT / "course" / version).is_dir()]
    written, kept = build(versions, fresh=fresh)
    print(f"{len(written)} notebooks written to {' and '.join(f'course/{version}' for version in versions)}.")
    for path in kept:
        print(f"Your copy: {path}" if fresh else f"Kept, since it was edited: {path}")
    return 0
