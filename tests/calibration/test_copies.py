"""Intervals of the value of copies, measured by repeated runs, contain the true value."""

import numpy as np
import pytest

import polarbear as pb

PROBLEMS, REPETITIONS, DATA_SETS = 20, 3, 200
NOISE = np.array([1.0, 0.3, 0.0])  # of a run of each algorithm, beside its level on the problem
PORTFOLIOS = [("A", "A"), ("A", "B"), ("B", "B"), ("C", "C")]


def simulate(problems, repetitions, rng):
    """Return values (problem, repetition, algorithm): levels that differ between problems, and noise of each run."""
    level = rng.normal(size=(problems, 1, 3))
    return level + NOISE * rng.normal(size=(problems, repetitions, 3))


def true_values(rng):
    """Return how often each portfolio beats an independent run of every algorithm, by simulation; ties count one half."""
    values = simulate(200_000, 3, rng)
    field, shares = values[:, 2].min(axis=1), []
    for members in PORTFOLIOS:
        columns = ["ABC".index(name) for name in members]
        best = values[:, [0, 1], columns].min(axis=1)
        shares.append((best < field).mean() + (best == field).mean() / 2)
    return np.array(shares)


@pytest.mark.calibration
def test_intervals_of_copies_contain_the_true_value():
    """Of 95 % intervals 90 to 99 % contain it: 200 data sets give a standard error of 1.5 points."""
    rng = np.random.default_rng(1)
    truth = true_values(rng)
    contained, bias = np.zeros((2, len(PORTFOLIOS)))
    clusters = pb.Clusters(tuple(np.repeat(np.arange(PROBLEMS), REPETITIONS).tolist()), kind="instance", unit="run")
    for seed in range(DATA_SETS):
        values = simulate(PROBLEMS, REPETITIONS, rng).reshape(-1, 1, 3)
        posterior = pb.fit(pb.Choices.from_values(values, grid=[1], clusters=clusters), draws=1000, seed=seed)
        found = {each.members: each for each in pb.select(posterior, among=posterior.names, portfolio=2).candidates}
        pairs = [found[members] for members in PORTFOLIOS]
        contained += [pair.lower <= true <= pair.upper for pair, true in zip(pairs, truth, strict=True)]
        bias += [pair.expected - true for pair, true in zip(pairs, truth, strict=True)]
    print(f"truth {truth}, contained {contained / DATA_SETS}, bias {bias / DATA_SETS}")
    assert (contained / DATA_SETS >= 0.9).all()
    assert (contained / DATA_SETS <= 0.99).all()
    assert (np.abs(bias / DATA_SETS) < 0.03).all()
