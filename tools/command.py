"""What the command lines of the tools share."""

import sys
from collections.abc import Callable

from nbhelpers.base.errors import NbhelpersError


def status(run: Callable[[], object]) -> int:
    """Exit status of a command: 0, or 2 after one sentence on what is wrong with its input."""
    try:
        run()
    except (NbhelpersError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0
