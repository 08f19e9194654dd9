"""Sources of files: a folder, or (in `archives`) a zip archive.

A source gives its readers names and streams, never access to the disk. The module also holds the helpers that make foreign
files safe to read: limits on lines and sizes, checks of paths, and errors as sentences.
"""

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

# Errors that reading a foreign file may raise: disk, broken compression, wrong encoding, password, excessive nesting.
FAULTS = (
    *(OSError, ValueError, EOFError, RuntimeError, ArithmeticError, LookupError),
    *(struct.error, zlib.error, lzma.LZMAError, zipfile.BadZipFile),
)

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
    only
        A single file to start from; files to which it refers are found relative to it.
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
        return sorted(found, key=natural_sort_key)

    def name(self, path: str) -> str:
        return replace_surrogates(path)

    def open(self, path: str) -> BinaryIO:
        file = self.root / path
        if not stat.S_ISREG(file.stat().st_mode):  # opening a pipe would block forever
            raise ValueError("is not a regular file")
        return file.open("rb")


def replace_surrogates(text: str) -> str:
    r"""Return text that any system can print and store: lone surrogates, as broken file names contain, become "?".

    Examples
    --------
    >>> replace_surrogates("Köln \ud800")
    'Köln ?'
    """
    return text.encode("utf-8", "replace").decode()


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
    ValueError: refers to '../../secret', which is not below it
    """
    path = PurePosixPath(reference.replace("\\", "/"))
    if not is_below(reference):
        raise ValueError(f"refers to {reference[:80]!a}, which is not below it")
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
                raise ValueError(f"has a line of more than {LINE:,} characters")
            yield line
    finally:
        if not stream.closed:
            text.detach()  # the caller opened the stream and closes it


def read_text(stream: BinaryIO, limit: int) -> str:
    """Return the text of an index file; refuse one above the limit in bytes."""
    content = stream.read(limit + 1)
    if len(content) > limit:
        raise ValueError(f"is larger than {limit // 2**20} MB, too large for a file that describes runs")
    return content.decode("utf-8-sig", errors="replace")


def describe_error(error: BaseException) -> str:
    """Return why reading failed, as the end of a sentence that begins with the name of the file."""
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
        return replace_surrogates(str(error)[:300])
    return f"cannot be read ({type(error).__name__}: {error})"[:300]
