"""``python -m nbhelpers COMMAND``: the command line of the project."""

from __future__ import annotations

import errno
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from nbhelpers.base.errors import NbhelpersError, did_you_mean
from nbhelpers.base.paths import program

COMMANDS = {
    "run": ("nbhelpers.runner.run", "execute the notebooks headlessly, ending with a table of results"),
    "evidence": ("nbhelpers.commands.evidence", "list the evidence, show its tables, test the claims, record it again"),
    "record": (
        "nbhelpers.runner.record",
        "bring the text of notebooks, or the results of a run, into the committed notebooks",
    ),
    "course": ("nbhelpers.runner.course", "write a version of every notebook for learners and one for instructors"),
    "check": ("nbhelpers.commands.check", "say which texts keep the meaning, which do not, and which words change it"),
    "score": ("nbhelpers.commands.score", "rate pairs of texts with any metrics"),
    "board": ("nbhelpers.commands.board", "say which measure is best for which job; try your own on every test"),
    "compare": ("nbhelpers.commands.compare", "compare the outputs of systems on one test set, with any metrics"),
}
"""For each command the module whose ``main(argv) -> int`` takes the rest of the line, and what it does."""


_FULL_DISK = 3
"""Exit status when the disk is full, or a quota or limit of file sizes is reached."""
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

IN_THE_CLONE = ("run", "evidence", "record", "course", "board")
"""Commands that need the notebooks or the evidence, which a wheel does not have."""


def main(argv: Sequence[str] | None = None) -> int:
    """Hand the command line to the module of its command; only that module is imported.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the program's name; default ``sys.argv[1:]``.

    Returns
    -------
    int
        Exit status: the command's; 2 for an unknown command or after an error, which is one sentence; 3 if the disk is
        full; 141 where nobody reads the output any more.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    name = arguments[0] if arguments else ""
    try:
        status = _run(name, arguments[1:])
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # whoever read along, such as head, has what it wanted
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except (NbhelpersError, OSError) as error:  # bad input; a full disk, a folder that is read-only
        print(f"{program()} {name}: {_sentence(error)}", file=sys.stderr)
        causes = (error, error.__cause__, error.__context__)
        return _FULL_DISK if any(getattr(one, "errno", None) in _FULL for one in causes) else 2


def _sentence(error: Exception) -> str:
    """What went wrong, on one line; an error of the system names its file first."""
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split())


def _run(name: str, arguments: Sequence[str]) -> int:
    """Run one command, or say which there are."""
    lines = [f"  {command:<10} {text}" for command, (_, text) in COMMANDS.items()]
    lines = [f"usage: {program()} COMMAND [...]", "", *lines, ""]
    overview = "\n".join([*lines, f"{program()} COMMAND --help tells more."])
    if name in ("", "-h", "--help"):
        print(overview)
        return 0 if name else 2
    if name not in COMMANDS:
        print(f"unknown command {name!r}; {did_you_mean(name, COMMANDS)}\n\n{overview}", file=sys.stderr)
        return 2
    if name in IN_THE_CLONE and (Path(__file__).parent / "data").is_dir():  # as in a wheel
        sentence = "needs the clone of the project with its notebooks; this is an installed package."
        print(f"{program()} {name}: {sentence}", file=sys.stderr)
        return 2
    return importlib.import_module(COMMANDS[name][0]).main(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
