"""Text in figures: names of any length and with any characters, tick labels, and readable budgets.

`short_names` of all algorithms decides how each one is written, in every figure and in the report, whichever are shown.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from polarbear.plots.fallback_fonts import use_fallback_font

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.text import Text

    from polarbear.literals import Axis as Kind
    from polarbear.observe import Grid

_LONGEST = 24  # characters of a name that fit into a figure
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_DECADES_WITH_SUBDIVISIONS = 1.6  # a log axis with fewer decades also has ticks at 2 and 5


def short_names(names: Iterable[str], *, longest: int = _LONGEST) -> dict[str, str]:
    """Return distinct one-line names of at most `longest` characters.

    An ellipsis replaces the end of a name, or its middle if the end is needed to distinguish names.

    Examples
    --------
    >>> list(short_names(["cma", "differential evolution F=0.5", "differential evolution F=0.9"], longest=12).values())
    ['cma', 'differe…=0.5', 'differe…=0.9']
    """
    lines = {name: "".join(c if c.isprintable() else "�" for c in " ".join(name.split())) for name in names}
    for tail in (0, longest // 3, longest // 2, 2 * longest // 3, longest - 1):
        short = {name: _shorten(line, longest, tail) for name, line in lines.items()}
        if len(set(short.values())) == len(short):
            return short
    return {
        name: _shorten(line, longest - len(str(place)) - 3, 0) + f" ({place})"
        for place, (name, line) in enumerate(lines.items(), start=1)
    }


def _shorten(line: str, longest: int, tail: int) -> str:
    if len(line) <= longest:
        return line
    return line[: longest - 1 - tail].rstrip(" ,;:") + "…" + (line[-tail:].lstrip() if tail else "")


def show_literally(text: Text) -> Text:
    """Show a text as it is, without formulas such as `$x$` and in a font that has its letters, and return it."""
    text.set_parse_math(False)
    text.set_usetex(False)
    use_fallback_font(text)
    return text


def name_ticks(axis: Axis, names: Sequence[str], all_names: Sequence[str] | None = None) -> None:
    """Label the ticks 0, 1, 2, ... of an axis with names, written as among all algorithms if only some are shown."""
    short = short_names(names if all_names is None else all_names)
    label_ticks(axis, [short[name] for name in names])


def label_ticks(axis: Axis, labels: Sequence[str]) -> None:
    """Label the ticks 0, 1, 2, ... of an axis with these texts, literally."""
    axis.set_ticks(range(len(labels)), labels=labels)
    axis.set_tick_params(length=0)
    for text in axis.get_ticklabels():
        show_literally(text)


def write_right(ax: Axes, lines: Iterable[tuple[float, str]]) -> None:
    """Write texts to the right of the axes, each at a height in data coordinates."""
    for height, text in lines:
        show_literally(
            ax.annotate(
                text,
                (1, height),
                (5, 0),
                xycoords=("axes fraction", "data"),
                textcoords="offset points",
                va="center",
                annotation_clip=False,
            )
        )


def budget_axis(
    ax: Axes, grid: Grid, *, axis: Kind | None = None, unit: str = "budget", subdivided: bool = True
) -> None:
    """Set up the horizontal budget axis, linear or log as the grid or as `axis` requests.

    Without subdivision a log axis has no ticks between those with labels. They are most of what small panels would draw.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

    kind = grid.axis if axis is None else axis
    if kind not in ("linear", "log"):
        raise ValueError(f"expected the axis 'linear' or 'log', got {axis!r}; leave it out to use that of the grid")
    first, last = float(grid.budgets[0]), float(grid.budgets[-1])
    if kind == "log" and first <= 0:
        raise ValueError(f"expected budgets above 0 for a log axis, got a grid from {first:g}; use axis='linear'")
    ax.set_xscale(kind)
    if first < last:
        ax.set_xlim(first, last)
    few = kind == "log" and math.log10(last / first) < _DECADES_WITH_SUBDIVISIONS
    ax.xaxis.set_major_locator(
        MaxNLocator("auto", steps=[1, 2, 5, 10])
        if kind == "linear"
        else LogLocator(subs=(1.0, 2.0, 5.0) if few else (1.0,))
    )
    ax.xaxis.set_major_formatter(FuncFormatter(lambda budget, _: format_tick(budget)))
    ax.xaxis.set_minor_formatter(NullFormatter())
    if not subdivided:
        ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xlabel(unit)


def format_tick(budget: float) -> str:
    """Return the tick label of a budget: with thousands separators, and as a power of ten below 0.001 and from 10⁷ on.

    Examples
    --------
    >>> format_tick(60_000), format_tick(0.05), format_tick(1e8), format_tick(2.5e-7)
    ('60,000', '0.05', '10⁸', '2.5·10⁻⁷')
    """
    if budget == 0 or 1e-3 <= abs(budget) < 1e7:
        return f"{budget:,.10g}"
    factor, power = f"{budget:.2e}".split("e")
    raised = "10" + str(int(power)).translate(_SUPERSCRIPT)
    return raised if float(factor) == 1 else f"{float(factor):g}·{raised}"
