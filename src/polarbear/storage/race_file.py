"""The race file: the runs, events and settings of one race, each stored in its own transaction."""

from __future__ import annotations

import json
import sqlite3
import threading
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Self

from polarbear.storage import rows, schema
from polarbear.storage.errors import damage_error, translate_errors
from polarbear.storage.lock import WriterLock
from polarbear.storage.new_file import publish_when_complete, remove_leftovers, resolve_new
from polarbear.storage.place import Presence, resolve

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike
    from pathlib import Path

    from polarbear.race.jobs import Job, Run
    from polarbear.storage.rows import Event


class RaceFile:
    """A race on disk, created by `RaceFile.create` or opened by `RaceFile.open`.

    Use it in a `with` block, or call `close`. A file has at most one writer and any number of readers at a time;
    readers always find complete runs and events. Methods may be called from any thread. Whatever is read is compared
    with its checksum first, and DamagedRaceFile is raised if it is damaged (see `polarbear.storage.checksums`).

    Examples
    --------
    >>> import tempfile
    >>> from polarbear import Trajectory
    >>> from polarbear.race.jobs import Job, Run
    >>> path = tempfile.mkdtemp() + "/my.race"
    >>> with RaceFile.create(path, {"seed": 7}) as file:
    ...     job = Job("cma", instance=0, budget=100, seed=1, instance_seed=2)
    ...     file.add_run(Run(Trajectory("cma", 0, [10, 50], [3.0, 1.0], end=100), reached=100), job)
    ...     file.append("round", {"dropped": []})
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
        self._presence = Presence.of(path)
        self._change: str | None = None
        self._writing = threading.Lock()
        # What a writer needs to write the file again if it disappears; the race has the runs in memory.
        self._stored: dict[str, list[rows.Row]] = {}
        for table in ("about", "event") if lock else ():
            self._read_checked(table)

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
            remove_leftovers(place.parent)
            with publish_when_complete(place) as unfinished:
                schema.fill(unfinished, {"about": texts.items()})
            return cls._connect(place, lock)
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
        place = resolve(path)
        schema.check_identity(place)
        lock = WriterLock(place) if write else None
        try:
            return cls._connect(place, lock)
        except BaseException:
            if lock is not None:
                lock.release()
            raise

    @classmethod
    def _connect(cls, place: Path, lock: WriterLock | None) -> Self:
        connection = schema.connect(place, write=lock is not None)
        try:
            return cls(place, connection, lock)
        except BaseException:
            connection.close()
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
        return rows.decode_about(self._read_checked("about"))

    def set_about(self, key: str, value: Any) -> None:
        """Store a JSON value under a key, and replace an earlier one."""
        row = rows.encode_about(key, _json(value, f"about[{key!r}]"))
        with self._writing:
            self._write("about", row)
            self._stored["about"] = [each for each in self._stored["about"] if each[0] != key] + [row[:-1]]

    @property
    def writable(self) -> bool:
        """Whether the file is open for writing."""
        return self._lock is not None

    @property
    def last_event(self) -> int:
        """The number of the last event in the journal; 0 if there is none."""
        with self._writing:
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
        row = rows.encode_run(run, job)
        with self._writing:  # on Python 3.13, threads that execute the same statement at once lose rows
            self._write("run", row)

    def runs(self) -> dict[tuple[str, int], Run]:
        """Return every stored run by (algorithm, instance), sorted by this key rather than by time of storage."""
        found = sorted(self._read_checked("run"), key=itemgetter(0, 1))
        return {(row[0], row[1]): rows.decode_run(row) for row in found}

    def append(self, kind: str, data: Any) -> int:
        """Append an event, a kind with any JSON value, to the journal, and return its number, counted from 1."""
        text = _json(data, f"the data of the event {kind!r}")
        self._require_writer()
        with self._writing:
            # Read each time, since Ctrl-C may come between writing to the file and changing memory.
            last = self._read("SELECT number, checksum FROM event ORDER BY number DESC LIMIT 1")
            number, previous = last[0] if last else (0, b"")
            row = rows.encode_event(number + 1, kind, text, previous)
            self._write("event", row)
            self._stored["event"].append(row[:-1])
        return int(row[0])

    def events(self) -> list[Event]:
        """Return the journal in the order in which it was written."""
        return [rows.decode_event(row) for row in self._read_checked("event")]

    def copy_to(self, path: str | PathLike[str]) -> None:
        """Write a copy of the current file, even while it is being written; raise if the name exists."""
        with publish_when_complete(resolve_new(path)) as unfinished:
            schema.copy(self._connection, unfinished)

    def find_change(self) -> str | None:
        """Return what has happened to the file under its name, such as "was deleted or renamed"; None if nothing has.

        Only a writer notices that the file was overwritten, and not while another program reads it. A change is never
        forgotten: what is written after it may go to the wrong file.
        """
        self._change = self._change or self._presence.find_change() or self._find_overwriting()
        return self._change

    def _find_overwriting(self) -> str | None:
        if self._lock is None:
            return None
        with self._writing:
            found = schema.read_merged(self._connection, self.path)
            if found is None:
                return None
            if found.origin != sorted(row[:2] for row in self._stored["about"] if row[0] in schema.ORIGIN):
                return "was overwritten by another program"
            try:
                [(runs,)] = self._connection.execute("SELECT count(*) FROM run")
            except sqlite3.DatabaseError:
                return "was overwritten by another program"
            complete = found.runs >= runs and found.events >= len(self._stored["event"])
            return None if complete else "was overwritten by an older copy of its race"

    def write_again(self, path: str | PathLike[str], runs: Iterable[tuple[Run, Job]]) -> None:
        """Write the race to a new file without reading this one, which may be gone: a writer knows what it holds.

        Parameters
        ----------
        path
            The name of the new file.
        runs
            The runs of the race, which this object does not keep in memory.
        """
        content = {**self._stored, "run": [rows.encode_run(*each)[:-1] for each in runs]}
        with publish_when_complete(resolve_new(path)) as unfinished:
            schema.fill(unfinished, content)

    def _read(self, statement: str) -> list[Any]:
        with translate_errors(self.path):
            return self._connection.execute(statement).fetchall()

    def _read_checked(self, table: str) -> list[rows.Row]:
        """Return all rows of a table; raise DamagedRaceFile unless each one has its checksum."""
        with self._writing, translate_errors(self.path):
            checked = schema.read(self._connection, table)
            if checked.damage:
                raise damage_error(self.path, checked.damage)
            if self._lock is not None and table != "run":
                self._stored[table] = list(checked.intact)
        return checked.intact

    def _require_writer(self) -> None:
        if self._lock is None:
            raise ValueError(f"{self.path} is not open for writing; use RaceFile.open(path, write=True)")

    def _write(self, table: str, row: rows.Row) -> None:
        self._require_writer()
        with translate_errors(self.path):
            self._connection.execute(rows.INSERTIONS[table], row)


def _json(value: Any, what: str) -> str:
    """Return a value as JSON; `what` names it in the error message."""
    try:
        return json.dumps(value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"expected JSON (numbers, strings, lists, dicts, None) as {what}; {error}") from error
