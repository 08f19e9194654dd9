"""Recognise what a file is by its first bytes: a race file, a saved posterior, or something else."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from zipfile import BadZipFile, ZipFile

from polarbear.wording import suggest

if TYPE_CHECKING:
    from pathlib import Path

CREATES_RACES = "`polarbear race` creates race files"
_MANY = 1000  # files of a folder that are compared with a name
_SQLITE, _ZIP = b"SQLite format 3\0", b"PK"  # npz files are zip archives


def require_exists(path: Path) -> None:
    """Raise an error unless a path leads to a file or a folder."""
    if path.is_symlink() and not path.exists():
        raise FileNotFoundError(
            f"{path} is a symbolic link to {path.readlink()}, which does not lead to a file; {CREATES_RACES}"
        )
    if not path.exists():
        others = sorted(each.name for each in path.parent.glob("*.race"))
        near = suggest(path.name, [each.name for each in path.parent.glob("*")][:_MANY])
        hint = near or (f"choose one of {', '.join(others)}" if others else "check the name")
        if path.suffix == ".race" and not others and not near:
            hint = CREATES_RACES
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


class _Other(NamedTuple):
    """What a file without runs looks like, by its first bytes or its ending, and what to do with it."""

    kind: str
    endings: tuple[str, ...]
    step: str
    beginning: bytes = b""


_MADE_FROM = "give the file that it was made from"
_OTHERS = (
    _Other("a configuration", (".toml",), "start its race with: polarbear race {path}"),
    _Other("a web page", (".html", ".htm"), _MADE_FROM, b"<!doctype html"),
    _Other("a PDF", (".pdf",), _MADE_FROM, b"%pdf"),
    _Other("a picture", (".png", ".svg", ".jpg"), _MADE_FROM, b"\x89png"),
    _Other("a program", (".py", ".sh", ".r"), "race it as an algorithm of a race.toml", b"#!"),
    _Other("a text", (".md", ".rst"), "give a table, such as a .csv file"),
    _Other("a file of R", (".rds", ".rdata"), "write it as a table in R: write.csv(readRDS(...), 'runs.csv')"),
)


def refuse_other_kinds(path: Path) -> None:
    """Raise an error for a file that is empty, or that looks like something without runs."""
    if not path.is_file():
        return
    with path.open("rb") as file:
        start = file.read(64).lstrip().lower()
    wanted = "expected a race file, a saved result, or recorded runs"
    if path.stat().st_size == 0:
        raise ValueError(f"{wanted}, got the empty file {path}; check what wrote it")
    for other in _OTHERS:
        if (other.beginning and start.startswith(other.beginning)) or path.suffix.lower() in other.endings:
            raise ValueError(f"{wanted}, got {other.kind} in {path}; {other.step.format(path=path)}")
