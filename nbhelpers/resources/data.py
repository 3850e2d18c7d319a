"""Find data sets: which ones there are, and where they are on this machine.

Every external data set and model is registered in ``data/registry.toml`` with its source, licence, citation
and checksums. `find` looks for one in this order: an explicit path; the folders in ``NBHELPERS_DATA``
(colon-separated); what an installed package or the system brings; the user cache; the official source (a
checksummed download, only when ``NBHELPERS_OFFLINE`` is not set); the small original set in ``data/``. What
was found says where it came from and whether it is the registered file, so that nobody mistakes a small set
for the real one.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import logging
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from nbhelpers.base import paths
from nbhelpers.base.errors import ChecksumError, DataFormatError, InputError, ResourceNotFoundError, did_you_mean
from nbhelpers.base.files import open_text
from nbhelpers.base.progress import shows_bars

_log = logging.getLogger(__name__)

KINDS = ("data", "package", "system", "model")
"""``data``: files found by `find`; ``package``: inside an installed package; ``system``: installed by the
operating system; ``model``: documented here, loaded by `nbhelpers.resources.models`."""

SHIPPED = "shipped"
"""Given as `path` to `find`, takes the small original set even where the real one is at hand."""

_TIMEOUT = (5.0, 60.0)
"""Seconds to wait for a connection, and for the next piece of a download."""

_unreachable: dict[str, str] = {}
"""Hosts that did not answer in this process, with the reason: each is waited for once."""


# ----------------------------------------------------------------------------------------------- the registry


@dataclass(frozen=True)
class RegisteredFile:
    """A file of a data set.

    Attributes
    ----------
    path : str
        Relative to a data folder (or to the package that brings it).
    sha256 : str or None
        Of the official file.
    sha256_development : str or None
        Of a copy used in development: a subset, or another packing of the same content; `note` says which.
    size : int or None
        Bytes.
    url : str or None
        Where the official file can be fetched by itself.
    note : str
        What a development copy is.
    """

    path: str
    sha256: str | None = None
    sha256_development: str | None = None
    size: int | None = None
    url: str | None = None
    note: str = ""


@dataclass(frozen=True)
class Resource:
    """An external data set or model, as registered.

    Attributes
    ----------
    name, title : str
        Key in the registry, and what it is.
    kind : str
        One of `KINDS`.
    sources : tuple of str
        Addresses of the official source.
    licence, citation : str
    used_by : tuple of str
        Modules that read it.
    paths : tuple of str
        Where it stands in a data folder; the first that is there is taken, the official name comes first.
        Files or folders; a folder counts when it holds every registered file beneath it.
    files : tuple of RegisteredFile
    package : str
        Name of the package that brings it (kind ``package``).
    hub : str
        Hugging Face id (kind ``model``).
    shipped : str
        The small original set that stands in for it, relative to ``data/``.
    get : str
        How to get it, in a sentence.
    """

    name: str
    title: str
    kind: str
    sources: tuple[str, ...]
    licence: str
    citation: str
    used_by: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    files: tuple[RegisteredFile, ...] = ()
    package: str = ""
    hub: str = ""
    shipped: str = ""
    get: str = ""

    def files_of(self, path: str) -> tuple[RegisteredFile, ...]:
        """Registered files at `path`: the file itself, or all files beneath a folder."""
        return tuple(file for file in self.files if file.path == path or file.path.startswith(f"{path}/"))


_REQUIRED = {"title": str, "kind": str, "sources": list, "licence": str, "citation": str, "used_by": list}
_OPTIONAL = {"paths": list, "files": list, "package": str, "hub": str, "shipped": str, "get": str}
_FILE = {"path": str, "sha256": str, "sha256_development": str, "size": int, "url": str, "note": str}


def registry(path: str | Path | None = None) -> dict[str, Resource]:
    """All registered data sets and models, by name.

    Parameters
    ----------
    path : path, optional
        A registry file; the project's own by default.

    Raises
    ------
    DataFormatError
        The registry is missing, cut off or malformed; nothing of it is used.
    """
    path = Path(path) if path is not None else paths.data_dir() / "registry.toml"
    try:
        status = path.stat()
    except OSError:
        raise DataFormatError(path, None, "the registry of data sets is missing") from None
    return dict(_read_registry(path, status.st_mtime_ns, status.st_size))


@functools.lru_cache(maxsize=8)
def _read_registry(path: Path, modified: int, size: int) -> dict[str, Resource]:
    """Parsed registry; time and size are in the key, so that a changed file is read again."""
    with open_text(path) as reader:
        text = reader.read()
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"at line (\d+)", str(error))
        line = int(place.group(1)) if place else text.rstrip("\n").count("\n") + 1
        reason = re.sub(r" \(at .*\)$", "", str(error))
        raise DataFormatError(path, line, f"is not TOML, or cut off ({reason})") from None
    # A file that is cut off between two entries is still TOML; only its missing last line gives it away.
    if tables.pop("end", None) != {}:
        raise DataFormatError(path, text.rstrip("\n").count("\n") + 1, "the last line [end] is missing: cut off?")
    lines = text.split("\n")
    found = {}
    for name, table in tables.items():
        line = next((i for i, content in enumerate(lines, 1) if content.strip() == f"[{name}]"), None)
        try:
            found[name] = _resource(name, table)
        except (InputError, TypeError) as error:
            raise DataFormatError(path, line, f"[{name}] {error}") from None
    return found


def _checked(table: Any, required: dict[str, type], optional: dict[str, type]) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise InputError("is no table")
    for key, value in table.items():
        expected = {**required, **optional}.get(key)
        if expected is None:
            raise InputError(f"has the unknown field {key!r}; {did_you_mean(key, [*required, *optional])}")
        if not isinstance(value, expected) or isinstance(value, bool):
            raise InputError(f"has a {key} that is no {expected.__name__}: {value!r}")
    for key in required:
        if key not in table:
            raise InputError(f"lacks the field {key!r}")
    return table


def _relative(path: Any) -> str:
    """A path that stays inside the folder it is joined to."""
    if not isinstance(path, str) or not path or path != str(PurePosixPath(path)) or "\\" in path:
        raise InputError(f"has the path {path!r}, which is not a plain relative path")
    if path.startswith("/") or ".." in PurePosixPath(path).parts:
        raise InputError(f"has the path {path!r}, which leaves the data folder")
    return path


def _resource(name: str, table: Any) -> Resource:
    table = dict(_checked(table, _REQUIRED, _OPTIONAL))
    if table["kind"] not in KINDS:
        raise InputError(f"has the kind {table['kind']!r}; kinds are {', '.join(KINDS)}")
    files = []
    for entry in table.pop("files", []):
        entry = _checked(entry, {"path": str}, _FILE)
        _relative(entry["path"])
        for key in ("sha256", "sha256_development"):
            if key in entry and not re.fullmatch(r"[0-9a-f]{64}", entry[key]):
                raise InputError(f"has a {key} for {entry['path']} that is not 64 hexadecimal digits")
        if entry.get("size", 1) < 0:
            raise InputError(f"has a negative size for {entry['path']}")
        files.append(RegisteredFile(**entry))
    for key in ("sources", "used_by", "paths"):
        if not all(isinstance(value, str) for value in table.get(key, [])):
            raise InputError(f"has {key} that are not all texts")
        table[key] = tuple(table.get(key, []))
    system = table["kind"] == "system"
    for path in table["paths"]:
        if not (system and path.startswith("/")):
            _relative(path)
    if table["kind"] != "model" and not table["paths"]:
        raise InputError("lacks the field 'paths'")
    if table["kind"] == "package" and "package" not in table:
        raise InputError("lacks the field 'package'")
    if "shipped" in table:
        _relative(table["shipped"])
    return Resource(name=name, files=tuple(files), **table)


def _get(name: str) -> Resource:
    known = registry()
    if name not in known:
        raise InputError(f"no data set is registered as {name!r}; {did_you_mean(name, sorted(known), 3)}")
    return known[name]


# -------------------------------------------------------------------------------------------------- checksums


@functools.lru_cache(maxsize=4096)
def _sha256(path: str, modified: int, size: int) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def sha256(path: str | Path) -> str:
    """Hexadecimal sha256 of a file or a folder.

    A folder's is that of the relative names and the sha256 of its files, in order of the names; hidden
    files do not count. A file is read once as long as it does not change.
    """
    path = Path(path)
    if not path.is_dir():
        status = path.stat()
        return _sha256(str(path.resolve()), status.st_mtime_ns, status.st_size)
    total = hashlib.sha256()
    for file in sorted(path.rglob("*"), key=lambda file: file.relative_to(path).as_posix()):
        relative = file.relative_to(path)
        if file.is_file() and not any(part.startswith(".") for part in relative.parts):
            total.update(f"{relative.as_posix()}\0{sha256(file)}\n".encode())
    return total.hexdigest()


# ---------------------------------------------------------------------------------------------------- finding


@dataclass(frozen=True)
class Located:
    """A data set on this machine.

    Attributes
    ----------
    name : str
        As registered.
    path : Path
        File or folder.
    origin : str
        ``argument``, ``NBHELPERS_DATA``, ``package``, ``system``, ``cache``, ``download`` or ``shipped``.
    sha256 : str
        Of the file, or of the folder as `sha256` defines it.
    note : str
        Which file it is: the official one, a development copy, the small original set, or none of those.
    looked : tuple of str
        For a shipped set: where the real one was looked for, in vain, and why it was not there.
    """

    name: str
    path: Path
    origin: str
    sha256: str
    note: str = ""
    looked: tuple[str, ...] = ()

    @property
    def is_shipped(self) -> bool:
        """Whether this is the small original set and not the real one."""
        return self.origin == "shipped"

    @property
    def identity(self) -> str:
        """``name@sha256`` (eight digits), for signatures and the ledger; "shipped" is marked."""
        return f"{self.name}{'-shipped' if self.is_shipped else ''}@{self.sha256[:8]}"

    @property
    def description(self) -> str:
        """One line for a notebook; it holds no folder of this machine."""
        place = {
            "argument": "from the given path",
            "shipped": "shipped with the project",
            "download": "downloaded from its official source",
            "cache": "from the cache",
            "package": "from an installed package",
            "system": "from the system",
        }.get(self.origin, f"from {self.origin}")
        return f"{self.name}: {self.path.name} {place} ({self.note}; sha256 {self.sha256[:8]})"


def cache_dir() -> Path:
    """The user's cache folder, which holds checksummed downloads only."""
    import pooch

    return Path(pooch.os_cache("nbhelpers"))


def find(name: str, path: str | Path | None = None, *, allow_shipped: bool = True) -> Located:
    """Find a registered data set on this machine, or fetch it from its official source.

    Parameters
    ----------
    name : str
        As registered.
    path : path, optional
        Take this file or folder and look nowhere else. "auto" is the same as None; "shipped" takes the small
        original set even where the real one is at hand.
    allow_shipped : bool
        Whether the small original set may stand in for the real one.

    Raises
    ------
    InputError
        The name is not registered (the message names near ones), or is that of a model.
    ResourceNotFoundError
        It is nowhere; the message says where it was looked for and how to get it.
    ChecksumError
        A download was not the registered file. It has been discarded.
    """
    resource = _get(name)
    if resource.kind == "model":
        raise InputError(f"{name!r} is a model: load it with nbhelpers.resources.models, by the name {resource.hub!r}")
    if path == SHIPPED:
        if (located := _shipped(resource)) is None:
            raise ResourceNotFoundError(f"no small set ships in place of {name}")
        return located
    if path is not None and path != "auto":
        return _given(resource, Path(path).expanduser())
    looked: list[str] = []
    for folder in paths.data_folders():
        if (candidate := _in_folder(resource, folder, looked)) is not None:
            return _located(resource, folder / candidate, "NBHELPERS_DATA", candidate)
    if not looked and resource.kind in ("data", "system"):
        looked.append("NBHELPERS_DATA (not set)")
    if resource.kind == "package" and (at := _in_package(resource, looked)) is not None:
        return _located(resource, at, "package")
    if resource.kind == "system":
        for candidate in resource.paths:
            if candidate.startswith("/"):
                if Path(candidate).exists():
                    return _located(resource, Path(candidate), "system")
                looked.append(f"the system ({candidate})")
    if (at := _in_cache(resource, looked)) is not None:
        return _located(resource, at, "cache")
    if (at := _download(resource, looked)) is not None:
        return _located(resource, at, "download")
    if allow_shipped and (located := _shipped(resource, looked)) is not None:
        return located
    raise ResourceNotFoundError(_not_found(resource, looked))


def _not_found(resource: Resource, looked: list[str]) -> str:
    how = resource.get or (f"get it from {resource.sources[0]}" if resource.sources else "see the registry")
    text = f"{resource.name} ({resource.title}) is not at hand; looked in {'; '.join(looked)}. To get it: {how}"
    if resource.kind == "data":
        text += f"; put it into a folder named in NBHELPERS_DATA as {' or '.join(resource.paths)}"
    return text


def _given(resource: Resource, path: Path) -> Located:
    if not path.exists():
        raise ResourceNotFoundError(f"{resource.name}: there is nothing at the given path {path}")
    if path.is_file():
        return _located(resource, path, "argument")
    # A data folder that holds the set, the folder of a single file, or the folder of the set itself.
    if (candidate := _in_folder(resource, path, [])) is not None:
        return _located(resource, path / candidate, "argument", candidate)
    names = [PurePosixPath(candidate).name for candidate in resource.paths]
    for name in names:
        if (path / name).is_file():
            return _located(resource, path / name, "argument")
    if all(PurePosixPath(name).suffix for name in names):
        raise ResourceNotFoundError(f"{resource.name}: the given folder {path} holds none of {', '.join(names)}")
    return _located(resource, path, "argument")


def _in_folder(resource: Resource, folder: Path, looked: list[str]) -> str | None:
    """The first of the resource's paths that is whole in a data folder, or None."""
    problem = ""
    for candidate in resource.paths:
        at = folder / candidate
        if candidate.startswith("/") or not at.exists():
            continue
        missing = [file.path for file in resource.files_of(candidate) if not (folder / file.path).is_file()]
        if not missing:
            return candidate
        problem = f", which lacks {missing[0]}" + (f" and {len(missing) - 1} more" if missing[1:] else "")
    looked.append(f"{folder}{problem}")
    return None


def _in_package(resource: Resource, looked: list[str]) -> Path | None:
    specification = importlib.util.find_spec(resource.package)
    for folder in (specification.submodule_search_locations or []) if specification else []:
        for candidate in resource.paths:
            if (Path(folder) / candidate).exists():
                return Path(folder) / candidate
    looked.append(f"the package {resource.package}" + ("" if specification else " (not installed)"))
    return None


def _shipped(resource: Resource, looked: list[str] | None = None) -> Located | None:
    at = paths.data_dir() / resource.shipped
    if not resource.shipped or not at.exists():
        return None
    note = "the small original set, not the real one"
    return Located(resource.name, at, "shipped", sha256(at), note, tuple(looked or ()))


def _located(resource: Resource, at: Path, origin: str, candidate: str = "") -> Located:
    """Describe what was found by comparing it with the registered checksums."""
    digest = sha256(at)
    if at.is_file():
        # A file may have been given under another name: any registered one will do.
        match = [file for file in resource.files if digest in (file.sha256, file.sha256_development)]
        if any(digest == file.sha256 for file in match):
            note = "real data, the official file"
        elif match:
            note = f"real data, {match[0].note or 'development copy'}"
        else:
            note = "not a registered file" if resource.files else "no checksum registered"
        return Located(resource.name, at, origin, digest, note)
    candidate = candidate or resource.paths[0]
    files = resource.files_of(candidate)
    different, notes = 0, []
    for file in files:
        here = at / PurePosixPath(file.path).relative_to(candidate)
        actual = sha256(here) if here.is_file() else ""
        if actual and actual == file.sha256_development:
            notes.append(file.note or "development copy")
        elif actual != file.sha256:
            different += 1
    if not files:
        note = "no checksum registered"
    elif different:
        note = f"{different} of {len(files)} files are not the registered ones"
    else:
        note = "real data, " + ("; ".join(dict.fromkeys(notes)) or "the official files")
    return Located(resource.name, at, origin, digest, note)


# ----------------------------------------------------------------------------------------- cache and download


def _downloadable(resource: Resource) -> tuple[RegisteredFile, ...]:
    """The files that make up the official set, if each can be fetched and checked; else none."""
    if resource.kind != "data" or not resource.paths:
        return ()
    files = resource.files_of(resource.paths[0])
    return files if files and all(file.url and file.sha256 for file in files) else ()


def _cached(file: RegisteredFile) -> Path | None:
    """The cached file if it is whole; one that is not is discarded."""
    at = cache_dir() / file.path
    if not at.is_file():
        return None
    if sha256(at) == file.sha256:
        return at
    _log.warning("the cached file %s is not the registered one (half-written?); it is discarded", at)
    at.unlink()
    return None


def _in_cache(resource: Resource, looked: list[str]) -> Path | None:
    files = _downloadable(resource)
    if not files:
        return None
    if all([_cached(file) is not None for file in files]):
        return cache_dir() / resource.paths[0]
    looked.append(f"the cache ({cache_dir()})")
    return None


def _download(resource: Resource, looked: list[str]) -> Path | None:
    files = _downloadable(resource)
    if not files:
        if resource.kind == "data":
            looked.append("no official source that can be fetched and checked by itself")
        return None
    if paths.is_offline():
        looked.append("not its official source, because NBHELPERS_OFFLINE is set")
        return None
    for file in files:
        if _cached(file) is None and (reason := _fetch(resource, file)):
            looked.append(f"its official source {file.url} ({reason})")
            return None
    return cache_dir() / resource.paths[0]


def _fetch(resource: Resource, file: RegisteredFile) -> str:
    """Download one file into the cache; returns why its source could not be reached, or an empty text."""
    import pooch
    import requests
    import tqdm

    host = urlsplit(file.url).netloc
    if host in _unreachable:
        return _unreachable[host]
    pooch.get_logger().setLevel(logging.WARNING)
    at = cache_dir() / file.path
    size = f", {file.size / 1e6:.1f} MB" if file.size else ""
    print(f"downloading {resource.name} ({file.path}{size}) from {host}", flush=True)
    # Progress bars are for people, at a terminal or in a notebook; elsewhere the line above must do.
    progress = tqdm.tqdm(total=file.size or 1, unit="B", unit_scale=True, disable=not shows_bars())
    downloader = pooch.HTTPDownloader(progressbar=progress, timeout=_TIMEOUT, chunk_size=1 << 16)
    try:
        # pooch writes to a temporary file and moves it into place only after its checksum was found right.
        pooch.retrieve(
            file.url, known_hash=f"sha256:{file.sha256}", fname=at.name, path=at.parent, downloader=downloader
        )
    except (requests.exceptions.ConnectionError, requests.exceptions.Timeout) as error:
        _unreachable[host] = f"not reachable: {type(error).__name__}"
        return _unreachable[host]
    except requests.exceptions.RequestException as error:
        status = getattr(getattr(error, "response", None), "status_code", None)
        return f"answered {status}" if status else f"failed: {type(error).__name__}"
    except OSError as error:  # after the errors of the network, which are OSErrors as well
        return f"the cache {cache_dir()} cannot be written: {error.strerror or error}"
    except ValueError:
        raise ChecksumError(
            f"{file.url} did not give the registered file {file.path} of {resource.name} (expected "
            f"sha256 {file.sha256[:16]}…); the download was discarded"
        ) from None
    return ""
