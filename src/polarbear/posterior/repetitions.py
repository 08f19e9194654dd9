"""Repetitions: portfolios and their rivals on problems that were run repeatedly, with copies of one algorithm.

For repetition r of m, copy j of a member is its run on repetition r + j, and copy j of a rival its run on repetition
r − 1 − j, modulo m: members and rivals never share a repetition as long as both together have at most m runs of one
algorithm. Every run is used equally often. A copy beyond the m-th repeats a run, and adds nothing.

All portfolios have the same rival: one independent run of every candidate. Under Plackett-Luce the value of a portfolio is
then s / (s + 1) with s = Σ k_a θ_a, so that the order is the order of the paper. (Algorithms outside the portfolio alone
would be fewer rivals for different members than for copies: three different algorithms with first places of 28, 24 and 38 %
would have a value of 90 %, three copies of the last one 65 %, although the copies win 56 % of their duels.)
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe.pair_outcomes import outcomes_of_ranks
from polarbear.observe.rankings import ABSENT, UNRANKED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from polarbear.arrays import Array, Array32, Indices, Ranks
    from polarbear.posterior.pair_beliefs import PairBeliefs


@dataclass(frozen=True, eq=False)
class Repetitions:
    """The repetitions on which all of some algorithms were observed.

    An algorithm that was never observed at a budget has no result there, as in shares of first places.

    Attributes
    ----------
    beliefs
        The instances, with the draws of their weights.
    ranks
        Shape (instance, budget, algorithm): the rank of each run among all runs on the same problem.
    number
        Shape (instance, budget): the number of these repetitions of its problem; 0 where an instance is none of them.
    following, preceding
        Shape (instance, budget): the next and the previous repetition of its problem, cyclic.
    weights
        Shape (instance, budget): the weight of the instance in its unit; 0 unless it is one of several repetitions.
    problems
        Shape (2, budget): the number of problems that all algorithms share, and of those with several repetitions.
    """

    beliefs: PairBeliefs
    ranks: Ranks
    number: Indices
    following: Indices
    preceding: Indices
    weights: Array
    problems: Indices
    _best: dict[tuple[int, int], Ranks] = field(default_factory=dict, repr=False)

    @property
    def extent(self) -> tuple[int, int, int]:
        """The largest number of repeated problems at a budget, and the smallest and the largest number of their runs."""
        number = self.number[self.number > 1]
        return int(self.problems[1].max()), int(number.min()), int(number.max())

    def thin(self, draws: int) -> Repetitions:
        """Return the same repetitions with the first draws."""
        return replace(self, beliefs=self.beliefs.thin(draws))

    def best(self, runs: Mapping[int, int]) -> Ranks:
        """Return the best rank of some runs, shape (instance, budget); algorithms that were not observed have no result.

        The number of runs of each algorithm is that of a member, or minus that of a rival.
        """
        return np.asarray(np.min([self._best_of(*each) for each in runs.items()], axis=0))

    def _best_of(self, algorithm: int, runs: int) -> Ranks:
        if (algorithm, runs) not in self._best:
            step = self.following if runs > 0 else self.preceding
            row = np.broadcast_to(np.arange(len(step))[:, None], step.shape) if runs > 0 else step
            found = []
            for _ in range(abs(runs)):
                found.append(np.take_along_axis(self.ranks[..., algorithm], row, axis=0))
                row = np.take_along_axis(step, row, axis=0)
            self._best[algorithm, runs] = np.min(found, axis=0)
        return self._best[algorithm, runs]

    def values(self, counts: Indices, mixing: Array) -> Array:
        """Return by how much of the instances portfolios beat one independent run of every algorithm, averaged over time.

        Ties count one half. A prior as heavy as one instance is divided among victory and defeat.

        Parameters
        ----------
        counts
            Shape (portfolio, algorithm): the number of runs of each algorithm.
        mixing
            Shape (budget, average): the weights of the budgets in each average.

        Returns
        -------
        Array
            Shape (draw, portfolio, average).
        """
        field = self.best(dict.fromkeys(range(self.ranks.shape[2]), -1))
        scores = np.empty((*field.shape, len(counts)), dtype=np.float32)
        for portfolio, own in enumerate(counts.tolist()):
            members = {algorithm: number for algorithm, number in enumerate(own) if number}
            scores[..., portfolio] = outcomes_of_ranks(self.best(members), field).scores
        scores *= self.weights[..., None]
        prior = self.beliefs.draw_portfolio_prior()
        result = np.zeros((self.beliefs.draws, len(counts), mixing.shape[1]))
        # Budgets with the same weights of instances have the same divisor, and are averaged before the weights are drawn.
        _, pattern = np.unique(self.weights, axis=1, return_inverse=True)
        for budgets in (np.flatnonzero(pattern.ravel() == each) for each in range(pattern.max() + 1)):
            total = self.weights[:, budgets[0]]
            averages = np.einsum("itp,tm->ipm", scores[:, budgets], mixing[budgets]).reshape(len(total), -1)
            sums = self.beliefs.weighted_sums(np.column_stack([averages, total]).astype(np.float32)).astype(np.float64)
            won = sums[:-1].reshape(*result.shape[1:], -1) + mixing[budgets].sum(axis=0)[:, None] * prior[0]
            result += (won / (sums[-1] + prior.sum(axis=0))).transpose(2, 0, 1)
        return result

    def win_rates(self, members: Mapping[int, int], rivals: Mapping[int, int]) -> Array32:
        """Return the share of instances on which the best member beats the best rival, shape (budget, draw).

        The number of runs of each algorithm is given. An algorithm on both sides shares its runs.
        """
        sides = members, {each: number if each in members else -number for each, number in rivals.items()}
        return self.beliefs.share_won(*(np.where(self.number > 1, self.best(each), ABSENT) for each in sides))


def repetitions_of(beliefs: PairBeliefs, columns: Indices, budgets: slice = slice(None)) -> Repetitions | None:
    """Return the repetitions on which all algorithms in these columns were observed; None if no problem was repeated.

    Repetitions are in the order of the keys of their instances, so that the order of instances does not matter.
    """
    sample = beliefs.sample
    runs, keys = sample.rankings.repeated, sample.keys
    if runs is None:
        return None
    ranks, present = runs.ranks[:, budgets][..., columns], sample.rankings.ranks[:, budgets][..., columns] != ABSENT
    known = present.any(axis=0)
    shared = (present | ~known).all(axis=2) & known.any(axis=1)
    complete = ((ranks != ABSENT) | ~known).all(axis=2) & shared
    order = np.array(sorted(range(len(keys)), key=lambda row: (runs.problem[row], keys[row])), dtype=np.intp)
    counted, back = complete[order].astype(np.intp), np.argsort(order)
    first = np.flatnonzero(np.diff(runs.problem[order], prepend=-1))
    problem = np.repeat(np.arange(len(first)), np.diff(first, append=len(order)))
    numbers = np.add.reduceat(counted, first, axis=0)
    before = np.cumsum(counted, axis=0) - counted  # the number of these repetitions before each instance
    start, size = before[first][problem], np.maximum(numbers[problem], 1)
    rows = order[np.argsort(1 - counted, axis=0, kind="stable")]  # these repetitions, and then the other instances
    following, preceding = (
        np.take_along_axis(rows, start + (before - start + step) % size, axis=0)[back] for step in (1, -1)
    )
    number = (numbers[problem] * counted)[back]
    weights = np.where(number > 1, sample.shares[:, budgets], 0.0)
    once = np.add.reduceat(shared[order].astype(np.intp), first, axis=0)
    problems = np.array([np.count_nonzero(once, axis=0), np.count_nonzero(numbers > 1, axis=0)])
    ranks = np.where(known, ranks, UNRANKED)
    return Repetitions(beliefs, ranks, number, following, preceding, weights, problems)
