import math
import threading
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from polarbear.algorithms.event_log import EventLog, read, reset
from polarbear.algorithms.recorder import BudgetReached, Recorder, number


def test_only_strict_improvements_are_kept():
    recorder = Recorder(100)
    for value in [3.0, 3.0, 4.0, math.inf, 2.0]:
        recorder.count()
        recorder.report(value)
    assert recorder.events() == [(1.0, 3.0), (5.0, 2.0)]


def test_higher_is_better_when_maximised():
    recorder = Recorder(100, maximise=True)
    for budget, value in [(1, 3.0), (2, 2.0), (3, -math.inf), (4, 5.0)]:
        recorder.report_at(budget, value)
    assert recorder.events() == [(1.0, 3.0), (4.0, 5.0)]


@pytest.mark.parametrize("maximise", [False, True])
def test_what_solvers_report_without_a_solution_hides_no_later_value(maximise):
    recorder = Recorder(100, maximise=maximise)
    for value in (1e20 if maximise else -1e20, 3.0, 4.0 if maximise else 2.0):
        recorder.count()
        recorder.report(value)
    assert [value for _, value in recorder.events()] == [3.0, 4.0 if maximise else 2.0]


def test_of_several_values_at_one_budget_the_best_is_kept():
    recorder = Recorder(100)
    for value in [3.0, 2.0, 2.5]:
        recorder.report_at(7, value)
    assert recorder.events() == [(7.0, 2.0)]


@pytest.mark.parametrize(("budget", "allowed"), [(3, 3), (3.9, 3), (0.5, 0)])
def test_the_budget_allows_whole_evaluations(budget, allowed):
    recorder = Recorder(budget)
    for _ in range(allowed):
        recorder.count()
    with pytest.raises(BudgetReached):
        recorder.count()
    assert (recorder.evaluations, recorder.allowed, recorder.exhausted) == (allowed, allowed, True)


def test_except_exception_does_not_catch_the_end_of_the_budget():
    assert not issubclass(BudgetReached, Exception)


def test_the_budget_ends_a_run_that_reports_later():
    recorder = Recorder(10)
    recorder.report_at(10, 1.0)
    with pytest.raises(BudgetReached):
        recorder.report_at(10.5, 0.0)
    assert recorder.events() == [(10.0, 1.0)]
    assert recorder.reached == 10


def test_seconds_pass_by_themselves(monkeypatch):
    clock = iter([0.0, 0.0, 1.0, 1.0, 2.5, 3.5])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    recorder = Recorder(3, "seconds")
    recorder.start()
    recorder.count()
    recorder.report(5.0)
    recorder.report(4.0)
    with pytest.raises(BudgetReached):
        recorder.report(3.0)
    assert recorder.events() == [(1.0, 5.0), (2.5, 4.0)]
    assert recorder.allowed is None


def test_nan_counts_as_an_evaluation_without_a_value():
    recorder = Recorder(10)
    for value in [math.nan, 2.0, np.float64("nan"), 1.0]:
        recorder.count()
        recorder.report(value)
    assert recorder.events() == [(2.0, 2.0), (4.0, 1.0)]
    assert recorder.not_a_number == 2


@pytest.mark.parametrize("maximise", [False, True])
def test_an_infinitely_good_value_is_refused(maximise):
    with pytest.raises(ValueError, match="nothing could ever be better"):
        Recorder(10, maximise=maximise).report_at(1, math.inf if maximise else -math.inf)


@pytest.mark.parametrize(
    ("budget", "message"),
    [(math.nan, "not negative"), (-1, "not negative"), (4, "do not go back, got 4 after 5"), ("3", "convert it")],
)
def test_impossible_budgets_are_refused(budget, message):
    recorder = Recorder(10)
    recorder.report_at(5, 1.0)
    with pytest.raises(ValueError, match=message):
        recorder.report_at(budget, 0.5)
    assert recorder.events() == [(5.0, 1.0)]


@pytest.mark.parametrize(
    "value",
    [2, 2.0, True + 1, np.float32(2), np.int64(2), np.array(2.0), np.array([2.0]), np.array([[2]]), 2 + 0j,
     np.complex128(2), Fraction(2), Decimal(2)],
)  # fmt: skip
def test_every_kind_of_single_number_is_accepted(value):
    result = number(value, "a value")
    assert type(result) is float
    assert result == 2.0


def test_a_whole_number_beyond_floats_is_infinite():
    assert number(10**400, "a value") == math.inf
    assert number(-(10**400), "a value") == -math.inf


@pytest.mark.parametrize("value", [None, "2", [2.0], (1, 2), np.array([1.0, 2.0]), np.array([]), 2 + 1j, object(), {}])
def test_anything_but_one_number_is_refused(value):
    with pytest.raises(ValueError, match="expected a value that is one number, got"):
        number(value, "a value")


@pytest.mark.parametrize(
    ("budget", "clock"), [(0, "seconds"), (-1, "seconds"), (math.nan, "evaluations"), (1, "hours")]
)
def test_impossible_recorders_are_refused(budget, clock):
    with pytest.raises(ValueError, match="expected"):
        Recorder(budget, clock)


def test_bare_values_need_the_wall_clock():
    with pytest.raises(ValueError, match="only with clock='seconds'"):
        Recorder(10).take(3.0)


def test_threads_count_together():
    recorder = Recorder(20_000)

    def work():
        for i in range(5_000):
            recorder.count()
            recorder.report(-float(i))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    budgets, values = zip(*recorder.events(), strict=True)
    assert recorder.evaluations == 20_000
    assert list(budgets) == sorted(set(budgets))
    assert list(values) == sorted(set(values), reverse=True)


def test_an_algorithm_that_ignores_the_end_is_given_up():
    given_up = []
    recorder = Recorder(1, give_up=lambda: given_up.append(True))
    recorder.count()
    for _ in range(10_001):
        with pytest.raises(BudgetReached):
            recorder.count()
    assert given_up == [True]


def test_a_closed_recorder_no_longer_writes_to_its_log():
    log = EventLog()
    recorder = Recorder(10, log=log)
    recorder.report_at(1, 5.0)
    recorder.close()
    for use in (recorder.count, lambda: recorder.report_at(2, 1.0)):
        with pytest.raises(BudgetReached):
            use()
    assert log.events() == [(1.0, 5.0)]


@pytest.mark.parametrize("shared", [False, True])
def test_the_log_grows(shared, tmp_path):
    with (tmp_path / "log").open("w+b") as file:
        log = EventLog(file.fileno() if shared else None)
        for i in range(50_000):
            log.add(i, -i)
        assert log.events() == [(i, -i) for i in range(50_000)]
        if shared:
            assert np.array_equal(
                np.frombuffer(read(file.fileno()).pairs).reshape(-1, 2), [(i, -i) for i in range(50_000)]
            )


def test_a_file_without_the_header_of_a_log_is_incomplete(tmp_path):
    with (tmp_path / "log").open("w+b") as file:
        assert read(file.fileno()) == (0.0, 0.0, False, b"", False)
        reset(file.fileno())
        assert read(file.fileno()) == (0.0, 0.0, False, b"", True)
