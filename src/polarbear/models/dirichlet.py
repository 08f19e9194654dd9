"""Dirichlet priors on the ratings, independent over time (the paper's "Independent Models")."""

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

    from polarbear.arrays import Array
    from polarbear.observe import Grid


@dataclass(frozen=True)
class Dirichlet:
    """Dirichlet prior: θ(t) ~ Dirichlet(α, …, α), independently at each budget.

    Parameters
    ----------
    concentration
        The concentration α. Small values favour a few strong algorithms, large values favour equal ratings.
    """

    concentration: float = 1.0

    def __post_init__(self) -> None:
        require_positive("Dirichlet concentration", self.concentration)

    def hyperpriors_for(self, algorithms: int) -> Mapping[str, Hyperprior]:
        """Return no hyperpriors, because the concentration is fixed."""
        return {}

    def concentration_for(self, algorithms: int) -> float:
        """Return the concentration α."""
        return self.concentration

    def sample(self, grid: Grid, algorithms: int, draws: int, *, rng: np.random.Generator) -> Array:
        """Draw utilities μ = log θ from the prior, shape (draw, budget, algorithm)."""
        return _draw_log_dirichlet(np.full(draws, self.concentration), len(grid), algorithms, rng)


@dataclass(frozen=True)
class HierarchicalDirichlet:
    """Hierarchical Dirichlet prior: κ ~ Exponential(rate), and θ(t) ~ Dirichlet(κ/n, …, κ/n) at each budget.

    Given the shared κ, different budgets are independent.

    Parameters
    ----------
    rate
        Rate of the exponential prior of κ; 1/n by default, so that the prior mean of κ is n.
    """

    rate: float | None = None

    def __post_init__(self) -> None:
        if self.rate is not None:
            require_positive("HierarchicalDirichlet rate", self.rate)

    def hyperpriors_for(self, algorithms: int) -> Mapping[str, Hyperprior]:
        """Return the prior of κ."""
        return {"kappa": Exponential(1 / algorithms if self.rate is None else self.rate)}

    def concentration_for(self, algorithms: int, kappa: float) -> float:
        """Return the concentration κ/n."""
        return kappa / algorithms

    def sample(self, grid: Grid, algorithms: int, draws: int, *, rng: np.random.Generator) -> Array:
        """Draw utilities μ = log θ from the prior, shape (draw, budget, algorithm)."""
        kappa = self.hyperpriors_for(algorithms)["kappa"].sample(draws, rng=rng)
        return _draw_log_dirichlet(kappa / algorithms, len(grid), algorithms, rng)


IndependentPrior = Dirichlet | HierarchicalDirichlet


def contrast_log_density(log_total: Array, *, algorithms: int, concentration: float) -> Array:
    """Return the log-density, in any namespace, of the Helmert coordinates η of log θ at one budget, θ ~ Dirichlet(a, …, a).

    The density is Γ(n a) / Γ(a)^n √n ∏ θ_i^a: the Jacobian of the softmax adds one to each exponent. With μ = Q η, which
    sums to zero, Σ_i log θ_i = −n log Σ_i exp μ_i, and `log_total` is log Σ_i exp μ_i.
    """
    n, a = algorithms, concentration
    density: Array = log_gamma(n * a) - n * log_gamma(a) + 0.5 * math.log(n) - n * a * log_total
    return density


def _draw_log_dirichlet(concentration: Array, budgets: int, algorithms: int, rng: np.random.Generator) -> Array:
    shape = np.broadcast_to(concentration[:, None, None], (len(concentration), budgets, algorithms))
    return log_ratings(draw_log_gamma(shape, rng=rng), axis=-1)


def draw_log_gamma(shape: Array, *, rng: np.random.Generator) -> Array:
    """Draw logarithms of Gamma(shape, 1) variables; for tiny shapes the variables themselves would underflow.

    Gamma(a) equals Gamma(a + 1) · U^(1/a) in distribution, and −log U is exponential.
    """
    return np.log(rng.standard_gamma(shape + 1)) - rng.standard_exponential(shape.shape) / shape
