"""The pages of the documentation, and the fenced blocks of code and output in them."""

import re
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *(page for page in sorted(DOCS.glob("**/*.md")) if page.parent != DOCS / "reference"),
]
FENCE = re.compile(
    r"^```(?P<language>\w+)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<text>.*?)^```", re.MULTILINE | re.DOTALL
)
LINK = re.compile(r"\]\((?P<target>[^)#\s]+\.\w+)(?:#[^)]*)?\)")
INLINE = re.compile(r"`([^`\n]+)`")

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def import_from_docs(name):
    """Import a module of docs/ with docs/ on the path: its scripts import each other from there."""
    sys.path.insert(0, str(DOCS))
    try:
        return import_module(name)
    finally:
        sys.path.remove(str(DOCS))


@dataclass(frozen=True)
class Block:
    """A fenced block of a page; its title is the name of the file that it shows."""

    language: str
    title: str | None
    text: str


def blocks(page):
    return [Block(**match.groupdict()) for match in FENCE.finditer(page.read_text())]
