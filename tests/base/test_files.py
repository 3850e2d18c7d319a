"""Packed text: read whatever it is called, refused where it is damaged."""

import bz2
import gzip
import lzma
import os

import pytest
from refused import damaged

from nbhelpers.base import files
from nbhelpers.base.errors import DataFormatError, ResourceNotFoundError

CONTENT = b"The quick brown fox.\n" * 50


# ------------------------------------------------------------------------------------------------- text files


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress, bz2.compress])
def test_text_is_read_whatever_its_packing_and_name(tmp_path, pack):
    path = tmp_path / "text.txt"
    path.write_bytes(pack("\ufeffgrüße\r\n\u2028意味\x0b\nend".encode()))
    with files.open_text(path) as reader:
        assert list(reader) == ["grüße\n", "\u2028意味\x0b\n", "end"]
        assert reader.line == 3


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress, bz2.compress])
def test_a_wrong_encoding_names_file_and_line(tmp_path, pack):
    path = tmp_path / "latin.txt"
    path.write_bytes(pack("one\ntwo\nnaïve\n".encode("latin-1")))
    with files.open_text(path) as reader, damaged(path, 3, "line 3: is not UTF-8"):
        reader.read()


def test_a_wrong_byte_behind_a_byte_order_mark_is_named(tmp_path):
    (tmp_path / "text.txt").write_bytes(b"\xef\xbb\xbfabc\xff\n")
    with files.open_text(tmp_path / "text.txt") as reader, pytest.raises(DataFormatError, match="0xff at position 4"):
        reader.read()


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, bz2.compress])
@pytest.mark.parametrize(
    "damage", [lambda b: b[: len(b) // 2], lambda b: b[:-4], lambda b: b[:40] + b"\0\0\0" + b[43:]]
)
def test_damaged_packed_text_is_an_error(tmp_path, pack, damage):
    path = tmp_path / "text.gz"
    path.write_bytes(damage(pack(os.urandom(30_000).hex().encode())))
    with files.open_text(path) as reader, pytest.raises(DataFormatError, match="cut off or damaged|not UTF-8"):
        reader.read()


def test_a_missing_text_file_is_an_error(tmp_path):
    with pytest.raises(ResourceNotFoundError, match="there is no file"):
        files.open_text(tmp_path / "nothing.txt")
    with pytest.raises(ResourceNotFoundError, match="is a folder, not a file"):
        files.open_text(tmp_path)
