"""Cholesky factors of banded precisions, with costs linear in the number of times."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import blas, lapack

if TYPE_CHECKING:
    from polarbear.arrays import Array


# Smallest block in which draws are solved: large enough for BLAS to be efficient, small enough to multiply few zeros.
_SMALLEST_BLOCK = 24


def factorise_banded(bands: Array) -> BandedFactor:
    """Factorise a precision H given by its lower bands, bands[d, j] = H[j + d, j], which are overwritten."""
    factor, info = lapack.dpbtrf(bands, lower=1, overwrite_ab=1)
    if info != 0:
        raise np.linalg.LinAlgError("the posterior precision is not positive definite to rounding")
    return BandedFactor(factor)


@dataclass(frozen=True, eq=False)
class BandedFactor:
    """Cholesky factor R of H = R Rᵀ, lower triangular, with bands[d, j] = R[j + d, j]."""

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
    blas.dtrsm(1.0, triangle, x.T, side=1, lower=1, trans_a=0 if transposed else 1, overwrite_b=1)
