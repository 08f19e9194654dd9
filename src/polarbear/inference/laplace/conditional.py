"""Laplace's approximation of the posterior of the latent coefficients for fixed hyperparameters.

Newton's method finds the mode, and a Gaussian with the curvature there approximates the posterior. For fixed hyperparameters
the log-posterior ℓ(Q η(x)) + log p(x) is concave in the coefficients x, so Newton's method with a line search always
converges.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.models.plackett_luce import derivatives

if TYPE_CHECKING:
    from polarbear.arrays import Array
    from polarbear.inference.fields.latent_field import Factor, LatentField
    from polarbear.observe import Choices


# Newton's method stops when a full step would raise the log-posterior by less than this. The mode is then within a
# thousandth of a posterior standard deviation.
_ENOUGH = 1e-6
_MOST_STEPS = 200
_LONGEST_STEP = 3.0  # largest change of a utility; at odds of e³ against, a choice is practically certain


@dataclass(frozen=True, eq=False)
class Conditional:
    """Gaussian approximation of the coefficients' posterior given the hyperparameters.

    Attributes
    ----------
    field
        Prior of the coefficients and their map to the latent functions.
    mode
        Most probable coefficients, shape (coefficient, latent function).
    factor
        The factorised precision H at the mode.
    log_joint
        Log-density of choices and coefficients at the mode.
    """

    field: LatentField
    mode: Array
    factor: Factor
    log_joint: float

    @property
    def log_evidence(self) -> float:
        """Laplace's approximation of the log-probability of the choices given the hyperparameters."""
        return self.log_joint - self.factor.log_centre

    def coefficients(self, white: Array) -> Array:
        """Map white noise (coefficient, latent function, draw) to coefficients."""
        return self.mode[..., None] + self.factor.colour(white)


def laplace_approximation(
    field: LatentField, choices: Choices, contrasts: Array, *, start: Array | None = None
) -> Conditional:
    """Find the mode by Newton's method and approximate the posterior there.

    Parameters
    ----------
    field
        Prior of the coefficients and their map to the latent functions, for the given hyperparameters.
    choices
        The data.
    contrasts
        The Helmert matrix Q.
    start
        Initial coefficients, such as the mode for neighbouring hyperparameters; zero by default.
    """
    x = np.zeros(field.shape) if start is None else start
    value, gradient, curvature = log_posterior_derivatives(field, choices, contrasts, x)
    for _ in range(_MOST_STEPS):
        factor = field.factorise(curvature, x)
        step = _limit_step(factor.solve(gradient), field, contrasts)
        gain = 0.5 * float((step * gradient).sum())
        length = 1.0
        while gain > _ENOUGH:
            candidate = log_posterior_derivatives(field, choices, contrasts, x + length * step)
            if candidate[0] >= value + 0.1 * length * gain:  # Armijo's rule
                x = x + length * step
                value, gradient, curvature = candidate
                break
            length /= 2
            if length < _ENOUGH:  # rounding errors prevent further progress
                gain = 0.0
        else:
            break
    return Conditional(field, x, factor, value)


def _limit_step(step: Array, field: LatentField, contrasts: Array) -> Array:
    """Shorten a Newton step so that no utility changes by more than `_LONGEST_STEP`.

    Longer steps would reach regions of very different curvature and overshoot.
    """
    reach = np.abs(field.latent(step) @ contrasts.T).max(axis=1)
    return field.shorten(step, 1 / np.maximum(1.0, reach / _LONGEST_STEP))


def log_posterior_derivatives(
    field: LatentField, choices: Choices, contrasts: Array, x: Array
) -> tuple[float, Array, Array]:
    """Return log-posterior, gradient in the coefficients, and the likelihood's curvature in the latent functions."""
    value, gradient, curvature = derivatives(field.latent(x) @ contrasts.T, choices)
    log_prior, prior_force = field.log_prior(x)
    force = field.pull_back(gradient @ contrasts) + prior_force
    return float(value.sum() + log_prior), force, contrasts.T @ curvature @ contrasts
