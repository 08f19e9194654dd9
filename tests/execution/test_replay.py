import math

import pytest

from polarbear import Trajectory
from polarbear.execution import Limits, ReplayExecutor, run_supervised
from polarbear.race.jobs import Job

RECORDED = [
    Trajectory("a", 0, [10, 20, 30], [5.0, 4.0, 2.0], end=40),
    Trajectory("a", 1, [10], [5.0], end=math.inf),
    Trajectory("a", 2, [10], [5.0], end=20, failed=True),
    Trajectory("b", 0, [10], [5.0], end=20, maximise=True),
    Trajectory("a", 3, [10], [5.0], end=30, finished=True),
]


def replay(algorithm, instance, budget):
    job = Job(algorithm, instance, budget, 1, 1)
    return ReplayExecutor(RECORDED).submit(run_supervised, None, job, Limits()).result()


@pytest.mark.parametrize(("budget", "budgets"), [(5, []), (20, [10, 20]), (40, [10, 20, 30])])
def test_a_recording_is_cut_at_the_jobs_budget(budget, budgets):
    run = replay("a", 0, budget)
    assert (run.status, run.trajectory.end, run.reached) == ("done", budget, budget)
    assert run.trajectory.budgets.tolist() == budgets


def test_the_direction_stays():
    assert replay("b", 0, 15).trajectory.maximise


def test_a_run_that_had_ended_is_known_at_any_budget():
    assert replay("a", 1, 10**6).trajectory.end == 10**6
    run = replay("a", 3, 100)
    assert (run.trajectory.end, run.reached, run.status) == (100, 30, "done")  # it costs nothing after its end
    assert replay("a", 3, 20).reached == 20


def test_a_failure_comes_at_its_budget():
    assert replay("a", 2, 19).status == "done"
    failed = replay("a", 2, 20)
    assert (failed.status, failed.trajectory.failed, failed.reached) == ("error", True, 20)
    assert "failed at 20" in failed.failure.error


@pytest.mark.parametrize(
    ("job", "message"),
    [
        (("c", 0, 10), "expected a recording of 'c' on instance 0, got none among 5"),
        (("a", 7, 10), "expected a recording of 'a' on instance 7, got none"),
        (("a", 0, 41), "of 'a' on instance 0 until 41, got one until 40; end the grid there"),
    ],
)
def test_what_was_not_recorded_is_an_error_in_the_future(job, message):
    with pytest.raises(ValueError, match=message):
        replay(*job)


def test_bad_input():
    with pytest.raises(ValueError, match="expected one recording of 'a' on instance 0, got two"):
        ReplayExecutor([RECORDED[0], RECORDED[0]])
    with pytest.raises(ValueError, match=r"expected recordings as pb\.Trajectory, got 3"):
        ReplayExecutor([3])
    with pytest.raises(ValueError, match=r"expected submit\(run_supervised, payload, job, limits\), got 0 jobs"):
        ReplayExecutor([]).submit(pow, 2, 3).result()
