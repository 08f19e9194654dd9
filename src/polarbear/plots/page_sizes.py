"""Sizes of figures in inches, from the number of algorithms and the lengths of their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polarbear.plots.end_labels import columns_below
from polarbear.plots.lettering import short_names
from polarbear.plots.style import WIDTH_INCHES

if TYPE_CHECKING:
    from collections.abc import Sequence

LINE_INCHES = 0.14  # height of a name in a list
LETTER_INCHES = 0.062
PANEL_INCHES = 1.65  # width that the title of a panel needs
_ROW_INCHES = 0.24  # height of the row of an algorithm


def list_height(names: int) -> float:
    """Return the height for a list of names beside the axes."""
    return max(3.0, 0.7 + LINE_INCHES * names)


def height_below(width: float | None, names: Sequence[str]) -> float:
    """Return the height for a list of names below the axes; zero if the list fits beside them."""
    columns = columns_below(width or WIDTH_INCHES, list(short_names(names).values()))
    return 0.0 if columns is None else LINE_INCHES * (2 + len(names) // columns)


def panels_across(width: float | None, names: Sequence[str]) -> int:
    """Return the number of panels that fit side by side, given their titles and the list of names beside them, if any."""
    longest = max(map(len, short_names(names).values()), default=0)
    room = (width or WIDTH_INCHES) - 0.6 - (0.5 + LETTER_INCHES * longest if names else 0)
    return int(min(3, max(1, room // PANEL_INCHES)))


def height_of_rows(names: int, besides: float, each: float = _ROW_INCHES) -> float:
    """Return the height for one row per name, of which at least three, and the rest of the figure."""
    return besides + each * max(names, 3)
