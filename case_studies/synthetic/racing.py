"""A race on a known ground truth, under the paper's settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polarbear as pb

if TYPE_CHECKING:
    from case_studies.synthetic.ground_truth import GroundTruth
    from polarbear.race.outcome import RaceOutcome

MOST_INSTANCES = 1000
ROPE = 0.05


def race_truth(truth: GroundTruth, prior: pb.models.Prior, *, seed: int = 0) -> RaceOutcome:
    """Race on runs of a ground truth.

    Joint elimination, crossing resolution, confidence 0.99, batches of 8 to 64; at most 1000 instances.
    """
    race = pb.Race(
        truth.names,
        None,
        truth.grid,
        prior=prior,
        dominance="joint",
        until="pairs",
        confidence=0.99,
        margin=ROPE,
        batch=pb.AdaptiveBatch(8, 64),
        seed=seed,
    )
    return race.drive(pb.ReplayExecutor(truth.runs(MOST_INSTANCES, seed=seed)), progress="none")
