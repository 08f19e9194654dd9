"""Relations against plain loops over the draws, and the laws of elimination."""

import math
from functools import partial
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polarbear import (
    Diagnostics,
    Posterior,
    anytime_dominance,
    crossing,
    dominance,
    equivalence,
    linear_grid,
    pareto_probability,
    pareto_set,
    win_probability,
)

law = settings(deadline=None, max_examples=100)


def posterior_of(ratings, *, joint=True):
    ratings = np.asarray(ratings, dtype=float)
    _, times, algorithms = ratings.shape
    return Posterior(
        ratings=ratings / ratings.sum(axis=-1, keepdims=True),
        names=tuple(f"a{i}" for i in range(algorithms)),
        grid=linear_grid(1, 2, times) if times > 1 else linear_grid(1, 1, 1),
        joint=joint,
        diagnostics=Diagnostics("none", True, "", 1.0),
        prior="Dirichlet(concentration=1.0)",
        instances=1,
    )


def random_posterior(seed, draws=40, times=3, algorithms=4):
    rng = np.random.default_rng(seed)
    centre = rng.gamma(1.0, size=algorithms) + 0.2
    return posterior_of(rng.dirichlet(5 * centre, size=(draws, times)))


seeds = pytest.mark.parametrize("seed", range(5))


def pairs(posterior):
    n = len(posterior.names)
    return [(a, b) for a in range(n) for b in range(n) if a != b]


@seeds
def test_relations_at_a_time_are_shares_of_draws(seed):
    posterior = random_posterior(seed)
    ours = dominance(posterior), win_probability(posterior), equivalence(posterior, rope=0.1)
    for t in range(3):
        for a, b in pairs(posterior):
            beaten = chance = near = 0.0
            for draw in posterior.ratings:
                wins = draw[t, a] / (draw[t, a] + draw[t, b])
                beaten += draw[t, a] > draw[t, b]
                chance += wins
                near += 0.4 <= wins <= 0.6
            expected = np.array([beaten, chance, near]) / len(posterior.ratings)
            assert [matrix[t, a, b] for matrix in ours] == pytest.approx(expected, abs=1e-12)


@seeds
def test_only_what_is_wanted_is_computed(seed):
    posterior, rng = random_posterior(seed), np.random.default_rng(seed)
    for relation in (dominance, equivalence):
        for shape in ((3, 4, 4), (4, 4), (4, 1), (3, 1, 1)):
            where = rng.random(shape) < 0.5
            np.testing.assert_array_equal(relation(posterior, where=where), np.where(where, relation(posterior), 0.0))
    where = rng.random((4, 4)) < 0.5
    always = anytime_dominance(posterior)
    np.testing.assert_array_equal(anytime_dominance(posterior, where=where), np.where(where, always, 0.0))


@seeds
def test_relations_over_all_times_are_shares_of_draws(seed):
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
def test_one_of_two_is_better_and_the_diagonal_is_zero(seed):
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
def test_dominance_at_all_times_is_no_likelier_than_at_each(seed):
    """Joint elimination implies that the pair also passes the pointwise rule."""
    posterior = random_posterior(seed)
    assert (anytime_dominance(posterior) <= dominance(posterior).min(axis=0)).all()


def test_at_a_single_time_joint_and_pointwise_are_one():
    posterior = random_posterior(1, times=1)
    np.testing.assert_array_equal(anytime_dominance(posterior), dominance(posterior)[0])
    np.testing.assert_allclose(crossing(posterior), 0, atol=1e-12)


@pytest.mark.parametrize(
    ("ratings", "rope", "expected"),
    [
        ([0.5, 0.5], 0.0, 1.0),  # exactly equal, and nothing else, is equivalent at rope 0
        ([0.5000001, 0.4999999], 0.0, 0.0),
        ([0.75, 0.25], 0.25, 1.0),  # the edge belongs to the region
        ([0.25, 0.75], 0.25, 1.0),
        ([0.75, 0.25], 0.2499, 0.0),
        ([1.0, 0.0], 0.499, 0.0),
    ],
)
def test_the_region_of_practical_equivalence(ratings, rope, expected):
    matrix = equivalence(posterior_of([[ratings]]), rope=rope)[0]
    assert matrix[0, 1] == matrix[1, 0] == expected


def test_equivalence_is_by_default_of_rope_five_hundredths():
    posterior = random_posterior(0)
    np.testing.assert_array_equal(equivalence(posterior), equivalence(posterior, rope=0.05))


@pytest.mark.parametrize("rope", [-0.01, 0.5, 5, math.nan, math.inf])
def test_a_rope_that_holds_everything_or_nothing_is_refused(rope):
    with pytest.raises(ValueError, match=r"rope must lie in \[0, 0.5\), got "):
        equivalence(random_posterior(0), rope=rope)


def test_equal_ratings_beat_neither_way():
    posterior = posterior_of([[[0.4, 0.4, 0.2]]])
    assert dominance(posterior)[0, 0, 1] == dominance(posterior)[0, 1, 0] == 0
    assert crossing(posterior)[0, 1] == 1


def test_ratings_that_underflow_give_numbers():
    """Two algorithms so weak that their ratings are zero in double precision: nothing is known of the pair."""
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
    for elimination in ("joint", "pointwise"):
        for confidence in (0.51, 0.6, 0.8):
            chosen = pareto_set(permuted, confidence=confidence, elimination=elimination)
            here = {int(order[int(name[1:])]) for name in chosen}
            there = {int(name[1:]) for name in pareto_set(posterior, confidence=confidence, elimination=elimination)}
            assert here == there


def naive_pareto_set(posterior, confidence, elimination):
    """The most certainly dominated one goes first, and only at the hands of one who is still there."""
    probability = {}
    for a, b in pairs(posterior):
        if elimination == "joint":
            probability[a, b] = np.mean([all(d[:, a] > d[:, b]) for d in posterior.ratings])
        else:
            times = range(len(posterior.grid))
            probability[a, b] = min(np.mean([d[t, a] > d[t, b] for d in posterior.ratings]) for t in times)
    inside = set(range(len(posterior.names)))
    while True:
        threats = [(p, b) for (a, b), p in probability.items() if a in inside and b in inside and p >= confidence]
        if not threats:
            return tuple(posterior.names[a] for a in sorted(inside))
        worst = max(p for p, _ in threats)
        # Of several who are dominated alike, the one with the lowest mean rating.
        losers = [b for p, b in threats if p == worst]
        inside.remove(min(losers, key=lambda b: posterior.ratings[..., b].mean()))


@pytest.mark.parametrize("elimination", ["joint", "pointwise"])
@pytest.mark.parametrize("confidence", [0.501, 0.55, 0.7, 0.9, 0.99, 1.0])
def test_the_pareto_set_is_what_stepwise_elimination_leaves(elimination, confidence):
    sizes = set()
    for seed in range(40):
        posterior = random_posterior(seed, draws=25, times=2, algorithms=5)
        ours = pareto_set(posterior, confidence=confidence, elimination=elimination)
        assert ours == naive_pareto_set(posterior, confidence, elimination)
        sizes.add(len(ours))
    assert len(sizes) > 1  # the data are such that the rule matters


def test_the_pareto_set_is_by_default_joint_at_99_percent():
    posterior = random_posterior(2, draws=200)
    assert pareto_set(posterior) == pareto_set(posterior, confidence=0.99, elimination="joint")


def test_who_is_beaten_only_by_an_eliminated_one_stays():
    """a0 beats a1 in 80 % of draws and a1 beats a2 in 70 %, but a0 beats a2 in only half: a2 stays."""
    orders = [(0, 1, 2)] * 5 + [(2, 0, 1)] * 3 + [(1, 2, 0)] * 2
    draws = [[np.argsort(order)] for order in orders]  # the place of each algorithm, 0 is best
    posterior = posterior_of(3.0 - np.array(draws))
    probability = anytime_dominance(posterior)
    assert (probability[0, 1], probability[1, 2], probability[0, 2]) == pytest.approx((0.8, 0.7, 0.5))
    assert pareto_set(posterior, confidence=0.6) == ("a0", "a2")


def test_of_those_that_are_dominated_alike_the_weakest_goes_first():
    """a0 beats a1, a1 beats a2 and a2 beats a0, each in two of three draws; a1 has the lowest mean rating."""
    posterior = posterior_of([[[0.6, 0.3, 0.1]], [[0.3, 0.36, 0.34]], [[0.4, 0.1, 0.5]]])
    assert pareto_set(posterior, confidence=0.6) == ("a2",)


def test_who_is_beaten_by_different_ones_at_different_times_stays():
    """Pointwise elimination, too, needs one and the same algorithm at all times."""
    posterior = posterior_of([[[0.6, 0.1, 0.3], [0.1, 0.6, 0.3]]] * 10)
    assert pareto_set(posterior, elimination="pointwise") == ("a0", "a1", "a2")
    assert pareto_set(posterior, elimination="joint") == ("a0", "a1", "a2")
    assert pareto_probability(posterior).tolist() == [1, 1, 1]


@st.composite
def orders_over_time(draw):
    """Draws that are whatever orders at each time hypothesis thinks worst; ratings are distinct at each time."""
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
def test_two_algorithms_never_eliminate_each_other(posterior, elimination):
    """Above confidence one half."""
    probability = beats(posterior, elimination)
    assert np.minimum(probability, probability.T).max() <= 0.5


@law
@given(orders_over_time(), eliminations)
def test_no_cycle_of_k_is_above_confidence_one_minus_one_kth(posterior, elimination):
    probability = beats(posterior, elimination)
    for k in range(2, len(posterior.names) + 1):
        for cycle in permutations(range(len(posterior.names)), k):
            weakest = min(probability[a, b] for a, b in pairwise([*cycle, cycle[0]]))
            assert weakest <= 1 - 1 / k + 1e-12


@pytest.mark.parametrize("k", [2, 3, 4, 5])
@pytest.mark.parametrize("elimination", ["joint", "pointwise"])
def test_a_cycle_reaches_that_bound_and_still_leaves_somebody(k, elimination):
    """The rotations of one order: each beats the next in all draws but one. One half of the laws above is sharp."""
    rotations = [[np.roll(np.arange(k, 0, -1.0), shift)] for shift in range(k)]
    posterior = posterior_of(rotations)
    probability = beats(posterior, elimination)
    assert [probability[a, (a + 1) % k] for a in range(k)] == pytest.approx([1 - 1 / k] * k)
    assert len(pareto_set(posterior, confidence=max(0.51, 1 - 1 / k - 0.01), elimination=elimination)) >= 1
    assert len(pareto_set(posterior, confidence=1 - 1 / k + 0.01, elimination=elimination)) == k


@law
@given(orders_over_time(), confidences, eliminations)
def test_the_pareto_set_is_never_empty_and_nobody_in_it_is_dominated_from_within(posterior, confidence, elimination):
    chosen = pareto_set(posterior, confidence=confidence, elimination=elimination)
    assert chosen
    assert set(chosen) <= set(posterior.names)
    inside = [posterior.names.index(name) for name in chosen]
    assert inside == sorted(inside)
    assert (beats(posterior, elimination)[np.ix_(inside, inside)] < confidence).all()


@law
@given(orders_over_time(), confidences, eliminations)
def test_nobody_is_eliminated_without_a_reason(posterior, confidence, elimination):
    chosen = pareto_set(posterior, confidence=confidence, elimination=elimination)
    probability = beats(posterior, elimination)
    for index, name in enumerate(posterior.names):
        if name not in chosen:
            assert probability[:, index].max() >= confidence


@law
@given(orders_over_time())
def test_of_those_that_no_draw_dominates_none_is_eliminated(posterior):
    """A Pareto probability of one is the certainty of membership."""
    certain = np.isclose(pareto_probability(posterior), 1)
    chosen = pareto_set(posterior, confidence=0.51)
    assert all(name in chosen for name, sure in zip(posterior.names, certain, strict=True) if sure)


@pytest.mark.parametrize("confidence", [0.5, 0.0, 1.01, 99, math.nan])
def test_a_confidence_that_allows_mutual_elimination_is_refused(confidence):
    with pytest.raises(ValueError, match=r"confidence must lie in \(0.5, 1\], got "):
        pareto_set(random_posterior(0), confidence=confidence)


def test_an_unknown_elimination_is_refused():
    with pytest.raises(ValueError, match="elimination must be 'joint' or 'pointwise', got 'strict'"):
        pareto_set(random_posterior(0), elimination="strict")


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (anytime_dominance, "anytime dominance"),
        (crossing, "crossing"),
        (pareto_probability, "membership in the Pareto set"),
        (partial(pareto_set, elimination="joint"), "anytime dominance"),
    ],
)
def test_independent_draws_cannot_answer_questions_about_all_times(question, words):
    posterior = posterior_of(random_posterior(0).ratings, joint=False)
    with pytest.raises(ValueError, match=f"{words} is a question about all times at once") as refused:
        question(posterior)
    message = str(refused.value)
    assert "Dirichlet(concentration=1.0) treats each time alone" in message
    for name in ("BSpline", "RandomWalk", "GaussianProcess", "SparseGaussianProcess", "HilbertSpaceGP", "pointwise"):
        assert name in message


def test_independent_draws_answer_questions_about_each_time():
    joint = random_posterior(3)
    alone = posterior_of(joint.ratings, joint=False)
    for relation in (dominance, win_probability, equivalence):
        np.testing.assert_allclose(relation(alone), relation(joint), atol=1e-12)  # scaled to one twice
    assert pareto_set(alone, elimination="pointwise") == pareto_set(joint, elimination="pointwise")


def test_relations_leave_the_posterior_as_it_was():
    posterior = random_posterior(0)
    before = posterior.ratings.copy()
    for relation in (dominance, win_probability, equivalence, anytime_dominance, crossing, pareto_set):
        relation(posterior)
    np.testing.assert_array_equal(posterior.ratings, before)
