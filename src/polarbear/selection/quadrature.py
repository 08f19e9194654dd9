"""Integrals over time of curves that are known on a grid.

Between the grid's times a curve is taken to be linear on the grid's own axis: in t, or in log t. An integral of it is then
a weighted sum of its values on the grid, whose weights are integrals of hat functions.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from polarbear.observe import Grid

    Array = NDArray[np.float64]

# Gauss-Legendre nodes in each piece of an interval between grid times; smooth weights are integrated to rounding.
_NODES = 16
# More of them for distribution functions, which may have steps: a step is misplaced by 1.2 % of its interval at most.
_FINE_NODES = 64


@cache
def _gauss(nodes: int) -> tuple[Array, Array]:
    """Nodes and weights on [-1, 1], from the eigenvectors of Legendre's recurrence (Golub and Welsch 1969).

    NumPy's own, in `numpy.polynomial`, take milliseconds to import: a tenth of what a decision may take.
    """
    k = np.arange(1, nodes)
    points, vectors = np.linalg.eigh(np.diag(k / np.sqrt(4.0 * k**2 - 1), -1))  # symmetric: only the lower half is read
    return points, 2 * vectors[0] ** 2


def require_within(grid: Grid, times: Array, what: str) -> None:
    """Refuse times at which the curves are not known."""
    first, last = grid.times[0], grid.times[-1]
    outside = times[~((times >= first) & (times <= last))]
    if outside.size:
        raise ValueError(
            f"{what} must lie within the grid, from {first:g} to {last:g}, got {outside[0]:g}; "
            "nothing was observed there: ask within the grid, or race on a longer one"
        )


def reading(grid: Grid, times: Array, masses: Array) -> Array:
    """The weights on the grid of Σ mass · curve(time), for times within the grid."""
    if len(grid) == 1:
        return np.array([masses.sum()])
    on_axis, asked = (np.log(each) if grid.axis == "log" else each for each in (grid.times, times))
    right = np.clip(np.searchsorted(on_axis, asked), 1, len(grid) - 1)
    share = (asked - on_axis[right - 1]) / (on_axis[right] - on_axis[right - 1])
    weights = np.zeros(len(grid))
    weights += np.bincount(right - 1, masses * (1 - share), len(grid))
    weights += np.bincount(right, masses * share, len(grid))
    return weights


def integral(grid: Grid, density: Callable[[Array], Array], start: float, stop: float) -> Array:
    """The weights of ∫ density(t) curve(t) dt from start to stop, both within the grid; at a single time without dt."""
    if start == stop:
        at_once = np.array([start], dtype=np.float64)
        return reading(grid, at_once, np.broadcast_to(density(at_once), 1))
    inside = grid.times[(grid.times > start) & (grid.times < stop)]
    edges = _refined(np.concatenate([[start], inside, [stop]]))
    on_axis = np.log(edges) if grid.axis == "log" else edges
    half = np.diff(on_axis)[:, None] / 2
    nodes, node_weights = _gauss(_NODES)
    points = on_axis[:-1, None] + half * (1 + nodes)
    times = np.exp(points) if grid.axis == "log" else points
    times = np.clip(times, edges[:-1, None], edges[1:, None]).ravel()  # rounding must not leave the grid
    steps = (half * node_weights).ravel() * (times if grid.axis == "log" else 1.0)  # dt = t d log t
    return reading(grid, times, density(times) * steps)


def _refined(edges: Array) -> Array:
    """Edges between which positive times differ by a factor of four at most, so that weights such as 1/t are smooth."""
    starts, stops = edges[:-1], edges[1:]
    ratios = np.divide(stops, starts, out=np.ones_like(starts), where=starts > 0)
    pieces = np.maximum(np.ceil(np.log(ratios) / np.log(4)), 1).astype(int)
    if (pieces == 1).all():
        return edges
    inner = [np.geomspace(a, b, n + 1)[:-1] for a, b, n in zip(starts, stops, pieces, strict=True) if n > 1]
    return np.unique(np.concatenate([edges, *inner]))


def expectation(grid: Grid, cdf: Callable[[Array], Array]) -> Array:
    """The weights of ∫ curve dF over the grid, for a distribution function F; they sum to the mass within the grid.

    Between grid times a and b, at the share s of the way from a to b on the grid's axis, ∫ s dF = F(b) − ∫ F ds by parts.
    So the weights need F alone, not a density: distributions with atoms are served too.
    """
    on_grid = np.asarray(cdf(grid.times), dtype=np.float64)
    # Whatever lies on the first time itself, which F(b) − F(a) leaves out.
    at_first = on_grid[0] - np.asarray(cdf(np.nextafter(grid.times[:1], -np.inf)), dtype=np.float64)[0]
    weights = np.zeros(len(grid))
    if len(grid) > 1:
        on_axis = np.log(grid.times) if grid.axis == "log" else grid.times
        nodes, node_weights = _gauss(_FINE_NODES)
        points = on_axis[:-1, None] + np.diff(on_axis)[:, None] * (1 + nodes) / 2
        heights = np.asarray(cdf(np.exp(points) if grid.axis == "log" else points), dtype=np.float64)
        between = np.clip(heights @ node_weights / 2, on_grid[:-1], on_grid[1:])
        weights[:-1] += between - on_grid[:-1]
        weights[1:] += on_grid[1:] - between
    weights[0] += at_first
    return weights
