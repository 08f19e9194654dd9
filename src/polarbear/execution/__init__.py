"""Execution of runs in supervised worker processes, behind any executor.

In: a payload (an algorithm with its source of instances) and a job. Out: a `Run`, whatever the user's code does. The
function `run_supervised(payload, job, limits)` drives a worker process and can be submitted to any object with
`submit(...) -> Future`. Names are imported when they are first used, so that workers start without NumPy.

- `payload`: `pack` packs an algorithm and its instances once, as a `Payload`.
- `supervise`: `run_supervised` makes one run within `Limits`.
- `local`, `replay`, `dask`: executors for processes of this machine, recorded runs and a Dask cluster.
- `slot`: the worker of each thread; `close_workers` kills them all.
- `worker_client`, `worker_main`: the driver's side of a worker, and the worker process itself.
- `guardian_client`, `guardian_main`: the driver's side of its guardian, and the guardian process, which kills the worker
  processes of a driver that has died.
- `frames`: the messages between a driver and its worker.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
