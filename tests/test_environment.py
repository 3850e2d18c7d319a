"""One set of versions: requirements.lock, environment.yml and pyproject.toml agree, and the environment obeys them."""

import re
import sys
import tomllib
from importlib.metadata import distributions, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent


def lock(name: str = "requirements.lock") -> dict[str, str]:
    lines = (ROOT / name).read_text().splitlines()
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


def environment(name: str = "environment.yml") -> dict[str, str]:
    return dict(re.findall(r"^      - ([\w.-]+)==(\S+)$", (ROOT / name).read_text(), flags=re.M))


def extras() -> dict[str, list[str]]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


def direct() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = [each for name in ("notebooks", "japanese", "cluster", "test") for each in extras()[name]]
    return [Requirement(each) for each in project["dependencies"] + listed]


def test_environment_yml_has_the_pins_of_the_lock_file():
    assert lock() and environment() == lock()


def test_direct_dependencies_have_the_pins_of_the_lock_file():
    pins = lock()
    assert all(pins.get(each.name) in each.specifier for each in direct())


def test_the_site_has_pins_of_its_own():
    pins = lock("requirements-docs.lock")
    assert not set(pins) & set(lock())
    assert {**pins, **lock()}.items() >= dict(pin.split("==") for pin in extras()["docs"]).items()


def test_binder_has_the_pins_of_the_lock_file_and_a_small_torch():
    text = (ROOT / "binder" / "environment.yml").read_text()
    pins = lock()
    assert f"  - pytorch-cpu={pins.pop('torch')}\n" in text
    assert environment("binder/environment.yml") == pins


def test_python_is_the_same_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    minimum = project["requires-python"].removeprefix(">=")
    assert f"  - python={minimum}\n" in (ROOT / "environment.yml").read_text()
    assert sys.version_info >= tuple(map(int, minimum.split(".")))


def test_every_pin_takes_the_oldest_python():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    oldest = project["requires-python"].removeprefix(">=") + ".0"
    pinned = [one for one in distributions() if lock().get(canonicalize_name(one.name)) == one.version.split("+")[0]]
    wanted = {one.name: one.metadata.get("Requires-Python", "") for one in pinned}
    assert len(pinned) > 100 and not [name for name, text in wanted.items() if not SpecifierSet(text).contains(oldest)]


@pytest.mark.parametrize(("name", "pin"), sorted((each.name, lock()[each.name]) for each in direct()))
def test_the_installed_version_is_the_pinned_one(name, pin):
    assert version(name).split("+")[0] == pin


def test_no_file_names_a_package_index():
    files = ["requirements.lock", "requirements-docs.lock", "environment.yml", "pyproject.toml", "Makefile", ".ci/run"]
    files += ["README.md", "binder/environment.yml", "binder/postBuild", ".github/workflows/site.yml"]
    files += ["docs/package-lock.json"]
    for file in files:
        text = (ROOT / file).read_text()
        forbidden = r"--(extra-)?index-url|--find-links|://[\w.-]*(pypi|pythonhosted|npmjs|download\.pytorch)"
        assert not re.search(forbidden, text), file


def test_make_benchmark_collects_every_benchmark(pytestconfig):
    files = [*(ROOT / "tests" / "benchmarks").glob("bench_*.py")]
    assert files and "bench_*.py" in pytestconfig.getini("python_files")
    table = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    for file in files:
        assert re.search(r"^@opt_in\n(@.*\n)*def test_", file.read_text(encoding="utf-8"), re.MULTILINE), file.name
        assert f"`{file.name}`" in table
