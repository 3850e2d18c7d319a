"""A wheel of the project, installed elsewhere: metrics and their models work without the clone."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from nbhelpers.metrics import load

ROOT = Path(__file__).resolve().parents[1]


def python(*arguments: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess:
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "NBHELPERS_DATA")}
    environment |= {"NBHELPERS_OFFLINE": "1", "PYTHONSAFEPATH": "1", **variables}
    return subprocess.run([sys.executable, *arguments], cwd=cwd, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with the installed wheel, built from a copy of what git has."""
    work = tmp_path_factory.mktemp("wheel")
    source, target = work / "source", work / "site"
    hidden = shutil.ignore_patterns("__pycache__")
    for name in ("nbhelpers", "data"):
        shutil.copytree(ROOT / name, source / name, ignore=hidden)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    stored = {"--build-option": ["--compression=stored"]}  # packing takes seconds, and changes no file
    built = python("-c", f"import setuptools.build_meta as s; s.build_wheel({str(work)!r}, {stored})", cwd=source)
    assert built.returncode == 0, built.stderr
    (wheel,) = work.glob("*.whl")
    assert wheel.stat().st_size < 70.5e6  # packed, less than 64
    shutil.unpack_archive(wheel, target, "zip")  # all that an installation of plain Python does
    return target


def test_every_folder_of_the_package_is_in_the_wheel():
    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    folders = {".".join(path.parent.relative_to(ROOT).parts) for path in (ROOT / "nbhelpers").rglob("__init__.py")}
    assert listed == folders | {"nbhelpers.data"}


@pytest.mark.parametrize("command", ["run", "evidence", "record", "course"])
def test_a_command_that_needs_the_clone_says_so(installed, tmp_path, command):
    done = python("-m", "nbhelpers", command, cwd=tmp_path, PYTHONPATH=str(installed))
    assert done.returncode == 2 and "needs the clone of the project" in done.stderr and done.stderr.count("\n") == 1


def test_metrics_and_the_command_line_work_outside_the_clone(installed, tmp_path):
    (tmp_path / "pairs.tsv").write_text("The cat sat.\tThe cat sat.\nA dog ran.\tIt rained.\n")
    code = """
import json, nbhelpers
from nbhelpers.__main__ import main
from nbhelpers.metrics import load
main(["score", "pairs.tsv", "--quiet"])
names = ["bleu", "meaningbert", "same-meaning", "ndd"]
values = [float(load(n)(["The cat sat."], ["The cat sat."])[0]) for n in names]
print(json.dumps([nbhelpers.__file__, *values, load("same-meaning").signature]))
"""
    done = python("-c", code, cwd=tmp_path, PYTHONPATH=str(installed))
    assert done.returncode == 0, done.stderr
    first, _, summary, last = map(json.loads, done.stdout.splitlines())
    file, bleu, meaningbert, same_meaning, ndd, signature = last
    assert Path(file).is_relative_to(installed)
    assert bleu == pytest.approx(100) and min(meaningbert, same_meaning) > 90 and ndd == pytest.approx(0)
    assert first["token-f1"] == 1 and list(summary["missing"]) == ["word-vectors"]
    assert signature == load("same-meaning").signature, "the same weights have the same name in the clone"
