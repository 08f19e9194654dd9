"""Cholesky factors of the posterior precision under the Gaussian priors: dense, or banded at linear cost in budgets.

In: the precision H of all coefficients of all latent functions. Out: a `Factor` (see `latent_field`) of H = R Rᵀ, which
solves with H, colours white noise and evaluates the density of the Gaussian N(0, H⁻¹).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import scipy

if TYPE_CHECKING:
    from polarbear.arrays import Array


# Smallest block in which draws are solved: large enough for BLAS to be efficient, small enough to multiply few zeros.
_SMALLEST_BLOCK = 24


def factorise_dense(precision: Array) -> DenseFactor:
    """Factorise a precision H, which is overwritten."""
    # The matrix is symmetric, and its transpose is in LAPACK's column-major order, which avoids a copy.
    return DenseFactor(_require_success(*scipy.linalg.lapack.dpotrf(precision.T, lower=1, overwrite_a=1)))


def factorise_banded(bands: Array) -> BandedFactor:
    """Factorise a precision H given by its lower bands, bands[d, j] = H[j + d, j], which are overwritten."""
    return BandedFactor(_require_success(*scipy.linalg.lapack.dpbtrf(bands, lower=1, overwrite_ab=1)))


def _require_success(factor: Array, info: int) -> Array:
    """Return LAPACK's factor, or raise a LinAlgError if the factorisation failed."""
    if info != 0:
        raise np.linalg.LinAlgError("the posterior precision is not positive definite to rounding")
    return factor


class _GaussianFactor:
    """The density of N(0, H⁻¹) at zero, from the diagonal of R."""

    @property
    def diagonal(self) -> Array:
        raise NotImplementedError

    @property
    def log_determinant(self) -> float:
        return 2 * float(np.log(self.diagonal).sum())

    @property
    def log_centre(self) -> float:
        return 0.5 * (self.log_determinant - len(self.diagonal) * math.log(2 * math.pi))


@dataclass(frozen=True, eq=False)
class DenseFactor(_GaussianFactor):
    """Cholesky factor R of H = R Rᵀ, lower triangular."""

    lower: Array

    @property
    def diagonal(self) -> Array:
        return np.diag(self.lower)

    @property
    def nbytes(self) -> int:
        return self.lower.nbytes

    def solve(self, right: Array) -> Array:
        solution, _ = scipy.linalg.lapack.dpotrs(self.lower, right.ravel(), lower=1)
        return np.asarray(solution).reshape(right.shape)

    def colour(self, white: Array) -> Array:
        return self._solve_triangular(white, transposed=True)

    def colour_transposed(self, gradient: Array) -> Array:
        return self._solve_triangular(gradient, transposed=False)

    def _solve_triangular(self, right: Array, *, transposed: bool) -> Array:
        flat = right.reshape(len(self.lower), -1)
        solution: Array = scipy.linalg.solve_triangular(
            self.lower, flat, lower=True, trans="T" if transposed else "N", check_finite=False
        )
        return solution.reshape(right.shape)


@dataclass(frozen=True, eq=False)
class BandedFactor(_GaussianFactor):
    """Cholesky factor R of H = R Rᵀ, lower triangular, with bands[d, j] = R[j + d, j]."""

    bands: Array

    @property
    def diagonal(self) -> Array:
        diagonal: Array = self.bands[0]
        return diagonal

    @property
    def nbytes(self) -> int:
        blocks = self.bands.shape[1] * (2 * self._block + 1) * self.bands.itemsize
        return int(self.bands.nbytes + blocks)

    def solve(self, right: Array) -> Array:
        solution, _ = scipy.linalg.lapack.dpbtrs(self.bands, right.ravel(), lower=1)
        return np.asarray(solution).reshape(right.shape)

    def colour(self, white: Array) -> Array:
        x = np.array(white.reshape(self.bands.shape[1], -1), dtype=np.float64, order="C")
        for here, after, diagonal, below in reversed(self._blocks):
            x[here] -= below.T @ x[after]
            _divide(x[here], diagonal, transposed=True)
        return x.reshape(white.shape)

    def colour_transposed(self, gradient: Array) -> Array:
        x = np.array(gradient.reshape(self.bands.shape[1], -1), dtype=np.float64, order="C")
        for here, after, diagonal, below in self._blocks:
            _divide(x[here], diagonal, transposed=False)
            x[after] -= below @ x[here]
        return x.reshape(gradient.shape)

    @property
    def _block(self) -> int:
        return max(len(self.bands) - 1, _SMALLEST_BLOCK)

    @cached_property
    def _blocks(self) -> list[tuple[slice, slice, Array, Array]]:
        """R in square blocks at least as wide as its bandwidth, so that each block interacts with the next one only.

        LAPACK's banded solver handles one draw after another; in blocks, each entry of R is read once for all draws.

        Returns
        -------
        list of (slice, slice, Array, Array)
            Rows of a block, rows of the next block, and R at each of these rows and the block's columns.
        """
        (width, size), block = self.bands.shape, self._block
        count = -(-size // block)
        # Column j stores R[j + d, j] at position d. Read with rows shorter by one, the same memory has it at j + d.
        slanted = np.zeros((count, block, 2 * block + 1))
        slanted.reshape(count * block, -1)[:size, :width] = self.bands.T
        columns = slanted.reshape(count, -1)[:, : 2 * block**2].reshape(count, block, 2 * block)
        blocks = []
        for index, column in enumerate(columns):
            here = slice(index * block, min((index + 1) * block, size))
            after = slice(here.stop, min(here.stop + block, size))
            rows, more = here.stop - here.start, after.stop - after.start
            blocks.append((here, after, column[:rows, :rows].T, column[:rows, block : block + more].T))
        return blocks


def _divide(x: Array, triangle: Array, *, transposed: bool) -> None:
    """Replace x (row, draw) by the solution x' of R x' = x, or of Rᵀ x' = x if `transposed`."""
    # x is in row-major order, which is transposed for BLAS. Solving x'ᵀ Rᵀ = xᵀ therefore works in place.
    scipy.linalg.blas.dtrsm(1.0, triangle, x.T, side=1, lower=1, trans_a=0 if transposed else 1, overwrite_b=1)
