"""Wrong calls and damaged files: each ends in one clear sentence."""

import contextlib

import pytest

from nbhelpers.base.errors import DataFormatError, InputError, NbhelpersError


def refused(*cases: tuple, error: type[NbhelpersError] = InputError, given: str = ""):
    """A test of calls, each a function and a pattern of what the error says; `given` is a fixture that they take."""

    @pytest.mark.parametrize(("call", "message"), cases)
    def test(call, message, request):
        arguments = [request.getfixturevalue(given)] if given else []
        with pytest.raises(error, match=message):
            call(*arguments)

    return test


@contextlib.contextmanager
def damaged(path, line: int | None, reason: str):
    """What is called within must name this file, this line and the reason."""
    with pytest.raises(DataFormatError, match=reason) as caught:
        yield
    assert (caught.value.path, caught.value.line) == (str(path), line)
