"""Ground truths: utilities drawn from a Matérn 3/2 process, their Pareto set, and runs whose rankings follow them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from string import ascii_uppercase
from typing import TYPE_CHECKING

import numpy as np

import polarbear as pb

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

PRIOR = pb.GaussianProcess(amplitude=pb.LogNormal(0.0, 0.5), lengthscale=pb.InverseGamma(5.0, 3.0))
"""The prior of the truth. Inference assumes shorter lengthscales, InvGamma(5, 2), as in the paper, to show robustness."""

# The decrease of values between neighbouring times: far above the noise, so that a value at one time improves on all
# earlier ones and the best value so far has the order of its own time.
_STEP = 1e3


@dataclass(frozen=True, eq=False)
class GroundTruth:
    """Utilities μ*(t), shape (time, algorithm), of algorithms A, B, ... in descending order of their mean rating."""

    utilities: Array

    @classmethod
    def draw(cls, seed: int, *, algorithms: int, budgets: int) -> GroundTruth:
        """Draw a ground truth from the prior."""
        rng = np.random.default_rng([seed, algorithms, budgets])
        utilities = PRIOR.sample(pb.linear_grid(1, budgets, budgets), algorithms, 1, rng=rng)[0]
        return cls(utilities[:, np.argsort(-_softmax(utilities).mean(axis=0))])

    @property
    def names(self) -> tuple[str, ...]:
        """The names A, B, ..."""
        return tuple(ascii_uppercase[: self.utilities.shape[1]])

    @property
    def grid(self) -> pb.Grid:
        """The times 1, 2, ..., T."""
        return pb.linear_grid(1, len(self.utilities), len(self.utilities))

    @cached_property
    def ratings(self) -> Array:
        """The ratings θ* = softmax(μ*)."""
        return _softmax(self.utilities)

    @cached_property
    def least_win(self) -> Array:
        """The least probability, over time, with which the row wins against the column."""
        margin = self.utilities[:, :, None] - self.utilities[:, None, :]
        return np.asarray(1 / (1 + np.exp(-margin.min(axis=0))))

    @cached_property
    def dominated(self) -> dict[str, tuple[str, ...]]:
        """The algorithms that beat each algorithm at every time; none for the members of the Pareto set."""
        return {
            name: tuple(other for row, other in enumerate(self.names) if self.least_win[row, column] > 0.5)
            for column, name in enumerate(self.names)
        }

    @property
    def pareto_set(self) -> tuple[str, ...]:
        """The algorithms that no other one beats at every time."""
        return tuple(name for name, by in self.dominated.items() if not by)

    def clearly_dominated(self, margin: float) -> tuple[str, ...]:
        """Return the algorithms that another one beats at every time by more than the region of practical equivalence."""
        best = self.least_win.max(axis=0, where=~np.eye(len(self.names), dtype=bool), initial=0.0)
        return tuple(name for name, win in zip(self.names, best, strict=True) if win > 0.5 + margin)

    def runs(self, instances: int, *, seed: int) -> list[pb.Trajectory]:
        """Return runs whose rankings follow the utilities at each time: Gumbel noise on values that decrease over time."""
        rng = np.random.default_rng([seed, instances])
        budgets = self.grid.budgets
        noise = rng.gumbel(size=(instances, *self.utilities.shape))
        values = _STEP * np.arange(len(budgets), 0, -1)[:, None] - self.utilities - noise
        return [
            pb.Trajectory(name, instance, budgets, values[instance, :, column], end=float(budgets[-1]))
            for instance in range(instances)
            for column, name in enumerate(self.names)
        ]


def _softmax(utilities: Array) -> Array:
    strengths = np.exp(utilities - utilities.max(axis=-1, keepdims=True))
    return np.asarray(strengths / strengths.sum(axis=-1, keepdims=True))
