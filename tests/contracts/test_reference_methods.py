"""Contracts of every prior with every reference method: NUTS, ADVI and Pathfinder, which JAX compiles for seconds each.

NUTS is compared with the default method, and so with the oracles. By default ADVI is tested with one prior, and NUTS in
`tests/inference/test_nuts.py`; the remaining pairs are the same tests under the marker `calibration`. All other tests that
need a fit of these methods are here too and use the same shapes where they can, so that no method compiles more often than
necessary.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pytest

import polarbear as pb
from polarbear.inference import methods
from polarbear.literals import Method
from tests.contracts.priors_and_methods import (
    DRAWS,
    EXAMPLES,
    GRID,
    NAMES,
    REFERENCE,
    assert_same_posterior,
    some_choices,
    utility_differences,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from polarbear.models import Prior

pytestmark = pytest.mark.skipif(find_spec("blackjax") is None, reason="needs the extra `mcmc`")

APPROXIMATIONS = tuple(method for method in REFERENCE if method != "nuts")
ALWAYS = {(pb.BSpline, "advi")}
# A method draws its random numbers in the same way under every prior, so seeds are tried with one prior per method.
SEEDED = {
    (pb.BSpline, "nuts"),
    (pb.RandomWalk, "pathfinder"),
    (pb.BSpline, "advi"),
    (pb.GaussianProcess, "advi-fullrank"),
}


def every_prior_with(methods: tuple[str, ...]) -> list[object]:
    """Return all pairs of a density and a method, those outside `ALWAYS` with the marker `calibration`."""
    return [
        pytest.param(kind, method, marks=() if (kind, method) in ALWAYS else pytest.mark.calibration)
        for kind in EXAMPLES
        if kind is not pb.BayesianBootstrap
        for method in methods
    ]


for_every_approximation = pytest.mark.parametrize(("kind", "method"), every_prior_with(APPROXIMATIONS))


@cache
def fitted(prior: Prior, method: Method) -> pb.Posterior:
    return pb.fit(some_choices(), prior=prior, method=method, draws=DRAWS, seed=2)


def check_posterior(posterior: pb.Posterior, prior: Prior, method: str) -> None:
    """Check the properties of every fit."""
    ratings = posterior.ratings
    assert ratings.shape == (DRAWS, len(GRID), len(NAMES))
    assert (ratings > 0).all()
    np.testing.assert_allclose(ratings.sum(axis=-1), 1.0, rtol=1e-12)
    diagnostics = posterior.diagnostics
    assert diagnostics.method == method
    assert diagnostics.message[0].isupper()
    assert diagnostics.message.endswith(".")
    assert 0 < diagnostics.effective_draws <= DRAWS
    assert [name for name, _, _ in diagnostics.hyperparameters] == list(prior.hyperpriors_for(len(NAMES)))
    assert all(np.isfinite(mean) and mean > 0 and spread > 0 for _, mean, spread in diagnostics.hyperparameters)


def check_seed(prior: Prior, method: Method) -> None:
    if (type(prior), method) not in SEEDED:
        return
    one, again = fitted(prior, method), pb.fit(some_choices(), prior=prior, method=method, draws=DRAWS, seed=2)
    np.testing.assert_array_equal(again.ratings, one.ratings)
    assert again.diagnostics == one.diagnostics
    other = pb.fit(some_choices(), prior=prior, method=method, draws=DRAWS, seed=3)
    assert (other.ratings != one.ratings).any(axis=(1, 2)).mean() > 0.9


def test_every_method_is_here_or_in_the_other_suite() -> None:
    assert set(REFERENCE) < set(get_args(Method))


def test_every_method_is_tested_with_another_seed() -> None:
    assert {method for _, method in SEEDED} == set(REFERENCE)
    assert ALWAYS <= SEEDED


@pytest.mark.parametrize(("kind", "method"), every_prior_with(("nuts",)))
def test_nuts_agrees_with_the_default_method(kind: type, method: Method) -> None:
    prior = EXAMPLES[kind]
    assert method == "nuts"
    posterior = fitted(prior, "nuts")
    check_posterior(posterior, prior, "nuts")
    diagnostics = posterior.diagnostics
    assert diagnostics.reliable, diagnostics.message
    assert diagnostics.divergences == 0
    assert diagnostics.r_hat is not None
    assert diagnostics.r_hat < 1.01
    assert diagnostics.effective_draws > 400
    assert diagnostics.pareto_k is None
    assert_same_posterior(posterior, pb.fit(some_choices(), prior=prior, draws=DRAWS, seed=5))
    check_seed(prior, "nuts")


@for_every_approximation
def test_an_approximation_is_accurate_or_unreliable(kind: type, method: Method) -> None:
    prior = EXAMPLES[kind]
    posterior = fitted(prior, method)
    check_posterior(posterior, prior, method)
    diagnostics = posterior.diagnostics
    assert diagnostics.pareto_k is not None
    assert diagnostics.r_hat is None
    assert f"k {diagnostics.pareto_k:.2f}" in diagnostics.message
    assert (len(diagnostics.elbo) > 0) == method.startswith("advi")
    check_seed(prior, method)

    exact = pb.fit(some_choices(), prior=prior, draws=DRAWS, seed=5)
    error = np.abs(pb.dominance(exact) - pb.dominance(posterior)).max()
    # If it is reliable: 0.05 is three standard errors of 400 effective draws and the default method's.
    assert not diagnostics.reliable or error < 0.05, f"off by {error:.3f}, yet: {diagnostics.message}"
    assert diagnostics.reliable or "use method='auto'" in diagnostics.message
    # All medians are within a posterior standard deviation.
    differences = [utility_differences(each) for each in (exact, posterior)]
    apart = np.abs(np.median(differences[0], axis=0) - np.median(differences[1], axis=0))
    assert (apart < differences[0].std(axis=0)).all()


@pytest.mark.calibration
@pytest.mark.parametrize("kind", [pb.HilbertSpaceGP, pb.RandomWalk])
def test_pathfinder_is_unreliable_where_the_paper_found_it_so(kind: type) -> None:
    assert not fitted(EXAMPLES[kind], "pathfinder").diagnostics.reliable


@pytest.mark.calibration
def test_pathfinder_is_reliable_with_independent_budgets() -> None:
    assert fitted(pb.Dirichlet(), "pathfinder").diagnostics.reliable


def test_mean_field_advi_is_too_wide_and_unreliable() -> None:
    exact, approximate = pb.fit(some_choices(), prior=pb.BSpline(), seed=5), fitted(pb.BSpline(), "advi")
    ratio = utility_differences(approximate).std(axis=0) / utility_differences(exact).std(axis=0)
    assert ratio.max() > 1.2  # the paper: it overestimates uncertainty
    assert not approximate.diagnostics.reliable
    assert "too wide" in approximate.diagnostics.message


@pytest.mark.calibration
def test_the_bound_of_advi_rises_and_an_early_end_is_reported(tmp_path: Path) -> None:
    progress: list[tuple[int, int]] = []
    settings = pb.ADVI(progress=lambda *at: progress.append(at))
    full = pb.fit(some_choices(), prior=pb.BSpline(), method=settings, draws=DRAWS, seed=2)
    assert full.diagnostics.elbo[-1] > full.diagnostics.elbo[0]
    assert len(full.diagnostics.elbo) * 250 < 20_000  # it ends before its largest number of steps
    assert progress[-1] == (20_000, 20_000)
    # Under this prior each budget is a separate part, which no other test by default fits; it compiles once more.
    short = pb.fit(some_choices(), prior=pb.Dirichlet(), method=pb.ADVI(steps=500), draws=400, seed=2)
    assert short.ratings.shape == (400, len(GRID), len(NAMES))
    assert len(short.diagnostics.elbo) == 2
    assert not short.diagnostics.reliable
    assert "still rising after 500 steps" in short.diagnostics.message
    assert np.isfinite(short.diagnostics.elbo).all()
    short.save(tmp_path / "file")
    assert pb.Posterior.load(tmp_path / "file").diagnostics == short.diagnostics


@pytest.mark.calibration
def test_nuts_reports_its_progress_to_the_end_and_leaves_jax_in_single_precision() -> None:
    import jax

    progress: list[tuple[int, int]] = []
    settings = pb.NUTS(progress=lambda *at: progress.append(at))
    pb.fit(some_choices(), prior=pb.BSpline(), method=settings, draws=1000, seed=1)
    assert progress[-1] == (300 + 2 * 500, 300 + 2 * 500)
    assert progress == sorted(progress)
    assert jax.numpy.ones(1).dtype == np.float32


# What method="auto" does where importance sampling and Hamiltonian Monte Carlo fail


def unreliable(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that marks its result as unreliable."""

    def correct(*arguments: Any, **options: Any) -> Any:
        utilities, diagnostics, *rest = method(*arguments, **options)
        return utilities, replace(diagnostics, reliable=False, message="It failed."), *rest

    return correct


@pytest.fixture
def cheaper_methods_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("correct_by_importance", "correct_by_hmc"):
        monkeypatch.setattr(methods, name, unreliable(getattr(methods, name)))


@pytest.mark.usefixtures("cheaper_methods_fail")
def test_auto_falls_back_on_nuts() -> None:
    diagnostics = pb.fit(some_choices(), prior=pb.BSpline(), draws=1000).diagnostics
    assert diagnostics.method == "nuts"
    assert diagnostics.reliable
    assert diagnostics.message.startswith("It failed. Hamiltonian Monte Carlo did not converge. NUTS")


@pytest.mark.usefixtures("cheaper_methods_fail")
def test_auto_without_the_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(methods, "reference_methods_installed", lambda: False)
    diagnostics = pb.fit(some_choices(), prior=pb.BSpline(), draws=1000).diagnostics
    assert diagnostics.method == "hmc"
    assert not diagnostics.reliable
    assert diagnostics.message.endswith("NUTS may do better: pip install 'polarbear-anytime[mcmc]'.")
