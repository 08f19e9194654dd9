"""Preferences over time: how a rating curve θ(t) becomes one value (the paper's functional u).

All but `Custom` are linear: V = Σ_k w_k θ(t_k), with non-negative weights on the grid that sum to one. A value is then a
probability of coming first, at one budget or averaged over budgets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.selection.quadrature import (
    expectation_weights,
    integration_weights,
    interpolation_weights,
    require_within,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from polarbear.arrays import Array
    from polarbear.observe import Grid


@dataclass(frozen=True)
class At:
    """One known budget: V = θ(t), interpolated between grid times.

    Examples
    --------
    >>> from polarbear.observe import Grid
    >>> At(3).weights(Grid([1, 2, 4])).tolist()
    [0.0, 0.5, 0.5]
    """

    time: float

    def weights(self, grid: Grid) -> Array:
        """Return the weights on the grid."""
        time = np.array([float(self.time)])
        require_within(grid, time, "the budget")
        return interpolation_weights(grid, time, np.ones(1))

    def __str__(self) -> str:
        return f"a budget of {format_budget(self.time)}"


@dataclass(frozen=True)
class Final:
    """The longest budget: V = θ(t_T), the last time of the grid."""

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
        return _normalised(integration_weights(grid, np.ones_like, grid.times[0], grid.times[-1]))

    def __str__(self) -> str:
        return "any budget, all equally likely"


@dataclass(frozen=True)
class LogUniform:
    """A budget log-uniform on the grid, with density proportional to 1/t: all orders of magnitude are equally likely."""

    def weights(self, grid: Grid) -> Array:
        """Return the weights on the grid."""
        if grid.times[0] <= 0:
            raise ValueError(
                f"LogUniform weighs by 1/t and needs a grid of positive times, got one from {grid.times[0]:g}; use Uniform()"
            )
        return _normalised(integration_weights(grid, lambda t: 1 / t, grid.times[0], grid.times[-1]))

    def __str__(self) -> str:
        return "any budget, all orders of magnitude equally likely"


@dataclass(frozen=True)
class Between:
    """A budget uniform between `start` and `stop`."""

    start: float
    stop: float

    def __post_init__(self) -> None:
        if not self.start <= self.stop:
            raise ValueError(f"Between needs start <= stop, got {self.start!r} and {self.stop!r}")

    def weights(self, grid: Grid) -> Array:
        """Return the weights on the grid."""
        require_within(grid, np.array([self.start, self.stop], dtype=np.float64), "the budgets")
        return _normalised(integration_weights(grid, np.ones_like, float(self.start), float(self.stop)))

    def __str__(self) -> str:
        return f"a budget between {format_budget(self.start)} and {format_budget(self.stop)}"


@dataclass(frozen=True, eq=False)
class Weighted:
    """Weights over time: V = ∫ w(t) θ(t) dt / ∫ w(t) dt, or Σ w_k θ(t_k) / Σ w_k.

    Parameters
    ----------
    weight
        A function of an array of times, or one number for each time of the grid; non-negative. A function is integrated
        with 16 or more points between neighbouring grid times. It should be smooth there; steps at grid times do no harm.
    """

    weight: Callable[[Array], ArrayLike] | ArrayLike

    def weights(self, grid: Grid) -> Array:
        """Return the weights on the grid."""
        if callable(self.weight):
            return _normalised(integration_weights(grid, self._heights, grid.times[0], grid.times[-1]))
        given = np.asarray(self.weight, dtype=np.float64)
        if given.shape != (len(grid),):
            raise ValueError(
                f"expected one weight for each of the {len(grid)} times of the grid, got shape {given.shape}"
            )
        return _normalised(given)

    def _heights(self, times: Array) -> Array:
        assert callable(self.weight)
        heights = np.asarray(self.weight(times), dtype=np.float64)
        if heights.shape not in ((), times.shape):
            raise ValueError(
                f"the weight must give one number for each time, got shape {heights.shape} for {len(times)} times"
            )
        _check_weights(heights)
        return np.broadcast_to(heights, times.shape)

    def __str__(self) -> str:
        return "the weights over time that you gave"


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
                f"expected a distribution with mass within the grid, from {grid.times[0]:g} to {grid.times[-1]:g}, "
                "got none there; check its unit, or race on another grid"
            )
        return _normalised(weights)

    def mass_within(self, grid: Grid) -> float:
        """Return the share of the budget distribution that lies within the grid."""
        return float(_budget_weights(self.budget, grid).sum())

    def __str__(self) -> str:
        return "the distribution of budgets that you gave"


@dataclass(frozen=True)
class Custom:
    """Any function of the rating curve that increases with the ratings.

    Parameters
    ----------
    function
        Maps curves of shape (..., time) to values of shape (...).
    """

    function: Callable[[Array], ArrayLike]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ValueError(f"Custom needs a function of rating curves (..., time), got {self.function!r}")

    def __call__(self, curves: Array) -> Array:
        """Return the values of curves (..., time)."""
        values = np.asarray(self.function(curves), dtype=np.float64)
        if values.shape != curves.shape[:-1]:
            raise ValueError(
                f"the function must turn curves of shape (..., time) into values of shape (...), got {values.shape} from "
                f"{curves.shape}; use operations along the last axis, for example curves.min(axis=-1)"
            )
        if not np.isfinite(values).all():
            raise ValueError("the function gave values that are not finite numbers for some rating curves")
        return values

    def __str__(self) -> str:
        return "the preference that you gave"


Linear = At | Final | Uniform | LogUniform | Between | Weighted | BudgetDistribution
Preference = Linear | Custom

_NO_MASS = 1e-9  # less mass within the grid indicates a wrong unit


def require_monotone(preference: Custom, curves: Array, *, highest: float = 1.0, rng: np.random.Generator) -> None:
    """Raise an error if raising curves (curve, time), with values up to `highest`, lowers the value of a preference.

    The test raises whole curves by random amounts, and single times or one end strongly while the rest barely moves. It
    therefore also detects preferences that penalise higher ratings at a few times only.
    """
    values = preference(curves)
    number, times = curves.shape
    asked, places = np.arange(times), rng.integers(times, size=(number, 1))
    places[: min(number, times), 0] = asked[:number]  # covers every time if there are enough curves
    room = np.maximum(highest - curves, 1e-9) * rng.uniform(0.01, 1.0, curves.shape)
    for where in (np.True_, asked == places, asked >= places, asked <= places):
        for size in (0.5, 0.05):
            raised = curves + room * np.where(where, size, 1e-6)
            higher = preference(raised)
            worst = int((higher - values).argmin())
            if higher[worst] - values[worst] < -1e-12 * max(1.0, float(np.abs(values).max())):
                raise ValueError(
                    "the preference rewards being worse: raising a rating curve at every time lowered its value from "
                    f"{values[worst]:g} to {higher[worst]:g}; it must increase with the ratings"
                )


def format_budget(time: float) -> str:
    """Return a budget as text with six digits, and without powers of ten below a billion."""
    return f"{float(f'{time:.6g}'):,.10g}"


def _budget_weights(budget: Any, grid: Grid) -> Array:
    """Return weights on the grid that sum to the share of the budgets within it."""
    if callable(getattr(budget, "cdf", None)):
        weights = expectation_weights(grid, budget.cdf)
        if np.isnan(weights).any():
            raise ValueError(
                f"the distribution {budget!r} gives probabilities that are not numbers; check its parameters"
            )
        return weights
    if _is_mixture(budget):
        shares = np.array([share for share, _ in budget], dtype=np.float64)
        if not (np.isfinite(shares).all() and (shares >= 0).all() and shares.sum() > 0):
            raise ValueError(
                f"the weights of a mixture must be finite, not negative and not all zero, got {shares.tolist()}"
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
    inside = samples[(samples >= grid.times[0]) & (samples <= grid.times[-1])]
    return interpolation_weights(grid, inside, np.full(len(inside), 1 / len(samples)))


def _is_mixture(budget: Any) -> bool:
    """Return whether a budget is a list of (weight, part) tuples; pairs of numbers qualify, since samples are not pairs."""
    return (
        isinstance(budget, Sequence)
        and len(budget) > 0
        and all(isinstance(each, tuple) and len(each) == 2 for each in budget)
    )


def _check_weights(weights: Array) -> None:
    if not np.isfinite(weights).all() or (weights < 0).any():
        bad = weights[~(np.isfinite(weights) & (weights >= 0))][0]
        raise ValueError(f"weights over time must be finite and not negative, got {bad:g}")


def _normalised(weights: Array) -> Array:
    _check_weights(weights)
    if not weights.max() > 0:
        raise ValueError("weights over time are all zero; give some time a positive weight")
    scaled = weights / weights.max()  # avoids overflow in the sum of huge weights
    result: Array = scaled / scaled.sum()
    return result
