"""Archives as a source of files: members are read in place, and nothing is unpacked.

The name of a member is only a dictionary key, so a manipulated name cannot read or write other files. The expanded size
is limited, both by the sizes that the archive declares and by the bytes that it yields, and so is the time. A compressed
tar archive can be read only from its beginning, so it is first decompressed into a temporary file without a name.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import tempfile
import zipfile
import zlib
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, BinaryIO, cast

from polarbear.importers.foreign_text import replace_surrogates
from polarbear.importers.reasons import Reason, UnreadableError, shorten
from polarbear.importers.sources import is_below, natural_sort_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from polarbear.importers.ledger import Ledger

ARCHIVES = (".zip", ".tar", ".tgz", ".tar.gz", ".txz", ".tar.xz", ".tbz2", ".tar.bz2")
"""How the names of archives end."""

MEMBERS = 200_000  # files per archive
EXPANDED = 32 * 2**30  # bytes, summed over all members
EXPANDED_TAR = 8 * 2**30  # bytes of a temporary file
# Logs compress 10- to 50-fold. Deflate reaches 1032-fold at most, and only on data without information. Archives that
# expand to at most SMALL bytes are exempt.
RATIO, SMALL = 200, 2**26
SECONDS = 600.0  # for reading the members of an archive


def is_archive(path: str) -> bool:
    """Return whether a file has the name of an archive."""
    return path.lower().endswith(ARCHIVES)


@contextmanager
def open_archive(stream: BinaryIO, label: str) -> Iterator[Archive]:
    """Open the files of an archive: a zip archive if its name or its first bytes say so, otherwise a tar archive."""
    start = stream.read(2)
    stream.seek(0)
    if start == b"PK" or label.lower().endswith(".zip"):
        yield ZipArchive(stream, label)
        return
    with tempfile.TemporaryFile() as copy:
        content, problem = _decompress(stream, cast("BinaryIO", copy))
        yield TarArchive(content, label, problem)


class ZipArchive:
    """The files of a zip archive.

    Parameters
    ----------
    stream
        The archive; it must be seekable.
    label
        The name of the archive in messages.
    """

    def __init__(self, stream: BinaryIO, label: str) -> None:
        self.label = label
        try:
            self._zip = zipfile.ZipFile(stream)
        except Exception as error:  # damaged archives make zipfile raise many types of error
            raise UnreadableError(Reason.NOT_AN_ARCHIVE, kind="zip", problem=shorten(error)) from error
        self._size = stream.seek(0, io.SEEK_END)
        self._members: dict[str, zipfile.ZipInfo] = {}
        self._deadline = monotonic() + SECONDS

    def paths(self, ledger: Ledger) -> list[str]:
        members = self._zip.infolist()
        if len(members) > MEMBERS:
            raise UnreadableError(Reason.MANY_MEMBERS, number=len(members), limit=MEMBERS)
        total = sum(member.file_size for member in members)
        if total > SMALL and total > RATIO * self._size:
            raise UnreadableError(Reason.BOMB, ratio=RATIO)
        expanded = 0
        for member in members:
            if member.filename.endswith("/"):
                continue
            reason = Reason.SECOND_MEMBER if member.filename in self._members else _reason_to_refuse(member)
            expanded += 0 if reason else member.file_size
            if reason is None and expanded > EXPANDED:
                reason = Reason.EXPANDED
            if reason:
                ledger.skip(self.name(member.filename), reason, gigabytes=EXPANDED // 2**30)
            elif not _is_hidden(member.filename):
                self._members[member.filename] = member
        return sorted(self._members, key=natural_sort_key)

    def name(self, path: str) -> str:
        return f"{self.label}:{replace_surrogates(path)}"

    def open(self, path: str) -> BinaryIO:
        _check_time(self._deadline)
        try:
            # zipfile yields no more bytes than a member declares, and `paths` has limited their sum.
            return cast("BinaryIO", self._zip.open(self._members[path]))
        except KeyError as error:
            raise FileNotFoundError(path) from error


class TarArchive:
    """The files of a tar archive.

    Parameters
    ----------
    stream
        The archive, decompressed and seekable.
    label
        The name of the archive in messages.
    problem
        Why its decompression ended early; empty if it is complete.
    """

    def __init__(self, stream: BinaryIO, label: str, problem: str) -> None:
        self.label = label
        self._problem = problem
        self._members: dict[str, tarfile.TarInfo] = {}
        self._deadline = monotonic() + SECONDS
        try:
            self._tar = tarfile.TarFile(fileobj=stream)
        except tarfile.TarError as error:
            raise UnreadableError(Reason.NOT_AN_ARCHIVE, kind="tar", problem=shorten(error)) from error

    def paths(self, ledger: Ledger) -> list[str]:
        if self._problem:
            ledger.skip(self.label, Reason.DAMAGED, problem=self._problem)
        try:
            for number, member in enumerate(self._tar, 1):
                if number > MEMBERS:
                    raise UnreadableError(Reason.MANY_MEMBERS, number=number, limit=MEMBERS)
                name = member.name.removeprefix("./")
                if member.isdir():
                    continue
                if not is_below(name):
                    ledger.skip(self.name(name), Reason.OUTSIDE_NAME)
                elif _is_hidden(name):
                    continue
                elif not member.isreg() or member.issparse():
                    ledger.skip(self.name(name), Reason.SPECIAL_MEMBER)
                else:
                    self._members[name] = member  # of several members of one name the last counts, as in tar
        except tarfile.TarError as error:
            if not self._problem:
                ledger.skip(self.label, Reason.DAMAGED, problem=shorten(error))
        return sorted(self._members, key=natural_sort_key)

    def name(self, path: str) -> str:
        return f"{self.label}:{replace_surrogates(path)}"

    def open(self, path: str) -> BinaryIO:
        _check_time(self._deadline)
        if path not in self._members:
            raise FileNotFoundError(path)
        return cast("BinaryIO", self._tar.extractfile(self._members[path]))


Archive = ZipArchive | TarArchive


def _decompress(stream: BinaryIO, copy: BinaryIO) -> tuple[BinaryIO, str]:
    """Decompress a file into `copy`, and return it with the reason why it ended early, if it did.

    A file that is not compressed is returned itself. Of an interrupted download, the complete part is used.
    """
    start = stream.read(6)
    compressed = stream.seek(0, io.SEEK_END)
    stream.seek(0)
    if start.startswith(b"\x1f\x8b"):
        content: io.BufferedIOBase = gzip.GzipFile(fileobj=stream)
    elif start == b"\xfd7zXZ\x00":
        content = lzma.LZMAFile(stream)  # noqa: SIM115  (`stream` is closed by its owner)
    elif start.startswith(b"BZh"):
        content = bz2.BZ2File(stream)
    else:
        return stream, ""
    size, problem = 0, ""
    while not problem:
        try:
            block = content.read(2**16)
        except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
            if size == 0:
                raise UnreadableError(Reason.NOT_AN_ARCHIVE, kind="tar", problem=shorten(error)) from error
            block, problem = b"", shorten(error)
        if not block:
            break
        size += copy.write(block)
        if size > EXPANDED_TAR:
            raise UnreadableError(Reason.EXPANDED, gigabytes=EXPANDED_TAR // 2**30)
        if size > SMALL and size > RATIO * compressed:
            raise UnreadableError(Reason.BOMB, ratio=RATIO)
    copy.seek(0)
    return copy, problem


def _check_time(deadline: float) -> None:
    if monotonic() > deadline:
        raise UnreadableError(Reason.SLOW, minutes=SECONDS / 60)


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in name.split("/"))


def _reason_to_refuse(member: zipfile.ZipInfo) -> Reason | None:
    if not is_below(member.filename):
        return Reason.OUTSIDE_NAME
    if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG):
        return Reason.SPECIAL_MEMBER
    if member.flag_bits & 1:
        return Reason.ENCRYPTED
    return None
