"""The classical test functions, each with its minimum 0 at the origin of its own coordinates.

All functions take points of shape (..., dimension), with a dimension of at least 2, and return values of shape (...).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from polarbear.arrays import Array

    Function = Callable[[Array], Any]


def sphere(z: Array) -> Any:
    """Return Σ zᵢ²."""
    return np.vecdot(z, z)


def ellipsoid(z: Array) -> Any:
    """Return Σ 10^(6 (i-1)/(d-1)) zᵢ²: smooth, with a condition number of 10⁶."""
    return (z * z).dot(_powers(6.0, z.shape[-1]))


def discus(z: Array) -> Any:
    """Return 10⁶ z₁² + Σ_{i>1} zᵢ²: one direction is a thousand times as sensitive as all the others."""
    return np.vecdot(z, z) + (1e6 - 1) * z[..., 0] ** 2


def bent_cigar(z: Array) -> Any:
    """Return z₁² + 10⁶ Σ_{i>1} zᵢ²: one direction is a thousand times less sensitive than all the others."""
    rest = z[..., 1:]
    return z[..., 0] ** 2 + 1e6 * np.vecdot(rest, rest)


def sharp_ridge(z: Array) -> Any:
    """Return z₁² + 100 √(Σ_{i>1} zᵢ²): the gradient does not vanish towards the ridge."""
    rest = z[..., 1:]
    return z[..., 0] ** 2 + 100 * np.sqrt(np.vecdot(rest, rest))


def different_powers(z: Array) -> Any:
    """Return √(Σ |zᵢ|^(2 + 4 (i-1)/(d-1))): the conditioning worsens towards the optimum."""
    return np.sqrt(_sum(np.abs(z) ** _evenly(2.0, 6.0, z.shape[-1])))


def attractive_sector(z: Array) -> Any:
    """Return (Σ (sᵢ zᵢ)²)^0.9, sᵢ = 100 where zᵢ > 0 and 1 elsewhere: good values lie in one narrow sector."""
    steep = np.maximum(z, 0)
    return (np.vecdot(z, z) + (1e4 - 1) * np.vecdot(steep, steep)) ** 0.9


def step_ellipsoid(z: Array) -> Any:
    """Return 0.1 max(|z₁| / 10⁴, Σ 10^(2 (i-1)/(d-1)) z̃ᵢ²): plateaus, no gradient.

    z̃ᵢ is zᵢ rounded to multiples of 1, or of 0.1 where |zᵢ| ≤ 0.5.
    """
    steps = np.where(np.abs(z) > 0.5, np.rint(z), np.rint(10 * z) / 10)
    return 0.1 * np.maximum(np.abs(z[..., 0]) / 1e4, (steps * steps).dot(_powers(2.0, z.shape[-1])))


def rosenbrock(z: Array) -> Any:
    """Return Σ 100 (uᵢ² - uᵢ₊₁)² + (uᵢ - 1)², u = max(1, √d/8) z + 1: a long bent valley."""
    bend, rest = _valley(z)
    return 100 * np.vecdot(bend, bend) + np.vecdot(rest, rest)


def griewank_rosenbrock(z: Array) -> Any:
    """Return 10/(d-1) Σ (1 - cos sᵢ + sᵢ/4000), with sᵢ the terms of Rosenbrock's function.

    It has very many local optima along Rosenbrock's valley.
    """
    bend, rest = _valley(z)
    terms = 100 * bend * bend + rest * rest
    return 10 * (1 + _sum(terms / 4000 - np.cos(terms)) / (z.shape[-1] - 1))


def rastrigin(z: Array) -> Any:
    """Return Σ 10 (1 - cos 2πzᵢ) + zᵢ²: about 10^d local optima, regularly spaced."""
    return _ripples(z) + np.vecdot(z, z)


def lunacek(z: Array) -> Any:
    """Return min(Σ zᵢ², d + s Σ (zᵢ + μ₀ - μ₁)²) + Σ 10 (1 - cos 2πzᵢ): two funnels, of which the wider misleads.

    μ₀ = 2.5, s = 1 - 1 / (2 √(d + 20) - 8.2), μ₁ = -√((μ₀² - 1) / s).
    """
    d = z.shape[-1]
    s = 1 - 1 / (2 * (d + 20) ** 0.5 - 8.2)
    astray = z + (2.5 + ((2.5**2 - 1) / s) ** 0.5)
    return np.minimum(np.vecdot(z, z), d + s * np.vecdot(astray, astray)) + _ripples(z)


_AMPLITUDES, _FREQUENCIES = 0.5 ** np.arange(12), 2 * np.pi * 3.0 ** np.arange(12)


def weierstrass(z: Array) -> Any:
    """Return 10 (1/d Σᵢ Σₖ 2⁻ᵏ (1 - cos(2π 3ᵏ zᵢ)))³, k = 0..11: rugged at every scale, nowhere smooth in the limit."""
    rugged = (1 - np.cos(z[..., None] * _FREQUENCIES)).dot(_AMPLITUDES)
    return 10 * (_sum(rugged) / z.shape[-1]) ** 3


_SCALES, _SHARES = 2.0 ** np.arange(1, 33), 0.5 ** np.arange(1, 33)


def katsuura(z: Array) -> Any:
    """Return 10/d² (Πᵢ (1 + i Σⱼ |2ʲ zᵢ - round(2ʲ zᵢ)| 2⁻ʲ)^(10/d^1.2) - 1), j = 1..32: rugged and repetitive."""
    d = z.shape[-1]
    scaled = z[..., None] * _SCALES
    rugged = np.abs(scaled - np.rint(scaled)).dot(_SHARES)
    return 10 / d**2 * (np.multiply.reduce(1 + _evenly(1.0, d, d) * rugged, axis=-1) ** (10 / d**1.2) - 1)


def schaffer(z: Array) -> Any:
    """Return (1/(d-1) Σ √sᵢ (1 + sin²(50 sᵢ^0.2)))², sᵢ = √(zᵢ² + zᵢ₊₁²): ripples of varying frequency and height."""
    squares = z * z
    s = np.sqrt(squares[..., :-1] + squares[..., 1:])
    ripples = np.sin(50 * s**0.2)
    return (np.vecdot(np.sqrt(s), 1 + ripples * ripples) / (z.shape[-1] - 1)) ** 2


# The maximiser of u sin √u on [-500, 500], where √u solves tan r = -r/2 between 6π and 7π, and the maximum.
_SCHWEFEL_AT = 420.9687463599822
_SCHWEFEL_BEST = _SCHWEFEL_AT * np.sin(np.sqrt(_SCHWEFEL_AT))


def schwefel(z: Array) -> Any:
    """Return 1/(100 d) Σ 418.98 - uᵢ sin √|uᵢ| + max(0, |uᵢ| - 500)²/100, u = 100 z + 420.97.

    The best local optima are far apart.
    """
    u = 100 * z + _SCHWEFEL_AT
    size = np.abs(u)
    outside = np.maximum(size - 500, 0)
    losses = _sum(_SCHWEFEL_BEST - u * np.sin(np.sqrt(size)))
    # Near the optimum, rounding may give a value below 0.
    return abs(losses + 0.01 * np.vecdot(outside, outside)) / (100 * z.shape[-1])


def gallagher(z: Array) -> Any:
    """Return (10 - maxₖ wₖ exp(-1/(2d) Σᵢ cₖᵢ (zᵢ - yₖᵢ)²))²: 21 random peaks, with the highest at the origin."""
    places, shapes, heights = _peaks(z.shape[-1])
    away = z[..., None, :] - places
    return (10 - np.maximum.reduce(heights * np.exp(np.vecdot(shapes, away * away)), axis=-1)) ** 2


FUNCTIONS: Mapping[str, Function] = {
    function.__name__: function
    for function in (
        *(sphere, ellipsoid, discus, bent_cigar, sharp_ridge, different_powers, attractive_sector, step_ellipsoid),
        *(rosenbrock, griewank_rosenbrock, rastrigin, lunacek, weierstrass, katsuura, schaffer, schwefel, gallagher),
    )
}


def _valley(z: Array) -> tuple[Any, Any]:
    """Return uᵢ² - uᵢ₊₁ and uᵢ - 1."""
    v = max(1.0, z.shape[-1] ** 0.5 / 8) * z
    rest = v[..., :-1]
    return rest * (rest + 2) - v[..., 1:], rest


def _ripples(z: Array) -> Any:
    return 10 * (z.shape[-1] - _sum(np.cos(2 * np.pi * z)))


def _sum(terms: Array) -> Any:
    """Return the sum over the last axis; for few terms, this is twice as fast as NumPy's own sum."""
    return terms.dot(_evenly(1.0, 1.0, terms.shape[-1]))


# Constants of a dimension are cached: computing them takes longer than using them.
@lru_cache
def _evenly(first: float, last: float, dimension: int) -> Array:
    return np.linspace(first, last, dimension)


@lru_cache
def _powers(exponent: float, dimension: int) -> Array:
    return 10 ** np.linspace(0, exponent, dimension)


@lru_cache
def _peaks(dimension: int) -> tuple[Array, Array, Array]:
    """Return the places yₖ, shapes -cₖ/(2d) and heights wₖ of the peaks, the same in every process."""
    rng = np.random.default_rng([21, dimension])
    places = np.vstack([np.zeros(dimension), rng.uniform(-5, 5, (20, dimension))])
    conditions = 1000 ** rng.permuted(np.linspace(0, 2, 21))
    spread = conditions[:, None] ** (np.linspace(0, 0.5, dimension) - 0.25)  # around 1, on a logarithmic scale
    shapes = -rng.permuted(spread, axis=1) / (2 * dimension)
    return places, shapes, np.append(10.0, np.linspace(1.1, 9.1, 20))
