"""Prior with independent coefficients on a B-spline basis (the paper's "B-spline")."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.models.hyperpriors import Hyperprior, LogNormal
from polarbear.models.temporal import BandedGaussian, TemporalPrior
from polarbear.models.validation import require_count

if TYPE_CHECKING:
    from collections.abc import Mapping

    from polarbear.arrays import Array
    from polarbear.observe import Grid


@dataclass(frozen=True)
class BSpline(TemporalPrior):
    """B-spline prior: η(t) = Σ_j β_j B_j(t) with β_j ~ N(0, σ²) and knots at quantiles of the grid's budgets.

    Like all temporal priors it is used with the paper's likelihood, which treats a run's rankings at different budgets as
    independent: intervals are too narrow if runs are correlated over time. `BayesianBootstrap` does not assume this.

    Parameters
    ----------
    basis
        Number K of basis functions; by default half the number of budgets, as in the paper.
    degree
        Degree of the splines; 3 (cubic) by default.
    amplitude
        Prior of σ.
    """

    basis: int | None = None
    degree: int = 3
    amplitude: Hyperprior = field(default_factory=LogNormal)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_count("BSpline degree", self.degree, least=0)
        if self.basis is not None:
            require_count(f"BSpline basis (of degree {self.degree})", self.basis, least=self.degree + 1)

    @property
    def hyperpriors(self) -> Mapping[str, Hyperprior]:
        """The prior of σ."""
        return {"amplitude": self.amplitude}

    def knots(self, grid: Grid) -> Array:
        """Return the K + degree + 1 knots on the scaled axis: repeated ends, the others at quantiles of the budgets."""
        basis = max(self.degree + 1, len(grid) // 2) if self.basis is None else self.basis
        interior = np.quantile(grid.scaled, np.linspace(0, 1, basis - self.degree + 1)[1:-1])
        return np.concatenate([np.zeros(self.degree + 1), interior, np.ones(self.degree + 1)])

    def factor(self, grid: Grid, *hyperparameters: float) -> Array:
        """Return L = σ B, with the design matrix B."""
        (amplitude,) = hyperparameters
        factor: Array = amplitude * _design_matrix(grid.scaled, self.knots(grid), self.degree).toarray()
        return factor

    def banded(self, grid: Grid, *hyperparameters: float) -> BandedGaussian:
        """Return η in terms of the coefficients β, with a diagonal precision; each budget depends on degree + 1 of them."""
        (amplitude,) = hyperparameters
        knots = self.knots(grid)
        basis = len(knots) - self.degree - 1
        design = _design_matrix(grid.scaled, knots, self.degree)  # degree + 1 stored entries per row
        precision = np.full((1, basis), amplitude**-2)
        first = design.indices.reshape(len(grid), -1)[:, 0].astype(np.intp)
        return BandedGaussian(first, design.data.reshape(len(grid), -1), precision, -2 * basis * math.log(amplitude))


def _design_matrix(budgets: Array, knots: Array, degree: int) -> Any:
    """Return the values of the B-splines at each budget, as a sparse matrix."""
    from scipy.interpolate import BSpline as ScipyBSpline  # imports scipy.optimize, which other priors do not need

    return ScipyBSpline.design_matrix(budgets, knots, degree)
