"""E-values: by hand, against plain loops, and Ville's inequality by simulation."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polarbear as pb
from polarbear.observe import ABSENT, UNRANKED
from polarbear.posterior.e_values import corrections, error_bounds, evidence, log_e_values

STAKES, SHARES = (part / 2 for part in np.polynomial.legendre.leggauss(64))
STAKES = STAKES + 0.5


def choices_of(ranks, **more):
    """Choices of ranks (instance, time, algorithm)."""
    ranks = np.asarray(ranks)
    return pb.Choices.from_rankings(pb.Rankings(ranks, None, np.arange(1, ranks.shape[1] + 1), **more))


def duels(outcomes, **more):
    """Choices of two algorithms at one time: "w", "l" and "t" for a win, a loss and a tie of the first."""
    ranks = {"w": [0, 1], "l": [1, 0], "t": [0, 0]}
    return choices_of([[ranks[each]] for each in outcomes], **more)


def of_first(choices):
    """The e-value of the first algorithm against the second at the only time."""
    (((_, value), _),) = evidence(choices)
    return value


def integral(wins, losses):
    """∫₀¹ (1 + λ)^wins (1 − λ)^losses dλ, exactly: integrate by parts until no loss is left."""
    if losses == 0:
        return Fraction(2 ** (wins + 1) - 1, wins + 1)
    # d/dλ of (1 + λ)^(w + 1) (1 − λ)^l / (w + 1), from 0 to 1
    return Fraction(-1, wins + 1) + Fraction(losses, wins + 1) * integral(wins + 1, losses - 1)


def outcome(mine, other):
    """x in {0, ½, 1}, or None where two were not compared."""
    if ABSENT in (mine, other) or (mine == UNRANKED and other == UNRANKED):
        return None
    return 1.0 if mine < other else 0.0 if mine > other else 0.5


def plain_evidence(ranks, weights, labels):
    """The definition as loops: a product of bets for each stake, averaged."""
    instances, times, n = ranks.shape
    result = np.zeros((times, n, n))
    for t in range(times):
        largest = max(weights)
        for a in range(n):
            for b in range(n):
                bets = {}
                for p in range(instances):
                    x = outcome(ranks[p, t, a], ranks[p, t, b])
                    if x is not None:
                        bets.setdefault(labels[p], []).append(weights[p] / largest * (2 * x - 1))
                if a != b:
                    capital = math.prod(
                        (1 + STAKES * sum(each) / len(each) for each in bets.values()), start=1 + 0 * STAKES
                    )
                    result[t, a, b] = SHARES @ capital
    return result


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
    assert e[1, 0, 2] == pytest.approx(31 / 5)  # only four bets at the second time
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

INSTANCES, TIMES, ALGORITHMS = 9, 2, 4


SIZE = INSTANCES * TIMES * ALGORITHMS


def ranks_of_bytes(data):
    """Dense ranks with ties, absent and unranked algorithms."""
    codes = np.frombuffer(data, dtype=np.uint8).reshape(INSTANCES, TIMES, ALGORITHMS) % 6  # 4 is absent, 5 unranked
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


def test_weights_of_instances_and_times():
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


# Validity


def running_capital(signs):
    """The e-value after each outcome of each sequence of -1, 0 and 1, shape (sequence, outcome)."""
    wins, losses = np.cumsum(signs == 1, axis=1), np.cumsum(signs == -1, axis=1)
    counts = np.arange(signs.shape[1] + 1)
    by_stake = counts[:, None, None] * np.log1p(STAKES) + counts[:, None] * np.log1p(-STAKES)
    return (np.exp(by_stake) @ SHARES)[wins, losses]


def test_ville_under_a_win_rate_of_one_half():
    """Of 2,000 sequences of 300 outcomes, at most 5 % ever reach 20, with an analysis after each outcome.

    Two standard errors of 5 % in 2,000 trials are 1 point. Ties are as probable as wins and losses.
    """
    signs = np.random.default_rng(1).integers(-1, 2, size=(2000, 300))
    running = running_capital(signs)
    # Some sequences as times: the last value of each is the e-value of all its data.
    ranks = np.stack([signs[:200].T < 0, signs[:200].T > 0], axis=-1).astype(int)
    np.testing.assert_allclose(evidence(choices_of(ranks))[:, 0, 1], running[:200, -1], rtol=1e-9)
    share = (running.max(axis=1) >= 20).mean()
    assert 0.01 < share < 0.05 + 0.01  # without bets no sequence would reach it
    assert (running[:, -1] >= 20).mean() < share  # repeated analyses matter, and the bound covers them


def test_ville_with_clusters():
    """Clusters whose members resemble one another: at most 5 % of 400 sequences of 60 clusters ever reach 20."""
    rng = np.random.default_rng(2)
    rates = rng.choice([0.1, 0.9], size=(400, 60, 1))  # of a cluster; one half on average
    beaten = rng.random((400, 60, 3)) < rates
    means = (2.0 * beaten - 1).mean(axis=2)
    running = np.exp(np.cumsum(np.log1p(means[..., None] * STAKES), axis=1)) @ SHARES
    ranks = np.stack([~beaten, beaten], axis=-1).reshape(400, 180, 2).transpose(1, 0, 2).astype(int)
    e = evidence(choices_of(ranks, clusters=np.repeat(np.arange(60), 3)))
    np.testing.assert_allclose(e[:, 0, 1], running[:, -1], rtol=1e-9)
    assert 0 < (running.max(axis=1) >= 20).mean() < 0.05 + 0.022  # two standard errors


def test_without_clusters_repetitions_would_break_the_bound():
    """Repetitions that count as instances reach 20 in a large share of sequences."""
    beaten = np.repeat(np.random.default_rng(3).random((100, 10)) < 0.5, 20, axis=1)
    assert (running_capital(2 * beaten - 1).max(axis=1) >= 20).mean() > 0.3


# Bounds on errors


def test_the_bound_of_an_elimination_is_that_of_its_least_certain_time():
    ranks = np.array([[[0, 1, 2]] * 2] * 12)
    ranks[0, 1] = [1, 0, 2]  # one loss at the second time
    choices = choices_of(ranks)
    e = evidence(choices)
    bounds = error_bounds(choices)
    assert e[1, 0, 1] < e[0, 0, 1]
    assert bounds[0, 1] == pytest.approx(6 / e[1, 0, 1])
    assert bounds[0, 2] == pytest.approx(6 / e[0, 0, 2])
    assert bounds[1, 0] == 1
    assert np.diag(bounds).tolist() == [1, 1, 1]
    assert error_bounds(choices, correction=1)[0, 2] == pytest.approx(1 / e[0, 0, 2])


def test_a_time_without_outcomes_leaves_the_bound_at_one():
    ranks = [[[0, 1], [ABSENT, ABSENT]]] * 30
    assert error_bounds(choices_of(ranks))[0, 1] == 1


@pytest.mark.parametrize("founders", [2, 4, 7])
def test_corrections_spend_at_most_one_however_many_join(founders):
    before = corrections(founders, founders)
    for algorithms in (founders, founders + 1, 300):
        k = corrections(algorithms, founders)
        pairs = ~np.eye(algorithms, dtype=bool)
        assert (1 / k[pairs]).sum() == pytest.approx(1 - 1 / algorithms)
        np.testing.assert_array_equal(k[:founders, :founders], before)  # the shares of present pairs do not change
        np.testing.assert_array_equal(k, k.T)
    assert (before == founders**2).all()


def test_the_bound_holds_for_all_pairs_at_once():
    """Four equal algorithms, 300 data sets, analyses at 10 to 100 instances: some bound is at most 0.2 in at most 20 %.

    Without the correction for twelve pairs the share would be larger.
    """
    ranks = pb.rank_values(np.random.default_rng(5).random((100, 300, 4)))  # data sets as times
    most = np.max([evidence(choices_of(ranks[:size])).max(axis=(1, 2)) for size in range(10, 101, 10)], axis=0)
    assert (12 / most <= 0.2).mean() <= 0.2
    assert (1 / most <= 0.2).mean() > 0.2
    alone = choices_of(ranks[:, [0]])
    assert error_bounds(alone).min() == pytest.approx(min(1, 12 / evidence(alone).max()))


def test_a_posterior_in_place_of_choices_is_refused():
    choices = pb.Choices.from_values([[[1.0, 2.0]]], grid=[1])
    with pytest.raises(TypeError, match="expected Choices, got Posterior"):
        pb.evidence(pb.fit(choices, draws=100))
