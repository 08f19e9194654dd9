"""Dirichlet priors on the ratings of each time alone (the paper's "Independent Models")."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.models.hyperpriors import Exponential, Hyperprior
from polarbear.models.namespace import log_gamma
from polarbear.models.plackett_luce import log_ratings
from polarbear.models.validation import require_positive

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from polarbear.observe import Grid

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class Dirichlet:
    """θ(t) ~ Dirichlet(α, …, α) independently at each time.

    Parameters
    ----------
    concentration
        α: small values favour few strong algorithms, large ones equal ratings.
    """

    concentration: float = 1.0

    def __post_init__(self) -> None:
        require_positive("Dirichlet concentration", self.concentration)

    def hyperpriors_for(self, algorithms: int) -> Mapping[str, Hyperprior]:
        """None: the concentration is given."""
        return {}

    def concentration_for(self, algorithms: int) -> float:
        """The concentration α."""
        return self.concentration

    def sample(self, grid: Grid, algorithms: int, draws: int, *, rng: np.random.Generator) -> Array:
        """Utilities μ = log θ drawn from the prior, shape (draw, time, algorithm)."""
        return _log_dirichlet(np.full(draws, self.concentration), len(grid), algorithms, rng)


@dataclass(frozen=True)
class HierarchicalDirichlet:
    """κ ~ Exponential(rate), θ(t) ~ Dirichlet(κ/n, …, κ/n) independently at each time given the shared κ.

    Parameters
    ----------
    rate
        Rate of the exponential prior of κ; 1/n if not given, so that κ is n on average.
    """

    rate: float | None = None

    def __post_init__(self) -> None:
        if self.rate is not None:
            require_positive("HierarchicalDirichlet rate", self.rate)

    def hyperpriors_for(self, algorithms: int) -> Mapping[str, Hyperprior]:
        """κ alone."""
        return {"kappa": Exponential(1 / algorithms if self.rate is None else self.rate)}

    def concentration_for(self, algorithms: int, kappa: float) -> float:
        """The concentration κ/n."""
        return kappa / algorithms

    def sample(self, grid: Grid, algorithms: int, draws: int, *, rng: np.random.Generator) -> Array:
        """Utilities μ = log θ drawn from the prior, shape (draw, time, algorithm)."""
        kappa = self.hyperpriors_for(algorithms)["kappa"].sample(draws, rng=rng)
        return _log_dirichlet(kappa / algorithms, len(grid), algorithms, rng)


IndependentPrior = Dirichlet | HierarchicalDirichlet


def log_density_of_contrasts(log_total: Array, *, algorithms: int, concentration: float) -> Array:
    """Log-density of the Helmert coordinates η of log θ, θ ~ Dirichlet(a, …, a), at one time; in any namespace.

    It is Γ(n a) / Γ(a)^n √n ∏ θ_i^a: the Jacobian of the softmax adds one to each exponent. With μ = Q η, which sums to
    zero, Σ_i log θ_i = −n log Σ_i exp μ_i, and `log_total` is that last logarithm.
    """
    n, a = algorithms, concentration
    density: Array = log_gamma(n * a) - n * log_gamma(a) + 0.5 * math.log(n) - n * a * log_total
    return density


def _log_dirichlet(concentration: Array, times: int, algorithms: int, rng: np.random.Generator) -> Array:
    shape = np.broadcast_to(concentration[:, None, None], (len(concentration), times, algorithms))
    return log_ratings(log_gamma_draws(shape, rng=rng), axis=-1)


def log_gamma_draws(shape: Array, *, rng: np.random.Generator) -> Array:
    """Logarithms of Gamma(shape, 1) draws; for tiny shapes the draws themselves would underflow.

    Gamma(a) equals Gamma(a + 1) · U^(1/a) in distribution, and −log U is exponential.
    """
    return np.log(rng.standard_gamma(shape + 1)) - rng.standard_exponential(shape.shape) / shape
