"""What the studies measure is right by hand and in simulations: errors against the truth, estimates."""

from dataclasses import replace

import numpy as np
import pytest

import polarbear as pb
from polarbear.calibration import coverage, races
from polarbear.calibration.beliefs import prior_of
from polarbear.calibration.coverage import CoverageCell, measure_coverage
from polarbear.calibration.matching import estimate_autocorrelation, estimate_spread
from polarbear.calibration.races import RaceCell, simulate_race
from polarbear.calibration.rank_tests import drop_by_rank_tests
from polarbear.calibration.simulator import Simulator
from polarbear.calibration.truths import TRUTHS, draw_instance_utilities, draw_truth, true_win_rates


def test_intervals_and_claims_are_compared_with_the_truth():
    """Exact by hand: two draws decide what is claimed, and the truth lies within one of the two intervals."""
    grid, names = pb.as_grid([1.0]), ("a", "b", "c")
    diagnostics = pb.Diagnostics("known", reliable=True, message="", effective_draws=1)
    ratings = np.array([[[0.6, 0.3, 0.1]], [[0.5, 0.4, 0.1]]])
    posterior = pb.Posterior(ratings, names, grid, True, diagnostics, "", 1)
    truth = np.array([[[0.5, 0.6, 0.2], [0.4, 0.5, 0.9], [0.8, 0.1, 0.5]]])
    found = coverage.compare_win_rates(posterior, truth)
    # Win rates of the draws: a over b 0.67 and 0.56, a over c 0.86 and 0.83, b over c 0.75 and 0.8.
    assert found["coverage"] == pytest.approx(1 / 3)
    assert found["log_score"] == pytest.approx((2 * np.log(0.75) + np.log(0.25)) / 3)
    assert (found["claims"], found["sure"]) == (0, 1)
    first = coverage.compare_ratings(posterior, np.array([[0.55, 0.2, 0.25]]))
    assert first["coverage"] == pytest.approx(1 / 3)
    assert first["log_score"] == pytest.approx(np.log(0.75))  # a leads in both draws: certain but for half a draw


def test_the_bootstrap_covers_the_truth_where_the_papers_likelihood_does_not():
    """At autocorrelation 1 intervals of the random walk hold far fewer truths; standard errors are 2 to 4 %."""
    cell = CoverageCell(truth="constant", autocorrelation=1.0, algorithms=3, instances=20, budgets=12, draws=300)
    share = {
        belief: np.mean([measure_coverage(replace(cell, belief=belief), k)["coverage"] for k in range(24)])
        for belief in ("BayesianBootstrap", "RandomWalk")
    }
    assert share["RandomWalk"] < 0.85
    assert share["BayesianBootstrap"] > 0.88
    summary = coverage.summarise(cell, [measure_coverage(cell, k) for k in range(2)])
    assert (summary["data_sets"], summary["truth"]) == (2, "constant")


@pytest.mark.parametrize("truth", TRUTHS)
def test_simulated_outcomes_have_the_true_win_rates(truth):
    rng = np.random.default_rng(3)
    utilities = draw_truth(truth, 4, 3, rng=rng)
    values = Simulator().values(draw_instance_utilities(utilities, 20_000, rng=rng), 20_000, rng=rng)
    rates = (values[..., :, None] < values[..., None, :]).mean(axis=0)
    off = ~np.eye(3, dtype=bool)
    # 20,000 instances: four standard errors.
    np.testing.assert_allclose(rates[:, off], true_win_rates(utilities)[:, off], atol=0.014)


@pytest.mark.parametrize("rule", ["bayes", "rank tests"])
def test_a_race_is_compared_with_its_truth(rule, monkeypatch):
    cell = RaceCell(rule=rule, confidence=0.9, budgets=4, algorithms=3, most_instances=48, draws=200)
    # The first beats the last everywhere, the middle one wins in the end.
    truth = np.array([[3.0, 0.0, -3.0]] * 3 + [[1.5, 3.0, -3.0]])
    monkeypatch.setattr(races, "draw_truth", lambda *_, **__: truth[None])
    found = simulate_race(cell, 0)
    assert (found["dropped"], found["wrong"], found["clearly_wrong"]) == (1, 0, 0)
    assert found["right_set"]
    assert 8 <= found["instances"] <= 48
    mistaken = races.compare_with_truth(cell, truth[None], races.Decisions((1,), 0.01, 8, decided=True, cost=0.1))
    assert (mistaken["wrong"], mistaken["clearly_wrong"], mistaken["right_set"]) == (1, 1, False)
    summary = races.summarise(cell, [found, mistaken])
    assert summary["any_wrong"][0] == 0.5
    assert summary["races"] == 2
    if rule == "bayes":  # the posterior at the end is compared too; only one of the two outcomes has one
        assert summary["after"]["races"] == 1
        assert summary["after"]["coverage"] == round(found["after"]["coverage"], 4) > 0.5
    else:
        assert "after" not in summary


def test_a_specialist_may_stay_in_a_race_that_keeps_it():
    """On two of five kinds of instances a is first, on the others last; b beats it on three of five."""
    places = np.array([[0, 1, 2, 3], [0, 1, 2, 3], [3, 0, 1, 2], [3, 1, 0, 2], [3, 1, 2, 0]])
    truth = -5.0 * places[:, None]
    decided = races.Decisions((), 0.0, 8, decided=True, cost=0.1)
    kept = races.compare_with_truth(RaceCell(specialists="keep"), truth, decided)
    assert not races.compare_with_truth(RaceCell(specialists="drop"), truth, decided)["right_set"]
    assert not kept["right_set_by_pairs"]
    # c and d are beaten by b, and come first no more often.
    assert not kept["right_set"]
    assert races.compare_with_truth(RaceCell(specialists="keep"), truth, replace(decided, dropped=(2, 3)))["right_set"]
    assert (
        races.compare_with_truth(RaceCell(specialists="keep"), truth, replace(decided, dropped=(0, 2, 3)))[
            "specialists_lost"
        ]
        == 1
    )


def test_rank_tests_drop_an_algorithm_that_another_beats_at_every_budget():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(40, 3, 3)) + np.array([0.0, 2.0, 0.0])
    out, seen, runs = drop_by_rank_tests(values, level=0.01, batch=8)
    assert out == [1]
    assert seen == 40
    assert runs < 40 * 3
    crossing = rng.normal(size=(40, 2, 2)) + np.array([[0.0, 2.0], [2.0, 0.0]])
    assert drop_by_rank_tests(crossing, level=0.01, batch=8)[0] == []
    assert drop_by_rank_tests(np.zeros((16, 2, 3)), level=0.01, batch=8)[0] == []


@pytest.mark.parametrize("autocorrelation", [0.0, 0.5, 0.95])
def test_the_autocorrelation_of_runs_is_estimated(autocorrelation):
    utilities = np.tile([0.4, 0.1, -0.1, -0.4], (20, 1))
    values = Simulator(autocorrelation).values(utilities, 150, rng=np.random.default_rng(2))
    choices = pb.Choices.from_values(values, grid=range(1, 21))
    # Gumbel differences are not quite normal, and 150 instances leave some noise.
    assert estimate_autocorrelation(choices.rankings) == pytest.approx(autocorrelation, abs=0.05)


def test_one_budget_has_no_autocorrelation():
    choices = pb.Choices.from_values(np.random.default_rng(8).random((30, 1, 2)), grid=[1])
    assert estimate_autocorrelation(choices.rankings) == 0


@pytest.mark.parametrize("spread", [0.3, 1.0])
def test_the_spread_of_algorithms_is_estimated(spread):
    rng, found = np.random.default_rng(10), []
    for _ in range(12):
        truth = draw_truth("smooth", 5, 4, spread=spread, rng=rng)
        choices = pb.Choices.from_values(Simulator().values(truth[0], 200, rng=rng), grid=range(1, 6))
        found.append(estimate_spread(pb.fit(choices, prior=pb.BayesianBootstrap(), draws=200)))
    # Truths differ among themselves by a factor of two or so; of twelve the median is known to a third.
    assert np.median(found) == pytest.approx(spread, rel=0.35)


def test_a_race_is_simulated_with_its_batches():
    batches = RaceCell(batch=(16, 8, 32)).settings(0).batch, RaceCell(batch=(5, 5, 5)).settings(0).batch
    assert [(each.first, each.after(each.first, 0.0), each.after(8, 0.5)) for each in batches] == [
        (16, 32, 8),
        (5, 5, 5),
    ]


def test_unknown_priors_and_truths_are_rejected():
    with pytest.raises(ValueError, match="expected a prior out of 'BayesianBootstrap'"):
        prior_of("Spline")
    with pytest.raises(ValueError, match="expected truth to be one of 'random walk'"):
        draw_truth("flat", 2, 2, rng=np.random.default_rng(0))
