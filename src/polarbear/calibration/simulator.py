"""Simulated trajectories with a known truth: ratings over time, noise of any autocorrelation, ties, other noise.

A run of algorithm a on instance i has at time t the value −(μ_a(t) + d_i + ε_ia(t)), lower is better. With Gumbel noise ε
the rankings at each time follow Plackett-Luce with utilities μ(t), whatever the autocorrelation. The difficulty d_i is
shared by all algorithms. Values fall along a staircase so high that best-so-far keeps the order within each time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from scipy.special import ndtr

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

Dependence = Literal["copula", "renewal"]
Noise = Literal["gumbel", "gaussian"]

_STEP = 1e3  # between neighbouring times, far above any noise
_GUMBEL_DEVIATION = math.pi / math.sqrt(6)


@dataclass(frozen=True)
class Simulator:
    """How the noise of a run behaves.

    Parameters
    ----------
    autocorrelation
        Of neighbouring times of the grid, from 0 (the paper's assumption) to 1 (the order of a run's noise never changes).
    dependence
        "copula": ε changes a little at each time (an autoregressive Gaussian process, transformed to the marginal
        distribution). "renewal": ε stays as it is, as best-so-far curves do, until it is drawn anew.
    lasting
        Share of the noise, under the copula, that belongs to the instance and the algorithm and lasts the whole run.
    noise
        "gumbel" makes rankings follow Plackett-Luce; "gaussian", of the same variance, does not (Thurstone's model).
    difficulty
        Standard deviation of d_i. Rankings do not depend on it.
    solved
        Share of the runs that are at the optimum, and tied if there are several, at the last time. It grows evenly from
        none; where noise changes over time, so does who is there.
    """

    autocorrelation: float = 0.0
    dependence: Dependence = "copula"
    lasting: float = 0.0
    noise: Noise = "gumbel"
    difficulty: float = 0.0
    solved: float = 0.0

    def __post_init__(self) -> None:
        for name in ("autocorrelation", "lasting", "solved"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must lie in [0, 1], got {getattr(self, name)!r}")
        if self.difficulty < 0:
            raise ValueError(f"difficulty must not be negative, got {self.difficulty!r}")
        for name, allowed in (("dependence", Dependence), ("noise", Noise)):
            if getattr(self, name) not in get_args(allowed):
                raise ValueError(
                    f"{name} must be one of {', '.join(map(repr, get_args(allowed)))}; got {getattr(self, name)!r}"
                )
        if self.dependence == "renewal" and self.lasting:
            raise ValueError("lasting noise goes with dependence='copula'; with 'renewal', raise the autocorrelation")

    def values(self, utilities: Array, instances: int, *, rng: np.random.Generator) -> Array:
        """Values (instance, time, algorithm), lower is better, falling over time.

        Utilities have the shape (time, algorithm), or (instance, time, algorithm) where instances differ in kind.

        Examples
        --------
        >>> flat = np.tile(np.log([3.0, 1.0]), (20, 1))
        >>> values = Simulator(autocorrelation=1.0).values(flat, 4000, rng=np.random.default_rng(0))
        >>> wins = values[..., 0] < values[..., 1]
        >>> bool(np.all(wins == wins[:, :1])), bool(abs(wins.mean() - 3 / (3 + 1)) < 0.02)
        (True, True)
        """
        times, algorithms = utilities.shape[-2:]
        score = utilities + self.noise_of(instances, times, algorithms, rng=rng)
        if self.solved:
            # The best so far of a growing share of the runs is the optimum.
            best = [np.quantile(at, 1 - self.solved * (t + 1) / times) for t, at in enumerate(score.swapaxes(0, 1))]
            score = np.minimum(score, np.array(best)[:, None])
        score += self.difficulty * rng.standard_normal((instances, 1, 1))
        return _STEP * np.arange(times, 0, -1)[:, None] - score

    def noise_of(self, instances: int, times: int, algorithms: int, *, rng: np.random.Generator) -> Array:
        """ε, shape (instance, time, algorithm)."""
        shape = (instances, times, algorithms)
        fresh = rng.standard_normal(shape)
        if self.dependence == "renewal":
            renewed = rng.random(shape) >= self.autocorrelation
            renewed[:, 0] = True
            since = np.maximum.accumulate(np.where(renewed, np.arange(times)[:, None], 0), axis=1)
            normal = np.take_along_axis(fresh, since, axis=1)
        else:
            normal, change = fresh, math.sqrt(1 - self.autocorrelation**2)
            for t in range(1, times):
                normal[:, t] = self.autocorrelation * normal[:, t - 1] + change * fresh[:, t]
            lasting = rng.standard_normal((instances, 1, algorithms))
            normal = math.sqrt(1 - self.lasting) * normal + math.sqrt(self.lasting) * lasting
        if self.noise == "gaussian":
            return _GUMBEL_DEVIATION * normal
        return -np.log(-np.log(ndtr(normal)))
