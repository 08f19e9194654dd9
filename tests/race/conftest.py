"""Fixtures that several files share: a finished race, and posteriors that a race infers whatever its runs."""

from itertools import chain, repeat

import pytest

import polarbear as pb
from polarbear.inference import fitting
from polarbear.race import loop
from tests.race.small import crossing_utilities, play_to_end, settings_of


@pytest.fixture(scope="session")
def finished_race():
    """A finished race in which some algorithms stop early: τ_A and drops leave gaps in the runs."""
    settings = settings_of(prior=pb.Dirichlet(), dominance="pointwise", batch=pb.AdaptiveBatch(4, 16))
    return play_to_end(loop.start(settings, "abcd"), crossing_utilities("abcd"), tuple("abcd"))


@pytest.fixture
def believe(monkeypatch):
    """Let the race infer the given posteriors one after the other, and then the last one again, whatever the runs."""

    def replace_fit(*posteriors):
        remaining = chain(posteriors, repeat(posteriors[-1]))
        monkeypatch.setattr(fitting, "fit", lambda *_, **__: next(remaining))

    return replace_fit
