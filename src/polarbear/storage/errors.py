"""Conversion of SQLite's errors to exceptions whose messages say what to do."""

from __future__ import annotations

import errno
import shlex
import sqlite3
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MOST_NAMED = 3  # damaged rows in a message; `polarbear verify` prints all of them


class DamagedRaceFile(ValueError):  # noqa: N818 (a state of the file)
    """The race file is damaged. `polarbear verify` shows what is damaged, and saves what is intact."""


def damage_error(path: Path, what: Sequence[str]) -> DamagedRaceFile:
    """Return the error for a damaged race file; `what` describes each fault."""
    more = len(what) - _MOST_NAMED
    named = "; ".join(map(_printable, what[:_MOST_NAMED])) + (f"; and {more:,} more" if more > 0 else "")
    return DamagedRaceFile(f"{path} is a damaged race file ({named}); {_advice(path)}")


def replay_error(path: Path, what: str) -> DamagedRaceFile:
    """Return the error for a race file whose rows can be read, but do not form a race."""
    return DamagedRaceFile(
        f"{path} is a damaged race file, or a newer PolarBear wrote it: {what}; upgrade PolarBear, {_advice(path)}"
    )


def format_error(path: Path, stored: int, known: int) -> ValueError:
    """Return the error for a race file of a format other than the known one."""
    if stored > known:
        return ValueError(
            f"{path} was written by a newer PolarBear (format {stored}, this version reads {known}); upgrade PolarBear to "
            "use it"
        )
    if stored < 1:
        return damage_error(path, [f"the format is {stored}, which no version of PolarBear has written"])
    return ValueError(
        f"{path} was written by PolarBear 0.{stored}, whose race files this version does not read; export its runs with "
        f"PolarBear 0.2 (polarbear export {_typed(path)} runs -o runs.csv) and read the table here (polarbear show "
        "runs.csv, with --clock seconds if that was the clock of the race)"
    )


def _printable(text: str) -> str:
    """Return a text on one line; what SQLite quotes from a damaged file may contain anything."""
    return "".join(each if each.isprintable() else "?" for each in " ".join(text.split()))


def _advice(path: Path) -> str:
    return f"restore it from a copy, or see what can be saved with: polarbear verify {_typed(path)}"


def _typed(path: Path) -> str:
    """Return a path as you would type it in the shell."""
    here = Path.cwd()
    return shlex.quote(str(path.relative_to(here) if path.is_relative_to(here) else path))


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Convert SQLite errors in the block to OSError (a fault of the machine) or ValueError (a fault of the file).

    Each statement on a race file is its own transaction, so a statement that fails changes nothing.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise _explain(error, path) from error
    except UnicodeDecodeError as error:  # SQLite quotes a damaged name in its message
        raise damage_error(path, ["its tables cannot be read"]) from error


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
        case sqlite3.SQLITE_NOTADB:
            return ValueError(
                f"{path} is not a race file, or its beginning is damaged; check its name, or restore it from a copy"
            )
        # Statements are fixed, so that a table or column which they do not find, or a value beyond all limits, is damage.
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_ERROR | sqlite3.SQLITE_TOOBIG | sqlite3.SQLITE_CONSTRAINT:
            return damage_error(path, [str(error)])
    if isinstance(error, sqlite3.ProgrammingError):
        return ValueError(f"{path} cannot be used: {error}")
    return OSError(errno.EIO, f"{path} cannot be used: {error}")
