"""The race file: the runs, events and settings of one race, each stored in its own transaction."""

from __future__ import annotations

import json
import math
import time
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from polarbear.observe import Trajectory
from polarbear.race.jobs import Run
from polarbear.storage import schema
from polarbear.storage.errors import translate_errors
from polarbear.storage.lock import WriterLock
from polarbear.storage.new_file import publish_when_complete, resolve_new

if TYPE_CHECKING:
    import sqlite3
    from os import PathLike

    from polarbear.race.jobs import Job, Status


@dataclass(frozen=True)
class Event:
    """One entry in the journal of a race: its number, its kind, its data, and when it was stored."""

    number: int
    kind: str
    data: Any
    time: float


class RaceFile:
    """A race on disk, created by `RaceFile.create` or opened by `RaceFile.open`.

    Use it in a `with` block, or call `close`. A file has at most one writer and any number of readers at a time;
    readers always find complete runs and events. Methods may be called from any thread.

    Examples
    --------
    >>> import tempfile
    >>> from polarbear import Trajectory
    >>> from polarbear.race.jobs import Job, Run
    >>> path = tempfile.mkdtemp() + "/my.race"
    >>> with RaceFile.create(path, {"seed": 7}) as file:
    ...     job = Job("cma", instance=0, until=100, seed=1, instance_seed=2)
    ...     file.add_run(Run(Trajectory("cma", 0, [10, 50], [3.0, 1.0], until=100), reached=100), job)
    ...     file.append("round", {"eliminated": []})
    1
    >>> with RaceFile.open(path, write=False) as file:
    ...     print(file.about, file.runs()["cma", 0].trajectory.values, file.events()[0].kind)
    {'seed': 7} [3. 1.] round
    """

    path: Path

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: WriterLock | None) -> None:
        self.path = path
        self._connection = connection
        self._lock = lock

    @classmethod
    def create(cls, path: str | PathLike[str], about: dict[str, Any]) -> Self:
        """Create a race file and open it for writing; raise if the name exists.

        Parameters
        ----------
        path
            The name of the file, in an existing folder.
        about
            What is known at the start, such as settings, the seed and versions: JSON values by key.
        """
        place = resolve_new(path)
        texts = {key: _json(value, f"about[{key!r}]") for key, value in about.items()}
        lock = WriterLock(place)
        try:
            with publish_when_complete(place) as unfinished:
                schema.create(unfinished, texts)
            return cls(place, schema.connect(place, write=True), lock)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def open(cls, path: str | PathLike[str], *, write: bool) -> Self:
        """Open a race file, after checking its format and its integrity.

        Parameters
        ----------
        path
            The name of the file.
        write
            True to add to the file as its only writer (raises RaceFileInUse if there is another); False only to read,
            which is always possible.
        """
        place = Path(path).resolve()
        schema.check_identity(place)
        lock = WriterLock(place) if write else None
        try:
            return cls(place, schema.connect(place, write=write), lock)
        except BaseException:
            if lock is not None:
                lock.release()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"RaceFile({str(self.path)!r}, {'writing' if self._lock else 'reading'})"

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        if self._lock is not None:
            schema.merge_log(self._connection)
        self._connection.close()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    @property
    def about(self) -> dict[str, Any]:
        """The settings, seed, versions and other values of the race, as a copy; `set_about` changes them."""
        return {key: json.loads(value) for key, value in self._read("SELECT key, value FROM about ORDER BY rowid")}

    def set_about(self, key: str, value: Any) -> None:
        """Store a JSON value under a key, and replace an earlier one."""
        self._write(
            "INSERT INTO about VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
            (key, _json(value, f"about[{key!r}]")),
        )

    @property
    def writable(self) -> bool:
        """Whether the file is open for writing."""
        return self._lock is not None

    @property
    def last_event(self) -> int:
        """The number of the last event in the journal; 0 if there is none."""
        [(number,)] = self._read("SELECT coalesce(max(number), 0) FROM event")
        return int(number)

    def add_run(self, run: Run, job: Job) -> None:
        """Store the run of a job, and replace an earlier run of the same algorithm on the same instance."""
        trajectory = run.trajectory
        if (trajectory.algorithm, trajectory.instance) != (job.algorithm, job.instance):
            raise ValueError(
                f"expected the run of the job, {job.algorithm!r} on instance {job.instance!r}, "
                f"got one of {trajectory.algorithm!r} on {trajectory.instance!r}"
            )
        if trajectory.failed == (run.status == "done"):
            raise ValueError(
                f"expected a trajectory with failed=True unless the status is 'done', got status {run.status!r} "
                f"and failed={trajectory.failed}"
            )
        self._write(
            "INSERT OR REPLACE INTO run VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                job.algorithm,
                int(job.instance),
                str(job.seed),
                str(job.instance_seed),
                float(job.until),
                trajectory.known_until,
                float(run.reached),
                trajectory.maximise,
                run.status,
                run.message,
                float(run.seconds),
                float(run.cpu_seconds),
                time.time(),
                np.concatenate([trajectory.times, trajectory.values]).astype("<f8", copy=False).tobytes(),
            ),
        )

    def runs(self) -> dict[tuple[str, int], Run]:
        """Return every stored run by (algorithm, instance), sorted by this key rather than by time of storage."""
        rows = self._read(
            "SELECT algorithm, instance, until, maximise, events, reached, status, message, seconds, cpu_seconds "
            "FROM run"
        )
        rows.sort(key=itemgetter(0, 1))
        return {(row[0], row[1]): _decode_run(self.path, *row) for row in rows}

    def append(self, kind: str, data: Any) -> int:
        """Append an event, a kind with any JSON value, to the journal, and return its number, counted from 1."""
        text = _json(data, f"the data of the event {kind!r}")
        number = self._write(
            "INSERT INTO event (kind, data, time) VALUES (?, ?, ?)", (kind, text, time.time())
        ).lastrowid
        assert number is not None
        return number

    def events(self) -> list[Event]:
        """Return the journal in the order in which it was written."""
        rows = self._read("SELECT number, kind, data, time FROM event ORDER BY number")
        return [Event(number, kind, json.loads(data), when) for number, kind, data, when in rows]

    def copy_to(self, path: str | PathLike[str]) -> None:
        """Write a copy of the current file, even while it is being written; raise if the name exists."""
        with publish_when_complete(resolve_new(path)) as unfinished:
            schema.copy(self._connection, unfinished)

    def _read(self, statement: str) -> list[Any]:
        with translate_errors(self.path):
            return self._connection.execute(statement).fetchall()

    def _write(self, statement: str, values: tuple[Any, ...]) -> sqlite3.Cursor:
        if self._lock is None:
            raise ValueError(f"{self.path} is not open for writing; use RaceFile.open(path, write=True)")
        with translate_errors(self.path):
            return self._connection.execute(statement, values)


def _decode_run(
    path: Path,
    algorithm: str,
    instance: int,
    until: float,
    maximise: int,
    events: bytes,
    reached: float,
    status: Status,
    message: str,
    seconds: float,
    cpu_seconds: float,
) -> Run:
    """Return a run from a row of the table; the path is for the error message."""
    count, rest = divmod(len(events), 16)
    if rest:
        raise ValueError(
            f"{path} is damaged: the run of {algorithm!r} on instance {instance} has an incomplete event; restore it "
            "from a copy"
        )
    numbers = np.frombuffer(events, dtype="<f8").astype(np.float64, copy=False)
    # The trajectory was checked before it was stored; checking it again would take most of the time of opening a long
    # race.
    trajectory = object.__new__(Trajectory)
    trajectory.__dict__.update(
        algorithm=algorithm,
        instance=instance,
        times=numbers[:count],
        values=numbers[count:],
        until=until,
        failed=status != "done",
        maximise=bool(maximise),
        cluster=None,
        finished=status == "done" and until == math.inf,
    )
    return Run(trajectory, reached, status, message, seconds, cpu_seconds)


def _json(value: Any, what: str) -> str:
    """Return a value as JSON; `what` names it in the error message."""
    try:
        return json.dumps(value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"expected JSON (numbers, strings, lists, dicts, None) as {what}; {error}") from error
