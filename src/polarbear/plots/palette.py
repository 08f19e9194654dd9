"""The look of each algorithm: one colour, dash pattern and marker in all figures, distinguishable with colour blindness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

Dashes = Literal["solid"] | tuple[float, tuple[float, ...]]

# Each colour is legible on white (contrast of at least 3), and any two are distinguishable with normal sight, protanopia,
# deuteranopia and tritanopia; tests/plots/test_palette.py computes both.
_COLOURS = ("#3B3FD6", "#BD8B00", "#0D8265", "#F0278F", "#1E96CD", "#7F3D00", "#5A0F9E", "#332C3B")
_DASHES: tuple[Dashes, ...] = ("solid", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
_TEXTURES = ("", "//", ".", "xx")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")


@dataclass(frozen=True)
class Look:
    """The look of one algorithm.

    Attributes
    ----------
    colour
        The colour as `#rrggbb`.
    dashes
        A Matplotlib line style.
    marker
        A Matplotlib marker.
    texture
        A Matplotlib hatch, for areas.
    """

    colour: str
    dashes: Dashes
    marker: str
    texture: str


def assign_looks(names: Iterable[str]) -> dict[str, Look]:
    """Return the look of each algorithm, by its position in the list of all algorithms of a race.

    There are eight colours. The ninth algorithm has the first colour again, with other dashes, marker and texture.
    """
    count = len(_COLOURS)
    return {
        name: Look(
            _COLOURS[place % count],
            _DASHES[place // count % len(_DASHES)],
            _MARKERS[(place + place // count) % len(_MARKERS)],
            _TEXTURES[place // count % len(_TEXTURES)],
        )
        for place, name in enumerate(names)
    }


def assign_colours(names: Iterable[str]) -> dict[str, str]:
    """Return the colour of each algorithm as `#rrggbb`, by its position in the list of all algorithms of a race.

    Examples
    --------
    >>> assign_colours(["cma", "de"])["cma"] == assign_colours(["cma", "de", "random"])["cma"]
    True
    """
    return {name: look.colour for name, look in assign_looks(names).items()}
