"""The loop of a race (the paper's Algorithm 1): pure functions from state to state.

`ask` returns what to run; `tell` takes the finished runs, infers the posterior and decides. Neither runs nor stores
anything. Therefore the same runs give the same race, however and wherever they were executed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from polarbear.inference.request import check_request
from polarbear.observe.names import check_names
from polarbear.race.decisions import decide_round
from polarbear.race.observations import add_runs, rerank
from polarbear.race.sampling import Plan, missing_instances, next_plan
from polarbear.race.state import State, decided_for_candidates, nothing_decided, reopened
from polarbear.wording import DROPPED_BY_USER

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from polarbear.arrays import Mask
    from polarbear.race.jobs import Run
    from polarbear.race.rounds import Round
    from polarbear.race.settings import Settings


def start(settings: Settings, names: Iterable[str]) -> State:
    """Return the initial state, in which every algorithm is a candidate and no pair is decided."""
    names = list(names)
    algorithms = check_names(names, len(names))
    check_request(
        settings.prior, settings.method, settings.draws, budgets=len(settings.grid), algorithms=len(algorithms)
    )
    candidates = frozenset(algorithms)
    decided = nothing_decided(len(settings.grid), algorithms, candidates)
    return State(settings, algorithms, candidates, decided, settings.batch.first)


def ask(state: State, *, most_instances: int | None = None, only: Collection[str] | None = None) -> Plan | None:
    """Return what to run next, on at most `most_instances` instances; None when every pair is decided or left.

    With `only`, nothing but these candidates runs, and only pairs among them count.
    """
    return next_plan(state, most_instances=most_instances, only=only)


def end(state: State) -> Literal["finished", "pairs left undecided"] | None:
    """Return why nothing is left to run; None if `ask` has a plan."""
    if ask(state) is not None:
        return None
    return "finished" if state.left is None else "pairs left undecided"


def tell(state: State, plan: Plan, runs: Iterable[Run], *, record: Round | None = None) -> State:
    """Add all runs of a plan, update the posterior and decide; return the new state.

    Parameters
    ----------
    state, plan
        The state that `ask` was called with, and the plan that it returned.
    runs
        One run for each job of the plan.
    record
        The stored record of this round, if there is one; the state is then rebuilt from it without inference.
    """
    runs = list(runs)
    _check_runs(state, plan, runs)
    state = replace(
        state,
        observations=add_runs(state.observations, runs, state.names, state.settings) if runs else state.observations,
        next_instance=max([state.next_instance, *(instance + 1 for instance in plan.instances)]),
        reruns=state.reruns.difference((job.algorithm, job.instance) for job in plan.jobs),
        posterior=None,
        review=False,
    )
    posterior = None
    if record is None:
        record, posterior = decide_round(state, plan, float(sum(run.reached for run in runs)))
    return replace(_apply(state, record), posterior=posterior)


def add(state: State, name: str) -> State:
    """Add an algorithm as a candidate, undecided against all others, that first runs on the instances used already."""
    names = check_names((*state.names, name), len(state.names) + 1)
    candidates = state.candidates | {name}
    decided = nothing_decided(len(state.settings.grid), names, candidates)
    decided[:, :-1, :-1] = state.decided
    return replace(
        state,
        names=names,
        candidates=candidates,
        decided=decided,
        batch_size=state.settings.batch.first,
        observations=rerank(state.observations, names, state.settings),
        newcomers=state.newcomers | {name} if state.observations.runs else state.newcomers,
        posterior=None,
        left=None,
    )


def drop(state: State, name: str, reason: str = DROPPED_BY_USER) -> State:
    """Drop a candidate on request; its runs stay in the data and remain informative about the other algorithms.

    An algorithm that never ran is forgotten, since there are no data to infer its ratings from.
    """
    if name not in state.candidates:
        raise ValueError(f"expected one of the candidates {', '.join(state.kept)}, got {name!r}")
    if len(state.candidates) == 1:
        raise ValueError(f"{name!r} is the only candidate left; add another one first")
    candidates = state.candidates - {name}
    if not any(algorithm == name for algorithm, _ in state.observations.runs):
        return _forget(state, name)
    decided = decided_for_candidates(state, candidates)
    return replace(
        state, candidates=candidates, decided=decided, dropped_by_user={**state.dropped_by_user, name: reason}
    )


def restore(state: State, name: str) -> State:
    """Make a dropped algorithm a candidate again, undecided against all other candidates.

    It first runs on the used instances that it has missed. All of its earlier runs still count, so the next round may
    drop it again.
    """
    if name in state.candidates:
        raise ValueError(f"{name!r} is a candidate already; leave it as it is")
    if name not in state.names:
        known = ", ".join(each for each in state.names if each not in state.candidates)
        raise ValueError(
            f"expected an algorithm that was dropped{f', such as {known}' if known else ''}, got {name!r}; "
            "add one that is new, or that was dropped before its first round ended, with add"
        )
    candidates = state.candidates | {name}
    behind = {name} if missing_instances(state, name) else set()
    return replace(
        state,
        candidates=candidates,
        dropped_by_user={other: reason for other, reason in state.dropped_by_user.items() if other != name},
        decided=reopened(state, {name}, candidates),
        batch_size=state.settings.batch.first,
        newcomers=state.newcomers | behind,
        left=None,
    )


def rerun(state: State, failed: Iterable[tuple[str, int]]) -> State:
    """Ask for failed runs, by (algorithm, instance), again; pairs with these algorithms become undecided.

    Dropped algorithms stay dropped. The next round makes the runs and decides with their new outcomes.
    """
    again = frozenset(failed)
    for name, instance in again:
        # The status is not checked: when a race is rebuilt from its file, the new outcome is already there.
        if (name, instance) not in state.observations.runs:
            raise ValueError(
                f"expected a run of the race, got none of {name!r} on instance {instance}; name failed runs"
            )
    names = {name for name, _ in again}
    return replace(state, reruns=state.reruns | again, decided=reopened(state, names, state.candidates), left=None)


def reconsider(state: State, settings: Settings) -> State:
    """Continue under other settings: the existing data are analysed again before anything else runs.

    All algorithms become candidates again, except those dropped on request.
    """
    if (settings.seed, settings.maximise, settings.clock) != (
        state.settings.seed,
        state.settings.maximise,
        state.settings.clock,
    ):
        raise ValueError(
            "seed, direction and clock of a race cannot change, since its runs depend on them; start another race"
        )
    candidates = frozenset(state.names).difference(state.dropped_by_user)
    return replace(
        state,
        settings=settings,
        candidates=candidates,
        decided=nothing_decided(len(settings.grid), state.names, candidates),
        batch_size=settings.batch.first,
        observations=rerank(state.observations, state.names, settings),
        review=bool(state.observations.runs),
        posterior=None,
        left=None,
    )


def _apply(state: State, record: Round) -> State:
    """Return the state after a round, from the record of the round."""
    candidates = state.candidates.difference(each.name for each in record.dropped).union(record.returned)
    state = replace(
        state,
        candidates=candidates,
        newcomers=state.newcomers.union(record.returned),
        decided=~_mask_of_pairs(state, record.open),
        left=_mask_of_pairs(state, record.left) if record.left else None,
        batch_size=record.next_size,
        rounds=(*state.rounds, record),
    )
    behind = (name for name in state.newcomers if name in candidates and missing_instances(state, name))
    return replace(state, newcomers=frozenset(behind))


def _mask_of_pairs(state: State, pairs: Iterable[tuple[str, str, tuple[int, ...]]]) -> Mask:
    """Return a mask (budget, algorithm, algorithm) that is true for these pairs at these budgets."""
    mask = np.zeros_like(state.decided)
    index = {name: position for position, name in enumerate(state.names)}
    for a, b, budgets in pairs:
        mask[np.ix_(budgets, [index[a]], [index[b]])] = True
        mask[np.ix_(budgets, [index[b]], [index[a]])] = True
    return mask


def _forget(state: State, name: str) -> State:
    """Return the state without an algorithm that never ran."""
    rest = [position for position, other in enumerate(state.names) if other != name]
    names = tuple(state.names[position] for position in rest)
    return replace(
        state,
        names=names,
        candidates=state.candidates - {name},
        decided=state.decided[:, rest][:, :, rest],
        observations=rerank(state.observations, names, state.settings),
        newcomers=state.newcomers - {name},
        posterior=None,
        left=None,
    )


def _check_runs(state: State, plan: Plan, runs: list[Run]) -> None:
    """Raise a ValueError unless there is one run for each job, new to the race and in its direction."""
    expected = {(job.algorithm, job.instance) for job in plan.jobs}
    if plan.kind != "rerun" and (again := expected.intersection(state.observations.runs)):
        name, instance = min(again)
        raise ValueError(
            f"expected new runs, got the run of {name!r} on instance {instance} again; pass the runs of each plan once, "
            "and call ask(state) for the next plan"
        )
    given = [(run.trajectory.algorithm, run.trajectory.instance) for run in runs]
    if set(given) != expected or len(given) != len(expected):
        missing, extra = expected.difference(given), set(given).difference(expected)
        raise ValueError(
            f"expected one run for each job of the plan, got {len(given)} runs for {len(expected)} jobs; "
            f"missing {sorted(missing)[:3]}, not in the plan {sorted(extra, key=str)[:3]}"
        )
    for trajectory in (run.trajectory for run in runs):
        if trajectory.maximise != state.settings.maximise:
            raise ValueError(
                f"expected runs with maximise={state.settings.maximise}, as in the settings of the race, got the run of "
                f"{trajectory.algorithm!r} on instance {trajectory.instance} with maximise={trajectory.maximise}; both "
                "must agree"
            )
