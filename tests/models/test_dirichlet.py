"""Dirichlet priors: the moments of their samples, for small concentrations too."""

import math

import numpy as np
import pytest
from scipy import integrate, special, stats

from polarbear import Dirichlet, Grid, HierarchicalDirichlet, linear_grid
from polarbear.models.dirichlet import draw_log_gamma


def error_in_standard_errors(sample, expected):
    """Distance of a mean of independent draws (first axis) from its expectation, in standard errors."""
    return np.abs(sample.mean(axis=0) - expected) / (sample.std(axis=0) / math.sqrt(len(sample)))


@pytest.mark.parametrize("concentration", [0.3, 1.0, 5.0])
def test_samples_have_the_moments_of_a_dirichlet(concentration):
    # Twelve means of 4000 draws each: all within 4 standard errors with probability 0.999.
    n = 3
    ratings = np.exp(Dirichlet(concentration).sample(linear_grid(1, 2, 2), n, 4000, rng=np.random.default_rng(3)))
    np.testing.assert_allclose(ratings.sum(axis=-1), 1, rtol=1e-12)
    assert error_in_standard_errors(ratings, 1 / n).max() < 4
    total = n * concentration
    second = concentration * (concentration + 1) / (total * (total + 1))
    assert error_in_standard_errors(ratings**2, second).max() < 4


@pytest.mark.parametrize("concentration", [1e-3, 1e-8, 1e-300])
def test_tiny_concentrations_neither_underflow_nor_lose_the_sum(concentration):
    """Nearly all ratings are zero in double precision; their logarithms are not."""
    n, draws = 4, 3000
    utilities = Dirichlet(concentration).sample(Grid([1]), n, draws, rng=np.random.default_rng(4))[:, 0]
    assert np.isfinite(utilities).all()
    np.testing.assert_allclose(np.exp(utilities).sum(axis=-1), 1, rtol=1e-12)
    # E log θ = ψ(a) − ψ(n a); a mean is within 4 standard errors with probability 0.9999.
    expected = special.digamma(concentration) - special.digamma(n * concentration)
    assert (error_in_standard_errors(utilities * concentration, expected * concentration) < 4).all()
    # All algorithms are best equally often: 99.9 % quantile of a chi-square with 3 degrees of freedom.
    assert stats.chisquare(np.bincount(utilities.argmax(axis=-1), minlength=n)).statistic < 16.3


def test_budgets_are_independent():
    utilities = Dirichlet(0.5).sample(linear_grid(1, 2, 2), 3, 4000, rng=np.random.default_rng(5))
    # The correlation of 4000 independent pairs has standard error 0.016.
    assert abs(np.corrcoef(utilities[:, 0, 0], utilities[:, 1, 0])[0, 1]) < 0.065


@pytest.mark.parametrize("shape", [0.01, 0.7, 3.0])
def test_log_gamma_draws_are_logarithms_of_gamma_draws(shape):
    # Kolmogorov and Smirnov at 99.9 %. The distribution of the logarithm, because small draws underflow.
    draws = draw_log_gamma(np.full(5000, shape), rng=np.random.default_rng(6))
    assert stats.kstest(draws, stats.loggamma(shape).cdf).statistic < 1.95 / math.sqrt(5000)


def mean_square_rating(kappa, n):
    """E[Σ_i θ_i²] under Dirichlet(κ/n, …, κ/n)."""
    return (kappa / n + 1) / (kappa + 1)


@pytest.mark.parametrize(("prior", "rate"), [(HierarchicalDirichlet(), 1 / 3), (HierarchicalDirichlet(2.0), 2.0)])
def test_hierarchical_samples_share_an_exponential_concentration(prior, rate):
    """Each draw's mean of Σ θ_i² over 200 budgets depends on its κ; κ ~ Exponential(rate), with rate 1/n by default."""
    n, draws = 3, 500
    ratings = np.exp(prior.sample(linear_grid(1, 2, 200), n, draws, rng=np.random.default_rng(7)))
    mean_squares = (ratings**2).sum(axis=-1).mean(axis=1)
    density = stats.expon(scale=1 / rate).pdf
    mean, square = (
        integrate.quad(lambda kappa, power=power: mean_square_rating(kappa, n) ** power * density(kappa), 0, np.inf)[0]
        for power in (1, 2)
    )
    assert error_in_standard_errors(mean_squares, mean) < 4
    # Were κ not shared by the budgets of a draw, this spread would be fourteen times smaller. The standard deviation of
    # 500 draws is known to 4 %; a mean over 200 budgets adds 1 %.
    assert mean_squares.std() == pytest.approx(math.sqrt(square - mean**2), rel=0.15)


def test_hyperpriors_of_the_independent_priors():
    assert Dirichlet().hyperpriors_for(4) == {}
    assert Dirichlet(0.3).concentration_for(4) == 0.3
    assert HierarchicalDirichlet().hyperpriors_for(4)["kappa"].rate == 1 / 4
    assert HierarchicalDirichlet(2.0).hyperpriors_for(4)["kappa"].rate == 2.0
    assert HierarchicalDirichlet().concentration_for(4, 6.0) == 1.5


@pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf, "1", True])
def test_a_bad_concentration_or_rate_is_refused_by_name(bad):
    with pytest.raises(ValueError, match="expected a finite number above 0 for Dirichlet concentration, got "):
        Dirichlet(bad)
    with pytest.raises(ValueError, match="expected a finite number above 0 for HierarchicalDirichlet rate, got "):
        HierarchicalDirichlet(bad)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64])
def test_numbers_of_numpy_are_accepted(kind):
    assert Dirichlet(kind(2)).concentration_for(3) == 2
