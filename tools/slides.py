"""Slides of the notebooks' figures (`make slides`): for each notebook its answer, then each figure with one sentence.

``python tools/slides.py FOLDER`` writes one page; space and the arrow keys turn it over, and printing gives a PDF.
"""

import argparse
import html
import shutil
from pathlib import Path
from string import Template

from pages import PAGES, ROOT, alt_text

from nbhelpers.runner.parameters import load_registry


def slides() -> list[str]:
    """The inside of each slide, in order."""
    made = []
    for name, entry in load_registry().items():
        made.append(f"<h2>{name[:2]} · {html.escape(entry.title)}</h2><p>{html.escape(entry.answer)}</p>")
        for figure in sorted((ROOT / "figures").glob(f"{name[:2]}_*.svg")):
            sentence = html.escape(alt_text(figure.stem))
            made.append(f'<img src="figures/{figure.name}" alt="{sentence}"><p>{sentence}</p>')
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    shutil.copytree(ROOT / "figures", folder / "figures", ignore=shutil.ignore_patterns("*.png"), dirs_exist_ok=True)
    body = "\n".join(f"<section>{one}</section>" for one in slides())
    page = Template((PAGES / "slides.html").read_text(encoding="utf-8")).substitute(body=body)
    (folder / "index.html").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
