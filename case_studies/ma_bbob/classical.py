"""The classical figures of the study: ECDF, AOCC, EAF differences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polarbear.baselines import BOUNDS, aocc, eaf_contour, eaf_difference, ecdf_band, log_targets
from polarbear.plots.end_labels import label_ends
from polarbear.plots.lettering import budget_axis, name_ticks
from polarbear.plots.palette import assign_looks
from polarbear.plots.style import empty_figure, new_figure, styled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from case_studies.ma_bbob.recorded import Recording


def ecdf_figure(recorded: Recording) -> Figure:
    """Draw the mean attained share over time, with 95 % bootstrap bands."""
    band = ecdf_band(recorded.values, rng=np.random.default_rng(0))
    look = assign_looks(recorded.names)
    with styled():
        figure, ax = new_figure(None, 3.0)
        for column, name in enumerate(recorded.names):
            ax.plot(recorded.evaluations, band.mean[:, column], color=look[name].colour)
            ax.fill_between(
                recorded.evaluations,
                band.lower[:, column],
                band.upper[:, column],
                color=look[name].colour,
                alpha=0.15,
                linewidth=0,
            )
        budget_axis(ax, recorded.grid, unit="evaluations")
        ax.set_ylim(bottom=0)
        ax.set_ylabel("mean attained share")
        label_ends(ax, dict(zip(recorded.names, band.mean[-1].tolist(), strict=True)), look)
        figure.draw_without_rendering()
    return figure


def aocc_figure(recorded: Recording) -> Figure:
    """Draw the AOCC of every instance as a point, and the mean as a dash."""
    areas = aocc(recorded.values, recorded.evaluations)
    rng, look = np.random.default_rng(0), assign_looks(recorded.names)
    with styled():
        figure, ax = new_figure(None, 3.0)
        for column, name in enumerate(recorded.names):
            across = column + rng.uniform(-0.3, 0.3, len(areas))
            ax.plot(across, areas[:, column], ".", color=look[name].colour, alpha=0.45, markersize=4, markeredgewidth=0)
            mean = areas[:, column].mean()
            ax.plot([column - 0.4, column + 0.4], [mean, mean], color="black", linewidth=1.6)
            ax.annotate(f"{mean:.3f}", (column, 1.02), ha="center", fontsize=7)
        ax.set_xlim(-0.5, len(recorded.names) - 0.5)
        ax.set_ylim(0, 1.08)
        name_ticks(ax.xaxis, recorded.names, recorded.names)
        ax.set_ylabel("AOCC")
        figure.draw_without_rendering()
    return figure


def eaf_figure(recorded: Recording, pairs: Sequence[tuple[str, str]]) -> Figure:
    """Draw EAF differences of pairs: red where the first is better, blue where the second is; medians dashed and dotted."""
    targets = log_targets(121)
    medians = eaf_contour(recorded.values)
    with styled():
        figure = empty_figure(None, 4.2)
        places = figure.subplots(-(-len(pairs) // 3), 3, sharex=True, sharey=True).ravel().tolist()
        for ax, (first, second) in zip(places, pairs, strict=True):
            a, b = recorded.names.index(first), recorded.names.index(second)
            difference = eaf_difference(recorded.values, a, b, targets)
            mesh = ax.pcolormesh(
                recorded.evaluations, targets, difference.T, cmap="coolwarm", vmin=-1, vmax=1, rasterized=True
            )
            ax.plot(recorded.evaluations, medians[:, a], color="black", linestyle="--", linewidth=1)
            ax.plot(recorded.evaluations, medians[:, b], color="black", linestyle=":", linewidth=1.3)
            ax.set_yscale("log")
            ax.set_ylim(*BOUNDS)
            budget_axis(ax, recorded.grid, unit="")
            ax.set_title(f"{first} vs. {second}", fontsize=8)
            ax.grid(visible=False)
        figure.supxlabel("evaluations", fontsize=8)
        figure.supylabel("distance to the optimum", fontsize=8)
        figure.colorbar(mesh, ax=places, label="difference of EAF", shrink=0.7)
        figure.draw_without_rendering()
    return figure
