"""What a model check found, as data.

A `Misfit` is a pair whose observed win rate contradicts the posterior. An `Influence` is an algorithm whose removal changes
other pairs. A `PairCheck` is a drop checked against the outcomes of its pair alone. `polarbear.answer.doubts`
turns them into findings with a severity and a remedy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

DOUBTFUL = 0.05  # a drop is contradicted if the pair's own outcomes give it a smaller probability


class Decision(Protocol):
    """A drop: `by` beats `name` with some probability."""

    @property
    def name(self) -> str:
        """The dropped algorithm."""

    @property
    def by(self) -> str:
        """The algorithm that beats it."""

    @property
    def probability(self) -> float:
        """The probability that `by` beats `name` under the posterior."""


@dataclass(frozen=True)
class Misfit:
    """A pair whose observed win rate contradicts the posterior, at the budget where the two differ most.

    Attributes
    ----------
    name, other
        `name` beat `other` on the share `observed` of the instances; the posterior expects `modelled`.
    budget
        The budget of the largest difference; the misfit is significant from `first` to `last`.
    errors
        The difference in standard errors.
    instances
        The effective number of instances that compare the pair at this budget.
    """

    name: str
    other: str
    budget: float
    first: float
    last: float
    observed: float
    modelled: float
    errors: float
    instances: float


@dataclass(frozen=True)
class Influence:
    """An algorithm whose removal changes the other pairs, with the pair and the budget that change most.

    Attributes
    ----------
    name
        The algorithm that is left out.
    first, second, budget
        The pair and the budget whose win rate changes most.
    rate, without
        The win rate of the first over the second in a Plackett-Luce fit to all algorithms, and to all but this one.
    errors
        The change in standard errors, see `LeftOut`.
    """

    name: str
    first: str
    second: str
    budget: float
    rate: float
    without: float
    errors: float


@dataclass(frozen=True)
class PairCheck:
    """A drop, checked against the outcomes of the pair alone.

    Attributes
    ----------
    name, by, probability
        The drop: `by` beats `name`, with this probability under the posterior.
    own
        The smallest probability, over the budgets at which the two were compared, that `by` beats `name` on more than half
        of the instances, from the outcomes of the pair alone.
    budget
        The budget of the smallest probability.
    """

    name: str
    by: str
    probability: float
    own: float
    budget: float

    @property
    def contradicted(self) -> bool:
        """Whether the pair's own outcomes contradict the drop."""
        return self.own < DOUBTFUL

    @property
    def unsupported(self) -> bool:
        """Whether the pair's own outcomes neither contradict nor support the drop, for instance if there are none."""
        return DOUBTFUL <= self.own <= 0.5
