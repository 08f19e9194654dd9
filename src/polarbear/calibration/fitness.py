"""Simulate candidates for a race with a known truth: compare their fitness with whether they truly belong.

The fitness of a candidate is the probability that it belongs to the Pareto set. In truth it belongs unless a single
algorithm of the race beats it on most instances at every budget. Fitness is calibrated if, of the candidates with a stated
probability of about 0.7, about 70 % belong.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.calibration.races import RaceCell, dominators, race_on, rate, simulate
from polarbear.calibration.truths import Truth, true_win_rates
from polarbear.inference.fitting import fit
from polarbear.observe import Choices
from polarbear.posterior.relations import pareto_probability
from polarbear.race import loop
from polarbear.race.inference import infer_posterior

if TYPE_CHECKING:
    from polarbear.arrays import Array
    from polarbear.posterior.posterior import Posterior

BINS = (0.0, 0.2, 0.5, 0.8, 1.0)  # edges of the ranges of stated probabilities


@dataclass(frozen=True)
class FitnessCell:
    """The setting of simulated candidates.

    Attributes
    ----------
    truth, autocorrelation
        The simulated truth and noise, see `truths` and `Simulator`. The candidate is drawn like its competitors.
    instances
        The number of instances; with `raced`, the largest number.
    raced
        Whether the candidate joins a finished race and may be dropped early, as with `evaluate_candidate`. Otherwise all
        algorithms run on all instances.
    competitors, budgets, draws
        The number of other algorithms, of budgets, and of posterior draws.
    """

    truth: Truth = "smooth"
    instances: int = 30
    raced: bool = False
    competitors: int = 4
    budgets: int = 20
    autocorrelation: float = 0.95
    draws: int = 1000

    @property
    def race(self) -> RaceCell:
        """The setting of the race; its last algorithm is the candidate."""
        return RaceCell(
            truth=self.truth,
            algorithms=self.competitors + 1,
            budgets=self.budgets,
            most_instances=self.instances,
            autocorrelation=self.autocorrelation,
            draws=self.draws,
        )


def simulate_candidate(cell: FitnessCell, replicate: int) -> dict[str, Any]:
    """Simulate one candidate; return the probability that it belongs to the Pareto set, and whether it truly does."""
    values, truth = simulate(cell.race, replicate)
    posterior = _race(cell, values, seed=replicate) if cell.raced else _fit(cell, values, seed=replicate)
    return {
        "stated": round(float(pareto_probability(posterior)[-1]), 4),
        "belongs": not bool(dominators(true_win_rates(truth))[:, -1].any()),
    }


def _fit(cell: FitnessCell, values: Array, *, seed: int) -> Posterior:
    return fit(Choices.from_values(values, grid=cell.race.grid), draws=cell.draws, seed=seed)


def _race(cell: FitnessCell, values: Array, *, seed: int) -> Posterior:
    """Race the other algorithms, add the candidate, continue, and return the posterior."""
    *others, candidate = (f"a{number}" for number in range(cell.competitors + 1))
    finished = race_on(values, loop.start(cell.race.settings(seed), others))
    return infer_posterior(race_on(values, loop.add(finished, candidate)))


def summarise(cell: FitnessCell, outcomes: list[dict[str, Any]]) -> dict[str, Any]:
    """Return how many candidates belong by range of their stated probability, and Brier scores.

    The Brier score is the mean squared difference of the stated probability from 1 (belongs) or 0. `brier_base` is that of
    always stating the share of candidates that belong.
    """
    stated, belongs = (np.array([float(each[name]) for each in outcomes]) for name in ("stated", "belongs"))
    place = np.clip(np.digitize(stated, BINS) - 1, 0, len(BINS) - 2)
    return {
        **asdict(cell),
        "candidates": len(outcomes),
        "belong": rate(int(belongs.sum()), len(outcomes)),
        "bins": [
            _summarise_bin(stated[place == k], belongs[place == k], edges) for k, edges in enumerate(pairwise(BINS))
        ],
        "brier": round(float(np.mean((stated - belongs) ** 2)), 4),
        "brier_base": round(float(np.var(belongs)), 4),
    }


def _summarise_bin(stated: Array, belongs: Array, edges: tuple[float, float]) -> dict[str, Any]:
    return {
        "from": edges[0],
        "to": edges[1],
        "candidates": len(stated),
        "stated": round(float(stated.mean()), 4) if len(stated) else None,
        "belong": rate(int(belongs.sum()), len(stated)),
    }
