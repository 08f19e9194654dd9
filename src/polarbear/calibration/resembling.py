"""What to simulate so that it resembles runs that are there: as far apart, as alike over time, as often tied at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polarbear.calibration.simulator import Simulator
from polarbear.inference.run_scores import standard_scores
from polarbear.inference.score_correlation import effective_times, score_correlation
from polarbear.observe import Choices
from polarbear.observe.ranking import ABSENT, rank_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polarbear.models import TemporalPrior
    from polarbear.posterior import Posterior

    Array = NDArray[np.float64]

_AUTOCORRELATIONS = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 1.0)
_SOLVED = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_SIMULATED = 200  # instances, of which the effective number of times is known to a few per cent
_TRUTHS = 200  # of which the prior's spread is known to some per cent
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
    ranks = choices.rankings.ranks
    absent = ranks == ABSENT
    utilities = _utilities(posterior)
    # How often runs end tied does not depend on how alike they are over time: it comes first.
    ties = [
        _tied(rank_values(_simulated(Simulator(solved=each), utilities[-1:], absent[:, -1:], _MANY, rng=rng)[:, 0]))
        for each in _SOLVED
    ]
    solved = _least(_SOLVED, ties, _tied(ranks[:, -1]))
    simulated = (
        _simulated(Simulator(each, solved=solved), utilities, absent, _SIMULATED, rng=rng) for each in _AUTOCORRELATIONS
    )
    worth = [
        _worth(utilities, Choices.from_values(values, grid=choices.grid, per_instance=True)) for values in simulated
    ]
    # The more alike, the fewer.
    autocorrelation = _least(_AUTOCORRELATIONS, [-each for each in worth], -_worth(utilities, choices))
    return Simulator(autocorrelation, solved=solved)


def spread_of(posterior: Posterior, prior: TemporalPrior, *, rng: np.random.Generator) -> float:
    """How far apart the algorithms lie, as a multiple of what the prior expects: root mean squares of the utilities."""
    expected = prior.sample(posterior.grid, len(posterior.names), _TRUTHS, rng=rng).std(axis=(1, 2))
    return float(_utilities(posterior).std() / np.median(expected))


def _utilities(posterior: Posterior) -> Array:
    """The expected ones, shape (time, algorithm), which sum to zero at each time."""
    mean = np.log(posterior.ratings).mean(axis=0)
    centred: Array = mean - mean.mean(axis=1, keepdims=True)
    return centred


def _simulated(
    simulator: Simulator, utilities: Array, absent: NDArray[np.bool_], instances: int, *, rng: np.random.Generator
) -> Array:
    """Values of runs that are absent where runs that were seen are: what is not there is as if it were not alike."""
    values = simulator.values(utilities, instances, rng=rng)
    values[absent[rng.integers(len(absent), size=instances)]] = np.nan
    return values


def _least(settings: Sequence[float], found: Sequence[float], seen: float) -> float:
    """The least setting under which as much is found as was seen; between two of them, in proportion."""
    rising, first = np.unique(np.maximum.accumulate(found), return_index=True)
    return float(np.interp(seen, rising, np.take(settings, first)))


def _worth(utilities: Array, choices: Choices) -> float:
    """The effective number of times, given the utilities."""
    scores, curvature = standard_scores(utilities, choices)
    return effective_times(score_correlation(scores), curvature)


def _tied(ranks: NDArray[np.int16]) -> float:
    """The share of runs that are tied for the best, of ranks (instance, algorithm)."""
    best = ranks == 0
    return float((best & (best.sum(axis=1, keepdims=True) > 1)).sum() / max(1, (ranks >= 0).sum()))
