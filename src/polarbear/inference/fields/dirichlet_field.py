"""The field of a Dirichlet prior: independent budgets, in the Helmert coordinates η of the log-ratings.

The density of η under θ ~ Dirichlet(a, …, a) is Γ(n a) / Γ(a)^n √n ∏ θ_i^a, since the Jacobian of the softmax adds one to
each exponent. It is log-concave in η and has exponential tails.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from polarbear.inference.fields.beta_sticks import Sticks, fit_sticks, most_uncertain_first, strongest_first
from polarbear.models.dirichlet import contrast_log_density
from polarbear.models.helmert import helmert
from polarbear.models.plackett_luce import log_ratings, log_sum_exp

if TYPE_CHECKING:
    from polarbear.arrays import Array


@dataclass(frozen=True, eq=False)
class DirichletField:
    """Latent field of a Dirichlet prior: the coefficients are η itself, independent at each budget."""

    concentration: float
    budgets: int
    algorithms: int

    @property
    def shape(self) -> tuple[int, int]:
        return self.budgets, self.algorithms - 1

    def latent(self, x: Array) -> Array:
        return x

    def pull_back(self, gradient: Array) -> Array:
        return gradient

    def log_prior(self, x: Array) -> tuple[Array, Array]:
        # The gradient in the utilities is a (1 − n θ), and the columns of Q sum to zero.
        utilities = self._utilities(x)
        ratings = np.exp(log_ratings(utilities, axis=1))
        pull = np.moveaxis(np.tensordot(self.contrasts.T, ratings, axes=(1, 1)), 0, 1)
        density: Array = self.log_density(log_sum_exp(utilities, axis=1)).sum(axis=0)
        return density, -self.algorithms * self.concentration * pull

    def shorten(self, step: Array, scale: Array) -> Array:
        shortened: Array = step * scale[:, None]
        return shortened

    def log_density(self, log_total: Array) -> Array:
        """Return the log-density of η, given log Σ_i exp μ_i."""
        return contrast_log_density(log_total, algorithms=self.algorithms, concentration=self.concentration)

    def factorise(self, curvature: Array, x: Array) -> BlockFactor:
        ratings = np.exp(log_ratings(self._utilities(x), axis=1))
        spread = -ratings[:, :, None] * ratings[:, None, :]
        diagonal = np.arange(self.algorithms)
        spread[:, diagonal, diagonal] += ratings
        Q = self.contrasts
        prior = self.algorithms * self.concentration * (Q.T @ spread @ Q)
        return BlockFactor(self, np.linalg.cholesky(curvature + prior), self._utilities(x))

    @cached_property
    def contrasts(self) -> Array:
        """The Helmert matrix Q."""
        return helmert(self.algorithms)

    def _utilities(self, x: Array) -> Array:
        return np.moveaxis(np.tensordot(self.contrasts, x, axes=(1, 1)), 0, 1)


@dataclass(frozen=True, eq=False)
class BlockFactor:
    """Cholesky factors of the posterior precision at each budget."""

    field: DirichletField
    lower: Array
    utilities: Array  # at which the precision was evaluated, (budget, algorithm)

    @property
    def log_determinant(self) -> float:
        return 2 * float(np.log(np.diagonal(self.lower, axis1=1, axis2=2)).sum())

    @property
    def log_centre(self) -> float:
        return self.sticks.log_centre

    @property
    def nbytes(self) -> int:
        return self.lower.nbytes

    @cached_property
    def sticks(self) -> Sticks:
        """The stick-breaking approximation, which fits the tails better than a normal."""
        return fit_sticks(self.utilities, self._precision, self.field.contrasts, strongest_first(self.utilities))

    @cached_property
    def other_sticks(self) -> Sticks:
        """The same with a second order of breaking, for budgets at which some algorithms have far fewer observations."""
        order = most_uncertain_first(self.utilities, self._precision, self.field.contrasts)
        return fit_sticks(self.utilities, self._precision, self.field.contrasts, order)

    @cached_property
    def _precision(self) -> Array:
        precision: Array = self.lower @ self.lower.transpose(0, 2, 1)
        return precision

    @cached_property
    def _inverse(self) -> Array:
        # The matrices have few rows: multiplying thousands of draws by the inverse is many times faster than solving.
        inverse: Array = np.linalg.inv(self.lower).astype(np.float64, copy=False)
        return inverse

    def solve(self, right: Array) -> Array:
        return self.colour(self.colour_transposed(right))

    def colour(self, white: Array) -> Array:
        return _multiply(self._inverse.transpose(0, 2, 1), white)

    def colour_transposed(self, gradient: Array) -> Array:
        return _multiply(self._inverse, gradient)


def _multiply(matrices: Array, right: Array) -> Array:
    """Multiply one matrix per budget with an array (budget, latent function) or (budget, latent function, draw)."""
    product: Array = matrices @ right.reshape(*right.shape[:2], -1)
    return product.reshape(right.shape)
