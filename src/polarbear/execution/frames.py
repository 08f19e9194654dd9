"""Messages between a driver, its worker, the worker's templates and their runs.

A frame is a fixed mark, its kind, the token of its run, two lengths, a JSON object and a binary blob. The driver draws a
random token for every attempt at a run. Bytes that are not a frame of the expected run raise `InvalidFrame`: a run that
writes to arbitrary file descriptors can therefore end its own attempt, but cannot forge or shift a message.
"""

from __future__ import annotations

import json
import os
import struct
from enum import IntEnum
from typing import Any, NamedTuple

_MARK = b"PoBe"
_HEAD = struct.Struct("<4sB16sIQ")
_LONGEST_TEXT = 1 << 22  # bytes; the longest reply, a traceback of 20,000 characters, has 120 kB in JSON
NO_RUN = bytes(16)
"""The token of frames that belong to no run."""


class Kind(IntEnum):
    """What a frame says, and who sends it."""

    READY = 1  # worker: it has started
    JOB = 2  # driver: make this run
    NEED = 3  # worker: the payload of the job is missing
    LOAD = 4  # driver: the payload, the only frame with a blob
    LOADED = 5  # template: the libraries that the payload has imported
    STARTED = 6  # run: the set-up is over
    REPLY = 7  # run: how it ended
    CRASHED = 8  # template or worker: the process of the run ended without a reply
    INVALID = 9  # template or worker: the process of the run wrote something else


class InvalidFrame(ValueError):  # noqa: N818
    """The bytes are not a frame of the expected run."""


class Frame(NamedTuple):
    """One message."""

    kind: Kind
    token: bytes
    message: dict[str, Any]
    blob: bytes


def frame(kind: Kind, token: bytes, message: dict[str, Any] | None = None, blob: bytes = b"") -> bytes:
    """Return a message and its blob as bytes."""
    text = json.dumps(message or {}).encode()
    return _HEAD.pack(_MARK, kind, token, len(text), len(blob)) + text + blob


def write_frame(file: int, kind: Kind, token: bytes, message: dict[str, Any] | None = None) -> None:
    """Write a message without a blob."""
    data = memoryview(frame(kind, token, message))
    while data:
        data = data[os.write(file, data) :]


class Inbox:
    """The bytes received from one file, cut into frames.

    Examples
    --------
    >>> inbox = Inbox(frame(Kind.LOAD, NO_RUN, {"payload": "a"}, b"data"))
    >>> inbox.take().blob
    b'data'
    >>> inbox.take() is None
    True
    """

    def __init__(self, data: bytes = b"") -> None:
        self._data = bytearray(data)

    def receive(self, file: int) -> bool:
        """Read what the file has, at least one byte; return False at its end."""
        chunk = os.read(file, 1 << 16)  # what a pipe holds; more would cost memory from the system for every read
        self._data += chunk
        return bool(chunk)

    def take(self, token: bytes | None = None) -> Frame | None:
        """Return the first frame, or None while bytes are missing; with a token, only a frame of that run is valid."""
        data = self._data
        if not _MARK.startswith(data[: len(_MARK)]):
            raise InvalidFrame(f"expected a message, got {bytes(data[:32])!r}")
        if len(data) < _HEAD.size:
            return None
        _, number, found, text, blob = _HEAD.unpack_from(data)
        if number not in Kind.__members__.values() or text > _LONGEST_TEXT or (blob and number != Kind.LOAD):
            raise InvalidFrame(f"expected a message, got {bytes(data[:32])!r}")
        if token is not None and found != token:
            raise InvalidFrame("expected a message of this run, got one of another run")
        end = _HEAD.size + text + blob
        if len(data) < end:
            return None
        try:
            message = json.loads(data[_HEAD.size : _HEAD.size + text])
        except ValueError as error:
            raise InvalidFrame("expected a JSON object in a message") from error
        if not isinstance(message, dict):
            raise InvalidFrame("expected a JSON object in a message")
        result = Frame(Kind(number), found, message, bytes(data[_HEAD.size + text : end]))
        del data[:end]
        return result

    def read(self, file: int, token: bytes | None = None) -> Frame | None:
        """Wait for the next frame; return None at the end of the file."""
        while (message := self.take(token)) is None:
            if not self.receive(file):
                return None
        return message
