"""Elimination (the paper's "Design Choices"): which algorithms are kept, and which one beats each dropped algorithm.

An arrow leads from A to B if A beats B with the confidence at every budget at which the two differ. Kept are the strongly
connected components of algorithms that no arrow enters. Without a cycle these are the algorithms that no other one beats at
every budget, as in the paper. A cycle of confident arrows is kept as a whole.

A race stops running what it drops, so it may drop a member of a cycle before the cycle shows. Every decision is therefore
made afresh from all pairs. A dropped algorithm stays dropped while another algorithm probably beats it at every budget. It
comes back when no kept algorithm does, and with it come all algorithms that have an arrow to it. Error bounds bring nothing
back: they bound the probability that a decision is ever wrong.

Budgets at which two algorithms tie on every common instance say nothing about them. Two algorithms without any difference,
or without a common instance at some budget, have no arrow.

An algorithm that another one beats on most instances at every budget can still come first most often. With "keep" as
`specialists`, it is kept if its share of first places may be more than 10 points higher than the other's share. First
places depend on which other algorithms take part, so this is an option and not the default.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

import numpy as np
from scipy.sparse.csgraph import connected_components

from polarbear.literals import Dominance, Specialists
from polarbear.posterior.first_places import first_place_lead
from polarbear.posterior.relations import anytime_dominance, dominance

if TYPE_CHECKING:
    from collections.abc import Collection

    from polarbear.arrays import Array, Mask
    from polarbear.posterior.posterior import Posterior

LIKELY = 0.5
"""The probability from which an algorithm that was dropped before stays dropped."""

# The smallest difference in the share of first places that keeps a specialist. Two algorithms that never come first differ
# only by the prior of first places, and this difference must not keep either of them.
SPECIALIST_MARGIN = 0.1

# No algorithm is certainly beaten on all new instances: a closed form that is rounded to one must not say so.
_LARGEST = float(np.nextafter(1.0, 0.0))


@dataclass(frozen=True)
class Drop:
    """A dropped algorithm.

    Attributes
    ----------
    name, by
        The algorithm, and the kept algorithm that most probably beats it at every budget; `by` is empty if you dropped it.
    probability
        The probability that `by` beats it at all budgets at once ("joint"), or at the least certain budget ("pointwise").
    round, instances, cost
        For a race: the round that dropped it, the number of instances by then, and the cost of all runs by then in the unit
        of budgets.
    error_bound
        An upper bound on the probability that the drop is wrong, whatever the model, see `pb.evidence`. It holds for all
        drops of a race at once. None if it is not known.
    """

    name: str
    by: str = ""
    probability: float = 1.0
    round: int | None = None
    instances: int | None = None
    cost: float | None = None
    error_bound: float | None = None


def drop_probabilities(
    posterior: Posterior,
    *,
    dominance: Dominance,
    specialists: Specialists = "drop",
    over_time: Array | None = None,
) -> Array:
    """Return the probability that the row beats the column at every budget, shape (algorithm, algorithm).

    `over_time` is the result of `drop_probabilities_over_time`, if it has been computed already.
    """
    if dominance not in get_args(Dominance):
        raise ValueError(f"expected dominance as one of 'joint', 'pointwise', got {dominance!r}")
    if over_time is None:
        over_time = drop_probabilities_over_time(posterior, specialists=specialists)
    least: Array = over_time.min(axis=0)
    if dominance == "joint":
        # A zero probability at one budget implies a zero probability at all budgets at once.
        if _considers_first_places(posterior, specialists):
            least = _joint_with_first_places(posterior, least > 0)
        else:
            least = anytime_dominance(posterior, where=least > 0)
    return least if posterior.beliefs is None else np.minimum(least, _LARGEST)


def drop_probabilities_over_time(
    posterior: Posterior, *, specialists: Specialists = "drop", beats: Array | None = None
) -> Array:
    """Return P(the row beats the column at t), shape (budget, algorithm, algorithm), as it counts for a drop.

    It is one at budgets at which the two tie everywhere, and zero at all budgets if they never differ. `beats` is
    `dominance(posterior)`, if it has been computed already; where it is zero, the result is zero.
    """
    if specialists not in get_args(Specialists):
        raise ValueError(f"expected specialists as one of 'keep', 'drop', got {specialists!r}")
    beats = dominance(posterior) if beats is None else beats
    if _considers_first_places(posterior, specialists):
        result = np.zeros_like(beats)
        for a, b in np.argwhere(np.triu(beats.any(axis=0) | beats.any(axis=0).T, 1)).tolist():
            result[:, a, b], result[:, b, a] = (each.mean(axis=1) for each in _drops(posterior, a, b))
        beats = np.where(beats > 0, result, 0.0)
    differ = posterior.differing_pairs
    counted = np.where(~differ & (beats > 0), 1.0, beats)
    counted[:, ~differ.any(axis=0)] = 0.0
    return np.where(posterior.observed_pairs, counted, 0.0)


def kept_algorithms(
    threat: Array, confidence: float, *, judged: Mask, dropped: Mask | None = None, returning: bool = True
) -> Mask:
    """Return the kept algorithms, shape (algorithm,).

    Parameters
    ----------
    threat
        What `drop_probabilities` returns, or any measure on whose scale `confidence` is given.
    confidence
        The threat from which there is an arrow from the row to the column.
    judged
        The algorithms that may drop others and be dropped.
    dropped
        The algorithms that earlier rounds of a race dropped.
    returning
        Whether a dropped algorithm comes back when no kept algorithm probably beats it.
    """
    among = judged[:, None] & judged
    arrows, likely = among & (threat >= confidence), among & (threat >= LIKELY)
    if dropped is not None:
        arrows |= likely & dropped
    _, component = connected_components(arrows, directed=True, connection="strong")
    enters = arrows & (component[:, None] != component)
    kept: Mask = judged & ~np.isin(component, component[enters.any(axis=0)])
    if returning:
        kept |= judged & ~likely[kept].any(axis=0)
        while (before := arrows[:, kept].any(axis=1) & ~kept).any():
            kept |= before
    return kept


def drops(names: tuple[str, ...], threat: Array, confidence: float, *, dropped: Mask, kept: Mask) -> tuple[Drop, ...]:
    """Return the dropped algorithms, each with the algorithm that beats it, the most certain first.

    That is a kept algorithm if one beats it with the confidence, and otherwise the most certain of all.
    """
    result = []
    for loser in np.flatnonzero(dropped).tolist():
        by_kept = np.where(kept, threat[:, loser], -np.inf)
        by = int((by_kept if by_kept.max() >= confidence else threat[:, loser]).argmax())
        result.append(Drop(names[loser], names[by], float(threat[by, loser])))
    return tuple(sorted(result, key=lambda each: (-each.probability, each.name)))


def cycles_among(names: tuple[str, ...], threat: Array, confidence: float, kept: Mask) -> tuple[tuple[str, ...], ...]:
    """Return the groups of kept algorithms in which everybody is beaten by somebody at every budget with the confidence."""
    arrows = (threat >= confidence) & kept[:, None] & kept
    count, component = connected_components(arrows, directed=True, connection="strong")
    members = [np.flatnonzero(component == number).tolist() for number in range(count)]
    return tuple(tuple(names[place] for place in each) for each in members if len(each) > 1)


def dominated(
    posterior: Posterior,
    *,
    confidence: float = 0.95,
    dominance: Dominance = "pointwise",
    specialists: Specialists = "drop",
    among: Collection[str] | None = None,
) -> tuple[Drop, ...]:
    """Return the algorithms that others beat at every budget with the confidence, the most certain first.

    At least one algorithm remains. A cycle of algorithms that beat each other remains as a whole.

    Parameters
    ----------
    posterior
        The posterior.
    confidence
        α, the probability at which dominance is decided. With 1, `BayesianBootstrap` drops nothing.
    dominance
        "joint": beaten at all budgets at once with probability α, which needs joint draws. "pointwise": beaten by the same
        other algorithm at each budget with probability α.
    specialists
        "drop": it is enough that the other algorithm beats it on most instances. "keep": the other one must also come first
        at least as often, within 10 % of the instances.
    among
        The candidates: the algorithms that are judged, against each other; all by default.

    Returns
    -------
    tuple of Dominated

    Examples
    --------
    >>> import polarbear as pb
    >>> values = [[[1.0, 2.0, 3.0]], [[1.0, 2.0, 4.0]], [[2.0, 1.0, 3.0]]] * 10
    >>> posterior = pb.fit(pb.Choices.from_values(values, grid=[1], names=["cma", "de", "rs"]))
    >>> [(each.name, each.by) for each in pb.dominated(posterior, confidence=0.99)]
    [('rs', 'cma')]
    """
    threat = _threat(posterior, confidence, dominance, specialists)
    judged = np.isin(posterior.names, list(posterior.names if among is None else among))
    kept = kept_algorithms(threat, confidence, judged=judged)
    return drops(posterior.names, np.where(judged[:, None], threat, 0.0), confidence, dropped=judged & ~kept, kept=kept)


def pareto_set(
    posterior: Posterior,
    *,
    confidence: float = 0.95,
    dominance: Dominance = "pointwise",
    specialists: Specialists = "drop",
) -> tuple[str, ...]:
    """Return the algorithms that are not `dominated`, in the order of the posterior."""
    found = dominated(posterior, confidence=confidence, dominance=dominance, specialists=specialists)
    dropped = {each.name for each in found}
    return tuple(name for name in posterior.names if name not in dropped)


def cycles(
    posterior: Posterior,
    *,
    confidence: float = 0.95,
    dominance: Dominance = "pointwise",
    specialists: Specialists = "drop",
    among: Collection[str] | None = None,
) -> tuple[tuple[str, ...], ...]:
    """Return the groups of kept algorithms that beat each other in a circle; see `dominated` for the parameters."""
    threat = _threat(posterior, confidence, dominance, specialists)
    judged = np.isin(posterior.names, list(posterior.names if among is None else among))
    return cycles_among(posterior.names, threat, confidence, kept_algorithms(threat, confidence, judged=judged))


def _threat(posterior: Posterior, confidence: float, dominance: Dominance, specialists: Specialists) -> Array:
    if not 0.5 < confidence <= 1:
        raise ValueError(f"expected confidence in (0.5, 1], got {confidence!r}; use a value such as 0.99")
    return drop_probabilities(posterior, dominance=dominance, specialists=specialists)


def _considers_first_places(posterior: Posterior, specialists: Specialists) -> bool:
    """Return whether first places matter to a drop; under Plackett-Luce win rates imply their order."""
    return specialists == "keep" and posterior.beliefs is not None


def _joint_with_first_places(posterior: Posterior, where: Mask) -> Array:
    posterior.require_joint("joint dominance")
    result, differ = np.zeros(where.shape), posterior.differing_pairs
    for a, b in np.argwhere(np.triu(where | where.T, 1)).tolist():
        budgets = differ[:, a, b]
        result[a, b], result[b, a] = (each[budgets].all(axis=0).mean() for each in _drops(posterior, a, b))
    return np.where(where, result, 0.0)


def _drops(posterior: Posterior, a: int, b: int) -> tuple[Mask, Mask]:
    """Return whether a beats b on most instances and comes first as often, and whether b does, each (budget, draw)."""
    assert posterior.beliefs is not None
    rates, lead = posterior.win_rates(a, b), first_place_lead(posterior.beliefs, a, b)
    return (rates > 0.5) & (lead > -SPECIALIST_MARGIN), (rates < 0.5) & (lead < SPECIALIST_MARGIN)
