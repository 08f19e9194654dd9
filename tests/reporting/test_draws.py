"""The draws and win rates that are embedded in the page."""

import base64

import numpy as np
import pytest

import polarbear as pb
from polarbear import FirstPlace, log_grid
from polarbear.reporting.draws import pack_draws, pack_observed, pack_win_rates
from tests.plots.posteriors import specialist_posterior
from tests.reporting.pages import read_data, unpack_win_rates
from tests.reporting.pages import report as report_on
from tests.reporting.stored import crossing_posterior, read_draws
from tests.selection.posteriors import posterior_of, random_posterior


def test_ratings_are_thinned_and_rounded_to_fit_the_page():
    posterior = random_posterior(4500, 8, 4)
    packed = pack_draws(posterior, ["A"])
    ratings, rates = read_draws(packed, 8)
    assert (packed["draws"], packed["columns"], rates) == (1000, [0, 1, 2, 3], None)
    assert np.abs(ratings.transpose(2, 0, 1) - posterior.thin(1000).ratings).max() < 1.6e-5
    tiny, _ = read_draws(pack_draws(posterior_of(np.full((3, 2, 2), 1e-6)), []), 2)
    assert tiny == pytest.approx(1e-6, rel=0.02)
    wide = pack_draws(random_posterior(500, 200, 20), [])
    assert 50 < wide["draws"] < 100
    assert len(wide["ratings"]) < 880_000


def test_win_rates_are_those_of_the_kept_pairs_and_of_the_first_draws():
    posterior, grid = crossing_posterior(log_grid(1, 100, 5), 4), log_grid(1, 100, 5)
    packed = pack_draws(posterior, ["A", "C", "D"])
    ratings, rates = read_draws(packed, len(grid))
    assert (packed["draws"], packed["columns"], packed["kept"]) == (300, [0, 2, 3], [0, 1, 2])
    for place, (a, b) in enumerate([(0, 2), (0, 3), (2, 3)]):
        assert np.abs(rates[place] - posterior.thin(300).win_rates(a, b)).max() <= 0.5 / 255 + 1e-6
    shares = FirstPlace().curves(posterior.thin(300), np.array([0, 2, 3])).transpose(1, 2, 0)
    assert np.abs(ratings - shares).max() < 1.6e-5
    more = pack_draws(posterior, ["A", "C", "D"], members=posterior.names)
    assert (more["columns"], more["kept"], more["rates"]) == ([0, 1, 2, 3], [0, 2, 3], packed["rates"])
    assert read_draws(more, len(grid))[0].sum(axis=1) == pytest.approx(1, abs=1e-4)
    few = pack_draws(posterior, posterior.names, limit=2000)
    assert few["draws"] == 1500 // (5 * (6 + 2 * 4))
    assert len(few["rates"]) + len(few["ratings"]) <= 2000


def test_what_was_observed_of_a_pair_is_counted_in_instances():
    posterior = specialist_posterior(draws=100)
    numbers = np.frombuffer(base64.b64decode(pack_observed(posterior)), dtype="<u2").reshape(3, 2, 3)
    assert numbers[0, 0] / 65535 == pytest.approx(0.4, abs=1e-5)  # A beats B on 40 % of 200 instances
    assert (numbers[:, 1] == 200).all()
    assert pack_observed(random_posterior()) == ""


def test_ten_algorithms_and_fifty_budgets_stay_below_one_and_a_half_megabytes(tmp_path):
    """All ten are kept, and the page holds the values of their runs, too."""
    names, rng, grid = [f"algorithm {k}" for k in range(10)], np.random.default_rng(0), log_grid(10, 1000, 50)
    values = np.minimum.accumulate(rng.exponential(size=(100, 50, 10)), axis=1) + rng.normal(
        scale=0.1, size=(100, 1, 10)
    )
    runs = [
        pb.Trajectory(n, i, grid.budgets, values[i, :, k], end=1000) for i in range(100) for k, n in enumerate(names)
    ]
    posterior = pb.fit(pb.Choices.from_trajectories(runs, grid=grid))
    assert len(pb.pareto_set(posterior)) == 10
    page = report_on(posterior, tmp_path / "page.html", runs=runs)
    assert page.stat().st_size < 1_500_000
    assert read_data(page)["sections"]["explorer"]["draws"] > 200


def test_win_rates_under_plackett_luce_follow_from_ratings():
    posterior = random_posterior(300, 5, 3)
    numbers = unpack_win_rates(pack_win_rates(posterior, level=0.8), 3, 5)
    for place, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        one, other = posterior.ratings[..., a], posterior.ratings[..., b]
        rates = one / (one + other)
        expected = [rates.mean(axis=0), *np.quantile(rates, [0.1, 0.9], axis=0), (one > other).mean(axis=0)]
        np.testing.assert_allclose(numbers[place], expected, atol=0.5 / 255 + 1e-9)
