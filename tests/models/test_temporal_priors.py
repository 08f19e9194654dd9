"""Temporal priors: `factor`, `banded` and `sample` describe the same latent functions, those of the paper."""

import math
from dataclasses import replace

import numpy as np
import pytest

from polarbear import (
    BSpline,
    GaussianProcess,
    Grid,
    HilbertSpaceGP,
    LogNormal,
    RandomWalk,
    SparseGaussianProcess,
    linear_grid,
)
from polarbear.models.helmert import helmert
from polarbear.models.kernels import get_kernel
from tests.models.latent_functions import basis_elements, covariance, dense

HYPERPARAMETERS = {
    "amplitude": [0.3, 1.0, 4.0],
    "lengthscale": [0.2, 0.4, 0.64],
}


def settings_of(prior):
    """A few values of the prior's hyperparameters."""
    return list(zip(*(HYPERPARAMETERS[name] for name in prior.hyperpriors), strict=True))


def expected_covariance(prior, grid, amplitude, lengthscale=None):
    """The covariance of η from each prior's definition in the paper."""
    t = grid.scaled
    distance = np.abs(t[:, None] - t)
    match prior:
        case GaussianProcess():
            result = get_kernel(prior.kernel).correlation(distance / lengthscale)
        case SparseGaussianProcess():
            u = np.quantile(t, np.linspace(0, 1, min(prior.inducing, len(t))))
            kernel = get_kernel(prior.kernel)
            across = kernel.correlation(np.abs(t[:, None] - u) / lengthscale)
            among = kernel.correlation(np.abs(u[:, None] - u) / lengthscale)
            result = across @ np.linalg.solve(among, across.T)
        case HilbertSpaceGP():
            functions, c = prior.size()
            L, centred, result = 0.5 * c, t - 0.5, 0.0
            for j in range(1, functions + 1):
                frequency = math.pi * j / (2 * L)
                phi = np.sqrt(1 / L) * np.sin(frequency * (centred + L))
                density = get_kernel(prior.kernel).spectral_density(np.array(frequency), lengthscale)
                result = result + density * np.outer(phi, phi)
        case RandomWalk():
            result = 1 + np.minimum(t[:, None], t)
        case BSpline():
            B = basis_elements(prior, grid)
            result = B @ B.T
        case _:
            pytest.fail(f"add the covariance that defines {type(prior).__name__} here")
    return amplitude**2 * result


def test_the_factor_gives_the_covariance_of_the_definition(variant, grid):
    for hyperparameters in settings_of(variant):
        ours = covariance(variant, grid, *hyperparameters)
        expected = expected_covariance(variant, grid, *hyperparameters)
        np.testing.assert_allclose(ours, expected, atol=1e-8 * expected.max())


def test_banded_and_factor_are_the_same_distribution(variant, grid):
    for hyperparameters in settings_of(variant):
        banded = variant.banded(grid, *hyperparameters)
        if banded is None:
            # These priors have a Markov form, and on these grids a banded precision.
            assert not isinstance(variant, RandomWalk | BSpline)
            assert not isinstance(variant, GaussianProcess) or variant.kernel == "squared-exponential"
            continue
        assert banded.first.min() >= 0
        assert (banded.first + banded.weights.shape[1]).max() <= banded.precision.shape[1]
        assert len(banded.first) == len(banded.weights) == len(grid)
        precision, design = dense(banded)
        expected = covariance(variant, grid, *hyperparameters)
        np.testing.assert_allclose(design @ np.linalg.solve(precision, design.T), expected, atol=1e-8 * expected.max())
        sign, log_determinant = np.linalg.slogdet(precision)
        assert sign == 1
        assert banded.log_determinant == pytest.approx(log_determinant, rel=1e-8, abs=1e-8)


def test_the_amplitude_scales_the_covariance(variant):
    _, *others = settings_of(variant)[1]
    grid = Grid([1, 2, 4, 9, 10])
    one, three = (covariance(variant, grid, amplitude, *others) for amplitude in (1.0, 3.0))
    np.testing.assert_allclose(three, 9 * one, rtol=1e-10, atol=1e-12)


def test_only_the_shape_of_the_grid_matters(variant):
    """Budgets are scaled to [0, 1]: another unit or another start is the same prior."""
    budgets = np.array([1.0, 2.0, 3.5, 7.0, 8.0])
    here, there = (Grid(scale * budgets + start) for scale, start in ((1, 0), (1000, 50)))
    for hyperparameters in settings_of(variant):
        one, other = (covariance(variant, grid, *hyperparameters) for grid in (here, there))
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-10)


def test_the_log_axis_is_respected(variant):
    """Geometric budgets on a log axis give the same prior as even budgets on a linear one."""
    log, even = Grid([1, 10, 100, 1000, 10_000], "log"), Grid([0, 1, 2, 3, 4])
    for hyperparameters in settings_of(variant):
        one, other = (covariance(variant, grid, *hyperparameters) for grid in (log, even))
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-10)


def test_increments_of_the_random_walk():
    """The first value has variance σ², an increment σ² Δt, and they are independent."""
    grid = Grid([1, 2, 4, 9])
    L = RandomWalk().factor(grid, 2.0)
    increments = np.diff(L, axis=0, prepend=0)
    np.testing.assert_allclose(increments @ increments.T, np.diag([4.0, 4 / 8, 8 / 8, 20 / 8]), atol=1e-14)


def fixed(prior, amplitude, lengthscale):
    """The same prior with nearly constant hyperparameters."""
    known = {"amplitude": LogNormal(math.log(amplitude), 1e-12), "lengthscale": LogNormal(math.log(lengthscale), 1e-12)}
    return replace(prior, **{name: known[name] for name in prior.hyperpriors})


def test_samples_have_mean_zero_and_the_priors_covariance(temporal_prior):
    """Utilities have covariance L Lᵀ ⊗ Q Qᵀ.

    An element of the covariance of N normal draws has standard error √((c_ii c_jj + c_ij²) / N); the largest of 210
    elements and 20 means in standard errors stays below 4.5 with probability 0.998, and the seed is fixed.
    """
    grid, draws, n = Grid([1, 2, 4, 9, 10]), 800, 4
    prior = fixed(temporal_prior, 1.5, 0.4)
    utilities = prior.sample(grid, n, draws, rng=np.random.default_rng(2))
    assert utilities.shape == (draws, len(grid), n)
    flat, Q = utilities.reshape(draws, -1), helmert(n)
    expected = np.kron(covariance(prior, grid, *(1.5, 0.4)[: len(prior.hyperpriors)]), Q @ Q.T)
    variance = np.diag(expected)
    standard_error = np.sqrt((variance[:, None] * variance + expected**2) / draws)
    assert np.abs((flat.T @ flat / draws - expected) / standard_error).max() < 4.5
    assert np.abs(flat.mean(axis=0) / np.sqrt(variance / draws)).max() < 4.5


def test_sampled_utilities_sum_to_zero(temporal_prior, grid):
    utilities = temporal_prior.sample(grid, 5, 20, rng=np.random.default_rng(0))
    np.testing.assert_allclose(utilities.sum(axis=-1), 0, atol=1e-12)


def test_samples_repeat_with_the_generator(prior):
    one, other, third = (
        prior.sample(linear_grid(1, 9, 4), 3, 5, rng=np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, other)
    assert not np.array_equal(one, third)


class Alternating(LogNormal):
    """A hyperprior with alternating draws."""

    def sample(self, size, *, rng):
        return np.where(np.arange(size) % 2, 1e3, 1e-3)


def test_every_sample_has_its_own_hyperparameters(temporal_prior):
    prior = replace(temporal_prior, amplitude=Alternating())
    size = np.abs(prior.sample(linear_grid(1, 9, 4), 3, 40, rng=np.random.default_rng(1))).max(axis=(1, 2))
    assert size[::2].max() < 0.1
    assert size[1::2].min() > 10


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BSpline(basis=3), r"expected a whole number of at least 4 for BSpline basis \(of degree 3\), got 3"),
        (lambda: BSpline(basis=1, degree=1), r"at least 2 for BSpline basis \(of degree 1\), got 1"),
        (lambda: BSpline(basis=4.0), r"BSpline basis .* got 4.0"),
        (lambda: BSpline(basis=True, degree=0), r"BSpline basis .* got True"),
        (lambda: BSpline(degree=-1), r"expected a whole number of at least 0 for BSpline degree, got -1"),
        (lambda: BSpline(degree="cubic"), r"expected a whole number .* for BSpline degree, got 'cubic'"),
        (lambda: SparseGaussianProcess(1), r"at least 2 for SparseGaussianProcess inducing, got 1"),
        (lambda: SparseGaussianProcess(2.5), r"SparseGaussianProcess inducing, got 2.5"),
        (lambda: HilbertSpaceGP(basis=0), r"at least 1 for HilbertSpaceGP basis, got 0"),
        (
            lambda: HilbertSpaceGP(boundary=1.0),
            r"expected a finite number above 1 for HilbertSpaceGP boundary, got 1.0",
        ),
        (lambda: HilbertSpaceGP(boundary=math.nan), r"HilbertSpaceGP boundary, got nan"),
        (lambda: HilbertSpaceGP(boundary="2"), r"HilbertSpaceGP boundary, got '2'"),
        (lambda: HilbertSpaceGP(boundary=math.inf), r"HilbertSpaceGP boundary, got inf"),
    ],
)
def test_bad_options_are_refused_by_name(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("family", [GaussianProcess, SparseGaussianProcess, HilbertSpaceGP])
def test_an_unknown_kernel_is_refused_by_the_constructor(family):
    with pytest.raises(ValueError, match=r"expected a kernel among 'matern32', .*, got 'rbf'"):
        family(kernel="rbf")


def test_a_number_in_place_of_a_hyperprior_is_refused(temporal_prior):
    with pytest.raises(ValueError, match=r"expected a distribution for \w+ amplitude, got 0.5; write, for example"):
        replace(temporal_prior, amplitude=0.5)


def test_priors_with_equal_options_are_equal(prior):
    assert prior == type(prior)()
    assert hash(prior) == hash(type(prior)())
