"""Sources of files: a folder, or (in `archives`) an archive.

A source gives its readers names and streams, never access to the disk. The module also holds the helpers that make
foreign files safe to read: limits on lines and sizes, and checks of paths.
"""

from __future__ import annotations

import io
import os
import re
import stat
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, BinaryIO, Protocol

from polarbear.importers.foreign_text import quote, replace_surrogates
from polarbear.importers.reasons import Reason, UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from polarbear.importers.ledger import Ledger

LINE = 1_000_000  # characters; a point with 1,000 coordinates takes a fortieth of it


class Source(Protocol):
    """A set of files that readers open by name."""

    def paths(self, ledger: Ledger) -> list[str]:
        """Return the files as paths with "/", relative to the source, and report those that cannot be used."""

    def name(self, path: str) -> str:
        """Return the name of a file for messages."""

    def open(self, path: str) -> BinaryIO:
        """Open a file for reading."""


class Folder:
    """The files of a folder and of its subfolders.

    Parameters
    ----------
    root
        The folder.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def paths(self, ledger: Ledger) -> list[str]:
        paths: list[str] = []
        for folder, folders, files in os.walk(self.root):
            folders[:] = [name for name in folders if not name.startswith((".", "__MACOSX"))]
            inside = Path(folder).relative_to(self.root)
            paths += [str(PurePosixPath(*inside.parts, name)) for name in files if not name.startswith(".")]
        return sorted(paths, key=natural_sort_key)

    def name(self, path: str) -> str:
        return replace_surrogates(path)

    def open(self, path: str) -> BinaryIO:
        file = self.root / path
        if not stat.S_ISREG(file.stat().st_mode):  # opening a pipe would block forever
            raise UnreadableError(Reason.NOT_REGULAR)
        return file.open("rb")


def natural_sort_key(path: str) -> list[tuple[int, int | str]]:
    """Return a sort key that places part 2 before part 10.

    Examples
    --------
    >>> sorted(["part10.csv", "part2.csv"], key=natural_sort_key)
    ['part2.csv', 'part10.csv']
    """
    return [
        (0, int(part)) if part.isdecimal() and len(part) < 20 else (1, part) for part in re.split(r"([0-9]+)", path)
    ]


def resolve_reference(index: str, reference: str) -> str:
    r"""Return the path of a file to which an index refers.

    Parameters
    ----------
    index
        The index.
    reference
        A path relative to the index, as the index states it.

    Returns
    -------
    str
        The path in the source.

    Examples
    --------
    >>> resolve_reference("exp/IOHprofiler_f1.json", "data_f1\\IOHprofiler_f1_DIM5.dat")
    'exp/data_f1/IOHprofiler_f1_DIM5.dat'
    >>> resolve_reference("exp/IOHprofiler_f1.json", "../../secret")
    Traceback (most recent call last):
    ...
    polarbear.importers.reasons.UnreadableError: refers to '../../secret', which is not below it; ...
    """
    path = PurePosixPath(reference.replace("\\", "/"))
    if not is_below(reference):
        raise UnreadableError(Reason.OUTSIDE_REFERENCE, reference=quote(reference))
    return str(PurePosixPath(index).parent / path)


def is_below(name: str) -> bool:
    """Return whether a relative path stays below its starting folder on every operating system.

    Examples
    --------
    >>> [is_below(name) for name in ("a/b.dat", "../b", "/etc/passwd", "C:/b", "a/../../b")]
    [True, False, False, False, False]
    """
    path = PurePosixPath(name.replace("\\", "/"))
    drive = re.match(r"[A-Za-z]:", name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts and not drive and "\0" not in name


def text_lines(stream: BinaryIO, *, errors: str = "replace") -> Iterator[str]:
    """Yield the lines of a text file, with a limit on their length that protects memory.

    Parameters
    ----------
    stream
        The file.
    errors
        How to handle bytes that are not UTF-8, as in `open`.

    Yields
    ------
    str
        Lines with their line breaks.
    """
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors=errors, newline="")
    try:
        while line := text.readline(LINE):
            if len(line) == LINE and not line.endswith("\n"):
                raise UnreadableError(Reason.LONG_LINE, limit=LINE)
            yield line
    finally:
        if not stream.closed:
            text.detach()  # the caller opened the stream and closes it


def read_text(stream: BinaryIO, limit: int) -> str:
    """Return the text of an index file; refuse one above the limit in bytes."""
    content = stream.read(limit + 1)
    if len(content) > limit:
        raise UnreadableError(Reason.LARGE, megabytes=limit // 2**20)
    return content.decode("utf-8-sig", errors="replace")
