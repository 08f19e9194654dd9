"""Gibbs sampling for the Dirichlet priors: exact and without tuning (Caron and Doucet, 2012, applied to choices).

For each choice set S with count c, draw Z_S ~ Gamma(c, rate Σ_{j∈S} λ_j). Then draw each strength λ_i ~ Gamma(a + W_i, rate
1 + Σ_{S∋i} Z_S), where W_i counts the wins of i. The ratings are θ = λ / Σ λ. The total Σ λ ~ Gamma(n a) is redrawn from its
prior, since the data do not inform it. Counts may be fractional. Under the hierarchical prior a = κ/n, and slice sampling
redraws κ given all ratings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy

from polarbear.inference.convergence import CHAINS, run_until_converged
from polarbear.inference.laplace.whitened_posterior import LaplaceSurface
from polarbear.models.dirichlet import Dirichlet, draw_log_gamma
from polarbear.models.plackett_luce import log_ratings

if TYPE_CHECKING:
    from polarbear.arrays import Array
    from polarbear.models.dirichlet import IndependentPrior
    from polarbear.models.hyperpriors import Hyperprior
    from polarbear.observe import Choices
    from polarbear.posterior.diagnostics import Diagnostics


_WARM_UP = 100
_ATTEMPTS = 7  # many, since a sweep is cheap and chains of strongly separated algorithms mix slowly
_SLICE_WIDTH = 1.0  # in log κ
_MOST_SLICE_STEPS = 50


@dataclass(frozen=True, eq=False)
class _State:
    """Log-ratings (budget, algorithm, chain) and, under the hierarchical prior, κ as (1, chain)."""

    utilities: Array
    hyperparameters: Array


def gibbs(
    choices: Choices, prior: IndependentPrior, *, draws: int, rng: np.random.Generator
) -> tuple[Array, Diagnostics]:
    """Draw utilities (budget, algorithm, draw) from the posterior, and return them with diagnostics."""
    surface = LaplaceSurface(choices, prior)
    algorithms = len(choices.names)

    def advance(state: _State) -> _State:
        if isinstance(prior, Dirichlet):
            concentration = np.full(CHAINS, prior.concentration)
            return _State(_redraw_ratings(state.utilities, concentration, choices, rng), state.hyperparameters)
        kappa = _redraw_kappa(state, surface.hyperpriors["kappa"], rng)
        return _State(_redraw_ratings(state.utilities, kappa / algorithms, choices, rng), kappa[None])

    state = _start(surface, rng)
    for _ in range(_WARM_UP):
        state = advance(state)
    chains = run_until_converged(advance, state, draws=draws, attempts=_ATTEMPTS)
    return chains.pool(draws, rng=rng), chains.diagnostics("gibbs", "Gibbs sampling", surface.hyperpriors, draws=draws)


def _start(surface: LaplaceSurface, rng: np.random.Generator) -> _State:
    """Start the chains around the mode of each budget, with twice the standard deviation of Laplace's approximation."""
    conditional = surface.conditional(surface.start, None)
    eta = conditional.coefficients(2 * rng.standard_normal((*conditional.mode.shape, CHAINS)))
    hyperparameters = [value * np.exp(rng.normal(0, 0.5, CHAINS)) for value in surface.start]
    return _State(log_ratings(surface.contrasts @ eta, axis=1), np.reshape(hyperparameters, (-1, CHAINS)))


def _redraw_ratings(utilities: Array, concentration: Array, choices: Choices, rng: np.random.Generator) -> Array:
    """Redraw the ratings of all budgets and chains in one sweep; the concentration a has shape (chain,)."""
    budgets, algorithms, chains = utilities.shape
    log_total = draw_log_gamma(np.broadcast_to(algorithms * concentration, (budgets, chains)), rng=rng)
    redrawn = np.empty_like(utilities)
    for t, log_theta in enumerate(utilities):
        chosen = choices.counts[t] > 0
        members = choices.members[t, chosen].astype(np.float64)
        peak = log_theta.max(axis=0)
        masses = members @ np.exp(np.maximum(log_theta - peak, -700.0))
        arrivals = rng.standard_gamma(choices.counts[t, chosen][:, None], size=masses.shape) / masses
        with np.errstate(divide="ignore"):  # log 0 for an algorithm in no set, whose rate is then the prior's
            log_rate = np.logaddexp(0.0, np.log(members.T @ arrivals) - peak - log_total[t])
        redrawn[t] = draw_log_gamma(concentration + choices.wins[t][:, None], rng=rng) - log_rate
    return log_ratings(redrawn, axis=1)


def _redraw_kappa(state: _State, hyperprior: Hyperprior, rng: np.random.Generator) -> Array:
    """Redraw κ of all chains by slice sampling log κ given the ratings (Neal, 2003: stepping out and shrinking)."""
    budgets, algorithms, chains = state.utilities.shape
    sum_log_ratings = state.utilities.sum(axis=(0, 1))

    def log_density(log_kappa: Array) -> Array:
        kappa = np.exp(log_kappa)
        normalisation = scipy.special.gammaln(kappa) - algorithms * scipy.special.gammaln(kappa / algorithms)
        log_prior = np.array([hyperprior.log_density(value) for value in log_kappa])
        density: Array = log_prior + budgets * normalisation + kappa / algorithms * sum_log_ratings
        return density

    current: Array = np.log(state.hyperparameters[0])
    level = log_density(current) - rng.exponential(size=chains)
    left = current - _SLICE_WIDTH * rng.random(chains)
    right = left + _SLICE_WIDTH
    for _ in range(_MOST_SLICE_STEPS):
        low, high = log_density(left) > level, log_density(right) > level
        if not (low.any() or high.any()):
            break
        left, right = left - _SLICE_WIDTH * low, right + _SLICE_WIDTH * high
    proposal = current
    open_chains = np.ones(chains, dtype=bool)
    while open_chains.any():
        proposal = np.where(open_chains, rng.uniform(left, right), proposal)
        open_chains = open_chains & (log_density(proposal) < level)
        left = np.where(open_chains & (proposal < current), proposal, left)
        right = np.where(open_chains & (proposal >= current), proposal, right)
    kappa: Array = np.exp(proposal)
    return kappa
