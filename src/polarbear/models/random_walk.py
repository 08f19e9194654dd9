"""Gaussian random-walk prior over the budgets of the grid (the paper's "Random Walk")."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from polarbear.models.hyperpriors import Hyperprior, LogNormal
from polarbear.models.temporal import BandedGaussian, TemporalPrior

if TYPE_CHECKING:
    from collections.abc import Mapping

    from polarbear.arrays import Array
    from polarbear.observe import Grid


@dataclass(frozen=True)
class RandomWalk(TemporalPrior):
    """Random walk: η(t_1) ~ N(0, σ²), η(t_{i+1}) | η(t_i) ~ N(η(t_i), σ² Δt_i) with budgets scaled to [0, 1].

    Like all temporal priors it is used with the paper's likelihood, which treats a run's rankings at different budgets as
    independent: intervals are too narrow if runs are correlated over time. `BayesianBootstrap` does not assume this.

    Parameters
    ----------
    amplitude
        Prior of σ.
    """

    amplitude: Hyperprior = field(default_factory=LogNormal)

    @property
    def hyperpriors(self) -> Mapping[str, Hyperprior]:
        """The prior of σ."""
        return {"amplitude": self.amplitude}

    def factor(self, grid: Grid, *hyperparameters: float) -> Array:
        """Return L, which sums increments: L[i, j] = σ √Δt_j for j ≤ i, and 0 otherwise."""
        (amplitude,) = hyperparameters
        return amplitude * np.tril(np.broadcast_to(np.sqrt(_increments(grid)), (len(grid), len(grid))))

    def banded(self, grid: Grid, *hyperparameters: float) -> BandedGaussian:
        """Return η in terms of its own values at the grid's budgets, with a tridiagonal precision."""
        (amplitude,) = hyperparameters
        increments = _increments(grid)
        inverse = 1 / (amplitude**2 * increments)
        precision = np.zeros((2, len(grid)))
        precision[0] = inverse
        precision[0, :-1] += inverse[1:]
        precision[1, :-1] = -inverse[1:]
        log_determinant = -float(np.log(increments).sum()) - 2 * len(grid) * math.log(amplitude)
        return BandedGaussian(np.arange(len(grid)), np.ones((len(grid), 1)), precision, log_determinant)


def _increments(grid: Grid) -> Array:
    """Return Δt of each budget on the scaled axis, with Δt = 1 for the first."""
    return np.concatenate([[1.0], np.diff(grid.scaled)])
