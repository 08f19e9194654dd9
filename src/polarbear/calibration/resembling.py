"""What to simulate so that it resembles runs that are there: as alike over time, and as often tied at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polarbear.calibration.simulator import Simulator
from polarbear.inference.run_scores import standard_scores
from polarbear.inference.score_correlation import effective_times, score_correlation
from polarbear.observe import Choices
from polarbear.observe.ranking import rank_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polarbear.posterior import Posterior

    Array = NDArray[np.float64]

_AUTOCORRELATIONS = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 1.0)
_SOLVED = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_SIMULATED = 200  # instances, of which the effective number of times is known to a few per cent
_MANY = 5000  # instances at the last time alone, of which the share of ties is known to a hundredth


def resembling(posterior: Posterior, choices: Choices, *, rng: np.random.Generator) -> Simulator:
    """The simulator whose runs are worth as many independent times, and end tied as often, as those that were seen.

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
    # How often runs end tied does not depend on how alike they are over time: it comes first.
    ties = [_tied(_last_ranks(utilities, each, rng=rng)) for each in _SOLVED]
    solved = float(np.interp(_tied(choices.rankings.ranks[:, -1]), np.maximum.accumulate(ties), _SOLVED))
    worth = [
        _worth(
            utilities,
            Choices.from_values(
                Simulator(each, solved=solved).values(utilities, _SIMULATED, rng=rng),
                grid=choices.grid,
                per_instance=True,
            ),
        )
        for each in _AUTOCORRELATIONS
    ]
    # The more alike, the fewer: interpolate between neighbours.
    falling = np.minimum.accumulate(worth)
    autocorrelation = float(np.interp(-_worth(utilities, choices), -falling, _AUTOCORRELATIONS))
    return Simulator(autocorrelation, solved=solved)


def _last_ranks(utilities: Array, solved: float, *, rng: np.random.Generator) -> NDArray[np.int16]:
    return rank_values(Simulator(solved=solved).values(utilities[-1:], _MANY, rng=rng)[:, 0])


def _worth(utilities: Array, choices: Choices) -> float:
    """The effective number of times, given the utilities."""
    scores, curvature = standard_scores(utilities, choices)
    return effective_times(score_correlation(scores), curvature)


def _tied(ranks: NDArray[np.int16]) -> float:
    """The share of runs that are tied for the best, of ranks (instance, algorithm)."""
    best = ranks == 0
    return float((best & (best.sum(axis=1, keepdims=True) > 1)).sum() / max(1, (ranks >= 0).sum()))
