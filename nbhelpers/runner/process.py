"""One notebook, executed by a process of its own: how it starts, what it reports, and how it ends.

The process (``python -m nbhelpers.runner.process job.json``) lets Papermill execute the notebook with a kernel of the
same Python, holds the time limit for the whole of it, and writes the executed notebook and its page. The runner starts
it with `start`, reads what it reports with `receive` and takes its result with `finish`. The process, its kernel and
whatever they started end with the run, also after a time limit and, on Linux, after the death of the runner. Processes
and signals are those of POSIX systems (Linux, macOS).
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbhelpers.base import paths
from nbhelpers.base.files import replace_file

GRACE = 20.0
"""Seconds that a notebook's process gets to save what it has before it is killed."""
_EXPORT_LIMIT = 300.0
"""Seconds that the HTML export of an executed notebook may take; they do not count as its run time."""


# ------------------------------------------------------------------------------------------------ the runner's side


@dataclass(eq=False)
class Running:
    """A notebook that is being executed."""

    result: dict[str, Any]  # what is known of it, as it will stand in run.json
    process: subprocess.Popen
    channel: int  # file descriptor at which the process's reports arrive
    limit: float  # seconds after its start at which the process should have ended
    started: float = field(default_factory=time.monotonic)
    cell: int = 0  # number of the code cell that it is at
    _unread: bytes = b""

    def elapsed(self) -> float:
        """Seconds since it was started."""
        return time.monotonic() - self.started


def environment(out: Path, profile: str, *, jobs: int = 1, dask: str | None = None) -> dict[str, str]:
    """Environment of the notebooks: this checkout's package, results under `out`, no bars.

    `jobs` notebooks share the processor; `dask` is the address of a scheduler for `nbhelpers.base.shards`, and None
    leaves what the environment says.
    """
    values = {
        **os.environ,
        "NBHELPERS_PROFILE": profile,
        "NBHELPERS_HEADLESS": "1",
        "NBHELPERS_OUT": str(out),
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "PYTHONPATH": os.pathsep.join(filter(None, [str(paths.ROOT), os.environ.get("PYTHONPATH")])),
    }
    if dask is not None:
        values["NBHELPERS_DASK"] = dask
    for name in ("TQDM_DISABLE", "HF_HUB_DISABLE_PROGRESS_BARS"):
        values.setdefault(name, "1")
    if jobs > 1:
        values.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // jobs)))
    return values


def start(
    path: Path,
    result: dict[str, Any],
    values: Mapping[str, Any],
    out: Path,
    variables: Mapping[str, str],
    scratch: Path,
) -> Running:
    """Start the process that executes a notebook.

    Parameters
    ----------
    path : path
        The notebook.
    result : dict
        Its name, title and timeout (seconds); takes what becomes of it.
    values : mapping
        Parameter values to inject.
    out : path
        Folder of the results, with ``notebooks``, ``html`` and ``logs`` in it.
    variables : mapping
        Its environment, see `environment`.
    scratch : path
        The run's folder for temporary files. Its path should be short, for sockets lie there.
    """
    name = result["name"]
    own = scratch / str(len(os.listdir(scratch)))
    own.mkdir()
    output, page = out / "notebooks" / f"{name}.ipynb", out / "html" / f"{name}.html"
    for old in (output, page):
        old.unlink(missing_ok=True)
    receiver, channel = os.pipe()
    os.set_blocking(receiver, False)
    job = {
        "runner": os.getpid(),
        "channel": channel,
        "input": str(path),
        "output": str(output),
        "html": str(page),
        "title": result["title"],
        "parameters": values,
        "timeout": result["timeout"],
        "scratch": str(own),
        "deadline": time.time() + result["timeout"],
    }
    (own / "job.json").write_text(json.dumps(job), encoding="utf-8")
    with open(out / "logs" / f"{name}.log", "wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "nbhelpers.runner.process", str(own / "job.json")],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=[channel],
            start_new_session=True,
            env={**variables, "IPYTHONDIR": str(own / "ipython"), "JUPYTER_RUNTIME_DIR": str(own / "runtime")},
        )
    os.close(channel)
    result["status"] = "lost"  # until it says how it ended
    return Running(result, process, receiver, float(result["timeout"]))


def _receive(running: Running) -> None:
    """Take what the notebook's process has reported since the last call."""
    with contextlib.suppress(BlockingIOError):
        while data := os.read(running.channel, 65536):
            running._unread += data
    *lines, running._unread = running._unread.split(b"\n")
    for line in lines:
        report = json.loads(line)
        running.cell = report.pop("cell", running.cell)
        if "note" in report:
            running.result["notes"].append(report.pop("note"))
        if report.pop("executed", False):
            running.result["seconds"] = running.elapsed()
            running.limit = running.elapsed() + _EXPORT_LIMIT
        running.result.update(report)


def has_ended(running: Running) -> bool:
    """Take what the process has reported; whether it has ended, if need be because it was long past its limit."""
    ended = running.process.poll() is not None
    _receive(running)
    # The process keeps its limit itself; this is for one that can no longer do so.
    if not ended and running.elapsed() > running.limit + GRACE:
        end([running.process])
        _receive(running)
        running.result.update(status="timeout", error=None)
        ended = True
    return ended


def finish(running: Running, out: Path) -> dict[str, Any]:
    """Result of a notebook whose process has ended: status, seconds, error, and the files that there are."""
    _receive(running)
    os.close(running.channel)
    result = running.result
    result["seconds"] = round(running.elapsed() if result["seconds"] is None else result["seconds"], 2)
    for key, folder, suffix in (("notebook", "notebooks", "ipynb"), ("html", "html", "html"), ("log", "logs", "log")):
        path = out / folder / f"{result['name']}.{suffix}"
        if key == "log" and path.exists() and path.stat().st_size == 0:
            path.unlink()
        result[key] = f"{folder}/{path.name}" if path.exists() else None
    return result


def end(processes: Sequence[subprocess.Popen]) -> None:
    """End processes: asked first, so that each saves what it has; killed with all below them after the grace time."""
    for process in processes:
        process.terminate()
    until = time.monotonic() + GRACE
    for process in processes:
        try:
            process.wait(max(0.1, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            _kill_below(process.pid)
            process.kill()
            process.wait()


def _kill_below(pid: int) -> None:
    """Kill every process below one, those started meanwhile and those that lost their parent included."""
    import psutil

    for _ in range(10):
        children = psutil.Process(pid).children(recursive=True)
        if not children:
            return
        for child in children:
            with contextlib.suppress(psutil.Error):
                child.kill()
        psutil.wait_procs(children, timeout=2)


# ------------------------------------------------------------------------------------------------ the process's side

_KERNEL = """
import ctypes, os, signal, sys
try:
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: the kernel never outlives the process that runs it
except Exception:
    pass
if os.environ.get("JPY_PARENT_PID") not in (None, str(os.getppid())):
    sys.exit(1)
sys.path[:] = [each for each in sys.path if each]
import tqdm.auto  # outside of a kernel it chooses the text bar, which TQDM_DISABLE silences, and keeps to it
from ipykernel.kernelapp import launch_new_instance
launch_new_instance()
"""


def _prctl(option: int, value: int) -> None:
    """Linux's process control; elsewhere nothing happens."""
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, value)


def _save(notebook: Any, path: Path) -> None:
    """Write a notebook as a whole: a reader sees the last one or this one, never a part."""
    import nbformat

    # Papermill stores an absolute path, which says more about the machine than a result should.
    notebook.metadata.get("papermill", {}).update(input_path=path.name, output_path=path.name)
    replace_file(path, nbformat.writes(notebook).encode("utf-8"))


def _export(path: Path, target: Path, title: str) -> None:
    """Write an executed notebook as one HTML file."""
    import nbformat

    from nbhelpers.base import plots

    notebook = nbformat.read(path, as_version=4)
    notebook.metadata["title"] = title
    # Only stored widget state would need this script, and none is stored; without it the page opens with no network.
    page = plots.html_page(notebook, require_js_url="").replace('<script src=""></script>', "")
    target.write_text(page, encoding="utf-8")


def _execute(job: Mapping[str, Any]) -> int:
    """Execute one notebook; what happens goes through the pipe ``job["channel"]`` as JSON lines."""
    _prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG: this process is told to stop when the runner dies
    _prctl(36, 1)  # PR_SET_CHILD_SUBREAPER: what the kernel leaves behind becomes ours, and is ended below
    # nbformat's validator would compile a grammar of web addresses for a second and more; notebooks have no use for it.
    sys.modules.setdefault("rfc3987_syntax", None)
    output = Path(job["output"])
    state: dict[str, Any] = {"notebook": None, "cell": None, "number": 0}

    def send(**report: Any) -> None:
        data = (json.dumps(report) + "\n").encode()
        with contextlib.suppress(BrokenPipeError):
            while data:
                data = data[os.write(job["channel"], data) :]

    def failure(name: str, value: str, traceback: str = "") -> dict[str, Any]:
        cell = state["cell"]
        return {
            "name": name,
            "value": value,
            "traceback": traceback,
            "cell": state["number"],
            "source": cell.source if cell is not None else "",
        }

    def close(status: str, error: Mapping[str, Any] | None) -> None:
        """End the kernel, write what there is, and say how it went."""
        _kill_below(os.getpid())
        try:
            if state["notebook"] is not None:
                _save(state["notebook"], output)
            send(executed=True)
            if output.exists() and status != "interrupted":
                _export(output, Path(job["html"]), job["title"])
        except Exception as problem:
            send(note=f"not everything was written: {type(problem).__name__}: {problem}")
        send(status=status, error=error)

    def stop(number: int, frame: Any) -> None:
        """Time limit or end of the run."""
        for each in handled:
            signal.signal(each, signal.SIG_IGN)
        late = number == signal.SIGALRM
        error = (
            failure("TimeoutError", f"the notebook reached its limit of {job['timeout']:g} s")
            if late
            else failure("Interrupted", "the run was stopped")
        )
        if state["cell"] is not None:
            from nbformat.v4 import new_output

            state["cell"].outputs.append(
                new_output(
                    "error",
                    ename=error["name"],
                    evalue=error["value"],
                    traceback=[f"{error['name']}: {error['value']}"],
                )
            )
        close("timeout" if late else "interrupted", error)
        if os.getppid() != job["runner"]:  # nobody else is left to tidy up
            shutil.rmtree(job["scratch"], ignore_errors=True)
            with contextlib.suppress(OSError):
                Path(job["scratch"]).parent.rmdir()
        os._exit(3)

    handled = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGALRM)
    for number in handled:
        signal.signal(number, stop)
    if os.getppid() != job["runner"]:
        return 3
    signal.setitimer(signal.ITIMER_REAL, max(0.01, job["deadline"] - time.time()))
    status, error = "ok", None
    try:
        _papermill(job, state, send)
    except Exception as problem:  # whatever happened, it is this notebook's result
        value = str(getattr(problem, "evalue", problem))
        if type(problem).__name__ == "DeadKernelError":
            value = "the kernel died (out of memory, or a crash)"
        status, error = (
            "failed",
            failure(
                getattr(problem, "ename", type(problem).__name__),
                value,
                re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(getattr(problem, "traceback", None) or [])),
            ),
        )
    signal.setitimer(signal.ITIMER_REAL, 0)
    state["cell"] = None  # whatever comes now does not happen to a cell
    close(status, error)
    return 0


def _papermill(job: Mapping[str, Any], state: dict[str, Any], send: Callable[..., None]) -> None:
    """Execute a notebook with Papermill, by an engine that reports cells and takes a kernel of this Python."""
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import AsyncKernelManager
    from papermill.clientwrap import PapermillNotebookClient
    from papermill.engines import Engine, papermill_engines
    from papermill.execute import execute_notebook
    from papermill.log import logger

    class OwnKernel(AsyncKernelManager):
        """A kernel of this Python whatever kernels are installed, reached through files instead of ports."""

        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            address = Path(job["scratch"]) / "k"
            if len(str(address)) < 90:  # the system takes addresses of some 100 characters
                self.transport, self.ip = "ipc", str(address)

        @property
        def kernel_spec(self) -> KernelSpec:
            return KernelSpec(
                argv=[sys.executable, "-c", _KERNEL, "-f", "{connection_file}", "--HistoryManager.enabled=False"],
                display_name="Python 3",
                language="python",
            )

    class OwnEngine(Engine):
        @classmethod
        def execute_managed_notebook(cls, manager: Any, kernel_name: str, **options: Any) -> None:
            state["notebook"] = manager.nb
            start = manager.cell_start

            def cell_start(cell: Any, cell_index: int | None = None, **more: Any) -> None:
                if cell.cell_type == "code":
                    # The cell that Papermill injects has no number of its own: the parameters cell's counts.
                    state["number"] += "injected-parameters" not in cell.metadata.get("tags", [])
                    state["cell"] = cell
                    send(cell=state["number"])
                start(cell, cell_index, **more)

            manager.cell_start = cell_start
            manager.save = lambda **more: _save(manager.nb, Path(job["output"]))
            PapermillNotebookClient(
                manager,
                kernel_name=kernel_name,
                kernel_manager_class=OwnKernel,
                log=logger,
                timeout=None,
                startup_timeout=max(60, int(job["timeout"])),
                iopub_timeout=60,
                store_widget_state=False,
                shutdown_kernel="immediate",
            ).execute()

    papermill_engines.register("nbhelpers", OwnEngine)
    source = job["input"].replace("{", "{{").replace("}", "}}")  # Papermill fills {names} into paths
    execute_notebook(
        source,
        None,
        parameters=job["parameters"],
        engine_name="nbhelpers",
        kernel_name="python3",
        language="python",
        progress_bar=False,
    )


if __name__ == "__main__":
    raise SystemExit(_execute(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))
