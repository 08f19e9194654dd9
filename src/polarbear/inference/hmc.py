"""Hamiltonian Monte Carlo in whitened coordinates: exact draws where importance weights fail.

In whitened coordinates the posterior is the standard normal times exp(R). A rotation solves the dynamics of the normal part
exactly, and leapfrog steps integrate R alone (Shahbaba et al., 2014, "Split Hamiltonian Monte Carlo"). A quarter turn of a
few steps therefore gives a nearly independent draw in any dimension. After each turn a Metropolis step proposes another
node of the hyperparameter lattice with the white noise unchanged. It is often accepted because R barely differs between
nodes.

In: a `WhitenedPosterior`. Out: utilities (budget, algorithm, draw) and diagnostics.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from polarbear.inference.convergence import CHAINS, run_until_converged
from polarbear.inference.importance import systematic_counts
from polarbear.inference.laplace.whitened_posterior import Points, whitened_posterior

if TYPE_CHECKING:
    from polarbear.arrays import Array, Mask
    from polarbear.inference.laplace.whitened_posterior import WhitenedPosterior
    from polarbear.models import PlackettLucePrior
    from polarbear.observe import Choices
    from polarbear.posterior.diagnostics import Diagnostics


_WARM_UP = 40  # turns; few suffice: chains start from Laplace's approximation, and turns are nearly independent draws
_TURNS_PER_ADJUSTMENT = 5  # number of turns between changes of the number of leapfrog steps
_TARGET_ACCEPTANCE = 0.8
_MOST_STEPS = 64
_ATTEMPTS = 4


def hmc(
    choices: Choices, prior: PlackettLucePrior, *, draws: int, rng: np.random.Generator
) -> tuple[Array, Diagnostics]:
    """Draw utilities (budget, algorithm, draw) from the posterior, and return them with diagnostics."""
    return correct_by_hmc(whitened_posterior(choices, prior), draws=draws, rng=rng)


def correct_by_hmc(posterior: WhitenedPosterior, *, draws: int, rng: np.random.Generator) -> tuple[Array, Diagnostics]:
    """Run chains from Laplace's approximation; return utilities (budget, algorithm, draw) and diagnostics."""
    counts = systematic_counts(posterior.masses, CHAINS, rng=rng)
    start = posterior.evaluate(
        np.repeat(np.arange(len(counts)), counts), rng.standard_normal((*posterior.shape, CHAINS))
    )
    state, steps = _warm_up(posterior, start, rng)

    def advance(state: Points) -> Points:
        return _hop(posterior, _turn(posterior, state, steps, rng)[0], rng)

    chains = run_until_converged(advance, state, draws=draws, attempts=_ATTEMPTS)
    title = "Hamiltonian Monte Carlo from the nested Laplace solution"
    return chains.pool(draws, rng=rng), chains.diagnostics("hmc", title, posterior.surface.hyperpriors, draws=draws)


def _warm_up(posterior: WhitenedPosterior, state: Points, rng: np.random.Generator) -> tuple[Points, int]:
    """Run the warm-up, and double the number of leapfrog steps until the target acceptance is met."""
    steps, acceptances = 2, []
    for _ in range(_WARM_UP):
        state, acceptance = _turn(posterior, state, steps, rng)
        state = _hop(posterior, state, rng)
        acceptances.append(acceptance)
        if len(acceptances) == _TURNS_PER_ADJUSTMENT:
            if np.mean(acceptances) < _TARGET_ACCEPTANCE:
                steps = min(2 * steps, _MOST_STEPS)
            acceptances = []
    return state, steps


def _turn(posterior: WhitenedPosterior, state: Points, steps: int, rng: np.random.Generator) -> tuple[Points, float]:
    """Propose about a quarter turn in `steps` leapfrog steps, and accept or reject it for each chain.

    Returns the new state and the mean acceptance probability.
    """
    angle = rng.uniform(0.8, 1.2) * 0.5 * math.pi / steps
    cosine, sine = math.cos(angle), math.sin(angle)
    momentum = rng.standard_normal(state.white.shape)
    energy = _energy(state, momentum)
    proposal = state
    for _ in range(steps):
        momentum = momentum + 0.5 * angle * proposal.force
        white = cosine * proposal.white + sine * momentum
        momentum = cosine * momentum - sine * proposal.white
        proposal = posterior.evaluate(state.node, white)
        momentum = momentum + 0.5 * angle * proposal.force
    probability = np.exp(np.minimum(0.0, energy - _energy(proposal, momentum)))
    return _accept(rng.random(CHAINS) < probability, proposal, state), float(probability.mean())


def _hop(posterior: WhitenedPosterior, state: Points, rng: np.random.Generator) -> Points:
    """Propose a node drawn with Laplace's masses, with the white noise unchanged, and accept by Metropolis-Hastings."""
    node = rng.choice(len(posterior.nodes), CHAINS, p=posterior.masses)
    proposal = posterior.evaluate(node, state.white)
    log_masses = np.log(posterior.masses)
    log_ratio = proposal.residual - state.residual + log_masses[state.node] - log_masses[node]
    return _accept(rng.random(CHAINS) < np.exp(np.minimum(0.0, log_ratio)), proposal, state)


def _energy(state: Points, momentum: Array) -> Array:
    energy: Array = 0.5 * (state.white**2 + momentum**2).sum(axis=(0, 1)) - state.residual
    return energy


def _accept(accepted: Mask, proposal: Points, state: Points) -> Points:
    new, old = vars(proposal).values(), vars(state).values()
    return Points(*(np.where(accepted, a, b) for a, b in zip(new, old, strict=True)))
