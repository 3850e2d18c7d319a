"""Claims of the papers: verdicts follow from intervals, every row exists, damaged files are refused."""

import re
from dataclasses import replace

import pytest

from nbhelpers.base.errors import DataFormatError, InputError
from nbhelpers.results import claims
from nbhelpers.results.claims import CONTRADICTED, HOLDS, NOT_TESTED, UNDECIDED, Claim, verdict

pytestmark = pytest.mark.usefixtures("judged_once")
PAPERS = ("ndd", "meaningbert", "pyramid", "ordering", "paraphrase")


@pytest.mark.parametrize(
    ("rule", "bound", "low", "high", "expected"),
    [
        ("above", 0, 0.1, 0.3, HOLDS),
        ("above", 0, -0.3, -0.1, CONTRADICTED),
        ("above", 0, -0.1, 0.3, UNDECIDED),
        ("above", 0.5, 0.1, 0.3, CONTRADICTED),
        ("below", 0, -0.3, -0.1, HOLDS),
        ("below", 0, 0.1, 0.3, CONTRADICTED),
        ("within", (-0.02, 0.02), -0.01, 0.01, HOLDS),
        ("within", (-0.02, 0.02), -0.01, 0.05, UNDECIDED),
        ("within", (-0.02, 0.02), 0.03, 0.05, CONTRADICTED),
        ("above", 0, None, None, UNDECIDED),
        ("above", 0, float("nan"), float("nan"), UNDECIDED),
    ],
)
def test_a_verdict_follows_from_the_interval(rule, bound, low, high, expected):
    claim = Claim("x-1", "ndd", "A beats B.", "section 1", "2.0", rule, bound, {})
    assert verdict(claim, {"value": 0.2, "low": low, "high": high}) == expected


def test_an_exact_number_needs_no_interval_and_no_row_is_no_test():
    claim = Claim("x-1", "ndd", "All of them.", "section 1", "18", "above", 17, {}, exact=True)
    assert verdict(claim, {"value": 18, "low": None, "high": None}) == HOLDS
    assert verdict(replace(claim, row=None), None) == NOT_TESTED


def test_every_claim_that_is_tested_has_a_number_on_real_data():
    known = claims.read()
    assert len({claim.id for claim in known}) == len(known) >= 50
    assert {claim.paper for claim in known} == set(PAPERS)
    for claim, row, _ in claims.judged():
        assert (row is None) == bool(claim.not_tested), claim.id
        assert claim.exact or row is None or row["low"] <= row["value"] <= row["high"], claim.id


def test_the_table_shows_every_claim_or_those_of_a_paper():
    table = claims.table()
    assert list(table["claim"]) == [claim.id for claim in claims.read()]
    assert set(table["verdict"]) == {HOLDS, CONTRADICTED, UNDECIDED, NOT_TESTED}
    assert (table.loc[table["verdict"] == NOT_TESTED, "ours"] == "–").all()
    assert list(claims.table("ordering")["claim"]) == [c.id for c in claims.read() if c.paper == "ordering"]


def test_a_claim_with_a_row_that_is_not_there_is_an_error():
    claim = replace(claims.read()[0], row={"study": "ndd", "table": "table2", "row": "no such row", "column": "F1"})
    with pytest.raises(InputError, match="names 0 rows"):
        claims.ledger_row(claim)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('id = "x-1"\npaper = "ndd"\nplace = "1"\npublished = "2"', "'says' is missing"),
        ('id = "x-1"\npaper = "ndd"\nsays = "A."\nplace = "1"\npublished = "2"', "give a rule of"),
        ('id = "x-1"\npaper = "ndd"\nsays = "A."\nplace = "1"\npublished = "2"\nverdict = "holds"', "unknown field"),
    ],
)
def test_a_damaged_claim_is_refused(text, message, tmp_path, monkeypatch):
    (tmp_path / "published").mkdir()
    (tmp_path / "published" / "claims.toml").write_text(f"[[claim]]\n{text}\n", encoding="utf-8")
    monkeypatch.setattr(claims, "data_dir", lambda: tmp_path)
    claims.read.cache_clear()
    with pytest.raises(DataFormatError, match=message):
        claims.read()
    claims.read.cache_clear()


def test_the_opening_lists_the_claims_asked_for_and_counts_all():
    text = claims.found("ordering", "ordering-1").data
    assert text.count("(ordering-") == 1 and re.search(r"The paper's \d+ claims: \*holds\* \d+", text)
    with pytest.raises(InputError, match="no claim 'ordering-99'"):
        claims.found("ordering", "ordering-99")
