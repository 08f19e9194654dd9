"""What cannot fit in memory is refused before anything is allocated; the default belief takes none until it is read."""

import tracemalloc

import numpy as np
import pytest

import polarbear as pb
from polarbear.inference import size

BUDGETS, ALGORITHMS, DRAWS = 60, 4, 1500


@pytest.fixture(scope="module")
def choices():
    rng = np.random.default_rng(3)
    noise = rng.normal(size=(30, 1, ALGORITHMS)) + rng.normal(size=(30, BUDGETS, ALGORITHMS)).cumsum(axis=1) / 12
    return pb.Choices.from_values(np.arange(ALGORITHMS) / 2 + noise, grid=np.arange(1, BUDGETS + 1))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"grid": pb.linear_grid(1, 1e6, 100_000)},
            "100,000 budgets, 2 algorithms or more, 4,000 draws, which need 19.2 GB; use",
        ),
        ({"draws": 10**9}, "expected at most 1,000,000 draws, got 1,000,000,000"),
        (
            {"prior": pb.HilbertSpaceGP(basis=10**8)},
            "and 100,000,000 basis functions, which need 3,200 GB; use fewer budgets, b",
        ),
        ({"prior": pb.BSpline(basis=10**8)}, "and 100,000,000 basis functions"),
        ({"prior": pb.RandomWalk(), "draws": 10**6, "grid": pb.linear_grid(1, 1000, 500)}, "which need 32 GB"),
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
    names, grid = [f"a{i}" for i in range(400)], pb.linear_grid(1, 1000, 1000)
    with pytest.raises(ValueError, match=r"got 1,000 budgets, 400 algorithms, 4,000 draws, which need 38\.4 GB"):
        pb.Race(names, None, grid, path=tmp_path / "my.race")
    assert not (tmp_path / "my.race").exists()


def test_the_estimate_of_memory_holds(choices):
    pb.relations(pb.fit(choices, draws=100))  # imports
    tracemalloc.start()
    posterior = pb.fit(choices, draws=DRAWS)
    pb.relations(posterior)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    numbers = BUDGETS * ALGORITHMS * DRAWS
    assert 0.5 < peak / (size._BOOTSTRAP_BYTES * numbers) < 1.5


def test_fitting_the_default_belief_takes_no_memory_for_draws(choices):
    pb.fit(choices, draws=100)  # imports
    tracemalloc.start()
    posterior = pb.fit(choices, draws=500_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert posterior.draws == 500_000
    assert peak < 20e6


def test_the_expected_seconds_grow_with_the_number_of_pairs():
    seconds = [size.expected_seconds(budgets=50, algorithms=n, instances=200) for n in (4, 10, 60, 200)]
    assert seconds[0] < 0.1
    assert seconds[1] / seconds[0] == pytest.approx(45 / 6)
    assert seconds[2] < size.ANNOUNCED_SECONDS < seconds[3]
