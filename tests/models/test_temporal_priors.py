"""Every temporal prior: what `factor`, `banded` and `sample` say of the same latent functions."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.interpolate import BSpline as ScipyBSpline

from polarbear import (
    BSpline,
    GaussianProcess,
    Grid,
    HilbertSpaceGP,
    InverseGamma,
    LogNormal,
    RandomWalk,
    SparseGaussianProcess,
    linear_grid,
)
from polarbear.models.helmert import helmert
from polarbear.models.kernels import get_kernel

KERNELS = ["matern32", "matern52", "squared-exponential"]
every_kernel = pytest.mark.parametrize("kernel", KERNELS)

HYPERPARAMETERS = {
    "amplitude": [0.3, 1.0, 4.0],
    "lengthscale": [0.2, 0.4, 0.64],
}


def settings_of(prior):
    """A few values of the prior's hyperparameters."""
    return list(zip(*(HYPERPARAMETERS[name] for name in prior.hyperpriors), strict=True))


def covariance(prior, grid, *hyperparameters):
    L = prior.factor(grid, *hyperparameters)
    return L @ L.T


def dense(banded):
    """The precision as a full matrix, and the map from coefficients to times."""
    size, times = banded.precision.shape[1], len(banded.first)
    precision, design = np.zeros((size, size)), np.zeros((times, size))
    for offset, band in enumerate(banded.precision):
        rows = np.arange(size - offset)
        precision[rows + offset, rows] = precision[rows, rows + offset] = band[: size - offset]
    for time, first in enumerate(banded.first):
        design[time, first : first + banded.weights.shape[1]] = banded.weights[time]
    return precision, design


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
    return amplitude**2 * result


def basis_elements(prior, grid):
    """SciPy's basis functions one by one, on half-open intervals; at the end of the last one, it alone is left."""
    knots, degree, t = prior.knots(grid), prior.degree, grid.scaled
    columns = []
    for j in range(len(knots) - degree - 1):
        own = knots[j : j + degree + 2]
        column = np.nan_to_num(ScipyBSpline.basis_element(own, extrapolate=False)(t))
        columns.append(np.where(t < own[-1], column, 0.0))
    result = np.array(columns).T
    result[t == 1] = np.eye(len(columns))[-1]
    return result


def test_the_factor_gives_the_covariance_of_the_definition(variant, grid):
    for hyperparameters in settings_of(variant):
        ours = covariance(variant, grid, *hyperparameters)
        expected = expected_covariance(variant, grid, *hyperparameters)
        np.testing.assert_allclose(ours, expected, atol=1e-8 * expected.max())


def test_banded_and_factor_are_the_same_distribution(variant, grid):
    for hyperparameters in settings_of(variant):
        banded = variant.banded(grid, *hyperparameters)
        if banded is None:
            # Only what has no Markov form may answer so on grids like these.
            assert isinstance(variant, SparseGaussianProcess | HilbertSpaceGP) or variant.kernel == KERNELS[2]
            continue
        precision, design = dense(banded)
        expected = covariance(variant, grid, *hyperparameters)
        np.testing.assert_allclose(design @ np.linalg.solve(precision, design.T), expected, atol=1e-8 * expected.max())
        sign, log_determinant = np.linalg.slogdet(precision)
        assert sign == 1
        assert banded.log_determinant == pytest.approx(log_determinant, rel=1e-8, abs=1e-8)


def test_every_time_touches_coefficients_that_exist(variant, grid):
    banded = variant.banded(grid, *settings_of(variant)[1])
    if banded is not None:
        assert banded.first.min() >= 0
        assert (banded.first + banded.weights.shape[1]).max() <= banded.precision.shape[1]
        assert len(banded.first) == len(banded.weights) == len(grid)


def test_the_amplitude_scales_the_covariance(variant, grid):
    _, *others = settings_of(variant)[1]
    one, three = (covariance(variant, grid, amplitude, *others) for amplitude in (1.0, 3.0))
    np.testing.assert_allclose(three, 9 * one, rtol=1e-10, atol=1e-12)


def test_only_the_shape_of_the_grid_matters(variant):
    """Time is scaled to [0, 1]: another unit or another start is the same prior."""
    times = np.array([1.0, 2.0, 3.5, 7.0, 8.0])
    here, there = (Grid(scale * times + start) for scale, start in ((1, 0), (1000, 50)))
    for hyperparameters in settings_of(variant):
        one, other = (covariance(variant, grid, *hyperparameters) for grid in (here, there))
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-10)


def test_the_log_axis_is_respected(variant):
    """Geometric times on a log axis are to a prior what even times are on a linear one."""
    log, even = Grid([1, 10, 100, 1000, 10_000], "log"), Grid([0, 1, 2, 3, 4])
    for hyperparameters in settings_of(variant):
        one, other = (covariance(variant, grid, *hyperparameters) for grid in (log, even))
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-10)


@every_kernel
@pytest.mark.parametrize("inducing", [12, 50])
def test_with_an_inducing_point_at_each_time_the_sparse_process_is_exact(kernel, inducing):
    grid = linear_grid(0, 1, 12)
    for hyperparameters in [(0.7, 0.2), (2.0, 0.64)]:
        exact = covariance(GaussianProcess(kernel), grid, *hyperparameters)
        sparse = covariance(SparseGaussianProcess(inducing, kernel), grid, *hyperparameters)
        np.testing.assert_allclose(sparse, exact, atol=1e-8 * exact.max())


def hilbert_error(kernel, basis, boundary=8.0, lengthscale=0.4):
    grid = linear_grid(0, 1, 15)
    exact = covariance(GaussianProcess(kernel), grid, 1.0, lengthscale)
    return np.abs(covariance(HilbertSpaceGP(basis, boundary, kernel), grid, 1.0, lengthscale) - exact).max()


@pytest.mark.parametrize(("kernel", "order"), [("matern32", 3), ("matern52", 5)])
def test_the_hilbert_space_process_converges_at_the_order_of_its_spectrum(kernel, order):
    """What m functions leave out is the tail of S(ω) ~ ω^(−2ν − 1): twice as many divide the error by 2^(2ν).

    The images behind the boundary, at distance 7 or 17 lengthscales, are below 1e-11.
    """
    errors = [hilbert_error(kernel, basis) for basis in (100, 200, 400)]
    assert errors[0] / errors[1] == pytest.approx(2**order, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(2**order, rel=0.1)
    assert hilbert_error(kernel, 3200) < 1e-6


def test_the_hilbert_space_process_converges_at_once_for_the_squared_exponential():
    assert hilbert_error("squared-exponential", 150) < 1e-11  # the exact one has a jitter of 1e-12


@every_kernel
@pytest.mark.parametrize("probability", [0.05, 0.5, 0.95])
def test_the_default_hilbert_space_process_is_good_over_the_lengthscales_prior(kernel, probability):
    """Riutort-Mayol et al. choose m and c so that the posterior is off by little: the covariance by 2 % at most."""
    grid, lengthscale = linear_grid(0, 1, 40), InverseGamma().quantile(probability)
    exact = covariance(GaussianProcess(kernel), grid, 1.0, lengthscale)
    approximate = covariance(HilbertSpaceGP(kernel=kernel), grid, 1.0, lengthscale)
    np.testing.assert_allclose(approximate, exact, atol=0.02)


def test_the_size_of_the_hilbert_space_follows_the_lengthscales_prior():
    usual, boundary = HilbertSpaceGP().size()
    shorter, _ = HilbertSpaceGP(boundary=boundary, lengthscale=InverseGamma(5, 1)).size()
    assert shorter == pytest.approx(3 * usual, abs=3)  # one wave is a third as long
    assert HilbertSpaceGP(lengthscale=InverseGamma(5, 1e-3)).size()[1] == 1.2  # the smallest boundary of the paper
    assert HilbertSpaceGP(basis=7, boundary=3.0).size() == (7, 3.0)


def test_increments_of_the_random_walk():
    """The first value has variance σ², an increment σ² Δt, and they are independent."""
    grid = Grid([1, 2, 4, 9])
    L = RandomWalk().factor(grid, 2.0)
    increments = np.diff(L, axis=0, prepend=0)
    np.testing.assert_allclose(increments @ increments.T, np.diag([4.0, 4 / 8, 8 / 8, 20 / 8]), atol=1e-14)


@pytest.mark.parametrize("kernel", KERNELS[:2])
def test_times_too_close_for_the_markov_form_are_served_by_the_factor(kernel):
    """A prior that cannot hold its precision in double precision says so, and is still a distribution."""
    prior, grid = GaussianProcess(kernel), Grid([0, 0.3, 0.3 + 1e-7, 1])
    assert prior.banded(grid, 1.0, 0.64) is None
    exact = get_kernel(kernel).correlation(np.abs(grid.scaled[:, None] - grid.scaled) / 0.64)
    np.testing.assert_allclose(covariance(prior, grid, 1.0, 0.64), exact, atol=1e-8)


@pytest.mark.parametrize("kernel", KERNELS[:2])
@pytest.mark.parametrize(("times", "lengthscale"), [(50, 0.64), (50, 3.0), (200, 0.64), (300, 20.0), (600, 4.0)])
def test_the_markov_form_is_right_or_is_not_given(kernel, times, lengthscale):
    """The precision grows as (times · lengthscale)^3 or ^5, and every digit of it costs one of the covariance.

    A thousandth of the prior's variance is far below what rankings can tell.
    """
    prior, grid = GaussianProcess(kernel), linear_grid(0, 1, times)
    banded = prior.banded(grid, 1.0, lengthscale)
    if banded is not None:
        precision, design = dense(banded)
        exact = get_kernel(kernel).correlation(np.abs(grid.scaled[:, None] - grid.scaled) / lengthscale)
        np.testing.assert_allclose(design @ np.linalg.solve(precision, design.T), exact, atol=1e-3)


@pytest.mark.parametrize("kernel", KERNELS[:2])
def test_times_that_differ_by_next_to_nothing_have_no_markov_form(kernel):
    assert GaussianProcess(kernel).banded(Grid([0, 1e-120, 1]), 1.0, 0.64) is None


def test_a_singular_correlation_is_mended():
    """Many times of a process that is smooth to rounding: the jitter stays below 1e-8."""
    grid = linear_grid(0, 1, 300)
    ours = covariance(GaussianProcess("squared-exponential"), grid, 1.0, 2.0)
    exact = np.exp(-0.5 * (np.abs(grid.scaled[:, None] - grid.scaled) / 2) ** 2)
    np.testing.assert_allclose(ours, exact, atol=2e-8)


def fixed(prior, amplitude, lengthscale):
    """The same prior with hyperparameters that are known."""
    known = {"amplitude": LogNormal(math.log(amplitude), 1e-12), "lengthscale": LogNormal(math.log(lengthscale), 1e-12)}
    return replace(prior, **{name: known[name] for name in prior.hyperpriors})


def test_samples_have_mean_zero_and_the_priors_covariance(temporal_prior):
    """Utilities have covariance L Lᵀ ⊗ Q Qᵀ.

    An element of the covariance of N normal draws has standard error √((c_ii c_jj + c_ij²) / N); the largest of 210
    elements and 20 means in standard errors stays below 4.5 with probability 0.998, and the seed is fixed.
    """
    grid, draws, n = Grid([1, 2, 4, 9, 10]), 1500, 4
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
    """A hyperprior whose draws are known."""

    def sample(self, size, *, rng):
        return np.where(np.arange(size) % 2, 1e3, 1e-3)


def test_every_sample_has_hyperparameters_of_its_own(temporal_prior):
    prior = replace(temporal_prior, amplitude=Alternating())
    size = np.abs(prior.sample(linear_grid(1, 9, 4), 3, 40, rng=np.random.default_rng(1))).max(axis=(1, 2))
    assert size[::2].max() < 0.1
    assert size[1::2].min() > 10


@pytest.mark.parametrize("times", [2, 5, 8, 9, 12, 50])
def test_by_default_there_are_half_as_many_basis_functions_as_times_and_at_least_four(times):
    grid = linear_grid(0, 1, times)
    assert BSpline().factor(grid, 1.0).shape == (times, max(4, times // 2))


@pytest.mark.parametrize("degree", [0, 1, 2, 3, 5])
@pytest.mark.parametrize("extra", [1, 2, 6])
def test_the_b_spline_basis(degree, extra, grid):
    """K + d + 1 knots; the basis is SciPy's, a partition of unity."""
    basis = degree + extra
    prior = BSpline(basis=basis, degree=degree)
    knots = prior.knots(grid)
    assert len(knots) == basis + degree + 1
    assert (np.diff(knots) >= 0).all()
    B = prior.factor(grid, 1.0)
    np.testing.assert_allclose(B, basis_elements(prior, grid), atol=1e-12)
    np.testing.assert_allclose(B.sum(axis=1), 1, rtol=1e-12)


def test_inner_knots_lie_at_quantiles_of_the_times():
    grid = Grid([0, 1, 2, 3, 4, 5, 6, 7, 8, 100])
    knots = BSpline(basis=6).knots(grid)
    np.testing.assert_allclose(knots[4:-4], np.quantile(grid.scaled, [1 / 3, 2 / 3]))
    np.testing.assert_array_equal(knots[:4], 0)
    np.testing.assert_array_equal(knots[-4:], 1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BSpline(basis=3), r"BSpline basis \(of degree 3\) must be a whole number of at least 4, got 3"),
        (lambda: BSpline(basis=1, degree=1), r"basis \(of degree 1\) must be a whole number of at least 2, got 1"),
        (lambda: BSpline(basis=4.0), r"BSpline basis .* got 4.0"),
        (lambda: BSpline(basis=True, degree=0), r"BSpline basis .* got True"),
        (lambda: BSpline(degree=-1), r"BSpline degree must be a whole number of at least 0, got -1"),
        (lambda: BSpline(degree="cubic"), r"BSpline degree must be a whole number .* got 'cubic'"),
        (lambda: SparseGaussianProcess(1), r"SparseGaussianProcess inducing .* at least 2, got 1"),
        (lambda: SparseGaussianProcess(2.5), r"SparseGaussianProcess inducing .* got 2.5"),
        (lambda: HilbertSpaceGP(basis=0), r"HilbertSpaceGP basis .* at least 1, got 0"),
        (lambda: HilbertSpaceGP(boundary=1.0), r"HilbertSpaceGP boundary must be a finite factor above 1, got 1.0"),
        (lambda: HilbertSpaceGP(boundary=math.nan), r"HilbertSpaceGP boundary .* got nan"),
        (lambda: HilbertSpaceGP(boundary=math.inf), r"HilbertSpaceGP boundary .* got inf"),
    ],
)
def test_bad_options_are_refused_by_name(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_boundary_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="HilbertSpaceGP boundary"):
        HilbertSpaceGP(boundary="2")


@pytest.mark.parametrize("family", [GaussianProcess, SparseGaussianProcess, HilbertSpaceGP])
def test_an_unknown_kernel_is_refused_when_the_prior_is_made(family):
    with pytest.raises(ValueError, match=r"kernel must be one of 'matern32', .*; got 'rbf'"):
        family(kernel="rbf")


def test_a_number_in_place_of_a_hyperprior_is_refused(temporal_prior):
    with pytest.raises(ValueError, match="amplitude"):
        replace(temporal_prior, amplitude=0.5)


def test_equal_priors_are_equal(prior):
    assert prior == type(prior)()
    assert hash(prior) == hash(type(prior)())
