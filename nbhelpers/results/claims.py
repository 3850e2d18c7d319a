"""What each paper claims in words, and whether the evidence bears it out.

``data/published/claims.toml`` keeps the words: what the paper says and where, its numbers, the size that would matter,
how alike the test is, and what limits it. The number that tests a claim is made from evidence by the claim's function
in ``studies.<paper>.claims``; ``data/results/derived/claims.csv`` holds these numbers for display, and the tests make
them again. `nbhelpers.results.verdicts` turns a number into a verdict.
"""

from __future__ import annotations

import csv
import functools
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbhelpers.base.errors import InputError, did_you_mean
from nbhelpers.base.paths import data_dir
from nbhelpers.base.stats import Estimate
from nbhelpers.results.estimates import short, text
from nbhelpers.results.verdicts import CONTRADICTED, EXCLUDED, HOLDS, INSIDE, UNDECIDED, Judgement, Test, judge

if TYPE_CHECKING:
    import pandas
    from IPython.display import Markdown

INCONSISTENT, OTHER_MODEL, NOT_TESTED = "inconsistent in the paper", "not tested with the paper's model", "not tested"
VERDICTS = (HOLDS, CONTRADICTED, UNDECIDED, INCONSISTENT, OTHER_MODEL, NOT_TESTED)
DEFINITION = "by definition"
"""Instead of a verdict, for what holds by definition."""
TOO_SMALL = "too small to matter"
MODELS = {"none": "", "same": "the paper's model", "other": "another model"}
SETS = {"same": "its data", "part": "a part of its data", "other": "other data"}
FIELDS = ("claim", "value", "low", "high", "n", "p", "q", "unit", "variant", "measured")
"""Columns of the file of `derived`."""


@dataclass(frozen=True)
class Claim:
    """One claim of a paper.

    Attributes
    ----------
    id : str
        The paper's short name and a number, such as ``ndd-7``.
    paper : {"ndd", "meaningbert", "pyramid", "ordering", "paraphrase"}
    says : str
        The claim in one sentence, as the paper makes it.
    quote : str
        The paper's own words, fifteen at most; empty where only a table says it.
    place : str
        Where.
    published : str
        The paper's own numbers.
    rule, bound, exact
        What its number must be; see `nbhelpers.results.verdicts.Test`.
    unit : str
        Of the number; decides the smallest effect that matters (``[matters]`` in the file).
    size : float or list of two
        The published size in that unit; None where the paper prints none that can be compared.
    matters : float
        The smallest distance from the bound that matters: that of the unit.
    model : {"none", "same", "other"}
        Whether the paper's model was run, or its tagger, vectors or paraphrases; none: the claim needs nothing of that.
    data : {"same", "part", "other"}
        Whether its data were used.
    of_model : bool
        The claim is about the paper's own trained model and about no method in general, or says that a resource of the
        paper adds nothing.
    inconsistent : str
        How the paper's text and tables contradict each other about it; empty if they do not.
    definition : bool
        True by definition; not counted.
    depends : bool
        Another reading of the paper's rules, named in `caveat`, gives another verdict.
    caveat : str
        What limits the test.
    not_tested : str
        Why there is no number.
    """

    id: str
    paper: str
    says: str
    place: str
    published: str
    rule: str = ""
    bound: float | tuple[float, float] = 0.0
    exact: bool = False
    unit: str = ""
    size: float | tuple[float, float] | None = None
    matters: float | None = None
    model: str = "none"
    data: str = "same"
    of_model: bool = False
    inconsistent: str = ""
    definition: bool = False
    depends: bool = False
    quote: str = ""
    caveat: str = ""
    not_tested: str = ""

    @property
    def likeness(self) -> str:
        """How alike the test is, in words."""
        return ", ".join(filter(None, [MODELS[self.model], SETS[self.data]]))


@dataclass(frozen=True)
class Judged:
    """A claim with the number that tests it, what that measures, and the verdict."""

    claim: Claim
    verdict: str
    found: Estimate | None = None
    measured: str = ""
    judgement: Judgement | None = None


@functools.lru_cache(maxsize=1)
def read() -> tuple[Claim, ...]:
    """All claims, in the order of the file."""
    content = tomllib.loads((data_dir() / "published" / "claims.toml").read_text(encoding="utf-8"))
    matters = {unit: {"matters": one["smallest"]} for unit, one in content["matters"].items()}
    return tuple(Claim(**fields, **matters.get(fields.get("unit"), {})) for fields in content["claim"])


def derived_path() -> Path:
    """File of the claims' numbers as they ship for display."""
    return data_dir() / "results" / "derived" / "claims.csv"


def estimate_of(row: Mapping[str, Any]) -> Estimate:
    """The estimate in a line of the file, or in a mapping with the same fields."""
    numbers = {name: float(row[name]) for name in ("value", "low", "high")}
    tests = {name: None if row[name] in ("", None) else float(row[name]) for name in ("p", "q")}
    return Estimate(**numbers, n=int(float(row["n"])), **tests, unit=row["unit"], variant=row["variant"])


def derived() -> dict[str, tuple[Estimate, str]]:
    """For each claim the estimate that tests it and what it measures, as ``studies.claims()`` made it from evidence."""
    with derived_path().open(encoding="utf-8", newline="") as lines:
        return {row["claim"]: (estimate_of(row), row["measured"]) for row in csv.DictReader(lines)}


def verdict(claim: Claim, judgement: Judgement | None) -> str:
    """One of `VERDICTS`, or `DEFINITION`.

    A substitute for the paper's model never contradicts a claim, nor shows that an effect is too small to matter;
    and it decides nothing about the paper's own model.

    Examples
    --------
    >>> verdict(Claim("x-1", "x", "A beats B.", "section 1", "2.0", not_tested="no data"), None)
    'not tested'
    """
    if claim.inconsistent:
        return INCONSISTENT
    if judgement is None:
        return NOT_TESTED
    if claim.model == "other" and (claim.of_model or _result(judgement) in (CONTRADICTED, TOO_SMALL)):
        return OTHER_MODEL
    return DEFINITION if claim.definition and judgement.direction == HOLDS else judgement.direction


def _result(judgement: Judgement) -> str:
    """What a test found, whatever it was run with."""
    return TOO_SMALL if judgement.direction == UNDECIDED and judgement.equivalent else judgement.direction


def judged() -> list[Judged]:
    """Every claim with its number and verdict, in the order of the file."""
    known, numbers = read(), derived()
    tested = [claim for claim in known if claim.rule and claim.id in numbers]
    tests = {one.id: Test(one.rule, one.bound, one.size, one.matters, one.exact or one.definition) for one in tested}
    judgements = judge(tests, {name: numbers[name][0] for name in tests})
    result = []
    for claim in known:
        judgement, (found, measured) = judgements.get(claim.id), numbers.get(claim.id, (None, ""))
        result.append(Judged(claim, verdict(claim, judgement), found, measured, judgement))
    return result


def counts() -> pandas.DataFrame:
    """Number of claims by paper (rows) and verdict (columns); what is true by definition is not counted.

    Examples
    --------
    >>> counts().columns.tolist()[:3]
    ['holds', 'contradicted', 'undecided']
    """
    import pandas

    known = [one for one in judged() if not one.claim.definition]
    tally = Counter((one.claim.paper, one.verdict) for one in known)
    papers = list(dict.fromkeys(one.claim.paper for one in known))
    return pandas.DataFrame([[tally[paper, each] for each in VERDICTS] for paper in papers], papers, list(VERDICTS))


def ours(one: Judged) -> str:
    """The number that tests a claim, with its interval, as tables show it; "–" where nothing was measured."""
    if one.found is None:
        return "–"
    if one.claim.exact:
        return f"{one.found.value:,.0f} of {one.found.n:,}" if one.found.value.is_integer() else short(one.found.value)
    return text(one.found) + ", by the default reading, not by all" * one.claim.depends


def _size(one: Judged) -> str:
    """What can be said of the size, in words."""
    judgement = one.judgement
    if judgement is None:
        return "–"
    words = {INSIDE: "published size inside the interval", EXCLUDED: "published size excluded", "": ""}[judgement.size]
    equivalent = f"nearer to {short(one.claim.bound)} than matters" if judgement.equivalent else ""
    return "; ".join(filter(None, [words, equivalent])) or "–"


def _power(one: Judged) -> str:
    """What this n can find, and for an undecided claim the n that would decide."""
    judgement = one.judgement
    if judgement is None or not judgement.detectable:
        return "–"
    needed = ""
    if judgement.needed and one.verdict == UNDECIDED:
        needed = f"; n = {judgement.needed:,} would decide (find {short(judgement.aim)})"
    return f"finds {short(judgement.detectable)}{needed}"


def table(paper: str | None = None, *ids: str) -> pandas.DataFrame:
    """Claims with their verdicts, as texts ready for display.

    Parameters
    ----------
    paper : str, optional
        One paper only.
    *ids : str
        These claims only.

    Returns
    -------
    DataFrame
        Columns ``claim``, ``says``, ``quote``, ``published``, ``ours`` (number, interval and n), ``verdict``, ``size``,
        ``power`` (the difference that this n finds four times out of five, and the n that would decide), ``likeness``
        and ``because`` (what was measured, or why nothing was; then the caveat).

    Raises
    ------
    InputError
        There is no such paper or claim.

    Examples
    --------
    >>> table("ordering").columns.tolist()[:6]
    ['claim', 'says', 'quote', 'published', 'ours', 'verdict']
    """
    import pandas

    rows = []
    for one in _chosen(paper, ids):
        claim = one.claim
        substitute = one.verdict == OTHER_MODEL and one.judgement
        here = f" The substitute's result: {_result(one.judgement)}." if substitute else ""
        because = (claim.inconsistent or claim.not_tested or one.measured).removesuffix(".")
        rows.append(
            {
                "claim": claim.id,
                "says": f"{claim.says} ({claim.place})",
                "quote": claim.quote or "–",
                "published": claim.published,
                "ours": ours(one),
                "verdict": one.verdict,
                "size": _size(one),
                "power": _power(one),
                "likeness": claim.likeness if one.found is not None else "–",
                "because": f"{because}.{here} {claim.caveat}".strip(),
            }
        )
    return pandas.DataFrame(rows)


def _chosen(paper: str | None, ids: tuple[str, ...]) -> list[Judged]:
    of_paper = [one for one in judged() if paper in (None, one.claim.paper)]
    if not of_paper:
        raise InputError(f"there is no paper {paper!r}; {did_you_mean(paper, {one.claim.paper for one in judged()})}")
    if unknown := set(ids) - {one.claim.id for one in of_paper}:
        raise InputError(f"{paper!r} has no claim {sorted(unknown)[0]!r}")
    return [one for one in of_paper if one.claim.id in ids or not ids]


def found(paper: str, *ids: str) -> Markdown:
    """What was found about a paper's claims, as a list to open a notebook with.

    Parameters
    ----------
    paper : str
        Name of the paper in ``claims.toml``.
    *ids : str
        The claims to list; without any, all.

    Raises
    ------
    InputError
        The paper has no such claim.

    Examples
    --------
    >>> found("ordering", "ordering-2").data.startswith("* **holds:**")
    True
    """
    from IPython.display import Markdown

    lines = []
    for one in _chosen(paper, ids):
        here = f"Here: {ours(one)}." if one.found is not None else one.claim.not_tested
        if one.verdict == OTHER_MODEL:
            here = f"With a substitute: {ours(one)}, {_result(one.judgement)}."
        size = f" The {_size(one)}." if one.judgement and one.judgement.size else ""
        caveat = f" {one.claim.caveat}" if one.claim.caveat else ""
        lines.append(
            f"* **{one.verdict}:** {one.claim.says} Paper: {one.claim.published}. {here}{size}{caveat} ({one.claim.id})"
        )
    return Markdown("\n".join(lines))


def criteria() -> pandas.DataFrame:
    """Replication criteria side by side: for each how many of the tested claims meet it, of how many.

    All tests count, also those with a substitute for the paper's model, but for claims on which the paper contradicts
    itself. Two criteria are for claims of an effect (the bound is 0), three need a published size.

    Examples
    --------
    >>> criteria().columns.tolist()
    ['success', 'of']
    """
    import pandas

    known = [one for one in judged() if one.judgement is not None and one.verdict != INCONSISTENT]
    tested = [one for one in known if not one.claim.definition]
    effects = [(_least_and_most(one), one.claim.matters) for one in tested if one.claim.bound == 0]
    sized = [one for one in tested if one.judgement.size]
    printed = [one.judgement.variation for one in sized if one.claim.size != 0]
    rows = {
        "same direction, significant": ([one.judgement.direction == HOLDS for one in tested]),
        "opposite direction, significant": ([one.judgement.direction == CONTRADICTED for one in tested]),
        "same direction, whatever the interval": [_same_side(one) for one in tested],
        "surely large enough to matter": [least >= matters for (least, _), matters in effects],
        "possibly large enough to matter": [most >= matters for (_, most), matters in effects],
        "published size inside our interval": [one.judgement.size == INSIDE for one in sized],
        "published size inside the prediction interval": [bool(one.judgement.predicted) for one in sized],
        "numbers within 20 % (coefficient of variation)": [each is not None and each <= 20 for each in printed],
    }
    return pandas.DataFrame({name: [sum(each), len(each)] for name, each in rows.items()}, ["success", "of"]).T


def _least_and_most(one: Judged) -> tuple[float, float]:
    """The ends of the interval, counted in the direction that the claim names."""
    found, sign = one.found, 1 if one.claim.rule == "above" else -1
    return min(sign * found.low, sign * found.high), max(sign * found.low, sign * found.high)


def _same_side(one: Judged) -> bool:
    value, bound = one.found.value, one.claim.bound
    if one.claim.rule == "within":
        return bound[0] <= value <= bound[1]
    return value > bound if one.claim.rule == "above" else value < bound
