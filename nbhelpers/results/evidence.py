"""Evidence: what every experiment found on every item, as small tables that ship with the project.

``data/results/evidence`` holds one Parquet table for each experiment, one line per item and system, with numbers and
short codes only: an item is its place in the official file, never its text. A table may hold several *runs* (two
models, say); the column ``run`` is the number of the line's run in the manifest ``NAME.json`` beside the table, which
says for each run what it was made from and the command that makes it again. Every number that the project shows is a
summary of such a table, computed where it is shown.
"""

from __future__ import annotations

import datetime
import functools
import hashlib
import json
import os
import platform
import re
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbhelpers
from nbhelpers.base import paths
from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError, did_you_mean
from nbhelpers.base.files import replace_file
from nbhelpers.resources.data import stand_ins

if TYPE_CHECKING:
    import pandas

_FORMAT = "nbhelpers evidence 1"


@dataclass(frozen=True)
class Run:
    """Where a part of a table comes from.

    Attributes
    ----------
    model : str
        Name of the model, as it labels results; empty where there is none.
    identity : str
        Name and revision of the model's weights.
    data : str
        Name and sha256 of the data.
    signature : str
        How the items were made, in one line.
    settings : mapping
        Parameters of `command`.
    command : str
        What makes the run again.
    seconds : float
        Processor time, of all processes.
    device, date, version : str
        Filled in by `save`.
    """

    model: str = ""
    identity: str = ""
    data: str = ""
    signature: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    command: str = ""
    seconds: float = 0.0
    device: str = ""
    date: str = ""
    version: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """What makes two runs the same: a later one replaces the earlier one."""
        return self.model, self.data, self.signature


def folder() -> Path:
    """Where the tables are."""
    return paths.data_dir() / "results" / "evidence"


def names() -> list[str]:
    """Names of all tables, sorted.

    Examples
    --------
    >>> all(name == name.lower() for name in names())
    True
    """
    return sorted(path.stem for path in folder().glob("*.parquet"))


def _manifest(name: str) -> tuple[Path, dict[str, Any]]:
    path = folder() / f"{name}.json"
    if not path.is_file():
        raise ResourceNotFoundError(f"there is no evidence called {name!r}; {did_you_mean(name, names())}")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] != _FORMAT:
            raise ValueError(f"its format is {content['format']!r}, not {_FORMAT!r}")
        content["runs"] = [Run(**run) for run in content["runs"]]
        return path, content
    except (ValueError, KeyError, TypeError) as error:
        raise DataFormatError(path, None, f"is not a manifest of evidence ({error})") from None


def runs(name: str) -> list[Run]:
    """The runs that a table holds, in the order of its column ``run``."""
    return _manifest(name)[1]["runs"]


@functools.lru_cache(maxsize=8)
def _read(name: str, stamp: int) -> pandas.DataFrame:
    import pandas

    path, manifest = _manifest(name)
    table = path.with_suffix(".parquet")
    content = table.read_bytes() if table.is_file() else b""
    if hashlib.sha256(content).hexdigest() != manifest["sha256"]:
        raise DataFormatError(table, None, "is not the table of its manifest (another sha256); is it damaged?")
    return pandas.read_parquet(table)


def load(name: str) -> pandas.DataFrame:
    """The items of an experiment, one line per item and system.

    Parameters
    ----------
    name : str
        Such as ``ndd-compression``.

    Returns
    -------
    DataFrame
        The columns are the experiment's own; ``run`` is the place of the line's run in `runs`, and ``model`` the name
        of its model.

    Raises
    ------
    ResourceNotFoundError
        There is no such table.
    DataFormatError
        The table is damaged, or its manifest does not fit.
    """
    path, manifest = _manifest(name)
    table = path.with_suffix(".parquet")
    frame = _read(name, table.stat().st_mtime_ns if table.is_file() else 0).copy()
    if "model" not in frame:
        frame["model"] = frame["run"].map(lambda number: manifest["runs"][number].model)
    return frame


def earlier(name: str, run: Run) -> tuple[pandas.DataFrame | None, Run]:
    """Items and manifest of the recorded run that `run` would replace; None and an empty one for other weights."""
    for number, one in enumerate(runs(name) if name in names() else ()):
        if (one.key, one.identity) == (run.key, run.identity):
            items = load(name)
            return items[items["run"] == number].drop(columns=["run", "model"]).reset_index(drop=True), one
    return None, Run()


def save(name: str, items: pandas.DataFrame, run: Run) -> Path:
    """Put the items of a run into a table, in place of an earlier run with the same model, data and signature.

    Parameters
    ----------
    name : str
    items : DataFrame
        One line per item and system. Text is refused where it is longer than a short code (40 characters).
    run : Run

    Returns
    -------
    path
        The table's file.

    Raises
    ------
    InputError
        No items, a column of long texts, or a data set of which only the small stand-in is on this machine.
    """
    import pandas

    if not re.fullmatch(r"[a-z0-9-]+", name) or items.empty:
        raise InputError(f"evidence has a name of small letters, digits and '-', and items; {name!r} has {len(items)}")
    if small := stand_ins():
        raise InputError(f"evidence is recorded on real data only; these are small stand-ins: {', '.join(small)}")
    for column in items.select_dtypes(include=["object", "str", "category"]):
        longest = max((len(one) for one in items[column] if isinstance(one, str)), default=0)
        if longest > 40:
            raise InputError(f"the column {column!r} has a text of {longest} characters; evidence holds codes only")
    target = folder() / f"{name}.parquet"
    kept, known = [], []
    if target.exists():
        older = _read(name, target.stat().st_mtime_ns)
        for number, one in enumerate(runs(name)):
            if one.key != run.key:
                kept.append(older[older["run"] == number].assign(run=len(known)))
                known.append(one)
    dated = {
        "device": run.device or device_name(),
        "date": run.date or datetime.datetime.now(datetime.UTC).date().isoformat(),
        "version": nbhelpers.__version__,
    }
    known.append(Run(**{**asdict(run), "seconds": round(run.seconds, 1), **dated}))
    table = pandas.concat([*kept, items.assign(run=len(known) - 1)], ignore_index=True)
    table["run"] = table["run"].astype("int16")
    target.parent.mkdir(parents=True, exist_ok=True)
    content = table.to_parquet(index=False, compression="zstd")
    manifest = {
        "format": _FORMAT,
        "items": len(table),
        "columns": {column: str(kind) for column, kind in table.dtypes.items()},
        "sha256": hashlib.sha256(content).hexdigest(),
        "runs": [asdict(one) for one in known],
    }
    replace_file(target, content)
    replace_file(target.with_suffix(".json"), (json.dumps(manifest, indent=1, ensure_ascii=False) + "\n").encode())
    return target


def device_name() -> str:
    """What computes: the CUDA device where torch is loaded and sees one, else the CPU and its cores."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        return torch.cuda.get_device_name()
    known = Path("/proc/cpuinfo")
    found = known.exists() and re.search(r"^model name\s*:\s*(.+)$", known.read_text(), flags=re.MULTILINE)
    model = found[1].strip() if found else platform.processor() or platform.machine() or "CPU"
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{cores} x {model}"
