"""What a race asks for, and what comes back: a job is one run to be made, a run is what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from polarbear.observe import Trajectory

Status = Literal["done", "error", "crashed", "timeout", "setup"]


@dataclass(frozen=True)
class Job:
    """One run to be made.

    Attributes
    ----------
    algorithm
        The algorithm's name.
    instance
        The index of the instance.
    until
        The time up to which to run, in the race's unit.
    seed, instance_seed
        For the run's own randomness, and for the making of the instance.
    """

    algorithm: str
    instance: int
    until: float
    seed: int
    instance_seed: int


@dataclass(frozen=True)
class Run:
    """What became of a job.

    Attributes
    ----------
    trajectory
        What the run had found by each time; its `failed` is true unless the status is "done".
    status
        "done": ran until the job's time, or ended by itself before that; either way it is known until then, and not
        beyond: nobody can tell whether it ended because of that time.
        "error": raised, or reported nothing usable. "crashed": its process died. "timeout": past the time limit.
        "setup": the algorithm could not be loaded or the instance not be made, which says nothing about the algorithm; a
        race stops there.
    message
        For people: why it failed, with the traceback or the last lines of its output; when done, the last that it wrote to
        stdout and stderr.
    reached
        The time, in the race's unit, at which it ended: what it cost. Never later than the job's `until`.
    seconds, cpu_seconds
        What it took on the wall clock and of the processor, set-up of the instance not counted.
    """

    trajectory: Trajectory
    reached: float
    status: Status = "done"
    message: str = ""
    seconds: float = 0.0
    cpu_seconds: float = 0.0
