"""Slides of the notebooks' figures (`make slides`): for each notebook its answer, then each figure with one sentence.

``python tools/slides.py FOLDER`` writes one page; space and the arrow keys turn it over, and printing gives a PDF.
"""

import argparse
import html
import shutil
from pathlib import Path

from pages import ROOT, alt_text

from nbhelpers.runner.parameters import load_registry

STYLE = """
html { scroll-snap-type: y mandatory; font: 2.2vw/1.4 sans-serif; color: #1a1a1a; background: #fff; }
body { margin: 0; }
section { height: 100vh; box-sizing: border-box; padding: 4vh 5vw; scroll-snap-align: start; break-after: page;
          display: flex; flex-direction: column; justify-content: center; gap: 3vh; }
h2, p { margin: 0; }
img { max-width: 100%; min-height: 0; object-fit: contain; }
"""
SCRIPT = """
onkeydown = (event) => {
  const step = { ArrowRight: 1, ArrowDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  scrollTo({ top: (Math.round(scrollY / innerHeight) + step) * innerHeight });
};
"""


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
    head = f'<meta charset="utf-8"><title>Slides</title><style>{STYLE}</style>'
    page = f'<!doctype html>\n<html lang="en">\n{head}\n{body}\n<script>{SCRIPT}</script>\n</html>\n'
    (folder / "index.html").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
