"""Listed problems that are repeated with new seeds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Repeated:
    """A list of problems in which each one comes several times, as a source of instances for a race.

    The order goes through all problems before it repeats any. Each repetition is an instance of its own, with its own
    seeds. The repetitions of a problem form a cluster: they carry less information about new problems than as many
    different problems would.

    Parameters
    ----------
    problems
        The problems.
    repeats
        How often each one comes.
    first
        The positions of the problems that come first, such as those that a race has already used; the other repetitions
        follow.

    Examples
    --------
    >>> source = Repeated(["a", "b"], repeats=2)
    >>> list(source), source.clusters
    (['a', 'b', 'a', 'b'], (0, 1, 0, 1))
    """

    problems: Sequence[Any]
    repeats: int
    first: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        # Not above: with the priors it would import SciPy, for which every worker that makes problems would wait.
        from polarbear.models.validation import require_count

        require_count("repeats", self.repeats, least=1)
        if isinstance(self.problems, str) or not hasattr(self.problems, "__getitem__"):
            raise ValueError(
                f"expected a list of problems to repeat, got {self.problems!r}; a generator needs no repeats"
            )
        if not len(self.problems):
            raise ValueError("expected problems to repeat, got none; list at least one")

    @cached_property
    def clusters(self) -> tuple[int, ...]:
        """The position of the problem of each instance, which is the instance's cluster."""
        order, used = list(self.first), [self.first.count(k) for k in range(len(self.problems))]
        for repetition in range(self.repeats):
            order += [k for k, number in enumerate(used) if number <= repetition]
        return tuple(order)

    def __len__(self) -> int:
        return len(self.clusters)

    def __getitem__(self, index: int) -> Any:
        return self.problems[self.clusters[index]]
