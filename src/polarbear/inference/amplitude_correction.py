"""How far apart algorithms lie, judged anew where the rankings of one run are alike over time.

Noise that is alike over time looks like a difference that lasts, and evidence that takes times to be independent takes it
for one. Linearised at the fit, the standardised data of one latent function are u = A^½ η + ζ: under the amplitude x σ their
covariance is x² S + R with S = A^½ K A^½, where the likelihood supposes x² S + I. Of that likelihood's log-evidence ℓ(x) the
noise that R adds, and the smoother H = x² S (x² S + I)⁻¹ lets through, is taken off:

    ℓ(x) − ½ tr(H (R − I)).

Its slope is zero on average at the true amplitude, whatever R, which enters linearly and is not inverted. Correlated data
know less than they seem to, and the whole is multiplied by κ, its curvature over the variance of its slope at x = 1 (a
magnitude adjustment as for composite likelihoods; Pauli, Racugno and Ventura, 2011). With R = I nothing changes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polarbear.models import Hyperprior

    Array = NDArray[np.float64]

_LOG_RATIOS = np.linspace(-3, 3, 301)  # of the amplitude to the supposed one; posteriors of it are some tenths wide
_MOST_TIMES = 100  # that are told apart; neighbours are taken together


@dataclass(frozen=True)
class AmplitudeCorrection:
    """The amplitude's logarithm is to be moved by `shift`, and is less certain: by a normal of this `deviation` more."""

    shift: float = 0.0
    deviation: float = 0.0

    def less_certain(self, deviation: float) -> AmplitudeCorrection:
        """The same with another normal of this deviation on top."""
        return AmplitudeCorrection(self.shift, math.hypot(self.deviation, deviation))

    @property
    def root_mean_square(self) -> float:
        """Of the amplitude over the supposed one."""
        return math.exp(self.shift + self.deviation**2)

    def ratios(self, draws: int, *, rng: np.random.Generator) -> Array:
        """The amplitude over the supposed one, for each draw."""
        ratios: Array = np.exp(self.shift + self.deviation * rng.standard_normal(draws))
        return ratios


def amplitude_correction(
    factor: Array,
    latent: Array,
    gradient: Array,
    curvature: Array,
    correlation: Array,
    hyperprior: Hyperprior,
    amplitude: float,
) -> AmplitudeCorrection:
    """Compare the amplitude's posterior with R in its evidence to that without.

    Parameters
    ----------
    factor
        L with K = L Lᵀ, shape (time, coefficient), of the supposed amplitude.
    latent, gradient, curvature
        The fitted latent functions (time, function), and there the log-likelihood's gradient and its curvature A (time,
        function, function).
    correlation
        R, shape (time, time).
    hyperprior, amplitude
        The amplitude's prior, and the supposed amplitude.
    """
    # In directions in which the data inform about one function or another, what they say of two of them at once is left out.
    _, directions = np.linalg.eigh(curvature.sum(axis=0))
    information = np.einsum("fj,tfg,gj->tj", directions, curvature, directions)
    evidence, passed, sensitivity, variability = np.zeros_like(_LOG_RATIOS), np.zeros_like(_LOG_RATIOS), 0.0, 0.0
    for a, eta, pull in zip(information.T, (latent @ directions).T, (gradient @ directions).T, strict=True):
        root = np.sqrt(np.maximum(a, 0.0))
        data = root * eta + np.divide(pull, root, out=np.zeros_like(pull), where=root > 0)
        group = _groups(root)
        signal, axes = _principal(group @ (root[:, None] * factor))
        excess = axes.T @ (group @ correlation @ group.T - np.eye(len(group))) @ axes  # R − I
        scaled = np.exp(2 * _LOG_RATIOS)[:, None] * signal
        evidence -= 0.5 * (np.log1p(scaled) + (axes.T @ group @ data) ** 2 / (1 + scaled)).sum(axis=1)
        passed += 0.5 * scaled / (1 + scaled) @ np.diag(excess)
        smoother = signal / (1 + signal)
        slope = np.diag(smoother) + (smoother * (1 - smoother))[:, None] * excess
        sensitivity += float((smoother**2).sum())
        variability += float((slope * slope.T).sum())
    weight = min(1.0, sensitivity / variability) if variability > 0 else 1.0
    believed = np.array([hyperprior.log_density(np.log(amplitude) + ratio) for ratio in _LOG_RATIOS])
    supposed, corrected = _moments(evidence + believed), _moments(weight * (evidence - passed) + believed)
    return AmplitudeCorrection(corrected[0] - supposed[0], max(0.0, corrected[1] - supposed[1]) ** 0.5)


def _groups(root: Array) -> Array:
    """Orthonormal rows, shape (group, time): neighbouring times, each weighted by the root of its information."""
    times = len(root)
    groups = min(times, _MOST_TIMES)
    rows = np.zeros((groups, times))
    rows[np.arange(times) * groups // times, np.arange(times)] = np.maximum(root, np.finfo(np.float64).tiny ** 0.25)
    normed: Array = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return normed


def _principal(half: Array) -> tuple[Array, Array]:
    """Eigenvalues and eigenvectors of half @ half.T."""
    values, vectors = np.linalg.eigh(half @ half.T)
    return np.maximum(values, 0.0), vectors


def _moments(log_density: Array) -> tuple[float, float]:
    """Mean and variance of the log-ratio."""
    mass = np.exp(log_density - log_density.max())
    mass /= mass.sum()
    mean = float(mass @ _LOG_RATIOS)
    return mean, float(mass @ (_LOG_RATIOS - mean) ** 2)
