"""The observations of a race: all runs, and the choices that follow from them."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.observe import Choices, Clusters
from polarbear.observe.rank_instances import rank_instances
from polarbear.observe.repeated_runs import rank_repeated_runs

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from polarbear.arrays import Array
    from polarbear.observe import Grid, Rankings
    from polarbear.race.jobs import Run
    from polarbear.race.settings import Settings

    Runs = Mapping[tuple[str, int], Run]  # by (algorithm, instance)
    Block = tuple[tuple[int, ...], Choices]  # instances that were run together, and their choices


@dataclass(frozen=True, slots=True)
class ClusterLabel:
    """The cluster of a recorded run, together with the names for clusters and their members, see `Clusters`.

    The settings of a race do not mention clusters, since instances of live runs have none. A replay passes the names in
    the label.
    """

    label: Hashable
    kind: str
    unit: str


@dataclass(frozen=True)
class Observations:
    """All runs so far, by (algorithm, instance), and the choices of each block of instances that were run together.

    Runs of dropped algorithms are kept. An algorithm that was not run on an instance is missing from its ranking.
    Instances have the clusters of their trajectories: replayed recordings can have one; live runs have one only if
    instances are repeated.
    """

    runs: Runs = field(default_factory=dict)
    blocks: tuple[Block, ...] = ()
    choices: Choices | None = None  # of all blocks together

    @property
    def instances(self) -> tuple[int, ...]:
        """All instances with at least one run, in the order of running."""
        return tuple(instance for block, _ in self.blocks for instance in block)


def add_runs(
    observations: Observations, runs: Iterable[Run], names: tuple[str, ...], settings: Settings
) -> Observations:
    """Return the observations with added runs: those on new instances form a block, others join known rankings."""
    new_runs = {(run.trajectory.algorithm, instance_of(run)): run for run in runs}
    all_runs = {**observations.runs, **new_runs}
    touched = {instance for _, instance in new_runs}
    fresh = tuple(sorted(touched.difference(observations.instances)))
    blocks = [
        (block, _choices(block, all_runs, names, settings) if touched.intersection(block) else choices)
        for block, choices in observations.blocks
    ]
    if not fresh:
        return Observations(all_runs, tuple(blocks), _sum(blocks))
    fresh_choices = _choices(fresh, all_runs, names, settings)
    _check_clusters([*blocks, (fresh, fresh_choices)])
    before = observations.choices if touched == set(fresh) else _sum(blocks)
    total = fresh_choices if before is None else before + fresh_choices
    return Observations(all_runs, (*blocks, (fresh, fresh_choices)), total)


def rerank(observations: Observations, names: tuple[str, ...], settings: Settings) -> Observations:
    """Return the same runs ranked again, for another list of algorithms or another grid."""
    blocks = [(block, _choices(block, observations.runs, names, settings)) for block, _ in observations.blocks]
    return Observations(observations.runs, tuple(blocks), _sum(blocks))


def instance_of(run: Run) -> int:
    """Return the index of the instance of a run."""
    instance = run.trajectory.instance
    assert isinstance(instance, int)
    return instance


def _sum(blocks: list[Block]) -> Choices | None:
    """Return the choices of all blocks together; None if there are none."""
    _check_clusters(blocks)
    return reduce(operator.add, (choices for _, choices in blocks)) if blocks else None


def with_all_runs(choices: Choices, observations: Observations, settings: Settings) -> Choices:
    """Return the choices with a way to rank their runs at other budgets.

    If the race repeats problems, all runs on the same problem are ranked together, too: they are in different blocks.
    """
    rankings = choices.rankings
    if rankings is None:
        return choices
    rankings = replace(rankings, ranked_at=partial(_rank_at, observations, choices.names, settings))
    return Choices.from_rankings(_with_repeated_runs(rankings, observations, settings))


def _rank_at(observations: Observations, names: tuple[str, ...], settings: Settings, grid: Grid) -> Rankings:
    """Return the rankings of all runs on another grid."""
    settings = replace(settings, grid=grid)
    choices = rerank(observations, names, settings).choices
    assert choices is not None
    assert choices.rankings is not None
    return _with_repeated_runs(choices.rankings, observations, settings)


def _with_repeated_runs(rankings: Rankings, observations: Observations, settings: Settings) -> Rankings:
    """Return the rankings with all runs on the same problem ranked together, if the race repeats problems."""
    if rankings.clusters is None or rankings.clusters.unit != "run":
        return rankings
    values = _values(observations.instances, observations.runs, rankings.names, settings)
    return replace(
        rankings, repeated=rank_repeated_runs(values, rankings.clusters.labels, **_ranking_options(settings))
    )


def _choices(block: tuple[int, ...], runs: Runs, names: tuple[str, ...], settings: Settings) -> Choices:
    """Return the choices of a block: its runs ranked at each budget of the grid."""
    values = _values(block, runs, names, settings)
    clusters = _clusters(block, runs, names)
    options = _ranking_options(settings)
    return Choices.from_rankings(
        rank_instances(values, names, settings.grid, clusters=clusters, instances=block, **options)
    )


def _ranking_options(settings: Settings) -> dict[str, Any]:
    """Return the options of `rank_values`."""
    return {name: getattr(settings, name) for name in ("absolute_tolerance", "relative_tolerance", "maximise")}


def _values(instances: tuple[int, ...], runs: Runs, names: tuple[str, ...], settings: Settings) -> Array:
    """Return the values of all runs at each budget of the grid, shape (instance, budget, algorithm)."""
    values = np.full((len(instances), len(settings.grid), len(names)), np.nan)
    for row, instance in enumerate(instances):
        for column, name in enumerate(names):
            run = runs.get((name, instance))
            if run is None:
                continue
            if run.failure is not None and settings.failure == "raise":
                raise ValueError(
                    f"the run of {name!r} on instance {instance} failed ({run.status}: {run.failure.error}); "
                    "fix it, or choose failure='last' or failure='missing'"
                )
            values[row, :, column] = run.trajectory.at(settings.grid.budgets, failure=settings.failure)
    return values


def _clusters(block: tuple[int, ...], runs: Runs, names: tuple[str, ...]) -> Clusters | None:
    """Return the clusters of a block's instances, taken from their runs; None if no run has one."""
    labels: list[ClusterLabel] = []
    for instance in block:
        trajectories = [runs[name, instance].trajectory for name in names if (name, instance) in runs]
        clusters = {each.cluster for each in trajectories if each.cluster is not None}
        if len(clusters) > 1:
            raise ValueError(
                f"expected one cluster for all runs on instance {instance}, got "
                f"{' and '.join(sorted(map(repr, clusters)))}; give all recordings of an instance the same label"
            )
        for cluster in clusters:
            labels.append(
                cluster if isinstance(cluster, ClusterLabel) else ClusterLabel(cluster, "cluster", "instance")
            )
    if not labels:
        return None
    if len(labels) < len(block):
        raise ValueError(_partial_labels_message(len(labels), len(block)))
    return Clusters(tuple(each.label for each in labels), labels[0].kind, labels[0].unit)


def _check_clusters(blocks: list[Block]) -> None:
    """Raise a ValueError if some blocks have clusters and others do not."""
    rankings = [choices.rankings for _, choices in blocks]
    labelled = sum(len(each.ranks) for each in rankings if each is not None and each.clusters is not None)
    number = sum(len(block) for block, _ in blocks)
    if 0 < labelled < number:
        raise ValueError(_partial_labels_message(labelled, number))


def _partial_labels_message(labelled: int, number: int) -> str:
    """Return the message that only some instances have a cluster."""
    return (
        f"expected a cluster for every instance of the race or for none, got one for {labelled} of {number}; "
        "label all recordings, or none"
    )
