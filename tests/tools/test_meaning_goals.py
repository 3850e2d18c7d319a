"""The goals' own measure: which of several candidates wins."""

import meaning_goals as tool
import pytest

from nbhelpers.resources.challenge import ChallengePair


def test_a_tie_of_two_counts_one_half_and_groups_are_resampled():
    pairs = [
        ChallengePair("s", "a", label, group=group, item=item)
        for group, item in (("one", "1"), ("one", "2"), ("two", "3"))
        for label in (1.0, 0.0)
    ]
    found = tool.wins(pairs, [9, 1, 5, 5, 1, 9])
    assert found.value == pytest.approx((1 + 0.5 + 0) / 3) and found.n == 3
    assert (found.low, found.high) == (0.0, 0.75)  # one group alone wins 3 of 4 halves, the other nothing
