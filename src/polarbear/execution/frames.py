"""Messages between a driver and its worker: a JSON object and a binary blob, prefixed by their lengths."""

from __future__ import annotations

import json
import os
import struct
from typing import Any

_LENGTHS = struct.Struct("<IQ")


def frame(message: dict[str, Any], blob: bytes = b"") -> bytes:
    """Return a message and its blob as bytes.

    Examples
    --------
    >>> split(frame({"do": "load"}, b"payload"))
    ({'do': 'load'}, b'payload')
    """
    text = json.dumps(message).encode()
    return _LENGTHS.pack(len(text), len(blob)) + text + blob


def split(data: bytes | bytearray) -> tuple[dict[str, Any], bytes] | None:
    """Return the message and the blob that these bytes encode, or None while some bytes are missing."""
    if len(data) < _LENGTHS.size:
        return None
    text, blob = _LENGTHS.unpack_from(data)
    if len(data) < _LENGTHS.size + text + blob:
        return None
    message: dict[str, Any] = json.loads(data[_LENGTHS.size : _LENGTHS.size + text])
    return message, bytes(data[_LENGTHS.size + text : _LENGTHS.size + text + blob])


def read_frame(file: int) -> tuple[dict[str, Any], bytes] | None:
    """Read the next message and its blob; return None at the end of the stream."""
    head = _read(file, _LENGTHS.size)
    if head is None:
        return None
    text, blob = _LENGTHS.unpack(head)
    body = _read(file, text + blob)
    return None if body is None else (json.loads(body[:text]), body[text:])


def write_frame(file: int, message: dict[str, Any]) -> None:
    """Write a message without a blob."""
    data = memoryview(frame(message))
    while data:
        data = data[os.write(file, data) :]


def _read(file: int, size: int) -> bytes | None:
    chunks = []
    while size:
        chunk = os.read(file, min(size, 1 << 20))
        if not chunk:
            return None
        chunks.append(chunk)
        size -= len(chunk)
    return b"".join(chunks)
