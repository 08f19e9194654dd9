"""Analysis of recorded runs.

Trajectories come in. `choose_grid` returns the budgets that the user chose, or a grid on which nearly all runs can be
compared, and `replay` races on the recordings and computes what racing would have saved.
"""

from __future__ import annotations

import math
import random
import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from polarbear.observe import Grid, as_grid, linear_grid, log_grid
from polarbear.observe.grid import whole_numbers
from polarbear.wording import join_names, percent, round_off, with_noun

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from numpy.typing import ArrayLike

    from polarbear.observe import Trajectory
    from polarbear.race.outcome import RaceOutcome

BudgetRange: TypeAlias = "str | tuple[float, float] | Grid | ArrayLike | None"

_RANGE = re.compile(r"(?:(?P<start>[^.:]*(?:\.\d[^.:]*)?)\.\.(?P<stop>[^:]*))?(?::(?P<count>.+))?")
_MOST_BUDGETS = 100_000
_USUAL = 30  # budgets of a grid
_FEWEST = 3  # recorded budgets that make a grid
_SHORTEST = 0.05  # share of an algorithm's runs that may end before the grid does
_SPARSE = 1 / 3  # share of the median number of instances
_WIDE = 10.0  # a grid over more than one order of magnitude gets a logarithmic axis


@dataclass(frozen=True, eq=False)
class Replay:
    """A race on recorded runs.

    Attributes
    ----------
    result
        The result of the race.
    recorded, spent
        Cost of all recordings up to the end of the grid, on the instances that could be raced, and cost of the race.
    instances, left_out
        Number of instances that could be raced, and of those left out because some algorithm did not run long enough.
    """

    result: RaceOutcome
    recorded: float
    spent: float
    instances: int
    left_out: int

    @property
    def saved_share(self) -> float:
        """The share of the recorded cost that the race saved."""
        return 1 - self.spent / self.recorded

    @property
    def sentence(self) -> str:
        """What the race would have kept and saved."""
        result = self.result
        clock = result.state.settings.clock
        left_out = (
            f" {with_noun(self.left_out, 'instance')} without a full run of each are left out." if self.left_out else ""
        )
        return (
            f"As a race: {join_names(result.kept)} would be kept after {result.instances:,} of {self.instances:,} "
            f"instances and {round_off(self.spent)} of {round_off(self.recorded)} {clock}, {percent(self.saved_share)} "
            f"saved. {result.why_stopped}{left_out}"
        )


def choose_grid(runs: Sequence[Trajectory], budgets: BudgetRange = None) -> tuple[Grid, bool]:
    """Return the budgets at which recorded runs are compared, and whether their end was chosen.

    Parameters
    ----------
    runs
        The runs.
    budgets
        Text such as "10..500", "10..500:40" with the number of budgets, "10..", "..500", ":40" or "10,100,500"; two numbers
        for the first and the last budget; or all budgets as a list or `Grid`. By default the runs determine them, see
        `suggest_grid`.

    Examples
    --------
    >>> from polarbear.observe.trajectory import Trajectory
    >>> runs = [Trajectory("a", i, [1, 50], [3.0, 2.0], end=100) for i in range(9)]
    >>> choose_grid(runs, "10..80:3")
    (Grid(3 budgets from 10 to 80, linear axis), True)
    """
    ends: tuple[float | None, float | None] = None, None
    count = None
    if isinstance(budgets, str):
        if "," in budgets:
            return as_grid(_numbers(budgets)), True
        start, stop, count = _parse_range(budgets)
        ends = start, stop
    elif isinstance(budgets, tuple) and len(budgets) == 2:
        ends = budgets[0], budgets[1]
    elif budgets is not None:
        return as_grid(budgets), True
    start, stop = ends
    if start is not None and start == stop:
        raise ValueError(
            f"expected budgets from a first to a later one, got {start:g} for both; for the answer at one budget, "
            f"select with budget={start:.12g}"
        )
    return suggest_grid(runs, count=count, start=start, stop=stop), stop is not None


def _parse_range(text: str) -> tuple[float | None, float | None, int | None]:
    """Return the first and the last budget, and the number of budgets."""
    found = _RANGE.fullmatch(text.strip())
    try:
        if found is None or not (found["start"] or found["stop"] or found["count"]):
            raise ValueError
        start, stop = (float(found[end]) if found[end] else None for end in ("start", "stop"))
        count = int(found["count"]) if found["count"] else None
    except ValueError:
        raise ValueError(
            f"expected budgets such as 10..500, 10.., ..500, 10..500:40 or 10,100,500, got {text!r}; write one of these"
        ) from None
    if count is not None and not 1 <= count <= _MOST_BUDGETS:
        raise ValueError(f"expected from 1 to {_MOST_BUDGETS:,} budgets, got {count}; choose a number between")
    return start, stop, count


def _numbers(text: str) -> list[float]:
    try:
        return [float(each) for each in text.split(",")]
    except ValueError:
        raise ValueError(f"expected budgets as numbers such as 10,100,500, got {text!r}") from None


def suggest_grid(
    runs: Sequence[Trajectory], *, count: int | None = None, start: float | None = None, stop: float | None = None
) -> Grid:
    """Return a grid of budgets at which nearly all recorded runs can be compared.

    It ends when, for some algorithm, one in twenty runs has been cut off. Runs that finished keep their value and do not end
    it. It begins when, for every algorithm, half of the runs have found a value, or with the first value of any run if some
    runs have ended by then. If runs have values from budget 0 on, as in data on times to solve, it begins at a hundredth of
    its end, or earlier, when one in twenty runs has improved. If nothing was observed before its end, it has one budget
    only. Budgets of runs that are whole numbers, such as evaluations, give a grid of whole numbers.

    Examples
    --------
    >>> from polarbear.observe import Trajectory
    >>> suggest_grid([Trajectory("a", i, [1, 50], [3.0, 2.0], end=100) for i in range(9)], count=3)
    Grid(3 ... from 1 to 100, log axis)
    """
    if not runs:
        raise ValueError("expected recorded runs, got none; pass those of at least one algorithm")
    firsts, ends = defaultdict(list), defaultdict(list)
    for run in runs:
        if run.budgets.size:
            firsts[run.algorithm].append(float(run.budgets[0]))
            ends[run.algorithm].append(run.known_to)
    if not ends:
        raise ValueError("expected runs with values, got none with a value; check what was recorded")
    latest = min(float(np.quantile(each, _SHORTEST, method="lower")) for each in ends.values())
    if math.isinf(latest):  # all finished
        latest = max(run.end if math.isfinite(run.end) else float(run.budgets[-1]) for run in runs if run.budgets.size)
    earliest = max(float(np.median(each)) for each in firsts.values())
    stop = latest if stop is None else stop
    if start is None:
        start = earliest if 0 < earliest < stop else _earlier_start(runs, stop)
        if start == stop:
            return Grid([stop])
    if not 0 < start < stop < math.inf:
        raise ValueError(
            f"expected budgets from above 0 to a later one, got {start:g} to {stop:g}; choose others, such as 10..500"
        )
    if count is None and (own := _recorded_budgets(runs, start, stop)) is not None:
        return own
    grid = (log_grid if stop / start > _WIDE else linear_grid)(start, stop, _USUAL if count is None else count)
    evaluations = all(np.array_equal(run.budgets, np.floor(run.budgets)) for run in runs)
    return whole_numbers(grid) if evaluations else grid


def _recorded_budgets(runs: Sequence[Trajectory], start: float, stop: float) -> Grid | None:
    """Return the budgets at which runs were recorded, if these are few: other budgets would only repeat their values."""
    found: set[float] = set()
    for run in runs:
        found.update(run.budgets[(run.budgets >= start) & (run.budgets <= stop)].tolist())
        if len(found) > _USUAL:
            return None
    budgets = sorted(found | {stop})
    if len(budgets) <= _FEWEST:
        return None
    return Grid(budgets, "log" if stop / start > _WIDE else "linear")


def _earlier_start(runs: Sequence[Trajectory], stop: float) -> float:
    """Return where a grid begins if values exist from budget 0 on, or if half of the runs have none until its end."""
    firsts = [float(run.budgets[0]) for run in runs if run.budgets.size]
    if min(firsts) > 0:
        return min(*firsts, stop)
    changes = [float(run.budgets[run.budgets > 0][0]) for run in runs if (run.budgets > 0).any()]
    return min(float(np.quantile(changes, _SHORTEST, method="lower")) if changes else stop, stop / 100)


def sparse_algorithms(runs: Iterable[Trajectory]) -> tuple[dict[str, int], float]:
    """Return the algorithms with fewer than a third of the median number of instances, with their numbers, and the median.

    Their pairs rest on few instances, and no other algorithm should be dropped or chosen because of them. If fewer than two
    algorithms would remain, none is sparse.
    """
    instances: dict[str, set[Hashable]] = {}
    for run in runs:
        instances.setdefault(run.algorithm, set()).add(run.instance)
    counts = {name: len(each) for name, each in instances.items()}
    usual = float(np.median(list(counts.values()))) if counts else 0.0
    sparse = {name: count for name, count in counts.items() if count < _SPARSE * usual}
    return (sparse, usual) if len(counts) - len(sparse) >= 2 else ({}, usual)


def later_runs(runs: Sequence[Trajectory], grid: Grid) -> tuple[int, float]:
    """Return how many runs go on after a grid, and the last budget at which half of the runs of two algorithms are known."""
    stop = float(grid.budgets[-1])
    later = [run.end for run in runs if stop * (1 + 1e-9) < run.end < math.inf]
    ends: dict[str, list[float]] = {}
    for run in runs:
        ends.setdefault(run.algorithm, []).append(math.inf if run.finished else run.end)
    halves = sorted(float(np.quantile(each, 0.5, method="higher")) for each in ends.values())
    second_longest = halves[-2] if len(halves) > 1 else stop
    return len(later), max(stop, min(second_longest, max(later, default=stop)))


def replay(
    runs: Sequence[Trajectory],
    grid: Grid,
    *,
    seed: int = 0,
    cluster_kind: str = "cluster",
    cluster_unit: str = "instance",
    **settings: Any,
) -> Replay:
    """Race on recorded runs in a random order of instances, and compute what racing would have saved.

    The race uses the clusters of the runs; its rounds draw single instances, not whole clusters. A race file stores
    the clusters.

    Parameters
    ----------
    runs
        The recorded runs.
    grid
        The budgets at which they are compared.
    seed
        Seed of the order of instances and of the race.
    cluster_kind, cluster_unit
        What the `cluster` labels of the runs stand for; see `Clusters`.
    **settings
        Settings of the race; see `Settings`.

    Returns
    -------
    Replay
    """
    from polarbear.driver.race import Race  # with execution, slow to import, which suggesting a grid does not need
    from polarbear.execution import ReplayExecutor

    names = list(dict.fromkeys(run.algorithm for run in runs))
    stop = float(grid.budgets[-1])
    by_instance: dict[Hashable, list[Trajectory]] = defaultdict(list)
    for run in runs:
        if run.known_to >= stop or run.failed:
            by_instance[run.instance].append(run)
    complete = [each for each in by_instance.values() if len(each) == len(names)]
    left_out = len({run.instance for run in runs}) - len(complete)
    if not complete:
        raise ValueError(
            f"expected instances on which all of {', '.join(names)} were run until {stop:g}, got none; end the grid earlier "
            "or leave algorithms out"
        )
    random.Random(seed).shuffle(complete)  # files are sorted by problem, but a round must be a random sample
    recorded = [_add_label(run, cluster_kind, cluster_unit) for each in complete for run in each]
    race = Race(names, None, grid, seed=seed, maximise=recorded[0].maximise, **settings)
    result = race.drive(ReplayExecutor(recorded), progress="none")
    full = sum(min(run.end, stop) for run in recorded)
    return Replay(result, full, sum(result.cost.values()), len(complete), left_out)


def _add_label(run: Trajectory, kind: str, unit: str) -> Trajectory:
    """Return a run whose cluster label carries kind and unit into the race."""
    from polarbear.race.observations import ClusterLabel

    return run if run.cluster is None else run.in_cluster(ClusterLabel(run.cluster, kind, unit))
