"""Gibbs sampling of the Dirichlet priors is exact, also for fractional counts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

import polarbear as pb
from polarbear.inference.convergence import CHAINS
from polarbear.inference.dirichlet.gibbs import _redraw_kappa, _State, gibbs
from polarbear.models.hyperpriors import Exponential
from tests.inference.exact import assert_follow, assert_mean, assert_share, beta_posterior, duel, exact_hierarchy

WINS = [(5.0, 2.0), (12.0, 0.0), (0.0, 0.0), (0.3, 0.15)]


def ratings_of(utilities: np.ndarray) -> np.ndarray:
    """θ_A (budget, draw)."""
    return 1 / (1 + np.exp(utilities[:, 1] - utilities[:, 0]))


@pytest.mark.parametrize("concentration", [0.2, 1.0, 5.0])
def test_two_algorithms_follow_beta_distributions(concentration: float) -> None:
    choices = duel(WINS)
    utilities, diagnostics = gibbs(choices, pb.Dirichlet(concentration), draws=8000, rng=np.random.default_rng(1))
    assert diagnostics.reliable, diagnostics.message
    for t, at in enumerate(ratings_of(utilities)):
        assert_follow(at, beta_posterior(choices, t, concentration).cdf, diagnostics.effective_draws)


def test_winners_of_three_follow_a_dirichlet_distribution() -> None:
    # If only the winner of all three is known, the posterior is Dirichlet(a + W), with Beta margins.
    wins = np.array([[6.0, 3.0, 0.5]])
    choices = pb.Choices(
        pb.Grid([1.0]), tuple("abc"), wins, np.ones((1, 1, 3), dtype=bool), wins.sum(keepdims=True), 10
    )
    utilities, diagnostics = gibbs(choices, pb.Dirichlet(0.8), draws=8000, rng=np.random.default_rng(2))
    strengths = np.exp(utilities[0])
    for algorithm, share in enumerate(strengths / strengths.sum(axis=0)):
        own, all_others = 0.8 + wins[0, algorithm], 1.6 + wins[0].sum() - wins[0, algorithm]
        assert_follow(share, stats.beta(own, all_others).cdf, diagnostics.effective_draws)


@pytest.mark.calibration
def test_hierarchical_posterior_is_exact() -> None:
    choices = duel(WINS[:3])
    utilities, diagnostics = gibbs(
        choices, pb.HierarchicalDirichlet(rate=0.4), draws=8000, rng=np.random.default_rng(3)
    )
    assert diagnostics.reliable, diagnostics.message
    exact = exact_hierarchy(choices, rate=0.4)
    for t, at in enumerate(ratings_of(utilities)):
        assert_follow(at, lambda x, t=t: exact.below(x, t), diagnostics.effective_draws)
    ((name, mean, _),) = diagnostics.hyperparameters
    assert name == "kappa"
    assert_mean(np.array(mean), exact.mean, exact.deviation, diagnostics.effective_draws)


@pytest.mark.parametrize("concentrated", [0.1, 3.0])
def test_slice_sampling_of_kappa_follows_its_conditional(concentrated: float) -> None:
    rng = np.random.default_rng(4)
    budgets, algorithms, rate = 3, 4, 0.25
    log_ratings = np.log(rng.dirichlet(np.full(algorithms, concentrated), budgets))
    utilities = np.repeat(log_ratings[..., None], CHAINS, axis=-1)

    log_kappa = np.linspace(-8, 7, 6001)
    kappa = np.exp(log_kappa)
    normalisation = special.gammaln(kappa) - algorithms * special.gammaln(kappa / algorithms)
    log_density = log_kappa - rate * kappa + budgets * normalisation + kappa / algorithms * log_ratings.sum()
    masses = special.softmax(log_density)

    state, kept = _State(utilities, np.ones((1, CHAINS))), []
    for turn in range(420):
        state = _State(utilities, _redraw_kappa(state, Exponential(rate), rng)[None])
        if turn >= 20:
            kept.append(state.hyperparameters[0])
    drawn = np.concatenate(kept)
    # Neighbouring turns are correlated; a third of them is a cautious count.
    assert_follow(drawn, lambda x: float(masses[kappa <= x].sum()), len(drawn) / 3)


def test_dominance_of_equal_algorithms_is_even() -> None:
    choices = duel([(7.0, 7.0)])
    utilities, diagnostics = gibbs(choices, pb.Dirichlet(), draws=8000, rng=np.random.default_rng(5))
    assert_share(float((utilities[0, 0] > utilities[0, 1]).mean()), 0.5, diagnostics.effective_draws)
