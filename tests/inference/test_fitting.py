"""`fit`: requests that it rejects, changes of the data that do not change its answer, and difficult data."""

from dataclasses import replace
from inspect import signature

import numpy as np
import pytest

from polarbear import (
    BayesianBootstrap,
    Choices,
    Dirichlet,
    GaussianProcess,
    Grid,
    Posterior,
    RandomWalk,
    Ranking,
    Settings,
    dominance,
    fit,
    linear_grid,
    log_grid,
    pareto_set,
    win_probability,
    win_rates,
)
from polarbear.models.plackett_luce import sample_rankings

GRID = log_grid(10, 1000, 5)
NAMES = ["A", "B", "C"]


def assert_on_the_simplex(posterior):
    assert np.isfinite(posterior.ratings).all()
    assert (posterior.ratings >= 0).all()
    np.testing.assert_allclose(posterior.ratings.sum(axis=-1), 1, rtol=1e-12)


@pytest.fixture(scope="module")
def crossing_posterior(prior, crossing_choices):
    before = [getattr(crossing_choices, field).copy() for field in ("wins", "members", "counts")]
    posterior = fit(crossing_choices, prior=prior, seed=1)
    for array, field in zip(before, ("wins", "members", "counts"), strict=True):
        np.testing.assert_array_equal(array, getattr(crossing_choices, field), err_msg="fit changed the choices")
    return posterior


def test_the_posterior_agrees_with_the_data(crossing_posterior):
    """A begins best and ends worst: the true utility of A exceeds that of B by two at first, and is below it at last."""
    posterior = crossing_posterior
    assert posterior.diagnostics.reliable, posterior.diagnostics.message
    ahead = dominance(posterior)[:, 0, 1]
    assert ahead[0] > 0.95
    assert ahead[-1] < 0.05
    if posterior.joint:
        assert {"A", "B"} <= set(pareto_set(posterior))


def test_by_default_the_prior_is_the_bayesian_bootstrap_and_there_are_4000_draws(crossing_choices):
    posterior, same = fit(crossing_choices), fit(crossing_choices, prior=BayesianBootstrap(), method="auto", seed=0)
    assert len(posterior.ratings) == 4000
    assert posterior.prior.startswith("BayesianBootstrap(")
    np.testing.assert_array_equal(posterior.ratings, same.ratings)


def test_fit_and_races_have_the_same_defaults():
    of_fit, of_race = (signature(each).parameters for each in (fit, Settings))
    for name in ("method", "draws"):
        assert of_fit[name].default == of_race[name].default
    assert of_fit["prior"].default is None
    assert Settings(grid=GRID).prior == BayesianBootstrap()


@pytest.mark.parametrize(
    "transform",
    [
        lambda values: values * 1e300,
        lambda values: values * 1e-300,
        lambda values: np.arctan(values) + 7,
        lambda values: np.argsort(np.argsort(values, axis=-1), axis=-1),
        lambda values: values.argsort(axis=-1).argsort(axis=-1).astype(np.uint8),
        lambda values: values.astype(np.float32),
    ],
    ids=["1e300", "1e-300", "monotone", "int", "uint8", "float32"],
)
def test_only_the_order_of_the_values_matters(crossing_values, transform):
    plain, other = (
        Choices.from_values(values, grid=GRID, names=NAMES) for values in (crossing_values, transform(crossing_values))
    )
    for field in ("wins", "members", "counts"):
        assert getattr(plain, field).tobytes() == getattr(other, field).tobytes()
    np.testing.assert_array_equal(plain.rankings.ranks, other.rankings.ranks)


def test_a_weight_of_two_counts_twice_and_of_zero_not_at_all(prior, crossing_values):
    weights = np.ones(15)
    weights[[3, 4]] = 2.0, 0.0
    weighted = Choices.from_values(crossing_values, grid=GRID, weights=weights)
    repeated = Choices.from_values(
        np.delete(np.append(crossing_values, crossing_values[[3]], axis=0), 4, axis=0), grid=GRID
    )
    one, same = (fit(choices, prior=prior, draws=200) for choices in (weighted, repeated))
    np.testing.assert_allclose(one.ratings, same.ratings, rtol=1e-9, atol=1e-12)


def test_more_instances_make_narrower_posteriors(prior, crossing_choices):
    """Ten times the evidence: a third of the standard deviation, less what the prior adds."""
    few, many = (fit(factor * crossing_choices, prior=prior, draws=1000) for factor in (1, 10))
    spread = [np.log(p.ratings[..., 0] / p.ratings[..., 1]).std(axis=0).mean() for p in (few, many)]
    assert spread[1] < 0.6 * spread[0]


@pytest.mark.parametrize("instances", [8, 30])
def test_perfect_separation_is_certain_but_finite(prior, instances):
    """A is first on every instance at every budget: the likelihood has no maximum, the posterior is proper."""
    values = sample_rankings(np.zeros((5, 3)), instances, rng=np.random.default_rng(instances))
    values[..., 0] = values.min() - 1
    posterior = fit(Choices.from_values(values, grid=GRID, names=NAMES), prior=prior)
    assert posterior.diagnostics.reliable, posterior.diagnostics.message
    assert_on_the_simplex(posterior)
    assert (posterior.ratings > 0).all()
    assert dominance(posterior)[:, 0, 1:].min() > 0.98
    wins = win_probability(posterior)[:, 0, 1:]
    # After P wins of P the expected win rate is above P / (P + 3), and below one.
    assert (wins > instances / (instances + 3)).all()
    assert (wins < 1).all()


def test_few_instances_leave_doubt(prior):
    """A is first on three of four instances."""
    values = np.array([[[1.0, 2.0, 3.0]], [[1.0, 3.0, 2.0]], [[1.0, 2.0, 3.0]], [[3.0, 1.0, 2.0]]]).repeat(2, axis=1)
    posterior = fit(Choices.from_values(values, grid=[1, 2]), prior=prior, draws=1000)
    assert_on_the_simplex(posterior)
    ahead = dominance(posterior)[:, 0, 1]
    assert (ahead > 0.5).all()
    assert (ahead < 1).all()


def test_an_algorithm_that_is_absent_at_late_budgets_becomes_uncertain(prior, crossing_values):
    """C's runs ended after the second budget; the comparison of A and B stays as precise as it was."""
    values = crossing_values.copy()
    values[:, 2:, 2] = np.nan
    posterior = fit(Choices.from_values(values, grid=GRID, names=NAMES), prior=prior, draws=2000)
    assert posterior.diagnostics.reliable, posterior.diagnostics.message
    assert_on_the_simplex(posterior)
    log_ratings = np.log(posterior.ratings)
    of_c = (log_ratings[..., 2] - log_ratings[..., 0]).std(axis=0)
    of_b = (log_ratings[..., 1] - log_ratings[..., 0]).std(axis=0)
    assert of_c[-1] > 1.3 * of_c[0]
    assert of_c[-1] > 1.3 * of_b[-1]
    assert dominance(posterior)[-1, 1, 0] > 0.95


def test_an_unobserved_budget_is_interpolated_or_follows_the_prior(prior, crossing_values):
    values = crossing_values.copy()
    values[:, 2] = np.nan
    posterior = fit(Choices.from_values(values, grid=GRID), prior=prior, draws=1000)
    assert_on_the_simplex(posterior)
    if not posterior.joint:
        np.testing.assert_allclose(dominance(posterior)[2, 0, 1], 0.5, atol=0.08)  # 4 standard errors of 600 draws


def test_ties_make_algorithms_equal(prior):
    tied = Choices.from_values(np.zeros((10, 5, 3)), grid=GRID)
    posterior = fit(tied, prior=prior, draws=1000)
    assert_on_the_simplex(posterior)
    # All tied on ten instances: shares of one half, up to 4 standard errors of 600 draws.
    np.testing.assert_allclose(dominance(posterior)[:, *np.triu_indices(3, 1)], 0.5, atol=0.08)
    np.testing.assert_allclose(posterior.ratings.mean(axis=0), 1 / 3, atol=0.03)


def test_two_algorithms_are_enough(prior):
    values = sample_rankings(np.tile([1.0, -1.0], (4, 1)), 10, rng=np.random.default_rng(4))
    posterior = fit(Choices.from_values(values, grid=linear_grid(1, 4, 4)), prior=prior, draws=1000)
    assert_on_the_simplex(posterior)
    assert dominance(posterior)[:, 0, 1].min() > 0.8


@pytest.mark.parametrize("prior", [Dirichlet(), Dirichlet(0.2), Dirichlet(20.0)], ids=str)
def test_one_budget_is_enough_without_a_temporal_prior(prior):
    choices = Choices.from_values(sample_rankings(np.zeros((1, 3)), 10, rng=np.random.default_rng(0)), grid=[7.0])
    assert_on_the_simplex(fit(choices, prior=prior, draws=1000))


@pytest.mark.parametrize("kernel", ["matern32", "matern52"])
@pytest.mark.parametrize("last", [2, 4, 5])
def test_a_gaussian_process_works_on_budgets_like_1_2_5_10(kernel, last):
    """On a linear axis their steps differ by factors of a thousand and more; the fit must work at all lengthscales."""
    budgets = [step * 10**power for power in range(last) for step in (1, 2, 5)] + [10**last]
    values = sample_rankings(np.zeros((len(budgets), 3)), 10, rng=np.random.default_rng(0))
    choices = Choices.from_values(values, grid=Grid(budgets, "linear"))
    posterior = fit(choices, prior=GaussianProcess(kernel), draws=1000)
    assert posterior.diagnostics.reliable, posterior.diagnostics.message
    assert_on_the_simplex(posterior)


def test_a_saved_posterior_is_unchanged(tmp_path, crossing_posterior):
    posterior = crossing_posterior
    posterior.save(tmp_path / "fit")
    loaded = Posterior.load(tmp_path / "fit")
    assert loaded.ratings.tobytes() == posterior.ratings.tobytes()
    assert loaded.diagnostics == posterior.diagnostics
    assert loaded.joint == posterior.joint


def test_a_temporal_prior_needs_two_budgets(temporal_prior):
    choices = Choices.from_values([[[1.0, 2.0]], [[2.0, 1.0]]], grid=[5.0])
    with pytest.raises(
        ValueError, match=r"expected at least two budgets with.*or use prior=BayesianBootstrap\(\)"
    ) as rejection:
        fit(choices, prior=temporal_prior)
    assert type(temporal_prior).__name__ in str(rejection.value)


@pytest.mark.parametrize(
    ("rankings", "apart", "rest"),
    [
        ([Ranking(1, ["cma", "de"]), Ranking(1, ["rs", "pso"])], "rs, pso", "cma, de"),
        ([Ranking(1, ["cma", "de"]), Ranking(1, ["rs"])], "rs", "cma, de"),
        ([Ranking(1, ["cma", "de"]), Ranking(1, ["rs", "de"], weight=0.0)], "rs", "cma, de"),
        ([Ranking(1, ["cma"]), Ranking(1, ["de", "rs"]), Ranking(2, ["de", "rs"])], "de, rs", "cma"),
    ],
    ids=["two pairs", "alone", "weightless", "over time"],
)
def test_algorithms_without_a_chain_of_comparisons_are_named(rankings, apart, rest):
    for per_instance in (True, False):
        choices = Choices.from_rankings(rankings, grid=[1, 2], per_instance=per_instance)
        with pytest.raises(ValueError, match=f"nothing links {apart} with {rest}; run them on common instances"):
            fit(choices)


def test_the_bootstrap_counts_no_choice_sets():
    """The choice sets of large ties take much memory, and only Plackett-Luce fits read them."""
    choices = Choices.from_values(np.random.default_rng(0).integers(0, 2, (30, 5, 20)), grid=GRID)
    posterior = fit(choices, draws=100)
    assert pareto_set(posterior)
    assert "members" not in vars(choices)
    fitted = fit(replace(choices, rankings=choices.rankings), draws=100)
    assert fitted.ratings.tobytes() == posterior.ratings.tobytes()


def test_a_chain_of_comparisons_is_enough(prior):
    """A is compared with B at one budget, and B with C at another."""
    rankings = [Ranking(budget, list(order)) for budget, order in [(1, "AB"), (1, "BA"), (2, "BC"), (2, "CB")]]
    assert_on_the_simplex(fit(Choices.from_rankings(rankings), prior=prior, draws=500))


@pytest.mark.parametrize("family", [BayesianBootstrap, Dirichlet, GaussianProcess])
def test_a_class_in_place_of_a_prior_is_rejected(crossing_choices, family):
    with pytest.raises(ValueError, match="did you forget the parentheses"):
        fit(crossing_choices, prior=family)


@pytest.mark.parametrize("prior", ["BSpline", 3, object()])
def test_values_other_than_priors_are_rejected(crossing_choices, prior):
    with pytest.raises(ValueError, match=r"expected a prior such as BayesianBootstrap\(\), got "):
        fit(crossing_choices, prior=prior)


@pytest.mark.parametrize("method", ["mcmc", "AUTO", "", None, 7])
def test_an_unknown_method_is_rejected_with_the_known_ones(crossing_choices, method):
    with pytest.raises(ValueError, match=r"expected method to be one of 'auto', 'nested-laplace', .*'gibbs'.*; got "):
        fit(crossing_choices, method=method)


@pytest.mark.parametrize("draws", [0, 99, -5, 1000.0, "1000", None, True])
def test_too_few_draws_are_rejected(crossing_choices, draws):
    with pytest.raises(ValueError, match="expected a whole number of at least 100 for draws, got "):
        fit(crossing_choices, draws=draws)


def test_draws_may_be_a_numpy_integer(crossing_choices):
    assert len(fit(crossing_choices, draws=np.int64(200)).ratings) == 200


@pytest.mark.parametrize("data", [None, np.ones((2, 3, 4)), [[1, 2]], "choices", Choices])
def test_data_other_than_choices_are_rejected_with_the_ways_to_make_them(data):
    with pytest.raises(ValueError, match=r"expected Choices, got .*from_values, from_trajectories or from_rankings"):
        fit(data)


def test_options_are_given_by_name(crossing_choices):
    with pytest.raises(TypeError, match="positional"):
        fit(crossing_choices, RandomWalk())


def deviation_of_constant_rankings(prior, budgets):
    """Return the posterior standard deviation of one pair's win rate, for runs whose ranking never changes over time."""
    order = np.random.default_rng(5).gumbel(size=(20, 1, 3)) + np.array([1.0, 0.0, -1.0])
    choices = Choices.from_values(-np.repeat(order, budgets, axis=1), grid=linear_grid(1, 15, budgets), names=NAMES)
    return win_rates(fit(choices, prior=prior, draws=2000), "A", "C").std(axis=0).mean()


def test_repeated_budgets_narrow_temporal_priors_but_not_the_bootstrap():
    narrowed = {
        type(prior): deviation_of_constant_rankings(prior, 45) / deviation_of_constant_rankings(prior, 3)
        for prior in (RandomWalk(), BayesianBootstrap())
    }
    # The data carry the information of one budget, however fine the grid. The random walk treats the budgets as independent,
    # 15 times as much information, and pools part of it.
    assert narrowed[RandomWalk] < 0.75
    assert narrowed[BayesianBootstrap] == pytest.approx(1, abs=0.05)


def test_the_default_prior_needs_the_rankings_of_each_instance(crossing_choices):
    with pytest.raises(ValueError, match="got only their counts; make them without per_instance=False"):
        fit(replace(crossing_choices, rankings=None))
