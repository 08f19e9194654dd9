"""Draw from the posterior of the Bayesian bootstrap.

In: choices and a `BayesianBootstrap` prior. Out: ratings, the weighted instances behind them, diagnostics and the scope.
Ratings from outcomes are blended with a Plackett-Luce fit under the same weights, and shrunk among near-equal algorithms.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polarbear.inference.bootstrap.blend import model_weight
from polarbear.inference.bootstrap.first_places import first_places
from polarbear.inference.bootstrap.instance_weights import draw_weights, weighted_rows
from polarbear.inference.bootstrap.near_equality import draw_shrinkage_scales, shrink_ratings
from polarbear.inference.bootstrap.weighted_plackett_luce import weighted_utilities
from polarbear.inference.size import affordable_draws
from polarbear.observe.rankings import ABSENT
from polarbear.observe.scope import describe_scope
from polarbear.posterior.diagnostics import Diagnostics
from polarbear.posterior.outcome_draws import OutcomeDraws, softmax
from polarbear.wording import plural

if TYPE_CHECKING:
    from polarbear.arrays import Array, Array32, Indices
    from polarbear.inference.bootstrap.instance_weights import Rows
    from polarbear.models.bayesian_bootstrap import BayesianBootstrap
    from polarbear.observe import Choices, Rankings

_NOT_OBSERVED = 1e-12  # the rating of an algorithm at a time without comparisons; positive, since it may be a divisor


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
    model = model_weight(rows, rng=rng) if prior.plackett_luce == "auto" else float(prior.plackett_luce)
    utilities = weighted_utilities(rows, weights) if model > 0 else None
    normalised, sample = ratings_and_outcomes(rows, weights, utilities, model, choices.comparisons, prior, rng=rng)
    return (
        normalised,
        sample,
        _diagnostics(choices.rankings, prior, rows, model, draws, requested),
        describe_scope(choices.rankings, choices.instances, generalise_to=prior.generalise_to),
    )


def ratings_and_outcomes(
    rows: Rows,
    weights: Array32,
    utilities: Array32 | None,
    model: float,
    comparisons: Indices | None,
    prior: BayesianBootstrap,
    *,
    rng: np.random.Generator,
) -> tuple[Array, OutcomeDraws]:
    """Return ratings (time, algorithm, draw), blended and shrunk, and the weighted instances behind them.

    Parameters
    ----------
    rows, weights
        The rows, and draws of their weights.
    utilities, model
        The Plackett-Luce fit under these weights, and its weight in instances.
    comparisons
        Shape (time, algorithm): how often each algorithm was compared; None if unknown.
    prior, rng
        The prior, which says whether to shrink, and the source of randomness.
    """
    sample = OutcomeDraws(
        rows.ranks, weights, rows.sizes, rows.observed, rows.scale, utilities, model, repeated=rows.repeated
    )
    ratings = None if np.isinf(model) else first_places(rows.ranks, weights, rows.scale, instances=rows.observed)
    ratings = blend_ratings(rows, ratings, utilities, model)
    if prior.shrink and rows.ranks.shape[2] > 1:
        sample = replace(sample, spread=draw_shrinkage_scales(sample, rng=rng))
        ratings = shrink_ratings(ratings, rng=rng)
    normalised = ratings.astype(np.float64)
    if comparisons is not None and not comparisons.all():
        # Nothing is known about an algorithm without comparisons; the ratings of the others sum to one without it.
        known = (comparisons > 0) | ~(comparisons > 0).any(axis=1, keepdims=True)
        normalised = np.where(known[..., None], normalised, _NOT_OBSERVED)
    normalised /= normalised.sum(axis=1, keepdims=True)
    return normalised, sample


def blend_ratings(rows: Rows, by_outcomes: Array32 | None, utilities: Array32 | None, model: float) -> Array32:
    """Return the blend of ratings from outcomes and from the Plackett-Luce fit, shape (time, algorithm, draw).

    The fit has the share model / (model + k), where k instances observe the algorithm at that time. The blend replaces the
    ratings from outcomes in their memory.
    """
    if utilities is None:
        assert by_outcomes is not None
        return by_outcomes
    if by_outcomes is None:
        return softmax(utilities)
    known = np.einsum("r,rta->ta", rows.sizes, rows.ranks != ABSENT)
    share = (model / (model + known)).astype(np.float32)[..., None]
    for t, blended in enumerate(by_outcomes):  # the arrays of one time are small
        blended += share[t] * (softmax(utilities[t : t + 1])[0] - blended)
        blended /= blended.sum(axis=0)
    return by_outcomes


def unit_noun(rankings: Rankings, prior: BayesianBootstrap) -> str:
    """Return what carries a weight, in the singular: an instance, or a cluster such as a function."""
    clusters = rankings.clusters
    return "instance" if clusters is None or prior.generalise_to == "instances" else clusters.kind


def describe_blend(model: float, unit: str) -> str:
    """Return how outcomes and the Plackett-Luce fit are combined."""
    if np.isinf(model):
        return "the Plackett-Luce fit alone"
    if model == 0:
        return "outcomes alone"
    return f"outcomes blended with a Plackett-Luce fit that weighs as much as {model:g} {plural(unit)}"


def _diagnostics(
    rankings: Rankings, prior: BayesianBootstrap, rows: Rows, model: float, draws: int, requested: int
) -> Diagnostics:
    unit = unit_noun(rankings, prior)
    units, blend = unit if rows.units == 1 else plural(unit), describe_blend(model, unit)
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
