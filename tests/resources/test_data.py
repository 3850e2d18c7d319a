"""Data sets: the registry, the search order, checksums, downloads from a local server."""

import contextlib
import hashlib
import http.server
import os
import re
import threading
from pathlib import PurePosixPath

import pytest

from nbhelpers.base import paths
from nbhelpers.base.errors import ChecksumError, DataFormatError, InputError, ResourceNotFoundError
from nbhelpers.resources import data

CONTENT = b"The quick brown fox.\n" * 50
SMALL = b"A small original set.\n"


def digest(content):
    return hashlib.sha256(content).hexdigest()


ENTRY = """
[{name}]
title = "A set"
kind = "data"
sources = ["https://example.org/set"]
licence = "CC0"
citation = "Nobody (2024)"
used_by = ["nothing"]
paths = [{paths}]
files = [{files}]
{more}
"""


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout of its own with a registry that tests write, an empty cache, and no network."""
    root = tmp_path / "checkout"
    (root / "data" / "corpus").mkdir(parents=True)
    (root / "data" / "corpus" / "small.txt").write_bytes(SMALL)
    monkeypatch.setattr(paths, "ROOT", root)
    monkeypatch.setattr(data, "cache_dir", lambda: tmp_path / "cache")
    monkeypatch.setattr(data, "_unreachable", {})
    monkeypatch.setenv("NBHELPERS_OFFLINE", "1")
    monkeypatch.delenv("NBHELPERS_DATA", raising=False)
    return tmp_path


def register(text, end="[end]\n"):
    path = paths.data_dir() / "registry.toml"
    path.write_text(text + end, encoding="utf-8")
    return path


def entry(name="set", paths='"set/set.txt"', files="", more='shipped = "corpus/small.txt"'):
    return ENTRY.format(name=name, paths=paths, files=files, more=more)


def file_entry(name, content, more=""):
    return f'{{ path = "set/{name}", sha256 = "{digest(content)}"{more} }}'


@pytest.fixture
def server(checkout, monkeypatch):
    """A local HTTP server as the official source; it serves `served` and counts requests."""
    served, requested = {}, []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            requested.append(self.path)
            content, announced = served.get(self.path, (None, 0))
            self.send_response(200 if content is not None else 404)
            self.send_header("Content-Length", str(announced if content is not None else 0))
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, *arguments):
            pass

    instance = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=instance.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("NBHELPERS_OFFLINE")
    instance.served, instance.requested = served, requested
    instance.url = f"http://127.0.0.1:{instance.server_port}"
    yield instance
    instance.shutdown()
    instance.server_close()


@pytest.fixture
def downloadable(server):
    """The set of one file at the server, with a small set in its place."""
    register(entry(files=file_entry("set.txt", CONTENT, f', size = {len(CONTENT)}, url = "{server.url}/set.txt"')))
    server.served["/set.txt"] = (CONTENT, len(CONTENT))
    return server


# ------------------------------------------------------------------------------------- the project's registry


def test_the_registry_covers_the_studies_and_is_consistent():
    resources = data.registry()
    assert len(resources) > 30
    for name, resource in resources.items():
        assert resource.title and resource.licence and resource.citation and resource.sources and resource.used_by
        assert all(re.match(r"https?://", source) for source in resource.sources)
        assert bool(resource.hub) == (resource.kind == "model")
        assert resource.paths or resource.kind == "model", name
        for path in (*resource.paths, *(file.path for file in resource.files)):  # none leaves the data folder
            assert PurePosixPath(path).as_posix() == path and ".." not in PurePosixPath(path).parts
            assert not path.startswith("/") or resource.kind == "system"
        for file in resource.files:
            assert (file.sha256 is None) != (file.sha256_development is None), file.path
            assert re.fullmatch("[0-9a-f]{64}", file.sha256 or file.sha256_development), file.path
            assert not file.sha256_development or (file.note and not file.url)
            assert any(file.path == path or file.path.startswith(path + "/") for path in resource.paths), file.path
        if resource.shipped:
            assert (paths.data_dir() / resource.shipped).exists()
    text = (paths.data_dir() / "registry.toml").read_text(encoding="utf-8")
    assert not re.search(r"pypi\.org|pythonhosted|pypi\.python|conda\.anaconda", text), "a package index is no source"


@pytest.mark.parametrize("name", ["lee-background", "lee", "wikipedia-excerpt", "wordsim353", "simlex999"])
def test_what_comes_with_gensim_is_found_and_is_the_registered_file(name):
    located = data.find(name)
    assert located.origin == "package" and "the official file" in located.description


@pytest.mark.skipif(not os.environ.get("NBHELPERS_DATA"), reason="needs real data in NBHELPERS_DATA")
def test_data_on_this_machine_is_the_registered_data():
    real = []
    for name in (name for name, resource in data.registry().items() if resource.kind == "data"):
        with contextlib.suppress(ResourceNotFoundError):
            real.append(data.find(name, allow_shipped=False).description)
    assert len(real) > 20
    assert [description for description in real if "real data" not in description] == []


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda text: text.replace("licence =", "license ="), r"in the entry \[set\]: .*license"),
        (lambda text: text.replace('citation = "Nobody (2024)"\n', ""), r"in the entry \[set\]: .*citation"),
        (lambda text: text.replace('["set/set.txt"]', '"set/set.txt"'), r"\[set\]: paths is 'set/set.txt', .* no list"),
        (lambda text: text.replace('"CC0"', '["CC0"]'), r"in the entry \[set\]: licence is \['CC0'\], .* a list"),
        (lambda text: text + "[other]\ntitle = \n", "or cut off: .*line 14"),
        (lambda text: text.replace("[end]", ""), r"or cut off: its last line, \[end\], is missing"),
    ],
)
def test_a_malformed_registry_is_an_error(checkout, change, reason):
    path = register(entry())
    path.write_text(change(path.read_text()))
    with pytest.raises(DataFormatError, match=f"registry.toml: is malformed .*{reason}"):
        data.registry()


# ----------------------------------------------------------------------------------------------- search order


def test_the_search_order(checkout, downloadable, monkeypatch):
    first, second = checkout / "first" / "set" / "set.txt", checkout / "second" / "set" / "set.txt"
    for path in (first, second):
        path.parent.mkdir(parents=True)
    monkeypatch.setenv("NBHELPERS_DATA", os.pathsep.join(str(path.parents[1]) for path in (first, second)))

    monkeypatch.setenv("NBHELPERS_OFFLINE", "1")
    shipped = data.find("set")
    assert (shipped.origin, shipped.is_shipped, shipped.path.read_bytes()) == ("shipped", True, SMALL)
    monkeypatch.setenv("NBHELPERS_OFFLINE", "0")
    assert [data.find("set").origin, data.find("set").origin] == ["download", "cache"]
    assert downloadable.requested == ["/set.txt"]
    for path in (second, first):
        path.write_bytes(b"found")
        assert (data.find("set").origin, data.find("set").path) == ("NBHELPERS_DATA", path)
    given = checkout / "set.txt"
    given.write_bytes(b"given")
    for path in (given, checkout):  # the file, or its folder
        assert (data.find("set", path).origin, data.find("set", path).path) == ("argument", given)
    assert data.find("set", "shipped").is_shipped and data.find("set", "auto").path == first
    with pytest.raises(ResourceNotFoundError, match="holds none of set.txt"):
        data.find("set", checkout / "checkout")


def test_the_official_form_is_taken_before_other_forms(checkout, monkeypatch):
    subset = f'{{ path = "set/subset.txt", sha256_development = "{digest(SMALL)}", note = "a subset" }}'
    register(entry(paths='"set/set.txt", "set/subset.txt"', files=subset))
    folder = checkout / "folder" / "set"
    folder.mkdir(parents=True)
    (folder / "subset.txt").write_bytes(SMALL)
    monkeypatch.setenv("NBHELPERS_DATA", str(checkout / "folder"))
    found = f"set: subset.txt from NBHELPERS_DATA (real data, a subset; sha256 {digest(SMALL)[:8]})"
    assert data.find("set").description == found
    (folder / "set.txt").write_bytes(CONTENT)
    assert data.find("set").path.name == "set.txt"


def test_what_was_found_says_what_it_is(checkout):
    register(entry(files=file_entry("set.txt", CONTENT)))
    good, other = checkout / "renamed.txt", checkout / "other.txt"
    good.write_bytes(CONTENT)
    other.write_bytes(b"something else")
    assert data.find("set", good).note == "real data, the official file"
    located = data.find("set", other)
    assert (located.note, located.sha256) == ("not a registered file", digest(b"something else"))
    assert located.identity == f"set@{located.sha256[:8]}" and data.find("set").identity.startswith("set-shipped@")
    assert "small original set" in data.find("set").description
    assert not any(str(checkout) in found.description for found in (located, data.find("set")))


def test_a_folder_counts_only_when_it_is_whole(checkout, monkeypatch):
    files = ", ".join(file_entry(name, name.encode()) for name in "abc")
    register(entry(paths='"set"', files=files, more=""))
    folder, elsewhere = checkout / "folder" / "set", checkout / "elsewhere"
    folder.mkdir(parents=True)
    monkeypatch.setenv("NBHELPERS_DATA", str(checkout / "folder"))
    for name, lacking in (("a", "b"), ("b", "c")):
        (folder / name).write_bytes(name.encode())
        with pytest.raises(ResourceNotFoundError, match=f"which lacks set/{lacking}"):
            data.find("set")
    (folder / "c").write_bytes(b"c")
    located = data.find("set")
    assert (located.path, located.note) == (folder, "real data, the official files")
    folder.rename(elsewhere)
    assert data.find("set", elsewhere).sha256 == located.sha256
    (elsewhere / "c").write_bytes(b"changed")
    changed = data.find("set", elsewhere)
    assert changed.note == "1 of 3 files are not the registered ones" and changed.sha256 != located.sha256
    another = checkout / "another-year"
    another.mkdir()
    (another / "d").write_bytes(b"d")
    found = data.find("set", another)
    assert (found.name, found.note) == ("another-year", "none of the registered files"), "named after what was read"


def test_system_data_is_found_where_the_system_keeps_it(checkout, monkeypatch):
    system = checkout / "usr" / "share"
    register(entry(paths=f'"set", "{system}"', more="").replace('kind = "data"', 'kind = "system"'))
    with pytest.raises(ResourceNotFoundError, match=re.escape(f"the system ({system})")):
        data.find("set")
    system.mkdir(parents=True)
    assert (data.find("set").origin, data.find("set").path) == ("system", system)


def test_nothing_found_says_where_it_looked_and_how_to_get_it(checkout, monkeypatch):
    register(
        entry(more='get = "ask Nobody for it"')
        + entry("google-compression")
        + entry("model").replace('kind = "data"', 'kind = "model"\nhub = "some/model"')
    )
    (checkout / "folder").mkdir()
    monkeypatch.setenv("NBHELPERS_DATA", str(checkout / "folder"))
    with pytest.raises(ResourceNotFoundError, match=r"set \(A set\) was not found") as caught:
        data.find("set")
    assert str(checkout / "folder") in str(caught.value)
    way = "To get it: ask Nobody for it; put it into a folder named in NBHELPERS_DATA as set/set.txt"
    assert way in str(caught.value)
    with pytest.raises(ResourceNotFoundError, match="To get it: see https://example.org/set; put it into a folder"):
        data.find("google-compression", allow_shipped=False)
    for name, given, message in (
        ("set", checkout / "nowhere", "nothing at the given path"),
        ("set", "shipped", "no small set ships"),
        ("google-compresion", None, "did you mean 'google-compression'"),
        ("zzz", None, "choose from google-compression, model"),
        ("model", None, "load it with nbhelpers.resources.models, by the name 'some/model'"),
    ):
        with pytest.raises((InputError, ResourceNotFoundError), match=message):
            data.find(name, given)
    monkeypatch.setenv("NBHELPERS_DATA", str(checkout / "mispelt"))
    with pytest.raises(InputError, match="mispelt, which is no folder"):
        data.find("set")


# -------------------------------------------------------------------------------------------------- downloads


@pytest.mark.parametrize("given", [CONTENT[:-1] + b"x", CONTENT[:100]], ids=["corrupt", "broken off"])
def test_a_bad_download_is_discarded_and_never_used(downloadable, checkout, given):
    downloadable.served["/set.txt"] = (given, len(CONTENT))
    corrupt = len(given) == len(CONTENT)
    with pytest.raises(ChecksumError if corrupt else (ResourceNotFoundError, ChecksumError)):
        data.find("set", allow_shipped=False)
    assert [path for path in (checkout / "cache").rglob("*") if path.is_file()] == []
    downloadable.served["/set.txt"] = (CONTENT, len(CONTENT))
    assert data.find("set").path.read_bytes() == CONTENT


@pytest.mark.parametrize("half", [CONTENT[:100], b"", CONTENT + b"more"])
def test_a_half_written_cache_is_never_used(downloadable, checkout, monkeypatch, half):
    cached = checkout / "cache" / "set" / "set.txt"
    cached.parent.mkdir(parents=True)
    cached.write_bytes(half)
    located = data.find("set")
    assert (located.origin, located.path.read_bytes()) == ("download", CONTENT)
    cached.write_bytes(half)
    monkeypatch.setenv("NBHELPERS_OFFLINE", "1")
    with pytest.raises(ResourceNotFoundError):
        data.find("set", allow_shipped=False)
    assert not cached.exists()


def no_place():
    return paths.data_dir() / "registry.toml" / "nbhelpers"


@pytest.mark.parametrize(
    ("fault", "reason", "requests"),
    [
        (lambda server, patch: server.served.clear(), "answered 404", None),
        (lambda server, patch: (server.shutdown(), server.server_close()), "not reachable", 0),
        (lambda server, patch: patch.setattr(data, "cache_dir", no_place), "cannot be written", None),
        (lambda server, patch: patch.setenv("NBHELPERS_OFFLINE", "1"), "NBHELPERS_OFFLINE is set", 0),
    ],
)
def test_without_a_download_the_small_set_is_taken(downloadable, monkeypatch, capsys, fault, reason, requests):
    fault(downloadable, monkeypatch)
    assert data.find("set").is_shipped and data.find("set").is_shipped
    if reason == "not reachable":  # is tried once
        assert capsys.readouterr().out.count("downloading set") == 1
    with pytest.raises(ResourceNotFoundError, match=reason):
        data.find("set", allow_shipped=False)
    assert requests is None or len(downloadable.requested) == requests


def test_a_folder_is_downloaded_file_by_file(server, checkout):
    names = ("a.txt", "sub/b.txt")
    files = ", ".join(file_entry(name, name.encode(), f', url = "{server.url}/{name}"') for name in names)
    register(entry(paths='"set"', files=files, more=""))
    server.served["/a.txt"] = (b"a.txt", 5)
    with pytest.raises(ResourceNotFoundError, match="answered 404"):
        data.find("set")
    server.served["/sub/b.txt"] = (b"sub/b.txt", 9)
    located = data.find("set")
    assert (located.path, located.note) == (checkout / "cache" / "set", "real data, the official files")
    assert server.requested.count("/a.txt") == 1
