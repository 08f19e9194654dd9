"""Preferences over time: how a rating curve θ(t) becomes one value (the paper's functional u).

All but `Custom` are linear: V = Σ_k w_k θ(t_k), with weights on the grid that are not negative and sum to one. A value is
then a probability of being first: at the budget in question, or averaged over budgets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.selection.quadrature import integral, interpolation, require_within

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from polarbear.observe import Grid

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class At:
    """The budget is known: V = θ(t), read between grid times where t is not on the grid.

    Examples
    --------
    >>> from polarbear.observe import Grid
    >>> At(3).weights(Grid([1, 2, 4])).tolist()
    [0.0, 0.5, 0.5]
    """

    time: float

    def weights(self, grid: Grid) -> Array:
        """Weights on the grid."""
        time = np.array([float(self.time)])
        require_within(grid, time, "the budget")
        weights: Array = interpolation(grid, time)[0]
        return weights

    def __str__(self) -> str:
        return f"a budget of {self.time:,g}"


@dataclass(frozen=True)
class Final:
    """Only the end of the grid counts."""

    def weights(self, grid: Grid) -> Array:
        """Weights on the grid."""
        weights = np.zeros(len(grid))
        weights[-1] = 1.0
        return weights

    def __str__(self) -> str:
        return "the longest budget"


@dataclass(frozen=True)
class Uniform:
    """Every budget on the grid is as likely as any other: V = ∫ θ(t) dt / (t_T − t_1)."""

    def weights(self, grid: Grid) -> Array:
        """Weights on the grid."""
        return _normalised(integral(grid, np.ones_like, grid.times[0], grid.times[-1]))

    def __str__(self) -> str:
        return "any budget, all equally likely"


@dataclass(frozen=True)
class LogUniform:
    """Every order of magnitude of the budget is as likely as any other: weight 1/t."""

    def weights(self, grid: Grid) -> Array:
        """Weights on the grid."""
        if grid.times[0] <= 0:
            raise ValueError(
                f"LogUniform weighs by 1/t and needs a grid of positive times, got one from {grid.times[0]:g}; use Uniform()"
            )
        return _normalised(integral(grid, lambda t: 1 / t, grid.times[0], grid.times[-1]))

    def __str__(self) -> str:
        return "any budget, all orders of magnitude equally likely"


@dataclass(frozen=True)
class Between:
    """Every budget from `start` to `stop` is as likely as any other."""

    start: float
    stop: float

    def __post_init__(self) -> None:
        if not self.start <= self.stop:
            raise ValueError(f"Between needs start <= stop, got {self.start!r} and {self.stop!r}")

    def weights(self, grid: Grid) -> Array:
        """Weights on the grid."""
        require_within(grid, np.array([self.start, self.stop], dtype=np.float64), "the budgets")
        return _normalised(integral(grid, np.ones_like, float(self.start), float(self.stop)))

    def __str__(self) -> str:
        return f"a budget between {self.start:,g} and {self.stop:,g}"


@dataclass(frozen=True, eq=False)
class Weighted:
    """Time counts as much as a weight says: V = ∫ w(t) θ(t) dt / ∫ w(t) dt, or Σ w_k θ(t_k) / Σ w_k.

    Parameters
    ----------
    weight
        A function of an array of times, or one number for each time of the grid; not negative.
    """

    weight: Callable[[Array], ArrayLike] | ArrayLike

    def weights(self, grid: Grid) -> Array:
        """Weights on the grid."""
        if callable(self.weight):
            return _normalised(integral(grid, self._heights, grid.times[0], grid.times[-1]))
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
        heights = np.broadcast_to(heights, times.shape)
        _check_weights(heights)
        return heights

    def __str__(self) -> str:
        return "the weights over time that you gave"


@dataclass(frozen=True, eq=False)
class BudgetDistribution:
    """The budget is random: V = E θ(B).

    Parameters
    ----------
    budget
        A frozen SciPy distribution (anything with `ppf`), samples, or a mixture: pairs (weight, distribution or samples or
        one budget). What falls outside the grid is left out, and the rest counts in full.

    Examples
    --------
    >>> from polarbear.observe import Grid
    >>> BudgetDistribution([1, 1, 3]).weights(Grid([1, 2, 4])).round(3).tolist()
    [0.667, 0.167, 0.167]
    """

    budget: Any

    def weights(self, grid: Grid) -> Array:
        """Weights on the grid."""
        times, masses = _atoms(self.budget)
        first, last = grid.times[0], grid.times[-1]
        inside = (times >= first) & (times <= last)
        if not masses[inside].sum() > 0:
            raise ValueError(
                f"expected a distribution with mass within the grid, from {first:g} to {last:g}, got none there; "
                "check its unit, or race on another grid"
            )
        return _normalised(masses[inside] @ interpolation(grid, times[inside]))

    def mass_within(self, grid: Grid) -> float:
        """The share of the budgets for which there is an answer."""
        times, masses = _atoms(self.budget)
        inside = (times >= grid.times[0]) & (times <= grid.times[-1])
        return float(masses[inside].sum() / masses.sum())

    def __str__(self) -> str:
        return "the distribution of budgets that you gave"


@dataclass(frozen=True)
class Custom:
    """Any function of the rating curve that is better off with higher ratings.

    Parameters
    ----------
    function
        From curves of shape (..., time) to values of shape (...).
    """

    function: Callable[[Array], ArrayLike]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ValueError(f"Custom needs a function of rating curves (..., time), got {self.function!r}")

    def __call__(self, curves: Array) -> Array:
        """Values of curves (..., time)."""
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

_QUANTILES = 10_000  # a distribution is stood for by this many of its quantiles


def require_monotone(preference: Custom, curves: Array, *, rng: np.random.Generator) -> None:
    """Refuse a preference that rewards being worse, tried on drawn curves (curve, time) that are raised a little."""
    values = preference(curves)
    room = np.maximum(1 - curves, 1e-9)
    for size in (0.5, 0.05):
        raised = curves + room * size * rng.uniform(0.01, 1.0, curves.shape)
        gain = preference(raised) - values
        if gain.min() < -1e-12 * max(1.0, float(np.abs(values).max())):
            raise ValueError(
                "the preference rewards being worse: raising a rating curve at every time lowered its value from "
                f"{values[gain.argmin()]:g} to {preference(raised)[gain.argmin()]:g}; it must increase with the ratings"
            )


def _atoms(budget: Any, weight: float = 1.0) -> tuple[Array, Array]:
    """Budgets and the mass of each."""
    if callable(getattr(budget, "ppf", None)):
        times = np.asarray(budget.ppf((np.arange(_QUANTILES) + 0.5) / _QUANTILES), dtype=np.float64)
        if np.isnan(times).any():
            raise ValueError(f"the distribution {budget!r} has quantiles that are not numbers; check its parameters")
        return times, np.full(len(times), weight / len(times))
    if _is_mixture(budget):
        parts = [_atoms(part, _mixture_weight(share)) for share, part in budget]
        times, masses = (np.concatenate(each) for each in zip(*parts, strict=True))
        return times, masses
    samples = np.atleast_1d(np.asarray(budget, dtype=np.float64)).ravel()
    if not samples.size or np.isnan(samples).any():
        raise ValueError(f"expected a SciPy distribution, budgets, or pairs (weight, distribution), got {budget!r}")
    return samples, np.full(len(samples), weight / len(samples))


def _is_mixture(budget: Any) -> bool:
    """Pairs of a weight and something else: a list of plain pairs of numbers is one too, since samples are no pairs."""
    return (
        isinstance(budget, Sequence)
        and len(budget) > 0
        and all(isinstance(each, tuple) and len(each) == 2 for each in budget)
    )


def _mixture_weight(share: Any) -> float:
    weight = float(share)
    if not (np.isfinite(weight) and weight >= 0):
        raise ValueError(f"the weights of a mixture must be finite and not negative, got {share!r}")
    return weight


def _check_weights(weights: Array) -> None:
    if not np.isfinite(weights).all() or (weights < 0).any():
        bad = weights[~(np.isfinite(weights) & (weights >= 0))][0]
        raise ValueError(f"weights over time must be finite and not negative, got {bad:g}")


def _normalised(weights: Array) -> Array:
    _check_weights(weights)
    total = weights.sum()
    if not total > 0:
        raise ValueError("weights over time are all zero; give some time a positive weight")
    result: Array = weights / total
    return result
