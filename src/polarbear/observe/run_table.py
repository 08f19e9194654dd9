"""Tables of runs: trajectories read at the budgets of a grid, with one row per instance and one column per algorithm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe.clusters import Clusters
from polarbear.observe.names import check_names
from polarbear.observe.trajectory import Trajectory

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from numpy.typing import ArrayLike

    from polarbear.arrays import Array
    from polarbear.literals import Failure
    from polarbear.observe.grid import Grid


@dataclass(frozen=True, eq=False)
class RunTable:
    """Values of runs at the budgets of a grid.

    Attributes
    ----------
    values
        Shape (instance, budget, algorithm); NaN where no run was observed.
    names
        The algorithms.
    cluster_of
        The cluster of each instance, in the order of the rows; None for an instance without one.
    maximise
        Whether higher values are better.
    """

    values: Array
    names: tuple[str, ...]
    cluster_of: Mapping[Hashable, Hashable | None]
    maximise: bool

    @property
    def instances(self) -> tuple[Hashable, ...]:
        """The label of each instance."""
        return tuple(self.cluster_of)

    @property
    def problems(self) -> tuple[Hashable, ...] | None:
        """The problem that each instance repeats, for instances such as those of imports, which know it; else None."""
        known = tuple(getattr(instance, "repetition_of", None) for instance in self.cluster_of)
        return None if None in known else known

    def clusters(self, kind: str, unit: str) -> Clusters | None:
        """Return the clusters of the instances; None if no run has one."""
        labels = tuple(self.cluster_of.values())
        return None if all(label is None for label in labels) else Clusters(labels, kind, unit)

    def weights(self, given: ArrayLike | Mapping[Hashable, float] | None) -> ArrayLike | None:
        """Return weights in the order of the rows; a mapping from instances is looked up, an array is returned as it is."""
        if not isinstance(given, Mapping):
            return given
        for instance in self.cluster_of:
            if instance not in given:
                raise ValueError(f"expected a weight for every instance, got none for {instance!r}; add it")
        return [given[instance] for instance in self.cluster_of]


def tabulate_runs(
    runs: Iterable[Trajectory], grid: Grid, *, names: Iterable[str] | None = None, failure: Failure = "last"
) -> RunTable:
    """Read runs at the budgets of a grid; see `Choices.from_trajectories` for the parameters.

    Examples
    --------
    >>> from polarbear.observe import Grid
    >>> runs = [Trajectory("cma", 1, [10, 50], [3.0, 1.0], end=60), Trajectory("de", 1, [20], [2.0], end=60)]
    >>> tabulate_runs(runs, Grid([10, 60])).values.tolist()
    [[[3.0, inf], [1.0, 2.0]]]
    """
    all_runs = list(runs)
    for run in all_runs:
        if not isinstance(run, Trajectory):
            raise ValueError(f"expected Trajectory values, got {run!r}")
    if not all_runs:
        raise ValueError("expected at least one run, got none; nothing was observed")
    given_names = list(dict.fromkeys(run.algorithm for run in all_runs) if names is None else names)
    algorithms = check_names(given_names, len(given_names))
    columns = {name: column for column, name in enumerate(algorithms)}
    rows = {instance: row for row, instance in enumerate(dict.fromkeys(run.instance for run in all_runs))}
    values = np.full((len(rows), len(grid), len(algorithms)), np.nan)
    occupied = np.zeros((len(rows), len(algorithms)), dtype=bool)
    for run in all_runs:
        if run.algorithm not in columns:
            raise ValueError(f"expected runs of {', '.join(algorithms)}, got one of {run.algorithm!r}; add its name")
        row, column = rows[run.instance], columns[run.algorithm]
        if occupied[row, column]:
            raise ValueError(
                f"expected one run for each algorithm and instance, got two of {run.algorithm!r} on instance "
                f"{run.instance!r}; give repetitions instances of their own, for example (instance, repetition)"
            )
        if run.maximise != all_runs[0].maximise:
            raise ValueError(f"expected runs that all minimise or all maximise, got both, first at {run!r}")
        occupied[row, column] = True
        values[row, :, column] = run.at(grid.budgets, failure=failure)
    return RunTable(values, algorithms, _cluster_of(all_runs), all_runs[0].maximise)


def _cluster_of(runs: Sequence[Trajectory]) -> dict[Hashable, Hashable | None]:
    """Return the cluster of each instance, in order of first appearance, on which all of its runs must agree."""
    clusters: dict[Hashable, Hashable | None] = {}
    for run in runs:
        cluster = clusters.setdefault(run.instance, run.cluster)
        if cluster != run.cluster:
            raise ValueError(
                f"expected one cluster for all runs on instance {run.instance!r}, got {cluster!r} and {run.cluster!r}; "
                "give them the same"
            )
    return clusters
