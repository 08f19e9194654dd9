"""The library that a number belongs to: NumPy, or JAX or PyTensor where someone asked for them.

Priors and the likelihood are stated once, in plain operators and in the functions of `namespace_of` a value; what the
three libraries name differently is here. Neither JAX nor PyTensor is imported unless one of its own arrays comes in.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import linalg, special


def namespace_of(value: object) -> Any:
    """`numpy` for plain numbers and NumPy's arrays, `jax.numpy` for JAX's, `pytensor.tensor` for PyTensor's.

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
    """log Γ."""
    if isinstance(value, float):
        return math.lgamma(value)
    xp = namespace_of(value)
    if xp is np:
        return special.gammaln(value)
    if hasattr(xp, "gammaln"):  # PyTensor
        return xp.gammaln(value)
    from jax.scipy.special import gammaln

    return gammaln(value)


def cholesky(matrix: Any) -> Any:
    """Lower factor R of a matrix R Rᵀ; where it is not positive definite NumPy raises, the others give NaN."""
    xp = namespace_of(matrix)
    return linalg.cholesky(matrix, lower=True) if xp is np else xp.linalg.cholesky(matrix)


def solve_lower(lower: Any, right: Any) -> Any:
    """The solution X of R X = right, with R lower triangular."""
    xp = namespace_of(lower)
    if xp is np:
        return linalg.solve_triangular(lower, right, lower=True)
    if hasattr(xp.linalg, "solve_triangular"):  # PyTensor
        return xp.linalg.solve_triangular(lower, right, lower=True)
    from jax.scipy.linalg import solve_triangular

    return solve_triangular(lower, right, lower=True)
