"""Read text files, plain or compressed, and replace files as a whole."""

from __future__ import annotations

import codecs
import contextlib
import csv
import importlib
import lzma
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from nbhelpers.base.errors import DataFormatError, ResourceNotFoundError

_MAGIC = ((b"\x1f\x8b", "gzip"), (b"\xfd7zXZ\x00", "lzma"), (b"BZh", "bz2"))
_DAMAGE = (EOFError, zlib.error, lzma.LZMAError)


def open_binary(path: Path) -> BinaryIO:
    """Binary stream of a file's content, decompressed if its first bytes say so, whatever its name."""
    with open(path, "rb") as stream:
        start = stream.read(6)
    for magic, module in _MAGIC:
        if start.startswith(magic):
            return importlib.import_module(module).open(path, "rb")
    return open(path, "rb")


class TextReader:
    """Lines of a UTF-8 text file, with the number of the line read last.

    Lines end in ``"\\n"`` (also where the file has ``"\\r\\n"``); no other character ends a line. A byte-order mark
    at the start is dropped. Use it in a ``with`` statement.

    Attributes
    ----------
    path : Path
    line : int
        Number of the line read last, from 1; 0 before the first.
    """

    def __init__(self, path: str | Path) -> None:
        self.path, self.line = Path(path), 0
        if not self.path.is_file():
            folder = f"{self.path} is a folder, not a file"
            raise ResourceNotFoundError(folder if self.path.is_dir() else f"there is no file at {self.path}")
        self._stream = open_binary(self.path)

    def __enter__(self) -> TextReader:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()

    def __iter__(self) -> Iterator[str]:
        while True:
            try:
                content = self._stream.readline()
            except (*_DAMAGE, OSError) as error:
                # gzip and bz2 report damage as a plain OSError; one with a number comes from the disk.
                if isinstance(error, OSError) and error.errno is not None:
                    raise
                raise DataFormatError(self.path, self.line + 1, "the compressed data is cut off or damaged") from None
            if not content:
                return
            self.line += 1
            if self.line == 1:
                content = content.removeprefix(codecs.BOM_UTF8)
            try:
                text = content.decode("utf-8")
            except UnicodeDecodeError as error:
                raise DataFormatError(
                    self.path,
                    self.line,
                    f"is not UTF-8 (byte 0x{content[error.start]:02x} at position {error.start + 1} of the line)",
                ) from None
            yield text[:-2] + "\n" if text.endswith("\r\n") else text

    def read(self) -> str:
        """The rest of the file."""
        return "".join(self)


def open_text(path: str | Path) -> TextReader:
    """Open a text file, plain or packed with gzip, xz or bzip2, as UTF-8.

    Returns
    -------
    TextReader
        Iterates over lines; use it in a ``with`` statement.

    Raises
    ------
    ResourceNotFoundError
        There is no such file.
    DataFormatError
        While reading, with file and line: wrong encoding, damaged or cut-off compressed data.
    """
    return TextReader(path)


def table_rows(path: Path, columns: tuple[str, ...] = (), **form: Any) -> Iterator[tuple[int, dict[str, str]]]:
    """Line number and cells of each row of a table; `columns` names them where the file has no header."""
    with open_text(path) as reader:
        rows = csv.DictReader(reader, columns or None, strict=True, **form)
        try:
            for cells in rows:
                if None in cells or None in cells.values():
                    raise DataFormatError(path, rows.line_num, "has more or fewer cells than the other rows; cut off?")
                yield rows.line_num, cells
        except csv.Error as error:
            raise DataFormatError(path, reader.line, f"the cells cannot be told apart ({error}); cut off?") from None


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """Write a file as a whole: a reader sees the old file or the new one, never a part, even on a full disk.

    Yields
    ------
    binary stream
        What is written to it becomes the file when the ``with`` block ends without an error.
    """
    path = Path(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(part, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def replace_file(path: str | Path, content: bytes) -> Path:
    """Write `content` with `replacing`; returns the path."""
    with replacing(path) as stream:
        stream.write(content)
    return Path(path)
