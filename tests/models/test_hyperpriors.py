"""Hyperpriors against scipy.stats."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

from polarbear.models.hyperpriors import Exponential, InverseGamma, LogNormal

PAIRS = {
    "LogNormal": (LogNormal(), stats.lognorm(s=0.5)),
    "LogNormal(1, 2)": (LogNormal(1.0, 2.0), stats.lognorm(s=2.0, scale=math.e)),
    "InverseGamma": (InverseGamma(), stats.invgamma(5.0, scale=3.0)),
    "InverseGamma(1.5, 0.2)": (InverseGamma(1.5, 0.2), stats.invgamma(1.5, scale=0.2)),
    "Exponential(1/5)": (Exponential(0.2), stats.expon(scale=5.0)),
    "Exponential(3)": (Exponential(3.0), stats.expon(scale=1 / 3)),
}
pairs = pytest.mark.parametrize(("ours", "theirs"), PAIRS.values(), ids=PAIRS)


@pairs
def test_the_density_is_of_the_logarithm(ours, theirs):
    for x in theirs.ppf([1e-6, 0.1, 0.5, 0.9, 0.999]):
        assert ours.log_density(math.log(x)) == pytest.approx(theirs.logpdf(x) + math.log(x), rel=1e-10, abs=1e-10)


@pairs
def test_the_density_of_the_logarithm_integrates_to_one(ours, theirs):
    low, high = np.log(theirs.ppf([1e-13, 1 - 1e-13]))
    total, _ = integrate.quad(lambda log_value: math.exp(ours.log_density(log_value)), low, high, epsabs=1e-10)
    assert total == pytest.approx(1, abs=1e-8)


@pairs
def test_quantiles(ours, theirs):
    for probability in (0.001, 0.05, 0.5, 0.95, 0.999):
        assert ours.quantile(probability) == pytest.approx(theirs.ppf(probability), rel=1e-10)


@pairs
def test_draws_follow_the_distribution(ours, theirs):
    # Kolmogorov and Smirnov's statistic of 5000 draws stays below 1.95 / √5000 with probability 0.999.
    draws = ours.sample(5000, rng=np.random.default_rng(11))
    assert draws.shape == (5000,)
    assert stats.kstest(draws, theirs.cdf).statistic < 1.95 / math.sqrt(5000)


@pytest.mark.parametrize("bad", [0, -1.0, math.nan, math.inf, "1", None, True])
@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda value: LogNormal(0.0, value), "LogNormal scale"),
        (lambda value: InverseGamma(value, 1.0), "InverseGamma shape"),
        (lambda value: InverseGamma(1.0, value), "InverseGamma scale"),
        (Exponential, "Exponential rate"),
    ],
    ids=["LogNormal scale", "InverseGamma shape", "InverseGamma scale", "Exponential rate"],
)
def test_a_bad_parameter_is_refused_by_name(make, what, bad):
    with pytest.raises(ValueError, match=f"expected a finite number above 0 for {what}, got "):
        make(bad)


@pytest.mark.parametrize("bad", [math.nan, math.inf, "0", None])
def test_a_bad_location_is_refused(bad):
    with pytest.raises(ValueError, match="expected a finite number for LogNormal location"):
        LogNormal(bad)
