"""Gaussian-process priors over time: exact, and sparse with inducing points (the paper's "Gaussian Process")."""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from polarbear.models.hyperpriors import Hyperprior, InverseGamma, LogNormal
from polarbear.models.kernels import Kernel, Matern, get_kernel
from polarbear.models.namespace import cholesky, namespace_of, solve_lower
from polarbear.models.temporal import BandedGaussian, TemporalPrior
from polarbear.models.validation import require_count

if TYPE_CHECKING:
    from collections.abc import Mapping

    from polarbear.arrays import Array
    from polarbear.literals import KernelName
    from polarbear.observe import Grid


# Smooth kernels and close budgets give correlation matrices that are singular to rounding; the smallest sufficient jitter of
# this list fixes them. All are far below any difference that rankings can resolve.
_JITTERS = (0.0, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8)

# The Markov precision grows as the inverse cube (Matérn 3/2) or fifth power (Matérn 5/2) of the shortest step, and every
# digit of it costs one digit of the covariance. At this size and the longest lengthscales the covariance is wrong by up to a
# hundredth, the most that is accepted. Evenly spaced grids of up to 29 budgets (Matérn 5/2) or 1600 (Matérn 3/2) stay below.
_LARGEST_PRECISION = 1e12
_LONGEST_LENGTHSCALE = 0.9999  # quantile of its prior up to which the precision and the jitter must suffice


class KernelPrior(TemporalPrior):
    """A temporal prior with a kernel: the hyperparameters and checks that Gaussian processes share."""

    kernel: KernelName
    amplitude: Hyperprior
    lengthscale: Hyperprior

    def __post_init__(self) -> None:
        super().__post_init__()
        get_kernel(self.kernel)

    @property
    def hyperpriors(self) -> Mapping[str, Hyperprior]:
        """The priors of σ and ℓ."""
        return {"amplitude": self.amplitude, "lengthscale": self.lengthscale}


@dataclass(frozen=True)
class GaussianProcess(KernelPrior):
    """Exact Gaussian process: η ~ GP(0, σ² C(|t − t'| / ℓ)), with budgets scaled to [0, 1].

    Like all temporal priors it is used with the paper's likelihood, which treats a run's rankings at different budgets as
    independent: intervals are too narrow if runs are correlated over time. `BayesianBootstrap` does not assume this.

    Parameters
    ----------
    kernel
        "matern32" (recommended), "matern52" or "squared-exponential".
    amplitude
        Prior of σ.
    lengthscale
        Prior of ℓ, as a fraction of the range of the grid.
    """

    kernel: KernelName = "matern32"
    amplitude: Hyperprior = field(default_factory=LogNormal)
    lengthscale: Hyperprior = field(default_factory=InverseGamma)

    def factor(self, grid: Grid, *hyperparameters: float) -> Array:
        """Return the Cholesky factor of the covariance of η at the grid's budgets."""
        amplitude, lengthscale = hyperparameters
        longest = self.lengthscale.quantile(_LONGEST_LENGTHSCALE)
        return amplitude * _correlation_factor(get_kernel(self.kernel), grid.scaled, lengthscale, longest)

    def jitter(self, grid: Grid) -> float:
        """Return the jitter that makes the correlation at the grid's budgets definite at the longest lengthscale."""
        longest = self.lengthscale.quantile(_LONGEST_LENGTHSCALE)
        return _cholesky_with_jitter(get_kernel(self.kernel), grid.scaled, longest)[1]

    def banded(self, grid: Grid, *hyperparameters: float) -> BandedGaussian | None:
        """Return η in terms of the Markov state (η and its derivatives) at each budget, or None.

        It exists for Matérn kernels and budgets that are not too close. Whether it exists depends only on the grid and the
        prior, so that all hyperparameters share the same coefficients.
        """
        amplitude, lengthscale = hyperparameters
        kernel = get_kernel(self.kernel)
        if not isinstance(kernel, Matern):
            return None
        shortest = (
            math.sqrt(2 * kernel.nu) * np.diff(grid.scaled).min() / self.lengthscale.quantile(_LONGEST_LENGTHSCALE)
        )
        if kernel.largest_precision(shortest) > _LARGEST_PRECISION:
            return None
        return _markov_precision(kernel, grid.scaled, amplitude, lengthscale)


@dataclass(frozen=True)
class SparseGaussianProcess(KernelPrior):
    """Sparse Gaussian process (deterministic training conditional): η = K_tu K_uu⁻¹ u, with u at M inducing points.

    Like all temporal priors it is used with the paper's likelihood, which treats a run's rankings at different budgets as
    independent: intervals are too narrow if runs are correlated over time. `BayesianBootstrap` does not assume this.

    Parameters
    ----------
    inducing
        Number M of inducing points, at quantiles of the grid's budgets; at most one per budget is used.
    kernel, amplitude, lengthscale
        As for `GaussianProcess`.
    """

    inducing: int = 10
    kernel: KernelName = "matern32"
    amplitude: Hyperprior = field(default_factory=LogNormal)
    lengthscale: Hyperprior = field(default_factory=InverseGamma)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_count("SparseGaussianProcess inducing", self.inducing, least=2)

    def factor(self, grid: Grid, *hyperparameters: float) -> Array:
        """Return K_tu R⁻ᵀ with K_uu = R Rᵀ."""
        amplitude, lengthscale = hyperparameters
        kernel = get_kernel(self.kernel)
        ranks = np.linspace(0, len(grid) - 1, min(self.inducing, len(grid)))
        points = np.interp(ranks, np.arange(len(grid)), grid.scaled)  # quantiles of the budgets
        R = _correlation_factor(kernel, points, lengthscale, self.lengthscale.quantile(_LONGEST_LENGTHSCALE))
        cross = kernel.correlation(np.abs(grid.scaled[:, None] - points) / lengthscale)
        factor: Array = amplitude * solve_lower(R, cross.T).T
        return factor


def _correlation_factor(kernel: Kernel, budgets: Array, lengthscale: float, longest: float) -> Array:
    """Return the Cholesky factor of the correlation at the budgets, with the smallest jitter that makes it definite.

    Compiled functions cannot retry: they use the jitter that the longest lengthscale needs.
    """
    if namespace_of(lengthscale) is np:
        return _cholesky_with_jitter(kernel, budgets, lengthscale)[0]
    correlation = kernel.correlation(np.abs(budgets[:, None] - budgets) / lengthscale)
    factor: Array = cholesky(correlation + _cholesky_with_jitter(kernel, budgets, longest)[1] * np.eye(len(budgets)))
    return factor


def _cholesky_with_jitter(kernel: Kernel, budgets: Array, lengthscale: float) -> tuple[Array, float]:
    correlation = kernel.correlation(np.abs(budgets[:, None] - budgets) / lengthscale)
    for jitter in _JITTERS:
        with contextlib.suppress(np.linalg.LinAlgError):
            return cholesky(correlation + jitter * np.eye(len(budgets))), jitter
    raise np.linalg.LinAlgError(
        f"the correlation of {len(budgets)} budgets at lengthscale {lengthscale:.3g} is singular"
    )


def _markov_precision(kernel: Matern, budgets: Array, amplitude: float, lengthscale: float) -> BandedGaussian:
    """Return the block-tridiagonal precision of the states x_1 ~ N(0, σ² P), x_{i+1} = A_i x_i + N(0, σ² Q_i)."""
    steps = math.sqrt(2 * kernel.nu) / lengthscale * np.diff(budgets)
    transition, innovation = kernel.transition(steps), kernel.innovation(steps)
    stationary = kernel.stationary_covariance()
    size, states = len(budgets), kernel.smoothness + 1

    inverse = np.linalg.inv(innovation)
    backward = inverse @ transition
    diagonal = np.concatenate([np.linalg.inv(stationary)[None], inverse])
    diagonal[:-1] += transition.transpose(0, 2, 1) @ backward

    bands = np.zeros((2 * states, size, states))  # (offset, block column, column within the block)
    for row in range(states):
        for column in range(states):
            if row >= column:
                bands[row - column, :, column] = diagonal[:, row, column]
            bands[states + row - column, :-1, column] = -backward[:, row, column]
    log_determinant = -float(np.linalg.slogdet(stationary)[1] + np.linalg.slogdet(innovation)[1].sum())
    return BandedGaussian(
        first=states * np.arange(size),
        weights=np.ones((size, 1)),
        precision=bands.reshape(2 * states, size * states) / amplitude**2,
        log_determinant=log_determinant - 2 * size * states * math.log(amplitude),
    )
