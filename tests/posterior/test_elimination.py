"""Which algorithm is dropped by which; test_pareto_set.py checks which ones remain."""

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polarbear as pb
from polarbear import dominated, pareto_set
from polarbear.posterior.elimination import cycles, drop_probabilities, drop_probabilities_over_time
from tests.race.paper import plain_cycles, plainly_kept, posterior_of, some_posterior, threat

NAMES, BUDGETS = ("a", "b", "c", "d", "e"), [1, 2, 4]
law = settings(deadline=None, max_examples=60)
rules = pytest.mark.parametrize("dominance", ["joint", "pointwise"])


def fitted(values, names, **options):
    """The default belief, from values (instance, budget, algorithm)."""
    values = np.asarray(values, dtype=float)
    grid = np.arange(1.0, values.shape[1] + 1)
    return pb.fit(pb.Choices.from_values(values, grid=grid, names=list(names)), draws=1000, **options)


def pairs_of(posterior, **options):
    """The dropped algorithms, each with the one that beats it."""
    return [(each.name, each.by) for each in dominated(posterior, **options)]


@rules
@pytest.mark.parametrize("seed", range(2))
def test_elimination_probabilities_are_shares_of_draws(dominance, seed):
    posterior = some_posterior(np.random.default_rng(seed), NAMES, BUDGETS)
    ours = drop_probabilities(posterior, dominance=dominance)
    np.testing.assert_array_equal(
        drop_probabilities(posterior, dominance=dominance, over_time=pb.dominance(posterior)), ours
    )
    for a in range(5):
        for b in range(5):
            assert ours[a, b] == (pytest.approx(threat(posterior, a, b, dominance)) if a != b else 0)


@law
@given(
    st.integers(0, 10_000),
    st.sampled_from([0.51, 0.6, 0.75, 0.9, 1.0]),
    st.sampled_from(["joint", "pointwise"]),
    st.sets(st.sampled_from(NAMES), min_size=1),
)
def test_each_dropped_algorithm_has_the_most_certain_winner(seed, confidence, dominance, among):
    """That is a kept one if one beats it with the confidence, and otherwise the most certain of all."""
    posterior = some_posterior(np.random.default_rng(seed), NAMES, BUDGETS, draws=12)
    threats = {
        (a, b): threat(posterior, NAMES.index(a), NAMES.index(b), dominance) for a in among for b in among if a != b
    }
    kept = plainly_kept(threats, confidence, judged=among)
    found = dominated(posterior, confidence=confidence, dominance=dominance, among=among)
    assert {each.name for each in found} == among - kept
    for each in found:
        by_kept = [threats[a, each.name] for a in kept]
        usual = [p for (_, b), p in threats.items() if b == each.name]
        assert each.probability == pytest.approx(max(by_kept) if max(by_kept) >= confidence else max(usual))
        assert each.probability == pytest.approx(threats[each.by, each.name])
        assert each.probability >= confidence
    certainty = [each.probability for each in found]
    assert certainty == sorted(certainty, reverse=True)
    circles = cycles(posterior, confidence=confidence, dominance=dominance, among=among)
    assert {frozenset(each) for each in circles} == plain_cycles(threats, confidence, kept)


def test_only_candidates_beat_others_and_are_dropped():
    posterior = posterior_of([[[5.0, 3.0, 2.0, 1.0]]] * 10, "abcd", [1])
    assert pairs_of(posterior, among=("b", "c")) == [("c", "b")]
    assert dominated(posterior, among=("d",)) == ()
    assert dominated(posterior, among=()) == ()
    assert cycles(posterior, among=()) == ()


def test_a_chain_is_dropped_by_its_head():
    """Of several that beat an algorithm, the one that is kept is named."""
    posterior = posterior_of([[[5.0, 3.0, 2.0, 1.0]]] * 10, "abcd", [1])
    assert pairs_of(posterior) == [("b", "a"), ("c", "a"), ("d", "a")]
    assert pareto_set(posterior) == ("a",)


def test_the_winner_that_is_named_may_be_dropped_itself():
    """a beats b in 80 % of the draws and b beats c in 70 %; a beats c in 60 %, less than the confidence."""
    draws = [(3, 2, 1)] * 6 + [(2, 1, 3)] * 2 + [(1, 3, 2)] * 1 + [(1, 2, 3)] * 1
    posterior = posterior_of([[each] for each in draws], "abc", [1])
    beats = pb.dominance(posterior)[0]
    assert [beats[0, 1], beats[1, 2], beats[0, 2]] == [0.8, 0.7, 0.6]
    found = dominated(posterior, confidence=0.65)
    assert [(each.name, each.by, each.probability) for each in found] == [("b", "a", 0.8), ("c", "b", 0.7)]


def test_equal_algorithms_are_not_dropped():
    posterior = posterior_of([[[1.0, 1.0, 1.0]]] * 10, "abc", [1])
    assert dominated(posterior, confidence=0.51) == ()


# Budgets at which a pair does not differ.

INF = math.inf


def late_starters(instances=40):
    """No solution before the third of five budgets; from there on a beats b, and c is between the two at the end only."""
    values = np.full((instances, 5, 3), INF)
    values[:, 2:] = [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 3.0, 2.0]]
    return values


@rules
def test_budgets_at_which_two_algorithms_tie_everywhere_say_nothing(dominance):
    """They neither prevent a drop nor change its probability."""
    whole, late = fitted(late_starters(), "abc"), fitted(late_starters()[:, 2:], "abc")
    assert pairs_of(whole, dominance=dominance) == [("b", "a"), ("c", "a")]
    assert (pb.dominance(whole)[:2, 0, 1] < 0.6).all()
    np.testing.assert_array_equal(
        drop_probabilities(whole, dominance=dominance),
        drop_probabilities(late, dominance=dominance),
    )
    over_time = drop_probabilities_over_time(whole)
    np.testing.assert_array_equal(over_time[:2], np.broadcast_to(1 - np.eye(3), (2, 3, 3)))
    np.testing.assert_array_equal(over_time[2:], drop_probabilities_over_time(late))
    for relation in (pb.pareto_probability, pb.crossing, pb.anytime_dominance):
        np.testing.assert_array_equal(relation(whole), relation(late))


@rules
def test_a_budget_at_which_two_algorithms_differ_on_a_single_instance_counts(dominance):
    values = late_starters()
    values[0, 1, 1] = 5.0  # there b has a solution, and a has none
    assert pairs_of(fitted(values, "abc"), dominance=dominance) == [("c", "a")]


@rules
def test_ties_at_a_few_budgets_in_between_say_nothing(dominance):
    values = np.tile([1.0, 2.0], (40, 5, 1))
    values[:, 3] = 0.5
    assert pairs_of(fitted(values, "ab"), dominance=dominance) == [("b", "a")]


@rules
@pytest.mark.parametrize("value", [1.0, INF])
def test_two_algorithms_that_never_differ_are_both_kept(dominance, value):
    values = np.tile([value, value, 9.0 if value == 1.0 else 1.0], (40, 5, 1))
    posterior = fitted(values, "abc")
    assert drop_probabilities(posterior, dominance=dominance)[0, 1] == 0
    expected = ("a", "b") if value == 1.0 else ("c",)
    assert pareto_set(posterior, dominance=dominance) == expected
    assert pb.anytime_dominance(posterior)[0, 1] == pb.crossing(posterior)[0, 1] == 0


@rules
@pytest.mark.parametrize("specialists", ["keep", "drop"])
def test_under_the_default_belief_no_algorithm_is_dropped_with_certainty(dominance, specialists):
    """A closed form or a share of draws may round to one; still another instance may differ."""
    posterior = fitted(np.tile([1.0, 2.0], (500, 3, 1)), "ab")
    assert pb.dominance(posterior)[:, 0, 1].min() == pytest.approx(1)
    rule = {"dominance": dominance, "specialists": specialists}
    assert pairs_of(posterior, confidence=0.999999, **rule) == [("b", "a")]
    assert dominated(posterior, confidence=1, **rule) == ()


@rules
def test_under_plackett_luce_all_draws_can_agree(dominance):
    posterior = posterior_of([[[2.0, 1.0]]] * 10, "ab", [1])
    assert pairs_of(posterior, confidence=1, dominance=dominance) == [("b", "a")]


# Pairs without common instances.


def gap(first, second, *, at=slice(None), instances=80):
    """a beats b beats c on every instance; on no instance are `first` and `second` both observed at these budgets."""
    values = np.tile([1.0, 2.0, 3.0], (instances, 3, 1))
    values[: instances // 2, at, "abc".index(first)] = np.nan
    values[instances // 2 :, at, "abc".index(second)] = np.nan
    return fitted(values, "abc")


@rules
@pytest.mark.parametrize("at", [slice(None), 1], ids=["never compared", "not compared at one budget"])
def test_an_algorithm_is_not_dropped_by_one_that_it_was_not_compared_with(dominance, at):
    posterior = gap("a", "b", at=at)
    assert pb.dominance(posterior)[1, 0, 1] == 0.5
    assert drop_probabilities(posterior, dominance=dominance)[0, 1] == 0
    assert dominated(posterior, among=["a", "b"], dominance=dominance) == ()
    assert dict(pairs_of(posterior, dominance=dominance)).keys() == {"c"}


@rules
def test_a_chain_whose_ends_were_not_compared_is_kept(dominance):
    """a beats b and b beats c. Nothing is known of a and c, so c stays, and with it b, which beats c."""
    posterior = gap("a", "c")
    assert pairs_of(posterior, dominance=dominance, among=["a", "b"]) == [("b", "a")]
    assert pairs_of(posterior, dominance=dominance, among=["b", "c"]) == [("c", "b")]
    assert dominated(posterior, dominance=dominance) == ()
    assert cycles(posterior, dominance=dominance) == ()


# All of this at once.

outcomes = st.sampled_from([1.0, 1.0, 2.0, 3.0, INF, math.nan])


@st.composite
def sparse_values(draw):
    """A few different instances, each repeated; with ties, missing runs, and no solutions. One compares all."""
    budgets, n = draw(st.integers(1, 3)), draw(st.integers(2, 4))
    instance = st.lists(st.lists(outcomes, min_size=n, max_size=n), min_size=budgets, max_size=budgets)
    values = np.array(draw(st.lists(instance, min_size=1, max_size=4)))
    values = np.where(draw(st.booleans()) & np.isnan(values), 2.0, values)
    order = np.arange(n) * draw(st.sampled_from([0.0, 0.4, 4.0]))  # from no order to a clear one
    link = np.full((1, budgets, n), math.nan)
    link[:, 0] = 1.0
    return np.concatenate([link, np.tile(values + order, (draw(st.sampled_from([2, 5, 12])), 1, 1))])


def plain_threat(posterior, values, a, b, dominance):
    """P(a beats b) at the least certain budget, or at all together, of those at which the values of the two differ."""
    both = ~np.isnan(values[..., a]) & ~np.isnan(values[..., b])
    differ = (both & (values[..., a] != values[..., b])).any(axis=0)
    if not both.any(axis=0).all() or not differ.any():
        return 0.0
    if dominance == "pointwise":
        return min(float(pb.dominance(posterior)[t, a, b]) for t in np.flatnonzero(differ))
    rates = pb.win_rates(posterior, posterior.names[a], posterior.names[b])
    return float((rates[:, differ] > 0.5).all(axis=1).mean())


@settings(deadline=None, max_examples=80)
@given(sparse_values(), st.sampled_from([0.7, 0.95, 1.0]), st.sampled_from(["joint", "pointwise"]))
def test_under_the_default_belief_the_rule_is_that_of_paths(values, confidence, dominance):
    n = values.shape[2]
    posterior = pb.fit(pb.Choices.from_values(values, grid=np.arange(1.0, values.shape[1] + 1)), draws=200)
    threats = {(a, b): plain_threat(posterior, values, a, b, dominance) for a in range(n) for b in range(n) if a != b}
    kept = set(range(n)) if confidence == 1 else plainly_kept(threats, confidence, judged=set(range(n)))
    rule = {"confidence": confidence, "dominance": dominance}
    assert pareto_set(posterior, **rule) == tuple(posterior.names[a] for a in sorted(kept)) != ()
    for each in dominated(posterior, **rule):
        pair = posterior.names.index(each.by), posterior.names.index(each.name)
        assert each.probability == pytest.approx(threats[pair], abs=1e-9)
        assert each.probability >= confidence


# Cycles.

CIRCLE = [[1, 2, 3], [3, 1, 2], [2, 3, 1]]  # a beats b, b beats c and c beats a, each on two instances of three


def circle_of_three(budgets=4, rounds=40):
    """A circle at all budgets, and d and e that lose to all; d beats e."""
    values = [[*each, 8, 9] for each in CIRCLE] * rounds
    return np.repeat(np.array(values, dtype=float)[:, None], budgets, axis=1)


@rules
def test_a_cycle_is_kept_as_a_whole_and_named(dominance):
    posterior = fitted(circle_of_three(), "abcde")
    found = drop_probabilities(posterior, dominance=dominance)
    assert min(found[0, 1], found[1, 2], found[2, 0]) > 0.95
    assert pareto_set(posterior, dominance=dominance) == ("a", "b", "c")
    assert cycles(posterior, dominance=dominance) == (("a", "b", "c"),)
    assert {each.name for each in dominated(posterior, dominance=dominance)} == {"d", "e"}
    # Without one of the three there is no cycle.
    assert pairs_of(posterior, dominance=dominance, among=["a", "b"]) == [("b", "a")]
    assert cycles(posterior, dominance=dominance, among=["a", "b", "e"]) == ()


@rules
def test_a_cycle_that_another_algorithm_beats_is_dropped_as_a_whole(dominance):
    values = circle_of_three()
    values[..., 4] = 0
    posterior = fitted(values, "abcde")
    assert pareto_set(posterior, dominance=dominance) == ("e",)
    assert {each.by for each in dominated(posterior, dominance=dominance)} == {"e"}
    assert cycles(posterior, dominance=dominance) == ()


@rules
def test_an_algorithm_beside_a_cycle_is_kept_and_not_named_with_it(dominance):
    """e wins early and loses late."""
    values = circle_of_three()
    values[:, :2, 4] = 0
    posterior = fitted(values, "abcde")
    assert pareto_set(posterior, dominance=dominance) == ("a", "b", "c", "e")
    assert cycles(posterior, dominance=dominance) == (("a", "b", "c"),)


@rules
def test_who_beats_a_member_of_a_cycle_belongs_to_it(dominance):
    """d is a little worse than c on every instance, but it beats a where c does."""
    values = circle_of_three()
    values[..., 3] = values[..., 2] + 0.5
    posterior = fitted(values, "abcde")
    assert cycles(posterior, dominance=dominance) == (tuple("abcd"),)
    assert pareto_set(posterior, dominance=dominance) == tuple("abcd")


# First places.


@cache
def specialist_posterior(prior):
    """A is first on two of five instances and last on the others, where B, C and D are first in turn."""
    orders = [[0, 1, 2, 3], [0, 1, 2, 3], [3, 0, 1, 2], [3, 1, 0, 2], [3, 1, 2, 0]]
    values = np.tile(np.array(orders, dtype=float), (40, 1))[:, None].repeat(2, axis=1)
    return pb.fit(pb.Choices.from_values(values, grid=[1, 2]), prior=prior, draws=2000)


@rules
def test_a_specialist_is_dropped_by_default_and_can_be_kept(dominance):
    posterior = specialist_posterior(pb.BayesianBootstrap())
    assert pb.dominance(posterior)[:, 1, 0].min() > 0.95  # B beats A on three of five instances
    options = {"confidence": 0.95, "dominance": dominance}
    assert "A" not in pb.pareto_set(posterior, **options)
    assert "A" in pb.pareto_set(posterior, specialists="keep", **options)


@rules
def test_first_places_hold_for_all_budgets_at_which_a_pair_differs(dominance):
    """No algorithm has a solution at the first budget; at the second A is a specialist, and at the third it is last."""
    orders = np.tile([[0, 1, 2, 3]] * 2 + [[3, 0, 1, 2], [3, 1, 0, 2], [3, 1, 2, 0]], (40, 1))
    values = np.stack([np.full(orders.shape, INF), orders, np.where(np.arange(4) == 0, 9, orders)], axis=1)
    whole, without = fitted(values, "ABCD"), fitted(values[:, [0, 2]], "ABCD")
    rule = {"dominance": dominance, "specialists": "keep"}
    assert "A" in pareto_set(whole, **rule)
    assert "A" not in pareto_set(without, **rule)
    late = fitted(values[:, 1:], "ABCD")
    np.testing.assert_array_equal(drop_probabilities(whole, **rule), drop_probabilities(late, **rule))


@rules
def test_under_plackett_luce_first_places_follow_from_win_rates(dominance):
    posterior = specialist_posterior(pb.RandomWalk())
    rule = {"confidence": 0.9, "dominance": dominance}
    kept, dropped = (pb.dominated(posterior, specialists=each, **rule) for each in ("keep", "drop"))
    assert kept == dropped


def test_algorithms_that_never_come_first_can_be_dropped():
    # A is always first, and B always beats C.
    posterior = fitted(np.tile([1.0, 2.0, 3.0], (60, 2, 1)), "ABC")
    threat = drop_probabilities(posterior, dominance="joint")
    assert threat[1, 2] > 0.95


def test_an_unknown_value_of_specialists_is_refused():
    with pytest.raises(ValueError, match="expected specialists as one of 'keep', 'drop', got 'ignore'"):
        pb.dominated(specialist_posterior(pb.RandomWalk()), specialists="ignore")
