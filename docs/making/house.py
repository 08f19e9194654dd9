"""The structure of the package: a picture of the layers that import-linter checks, and a table of the rooms."""

from __future__ import annotations

import inspect
import tomllib
from html import escape
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[2]
_WIDTH, _FLOOR, _GAP = 760, 34, 6


def layers() -> list[list[str]]:
    """Return the rooms of each layer, from the top down."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contract = next(each for each in settings["tool"]["importlinter"]["contracts"] if each["type"] == "layers")
    return [
        [room.strip().removeprefix("polarbear.") for room in layer.replace(":", "|").split("|")]
        for layer in contract["layers"]
    ]


def picture() -> str:
    """Return the picture: layers above each other; a room imports only from layers below."""
    floors = layers()
    height = len(floors) * (_FLOOR + _GAP) + _GAP
    shapes = []
    for number, rooms in enumerate(floors):
        top = _GAP + number * (_FLOOR + _GAP)
        width = (_WIDTH - _GAP * (len(rooms) + 1)) / len(rooms)
        for place, room in enumerate(rooms):
            left = _GAP + place * (width + _GAP)
            shapes.append(
                f'<rect x="{left:.1f}" y="{top}" width="{width:.1f}" height="{_FLOOR}" rx="4" fill="#e8eef6" '
                f'stroke="#4477aa"/><text x="{left + width / 2:.1f}" y="{top + _FLOOR / 2 + 5}" '
                f'text-anchor="middle">{escape(room)}</text>'
            )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
        'font-family="system-ui, sans-serif" font-size="14" fill="#1b2733">'
        "<title>The rooms of PolarBear in layers; each imports only from layers below</title>"
        f"{''.join(shapes)}</svg>\n"
    )


def page() -> str:
    """Return the table of rooms from the lowest layer up, each with the first paragraph of its docstring."""
    lines = ["# The rooms", "", "The purpose of each room, from the lowest layer up; from the docstrings.", ""]
    lines += ["| room | purpose |", "| --- | --- |"]
    for floor in reversed(layers()):
        for room in floor:
            lead = (inspect.getdoc(import_module(f"polarbear.{room}")) or "").split("\n\n")[0]
            lines.append(f"| `{room}` | {' '.join(lead.split())} |")
    return "\n".join([*lines, ""])
