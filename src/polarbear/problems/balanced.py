"""Listed problems in an order in which groups of them take turns."""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence


def balanced(problems: Sequence[Any], groups: Sequence[Hashable]) -> list[Any]:
    """Return problems in an order in which their groups take turns, so that each round of a race draws groups evenly.

    Within a group the order stays the same. When a group has no problems left, the others go on.

    Parameters
    ----------
    problems
        The problems, in a random order.
    groups
        The group of each problem.

    Examples
    --------
    >>> balanced(["a1", "a2", "a3", "b1", "c1", "c2"], ["a", "a", "a", "b", "c", "c"])
    ['a1', 'b1', 'c1', 'a2', 'c2', 'a3']
    """
    if len(problems) != len(groups):
        raise ValueError(f"expected a group for each of {len(problems)} problems, got {len(groups)}")
    return [problems[index] for index in balanced_order(groups)]


def balanced_order(groups: Sequence[Hashable], *, first: int = 0) -> list[int]:
    """Return the positions in an order in which groups take turns; the first ones keep their places, and count.

    Examples
    --------
    >>> balanced_order(["a", "a", "a", "b", "b"], first=2)
    [0, 1, 3, 4, 2]
    """
    waiting: dict[Hashable, deque[int]] = {}
    for index in range(first, len(groups)):
        waiting.setdefault(groups[index], deque()).append(index)
    drawn = Counter(groups[:first])
    order = list(range(first))
    while waiting:
        group = min(waiting, key=lambda each: drawn[each])  # of equals, the one that came first
        order.append(waiting[group].popleft())
        drawn[group] += 1
        if not waiting[group]:
            del waiting[group]
    return order
