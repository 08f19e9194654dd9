"""The design loop: a proposer and a race take turns until nothing new survives or a budget is spent."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from polarbear.designing.anytime_configuration import AnytimeConfiguration, Iteration, anytime_configuration
from polarbear.designing.pruning import least_likely_members
from polarbear.designing.repetition import Batch, repeat_proposals, store_batches
from polarbear.designing.state import DesignState
from polarbear.models.validation import require_count
from polarbear.wording import format_percent, with_noun

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from concurrent.futures import Executor

    from polarbear.designing.anytime_configuration import DesignStopped
    from polarbear.designing.state import Proposer
    from polarbear.driver.race import Race
    from polarbear.literals import View
    from polarbear.race.outcome import RaceOutcome
    from polarbear.race.state import State


def design(
    proposer: Proposer,
    race: Race,
    *,
    executor: Executor | None = None,
    iterations: int = 20,
    fruitless: int = 3,
    members: int = 12,
    seed: int = 0,
    max_instances: int = 40,
    new_instances: int = 4,
    max_evaluations: float | None = None,
    max_seconds: float | None = None,
    on_iteration: Callable[[Iteration], None] | None = None,
    progress: View = "none",
    **run_options: Any,
) -> AnytimeConfiguration:
    """Alternate between a proposer of algorithms and a race, and return which algorithm to use at which budget.

    In each iteration the proposer sees the race so far and proposes new algorithms. These run on the known instances first,
    and the race drops most of them after a few. If the race has a file, a program that is run again continues the
    design: the proposer is called again with the earlier states and must return the same proposals, and no run is repeated.

    Parameters
    ----------
    proposer
        A function from a `DesignState` to new algorithms by name, such as the `propose` of a `ParameterSpace`. An empty
        result ends the design.
    race
        The race, with the algorithms to start from.
    executor
        Makes the runs; see `Race.run`. By default, runs are made in local processes.
    iterations
        The largest number of iterations.
    fruitless
        The design ends after this many iterations in a row whose proposals are all dropped.
    members
        The largest size of the Pareto set. Beyond this number, those that are least likely to be the best choice at any
        budget are dropped, once after the first batch of instances of newcomers, and once at the end of an iteration. Near
        copies are never dropped by the race, and few instances seldom suffice to drop an algorithm.
    seed
        The seed of the generator that proposers use.
    max_instances, new_instances
        The largest number of instances, and how many each iteration may add. The first algorithms run on one batch of the
        race: while the Pareto set still improves quickly, more precision would be wasted on it.
    max_evaluations
        The largest total cost of all runs, in evaluations or seconds.
    max_seconds
        The design stops when this call has taken this many seconds.
    on_iteration
        Called after each iteration with its record, also if the design stops before its end.
    progress, **run_options
        Further arguments of `Race.run`. An algorithm that fails in every run is judged like any other, unless
        `accept_failures=False`.

    Returns
    -------
    AnytimeConfiguration
    """
    for name, count in (
        ("iterations", iterations),
        ("fruitless", fruitless),
        ("members", members),
        ("new_instances", new_instances),
    ):
        require_count(name, count, least=1)
    budget = _Budget(race, executor, max_evaluations, max_seconds, progress, run_options)
    batches = repeat_proposals(proposer, race, seed)
    while True:
        limit = min(race.state.settings.batch.first + new_instances * len(batches), max_instances)
        stopped = None
        if batches and _are_waiting(race, batches[-1].names):
            stopped = budget.run(limit, stop=lambda result: True)  # one round, so that most newcomers cost one batch
        if stopped is None:
            _prune(race, members)
            stopped = budget.run(limit)
        if stopped is None:
            _prune(race, members)
        records = _records(batches, race.state, complete=stopped is None)
        if records and on_iteration is not None:
            on_iteration(records[-1])
        stopped = stopped or _reason_to_stop(records, iterations=iterations, fruitless=fruitless)
        if stopped is None:
            proposals = _propose(proposer, DesignState(len(batches) + 1, race.outcome, dict(race.algorithms), seed))
            stopped = None if proposals else "nothing proposed"
        if stopped is not None:
            if not race.state.rounds:
                raise ValueError(
                    f"expected limits that allow a first round, got none before the design stopped ({stopped}); allow more, "
                    "and run it again"
                )
            return anytime_configuration(race.outcome, race.algorithms, records, stopped)
        batches.append(Batch(tuple(proposals), race.state))
        store_batches(race, batches, seed)  # before any is added, so that a killed design knows its proposals
        for name, algorithm in proposals.items():
            race.add(name, algorithm)


@dataclass(eq=False)
class _Budget:
    """Runs the race within the limits of the design."""

    race: Race
    executor: Executor | None
    max_evaluations: float | None
    max_seconds: float | None
    progress: View
    options: Mapping[str, Any]

    def __post_init__(self) -> None:
        self._begin = time.monotonic()

    def run(self, max_instances: int, stop: Callable[[RaceOutcome], bool] | None = None) -> DesignStopped | None:
        """Continue the race within this many instances, and return the limit that ends the design, if one does."""
        left = None if self.max_seconds is None else max(0.0, self.max_seconds - (time.monotonic() - self._begin))
        result = self.race.drive(
            self.executor,
            max_instances=max_instances,
            max_evaluations=self.max_evaluations,
            max_seconds=left,
            stop=stop,
            progress=self.progress,
            **{"accept_failures": True, **self.options},
        )
        match result.stopped:
            case "max_evaluations" | "max_seconds" | "interrupted" | "algorithm failed" as reason:
                return reason
        return None


def _are_waiting(race: Race, names: Collection[str]) -> bool:
    """Return whether one of these algorithms has not run yet."""
    ran = {name for name, _ in race.state.observations.runs}
    return any(name not in ran for name in names)


def _prune(race: Race, members: int) -> None:
    """Drop the least likely members of a Pareto set that is too large."""
    if race.outcome.rounds:
        for name, peak in least_likely_members(race.outcome, members).items():
            race.drop(
                name,
                f"set aside by the design loop, which keeps {with_noun(members, 'algorithm')}: its highest probability of "
                f"being the best choice at any budget was {format_percent(peak)}",
            )


def _records(batches: list[Batch], now: State, *, complete: bool) -> tuple[Iteration, ...]:
    """Return the records of all iterations; each ends in the state in which the next batch was proposed.

    `complete` says whether the last one has reached its end.
    """
    ends = [*(each.state for each in batches[1:]), now] if batches else []
    return tuple(
        Iteration(
            number,
            batch.names,
            tuple(name for name in state.kept if name in batch.names),
            state.kept,
            state.cost,
            complete or number < len(batches),
        )
        for number, (batch, state) in enumerate(zip(batches, ends, strict=True), start=1)
    )


def _reason_to_stop(records: tuple[Iteration, ...], *, iterations: int, fruitless: int) -> DesignStopped | None:
    if len(records) >= fruitless and not any(each.survivors for each in records[-fruitless:]):
        return "nothing new survives"
    return "iterations" if len(records) >= iterations else None


def _propose(proposer: Proposer, state: DesignState) -> dict[str, Any]:
    """Return the proposals for a state; raise an error unless they are new algorithms by name."""
    proposals: object = proposer(state)
    if not isinstance(proposals, Mapping):
        raise ValueError(
            f"expected a proposer that returns algorithms by name, got {type(proposals).__name__}; return "
            "{name: algorithm}, or {} to end the design"
        )
    if known := [name for name in proposals if name in state.names]:
        raise ValueError(f"expected new names from the proposer, got {known[0]!r} again; check state.names")
    return dict(proposals)
