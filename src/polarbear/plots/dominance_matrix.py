"""Figure of pairwise dominance: the probability that the row beats the column at every or at the least certain budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.plots.lettering import name_ticks, show_literally
from polarbear.posterior import relations

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes

    from polarbear.arrays import Array
    from polarbear.literals import Dominance
    from polarbear.posterior.posterior import Posterior

_FEW = 10  # up to this number of algorithms the cells contain numbers


@dataclass(frozen=True, eq=False)
class DominanceMatrix:
    """P(row beats column on most instances), shape (algorithm, algorithm), with zeros on the diagonal.

    Attributes
    ----------
    names
        The algorithms.
    probability
        The probability at the least certain budget ("pointwise"), or jointly at all budgets ("joint"). NaN for pairs of
        which one was not observed at some budget.
    dominance
        The rule, "pointwise" or "joint".
    """

    names: tuple[str, ...]
    probability: Array
    dominance: Dominance

    @classmethod
    def of(cls, posterior: Posterior, *, dominance: Dominance = "pointwise") -> Self:
        """Return the matrix of a posterior under a rule of dominance."""
        joint = dominance == "joint"
        beats = relations.anytime_dominance(posterior) if joint else relations.dominance(posterior).min(axis=0)
        known = posterior.observed_pairs.all(axis=0) | np.eye(len(beats), dtype=bool)
        return cls(posterior.names, np.where(known, beats, np.nan), dominance)


def draw_dominance(ax: Axes, data: DominanceMatrix) -> None:
    """Draw the matrix, darker for higher probabilities, with numbers if there are few algorithms."""
    from matplotlib import colormaps

    figure = ax.get_figure()
    assert figure is not None
    number = len(data.names)
    shown = np.ma.array(data.probability, mask=np.eye(number, dtype=bool) | np.isnan(data.probability))
    image = ax.imshow(shown, cmap=colormaps["Blues"].with_extremes(bad="#EEEEEE"), vmin=-0.08, vmax=1, aspect="equal")
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    ax.set_xticks(np.arange(1, number) - 0.5, minor=True)
    ax.set_yticks(np.arange(1, number) - 0.5, minor=True)
    ax.grid(visible=True, which="minor", axis="both", color="white", linewidth=1.5 if number <= _FEW else 0.8)
    ax.tick_params(which="minor", length=0)
    name_ticks(ax.yaxis, data.names)
    ax.xaxis.tick_top()
    name_ticks(ax.xaxis, data.names)
    if max(map(len, data.names)) > 2:
        for label in ax.get_xticklabels():
            label.set(rotation=45, ha="left", va="bottom", rotation_mode="anchor")
    if number <= _FEW:
        for (row, column), probability in np.ndenumerate(data.probability):
            if row != column:
                colour = "white" if probability > 0.55 else "#262626"
                show_literally(
                    ax.text(
                        column,
                        row,
                        _format_probability(probability),
                        color=colour,
                        ha="center",
                        va="center",
                        fontsize=7,
                    )
                )
    when = "at every budget" if data.dominance == "joint" else "at its least certain budget"
    bar = figure.colorbar(image, ax=ax, location="right", shrink=0.8, aspect=30, pad=0.03)
    bar.ax.set_ylim(0, 1)
    bar.outline.set_visible(False)
    note = "\n–: not observed at some budget" if np.isnan(data.probability).any() else ""
    bar.set_label(f"P(row beats column on\nmost instances {when}){note}")


def _format_probability(probability: float) -> str:
    """Return a probability with two digits, and never 1.00 for one below 1; a dash if it is unknown."""
    if np.isnan(probability):
        return "–"
    return ">.99" if 0.995 <= probability < 1 else f"{probability:.2f}"
