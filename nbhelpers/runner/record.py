"""Keep notebooks in step: text to notebook, and the results of a run into their committed places.

``notebooks/text/NN_name.py`` (percent format) is the source; ``notebooks/NN_name.ipynb`` holds the same cells with
the outputs of the quick profile. `update_notebooks` brings changed text into the notebooks; `record` takes the executed
notebooks, the figures and the numbers of a run, and writes the README's table of results from the claims. Both leave a
notebook alone that somebody has edited since it was written: its metadata hold a digest of its cells. `reset` keeps a
copy of such a notebook and restores the committed one.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nbhelpers.base import paths
from nbhelpers.base.errors import DataFormatError, InputError
from nbhelpers.base.files import replace_file
from nbhelpers.results import claims
from nbhelpers.runner.parameters import load_registry


def text_files() -> list[Path]:
    """The notebooks' sources, in order."""
    return sorted((paths.ROOT / "notebooks" / "text").glob("[0-9][0-9]_*.py"))


def read_text(path: Path) -> Any:
    """A notebook without outputs from its percent text, with cell ids that depend on position only."""
    import jupytext
    import nbformat
    from ipykernel.ipkernel import IPythonKernel

    notebook = jupytext.read(path)
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    notebook.metadata = {"kernelspec": kernel, "language_info": IPythonKernel.language_info}  # as JupyterLab writes it
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number:02d}"
        tags = cell.metadata.get("tags")
        cell.metadata = {"tags": tags} if tags else {}
    notebook.metadata["nbhelpers"] = {"cells": digest(notebook)}
    return nbformat.from_dict(notebook)


def digest(notebook: Any) -> str:
    """Sixteen hexadecimal digits that change when a cell's type, text or tags do; outputs do not count."""
    cells = [(c.cell_type, c.source, tuple(c.metadata.get("tags", ()))) for c in notebook.cells]
    return hashlib.sha256(json.dumps(cells).encode()).hexdigest()[:16]


def is_edited(notebook: Any) -> bool:
    """Whether somebody changed a notebook's cells after it was written from its text."""
    return notebook.metadata.get("nbhelpers", {}).get("cells") != digest(notebook)


def read_notebook(path: Path) -> Any:
    """A notebook file; one that is damaged is a DataFormatError."""
    import nbformat

    try:
        return nbformat.read(path, as_version=4)
    except (nbformat.reader.NotJSONError, nbformat.ValidationError, UnicodeDecodeError) as error:
        raise DataFormatError(path, None, f"is no notebook ({str(error).splitlines()[0][:100]}).") from None


def write_notebook(notebook: Any, path: Path) -> None:
    """Write a valid notebook as JupyterLab does."""
    import nbformat

    nbformat.validate(notebook)
    nbformat.write(notebook, path)


def update_notebooks() -> list[str]:
    """Bring changed texts into the notebooks, and return which changed.

    Outputs stay where the code is the same and only prose or tags changed; otherwise they are dropped.

    Raises
    ------
    InputError
        A notebook that would change was edited since it was written. Then nothing is written.
    """
    changed, edited = {}, []
    for text in text_files():
        target, fresh = paths.ROOT / "notebooks" / f"{text.stem}.ipynb", read_text(text)
        if target.exists():
            old = read_notebook(target)
            same = digest(old) == digest(fresh)
            if same and not is_edited(old):
                continue
            if is_edited(old) and not same:
                edited.append(target.name)
            _keep_outputs(old, fresh)
        changed[target] = fresh
    if edited:
        raise InputError(_edited(edited))
    for target, fresh in changed.items():
        write_notebook(fresh, target)
    return [target.stem for target in changed]


def _keep_outputs(old: Any, fresh: Any) -> None:
    """Give a new notebook the outputs of the old one, if both have the same code."""
    before, after = ([cell for cell in each.cells if cell.cell_type == "code"] for each in (old, fresh))
    if [cell.source for cell in before] == [cell.source for cell in after]:
        for cell, done in zip(after, before):
            cell.outputs, cell.execution_count = done.outputs, done.execution_count


def _edited(names: Sequence[str]) -> str:
    return (
        f"{', '.join(names)} in notebooks/ {'was' if len(names) == 1 else 'were'} edited; this would overwrite what "
        "was written there. `make reset` keeps a copy in notebooks/mine and restores the notebook; a change that is to "
        "stay belongs into notebooks/text."
    )


def reset() -> list[str]:
    """Restore every notebook as committed, and return the copies of those that were edited.

    A copy goes to ``notebooks/mine``, under a number that is free. The committed notebook is git's; where there is no
    git, or its cells are not those of the text, the notebook is written from the text, without outputs.
    """
    copies = []
    for text in text_files():
        target, fresh = paths.ROOT / "notebooks" / f"{text.stem}.ipynb", read_text(text)
        if target.exists() and is_edited(read_notebook(target)):
            copies.append(keep_copy(target))
        committed = _committed(target)
        write_notebook(committed if committed and digest(committed) == digest(fresh) else fresh, target)
    return copies


def keep_copy(path: Path) -> str:
    """Copy a notebook into the folder ``mine`` beside it, under the first number that is free; return where to."""
    folder = path.parent / "mine"
    folder.mkdir(exist_ok=True)
    taken = {each.name for each in folder.iterdir()}
    name = next(name for n in range(1, len(taken) + 2) if (name := f"{path.stem}-{n}.ipynb") not in taken)
    shutil.copy2(path, folder / name)
    return f"{path.parent.relative_to(paths.ROOT)}/mine/{name}"


def _committed(path: Path) -> Any:
    """The notebook as git has it, or None."""
    import nbformat

    try:
        command = ["git", "show", f"HEAD:{path.relative_to(paths.ROOT).as_posix()}"]
        found = subprocess.run(command, cwd=paths.ROOT, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return nbformat.reads(found.stdout.decode(), as_version=4)


def clean(executed: Any, source: Any) -> Any:
    """An executed notebook as it is committed: the source's cells with their outputs, and no traces of the run.

    Parameters
    ----------
    executed, source : nbformat NotebookNode
        The notebook of a run, and the one in ``notebooks/``, which is changed.

    Returns
    -------
    nbformat NotebookNode
        `source`.

    Raises
    ------
    InputError
        It is not the same notebook, holds an error or a cell that was not run, or had injected parameters.
    """
    if any("injected-parameters" in cell.metadata.get("tags", ()) for cell in executed.cells):
        raise InputError("The notebook was run with other parameters than its own; only the quick profile is recorded.")
    if digest(executed) != digest(source):
        raise InputError("The executed notebook is not the one in notebooks/: run it again.")
    pairs = [pair for pair in zip(source.cells, executed.cells) if pair[0].cell_type == "code"]
    for number, (cell, done) in enumerate(pairs, start=1):
        if cell.source.strip() and done.execution_count is None:
            raise InputError(f"Cell {number} was not run: the notebook was stopped before its end.")
        cell.execution_count = number
        cell.outputs = [each for each in done.outputs if each.get("name") != "stderr"]
        for output in cell.outputs:
            if output.output_type == "error":
                raise InputError(f"Cell {number} ended in {output.ename}: {output.evalue}")
            if "execution_count" in output:
                output.execution_count = number
            output.get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)
        _steady(cell.outputs, number)
    return source


def _steady(outputs: Sequence[Any], number: int) -> None:
    """Take what changes from run to run out of outputs: random names of pandas' tables, addresses in memory."""
    for place, data in enumerate(output.get("data", {}) for output in outputs):
        names = dict.fromkeys(re.findall(r"\bT_[0-9a-f]{5}(?=_|\b)", data.get("text/html", "")))
        for n, name in enumerate(names):
            data["text/html"] = data["text/html"].replace(name, f"T_{number}_{place}_{n}")
        if "text/plain" in data:
            data["text/plain"] = re.sub(r" at 0x[0-9a-f]+>", ">", data["text/plain"])


def readme_parts() -> dict[str, str]:
    """The README's tables, in Markdown: ``notebooks`` with their answers, and ``results``: verdicts by paper."""
    notebooks = ["| notebook | what it asks or rebuilds | what we found |", "|---|---|---|"]
    for name, entry in load_registry().items():
        source = f" ({entry.source})" if entry.source else ""
        notebooks.append(f"| [{name}](notebooks/{name}.ipynb) | {entry.title}{source} | {entry.answer} |")
    counted = claims.counts()
    rows = [f"| paper | {' | '.join(counted.columns)} |", "|---|" + "---|" * len(counted.columns)]
    rows += [f"| {paper} | {' | '.join(map(str, numbers))} |" for paper, *numbers in counted.itertuples()]
    held = [one.claim for one in claims.judged() if one.verdict == claims.HOLDS]
    alike = [claim.data for claim in held if claim.model != "other"]
    unlike, elsewhere = len(held) - len(alike), len(alike) - alike.count("same")
    caveat = f"Of the {len(held)} claims that hold, {unlike} were tested with another model or tagger than the paper's,"
    caveat += f" and {elsewhere} more on other texts or on a part of its own: see the caveat beside each verdict."
    rows += ["", caveat]
    return {"notebooks": "\n".join(notebooks), "results": "\n".join(rows)}


def write_readme() -> None:
    """Put each part of `readme_parts` between its two marks in the README."""
    readme = paths.ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    for name, part in readme_parts().items():
        begin, end = f"<!-- {name}: written by `make record` -->", f"<!-- end of {name} -->"
        text = f"{text.split(begin)[0]}{begin}\n{part}\n{end}{text.split(end)[1]}"
    replace_file(readme, text.encode("utf-8"))


def record(run_dir: str | Path) -> None:
    """Take executed notebooks, figures and numbers of a quick run into ``notebooks``, ``figures`` and ``data/results``.

    Parameters
    ----------
    run_dir : path
        Folder of the run.

    Raises
    ------
    InputError
        A notebook failed, is another one than in ``notebooks``, was edited there, or was run with other parameters or
        in another profile; or there is none.
    DataFormatError
        A file of the run is damaged. Then, as with the error above, nothing is written.
    """
    run_dir = Path(run_dir)
    executed = sorted((run_dir / "notebooks").glob("[0-9][0-9]_*.ipynb"))
    try:
        profile = json.loads((run_dir / "run.json").read_text(encoding="utf-8"))["profile"]
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"{run_dir} is no folder of a run: it has no run.json") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataFormatError(run_dir / "run.json", None, f"does not say which profile was run ({error!r}).") from None
    if profile != "quick" or not executed:
        raise InputError(
            f"{run_dir} is a run of the profile {profile} with {len(executed)} notebooks. Only quick runs are "
            f"recorded; real data becomes evidence by `{paths.program()} evidence record`."
        )
    notebooks = {}
    for path in executed:  # all are looked at before one is written
        target = paths.ROOT / "notebooks" / path.name
        committed = read_notebook(target)
        if is_edited(committed):
            raise InputError(_edited([path.name]))
        try:
            notebooks[target] = clean(read_notebook(path), committed)
        except InputError as error:
            raise InputError(f"{path.name}: {error}") from None
    for target, notebook in notebooks.items():
        write_notebook(notebook, target)
    figures = paths.ROOT / "figures"
    for target in notebooks:
        for old in figures.glob(f"{target.name[:2]}_*"):
            old.unlink()
    shutil.copytree(run_dir / "figures", figures, dirs_exist_ok=True)
    write_readme()
    print(f"Recorded {len(executed)} notebook{'' if len(executed) == 1 else 's'}.")


_NUMBER = re.compile(r"(?<![\w.])[−-]?(?:\d[\d,]*\.?\d*|\.\d+)")


def _said(notebook: Any) -> list[tuple[int, str]]:
    """Number of the cell and text of every output that can be read."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [
        (number, re.sub(r"<style.*?</style>|<[^>]*>", " ", text, flags=re.DOTALL))
        for number, cell in enumerate(cells, start=1)
        for output in cell.outputs
        for text in [output.get("text", "") or next(iter(_texts(output.get("data", {}))), "")]
    ]


def _texts(data: Any) -> list[str]:
    return [data[kind] for kind in ("text/html", "text/markdown", "text/plain") if kind in data]


def differences(run_dir: str | Path) -> list[str]:
    """Where an executed quick run says something else than the committed notebooks, and where the README is old.

    Words must be the same; a number may differ by one unit of its last digit, as processors round differently.

    Parameters
    ----------
    run_dir : path
        Folder of the run.

    Raises
    ------
    InputError
        There are no executed notebooks in it.
    """
    found, executed = [], sorted((Path(run_dir) / "notebooks").glob("[0-9][0-9]_*.ipynb"))
    if not executed:
        raise InputError(f"{run_dir} has no executed notebooks: it is no folder of a run")
    for path in executed:
        committed = read_notebook(paths.ROOT / "notebooks" / path.name)
        kept, made = _said(committed), _said(clean(read_notebook(path), copy.deepcopy(committed)))
        if len(kept) != len(made):
            found.append(f"{path.stem}: {len(kept)} outputs are committed, and this run has {len(made)}")
        for (number, old), (_, new) in zip(kept, made):
            if not _alike(old, new):
                found.append(f"{path.stem}, cell {number}: committed {_gist(old, new)}")
    readme = (paths.ROOT / "README.md").read_text(encoding="utf-8")
    found += [
        f"README.md: its table of {name} is not the present one"
        for name, part in readme_parts().items()
        if part not in readme
    ]
    return found


def _alike(old: str, new: str) -> bool:
    if _NUMBER.sub("#", old) != _NUMBER.sub("#", new):
        return False
    for one, other in zip(_NUMBER.findall(old), _NUMBER.findall(new)):
        first, second = (float(text.replace("−", "-").replace(",", "").rstrip(".")) for text in (one, other))
        digits = len(one.partition(".")[2])
        if abs(first - second) > 1.01 * 10.0**-digits:
            return False
    return True


def _gist(old: str, new: str) -> str:
    """The first place where two texts differ."""
    place = next((k for k, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
    cut = slice(max(0, place - 30), place + 30)
    return f"{' '.join(old[cut].split())!r}, this run {' '.join(new[cut].split())!r}"


def main(argv: Sequence[str]) -> int:
    """``python -m nbhelpers record [RUN]``: without a folder, only bring the texts into the notebooks."""
    parser = argparse.ArgumentParser(
        prog=f"{paths.program()} record",
        description="Bring the text of notebooks/text into the notebooks. With RUN, also keep the outputs and figures "
        "of a quick run.",
    )
    parser.add_argument("run", nargs="?", metavar="RUN", help="folder of a quick run")
    parser.add_argument("--check", action="store_true", help="write nothing; say where RUN and the notebooks differ")
    parser.add_argument("--reset", action="store_true", help="restore all notebooks; of edited ones a copy is kept")
    arguments = parser.parse_args(argv)
    if arguments.reset:
        copies = reset()
        print("Notebooks restored.", *(f"Your copy: {copy}" for copy in copies), sep="\n")
    elif arguments.check:
        found = differences(arguments.run or paths.ROOT / "runs" / "quick")
        print("\n".join(found) or "The committed notebooks say what this run says.")
        return int(bool(found))
    elif arguments.run:
        record(arguments.run)
    else:
        changed = update_notebooks()
        print("Notebooks brought up to date:", ", ".join(changed) or "none")
    return 0
