"""Where runs happen: supervised workers behind any executor.

One function, `run_supervised(payload, job, limits)`, is submitted to any object with `submit(...) -> Future`. It drives
a worker process and gives back a `Run`, whatever the user's code does. Names are imported when they are first used, so
that workers start without NumPy.

- `pack`, `Payload`: an algorithm and its instances, packed once.
- `run_supervised`, `Limits`, `close_workers`: one run, watched.
- `LocalExecutor`, `ReplayExecutor`, `dask_executor`: processes of this machine, recorded runs, a Dask cluster.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
