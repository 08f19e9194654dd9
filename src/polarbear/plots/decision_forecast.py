"""The forecast of a race: how many pairs are decided by how many instances, so far and from here on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.race.forecast import instances_needed

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from polarbear.race.result import RaceResult

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class OpenPair:
    """Two algorithms that are not decided at all times, and the number of instances by which they should be.

    It is infinite where a thousandfold of the data would not be enough, or where one of the two has not run yet.
    """

    first: str
    second: str
    instances: float


@dataclass(frozen=True, eq=False)
class DecisionForecast:
    """Decided pairs by instances.

    Attributes
    ----------
    names
        Every algorithm.
    instances, share
        How many instances each round had used in all, and the share of pairs that were decided at every time by then.
    open_pairs
        The pairs that are still open, the one that will be decided first in front.
    expected_instances, expected_share
        From now on: where the share is expected to rise, and to what; begins with where the race stands.
    """

    names: tuple[str, ...]
    instances: NDArray[np.intp]
    share: Array
    open_pairs: tuple[OpenPair, ...]
    expected_instances: Array
    expected_share: Array

    @classmethod
    def of(cls, result: RaceResult) -> Self:
        """The forecast of a race, if what it believes now is right."""
        if not result.rounds:
            raise ValueError("no round has been decided yet, and nothing can be foretold; run the race first")
        seen: set[int] = set()
        instances, share = [], []
        for round_ in result.rounds:
            seen.update(round_.instances)
            instances.append(len(seen))
            share.append(1 - len(round_.open) / max(1, _pairs(len(round_.threat))))
        pairs = _open_pairs(result)
        total = max(1, _pairs(len(result.state.names)))
        finite = [pair.instances for pair in pairs if np.isfinite(pair.instances)]
        decided = total - len(pairs)
        return cls(
            names=result.state.names,
            instances=np.array(instances, dtype=np.intp),
            share=np.array(share),
            open_pairs=pairs,
            expected_instances=np.array([result.instances, *finite], dtype=np.float64),
            expected_share=(decided + np.arange(len(finite) + 1)) / total,
        )


def _open_pairs(result: RaceResult) -> tuple[OpenPair, ...]:
    state = result.state
    if state.resolved.all():
        return ()
    posterior = result.posterior
    there = [state.names.index(name) for name in posterior.names]
    resolved = state.resolved[:, there][:, :, there]
    found = []
    for a, first in enumerate(state.names):
        for b in range(a + 1, len(state.names)):
            if state.resolved[:, a, b].all():
                continue
            needed = np.inf
            if a in there and b in there:
                only = np.ones_like(resolved)
                pair = there.index(a), there.index(b)
                only[:, pair[0], pair[1]] = resolved[:, pair[0], pair[1]]
                only[:, pair[1], pair[0]] = resolved[:, pair[1], pair[0]]
                needed = instances_needed(posterior, only, state.settings)
            found.append(OpenPair(first, state.names[b], needed))
    return tuple(sorted(found, key=lambda pair: pair.instances))


def _pairs(number: int) -> int:
    return number * (number - 1) // 2
