"""The contents of a summary: the answer, the standing of each algorithm, the status, and all remarks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from polarbear.verdict.remark import overall_status
from polarbear.verdict.standing import Group, Standing

if TYPE_CHECKING:
    from polarbear.selection import DecisionMap
    from polarbear.verdict.remark import Remark, Status

_NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")


@dataclass(frozen=True, eq=False)
class Contents:
    """The contents of a summary, which `polarbear.verdict.rendering` shows in several forms.

    Attributes
    ----------
    overview
        Which algorithm to choose at which budget; see `decision_map`.
    standings
        Every algorithm with its group and the reason: "leads somewhere", "not ruled out", "eliminated", or "removed" if it
        was taken out of a race without being judged.
    remarks
        All reasons to doubt the result, the most serious first.
    unit, effort, scope
        The unit of time, what the result cost, and what it generalises to.
    settled
        What is settled, as a sentence; it follows the status.
    """

    overview: DecisionMap
    standings: tuple[Standing, ...]
    remarks: tuple[Remark, ...]
    unit: str = ""
    effort: str = ""
    scope: str = ""
    settled: str = ""

    @property
    def status(self) -> Status:
        """How far the result can be trusted: the most serious status of all remarks and standings."""
        return overall_status([each.status for each in self.remarks] + [each.status for each in self.standings])

    def group(self, group: Group) -> tuple[Standing, ...]:
        """Return the algorithms of a group."""
        return tuple(each for each in self.standings if each.group == group)

    @property
    def groups(self) -> dict[Group, tuple[Standing, ...]]:
        """The algorithms of each group; "removed" only if there are some."""
        groups: tuple[Group, ...] = get_args(Group)
        return {group: self.group(group) for group in groups if group != "removed" or self.group(group)}

    @property
    def headline(self) -> str:
        """A sentence that counts the algorithms in each group, and the leads and eliminations that are in doubt."""
        leads, undecided, out, removed = (len(self.group(group)) for group in get_args(Group))
        first = f"{_count(leads)} algorithm{'' if leads == 1 else 's'} {'leads' if leads == 1 else 'lead'} somewhere"
        parts = [first + self._doubt("leads somewhere") if leads else "No algorithm clearly leads at any budget"]
        parts += [f"{_count(undecided).lower()} {'is' if undecided == 1 else 'are'} not ruled out"] if undecided else []
        doubt = self._doubt("eliminated")
        parts += [f"{_count(out).lower()} {'is' if out == 1 else 'are'} eliminated{doubt}"] if out else []
        parts += [f"{_count(removed).lower()} {'was' if removed == 1 else 'were'} removed"] if removed else []
        return f"{', '.join(parts)}."

    def _doubt(self, group: Group) -> str:
        """Return the most serious status in a group in brackets, and how many of several it concerns; empty if solid."""
        statuses = [each.status for each in self.group(group)]
        worst = overall_status(statuses)
        number = statuses.count(worst)
        which = "" if number == len(statuses) else f"{_count(number).lower()} "
        return "" if worst == "solid" else f" ({which}{worst})"

    @property
    def status_sentence(self) -> str:
        """The status, with what is settled or the most serious reason to doubt it."""
        reason = self.remarks[0].text if self.remarks and self.status != "solid" else self.settled
        return f"Status: {self.status}. {reason}".rstrip()


def _count(number: int) -> str:
    return _NUMBERS[number] if number < len(_NUMBERS) else f"{number:,}"
