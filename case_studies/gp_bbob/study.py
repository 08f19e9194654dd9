"""The study: a race by the wall clock, kept in a file, its figures, and its numbers beside the paper's."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import polarbear as pb
from case_studies.gp_bbob.instance_figure import instance_figure
from case_studies.optimisers import matrix_variants, require_optimisers
from case_studies.page import Page, Table
from polarbear import plots
from polarbear.problems.gp_bbob import GpBbob, GpBbobProblem

if TYPE_CHECKING:
    from pathlib import Path

_INTRODUCTION = (
    "Seven matrix adaptation rules of modular CMA-ES and random search on GP-BBOB, spatially varying mixtures of BBOB "
    "functions whose optima are unknown, compared by seconds on the wall clock: B-spline prior, joint elimination, crossing "
    "resolution, batches of 8 to 128. "
)
_PAPER_OUT = {"NAT": 2, "RS": 5, "MAT": 5, "COV": 8, "CMSA": 8, "CHO": 14}
_PICTURED = 3  # seed of the instance in the figure


@dataclass(frozen=True)
class Scale:
    """How large a race is: seconds of a run, times, dimension (None: drawn), and when it stops at the latest."""

    seconds: float
    times: int
    dimension: int | None
    max_instances: int | None
    about: str


SCALES = {
    "quick": Scale(
        1.5,
        15,
        40,
        24,
        "Quick scale: 40 variables instead of about 240 and 1.5 seconds instead of 30, at most 24 instances; adaptation "
        "costs far less there, so that another outcome than the paper's is to be expected.",
    ),
    "paper": Scale(30.0, 30, None, None, "The paper's scale; the outcome depends on the machine."),
}


def reproduce(folder: Path, *, scale: str, workers: int) -> Page:
    """Make the study; the race file in the folder is continued if it is there."""
    require_optimisers()
    size = SCALES[scale]
    page = Page(folder, "GP-BBOB: matrix adaptation by the wall clock", _INTRODUCTION + size.about)
    result = race_live(folder / "gp_bbob.race", size, workers=workers)
    _compare(page, result)
    _beside_nuts(page, result)
    page.add_figure(
        instance_figure(GpBbobProblem(_PICTURED, 2)),
        "instance",
        "An instance with two variables: the weights w(x), the landscape f(x), and k(x), how many functions are active.",
    )
    page.add_figure(plots.rounds(result), "rounds", "The rating posterior after the rounds that decided something.")
    page.add_figure(plots.evolution(result), "evolution", "How surely each algorithm was dominated, round by round.")
    inside = result.pareto_set
    page.add_figure(
        plots.ratings(result.posterior, among=inside, unit="seconds"),
        "posterior",
        f"The final posterior of {', '.join(inside)}.",
    )
    page.add_figure(
        plots.values(result.posterior, pb.Uniform(), among=inside), "values", "Values under a uniform preference."
    )
    return page


def race_live(path: Path, size: Scale, *, workers: int) -> pb.RaceResult:
    """Race until every pair is decided, or until the scale's last instance."""
    algorithms, instances = matrix_variants(), GpBbob(size.dimension)
    if path.exists():
        race = pb.Race.open(path, algorithms=algorithms, instances=instances)
    else:
        race = pb.Race(
            algorithms,
            instances,
            pb.linear_grid(0.1, size.seconds, size.times),
            path=path,
            clock="seconds",
            prior=pb.BSpline(),
            elimination="joint",
            resolution="crossing",
            confidence=0.99,
            rope=0.05,
            batch=pb.AdaptiveBatch(8, 128),
        )
    with race, pb.LocalExecutor(workers=workers) as executor:
        # Repelling restarts may hang inside modcma, where only the supervisor can end them.
        return race.run(executor, max_instances=size.max_instances, time_limit=size.seconds + 120)


def _compare(page: Page, result: pb.RaceResult) -> None:
    remark = "By another machine's clock" + (
        "." if result.stopped == "resolved" else f"; the race stopped: {result.stopped}."
    )
    page.compare("anytime Pareto set", "NONE, SEP", ", ".join(result.pareto_set), remark)
    page.compare("rounds, instances", "14, 528", f"{len(result.rounds)}, {result.instances}", remark)
    out = {each.name: each for each in result.eliminations}
    for name, round_ in _PAPER_OUT.items():
        each = out.get(name)
        ours = f"round {each.round}, {each.instances} instances, by {each.by}" if each else "still in"
        slow = " With CSA it is slow in evaluations too, on a sphere behind random search." if name == "NAT" else ""
        page.compare(f"{name} eliminated", f"round {round_}", ours, remark + slow)
    leaders = pb.decision_map(result.posterior, among=result.pareto_set)
    page.compare("who leads when", "SEP below 10 s, then NONE", str(leaders).replace("\n", "; "), remark)
    choice = pb.select(result.posterior, pb.Uniform(), among=result.pareto_set)
    page.compare("choice, uniform preference", "NONE by a little, before SEP", str(choice.choice), choice.sentence)
    shares = [run.cpu_seconds / run.seconds for run in result.runs if run.seconds]
    page.compare(
        "processor time of a run, of its time on the clock",
        "not told",
        f"median {np.median(shares):.0%}, least {np.min(shares):.0%}",
        "Below 90 % runs waited for a busy machine, and their clock says less about the algorithms.",
    )
    page.results |= {
        "pareto_set": result.pareto_set,
        "eliminations": [vars(each) for each in result.eliminations],
        "rounds": len(result.rounds),
        "instances": result.instances,
        "stopped": result.stopped,
        "failures": len(result.failures),
        "median_cpu_share_of_a_run": np.median(shares),
        "least_cpu_share_of_a_run": np.min(shares),
    }


def _beside_nuts(page: Page, result: pb.RaceResult) -> None:
    """The paper's sampler on the same rankings, where JAX is installed."""
    choices, settings = result.state.evidence.choices, result.state.settings
    assert choices is not None
    rows, means = [], {}
    methods: tuple[Any, ...] = ("auto", "nuts")
    for method in methods:
        began = time.perf_counter()
        try:
            posterior = pb.fit(choices, prior=settings.prior, method=method)
        except (ImportError, ValueError) as error:
            rows.append((method, "not run", str(error), ""))
            continue
        means[method] = posterior.ratings.mean(axis=0)
        inside = ", ".join(pb.pareto_set(posterior, confidence=settings.confidence, elimination="joint"))
        rows.append(
            (
                posterior.diagnostics.method,
                f"{time.perf_counter() - began:.1f} s",
                inside,
                posterior.diagnostics.message,
            )
        )
    apart = (
        f" Mean ratings differ by at most {np.abs(means['auto'] - means['nuts']).max():.3f}." if len(means) == 2 else ""
    )
    page.tables.append(
        Table(
            "The default method beside NUTS",
            "The B-spline model on all rankings of the race, as in the paper." + apart,
            ("method", "time", "Pareto set", "diagnostics"),
            rows,
        )
    )
