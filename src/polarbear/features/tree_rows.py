"""The rows of the picture of a tree: one per group, each below the group that it is part of."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from polarbear.features.policy_tree import Branch, Leaf, walk
from polarbear.wording import with_noun

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.features.dependence import Dependence
    from polarbear.features.ranges import BudgetRange
    from polarbear.features.splits import Condition
    from polarbear.observe import Grid

_SLIVER = 0.02  # share of the axis below which a range cannot be seen


@dataclass(frozen=True)
class TreeRow:
    """A group of instances in the picture of a tree.

    Attributes
    ----------
    parent
        The number of the row of the group that it is part of; None for all instances.
    depth
        The number of questions that lead to it.
    condition
        Its last condition, such as "dimension > 10"; "all instances" for the first row.
    instances, note
        Their number, and whether they are too few for a choice of their own or the choice is tentative.
    feature
        The feature by which it is split; empty for a group that is not split.
    ranges
        The choice at each budget; empty for a part that is split further, but not for all instances.
    """

    parent: int | None
    depth: int
    condition: str
    instances: int
    note: str
    feature: str
    ranges: tuple[BudgetRange, ...]

    def sentence(self) -> str:
        """Return the row in words, as an alternative to the picture."""
        note = f", {self.note}" if self.note else ""
        size = f"{self.condition} ({with_noun(self.instances, 'instance')}{note})"
        if not self.ranges:
            return f"{size}: split by {self.feature}."
        choices = ", then ".join(each.name for each in self.ranges)
        return f"{size}: {choices}." + (f" Split by {self.feature}." if self.feature else "")


def tree_rows(found: Dependence) -> tuple[TreeRow, ...]:
    """Return the rows of a tree from top to bottom: all instances with the choice for all of them, then the parts."""
    rows: list[TreeRow] = []
    numbers: dict[tuple[Condition, ...], int] = {}
    for conditions, node in walk(found.policy.root):
        leaf = node if isinstance(node, Leaf) else node.undivided
        shown = leaf.ranges if leaf is node or not conditions else ()
        numbers[conditions] = len(rows)
        rows.append(
            TreeRow(
                parent=numbers[conditions[:-1]] if conditions else None,
                depth=len(conditions),
                condition=str(conditions[-1]) if conditions else "all instances",
                instances=leaf.instances,
                note=leaf.note if conditions else "",
                feature=node.split.feature if isinstance(node, Branch) else "",
                ranges=_without_slivers(shown, found.training.scores.grid),
            )
        )
    return tuple(rows)


def _without_slivers(ranges: Sequence[BudgetRange], grid: Grid) -> tuple[BudgetRange, ...]:
    """Return the ranges that a picture can show: too short ones are part of the one before, or of the one after."""
    first, last = _places(grid, [grid.budgets[0], grid.budgets[-1]])
    shown: list[BudgetRange] = []
    start = ranges[0].start if ranges else 0.0
    for each in ranges:
        begin, end = _places(grid, [each.start, each.stop])
        if end - begin < _SLIVER * (last - first) and len(ranges) > 1:
            if shown:
                shown[-1] = replace(shown[-1], stop=each.stop)
                start = each.stop
        elif shown and shown[-1].name == each.name:
            shown[-1] = replace(shown[-1], stop=each.stop)
            start = each.stop
        else:
            shown.append(replace(each, start=start))
            start = each.stop
    return tuple(shown) or tuple(ranges)


def _places(grid: Grid, budgets: Sequence[float]) -> list[float]:
    """Return budgets on the axis of the grid."""
    return [math.log(budget) for budget in budgets] if grid.axis == "log" else [float(budget) for budget in budgets]
