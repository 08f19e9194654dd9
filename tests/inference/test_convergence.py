"""Chains run until they converge, and stuck chains are diagnosed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from polarbear.inference.convergence import CHAINS, LARGEST_R_HAT, run_until_converged


@dataclass(frozen=True)
class Walk:
    """One budget and two algorithms, which an autoregressive process of first order sets apart."""

    utilities: np.ndarray
    hyperparameters: np.ndarray


def start(spread: float = 1.0, seed: int = 0) -> Walk:
    rng = np.random.default_rng(seed)
    return Walk(spread * rng.standard_normal((1, 2, CHAINS)), np.ones((0, CHAINS)))


def autoregressive(correlation: float, seed: int = 1):
    rng = np.random.default_rng(seed)

    def advance(state: Walk) -> Walk:
        noise = rng.standard_normal((1, 2, CHAINS))
        utilities = correlation * state.utilities + np.sqrt(1 - correlation**2) * noise
        return Walk(utilities, np.exp(0.1 * rng.standard_normal((1, CHAINS))))

    return advance


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("draws", [100, 4000])
def test_independent_draws_converge_at_once(draws: int, seed: int) -> None:
    calls = []

    def advance(state: Walk) -> Walk:
        calls.append(state)
        return step(state)

    step = autoregressive(0.0, seed)
    chains = run_until_converged(advance, start(), draws=draws, attempts=5)
    assert chains.converged
    assert len(calls) == len(chains.utilities)


@pytest.mark.parametrize("seed", range(5))
def test_independent_draws_of_many_algorithms_converge(seed: int) -> None:
    # R-hat is the largest of many, and of short chains each is noisy: that alone must not look like trouble.
    rng = np.random.default_rng(seed)

    def advance(state: Walk) -> Walk:
        return Walk(rng.standard_normal((20, 10, CHAINS)), np.ones((0, CHAINS)))

    chains = run_until_converged(advance, start(), draws=100, attempts=1)
    assert chains.converged, f"R-hat {chains.r_hat:.4f} of independent draws"


def test_correlated_draws_are_thinned_until_they_converge() -> None:
    chains = run_until_converged(autoregressive(0.9), start(), draws=4000, attempts=8)
    assert chains.converged
    assert chains.r_hat < LARGEST_R_HAT
    difference = chains.utilities[:, 0, 0] - chains.utilities[:, 0, 1]
    assert difference.var() == pytest.approx(2.0, abs=5 * 2 * np.sqrt(2 / chains.effective_draws))


def test_effective_draws_are_counted() -> None:
    chains = run_until_converged(autoregressive(0.5), start(), draws=32_000, attempts=1)
    # An AR(1) process of correlation φ is worth (1 − φ) / (1 + φ) of as many independent draws.
    assert chains.effective_draws == pytest.approx(32_000 / 3, rel=0.1)


def test_stuck_chains_are_not_converged() -> None:
    rng = np.random.default_rng(2)

    def stuck(state: Walk) -> Walk:
        return Walk(state.utilities + 1e-3 * rng.standard_normal(state.utilities.shape), state.hyperparameters)

    chains = run_until_converged(stuck, start(), draws=1000, attempts=2)
    assert not chains.converged
    diagnostics = chains.diagnostics("hmc", "A title", [], draws=1000)
    assert not diagnostics.reliable
    assert diagnostics.message.startswith("A title: R-hat")
    assert "Not converged" in diagnostics.message


def test_one_stuck_chain_is_enough() -> None:
    advance = autoregressive(0.0)

    def one_stuck(state: Walk) -> Walk:
        moved = advance(state).utilities
        moved[..., 0] = 6.0 * np.array([1.0, -1.0])
        return Walk(moved, state.hyperparameters)

    assert not run_until_converged(one_stuck, start(), draws=4000, attempts=1).converged


def test_drifting_chains_are_not_converged() -> None:
    def drift(state: Walk) -> Walk:
        moved = advance(state).utilities
        drift.turn += 1
        moved[:, 0] += 0.05 * drift.turn
        return Walk(moved, state.hyperparameters)

    advance = autoregressive(0.0)
    drift.turn = 0
    assert not run_until_converged(drift, start(), draws=2000, attempts=1).converged


def test_hyperparameters_must_converge_too() -> None:
    advance = autoregressive(0.0)
    apart = np.exp(np.random.default_rng(3).standard_normal((1, CHAINS)))

    def stuck(state: Walk) -> Walk:
        return Walk(advance(state).utilities, apart)

    assert not run_until_converged(stuck, start(), draws=2000, attempts=1).converged


def test_a_common_shift_of_all_utilities_does_not_matter() -> None:
    advance = autoregressive(0.0)
    shift = 100 * np.random.default_rng(4).standard_normal(CHAINS)

    def shifted(state: Walk) -> Walk:
        return Walk(advance(state).utilities + shift, np.ones((0, CHAINS)))

    assert run_until_converged(shifted, start(), draws=4000, attempts=1).converged


def test_pooled_draws_are_kept_states_in_random_order() -> None:
    chains = run_until_converged(autoregressive(0.0), start(), draws=4000, attempts=1)
    pooled = chains.pool(4000, rng=np.random.default_rng(5))
    assert pooled.shape == (1, 2, 4000)
    np.testing.assert_array_equal(np.sort(pooled[0, 0]), np.sort(chains.utilities[:, 0, 0].ravel()))
    # The two algorithms of a draw stay together.
    pairs = set(zip(chains.utilities[:, 0, 0].ravel(), chains.utilities[:, 0, 1].ravel(), strict=True))
    assert set(zip(*pooled[0], strict=True)) == pairs


def test_hyperparameters_are_summarised_by_name() -> None:
    chains = run_until_converged(autoregressive(0.0), start(), draws=4000, attempts=1)
    ((name, mean, spread),) = chains.diagnostics("gibbs", "Gibbs sampling", ["kappa"], draws=4000).hyperparameters
    assert name == "kappa"
    assert mean == pytest.approx(np.exp(0.005), abs=0.01)
    assert spread == pytest.approx(0.1, abs=0.01)
