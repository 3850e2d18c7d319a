"""Write tests/golden/embedded.json: NDD of the shipped model by the plain definition, one masked copy at a time."""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from reference_ndd import reference_ndd  # noqa: E402

from nbhelpers.resources.models import load_masked_lm  # noqa: E402

ORIGINAL = "I am walking in the cold rain ."
EDITS = [(5, 6, ["cool"]), (5, 6, ["hot"]), (2, 3, ["swimming"]), (0, 2, ["He", "is"]), (5, 6, []), (2, 2, ["not"])]


def main() -> None:
    loaded = load_masked_lm("embedded")
    words = ORIGINAL.split()
    cases = []
    for start, stop, new in EDITS:
        value = reference_ndd(loaded.model, loaded.tokenizer, words, start, stop, new)
        cases.append({"edited": " ".join(words[:start] + new + words[stop:]), "ndd": round(value, 6)})
    target = ROOT / "tests" / "golden" / "embedded.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps({"revision": loaded.revision, "original": ORIGINAL, "cases": cases}, indent=1) + "\n")


if __name__ == "__main__":
    main()
