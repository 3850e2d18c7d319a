"""Reader of the project's own tab-separated files, for the tests that hold them to their cards."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def read_rows(path: Path, columns: Sequence[str], encoding: str = "ascii") -> list[dict[str, str]]:
    """All rows of the file; the number of fields is checked here, so that no cell is shifted or cut."""
    lines = path.read_text(encoding=encoding).split("\n")
    assert lines[0].split("\t") == list(columns)
    assert lines[-1] == "", "the file ends with one newline"
    rows = []
    for number, line in enumerate(lines[1:-1], start=2):
        fields = line.split("\t")
        assert len(fields) == len(columns), f"{path.name}, line {number} has {len(fields)} fields"
        rows.append(dict(zip(columns, fields)))
    return rows
