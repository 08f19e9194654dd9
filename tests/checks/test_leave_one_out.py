"""Leaving out one algorithm shows which of them violates the independence of irrelevant alternatives."""

import numpy as np
import pytest
from scipy import stats

import polarbear as pb
from polarbear.calibration.simulator import Simulator
from polarbear.checks.leave_one_out import _equivalent_normal, restrict_to
from polarbear.checks.run_scores import thin_instances
from polarbear.models.plackett_luce import sample_rankings
from polarbear.observe.rankings import ABSENT, UNRANKED


@pytest.fixture
def with_a_copy():
    """A, B and C follow the model at two budgets; D is A, a little worse."""
    utilities = np.array([[0.5, 0.0, -0.5], [-0.5, 0.0, 0.5]])
    values = sample_rankings(utilities, 300, rng=np.random.default_rng(1))
    return pb.Choices.from_values(np.append(values, values[..., :1] + 0.01, axis=2), grid=[1, 2], per_instance=True)


def test_a_copy_of_another_algorithm_has_the_largest_influence(with_a_copy):
    check = pb.model_check(pb.fit(with_a_copy, prior=pb.Dirichlet(), draws=500), with_a_copy)
    worst, *others = check.influences
    assert (worst.name, worst.first) == ("D", "A")
    assert worst.rate - worst.without > 0.1  # A had gained by beating D each budget
    assert all(abs(each.rate - each.without) < 0.8 * (worst.rate - worst.without) for each in others)
    # Without D the rankings follow the model again: B against C, and A against C, as they were simulated.
    without = check.left_out["D"].without
    np.testing.assert_allclose(without[:, 0, 2], [1 / (1 + np.exp(-1)), 1 / (1 + np.exp(1))], atol=0.06)


def test_the_algorithm_left_out_has_no_win_rates(with_a_copy):
    left_out = pb.leave_one_out(with_a_copy)
    assert tuple(left_out) == with_a_copy.names
    for own, each in enumerate(left_out.values()):
        for array in (each.without, each.errors):
            assert np.isnan(array[:, own]).all()
            assert np.isnan(array[:, :, own]).all()
            assert np.isfinite(np.delete(np.delete(array, own, 1), own, 2)).all()
        np.testing.assert_allclose(each.rate + each.rate.transpose(0, 2, 1), 1)


@pytest.mark.calibration
def test_standard_errors_match_the_differences_under_the_model():
    # 200 data sets of 60 instances; three standard errors of the mean of a squared standard normal value are 0.3.
    utilities = np.array([[0.6, 0.2, -0.2, -0.6]])
    squares = []
    for seed in range(200):
        values = sample_rankings(utilities, 60, rng=np.random.default_rng(seed))
        choices = pb.Choices.from_values(values, grid=[1], per_instance=True)
        errors = np.stack([each.errors for each in pb.leave_one_out(choices).values()])
        squares.append(errors**2)
    rows, columns = np.triu_indices(4, 1)
    mean = np.nanmean(squares, axis=(0, 1))[0, rows, columns]
    assert mean.max() < 1.3
    assert mean.min() > 0.45  # the largest of three errors is taken, and is somewhat too large: 0.65 less three errors


@pytest.mark.calibration
@pytest.mark.parametrize("instances", [8, 100])
def test_influences_are_rare_under_the_model(instances):
    # Truths from the widest prior. One in a hundred is allowed; of 300 data sets of each kind, at most one had an influence.
    alarms = 0
    for seed in range(60):
        rng = np.random.default_rng([seed, instances])
        truth = pb.RandomWalk().sample(pb.linear_grid(1, 10, 10), 4, 1, rng=rng)[0]
        values = Simulator(0.9).values(truth, instances, rng=rng)
        choices = pb.Choices.from_values(values, grid=range(1, 11), per_instance=True)
        alarms += bool(pb.model_check(pb.fit(choices, prior=pb.RandomWalk(), draws=100), choices).influences)
    assert alarms <= 1


@pytest.mark.calibration
def test_weights_are_counted_by_their_effective_number():
    # Sixty data sets that follow the model, in which a few weights are as large as all others together.
    utilities, alarms = np.array([[0.6, 0.2, -0.2, -0.6]]), 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        weights = rng.pareto(0.7, 40)
        weights[:5] = 0.0
        values = sample_rankings(utilities, 40, rng=rng)
        choices = pb.Choices.from_values(values, grid=[1], weights=weights, per_instance=True)
        check = pb.model_check(pb.fit(choices, prior=pb.Dirichlet(), draws=100), choices)
        alarms += bool(check.influences or check.misfits)
    assert alarms <= 1


def test_t_values_become_normal_values_with_the_same_tail():
    ratio, freedom = np.array([-3.0, 0.5, 1e6, -1e6]), np.array([4.0, 399.0, 399.0, 5.0])
    normal = _equivalent_normal(ratio, freedom)
    np.testing.assert_allclose(stats.norm.sf(np.abs(normal[:2])), stats.t.sf(np.abs(ratio[:2]), freedom[:2]))
    np.testing.assert_array_equal(np.sign(normal), np.sign(ratio))
    assert 37 < normal[2] < 38  # its tail underflows; the value stays finite


def test_many_instances_are_thinned():
    values = sample_rankings(np.zeros((2, 3)), 1000, rng=np.random.default_rng(2))
    choices = pb.Choices.from_values(values, grid=[1, 2], per_instance=True)
    part = pb.Choices.from_rankings(thin_instances(choices.rankings), per_instance=True)
    np.testing.assert_array_equal(pb.leave_one_out(choices)["A"].errors, pb.leave_one_out(part)["A"].errors)


def test_pairs_that_were_never_compared_have_no_errors():
    ranks = [[[0, 1, ABSENT, 2]], [[ABSENT, 0, 1, 2]], [[ABSENT, 1, 0, 2]], [[1, 0, ABSENT, 2]]] * 10
    left_out = pb.leave_one_out(pb.Choices.from_rankings(pb.Rankings(ranks, None, [1.0]), per_instance=True))
    assert np.isnan(left_out["D"].errors[0, 0, 2])
    assert np.isfinite(left_out["D"].errors[0, 0, 1])


def test_leaving_out_an_algorithm_keeps_the_order_of_the_others():
    ranks = np.array([[[0, 1, 1, 2, UNRANKED]], [[2, 0, ABSENT, 1, 1]], [[0, 0, 0, 0, 0]]], dtype=np.int16)
    kept = restrict_to(pb.Rankings(ranks, None, [1.0]), [0, 2, 3, 4])
    assert kept.rankings.ranks[:, 0].tolist() == [[0, 1, 2, UNRANKED], [1, ABSENT, 0, 0], [0, 0, 0, 0]]
    assert kept.names == ("A", "C", "D", "E")


def test_two_algorithms_and_choices_without_rankings_are_rejected():
    with pytest.raises(ValueError, match="expected at least three algorithms, got 2"):
        pb.leave_one_out(pb.Choices.from_values([[[1, 2]]], grid=[1], per_instance=True))
    with pytest.raises(ValueError, match="make them with per_instance=True"):
        pb.leave_one_out(pb.Choices.from_values([[[1, 2, 3]]], grid=[1], per_instance=False))
    with pytest.raises(ValueError, match="expected Choices, got list"):
        pb.leave_one_out([[1, 2, 3]])
