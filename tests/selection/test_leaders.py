"""The decision map: leaders, their probabilities, and the budgets at which known curves cross."""

from itertools import pairwise

import numpy as np
import pytest

from polarbear import At, Choices, Expected, Grid, ProbabilityBest, decision_map, fit, linear_grid, log_grid, select
from polarbear.calibration.simulator import Simulator
from tests.selection.posteriors import crossing_at, posterior_of, random_posterior


@pytest.mark.parametrize(
    ("grid", "truth"), [(linear_grid(0, 100, 21), 37.0), (log_grid(1, 10_000, 30), 90.0), (Grid([1, 3, 50, 60]), 20.0)]
)
def test_a_known_crossing_is_found_exactly(grid, truth):
    found = decision_map(crossing_at([truth], grid))
    (crossing,) = found.leader_changes
    assert (crossing.before, crossing.after, crossing.probability) == ("A", "B", 1)
    assert (crossing.budget, crossing.lower, crossing.upper) == pytest.approx((truth, truth, truth), rel=1e-9)
    assert found.best == tuple("A" if t < truth else "B" for t in grid.budgets)


@pytest.mark.parametrize("grid", [linear_grid(0, 1000, 41), log_grid(1, 10_000, 30)], ids=["linear", "log"])
def test_the_interval_of_a_crossing_is_that_of_the_drawn_crossings(grid):
    drawn = np.exp(np.random.default_rng(0).normal(np.log(200), 0.3, size=501))
    (crossing,) = decision_map(crossing_at(drawn, grid)).leader_changes
    axis, back = (np.log, np.exp) if grid.axis == "log" else (np.asarray, np.asarray)
    expected = back(np.quantile(axis(drawn), [0.5, 0.025, 0.975]))
    assert (crossing.budget, crossing.lower, crossing.upper) == pytest.approx(tuple(expected), rel=1e-9)
    assert crossing.probability == 1


def test_draws_without_a_crossing_count_against_its_probability():
    grid = linear_grid(0, 10, 11)
    often = crossing_at([4.0] * 17, grid).ratings
    never = crossing_at([4.0] * 3, grid, spread=-0.2).ratings  # B leads all along
    found = decision_map(posterior_of(np.concatenate([often, never]), grid))
    (crossing,) = found.leader_changes
    assert crossing.probability == pytest.approx(0.85)
    assert crossing.budget == pytest.approx(4)
    assert str(found).endswith("The change from A to B is at 4, if it happens at all (85 % sure that it does).")


def test_of_several_crossings_each_is_matched_to_its_own_change_of_leader():
    grid = linear_grid(0, 12, 121)
    draws = [0.45 + 0.1 * np.cos(grid.budgets * np.pi / 4 + shift) for shift in np.linspace(-0.2, 0.2, 21)]
    first = np.array(draws)
    found = decision_map(posterior_of(np.stack([first, 0.9 - first, np.full_like(first, 0.1)], axis=2), grid))
    # cos(πt/4) falls through zero at 2 and 10, and rises at 6; interpolation on steps of 0.1 is good to 1e-3.
    assert [(c.before, c.after) for c in found.leader_changes] == [("A", "B"), ("B", "A"), ("A", "B")]
    assert [c.budget for c in found.leader_changes] == pytest.approx([2, 6, 10], abs=1e-3)
    for crossing in found.leader_changes:
        assert crossing.upper - crossing.lower == pytest.approx(0.95 * 0.4 * 4 / np.pi, rel=0.02)


@pytest.mark.parametrize("axis", ["linear", "log"])
def test_a_change_is_where_the_win_rate_crosses_one_half(axis):
    """Between budgets of the grid, win rates are lines on the axis of the grid; A leads at 1 and 10, B from 20 on."""
    grid = Grid([1, 10, 20, 50], axis)
    first = np.array([0.5, 0.45, 0.3, 0.2])
    (change,) = decision_map(
        posterior_of(np.stack([first, 0.8 - first, np.full(4, 0.2)], axis=1)[None], grid)
    ).leader_changes
    share = (0.45 / 0.8 - 0.5) / (0.45 / 0.8 - 0.3 / 0.8)
    expected = 10 + share * 10 if axis == "linear" else 10 * 2**share
    assert (change.budget, change.lower, change.upper) == pytest.approx((expected,) * 3, rel=1e-12)


def test_leaders_and_probabilities_are_those_of_selection_at_each_budget():
    posterior = random_posterior(draws=200, seed=5)
    found = decision_map(posterior)
    for k, budget in enumerate(posterior.grid.budgets):
        selection = select(posterior, At(budget))
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


def test_a_single_budget_and_a_single_candidate():
    assert decision_map(posterior_of([[[0.4, 0.6]]])).best == ("B",)
    assert decision_map(random_posterior(), among="A").best == ("A",) * 8


def test_the_map_in_words():
    grid = Grid([100, 1000, 10_000, 1_000_000], "log")
    text = str(decision_map(crossing_at([2000.0, 2000.0, 2000.0, 4000.0], grid)))
    assert text.splitlines() == [
        "100 to 3,160        A  over 99 % sure at 100",
        "3,160 to 1,000,000  B  over 99 % sure at 10,000",
        "The change from A to B at 2,000 lies between 2,000 and 3,800.",
    ]
    one = decision_map(posterior_of([[[0.6, 0.4], [0.4, 0.6], [0.6, 0.4]], [[0.6, 0.4], [0.7, 0.3], [0.3, 0.7]]]))
    assert str(one).splitlines() == [
        "1 to 1.5  A        over 99 % sure at 1",
        "1.5 to 3  unclear  A (50 % at 2) or B (50 % at 2)",
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
    wide = frame.pivot(index="budget", columns="algorithm_name", values="probability_best")
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
    """A posterior whose leader at each budget is the best in the given share of draws; the rest goes to the second name."""
    ratings = np.full((draws, len(shares), 3), 0.1)
    for budget, (first, second, share) in enumerate(shares):
        sure = round(share * draws)
        ratings[:sure, budget, "ABC".index(first)] = 0.8
        ratings[sure:, budget, "ABC".index(second)] = 0.75
    return posterior_of(ratings, linear_grid(1, len(shares), len(shares)))


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ([("A", "B", 0.95), ("B", "A", 0.9)], ["A", "B"]),
        ([("A", "B", 0.95), ("A", "B", 0.85)], ["A"]),
        ([("A", "B", 0.95), ("A", "B", 0.7), ("B", "A", 0.6), ("B", "A", 0.9)], ["A", "unclear", "B"]),
        ([("A", "B", 0.95), ("C", "B", 0.7), ("B", "A", 0.9)], ["A", "unclear", "B"]),
        ([("A", "B", 0.95), ("A", "B", 0.7), ("A", "B", 0.9)], ["A", "unclear", "A"]),
        ([("A", "B", 0.7), ("A", "B", 0.9)], ["unclear", "A"]),
        ([("A", "B", 0.7), ("B", "A", 0.7)], ["unclear"]),
    ],
)
def test_a_range_has_the_answer_of_select(shares, expected):
    found, posterior = map_of(shares), posterior_with(shares)
    assert [each.choice for each in found.ranges] == expected
    assert (found.ranges[0].start, found.ranges[-1].stop) == (1, len(shares))
    for before, after in pairwise(found.ranges):
        assert before.stop == after.start
    for budget in found.grid.budgets:
        span = next(each for each in found.ranges if budget <= each.stop)
        selection = select(posterior, At(budget))
        assert span.choice == (selection.recommendation if selection.is_sure else "unclear")


@pytest.mark.parametrize("between", ["even", "log"])
def test_ranges_meet_half_way(between):
    grid = linear_grid(0, 100, 21) if between == "even" else log_grid(1, 100, 5)
    found = decision_map(crossing_at([37.0] * 5, grid))
    middle = 37.5 if between == "even" else np.sqrt(np.sqrt(1000) * 100)
    assert [(each.choice, each.start, each.stop) for each in found.ranges] == [
        ("A", grid.budgets[0], pytest.approx(middle)),
        ("B", pytest.approx(middle), grid.budgets[-1]),
    ]
    assert found.leader_changes[0].budget == pytest.approx(37)  # the win rate knows more than the leaders


def random_bootstrap(seed):
    """Up to five algorithms with ties, missing runs, runs that end early, and a copy."""
    rng = np.random.default_rng(seed)
    levels = 0.5 * rng.normal(size=(4, 1, 1)) + 0.5 * rng.normal(size=(4, 15, 1)).cumsum(axis=1) / 3
    values = levels.transpose(2, 1, 0) + Simulator(0.9).values(np.zeros((15, 4)), 30, rng=rng)
    values = np.round(values, seed % 3)
    if seed % 2:
        values.transpose(0, 2, 1)[rng.random((30, 4)) < 0.2] = np.nan
        values[:, 11:, 1] = np.nan
    values = np.concatenate([values, values[..., [seed % 4]]], axis=2)
    return fit(Choices.from_values(values, grid=log_grid(10, 500, 15)), draws=300, seed=seed)


@pytest.mark.parametrize("seed", range(10))
def test_the_map_and_select_agree_at_each_budget_of_the_grid(seed):
    posterior = random_bootstrap(seed)
    everybody = {"among": posterior.names} if seed % 3 else {}
    found = decision_map(posterior, **everybody)
    for place, budget in enumerate(posterior.grid.budgets):
        selection = select(posterior, At(budget), **everybody)
        assert found.best[place] == selection.recommendation
        probability = dict(zip(found.names, found.probability_best[place].tolist(), strict=True))
        expected = {each.members[0]: each.probability_best for each in selection.candidates}
        assert probability == dict.fromkeys(found.names, 0.0) | expected  # number by number
        span = next(each for each in found.ranges if budget <= each.stop)
        if len(selection.candidates) > 1:
            assert span.choice == (selection.recommendation if selection.is_sure else "unclear")


def test_under_the_papers_priors_the_leader_has_the_highest_expected_rating():
    """A is ahead in six of ten draws, but by little; B's expected rating is higher."""
    ratings = np.array([[[0.35, 0.34, 0.31]]] * 6 + [[[0.2, 0.5, 0.3]]] * 4)
    found = decision_map(posterior_of(ratings))
    assert found.best == ("B",) == (select(posterior_of(ratings), At(1)).recommendation,)
    assert found.probability_best[0].tolist() == pytest.approx([0.6, 0.4, 0])


def test_by_the_strongest_rival_the_leader_is_the_most_probable_best_choice():
    highest = []
    for seed in range(6):
        posterior = random_bootstrap(seed)
        found = decision_map(posterior, among=posterior.names)
        for budget, best, row in zip(found.grid.budgets, found.best, found.probability_best, strict=True):
            assert row[found.names.index(best)] == row.max()
            highest.append(select(posterior, At(budget), Expected(), among=posterior.names).recommendation == best)
    assert 0.5 < np.mean(highest) < 1  # the highest expected value is another thing


@pytest.mark.parametrize("seed", range(4))
def test_the_probability_of_leading_somewhere_is_counted_in_draws(seed):
    posterior = random_bootstrap(seed)
    found = decision_map(posterior, among=posterior.names)
    rates, places = posterior.all_win_rates(), [posterior.names.index(name) for name in found.names]
    leads = np.zeros((posterior.draws, len(places)), dtype=bool)
    for t in range(len(posterior.grid)):
        known = [k for k in range(len(places)) if found.observed[t, k]]
        for d in range(posterior.draws):
            lowest = [min(rates[d, t, places[a], places[b]] for b in known if b != a) for a in known]
            for k, value in zip(known, lowest, strict=True):
                leads[d, k] |= value == max(lowest)
    np.testing.assert_allclose(found.probability_leading, leads.mean(axis=0))
    assert (found.probability_leading >= found.probability_best.max(axis=0) - 1e-12).all()


def test_leaders_change_also_across_budgets_that_are_too_close_to_call():
    across = map_of([("A", "B", 0.95), ("A", "B", 0.7), ("B", "A", 0.6), ("B", "A", 0.9)])
    assert [(each.before, each.after) for each in across.leader_changes] == [("A", "B")]
    third = map_of([("A", "B", 0.95), ("C", "B", 0.7), ("B", "A", 0.9)])
    assert third.leader_changes == ()  # another algorithm leads in between


def test_contenders_are_named_the_most_probable_first():
    (span,) = map_of([("A", "B", 0.55), ("A", "B", 0.55)]).ranges
    assert span.leader is None
    assert (span.names, span.probabilities) == (("A", "B"), (0.55, 0.45))
    assert span.certainty == "A (55 % at 1) or B (45 % at 1)"


def test_algorithms_that_take_turns_through_noise_change_once():
    grid = linear_grid(0, 10, 11)
    shares = np.array([1, 1, 1, 1, 0.1, 0.9, 0, 0, 0, 0, 0])  # of the draws in which A leads
    lead = np.where(np.arange(20)[:, None] < 20 * shares, 0.1, -0.1)
    posterior = posterior_of(np.stack([0.5 + lead, 0.5 - lead], axis=2), grid)
    found = decision_map(posterior)
    assert [each.leader for each in found.ranges if each.leader] == ["A", "B", "A", "B"]  # as `select` recommends
    (change,) = found.leader_changes
    assert (change.before, change.after) == ("A", "B")
    assert (
        change.lower < 4 < 5 < change.upper
    )  # one of two draws in ten changes at the first of the two, one at the second


@pytest.mark.calibration
@pytest.mark.parametrize("autocorrelation", [0.0, 0.95])
def test_the_interval_of_a_change_contains_the_true_budget(autocorrelation):
    grid = log_grid(10, 1000, 20)
    axis = np.log(grid.budgets)
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
