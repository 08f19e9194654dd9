"""Random problems: mixtures of rotated and shifted functions, in the logarithms of their values.

In: an index and a seed. Out: a `Problem` with a known optimum.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.observe.read_only import as_read_only
from polarbear.problems.functions import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from polarbear.arrays import Array


# The domain [-5, 5]^d and optima in [-4, 4]^d, as in BBOB.
_BOUND, _OPTIMUM_BOUND = 5.0, 4.0

# The precision below which differences no longer matter, relative to a typical value in the domain, as in MA-BBOB.
_FLOOR = 1e-8


@dataclass(frozen=True, eq=False)
class Problem:
    """A function to be minimised, f(x) = ε (Πᵢ (1 + fᵢ(Rᵢ(x - x*)) / (ε sᵢ))^wᵢ - 1) with ε = 1e-8.

    Far from the optimum, this is a weighted geometric mean of the components fᵢ, each with its own rotation Rᵢ and divided
    by its typical value sᵢ. The minimum is 0 at x*. Outside the bounds, f is the value at the nearest point inside plus the
    squared distance to that point, since some components would otherwise have equal optima far away.

    Attributes
    ----------
    name
        A readable list of the components.
    optimum
        x*, the point with the minimum 0.
    functions, weights, scales, rotations
        For each component, its name (a key of `FUNCTIONS`), its weight wᵢ (weights sum to 1), ε sᵢ, and Rᵢ transposed.

    Examples
    --------
    >>> problem = MixedProblems(dimension=3)(index=0, seed=1)
    >>> problem.dimension, problem.bounds[0], float(problem(problem.optimum))
    (3, (-5.0, 5.0), 0.0)
    >>> problem(np.zeros((7, 3))).shape
    (7,)
    """

    name: str
    optimum: Array
    functions: tuple[str, ...]
    weights: tuple[float, ...]
    scales: tuple[float, ...]
    rotations: tuple[Array, ...]

    @property
    def dimension(self) -> int:
        """The number of variables."""
        return self.optimum.size

    @property
    def bounds(self) -> list[tuple[float, float]]:
        """The lowest and highest value of each variable, in the form of SciPy's optimisers."""
        return [(-_BOUND, _BOUND)] * self.dimension

    def __str__(self) -> str:
        return self.name

    def __call__(self, x: ArrayLike) -> Any:
        """Return the value at one point (dimension,) as a float, or at many (..., dimension) as an array."""
        points = np.asarray(x, dtype=np.float64)
        if points.shape[-1:] != self.optimum.shape:
            raise ValueError(f"expected points of {self.optimum.size} variables, got the shape {points.shape}")
        inside = np.minimum(np.maximum(points, -_BOUND), _BOUND)
        outside, shifted = points - inside, inside - self.optimum
        mixed: Any = 0.0
        for name, weight, scale, rotation in zip(
            self.functions, self.weights, self.scales, self.rotations, strict=True
        ):
            mixed = mixed + weight * np.log1p(FUNCTIONS[name](shifted.dot(rotation)) / scale)
        values = _FLOOR * np.expm1(mixed) + np.vecdot(outside, outside)
        return float(values) if points.ndim == 1 else values


@dataclass(frozen=True)
class MixedProblems:
    """An unlimited source of problems: `source(index, seed)` is always the same problem.

    Parameters
    ----------
    dimension
        The number of variables, at least 2.
    components
        The number of functions in each mixture; 1 gives rotated and shifted classical functions.
    functions
        The names of the functions to draw from; by default all of `FUNCTIONS`.

    Examples
    --------
    >>> source = MixedProblems(dimension=10)
    >>> source(0, seed=1).name
    '...'
    >>> MixedProblems(2, components=1, functions=["sphere"])(0, seed=1).name
    'sphere in 2 dimensions'
    """

    dimension: int = 10
    components: int = 2
    functions: Sequence[str] = tuple(FUNCTIONS)

    def __post_init__(self) -> None:
        if self.dimension != int(self.dimension) or self.dimension < 2:
            raise ValueError(f"expected a dimension of at least 2, got {self.dimension!r}")
        if isinstance(self.functions, str):
            raise ValueError(f"expected a list of functions, got the string {self.functions!r}; write [...] around it")
        unknown = [name for name in self.functions if name not in FUNCTIONS]
        if unknown:
            raise ValueError(f"expected functions among {', '.join(FUNCTIONS)}, got {', '.join(map(repr, unknown))}")
        if self.components != int(self.components) or not 1 <= self.components <= len(set(self.functions)):
            raise ValueError(
                f"expected from 1 to {len(set(self.functions))} components, as many as there are functions to choose "
                f"from, got {self.components!r}"
            )
        object.__setattr__(self, "functions", tuple(dict.fromkeys(self.functions)))

    def __call__(self, index: int, seed: int) -> Problem:
        """Return the problem with this index; other indices and seeds give independent problems."""
        rng = np.random.default_rng([seed, index])
        d, k = self.dimension, self.components
        chosen = tuple(self.functions[i] for i in rng.choice(len(self.functions), size=k, replace=False))
        weights = tuple(rng.dirichlet(np.ones(k)).tolist())
        optimum = as_read_only(rng.uniform(-_OPTIMUM_BOUND, _OPTIMUM_BOUND, d), np.float64)
        rotations = tuple(_rotation(rng, d) for _ in range(k))
        scales = tuple(_FLOOR * _typical_value(name, d) for name in chosen)
        parts = [name if k == 1 else f"{weight:.2f} {name}" for name, weight in zip(chosen, weights, strict=True)]
        return Problem(f"{' + '.join(parts)} in {d} dimensions", optimum, chosen, weights, scales, rotations)


def _rotation(rng: np.random.Generator, dimension: int) -> Array:
    """Draw an orthogonal matrix from Haar's uniform distribution: the Q factor of a Gaussian matrix, with fixed signs."""
    q, r = np.linalg.qr(rng.standard_normal((dimension, dimension)))
    return as_read_only(q * np.sign(np.diag(r)), np.float64)


@cache
def _typical_value(name: str, dimension: int) -> float:
    """Return the median of a function over random differences of point and optimum, the same in every process."""
    rng = np.random.default_rng(0)
    points, optima = (rng.uniform(-bound, bound, (500, dimension)) for bound in (_BOUND, _OPTIMUM_BOUND))
    return float(np.median(FUNCTIONS[name](points - optima)))
