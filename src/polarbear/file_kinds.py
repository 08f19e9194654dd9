"""Recognise what a file is by its first bytes: a race file, a saved posterior, or something else."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zipfile import BadZipFile, ZipFile

from polarbear.wording import suggest

if TYPE_CHECKING:
    from pathlib import Path

CREATES_RACES = "`polarbear race` creates race files"
_SQLITE, _ZIP = b"SQLite format 3\0", b"PK"  # npz files are zip archives


def require_exists(path: Path) -> None:
    """Raise an error unless a path leads to a file or a folder."""
    if path.is_symlink() and not path.exists():
        raise FileNotFoundError(
            f"{path} is a symbolic link to {path.readlink()}, which does not lead to a file; {CREATES_RACES}"
        )
    if not path.exists():
        others = sorted(each.name for each in path.parent.glob("*.race"))
        hint = suggest(path.name, others) or (f"choose one of {', '.join(others)}" if others else CREATES_RACES)
        raise FileNotFoundError(f"there is no file {path}; {hint}")
    if not path.is_file() and not path.is_dir():  # reading a pipe might wait for ever
        raise ValueError(f"expected a file or a folder, got a pipe, socket or device at {path}; name a file")


def is_race_file(path: Path) -> bool:
    """Return whether a file is an SQLite database other than an archive of Optuna studies."""
    from polarbear.importers.optuna import holds_studies

    return path.is_file() and _begins_with(path, _SQLITE) and not holds_studies(path)


def is_posterior_file(path: Path) -> bool:
    """Return whether a file is a saved posterior: an archive of arrays, or at least named like one."""
    if path.is_dir():
        return False
    if path.suffix == ".npz":
        return True
    if not _begins_with(path, _ZIP):
        return False
    try:
        with ZipFile(path) as archive:
            return all(name.endswith(".npy") for name in archive.namelist())
    except BadZipFile:
        return False


def _begins_with(path: Path, magic: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(magic)) == magic
