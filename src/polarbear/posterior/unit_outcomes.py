"""The outcomes of a pair in the units that carry random weights, and how many independent observations they are worth.

Without clusters each instance is a unit and an observation. Instances of a cluster (a function, a data set, repetitions of
an instance) depend on each other, so the cluster is the unit. F clusters with mean outcomes x_f, mean squared outcomes q_f
(win 1, tie ½, loss 0) and strict shares d_f (wins and losses) have

    x' = (Σ x_f + ½) / (F + 1),    d = (Σ d_f + 1) / (F + 1),    b = (Σ q_f + ¼ + d/4) / (F + 1) − x'²,
    s² = (Σ (x_f − x')² + d/2 (x'² + (1 − x')²) + 2 b) / (F + 2),    n = F b / s²,

where n, the effective number of observations, is at least F and at most the number of runs that were compared. A
pseudo-cluster stands beside the F clusters: its strict outcomes are half won and half lost as a whole, and it has as many
ties as the others. If clusters differ no more than independent outcomes would, n approaches the number of runs. If each
cluster is won or lost as a whole, n is F. Without repetitions n = F.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from polarbear.arrays import Array, Array32, Indices, Mask
    from polarbear.observe.losses import PairOutcomes


@dataclass(frozen=True, eq=False)
class UnitOutcomes:
    """The outcomes of a pair, unit by unit.

    Attributes
    ----------
    units
        The numbers of the units that compare the pair at some budget.
    shapes
        Shape (unit,): the expected weights, one by default.
    scores, compared
        Shape (unit, budget), single precision: the mean outcome times the weight, and the weight, both relative to the
        expected weight. They are zero where a unit does not compare the pair.
    wins, losses, ties
        Shape (budget,): effective numbers of observations.
    boost
        Shape (budget,): the effective number of observations per unit of weight.
    independent
        Whether closed forms are exact: each unit has at most one compared member, and no weight depends on the budget.
    """

    units: Indices
    shapes: Array
    scores: Array32
    compared: Array32
    wins: Array
    losses: Array
    ties: Array
    boost: Array
    independent: bool


def outcomes_of_units(outcomes: PairOutcomes, weights: Array | None, unit: Indices | None) -> UnitOutcomes:
    """Return the outcomes of a pair in its units.

    Parameters
    ----------
    outcomes
        The outcomes of the pair on each instance.
    weights
        Shape (instance, budget): the weights of the instances; None if all are one.
    unit
        Shape (instance,): the number of each instance's unit, in ascending order; None if each instance is a unit.
    """
    rows = np.flatnonzero(outcomes.compared.any(axis=1))
    if weights is None and unit is None:
        return _outcomes_of_single_runs(rows, *(each[rows] for each in outcomes))
    own = outcomes.compared[rows].astype(np.float64) if weights is None else outcomes.compared[rows] * weights[rows]
    won, lost = outcomes.wins[rows], outcomes.losses[rows]
    tied = ~(won | lost)
    numbers = rows if unit is None else unit[rows]
    starts = np.flatnonzero(np.diff(numbers, prepend=-1))
    if len(starts) == len(rows):
        wins, losses, ties = (each.sum(axis=0) for each in (own * won, own * lost, own * tied))
        scores, boost, alone = own * (0.5 + 0.5 * won - 0.5 * lost), np.ones(own.shape[1]), True
    else:
        sums = [np.add.reduceat(each, starts, axis=0) for each in (own, own * won, own * lost, own * tied)]
        members = np.add.reduceat(outcomes.compared[rows], starts, axis=0, dtype=np.float64)
        own = sums[0] / np.maximum(members, 1)
        up, down, even = (np.divide(each, sums[0], out=np.zeros_like(each), where=sums[0] > 0) for each in sums[1:])
        boost = _effective_observations(up, down, own, sums[0].sum(axis=0))
        wins, losses, ties = ((each * own).sum(axis=0) * boost for each in (up, down, even))
        scores, alone = own * (0.5 + 0.5 * up - 0.5 * down), bool(members.max(initial=0) <= 1)
    shapes = own.max(axis=1, initial=0.0)
    relative = own / shapes[:, None]
    return UnitOutcomes(
        units=numbers[starts],
        shapes=shapes,
        scores=(scores / shapes[:, None]).astype(np.float32),
        compared=relative.astype(np.float32),
        wins=wins,
        losses=losses,
        ties=ties,
        boost=boost,
        independent=alone and bool(_is_zero_or_one(relative).all()),
    )


def _outcomes_of_single_runs(rows: Indices, won: Mask, lost: Mask, compared: Mask) -> UnitOutcomes:
    """Return the outcomes of instances that are independent and weigh the same, which needs no weighted sums."""
    wins, losses, total = (np.count_nonzero(each, axis=0).astype(np.float64) for each in (won, lost, compared))
    halves = compared.astype(np.int8) + won - lost
    return UnitOutcomes(
        units=rows,
        shapes=np.ones(len(rows)),
        scores=np.float32(0.5) * halves.astype(np.float32),
        compared=compared.astype(np.float32),
        wins=wins,
        losses=losses,
        ties=total - wins - losses,
        boost=np.ones(compared.shape[1]),
        independent=True,
    )


def _effective_observations(wins: Array, losses: Array, weights: Array, runs: Array) -> Array:
    """Return n / F at each budget from the shares of wins and losses and the weight of each cluster; 1 without clusters."""
    clusters = weights.sum(axis=0)
    strict = ((weights * (wins + losses)).sum(axis=0) + 1) / (clusters + 1)
    outcome, square = 0.5 + 0.5 * (wins - losses), 0.25 + 0.75 * wins - 0.25 * losses
    mean = ((weights * outcome).sum(axis=0) + 0.5) / (clusters + 1)
    binary = ((weights * square).sum(axis=0) + 0.25 + 0.25 * strict) / (clusters + 1) - mean**2
    between = (weights * (outcome - mean) ** 2).sum(axis=0) + 0.5 * strict * (mean**2 + (1 - mean) ** 2)
    variance = (between + 2 * binary) / (clusters + 2)
    number = np.clip(clusters * binary / variance, clusters, np.maximum(runs, clusters))
    boost: Array = np.divide(number, clusters, out=np.ones_like(number), where=clusters > 0)
    return boost


def _is_zero_or_one(values: Array) -> Mask:
    return np.asarray((values == 0) | (values == 1))
