"""The study: the paper's Figure 1 by its methods, the default methods on the same data, and the times in its text."""

from __future__ import annotations

import os
from dataclasses import asdict
from importlib.util import find_spec
from typing import TYPE_CHECKING

from case_studies.page import Page, Table
from case_studies.runtime.cell import CHAINS, KEPT, WARMUP, Engine
from case_studies.runtime.measurements import PAPER, QUICK, means, measure_each_alone, measure_here
from polarbear.plots.palette import assign_looks
from polarbear.plots.style import empty_figure, styled
from polarbear.wording import join_names, with_noun

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    Curves = Mapping[str, Mapping[int, float]]

# The times in the paper's text, each for a number of times T.
_PAPER = {
    "exact GP": ("over 500 s", 60),
    "sparse GP, 10 points": ("about 180 s", 100),
    "HSGP": ("about 300 s", 100),
    "random walk": ("about 300 s", 100),
    "B-spline": ("below 100 s", 100),
    "hierarchical Dirichlet": ("below 100 s", 100),
}
PATIENCE = 3600.0
"""Seconds after which one fit of the paper scale is given up."""

_DATA = "Rankings of ground truths of the first case study. "
_QUICK = (
    "Processor seconds of the default method of each prior, 4000 draws on one core, measured once. The paper's figure has "
    "other methods, with five repetitions: NUTS for the temporal models (4 chains on 4 cores, 1000 warm-up and 2000 kept "
    "draws each), Pathfinder for the independent one. `--scale paper` measures these, for hours."
)


def reproduce(folder: Path, *, scale: str, workers: int) -> Page:
    """Reproduce the figure: `quick` measures the default methods, `paper` the paper's, each fit alone, five times."""
    del workers  # simultaneous fits would slow each other down
    if scale == "quick":
        page = Page(folder, "Execution time of inference", _DATA + _QUICK)
        cells = [*QUICK.temporal("default", 0), *QUICK.independent("default", 0)]
        durations = measure_here(cells)
        _add(page, means(durations, "default", temporal=False), means(durations, "default", temporal=True), "default")
        return page
    pathfinder = require_engines()
    page = Page(folder, "Execution time of inference", _DATA + _setup(pathfinder))
    seeds = range(PAPER.repetitions)
    cells = [cell for seed in seeds for cell in (*PAPER.temporal("default", seed), *PAPER.independent("default", seed))]
    cells += [cell for seed in seeds for cell in PAPER.independent(pathfinder, seed)]
    cells += [cell for seed in seeds for cell in PAPER.temporal("pymc-nuts", seed)]
    durations = measure_each_alone(cells, folder / "durations.jsonl", patience=PATIENCE)
    independent, temporal = means(durations, pathfinder, temporal=False), means(durations, "pymc-nuts", temporal=True)
    defaults = means(durations, "default", temporal=True)
    _add(page, independent, temporal, "paper", defaults)
    _add_tables(page, means(durations, "default", temporal=False), defaults, "The default methods")
    page.results["durations"] = [asdict(cell) | asdict(duration) for cell, duration in durations.items()]
    late = [cell for cell, duration in durations.items() if duration.wall is None]
    if late:
        names = join_names(sorted({f"{cell.prior} at T = {cell.budgets}" for cell in late}))
        page.introduction += (
            f" Left out, since they did not end within {PATIENCE:g} seconds: {with_noun(len(late), 'fit')} of {names}."
        )
    return page


def require_engines() -> Engine:
    """Return the Pathfinder to measure: Stan's, as in the paper, or PolarBear's; raise an ImportError without NUTS."""
    missing = [package for package in ("pymc", "numpyro", "blackjax") if find_spec(package) is None]
    if missing:
        raise ImportError(
            f"the paper scale samples with PyMC and NumPyro and needs {', '.join(missing)}: "
            "pip install 'polarbear-anytime[mcmc,pymc]' numpyro. The quick scale needs neither"
        )
    return "stan-pathfinder" if find_spec("cmdstanpy") is not None else "pathfinder"


def _setup(pathfinder: Engine) -> str:
    cores = os.cpu_count() or 1
    whose = (
        "Stan's, as in the paper"
        if pathfinder == "stan-pathfinder"
        else "PolarBear's, since CmdStan, which the paper used, is not installed"
    )
    return (
        f"Mean of {PAPER.repetitions} repetitions, each on other data and in a process of its own. The temporal models are "
        f"sampled by NUTS in PyMC with JAX and NumPyro: {CHAINS} chains in parallel, {WARMUP} warm-up and {KEPT} kept draws "
        "each, in wall-clock seconds; compilation counts, since PyMC compiles for each data set. "
        + ("" if cores >= CHAINS else f"The paper had a core for each chain; this machine has {cores}. ")
        + f"The independent model has Pathfinder on one core ({whose}), in processor seconds; compilation does not count. "
        "The paper's text does not give the data, the machine, or the sizes of the left panel; ours are n = "
        f"{', '.join(map(str, PAPER.algorithms))} and P = {', '.join(map(str, PAPER.instances))}. It gives no time of the "
        "exact GP beyond T = 60, so that curve ends there."
    )


def _add(page: Page, independent: Curves, temporal: Curves, engine: str, defaults: Curves | None = None) -> None:
    """Add the comparison, the tables and the figure; `defaults` are the temporal seconds of the default methods."""
    for name, (paper, T) in _PAPER.items():
        ours = temporal.get(name, {}).get(T)
        remark = "The default method, on another machine." if engine == "default" else "On another machine."
        if defaults is not None:
            remark += f" The default method: {_in_words(defaults.get(name, {}).get(T))}."
        page.compare(f"{name}, n = 5, P = 30, T = {T}", paper, _in_words(ours), remark)
    page.compare(
        "independent Dirichlet, n = 30, P = 100, one time",
        "below 10 s",
        _in_words(independent.get("n = 30", {}).get(100)),
        "The default method, on another machine." if engine == "default" else "On another machine.",
    )
    methods = ("the default method", "the default method") if engine == "default" else ("Pathfinder, one core", "NUTS")
    _add_tables(page, independent, temporal, "Seconds")
    page.results |= {"independent_seconds": independent, "temporal_seconds": temporal}
    page.add_figure(
        runtime_figure(independent, temporal),
        "figure_1",
        f"Mean execution time in seconds. (a) The independent Dirichlet model at a single time, {methods[0]}, both axes "
        f"logarithmic. (b) Temporal models with n = 5 and P = 30, {methods[1]}.",
    )


def _in_words(seconds: float | None) -> str:
    return "not measured" if seconds is None else f"{seconds:.2g} s" if seconds < 100 else f"{seconds:.0f} s"


def _add_tables(page: Page, independent: Curves, temporal: Curves, title: str) -> None:
    page.tables += [
        _table(f"{title}: independent Dirichlet at one time", "P", independent),
        _table(f"{title}: temporal models, n = 5, P = 30", "T", temporal),
    ]


def _table(title: str, size: str, curves: Curves) -> Table:
    sizes = sorted({each for row in curves.values() for each in row})
    rows: Sequence[Sequence[object]] = [
        (name, *(_in_words(row.get(each)) for each in sizes)) for name, row in curves.items()
    ]
    return Table(title, "Mean seconds of a fit.", ("", *(f"{size} = {each}" for each in sizes)), rows)


def runtime_figure(independent: Curves, temporal: Curves) -> Figure:
    """Draw the paper's two panels: seconds over P for several n, both axes logarithmic, and seconds over T by model."""
    with styled():
        figure = empty_figure(None, 3.0)
        left, right = figure.subplots(1, 2)
        for ax, curves, title, label in (
            (left, independent, "(a) independent Dirichlet, one time", "number of instances P"),
            (right, temporal, "(b) temporal models, n = 5, P = 30", "number of times T"),
        ):
            ax.set_title(title, fontsize=8)
            look = assign_looks(curves)
            for name, row in curves.items():
                ax.plot(list(row), list(row.values()), marker=look[name].marker, color=look[name].colour, label=name)
            ax.margins(0.06)
            ax.set_xlabel(label)
            ax.set_ylabel("seconds")
            ax.legend(fontsize=6, frameon=True, framealpha=0.9)
        left.set_xscale("log")
        left.set_yscale("log")
        right.set_ylim(bottom=0)
        figure.draw_without_rendering()
    return figure
