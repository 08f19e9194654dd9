"""The result of an import: the runs, where they came from, and what was left out and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from polarbear.defaults import RELATIVE_TOLERANCE
from polarbear.findings import Code, Finding, most_serious_first
from polarbear.importers.events import SOLVED
from polarbear.importers.foreign_text import Identifier, show
from polarbear.importers.reasons import advise
from polarbear.observe import Choices, Clusters
from polarbear.wording import with_noun

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from polarbear.findings import Remedy
    from polarbear.importers.reasons import Reason
    from polarbear.literals import Ended, FileFormat
    from polarbear.observe import Grid, Trajectory

Problem = tuple[Identifier, Identifier, Identifier, Identifier]

Assumption = Literal[
    "OPEN_END",
    "VALUE_COLUMN",
    "DIRECTION",
    "BOTH_DIRECTIONS",
    "SEVERAL_SEEDS",
    "HISTORIES_READ",
    "ESTIMATED_COSTS",
    "KEPT_APART",
    "TAKEN_AS_REPETITIONS",
    "NOTHING_IN_COMMON",
    "SEVERAL_DIMENSIONS",
    "REFERENCE_POINTS",
    "BEYOND_REFERENCE",
    "NO_FUNCTION",
    "ONE_INSTANCE",
    "ONE_FUNCTION",
    "CLUSTERS",
    "ONE_CLUSTER",
]
"""What an import assumes where the data lack information. `polarbear.show.reading` has the text of each."""


class Block(NamedTuple):
    """The unit of comparison: runs of different algorithms in the same block are ranked together.

    Parameters
    ----------
    suite, function, dimension, instance
        The problem. Whole numbers are `int`, other names `str`, and missing fields None.
    run
        The repetition: as the data number it, otherwise 1, 2, ... in the order of the files.

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

    @property
    def problem(self) -> Problem:
        """The block without its run: (suite, function, dimension, instance)."""
        return self[:4]

    @property
    def repetition_of(self) -> Problem:
        """What the run repeats: runs with an equal `repetition_of` have values that can be compared."""
        return self.problem


def describe_block(block: Sequence[Identifier]) -> str:
    """Return what is known of a block, or of a problem, in words; empty if nothing is.

    Examples
    --------
    >>> describe_block(Block(None, "f1", 5, None, 0)), describe_block(("bbob", 8, 5, 1))
    ('function f1, dimension 5, run 0', 'suite bbob, function 8, dimension 5, instance 1')
    """
    named = zip(Block._fields, block, strict=False)
    return ", ".join(f"{field} {show(value)}" for field, value in named if value is not None)


@dataclass(frozen=True)
class Skipped:
    """Something that was not used, or only in part.

    Parameters
    ----------
    where
        The file, relative to the path that was read.
    reason
        The kind of the problem.
    details
        The details of the problem.
    first
        The place in the file where it first occurred, if it is known.
    count
        The number of lines, runs or files with this problem.
    remedy
        What can be done about it.

    Examples
    --------
    >>> from polarbear.importers import Reason
    >>> print(Skipped("runs.csv", Reason.WRONG_WIDTH, {"columns": 3}, "line 17: 'cma,10'", count=3))
    runs.csv: rows without 3 columns, first: line 17: 'cma,10' (3 times)
    """

    where: str
    reason: Reason
    details: Mapping[str, Any] = field(default_factory=dict)
    first: str = ""
    count: int = 1
    remedy: Remedy | None = None

    def __str__(self) -> str:
        first = f", first: {self.first}" if self.first else ""
        often = f" ({self.count:,} times)" if self.count > 1 else ""
        return f"{self.where}: {self.sentence}{first}{often}{advise(self.remedy)}"

    @property
    def sentence(self) -> str:
        """The problem in one sentence, with its details."""
        return self.reason.sentence(**self.details)

    def increase(self, count: int) -> Skipped:
        """Return the same report with a larger count."""
        return replace(self, count=self.count + count)


def assumed(assumption: Assumption, remedy: Remedy | None = None, **numbers: Any) -> Finding:
    """Return the finding that something was assumed about the data."""
    return Finding(Code.ASSUMED, "note", numbers={"assumption": assumption, **numbers}, remedy=remedy)


def _findings_on_skipped(skipped: Sequence[Skipped]) -> list[Finding]:
    """Return one finding for each kind of problem, with its files and the details of the first."""
    kinds: dict[Reason, list[Skipped]] = {}
    for each in skipped:
        kinds.setdefault(each.reason, []).append(each)
    found = []
    for reason, reports in kinds.items():
        numbers = {
            "reason": reason.name,
            "details": dict(reports[0].details),
            "files": list(dict.fromkeys(each.where for each in reports)),
            "first": reports[0].first,
            "count": sum(each.count for each in reports),
        }
        kind = Finding(Code.DATA_SKIPPED, "tentative") if reason.loses_data else Finding(Code.IRREGULAR_DATA, "note")
        found.append(replace(kind, numbers=numbers, remedy=reports[0].remedy))
    return found


@dataclass(frozen=True)
class About:
    """The origin of imported runs.

    Parameters
    ----------
    path
        The folder or file that was read.
    formats
        The formats that it contains.
    files, rows
        The number of files with runs, and the number of rows that were read.
    notes
        The assumptions that replace missing information in the data.
    """

    path: str
    formats: tuple[FileFormat, ...]
    files: int
    rows: int
    notes: tuple[Finding, ...] = ()


@dataclass(frozen=True, repr=False)
class Imported:
    """Recorded runs, ready for `Choices.from_trajectories`.

    Parameters
    ----------
    runs
        One trajectory per run. Its `instance` is a `Block`; its `cluster` is a label, or None if there are no clusters.
    skipped
        What was left out and why.
    about
        The origin of the runs.
    cluster_kind, cluster_unit
        What a cluster is, and what its members are; see `Clusters`.
    relative_tolerance
        The share of a value within which values are tied, by the preset of the import.
    optimum_known
        Whether all values are distances to the optimum, by the rules of their format: those of COCO, and raw values of
        IOHprofiler on BBOB suites.
    cluster
        The fields or columns that define clusters: None for the automatic rule, () for no clusters.
    columns
        All columns of the tables that were read.
    cells
        For each kept column and run, the values of its rows.
    """

    runs: tuple[Trajectory, ...]
    skipped: tuple[Skipped, ...]
    about: About
    cluster_kind: str = "cluster"
    cluster_unit: str = "instance"
    relative_tolerance: float = RELATIVE_TOLERANCE
    optimum_known: bool = False
    cluster: tuple[str, ...] | None = None
    columns: tuple[str, ...] = ()
    cells: Mapping[str, tuple[frozenset[Identifier], ...]] = field(default_factory=dict)

    def take(self, positions: Sequence[int]) -> Imported:
        """Return only the runs at these positions, without their clusters."""
        return replace(
            self,
            runs=tuple(self.runs[position].in_cluster(None) for position in positions),
            cells={name: tuple(cells[position] for position in positions) for name, cells in self.cells.items()},
        )

    @property
    def algorithms(self) -> dict[str, int]:
        """The number of runs of each algorithm."""
        return dict(Counter(run.algorithm for run in self.runs))

    @property
    def ended(self) -> dict[Ended, int]:
        """The number of runs that finished, were cut off or failed."""
        return dict(Counter(run.ended for run in self.runs))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was skipped, and assumptions that replace missing information; the most serious first."""
        return most_serious_first([*self.about.notes, *_findings_on_skipped(self.skipped)])

    @property
    def blocks(self) -> int:
        """The number of distinct blocks with runs."""
        return len({run.instance for run in self.runs})

    @property
    def clusters(self) -> Clusters | None:
        """The cluster of each block, in the order of first appearance; None if there are no clusters."""
        labels: dict[Hashable, Hashable] = {run.instance: run.cluster for run in self.runs if run.cluster is not None}
        return Clusters(tuple(labels.values()), self.cluster_kind, self.cluster_unit) if labels else None

    @property
    def clustering(self) -> dict[str, str]:
        """Keyword arguments of `Choices.from_trajectories` that describe the clusters of the runs."""
        return {"cluster_kind": self.cluster_kind, "cluster_unit": self.cluster_unit}

    @property
    def ranking(self) -> dict[str, Any]:
        """Keyword arguments of `Choices.from_trajectories`: `clustering`, and the tolerances of COCO or of the preset.

        COCO's values are distances to the optimum, which it does not distinguish below 1e-8.
        """
        tolerances = {"absolute_tolerance": SOLVED} if "coco" in self.about.formats else {}
        return self.clustering | tolerances | {"relative_tolerance": self.relative_tolerance}

    def choices(self, grid: Grid | Sequence[float], **options: Any) -> Choices:
        """Return the rankings of the runs at the budgets of a grid, ready for `fit`.

        Parameters
        ----------
        grid
            The budgets at which the runs are compared.
        **options
            Options of `Choices.from_trajectories`, instead of those in `ranking`.
        """
        return Choices.from_trajectories(self.runs, grid=grid, **self.ranking | options)

    def __repr__(self) -> str:
        clusters = self.clusters
        of = ""
        if clusters is not None and clusters.number < len(clusters.labels):
            of = f"of {with_noun(clusters.number, clusters.kind)} "
        return (
            f"Imported({len(self.runs)} runs of {len(self.algorithms)} algorithms on {self.blocks} blocks {of}"
            f"from {self.about.path!r}, {sum(each.count for each in self.skipped)} skipped)"
        )
