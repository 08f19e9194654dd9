"""Rankings written as lists of names, best first, and their conversion to `Rankings`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe.grid import Grid, as_grid
from polarbear.observe.names import check_names
from polarbear.observe.rankings import ABSENT, UNRANKED, Rankings

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from numpy.typing import ArrayLike


@dataclass(frozen=True, init=False)
class Ranking:
    """One ranking of algorithms at one budget, written as names, best first.

    Parameters
    ----------
    budget
        The budget at which it was observed.
    order
        The names, best first; a tuple of names is a tie. Algorithms that are not mentioned were not observed.
    others
        Algorithms that are worse than all of `order`, in an unknown order: "only the top m are known".
    weight
        The number of times that the ranking counts; it need not be whole.
    instance
        The label that rankings of one instance at different budgets share; None makes the ranking an instance of its own.

    Examples
    --------
    >>> Ranking(100, ["cma", ("de", "rs")]).order
    (('cma',), ('de', 'rs'))
    >>> Ranking(100, ["cma"], others=["de", "rs"]).others
    ('de', 'rs')
    """

    budget: float
    order: tuple[tuple[str, ...], ...]
    others: tuple[str, ...]
    weight: float
    instance: Hashable

    def __init__(
        self,
        budget: float,
        order: Sequence[str | Sequence[str]],
        others: Sequence[str] = (),
        weight: float = 1.0,
        instance: Hashable = None,
    ) -> None:
        if isinstance(order, str) or isinstance(others, str):
            raise ValueError(f"expected sequences of names, best first, got {order!r} and {others!r}; write [...]")
        groups = tuple((group,) if isinstance(group, str) else tuple(group) for group in order)
        mentioned = [name for group in groups for name in group] + list(others)
        if not groups or not all(groups):
            raise ValueError(f"expected an order of at least one algorithm and no empty tie, got {order!r}")
        repeated = sorted({name for name in mentioned if mentioned.count(name) > 1})
        if repeated:
            raise ValueError(f"expected every algorithm once in a ranking, got {', '.join(repeated)} more than once")
        object.__setattr__(self, "budget", float(budget))
        object.__setattr__(self, "order", groups)
        object.__setattr__(self, "others", tuple(others))
        object.__setattr__(self, "weight", float(weight))
        object.__setattr__(self, "instance", instance)

    @property
    def mentioned(self) -> tuple[str, ...]:
        """All algorithms in this ranking, best first, the unranked ones last."""
        return (*(name for group in self.order for name in group), *self.others)


def collect_rankings(
    orders: Iterable[Ranking], *, grid: Grid | ArrayLike | None = None, names: Iterable[str] | None = None
) -> Rankings:
    """Collect single rankings into one `Rankings` object.

    Parameters
    ----------
    orders
        The rankings. Those with the same `instance` belong together; one without is an instance of its own.
    grid
        The budgets; by default the budgets of the rankings.
    names
        The algorithms; by default the algorithms of the rankings, in the order in which they first appear.

    Returns
    -------
    Rankings

    Examples
    --------
    >>> collect_rankings([Ranking(10, ["cma", ("de", "rs")]), Ranking(10, ["de", "cma"])]).ranks.tolist()
    [[[0, 1, 1]], [[1, 0, -1]]]
    """
    rankings = list(orders)
    for ranking in rankings:
        if not isinstance(ranking, Ranking):
            raise ValueError(f"expected Ranking(budget, order) values, got {ranking!r}")
    if not rankings:
        raise ValueError("expected at least one ranking, got none; nothing was observed")
    budgets = as_grid(sorted({ranking.budget for ranking in rankings}) if grid is None else grid)
    given_names = list(
        dict.fromkeys(name for ranking in rankings for name in ranking.mentioned) if names is None else names
    )
    algorithms = check_names(given_names, len(given_names))
    columns = {name: column for column, name in enumerate(algorithms)}
    rows: dict[object, int] = {}
    cells = [
        (rows.setdefault(_label(index, ranking), len(rows)), _position(ranking.budget, budgets))
        for index, ranking in enumerate(rankings)
    ]
    ranks = np.full((len(rows), len(budgets), len(algorithms)), ABSENT, dtype=np.int16)
    weights = np.zeros(ranks.shape[:2])
    for ranking, cell in zip(rankings, cells, strict=True):
        if (ranks[cell] != ABSENT).any():
            raise ValueError(
                f"expected one ranking for each instance and budget, got two for instance {ranking.instance!r} at budget "
                f"{ranking.budget:g}; leave out `instance` for independent rankings"
            )
        for rank, group in [*enumerate(ranking.order), (UNRANKED, ranking.others)]:
            for name in group:
                if name not in columns:
                    raise ValueError(f"expected algorithms among {', '.join(algorithms)}, got {name!r}; add its name")
                ranks[(*cell, columns[name])] = rank
        weights[cell] = ranking.weight
    return Rankings(ranks, algorithms, budgets, weights, instances=list(rows))


def _label(index: int, ranking: Ranking) -> tuple[object, ...]:
    """Return a key of the instance of the ranking, its own if it has no `instance`."""
    return (None, index) if ranking.instance is None else (ranking.instance,)


def _position(budget: float, grid: Grid) -> int:
    """Return the index of a budget in the grid."""
    # The tolerance makes budgets equal that were printed and read back, or computed in another order.
    near = np.flatnonzero(np.isclose(grid.budgets, budget, rtol=1e-9, atol=0))
    if near.size == 0:
        raise ValueError(f"expected a budget of the grid, got {budget:g}; add it to the {grid!r}")
    return int(near[np.argmin(abs(grid.budgets[near] - budget))])
