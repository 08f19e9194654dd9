"""Valid settings, and the messages for invalid ones."""

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


def test_the_default_settings():
    settings = Settings(grid=GRID)
    assert isinstance(settings.grid, Grid)
    assert (settings.dominance, settings.until) == ("pointwise", "set")
    assert (settings.confidence, settings.margin) == (0.95, 0.05)
    assert settings.prior == BayesianBootstrap()
    assert (settings.failure, settings.clock, settings.maximise) == ("last", "evaluations", False)


@pytest.mark.parametrize("dominance", ["joint", "pointwise"])
@pytest.mark.parametrize("until", ["set", "pairs", "every-budget"])
def test_dominance_and_until_combine_freely(dominance, until):
    settings = Settings(grid=GRID, prior=RandomWalk(), dominance=dominance, until=until)
    assert (settings.dominance, settings.until) == (dominance, until)


@pytest.mark.parametrize("prior", [Dirichlet(), HierarchicalDirichlet()])
@pytest.mark.parametrize("until", ["pairs", "every-budget"])
def test_joint_dominance_under_independent_priors_is_refused(prior, until):
    with pytest.raises(
        ValueError, match="compares algorithms at all budgets at once; expected a prior with"
    ) as refused:
        Settings(grid=GRID, prior=prior, until=until, dominance="joint")
    for word in ("pointwise", "BayesianBootstrap()", "RandomWalk()", type(prior).__name__):
        assert word in str(refused.value)
    assert Settings(grid=GRID, prior=prior, until=until, dominance="pointwise").prior == prior


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"dominance": "both"}, "expected dominance to be one of 'joint', 'pointwise', got 'both'"),
        ({"until": "loose"}, "expected until to be one of 'set', 'pairs', 'every-budget', got 'loose'"),
        ({"clock": "minutes"}, "expected clock to be one of 'evaluations', 'seconds', got 'minutes'"),
        ({"failure": "ignore"}, "expected failure to be one of 'last', 'missing', 'raise', got 'ignore'"),
        ({"confidence": 0.5}, "expected confidence as a number above 0.5 and at most 1, got 0.5"),
        ({"confidence": 1.01}, "expected confidence as a number above 0.5 and at most 1, got 1.01"),
        ({"confidence": "0.9"}, "expected confidence as a number above 0.5 and at most 1, got '0.9'"),
        ({"margin": "small"}, r"expected margin as a number at least 0 and below 0.5, got 'small'"),
        ({"confidence": float("nan")}, "expected confidence as a number above 0.5 and at most 1, got nan"),
        ({"margin": 0.5}, r"expected margin as a number at least 0 and below 0.5, got 0.5"),
        ({"margin": -0.01}, r"expected margin as a number at least 0 and below 0.5, got -0.01"),
        ({"batch": 8}, r"expected batch as AdaptiveBatch\(8, 128\), FixedBatch\(10\) or similar, got 8"),
        ({"seed": -1}, "expected seed as a whole number at least 0, got -1"),
        ({"seed": 1.5}, "expected seed as a whole number at least 0, got 1.5"),
        ({"grid": [3, 2, 1]}, "(?i)increas"),
        ({"grid": []}, "at least one"),
        ({"grid": [0, 1, 2]}, "expected a grid that begins above 0, got 0 as its first budget"),
        ({"prior": Dirichlet}, "expected a prior such as .* did you forget the parentheses"),
        ({"method": "magic"}, "expected method to be one of 'auto', .*; got 'magic'"),
        ({"prior": RandomWalk(), "method": "gibbs"}, "expected a Dirichlet prior with method='gibbs'"),
        ({"method": "gibbs"}, "expected method='auto' with BayesianBootstrap.*; use method='auto'"),
        ({"draws": 20, "confidence": 0.9}, "expected a whole number of at least 100 for draws, got 20"),
        (
            {"grid": [5], "prior": RandomWalk()},
            "at least two budgets.* RandomWalk|RandomWalk .*at least two",
        ),
        (
            {"draws": 100, "confidence": 0.995},
            "expected enough draws to distinguish a probability of 0.995 from certainty, got 100; use",
        ),
    ],
)
def test_invalid_settings_are_refused(change, words):
    with pytest.raises(ValueError, match=words):
        Settings(**{"grid": GRID, **change})


def test_settings_are_immutable_values():
    first = Settings(grid=log_grid(1, 100, 4), batch=FixedBatch(4), prior=RandomWalk())
    assert first == Settings(grid=log_grid(1, 100, 4), batch=FixedBatch(4), prior=RandomWalk())
    assert dataclasses.replace(first, confidence=0.9) != first
    with pytest.raises(dataclasses.FrozenInstanceError):
        first.confidence = 0.5
