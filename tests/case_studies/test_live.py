"""Races with the real modular CMA-ES on the real MA-BBOB and GP-BBOB, small."""

import importlib.util
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import polarbear as pb
from case_studies.ma_bbob.live import race_live
from case_studies.optimisers import matrix_variants, require_optimisers, step_size_variants

needs_optimisers = pytest.mark.skipif(
    any(importlib.util.find_spec(package) is None for package in ("ioh", "modcma")),
    reason="ioh and modcma are not installed; `make bbob` adds them where there are wheels",
)
ROOT = Path(__file__).parents[2]


def sphere(dimension):
    class Sphere:
        bounds = ((-5.0, 5.0),) * dimension

        def __call__(self, x):
            return float(((np.asarray(x) - 1.5) ** 2).sum())

    return Sphere()


def test_without_the_packages_it_says_how_to_get_them(monkeypatch):
    monkeypatch.setitem(sys.modules, "ioh", None)
    with pytest.raises(ImportError, match=r"pip install 'polarbear\[bbob\]'"):
        require_optimisers()


def test_random_search_stays_within_the_bounds_and_ends_at_the_budget():
    seen = []

    def remembered(x):
        seen.append(x)
        return float(np.sum(x))

    remembered.bounds = [(-5.0, 5.0), (0.0, 1.0)]
    step_size_variants()["RS"](remembered, seed=1, until=300)
    points = np.array(seen)
    assert points.shape == (300, 2)
    assert (points.min(axis=0) >= [-5, 0]).all()
    assert (points.max(axis=0) <= [5, 1]).all()
    assert points[:, 0].max() > 4
    assert points[:, 1].max() > 0.9


@needs_optimisers
@pytest.mark.parametrize("variants", [step_size_variants, matrix_variants])
def test_every_variant_solves_a_sphere_the_same_way_each_time(variants):
    for name, algorithm in variants().items():
        first = algorithm(sphere(5), seed=3, until=1500)
        step_size_variants()["CSA"](sphere(3), seed=8, until=77)  # an odd number of normals in between
        assert algorithm(sphere(5), seed=3, until=1500) == first, name
        assert algorithm(sphere(5), seed=4, until=1500) != first, name
        # The centre has 11.25; random search and two slow rules get only a little below.
        assert first[-1][1] < (8.0 if name in ("RS", "LPXNES", "NAT") else 0.5), name


@needs_optimisers
def test_a_run_is_the_beginning_of_a_longer_one():
    for name, algorithm in step_size_variants().items():
        short, long = (algorithm(sphere(4), seed=5, until=until) for until in (200, 900))
        assert long[: len(short)] == short, name


@needs_optimisers
def test_a_small_live_race(tmp_path):
    grid = pb.log_grid(20, 1500, 12)
    result = race_live(tmp_path / "small.race", grid, workers=2, dimension=5, max_instances=16)
    assert not result.failures
    assert "RS" not in result.pareto_set
    assert result.eliminations[0].name == "RS"


@needs_optimisers
def test_a_killed_race_goes_on_to_the_same_end(tmp_path):
    code = (
        "import sys; from pathlib import Path; import polarbear as pb; from case_studies.ma_bbob.live import race_live\n"
        "if __name__ == '__main__':\n"
        "    result = race_live(Path(sys.argv[1]), pb.log_grid(20, 1000, 8), workers=1, dimension=5, max_instances=16)\n"
        "    print([(each.name, each.instances) for each in result.eliminations], result.pareto_set, result.cost)\n"
    )
    whole = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "whole.race"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    killed = tmp_path / "killed.race"
    process = subprocess.Popen(
        [sys.executable, "-c", code, killed], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while process.poll() is None and not (killed.exists() and _runs(killed) >= 20):
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert 20 <= _runs(killed) < 16 * 7
    again = subprocess.run([sys.executable, "-c", code, killed], cwd=ROOT, capture_output=True, text=True, check=True)
    assert again.stdout == whole


def _runs(path):
    import sqlite3

    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
            return connection.execute("SELECT COUNT(*) FROM run").fetchone()[0]
    except sqlite3.OperationalError:  # not made yet
        return 0
