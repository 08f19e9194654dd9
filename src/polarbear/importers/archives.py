"""Archives as a source of files: members are read in place, and nothing is unpacked.

The name of a member is only a dictionary key, so a manipulated name cannot read or write other files. An `Allowance`
limits the expanded size and the time, in total over an archive and all archives in it. A compressed tar archive can be
read only from its beginning, so it is first decompressed into a temporary file without a name.
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
from typing import TYPE_CHECKING, BinaryIO, cast

from polarbear.importers.allowance import EXPANDED, Allowance
from polarbear.importers.foreign_text import replace_surrogates
from polarbear.importers.reasons import Reason, UnreadableError, shorten
from polarbear.importers.sources import is_below, natural_sort_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from polarbear.importers.ledger import Ledger

ARCHIVES = (".zip", ".tar", ".tgz", ".tar.gz", ".txz", ".tar.xz", ".tbz2", ".tar.bz2")
"""How the names of archives end."""

EXPANDED_TAR = 8 * 2**30  # bytes of a temporary file


def is_archive(path: str) -> bool:
    """Return whether a file has the name of an archive."""
    return path.lower().endswith(ARCHIVES)


@contextmanager
def open_archive(stream: BinaryIO, label: str, allowance: Allowance | None = None) -> Iterator[Archive]:
    """Open the files of an archive: a zip archive if its name or its first bytes say so, otherwise a tar archive.

    The `allowance` of an archive in another archive is that of the outer one.
    """
    start, size = stream.read(2), stream.seek(0, io.SEEK_END)
    stream.seek(0)
    allowance = allowance or Allowance(size)
    if start == b"PK" or label.lower().endswith(".zip"):
        yield ZipArchive(stream, label, allowance)
        return
    with tempfile.TemporaryFile() as copy:
        content, problem = _decompress(stream, cast("BinaryIO", copy), allowance)
        yield TarArchive(content, label, allowance, problem)


class ZipArchive:
    """The files of a zip archive.

    Parameters
    ----------
    stream
        The archive; it must be seekable.
    label
        The name of the archive in messages.
    allowance
        What it may expand to.
    """

    def __init__(self, stream: BinaryIO, label: str, allowance: Allowance) -> None:
        self.label, self.allowance = label, allowance
        try:
            self._zip = zipfile.ZipFile(stream)
        except Exception as error:  # damaged archives make zipfile raise many types of error
            raise UnreadableError(Reason.NOT_AN_ARCHIVE, kind="zip", problem=shorten(error)) from error
        self._members: dict[str, zipfile.ZipInfo] = {}
        self._verified: set[str] = set()

    def paths(self, ledger: Ledger) -> list[str]:
        members = self._zip.infolist()
        self.allowance.count_members(len(members), sum(member.file_size for member in members))
        for member in members:
            if member.filename.endswith("/"):
                continue
            reason = Reason.SECOND_MEMBER if member.filename in self._members else _reason_to_refuse(member)
            if reason is None and (problem := self._problem_of_header(member)):
                ledger.skip(self.name(member.filename), Reason.DAMAGED, problem=problem)
                continue
            if reason is None and not self.allowance.expand(member.file_size):
                reason = Reason.EXPANDED
            if reason:
                ledger.skip(self.name(member.filename), reason, gigabytes=EXPANDED // 2**30)
            elif not _is_hidden(member.filename):
                self._members[member.filename] = member
        return sorted(self._members, key=natural_sort_key)

    def name(self, path: str) -> str:
        return f"{self.label}:{replace_surrogates(path)}"

    def _problem_of_header(self, member: zipfile.ZipInfo) -> str:
        """Return how the two headers of a member differ, as after damage to its name; empty if they do not."""
        try:
            self._zip.open(member).close()
        except Exception as error:  # damaged archives make zipfile raise many types of error
            return shorten(error)
        return ""

    def open(self, path: str) -> BinaryIO:
        if path not in self._members:
            raise FileNotFoundError(path)
        # zipfile yields no more bytes than a member declares, and `paths` has limited their sum.
        self.allowance.open(self._members[path].file_size)
        if path not in self._verified:
            with self._zip.open(self._members[path]) as stream:
                while stream.read(
                    2**20
                ):  # its end raises an error if a checksum differs; by then, values would be in use
                    pass
            self._verified.add(path)
        return cast("BinaryIO", self._zip.open(self._members[path]))


class TarArchive:
    """The files of a tar archive.

    Parameters
    ----------
    stream
        The archive, decompressed and seekable.
    label
        The name of the archive in messages.
    allowance
        What it may expand to.
    problem
        Why its decompression ended early; empty if it is complete.
    """

    def __init__(self, stream: BinaryIO, label: str, allowance: Allowance, problem: str) -> None:
        self.label, self.allowance = label, allowance
        self._problem = problem
        self._members: dict[str, tarfile.TarInfo] = {}
        self._size = stream.seek(0, io.SEEK_END)
        stream.seek(0)
        try:
            self._tar = tarfile.TarFile(fileobj=stream)
        except tarfile.TarError as error:
            raise UnreadableError(Reason.NOT_AN_ARCHIVE, kind="tar", problem=shorten(error)) from error

    def paths(self, ledger: Ledger) -> list[str]:
        if self._problem:
            ledger.skip(self.label, Reason.DAMAGED, problem=self._problem)
        try:
            for member in self._tar:
                self.allowance.count_members(1, member.size)
                name = member.name.removeprefix("./")
                if member.isdir():
                    continue
                if not is_below(name):
                    ledger.skip(self.name(name), Reason.OUTSIDE_NAME)
                elif _is_hidden(name):
                    continue
                elif not member.isreg() or member.issparse():
                    ledger.skip(self.name(name), Reason.SPECIAL_MEMBER)
                elif member.offset_data + member.size > self._size:
                    ledger.skip(self.name(name), Reason.DAMAGED, problem="its end is missing")
                else:
                    self._members[name] = member  # of several members of one name the last counts, as in tar
        except tarfile.TarError as error:
            if not self._problem:
                ledger.skip(self.label, Reason.DAMAGED, problem=shorten(error))
        return sorted(self._members, key=natural_sort_key)

    def name(self, path: str) -> str:
        return f"{self.label}:{replace_surrogates(path)}"

    def open(self, path: str) -> BinaryIO:
        if path not in self._members:
            raise FileNotFoundError(path)
        self.allowance.open(self._members[path].size)
        return cast("BinaryIO", self._tar.extractfile(self._members[path]))


Archive = ZipArchive | TarArchive


def _decompress(stream: BinaryIO, copy: BinaryIO, allowance: Allowance) -> tuple[BinaryIO, str]:
    """Decompress a file into `copy`, and return it with the reason why it ended early, if it did.

    A file that is not compressed is returned itself. Of an interrupted download, the complete members are used. A file
    with a wrong checksum is refused, since nothing says where it is wrong.
    """
    start = stream.read(6)
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
            if size == 0 or not isinstance(error, EOFError):
                raise UnreadableError(Reason.NOT_AN_ARCHIVE, kind="tar", problem=shorten(error)) from error
            block, problem = b"", shorten(error)
        if not block:
            break
        size += copy.write(block)
        if not allowance.expand(len(block)) or size > EXPANDED_TAR:
            raise UnreadableError(Reason.EXPANDED, gigabytes=EXPANDED_TAR // 2**30)
    copy.seek(0)
    return copy, problem


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
