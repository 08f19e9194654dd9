"""Which algorithm eliminates which, and in what order; test_pareto_set.py checks which ones remain."""

import re
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polarbear as pb
from polarbear import dominance, dominated, pareto_set
from polarbear.posterior.elimination import elimination_probabilities
from tests.race.paper import posterior_of, some_posterior, threat

NAMES, TIMES = ("a", "b", "c", "d", "e"), [1, 2, 4]
law = settings(deadline=None, max_examples=60)


@pytest.mark.parametrize("elimination", ["joint", "pointwise"])
@pytest.mark.parametrize("seed", range(2))
def test_elimination_probabilities_are_shares_of_draws(elimination, seed):
    posterior = some_posterior(np.random.default_rng(seed), NAMES, TIMES)
    ours = elimination_probabilities(posterior, elimination=elimination)
    np.testing.assert_array_equal(
        elimination_probabilities(posterior, elimination=elimination, over_time=dominance(posterior)), ours
    )
    for a in range(5):
        for b in range(5):
            assert ours[a, b] == (pytest.approx(threat(posterior, a, b, elimination)) if a != b else 0)


@law
@given(
    st.integers(0, 10_000),
    st.sampled_from([0.51, 0.6, 0.75, 0.9, 1.0]),
    st.sampled_from(["joint", "pointwise"]),
    st.sets(st.sampled_from(NAMES), min_size=1),
)
def test_each_algorithm_is_eliminated_by_one_that_remains_at_that_moment(seed, confidence, elimination, among):
    posterior = some_posterior(np.random.default_rng(seed), NAMES, TIMES, draws=12)
    remaining = set(among)
    for each in dominated(posterior, confidence=confidence, elimination=elimination, among=among):
        assert each.by in remaining
        assert each.name in remaining
        assert each.by != each.name
        index = NAMES.index(each.by), NAMES.index(each.name)
        assert each.probability == pytest.approx(threat(posterior, *index, elimination))
        assert each.probability >= confidence
        # No remaining algorithm beats another one more certainly at that moment.
        worst = max(
            threat(posterior, NAMES.index(winner), NAMES.index(loser), elimination)
            for winner in remaining
            for loser in remaining
            if winner != loser
        )
        assert each.probability == pytest.approx(worst)
        remaining.remove(each.name)
    assert remaining  # at least one is left
    for winner in remaining:  # and those that remain do not dominate one another
        for loser in remaining - {winner}:
            assert threat(posterior, NAMES.index(winner), NAMES.index(loser), elimination) < confidence


def test_only_candidates_eliminate_and_are_eliminated():
    posterior = posterior_of([[[5.0, 3.0, 2.0, 1.0]]] * 10, "abcd", [1])
    assert [(each.name, each.by) for each in dominated(posterior, among=("b", "c"))] == [("c", "b")]
    assert dominated(posterior, among=("d",)) == ()
    assert dominated(posterior, among=()) == ()


def test_a_chain_is_eliminated_from_its_weakest_end():
    """Of several that are certainly dominated, the weakest is eliminated first."""
    posterior = posterior_of([[[5.0, 3.0, 2.0, 1.0]]] * 10, "abcd", [1])
    assert [each.name for each in dominated(posterior)] == ["d", "c", "b"]
    assert pareto_set(posterior) == ("a",)


def test_equal_algorithms_do_not_eliminate_each_other():
    posterior = posterior_of([[[1.0, 1.0, 1.0]]] * 10, "abc", [1])
    assert dominated(posterior, confidence=0.51) == ()


@cache
def specialist_posterior(prior):
    """A is first on two of five instances and last on the others, where B, C and D are first in turn."""
    orders = [[0, 1, 2, 3], [0, 1, 2, 3], [3, 0, 1, 2], [3, 1, 0, 2], [3, 1, 2, 0]]
    values = np.tile(np.array(orders, dtype=float), (40, 1))[:, None].repeat(2, axis=1)
    return pb.fit(pb.Choices.from_values(values, grid=[1, 2]), prior=prior, draws=2000)


@pytest.mark.parametrize("elimination", ["joint", "pointwise"])
def test_a_specialist_is_dropped_by_default_and_can_be_kept(elimination):
    posterior = specialist_posterior(pb.BayesianBootstrap())
    assert pb.dominance(posterior)[:, 1, 0].min() > 0.95  # B beats A on three of five instances
    options = {"confidence": 0.95, "elimination": elimination}
    assert "A" not in pb.pareto_set(posterior, **options)
    assert "A" in pb.pareto_set(posterior, specialists="keep", **options)
    (specialist,) = pb.find_specialists(posterior, **options)
    assert (specialist.name, specialist.by) == ("A", "B")
    assert specialist.share == pytest.approx(0.4, abs=0.05)
    assert specialist.lower < specialist.share < specialist.upper
    assert specialist.certain
    assert re.search(r"first more often at \d: on \d\d % of instances \(\d\d to \d\d %\), and B on ", specialist.clause)


def test_a_specialist_is_explained_at_the_time_at_which_it_comes_first_more_often():
    """At 10, S comes first on 31 % of instances and R on 14 %; at 100, S on 43 % and R on 57 %. R beats S at both."""
    rng = np.random.default_rng(0)
    early = rng.permutation(
        np.repeat([[0, 3, 1, 2], [3, 0, 1, 2], [3, 1, 0, 2], [3, 1, 2, 0]], [124, 56, 110, 110], axis=0)
    )
    late = rng.permutation(np.repeat([[0, 1, 2, 3], [1, 0, 2, 3]], [172, 228], axis=0))
    values = np.stack([early, late], axis=1).astype(float)
    posterior = pb.fit(pb.Choices.from_values(values, grid=[10, 100], names=list("SRxy")), draws=2000)
    (specialist,) = (each for each in pb.find_specialists(posterior) if each.name == "S")
    assert (specialist.by, specialist.time, specialist.certain) == ("R", 10, True)
    assert (specialist.share, specialist.share_of_other) == (
        pytest.approx(0.31, abs=0.03),
        pytest.approx(0.14, abs=0.03),
    )


def test_the_clause_of_a_specialist_says_whether_it_surely_comes_first_more_often():
    """With 15 instances, y is only perhaps first more often than x, which beats it everywhere."""
    orders = [[0, 1, 2, 3], [0, 1, 2, 3], [3, 0, 1, 2], [3, 1, 0, 2], [3, 1, 2, 0]]
    values = np.tile(np.array(orders, dtype=float), (3, 1))[:, None]
    posterior = pb.fit(pb.Choices.from_values(values, grid=[1], names=list("wxyz")), draws=2000)
    specialist = pb.find_specialists(posterior, confidence=0.9)[0]
    assert not specialist.certain
    assert "but it may come first more often at 1: on " in specialist.clause


def test_equal_shares_of_first_places_rarely_make_a_sure_specialist():
    """S and R come first equally often at each of ten independent times, and R beats S elsewhere: no model is the truth."""
    rng, kept, sure = np.random.default_rng(1), 0, 0
    orders = np.array([[0, 1, 2, 3], [1, 0, 2, 3], [3, 1, 0, 2], [3, 1, 2, 0]], dtype=float)  # ranks of S, R, x and y
    for seed in range(60):
        values = orders[rng.choice(4, size=(30, 10), p=[0.25, 0.25, 0.25, 0.25])]
        posterior = pb.fit(pb.Choices.from_values(values, grid=range(1, 11), names=list("SRxy")), draws=1000, seed=seed)
        found = [each for each in pb.find_specialists(posterior) if (each.name, each.by) == ("S", "R")]
        kept += len(found)
        sure += sum(each.certain for each in found)
    assert kept >= 5  # too few instances to rule it out
    assert sure <= 0.05 * 60  # the level of the claim


def test_under_plackett_luce_there_are_no_specialists():
    posterior = specialist_posterior(pb.RandomWalk())
    assert pb.find_specialists(posterior, confidence=0.9) == ()
    kept, dropped = (pb.dominated(posterior, confidence=0.9, specialists=each) for each in ("keep", "drop"))
    assert kept == dropped


def test_algorithms_that_never_come_first_can_be_eliminated():
    # A is always first, and B always beats C.
    values = np.tile([1.0, 2.0, 3.0], (60, 2, 1))
    posterior = pb.fit(pb.Choices.from_values(values, grid=[1, 2]), prior=pb.BayesianBootstrap(), draws=2000)
    threat = elimination_probabilities(posterior, elimination="joint")
    assert threat[1, 2] > 0.95


def test_an_unknown_value_of_specialists_is_refused():
    with pytest.raises(ValueError, match="expected specialists as one of 'keep', 'drop', got 'ignore'"):
        pb.dominated(specialist_posterior(pb.RandomWalk()), specialists="ignore")


def test_an_algorithm_is_not_eliminated_by_one_that_it_was_not_compared_with():
    """A beats B and B beats C on every instance, and A and C share none."""
    values = np.full((80, 1, 3), np.nan)
    values[:40, :, :2], values[40:, :, 1:] = [1.0, 2.0], [1.0, 2.0]
    posterior = pb.fit(pb.Choices.from_values(values, grid=[1]), draws=1000)
    assert pb.dominance(posterior)[0, 0, 2] == 0.5
    eliminations = {(each.name, each.by) for each in pb.dominated(posterior, confidence=0.9)}
    assert eliminations == {("B", "A"), ("C", "B")}
    assert pb.dominated(posterior, confidence=0.9, among=["A", "C"]) == ()
