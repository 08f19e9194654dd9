"""Risk attitudes: how the drawn values of each candidate become one score; higher is better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.posterior.probability_best import probability_best

if TYPE_CHECKING:
    from polarbear.arrays import Array


@dataclass(frozen=True)
class ProbabilityBest:
    """The probability of being best, P(V_A ≥ V_B for all B)."""

    def score(self, values: Array) -> Array:
        """Return the score of values (draw, candidate); tied candidates share a draw, so that scores sum to one."""
        return probability_best(values)

    def __str__(self) -> str:
        return "the probability of being the best"


@dataclass(frozen=True)
class Expected:
    """The expected value, E V_A: risk-neutral."""

    def score(self, values: Array) -> Array:
        """Return the score of values (draw, candidate)."""
        score: Array = values.mean(axis=0)
        return score

    def __str__(self) -> str:
        return "the expected value"


@dataclass(frozen=True)
class Quantile:
    """The γ-quantile of the value, Q_γ[V_A]: risk-averse for small γ, since unfavourable draws decide."""

    level: float = 0.05

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise ValueError(
                f"expected the level of a quantile between 0 and 1, got {self.level!r}; use a level such as 0.05"
            )

    def score(self, values: Array) -> Array:
        """Return the score of values (draw, candidate)."""
        score: Array = np.quantile(values, self.level, axis=0)
        return score

    def __str__(self) -> str:
        return f"the {100 * self.level:g} % quantile of the value"


@dataclass(frozen=True)
class ExpectedLoss:
    """The negative expected loss, −E[max_B V_B − V_A], against the candidate that turns out best."""

    def score(self, values: Array) -> Array:
        """Return the score of values (draw, candidate)."""
        score: Array = -(values.max(axis=1, keepdims=True) - values).mean(axis=0)
        return score

    def __str__(self) -> str:
        return "the expected loss"


Risk = ProbabilityBest | Expected | Quantile | ExpectedLoss
