"""The strict runner: every notebook executed headlessly, with checked parameters and isolated results.

    python -m nbhelpers run [--only 01 02] [--profile quick|full|paper] [-p name=value] [--jobs N] [--out DIR]

Papermill injects the parameters and executes the cells; around it stand `nbhelpers.runner.parameters` (everything
that can be wrong is found before anything runs), `nbhelpers.runner.process` (one process, kernel and time limit for
each notebook, and nothing left behind), `nbhelpers.runner.report` (what a run leaves to read) and this module, which
runs many: one notebook that fails leaves the others alone, and what it had executed is kept.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from nbhelpers.base import paths
from nbhelpers.base.errors import NbhelpersError, ParameterError
from nbhelpers.runner import parameters as notebook_parameters
from nbhelpers.runner import process as notebook_process
from nbhelpers.runner import report as run_report
from nbhelpers.runner.parameters import PROFILES, Entry, load_registry, read_source, select

_LINE_EVERY = 10.0
"""Seconds between two progress lines of one notebook."""

Plans = Mapping[str, tuple[notebook_parameters.Source, dict[str, Any]]]


class _Progress:
    """Progress of a run: a bar of code cells on a terminal, else plain lines that a log can keep."""

    def __init__(self, total: int) -> None:
        self.bar, self.done, self.said = None, {}, {}
        with contextlib.suppress(OSError, ValueError):  # no terminal
            # A bar needs a width, and a terminal that can go back in its line.
            width = os.get_terminal_size(sys.stdout.fileno()).columns
            if width > 0 and os.environ.get("TERM") != "dumb":
                from tqdm import tqdm

                self.bar = tqdm(total=total, unit="cell", file=sys.stdout, leave=False)

    def say(self, text: str) -> None:
        """Write a line. A run does not end because nobody reads along any more."""
        with contextlib.suppress(OSError):
            if self.bar is not None:
                self.bar.write(text, file=sys.stdout)
            else:
                print(text, flush=True)

    def tick(self, running: notebook_process.Running) -> None:
        """Show where a notebook is, now and then."""
        name, cells, elapsed = running.result["name"], running.result["cells"], running.elapsed()
        if self.bar is not None:
            self.done[name] = max(0, running.cell - 1) if running.process.returncode is None else cells
            self.bar.n = sum(self.done.values())
            self.bar.set_description_str(name)
        elif elapsed - self.said.get(name, 0.0) >= _LINE_EVERY and running.cell:
            self.said[name] = elapsed
            self.say(f"{name}: cell {running.cell} of {cells}, {elapsed:.0f} s")

    def close(self) -> None:
        """Take the bar away."""
        if self.bar is not None:
            self.bar.close()


@contextlib.contextmanager
def _signals() -> Iterator[list[int]]:
    """Collect Ctrl-C and requests to end instead of dying of them, so that no notebook is left behind."""
    received: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield received
        return
    # What the caller ignores (nohup, a background job of a script) stays ignored.
    before = {
        number: signal.signal(number, lambda number, frame: received.append(number))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        if signal.getsignal(number) != signal.SIG_IGN
    }
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _alone(out: Path) -> Iterator[None]:
    """Hold the results folder for one run at a time; the system lets it go when the runner dies."""
    import fcntl

    with open(out / ".lock", "a") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ParameterError(f"another run is writing to {out}; choose another folder with --out") from None
        yield


def run_notebooks(
    only: Sequence[str] = (),
    *,
    profile: str = "quick",
    parameters: Mapping[str, Any] | None = None,
    jobs: int = 1,
    out: str | Path | None = None,
    notebooks: str | Path | None = None,
    dask: str | None = None,
) -> dict[str, Any]:
    """Execute notebooks and write their results.

    Parameters
    ----------
    only : sequence of str
        The notebooks, by number or name; empty for all that are registered.
    profile : str
        One of `PROFILES`.
    parameters : mapping, optional
        Values over the profile's; each applies to the notebooks that have the parameter.
    jobs : int
        How many notebooks run at a time.
    out : path, optional
        Folder of the results; default ``runs/<profile>`` of the checkout.
    notebooks : path, optional
        Folder of the notebooks and of ``profiles.toml``.
    dask : str, optional
        Address of a Dask scheduler, whose workers compute what notebooks give to `nbhelpers.base.shards.map`; empty for
        this machine. Default: what ``NBHELPERS_DASK`` says.

    Returns
    -------
    dict
        What stands in ``run.json``: profile, machine, versions, seconds, status ("ok", "failed" or "interrupted"), and
        for each notebook its status ("ok", "failed", "timeout", "interrupted", "lost" for a process that died, "not
        run"), seconds, parameters, error and headline.

    Raises
    ------
    ParameterError, DataFormatError
        Something is wrong that can be known beforehand; nothing was run.
    """
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
        raise ParameterError(f"--jobs is a whole number of at least 1, not {jobs!r}")
    entries = select(load_registry(notebooks), only)
    if not entries:
        raise ParameterError("no notebook is registered")
    plans = notebook_parameters.plan(entries, profile, parameters)
    out = (Path(out) if out is not None else paths.ROOT / "runs" / profile).resolve()
    try:
        for name in ("notebooks", "html", "logs", "figures"):
            (out / name).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ParameterError(f"--out {out} cannot take the results: {error.strerror}") from None
    with _alone(out), tempfile.TemporaryDirectory(prefix="nbhelpers-", ignore_cleanup_errors=True) as scratch:
        since = time.time()
        keys = [entry.headline for entry in entries if entry.headline]
        run_report.forget_headlines(keys, profile, out / "ledger.jsonl")
        variables = notebook_process.environment(out, profile, jobs=jobs, dask=dask)
        results, received = _run_all(entries, plans, profile, out, jobs, variables, Path(scratch))
        status = "ok" if all(each["status"] == "ok" for each in results) else "failed"
        return run_report.write(
            results,
            out,
            since,
            profile=profile,
            status="interrupted" if received else status,
            signal=received[0] if received else None,
            jobs=jobs,
            dask=variables.get("NBHELPERS_DASK") or None,
        )


def _run_all(
    entries: Sequence[Entry],
    plans: Plans,
    profile: str,
    out: Path,
    jobs: int,
    variables: Mapping[str, str],
    scratch: Path,
) -> tuple[list[dict[str, Any]], list[int]]:
    """Execute the notebooks, at most `jobs` at a time; their results in order, and the signals that ended the run."""
    results = []
    for entry in entries:
        source, values = plans[entry.name]
        results.append(
            {
                "name": entry.name,
                "title": entry.title,
                "status": "not run",
                "seconds": None,
                "timeout": entry.timeout[profile],
                "cells": source.cells,
                "parameters": {**source.defaults, **values},
                "sha256": source.sha256,
                "error": None,
                "headline": None,
                "notes": [],
                "notebook": None,
                "html": None,
                "log": None,
            }
        )
    waiting, active = list(zip(entries, results, strict=True)), []
    progress = _Progress(sum(result["cells"] for result in results))

    def finish(entry: Entry, running: notebook_process.Running) -> None:
        """Take a notebook's result, and say how it went."""
        active.remove((entry, running))
        result = notebook_process.finish(running, out)
        if received and result["status"] == "lost":
            result["status"] = "interrupted"
        how, key = "", entry.headline
        if result["status"] != "ok":
            how = run_report.describe(result, running.cell, out)
        elif key is not None:
            since = time.time() - running.elapsed()
            result["headline"] = run_report.headline(key, profile, out / "ledger.jsonl", since)
            if result["headline"] is None:
                result["notes"].append(f"its headline number ({', '.join(key.values())}) was not recorded")
        progress.tick(running)
        status = "ok in" if result["status"] == "ok" else f"{result['status'].upper()} after"
        progress.say(f"{entry.name}: {status} {result['seconds']:.1f} s{how}")
        for note in result["notes"]:
            progress.say(f"{entry.name}: {note}")

    with _signals() as received:
        try:
            while (waiting or active) and not received:
                while waiting and len(active) < jobs and not received:
                    entry, result = waiting.pop(0)
                    progress.say(
                        f"[{len(entries) - len(waiting)}/{len(entries)}] {entry.name}: started, "
                        f"{result['cells']} cells, limit {result['timeout']:g} s"
                    )
                    active.append(
                        (
                            entry,
                            notebook_process.start(entry.path, result, plans[entry.name][1], out, variables, scratch),
                        )
                    )
                wait([running.channel for _, running in active], timeout=0.2)
                for entry, running in list(active):
                    if notebook_process.has_ended(running):
                        finish(entry, running)
                    else:
                        progress.tick(running)
        finally:
            if active:
                progress.say(f"stopping {', '.join(entry.name for entry, _ in active)}")
                notebook_process.end([running.process for _, running in active])
            for entry, running in list(active):
                finish(entry, running)
            progress.close()
    return results, received


# ---------------------------------------------------------------------------------------------------- command line

_EPILOG = """\
parameters:
  Every notebook has one cell tagged "parameters", whose values are those of the profile quick. The profiles full and
  paper put other values over them (notebooks/profiles.toml), and -p puts its own over both. A value has the type of
  the one in the notebook; texts need no quotes, lists and dictionaries are written as in Python. A relative path means
  one in the folder that the run is started from. A parameter that no selected notebook has, or that no cell reads, is
  an error.

examples:
  python -m nbhelpers run                                  everything, quick profile, results in runs/quick
  python -m nbhelpers run --list                           notebooks, parameters and their values in each profile
  python -m nbhelpers run --only 01 -p threshold=0.2       one notebook with another value
  python -m nbhelpers run --only 02 -p 'sizes=[1, 2]'      a list
  python -m nbhelpers run --profile full --jobs 2          real data (NBHELPERS_DATA names its folders), two at a time
  python -m nbhelpers run --dask tcp://10.0.0.1:8786       long loops computed by the workers of a Dask cluster

results, under --out:
  index.html        everything below on one page
  run.json          result, seconds and parameters of each notebook; machine and versions
  notebooks/        the executed notebooks, a failed one with what it had executed
  html/             the same as pages
  figures/          figures
  ledger.jsonl      recorded numbers
  logs/             what kernels wrote to their standard error

exit status:
  0 all notebooks ran to their end; 1 one or more failed or ran out of time; 2 wrong arguments or parameters, nothing
  was run; 130 stopped by Ctrl-C, 143 by a request to terminate
"""


def _listing(entries: Sequence[Entry]) -> str:
    """Notebooks with their parameters, for ``--list``."""
    lines = []
    for entry in entries:
        limits = ", ".join(f"{profile} {entry.timeout[profile]:g} s" for profile in PROFILES)
        for label, text in (
            ("", f"{entry.name}: {entry.title}"),
            ("  source: ", entry.source),
            ("  limits: ", limits),
            ("  needs beyond what ships: ", ", ".join(entry.needs)),
        ):
            lines += [label + text] if text else []
        try:
            for name, value in read_source(entry.path).defaults.items():
                others = [f"{profile}: {values[name]!r}" for profile, values in entry.values.items() if name in values]
                lines.append(f"  {name} = {value!r}" + (f"    ({', '.join(others)})" if others else ""))
        except NbhelpersError as error:
            lines.append(f"  {error}")
        lines.append("")
    return "\n".join(lines).rstrip()


def main(argv: Sequence[str] | None = None) -> int:
    """Command line of ``python -m nbhelpers run``.

    Returns
    -------
    int
        Exit status: 0; 1 where a notebook failed; 2 for wrong parameters; 128 + signal where the run was stopped.
    """
    parser = argparse.ArgumentParser(
        prog="python -m nbhelpers run",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Execute the notebooks headlessly and strictly, and end with a table of results.",
    )
    parser.add_argument("--only", nargs="+", default=[], metavar="NN", help="these notebooks, by number or name")
    parser.add_argument(
        "--profile",
        default="quick",
        metavar="|".join(PROFILES),
        help="quick (default): data and models that ship with the project; full: real data; "
        "paper: the papers' models and sizes",
    )
    parser.add_argument(
        "-p",
        dest="parameters",
        action="append",
        default=[],
        metavar="name=value",
        help="a parameter value, over the profile's; may be repeated",
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="notebooks at a time (default 1)")
    parser.add_argument("--out", metavar="DIR", help="folder of the results (default runs/<profile>)")
    parser.add_argument(
        "--dask",
        metavar="tcp://HOST:PORT",
        help="Dask scheduler whose workers compute the long loops (default NBHELPERS_DASK, else none)",
    )
    parser.add_argument(
        "--notebooks",
        metavar="DIR",
        help="folder of the notebooks and profiles.toml (default notebooks/ of the checkout)",
    )
    parser.add_argument("--list", action="store_true", help="show notebooks, parameters and their values; run nothing")
    options = vars(parser.parse_args(argv))
    try:
        if options.pop("list"):
            print(_listing(select(load_registry(options["notebooks"]), options["only"])))
            return 0
        options["parameters"] = notebook_parameters.parse_assignments(options["parameters"])
        report = run_notebooks(**options)
    except NbhelpersError as error:
        print(error, file=sys.stderr)
        return 2
    with contextlib.suppress(BrokenPipeError):
        print(f"\n{run_report.result_table(report)}", flush=True)
    return 128 + report["signal"] if report["signal"] else int(report["status"] != "ok")
