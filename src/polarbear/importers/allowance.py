"""How much an archive may expand, in total: the archive, all archives in it, and everything that is read repeatedly.

A limit for each member, or for each inner archive, is none: a file of 10 MB can hold a thousand archives that each keep
to it. So one `Allowance` is made for the outermost archive, relative to its size, and shared by everything in it.
"""

from __future__ import annotations

from time import monotonic

from polarbear.importers.reasons import Reason, UnreadableError

MEMBERS = 200_000  # files
EXPANDED = 32 * 2**30  # bytes
# Logs compress 10- to 50-fold. Deflate reaches 1032-fold at most, and only on data without information. Archives that
# expand to at most SMALL bytes are exempt.
RATIO, SMALL = 200, 2**26
REREAD = 8  # times the content: an index is opened five times at most, unless it names the same data again and again
SECONDS = 600.0


class Allowance:
    """Count what an archive expands to, and refuse what exceeds the limits.

    Parameters
    ----------
    size
        The size of the archive in bytes.
    """

    def __init__(self, size: int) -> None:
        self._largest = max(SMALL, RATIO * size)
        self._deadline = monotonic() + SECONDS
        self._members = self._content = self._expanded = self._opened = 0

    def count_members(self, number: int, size: int) -> None:
        """Count files and their sizes in total, and raise an `UnreadableError` if there are too many files."""
        self._members += number
        self._content += size
        if self._members > MEMBERS:
            raise UnreadableError(Reason.MANY_MEMBERS, number=self._members, limit=MEMBERS)

    def expand(self, size: int) -> bool:
        """Count bytes of content, and return whether there is room for them in an archive of any size.

        Raises
        ------
        UnreadableError
            If there are too many for an archive of this size.
        """
        self._expanded += size
        if self._expanded > self._largest:
            raise UnreadableError(Reason.BOMB, ratio=RATIO)
        return self._expanded <= EXPANDED

    def open(self, size: int) -> None:
        """Count the opening of a member, and raise an `UnreadableError` if this takes too long or repeats too often."""
        self._opened += size
        if monotonic() > self._deadline:
            raise UnreadableError(Reason.SLOW, minutes=SECONDS / 60)
        if self._opened > REREAD * self._content:
            raise UnreadableError(Reason.REREAD)
