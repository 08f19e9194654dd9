"""Payloads: an algorithm and its source of instances, which the driver packs once and workers open."""

from __future__ import annotations

import hashlib
import pickle
import reprlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from polarbear.literals import Clock

if TYPE_CHECKING:
    from polarbear.algorithms import Algorithm

Instances = Callable[[int, int], Any] | Sequence[Any]


@dataclass(frozen=True)
class Payload:
    """An algorithm and the source of its instances, as bytes that only a worker opens.

    Attributes
    ----------
    digest
        Identifies the payload: workers keep every payload that they have received.
    data
        The pickled algorithm and source of instances, and the paths from which the driver imports modules.
    clock, maximise
        How to record its runs.
    """

    digest: str
    data: bytes = field(repr=False)
    clock: Clock = "evaluations"
    maximise: bool = False


def pack(algorithm: Algorithm, instances: Instances, clock: Clock = "evaluations", maximise: bool = False) -> Payload:
    """Pack an algorithm and the source of its instances for workers, of this process or on another machine.

    Functions of a script or notebook are packed with their code. The worker imports functions of modules, and searches
    for them where this process does (its `sys.path` and working directory).

    Parameters
    ----------
    algorithm
        Any callable `algorithm(problem, seed, budget)`, or one made by a wrapper such as `pb.counted`.
    instances
        A callable `instances(index, seed)` that returns a problem, or a sequence of problems.
    clock
        The unit of budgets: "evaluations" or "seconds".
    maximise
        Higher values are better.

    Returns
    -------
    Payload
    """
    import cloudpickle

    if not callable(algorithm):
        raise ValueError(
            f"expected an algorithm that can be called as algorithm(problem, seed, budget), got {reprlib.repr(algorithm)}; "
            "pb.counted, pb.ask_tell and pb.command make one from other shapes"
        )
    if not callable(instances) and (isinstance(instances, str) or not hasattr(instances, "__getitem__")):
        raise ValueError(
            "expected instances as a callable instance(index, seed) or a sequence of problems, "
            f"got {reprlib.repr(instances)}"
        )
    if clock not in get_args(Clock):
        raise ValueError(f"expected clock='evaluations' or 'seconds', got {clock!r}")
    here = str(Path.cwd())
    parts = []
    for what, thing in [("the algorithm", algorithm), ("the source of instances", instances)]:
        try:
            parts.append(cloudpickle.dumps(thing))
        except Exception as error:
            raise ValueError(
                f"expected {what} to be something that can be sent to another process, got {reprlib.repr(thing)}, "
                f"which cannot be pickled ({type(error).__name__}: {error}); "
                "open files, connections, locks and generators inside the function instead of outside it"
            ) from error
    data = pickle.dumps(([path or here for path in sys.path], here, *parts))
    return Payload(hashlib.sha256(data).hexdigest(), data, clock, bool(maximise))


def unpack(data: bytes) -> tuple[Algorithm, Instances]:
    """Return the algorithm and the source of instances of a payload; called in a worker."""
    path, here, algorithm, instances = pickle.loads(data)
    sys.path.extend(entry for entry in [*path, here] if entry not in sys.path)
    return pickle.loads(algorithm), pickle.loads(instances)
