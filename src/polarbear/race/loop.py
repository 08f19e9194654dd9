"""The loop of a race (the paper's Algorithm 1): pure functions from state to state.

`ask` returns what to run; `tell` takes the finished runs, infers the posterior and decides. Neither runs nor stores
anything. Therefore the same runs give the same race, however and wherever they were executed.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polarbear.inference.fitting import fit
from polarbear.observe.names import check_names
from polarbear.posterior.elimination import (
    eliminate_successively,
    elimination_probabilities,
    elimination_probabilities_over_time,
)
from polarbear.posterior.evidence import corrections, error_bounds
from polarbear.posterior.relations import dominance
from polarbear.race.evidence import add_runs, rerank
from polarbear.race.resolution import resolved_pairs
from polarbear.race.rounds import Eliminated, Round
from polarbear.race.sampling import Plan, missing_instances, next_plan, seed_of
from polarbear.race.state import State, decided_share, undecided_cells, unresolved

if TYPE_CHECKING:
    from collections.abc import Iterable

    from polarbear.arrays import Array, Mask
    from polarbear.observe import Choices
    from polarbear.posterior.elimination import Dominated
    from polarbear.posterior.posterior import Posterior
    from polarbear.race.jobs import Run
    from polarbear.race.settings import Settings


def start(settings: Settings, names: Iterable[str]) -> State:
    """Return the initial state, in which every algorithm is a candidate and no pair is decided."""
    listed = list(names)
    checked = check_names(listed, len(listed))
    everybody = frozenset(checked)
    resolved = unresolved(len(settings.grid), checked, everybody)
    return State(settings, checked, everybody, resolved, settings.batch.first)


def ask(state: State, *, most_instances: int | None = None) -> Plan | None:
    """Return what to run next, on at most `most_instances` instances; None when every pair is decided."""
    return next_plan(state, most_instances=most_instances)


def tell(state: State, plan: Plan, runs: Iterable[Run], *, decided: Round | None = None) -> State:
    """Add all runs of a plan, update the posterior and decide; return the new state.

    Parameters
    ----------
    state, plan
        The state that `ask` was called with, and the plan that it returned.
    runs
        One run for each job of the plan.
    decided
        The stored record of this round, if there is one; the state is then rebuilt from it without inference.
    """
    told = list(runs)
    _check(state, plan, told)
    cost = float(sum(run.reached for run in told))
    state = replace(
        state,
        evidence=add_runs(state.evidence, told, state.names, state.settings) if told else state.evidence,
        next_instance=max([state.next_instance, *(instance + 1 for instance in plan.instances)]),
        posterior=None,
        review=False,
    )
    return _conclude(state, plan, cost) if decided is None else _apply(state, decided)


def infer_posterior(state: State) -> Posterior:
    """Return the posterior given all runs so far; the same runs always give the same posterior.

    Algorithms that have not run yet are not in it.
    """
    if state.posterior is not None:
        return state.posterior
    settings = state.settings
    return fit(
        choices_of_runs(state),
        prior=settings.prior,
        method=settings.method,
        draws=settings.draws,
        seed=seed_of(settings.seed, "posterior", len(state.evidence.runs)),
    )


def choices_of_runs(state: State) -> Choices:
    """Return the choices that the posterior is fitted to, of all algorithms that have run."""
    evidence = state.evidence
    ran = {name for name, _ in evidence.runs}
    if not ran.issuperset(state.names):
        evidence = rerank(evidence, tuple(name for name in state.names if name in ran), state.settings)
    if evidence.choices is None:
        raise ValueError("nothing has been run yet, and there is no posterior; run the race first")
    return evidence.choices


def add(state: State, name: str) -> State:
    """Add an algorithm as a candidate, undecided against all others, that first runs on the instances used already."""
    names = check_names((*state.names, name), len(state.names) + 1)
    candidates = state.candidates | {name}
    resolved = unresolved(len(state.settings.grid), names, candidates)
    resolved[:, :-1, :-1] = state.resolved
    return replace(
        state,
        names=names,
        candidates=candidates,
        resolved=resolved,
        batch_size=state.settings.batch.first,
        evidence=rerank(state.evidence, names, state.settings),
        newcomers=state.newcomers | {name} if state.evidence.runs else state.newcomers,
        posterior=None,
    )


def remove(state: State, name: str) -> State:
    """Remove a candidate on request; its runs stay in the data and remain informative about the other algorithms.

    An algorithm that never ran is dropped entirely, since there are no data to infer its ratings from.
    """
    if name not in state.candidates:
        raise ValueError(f"expected one of the candidates {', '.join(state.pareto_set)}, got {name!r}")
    if len(state.candidates) == 1:
        raise ValueError(f"{name!r} is the only candidate left; add another one first")
    candidates = state.candidates - {name}
    if not any(algorithm == name for algorithm, _ in state.evidence.runs):
        return _forgotten(state, name)
    return replace(state, candidates=candidates, resolved=_without(state, candidates), removed=state.removed | {name})


def reconsider(state: State, settings: Settings) -> State:
    """Continue under other settings: the existing data are analysed again before anything else runs.

    All algorithms become candidates again, except those removed on request.
    """
    if (settings.seed, settings.maximise, settings.clock) != (
        state.settings.seed,
        state.settings.maximise,
        state.settings.clock,
    ):
        raise ValueError(
            "seed, direction and clock of a race cannot change, since its runs depend on them; start another"
        )
    everybody = frozenset(state.names) - state.removed
    return replace(
        state,
        settings=settings,
        candidates=everybody,
        resolved=unresolved(len(settings.grid), state.names, everybody),
        batch_size=settings.batch.first,
        evidence=rerank(state.evidence, state.names, settings),
        review=bool(state.evidence.runs),
        posterior=None,
    )


def _conclude(state: State, plan: Plan, cost: float) -> State:
    settings, number = state.settings, len(state.rounds) + 1
    posterior = infer_posterior(state)
    trusted = posterior.diagnostics.reliable
    inside = np.array([name in state.candidates for name in state.names])
    beats = dominance(posterior, where=inside[:, None])  # only candidates eliminate
    over_time = elimination_probabilities_over_time(posterior, specialists=settings.specialists, beats=beats)
    threat = elimination_probabilities(
        posterior, elimination=settings.elimination, specialists=settings.specialists, over_time=over_time
    )
    founders = len(state.rounds[0].until if state.rounds else plan.until)  # all founders run in the first round
    bounds = error_bounds(choices_of_runs(state), correction=corrections(len(state.names), founders))
    # An unreliable posterior decides nothing.
    losers = _losers(state, posterior, threat, bounds) if trusted else ()
    candidates = state.candidates.difference(loser.name for loser in losers)
    resolved = _without(state, candidates)
    if trusted:
        decided = resolved_pairs(
            posterior,
            resolution=settings.resolution,
            confidence=settings.confidence,
            rope=settings.rope,
            beats=beats,
            pairs=~state.resolved.all(axis=0),
        )
        may_be_eliminated = _may_be_eliminated(decided, beats, settings.confidence) & _both(candidates, state.names)
        if settings.guarantee is not None:
            decided &= ~may_be_eliminated
        resolved |= decided
        if settings.resolution == "membership":
            resolved &= ~_least_certain(over_time, may_be_eliminated, settings.confidence)
    before, after = undecided_cells(state.resolved), undecided_cells(resolved)
    used, total = len(state.evidence.instances), state.cost
    round_ = Round(
        number=number,
        kind=plan.kind,
        instances=plan.instances,
        until=plan.until,
        cost=cost,
        reliable=trusted,
        message=posterior.diagnostics.message,
        eliminated=tuple(
            Eliminated(each.name, each.by, each.probability, number, used, total, _of_pair(bounds, each, state.names))
            for each in losers
        ),
        threat=tuple(zip(state.names, threat.max(axis=0).tolist(), strict=True)),
        open=tuple(
            (state.names[a], state.names[b], tuple(np.flatnonzero(~resolved[:, a, b]).tolist()))
            for a in range(len(state.names))
            for b in range(a + 1, len(state.names))
            if not resolved[:, a, b].all()
        ),
        resolved_share=decided_share(resolved),
        next_size=settings.batch.after(state.batch_size, (before - after) / before if before else 1.0),
    )
    return replace(_apply(state, round_), posterior=posterior)


def _losers(state: State, posterior: Posterior, threat: Array, bounds: Array) -> tuple[Dominated, ...]:
    """Return the algorithms that the posterior eliminates or, with a guarantee, those that the error bounds eliminate."""
    settings = state.settings
    if settings.guarantee is None:
        return eliminate_successively(posterior, threat, confidence=settings.confidence, among=state.candidates)
    if settings.specialists == "keep" and posterior.outcomes is not None:
        bounds = np.where(threat >= settings.confidence, bounds, 1.0)  # e-values ignore first places
    # On a logarithmic scale bounds close to zero stay distinct, so that the most certain elimination comes first.
    found = eliminate_successively(
        posterior, -np.log(bounds), confidence=-math.log(settings.guarantee), among=state.candidates
    )
    return tuple(replace(each, probability=_of_pair(threat, each, state.names)) for each in found)


def _may_be_eliminated(decided: Mask, beats: Array, confidence: float) -> Mask:
    """Return the pairs that more evidence may still turn into an elimination, shape (algorithm, algorithm).

    In these pairs the posterior has established neither that each beats the other at some time nor that both are equivalent
    at some time. The posterior is certain of dominance long before e-values are. If the race stopped running such pairs, it
    would end before the evidence suffices for an elimination.
    """
    better = beats >= confidence
    equal = decided & ~better & ~better.transpose(0, 2, 1)
    crossing = np.logical_and(better.any(axis=0), better.any(axis=0).T)
    return np.logical_not(np.logical_or(crossing, equal.any(axis=0)))


def _least_certain(over_time: Array, pairs: Mask, confidence: float) -> Mask:
    """Return the least certain time of each pair that is close to an elimination, as a mask (time, algorithm, algorithm).

    A pair is close if its probability of error is at most twice what elimination allows. Times are decided one by one, in
    different rounds. Without this mask a race could end while an algorithm is almost certainly beaten at every time.
    """
    close = (over_time.min(axis=0) >= 1 - 2 * (1 - confidence)) & pairs
    winner, loser = np.nonzero(close)
    least = over_time.argmin(axis=0)[winner, loser]
    mask = np.zeros(over_time.shape, dtype=bool)
    mask[least, winner, loser] = mask[least, loser, winner] = True
    return mask


def _both(candidates: frozenset[str], names: tuple[str, ...]) -> Mask:
    """Return the pairs of two candidates, shape (algorithm, algorithm)."""
    inside = np.array([name in candidates for name in names])
    both: Mask = inside & inside[:, None]
    return both


def _of_pair(matrix: Array, each: Dominated, names: tuple[str, ...]) -> float:
    """Return the entry of a matrix (row eliminates column) for an elimination."""
    return float(matrix[names.index(each.by), names.index(each.name)])


def _apply(state: State, decided: Round) -> State:
    """Return the state after a round, from the record of the round."""
    candidates = state.candidates.difference(each.name for each in decided.eliminated)
    resolved = np.ones_like(state.resolved)
    index = {name: position for position, name in enumerate(state.names)}
    for a, b, times in decided.open:
        resolved[np.ix_(times, [index[a]], [index[b]])] = False
        resolved[np.ix_(times, [index[b]], [index[a]])] = False
    state = replace(
        state,
        candidates=candidates,
        resolved=resolved,
        batch_size=decided.next_size,
        rounds=(*state.rounds, decided),
    )
    behind = (name for name in state.newcomers if name in candidates and missing_instances(state, name))
    return replace(state, newcomers=frozenset(behind))


def _forgotten(state: State, name: str) -> State:
    """Return the state without an algorithm that never ran."""
    rest = [position for position, other in enumerate(state.names) if other != name]
    names = tuple(state.names[position] for position in rest)
    return replace(
        state,
        names=names,
        candidates=state.candidates - {name},
        resolved=state.resolved[:, rest][:, :, rest],
        evidence=rerank(state.evidence, names, state.settings),
        newcomers=state.newcomers - {name},
        posterior=None,
    )


def _without(state: State, candidates: frozenset[str]) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Return C with all pairs decided that contain an algorithm other than the candidates."""
    return state.resolved | unresolved(len(state.settings.grid), state.names, candidates)


def _check(state: State, plan: Plan, runs: list[Run]) -> None:
    asked = {(job.algorithm, job.instance) for job in plan.jobs}
    if again := asked.intersection(state.evidence.runs):
        name, instance = min(again)
        raise ValueError(
            f"the run of {name!r} on instance {instance} was told before; tell each plan once, and ask(state) for the next"
        )
    given = [(run.trajectory.algorithm, run.trajectory.instance) for run in runs]
    if set(given) != asked or len(given) != len(asked):
        missing, extra = asked.difference(given), set(given).difference(asked)
        raise ValueError(
            f"expected one run for each job of the plan, got {len(given)} runs for {len(asked)} jobs; "
            f"missing {sorted(missing)[:3]}, not asked for {sorted(extra, key=str)[:3]}"
        )
    for path in (run.trajectory for run in runs):
        if path.maximise != state.settings.maximise:
            raise ValueError(
                f"got the run of {path.algorithm!r} on instance {path.instance} with maximise={path.maximise}, and the "
                f"race has maximise={state.settings.maximise}; both must agree"
            )
