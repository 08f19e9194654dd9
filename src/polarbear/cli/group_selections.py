"""The answers of `select --by`: the same query for each group of recorded runs."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from polarbear.cli import terminal
from polarbear.cli.groups import Groups
from polarbear.cli.selections import selection_as_data
from polarbear.wording import with_noun

if TYPE_CHECKING:
    from polarbear.inference.group_fitting import GroupSize
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
    size, scope
        The size of the group, and what its answer generalises to; None and "" if it cannot be compared.
    remarks
        Sentences about missing or few data.
    """

    name: str
    selection: "Selection | str"
    size: "GroupSize | None" = None
    scope: str = ""
    remarks: tuple[str, ...] = ()


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
    from polarbear.selection.observed_budgets import thin_data_sentence

    answers = []
    for name, (posterior, pareto_set) in groups.fitted.items():
        considered = posterior.names if include_all else pareto_set
        group, missing = groups.pooled[name], []
        if among:
            considered = tuple(each for each in among if each in posterior.names)
            missing = [each for each in among if each not in posterior.names]
        remarks = [f"It has no runs of {', '.join(missing)}."] if missing and considered else []
        absent = [each for each in group.unobserved if each in considered]
        if absent and not group.is_too_small:
            remarks.append(f"It does not compare {', '.join(absent)}.")
        selection: Selection | str
        try:
            selection = query(posterior, considered) if considered else f"it has no runs of {', '.join(missing)}"
        except ValueError as error:
            selection = str(error)
        if thin := thin_data_sentence(posterior):
            remarks.append(thin)
        answers.append(GroupSelection(name, selection, group, posterior.scope, tuple(remarks)))
    answers += [GroupSelection(name, reason) for name, reason in groups.failed.items()]
    return answers


def group_selections_as_data(answers: Sequence[GroupSelection]) -> dict[str, Any]:
    """Return the answers as plain data for JSON; a group without an answer has the choice null and the reason."""
    return {
        each.name: {
            "instances": None if each.size is None else each.size.instances,
            "note": "" if each.size is None else each.size.note,
            "scope": each.scope,
            **selection_as_data(each.selection),
            "remarks": list(each.remarks),
        }
        for each in answers
    }


def print_group_selections(answers: Sequence[GroupSelection], by: str, pooled: "Selection") -> None:
    """Print how often each choice occurs, one row per group, and remarks on groups with missing or few data."""
    own = [each.selection for each in answers if each.size is not None and not each.size.is_too_small]
    counts = Counter(
        each.candidates[0].name if each.is_sure else "too close to call" for each in own if not isinstance(each, str)
    )
    terminal.print_result(f"\nBy {by}, for the same query, from the posterior of each group")
    if counts:
        counted = ", ".join(f"{name} in {number}" for name, number in counts.most_common())
        terminal.print_result(f"The best choice: {counted} of {with_noun(len(own), 'group')}.")
    terminal.print_table(
        (by, "instances", "note", *pooled.units.heads()),
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
    size = (math.nan, "-") if answer.size is None else (answer.size.instances, answer.size.note or "-")
    if isinstance(answer.selection, str):
        return (name, *size, *["-"] * columns)
    return (name, *size, *answer.selection.units.row(answer.selection.candidates[0]))
