"""The example that races HiGHS: its parts, and each of its programs for a moment."""

import doctest
import sys
from pathlib import Path

import pytest

from polarbear.algorithms import Recorder, record_run
from polarbear.configuration import prepare

FOLDER = Path(__file__).parents[2] / "examples" / "milp"


@pytest.fixture
def race(monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    return prepare(FOLDER / "race.toml", {"instances.arguments": {"items": 40, "constraints": 5}})


def test_it_is_a_race_of_four_programs_on_the_wall_clock(race):
    assert race.settings.clock == "seconds"
    assert len(race.algorithms) == 4
    assert race.instances(0, seed=7) == "40x5-7-0"


def test_every_program_reports_improvements(race):
    solvers = ("HiGHS", "HiGHS without presolve")
    best = {
        name: best_found(algorithm, race.instances(0, seed=7), until_it_ends=name in solvers)
        for name, algorithm in race.algorithms.items()
    }
    assert all(value < 0 for value in best.values()), best
    # An instance of this size is solved at once: the solvers agree, and nothing is better.
    assert best["HiGHS"] == pytest.approx(best["HiGHS without presolve"], rel=1e-4)
    assert min(best.values()) >= best["HiGHS"] - 1e-3 * abs(best["HiGHS"])


def best_found(algorithm, instance, *, until_it_ends):
    """The best value of one run, which gets more seconds on a machine too busy to start the program in four."""
    for seconds in (4.0, 30.0, 300.0):
        recorder = Recorder(seconds, "seconds")
        try:
            ended = record_run(algorithm, instance, 1, recorder)
        except ValueError:  # no value in this time
            continue
        if ended or not until_it_ends:
            return min(value for _, value in recorder.events())
    pytest.fail("the program reported nothing, or a solver did not end, within 300 seconds")


def test_documented_examples(race):
    import highs_log
    import knapsacks

    for module in (highs_log, knapsacks):
        tried = doctest.testmod(module)
        assert tried.attempted > 0
        assert tried.failed == 0
