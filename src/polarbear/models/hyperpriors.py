"""Priors of positive hyperparameters (amplitude σ, lengthscale ℓ), with densities on the log scale that inference uses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
import scipy

from polarbear.models.namespace import namespace_of
from polarbear.models.validation import require_finite, require_positive

if TYPE_CHECKING:
    from polarbear.arrays import Array


@runtime_checkable
class Hyperprior(Protocol):
    """Interface of the distribution of one positive hyperparameter."""

    def log_density(self, log_value: float) -> float:
        """Return the log-density of the *logarithm* of the hyperparameter (Jacobian included), in any `namespace_of` it."""

    def quantile(self, probability: float) -> float:
        """Return the value that the hyperparameter stays below with this probability."""

    def sample(self, size: int, *, rng: np.random.Generator) -> Array:
        """Draw independent values of the hyperparameter."""


def require_hyperprior(what: str, value: object) -> None:
    """Raise an error unless `value` is a distribution of a positive number."""
    if isinstance(value, type) or not isinstance(value, Hyperprior):
        raise ValueError(f"expected a distribution for {what}, got {value!r}; write, for example, LogNormal(0.0, 0.5)")


@dataclass(frozen=True)
class LogNormal:
    """Log-normal distribution: the logarithm is N(location, scale²).

    Examples
    --------
    >>> round(LogNormal(0.0, 0.5).quantile(0.5), 6)
    1.0
    """

    location: float = 0.0
    scale: float = 0.5

    def __post_init__(self) -> None:
        require_finite("LogNormal location", self.location)
        require_positive("LogNormal scale", self.scale)

    def log_density(self, log_value: float) -> float:
        """Return the log-density of the logarithm of the value."""
        deviation = (log_value - self.location) / self.scale
        return -0.5 * deviation**2 - math.log(self.scale) - 0.5 * math.log(2 * math.pi)

    def quantile(self, probability: float) -> float:
        """Return a quantile of the value."""
        return math.exp(self.location + self.scale * float(scipy.special.ndtri(probability)))

    def sample(self, size: int, *, rng: np.random.Generator) -> Array:
        """Draw independent values."""
        return np.exp(rng.normal(self.location, self.scale, size))


@dataclass(frozen=True)
class InverseGamma:
    """Inverse-gamma distribution with density scale^shape / Γ(shape) · x^(−shape − 1) · exp(−scale / x).

    Examples
    --------
    >>> round(InverseGamma(5.0, 3.0).quantile(0.5), 3)
    0.642
    """

    shape: float = 5.0
    scale: float = 3.0

    def __post_init__(self) -> None:
        require_positive("InverseGamma shape", self.shape)
        require_positive("InverseGamma scale", self.scale)

    def log_density(self, log_value: float) -> float:
        """Return the log-density of the logarithm of the value."""
        normalisation = self.shape * math.log(self.scale) - math.lgamma(self.shape)
        decay: float = namespace_of(log_value).exp(-log_value)
        return normalisation - self.shape * log_value - self.scale * decay

    def quantile(self, probability: float) -> float:
        """Return a quantile of the value."""
        return self.scale / float(scipy.special.gammainccinv(self.shape, probability))

    def sample(self, size: int, *, rng: np.random.Generator) -> Array:
        """Draw independent values."""
        return self.scale / rng.gamma(self.shape, size=size)


@dataclass(frozen=True)
class Exponential:
    """Exponential distribution with density rate · exp(−rate · x).

    Examples
    --------
    >>> round(Exponential(0.5).quantile(0.5), 3)
    1.386
    """

    rate: float

    def __post_init__(self) -> None:
        require_positive("Exponential rate", self.rate)

    def log_density(self, log_value: float) -> float:
        """Return the log-density of the logarithm of the value."""
        value: float = namespace_of(log_value).exp(log_value)
        return math.log(self.rate) + log_value - self.rate * value

    def quantile(self, probability: float) -> float:
        """Return a quantile of the value."""
        return -math.log1p(-probability) / self.rate

    def sample(self, size: int, *, rng: np.random.Generator) -> Array:
        """Draw independent values."""
        return rng.exponential(1 / self.rate, size)
