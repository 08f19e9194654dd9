"""Small races with modular CMA-ES on MA-BBOB."""

import importlib.util
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from case_studies.optimisers import matrix_variants, require_optimisers, step_size_variants
from polarbear.storage import RaceFile

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


def test_without_the_packages_the_error_says_how_to_install_them(monkeypatch):
    monkeypatch.setitem(sys.modules, "ioh", None)
    with pytest.raises(ImportError, match=r"pip install 'polarbear-anytime\[bbob\]'"):
        require_optimisers()


def test_random_search_stays_within_the_bounds_and_ends_at_the_budget():
    evaluated = []

    def problem(x):
        evaluated.append(x)
        return float(np.sum(x))

    problem.bounds = [(-5.0, 5.0), (0.0, 1.0)]
    step_size_variants()["RS"](problem, seed=1, budget=300)
    points = np.array(evaluated)
    assert points.shape == (300, 2)
    assert (points.min(axis=0) >= [-5, 0]).all()
    assert (points.max(axis=0) <= [5, 1]).all()
    assert points[:, 0].max() > 4
    assert points[:, 1].max() > 0.9


@needs_optimisers
@pytest.mark.parametrize("variants", [step_size_variants, matrix_variants])
def test_every_variant_solves_a_sphere_the_same_way_each_time(variants):
    for name, algorithm in variants().items():
        first = algorithm(sphere(5), seed=3, budget=1500)
        step_size_variants()["CSA"](sphere(3), seed=8, budget=77)  # an odd number of normals in between
        assert algorithm(sphere(5), seed=3, budget=1500) == first, name
        assert algorithm(sphere(5), seed=4, budget=1500) != first, name
        # The centre has 11.25; random search and two slow rules get only a little below.
        assert first[-1][1] < (8.0 if name in ("RS", "LPXNES", "NAT") else 0.5), name


@needs_optimisers
def test_a_run_is_the_beginning_of_a_longer_one():
    for name, algorithm in step_size_variants().items():
        short, long = (algorithm(sphere(4), seed=5, budget=budget) for budget in (200, 900))
        assert long[: len(short)] == short, name


RACE = """
import os, signal, sys
from pathlib import Path

import polarbear as pb
from case_studies.ma_bbob import live
from polarbear.storage import RaceFile

path, runs_until_killed = Path(sys.argv[1]), int(sys.argv[2])
add_run, stored = RaceFile.add_run, []

def add_run_or_die(file, run, job):
    add_run(file, run, job)
    stored.append(job)
    if len(stored) == runs_until_killed:
        os.kill(os.getpid(), signal.SIGKILL)

RaceFile.add_run = add_run_or_die
# Two variants are enough; each takes seconds to import its packages.
all_variants = live.step_size_variants
live.step_size_variants = lambda: {name: all_variants()[name] for name in ("CSA", "RS")}
if __name__ == "__main__":
    result = live.race_live(path, pb.log_grid(100, 300, 4), workers=1, dimension=3, max_instances=12)
    eliminations = [(each.name, each.instances) for each in result.drops]
    print(eliminations, result.kept, result.cost, result.failures)
"""


def run_race(path, *, runs_until_killed=0):
    command = [sys.executable, "-c", RACE, path, str(runs_until_killed)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@needs_optimisers
def test_a_killed_race_continues_to_the_same_result(tmp_path):
    killed = run_race(tmp_path / "killed.race", runs_until_killed=10)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    with RaceFile.open(tmp_path / "killed.race", write=False) as file:
        assert len(file.runs()) == 10
    continued, whole = run_race(tmp_path / "killed.race"), run_race(tmp_path / "whole.race")
    assert continued.returncode == 0, continued.stderr
    assert continued.stdout == whole.stdout
    assert whole.stdout.startswith("[('RS', 12)")  # random search is eliminated first
    assert whole.stdout.endswith(" ()\n")  # no failures
