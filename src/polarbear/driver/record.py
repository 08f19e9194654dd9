"""The record of a race, in memory and in its race file: both change together, the file first."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from polarbear.driver.rescue import lost_file_error, rescue
from polarbear.driver.resume import add_features, explain_damage, label_run, rebuild_state
from polarbear.driver.source_code import edited_algorithms
from polarbear.problems import Repeated
from polarbear.race.instance_features import features_by_index
from polarbear.race.outcome import Stopped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from polarbear.execution.payload import Instances
    from polarbear.race.jobs import Job, Run
    from polarbear.race.state import State
    from polarbear.storage import RaceFile

EventKind = Literal["round", "added", "dropped", "restored", "rerun", "settings", "features"]


@dataclass(eq=False)
class RaceRecord:
    """The state and the runs of a race.

    Everything is stored before memory changes, so that memory never holds what a full disk has refused.

    Attributes
    ----------
    state
        The current state of the race.
    runs
        All runs by (algorithm, instance), including the runs of an interrupted round.
    file
        The race file, or None for a race that is kept in memory only.
    clusters
        The cluster of each instance, if instances are repeated.
    accepted_failures, edited
        See `RaceOutcome`.
    """

    state: State
    runs: dict[tuple[str, int], Run] = field(default_factory=dict)
    file: RaceFile | None = None
    clusters: tuple[int, ...] | None = None
    accepted_failures: frozenset[str] = frozenset()
    edited: tuple[str, ...] = ()
    _rescued: Path | None = None

    def update(self, state: State, kind: EventKind, data: Any) -> None:
        """Append the event that leads to a new state to the journal, then change the state."""
        self.check_file()
        if self.file is not None:
            self.file.append(kind, data)
        self.state = state

    def check_file(self) -> None:
        """Raise an error if the race file is gone, or if something else has changed it; then a copy was saved beside it."""
        if self.file is not None and self.file.writable and (change := self.file.find_change()):
            if self._rescued is None:
                self._rescued = rescue(self.file, self.state.settings, self.runs)
            raise lost_file_error(self.file.path, change, self._rescued)

    def add_run(self, run: Run, job: Job) -> None:
        """Store the run of a job, and the features of its instance if they are new; then keep both in memory."""
        instance, features = job.instance, run.features
        new = features is not None and features != self.state.features.get(instance)
        if self.file is not None:
            try:
                if new:  # before the run, which is not repeated once it is stored
                    self.file.append("features", {"instance": instance, "features": features})
                self.file.add_run(run, job)
            except (OSError, ValueError):
                if self.file.find_change() is None:
                    raise
                # The file is lost. The runs of this round are kept in memory, and saved when `check_file` stops the race.
        if new:
            self.state = add_features(self.state, instance, features)
        self.runs[job.algorithm, job.instance] = label_run(run, self.clusters)

    def find_run(self, job: Job, *, accept_failures: bool) -> Run | None:
        """Return a known run that serves for a job, such as one from an interrupted round, or None.

        The failures of an algorithm's first round are repeated unless they are accepted: their cause may be fixed.
        """
        key = job.algorithm, job.instance
        run = self.runs.get(key)
        if run is None:
            return None
        if run.status != "done":
            ran = any(name == job.algorithm for name, _ in self.state.observations.runs)
            repeated = key in self.state.reruns or not (ran or accept_failures)
            return None if self.state.settings.failure == "raise" or repeated else run
        return run if run.trajectory.end >= job.budget else None

    def forget_failures(self, names: frozenset[str]) -> None:
        """Forget the failed runs of an interrupted round, so that they are made again; the file keeps them until then."""
        decided = self.state.observations.runs
        for key in [key for key, run in self.runs.items() if run.status != "done" and key not in decided]:
            if key[0] in names:
                del self.runs[key]

    def note_stop(self, reason: Stopped | None) -> None:
        """Store why the race stopped, or None while it runs; a file that is open for reading stays unchanged."""
        if self.file is not None and self.file.writable:
            self.check_file()
            self.file.set_about("stopped", {"reason": reason, "event": self.file.last_event})

    def accept_failures(self, names: frozenset[str]) -> None:
        """Store the algorithms of which failed runs are accepted."""
        if self.file is not None and names != self.accepted_failures:
            self.file.set_about("accepted_failures", sorted(names))
        self.accepted_failures = names

    def accept_present_failures(self) -> None:
        """Accept the failed runs of all algorithms that have any."""
        failed = {name for (name, _), run in self.runs.items() if run.status != "done"}
        self.accept_failures(self.accepted_failures | failed)

    def store_clusters(self) -> None:
        """Store the clusters of repeated instances, unless the file has them already or is open for reading."""
        if self.file is not None and self.file.writable and self.clusters is not None:
            labels = list(self.clusters)
            if self.file.about.get("clusters") != labels:
                self.file.set_about("clusters", labels)

    def store_features(self, given: Mapping[int, object] | Sequence[object] | None) -> None:
        """Store features of instances that were given with the race; a file that is open for reading stays unchanged."""
        if given is None:
            return
        features = {**self.state.features, **features_by_index(given)}
        if self.file is not None and self.file.writable and features != self.state.features:
            self.file.set_about("features", {str(index): each for index, each in features.items()})
        self.state = replace(self.state, features=features)

    @property
    def stopped(self) -> Stopped:
        """Why the race stopped, from its file; "paused" if it is unknown or if the race has changed since."""
        noted = None if self.file is None else self.file.about.get("stopped")
        if not isinstance(noted, dict) or self.file is None or noted.get("event") != self.file.last_event:
            return "paused"
        known: dict[Any, Stopped] = {each: each for each in get_args(Stopped)}
        return known.get(noted.get("reason"), "paused")

    def reload(self) -> None:
        """Read the file again: an interrupt may come between storing a result and changing memory."""
        self.check_file()
        if self.file is not None:
            self.state, self.runs = rebuild_state(self.file, self.clusters)

    def close(self) -> None:
        """Close the race file."""
        if self.file is not None:
            self.file.close()


def load_record(file: RaceFile, instances: Instances) -> RaceRecord:
    """Return the record of a race from its file, with the clusters of repeated instances, stored or given."""
    stored = file.about.get("clusters")
    with explain_damage(file.path):
        known = None if stored is None else tuple(map(int, stored))
    if not isinstance(instances, Repeated):
        if known is not None and instances is not None:
            raise ValueError(
                "expected instances as polarbear.problems.Repeated, as when the race was created, got "
                f"{type(instances).__name__}; repeat the same list of problems"
            )
        return _with_notes(RaceRecord(*rebuild_state(file, known), file, known))
    clusters = instances.clusters
    used = 1 + max((instance for _, instance in file.runs()), default=-1)
    if clusters[:used] != (tuple(range(used)) if known is None else known[:used]):
        raise ValueError(
            f"expected the first {used} instances as the race has used them, got another order of repetitions; repeat the "
            "same list of problems, with new ones at its end, or start another race"
        )
    return _with_notes(RaceRecord(*rebuild_state(file, clusters), file, clusters))


def _with_notes(record: RaceRecord) -> RaceRecord:
    """Return the record with what its file notes about failures and edits."""
    if record.file is not None:
        record.accepted_failures = frozenset(record.file.about.get("accepted_failures", ()))
        record.edited = edited_algorithms(record.file)
    return record
