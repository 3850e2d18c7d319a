"""Notebooks and their parameters: the registry, the parameters cells, and the values of a run, checked beforehand.

``notebooks/profiles.toml`` registers the notebooks; a profile is a set of parameter values and nothing else. A
parameter that the notebook does not have, a value of the wrong type and a parameter that no cell reads are errors.
"""

from __future__ import annotations

import ast
import hashlib
import json
import math
import re
import symtable
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbhelpers.base import paths
from nbhelpers.base.errors import DataFormatError, NbhelpersError, ParameterError, did_you_mean

PROFILES = ("quick", "full", "paper")
"""The profiles. The values of ``quick`` are the ones that stand in the notebooks."""
HEADLINE_KEYS = ("study", "table", "row", "column")
"""What names a number of the ledger."""

_TEXT, _TABLE = (str, "a text"), (dict, "a table")
_REQUIRED = {"title": _TEXT, "source": _TEXT, "timeout": _TABLE}
_KEYS = {**_REQUIRED, "needs": (list, "a list of names"), "headline": _TABLE, "full": _TABLE, "paper": _TABLE}


@dataclass(frozen=True)
class Entry:
    """One registered notebook."""

    name: str  # file name without .ipynb, for example 01_ndd_cases
    path: Path  # the notebook; it may be missing (`check_registry` says so)
    title: str  # what it is about
    source: str  # the paper and the tables it rebuilds; empty for a notebook that rebuilds nothing
    timeout: Mapping[str, float]  # seconds that the whole notebook may take, for each profile
    needs: tuple[str, ...] = ()  # names of the data sets and models it wants beyond what ships with the project
    headline: Mapping[str, str] | None = None  # study, table, row and column of the number that the final table shows
    values: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # of parameters, in profiles full and paper


def _line_of(text: str, notebook: str, key: str) -> int | None:
    """1-based line of a key of a notebook's table in ``profiles.toml``, or of the table where that cannot be told."""
    inside, header_line = False, None
    for number, line in enumerate(text.split("\n"), start=1):
        if header := re.match(r"\s*\[([^\]]*)\]", line):
            parts = [part.strip(" \t\"'") for part in header[1].split(".")]
            inside = parts[:2] == ["notebooks", notebook]
            if inside and key in parts[2:]:
                return number
            header_line = header_line or (number if inside else None)
        elif inside and key and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[=.]", line):
            return number
    return header_line


def _folder(notebooks: str | Path | None) -> Path:
    return Path(notebooks).resolve() if notebooks is not None else paths.ROOT / "notebooks"


def load_registry(notebooks: str | Path | None = None) -> dict[str, Entry]:
    """Read ``profiles.toml``: the notebooks by name, sorted.

    Parameters
    ----------
    notebooks : path, optional
        Folder of the notebooks and of ``profiles.toml``; default ``notebooks/`` of the checkout.

    Raises
    ------
    DataFormatError
        The file is missing or not TOML, or a key is unknown (the message names its near match), missing or of the
        wrong type.
    """
    folder = _folder(notebooks)
    file = folder / "profiles.toml"
    try:
        text = file.read_text(encoding="utf-8")
        content = tomllib.loads(text)
    except FileNotFoundError:
        raise DataFormatError(file, None, "the registry of the notebooks is missing") from None
    except ValueError as error:  # not TOML, or not UTF-8
        line = re.search(r"\(at line (\d+)", str(error))
        raise DataFormatError(file, int(line[1]) if line else None, f"is not TOML: {error}") from None
    for key in content:
        if key != "notebooks":
            raise DataFormatError(file, None, f"unknown table {key!r}; {did_you_mean(key, ['notebooks'])}")
    tables = content.get("notebooks", {})
    if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
        raise DataFormatError(file, None, "notebooks holds one table per notebook: [notebooks.NN_name]")
    return {name: _entry(folder, text, name, tables[name]) for name in sorted(tables)}


def _entry(folder: Path, text: str, name: str, table: Mapping[str, Any]) -> Entry:
    """Entry of one table of ``profiles.toml``, checked."""

    def wrong(key: str, reason: str) -> DataFormatError:
        return DataFormatError(folder / "profiles.toml", _line_of(text, name, key), f"notebook {name}: {reason}")

    for key, value in table.items():
        if key == "quick":
            raise wrong(key, "the values of profile quick are those that stand in the notebook; drop this table")
        if key not in _KEYS:
            raise wrong(key, f"unknown key {key!r}; {did_you_mean(key, _KEYS)}")
        kind, called = _KEYS[key]
        if not isinstance(value, kind) or kind is list and not all(isinstance(each, str) for each in value):
            raise wrong(key, f"{key} is {called}, not {value!r}")
        known = {"timeout": PROFILES, "headline": HEADLINE_KEYS}.get(key, value)
        for each in value:
            if each not in known:
                raise wrong(key, f"{key} has the unknown key {each!r}; {did_you_mean(each, known)}")
    for key in _REQUIRED:
        if key not in table:
            raise wrong("", f"the key {key!r} is missing")
    timeout, headline = table["timeout"], table.get("headline")
    for profile in PROFILES:
        seconds = timeout.get(profile)
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
            raise wrong("timeout", f"timeout.{profile} is a positive number of seconds, not {seconds!r}")
    for key in HEADLINE_KEYS if headline is not None else ():
        if not isinstance(headline.get(key), str):
            raise wrong("headline", f"headline.{key} is a text, not {headline.get(key)!r}")
    return Entry(
        name,
        folder / f"{name}.ipynb",
        table["title"],
        table["source"],
        timeout,
        tuple(table.get("needs", ())),
        headline,
        {profile: table[profile] for profile in ("full", "paper") if profile in table},
    )


def check_registry(notebooks: str | Path | None = None) -> dict[str, Entry]:
    """Read the registry, and check that registry and notebooks agree.

    Every notebook is registered and every registered notebook is there; each has one parameters cell of plain
    assignments that later cells read; the values of every profile are those of parameters, of the right type; every
    need is a registered resource.

    Parameters
    ----------
    notebooks : path, optional
        Folder of the notebooks and of ``profiles.toml``; default ``notebooks/`` of the checkout.

    Raises
    ------
    DataFormatError
        ``profiles.toml`` does not follow its format.
    ParameterError
        All other disagreements, one line each.
    """
    from nbhelpers.resources import data

    folder = _folder(notebooks)
    entries = load_registry(folder)
    problems = [
        f"{file.relative_to(folder)} is not registered in profiles.toml ([notebooks.{file.stem}])"
        for file in sorted({*folder.glob("*.ipynb"), *folder.glob("text/*.py")})
        if file.stem not in entries
    ]
    resources = data.registry()
    for entry in entries.values():
        try:
            source = read_source(entry.path)
            for profile, values in entry.values.items():
                check_values(source, values, f"profile {profile}")
        except NbhelpersError as error:
            problems.append(str(error))
        problems += [
            f"{entry.name} needs {name!r}, which data/registry.toml does not have; {did_you_mean(name, resources)}"
            for name in entry.needs
            if name not in resources
        ]
    if problems:
        raise ParameterError("\n".join(problems))
    return entries


def select(entries: Mapping[str, Entry], only: Sequence[str] = ()) -> list[Entry]:
    """Registered notebooks that are meant.

    Parameters
    ----------
    only : sequence of str
        Numbers (``01``), names (``01_ndd_cases``) or paths (``notebooks/01_ndd_cases.ipynb``); empty for all.

    Raises
    ------
    ParameterError
        One of them is no registered notebook; the message names the near match.
    """
    chosen = set()
    for each in only:
        stem = Path(each).stem
        found = [name for name in entries if stem in (name, name.split("_")[0])]
        if not found:
            raise ParameterError(f"--only {each}: no such notebook is registered; {did_you_mean(stem, entries)}")
        chosen.update(found)
    return [entry for name, entry in entries.items() if not only or name in chosen]


@dataclass(frozen=True)
class Source:
    """What is known of a notebook before it runs."""

    name: str  # file name without .ipynb
    defaults: Mapping[str, Any]  # the parameters and their values in the parameters cell, in order
    cells: int  # number of code cells
    sha256: str  # of the file


def read_source(path: str | Path) -> Source:
    """Read the parameters cell of a notebook (``.ipynb``), and check that the other cells read each parameter.

    Raises
    ------
    DataFormatError
        The file is missing or not a notebook.
    ParameterError
        There is not exactly one cell tagged ``parameters``; it holds something else than plain assignments of literal
        values (the message names notebook and line); or no later cell reads a parameter, or one assigns it anew before
        any reads it.
    """
    path = Path(path)
    name = path.stem
    try:
        content = path.read_bytes()
        code = [
            ("".join(cell["source"]), "parameters" in cell["metadata"].get("tags", []))
            for cell in json.loads(content.decode("utf-8"))["cells"]
            if cell["cell_type"] == "code"
        ]
    except FileNotFoundError:
        text = path.parent / "text" / f"{name}.py"
        hint = f"; make it from {text.name} with jupytext" if text.exists() else ""
        raise DataFormatError(path, None, f"the notebook is missing{hint}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataFormatError(path, None, f"is not a notebook ({type(error).__name__})") from None
    tagged = [source for source, is_tagged in code if is_tagged]
    if len(tagged) != 1:
        raise ParameterError(f"{name} has {len(tagged) or 'no'} cells tagged 'parameters'; exactly one is wanted")
    defaults = _parse_parameters(name, tagged[0])
    problems = []
    others = [_names(source) for source, is_tagged in code if not is_tagged]
    for each in defaults:
        uses = [each in read for read, assigned in others if each in read or each in assigned]
        if not uses:
            problems.append(f"parameter {each!r} of {name} is read by no cell")
        elif not uses[0]:
            problems.append(f"parameter {each!r} of {name} is assigned anew before any cell reads it")
    if problems:
        raise ParameterError("; ".join(problems))
    return Source(name, defaults, len(code), hashlib.sha256(content).hexdigest())


def _parse_parameters(name: str, source: str) -> dict[str, Any]:
    """Values of the parameters cell: plain assignments of literals, one name each."""

    def wrong(line: int | None, reason: str) -> ParameterError:
        return ParameterError(
            f"{name}, parameters cell, line {line}: the cell takes plain assignments only "
            f"(name = literal value); {reason}"
        )

    try:
        statements = ast.parse(source).body
    except SyntaxError as error:
        raise wrong(error.lineno, f"is not Python ({error.msg})") from None
    defaults: dict[str, Any] = {}
    for statement in statements:
        line = statement.lineno
        match statement:
            case ast.Assign(targets=[ast.Name(id=target)], value=expression):
                pass
            case _:
                raise wrong(line, f"{ast.unparse(statement).splitlines()[0]!r} is not one")
        if target in defaults:
            raise wrong(line, f"{target} is assigned twice")
        try:
            value = ast.literal_eval(expression)
        except (ValueError, TypeError):
            raise wrong(line, f"{target} is computed ({ast.unparse(expression)})") from None
        if not _is_plain(value):
            raise wrong(
                line,
                f"{target} is a {type(value).__name__}; numbers, texts, True, False, None, lists and "
                "dictionaries with text keys can be passed",
            )
        defaults[target] = value
    return defaults


def _is_plain(value: Any) -> bool:
    """Whether Papermill can pass the value unchanged (it would turn a tuple or a set into a text)."""
    if isinstance(value, list):
        return all(_is_plain(each) for each in value)
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(each) for key, each in value.items())
    return value is None or isinstance(value, bool | int | str) or isinstance(value, float) and math.isfinite(value)


def _names(source: str) -> tuple[set[str], set[str]]:
    """Names of the notebook's own scope that a cell reads, and those that it assigns whatever happens.

    A function's own variable or argument of the same name does not count. Lines of IPython magic count as reading
    every word in them.
    """
    lines = source.split("\n")
    magic = [line for line in lines if line.lstrip().startswith(("%", "!"))]
    plain = "\n".join(re.sub(r"\S.*", "pass", line) if line in magic else line for line in lines)
    read = set(re.findall(r"[^\W\d]\w*", "\n".join(magic)))
    try:
        statements = ast.parse(plain).body
        top = symtable.symtable(plain, "cell", "exec")
    except SyntaxError:
        return set(re.findall(r"[^\W\d]\w*", source)), set()

    def visit(table: symtable.SymbolTable) -> None:
        read.update(
            symbol.get_name()
            for symbol in table.get_symbols()
            if symbol.is_referenced() and (table is top or symbol.is_global())
        )
        for child in table.get_children():
            visit(child)

    visit(top)
    targets = [target for statement in statements if isinstance(statement, ast.Assign) for target in statement.targets]
    return read, {
        each.id
        for target in targets
        for each in ast.walk(target)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }


_KINDS = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "a text",
    list: "a list",
    dict: "a dictionary",
    type(None): "None",
}


def _fits(default: Any, value: Any) -> tuple[bool, Any]:
    """Whether a value has the type of the default, and the value to pass (a whole number for a float is widened)."""
    if default is None:
        return _is_plain(value), value
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        return True, float(value)
    if type(value) is not type(default) or not _is_plain(value):
        return False, value
    if isinstance(default, list) and default and len({type(each) for each in default}) == 1:
        checked = [_fits(default[0], each) for each in value]
        return all(fits for fits, _ in checked), [each for _, each in checked]
    return True, value


def check_values(source: Source, values: Mapping[str, Any], origin: str) -> dict[str, Any]:
    """Check parameter values, by name, against a notebook; the values, where a whole number given for a float is one.

    A default of None takes anything; a list takes elements of its elements' type. `origin` is where the values come
    from, for the message.

    Raises
    ------
    ParameterError
        An unknown name (the message names the near match), or a value of another type than the default's.
    """
    checked = {}
    for name, value in values.items():
        if name not in source.defaults:
            hint = did_you_mean(name, source.defaults)
            raise ParameterError(f"{origin}: {source.name} has no parameter {name!r}; {hint}")
        default = source.defaults[name]
        fits, checked[name] = _fits(default, value)
        if not fits:
            kind = _KINDS[type(default)] + (" of the same kind" if type(default) is type(value) is list else "")
            raise ParameterError(
                f"{origin}: parameter {name!r} of {source.name} takes {kind} (default {default!r}), not {value!r}"
            )
    return checked


def parse_assignments(assignments: Iterable[str]) -> dict[str, str]:
    """Split ``name=value`` texts of the command line.

    Raises
    ------
    ParameterError
        A text is not of this form, or a name comes twice.
    """
    values: dict[str, str] = {}
    for assignment in assignments:
        name, sign, value = (part.strip() for part in assignment.partition("="))
        if not sign or not name.isidentifier():
            raise ParameterError(f"-p {assignment}: parameters are given as name=value")
        if name in values:
            raise ParameterError(f"-p {assignment}: {name!r} is given twice")
        values[name] = value
    return values


def _read_value(text: str, default: Any) -> Any:
    """Value that a text of the command line stands for, given what the parameter holds by default."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        value = {"true": True, "false": False}.get(text.lower(), text) if isinstance(default, bool) else text
    # For a text, 007 and 1e3 are texts, too; quotes around a text are taken off.
    return text if isinstance(default, str) and not isinstance(value, str) else value


def plan(
    entries: Sequence[Entry],
    profile: str,
    given: Mapping[str, Any] | None = None,
    *,
    say: Callable[[str], None] = print,
) -> dict[str, tuple[Source, dict[str, Any]]]:
    """Check everything that can be known before a run.

    Parameters
    ----------
    entries : sequence of Entry
        The notebooks to run.
    profile : str
        One of `PROFILES`.
    given : mapping, optional
        Values over the profile's, by parameter; texts are read as the command line gives them (``"5"`` for 5).
    say : callable
        Takes the line that tells which notebooks a value applies to, where it is not all of them.

    Returns
    -------
    dict
        For each notebook, by name, its `Source` and the values to inject.

    Raises
    ------
    ParameterError
        See `read_source` and `check_values`; also for a given parameter that none of the notebooks has.
    """
    if profile not in PROFILES:
        raise ParameterError(f"unknown profile {profile!r}; {did_you_mean(profile, PROFILES)}")
    given = dict(given or {})
    sources = {entry.name: read_source(entry.path) for entry in entries}
    for name in given:
        having = [source.name for source in sources.values() if name in source.defaults]
        if not having:
            known = dict.fromkeys(each for source in sources.values() for each in source.defaults)
            raise ParameterError(f"-p {name}: none of the notebooks has this parameter; {did_you_mean(name, known)}")
        if len(having) < len(sources):
            say(f"{name} = {given[name]} applies to {', '.join(having)}; the other notebooks have no such parameter")
    plans = {}
    for entry in entries:
        source = sources[entry.name]
        values = check_values(source, entry.values.get(profile, {}), f"profiles.toml, profile {profile}")
        own = {
            name: _read_value(value, source.defaults[name]) if isinstance(value, str) else value
            for name, value in given.items()
            if name in source.defaults
        }
        plans[entry.name] = (source, {**values, **check_values(source, own, "-p")})
    return plans
