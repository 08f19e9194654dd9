"""A known budget between two budgets of the grid: outcomes are those of the runs there, and nothing is interpolated."""

from itertools import combinations

import numpy as np
import pytest

import polarbear as pb
from case_studies.ma_bbob.recorded import Recording
from polarbear.findings import Code
from polarbear.observe.rankings import ABSENT
from tests.selection.posteriors import random_posterior

NAMES = ["a", "b", "c"]
GRID = pb.Grid([10, 100, 1000], "log")
BETWEEN = [11, 57, 99.5, 300]
STRENGTHS = np.array([0.1, 0.5, 2, 8, 32, 128])  # of the components of a pair's prior


def make_runs(instances=20, *, seed=0, cluster=None, maximise=False, coarse=False):
    """Runs with steps at their own budgets. Some find nothing at first, some end early, some fail."""
    rng, runs = np.random.default_rng(seed), []
    for i in range(instances):
        for speed, name in enumerate(NAMES):
            budgets = np.unique(rng.integers(1, 1000, size=12) if rng.random() < 0.9 else [400, 900]).astype(float)
            values = np.sort(rng.exponential(size=len(budgets)))[::-1] + 0.1 * speed
            values = np.ceil(3 * values) if coarse else values
            end = 1000.0 if rng.random() < 0.8 else max(60.0, budgets[-1])
            runs.append(
                pb.Trajectory(
                    name,
                    i,
                    budgets,
                    -values if maximise else values,
                    end=end,
                    failed=bool(rng.random() < 0.1),
                    maximise=maximise,
                    cluster=None if cluster is None else i // cluster,
                )
            )
    return runs


CASES = {
    "plain": ({}, {}),
    "ties": ({"coarse": True}, {}),
    "a tolerance": ({}, {"absolute_tolerance": 0.3, "relative_tolerance": 0.0}),
    "maximised": ({"maximise": True}, {}),
    "failures are missing": ({}, {"failure": "missing"}),
    "weights": ({}, {"weights": np.linspace(0.2, 3, 20)}),
    "a weight of zero": ({}, {"weights": np.arange(20) % 3}),
    "clusters": ({"cluster": 4}, {}),
    "repetitions": ({"cluster": 2}, {"cluster_unit": "run"}),
    "another order of names": ({}, {"names": ["c", "a", "b"]}),
}


def nearest(selection):
    """The numbers of the finding that a grid budget stands for the budget of the query; None if there is none."""
    return {each.code: dict(each.numbers) for each in selection.findings}.get(Code.NEAREST_BUDGET)


def fits(case, budget):
    """The posterior on the grid, and one whose grid has a further budget."""
    runs, options = CASES[case]
    runs = make_runs(**runs)
    longer = pb.Grid(sorted([*GRID.budgets, budget]), "log")
    return (
        pb.fit(pb.Choices.from_trajectories(runs, grid=grid, **options), draws=200, seed=3) for grid in (GRID, longer)
    )


@pytest.mark.parametrize("budget", BETWEEN)
@pytest.mark.parametrize("case", CASES)
def test_outcomes_are_those_of_a_grid_with_this_budget(case, budget):
    posterior, longer = fits(case, budget)
    exact, place = posterior.at(budget), int(np.flatnonzero(longer.grid.budgets == budget)[0])
    assert exact.grid.budgets.tolist() == [budget]
    assert exact.names == posterior.names
    np.testing.assert_array_equal(exact.comparisons[0], longer.comparisons[place])
    for a, b in combinations(range(3), 2):
        here, there, on_grid = (each.beliefs.belief(a, b) for each in (exact, longer, posterior))
        for quantity in ("wins", "losses", "ties", "compared"):
            np.testing.assert_allclose(getattr(here, quantity)[0], getattr(there, quantity)[place], rtol=1e-12)
        for shown, expected in zip(exact.beliefs.observed(a, b), longer.beliefs.observed(a, b), strict=True):
            np.testing.assert_allclose(shown[0], expected[place], rtol=1e-12)
        np.testing.assert_array_equal(here.weights, on_grid.weights)  # what the grid says about the kind of the pair
        flip = posterior.names[a] > posterior.names[b]  # beliefs are in the order of the names
        if here.independent:
            wins, losses, ties = here.wins[0], here.losses[0], here.ties[0]
            means = (STRENGTHS + wins + ties / 2) / (2 * STRENGTHS + wins + losses + ties)
            mean = float(on_grid.weights @ means)
            assert exact.expected_win_rate(a, b)[0] == pytest.approx(1 - mean if flip else mean, abs=1e-12)


@pytest.mark.parametrize("case", ["plain", "ties", "clusters"])
def test_draws_at_a_budget_of_the_grid_are_those_of_the_grid(case):
    """The same instances have the same weights, and the same components are chosen, in each draw."""
    posterior, _ = fits(case, 57)
    for place, budget in enumerate(GRID.budgets):
        exact = posterior.at(budget)
        for a, b in combinations(range(3), 2):
            np.testing.assert_allclose(exact.win_rates(a, b)[0], posterior.win_rates(a, b)[place], rtol=1e-6)
        np.testing.assert_allclose(exact.ratings[:, 0], posterior.ratings[:, place], rtol=1e-5)


@pytest.mark.parametrize("budget", BETWEEN)
@pytest.mark.parametrize(
    "criterion", [None, pb.FirstPlace(), pb.TopK(2), pb.MeanRank(), pb.WinRateAgainst("b")], ids=str
)
def test_a_selection_is_that_of_the_outcomes_there(budget, criterion):
    runs = make_runs(seed=5, coarse=True)
    runs = [pb.Trajectory(run.algorithm, run.instance, run.budgets, run.values, end=1000) for run in runs]
    posterior = pb.fit(pb.Choices.from_trajectories(runs, grid=GRID), draws=200)
    selection = pb.select(posterior, pb.At(budget), among=NAMES, criterion=criterion)
    rates = posterior.at(budget).all_win_rates()[:, 0]
    if criterion is None:
        rates[:, np.arange(3), np.arange(3)] = 1
        values = rates.min(axis=2)
        shares = [np.mean([row[k] == max(row) for row in values]) for k in range(3)]
        assert {each.name: each.probability_best for each in selection.candidates} == pytest.approx(
            dict(zip(NAMES, shares, strict=True))
        )
    elif isinstance(criterion, pb.MeanRank):
        values = (rates.sum(axis=2) - 0.5) / 2
    elif isinstance(criterion, pb.WinRateAgainst):
        values = rates[..., 1]
    else:  # shares of complete instances, with a prior that is as heavy as one
        found = np.array([[run.at([budget])[0] for run in runs[i : i + 3]] for i in range(0, len(runs), 3)])
        better, tied = (
            (found[:, None] < found[..., None]).sum(axis=2),
            (found[:, None] == found[..., None]).sum(axis=2),
        )
        k = criterion.k if isinstance(criterion, pb.TopK) else 1
        shares = np.clip((k - better) / tied, 0, 1).mean(axis=0)
        for each in selection.candidates:
            expected = (20 * shares[NAMES.index(each.name)] + k / 3) / 21
            assert each.expected == pytest.approx(expected, abs=5 * 0.5 / np.sqrt(21 * 200))
        return
    means = dict(zip(NAMES, values.mean(axis=0), strict=True))
    assert {each.name: each.expected for each in selection.candidates} == pytest.approx(means, abs=1e-6)


def test_nothing_is_interpolated():
    """`a` wins up to 20 evaluations, `b` from then on. At 57 the outcomes are those of 100, not half of either."""
    runs = []
    for i in range(30):
        runs.append(pb.Trajectory("a", i, [1], [5.0], end=1000))
        runs.append(pb.Trajectory("b", i, [1, 20], [9.0, 1.0], end=1000))
    posterior = pb.fit(pb.Choices.from_trajectories(runs, grid=GRID), draws=200)
    assert pb.select(posterior, pb.At(19)).recommendation == "a"
    assert pb.select(posterior, pb.At(20)).recommendation == "b"
    assert pb.select(posterior, pb.At(20)).probability_best == pb.select(posterior, pb.At(100)).probability_best
    (at_19, at_10), (at_57, at_100) = (
        [pb.select(posterior, pb.At(budget)).candidates[0].expected for budget in budgets]
        for budgets in ((19, 10), (57, 100))
    )
    assert (at_19, at_57) == (at_10, at_100)
    here, there = (" ".join(str(pb.select(posterior, pb.At(budget))).split()) for budget in (57, 100))
    assert here == there.replace("a budget of 100", "a budget of 57")


def test_a_budget_at_which_two_algorithms_tie_does_not_merge_them():
    """Before the first solution everybody ties; later they differ, so that they are different algorithms."""
    runs = [
        pb.Trajectory(name, i, [100, 300], [2.0 + i % 3, float(rank)], end=1000)
        for i in range(20)
        for rank, name in enumerate(NAMES)
    ]
    posterior = pb.fit(pb.Choices.from_trajectories(runs, grid=[50, 400, 1000]), draws=200)
    for budget in (50, 60, 200):
        selection = pb.select(posterior, pb.At(budget), among=NAMES)
        assert {each.name for each in selection.candidates} == set(NAMES)
        assert selection.candidates[0].expected < 0.55
    assert pb.select(posterior, pb.At(400), among=NAMES).recommendation == "a"


def test_algorithms_that_are_the_same_on_the_grid_may_differ_between_its_budgets():
    runs = [
        pb.Trajectory(name, i, [1, budget, 90], [9.0, 2.0, 1.0], end=100)
        for i in range(20)
        for name, budget in (("a", 20), ("b", 40))
    ]
    posterior = pb.fit(pb.Choices.from_trajectories(runs, grid=[10, 50, 100]), draws=200)
    assert pb.select(posterior, pb.At(50)).candidates[0].name == "a = b"
    assert pb.select(posterior, pb.At(15)).candidates[0].name == "a = b"
    assert [each.name for each in pb.select(posterior, pb.At(30)).candidates] == ["a", "b"]


@pytest.mark.parametrize("budget", [9.9, 1001, 0, -5, np.inf, np.nan])
def test_a_budget_outside_the_record_is_refused(budget, tmp_path):
    posterior = pb.fit(pb.Choices.from_trajectories(make_runs(), grid=GRID), draws=100)
    posterior.save(tmp_path / "posterior.npz")
    for each in (
        posterior,
        pb.Posterior.load(tmp_path / "posterior.npz"),
        random_posterior(grid=pb.log_grid(10, 1000, 8)),
    ):
        with pytest.raises(
            ValueError, match=r"expected the budget from 10 to 1,000, got .*; choose a budget in this range"
        ):
            pb.select(each, pb.At(budget))


@pytest.mark.parametrize(("budget", "below"), [(11, 10), (99.5, 10), (300, 100), (999, 100)])
def test_without_runs_the_nearest_grid_budget_below_is_used(budget, below, tmp_path):
    posterior = pb.fit(pb.Choices.from_trajectories(make_runs(), grid=GRID), draws=200)
    posterior.save(tmp_path / "posterior.npz")
    loaded = pb.Posterior.load(tmp_path / "posterior.npz")
    assert loaded.at(budget) is None
    here, there = pb.select(loaded, pb.At(budget), among=NAMES), pb.select(posterior, pb.At(below), among=NAMES)
    assert here.candidates == there.candidates
    assert (here.preference, here.used) == (pb.At(budget), pb.At(below))
    assert nearest(here) == {"budget": budget, "used": below}
    assert nearest(there) is None
    assert nearest(pb.select(posterior, pb.At(budget), among=NAMES)) is None
    assert nearest(pb.select(loaded, pb.At(below), among=NAMES)) is None


def test_values_on_a_grid_and_rankings_have_no_runs():
    values = np.random.default_rng(0).normal(size=(20, 3, 3))
    choices = pb.Choices.from_values(values, grid=GRID)
    for each in (choices, pb.Choices.from_rankings(choices.rankings)):
        posterior = pb.fit(each, draws=100)
        assert posterior.at(57) is None
        assert nearest(pb.select(posterior, pb.At(57))) == {"budget": 57, "used": 10}


def test_weights_that_were_changed_later_count():
    runs = make_runs()
    weights = np.linspace(0.5, 4, 20)
    choices = pb.Choices.from_trajectories(runs, grid=GRID)
    heavier = pb.Choices.from_rankings(choices.rankings, weights=weights)
    given = pb.Choices.from_trajectories(runs, grid=GRID, weights=weights)
    for one, other in (
        (heavier, given),
        (2 * choices, pb.Choices.from_trajectories(runs, grid=GRID, weights=[2.0] * 20)),
    ):
        here, there = (pb.fit(each, draws=100).at(57).beliefs.belief(0, 1) for each in (one, other))
        assert (here.wins, here.losses, here.ties) == (there.wins, there.losses, there.ties)


def test_weights_that_depend_on_budget_are_known_on_the_grid_only():
    weights = np.random.default_rng(0).uniform(1, 2, size=(20, 3))
    posterior = pb.fit(pb.Choices.from_trajectories(make_runs(), grid=GRID, weights=weights), draws=100)
    assert posterior.at(57) is None
    assert nearest(pb.select(posterior, pb.At(57))) == {"budget": 57, "used": 10}


def test_under_the_papers_priors_ratings_are_interpolated():
    posterior = random_posterior(grid=pb.Grid([10, 20, 30, 40, 60, 70, 80, 90]))
    assert posterior.at(25) is None
    selection = pb.select(posterior, pb.At(25))
    half_way = posterior.ratings[:, 1:3].mean(axis=1)
    means = dict(zip("ABCD", half_way.mean(axis=0), strict=True))
    assert {each.name: each.expected for each in selection.candidates} == pytest.approx(means)
    best = np.mean(half_way.argmax(axis=1) == "ABCD".index(selection.recommendation))
    assert selection.probability_best == pytest.approx(best)  # not limited by those of the two budgets of the grid
    assert nearest(selection) is None


def test_an_algorithm_without_runs_at_the_budget_is_left_out():
    runs = [
        pb.Trajectory(name, i, [1, 5], [9.0, rank + i % 2], end=end)
        for i in range(20)
        for rank, (name, end) in enumerate([("short", 50), ("long", 1000), ("last", 1000)])
    ]
    posterior = pb.fit(pb.Choices.from_trajectories(runs, grid=GRID), draws=200)
    assert pb.select(posterior, pb.At(50)).recommendation == "short"
    late = pb.select(posterior, pb.At(57), among=["short", "long", "last"])
    assert (late.recommendation, late.not_observed) == ("long", ("short",))
    alone = pb.select(posterior, pb.At(57), among=["short", "long"])
    assert [each.name for each in alone.candidates] == ["long"]
    assert (alone.rival.name, alone.rival.is_dropped) == ("last", True)  # short was not observed there
    with pytest.raises(ValueError, match=r"got a budget of 57, for which there is none \(.*: short at 57\)"):
        pb.select(posterior, pb.At(57), among=["short"])


@pytest.fixture(scope="module")
def recorded():
    return Recording.load()


def check_recorded(posterior, recorded, budget):
    """Compare the outcomes of a posterior at a budget with the recorded values, instance by instance."""
    place = int(np.flatnonzero(recorded.evaluations <= budget)[-1])
    rankings = posterior.beliefs.sample.rankings
    exact = posterior.at(budget)
    for a, b in combinations(range(len(posterior.names)), 2):
        first, second = (recorded.names.index(posterior.names[each]) for each in (a, b))
        won = number = 0
        for row, instance in enumerate(rankings.instances):
            if (rankings.ranks[row][:, [a, b]] == ABSENT).any():
                continue
            one, other = recorded.values[instance, place, [first, second]]
            won, number = won + (one < other) + (one == other) / 2, number + 1
        if number:
            (share,), (observed,) = exact.beliefs.observed(a, b)
            assert (share, observed) == (pytest.approx(won / number), number)


@pytest.mark.parametrize("budget", [150, 1234, 30_000])
def test_recorded_runs_of_ma_bbob(recorded, budget):
    runs = recorded.trajectories(order=range(15))
    posterior = pb.fit(pb.Choices.from_trajectories(runs, grid=recorded.coarse_grid(8)), draws=200)
    check_recorded(posterior, recorded, budget)
    kept = pb.pareto_set(posterior)
    selection = pb.select(posterior, pb.At(budget))
    assert {each.name for each in selection.candidates} == set(kept)
    columns = [posterior.names.index(name) for name in kept]
    rates = posterior.at(budget).all_win_rates()[:, 0][:, columns][:, :, columns]
    rates[:, np.arange(len(kept)), np.arange(len(kept))] = 1
    lowest = rates.min(axis=2)
    shares = {name: np.mean(lowest[:, k] == lowest.max(axis=1)) for k, name in enumerate(kept)}
    assert {each.name: each.probability_best for each in selection.candidates} == pytest.approx(shares)


@pytest.mark.parametrize("prior", [None, pb.Dirichlet(1)], ids=["default", "Dirichlet"])
def test_a_race_has_its_runs(recorded, prior):
    settings = {} if prior is None else {"prior": prior, "dominance": "pointwise"}
    race = pb.Race(recorded.names, None, recorded.coarse_grid(6), draws=200, seed=1, **settings)
    result = race.drive(pb.ReplayExecutor(recorded.trajectories()), max_instances=24, progress="none")
    budget = 2345
    if prior is not None:
        assert result.posterior.at(budget) is None
        assert pb.select(result, pb.At(budget)).recommendation in result.kept
        return
    check_recorded(result.posterior, recorded, budget)
    selection = pb.select(result, pb.At(budget))
    assert selection.recommendation in result.kept
    assert nearest(selection) is None
