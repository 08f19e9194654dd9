"""Limit the size of the Pareto set: near copies of a good algorithm are never eliminated, but each costs runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polarbear.selection import decision_map

if TYPE_CHECKING:
    from polarbear.race.result import RaceResult


def least_likely_members(result: RaceResult, most: int) -> tuple[str, ...]:
    """Return the members of the Pareto set beyond the `most` that are likeliest to be the best choice at some budget.

    Members that have not run yet stay.
    """
    known = [name for name in result.pareto_set if name in result.posterior.names]
    if len(known) <= most:
        return ()
    overview = decision_map(result.posterior, among=known)
    peaks = dict(zip(overview.names, overview.probability_best.max(axis=0).tolist(), strict=True))
    # At equal probability the older member stays: the sort is stable, and known is in order of arrival.
    return tuple(sorted(known, key=lambda name: -peaks[name])[most:])
