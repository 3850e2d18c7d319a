"""A resumable map: a long computation that may be stopped at any point and goes on where it was.

`map` calls a function on shards of a list of items and writes each shard's results to a file of its own as soon as
they are computed. A second call with the same arguments reads the files that are there and computes the rest. A run
that was killed loses at most the shards that it was computing, and ends with the results of an unbroken run.

Joblib spreads the shards over processes of this machine (`workers`) or over a Dask cluster (`dask`, or the environment
variable ``NBHELPERS_DASK``, which ``python -m nbhelpers run --dask`` sets for all notebooks).

A shard's file is JSON lines: a header with the signature, the number of results, the processor time that they took and
a checksum, then one line per result. The file's name holds a hash of signature, function and items, so that a changed
parameter, model, function or item never meets an old file. Files of other signatures stay, and serve again when one
goes back.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import gc
import hashlib
import inspect
import json
import logging
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbhelpers.base import paths
from nbhelpers.base.errors import InputError, NbhelpersError
from nbhelpers.base.files import replace_file
from nbhelpers.base.progress import progress_bar

if TYPE_CHECKING:
    from distributed import Client

_FORMAT = "nbhelpers shard 2"
_CONNECT = 20
"""Seconds that the scheduler of a cluster has to answer."""

_log = logging.getLogger(__name__)

_spent = 0.0

Function = Callable[[list[Any]], list[Any]]


class ShardWriteError(NbhelpersError, OSError):
    """Results cannot be written, for example because the disk is full; the shards before are whole."""


class WorkerError(NbhelpersError, RuntimeError):
    """Worker processes died, or a cluster cannot be reached; finished shards are kept."""


@dataclass(frozen=True)
class _Shard:
    """Consecutive items and the file for their results."""

    first: int
    items: list[Any]
    path: Path


def map(
    function: Function,
    items: Sequence[Any],
    *,
    out: str | Path | None = None,
    signature: str,
    shard_size: int = 32,
    workers: int = 1,
    dask: str | None = None,
    description: str = "items",
) -> list[Any]:
    """Results of a function for every item, computed shard by shard and kept on disk.

    Parameters
    ----------
    function : callable
        Takes the list of a shard's items and returns the list of their results, one each, in the same order. It sees
        all items of a shard at once so that an engine can mix their requests in its batches. What it needs, such as a
        model, is loaded inside it and cached there, since it may run in another process.
    items : sequence
        What JSON can hold, or dataclasses of it.
    out : path, default=None
        Folder of the shard files, created if needed. Several calls may share it. None means ``shards`` in
        `nbhelpers.base.paths.out_dir`.
    signature : str
        Everything that the results depend on beyond function and items, in one line: model and revision, parameters,
        data. The function's own code counts by itself, and so do its defaults and the arguments bound by
        `functools.partial` that JSON can hold; functions that the function calls do not.
    shard_size : int, default=32
        Items per shard.
    workers : int, default=1
        Processes on this machine. 1 computes in this process.
    dask : str, default=None
        Address of a Dask scheduler, such as ``tcp://10.0.0.1:8786``, whose workers compute the shards in place of
        `workers`. They need no common disk; a shard whose worker dies is given to another. None means the environment
        variable ``NBHELPERS_DASK``; an empty text means this machine.
    description : str, default="items"
        What the progress bar says.

    Returns
    -------
    list
        One result per item, in the order of the items, as JSON gives them back (tuples become lists, keys texts).

    Raises
    ------
    InputError
        An argument is invalid; an item or a result is not JSON (NaN and infinity are not); the function did not return
        one result per item.
    ShardWriteError
        The disk is full, or the folder cannot be written.
    WorkerError
        Workers died, or no scheduler answers at the address.
    Exception
        Whatever the function raises, after the shards that were finished have been written.

    Examples
    --------
    >>> import tempfile
    >>> def lengths(words):
    ...     return [len(word) for word in words]
    >>> map(lengths, ["one", "two", "three"], out=tempfile.mkdtemp(), signature="lengths|v1", shard_size=2)
    [3, 3, 5]
    """
    if isinstance(items, str | bytes):
        raise InputError("items must be a list, not a text")
    if not signature.strip():
        raise InputError("signature must say in one line what the results depend on")
    if shard_size < 1 or workers < 1:
        raise InputError(f"shard_size and workers must be at least 1, not {shard_size} and {workers}")
    dask = os.environ.get("NBHELPERS_DASK", "") if dask is None else dask
    out = paths.out_dir() / "shards" if out is None else Path(out)
    shards = _cut(function, list(items), out, signature, shard_size)
    with _writing(out):
        out.mkdir(parents=True, exist_ok=True)
    results = {shard.first: _read(shard) for shard in shards}
    missing = [shard for shard in shards if results[shard.first] is None]
    done = len(items) - sum(len(shard.items) for shard in missing)
    with (
        progress_bar(len(items), description, done=done) as bar,
        contextlib.closing(_computed(function, missing, workers, dask)) as computed,
    ):
        for shard, values, seconds in computed:
            results[shard.first] = _write(shard, values, signature, seconds)
            bar.update(len(shard.items))
    return [value for shard in shards for value in results[shard.first]]


def spent() -> float:
    """Processor seconds behind all results that `map` has given in this process, whenever they were computed."""
    return _spent


def stopwatch() -> Callable[[], float]:
    """Gives the processor seconds since now, or those behind the results of `map` since then where these are more.

    A run goes on after the shards of an earlier one, and may have other processes.
    """
    began, before = time.process_time(), spent()
    return lambda: max(time.process_time() - began, spent() - before)


# -------------------------------------------------------------------------------------------------- what makes a shard


def _plain(value: Any) -> Any:
    """JSON form of a value that JSON does not know."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


def _lines(values: Sequence[Any], what: str, first: int, default: Callable[[Any], Any] | None = None) -> list[str]:
    """One line of JSON per value."""
    lines = []
    for index, value in enumerate(values, start=first):
        try:
            lines.append(json.dumps(value, ensure_ascii=False, allow_nan=False, default=default))
        except (TypeError, ValueError) as error:
            raise InputError(f"{what} {index} is not JSON: {error}") from None
    return lines


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _identity(function: Function) -> list[str]:
    """What distinguishes functions: name, source text, and the default and bound arguments that JSON can hold."""
    values: list[Any] = []
    while isinstance(function, functools.partial):
        values += [*function.args, *sorted(function.keywords.items())]
        function = function.func
    values += [getattr(function, "__defaults__", None), getattr(function, "__kwdefaults__", None)]
    identity = [getattr(function, "__qualname__", type(function).__qualname__)]
    with contextlib.suppress(OSError, TypeError):  # built-in, or typed into an interactive session
        identity.append(inspect.getsource(function))
    for each in values:
        with contextlib.suppress(InputError):
            identity += _lines([each], "argument", 0, _plain)
    return identity


def _cut(function: Function, items: list[Any], out: Path, signature: str, shard_size: int) -> list[_Shard]:
    """Shards of the items, each with the file that belongs to exactly these items, this signature and this function."""
    made_by = json.dumps([_FORMAT, signature, _identity(function)])
    lines = _lines(items, "item", 0, _plain)
    shards = []
    for first in range(0, len(items), shard_size):
        key = _digest("\n".join([made_by, *lines[first : first + shard_size]]))
        shards.append(_Shard(first, items[first : first + shard_size], out / f"{first:08d}-{key[:20]}.jsonl"))
    return shards


# --------------------------------------------------------------------------------------------------------------- files


@contextlib.contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ShardWriteError(
            f"{folder}: results cannot be written there ({error.strerror}); finished shards are whole, and the same "
            "call goes on after them"
        ) from error


def _read(shard: _Shard) -> list[Any] | None:
    """Results of a finished shard; None where there is no file or a damaged one, which is then computed again."""
    try:
        head, _, body = shard.path.read_text("utf-8", "surrogatepass").partition("\n")
        header = json.loads(head)
        if header["sha256"] == _digest(body):
            _count(header.get("seconds", 0.0))
            return [json.loads(line) for line in body.split("\n")[:-1]]
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        pass
    _log.warning("%s is damaged; its %d items are computed again", shard.path, len(shard.items))
    return None


def _count(seconds: float) -> None:
    global _spent
    _spent += seconds


def _write(shard: _Shard, values: Any, signature: str, seconds: float) -> list[Any]:
    """Write a shard's results, so that its file is complete or absent; returns them as they will be read."""
    if not isinstance(values, list) or len(values) != len(shard.items):
        found = f"{len(values)} results" if isinstance(values, list) else f"a {type(values).__name__}"
        raise InputError(
            f"the function must return a list of one result per item; for {len(shard.items)} items from "
            f"item {shard.first} on it returned {found}"
        )
    lines = _lines(values, "the result of item", shard.first)
    body = "".join(line + "\n" for line in lines)
    known = {"signature": signature, "items": len(lines), "seconds": round(seconds, 2), "sha256": _digest(body)}
    header = json.dumps(known)
    with _writing(shard.path.parent):
        replace_file(shard.path, f"{header}\n{body}".encode("utf-8", "surrogatepass"))
    _count(seconds)
    return [json.loads(line) for line in lines]


# ------------------------------------------------------------------------------------------------------- where it runs


def _call(function: Function, number: int, items: list[Any]) -> tuple[int, list[Any], float]:
    began = time.process_time()
    return number, function(items), time.process_time() - began


def _end_with(parent: int) -> None:
    """Let a worker process end with the process that started it, even if that one is killed (Linux)."""
    if sys.platform == "linux":
        import ctypes
        import signal

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:  # it died before this was set
        os._exit(1)


def connect(address: str) -> Client:
    """A client of the Dask scheduler at an address; use it with ``with``.

    Parameters
    ----------
    address : str
        Such as ``tcp://10.0.0.1:8786``.

    Raises
    ------
    WorkerError
        No scheduler answers there.
    """
    from distributed import Client

    try:
        return Client(address, timeout=_CONNECT, set_as_default=False)
    except (OSError, ValueError, RuntimeError) as error:
        reason = type(error).__name__
    gc.collect()  # the half-made client; collected while the next one is made, it would wait for a lock for ever
    raise WorkerError(f"no Dask scheduler answers at {address} ({reason})")


def _computed(
    function: Function, shards: list[_Shard], workers: int, dask: str
) -> Iterator[tuple[_Shard, list[Any], float]]:
    """Shards, their results and processor seconds, as they are finished."""
    if not shards:
        return
    import joblib
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    with contextlib.ExitStack() as stack:
        if dask:
            from distributed import KilledWorker

            client = stack.enter_context(connect(dask))
            died, where = (KilledWorker, CancelledError), {"backend": "dask", "client": client, "n_jobs": -1}
        else:
            died = TerminatedWorkerError
            where = {"backend": "loky", "n_jobs": workers, "initializer": _end_with, "initargs": (os.getpid(),)}
        with joblib.parallel_config(**where):
            parallel = joblib.Parallel(return_as="generator_unordered", batch_size=1, max_nbytes=None)
        calls = (joblib.delayed(_call)(function, number, shard.items) for number, shard in enumerate(shards))
        try:
            for number, values, seconds in stack.enter_context(contextlib.closing(parallel(calls))):
                yield shards[number], values, seconds
        except died as error:
            raise WorkerError(
                f"worker processes died (out of memory?) or the cluster went away ({type(error).__name__}); finished "
                "shards are kept, and the same call goes on after them, perhaps with fewer workers"
            ) from None
