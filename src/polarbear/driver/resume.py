"""Rebuild a race from its file by replaying the journal of decisions.

In: an open race file. Out: the state of the race, and all stored runs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from polarbear.race import loop
from polarbear.race.observations import ClusterLabel, instance_of
from polarbear.race.sampling import recorded_plan
from polarbear.race.serialisation import from_plain

if TYPE_CHECKING:
    from pathlib import Path

    from polarbear.race.jobs import Run
    from polarbear.race.rounds import Round
    from polarbear.race.state import State
    from polarbear.storage import RaceFile


def rebuild_state(file: RaceFile, clusters: tuple[int, ...] | None = None) -> tuple[State, dict[tuple[str, int], Run]]:
    """Return the state of a race, rebuilt from its journal without new inference or decisions, and all stored runs.

    The journal is read before the runs: every run that it refers to is stored by then, even if another process keeps
    writing.

    Parameters
    ----------
    file
        The race file.
    clusters
        The cluster of each instance, if instances are repeated.
    """
    events, about = file.events(), file.about
    runs = {key: label_run(run, clusters) for key, run in file.runs().items()}
    state = loop.start(from_plain(about["settings"]), about["algorithms"])
    for event in events:
        match event.kind:
            case "round":
                state = _repeat_round(state, from_plain(event.data), runs, file.path)
            case "added":
                state = loop.add(state, event.data)
            case "removed":
                state = loop.remove(state, event.data)
            case "readmitted":
                state = loop.readmit(state, event.data)
            case "rerun":
                state = loop.rerun(state, ((str(name), int(instance)) for name, instance in event.data))
            case "settings":
                state = loop.reconsider(state, from_plain(event.data))
            case kind:
                raise ValueError(
                    f"{file.path} contains the event {kind!r}, which this version does not support; upgrade PolarBear"
                )
    return state, runs


def label_run(run: Run, clusters: tuple[int, ...] | None) -> Run:
    """Return a run whose trajectory has the cluster of its instance, if instances are repeated."""
    if clusters is None:
        return run
    label = ClusterLabel(clusters[instance_of(run)], kind="instance", unit="run")
    return replace(run, trajectory=run.trajectory.in_cluster(label))


def _repeat_round(state: State, record: Round, runs: dict[tuple[str, int], Run], path: Path) -> State:
    """Return the state after a recorded round, from its record and the stored runs."""
    plan = recorded_plan(state, record)
    if plan is None:
        raise ValueError(
            f"{path} is damaged: round {record.number} does not follow from those before it; restore it from a copy"
        )
    for job in plan.jobs:
        if (job.algorithm, job.instance) not in runs:
            raise ValueError(
                f"{path} is damaged: the run of {job.algorithm!r} on instance {job.instance} is missing; restore it "
                "from a copy"
            )
    return loop.tell(state, plan, [runs[job.algorithm, job.instance] for job in plan.jobs], record=record)
