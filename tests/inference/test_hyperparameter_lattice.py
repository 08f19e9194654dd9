"""The lattice integrates known surfaces, wherever they lie and whatever their shape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import special, stats

import polarbear as pb
import polarbear.inference.laplace.hyperparameter_lattice
from polarbear.inference.laplace.hyperparameter_lattice import Node, build_lattice, find_mode, node_masses
from polarbear.inference.laplace.whitened_posterior import LaplaceSurface
from polarbear.models.plackett_luce import sample_rankings

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass
class Known:
    """A surface with a given log-density of the log-hyperparameters."""

    log_density: Callable[[np.ndarray], float]
    start: tuple[float, ...]
    evaluations: int = 0

    def node(self, hyperparameters: tuple[float, ...], start: np.ndarray | None) -> Node:
        self.evaluations += 1
        return Node(hyperparameters, 0.0, float(self.log_density(np.log(np.array(hyperparameters)))), np.zeros((1, 1)))


def moments(surface: Known) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lattice points on the log scale, their mean and their covariance."""
    nodes = build_lattice(surface)
    points = np.log([node.hyperparameters for node in nodes])
    masses = node_masses(np.array([node.log_density for node in nodes]))
    mean = masses @ points
    return points, mean, np.einsum("p,pi,pj->ij", masses, points - mean, points - mean)


@pytest.mark.parametrize("start", [0.3, 5.0, 1000.0])
@pytest.mark.parametrize(("centre", "width"), [(0.0, 0.5), (2.0, 0.1), (-1.0, 0.9)])
def test_gaussian_in_one_dimension(centre: float, width: float, start: float) -> None:
    surface = Known(lambda x: stats.norm.logpdf(x[0], centre, width), (start,))
    points, mean, covariance = moments(surface)
    # What lies beyond four standard deviations is left out: a thousandth of the variance.
    assert mean[0] == pytest.approx(centre, abs=0.01 * width)
    assert np.sqrt(covariance[0, 0]) == pytest.approx(width, rel=0.005)
    assert points.min() < centre - 3 * width
    assert points.max() > centre + 3 * width


@pytest.mark.parametrize("correlation", [0.0, 0.6, -0.95])
def test_gaussian_in_two_dimensions(correlation: float) -> None:
    widths = np.array([0.3, 0.7])
    expected = np.outer(widths, widths) * [[1, correlation], [correlation, 1]]
    density = stats.multivariate_normal([0.5, -0.5], expected)
    points, mean, covariance = moments(Known(density.logpdf, (1.0, 1.0)))
    np.testing.assert_allclose(mean, [0.5, -0.5], atol=0.01)
    # Beyond a depth of 8 lies e⁻⁸ of the mass in two dimensions, some four standard deviations out.
    np.testing.assert_allclose(covariance, expected, atol=0.01 * widths.max() ** 2)
    assert len(points) < 100


def test_sum_over_the_lattice_is_the_integral() -> None:
    nodes = build_lattice(Known(lambda x: stats.norm.logpdf(x[0], 0.7, 0.4), (1.0,)))
    points = np.sort(np.log([node.hyperparameters[0] for node in nodes]))
    spacing = np.diff(points)
    np.testing.assert_allclose(spacing, spacing[0], rtol=1e-9)
    assert spacing[0] * np.exp([node.log_density for node in nodes]).sum() == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("shape", [1.0, 2.0, 5.0])
def test_skewed_surface(shape: float) -> None:
    # The logarithm of a Gamma variable leans to the left, with an exponential tail.
    surface = Known(lambda x: shape * x[0] - np.exp(x[0]) - special.gammaln(shape), (1.0,))
    points, mean, covariance = moments(surface)
    width = np.sqrt(special.polygamma(1, shape))
    assert mean[0] == pytest.approx(special.digamma(shape), abs=0.02 * width)
    assert np.sqrt(covariance[0, 0]) == pytest.approx(width, rel=0.03)
    # All but two thousandths of the mass lie within.
    assert points.min() < np.log(special.gammaincinv(shape, 0.001))
    assert points.max() > np.log(special.gammaincinv(shape, 0.998))


def test_wide_direction_is_covered() -> None:
    points, mean, covariance = moments(Known(lambda x: stats.norm.logpdf(x[0], 0.0, 4.0), (1.0,)))
    assert mean[0] == pytest.approx(0.0, abs=0.1)
    assert np.sqrt(covariance[0, 0]) == pytest.approx(4.0, rel=0.01)
    assert np.ptp(points) > 24


def test_nodes_are_not_evaluated_twice() -> None:
    surface = Known(lambda x: stats.norm.logpdf(x[0], 0.0, 0.5), (1.0,))
    nodes = build_lattice(surface)
    assert len({node.hyperparameters for node in nodes}) == len(nodes)
    assert surface.evaluations < 5 * len(nodes)


@pytest.mark.parametrize(
    "prior", [pb.RandomWalk(), pb.BSpline(), pb.HilbertSpaceGP()], ids=lambda each: type(each).__name__
)
@pytest.mark.parametrize("instances", [3, 40])
def test_extrapolation_discards_no_node_of_the_lattice(
    prior: pb.RandomWalk, instances: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, grid = np.random.default_rng(instances), pb.linear_grid(1, 12, 12)
    truth = prior.sample(grid, 3, 1, rng=rng)[0]
    surface = LaplaceSurface(pb.Choices.from_values(sample_rankings(truth, instances, rng=rng), grid=grid), prior)
    expected = {node.hyperparameters for node in build_lattice(surface)}
    monkeypatch.setattr(
        polarbear.inference.laplace.hyperparameter_lattice, "_DOUBT", np.inf
    )  # every neighbour is tried
    assert {node.hyperparameters for node in build_lattice(surface)} == expected


def test_the_mode_is_found() -> None:
    density = stats.multivariate_normal([1.0, -2.0], [[0.2, 0.1], [0.1, 0.3]])
    point, node, axes = find_mode(Known(density.logpdf, (1.0, 1.0)))
    assert node.log_density > density.logpdf([1.0, -2.0]) - 0.05
    np.testing.assert_allclose(np.exp(point), node.hyperparameters)
    np.testing.assert_allclose(axes @ axes.T, 1.2**2 * density.cov, rtol=1e-4)


def test_masses_are_shares_of_the_density() -> None:
    np.testing.assert_allclose(node_masses(np.log([2.0, 1.0, 1.0]) - 2000), [0.5, 0.25, 0.25])
