"""Sentences with a shortened version: the Google set, a treebank's marks, and the paper's examples."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nbhelpers.base.errors import DataFormatError
from nbhelpers.base.files import TextReader, open_text
from nbhelpers.resources.treebank import is_conllu, read_conllu
from nbhelpers.studies.ndd.compression import words_at


@dataclass(frozen=True)
class CompressionPair:
    """A sentence and its shortened version (Filippova & Altun 2013).

    Attributes
    ----------
    sentence, compression : str
        The texts. The compression is not always a subsequence of the sentence's tokens.
    source_tokens : tuple of str
        Tokens of the sentence, in order.
    """

    sentence: str
    compression: str
    source_tokens: tuple[str, ...]


def read_compressions(path: str | Path) -> Iterator[CompressionPair]:
    """Read records of the Google sentence compression set, one by one, in the order of the file.

    The official files hold JSON objects over many lines, separated by blank lines: ``graph.sentence``,
    ``graph.node[].word[]`` with ``id`` and ``form``, and ``compression.text``. Nodes of the
    artificial root (word id below 0) are left out, and words are put in the order of their ids.

    Parameters
    ----------
    path : path
        Plain or packed file.

    Raises
    ------
    DataFormatError
        With file and line: a record is not JSON or no such record, or has an empty text; or the file has no records.
    """
    pair = None
    with open_text(path) as reader:
        for start, record in _records(reader):
            yield (pair := _compression(record, reader.path, start))
        if pair is None:
            raise DataFormatError(reader.path, None, "holds no records")


def _records(reader: TextReader) -> Iterator[tuple[int, str]]:
    """Blocks of lines between blank lines, each with the number of its first line."""
    numbered = enumerate(reader, start=1)
    for filled, lines in itertools.groupby(numbered, key=lambda line: bool(line[1].strip())):
        if filled:
            numbers, texts = zip(*lines)
            yield numbers[0], "".join(texts)


def _compression(record: str, path: Path, start: int) -> CompressionPair:
    try:
        entry = json.loads(record)
        sentence, compression = entry["graph"]["sentence"], entry["compression"]["text"]
        words = [word for node in entry["graph"]["node"] for word in node["word"] if word["id"] >= 0]
        tokens = tuple(word["form"] for word in sorted(words, key=lambda word: word["id"]))
        if not tokens or not all(text.strip() for text in (sentence, compression, *tokens)):
            raise ValueError("a text is empty")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        line = start + getattr(error, "lineno", 1) - 1
        raise DataFormatError(path, line, f"is no record of the compression set ({error!r})") from None
    return CompressionPair(sentence, compression, tokens)


def read_pairs(path: str | Path) -> list[tuple[tuple[str, ...], str]]:
    """Sentences as words, each with a shortened version as text.

    A CoNLL-U file with ``Keep=Y`` marks (such as the treebank that ships with the project) gives its words and the kept
    ones; any other file is read as records of the Google set.

    Raises
    ------
    DataFormatError
        For a file that does not follow its format.

    Examples
    --------
    >>> from nbhelpers.base.paths import data_dir
    >>> words, compression = read_pairs(data_dir() / "corpus" / "treebank-en.conllu")[0]
    >>> len(words), compression
    (23, 'the town council voted to close the swimming pool .')
    """
    if is_conllu(path):
        sentences = [sentence for sentence in read_conllu(path) if sentence.kept()]
        return [(tuple(s.words), " ".join(words_at(s.words, s.kept()))) for s in sentences]
    return [(pair.source_tokens, pair.compression) for pair in read_compressions(path)]
