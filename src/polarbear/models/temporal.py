"""Interface of temporal priors: hyperpriors, and a linear map from white noise to the latent functions over time.

With the Helmert matrix Q (appendix A), μ(t) = Q η(t), and each of the n − 1 latent functions is η = L(h) z with
z ~ N(0, I) and one or two hyperparameters h. A new prior is a subclass of `TemporalPrior` that defines `hyperpriors` and
`factor`, which returns L(h). If its precision is banded, it also defines `banded`, and inference becomes linear in the
number of budgets.

The likelihood is the paper's: it treats a run's rankings at different budgets as independent. Real runs are correlated over
time, which makes the intervals of temporal priors too narrow. Those of `BayesianBootstrap` account for the correlation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.models.helmert import helmert
from polarbear.models.hyperpriors import Hyperprior, require_hyperprior

if TYPE_CHECKING:
    from collections.abc import Mapping

    from polarbear.arrays import Array, Indices
    from polarbear.observe import Grid


@dataclass(frozen=True, eq=False)
class BandedGaussian:
    """Latent functions η(t) = Σ_a weights[t, a] x[first[t] + a], with a banded prior precision Π of the coefficients x.

    Attributes
    ----------
    first
        Index of the first coefficient on which η at each budget depends, shape (budget,).
    weights
        Weights of that coefficient and the following ones, shape (budget, touched).
    precision
        Lower bands of Π, shape (bandwidth + 1, coefficient): entry (d, j) is Π[j + d, j].
    log_determinant
        log det Π.
    """

    first: Indices
    weights: Array
    precision: Array
    log_determinant: float


class TemporalPrior(ABC):
    """A prior on utilities that shares information over time; its posterior is joint over all budgets."""

    def __post_init__(self) -> None:
        for name, hyperprior in self.hyperpriors.items():
            require_hyperprior(f"{type(self).__name__} {name}", hyperprior)

    @property
    @abstractmethod
    def hyperpriors(self) -> Mapping[str, Hyperprior]:
        """The prior of each hyperparameter, by name, in the order in which `factor` takes them.

        A hyperparameter named "amplitude" multiplies L(h).
        """

    @abstractmethod
    def factor(self, grid: Grid, *hyperparameters: float) -> Array:
        """Return L(h), shape (budget, coefficient), of η = L z, z ~ N(0, I), in any `namespace_of` the hyperparameters."""

    def banded(self, grid: Grid, *hyperparameters: float) -> BandedGaussian | None:
        """Return the same distribution of η in terms of a banded precision, or None if it has none."""
        return None

    def span(self, grid: Grid) -> Array:
        """Return an orthonormal basis, shape (budget, dimension), whose span contains the columns of L(h) for every h.

        The default is the identity. A prior whose L(h) has many columns in a space of few dimensions overrides it, and
        inference then uses as many coefficients as there are dimensions.
        """
        return np.eye(len(grid))

    def hyperpriors_for(self, algorithms: int) -> Mapping[str, Hyperprior]:
        """Return the hyperpriors, which for temporal priors do not depend on the number of algorithms."""
        return self.hyperpriors

    def sample(self, grid: Grid, algorithms: int, draws: int, *, rng: np.random.Generator) -> Array:
        """Draw utilities μ from the prior, shape (draw, budget, algorithm)."""
        Q = helmert(algorithms)
        hyperparameters = [hyperprior.sample(draws, rng=rng) for hyperprior in self.hyperpriors.values()]
        utilities = np.empty((draws, len(grid), algorithms))
        for draw, values in enumerate(zip(*hyperparameters, strict=True)):
            L = self.factor(grid, *map(float, values))
            utilities[draw] = L @ rng.standard_normal((L.shape[1], algorithms - 1)) @ Q.T
        return utilities
