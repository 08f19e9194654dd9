"""The Helmert contrast matrix (the paper's appendix A): it maps free latent functions to utilities that sum to zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from polarbear.arrays import Array


def helmert(algorithms: int) -> Array:
    """Return the orthonormal basis Q (n × (n − 1)) of the utilities that sum to zero, with the paper's signs.

    Q_ik = √(1 / (k (k + 1))) for i ≤ k, −√(k / (k + 1)) for i = k + 1, and 0 below, so that μ = Q η.

    Examples
    --------
    >>> Q = helmert(4)
    >>> bool(np.allclose(Q.T @ Q, np.eye(3))), bool(np.allclose(Q.sum(axis=0), 0))
    (True, True)
    """
    k = np.arange(1, algorithms)
    row = np.arange(1, algorithms + 1)[:, None]
    above = np.where(row <= k, np.sqrt(1 / (k * (k + 1))), 0.0)
    return np.where(row == k + 1, -np.sqrt(k / (k + 1)), above)
