"""A resumable map: long runs that may be stopped at any point and go on where they were.

`map` calls a function on shards of a list of items and writes each shard's results to a file of its own as soon as it
has them. A second call with the same arguments reads what is there and computes the rest, so that a run that was
stopped, however it was stopped, loses at most the shards in hand and ends with the results of an unbroken one.

The same call works in this process, on several processes of this machine (`workers`) and on a Dask cluster (`dask`, or
the environment variable ``NBHELPERS_DASK``, which ``python -m nbhelpers run --dask`` sets for all notebooks).

A shard's file is JSON lines: a header with the signature of what made it, the number of results and a checksum; then
one line per result, in the order of the items. It is written beside its place and moved there when it is complete. Its
name holds a hash of signature, function and items: a changed parameter, model, function or item never meets an old
file. Files of other signatures stay where they are, and serve again when one goes back.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import json
import logging
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbhelpers.base import paths
from nbhelpers.base.errors import InputError, NbhelpersError
from nbhelpers.base.progress import Progress

_FORMAT = "nbhelpers shard 1"
_CONNECT = 20
"""Seconds that the scheduler of a cluster has to answer."""

_log = logging.getLogger(__name__)

Function = Callable[[list[Any]], list[Any]]


class ShardWriteError(NbhelpersError, OSError):
    """Results cannot be written, for example because the disk is full; the shards before are whole."""


class WorkerError(NbhelpersError, RuntimeError):
    """Worker processes died, or a cluster cannot be reached; finished shards are kept."""


@dataclass(frozen=True)
class _Shard:
    """A run of consecutive items and the file that takes its results."""

    first: int
    items: list[Any]
    path: Path
    key: str


def map(
    function: Function,
    items: Sequence[Any],
    *,
    out: str | Path | None = None,
    signature: str,
    shard_size: int = 32,
    workers: int = 1,
    dask: str | None = None,
    description: str = "",
) -> list[Any]:
    """Results of a function for every item, computed shard by shard and kept on disk.

    Parameters
    ----------
    function : callable
        Takes the list of a shard's items and returns the list of their results, one each, in the same order. It sees
        all items of a shard at once so that an engine can mix their requests in its batches. For `workers` and `dask`
        it is a function of a module (`dask` also takes one of a notebook), and what it needs, such as a model, is
        loaded inside it and cached there; a script that uses `workers` guards its own start with
        ``if __name__ == "__main__":``, as Python's multiprocessing wants it.
    items : sequence
        What JSON can hold, or dataclasses of it.
    out : path, optional
        Folder of the shard files, made when missing. Several calls may share it. Default: ``shards`` among the results
        of the current run (`nbhelpers.base.paths.out_dir`), so that a run that was stopped goes on when it is started
        again.
    signature : str
        Everything that the results depend on beyond function and items, in one line: model and revision, parameters,
        data, version. The function's own code counts by itself, and so do defaults and arguments bound by
        `functools.partial` where JSON can hold them; other bound values, and functions that the function calls, must
        be told by the signature.
    shard_size : int
        Items per shard: what is lost at most when the run is stopped.
    workers : int
        Processes on this machine. 1 computes in this process.
    dask : str, optional
        Address of a Dask scheduler, such as ``tcp://10.0.0.1:8786``, whose workers then compute the shards, whatever
        `workers` says. A shard whose worker dies is given to another. Files are written here; the workers need no
        common disk. Default: what the environment variable ``NBHELPERS_DASK`` holds. An empty text, here or there,
        means this machine.
    description : str
        What the progress bar says.

    Returns
    -------
    list
        One result per item, in the order of the items, as JSON gives them back (tuples come as lists, keys as texts).
        It does not depend on `workers`, `dask` or on how often the run was stopped.

    Raises
    ------
    InputError
        An argument is of the wrong kind; an item or a result is not JSON (NaN and infinity are not); the function
        returned another number of results than it was given items.
    ShardWriteError
        The disk is full, or the folder cannot be written.
    WorkerError
        Workers died, or no scheduler answers at the address.
    Exception
        Whatever the function raises, after the shards that were finished have been written.
    """
    if not callable(function):
        raise InputError(f"function must be callable, not {function!r}")
    if isinstance(items, str | bytes) or not isinstance(items, Sequence):
        raise InputError(f"items must be a list, not {type(items).__name__}")
    if not isinstance(signature, str) or not signature.strip():
        raise InputError("signature must say in one line what the results depend on")
    for name, value in (("shard_size", shard_size), ("workers", workers)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise InputError(f"{name} must be a whole number of at least 1, not {value!r}")
    dask = os.environ.get("NBHELPERS_DASK", "") if dask is None else dask
    if not isinstance(dask, str):
        raise InputError(f"dask must be the address of a scheduler, not {dask!r}")
    out = paths.out_dir() / "shards" if out is None else Path(out)
    try:
        out.mkdir(parents=True, exist_ok=True)
        for part in out.glob(".*.part"):  # left behind by a process that was killed while it wrote
            with contextlib.suppress(FileNotFoundError):  # another process has just moved its own into place
                if time.time() - part.stat().st_mtime > 3600:
                    part.unlink()
    except OSError as error:
        raise ShardWriteError(f"{out}: results cannot be written there ({error.strerror})") from error

    shards = _cut(function, list(items), out, signature, shard_size)
    results = {shard.first: _read(shard) for shard in shards}
    missing = [shard for shard in shards if results[shard.first] is None]
    if dask:
        computed = _on_cluster(function, missing, dask)
    elif workers > 1:
        computed = _in_processes(function, missing, workers)
    else:
        computed = ((shard, function(list(shard.items))) for shard in missing)
    done = len(items) - sum(len(shard.items) for shard in missing)
    with Progress(len(items), description or "items", done=done) as progress, contextlib.closing(computed):
        for shard, values in computed:
            results[shard.first] = _write(shard, values, signature, function)
            progress.add(len(shard.items))
    return [value for shard in shards for value in results[shard.first]]


# -------------------------------------------------------------------------------------------------- what makes a shard


def _plain(value: Any) -> Any:
    """JSON form of an item that JSON does not know."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


def _dump(value: Any, default: Callable[[Any], Any] | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=default)


def _code(code: Any) -> list[str]:
    """What a compiled function does: its instructions, names and constants, without its line numbers."""
    parts = [code.co_code.hex(), repr(code.co_names)]
    for constant in code.co_consts:
        if hasattr(constant, "co_code"):
            parts += _code(constant)
        else:  # the order of a set's elements changes from process to process
            parts.append(repr(sorted(constant, key=repr) if isinstance(constant, frozenset) else constant))
    return parts


def _identity(function: Function) -> list[str]:
    """What tells a function from another: its name, a hash of its code, and the values bound to its arguments."""
    values: list[Any] = []
    while isinstance(function, functools.partial):
        values += [*function.args, *sorted(function.keywords.items())]
        function = function.func
    if not hasattr(function, "__code__") and hasattr(type(function).__call__, "__code__"):
        function = type(function).__call__  # an object that is called like a function
    values += [
        *(getattr(function, "__defaults__", None) or ()),
        *sorted((getattr(function, "__kwdefaults__", None) or {}).items()),
    ]
    bound = []
    for each in values:
        with contextlib.suppress(TypeError, ValueError):
            bound.append(_dump(each, _plain))
    code = _code(function.__code__) if hasattr(function, "__code__") else []
    name = getattr(function, "__qualname__", type(function).__qualname__)
    return [name, hashlib.sha256("\n".join(code).encode("utf-8", "surrogatepass")).hexdigest(), *bound]


def _cut(function: Function, items: list[Any], out: Path, signature: str, shard_size: int) -> list[_Shard]:
    """Shards of the items, each with the file that belongs to exactly these items, this signature and this function."""
    made_by = json.dumps([_FORMAT, signature, _identity(function)])
    shards = []
    for first in range(0, len(items), shard_size):
        part = items[first : first + shard_size]
        lines = []
        for index, item in enumerate(part, start=first):
            try:
                lines.append(_dump(item, _plain))
            except (TypeError, ValueError) as error:
                raise InputError(f"item {index} is not JSON: {error}") from None
        key = hashlib.sha256("\n".join([made_by, *lines]).encode("utf-8", "surrogatepass")).hexdigest()
        shards.append(_Shard(first, part, out / f"{first:08d}-{key[:20]}.jsonl", key))
    return shards


# ------------------------------------------------------------------------------------------------------------- files


def _read(shard: _Shard) -> list[Any] | None:
    """Results of a finished shard; None where there is no file or a damaged one, which is then computed again."""
    try:
        head, _, body = shard.path.read_bytes().partition(b"\n")
    except FileNotFoundError:
        return None
    try:
        header = json.loads(head)
        whole = (
            header["key"] == shard.key
            and header["sha256"] == hashlib.sha256(body).hexdigest()
            and header["items"] == len(shard.items)
        )
        if whole:
            return [json.loads(line) for line in body.split(b"\n")[:-1]]
    except (ValueError, KeyError, TypeError):
        pass
    _log.warning("%s is damaged; its %d items are computed again", shard.path, len(shard.items))
    return None


def _write(shard: _Shard, values: Any, signature: str, function: Function) -> list[Any]:
    """Write a shard's results, so that its file is complete or absent; the results as they will be read."""
    if not isinstance(values, list) or len(values) != len(shard.items):
        found = f"{len(values)} results" if isinstance(values, list) else f"a {type(values).__name__}"
        raise InputError(
            f"the function must return a list of one result per item; for {len(shard.items)} items from "
            f"item {shard.first} on it returned {found}"
        )
    lines = []
    for index, value in enumerate(values, start=shard.first):
        try:
            lines.append(_dump(value))
        except (TypeError, ValueError) as error:
            raise InputError(f"the result of item {index} is not JSON: {error}") from None
    body = "".join(line + "\n" for line in lines).encode("utf-8", "surrogatepass")
    header = {
        "format": _FORMAT,
        "signature": signature,
        "function": _identity(function)[0],
        "first": shard.first,
        "items": len(lines),
        "key": shard.key,
        "sha256": hashlib.sha256(body).hexdigest(),
    }
    part = shard.path.with_name(f".{shard.path.name}.{os.getpid()}.part")
    try:
        try:
            with open(part, "wb") as stream:
                stream.write(json.dumps(header).encode() + b"\n" + body)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(part, shard.path)
        finally:
            part.unlink(missing_ok=True)
        folder = os.open(shard.path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)  # the name, too, survives a power cut
        finally:
            os.close(folder)
    except OSError as error:
        raise ShardWriteError(
            f"{shard.path.parent}: results cannot be written ({error.strerror}); the shards before "
            "are whole, and the same call goes on after them"
        ) from error
    return [json.loads(line) for line in lines]


# -------------------------------------------------------------------------------------------------------- where it runs

Computed = Iterator[tuple[_Shard, list[Any]]]


def _check_importable(function: Function) -> None:
    """Other processes import the function; one that they cannot find is named here, not by a broken pool."""
    import pickle

    inner = function
    while isinstance(inner, functools.partial):
        inner = inner.func
    main = getattr(inner, "__module__", None) == "__main__" and not hasattr(sys.modules["__main__"], "__file__")
    try:
        if main:
            raise TypeError("it belongs to a notebook or an interactive session")
        pickle.dumps(function)
    except Exception as error:
        raise InputError(
            f"workers > 1 needs a function that other processes can import from a module: {error}"
        ) from None


def _start_worker(parent: int) -> None:
    """Let a worker end with the process that started it, even if that one is killed (Linux)."""
    if sys.platform == "linux":
        import ctypes
        import signal

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:  # it died before this was set
        os._exit(1)


def _in_processes(function: Function, shards: list[_Shard], workers: int) -> Computed:
    """Compute on processes of this machine; shards come as they are finished."""
    if not shards:
        return
    _check_importable(function)
    import multiprocessing
    from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
    from concurrent.futures.process import BrokenProcessPool

    # Spawned, not forked: a fork of a process with threads or a GPU context can hang.
    pool = ProcessPoolExecutor(
        min(workers, len(shards)),
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_start_worker,
        initargs=(os.getpid(),),
    )
    waiting, active = iter(shards), {}
    try:
        while True:
            for shard in waiting:
                active[pool.submit(function, shard.items)] = shard
                if len(active) >= 2 * workers:  # no more in memory than keeps the workers busy
                    break
            if not active:
                break
            for future in wait(active, return_when=FIRST_COMPLETED).done:
                yield active.pop(future), future.result()
    except BrokenProcessPool:
        raise WorkerError(
            "a worker process died (out of memory?); finished shards are kept, and the same call goes "
            "on after them, perhaps with fewer workers"
        ) from None
    finally:
        if active:  # stopped early: nothing that the workers are at would be used
            for process in list((getattr(pool, "_processes", None) or {}).values()):
                process.kill()
        pool.shutdown(cancel_futures=True)


def _on_cluster(function: Function, shards: list[_Shard], address: str) -> Computed:
    """Compute on the workers of a Dask scheduler; shards come as they are finished.

    The scheduler gives the shards of a dead worker to the others.
    """
    if not shards:
        return
    from distributed import CancelledError, Client, KilledWorker, as_completed

    try:
        client = Client(address, timeout=_CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise WorkerError(f"no Dask scheduler answers at {address} ({type(error).__name__})") from None
    with client:
        threads = sum(client.nthreads().values())
        waiting, active = iter(shards), {}

        def submit() -> Any:
            shard = next(waiting, None)
            if shard is None:
                return None
            future = client.submit(function, shard.items, pure=False)
            active[future.key] = shard
            return future

        finished = as_completed(
            [future for _ in range(max(4, 3 * threads)) if (future := submit()) is not None], loop=client.loop
        )
        for future in finished:
            try:
                values = future.result()
            except (KilledWorker, CancelledError) as error:
                raise WorkerError(
                    f"the cluster gave up a shard ({type(error).__name__}: its workers died, or the "
                    "scheduler went away); finished shards are kept"
                ) from None
            yield active.pop(future.key), values
            future.release()
            following = submit()
            if following is not None:
                finished.add(following)
