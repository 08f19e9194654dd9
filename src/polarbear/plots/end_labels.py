"""Labels of lines: names at the ends of the lines if they fit, otherwise in a list outside the axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.plots.lettering import short_names, show_literally
from polarbear.plots.style import lay_out

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

    from polarbear.arrays import Array
    from polarbear.plots.palette import Look


_FONT_POINTS = 7.5
_LINE_POINTS = 9.5  # distance between lines of names
_SHORTEST_LEADER, _LONGEST_LEADER = 12.0, 34.0  # points
_PIECE_POINTS = 18.0  # length of the line sample before a name
_BELOW_POINTS = 34.0  # height of the tick labels and the name of the budget axis
_WIDE_INCHES = 5.0  # wider figures have room for a list beside the axes
_LETTER_INCHES, _HANDLE_INCHES = 0.062, 0.55


def spread(wanted: Array, gap: float, low: float = 0.0, high: float = 1.0) -> Array | None:
    """Return the places nearest to those wanted, in the same order, at least `gap` apart and between `low` and `high`.

    For places x_i in ascending order let z_i = x_i - i gap. The x_i are at least `gap` apart if and only if z does not
    decrease: an isotonic regression, whose solution is z_i = max_{j <= i} min_{k >= i} mean(z_j, ..., z_k). SciPy has it
    too, in a package that takes longer to import than a figure takes to draw. Return None if the places do not fit.

    Examples
    --------
    >>> spread(np.array([0.5, 0.5, 0.9]), 0.2).round(9).tolist()
    [0.4, 0.6, 0.9]
    """
    room = high - low - gap * (len(wanted) - 1)
    if room < 0:
        return None
    order = np.argsort(wanted, kind="stable")
    steps = gap * np.arange(len(wanted))
    places = np.empty(len(wanted))
    sums = np.concatenate([[0.0], np.cumsum(wanted[order] - steps)])
    number = np.arange(len(sums)) - np.arange(len(sums))[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        means = np.where(number > 0, (sums - sums[:, None]) / number, np.inf)[:-1, 1:]  # of z_j, ..., z_k
    lowest = np.minimum.accumulate(means[:, ::-1], axis=1)[:, ::-1]  # over k >= i, shape (j, i)
    fitted = np.where(number[:-1, 1:] > 0, lowest, -np.inf).max(axis=0)
    places[order] = np.clip(fitted, low, low + room) + steps
    return places


def label_ends(ax: Axes, ends: Mapping[str, float], looks: Mapping[str, Look]) -> None:
    """Write each name to the right of the end of its line (a height in data coordinates), or all names into a list.

    Names are moved apart until none overlaps, and thin lines connect them to the ends. If colours repeat, a sample of the
    line precedes each name.
    """
    from matplotlib.lines import Line2D
    from matplotlib.transforms import Affine2D, ScaledTranslation

    figure, short = ax.get_figure(root=True), short_names(looks)
    assert figure is not None
    # Coordinates in points, to the right and up from the lower right corner of the axes.
    corner = (
        Affine2D().scale(1 / 72)
        + figure.dpi_scale_trans
        + ScaledTranslation(
            1,
            0,
            ax.transAxes,  # type: ignore[arg-type]  # it is affine, in every projection that we draw on
        )
    )
    piece = _PIECE_POINTS if len({look.colour for look in looks.values()}) < len(looks) else 0.0

    def write(name: str, x: float, y: float) -> Text:
        colour = looks[name].colour
        return show_literally(
            ax.text(x, y, short[name], transform=corner, color=colour, va="center", fontsize=_FONT_POINTS)
        )

    drafts = [write(name, _LONGEST_LEADER + piece, 0) for name in ends]
    lay_out(figure)  # makes room for the names and fixes the height of the axes
    for draft in drafts:
        draft.remove()
    height = ax.bbox.height * 72 / figure.dpi
    to_axes = ax.transData + ax.transAxes.inverted()
    wanted = height * np.clip([to_axes.transform((ax.get_xlim()[1], end))[1] for end in ends.values()], 0, 1)
    places = spread(wanted, _LINE_POINTS, _LINE_POINTS / 4, height - _LINE_POINTS / 4)
    if places is None:
        add_legend_outside(ax, [legend_line(looks[name]) for name in ends], [short[name] for name in ends])
        return
    leader = np.clip(np.abs(places - wanted).max() / 3, _SHORTEST_LEADER, _LONGEST_LEADER)
    for name, end, place in zip(ends, wanted.tolist(), places.tolist(), strict=True):
        look = looks[name]
        shape: dict[str, Any] = {"transform": corner, "color": look.colour, "clip_on": False}
        ax.add_artist(Line2D([2, leader], [end, place], linewidth=0.6, alpha=0.7, **shape))
        if piece:
            ax.add_artist(Line2D([leader, leader + piece], [place] * 2, linestyle=look.dashes, **shape))
        write(name, leader + piece + 3, place)


def legend_line(look: Look, *, marker: str | None = None) -> Line2D:
    """Return a line with this look, as a handle for a list."""
    from matplotlib.lines import Line2D

    return Line2D([], [], color=look.colour, linestyle=look.dashes, marker=marker)


def add_legend_outside(
    ax: Axes, handles: Sequence[Artist], labels: Sequence[str], *, points: float = 8.0, title: str | None = None
) -> None:
    """Add a legend `points` to the right of the axes, or below them in a narrow figure."""
    from matplotlib.transforms import ScaledTranslation

    figure = ax.get_figure(root=True)
    assert figure is not None
    columns = columns_below(figure.get_figwidth(), labels)
    corner, right, down = ((1, 1), points, 0.0) if columns is None else ((0, 0), 0.0, _BELOW_POINTS)
    beside = ax.transAxes + ScaledTranslation(right / 72, -down / 72, figure.dpi_scale_trans)
    place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": corner, "bbox_transform": beside}
    legend = ax.legend(handles, labels, title=title, alignment="left", ncols=columns or 1, **place)
    for text in legend.get_texts():
        show_literally(text)


def columns_below(width: float, labels: Sequence[str]) -> int | None:
    """Return the number of columns of a list below the axes, for a figure width in inches; None if it fits beside them."""
    if width >= _WIDE_INCHES:
        return None
    longest = _LETTER_INCHES * max(map(len, labels)) + _HANDLE_INCHES
    return max(1, int((width - 0.6) // longest))
