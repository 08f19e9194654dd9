"""The weight of the Plackett-Luce fit in the blend, by leave-one-out cross-validation.

Each unit (an instance or a cluster) is left out in turn. Blends of the observed outcomes of the other units with the
Plackett-Luce fit to them predict its pairwise outcomes and its first places. The score of a weight, in instances, is the sum
of the two mean log-scores.

Win rates use the best weight. Ratings depend more on the model, and few instances cannot show that it does not hold, so each
draw of the ratings has a weight of its own. A priori the outcomes stand alone with probability one half, and otherwise each
weight is as probable as the next, as in `borrowing`. These probabilities are multiplied by exp(units × score): the pairs of
a unit, which are correlated, count as much as its first place.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from polarbear.inference.bootstrap.first_places import first_places
from polarbear.inference.bootstrap.weighted_plackett_luce import weighted_utilities
from polarbear.posterior.outcome_draws import outcomes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from polarbear.arrays import Array, Indices, Mask
    from polarbear.inference.bootstrap.instance_weights import Rows


CANDIDATES = np.array([0.0, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0])
PRIOR = np.array([0.5, *[0.5 / 6] * 6])
"""The prior probabilities of these weights in ratings."""
_FEWEST_UNITS = 4
_MANY_UNITS = 1000  # above this number even the largest weight changes predictions by less than their noise
_MOST_UNITS = 400  # units left out, at random; with 100 the best weight of one real race varied from 0 to 80
_MOST_TIMES = 12  # predictions at neighbouring times are nearly equal


@dataclass(frozen=True, eq=False)
class ModelWeight:
    """The weight of the Plackett-Luce fit, in instances.

    Attributes
    ----------
    best
        The weight in win rates.
    probabilities
        The probabilities of the weights `CANDIDATES` in ratings; None if the weight is `best` for certain.
    """

    best: float
    probabilities: Array | None = None

    def draw(self, draws: int, *, rng: np.random.Generator) -> Array:
        """Draw weights in ratings, shape (draw,)."""
        if self.probabilities is None:
            return np.full(draws, self.best)
        drawn: Array = rng.choice(CANDIDATES, draws, p=self.probabilities)
        return drawn


def weigh_model(rows: Rows, *, rng: np.random.Generator) -> ModelWeight:
    """Return the weight of the Plackett-Luce fit, according to how well it predicts left-out units."""
    if rows.units < _FEWEST_UNITS:
        return WITHOUT_EVIDENCE
    if rows.units > _MANY_UNITS:
        return ModelWeight(0.0)
    scores = leave_one_out_scores(_fewer_times(rows), rng=rng).sum(axis=1)
    odds = PRIOR * np.exp(rows.effective * (scores - scores.max()))
    return ModelWeight(float(CANDIDATES[np.argmax(scores)]), odds / odds.sum())


WITHOUT_EVIDENCE = ModelWeight(20.0, PRIOR)
"""The weight with too few units for cross-validation: in win rates the best one over all public data sets tried."""


def leave_one_out_scores(rows: Rows, *, rng: np.random.Generator) -> Array:
    """Return the mean log-scores of pairwise outcomes and of first places, shape (candidate weight, 2)."""
    left_out = rng.permutation(rows.units)[:_MOST_UNITS]
    weights = np.repeat(rows.sizes[:, None], len(left_out), axis=1)
    weights[rows.unit[:, None] == left_out] = 0.0
    shared = (weights / weights.sum(axis=0)).astype(np.float32)
    utilities = weighted_utilities(rows, shared, exact=True).astype(np.float64)
    pairs = _mean_scores(_pair_scores(rows, left_out, weights, utilities))
    ratings = first_places(rows.ranks, shared, rows.scale).astype(np.float64)
    firsts = _mean_scores(_first_scores(rows, left_out, weights, ratings, utilities))
    return np.stack([pairs, firsts], axis=1)


def _members(rows: Rows, left_out: Indices) -> Array:
    """Return the size of each row in the unit to which it belongs, shape (row, unit): repetitions share the size of one."""
    return np.where(rows.unit[:, None] == left_out, rows.sizes[:, None], 0.0)


def _pair_scores(rows: Rows, left_out: Indices, weights: Array, utilities: Array) -> Iterator[tuple[Array, Array]]:
    """Yield, for each pair, log-scores (candidate, time, unit) and comparisons (time, unit), both weighted by sizes."""
    members = _members(rows, left_out)
    for a, b in zip(*np.triu_indices(rows.ranks.shape[2], 1), strict=True):
        both, won = outcomes(rows.ranks[..., a], rows.ranks[..., b])
        scaled = both if rows.scale is None else both * rows.scale
        known = scaled.T @ weights
        by_outcomes = np.divide((won * scaled).T @ weights, known, out=np.full_like(known, 0.5), where=known > 0)
        by_model = 1 / (1 + np.exp(utilities[:, b] - utilities[:, a]))
        compared = both.T @ members
        wins = won.T.astype(np.float64) @ members
        yield (
            np.array(
                [
                    wins * np.log(rate) + (compared - wins) * np.log1p(-rate)
                    for rate in _blends(by_outcomes, by_model, known)
                ]
            ),
            compared,
        )


def _first_scores(
    rows: Rows, left_out: Indices, weights: Array, ratings: Array, utilities: Array
) -> Iterator[tuple[Array, Array]]:
    """Yield, for each algorithm, log-scores and numbers of its first places on complete instances.

    The shapes are those of `_pair_scores`.
    """
    members = _members(rows, left_out)
    complete: Mask = np.all(rows.ranks >= 0, axis=2)
    is_first = (rows.ranks == 0) & complete[..., None]
    shares = is_first / np.maximum(is_first.sum(axis=2, keepdims=True), 1)
    exponentials = np.exp(utilities - utilities.max(axis=1, keepdims=True))
    by_model = exponentials / exponentials.sum(axis=1, keepdims=True)
    known = complete.T @ weights
    for a in range(rows.ranks.shape[2]):
        places = shares[..., a].T @ members
        blended = _blends(ratings[:, a], by_model[:, a], known)
        yield np.array([places * np.log(rating) for rating in blended]), places


def _blends(by_outcomes: Array, by_model: Array, known: Array) -> Iterator[Array]:
    """Yield the prediction under each candidate weight, clipped to [1e-9, 1 − 1e-9] so that log-scores stay finite."""
    for weight in CANDIDATES:
        share = weight / (weight + known) if weight else 0.0
        yield np.clip(by_outcomes + share * (by_model - by_outcomes), 1e-9, 1 - 1e-9)


def _mean_scores(scores: Iterator[tuple[Array, Array]]) -> Array:
    """Return the mean log-score of each candidate over all predictions; zero if there are none."""
    total, number = np.zeros(len(CANDIDATES)), 0.0
    for score, count in scores:
        total += score.sum(axis=(1, 2))
        number += float(count.sum())
    return total / number if number else total


def _fewer_times(rows: Rows) -> Rows:
    times = rows.ranks.shape[1]
    if times <= _MOST_TIMES:
        return rows
    kept = np.linspace(0, times - 1, _MOST_TIMES).round().astype(int)
    return replace(rows, ranks=rows.ranks[:, kept], scale=None if rows.scale is None else rows.scale[:, kept])
