"""Notebooks and their parameters: the registry, the parameters cells, and the values of a run, checked beforehand.

``notebooks/profiles.toml`` registers the notebooks; a profile is a set of parameter values and nothing else. A
parameter that the notebook does not have, a value of the wrong type and a parameter that no cell reads are errors.
"""

from __future__ import annotations

import ast
import hashlib
import io
import json
import math
import re
import symtable
import tokenize
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbhelpers.base import paths
from nbhelpers.base.errors import DataFormatError, ParameterError, did_you_mean

PROFILES = ("quick", "full", "paper")
"""The profiles. The values of ``quick`` are the ones that stand in the notebooks."""


@dataclass(frozen=True)
class Entry:
    """One registered notebook."""

    name: str  # file name without .ipynb, for example 01_ndd_cases
    path: Path  # the notebook; it may be missing (`read_source` says so)
    title: str  # what it is about
    source: str  # the paper and the tables it rebuilds; empty for a notebook that rebuilds nothing
    timeout: Mapping[str, float]  # seconds that the whole notebook may take, for each profile
    answer: str = ""  # what was found, in one sentence
    figure: str = ""  # name of the figure that shows it, without ending
    needs: Sequence[str] = ()  # names of the data sets and models it wants beyond what ships with the project
    values: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # of parameters, in profiles full and paper


def load_registry(notebooks: str | Path | None = None) -> dict[str, Entry]:
    """Read ``profiles.toml``.

    Parameters
    ----------
    notebooks : path, optional
        Folder of the notebooks and of ``profiles.toml``; default ``notebooks/`` of the checkout.

    Returns
    -------
    dict of str to Entry
        The notebooks by name, sorted.

    Raises
    ------
    DataFormatError
        The file is missing or not TOML, or a key is unknown, missing or of the wrong type.

    Examples
    --------
    >>> load_registry()["01_ndd_cases"].timeout["quick"]
    600
    """
    folder = Path(notebooks).resolve() if notebooks is not None else paths.ROOT / "notebooks"
    file = folder / "profiles.toml"
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataFormatError(file, None, "the registry of the notebooks is missing") from None
    except ValueError as error:  # not TOML, with its line, or not UTF-8
        raise DataFormatError(file, None, f"is not TOML: {error}") from None
    if set(content) != {"notebooks"}:
        raise DataFormatError(file, None, "holds one table for each notebook, [notebooks.NN_name], and nothing else")
    return {name: _entry(file, name, table) for name, table in sorted(content["notebooks"].items())}


def _entry(file: Path, name: str, table: Mapping[str, Any]) -> Entry:
    """Entry of one table of ``profiles.toml``, checked."""
    values = {profile: table[profile] for profile in ("full", "paper") if profile in table}
    named = {key: value for key, value in table.items() if key not in values}
    try:
        entry = Entry(name, file.with_name(f"{name}.ipynb"), values=values, **named)
        if set(entry.timeout) != set(PROFILES) or min(entry.timeout.values()) <= 0:
            raise ValueError(f"timeout has positive seconds for {PROFILES}")
    except (TypeError, ValueError) as error:  # TypeError: a key is unknown or missing, or not of its type
        raise DataFormatError(file, None, f"notebook {name}: {error}") from None
    return entry


def select(entries: Mapping[str, Entry], only: Sequence[str] = ()) -> list[Entry]:
    """Registered notebooks that are meant.

    Parameters
    ----------
    entries : mapping of str to Entry
        The registry.
    only : sequence of str
        Numbers (``1`` or ``01``), names (``01_ndd_cases``) or paths (``notebooks/01_ndd_cases.ipynb``); empty for all.

    Returns
    -------
    list of Entry
        In the order of the registry.

    Raises
    ------
    ParameterError
        One of them is no registered notebook; the message names the near match.
    """
    chosen = set()
    for each in only:
        stem = Path(each).stem
        found = {name for name in entries if stem == name or stem.zfill(2) == name.split("_")[0]}
        if not found:
            raise ParameterError(f"--only {each}: no such notebook is registered; {did_you_mean(stem, entries)}")
        chosen |= found
    return [entry for name, entry in entries.items() if not only or name in chosen]


# ------------------------------------------------------------------------------------------------ the parameters cell


@dataclass(frozen=True)
class Source:
    """What is known of a notebook before it runs."""

    name: str  # file name without .ipynb
    defaults: Mapping[str, Any]  # the parameters and their values in the parameters cell, in order
    comments: Mapping[str, str]  # what the cell says of each of them
    cells: int  # number of code cells
    sha256: str  # of the cells without their outputs


def read_source(path: str | Path) -> Source:
    """Read the parameters cell of a notebook, and check that the other cells read each parameter.

    Parameters
    ----------
    path : path
        A file ``.ipynb``.

    Returns
    -------
    Source

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
        cells = [
            (cell["cell_type"], "".join(cell["source"]), "parameters" in cell["metadata"].get("tags", []))
            for cell in json.loads(path.read_bytes())["cells"]
        ]
    except FileNotFoundError:
        raise DataFormatError(path, None, "the notebook is missing") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataFormatError(path, None, f"is not a notebook ({type(error).__name__})") from None
    tagged = [text for kind, text, is_tagged in cells if kind == "code" and is_tagged]
    others = [_names(text) for kind, text, is_tagged in cells if kind == "code" and not is_tagged]
    if len(tagged) != 1:
        raise ParameterError(f"{name} has {len(tagged) or 'no'} cells tagged 'parameters'; exactly one is wanted")
    defaults, comments = _parse_parameters(name, tagged[0])
    for each in defaults:
        uses = [each in read for read, assigned in others if each in read or each in assigned]
        if not uses:
            raise ParameterError(f"parameter {each!r} of {name} is read by no cell")
        if not uses[0]:
            raise ParameterError(f"parameter {each!r} of {name} is assigned anew before any cell reads it")
    digest = hashlib.sha256(json.dumps(cells).encode()).hexdigest()
    return Source(name, defaults, comments, len(tagged) + len(others), digest)


def _parse_parameters(name: str, source: str) -> tuple[dict[str, Any], dict[str, str]]:
    """Values and comments of the parameters cell: plain assignments of literals, one name each."""

    def wrong(line: int | None, reason: str) -> ParameterError:
        return ParameterError(
            f"{name}, parameters cell, line {line}: the cell takes plain assignments only (name = literal); {reason}"
        )

    try:
        statements = ast.parse(source).body
    except SyntaxError as error:
        raise wrong(error.lineno, f"is not Python ({error.msg})") from None
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    defaults: dict[str, Any] = {}
    comments: dict[str, str] = {}
    for statement in statements:
        lines = range(statement.lineno, statement.end_lineno + 1)
        match statement:
            case ast.Assign(targets=[ast.Name(id=target)], value=expression) if target not in defaults:
                pass
            case _:
                raise wrong(lines[0], f"{ast.unparse(statement)!r} is not one, or comes twice")
        try:
            value = ast.literal_eval(expression)
        except (ValueError, TypeError):
            raise wrong(lines[0], f"{target} is computed ({ast.unparse(expression)})") from None
        if not _is_plain(value):
            raise wrong(lines[0], f"a {type(value).__name__} such as {target} cannot be passed")
        defaults[target] = value
        own = [each for each in tokens if each.type == tokenize.COMMENT and each.start[0] in lines]
        comments[target] = " ".join(each.string.lstrip("# ") for each in own)
    return defaults, comments


def _is_plain(value: Any) -> bool:
    """Whether Papermill can pass the value unchanged (it would turn a tuple or a set into a text)."""
    if isinstance(value, list):
        return all(_is_plain(each) for each in value)
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(each) for key, each in value.items())
    return value is None or isinstance(value, bool | int | str) or isinstance(value, float) and math.isfinite(value)


def _names(source: str) -> tuple[set[str], set[str]]:
    """Names of the notebook's own scope that a cell reads, and those that it assigns whatever happens.

    A function's own variable or argument of the same name does not count. A cell that is not Python alone, such as one
    with IPython magic, counts as reading every word in it.
    """
    try:
        statements, tables = ast.parse(source).body, [symtable.symtable(source, "cell", "exec")]
    except SyntaxError:
        return set(re.findall(r"[^\W\d]\w*", source)), set()
    for table in tables:  # grows while it is walked
        tables += table.get_children()
    read = {
        symbol.get_name()
        for table in tables
        for symbol in table.get_symbols()
        if symbol.is_referenced() and (table is tables[0] or symbol.is_global())
    }
    targets = [target for statement in statements if isinstance(statement, ast.Assign) for target in statement.targets]
    stored = [each for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]
    return read, {each.id for each in stored if isinstance(each.ctx, ast.Store)}


# ------------------------------------------------------------------------------------------------ the values of a run


def _convert(default: Any, value: Any) -> Any:
    """The value, a whole number for a float widened; TypeError where it has not the type of the default."""
    if isinstance(default, float) and type(value) is int:
        return float(value)
    if not _is_plain(value) or default is not None and type(value) is not type(default):
        raise TypeError
    if isinstance(default, list) and len({type(each) for each in default}) == 1:
        return [_convert(default[0], each) for each in value]
    return value


def check_values(source: Source, values: Mapping[str, Any], origin: str) -> dict[str, Any]:
    """Check parameter values against a notebook.

    A default of None takes anything; a list takes elements of its elements' type.

    Parameters
    ----------
    source : Source
        The notebook.
    values : mapping of str to object
        Values by parameter.
    origin : str
        Where they come from, for the message.

    Returns
    -------
    dict of str to object
        The values, where a whole number given for a float is one.

    Raises
    ------
    ParameterError
        An unknown name (the message names the near match), or a value of another type than the default's.
    """
    checked = {}
    for name, value in values.items():
        if name not in source.defaults:
            raise ParameterError(
                f"{origin}: {source.name} has no parameter {name!r}; {did_you_mean(name, source.defaults)}"
            )
        default = source.defaults[name]
        try:
            checked[name] = _convert(default, value)
        except TypeError:
            raise ParameterError(
                f"{origin}: parameter {name!r} of {source.name} takes a {type(default).__name__} such as {default!r}, "
                f"not {value!r}"
            ) from None
    return checked


def parse_assignments(assignments: Iterable[str]) -> dict[str, str]:
    """Split ``name=value`` texts of the command line.

    Parameters
    ----------
    assignments : iterable of str

    Returns
    -------
    dict of str to str

    Raises
    ------
    ParameterError
        A text is not of this form, or a name comes twice.

    Examples
    --------
    >>> parse_assignments(["size=5", "model=bert-base-cased"])
    {'size': '5', 'model': 'bert-base-cased'}
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
    given: Mapping[str, str] | None = None,
    *,
    say: Callable[[str], None] = print,
) -> dict[str, tuple[Source, dict[str, Any]]]:
    """Parameter values of a run, checked.

    Parameters
    ----------
    entries : sequence of Entry
        The notebooks to run.
    profile : str
        One of `PROFILES`.
    given : mapping of str to str, optional
        Values over the profile's, by parameter, as the command line gives them (``"5"`` for 5).
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
    given = given or {}
    sources = {entry.name: read_source(entry.path) for entry in entries}
    for name in given:
        having = [source.name for source in sources.values() if name in source.defaults]
        if not having:
            known = [each for source in sources.values() for each in source.defaults]
            raise ParameterError(f"-p {name}: none of the notebooks has this parameter; {did_you_mean(name, known)}")
        if len(having) < len(sources):
            say(f"{name} = {given[name]} applies to {', '.join(having)}; the other notebooks have no such parameter")
    plans = {}
    for entry in entries:
        source = sources[entry.name]
        values = check_values(source, entry.values.get(profile, {}), f"profiles.toml, profile {profile}")
        own = {
            name: _read_value(text, source.defaults[name]) for name, text in given.items() if name in source.defaults
        }
        plans[entry.name] = (source, {**values, **check_values(source, own, "-p")})
    return plans
