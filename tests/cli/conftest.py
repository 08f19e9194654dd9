import json
import sys

import pytest
from typer.testing import CliRunner

from polarbear.cli.commands import app

RACE = """
[race]
file = "my.race"
seed = 1
confidence = 0.9
rope = 0.15
prior = "RandomWalk"

[grid]
start = 5
stop = 60
count = 5

[algorithms]
random = "cli_optimisers:random_search"
climber = "cli_optimisers:climber"
poor = "cli_optimisers:poor"

[instances]
generator = "polarbear.problems:MixedProblems"
arguments = {dimension = 2}

[limits]
instances = 400

[execution]
workers = 1
"""

OPTIMISERS = """
def random_search(objective, budget, rng):
    while True:
        objective(rng.uniform(-5, 5, objective.dimension))


def climber(objective, budget, rng):
    x = rng.uniform(-5, 5, objective.dimension)
    best = objective(x)
    while True:
        y = x + rng.normal(0, 0.5, objective.dimension)
        if (value := objective(y)) < best:
            x, best = y, value


def poor(objective, budget, rng):
    while True:
        objective(rng.uniform(4.5, 5, objective.dimension))


def faulty(objective, budget, rng):
    objective([0.0] * objective.dimension)
    raise ZeroDivisionError("the optimiser's own fault")
"""


class Said:
    """What a command did."""

    def __init__(self, result):
        self.code, self.out, self.err = result.exit_code, result.stdout, result.stderr
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception

    @property
    def data(self):
        return json.loads(self.out)


@pytest.fixture
def polarbear(monkeypatch):
    """Runs a command in this process."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    return lambda *arguments: Said(CliRunner().invoke(app, [str(each) for each in arguments]))


def write_race(folder, text=RACE):
    folder.mkdir(exist_ok=True)
    (folder / "cli_optimisers.py").write_text(OPTIMISERS)
    (folder / "race.toml").write_text(text)
    return folder / "race.toml"


@pytest.fixture
def race_toml(tmp_path):
    """A configuration with a module beside it."""
    return write_race(tmp_path)


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A race that has ended by itself: its file."""
    folder = tmp_path_factory.mktemp("finished")
    result = CliRunner().invoke(app, ["race", str(write_race(folder)), "--quiet"])
    assert result.exit_code == 0, result.stderr
    return folder / "my.race"
