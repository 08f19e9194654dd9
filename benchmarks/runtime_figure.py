"""The figure of the runtime benchmark: seconds over the size of the problem, one panel per prior."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from runtime_cells import Cell

COLOURS = {
    "default": "#0072b2",
    "nuts": "#009e73",
    "pathfinder": "#56b4e9",
    "pymc-numpyro": "#d55e00",
    "pymc-nutpie": "#e69f00",
    "pymc-pathfinder": "#cc79a7",
}


def draw(results: dict[Cell, dict[str, Any]], path: Path) -> None:
    """Draw the paper's two figures, the second with one panel per prior; crosses mark cells that timed out."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    measured = {cell: result for cell, result in results.items() if cell.block != "table" and "seconds" in result}
    panels = sorted({(cell.block != "pathfinder", cell.block, cell.prior) for cell in measured})
    if not panels:
        return
    columns, rows = min(4, len(panels)), math.ceil(len(panels) / 4)
    size = (1 + 3.2 * columns, 3.6 * rows)
    figure, axes = plt.subplots(rows, columns, figsize=size, sharey=True, squeeze=False, layout="constrained")
    for unused in axes.flat[len(panels) :]:
        unused.axis("off")
    for panel, (_, block, prior) in zip(axes.flat, panels, strict=False):
        over = "instances" if block == "pathfinder" else "budgets"
        lines: dict[tuple[str, int], list[tuple[int, float, bool]]] = {}
        for cell, result in measured.items():
            if (cell.block, cell.prior) == (block, prior):
                point = (getattr(cell, over), result["seconds"], bool(result.get("gave_up")))
                lines.setdefault((cell.engine, cell.algorithms), []).append(point)
        largest = max(algorithms for _, algorithms in lines)
        for (engine, algorithms), points in sorted(lines.items()):
            x, y, timed_out = zip(*sorted(points), strict=True)
            colour, label = COLOURS[engine], engine if algorithms == largest else None
            panel.plot(x, y, color=colour, marker="o", markersize=4, linewidth=2 * algorithms / largest, label=label)
            panel.plot(*np.array([x, y])[:, list(timed_out)], color=colour, marker="x", markersize=12, linestyle="")
        sizes = sorted({algorithms for _, algorithms in lines})
        panel.set(title=f"{prior}, n = {', '.join(map(str, sizes))}", xlabel=over, yscale="log")
        panel.set_xscale("log" if block == "pathfinder" else "linear")
        panel.grid(alpha=0.3)
        panel.legend(fontsize=7)
    for row in axes:
        row[0].set_ylabel("seconds")
    figure.savefig(path, dpi=150)
