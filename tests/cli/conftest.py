"""A small race of three optimisers, run once for all tests, and a fixture that runs commands in this process."""

import json
import sys
from functools import cache

import pytest
import typer
from typer.testing import CliRunner

import polarbear as pb
from polarbear.cli.commands import app

# Otherwise every command that a test runs would build all commands anew from their signatures.
typer.testing._get_command = cache(typer.main.get_command)

RACE = """
[race]
file = "my.race"
seed = 1
confidence = 0.9
margin = 0.15
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

# `poor` waits while a file `wait` lies beside it, so that a test can stop a race in the middle of its first round.
OPTIMISERS = """
import time
from pathlib import Path


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
    while Path(__file__).with_name("wait").exists():
        time.sleep(0.01)
    while True:
        objective(rng.uniform(4.5, 5, objective.dimension))


def faulty(objective, budget, rng):
    objective([0.0] * objective.dimension)
    raise ZeroDivisionError("the optimiser's own fault")
"""


class Outcome:
    """The exit code and the output of a command."""

    def __init__(self, result):
        self.code, self.out, self.err = result.exit_code, result.stdout, result.stderr
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception

    @property
    def data(self):
        return json.loads(self.out)


def run_command(*arguments):
    return Outcome(CliRunner().invoke(app, [str(each) for each in arguments]))


@pytest.fixture
def polarbear(monkeypatch):
    """Runs a command in this process."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    return run_command


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
def finished_outcome(tmp_path_factory):
    """The output of a race that is finished, and its file."""
    folder = tmp_path_factory.mktemp("finished")
    outcome = run_command("race", write_race(folder))
    assert outcome.code == 0, outcome.err
    return outcome, folder / "my.race"


@pytest.fixture(scope="session")
def finished(finished_outcome):
    """The file of a race that is finished."""
    return finished_outcome[1]


@pytest.fixture(scope="session")
def saved(finished, tmp_path_factory):
    """The result of the finished race in a file."""
    path = tmp_path_factory.mktemp("saved") / "study.npz"
    assert run_command("show", finished, "--save", path).code == 0
    return path


@pytest.fixture(scope="session")
def posterior(finished, tmp_path_factory):
    """The posterior of the finished race in a file, without its runs."""
    path = tmp_path_factory.mktemp("posterior") / "posterior.npz"
    with pb.Race.open(finished) as race:
        race.outcome.posterior.save(path)
    return path


def data_of(file):
    """What `show` states about a file as data."""
    outcome = run_command("show", file, "--json")
    assert outcome.code == 0, outcome.err
    return outcome.data
