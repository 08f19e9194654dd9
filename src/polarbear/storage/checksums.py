"""Checksums of a race file, by which damaged rows are recognised.

What is hashed: each row of the tables `about`, `run` and `event` has a checksum of all of its other columns, 16 bytes of
BLAKE2b, in its column `checksum`. The checksum of an event also covers the checksum of the event before it, so the journal
is a chain: an event that is missing, replaced or moved breaks it at the next one. The number of the last event is stored a
second time, in SQLite's own counter `sqlite_sequence`, so a missing end of the journal is noticed, too.

When it is checked: whenever rows are read, before anything in them is used. Opening a race reads all rows, so it checks
all of them, and each row is read only once. SQLite checks the structure of the file separately (`schema`).

What it protects against: damage by disks, memory, copies and other programs. It is not a signature: a program that
changes a file on purpose can compute new checksums.
"""

from __future__ import annotations

import struct
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

_SIZE = 16  # bytes; a damaged row has the right checksum by chance with probability 2 ** -128

_RUN_NUMBERS = struct.Struct("<qq6dq")
_EVENT_NUMBERS = struct.Struct("<qd2q")

# What a row raises whose values do not have the types that its table has, or whose text is not UTF-8.
WRONG_TYPES = (struct.error, AttributeError, TypeError, UnicodeError)


def about_checksum(row: Sequence[Any]) -> bytes:
    """Return the checksum of a key and its value."""
    return _hash(struct.pack("<q", len(row[0])), row[0].encode(), row[1].encode())


def run_checksum(row: Sequence[Any]) -> bytes:
    """Return the checksum of the columns of a run, in the order of the table."""
    algorithm, instance, seed, seed_2, asked, end, reached, maximise, status, *texts, wall, cpu, ended, events = row
    if len(events) % 16:
        raise TypeError("an incomplete pair of budget and value")
    text = "\0".join((algorithm, seed, seed_2, status, *texts)).encode()  # with the cluster, the failure and the output
    # SQLite stores -0.0 as 0.
    numbers = asked + 0.0, end + 0.0, reached + 0.0, wall + 0.0, cpu + 0.0, ended + 0.0
    return _hash(_RUN_NUMBERS.pack(instance, maximise, *numbers, len(text)), text, events)


def event_checksum(row: Sequence[Any], previous: bytes) -> bytes:
    """Return the checksum of the number, kind, data and time of an event, chained to the checksum of the event before it.

    The previous checksum of the first event is empty.
    """
    number, kind, data, when = row
    kind, data = kind.encode(), data.encode()
    return _hash(previous, _EVENT_NUMBERS.pack(number, when, len(kind), len(data)), kind, data)


def _hash(*parts: bytes) -> bytes:
    return blake2b(b"".join(parts), digest_size=_SIZE).digest()
