"""Simulate trajectories with known utilities, autocorrelated noise and ties.

A run of algorithm a on instance i has the value −(μ_a(t) + d_i + ε_ia(t)) at budget t; lower is better. With Gumbel noise ε
the rankings at each budget follow Plackett-Luce with utilities μ(t), whatever the autocorrelation. All algorithms share the
difficulty d_i. Values also decrease by a step per budget that is far above the noise, so that the best value so far keeps
the order within each budget.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from scipy.special import ndtr

if TYPE_CHECKING:
    from polarbear.arrays import Array


Dependence = Literal["copula", "renewal"]
Noise = Literal["gumbel", "gaussian"]

_STEP = 1e3  # decrease per budget, far above any noise
_GUMBEL_DEVIATION = math.pi / math.sqrt(6)


@dataclass(frozen=True)
class Simulator:
    """A simulator of runs with a given noise.

    Parameters
    ----------
    autocorrelation
        The autocorrelation of the noise at neighbouring budgets of the grid, from 0 (the paper's assumption) to 1 (the noise
        of a run never changes).
    dependence
        "copula": ε changes a little at each budget (an autoregressive Gaussian process, transformed to the marginal
        distribution). "renewal": ε is constant until it is drawn again, as best-so-far curves behave.
    lasting
        The share of the noise, under the copula, that is specific to instance and algorithm and constant during a run.
    noise
        "gumbel" makes rankings follow Plackett-Luce; "gaussian", with the same variance, does not (Thurstone's model).
    difficulty
        The standard deviation of d_i. Rankings do not depend on it.
    solved
        The share of runs that are at the optimum, and therefore tied, at the last budget. It grows linearly from zero. If
        the noise changes over time, the set of these runs changes too.
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
                raise ValueError(f"expected {name} in [0, 1], got {getattr(self, name)!r}")
        if self.difficulty < 0:
            raise ValueError(f"expected a difficulty of at least 0, got {self.difficulty!r}")
        for name, allowed in (("dependence", Dependence), ("noise", Noise)):
            if getattr(self, name) not in get_args(allowed):
                raise ValueError(
                    f"expected {name} to be one of {', '.join(map(repr, get_args(allowed)))}; got {getattr(self, name)!r}"
                )
        if self.dependence == "renewal" and self.lasting:
            raise ValueError(
                "expected lasting=0 with dependence='renewal'; use dependence='copula', or raise the autocorrelation"
            )

    def values(self, utilities: Array, instances: int, *, rng: np.random.Generator) -> Array:
        """Draw values of shape (instance, budget, algorithm), which decrease over time; lower is better.

        Utilities have the shape (budget, algorithm), or (instance, budget, algorithm) if they differ between instances.

        Examples
        --------
        >>> flat = np.tile(np.log([3.0, 1.0]), (20, 1))
        >>> values = Simulator(autocorrelation=1.0).values(flat, 4000, rng=np.random.default_rng(0))
        >>> wins = values[..., 0] < values[..., 1]
        >>> bool(np.all(wins == wins[:, :1])), bool(abs(wins.mean() - 3 / (3 + 1)) < 0.02)
        (True, True)
        """
        budgets, algorithms = utilities.shape[-2:]
        score = utilities + self.noise_of(instances, budgets, algorithms, rng=rng)
        if self.solved:
            # A growing share of the runs is at the optimum.
            best = [np.quantile(at, 1 - self.solved * (t + 1) / budgets) for t, at in enumerate(score.swapaxes(0, 1))]
            score = np.minimum(score, np.array(best)[:, None])
        score += self.difficulty * rng.standard_normal((instances, 1, 1))
        return _STEP * np.arange(budgets, 0, -1)[:, None] - score

    def noise_of(self, instances: int, budgets: int, algorithms: int, *, rng: np.random.Generator) -> Array:
        """Draw the noise ε, shape (instance, budget, algorithm)."""
        shape = (instances, budgets, algorithms)
        fresh = rng.standard_normal(shape)
        if self.dependence == "renewal":
            renewed = rng.random(shape) >= self.autocorrelation
            renewed[:, 0] = True
            since = np.maximum.accumulate(np.where(renewed, np.arange(budgets)[:, None], 0), axis=1)
            normal = np.take_along_axis(fresh, since, axis=1)
        else:
            normal, change = fresh, math.sqrt(1 - self.autocorrelation**2)
            for t in range(1, budgets):
                normal[:, t] = self.autocorrelation * normal[:, t - 1] + change * fresh[:, t]
            lasting = rng.standard_normal((instances, 1, algorithms))
            normal = math.sqrt(1 - self.lasting) * normal + math.sqrt(self.lasting) * lasting
        if self.noise == "gaussian":
            return _GUMBEL_DEVIATION * normal
        return -np.log(-np.log(ndtr(normal)))
