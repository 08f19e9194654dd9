"""Copies of one algorithm in a portfolio, measured by repeated runs."""

from dataclasses import replace

import numpy as np
import pytest

import polarbear as pb
from polarbear.selection import portfolio as portfolios

GRID = [1, 2, 3]


def posterior_of_repetitions(values, *, seed=1, **prior):
    """A posterior of values (problem, repetition, time, algorithm)."""
    problems, repetitions, times, algorithms = values.shape
    labels = tuple(np.repeat(np.arange(problems), repetitions).tolist())
    choices = pb.Choices.from_values(
        values.reshape(-1, times, algorithms),
        grid=GRID[:times],
        clusters=pb.Clusters(labels, kind="instance", unit="run"),
    )
    return pb.fit(choices, prior=pb.BayesianBootstrap(**prior), draws=1000, seed=seed)


def noisy_values(problems, repetitions, *, noise, algorithms=3, seed=0):
    """Levels of each algorithm on each problem, and noise of each run; `noise` is one number per algorithm."""
    rng = np.random.default_rng(seed)
    level = rng.normal(size=(problems, 1, 1, algorithms))
    return level + np.array(noise) * rng.normal(size=(problems, repetitions, 3, algorithms))


def value_of(selection, *members):
    return next(each for each in selection.candidates if each.members == members)


def test_copies_of_a_deterministic_algorithm_add_almost_nothing():
    """On 40 problems the pseudo-instance, which follows Plackett-Luce, is all that a second run can gain."""
    posterior = posterior_of_repetitions(noisy_values(40, 3, noise=[0, 0, 0]))
    selection = pb.select(posterior, pb.At(2), portfolio=2)
    for index, name in enumerate("ABC"):
        alone = posterior.ratings[:, 1, index].mean()
        gained = value_of(selection, name, name).expected - alone
        assert 0 <= gained < 0.02
        model = pb.select(without_repetitions(posterior), pb.At(2), portfolio=2)
        assert value_of(model, name, name).expected - alone > 0.1


def without_repetitions(posterior):
    return replace(posterior, outcomes=replace(posterior.outcomes, repeated=None))


def test_copies_of_independent_runs_have_the_value_of_plackett_luce():
    """All runs on all problems have one distribution, so that each of m runs comes first with probability 1 / m.

    The tolerance is three standard errors: 300 problems with four runs each, of which a third is first.
    """
    values = np.random.default_rng(5).normal(size=(300, 4, 3, 3))
    posterior = posterior_of_repetitions(values)
    for size, expected in ((2, 2 / 4), (3, 3 / 5), (4, 4 / 6)):
        selection = pb.select(posterior, pb.At(1), portfolio=size)
        assert value_of(selection, *("A" * size)).expected == pytest.approx(expected, abs=0.06)


def test_values_equal_shares_of_first_places_over_all_choices_of_runs():
    """Outcomes alone, without pseudo-instances: the value is a weighted mean over instances and further runs."""
    values = noisy_values(6, 3, noise=[1.0, 0.5, 0.1], seed=4)
    posterior = posterior_of_repetitions(values, plackett_luce=0, pseudo_instances=1e-9, shrink=False)
    weights = posterior.outcomes.weights[:18].reshape(6, 3, -1).sum(axis=1)
    first = np.zeros(6)
    for problem in range(6):
        runs = values[problem, :, 1]
        pairs = [(i, j) for i in range(3) for j in range(3) if j != i]
        first[problem] = np.mean([min(runs[i, 0], runs[j, 0]) < runs[i, 1:].min() for i, j in pairs])
    selection = pb.select(posterior, pb.At(2), portfolio=2)
    both = value_of(selection, "A", "A")
    assert both.expected == pytest.approx((first @ weights).mean(), abs=1e-4)  # weights in single precision
    won = portfolios.win_rate_against(posterior, [0, 0], 1)[1]
    listed = [
        np.mean([min(values[p, i, 1, 0], values[p, j, 1, 0]) < values[p, i, 1, 1] for i, j in pairs]) for p in range(6)
    ]
    assert won == pytest.approx((np.array(listed) @ weights).mean(), abs=1e-4)
    assert pb.portfolio_win_probability(posterior, ["A", "A"], ["B"])[1] == pytest.approx(won, abs=1e-9)
    assert pb.portfolio_win_probability(posterior, ["B"], ["A", "A"])[1] == pytest.approx(1 - won, abs=1e-9)


@pytest.mark.parametrize("size", [2, 3, 5])
def test_a_further_machine_never_lowers_the_value(size):
    posterior = posterior_of_repetitions(noisy_values(8, 3, noise=[1.0, 0.3, 0.0], seed=2))
    preference = pb.Custom(lambda curves: curves.mean(axis=-1))
    for query in (pb.Uniform(), preference):
        smaller, larger = (pb.select(posterior, query, portfolio=each) for each in (size - 1, size))
        values = {each.members: each.expected for each in smaller.candidates}
        for each in larger.candidates:
            for position in range(size):
                fewer = each.members[:position] + each.members[position + 1 :]
                assert each.expected >= values[fewer] - 1e-9
        assert larger.values.max() <= 1.0


def test_linear_and_custom_preferences_give_the_same_values():
    posterior = posterior_of_repetitions(noisy_values(8, 3, noise=[1.0, 0.3, 0.1], seed=2))
    weights = pb.Uniform().weights(posterior.grid)
    linear = pb.select(posterior, portfolio=3)
    custom = pb.select(posterior, pb.Custom(lambda curves: curves @ weights), portfolio=3)
    assert {each.members: each.expected for each in linear.candidates} == pytest.approx(
        {each.members: each.expected for each in custom.candidates}
    )


def test_the_sentence_says_how_copies_were_valued():
    values = noisy_values(10, 3, noise=[2.0, 0.01, 0.01], seed=3) - np.array([1.5, 0, 0])
    posterior = posterior_of_repetitions(values)
    pair, five = (pb.select(posterior, pb.At(1), among=["A"], portfolio=size) for size in (2, 5))
    assert pair.recommendation == ("A", "A")
    assert "The value of copies of one algorithm is measured by repeated runs on 10 instances." in pair.sentence
    assert "on 10 instances, at most 3 on each; further copies add nothing here." in five.sentence
    three = pb.select(posterior, pb.At(1), among=["A"], portfolio=3)
    assert five.candidates[0].expected >= three.candidates[0].expected
    model = pb.select(without_repetitions(posterior), pb.At(1), among=["A"], portfolio=2)
    assert "is computed from Plackett-Luce; repeated runs on the same instances would measure it." in model.sentence


def test_repeated_runs_survive_saving_and_thinning(tmp_path):
    posterior = posterior_of_repetitions(noisy_values(8, 3, noise=[1.0, 0.3, 0.0]))
    posterior.save(tmp_path / "whole.posterior")
    posterior.save(tmp_path / "small.posterior", draws=500)
    whole, small = (pb.Posterior.load(tmp_path / f"{name}.posterior") for name in ("whole", "small"))
    expected = value_of(pb.select(posterior, portfolio=2), "A", "A").expected
    assert value_of(pb.select(whole, portfolio=2), "A", "A").expected == pytest.approx(expected, abs=1e-6)
    assert value_of(pb.select(small, portfolio=2), "A", "A").expected == pytest.approx(expected, abs=0.02)


def test_without_copies_all_members_differ():
    posterior = posterior_of_repetitions(noisy_values(8, 3, noise=[1.0, 0.3, 0.0]))
    pair = pb.select(posterior, portfolio=2, copies=False)
    assert {each.members for each in pair.candidates} == {("A", "B"), ("A", "C"), ("B", "C")}
    five = pb.select(posterior, portfolio=5, copies=False)
    assert five.recommendation == ("A", "B", "C")
    assert "Without copies, 2 machines of 5 would be idle." in five.sentence
    one = pb.select(posterior, among=["A"], portfolio=2, copies=False)
    assert one.recommendation == "A"
    assert "Without copies, 1 machine of 2 would be idle." in one.sentence


@pytest.mark.parametrize("risk", [pb.Expected(), pb.Quantile(0.1)], ids=str)
def test_a_search_without_copies_agrees_with_comparing_all(risk, monkeypatch):
    posterior = posterior_of_repetitions(noisy_values(10, 2, noise=np.ones(6), algorithms=6))
    everything = pb.select(posterior, risk=risk, portfolio=3, copies=False)
    monkeypatch.setattr(portfolios, "_COMPARED", 0)
    searched = pb.select(posterior, risk=risk, portfolio=3, copies=False)
    assert "the search found" in searched.sentence
    assert searched.recommendation == everything.recommendation
    assert all(len(set(each.members)) == 3 for each in searched.candidates)
    with_copies = pb.select(posterior, risk=risk, portfolio=3)
    monkeypatch.undo()
    assert with_copies.recommendation == pb.select(posterior, risk=risk, portfolio=3).recommendation
