"""Where files lie: a folder, or (in `archives`) a zip archive. Readers see names and streams, never the disk."""

from __future__ import annotations

import io
import lzma
import os
import re
import stat
import struct
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, BinaryIO, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from polarbear.importers.ledger import Ledger

# What reading a foreign file may raise: the disk, broken compression, wrong encodings, passwords, absurd nesting.
FAULTS = (
    *(OSError, ValueError, EOFError, RuntimeError, ArithmeticError, LookupError),
    *(struct.error, zlib.error, lzma.LZMAError, zipfile.BadZipFile),
)

LINE = 1_000_000  # characters: a thousand coordinates of a point fit forty times


class Source(Protocol):
    """A set of files."""

    def paths(self, ledger: Ledger) -> list[str]:
        """Return the files, as paths with "/" relative to the source; report those that cannot be used."""

    def name(self, path: str) -> str:
        """Return what a user calls this file."""

    def open(self, path: str) -> BinaryIO:
        """Open a file for reading."""


class Folder:
    """The files of a folder, and of the folders in it.

    Parameters
    ----------
    root
        The folder.
    only
        A single file in it to begin with; what that file refers to is found beside it.
    """

    def __init__(self, root: Path, only: str | None = None) -> None:
        self.root = root
        self.only = only

    def paths(self, ledger: Ledger) -> list[str]:
        if self.only is not None:
            return [self.only]
        found = []
        for folder, folders, files in os.walk(self.root):
            folders[:] = [name for name in folders if not name.startswith((".", "__MACOSX"))]
            inside = Path(folder).relative_to(self.root)
            found += [str(PurePosixPath(*inside.parts, name)) for name in files if not name.startswith(".")]
        return sorted(found, key=natural)

    def name(self, path: str) -> str:
        return printable(path)

    def open(self, path: str) -> BinaryIO:
        file = self.root / path
        if not stat.S_ISREG(file.stat().st_mode):  # a pipe would be waited for without end
            raise ValueError("is not a regular file")
        return file.open("rb")


def printable(text: str) -> str:
    r"""Text that can be printed and stored everywhere: halves of characters, as broken names hold them, become "?".

    Examples
    --------
    >>> printable("Köln \ud800")
    'Köln ?'
    """
    return text.encode("utf-8", "replace").decode()


def natural(path: str) -> list[tuple[int, int | str]]:
    """Sort key by which part 2 comes before part 10.

    Examples
    --------
    >>> sorted(["part10.csv", "part2.csv"], key=natural)
    ['part2.csv', 'part10.csv']
    """
    return [
        (0, int(part)) if part.isdecimal() and len(part) < 20 else (1, part) for part in re.split(r"([0-9]+)", path)
    ]


def beside(index: str, reference: str) -> str:
    r"""Where a file is that another one refers to.

    Parameters
    ----------
    index
        The file that refers.
    reference
        What it says: a path relative to itself.

    Returns
    -------
    str
        The path in the source.

    Examples
    --------
    >>> beside("exp/IOHprofiler_f1.json", "data_f1\\IOHprofiler_f1_DIM5.dat")
    'exp/data_f1/IOHprofiler_f1_DIM5.dat'
    >>> beside("exp/IOHprofiler_f1.json", "../../secret")
    Traceback (most recent call last):
    ...
    ValueError: refers to '../../secret', which is not below it
    """
    path = PurePosixPath(reference.replace("\\", "/"))
    if not is_below(reference):
        raise ValueError(f"refers to {reference[:80]!a}, which is not below it")
    return str(PurePosixPath(index).parent / path)


def is_below(name: str) -> bool:
    """Whether a relative path stays below where it starts, on every system.

    Examples
    --------
    >>> [is_below(name) for name in ("a/b.dat", "../b", "/etc/passwd", "C:/b", "a/../../b")]
    [True, False, False, False, False]
    """
    path = PurePosixPath(name.replace("\\", "/"))
    drive = re.match(r"[A-Za-z]:", name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts and not drive and "\0" not in name


def text_lines(stream: BinaryIO, *, errors: str = "replace") -> Iterator[str]:
    """Read lines of text, none of them longer than memory should hold.

    Parameters
    ----------
    stream
        The file.
    errors
        What to do with bytes that are no UTF-8.

    Yields
    ------
    str
        Lines with their ends.
    """
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors=errors, newline="")
    try:
        while line := text.readline(LINE):
            if len(line) == LINE and not line.endswith("\n"):
                raise ValueError(f"has a line of more than {LINE:,} characters")
            yield line
    finally:
        if not stream.closed:
            text.detach()  # whoever opened the file closes it


def whole_text(stream: BinaryIO, limit: int) -> str:
    """Read a file that describes others, unless it is absurdly large."""
    content = stream.read(limit + 1)
    if len(content) > limit:
        raise ValueError(f"is larger than {limit // 2**20} MB, too large for a file that describes runs")
    return content.decode("utf-8-sig", errors="replace")


def because(error: BaseException) -> str:
    """Why reading failed, as the end of a sentence that begins with the file."""
    if isinstance(error, FileNotFoundError):
        return "is missing"
    if isinstance(error, UnicodeDecodeError):
        return "is not UTF-8 text; save it as UTF-8"
    if isinstance(error, RecursionError):
        return "is nested too deeply"
    if isinstance(error, zipfile.BadZipFile | zlib.error | EOFError | lzma.LZMAError):
        return f"is damaged ({error})"
    if isinstance(error, OSError):
        return f"cannot be read ({error.strerror or error})"
    if isinstance(error, ValueError | RuntimeError):
        return printable(str(error)[:300])
    return f"cannot be read ({type(error).__name__}: {error})"[:300]
