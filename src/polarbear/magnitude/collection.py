"""The runs behind every quantity of this room: by algorithm and instance, with the rules of comparison and the weights.

In: the result of a race, imported runs, or trajectories. Out: a `RunCollection`, from which `quality_curves`, `speed_up` and
the others compute. They all call `collect_runs` themselves; call it once to compute several quantities from the same runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from polarbear.defaults import RELATIVE_TOLERANCE
from polarbear.magnitude.instance_weights import InstanceWeights, draw_instance_weights, weights_of_posterior
from polarbear.observe import ABSENT, Grid, Trajectory, as_grid
from polarbear.observe.names import index_of
from polarbear.observe.run_table import RunTable, tabulate_runs
from polarbear.posterior.posterior import Posterior
from polarbear.wording import with_noun, with_unit

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from numpy.typing import ArrayLike

    from polarbear.arrays import Array, Indices
    from polarbear.importers import Imported
    from polarbear.literals import Failure
    from polarbear.race.outcome import RaceOutcome

    Source: TypeAlias = "RaceOutcome | Imported | Iterable[Trajectory] | RunCollection"

_WEIGHTS = 600_000  # draws times instances, so that a quantile takes milliseconds
_FEW_BUDGETS = 20  # budgets of recording up to which speed-ups are coarse: on three orders of magnitude, steps of 40 %
_SHARED_BY = 3  # runs per recorded budget, on average, from which these are checkpoints and not chance
_SAME_BUDGET = 1e-9  # relative distance within which a budget is one of the grid


@dataclass(frozen=True, eq=False)
class RunCollection:
    """Runs on the same instances, how their values are compared, and the weights of the instances.

    Attributes
    ----------
    runs
        The runs by (algorithm, instance); an algorithm need not have run on every instance.
    table
        Their values at the budgets of the grid, shape (instance, budget, algorithm); the algorithms and the instances.
    grid
        The budgets.
    weights
        The random weights of the instances; see `InstanceWeights`.
    failure
        How a failed run counts from its failure on; see `Trajectory.at`.
    absolute_tolerance, relative_tolerance
        Values within these tolerances are tied; see `rank_values`.
    unit
        The unit of budgets; may be empty.
    ends_planned
        Whether runs were cut off by a plan that does not depend on their own values, as in a race. The instances that are
        known at a budget are then a random sample of all, however few they are.
    """

    runs: Mapping[tuple[str, Hashable], Trajectory]
    table: RunTable
    grid: Grid
    weights: InstanceWeights
    failure: Failure
    absolute_tolerance: float
    relative_tolerance: float
    unit: str
    ends_planned: bool

    def __repr__(self) -> str:
        return (
            f"RunCollection({with_noun(len(self.runs), 'run')} of {with_noun(len(self.names), 'algorithm')} on "
            f"{with_noun(len(self.instances), 'instance')}, {self.grid})"
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The algorithms."""
        return self.table.names

    @cached_property
    def instances(self) -> tuple[Hashable, ...]:
        """The instances, in the order of all arrays."""
        return tuple(self.table.cluster_of)

    @cached_property
    def clusters(self) -> Indices:
        """The cluster of each instance as a number; an instance without one is a cluster of its own."""
        return _cluster_codes(self.table)

    @property
    def maximise(self) -> bool:
        """Whether higher values are better."""
        return self.table.maximise

    def index(self, name: str) -> int:
        """Return the position of an algorithm; the error for an unknown name suggests the closest one."""
        return index_of(name, self.names)

    def values_at(self, budget: float) -> Array:
        """Return the values at one budget, shape (instance, algorithm); NaN where they are not known."""
        place = np.flatnonzero(np.isclose(self.grid.budgets, budget, rtol=_SAME_BUDGET, atol=0))
        if place.size:
            return self.table.values[:, place[0]]
        return tabulate_runs(self.runs.values(), Grid([budget]), names=self.names, failure=self.failure).values[:, 0]

    def check_budget(self, budget: float | None) -> float:
        """Return a budget after checking that the grid covers it; the last one of the grid if it is None."""
        first, last = float(self.grid.budgets[0]), float(self.grid.budgets[-1])
        if budget is None:
            return last
        if not first * (1 - _SAME_BUDGET) <= budget <= last * (1 + _SAME_BUDGET):
            raise ValueError(
                f"expected a budget from {first:,.6g} to {last:,.6g}, the budgets of the grid, got {budget:,.6g}; choose "
                "another one, or give a grid= that covers it"
            )
        return float(budget)

    def grid_with(self, budget: float) -> Grid:
        """Return the grid with one more budget, unless it is one of the grid already."""
        if np.isclose(self.grid.budgets, budget, rtol=_SAME_BUDGET, atol=0).any():
            return self.grid
        return Grid(np.union1d(self.grid.budgets, [budget]), self.grid.axis)

    def checkpoints(self, name: str) -> int:
        """Return the number of budgets at which the runs of an algorithm are recorded; 0 if they are not checkpoints.

        Checkpoints are few budgets that many runs share. A budget is then known only up to the distance between them.
        """
        recorded = [run.budgets for (algorithm, _), run in self.runs.items() if algorithm == name and len(run.budgets)]
        if not recorded:
            return 0
        total, distinct = sum(map(len, recorded)), len(np.unique(np.concatenate(recorded)))
        return distinct if 1 < distinct <= _FEW_BUDGETS and total >= _SHARED_BY * distinct else 0

    def describe_budget(self, budget: float) -> str:
        """Return a budget in words, with its unit if it is known."""
        return with_unit(budget, self.unit)


def collect_runs(
    source: Source,
    *,
    posterior: Posterior | None = None,
    grid: Grid | ArrayLike | None = None,
    unit: str | None = None,
    failure: Failure | None = None,
    absolute_tolerance: float | None = None,
    relative_tolerance: float | None = None,
    ends_planned: bool | None = None,
    draws: int | None = None,
    seed: int = 0,
    cluster_kind: str = "cluster",
    cluster_unit: str = "instance",
) -> RunCollection:
    """Return the runs of a race, of an import, or given as trajectories, ready to compare their values.

    Parameters
    ----------
    source
        The result of a race, imported runs, or trajectories with one run per algorithm and instance. A `RunCollection` is
        returned unchanged.
    posterior
        The posterior of these runs. Its own weights on the instances are then used, if it has any, so that intervals agree
        with its win rates. By default that of the race, unless you give a grid or a number of draws.
    grid
        The budgets at which values are compared: by default those of the posterior, of the race, or the ones that
        `polarbear show` suggests for recorded runs.
    unit
        The unit of budgets; that of the race by default.
    failure, absolute_tolerance, relative_tolerance
        How failed runs and small differences count; see `Choices.from_trajectories`. By default as in the race or the
        import, and otherwise as in `Choices.from_trajectories`.
    ends_planned
        Whether runs were cut off by a plan that does not depend on their own values; by default only those of a race.
    draws, seed
        The largest number of draws of the weights, and their seed. By default 1000, and down to 400 for many instances.
    cluster_kind, cluster_unit
        Accepted, and not needed, so that `**imported.ranking` can be passed.

    Examples
    --------
    >>> runs = [Trajectory(name, i, [1, 5], [3.0, 2.0 + i], end=9) for name in ("cma", "de") for i in range(4)]
    >>> collect_runs(runs, grid=[1, 3, 9])
    RunCollection(8 runs of 2 algorithms on 4 instances, Grid(3 ... from 1 to 9, log axis))
    """
    from polarbear.importers import Imported
    from polarbear.race.outcome import RaceOutcome, outcome_of

    if isinstance(source, Posterior):
        raise ValueError(
            "expected runs with their values, got a posterior, which holds none; pass the result of the race or the runs"
        )
    if isinstance(source, str | PathLike):
        raise ValueError(
            f"expected a result or runs, got the path {str(source)!r}; load a race file or recorded runs with pb.load(path)"
        )
    source = outcome_of(source)
    if isinstance(getattr(source, "collection", None), RunCollection):  # the result of recorded runs
        source = source.collection  # type: ignore[union-attr]
    if isinstance(source, RunCollection):
        return source
    rules: dict[str, Any] = {"failure": "last", "unit": ""}
    rules |= {"absolute_tolerance": 0.0, "relative_tolerance": RELATIVE_TOLERANCE}
    rules["ends_planned"] = isinstance(source, RaceOutcome)
    if isinstance(source, RaceOutcome):
        settings = source.state.settings
        rules |= {name: getattr(settings, name) for name in ("failure", "absolute_tolerance", "relative_tolerance")}
        rules["unit"] = settings.clock
        if posterior is None and grid is None and draws is None and source.rounds:
            posterior = source.posterior  # so that intervals agree with those of the terminal and the report
        grid = settings.grid if grid is None and posterior is None else grid
        # In the order of the posterior's rows, which is that of the rounds, and not that in which runs ended.
        order: dict[Hashable, int] = {
            instance: place for place, instance in enumerate(source.state.observations.instances)
        }
        runs = sorted(
            (run.trajectory for run in source.runs if run.trajectory.instance in order),
            key=lambda run: order[run.instance],
        )
        names: list[str] | None = [name for name in source.state.names if any(run.algorithm == name for run in runs)]
    else:
        if isinstance(source, Imported):
            rules |= {name: value for name, value in source.ranking.items() if name in rules}
        runs = list(source.runs if isinstance(source, Imported) else source)
        names = None  # in the order of the runs
    given = {
        "failure": failure,
        "absolute_tolerance": absolute_tolerance,
        "relative_tolerance": relative_tolerance,
        "unit": unit,
        "ends_planned": ends_planned,
    }
    rules |= {name: value for name, value in given.items() if value is not None}
    if draws is None:
        draws = int(np.clip(_WEIGHTS // max(1, len({run.instance for run in runs})), 400, 1000))
    budgets = _grid_of(runs, posterior) if grid is None else as_grid(grid)
    table = tabulate_runs(runs, budgets, names=names, failure=rules["failure"])
    weights = _weights(runs, table, posterior, budgets, rules["failure"], draws=draws, seed=seed)
    return RunCollection({(run.algorithm, run.instance): run for run in runs}, table, budgets, weights, **rules)


def _grid_of(runs: list[Trajectory], posterior: Posterior | None) -> Grid:
    from polarbear.analysis import suggest_grid

    return suggest_grid(runs) if posterior is None else posterior.grid


def _weights(
    runs: list[Trajectory],
    table: RunTable,
    posterior: Posterior | None,
    grid: Grid,
    failure: Failure,
    *,
    draws: int,
    seed: int,
) -> InstanceWeights:
    """Return the weights of the posterior, or draws of the same kind if it has none."""
    rng = np.random.default_rng(seed)
    if posterior is None or posterior.beliefs is None:
        return draw_instance_weights(_cluster_codes(table), draws, rng=rng)
    sample = posterior.beliefs.sample
    values = table.values
    if posterior.grid != grid or posterior.names != table.names:
        extra = [run for run in runs if run.algorithm in posterior.names]
        values = tabulate_runs(extra, posterior.grid, names=posterior.names, failure=failure).values
    known = ~np.isnan(values)
    rows = (known.sum(axis=2) > 1).any(axis=1)  # only instances that compare algorithms carry weight
    observed = sample.rankings.ranks[sample.comparing] != ABSENT
    if len(rows) != len(table.cluster_of) or not np.array_equal(known[rows], observed):
        raise ValueError(
            f"expected the posterior of these runs, got one of {with_noun(posterior.instances, 'instance')} with other "
            "observations; fit it to the same runs, or leave it out"
        )
    return weights_of_posterior(posterior.beliefs, rows, draws=draws, rng=rng)


def _cluster_codes(table: RunTable) -> Indices:
    """Return the cluster of each instance as a number; an instance without one is a cluster of its own."""
    numbers: dict[Hashable, int] = {}
    labels = [
        ("instance", row) if label is None else ("cluster", label)
        for row, label in enumerate(table.cluster_of.values())
    ]
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.intp)


def label_instance(instance: Hashable) -> str | int:
    """Return an instance as a number or text for tables; the fields of imported instances are joined.

    Examples
    --------
    >>> from polarbear.importers.imported import Block
    >>> label_instance(Block("bbob", 8, 5, 1, 2)), label_instance(7)
    ('bbob, function 8, dimension 5, instance 1, run 2', 7)
    """
    if isinstance(instance, int | str):
        return instance
    fields = getattr(instance, "_asdict", None)
    if fields is None:
        return ", ".join(map(str, instance)) if isinstance(instance, tuple) else str(instance)
    words = [
        f"{name} {value}" if name != "suite" else str(value) for name, value in fields().items() if value is not None
    ]
    return ", ".join(words)
