"""The goals' own measure: which of several candidates wins."""

import meaning_goals as tool
import pytest

from nbhelpers.base.stats import Estimate
from nbhelpers.resources.challenge import ChallengePair

KINDS = ("add", "drop", "name", "neg", "num", "pron", "word_JJ", "word_NN", "word_VB")
DOMAINS = ("ectsum", "qmsumm", "sales_call", "sales_email", "samsum", "scitldr")
ALL = ("SemAntoNeg: accuracy", "ParaBank: Spearman", *(f"MENLI, {kind}: wins" for kind in KINDS))
ALL += tuple(f"SummEdits, {name}: AUC" for name in DOMAINS)


def test_a_tie_of_two_counts_one_half_and_groups_are_resampled():
    pairs = [
        ChallengePair("s", "a", label, group=group, item=item)
        for group, item in (("one", "1"), ("one", "2"), ("two", "3"))
        for label in (1.0, 0.0)
    ]
    found = tool.wins(pairs, [9, 1, 5, 5, 1, 9])
    assert found.value == pytest.approx((1 + 0.5 + 0) / 3) and found.n == 3
    assert (found.low, found.high) == (0.0, 0.75)  # one group alone wins 3 of 4 halves, the other nothing


def test_a_goal_belongs_to_all_rows_of_its_kind_and_to_no_other():
    assert tool.wanted("MENLI, word_VB: wins") == 0.9 and tool.wanted("PARADE test, four grades: above the cosine") == 0
    assert tool.wanted("Damage inside a rewording, APT: wins by the small encoder's cosine") is None
    assert tool.wanted("Tried pairs: AUC by the small encoder's cosine") is None


def test_rows_come_from_the_board_where_it_has_more_items():
    model = "same-meaning-unrestricted"
    assert not list(tool.recorded("same-meaning-base", dict.fromkeys(("PAWS-Wiki test: AUC", *ALL), 10**6)))
    sizes = dict.fromkeys(("PAWS-Wiki test: AUC", *ALL), 10**6) | {"SummEdits, samsum: AUC": 7}
    [(goal, found)] = tool.recorded(model, sizes)
    assert goal == "SummEdits, samsum: AUC" and found.n == 22


def test_a_new_number_leaves_those_of_earlier_weights(capsys):
    rows = [
        {"goal": "SemAntoNeg: accuracy", "value": 0.5, "before": {"value": 0.4, "n": 3}, "evidence": "board-scores"}
    ]
    tool.put(rows, "SemAntoNeg: accuracy", Estimate(0.61234, 0.5, 0.7, 12))
    assert rows[0]["before"] == {"value": 0.4, "n": 3} and "evidence" not in rows[0]
    assert (rows[0]["value"], rows[0]["wanted"], rows[0]["n"]) == (0.6123, 0.6, 12)
