"""The runner: every notebook executed headlessly, with checked parameters and isolated results.

    python -m nbhelpers run [--only 01 02] [--profile quick|full|paper] [-p name=value] [--jobs N] [--out DIR]

Papermill injects the parameters and executes the cells, for each notebook in a process of its own
(`nbhelpers.runner.process`). Around it stand `nbhelpers.runner.parameters` and `nbhelpers.runner.checks` (what can be
wrong is found before anything runs) and `nbhelpers.runner.report` (what a run leaves to read). A notebook that fails
leaves the others alone, and what it had executed is kept.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from nbhelpers.base import paths
from nbhelpers.base.errors import ParameterError
from nbhelpers.runner import report
from nbhelpers.runner.checks import check_cluster, check_models, missing_data
from nbhelpers.runner.parameters import PROFILES, Entry, load_registry, parse_assignments, plan, read_source, select

GRACE = 30.0
"""Seconds that a notebook's process gets to save what it has before it is killed."""
_PAGE_LIMIT = 300.0
"""Seconds that writing an executed notebook's page may take; they do not count as its run time."""
_LINE_EVERY = 10.0
"""Seconds between two progress lines of one notebook."""


def environment(out: Path, profile: str, *, jobs: int = 1, dask: str | None = None) -> dict[str, str]:
    """Environment of the notebooks: this checkout's package, results under `out`, no bars.

    Parameters
    ----------
    out : path
        Folder of the results.
    profile : str
        Profile of the run.
    jobs : int
        How many notebooks share the processor.
    dask : str, optional
        Address of a scheduler for `nbhelpers.base.shards`; None leaves what the environment says.
    """
    values = {
        "TQDM_DISABLE": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        **({"OMP_NUM_THREADS": str(max(1, (os.cpu_count() or 1) // jobs))} if jobs > 1 else {}),
        **os.environ,
        "NBHELPERS_PROFILE": profile,
        "NBHELPERS_HEADLESS": "1",
        "NBHELPERS_OUT": str(out),
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "PYTHONPATH": os.pathsep.join(filter(None, [str(paths.ROOT), os.environ.get("PYTHONPATH")])),
    }
    return values if dask is None else {**values, "NBHELPERS_DASK": dask}


def _say(text: str) -> None:
    """Write a line of progress. A run does not end because nobody reads along any more."""
    with contextlib.suppress(OSError):
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


def _kill(process: subprocess.Popen) -> None:
    """Kill a process and all below it."""
    import psutil

    with contextlib.suppress(psutil.Error):
        below = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
        process.kill()  # first, so that it starts no other
        for each in below:
            with contextlib.suppress(psutil.Error):
                each.kill()


class _Processes:
    """The notebooks' processes, so that all of them can be stopped; afterwards none starts."""

    def __init__(self) -> None:
        self.lock, self.running, self.stopped = threading.Lock(), {}, False

    def start(self, name: str, log: Any, variables: Mapping[str, str]) -> subprocess.Popen | None:
        """Start a process, out of reach of a terminal's Ctrl-C; None once the run was stopped."""
        command = [sys.executable, "-P", "-m", "nbhelpers.runner.process"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": log}
        with self.lock:
            if not self.stopped:
                self.running[name] = subprocess.Popen(
                    command, **pipes, text=True, encoding="utf-8", start_new_session=True, env=variables
                )
                return self.running[name]

    def stop(self) -> None:
        """Close the pipes to all processes, which makes them save what they have and end."""
        with self.lock:
            self.stopped = True
            if self.running:
                _say(f"stopping {', '.join(self.running)}")
            for process in self.running.values():
                with contextlib.suppress(OSError):
                    process.stdin.close()
                _kill_later(process, GRACE)


def _kill_later(process: subprocess.Popen, seconds: float) -> threading.Timer:
    """Kill a process that no longer keeps its limit, or does not end when it is told to."""
    timer = threading.Timer(seconds, _kill, [process])
    timer.daemon = True
    timer.start()
    return timer


def _execute(entry: Entry, result: dict[str, Any], out: Path, processes: _Processes, variables: Mapping) -> None:
    """Execute a notebook in a process of its own; what becomes of it goes into `result`."""
    name, limit = entry.name, result["timeout"]
    places = {"notebook": f"notebooks/{name}.ipynb", "html": f"html/{name}.html", "log": f"logs/{name}.log"}
    for old in [*(out / place for place in places.values()), *(out / "figures").glob(f"{name.split('_')[0]}_*")]:
        old.unlink(missing_ok=True)
    with open(out / places["log"], "w") as log:
        process = processes.start(name, log, variables)
    if process is None:
        return
    began = said = time.monotonic()
    _say(f"{name}: started, {result['cells']} cells, limit {limit:g} s")
    job = {"input": str(entry.path), "output": str(out / places["notebook"]), "html": str(out / places["html"])}
    job |= {"title": entry.title, "parameters": result["injected"], "timeout": limit}
    timer = _kill_later(process, limit + _PAGE_LIMIT + GRACE)
    with contextlib.suppress(OSError, ValueError):  # it has ended, or the run was stopped
        process.stdin.write(json.dumps(job) + "\n")
        process.stdin.flush()
    for line in process.stdout:
        with contextlib.suppress(ValueError):  # the last line of a process that was killed may not be whole
            result.update(json.loads(line))
        if result["cell"] and result["seconds"] is None and time.monotonic() - said >= _LINE_EVERY:
            said = time.monotonic()
            _say(f"{name}: cell {result['cell']} of {result['cells']}, {said - began:.0f} s")
    process.wait()
    timer.cancel()
    with processes.lock:
        del processes.running[name]
    if result["status"] == "not run":  # it never said how it ended
        seconds = round(time.monotonic() - began, 2)
        late, status = seconds > limit, "interrupted" if processes.stopped else "failed"
        result.update(seconds=seconds, status="timeout" if late else status)
    if (out / places["log"]).stat().st_size == 0:
        (out / places["log"]).unlink()
    result.update({key: place if (out / place).exists() else None for key, place in places.items()})


def _run_one(entry: Entry, result: dict[str, Any], out: Path, *how: Any) -> None:
    """Execute a notebook and say how it went."""
    _execute(entry, result, out, *how)
    status = result["status"]
    if status == "not run":
        return
    ended = "ok in" if status == "ok" else f"{status.upper()} after"
    _say(f"{entry.name}: {ended} {result['seconds']:.1f} s" + ("" if status == "ok" else report.describe(result, out)))
    if result["note"]:
        _say(f"{entry.name}: {result['note']}")


@contextlib.contextmanager
def _alone(out: Path) -> Iterator[None]:
    """Hold the results folder for one run at a time; the system lets it go when the runner dies."""
    import fcntl

    try:
        for name in ("notebooks", "html", "logs", "figures"):
            (out / name).mkdir(parents=True, exist_ok=True)
        stream = open(out / ".lock", "a")
    except OSError as error:
        raise ParameterError(f"--out {out} cannot take the results: {error.strerror}") from None
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ParameterError(f"another run is writing to {out}; choose another folder with --out") from None
        yield


def run_notebooks(
    only: Sequence[str] = (),
    *,
    profile: str = "quick",
    parameters: Mapping[str, str] | None = None,
    jobs: int = 1,
    out: str | Path | None = None,
    notebooks: str | Path | None = None,
    dask: str | None = None,
    timeout: float | None = None,
    resume: bool = False,
) -> dict[str, Any]:
    """Execute notebooks and write their results.

    Parameters
    ----------
    only : sequence of str
        The notebooks, by number or name; empty for all that are registered.
    profile : str
        One of `PROFILES`.
    parameters : mapping of str to str, optional
        Values over the profile's, as the command line gives them; each applies to the notebooks that have it.
    jobs : int
        How many notebooks run at a time.
    out : path, optional
        Folder of the results; default ``runs/<profile>`` of the checkout. What an earlier run of the same profile left
        there of other notebooks stays, in ``run.json`` and the index, too.
    notebooks : path, optional
        Folder of the notebooks and of ``profiles.toml``.
    dask : str, optional
        Address of a Dask scheduler, whose workers compute what notebooks give to `nbhelpers.base.shards.map`; empty for
        this machine. Default: what ``NBHELPERS_DASK`` says.
    timeout : float, optional
        Seconds that each notebook may take, in place of the limits in ``profiles.toml``.
    resume : bool
        Leave out notebooks that have run to their end in `out`, with the same cells and the same parameters.

    Returns
    -------
    dict
        What stands in ``run.json``: profile, machine, versions, seconds, status ("ok", "failed" or "interrupted"), and
        for each notebook its status ("ok", "failed", "timeout", "interrupted" or "not run"), seconds, parameters, error
        and headline. ``selected`` names the notebooks of this run.

    Raises
    ------
    NbhelpersError
        Something is wrong that can be known beforehand; nothing was run.
    """
    if jobs < 1 or timeout is not None and not 0 < timeout < 1e9:
        raise ParameterError("--jobs is a whole number of at least 1, and --timeout a positive number of seconds")
    entries = select(load_registry(notebooks), only)
    plans = plan(entries, profile, parameters, say=_say)
    results = {}
    for entry in entries:
        source, values = plans[entry.name]
        results[entry.name] = {
            "name": entry.name,
            "title": entry.title,
            "status": "not run",
            "seconds": None,
            "timeout": timeout or entry.timeout[profile],
            "cells": source.cells,
            "injected": values,
            "parameters": {**source.defaults, **values},
            "sha256": source.sha256,
            **dict.fromkeys(("cell", "error", "headline", "note", "notebook", "html", "log")),
        }
    for result in results.values():
        check_models(result["parameters"])
    if profile != "quick":
        _check_data(entries, profile)
    if address := os.environ.get("NBHELPERS_DASK", "") if dask is None else dask:
        check_cluster(address)
    out = (Path(out) if out is not None else paths.ROOT / "runs" / profile).resolve()
    with _alone(out):
        since, began, stopped_by = datetime.datetime.now(datetime.UTC), time.monotonic(), None
        earlier = report.earlier_results(out, profile)
        for name in [name for name in results if resume and _has_finished(results[name], earlier.get(name), out)]:
            results[name] = earlier[name]
            _say(f"{name}: has run to its end before, with the same parameters")
        waiting = [entry for entry in entries if results[entry.name]["status"] != "ok"]
        processes, variables = _Processes(), environment(out, profile, jobs=jobs, dask=dask)
        with ThreadPoolExecutor(jobs) as pool:
            tasks = [pool.submit(_run_one, entry, results[entry.name], out, processes, variables) for entry in waiting]
            try:
                wait(tasks)
            except KeyboardInterrupt as stop:
                stopped_by = stop.args[0] if stop.args else signal.SIGINT
                processes.stop()
        for task in tasks:
            task.result()
        status = "ok" if all(result["status"] == "ok" for result in results.values()) else "failed"
        not_run = {name for name in earlier.keys() & results if results[name]["status"] == "not run"}
        merged = {**results, **{name: earlier[name] for name in earlier.keys() - results.keys() | not_run}}
        return report.write(
            out,
            profile=profile,
            status=status if stopped_by is None else "interrupted",
            signal=stopped_by,
            started=since.isoformat(timespec="seconds"),
            seconds=round(time.monotonic() - began, 2),
            jobs=jobs,
            dask=variables.get("NBHELPERS_DASK") or None,
            selected=list(results),
            notebooks=[merged[name] for name in sorted(merged)],
        )


def _check_data(entries: Sequence[Entry], profile: str) -> None:
    """Refuse a run on real data of which some is missing."""
    reasons = {entry.name: missing_data(entry.needs) for entry in entries}
    for name, lines in reasons.items():
        for line in lines:
            _say(f"{name} needs data: {line}")
    if lacking := sorted(name for name, lines in reasons.items() if lines):
        raise ParameterError(f"the profile {profile} takes real data, which {', '.join(lacking)} lack; nothing was run")


def _has_finished(result: Mapping[str, Any], earlier: Mapping[str, Any] | None, out: Path) -> bool:
    """Whether an earlier run has executed the same notebook with the same parameters to its end."""
    return (
        earlier is not None
        and earlier["status"] == "ok"
        and all(earlier[key] == result[key] for key in ("sha256", "parameters"))
        and (out / earlier["notebook"]).exists()
    )


# ---------------------------------------------------------------------------------------------------- command line

_EPILOG = """\
A value given with -p has the type of the one in the notebook; texts need no quotes, lists and dictionaries are written
as in Python. A relative path means one in the folder that the run is started from.

examples:
  python -m nbhelpers run --list                           notebooks, parameters and their values in each profile
  python -m nbhelpers run --only 1 -p mu=0.8               one notebook with another value
  python -m nbhelpers run --only 06 -p 'vectors=["glove"]' a list
  python -m nbhelpers run --profile full --jobs 2          real data (NBHELPERS_DATA names its folders), two at a time
  python -m nbhelpers run --resume                         go on after a run that failed or was stopped

results, under --out: index.html (everything on one page), run.json, notebooks/, html/, figures/, logs/

exit status: 0 all notebooks ran to their end; 1 one or more failed or ran out of time; 2 wrong arguments or parameters,
nothing was run; 3 the disk is full; 130 stopped by Ctrl-C, 143 by a request to terminate
"""


def _listing(entries: Sequence[Entry]) -> str:
    """Notebooks with their parameters, for ``--list``."""
    lines = []
    for entry in entries:
        source = read_source(entry.path)
        limits = ", ".join(f"{profile} {entry.timeout[profile]:g} s" for profile in PROFILES)
        lines += [f"{entry.name}: {entry.title}", f"  source: {entry.source or '-'}", f"  limits: {limits}"]
        lines += [f"  needs beyond what ships: {', '.join(entry.needs)}"] if entry.needs else []
        for name, value in source.defaults.items():
            lines.append(f"  {name} = {value!r}" + (f"  # {source.comments[name]}" if source.comments[name] else ""))
            others = [f"{profile}: {values[name]!r}" for profile, values in entry.values.items() if name in values]
            lines += [f"      {', '.join(others)}"] if others else []
        lines.append("")
    return "\n".join(lines[:-1])


def main(argv: Sequence[str] | None = None) -> int:
    """Command line of ``python -m nbhelpers run``.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; default those of the process.

    Returns
    -------
    int
        Exit status: 0; 1 where a notebook failed; 128 + signal where the run was stopped.
    """
    parser = argparse.ArgumentParser(
        prog=f"{paths.program()} run",
        epilog=_EPILOG.replace("python -m nbhelpers", paths.program()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Execute the notebooks headlessly, and end with a table of results.",
    )
    add = parser.add_argument
    add("--only", nargs="+", action="extend", default=[], metavar="NN", help="these notebooks, by number or name")
    add("--profile", default="quick", metavar="|".join(PROFILES), help="shipped (default) or real data, paper's sizes")
    add("-p", dest="parameters", action="append", default=[], metavar="name=value", help="a parameter; may be repeated")
    add("--jobs", type=int, default=1, metavar="N", help="notebooks at a time (default 1)")
    add("--timeout", type=float, metavar="SECONDS", help="limit of each notebook, in place of those of profiles.toml")
    add(
        "--resume",
        action="store_true",
        help="leave out notebooks that have finished with the same cells and parameters",
    )
    add("--out", metavar="DIR", help="folder of the results (default runs/<profile>); other notebooks' results stay")
    add("--dask", metavar="tcp://HOST:PORT", help="Dask scheduler whose workers compute the long loops")
    add("--notebooks", metavar="DIR", help="folder of the notebooks and profiles.toml (default notebooks/)")
    add("--list", action="store_true", help="show notebooks, parameters and their values; run nothing")
    options = vars(parser.parse_args(argv))
    _stop_on_signals()
    try:
        if options.pop("list"):
            print(_listing(select(load_registry(options["notebooks"]), options["only"])))
            return 0
        options["parameters"] = parse_assignments(options["parameters"])
        done = run_notebooks(**options)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    shown = [each for each in done["notebooks"] if each["name"] in done["selected"]]
    _say(f"\n{report.result_table(shown, Path(done['out']))}")
    return 128 + done["signal"] if done["signal"] else int(done["status"] != "ok")


def _stop_on_signals() -> None:
    """Take requests to terminate as Ctrl-C, but what the caller ignores (nohup) stays ignored."""

    def stop(number: int, frame: Any) -> None:
        signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt(number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        if threading.current_thread() is threading.main_thread() and signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, stop)
