"""Random multidimensional knapsacks, as Chu and Beasley (1998) draw them: hard to solve, with easy first solutions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Knapsack:
    """Choose items of the highest total profit that fit: maximise profits x subject to weights x <= capacities."""

    profits: Array
    weights: Array
    capacities: Array


def random_knapsack(index: int, seed: int, items: int, constraints: int) -> str:
    """Return the name of an instance, from which `knapsack` creates the same instance in any program."""
    return f"{items}x{constraints}-{seed}-{index}"


def knapsack(name: str) -> Knapsack:
    """Return the instance with this name.

    Examples
    --------
    >>> knapsack("5x2-1-0").weights.shape
    (2, 5)
    """
    shape, seed, index = name.split("-")
    items, constraints = map(int, shape.split("x"))
    rng = np.random.default_rng([int(seed), int(index)])
    weights = rng.integers(1, 1000, (constraints, items)).astype(float)
    profits = weights.mean(axis=0) + 500 * rng.random(items)
    return Knapsack(profits, weights, 0.5 * weights.sum(axis=1))
