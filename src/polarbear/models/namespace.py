"""The array library of a value: NumPy, JAX or PyTensor.

Priors and the likelihood are written once, with plain operators and the functions of `namespace_of(value)`. Functions that
the three libraries name differently are defined here. JAX and PyTensor are imported only when one of their arrays is passed.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy  # imports its packages when they are first used; most commands need none of them


def namespace_of(value: object) -> Any:
    """Return `jax.numpy` for a JAX array, `pytensor.tensor` for a PyTensor variable, and `numpy` for anything else.

    Examples
    --------
    >>> namespace_of(0.5).__name__, namespace_of(np.zeros(3)).__name__
    ('numpy', 'numpy')
    """
    library = type(value).__module__.partition(".")[0]
    if library in ("jax", "jaxlib"):
        import jax.numpy

        return jax.numpy
    if library == "pytensor":
        import pytensor.tensor

        return pytensor.tensor
    return np


def log_gamma(value: Any) -> Any:
    """Return log Γ(value)."""
    if isinstance(value, float):
        return math.lgamma(value)
    xp = namespace_of(value)
    if xp is np:
        return scipy.special.gammaln(value)
    if hasattr(xp, "gammaln"):  # PyTensor
        return xp.gammaln(value)
    from jax.scipy.special import gammaln

    return gammaln(value)


def cholesky(matrix: Any) -> Any:
    """Return the lower factor R of a matrix R Rᵀ; if it is not positive definite, NumPy raises and the others give NaN."""
    xp = namespace_of(matrix)
    return scipy.linalg.cholesky(matrix, lower=True) if xp is np else xp.linalg.cholesky(matrix)


def solve_lower(lower: Any, right: Any) -> Any:
    """Return the solution X of R X = right, with R lower triangular."""
    xp = namespace_of(lower)
    if xp is np:
        return scipy.linalg.solve_triangular(lower, right, lower=True)
    if hasattr(xp.linalg, "solve_triangular"):  # PyTensor
        return xp.linalg.solve_triangular(lower, right, lower=True)
    from jax.scipy.linalg import solve_triangular

    return solve_triangular(lower, right, lower=True)
