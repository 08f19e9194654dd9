"""Dominance over time for one pair: who is better when, and how surely."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.relations import dominance, equivalence
from polarbear.selection.choice import among_names

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from polarbear.observe import Grid
    from polarbear.posterior import Posterior

    Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PairDominance:
    """Two algorithms over time, arrays of shape (time,).

    Attributes
    ----------
    grid
        The times.
    first, second, everybody
        The pair, and all algorithms that there are.
    beats
        P(the first beats the second).
    equal
        P(their win probability lies within the region of practical equivalence).
    wins, lower, upper
        Win probability of the first against the second, θ_A / (θ_A + θ_B): mean and 95 % interval.
    always, never
        P(the first beats the second at every time), and the other way round; None where the prior treats each time alone.
    rope
        Half the width of the region of practical equivalence.
    """

    grid: Grid
    first: str
    second: str
    everybody: tuple[str, ...]
    beats: Array
    equal: Array
    wins: Array
    lower: Array
    upper: Array
    always: float | None
    never: float | None
    rope: float

    @classmethod
    def of(cls, posterior: Posterior, first: str, second: str, *, rope: float = 0.05) -> Self:
        """The pair's relations under a posterior."""
        among_names(posterior, (first, second))
        a, b = posterior.names.index(first), posterior.names.index(second)
        one, other = posterior.ratings[..., a], posterior.ratings[..., b]
        total = one + other
        wins = np.divide(one, total, out=np.full_like(total, 0.5), where=total > 0)
        lower, upper = np.quantile(wins, [0.025, 0.975], axis=0)
        always, never = (float((x > y).all(axis=1).mean()) for x, y in ((one, other), (other, one)))
        return cls(
            grid=posterior.grid,
            first=first,
            second=second,
            everybody=posterior.names,
            beats=dominance(posterior)[:, a, b],
            equal=equivalence(posterior, rope=rope)[:, a, b],
            wins=wins.mean(axis=0),
            lower=lower,
            upper=upper,
            always=always if posterior.joint else None,
            never=never if posterior.joint else None,
            rope=rope,
        )
