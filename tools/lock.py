"""Write requirements.lock and environment.yml from the packages installed in this environment (`make lock`)."""

import re
import sys
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LEFT_OUT = {"nbhelpers", "pip"}


def installed() -> dict[str, str]:
    """Normalised name and public version (no local part such as +cpu) of every installed package."""
    return {
        re.sub(r"[-_.]+", "-", d.metadata["Name"]).lower(): d.version.split("+")[0]
        for d in distributions()
        if d.metadata["Name"] and d.metadata["Name"].lower() not in LEFT_OUT
    }


def main() -> None:
    pins = [f"{name}=={version}" for name, version in sorted(installed().items())]
    head = "# Exact versions of everything, written by tools/lock.py (make lock). torch: see README.\n"
    (ROOT / "requirements.lock").write_text(head + "\n".join(pins) + "\n")
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    lines = ["# The same pins as requirements.lock, written by tools/lock.py (make lock).", "name: nbhelpers"]
    lines += ["channels:", "  - conda-forge", "dependencies:", f"  - python={python}", "  - pip", "  - pip:"]
    (ROOT / "environment.yml").write_text("\n".join(lines + [f"      - {pin}" for pin in pins]) + "\n")


if __name__ == "__main__":
    main()
