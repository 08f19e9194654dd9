"""MA-BBOB: affine combinations of the BBOB functions.

In: an instance number and a dimension. Out: a `ManyAffineProblem`, which evaluates the BBOB functions with `ioh`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from polarbear.arrays import Array

# ioh clips each function's distance to its optimum to this interval.
_LEAST, _MOST = 1e-12, 1e20


class ManyAffineProblem:
    """A problem of MA-BBOB, 10^(10 Σᵢ wᵢ (log₁₀(fᵢ(x − x* + xᵢ*) − fᵢ*) + 8) / sᵢ − 8), with fᵢ the 24 functions of BBOB.

    Its values are the values of `ioh.problem.ManyAffine(instance, dimension)`. That class evaluates all 24 functions
    although few have a positive weight; this one evaluates only those. A pickled problem holds only its two numbers, from
    which it is built again.

    Parameters
    ----------
    instance
        The number of the instance in MA-BBOB, from 1.
    dimension
        The number of variables, at least 2.
    """

    def __init__(self, instance: int, dimension: int) -> None:
        if instance < 1 or dimension < 2:
            raise ValueError(f"expected an instance from 1 and a dimension from 2, got {instance} and {dimension}")
        whole = import_ioh("MA-BBOB").problem.ManyAffine(instance, dimension)
        self.instance, self.dimension = instance, dimension
        self.optimum: Array = np.array(whole.optimum.x)
        self._parts = [
            (function, np.array(function.optimum.x) - self.optimum, function.optimum.y, 10 * weight / scale)
            for function, weight, scale in zip(whole.sub_problems, whole.weights, whole.scale_factors, strict=True)
            if weight > 0
        ]

    @property
    def bounds(self) -> list[tuple[float, float]]:
        """The lowest and highest value of each variable."""
        return [(-5.0, 5.0)] * self.dimension

    def __call__(self, x: ArrayLike) -> float:
        """Return the value at a point; the minimum is about 1e-12, at the optimum."""
        point = np.asarray(x, dtype=np.float64)
        exponent = -8.0
        for function, shift, best, factor in self._parts:
            distance = min(max(function(point + shift) - best, _LEAST), _MOST)
            exponent += factor * (math.log10(distance) + 8)
        return float(10.0**exponent)

    def __repr__(self) -> str:
        return f"ManyAffineProblem({self.instance}, {self.dimension})"

    def __reduce__(self) -> Any:
        return ManyAffineProblem, (self.instance, self.dimension)


@dataclass(frozen=True)
class MaBbob:
    """A source of MA-BBOB problems, in which index i gives the instance `first` + i.

    Parameters
    ----------
    dimension
        The number of variables.
    first
        The number of the first instance.
    """

    dimension: int = 30
    first: int = 1

    def __call__(self, index: int, seed: int) -> ManyAffineProblem:
        """Return the problem with this index; the instances of MA-BBOB are numbered and need no seed."""
        del seed
        return ManyAffineProblem(self.first + index, self.dimension)


def import_ioh(what: str) -> Any:
    """Return the package `ioh`, or raise an ImportError that says how to install it."""
    try:
        import ioh
    except ImportError as error:
        raise ImportError(
            f"{what} needs ioh: pip install 'polarbear-anytime[bbob]'; where there is no wheel it is built from source, "
            "which takes about twenty minutes"
        ) from error
    return ioh
