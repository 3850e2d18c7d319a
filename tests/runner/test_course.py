"""The course: two versions of every notebook from one text, the same every time; what a student wrote stays."""

import re

import nbformat
import pytest

from nbhelpers.base import paths, teaching
from nbhelpers.base.errors import InputError
from nbhelpers.runner import course, record

TEXTS = record.text_files()
every_text = pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)

TEXT = """# %% [markdown]
# # 00 · A notebook
#
# See [the glossary](../docs/glossary.md#auc).

# %%
1 + 1

# %% [markdown]
# Look.
#
# **Exercise 1 · read a result** · `00_verdict`
# What follows?
#
# ## Code
#
# **Exercise 2 · write code** · `00_mean`
# Write the mean.


# %%
def mean(values): ...


teaching.check("00_mean", mean)

# %% [markdown]
# **Exercise 3 · open question** · `00_one_sentence`
# Why?
"""


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout with one notebook, executed."""
    teaching.exercises()  # read, and kept, from the real checkout
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    (tmp_path / "notebooks" / "text").mkdir(parents=True)
    text = tmp_path / "notebooks" / "text" / "00_a.py"
    text.write_text(TEXT)
    record.update_notebooks()
    notebook = record.read_notebook(tmp_path / "notebooks" / "00_a.ipynb")
    notebook.cells[1].outputs = [nbformat.v4.new_output("stream", text="2\n")]
    record.write_notebook(notebook, tmp_path / "notebooks" / "00_a.ipynb")
    return tmp_path


def sources(path):
    return [cell.source for cell in record.read_notebook(path).cells]


def test_learners_get_places_for_answers_and_no_solution(checkout):
    course.build()
    path = checkout / "course" / "learner" / "00_a.ipynb"
    found = sources(path)
    assert found[0] == "# 00 · A notebook\n\nSee [the glossary](../../docs/glossary.md#auc)."
    assert 'course.check_data("00_a")' in found[1]
    kinds = ["1 + 1", "Look.", "**Exercise 1", "*Your answer", "teaching.check", "## Code", "**Exercise 2", "def mean"]
    assert [cell.startswith(kind) for cell, kind in zip(found[2:], kinds)] == [True] * 8
    assert "def mean(values):\n    ...  # your code in place of the dots\n\n\nteaching.check" in found[9]
    hint = '# Stuck? teaching.hint(1, "00_one_sentence")'
    assert found[10:] == ["**Exercise 3 · open question** · `00_one_sentence`\nWhy?", found[5], hint]
    assert "sum(values)" not in "".join(found) and "Model answer" not in "".join(found)
    assert all(not cell.get("outputs") for cell in record.read_notebook(path).cells)


def test_instructors_get_solutions_answers_rubrics_times_and_outputs(checkout):
    course.build()
    path = checkout / "course" / "instructor" / "00_a.ipynb"
    cells = record.read_notebook(path).cells
    assert cells[2].outputs[0].text == "2\n"
    text = "\n".join(cell.source for cell in cells)
    for wanted in ("(`00_verdict`, 4 minutes). **c.**", "return sum(values) / len(values)", "> * 1 point:", "> 1. "):
        assert wanted in text
    solution = next(cell for cell in cells if "solution" in cell.metadata.get("tags", ()))
    assert solution.outputs[0].text == "Correct on 4 cases.\n"
    assert "| 00_a | **all** | | **16** |" in (checkout / "course" / "instructor" / "README.md").read_text()


def test_the_course_is_the_same_every_time(checkout):
    course.build()
    first = {path: path.read_bytes() for path in (checkout / "course").rglob("*.*")}
    assert course.build() == (["course/learner/00_a.ipynb", "course/instructor/00_a.ipynb"], [])
    assert {path: path.read_bytes() for path in (checkout / "course").rglob("*.*")} == first and len(first) == 3


def test_an_answer_survives_the_next_course(checkout, capsys):
    course.build()
    path = checkout / "course" / "learner" / "00_a.ipynb"
    fresh = path.read_bytes()
    notebook = record.read_notebook(path)
    notebook.cells[5].source = "My answer."
    nbformat.write(notebook, path)
    written = path.read_bytes()
    assert course.main([]) == 0
    assert "Kept, since it was edited: course/learner/00_a.ipynb" in capsys.readouterr().out
    assert path.read_bytes() == written
    assert course.main(["--fresh"]) == 0
    assert "Your copy: course/learner/mine/00_a-1.ipynb" in capsys.readouterr().out
    assert (path.parent / "mine" / "00_a-1.ipynb").read_bytes() == written and path.read_bytes() == fresh


def test_learners_get_no_solutions_by_a_reset(checkout, capsys):
    assert course.main(["--learner"]) == 0 and course.main(["--fresh"]) == 0
    assert capsys.readouterr().out == "1 notebooks written to course/learner.\n" * 2
    assert [path.name for path in (checkout / "course").iterdir()] == ["learner"]


def test_an_unknown_exercise_is_named(checkout):
    text = checkout / "notebooks" / "text" / "00_a.py"
    text.write_text(TEXT.replace("`00_mean`", "`00_maen`"))
    with pytest.raises(InputError, match="00_a.py asks 00_maen, which data/exercises.toml does not have"):
        course.build()


@every_text
def test_every_notebook_asks_four_to_six_exercises_of_several_kinds(path):
    notebook = record.read_text(path)
    asked = course.asked(notebook)
    assert 4 <= len(asked) <= 6
    assert [number for number, _ in asked.values()] == list(range(1, len(asked) + 1))
    kinds = {name: teaching.exercises()[name].kind for name in asked}
    assert [kind for _, kind in asked.values()] == [teaching.KINDS[kind] for kind in kinds.values()]
    assert {"code", "open"} < set(kinds.values()) and {"predict", "read"} & set(kinds.values())
    assert all(name.startswith(path.stem[:2]) for name in asked)
    code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    checked = re.findall(r'teaching\.check\("(\w+)"', code)
    assert checked == [name for name, kind in kinds.items() if kind == "code"]
    assert not any("solution" in cell.metadata.get("tags", ()) for cell in notebook.cells)


def test_no_exercise_is_left_out():
    asked = {name for path in TEXTS for name in course.asked(record.read_text(path))}
    assert asked == set(teaching.exercises())


@every_text
def test_options_stand_in_the_text(path):
    for name, text in [
        p for c in record.read_text(path).cells if c.cell_type == "markdown" for p in course.split(c.source)
    ]:
        if name and teaching.exercises()[name].options:
            plain = " ".join(text.split())
            assert plain.index("(a) ") < plain.index("(b) ") < plain.index("(c) "), name


@every_text
def test_terms_lead_to_the_glossary(path):
    headings = re.findall(r"^### (.*)$", (paths.ROOT / "docs" / "glossary.md").read_text(), re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}
    assert headings == sorted(headings, key=str.lower)
    linked = re.findall(r"\]\(\.\./docs/glossary\.md#([^)]*)\)", path.read_text(encoding="utf-8"))
    assert linked and set(linked) <= anchors


def test_the_data_check_says_what_is_here(capsys):
    course.check_data("07_sentence_order")
    printed = capsys.readouterr().out
    assert printed.startswith("Ready (Python 3") and "bbc-news" in printed


def test_the_data_check_names_what_is_missing(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(course.paths, "data_dir", lambda: tmp_path)
    monkeypatch.setattr(course.data, "registry", dict)
    course.check_data("00_start_here")
    assert "data/models/embedded, data/results missing. Fetch" in capsys.readouterr().out


def test_the_teaching_guide_names_what_is_there():
    guide = (paths.ROOT / "docs" / "teaching.md").read_text(encoding="utf-8")
    assert guide.count("\n## Lesson") == 6
    for number, heading in re.findall(r"\b(\d\d), \*([^*]+)\*", guide):
        (text,) = [path for path in TEXTS if path.name.startswith(number)]
        assert re.search(rf"^# #+ {re.escape(heading)}$", text.read_text(encoding="utf-8"), re.MULTILINE), heading
    assert set(re.findall(r"`(\d\d_\w+)`", guide)) - {path.stem for path in TEXTS} == set(teaching.exercises())
    tested = guide.split("## What each exercise tests")[1].split("\n## ")[0]
    assert sorted(re.findall(r"`(\w+)`:\s", tested)) == sorted(teaching.exercises())
    for row in re.findall(r"^\| \d+ \|.*", guide, re.MULTILINE):
        for name in re.findall(r"`(\d\d_\w+)`", row):
            (text,) = [path for path in TEXTS if path.name.startswith(name[:2])]
            above = text.read_text(encoding="utf-8").split(f"· `{name}`")[0]
            assert f"{name[:2]}, *{re.findall(r'^# #+ (.*)$', above, re.MULTILINE)[-1]}*" in row, name
    for figure in re.findall(r"`figures/(\S+)`", guide):
        assert (paths.ROOT / "figures" / figure).exists(), figure
