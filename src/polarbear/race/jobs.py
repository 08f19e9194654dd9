"""Jobs and runs: a job is a request of the race for one run, and a run is its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from polarbear.findings import RunFailure
    from polarbear.literals import Ended
    from polarbear.observe import Trajectory
    from polarbear.race.instance_features import Features

Status = Literal["done", "error", "crashed", "timeout", "setup"]


@dataclass(frozen=True)
class Job:
    """A request for one run.

    Attributes
    ----------
    algorithm
        The name of the algorithm.
    instance
        The index of the instance.
    until
        The budget until which to run, in the race's unit.
    seed, instance_seed
        The seed of the run, and the seed that generates the instance.
    """

    algorithm: str
    instance: int
    budget: float
    seed: int
    instance_seed: int


@dataclass(frozen=True)
class Run:
    """The result of a job.

    Attributes
    ----------
    trajectory
        The best value found by each budget; its `failed` is true unless the status is "done".
    status
        "done": the run reached the job's `until`, or ended by itself before. In both cases the trajectory is known
        until then, and not beyond, since the run may have ended because of that budget. "error": the run raised an
        exception, or reported nothing usable. "crashed": its process died. "timeout": it exceeded the time limit.
        "setup": the algorithm could not be loaded or the instance could not be generated; this is no evidence about the
        algorithm, and the race stops.
    failure
        Why the run failed; None if and only if it is done.
    output
        The last lines that a run that is done wrote to stdout and stderr; those of a failed run are in `failure`.
    reached
        The budget at which the run ended, in the race's unit, which is its cost. Never later than the job's `until`.
    seconds, cpu_seconds
        Wall-clock and processor time of the run, without the set-up of the instance.
    features
        The features of the instance, if it has an attribute `features`; None otherwise, and for runs read from a file.
    """

    trajectory: Trajectory
    reached: float
    status: Status = "done"
    failure: RunFailure | None = None
    output: str = ""
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    features: Features | None = None

    def __post_init__(self) -> None:
        if (self.failure is None) != (self.status == "done"):
            raise ValueError(f"expected a failure unless the status is 'done', got {self.status!r}, {self.failure!r}")

    @property
    def ended(self) -> Ended:
        """How the run ended: by itself before its budget ("finished"), at its budget ("cut off"), or "failed"."""
        if self.status != "done":
            return "failed"
        return "finished" if self.reached < self.trajectory.end else "cut off"
