"""Read text files and unpack archives safely, plain or packed, whatever they are called."""

from __future__ import annotations

import contextlib
import importlib
import lzma
import os
import shutil
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from nbhelpers.errors import DataFormatError, InputError, ResourceNotFoundError

_MAGIC = ((b"\x1f\x8b", "gzip"), (b"\xfd7zXZ\x00", "lzma"), (b"BZh", "bz2"))
_DAMAGE = (EOFError, zlib.error, lzma.LZMAError)


def _open_plain(path: Path) -> BinaryIO:
    """Binary stream of a file's content, decompressed if its first bytes say so, whatever its name."""
    with open(path, "rb") as stream:
        start = stream.read(6)
    for magic, module in _MAGIC:
        if start.startswith(magic):
            return importlib.import_module(module).open(path, "rb")
    return open(path, "rb")


class TextReader:
    """Lines of a UTF-8 text file, with the number of the line read last.

    Lines end in "\\n" (also where the file has "\\r\\n"); no other character ends a line. A byte-order mark
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
            raise ResourceNotFoundError(f"there is no file at {self.path}")
        self._stream = _open_plain(self.path)

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
                raise DataFormatError(
                    self.path, self.line + 1, "the compressed data is cut off or damaged"
                ) from None
            if not content:
                return
            self.line += 1
            try:
                text = content.decode("utf-8-sig" if self.line == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise DataFormatError(
                    self.path,
                    self.line,
                    f"is not UTF-8 (byte 0x{content[error.start]:02x} at "
                    f"position {error.start + 1} of the line)",
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


# --------------------------------------------------------------------------------------------------- archives


def unpack(path: str | Path, folder: str | Path, *, limit: int = 4 << 30, most_files: int = 200_000) -> Path:
    """Unpack an archive (zip, tar, tar.gz, tar.xz, tar.bz2) or a packed file (gz, xz, bz2) into a new folder.

    The format is told by the content, not by the name. The folder appears only when everything was unpacked.

    Parameters
    ----------
    path : path
        The archive.
    folder : path
        The folder to make; it must not be there yet, or be empty.
    limit : int
        Bytes that may come out, together.
    most_files : int
        Files and folders that may come out.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    ResourceNotFoundError
        There is no such archive.
    InputError
        The folder is there and not empty.
    DataFormatError
        Not an archive, damaged or cut off; a member outside the folder, a link that leads outside it, a
        device; more bytes or files than allowed. Nothing is left behind.
    """
    path, folder = Path(path), Path(folder)
    if not path.is_file():
        raise ResourceNotFoundError(f"there is no archive at {path}")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} is there already; archives are unpacked into a new folder")
    folder.parent.mkdir(parents=True, exist_ok=True)
    part = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".part", dir=folder.parent))
    try:
        try:
            if zipfile.is_zipfile(path):
                _unpack_zip(path, part, limit, most_files)
            elif tarfile.is_tarfile(path):
                _unpack_tar(path, part, limit, most_files)
            else:
                _unpack_single(path, part, limit)
        except (*_DAMAGE, zipfile.BadZipFile, tarfile.TarError, NotImplementedError) as error:
            raise DataFormatError(
                path, None, f"the archive is damaged, cut off or not safe to unpack ({error})"
            ) from None
        except OSError as error:
            if error.errno is not None:
                raise
            raise DataFormatError(path, None, f"the archive is damaged or cut off ({error})") from None
        part.chmod(0o755)
        os.replace(part, folder)  # takes the place of an empty folder, too
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return folder


def _copy(source: BinaryIO, target: Path, path: Path, left: int) -> int:
    """Copy a stream into a new file, whatever size its header claims; returns what is left of the limit."""
    with open(target, "xb") as stream:
        while piece := source.read(1 << 20):
            left -= len(piece)
            if left < 0:
                raise DataFormatError(path, None, "unpacks to more than the allowed size")
            stream.write(piece)
    return left


def _unpack_zip(path: Path, part: Path, limit: int, most_files: int) -> None:
    left = limit
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        if len(members) > most_files:
            raise DataFormatError(
                path, None, f"holds {len(members)} files, more than the {most_files} allowed"
            )
        for member in members:
            name = PurePosixPath(member.filename)
            if not name.parts or "\\" in member.filename or ":" in name.parts[0]:
                raise DataFormatError(
                    path, None, f"holds the file name {member.filename!r}, which is not portable"
                )
            if name.is_absolute() or ".." in name.parts:
                raise DataFormatError(path, None, f"holds {member.filename!r}, which lies outside the folder")
            kind = stat.S_IFMT(member.external_attr >> 16)
            if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise DataFormatError(path, None, f"holds {member.filename!r}, which is a link or a device")
            if member.flag_bits & 0x1:
                raise DataFormatError(path, None, f"holds {member.filename!r}, which is encrypted")
            target = part / name
            if member.is_dir():
                target.mkdir(parents=True, exist_ok=True)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                with archive.open(member) as source:
                    left = _copy(source, target, path, left)
            except FileExistsError:
                raise DataFormatError(path, None, f"holds {member.filename!r} twice") from None


def _unpack_tar(path: Path, part: Path, limit: int, most_files: int) -> None:
    if not hasattr(tarfile, "data_filter"):  # Python 3.11.0 to 3.11.3
        raise InputError("unpacking a tar archive safely needs Python 3.11.4 or later")
    left, count = limit, 0
    with tarfile.open(path) as archive:
        for member in archive:
            count += 1
            left -= member.size
            if left < 0:
                raise DataFormatError(path, None, "unpacks to more than the allowed size")
            if count > most_files:
                raise DataFormatError(path, None, f"holds more than the {most_files} files allowed")
            # The "data" filter refuses absolute names, "..", links that lead outside, and devices.
            archive.extract(member, part, filter="data")
    if count == 0:
        raise DataFormatError(path, None, "holds no files")


def _unpack_single(path: Path, part: Path, limit: int) -> None:
    with open(path, "rb") as stream:
        start = stream.read(6)
    if not any(start.startswith(magic) for magic, _ in _MAGIC):
        raise DataFormatError(path, None, "is neither zip, tar, gzip, xz nor bzip2")
    name = path.stem if path.suffix in (".gz", ".xz", ".bz2") else path.name
    with contextlib.closing(_open_plain(path)) as source:
        _copy(source, part / name, path, limit)
