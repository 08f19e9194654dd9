"""Execution of runs in supervised worker processes, behind any executor.

In: a payload (an algorithm with its source of instances) and a job. Out: a `Run`, whatever the user's code does. The
function `run_supervised(payload, job, limits)` has a run made in a process of its own, and can be submitted to any object
with `submit(...) -> Future`. Names are imported when they are first used, so that workers start without NumPy.

- `payload`: `pack` packs an algorithm and its instances once, as a `Payload`.
- `supervise`: `run_supervised` makes one run within `Limits`.
- `local`, `replay`, `dask`: executors for processes of this machine, recorded runs and a Dask cluster.
- `slot`: the worker of each thread; `close_workers` kills them all.
- `worker_client`, `worker_main`: the driver's side of a worker, and the worker process itself, which explains the design.
- `template`, `make_run`: the process that loads a payload and forks a copy for each run, and the run itself.
- `seeds`: the seeds of the global random generators of a run.
- `process_state`: restores the state of a process in which runs cannot be forked.
- `descendants`: finds and kills every process that a run has started.
- `frames`: the messages between these processes.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
