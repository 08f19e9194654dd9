"""Kernels against Bessel functions, Fourier transforms and exact arithmetic."""

import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy import integrate, special, stats

from polarbear.models.kernels import Matern, get_kernel

MATERN = [Matern(1), Matern(2)]
NAMES = ["matern32", "matern52", "squared-exponential"]
matern = pytest.mark.parametrize("kernel", MATERN, ids=["matern32", "matern52"])
every_kernel = pytest.mark.parametrize("name", NAMES)


@matern
def test_matern_is_the_papers_bessel_formula(kernel):
    distance = np.concatenate([np.geomspace(1e-3, 20, 60), [0.5]])
    x = math.sqrt(2 * kernel.nu) * distance
    expected = 2 ** (1 - kernel.nu) / math.gamma(kernel.nu) * x**kernel.nu * special.kv(kernel.nu, x)
    np.testing.assert_allclose(kernel.correlation(distance), expected, rtol=1e-12)


@every_kernel
def test_the_correlation_is_one_at_distance_zero_and_falls(name):
    correlation = get_kernel(name).correlation(np.linspace(0, 5, 100))
    assert correlation[0] == 1
    assert (np.diff(correlation) < 0).all()


def test_the_squared_exponential_is_the_normal_density():
    r = np.linspace(0, 5, 30)
    expected = stats.norm.pdf(r) / stats.norm.pdf(0)
    np.testing.assert_allclose(get_kernel("squared-exponential").correlation(r), expected, rtol=1e-13)


@every_kernel
@pytest.mark.parametrize("lengthscale", [0.3, 1.0, 2.5])
@pytest.mark.parametrize("distance", [0.0, 0.2, 1.0, 3.0])
def test_the_spectral_density_is_the_fourier_transform(name, lengthscale, distance):
    """C(r) = 1/π ∫_0^∞ S(ω) cos(ω r) dω."""
    kernel = get_kernel(name)

    def density(frequency):
        return float(kernel.spectral_density(np.array(frequency), lengthscale))

    if distance:
        integral, _ = integrate.quad(density, 0, np.inf, weight="cos", wvar=distance, limlst=100, epsabs=1e-10)
    else:
        integral, _ = integrate.quad(density, 0, np.inf, epsabs=1e-11)
    expected = kernel.correlation(np.array(distance / lengthscale))
    assert integral / math.pi == pytest.approx(float(expected), abs=1e-8)


def taylor_of_correlation(smoothness, order):
    """Derivatives at zero, as fractions, of (1 + s) exp(−s) or (1 + s + s²/3) exp(−s)."""
    polynomial = [Fraction(1), Fraction(1), Fraction(1, 3)][: smoothness + 1]
    return [
        math.factorial(k)
        * sum(c * Fraction((-1) ** (k - i), math.factorial(k - i)) for i, c in enumerate(polynomial) if k >= i)
        for k in range(order + 1)
    ]


def exact_stationary(smoothness):
    """Cov(η^(i), η^(j)) = (−1)^j C^(i+j)(0)."""
    derivative = taylor_of_correlation(smoothness, 2 * smoothness)
    size = range(smoothness + 1)
    return [[(-1) ** j * derivative[i + j] if (i + j) % 2 == 0 else Fraction(0) for j in size] for i in size]


@matern
def test_the_stationary_covariance_holds_the_derivatives_of_the_correlation(kernel):
    expected = np.array(exact_stationary(kernel.smoothness), dtype=float)
    np.testing.assert_allclose(kernel.stationary_covariance(), expected, rtol=1e-15, atol=0)


def product(A, B):
    return [[sum(a * b for a, b in zip(row, column, strict=True)) for column in zip(*B, strict=True)] for row in A]


@cache
def exact_transition(smoothness, step):
    """exp(δ F) by its Taylor series in fractions, F the companion matrix of (d + 1)^(p + 1)."""
    size = smoothness + 1
    F = [[Fraction(int(j == i + 1)) for j in range(size)] for i in range(size)]
    F[-1] = [Fraction(-math.comb(size, j)) for j in range(size)]
    total = term = [[Fraction(int(i == j)) for j in range(size)] for i in range(size)]
    for order in range(1, 60):
        term = [[x * step / order for x in row] for row in product(term, F)]
        # Digits below 1e-60 do not matter, and without a limit the fractions would grow at every step.
        term = [[x.limit_denominator(10**60) if step > 1e-3 else x for x in row] for row in term]
        total = [[x + y for x, y in zip(*rows, strict=True)] for rows in zip(total, term, strict=True)]
        if step <= 1e-3 and order == 12:
            break
    return total


def exact_innovation(smoothness, step):
    P, A = exact_stationary(smoothness), exact_transition(smoothness, step)
    propagated = product(product(A, P), [list(column) for column in zip(*A, strict=True)])
    return [[x - y for x, y in zip(*rows, strict=True)] for rows in zip(P, propagated, strict=True)]


STEPS = [Fraction(1, 10**6), Fraction(1, 10**4), Fraction(1, 100), Fraction(1, 3), Fraction(999, 1000)]
STEPS += [Fraction(1), Fraction(1001, 1000), Fraction(3), Fraction(8)]
steps = pytest.mark.parametrize("step", STEPS, ids=lambda step: f"{float(step):g}")


@matern
@steps
def test_the_transition_equals_exact_arithmetic(kernel, step):
    expected = np.array(exact_transition(kernel.smoothness, step), dtype=float)
    ours = kernel.transition(np.array([float(step)]))[0]
    np.testing.assert_allclose(ours, expected, rtol=1e-12, atol=1e-14)


@matern
@steps
def test_the_innovation_equals_exact_arithmetic(kernel, step):
    """However short the step, where P − A P Aᵀ in double precision would keep no digit."""
    expected = np.array(exact_innovation(kernel.smoothness, step), dtype=float)
    ours = kernel.innovation(np.array([float(step)]))[0]
    deviation = np.sqrt(np.diag(expected))
    scale = deviation[:, None] * deviation
    np.testing.assert_allclose(ours / scale, expected / scale, atol=1e-12)
    # As the step goes to zero, integrated Brownian motion is left: smallest eigenvalues 0.134 and 0.00953.
    assert np.linalg.eigvalsh(ours / scale).min() > 0.0095


@matern
def test_markov_steps_reproduce_the_covariance_at_uneven_budgets(kernel):
    """Cov(η(t_i), η(t_j)) from transitions and innovations alone."""
    budgets = np.array([0.0, 1e-6, 2e-6, 0.1, 0.1001, 0.5, 0.9, 3.0, 7.0])
    steps = np.diff(budgets)
    A, innovation = kernel.transition(steps), kernel.innovation(steps)
    covariance = kernel.stationary_covariance()
    for i in range(len(budgets)):
        across = covariance
        for j in range(i, len(budgets)):
            distance = (budgets[j] - budgets[i]) / math.sqrt(2 * kernel.nu)
            assert across[0, 0] == pytest.approx(float(kernel.correlation(np.array(distance))), rel=1e-12)
            if j < len(steps):
                across = A[j] @ across
        if i < len(steps):
            covariance = A[i] @ covariance @ A[i].T + innovation[i]
            np.testing.assert_allclose(covariance, kernel.stationary_covariance(), atol=1e-13)


@pytest.mark.parametrize("name", ["matern", "Matern32", "rbf", "", None, 1.5])
def test_an_unknown_kernel_is_refused_with_the_names(name):
    with pytest.raises(
        ValueError, match=r"expected a kernel among 'matern32', 'matern52', 'squared-exponential', got "
    ):
        get_kernel(name)
