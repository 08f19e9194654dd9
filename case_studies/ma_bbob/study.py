"""The study: a race, its figures, and its numbers compared with the paper's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polarbear as pb
from case_studies.ma_bbob import savings
from case_studies.ma_bbob.classical import aocc_figure, eaf_figure, ecdf_figure
from case_studies.ma_bbob.comparison import compare
from case_studies.ma_bbob.recorded import Recording
from case_studies.ma_bbob.settings import PAIRS, paper_settings
from case_studies.page import Page
from case_studies.processes import processes
from polarbear import plots

if TYPE_CHECKING:
    from pathlib import Path

    from polarbear.race.outcome import RaceOutcome

_INTRODUCTION = (
    "Six step-size rules of modular CMA-ES and random search on affine combinations of BBOB functions in 30 dimensions, "
    "raced with an independent Dirichlet prior, pointwise elimination and strict resolution, at 200 times. "
)
_QUICK = "The race replays 160 recorded instances. The paper's took 1656, so strict resolution is not reached here."
_PAPER = "All runs of the race are new. ECDF, AOCC and EAF use 160 recorded instances, the paper's 1000."


def reproduce(folder: Path, *, scale: str, workers: int) -> Page:
    """Reproduce the study: `quick` replays recorded runs, `paper` runs the real optimisers."""
    page = Page(folder, "MA-BBOB: step-size rules of CMA-ES", _INTRODUCTION + (_QUICK if scale == "quick" else _PAPER))
    if scale == "quick":
        with processes(workers) as pool:
            with_replay = pool.submit(_add_replay, page)
            races = savings.race_all(pool, savings.VARIANTS, range(3))
            page = with_replay.result()
    else:
        from case_studies.ma_bbob.live import race_live

        recorded = Recording.load()
        _add_race(page, race_live(folder / "ma_bbob.race", recorded.grid, workers=workers), recorded)
        with processes(workers) as pool:
            races = savings.race_all(pool, savings.VARIANTS | savings.FURTHER | savings.LONG, range(5))
    results = [each.result() for each in races]
    page.tables.append(savings.savings_table([each for each in results if each.variant not in savings.LONG]))
    if scale == "paper":
        page.tables.append(savings.savings_table([each for each in results if each.variant in savings.LONG]))
    page.results["savings"] = [vars(each) for each in results]
    return page


def _add_replay(page: Page) -> Page:
    """Race on the recorded runs, and return the page with the result."""
    recorded = Recording.load()
    race = pb.Race(recorded.names, None, recorded.grid, **paper_settings())
    _add_race(page, race.drive(pb.ReplayExecutor(recorded.trajectories()), progress="none"), recorded)
    return page


def _add_race(page: Page, result: RaceOutcome, recorded: Recording) -> None:
    compare(page, result, recorded)
    _draw(page, result, recorded)


def _draw(page: Page, result: RaceOutcome, recorded: Recording) -> None:
    posterior, inside = result.posterior, result.kept
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
        "solved, and a mean that describes few instances.",
    )
    page.add_figure(
        eaf_figure(recorded, PAIRS),
        "eaf_differences",
        "EAF differences: red where the first algorithm reached a target more often, blue where the second did; the "
        "median attainment is dashed for the first and dotted for the second.",
    )
    page.add_figure(plots.rounds(result), "rounds", "The rating posterior after the rounds that decided something.")
    page.add_figure(plots.evolution(result), "evolution", "The probability that each algorithm is dominated, by round.")
    for axis in ("log", "linear"):
        page.add_figure(
            plots.ratings(posterior, among=inside, axis=axis, unit="evaluations"),
            f"posterior_{axis}",
            f"The final rating posterior of {shown}, mean and 95 % credible interval, on a {axis} axis. It is less certain "
            "beyond the last crossings, where no more runs were needed.",
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
        "The number of instances on which each algorithm ran, over time.",
    )
