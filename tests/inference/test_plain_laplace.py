"""Plain Laplace is the Gaussian at the joint mode of coefficients and log-hyperparameters."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize, stats

import polarbear as pb
from polarbear.inference.laplace.plain import plain_laplace
from tests.inference.exact import assert_follow, beta_posterior, duel, log_likelihood_of

PRIORS = [pb.RandomWalk(), pb.GaussianProcess(), pb.SparseGaussianProcess(inducing=2)]
DRAWS = 4000
WINS = [(8.0, 3.0), (5.0, 6.0), (9.0, 1.0)]


def negative_log_joint(prior, choices: pb.Choices):
    """−log p(choices, z, log h), written anew; the argument is (z, log h)."""
    names = len(prior.hyperpriors)

    def value(point: np.ndarray) -> float:
        white, log_h = point[:-names], point[-names:]
        L = prior.factor(choices.grid, *np.exp(log_h))
        log_prior = sum(h.log_density(float(x)) for h, x in zip(prior.hyperpriors.values(), log_h, strict=True))
        return -float(log_likelihood_of(math.sqrt(2) * L @ white, choices) - 0.5 * white @ white + log_prior)

    return value


def hessian(function, point: np.ndarray, step: float = 1e-3) -> np.ndarray:
    moves = step * np.eye(len(point))
    return np.array(
        [
            [
                function(point + a + b) - function(point + a - b) - function(point - a + b) + function(point - a - b)
                for b in moves
            ]
            for a in moves
        ]
    ) / (4 * step**2)


@pytest.mark.calibration
@pytest.mark.parametrize("prior", PRIORS, ids=lambda prior: type(prior).__name__)
def test_draws_follow_the_gaussian_at_the_joint_mode(prior) -> None:
    choices = duel(WINS)
    function = negative_log_joint(prior, choices)
    medians = [h.quantile(0.5) for h in prior.hyperpriors.values()]
    columns = prior.factor(choices.grid, *medians).shape[1]
    found = optimize.minimize(function, np.concatenate([np.zeros(columns), np.log(medians)]), method="BFGS", tol=1e-8)
    covariance = np.linalg.inv(hessian(function, found.x))

    rng = np.random.default_rng(1)
    expected = np.empty((len(WINS), DRAWS))
    for draw, point in enumerate(rng.multivariate_normal(found.x, covariance, DRAWS)):
        L = prior.factor(choices.grid, *np.exp(point[columns:]))
        expected[:, draw] = math.sqrt(2) * L @ point[:columns]

    utilities, diagnostics = plain_laplace(choices, prior, draws=DRAWS, rng=np.random.default_rng(2))
    assert diagnostics.method == "laplace"
    for ours, theirs in zip(utilities[:, 0] - utilities[:, 1], expected, strict=True):
        assert stats.ks_2samp(ours, theirs).pvalue > 1e-6
    for (_, mean, spread), index in zip(diagnostics.hyperparameters, range(columns, len(found.x)), strict=True):
        centre, width = found.x[index], math.sqrt(covariance[index, index])
        assert mean == pytest.approx(math.exp(centre + width**2 / 2), rel=5 * width / math.sqrt(DRAWS) * 2)
        assert spread == pytest.approx(mean * math.sqrt(math.expm1(width**2)), rel=0.2)


@pytest.mark.calibration
def test_it_is_exact_with_many_data() -> None:
    # With thousands of comparisons the posterior of a log-odds is Gaussian to a few thousandths.
    choices = duel([(4000.0, 3000.0), (2500.0, 2500.0)])
    utilities, diagnostics = plain_laplace(choices, pb.Dirichlet(), draws=20_000, rng=np.random.default_rng(3))
    assert diagnostics.reliable
    ratings = 1 / (1 + np.exp(utilities[:, 1] - utilities[:, 0]))
    for t, at in enumerate(ratings):
        # Half as many draws allow for the remaining skewness.
        assert_follow(at, beta_posterior(choices, t, 1.0).cdf, 10_000)


def test_the_message_states_that_draws_are_not_corrected() -> None:
    _, diagnostics = plain_laplace(duel(WINS), pb.RandomWalk(), draws=1000, rng=np.random.default_rng(4))
    assert "not corrected" in diagnostics.message
