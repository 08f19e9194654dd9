"""Extra runs: how much further runs of the same algorithms add, measured on problems that were run repeatedly.

A set of algorithms, with one run each, meets its rivals on an instance. Where it does not beat them, extra runs of its
members may. Repeated runs on the same problem show how often: hardly ever if the algorithm is deterministic, or fails on
this problem. Plackett-Luce, which takes all runs as independent, counts like one more problem, and stands in where nothing
was repeated.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polarbear.observe.rankings import ABSENT, UNRANKED
from polarbear.posterior.keyed_numbers import keyed_generator
from polarbear.single_thread import single_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from polarbear.arrays import Array, Array32, Indices, Mask, Ranks
    from polarbear.observe.rankings import RepeatedRuns
    from polarbear.posterior.pair_beliefs import PairBeliefs

_STEP = UNRANKED + 1  # distance of the keys of two neighbouring groups of runs: larger than every rank


class _SortedRuns(NamedTuple):
    """The runs of one algorithm, sorted within each problem and time."""

    keys: Indices  # all observed runs, as `_STEP` times the number of problem and time, plus the rank
    start: Indices  # (instance, time): the position of the first run on the same problem at the same time
    number: Indices  # (instance, time): the number of these runs


class Extent(NamedTuple):
    """What the chance of extra runs of one algorithm is based on.

    Attributes
    ----------
    problems
        Shape (time,): the number of problems that count.
    fewest, most
        The smallest and the largest number of runs on these problems.
    """

    problems: Indices
    fewest: int
    most: int


@dataclass(frozen=True, eq=False)
class ExtraRuns:
    """Repeated runs, with draws of the weights of their problems.

    Attributes
    ----------
    runs
        The ranks of all runs among those on the same problem; problems are numbered without gaps.
    shares
        Shape (instance, time): the weight of the instance within its problem; 0 if it has none.
    over_time
        Shape (problem, time): the weight of the problem at each time, relative to its mean.
    weights
        Shape (problem, draw): the weight of each problem, the sum over its instances.
    pseudo
        Shape (draw,): the weight of one instance that follows the model.
    """

    runs: RepeatedRuns
    shares: Array
    over_time: Array
    weights: Array32
    pseudo: Array32

    def at_times(self, times: slice | Indices) -> ExtraRuns:
        """Return the runs at some of the times."""
        return replace(
            self,
            runs=replace(self.runs, ranks=self.runs.ranks[:, times]),
            shares=self.shares[:, times],
            over_time=self.over_time[:, times],
        )

    def thin(self, kept: Indices) -> ExtraRuns:
        """Return the draws at the positions `kept`."""
        return replace(self, weights=self.weights[:, kept], pseudo=self.pseudo[kept])

    def chance(
        self,
        members: Sequence[int],
        rivals: Sequence[int],
        extra: Mapping[int, int],
        *,
        base: Array,
        by_model: Callable[[Mapping[int, int]], Array],
        share_ties: bool = False,
    ) -> Array:
        """Return the chance that extra runs beat the best rival where the members do not, shape (time, draw).

        An instance counts where all members and rivals were observed, and the algorithms with extra runs have further runs
        on the same problem. Extra runs are drawn from these without replacement; if there are too few, the missing ones add
        nothing. The chance is the expected number of instances gained, divided by the number that the members leave. A
        prior as heavy as one instance follows the model, which also gives the chance of the algorithms without any repeated
        runs at a time, independently of the others.

        Parameters
        ----------
        members, rivals
            The positions of the algorithms on each side, with one run each; a rival may be a member.
        extra
            The number of extra runs by the position of their algorithm, a member.
        base
            Shape (time, draw): the win rate of the members over their rivals without extra runs.
        by_model
            Gives the chance of some extra runs under Plackett-Luce, shape (time, draw).
        share_ties
            Whether a tie for the first place is shared among all runs that are tied, as in ratings. Otherwise it counts one
            half, as in win rates.
        """
        complete = self._are_complete(members, rivals)
        repeated = {each: (complete & (self._sorted_runs(each).number > 1)).any(axis=0) for each in extra}
        result = np.empty(base.shape)
        for pattern in {tuple(pattern) for pattern in np.array(list(repeated.values())).T.tolist()}:
            times = np.all([known == each for known, each in zip(repeated.values(), pattern, strict=True)], axis=0)
            measured = {each: number for (each, number), known in zip(extra.items(), pattern, strict=True) if known}
            model = by_model({each: number for each, number in extra.items() if each not in measured})
            if measured:
                found = self._measure(members, rivals, measured, base, by_model(measured), share_ties=share_ties)
                model = 1 - (1 - model) * (1 - found)
            result[times] = model[times]
        return result

    def _measure(
        self,
        members: Sequence[int],
        rivals: Sequence[int],
        extra: Mapping[int, int],
        base: Array,
        by_model: Array,
        *,
        share_ties: bool,
    ) -> Array:
        """Return the chance of extra runs of algorithms with repeated runs; see `chance`."""
        own, target = (self.runs.ranks[..., list(each)] for each in (members, rivals))
        counted, goal = self._are_complete(members, rivals), target.min(axis=-1)
        level, rank = own.min(axis=-1), goal[..., None]
        tie = after = np.full(goal.shape, 0.5)
        if share_ties:
            tied, others = (own == rank).sum(axis=-1), (target == rank).sum(axis=-1)
            tie, after = tied / np.maximum(tied + others, 1), (tied + 1) / (tied + others + 1)
        score = np.where(level < goal, 1.0, np.where(level == goal, tie, 0.0))
        none_better, none_as_good = np.ones(goal.shape), np.ones(goal.shape)
        for algorithm, number in extra.items():
            further, better, as_good = self._further_runs(algorithm, goal)
            counted &= further > 0
            none_better *= _chance_of_none(further, better, number)
            none_as_good *= _chance_of_none(further, as_good, number)
        gained = (1 - none_better) * (1 - score) + (none_better - none_as_good) * np.maximum(after - score, 0)
        with single_thread():
            gains = self._mean_by_problem(gained, counted).T @ self.weights
            left = self._mean_by_problem(1 - score, counted).T @ self.weights
        prior = self.pseudo * (1 - base)
        total = left + prior
        result: Array = np.divide(gains + prior * by_model, total, out=by_model.copy(), where=total > 0)
        return result

    def extent(self, members: Sequence[int], rivals: Sequence[int], algorithm: int) -> Extent:
        """Return how many problems the chance of extra runs of an algorithm is based on; see `chance`."""
        number = self._sorted_runs(algorithm).number
        counted = self._are_complete(members, rivals) & (number > 1)
        problems = np.count_nonzero(_sum_by_problem(counted.astype(np.intp), self.runs.problem), axis=0)
        runs = number[counted]
        return Extent(np.asarray(problems), int(runs.min(initial=UNRANKED)), int(runs.max(initial=0)))

    def _are_complete(self, members: Sequence[int], rivals: Sequence[int]) -> Mask:
        """Return on which instances, at which times, all members and rivals were observed; they have a weight."""
        present = (self.runs.ranks[..., [*members, *rivals]] != ABSENT).all(axis=-1)
        return np.asarray(present & (self.shares > 0))

    def _further_runs(self, algorithm: int, goal: Ranks) -> tuple[Indices, Indices, Indices]:
        """Return the number of further runs on the same problem, and of those better and at least as good as the goal."""
        keys, start, number = self._sorted_runs(algorithm)
        own = self.runs.ranks[..., algorithm]
        at_goal = self._group * _STEP + goal
        better = np.searchsorted(keys, at_goal, side="left") - start
        as_good = np.searchsorted(keys, at_goal, side="right") - start
        present = own != ABSENT
        return number - present, better - (present & (own < goal)), as_good - (present & (own <= goal))

    def _sorted_runs(self, algorithm: int) -> _SortedRuns:
        if algorithm not in self._sorted:
            ranks, group = self.runs.ranks[..., algorithm], self._group
            keys = np.sort((group * _STEP + ranks)[ranks != ABSENT])
            start = np.searchsorted(keys, group * _STEP)
            self._sorted[algorithm] = _SortedRuns(keys, start, np.searchsorted(keys, (group + 1) * _STEP) - start)
        return self._sorted[algorithm]

    @cached_property
    def _sorted(self) -> dict[int, _SortedRuns]:
        return {}

    @cached_property
    def _group(self) -> Indices:
        """The number of the problem and time of each run, shape (instance, time)."""
        times = self.runs.ranks.shape[1]
        return np.asarray(self.runs.problem[:, None] * times + np.arange(times))

    def _mean_by_problem(self, scores: Array, counted: Mask) -> Array32:
        """Return weighted mean scores over the instances of each problem that count, (problem, time); 0 without any."""
        shares = self.shares * counted
        sums, totals = (_sum_by_problem(each, self.runs.problem) for each in (shares * scores, shares))
        means: Array32 = (self.over_time * sums / np.where(totals > 0, totals, 1.0)).astype(np.float32)
        return means


def extra_runs(beliefs: PairBeliefs | None) -> ExtraRuns | None:
    """Return the repeated runs behind a posterior, with the weights of their problems; None if nothing was repeated."""
    if beliefs is None or beliefs.sample.rankings.repeated is None:
        return None
    sample, runs = beliefs.sample, beliefs.sample.rankings.repeated
    _, problem = np.unique(runs.problem, return_inverse=True)  # without gaps
    present = (runs.ranks != ABSENT).any(axis=1).astype(np.intp)
    if _sum_by_problem(present, problem).max() < 2:
        return None
    expected = sample.shares.max(axis=1)
    weights: Array32 = _sum_by_problem(
        beliefs.unit_weights()[sample.unit] * expected[:, None].astype(np.float32), problem
    )
    totals = _sum_by_problem(expected, problem)[:, None]
    over_time = _sum_by_problem(sample.shares, problem) / np.where(totals > 0, totals, 1.0)
    pseudo = keyed_generator(beliefs.seed, "extra runs").standard_exponential(beliefs.draws, dtype=np.float32)
    return ExtraRuns(replace(runs, problem=problem), sample.shares, over_time, weights, pseudo)


def _sum_by_problem(values: NDArray[Any], problem: Indices) -> NDArray[Any]:
    """Return sums over the instances of each problem, shape (problem, ...)."""
    order = np.argsort(problem, kind="stable")
    return np.add.reduceat(values[order], np.searchsorted(problem[order], np.arange(problem.max() + 1)), axis=0)


def _chance_of_none(runs: Indices, good: Indices, drawn: int) -> Array:
    """Return the chance that none of `drawn` runs is good, without replacement; at most all runs are drawn."""
    chance = np.ones(runs.shape)
    for already in range(drawn):
        left = runs - already
        chance *= np.where(left > 0, np.maximum(left - good, 0) / np.maximum(left, 1), 1.0)
    return chance
