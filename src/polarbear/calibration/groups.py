"""Simulate five groups of instances of which one is odd: measure what `fit_groups` says about the odd group.

Two algorithms suffice, since `fit_groups` treats each pair alone. It is compared with a fit to the group's own instances.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import logit

from polarbear.calibration.races import rate
from polarbear.calibration.simulator import Simulator
from polarbear.inference.fitting import fit
from polarbear.inference.group_fitting import fit_groups
from polarbear.observe import Choices

if TYPE_CHECKING:
    from polarbear.posterior.posterior import Posterior

_SURE = 0.95
_DRAWS = 1000
_WAYS = ("groups", "alone")


@dataclass(frozen=True)
class GroupCell:
    """The setting of simulated data sets.

    Attributes
    ----------
    odd, others
        The win rate of the first algorithm in the odd group, and in each of four others.
    instances, of_others
        The number of instances of the odd group, and of each other one.
    budgets, autocorrelation
        The number of budgets, and the autocorrelation of the noise of a run at neighbouring budgets.
    """

    odd: float = 0.4
    others: float = 0.8
    instances: int = 8
    of_others: int = 30
    budgets: int = 5
    autocorrelation: float = 0.95


def simulate_groups(cell: GroupCell, replicate: int) -> dict[str, Any]:
    """Simulate one data set; return what a fit with the other groups and one without them say about the odd group."""
    rng = np.random.default_rng([replicate, cell.instances, round(100 * cell.odd), round(100 * cell.others)])
    labels = np.repeat(np.arange(5), [cell.instances, *[cell.of_others] * 4])
    lead = logit(np.where(labels == 0, cell.odd, cell.others))
    utilities = np.broadcast_to(np.stack([lead, 0 * lead], axis=1)[:, None], (len(labels), cell.budgets, 2))
    values = Simulator(cell.autocorrelation).values(utilities, len(labels), rng=rng)
    grid = np.arange(1, cell.budgets + 1)
    alone = Choices.from_values(values[labels == 0], grid=grid)
    fitted = fit_groups(Choices.from_values(values, grid=grid), labels.tolist(), draws=_DRAWS, seed=replicate)
    return {
        "groups": _measure(fitted[0].posterior, cell.odd),
        "alone": _measure(fit(alone, draws=_DRAWS, seed=replicate), cell.odd),
    }


def _measure(posterior: Posterior, truth: float) -> dict[str, Any]:
    """Return whether the 95 % interval of the win rate in the middle of the grid holds the truth, its width, and a claim.

    A claim is that one of the two algorithms is better, with a probability of 0.95 or more: its probability and its truth.
    """
    middle = len(posterior.grid) // 2
    low, high = np.quantile(posterior.win_rates(0, 1)[middle], [0.025, 0.975])
    above = float(posterior.win_rate_above(0, 1)[middle])
    claim = (max(above, 1 - above), (above > 0.5) == (truth > 0.5))
    return {
        "covered": bool(low <= truth <= high),
        "width": float(high - low),
        "claim": claim if claim[0] >= _SURE else None,
    }


def summarise(cell: GroupCell, outcomes: list[dict[str, Any]]) -> dict[str, Any]:
    """Return, for both fits, the coverage and the mean width of intervals, and how many claims come true."""
    summary: dict[str, Any] = {**asdict(cell), "data_sets": len(outcomes)}
    for way in _WAYS:
        found = [each[way] for each in outcomes]
        claims = [each["claim"] for each in found if each["claim"] is not None]
        summary[way] = {
            "covered": rate(sum(each["covered"] for each in found), len(found)),
            "width": round(float(np.mean([each["width"] for each in found])), 3),
            "claims": len(claims),
            "came_true": rate(sum(true for _, true in claims), len(claims)),
            "promised": round(float(np.mean([probability for probability, _ in claims])), 4) if claims else None,
        }
    return summary
