"""Docstrings in numpy's style, as Markdown."""

from __future__ import annotations

import inspect
import re
from itertools import groupby

_HEAD = re.compile(r"^(?P<title>[A-Z][A-Za-z ]+)\n-{3,}\n", re.MULTILINE)
_LISTS = ("Parameters", "Attributes", "Returns", "Yields", "Raises")


def to_markdown(docstring: str) -> str:
    """Sections become bold words, parameters a list, examples a block of code."""
    lead, *sections = _HEAD.split(inspect.cleandoc(docstring))
    written = [lead.strip()]
    for title, text in zip(sections[::2], sections[1::2], strict=True):
        if title in _LISTS:
            written += [f"**{title}**", "\n".join(_items(text))]
        elif title == "Examples":
            written += [f"```python\n{text.strip()}\n```"]
        else:
            written += [f"**{title}**", text.strip()]
    return "\n\n".join(part for part in written if part)


def _items(text: str) -> list[str]:
    """Names at the margin, what they mean below them and indented."""
    lines = [line for line in text.splitlines() if line.strip()]
    blocks = [list(block) for _, block in groupby(lines, key=lambda line: line.startswith(" "))]
    items: list[str] = []
    for block in blocks:
        if block[0].startswith(" "):
            items[-1] += ": " + " ".join(line.strip() for line in block)
        else:
            items += [f"- `{name.strip()}`" for name in block]
    return items
