"""What to simulate so that it resembles runs that are there: as alike over time, and as often at the optimum."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polarbear.calibration.simulator import Simulator
from polarbear.inference.run_scores import effective_times, score_correlation
from polarbear.models.helmert import helmert
from polarbear.models.plackett_luce import derivatives
from polarbear.observe import Choices

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polarbear.observe import Rankings
    from polarbear.posterior import Posterior

    Array = NDArray[np.float64]

_CANDIDATES = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 1.0)
_SIMULATED = 200  # instances, of which the effective number of times is known to a few per cent


def resembling(posterior: Posterior, choices: Choices, *, rng: np.random.Generator) -> Simulator:
    """The simulator whose runs are worth as many independent times, and are as often solved, as those that were seen.

    Parameters
    ----------
    posterior
        The belief about the runs.
    choices
        What was seen, with the rankings of each instance.
    rng
        Of the simulations.
    """
    assert choices.rankings is not None
    log_ratings = np.log(posterior.ratings).mean(axis=0)
    utilities = log_ratings - log_ratings.mean(axis=1, keepdims=True)
    wanted = _worth(utilities, choices)
    simulated = [
        _worth(
            utilities,
            Choices.from_values(
                Simulator(each).values(utilities, _SIMULATED, rng=rng), grid=choices.grid, per_instance=True
            ),
        )
        for each in _CANDIDATES
    ]
    # The more alike, the fewer: interpolate between neighbours.
    falling = np.minimum.accumulate(simulated)
    autocorrelation = float(np.interp(-wanted, -falling, _CANDIDATES))
    return Simulator(autocorrelation, solved=_solved(choices.rankings))


def _worth(utilities: Array, choices: Choices) -> float:
    """The effective number of times, given the utilities."""
    assert choices.rankings is not None
    contrasts = helmert(utilities.shape[1])
    curvature = contrasts.T @ derivatives(utilities, choices)[2] @ contrasts
    return effective_times(score_correlation(utilities, curvature, choices.rankings), curvature)


def _solved(rankings: Rankings) -> float:
    """The share of runs that are tied for the best at the last time."""
    last = rankings.ranks[:, -1]
    best = last == 0
    return float((best & (best.sum(axis=1, keepdims=True) > 1)).sum() / max(1, (last >= 0).sum()))
