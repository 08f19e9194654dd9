"""Where runs happen: supervised workers behind any executor.

One function, `run_supervised(payload, job, limits)`, is submitted to any object with `submit(...) -> Future`. It drives
a worker process and gives back a `Run`, whatever the user's code does. Names are imported when they are first used, so
that workers start without NumPy.

- `pack`, `Payload`: an algorithm and its instances, packed once.
- `run_supervised`, `Limits`, `close_workers`: one run, watched.
- `LocalExecutor`, `ReplayExecutor`, `dask_executor`: processes of this machine, recorded runs, a Dask cluster.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from polarbear.execution.dask import dask_executor
    from polarbear.execution.local import LocalExecutor
    from polarbear.execution.payload import Payload, pack
    from polarbear.execution.replay import ReplayExecutor
    from polarbear.execution.slot import WorkersClosed, close_workers
    from polarbear.execution.supervise import Limits, run_supervised

_HOME = {
    "LocalExecutor": "local",
    "Limits": "supervise",
    "Payload": "payload",
    "ReplayExecutor": "replay",
    "WorkersClosed": "slot",
    "close_workers": "slot",
    "dask_executor": "dask",
    "pack": "payload",
    "run_supervised": "supervise",
}

__all__ = [
    "Limits",
    "LocalExecutor",
    "Payload",
    "ReplayExecutor",
    "WorkersClosed",
    "close_workers",
    "dask_executor",
    "pack",
    "run_supervised",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
