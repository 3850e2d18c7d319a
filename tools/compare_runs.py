"""``python tools/compare_runs.py OLD NEW``: every row of two ledgers, equal to 1e-6 or listed.

OLD and NEW are ``ledger.jsonl`` files, each of one run. Use it after a change of code that must not change results.
"""

import json
import math
import sys
from pathlib import Path

NAMED_BY = ("study", "table", "row", "column", "profile")
COMPARED = ("value", "low", "high", "n", "published", "note", "signature")


def read(path: str) -> dict[tuple, list[dict]]:
    """Rows of a ledger by their names, in order."""
    rows: dict[tuple, list[dict]] = {}
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        rows.setdefault(tuple(row.get(name) for name in NAMED_BY), []).append(row)
    return rows


def same(first: object, second: object) -> bool:
    """Whether two fields are equal, numbers to 1e-6."""
    if isinstance(first, int | float) and isinstance(second, int | float):
        return math.isclose(first, second, rel_tol=1e-6, abs_tol=1e-6)
    return first == second


def differences(old: dict[tuple, list[dict]], new: dict[tuple, list[dict]]) -> list[str]:
    """One line for every row that is missing or new, and for every field that differs."""
    found = []
    for key in sorted(old.keys() | new.keys(), key=str):
        before, after = old.get(key, []), new.get(key, [])
        name = " / ".join(str(part) for part in key)
        if len(before) != len(after):
            found.append(f"{name}: {len(before)} rows before, {len(after)} after")
            continue
        for first, second in zip(before, after):
            found += [
                f"{name}: {field} {first.get(field)!r} before, {second.get(field)!r} after"
                for field in COMPARED
                if not same(first.get(field), second.get(field))
            ]
    return found


if __name__ == "__main__":
    old, new = (read(path) for path in sys.argv[1:3])
    lines = differences(old, new)
    print(*lines, f"{sum(map(len, old.values()))} rows before, {len(lines)} differences", sep="\n")
    sys.exit(bool(lines))
