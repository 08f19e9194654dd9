"""Honest posteriors where the rankings of one run are alike over time: what the estimate is worth, then.

At given hyperparameters the posterior mean m is a linear estimate of the latent functions η from the scores. With prior
covariance K, curvature A and V = (K⁻¹ + A)⁻¹, a truth η and score noise ζ of unit covariance make it

    m = V A^½ (A^½ η + ζ).

If ζ is independent over time, as the likelihood takes it to be, E(η | m) = m, and the error has the covariance V, the
posterior's own. If ζ has the correlation R over time, three things change.

- The amplitude of η, which the evidence took in part from noise (`amplitude_correction`), and which is less certain.
- What m tells, since part of it is noise that did not average out: of m we keep C m (`believable_part`).
- The error of that estimate, η − C m, which is as large as truths and such noise make it: a Bayesian sandwich.

So each draw of the posterior is taken apart into the truth and the noise that would have brought it about (Matheron's rule),
the truth is given its amplitude x, the noise its correlation, and they are put together again:

    η' = C m + x η − C V A^½ (A^½ x η + R^½ ζ).

All that is linear; where one of two nearly always wins, the likelihood is not, and a draw could end where it is all but
impossible. So draws are weighed: with r(η) the log-likelihood less its expansion to second order at the fit, by
exp(r(η') / λ − r(η)), which takes from them the skewness of the posterior that they came from, and gives them that of a
likelihood in which T times count as T/λ. Weights are truncated: far out, r says little.

R = I gives the draws back as they were. R is measured from the scores of the instances (`score_correlation`). They are taken
at the estimate, which has gone after their noise: with H = A^½ V A^½ and P instances, what is left of standardised scores is
about (I − H/P)^½ of what it was, so they are multiplied by I + H/2P (Kauermann and Carroll, 2001). R is used as it is and
never inverted, so that errors in it do little harm. V, A and R are taken at one typical value of the hyperparameters. Where
the prior is banded, estimates cost time linear in the number of times; R takes its square a draw, and its root the cube.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from polarbear.inference.amplitude_correction import AmplitudeCorrection, amplitude_correction
from polarbear.inference.believable_part import believable_part, split
from polarbear.inference.importance import in_order, truncated
from polarbear.inference.linear_estimate import LinearEstimate, over_time, root
from polarbear.inference.own_amplitudes import own_deviation
from polarbear.inference.run_scores import standard_scores
from polarbear.inference.score_correlation import effective_times, informed_times, score_correlation, seen
from polarbear.inference.whitened import LaplaceSurface
from polarbear.models.helmert import helmert
from polarbear.models.plackett_luce import derivatives, log_likelihood_by_time

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polarbear.models import TemporalPrior
    from polarbear.observe import Choices

    Array = NDArray[np.float64]

_DRAWS_AT_ONCE = 1000  # bounds the memory
_WEIGHED_TIMES = 50  # neighbours of a finer grid say the same
_HEAVIEST = 0.2  # share of the draws that count alike, so that this many are effective


def calibrate_trajectories(
    utilities: Array,
    choices: Choices,
    prior: TemporalPrior,
    hyperparameters: tuple[float, ...],
    *,
    rng: np.random.Generator,
) -> Calibrated:
    """Draws of what can be known from correlated rankings.

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
    fitted = conditional.field.latent(conditional.mode)
    scores, curvature = standard_scores(fitted @ contrasts.T, choices)
    estimate = LinearEstimate(conditional, root(curvature))

    correlation = score_correlation(_before_the_estimate(scores, estimate))
    worth, informed = effective_times(correlation, curvature), informed_times(curvature)
    amplitude = _amplitude(prior, hyperparameters, choices, fitted, curvature, correlation)
    amplitude = amplitude.less_certain(own_deviation(worth, informed))
    latent = contrasts.T @ utilities
    centre = latent.mean(axis=-1, keepdims=True)
    correlated = root(correlation)
    kept = believable_part(estimate, contrasts, centre, correlated, amplitude.root_mean_square, worth)

    calibrated = np.empty_like(utilities)
    for start in range(0, utilities.shape[-1], _DRAWS_AT_ONCE):
        part = slice(start, start + _DRAWS_AT_ONCE)
        deviation = latent[..., part] - centre
        truth = estimate.truth(rng.standard_normal((*estimate.coefficients, deviation.shape[-1])))
        noise = rng.standard_normal(deviation.shape)
        # A draw of the posterior made of this truth and this noise; what it lacks is shared out between the two.
        lacking = deviation - (truth - estimate.of(truth, noise))
        truth, noise = truth + lacking, noise - estimate.root @ lacking
        truth *= amplitude.ratios(deviation.shape[-1], rng=rng)
        error = truth - kept @ split(estimate.of(truth, over_time(correlated, noise)))
        calibrated[..., part] = contrasts @ (kept @ split(centre) + error)

    beyond = partial(_beyond_second_order, fitted=fitted @ contrasts.T, choices=choices)
    log_weights = worth / informed * beyond(calibrated) - beyond(utilities)
    weights = truncated(log_weights, share=_HEAVIEST)
    again = in_order(weights, len(weights), rng=rng)
    return Calibrated(calibrated[..., again], worth, informed, 1 / float(weights @ weights * len(weights)))


@dataclass(frozen=True, eq=False)
class Calibrated:
    """What `calibrate_trajectories` gives.

    Attributes
    ----------
    utilities
        Draws, shape (time, algorithm, draw).
    effective_times, informed_times
        How many independent times the rankings are worth, of how many at which something was seen.
    effective_share
        How many independent draws the draws are worth, as a share of those that were given.
    """

    utilities: Array
    effective_times: float
    informed_times: int
    effective_share: float


def _before_the_estimate(scores: Array, estimate: LinearEstimate) -> Array:
    """Standardised scores as they were before the estimate went after their noise."""
    there = seen(scores)[:, None]
    share = there / np.maximum(there.sum(axis=-1, keepdims=True), 1)  # of the curvature: 1/P of a run that was observed
    scaled: Array = scores + share / 2 * (estimate.root @ estimate.smooth(scores))
    return scaled


def _amplitude(
    prior: TemporalPrior,
    hyperparameters: tuple[float, ...],
    choices: Choices,
    latent: Array,
    curvature: Array,
    correlation: Array,
) -> AmplitudeCorrection:
    """How the prior's amplitude is to be corrected, if it has one that is not known."""
    supposed = dict(zip(prior.hyperpriors, hyperparameters, strict=True))
    if "amplitude" not in supposed:
        return AmplitudeCorrection()
    contrasts = helmert(len(choices.names))
    return amplitude_correction(
        factor=prior.factor(choices.grid, *hyperparameters),
        latent=latent,
        gradient=derivatives(latent @ contrasts.T, choices)[1] @ contrasts,
        curvature=curvature,
        correlation=correlation,
        hyperprior=prior.hyperpriors["amplitude"],
        amplitude=supposed["amplitude"],
    )


def _beyond_second_order(utilities: Array, *, fitted: Array, choices: Choices) -> Array:
    """r of each draw: the log-likelihood less its expansion to second order at the fit, from some of the times if many."""
    times = len(fitted)
    at = np.linspace(0, times - 1, min(times, _WEIGHED_TIMES)).round().astype(np.intp)
    utilities, fitted, choices = utilities[at], fitted[at], choices.at_times(at)
    value, gradient, curvature = derivatives(fitted, choices)
    apart = utilities - fitted[..., None]
    expansion = value.sum() + (apart * (gradient[..., None] - curvature @ apart / 2)).sum(axis=(0, 1))
    exact = log_likelihood_by_time(utilities, choices, dtype=np.float32).sum(axis=0)
    beyond: Array = (exact - expansion) * (times / len(at))
    return beyond
