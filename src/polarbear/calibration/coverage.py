"""Coverage: measure how often credible intervals hold the true value, and how often claims come true.

Truths are not drawn from the prior of the fit. If a posterior is calibrated, 95 % of its 95 % intervals of win rates and
ratings hold the true value. Of its claims with probability 0.95, such as "A beats B on most instances" or "A comes first
most often", 95 % come true.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.calibration.beliefs import fit_named
from polarbear.calibration.simulator import Simulator
from polarbear.calibration.truths import Truth, draw_instance_utilities, draw_truth, true_ratings, true_win_rates
from polarbear.observe import Choices, linear_grid

if TYPE_CHECKING:
    from polarbear.arrays import Array, Mask
    from polarbear.posterior.posterior import Posterior


LEVEL = 0.95
CLAIMS = (0.9, 0.99)  # the range of probabilities of claims
SURE = 0.95


@dataclass(frozen=True)
class CoverageCell:
    """One setting of the coverage study.

    Attributes
    ----------
    belief
        The name of the prior, see `polarbear.calibration.beliefs`.
    truth, spread, autocorrelation
        The simulated truth and noise, see `truths` and `Simulator`.
    algorithms, instances, budgets, draws
        The size of a data set, and the number of posterior draws.
    """

    belief: str = "BayesianBootstrap"
    truth: Truth = "smooth"
    autocorrelation: float = 0.95
    instances: int = 30
    algorithms: int = 5
    budgets: int = 20
    draws: int = 1000
    spread: float = 1.0


def measure_coverage(cell: CoverageCell, replicate: int) -> dict[str, Any]:
    """Simulate one data set, fit a posterior, and compare its intervals and claims with the truth."""
    values, truth = simulate(cell, replicate)
    choices = Choices.from_values(values, grid=linear_grid(1, cell.budgets, cell.budgets))
    return compare(fit_named(cell.belief, choices, draws=cell.draws, seed=replicate), truth)


def simulate(cell: CoverageCell, replicate: int) -> tuple[Array, Array]:
    """Simulate values (instance, budget, algorithm), and return them with their truth (see `truths`).

    The data set does not depend on the prior, so that priors are compared on the same data.
    """
    rng = np.random.default_rng(
        [replicate, cell.algorithms, cell.instances, cell.budgets, round(1000 * cell.autocorrelation)]
    )
    truth = draw_truth(cell.truth, cell.budgets, cell.algorithms, spread=cell.spread, rng=rng)
    utilities = draw_instance_utilities(truth, cell.instances, rng=rng)
    return Simulator(cell.autocorrelation).values(utilities, cell.instances, rng=rng), truth


def compare(posterior: Posterior, truth: Array) -> dict[str, Any]:
    """Compare a posterior with a truth: its win rates and, under the key "ratings", its ratings."""
    return {
        **compare_win_rates(posterior, true_win_rates(truth)),
        "ratings": compare_ratings(posterior, true_ratings(truth)),
    }


def compare_win_rates(posterior: Posterior, truth: Array) -> dict[str, Any]:
    """Compare a posterior with true win rates (budget, algorithm, algorithm).

    The result holds the share of 95 % intervals, over all pairs and budgets, that contain the true win rate, and their mean
    width; the mean log-score of predicting the better algorithm of each pair; the share of pairs and budgets whose better
    algorithm is surer than `SURE`; the number of claims with a probability in `CLAIMS`, the number of them that came true,
    and the sum of their probabilities.
    """
    pairs = list(zip(*np.triu_indices(truth.shape[1], 1), strict=True))
    drawn = np.array([posterior.win_rates(int(a), int(b)) for a, b in pairs], dtype=np.float64)  # (pair, budget, draw)
    true = np.array([truth[:, a, b] for a, b in pairs])
    better = np.mean(drawn > 0.5, axis=2) + 0.5 * np.mean(drawn == 0.5, axis=2)
    sure, right = np.maximum(better, 1 - better), (better > 0.5) == (true > 0.5)
    probability = np.where(true > 0.5, better, 1 - better)
    return {**_intervals(drawn, true), "log_score": _log_score(probability, drawn.shape[2]), **_claims(sure, right)}


def compare_ratings(posterior: Posterior, truth: Array) -> dict[str, Any]:
    """Compare a posterior with true ratings (budget, algorithm); claims are about which algorithm comes first most often."""
    drawn = posterior.ratings.transpose(1, 2, 0)  # (budget, algorithm, draw)
    leader, true_leader = drawn.argmax(axis=1), truth.argmax(axis=1)
    best = np.mean(leader[:, None] == np.arange(truth.shape[1])[:, None], axis=2)  # (budget, algorithm)
    probability = best[np.arange(len(truth)), true_leader]
    claims = _claims(best.max(axis=1), best.argmax(axis=1) == true_leader)
    return {**_intervals(drawn, truth), "log_score": _log_score(probability, drawn.shape[2]), **claims}


def _intervals(drawn: Array, true: Array) -> dict[str, float]:
    """Return the share of 95 % intervals of the draws (last axis) that hold the true value, and their mean width."""
    lower, upper = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=-1)
    return {"coverage": float(np.mean((lower <= true) & (true <= upper))), "width": float(np.mean(upper - lower))}


def _log_score(probability: Array, draws: int) -> float:
    """Return the mean logarithm of the probabilities of the true events, clipped to half a draw from 0 and 1."""
    return float(np.log(np.clip(probability, 0.5 / draws, 1 - 0.5 / draws)).mean())


def _claims(sure: Array, right: Mask) -> dict[str, float]:
    """Return the share of sure cases, and of claims their number, the number that came true and the sum of probabilities."""
    claimed = (sure >= CLAIMS[0]) & (sure < CLAIMS[1])
    return {
        "sure": float(np.mean(sure > SURE)),
        "claims": int(claimed.sum()),
        "came_true": int(right[claimed].sum()),
        "promised": float(sure[claimed].sum()),
    }


def summarise(cell: CoverageCell, outcomes: list[dict[str, Any]]) -> dict[str, Any]:
    """Return means over the data sets of one cell, with standard errors, for win rates and for ratings."""
    return {
        **asdict(cell),
        "data_sets": len(outcomes),
        **summarise_comparisons(outcomes),
        "ratings": summarise_comparisons([each["ratings"] for each in outcomes]),
    }


def summarise_comparisons(outcomes: list[dict[str, Any]]) -> dict[str, Any]:
    """Return means over comparisons of posteriors with their truths, with standard errors."""
    coverage = np.array([each["coverage"] for each in outcomes])
    claims, came_true, promised = (
        np.array([each[name] for each in outcomes]) for name in ("claims", "came_true", "promised")
    )
    number = claims.sum()
    share = came_true.sum() / number if number else None
    # Claims of one data set are correlated, so data sets are the units of the standard error.
    error = np.sqrt(np.sum((came_true - share * claims) ** 2)) / number if number else None
    return {
        "coverage": round(float(coverage.mean()), 4),
        "standard_error": round(float(coverage.std(ddof=1) / len(coverage) ** 0.5), 4) if len(coverage) > 1 else None,
        "width": round(float(np.mean([each["width"] for each in outcomes])), 3),
        "log_score": round(float(np.mean([each["log_score"] for each in outcomes])), 4),
        "sure": round(float(np.mean([each["sure"] for each in outcomes])), 3),
        "claims": round(float(claims.mean()), 2),
        "came_true": None if share is None else round(float(share), 3),
        "came_true_error": None if error is None else round(float(error), 3),
        "promised": round(float(promised.sum() / number), 3) if number else None,
    }
