"""Reliability on real runs: whether what one half of the instances makes probable comes true on the other half.

From the posterior of one half follows, for each pair at each time, the probability that one of the two is better on most of
the instances of the other half: a prediction that can be checked without knowing any truth, and whatever the model. Where it
says 0.95, that should be so in 95 of 100 cases. What a posterior says rests on its prior too: where the truths lie much
closer together than that, less comes true, even of runs that are simulated from the model.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy import stats

from polarbear.calibration.races import PRIORS
from polarbear.calibration.resembling import resembling
from polarbear.fitting import fit
from polarbear.head_to_head import seen_together, win_rates
from polarbear.observe import Choices, Grid

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polarbear.calibration.simulator import Simulator
    from polarbear.posterior import Posterior

    Array = NDArray[np.float64]

EDGES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)


@dataclass(frozen=True)
class ReliabilityCell:
    """One setting of the study.

    Attributes
    ----------
    recorded
        A NumPy archive of `values` (instance, time, algorithm), lower is better, and `evaluations`, log-spaced.
    prior, calibration, draws
        See `fit`.
    times
        How many of the recorded times are looked at, evenly spread.
    instances
        On how many instances the posterior rests; all others are predicted. Half of them if zero.
    simulated
        Each time new runs that follow the model, with ratings drawn from the posterior of the recorded ones, in their place.
    """

    recorded: str
    prior: str = "BSpline"
    calibration: Literal["none", "trajectory", "auto"] = "auto"
    times: int = 40
    instances: int = 0
    draws: int = 1000
    simulated: bool = False


def predicted(cell: ReliabilityCell, replicate: int) -> dict[str, Any]:
    """Split the instances at random, predict one part from the other, and count by probability what came true."""
    values, grid = _recorded(cell.recorded, cell.times)
    if cell.simulated:
        utilities, simulator = _resembled(cell.recorded, cell.times, cell.prior)
        values = simulator.values(utilities[replicate], len(values), rng=np.random.default_rng([replicate, 8]))
    order = np.random.default_rng([replicate, 7]).permutation(len(values))
    size = cell.instances or len(values) // 2
    known, other = (
        Choices.from_values(values[part], grid=grid, per_instance=True) for part in (order[:size], order[size:])
    )
    posterior = fit(known, prior=PRIORS[cell.prior](), calibration=cell.calibration, draws=cell.draws, seed=replicate)
    assert other.rankings is not None
    probability, rate = most_wins(posterior, seen_together(other.rankings)), win_rates(other.rankings)
    came = (rate > 0.5) + 0.5 * (rate == 0.5)  # where both win as often, the prediction came half true
    first, second = np.triu_indices(len(known.names), 1)
    said, true = probability[:, first, second].ravel(), came[:, first, second].ravel()
    said, true = np.where(said < 0.5, 1 - said, said), np.where(said < 0.5, 1 - true, true)
    place = np.clip(np.searchsorted(EDGES, said, side="right") - 1, 0, len(EDGES) - 2)
    return {
        "said": np.bincount(place, said, minlength=len(EDGES) - 1).round(4).tolist(),
        "came": np.bincount(place, true, minlength=len(EDGES) - 1).tolist(),
        "cases": np.bincount(place, minlength=len(EDGES) - 1).tolist(),
    }


@cache
def _recorded(file: str, times: int) -> tuple[Array, Grid]:
    with np.load(file, allow_pickle=False) as data:
        at = np.linspace(0, len(data["evaluations"]) - 1, times).astype(int)
        return data["values"][:, at], Grid(data["evaluations"][at].astype(np.float64), "log")


@cache
def _resembled(file: str, times: int, prior: str) -> tuple[Array, Simulator]:
    """Draws of the utilities (draw, time, algorithm) of recorded runs, and what to simulate so that it resembles them."""
    values, grid = _recorded(file, times)
    choices = Choices.from_values(values, grid=grid, per_instance=True)
    posterior = fit(choices, prior=PRIORS[prior](), calibration="auto")
    return np.log(posterior.ratings), resembling(posterior, choices, rng=np.random.default_rng(8))


def most_wins(posterior: Posterior, instances: Array) -> Array:
    """P(the row beats the column on more than half of so many new instances), by time; ties of the two count half."""
    ratings = posterior.ratings
    n = ratings.shape[2]
    probability = np.full((ratings.shape[1], n, n), 0.5)
    for a in range(n):
        for b in range(n):
            if a != b:
                rate = ratings[:, :, a] / (ratings[:, :, a] + ratings[:, :, b])
                number = instances[:, a, b]
                more = stats.binom.sf(np.floor(number / 2), number, rate)
                equal = np.where(number % 2 == 0, stats.binom.pmf(number / 2, number, rate), 0.0)
                probability[:, a, b] = (more + 0.5 * equal).mean(axis=0)
    return probability


def summary(cell: ReliabilityCell, outcomes: list[dict[str, Any]]) -> dict[str, Any]:
    """By class of probability: what was said on average, how often it came true with its standard error, in how many cases.

    Cases of one split are alike, and the standard error is that over splits.
    """
    said, came, cases = (np.array([each[key] for each in outcomes]) for key in ("said", "came", "cases"))
    total = cases.sum(axis=0)
    classes = []
    for k in np.flatnonzero(total):
        rate = came[:, k].sum() / total[k]
        spread = np.sqrt(((came[:, k] - rate * cases[:, k]) ** 2).sum()) / total[k]
        classes.append(
            {
                "from": EDGES[k],
                "to": EDGES[k + 1],
                "said": round(float(said[:, k].sum() / total[k]), 4),
                "came": round(float(rate), 4),
                "standard_error": round(float(spread), 4),
                "cases": int(total[k]),
            }
        )
    return {**asdict(cell), "splits": len(outcomes), "classes": classes}
