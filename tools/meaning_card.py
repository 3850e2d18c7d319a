"""Thresholds of a meaning model and tables of its card: ``python tools/meaning_card.py data/models/same-meaning-en``.

They come from the evidence of its verdicts (``evidence record check-verdicts model=…``, recorded with the weights in
place) and from what stands beside the weights: ``goals.json`` and ``training-log.json``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from model_card import fill_table

from nbhelpers.leaderboard import verdicts
from nbhelpers.metrics.verdicts import Thresholds
from nbhelpers.results import evidence

if TYPE_CHECKING:
    import pandas

LEARNED = ("loss", "paws", "stsb", "csmd", "written", "made", "free, rivals")


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; all columns but the first are numbers."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def goals(folder: Path, before: Path | None) -> str:
    """What was aimed at and reached, with the numbers of earlier weights where they are given."""
    earlier = {row["goal"]: row for row in json.loads(before.read_text(encoding="utf-8"))} if before else {}
    rows = []
    for row in json.loads((folder / "goals.json").read_text(encoding="utf-8")):
        wanted, old = row["wanted"], earlier.get(row["goal"])
        met = "–" if wanted is None else "yes" if row["value"] >= wanted else "no"
        numbers = f"{row['value']:.3f}", f"{row['low']:.3f} to {row['high']:.3f}", f"{row['n']:,}"
        cells = [row["goal"], "–" if wanted is None else f"{wanted:.3f}", *numbers, met]
        rows.append(cells + ([f"{old['value']:.3f} ({old['n']:,})" if old else "–"] if before else []))
    return table(["goal", "wanted", "reached", "interval", "n", "met", *(["before (n)"] if before else [])], rows)


def training(folder: Path) -> str:
    """Error and agreement on held-out pairs along the last course of training."""
    log = json.loads((folder / "training-log.json").read_text(encoding="utf-8"))
    last = max(row.get("course", 0) for row in log)
    log = [row for row in log if row.get("course", 0) == last]
    learned = [name for name in LEARNED if all(name in row["dev"] for row in log)]
    rows = [[f"{row['step']:,}", *(f"{row['dev'][name]:.3f}" for name in learned)] for row in log]
    return table(["step", *learned], rows)


def worth(own: pandas.DataFrame, limits: Thresholds) -> str:
    """Shares of right and wrong verdicts for each set; those with a star did not choose the thresholds."""
    found = verdicts.shares(own, limits)
    found["cell"] = [f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}], {one.n}" for one in found.itertuples()]
    wide = found.pivot(index="row", columns="column", values="cell").loc[list(dict.fromkeys(found["row"]))]
    rows = [
        [f"{name}{'' if name in verdicts.CALIBRATION else ' *'}", *wide.loc[name, list(verdicts.SHARES)]]
        for name in wide.index
    ]
    return table(["set", *verdicts.SHARES], rows)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--before", type=Path, help="goals.json of earlier weights")
    options = parser.parse_args()
    card = options.folder / "README.md"
    fill_table(card, "goals", goals(options.folder, options.before))
    fill_table(card, "training", training(options.folder))
    rated = evidence.load("check-verdicts")
    own = rated[rated["model"] == options.folder.name.removesuffix("-en")]
    limits = verdicts.thresholds(own)
    fill_table(card, "verdicts", worth(own, limits))
    stored = options.folder / "meaning.json"
    settings = json.loads(stored.read_text(encoding="utf-8")) | {"verdict": asdict(limits)}
    stored.write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")
    print(limits)


if __name__ == "__main__":
    main()
