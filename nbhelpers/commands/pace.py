"""Work in portions, with a bar that says how long all of it takes."""

from __future__ import annotations

import time
from collections.abc import Iterator

from nbhelpers.base.progress import progress_bar

_FIRST, _LARGEST, _LONGEST = 4, 512, 2.0


def portions(count: int, what: str, tell: bool) -> Iterator[range]:
    """Portions of items, each twice as large as the one before until one takes two seconds.

    Parameters
    ----------
    count : int
        How many items there are.
    what : str
        What the bar says first.
    tell : bool
        Whether there is a bar (see `nbhelpers.base.progress.progress_bar`).

    Examples
    --------
    >>> [list(portion) for portion in portions(7, "rated texts", tell=False)]
    [[0, 1, 2, 3], [4, 5, 6]]
    """
    start, size = 0, _FIRST
    with progress_bar(count, what, unit="text", show=tell) as bar:
        while start < count:
            portion, before = range(start, min(start + size, count)), time.monotonic()
            yield portion
            bar.update(len(portion))
            start = portion.stop
            if time.monotonic() - before < _LONGEST:
                size = min(2 * size, _LARGEST)
