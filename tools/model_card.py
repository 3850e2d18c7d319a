"""The tables of a model card that a tool writes."""

import re
from pathlib import Path


def fill_table(card: Path, name: str, table: str) -> None:
    """Put a Markdown table between ``<!-- name -->`` and ``<!-- end of name -->`` of a card, if there is one."""
    if card.is_file():
        pattern = re.compile(f"(<!-- {name} -->\n).*(\n<!-- end of {name} -->)", re.DOTALL)
        text = pattern.sub(lambda marks: marks[1] + table + marks[2], card.read_text(encoding="utf-8"))
        card.write_text(text, encoding="utf-8")
