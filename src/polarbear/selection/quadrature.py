"""Integrals over time of curves that are known on a grid.

Between budgets of the grid, a curve is linear on the axis of the grid: in t, or in log t. Its integral is then a weighted
sum of its values on the grid, and the weights are integrals of hat functions. `interpolation_weights`, `integration_weights`
and `expectation_weights` return them.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.polynomial.legendre import leggauss

from polarbear.wording import format_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from polarbear.arrays import Array
    from polarbear.observe import Grid


# Gauss-Legendre nodes per piece of an interval between budgets of the grid; they integrate smooth weights to rounding error.
_NODES = 16
# Distribution functions may have steps and need more nodes: these misplace a step by at most 1.2 % of its interval.
_FINE_NODES = 64


_gauss = cache(leggauss)  # nodes and weights on [-1, 1]


def require_within(grid: Grid, budgets: Array, what: str) -> None:
    """Raise an error for budgets outside the grid, where the curves are unknown."""
    first, last = grid.budgets[0], grid.budgets[-1]
    outside = budgets[~((budgets >= first) & (budgets <= last))]
    if outside.size:
        raise ValueError(
            f"expected {what} from {format_number(first)} to {format_number(last)}, got {outside[0]:g}; choose "
            "a budget in this range, or compare at more budgets"
        )


def interpolation_weights(grid: Grid, budgets: Array, masses: Array) -> Array:
    """Return the weights of Σ mass · curve(budget), for budgets within the grid."""
    if len(grid) == 1:
        return np.array([masses.sum()])
    on_axis, places = (np.log(each) if grid.axis == "log" else each for each in (grid.budgets, budgets))
    right = np.clip(np.searchsorted(on_axis, places), 1, len(grid) - 1)
    share = (places - on_axis[right - 1]) / (on_axis[right] - on_axis[right - 1])
    weights = np.zeros(len(grid))
    weights += np.bincount(right - 1, masses * (1 - share), len(grid))
    weights += np.bincount(right, masses * share, len(grid))
    return weights


def integration_weights(grid: Grid, density: Callable[[Array], Array], start: float, stop: float) -> Array:
    """Return the weights of ∫ density(t) curve(t) dt within the grid, or of density · curve if start equals stop."""
    if start == stop:
        at_once = np.array([start], dtype=np.float64)
        return interpolation_weights(grid, at_once, np.broadcast_to(density(at_once), 1))
    inside = grid.budgets[(grid.budgets > start) & (grid.budgets < stop)]
    edges = _refine(np.concatenate([[start], inside, [stop]]))
    on_axis = np.log(edges) if grid.axis == "log" else edges
    half = np.diff(on_axis)[:, None] / 2
    nodes, node_weights = _gauss(_NODES)
    points = on_axis[:-1, None] + half * (1 + nodes)
    budgets = np.exp(points) if grid.axis == "log" else points
    budgets = np.clip(budgets, edges[:-1, None], edges[1:, None]).ravel()  # rounding must not leave the interval
    steps = (half * node_weights).ravel() * (budgets if grid.axis == "log" else 1.0)  # dt = t d log t
    return interpolation_weights(grid, budgets, density(budgets) * steps)


def _refine(edges: Array) -> Array:
    """Refine edges until positive neighbours differ by at most a factor of four, so that weights such as 1/t are smooth."""
    starts, stops = edges[:-1], edges[1:]
    ratios = np.divide(stops, starts, out=np.ones_like(starts), where=starts > 0)
    pieces = np.maximum(np.ceil(np.log(ratios) / np.log(4)), 1).astype(int)
    if (pieces == 1).all():
        return edges
    inner = [np.geomspace(a, b, n + 1)[:-1] for a, b, n in zip(starts, stops, pieces, strict=True) if n > 1]
    return np.unique(np.concatenate([edges, *inner]))


def expectation_weights(grid: Grid, cdf: Callable[[Array], Array]) -> Array:
    """Return the weights of ∫ curve dF over the grid for a distribution function F; they sum to the mass within the grid.

    Let s be the relative position between two budgets a and b of the grid, on the axis of the grid. By parts, ∫ s dF = F(b)
    − ∫ F ds. The weights therefore need F alone, not a density, and distributions with atoms are covered.
    """
    on_grid = np.asarray(cdf(grid.budgets), dtype=np.float64)
    # The atom at the first budget, which F(b) − F(a) leaves out.
    at_first = on_grid[0] - np.asarray(cdf(np.nextafter(grid.budgets[:1], -np.inf)), dtype=np.float64)[0]
    weights = np.zeros(len(grid))
    if len(grid) > 1:
        on_axis = np.log(grid.budgets) if grid.axis == "log" else grid.budgets
        nodes, node_weights = _gauss(_FINE_NODES)
        points = on_axis[:-1, None] + np.diff(on_axis)[:, None] * (1 + nodes) / 2
        heights = np.asarray(cdf(np.exp(points) if grid.axis == "log" else points), dtype=np.float64)
        between = np.clip(heights @ node_weights / 2, on_grid[:-1], on_grid[1:])
        weights[:-1] += between - on_grid[:-1]
        weights[1:] += on_grid[1:] - between
    weights[0] += at_first
    return weights


def check_weights(weights: Array) -> None:
    """Raise an error for weights over time that are negative or not finite."""
    if not np.isfinite(weights).all() or (weights < 0).any():
        bad = weights[~(np.isfinite(weights) & (weights >= 0))][0]
        raise ValueError(f"expected weights over time that are finite and not negative, got {bad:g}")


def normalise_weights(weights: Array) -> Array:
    """Return non-negative weights divided by their sum."""
    check_weights(weights)
    if not weights.max() > 0:
        raise ValueError("expected a positive weight over time, got only zeros; give some budget a positive weight")
    scaled = weights / weights.max()  # avoids overflow in the sum of huge weights
    result: Array = scaled / scaled.sum()
    return result
