"""Creation of a file that appears under its name only when it is complete, and never replaces another one.

Until then its name ends in `.unfinished`, and it is locked. A killed process leaves it behind without the lock, so the
next creation in that folder knows that it can be removed.
"""

from __future__ import annotations

import re
import secrets
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from polarbear.storage.lock import RaceFileInUse, WriterLock
from polarbear.storage.place import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike
    from pathlib import Path

_UNFINISHED = re.compile(r"(.+\.[0-9a-f]{8}\.unfinished)(-journal|\.lock)?")


def resolve_new(path: str | PathLike[str]) -> Path:
    """Return the resolved path of a new file; raise if the file exists or its folder does not."""
    place = resolve(path)
    if place.exists():
        raise FileExistsError(f"{place} exists already; open it, or choose another name")
    if not place.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {place.parent} for {place.name}; create it first")
    return place


@contextmanager
def publish_when_complete(place: Path) -> Iterator[Path]:
    """Yield an empty file beside `place`, and give it that name atomically when the block has written it.

    A killed process therefore never leaves a partial file under the name.
    """
    unfinished = place.with_name(f"{place.name}.{secrets.token_hex(4)}.unfinished")
    lock = WriterLock(unfinished)
    try:
        unfinished.touch(exist_ok=False)
        yield unfinished
        try:
            place.hardlink_to(unfinished)  # Unlike renaming, linking never replaces an existing file.
        except FileExistsError:
            raise FileExistsError(
                f"{place} was created by another process in the meantime; open it, or choose another name"
            ) from None
        except OSError:  # A file system without links.
            unfinished.rename(resolve_new(place))
    finally:
        unfinished.unlink(missing_ok=True)
        lock.release()


def remove_leftovers(folder: Path) -> None:
    """Remove the unfinished files that killed processes have left in a folder; those in use stay."""
    found = [_UNFINISHED.fullmatch(each.name) for each in folder.iterdir()]
    for name in sorted({match[1] for match in found if match}):
        unfinished = folder / name
        with suppress(RaceFileInUse, OSError):  # in use, or another user's
            lock = WriterLock(unfinished)
            try:
                for each in (unfinished, folder / f"{name}-journal"):
                    each.unlink(missing_ok=True)
            finally:
                lock.release()
