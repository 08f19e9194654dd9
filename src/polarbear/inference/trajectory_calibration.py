"""Honest uncertainty where the rankings of one run are alike over time: the estimate stays, its spread is corrected.

At given hyperparameters the posterior mean m is a linear estimate of the latent functions η from the scores. With prior
covariance K, curvature A and V = (K⁻¹ + A)⁻¹, its error for a truth η and score noise ζ of unit covariance is

    m − η = −(I − V A) η + V A^½ ζ.

If ζ is independent over time, as the likelihood takes it to be, the covariance of the error is V, the posterior's own. If it
has the correlation R over time, the covariance is E = V (K⁻¹ + A^½ R A^½) V (a Bayesian sandwich): with the same estimate,
wider where correlated noise does not average out, narrower where it cancels. So each draw of the posterior is taken apart
into the truth and the noise that would have brought it about (Matheron's rule), and put together again with the noise
correlated as it was seen to be:

    η' = η + V A^½ (R^½ − I) ζ.

R = I gives the draws back as they were. R is measured from the scores of the instances (`score_correlation`). They are taken
at the estimate, which has gone after their noise: with H = A^½ V A^½ and P instances, what is left of standardised scores is
about (I − H/P)^½ of what it was, so they are multiplied by I + H/2P (Kauermann and Carroll, 2001). R is used as it is and
never inverted, so that errors in it do little harm. V, A and R are taken at one typical value of the hyperparameters. Where
the prior is banded all costs are linear in the number of times, but for R itself, which is quadratic, and its root.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polarbear.inference.run_scores import standard_scores
from polarbear.inference.score_correlation import effective_times, score_correlation, seen
from polarbear.inference.whitened import LaplaceSurface

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polarbear.models import TemporalPrior
    from polarbear.observe import Choices

    Array = NDArray[np.float64]

_DRAWS_AT_ONCE = 1000  # bounds the memory


def calibrate_trajectories(
    utilities: Array,
    choices: Choices,
    prior: TemporalPrior,
    hyperparameters: tuple[float, ...],
    *,
    rng: np.random.Generator,
) -> tuple[Array, float]:
    """Draws with the spread that correlated rankings leave, and how many independent times the rankings are worth.

    Parameters
    ----------
    utilities
        Draws from the posterior that takes times to be independent, shape (time, algorithm, draw).
    choices
        What was seen, with the rankings of each instance.
    prior, hyperparameters
        The prior, and typical values of its hyperparameters under the posterior.
    rng
        The source of randomness.
    """
    surface = LaplaceSurface(choices, prior)
    contrasts = surface.contrasts
    conditional = surface.conditional(hyperparameters, None)
    field, factor = conditional.field, conditional.factor
    fitted = field.latent(conditional.mode) @ contrasts.T
    scores, curvature = standard_scores(fitted, choices)
    root = _root(curvature)

    def spread(noise: Array) -> Array:
        """V A^½ of standardised score noise (time, latent function, draw)."""
        return field.latent(factor.colour(factor.colour_transposed(field.pull_back(root @ noise))))

    there = seen(scores)[:, None]
    share = there / np.maximum(
        there.sum(axis=-1, keepdims=True), 1
    )  # of the curvature: 1/P of an instance that was observed
    correlation = score_correlation(scores + share / 2 * (root @ spread(scores)))
    change = _root(correlation) - np.eye(len(correlation))
    believed = field.factorise(np.zeros_like(curvature), conditional.mode)  # the prior alone: nothing was seen

    latent = contrasts.T @ utilities
    centre = latent.mean(axis=-1, keepdims=True)
    calibrated = np.empty_like(utilities)
    for start in range(0, utilities.shape[-1], _DRAWS_AT_ONCE):
        part = slice(start, start + _DRAWS_AT_ONCE)
        deviation = latent[..., part] - centre
        truth = field.latent(believed.colour(rng.standard_normal((*field.shape, deviation.shape[-1]))))
        noise = rng.standard_normal(deviation.shape)
        # A draw of the posterior made of this truth and this noise; what it lacks is shared out between the two.
        simulated = truth + spread(noise - root @ truth)
        noise += root @ (deviation - simulated)
        calibrated[..., part] = contrasts @ (latent[..., part] + spread(np.tensordot(change, noise, axes=1)))
    return calibrated, effective_times(correlation, curvature)


def _root(matrices: Array) -> Array:
    """The symmetric root of each positive semi-definite matrix."""
    values, vectors = np.linalg.eigh(matrices)
    root: Array = (vectors * np.sqrt(np.maximum(values, 0.0))[..., None, :]) @ np.swapaxes(vectors, -1, -2)
    return root
