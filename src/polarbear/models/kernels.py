"""Stationary kernels of the Gaussian-process priors: correlation, spectral density and, for Matérn, the Markov form.

A kernel is the correlation at distance r = |t − t'| / ℓ; the variance σ² belongs to the prior.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from polarbear.literals import KernelName
from polarbear.models.namespace import namespace_of

if TYPE_CHECKING:
    from polarbear.arrays import Array


# 16 Gauss-Legendre nodes are exact to rounding for the smooth integrand of `Matern.innovation` on [0, 1].
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)


@dataclass(frozen=True)
class Matern:
    """Matérn kernel of half-integer order ν = p + 1/2, p = 1 or 2; its paths are p times differentiable.

    Paths are the first component of a Markov state (η, η', …, η^(p)), which makes exact inference linear in the number
    of budgets (Hartikainen and Särkkä, 2010).
    """

    smoothness: Literal[1, 2]

    @property
    def nu(self) -> float:
        """The order ν of the paper's C_ν."""
        return self.smoothness + 0.5

    def correlation(self, distance: Array) -> Array:
        """Return C_ν at distance |t − t'| / ℓ."""
        scaled = math.sqrt(2 * self.nu) * distance
        polynomial = 1 + scaled if self.smoothness == 1 else 1 + scaled + scaled**2 / 3
        correlation: Array = polynomial * namespace_of(scaled).exp(-scaled)
        return correlation

    def spectral_density(self, frequency: Array, lengthscale: float) -> Array:
        """Return S(ω) = 2 √π Γ(ν + ½) (2ν)^ν / (Γ(ν) ℓ^2ν) · (2ν / ℓ² + ω²)^(−ν − ½)."""
        nu = self.nu
        constant = 2 * math.sqrt(math.pi) * math.gamma(nu + 0.5) * (2 * nu) ** nu / math.gamma(nu)
        density: Array = constant * lengthscale ** (-2 * nu) * (2 * nu / lengthscale**2 + frequency**2) ** (-nu - 0.5)
        return density

    def stationary_covariance(self) -> Array:
        """Return the covariance of the state at any budget, with derivatives in units of λ = √(2ν) / ℓ."""
        if self.smoothness == 1:
            return np.eye(2)
        return np.array([[1.0, 0.0, -1 / 3], [0.0, 1 / 3, 0.0], [-1 / 3, 0.0, 1.0]])

    def transition(self, steps: Array) -> Array:
        """Return the state transitions exp(δ F), shape (step, k, k), over steps δ = λ Δt.

        F is the companion matrix of (1 + d)^(p + 1).
        """
        monomials = steps[:, None] ** np.arange(self.smoothness + 1)
        exponential: Array = np.exp(-steps)[:, None, None] * np.tensordot(monomials, self._powers, axes=1)
        return exponential

    @cached_property
    def _powers(self) -> Array:
        """N^i / i!, shape (i, k, k), of the nilpotent N = F + I; they reduce exp(δ F) to e^(−δ) times a polynomial in δ."""
        size = self.smoothness + 1
        nilpotent = np.eye(size, k=1) + np.eye(size)
        nilpotent[-1] -= np.array([math.comb(size, i) for i in range(size)])
        return np.stack([np.linalg.matrix_power(nilpotent, i) / math.factorial(i) for i in range(size)])

    def innovation(self, steps: Array) -> Array:
        """Return the covariance of the innovations, P − A P Aᵀ with P the stationary covariance, shape (step, k, k).

        For short steps the difference suffers from cancellation and is replaced by the integral q ∫_0^δ v vᵀ ds, with
        v = exp(s F) e_last and the diffusion constant q.
        """
        size = self.smoothness + 1
        stationary, transition = self.stationary_covariance(), self.transition(steps)
        difference = stationary - transition @ stationary @ transition.transpose(0, 2, 1)
        diffusion = 4.0 if self.smoothness == 1 else 16 / 3  # makes the stationary variance of η equal to one
        s = 0.5 * np.minimum(steps, 1.0)[:, None] * (_NODES + 1)
        v = self.transition(s.ravel())[:, :, -1].reshape(*s.shape, size)
        weights = diffusion * 0.5 * steps[:, None] * _WEIGHTS
        integral = np.einsum("sq,sqi,sqj->sij", weights, v, v)
        return np.where(steps[:, None, None] < 1.0, integral, difference)

    def largest_precision(self, step: float) -> float:
        """Return the largest entry of the inverse of `innovation`, to leading order in a short step."""
        order = 2 * self.smoothness + 1
        constant = 3.0 if self.smoothness == 1 else 135.0
        return constant / step**order if step**order > 0 else math.inf


@dataclass(frozen=True)
class SquaredExponential:
    """Squared-exponential kernel exp(−r² / 2), with infinitely smooth paths; the paper advises caution."""

    def correlation(self, distance: Array) -> Array:
        """Return the correlation at distance |t − t'| / ℓ."""
        correlation: Array = namespace_of(distance).exp(-0.5 * distance**2)
        return correlation

    def spectral_density(self, frequency: Array, lengthscale: float) -> Array:
        """Return S(ω) = √(2π) ℓ exp(−ω² ℓ² / 2)."""
        scaled = frequency * lengthscale
        density: Array = math.sqrt(2 * math.pi) * lengthscale * namespace_of(scaled).exp(-0.5 * scaled**2)
        return density


Kernel = Matern | SquaredExponential

_KERNELS: dict[str, Kernel] = {
    "matern32": Matern(1),
    "matern52": Matern(2),
    "squared-exponential": SquaredExponential(),
}


def get_kernel(name: object) -> Kernel:
    """Return the kernel with this name.

    Examples
    --------
    >>> get_kernel("matern32").nu
    1.5
    """
    if not isinstance(name, str) or name not in _KERNELS:
        raise ValueError(f"expected a kernel among {', '.join(map(repr, get_args(KernelName)))}, got {name!r}")
    return _KERNELS[name]
