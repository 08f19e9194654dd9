"""Recovery of the Pareto set of random ground truths: counted, in parallel, and continued where it was stopped."""

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

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Executor
    from pathlib import Path

ALGORITHMS, TIMES = 5, 20  # as in the paper's first example


@dataclass(frozen=True)
class Recovered:
    """One race on a random truth.

    Attributes
    ----------
    seed
        Of the truth and of the race.
    wrong
        How many were eliminated that nobody dominates.
    kept
        How many were kept that somebody dominates by more than the region of practical equivalence at every time.
    near
        How many were kept that are dominated, but within that region somewhere.
    members
        The size of the true Pareto set.
    instances, resolved
        How many instances it took, and whether every pair was decided by then.
    saved
        The share of running all algorithms on these instances that it did not cost.
    promised
        The expected number of wrong eliminations, by the posteriors that eliminated.
    """

    seed: int
    wrong: int
    kept: int
    near: int
    members: int
    instances: int
    resolved: bool
    saved: float
    promised: float


def recover(seed: int) -> Recovered:
    """Draw a ground truth, race on it, and compare."""
    truth = GroundTruth.draw(seed, algorithms=ALGORITHMS, times=TIMES)
    result = race_truth(truth, pb.GaussianProcess(lengthscale=pb.InverseGamma(5.0, 2.0)), seed=seed)
    inside = set(result.pareto_set)
    clearly = inside.intersection(truth.clearly_dominated(ROPE))
    return Recovered(
        seed=seed,
        wrong=len(set(truth.pareto_set) - inside),
        kept=len(clearly),
        near=len(inside - set(truth.pareto_set) - clearly),
        members=len(truth.pareto_set),
        instances=result.instances,
        resolved=result.stopped == "resolved",
        saved=result.saved_share,
        promised=sum(1 - each.probability for each in result.eliminations),
    )


def recover_all(pool: Executor, number: int, path: Path) -> list[Recovered]:
    """Race on so many random truths; those that are in the file already are not raced again."""
    done = {each.seed: each for each in _read(path)}
    missing = [seed for seed in range(number) if seed not in done]
    with path.open("a") as file:
        for future in as_completed([pool.submit(recover, seed) for seed in missing]):
            each = future.result()
            done[each.seed] = each
            file.write(json.dumps(asdict(each)) + "\n")
            file.flush()
    return [done[seed] for seed in range(number)]


def _read(path: Path) -> list[Recovered]:
    if not path.exists():
        return []
    found = []
    for line in path.read_text().splitlines():
        try:
            found.append(Recovered(**json.loads(line)))
        except (ValueError, TypeError):  # a line that was being written when the process was killed
            continue
    return found


def as_table(raced: Sequence[Recovered]) -> Table:
    """What became of the random truths."""
    number = len(raced)
    wrong = sum(each.wrong for each in raced)
    eliminated = sum(ALGORITHMS - each.members - each.kept - each.near + each.wrong for each in raced)
    exact = sum(each.wrong + each.kept + each.near == 0 for each in raced)
    right = sum(each.wrong == 0 and (each.kept == 0 or not each.resolved) for each in raced)
    instances = [each.instances for each in raced]
    return Table(
        f"Recovery of {number} random ground truths",
        f"{ALGORITHMS} algorithms, {TIMES} times, exact Gaussian process, at most {MOST_INSTANCES} instances.",
        ("what", "how often"),
        [
            ("exactly the true Pareto set", f"{exact} of {number}"),
            (
                "the true set, up to dominated ones within the region of equivalence or still undecided",
                f"{right} of {number}",
            ),
            ("every pair decided", f"{sum(each.resolved for each in raced)} of {number}"),
            ("eliminations", eliminated),
            ("wrong eliminations", f"{wrong}; the posteriors promised {sum(each.promised for each in raced):.2f}"),
            ("instances, median and 90 % quantile", f"{np.median(instances):.0f}, {np.quantile(instances, 0.9):.0f}"),
            (
                "saved against running all algorithms on these instances",
                f"{np.mean([each.saved for each in raced]):.0%}",
            ),
        ],
    )
