"""Integrals over time of curves that are known on a grid.

Between the grid's times a curve is taken to be linear on the grid's own axis: in t, or in log t. An integral of it is then
a weighted sum of its values on the grid, whose weights are integrals of hat functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from polarbear.observe import Grid

    Array = NDArray[np.float64]

# Gauss-Legendre nodes in each interval between grid times; smooth weights are integrated to rounding.
_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(16)


def require_within(grid: Grid, times: Array, what: str) -> None:
    """Refuse times at which the curves are not known."""
    first, last = grid.times[0], grid.times[-1]
    outside = times[~((times >= first) & (times <= last))]
    if outside.size:
        raise ValueError(
            f"{what} must lie within the grid, from {first:g} to {last:g}, got {outside[0]:g}; "
            "nothing was observed there: ask within the grid, or race on a longer one"
        )


def interpolation(grid: Grid, times: Array) -> Array:
    """The weights (time asked for, time of the grid) that read curves at times within the grid."""
    if len(grid) == 1:
        return np.ones((len(times), 1))
    on_axis, asked = (np.log(each) if grid.axis == "log" else each for each in (grid.times, times))
    right = np.clip(np.searchsorted(on_axis, asked), 1, len(grid) - 1)
    share = (asked - on_axis[right - 1]) / (on_axis[right] - on_axis[right - 1])
    weights = np.zeros((len(times), len(grid)))
    rows = np.arange(len(times))
    weights[rows, right - 1] = 1 - share
    weights[rows, right] = share
    return weights


def integral(grid: Grid, density: Callable[[Array], Array], start: float, stop: float) -> Array:
    """The weights of ∫ density(t) curve(t) dt from start to stop, both within the grid."""
    if len(grid) == 1 or start == stop:
        at_once: Array = interpolation(grid, np.array([start]))[0]
        return at_once
    inside = grid.times[(grid.times > start) & (grid.times < stop)]
    edges = np.concatenate([[start], inside, [stop]])
    on_axis = np.log(edges) if grid.axis == "log" else edges
    half = np.diff(on_axis)[:, None] / 2
    points = on_axis[:-1, None] + half * (1 + _NODES)
    times = np.exp(points) if grid.axis == "log" else points
    times = np.clip(times, edges[:-1, None], edges[1:, None]).ravel()  # rounding must not leave the grid
    steps = (half * _NODE_WEIGHTS).ravel() * (times if grid.axis == "log" else 1.0)  # dt = t d log t
    heights = np.asarray(density(times), dtype=np.float64)
    if heights.shape != times.shape:
        heights = np.broadcast_to(heights, times.shape)
    weights: Array = (heights * steps) @ interpolation(grid, times)
    return weights
