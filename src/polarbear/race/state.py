"""The state of a race: an immutable value from which everything else is derived."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from polarbear.race.observations import Observations

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from polarbear.arrays import Mask
    from polarbear.observe import Clusters
    from polarbear.posterior.posterior import Posterior
    from polarbear.race.instance_features import Features
    from polarbear.race.rounds import Round
    from polarbear.race.settings import Settings


@dataclass(frozen=True, eq=False)
class State:
    """The state of a race after a round.

    Attributes
    ----------
    settings
        The settings of the race.
    names
        Every algorithm that ever took part, in order of arrival.
    candidates
        P̂, the algorithms that are not dropped.
    decided
        C(t, {A, B}), whether a pair is decided at t, shape (budget, algorithm, algorithm). It is symmetric, and true on
        the diagonal and for all pairs with an algorithm that is not a candidate.
    left
        Where undecided pairs are left undecided, see `Settings.patience`, in the shape of `decided`; None: nowhere.
    batch_size
        The size of the next round.
    next_instance
        The index of the first unused instance.
    observations
        All runs and their choices.
    rounds
        The records of all rounds so far.
    newcomers
        Algorithms that joined or were restored while the race was under way and have not run on all used instances
        yet.
    dropped_by_user
        Algorithms that were dropped on request, each with the reason, such as "dropped by you".
    reruns
        The failed runs, by (algorithm, instance), that are to be made again.
    review
        Whether the existing data must be analysed again before anything runs, because settings changed.
    posterior
        The posterior after the last round, if it has been computed.
    features
        The features of instances, by index, as far as they are known.
    """

    settings: Settings
    names: tuple[str, ...]
    candidates: frozenset[str]
    decided: Mask
    batch_size: int
    next_instance: int = 0
    observations: Observations = field(default_factory=Observations)
    rounds: tuple[Round, ...] = ()
    newcomers: frozenset[str] = frozenset()
    dropped_by_user: Mapping[str, str] = field(default_factory=dict)
    reruns: frozenset[tuple[str, int]] = frozenset()
    review: bool = False
    posterior: Posterior | None = None
    features: Mapping[int, Features] = field(default_factory=dict)
    left: Mask | None = None

    @property
    def clusters(self) -> Clusters | None:
        """The clusters of the used instances, such as the repetitions of each; None if all are independent."""
        choices = self.observations.choices
        return None if choices is None or choices.rankings is None else choices.rankings.clusters

    @property
    def kept(self) -> tuple[str, ...]:
        """The candidates, in order of arrival."""
        return tuple(name for name in self.names if name in self.candidates)

    @property
    def cost(self) -> float:
        """The total cost of all runs, in the race's unit of budgets."""
        return float(sum(run.reached for run in self.observations.runs.values()))


def nothing_decided(budgets: int, names: tuple[str, ...], candidates: frozenset[str]) -> Mask:
    """Return C without data: only the diagonal and pairs with an algorithm that is not a candidate are decided."""
    inside = np.array([name in candidates for name in names])
    decided = np.broadcast_to(~(inside[:, None] & inside), (budgets, len(names), len(names))).copy()
    diagonal = np.arange(len(names))
    decided[:, diagonal, diagonal] = True
    return decided


def reopened(state: State, names: Collection[str], candidates: frozenset[str]) -> Mask:
    """Return C in which all pairs of candidates with one of these algorithms are undecided again."""
    involved = np.array([name in names for name in state.names])
    pairs = involved[:, None] | involved
    return np.where(pairs, nothing_decided(len(state.settings.grid), state.names, candidates), state.decided)


def decided_for_candidates(state: State, candidates: frozenset[str]) -> Mask:
    """Return C of a state with only these candidates: all pairs with another algorithm are decided, too."""
    return state.decided | nothing_decided(len(state.settings.grid), state.names, candidates)


def undecided_cells(decided: Mask) -> int:
    """Return the number of (budget, pair) that are undecided."""
    return int(np.count_nonzero(~decided)) // 2


def decided_share(decided: Mask) -> float:
    """Return the share of all (budget, pair) that are decided, including pairs with dropped algorithms."""
    budgets, algorithms, _ = decided.shape
    pairs = algorithms * (algorithms - 1) // 2
    return 1 - undecided_cells(decided) / (budgets * pairs) if pairs else 1.0
