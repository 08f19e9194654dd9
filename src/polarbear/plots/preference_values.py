"""Figure of the posterior of preference values V, one distribution per algorithm (the paper's figures of V^u)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.plots.lettering import name_ticks, write_right
from polarbear.plots.palette import assign_looks
from polarbear.selection import Uniform, select

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from matplotlib.axes import Axes

    from polarbear.arrays import Array
    from polarbear.posterior.posterior import Posterior
    from polarbear.selection import Preference


_POINTS = 200  # points at which a density is evaluated
_BINS = 1000  # a bin is about a hundredth of the bandwidth
_TAIL = 0.001  # share of the draws that a density leaves out at either end

_OVERLAP = 0.85  # height of a distribution in rows


@dataclass(frozen=True, eq=False)
class PreferenceValues:
    """Drawn values of each algorithm under a preference over time.

    Attributes
    ----------
    names, all_names
        The algorithms that are shown, the highest expected value first; and all algorithms.
    values
        Drawn values, shape (draw, algorithm).
    expected, lower, upper
        Mean, 2.5 % quantile and 97.5 % quantile.
    probability_best
        The probability that no other algorithm has a higher value.
    preference
        The preference as text.
    """

    names: tuple[str, ...]
    all_names: tuple[str, ...]
    values: Array
    expected: Array
    lower: Array
    upper: Array
    probability_best: Array
    preference: str

    @classmethod
    def of(
        cls, posterior: Posterior, preference: Preference | None = None, *, among: Sequence[str] | None = None
    ) -> Self:
        """Return the values under a preference, by default a uniform distribution of budgets."""
        preference = Uniform() if preference is None else preference
        selection = select(posterior, preference, among=among)
        each = selection.candidates
        return cls(
            names=tuple(one.members[0] for one in each),
            all_names=posterior.names,
            values=selection.values,
            expected=np.array([one.expected for one in each]),
            lower=np.array([one.lower for one in each]),
            upper=np.array([one.upper for one in each]),
            probability_best=np.array([one.probability_best for one in each]),
            preference=str(preference),
        )

    def densities(self) -> tuple[tuple[Array, Array], ...]:
        """Return places and Gaussian kernel densities of the values of each algorithm, over the central 99.8 % of draws."""
        curves = []
        for values in self.values.T:
            low, high = np.quantile(values, [_TAIL, 1 - _TAIL])
            if not high - low > 1e-12:  # all draws agree: draw a very thin peak
                curves.append((np.array([low - 1e-6, low, low + 1e-6]), np.array([0.0, 1e6, 0.0])))
                continue
            where = np.linspace(low, high, _POINTS)
            curves.append((where, _kernel_density(values, where)))
        return tuple(curves)


def _kernel_density(values: Array, where: Array) -> Array:
    """Return the Gaussian kernel density with Scott's bandwidth, from values counted in bins.

    Within 0.2 % of its peak it equals `scipy.stats.gaussian_kde`, whose import takes about a fifth of the time of a figure.
    """
    counts, edges = np.histogram(values, bins=_BINS)
    centres, bandwidth = (edges[1:] + edges[:-1]) / 2, values.std(ddof=1) * len(values) ** -0.2
    kernel = np.exp(-0.5 * ((where[:, None] - centres) / bandwidth) ** 2)
    density: Array = kernel @ counts / (len(values) * bandwidth * np.sqrt(2 * np.pi))
    return density


def draw_values(ax: Axes, data: PreferenceValues) -> None:
    """Draw one distribution per row, all of the same height, with the best algorithm on top.

    The point marks the mean, and the line below it the central 95 %. The right margin shows the probability of being best.
    """
    look = assign_looks(data.all_names)
    for row, (name, (where, density)) in enumerate(zip(data.names, data.densities(), strict=True)):
        colour = look[name].colour
        profile = row - _OVERLAP * density / density.max()
        ax.fill_between(where, row, profile, color=colour, alpha=0.3, linewidth=0, zorder=2)
        ax.plot(where, profile, color=colour, linewidth=0.9, zorder=2.1)
        ax.plot([data.lower[row], data.upper[row]], [row, row], color=colour, linewidth=2, zorder=3)
        ax.plot(data.expected[row], row, "o", color=colour, markeredgecolor="white", markeredgewidth=0.5, zorder=4)
    ends = [(-1.0, "P(best)"), *((float(row), f"{best:.2f}") for row, best in enumerate(data.probability_best))]
    write_right(ax, ends)
    ax.set_ylim(len(data.names) - 0.6, -1.2)
    name_ticks(ax.yaxis, data.names, data.all_names)
    ax.spines["left"].set_visible(False)
    ax.margins(x=0.02)
    if (data.lower < 0.05 * data.upper.max()).any():
        ax.set_xlim(left=0)
    ax.set_xlabel(f"value for {data.preference}")
