"""All relations of all pairs at all budgets as one value, for data frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.posterior.draw_quantiles import draw_quantiles
from polarbear.posterior.relations import apply_to_pairs, check_margin, fill_unobserved
from polarbear.table import as_frame

if TYPE_CHECKING:
    from polarbear.arrays import Array
    from polarbear.literals import FrameLibrary
    from polarbear.observe import Grid
    from polarbear.posterior.posterior import Posterior
    from polarbear.table import Table


@dataclass(frozen=True, eq=False)
class Relations:
    """The relations of all pairs at all budgets; arrays of shape (budget, algorithm, algorithm), the row against the column.

    Attributes
    ----------
    names, grid
        The algorithms and the budgets.
    win_rate, lower, upper
        Posterior mean and central credible interval of the win rate.
    dominance, equivalence
        The probabilities that `dominance` and `equivalence` return.
    level, margin
        The level of the interval, and the margin.
    """

    names: tuple[str, ...]
    grid: Grid
    win_rate: Array
    lower: Array
    upper: Array
    dominance: Array
    equivalence: Array
    level: float
    margin: float

    def __repr__(self) -> str:
        return f"Relations({len(self.names)} algorithms, {len(self.grid)} budgets, margin {self.margin:g})"

    def to_table(self) -> Table:
        """Return one row per budget and ordered pair of algorithms."""
        budgets, n = len(self.grid), len(self.names)
        rows, columns = np.nonzero(~np.eye(n, dtype=bool))
        table: Table = {
            "budget": np.repeat(self.grid.budgets, len(rows)),
            "algorithm_name": [self.names[a] for a in rows] * budgets,
            "against": [self.names[b] for b in columns] * budgets,
        }
        for name in ("win_rate", "lower", "upper", "dominance", "equivalence"):
            table[name] = getattr(self, name)[:, rows, columns].ravel()
        return table

    def to_frame(self, *, backend: FrameLibrary = "pandas") -> Any:
        """Return `to_table` as a data frame of pandas, polars or pyarrow."""
        return as_frame(self.to_table(), backend)


def relations(posterior: Posterior, *, margin: float = 0.05, level: float = 0.95) -> Relations:
    """Return win rates, dominance and equivalence of all pairs at all budgets, for data frames.

    Parameters
    ----------
    posterior
        The posterior.
    margin
        The margin; see `equivalence`.
    level
        The level of the credible intervals of the win rates.

    Examples
    --------
    >>> import polarbear as pb
    >>> choices = pb.Choices.from_values([[[1.0, 2.0]], [[1.0, 3.0]], [[5.0, 4.0]]], grid=[10], names=["cma", "rs"])
    >>> posterior = pb.fit(choices, prior=pb.BayesianBootstrap(), draws=1000)
    >>> pb.relations(posterior).to_frame().columns.tolist()
    ['budget', 'algorithm_name', 'against', 'win_rate', 'lower', 'upper', 'dominance', 'equivalence']
    """
    if not 0 < level < 1:
        raise ValueError(f"expected a level between 0 and 1, got {level!r}")
    check_margin(margin)
    tail = (1 - level) / 2

    def summaries(a: int, b: int) -> tuple[Array, Array]:
        low, high = draw_quantiles(posterior.win_rates(a, b), [tail, 1 - tail])
        mean, within = posterior.expected_win_rate(a, b), posterior.win_rate_within(a, b, margin)
        ahead, behind = posterior.win_rate_above(a, b), posterior.win_rate_above(b, a)
        return np.stack([mean, low, high, ahead, within]), np.stack([1 - mean, 1 - high, 1 - low, behind, within])

    mean, lower, upper, ahead, within = apply_to_pairs(posterior, True, summaries, quantities=(5,))
    return Relations(
        posterior.names,
        posterior.grid,
        mean,
        lower,
        upper,
        fill_unobserved(posterior, ahead, True, 0.5),
        fill_unobserved(posterior, within, True, 0.0),
        level,
        margin,
    )
