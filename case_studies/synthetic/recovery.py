"""Recovery of the Pareto sets of random ground truths, in parallel; an interrupted study continues from its file."""

from __future__ import annotations

import json
from concurrent.futures import as_completed
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

import polarbear as pb
from case_studies.page import Table
from case_studies.synthetic.ground_truth import GroundTruth
from case_studies.synthetic.racing import MOST_INSTANCES, ROPE, race_truth
from polarbear.wording import percent

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Executor
    from pathlib import Path

ALGORITHMS, BUDGETS = 5, 20  # as in the paper's first example


@dataclass(frozen=True)
class Recovery:
    """One race on a random truth.

    Attributes
    ----------
    seed
        The seed of the truth and of the race.
    wrong
        The number of members of the true Pareto set that were eliminated.
    kept
        The number of kept algorithms that another one dominates by more than the region of practical equivalence.
    near
        The number of kept algorithms that are dominated, but are within that region at some time.
    members
        The size of the true Pareto set.
    instances, decided
        The number of instances, and whether every pair was decided.
    saved
        The share of the cost of all algorithms on these instances that the race saved.
    promised
        The expected number of wrong eliminations, by the posteriors that eliminated.
    """

    seed: int
    wrong: int
    kept: int
    near: int
    members: int
    instances: int
    decided: bool
    saved: float
    promised: float


def recover(seed: int) -> Recovery:
    """Draw a ground truth, race on it, and compare the result with the truth."""
    truth = GroundTruth.draw(seed, algorithms=ALGORITHMS, budgets=BUDGETS)
    result = race_truth(truth, pb.GaussianProcess(lengthscale=pb.InverseGamma(5.0, 2.0)), seed=seed)
    inside = set(result.kept)
    clearly = inside.intersection(truth.clearly_dominated(ROPE))
    return Recovery(
        seed=seed,
        wrong=len(set(truth.pareto_set) - inside),
        kept=len(clearly),
        near=len(inside - set(truth.pareto_set) - clearly),
        members=len(truth.pareto_set),
        instances=result.instances,
        decided=result.stopped == "finished",
        saved=result.saved_share,
        promised=sum(1 - each.probability for each in result.drops),
    )


def recover_all(pool: Executor, number: int, path: Path) -> list[Recovery]:
    """Race on `number` random truths, except those that are in the file already."""
    recoveries = {each.seed: each for each in _read(path)}
    missing = [seed for seed in range(number) if seed not in recoveries]
    with path.open("a") as file:
        for future in as_completed([pool.submit(recover, seed) for seed in missing]):
            each = future.result()
            recoveries[each.seed] = each
            file.write(json.dumps(asdict(each)) + "\n")
            file.flush()
    return [recoveries[seed] for seed in range(number)]


def _read(path: Path) -> list[Recovery]:
    if not path.exists():
        return []
    recoveries = []
    for line in path.read_text().splitlines():
        try:
            recoveries.append(Recovery(**json.loads(line)))
        except (ValueError, TypeError):  # a line that was being written when the process was killed
            continue
    return recoveries


def recovery_table(recoveries: Sequence[Recovery]) -> Table:
    """Return the table of results on random ground truths."""
    number = len(recoveries)
    wrong = sum(each.wrong for each in recoveries)
    dropped = sum(ALGORITHMS - each.members - each.kept - each.near + each.wrong for each in recoveries)
    exact = sum(each.wrong + each.kept + each.near == 0 for each in recoveries)
    right = sum(each.wrong == 0 and (each.kept == 0 or not each.decided) for each in recoveries)
    instances = [each.instances for each in recoveries]
    return Table(
        f"Recovery of {number} random ground truths",
        f"{ALGORITHMS} algorithms, {BUDGETS} times, exact Gaussian process, at most {MOST_INSTANCES} instances.",
        ("outcome", "how often"),
        [
            ("exactly the true Pareto set", f"{exact} of {number}"),
            (
                "the true set, plus dominated algorithms within the region of equivalence or undecided",
                f"{right} of {number}",
            ),
            ("every pair decided", f"{sum(each.decided for each in recoveries)} of {number}"),
            ("drops", dropped),
            ("wrong eliminations", f"{wrong}; the posteriors expected {sum(each.promised for each in recoveries):.2f}"),
            ("instances, median and 90 % quantile", f"{np.median(instances):.0f}, {np.quantile(instances, 0.9):.0f}"),
            (
                "cost saved, compared with all algorithms on these instances",
                percent(float(np.mean([each.saved for each in recoveries]))),
            ),
        ],
    )
