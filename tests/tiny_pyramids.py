"""Pyramids made from plain sentences, as DUCView files and as they are read."""

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from nbhelpers.resources.pyramids import GAP, Pyramid, read_pyramid

Units = Iterable[tuple[str, str, Mapping[str, Sequence[str]]]]
"""Id, label, and by name of the summary the parts of the passage, each a substring of one of its sentences."""


def write_pyramid(path: Path, summaries: Mapping[str, Sequence[str]], units: Units) -> Path:
    """Write a DUCView file; a part that occurs more than once in a summary is its first occurrence."""
    lines: list[str] = []
    starts = {}
    for name, sentences in summaries.items():
        lines += ["---------------", name, "---------------", ""]
        starts[name] = sum(len(line) + 1 for line in lines)
        lines += [*sentences, "", ""]
    text = "\n".join(lines)
    markup = ['<?xml version="1.0"?>', "<!DOCTYPE pyramid [\n]>", "<pyramid>", " <text>"]
    markup += [f"  <line>{escape(line)}</line>" for line in lines]
    markup.append(" </text>")
    for uid, label, contributors in units:
        markup.append(f' <scu uid="{uid}" label={quoteattr(label)}>')
        for name, parts in contributors.items():
            places = {part: text.index(part, starts[name]) for part in parts}
            markup.append(f"  <contributor label={quoteattr(GAP.join(sorted(parts, key=places.get)))}>")
            for part in parts:
                place = places[part]
                markup.append(f'   <part label={quoteattr(part)} start="{place}" end="{place + len(part)}"/>')
            markup.append("  </contributor>")
        markup.append(" </scu>")
    path.write_text("\n".join([*markup, "</pyramid>", ""]), encoding="utf-8", newline="\n")
    return path


def make_pyramid(name: str, summaries: Mapping[str, Sequence[str]], units: Units) -> Pyramid:
    """The pyramid as it is read from such a file."""
    with tempfile.TemporaryDirectory() as folder:
        return read_pyramid(write_pyramid(Path(folder) / f"{name}.pyr", summaries, units))
