"""The study: a race by the wall clock, its figures, and its numbers compared with the paper's."""

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
from polarbear.wording import percent

if TYPE_CHECKING:
    from pathlib import Path

_INTRODUCTION = (
    "Seven matrix adaptation rules of modular CMA-ES and random search on GP-BBOB, spatially varying mixtures of BBOB "
    "functions whose optima are unknown, compared by seconds on the wall clock: B-spline prior, joint elimination, crossing "
    "resolution, batches of 8 to 128. "
)
_PAPER_ROUNDS = {"NAT": 2, "RS": 5, "MAT": 5, "COV": 8, "CMSA": 8, "CHO": 14}
_FIGURE_SEED = 3  # of the instance in the figure


@dataclass(frozen=True)
class Scale:
    """The scale of a race: seconds per run, number of times, dimension (None: drawn), and the limit on instances."""

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
        "costs far less there, so the outcome differs from the paper's.",
    ),
    "paper": Scale(30.0, 30, None, None, "The paper's scale; the outcome depends on the machine."),
}


def reproduce(folder: Path, *, scale: str, workers: int) -> Page:
    """Reproduce the study; a race file in the folder is continued."""
    require_optimisers()
    size = SCALES[scale]
    page = Page(folder, "GP-BBOB: matrix adaptation by the wall clock", _INTRODUCTION + size.about)
    result = race_live(folder / "gp_bbob.race", size, workers=workers)
    _compare(page, result)
    _compare_with_nuts(page, result)
    page.add_figure(
        instance_figure(GpBbobProblem(_FIGURE_SEED, 2)),
        "instance",
        "An instance with two variables: the weights w(x), the landscape f(x), and k(x), the number of active functions.",
    )
    page.add_figure(plots.rounds(result), "rounds", "The rating posterior after the rounds that decided something.")
    page.add_figure(plots.evolution(result), "evolution", "The probability that each algorithm is dominated, by round.")
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
    remark = "On another machine."
    if result.stopped != "resolved":
        remark += f" The race stopped: {result.stopped}."
    page.compare("anytime Pareto set", "NONE, SEP", ", ".join(result.pareto_set), remark)
    page.compare("rounds, instances", "14, 528", f"{len(result.rounds)}, {result.instances}", remark)
    eliminations = {each.name: each for each in result.eliminations}
    for name, round_ in _PAPER_ROUNDS.items():
        each = eliminations.get(name)
        ours = f"round {each.round}, {each.instances} instances, by {each.by}" if each else "not eliminated"
        slow = " Also slow by evaluations: with CSA, behind random search on a sphere." if name == "NAT" else ""
        page.compare(f"{name} eliminated", f"round {round_}", ours, remark + slow)
    leaders = pb.decision_map(result.posterior, among=result.pareto_set)
    page.compare("leaders", "SEP below 10 s, then NONE", str(leaders).replace("\n", "; "), remark)
    choice = pb.select(result.posterior, pb.Uniform(), among=result.pareto_set)
    page.compare(
        "choice, uniform preference", "NONE, narrowly ahead of SEP", str(choice.recommendation), choice.sentence
    )
    shares = [run.cpu_seconds / run.seconds for run in result.runs if run.seconds]
    page.compare(
        "processor time of a run, as a share of its wall-clock time",
        "not reported",
        f"median {percent(np.median(shares))}, least {percent(np.min(shares))}",
        "Below 90 %, runs waited for a busy machine, and their times say less about the algorithms.",
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


def _compare_with_nuts(page: Page, result: pb.RaceResult) -> None:
    """Compare the default method with NUTS, the paper's sampler, on the same rankings, if JAX is installed."""
    choices, settings = result.state.observations.choices, result.state.settings
    assert choices is not None
    rows, means = [], {}
    methods: tuple[Any, ...] = ("auto", "nuts")
    for method in methods:
        start = time.perf_counter()
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
                f"{time.perf_counter() - start:.1f} s",
                inside,
                posterior.diagnostics.message,
            )
        )
    difference = (
        f" Mean ratings differ by at most {np.abs(means['auto'] - means['nuts']).max():.3f}." if len(means) == 2 else ""
    )
    page.tables.append(
        Table(
            "The default method compared with NUTS",
            "The B-spline model on all rankings of the race, as in the paper." + difference,
            ("method", "time", "Pareto set", "diagnostics"),
            rows,
        )
    )
