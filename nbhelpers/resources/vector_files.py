"""Files of word vectors: word2vec, GloVe, fastText, gensim, and the format in which this project ships its own.

`read` takes any of them, recognised by what is in it, and returns words and matrix; it checks every row before it
returns anything. `save` and `read_shipped` are the project's format: eight bits for each number, with the words as
plain text beside them.
"""

from __future__ import annotations

import codecs
import gzip
import hashlib
import io
import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError
from nbhelpers.base.files import open_text, replace_file
from nbhelpers.resources import data

LONGEST_WORD = 2000
"""Bytes; a binary file in which a word is longer is no word2vec file."""

Rows = tuple[tuple[str, ...], NDArray[np.float32]]

_FASTTEXT, _PICKLE = b"\xba\x16\x4f\x2f", b"\x80"
_READ = 1 << 22


def read(path: str | Path, *, keep: set[str] | None = None, allow_pickle: bool = False) -> Rows:
    """Words and matrix (V, d) of a file of any format, plain or ``.gz``.

    Parameters
    ----------
    path : path
    keep : set of str, optional
        Return only these words. All rows are checked for their form all the same.
    allow_pickle : bool
        Whether gensim's own format may be loaded; it holds a pickle, which can run any code.

    Raises
    ------
    DataFormatError
        The file is cut off, a row has the wrong number of values, a word comes twice, a value is not a finite
        number, or the first line announces something else than what follows; with the line in text files.
    InputError
        A pickle without `allow_pickle`.
    ResourceNotFoundError
        There is no such file.
    """
    path = Path(path)
    if not path.is_file():
        raise ResourceNotFoundError(f"there is no file at {path}")
    if path.suffix == ".safetensors":
        words, matrix, _, _ = read_shipped(path)
        return _chosen(words, matrix, keep)
    try:
        with _open(path) as stream:
            start = stream.read(4)
            if start[:1] != _PICKLE and start != _FASTTEXT:
                stream.seek(0)
                return _read_word2vec(path, stream, keep)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise DataFormatError(path, None, "the compressed data is cut off or damaged") from None
    return _chosen(*_read_gensim(path, start == _FASTTEXT, allow_pickle), keep)


def _open(path: Path) -> BinaryIO:
    stream = open(path, "rb")
    packed = stream.read(2) == b"\x1f\x8b"
    stream.seek(0)
    return io.BufferedReader(gzip.GzipFile(fileobj=stream), _READ) if packed else stream


def _chosen(words: Sequence[str], matrix: NDArray, keep: set[str] | None) -> Rows:
    if keep is None:
        return tuple(words), matrix
    rows = [row for row, word in enumerate(words) if word in keep]
    return tuple(words[row] for row in rows), matrix[rows]


# ------------------------------------------------------------------------------------------- word2vec and GloVe


def _read_word2vec(path: Path, stream: BinaryIO, keep: set[str] | None) -> Rows:
    """word2vec, binary or text, with its line of sizes; GloVe's text has none."""
    mark = len(codecs.BOM_UTF8) if stream.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8 else 0
    stream.seek(mark)
    first = stream.readline(1 << 20)
    header = re.fullmatch(rb"\s*([0-9]+) ([0-9]+)\s*", first)
    if not header:
        stream.seek(mark)
        return _collected(path, _text_rows(path, stream, None, None), keep)
    count, width = int(header[1]), int(header[2])
    if not count or not width:
        raise DataFormatError(path, 1, f"announces {count} words of {width} dimensions")
    start = stream.tell()
    sample = stream.read(LONGEST_WORD + 4 * width)
    stream.seek(start)
    # After its word, text has a number; and floats have bytes, zeros among them, that text never has.
    if not re.search(rb"[\x00-\x08\x0e-\x1f]", sample) and re.match(rb"\S+[ \t]+[-+0-9.nNiI]", sample):
        return _collected(path, _text_rows(path, stream, count, width), keep)
    return _collected(path, _binary_rows(path, stream, count, width), keep)


def _collected(path: Path, rows: Iterator[tuple[int | None, str, NDArray]], keep: set[str] | None) -> Rows:
    """Matrix of all rows, with the checks that both formats share; nothing is returned before the last row."""
    seen: set[str] = set()
    words: list[str] = []
    blocks: list[NDArray] = []
    block: list[NDArray] = []
    for line, word, values in rows:
        if word in seen:
            raise DataFormatError(path, line, f"the word {word!r} comes twice")
        if not np.isfinite(values).all():
            raise DataFormatError(path, line, f"the vector of {word!r} holds a value that is not finite")
        seen.add(word)
        if keep is None or word in keep:
            words.append(word)
            block.append(values)
            if len(block) == 4096:
                blocks.append(np.array(block, dtype=np.float32))
                block = []
    if block:
        blocks.append(np.array(block, dtype=np.float32))
    return tuple(words), np.concatenate(blocks) if blocks else np.zeros((0, 1), np.float32)


def _text_rows(path: Path, stream: BinaryIO, count: int | None, width: int | None) -> Iterator:
    before = 0 if count is None else 1  # lines before the first word
    line = before
    for raw in stream:
        line += 1
        try:
            text = raw.decode("utf-8").strip(" \t\r\n")
        except UnicodeDecodeError:
            raise DataFormatError(path, line, "is not UTF-8") from None
        width = width or text.count(" ")
        fields = text.rsplit(" ", width)  # from the right: some words of GloVe 840B hold blanks
        if "\t" in fields[0]:
            raise DataFormatError(path, line, "has tabs between word and values; these files have single blanks there")
        if not width:
            raise DataFormatError(path, line, "0 values after the word")
        if len(fields) != width + 1 or not fields[0]:
            raise DataFormatError(path, line, f"{text.count(' ')} values after the word, not {width}")
        try:
            with np.errstate(over="ignore"):  # becomes infinite, which is refused for every format
                values = np.array(fields[1:]).astype(np.float32)
        except ValueError:
            raise DataFormatError(path, line, f"the vector of {fields[0]!r} is not all numbers") from None
        yield line, fields[0], values
        if line - before == count:
            break
    if line == before:
        raise DataFormatError(path, None, "the file is empty, or ends after its first line")
    if count is not None and line - before != count:
        raise DataFormatError(path, line, f"the file ends after {line - before} words; line 1 says {count}")
    if count is not None and stream.read(_READ).strip():
        raise DataFormatError(path, line + 1, f"the file goes on after the {count} words of line 1")


def _binary_rows(path: Path, stream: BinaryIO, count: int, width: int) -> Iterator:
    size, buffer, place = 4 * width, b"", 0
    for number in range(1, count + 1):
        end = buffer.find(b" ", place)
        while end < 0 or len(buffer) < end + 1 + size:
            more = stream.read(_READ)
            if not more or (end < 0 and len(buffer) - place > LONGEST_WORD):
                raise DataFormatError(path, None, f"is cut off at word {number} of the {count} that line 1 says")
            buffer, place = buffer[place:] + more, 0
            end = buffer.find(b" ")
        try:
            word = buffer[place:end].lstrip(b"\n").decode("utf-8")
        except UnicodeDecodeError:
            raise DataFormatError(path, None, f"word {number} is not UTF-8: are there {width} dimensions?") from None
        if not word:
            raise DataFormatError(path, None, f"word {number} is empty: are there {width} dimensions?")
        yield None, word, np.frombuffer(buffer, dtype="<f4", count=width, offset=end + 1)
        place = end + 1 + size
    if (buffer[place:] + stream.read(2)).strip(b"\n"):
        raise DataFormatError(path, None, f"goes on after the {count} words of {width} dimensions that line 1 says")


# ------------------------------------------------------------------------------------------------------ gensim


def _read_gensim(path: Path, is_fasttext: bool, allow_pickle: bool) -> Rows:
    """gensim's own files, and fastText's binary models (vectors of whole words; none are made from parts of words)."""
    if not is_fasttext and not allow_pickle:
        raise InputError(f"{path.name} is a pickle, which can run any code: allow_pickle=True loads one you trust")
    try:
        if is_fasttext:
            from gensim.models.fasttext import load_facebook_vectors

            vectors = load_facebook_vectors(str(path))
        else:
            from gensim.utils import SaveLoad

            vectors = SaveLoad.load(str(path))
            vectors = getattr(vectors, "wv", vectors)
        words, matrix = tuple(vectors.index_to_key), np.asarray(vectors.vectors, dtype=np.float32)[: len(vectors)]
    except Exception as error:  # gensim and pickle raise whatever they stumble over
        raise DataFormatError(path, None, f"gensim cannot read it ({error})") from error
    if not np.isfinite(matrix).all():
        raise DataFormatError(path, None, "a value is not a finite number")
    return words, matrix


# ----------------------------------------------------------------------------------------- the project's format


def quantise(matrix: NDArray) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """Codes (V, d) from -127 to 127 and scales (V,), so that codes × scales is the matrix within half a scale.

    The scale of a row is its largest absolute value over 127, rounded up to a float16.
    """
    matrix = np.asarray(matrix, dtype=np.float32)
    largest = np.abs(matrix).max(axis=1)
    if not (largest < 127 * 65_000).all():
        raise InputError("a value of the matrix is too large for eight bits and a scale in float16, or not finite")
    scales = (largest / 127).astype(np.float16)
    scales = np.where(scales.astype(np.float32) * 127 < largest, np.nextafter(scales, np.float16(np.inf)), scales)
    divisor = np.where(scales > 0, scales, 1).astype(np.float32)
    return np.rint(matrix / divisor[:, None]).astype(np.int8), scales


def save(
    path: str | Path, words: Sequence[str], counts: Sequence[int], matrix: NDArray, facts: Mapping[str, Any]
) -> Path:
    """Write vectors as ``NAME.safetensors`` (codes and scales of `quantise`, `facts` as JSON) and a list of words.

    The list has word, tab and count in each line and is called ``words-CHECKSUM.txt``: vectors of the same words share
    it. Both files appear whole or not at all. Returns the path of the vectors.
    """
    from safetensors.numpy import save as packed

    if not len(words) == len(counts) == len(matrix) or len(set(words)) != len(words):
        raise InputError(f"{len(words)} words ({len(set(words))} different), {len(counts)} counts, {len(matrix)} rows")
    if any(not word or re.search(r"[\t\n\r]", word) for word in words):
        raise InputError("a word is empty or holds a tab or a line break")
    codes, scales = quantise(matrix)
    path = Path(path)
    path = path.with_name(path.name.removesuffix(".safetensors") + ".safetensors")
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{word}\t{int(count)}\n" for word, count in zip(words, counts)).encode()
    checksum = hashlib.sha256(text).hexdigest()
    vocabulary = path.with_name(f"words-{checksum[:8]}.txt")
    metadata = {"vocabulary": vocabulary.name, "vocabulary_sha256": checksum, "facts": json.dumps(dict(facts))}
    for target, content in ((vocabulary, text), (path, packed({"codes": codes, "scales": scales}, metadata))):
        replace_file(target, content)
    return path


def read_shipped(path: str | Path) -> tuple[tuple[str, ...], NDArray[np.float32], dict[str, int], dict[str, Any]]:
    """Words, matrix (V, d), counts by word and facts of a file that `save` wrote; DataFormatError if it is damaged."""
    from safetensors import SafetensorError, safe_open

    path = Path(path)
    try:
        with safe_open(str(path), framework="numpy") as archive:
            metadata = archive.metadata() or {}
            codes, scales = archive.get_tensor("codes"), archive.get_tensor("scales")
        facts = json.loads(metadata["facts"])
    except (SafetensorError, KeyError, ValueError) as error:
        raise DataFormatError(path, None, f"holds no word vectors of this project, or is cut off ({error})") from None
    vocabulary = path.with_name(Path(metadata.get("vocabulary", "words.txt")).name)
    if not vocabulary.is_file() or data.sha256(vocabulary) != metadata.get("vocabulary_sha256"):
        raise DataFormatError(path, None, f"its list of words, {vocabulary.name}, is missing or another one")
    counts: dict[str, int] = {}
    with open_text(vocabulary) as lines:
        for line in lines:
            word, _, count = line.rstrip("\n").partition("\t")
            if not word or not count.isdecimal() or word in counts:
                raise DataFormatError(vocabulary, lines.line, "is no word, tab and count, or the word comes twice")
            counts[word] = int(count)
    if codes.dtype != np.int8 or codes.ndim != 2 or scales.shape != codes.shape[:1] or len(codes) != len(counts):
        raise DataFormatError(path, None, f"{len(counts)} words, codes {codes.shape} and scales {scales.shape}")
    if not np.isfinite(scales).all():
        raise DataFormatError(path, None, "a scale is not a finite number")
    return tuple(counts), codes * scales.astype(np.float32)[:, None], counts, facts
