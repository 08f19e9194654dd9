"""Reduce a temporal prior to as many coefficients as its functions have dimensions on the grid.

The distribution of the latent functions η is unchanged, and there are fewer coefficients to infer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from polarbear.models import TemporalPrior
from polarbear.models.namespace import cholesky

if TYPE_CHECKING:
    from collections.abc import Mapping

    from polarbear.arrays import Array
    from polarbear.models import Hyperprior
    from polarbear.models.temporal import BandedGaussian
    from polarbear.observe import Grid


_JITTER = 1e-10  # share of the total variance, added to directions with almost none


def reduced_prior(prior: TemporalPrior, grid: Grid) -> TemporalPrior:
    """Return the prior, or an equivalent one with fewer coefficients if its span has a smaller dimension.

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
    typical = [hyperprior.quantile(0.5) for hyperprior in prior.hyperpriors.values()]
    span = prior.span(grid)
    return ReducedPrior(prior, span) if span.shape[1] < prior.factor(grid, *typical).shape[1] else prior


@dataclass(frozen=True)
class ReducedPrior(TemporalPrior):
    """The prior η = U R z, where U spans the columns of another prior's L = U C on the grid, and R Rᵀ = C Cᵀ."""

    prior: TemporalPrior
    basis: Array = field(repr=False, compare=False)

    @property
    def hyperpriors(self) -> Mapping[str, Hyperprior]:
        """Hyperpriors of the original prior."""
        return self.prior.hyperpriors

    def factor(self, grid: Grid, *hyperparameters: float) -> Array:
        """Return U R.

        The diagonal of R is positive, so that no coefficient changes its sign with the hyperparameters.
        """
        C = self.basis.T @ self.prior.factor(grid, *hyperparameters)
        variance = C @ C.T
        factor: Array = self.basis @ cholesky(variance + _JITTER * variance.trace() * np.eye(len(variance)))
        return factor

    def banded(self, grid: Grid, *hyperparameters: float) -> BandedGaussian | None:
        """Return the banded form of the original prior, which saves more than fewer coefficients do."""
        return self.prior.banded(grid, *hyperparameters)
