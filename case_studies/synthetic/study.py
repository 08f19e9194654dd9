"""The study: three examples and a recovery table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import polarbear as pb
from case_studies.page import Page
from case_studies.processes import processes
from case_studies.synthetic.examples import EXAMPLES, Example
from case_studies.synthetic.racing import race_truth
from case_studies.synthetic.recovery import recover_all, recovery_table
from polarbear import plots
from polarbear.plots.rating_curves import RatingCurves, draw_ratings
from polarbear.plots.style import new_figure, styled

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

    from case_studies.synthetic.ground_truth import GroundTruth

_INTRODUCTION = (
    "Ratings are drawn from a Matérn 3/2 process with σ ~ LogNormal(0, 0.5) and ℓ ~ InvGamma(5, 3), rankings follow by "
    "Gumbel noise, and the race infers with ℓ ~ InvGamma(5, 2): joint elimination, crossing resolution, confidence 0.99, "
    "region of equivalence 0.05, batches of 8 to 64. The paper's ground truths are not public; those here are of the "
    "same kind."
)


def reproduce(folder: Path, *, scale: str, workers: int) -> Page:
    """Reproduce the study; `quick` uses 20 random ground truths, `paper` 200."""
    page = Page(folder, "Synthetic ground truth", _INTRODUCTION)
    with processes(workers) as pool:
        with_examples = pool.submit(_add_examples, page)
        recoveries = recover_all(pool, 20 if scale == "quick" else 200, folder / "recovery.jsonl")
        page = with_examples.result()
    page.tables.append(recovery_table(recoveries))
    page.results["recovery"] = [vars(each) for each in recoveries]
    return page


def _add_examples(page: Page) -> Page:
    """Race the three examples, and return the page with their results."""
    for number, example in enumerate(EXAMPLES, start=1):
        _add_example(page, number, example)
    return page


def _add_example(page: Page, number: int, example: Example) -> None:
    truth = example.truth
    result = race_truth(truth, example.prior)
    missed = [name for name in truth.pareto_set if name not in result.kept]
    near = [name for name in result.kept if name not in truth.pareto_set]
    if missed:
        answer = f"{', '.join(missed)} was eliminated wrongly."
    elif near:
        answer = f"{', '.join(near)} is kept: dominated, but within the region of equivalence at some time."
    else:
        answer = "Exactly the truth."
    page.compare(
        example.title,
        f"truth {example.paper['truth']}; found {example.paper['found']}",
        f"truth {', '.join(truth.pareto_set)}; found {', '.join(result.kept)}",
        answer,
    )
    page.compare(
        f"Example {number}: effort",
        f"{example.paper['rounds']} rounds, {example.paper['instances']} instances",
        f"{len(result.rounds)} rounds, {result.instances} instances ({result.stopped})",
        "Another truth of the same kind; the closer its curves, the longer the race.",
    )
    page.compare(
        f"Example {number}: eliminations",
        example.paper["drops"],
        "; ".join(f"{each.name} by {each.by}, {each.instances} instances" for each in result.drops),
        f"{sum(each.name not in truth.dominated or not truth.dominated[each.name] for each in result.drops)} wrong.",
    )
    caption = f"{example.title}. {example.about}"
    page.add_figure(_truth_figure(truth), f"truth_{number}", f"{caption} The ground truth.")
    page.add_figure(
        plots.rounds(result, truth=truth.ratings, unit="time"),
        f"rounds_{number}",
        f"{example.title}: the posterior round by round, with the truth dotted.",
    )
    page.add_figure(
        plots.ratings(result.posterior, truth=truth.ratings),
        f"posterior_{number}",
        f"{example.title}: the final posterior, with the truth dotted. Pareto set {', '.join(result.kept)}.",
    )
    page.add_figure(
        plots.values(result.posterior, pb.Uniform()),
        f"values_{number}",
        f"{example.title}: values under a uniform preference, including eliminated algorithms.",
    )
    page.add_figure(plots.evolution(result), f"evolution_{number}", f"{example.title}: dominance over rounds.")
    summary = result.posterior.summary()
    page.results[f"example_{number}"] = {
        "seed": example.seed,
        "true_pareto_set": truth.pareto_set,
        "pareto_set": result.kept,
        "rounds": len(result.rounds),
        "instances": result.instances,
        "stopped": result.stopped,
        "drops": [vars(each) for each in result.drops],
        "truth_within_95_interval": float(np.mean((truth.ratings >= summary.lower) & (truth.ratings <= summary.upper))),
    }


def _truth_figure(truth: GroundTruth) -> Figure:
    curves = RatingCurves(truth.grid, truth.names, truth.names, truth.ratings, truth.ratings, truth.ratings, level=1.0)
    with styled():
        figure, ax = new_figure(None, 3.0)
        draw_ratings(ax, curves)
        figure.draw_without_rendering()
    return figure
