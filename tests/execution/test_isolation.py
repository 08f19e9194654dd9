"""No run affects the next one or its driver, and nothing that it starts outlives the driver."""

import subprocess
import sys
import threading
import time

from polarbear.execution import Limits, WorkersClosed, close_workers, pack, run_supervised
from polarbear.execution.descendants import processes_with_token
from polarbear.race.jobs import Job
from tests.execution import runs
from tests.execution.supervised import events, live_processes, run, wait_until, worker_pid


class TestRun:
    def test_closing_the_standard_streams_does_no_harm(self):
        for _ in range(2):
            assert run(runs.closes_streams).status == "done"
        assert run(runs.raises).status == "error"

    def test_a_forked_child_that_returns_is_ignored(self):
        result = run(runs.forks_and_both_return)
        assert (result.status, events(result)) == ("done", [(1.0, 1.0)])
        assert run(runs.ends_early).status == "done"

    def test_a_forked_child_that_evaluates_gets_an_error(self):
        result = run(runs.evaluates_in_a_forked_child, instances=[abs], index=0)
        assert "expected the objective to be called in the process of the run" in result.failure.error
        assert events(result) == [(1.0, 1.0)]

    def test_a_run_that_swallows_the_end_of_its_budget_is_ended(self):
        result = run(runs.never_stops, instances=[abs], index=0)
        assert (result.status, result.trajectory.end) == ("done", 10)
        assert run(runs.ends_early).status == "done"

    def test_a_thread_left_behind_does_not_write_into_the_next_run(self):
        payload = pack(runs.leaves_a_thread, [abs, abs])
        first = run_supervised(payload, Job("a", 0, 10, 1, 1))
        time.sleep(0.05)  # gives the thread time to do harm
        assert events(run(runs.ends_early)) == [(1.0, 5.0), (3.0, 4.0)]
        assert first.status == "done"

    def test_a_run_does_not_depend_on_earlier_runs(self):
        run(runs.changes_its_environment)
        after_another = run(runs.reports_its_environment)
        run(runs.kills_itself, limits=Limits(retries=0))
        run(runs.reports_its_environment, seed=5)
        assert events(run(runs.reports_its_environment)) == events(after_another)
        assert len(events(after_another)) == 4

    def test_linear_algebra_has_one_thread(self):
        assert events(run(runs.reports_its_number_of_threads)) == [(1.0, 1.0)]


class TestDriver:
    def test_a_worker_ends_with_its_thread(self):
        pids = []
        thread = threading.Thread(target=lambda: pids.append(worker_pid()))
        thread.start()
        thread.join()
        assert pids
        assert wait_until(lambda: pids[0] not in live_processes())

    def test_closing_the_workers_ends_a_run_in_progress(self):
        messages = []

        def work():
            try:
                run(runs.hangs)
            except WorkersClosed as error:
                messages.append(str(error))

        thread = threading.Thread(target=work)
        thread.start()
        assert wait_until(live_processes)
        while thread.is_alive():
            close_workers()
            thread.join(timeout=0.1)
        assert len(messages) == 1

    def test_everything_ends_with_a_driver_that_is_killed(self):
        script = """if True:
            import sys, threading
            from polarbear.execution import pack, run_supervised
            from polarbear.execution.descendants import driver_token
            from polarbear.race.jobs import Job
            from tests.execution import runs

            print(driver_token(), flush=True)
            for algorithm in (runs.holds_the_lock, runs.leaves_children_and_hangs):
                job = Job("a", 0, 10, 1, 1)
                threading.Thread(target=run_supervised, args=(pack(algorithm, runs.instance), job), daemon=True).start()
            sys.stdin.read()
            """
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen([sys.executable, "-c", script], text=True, **pipes) as driver:
            token = driver.stdout.readline().strip()
            assert wait_until(lambda: len(processes_with_token(token)) >= 5)
            driver.kill()
        assert wait_until(lambda: not processes_with_token(token))

    def test_a_forked_driver_has_workers_of_its_own(self):
        # In a process of its own: this one may have loaded libraries that do not survive a fork.
        script = """if True:
            import os
            from tests.execution.supervised import worker_pid
            from polarbear.execution import close_workers

            before = worker_pid()
            reads, writes = os.pipe()
            child = os.fork()
            if child == 0:
                try:
                    os.write(writes, str(worker_pid()).encode())
                    close_workers()
                finally:
                    os._exit(0)
            os.waitpid(child, 0)
            print(before, int(os.read(reads, 100)), worker_pid())
            """
        output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
        before, in_the_child, after = output.split()
        assert before == after != in_the_child
