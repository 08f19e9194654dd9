from .dask import dask_executor
from .local import LocalExecutor
from .payload import Payload, pack
from .replay import ReplayExecutor
from .slot import WorkersClosed, close_workers
from .supervise import Limits, run_supervised

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
