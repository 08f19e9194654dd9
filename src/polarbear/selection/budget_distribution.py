"""A distribution of the budget as a preference: a SciPy distribution, samples, or a mixture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.selection.quadrature import expectation_weights, interpolation_weights, normalise_weights

if TYPE_CHECKING:
    from polarbear.arrays import Array
    from polarbear.observe import Grid

_NO_MASS = 1e-9  # less mass within the grid indicates a wrong unit


@dataclass(frozen=True, eq=False)
class BudgetDistribution:
    """A random budget B: V = E θ(B).

    Parameters
    ----------
    budget
        A frozen SciPy distribution (anything with `cdf`), samples, or a mixture: pairs of a weight and a distribution,
        samples or one budget. Mass outside the grid is left out, and the rest is normalised.

    Examples
    --------
    >>> from polarbear.observe import Grid
    >>> BudgetDistribution([1, 1, 3]).weights(Grid([1, 2, 4])).round(3).tolist()
    [0.667, 0.167, 0.167]
    """

    budget: Any

    def weights(self, grid: Grid) -> Array:
        """Return the weights on the grid."""
        weights = _budget_weights(self.budget, grid)
        if not weights.sum() > _NO_MASS:
            raise ValueError(
                f"expected a distribution with mass within the grid, from {grid.budgets[0]:g} to {grid.budgets[-1]:g}, "
                "got none there; check its unit, or race on another grid"
            )
        return normalise_weights(weights)

    def mass_within(self, grid: Grid) -> float:
        """Return the share of the budget distribution that lies within the grid."""
        return float(_budget_weights(self.budget, grid).sum())

    def __str__(self) -> str:
        return "the distribution of budgets that you gave"


def _budget_weights(budget: Any, grid: Grid) -> Array:
    """Return weights on the grid that sum to the share of the budgets within it."""
    if callable(getattr(budget, "cdf", None)):
        weights = expectation_weights(grid, budget.cdf)
        if np.isnan(weights).any():
            raise ValueError(
                f"expected a distribution with probabilities, got NaN from {budget!r}; check its parameters"
            )
        return weights
    if _is_mixture(budget):
        shares = np.array([share for share, _ in budget], dtype=np.float64)
        if not (np.isfinite(shares).all() and (shares >= 0).all() and shares.sum() > 0):
            raise ValueError(
                f"expected weights of a mixture that are finite, not negative and not all zero, got {shares.tolist()}"
            )
        parts = np.array([_budget_weights(part, grid) for _, part in budget])
        mixed: Array = shares / shares.sum() @ parts
        return mixed
    expected = f"expected a SciPy distribution, budgets, or pairs (weight, distribution), got {budget!r}"
    try:
        samples = np.atleast_1d(np.asarray(budget, dtype=np.float64)).ravel()
    except (TypeError, ValueError) as error:
        raise ValueError(expected) from error
    if not samples.size or np.isnan(samples).any():
        raise ValueError(expected)
    inside = samples[(samples >= grid.budgets[0]) & (samples <= grid.budgets[-1])]
    return interpolation_weights(grid, inside, np.full(len(inside), 1 / len(samples)))


def _is_mixture(budget: Any) -> bool:
    """Return whether a budget is a list of (weight, part) tuples; pairs of numbers qualify, since samples are not pairs."""
    return (
        isinstance(budget, Sequence)
        and len(budget) > 0
        and all(isinstance(each, tuple) and len(each) == 2 for each in budget)
    )
