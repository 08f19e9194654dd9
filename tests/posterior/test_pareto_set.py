"""The Pareto set, against paths of arrows as plain sets, and the laws of dominance."""

import math
from functools import cache
from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polarbear as pb
from polarbear import Choices, anytime_dominance, fit, pareto_probability, pareto_set
from polarbear.posterior.elimination import cycles, cycles_among, drop_probabilities, kept_algorithms
from tests.posterior.posteriors import pairs, posterior_of, random_posterior
from tests.race.paper import plain_cycles, plainly_kept

law = settings(deadline=None, max_examples=100)


@cache
def small_posterior(seed):
    return random_posterior(seed, draws=25, budgets=2, algorithms=5)


@cache
def plain_probabilities(seed, dominance):
    """The probability that a beats b, by (a, b), as loops over the draws."""
    posterior, result = small_posterior(seed), {}
    for a, b in pairs(posterior):
        if dominance == "joint":
            result[a, b] = np.mean([all(d[:, a] > d[:, b]) for d in posterior.ratings])
        else:
            budgets = range(len(posterior.grid))
            result[a, b] = min(np.mean([d[t, a] > d[t, b] for d in posterior.ratings]) for t in budgets)
    return result


def plain_pareto_set(seed, confidence, dominance):
    """The algorithms that are kept, by paths of arrows."""
    names = small_posterior(seed).names
    kept = plainly_kept(plain_probabilities(seed, dominance), confidence, judged=set(range(len(names))))
    return tuple(names[a] for a in sorted(kept))


@pytest.mark.parametrize("dominance", ["joint", "pointwise"])
@pytest.mark.parametrize("confidence", [0.501, 0.55, 0.7, 0.9, 0.99, 1.0])
def test_the_pareto_set_is_what_no_arrow_enters(dominance, confidence):
    sizes = set()
    for seed in range(40):
        ours = pareto_set(small_posterior(seed), confidence=confidence, dominance=dominance)
        assert ours == plain_pareto_set(seed, confidence, dominance)
        sizes.add(len(ours))
    assert len(sizes) > 1  # the data are such that the rule matters


def test_the_pareto_set_is_by_default_pointwise_at_95_percent():
    """a0 beats a1 in 199 of 200 draws at each budget, and jointly in 198 of 200."""
    ratings = np.tile([[0.9, 0.1]], (200, 2, 1))
    ratings[0, 0], ratings[1, 1] = [0.1, 0.9], [0.1, 0.9]
    posterior = posterior_of(ratings)
    assert pareto_set(posterior) == ("a0",)
    assert pareto_set(posterior, confidence=0.995, dominance="joint") == ("a0", "a1")
    assert pareto_set(posterior_of(ratings[:25])) == ("a0",)  # 24 of 25 at each budget
    assert pareto_set(posterior_of(ratings[:16])) == ("a0", "a1")  # 15 of 16 is below 0.95


def ordered(*orders):
    """A posterior of one budget, in which each draw is an order, best first."""
    return posterior_of(3.0 - np.array([[np.argsort(order)] for order in orders]))


def test_who_is_beaten_only_by_a_dropped_algorithm_is_dropped_if_a_kept_one_probably_beats_it():
    """a0 beats a1 in 80 % of draws, a1 beats a2 in 70 %, and a0 beats a2 in half."""
    posterior = ordered(*[(0, 1, 2)] * 5, *[(2, 0, 1)] * 3, *[(1, 2, 0)] * 2)
    probability = anytime_dominance(posterior)
    assert (probability[0, 1], probability[1, 2], probability[0, 2]) == pytest.approx((0.8, 0.7, 0.5))
    assert pareto_set(posterior, confidence=0.6) == ("a0",)
    assert pareto_set(posterior, confidence=0.75) == ("a0", "a2")


def test_and_kept_with_who_beats_it_if_no_kept_one_probably_does():
    """a0 beats a1 and a1 beats a2 in 70 % of draws, and a0 beats a2 in 40 %."""
    posterior = ordered(*[(0, 1, 2)] * 4, *[(2, 0, 1)] * 3, *[(1, 2, 0)] * 3)
    probability = anytime_dominance(posterior)
    assert (probability[0, 1], probability[1, 2], probability[0, 2]) == pytest.approx((0.7, 0.7, 0.4))
    assert pareto_set(posterior, confidence=0.65) == ("a0", "a1", "a2")
    assert cycles(posterior, confidence=0.65) == ()
    assert cycles(posterior, confidence=0.6) == (("a0", "a1", "a2"),)  # a2 beats a0 in 60 %


def test_an_algorithm_beaten_by_different_ones_at_different_budgets_stays():
    """Pointwise dominance, too, needs one and the same algorithm at all budgets."""
    posterior = posterior_of([[[0.6, 0.1, 0.3], [0.1, 0.6, 0.3]]] * 10)
    assert pareto_set(posterior, dominance="pointwise") == ("a0", "a1", "a2")
    assert pareto_set(posterior, dominance="joint") == ("a0", "a1", "a2")
    assert pareto_probability(posterior).tolist() == [1, 1, 1]


@st.composite
def orders_over_time(draw):
    """Draws of any order at each budget, as Hypothesis chooses; ratings are distinct at each budget."""
    n, budgets = draw(st.integers(2, 5)), draw(st.integers(1, 3))
    order = st.permutations(range(n))
    path = st.lists(order, min_size=budgets, max_size=budgets)
    places = draw(st.lists(path, min_size=1, max_size=12))
    return posterior_of(1.0 + np.array(places, dtype=float))


confidences = st.sampled_from([0.5001, 0.55, 0.6, 2 / 3, 0.7, 0.75, 0.8, 0.9, 1.0])
drops = st.sampled_from(["joint", "pointwise"])


def beats(posterior, dominance):
    return anytime_dominance(posterior) if dominance == "joint" else pb.dominance(posterior).min(axis=0)


@law
@given(orders_over_time(), drops)
def test_no_cycle_of_k_is_above_confidence_one_minus_one_kth(posterior, dominance):
    """With k = 2: above confidence one half, two algorithms are never dropped because of each other."""
    probability = beats(posterior, dominance)
    for k in range(2, len(posterior.names) + 1):
        for cycle in permutations(range(len(posterior.names)), k):
            weakest = min(probability[a, b] for a, b in pairwise([*cycle, cycle[0]]))
            assert weakest <= 1 - 1 / k + 1e-12


@pytest.mark.parametrize("k", [3, 4, 5])
@pytest.mark.parametrize("dominance", ["joint", "pointwise"])
def test_a_cycle_reaches_that_bound_and_is_kept_as_a_whole(k, dominance):
    """The rotations of one order: each beats the next in all draws but one. The bound above is sharp."""
    rotations = [[np.roll(np.arange(k, 0, -1.0), shift)] for shift in range(k)]
    posterior = posterior_of(rotations)
    probability = beats(posterior, dominance)
    assert [probability[a, (a + 1) % k] for a in range(k)] == pytest.approx([1 - 1 / k] * k)
    for shift, found in ((-0.01, (posterior.names,)), (0.01, ())):
        rule = {"confidence": 1 - 1 / k + shift, "dominance": dominance}
        assert pareto_set(posterior, **rule) == posterior.names
        assert cycles(posterior, **rule) == found


@law
@given(orders_over_time(), confidences, drops)
def test_the_pareto_set_is_not_empty_not_entered_by_arrows_and_probably_beats_the_rest(
    posterior, confidence, dominance
):
    chosen = pareto_set(posterior, confidence=confidence, dominance=dominance)
    assert chosen
    assert set(chosen) <= set(posterior.names)
    inside = [posterior.names.index(name) for name in chosen]
    assert inside == sorted(inside)
    outside = [place for place in range(len(posterior.names)) if place not in inside]
    probability = beats(posterior, dominance)
    assert (probability[np.ix_(outside, inside)] < confidence).all()
    for index in outside:
        assert probability[:, index].max() >= confidence
        assert probability[inside, index].max() >= 0.5


# Threats of a pair in both directions: their sum is at most one.
both = st.sampled_from(
    [(p, q) for p in (0.0, 0.3, 0.49, 0.5, 0.6, 0.8, 0.9, 1.0) for q in (0.0, 0.2, 0.5) if p + q <= 1]
)


@st.composite
def threats_of_some(draw):
    """Any threats, and which algorithms are judged, and which of them were dropped before."""
    n = draw(st.integers(1, 6))
    threat = np.zeros((n, n))
    for a, b in combinations(range(n), 2):
        ends = (a, b) if draw(st.booleans()) else (b, a)
        threat[ends], threat[ends[::-1]] = draw(both)
    judged, dropped = (np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n))) for _ in range(2))
    return threat, judged, dropped & judged


@settings(deadline=None, max_examples=400)
@given(threats_of_some(), st.sampled_from([0.8, 0.9, 0.95, 1.0]), st.booleans(), st.booleans())
def test_kept_algorithms_are_those_of_the_rule_by_paths(found, confidence, earlier, returning):
    threat, judged, dropped = found
    rule = {"judged": judged, "dropped": dropped if earlier else None, "returning": returning}
    before = threat.copy()
    kept = kept_algorithms(threat, confidence, **rule)
    np.testing.assert_array_equal(threat, before)
    members = set(np.flatnonzero(judged).tolist())
    threats = {(a, b): threat[a, b] for a in members for b in members if a != b}
    gone = frozenset(np.flatnonzero(dropped).tolist()) if earlier else frozenset()
    expected = plainly_kept(threats, confidence, judged=members, dropped=gone, returning=returning)
    assert set(np.flatnonzero(kept).tolist()) == expected
    assert kept.any() == judged.any()
    assert not kept[~judged].any()
    names = tuple(range(len(judged)))
    circles = {frozenset(each) for each in cycles_among(names, threat, confidence, kept)}
    assert circles == plain_cycles(threats, confidence, expected)
    # All that are dropped are beaten, with the confidence or, if they were dropped before, probably.
    for loser in members - expected:
        assert threat[judged, loser].max() >= (0.5 if loser in gone else confidence)
    if returning:  # without new data, further looks soon change nothing: nobody is dropped and brought back for ever
        looks = [kept]
        for _ in range(4):
            looks.append(kept_algorithms(threat, confidence, judged=judged, dropped=judged & ~looks[-1]))
        np.testing.assert_array_equal(looks[-1], looks[-2])


@law
@given(
    st.integers(2, 6).flatmap(
        lambda n: st.lists(st.lists(st.integers(-3, 3), min_size=n, max_size=n), min_size=1, max_size=3)
    ),
    st.sampled_from([0.51, 0.6, 0.75, 0.9]),
)
def test_without_cycles_and_with_transitive_threats_nobody_who_is_kept_is_beaten(utilities, confidence):
    """The paper's Proposition 1. The threat grows with the difference of two utilities, at the least certain budget."""
    difference = np.array(utilities)[:, :, None] - np.array(utilities)[:, None]
    threat = (1 / (1 + np.exp(-difference))).min(axis=0)
    np.fill_diagonal(threat, 0.0)
    everybody = np.ones(len(threat), dtype=bool)
    kept = kept_algorithms(threat, confidence, judged=everybody)
    np.testing.assert_array_equal(kept, (threat < confidence).all(axis=0))
    assert cycles_among(tuple(range(len(threat))), threat, confidence, kept) == ()


@pytest.mark.parametrize("dominance", ["joint", "pointwise"])
def test_proposition_1_under_the_default_belief(dominance):
    """Plackett-Luce outcomes with a different order at each budget, of which some are beaten everywhere."""
    rng, sizes = np.random.default_rng(0), set()
    for seed in range(12):
        utilities = rng.normal(scale=0.7, size=(3, 6)) + rng.normal(scale=1.5, size=6)
        values = -rng.gumbel(utilities, size=(150, 3, 6))
        posterior = fit(Choices.from_values(values, grid=[1, 2, 3]), draws=400, seed=seed)
        threat = drop_probabilities(posterior, dominance=dominance)
        unbeaten = tuple(name for name, most in zip(posterior.names, threat.max(axis=0), strict=True) if most < 0.95)
        assert pareto_set(posterior, dominance=dominance) == unbeaten
        sizes.add(len(unbeaten))
    assert len(sizes) > 1


@law
@given(orders_over_time())
def test_an_algorithm_that_no_draw_dominates_is_not_dropped(posterior):
    """A Pareto probability of one is the certainty of membership."""
    certain = np.isclose(pareto_probability(posterior), 1)
    chosen = pareto_set(posterior, confidence=0.51, dominance="joint")
    assert all(name in chosen for name, sure in zip(posterior.names, certain, strict=True) if sure)


@pytest.mark.parametrize("confidence", [0.5, 0.0, 1.01, 99, math.nan])
def test_a_confidence_at_which_both_of_a_pair_could_be_dropped_is_refused(confidence):
    with pytest.raises(ValueError, match=r"expected confidence in \(0.5, 1\], got "):
        pareto_set(random_posterior(0), confidence=confidence)


def test_an_unknown_dominance_is_refused():
    with pytest.raises(ValueError, match="expected dominance as one of 'joint', 'pointwise', got 'strict'"):
        pareto_set(random_posterior(0), dominance="strict")
