"""Execution times of the default methods on data of the paper's sizes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

import polarbear as pb
from case_studies.page import Page, Table
from case_studies.synthetic.ground_truth import GroundTruth
from polarbear.plots.palette import assign_looks
from polarbear.plots.style import empty_figure, styled

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

TEMPORAL: dict[str, pb.models.Prior] = {
    "exact GP": pb.GaussianProcess(),
    "sparse GP, 10 points": pb.SparseGaussianProcess(inducing=10),
    "HSGP": pb.HilbertSpaceGP(),
    "random walk": pb.RandomWalk(),
    "B-spline": pb.BSpline(),
    "hierarchical Dirichlet": pb.HierarchicalDirichlet(),
}
# The times in the paper's text: NUTS at T = 100, for the exact GP at T = 60.
_PAPER = {
    "exact GP": ("over 500 s", 60),
    "sparse GP, 10 points": ("about 180 s", 100),
    "HSGP": ("about 300 s", 100),
    "random walk": ("about 300 s", 100),
    "B-spline": ("below 100 s", 100),
    "hierarchical Dirichlet": ("below 100 s", 100),
}
_INTRODUCTION = (
    "Seconds of processor time from rankings to 4000 posterior draws. The paper sampled temporal models with NUTS (4 chains "
    "on 4 cores, 1000 warm-up and 2000 kept draws each) and the independent one with Pathfinder; here each prior has its "
    "default method."
)


def reproduce(folder: Path, *, scale: str, workers: int) -> Page:
    """Reproduce the study; `quick` measures each size once, `paper` measures more sizes five times."""
    del workers  # all times are of one core
    page = Page(folder, "Execution time of inference", _INTRODUCTION)
    quick = scale == "quick"
    repetitions = 1 if quick else 5
    for prior in (pb.RandomWalk(), pb.Dirichlet()):  # modules are imported by the first fit
        seconds(prior, algorithms=3, instances=5, times=2, repetitions=1)
    sizes = (10, 60, 100) if quick else (10, 20, 40, 60, 80, 100)
    temporal = {
        name: {T: seconds(prior, algorithms=5, instances=30, times=T, repetitions=repetitions) for T in sizes}
        for name, prior in TEMPORAL.items()
    }
    instances = (10, 100, 1000)
    independent = {
        n: {P: seconds(pb.Dirichlet(), algorithms=n, instances=P, times=1, repetitions=repetitions) for P in instances}
        for n in ((5, 30) if quick else (3, 5, 10, 20, 30))
    }
    for name, (paper, T) in _PAPER.items():
        ours = temporal[name][T]
        page.compare(f"{name}, n = 5, P = 30, T = {T}", paper, f"{ours:.2g} s", "Another method, and another machine.")
    page.compare(
        "independent Dirichlet, n = 30, P = 100, one time",
        "below 10 s",
        f"{independent[30][100]:.2g} s",
        "Another method, and another machine.",
    )
    page.tables.append(_table("Temporal models, n = 5, P = 30", "T", temporal))
    page.tables.append(
        _table("Independent Dirichlet at one time", "P", {f"n = {n}": row for n, row in independent.items()})
    )
    page.results |= {"temporal_seconds": temporal, "independent_seconds": independent, "repetitions": repetitions}
    page.add_figure(
        _figure(temporal, independent),
        "runtime",
        "Seconds of inference: temporal models over the number of times (left), the independent one over the number of "
        "instances (right).",
    )
    return page


def seconds(prior: pb.models.Prior, *, algorithms: int, instances: int, times: int, repetitions: int) -> float:
    """Return the mean processor time of a fit in seconds, over data of different ground truths."""
    durations = []
    for seed in range(repetitions):
        rng = np.random.default_rng([seed, algorithms, instances, times])
        # A ground truth has at least two times; a single time is the first of two.
        utilities = GroundTruth.draw(seed, algorithms=algorithms, times=max(times, 2)).utilities[:times]
        values = -(utilities + rng.gumbel(size=(instances, *utilities.shape)))
        grid = pb.linear_grid(1, times, times) if times > 1 else [1.0]
        choices = pb.Choices.from_values(values, grid=grid)
        start = time.process_time()
        pb.fit(choices, prior=prior, seed=seed)
        durations.append(time.process_time() - start)
    return float(np.mean(durations))


def _table(title: str, size: str, measured: dict[str, dict[int, float]]) -> Table:
    sizes = list(next(iter(measured.values())))
    rows = [(name, *(f"{row[each]:.2g} s" for each in sizes)) for name, row in measured.items()]
    return Table(title, "Mean seconds of a fit.", ("", *(f"{size} = {each}" for each in sizes)), rows)


def _figure(temporal: dict[str, dict[int, float]], independent: dict[int, dict[int, float]]) -> Figure:
    with styled():
        figure = empty_figure(None, 2.8)
        left, right = figure.subplots(1, 2)
        lines: list[tuple[Any, dict[str, dict[int, float]], str]] = [
            (left, temporal, "number of times"),
            (right, {f"n = {n}": row for n, row in independent.items()}, "number of instances"),
        ]
        for ax, measured, label in lines:
            look = assign_looks(measured)
            for name, row in measured.items():
                ax.plot(list(row), list(row.values()), marker=look[name].marker, color=look[name].colour, label=name)
            ax.set_yscale("log")
            ax.margins(0.06)
            ax.set_xlabel(label)
            ax.set_ylabel("seconds")
            ax.legend(fontsize=6)
        right.set_xscale("log")
        figure.draw_without_rendering()
    return figure
