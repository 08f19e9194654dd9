"""The example that races HiGHS: its parts, and each of its programs until it has shown what it does."""

import doctest
import sys
from pathlib import Path

import pytest

from polarbear.algorithms import record_run
from polarbear.configuration import prepare
from tests.algorithms.waiting import WaitingRecorder

FOLDER = Path(__file__).parents[2] / "examples" / "milp"


@pytest.fixture
def race(monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    return prepare(FOLDER / "race.toml", {"instances.arguments": {"items": 25, "constraints": 5}})


def test_it_is_a_race_of_four_programs_on_the_wall_clock(race):
    assert race.settings.clock == "seconds"
    assert len(race.algorithms) == 4
    assert race.instances(0, seed=7) == "25x5-7-0"


def test_every_program_reports_improvements(race):
    best = {name: best_found(name, algorithm, race.instances(0, seed=7)) for name, algorithm in race.algorithms.items()}
    assert all(value < 0 for value in best.values()), best
    # An instance of this size is solved at once: the solvers agree, and nothing is better.
    assert best["HiGHS"] == pytest.approx(best["HiGHS without presolve"], rel=1e-4)
    assert min(best.values()) >= best["HiGHS"] - 1e-3 * abs(best["HiGHS"])


def best_found(name, algorithm, instance):
    """Return the best value of one run: a solver runs until it ends, a heuristic until its second value."""
    solver = name in ("HiGHS", "HiGHS without presolve")
    recorder = WaitingRecorder(lambda recorder: not solver and len(recorder.values) >= 2)
    assert record_run(algorithm, instance, 1, recorder) == solver, f"{name} reported {recorder.values}"
    assert solver or len(recorder.values) >= 2
    return min(recorder.values)


def test_documented_examples(race):
    import highs_log
    import knapsacks

    for module in (highs_log, knapsacks):
        tried = doctest.testmod(module)
        assert tried.attempted > 0
        assert tried.failed == 0
