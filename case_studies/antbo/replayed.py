"""Races that replay the recorded runs, and the evaluations that they save."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from case_studies.antbo.recorded import CLUSTERS, Recording
from case_studies.antbo.settings import CONFIDENCE, SCOPES, grid
from polarbear.analysis import replay
from polarbear.wording import percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from concurrent.futures import Executor, Future


@dataclass(frozen=True)
class ReplayedRace:
    """One race on the recorded runs.

    Attributes
    ----------
    scope, order
        What the race generalises to, and the seed of the order of its runs.
    dropped
        The methods that it eliminated.
    stopped
        Why it stopped.
    saved_share
        The share of the recorded evaluations that it saved.
    """

    scope: str
    order: int
    dropped: tuple[str, ...]
    stopped: str
    saved_share: float


def race(scope: str, order: int) -> ReplayedRace:
    """Race the recorded runs in one order."""
    runs = Recording.load().trajectories()
    replayed = replay(runs, grid(), seed=order, prior=SCOPES[scope], confidence=CONFIDENCE, **CLUSTERS)
    result = replayed.result
    dropped = tuple(each.name for each in result.drops)
    return ReplayedRace(scope, order, dropped, result.stopped, replayed.saved_share)


def race_all(pool: Executor, orders: Iterable[int]) -> list[Future[ReplayedRace]]:
    """Race for each scope in each order, on the processes of a pool."""
    return [pool.submit(race, scope, order) for scope, order in product(SCOPES, orders)]


def drops(races: Sequence[ReplayedRace]) -> str:
    """Return in how many of the races each method was eliminated.

    Examples
    --------
    >>> races = [ReplayedRace("", order, ("COMBO",) * (order == 1), "finished", 0.2) for order in range(3)]
    >>> drops(races)
    'COMBO in 1 of 3'
    """
    counts = Counter(name for each in races for name in each.dropped)
    return ", ".join(f"{name} in {count} of {len(races)}" for name, count in counts.most_common()) or "none"


def savings(races: Sequence[ReplayedRace]) -> str:
    """Return the median share of evaluations saved, and how many races decided every pair."""
    decided = sum(each.stopped == "finished" for each in races)
    saved = float(np.median([each.saved_share for each in races]))
    return f"{percent(saved)}; every pair decided in {decided} of {len(races)}"
