"""Honest posteriors where the rankings of one run are alike over time: what the estimate is worth, then.

At given hyperparameters the posterior mean m is a linear estimate of the latent functions η from the scores. With prior
covariance K, curvature A and V = (K⁻¹ + A)⁻¹, a truth η and score noise ζ of unit covariance make it

    m = V A^½ (A^½ η + ζ).

If ζ is independent over time, as the likelihood takes it to be, E(η | m) = m, and the error has the covariance V, the
posterior's own. If ζ has the correlation R over time, three things change.

- The amplitude of η, which the evidence took in part from noise (`amplitude_correction`), and which is less certain.
- What m tells, since part of it is noise that did not average out, and looks like a difference that lasts. So E(η(t) | m)
  is taken to be linear in m(t) and in the mean of m over time: with both in one vector, B(t) = E ηmᵀ (E mmᵀ)⁻¹ for
  truths with the amplitudes of `own_amplitudes`, and noise of correlation R. Of m we keep C m, C = B(R) B(I)⁻¹:
  relative to what would be, were times independent, so that nothing changes if they are.
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

import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from polarbear.inference.amplitude_correction import AmplitudeCorrection, amplitude_correction
from polarbear.inference.importance import in_order, truncated
from polarbear.inference.own_amplitudes import own_amplitudes, own_deviation
from polarbear.inference.run_scores import standard_scores
from polarbear.inference.score_correlation import effective_times, informed_times, score_correlation, seen
from polarbear.inference.whitened import LaplaceSurface
from polarbear.models.helmert import helmert
from polarbear.models.plackett_luce import derivatives, log_likelihood_by_time

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polarbear.inference.conditional import Conditional
    from polarbear.inference.latent_field import Factor
    from polarbear.models import TemporalPrior
    from polarbear.observe import Choices

    Array = NDArray[np.float64]

_DRAWS_AT_ONCE = 1000  # bounds the memory
_RIDGE = 1e-3  # of the error's variance: estimates that vary less are rather believed than explained
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
    estimator = _Estimator(conditional, _root(curvature))

    correlation = score_correlation(_before_the_estimate(scores, estimator))
    worth, informed = effective_times(correlation, curvature), informed_times(curvature)
    amplitude = _amplitude(prior, hyperparameters, choices, fitted, curvature, correlation)
    amplitude = amplitude.less_certain(own_deviation(worth, informed))
    latent = contrasts.T @ utilities
    centre = latent.mean(axis=-1, keepdims=True)
    correlated = _root(correlation)
    kept = _kept(estimator, contrasts, centre, correlated, amplitude, worth, rng=rng)

    calibrated = np.empty_like(utilities)
    for start in range(0, utilities.shape[-1], _DRAWS_AT_ONCE):
        part = slice(start, start + _DRAWS_AT_ONCE)
        deviation = latent[..., part] - centre
        truth = estimator.truth(rng.standard_normal((*estimator.conditional.field.shape, deviation.shape[-1])))
        noise = rng.standard_normal(deviation.shape)
        # A draw of the posterior made of this truth and this noise; what it lacks is shared out between the two.
        lacking = deviation - (truth - estimator.estimate(truth, noise))
        truth, noise = truth + lacking, noise - estimator.root @ lacking
        truth *= amplitude.ratios(deviation.shape[-1], rng=rng)
        error = truth - kept @ _split(estimator.estimate(truth, _over_time(correlated, noise)))
        calibrated[..., part] = contrasts @ (kept @ _split(centre) + error)

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


@dataclass(frozen=True, eq=False)
class _Estimator:
    """The linear estimate at given hyperparameters; arrays have the shape (time, latent function, draw)."""

    conditional: Conditional
    root: Array  # A^½

    def smooth(self, data: Array) -> Array:
        """V A^½ of standardised data."""
        field, factor = self.conditional.field, self.conditional.factor
        return field.latent(factor.colour(factor.colour_transposed(field.pull_back(self.root @ data))))

    def estimate(self, truth: Array, noise: Array) -> Array:
        """m, of truths that were seen through standardised noise."""
        return self.smooth(self.root @ truth + noise)

    def truth(self, normal: Array) -> Array:
        """Truths as the prior has them, from coefficients of unit covariance."""
        return self.conditional.field.latent(self._believed.colour(normal))

    @cached_property
    def _believed(self) -> Factor:
        """The prior's precision: nothing was seen."""
        return self.conditional.field.factorise(np.zeros_like(self.root), self.conditional.mode)


def _before_the_estimate(scores: Array, estimator: _Estimator) -> Array:
    """Standardised scores as they were before the estimate went after their noise."""
    there = seen(scores)[:, None]
    share = there / np.maximum(there.sum(axis=-1, keepdims=True), 1)  # of the curvature: 1/P of a run that was observed
    scaled: Array = scores + share / 2 * (estimator.root @ estimator.smooth(scores))
    return scaled


def _kept(
    estimator: _Estimator,
    contrasts: Array,
    centre: Array,
    correlated: Array,
    amplitude: AmplitudeCorrection,
    worth: float,
    *,
    rng: np.random.Generator,
) -> Array:
    """C(t), shape (time, function, 2 function): what is to be kept of a split estimate, by second moments alone."""
    truth = estimator.truth(_of_unit_covariance(estimator.conditional.field.shape, rng=rng))
    signal = _variance(contrasts @ estimator.smooth(estimator.root @ truth))
    noise = _of_unit_covariance(centre.shape[:-1], rng=rng)

    def believable(amplitude: float, noise: Array) -> Array:
        """E ηmᵀ (E mmᵀ)⁻¹ of truths that are larger by this factor, and of such noise in the scores."""
        disturbance = estimator.smooth(noise)
        own = own_amplitudes(
            (contrasts @ centre)[..., 0], amplitude**2 * signal, _variance(contrasts @ disturbance), worth
        )
        larger = amplitude * _root((contrasts.T * own**2) @ contrasts) @ truth
        return _regression(_split(larger), _split(estimator.smooth(estimator.root @ larger)), _split(disturbance))

    believed, supposed = believable(amplitude.typical, _over_time(correlated, noise)), believable(1.0, noise)
    apart, mean = np.split(believed @ np.linalg.pinv(supposed), 2, axis=1)
    kept: Array = apart + mean
    return kept


def _of_unit_covariance(shape: tuple[int, ...], *, rng: np.random.Generator) -> Array:
    """Numbers with draws as their last axis, over which second moments are exact; if those were too many, random ones."""
    size = math.prod(shape)
    if size > _DRAWS_AT_ONCE:
        return rng.standard_normal((*shape, _DRAWS_AT_ONCE))
    return math.sqrt(size) * np.eye(size).reshape(*shape, size)


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


def _variance(utilities: Array) -> Array:
    """Of each algorithm on its own, shape (time, algorithm), by draws of utilities that sum to zero."""
    algorithms = utilities.shape[1]
    variance: Array = (utilities**2).mean(axis=-1) * algorithms / (algorithms - 1)
    return variance


def _split(functions: Array) -> Array:
    """Functions (time, function, draw) less their mean over time, and below them that mean."""
    mean = functions.mean(axis=0, keepdims=True)
    return np.concatenate([functions - mean, np.broadcast_to(mean, functions.shape)], axis=1)


def _regression(truth: Array, signal: Array, disturbance: Array) -> Array:
    """The coefficients, at each time, of the regression of truths on their estimates: a signal and what disturbs it.

    Arrays have the shape (time, function, draw). What hardly varies tells little: coefficients are drawn towards one.
    """
    noise, one = _moments(disturbance, disturbance), np.eye(truth.shape[1])
    estimated, missed = _moments(signal, signal) + noise, _moments(truth - signal, signal) - noise
    left = _moments(truth - signal, truth - signal) + noise  # of the truth
    ridge = _RIDGE * np.trace(left, axis1=1, axis2=2)[:, None, None] / len(one) * one
    coefficients: Array = one + missed @ np.linalg.pinv(estimated + ridge, hermitian=True)
    return coefficients


def _moments(one: Array, other: Array) -> Array:
    """E of one times the other at each time, shape (time, function, function)."""
    moments: Array = one @ other.swapaxes(1, 2) / one.shape[-1]
    return moments


def _over_time(matrix: Array, noise: Array) -> Array:
    """A matrix (time, time) applied to noise (time, function, draw)."""
    return np.tensordot(matrix, noise, axes=1)


def _root(matrices: Array) -> Array:
    """The symmetric root of each positive semi-definite matrix."""
    values, vectors = np.linalg.eigh(matrices)
    root: Array = (vectors * np.sqrt(np.maximum(values, 0.0))[..., None, :]) @ np.swapaxes(vectors, -1, -2)
    return root
