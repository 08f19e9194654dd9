"""The exact posterior in whitened coordinates, where it is nearly a standard normal.

A point consists of a node of the hyperparameter lattice and white noise ε, which the node's Gaussian maps to coefficients.
In these coordinates the posterior is the standard normal times exp(R). R is the error of Laplace's approximation and is
small and smooth. Importance weights are computed from R, and Hamiltonian Monte Carlo uses its gradient.

In: choices and a prior. Out: a `WhitenedPosterior`, which evaluates R and its gradient at any points.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from polarbear.inference.fields.dirichlet_field import DirichletField
from polarbear.inference.fields.latent_field import latent_field
from polarbear.inference.fields.reduced_prior import reduced_prior
from polarbear.inference.laplace.conditional import Conditional, laplace_approximation
from polarbear.inference.laplace.hyperparameter_lattice import Node, build_lattice, node_masses
from polarbear.models import TemporalPrior
from polarbear.models.helmert import helmert
from polarbear.models.plackett_luce import log_likelihood_and_gradient

if TYPE_CHECKING:
    from collections.abc import Mapping

    from polarbear.arrays import Array, Indices
    from polarbear.inference.fields.latent_field import LatentField
    from polarbear.models import Hyperprior, PlackettLucePrior
    from polarbear.observe import Choices


_ANTITHETIC_PAIRS = 128
_SMALL = 2**21  # bytes up to which the Gaussian of a node is kept, for some dozens of nodes; larger ones are recomputed


@dataclass(frozen=True, eq=False)
class LaplaceSurface:
    """Laplace's approximation of the posterior of the hyperparameters, up to a constant."""

    choices: Choices
    prior: PlackettLucePrior

    @cached_property
    def contrasts(self) -> Array:
        """The Helmert matrix Q."""
        return helmert(len(self.choices.names))

    @cached_property
    def hyperpriors(self) -> Mapping[str, Hyperprior]:
        """Hyperpriors of the prior's hyperparameters, by name."""
        return self.prior.hyperpriors_for(len(self.choices.names))

    @property
    def start(self) -> tuple[float, ...]:
        """Medians of the hyperpriors."""
        return tuple(hyperprior.quantile(0.5) for hyperprior in self.hyperpriors.values())

    def field(self, hyperparameters: tuple[float, ...]) -> LatentField:
        """Return the prior of the latent functions for given hyperparameters."""
        grid, algorithms = self.choices.grid, len(self.choices.names)
        if isinstance(self.prior, TemporalPrior):
            return latent_field(self._reduced, grid, hyperparameters, algorithms - 1)
        return DirichletField(self.prior.concentration_for(algorithms, *hyperparameters), len(grid), algorithms)

    @cached_property
    def _reduced(self) -> TemporalPrior:
        assert isinstance(self.prior, TemporalPrior)
        return reduced_prior(self.prior, self.choices.grid)

    def conditional(self, hyperparameters: tuple[float, ...], start: Array | None) -> Conditional:
        """Return Laplace's approximation of the coefficients' posterior for given hyperparameters."""
        return laplace_approximation(self.field(hyperparameters), self.choices, self.contrasts, start=start)

    def node(self, hyperparameters: tuple[float, ...], start: Array | None) -> Node:
        """Evaluate one point of the surface; Newton's method starts at coefficients `start`."""
        log_hyperprior = sum(
            hyperprior.log_density(math.log(value))
            for hyperprior, value in zip(self.hyperpriors.values(), hyperparameters, strict=True)
        )
        conditional = self.conditional(hyperparameters, start)
        kept = conditional if conditional.factor.nbytes <= _SMALL else None
        return Node(hyperparameters, log_hyperprior, log_hyperprior + conditional.log_evidence, conditional.mode, kept)


def whitened_posterior(choices: Choices, prior: PlackettLucePrior) -> WhitenedPosterior:
    """Compute Laplace's approximation on the lattice of hyperparameters, and return the posterior relative to it."""
    surface = LaplaceSurface(choices, prior)
    return WhitenedPosterior(surface, build_lattice(surface) if surface.hyperpriors else [surface.node((), None)])


@dataclass(frozen=True, eq=False)
class Points:
    """Several points, along the last axis of each array, with their utilities, R and its gradient."""

    node: Indices  # (point,)
    white: Array  # (coefficient, latent function, point)
    utilities: Array  # (budget, algorithm, point)
    hyperparameters: Array  # (hyperparameter, point)
    residual: Array  # R, (point,)
    force: Array  # gradient of R in the white noise


@dataclass(frozen=True, eq=False)
class WhitenedPosterior:
    """The exact joint density of (choices, node, ε) relative to the standard normal density of ε, exp(R)."""

    surface: LaplaceSurface
    nodes: list[Node]

    @cached_property
    def masses(self) -> Array:
        """Posterior mass of each node, by Laplace's approximation and the trapezoid rule."""
        return node_masses(np.array([node.log_density for node in self.nodes]))

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the white noise of one point."""
        return self.nodes[0].mode.shape

    def conditional(self, index: int) -> Conditional:
        """Return the Gaussian at a node."""
        node = self.nodes[index]
        return node.conditional or self.surface.conditional(node.hyperparameters, node.mode)

    def place(self, index: int, conditional: Conditional, white: Array) -> tuple[Array, Array, Array]:
        """Evaluate the prior at points of one node.

        Returns latent functions, R without the log-likelihood, and the gradient of the log-prior in the coefficients.
        """
        x = conditional.coefficients(white)
        log_prior, force = conditional.field.log_prior(x)
        # Colouring multiplies volumes by |H|^−½.
        constant = self.nodes[index].log_hyperprior - 0.5 * conditional.factor.log_determinant
        residual = constant + log_prior + 0.5 * (white**2).sum(axis=(0, 1))
        return conditional.field.latent(x), residual, force

    def evaluate(self, node: Indices, white: Array) -> Points:
        """Evaluate R and its gradient at points that may belong to different nodes."""
        contrasts = self.surface.contrasts
        prior_force = np.empty_like(white)
        eta = np.empty((len(self.surface.choices.grid), *white.shape[1:]))
        residual = np.empty(len(node))
        groups = [(index, np.flatnonzero(node == index)) for index in np.unique(node)]
        for index, here in groups:
            placed = self.place(index, self._conditionals[index], white[..., here])
            eta[..., here], residual[here], prior_force[..., here] = placed
        utilities = contrasts @ eta
        log_likelihood, gradient = log_likelihood_and_gradient(utilities, self.surface.choices)
        gradient = contrasts.T @ gradient
        force = white.copy()
        for index, here in groups:
            conditional = self._conditionals[index]
            pulled = conditional.field.pull_back(gradient[..., here]) + prior_force[..., here]
            force[..., here] += conditional.factor.colour_transposed(pulled)
        return Points(node, white, utilities, self._hyperparameters[:, node], residual + log_likelihood, force)

    def mean_white_noise(self, rng: np.random.Generator) -> Array:
        """Estimate the posterior mean of the white noise, which differs from the mode at zero if the density is skewed.

        The Gaussian N(v, I) nearest to the posterior (in Kullback-Leibler divergence) has v = E ∇R. One step of this
        fixed-point iteration, from antithetic pairs at the node of largest mass, at least halves the spread of the log
        importance weights.
        """
        noise = rng.standard_normal((*self.shape, _ANTITHETIC_PAIRS))
        heaviest = np.full(2 * _ANTITHETIC_PAIRS, np.argmax(self.masses))
        mean: Array = self.evaluate(heaviest, np.concatenate([noise, -noise], axis=-1)).force.mean(axis=-1)
        return mean

    @cached_property
    def _conditionals(self) -> _ConditionalCache:
        return _ConditionalCache(self)

    @cached_property
    def _hyperparameters(self) -> Array:
        return np.array([node.hyperparameters for node in self.nodes]).T


class _ConditionalCache(dict[int, "Conditional"]):
    """Cache of the Gaussians of visited nodes."""

    def __init__(self, posterior: WhitenedPosterior) -> None:
        super().__init__()
        self._posterior = posterior

    def __missing__(self, index: int) -> Conditional:
        self[index] = self._posterior.conditional(index)
        return self[index]
