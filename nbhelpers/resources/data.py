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
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from nbhelpers.base import paths
from nbhelpers.base.errors import ChecksumError, DataFormatError, InputError, ResourceNotFoundError, did_you_mean
from nbhelpers.base.progress import shows_bars

_log = logging.getLogger(__name__)

_TIMEOUT = (5.0, 60.0)
"""Seconds to wait for a connection, and for the next piece of a download."""

_unreachable: dict[str, str] = {}
"""Hosts that did not answer in this process, with the reason: each is waited for once."""

_stand_ins: list[str] = []
"""What this process took in place of real data that was not found."""


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
        ``data``: files found by `find`; ``package``: inside an installed package; ``system``: installed by the
        operating system; ``model``: documented here, loaded by `nbhelpers.resources.models`.
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


def registry() -> dict[str, Resource]:
    """All registered data sets and models, by name.

    Raises
    ------
    DataFormatError
        The registry is cut off or malformed.

    Examples
    --------
    >>> registry()["glove-6b-50d"].licence
    'PDDL 1.0'
    """
    path = paths.data_dir() / "registry.toml"
    return dict(_read_registry(path, path.stat().st_mtime_ns))


@functools.lru_cache(maxsize=8)
def _read_registry(path: Path, modified: int) -> dict[str, Resource]:
    """Parsed registry; its time is in the key, so that a changed file is read again."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise DataFormatError(path, None, f"is malformed or cut off: {error}") from None
    if tables.pop("end", None) is None:  # cut off between two entries it would still be TOML
        raise DataFormatError(path, None, "is malformed or cut off: its last line, [end], is missing")
    resources = {}
    for name, table in tables.items():
        try:
            resources[name] = _resource(name, **table)
        except TypeError as error:
            raise DataFormatError(path, None, f"is malformed in the entry [{name}]: {error}") from None
    return resources


def _resource(name: str, *, files: Sequence[dict[str, Any]] = (), **fields: Any) -> Resource:
    for key, value in fields.items():
        if (key in ("sources", "used_by", "paths")) != isinstance(value, list):
            raise TypeError(f"{key} is {value!r}, which is {'a' if isinstance(value, list) else 'no'} list")
    lists = {key: tuple(value) for key, value in fields.items() if isinstance(value, list)}
    return Resource(name=name, files=tuple(RegisteredFile(**file) for file in files), **{**fields, **lists})


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
        As registered; a folder with nothing of the registered set has its own name.
    path : Path
        File or folder.
    origin : str
        ``argument``, ``NBHELPERS_DATA``, ``package``, ``system``, ``cache``, ``download`` or ``shipped``.
    sha256 : str
        Of the file, or of the folder as `sha256` defines it.
    note : str
        Which file it is: the official one, a development copy, the small original set, or none of those.
    """

    name: str
    path: Path
    origin: str
    sha256: str
    note: str = ""

    @property
    def is_shipped(self) -> bool:
        """Whether this is the small original set and not the real one."""
        return self.origin == "shipped"

    @property
    def identity(self) -> str:
        """``name@sha256`` (eight digits), for signatures and the evidence; "shipped" is marked."""
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


def find(name: str, path: str | Path | None = None, *, allow_shipped: bool = True, download: bool = True) -> Located:
    """Find a registered data set on this machine, or fetch it from its official source.

    Parameters
    ----------
    name : str
        As registered.
    path : path, optional
        Take this file or folder and look nowhere else. "auto" is the same as None; "shipped" takes the small
        original set, whatever else there is.
    allow_shipped : bool
        Whether the small original set may stand in for the real one.
    download : bool
        Whether it may be fetched; never where ``NBHELPERS_OFFLINE`` is set.

    Returns
    -------
    Located

    Raises
    ------
    InputError
        The name is not registered (the message names near ones), or is that of a model.
    ResourceNotFoundError
        It is nowhere; the message says where it was looked for and how to get it.
    ChecksumError
        A download was not the registered file. It has been discarded.

    Examples
    --------
    >>> find("wordsim353").description
    'wordsim353: wordsim353.tsv from an installed package (real data, the official file; sha256 f92a022f)'
    >>> find("google-compression", "shipped").path.name
    'treebank-en.conllu'
    """
    resource = _get(name)
    if resource.kind == "model":
        raise InputError(f"{name!r} is a model: load it with nbhelpers.resources.models, by the name {resource.hub!r}")
    if path == "shipped":
        if (located := _shipped(resource)) is None:
            raise ResourceNotFoundError(f"no small set ships in place of {name}")
        return located
    if path is not None and path != "auto":
        return _given(resource, Path(path).expanduser())
    looked: list[str] = []
    for look in (_in_data_folders, _in_package, _on_system, _in_cache, *[_download] * download):
        if (located := look(resource, looked)) is not None:
            return located
    if allow_shipped and (located := _shipped(resource)) is not None:
        note_stand_in(located.identity)
        return located
    how = resource.get or f"see {resource.sources[0]}"
    if resource.kind == "data":
        how += f"; put it into a folder named in NBHELPERS_DATA as {' or '.join(resource.paths)}"
    raise ResourceNotFoundError(
        f"{name} ({resource.title}) was not found; looked in {'; '.join(looked)}. To get it: {how}",
        looked[-1] if download and looked else "",
    )


def note_stand_in(identity: str) -> None:
    """Remember that something stands in for real data that was not found; `find` does so by itself.

    Parameters
    ----------
    identity : str
        As `Located.identity` has it: name of the real data set and "-shipped".
    """
    if identity not in _stand_ins:
        _stand_ins.append(identity)


def stand_ins() -> tuple[str, ...]:
    """Identities of what this process took in place of real data that was not found, in order.

    Evidence is recorded only where there are none.
    """
    return tuple(_stand_ins)


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


def _in_data_folders(resource: Resource, looked: list[str]) -> Located | None:
    for folder in paths.data_folders():
        if (candidate := _in_folder(resource, folder, looked)) is not None:
            return _located(resource, folder / candidate, "NBHELPERS_DATA", candidate)
    if not looked:
        looked.append("NBHELPERS_DATA (not set)")
    return None


def _in_folder(resource: Resource, folder: Path, looked: list[str]) -> str | None:
    """The first of the resource's paths that is whole in a data folder, or None."""
    problem = ""
    for candidate in resource.paths:
        if candidate.startswith("/") or not (folder / candidate).exists():
            continue
        missing = [file.path for file in resource.files_of(candidate) if not (folder / file.path).is_file()]
        if not missing:
            return candidate
        problem = f", which lacks {missing[0]}"
    looked.append(f"{folder}{problem}")
    return None


def _in_package(resource: Resource, looked: list[str]) -> Located | None:
    if resource.kind != "package":
        return None
    specification = importlib.util.find_spec(resource.package)
    for folder in (specification.submodule_search_locations or []) if specification else []:
        for candidate in resource.paths:
            if (Path(folder) / candidate).exists():
                return _located(resource, Path(folder) / candidate, "package")
    looked.append(f"the package {resource.package}")
    return None


def _on_system(resource: Resource, looked: list[str]) -> Located | None:
    for candidate in resource.paths:
        if candidate.startswith("/"):
            if Path(candidate).exists():
                return _located(resource, Path(candidate), "system")
            looked.append(f"the system ({candidate})")
    return None


def _shipped(resource: Resource) -> Located | None:
    at = paths.data_dir() / resource.shipped
    if not resource.shipped or not at.exists():
        return None
    return Located(resource.name, at, "shipped", sha256(at), "the small original set, not the real one")


def _located(resource: Resource, at: Path, origin: str, candidate: str = "") -> Located:
    """Describe what was found by comparing it with the registered checksums."""
    if at.is_file():
        # A file may have been given under another name: any registered one will do.
        actual = sha256(at)
        match = [file for file in resource.files if actual in (file.sha256, file.sha256_development)]
        found = [(match[0] if match else RegisteredFile(at.name), actual)] if resource.files else []
        whole, other = "the official file", "not a registered file"
    else:
        candidate = candidate or resource.paths[0]
        found = []
        for file in resource.files_of(candidate):
            here = at / PurePosixPath(file.path).relative_to(candidate)
            found.append((file, sha256(here) if here.is_file() else ""))
        different = sum(actual not in (file.sha256, file.sha256_development) for file, actual in found)
        whole, other = "the official files", f"{different} of {len(found)} files are not the registered ones"
        if different == len(found):
            other = "none of the registered files"
    if not found:
        note = "no checksum registered"
    elif any(actual not in (file.sha256, file.sha256_development) for file, actual in found):
        note = other
    else:
        copies = {file.note or "development copy": None for file, actual in found if actual == file.sha256_development}
        note = f"real data, {'; '.join(copies) or whole}"
    # A folder with nothing of the registered set, such as that of another year, enters the evidence under its own name.
    name = at.name if note == "none of the registered files" else resource.name
    return Located(name, at, origin, sha256(at), note)


# ----------------------------------------------------------------------------------------- cache and download


def _downloadable(resource: Resource) -> tuple[RegisteredFile, ...]:
    """The files that make up the official set, if each can be fetched and checked; else none."""
    if resource.kind != "data":
        return ()
    files = resource.files_of(resource.paths[0])
    return files if all(file.url and file.sha256 for file in files) else ()


def _is_cached(file: RegisteredFile) -> bool:
    """Whether the cached file is whole; one that is not is discarded."""
    at = cache_dir() / file.path
    if at.is_file() and sha256(at) != file.sha256:
        _log.warning("the cached file %s is not the registered one (half-written?); it is discarded", at)
        at.unlink()
    return at.is_file()


def _in_cache(resource: Resource, looked: list[str]) -> Located | None:
    files = _downloadable(resource)
    if files and all([_is_cached(file) for file in files]):
        return _located(resource, cache_dir() / resource.paths[0], "cache")
    if files:
        looked.append(f"the cache ({cache_dir()})")
    return None


def _download(resource: Resource, looked: list[str]) -> Located | None:
    files = _downloadable(resource)
    if not files or paths.is_offline():
        reason = "NBHELPERS_OFFLINE is set" if files else "not all its files can be fetched and checked one by one"
        looked.append(f"not its official source, because {reason}")
        return None
    for file in files:
        if not _is_cached(file) and (reason := _fetch(resource, file)):
            looked.append(f"its official source {file.url} ({reason})")
            return None
    return _located(resource, cache_dir() / resource.paths[0], "download")


def _fetch(resource: Resource, file: RegisteredFile) -> str:
    """Download one file into the cache; returns why its source could not be reached, or an empty text."""
    import pooch
    import requests

    host = urlsplit(file.url).netloc
    if host in _unreachable:
        return _unreachable[host]
    pooch.get_logger().setLevel(logging.WARNING)
    at = cache_dir() / file.path
    size = f", {file.size / 1e6:.1f} MB" if file.size else ""
    print(f"downloading {resource.name} ({file.path}{size}) from {host}", flush=True)
    downloader = pooch.HTTPDownloader(progressbar=shows_bars(), timeout=_TIMEOUT)
    try:
        # pooch writes to a temporary file and moves it into place only after its checksum was found right.
        pooch.retrieve(file.url, f"sha256:{file.sha256}", at.name, at.parent, downloader=downloader)
    except (requests.exceptions.ConnectionError, requests.exceptions.Timeout) as error:
        _unreachable[host] = f"not reachable: {type(error).__name__}"
        return _unreachable[host]
    except requests.exceptions.RequestException as error:
        return f"answered {error.response.status_code}" if error.response is not None else f"failed: {error}"
    except OSError as error:  # after the errors of the network, which are OSErrors as well
        return f"the cache {cache_dir()} cannot be written: {error.strerror or error}"
    except ValueError:
        raise ChecksumError(
            f"{file.url} did not give the registered file {file.path} of {resource.name} (expected "
            f"sha256 {file.sha256[:16]}…); the download was discarded"
        ) from None
    return ""
