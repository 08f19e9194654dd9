"""Importance-corrected Laplace at each time: the default engine of the Dirichlet priors.

Each time's posterior is a log-concave density in n − 1 dimensions with exponential tails. Proposals come from a
multivariate Student t around it, whose tails are heavier than any of these, and Pareto-smoothed weights correct them. Under
the hierarchical prior the proposals are a mixture over the nodes of κ's lattice, and the same draws serve every node, each
with weights of its own; a node's mass is the product over times of the estimated integrals, and draws of one κ share it at
all times.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polarbear.diagnostics import Diagnostics
from polarbear.inference.dirichlet_field import BlockFactor, DirichletField
from polarbear.inference.hyperlattice import Node, masses_of
from polarbear.inference.importance import Importance, pareto_smoothed, resample, systematic_counts
from polarbear.inference.whitened import WhitenedPosterior, whitened_posterior
from polarbear.models.plackett_luce import log_likelihood_by_time

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polarbear.models.dirichlet import IndependentPrior
    from polarbear.observe import Choices

    Array = NDArray[np.float64]

# Of the Student t and its width in posterior standard deviations: on 24 data sets from (n, P) = (3, 8) to (10, 300) these
# kept the largest Pareto k below 0.5 at over 40 % effective draws; narrower or lighter-tailed ones did not.
_DEGREES_OF_FREEDOM = 4.0
_WIDTH = 1.3


def pointwise_laplace(
    choices: Choices, prior: IndependentPrior, *, draws: int, rng: np.random.Generator
) -> tuple[Array, Diagnostics]:
    """Utilities (time, algorithm, draw) from the posterior, with diagnostics."""
    utilities, diagnostics, _ = correct_each_time(whitened_posterior(choices, prior), draws=draws, rng=rng)
    return utilities, diagnostics


def correct_each_time(
    posterior: WhitenedPosterior, *, draws: int, rng: np.random.Generator
) -> tuple[Array, Diagnostics, NDArray[np.bool_]]:
    """Draw around the modes, weigh the draws of each time for every node, and resample; and at which times that was good."""
    eta, log_proposal = _proposals(posterior, draws, rng)
    utilities = posterior.surface.contrasts @ eta
    log_ratio = log_likelihood_by_time(utilities, posterior.surface.choices) - log_proposal
    log_weights = np.array([log_ratio + _log_prior(posterior, node, eta) for node in posterior.nodes])
    largest = log_weights.max(axis=2)
    log_integrals = largest + np.log(
        np.exp(log_weights - largest[..., None]).sum(axis=2)
    )  # (node, time), up to a constant
    masses = masses_of(np.array([node.log_hyperprior for node in posterior.nodes]) + log_integrals.sum(axis=1))

    chosen = np.empty((len(eta), draws), dtype=np.intp)
    counts = systematic_counts(masses, draws, rng=rng)
    starts = np.cumsum(counts) - counts
    for index in np.flatnonzero(counts):
        here = slice(starts[index], starts[index] + counts[index])
        importances = [pareto_smoothed(row) for row in log_weights[index]]
        chosen[:, here] = [resample(each.weights, int(counts[index]), rng=rng) for each in importances]
    chosen = rng.permutation(chosen, axis=1)

    if len(masses) > 1:  # what the draws of a time are worth is told by their weights under all nodes together
        with np.errstate(divide="ignore"):  # a node without mass adds nothing
            shares = log_weights - log_integrals[..., None] + np.log(masses)[:, None, None]
        importances = [pareto_smoothed(row) for row in np.logaddexp.reduce(shares, axis=0)]
    good = np.array([importance.good for importance in importances])
    drawn = np.take_along_axis(utilities, chosen[:, None, :], axis=2)
    return drawn, _diagnostics(posterior, masses, importances, draws), good


def _proposals(posterior: WhitenedPosterior, draws: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """η (time, latent function, draw) from a mixture of Student t, and its log-density (time, draw) up to a constant."""
    times, functions = posterior.shape
    # Mixed half by mass and half evenly, so that the tails of wide nodes are covered too.
    shares = 0.5 * posterior.masses + 0.5 / len(posterior.nodes)
    counts = systematic_counts(shares, draws, rng=rng)
    conditionals = [posterior.conditional(index) for index in range(len(posterior.nodes))]
    shift = posterior.mean_white_noise(rng)[..., None]
    noise = rng.standard_normal((times, functions, draws))
    noise /= np.sqrt(rng.chisquare(_DEGREES_OF_FREEDOM, (times, 1, draws)) / _DEGREES_OF_FREEDOM)
    parts = np.split(shift + _WIDTH * noise, np.cumsum(counts)[:-1], axis=-1)
    eta = np.concatenate([c.coefficients(part) for c, part in zip(conditionals, parts, strict=True)], axis=-1)

    log_densities = []
    for conditional, share in zip(conditionals, shares, strict=True):
        factor = conditional.factor
        assert isinstance(factor, BlockFactor)
        distance = (((factor.whiten(eta - conditional.mode[..., None]) - shift) / _WIDTH) ** 2).sum(axis=1)
        power = -0.5 * (_DEGREES_OF_FREEDOM + functions)
        centre = np.log(share) + 0.5 * factor.log_determinants[:, None]
        log_densities.append(centre + power * np.log1p(distance / _DEGREES_OF_FREEDOM))
    return eta, np.logaddexp.reduce(log_densities, axis=0)


def _log_prior(posterior: WhitenedPosterior, node: Node, eta: Array) -> Array:
    field = posterior.surface.field(node.hyperparameters)
    assert isinstance(field, DirichletField)
    return field.log_prior_by_time(eta)


def _diagnostics(posterior: WhitenedPosterior, masses: Array, importances: list[Importance], draws: int) -> Diagnostics:
    """One verdict over all times and nodes."""
    k = max(importance.pareto_k for importance in importances)
    effective = min(importance.effective_share for importance in importances) * draws
    reliable = all(importance.good for importance in importances)
    quality = f"largest Pareto k {k:.2f}, at least {effective:.0f} effective of {draws} draws"
    hyperparameters = np.array([node.hyperparameters for node in posterior.nodes])
    mean = masses @ hyperparameters
    deviation = np.sqrt(masses @ (hyperparameters - mean) ** 2)
    return Diagnostics(
        method="nested-laplace",
        reliable=reliable,
        message=f"Importance-corrected Laplace at each time: {quality}."
        if reliable
        else f"Importance weights could not correct Laplace at each time ({quality}): use method='auto' or 'hmc'.",
        effective_draws=effective,
        pareto_k=k,
        hyperparameters=tuple(zip(posterior.surface.hyperpriors, mean.tolist(), deviation.tolist(), strict=True)),
    )
