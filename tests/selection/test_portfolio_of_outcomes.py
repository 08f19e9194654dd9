"""Portfolios under the default belief: different algorithms, by the share of instances whose best result is theirs."""

from itertools import combinations

import numpy as np
import pytest

import polarbear as pb
from polarbear.findings import Code
from tests.selection.weighted_outcomes import MANY, bootstrap_of, many, random_values, weights_of

LATE = pb.Custom(lambda curves: np.sqrt(curves).mean(axis=-1))


def share_with_the_best(ranks, members):
    """The share of the first place on one instance that the members have; ties share it."""
    first = [each for each in range(len(ranks)) if ranks[each] == min(ranks)]
    return sum(each in members for each in first) / len(first)


@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize("size", [2, 3, 4])
def test_values_are_weighted_shares_of_instances(ties, size):
    values = random_values(20, 2, 4, ties=ties)
    posterior = bootstrap_of(values)
    weights, prior = weights_of(posterior)
    total = weights.sum(axis=0) + prior.sum(axis=1)
    selection = pb.select(posterior, pb.At(2), among=posterior.names, portfolio=size)
    assert len(selection.candidates) == {2: 6, 3: 4, 4: 1}[size]
    for place, each in enumerate(selection.candidates):
        members = [posterior.names.index(name) for name in each.members]
        shares = np.array([share_with_the_best(row, members) for row in values[:, 1]])
        expected = (shares @ weights + prior[:, members].sum(axis=1)) / total
        np.testing.assert_allclose(selection.values[:, place], expected, atol=1e-5)


def test_many_instances_leave_plain_shares():
    few = random_values(5, 1, 5, seed=3)
    posterior = bootstrap_of(many(few))
    selection = pb.select(posterior, among=posterior.names, portfolio=2)
    for each in selection.candidates:
        members = [posterior.names.index(name) for name in each.members]
        share = np.mean([share_with_the_best(row, members) for row in few[:, 0]])
        assert each.expected == pytest.approx(share, abs=MANY)


def test_only_candidates_count():
    """Without the others, the best result on each instance is one of a candidate."""
    values = random_values(15, 2, 5, seed=1)
    three, alone = bootstrap_of(values), bootstrap_of(values[..., :3])
    of_three, of_alone = (
        pb.select(each, among=["A", "B", "C"], portfolio=2, risk=pb.Quantile(0.1)) for each in (three, alone)
    )
    np.testing.assert_allclose(of_three.values, of_alone.values, atol=1e-6)
    assert str(of_three) == str(of_alone)
    assert of_three.findings == of_alone.findings


def test_a_custom_preference_takes_the_curve_of_the_sum():
    posterior = bootstrap_of(random_values(15, 3, 4, seed=2))
    curves = pb.FirstPlace().curves(posterior, np.arange(4))
    selection = pb.select(posterior, LATE, among=posterior.names, portfolio=2)
    for place, each in enumerate(selection.candidates):
        members = [posterior.names.index(name) for name in each.members]
        expected = np.sqrt(curves[..., members].sum(axis=2)).mean(axis=1)
        np.testing.assert_allclose(selection.values[:, place], expected, rtol=1e-9)


def test_probabilities_and_losses_compare_all_sets():
    posterior = bootstrap_of(random_values(15, 3, 5, seed=4))
    selection = pb.select(posterior, among=posterior.names, portfolio=2)
    assert {each.members for each in selection.candidates} == set(combinations("ABCDE", 2))
    best = selection.values.max(axis=1)
    for place, each in enumerate(selection.candidates):
        assert each.probability_best == pytest.approx((selection.values[:, place] == best).mean())
        assert each.loss == pytest.approx((best - selection.values[:, place]).mean(), abs=1e-12)
    assert [each.expected for each in selection.candidates] == sorted(
        (each.expected for each in selection.candidates), reverse=True
    )


def test_algorithms_that_fail_on_different_instances_go_together():
    """A and B win on one half each and fail on the other; C is always second, and beats each of them on half."""
    values = np.ones((40, 1, 3))
    values[:20, 0, 0] = values[20:, 0, 1] = 0
    values[20:, 0, 0] = values[:20, 0, 1] = 2
    posterior = bootstrap_of(values)
    selection = pb.select(posterior, portfolio=2)
    assert selection.recommendation == ("A", "B")
    assert selection.candidates[0].expected > 0.95
    assert selection.probability_best == 1
    assert selection.best_single == pb.select(posterior).recommendation
    assert Code.NO_COPIES in {each.code for each in selection.findings}
    distinct = pb.select(posterior, portfolio=2, copies=False)
    assert Code.NO_COPIES not in {each.code for each in distinct.findings}


def test_the_best_single_algorithm_is_the_one_that_is_recommended_alone():
    posterior = bootstrap_of(random_values(15, 3, 5, seed=6))
    for preference in (pb.Uniform(), pb.At(2), LATE):
        for risk in (None, pb.Expected(), pb.Quantile(0.1), pb.ExpectedLoss()):
            pair = pb.select(posterior, preference, risk, portfolio=2)
            assert pair.best_single == pb.select(posterior, preference, risk).recommendation


def test_a_dominated_algorithm_may_be_a_member():
    """B loses to A at 70 % of the instances, and C to both; but C alone is good where A and B fail."""
    values = np.empty((200, 1, 3))
    values[:140, 0] = [0, 1, 2]
    values[140:160, 0] = [1, 0, 2]
    values[160:, 0] = [2, 1, 0]
    posterior = bootstrap_of(values)
    assert pb.select(posterior).candidates[0].members == ("A",)
    assert len(pb.select(posterior).candidates) == 1
    pair = pb.select(posterior, portfolio=2)
    assert (pair.recommendation, pair.best_single) == (("A", "C"), "A")
    assert pair.candidates[0].expected == pytest.approx(0.9, abs=0.02)
    assert len(pair.candidates) == 3
    assert len(pb.select(posterior, among=["A", "B"], portfolio=2).candidates) == 1


def test_clones_are_one_member():
    values = random_values(15, 2, 3, seed=7)
    posterior = bootstrap_of(np.concatenate([values, values[..., :1]], axis=2))
    selection = pb.select(posterior, among=posterior.names, portfolio=2)
    assert {each.members for each in selection.candidates} == set(combinations("ABC", 2))
    assert all(each.same_as == (("D",) if "A" in each.members else ()) for each in selection.candidates)


@pytest.mark.parametrize(
    ("copies", "remedy"),
    [
        (True, "or repeat the runs on the same instances, which measures what copies of one algorithm add"),
        (False, "or allow copies and repeat the runs on the same instances"),
    ],
)
def test_more_machines_than_candidates_are_refused(copies, remedy):
    posterior = bootstrap_of(random_values(15, 2, 4))
    message = (
        f"expected at most 3 machines, 1 for each candidate, got 4; use fewer machines or more candidates, {remedy}"
    )
    with pytest.raises(ValueError, match=message):
        pb.select(posterior, among=["A", "B", "C"], portfolio=4, copies=copies)
    everything = pb.select(posterior, among=posterior.names, portfolio=4, copies=copies)
    assert everything.recommendation == ("A", "B", "C", "D")
    assert everything.candidates[0].expected == pytest.approx(1)
