"""Sentences with a shortened version: a treebank's marks, the Google set, and the paper's examples from it."""

from __future__ import annotations

from pathlib import Path

from nbhelpers.compression.search import words_at
from nbhelpers.data import CompressionPair, find, read_compressions
from nbhelpers.errors import InputError, ResourceNotFoundError
from nbhelpers.treebank import is_conllu, read_conllu


def read_pairs(path: str | Path, *, limit: int | None = None) -> list[tuple[tuple[str, ...], str]]:
    """Sentences as words, each with a shortened version as text.

    A CoNLL-U file with ``Keep=Y`` marks (such as the treebank that ships with the project) gives its words and the kept
    ones; any other file is read as records of the Google set.

    Raises
    ------
    DataFormatError
        For a file that does not follow its format.
    """
    if is_conllu(path):
        sentences = [sentence for sentence in read_conllu(path) if sentence.kept()][:limit]
        return [(tuple(s.words), " ".join(words_at(s.words, s.kept()))) for s in sentences]
    return [(pair.source_tokens, pair.compression) for pair in read_compressions(path, limit)]


EXAMPLE_RECORDS = {("ndd/table3", "Example 1"): "1039", ("ndd/table3", "Example 2"): "1068",
                   ("ndd/table4", "Example 1"): "277"}  # fmt: skip
"""Records of the Google evaluation file from which the paper's Tables 3 and 4 take their sentences."""


def example_pair(table: str, row: str, path: str | Path | None = None) -> CompressionPair:
    """Sentence and gold compression of an example of Table 3 or 4, which are read from the Google set, not reprinted.

    Parameters
    ----------
    table, row : str
        As in `EXAMPLE_RECORDS`.
    path : path, optional
        The evaluation file; by default where `nbhelpers.data.find` finds it.

    Raises
    ------
    InputError
        For another table or row.
    ResourceNotFoundError
        When the set is not at hand, or the file does not have the record.
    """
    if (table, row) not in EXAMPLE_RECORDS:
        raise InputError(f"{table} has no {row!r} whose sentence is on record.")
    located = find("google-compression", path, allow_shipped=False)
    for pair in read_compressions(located.path):
        if pair.id == EXAMPLE_RECORDS[table, row]:
            return pair
    raise ResourceNotFoundError(f"{located.path.name} has no record {EXAMPLE_RECORDS[table, row]}.")
