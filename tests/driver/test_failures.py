"""When runs, instances or executors fail, the race reports the reason and keeps every completed run."""

from concurrent.futures import CancelledError, Executor, Future, wait
from functools import partial
from unittest.mock import Mock

import numpy as np
import pytest

import polarbear as pb
from polarbear.execution import run_supervised
from polarbear.race.jobs import Run
from tests.driver.races import SETTINGS, journal, race_of, run_quietly, stored_runs
from tests.race import live_algorithms
from tests.race.live_algorithms import four

BAD_ALGORITHMS = {
    live_algorithms.budgets_go_back: "budgets",
    live_algorithms.no_value: "expected at least one value by evaluations 8",
    live_algorithms.returns_nothing: "expected an algorithm that yields or returns pairs",
    live_algorithms.never_early_enough: "report earlier, or let the race run to a larger budget",
}


def test_bad_algorithms_fail_with_a_reason_and_the_others_continue(local, tmp_path):
    bad = {algorithm.__name__: algorithm for algorithm in BAD_ALGORITHMS}
    with race_of({**four(), **bad}, path=tmp_path / "my.race") as race:
        result = run_quietly(race, local, accept_failures=True)
    assert result.finished
    assert {run.trajectory.algorithm for run in result.failures} == bad.keys()
    for run in result.failures:
        assert run.status == "error"
        assert BAD_ALGORITHMS[bad[run.trajectory.algorithm]] in run.failure.error
    assert bad.keys().isdisjoint(result.kept)
    with pb.Race.open(tmp_path / "my.race") as race:
        assert {run.failure for run in race.outcome.failures} == {run.failure for run in result.failures}


def test_a_failure_stops_the_race_on_request_and_once_fixed_it_continues(local, tmp_path):
    flag = tmp_path / "fixed"
    algorithms = {**four(), "poor": partial(live_algorithms.fails_until_fixed, flag=str(flag))}
    with race_of(algorithms, path=tmp_path / "my.race", failure="raise") as race:
        with pytest.raises(ValueError, match=r"the run of 'poor' on instance \d failed .*not yet"):
            run_quietly(race, local)
        assert len(stored_runs(tmp_path / "my.race")) >= 4  # the completed runs are kept
        flag.touch()
        result = run_quietly(race, local, max_instances=4)
    assert result.failures == ()
    assert len(result.runs) == 16


@pytest.mark.parametrize("problems", [[float(i) for i in range(6)], np.arange(6.0)], ids=["list", "array"])
def test_instances_that_run_out_end_the_race(local, problems):
    result = run_quietly(race_of(instances=problems, confidence=0.99, margin=0.0), local)
    assert (result.stopped, result.instances) == ("instances ran out", 6)
    assert result.failures == ()


def test_recordings_that_run_out_end_the_race():
    rng = np.random.default_rng(0)
    recorded = [pb.Trajectory(name, f"f{i}", [1, 5], [9.0, rng.random()], end=8) for i in range(6) for name in "ab"]
    race = pb.Race(["a", "b"], None, **{**SETTINGS, "confidence": 0.99, "margin": 0.0})
    result = run_quietly(race, pb.ReplayExecutor(recorded))
    assert (result.stopped, result.instances) == ("instances ran out", 6)


def test_a_missing_recording_is_named():
    recorded = [pb.Trajectory(name, i, [1, 5], [9.0, i + ord(name)], end=8) for i in range(6) for name in "ab"]
    race = pb.Race(["a", "b"], None, **SETTINGS)
    with pytest.raises(ValueError, match="expected a recording of 'a' on instance 3, got none"):
        run_quietly(race, pb.ReplayExecutor([run for run in recorded if (run.algorithm, run.instance) != ("a", 3)]))


def test_a_source_of_instances_that_raises_stops_the_race(local, tmp_path):
    """On an instance that does not exist all algorithms would be tied last, which is no information about them."""
    with race_of(
        instances=live_algorithms.five_instances, path=tmp_path / "my.race", confidence=0.99, margin=0.0
    ) as race:
        with pytest.raises((ValueError, pb.RaceError), match="only five instances"):
            run_quietly(race, local, max_instances=12)
        assert race.outcome.instances == 4
        assert race.outcome.failures == ()


@pytest.mark.parametrize("error", [TimeoutError("no answer"), CancelledError(), RuntimeError("no worker")])
def test_every_exception_of_an_executor_is_a_race_error(error):
    class Failing(Executor):
        def submit(self, function, payload, job, limits):
            lost = Future()
            lost.set_exception(error)
            return lost

    with pytest.raises(pb.RaceError, match=rf"the executor failed \({type(error).__name__}"):
        run_quietly(race_of(), Failing())


def test_an_executor_that_fails_loses_nothing(local, tmp_path, finished):
    class Failing(Executor):
        """Makes five runs and then loses its machines."""

        def __init__(self):
            self.futures = []

        def submit(self, function, payload, job, limits):
            if len(self.futures) == 5:
                wait(self.futures)
                raise ConnectionError("the cluster is gone")
            self.futures.append(local.submit(function, payload, job, limits))
            return self.futures[-1]

    with race_of(path=tmp_path / "my.race") as race:
        with pytest.raises(
            pb.RaceError,
            match=r"the executor failed \(ConnectionError: the cluster is gone\); every completed run is kept",
        ):
            run_quietly(race, Failing())
        assert len(stored_runs(tmp_path / "my.race")) == 5
        assert race.outcome.rounds == ()
        assert run_quietly(race, local, max_instances=8).rounds == finished[1].rounds[:2]
    assert journal(tmp_path / "my.race") == journal(finished[0])[:2]


def test_waiting_runs_are_cancelled_when_completed_ones_cannot_be_stored():
    """The disk is full: two runs are complete, and storing each of them fails."""
    futures = []

    class Slow(Executor):
        def submit(self, function, payload, job, limits):
            futures.append(Future())
            if len(futures) <= 2:
                path = pb.Trajectory(job.algorithm, job.instance, [1.0], [1.0], end=job.budget)
                futures[-1].set_result(Run(path, reached=job.budget))
            return futures[-1]

    race = race_of()
    race._record.file = Mock()
    race._record.file.find_change.return_value = None
    race._record.file.add_run.side_effect = OSError(28, "no space left")
    with pytest.raises(OSError, match="no space left"):
        run_quietly(race, Slow())
    assert len(futures) == 16
    assert all(future.cancelled() for future in futures[2:])


def test_the_time_limit_and_retries_reach_the_runs():
    received = []

    class Receiving(Executor):
        def submit(self, function, payload, job, limits):
            assert function is run_supervised
            received.append(limits)
            raise KeyboardInterrupt

    race_of().run(Receiving(), time_limit=12.5, retries=3, progress="none")
    assert received == [pb.Limits(seconds=12.5, retries=3)]
