"""Simulate groups of instances that are equal, differ, or are equal but for one: measure how well groups borrow.

Rankings in a group follow Plackett-Luce, so all win rates are known. `fit_groups` is compared with a fit to each group's own
instances, and with one fit to all instances.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.special import expit

from polarbear.calibration.races import rate
from polarbear.calibration.simulator import Simulator
from polarbear.inference.fitting import fit
from polarbear.inference.group_fitting import fit_groups
from polarbear.observe import Choices

if TYPE_CHECKING:
    from polarbear.arrays import Array
    from polarbear.posterior.posterior import Posterior

Likeness = Literal["equal", "similar", "different", "equal but for one"]

_SPREAD = 0.7  # standard deviation of the utilities of algorithms
_DEVIATIONS = {
    "equal": 0.0,
    "similar": 0.5,
    "different": 1.5,
    "equal but for one": 1.5,
}  # of a group's utilities from these
_SURE = 0.95
_DRAWS = 500


@dataclass(frozen=True)
class GroupCell:
    """The setting of simulated data sets.

    Attributes
    ----------
    likeness
        How much groups resemble each other.
    sizes
        The number of instances of each group. With groups that are equal but for one, the first one differs, and only it is
        measured; the same holds for a group with a single instance.
    algorithms, times
        Their numbers.
    autocorrelation
        The autocorrelation of the noise of a run at neighbouring times.
    """

    likeness: Likeness = "equal"
    sizes: tuple[int, ...] = (3, 3, 5, 10, 10, 30)
    algorithms: int = 4
    times: int = 5
    autocorrelation: float = 0.95


def simulate_groups(cell: GroupCell, replicate: int) -> dict[str, Any]:
    """Simulate one data set; return what each way of fitting says about the win rates of the measured groups."""
    rng = np.random.default_rng([replicate, *cell.sizes, list(_DEVIATIONS).index(cell.likeness)])
    number = len(cell.sizes)
    deviations = rng.normal(0, _DEVIATIONS[cell.likeness], (number, cell.algorithms))
    if cell.likeness == "equal but for one":
        deviations[1:] = 0.0
    utilities = rng.normal(0, _SPREAD, cell.algorithms) + deviations
    labels = np.repeat(np.arange(number), cell.sizes)
    over_time = np.repeat(utilities[labels][:, None], cell.times, axis=1)
    values = Simulator(cell.autocorrelation).values(over_time, len(labels), rng=rng)
    choices = Choices.from_values(values, grid=np.arange(1, cell.times + 1))
    fitted = fit_groups(choices, labels.tolist(), draws=_DRAWS, seed=replicate)
    whole = fit(choices, draws=_DRAWS, seed=replicate)
    first_only = cell.likeness == "equal but for one" or cell.sizes[0] == 1
    outcome: dict[str, Any] = {"borrowed": [], "pooled": [], "alone": [], "all": []}
    for group in [0] if first_only else range(number):
        own = Choices.from_values(values[labels == group], grid=choices.grid)
        outcome["borrowed"].append(round(fitted[group].borrowed, 3))
        outcome["pooled"].append(_measure(fitted[group].posterior, utilities[group]))
        outcome["alone"].append(_measure(fit(own, draws=_DRAWS, seed=replicate), utilities[group]))
        outcome["all"].append(_measure(whole, utilities[group]))
    return outcome


def _measure(posterior: Posterior, utilities: Array) -> dict[str, Any]:
    """Return coverage, width and loss of the win rates in the middle of the grid, and which sure claims are true."""
    middle, covered, widths, losses, claims = len(posterior.grid) // 2, [], [], [], []
    for a, b in zip(*np.triu_indices(len(utilities), 1), strict=True):
        truth = float(expit(utilities[a] - utilities[b]))
        draws = posterior.win_rates(int(a), int(b))[middle]
        low, high = np.quantile(draws, [0.025, 0.975])
        mean = float(np.clip(draws.mean(), 1e-6, 1 - 1e-6))
        covered.append(bool(low <= truth <= high))
        widths.append(float(high - low))
        losses.append(truth * np.log(truth / mean) + (1 - truth) * np.log((1 - truth) / (1 - mean)))
        better = float((draws > 0.5).mean())
        if max(better, 1 - better) >= _SURE:
            claims.append(((better > 0.5) == (truth > 0.5), max(better, 1 - better)))
    return {
        "covered": covered,
        "width": round(float(np.mean(widths)), 4),
        "loss": round(float(np.mean(losses)), 5),
        "true": [bool(each) for each, _ in claims],
        "promised": [round(each, 3) for _, each in claims],
    }


def summarise(cell: GroupCell, outcomes: list[dict[str, Any]]) -> dict[str, Any]:
    """Return, for each way of fitting, the coverage of 95 % intervals, their width, the loss, and how many claims are true.

    The loss is the Kullback-Leibler divergence of the predicted from the true win rate, in millinats.
    """
    summary: dict[str, Any] = {**asdict(cell), "data_sets": len(outcomes)}
    summary["borrowed"] = round(float(np.mean([each for outcome in outcomes for each in outcome["borrowed"]])), 1)
    for way in ("pooled", "alone", "all"):
        found = [each for outcome in outcomes for each in outcome[way]]
        covered = [one for each in found for one in each["covered"]]
        true = [one for each in found for one in each["true"]]
        promised = [one for each in found for one in each["promised"]]
        summary[way] = {
            "covered": rate(sum(covered), len(covered)),
            "width": round(float(np.mean([each["width"] for each in found])), 3),
            "loss": round(1000 * float(np.mean([each["loss"] for each in found])), 1),
            "claims": len(true),
            "came_true": rate(sum(true), len(true)),
            "promised": round(float(np.mean(promised)), 4) if promised else None,
        }
    return summary
