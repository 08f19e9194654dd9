"""The prior of the latent functions for fixed hyperparameters, and the linear algebra of their posterior.

A field defines the prior of coefficients x of shape (coefficient, latent function) and maps them to the latent functions η
over time. It also factorises the precision of their posterior under a likelihood with curvature G_t at budget t. For the
Gaussian priors this precision is H = Π ⊗ I + Σ_t b_t b_tᵀ ⊗ G_t, where Π is the prior precision and b_t is row t of the map.
It is dense, or banded with costs linear in the number of budgets. Under a Dirichlet prior budgets do not interact. Arrays of
several draws have the draw as their last axis.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import scipy

from polarbear.inference.fields.gaussian_factors import factorise_banded, factorise_dense

if TYPE_CHECKING:
    from polarbear.arrays import Array
    from polarbear.models.temporal import BandedGaussian, TemporalPrior
    from polarbear.observe import Grid


class Factor(Protocol):
    """A factorised posterior precision H = R Rᵀ."""

    @property
    def log_determinant(self) -> float:
        """The log-determinant log det H."""

    @property
    def log_centre(self) -> float:
        """The log-density, at the mode, of the approximation to the posterior: N(mode, H⁻¹), or the sticks' (Dirichlet)."""

    @property
    def nbytes(self) -> int:
        """Memory that the factor takes, in bytes."""

    def solve(self, right: Array) -> Array:
        """Return H⁻¹ applied to an array of shape (coefficient, latent function)."""

    def colour(self, white: Array) -> Array:
        """Apply R⁻ᵀ: turn white noise (coefficient, latent function, draw) into noise with covariance H⁻¹."""

    def colour_transposed(self, gradient: Array) -> Array:
        """Apply R⁻¹: turn a gradient in the coefficients into the gradient in the white noise."""


class LatentField(Protocol):
    """The prior of the coefficients, and their map to the latent functions."""

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the coefficients: (coefficient, latent function)."""

    def latent(self, x: Array) -> Array:
        """Map coefficients (coefficient, latent function, ...) to η (budget, latent function, ...)."""

    def pull_back(self, gradient: Array) -> Array:
        """Apply the transposed map: turn a gradient in η into a gradient in the coefficients."""

    def log_prior(self, x: Array) -> tuple[Array, Array]:
        """Return the log-density of the coefficients, shape (...), and its gradient."""

    def shorten(self, step: Array, scale: Array) -> Array:
        """Shorten a step of the coefficients by a factor per budget; by the smallest of them if budgets interact."""

    def factorise(self, curvature: Array, x: Array) -> Factor:
        """Factorise H at coefficients x.

        `curvature` is G, the negative Hessian of the log-likelihood in η, shape (budget, latent function, latent function).
        """


def latent_field(prior: TemporalPrior, grid: Grid, hyperparameters: tuple[float, ...], functions: int) -> LatentField:
    """Return the field of a temporal prior: banded if the prior has a banded form on the grid, else dense."""
    gaussian = prior.banded(grid, *hyperparameters)
    if gaussian is not None:
        return BandedField(gaussian, functions)
    return DenseField(prior.factor(grid, *hyperparameters), functions)


class _GaussianField:
    """A field whose map to the latent functions is a matrix, and in which budgets interact."""

    @property
    def matrix(self) -> Any:
        """The map, dense or sparse, shape (budget, coefficient)."""
        raise NotImplementedError

    @cached_property
    def _transposed_matrix(self) -> Any:
        return self.matrix.T

    def latent(self, x: Array) -> Array:
        return _multiply(self.matrix, x)

    def pull_back(self, gradient: Array) -> Array:
        return _multiply(self._transposed_matrix, gradient)

    def shorten(self, step: Array, scale: Array) -> Array:
        shortened: Array = step * scale.min()
        return shortened


@dataclass(frozen=True, eq=False)
class DenseField(_GaussianField):
    """Latent field η = L z with z ~ N(0, I)."""

    map: Array
    functions: int

    @property
    def matrix(self) -> Array:
        return self.map

    @property
    def shape(self) -> tuple[int, int]:
        return self.map.shape[1], self.functions

    def log_prior(self, x: Array) -> tuple[Array, Array]:
        density: Array = -0.5 * ((x**2).sum(axis=(0, 1)) + math.prod(self.shape) * math.log(2 * math.pi))
        return density, -x

    def factorise(self, curvature: Array, x: Array) -> Factor:
        coefficients, functions = self.shape
        tensor = np.empty((coefficients, functions, coefficients, functions))
        for function in range(functions):  # one at a time to bound the memory
            weighted = self.map.T * curvature[:, function].T[:, None]
            tensor[:, function] = (weighted @ self.map).transpose(1, 2, 0)
        precision = tensor.reshape(coefficients * functions, -1)
        precision.flat[:: len(precision) + 1] += 1.0
        return factorise_dense(precision)


@dataclass(frozen=True, eq=False)
class BandedField(_GaussianField):
    """Latent field with a banded prior precision, in which each budget depends on a few neighbouring coefficients.

    All costs are linear in the number of budgets.
    """

    gaussian: BandedGaussian
    functions: int

    @property
    def shape(self) -> tuple[int, int]:
        return self.gaussian.precision.shape[1], self.functions

    @cached_property
    def matrix(self) -> scipy.sparse.csr_array:
        """The map as a sparse matrix."""
        budgets, touched = self.gaussian.weights.shape
        columns = self.gaussian.first[:, None] + np.arange(touched)
        starts = touched * np.arange(budgets + 1)
        return scipy.sparse.csr_array(
            (self.gaussian.weights.ravel(), columns.ravel(), starts), shape=(budgets, self.shape[0])
        )

    def log_prior(self, x: Array) -> tuple[Array, Array]:
        diagonal, *lower = (band.reshape(-1, *[1] * (x.ndim - 1)) for band in self.gaussian.precision)
        force: Array = -diagonal * x
        for offset, band in enumerate(lower, start=1):
            force[offset:] -= band[:-offset] * x[:-offset]
            force[:-offset] -= band[:-offset] * x[offset:]
        log_determinant = self.functions * self.gaussian.log_determinant - math.prod(self.shape) * math.log(2 * math.pi)
        density: Array = 0.5 * (log_determinant + (x * force).sum(axis=(0, 1)))
        return density, force

    def factorise(self, curvature: Array, x: Array) -> Factor:
        first, weights, precision = self.gaussian.first, self.gaussian.weights, self.gaussian.precision
        touched = weights.shape[1]
        # Two coefficients interact through the prior, or through a budget that depends on both.
        blocks = np.zeros((max(len(precision), touched), *self.shape, self.functions))
        for left in range(touched):
            for right in range(left, touched):
                contribution = (weights[:, left] * weights[:, right])[:, None, None] * curvature
                np.add.at(blocks[right - left], first + left, contribution)
        diagonal = np.arange(self.functions)
        blocks[: len(precision), :, diagonal, diagonal] += precision[..., None]
        return factorise_banded(_lower_bands(blocks))


def _lower_bands(blocks: Array) -> Array:
    """Return LAPACK's lower bands of H.

    blocks[d, j, row, column] is H between latent function `row` of coefficient j + d and `column` of coefficient j.
    """
    offsets, coefficients, functions, _ = blocks.shape
    bands = np.zeros((offsets * functions, coefficients, functions))
    for row in range(functions):
        for column in range(functions):
            start = 0 if row >= column else 1  # the strict upper part of the diagonal blocks is not stored
            distance = np.arange(start, offsets) * functions + row - column
            bands[distance, :, column] = blocks[start:, :, row, column]
    return bands.reshape(offsets * functions, coefficients * functions)


def _multiply(matrix: Any, right: Array) -> Array:
    """Multiply a dense or sparse matrix with the first axis of an array."""
    product: Array = matrix @ right.reshape(len(right), -1)
    return product.reshape(-1, *right.shape[1:])
