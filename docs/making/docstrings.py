"""Conversion of docstrings in NumPy style to Markdown."""

from __future__ import annotations

import inspect
import re
from itertools import groupby

_HEAD = re.compile(r"^(?P<title>[A-Z][A-Za-z ]+)\n-{3,}\n", re.MULTILINE)
_LISTS = ("Parameters", "Attributes", "Returns", "Yields", "Raises")


def to_markdown(docstring: str) -> str:
    """Return a docstring as Markdown: section titles in bold, parameters as a list, examples as code."""
    lead, *sections = _HEAD.split(inspect.cleandoc(docstring))
    parts = [lead.strip()]
    for title, text in zip(sections[::2], sections[1::2], strict=True):
        if title in _LISTS:
            parts += [f"**{title}**", "\n".join(_items(text))]
        elif title == "Examples":
            parts += [f"```python\n{text.strip()}\n```"]
        else:
            parts += [f"**{title}**", text.strip()]
    return "\n\n".join(part for part in parts if part)


def _items(text: str) -> list[str]:
    """Return list items from entries with the names at the margin and their descriptions indented below."""
    lines = [line for line in text.splitlines() if line.strip()]
    blocks = [list(block) for _, block in groupby(lines, key=lambda line: line.startswith(" "))]
    items: list[str] = []
    for block in blocks:
        if block[0].startswith(" "):
            items[-1] += ": " + " ".join(line.strip() for line in block)
        else:
            items += [f"- `{name.strip()}`" for name in block]
    return items
