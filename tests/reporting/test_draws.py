"""The draws and win rates that are embedded in the page."""

import base64

import numpy as np
import pytest

from polarbear.reporting.draws import pack_ratings, pack_win_rates, thin_and_round
from tests.reporting.pages import unpack_win_rates
from tests.selection.posteriors import posterior_of, random_posterior


def test_draws_are_thinned_and_rounded_to_fit_the_page():
    posterior = random_posterior(4500, 8, 4)
    small = thin_and_round(posterior)
    assert small.ratings.shape == (4000, 8, 4)
    assert np.abs(small.ratings - posterior.thin(4000).ratings).max() < 1.6e-5
    tiny = posterior_of(np.full((3, 2, 2), 1e-6))
    assert thin_and_round(tiny).ratings == pytest.approx(1e-6, rel=0.02)
    wide = thin_and_round(random_posterior(500, 200, 20))
    assert 200 < len(wide.ratings) < 500


def test_packed_ratings_unpack_to_the_rounded_draws():
    small = thin_and_round(random_posterior(30, 5, 3))
    numbers = np.frombuffer(base64.b64decode(pack_ratings(small)), dtype="<u2").reshape(5, 3, 30)
    assert np.array_equal((numbers / 65535) ** 2, small.ratings.transpose(1, 2, 0))


def test_win_rates_under_plackett_luce_follow_from_ratings():
    posterior = random_posterior(300, 5, 3)
    numbers = unpack_win_rates(pack_win_rates(posterior, level=0.8), 3, 5)
    for place, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        one, other = posterior.ratings[..., a], posterior.ratings[..., b]
        rates = one / (one + other)
        expected = [rates.mean(axis=0), *np.quantile(rates, [0.1, 0.9], axis=0), (one > other).mean(axis=0)]
        np.testing.assert_allclose(numbers[place], expected, atol=0.5 / 255 + 1e-9)
