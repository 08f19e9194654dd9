"""Draw from the posterior of one group that borrows from the others.

In: the rows of all instances, and which of them belong to the group. Out: ratings, the weighted instances behind them, and
how much is borrowed. Draws are made under each λ of `borrowing` in proportion to its probability, and then mixed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.inference.bootstrap.blend import WITHOUT_EVIDENCE, ModelWeight, weigh_model
from polarbear.inference.bootstrap.borrowing import choose_borrowing
from polarbear.inference.bootstrap.instance_weights import weighted_rows
from polarbear.inference.bootstrap.posterior_draws import outcome_draws, rate_and_shrink
from polarbear.inference.bootstrap.weighted_plackett_luce import weighted_utilities

if TYPE_CHECKING:
    from polarbear.arrays import Array, Indices
    from polarbear.inference.bootstrap.group_weights import GroupRows
    from polarbear.models.bayesian_bootstrap import BayesianBootstrap
    from polarbear.observe import Rankings
    from polarbear.posterior.outcome_draws import OutcomeDraws


@dataclass(frozen=True, eq=False)
class GroupDraws:
    """Draws from the posterior of a group.

    Attributes
    ----------
    ratings, outcomes
        Ratings (time, algorithm, draw), and the weighted instances behind them.
    factor, borrowed
        The expected λ, and the expected weight of all instances of other groups, in units.
    """

    ratings: Array
    outcomes: OutcomeDraws
    factor: float
    borrowed: float


def draw_group(
    group: GroupRows,
    own: Rankings | None,
    comparisons: Indices,
    prior: BayesianBootstrap,
    *,
    draws: int,
    rng: np.random.Generator,
) -> GroupDraws:
    """Return draws from the posterior of a group.

    Parameters
    ----------
    group
        The rows of all instances.
    own
        The rankings of the group's own instances that compare algorithms; None if there are none.
    comparisons
        Shape (time, algorithm): comparisons in all groups; where there are none, nothing is known.
    prior, draws, rng
        The prior, the number of draws and the source of randomness.
    """
    borrowing = choose_borrowing(group, rng=rng)
    model = _model_weight(own, prior, rng=rng)
    in_ratings = model.draw(draws, rng=rng.spawn(1)[0])
    weights, utilities = [], []
    for factor, number in zip(borrowing.factors, _allocate(borrowing.probabilities, draws), strict=True):
        if not number:
            continue
        weights.append(group.draw(factor, number, rng=rng))
        if model.best or in_ratings.any():
            rows = group.with_sizes(group.expected(factor))
            utilities.append(weighted_utilities(rows, weights[-1]))
    order = rng.permutation(draws)  # so that a part of the draws is a sample of all
    pairs = zip(borrowing.factors, borrowing.probabilities, strict=True)
    expected = np.sum([probability * group.expected(factor) for factor, probability in pairs], axis=0)
    sample = outcome_draws(
        group.with_sizes(expected),
        np.concatenate(weights, axis=1)[:, order],
        np.concatenate(utilities, axis=2)[..., order] if utilities else None,
        model.best,
        in_ratings,
    )
    ratings, sample = rate_and_shrink(sample, comparisons, prior, rng=rng)
    return GroupDraws(ratings, sample, borrowing.mean, float(expected[~group.own].sum()))


def _model_weight(own: Rankings | None, prior: BayesianBootstrap, *, rng: np.random.Generator) -> ModelWeight:
    """Return the weight of the Plackett-Luce fit, chosen on the group's own instances."""
    if prior.plackett_luce != "auto":
        return ModelWeight(float(prior.plackett_luce))
    if own is None:
        return WITHOUT_EVIDENCE
    return weigh_model(weighted_rows(own, prior), rng=rng)


def _allocate(probabilities: Array, draws: int) -> list[int]:
    """Return how many draws each λ gets: in proportion, rounded so that they sum to `draws`."""
    ends = np.round(np.cumsum(probabilities) / probabilities.sum() * draws).astype(int)
    return [int(each) for each in np.diff(ends, prepend=0)]
