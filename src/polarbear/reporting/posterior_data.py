"""Collect the page's data about a posterior: ratings over time, the best at each budget, pairs, and diagnostics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polarbear.plots import DecisionBands, DominanceMatrix, RatingCurves
from polarbear.reporting.draws import pack_ratings, pack_win_rates, thin_and_round
from polarbear.reporting.sentences import diagnostic_sentences, leader_sentence, prior_sentences, scope_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.literals import Elimination
    from polarbear.posterior.posterior import Posterior

_LEVEL = 0.9  # of the credible bands


def posterior_data(
    posterior: Posterior, candidates: Sequence[str], *, elimination: Elimination, unit: str
) -> dict[str, Any]:
    """Return the data about a posterior and its candidates in plain values; arrays are indexed by algorithm."""
    small = thin_and_round(posterior)
    curves = RatingCurves.of(posterior, level=_LEVEL)
    bands = DecisionBands.of(posterior, among=candidates)
    told = posterior.diagnostics
    return {
        "draws": {
            "times": posterior.grid.times.tolist(),
            "axis": posterior.grid.axis,
            "algorithms": len(posterior.names),
            "draws": len(small.ratings),
            "data": pack_ratings(small),
        },
        "ratings": {
            "level": _LEVEL,
            "mean": curves.mean.T.round(5).tolist(),
            "lower": curves.lower.T.round(5).tolist(),
            "upper": curves.upper.T.round(5).tolist(),
        },
        "advice": leader_sentence(bands, unit),
        "best": {
            "columns": [posterior.names.index(name) for name in bands.names],
            "probability": bands.probability_best.T.round(4).tolist(),
            "leads": [[posterior.names.index(each.name), each.start, each.stop] for each in bands.leads],
            "crossings": [
                {
                    "before": each.before,
                    "after": each.after,
                    "time": each.time,
                    "lower": each.lower,
                    "upper": each.upper,
                    "probability": each.probability,
                }
                for each in bands.crossings
            ],
        },
        "pairs": {
            "beats": DominanceMatrix.of(posterior, elimination=elimination).probability.round(4).tolist(),
            "level": _LEVEL,
            "over_time": pack_win_rates(posterior, level=_LEVEL),
        },
        "diagnostics": {
            "reliable": told.reliable,
            "sentences": [*prior_sentences(posterior), *diagnostic_sentences(posterior, len(small.ratings))],
            "method": told.method,
            "effective_draws": told.effective_draws,
            "pareto_k": told.pareto_k,
            "r_hat": told.r_hat,
        },
        "instances": posterior.instances,
        "prior": posterior.prior,
        "scope": scope_of(posterior),
    }
