"""Draw from the posterior of the Bayesian bootstrap.

In: choices and a `BayesianBootstrap` prior. Out: ratings, the weighted instances behind them, diagnostics and the scope.
Ratings from outcomes are blended with a Plackett-Luce fit under the same weights, and shrunk among near-equal algorithms.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polarbear.inference.bootstrap.blend import ModelWeight, weigh_model
from polarbear.inference.bootstrap.first_places import first_places
from polarbear.inference.bootstrap.instance_weights import draw_weights, weighted_rows
from polarbear.inference.bootstrap.near_equality import draw_shrinkage_scales, shrink_ratings
from polarbear.inference.bootstrap.weighted_plackett_luce import weighted_utilities
from polarbear.inference.size import affordable_draws
from polarbear.observe.scope import describe_scope
from polarbear.posterior.diagnostics import Diagnostics
from polarbear.posterior.outcome_draws import OutcomeDraws, model_share, softmax
from polarbear.wording import plural

if TYPE_CHECKING:
    from polarbear.arrays import Array, Array32, Indices
    from polarbear.inference.bootstrap.instance_weights import Rows
    from polarbear.models.bayesian_bootstrap import BayesianBootstrap
    from polarbear.observe import Choices, Rankings

# The rating of an algorithm that never comes first in a draw, or is not compared at a time. It may be a divisor.
_LEAST_RATING = 1e-12


def bayesian_bootstrap(
    choices: Choices, prior: BayesianBootstrap, *, draws: int, rng: np.random.Generator
) -> tuple[Array, OutcomeDraws, Diagnostics, str]:
    """Return ratings (time, algorithm, draw), the weighted instances behind them, diagnostics, and the scope."""
    if choices.rankings is None:
        raise ValueError(
            "expected choices with the rankings of each instance, which BayesianBootstrap weights, got only their counts; "
            "make them without per_instance=False, or use another prior"
        )
    requested, draws = draws, affordable_draws(prior, draws, times=len(choices.grid), algorithms=len(choices.names))
    rows = weighted_rows(choices.rankings, prior)
    weights = draw_weights(rows, draws, rng=rng)
    model = weigh_model(rows, rng=rng) if prior.plackett_luce == "auto" else ModelWeight(float(prior.plackett_luce))
    in_ratings = model.draw(draws, rng=rng.spawn(1)[0])  # a stream of its own: win rates do not depend on these draws
    utilities = weighted_utilities(rows, weights) if model.best or in_ratings.any() else None
    sample = outcome_draws(rows, weights, utilities, model.best, in_ratings)
    ratings, sample = rate_and_shrink(sample, choices.comparisons, prior, rng=rng)
    return (
        ratings,
        sample,
        _diagnostics(choices.rankings, prior, rows, sample, requested),
        describe_scope(choices.rankings, choices.instances, generalise_to=prior.generalise_to),
    )


def outcome_draws(
    rows: Rows, weights: Array32, utilities: Array32 | None, model_weight: float, in_ratings: Array
) -> OutcomeDraws:
    """Return draws of weights (row, draw) on rows, with the Plackett-Luce fit under them and its weights."""
    return OutcomeDraws(
        ranks=rows.ranks,
        weights=weights,
        sizes=rows.sizes,
        observed=rows.observed,
        scale=rows.scale,
        utilities=utilities,
        model_weight=model_weight,
        model_weights_in_ratings=None if utilities is None else in_ratings,
        repeated=rows.repeated,
    )


def rate_and_shrink(
    sample: OutcomeDraws, comparisons: Indices | None, prior: BayesianBootstrap, *, rng: np.random.Generator
) -> tuple[Array, OutcomeDraws]:
    """Return ratings (time, algorithm, draw), blended and shrunk, and the draws with the scales that shrink win rates.

    Parameters
    ----------
    sample
        Draws of weights on instances, with the Plackett-Luce fit under them.
    comparisons
        Shape (time, algorithm): how often each algorithm was compared; None if unknown.
    prior, rng
        The prior, which says whether to shrink, and the source of randomness.
    """
    ratings = _blended_ratings(sample)
    if prior.shrink and sample.algorithms > 1:
        sample = replace(sample, spread=draw_shrinkage_scales(sample, rng=rng))
        ratings = shrink_ratings(ratings, rng=rng)
    normalised = np.maximum(ratings, _LEAST_RATING, dtype=np.float64)
    if comparisons is not None and not comparisons.all():
        # Nothing is known about an algorithm without comparisons; the ratings of the others sum to one without it.
        known = (comparisons > 0) | ~(comparisons > 0).any(axis=1, keepdims=True)
        normalised = np.where(known[..., None], normalised, _LEAST_RATING)
    normalised /= normalised.sum(axis=1, keepdims=True)
    return normalised, sample


def _blended_ratings(sample: OutcomeDraws) -> Array32:
    """Return the blend of ratings from outcomes and from the Plackett-Luce fit, shape (time, algorithm, draw).

    In a draw in which the fit weighs m instances it has the share m / (m + k), where k instances observe the algorithm at
    that time.
    """
    weights = sample.model_weights_in_ratings
    if sample.utilities is not None and weights is not None and np.isinf(weights).all():
        return softmax(sample.utilities)
    ratings = first_places(sample.ranks, sample.weights, sample.scale, instances=sample.observed)
    if sample.utilities is None or weights is None:
        return ratings
    known = sample.observations()
    for t, blended in enumerate(ratings):  # the arrays of one time are small
        blended += model_share(weights, known[t]) * (softmax(sample.utilities[t : t + 1])[0] - blended)
        blended /= blended.sum(axis=0)
    return ratings


def unit_noun(rankings: Rankings, prior: BayesianBootstrap) -> str:
    """Return what carries a weight, in the singular: an instance, or a cluster such as a function."""
    clusters = rankings.clusters
    return "instance" if clusters is None or prior.generalise_to == "instances" else clusters.kind


def describe_blend(sample: OutcomeDraws, unit: str) -> str:
    """Return how outcomes and the Plackett-Luce fit are combined."""
    weights = sample.model_weights_in_ratings
    if weights is None:
        return "outcomes alone"
    best = sample.model_weight
    if np.isinf(best):
        return "the Plackett-Luce fit alone"
    blend = f"outcomes blended with a Plackett-Luce fit that weighs as much as {best:g} {plural(unit)}"
    if (weights == best).all():
        return blend
    alone = f"{np.mean(weights == 0):.0%}".replace("%", " %")
    blend = blend if best else "outcomes alone in win rates"
    return f"{blend}; in ratings the weight of the fit is uncertain, and zero in {alone} of the draws"


def _diagnostics(
    rankings: Rankings, prior: BayesianBootstrap, rows: Rows, sample: OutcomeDraws, requested: int
) -> Diagnostics:
    unit, draws = unit_noun(rankings, prior), sample.weights.shape[1]
    units, blend = unit if rows.units == 1 else plural(unit), describe_blend(sample, unit)
    message = f"Bayesian bootstrap: {draws} independent draws of weights on {rows.units} {units}, {blend}."
    if draws < requested:
        error = 100 * (0.95 * 0.05 / draws) ** 0.5
        message += (
            f" These are fewer than the {requested} requested, since there are very many times and algorithms: a "
            f"probability of 95 % has a standard error of {error:.1f} points. For more draws, fit fewer times or algorithms."
        )
    return Diagnostics(
        method="bayesian-bootstrap",
        reliable=True,
        message=message,
        effective_draws=float(draws),
    )
