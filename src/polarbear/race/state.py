"""The state of a race: a frozen value from which everything else follows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from polarbear.race.evidence import Evidence

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polarbear.posterior.posterior import Posterior
    from polarbear.race.rounds import Round
    from polarbear.race.settings import Settings


@dataclass(frozen=True, eq=False)
class State:
    """Where a race stands.

    Attributes
    ----------
    settings
        What was asked for.
    names
        Every algorithm that ever took part, in order of arrival.
    candidates
        P̂, those not confidently dominated.
    resolved
        C(t, {A, B}), shape (time, algorithm, algorithm), symmetric; the diagonal and all pairs of algorithms that are out
        are true.
    batch_size
        Size of the next round.
    next_instance
        Index of the first instance that was never used.
    evidence
        All runs.
    rounds
        What happened so far.
    newcomers
        Algorithms that were added to a race under way.
    removed
        Algorithms that were taken out by hand.
    review
        What is known must be judged again before anything is run, because what was asked for changed.
    posterior
        The belief after the last round, where it has been computed.
    """

    settings: Settings
    names: tuple[str, ...]
    candidates: frozenset[str]
    resolved: NDArray[np.bool_]
    batch_size: int
    next_instance: int = 0
    evidence: Evidence = field(default_factory=Evidence)
    rounds: tuple[Round, ...] = ()
    newcomers: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()
    review: bool = False
    posterior: Posterior | None = None

    @property
    def pareto_set(self) -> tuple[str, ...]:
        """The candidates, in order."""
        return tuple(name for name in self.names if name in self.candidates)

    @property
    def cost(self) -> float:
        """What all runs cost, in the race's unit of time."""
        return float(sum(run.reached for run in self.evidence.runs.values()))


def unresolved(times: int, names: tuple[str, ...], candidates: frozenset[str]) -> NDArray[np.bool_]:
    """C where nothing is known: only pairs with an algorithm that is out, and the diagonal, count as decided."""
    inside = np.array([name in candidates for name in names])
    resolved = np.broadcast_to(~(inside[:, None] & inside), (times, len(names), len(names))).copy()
    diagonal = np.arange(len(names))
    resolved[:, diagonal, diagonal] = True
    return resolved


def undecided_cells(resolved: NDArray[np.bool_]) -> int:
    """Number of (time, pair) that are not decided."""
    return int(np.count_nonzero(~resolved)) // 2


def decided_share(resolved: NDArray[np.bool_]) -> float:
    """Share of all (time, pair) that are decided, eliminated algorithms' pairs among them."""
    times, algorithms, _ = resolved.shape
    pairs = algorithms * (algorithms - 1) // 2
    return 1 - undecided_cells(resolved) / (times * pairs) if pairs else 1.0
