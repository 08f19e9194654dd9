"""What an import gives: runs, and an honest account of where they came from and what was left out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from polarbear.observe import Clusters
from polarbear.observe.clusters import plural

if TYPE_CHECKING:
    from collections.abc import Hashable

    from polarbear.observe import Trajectory

Identifier = int | str | None


class Block(NamedTuple):
    """What runs are compared on: runs of different algorithms in the same block are ranked together.

    Parameters
    ----------
    suite, function, dimension, instance
        The problem; whole numbers are `int`, other names `str`, what the data do not say is None.
    run
        Which repetition: 1, 2, ... in the order of the files, or as the data say.

    Examples
    --------
    >>> Block("bbob", 8, 5, 1, 2)
    Block(suite='bbob', function=8, dimension=5, instance=1, run=2)
    """

    suite: Identifier
    function: Identifier
    dimension: Identifier
    instance: Identifier
    run: Identifier


@dataclass(frozen=True)
class Skipped:
    """Something that was not used, or not wholly.

    Parameters
    ----------
    where
        The file, as seen from the path that was read.
    reason
        One sentence that says what was wrong.
    count
        How many lines, runs or files it was for this reason.

    Examples
    --------
    >>> print(Skipped("runs.csv", "raw_y is not a number, first on line 17: 'oops'", count=3))
    runs.csv: raw_y is not a number, first on line 17: 'oops' (3 times)
    """

    where: str
    reason: str
    count: int = 1

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}" + (f" ({self.count:,} times)" if self.count > 1 else "")


@dataclass(frozen=True)
class About:
    """Where runs came from.

    Parameters
    ----------
    path
        What was read.
    formats
        The formats that were found there.
    files, rows
        How many files gave runs, and how many rows were read from them.
    notes
        Sentences on what had to be concluded because the data did not say it.
    """

    path: str
    formats: tuple[str, ...]
    files: int
    rows: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class Imported:
    """Recorded runs, ready for `Choices.from_trajectories`.

    Parameters
    ----------
    runs
        One trajectory a run; its `instance` is a `Block`, its `cluster` a label, or None if there are no clusters.
    skipped
        What was left out, and why.
    about
        What was read.
    cluster_kind, cluster_unit
        What a cluster is and what its members are, see `Clusters`.
    """

    runs: tuple[Trajectory, ...]
    skipped: tuple[Skipped, ...]
    about: About
    cluster_kind: str = "cluster"
    cluster_unit: str = "instance"

    @property
    def algorithms(self) -> dict[str, int]:
        """How many runs each algorithm has."""
        return dict(Counter(run.algorithm for run in self.runs))

    @property
    def blocks(self) -> int:
        """On how many different blocks there are runs."""
        return len({run.instance for run in self.runs})

    @property
    def clusters(self) -> Clusters | None:
        """The cluster of each block, in the order in which they first appear; None if there are no clusters."""
        labels: dict[Hashable, Hashable] = {run.instance: run.cluster for run in self.runs if run.cluster is not None}
        return Clusters(tuple(labels.values()), self.cluster_kind, self.cluster_unit) if labels else None

    @property
    def clustering(self) -> dict[str, str]:
        """Keywords for `Choices.from_trajectories` that name the clusters of the runs."""
        return {"cluster_kind": self.cluster_kind, "cluster_unit": self.cluster_unit}

    def __repr__(self) -> str:
        clusters = self.clusters
        of = ""
        if clusters is not None and clusters.number < len(clusters.labels):
            of = f"of {clusters.number} {clusters.kind if clusters.number == 1 else plural(clusters.kind)} "
        return (
            f"Imported({len(self.runs)} runs of {len(self.algorithms)} algorithms on {self.blocks} blocks {of}"
            f"from {self.about.path!r}, {sum(each.count for each in self.skipped)} skipped)"
        )
