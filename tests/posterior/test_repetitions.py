"""Portfolios on repeated problems, against loops over problems, repetitions and runs."""

from collections import Counter

import numpy as np
import pytest

import polarbear as pb
from polarbear.posterior.keyed_numbers import keyed_generator
from polarbear.posterior.repetitions import repetitions_of

BUDGETS, DRAWS, ALGORITHMS = 3, 4, 4
PROBLEM = np.repeat([0, 1, 2, 3], [4, 1, 3, 2])


def beliefs_of(values, *, weights=None, generalise_to="clusters", order=None):
    """Beliefs of a few draws, from values whose instances repeat four problems."""
    order = np.arange(len(values)) if order is None else order
    choices = pb.Choices.from_values(
        values[order],
        grid=range(1, BUDGETS + 1),
        clusters=pb.Clusters(tuple(PROBLEM[order].tolist()), "problem", "run"),
        instances=order.tolist(),
        weights=None if weights is None else weights[order],
    )
    return pb.fit(choices, prior=pb.BayesianBootstrap(generalise_to=generalise_to), draws=100).beliefs.thin(DRAWS)


def score_of(values, rows, place, own):
    """1 if the portfolio is the best for repetition `place` of `rows`, ½ if it ties, by the runs (instance, algorithm)."""
    m = len(rows)
    against = min(values[rows[place - 1]])
    best = min(values[rows[(place + j) % m], algorithm] for algorithm, number in enumerate(own) for j in range(number))
    return (best < against) + (best == against) / 2


def listed_values(values, beliefs, counts):
    """The values of a portfolio, shape (draw, budget), by the definition."""
    sample = beliefs.sample
    drawn = beliefs.unit_weights()[sample.unit]
    prior = keyed_generator(beliefs.seed, "portfolios").standard_gamma(0.5, (2, beliefs.draws))
    result = np.zeros((DRAWS, BUDGETS))
    for t in range(BUDGETS):
        won, total = prior[0], prior.sum(axis=0)
        for problem in range(4):
            rows = [i for i in np.flatnonzero(problem == PROBLEM) if not np.isnan(values[i, t]).any()]
            rows.sort(key=lambda row: sample.keys[row])
            if len(rows) < 2:
                continue
            for place, row in enumerate(rows):
                weight = drawn[row] * sample.shares[row, t]
                won = won + weight * score_of(values[:, t], rows, place, counts)
                total = total + weight
        result[:, t] = won / total
    return result


COUNTS = np.array([[1, 0, 0, 0], [2, 0, 0, 0], [1, 1, 0, 0], [0, 3, 0, 1], [0, 0, 9, 1], [1, 1, 1, 1]])


@pytest.mark.parametrize("kinds", [3, 1000], ids=["ties", "no ties"])
@pytest.mark.parametrize("scale", ["constant", "over time", "instances"])
def test_values_equal_means_over_problems_and_repetitions(kinds, scale):
    rng = np.random.default_rng(kinds)
    values = rng.integers(0, kinds, size=(10, BUDGETS, ALGORITHMS)).astype(float)
    values[rng.random(values.shape) < 0.05] = np.nan
    weights = rng.random((10, BUDGETS)) if scale == "over time" else np.repeat(rng.random((10, 1)), BUDGETS, axis=1)
    weights[2] = 0  # an instance without weight, whose runs still are runs of the others' repetitions
    beliefs = beliefs_of(values, weights=weights, generalise_to="instances" if scale == "instances" else "clusters")
    found = repetitions_of(beliefs, np.arange(ALGORITHMS)).values(COUNTS, np.eye(BUDGETS))
    for portfolio, counts in enumerate(COUNTS):
        expected = listed_values(values, beliefs, counts)
        np.testing.assert_allclose(found[:, portfolio], expected, atol=2e-6)  # weights in single precision
    mean = np.full((BUDGETS, 1), 1 / BUDGETS)
    np.testing.assert_allclose(
        repetitions_of(beliefs, np.arange(ALGORITHMS)).values(COUNTS, mean)[..., 0], found.mean(axis=2), atol=2e-6
    )
    late = repetitions_of(beliefs, np.arange(ALGORITHMS), slice(1, 3)).values(COUNTS, np.eye(2))
    np.testing.assert_allclose(late, found[..., 1:], atol=2e-6)


def test_win_rates_equal_counts_over_repetitions():
    """With all weights of problems and of the prior known, the win rate is a weighted count."""
    rng = np.random.default_rng(0)
    values = rng.integers(0, 5, size=(10, BUDGETS, ALGORITHMS)).astype(float)
    beliefs = beliefs_of(values)
    sample, drawn = beliefs.sample, beliefs.unit_weights()[beliefs.sample.unit]
    prior = keyed_generator(beliefs.seed, "portfolios").standard_gamma(0.5, (2, DRAWS))
    members, rivals = Counter([0, 0, 1]), Counter([1, 2, 2])  # 1 is on both sides, and shares its run
    found = repetitions_of(beliefs, np.arange(3)).win_rates(members, rivals)
    for t in range(BUDGETS):
        won, total = prior[0], prior.sum(axis=0)
        for problem in (0, 2, 3):
            rows = sorted(np.flatnonzero(problem == PROBLEM), key=lambda row: sample.keys[row])
            m = len(rows)
            for place, row in enumerate(rows):
                run = {shift: values[rows[(place + shift) % m], t] for shift in (-2, -1, 0, 1)}
                own = min(run[0][0], run[1][0], run[0][1])
                against = min(run[0][1], run[-1][2], run[-2][2])
                weight = drawn[row] * sample.shares[row, t]
                won = won + weight * (0.5 * (own == against) + (own < against))
                total = total + weight
        np.testing.assert_allclose(found[t], won / total, atol=2e-6)


def test_members_and_rivals_have_different_repetitions():
    """All share the luck of a repetition and B is a little worse: only independent runs show how often B wins."""
    luck = np.random.default_rng(1).permutation(12).astype(float)
    values = np.repeat(luck, 2 * BUDGETS).reshape(12, BUDGETS, 2) + np.array([0, 0.1])
    choices = pb.Choices.from_values(values, grid=range(1, BUDGETS + 1), repetition_of=np.zeros(12))
    repetitions = repetitions_of(pb.fit(choices, draws=100).beliefs, np.arange(2))
    one_run_of_each = repetitions.best({0: -1, 1: -1})

    def shares(members):
        best = repetitions.best(members)
        return (best < one_run_of_each).mean(), (best == one_run_of_each).mean()

    assert shares({0: 1}) == shares({1: 1})
    assert 0.2 < shares({1: 1})[0] < 0.8
    assert shares({0: 11}) == pytest.approx((11 / 12, 0))  # its rivals have the one run that it does not use
    assert shares({0: 12}) == pytest.approx(
        (11 / 12, 1 / 12)
    )  # a copy for each repetition: its rivals share one of them


def test_the_order_of_instances_does_not_matter():
    values = np.random.default_rng(2).normal(size=(10, BUDGETS, ALGORITHMS))
    order = np.random.default_rng(3).permutation(10)
    here, there = (
        repetitions_of(beliefs_of(values, order=each), np.arange(ALGORITHMS)).values(COUNTS, np.eye(BUDGETS))
        for each in (None, order)
    )
    np.testing.assert_allclose(there, here, atol=1e-6)


def test_repetitions_count_where_all_were_observed():
    values = np.arange(10.0 * BUDGETS * 4).reshape(10, BUDGETS, 4)
    values[:4, 1, 3] = np.nan  # at the second budget, the first problem has no complete instance
    values[4:, 2, 0] = np.nan  # at the third budget, the others have no run of the first algorithm
    runs = repetitions_of(beliefs_of(values), np.arange(4))
    assert runs.problems.tolist() == [[4, 3, 1], [3, 2, 1]]
    assert runs.extent == (3, 2, 4)
    others = repetitions_of(beliefs_of(values), np.array([1, 2]))
    assert others.problems.tolist() == [[4, 4, 4], [3, 3, 3]]


def test_without_repetitions_there_are_none():
    choices = pb.Choices.from_values(np.arange(12.0).reshape(3, 1, 4), grid=[1])
    assert repetitions_of(pb.fit(choices, draws=100).beliefs, np.arange(4)) is None


@pytest.mark.parametrize("name", ["own_repeated", "own_problem"])
def test_damaged_repeated_runs_are_refused(tmp_path, name):
    values = np.arange(10.0 * BUDGETS * 4).reshape(10, BUDGETS, 4)
    clusters = pb.Clusters(tuple(PROBLEM.tolist()), "problem", "run")
    choices = pb.Choices.from_values(values, grid=range(1, BUDGETS + 1), clusters=clusters)
    pb.fit(choices, draws=100).save(tmp_path / "good.npz")
    with np.load(tmp_path / "good.npz") as archive:
        arrays = {each: archive[each] for each in archive.files}
    np.savez(tmp_path / "bad.npz", **{**arrays, name: arrays[name][:-1]})
    with pytest.raises(ValueError, match="damaged posterior file: repeated runs of shape"):
        pb.Posterior.load(tmp_path / "bad.npz")
