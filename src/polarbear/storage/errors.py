"""Conversion of SQLite's errors to exceptions whose messages say what to do."""

from __future__ import annotations

import errno
import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Convert SQLite errors in the block to OSError (a fault of the machine) or ValueError (a fault of the file).

    Each statement on a race file is its own transaction, so a statement that fails changes nothing.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise _explain(error, path) from error


def _explain(error: sqlite3.Error, path: Path) -> Exception:
    # The lowest byte is the kind of error; the others say where it occurred.
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_FULL:
            return OSError(
                errno.ENOSPC, f"no space left for {path}; everything stored before is safe: make room and try again"
            )
        case sqlite3.SQLITE_IOERR:
            return OSError(errno.EIO, f"the disk failed or is full while using {path}: {error}")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return OSError(errno.EROFS, f"{path} or its folder cannot be written: {error}")
        case sqlite3.SQLITE_CANTOPEN:
            return OSError(
                errno.EACCES, f"{path} cannot be opened: {error}; check the permissions of the file and its folder"
            )
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return TimeoutError(
                errno.ETIMEDOUT, f"another program has locked {path} for too long; close it and try again"
            )
        case sqlite3.SQLITE_CORRUPT:
            return ValueError(f"{path} is a damaged race file: {error}; restore it from a copy")
        case sqlite3.SQLITE_NOTADB:
            return ValueError(f"{path} is not a race file")
    if isinstance(error, sqlite3.ProgrammingError):
        return ValueError(f"{path} cannot be used: {error}")
    return OSError(errno.EIO, f"{path} cannot be used: {error}")
