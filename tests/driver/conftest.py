"""Fixtures of all races with real runs: one local worker, and one finished race."""

import pytest

import polarbear as pb
from tests.driver.races import race_of, run_quietly


@pytest.fixture(scope="session")
def local():
    with pb.LocalExecutor(workers=1) as executor:
        yield executor


@pytest.fixture(scope="session")
def finished(local, tmp_path_factory):
    """The path and the result of a finished race; tests copy the file."""
    path = tmp_path_factory.mktemp("finished") / "my.race"
    with race_of(path=path) as race:
        result = run_quietly(race, local)
    assert result.finished
    assert len(result.rounds) > 3  # tests compare with its first rounds
    return path, result


@pytest.fixture
def copied(finished, tmp_path):
    """A copy of the file of the finished race."""
    with pb.RaceFile.open(finished[0], write=False) as file:
        file.copy_to(tmp_path / "copy.race")
    return tmp_path / "copy.race"
