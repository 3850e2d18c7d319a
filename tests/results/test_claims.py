"""Claims of the papers: each has its words, its function and its verdict; damaged files are refused."""

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from scipy.stats import false_discovery_control

from nbhelpers import studies
from nbhelpers.base.errors import InputError
from nbhelpers.base.paths import ROOT
from nbhelpers.base.stats import Estimate
from nbhelpers.commands import evidence as command
from nbhelpers.results import claims
from nbhelpers.results.claims import DEFINITION, INCONSISTENT, NOT_TESTED, OTHER_MODEL, VERDICTS, Claim, verdict
from nbhelpers.results.verdicts import CONTRADICTED, HOLDS, RULES, UNDECIDED, Test, judge

pytestmark = pytest.mark.usefixtures("judged_once")


def test_every_claim_is_tested_by_a_function_or_says_why_not():
    known = claims.read()
    assert len({claim.id for claim in known}) == len(known) >= 85
    assert {claim.paper for claim in known} == set(studies.PAPERS)
    assert {claim.id for claim in known if not claim.not_tested} == set(studies.claims())
    assert all(one.measured or one.claim.not_tested for one in claims.judged())


def test_the_numbers_that_ship_are_those_that_the_evidence_gives():
    assert command.differences() == []


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: command.record("ndd-compression", ["sentence=3"]), "no setting 'sentence'; did you mean 'sentences'?"),
        (lambda: command.record("ndd-compression", ["sentences"]), "a setting is written name=value, not 'sentences'"),
        (lambda: command.show("board-score"), "no experiment 'board-score'; did you mean 'board-scores'?"),
    ],
)
def test_a_wrong_name_is_refused_with_the_near_one(call, message):
    with pytest.raises(InputError, match=re.escape(message)):
        call()


def judgement(value, low, high):
    return judge({"a": Test("above", 0)}, {"a": Estimate(value, low, high, 100)})["a"]


def test_a_substitute_never_contradicts_and_decides_nothing_about_the_papers_own_model():
    claim = Claim("x-1", "ndd", "A beats B.", "section 1", "2.0", rule="above", model="other")
    for_it, against = judgement(2.0, 1.0, 3.0), judgement(-2.0, -3.0, -1.0)
    assert verdict(claim, for_it) == HOLDS and verdict(claim, against) == OTHER_MODEL
    assert verdict(replace(claim, model="same"), against) == CONTRADICTED
    nothing = judge({"a": Test("above", 0, matters=1.0)}, {"a": Estimate(0.1, -0.4, 0.6, 100)})["a"]
    assert verdict(claim, nothing) == OTHER_MODEL and verdict(replace(claim, model="none"), nothing) == UNDECIDED
    assert verdict(replace(claim, of_model=True), for_it) == OTHER_MODEL
    assert verdict(replace(claim, inconsistent="Table 6 says the opposite."), for_it) == INCONSISTENT
    assert verdict(claim, None) == NOT_TESTED


def test_the_table_shows_every_claim_or_those_of_a_paper():
    table = claims.table()
    assert list(table["claim"]) == [claim.id for claim in claims.read()]
    assert set(table["verdict"]) == {*VERDICTS, DEFINITION}
    assert (table.loc[table["verdict"] == NOT_TESTED, "ours"] == "–").all()
    assert list(claims.table("ordering")["claim"]) == [c.id for c in claims.read() if c.paper == "ordering"]
    undecided = [one for one in claims.judged() if one.verdict == "undecided" and one.claim.unit]
    named = table.set_index("claim")["power"].str.contains("would decide")
    assert all(named[one.claim.id] or one.judgement.equivalent for one in undecided)


def test_what_is_true_by_definition_is_not_counted():
    known = claims.read()
    assert claims.counts().to_numpy().sum() == sum(not claim.definition for claim in known)
    criteria = claims.criteria()
    assert (criteria["success"] <= criteria["of"]).all() and (criteria["of"] > 0).all()


def test_the_page_of_the_method_says_what_is_so():
    page = (ROOT / "docs" / "verdicts.md").read_text(encoding="utf-8")
    variables = {}
    exec(re.search(r"```python\n(.+?)```", page, flags=re.DOTALL)[1].replace("judge({", "new = judge({"), variables)
    assert variables["new"].direction == HOLDS and variables["new"].q < 0.05
    tested = [one for one in claims.judged() if one.judgement is not None and one.judgement.p is not None]
    cautious = false_discovery_control([one.judgement.p for one in tested], method="by")
    lost = [one.claim.id for one, q in zip(tested, cautious) if one.verdict == HOLDS and q >= 0.05]
    assert 1 <= len(lost) <= 2 and "one or two of the claims that\nhold" in page
    assert 85 <= len(tested) <= 95 and "Some ninety tests are made" in page


PAPERS = {
    "ndd": "ndd",
    "meaningbert": "meaningbert",
    "pyramid": "pyramid-embeddings",
    "ordering": "sentence-ordering",
    "paraphrase": "paraphrase-evaluation",
}


def letters(text):
    """A text without white space, hyphens, marks of formatting and numbers of lines."""
    text = re.sub(r"^\d{3}\b", "", text, flags=re.MULTILINE).replace(r"\times", "×")
    return re.sub(r"[\s\-$*_{}]", "", text)


def test_a_quote_is_short_and_only_a_claim_of_a_table_has_none():
    for claim in claims.read():
        assert len(claim.quote.split()) <= 15, claim.id
        assert claim.quote or claim.place.startswith("Table"), claim.id


@pytest.mark.usefixtures("real_data")
def test_quotes_stand_in_the_papers():
    folders = map(Path, os.environ["NBHELPERS_DATA"].split(os.pathsep))
    found = [place for one in folders for place in (one / "papers", one.parent / "papers") if place.is_dir()]
    if not found:
        pytest.skip("no papers in or beside a folder of NBHELPERS_DATA")
    texts = {paper: letters((found[0] / f"{name}.txt").read_text(encoding="utf-8")) for paper, name in PAPERS.items()}
    assert [one.id for one in claims.read() if letters(one.quote) not in texts[one.paper]] == []


def test_every_claim_has_what_its_test_needs():
    for claim in claims.read():
        assert bool(claim.not_tested) != (claim.rule in RULES), claim.id
        assert claim.model in claims.MODELS and claim.data in claims.SETS, claim.id
        assert claim.matters is not None or not claim.unit, f"{claim.id}: the unit is not under [matters]"


def test_the_opening_lists_the_claims_asked_for():
    text = claims.found("ordering", "ordering-1").data
    assert text.count("(ordering-") == 1 and re.match(r"\* \*\*[a-z' ]+:\*\*", text)
    with pytest.raises(InputError, match="no paper 'orderin'; did you mean 'ordering'"):
        claims.table("orderin")
    with pytest.raises(InputError, match="no claim 'ordering-99'"):
        claims.found("ordering", "ordering-99")
