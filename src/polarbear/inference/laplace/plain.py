"""Plain Laplace: one Gaussian over coefficients and log-hyperparameters at their joint mode.

This is the paper's Laplace approximation, for comparison. Under the temporal priors it is often inaccurate, because the
joint posterior is curved along the hyperparameters. The draws are not corrected; importance weights only measure the error.
`nested_laplace` corrects it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.inference.fields.latent_field import DenseField, LatentField
from polarbear.inference.hyperparameter_summary import summarise_draws
from polarbear.inference.importance import pareto_smooth
from polarbear.inference.laplace.conditional import laplace_approximation, log_posterior_derivatives
from polarbear.inference.laplace.hyperparameter_lattice import Node, find_mode
from polarbear.inference.laplace.whitened_posterior import LaplaceSurface
from polarbear.models import TemporalPrior
from polarbear.models.plackett_luce import log_likelihood_by_budget
from polarbear.posterior.diagnostics import Diagnostics

if TYPE_CHECKING:
    from polarbear.arrays import Array
    from polarbear.models import PlackettLucePrior
    from polarbear.observe import Choices


_DIFFERENCE = 1e-3  # step of finite differences in log-hyperparameters


def plain_laplace(
    choices: Choices, prior: PlackettLucePrior, *, draws: int, rng: np.random.Generator
) -> tuple[Array, Diagnostics]:
    """Draw utilities (budget, algorithm, draw) from the Gaussian at the joint mode, and return them with diagnostics."""
    joint = _JointDensity(LaplaceSurface(choices, prior))
    if joint.surface.hyperpriors:
        log_hyperparameters, top, _ = find_mode(joint)
        log_hyperparameters, x = _polish(joint, log_hyperparameters, top.mode)
    else:
        log_hyperparameters, x = np.empty(0), joint.node((), None).mode
    field = joint.field(log_hyperparameters)
    factor = field.factorise(joint.curvature(field, x), x)

    # Compute H_hz and H_hh by finite differences. Then draw log h from its marginal, and x given log h.
    cross, hyper = _hyper_blocks(joint, log_hyperparameters, x)
    response = np.array([factor.solve(block) for block in cross]).reshape(len(cross), *x.shape)
    marginal = hyper - np.einsum("ajq,bjq->ab", cross, response)
    precisions, directions = np.linalg.eigh(marginal)
    precisions = np.maximum(precisions, 1e-3)  # along a ridge: as wide as any hyperprior
    hyper_noise = rng.standard_normal((len(precisions), draws))
    log_h = (directions / np.sqrt(precisions)) @ hyper_noise
    white = rng.standard_normal((*x.shape, draws))
    coefficients = x[..., None] + factor.colour(white) - np.tensordot(response, log_h, axes=(0, 0))
    log_h = log_h + log_hyperparameters[:, None]

    utilities, log_prior = _place(joint, log_h, coefficients)
    log_density = log_prior + log_likelihood_by_budget(utilities, choices).sum(axis=0)
    log_proposal = -0.5 * ((white**2).sum(axis=(0, 1)) + (hyper_noise**2).sum(axis=0))
    importance = pareto_smooth(log_density - log_proposal)
    message = f"Plain Laplace, not corrected: Pareto k {importance.pareto_k:.2f}."
    return utilities, Diagnostics(
        method="laplace",
        reliable=importance.nearly_equal,
        message=message
        if importance.nearly_equal
        else f"{message} It is not accurate enough for these data: use method='auto'.",
        effective_draws=importance.effective_share * draws,
        pareto_k=importance.pareto_k,
        hyperparameters=summarise_draws(joint.surface.hyperpriors, np.exp(log_h)),
    )


@dataclass(frozen=True, eq=False)
class _JointDensity:
    """The joint log-density of coefficients and log-hyperparameters.

    As a `Surface` it is the maximum over the coefficients.
    """

    surface: LaplaceSurface

    @property
    def start(self) -> tuple[float, ...]:
        return self.surface.start

    def field(self, log_hyperparameters: Array) -> LatentField:
        """Return the latent field, non-centred (z ~ N(0, I)) for the temporal priors as in samplers."""
        hyperparameters = tuple(map(math.exp, log_hyperparameters))
        prior, choices = self.surface.prior, self.surface.choices
        if isinstance(prior, TemporalPrior):
            return DenseField(prior.factor(choices.grid, *hyperparameters), len(choices.names) - 1)
        return self.surface.field(hyperparameters)

    def log_hyperprior(self, log_hyperparameters: Array) -> float:
        hyperpriors = self.surface.hyperpriors.values()
        return sum(h.log_density(float(value)) for h, value in zip(hyperpriors, log_hyperparameters, strict=True))

    def node(self, hyperparameters: tuple[float, ...], start: Array | None) -> Node:
        log_hyperparameters = np.log(np.array(hyperparameters))
        conditional = laplace_approximation(
            self.field(log_hyperparameters), self.surface.choices, self.surface.contrasts, start=start
        )
        log_hyperprior = self.log_hyperprior(log_hyperparameters)
        return Node(hyperparameters, log_hyperprior, log_hyperprior + conditional.log_joint, conditional.mode)

    def curvature(self, field: LatentField, x: Array) -> Array:
        return log_posterior_derivatives(field, self.surface.choices, self.surface.contrasts, x)[2]

    def value_and_force(self, log_hyperparameters: Array, x: Array) -> tuple[float, Array]:
        field = self.field(log_hyperparameters)
        value, force, _ = log_posterior_derivatives(field, self.surface.choices, self.surface.contrasts, x)
        return value + self.log_hyperprior(log_hyperparameters), force


def _polish(joint: _JointDensity, log_hyperparameters: Array, x: Array) -> tuple[Array, Array]:
    """Move a point near the joint mode to the mode, by Newton steps in the log-hyperparameters."""
    node = joint.node(tuple(np.exp(log_hyperparameters)), None)
    for _ in range(20):
        field = joint.field(log_hyperparameters)
        factor = field.factorise(joint.curvature(field, x), x)
        cross, hyper = _hyper_blocks(joint, log_hyperparameters, x)
        marginal = hyper - np.array([[(block * factor.solve(other)).sum() for other in cross] for block in cross])
        slope = _hyper_slope(joint, log_hyperparameters, x)
        if np.linalg.eigvalsh(marginal)[0] <= 0 or slope @ np.linalg.solve(marginal, slope) < 1e-8:
            break
        step = np.linalg.solve(marginal, slope)
        step /= max(1.0, float(np.abs(step).max()))
        higher = joint.node(tuple(np.exp(log_hyperparameters + step)), x)
        if higher.log_density <= node.log_density:
            break
        log_hyperparameters, node, x = log_hyperparameters + step, higher, higher.mode
    return log_hyperparameters, x


def _hyper_slope(joint: _JointDensity, log_hyperparameters: Array, x: Array) -> Array:
    """Return the gradient of the joint log-density in the log-hyperparameters at fixed coefficients."""
    steps = _DIFFERENCE * np.eye(len(log_hyperparameters))
    return np.array(
        [
            joint.value_and_force(log_hyperparameters + step, x)[0]
            - joint.value_and_force(log_hyperparameters - step, x)[0]
            for step in steps
        ]
    ) / (2 * _DIFFERENCE)


def _hyper_blocks(joint: _JointDensity, log_hyperparameters: Array, x: Array) -> tuple[Array, Array]:
    """Return two blocks of the negative Hessian of the joint log-density.

    Their shapes are (hyperparameter, coefficient, latent function) and (hyperparameter, hyperparameter).
    """
    size = len(log_hyperparameters)
    steps = _DIFFERENCE * np.eye(size)
    cross = np.zeros((size, *x.shape))
    hyper = np.zeros((size, size))
    for i, step in enumerate(steps):
        forward = joint.value_and_force(log_hyperparameters + step, x)[1]
        backward = joint.value_and_force(log_hyperparameters - step, x)[1]
        cross[i] = -(forward - backward) / (2 * _DIFFERENCE)
        slopes = [_hyper_slope(joint, log_hyperparameters + sign * step, x) for sign in (1, -1)]
        hyper[i] = -(slopes[0] - slopes[1]) / (2 * _DIFFERENCE)
    return cross, 0.5 * (hyper + hyper.T)


def _place(joint: _JointDensity, log_h: Array, coefficients: Array) -> tuple[Array, Array]:
    """Return utilities (budget, algorithm, draw) and log prior densities (draw); each draw has its own hyperparameters."""
    draws = coefficients.shape[-1]
    eta = np.empty((len(joint.surface.choices.grid), coefficients.shape[1], draws))
    log_prior = np.empty(draws)
    field = joint.field(log_h[:, 0])
    for draw in range(draws):
        if len(log_h):
            field = joint.field(log_h[:, draw])
        eta[..., draw] = field.latent(coefficients[..., draw])
        log_prior[draw] = field.log_prior(coefficients[..., draw])[0] + joint.log_hyperprior(log_h[:, draw])
    return joint.surface.contrasts @ eta, log_prior
