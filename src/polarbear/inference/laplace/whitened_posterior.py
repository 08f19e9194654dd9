"""The exact posterior in whitened coordinates, where it is nearly a standard normal.

A point is a node of the hyperparameters' lattice and white noise ε; the node's Gaussian colours ε into coefficients. In
these coordinates the posterior is the standard normal times exp(R), and R is small and smooth: it holds all that Laplace's
approximation leaves out. Importance weights are made of R, and Hamiltonian Monte Carlo follows its gradient.
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
from polarbear.inference.laplace.conditional import Conditional, condition
from polarbear.inference.laplace.hyperparameter_lattice import Node, hyperlattice, masses_of
from polarbear.models import TemporalPrior
from polarbear.models.helmert import helmert
from polarbear.models.plackett_luce import log_likelihood_and_gradient

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from polarbear.inference.fields.latent_field import LatentField
    from polarbear.models import Hyperprior, PlackettLucePrior
    from polarbear.observe import Choices

    Array = NDArray[np.float64]


_ANTITHETIC_PAIRS = 128
_SMALL = 2**21  # bytes of a Gaussian that is kept at each of some dozens of nodes; larger ones are made again


@dataclass(frozen=True, eq=False)
class LaplaceSurface:
    """Laplace's approximation of the hyperparameters' posterior."""

    choices: Choices
    prior: PlackettLucePrior

    @cached_property
    def contrasts(self) -> Array:
        """The Helmert matrix Q."""
        return helmert(len(self.choices.names))

    @cached_property
    def hyperpriors(self) -> Mapping[str, Hyperprior]:
        """The hyperparameters of the prior, by name."""
        return self.prior.hyperpriors_for(len(self.choices.names))

    @property
    def start(self) -> tuple[float, ...]:
        """The hyperpriors' medians."""
        return tuple(hyperprior.quantile(0.5) for hyperprior in self.hyperpriors.values())

    def field(self, hyperparameters: tuple[float, ...]) -> LatentField:
        """The prior of the latent functions for given hyperparameters."""
        grid, algorithms = self.choices.grid, len(self.choices.names)
        if isinstance(self.prior, TemporalPrior):
            return latent_field(self._reduced, grid, hyperparameters, algorithms - 1)
        return DirichletField(self.prior.concentration_for(algorithms, *hyperparameters), len(grid), algorithms)

    @cached_property
    def _reduced(self) -> TemporalPrior:
        assert isinstance(self.prior, TemporalPrior)
        return reduced_prior(self.prior, self.choices.grid)

    def conditional(self, hyperparameters: tuple[float, ...], start: Array | None) -> Conditional:
        """Laplace's approximation of the coefficients' posterior for given hyperparameters."""
        return condition(self.field(hyperparameters), self.choices, self.contrasts, start=start)

    def node(self, hyperparameters: tuple[float, ...], start: Array | None) -> Node:
        """Evaluate one point of the surface; Newton's method begins at `start`."""
        log_hyperprior = sum(
            hyperprior.log_density(math.log(value))
            for hyperprior, value in zip(self.hyperpriors.values(), hyperparameters, strict=True)
        )
        conditional = self.conditional(hyperparameters, start)
        kept = conditional if conditional.factor.nbytes <= _SMALL else None
        return Node(hyperparameters, log_hyperprior, log_hyperprior + conditional.log_evidence, conditional.mode, kept)


def whitened_posterior(choices: Choices, prior: PlackettLucePrior) -> WhitenedPosterior:
    """Laplace's approximation on the lattice of hyperparameters, ready to be corrected."""
    surface = LaplaceSurface(choices, prior)
    return WhitenedPosterior(surface, hyperlattice(surface) if surface.hyperpriors else [surface.node((), None)])


@dataclass(frozen=True, eq=False)
class Points:
    """Several points at once, the last axis of each array, and what follows from them."""

    node: NDArray[np.intp]  # (point,)
    white: Array  # (coefficient, latent function, point)
    utilities: Array  # (time, algorithm, point)
    hyperparameters: Array  # (hyperparameter, point)
    residual: Array  # R, (point,)
    force: Array  # gradient of R in the white noise


@dataclass(frozen=True, eq=False)
class WhitenedPosterior:
    """The density of (choices, node, ε), divided by the standard normal's."""

    surface: LaplaceSurface
    nodes: list[Node]

    @cached_property
    def masses(self) -> Array:
        """Share of the posterior at each node, by Laplace's approximation and the trapezoid rule."""
        return masses_of(np.array([node.log_density for node in self.nodes]))

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the white noise of one point."""
        return self.nodes[0].mode.shape

    def conditional(self, index: int) -> Conditional:
        """The Gaussian at a node."""
        node = self.nodes[index]
        return node.conditional or self.surface.conditional(node.hyperparameters, node.mode)

    def place(self, index: int, conditional: Conditional, white: Array) -> tuple[Array, Array, Array]:
        """Of points at one node: latent functions, R but for the likelihood, and the prior's pull at the coefficients."""
        x = conditional.coefficients(white)
        log_prior, force = conditional.field.log_prior(x)
        # Colouring shrinks volumes by |H|^½.
        constant = self.nodes[index].log_hyperprior - 0.5 * conditional.factor.log_determinant
        residual = constant + log_prior + 0.5 * (white**2).sum(axis=(0, 1))
        return conditional.field.latent(x), residual, force

    def evaluate(self, node: NDArray[np.intp], white: Array) -> Points:
        """R and its gradient at points that may lie at different nodes."""
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
        """Where the white noise is centred under the posterior: beside the mode, at zero, where the density is skewed.

        The Gaussian N(v, I) nearest to the posterior (in Kullback-Leibler divergence) has v = E ∇R; one step of this fixed
        point, from antithetic pairs at the heaviest node, halves the spread of log importance weights or better.
        """
        noise = rng.standard_normal((*self.shape, _ANTITHETIC_PAIRS))
        heaviest = np.full(2 * _ANTITHETIC_PAIRS, np.argmax(self.masses))
        mean: Array = self.evaluate(heaviest, np.concatenate([noise, -noise], axis=-1)).force.mean(axis=-1)
        return mean

    @cached_property
    def _conditionals(self) -> _Remembered:
        return _Remembered(self)

    @cached_property
    def _hyperparameters(self) -> Array:
        return np.array([node.hyperparameters for node in self.nodes]).T


class _Remembered(dict[int, "Conditional"]):
    """The Gaussians of the nodes that points have visited."""

    def __init__(self, posterior: WhitenedPosterior) -> None:
        super().__init__()
        self._posterior = posterior

    def __missing__(self, index: int) -> Conditional:
        self[index] = self._posterior.conditional(index)
        return self[index]
