"""Cholesky factors of banded precisions: all costs linear in the number of times."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import blas, lapack

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

# Of the blocks that draws are solved in, at least: large enough for BLAS, and small enough not to multiply many zeros.
_SMALLEST_BLOCK = 24


def factorise_banded(bands: Array) -> BandedFactor:
    """The factor of a precision H given by its lower bands, bands[d, j] = H[j + d, j]; they are overwritten."""
    factor, info = lapack.dpbtrf(bands, lower=1, overwrite_ab=1)
    if info != 0:
        raise np.linalg.LinAlgError("the posterior precision is not positive definite to rounding")
    return BandedFactor(factor)


@dataclass(frozen=True, eq=False)
class BandedFactor:
    """H = R Rᵀ with R lower triangular, bands[d, j] = R[j + d, j]."""

    bands: Array

    @property
    def log_determinant(self) -> float:
        return 2 * float(np.log(self.bands[0]).sum())

    @property
    def nbytes(self) -> int:
        blocks = self.bands.shape[1] * (2 * self._block + 1) * self.bands.itemsize
        return int(self.bands.nbytes + blocks)

    def solve(self, right: Array) -> Array:
        solution, _ = lapack.dpbtrs(self.bands, right.ravel(), lower=1)
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
        """R in square blocks as wide as its bands, so that each touches the next one alone.

        LAPACK's own solver takes one draw after the other; in blocks, all draws share each number of R that is read.

        Returns
        -------
        list of (slice, slice, Array, Array)
            Rows of a block, rows of the next one, and R in these rows and the block's columns.
        """
        (width, size), block = self.bands.shape, self._block
        count = -(-size // block)
        # Column j holds R[j + d, j] at d: in rows shorter by one, the same memory holds it at j + d.
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
    """Replace x, rows of draws, by the solution of R x' = x, or of Rᵀ x' = x."""
    # Row by row is what BLAS calls transposed, and thus x'ᵀ Rᵀ = xᵀ is solved, in place.
    blas.dtrsm(1.0, triangle, x.T, side=1, lower=1, trans_a=0 if transposed else 1, overwrite_b=1)
