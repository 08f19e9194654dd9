"""Figure of the ratings over time: mean and credible band per algorithm (the paper's synthetic and MA-BBOB figures)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.plots.end_labels import label_ends
from polarbear.plots.lettering import budget_axis
from polarbear.plots.palette import assign_looks
from polarbear.selection.candidates import check_candidates

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Self

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from polarbear.arrays import Array, Indices
    from polarbear.literals import Axis
    from polarbear.observe import Grid
    from polarbear.posterior.posterior import Posterior


_FEW = 8  # up to this number of algorithms, darker bands remain distinguishable


@dataclass(frozen=True, eq=False)
class RatingCurves:
    """Ratings over time, the share of instances on which an algorithm comes first; arrays of shape (budget, algorithm).

    Attributes
    ----------
    grid
        The budgets.
    names, all_names
        The algorithms that are shown, and all algorithms, whose order determines the colours.
    mean, lower, upper
        Posterior mean and central credible interval; NaN where the algorithm was not observed.
    level
        The level of the interval.
    truth
        The true ratings, if known.
    """

    grid: Grid
    names: tuple[str, ...]
    all_names: tuple[str, ...]
    mean: Array
    lower: Array
    upper: Array
    level: float
    truth: Array | None = None

    @classmethod
    def of(
        cls,
        posterior: Posterior,
        *,
        level: float = 0.95,
        among: Sequence[str] | None = None,
        truth: ArrayLike | None = None,
    ) -> Self:
        """Return the rating curves of a posterior.

        Parameters
        ----------
        posterior
            Draws of ratings over time.
        level
            The level of the credible interval.
        among
            The algorithms to show; all by default.
        truth
            The true ratings of all algorithms, shape (budget, algorithm).
        """
        names = check_candidates(posterior, among)
        columns = [posterior.names.index(name) for name in names]
        summary = posterior.summary(level)
        known = None if truth is None else np.asarray(truth, dtype=np.float64)
        if known is not None and known.shape != summary.mean.shape:
            raise ValueError(
                f"expected a truth of shape (budget, algorithm) = {summary.mean.shape}, got {known.shape}; give one rating "
                f"for each budget of the grid and each of {', '.join(posterior.names)}"
            )
        mean, lower, upper = (
            np.where(posterior.observed, curves, np.nan)[:, columns]
            for curves in (summary.mean, summary.lower, summary.upper)
        )
        return cls(
            grid=posterior.grid,
            names=names,
            all_names=posterior.names,
            mean=mean,
            lower=lower,
            upper=upper,
            level=level,
            truth=None if known is None else known[:, columns],
        )


def draw_ratings(
    ax: Axes,
    data: RatingCurves,
    *,
    axis: Axis | None = None,
    unit: str = "budget",
    faint: Collection[str] = (),
    labelled: bool = True,
) -> None:
    """Draw means as lines, credible intervals as bands, and true ratings, if known, as dotted lines.

    Lines and bands are interrupted where an algorithm was not observed.

    Parameters
    ----------
    ax
        The axes to draw on.
    data
        The curves.
    axis
        "linear" or "log"; the axis of the grid by default.
    unit
        The label of the budget axis.
    faint
        Algorithms to draw in the background, such as dropped algorithms.
    labelled
        Whether to write the names at the ends of the lines.
    """
    look, budgets = assign_looks(data.all_names), data.grid.budgets
    shade = 0.18 if len(data.names) <= _FEW else 0.1
    for column, name in enumerate(data.names):
        colour, front = look[name].colour, name not in faint
        strength = 1.0 if front else 0.35
        ax.fill_between(
            budgets, data.lower[:, column], data.upper[:, column], color=colour, alpha=shade * strength, linewidth=0
        )
        alone = isolated(data.mean[:, column])
        if alone.size:
            low, high = data.lower[alone, column], data.upper[alone, column]
            ax.vlines(budgets[alone], low, high, color=colour, alpha=strength, linewidth=1)
        ax.plot(
            budgets,
            data.mean[:, column],
            color=colour,
            linestyle=look[name].dashes,
            alpha=strength,
            marker="o" if alone.size else None,
            markevery=alone.tolist(),
            zorder=3 if front else 2.5,
        )
        if data.truth is not None:
            ax.plot(budgets, data.truth[:, column], color=colour, linestyle=(0, (1, 2)), linewidth=1.0, zorder=3.5)
    budget_axis(ax, data.grid, axis=axis, unit=unit, subdivided=labelled)
    ax.set_ylim(bottom=0)
    ax.set_ylabel("rating (share of first places)")
    if labelled:
        label_ends(ax, {name: last_known(mean) for name, mean in zip(data.names, data.mean.T, strict=True)}, look)


def isolated(values: Array) -> Indices:
    """Return the positions of values between two gaps (NaN), where a line is invisible and a marker is needed.

    Examples
    --------
    >>> isolated(np.array([1.0, np.nan, 2.0, 3.0, np.nan, 4.0])).tolist()
    [0, 5]
    """
    known = np.concatenate([[False], np.isfinite(values), [False]])
    return np.flatnonzero(known[1:-1] & ~known[:-2] & ~known[2:])


def last_known(values: Array) -> float:
    """Return the last value that is not NaN; NaN if there is none."""
    known = values[np.isfinite(values)]
    return float(known[-1]) if known.size else float("nan")
