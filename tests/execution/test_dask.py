"""What only the Dask executor does; the contract of all executors is in tests/contracts."""

import logging
import socket
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from polarbear.execution import dask_executor, pack, run_supervised
from polarbear.race.jobs import Job
from tests.execution import runs

pytest.importorskip("distributed", reason="needs polarbear-anytime[dask], which polarbear-anytime[dev] brings")

CLUSTER = """
import sys
import time
from distributed import LocalCluster

if __name__ == "__main__":
    cluster = LocalCluster(n_workers=1, threads_per_worker=1, processes=False, protocol="tcp://", dashboard_address=":0")
    print(cluster.scheduler_address, flush=True)
    if sys.stdin.readline():
        cluster.scale(0)
        while cluster.scheduler.workers:
            time.sleep(0.05)
        print("no workers", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def cluster():
    """Start a cluster in a process of its own; return the process and the cluster's address."""
    with subprocess.Popen(
        [sys.executable, "-c", CLUSTER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        yield process, process.stdout.readline().strip()
        process.kill()


JOB = Job("a", 0, 10, 1, 1)


def test_runs_fail_when_the_scheduler_dies(cluster, caplog, monkeypatch):
    process, address = cluster
    log = logging.getLogger("distributed.client")
    monkeypatch.setattr(log, "handlers", [caplog.handler])  # Dask's loggers do not propagate
    executor = dask_executor(address)
    assert executor.submit(run_supervised, pack(runs.ends_early, runs.instance), JOB).result().status == "done"
    future = executor.submit(run_supervised, pack(runs.hangs, runs.instance), JOB)
    process.kill()
    with pytest.raises(ConnectionError, match="the Dask cluster cannot be reached"):
        future.result()
    with pytest.raises(ConnectionError, match="the Dask cluster cannot be reached"):
        executor.submit(run_supervised, pack(runs.ends_early, runs.instance), JOB).result()
    executor.shutdown()
    assert log.filters == []
    # Only the message: Dask's log of the failed attempt to connect again has a traceback.
    assert [record for record in caplog.records if record.exc_info] == []


def test_runs_fail_when_all_workers_are_gone(cluster, monkeypatch):
    process, address = cluster
    executor = dask_executor(address, patience=1000)
    assert executor.submit(pow, 2, 3).result() == 8
    process.stdin.write("remove the workers\n")
    process.stdin.flush()
    assert process.stdout.readline() == "no workers\n"
    # An hour passes on the executor's clock alone.
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + 3600)
    monkeypatch.setattr("polarbear.execution.dask.time", clock)
    with pytest.raises(ConnectionError, match="there has been no worker for 1000 seconds"):
        executor.submit(run_supervised, pack(runs.ends_early, runs.instance), JOB).result()
    executor.shutdown()


def test_an_error_of_the_submitted_function_is_raised_and_a_shutdown_cancels(cluster):
    executor = dask_executor(cluster[1])
    with pytest.raises(ZeroDivisionError):
        executor.submit(divmod, 1, 0).result()
    hanging = executor.submit(run_supervised, pack(runs.hangs, runs.instance), JOB)
    executor.shutdown(cancel_futures=True)
    assert hanging.cancelled()
    with pytest.raises(ConnectionError, match="the executor was shut down"):
        executor.submit(pow, 2, 3)


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="expected the address of a Dask scheduler or a"):
        dask_executor(3)
    with pytest.raises(ValueError, match="patience above zero"):
        dask_executor("tcp://127.0.0.1:1", patience=0)
    with pytest.raises(ConnectionError, match=r"expected a Dask scheduler at tcp:.*, got no answer"):
        dask_executor("tcp://127.0.0.1:1", patience=0.1)


def test_a_server_of_another_kind_is_no_scheduler():
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,  # accepts the connection and never answers
        pytest.raises(ConnectionError, match="what listens there does not speak Dask's protocol"),
    ):
        dask_executor(f"tcp://127.0.0.1:{silent.getsockname()[1]}", patience=0.1)
