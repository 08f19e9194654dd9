"""A race that several files look at."""

import pytest

import polarbear as pb
from polarbear.race import loop
from tests.race.small import crossing_utilities, finished, settings_of


@pytest.fixture(scope="session")
def raced():
    """A finished race in which some stopped early: τ_A and eliminations have left gaps in the runs."""
    settings = settings_of(prior=pb.Dirichlet(), elimination="pointwise", batch=pb.AdaptiveBatch(4, 16))
    return finished(loop.start(settings, "abcd"), crossing_utilities("abcd"), tuple("abcd"))
