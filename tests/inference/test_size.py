"""What cannot fit in memory is refused before anything is allocated; very large problems get fewer draws, and say so."""

import tracemalloc

import numpy as np
import pytest

import polarbear as pb
from polarbear.inference import fitting, size

TIMES, ALGORITHMS, DRAWS = 60, 4, 1500


@pytest.fixture(scope="module")
def choices():
    rng = np.random.default_rng(3)
    noise = rng.normal(size=(30, 1, ALGORITHMS)) + rng.normal(size=(30, TIMES, ALGORITHMS)).cumsum(axis=1) / 12
    return pb.Choices.from_values(np.arange(ALGORITHMS) / 2 + noise, grid=np.arange(1, TIMES + 1))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"grid": pb.log_grid(1, 1e6, 100_000)},
            "100,000 times, 2 algorithms or more, 1,000 draws, which need 4.8 GB; use",
        ),
        ({"draws": 10**9}, "expected at most 1,000,000 draws, got 1,000,000,000"),
        (
            {"prior": pb.HilbertSpaceGP(basis=10**8)},
            "and 100,000,000 basis functions, which need 3,200 GB; use fewer times, b",
        ),
        ({"prior": pb.BSpline(basis=10**8)}, "and 100,000,000 basis functions"),
        ({"prior": pb.RandomWalk(), "draws": 10**6, "grid": pb.log_grid(1, 100, 500)}, "which need 32 GB"),
    ],
)
def test_settings_that_cannot_fit_in_memory_are_refused_before_anything_is_allocated(changes, message):
    tracemalloc.start()
    with pytest.raises(ValueError, match=message):
        pb.Settings(**{"grid": pb.log_grid(1, 100, 30), **changes})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6


def test_a_race_of_too_many_algorithms_is_refused_before_its_file_exists(tmp_path):
    names, grid = [f"a{i}" for i in range(400)], pb.log_grid(1, 1000, 1000)
    with pytest.raises(ValueError, match=r"got 1,000 times, 400 algorithms, 1,000 draws, which need 9\.6 GB"):
        pb.Race(names, None, grid, path=tmp_path / "my.race")
    assert not (tmp_path / "my.race").exists()


def test_the_estimate_of_memory_holds(choices):
    pb.fit(choices, draws=100)  # imports
    tracemalloc.start()
    posterior = pb.fit(choices, draws=DRAWS)
    pb.relations(posterior)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    numbers = TIMES * ALGORITHMS * DRAWS
    assert 0.5 < peak / (size._BOOTSTRAP_BYTES * numbers) < 1.5


def test_a_very_large_problem_gets_fewer_draws_that_agree_with_all_of_them(choices, monkeypatch):
    exact = pb.fit(choices, draws=DRAWS)
    assert len(exact.ratings) == DRAWS
    assert "fewer" not in exact.diagnostics.message
    monkeypatch.setattr(
        size, "_MOST_NUMBERS", TIMES * ALGORITHMS * 10
    )  # as if the problem were a hundred times as large
    fewer = pb.fit(choices, draws=DRAWS)
    assert len(fewer.ratings) == size.ENOUGH_DRAWS
    assert "1000 independent draws" in fewer.diagnostics.message
    assert "fewer than the 1500 requested" in fewer.diagnostics.message
    assert "a probability of 95 % has a standard error of 0.7 points" in fewer.diagnostics.message
    # Two shares of 1000 and 1500 draws: standard error at most 0.5 sqrt(1/1000 + 1/1500) = 0.02; the largest of 360, 4 of it
    assert np.abs(pb.dominance(fewer) - pb.dominance(exact)).max() < 0.08
    assert np.abs(fewer.summary().mean - exact.summary().mean).max() < 0.02


def test_usual_problems_get_all_draws():
    def made(times, algorithms):
        return size.affordable_draws(pb.BayesianBootstrap(), 4000, times=times, algorithms=algorithms)

    assert made(50, 32) == made(100, 20) == made(750, 4) == 4000
    assert (made(50, 60), made(2000, 4), made(2000, 20)) == (1129, 1500, 1000)
    assert size.affordable_draws(pb.RandomWalk(), 4000, times=2000, algorithms=20) == 4000


def test_a_long_fit_is_announced_and_a_short_one_is_not(choices, monkeypatch, caplog):
    caplog.set_level("WARNING", "polarbear")  # a command with --quiet in this process may have raised it
    pb.fit(choices, draws=100)
    assert caplog.messages == []
    monkeypatch.setattr(fitting, "ANNOUNCED_SECONDS", 0.0)
    pb.fit(choices, draws=100)
    (message,) = caplog.messages
    assert message.startswith("Inferring the posterior of 4 algorithms at 60 times from 30 instances takes about ")
    larger = [
        size.expected_seconds(pb.BayesianBootstrap(), 4000, times=t, algorithms=n, instances=p)
        for t, n, p in [(50, 10, 100), (50, 60, 200), (50, 200, 200)]
    ]
    assert larger[0] < fitting.ANNOUNCED_SECONDS + 10 < larger[1] < larger[2]
