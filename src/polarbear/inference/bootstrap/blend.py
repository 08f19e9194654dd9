"""How many instances the Plackett-Luce fit is worth: the weight that predicts left-out instances best.

Each unit (an instance, or a cluster) is left out in turn. The outcomes of its pairs and its first places are predicted by
the other instances, by the Plackett-Luce fit to them, and by every blend of the two. The weight with the highest mean
log-score of both kinds of prediction wins.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polarbear.inference.bootstrap.first_places import first_places
from polarbear.inference.bootstrap.weighted_plackett_luce import weighted_utilities
from polarbear.posterior.outcome_draws import outcomes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from polarbear.inference.bootstrap.instance_weights import Rows

    Array = NDArray[np.float64]

CANDIDATES = (0.0, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0)
_WITHOUT_EVIDENCE = 20.0  # where too few units are left to predict any: what did best over all public sets tried
_FEWEST_UNITS = 4
_MANY_UNITS = 1000  # from here on even the largest weight would change predictions by less than their own noise
_MOST_UNITS = 400  # left out, at random; with 100 the best weight of one real race varied from 0 to 80
_MOST_TIMES = 12  # predictions at neighbouring times are nearly the same


def model_weight(rows: Rows, *, rng: np.random.Generator) -> float:
    """The weight of the Plackett-Luce fit, in instances, that predicts left-out units best."""
    if rows.units < _FEWEST_UNITS:
        return _WITHOUT_EVIDENCE
    if rows.units > _MANY_UNITS:
        return 0.0
    scores = leave_one_out_scores(_fewer_times(rows), rng=rng)
    return CANDIDATES[int(np.argmax(scores.sum(axis=1)))]


def leave_one_out_scores(rows: Rows, *, rng: np.random.Generator) -> Array:
    """Mean log-scores of pairs and of first places, shape (candidate weight, 2)."""
    left_out = rng.permutation(rows.units)[:_MOST_UNITS]
    weights = np.repeat(rows.sizes[:, None], len(left_out), axis=1)
    weights[rows.unit[:, None] == left_out] = 0.0
    shared = (weights / weights.sum(axis=0)).astype(np.float32)
    utilities = weighted_utilities(rows, shared, exact=True).astype(np.float64)
    pairs = _mean_scores(_pair_scores(rows, left_out, weights, utilities))
    ratings = first_places(rows.ranks, shared, rows.scale).astype(np.float64)
    firsts = _mean_scores(_first_scores(rows, left_out, weights, ratings, utilities))
    return np.stack([pairs, firsts], axis=1)


def _pair_scores(
    rows: Rows, left_out: NDArray[np.intp], weights: Array, utilities: Array
) -> Iterator[tuple[Array, Array]]:
    """For each pair the sums of scores (candidate, time, unit) and of the numbers of comparisons (time, unit)."""
    members = (rows.unit[:, None] == left_out).astype(np.float64)
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
    rows: Rows, left_out: NDArray[np.intp], weights: Array, ratings: Array, utilities: Array
) -> Iterator[tuple[Array, Array]]:
    """For each algorithm the scores of its first places on complete instances, as `_pair_scores`."""
    members = (rows.unit[:, None] == left_out).astype(np.float64)
    complete: NDArray[np.bool_] = np.all(rows.ranks >= 0, axis=2)
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
    """Predictions under each candidate weight, kept away from certainty by rounding alone."""
    for weight in CANDIDATES:
        share = weight / (weight + known) if weight else 0.0
        yield np.clip(by_outcomes + share * (by_model - by_outcomes), 1e-9, 1 - 1e-9)


def _mean_scores(scores: Iterator[tuple[Array, Array]]) -> Array:
    """The mean log-score of each candidate over everything predicted; zero where nothing was."""
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
