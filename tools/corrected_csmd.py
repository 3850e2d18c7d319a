"""Put CSMD's ratings back on their own pairs: ``python tools/corrected_csmd.py OUT``.

Reads the official files (``csmd/meaning``, ``csmd/sources``, ASSET's ratings; ``data/registry.toml`` says where to
get them) and writes ``train.tsv``, ``dev.tsv`` and ``test.tsv`` in the official format, with the same pairs in the same
order: 629 of the 1,355 labels change. The checksum of the three files together is compared with the one below.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import io
from collections.abc import Sequence
from pathlib import Path

import command

from nbhelpers.base.errors import DataFormatError
from nbhelpers.base.files import replace_file
from nbhelpers.resources.csmd import Csmd, SourceRatings, read_csmd
from nbhelpers.studies.meaningbert import audits
from nbhelpers.studies.meaningbert.splits import PUBLISHED_SEED, random_split

SHA256 = "908463c7ab422e40537510b66933d64481a8eabc5cb879aec488ffca5a9d38eb"
"""Of the three files, one after the other."""


def corrected(csmd: Csmd, sources: dict[str, SourceRatings]) -> dict[str, bytes]:
    """The three files by name, labels with twelve digits."""
    pairs, files = audits.restored(csmd, sources), {}
    parts = zip(("train", "dev", "test"), random_split(len(pairs), PUBLISHED_SEED).parts(pairs))
    for name, part in parts:
        text = io.StringIO(newline="")
        writer = csv.writer(text, delimiter="\t", lineterminator="\n")
        writer.writerow(["original", "simplification", "label"])
        writer.writerows([pair.source, pair.candidate, f"{pair.rating:.12g}"] for pair in part)
        files[f"{name}.tsv"] = text.getvalue().encode()
    return files


def write(folder: Path) -> None:
    """Write the three files, if they are the known ones."""
    files = corrected(read_csmd(), audits.all_source_ratings())
    if (found := hashlib.sha256(b"".join(files.values())).hexdigest()) != SHA256:
        raise DataFormatError(folder, None, f"would have the sha256 {found}, not {SHA256}: other sources?")
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        replace_file(folder / name, content)
    print(f"Wrote {', '.join(files)} to {folder}; sha256 {SHA256}")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status (2 for bad input)."""
    parser = argparse.ArgumentParser(prog="python tools/corrected_csmd.py", description=__doc__.split("\n")[0])
    parser.add_argument("out", type=Path, help="folder for train.tsv, dev.tsv and test.tsv")
    options = parser.parse_args(argv)
    return command.status(lambda: write(options.out))


if __name__ == "__main__":
    raise SystemExit(main())
