"""Checks of numbers at the public doors: one clear sentence for a value that would give silent nonsense."""

from __future__ import annotations

import numbers
import operator
from typing import Any

from nbhelpers.base.errors import InputError


def check_number(
    name: str,
    value: Any,
    *,
    least: float | None = None,
    above: float | None = None,
    most: float | None = None,
    below: float | None = None,
    whole: bool = False,
) -> None:
    """Check that a parameter is a number within its bounds; NaN, text and truth values never are.

    Parameters
    ----------
    name : str
        Name of the parameter, for the message.
    value : object
        What was passed.
    least, above, most, below : float, optional
        Bounds: ``value >= least``, ``value > above``, ``value <= most``, ``value < below``. At least one is given.
    whole : bool
        Whether only whole numbers are allowed.

    Raises
    ------
    InputError
        If `value` is no such number.

    Examples
    --------
    >>> check_number("mu", 0.9, above=0, most=1)
    >>> check_number("iterations", 2.5, least=1, whole=True)
    Traceback (most recent call last):
    nbhelpers.base.errors.InputError: iterations is a whole number of at least 1, not 2.5.
    """
    fits = isinstance(value, numbers.Integral if whole else numbers.Real) and not isinstance(value, bool)
    words = []
    for bound, text, holds in (
        (least, "of at least", operator.ge),
        (above, "above", operator.gt),
        (most, "of at most", operator.le),
        (below, "below", operator.lt),
    ):
        if bound is not None:
            words.append(f"{text} {bound:g}")
            fits = fits and holds(value, bound)
    if not fits:
        raise InputError(f"{name} is a {'whole ' if whole else ''}number {' and '.join(words)}, not {value!r}.")
