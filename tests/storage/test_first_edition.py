"""Races and posteriors that the first edition wrote can still be read and continued (see first_edition/README.md)."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import polarbear as pb
from tests.driver.races import journal
from tests.race.live_algorithms import GRID, four, instance

FOLDER = Path(__file__).parent / "first_edition"


@pytest.fixture
def path(tmp_path):
    """A copy of the race, since opening a race file may write beside it."""
    return Path(shutil.copy(FOLDER / "unfinished.race", tmp_path / "unfinished.race"))


def assert_first_rounds_are_stored_ones(rounds):
    assert [each.instances for each in rounds[:3]] == [tuple(range(first, first + 8)) for first in (0, 8, 16)]
    assert [[(loser.name, loser.by, loser.probability) for loser in each.eliminated] for each in rounds[:3]] == [
        [("poor", "early", 1.0)],
        [],
        [],
    ]
    assert [each.open for each in rounds[:3]] == [
        (("early", "middle", (2, 3)), ("late", "middle", (0, 1))),
        (("early", "middle", (2, 3)), ("late", "middle", (0, 1))),
        (("early", "middle", (2, 3)),),
    ]
    assert [dict(each.threat)["middle"] for each in rounds[:3]] == [0.17, 0.389, 0.147]


def test_a_race_opens_with_its_recorded_decisions(path):
    with pb.RaceFile.open(path, write=False) as file:
        assert file.about["settings"]["calibration"] == "auto"  # a setting that no longer exists
    with pb.Race.open(path) as race:
        settings, result = race.state.settings, race.result
    rule = {"elimination": "joint", "resolution": "crossing", "confidence": 0.99}
    assert settings == pb.Settings(grid=GRID, prior=pb.BSpline(), seed=3, **rule)
    assert not result.finished
    assert result.instances == 24
    assert_first_rounds_are_stored_ones(result.rounds)
    assert result.pareto_set == ("early", "late", "middle")
    assert [(each.name, each.by, each.round, each.instances) for each in result.eliminations] == [
        ("poor", "early", 1, 8)
    ]
    assert len(result.runs) == 4 * 8 + 3 * 16


def test_a_race_is_continued_with_its_own_prior(path):
    before = journal(path)
    with (
        pb.LocalExecutor(workers=1) as executor,
        pb.Race.open(path, algorithms=four(), instances=instance) as race,
    ):
        result = race.run(executor, progress="none", max_instances=32)
    assert len(result.rounds) == 4
    assert result.rounds[3].instances == tuple(range(24, 32))
    assert_first_rounds_are_stored_ones(result.rounds)
    assert result.rounds[3].reliable
    assert {"early", "late"} <= set(result.pareto_set)
    assert journal(path)[:3] == before
    with pb.Race.open(path) as race:
        assert race.result.rounds == result.rounds


def test_a_race_is_continued_with_another_prior(path):
    with (
        pb.LocalExecutor(workers=1) as executor,
        pb.Race.open(path, algorithms=four(), instances=instance, prior=pb.BayesianBootstrap()) as race,
    ):
        result = race.run(executor, progress="none", max_instances=32)
    (changed,) = journal(path, kinds=("settings",))
    assert json.loads(changed)["prior"]["is"] == "BayesianBootstrap"
    assert "BayesianBootstrap" in result.posterior.prior
    assert {"early", "late"} <= set(result.pareto_set)


@pytest.mark.parametrize("name", ["all_draws", "short"])
def test_a_posterior_loads_and_answers(name):
    posterior = pb.Posterior.load(FOLDER / f"{name}.npz")
    assert posterior.ratings.shape == (100, 4, 4)
    assert np.isfinite(posterior.ratings).all()
    np.testing.assert_allclose(posterior.ratings.sum(axis=2), 1, atol=1e-4)
    assert posterior.joint
    assert posterior.diagnostics.reliable
    assert posterior.outcomes is None
    assert posterior.comparisons is None
    assert posterior.observed.all()
    beats = pb.dominance(posterior)
    early, late, poor = (posterior.names.index(each) for each in ("early", "late", "poor"))
    assert beats[0, early, late] > 0.99
    assert beats[-1, early, late] < 0.01
    assert (beats[:, early, poor] > 0.99).all()
    assert pb.select(posterior, pb.At(1)).recommendation == "early"
    assert pb.select(posterior, pb.Final()).recommendation == "late"


def test_a_posterior_that_is_saved_again_stays_the_same(tmp_path):
    posterior = pb.Posterior.load(FOLDER / "all_draws.npz")
    posterior.save(tmp_path / "again.npz")
    np.testing.assert_array_equal(pb.Posterior.load(tmp_path / "again.npz").ratings, posterior.ratings)
