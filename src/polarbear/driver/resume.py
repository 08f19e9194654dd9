"""Rebuild a race from its file by replaying the journal of decisions.

In: an open race file. Out: the state of the race, and all stored runs.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from polarbear.race import loop
from polarbear.race.instance_features import features_by_index
from polarbear.race.observations import ClusterLabel, instance_of
from polarbear.race.sampling import recorded_plan
from polarbear.race.serialisation import from_plain
from polarbear.storage.errors import DamagedRaceFile, replay_error
from polarbear.wording import DROPPED_BY_USER

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from polarbear.race.jobs import Run
    from polarbear.race.rounds import Round
    from polarbear.race.settings import Settings
    from polarbear.race.state import State
    from polarbear.storage import Event, RaceFile

Runs = dict[tuple[str, int], "Run"]


def rebuild_state(file: RaceFile, clusters: tuple[int, ...] | None = None) -> tuple[State, Runs]:
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
    with explain_damage(file.path):
        runs = {key: label_run(run, clusters) for key, run in file.runs().items()}
        state = initial_state(about)
        for event in events:
            state = repeat_event(state, event, runs)
    return state, runs


def states_before_adding(file: RaceFile, clusters: tuple[int, ...] | None = None) -> dict[str, State]:
    """Return the state in which each algorithm was added after the start, by its name."""
    events, about = file.events(), file.about
    result: dict[str, State] = {}
    with explain_damage(file.path):
        runs = {key: label_run(run, clusters) for key, run in file.runs().items()}
        state = initial_state(about)
        for event in events:
            if event.kind == "added":
                result[event.data] = state
            state = repeat_event(state, event, runs)
    return result


def describe_runs(settings: Settings) -> dict[str, str]:
    """Return what a race file states about its runs: the kind of their values, which are best-so-far, and the clock."""
    return {"values": "best", "clock": settings.clock}


def initial_state(about: Mapping[str, Any]) -> State:
    """Return the state in which a race began, from what its file holds about it."""
    for key in ("settings", "algorithms"):
        if key not in about:
            raise ValueError(f"{key!r} is missing in `about`")
    state = loop.start(from_plain(about["settings"]), about["algorithms"])
    for key, known in describe_runs(state.settings).items():
        if about.get(key) != known:
            raise ValueError(f"expected {known!r} for {key!r} in `about`, got {about.get(key)!r}")
    if not (stored := about.get("features")):
        return state
    return replace(state, features=features_by_index({int(index): each for index, each in stored.items()}))


def repeat_event(state: State, event: Event, runs: Runs) -> State:
    """Return the state after an entry of the journal."""
    match event.kind:
        case "round":
            return _repeat_round(state, from_plain(event.data), runs)
        case "added":
            return loop.add(state, event.data)
        case "dropped":
            return loop.drop(state, *_read_dropped_event(event.data))
        case "restored":
            return loop.restore(state, event.data)
        case "rerun":
            return loop.rerun(state, ((str(name), int(instance)) for name, instance in event.data))
        case "features":
            return add_features(state, int(event.data["instance"]), event.data["features"])
        case "settings":
            return loop.reconsider(state, from_plain(event.data))
        case kind:
            raise ValueError(f"it contains the event {kind!r}, which this version does not support")


def dropped_event(name: str, reason: str) -> object:
    """Return the data of an entry about a dropped algorithm: its name; if it was not dropped by hand, also the reason."""
    return name if reason == DROPPED_BY_USER else {"name": name, "reason": reason}


def _read_dropped_event(data: Any) -> tuple[str, str]:
    """Return the name and the reason from the data of an entry about a dropped algorithm."""
    return (str(data["name"]), str(data["reason"])) if isinstance(data, dict) else (data, DROPPED_BY_USER)


def add_features(state: State, instance: int, features: object) -> State:
    """Return the state with the features of an instance."""
    return replace(state, features={**state.features, **features_by_index({instance: features})})


@contextmanager
def explain_damage(path: Path) -> Iterator[None]:
    """Convert errors in the block, which replays a race file, to an error that names the file and says what to do.

    Rows with checksums are intact by then, so that an error can also mean that a newer PolarBear wrote the file.
    """
    try:
        yield
    except DamagedRaceFile:
        raise
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
        raise replay_error(path, str(error) if isinstance(error, ValueError) else repr(error)) from error


def label_run(run: Run, clusters: tuple[int, ...] | None) -> Run:
    """Return a run whose trajectory has the cluster of its instance, if instances are repeated."""
    if clusters is None:
        return run
    label = ClusterLabel(clusters[instance_of(run)], kind="instance", unit="run")
    return replace(run, trajectory=run.trajectory.in_cluster(label))


def _repeat_round(state: State, record: Round, runs: Runs) -> State:
    """Return the state after a recorded round, from its record and the stored runs."""
    plan = recorded_plan(state, record)
    if plan is None:
        raise ValueError(f"round {record.number} does not follow from those before it")
    for job in plan.jobs:
        if (job.algorithm, job.instance) not in runs:
            raise ValueError(f"the run of {job.algorithm!r} on instance {job.instance} is missing")
    return loop.tell(state, plan, [runs[job.algorithm, job.instance] for job in plan.jobs], record=record)
