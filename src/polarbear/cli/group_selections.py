"""The answers of `select --by`: the same query for each group of recorded runs."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from polarbear.cli import terminal
from polarbear.cli.groups import Groups
from polarbear.cli.selections import selection_as_data
from polarbear.wording import format_number, with_noun

if TYPE_CHECKING:
    from polarbear.posterior.posterior import Posterior
    from polarbear.selection import Selection

Query = Callable[["Posterior", Sequence[str]], "Selection"]


_SHOWN_REMARKS = 10


@dataclass(frozen=True)
class GroupSelection:
    """The answer for one group.

    Attributes
    ----------
    name
        The group, such as "function 8".
    selection
        The selection, or the reason why there is none.
    instances, scope
        The number of instances of the group, and what its answer generalises to; None and "" if it cannot be compared.
    remarks
        Sentences about missing or few data.
    borrowed
        How much the group borrows from the others, in instances or clusters; None if it does not.
    """

    name: str
    selection: "Selection | str"
    instances: int | None = None
    scope: str = ""
    remarks: tuple[str, ...] = ()
    borrowed: float | None = None


def select_for_groups(
    groups: Groups, query: Query, *, among: Sequence[str] | None, include_all: bool
) -> list[GroupSelection]:
    """Return the answer for each group, or why it has none.

    Parameters
    ----------
    groups
        The groups.
    query
        A function of a posterior and the algorithms to choose from.
    among, include_all
        The algorithms to choose from: these, all of the group, or else its Pareto set.
    """
    from polarbear.selection.observed_times import thin_data_sentence

    answers = []
    for name, (posterior, pareto_set) in groups.fitted.items():
        considered = posterior.names if include_all else pareto_set
        pooled, missing = groups.pooled.get(name), []
        if among:
            considered = tuple(each for each in among if each in posterior.names)
            missing = [each for each in among if each not in posterior.names]
        remarks = [f"It has no runs of {', '.join(missing)}."] if missing and considered else []
        if pooled is not None and (absent := [each for each in pooled.unobserved if each in considered]):
            names = ", ".join(absent)
            remarks.append(f"It does not compare {names}; what it says about {names} comes from the other groups.")
        selection: Selection | str
        try:
            selection = query(posterior, considered) if considered else f"it has no runs of {', '.join(missing)}"
        except ValueError as error:
            selection = str(error)
        if thin := thin_data_sentence(posterior):
            remarks.append(thin)
        borrowed = None if pooled is None else pooled.borrowed
        answers.append(GroupSelection(name, selection, posterior.instances, posterior.scope, tuple(remarks), borrowed))
    answers += [GroupSelection(name, reason) for name, reason in groups.failed.items()]
    return answers


def group_selections_as_data(answers: Sequence[GroupSelection]) -> dict[str, Any]:
    """Return the answers as plain data for JSON; a group without an answer has the choice null and the reason."""
    return {
        each.name: {
            "instances": each.instances,
            "borrowed": each.borrowed,
            "scope": each.scope,
            **selection_as_data(each.selection),
            "remarks": list(each.remarks),
        }
        for each in answers
    }


def print_group_selections(answers: Sequence[GroupSelection], by: str, pooled: "Selection") -> None:
    """Print how often each choice occurs, one row per group, and remarks on groups with missing or few data."""
    chosen = [each for each in answers if not isinstance(each.selection, str)]
    counts = Counter(
        each.selection.candidates[0].name if each.selection.is_sure else "too close to call"
        for each in chosen
        if not isinstance(each.selection, str)
    )
    terminal.print_result(f"\nBy {by}, for the same query, from the posterior of each group")
    if counts:
        counted = ", ".join(f"{name} in {number}" for name, number in counts.most_common())
        terminal.print_result(f"The best choice: {counted} of {with_noun(len(answers), 'group')}.")
    if any(each.borrowed is not None for each in answers):
        terminal.print_result("Borrowed: the weight of the other groups in the answer, in instances or clusters.")
    terminal.print_table(
        (by, "instances", "borrowed", *pooled.units.heads()),
        [_row(each, by, len(pooled.units.heads())) for each in answers],
    )
    for each in answers:
        if isinstance(each.selection, str):
            terminal.print_result(
                f"{each.name} has no answer of its own: {each.selection}. All runs together: {pooled.candidates[0].name}."
            )
    remarks = [f"{each.name}: {remark}" for each in answers for remark in each.remarks]
    for remark in remarks[:_SHOWN_REMARKS]:
        terminal.print_result(remark)
    if (more := len(remarks) - _SHOWN_REMARKS) > 0:
        terminal.print_result(f"{with_noun(more, 'more remark')} on groups: see --json.")


def _row(answer: GroupSelection, by: str, columns: int) -> tuple[object, ...]:
    """Return the row of one group; dashes where it has no answer."""
    name = answer.name.removeprefix(f"{by} ")
    instances = math.nan if answer.instances is None else answer.instances
    borrowed = "-" if answer.borrowed is None else format_number(answer.borrowed)
    if isinstance(answer.selection, str):
        return (name, instances, borrowed, *["-"] * columns)
    return name, instances, borrowed, *answer.selection.units.row(answer.selection.candidates[0])
