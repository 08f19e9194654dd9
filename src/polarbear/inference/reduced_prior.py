"""A temporal prior with as many coefficients as its functions have dimensions on the grid: the same η, less to sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.models import TemporalPrior
from polarbear.models.namespace import cholesky

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from polarbear.models import Hyperprior, Prior
    from polarbear.observe import Grid

    Array = NDArray[np.float64]

_JITTER = 1e-10  # of the total variance, in directions that have hardly any


def reduced_prior(prior: Prior, grid: Grid) -> Prior:
    """The prior itself, or one of fewer coefficients if its span is smaller than their number.

    Examples
    --------
    >>> from polarbear.models import BSpline, HilbertSpaceGP
    >>> from polarbear.observe import log_grid
    >>> grid = log_grid(10, 1000, 30)
    >>> reduced_prior(BSpline(), grid) == BSpline()
    True
    >>> HilbertSpaceGP().factor(grid, 1.0, 0.5).shape, reduced_prior(HilbertSpaceGP(), grid).factor(grid, 1.0, 0.5).shape
    ((30, 72), (30, 19))
    """
    if not isinstance(prior, TemporalPrior):
        return prior
    typical = [hyperprior.quantile(0.5) for hyperprior in prior.hyperpriors.values()]
    coefficients, dimensions = prior.factor(grid, *typical).shape[1], prior.span(grid).shape[1]
    return ReducedPrior(prior) if dimensions < coefficients else prior


@dataclass(frozen=True)
class ReducedPrior(TemporalPrior):
    """η = U R z with U the span of another prior's L = U C and R Rᵀ = C Cᵀ."""

    prior: TemporalPrior

    @property
    def hyperpriors(self) -> Mapping[str, Hyperprior]:
        """Those of the other prior."""
        return self.prior.hyperpriors

    def factor(self, grid: Grid, *hyperparameters: float) -> Array:
        """U R."""
        U = self.prior.span(grid)
        C = U.T @ self.prior.factor(grid, *hyperparameters)
        variance = C @ C.T
        factor: Array = U @ cholesky(variance + _JITTER * variance.trace() * np.eye(len(U.T)))
        return factor
