"""Wrong calls as a test: each ends in one clear sentence."""

import pytest

from nbhelpers.base.errors import InputError, NbhelpersError


def refused(*cases: tuple, error: type[NbhelpersError] = InputError):
    """A test of calls, each a function without arguments and a pattern of what the error says."""

    @pytest.mark.parametrize(("call", "message"), cases)
    def test(call, message):
        with pytest.raises(error, match=message):
            call()

    return test
