"""The registry, the parameters cell and the values of a run: what is wrong is named before anything runs."""

import re

import nbformat
import pytest
from notebooks_for_tests import entry, two_notebooks, write_notebook, write_registry

from nbhelpers.base.errors import DataFormatError, ParameterError
from nbhelpers.runner import parameters
from nbhelpers.runner.parameters import Source, check_values, load_registry, parse_assignments, plan, read_source

# --------------------------------------------------------------------------------------------------------- the registry


def test_registry_reads_everything_it_documents(tmp_path):
    text = 'needs = ["real"]\n'
    values = "[notebooks.01_a.full]\nsize = 30\n[notebooks.01_a.paper]\nsize = 300"
    write_registry(tmp_path, entry("02_b"), entry("01_a", text + values))
    first, second = load_registry(tmp_path).values()
    assert (first.name, first.path, first.needs) == ("01_a", tmp_path / "01_a.ipynb", ["real"])
    assert first.timeout == {"quick": 300, "full": 100, "paper": 100}
    assert first.values == {"full": {"size": 30}, "paper": {"size": 300}}
    assert second.name == "02_b" and second.values == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (entry("01_a", 'need = ["x"]'), "notebook 01_a: Entry.__init__() got an unexpected keyword argument 'need'"),
        (entry("01_a", "[notebooks.01_a.ful]\nsize = 1"), "unexpected keyword argument 'ful'"),
        ('[notebooks.01_a]\ntitle = ""\nsource = ""\ntimeout = 60', "notebook 01_a: 'int' object is not iterable"),
        (entry("01_a").replace("300", "0"), "timeout has positive seconds for"),
        (entry("01_a").replace('source = ""\n', ""), "missing 1 required positional argument: 'source'"),
        ("[notebook.01_a]\n", "one table for each notebook"),
        (entry("01_a", "[notebooks"), "is not TOML: Expected ']' at the end of a table declaration (at line 5"),
        (None, "the registry of the notebooks is missing"),
    ],
)
def test_mistakes_in_the_registry_are_named(tmp_path, text, message):
    if text is not None:
        write_registry(tmp_path, text)
    with pytest.raises(DataFormatError, match=re.escape(message)):
        load_registry(tmp_path)


def test_notebooks_are_selected_by_number_name_or_path(tmp_path):
    entries = load_registry(two_notebooks(tmp_path))

    def names(*only):
        return [each.name for each in parameters.select(entries, only)]

    assert names() == names("02", "1") == ["01_a", "02_b"]
    assert names("2") == names("02") == names("02_b") == names("notebooks/02_b.ipynb") == ["02_b"]
    with pytest.raises(ParameterError, match="--only 02_c: no such notebook is registered; did you mean '02_b'?"):
        names("02_c")


# -------------------------------------------------------------------------------------------------- the parameters cell


def edit(path, change):
    """Change a notebook on disk."""
    notebook = nbformat.read(path, 4)
    change(notebook.cells)
    nbformat.write(notebook, path)


def test_parameters_are_the_literals_of_their_cell_and_its_comments(tmp_path):
    cell = "a = 3  # whole\nb = -0.5\nc = (\n    'x'  # a # text\n)\nd = None\ne = ['p']\nf = {'k': [1]}\ng = '# h'"
    path = write_notebook(tmp_path, "01_a", "print(a, b, c, d, e, f, g)", parameters=cell)
    source = read_source(path)
    assert source.defaults == {"a": 3, "b": -0.5, "c": "x", "d": None, "e": ["p"], "f": {"k": [1]}, "g": "# h"}
    assert {name: text for name, text in source.comments.items() if text} == {"a": "whole", "c": "a # text"}
    assert source.cells == 2
    edit(path, lambda cells: cells[2].outputs.append(nbformat.v4.new_output("stream", text="3")))
    assert read_source(path) == source  # outputs are not the source
    edit(path, lambda cells: cells[2].update(source=cells[2].source + "\n"))
    assert read_source(path).sha256 != source.sha256


@pytest.mark.parametrize(
    ("cell", "line", "message"),
    [
        ("size = 3\nlimit: int | None = None", 2, "'limit: int | None = None' is not one"),
        ("size = 3\n\nother = 2 * 3", 3, "other is computed (2 * 3)"),
        ("import os\nsize = 3", 1, "'import os' is not one"),
        ("size, other = 3, 4", 1, "is not one"),
        ("size = 3\nsize = 4", 2, "or comes twice"),
        ("size = (1, 2)", 1, "a tuple such as size cannot be passed"),
        ("size = 1e999", 1, "a float such as size"),
        ("size = 3\n%matplotlib inline", 2, "is not Python"),
    ],
)
def test_anything_but_plain_assignments_is_an_error_with_notebook_and_line(tmp_path, cell, line, message):
    path = write_notebook(tmp_path, "01_a", "print(size, other, limit)", parameters=cell)
    with pytest.raises(ParameterError, match=re.escape(message)) as caught:
        read_source(path)
    assert f"01_a, parameters cell, line {line}: " in str(caught.value)


def test_there_is_exactly_one_parameters_cell(tmp_path):
    with pytest.raises(ParameterError, match="01_a has no cells tagged 'parameters'"):
        read_source(write_notebook(tmp_path, "01_a", "1", parameters=None))
    path = write_notebook(tmp_path, "02_b", "print(size)")
    edit(path, lambda cells: cells.append(nbformat.v4.new_code_cell("a = 1", metadata={"tags": ["parameters"]})))
    with pytest.raises(ParameterError, match="02_b has 2 cells tagged"):
        read_source(path)


@pytest.mark.parametrize(
    "cells",
    [
        ["def double():\n    return 2 * size"],
        ["f'{size:3d}'"],
        ["size = size or 5"],
        ["await f(size)"],
        ["!echo {size}"],
        ["%%time\nprint(size)"],
        ["1", "x = lambda: size"],
        ["if True:\n    size = 5", "print(size)"],
    ],
)
def test_a_parameter_is_read_wherever_its_value_can_matter(tmp_path, cells):
    assert read_source(write_notebook(tmp_path, "01_a", *cells)).defaults == {"size": 3}


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["# size\n'size'"], "is read by no cell"),
        (["def f(size):\n    return size"], "is read by no cell"),
        (["def f():\n    size = 1\n    return size"], "is read by no cell"),
        (["[size for size in range(3)]"], "is read by no cell"),
        (["x.size", "f(size=1)"], "is read by no cell"),
        (["first, size = 5, 6", "print(size)"], "is assigned anew before any cell reads it"),
        (["for size in (1, 2):\n    pass", "%matplotlib inline"], "is read by no cell"),
    ],
)
def test_a_parameter_that_no_cell_reads_is_an_error(tmp_path, cells, message):
    path = write_notebook(tmp_path, "01_a", *cells)
    with pytest.raises(ParameterError, match=f"parameter 'size' of 01_a {message}"):
        read_source(path)


@pytest.mark.parametrize("content", [b"{}", b"[1]", b"\xff\xfe", b'{"cells": ['])
def test_a_file_that_is_no_notebook_is_named(tmp_path, content):
    (tmp_path / "01_a.ipynb").write_bytes(content)
    with pytest.raises(DataFormatError, match="is not a notebook"):
        read_source(tmp_path / "01_a.ipynb")


# ----------------------------------------------------------------------------------------------------- parameter values


def source_of(**defaults) -> Source:
    return Source("01_a", defaults, dict.fromkeys(defaults, ""), 2, "")


@pytest.mark.parametrize(
    ("default", "value", "expected"),
    [
        (3, 4, 4),
        (0.5, 2, 2.0),
        (True, False, False),
        ([0.5], [1, 2.5], [1.0, 2.5]),
        (None, "x", "x"),
    ],
)
def test_values_have_the_type_of_the_default(default, value, expected):
    checked = check_values(source_of(p=default), {"p": value}, "test")["p"]
    assert checked == expected and type(checked) is type(expected)


@pytest.mark.parametrize(
    ("default", "values"),
    [
        (3, [4.0, "4", True, None]),
        (0.5, ["1", True, float("nan")]),
        (True, [1]),
        ("a", [1]),
        ([1], [1, ["a"], [1.5]]),
    ],
)
def test_values_of_another_type_are_refused(default, values):
    for value in values:
        kind = f"parameter 'p' of 01_a takes a {type(default).__name__} such as {default!r}, not {value!r}"
        with pytest.raises(ParameterError, match=re.escape(kind)):
            check_values(source_of(p=default), {"p": value}, "test")


@pytest.mark.parametrize(
    ("name", "hint"), [("Thresold", "did you mean 'threshold'?"), ("zzz", "choose from threshold, size")]
)
def test_unknown_parameters_are_errors_that_name_the_near_match(name, hint):
    with pytest.raises(ParameterError, match=re.escape(f"01_a has no parameter {name!r}; {hint}")):
        check_values(source_of(threshold=0.5, size=3), {name: 1}, "test")


@pytest.mark.parametrize(
    ("default", "text", "expected"),
    [
        (0.5, "1e-3", 1e-3),
        ("a", "b c", "b c"),
        ("a", "'b'", "b"),
        ("a", "007", "007"),
        (True, "false", False),
        ([1], "[2, 3]", [2, 3]),
        (None, "word", "word"),
        ({}, "{'k': 1}", {"k": 1}),
    ],
)
def test_values_of_the_command_line_are_read_by_the_type_of_the_default(tmp_path, default, text, expected):
    path = write_notebook(tmp_path, "01_a", "print(p)", parameters=f"p = {default!r}")
    chosen = parameters.Entry("01_a", path, "", "", {"quick": 1})
    assert plan([chosen], "quick", parse_assignments([f"p={text}"]))["01_a"][1] == {"p": expected}


@pytest.mark.parametrize("texts", [["p"], ["=3"], ["1p=3"], ["p-q=3"], ["p=1", "p=2"]])
def test_assignments_have_a_name_once_and_a_value(texts):
    with pytest.raises(ParameterError, match="name=value|given twice"):
        parse_assignments(texts)


def test_values_come_from_the_notebook_then_the_profile_then_the_command_line(tmp_path):
    entries = list(load_registry(two_notebooks(tmp_path)).values())
    said = []

    def values(profile, **given):
        return {name: each for name, (_, each) in plan(entries, profile, given, say=said.append).items()}

    assert values("quick") == values("paper") == {"01_a": {}, "02_b": {}}
    assert values("full") == {"01_a": {"size": 30, "limit": 7}, "02_b": {}}
    assert values("full", size="5") == {"01_a": {"size": 5, "limit": 7}, "02_b": {"size": 5}}
    assert said == []
    assert values("quick", limit="5") == {"01_a": {"limit": 5}, "02_b": {}}
    assert said == ["limit = 5 applies to 01_a; the other notebooks have no such parameter"]
    with pytest.raises(ParameterError, match="none of the notebooks has this parameter; did you mean 'limit'?"):
        values("quick", limt="5")
    with pytest.raises(ParameterError, match="unknown profile 'fulll'; did you mean 'full'?"):
        values("fulll")
