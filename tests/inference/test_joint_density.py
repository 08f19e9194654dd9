"""The model as a function of one vector: the same number in NumPy and JAX, and the same as the fields of the engines."""

import numpy as np
import pytest

from polarbear import Choices, Dirichlet, HierarchicalDirichlet, log_grid
from polarbear.inference.fields.dirichlet_field import DirichletField
from polarbear.inference.fields.latent_field import DenseField
from polarbear.inference.reference.joint_density import JointDensity, independent_parts, padded_tables
from polarbear.models import TemporalPrior
from polarbear.models.plackett_luce import log_likelihood, sample_rankings


@pytest.fixture(scope="module")
def choices():
    values = sample_rankings(np.zeros((4, 3)), 9, rng=np.random.default_rng(1))
    values[:3] = np.round(values[:3])
    values[4, :, 1] = np.nan
    return Choices.from_values(values, grid=log_grid(1, 100, 4))


def position_of(density, seed):
    rng = np.random.default_rng(seed)
    log_h = [np.log(hyperprior.quantile(rng.uniform(0.2, 0.8))) for hyperprior in density.hyperpriors]
    return np.concatenate([log_h, rng.standard_normal(density.size - len(log_h))])


def test_the_density_is_likelihood_times_prior_times_hyperprior(prior, choices):
    density = JointDensity(prior, choices.grid, 3)
    position = position_of(density, 2)
    log_h, x = density.split(position)
    h = [float(np.exp(value)) for value in log_h]
    if isinstance(prior, TemporalPrior):
        field = DenseField(prior.factor(choices.grid, *h), 2)
    else:
        field = DirichletField(prior.concentration_for(3, *h), 4, 3)
    utilities = field.latent(x) @ density.contrasts.T
    expected = float(log_likelihood(utilities, choices) + field.log_prior(x)[0])
    expected += sum(p.log_density(float(value)) for p, value in zip(density.hyperpriors, log_h, strict=True))
    np.testing.assert_allclose(density.utilities(position), utilities, rtol=1e-12)
    np.testing.assert_allclose(density(position, padded_tables(choices)), expected, rtol=1e-12)


def test_jax_computes_the_same_density(prior, choices):
    jax = pytest.importorskip("jax", reason="needs the extra `mcmc`")
    density = JointDensity(prior, choices.grid, 3)
    with jax.enable_x64(True):
        compiled = jax.jit(density)
        for seed in range(3):
            position = position_of(density, seed)
            here, there = density(position, padded_tables(choices)), compiled(position, padded_tables(choices))
            np.testing.assert_allclose(there, here, rtol=1e-10)


def test_padding_changes_nothing_and_makes_powers_of_two(choices):
    tables = padded_tables(choices)
    assert tables.members.shape == (4, 8, 3)
    more = padded_tables(
        Choices.from_values(sample_rankings(np.zeros((4, 5)), 60, rng=np.random.default_rng(2)), grid=choices.grid)
    )
    assert more.counts.shape == (4, 32)  # at most 26 sets of two or more of five
    assert (more.members[more.counts == 0] == 1).all()


def test_a_dirichlet_posterior_is_a_product_over_budgets(choices):
    density, tables = independent_parts(choices, Dirichlet())
    assert len(density.grid) == 1
    parts = np.random.default_rng(3).standard_normal((4, density.size))
    apart = sum(density(x, type(tables)(*(t[k] for t in tables))) for k, x in enumerate(parts))
    together = JointDensity(Dirichlet(), choices.grid, 3)(parts.ravel(), padded_tables(choices))
    np.testing.assert_allclose(apart, together, rtol=1e-12)
    whole, tables = independent_parts(choices, HierarchicalDirichlet())
    assert len(whole.grid) == 4
    assert tables.wins.shape == (1, 4, 3)
