"""The posterior mean at given hyperparameters as a linear estimate, made of a truth and of noise in the scores.

With prior covariance K, curvature A and V = (K⁻¹ + A)⁻¹, a truth η and standardised noise ζ make it m = V A^½ (A^½ η + ζ).
Arrays have the shape (time, latent function, draw).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polarbear.inference.conditional import Conditional
    from polarbear.inference.latent_field import Factor

    Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinearEstimate:
    """How data become an estimate.

    Attributes
    ----------
    conditional
        The posterior at these hyperparameters.
    root
        A^½, shape (time, function, function).
    """

    conditional: Conditional
    root: Array

    def smooth(self, data: Array) -> Array:
        """V A^½ of standardised data."""
        field, factor = self.conditional.field, self.conditional.factor
        return field.latent(factor.colour(factor.colour_transposed(field.pull_back(self.root @ data))))

    def of(self, truth: Array, noise: Array) -> Array:
        """m, of truths that were seen through standardised noise."""
        return self.smooth(self.root @ truth + noise)

    def truth(self, normal: Array) -> Array:
        """Truths as the prior has them, from coefficients of unit covariance, shape (*`coefficients`, draw)."""
        return self.conditional.field.latent(self._believed.colour(normal))

    @property
    def coefficients(self) -> tuple[int, ...]:
        """The shape of what a truth is made of."""
        return self.conditional.field.shape

    @cached_property
    def _believed(self) -> Factor:
        """The prior's precision: nothing was seen."""
        return self.conditional.field.factorise(np.zeros_like(self.root), self.conditional.mode)


def root(matrices: Array) -> Array:
    """The symmetric root of each positive semi-definite matrix."""
    values, vectors = np.linalg.eigh(matrices)
    symmetric: Array = (vectors * np.sqrt(np.maximum(values, 0.0))[..., None, :]) @ np.swapaxes(vectors, -1, -2)
    return symmetric


def over_time(matrix: Array, noise: Array) -> Array:
    """A matrix (time, time) applied to noise."""
    return np.tensordot(matrix, noise, axes=1)
