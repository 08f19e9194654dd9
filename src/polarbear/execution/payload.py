"""What a worker must have before it can run an algorithm, packed once by the driver."""

from __future__ import annotations

import hashlib
import pickle
import reprlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from polarbear.algorithms import Clock

if TYPE_CHECKING:
    from polarbear.algorithms import Algorithm

Instances = Callable[[int, int], Any] | Sequence[Any]


@dataclass(frozen=True)
class Payload:
    """An algorithm and the source of its instances, as bytes that only a worker opens.

    Attributes
    ----------
    digest
        Tells payloads apart: workers keep each one that they were sent.
    data
        The pickled algorithm and instance source, and where the driver imports modules from.
    clock, maximise
        How its runs are to be recorded.
    """

    digest: str
    data: bytes = field(repr=False)
    clock: Clock = "evaluations"
    maximise: bool = False


def pack(algorithm: Algorithm, instances: Instances, clock: Clock = "evaluations", maximise: bool = False) -> Payload:
    """Pack an algorithm and the source of its instances for workers, in this process or on another machine.

    Functions of a script or notebook are packed with their code; those of modules are imported by the worker, which
    looks where this process looks (its `sys.path` and working directory).

    Parameters
    ----------
    algorithm
        Any callable `algorithm(problem, seed, until)`, or one made by a wrapper such as `pb.counted`.
    instances
        A callable `instances(index, seed)` that gives a problem, or a sequence of problems.
    clock
        The unit of time: "evaluations" or "seconds".
    maximise
        Higher values are better.

    Returns
    -------
    Payload
    """
    import cloudpickle

    if not callable(algorithm):
        raise ValueError(
            f"expected an algorithm that can be called as algorithm(problem, seed, until), got {reprlib.repr(algorithm)}; "
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
    """Open a payload, in a worker."""
    path, here, algorithm, instances = pickle.loads(data)
    sys.path.extend(entry for entry in [*path, here] if entry not in sys.path)
    return pickle.loads(algorithm), pickle.loads(instances)
