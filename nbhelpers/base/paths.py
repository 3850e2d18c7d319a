"""Where things are: the checkout, its data, and the folder that takes the results of a run.

``NBHELPERS_OUT`` (set by the runner) names the folder that takes the figures of a run; without it, interactive sessions
write under ``runs/interactive`` and never touch committed files.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from nbhelpers.base.errors import InputError

ROOT = Path(__file__).resolve().parents[2]
"""The checkout: the folder that holds ``nbhelpers``, ``notebooks`` and ``data``."""

_INSIDE = Path(__file__).resolve().parents[1] / "data"


def program() -> str:
    """How the command line was called: ``nbhelpers``, which an installed package has, or ``python -m nbhelpers``."""
    return "nbhelpers" if Path(sys.argv[0]).stem == "nbhelpers" else "python -m nbhelpers"


def data_dir() -> Path:
    """Folder of the data that ships with the project; an installed wheel has it inside the package."""
    return _INSIDE if _INSIDE.is_dir() else ROOT / "data"


def data_folders() -> list[Path]:
    """Folders of real data and of models that ``NBHELPERS_DATA`` names, in order.

    Raises
    ------
    InputError
        One of them is not there; a misspelt folder is never passed over.
    """
    named = os.environ.get("NBHELPERS_DATA", "").split(os.pathsep)
    folders = [Path(part).expanduser() for part in named if part]
    for folder in folders:
        if not folder.is_dir():
            raise InputError(f"NBHELPERS_DATA names {folder}, which is no folder")
    return folders


def out_dir() -> Path:
    """Folder that takes what the current run writes; it may not exist yet."""
    return Path(os.environ.get("NBHELPERS_OUT") or ROOT / "runs" / "interactive")


def figures_dir() -> Path:
    """Folder that takes the figures of the current run (created on first use)."""
    folder = out_dir() / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def is_offline() -> bool:
    """Whether ``NBHELPERS_OFFLINE`` forbids downloads."""
    return os.environ.get("NBHELPERS_OFFLINE", "") not in ("", "0")


def is_headless() -> bool:
    """Whether the code runs under the headless runner, where interactive cells stay silent."""
    return os.environ.get("NBHELPERS_HEADLESS") == "1"
