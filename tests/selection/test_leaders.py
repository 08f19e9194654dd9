"""The decision map: leaders, their probabilities, and the times at which known curves cross."""

from itertools import pairwise

import numpy as np
import pytest

from polarbear import At, Choices, Grid, ProbabilityBest, decision_map, fit, linear_grid, log_grid, select
from polarbear.calibration.simulator import Simulator
from tests.selection.posteriors import crossing_at, posterior_of, random_posterior


@pytest.mark.parametrize(
    ("grid", "truth"), [(linear_grid(0, 100, 21), 37.0), (log_grid(1, 10_000, 30), 90.0), (Grid([1, 3, 50, 60]), 20.0)]
)
def test_a_known_crossing_is_found_exactly(grid, truth):
    found = decision_map(crossing_at([truth], grid))
    (crossing,) = found.leader_changes
    assert (crossing.before, crossing.after, crossing.probability) == ("A", "B", 1)
    assert (crossing.time, crossing.lower, crossing.upper) == pytest.approx((truth, truth, truth), rel=1e-9)
    assert found.best == tuple("A" if t < truth else "B" for t in grid.times)


@pytest.mark.parametrize("grid", [linear_grid(0, 1000, 41), log_grid(1, 10_000, 30)], ids=["linear", "log"])
def test_the_interval_of_a_crossing_is_that_of_the_drawn_crossings(grid):
    drawn = np.exp(np.random.default_rng(0).normal(np.log(200), 0.3, size=501))
    (crossing,) = decision_map(crossing_at(drawn, grid)).leader_changes
    axis, back = (np.log, np.exp) if grid.axis == "log" else (np.asarray, np.asarray)
    expected = back(np.quantile(axis(drawn), [0.5, 0.025, 0.975]))
    assert (crossing.time, crossing.lower, crossing.upper) == pytest.approx(tuple(expected), rel=1e-9)
    assert crossing.probability == 1


def test_draws_without_a_crossing_count_against_its_probability():
    grid = linear_grid(0, 10, 11)
    often = crossing_at([4.0] * 17, grid).ratings
    never = crossing_at([4.0] * 3, grid, spread=-0.2).ratings  # B leads all along
    found = decision_map(posterior_of(np.concatenate([often, never]), grid))
    (crossing,) = found.leader_changes
    assert crossing.probability == pytest.approx(0.85)
    assert crossing.time == pytest.approx(4)
    assert str(found).endswith("The change from A to B is at 4, if it happens at all (85 % sure that it does).")


def test_of_several_crossings_each_is_matched_to_its_own_change_of_leader():
    grid = linear_grid(0, 12, 121)
    draws = [0.45 + 0.1 * np.cos(grid.times * np.pi / 4 + shift) for shift in np.linspace(-0.2, 0.2, 21)]
    first = np.array(draws)
    found = decision_map(posterior_of(np.stack([first, 0.9 - first, np.full_like(first, 0.1)], axis=2), grid))
    # cos(πt/4) falls through zero at 2 and 10, and rises at 6; interpolation on steps of 0.1 is good to 1e-3.
    assert [(c.before, c.after) for c in found.leader_changes] == [("A", "B"), ("B", "A"), ("A", "B")]
    assert [c.time for c in found.leader_changes] == pytest.approx([2, 6, 10], abs=1e-3)
    for crossing in found.leader_changes:
        assert crossing.upper - crossing.lower == pytest.approx(0.95 * 0.4 * 4 / np.pi, rel=0.02)


def test_at_a_change_of_leader_two_algorithms_have_equal_values():
    for grid in (linear_grid(1, 100, 8), log_grid(1, 100, 8)):
        posterior = random_posterior(draws=1, times=8, seed=3, grid=grid)
        crossings = decision_map(posterior).leader_changes
        assert crossings
        for crossing in crossings:
            first, second = select(posterior, At(crossing.time), among=[crossing.before, crossing.after]).candidates
            assert first.expected == pytest.approx(second.expected, rel=1e-9)


def test_leaders_and_probabilities_are_those_of_selection_at_each_budget():
    posterior = random_posterior(draws=200, seed=5)
    found = decision_map(posterior)
    for k, time in enumerate(posterior.grid.times):
        selection = select(posterior, At(time))
        assert found.best[k] == selection.recommendation
        expected = {each.members[0]: each.probability_best for each in selection.candidates}
        assert dict(zip(found.names, found.probability_best[k], strict=True)) == pytest.approx(expected)
    np.testing.assert_allclose(found.probability_best.sum(axis=1), 1)


def test_ties_share_the_probability():
    found = decision_map(posterior_of([[[0.4, 0.4, 0.2]]]))
    assert found.probability_best.tolist() == [[0.5, 0.5, 0]]
    assert found.probability_best[0].tolist() == ProbabilityBest().score(np.array([[0.4, 0.4, 0.2]])).tolist()


def test_the_order_of_algorithms_does_not_matter():
    posterior, order = random_posterior(seed=2), [3, 1, 0, 2]
    shuffled = posterior_of(posterior.ratings[..., order], posterior.grid, names=[posterior.names[k] for k in order])
    here, there = decision_map(posterior), decision_map(shuffled)
    assert there.best == here.best
    assert there.leader_changes == here.leader_changes
    np.testing.assert_array_equal(there.probability_best, here.probability_best[:, order])


def test_only_the_requested_candidates_are_on_the_map():
    posterior = random_posterior(seed=2)
    found = decision_map(posterior, among=["D", "B"])
    assert found.names == ("B", "D")
    assert set(found.best) <= {"B", "D"}
    smaller = decision_map(posterior_of(posterior.ratings[..., [1, 3]], posterior.grid, names=["B", "D"]))
    assert found.leader_changes == smaller.leader_changes
    np.testing.assert_array_equal(found.probability_best, smaller.probability_best)
    with pytest.raises(ValueError, match="expected different candidates among A, B, C, D, got 'X'"):
        decision_map(posterior, among=["X"])


def test_without_draws_that_are_joint_over_time_there_are_no_changes_of_leader():
    grid = linear_grid(0, 10, 11)
    paths = crossing_at([4.0] * 5, grid)
    alone = posterior_of(paths.ratings, grid, joint=False)
    assert decision_map(alone).leader_changes == ()
    assert decision_map(alone).best == decision_map(paths).best


def test_a_single_time_and_a_single_candidate():
    assert decision_map(posterior_of([[[0.4, 0.6]]])).best == ("B",)
    assert decision_map(random_posterior(), among="A").best == ("A",) * 8


def test_the_map_in_words():
    grid = Grid([100, 1000, 10_000, 1_000_000], "log")
    text = str(decision_map(crossing_at([2000.0, 2000.0, 2000.0, 4000.0], grid)))
    assert text.splitlines() == [
        "100 to 2,000        A                  over 99 % sure at 100",
        "2,000 to 4,000      too close to call  B (75 % at 2,000) or A (25 % at 2,000)",
        "4,000 to 1,000,000  B                  over 99 % sure at 10,000",
        "The change from A to B at 2,000 lies between 2,000 and 3,800.",
    ]
    one = decision_map(posterior_of([[[0.6, 0.4], [0.4, 0.6], [0.6, 0.4]], [[0.6, 0.4], [0.7, 0.3], [0.3, 0.7]]]))
    assert str(one).splitlines() == [
        "1 to 1.5  A                  over 99 % sure at 1",
        "1.5 to 3  too close to call  A (50 % at 2) or B (50 % at 2)",
    ]


def test_nothing_changes_its_inputs():
    posterior = random_posterior()
    before = posterior.ratings.copy()
    decision_map(posterior, among=["A", "C"])
    np.testing.assert_array_equal(posterior.ratings, before)


def test_the_frame_of_a_map_has_the_probabilities_of_all_candidates():
    grid = linear_grid(0, 10, 11)
    found = decision_map(crossing_at([3.5, 4.5, 4.5], grid))
    frame = found.to_frame()
    assert len(frame) == 11 * 3
    wide = frame.pivot(index="time", columns="algorithm_name", values="probability_best")
    assert wide.to_numpy().tolist() == found.probability_best.tolist()
    assert frame[frame["leads"]]["algorithm_name"].tolist() == list(found.best)
    assert found.to_frame(backend="pyarrow").shape == (33, 4)


def test_notebooks_show_the_leaders_and_their_changes():
    found = decision_map(crossing_at([4.5] * 5, linear_grid(0, 10, 11)))
    html = found._repr_html_()
    assert "<td>4.5 to 10</td><td>B</td><td>over 99 % sure at 5</td>" in html
    assert html.count("<tr>") == 3
    assert html.endswith("<p>The change from A to B is at 4.5.</p>")


def map_of(shares):
    return decision_map(posterior_with(shares))


def posterior_with(shares, *, draws=100):
    """A posterior whose leader at each time is the best in the given share of draws; the rest goes to the second name."""
    ratings = np.full((draws, len(shares), 3), 0.1)
    for time, (first, second, share) in enumerate(shares):
        sure = round(share * draws)
        ratings[:sure, time, "ABC".index(first)] = 0.8
        ratings[sure:, time, "ABC".index(second)] = 0.75
    return posterior_of(ratings, linear_grid(1, len(shares), len(shares)))


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ([("A", "B", 0.95), ("B", "A", 0.9)], ["A", "too close to call", "B"]),
        ([("A", "B", 0.95), ("A", "B", 0.85)], ["A"]),
        ([("A", "B", 0.95), ("A", "B", 0.7), ("B", "A", 0.6), ("B", "A", 0.9)], ["A", "too close to call", "B"]),
        ([("A", "B", 0.95), ("C", "B", 0.7), ("B", "A", 0.9)], ["A", "too close to call", "B"]),
        ([("A", "B", 0.95), ("A", "B", 0.7), ("A", "B", 0.9)], ["A", "too close to call", "A"]),
        ([("A", "B", 0.7), ("A", "B", 0.9)], ["too close to call", "A"]),
        ([("A", "B", 0.7), ("B", "A", 0.7)], ["too close to call"]),
    ],
)
def test_a_stretch_has_the_answer_of_select(shares, expected):
    found, posterior = map_of(shares), posterior_with(shares)
    assert [each.choice for each in found.stretches] == expected
    assert (found.stretches[0].start, found.stretches[-1].stop) == (1, len(shares))
    for before, after in pairwise(found.stretches):
        assert before.stop == after.start
    for time in found.grid.times:
        stretch = next(each for each in found.stretches if time <= each.stop)
        selection = select(posterior, At(time))
        assert stretch.choice == (selection.recommendation if selection.is_sure else "too close to call")


def test_between_two_uncertain_grid_times_no_algorithm_is_a_sure_leader():
    """At the first time B, at the second C beats A in a third of the draws; half-way A is ahead in every draw."""
    ratings = np.tile([[0.4, 0.2, 0.1], [0.4, 0.1, 0.2]], (300, 1, 1))
    ratings[:100, 0, 1] = 0.45
    ratings[100:200, 1, 2] = 0.45
    posterior = posterior_of(ratings, linear_grid(1, 2, 2))
    assert [each.choice for each in decision_map(posterior).stretches] == ["too close to call"]
    selection = select(posterior, At(1.5))
    assert (selection.recommendation, selection.is_sure) == ("A", False)
    assert selection.probability_best == select(posterior, At(1)).probability_best == pytest.approx(2 / 3)
    assert select(posterior, At(1.5), ProbabilityBest()).candidates[0].score == selection.probability_best


def test_between_two_sure_leaders_a_third_algorithm_may_be_a_sure_one():
    ratings = np.tile([[0.6, 0.35, 0.05], [0.05, 0.35, 0.6]], (300, 1, 1))
    posterior = posterior_of(ratings, linear_grid(1, 2, 2))
    assert [each.choice for each in decision_map(posterior).stretches] == ["A", "B", "C"]
    assert select(posterior, At(1.5)).sentence.startswith("For a budget of 1.5, choose B: over 99 % sure")


@pytest.mark.parametrize("seed", range(10))
def test_the_map_and_select_agree_on_simulated_races(seed):
    """Up to one point of probability: the map looks at three places within each interval of the grid, and at its changes."""
    rng = np.random.default_rng(seed)
    levels = 0.5 * rng.normal(size=(4, 1, 1)) + 0.5 * rng.normal(size=(4, 15, 1)).cumsum(axis=1) / 3
    values = levels.transpose(2, 1, 0) + Simulator(0.9).values(np.zeros((15, 4)), 100, rng=rng)
    posterior = fit(Choices.from_values(values, grid=log_grid(10, 500, 15)), draws=500)
    stretches = decision_map(posterior).stretches
    edges = np.array([each.start for each in stretches[1:]])
    for time in np.geomspace(10, 500, 100).clip(10, 500):
        if edges.size and np.abs(time / edges - 1).min() < 2e-3:
            continue
        (stretch,) = (each for each in stretches if each.start <= time <= each.stop)
        selection = select(posterior, At(time))
        if abs(selection.probability_best - 0.8) > 0.01:
            assert stretch.choice == (selection.recommendation if selection.is_sure else "too close to call")


@pytest.mark.parametrize("seed", range(5))
def test_the_map_and_select_agree_between_grid_times(seed):
    """Also close to the budgets at which the answer changes."""
    rng = np.random.default_rng(seed)
    grid = log_grid(10, 1000, 6)
    levels = rng.normal(size=(6, 3)).cumsum(axis=0)
    ratings = np.exp(levels + 0.7 * rng.normal(size=(400, 1, 3)) + 0.3 * rng.normal(size=(400, 6, 3)))
    posterior = posterior_of(ratings / ratings.sum(axis=2, keepdims=True), grid)
    stretches = decision_map(posterior).stretches
    edges = [each.start for each in stretches[1:]]
    near = [edge * factor for edge in edges for factor in (0.998, 1.002)]
    for time in (*near, *np.geomspace(10, 1000, 40)):
        if min((abs(time / edge - 1) for edge in edges), default=1) < 1e-3:
            continue
        (stretch,) = (each for each in stretches if each.start <= time <= each.stop)
        selection = select(posterior, At(min(time, 1000.0)))
        assert stretch.choice == (selection.recommendation if selection.is_sure else "too close to call")


def test_leaders_change_also_across_budgets_that_are_too_close_to_call():
    across = map_of([("A", "B", 0.95), ("A", "B", 0.7), ("B", "A", 0.6), ("B", "A", 0.9)])
    assert [(each.before, each.after) for each in across.leader_changes] == [("A", "B")]
    third = map_of([("A", "B", 0.95), ("C", "B", 0.7), ("B", "A", 0.9)])
    assert third.leader_changes == ()  # another algorithm leads in between


def test_contenders_are_named_the_most_probable_first():
    (stretch,) = map_of([("A", "B", 0.55), ("A", "B", 0.55)]).stretches
    assert stretch.leader is None
    assert (stretch.names, stretch.probabilities) == (("A", "B"), (0.55, 0.45))
    assert stretch.certainty == "A (55 % at 1) or B (45 % at 1)"


def test_a_change_of_leader_is_where_the_stretches_meet():
    found = decision_map(crossing_at([37.0] * 5, linear_grid(0, 100, 21)))
    (change,) = found.leader_changes
    assert len(found.stretches) == 2
    assert found.stretches[0].stop == found.stretches[1].start == pytest.approx(change.time, rel=1e-4)


def test_algorithms_that_take_turns_through_noise_change_once():
    grid = linear_grid(0, 10, 11)
    shares = np.array([1, 1, 1, 1, 0.1, 0.9, 0, 0, 0, 0, 0])  # of the draws in which A leads
    lead = np.where(np.arange(20)[:, None] < 20 * shares, 0.1, -0.1)
    posterior = posterior_of(np.stack([0.5 + lead, 0.5 - lead], axis=2), grid)
    found = decision_map(posterior)
    assert [each.leader for each in found.stretches if each.leader] == ["A", "B", "A", "B"]  # as `select` recommends
    (change,) = found.leader_changes
    assert (change.before, change.after) == ("A", "B")
    assert (
        change.lower < 4 < 5 < change.upper
    )  # one of two draws in ten changes at the first of the two, one at the second


@pytest.mark.calibration
@pytest.mark.parametrize("autocorrelation", [0.0, 0.95])
def test_the_interval_of_a_change_contains_the_true_budget(autocorrelation):
    grid = log_grid(10, 1000, 20)
    axis = np.log(grid.times)
    hits = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        truth = rng.uniform(np.log(30), np.log(300))
        lead = 2.4 * (truth - axis) / np.ptp(axis)
        values = Simulator(autocorrelation).values(np.stack([lead / 2, -lead / 2], axis=1), 60, rng=rng)
        posterior = fit(Choices.from_values(values, grid=grid, names=["A", "B"]), draws=500, seed=seed)
        hits += [c.lower <= np.exp(truth) <= c.upper for c in decision_map(posterior).leader_changes if c.before == "A"]
    # With a coverage of 95 %, fewer than 17 of 20 hits have a probability of 2 %; the seeds are fixed.
    assert len(hits) >= 20
    assert np.mean(hits) >= 0.85
