"""Relations between algorithms, against plain loops over the draws."""

import math
from functools import partial

import numpy as np
import pytest

from polarbear import (
    anytime_dominance,
    crossing,
    dominance,
    equivalence,
    pareto_probability,
    pareto_set,
    relations,
    win_probability,
    win_rates,
)
from polarbear.posterior.draw_quantiles import draw_quantiles
from tests.posterior.posteriors import pairs, posterior_of, random_posterior

seeds = pytest.mark.parametrize("seed", range(3))


@seeds
def test_relations_at_a_budget_are_shares_of_draws(seed):
    posterior = random_posterior(seed)
    ours = dominance(posterior), win_probability(posterior), equivalence(posterior, margin=0.1)
    for t in range(3):
        for a, b in pairs(posterior):
            better = chance = near = 0.0
            for draw in posterior.ratings:
                wins = draw[t, a] / (draw[t, a] + draw[t, b])
                better += draw[t, a] > draw[t, b]
                chance += wins
                near += 0.4 <= wins <= 0.6
            expected = np.array([better, chance, near]) / len(posterior.ratings)
            assert [matrix[t, a, b] for matrix in ours] == pytest.approx(expected, abs=1e-12)


@seeds
def test_entries_outside_the_mask_are_zero(seed):
    posterior, rng = random_posterior(seed), np.random.default_rng(seed)
    for relation in (dominance, equivalence):
        for shape in ((3, 4, 4), (4, 4), (4, 1), (3, 1, 1)):
            where = rng.random(shape) < 0.5
            np.testing.assert_array_equal(relation(posterior, where=where), np.where(where, relation(posterior), 0.0))
    where = rng.random((4, 4)) < 0.5
    always = anytime_dominance(posterior)
    np.testing.assert_array_equal(anytime_dominance(posterior, where=where), np.where(where, always, 0.0))


@seeds
def test_relations_over_all_budgets_are_shares_of_draws(seed):
    posterior = random_posterior(seed)
    draws = posterior.ratings
    always = {(a, b): np.mean([all(d[:, a] > d[:, b]) for d in draws]) for a, b in pairs(posterior)}
    for a, b in pairs(posterior):
        neither = [not all(d[:, a] > d[:, b]) and not all(d[:, b] > d[:, a]) for d in draws]
        assert anytime_dominance(posterior)[a, b] == pytest.approx(always[a, b], abs=1e-12)
        assert crossing(posterior)[a, b] == pytest.approx(np.mean(neither), abs=1e-12)
    for a in range(4):
        undominated = [not any(all(d[:, b] > d[:, a]) for b in range(4) if b != a) for d in draws]
        assert pareto_probability(posterior)[a] == pytest.approx(np.mean(undominated), abs=1e-12)


@seeds
def test_probabilities_of_a_pair_sum_to_one_and_the_diagonal_is_zero(seed):
    posterior = random_posterior(seed)
    off_diagonal = 1 - np.eye(4)
    for matrix in (dominance(posterior), win_probability(posterior)):
        np.testing.assert_allclose(matrix + matrix.transpose(0, 2, 1), np.broadcast_to(off_diagonal, matrix.shape))
    always, between = anytime_dominance(posterior), crossing(posterior)
    np.testing.assert_allclose(always + always.T + between, off_diagonal, atol=1e-12)
    for matrix in (dominance(posterior), win_probability(posterior), equivalence(posterior)):
        assert not np.diagonal(matrix, axis1=1, axis2=2).any()
    assert not np.diag(always).any()
    assert not np.diag(between).any()
    np.testing.assert_allclose(between, between.T, atol=1e-12)


@seeds
def test_dominance_at_all_budgets_is_no_more_probable_than_at_each(seed):
    """Joint dominance implies that the pair also passes the pointwise rule."""
    posterior = random_posterior(seed)
    assert (anytime_dominance(posterior) <= dominance(posterior).min(axis=0)).all()


def test_at_a_single_budget_joint_and_pointwise_dominance_are_equal():
    posterior = random_posterior(1, budgets=1)
    np.testing.assert_array_equal(anytime_dominance(posterior), dominance(posterior)[0])
    np.testing.assert_allclose(crossing(posterior), 0, atol=1e-12)


@pytest.mark.parametrize(
    ("ratings", "margin", "expected"),
    [
        ([0.5, 0.5], 0.0, 1.0),  # exactly equal, and nothing else, is equivalent at margin 0
        ([0.5000001, 0.4999999], 0.0, 0.0),
        ([0.75, 0.25], 0.25, 1.0),  # the edge belongs to the region
        ([0.25, 0.75], 0.25, 1.0),
        ([0.75, 0.25], 0.2499, 0.0),
        ([1.0, 0.0], 0.499, 0.0),
    ],
)
def test_the_region_of_practical_equivalence(ratings, margin, expected):
    matrix = equivalence(posterior_of([[ratings]]), margin=margin)[0]
    assert matrix[0, 1] == matrix[1, 0] == expected


def test_equivalence_is_by_default_of_rope_five_hundredths():
    posterior = random_posterior(0)
    np.testing.assert_array_equal(equivalence(posterior), equivalence(posterior, margin=0.05))


@pytest.mark.parametrize("margin", [-0.01, 0.5, 5, math.nan, math.inf])
def test_a_rope_outside_0_to_one_half_is_refused(margin):
    with pytest.raises(ValueError, match=r"expected margin in \[0, 0.5\), got "):
        equivalence(random_posterior(0), margin=margin)


def test_of_two_equal_ratings_neither_beats_the_other():
    posterior = posterior_of([[[0.4, 0.4, 0.2]]])
    assert dominance(posterior)[0, 0, 1] == dominance(posterior)[0, 1, 0] == 0
    assert crossing(posterior)[0, 1] == 1


def test_the_win_rate_of_two_ratings_that_underflow_is_one_half():
    """If the ratings of both algorithms are zero in double precision, the win rate is unknown and set to one half."""
    posterior = posterior_of([[[1.0, 0.0, 0.0]]])
    for matrix in (dominance(posterior), win_probability(posterior), equivalence(posterior)):
        assert np.isfinite(matrix).all()
    assert win_probability(posterior)[0, 1, 2] == win_probability(posterior)[0, 2, 1] == 0.5


@seeds
def test_permuting_the_algorithms_permutes_the_relations(seed):
    posterior = random_posterior(seed)
    order = np.random.default_rng(seed).permutation(4)
    permuted = posterior_of(posterior.ratings[..., order])
    for relation in (dominance, win_probability, equivalence, anytime_dominance, crossing):
        expected = relation(posterior)[..., order, :][..., order]
        np.testing.assert_allclose(relation(permuted), expected, atol=1e-12)
    np.testing.assert_allclose(pareto_probability(permuted), pareto_probability(posterior)[order], atol=1e-12)
    for rule in ("joint", "pointwise"):
        for confidence in (0.51, 0.6, 0.8):
            chosen = pareto_set(permuted, confidence=confidence, dominance=rule)
            expected_set = pareto_set(posterior, confidence=confidence, dominance=rule)
            assert {int(order[int(name[1:])]) for name in chosen} == {int(name[1:]) for name in expected_set}


@pytest.mark.parametrize(
    ("relation", "words"),
    [
        (anytime_dominance, "anytime dominance"),
        (crossing, "crossing"),
        (pareto_probability, "membership in the Pareto set"),
        (partial(pareto_set, dominance="joint"), "anytime dominance"),
    ],
)
def test_relations_over_all_budgets_need_joint_draws(relation, words):
    posterior = posterior_of(random_posterior(0).ratings, joint=False)
    with pytest.raises(ValueError, match=f"expected draws joint over time for {words}") as refused:
        relation(posterior)
    message = str(refused.value)
    assert "Dirichlet(concentration=1.0) treats each budget alone" in message
    for name in ("BayesianBootstrap", "RandomWalk", "pointwise"):
        assert name in message


def test_relations_at_each_budget_need_no_joint_draws():
    joint = random_posterior(3)
    alone = posterior_of(joint.ratings, joint=False)
    for relation in (dominance, win_probability, equivalence):
        np.testing.assert_allclose(relation(alone), relation(joint), atol=1e-12)  # scaled to one twice
    assert pareto_set(alone, dominance="pointwise") == pareto_set(joint, dominance="pointwise")


def test_relations_do_not_change_the_posterior():
    posterior = random_posterior(0)
    before = posterior.ratings.copy()
    for relation in (dominance, win_probability, equivalence, anytime_dominance, crossing, pareto_set):
        relation(posterior)
    np.testing.assert_array_equal(posterior.ratings, before)


@seeds
def test_the_frame_of_relations_has_one_row_for_each_budget_and_ordered_pair(seed):
    posterior = random_posterior(seed)
    names, budgets = posterior.names, posterior.grid.budgets
    frame = relations(posterior, margin=0.1, level=0.8).to_frame().set_index(["budget", "algorithm_name", "against"])
    assert len(frame) == len(budgets) * len(names) * (len(names) - 1)
    beats, wins, equal = dominance(posterior), win_probability(posterior), equivalence(posterior, margin=0.1)
    for a, b in pairs(posterior):
        rates = win_rates(posterior, names[a], names[b])
        for t, budget in enumerate(budgets):
            lower, upper = np.quantile(rates[:, t], [0.1, 0.9])
            expected = wins[t, a, b], lower, upper, beats[t, a, b], equal[t, a, b]
            assert tuple(frame.loc[budget, names[a], names[b]]) == pytest.approx(expected, abs=1e-12)


@seeds
def test_quantiles_over_draws_are_those_of_numpy(seed):
    values = np.random.default_rng(seed).normal(size=(2, 3, 41 + seed))
    shares = [0.0, 0.025, 0.3, 0.975, 1.0]
    np.testing.assert_allclose(draw_quantiles(values, shares), np.quantile(values, shares, axis=-1), rtol=1e-12)
    assert draw_quantiles(values[..., :1], [0.5]).tolist() == [values[..., 0].tolist()]


def test_relations_are_described_and_checked():
    posterior = random_posterior(0)
    algorithms, budgets = len(posterior.names), len(posterior.grid)
    assert repr(relations(posterior)) == f"Relations({algorithms} algorithms, {budgets} budgets, margin 0.05)"
    with pytest.raises(ValueError, match="expected a level between 0 and 1, got 95"):
        relations(posterior, level=95)
    with pytest.raises(ValueError, match="expected margin in"):
        relations(posterior, margin=0.5)
