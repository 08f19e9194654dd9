"""Copies of one algorithm in a portfolio, measured by repeated runs."""

from dataclasses import replace

import numpy as np
import pytest

import polarbear as pb
from polarbear.selection import portfolio as portfolios
from polarbear.selection.explanation import explain

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
    """On 40 problems the prior, one instance that follows Plackett-Luce, is all that a second run can gain."""
    posterior = posterior_of_repetitions(noisy_values(40, 3, noise=[0, 0, 0]))
    selection = pb.select(posterior, pb.At(2), portfolio=2)
    for index, name in enumerate("ABC"):
        alone = posterior.ratings[:, 1, index].mean()
        gained = value_of(selection, name, name).expected - alone
        assert 0 <= gained < 0.02
        model = pb.select(without_repetitions(posterior), pb.At(2), portfolio=2)
        assert value_of(model, name, name).expected - alone > 0.1


def without_repetitions(posterior):
    """The same posterior, which does not know that instances are repetitions."""
    sample = posterior.beliefs.sample
    forgetful = replace(sample, rankings=replace(sample.rankings, repeated=None))
    return replace(posterior, beliefs=replace(posterior.beliefs, sample=forgetful))


def test_copies_of_independent_runs_have_the_value_of_plackett_luce():
    """All runs on all problems have one distribution, so that each of m runs comes first with probability 1 / m.

    The tolerance is three standard errors: 300 problems with four runs each, of which a third is first.
    """
    values = np.random.default_rng(5).normal(size=(300, 4, 3, 3))
    posterior = posterior_of_repetitions(values)
    for size, expected in ((2, 2 / 4), (3, 3 / 5), (4, 4 / 6)):
        selection = pb.select(posterior, pb.At(1), portfolio=size)
        assert value_of(selection, *("A" * size)).expected == pytest.approx(expected, abs=0.06)


def first_places_of_two_runs(values):
    """The share of problems on which two runs of A come first, over all choices, from values (problem, run, algorithm).

    The rivals are those that ran together with the first of the two.
    """
    shares = []
    for runs in values:
        together = [i for i, run in enumerate(runs) if not np.isnan(run).any()]
        pairs = [(i, j) for i in together for j in range(len(runs)) if i != j]
        shares.append(np.mean([min(runs[i, 0], runs[j, 0]) < runs[i, 1:].min() for i, j in pairs]))
    return np.mean(shares)


def test_values_equal_shares_of_first_places_over_all_choices_of_runs():
    """With each problem a hundred times, the prior counts little: the value is a mean over problems and pairs of runs."""
    few = noisy_values(6, 3, noise=[1.0, 0.5, 0.1], seed=4)
    values = np.tile(few, (100, 1, 1, 1))
    posterior = posterior_of_repetitions(values)
    tolerance = 5 * 0.5 / np.sqrt(600 * 1000) + 2 / 600  # of a mean of 1,000 draws, and of two priors of one instance
    both = value_of(pb.select(posterior, pb.At(2), portfolio=2, criterion=pb.FirstPlace()), "A", "A")
    assert both.expected == pytest.approx(first_places_of_two_runs(few[:, :, 1]), abs=tolerance)
    won = portfolios.win_rate_against(posterior, [0, 0], 1)[1]
    assert won == pytest.approx(first_places_of_two_runs(few[:, :, 1, :2]), abs=tolerance)
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
    assert "on 10 instances, with 3 runs on each; further copies add nothing there." in five.sentence
    three = pb.select(posterior, pb.At(1), among=["A"], portfolio=3)
    assert five.candidates[0].expected >= three.candidates[0].expected
    model = pb.select(without_repetitions(posterior), pb.At(1), among=["A"], portfolio=2)
    assert "from Plackett-Luce, since the posterior has no repeated runs of it on the same instances." in model.sentence
    few = pb.select(posterior_of_repetitions(values[:5]), pb.At(1), among=["A"], portfolio=2)
    assert "by repeated runs on 5 instances; Plackett-Luce counts like one more instance." in few.sentence
    shorter = values.copy()
    shorter[:, 1:, 1:] = np.nan  # repetitions end before the second time
    late, all_times = (
        pb.select(posterior_of_repetitions(shorter), query, among=["A"], portfolio=2)
        for query in (pb.At(3), pb.Uniform())
    )
    assert "no repeated runs of it on the same instances at these budgets." in late.sentence
    assert (
        "on 10 instances (at some budgets there are none, and it is computed from Plackett-Luce)." in all_times.sentence
    )


def test_repeated_runs_survive_saving_and_thinning(tmp_path):
    posterior = posterior_of_repetitions(noisy_values(8, 3, noise=[1.0, 0.3, 0.0]))
    posterior.save(tmp_path / "whole.posterior")
    posterior.save(tmp_path / "small.posterior", draws=500)
    whole, small = (pb.Posterior.load(tmp_path / f"{name}.posterior") for name in ("whole", "small"))
    expected = value_of(pb.select(posterior, portfolio=2), "A", "A").expected
    assert value_of(pb.select(whole, portfolio=2), "A", "A").expected == pytest.approx(expected, abs=1e-6)
    assert value_of(pb.select(small, portfolio=2), "A", "A").expected == pytest.approx(expected, abs=0.02)


def test_eliminated_rivals_do_not_make_copies_look_better():
    """Later repetitions hold two survivors of six: copies still have to beat all six, on the instances that have them."""
    values = noisy_values(60, 4, noise=np.ones(6), algorithms=6, seed=8)
    values[:, 1:, :, 2:] = np.nan
    raced = pb.select(posterior_of_repetitions(values), pb.At(1), portfolio=3)
    for index, name in enumerate("AB"):
        copies = values[:, :, 0, index]
        rivals = np.delete(values[:, 0, 0], index, axis=1).min(axis=1)
        counted = [copies[:, [0, *two]].min(axis=1) < rivals for two in ((1, 2), (1, 3), (2, 3))]
        # In 24 data sets the two differed by 0.026 at most; counting instances with missing rivals would add 0.06 to 0.09.
        assert value_of(raced, name, name, name).expected == pytest.approx(np.mean(counted), abs=0.03)


def test_copies_of_an_algorithm_without_repetitions_do_not_change_the_value_of_others():
    """All are deterministic, and C has one run: copies of A are worthless, whether or not C has copies, too."""
    values = noisy_values(40, 3, noise=np.zeros(4), algorithms=4, seed=9)
    values[:, 1:, :, 2] = np.nan
    posterior = posterior_of_repetitions(values)
    three, four = (pb.select(posterior, pb.At(1), among=["A", "C"], portfolio=size) for size in (3, 4))
    with_copies_of_c = value_of(three, "A", "C", "C").expected  # by Plackett-Luce
    assert value_of(four, "A", "A", "C", "C").expected == pytest.approx(with_copies_of_c, abs=0.02)


def test_the_sentence_names_who_was_not_repeated():
    values = noisy_values(20, 3, noise=np.ones(3), seed=9)
    values[:, 1:, :, 2] = np.nan
    posterior = posterior_of_repetitions(values)
    selection = pb.select(posterior, pb.At(1), among=["A", "C"], portfolio=5)
    both = next(each for each in selection.candidates if each.members == ("A", "A", "C", "C", "C"))
    sentence = explain(
        posterior, pb.At(1), pb.Expected(), pb.FirstPlace(), (both,), units=selection.units, single="A", win_rate=0.6
    )
    assert (
        "The value of copies of A is measured by repeated runs on 20 instances; that of copies of C is computed from "
        "Plackett-Luce, since the posterior has no repeated runs of it on the same instances at these budgets."
        in sentence
    )
    assert "counting one half where its first run of A is the best." in sentence


def test_runs_of_the_favourite_alone_measure_its_copies():
    """All algorithms once, then further runs of one: nothing else is needed."""
    values = noisy_values(30, 4, noise=[1.0, 1.0, 1.0], seed=6)
    values[:, 1:, :, 1:] = np.nan
    alone = pb.select(posterior_of_repetitions(values), pb.At(1), among=["A"], portfolio=2)
    assert "is measured by repeated runs on 30 instances." in alone.sentence
    # The first run with each of the others. Two priors of one instance, and the mean of 1,000 draws.
    expected = first_places_of_two_runs(values[:, :, 0])
    assert alone.candidates[0].expected == pytest.approx(expected, abs=5 * 0.5 / np.sqrt(30 * 1000) + 0.02)


def test_shared_first_places_are_no_gain_of_copies():
    """All tie on every instance: with m other algorithms, k runs have k / (k + m) of the first place at most."""
    posterior = posterior_of_repetitions(np.zeros((30, 3, 3, 5)))
    pair = value_of(pb.select(posterior, pb.At(1), portfolio=2), "A", "A")
    assert pair.expected == pytest.approx(2 / 6, abs=0.02)


def test_of_complete_portfolios_the_one_whose_copy_helps_is_recommended():
    """Three algorithms on four machines always come first; the fourth machine should run the one with noise."""
    values = noisy_values(20, 3, noise=[0.0, 1.0, 0.0], seed=7)
    selection = pb.select(posterior_of_repetitions(values), pb.At(1), portfolio=4)
    assert selection.recommendation == ("A", "B", "B", "C")
    assert selection.candidates[0].expected == 1.0


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
