"""Integrate over the hyperparameters on a small lattice around the mode of their posterior.

In: a `Surface`, which evaluates the log-density of the hyperparameters. Out: the nodes of the lattice, each with Laplace's
approximation. The nodes replace the continuous hyperparameters in all later computations.

On a regular lattice the trapezoid rule integrates a smooth, bell-shaped density, and averages over it, with an error that
falls exponentially in the square of the nodes' density. At a spacing of 1.2 standard deviations the error is of the order of
1e-5 for a Gaussian.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from polarbear.arrays import Array
    from polarbear.inference.laplace.conditional import Conditional


_SPACING = 1.2  # distance of neighbouring nodes, in posterior standard deviations
_DEPTH = 8.0  # nodes with a log-density this far below the best are dropped: roughly e⁻⁸ of the mass
_DOUBT = 1.0  # margin on a node's extrapolated log-density; a node that is too low even with it is not evaluated
_DIFFERENCE = 0.1  # step of finite differences in log-hyperparameters, whose posteriors are a few tenths wide
_CENTRED = 0.02  # how far below the mode, in log-density, the lattice's origin may lie
_MOST_STEPS = 30


@dataclass(frozen=True, eq=False)
class Node:
    """One point of the lattice.

    Attributes
    ----------
    hyperparameters
        Values of the hyperparameters.
    log_hyperprior
        Log-density of their logarithms under the hyperprior.
    log_density
        Laplace's approximation of the log-density of (choices, log-hyperparameters).
    mode
        Most probable latent coefficients for these hyperparameters.
    conditional
        Laplace's approximation of the coefficients; None if it is too large to keep.
    """

    hyperparameters: tuple[float, ...]
    log_hyperprior: float
    log_density: float
    mode: Array
    conditional: Conditional | None = None


class Surface(Protocol):
    """A log-density of the hyperparameters that can be evaluated at any point."""

    @property
    def start(self) -> tuple[float, ...]:
        """Hyperparameters at which the search for the mode starts."""

    def node(self, hyperparameters: tuple[float, ...], start: Array | None) -> Node:
        """Evaluate one point; `start` is an initial guess of the coefficients' mode there."""


def build_lattice(surface: Surface) -> list[Node]:
    """Return all nodes with non-negligible mass, found by expanding the lattice from the mode outwards."""
    origin, top, axes = find_mode(surface)
    root = (0,) * len(origin)
    nodes = {root: top}
    open_nodes = [root]
    best = top.log_density
    while open_nodes:
        index = open_nodes.pop()
        if nodes[index].log_density < best - _DEPTH:
            continue
        for neighbour in _neighbours(index):
            expected, start = _extrapolate(nodes, index, neighbour)
            if neighbour not in nodes and expected >= best - _DEPTH - _DOUBT:
                nodes[neighbour] = _evaluate(surface, origin + axes @ np.array(neighbour), start)
                best = max(best, nodes[neighbour].log_density)
                open_nodes.append(neighbour)
    return [node for node in nodes.values() if node.log_density >= best - _DEPTH]


def node_masses(log_density: Array) -> Array:
    """Return the posterior mass of each node by the trapezoid rule.

    On a regular lattice it is the node's share of the summed density.
    """
    masses: Array = np.exp(log_density - log_density.max())
    masses /= masses.sum()
    return masses


def _evaluate(surface: Surface, log_hyperparameters: Array, start: Array | None) -> Node:
    return surface.node(tuple(math.exp(value) for value in log_hyperparameters), start)


def _extrapolate(
    nodes: Mapping[tuple[int, ...], Node], index: tuple[int, ...], neighbour: tuple[int, ...]
) -> tuple[float, Array]:
    """Extrapolate log-density and mode from a node to its neighbour.

    The log-density is extrapolated as the log-density of a Gaussian, the mode linearly.
    """
    here = nodes[index]
    behind = nodes.get(tuple(2 * i - j for i, j in zip(index, neighbour, strict=True)))
    if behind is None:
        return here.log_density, here.mode
    return 2 * here.log_density - behind.log_density - _SPACING**2, 2 * here.mode - behind.mode


def _neighbours(index: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [(*index[:axis], index[axis] + step, *index[axis + 1 :]) for axis in range(len(index)) for step in (-1, 1)]


def find_mode(surface: Surface) -> tuple[Array, Node, Array]:
    """Find the mode of the log-density by Newton's method.

    Returns
    -------
    point
        Log-hyperparameters near the mode.
    node
        The node there.
    axes
        Axes of the lattice (columns): the principal axes of the curvature at the point, scaled to the spacing.
    """
    point = np.log(np.array(surface.start))
    node = _evaluate(surface, point, None)
    for _ in range(_MOST_STEPS):
        slope, curvature = _finite_differences(surface, point, node)
        precisions, directions = np.linalg.eigh(curvature)
        precisions = np.maximum(precisions, 1.0)  # with smaller ones the lattice could be so coarse as to miss the mass
        step = directions @ (directions.T @ slope / precisions)
        if 0.5 * step @ slope < _CENTRED:
            break
        step /= max(1.0, float(np.linalg.norm(step)))
        higher = _evaluate(surface, point + step, node.mode)
        while higher.log_density <= node.log_density:
            step /= 2
            if float(np.linalg.norm(step)) < 1e-3:
                break
            higher = _evaluate(surface, point + step, node.mode)
        if higher.log_density <= node.log_density:
            break
        point, node = point + step, higher
    return point, node, directions / np.sqrt(precisions) * _SPACING


def _finite_differences(surface: Surface, point: Array, centre: Node) -> tuple[Array, Array]:
    """Return gradient and negative Hessian of the log-density by central differences."""
    size = len(point)
    steps = _DIFFERENCE * np.eye(size)
    ahead = [_evaluate(surface, point + step, centre.mode) for step in steps]
    behind = [
        _evaluate(surface, point - step, 2 * centre.mode - node.mode) for step, node in zip(steps, ahead, strict=True)
    ]
    forward, backward = (np.array([node.log_density for node in nodes]) for nodes in (ahead, behind))
    slope = (forward - backward) / (2 * _DIFFERENCE)
    bend = forward + backward - 2 * centre.log_density
    hessian = np.diag(bend)
    for i in range(size):
        for j in range(i):
            both = -2 * centre.log_density
            for sign, nodes in ((1, ahead), (-1, behind)):
                start = nodes[i].mode + nodes[j].mode - centre.mode
                both += _evaluate(surface, point + sign * (steps[i] + steps[j]), start).log_density
            hessian[i, j] = hessian[j, i] = 0.5 * (both - bend[i] - bend[j])
    return slope, -hessian / _DIFFERENCE**2
