"""Notebooks and registries for the tests of the runner."""

import sys
from pathlib import Path

sys.modules.setdefault("rfc3987_syntax", None)  # a grammar that nbformat's validator would compile for seconds, unused
import nbformat  # noqa: E402


def write_notebook(folder: Path, name: str, *cells: str, parameters: str | None = "size = 3  # how many") -> Path:
    """A notebook of a heading, a parameters cell (unless None) and code cells, for a kernel that nobody has."""
    notebook = nbformat.v4.new_notebook(metadata={"kernelspec": {"name": "none", "display_name": "", "language": "R"}})
    notebook.cells = [nbformat.v4.new_markdown_cell(f"# {name}")]
    if parameters is not None:
        notebook.cells.append(nbformat.v4.new_code_cell(parameters, metadata={"tags": ["parameters"]}))
    notebook.cells += [nbformat.v4.new_code_cell(cell) for cell in cells]
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, folder / f"{name}.ipynb")
    return folder / f"{name}.ipynb"


def entry(name: str, more: str = "", *, seconds: int = 300) -> str:
    """A table of ``profiles.toml``."""
    return (
        f'[notebooks.{name}]\ntitle = "About {name}"\nsource = ""\n'
        f"timeout = {{ quick = {seconds}, full = 100, paper = 100 }}\n{more}\n"
    )


def write_registry(folder: Path, *tables: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "profiles.toml").write_text("\n".join(tables), encoding="utf-8")
    return folder


def two_notebooks(folder: Path) -> Path:
    """A folder of two registered notebooks, of which the first has a further parameter, a size and a model."""
    write_notebook(folder, "01_a", "print(size, limit, model)", parameters="size = 3\nlimit = None\nmodel = 'embedded'")
    write_notebook(folder, "02_b", "print(size)")
    return write_registry(folder, entry("01_a", "[notebooks.01_a.full]\nsize = 30\nlimit = 7"), entry("02_b"))
