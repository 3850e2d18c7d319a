"""``python -m nbhelpers check``: is the meaning kept? A report that is worst first and names the words.

Say of each text whether it keeps the meaning of its source: kept, changed or unsure, with a rating from 0 to 100 and
the words that cost most. Give one table whose header names a source and has a column for each system, or a file of
sources and a file for each system, with one text a line. The worst texts come first. A summary counts the verdicts of
each system and compares each two systems on the same lines.

Kept, changed and unsure follow from two thresholds of the rating. They were set on labelled pairs that no model was
trained on, so that at most 5 % of changed pairs like those pass as kept; --calibrate sets them on your own pairs.

Exit status: 0; with --fail-on, 1 if a text is changed (or unsure, with --fail-on unsure); 2 for bad input.
"""

from __future__ import annotations

import argparse
import html
import json
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from nbhelpers.base import stats
from nbhelpers.base.checks import check_number
from nbhelpers.base.errors import DataFormatError, RowError
from nbhelpers.base.paths import program
from nbhelpers.commands.pace import each, portions
from nbhelpers.commands.reading import Systems, not_english, read_lines, read_systems
from nbhelpers.metrics import Thresholds, Verdict, calibrate, check_all, resolve
from nbhelpers.metrics.changes import Change
from nbhelpers.metrics.verdicts import CHANGED, KEPT, UNSURE
from nbhelpers.resources import base_model
from nbhelpers.resources.models import folders_of

_ORDER = {CHANGED: 0, UNSURE: 1, KEPT: 2}


@dataclass(frozen=True)
class Line:
    """A text with its verdict, or with the reason why it has none."""

    line: int
    system: str
    source: str
    candidate: str
    verdict: Verdict | None
    problem: str = ""
    id: str = ""

    @property
    def rating(self) -> float:
        """From 0 to 100; NaN without a verdict."""
        return self.verdict.rating if self.verdict else float("nan")


def report(
    systems: Systems,
    *,
    metric: str = "same-meaning",
    thresholds: Thresholds | None = None,
    tell: bool = False,
) -> list[Line]:
    """Check every text of every system; worst first, and texts that could not be checked before all.

    Parameters
    ----------
    systems : Systems
    metric : str
        ``same-meaning``, ``same-meaning-base``, or another metric if `thresholds` are given.
    thresholds : Thresholds, optional
    tell : bool
        Show a bar on standard error.

    Raises
    ------
    InputError
        A metric without a rating from 0 to 100 or without thresholds.
    """
    places = [
        (system, row)
        for row in range(len(systems.sources))
        for system in systems.outputs
        if (system, row) not in systems.problems
    ]
    pairs = [(systems.sources[row], systems.outputs[system][row]) for system, row in places]
    found: dict[tuple[str, int], Verdict] = {}
    problems = dict(systems.problems)

    def verdicts(some: Sequence[tuple[str, str]]) -> list[Verdict]:
        return check_all(*zip(*some), metric=metric, thresholds=thresholds)

    for portion in portions(len(pairs), "checked texts", tell):
        checked = each(verdicts, pairs[portion.start : portion.stop], RowError, lambda error: error.reason)
        for place, one in zip(places[portion.start : portion.stop], checked):
            (problems if isinstance(one, str) else found)[place] = one
    lines = [
        Line(
            row + 1,
            system,
            systems.sources[row],
            text,
            found.get((system, row)),
            problems.get((system, row), ""),
            systems.ids[row] if systems.ids else "",
        )
        for system, texts in systems.outputs.items()
        for row, text in enumerate(texts)
    ]
    return sorted(
        lines, key=lambda one: (-1, 0.0) if one.verdict is None else (_ORDER[one.verdict.verdict], one.rating)
    )


def summary(lines: Sequence[Line], systems: Sequence[str]) -> list[dict[str, Any]]:
    """For each system its numbers of verdicts and mean rating; for each two systems the paired difference.

    Parameters
    ----------
    lines : sequence of Line
    systems : sequence of str
        The systems in the order in which they are shown.

    Returns
    -------
    list of dict
        ``system``, ``kept``, ``unsure``, ``changed``, ``not checked``, ``mean`` with ``low`` and ``high`` (95 %,
        bootstrap over lines); then ``system`` as "A - B" with ``mean``, ``low``, ``high``, ``p`` (paired randomisation,
        Holm over the pairs of systems), ``n`` and ``better``: the one that keeps more, if p is below 0.05.
    """
    rows: list[dict[str, Any]] = []
    rated: dict[str, dict[int, float]] = {}
    for system in systems:
        own = [one for one in lines if one.system == system]
        rated[system] = {one.line: one.rating for one in own if one.verdict}
        values = list(rated[system].values())
        ends = stats.bootstrap(values) if len(values) > 1 else None
        verdicts = [one.verdict.verdict if one.verdict else "not checked" for one in own]
        counted = {name: verdicts.count(name) for name in (KEPT, UNSURE, CHANGED, "not checked")}
        mean = {"mean": float(np.mean(values)) if values else None}
        mean |= {"low": ends and ends.low, "high": ends and ends.high, "n": len(values)}
        rows.append({"system": system} | counted | mean)
    pairs = []
    for first, second in combinations(systems, 2):
        common = sorted(rated[first].keys() & rated[second].keys())
        if len(common) > 1:
            found = stats.paired_permutation(*([rated[name][line] for line in common] for name in (first, second)))
            pairs.append(((first, second), found))
    adjusted = stats.adjusted(dict(pairs), "holm") if pairs else {}
    for (first, second), found in adjusted.items():
        better = "" if found.q >= 0.05 else first if found.value > 0 else second
        row = {"system": f"{first} - {second}", "mean": found.value, "low": found.low, "high": found.high}
        rows.append(row | {"n": found.n, "p": found.q, "better": better})
    return rows


# ------------------------------------------------------------------------------------------------------------- output


def _costly(one: Line) -> list[Change]:
    return [change for change in one.verdict.changes if change.cost >= 1] if one.verdict else []


def _marked(one: Line, before: str, after: str, written: Callable[[str], str] = str) -> list[str]:
    """Source and text of a line, with what costs most between two marks."""
    marked = []
    for side in ("source", "candidate"):
        text, pieces, at = getattr(one, side), [], 0
        for start, end in sorted({getattr(change, side) for change in _costly(one)}):
            if at <= start < end:
                pieces += [written(text[at:start]), before, written(text[start:end]), after]
                at = end
        marked.append("".join([*pieces, written(text[at:])]))
    return marked


def _why(one: Line) -> str:
    """What speaks against a text, in a few words."""
    if one.verdict is None:
        return one.problem
    if one.verdict.parts:
        worst = min(one.verdict.parts, key=lambda part: part.rating)
        what = "added" if not worst.source else "missing" if not worst.candidate else "worst"
        return f"{what}: {textwrap.shorten(worst.candidate or worst.source, 80)}"
    parts = [f"{each.was or '–'} → {each.became or '–'} ({each.kind}, −{each.cost:.0f})" for each in _costly(one)[:3]]
    return "; ".join(parts)


def _terminal(lines: Sequence[Line], rows: Sequence[Mapping[str, Any]], note: str, colour: bool) -> str:
    red, end = ("\033[1;31m", "\033[0m") if colour else ("[", "]")
    parts = []
    for one in lines:
        if one.verdict is None:
            parts.append(f"{one.system}, line {one.line}: not checked, {one.problem}")
            continue
        first, second = _marked(one, red, end)
        head = f"{one.verdict.verdict.upper():<8}{one.rating:5.1f}  {one.system}, line {one.line}"
        why = _why(one)
        parts.append("\n".join(filter(None, [head, f"    {first}", f"    {second}", f"    {why}" if why else ""])))
    return "\n".join([*parts, "", _summary_text(rows), note])


def _summary_text(rows: Sequence[Mapping[str, Any]]) -> str:
    lines = []
    for row in rows:
        ends = f" [{row['low']:z.1f}, {row['high']:z.1f}]" if row["low"] is not None else ""
        mean = "–" if row["mean"] is None else f"{row['mean']:z.1f}{ends}"
        if "p" in row:
            p = "< .001" if row["p"] < 0.001 else f"= {row['p']:.3f}".replace("0.", ".")
            answer = f"{row['better']} keeps more of the meaning" if row["better"] else "no difference is shown"
            lines.append(f"{row['system']}: rating {mean}, n = {row['n']}, p {p}: {answer}")
        else:
            counted = ", ".join(f"{row[name]} {name}" for name in (KEPT, UNSURE, CHANGED, "not checked") if row[name])
            lines.append(f"{row['system']}: {counted}; mean rating {mean}, n = {row['n']}")
    return "\n".join(lines)


def _cells(one: Line) -> dict[str, Any]:
    """A line as plain fields."""
    found = one.verdict
    cells: dict[str, Any] = {"line": one.line} | ({"id": one.id} if one.id else {}) | {"system": one.system}
    cells |= {"verdict": found.verdict if found else "not checked", "rating": round(one.rating, 1) if found else None}
    cells |= {"kind": found.kind if found else "", "why": _why(one), "source": one.source, "candidate": one.candidate}
    return cells


def page(lines: Sequence[Line], rows: Sequence[Mapping[str, Any]], note: str) -> str:
    """The report as one HTML page that needs nothing else, sorts and filters; every text in it is escaped."""
    body = []
    for one in lines:
        verdict = one.verdict.verdict if one.verdict else "not checked"
        texts = _marked(one, "<mark>", "</mark>", html.escape)
        rating = f"{one.rating:.1f}" if one.verdict else "–"
        system = html.escape(one.system, quote=True)
        body.append(
            f'<tr data-verdict="{verdict}" data-system="{system}"><td class="verdict {verdict}" '
            f'data-value="{_ORDER.get(verdict, -1)}">{verdict}</td><td class="number">{rating}</td>'
            f'<td class="system">{system}</td><td class="number">{html.escape(one.id) or one.line}</td>'
            f'<td>{texts[0]}</td><td>{texts[1]}<div class="why">{html.escape(_why(one))}</div></td></tr>'
        )
    systems = "".join(f"<option>{html.escape(name)}</option>" for name in dict.fromkeys(one.system for one in lines))
    told = "".join(f"<li>{html.escape(line)}</li>" for line in _summary_text(rows).splitlines())
    template = Template(Path(__file__).with_name("check.html").read_text(encoding="utf-8"))
    return template.substitute(told=told, note=html.escape(note), systems=systems, body="".join(body))


def write(lines: Sequence[Line], rows: Sequence[Mapping[str, Any]], form: str, note: str) -> str:
    """The report in one of the forms of ``--format``."""
    if form == "html":
        return page(lines, rows, note)
    if form == "json":
        parts = [json.dumps(_cells(one) | _changes(one), ensure_ascii=False) for one in lines]
        return "\n".join([*parts, json.dumps({"summary": rows, "note": note}, ensure_ascii=False)]) + "\n"
    if form == "tsv":
        import pandas

        plain = [{key: " ".join(v.split()) if isinstance(v, str) else v for key, v in _cells(o).items()} for o in lines]
        return pandas.DataFrame(plain).to_csv(sep="\t", index=False, lineterminator="\n")
    return _terminal(lines, rows, note, sys.stdout.isatty()) + "\n"


def _changes(one: Line) -> dict[str, Any]:
    if one.verdict is None:
        return {}
    means = {name: round(getattr(one.verdict, name), 1) for name in ("mean", "mean_source", "mean_candidate")}
    return {"changes": [asdict(change) for change in one.verdict.changes]} | means


# ------------------------------------------------------------------------------------------------------- command line


def _own(file: str, metric: str) -> Thresholds:
    """Thresholds from a labelled file: source, candidate, and 1 or 0 for kept or changed."""
    rows = {number: line.split("\t") for number, line in enumerate(read_lines(file), start=1) if line.strip()}
    first = next(iter(rows), 0)
    if first and len(rows[first]) == 3 and rows[first][2].strip() not in ("0", "1"):
        del rows[first]  # a header
    if not rows:
        raise DataFormatError(file, None, "it has no pairs.")
    for number, cells in rows.items():
        if len(cells) != 3 or cells[2].strip() not in ("0", "1"):
            reason = "a line has a source, a candidate and 1 (kept) or 0 (changed), with tabs between them."
            raise DataFormatError(file, number, reason)
    sources, candidates, labels = zip(*rows.values())
    return calibrate(sources, candidates, [int(label) for label in labels], metric=metric)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    about = {"description": __doc__.partition("\n\n")[2], "formatter_class": argparse.RawDescriptionHelpFormatter}
    parser = argparse.ArgumentParser(f"{program()} check", **about)
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE", help="SOURCES SYSTEM [SYSTEM …], or one table; - is standard input")
    add("--columns", metavar="SOURCE,A[,B]", help="names of the columns of a table")
    add(
        "--metric",
        help="same-meaning (default; ships with the package) or same-meaning-base (better, takes ten times as long); "
        "with --calibrate others that rate from 0 to 100, such as same-meaning-unrestricted (CC0)",
    )
    add(
        "--calibrate",
        metavar="FILE",
        help="your own labelled pairs, 72 or more of each kind, each of another source; with tabs: source, candidate, "
        "1 (kept) or 0 (changed)",
    )
    add("--format", choices=("text", "tsv", "json", "html"), default="text", help="default: %(default)s")
    add("--out", metavar="FILE", help="write the report there in place of standard output")
    add("--top", type=int, metavar="N", help="show the N worst texts only; the summary counts all")
    add("--fail-on", choices=(CHANGED, UNSURE), help="end with status 1 if a text is that, or worse")
    add("--quiet", action="store_true", help="print no remarks and no progress")
    options = parser.parse_args(argv)
    if options.top is not None:
        check_number("--top", options.top, least=1)
    metric = resolve(options.metric or "same-meaning")
    systems = read_systems(options.files, options.columns)
    if options.out:
        open(options.out, "a").close()  # a place that takes no file is an error before the work, not after it
    if not options.quiet:
        if not options.metric and any(folder.is_dir() for folder in folders_of(base_model.ENCODER)):
            print("same-meaning-base is on this machine and better: --metric same-meaning-base", file=sys.stderr)
        if not_english(systems.sources):
            print(
                "These texts are hardly English; the verdicts were set on English and mean nothing here.",
                file=sys.stderr,
            )
    thresholds = _own(options.calibrate, metric) if options.calibrate else None
    lines = report(systems, metric=metric, thresholds=thresholds, tell=not options.quiet)
    rows = summary(lines, list(systems.outputs))
    note = _note(metric, thresholds)
    text = write(lines[: options.top], rows, options.format, note)
    if options.out:
        Path(options.out).write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
    if options.format == "tsv" and not options.quiet:
        print(_summary_text(rows), file=sys.stderr)
    bad = {CHANGED: {CHANGED}, UNSURE: {CHANGED, UNSURE}}.get(options.fail_on, set())
    return int(any(one.verdict is not None and one.verdict.verdict in bad for one in lines))


def _note(metric: str, thresholds: Thresholds | None) -> str:
    from nbhelpers.metrics.meaning_model import stored_thresholds

    used = thresholds or Thresholds(**stored_thresholds(metric))
    ends = f"kept from {used.kept:.1f}, changed up to {used.changed:.1f}"
    promise = f"at most {used.risk:.0%} of changed pairs pass as kept (on {used.found or 'its test pairs'})"
    return f"{metric}: {ends}; {promise}."
