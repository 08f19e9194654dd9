"""The one place where outputs are written: results, pages, figures and tables.

`write_output` replaces an earlier output of the same kind. It never replaces a race file, an input of the command or a
configuration, and files of another origin only by force. Pages, figures, posteriors, LaTeX, Markdown and Parquet files carry
PolarBear's name. A CSV or JSON file is an earlier output if it has the same columns or keys.

A file gets its name when it is complete, so a failed write leaves the old file intact and nothing else behind.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import stat
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike

# "PBRF", for the header field by which programs mark their SQLite files.
APPLICATION_ID = 0x50425246

# How files of a kind begin, and the mark of those that PolarBear wrote.
_MARKS = (
    (b"<!doctype html", b'<meta name="generator" content="PolarBear">'),
    (b"<?xml", b"<dc:title>PolarBear</dc:title>"),
    (b"%PDF", b"/Creator (PolarBear)"),
    (b"\x89PNG", b"Software\0PolarBear"),
    (b"\x89HDF", b"PolarBear"),
    (b"PAR1", b"PolarBear"),
    (b"PK\3\4", b"about.npy"),
)
_WRITTEN = b"Written by PolarBear"  # in a comment, wherever a format has comments
_COMMENTS = {"tex": "% {}\n", "md": "<!-- {} -->\n"}
_END = 1 << 20  # bytes at either end of a file in which a mark is looked for

_REASONS = {
    errno.ENOSPC: "the disk is full; free some space, or choose another disk",
    errno.EDQUOT: "the quota of this user is used up; free some space, or choose another disk",
    errno.EFBIG: "it is larger than this process may write (ulimit -f); raise that limit",
    errno.EROFS: "the disk is read-only; choose another disk",
    errno.EACCES: "this user has no permission to write in its folder; choose another folder",
    errno.EPERM: "this user has no permission to write in its folder; choose another folder",
    errno.ENAMETOOLONG: "its name is too long; choose a shorter one",
}


def with_mark(text: str, kind: str) -> str:
    r"""Return text of a format such as "tex" for a file, with a last comment that says who wrote it if the format has any.

    Examples
    --------
    >>> with_mark("a & b\n", "tex"), with_mark("a,b\n", "csv")
    ('a & b\n% Written by PolarBear\n', 'a,b\n')
    """
    return text + _COMMENTS.get(kind, "").format(_WRITTEN.decode())


def check_output(
    path: str | PathLike[str],
    *,
    inputs: Iterable[Path | None] = (),
    force: bool = False,
    configuration: bool = False,
) -> None:
    """Raise an error, before any work is done, if `write_output` would refuse this file.

    Without `force`, an existing file needs PolarBear's mark. The options are those of `write_output`.
    """
    place = Path(path)
    with naming(place):
        exists = _is_replaceable(place, inputs, configuration=configuration)
        if exists and not force and _origin(_ends(place)) is None:
            _refuse_other_origin(place)


def write_output(
    path: str | PathLike[str],
    content: str | bytes,
    *,
    inputs: Iterable[Path | None] = (),
    force: bool = False,
    configuration: bool = False,
) -> None:
    """Write a file, and replace an earlier output of the same kind atomically.

    Parameters
    ----------
    path
        The file. Pipes and devices are written to directly.
    content
        Everything that the file will hold; text is encoded in UTF-8.
    inputs
        Files and folders that the command reads, which are never replaced.
    force
        Whether to replace a file of another origin, too.
    configuration
        Whether the content is a configuration: only another configuration replaces one, and only by `force`.
    """
    place, data = Path(path), content.encode() if isinstance(content, str) else content
    with naming(place):
        exists = _is_replaceable(place, inputs, configuration=configuration)
        if exists and not force and (configuration or not _is_earlier_output(place, data)):
            _refuse_other_origin(place)
        if place.exists() and not place.is_file():  # a pipe or a device
            with place.open("wb") as stream:
                stream.write(data)
        else:
            _replace(place.resolve(), data)


def _replace(target: Path, data: bytes) -> None:
    """Write a file beside the target, and give it the target's name when it is complete."""
    unfinished = target.with_name(f".polarbear-{secrets.token_hex(8)}.tmp")
    try:
        with unfinished.open("xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            unfinished.chmod(stat.S_IMODE(target.stat().st_mode))
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


@contextmanager
def naming(place: Path) -> Iterator[None]:
    """Turn an error of the operating system into a sentence with the name of the file and the reason."""
    try:
        yield
    except OSError as error:
        if error.errno is None:  # a sentence already
            raise
        reason = _REASONS.get(error.errno, f"{os.strerror(error.errno)}; choose another file")
        raise type(error)(f"could not write {place}: {reason}") from error


def _is_replaceable(place: Path, inputs: Iterable[Path | None], *, configuration: bool = False) -> bool:
    """Return whether there is a file with content at a place; raise an error if no output may be written there."""
    try:
        found = place.stat()
    except FileNotFoundError:
        found = None
    except NotADirectoryError:
        raise FileNotFoundError(f"there is no folder {place.parent} for {place.name}; create it first") from None
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise ValueError(f"{place} is a symbolic link that leads to itself; choose another file") from None
    if found is not None and stat.S_ISDIR(found.st_mode):
        raise ValueError(f"expected a file to write, got the folder {place}; add a file name")
    target = place.resolve()
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {place.parent} for {place.name}; create it first")
    others = [each for each in inputs if each is not None]
    if any(target == each.resolve() or (found and each.exists() and each.samefile(place)) for each in others):
        _refuse_input(place)
    if found is None or not stat.S_ISREG(found.st_mode) or found.st_size == 0:
        return False
    if not os.access(place, os.R_OK | os.W_OK):
        raise PermissionError(f"this user has no permission to replace {place}; choose another file")
    if _is_race_file(target):
        raise ValueError(f"{place} is a race file, which no output replaces; choose another file")
    if place.suffix == ".toml" and not configuration:
        raise ValueError(f"{place} is a configuration, which no output replaces; choose another file")
    folders = [each.resolve() for each in others if each.is_dir()]
    if any(target.is_relative_to(each) for each in folders) and _origin(_ends(place)) is None:
        _refuse_input(place)
    return True


def _refuse_input(place: Path) -> NoReturn:
    raise ValueError(
        f"{place} has another role in this command, as an input or as its race file; choose another file for the output"
    )


def _refuse_other_origin(place: Path) -> NoReturn:
    raise ValueError(
        f"expected a new name or an earlier output of the same kind, got the existing file {place}; choose another file, or "
        "replace it with --force (in Python, force=True)"
    )


def _is_race_file(path: Path) -> bool:
    """Return whether SQLite finds the mark of race files in a file, or keeps a journal beside it.

    SQLite reads the file itself: closing another descriptor of it would release the locks that this process holds on it.
    """
    import sqlite3
    from urllib.parse import quote

    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro&immutable=1", uri=True)) as connection:
            [(mark,)] = connection.execute("PRAGMA application_id")
    except sqlite3.Error:
        return any(path.with_name(path.name + end).exists() for end in ("-wal", "-journal"))
    return bool(mark == APPLICATION_ID)


def _is_earlier_output(place: Path, data: bytes) -> bool:
    """Return whether a file carries the same mark as new content or, where there is none, the same columns or keys."""
    origin = _origin(data)
    if origin is not None:
        return _origin(_ends(place)) == origin
    header = _header(data)
    return header is not None and _header(place.read_bytes()) == header


def _ends(place: Path) -> bytes:
    """Return the two ends of a file, or all of it if it is short."""
    with place.open("rb") as stream:
        first = stream.read(2 * _END)
        if len(first) < 2 * _END:
            return first
        stream.seek(-_END, os.SEEK_END)
        return first + stream.read()


def _origin(content: bytes) -> bytes | None:
    """Return how files of this kind begin if the content carries PolarBear's mark, otherwise None."""
    ends = content if len(content) <= 2 * _END else content[:_END] + content[-_END:]
    marked = (begin for begin, mark in _MARKS if ends.startswith(begin) and mark in ends)
    return next(marked, _WRITTEN if _WRITTEN in ends[-100:] else None)


def _header(content: bytes) -> object:
    """Return the keys of JSON (of the first row in a list), or the first line of other text; None if it is no text."""
    try:
        text = content.decode()
        if text[:1] in ("{", "["):
            data = json.loads(text)
            first = data[0] if isinstance(data, list) and data else data
            return list(first) if isinstance(first, dict) else None
    except (ValueError, RecursionError):
        return None
    return None if "\0" in text else text.partition("\n")[0]
