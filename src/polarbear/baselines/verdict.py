"""Whether AOCC would have chosen differently."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.baselines.aocc import aocc_of_runs
from polarbear.baselines.attainment import BOUNDS, Bounds
from polarbear.selection import Uniform, select

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from polarbear.observe import Trajectory
    from polarbear.posterior import Posterior

# From this share of values outside the bounds, AOCC tells more about the bounds than about the algorithms.
_MANY_OUTSIDE = 0.5


@dataclass(frozen=True)
class AoccVerdict:
    """What AOCC would have chosen, beside our choice under the same uniform preference over budgets.

    Attributes
    ----------
    means
        Mean AOCC of each algorithm; empty where AOCC does not apply.
    choice, ours
        The algorithm of highest mean AOCC, None where it does not apply; and the one that the posterior chooses.
    sentence
        The answer in words.
    """

    means: Mapping[str, float]
    choice: str | None
    ours: str
    sentence: str

    @property
    def differs(self) -> bool:
        """Whether AOCC would have chosen differently."""
        return self.choice is not None and self.choice != self.ours


def aocc_verdict(
    runs: Iterable[Trajectory],
    posterior: Posterior,
    *,
    among: Sequence[str] | None = None,
    bounds: Bounds = BOUNDS,
) -> AoccVerdict:
    """Set the choice by mean AOCC beside the posterior's choice under a uniform preference, which weighs time alike.

    Parameters
    ----------
    runs
        The runs that the posterior was inferred from.
    posterior
        The belief; its grid says from when to when.
    among
        Our candidates, such as the Pareto set; all by default. AOCC chooses among all that were run.
    bounds
        Values between which AOCC counts.
    """
    told = list(runs)
    start, stop = float(posterior.grid.times[0]), float(posterior.grid.times[-1])
    chosen = select(posterior, Uniform(), among=among).choice
    assert isinstance(chosen, str)
    finals = np.array([run.at([stop])[0] for run in told])
    finals = finals[np.isfinite(finals)]
    reason = _unsuited(told, finals, start, stop)
    areas = {} if reason else aocc_of_runs(told, start, stop, bounds)
    if not reason and len(areas) < len(posterior.names):
        lacking = ", ".join(name for name in posterior.names if name not in areas)
        reason = f"no run of {lacking} lasted to the end of the grid"
    if reason:
        return AoccVerdict({}, None, chosen, f"AOCC does not apply: {reason}.")
    means = {name: float(np.mean(areas[name])) for name in posterior.names}
    best, second = sorted(means, key=means.__getitem__, reverse=True)[:2]
    scale = f"AOCC between {bounds[0]:g} and {bounds[1]:g}"
    if best == chosen:
        sentence = f"{scale} would choose {best} too ({means[best]:.3f}, next {second} {means[second]:.3f})."
    else:
        sentence = (
            f"{scale} would choose {best} ({means[best]:.3f}, {chosen} {means[chosen]:.3f}), "
            f"where rankings choose {chosen} under the same uniform preference."
        )
    outside = float(np.mean((finals < bounds[0]) | (finals > bounds[1]))) if finals.size else 0.0
    if outside > _MANY_OUTSIDE:
        sentence += (
            f" But {outside:.0%} of the final values lie outside these bounds, which decide more than the runs do."
        )
    return AoccVerdict(means, best, chosen, sentence)


def _unsuited(runs: list[Trajectory], finals: NDArray[np.float64], start: float, stop: float) -> str:
    """Why AOCC cannot be computed from these runs; empty if it can."""
    if not start < stop:
        return "it needs two times or more"
    if any(run.maximise for run in runs):
        return "it needs values that are minimised towards a known optimum"
    if finals.size and float(finals.min()) < 0:
        return f"it needs distances to a known optimum, and values go down to {finals.min():.6g}"
    return ""
