"""Importance-corrected Laplace at each time: the default engine of the Dirichlet priors.

Each time's posterior is a log-concave density in n − 1 dimensions with exponential tails. Proposals come from a
multivariate Student t around it, whose tails are heavier than any of these, and Pareto-smoothed weights correct them. Under
the hierarchical prior the proposals are a mixture over the nodes of κ's lattice, and the same draws serve every node, each
with weights of its own; a node's mass is the product over times of the estimated integrals, and draws of one κ share it at
all times.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.diagnostics import Diagnostics
from polarbear.inference.dirichlet_field import BlockFactor, DirichletField
from polarbear.inference.hyperlattice import masses_of
from polarbear.inference.importance import Importance, in_order, pareto_smoothed, systematic_counts
from polarbear.inference.whitened import WhitenedPosterior, whitened_posterior
from polarbear.models.plackett_luce import log_likelihood_at, log_total

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
    contrasts, choices = posterior.surface.contrasts, posterior.surface.choices
    fields = [posterior.surface.field(node.hyperparameters) for node in posterior.nodes]
    proposal = _proposal(posterior, draws, rng)
    utilities = np.empty((len(choices.grid), len(choices.names), draws))
    log_weights = np.empty((len(posterior.nodes), len(choices.grid), draws))
    for t in range(len(choices.grid)):
        eta, log_proposal = proposal.draw(t, rng)
        utilities[t] = contrasts @ eta
        log_ratio = log_likelihood_at(t, utilities[t], choices) - log_proposal
        total = log_total(utilities[t], axis=0)
        for weights, field in zip(log_weights[:, t], fields, strict=True):
            assert isinstance(field, DirichletField)
            np.add(log_ratio, field.log_density(total), out=weights)
    largest = log_weights.max(axis=2)
    log_integrals = largest + np.log(
        np.exp(log_weights - largest[..., None]).sum(axis=2)
    )  # (node, time), up to a constant
    masses = masses_of(np.array([node.log_hyperprior for node in posterior.nodes]) + log_integrals.sum(axis=1))

    chosen = np.empty((len(utilities), draws), dtype=np.intp)
    counts = systematic_counts(masses, draws, rng=rng)
    starts = np.cumsum(counts) - counts
    for index in np.flatnonzero(counts):
        here = slice(starts[index], starts[index] + counts[index])
        importances = [pareto_smoothed(row) for row in log_weights[index]]
        chosen[:, here] = [in_order(each.weights, int(counts[index]), rng=rng) for each in importances]
    if len(masses) > 1:  # what the draws of a time are worth is told by their weights under all nodes together
        with np.errstate(divide="ignore"):  # a node without mass adds nothing
            shares = log_weights - log_integrals[..., None] + np.log(masses)[:, None, None]
        importances = [pareto_smoothed(row) for row in np.logaddexp.reduce(shares, axis=0)]
    good = np.array([importance.good for importance in importances])
    shuffled = rng.permutation(draws)
    for t, resampled in enumerate(chosen):
        utilities[t] = np.take(utilities[t], resampled[shuffled], axis=1)
    return utilities, _diagnostics(posterior, masses, importances, draws), good


@dataclass(frozen=True, eq=False)
class _Proposal:
    """At each time a mixture of Student t, one around the mode of each node."""

    modes: Array  # (node, time, latent function)
    factors: list[BlockFactor]  # of the nodes
    shift: Array  # of the white noise, (time, latent function)
    shares: Array  # of the nodes
    counts: NDArray[np.intp]  # draws of the nodes

    def draw(self, t: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """η (latent function, draw) at a time, and its log-density (draw) up to a constant."""
        draws, functions = int(self.counts.sum()), self.shift.shape[1]
        noise = rng.standard_normal((functions, draws))
        noise /= np.sqrt(rng.chisquare(_DEGREES_OF_FREEDOM, draws) / _DEGREES_OF_FREEDOM)
        white = _WIDTH * noise + self.shift[t][:, None]
        parts = np.split(white, np.cumsum(self.counts)[:-1], axis=1)
        modes = self.modes[:, t, :, None]
        coloured = [factor.colour_at(t, part) for factor, part in zip(self.factors, parts, strict=True)]
        eta = np.concatenate([mode + each for mode, each in zip(modes, coloured, strict=True)], axis=1)
        if len(modes) == 1:
            return eta, _log_student(noise)
        log_densities = []
        for mode, factor, share in zip(modes, self.factors, self.shares, strict=True):
            standardised = (factor.whiten_at(t, eta - mode) - self.shift[t][:, None]) / _WIDTH
            log_densities.append(np.log(share) + 0.5 * factor.log_determinants[t] + _log_student(standardised))
        return eta, np.logaddexp.reduce(log_densities, axis=0)


def _proposal(posterior: WhitenedPosterior, draws: int, rng: np.random.Generator) -> _Proposal:
    # Mixed half by mass and half evenly, so that the tails of wide nodes are covered too.
    shares = 0.5 * posterior.masses + 0.5 / len(posterior.nodes)
    factors = []
    for index in range(len(posterior.nodes)):
        factor = posterior.conditional(index).factor
        assert isinstance(factor, BlockFactor)
        factors.append(factor)
    return _Proposal(
        modes=np.array([node.mode for node in posterior.nodes]),
        factors=factors,
        shift=posterior.mean_white_noise(rng, pairs=32),
        shares=shares,
        counts=systematic_counts(shares, draws, rng=rng),
    )


def _log_student(standardised: Array) -> Array:
    """Log-density (draw) of the multivariate Student t at (latent function, draw), up to a constant."""
    power = -0.5 * (_DEGREES_OF_FREEDOM + len(standardised))
    distance: Array = np.einsum("fd,fd->d", standardised, standardised)
    return power * np.log1p(distance / _DEGREES_OF_FREEDOM)


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
