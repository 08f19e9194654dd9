"""Limit the size of the Pareto set: near copies of a good algorithm are never dropped by the race, but each costs runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polarbear.designing.members import compare_members

if TYPE_CHECKING:
    from polarbear.race.outcome import RaceOutcome


def least_likely_members(result: RaceOutcome, most: int) -> dict[str, float]:
    """Return the members of the Pareto set beyond the `most` that are likeliest to be the best choice at some budget.

    Each comes with its highest probability of being the best choice at any budget. Members that have not run yet stay.
    """
    if len(result.kept) <= most:
        return {}
    members = compare_members(result)
    peaks = dict(zip(members.names, members.probability_best.max(axis=0).tolist(), strict=True))
    # At equal probability the older member stays: the sort is stable, and names are in order of arrival.
    return {name: peaks[name] for name in sorted(members.names, key=lambda name: -peaks[name])[most:]}
