"""Sources of files: a folder, or (in `archives`) an archive.

A source gives its readers names and streams, never access to the disk. The module also holds the helpers that make
foreign files safe to read: limits on lines and sizes, and checks of paths.
"""

from __future__ import annotations

import io
import os
import posixpath
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

    Links are followed within the folder: each file counts once, under its real name if that is not hidden. Links that
    lead out of the folder are reported and never read.

    Parameters
    ----------
    root
        The folder.
    named
        The file in it that the user named, which may be a link to any place.
    """

    def __init__(self, root: Path, named: str | None = None) -> None:
        self.root = root
        self.named = named
        self._real_root = Path(os.path.realpath(root))

    def paths(self, ledger: Ledger) -> list[str]:
        paths: dict[str, str] = {}  # from real names to names
        folders, links = {str(self._real_root)}, self._walk(self.root, paths)
        # Real folders come first. A link adds only what they lack, such as files in hidden folders; so no loop is endless.
        while links:
            link = links.pop(0)
            real = os.path.realpath(link)
            if not self._holds(real):
                ledger.skip(self.name(self._inside(link)), Reason.OUTSIDE_LINK)
            elif not Path(real).is_dir():
                paths.setdefault(real, self._inside(link))
            elif real not in folders:
                folders.add(real)
                links += self._walk(link, paths)
        return sorted(paths.values(), key=natural_sort_key)

    def name(self, path: str) -> str:
        return replace_surrogates(path)

    def open(self, path: str) -> BinaryIO:
        file = self.root / path
        if path != self.named and not self._holds(os.path.realpath(file)):
            raise UnreadableError(Reason.OUTSIDE_LINK)
        if not stat.S_ISREG(file.stat().st_mode):  # opening a pipe would block forever
            raise UnreadableError(Reason.NOT_REGULAR)
        return file.open("rb")

    def _walk(self, start: Path, paths: dict[str, str]) -> list[Path]:
        """Add the files below a folder to `paths`, under their real names, and return the links below it."""
        links: list[Path] = []
        for folder, folders, files in os.walk(start):
            folders[:] = [name for name in folders if not name.startswith((".", "__MACOSX"))]
            real = os.path.realpath(folder)
            links += [path for name in folders if (path := Path(folder, name)).is_symlink()]
            for name in (name for name in files if not name.startswith(".")):
                path = Path(folder, name)
                if path.is_symlink():
                    links.append(path)
                else:
                    paths.setdefault(f"{real}{os.sep}{name}", self._inside(path))
        return sorted(links, key=lambda path: natural_sort_key(str(path)))

    def _inside(self, path: Path) -> str:
        return str(PurePosixPath(*path.relative_to(self.root).parts))

    def _holds(self, real: str) -> bool:
        return Path(real).is_relative_to(self._real_root)


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
    if not is_below(reference):
        raise UnreadableError(Reason.OUTSIDE_REFERENCE, reference=quote(reference))
    # Strings rather than paths: an archive has tens of thousands of references.
    return posixpath.normpath(posixpath.join(posixpath.dirname(index), reference.replace("\\", "/")))


def is_below(name: str) -> bool:
    """Return whether a relative path stays below its starting folder on every operating system.

    Examples
    --------
    >>> [is_below(name) for name in ("a/b.dat", "../b", "/etc/passwd", "C:/b", "a/../../b")]
    [True, False, False, False, False]
    """
    path = name.replace("\\", "/")
    has_drive = path[1:2] == ":" and path[0].isalpha() and path[0].isascii()
    named = path.strip("./") != ""
    return named and not path.startswith("/") and ".." not in path.split("/") and not has_drive and "\0" not in name


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
