"""Work in portions, with a bar that says how long all of it takes; rows that are refused leave the others theirs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

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


def each(
    work: Callable[[Sequence[Any]], Sequence[Any]],
    rows: Sequence[Any],
    refused: type[Exception],
    reason: Callable[[Any], str],
) -> list[Any]:
    """Results of rows that are worked on together; one that is refused has the reason in place of its result.

    Parameters
    ----------
    work : callable
        Takes rows and gives a result for each.
    rows : sequence
    refused : type of exception
        Raised by `work` if it refuses a row; the rows are then halved until that row is alone.
    reason : callable
        The words for the exception.

    Examples
    --------
    >>> each(lambda some: [1 / one for one in some], [1, 0, 4], ZeroDivisionError, str)
    [1.0, 'division by zero', 0.25]
    """
    if not rows:
        return []
    try:
        return list(work(rows))
    except refused as error:
        if half := len(rows) // 2:
            return each(work, rows[:half], refused, reason) + each(work, rows[half:], refused, reason)
        return [reason(error)]
