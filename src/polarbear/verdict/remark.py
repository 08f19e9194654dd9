"""Remarks: reasons to doubt a result, each with its status and the command that would settle it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable

Status = Literal["do not rely on it", "provisional", "solid"]  # the most serious first


@dataclass(frozen=True)
class Remark:
    """A reason to doubt a result.

    Attributes
    ----------
    status
        The status of a result to which the remark applies. A remark that is "solid" only informs.
    text
        The reason, in sentences.
    command
        The next step, as a command or a call in Python: it settles the matter or shows more of it. Empty if there is none.
    """

    status: Status
    text: str
    command: str = ""

    @property
    def labelled(self) -> str:
        """The reason, with the status in front unless the remark only informs."""
        return self.text if self.status == "solid" else f"{self.status.capitalize()}: {self.text}"

    @property
    def sentence(self) -> str:
        """The reason, and the command if there is one."""
        return f"{self.text} Next step: {self.command}" if self.command else self.text


def most_serious_first(remarks: Iterable[Remark]) -> tuple[Remark, ...]:
    """Return the remarks, the most serious first, and in the given order among equals."""
    return tuple(sorted(remarks, key=lambda each: get_args(Status).index(each.status)))


def overall_status(statuses: Iterable[Status]) -> Status:
    """Return the most serious status, and "solid" without any."""
    return min(statuses, key=get_args(Status).index, default="solid")
