"""What can be believed of an estimate whose scores are correlated over time.

Part of such an estimate m is noise that did not average out and looks like a difference that lasts. So E(η(t) | m) is taken
to be linear in m(t) and in the mean of m over all times. Truths and estimates are `split` into the mean and what a time has
beside it: B(t) = E ηmᵀ (E mmᵀ)⁻¹ of these, for truths with the amplitudes of `own_amplitudes`, and noise of correlation R
over time. B(R) B(I)⁻¹, relative to what would be, were times independent, says what to keep of both parts, and C(t) adds
them up: all of m is kept if times are independent.

The mean is what lets a claim about all times at once be believed. Given m(t) alone, errors still go with the estimate at
other times, and whoever looks better at all of them owes it to noise more often than the draws would say.

All of this depends on second moments alone. They are sums over unit vectors, and nothing is drawn.
"""

from __future__ import annotations

import math
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from polarbear.inference.linear_estimate import LinearEstimate, root
from polarbear.inference.own_amplitudes import own_amplitudes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

_AT_ONCE = 1000  # unit vectors; bounds the memory
_RIDGE = 1e-3  # of the error's variance: estimates that vary less are rather believed than explained


def believable_part(
    estimate: LinearEstimate, contrasts: Array, centre: Array, correlated: Array, amplitude: float, worth: float
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
    """

    def truths() -> Iterator[Array]:
        return map(estimate.truth, _units(estimate.coefficients))

    def made_of(truth: Array) -> Array:
        return estimate.smooth(estimate.root @ truth)

    found, signal = (contrasts @ centre)[..., 0], _variance(contrasts, _moments(map(made_of, truths())))

    def believed(factor: float, correlated: Array) -> Array:
        """B(t) for truths that are larger by this factor."""
        noise = _moments(map(split, map(estimate.smooth, _units_over_time(correlated, centre.shape[1]))))
        own = own_amplitudes(found, factor**2 * signal, _variance(contrasts, _whole(noise)), worth)
        larger = factor * root((contrasts.T * own**2) @ contrasts)
        both = _moments(
            np.concatenate([split(truth), split(made_of(truth))], axis=1)
            for truth in (larger @ each for each in truths())
        )
        return _regression(both, noise)

    relative = believed(amplitude, correlated) @ np.linalg.inv(believed(1.0, np.eye(len(centre))))
    apart, mean = np.split(relative, 2, axis=1)
    part: Array = apart + mean
    return part


def split(functions: Array) -> Array:
    """Functions (time, function, draw) less their mean over time, and below them that mean."""
    mean = functions.mean(axis=0, keepdims=True)
    return np.concatenate([functions - mean, np.broadcast_to(mean, functions.shape)], axis=1)


def _regression(both: Array, noise: Array) -> Array:
    """The coefficients, at each time, of the regression of truths on their estimates: a signal and noise.

    What hardly varies tells little: coefficients are drawn towards one.

    Parameters
    ----------
    both
        The second moments of truths and, below them, of their signals.
    noise
        Those of the noise.
    """
    truth, signal = slice(len(noise[0])), slice(len(noise[0]), None)
    estimated, together = both[:, signal, signal] + noise, both[:, truth, signal]
    error = both[:, truth, truth] - together - together.swapaxes(1, 2) + estimated
    one = np.eye(len(noise[0]))
    ridge = _RIDGE * error.trace(axis1=1, axis2=2)[:, None, None] / len(one) * one
    coefficients: Array = one + (together - estimated) @ np.linalg.pinv(estimated + ridge, hermitian=True)
    return coefficients


def _units(shape: tuple[int, ...]) -> Iterator[Array]:
    """All unit vectors of this shape, some at a time, as draws: the last axis."""
    size = math.prod(shape)
    for start in range(0, size, _AT_ONCE):
        yield np.eye(size, min(_AT_ONCE, size - start), -start).reshape(*shape, -1)


def _units_over_time(matrix: Array, functions: int) -> Iterator[Array]:
    """What a matrix (time, time) makes of all unit vectors (time, function), some at a time, as draws."""
    times = max(1, _AT_ONCE // functions)
    for start in range(0, len(matrix), times):
        units: Array = np.einsum("ts,fg->tfsg", matrix[:, start : start + times], np.eye(functions))
        yield units.reshape(len(matrix), functions, -1)


def _moments(functions: Iterable[Array]) -> Array:
    """The second moments at each time, shape (time, function, function), of what unit vectors became."""
    return reduce(np.add, (each @ each.swapaxes(1, 2) for each in functions))


def _whole(moments: Array) -> Array:
    """The moments of functions from those of their two parts."""
    times, parts, _ = moments.shape
    whole: Array = moments.reshape(times, 2, parts // 2, 2, parts // 2).sum(axis=(1, 3))
    return whole


def _variance(contrasts: Array, moments: Array) -> Array:
    """Of each algorithm on its own, shape (time, algorithm), for utilities that sum to zero."""
    algorithms = len(contrasts)
    variance: Array = np.einsum("af,tfg,ag->ta", contrasts, moments, contrasts) * algorithms / (algorithms - 1)
    return variance
