"""Simulate comparisons of two versions with a known truth: measure how often the verdict of `compare` is wrong.

The win rate of the new version over time is given, so that the right verdict is known. Each comparison looks at its data
after 24, 48, 96, ... instances and stops when it is decided, as `polarbear compare` does.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.special import logit

from polarbear.calibration.races import rate
from polarbear.calibration.simulator import Simulator
from polarbear.observe import Choices, linear_grid
from polarbear.race.version_comparison import judge, planned_looks

if TYPE_CHECKING:
    from polarbear.arrays import Array

Change = Literal["equal", "better", "at the margin", "worse", "worse in the middle"]

_LOSS = 0.15  # the new version wins on 35 % of instances where it is worse, and on 65 % where it is better


@dataclass(frozen=True)
class VersionCell:
    """The setting of simulated comparisons.

    Attributes
    ----------
    change
        How the new version differs: not at all; by 15 points at every budget, or in the middle third of the budgets; or by
        just the margin.
    autocorrelation
        The autocorrelation of the noise of a run at neighbouring budgets.
    budgets, most_instances
        The number of budgets, and the most instances.
    confidence, margin, draws
        The rule of the comparison.
    """

    change: Change = "equal"
    autocorrelation: float = 0.95
    budgets: int = 20
    most_instances: int = 500
    confidence: float = 0.95
    margin: float = 0.05
    draws: int = 2000


def true_rates(cell: VersionCell) -> Array:
    """Return the true win rate of the new version at each budget.

    Examples
    --------
    >>> true_rates(VersionCell("worse in the middle", budgets=6)).tolist()
    [0.5, 0.5, 0.35, 0.35, 0.5, 0.5]
    """
    middle = np.abs(np.linspace(-1, 1, cell.budgets)) < 1 / 3
    losses: dict[Change, Array] = {
        "equal": np.zeros(cell.budgets),
        "better": np.full(cell.budgets, -_LOSS),
        "at the margin": np.full(cell.budgets, cell.margin),
        "worse": np.full(cell.budgets, _LOSS),
        "worse in the middle": np.where(middle, _LOSS, 0.0),
    }
    rates: Array = 0.5 - losses[cell.change]
    return rates


def simulate_comparison(cell: VersionCell, replicate: int) -> dict[str, Any]:
    """Simulate one comparison; return its verdict and the number of instances that it took."""
    rng = np.random.default_rng([replicate, cell.budgets, round(1000 * cell.autocorrelation)])
    utilities = np.stack([np.zeros(cell.budgets), logit(true_rates(cell))], axis=1)
    values = Simulator(cell.autocorrelation).values(utilities, cell.most_instances, rng=rng)
    grid, looks = linear_grid(1, cell.budgets, cell.budgets), planned_looks(cell.most_instances)
    for number in looks:
        result = judge(
            Choices.from_values(values[:number], grid=grid, names=["old", "new"]),
            "old",
            "new",
            confidence=cell.confidence,
            margin=cell.margin,
            looks=len(looks),
            draws=cell.draws,
            seed=replicate,
        )
        if result.answer != "undecided":
            break
    return {"answer": result.answer, "instances": number}


def summarise(cell: VersionCell, outcomes: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the share of each verdict with Wilson's 95 % interval, and the mean number of instances."""
    counts = Counter(each["answer"] for each in outcomes)
    return {
        **asdict(cell),
        "comparisons": len(outcomes),
        **{answer: rate(counts[answer], len(outcomes)) for answer in ("no worse", "worse", "undecided")},
        "instances": round(float(np.mean([each["instances"] for each in outcomes])), 1) if outcomes else None,
    }
