"""The pages of the site: everything they are made from is there, and their links hold. Sphinx is not needed."""

import json
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pages
import pytest
import yaml

from nbhelpers import studies
from nbhelpers.base import teaching
from nbhelpers.results import claims
from nbhelpers.runner.parameters import load_registry

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"(?<!\\)\]\(([^)\s]+)\)")


pytestmark = pytest.mark.usefixtures("judged_once")


@pytest.fixture(scope="module")
def folder(tmp_path_factory, judged_once):
    target = tmp_path_factory.mktemp("site") / "pages"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "marks", lambda name: "")  # drawing every figure takes a minute
        pages.write(target)
    return target


def test_the_citation_names_this_collection_and_the_five_papers():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["cff-version"] == "1.2.0" and cited["title"] and cited["authors"]
    assert f'version = "{cited["version"]}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert list(pages.papers()) == list(claims.counts().index)
    for paper in pages.papers().values():
        assert paper["title"] in pages.ROOT.joinpath("data/published/README.md").read_text().replace("\n  ", " ")


@pytest.mark.parametrize("entry", load_registry().values(), ids=lambda entry: entry.name)
def test_every_notebook_has_an_answer_and_a_figure_for_the_gallery(entry):
    assert 40 < len(entry.answer) < 300 and entry.answer.endswith("."), "one sentence, in notebooks/profiles.toml"
    assert not re.search(r"\d", entry.answer), "numbers come from the evidence"
    text = (ROOT / "notebooks" / "text" / f"{entry.name}.py").read_text(encoding="utf-8")
    assert f'name="{entry.figure}"' in text, "one of the figures that the notebook draws"
    recorded = list((ROOT / "figures").glob(f"{entry.name[:2]}_*.svg"))
    assert not recorded or len(pages.alt_text(entry.figure)) >= 30


def test_every_claim_stands_on_its_page_with_its_verdict_and_its_code(folder):
    front = (folder / "claims.md").read_text(encoding="utf-8")
    for one in claims.table().itertuples():
        assert f"{{#{one.claim} .claim}}" in front
    assert len(re.findall(r"\]\{\.verdict \.[a-z-]+\}", front)) == len(claims.table())
    assert front.count("```python") == front.count("    Evidence: {download}`") == len(studies.claims())
    assert front.count("The paper's words: “") == sum(bool(one.quote) for one in claims.read())
    assert all(len(one.quote.split()) <= 15 for one in claims.read())
    drawn = re.findall(r'<svg class="strip".*?<title>(.*?)</title>', front)
    assert len(drawn) == sum(one.found is not None for one in claims.judged())
    assert all(re.match(r"[a-z]+-\d+, [^.]+\. Here .*\. The paper: ", one) for one in drawn)


def test_the_gallery_has_the_claims_of_each_notebook_and_the_front_page_small_pictures(folder):
    text = (folder / "gallery.md").read_text(encoding="utf-8")
    assert len(re.findall(r"^!\[.*\]\(figures/", text, flags=re.M)) == len(load_registry())
    listed = pages.notebooks_of_claims()
    assert set(listed["03_tree_pruning"]) >= {"ndd-8", "ndd-36"} and "ordering-1" in listed["07_sentence_order"]
    shown = set(re.findall(r'<a href="claims.html#([a-z]+-\d+)">', text))
    tested = {name for name, one in pages.judged().items() if one.found is not None}
    assert shown == tested & {one for each in listed.values() for one in each} and len(shown) > 0.8 * len(tested)
    pictures = [
        folder / one for one in re.findall(r":img-top: (\S+)", (folder / "index.md").read_text(encoding="utf-8"))
    ]
    assert len(pictures) == 5 and sum(one.stat().st_size for one in pictures) < 80_000
    assert (folder / "static" / "preview.png").stat().st_size < 400_000


@pytest.mark.parametrize("address", ["", "https://github.com/one/two", "https://example.org/two"])
def test_the_front_page_links_to_the_source_if_it_is_known(address, monkeypatch):
    monkeypatch.setenv("SOURCE_URL", address)
    assert f"[the project]({address})" in pages.source() if address else pages.source() == "the project"
    assert ("https://mybinder.org/v2/gh/one/two/HEAD" in pages.source()) == ("github" in address)


def test_marks_of_a_figure_say_their_numbers_and_lie_on_the_picture():
    over = pages.marks("03_tree_pruning")
    width, height = map(float, re.search(r'viewBox="0 0 (\S+) (\S+)"', over).groups())
    picture = (ROOT / "figures" / "03_branches.svg").read_text(encoding="utf-8")
    size = map(float, re.search(r'viewBox="0 0 (\S+) (\S+)"', picture).groups())
    assert [width, height] == pytest.approx(list(size), abs=0.1)
    said = re.findall(r"<title>(.*?)</title>", over)
    assert len(said) >= 8
    assert all(re.search(r": \S+ \[\S+, \S+\], n = [\d,]+.*\. Evidence: ndd-pruning$", one) for one in said)
    places = re.findall(r'cx="(\S+)" cy="(\S+)"', over)
    assert len(places) == len(said) and all(0 < float(x) < width and 0 < float(y) < height for x, y in places)


def test_programs_of_the_pages_are_named_with_their_licences(folder):
    text = (folder / "cards.md").read_text(encoding="utf-8")
    for name in json.loads((ROOT / "docs" / "package.json").read_text(encoding="utf-8"))["dependencies"]:
        assert re.search(rf"^- {re.escape(name)} [\d.]+, [\w.-]+$", text, flags=re.M)


def test_links_between_pages_hold(folder):
    broken = []
    for page in folder.rglob("*.md"):
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
        for link in LINK.findall(text):
            file = link.split("#")[0]
            if not re.match(r"[a-z]+:", link) and file and not (page.parent / file).exists():
                broken.append(f"{page.relative_to(folder)}: {link}")
    assert not broken


def test_every_room_and_study_has_a_page(folder):
    for name in ("metrics", "studies.ndd"):
        modules = pages.modules(name)
        page = (folder / "api" / f"{name}.rst").read_text(encoding="utf-8")
        assert modules and all(f".. automodule:: {module}\n" in page for module in modules)
    assert "studies.ndd" in (folder / "api" / "studies.rst").read_text(encoding="utf-8")


def test_the_front_page_has_what_a_newcomer_needs(folder):
    front = (folder / "index.md").read_text(encoding="utf-8")
    assert "$" not in front.replace("\\$", ""), "every place is filled"
    assert front.count(":::{grid-item-card}") == 5 + 3 and front.count(":img-alt: ") == 5
    jobs = re.findall(r"^\| .+ \| .+ \| \.\d{3} \[.+\] \(.+\), n = [\d,]+ \| .+ \|$", front, flags=re.M)
    assert len(jobs) == len(pages.JOBS)
    assert "make lab" in front and "@software{nbhelpers" in front


def test_pages_of_notebooks_know_their_exercises_but_not_the_answers(folder):
    data = (folder / "static" / "exercises-data.js").read_text(encoding="utf-8")
    known = json.loads(data.removeprefix("const EXERCISES = ").rstrip(";\n"))
    assert known.keys() == teaching.exercises().keys()
    assert {part for one in known.values() for part in one} == {"kind", "options", "right", "hints", "stub"}
    assert pages.stubs().keys() == {name for name, one in teaching.exercises().items() if one.kind == "code"}
    for path in (folder / "notebooks").glob("*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        assert not any(cell.get("outputs") for cell in cells if "teaching.check(" in "".join(cell["source"])[-200:])


def test_python_in_the_page_checks_as_the_notebooks_do_and_knows_no_solution(folder, tmp_path):
    with zipfile.ZipFile(folder / "static" / "python" / "nbhelpers.zip") as archive:
        archive.extractall(tmp_path)
    table = tomllib.loads((tmp_path / "nbhelpers" / "data" / "exercises.toml").read_text(encoding="utf-8"))
    coded = {name: one for name, one in teaching.exercises().items() if one.kind == "code"}
    assert table.keys() == coded.keys() and not any(
        one.keys() & {"solution", "answer", "rubric"} for one in table.values()
    )
    tried = {name: [one.solution, one.mistakes[0][0]] for name, one in coded.items() if one.mistakes}
    code = "import json, sys; from nbhelpers.base.teaching import judge_source as judge; tried = json.load(sys.stdin); "
    code += "print(json.dumps({name: [judge(name, one) for one in both] for name, both in tried.items()}))"
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {code}"],
        input=json.dumps(tried),
        capture_output=True,
        text=True,
    )
    for name, (right, wrong) in json.loads(done.stdout).items():
        assert right[0] and not wrong[0] and coded[name].mistakes[0][1] in wrong[1]


def test_the_leaderboard_page_has_every_measure_and_ability(folder):
    text = (folder / "leaderboard.md").read_text(encoding="utf-8")
    board = pages.board()
    assert text.count("<tr>") == 1 + len(board.order) and text.count("scope=col") == 3 + len(board.abilities)
    assert text.count("n = ") >= len(board.order) and "trained on" in text
