"""The Helmert matrix against the paper's appendix A."""

import math

import numpy as np
import pytest

from polarbear.models.helmert import helmert

sizes = pytest.mark.parametrize("n", [2, 3, 5, 8, 30])


@sizes
def test_columns_are_orthonormal(n):
    Q = helmert(n)
    assert Q.shape == (n, n - 1)
    np.testing.assert_allclose(Q.T @ Q, np.eye(n - 1), atol=1e-14)


@sizes
def test_utilities_sum_to_zero(n):
    np.testing.assert_allclose(helmert(n).sum(axis=0), 0, atol=1e-14)


@sizes
def test_entries_are_the_papers(n):
    Q = helmert(n)
    for i in range(1, n + 1):
        for k in range(1, n):
            if i <= k:
                expected = math.sqrt(1 / (k * (k + 1)))
            elif i == k + 1:
                expected = -math.sqrt(k / (k + 1))
            else:
                expected = 0.0
            assert Q[i - 1, k - 1] == pytest.approx(expected, rel=1e-15)


@sizes
def test_all_algorithms_are_treated_equally(n):
    """Q Qᵀ, the covariance of the utilities of white noise, is the centring matrix, which no permutation changes."""
    Q = helmert(n)
    np.testing.assert_allclose(Q @ Q.T, np.eye(n) - 1 / n, atol=1e-14)
