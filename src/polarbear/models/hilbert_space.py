"""Hilbert-space approximation of a Gaussian-process prior (the paper's "HSGP"; Riutort-Mayol et al., 2022)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from polarbear.models.gaussian_process import KernelPrior
from polarbear.models.hyperpriors import Hyperprior, InverseGamma, LogNormal
from polarbear.models.kernels import get_kernel
from polarbear.models.namespace import namespace_of
from polarbear.models.validation import require_count, require_positive

if TYPE_CHECKING:
    from polarbear.arrays import Array
    from polarbear.literals import KernelName
    from polarbear.observe import Grid


_HALF_RANGE = 0.5  # of the scaled budget axis [0, 1]

# Riutort-Mayol et al. (2022), section 4.2: smallest boundary factor c = a ℓ / S, and number of functions m = b c S / ℓ.
_BOUNDARY_PER_LENGTHSCALE = {"matern32": 4.5, "matern52": 4.1, "squared-exponential": 3.2}
_FUNCTIONS_PER_BOUNDARY = {"matern32": 3.42, "matern52": 2.65, "squared-exponential": 1.75}
_SMALLEST_BOUNDARY = 1.2

# Quantiles of the lengthscale between which the approximation is accurate: the central 90 % of the prior.
_LENGTHSCALE_RANGE = (0.05, 0.95)

_NEGLIGIBLE = 1e-10  # threshold for singular values of the eigenfunctions on the grid, relative to the largest


@dataclass(frozen=True)
class HilbertSpaceGP(KernelPrior):
    """Hilbert-space Gaussian process: η(t) = Σ_j β_j √S(√λ_j) φ_j(t).

    The φ_j are the first m eigenfunctions of the Laplacian on an interval wider than the grid.

    Like all temporal priors it is used with the paper's likelihood, which treats a run's rankings at different budgets as
    independent: intervals are too narrow if runs are correlated over time. `BayesianBootstrap` does not assume this.

    Parameters
    ----------
    basis
        Number m of basis functions; by default the number of Riutort-Mayol et al. for the prior of the lengthscale.
    boundary
        Factor c > 1 by which the interval is widened around the middle of the grid; the default is theirs, too.
    kernel, amplitude, lengthscale
        As for `GaussianProcess`.
    """

    basis: int | None = None
    boundary: float | None = None
    kernel: KernelName = "matern32"
    amplitude: Hyperprior = field(default_factory=LogNormal)
    lengthscale: Hyperprior = field(default_factory=InverseGamma)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.basis is not None:
            require_count("HilbertSpaceGP basis", self.basis, least=1)
        if self.boundary is not None:
            require_positive("HilbertSpaceGP boundary", self.boundary)
            if self.boundary <= 1:
                raise ValueError(f"expected a finite number above 1 for HilbertSpaceGP boundary, got {self.boundary!r}")

    def size(self) -> tuple[int, float]:
        """Return the number m of basis functions and the boundary factor c in use.

        Examples
        --------
        >>> functions, boundary = HilbertSpaceGP().size()
        >>> functions, round(boundary, 1)
        (72, 13.7)
        """
        shortest, longest = (self.lengthscale.quantile(p) / _HALF_RANGE for p in _LENGTHSCALE_RANGE)
        boundary = self.boundary or max(_SMALLEST_BOUNDARY, _BOUNDARY_PER_LENGTHSCALE[self.kernel] * longest)
        basis = self.basis or math.ceil(_FUNCTIONS_PER_BOUNDARY[self.kernel] * boundary / shortest)
        return basis, boundary

    def factor(self, grid: Grid, *hyperparameters: float) -> Array:
        """Return L[t, j] = σ √S(√λ_j) φ_j(t), with φ_j(t) = √(1/L) sin(√λ_j (t + L)) and √λ_j = π j / 2L."""
        amplitude, lengthscale = hyperparameters
        root_eigenvalue, eigenfunction = self._eigenfunctions(grid)
        spectrum = get_kernel(self.kernel).spectral_density(root_eigenvalue, lengthscale)
        factor: Array = amplitude * namespace_of(spectrum).sqrt(spectrum) * eigenfunction
        return factor

    def span(self, grid: Grid) -> Array:
        """Return an orthonormal basis of the eigenfunctions on the grid.

        The grid covers a small part of their interval, on which they are nearly linearly dependent.
        """
        left, singular, _ = np.linalg.svd(self._eigenfunctions(grid)[1], full_matrices=False)
        return left[:, singular > _NEGLIGIBLE * singular[0]]

    def _eigenfunctions(self, grid: Grid) -> tuple[Array, Array]:
        return _eigenfunctions(*self.size(), grid)


@lru_cache(maxsize=16)  # all hyperparameters use the same eigenfunctions
def _eigenfunctions(basis: int, boundary: float, grid: Grid) -> tuple[Array, Array]:
    """Return √λ_j, shape (function,), and φ_j(t), shape (budget, function)."""
    half_width = boundary * _HALF_RANGE
    root_eigenvalue = np.linspace(1.0, basis, basis) * (math.pi / (2 * half_width))
    eigenfunction = np.sin(root_eigenvalue * (grid.scaled[:, None] - _HALF_RANGE + half_width))
    return root_eigenvalue, eigenfunction / math.sqrt(half_width)
