"""Progress of a long loop: a bar for people, plain lines for logs."""

from __future__ import annotations

import sys
import time

from nbhelpers.base.paths import is_headless

LINE_EVERY = 10.0
"""Seconds between two lines where no bar can be shown; a shorter loop prints none."""


def shows_bars() -> bool:
    """Whether a progress bar can be shown on standard error: at a terminal or in a notebook that somebody watches."""
    kernel = sys.modules.get("ipykernel.kernelapp")  # a notebook has loaded it; others may have, without starting it
    in_notebook = kernel is not None and kernel.IPKernelApp.initialized()
    return not is_headless() and (sys.stderr.isatty() or in_notebook)


class Progress:
    """A bar where `shows_bars` allows it; elsewhere a line every ten seconds with the time left. Use it with ``with``.

    Parameters
    ----------
    total : int
        Number of items.
    description : str
        What the bar or the line says first.
    done : int
        Number of items that an earlier run has finished.
    unit : str
        What an item is called.
    show : bool
        False shows nothing.
    """

    def __init__(self, total: int, description: str, *, done: int = 0, unit: str = "item", show: bool = True) -> None:
        self.total, self.description, self.show = total, description, show
        self.resumed = self.done = done
        self.started = self.said = time.monotonic()
        self.bar = None
        if show and done < total and shows_bars():
            from tqdm import tqdm

            self.bar = tqdm(total=total, initial=done, desc=description, unit=unit, file=sys.stderr)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *exception: object) -> None:
        if self.bar is not None:
            self.bar.close()

    def describe(self, text: str) -> None:
        """Let the bar say what is being done now."""
        if self.bar is not None:
            self.bar.set_description(text)

    def add(self, count: int = 1) -> None:
        """Count items that were finished."""
        self.done += count
        now = time.monotonic()
        if self.bar is not None:
            self.bar.update(count)
        elif self.show and now - self.said >= LINE_EVERY:
            self.said, elapsed = now, now - self.started
            left = elapsed / (self.done - self.resumed) * (self.total - self.done)
            print(
                f"{self.description}: {self.done} of {self.total}, {elapsed:.0f} s, about {left:.0f} s left",
                file=sys.stderr,
                flush=True,
            )
