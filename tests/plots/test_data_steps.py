"""The data of each figure, against loops over draws, pairs, budgets and runs."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import gaussian_kde

import polarbear as pb
from polarbear.plots import decision_forecast, round_panels
from polarbear.plots.decision_bands import DecisionBands
from polarbear.plots.decision_forecast import DecisionForecast
from polarbear.plots.dominance_evolution import DominanceEvolution
from polarbear.plots.dominance_matrix import DominanceMatrix
from polarbear.plots.pair_dominance import PairDominance
from polarbear.plots.preference_values import PreferenceValues
from polarbear.plots.rating_curves import RatingCurves
from polarbear.plots.round_panels import RoundPanels, key_rounds, posterior_after, state_after
from polarbear.plots.sample_allocation import SampleAllocation
from polarbear.race import loop
from polarbear.race.forecast import STABLE_FROM, instances_needed
from polarbear.race.outcome import RaceOutcome
from tests.plots.posteriors import posterior_with, small_race, specialist_posterior
from tests.race import paper
from tests.race.simulated import simulated_runs
from tests.race.small import BUDGETS


def test_rating_curves_are_means_and_quantiles_of_the_draws():
    posterior = posterior_with(4, draws=101)
    data = RatingCurves.of(posterior, level=0.8, among=["C", "A"], truth=posterior.ratings[0])
    assert data.names == ("A", "C")  # in the order of the posterior
    assert data.all_names == posterior.names
    for column, index in enumerate((0, 2)):
        for t in range(len(posterior.grid)):
            draws = sorted(posterior.ratings[:, t, index])
            assert data.mean[t, column] == pytest.approx(math.fsum(draws) / 101)
            assert data.lower[t, column] == pytest.approx(draws[10])  # 10 % of 100 gaps
            assert data.upper[t, column] == pytest.approx(draws[90])
            assert data.truth[t, column] == posterior.ratings[0, t, index]


def test_a_truth_of_another_shape_is_refused():
    with pytest.raises(ValueError, match=r"expected a truth of shape \(budget, algorithm\) = \(12, 4\), got \(4, 12\)"):
        RatingCurves.of(posterior_with(4), truth=np.ones((4, 12)))


def test_evolution_follows_the_rounds(finished_race):
    data = DominanceEvolution.of(finished_race)
    out, decided = {}, {}
    for row, round_ in enumerate(finished_race.rounds):
        undecided = {name for a, b, _ in round_.open for name in (a, b)}
        for each in round_.dropped:
            out[each.name] = row
        for name, probability in round_.threat:
            column = data.names.index(name)
            if out.get(name, row) < row:
                assert math.isnan(data.threat[row, column])
            else:
                assert data.threat[row, column] == probability
            if name not in undecided and name not in out:
                decided.setdefault(name, row)
        assert data.share[row] == round_.decided_share
    assert {data.names[c]: r for r, c in np.argwhere(data.dropped)} == out
    assert {data.names[c]: r for r, c in np.argwhere(data.decided)} == decided
    assert set(decided) == set(finished_race.kept)
    assert out.keys() == {each.name for each in finished_race.drops}
    assert data.confidence == 0.98


def test_after_a_review_all_algorithms_have_a_threat_again(finished_race):
    state = loop.reconsider(finished_race.state, pb.Settings(grid=BUDGETS, prior=pb.RandomWalk(), draws=400, seed=2))
    state = loop.tell(state, loop.ask(state), [])
    data = DominanceEvolution.of(RaceOutcome(state, "paused"))
    assert np.isfinite(data.threat[-1]).all()


def test_an_added_algorithm_has_no_earlier_threat(finished_race):
    state = loop.add(finished_race.state, "e")
    state = loop.tell(state, plan := loop.ask(state), simulated_runs(plan, np.zeros((4, 5)), tuple("abcde"), BUDGETS))
    data = DominanceEvolution.of(RaceOutcome(state, "paused"))
    assert np.isnan(data.threat[:-1, 4]).all()
    assert np.isfinite(data.threat[-1, 4])


def test_a_readmitted_algorithm_has_a_threat_again_and_is_a_candidate_of_its_round(finished_race):
    gone = finished_race.drops[0].name
    state = loop.restore(finished_race.state, gone)
    plan = loop.ask(state)
    column, level = state.names.index(gone), np.zeros((4, 4))
    level[:, column] = 20  # its new runs win, so that the next round does not eliminate it
    state = loop.tell(state, plan, simulated_runs(plan, level, state.names, BUDGETS))
    data = DominanceEvolution.of(RaceOutcome(state, "paused"))
    assert np.isfinite(data.threat[-1, column])
    assert (gone in state_after(state, len(state.rounds)).candidates) == (gone in state.candidates)


def test_values_are_weighted_sums_of_the_ratings():
    posterior = posterior_with(5)
    preference = pb.LogUniform()
    data = PreferenceValues.of(posterior, preference, among=["A", "B", "D"])
    weights = preference.weights(posterior.grid)
    by_name = {name: (posterior.ratings[..., k] * weights).sum(axis=1) for k, name in enumerate(posterior.names)}
    assert set(data.names) == {"A", "B", "D"}
    assert data.expected.tolist() == sorted(data.expected, reverse=True)
    for column, name in enumerate(data.names):
        np.testing.assert_allclose(data.values[:, column], by_name[name])
        best = np.mean([by_name[name][k] == max(by_name[other][k] for other in "ABD") for k in range(200)])
        assert data.probability_best[column] == pytest.approx(best)
        assert data.lower[column] <= np.median(by_name[name]) <= data.upper[column]


def test_densities_integrate_to_nearly_one():
    data = PreferenceValues.of(posterior_with(5, draws=1000))
    for values, (where, height) in zip(data.values.T, data.densities(), strict=True):
        # 0.2 % of the draws and the kernel's tails beyond them are left out.
        assert np.trapezoid(height, where) == pytest.approx(1, abs=0.02)
        assert np.trapezoid(height * where, where) == pytest.approx(values.mean(), abs=0.02 * values.mean())


def test_densities_are_those_of_scipy():
    data = PreferenceValues.of(posterior_with(5, draws=1000))
    for values, (where, height) in zip(data.values.T, data.densities(), strict=True):
        np.testing.assert_allclose(height, gaussian_kde(values)(where), atol=2e-3 * height.max())


def test_a_value_that_is_certain_has_a_density():
    ratings = np.tile([0.25, 0.75], (10, 12, 1))
    posterior = pb.Posterior(**{**vars(posterior_with(2)), "ratings": ratings})
    (where, height), _ = PreferenceValues.of(posterior).densities()
    assert np.trapezoid(height, where) == pytest.approx(1)
    assert where[height.argmax()] == pytest.approx(0.75)


def test_allocation_counts_runs(finished_race):
    data = SampleAllocation.of(finished_race)
    for column, name in enumerate(data.names):
        mine = [run for run in finished_race.runs if run.trajectory.algorithm == name]
        assert data.runs[column] == len(mine)
        assert data.cost[column] == pytest.approx(sum(run.reached for run in mine))
        for t, budget in enumerate(BUDGETS):
            assert data.counts[t, column] == sum(run.trajectory.end >= budget for run in mine)
        assert data.inside[column] == (name in finished_race.kept)
    full = data.instances * len(data.names) * BUDGETS[-1]
    assert data.saved_share == pytest.approx(1 - data.cost.sum() / full)


def test_the_matrix_is_dominance_by_definition():
    posterior = posterior_with(4)
    joint, pointwise = DominanceMatrix.of(posterior, dominance="joint"), DominanceMatrix.of(posterior)
    for a, b in combinations(range(4), 2):
        assert joint.probability[a, b] == pytest.approx(paper.threat(posterior, a, b, "joint"))
        assert pointwise.probability[a, b] == pytest.approx(paper.threat(posterior, a, b, "pointwise"))
    assert (pointwise.dominance, joint.dominance) == ("pointwise", "joint")


def test_a_pair_over_time_by_definition():
    posterior = posterior_with(4)
    data = PairDominance.of(posterior, "C", "B", margin=0.1)
    for t in range(len(posterior.grid)):
        assert data.beats[t] == pytest.approx(paper.dominates_at(posterior, 2, 1, t))
        assert data.equal[t] == pytest.approx(paper.equivalent_at(posterior, 2, 1, t, 0.1))
        wins = [draw[t, 2] / (draw[t, 2] + draw[t, 1]) for draw in posterior.ratings]
        assert data.wins[t] == pytest.approx(np.mean(wins))
        assert np.mean((data.lower[t] <= wins) & (wins <= data.upper[t])) == pytest.approx(0.95, abs=0.01)
    assert data.always == pytest.approx(paper.dominates_anytime(posterior, 2, 1))
    assert data.never == pytest.approx(paper.dominates_anytime(posterior, 1, 2))
    assert PairDominance.of(posterior_with(4, joint=False), "C", "B").always is None
    with pytest.raises(ValueError, match="expected different candidates among A, B, C, D, got 'A', 'X'"):
        PairDominance.of(posterior, "A", "X")


def test_pairs_of_weighted_instances_are_shares_of_instances_and_not_ratios_of_ratings():
    """A comes first most often, yet B beats it on most instances."""
    posterior = specialist_posterior()
    data = PairDominance.of(posterior, "A", "B")
    ratio = posterior.ratings[..., 0] / (posterior.ratings[..., 0] + posterior.ratings[..., 1])
    assert ratio.mean() > 0.55
    np.testing.assert_allclose(data.wins, 0.4, atol=0.02)
    assert (data.upper < 0.5).all()
    rates = pb.win_rates(posterior, "A", "B")
    np.testing.assert_allclose([data.lower, data.upper], np.quantile(rates, [0.025, 0.975], axis=0), atol=1e-6)
    np.testing.assert_allclose(data.beats, pb.dominance(posterior)[:, 0, 1])  # exact
    np.testing.assert_allclose(data.beats, (rates > 0.5).mean(axis=0), atol=0.01)
    assert data.always == pytest.approx((rates > 0.5).all(axis=1).mean())
    assert data.never == pytest.approx((rates < 0.5).all(axis=1).mean())
    assert data.never > 0.95
    for dominance in ("joint", "pointwise"):
        assert DominanceMatrix.of(posterior, dominance=dominance).probability[1, 0] > 0.95


def test_ratings_are_first_places_and_bands_are_about_the_strongest_rival():
    """A comes first most often and is dropped; B and C win half of the instances against each other."""
    posterior = specialist_posterior()
    np.testing.assert_allclose(RatingCurves.of(posterior).mean[:, 0], 0.4, atol=0.02)
    bands = DecisionBands.of(posterior)
    assert set(bands.names) == set(PreferenceValues.of(posterior, pb.At(1)).names) == {"B", "C"}
    assert [each.choice for each in bands.ranges] == ["unclear"]
    everybody = DecisionBands.of(posterior, among=list("ABC"))
    assert (everybody.probability_best[:, 0] < 0.01).all()
    np.testing.assert_allclose(everybody.probability_best.sum(axis=1), 1)
    assert PreferenceValues.of(posterior, among=list("ABC")).names[-1] == "A"


@pytest.mark.parametrize("grid", [pb.log_grid(100, 60_000, 12), pb.linear_grid(0, 10, 12)])
def test_ranges_cover_the_grid_and_are_those_of_the_map(grid):
    posterior = posterior_with(5, grid=grid, seed=3)
    data = DecisionBands.of(posterior)
    assert data.ranges == pb.decision_map(posterior).ranges
    assert (data.ranges[0].start, data.ranges[-1].stop) == (grid.budgets[0], grid.budgets[-1])
    for t in range(len(grid)):
        counts = np.bincount(posterior.ratings[:, t].argmax(axis=1), minlength=5)
        np.testing.assert_allclose(data.probability_best[t], counts / 200)


def test_earlier_posteriors_are_those_that_the_race_had(race_and_posteriors):
    race, posteriors = race_and_posteriors
    assert len(posteriors) > 2
    for number, posterior in enumerate(posteriors, start=1):
        again = posterior_after(race.state, number)
        assert again.names == posterior.names
        np.testing.assert_array_equal(again.ratings, posterior.ratings)


def test_earlier_posteriors_before_an_algorithm_was_added(finished_race):
    state = loop.add(finished_race.state, "e")
    state = loop.tell(state, plan := loop.ask(state), simulated_runs(plan, np.zeros((4, 5)), tuple("abcde"), BUDGETS))
    number = len(finished_race.rounds)
    np.testing.assert_array_equal(posterior_after(state, number).ratings, finished_race.posterior.ratings)
    assert posterior_after(state, number + 1).names == tuple("abcde")
    with pytest.raises(ValueError, match=f"expected a round from 1 to {number + 1}, got 0"):
        posterior_after(state, 0)


def test_panels_show_the_decisions(finished_race):
    data = RoundPanels.of(finished_race, most=3)
    assert [panel.round for panel in data.panels] == list(key_rounds(finished_race, most=3))
    last = data.panels[-1]
    assert last.round == len(finished_race.rounds)
    np.testing.assert_allclose(last.curves.mean, finished_race.posterior.ratings.mean(axis=0))
    assert last.excluded == set("abcd") - set(finished_race.kept)
    assert last.instances == finished_race.instances
    for panel in data.panels:
        for each in finished_race.rounds[panel.round - 1].dropped:
            assert each.name in panel.dropped


def test_panels_show_the_posterior_at_fewer_budgets(monkeypatch):
    """Panels have fewer draws and budgets, which changes neither the ends of the grid nor, much, the means."""
    result = small_race(6, prior=pb.BayesianBootstrap())
    monkeypatch.setattr(round_panels, "_BUDGETS", 3)
    last = RoundPanels.of(result, rounds=[6]).panels[-1].curves
    kept = [0, round((len(BUDGETS) - 1) / 2), len(BUDGETS) - 1]
    assert last.grid.budgets.tolist() == [BUDGETS[k] for k in kept]
    # 200 draws: a mean has a standard error of at most 0.5 / √200 = 0.035.
    np.testing.assert_allclose(last.mean, result.posterior.ratings.mean(axis=0)[kept], atol=0.11)
    truth = np.full((len(BUDGETS), 4), 0.25)
    assert len(RoundPanels.of(result, rounds=[6], truth=truth).panels[-1].curves.grid) == len(BUDGETS)


def test_key_rounds_begin_and_end_the_race(finished_race):
    chosen = key_rounds(finished_race, most=50)
    assert (chosen[0], chosen[-1]) == (1, len(finished_race.rounds))
    assert set(chosen) >= {each.round for each in finished_race.drops}
    assert key_rounds(finished_race, most=1) == (len(finished_race.rounds),)
    with pytest.raises(ValueError, match="expected a race with rounds, got none"):
        key_rounds(small_race(0))


def test_there_is_no_forecast_before_it_is_stable(unfinished_race):
    assert unfinished_race.instances < STABLE_FROM
    data = DecisionForecast.of(unfinished_race)
    assert data.open_pairs
    assert all(math.isnan(each.instances) for each in data.open_pairs)
    assert len(data.expected_share) == 1


def test_the_forecast_of_all_pairs_is_that_of_the_last_one(unfinished_race, monkeypatch):
    monkeypatch.setattr(decision_forecast, "STABLE_FROM", 4)
    data, state = DecisionForecast.of(unfinished_race), unfinished_race.state
    open_ = [
        (a, b) for a, b in combinations(range(4), 2) if not all(state.decided[t, a, b] for t in range(len(BUDGETS)))
    ]
    assert {(each.first, each.second) for each in data.open_pairs} == {
        (state.names[a], state.names[b]) for a, b in open_
    }
    needed = [each.instances for each in data.open_pairs]
    assert needed == sorted(needed)
    assert max(needed) == instances_needed(unfinished_race.posterior, state.decided, state.settings)
    assert data.expected_share[0] == pytest.approx(1 - len(open_) / 6)
    finite = sum(map(math.isfinite, needed))
    assert data.expected_share[-1] == pytest.approx(1 - (len(open_) - finite) / 6)
    assert data.instances.tolist() == [2, 4] == [2, unfinished_race.instances]
    assert data.share[-1] == pytest.approx(data.expected_share[0])


def test_a_finished_race_has_nothing_to_forecast(finished_race):
    assert DecisionForecast.of(finished_race, limit=400).limit == 400
    data = DecisionForecast.of(finished_race)
    assert data.open_pairs == ()
    assert data.expected_share.tolist() == [1.0]
    with pytest.raises(ValueError, match="run the race first"):
        DecisionForecast.of(small_race(0))


def test_an_algorithm_that_has_not_run_has_no_forecast(finished_race, monkeypatch):
    monkeypatch.setattr(decision_forecast, "STABLE_FROM", finished_race.instances)
    data = DecisionForecast.of(RaceOutcome(loop.add(finished_race.state, "e"), "paused"))
    assert {each.second for each in data.open_pairs} == {"e"}
    assert all(each.instances == math.inf for each in data.open_pairs)
