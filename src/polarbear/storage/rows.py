"""The rows of a race file: encoding, checking and decoding."""

from __future__ import annotations

import json
import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.findings import RunFailure
from polarbear.observe import Trajectory
from polarbear.race.jobs import Run
from polarbear.race.serialisation import from_plain, to_plain
from polarbear.storage.checksums import WRONG_TYPES, about_checksum, event_checksum, run_checksum

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from polarbear.race.jobs import Job

Row = tuple[Any, ...]

# The columns that a checksum covers; the checksum itself is the last column of each table.
COLUMNS = {
    "about": "key, value",
    "run": (
        "algorithm, instance, seed, instance_seed, budget, known, reached, maximise, status, cluster, error, "
        "traceback, output, seconds, cpu_seconds, ended, events"
    ),
    "event": "number, kind, data, time",
}


@dataclass(frozen=True)
class Event:
    """One entry in the journal of a race: its number, its kind, its data, and when it was stored."""

    number: int
    kind: str
    data: Any
    time: float


@dataclass(frozen=True)
class Checked:
    """The rows of one table: those that are intact, without their checksums, and a description of each damaged one."""

    intact: list[Row]
    damage: list[str]


def _insertion(table: str, *, verb: str = "INSERT", conflict: str = "") -> str:
    columns = COLUMNS[table]
    return f"{verb} INTO {table} ({columns}, checksum) VALUES ({'?, ' * (columns.count(',') + 1)}?){conflict}"


# The SQL that inserts a row with its checksum. A run replaces an earlier one, and a value of `about` takes its place.
INSERTIONS = {
    "about": _insertion(
        "about", conflict=" ON CONFLICT DO UPDATE SET value = excluded.value, checksum = excluded.checksum"
    ),
    "run": _insertion("run", verb="INSERT OR REPLACE"),
    "event": _insertion("event"),
}


def check(table: str, found: Iterable[Row]) -> Checked:
    """Compare the rows of a table, each with its checksum as the last value, with their checksums.

    An event is compared with the stored checksum of the previous one, so that one damaged event does not condemn all
    later ones.
    """
    checksum, describe = _CHECKSUMS[table], _DESCRIPTIONS[table]
    intact, damage, previous = [], [], b""
    for row in found:
        content, stored = row[:-1], row[-1]
        try:
            right = checksum(content, previous) == stored
        except WRONG_TYPES:
            right = False
        if right:
            intact.append(content)
        else:
            damage.append(describe(row))
        previous = stored if isinstance(stored, bytes) else b""
    return Checked(intact, damage)


def check_end(journal: Checked, last: Any) -> Checked:
    """Return the events, with the damage that some are missing at the end: the last one should have the number `last`."""
    found = len(journal.intact) + len(journal.damage)
    if isinstance(last, int) and last <= found:
        return journal
    return Checked(journal.intact, [*journal.damage, f"the journal, which ends at entry {found} instead of {last!r}"])


def with_checksums(table: str, contents: Iterable[Row]) -> Iterator[Row]:
    """Yield rows of a table with their checksums."""
    checksum, previous = _CHECKSUMS[table], b""
    for row in contents:
        previous = checksum(row, previous)
        yield (*row, previous)


_CHECKSUMS: dict[str, Callable[[Sequence[Any], bytes], bytes]] = {
    "about": lambda row, _: about_checksum(row),
    "run": lambda row, _: run_checksum(row),
    "event": event_checksum,
}
_DESCRIPTIONS: dict[str, Callable[[Row], str]] = {
    "about": lambda row: f"the entry {row[0]!r} of `about`",
    "run": lambda row: f"the run of {row[0]!r} on instance {row[1]!r}",
    "event": lambda row: f"entry {row[0]!r} of the journal",
}


def encode_run(run: Run, job: Job) -> Row:
    """Return the row of a run, with its checksum."""
    trajectory = run.trajectory
    failure = run.failure or RunFailure("", output=run.output)
    row = (
        job.algorithm,
        int(job.instance),
        str(job.seed),
        str(job.instance_seed),
        float(job.budget),
        float(trajectory.known_to),
        float(run.reached),
        int(trajectory.maximise),
        run.status,
        _encode_cluster(run),
        failure.error,
        failure.traceback,
        failure.output,
        float(run.seconds),
        float(run.cpu_seconds),
        time.time(),
        np.concatenate([trajectory.budgets, trajectory.values]).astype("<f8", copy=False).tobytes(),
    )
    return (*row, run_checksum(row))


def _encode_cluster(run: Run) -> str:
    """Return the cluster of a run as JSON; raise a ValueError unless an equal one can be read back."""
    cluster = run.trajectory.cluster
    try:
        text = json.dumps(to_plain(cluster))
        if from_plain(json.loads(text)) == cluster:
            return text
    except ValueError:
        pass
    raise ValueError(
        f"expected text, numbers or tuples of these as the cluster of instance {run.trajectory.instance}, which a race "
        f"file can store, got {cluster!r}; label the recordings with these, or race without a path"
    )


def encode_event(number: int, kind: str, text: str, previous: bytes) -> Row:
    """Return the row of an event that is stored now, with its checksum."""
    row = number, kind, text, time.time()
    return (*row, event_checksum(row, previous))


def encode_about(key: str, text: str) -> Row:
    """Return the row of a key and its value, with its checksum."""
    return key, text, about_checksum((key, text))


def decode_run(row: Row) -> Run:
    """Return the run of an intact row."""
    algorithm, instance, _, _, _, end, reached, maximise, status, cluster, *texts, wall, cpu, _, events = row
    count = len(events) // 16
    numbers = np.frombuffer(events, dtype="<f8").astype(np.float64, copy=False)
    # The trajectory was checked before it was stored; checking it again would take most of the time of opening a long
    # race.
    trajectory = Trajectory.of_checked(
        algorithm=algorithm,
        instance=instance,
        budgets=numbers[:count],
        values=numbers[count:],
        end=end,
        failed=status != "done",
        maximise=bool(maximise),
        cluster=from_plain(json.loads(cluster)),
        archive=None,
        finished=status == "done" and end == math.inf,
    )
    failure = None if status == "done" else RunFailure(*texts)
    return Run(trajectory, reached, status, failure, texts[-1] if failure is None else "", wall, cpu)


def decode_event(row: Row) -> Event:
    """Return the event of an intact row."""
    number, kind, data, when = row
    return Event(number, kind, json.loads(data), when)


def decode_about(found: Iterable[Row]) -> dict[str, Any]:
    """Return the values of intact rows by key."""
    return {key: json.loads(value) for key, value in found}
