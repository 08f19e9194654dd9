"""Importance-corrected stick-breaking at each budget is exact for the Dirichlet priors."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

import polarbear as pb
from polarbear.inference.dirichlet.stick_breaking import stick_breaking
from polarbear.models.plackett_luce import sample_rankings
from tests.inference.exact import assert_follow, assert_mean, assert_share, beta_posterior, duel, exact_hierarchy

# Ordinary, perfectly separated, no data, fractions, many.
WINS = [(5.0, 2.0), (12.0, 0.0), (0.0, 0.0), (0.3, 0.15), (400.0, 300.0)]


def ratings_of(utilities: np.ndarray) -> np.ndarray:
    """θ_A (budget, draw)."""
    return special.expit(utilities[:, 0] - utilities[:, 1])


@pytest.mark.parametrize("concentration", [0.5, 1.0, 5.0])
def test_two_algorithms_follow_beta_distributions(concentration: float) -> None:
    choices = duel(WINS)
    prior = pb.Dirichlet(concentration)
    utilities, diagnostics = stick_breaking(choices, prior, draws=20_000, rng=np.random.default_rng(1))
    assert diagnostics.reliable, diagnostics.message
    for t, at in enumerate(ratings_of(utilities)):
        assert_follow(at, beta_posterior(choices, t, concentration).cdf, diagnostics.effective_draws / 2)


def test_tiny_concentrations_are_exact() -> None:
    choices, prior = duel([(5.0, 2.0), (0.0, 0.0)]), pb.Dirichlet(0.01)
    utilities, diagnostics = stick_breaking(choices, prior, draws=20_000, rng=np.random.default_rng(2))
    assert diagnostics.reliable, diagnostics.message
    assert_follow(ratings_of(utilities)[0], beta_posterior(choices, 0, 0.01).cdf, diagnostics.effective_draws / 2)
    # Without data, log-odds are symmetric, with tails of e^(−0.01 |x|).
    log_odds = utilities[1, 0] - utilities[1, 1]
    assert_share(float((log_odds > 0).mean()), 0.5, diagnostics.effective_draws / 2)
    assert_share(float((np.abs(log_odds) > 69.3).mean()), 0.5, diagnostics.effective_draws / 2)


def test_winners_of_three_follow_a_dirichlet_distribution() -> None:
    wins = np.array([[6.0, 3.0, 0.5]])
    choices = pb.Choices(
        pb.Grid([1.0]), tuple("abc"), wins, np.ones((1, 1, 3), dtype=bool), wins.sum(keepdims=True), 10
    )
    utilities, diagnostics = stick_breaking(choices, pb.Dirichlet(0.8), draws=20_000, rng=np.random.default_rng(3))
    strengths = np.exp(utilities[0])
    for algorithm, share in enumerate(strengths / strengths.sum(axis=0)):
        own, all_others = 0.8 + wins[0, algorithm], 1.6 + wins[0].sum() - wins[0, algorithm]
        assert_follow(share, stats.beta(own, all_others).cdf, diagnostics.effective_draws / 2)


def test_hierarchical_posterior_is_exact() -> None:
    choices, prior = duel(WINS[:4]), pb.HierarchicalDirichlet(rate=0.4)
    utilities, diagnostics = stick_breaking(choices, prior, draws=20_000, rng=np.random.default_rng(4))
    assert diagnostics.effective_draws > 15_000
    exact = exact_hierarchy(choices, rate=0.4)
    for t, at in enumerate(ratings_of(utilities)):
        assert_follow(at, lambda x, t=t: exact.below(x, t), diagnostics.effective_draws / 2)
    ((name, mean, spread),) = diagnostics.hyperparameters
    assert name == "kappa"
    assert_mean(np.array(mean), exact.mean, exact.deviation, diagnostics.effective_draws / 2)
    assert spread == pytest.approx(exact.deviation, rel=0.06)


def test_draws_of_one_hyperparameter_share_it_at_all_budgets() -> None:
    # Under the hierarchical prior a small κ makes the ratings of all budgets extreme together.
    choices = duel([(0.0, 0.0)] * 4)
    utilities, _ = stick_breaking(choices, pb.HierarchicalDirichlet(), draws=20_000, rng=np.random.default_rng(5))
    extremeness = np.log(np.abs(utilities[:, 0] - utilities[:, 1]))
    correlation = np.corrcoef(extremeness)[np.triu_indices(4, 1)]
    truths = pb.HierarchicalDirichlet().sample(choices.grid, 2, 20_000, rng=np.random.default_rng(6))
    expected = np.corrcoef(np.log(np.abs(truths[..., 0] - truths[..., 1])).T)[np.triu_indices(4, 1)]
    np.testing.assert_allclose(correlation, expected, atol=0.1)
    assert correlation.min() > 0.2


def test_an_algorithm_with_far_fewer_observations_is_broken_off_first() -> None:
    # "d" is as strong as "c" and ran on 20 of 1500 instances: one order of breaking is not enough for all budgets.
    rng = np.random.default_rng(7)
    utilities = np.tile([1.2, 1.0, 0.2, 0.1, -1.5], (20, 1))
    values = sample_rankings(utilities, 1500, rng=rng)
    values[20:, :, 3] = np.nan
    values[40:, :, 4] = np.nan
    choices = pb.Choices.from_values(values, grid=np.arange(1.0, 21.0), names=list("abcde"))
    _, diagnostics = stick_breaking(choices, pb.Dirichlet(), draws=4000, rng=rng)
    assert diagnostics.reliable, diagnostics.message
