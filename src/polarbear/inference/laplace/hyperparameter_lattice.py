"""The hyperparameters' posterior on a small lattice: where it lies, and Laplace's approximation at each node.

On a regular lattice the trapezoid rule integrates a smooth, bell-shaped density and everything averaged over it with an
error that falls exponentially in the square of the nodes' density; at a spacing of 1.2 standard deviations it is of the
order of 1e-5 for a Gaussian. The nodes stand in for the continuous hyperparameters from here on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from polarbear.inference.laplace.conditional import Conditional

    Array = NDArray[np.float64]

_SPACING = 1.2  # of neighbouring nodes, in posterior standard deviations
_DEPTH = 8.0  # nodes whose log-density is this far below the best are left out: e⁻⁸ of the mass, roughly
_DOUBT = 1.0  # how far above a bell shape a node's log-density may lie; who would be too deep even then is not tried
_DIFFERENCE = 0.1  # step of finite differences in log-hyperparameters, whose posteriors are a few tenths wide
_CENTRED = 0.02  # how far below the summit, in log-density, the lattice's origin may lie
_MOST_STEPS = 30


@dataclass(frozen=True, eq=False)
class Node:
    """One point of the lattice.

    Attributes
    ----------
    hyperparameters
        Their values.
    log_hyperprior
        Log-density of their logarithms under the prior.
    log_density
        Laplace's approximation of the log-density of (choices, log-hyperparameters).
    mode
        Most probable latent coefficients for these hyperparameters.
    conditional
        The Gaussian there, where it is small enough to be kept.
    """

    hyperparameters: tuple[float, ...]
    log_hyperprior: float
    log_density: float
    mode: Array
    conditional: Conditional | None = None


class Surface(Protocol):
    """The log-density of the hyperparameters, which can be evaluated anywhere."""

    @property
    def start(self) -> tuple[float, ...]:
        """Hyperparameters from which to look for the summit."""

    def node(self, hyperparameters: tuple[float, ...], start: Array | None) -> Node:
        """Evaluate one point; `start` is a guess of the mode there."""


def hyperlattice(surface: Surface) -> list[Node]:
    """All nodes that matter, found by walking outwards from the summit."""
    origin, top, axes = summit(surface)
    root = (0,) * len(origin)
    nodes = {root: top}
    open_nodes = [root]
    best = top.log_density
    while open_nodes:
        index = open_nodes.pop()
        if nodes[index].log_density < best - _DEPTH:
            continue
        for neighbour in _neighbours(index):
            expected, start = _extrapolated(nodes, index, neighbour)
            if neighbour not in nodes and expected >= best - _DEPTH - _DOUBT:
                nodes[neighbour] = _at(surface, origin + axes @ np.array(neighbour), start)
                best = max(best, nodes[neighbour].log_density)
                open_nodes.append(neighbour)
    return [node for node in nodes.values() if node.log_density >= best - _DEPTH]


def masses_of(log_density: Array) -> Array:
    """Share of the posterior at each node by the trapezoid rule: on a regular lattice, the density's own share."""
    masses: Array = np.exp(log_density - log_density.max())
    masses /= masses.sum()
    return masses


def _at(surface: Surface, log_hyperparameters: Array, start: Array | None) -> Node:
    return surface.node(tuple(math.exp(value) for value in log_hyperparameters), start)


def _extrapolated(
    nodes: Mapping[tuple[int, ...], Node], index: tuple[int, ...], neighbour: tuple[int, ...]
) -> tuple[float, Array]:
    """What to expect of a node's neighbour: the log-density of a bell shape, and a mode that moves on as it did so far."""
    here = nodes[index]
    behind = nodes.get(tuple(2 * i - j for i, j in zip(index, neighbour, strict=True)))
    if behind is None:
        return here.log_density, here.mode
    return 2 * here.log_density - behind.log_density - _SPACING**2, 2 * here.mode - behind.mode


def _neighbours(index: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [(*index[:axis], index[axis] + step, *index[axis + 1 :]) for axis in range(len(index)) for step in (-1, 1)]


def summit(surface: Surface) -> tuple[Array, Node, Array]:
    """A point near the summit, its node, and the lattice's axes (columns): principal axes of the curvature there."""
    point = np.log(np.array(surface.start))
    node = _at(surface, point, None)
    for _ in range(_MOST_STEPS):
        slope, curvature = _finite_differences(surface, point, node)
        precisions, directions = np.linalg.eigh(curvature)
        precisions = np.maximum(precisions, 1.0)  # a lattice coarser than this could miss the mass
        step = directions @ (directions.T @ slope / precisions)
        if 0.5 * step @ slope < _CENTRED:
            break
        step /= max(1.0, float(np.linalg.norm(step)))
        higher = _at(surface, point + step, node.mode)
        while higher.log_density <= node.log_density:
            step /= 2
            if float(np.linalg.norm(step)) < 1e-3:
                break
            higher = _at(surface, point + step, node.mode)
        if higher.log_density <= node.log_density:
            break
        point, node = point + step, higher
    return point, node, directions / np.sqrt(precisions) * _SPACING


def _finite_differences(surface: Surface, point: Array, centre: Node) -> tuple[Array, Array]:
    """Gradient and negative Hessian of the log-density by central differences."""
    size = len(point)
    steps = _DIFFERENCE * np.eye(size)
    ahead = [_at(surface, point + step, centre.mode) for step in steps]
    behind = [_at(surface, point - step, 2 * centre.mode - node.mode) for step, node in zip(steps, ahead, strict=True)]
    forward, backward = (np.array([node.log_density for node in nodes]) for nodes in (ahead, behind))
    slope = (forward - backward) / (2 * _DIFFERENCE)
    bend = forward + backward - 2 * centre.log_density
    hessian = np.diag(bend)
    for i in range(size):
        for j in range(i):
            both = -2 * centre.log_density
            for sign, nodes in ((1, ahead), (-1, behind)):
                start = nodes[i].mode + nodes[j].mode - centre.mode
                both += _at(surface, point + sign * (steps[i] + steps[j]), start).log_density
            hessian[i, j] = hessian[j, i] = 0.5 * (both - bend[i] - bend[j])
    return slope, -hessian / _DIFFERENCE**2
