"""A registry of small metrics, for the tests of the registry and of the command line."""

import numpy as np
import pytest

from nbhelpers.base.errors import ResourceNotFoundError, RowTooLongError
from nbhelpers.metrics.metric import SPECIFICATIONS, register, shared


@pytest.fixture
def small_registry(monkeypatch):
    """Two metrics that share work and count it, and one that lacks something."""
    calls = []

    @shared
    def counted(texts):
        calls.append(texts)
        return [len(text) for text in texts]

    def make(part):
        @register(f"length{part}", f"Length {part}", (0.0, np.inf), seconds=part / 1000)
        def length(refused="refuse", truncate=False):
            def compute(sources, candidates, references):
                if refused in candidates and not truncate:
                    raise RowTooLongError(candidates.index(refused) + 1, "it is too long.")
                return [part * value for value in counted(candidates)]

            return f"length{part}|v:1{'|cut:yes' if truncate else ''}", compute

    for name in list(SPECIFICATIONS):
        monkeypatch.delitem(SPECIFICATIONS, name)
    make(1)
    make(9)

    @register("lacking", "Lacking", (0.0, 1.0), seconds=1.0)
    def lacking():
        raise ResourceNotFoundError("Weights of this model are missing; fetch them from its page.")

    yield calls
    SPECIFICATIONS.clear()  # the names are put back by monkeypatch
