"""The decisions of one round: infer the posterior, drop algorithms and determine which pairs are decided."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from polarbear.posterior.e_values import corrections, error_bounds
from polarbear.posterior.elimination import (
    Drop,
    drop_probabilities,
    drop_probabilities_over_time,
    drops,
    kept_algorithms,
)
from polarbear.posterior.relations import dominance
from polarbear.race.decided_pairs import decided_pairs
from polarbear.race.forecast import beyond_patience
from polarbear.race.group_drops import (
    GroupEvidence,
    check_groups,
    group_evidence,
    is_close,
    threat_in_every_group,
)
from polarbear.race.inference import choices_of_runs, infer_posterior
from polarbear.race.rounds import Round
from polarbear.race.state import decided_for_candidates, decided_share, undecided_cells

if TYPE_CHECKING:
    from polarbear.arrays import Array, Mask
    from polarbear.posterior.posterior import Posterior
    from polarbear.race.sampling import Plan
    from polarbear.race.state import State


def decide_round(state: State, plan: Plan, cost: float) -> tuple[Round, Posterior]:
    """Infer the posterior from all runs, and return it with the record of the round's decisions.

    An unreliable posterior decides nothing.

    Parameters
    ----------
    state
        The state of the race, including the runs of the round.
    plan, cost
        The plan of the round, and the cost of its runs.
    """
    settings, names, number = state.settings, state.names, len(state.rounds) + 1
    posterior = infer_posterior(state)
    is_candidate = np.array([name in state.candidates for name in names])
    judged = np.array([name not in state.dropped_by_user for name in names])
    beats = dominance(posterior, where=judged[:, None] & judged)
    over_time = drop_probabilities_over_time(posterior, specialists=settings.specialists, beats=beats)
    threat = drop_probabilities(
        posterior, dominance=settings.dominance, specialists=settings.specialists, over_time=over_time
    )
    founders = len(state.rounds[0].budgets if state.rounds else plan.budgets)  # all founders run in the first round
    # Error bounds decide with a guarantee only. Without one they are recorded, of pairs that may be dropped.
    may_be = np.asarray(True if settings.guarantee else threat >= settings.confidence)
    bounds = error_bounds(choices_of_runs(state), correction=corrections(len(names), founders), where=may_be)
    groups = _groups(state, threat, judged, is_candidate)
    kept: Mask = is_candidate
    losers: tuple[Drop, ...] = ()
    if posterior.diagnostics.reliable:
        kept, losers = _keep(state, posterior, threat, bounds, groups, judged=judged, is_candidate=is_candidate)
    candidates = frozenset(name for name, inside in zip(names, kept, strict=True) if inside)
    decided = decided_for_candidates(state, candidates)
    if posterior.diagnostics.reliable:
        decided = _resolve(state, posterior, candidates, beats, threat, groups)
    left = beyond_patience(posterior, decided, settings)
    before, after = undecided_cells(state.decided), undecided_cells(decided)
    used, total = len(state.observations.instances), state.cost
    record = Round(
        number=number,
        kind=plan.kind,
        instances=plan.instances,
        budgets=plan.budgets,
        cost=cost,
        reliable=posterior.diagnostics.reliable,
        message=posterior.diagnostics.message,
        dropped=tuple(
            Drop(each.name, each.by, each.probability, number, used, total, _pair_entry(bounds, each, names))
            for each in losers
        ),
        threat=tuple(zip(names, np.where(is_candidate[:, None], threat, 0.0).max(axis=0).tolist(), strict=True)),
        open=_budgets_of_pairs(~decided, names),
        left=_budgets_of_pairs(left, names),
        decided_share=decided_share(decided),
        next_size=settings.batch.after(state.batch_size, max(before - after, 0) / before if before else 1.0),
        returned=tuple(name for name in names if name in candidates.difference(state.candidates)),
    )
    return record, posterior


def _budgets_of_pairs(mask: Mask, names: tuple[str, ...]) -> tuple[tuple[str, str, tuple[int, ...]], ...]:
    """Return the pairs with a true entry in a mask (budget, algorithm, algorithm), each with its positions of budgets."""
    return tuple(
        (names[a], names[b], tuple(np.flatnonzero(mask[:, a, b]).tolist()))
        for a, b in combinations(range(len(names)), 2)
        if mask[:, a, b].any()
    )


def _groups(state: State, threat: Array, judged: Mask, is_candidate: Mask) -> GroupEvidence | None:
    """Return what the groups of the race say, if it has groups and some algorithm may be dropped or come back."""
    if state.settings.groups is None:
        return None
    check_groups(state.settings.groups, state.features, state.observations.instances)
    may_change = bool((judged & ~is_candidate).any()) or is_close(threat, judged, state.settings.confidence)
    return group_evidence(state) if may_change else None


def _keep(
    state: State,
    posterior: Posterior,
    threat: Array,
    bounds: Array,
    groups: GroupEvidence | None,
    *,
    judged: Mask,
    is_candidate: Mask,
) -> tuple[Mask, tuple[Drop, ...]]:
    """Return the candidates after the round, as a mask, and the algorithms that the round drops.

    The posterior decides or, with a guarantee, error bounds do. In a race with groups, a dropped algorithm is also
    beaten in every group.
    """
    settings, names = state.settings, state.names
    if settings.groups is not None:
        if groups is None:
            return is_candidate, ()
        threat = np.minimum(threat, threat_in_every_group(groups, judged))
    if settings.guarantee is None:
        dropped = judged & ~is_candidate
        kept = kept_algorithms(threat, settings.confidence, judged=judged, dropped=dropped)
        among = np.where(judged[:, None], threat, 0.0)
        return kept, drops(names, among, settings.confidence, dropped=is_candidate & ~kept, kept=kept)
    # E-values ignore first places and groups, so a pair must satisfy the posterior's rule as well. On a logarithmic scale
    # bounds close to zero stay distinct, so that the most certain drop comes first.
    if settings.groups is not None or (settings.specialists == "keep" and posterior.beliefs is not None):
        bounds = np.where(threat >= settings.confidence, bounds, 1.0)
    surprise, enough = np.where(is_candidate[:, None], -np.log(bounds), 0.0), -math.log(settings.guarantee)
    kept = kept_algorithms(surprise, enough, judged=is_candidate, returning=False)
    losers = drops(names, surprise, enough, dropped=is_candidate & ~kept, kept=kept)
    return kept, tuple(replace(each, probability=_pair_entry(threat, each, names)) for each in losers)


def _resolve(
    state: State,
    posterior: Posterior,
    candidates: frozenset[str],
    beats: Array,
    threat: Array,
    groups: GroupEvidence | None,
) -> Mask:
    """Return C after the round: the pairs that the posterior decides now, whatever earlier rounds decided.

    If more than win rates must agree to a drop (e-values, every group, or first places), a pair that may still end
    in one is not decided.
    """
    settings = state.settings
    is_candidate = np.array([name in candidates for name in state.names])
    pairs = is_candidate & is_candidate[:, None]
    decided = decided_pairs(
        posterior,
        until=settings.until,
        confidence=settings.confidence,
        margin=settings.margin,
        beats=beats,
        pairs=pairs,
    )
    if settings.guarantee is not None or groups is not None:
        may_be_dropped = _may_be_dropped(decided, beats, settings.confidence) & pairs
        if groups is not None:  # what all instances decide may be undecided within a group, and the other way round
            may_be_dropped &= ~groups.settled
        decided &= ~may_be_dropped
    if settings.specialists == "keep":  # a pair whose win rates are decided, while first places nearly are
        close = (threat < settings.confidence) & (threat >= 1 - 2 * (1 - settings.confidence)) & pairs
        decided &= ~(close | close.T)
    result: Mask = decided | ~pairs
    return result


def _may_be_dropped(decided: Mask, beats: Array, confidence: float) -> Mask:
    """Return the pairs that more evidence may still turn into a drop, shape (algorithm, algorithm).

    In these pairs the posterior has established neither that each beats the other at some budget nor that both are
    equivalent at some budget. The posterior is certain of dominance long before e-values are. If the race stopped running
    such pairs, it would end before the evidence suffices for a drop.
    """
    better = beats >= confidence
    equal = decided & ~better & ~better.transpose(0, 2, 1)
    crossing = np.logical_and(better.any(axis=0), better.any(axis=0).T)
    return np.logical_not(np.logical_or(crossing, equal.any(axis=0)))


def _pair_entry(matrix: Array, each: Drop, names: tuple[str, ...]) -> float:
    """Return the entry of a matrix (the row beats the column) for a drop."""
    return float(matrix[names.index(each.by), names.index(each.name)])
