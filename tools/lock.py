"""Write the lock files and environments from the packages installed in this environment (`make lock`).

``requirements.lock`` holds what the notebooks and tests need, ``requirements-docs.lock`` what the site needs beyond it.
"""

import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution, distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
LEFT_OUT = {"nbhelpers", "pip"}


def installed() -> dict[str, str]:
    """Normalised name and public version (no local part such as +cpu) of every installed package."""
    return {
        canonicalize_name(d.metadata["Name"]): d.version.split("+")[0]
        for d in distributions()
        if d.metadata["Name"] and canonicalize_name(d.metadata["Name"]) not in LEFT_OUT
    }


def needed(wanted: list[str]) -> set[str]:
    """Names of installed packages that some requirements need, directly or through others."""
    found: set[tuple[str, str]] = set()
    queue = [(Requirement(each), "") for each in wanted]
    while queue:
        requirement, extra = queue.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        name = canonicalize_name(requirement.name)
        for own in ("", *requirement.extras):
            if (name, own) not in found:
                found.add((name, own))
                try:
                    queue += [(Requirement(text), own) for text in distribution(name).requires or ()]
                except PackageNotFoundError:  # for another system, or left out
                    found.discard((name, own))
    return {name for name, _ in found}


def conda(pins: list[str], packages: tuple[str, ...] = ()) -> str:
    """Text of an environment for conda: some packages of conda-forge, and pins for pip."""
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    lines = ["# The same pins as requirements.lock, written by tools/lock.py (make lock).", "name: nbhelpers"]
    lines += ["channels:", "  - conda-forge", "dependencies:", f"  - python={python}"]
    lines += [*(f"  - {package}" for package in packages), "  - pip", "  - pip:"]
    return "\n".join(lines + [f"      - {pin}" for pin in pins]) + "\n"


def main() -> None:
    versions = installed()
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    collection = [each for name in ("notebooks", "japanese", "cluster", "test") for each in extras[name]]
    site = needed(extras["docs"]) - needed(project + collection)
    pins, extra = [], []
    for name, version in sorted(versions.items()):
        (extra if name in site else pins).append(f"{name}=={version}")
    head = "# Exact versions of everything, written by tools/lock.py (make lock). torch: see README.\n"
    (ROOT / "requirements.lock").write_text(head + "\n".join(pins) + "\n")
    head = "# What `make docs` and `make site` need beyond requirements.lock, written by tools/lock.py (make lock).\n"
    (ROOT / "requirements-docs.lock").write_text(head + "\n".join(extra) + "\n")
    (ROOT / "environment.yml").write_text(conda(pins))
    torch = next(pin for pin in pins if pin.startswith("torch=="))
    small = [pin for pin in pins if pin != torch]
    processor = re.sub("==", "=", f"pytorch-cpu=={torch.split('==')[1]}")  # without gigabytes of CUDA libraries
    (ROOT / "binder").mkdir(exist_ok=True)
    (ROOT / "binder" / "environment.yml").write_text(conda(small, (processor,)))


if __name__ == "__main__":
    main()
