"""An executor for Dask clusters.

Each payload goes to the scheduler once. A watcher on the client's event loop fails the pending runs if the cluster is
lost: Dask itself would wait for its workers forever.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
import weakref
from concurrent import futures
from concurrent.futures import Executor, Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from polarbear.execution.payload import Payload

if TYPE_CHECKING:
    from collections.abc import Callable

_CHECK_SECONDS = 0.5  # between checks of the cluster
_CLIENT_LOGS = "distributed.client", "distributed.batched"  # where Dask reports a lost connection
_OTHER_SERVER = "what listens there does not speak Dask's protocol"
_LOST = "the Dask cluster cannot be reached: {}; start it again, and continue with a new executor"


def dask_executor(cluster: Any, *, patience: float = 60.0) -> DaskExecutor:
    """Return an executor that makes runs on a Dask cluster.

    Parameters
    ----------
    cluster
        The address of a scheduler, such as "tcp://host:8786", or a `distributed.Client`.
    patience
        Seconds to wait for a scheduler that does not answer, or for new workers after all have left, before pending runs
        fail with a `ConnectionError`. The wait for the first worker has no limit.

    Returns
    -------
    DaskExecutor
        An executor as in `concurrent.futures`. Its `shutdown` closes the client if it was created here.
    """
    if not patience > 0:
        raise ValueError(f"expected a patience above zero seconds, got {patience!r}")
    try:
        from distributed import Client
    except ImportError as error:
        raise ImportError(
            "expected Dask's `distributed`, which is not installed; pip install 'polarbear-anytime[dask]'"
        ) from error
    if isinstance(cluster, Client):
        return DaskExecutor(cluster, patience, owned=False)
    if not isinstance(cluster, str):
        raise ValueError(f"expected the address of a Dask scheduler or a distributed.Client, got {cluster!r}")
    _require_scheduler(cluster, patience)
    try:
        client = Client(cluster, timeout=patience, set_as_default=False)
    except OSError as error:
        raise _no_answer(cluster, str(error)) from error
    return DaskExecutor(client, patience, owned=True)


def _require_scheduler(address: str, patience: float) -> None:
    """Raise an error unless something that speaks Dask's protocol answers at the address.

    A client that fails to connect blocks when it is deleted, for twice its timeout, and it waits without limit for a server
    of another kind. So connect once without a client, in an event loop of its own, since the caller may be in one already.
    """
    from distributed import Security
    from distributed.comm import connect
    from distributed.utils import LoopRunner

    async def connect_once() -> None:
        options = Security().get_connection_args("client")
        # A second more than the attempts to connect take, so that their error is reported, which has the reason.
        connection = await asyncio.wait_for(connect(address, timeout=patience, **options), patience + 1)
        connection.abort()

    try:
        LoopRunner(asynchronous=False).run_sync(connect_once)
    except OSError as error:  # a TimeoutError has no text: connected, but without an answer to Dask's handshake
        raise _no_answer(address, str(error) or _OTHER_SERVER) from error
    except MemoryError as error:  # the answer of another server, read as a huge message
        raise _no_answer(address, _OTHER_SERVER) from error
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"expected the address of a Dask scheduler, such as tcp://host:8786, got {address!r}: {error}"
        ) from error


def _no_answer(address: str, reason: str) -> ConnectionError:
    return ConnectionError(f"expected a Dask scheduler at {address}, got no answer: {reason}; is it running?")


class DaskExecutor(Executor):
    """An executor that submits to a Dask cluster; see `dask_executor`."""

    def __init__(self, client: Any, patience: float, *, owned: bool) -> None:
        self._client, self._patience, self._owned = client, patience, owned
        self._payloads: dict[str, Any] = {}
        self._waiting: dict[Future[Any], Any] = {}
        self._lock = threading.Lock()
        self._lost = ""  # why the cluster is no longer used
        self._had_worker = False
        if owned:
            for name in _CLIENT_LOGS:
                logging.getLogger(name).addFilter(_is_worth_logging)
        client.loop.add_callback(_watch, weakref.ref(self), client, patience)

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if self._lost:
            raise ConnectionError(self._lost)
        if self._client.status != "running":
            raise ConnectionError(_LOST.format(f"its client is {self._client.status}"))
        future: Future[Any] = Future()
        task = self._client.submit(function, *map(self._send_once, args), pure=False, **kwargs)
        with self._lock:
            self._waiting[future] = task
        future.add_done_callback(self._forget)
        self._client.loop.add_callback(self._settle, future, task)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Disconnect from the cluster; its workers keep running.

        Parameters
        ----------
        wait
            Wait for pending runs.
        cancel_futures
            Cancel pending runs. The cluster finishes those that have started, and their results are discarded.
        """
        if cancel_futures:
            for future in self._pending():
                future.cancel()
        if wait:
            futures.wait(self._pending())
        self._give_up("the executor was shut down")
        if self._owned:
            self._client.close()
            for name in _CLIENT_LOGS:
                logging.getLogger(name).removeFilter(_is_worth_logging)

    def _pending(self) -> list[Future[Any]]:
        with self._lock:
            return list(self._waiting)

    def _send_once(self, argument: Any) -> Any:
        """Replace a payload by a task that returns it: it goes to the scheduler once, and is computed again if lost."""
        if not isinstance(argument, Payload):
            return argument
        if argument.digest not in self._payloads:
            self._payloads[argument.digest] = self._client.submit(
                _identity, argument, key=f"polarbear-{argument.digest}"
            )
        return self._payloads[argument.digest]

    def _forget(self, future: Future[Any]) -> None:
        with self._lock:
            task = self._waiting.pop(future, None)
        if task is not None and future.cancelled():
            task.cancel()

    async def _settle(self, future: Future[Any], task: Any) -> None:
        """Pass the outcome of a task to its future."""
        try:
            result = await task._result(raiseit=False)
            status = task.status
        except Exception as error:  # the result exists but cannot be retrieved
            lost = ConnectionError(_LOST.format(error)) if isinstance(error, OSError) else error
            result, status = (type(lost), lost, None), "lost"
        with suppress(futures.InvalidStateError):  # cancelled or failed in the meantime
            if status == "finished":
                self._had_worker = True
                future.set_result(result)
            elif status == "cancelled":  # not by this executor: the future would be cancelled, too
                self._payloads.clear()
                future.set_exception(ConnectionError(_LOST.format("the connection to its scheduler is lost")))
            else:
                future.set_exception(result[1])

    def _give_up(self, why: str) -> None:
        self._lost = _LOST.format(why)
        self._payloads.clear()
        for future in self._pending():
            with suppress(futures.InvalidStateError):
                future.set_exception(ConnectionError(self._lost))


def _is_worth_logging(record: logging.LogRecord) -> bool:
    """Return False for the traceback of a lost connection, which Dask logs: the runs fail with a clear message."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, OSError | asyncio.CancelledError)


def _identity(payload: Payload) -> Payload:
    return payload


async def _watch(executor: weakref.ref[DaskExecutor], client: Any, patience: float) -> None:
    """Fail the pending runs if the cluster is lost while the executor is in use; Dask itself would wait forever."""
    alone_since = time.monotonic()
    while True:
        await asyncio.sleep(_CHECK_SECONDS)
        this = executor()
        if this is None or this._lost:
            return None
        if client.status in ("closing", "closed"):
            return this._give_up("its client is closed")
        if client.status != "running":
            continue  # reconnecting: Dask cancels the tasks, and closes the client if it fails
        try:
            workers = len(await asyncio.wait_for(client.scheduler.ncores(), patience))
        except TimeoutError:
            return this._give_up(f"its scheduler did not answer for {patience:g} seconds")
        except Exception:  # the connection is being lost; the status shows it at the next check
            continue
        this._had_worker = this._had_worker or workers > 0
        if workers or not this._had_worker:
            alone_since = time.monotonic()
        elif time.monotonic() - alone_since > patience:
            return this._give_up(f"there has been no worker for {patience:g} seconds")
        del this
