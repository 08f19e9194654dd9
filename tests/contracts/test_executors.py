"""One suite over every executor: the same jobs give the same runs, whatever the runs do."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from polarbear.execution import Limits, LocalExecutor, close_workers, dask_executor, pack, run_supervised
from polarbear.execution.descendants import processes_with_token
from polarbear.race.jobs import Job
from tests.execution import runs
from tests.execution.supervised import wait_until


@contextmanager
def processes():
    """Fresh processes, as on another machine: none has anything of this one."""
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
        yield executor


@contextmanager
def dask():
    distributed = pytest.importorskip(
        "distributed", reason="needs polarbear-anytime[dask], which polarbear-anytime[dev] brings"
    )
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        dask_executor(cluster.scheduler_address) as executor,
    ):
        yield executor


EXECUTORS = {
    "local": lambda: LocalExecutor(2),
    "threads": lambda: ThreadPoolExecutor(2),
    "processes": processes,
    "dask": dask,
}
PAYLOADS = {
    "mixed": pack(runs.mixed, runs.instance),
    "good": pack(runs.well_behaved, runs.instance, maximise=True),
}
JOBS = [Job("mixed", i, 20, seed=i, instance_seed=2 * i) for i in range(40)] + [
    Job("good", i, 30, seed=i, instance_seed=2 * i) for i in range(10)
]
HANGING = JOBS[10]


def driver():
    """Return the token of the process in which a task runs."""
    from polarbear.execution.descendants import driver_token

    return driver_token()


@pytest.fixture(scope="module", params=EXECUTORS)
def outcomes(request):
    """Make the runs of all jobs; return them, and the tokens of the processes that drove them."""
    with EXECUTORS[request.param]() as executor:
        others = [job for job in JOBS if job != HANGING]
        futures = [executor.submit(run_supervised, PAYLOADS[job.algorithm], job) for job in others]
        results = {HANGING: run_past_its_limit(executor)}
        results |= {job: future.result() for job, future in zip(others, futures, strict=True)}
        tokens = {executor.submit(driver).result() for _ in range(8)}
    close_workers()
    return [results[job] for job in JOBS], tokens


def run_past_its_limit(executor):
    """Make the run that hangs, with the first limit that leaves it time for its value on this machine."""
    for seconds in (0.5, 5.0, 50.0, 500.0):
        run = executor.submit(run_supervised, PAYLOADS["mixed"], HANGING, Limits(seconds=seconds)).result()
        if run.trajectory.budgets.size:
            break
    return run


EXPECTED = {0: "error", 5: "crashed", 10: "timeout", 15: "done", 20: "done", 25: "crashed", 30: "error", 35: "done"}


def test_every_job_has_its_run(outcomes):
    results, _ = outcomes
    for job, run in zip(JOBS, results, strict=True):
        status = EXPECTED.get(job.instance, "done") if job.algorithm == "mixed" else "done"
        assert run.status == status, run.failure
        assert (run.trajectory.algorithm, run.trajectory.instance) == (job.algorithm, job.instance)
        assert run.trajectory.failed == (status != "done")
        assert status == "done" or run.failure.error
        assert 0 <= run.reached <= job.budget


def test_runs_are_the_same_on_every_executor(outcomes):
    results, _ = outcomes
    shown = [
        (run.status, run.reached, run.trajectory.end, run.trajectory.budgets.tolist(), run.trajectory.values.tolist())
        for job, run in zip(JOBS, results, strict=True)
        if (job.algorithm, job.instance) != ("mixed", 15)  # its value is the number of a process
    ]
    assert shown == FIRST.setdefault("runs", shown)


FIRST = {}


def test_no_process_is_left_behind(outcomes):
    _, tokens = outcomes
    assert tokens
    # The workers of a driver that has just ended are about to end.
    assert wait_until(lambda: not any(processes_with_token(token) for token in tokens))
