"""The Pareto set, against stepwise elimination as plain loops, and the laws of elimination."""

import math
from functools import cache
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polarbear import anytime_dominance, dominance, pareto_probability, pareto_set
from tests.posterior.posteriors import pairs, posterior_of, random_posterior

law = settings(deadline=None, max_examples=100)


@cache
def small_posterior(seed):
    return random_posterior(seed, draws=25, times=2, algorithms=5)


@cache
def plain_probabilities(seed, elimination):
    """The probability that a eliminates b, by (a, b), as loops over the draws."""
    posterior, result = small_posterior(seed), {}
    for a, b in pairs(posterior):
        if elimination == "joint":
            result[a, b] = np.mean([all(d[:, a] > d[:, b]) for d in posterior.ratings])
        else:
            times = range(len(posterior.grid))
            result[a, b] = min(np.mean([d[t, a] > d[t, b] for d in posterior.ratings]) for t in times)
    return result


def plain_pareto_set(seed, confidence, elimination):
    """The algorithm that is dominated most certainly is eliminated first, and only by one that remains."""
    posterior, probability = small_posterior(seed), plain_probabilities(seed, elimination)
    remaining = set(range(len(posterior.names)))
    while True:
        threats = [(p, b) for (a, b), p in probability.items() if a in remaining and b in remaining and p >= confidence]
        if not threats:
            return tuple(posterior.names[a] for a in sorted(remaining))
        worst = max(p for p, _ in threats)
        # Of several that are dominated with equal probability, the one with the lowest mean rating.
        losers = [b for p, b in threats if p == worst]
        remaining.remove(min(losers, key=lambda b: posterior.ratings[..., b].mean()))


@pytest.mark.parametrize("elimination", ["joint", "pointwise"])
@pytest.mark.parametrize("confidence", [0.501, 0.55, 0.7, 0.9, 0.99, 1.0])
def test_the_pareto_set_is_what_stepwise_elimination_leaves(elimination, confidence):
    sizes = set()
    for seed in range(40):
        ours = pareto_set(small_posterior(seed), confidence=confidence, elimination=elimination)
        assert ours == plain_pareto_set(seed, confidence, elimination)
        sizes.add(len(ours))
    assert len(sizes) > 1  # the data are such that the rule matters


def test_the_pareto_set_is_by_default_pointwise_at_95_percent():
    """a0 beats a1 in 199 of 200 draws at each time, and jointly in 198 of 200."""
    ratings = np.tile([[0.9, 0.1]], (200, 2, 1))
    ratings[0, 0], ratings[1, 1] = [0.1, 0.9], [0.1, 0.9]
    posterior = posterior_of(ratings)
    assert pareto_set(posterior) == ("a0",)
    assert pareto_set(posterior, confidence=0.995, elimination="joint") == ("a0", "a1")
    assert pareto_set(posterior_of(ratings[:25])) == ("a0",)  # 24 of 25 at each time
    assert pareto_set(posterior_of(ratings[:16])) == ("a0", "a1")  # 15 of 16 is below 0.95


def test_an_algorithm_beaten_only_by_an_eliminated_one_stays():
    """a0 beats a1 in 80 % of draws and a1 beats a2 in 70 %, but a0 beats a2 in only half: a2 stays."""
    orders = [(0, 1, 2)] * 5 + [(2, 0, 1)] * 3 + [(1, 2, 0)] * 2
    draws = [[np.argsort(order)] for order in orders]  # the place of each algorithm, 0 is best
    posterior = posterior_of(3.0 - np.array(draws))
    probability = anytime_dominance(posterior)
    assert (probability[0, 1], probability[1, 2], probability[0, 2]) == pytest.approx((0.8, 0.7, 0.5))
    assert pareto_set(posterior, confidence=0.6) == ("a0", "a2")


def test_an_algorithm_beaten_by_different_ones_at_different_times_stays():
    """Pointwise elimination, too, needs one and the same algorithm at all times."""
    posterior = posterior_of([[[0.6, 0.1, 0.3], [0.1, 0.6, 0.3]]] * 10)
    assert pareto_set(posterior, elimination="pointwise") == ("a0", "a1", "a2")
    assert pareto_set(posterior, elimination="joint") == ("a0", "a1", "a2")
    assert pareto_probability(posterior).tolist() == [1, 1, 1]


@st.composite
def orders_over_time(draw):
    """Draws of any order at each time, as Hypothesis chooses; ratings are distinct at each time."""
    n, times = draw(st.integers(2, 5)), draw(st.integers(1, 3))
    order = st.permutations(range(n))
    path = st.lists(order, min_size=times, max_size=times)
    places = draw(st.lists(path, min_size=1, max_size=12))
    return posterior_of(1.0 + np.array(places, dtype=float))


confidences = st.sampled_from([0.5001, 0.55, 0.6, 2 / 3, 0.7, 0.75, 0.8, 0.9, 1.0])
eliminations = st.sampled_from(["joint", "pointwise"])


def beats(posterior, elimination):
    return anytime_dominance(posterior) if elimination == "joint" else dominance(posterior).min(axis=0)


@law
@given(orders_over_time(), eliminations)
def test_no_cycle_of_k_is_above_confidence_one_minus_one_kth(posterior, elimination):
    """With k = 2: above confidence one half, two algorithms never eliminate each other."""
    probability = beats(posterior, elimination)
    for k in range(2, len(posterior.names) + 1):
        for cycle in permutations(range(len(posterior.names)), k):
            weakest = min(probability[a, b] for a, b in pairwise([*cycle, cycle[0]]))
            assert weakest <= 1 - 1 / k + 1e-12


@pytest.mark.parametrize("k", [2, 3, 4, 5])
@pytest.mark.parametrize("elimination", ["joint", "pointwise"])
def test_a_cycle_reaches_that_bound_and_still_leaves_an_algorithm(k, elimination):
    """The rotations of one order: each beats the next in all draws but one. The bound above is sharp."""
    rotations = [[np.roll(np.arange(k, 0, -1.0), shift)] for shift in range(k)]
    posterior = posterior_of(rotations)
    probability = beats(posterior, elimination)
    assert [probability[a, (a + 1) % k] for a in range(k)] == pytest.approx([1 - 1 / k] * k)
    assert len(pareto_set(posterior, confidence=max(0.51, 1 - 1 / k - 0.01), elimination=elimination)) >= 1
    assert len(pareto_set(posterior, confidence=1 - 1 / k + 0.01, elimination=elimination)) == k


@law
@given(orders_over_time(), confidences, eliminations)
def test_the_pareto_set_is_not_empty_not_dominated_from_within_and_dominates_the_rest(
    posterior, confidence, elimination
):
    chosen = pareto_set(posterior, confidence=confidence, elimination=elimination)
    assert chosen
    assert set(chosen) <= set(posterior.names)
    inside = [posterior.names.index(name) for name in chosen]
    assert inside == sorted(inside)
    probability = beats(posterior, elimination)
    assert (probability[np.ix_(inside, inside)] < confidence).all()
    for index, name in enumerate(posterior.names):
        if name not in chosen:
            assert probability[:, index].max() >= confidence


@law
@given(orders_over_time())
def test_an_algorithm_that_no_draw_dominates_is_not_eliminated(posterior):
    """A Pareto probability of one is the certainty of membership."""
    certain = np.isclose(pareto_probability(posterior), 1)
    chosen = pareto_set(posterior, confidence=0.51, elimination="joint")
    assert all(name in chosen for name, sure in zip(posterior.names, certain, strict=True) if sure)


@pytest.mark.parametrize("confidence", [0.5, 0.0, 1.01, 99, math.nan])
def test_a_confidence_that_allows_mutual_elimination_is_refused(confidence):
    with pytest.raises(ValueError, match=r"expected confidence in \(0.5, 1\], got "):
        pareto_set(random_posterior(0), confidence=confidence)


def test_an_unknown_elimination_is_refused():
    with pytest.raises(ValueError, match="expected elimination as one of 'joint', 'pointwise', got 'strict'"):
        pareto_set(random_posterior(0), elimination="strict")
