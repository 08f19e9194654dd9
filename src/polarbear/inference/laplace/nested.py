"""Nested Laplace with importance correction: the default method for the temporal priors.

For fixed hyperparameters the posterior of the coefficients is nearly Gaussian, and a lattice integrates over the
hyperparameters. Draws come from the resulting mixture of Gaussians. Pareto-smoothed importance weights against the exact
joint density of choices, coefficients and hyperparameters correct the error of Laplace's approximation, and show whether
the correction is reliable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polarbear.inference.hyperparameter_summary import summarise_weighted
from polarbear.inference.importance import pareto_smooth, resample, systematic_counts
from polarbear.inference.laplace.whitened_posterior import WhitenedPosterior, whitened_posterior
from polarbear.models.plackett_luce import log_likelihood_by_budget
from polarbear.posterior.diagnostics import Diagnostics

if TYPE_CHECKING:
    from polarbear.arrays import Array
    from polarbear.models.temporal import TemporalPrior
    from polarbear.observe import Choices


def nested_laplace(
    choices: Choices, prior: TemporalPrior, *, draws: int, rng: np.random.Generator
) -> tuple[Array, Diagnostics]:
    """Draw utilities (budget, algorithm, draw) from the posterior, and return them with diagnostics."""
    return correct_by_importance(whitened_posterior(choices, prior), draws=draws, rng=rng)


def correct_by_importance(
    posterior: WhitenedPosterior, *, draws: int, rng: np.random.Generator
) -> tuple[Array, Diagnostics]:
    """Draw from the mixture over the lattice's nodes, weight each draw against the exact density, and resample.

    Returns utilities (budget, algorithm, draw) and diagnostics.
    """
    surface = posterior.surface
    shift = posterior.mean_white_noise(rng)
    counts = systematic_counts(posterior.masses, draws, rng=rng)
    node = np.repeat(np.arange(len(counts)), counts)
    utilities = np.empty((len(surface.choices.grid), len(surface.choices.names), draws))
    log_weights = np.empty(draws)
    for index in np.flatnonzero(counts).tolist():
        here = node == index
        noise = rng.standard_normal((*posterior.shape, counts[index]))
        white = shift[..., None] + noise
        eta, residual, _ = posterior.place(index, posterior.conditional(index), white)
        utilities[..., here] = surface.contrasts @ eta
        # The density is exp(R) N(ε; 0, I); the proposal is N(ε; shift, I) times the node's mass.
        log_density = residual - 0.5 * (white**2).sum(axis=(0, 1))
        log_proposal = np.log(posterior.masses[index]) - 0.5 * (noise**2).sum(axis=(0, 1))
        log_weights[here] = log_density - log_proposal
    log_weights += log_likelihood_by_budget(utilities, surface.choices, dtype=np.float32).sum(axis=0)

    importance = pareto_smooth(log_weights)
    hyperparameters = np.array([posterior.nodes[index].hyperparameters for index in node])
    quality = f"Pareto k {importance.pareto_k:.2f}, {importance.effective_share * draws:.0f} effective of {draws} draws"
    diagnostics = Diagnostics(
        method="nested-laplace",
        reliable=importance.good,
        message=f"Nested Laplace with importance correction: {quality}."
        if importance.good
        else f"Importance weights could not correct nested Laplace ({quality}).",
        effective_draws=importance.effective_share * draws,
        pareto_k=importance.pareto_k,
        hyperparameters=summarise_weighted(surface.hyperpriors, hyperparameters, importance.weights),
    )
    return utilities[..., resample(importance.weights, draws, rng=rng)], diagnostics
