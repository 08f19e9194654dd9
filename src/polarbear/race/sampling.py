"""Plan which algorithms run next, on which instances and until when (the paper's "Sampling Strategy")."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.race.jobs import Job

if TYPE_CHECKING:
    from polarbear.race.rounds import Kind
    from polarbear.race.settings import Settings
    from polarbear.race.state import State


@dataclass(frozen=True)
class Plan:
    """The plan of the next round; all of its jobs must be run."""

    kind: Kind
    instances: tuple[int, ...]
    until: tuple[tuple[str, float], ...]
    jobs: tuple[Job, ...]


def next_plan(state: State, *, most_instances: int | None = None) -> Plan | None:
    """Plan the next round; return None when every pair of candidates is decided at every time.

    Algorithms that joined later first run on the instances that the race has used already. Then all candidates in
    undecided pairs run on new instances.
    """
    ran = {name for name, _ in state.observations.runs}
    if state.review and state.candidates <= ran:  # inference needs at least one run of every candidate
        return Plan("review", (), (), ())
    until = running_until(state)
    if not until:
        return None
    size = state.batch_size if most_instances is None else min(state.batch_size, most_instances)
    behind = {name: missing_instances(state, name) for name in until if name in state.newcomers}
    if any(behind.values()):
        instances = tuple(sorted({instance for missing in behind.values() for instance in missing})[:size])
        pairs = [(name, i) for i in instances for name, missing in behind.items() if i in missing]
        kind: Kind = "catch-up"
    else:
        instances = tuple(range(state.next_instance, state.next_instance + size))
        pairs = [(name, i) for i in instances for name in until]
        kind = "fresh"
    runners = {name for name, _ in pairs}
    jobs = tuple(job(state.settings, name, instance, until[name]) for name, instance in pairs)
    return Plan(kind, instances, tuple((name, time) for name, time in until.items() if name in runners), jobs)


def running_until(state: State) -> dict[str, float]:
    """Return τ_A, the time until which to run, for each candidate A in an undecided pair.

    Joint elimination is about all times at once, so there every such candidate runs to the end of the grid.
    """
    times = state.settings.grid.times
    result = {}
    for index, name in enumerate(state.names):
        undecided = np.flatnonzero(~state.resolved[:, index].all(axis=1))
        if name in state.candidates and len(undecided):
            last = undecided[-1] if state.settings.elimination == "pointwise" else -1
            result[name] = float(times[last])
    return result


def missing_instances(state: State, name: str) -> set[int]:
    """Return the instances of the race on which an algorithm has not run."""
    return {instance for instance in state.observations.instances if (name, instance) not in state.observations.runs}


def job(settings: Settings, algorithm: str, instance: int, until: float) -> Job:
    """Return the job of one run, with seeds that depend only on the race's seed, the instance and the algorithm."""
    owner = "" if settings.common_random_numbers else algorithm
    return Job(
        algorithm,
        instance,
        until,
        seed=seed_of(settings.seed, "run", instance, owner),
        instance_seed=seed_of(settings.seed, "instance", instance),
    )


def seed_of(*parts: object) -> int:
    """Return a seed of 31 bits from any values, the same on every machine; every library accepts 31 bits.

    Examples
    --------
    >>> seed_of(0, "run", 1, "cma") == seed_of(0, "run", 1, "cma") != seed_of(0, "run", 2, "cma")
    True
    """
    digest = hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:4], "little") >> 1
