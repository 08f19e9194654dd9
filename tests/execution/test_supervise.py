import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial

import numpy as np
import pytest

from polarbear.algorithms import command
from polarbear.execution import Limits, WorkersClosed, close_workers, pack, run_supervised
from polarbear.execution.guardian_client import driver_token
from polarbear.execution.guardian_main import processes_with_token
from polarbear.race.jobs import Job
from tests.execution import runs


def run(algorithm, until=10, *, instances=runs.instance, index=3, seed=4, limits=None, **options):
    payload = pack(algorithm, instances, **options)
    return run_supervised(payload, Job("a", index, until, seed, instance_seed=5), limits)


def events(result):
    return list(zip(result.trajectory.times.tolist(), result.trajectory.values.tolist(), strict=True))


def eventually(condition):
    for _ in range(600):
        if condition():
            return True
        time.sleep(0.05)
    return False


def talkative(problem, seed, until):
    print("to stdout")
    print("to stderr" + 5_000 * "!", file=sys.stderr)
    yield 1, 2.0


def test_the_last_output_of_a_good_run_is_kept():
    result = run(talkative)
    assert (result.status, result.message) == ("done", 2_000 * "!")
    assert run(runs.well_behaved).message == ""  # and not told of the next


def test_the_error_output_of_a_program_is_kept():
    programs = {
        "ends": command(["sh", "-c", "echo solving {instance} >&2; echo 1 5"]),
        "is stopped": command(["sh", "-c", "echo solving {instance} >&2; echo 1 5; sleep 100"]),
    }
    messages = {name: run(program, clock="seconds", until=1.5).message for name, program in programs.items()}
    assert messages == dict.fromkeys(programs, "solving 3.005")


def test_a_run_until_its_time():
    result = run(runs.well_behaved)
    assert (result.status, result.message, result.reached) == ("done", "", 10)
    assert (result.trajectory.algorithm, result.trajectory.instance, result.trajectory.until) == ("a", 3, 10)
    assert not result.trajectory.failed
    best = np.minimum.accumulate(3.005 + np.random.default_rng(4).random(10) / np.arange(1, 11))
    assert result.trajectory.at(np.arange(1, 11)).tolist() == best.tolist()
    assert 0 <= result.cpu_seconds <= result.seconds * 2


def test_a_run_that_ends_by_itself_is_known_until_its_time_and_not_beyond():
    """It may have ended because of that time, as one does that yields improvements only and then looks at `until`."""
    result = run(runs.short)
    assert (result.status, result.reached, result.trajectory.until) == ("done", 3, 10)


def test_higher_can_be_better():
    result = run(runs.short, seed=7, maximise=True)
    assert result.trajectory.maximise
    assert events(result) == [(1.0, 5.0), (3.0, 7.0)]


def test_the_worker_is_kept_and_replaced_only_after_a_failure():
    pids = [events(run(runs.tell_pid))[0][1] for _ in range(3)]
    run(runs.killed, limits=Limits(retries=0))
    pids.append(events(run(runs.tell_pid))[0][1])
    assert pids[0] == pids[1] == pids[2] != pids[3]
    assert os.getpid() not in pids


def test_a_worker_that_died_meanwhile_is_replaced():
    pid = int(events(run(runs.tell_pid))[0][1])
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    result = run(runs.tell_pid, limits=Limits(retries=0))
    assert result.status == "done"
    assert events(result)[0][1] != pid


@pytest.mark.parametrize(
    ("algorithm", "message"),
    [
        (runs.raises, "KeyError: 'what went wrong'\n\nTraceback"),
        (runs.raises_something_odd, "Odd: (its text cannot be shown)"),
        (runs.exits, "SystemExit: 3"),
        (runs.interrupts, "KeyboardInterrupt"),
    ],
)
def test_an_error_keeps_what_was_found(algorithm, message):
    result = run(algorithm)
    assert result.status == "error"
    assert result.message.startswith(message)
    assert result.trajectory.failed
    assert result.trajectory.until == result.reached == 2
    assert events(result) == [(2.0, 1.0)]


def test_a_long_error_is_shortened():
    result = run(runs.raises_at_length)
    assert result.status == "error"
    assert len(result.message) < 30_000


def test_absurd_results_are_errors():
    result = run(runs.absurd)
    assert result.status == "error"
    assert "expected an algorithm that yields or returns pairs (time, value), got 4" in result.message
    assert result.trajectory.until == 0


@pytest.mark.parametrize(
    ("algorithm", "message"),
    [
        (runs.killed, "the process of the run died by SIGKILL, as the system does when memory runs out"),
        (runs.gone, "the process of the run ended by itself with exit status 0"),
        (runs.segfault, "died by SIGSEGV"),
    ],
)
def test_a_crash_keeps_what_was_found(algorithm, message):
    result = run(algorithm, limits=Limits(retries=0))
    assert result.status == "crashed"
    assert message in result.message
    assert result.trajectory.failed
    assert result.trajectory.until == result.reached == 2
    assert events(result) == [(2.0, 1.0)]


def test_a_crash_tells_the_last_output():
    assert "last words" in run(runs.killed).message
    assert "runs.py" in run(runs.segfault).message


def test_a_crash_is_tried_again(tmp_path):
    instances = [str(tmp_path / "mark")]
    result = run(runs.killed_the_first_time, instances=instances, index=0)
    assert (result.status, events(result)) == ("done", [(1.0, 7.0)])


@pytest.mark.parametrize("algorithm", [runs.hangs, runs.holds_the_lock])
def test_a_run_past_its_limit_is_killed(algorithm):
    result = run(algorithm, limits=Limits(seconds=2))
    assert result.status == "timeout"
    assert result.message == "the run took longer than the limit of 2 seconds"
    assert result.trajectory.until == result.reached == 2
    assert events(result) == [(2.0, 1.0)]
    assert result.seconds >= 2


def test_evaluations_counted_before_the_end_are_known():
    result = run(runs.hangs_in_the_objective, instances=[abs], index=0, limits=Limits(seconds=3))
    assert (result.status, result.reached, result.trajectory.until) == ("timeout", 3, 3)


def test_a_flood_of_output_is_survived():
    result = run(runs.floods)
    assert result.status == "error"
    assert "drowned" in result.message
    assert events(result) == [(1.0, 1.0)]


def test_a_million_improvements():
    result = run(runs.improves_a_million_times, until=10**6)
    assert result.status == "done"
    assert result.trajectory.times.size == 10**6
    assert result.trajectory.values[-1] == -(10**6)


def test_closing_the_standard_streams_hurts_nobody():
    for _ in range(2):
        assert run(runs.closes_streams).status == "done"
    assert run(runs.raises).status == "error"


def test_closing_everything_is_a_crash():
    result = run(runs.closes_everything, limits=Limits(retries=0))
    assert result.status == "crashed"
    assert "closed the pipes to its driver" in result.message
    assert events(result) == [(1.0, 1.0)]


@pytest.mark.parametrize(
    ("algorithm", "status", "seconds"),
    [
        (runs.leaves_children, "done", None),
        (runs.leaves_children_and_hangs, "timeout", 0.7),
        (runs.leaves_children_and_dies, "crashed", None),
    ],
)
def test_children_end_with_their_run(algorithm, status, seconds):
    result = run(algorithm, limits=Limits(seconds=seconds, retries=0))
    assert result.status == status
    # They have been sent SIGKILL by now; on a busy machine the kernel may need a moment to take them away.
    deadline = time.monotonic() + 20
    while processes_with_token(driver_token()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert processes_with_token(driver_token()) == []


def test_a_forked_child_that_returns_has_no_say():
    result = run(runs.forks_and_both_return)
    assert (result.status, events(result)) == ("done", [(1.0, 1.0)])
    assert run(runs.short).status == "done"


def test_a_forked_child_cannot_evaluate_and_is_told_why():
    result = run(runs.evaluates_in_a_forked_child, instances=[abs], index=0)
    assert "expected the objective to be called in the process of the run" in result.message
    assert events(result) == [(1.0, 1.0)]


def test_who_swallows_the_end_of_the_budget_is_ended_all_the_same():
    result = run(runs.never_stops, instances=[abs], index=0)
    assert (result.status, result.trajectory.until) == ("done", 10)
    assert run(runs.short).status == "done"


def test_a_thread_left_behind_does_not_write_into_the_next_run():
    payload = pack(runs.leaves_a_thread, [abs, abs])
    first = run_supervised(payload, Job("a", 0, 10, 1, 1))
    time.sleep(0.05)
    assert events(run(runs.short)) == [(1.0, 5.0), (3.0, 4.0)]
    assert first.status == "done"


def test_a_run_sees_nothing_of_the_runs_before_it():
    run(runs.changes_the_world)
    after_another = run(runs.sees_the_world)
    run(runs.killed, limits=Limits(retries=0))
    run(runs.sees_the_world, seed=5)
    assert events(run(runs.sees_the_world)) == events(after_another)
    assert len(events(after_another)) == 4


def test_linear_algebra_has_one_thread():
    assert events(run(runs.threads_of_linear_algebra)) == [(1.0, 1.0)]


class TestWallClock:
    def test_nothing_matters_after_its_time_so_the_run_is_done(self):
        result = run(runs.bare_values, until=1, clock="seconds")
        assert (result.status, result.reached, result.trajectory.until) == ("done", 1, 1)
        assert result.trajectory.values.tolist() == [3.0, 2.0]

    def test_a_limit_before_its_time_is_a_time_out(self):
        result = run(runs.bare_values, until=100, clock="seconds", limits=Limits(seconds=2))
        assert result.status == "timeout"
        assert 2 <= result.trajectory.until < 100

    def test_who_keeps_its_own_time_is_left_to_it(self):
        result = run(runs.own_seconds, until=0.3, clock="seconds")
        assert (result.status, events(result)) == ("done", [(0.1, 3.0), (0.2, 2.0)])

    def test_nothing_found_in_time_is_an_error(self):
        result = run(runs.nothing_in_time, until=0.2, clock="seconds", instances=[abs], index=0)
        assert result.status == "error"
        assert "expected at least one value by seconds 0.2, got none" in result.message


class TestSetUp:
    def test_a_source_that_raises(self):
        result = run(runs.short, instances=lambda index, seed: 1 / 0)
        assert result.status == "setup"
        assert result.message.startswith(
            "RuntimeError: expected the source of instances to give instance 3 (ZeroDivisionError: division by zero)"
        )
        assert result.trajectory.until == 0

    def test_a_source_that_kills_its_process_says_nothing_about_the_algorithm(self):
        result = run(runs.short, instances=runs.dies)
        assert result.status == "setup"
        assert result.message == "the process that loads it and makes the instance ended by itself with exit status 3"

    def test_a_source_that_kills_its_process_once_is_tried_again(self, tmp_path):
        instances = partial(runs.dies_the_first_time, mark=str(tmp_path / "mark"))
        assert run(runs.short, instances=instances).status == "done"

    def test_a_source_that_runs_out(self):
        result = run(runs.short, instances=["only one"])
        assert "to give instance 3, of 1; give more instances" in result.message

    def test_a_source_that_hangs(self):
        result = run(runs.short, instances=lambda index, seed: time.sleep(10_000), limits=Limits(setup_seconds=0.3))
        assert result.status == "setup"
        assert "setup_seconds=0.3" in result.message

    def test_set_up_does_not_count(self):
        def slow(index, seed):
            time.sleep(1.5)
            return index

        assert run(runs.short, instances=slow, limits=Limits(seconds=1.2)).status == "done"

    def test_what_cannot_be_loaded_in_the_worker(self):
        class Broken:
            def __call__(self, problem, seed, until):
                return []

            def __reduce__(self):
                return (__import__, ("no_such_module",))

        result = run(Broken())
        assert "expected the algorithm and its instances to load in the worker" in result.message
        assert "no_such_module" in result.message


@pytest.mark.parametrize("options", [{"seconds": 0}, {"seconds": -1}, {"setup_seconds": 0}, {"retries": -1}])
def test_impossible_limits_are_refused(options):
    with pytest.raises(ValueError, match="expected"):
        Limits(**options)


def test_a_thread_takes_its_worker_with_it():
    pids = []
    thread = threading.Thread(target=lambda: pids.append(int(events(run(runs.tell_pid))[0][1])))
    thread.start()
    thread.join()
    assert pids
    assert pids[0] not in processes_with_token(driver_token())


def test_closing_the_workers_ends_a_run_in_flight():
    caught = []

    def work():
        try:
            run(runs.hangs)
        except WorkersClosed as error:
            caught.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    while not processes_with_token(driver_token()):
        time.sleep(0.01)
    while thread.is_alive():
        close_workers()
        thread.join(timeout=0.1)
    assert len(caught) == 1


def test_a_race_within_a_run_ends_with_the_run():
    assert events(run(runs.race_within, seed=0)) == [(1.0, 4.0)]
    assert run(runs.race_within, seed=1, limits=Limits(seconds=2)).status == "timeout"
    assert processes_with_token(driver_token()) == []


DRIVER = """
import os, sys, threading
from polarbear.execution import pack, run_supervised
from polarbear.execution.guardian_client import driver_token
from polarbear.race.jobs import Job
from tests.execution import runs

print(driver_token(), flush=True)
for algorithm in (runs.holds_the_lock, runs.leaves_children_and_hangs):
    job = Job("a", 0, 10, 1, 1)
    threading.Thread(target=run_supervised, args=(pack(algorithm, runs.instance), job), daemon=True).start()
sys.stdin.read()
"""


def test_everything_ends_with_a_driver_that_is_killed():
    driver = subprocess.Popen([sys.executable, "-c", DRIVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with driver:
        token = driver.stdout.readline().strip()
        assert eventually(lambda: len(processes_with_token(token)) >= 5)
        driver.kill()
    assert eventually(lambda: not processes_with_token(token))


def test_a_forked_driver_has_workers_of_its_own():
    # In a process of its own: this one may have loaded libraries that do not survive a fork.
    script = """if True:
        import os
        from tests.execution import runs
        from tests.execution.test_supervise import events, run
        from polarbear.execution import close_workers

        def pid_of_worker():
            return int(events(run(runs.tell_pid))[0][1])

        mine = pid_of_worker()
        reads, writes = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.write(writes, str(pid_of_worker()).encode())
                close_workers()
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        print(mine, int(os.read(reads, 100)), pid_of_worker())
        """
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120)
    before, in_the_child, after = done.stdout.split()
    assert before == after != in_the_child
