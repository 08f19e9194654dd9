"""GP-BBOB (the paper's appendix C): sparse mixtures of the BBOB functions whose weights depend on the point.

In: an index and a seed. Out: a `GpBbobProblem`, which evaluates the BBOB functions with `ioh`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import truncnorm

from polarbear.problems.ma_bbob import import_ioh

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from polarbear.arrays import Array, Indices


FUNCTION_COUNT = 24
_BOUND = 5.0

# The prior of K: LogNormal(1.1, 0.5), truncated to [2, 24].
_K_LOCATION, _K_SCALE = 1.1, 0.5
_K_BELOW, _K_ABOVE = (float(ndtr((math.log(bound) - _K_LOCATION) / _K_SCALE)) for bound in (2, 24))


@dataclass(frozen=True, eq=False)
class RandomField:
    """Independent draws from a Gaussian process with an RBF kernel, by random Fourier features.

    z(x) = σ √(2/m) A cos(Ω x + b), with rows of Ω ~ N(0, I/ℓ²), b ~ U(0, 2π) and A ~ N(0, I).

    Attributes
    ----------
    frequencies, phases
        Ω (feature, variable) and b, shared by all outputs.
    amplitudes
        σ √(2/m) A, (output, feature).
    """

    frequencies: Array
    phases: Array
    amplitudes: Array

    @classmethod
    def draw(
        cls, rng: np.random.Generator, *, dimension: int, outputs: int, features: int, lengthscale: float, sigma: float
    ) -> RandomField:
        """Draw a field with `outputs` outputs over `dimension` variables."""
        frequencies = rng.standard_normal((features, dimension)) / lengthscale
        phases = rng.uniform(0, 2 * math.pi, features)
        weights = rng.standard_normal((outputs, features))
        return cls(frequencies, phases, sigma * math.sqrt(2 / features) * weights)

    def __call__(self, points: Array) -> Array:
        """Return the field at points (..., variable), shape (..., output)."""
        return np.asarray(np.cos(points @ self.frequencies.T + self.phases) @ self.amplitudes.T)


class GpBbobProblem:
    """A problem f(x) = Σᵢ wᵢ(x) fᵢ(x) + y₀ over the 24 functions of BBOB's SBOX variant, on [-5, 5]^d.

    The weights are a softmax of the k(x) largest logits zᵢ(x) / T; the others are zero. Both z and h are Gaussian processes
    over x, with k(x) = ⌊F_K⁻¹(Φ(h(x)))⌋. One seed determines all parameters, drawn from the priors of the paper's table.

    The paper leaves four details open. Here, lengthscales are in the coordinates of the domain [-5, 5]. The 24 logits share
    their frequencies and have independent amplitudes. K is rounded down to an integer. Φ is applied to h without scaling,
    so k(x) varies more than its prior where σ_k is above one, and less where it is below.

    Parameters
    ----------
    seed
        The seed of all random parameters; the same seed and dimension give the same problem on any machine.
    dimension
        The number of variables; by default drawn from N(240, 30), truncated to [2, 320].
    """

    def __init__(self, seed: int, dimension: int | None = None) -> None:
        if dimension is not None and not 2 <= dimension <= 320:
            raise ValueError(f"expected a dimension from 2 to 320, got {dimension!r}")
        ioh = import_ioh("GP-BBOB")
        self.seed, self._given_dimension = seed, dimension
        rng = np.random.default_rng(seed)
        drawn = truncated_normal(rng, mean=240, deviation=30, lowest=2, highest=320)
        self.dimension = drawn if dimension is None else dimension
        self.offset = float(1000 * rng.standard_cauchy())
        self.instances = rng.integers(1, 1000, FUNCTION_COUNT).tolist()
        self.temperature = rng.lognormal(-0.5, 0.5)
        self._logits = self._field(rng, FUNCTION_COUNT, (32, 128), 2.0)
        self._sparsity = self._field(rng, 1, (16, 64), 0.0)
        self._functions = [
            ioh.get_problem(number, instance, self.dimension, ioh.ProblemClass.SBOX)
            for number, instance in enumerate(self.instances, start=1)
        ]

    def _field(
        self, rng: np.random.Generator, outputs: int, features: tuple[int, int], log_length: float
    ) -> RandomField:
        m = int(rng.integers(*features, endpoint=True))
        lengthscale, sigma = rng.lognormal(log_length, 1.0), rng.lognormal(0.0, 0.7)
        return RandomField.draw(
            rng, dimension=self.dimension, outputs=outputs, features=m, lengthscale=lengthscale, sigma=sigma
        )

    @property
    def bounds(self) -> list[tuple[float, float]]:
        """The lowest and highest value of each variable."""
        return [(-_BOUND, _BOUND)] * self.dimension

    def active(self, x: ArrayLike) -> Indices:
        """Return k(x), the number of functions with positive weight, at points (..., variable)."""
        h = self._sparsity(np.asarray(x, dtype=np.float64))[..., 0]
        return active_of(h)

    def weights(self, x: ArrayLike) -> Array:
        """Return w(x), (..., function): weights on the simplex, of which k(x) are above zero."""
        points = np.asarray(x, dtype=np.float64)
        logits = self._logits(points) / self.temperature
        # The rank of each of the 24 logits, with 0 for the largest.
        ranks = np.argsort(np.argsort(-logits, axis=-1), axis=-1)
        logits = np.where(ranks < self.active(points)[..., None], logits, -np.inf)
        strengths = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return np.asarray(strengths / strengths.sum(axis=-1, keepdims=True))

    def __call__(self, x: ArrayLike) -> Any:
        """Return the value at one point (variable,) as a float, or at many (..., variable) as an array."""
        points = np.asarray(x, dtype=np.float64)
        if points.shape[-1:] != (self.dimension,):
            raise ValueError(f"expected points of {self.dimension} variables, got the shape {points.shape}")
        weights = self.weights(points)
        values = [
            sum(w[i] * self._functions[i](point) for i in np.flatnonzero(w).tolist())
            for point, w in zip(points.reshape(-1, self.dimension), weights.reshape(-1, FUNCTION_COUNT), strict=True)
        ]
        if points.ndim == 1:
            return float(values[0] + self.offset)
        return np.array(values).reshape(points.shape[:-1]) + self.offset

    def __repr__(self) -> str:
        return f"GpBbobProblem(seed={self.seed}, dimension={self.dimension})"

    def __reduce__(self) -> Any:
        return GpBbobProblem, (self.seed, self._given_dimension)


@dataclass(frozen=True)
class GpBbob:
    """A source of GP-BBOB problems: `source(index, seed)` is always the same problem.

    Parameters
    ----------
    dimension
        The number of variables of all problems; by default each problem draws its own, about 240.
    """

    dimension: int | None = None

    def __call__(self, index: int, seed: int) -> GpBbobProblem:
        """Return the problem with this index; other indices and seeds give independent problems."""
        return GpBbobProblem(int(np.random.SeedSequence([seed, index]).generate_state(1)[0]), self.dimension)


def active_of(h: ArrayLike) -> Indices:
    """Return k = ⌊F_K⁻¹(Φ(h))⌋, with K ~ LogNormal(1.1, 0.5) truncated to [2, 24].

    Examples
    --------
    >>> active_of([-9.0, -1.0, 0.0, 1.0, 3.0]).tolist()
    [2, 2, 3, 5, 13]
    """
    share = _K_BELOW + ndtr(np.asarray(h, dtype=np.float64)) * (_K_ABOVE - _K_BELOW)
    return np.clip(np.exp(_K_LOCATION + _K_SCALE * ndtri(share)), 2, 24).astype(np.intp)  # rounding may exceed [2, 24]


def truncated_normal(rng: np.random.Generator, *, mean: float, deviation: float, lowest: float, highest: float) -> int:
    """Draw from a normal distribution that is truncated (not clipped) to an interval, and round down."""
    low, high = (lowest - mean) / deviation, (highest - mean) / deviation
    return int(truncnorm.rvs(low, high, loc=mean, scale=deviation, random_state=rng))
