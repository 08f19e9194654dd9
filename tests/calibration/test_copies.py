"""Intervals of the value of copies, measured by repeated runs, contain the true value."""

import numpy as np
import pytest

import polarbear as pb
from tests.selection.test_measured_copies import without_repetitions

PROBLEMS, REPETITIONS, DATA_SETS = 20, 3, 200
NOISE = np.array([1.0, 0.3, 0.0])  # of a run of each algorithm, beside its level on the problem
PORTFOLIOS = [("A", "A"), ("B", "B"), ("C", "C")]


def simulate(problems, repetitions, rng):
    """Return values (problem, repetition, algorithm): levels that differ between problems, and noise of each run."""
    level = rng.normal(size=(problems, 1, 3))
    return level + NOISE * rng.normal(size=(problems, repetitions, 3))


def true_values(rng):
    """Return how often the better of two runs beats one run of each other algorithm, by simulation."""
    values = simulate(200_000, 2, rng)
    others = [np.delete(values[:, 0], k, axis=1).min(axis=1) for k in range(3)]
    return np.array([(values[..., k].min(axis=1) < others[k]).mean() for k in range(3)])


def select_pairs(posterior):
    selection = pb.select(posterior, pb.At(1), portfolio=2)
    found = {each.members: each for each in selection.candidates}
    return [found[members] for members in PORTFOLIOS]


@pytest.mark.calibration
def test_intervals_of_copies_contain_the_true_value():
    """Of 95 % intervals 90 to 99 % contain it: 200 data sets give a standard error of 1.5 points.

    Copies of C add nothing, so their value is a rating.

    Plackett-Luce treats all runs as independent, so it is wrong about an algorithm whose runs on one problem give similar
    results.
    """
    rng = np.random.default_rng(1)
    truth = true_values(rng)
    measured, modelled = np.zeros((2, 3)), np.zeros((2, 3))  # coverage and bias
    clusters = pb.Clusters(tuple(np.repeat(np.arange(PROBLEMS), REPETITIONS).tolist()), kind="instance", unit="run")
    for seed in range(DATA_SETS):
        values = simulate(PROBLEMS, REPETITIONS, rng).reshape(-1, 1, 3)
        choices = pb.Choices.from_values(values, grid=[1], clusters=clusters)
        posterior = pb.fit(choices, draws=1000, seed=seed)
        assert posterior.beliefs.sample.rankings.repeated is not None
        without = without_repetitions(posterior)
        for totals, each in ((measured, posterior), (modelled, without)):
            pairs = select_pairs(each)
            totals[0] += [pair.lower <= true <= pair.upper for pair, true in zip(pairs, truth, strict=True)]
            totals[1] += [pair.expected - true for pair, true in zip(pairs, truth, strict=True)]
    measured, modelled = measured / DATA_SETS, modelled / DATA_SETS
    print(f"truth {truth}, measured {measured}, modelled {modelled}")
    assert (measured[0] >= 0.9).all()
    assert (measured[0, :2] <= 0.99).all()
    assert (np.abs(measured[1]) < 0.03).all()
    assert modelled[1, 2] > 0.1
    assert modelled[0, 2] < 0.75
