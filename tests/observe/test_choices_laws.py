"""Laws of `Choices`: they equal the expansion of ties into all orderings, and do not depend on how the data are given."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polarbear.observe import Choices, Rankings, rank_values
from tests.observe.orderings import (
    assert_equal,
    grid_for,
    identical,
    log_likelihood_of_stages,
    sets_of,
    stages_of_orderings,
    tally_of_stages,
    values_with_ties,
    weak_rankings,
)

law = settings(deadline=None, max_examples=60)


@settings(deadline=None, max_examples=100)
@given(weak_rankings(), st.integers(0, 2**31))
def test_choices_and_their_likelihood_equal_the_expansion_of_all_orderings(data, seed):
    ranks, weights = data
    choices = Choices.from_rankings(Rankings(ranks[:, None], None, [1], weights))
    stages = stages_of_orderings(ranks.tolist(), weights.tolist())
    wins, sets = tally_of_stages(stages, ranks.shape[1])
    np.testing.assert_allclose(choices.wins[0], wins, rtol=1e-12, atol=1e-12)
    ours = sets_of(choices)
    assert ours.keys() == sets.keys()
    for members, count in sets.items():
        assert ours[members] == pytest.approx(count, rel=1e-12)
    utilities = np.random.default_rng(seed).normal(size=ranks.shape[1])
    masses = choices.members[0] @ np.exp(utilities)
    log_likelihood = choices.wins[0] @ utilities - choices.counts[0] @ np.log(masses)
    np.testing.assert_allclose(log_likelihood, log_likelihood_of_stages(stages, utilities), atol=1e-11)


@law
@given(values_with_ties())
def test_sets_are_sorted_and_padded_and_arrays_are_read_only(values):
    choices = Choices.from_values(values, grid=grid_for(values))
    budgets, sets, algorithms = choices.members.shape
    assert choices.wins.shape == (budgets, algorithms)
    assert choices.counts.shape == (budgets, sets)
    assert sets >= 1
    np.testing.assert_allclose(choices.wins.sum(axis=1), choices.counts.sum(axis=1), rtol=1e-13)
    assert choices.instances == len(values)
    for budget in range(budgets):
        real = choices.counts[budget] > 0
        used = int(real.sum())
        assert real[:used].all()  # padding comes last
        assert choices.members[budget, used:].all()
        rows = [tuple(row) for row in choices.members[budget, :used].tolist()]
        assert rows == sorted(set(rows))
        assert all(sum(row) >= 2 for row in rows)
    assert max((choices.counts > 0).sum(axis=1)) in (sets, 0)
    for array in (choices.wins, choices.members, choices.counts):
        assert not array.flags.writeable


@law
@given(values_with_ties(), st.randoms(use_true_random=False))
def test_the_order_of_instances_changes_nothing(values, random):
    order = list(range(len(values)))
    random.shuffle(order)
    one, other = (Choices.from_values(v, grid=grid_for(values)) for v in (values, values[order]))
    assert identical(one, other)  # bit for bit
    weights = np.linspace(0.1, 1.7, len(values))
    weighted = Choices.from_values(values, grid=grid_for(values), weights=weights)
    assert_equal(weighted, Choices.from_values(values[order], grid=grid_for(values), weights=weights[order]))


@law
@given(values_with_ties(), st.randoms(use_true_random=False))
def test_permuting_names_permutes_the_choices(values, random):
    order = list(range(values.shape[2]))
    random.shuffle(order)
    one, other = (Choices.from_values(v, grid=grid_for(values)) for v in (values, values[:, :, order]))
    np.testing.assert_allclose(other.wins, one.wins[:, order], rtol=1e-12)
    for budget in range(values.shape[1]):
        renamed = {frozenset(order[i] for i in s): count for s, count in sets_of(other, budget).items()}
        assert renamed == pytest.approx(sets_of(one, budget), rel=1e-12)


@law
@given(
    values_with_ties(),
    st.sampled_from(
        [
            lambda y: np.exp(y),
            lambda y: 1e300 * y,
            lambda y: 1e-300 * y,
            lambda y: (y / 3).astype(np.float32),
            lambda y: np.where(np.isfinite(y), np.nextafter(1.0, 2.0) + y * 2.0**-52, y),
        ]
    ),
)
def test_a_monotone_transformation_changes_nothing(values, transform):
    options = {"grid": grid_for(values), "relative_tolerance": 0.0}
    assert identical(Choices.from_values(values, **options), Choices.from_values(transform(values), **options))


def test_integers_and_floats_agree():
    integers = np.random.default_rng(0).integers(-3, 4, (20, 2, 3))
    floats = Choices.from_values(integers.astype(float), grid=[1, 2])
    for same in (integers, integers.astype(np.int8), integers + 2**62, integers.astype(object) * 10**30):
        assert identical(Choices.from_values(same, grid=[1, 2]), floats)
    assert identical(Choices.from_values(-integers, grid=[1, 2], maximise=True), floats)


@law
@given(values_with_ties(), st.integers(0, 10))
def test_splitting_a_batch_changes_nothing(values, where):
    grid, cut = grid_for(values), 1 + where % (len(values) - 1)
    ranks = rank_values(values)
    whole = Choices.from_values(values, grid=grid)
    parts = [Choices.from_rankings(Rankings(part, None, grid)) for part in (ranks[:cut], ranks[cut:])]
    assert_equal(whole, parts[0] + parts[1])
    assert identical(parts[0] + parts[1], parts[1] + parts[0])
    assert sum(parts).instances == len(values)


@law
@given(values_with_ties(), st.sampled_from([0.5, 2, np.float64(3.0), np.int64(4)]))
def test_weights_multiply_the_counts(values, factor):
    grid = grid_for(values)
    choices = Choices.from_values(values, grid=grid)
    weighted = Choices.from_values(values, grid=grid, weights=np.full(len(values), factor))
    assert_equal(weighted, factor * choices)
    assert_equal(weighted, choices * factor)
    repeated = Choices.from_values(np.concatenate([values] * 3), grid=grid)
    assert_equal(repeated, 3 * choices)
    each = np.full(values.shape[:2], float(factor))
    assert_equal(weighted, Choices.from_values(values, grid=grid, weights=each))


@law
@given(values_with_ties(fewest=3), st.integers(0, 10))
def test_an_absent_algorithm_does_not_change_the_choices_among_the_others(values, which):
    """Independence of irrelevant alternatives. The algorithm is observed once, alone, which is not a choice."""
    n, budgets = values.shape[2], values.shape[1]
    absent = which % n
    others = [i for i in range(n) if i != absent]
    without = Choices.from_values(values[:, :, others], grid=grid_for(values))
    hidden = values.copy()
    hidden[:, :, absent] = np.nan
    alone = np.full((1, budgets, n), np.nan)
    alone[:, :, absent] = 1.0
    with_it = Choices.from_values(np.concatenate([hidden, alone]), grid=grid_for(values))
    np.testing.assert_allclose(with_it.wins[:, others], without.wins, rtol=1e-12)
    assert (with_it.wins[:, absent] == 0).all()
    for budget in range(budgets):
        renamed = {frozenset(others[i] for i in s): count for s, count in sets_of(without, budget).items()}
        assert sets_of(with_it, budget) == pytest.approx(renamed, rel=1e-12)


@law
@given(values_with_ties())
def test_an_instance_of_weight_zero_is_left_out(values):
    grid = grid_for(values)
    weights = np.ones(len(values))
    weights[1] = 0
    kept = Choices.from_values(np.delete(values, 1, axis=0), grid=grid)
    assert identical(Choices.from_values(values, grid=grid, weights=weights), kept)


@law
@given(values_with_ties(), st.integers(0, 10))
def test_instances_add_up_to_the_whole(values, which):
    weights = np.linspace(0, 2, values.shape[0] * values.shape[1]).reshape(values.shape[:2])
    choices = Choices.from_values(values, grid=grid_for(values), weights=weights + 0.1, per_instance=True)
    each = choices.by_instance()
    assert len(each) == len(values)
    assert all(one.instances == 1 for one in each)
    assert_equal(sum(each), choices)
    one = [which % len(values)]
    direct = Rankings(choices.rankings.ranks[one], None, choices.grid, choices.rankings.weights[one])
    assert_equal(each[one[0]], Choices.from_rankings(direct))
    twice = (choices + choices).by_instance()
    assert len(twice) == 2 * len(values)
    assert_equal(sum(twice), 2 * choices)
    assert_equal(sum((3 * choices).by_instance()), 3 * choices)
