"""Work in portions, and one sentence about the time that all of it takes, from the time of its first portions."""

from __future__ import annotations

import math
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence

MEASURED, SHARE = 3.0, 0.03
"""Seconds that portions take, and their share of the time left, before others are estimated from them."""

WORTH = 5.0
"""Seconds that must be left for a sentence about them."""

_FIRST, _LARGEST, _LONGEST = 4, 512, 2.0


class Pace:
    """Portions of items, each twice as large as the one before until one takes two seconds.

    The first portion is no measure: models are loaded in it. From those after it follows how long the others take, by
    their share of the work, as soon as they took long enough for that.

    Parameters
    ----------
    work : sequence of float
        For each item something that its time grows with, such as its letters.
    what : str
        What an item is called, in the plural.
    tell : bool
        Whether to say on standard error how long all takes.

    Attributes
    ----------
    spent : Counter
        Seconds by name, if the caller counts them; the three slowest are named.

    Examples
    --------
    >>> [list(portion) for portion in Pace([1.0] * 7, "texts", tell=False)]
    [[0, 1, 2, 3], [4, 5, 6]]
    """

    def __init__(self, work: Sequence[float], what: str, tell: bool) -> None:
        self.work, self.what, self.tell = work, what, tell
        self.spent: Counter[str] = Counter()

    def __iter__(self) -> Iterator[range]:
        begin, warm, start, size = time.monotonic(), 0.0, 0, _FIRST
        while start < len(self.work):
            portion, before = range(start, min(start + size, len(self.work))), time.monotonic()
            yield portion
            now, start = time.monotonic(), portion.stop
            if not portion.start:
                warm = now
            elif self.tell and now - warm >= MEASURED:
                left = (now - warm) * sum(self.work[start:]) / max(sum(self.work[_FIRST:start]), 1)
                self.tell = now - warm < SHARE * left
                if not self.tell and left >= WORTH:
                    print(self._sentence(now - begin + left), file=sys.stderr, flush=True)
            if now - before < _LONGEST:
                size = min(2 * size, _LARGEST)

    def _sentence(self, seconds: float) -> str:
        about = f"{seconds / 60:.1f} minutes" if seconds >= 60 else f"{math.ceil(seconds)} s"
        slowest = ", ".join(name for name, _ in self.spent.most_common(3)) if len(self.spent) > 1 else ""
        return f"{len(self.work):,} {self.what}: about {about}" + (f", most of it for {slowest}" if slowest else "")
