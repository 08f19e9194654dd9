"""The data of a race: all runs, and the choices that follow from them."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from polarbear.observe import Choices, Clusters, Rankings, rank_values

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from polarbear.race.jobs import Run
    from polarbear.race.settings import Settings


class ClusterLabel(NamedTuple):
    """The cluster of a recorded run, together with the names for clusters and their members, see `Clusters`.

    The settings of a race do not mention clusters, since instances of live runs have none. A replay passes the names in the
    label.
    """

    label: Hashable
    kind: str
    unit: str


@dataclass(frozen=True)
class Evidence:
    """All runs so far, by (algorithm, instance), and the choices of each block of instances that were run together.

    Runs of eliminated algorithms are kept. An algorithm that was not run on an instance is missing from its ranking.
    Instances have the clusters of their trajectories: replayed recordings can have one; live runs and runs from a race file
    have none.
    """

    runs: Mapping[tuple[str, int], Run] = field(default_factory=dict)
    blocks: tuple[tuple[tuple[int, ...], Choices], ...] = ()
    choices: Choices | None = None  # of all blocks together

    @property
    def instances(self) -> tuple[int, ...]:
        """All instances with at least one run, in the order of running."""
        return tuple(instance for block, _ in self.blocks for instance in block)


def add_runs(evidence: Evidence, runs: Iterable[Run], names: tuple[str, ...], settings: Settings) -> Evidence:
    """Return the evidence with added runs: runs on new instances form a block, others are inserted into known rankings."""
    added = {(run.trajectory.algorithm, instance_of(run)): run for run in runs}
    together = {**evidence.runs, **added}
    touched = {instance for _, instance in added}
    fresh = tuple(sorted(touched.difference(evidence.instances)))
    blocks = [
        (block, _counted(block, together, names, settings) if touched.intersection(block) else choices)
        for block, choices in evidence.blocks
    ]
    if not fresh:
        return Evidence(together, tuple(blocks), _sum(blocks))
    new = _counted(fresh, together, names, settings)
    _check_clusters([*blocks, (fresh, new)])
    before = evidence.choices if touched == set(fresh) else _sum(blocks)
    return Evidence(together, (*blocks, (fresh, new)), new if before is None else before + new)


def rerank(evidence: Evidence, names: tuple[str, ...], settings: Settings) -> Evidence:
    """Return the same runs ranked again, for another list of algorithms or another grid."""
    blocks = [(block, _counted(block, evidence.runs, names, settings)) for block, _ in evidence.blocks]
    return Evidence(evidence.runs, tuple(blocks), _sum(blocks))


def instance_of(run: Run) -> int:
    """Return the index of the instance of a run."""
    instance = run.trajectory.instance
    assert isinstance(instance, int)
    return instance


def _sum(blocks: list[tuple[tuple[int, ...], Choices]]) -> Choices | None:
    _check_clusters(blocks)
    return reduce(operator.add, (choices for _, choices in blocks)) if blocks else None


def _counted(
    block: tuple[int, ...], runs: Mapping[tuple[str, int], Run], names: tuple[str, ...], settings: Settings
) -> Choices:
    values = np.full((len(block), len(settings.grid), len(names)), np.nan)
    for row, instance in enumerate(block):
        for column, name in enumerate(names):
            run = runs.get((name, instance))
            if run is None:
                continue
            if run.status != "done" and settings.failure == "raise":
                why = f"{run.status}: {run.message.strip()}".rstrip(": ")
                raise ValueError(
                    f"the run of {name!r} on instance {instance} failed ({why}); "
                    "mend it, or choose failure='last' or failure='missing'"
                )
            values[row, :, column] = run.trajectory.at(settings.grid.times, failure=settings.failure)
    ranks = rank_values(
        values,
        absolute_tolerance=settings.absolute_tolerance,
        relative_tolerance=settings.relative_tolerance,
        maximise=settings.maximise,
    )
    clusters = _clusters(block, runs, names)
    return Choices.from_rankings(Rankings(ranks, names, settings.grid, clusters=clusters), per_instance=True)


def _clusters(block: tuple[int, ...], runs: Mapping[tuple[str, int], Run], names: tuple[str, ...]) -> Clusters | None:
    """Return the clusters of a block's instances, taken from their runs; None if no run has one."""
    labels: list[ClusterLabel] = []
    for instance in block:
        there = [runs[name, instance].trajectory for name in names if (name, instance) in runs]
        found = {cluster for run in there if (cluster := run.cluster) is not None}
        if len(found) > 1:
            raise ValueError(
                f"expected one cluster for all runs on instance {instance}, got {' and '.join(sorted(map(repr, found)))}; "
                "give all recordings of an instance the same label"
            )
        for cluster in found:
            labels.append(
                cluster if isinstance(cluster, ClusterLabel) else ClusterLabel(cluster, "cluster", "instance")
            )
    if not labels:
        return None
    if len(labels) < len(block):
        raise ValueError(_partly_labelled(len(labels), len(block)))
    return Clusters(tuple(each.label for each in labels), labels[0].kind, labels[0].unit)


def _check_clusters(blocks: list[tuple[tuple[int, ...], Choices]]) -> None:
    """Raise a ValueError if some blocks have clusters and others do not."""
    rankings = [choices.rankings for _, choices in blocks]
    labelled = sum(len(each.ranks) for each in rankings if each is not None and each.clusters is not None)
    number = sum(len(block) for block, _ in blocks)
    if 0 < labelled < number:
        raise ValueError(_partly_labelled(labelled, number))


def _partly_labelled(labelled: int, number: int) -> str:
    return (
        f"expected a cluster for every instance of the race or for none, got one for {labelled} of {number}; a race file "
        "does not store clusters, so replay recordings that have them in one go or without a file"
    )
