"""Coverage: how often the intervals of a posterior hold the truth, where the truth is known.

Truths are drawn from the prior that is fitted, hyperparameters included, and rankings follow from them by a simulator. If
the posterior is right, 95 % of its 95 % intervals hold the truth.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from polarbear.calibration.simulator import Simulator
from polarbear.fitting import fit
from polarbear.models import (
    BSpline,
    GaussianProcess,
    HilbertSpaceGP,
    RandomWalk,
    SparseGaussianProcess,
    TemporalPrior,
)
from polarbear.observe import Choices, linear_grid

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polarbear.posterior import Posterior

    Array = NDArray[np.float64]

Treatment = Literal["none", "scalar", "trajectory"]

TEMPORAL: dict[str, type[TemporalPrior]] = {
    "GaussianProcess": GaussianProcess,
    "SparseGaussianProcess": SparseGaussianProcess,
    "HilbertSpaceGP": HilbertSpaceGP,
    "RandomWalk": RandomWalk,
    "BSpline": BSpline,
}
LEVEL = 0.95


@dataclass(frozen=True)
class CoverageCell:
    """One setting of the study.

    Attributes
    ----------
    prior
        The name of a temporal prior, as it comes.
    treatment
        What is done about correlated rankings: "none", "trajectory" (see `fit`), or "scalar": all rankings are weighted by
        the effective number of times over the number of times, the remedy to beat.
    autocorrelation, dependence, algorithms, instances, times
        What is simulated, see `Simulator`; the noise is Gumbel's, for without there are no true ratings.
    spread
        What truths drawn from the prior are multiplied by.
    draws
        Of each posterior.
    """

    prior: str = "BSpline"
    treatment: Treatment = "trajectory"
    autocorrelation: float = 0.0
    algorithms: int = 4
    instances: int = 30
    times: int = 20
    draws: int = 1000
    dependence: Literal["copula", "renewal"] = "copula"
    spread: float = 1.0

    @property
    def simulator(self) -> Simulator:
        """Of the runs."""
        return Simulator(self.autocorrelation, dependence=self.dependence)


def covered(cell: CoverageCell, replicate: int) -> dict[str, Any]:
    """Simulate one data set and count the intervals that hold the truth.

    Returns the share of the 95 % intervals of all differences of utilities at all times, their mean width, the mean squared
    error of the posterior means, how many times the rankings are worth, and whether the posterior called itself reliable.
    """
    # The same truths and the same noise under every treatment.
    rng = np.random.default_rng(
        [replicate, cell.algorithms, cell.instances, cell.times, round(1000 * cell.autocorrelation)]
    )
    grid, prior = linear_grid(1, cell.times, cell.times), TEMPORAL[cell.prior]()
    truth = cell.spread * prior.sample(grid, cell.algorithms, 1, rng=rng)[0]
    values = cell.simulator.values(truth, cell.instances, rng=rng)
    choices = Choices.from_values(values, grid=grid, per_instance=True)
    posterior = _fitted(cell, choices, prior, seed=replicate)
    drawn, true = differences(np.log(posterior.ratings)), differences(truth)
    lower, upper = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return {
        "coverage": float(np.mean((lower <= true) & (true <= upper))),
        "width": float(np.mean(upper - lower)),
        "error": float(np.mean((drawn.mean(axis=0) - true) ** 2)),
        "effective_times": posterior.diagnostics.effective_times,
        "reliable": posterior.diagnostics.reliable,
    }


def differences(utilities: Array) -> Array:
    """μ_a − μ_b of all pairs a < b, shape (..., pair)."""
    first, second = np.triu_indices(utilities.shape[-1], 1)
    return utilities[..., first] - utilities[..., second]


def _fitted(cell: CoverageCell, choices: Choices, prior: TemporalPrior, *, seed: int) -> Posterior:
    if cell.treatment != "scalar":
        return fit(choices, prior=prior, calibration=cell.treatment, draws=cell.draws, seed=seed)
    weight = 1.0
    for _ in range(2):  # what the rankings are worth is judged once more at the estimate that the first weight gives
        looked = fit(choices * weight, prior=prior, calibration="trajectory", draws=100, seed=seed)
        weight = (looked.diagnostics.effective_times or cell.times) / cell.times
    return fit(choices * weight, prior=prior, draws=cell.draws, seed=seed)


def summary(cell: CoverageCell, outcomes: list[dict[str, Any]]) -> dict[str, Any]:
    """Means over the data sets of one cell, and the standard error of the coverage."""
    coverage = np.array([each["coverage"] for each in outcomes])
    worth = [each["effective_times"] for each in outcomes if each["effective_times"] is not None]
    return {
        **asdict(cell),
        "data_sets": len(outcomes),
        "coverage": round(float(coverage.mean()), 4),
        "standard_error": round(float(coverage.std(ddof=1) / len(coverage) ** 0.5), 4) if len(coverage) > 1 else None,
        "width": round(float(np.mean([each["width"] for each in outcomes])), 3),
        "error": round(float(np.mean([each["error"] for each in outcomes])), 3),
        "effective_times": round(float(np.mean(worth)), 2) if worth else None,
        "unreliable": sum(not each["reliable"] for each in outcomes),
    }
