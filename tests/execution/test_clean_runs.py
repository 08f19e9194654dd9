"""What a run sees does not depend on earlier runs, no process survives its run, and no run reaches the worker's pipes."""

import resource
from pathlib import Path

import pytest

from polarbear.execution import Limits, close_workers, pack, run_supervised
from polarbear.execution.frames import NO_RUN, Inbox, InvalidFrame, Kind, frame
from polarbear.race.jobs import Job
from tests.execution import hostile, runs
from tests.execution.supervised import events, run, run_processes, worker_pid

ONCE = Limits(retries=0)


def test_a_run_does_not_see_what_earlier_runs_have_changed(monkeypatch):
    close_workers()
    monkeypatch.setenv("CORE_LIMIT", str(resource.getrlimit(resource.RLIMIT_CORE)[0]))
    problems = [hostile.Problem()]
    same, other = pack(hostile.changes_or_reads, problems), pack(hostile.reads_its_state, problems)
    without_forks = pack(hostile.WithAThread(hostile.changes_or_reads), problems)
    for changing, reading in [(same, same), (same, other), (without_forks, without_forks)]:
        assert run_supervised(changing, Job("a", 0, 10, 0, 0)).status == "done"
        result = run_supervised(reading, Job("a", 0, 10, 1, 0))
        assert events(result) == [(1.0, hostile.UNCHANGED)], result.failure
    assert len(run_processes()) == 1  # the process of the last two runs, from which nothing was left to clean up
    close_workers()


class TestDescendants:
    @pytest.mark.parametrize("wrap", [lambda algorithm: algorithm, hostile.WithAThread], ids=["forked", "not forked"])
    def test_no_child_survives_its_run(self, wrap):
        result = run(wrap(hostile.leaves_a_child_in_a_new_session_with_an_empty_environment))
        assert result.status == "done"
        assert not is_alive(int(events(result)[0][1]))

    @pytest.mark.parametrize("wrap", [lambda algorithm: algorithm, hostile.WithAThread], ids=["forked", "not forked"])
    def test_a_run_that_kills_its_process_group_kills_only_itself(self, wrap):
        pid = worker_pid()
        result = run(wrap(hostile.kills_its_group), limits=ONCE)
        assert (result.status, events(result)) == ("crashed", [(1.0, 1.0)])
        assert "the process of the run died by SIGKILL" in result.failure.error
        assert worker_pid() == pid
        assert not run_processes()

    def test_a_run_that_kills_or_stops_its_template_fails_alone(self):
        payload = pack(hostile.kills_the_template, hostile.problem_that_stops_the_template)
        result = run_supervised(payload, Job("a", 0, 10, 0, 0), ONCE)
        assert result.status == "crashed"  # not "setup", which would stop a race
        stopped = pack(runs.ends_early, hostile.problem_that_stops_the_template)
        assert run_supervised(stopped, Job("a", 0, 10, 0, 0), Limits(setup_seconds=0.5, retries=0)).status == "timeout"
        assert events(run(runs.ends_early)) == [(1.0, 5.0), (3.0, 4.0)]


class TestChannel:
    @pytest.mark.parametrize("wrap", [lambda algorithm: algorithm, hostile.WithAThread], ids=["forked", "not forked"])
    def test_a_run_that_writes_to_every_file_ends_only_itself(self, wrap):
        pid = worker_pid()
        result = run(wrap(hostile.writes_to_every_file), limits=Limits(seconds=1000))
        assert result.status == "crashed"
        assert "the process of the run wrote to the channel of its worker" in result.failure.error
        assert worker_pid() == pid
        assert events(run(runs.ends_early)) == [(1.0, 5.0), (3.0, 4.0)]

    def test_a_damaged_log_stops_neither_the_driver_nor_the_time_limit(self, shift_clock):
        shift_clock(when=lambda state: state.started == 1e300)
        result = run(hostile.damages_its_log, seed=4, limits=Limits(seconds=1000))
        assert (result.status, events(result)) == ("timeout", [])
        result = run(hostile.damages_its_log, seed=5, limits=ONCE)
        assert result.status == "crashed"
        assert "wrote to the channel of its worker" in result.failure.error

    @pytest.mark.parametrize("wrap", [lambda algorithm: algorithm, hostile.WithAThread], ids=["forked", "not forked"])
    def test_a_run_that_shortens_its_log_fails_alone(self, wrap):
        improves_often = wrap(runs.improves_100_000_times)
        assert len(events(run(improves_often, budget=300))) == 300
        pid = worker_pid()
        result = run(wrap(hostile.shortens_its_log), limits=ONCE)
        assert result.status == "crashed"
        assert "wrote to the channel of its worker" in result.failure.error
        assert len(events(run(improves_often, budget=300))) == 300
        assert worker_pid() == pid
        close_workers()

    @pytest.mark.parametrize("wrap", [lambda algorithm: algorithm, hostile.WithAThread], ids=["forked", "not forked"])
    def test_a_run_that_closes_its_log_affects_no_later_run(self, wrap):
        pid = worker_pid()
        for _ in range(3):
            assert events(run(wrap(hostile.closes_its_log), limits=ONCE)) == [(1.0, 1.0), (2.0, 0.0)]
            assert not run_processes()  # a process that has lost its log makes no further run
        assert worker_pid() == pid

    @pytest.mark.parametrize(
        "data",
        [
            b"x",
            frame(Kind.REPLY, b"another run's id", {"status": "done"}),
            frame(Kind.REPLY, NO_RUN, {}, b"blob"),
            frame(Kind.REPLY, NO_RUN).replace(b"{}", b"{]"),
            frame(Kind.REPLY, NO_RUN).replace(b"{}", b"12"),
            frame(Kind.REPLY, NO_RUN).replace(bytes([Kind.REPLY]), b"\x63", 1),
        ],
    )
    def test_bytes_that_are_no_message_of_this_run_are_refused_at_once(self, data):
        with pytest.raises(InvalidFrame):
            Inbox(data).take(NO_RUN)


def test_libraries_that_a_run_imports_are_imported_ahead_of_the_next():
    payload = pack(hostile.reports_whether_a_module_is_imported, runs.instance)
    values = [events(run_supervised(payload, Job("a", 0, 10, seed, 0)))[0][1] for seed in range(2)]
    assert values == [0.0, 1.0]


def test_more_payloads_than_templates():
    payloads = [pack(lambda problem, seed, budget: [(1, problem)], [index]) for index in range(18)]
    pid = worker_pid()
    for payload in payloads + payloads[:3]:
        assert run_supervised(payload, Job("a", 0, 10, 4, 0)).status == "done"
    assert worker_pid() == pid


def is_alive(process):
    """Return whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
