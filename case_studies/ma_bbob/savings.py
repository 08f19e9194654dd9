"""Evaluations that other settings save on the same recorded runs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

import polarbear as pb
from case_studies.ma_bbob.recorded import Recording
from case_studies.ma_bbob.settings import FULL_COST, PARETO_SET, paper_settings
from case_studies.page import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from concurrent.futures import Executor, Future

BUDGETS = 50  # of the 200 recorded; the paper: "T in [20, 50] would suffice for most practical purposes"

_BOOTSTRAP: dict[str, Any] = {"prior": pb.BayesianBootstrap()}
_JOINT = {"dominance": "joint", "until": "pairs"}

# Differences from the paper's settings.
VARIANTS: dict[str, dict[str, Any]] = {
    "the paper's: independent Dirichlet, strict": {},
    "crossing instead of strict": {"until": "pairs"},
    "Bayesian bootstrap, membership, confidence 0.95": {**_BOOTSTRAP, "until": "set", "confidence": 0.95},
    "Bayesian bootstrap, crossing, confidence 0.95": {**_BOOTSTRAP, "until": "pairs", "confidence": 0.95},
    "Bayesian bootstrap, crossing": {**_BOOTSTRAP, "until": "pairs"},
    "crossing, always 8": {"until": "pairs", "batch": pb.FixedBatch(8)},
    "crossing, always 32": {"until": "pairs", "batch": pb.FixedBatch(32)},
}

# Used at the paper's scale only: these take twice as long as all others together.
FURTHER: dict[str, dict[str, Any]] = {
    "crossing, batches of 2 to 32": {"until": "pairs", "batch": pb.AdaptiveBatch(2, 32)},
    "crossing, hierarchical Dirichlet": {"until": "pairs", "prior": pb.HierarchicalDirichlet()},
    "crossing, hierarchical Dirichlet, batches of 2 to 32": {
        "until": "pairs",
        "prior": pb.HierarchicalDirichlet(),
        "batch": pb.AdaptiveBatch(2, 32),
    },
    "crossing, joint, random walk": {**_JOINT, "prior": pb.RandomWalk()},
    "crossing, joint, B-spline": {**_JOINT, "prior": pb.BSpline()},
}

# At the length of the paper's race. Its 1656 instances are not recorded, so instances are drawn from the 160 with
# replacement: the race is about the population of these 160.
LONG: dict[str, dict[str, Any]] = {
    "the paper's, at full length": {},
    "the paper's, patience 200": {"patience": 200},
    "Bayesian bootstrap, strict, confidence 0.95, patience 200": {**_BOOTSTRAP, "confidence": 0.95, "patience": 200},
    "Bayesian bootstrap, strict, confidence 0.95": {**_BOOTSTRAP, "confidence": 0.95},
}
MOST_INSTANCES = 2500


@dataclass(frozen=True)
class VariantRace:
    """One race on the recorded runs.

    Attributes
    ----------
    variant, order
        The settings, and the seed of the order of instances (0: as recorded), or of the instances drawn.
    pareto_set, stopped, instances
        The Pareto set, why the race stopped, and its number of instances.
    evaluations, until_membership
        The cost of the race, and its cost until the last elimination.
    """

    variant: str
    order: int
    pareto_set: tuple[str, ...]
    stopped: str
    instances: int
    evaluations: float
    until_membership: float


def race_variant(variant: str, order: int) -> VariantRace:
    """Race the recorded runs under one of the variants, with the instances in one order."""
    recorded, rng = Recording.load(), np.random.default_rng(order)
    count = len(recorded.values)
    if variant in LONG:
        shuffled = rng.integers(count, size=MOST_INSTANCES)
    else:
        shuffled = rng.permutation(count) if order else np.arange(count)
    settings = {**paper_settings(), **(VARIANTS | FURTHER | LONG)[variant]}
    race = pb.Race(recorded.names, None, recorded.coarse_grid(BUDGETS), **settings)
    result = race.drive(pb.ReplayExecutor(recorded.trajectories(shuffled.tolist())), progress="none")
    return VariantRace(
        variant,
        order,
        result.kept,
        result.stopped,
        result.instances,
        sum(result.cost.values()),
        max((each.cost or 0.0 for each in result.drops), default=0.0),
    )


def race_all(pool: Executor, variants: Iterable[str], orders: Iterable[int]) -> list[Future[VariantRace]]:
    """Race each variant in each order, on the processes of a pool."""
    return [pool.submit(race_variant, variant, order) for variant, order in product(variants, orders)]


def savings_table(races: Sequence[VariantRace]) -> Table:
    """Return a table with one row per variant: medians over the orders of instances."""
    orders = len({each.order for each in races})
    rows = []
    for variant in dict.fromkeys(each.variant for each in races):
        of_variant = [each for each in races if each.variant == variant]
        right = [each for each in of_variant if frozenset(each.pareto_set) == PARETO_SET]
        spent = float(np.median([each.evaluations for each in of_variant]))
        earlier = [each.until_membership for each in right]
        rows.append(
            (
                variant,
                f"{len(right)} of {orders}",
                f"{sum(each.stopped == 'finished' for each in of_variant)} of {orders}",
                f"{np.median([each.instances for each in of_variant]):.0f}",
                f"{spent:.3g}",
                f"{100 * (1 - spent / FULL_COST):.1f} %",
                f"{100 * (1 - np.median(earlier) / FULL_COST):.1f} %" if right else "not found",
            )
        )
    return Table(
        "Evaluations saved at the same Pareto set",
        f"Races on the recorded runs at {BUDGETS} of their budgets, medians over {orders} orders of the instances. "
        f"Savings are against {FULL_COST:.2g} evaluations, seven algorithms on 1000 instances. Unfinished races used all "
        "160 recorded instances, or stopped because no further elimination was likely. The last column applies if the "
        "race is stopped at its last elimination: the Pareto set is then found, although not every pair is decided. It is "
        "the median over the races that found the paper's Pareto set. The paper's priors treat the rankings of a run at "
        "different budgets as independent and may decide too early; the Bayesian bootstrap does not.",
        ("settings", "paper's Pareto set", "finished", "instances", "evaluations", "saved", "saved until membership"),
        rows,
    )
