"""The study: a race, its figures, and its numbers beside the paper's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polarbear as pb
from case_studies.ma_bbob import savings
from case_studies.ma_bbob.classical import aocc_figure, eaf_figure, ecdf_figure
from case_studies.ma_bbob.comparison import compare
from case_studies.ma_bbob.recorded import Recorded
from case_studies.ma_bbob.settings import PAIRS, paper_settings
from case_studies.page import Page
from case_studies.processes import processes
from polarbear import plots

if TYPE_CHECKING:
    from pathlib import Path

_INTRODUCTION = (
    "Six step-size rules of modular CMA-ES and random search on affine combinations of BBOB functions in 30 dimensions, "
    "raced with an independent Dirichlet prior, pointwise elimination and strict resolution, at 200 times. "
)
_QUICK = (
    "The race replays 160 recorded instances; the paper's took 1656, so that strict resolution is not reached here."
)
_PAPER = "Every run of the race is made for it. ECDF, AOCC and EAF are of 160 recorded instances; the paper's of 1000."


def reproduce(folder: Path, *, scale: str, workers: int) -> Page:
    """Make the study: `quick` by replay of recorded runs, `paper` with the real optimisers."""
    page = Page(folder, "MA-BBOB: step-size rules of CMA-ES", _INTRODUCTION + (_QUICK if scale == "quick" else _PAPER))
    if scale == "quick":
        with processes(workers) as pool:
            told = pool.submit(_replayed, page)
            compared = savings.race_all(pool, savings.VARIANTS, range(3))
            page = told.result()
    else:
        from case_studies.ma_bbob.live import race_live

        recorded = Recorded.load()
        _tell(page, race_live(folder / "ma_bbob.race", recorded.grid, workers=workers), recorded)
        with processes(workers) as pool:
            compared = savings.race_all(pool, savings.VARIANTS | savings.FURTHER, range(5))
    raced = [each.result() for each in compared]
    page.tables.append(savings.as_table(raced))
    page.results["savings"] = [vars(each) for each in raced]
    return page


def _replayed(page: Page) -> Page:
    """The page with a race on the recorded runs told."""
    recorded = Recorded.load()
    race = pb.Race(recorded.names, None, recorded.grid, **paper_settings())
    _tell(page, race.run(pb.ReplayExecutor(recorded.trajectories()), progress="none"), recorded)
    return page


def _tell(page: Page, result: pb.RaceResult, recorded: Recorded) -> None:
    compare(page, result, recorded)
    _draw(page, result, recorded)


def _draw(page: Page, result: pb.RaceResult, recorded: Recorded) -> None:
    posterior, inside = result.posterior, result.pareto_set
    shown = ", ".join(inside)
    page.add_figure(
        ecdf_figure(recorded),
        "ecdf",
        "ECDF: the mean attained share of the interval from 1e2 to 1e-8 on a logarithmic scale, with 95 % bootstrap bands.",
    )
    page.add_figure(
        aocc_figure(recorded),
        "aocc",
        "AOCC of every instance (points) and its mean (dashes). Most algorithms have two modes, nearly solved and far from "
        "solved, and a mean where few instances are.",
    )
    page.add_figure(
        eaf_figure(recorded, PAIRS),
        "eaf_differences",
        "EAF differences: red where the first algorithm reached a target more often, blue where the second did; their "
        "median attainment dashed and dotted.",
    )
    page.add_figure(plots.rounds(result), "rounds", "The rating posterior after the rounds that decided something.")
    page.add_figure(plots.evolution(result), "evolution", "How surely each algorithm was dominated, round by round.")
    for axis in ("log", "linear"):
        page.add_figure(
            plots.ratings(posterior, among=inside, axis=axis, unit="evaluations"),
            f"posterior_{axis}",
            f"The final rating posterior of {shown}, mean and 95 % credible interval, on a {axis} axis. It is less certain "
            "beyond the last crossings, where runs were no longer needed.",
        )
    page.add_figure(
        plots.values(posterior, pb.Uniform(), among=inside), "values_uniform", "Values under a uniform preference."
    )
    page.add_figure(
        plots.values(posterior, pb.LogUniform(), among=inside),
        "values_log_uniform",
        "Values under a log-uniform preference, which weighs early budgets more.",
    )
    page.add_figure(
        plots.allocation(result),
        "allocation",
        "On how many instances each algorithm was run, and until when.",
    )
