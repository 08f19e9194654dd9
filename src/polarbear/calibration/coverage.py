"""Coverage: how often the intervals of a belief hold the truth, and how often its claims come true.

Truths do not come from the belief's prior. If the belief is honest, 95 % of its 95 % intervals of win rates hold the truth,
and of its claims with probability 0.95, 95 % come true.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.calibration.beliefs import fitted
from polarbear.calibration.simulator import Simulator
from polarbear.calibration.truths import Truth, draw_truth, of_instances, true_win_rates
from polarbear.observe import Choices, linear_grid

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polarbear.posterior import Posterior

    Array = NDArray[np.float64]

LEVEL = 0.95
CLAIMS = ((0.9, 0.95), (0.95, 0.99))  # the probabilities of "A beats B on most instances" that are examined


@dataclass(frozen=True)
class CoverageCell:
    """One setting of the study.

    Attributes
    ----------
    belief
        What is fitted, by the names of `polarbear.calibration.beliefs`.
    truth, spread, autocorrelation
        What is simulated, see `truths` and `Simulator`.
    algorithms, instances, times, draws
        The size of a data set, and of the posterior.
    """

    belief: str = "BayesianBootstrap"
    truth: Truth = "smooth"
    autocorrelation: float = 0.95
    instances: int = 30
    algorithms: int = 5
    times: int = 20
    draws: int = 1000
    spread: float = 1.0


def measure_coverage(cell: CoverageCell, replicate: int) -> dict[str, Any]:
    """Simulate one data set; compare intervals of win rates and claims of dominance with the truth.

    Returns the share of the 95 % intervals of all pairs and times that hold the true win rate, their mean width, the mean
    log-score of which algorithm of a pair is better, and for each range of `CLAIMS` how many claims were made, how many came
    true and the sum of their probabilities.
    """
    # The same truths and the same noise for every belief.
    rng = np.random.default_rng(
        [replicate, cell.algorithms, cell.instances, cell.times, round(1000 * cell.autocorrelation)]
    )
    truth = draw_truth(cell.truth, cell.times, cell.algorithms, spread=cell.spread, rng=rng)
    utilities = of_instances(truth, cell.instances, rng=rng)
    values = Simulator(cell.autocorrelation).values(utilities, cell.instances, rng=rng)
    choices = Choices.from_values(values, grid=linear_grid(1, cell.times, cell.times))
    return compare(fitted(cell.belief, choices, draws=cell.draws, seed=replicate), true_win_rates(truth))


def compare(posterior: Posterior, truth: Array) -> dict[str, Any]:
    """Compare a posterior with true win rates (time, algorithm, algorithm), as `measure_coverage` returns it."""
    pairs = list(zip(*np.triu_indices(truth.shape[1], 1), strict=True))
    drawn = np.array([posterior.win_rates(int(a), int(b)) for a, b in pairs], dtype=np.float64)  # (pair, time, draw)
    true = np.array([truth[:, a, b] for a, b in pairs])
    lower, upper = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=2)
    draws = drawn.shape[2]
    better = np.mean(drawn > 0.5, axis=2) + 0.5 * np.mean(drawn == 0.5, axis=2)
    better = np.clip(better, 0.5 / draws, 1 - 0.5 / draws)
    sure, right = np.maximum(better, 1 - better), (better > 0.5) == (true > 0.5)
    claims = [right[within].size for low, high in CLAIMS for within in [(sure >= low) & (sure < high)]]
    came_true = [int(right[within].sum()) for low, high in CLAIMS for within in [(sure >= low) & (sure < high)]]
    promised = [float(sure[within].sum()) for low, high in CLAIMS for within in [(sure >= low) & (sure < high)]]
    return {
        "coverage": float(np.mean((lower <= true) & (true <= upper))),
        "width": float(np.mean(upper - lower)),
        "log_score": float(np.log(np.where(true > 0.5, better, 1 - better)).mean()),
        "claims": claims,
        "came_true": came_true,
        "promised": promised,
    }


def summarise(cell: CoverageCell, outcomes: list[dict[str, Any]]) -> dict[str, Any]:
    """Means over the data sets of one cell, with the standard error of the coverage, and the shares of claims."""
    coverage = np.array([each["coverage"] for each in outcomes])
    claims, came_true, promised = (
        np.sum([each[name] for each in outcomes], axis=0) for name in ("claims", "came_true", "promised")
    )
    return {
        **asdict(cell),
        "data_sets": len(outcomes),
        "coverage": round(float(coverage.mean()), 4),
        "standard_error": round(float(coverage.std(ddof=1) / len(coverage) ** 0.5), 4) if len(coverage) > 1 else None,
        "width": round(float(np.mean([each["width"] for each in outcomes])), 3),
        "log_score": round(float(np.mean([each["log_score"] for each in outcomes])), 4),
        "claims": claims.tolist(),
        "came_true": [round(float(a / b), 3) if b else None for a, b in zip(came_true, claims, strict=True)],
        "promised": [round(float(a / b), 3) if b else None for a, b in zip(promised, claims, strict=True)],
    }
