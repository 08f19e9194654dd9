"""Creation of a file that appears under its name only when it is complete, and never replaces another one."""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike


def resolve_new(path: str | PathLike[str]) -> Path:
    """Return the resolved path of a new file; raise if the file exists or its folder does not."""
    place = Path(path).resolve()
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
    unfinished.touch(exist_ok=False)
    try:
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
