"""What can be believed of an estimate whose scores are correlated over time.

Part of such an estimate m is noise that did not average out and looks like a difference that lasts. So E(η(t) | m) is taken
to be linear in m(t) and in the mean of m over time: with both in one vector, B(t) = E ηmᵀ (E mmᵀ)⁻¹ for truths with the
amplitudes of `own_amplitudes`, and noise of correlation R over time. C = B(R) B(I)⁻¹ of m is kept: relative to what would
be, were times independent, so that all is kept if they are.

The mean is what lets a claim about all times at once be believed. Given m(t) alone, errors still go with the estimate at
other times, and whoever looks better at all of them owes it to noise more often than the draws would say.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from polarbear.inference.linear_estimate import LinearEstimate, over_time, root
from polarbear.inference.own_amplitudes import own_amplitudes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

_MOST_DRAWS = 1000  # if exact moments take more, as many random ones do
_RIDGE = 1e-3  # of the error's variance: estimates that vary less are rather believed than explained


def believable_part(
    estimate: LinearEstimate,
    contrasts: Array,
    centre: Array,
    correlated: Array,
    amplitude: float,
    worth: float,
    *,
    rng: np.random.Generator,
) -> Array:
    """C(t), shape (time, function, 2 function), for an estimate that is `split`.

    Parameters
    ----------
    estimate
        How it is made.
    contrasts
        Of the algorithms, shape (algorithm, function).
    centre
        The estimate that was found, shape (time, function, 1).
    correlated
        R^½, shape (time, time).
    amplitude
        The root mean square of the prior's amplitude over the supposed one.
    worth
        As how many independent times all of them count.
    rng
        The source of randomness.
    """
    truth = estimate.truth(_of_unit_covariance(estimate.coefficients, rng=rng))
    signal = _variance(contrasts @ estimate.smooth(estimate.root @ truth))
    noise = _of_unit_covariance(centre.shape[:-1], rng=rng)

    def believable(amplitude: float, noise: Array) -> Array:
        """E ηmᵀ (E mmᵀ)⁻¹ of truths that are larger by this factor, and of such noise in the scores."""
        disturbance = estimate.smooth(noise)
        own = own_amplitudes(
            (contrasts @ centre)[..., 0], amplitude**2 * signal, _variance(contrasts @ disturbance), worth
        )
        larger = amplitude * root((contrasts.T * own**2) @ contrasts) @ truth
        return _regression(split(larger), split(estimate.smooth(estimate.root @ larger)), split(disturbance))

    believed, supposed = believable(amplitude, over_time(correlated, noise)), believable(1.0, noise)
    apart, mean = np.split(believed @ np.linalg.pinv(supposed), 2, axis=1)
    part: Array = apart + mean
    return part


def split(functions: Array) -> Array:
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


def _of_unit_covariance(shape: tuple[int, ...], *, rng: np.random.Generator) -> Array:
    """Numbers with draws as their last axis, over which second moments are exact; if those were too many, random ones."""
    size = math.prod(shape)
    if size > _MOST_DRAWS:
        return rng.standard_normal((*shape, _MOST_DRAWS))
    return math.sqrt(size) * np.eye(size).reshape(*shape, size)


def _moments(one: Array, other: Array) -> Array:
    """E of one times the other at each time, shape (time, function, function)."""
    moments: Array = one @ other.swapaxes(1, 2) / one.shape[-1]
    return moments


def _variance(utilities: Array) -> Array:
    """Of each algorithm on its own, shape (time, algorithm), by draws of utilities that sum to zero."""
    algorithms = utilities.shape[1]
    variance: Array = (utilities**2).mean(axis=-1) * algorithms / (algorithms - 1)
    return variance
