"""Prediction of recorded runs: measure how well a posterior from some instances predicts the others.

This needs no known truth. A posterior is fitted to a random part of the instances. Its means predict, for each other
instance and time, the outcome of each pair and the algorithm that comes first. Mean log-scores compare the priors.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.calibration.beliefs import fit_named
from polarbear.observe import Choices, Grid
from polarbear.observe.pair_outcomes import outcomes_of_ranks
from polarbear.posterior.relations import win_probability

if TYPE_CHECKING:
    from polarbear.arrays import Array, Ranks
    from polarbear.posterior.posterior import Posterior


_LEAST = 1e-4  # lower limit of predicted probabilities, since outcomes alone can predict zero


@dataclass(frozen=True)
class PredictionCell:
    """One setting of the prediction study.

    Attributes
    ----------
    recorded
        A NumPy archive of `values` (instance, time, algorithm), lower is better, and `evaluations`, log-spaced.
    belief, draws
        The name of the prior, see `polarbear.calibration.beliefs`, and the number of posterior draws.
    instances
        The number of instances in the fit; all others are predicted.
    times
        The number of recorded times used, evenly spaced.
    """

    recorded: str
    belief: str = "BayesianBootstrap"
    instances: int = 30
    times: int = 20
    draws: int = 1000


def measure_prediction(cell: PredictionCell, replicate: int) -> dict[str, Any]:
    """Split the instances at random, fit one part, and score its predictions of the other."""
    values, grid = _load_runs(cell.recorded, cell.times)
    order = np.random.default_rng([replicate, 7]).permutation(len(values))
    known, other = (
        Choices.from_values(values[part], grid=grid) for part in (order[: cell.instances], order[cell.instances :])
    )
    assert other.rankings is not None
    return log_scores(fit_named(cell.belief, known, draws=cell.draws, seed=replicate), other.rankings.ranks)


def log_scores(posterior: Posterior, ranks: Ranks) -> dict[str, Any]:
    """Return the mean log-scores of the pairs and of the first places in `ranks` (instance, time, algorithm)."""
    rates = np.clip(win_probability(posterior), _LEAST, 1 - _LEAST)
    score = number = 0.0
    for a, b in zip(*np.triu_indices(ranks.shape[2], 1), strict=True):
        found = outcomes_of_ranks(ranks[..., a], ranks[..., b])
        both, won = found.compared, found.scores
        wins, compared = won.sum(axis=0, dtype=np.float64), both.sum(axis=0)
        score += float((wins * np.log(rates[:, a, b]) + (compared - wins) * np.log(rates[:, b, a])).sum())
        number += float(compared.sum())
    ratings = np.maximum(posterior.ratings.mean(axis=0), _LEAST)
    first = ranks == 0
    shares = first / np.maximum(first.sum(axis=2, keepdims=True), 1)
    firsts = (shares * np.log(ratings)).sum(axis=2)[first.any(axis=2)]
    return {"pairs": score / number, "first": float(firsts.mean())}


def summarise(cell: PredictionCell, outcomes_: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the mean log-scores over the splits of one cell."""
    return {
        **asdict(cell),
        "splits": len(outcomes_),
        **{name: round(float(np.mean([each[name] for each in outcomes_])), 4) for name in ("pairs", "first")},
    }


@cache
def _load_runs(file: str, times: int) -> tuple[Array, Grid]:
    with np.load(file, allow_pickle=False) as data:
        at = np.linspace(0, len(data["evaluations"]) - 1, times).astype(int)
        return data["values"][:, at], Grid(data["evaluations"][at].astype(np.float64), "log")
