"""What copies of an algorithm add to a portfolio of the candidates, measured by repeated runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from polarbear.posterior.extra_runs import extra_runs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from polarbear.arrays import Array, Indices
    from polarbear.posterior.extra_runs import ExtraRuns
    from polarbear.posterior.posterior import Posterior


@dataclass(frozen=True, eq=False)
class MeasuredCopies:
    """Repeated runs, from the point of view of the candidates of a query.

    Attributes
    ----------
    runs
        The repeated runs of all algorithms.
    columns
        The positions of the candidates among all algorithms.
    """

    runs: ExtraRuns
    columns: Sequence[int]

    @property
    def points(self) -> int:
        """The cost of the value of one portfolio, in curve points; see `polarbear.selection.portfolio`."""
        instances, times, _ = self.runs.runs.ranks.shape
        problems, draws = self.runs.weights.shape
        return int(times * (draws * (1 + problems // 40) + 10 * instances))

    def at_times(self, times: Indices) -> MeasuredCopies:
        """Return the copies at some of the times."""
        return replace(self, runs=self.runs.at_times(times))

    def thin(self, kept: Indices) -> MeasuredCopies:
        """Return the draws at the positions `kept`."""
        return replace(self, runs=self.runs.thin(kept))

    def chance(self, counts: Indices, *, base: Array, ratings: Array) -> Array:
        """Return the chance that a copy comes first where the members do not, shape (time, draw).

        Parameters
        ----------
        counts
            Shape (candidate,): the number of machines of each candidate.
        base
            Shape (time, draw): the value of the portfolio without copies.
        ratings
            Shape (draw, time, candidate).
        """
        members = [column for column, count in zip(self.columns, counts, strict=True) if count]
        extra = {column: int(count) - 1 for column, count in zip(self.columns, counts, strict=True) if count > 1}
        rivals = [column for column in range(self.runs.runs.ranks.shape[2]) if column not in members]
        if not rivals:
            return np.zeros_like(base)

        def by_model(some: Mapping[int, int]) -> Array:
            return plackett_luce_chance(ratings, np.array([some.get(column, 0) for column in self.columns])).T

        return self.runs.chance(members, rivals, extra, base=base, by_model=by_model, share_ties=True)


def plackett_luce_chance(ratings: Array, extra: Indices) -> Array:
    """Return the chance e / (1 + e) that extra runs come first under Plackett-Luce, with e = Σ extra_a θ_a, (draw, time)."""
    strength: Array = ratings @ extra.astype(np.float64)
    return strength / (1 + strength)


def measured_copies(posterior: Posterior, columns: Sequence[int], times: slice = slice(None)) -> MeasuredCopies | None:
    """Return what copies of the candidates add at some of the times; None if no problem was repeated."""
    runs = extra_runs(posterior.beliefs)
    return None if runs is None else MeasuredCopies(runs.at_times(times), columns)
