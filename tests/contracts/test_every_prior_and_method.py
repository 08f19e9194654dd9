"""Every prior with every method that supports it gives valid draws and diagnostics, and exact methods agree.

A new method without an entry in `priors_and_methods.py` fails.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import get_args

import numpy as np
import pytest

import polarbear as pb
from polarbear import models
from polarbear.literals import Method
from polarbear.models import TemporalPrior
from polarbear.models.plackett_luce import sample_rankings
from tests.contracts.priors_and_methods import (
    APPROXIMATE,
    DRAWS,
    EXACT,
    EXAMPLES,
    GRID,
    NAMES,
    REFERENCE,
    STAN,
    assert_same_posterior,
    every_prior,
    fitted,
    for_every_density,
    for_every_prior,
    methods_of,
    some_choices,
    utility_differences,
)

CASES = [(kind, method) for kind in every_prior() for method in methods_of(kind)]
for_every_case = pytest.mark.parametrize(("kind", "method"), CASES)


# The members


def test_every_method_is_known_to_be_exact_or_approximate() -> None:
    assert set(get_args(Method)) == {"auto", *EXACT, *APPROXIMATE, *REFERENCE, *STAN}


@pytest.mark.parametrize("kind", [kind for kind in every_prior() if issubclass(kind, TemporalPrior)])
def test_gibbs_is_rejected_with_temporal_priors(kind: type) -> None:
    with pytest.raises(
        ValueError, match=r"expected a Dirichlet prior with .* use method='auto' or prior=Dirichlet\(\)"
    ):
        pb.fit(some_choices(), prior=EXAMPLES[kind], method="gibbs")


# Every fit


@for_every_case
def test_draws_lie_on_the_simplex(kind: type, method: Method) -> None:
    ratings = fitted(EXAMPLES[kind], method).ratings
    assert ratings.shape == (DRAWS, len(GRID), len(NAMES))
    assert_on_simplex(ratings)
    assert not ratings.flags.writeable


def assert_on_simplex(ratings: np.ndarray) -> None:
    assert (ratings > 0).all()
    tolerance = 1e-12 if ratings.dtype == np.float64 else 1e-6  # the default prior has single precision
    np.testing.assert_allclose(ratings.sum(axis=-1, dtype=np.float64), 1.0, rtol=tolerance)


@for_every_case
def test_posterior_records_data_and_prior(kind: type, method: Method) -> None:
    posterior = fitted(EXAMPLES[kind], method)
    assert posterior.names == NAMES
    assert posterior.grid == GRID
    assert posterior.instances == 12
    assert posterior.prior == repr(EXAMPLES[kind])
    assert posterior.joint is models.is_joint(EXAMPLES[kind])


def test_independent_draws_need_no_diagnostics() -> None:
    diagnostics = fitted(pb.BayesianBootstrap(), "auto").diagnostics
    assert diagnostics.reliable
    assert diagnostics.effective_draws == DRAWS
    assert diagnostics.message == "Bayesian bootstrap of 12 instances, with 4,000 independent draws."


@pytest.mark.parametrize(("kind", "method"), [case for case in CASES if case[0] is not pb.BayesianBootstrap])
def test_diagnostics_are_filled(kind: type, method: Method) -> None:
    diagnostics = fitted(EXAMPLES[kind], method).diagnostics
    assert diagnostics.method in ({*EXACT} if method == "auto" else {method})
    assert isinstance(diagnostics.reliable, bool)
    assert diagnostics.message[0].isupper()
    assert diagnostics.message.endswith(".")
    assert 0 < diagnostics.effective_draws < np.inf
    assert (diagnostics.pareto_k is None) != (diagnostics.r_hat is None)
    assert all(number is None or np.isfinite(number) for number in (diagnostics.pareto_k, diagnostics.r_hat))
    assert [name for name, _, _ in diagnostics.hyperparameters] == list(EXAMPLES[kind].hyperpriors_for(len(NAMES)))
    assert all(np.isfinite(mean) and mean > 0 and spread > 0 for _, mean, spread in diagnostics.hyperparameters)
    number = f"k {diagnostics.pareto_k:.2f}" if diagnostics.r_hat is None else f"R-hat {diagnostics.r_hat:.3f}"
    assert number in diagnostics.message


def small_fit(kind: type, method: Method, seed: int) -> pb.Posterior:
    choices = hard_choices("two algorithms and two budgets")
    return pb.fit(choices, prior=EXAMPLES[kind], method=method, draws=100, seed=seed)


small_fit_kept = cache(small_fit)

# Hamiltonian Monte Carlo draws its random numbers, and thins its chains, in the same way under every temporal prior; one
# of them is enough.
SEEDED = [case for case in CASES if case[1] != "hmc" or case[0] in (pb.Dirichlet, pb.BSpline)]


@pytest.mark.parametrize(("kind", "method"), SEEDED)
def test_equal_seeds_give_equal_posteriors(kind: type, method: Method) -> None:
    one, again = small_fit_kept(kind, method, 3), small_fit(kind, method, 3)
    np.testing.assert_array_equal(one.ratings, again.ratings)
    assert one.diagnostics == again.diagnostics


@for_every_prior
def test_other_seeds_give_other_draws(kind: type) -> None:
    one, other = small_fit_kept(kind, "auto", 3), small_fit(kind, "auto", 4)
    assert (one.ratings != other.ratings).any(axis=(1, 2)).mean() > 0.9


@pytest.mark.parametrize(("kind", "method"), SEEDED)
def test_effective_draws_do_not_exceed_their_number(kind: type, method: Method) -> None:
    posterior = small_fit_kept(kind, method, 3)
    assert posterior.diagnostics.effective_draws <= len(posterior.ratings) == 100


@for_every_prior
def test_auto_is_reliable_on_ordinary_data(kind: type) -> None:
    posterior = fitted(EXAMPLES[kind], "auto")
    assert posterior.diagnostics.reliable, posterior.diagnostics.message


@for_every_density
def test_exact_methods_are_reliable_on_ordinary_data(kind: type) -> None:
    for method in set(EXACT) & set(methods_of(kind)):
        posterior = fitted(EXAMPLES[kind], method)
        assert posterior.diagnostics.reliable, posterior.diagnostics.message


# Difficult data


def hard_choices(case: str) -> pb.Choices:
    values = sample_rankings(np.zeros((3, 3)), 6, rng=np.random.default_rng(5))
    match case:
        case "always the same order":
            values[:] = [1.0, 2.0, 3.0]
        case "always all tied":
            values[:] = 0.0
        case "one unobserved budget":
            values[:, 1] = np.nan
        case "one instance":
            values = values[:1]
        case "two algorithms and two budgets":
            return pb.Choices.from_values(values[:, :2, :2], grid=[1, 2])
        case "tiny weights":
            return 1e-3 * pb.Choices.from_values(values, grid=[1, 2, 3])
        case "a thousand copies":
            return 1000 * pb.Choices.from_values(values, grid=[1, 2, 3])
    return pb.Choices.from_values(values, grid=[1, 2, 3])


@for_every_prior
@pytest.mark.parametrize(
    "case",
    [
        "always the same order",
        "always all tied",
        "one unobserved budget",
        "one instance",
        "two algorithms and two budgets",
        "tiny weights",
        "a thousand copies",
    ],
)
def test_difficult_data_give_ratings_or_a_warning(kind: type, case: str) -> None:
    posterior = pb.fit(hard_choices(case), prior=EXAMPLES[kind], draws=200, seed=6)
    assert_on_simplex(posterior.ratings)
    if not posterior.diagnostics.reliable:
        assert "Not converged" in posterior.diagnostics.message


# Agreement


@for_every_density
def test_exact_methods_agree(kind: type) -> None:
    exact = [method for method in methods_of(kind) if method in EXACT]
    assert len(exact) >= 2
    for one, two in combinations(exact, 2):
        assert_same_posterior(fitted(EXAMPLES[kind], one), fitted(EXAMPLES[kind], two))


@for_every_density
def test_plain_laplace_is_near_the_exact_posterior(kind: type) -> None:
    exact, plain = (utility_differences(fitted(EXAMPLES[kind], method)) for method in ("nested-laplace", "laplace"))
    # It is an approximation at the joint mode: within a posterior standard deviation, and not twice as wide.
    assert (np.abs(np.median(plain, axis=0) - np.median(exact, axis=0)) < exact.std(axis=0)).all()
    assert (plain.std(axis=0) < 2.5 * exact.std(axis=0)).all()
    assert (plain.std(axis=0) > 0.5 * exact.std(axis=0)).all()


@for_every_density
def test_plain_laplace_is_unreliable_where_it_is_inaccurate(kind: type) -> None:
    exact = pb.dominance(fitted(EXAMPLES[kind], "auto"))
    few = pb.fit(some_choices(), prior=EXAMPLES[kind], method="laplace", draws=1000, seed=0)
    for plain in (few, fitted(EXAMPLES[kind], "laplace")):
        error = np.abs(exact - pb.dominance(plain)).max()
        # A tenth is six standard errors of a thousand draws, and far too much for a decision at 99 %.
        assert error <= 0.1 or not plain.diagnostics.reliable, f"off by {error:.2f}, yet: {plain.diagnostics.message}"
        assert plain.diagnostics.reliable or "use method='auto'" in plain.diagnostics.message


def test_sparse_process_with_a_point_at_each_budget_is_the_exact_process() -> None:
    sparse = fitted(pb.SparseGaussianProcess(inducing=len(GRID)), "nested-laplace")
    assert_same_posterior(sparse, fitted(pb.GaussianProcess(), "nested-laplace"))


def test_hilbert_space_process_with_many_functions_is_the_exact_process() -> None:
    # The default basis covers the central 90 % of lengthscales; this one all that the posterior can reach.
    hilbert = fitted(pb.HilbertSpaceGP(basis=150, boundary=20.0), "nested-laplace")
    assert_same_posterior(hilbert, fitted(pb.GaussianProcess(), "nested-laplace"))


@for_every_prior
def test_order_of_the_algorithms_changes_nothing(kind: type) -> None:
    values = sample_rankings(np.array([[1.0, 0.0, -1.0]] * 4), 8, rng=np.random.default_rng(7))
    order = [2, 0, 1]
    one, two = (
        pb.fit(
            pb.Choices.from_values(values[..., columns], grid=[1, 2, 3, 4], names=[NAMES[c] for c in columns]),
            prior=EXAMPLES[kind],
            draws=DRAWS,
            seed=8,
        )
        for columns in ([0, 1, 2], order)
    )
    back = pb.Posterior(
        ratings=two.ratings[..., np.argsort(order)],
        names=NAMES,
        grid=two.grid,
        joint=two.joint,
        diagnostics=two.diagnostics,
        prior=two.prior,
        instances=two.instances,
    )
    assert_same_posterior(one, back)
