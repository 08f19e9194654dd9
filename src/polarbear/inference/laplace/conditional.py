"""The posterior of the latent coefficients for fixed hyperparameters: its mode by Newton's method, and a Gaussian there.

For fixed hyperparameters the log-posterior ℓ(Q η(x)) + log p(x) is concave in the coefficients x, so that Newton with a
line search always arrives.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.inference.fields.dirichlet_field import BlockFactor, DirichletField
from polarbear.models.plackett_luce import derivatives

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polarbear.inference.fields.latent_field import Factor, LatentField
    from polarbear.observe import Choices

    Array = NDArray[np.float64]

# Newton stops when a full step would raise the log-posterior by less than this; the mode is then within a thousandth of
# a posterior standard deviation.
_ENOUGH = 1e-6
_MOST_STEPS = 200
_LONGEST_STEP = 3.0  # of a utility; choices at odds of e³ against are as good as certain


@dataclass(frozen=True, eq=False)
class Conditional:
    """Gaussian approximation of the coefficients' posterior given the hyperparameters.

    Attributes
    ----------
    field
        Prior and map of the coefficients.
    mode
        Their most probable value, shape (coefficient, latent function).
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
    def log_centre(self) -> float:
        """Log-density of the approximation at its centre: Gaussian, or of the sticks under a Dirichlet prior."""
        if isinstance(self.factor, BlockFactor):
            return self.factor.sticks.log_centre
        return 0.5 * (self.factor.log_determinant - self.mode.size * math.log(2 * math.pi))

    @property
    def log_evidence(self) -> float:
        """Laplace's approximation of the log-probability of the choices given the hyperparameters."""
        return self.log_joint - self.log_centre

    def coefficients(self, white: Array) -> Array:
        """Coefficients of white noise (coefficient, latent function, draw)."""
        return self.mode[..., None] + self.factor.colour(white)


def condition(field: LatentField, choices: Choices, contrasts: Array, *, start: Array | None = None) -> Conditional:
    """Find the mode by Newton's method from `start` (zero if not given) and approximate the posterior there.

    Parameters
    ----------
    field
        Prior and map of the coefficients for the hyperparameters in question.
    choices
        The data.
    contrasts
        The Helmert matrix Q.
    start
        Coefficients to start from, such as the mode for neighbouring hyperparameters.
    """
    x = np.zeros(field.shape) if start is None else start
    value, gradient, curvature = _derivatives(field, choices, contrasts, x)
    for _ in range(_MOST_STEPS):
        factor = field.factorise(curvature, x)
        step = _within_reach(factor.solve(gradient), field, contrasts)
        promised = 0.5 * float((step * gradient).sum())
        length = 1.0
        while promised > _ENOUGH:
            candidate = _derivatives(field, choices, contrasts, x + length * step)
            if candidate[0] >= value + 0.1 * length * promised:  # Armijo's rule
                x = x + length * step
                value, gradient, curvature = candidate
                break
            length /= 2
            if length < _ENOUGH:  # no progress is possible to rounding
                promised = 0.0
        else:
            break
    return Conditional(field, x, factor, value)


def _within_reach(step: Array, field: LatentField, contrasts: Array) -> Array:
    """A Newton step that moves no utility too far: where the curvature is quite another, it would overshoot."""
    reach = np.abs(field.latent(step) @ contrasts.T).max(axis=1)
    scale = 1 / np.maximum(1.0, reach / _LONGEST_STEP)
    # Where times do not interact, each is held back alone.
    shortened: Array = step * (scale[:, None] if isinstance(field, DirichletField) else scale.min())
    return shortened


def _derivatives(field: LatentField, choices: Choices, contrasts: Array, x: Array) -> tuple[float, Array, Array]:
    """Log-posterior, its gradient in the coefficients, and the likelihood's curvature in the latent functions."""
    value, gradient, curvature = derivatives(field.latent(x) @ contrasts.T, choices)
    log_prior, prior_force = field.log_prior(x)
    force = field.pull_back(gradient @ contrasts) + prior_force
    return float(value.sum() + log_prior), force, contrasts.T @ curvature @ contrasts
