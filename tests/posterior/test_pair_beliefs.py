"""The default belief: a statement about two algorithms does not depend on the others, and closed forms agree with draws."""

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

import polarbear as pb
from polarbear.posterior.beta_mixture import BetaMixture, prior_about, symmetric_prior, update

law = settings(deadline=None, max_examples=40)
BUDGETS = 3


@st.composite
def data_sets(draw):
    """Values of A, B and further algorithms, with ties, missing runs, no solutions, clusters and weights."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    instances, others = draw(st.integers(1, 12)), draw(st.integers(1, 3))
    values = rng.integers(0, 4, (instances, BUDGETS, 2 + others)).astype(float)
    values += draw(st.sampled_from([0.0, 1e-13])) * rng.random(values.shape)  # ties within the tolerance
    values[rng.random(values.shape) < draw(st.sampled_from([0.0, 0.2]))] = np.nan
    values[rng.random(values.shape) < draw(st.sampled_from([0.0, 0.1]))] = np.inf
    values[:, :, 2:][np.isnan(values[:, :, 2:]).all()] = 0.0
    for column in range(values.shape[2]):
        values[0, 0, column] = column  # each algorithm was observed
    labels = [f"instance {i}" for i in range(instances)]
    clusters = draw(st.sampled_from([None, [f"function {i // 3}" for i in range(instances)]]))
    weights = draw(st.sampled_from([None, rng.integers(1, 4, instances).astype(float)]))
    return values, labels, clusters, weights, rng


def fit(values, names, labels, clusters, weights, **options):
    choices = pb.Choices.from_values(
        values, grid=range(1, BUDGETS + 1), names=names, instances=labels, clusters=clusters, weights=weights, **options
    )
    return pb.fit(choices, draws=200, seed=3)


def statements(posterior, first="A", second="B"):
    """All statements about a pair."""
    a, b = posterior.names.index(first), posterior.names.index(second)
    relations = pb.relations(posterior, margin=0.1)
    return [
        posterior.win_rates(a, b),
        *(getattr(relations, name)[:, a, b] for name in ("win_rate", "lower", "upper", "dominance", "equivalence")),
        pb.anytime_dominance(posterior)[a, b],
    ]


@law
@given(data_sets(), st.data())
def test_statements_about_a_pair_are_bit_identical_whatever_else_takes_part(data, choose):
    values, labels, clusters, weights, rng = data
    names = ["A", "B", *(f"other {i}" for i in range(values.shape[2] - 2))]
    alone = fit(values[:, :, :2], names[:2], labels, clusters, weights)
    kept = choose.draw(st.permutations(range(values.shape[2])))
    rows = rng.permutation(len(labels))
    together = fit(
        values[rows][:, :, kept],
        [names[column] for column in kept],
        [labels[row] for row in rows],
        None if clusters is None else [clusters[row] for row in rows],
        None if weights is None else weights[rows],
    )
    for one, other in zip(statements(alone), statements(together), strict=True):
        np.testing.assert_array_equal(one, other)  # bit for bit


@law
@given(data_sets())
def test_one_direction_of_a_pair_follows_from_the_other(data):
    values, labels, clusters, weights, _ = data
    posterior = fit(values[:, :, :2], ["A", "B"], labels, clusters, weights)
    np.testing.assert_array_equal(posterior.win_rates(1, 0), 1 - posterior.win_rates(0, 1))
    sums = posterior.win_rate_above(0, 1) + posterior.win_rate_above(1, 0)
    np.testing.assert_allclose(sums, 1, atol=1e-12 if clusters is None else 0.05)


def test_a_third_value_between_two_others_does_not_tie_them():
    """B lies within the tolerance of C, and C of A, but A and B are farther apart."""
    values = np.array([[[1.0, 1.0 + 1.5e-6, 1.0 + 0.75e-6]]] * 9)
    options = {"grid": [1], "names": ["A", "B", "C"], "relative_tolerance": 1e-6}
    posterior = pb.fit(pb.Choices.from_values(values, **options), draws=500)
    assert pb.dominance(posterior)[0, 0, 1] > 0.99
    assert pb.dominance(posterior)[0, [0, 2], [2, 1]] == pytest.approx([0.5, 0.5], abs=1e-12)


def test_more_draws_begin_with_the_same_draws():
    choices = pb.Choices.from_values(np.random.default_rng(0).random((7, 2, 3)), grid=[1, 2])
    few, many = (pb.fit(choices, draws=draws) for draws in (100, 400))
    for posterior in (few, many.thin(100)):
        np.testing.assert_array_equal(posterior.win_rates(0, 2), many.win_rates(0, 2)[:, :100])
    assert many.thin(100).draws == 100


def counts(wins, losses, ties):
    return [np.array([float(each)]) for each in (wins, losses, ties)]


@pytest.mark.parametrize(("wins", "losses"), [(0, 0), (8, 0), (14, 6), (55, 45), (3, 120)])
def test_without_ties_the_belief_is_the_textbook_posterior(wins, losses):
    posterior = update(symmetric_prior(0.4, 1), *counts(wins, losses, 0))
    shapes = [(c + wins, c + losses) for c in (0.1, 0.5, 2, 8, 32, 128)]
    prior = np.array([0.2, 0.4, 0.1, 0.1, 0.1, 0.1])
    evidence = [scipy.special.betaln(a, b) - scipy.special.betaln(a - wins, b - losses) for a, b in shapes]
    weights = prior * np.exp(evidence)
    weights /= weights.sum()
    np.testing.assert_allclose(posterior.weights, weights, rtol=1e-10)
    for threshold in (0.3, 0.5, 0.55):
        exact = sum(
            weight * scipy.stats.beta(*shape).sf(threshold) for weight, shape in zip(weights, shapes, strict=True)
        )
        assert posterior.above(threshold)[0] == pytest.approx(exact, abs=1e-12)
    mean = sum(weight * scipy.stats.beta(*shape).mean() for weight, shape in zip(weights, shapes, strict=True))
    assert posterior.mean()[0] == pytest.approx(mean, abs=1e-12)


@pytest.mark.parametrize(
    ("wins", "losses", "ties"),
    [(0, 0, 5), (3, 2, 1), (6, 1, 20), (40, 30, 30), (60, 60, 500), (1, 0, 100), (3, 2, 0.5)],
)
@pytest.mark.parametrize("threshold", [0.2, 0.45, 0.5, 0.52, 0.55, 0.8])
def test_with_ties_probabilities_equal_an_integral_over_the_share_of_ties(wins, losses, ties, threshold):
    posterior = update(symmetric_prior(0.4, 1), *counts(wins, losses, ties))
    exact = 0.0
    for weight, (first,), (second,) in zip(posterior.weights, posterior.first, posterior.second, strict=True):
        share, rate = scipy.stats.beta(ties, first + second), scipy.stats.beta(first, second)
        levels = (np.arange(20_000) + 0.5) / 20_000  # of the distribution of the share of ties
        exact += weight * rate.sf(0.5 + (threshold - 0.5) / (1 - np.minimum(share.ppf(levels), 1 - 1e-12))).mean()
    assert posterior.above(threshold)[0] == pytest.approx(exact, abs=3e-4)
    assert posterior.below(threshold)[0] == pytest.approx(1 - exact, abs=3e-4)


@law
@given(st.integers(0, 2**32), st.booleans(), st.booleans())
def test_closed_forms_agree_with_draws(seed, ties, missing):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 3 if ties else 1000, (int(rng.integers(1, 40)), 2, 2)).astype(float)
    if missing:
        values[rng.random(values.shape) < 0.2] = np.nan
        values[0] = [[0.0, 1.0]] * 2
    posterior = pb.fit(pb.Choices.from_values(values, grid=[1, 2]), draws=4000, seed=seed)
    rates = posterior.win_rates(0, 1)
    noise = 5 * np.sqrt(0.25 / 4000)
    for threshold in (0.4, 0.5, 0.6):
        above = posterior.win_rate_above(0, 1, threshold)
        np.testing.assert_allclose(above, (rates > threshold).mean(axis=1), atol=noise)
    np.testing.assert_allclose(
        posterior.win_rate_within(0, 1, 0.1), (np.abs(rates - 0.5) <= 0.1).mean(axis=1), atol=noise
    )
    np.testing.assert_allclose(posterior.expected_win_rate(0, 1), rates.mean(axis=1), atol=5 * 0.5 / np.sqrt(4000))


def test_a_clearly_lower_probability_of_equality_may_be_approximate_and_others_are_not():
    posterior = update(
        symmetric_prior(0.4, 3), *(np.array(each) for each in ([9.0, 200, 50], [1.0, 200, 10], [5.0, 5, 5]))
    )
    exact, screened = posterior.within(0.05), posterior.within(0.05, at_least=0.8)
    assert screened[1] == exact[1] > 0.8
    assert (screened[[0, 2]] < 0.7).all()


def test_all_budgets_together_decide_how_equal_a_pair_is():
    """14 wins of 20 are more convincing beside budgets with 20 of 20: one set of weights serves all budgets."""
    alone = update(symmetric_prior(0.4, 1), *counts(14, 6, 0)).above()[0]
    wins = np.array([14.0, 20, 20, 20, 20, 20])
    beside = update(symmetric_prior(0.4, 6), wins, 20 - wins, np.zeros(6)).above()[0]
    assert 0.85 < alone < 0.93 < beside


def test_instances_of_a_cluster_count_as_one_if_the_cluster_is_won_or_lost_as_a_whole():
    won = np.repeat([1, 1, 1, 1, 1, 1, 0, 0], 5)  # 8 clusters with 5 instances each
    values = np.stack([1 - won, won], axis=1)[:, None].astype(float)
    single = pb.Choices.from_values(values[::5], grid=[1])
    whole = pb.Choices.from_values(values, grid=[1], clusters=np.repeat(np.arange(8), 5))
    one, many = (pb.fit(each, draws=4000).win_rate_above(0, 1)[0] for each in (single, whole))
    assert many == pytest.approx(one, abs=0.03)
    apart = pb.fit(pb.Choices.from_values(values, grid=[1])).win_rate_above(0, 1)[0]
    assert apart > 0.99 > one + 0.03


def test_clusters_that_agree_count_nearly_as_many_observations_as_instances():
    rng = np.random.default_rng(2)
    won = (rng.random(480) < 0.62).astype(float)
    values = np.stack([1 - won, won], axis=1)[:, None]
    choices = pb.Choices.from_values(values, grid=[1], clusters=np.repeat(np.arange(24), 20))
    assert pb.fit(choices).win_rate_above(0, 1)[0] > 0.95


def test_a_prior_about_other_groups_is_believed_until_own_outcomes_differ():
    prior = prior_about(np.array([0.8, 0.8]), 0.4)
    nothing = update(prior, *[np.zeros(2)] * 3)
    assert nothing.mean() == pytest.approx([0.65, 0.65], abs=0.01)  # half of it is symmetric
    agreeing = update(prior, np.array([7.0, 7.0]), np.array([3.0, 3.0]), np.zeros(2))
    differing = update(prior, np.array([1.0, 1.0]), np.array([9.0, 9.0]), np.zeros(2))
    assert agreeing.mean()[0] > 0.7
    assert differing.mean()[0] < 0.25


def test_a_prior_that_varies_over_time_has_its_beta_distribution_at_each_budget():
    values = np.full((1, 3, 3), np.nan)
    values[..., 1:] = 1.0  # A was not run in the group, so the draws of A and B come from the prior
    elsewhere = np.random.default_rng(0).random((30, 3, 3)) + np.array([0.0, 0.3, 0.3])
    elsewhere[:, 0, 0] += 0.9
    choices = pb.Choices.from_values(np.concatenate([elsewhere, values]), grid=[1, 2, 3])
    group = pb.fit_groups(choices, [*30 * ["others"], "own"], draws=4000)["own"].posterior
    mixture = group.beliefs.belief(0, 1).posterior
    rates = group.win_rates(0, 1)
    for threshold in (0.2, 0.5, 0.8):
        np.testing.assert_allclose((rates > threshold).mean(axis=1), mixture.above(threshold), atol=0.04)


@pytest.mark.parametrize(
    "values",
    [
        [[[1.0, np.nan, 2.0]], [[np.nan, 1.0, 2.0]]],  # A and B share no instance
        [[[1.0, 1.0, 1.0]]] * 5,  # all values are tied
        [[[np.inf, np.inf, np.inf]]] * 5,
    ],
)
def test_without_any_difference_a_pair_is_undecided(values):
    posterior = pb.fit(pb.Choices.from_values(values, grid=[1]), draws=500)
    assert pb.dominance(posterior)[0, 0, 1] == pytest.approx(0.5, abs=1e-12)
    assert pb.pareto_set(posterior) == ("A", "B", "C")
    assert posterior.expected_win_rate(0, 1).tolist() == [0.5]


def test_degenerate_data_give_finite_beliefs():
    one = pb.Choices.from_values([[[1.0, 2.0]]], grid=[1])
    heavy = pb.Choices.from_values([[[1.0, 2.0]]] * 3, grid=[1], weights=[1e9, 1e-9, 0.0], clusters=["x", "y", "y"])
    light = pb.Choices.from_values([[[1.0, 2.0]], [[2.0, 1.0]]], grid=[1], weights=[1e-12, 1.0])
    for choices in (one, heavy, light):
        posterior = pb.fit(choices, draws=300)
        assert np.isfinite(posterior.win_rates(0, 1)).all()
        assert np.isfinite(posterior.ratings).all()
        assert ((posterior.win_rate_above(0, 1) >= 0) & (posterior.win_rate_above(0, 1) <= 1)).all()


def test_weights_are_shapes_of_gamma_variables_and_count_as_observations():
    values = [[[1.0, 2.0]], [[2.0, 1.0]]]
    posterior = pb.fit(pb.Choices.from_values(values, grid=[1], weights=[6.0, 2.0]), draws=4000)
    exact = update(symmetric_prior(0.4, 1), *counts(6, 2, 0))
    assert posterior.win_rate_above(0, 1)[0] == exact.above()[0]
    assert (posterior.win_rates(0, 1) > 0.6).mean() == pytest.approx(exact.above(0.6)[0], abs=0.04)


@pytest.mark.parametrize("ties", [0.1, 1e-3, 1e-6, 1e-12])
@pytest.mark.parametrize("threshold", [0.45, 0.55])
def test_a_tie_of_small_weight_changes_little(ties, threshold):
    without, little = (update(symmetric_prior(0.4, 1), *counts(12, 9, each)) for each in (0, ties))
    assert little.above(threshold)[0] == pytest.approx(without.above(threshold)[0], abs=ties / 20 + 1e-4)


def test_weights_that_are_no_binary_fractions_make_no_ties():
    values = [[[1.0, 2.0]], [[2.0, 1.0]], [[1.0, 2.0]]] * 5
    posterior = pb.fit(pb.Choices.from_values(values, grid=[1], weights=np.arange(1, 16) / 7), draws=4000)
    assert not posterior.beliefs.belief(0, 1).ties.any()
    drawn = (posterior.win_rates(0, 1) > 0.6).mean()
    assert posterior.win_rate_above(0, 1, 0.6)[0] == pytest.approx(drawn, abs=0.04)


def test_the_win_rates_of_all_pairs_come_from_the_same_instances():
    """With three algorithms in two orders, A beats B exactly where B beats C: the win rates rise and fall together."""
    values = np.array([[[1.0, 2.0, 3.0]]] * 20 + [[[3.0, 2.0, 1.0]]] * 20)
    posterior = pb.fit(pb.Choices.from_values(values, grid=[1]), draws=2000)
    assert np.corrcoef(posterior.win_rates(0, 1)[0], posterior.win_rates(1, 2)[0])[0, 1] > 0.6


def test_a_mixture_describes_the_other_direction():
    mixture = BetaMixture(np.ones(1), np.array([[3.0]]), np.array([[5.0]]), np.array([2.0]))
    assert mixture.reversed().mean()[0] == pytest.approx(1 - mixture.mean()[0])
    assert mixture.reversed().above(0.6)[0] == mixture.below(0.4)[0]


@pytest.mark.parametrize("name", ["plackett_luce", "shrink", "pseudo_instances"])
def test_a_parameter_of_the_second_edition_gets_a_sentence(name):
    message = rf"^BayesianBootstrap no longer has the parameter {name}: each pair of algorithms now .* leave it out$"
    with pytest.raises(ValueError, match=message):
        pb.BayesianBootstrap(**{name: 0})
