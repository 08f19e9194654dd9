"""Zip archives as a source of files: members are read in place, and nothing is unpacked to disk.

The name of a member is only a dictionary key, so a manipulated name cannot read or write other files. The expanded size
is limited, both by the sizes that the archive declares and by the bytes that it yields.
"""

from __future__ import annotations

import stat
import zipfile
from typing import TYPE_CHECKING, BinaryIO, cast

from polarbear.importers.foreign_text import replace_surrogates
from polarbear.importers.reasons import Reason, UnreadableError, shorten
from polarbear.importers.sources import is_below, natural_sort_key

if TYPE_CHECKING:
    from polarbear.importers.ledger import Ledger

MEMBERS = 200_000  # files per archive
EXPANDED = 32 * 2**30  # bytes, summed over all members
# Logs compress 10- to 50-fold. Deflate reaches 1032-fold at most, and only on data without information.
# Members of at most SMALL bytes are exempt.
RATIO, SMALL = 500, 2**24


class Archive:
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
            raise UnreadableError(Reason.NOT_AN_ARCHIVE, problem=shorten(error)) from error
        self._members: dict[str, zipfile.ZipInfo] = {}

    def paths(self, ledger: Ledger) -> list[str]:
        members = self._zip.infolist()
        if len(members) > MEMBERS:
            raise UnreadableError(Reason.MANY_MEMBERS, number=len(members), limit=MEMBERS)
        expanded = 0
        for member in members:
            if member.filename.endswith("/"):
                continue
            reason = Reason.SECOND_MEMBER if member.filename in self._members else _reason_to_refuse(member)
            expanded += 0 if reason else member.file_size
            if reason is None and expanded > EXPANDED:
                reason = Reason.EXPANDED
            if reason:
                ledger.skip(self.name(member.filename), reason, ratio=RATIO, gigabytes=EXPANDED // 2**30)
            elif not any(part.startswith((".", "__MACOSX")) for part in member.filename.split("/")):
                self._members[member.filename] = member
        return sorted(self._members, key=natural_sort_key)

    def name(self, path: str) -> str:
        return f"{self.label}:{replace_surrogates(path)}"

    def open(self, path: str) -> BinaryIO:
        try:
            # zipfile yields no more bytes than a member declares, and `paths` has limited their sum.
            return cast("BinaryIO", self._zip.open(self._members[path]))
        except KeyError as error:
            raise FileNotFoundError(path) from error


def _reason_to_refuse(member: zipfile.ZipInfo) -> Reason | None:
    if not is_below(member.filename):
        return Reason.OUTSIDE_NAME
    if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG):
        return Reason.SPECIAL_MEMBER
    if member.flag_bits & 1:
        return Reason.ENCRYPTED
    if member.file_size > SMALL and member.file_size > RATIO * max(member.compress_size, 1):
        return Reason.BOMB
    return None
