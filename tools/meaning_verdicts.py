"""Thresholds of *kept*, *changed* and *unsure* of a model: ``python tools/meaning_verdicts.py MODEL OUT.json``.

They come from labelled pairs of `CALIBRATION`, which nobody trained on; what the promise is worth elsewhere is measured
on the sets of `ELSEWHERE`. With ``--store`` the thresholds are written into the model's ``meaning.json``.
"""

from __future__ import annotations

import argparse
import json
import random
from dataclasses import asdict
from pathlib import Path

import numpy as np
from meaning_changes import written

from nbhelpers import metrics
from nbhelpers.base.stats import proportion
from nbhelpers.metrics import meaning_model, verdicts
from nbhelpers.resources import challenge

CALIBRATION = ("menli", "paws-wiki", "semantoneg", "apt")
ELSEWHERE = ("summedits", "rewordings", "paws-qqp", "minimal-pairs", "tried-pairs")

Labelled = list[tuple[str, str, int, str]]
"""Source, candidate, 1 where the meaning is kept, and what pairs that are not independent have in common."""


def labelled(name: str, most: int) -> Labelled:
    """About so many changed and kept pairs of a set, one of each a source, at random."""
    if name == "rewordings":
        rows = [(p.source, p.candidate, int(p.rating > 90), p.source) for p in written("test") if not p.rival]
    else:
        rows = [(p.source, p.candidate, int(p.label == 1), p.group or p.source) for p in challenge.read(name).pairs]
    random.Random(0).shuffle(rows)
    chosen = {}
    for row in rows:
        chosen.setdefault((row[3], row[2]), row)
    return [row for label in (0, 1) for row in [one for one in chosen.values() if one[2] == label][:most]]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("out", type=Path)
    parser.add_argument("--most", type=int, default=300, help="pairs of each set and label")
    parser.add_argument("--store", type=Path, help="meaning.json to write the thresholds to")
    parser.add_argument("--dtype", default="float32")
    options = parser.parse_args()
    model = meaning_model.load_meaning_model(options.model, dtype=options.dtype)
    metric = metrics.load(meaning_model.SAME_MEANING, model=model, truncate=True)
    ratings, labels, groups = {}, {}, {}
    for name in (*CALIBRATION, *ELSEWHERE):
        sources, candidates, kept, common = map(list, zip(*labelled(name, options.most)))
        ratings[name], labels[name], groups[name] = metric(sources, candidates), np.array(kept), common
    pooled = [np.concatenate([table[name] for name in CALIBRATION]) for table in (ratings, labels)]
    found = verdicts.thresholds_from(*pooled)
    source = f"{found.found} of {', '.join(CALIBRATION)}"
    found = verdicts.Thresholds(round(found.kept, 2), round(found.changed, 2), found.risk, source)
    rows = []
    for name in ratings:
        changed, kept = (ratings[name][labels[name] == label] for label in (0, 1))
        both = np.r_[changed, kept]
        shares = {
            "changed pairs that pass as kept": changed >= found.kept,
            "kept pairs called changed": kept <= found.changed,
            "unsure": (both < found.kept) & (both > found.changed),
            "kept pairs found": kept >= found.kept,
            "changed pairs found": changed <= found.changed,
        }
        for what, hits in shares.items():
            if len(hits):
                share = proportion(hits)
                numbers = {key: round(float(getattr(share, key)), 4) for key in ("value", "low", "high")}
                rows.append({"set": name, "used": name in CALIBRATION, "share": what, **numbers, "n": int(share.n)})
                print(rows[-1])
    print(found)
    options.out.write_text(json.dumps({"thresholds": asdict(found), "rows": rows}, indent=1) + "\n", encoding="utf-8")
    if options.store:
        settings = json.loads(options.store.read_text(encoding="utf-8"))
        settings["verdict"] = asdict(found)
        options.store.write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
