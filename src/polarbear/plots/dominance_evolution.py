"""The evolution of dominance over the rounds of a race (the paper's figure of that name)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from polarbear.race.result import RaceResult

    Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DominanceEvolution:
    """What each round believed and decided; arrays of shape (round, algorithm), or (round,).

    Attributes
    ----------
    names
        Every algorithm that ever took part.
    rounds
        Numbers of the rounds, from 1.
    threat
        max_A P(A dominates B at every time) for each B; not a number before B came in and after it went out.
    eliminated
        Where B went out.
    resolved
        Where a candidate came to be fully decided against all others, and so a member of the Pareto set.
    share
        Of all (time, pair) that are decided.
    reliable
        Whether the round's posterior could be trusted; if not, nothing was decided.
    confidence
        α, from which dominance counts.
    """

    names: tuple[str, ...]
    rounds: NDArray[np.intp]
    threat: Array
    eliminated: NDArray[np.bool_]
    resolved: NDArray[np.bool_]
    share: Array
    reliable: NDArray[np.bool_]
    confidence: float

    @classmethod
    def of(cls, result: RaceResult) -> Self:
        """The evolution of a race, finished or not."""
        names, rounds = result.state.names, result.rounds
        shape = len(rounds), len(names)
        threat = np.full(shape, np.nan)
        eliminated, resolved = np.zeros(shape, dtype=np.bool_), np.zeros(shape, dtype=np.bool_)
        out: set[str] = set()
        decided: set[str] = set()
        for row, round_ in enumerate(rounds):
            if round_.kind == "review":  # under other settings, all but those removed by hand are candidates again
                out.clear()
                decided.clear()
            gone = {each.name for each in round_.eliminated}
            open_ = {name for a, b, _ in round_.open for name in (a, b)}
            for name, probability in round_.threat:
                if name not in names or name in out:
                    continue
                column = names.index(name)
                threat[row, column] = probability
                eliminated[row, column] = name in gone
                inside = name not in gone and name not in open_ and name not in result.state.removed
                resolved[row, column] = inside and name not in decided
                (decided.add if inside else decided.discard)(name)
            out |= gone
        return cls(
            names=names,
            rounds=np.array([round_.number for round_ in rounds], dtype=np.intp),
            threat=threat,
            eliminated=eliminated,
            resolved=resolved,
            share=np.array([round_.resolved_share for round_ in rounds]),
            reliable=np.array([round_.reliable for round_ in rounds], dtype=np.bool_),
            confidence=result.state.settings.confidence,
        )
