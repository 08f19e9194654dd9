"""The runs of all algorithms on one instance: every improvement, and where each run ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.magnitude.collection import collect_runs, label_instance
from polarbear.table import as_frame, as_html
from polarbear.wording import join_names, with_noun

if TYPE_CHECKING:
    from collections.abc import Hashable

    from polarbear.literals import FrameLibrary
    from polarbear.magnitude.collection import Source
    from polarbear.observe import Trajectory
    from polarbear.table import Table


@dataclass(frozen=True, eq=False)
class InstanceCurves:
    """The runs of all algorithms on one instance.

    Attributes
    ----------
    instance
        The instance.
    runs
        The runs, one per algorithm that ran on it.
    """

    instance: Hashable
    runs: tuple[Trajectory, ...]

    def __repr__(self) -> str:
        return f"InstanceCurves({with_noun(len(self.runs), 'run')} on {label_instance(self.instance)})"

    def to_table(self) -> Table:
        """Return one row per improvement: the algorithm, the budget and the value from then on."""
        lengths = [run.budgets.size for run in self.runs]
        return {
            "algorithm_name": [
                run.algorithm for run, length in zip(self.runs, lengths, strict=True) for _ in range(length)
            ],
            "budget": np.concatenate([run.budgets for run in self.runs]),
            "value": np.concatenate([run.values for run in self.runs]),
            "end": np.repeat([run.end for run in self.runs], lengths),
        }

    def to_frame(self, *, backend: FrameLibrary = "pandas") -> Any:
        """Return `to_table` as a data frame of pandas, polars or pyarrow."""
        return as_frame(self.to_table(), backend)

    def _repr_html_(self) -> str:
        table = {name: column for name, column in self.to_table().items() if name != "end"}
        without = [run.algorithm for run in self.runs if not run.budgets.size]
        return as_html(
            table,
            title=f"Improvements on instance {label_instance(self.instance)}",
            notes=(f"No value for {join_names(without)}.",) if without else (),
        )


def instance_curves(source: Source, instance: Hashable, **reading: Any) -> InstanceCurves:
    """Return the runs of all algorithms on one instance, for example one of `instances_won(...).instances`.

    Parameters
    ----------
    source
        The result of a race, imported runs, or trajectories.
    instance
        The instance, as the runs label it.
    **reading
        See `collect_runs`.

    Examples
    --------
    >>> import polarbear as pb
    >>> runs = [pb.Trajectory(name, i, [1, 4], [3.0, 2.0], end=9) for name in "ab" for i in range(3)]
    >>> pb.instance_curves(runs, 1).to_frame()
      algorithm_name  budget  value  end
    0              a     1.0    3.0  9.0
    1              a     4.0    2.0  9.0
    2              b     1.0    3.0  9.0
    3              b     4.0    2.0  9.0
    """
    collection = collect_runs(source, **reading)
    runs = tuple(collection.runs[name, instance] for name in collection.names if (name, instance) in collection.runs)
    if not runs:
        shown = ", ".join(repr(each) for each in collection.instances[:3])
        raise ValueError(f"expected one of {len(collection.instances):,} instances, such as {shown}, got {instance!r}")
    return InstanceCurves(instance, runs)
