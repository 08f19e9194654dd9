"""Preferences over time: how a curve θ(t) becomes one value (the paper's functional u).

All but `Custom` are linear: V = Σ_k w_k θ(t_k), with non-negative weights on the grid that sum to one. A curve is a rating
or a win rate, and its value is then a share of instances at one budget, or of instances and budgets. `BudgetDistribution`
and `Custom` have modules of their own, `budget_distribution` and `custom_preference`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.selection.budget_distribution import BudgetDistribution
from polarbear.selection.custom_preference import Custom
from polarbear.selection.quadrature import (
    check_weights,
    integration_weights,
    interpolation_weights,
    normalise_weights,
    require_within,
)
from polarbear.wording import format_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from polarbear.arrays import Array
    from polarbear.observe import Grid


@dataclass(frozen=True)
class At:
    """One known budget: V = θ(t).

    Between budgets of the grid, outcomes of runs are taken exactly there under `BayesianBootstrap`. Ratings under the
    paper's priors are interpolated.

    Examples
    --------
    >>> from polarbear.observe import Grid
    >>> At(3).weights(Grid([1, 2, 4])).tolist()
    [0.0, 0.5, 0.5]
    """

    budget: float

    def __post_init__(self) -> None:
        if isinstance(self.budget, bool | str) or not np.isreal(self.budget):
            raise ValueError(f"expected a number as the budget of At, got {self.budget!r}; write At(100)")

    def weights(self, grid: Grid) -> Array:
        """Return the weights on the grid."""
        budget = np.array([float(self.budget)])
        require_within(grid, budget, "the budget")
        return interpolation_weights(grid, budget, np.ones(1))

    def __str__(self) -> str:
        return f"a budget of {format_number(self.budget)}"


@dataclass(frozen=True)
class Final:
    """The longest budget: V = θ(t_T), the last budget of the grid."""

    def weights(self, grid: Grid) -> Array:
        """Return the weights on the grid."""
        weights = np.zeros(len(grid))
        weights[-1] = 1.0
        return weights

    def __str__(self) -> str:
        return "the longest budget"


@dataclass(frozen=True)
class Uniform:
    """A budget uniform on the grid: V = ∫ θ(t) dt / (t_T − t_1)."""

    def weights(self, grid: Grid) -> Array:
        """Return the weights on the grid."""
        return normalise_weights(integration_weights(grid, np.ones_like, grid.budgets[0], grid.budgets[-1]))

    def __str__(self) -> str:
        return "any budget, all equally likely"


@dataclass(frozen=True)
class LogUniform:
    """A budget log-uniform on the grid, with density proportional to 1/t: all orders of magnitude are equally likely."""

    def weights(self, grid: Grid) -> Array:
        """Return the weights on the grid."""
        if grid.budgets[0] <= 0:
            raise ValueError(
                f"expected a grid of positive budgets for LogUniform, which weights by 1/t, got a grid from "
                f"{grid.budgets[0]:g}; use Uniform()"
            )
        return normalise_weights(integration_weights(grid, lambda t: 1 / t, grid.budgets[0], grid.budgets[-1]))

    def __str__(self) -> str:
        return "any budget, all orders of magnitude equally likely"


@dataclass(frozen=True)
class Between:
    """A budget uniform between `start` and `stop`."""

    start: float
    stop: float

    def __post_init__(self) -> None:
        if not self.start <= self.stop:
            raise ValueError(f"expected a range from a lower to a higher budget, got {self.start!r} to {self.stop!r}")

    def weights(self, grid: Grid) -> Array:
        """Return the weights on the grid."""
        require_within(grid, np.array([self.start, self.stop], dtype=np.float64), "the budgets")
        return normalise_weights(integration_weights(grid, np.ones_like, float(self.start), float(self.stop)))

    def __str__(self) -> str:
        return f"a budget between {format_number(self.start)} and {format_number(self.stop)}"


@dataclass(frozen=True, eq=False)
class Weighted:
    """Weights over time: V = ∫ w(t) θ(t) dt / ∫ w(t) dt, or Σ w_k θ(t_k) / Σ w_k.

    Parameters
    ----------
    weight
        A function of an array of budgets, or one number for each budget of the grid; non-negative. A function is integrated
        with 16 or more points between neighbouring budgets of the grid. It should be smooth there; steps at budgets of the
        grid do no harm.
    """

    weight: Callable[[Array], ArrayLike] | ArrayLike

    def weights(self, grid: Grid) -> Array:
        """Return the weights on the grid."""
        if callable(self.weight):
            return normalise_weights(integration_weights(grid, self._heights, grid.budgets[0], grid.budgets[-1]))
        given = np.asarray(self.weight, dtype=np.float64)
        if given.shape != (len(grid),):
            raise ValueError(
                f"expected one weight for each of the {len(grid)} budgets of the grid, got shape {given.shape}"
            )
        return normalise_weights(given)

    def _heights(self, budgets: Array) -> Array:
        assert callable(self.weight)
        heights = np.asarray(self.weight(budgets), dtype=np.float64)
        if heights.shape not in ((), budgets.shape):
            raise ValueError(
                f"expected a weight that returns one number for each of {len(budgets)} budgets, got shape {heights.shape}"
            )
        check_weights(heights)
        return np.broadcast_to(heights, budgets.shape)

    def __str__(self) -> str:
        return "the weights over time that you gave"


def value_function(preference: Preference, grid: Grid) -> tuple[Callable[[Array], Array], slice]:
    """Return the function that turns curves (draw, budget) into values (draw,), and the budgets that it needs."""
    if isinstance(preference, Custom):
        return preference, slice(None)
    weights = preference.weights(grid)
    used = np.flatnonzero(weights)
    budgets = slice(int(used[0]), int(used[-1]) + 1)
    kept = weights[budgets]
    return lambda curves: np.asarray(curves @ kept), budgets


Linear = At | Final | Uniform | LogUniform | Between | Weighted | BudgetDistribution
Preference = Linear | Custom
