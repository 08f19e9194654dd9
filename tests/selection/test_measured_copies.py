"""Copies of one algorithm in a portfolio, measured by repeated runs under the default belief."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

import polarbear as pb
from polarbear.findings import Code
from polarbear.selection import portfolio as portfolios
from polarbear.selection import portfolio_search

GRID = [1, 2, 3]


def choices_of(values):
    """Choices of values (problem, repetition, budget, algorithm)."""
    problems, repetitions, budgets, algorithms = values.shape
    labels = tuple(np.repeat(np.arange(problems), repetitions).tolist())
    return pb.Choices.from_values(
        values.reshape(-1, budgets, algorithms),
        grid=GRID[:budgets],
        clusters=pb.Clusters(labels, kind="instance", unit="run"),
    )


def posterior_of_repetitions(values, *, seed=1, **prior):
    return pb.fit(choices_of(values), prior=pb.BayesianBootstrap(**prior), draws=1000, seed=seed)


def noisy_values(problems, repetitions, *, noise, algorithms=3, seed=0):
    """Levels of each algorithm on each problem, and noise of each run; `noise` is one number per algorithm."""
    rng = np.random.default_rng(seed)
    level = rng.normal(size=(problems, 1, 1, algorithms))
    return level + np.array(noise) * rng.normal(size=(problems, repetitions, 3, algorithms))


def value_of(selection, *members):
    return next(each for each in selection.candidates if each.members == members)


def select_all(posterior, preference=None, **query):
    return pb.select(posterior, preference, among=posterior.names, **query)


@pytest.mark.parametrize("ties", [False, True])
def test_copies_of_a_deterministic_algorithm_add_nothing(ties):
    """Against its own second run it ties, so that the values are half the shares of first places, with shared ones whole."""
    values = noisy_values(40, 4, noise=[0, 0, 0])
    values = values.round() if ties else values
    posterior = posterior_of_repetitions(values)
    pair, three = (select_all(posterior, pb.At(2), portfolio=size) for size in (2, 3))
    for name in "ABC":
        assert value_of(three, name, name, name).expected == value_of(pair, name, name).expected
    assert value_of(three, "A", "A", "B").expected == value_of(pair, "A", "B").expected
    levels = values[:, 0, 0]
    share = (levels[:, 0] == levels.min(axis=1)).mean()
    assert value_of(pair, "A", "A").expected == pytest.approx(share / 2, abs=0.02)
    assert len(set(pair.recommendation)) == 2


def test_copies_of_independent_restarts_have_the_exact_value():
    """All runs on all problems have one distribution, so that s of s + 3 runs win with probability s / (s + 3).

    The tolerance is five standard errors: 400 problems, with six runs of each algorithm.
    """
    values = np.random.default_rng(5).normal(size=(400, 6, 1, 3))
    posterior = posterior_of_repetitions(values)
    tolerance = 5 * 0.5 / np.sqrt(400 * 3)  # cautious: two of the runs of a problem are independent of each other
    for size in (2, 3, 4):
        for each in select_all(posterior, pb.At(1), portfolio=size).candidates:
            assert each.expected == pytest.approx(size / (size + 3), abs=tolerance)
    won = pb.portfolio_win_probability(posterior, ["A", "A"], ["B", "B", "C"])
    assert won == pytest.approx([2 / 5], abs=tolerance)


def test_where_plackett_luce_holds_the_order_is_that_of_the_paper():
    """Three copies of the best one beat three good algorithms, as in the audit of the paper's priors."""
    theta = np.array([0.099, 0.28, 0.238, 0.383])
    values = np.random.default_rng(0).exponential(1 / theta, size=(400, 5, 1, 4))
    posterior = posterior_of_repetitions(values)
    selection = select_all(posterior, portfolio=3)
    assert selection.recommendation == ("D", "D", "D")
    for each in selection.candidates:
        strength = sum(theta["ABCD".index(name)] for name in each.members)
        assert each.expected == pytest.approx(strength / (strength + 1), abs=5 * 0.5 / np.sqrt(400 * 2))
    duel = pb.portfolio_win_probability(posterior, ["B", "C", "D"], ["D", "D", "D"])
    assert duel[0] < 0.5


def shares_of_copies(values, copies, rivals):
    """How often the best of so many different runs of the first algorithm beats another run of each rival.

    The mean is over problems and over all choices of runs with different numbers, from values (problem, run, algorithm);
    the rivals share a number.
    """
    won = []
    for own in permutations(range(values.shape[1]), copies + 1):
        best = values[:, list(own[:-1]), 0].min(axis=1)
        won.append(best < values[:, own[-1]][:, rivals].min(axis=1))
    return np.mean(won)


def test_values_are_shares_of_problems_against_independent_runs():
    values = noisy_values(400, 4, noise=[1.0, 0.5, 0.1], seed=4)
    posterior = posterior_of_repetitions(values)
    for size in (2, 3):
        found = value_of(select_all(posterior, pb.At(2), portfolio=size), *("A" * size))
        assert found.expected == pytest.approx(shares_of_copies(values[:, :, 1], size, [0, 1, 2]), abs=0.03)
    won = portfolios.win_rate_against(posterior, [0, 0], 1)[1]
    assert won == pytest.approx(shares_of_copies(values[:, :, 1], 2, [1]), abs=0.03)
    assert pb.portfolio_win_probability(posterior, ["A", "A"], ["B"])[1] == won
    assert pb.portfolio_win_probability(posterior, ["B"], ["A", "A"])[1] == 1 - won
    shared = portfolios.win_rate_against(posterior, [0, 0], 0)[1]
    assert shared == pytest.approx(0.75, abs=0.02)  # the first of two runs is the better one on half: a tie with itself


@pytest.mark.parametrize("size", [2, 3, 5])
def test_a_further_machine_never_lowers_the_value(size):
    posterior = posterior_of_repetitions(noisy_values(8, 3, noise=[1.0, 0.3, 0.0], seed=2))
    for query in (pb.At(1), pb.Custom(lambda curves: curves.mean(axis=-1))):
        smaller, larger = (select_all(posterior, query, portfolio=each) for each in (max(size - 1, 2), size))
        values = {each.members: each.expected for each in smaller.candidates}
        for each in larger.candidates:
            for position in range(size):
                fewer = each.members[:position] + each.members[position + 1 :]
                assert each.expected >= values.get(fewer, 0) - 1e-6
        assert larger.values.max() <= 1.0


def test_linear_and_custom_preferences_give_the_same_values():
    posterior = posterior_of_repetitions(noisy_values(8, 3, noise=[1.0, 0.3, 0.1], seed=2))
    weights = pb.Uniform().weights(posterior.grid)
    linear = select_all(posterior, portfolio=3)
    custom = select_all(posterior, pb.Custom(lambda curves: curves @ weights), portfolio=3)
    assert {each.members: each.expected for each in linear.candidates} == pytest.approx(
        {each.members: each.expected for each in custom.candidates}
    )


def test_there_are_as_many_copies_as_repetitions_at_most():
    posterior = posterior_of_repetitions(noisy_values(10, 2, noise=np.ones(3)))
    assert {max(map(each.members.count, "ABC")) for each in select_all(posterior, portfolio=4).candidates} == {2}
    assert len(select_all(posterior, portfolio=6).candidates) == 1
    message = (
        "expected at most 6 machines, 2 for each candidate, got 7; use fewer machines or more candidates, or repeat the "
        "runs on each instance more often"
    )
    with pytest.raises(ValueError, match=message):
        select_all(posterior, portfolio=7)


def measured(selection):
    """The numbers of the finding on measured copies; None if there is none."""
    return {each.code: dict(each.numbers) for each in selection.findings}.get(Code.MEASURED_COPIES)


def test_a_finding_says_how_portfolios_were_valued():
    values = np.array([2.0, 0.01, 0.01]) * np.random.default_rng(3).normal(size=(40, 3, 3, 3)) - np.array([1, 0, 0])
    posterior = posterior_of_repetitions(values)
    pair = select_all(posterior, pb.At(1), portfolio=2)
    assert pair.recommendation == ("A", "A")
    assert (pair.valued, pair.best_single) == ("repeated runs", "A")
    assert measured(pair) == {"instances": 40, "fewest": 3, "most": 3, "enough": True}
    uneven = values.copy()
    uneven[:10, 2] = np.nan
    three = select_all(posterior_of_repetitions(uneven), pb.At(1), portfolio=3)
    assert three.recommendation == ("A", "A", "A")
    assert measured(three) == {"instances": 40, "fewest": 2, "most": 3, "enough": False}


def test_copies_need_repetitions_of_half_of_the_instances_at_every_budget():
    values = noisy_values(10, 3, noise=np.ones(3))
    values[:, 1:, 2] = np.nan  # the repetitions end before the last budget
    values[6:, 1:] = np.nan  # and there are none of four instances
    posterior = posterior_of_repetitions(values)
    early, late = (select_all(posterior, query, portfolio=2) for query in (pb.At(2), pb.At(3)))
    assert measured(early)["instances"] == 6
    assert measured(late) is None
    assert Code.NO_COPIES in {each.code for each in late.findings}
    assert all(len(set(each.members)) == 2 for each in late.candidates)
    values[4:, 1:] = np.nan
    few = select_all(posterior_of_repetitions(values), pb.At(2), portfolio=2)
    assert Code.NO_COPIES in {each.code for each in few.findings}
    with pytest.raises(ValueError, match="expected repeated runs of A and B on the same instances"):
        pb.portfolio_win_probability(posterior_of_repetitions(values[4:]), ["A", "A"], ["B"])


def test_eliminated_algorithms_do_not_matter():
    """Later repetitions have two survivors of six: the other four are no candidates."""
    values = noisy_values(30, 4, noise=np.ones(6), algorithms=6, seed=8)
    values[:, 1:, :, 2:] = np.nan
    raced = pb.select(posterior_of_repetitions(values), pb.At(1), among=["A", "B"], portfolio=3)
    alone = select_all(posterior_of_repetitions(values[..., :2]), pb.At(1), portfolio=3)
    np.testing.assert_allclose(raced.values, alone.values, atol=1e-6)
    with pytest.raises(ValueError, match="expected candidates that share at least half of the instances"):
        select_all(posterior_of_repetitions(values), pb.At(1), portfolio=2)


def test_of_portfolios_with_all_algorithms_the_one_whose_copy_helps_is_recommended():
    values = noisy_values(60, 3, noise=[0.0, 1.0, 0.0], seed=7)
    selection = select_all(posterior_of_repetitions(values), pb.At(1), portfolio=4)
    assert selection.recommendation == ("A", "B", "B", "C")


def test_two_copies_may_be_better_than_both_of_two_candidates():
    """B is hardly ever the better one: a second run of A adds more."""
    values = np.random.default_rng(1).normal(size=(100, 4, 1, 2)) + np.array([0, 2])
    selection = select_all(posterior_of_repetitions(values), portfolio=2)
    assert selection.recommendation == ("A", "A")
    alone = pb.select(posterior_of_repetitions(values), among=["A"], portfolio=2)
    assert alone.candidates[0].expected == pytest.approx(2 / 3, abs=0.1)


def test_without_copies_all_instances_count():
    values = noisy_values(8, 3, noise=[1.0, 0.3, 0.0])
    values[:3, 1:] = np.nan
    posterior = posterior_of_repetitions(values)
    pair = select_all(posterior, pb.At(1), portfolio=2, copies=False)
    assert {each.members for each in pair.candidates} == {("A", "B"), ("A", "C"), ("B", "C")}
    curves = pb.FirstPlace().curves(posterior, np.arange(3))[:, 0]
    assert value_of(pair, "A", "C").expected == pytest.approx(curves[:, [0, 2]].sum(axis=1).mean())
    with pytest.raises(ValueError, match="got 5; use fewer machines or more candidates, or allow copies"):
        select_all(posterior, portfolio=5, copies=False)


def test_repeated_runs_survive_saving_and_thinning(tmp_path):
    posterior = posterior_of_repetitions(noisy_values(8, 3, noise=[1.0, 0.3, 0.0]))
    posterior.save(tmp_path / "whole.posterior")
    posterior.save(tmp_path / "small.posterior", draws=500)
    whole, small = (pb.Posterior.load(tmp_path / f"{name}.posterior") for name in ("whole", "small"))
    expected = value_of(select_all(posterior, portfolio=2), "A", "A").expected
    assert value_of(select_all(whole, portfolio=2), "A", "A").expected == pytest.approx(expected, abs=1e-6)
    assert value_of(select_all(small, portfolio=2), "A", "A").expected == pytest.approx(expected, abs=0.02)


def test_a_budget_between_two_budgets_has_repetitions_too():
    rng = np.random.default_rng(0)
    runs = [
        pb.Trajectory(name, (problem, repetition), [1, 5], [9 + rng.random(), rng.random()], end=10, cluster=problem)
        for problem in range(10)
        for repetition in range(3)
        for name in "ABC"
    ]
    options = {"cluster_kind": "instance", "cluster_unit": "run"}
    coarse, exact = (
        pb.fit(pb.Choices.from_trajectories(runs, grid=grid, **options), draws=500) for grid in ([2, 9], [6])
    )
    between, known = (select_all(each, pb.At(6), portfolio=2) for each in (coarse, exact))
    assert {each.name: each.expected for each in between.candidates} == pytest.approx(
        {each.name: each.expected for each in known.candidates}
    )
    assert ("A", "A") in {each.members for each in between.candidates}


@pytest.mark.parametrize("risk", [pb.Expected(), pb.Quantile(0.1)], ids=str)
def test_a_search_agrees_with_comparing_all(risk, monkeypatch):
    posterior = posterior_of_repetitions(noisy_values(10, 2, noise=np.ones(6), algorithms=6))
    for query in ({"portfolio": 3}, {"portfolio": 3, "copies": False}, {"portfolio": 5}):
        everything = select_all(posterior, risk=risk, **query)
        with monkeypatch.context() as patch:
            patch.setattr(portfolio_search, "_COMPARED", 0)
            searched = select_all(posterior, risk=risk, **query)
        assert Code.SEARCHED in {each.code for each in searched.findings}
        assert searched.recommendation == everything.recommendation


def test_repetitions_unknown_to_the_posterior_measure_nothing():
    posterior = posterior_of_repetitions(noisy_values(10, 3, noise=np.ones(3)))
    sample = posterior.beliefs.sample
    forgetful = replace(sample, rankings=replace(sample.rankings, repeated=None))
    without = replace(posterior, beliefs=replace(posterior.beliefs, sample=forgetful))
    assert all(len(set(each.members)) == 2 for each in select_all(without, portfolio=2).candidates)
