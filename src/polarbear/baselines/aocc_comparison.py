"""Comparison of the algorithm with the highest mean AOCC with the recommendation from rankings.

In: the runs of a race and their posterior. Out: an `AoccComparison`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.baselines.aocc import aocc_of_runs, distances
from polarbear.baselines.attainment import BOUNDS, Bounds
from polarbear.selection import Uniform, select
from polarbear.selection.observed_budgets import NotObservedError
from polarbear.wording import percent

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from polarbear.observe import Trajectory
    from polarbear.posterior.posterior import Posterior

# Above this share of final values outside the bounds, AOCC depends more on the bounds than on the algorithms.
_MANY_OUTSIDE = 0.5

# The share of the candidates' instances that another algorithm must have in common with them. One with fewer, such as an
# algorithm that a race dropped early, is left out; otherwise all others would be compared on those few instances.
_ENOUGH_SHARED = 0.5


# Values may lie beyond the optimum by this much, relative to it or to 1: COCO's own precision is 1e-8, and the difference of
# two large numbers may be as small as -1e-13. AOCC counts such values as the optimum.
_ROUNDING = 1e-8


@dataclass(frozen=True)
class AoccComparison:
    """The algorithm that mean AOCC favours, and the recommendation under the same uniform preference over budgets.

    Attributes
    ----------
    means
        The mean AOCC of each algorithm that is compared; empty where AOCC does not apply.
    choice, ours
        The algorithm with the highest mean AOCC, or None where AOCC does not apply; and the recommendation from the
        posterior, None if no candidate was observed over the whole grid.
    instances
        The number of instances in the comparison: those on which each compared algorithm ran to the end of the grid.
    sentence
        The result of the comparison as text.
    """

    means: Mapping[str, float]
    choice: str | None
    ours: str | None
    instances: int
    sentence: str

    @property
    def differs(self) -> bool:
        """Whether AOCC and rankings favour different algorithms."""
        return self.choice is not None and self.ours is not None and self.choice != self.ours


def compare_with_aocc(
    runs: Iterable[Trajectory],
    posterior: Posterior,
    *,
    among: Sequence[str] | None = None,
    bounds: Bounds = BOUNDS,
    optimum: float = 0.0,
) -> AoccComparison:
    """Compare the algorithm with the highest mean AOCC with the recommendation under a uniform preference.

    Both weight budgets in the same way. Means over different instances do not compare algorithms, and the area of a run ends
    with the run. The comparison therefore includes the candidates, on the instances on which each of them ran to the end of
    the grid, and all other algorithms that ran to the end on at least half of these instances.

    Parameters
    ----------
    runs
        The runs that the posterior was inferred from.
    posterior
        The posterior; its grid defines the first and the last budget.
    among
        The candidates for the recommendation, such as the Pareto set; all algorithms by default. AOCC chooses among all
        algorithms that can be compared.
    bounds
        The distances to the optimum between which AOCC counts.
    optimum
        The optimum of every instance: 0 if the values of the runs are distances to the optimum. Rankings need none.
    """
    if not math.isfinite(optimum):
        raise ValueError(f"expected a finite optimum, got {optimum:g}; without a known optimum, AOCC does not apply")
    start, stop = float(posterior.grid.budgets[0]), float(posterior.grid.budgets[-1])
    ours = _recommendation(posterior, among)
    known = [run for run in runs if run.algorithm in posterior.names]
    candidates = posterior.names if among is None else among
    complete = [run for run in known if run.known_to >= stop or run.failed]
    shared = _runs_on_shared_instances(complete, candidates)
    if reason := _reason_against_aocc(complete, shared, candidates, start, stop, optimum):
        return AoccComparison({}, None, ours, 0, f"AOCC does not apply: {reason}.")
    areas = aocc_of_runs(shared, start, stop, bounds, optimum)
    means = {name: float(np.mean(areas[name])) for name in posterior.names if name in areas}
    if (least := min(means.values())) == max(means.values()) and least in (0.0, 1.0):
        side = "above" if least == 0 else "below"
        reason = (
            f"every value lies {side} its bounds, {bounds[0]:g} to {bounds[1]:g}, so it is {least:g} for all algorithms"
        )
        return AoccComparison({}, None, ours, 0, f"AOCC does not apply: {reason}.")
    best, second = sorted(means, key=means.__getitem__, reverse=True)[:2]
    scale = f"AOCC between {bounds[0]:g} and {bounds[1]:g}"
    if ours is None:
        sentence = (
            f"{scale} would choose {best} ({means[best]:.3f}), where rankings choose none, for lack of comparisons."
        )
    elif best == ours:
        sentence = f"{scale} would choose {best} too ({means[best]:.3f}, next {second} {means[second]:.3f})."
    else:
        sentence = (
            f"{scale} would choose {best} ({means[best]:.3f}, {ours} {means[ours]:.3f}), "
            f"where rankings choose {ours} under the same uniform preference."
        )
    instances = len({run.instance for run in shared})
    left_out = [name for name in posterior.names if name not in means]
    sentence += _basis(instances, len({run.instance for run in known}), left_out)
    sentence += _warning_outside_bounds(shared, stop, bounds, optimum)
    return AoccComparison(means, best, ours, instances, sentence)


def _recommendation(posterior: Posterior, among: Sequence[str] | None) -> str | None:
    """Return the recommendation under a uniform preference; None if no candidate was observed."""
    try:
        ours = select(posterior, Uniform(), among=among).recommendation
    except NotObservedError:
        return None
    assert isinstance(ours, str)
    return ours


def _runs_on_shared_instances(complete: Sequence[Trajectory], candidates: Sequence[str]) -> list[Trajectory]:
    """Return the complete runs of all algorithms that can be compared, on the instances that they share."""
    on: dict[str, set[Hashable]] = {name: set() for name in candidates}
    for run in complete:
        on.setdefault(run.algorithm, set()).add(run.instance)
    shared = set.intersection(*(on[name] for name in candidates))
    compared, enough = set(candidates), _ENOUGH_SHARED * len(shared)
    for name in sorted(on, key=lambda name: len(on[name] & shared), reverse=True):
        if len(on[name] & shared) >= enough:
            compared.add(name)
            shared = on[name] & shared
    return [run for run in complete if run.algorithm in compared and run.instance in shared]


def _reason_against_aocc(
    complete: Sequence[Trajectory],
    shared: Sequence[Trajectory],
    candidates: Sequence[str],
    start: float,
    stop: float,
    optimum: float,
) -> str:
    """Return the reason why AOCC does not apply, or an empty string if it does."""
    if not start < stop:
        return "it needs two budgets or more"
    if missing := [name for name in candidates if not any(run.algorithm == name for run in complete)]:
        return f"no run of {', '.join(missing)} lasted to the end of the grid"
    if not shared:
        return f"there is no instance on which all of {', '.join(candidates)} ran to the end of the grid"
    if all(run.algorithm == candidates[0] for run in shared):
        return f"no other algorithm ran to the end of the grid on half of the instances of {candidates[0]}"
    best = min(shared, key=lambda run: distances(run, stop, optimum).item())
    if distances(best, stop, optimum) >= -_ROUNDING * max(1.0, abs(optimum)):
        return ""
    direction = "up" if best.maximise else "down"
    return (
        f"it needs the optimum, which is not {optimum:.6g}, since values go {direction} to {best.at(stop).item():.6g}"
    )


def _basis(shared: int, total: int, left_out: Sequence[str]) -> str:
    """Return the sentences on the instances of the comparison and on the algorithms that are left out."""
    some = f"the {shared} of {total} instances on which all that are compared ran to the end"
    sentence = f" These are means over {f'all {total} instances' if shared == total else some}."
    if left_out:
        sentence += f" Not compared, since they ran to the end on too few: {', '.join(left_out)}."
    return sentence


def _warning_outside_bounds(shared: Sequence[Trajectory], stop: float, bounds: Bounds, optimum: float) -> str:
    """Return a warning if most final values lie outside the bounds, or an empty string."""
    finals = np.array([distances(run, stop, optimum) for run in shared])
    finals = finals[np.isfinite(finals)]
    share = float(np.mean((finals < bounds[0]) | (finals > bounds[1]))) if finals.size else 0.0
    if share <= _MANY_OUTSIDE:
        return ""
    some = "all final values" if share == 1 else f"{percent(share)} of the final values"
    return f" But {some} lie outside these bounds, which decide more than the runs do."
