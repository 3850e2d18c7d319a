"""One notebook, executed by Papermill in a process of its own: ``python -m nbhelpers.runner.process``.

The runner writes the job to standard input, one line of JSON, and keeps this pipe open. Where it closes, because the
run is stopped or the runner was killed, the process saves what there is, ends its kernel and goes. It holds the time
limit in the same way. What happens is reported on standard output as lines of JSON. Processes and signals are those
of POSIX systems (Linux, macOS).
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from nbhelpers.base.files import replace_file

_KERNEL = "import tqdm.auto; from ipykernel.kernelapp import launch_new_instance as launch; launch()"
"""Outside of a kernel tqdm chooses its text bar, which ``TQDM_DISABLE`` silences, and keeps to it."""


class _Stopped(KeyboardInterrupt):
    """The time limit is reached or the run is stopped. Event loops let a KeyboardInterrupt through."""


def _stop(number: int, frame: Any) -> None:
    _not_again()
    raise _Stopped("timeout" if number == signal.SIGALRM else "interrupted")


def _not_again() -> None:
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _stop_with_the_runner() -> None:
    """Wait until the pipe from the runner closes."""
    os.read(0, 1)
    os.kill(os.getpid(), signal.SIGTERM)


def execute(job: Mapping[str, Any], report: Callable[..., None]) -> None:
    """Execute a notebook, and write it and its page with what was done until its end, an error or the time limit.

    Parameters
    ----------
    job : mapping
        ``input``, ``output`` and ``html`` (paths), ``title``, ``parameters`` (a dict) and ``timeout`` (seconds).
    report : callable
        Takes, as named arguments, the number of each code cell that begins (``cell``), and at the end ``status``
        ("ok", "failed", "timeout" or "interrupted"), ``seconds``, ``error`` and what else is to be said (``note``).
    """
    began, status, error = time.monotonic(), "ok", None
    number, current = 0, None

    def cell_starts(cell: Any, cell_index: int) -> None:
        nonlocal number, current
        # The cell that Papermill injects has no number of its own: the parameters cell's counts.
        if cell.cell_type == "code" and "injected-parameters" not in cell.metadata.get("tags", []):
            number, current = number + 1, cell
            report(cell=number)

    signal.signal(signal.SIGTERM, _stop)
    signal.signal(signal.SIGALRM, _stop)
    threading.Thread(target=_stop_with_the_runner, daemon=True).start()
    try:
        signal.setitimer(signal.ITIMER_REAL, job["timeout"])
        _papermill(job, cell_starts)
        _not_again()
    except (Exception, _Stopped) as problem:  # whatever happened, it is this notebook's result
        _not_again()
        name, value = getattr(problem, "ename", type(problem).__name__), str(getattr(problem, "evalue", problem))
        traceback = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(getattr(problem, "traceback", ())))
        status = value if isinstance(problem, _Stopped) else "failed"
        if status == "timeout":
            name, value = "TimeoutError", f"the notebook reached its limit of {job['timeout']:g} s"
        elif status == "interrupted":
            name, value = "Interrupted", "the run was stopped"
        elif name == "DeadKernelError":
            value = "the kernel died (out of memory, or a crash)"
        source = current.source if current is not None else ""
        error = {"name": name, "value": value, "traceback": traceback, "cell": number, "source": source}
    report(seconds=round(time.monotonic() - began, 2))
    try:
        _finish(job, number, error if status in ("timeout", "interrupted") else None)
    except Exception as problem:
        report(note=f"not everything was written: {type(problem).__name__}: {problem}")
    report(status=status, error=error, headline=_headline(Path(job["output"])) if status == "ok" else None)


def _headline(executed: Path) -> dict[str, str] | None:
    """What the last call of `nbhelpers.results.tables.headline` said in an executed notebook."""
    import nbformat

    if not executed.exists():
        return None
    outputs = [output for cell in nbformat.read(executed, 4).cells for output in cell.get("outputs", [])]
    said = [output["metadata"].get("nbhelpers-headline") for output in outputs if "metadata" in output]
    return next((dict(one) for one in reversed(said) if one), None)


def _papermill(job: Mapping[str, Any], cell_starts: Callable[..., None]) -> None:
    """Execute the notebook with a kernel of this Python, whatever kernels are installed."""
    # nbformat's validator would compile a grammar of web addresses for a second and more; notebooks have no use for it.
    sys.modules.setdefault("rfc3987_syntax", None)
    import papermill
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import AsyncKernelManager

    class OwnKernel(AsyncKernelManager):
        @property
        def kernel_spec(self) -> KernelSpec:
            options = ["--HistoryManager.enabled=False", "--log-level=ERROR"]
            command = [sys.executable, "-P", "-c", _KERNEL, "-f", "{connection_file}", *options]
            return KernelSpec(argv=command, display_name="Python 3", language="python")

    # Papermill fills {names} into paths.
    source, target = (re.sub(r"([{}])", r"\1\1", job[key]) for key in ("input", "output"))
    with tempfile.TemporaryDirectory(prefix="nbhelpers-", ignore_cleanup_errors=True) as folder:
        os.environ.update(IPYTHONDIR=folder, JUPYTER_RUNTIME_DIR=folder)  # nobody's start-up files
        papermill.execute_notebook(
            source,
            target,
            parameters=job["parameters"],
            kernel_name="python3",
            language="python",
            progress_bar=False,
            start_timeout=300,
            iopub_timeout=300,
            kernel_manager_class=OwnKernel,
            store_widget_state=False,
            shutdown_kernel="immediate",
            on_cell_start=cell_starts,
        )


def _joined(outputs: list[Any]) -> list[Any]:
    """Outputs with neighbouring texts of one stream, which a busy machine splits, in one."""
    joined: list[Any] = []
    for output in outputs:
        last = joined[-1] if joined else {}
        if output["output_type"] == "stream" and last.get("name") == output["name"]:
            last["text"] += output["text"]
        else:
            joined.append(output)
    return joined


def _finish(job: Mapping[str, Any], number: int, stopped: Mapping[str, Any] | None) -> None:
    """Write the executed notebook without paths of this machine, and its page; name in its cell what stopped it."""
    import nbformat

    output = Path(job["output"])
    if not output.exists():
        return
    notebook = nbformat.read(output, as_version=4)
    notebook.metadata.papermill.update(input_path=output.name, output_path=output.name)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for cell in cells:
        cell.outputs = _joined(cell.outputs)
    cells = [cell for cell in cells if "injected-parameters" not in cell.metadata.get("tags", [])]
    if stopped and number:
        name, value = stopped["name"], stopped["value"]
        seen = nbformat.v4.new_output("error", ename=name, evalue=value, traceback=[f"{name}: {value}"])
        cells[number - 1].outputs.append(seen)
    replace_file(output, nbformat.writes(notebook).encode("utf-8"))
    if not (stopped and stopped["name"] == "Interrupted"):
        from nbhelpers.runner.report import notebook_page

        notebook.metadata["title"] = job["title"]
        replace_file(job["html"], notebook_page(notebook).encode("utf-8"))


def main() -> int:
    """Execute the notebook of the job on standard input."""
    reports = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the kernel writes past IPython goes into the log

    def report(**news: Any) -> None:
        with contextlib.suppress(OSError):  # nobody is left to hear it
            print(json.dumps(news), file=reports, flush=True)

    execute(json.loads(sys.stdin.readline()), report)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
