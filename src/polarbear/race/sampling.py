"""Plan which algorithms run next, on which instances and until when (the paper's "Sampling Strategy")."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.race.jobs import Job

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from polarbear.race.rounds import Kind, Round
    from polarbear.race.settings import Settings
    from polarbear.race.state import State


@dataclass(frozen=True)
class Plan:
    """The plan of the next round; all of its jobs must be run."""

    kind: Kind
    instances: tuple[int, ...]
    budgets: tuple[tuple[str, float], ...]
    jobs: tuple[Job, ...]


def next_plan(state: State, *, most_instances: int | None = None, only: Collection[str] | None = None) -> Plan | None:
    """Plan the next round; return None when every pair of candidates is decided, or left undecided, at every budget.

    Failed runs that are to be made again come first, all in one round. Then algorithms that joined later run on the
    instances that the race has used already. Then all candidates in undecided pairs run on new instances.

    Parameters
    ----------
    state
        The state of the race.
    most_instances
        The largest number of instances; by default the batch size.
    only
        The candidates that run, until every pair among them is decided; by default all candidates.
    """
    reruns = planned_reruns(state, only=only)
    if reruns:
        return _rerun_plan(state, reruns[:most_instances])
    ran = {name for name, _ in state.observations.runs}
    if state.review and state.candidates <= ran:  # inference needs at least one run of every candidate
        return Plan("review", (), (), ())
    budgets = running_until(state, only=only)
    if not budgets:
        return None
    size = state.batch_size if most_instances is None else min(state.batch_size, most_instances)
    behind = {name: missing_instances(state, name) for name in budgets if name in state.newcomers}
    if any(behind.values()):
        instances = tuple(sorted({instance for missing in behind.values() for instance in missing})[:size])
        pairs = [(name, i) for i in instances for name, missing in behind.items() if i in missing]
        kind: Kind = "catch-up"
    else:
        instances = tuple(range(state.next_instance, state.next_instance + size))
        pairs = [(name, i) for i in instances for name in budgets]
        kind = "fresh"
    runners = {name for name, _ in pairs}
    jobs = tuple(job(state.settings, name, instance, budgets[name]) for name, instance in pairs)
    return Plan(kind, instances, tuple((name, budget) for name, budget in budgets.items() if name in runners), jobs)


def recorded_plan(state: State, record: Round) -> Plan | None:
    """Return the plan of a recorded round, or None if the round does not follow from this state.

    The record names the algorithms and the instances, so that a race can be rebuilt without planning it again, whichever
    candidates the user had selected.
    """
    if record.number != len(state.rounds) + 1 or not {name for name, _ in record.budgets} <= set(state.names):
        return None
    match record.kind:
        case "review":
            return Plan("review", (), (), ())
        case "rerun":
            names = {name for name, _ in record.budgets}
            reruns = planned_reruns(state, only=names)
            known = [(instance, own) for instance, own in reruns if instance in set(record.instances)]
            return _rerun_plan(state, known) if len(known) == len(record.instances) else None
        case "catch-up":
            pairs = [(name, i) for i in record.instances for name, _ in record.budgets]
            pairs = [pair for pair in pairs if pair not in state.observations.runs]
            follows = set(record.instances) <= set(state.observations.instances)
        case "fresh":
            pairs = [(name, i) for i in record.instances for name, _ in record.budgets]
            first = state.next_instance
            follows = record.instances == tuple(range(first, first + len(record.instances)))
    budgets = dict(record.budgets)
    jobs = tuple(job(state.settings, name, instance, budgets[name]) for name, instance in pairs)
    return Plan(record.kind, record.instances, record.budgets, jobs) if follows and jobs else None


def planned_reruns(state: State, *, only: Collection[str] | None = None) -> list[tuple[int, tuple[str, ...]]]:
    """Return the failed runs of candidates that are to be made again: each instance with its algorithms."""
    by_instance: dict[int, list[str]] = {}
    for name, instance in sorted(state.reruns):
        if name in state.candidates and (only is None or name in only):
            by_instance.setdefault(instance, []).append(name)
    return [(instance, tuple(names)) for instance, names in sorted(by_instance.items())]


def _rerun_plan(state: State, reruns: Sequence[tuple[int, tuple[str, ...]]]) -> Plan:
    """Return the plan of a round that makes failed runs again, until the budgets that they were asked for."""
    jobs = tuple(
        job(state.settings, name, instance, _asked_until(state, name, instance))
        for instance, names in reruns
        for name in names
    )
    budgets: dict[str, float] = {}
    for each in jobs:
        budgets[each.algorithm] = max(each.budget, budgets.get(each.algorithm, 0.0))
    return Plan("rerun", tuple(instance for instance, _ in reruns), tuple(budgets.items()), jobs)


def _asked_until(state: State, name: str, instance: int) -> float:
    """Return the budget until which the race asked an algorithm to run on an instance."""
    for record in state.rounds:
        if instance in record.instances and name in dict(record.budgets):
            return dict(record.budgets)[name]
    return float(state.settings.grid.budgets[-1])


def running_until(state: State, *, only: Collection[str] | None = None) -> dict[str, float]:
    """Return τ_A, the budget until which to run, for each candidate A in an undecided pair that is not left undecided.

    Joint dominance is about all budgets at once, so there every such candidate runs to the end of the grid. With `only`,
    pairs with other algorithms do not count.
    """
    budgets = state.settings.grid.budgets
    counted = np.array([only is None or name in only for name in state.names])
    settled = state.decided if state.left is None or only is not None else state.decided | state.left
    result = {}
    for index, name in enumerate(state.names):
        undecided = np.flatnonzero(~settled[:, index, counted].all(axis=1))
        if counted[index] and name in state.candidates and len(undecided):
            last = undecided[-1] if state.settings.dominance == "pointwise" else -1
            result[name] = float(budgets[last])
    return result


def missing_instances(state: State, name: str) -> set[int]:
    """Return the instances of the race on which an algorithm has not run."""
    return {instance for instance in state.observations.instances if (name, instance) not in state.observations.runs}


def job(settings: Settings, algorithm: str, instance: int, budgets: float) -> Job:
    """Return the job of one run, with seeds that depend only on the race's seed, the instance and the algorithm."""
    owner = "" if settings.common_random_numbers else algorithm
    return Job(
        algorithm,
        instance,
        budgets,
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
