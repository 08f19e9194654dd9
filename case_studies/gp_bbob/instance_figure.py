"""The figure of one GP-BBOB instance with two variables: weights, sparsity, landscape."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polarbear.plots.style import empty_figure, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from polarbear.problems.gp_bbob import GpBbobProblem

_SHOWN = 0.001  # a function whose weight never exceeds this is not shown, as in the paper
_ACROSS = 6


def instance_figure(problem: GpBbobProblem, *, until: int = 120) -> Figure:
    """Draw w(x) of every function that has weight somewhere, k(x), and f(x) minus its lowest value on the grid.

    Weights and values are on a logarithmic scale: many functions have little weight, and only in few places.
    """
    from matplotlib.colors import LogNorm

    axis = np.linspace(-5, 5, until)
    points = np.stack(np.meshgrid(axis, axis), axis=-1)
    weights, active, values = problem.weights(points), problem.active(points), problem(points)
    shown = np.flatnonzero(weights.max(axis=(0, 1)) > _SHOWN).tolist()
    down = -(-len(shown) // _ACROSS)
    extent = (-5.0, 5.0, -5.0, 5.0)
    with styled():
        figure = empty_figure(None, 1.1 * down + 3.2)
        above, below = figure.subfigures(2, 1, squeeze=False, height_ratios=[1.1 * down, 3.0]).ravel().tolist()
        places = above.subplots(down, _ACROSS, squeeze=False).ravel().tolist()
        for ax in places[len(shown) :]:
            ax.remove()
        for ax, function in zip(places, shown, strict=False):
            image = ax.imshow(
                weights[..., function],
                origin="lower",
                extent=extent,
                norm=LogNorm(_SHOWN, 1, clip=True),
                cmap="viridis",
            )
            ax.set_title(f"w of f{function + 1}", fontsize=7)
            ax.set_axis_off()
        scale = above.colorbar(image, ax=places[: len(shown)], shrink=0.8)
        scale.ax.set_yticks([_SHOWN, 0.01, 0.1, 1], labels=[f"≤ {_SHOWN:g}", "0.01", "0.1", "1"])
        left, right = below.subplots(1, 2)
        height = np.log10(values - values.min() + 1e-3)
        below.colorbar(left.imshow(height, origin="lower", extent=extent, cmap="magma"), ax=left, shrink=0.85)
        left.set_title("log₁₀(f(x) − least + 0.001)", fontsize=8)
        sparsity = right.imshow(active, origin="lower", extent=extent, cmap="cividis")
        below.colorbar(sparsity, ax=right, shrink=0.85)
        right.set_title("k(x)", fontsize=8)
        for ax in (left, right):
            ax.grid(visible=False)
        figure.draw_without_rendering()
    return figure
