"""``python -m nbhelpers evidence``: what every experiment found, item by item, and how to make it again."""

from __future__ import annotations

import argparse
import ast
import csv
import dataclasses
import importlib
import inspect
import io
import math
import shlex
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from nbhelpers import leaderboard, studies
from nbhelpers.base import shards
from nbhelpers.base.errors import InputError, did_you_mean
from nbhelpers.base.files import replace_file
from nbhelpers.base.paths import program
from nbhelpers.results import claims, evidence
from nbhelpers.results.estimates import text

if TYPE_CHECKING:
    import pandas

_DESCRIPTION = """\
Show what every experiment found, item by item, and make it again.

evidence                               list the tables: items, bytes, models, seconds
evidence show ndd-compression          every number made from a table, in the layout of the paper
evidence show ndd-compression ndd/table2      only one of its tables
evidence record ndd-compression model=base sentences=100      run the experiment on real data, keep its items
evidence record ndd-compression model=base sentences=200 more=True      keep the items recorded so far, add the others
evidence claims                        test every claim on the evidence
evidence claims --write                the same, and write the numbers that ship for display
evidence verify                        check that the tables fit their manifests, and the shipped claims the evidence
"""


NAMES = (*studies.EXPERIMENTS, *leaderboard.EXPERIMENTS)
WHAT = ("list", "show", "record", "claims", "verify")


def _experiment(name: str) -> ModuleType:
    if name in leaderboard.EXPERIMENTS:
        return importlib.import_module(leaderboard.EXPERIMENTS[name])
    if name not in studies.EXPERIMENTS:
        raise InputError(f"there is no experiment {name!r}; {did_you_mean(name, NAMES)}")
    return studies.experiment(name)


def _settings(assignments: Sequence[str]) -> dict[str, Any]:
    """Values by name; a value is written as in Python, and texts need no quotes."""
    found: dict[str, Any] = {}
    for one in assignments:
        name, sign, value = one.partition("=")
        if not sign or not name.isidentifier():
            raise InputError(f"a setting is written name=value, not {one!r}")
        try:
            found[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            found[name] = value
    return found


def record(name: str, assignments: Sequence[str] = ()) -> str:
    """Run an experiment on real data and put its items into its table.

    Parameters
    ----------
    name : str
    assignments : sequence of str
        Settings of the experiment's ``record``, as ``name=value``.

    Returns
    -------
    str
        One line that says what was recorded.
    """
    settings = _settings(assignments)
    module, seconds = _experiment(name), shards.stopwatch()
    known = inspect.signature(module.record).parameters
    if unknown := next((one for one in settings if one not in known), None):
        raise InputError(f"{name} has no setting {unknown!r}; {did_you_mean(unknown, known)}")
    items, run = module.record(**settings)
    plain = [one for one in assignments if not one.startswith("more=")]  # they make all of it again
    command = f"python -m nbhelpers evidence record {shlex.join([name, *plain])}"
    settings = {**run.settings, **settings}
    settings.pop("more", None)
    run = dataclasses.replace(run, settings=settings, command=command, seconds=run.seconds + seconds())
    path = evidence.save(name, items, run)
    return f"{name}: {len(items)} items in {run.seconds:.0f} s; {path} has {path.stat().st_size:,} bytes"


def listing() -> str:
    """The tables with their items, bytes and runs."""
    lines = []
    for name in evidence.names():
        size = (evidence.folder() / f"{name}.parquet").stat().st_size
        lines.append(f"{name}: {len(evidence.load(name)):,} items, {size:,} bytes")
        for run in evidence.runs(name):
            what = ", ".join(filter(None, [run.model, run.data]))
            lines.append(f"  {what}: {run.seconds:,.0f} s on {run.device}, {run.date}\n    {run.command}")
    return "\n".join(lines)


def show(name: str, table: str = "") -> str:
    """The estimates made from a table of evidence, in the paper's layout, as text."""
    from nbhelpers.results import published, tables

    made = _experiment(name).TABLES
    if table and table not in made:
        raise InputError(f"{name} makes {', '.join(made)}, not {table!r}")
    items, parts = evidence.load(name), []
    for each in [table] if table else made:
        paper = each if each in published.tables() else ""
        found = made[each](items)
        parts.append(f"{each} ({_sizes(found)})\n{tables.layout(found, paper, also=['*']).to_string()}")
    return "\n\n".join(parts)


def _sizes(found: pandas.DataFrame) -> str:
    """How many items stand behind the numbers of a table, for each model."""
    parts = found.groupby("model", sort=False)["n"] if "model" in found else [("", found["n"])]
    sizes = [(name, int(n.min()), int(n.max())) for name, n in parts if n.notna().any()]
    return "n: " + "; ".join(f"{name} {low:,}" + f" to {high:,}" * (low < high) for name, low, high in sizes).strip()


def tested() -> list[dict[str, Any]]:
    """Every claim that has a function: its estimate, and what was measured."""
    rows = []
    for name, function in studies.claims().items():
        found = function()
        measured = (function.__doc__ or "").strip().split("\n")[0].removesuffix(".")
        rows.append({"claim": name, **dataclasses.asdict(found), "measured": measured})
    return rows


def write_claims() -> str:
    """Test every claim and write the numbers that ship for display, in as many digits as all machines agree on."""
    rows, stream = tested(), io.StringIO()
    writer = csv.DictWriter(stream, claims.FIELDS, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({key: f"{value:.9g}" if isinstance(value, float) else value for key, value in row.items()})
    claims.derived_path().parent.mkdir(parents=True, exist_ok=True)
    replace_file(claims.derived_path(), stream.getvalue().encode("utf-8"))
    return f"{len(rows)} claims tested; {claims.derived_path()}"


def differences() -> list[str]:
    """What the shipped numbers of the claims and the evidence say differently; one line each."""
    shipped, found = {name: one for name, (one, _) in claims.derived().items()}, []
    for row in tested():
        old = shipped.pop(row["claim"], None)
        if old is None:
            found.append(f"{row['claim']} is not among the shipped claims")
            continue
        for field in ("value", "low", "high", "n"):
            new = row[field]
            if not math.isclose(getattr(old, field), new, rel_tol=1e-6, abs_tol=1e-9) and new == new:
                found.append(
                    f"{row['claim']}: {field} is {new:.6g} by the evidence, {getattr(old, field):.6g} as shipped"
                )
    return found + [f"{name} is shipped, and nothing tests it" for name in shipped]


def main(argv: Sequence[str] | None = None) -> int:
    """Command line; the exit status is 1 where something differs."""
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(f"{program()} evidence", description=_DESCRIPTION, formatter_class=plain)
    add = parser.add_argument
    add("what", nargs="?", default="list", choices=WHAT, metavar="|".join(WHAT))
    add("name", nargs="?", metavar="TABLE", help="a table of evidence")
    add("rest", nargs="*", metavar="REST", help="for show a table of the paper, for record settings as name=value")
    add("--write", action="store_true", help="with claims: write the numbers that ship")
    options = parser.parse_args(argv)
    if options.what in ("show", "record") and not options.name:
        raise InputError(f"evidence {options.what} needs the name of a table: {', '.join(NAMES)}")
    if options.what == "record":
        print(record(options.name, options.rest))
    elif options.what == "show":
        print(show(options.name, *options.rest[:1]))
    elif options.what == "claims" and options.write:
        print(write_claims())
    elif options.what == "claims":
        for row in tested():
            print(f"{row['claim']}: {text(claims.estimate_of(row))} ({row['measured']})")
    elif options.what == "verify":
        for name in evidence.names():
            evidence.load(name)
        found = differences()
        print("\n".join(found) or f"{len(evidence.names())} tables and {len(studies.claims())} claims agree")
        return int(bool(found))
    else:
        print(listing())
    return 0
