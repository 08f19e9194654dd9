"""What may be asked for, and what is refused with a sentence that says what to do."""

import dataclasses

import pytest

from polarbear import (
    BayesianBootstrap,
    Dirichlet,
    FixedBatch,
    Grid,
    HierarchicalDirichlet,
    RandomWalk,
    Settings,
    log_grid,
)

GRID = [1, 10, 100]


def test_the_defaults():
    settings = Settings(grid=GRID)
    assert isinstance(settings.grid, Grid)
    assert (settings.elimination, settings.resolution) == ("pointwise", "membership")
    assert (settings.confidence, settings.rope) == (0.99, 0.05)
    assert settings.prior == BayesianBootstrap()
    assert (settings.failure, settings.clock, settings.maximise) == ("last", "evaluations", False)


@pytest.mark.parametrize("elimination", ["joint", "pointwise"])
@pytest.mark.parametrize("resolution", ["membership", "crossing", "strict"])
def test_all_combinations(elimination, resolution):
    settings = Settings(grid=GRID, prior=RandomWalk(), elimination=elimination, resolution=resolution)
    assert (settings.elimination, settings.resolution) == (elimination, resolution)


@pytest.mark.parametrize("prior", [Dirichlet(), HierarchicalDirichlet()])
@pytest.mark.parametrize("resolution", ["crossing", "strict"])
def test_joint_elimination_under_independent_priors_is_refused(prior, resolution):
    with pytest.raises(ValueError, match="elimination='joint' asks who is better at all times at once") as refused:
        Settings(grid=GRID, prior=prior, resolution=resolution, elimination="joint")
    for word in ("pointwise", "BayesianBootstrap()", "RandomWalk()", type(prior).__name__):
        assert word in str(refused.value)
    assert Settings(grid=GRID, prior=prior, resolution=resolution, elimination="pointwise").prior == prior


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"elimination": "both"}, "elimination must be one of 'joint', 'pointwise'; got 'both'"),
        ({"resolution": "loose"}, "resolution must be one of 'membership', 'crossing', 'strict'; got 'loose'"),
        ({"clock": "minutes"}, "clock must be one of 'evaluations', 'seconds'; got 'minutes'"),
        ({"failure": "ignore"}, "failure must be one of 'last', 'missing', 'raise'; got 'ignore'"),
        ({"confidence": 0.5}, "confidence must lie between 0.5 and 1, got 0.5"),
        ({"confidence": 1.0}, "confidence must lie between 0.5 and 1, got 1.0"),
        ({"confidence": float("nan")}, "confidence must lie between 0.5 and 1, got nan"),
        ({"rope": 0.5}, r"rope must lie in \[0, 0.5\), got 0.5"),
        ({"rope": -0.01}, r"rope must lie in \[0, 0.5\), got -0.01"),
        ({"batch": 8}, r"batch must be AdaptiveBatch\(8, 128\) or FixedBatch\(10\), or alike; got 8"),
        ({"seed": -1}, "seed must be a whole number of at least 0, got -1"),
        ({"seed": 1.5}, "seed must be a whole number of at least 0, got 1.5"),
        ({"grid": [3, 2, 1]}, "(?i)increas"),
        ({"grid": []}, "at least one"),
        ({"grid": [0, 1, 2]}, "the grid of a race must begin above 0, since nothing can be run until 0"),
        ({"prior": Dirichlet}, "expected a prior such as .* did you forget the parentheses"),
        ({"method": "magic"}, "method must be one of 'auto', .*; got 'magic'"),
        ({"prior": RandomWalk(), "method": "gibbs"}, "method='gibbs' needs a Dirichlet prior"),
        ({"method": "gibbs"}, "BayesianBootstrap draws its posterior directly, .*; use method='auto'"),
        ({"draws": 20, "confidence": 0.9}, "draws must be a whole number of at least 100, got 20"),
        (
            {"grid": [5], "prior": RandomWalk()},
            "RandomWalk shares information over time and needs at least two",
        ),
        ({"draws": 100, "confidence": 0.995}, "100 draws cannot tell a probability of 0.995 from certainty"),
    ],
)
def test_what_makes_no_sense_is_refused(change, words):
    with pytest.raises(ValueError, match=words):
        Settings(**{"grid": GRID, **change})


def test_settings_are_values():
    first = Settings(grid=log_grid(1, 100, 4), batch=FixedBatch(4), prior=RandomWalk())
    assert first == Settings(grid=log_grid(1, 100, 4), batch=FixedBatch(4), prior=RandomWalk())
    assert dataclasses.replace(first, confidence=0.9) != first
    with pytest.raises(dataclasses.FrozenInstanceError):
        first.confidence = 0.5
