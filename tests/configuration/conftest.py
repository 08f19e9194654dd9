"""A small configuration with a module of optimisers beside it."""

import sys
from textwrap import dedent

import pytest

OPTIMISERS = """
def random_search(objective, budget, rng, width=5):
    while True:
        objective(rng.uniform(-width, width, objective.dimension))


def climber(objective, budget, rng):
    x = rng.uniform(-5, 5, objective.dimension)
    best = objective(x)
    while True:
        y = x + rng.normal(0, 0.3, objective.dimension)
        if (value := objective(y)) < best:
            x, best = y, value


def halving(problem, seed, budget):
    for step in range(1, int(budget) + 1):
        yield step, 1 / step


def text(index, seed, prefix="p"):
    return f"{prefix}{index}"


not_a_function = 3
"""

RACE = """
[race]
seed = 1
confidence = 0.9

[grid]
start = 5
stop = 40
count = 4

[algorithms]
random = "own_optimisers:random_search"
climber = {function = "own_optimisers:climber"}

[instances]
generator = "polarbear.problems:MixedProblems"
arguments = {dimension = 2}
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes a race.toml, with a module of optimisers beside it, and returns its path."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "own_optimisers.py").write_text(OPTIMISERS)

    def write(text=RACE, name="race.toml"):
        path = tmp_path / name
        path.write_text(dedent(text))
        return path

    return write
