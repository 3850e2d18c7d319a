"""The short paper has what the Journal of Open Source Education asks for, and what it says of the project is so."""

import re
import tomllib
from pathlib import Path

import yaml

from nbhelpers.runner.parameters import load_registry

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
CITED = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_it_begins_with_title_tags_authors_date_and_bibliography():
    head = yaml.safe_load(TEXT.split("---")[1])
    assert head["title"] == CITED["title"].strip() and len(head["tags"]) >= 3
    places = {one["index"] for one in head["affiliations"]}
    assert head["authors"] and all(one["name"] and one["affiliation"] in places for one in head["authors"])
    assert [one["name"] for one in head["authors"]] == [one["name"] for one in CITED["authors"]]
    assert re.fullmatch(r"\d{1,2} [A-Z][a-z]+ \d{4}", head["date"])
    assert (ROOT / "paper" / head["bibliography"]).is_file()


def test_it_has_the_sections_of_the_checklist():
    wanted = ["Summary", "Statement of need", "Learning objectives", "Content and instructional design"]
    wanted += ["Adoption and use", "Story of the project", "References"]
    assert re.findall(r"^# (.+)$", TEXT, flags=re.M) == wanted
    assert 500 < len(TEXT.split()) < 1100


def test_what_it_cites_is_in_the_bibliography_and_in_the_citation_file():
    entries = re.findall(r"^@\w+\{(\w+),", (ROOT / "paper" / "paper.bib").read_text(encoding="utf-8"), flags=re.M)
    assert sorted(re.findall(r"@(\w+)\]", TEXT)) == sorted(entries)
    assert set(entries) == {one["abbreviation"] for one in CITED["references"]}


def test_its_numbers_are_those_of_the_project():
    assert len(load_registry()) == 14 and "fourteen Jupyter notebooks" in TEXT
    guide = (ROOT / "docs" / "teaching.md").read_text(encoding="utf-8")
    assert guide.count("\n## Lesson") == guide.count("**Goal.**") == 6 and "six lessons of 90 minutes" in TEXT


def test_the_repository_has_licence_version_installation_use_and_ways_to_take_part():
    read = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("LICENSE", "README.md", "CONTRIBUTING.md")}
    assert "Apache License" in read["LICENSE"] and CITED["license"] == "Apache-2.0"
    assert tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"] == str(CITED["version"])
    shown = set(re.findall(r"^## (.+)$", read["README.md"], flags=re.M))
    assert {"Three commands", "Your own texts", "As a course", "Licences"} <= shown
    assert len(read["README.md"].splitlines()) < 130
    assert {"Questions and changes", "Release"} <= set(re.findall(r"^## (.+)$", read["CONTRIBUTING.md"], flags=re.M))
    guide = (ROOT / "docs" / "teaching.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| ([136]) \| ", guide.split("## One session, three or six")[1], flags=re.M)[:3] == list("136")
