"""The Betas on the breaks of a stick: exact where rankings agree, close elsewhere, and a density that matches its draws."""

import numpy as np
import pytest
from scipy import integrate, special, stats
from scipy.special import betaln

import polarbear as pb
from polarbear.inference.dirichlet.stick_breaking import stick_breaking
from polarbear.inference.fields.beta_sticks import Breaks, fit_sticks, strongest_first
from polarbear.inference.laplace.whitened_posterior import whitened_posterior
from polarbear.models.helmert import helmert


def agreeing(instances, algorithms, budgets=1):
    """Rankings that all put the algorithms in the same order."""
    values = np.broadcast_to(np.arange(algorithms, dtype=float), (instances, budgets, algorithms))
    return pb.Choices.from_values(values, grid=np.arange(1, budgets + 1))


def sticks_of(choices, concentration):
    return whitened_posterior(choices, pb.Dirichlet(concentration)).conditional(0).factor.sticks


@pytest.mark.parametrize("concentration", [1.0, 0.1, 0.01])
@pytest.mark.parametrize("algorithms", [2, 3, 6])
def test_exact_where_all_rankings_agree(algorithms, concentration):
    # Of m algorithms left, the strongest takes Beta(a, (m − 1) a) of the stick before and Beta(a + P, (m − 1) a) after.
    found = sticks_of(agreeing(8, algorithms), concentration)
    left = np.arange(algorithms - 1, 0, -1)
    assert found.order[0].tolist() == list(range(algorithms))
    # Newton stops a thousandth of a standard deviation from the mode, and these are many units wide: one or two per cent.
    np.testing.assert_allclose(found.first[0], concentration + 8, rtol=0.03)
    np.testing.assert_allclose(found.second[0], left * concentration, rtol=0.03)
    np.testing.assert_allclose(found.shear[0], np.eye(algorithms - 1), atol=1e-6)


@pytest.mark.parametrize("concentration", [1.0, 0.05])
def test_evidence_is_exact_where_all_rankings_agree(concentration):
    found = whitened_posterior(agreeing(8, 4), pb.Dirichlet(concentration)).nodes[0].log_density
    left = np.arange(3, 0, -1)
    exact = (betaln(concentration + 8, left * concentration) - betaln(concentration, left * concentration)).sum()
    assert found == pytest.approx(exact, abs=0.02)  # two per cent of a parameter, see above


def test_breaks_and_utilities_are_inverse():
    rng = np.random.default_rng(0)
    x = rng.normal(scale=3, size=(4, 50))
    order = rng.permutation(5)
    breaks = Breaks(order, x, np.logaddexp(0, x))
    utilities, total = breaks.utilities()
    np.testing.assert_allclose(utilities.sum(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(total, np.logaddexp.reduce(utilities, axis=0), rtol=1e-12)
    shares = np.exp(utilities - total)[order]
    left = 1 - np.cumsum(shares, axis=0) + shares
    np.testing.assert_allclose(shares[:-1] / left[:-1], 1 / (1 + np.exp(-x)), rtol=1e-6)


def random_sticks(concentration=0.7):
    rng = np.random.default_rng(1)
    choices = pb.Choices.from_values(rng.random((12, 2, 4)) + np.arange(4) / 5, grid=[1, 2])
    return choices, sticks_of(choices, concentration)


def test_density_of_draws_is_that_of_their_utilities():
    _, sticks = random_sticks()
    drawn, log_density = sticks.draw(1, 20, temper=0.8, rng=np.random.default_rng(2))
    utilities, _ = drawn.utilities()
    # The softplus of a draw is known to single precision, and is multiplied by the Betas' parameters.
    parameters = sticks.first[1].sum() + sticks.second[1].sum()
    np.testing.assert_allclose(sticks.log_density(1, utilities, temper=0.8), log_density, atol=1e-6 * parameters)


@pytest.mark.parametrize("concentration", [0.7, 0.01], ids=["plain", "tiny shapes"])
def test_draws_follow_their_betas(concentration):
    sticks = random_sticks(concentration)[1] if concentration > 0.1 else sticks_of(agreeing(5, 3), concentration)
    drawn, _ = sticks.draw(0, 4000, temper=0.8, rng=np.random.default_rng(3))
    centre = sticks.mode[0][:, None]
    sheared = centre + sticks.shear[0] @ (drawn.x - centre)
    for j, y in enumerate(sheared):
        law = stats.beta(0.8 * sticks.first[0, j], 0.8 * sticks.second[0, j])
        share = special.expit(y[np.abs(y) < 30])  # beyond, v rounds to 0 or 1
        within = (1 - 1e-12) if len(share) == len(y) else len(share) / len(y)
        # A Kolmogorov-Smirnov test at a level of one in a thousand, given that v is not rounded.
        low = law.cdf(special.expit(-30.0))
        assert stats.kstest(share, lambda v, law=law, low=low, within=within: (law.cdf(v) - low) / within).pvalue > 1e-3
    np.testing.assert_allclose(drawn.softplus, np.logaddexp(0, drawn.x), atol=1e-6)  # of single precision


def test_breaks_with_many_data_are_normal():
    # Parameters above 100: a normal of the same mode and curvature, and its density.
    utilities = np.array([[0.3, 0.1, -0.4]])
    sticks = fit_sticks(utilities, 150 * np.eye(2)[None], helmert(3), strongest_first(utilities))
    assert min(sticks.first.min(), sticks.second.min()) > 100
    drawn, log_density = sticks.draw(0, 4000, temper=0.8, rng=np.random.default_rng(5))
    curvature = sticks.first[0] * sticks.second[0] / (sticks.first[0] + sticks.second[0])
    z = np.sqrt(0.8 * curvature)[:, None] * (sticks.shear[0] @ (drawn.x - sticks.mode[0][:, None]))
    for each in z:
        assert stats.kstest(each, "norm").pvalue > 1e-3
    expected = stats.norm.logpdf(z).sum(axis=0) + 0.5 * np.log(0.8 * curvature).sum()
    np.testing.assert_allclose(log_density, expected, atol=1e-4)
    np.testing.assert_allclose(sticks.log_density(0, drawn.utilities()[0], temper=0.8), log_density, atol=1e-4)


def test_gammas_that_single_precision_rounds_to_zero_are_not_drawn_directly():
    # One in 2²⁴ draws of a shape up to one would be zero, and its logarithm would spoil every weight of that budget.
    shapes = []

    class Watched:
        def standard_gamma(self, shape, size, dtype):
            shapes.append(shape)
            return np.ones(size, dtype=dtype)

        def standard_exponential(self, size):
            return np.full(size, 30.0)

    for concentration in (0.01, 1.0):
        _, log_density = sticks_of(agreeing(8, 4), concentration).draw(0, 10, temper=0.8, rng=Watched())
        assert np.isfinite(log_density).all()
    assert len(shapes) == 12
    assert min(shapes) > 1


def test_density_integrates_to_one():
    choices = pb.Choices.from_values([[[1.0, 2.0]], [[1.0, 2.0]], [[2.0, 1.0]]], grid=[1])
    sticks = sticks_of(choices, 1.0)

    # The density is smooth and falls off exponentially, so that the trapezoidal rule is exact to rounding.
    x = np.linspace(-60, 60, 24001)
    density = np.exp(sticks.log_density(0, np.array([x / 2, -x / 2])[sticks.order[0]], temper=0.8))
    assert integrate.trapezoid(density, x) == pytest.approx(1, abs=1e-6)


def test_two_dimensional_density_integrates_to_one():
    # In coordinates x, whose volume is that of the sheared ones; a lattice of step 0.1 over ten units each way.
    choices = pb.Choices.from_values([[[1.0, 2.0, 3.0]], [[2.0, 1.0, np.nan]], [[np.nan, 2.0, 1.0]]] * 3, grid=[1])
    sticks = sticks_of(choices, 1.0)
    axis = np.arange(-25, 25, 0.1)
    x = np.array(np.meshgrid(axis, axis)).reshape(2, -1)
    utilities, _ = Breaks(sticks.order[0], x, np.logaddexp(0, x)).utilities()
    assert np.exp(sticks.log_density(0, utilities, temper=0.8)).sum() * 0.01 == pytest.approx(1, abs=1e-3)


def test_a_normal_posterior_gives_a_normal_centre():
    # With huge counts the Betas are normal in x, and the density at the centre is the normal's.
    utilities = np.array([[0.3, 0.1, -0.4]])
    root = np.random.default_rng(4).normal(size=(2, 2))
    precision = (1e6 * (root @ root.T + np.eye(2)))[None]
    sticks = fit_sticks(utilities, precision, helmert(3), strongest_first(utilities))
    normal = 0.5 * np.linalg.slogdet(precision[0])[1] - np.log(2 * np.pi)
    assert sticks.log_centre == pytest.approx(normal, abs=1e-3)


def test_the_hierarchical_prior_is_exact_under_perfect_separation():
    """κ against quadrature of its exact posterior: every budget multiplies it by the evidence of agreeing rankings."""
    algorithms, budgets, instances = 4, 10, 8
    prior = pb.HierarchicalDirichlet()
    choices = agreeing(instances, algorithms, budgets)
    left = np.arange(algorithms - 1, 0, -1)
    kappa = np.exp(np.linspace(np.log(1e-6), np.log(50), 4001))
    a = kappa[:, None] / algorithms
    evidence = budgets * (betaln(a + instances, left * a) - betaln(a, left * a)).sum(axis=1)
    hyperprior = prior.hyperpriors_for(algorithms)["kappa"]
    log_density = evidence + [hyperprior.log_density(np.log(value)) for value in kappa]
    mass = np.exp(log_density - log_density.max())
    mass /= mass.sum()
    mean = mass @ kappa
    utilities, diagnostics = stick_breaking(choices, prior, draws=4000, rng=np.random.default_rng(5))
    assert diagnostics.reliable
    # The lattice's trapezoid rule and 4000 draws: a few per cent.
    assert diagnostics.hyperparameters[0][1] == pytest.approx(mean, rel=0.05)
    # The probability that the strongest is first on a new instance, E v_1, against the same mixture of Betas.
    first = 1 / (1 + np.exp(-(utilities[:, 0] - np.logaddexp.reduce(utilities[:, 1:], axis=1))))
    exact = mass @ ((a[:, 0] + instances) / (a[:, 0] * algorithms + instances))
    assert first.mean() == pytest.approx(exact, abs=2e-3)


def test_order_survives_ratings_that_underflow():
    choices = agreeing(8, 5, budgets=20)
    posterior = pb.fit(choices, prior=pb.HierarchicalDirichlet(), seed=0)
    assert posterior.diagnostics.reliable
    beats = pb.dominance(posterior)
    for a in range(5):
        for b in range(a):
            np.testing.assert_allclose(beats[:, a, b] + beats[:, b, a], 1.0, atol=1e-12)
            assert beats[:, b, a].min() > 0.9
