"""E-values equal cases by hand and plain loops, with ties, missing runs, weights and clusters."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polarbear as pb
from polarbear.observe import ABSENT, UNRANKED
from polarbear.posterior.e_values import error_bounds, evidence, log_e_values
from tests.posterior.plain_e_values import choices_of, duels, of_first, plain_evidence


def integral(wins, losses):
    """∫₀¹ (1 + λ)^wins (1 − λ)^losses dλ, exactly: integrate by parts until no loss is left."""
    if losses == 0:
        return Fraction(2 ** (wins + 1) - 1, wins + 1)
    # d/dλ of (1 + λ)^(w + 1) (1 − λ)^l / (w + 1), from 0 to 1
    return Fraction(-1, wins + 1) + Fraction(losses, wins + 1) * integral(wins + 1, losses - 1)


# By hand


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ("w", Fraction(3, 2)),  # ∫ (1 + λ)
        ("l", Fraction(1, 2)),  # ∫ (1 − λ)
        ("t", 1),
        ("ttttt", 1),
        ("ww", Fraction(7, 3)),
        ("wl", Fraction(2, 3)),  # ∫ (1 − λ²)
        ("wtl", Fraction(2, 3)),
        ("w" * 8, Fraction(511, 9)),
        ("l" * 8, Fraction(1, 9)),
    ],
)
def test_small_cases_by_hand(outcomes, expected):
    assert of_first(duels(outcomes)) == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize(("wins", "losses"), [(3, 2), (20, 5), (64, 63), (127, 0), (0, 127), (100, 27)])
def test_the_average_over_stakes_is_the_integral_up_to_127_bets(wins, losses):
    expected = math.log(integral(wins, losses))
    assert log_e_values(duels("w" * wins + "l" * losses))[0, 0, 1] == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(("wins", "losses"), [(5000, 0), (3000, 2000), (2600, 2400)])
def test_beyond_127_bets_the_average_is_close_to_the_integral(wins, losses):
    ours = log_e_values(duels("w" * wins + "l" * losses))[0, 0, 1]
    stakes = (np.arange(1_000_000) + 0.5) / 1e6
    logarithms = wins * np.log1p(stakes) + losses * np.log1p(-stakes)
    exact = logarithms.max() + math.log(np.exp(logarithms - logarithms.max()).mean())
    assert ours == pytest.approx(exact, abs=0.02)


def test_the_order_of_outcomes_does_not_matter_for_the_value():
    assert of_first(duels("wwwll")) == pytest.approx(of_first(duels("lwlww")), rel=1e-14)


def test_the_diagonal_is_zero_and_pairs_never_compared_have_one():
    ranks = [[[0, 1, ABSENT]], [[0, ABSENT, 1]]]
    e = evidence(choices_of(ranks))[0]
    assert np.diag(e).tolist() == [0, 0, 0]
    assert e[1, 2] == pytest.approx(1, rel=1e-14)
    assert e[2, 1] == pytest.approx(1, rel=1e-14)
    assert e[0, 1] == pytest.approx(1.5)


def test_ties_give_e_values_of_one():
    assert evidence(choices_of(np.zeros((50, 3, 4), dtype=int)))[:, ~np.eye(4, dtype=bool)] == pytest.approx(1)


def test_unranked_algorithms_lose_to_ranked_ones_and_are_not_compared_with_each_other():
    e = evidence(choices_of([[[0, UNRANKED, UNRANKED]]] * 3))[0]
    assert e[0, 1:] == pytest.approx(15 / 4)
    assert e[1:, 0] == pytest.approx(1 / 4)
    assert e[1, 2] == e[2, 1] == pytest.approx(1)


def test_a_missing_run_removes_only_its_own_bets():
    both = [[[0, 1, 2], [0, 1, 2]]] * 4
    missing = [[[0, 1, 2], [0, 1, ABSENT]]] * 3
    e = evidence(choices_of(both + missing))
    assert e[0, 0, 2] == pytest.approx(255 / 8)
    assert e[1, 0, 2] == pytest.approx(31 / 5)  # only four bets at the second budget
    assert e[1, 0, 1] == pytest.approx(255 / 8)


def test_five_thousand_wins_stay_finite():
    choices = duels("w" * 5000)
    assert of_first(choices) == pytest.approx(np.finfo(float).max, rel=1e-10)
    assert np.isfinite(evidence(choices)).all()
    assert log_e_values(choices)[0, 0, 1] == pytest.approx(5001 * math.log(2) - math.log(5001), abs=0.02)
    assert (error_bounds(choices) > 0).all()  # an upper bound is never zero


def test_choices_without_rankings_are_refused():
    counted = pb.Choices.from_values([[[1.0, 2.0]]], grid=[1], per_instance=False)
    with pytest.raises(ValueError, match="expected choices that keep their rankings, got only their counts; make them"):
        evidence(counted)


def test_evidence_is_a_public_name():
    assert pb.evidence is evidence


# Against plain loops

INSTANCES, BUDGETS, ALGORITHMS = 9, 2, 4

SIZE = INSTANCES * BUDGETS * ALGORITHMS


def ranks_of_bytes(data):
    """Dense ranks with ties, absent and unranked algorithms."""
    codes = np.frombuffer(data, dtype=np.uint8).reshape(INSTANCES, BUDGETS, ALGORITHMS) % 6  # 4 is absent, 5 unranked
    return np.where(codes == 5, UNRANKED, pb.rank_values(np.where(codes > 3, np.nan, codes)))


# One draw of bytes is far cheaper for Hypothesis than a draw per number.
some_ranks = st.binary(min_size=SIZE, max_size=SIZE).map(ranks_of_bytes)
weights_of_all = st.lists(st.sampled_from([0.0, 0.25, 1.0, 3.0]), min_size=INSTANCES, max_size=INSTANCES).filter(any)
labels_of_all = st.lists(st.integers(0, 3), min_size=INSTANCES, max_size=INSTANCES)


@given(some_ranks, st.none() | weights_of_all, st.none() | labels_of_all, st.permutations(range(ALGORITHMS)))
def test_e_values_equal_the_definition_in_plain_loops_and_are_permuted_with_the_names(ranks, weights, labels, order):
    ours = evidence(choices_of(ranks, weights=weights, clusters=labels))
    expected = plain_evidence(ranks, weights or [1.0] * INSTANCES, labels or range(INSTANCES))
    np.testing.assert_allclose(ours, expected, rtol=1e-11)
    permuted = evidence(choices_of(ranks[..., order], weights=weights, clusters=labels))
    np.testing.assert_allclose(permuted, ours[:, order][:, :, order], rtol=1e-12)


def test_weights_of_instances_and_budgets():
    ranks = np.array([[[0, 1], [0, 1]], [[1, 0], [1, 0]]])
    weights = np.array([[2.0, 1.0], [1.0, 4.0]])
    e = evidence(choices_of(ranks, weights=weights))
    for t in range(2):
        own = plain_evidence(ranks[:, [t]], weights[:, t].tolist(), range(2))[0]
        np.testing.assert_allclose(e[t], own, rtol=1e-12)


def test_only_the_ratio_of_weights_matters():
    choices = duels("wwlww", weights=[1, 2, 3, 4, 5])
    np.testing.assert_allclose(evidence(7.0 * choices), evidence(choices), rtol=1e-12)
    np.testing.assert_allclose(evidence(3.0 * duels("wwl")), evidence(duels("wwl")), rtol=1e-12)


def test_instances_of_weight_zero_are_not_bet_on():
    ranks = np.array([[[0, 1], [0, 1]]] * 3)
    weights = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 0.0]])
    e = evidence(choices_of(ranks, weights=weights))
    assert e[:, 0, 1] == pytest.approx([7 / 3, 1])


# Clusters


def test_repetitions_of_three_data_sets_are_three_bets():
    """120 wins on three data sets are three bets, all won: 15/4, where 120 instances would give more than 1e30."""
    labels = [p % 3 for p in range(120)]
    assert of_first(duels("w" * 120, clusters=labels)) == pytest.approx(15 / 4)
    assert of_first(duels("w" * 120)) > 1e30
    split = "".join("w" if label < 2 else "l" for label in labels)  # wins on two of the data sets
    assert of_first(duels(split, clusters=labels)) == pytest.approx(of_first(duels("wwl")))


def test_a_cluster_bets_on_the_mean_of_its_members():
    assert of_first(duels("wwwl", clusters=[0, 0, 0, 0])) == pytest.approx(1.25)  # x = ¾, ∫ (1 + λ/2)
    assert of_first(duels("wl", clusters=[0, 0])) == pytest.approx(1)
    assert of_first(duels("wt", clusters=[0, 0])) == pytest.approx(1.25)  # a tie counts in the mean


def test_members_that_were_not_compared_do_not_count_in_the_mean():
    """In a cluster of three, the second algorithm misses one instance, and on another one both are unranked."""
    ranks = [[[0, 1, 2]], [[0, ABSENT, 1]], [[UNRANKED, UNRANKED, 0]]]
    assert evidence(choices_of(ranks, clusters=[0, 0, 0]))[0, 0, 1] == pytest.approx(1.5)


def test_clusters_of_one_are_instances():
    choices = duels("wwltw" * 60), duels("wwltw" * 60, clusters=range(300))
    np.testing.assert_allclose(log_e_values(choices[1]), log_e_values(choices[0]), rtol=1e-9)


def test_a_posterior_in_place_of_choices_is_refused():
    choices = pb.Choices.from_values([[[1.0, 2.0]]], grid=[1])
    with pytest.raises(TypeError, match="expected Choices, got Posterior"):
        pb.evidence(pb.fit(choices, draws=100))
