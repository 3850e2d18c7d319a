"""Packed text and archives: read whatever they are called, refused where they are damaged or unsafe."""

import bz2
import gzip
import io
import lzma
import os
import stat
import tarfile
import zipfile

import pytest

from nbhelpers import files
from nbhelpers.errors import DataFormatError, InputError, ResourceNotFoundError

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
    with (
        files.open_text(path) as reader,
        pytest.raises(DataFormatError, match="line 3: is not UTF-8") as caught,
    ):
        reader.read()
    assert (caught.value.path, caught.value.line) == (str(path), 3)


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


# --------------------------------------------------------------------------------------------------- archives


def make_tar(path, members, mode="w:gz"):
    with tarfile.open(path, mode) as archive:
        for name, content in members:
            member = tarfile.TarInfo(name)
            if isinstance(content, bytes):
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
            else:
                member.type, member.linkname = content
                archive.addfile(member)
    return path


def make_zip(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            if isinstance(content, bytes):
                archive.writestr(name, content)
            else:
                member = zipfile.ZipInfo(name)
                member.external_attr = (stat.S_IFLNK | 0o777) << 16
                archive.writestr(member, content[1])
    return path


GOOD = [("set/a.txt", b"a"), ("set/sub/b.txt", b"b" * 1000)]


@pytest.mark.parametrize(
    "make",
    [
        make_zip,
        make_tar,
        lambda p, m: make_tar(p, m, "w"),
        lambda p, m: make_tar(p, m, "w:xz"),
        lambda p, m: make_tar(p, m, "w:bz2"),
    ],
)
def test_archives_are_unpacked_whatever_their_name(tmp_path, make):
    path = make(tmp_path / "archive", GOOD)
    folder = files.unpack(path, tmp_path / "new" / "folder")
    assert folder == tmp_path / "new" / "folder"
    assert {
        f.relative_to(folder).as_posix(): f.read_bytes() for f in folder.rglob("*") if f.is_file()
    } == dict(GOOD)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755
    assert [f.name for f in folder.parent.iterdir()] == ["folder"]
    with pytest.raises(InputError, match="is there already"):
        files.unpack(path, folder)


@pytest.mark.parametrize(
    "pack, name",
    [(gzip.compress, "text.txt.gz"), (lzma.compress, "text.txt.xz"), (bz2.compress, "text.txt.bz2")],
)
def test_a_packed_file_is_unpacked_under_its_own_name(tmp_path, pack, name):
    (tmp_path / name).write_bytes(pack(CONTENT))
    assert (files.unpack(tmp_path / name, tmp_path / "folder") / "text.txt").read_bytes() == CONTENT


@pytest.mark.parametrize(
    "member",
    [
        ("../escape.txt", b"x"),
        ("/tmp/escape.txt", b"x"),
        ("set/../../escape.txt", b"x"),
        ("link", (tarfile.SYMTYPE, "/etc/passwd")),
        ("link", (tarfile.SYMTYPE, "../outside")),
        ("hard", (tarfile.LNKTYPE, "../outside")),
        ("device", (tarfile.CHRTYPE, "")),
        ("pipe", (tarfile.FIFOTYPE, "")),
    ],
)
def test_tar_members_that_lead_outside_are_refused(tmp_path, member):
    path = make_tar(tmp_path / "bad.tar.gz", [*GOOD, member])
    if member[0].startswith("/"):  # the data filter takes the leading slash off: the file stays inside
        files.unpack(path, tmp_path / "inner" / "folder")
        assert (tmp_path / "inner" / "folder" / "tmp" / "escape.txt").exists()
    else:
        with pytest.raises(DataFormatError, match="not safe to unpack"):
            files.unpack(path, tmp_path / "inner" / "folder")
        assert list((tmp_path / "inner").iterdir()) == []
    assert not (tmp_path / "escape.txt").exists() and not (tmp_path / "inner" / "escape.txt").exists()


@pytest.mark.parametrize(
    "member, reason",
    [
        (("../escape.txt", b"x"), "lies outside"),
        (("/escape.txt", b"x"), "lies outside"),
        (("set\\..\\escape.txt", b"x"), "not portable"),
        (("C:/escape.txt", b"x"), "not portable"),
        (("link", (None, "/etc/passwd")), "a link or a device"),
        (("set/a.txt", b"again"), "twice"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_zip_members_that_lead_outside_are_refused(tmp_path, member, reason):
    path = make_zip(tmp_path / "bad.zip", [*GOOD, member])
    with pytest.raises(DataFormatError, match=reason):
        files.unpack(path, tmp_path / "inner" / "folder")
    assert list((tmp_path / "inner").iterdir()) == []


@pytest.mark.parametrize("make", [make_zip, make_tar, lambda p, m: p.write_bytes(gzip.compress(m[0][1]))])
def test_bombs_are_refused(tmp_path, make):
    path = tmp_path / "bomb"
    make(path, [("letters", b"x" * 5_000_000)])
    assert path.stat().st_size < 50_000
    with pytest.raises(DataFormatError, match="more than the allowed size"):
        files.unpack(path, tmp_path / "folder", limit=1_000_000)
    assert not (tmp_path / "folder").exists()


def test_a_zip_that_lies_about_sizes_is_refused(tmp_path):
    path = make_zip(tmp_path / "liar.zip", [("zeros", bytes(1_000_000))])
    content = path.read_bytes().replace((1_000_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    path.write_bytes(content)
    with pytest.raises(DataFormatError):
        files.unpack(path, tmp_path / "folder", limit=100)
    assert not (tmp_path / "folder").exists()


@pytest.mark.parametrize("make", [make_zip, make_tar])
def test_too_many_files_are_refused(tmp_path, make):
    path = make(tmp_path / "many", [(f"{i}", b"") for i in range(20)])
    with pytest.raises(DataFormatError, match="10"):
        files.unpack(path, tmp_path / "folder", most_files=10)


@pytest.mark.parametrize("make", [make_zip, make_tar, lambda p, m: make_tar(p, m, "w:xz")])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_truncated_archive_leaves_nothing(tmp_path, make, share):
    path = make(tmp_path / "archive", [("a", os.urandom(20_000)), ("b", os.urandom(20_000))])
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
    with pytest.raises(DataFormatError):
        files.unpack(path, tmp_path / "inner" / "folder")
    assert list((tmp_path / "inner").iterdir()) == []


def test_what_is_no_archive(tmp_path):
    make_tar(tmp_path / "empty.tar", [], "w")
    with pytest.raises(DataFormatError, match="holds no files"):
        files.unpack(tmp_path / "empty.tar", tmp_path / "folder")
    (tmp_path / "text.zip").write_text("no archive")
    with pytest.raises(DataFormatError, match="neither zip, tar, gzip, xz nor bzip2"):
        files.unpack(tmp_path / "text.zip", tmp_path / "folder")
    with pytest.raises(ResourceNotFoundError, match="no archive at"):
        files.unpack(tmp_path / "nothing.zip", tmp_path / "folder")
