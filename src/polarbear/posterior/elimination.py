"""Elimination (the paper's "Design Choices"): find the algorithms that another one beats at every time, and the Pareto set.

An algorithm that another one beats on most instances at every time can still come first most often: a specialist loses to
an all-rounder on most instances and wins clearly on the rest. With specialists="keep" a specialist is kept if its share of
first places may be more than 10 points higher than the other's. First places depend on which other algorithms take part, so
this is an option and not the default. Under Plackett-Luce win rates and first places give the same order (the paper's
Proposition 1).

An algorithm that was not observed at some time neither eliminates nor is eliminated: there the draws come from the prior.
Under the Bayesian bootstrap an algorithm can be eliminated only by one that it was compared with at every time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

import numpy as np

from polarbear.defaults import TAILS
from polarbear.literals import Elimination, Specialists
from polarbear.posterior.first_places import first_place_lead
from polarbear.posterior.relations import anytime_dominance, dominance
from polarbear.wording import format_number

if TYPE_CHECKING:
    from collections.abc import Collection

    from polarbear.arrays import Array, Mask
    from polarbear.posterior.posterior import Posterior


# The smallest difference in the share of first places that keeps a specialist. Two algorithms that never come first differ
# only by the pseudo-instances, and this difference must not keep either of them.
SPECIALIST_MARGIN = 0.1


@dataclass(frozen=True)
class Dominated:
    """An algorithm that another one dominates with high probability.

    Attributes
    ----------
    name, by
        The dominated algorithm, and the algorithm that beats it.
    probability
        The probability that `by` beats it at all times at once ("joint"), or at the least certain time ("pointwise").
    """

    name: str
    by: str
    probability: float


@dataclass(frozen=True)
class Specialist:
    """An algorithm that another one beats on most instances at every time, but that may come first more often.

    Attributes
    ----------
    name, by
        The specialist, and the algorithm that beats it.
    time
        The time at which it most probably comes first more often than the other.
    share, lower, upper
        Its share of first places at that time, and the 95 % interval.
    share_of_other
        The other's share of first places at that time.
    certain
        Whether it comes first more often there, with the confidence of an elimination. Since the time is chosen among all,
        the probability of error at each is divided by their number (Bonferroni).
    """

    name: str
    by: str
    time: float
    share: float
    lower: float
    upper: float
    share_of_other: float
    certain: bool

    @property
    def clause(self) -> str:
        """Why it is kept, as a clause that follows "it is"."""
        verb = "comes" if self.certain else "may come"
        own = f"{100 * self.share:.0f} % of instances ({100 * self.lower:.0f} to {100 * self.upper:.0f} %)"
        return (
            f"a specialist: {self.by} beats it on most instances at every budget, but it {verb} first more often at "
            f"{format_number(self.time)}: on {own}, and {self.by} on {100 * self.share_of_other:.0f} %"
        )


def elimination_probabilities(
    posterior: Posterior,
    *,
    elimination: Elimination,
    specialists: Specialists = "drop",
    over_time: Array | None = None,
) -> Array:
    """Return the probability with which the row eliminates the column, shape (algorithm, algorithm).

    `over_time` is the result of `elimination_probabilities_over_time`, if it has been computed already.
    """
    if elimination not in get_args(Elimination):
        raise ValueError(f"expected elimination as one of 'joint', 'pointwise', got {elimination!r}")
    if over_time is None:
        over_time = elimination_probabilities_over_time(posterior, specialists=specialists)
    least: Array = over_time.min(axis=0)
    if elimination == "pointwise":
        return least
    # A zero probability at one time implies a zero probability at all times at once.
    if not _considers_first_places(posterior, specialists):
        return anytime_dominance(posterior, where=least > 0)
    posterior.require_joint("joint elimination")
    result = np.zeros_like(least)
    for a, b in np.argwhere(np.triu((least > 0) | (least > 0).T, 1)).tolist():
        result[a, b], result[b, a] = (each.all(axis=0).mean() for each in _eliminates(posterior, a, b))
    return np.where(least > 0, result, 0.0)


def elimination_probabilities_over_time(
    posterior: Posterior, *, specialists: Specialists = "drop", beats: Array | None = None
) -> Array:
    """Return P(the row beats the column at t under the elimination rule), shape (time, algorithm, algorithm).

    `beats` is `dominance(posterior)`, if it has been computed already; where it is zero, the result is zero.
    """
    if specialists not in get_args(Specialists):
        raise ValueError(f"expected specialists as one of 'keep', 'drop', got {specialists!r}")
    beats = dominance(posterior) if beats is None else beats
    beats = np.where(posterior.observed_pairs, beats, 0.0)
    if not _considers_first_places(posterior, specialists):
        return beats
    result = np.zeros_like(beats)
    for a, b in np.argwhere(np.triu(beats.any(axis=0) | beats.any(axis=0).T, 1)).tolist():
        result[:, a, b], result[:, b, a] = (each.mean(axis=1) for each in _eliminates(posterior, a, b))
    return np.where(beats > 0, result, 0.0)


def _considers_first_places(posterior: Posterior, specialists: Specialists) -> bool:
    """Return whether elimination considers first places; under Plackett-Luce win rates imply their order."""
    return specialists == "keep" and posterior.beliefs is not None


def _eliminates(posterior: Posterior, a: int, b: int) -> tuple[Mask, Mask]:
    """Return whether a beats b on most instances and comes first as often, and whether b does, each (time, draw)."""
    assert posterior.beliefs is not None
    rates, lead = posterior.win_rates(a, b), first_place_lead(posterior.beliefs, a, b)
    return (rates > 0.5) & (lead > -SPECIALIST_MARGIN), (rates < 0.5) & (lead < SPECIALIST_MARGIN)


def find_specialists(
    posterior: Posterior,
    *,
    confidence: float = 0.95,
    elimination: Elimination = "pointwise",
    among: Collection[str] | None = None,
) -> tuple[Specialist, ...]:
    """Return the algorithms that are kept only because of their first places; see `dominated` for the parameters.

    Examples
    --------
    A comes first on two of five instances and last on the other three, on which B, C and D come first in turn.

    >>> import numpy as np, polarbear as pb
    >>> ranks = [[0, 1, 2, 3], [0, 1, 2, 3], [3, 0, 1, 2], [3, 1, 0, 2], [3, 1, 2, 0]]
    >>> values = np.tile(ranks, (40, 1))[:, None]
    >>> posterior = pb.fit(pb.Choices.from_values(values, grid=[1]), prior=pb.BayesianBootstrap(), draws=1000)
    >>> [(each.name, each.by) for each in pb.find_specialists(posterior, confidence=0.9)]
    [('A', 'B')]
    """
    if posterior.beliefs is None:
        return ()

    def eliminations(specialists: Specialists) -> tuple[Dominated, ...]:
        return dominated(
            posterior, confidence=confidence, elimination=elimination, specialists=specialists, among=candidates
        )

    candidates = posterior.names if among is None else tuple(among)
    eliminated = {each.name for each in eliminations("keep")}
    return tuple(
        _specialist(posterior, each, confidence) for each in eliminations("drop") if each.name not in eliminated
    )


def _specialist(posterior: Posterior, beaten: Dominated, confidence: float) -> Specialist:
    """Return an algorithm that would be eliminated if first places did not count."""
    assert posterior.beliefs is not None
    own, rival = (posterior.names.index(each) for each in (beaten.name, beaten.by))
    more_often = (first_place_lead(posterior.beliefs, own, rival) > 0).mean(axis=1)
    best = int(more_often.argmax())
    lower, upper = np.quantile(posterior.ratings[:, best, own], TAILS)
    return Specialist(
        name=beaten.name,
        by=beaten.by,
        time=float(posterior.grid.times[best]),
        share=float(posterior.ratings[:, best, own].mean()),
        lower=float(lower),
        upper=float(upper),
        share_of_other=float(posterior.ratings[:, best, rival].mean()),
        certain=bool(more_often[best] >= 1 - (1 - confidence) / len(more_often)),
    )


def dominated(
    posterior: Posterior,
    *,
    confidence: float = 0.95,
    elimination: Elimination = "pointwise",
    specialists: Specialists = "drop",
    among: Collection[str] | None = None,
) -> tuple[Dominated, ...]:
    """Return the algorithms that another one dominates with probability `confidence`, the most certain first.

    Algorithms are eliminated one after the other, and only by an algorithm that has not been eliminated itself. Therefore at
    least one algorithm remains.

    Parameters
    ----------
    posterior
        The posterior.
    confidence
        α, the probability at which dominance is decided.
    elimination
        "joint": beaten at all times at once with probability α, which needs joint draws. "pointwise": beaten by the same
        other algorithm at each time with probability α.
    specialists
        "drop": it is enough that the other algorithm beats it on most instances. "keep": the other one must also come first
        at least as often, within 10 % of the instances.
    among
        The algorithms that may eliminate and be eliminated; all by default.

    Returns
    -------
    tuple of Dominated
    """
    if not 0.5 < confidence <= 1:
        raise ValueError(f"expected confidence in (0.5, 1], got {confidence!r}; use a value such as 0.99")
    threat = elimination_probabilities(posterior, elimination=elimination, specialists=specialists)
    return eliminate_successively(
        posterior, threat, confidence=confidence, among=posterior.names if among is None else among
    )


def eliminate_successively(
    posterior: Posterior, threat: Array, *, confidence: float, among: Collection[str]
) -> tuple[Dominated, ...]:
    """Eliminate one algorithm after another by the largest entry of `threat`, and return them.

    `threat` is what `elimination_probabilities` returns, or any measure on whose scale `confidence` is given.
    """
    names = posterior.names
    remaining = np.array([name in among for name in names])
    strength = threat.mean(axis=1)
    result = []
    while remaining.any():
        considered = np.where(remaining[:, None] & remaining, threat, 0.0)
        largest = considered.max(axis=0)
        loser = max(np.flatnonzero(remaining), key=lambda a: (largest[a], -strength[a]))
        if largest[loser] < confidence:
            break
        remaining[loser] = False
        result.append(Dominated(names[loser], names[int(considered[:, loser].argmax())], float(largest[loser])))
    return tuple(result)


def pareto_set(
    posterior: Posterior,
    *,
    confidence: float = 0.95,
    elimination: Elimination = "pointwise",
    specialists: Specialists = "drop",
) -> tuple[str, ...]:
    """Return the algorithms that are not `dominated`, in the order of the posterior."""
    eliminations = dominated(posterior, confidence=confidence, elimination=elimination, specialists=specialists)
    eliminated = {each.name for each in eliminations}
    return tuple(name for name in posterior.names if name not in eliminated)
