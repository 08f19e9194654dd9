"""Extra runs: how much further runs of the same algorithms add, measured on problems that were run repeatedly.

A set of algorithms, with one run each, meets its rivals on an instance. Where it does not beat them, extra runs of its
members may. Repeated runs on the same problem show how often, and no model is needed: a deterministic algorithm gains
nothing, and an algorithm that fails on a problem fails there again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polarbear.observe.rankings import ABSENT, UNRANKED
from polarbear.single_thread import single_thread

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from polarbear.arrays import Array, Array32, Indices, Mask, Ranks
    from polarbear.observe.rankings import RepeatedRuns
    from polarbear.posterior.outcome_draws import OutcomeDraws

_STEP = UNRANKED + 1  # distance of the keys of two neighbouring groups of runs: larger than every rank


class _SortedRuns(NamedTuple):
    """The runs of one algorithm, sorted within each problem and time."""

    keys: Indices  # all observed runs, as `_STEP` times the number of problem and time, plus the rank
    start: Indices  # (instance, time): the position of the first run on the same problem at the same time
    number: Indices  # (instance, time): the number of these runs


@dataclass(frozen=True, eq=False)
class ExtraRuns:
    """Repeated runs, with draws of the weights of their problems.

    Attributes
    ----------
    runs
        The ranks of the observed runs among all runs on the same problem.
    weights
        Shape (problem, draw): the weight of each problem, the sum over its instances.
    pseudo
        Shape (draw,): the weight of the pseudo-instances.
    """

    runs: RepeatedRuns
    weights: Array32
    pseudo: Array32

    @property
    def problems(self) -> int:
        """The number of problems that were run repeatedly."""
        return int(np.count_nonzero(self._runs_of_each > 1))

    @property
    def repetitions(self) -> int:
        """The largest number of runs of an algorithm on one problem."""
        return int(self._runs_of_each.max())

    def at_times(self, times: slice) -> ExtraRuns:
        """Return the runs at some of the times."""
        return ExtraRuns(replace(self.runs, ranks=self.runs.ranks[:, times]), self.weights, self.pseudo)

    def thin(self, kept: Indices) -> ExtraRuns:
        """Return the draws at the positions `kept`."""
        return ExtraRuns(self.runs, self.weights[:, kept], self.pseudo[kept])

    def chance(
        self, members: Sequence[int], rivals: Sequence[int], extra: Mapping[int, int], *, base: Array, by_model: Array
    ) -> Array:
        """Return the chance that extra runs beat the best rival where the members do not, shape (time, draw).

        An instance counts where every algorithm with extra runs has a further run on the same problem. Extra runs are
        drawn from these without replacement; if there are too few, the missing ones add nothing. The chance is the
        expected number of instances gained, divided by the number that the members leave. Ties count one half. The
        pseudo-instances follow the model, which therefore gives the chance alone where nothing was repeated.

        Parameters
        ----------
        members, rivals
            The positions of the algorithms on each side, with one run each; a rival may be a member.
        extra
            The number of extra runs by the position of their algorithm, a member.
        base
            Shape (time, draw): the win rate of the members over their rivals without extra runs.
        by_model
            Shape (time, draw): the chance under Plackett-Luce.
        """
        ranks = self.runs.ranks
        own, target = ranks[..., list(members)], ranks[..., list(rivals)]
        best, goal = own.min(axis=-1), np.where(target == ABSENT, UNRANKED, target).min(axis=-1)
        counted = (own != ABSENT).all(axis=-1) & (goal < UNRANKED)
        score = np.where(best < goal, 1.0, np.where(best == goal, 0.5, 0.0))
        none_better, none_as_good = np.ones(goal.shape), np.ones(goal.shape)
        for algorithm, number in extra.items():
            further, better, as_good = self._further_runs(algorithm, goal)
            counted &= further > 0
            none_better *= _chance_of_none(further, better, number)
            none_as_good *= _chance_of_none(further, as_good, number)
        gained = (1 - none_better) * (1 - score) + (none_better - none_as_good) * np.maximum(0.5 - score, 0)
        with single_thread():
            gains = self._mean_by_problem(gained, counted).T @ self.weights
            left = self._mean_by_problem(1 - score, counted).T @ self.weights
        prior = self.pseudo * (1 - base)
        total = left + prior
        result: Array = np.divide(gains + prior * by_model, total, out=by_model.copy(), where=total > 0)
        return result

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
    def _runs_of_each(self) -> Indices:
        """The number of runs on each problem, of the algorithm with the most."""
        present = (self.runs.ranks != ABSENT).any(axis=1).astype(np.intp)
        return np.asarray(_sum_by_problem(present, self.runs.problem).max(axis=1))

    @cached_property
    def _sorted(self) -> dict[int, _SortedRuns]:
        return {}

    @cached_property
    def _group(self) -> Indices:
        """The number of the problem and time of each run, shape (instance, time)."""
        times = self.runs.ranks.shape[1]
        return np.asarray(self.runs.problem[:, None] * times + np.arange(times))

    def _mean_by_problem(self, scores: Array, counted: Mask) -> Array32:
        """Return the mean score over the instances of each problem that count, shape (problem, time); 0 without any."""
        sums = _sum_by_problem(np.where(counted, scores, 0.0), self.runs.problem)
        means: Array32 = (sums / np.maximum(_sum_by_problem(counted * 1.0, self.runs.problem), 1)).astype(np.float32)
        return means


def extra_runs(outcomes: OutcomeDraws | None) -> ExtraRuns | None:
    """Return the repeated runs behind a posterior, with the weights of their problems; None if nothing was repeated."""
    if outcomes is None or outcomes.repeated is None:
        return None
    observed = outcomes.observed
    _, problem = np.unique(outcomes.repeated.problem, return_inverse=True)  # without gaps
    weights: Array32 = _sum_by_problem(outcomes.weights[:observed], problem)
    return ExtraRuns(replace(outcomes.repeated, problem=problem), weights, outcomes.weights[observed:].sum(axis=0))


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
