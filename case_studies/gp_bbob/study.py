"""The study: a race by the wall clock, its figures, and its numbers compared with the paper's."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

import numpy as np

import polarbear as pb
from case_studies.gp_bbob.instance_figure import instance_figure
from case_studies.gp_bbob.recorded import Recording
from case_studies.gp_bbob.replayed import replay
from case_studies.gp_bbob.settings import CHAINS, KEPT, PAPER, WARMUP, race_live
from case_studies.page import Page, Table
from polarbear import plots
from polarbear.problems.gp_bbob import GpBbobProblem
from polarbear.wording import percent

if TYPE_CHECKING:
    from pathlib import Path

    from polarbear.race.outcome import RaceOutcome

_INTRODUCTION = (
    "Seven matrix adaptation rules of modular CMA-ES and random search on GP-BBOB, spatially varying mixtures of BBOB "
    "functions with about 240 variables and unknown optima. They are compared by seconds on the wall clock, by the paper's "
    "method: B-spline prior, joint elimination, crossing resolution, confidence 0.99, batches of 8 to 128. "
)
_MACHINE = (
    "The results depend on the machine. A faster processor evaluates more points per second, and adaptation and evaluation "
    "do not speed up alike."
)
_RECORDED = (
    "The race replays runs that were recorded on a machine with 16 cores, 16 runs at a time. A run took 15 seconds instead "
    "of the paper's 30, so the race says nothing about later times. "
)
_PAPER_ROUNDS = {"NAT": 2, "RS": 5, "MAT": 5, "COV": 8, "CMSA": 8, "CHO": 14}
_FIGURE_SEED = 3  # of the instance in the figure
_CONFIDENCE = 0.95  # of the default method


def reproduce(folder: Path, *, scale: str, workers: int) -> Page:
    """Reproduce the study: `quick` replays the recorded race, `paper` races with the real optimisers, for 30 seconds a run.

    At paper scale, a race file in the folder is continued.
    """
    introduction = _INTRODUCTION + (_RECORDED if scale == "quick" else "All runs are new. ") + _MACHINE
    page = Page(folder, "GP-BBOB: matrix adaptation by the wall clock", introduction)
    if scale == "quick":
        recorded = Recording.load()
        result, end = replay(recorded)
    else:
        result = race_live(folder / "gp_bbob.race", PAPER, workers=workers)
        recorded, end = Recording.of(result), f"The race stopped: {result.stopped}."
    compare(page, result, recorded, end)
    choices = result.state.observations.choices
    assert choices is not None
    page.tables += [default_answers(choices, result), _compare_with_nuts(choices, result)]
    _draw(page, result)
    return page


def compare(page: Page, result: RaceOutcome, recorded: Recording, end: str) -> None:
    """Compare the numbers of the paper's third case study; `end` is a sentence on how the race ended."""
    page.compare("anytime Pareto set", "NONE, SEP", ", ".join(result.kept), end)
    page.compare("rounds, instances", "14, 528", f"{len(result.rounds)}, {result.instances}", end)
    page.compare(
        "times",
        "30, from 0.1 to 30 s",
        f"{len(recorded.seconds)}, from {recorded.seconds[0]:g} to {recorded.seconds[-1]:g} s",
        "Evenly spaced.",
    )
    drops = {each.name: each for each in result.drops}
    for name, round_ in _PAPER_ROUNDS.items():
        each = drops.get(name)
        ours = f"round {each.round}, {each.instances} instances, by {each.by}" if each else "not eliminated"
        remark = "On another machine." if each else undecided_sentence(result, name)
        if name == "NAT":
            remark += " Also slow by evaluations: with CSA, behind random search on a sphere."
        page.compare(f"{name} eliminated", f"round {round_}", ours, remark)
    leaders = str(pb.decision_map(result.posterior, among=result.kept)).splitlines()
    page.compare(
        "leaders", "SEP below 10 s, then NONE", "; ".join(re.sub(" {2,}", ": ", each) for each in leaders), "By rating."
    )
    choice = pb.select(result.posterior, pb.Uniform(), among=result.kept)
    page.compare("choice, uniform preference", "NONE, narrowly ahead of SEP", str(choice.recommendation), str(choice))
    _compare_clocks(page, recorded)
    page.results |= {
        "pareto_set": result.kept,
        "drops": [vars(each) for each in result.drops],
        "rounds": len(result.rounds),
        "instances": result.instances,
        "stopped": result.stopped,
        "leaders": leaders,
    }


def undecided_sentence(result: RaceOutcome, name: str) -> str:
    """Return where a candidate is not decided yet against the others, pair by pair."""
    texts = []
    for pair, budgets in result.undecided().items():
        if name in pair:
            (other,) = set(pair) - {name}
            when = f"{budgets[0]:.3g} s" if len(budgets) == 1 else f"{len(budgets)} times up to {budgets[-1]:.3g} s"
            texts.append(f"{other} at {when}")
    return f"Undecided against {'; '.join(texts)}." if texts else "Decided against all others."


def _compare_clocks(page: Page, recorded: Recording) -> None:
    """Report what the clock measured besides the search."""
    first = {name: float(np.nanmedian(recorded.first_seconds[:, column])) for column, name in enumerate(recorded.names)}
    random, others = first["RS"], [seconds for name, seconds in first.items() if name != "RS"]
    page.compare(
        "first evaluation of a run, median",
        "not reported",
        f"RS after {random:.2g} s, CMA-ES after {min(others):.2g} to {max(others):.2g} s",
        "The clock counts what a run does before, such as loading modcma; this favours random search at the first time.",
    )
    shares = recorded.processor_shares[recorded.ran]
    page.compare(
        "processor time of a run, as a share of its wall-clock time",
        "not reported",
        f"median {percent(np.median(shares))}, least {percent(np.min(shares))}",
        "Below 90 %, runs waited for a busy machine, and their times say less about the algorithms.",
    )
    page.results |= {
        "first_seconds": first,
        "median_cpu_share_of_a_run": np.median(shares),
        "least_cpu_share_of_a_run": np.min(shares),
    }


def default_answers(choices: pb.Choices, result: RaceOutcome) -> Table:
    """Return what the default method concludes from the runs of the race, beside the method of the paper."""
    posterior = pb.fit(choices, prior=pb.BayesianBootstrap())
    inside = tuple(pb.pareto_set(posterior, confidence=_CONFIDENCE))
    dropped = pb.dominated(posterior, confidence=_CONFIDENCE)
    rows = [
        ("anytime Pareto set", ", ".join(result.kept), ", ".join(inside)),
        ("dropped, with the probability", _listed(result.drops), _listed(dropped)),
        *(
            (
                f"best at {seconds:.3g} s, with its probability",
                _leader(result.posterior, result.kept, position),
                _leader(posterior, inside, position),
            )
            for position, seconds in _shown(posterior.grid)
        ),
        (
            "choice, uniform preference",
            str(pb.select(result.posterior, pb.Uniform(), among=result.kept)),
            str(pb.select(posterior, pb.Uniform(), among=inside)),
        ),
    ]
    runs = {name: sum(algorithm == name for algorithm, _ in result.state.observations.runs) for name in posterior.names}
    fewer = ", ".join(f"{name} {count}" for name, count in runs.items() if count < result.instances)
    return Table(
        "What the default method concludes",
        f"The Bayesian bootstrap with the default elimination at confidence {_CONFIDENCE:g}, on the same runs. The paper's "
        "method drops as soon as the evidence allows; the default one judges once, at the end. "
        + (f"Runs of those that the race dropped: {fewer}." if fewer else ""),
        ("quantity", "paper's method", "default"),
        rows,
    )


def _listed(dropped: Any) -> str:
    return ", ".join(f"{each.name} by {each.by} ({each.probability:.3f})" for each in dropped) or "none"


def _shown(grid: pb.Grid) -> list[tuple[int, float]]:
    """Return the positions and the times of the first, the second, a middle and the last time."""
    positions = sorted({0, min(1, len(grid) - 1), len(grid) // 2, len(grid) - 1})
    return [(position, float(grid.budgets[position])) for position in positions]


def _leader(posterior: pb.Posterior, among: tuple[str, ...], position: int) -> str:
    leaders = pb.decision_map(posterior, among=among)
    name = leaders.best[position]
    return f"{name} ({leaders.probability_best[position, leaders.names.index(name)]:.2f})"


def _compare_with_nuts(choices: pb.Choices, result: RaceOutcome) -> Table:
    """Compare nested Laplace, which the race used, with NUTS, the paper's sampler, if JAX is installed."""
    settings = result.state.settings
    rows, means = [], {}
    methods: dict[str, tuple[Any, int]] = {
        "auto": ("auto", settings.draws),
        "nuts": (pb.NUTS(chains=CHAINS, warmup=WARMUP), CHAINS * KEPT),
    }
    for name, (method, draws) in methods.items():
        start = time.perf_counter()
        try:
            posterior = pb.fit(choices, prior=settings.prior, method=method, draws=draws)
        except (ImportError, ValueError) as error:
            rows.append((name, "not run", str(error), ""))
            continue
        means[name] = posterior.ratings.mean(axis=0)
        inside = ", ".join(pb.pareto_set(posterior, confidence=settings.confidence, dominance="joint"))
        seconds = f"{time.perf_counter() - start:.1f} s"
        rows.append((posterior.diagnostics.method, seconds, inside, posterior.diagnostics.message))
    difference = (
        f" Mean ratings differ by at most {np.abs(means['auto'] - means['nuts']).max():.3f}." if len(means) == 2 else ""
    )
    return Table(
        "The method of the race compared with NUTS",
        "The B-spline model on all rankings of the race. NUTS has the paper's 4 chains, 1000 warm-up and 2000 kept draws "
        f"each.{difference} Both judge once, at the end, and may keep an algorithm that the race dropped earlier.",
        ("method", "time", "Pareto set", "diagnostics"),
        rows,
    )


def _draw(page: Page, result: RaceOutcome) -> None:
    page.add_figure(plots.rounds(result), "rounds", "The rating posterior after the rounds that decided something.")
    page.add_figure(plots.evolution(result), "evolution", "The probability that each algorithm is dominated, by round.")
    inside = result.kept
    page.add_figure(
        plots.ratings(result.posterior, among=inside, unit="seconds"),
        "posterior",
        f"The final posterior of {', '.join(inside)}.",
    )
    page.add_figure(
        plots.values(result.posterior, pb.Uniform(), among=inside), "values", "Values under a uniform preference."
    )
    try:
        instance = GpBbobProblem(_FIGURE_SEED, 2)
    except ImportError as error:
        page.introduction += f" The figure of an instance is left out: {error}."
        return
    page.add_figure(
        instance_figure(instance),
        "instance",
        "An instance with two variables: the weights w(x), the landscape f(x), and k(x), the number of active functions.",
    )
