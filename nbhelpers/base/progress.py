"""Progress of a long loop: a bar for people, now and then a line for logs."""

from __future__ import annotations

import sys

from nbhelpers.base.paths import is_headless

LINE_EVERY = 10.0
"""Seconds between two lines where no bar can be shown; a shorter loop prints none."""
_LINE = "{desc}: {n_fmt} of {total_fmt}, {elapsed} passed, {remaining} left\n"


def shows_bars() -> bool:
    """Whether a progress bar can be shown on standard error: at a terminal or in a notebook that somebody watches."""
    kernel = sys.modules.get("ipykernel.kernelapp")  # a notebook has loaded it; others may have, without starting it
    in_notebook = kernel is not None and kernel.IPKernelApp.initialized()
    return not is_headless() and (sys.stderr.isatty() or in_notebook)


def progress_bar(total: int, description: str, *, done: int = 0, unit: str = "item", show: bool = True):
    """A bar of tqdm where `shows_bars` allows it; elsewhere a line every ten seconds. Use it with ``with``.

    Parameters
    ----------
    total : int
        Number of items.
    description : str
        What the bar says first.
    done : int
        Number of items that an earlier run has finished.
    unit : str
        What an item is called.
    show : bool
        False shows nothing.

    Returns
    -------
    tqdm
    """
    from tqdm import tqdm

    every = {"mininterval": LINE_EVERY, "maxinterval": LINE_EVERY, "delay": LINE_EVERY, "bar_format": _LINE}
    hidden = not show or done >= total
    return tqdm(
        total=total,
        initial=done,
        desc=description,
        unit=unit,
        file=sys.stderr,
        disable=hidden,
        **({} if shows_bars() else every),
    )
