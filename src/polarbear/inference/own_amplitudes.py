"""Each algorithm's own amplitude: some lie far from the crowd, others are nearly equal.

A prior has one amplitude for all, and a few outliers make it large. How much of an estimate is to be believed depends on the
amplitude of those whom it is about, so that each algorithm has a factor x_i here, with heavy tails around a common level.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

_TAILS = 1.0  # degrees of freedom of x_i⁻²: with so few, truths have the tails of a Cauchy distribution
_AS_SUPPOSED = 2.0  # as many algorithms is it worth that the common level is supposed to be one
_STEPS = 30
_KNOWN = 2.0  # as many times is it worth what is known of an amplitude beforehand


def own_amplitudes(estimate: Array, signal: Array, noise: Array, worth: float) -> Array:
    """Factors x, shape (algorithm,), by which the truth of each algorithm is larger than the prior supposes.

    An estimate μ_i(t) has the variance x_i² signal + noise around what is common to all at this time, which rankings do not
    tell. Expectation maximisation; x_i² is inverse gamma around a level that is the harmonic mean of all.

    Parameters
    ----------
    estimate
        The estimated utilities, shape (time, algorithm).
    signal, noise
        The variances of an estimate, over truths from the prior and over noise, of the same shape.
    worth
        As how many independent times all of them count.

    Examples
    --------
    >>> estimate = np.tile([0.0, 0.1, -0.1, 4.0], (20, 1))
    >>> own_amplitudes(estimate, np.ones((20, 4)), np.full((20, 4), 0.1), 3.0).round(1).tolist()
    [0.5, 0.5, 0.5, 3.4]
    """
    smallest = np.finfo(np.float64).tiny ** 0.5
    signal, noise = np.maximum(signal, smallest), np.maximum(noise, smallest)
    algorithms = estimate.shape[1]
    ratio, squared, level = noise / signal, np.ones(algorithms), 1.0
    for _ in range(_STEPS):
        precision = 1 / (squared * signal + noise)
        known = precision.sum(axis=1, keepdims=True)
        common = (precision * estimate).sum(axis=1, keepdims=True) / known
        believed = squared / (squared + ratio)
        own = believed**2 * ((estimate - common) ** 2 + 1 / known) / signal + believed * ratio
        squared = (_TAILS * level + worth * own.mean(axis=0)) / (_TAILS + worth)
        level = (algorithms / (1 / squared).mean() + _AS_SUPPOSED) / (algorithms + _AS_SUPPOSED)
    factors: Array = np.sqrt(squared)
    return factors


def own_deviation(worth: float, times: int) -> float:
    """The deviation by which log x_i is less certain from so many independent times than from all of them.

    An inverse gamma of ν degrees of freedom has the variance 2/ν, about, in the logarithm of x².

    Examples
    --------
    >>> own_deviation(20, 20), round(own_deviation(2, 20), 2)
    (0.0, 0.32)
    """
    return math.sqrt(max(0.0, 0.5 / (_KNOWN + worth) - 0.5 / (_KNOWN + times)))
