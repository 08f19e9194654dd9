"""The instances that each algorithm of a pair wins at a budget, with values and gaps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.magnitude.collection import collect_runs, label_instance
from polarbear.magnitude.gap import gaps_between
from polarbear.observe import rank_values
from polarbear.table import as_frame, as_html
from polarbear.wording import with_noun, with_unit

if TYPE_CHECKING:
    from collections.abc import Hashable

    from polarbear.arrays import Array
    from polarbear.literals import FrameLibrary
    from polarbear.magnitude.collection import Source
    from polarbear.table import Table

TIE = "tie"


@dataclass(frozen=True, eq=False)
class InstancesWon:
    """The instances with values of both algorithms at a budget, from the clearest win of the first to that of the second.

    Attributes
    ----------
    first, second
        The pair.
    at
        The budget.
    instances
        The instances, as the runs label them.
    first_values, second_values
        The best values of both by the budget; infinite without a solution.
    gaps
        By how much the first is better, in the units of the values; negative if it is worse.
    winners
        The name of the winner, or "tie", by the rules of the ranking.
    unit
        The unit of budgets; may be empty.
    """

    first: str
    second: str
    at: float
    instances: tuple[Hashable, ...]
    first_values: Array
    second_values: Array
    gaps: Array
    winners: tuple[str, ...]
    unit: str

    def __repr__(self) -> str:
        return f"InstancesWon({self.sentence!r})"

    def won_by(self, name: str) -> tuple[Hashable, ...]:
        """Return the instances that an algorithm wins, the clearest first; "tie" for those without a winner."""
        if name not in (self.first, self.second, TIE):
            raise ValueError(f"expected {self.first!r}, {self.second!r} or {TIE!r}, got {name!r}")
        won = tuple(instance for instance, winner in zip(self.instances, self.winners, strict=True) if winner == name)
        return won[::-1] if name == self.second else won

    @property
    def sentence(self) -> str:
        """The number of instances that each wins, in words."""
        first, second, tied = (self.winners.count(name) for name in (self.first, self.second, TIE))
        where = f"At {with_unit(self.at, self.unit)}"
        ties = f", and {with_noun(tied, 'instance')} {'is' if tied == 1 else 'are'} tied" if tied else ""
        total = with_noun(len(self.winners), "instance")
        return f"{where} {self.first} wins on {first:,} of {total}, {self.second} on {second:,}{ties}."

    def to_table(self) -> Table:
        """Return one row per instance."""
        return {
            "instance": [label_instance(instance) for instance in self.instances],
            "algorithm_name": [self.first] * len(self.instances),
            "against": [self.second] * len(self.instances),
            "value": self.first_values,
            "value_against": self.second_values,
            "gap": self.gaps,
            "winner": list(self.winners),
        }

    def to_frame(self, *, backend: FrameLibrary = "pandas") -> Any:
        """Return `to_table` as a data frame of pandas, polars or pyarrow."""
        return as_frame(self.to_table(), backend)

    def _repr_html_(self) -> str:
        table = self.to_table()
        del table["algorithm_name"], table["against"]
        return as_html(table, title=self.sentence)


def instances_won(source: Source, first: str, second: str, *, at: float | None = None, **reading: Any) -> InstancesWon:
    """Return the instances that each algorithm of a pair wins at a budget, sorted by the gap between their values.

    Parameters
    ----------
    source
        The result of a race, imported runs, or trajectories.
    first, second
        The pair.
    at
        The budget; the last one by default.
    **reading
        The `grid` and the rules of comparison; see `collect_runs`.

    Examples
    --------
    >>> import polarbear as pb
    >>> runs = [pb.Trajectory("a", i, [1], [2.0], end=9) for i in range(4)]
    >>> runs += [pb.Trajectory("b", i, [1], [1.0 + i], end=9) for i in range(4)]
    >>> won = pb.instances_won(runs, "a", "b", grid=[1, 9])
    >>> print(won.sentence)
    At 9 a wins on 2 of 4 instances, b on 1, and 1 instance is tied.
    >>> won.won_by("a"), won.gaps.tolist()
    ((3, 2), [2.0, 1.0, 0.0, -1.0])
    """
    collection = collect_runs(source, **reading)
    at = collection.check_budget(at)
    if first == second:
        raise ValueError(f"expected two different algorithms, got {first!r} twice")
    values = collection.values_at(at)[:, [collection.index(first), collection.index(second)]]
    known = np.flatnonzero(~np.isnan(values).any(axis=1))
    gaps = gaps_between(values[known, 0], values[known, 1], maximise=collection.maximise)
    order = known[np.argsort(-gaps, kind="stable")]
    ranks = rank_values(
        values[order],
        absolute_tolerance=collection.absolute_tolerance,
        relative_tolerance=collection.relative_tolerance,
        maximise=collection.maximise,
    )
    winners = np.select([ranks[:, 0] < ranks[:, 1], ranks[:, 0] > ranks[:, 1]], [first, second], TIE)
    return InstancesWon(
        first=first,
        second=second,
        at=at,
        instances=tuple(collection.instances[row] for row in order),
        first_values=values[order, 0],
        second_values=values[order, 1],
        gaps=np.sort(gaps)[::-1] + 0.0,  # no -0
        winners=tuple(winners.tolist()),
        unit=collection.unit,
    )
