"""The place of a race file: what lies there, and whether the file that was opened is still there."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike

_KINDS = {
    stat.S_IFDIR: "folder",
    stat.S_IFIFO: "named pipe",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}


def resolve(path: str | PathLike[str]) -> Path:
    """Return a path without symbolic links, so that two names of one file become one; raise if they form a loop."""
    try:
        place = Path(path).resolve()
        place.lstat()  # since Python 3.13, resolving a loop raises no error
    except FileNotFoundError:
        return place
    except (OSError, RuntimeError) as error:
        if isinstance(error, OSError) and error.errno != errno.ELOOP:
            raise
        raise ValueError(f"{path} is a symbolic link that leads to itself; remove it, or name the file") from None
    if place.is_symlink():
        raise ValueError(f"{path} is a symbolic link that leads to itself; remove it, or name the file")
    return place


def describe_kind(path: Path) -> str | None:
    """Return what lies at a path if it is no regular file, such as "named pipe", whose opening might wait for ever."""
    return _KINDS.get(stat.S_IFMT(path.stat().st_mode))


def require_file(path: Path) -> None:
    """Raise an error unless there is a file at `path` that this user can read and that is not empty."""
    if not path.exists():
        raise FileNotFoundError(f"there is no race file {path}; check the name, or create it")
    if kind := describe_kind(path):
        raise ValueError(f"{path} is not a race file but a {kind}; check the name")
    if not os.access(path, os.R_OK):
        raise PermissionError(f"this user has no permission to read {path}; ask its owner")
    if path.stat().st_size == 0:
        raise ValueError(f"{path} is not a race file but an empty file; remove it to create one of that name")


@dataclass
class Presence:
    """Notices when an open file is no longer what its name refers to.

    SQLite does not notice: it keeps writing to the file that it has opened, even if that file has no name any more.
    """

    path: Path
    _found: os.stat_result

    @classmethod
    def of(cls, path: Path) -> Presence:
        """Remember the file that has this name now."""
        return cls(path, path.stat())

    def find_change(self) -> str | None:
        """Return what has happened to the file since the last call, such as "was deleted or renamed", or None.

        A race file never shrinks, since nothing is deleted from it.
        """
        try:
            now = self.path.stat()
        except FileNotFoundError:
            return "was deleted or renamed"
        if not os.path.samestat(now, self._found):
            return "was replaced by another file"
        if now.st_size < self._found.st_size:
            return f"was truncated from {self._found.st_size:,} to {now.st_size:,} bytes"
        self._found = now
        return None
