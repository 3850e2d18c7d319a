"""Readers of the project's own tab-separated files and of the tables in their cards."""

import itertools
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


def card_table(card: Path, first_header: str, last_header: str = "") -> list[list[str]]:
    """Body cells of the card's table with these first and last headers."""
    lines = card.read_text(encoding="utf-8").split("\n")
    start = next(
        i
        for i, line in enumerate(lines)
        if line.startswith(f"| {first_header} |") and line.rstrip("| ").endswith(last_header)
    )
    body = itertools.takewhile(lambda line: line.startswith("|"), lines[start + 2 :])
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in body]
