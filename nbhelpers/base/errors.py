"""The exceptions that nbhelpers raises on purpose.

Every one is a subclass of `NbhelpersError` and carries one clear sentence. Each also derives from the built-in
exception that a caller would expect, so ``except ValueError`` and ``except FileNotFoundError`` keep working.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path


class NbhelpersError(Exception):
    """Base class of all errors that nbhelpers raises on purpose."""


class InputError(NbhelpersError, ValueError):
    """An argument is not what the function takes: wrong type, empty, out of range, or not a number."""


class UndefinedStatisticError(InputError):
    """A statistic has no value in most bootstrap resamples of the data, so that there is no interval."""


class TextTooLongError(InputError):
    """A text has more pieces than the model takes; texts are never cut silently."""


class RowError(InputError):
    """One row of those given is not what the function takes.

    Parameters
    ----------
    row : int
        Number of the row, from 1.
    reason : str
        What is wrong, in one sentence.
    """

    def __init__(self, row: int, reason: str) -> None:
        self.row, self.reason = row, reason
        super().__init__(f"Row {row}: {reason}")

    def __reduce__(self):
        return type(self), (self.row, self.reason)


class RowTooLongError(RowError, TextTooLongError):
    """The text of one row has more pieces than the model takes."""


class DataFormatError(NbhelpersError, ValueError):
    """A file does not follow its format.

    Parameters
    ----------
    path : path or str
        The file, or a name for the stream it was read from.
    line : int or None
        1-based line number, or None where the format has no lines.
    reason : str
        What is wrong, in one sentence.
    """

    def __init__(self, path: str | Path, line: int | None, reason: str) -> None:
        self.path, self.line, self.reason = str(path), line, reason
        place = f"{path}, line {line}" if line is not None else str(path)
        super().__init__(f"{place}: {reason}")

    def __reduce__(self):
        return type(self), (self.path, self.line, self.reason)


class ResourceNotFoundError(NbhelpersError, FileNotFoundError):
    """A data set or a model was not found and cannot be fetched; the message says how to get it.

    Attributes
    ----------
    reason : str
        Why it could not be fetched, where that is known.
    """

    def __init__(self, message: str = "", reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class ChecksumError(NbhelpersError, OSError):
    """A downloaded or cached file is not the registered one; it has been discarded and is never used."""


class ModelError(NbhelpersError, RuntimeError):
    """A model cannot do what is asked of it, for example a checkpoint without a trained masked-LM head."""


class ParameterError(NbhelpersError, ValueError):
    """A notebook parameter is unknown, of the wrong type, or read by no cell."""


def did_you_mean(asked: object, known: Iterable[str], count: int = 1) -> str:
    """Hint for the message about an unknown name: the nearest known names, or all of them if none is near.

    Parameters
    ----------
    asked : object
        The unknown name. Case does not matter.
    known : iterable of str
        The names that exist.
    count : int
        Number of near names to offer, at most.

    Returns
    -------
    str
        A clause that follows a semicolon.

    Examples
    --------
    >>> did_you_mean("NDD/tabel1", ["ndd/table1", "ndd/table2", "pyramid/text"])
    "did you mean 'ndd/table1'?"
    >>> did_you_mean("x", ["quick", "full"])
    'choose from quick, full'
    """
    folded = {name.casefold(): name for name in known}
    near = difflib.get_close_matches(str(asked).casefold(), folded, n=count, cutoff=0.5)
    if near:
        return f"did you mean {' or '.join(repr(folded[name]) for name in near)}?"
    return f"choose from {', '.join(folded.values())}" if folded else "there are none"
