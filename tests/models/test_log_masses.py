"""Sums of log masses by products of powers, against one logarithm per set."""

import numpy as np
import pytest

from polarbear.models.plackett_luce import derivatives, log_likelihood_by_budget, sample_rankings
from polarbear.observe import Choices


@pytest.mark.parametrize("scale", [0.3, 3.0, 100.0], ids=["products", "near the limit", "beyond products"])
@pytest.mark.parametrize("algorithms", [4, 6], ids=["few sets", "many sets"])
def test_large_whole_counts_agree_with_the_plain_sum(scale, algorithms):
    rng = np.random.default_rng(10)
    values = sample_rankings(np.linspace(0, 2, 2 * algorithms).reshape(2, -1), 3000, rng=rng)
    choices = Choices.from_values(values, grid=[1, 2], names=list("abcdef")[:algorithms])
    utilities = rng.normal(scale=scale, size=(2, algorithms, 50))
    plain = np.array([derivatives(utilities[..., draw], choices)[0] for draw in range(50)]).T
    np.testing.assert_allclose(log_likelihood_by_budget(utilities, choices), plain, rtol=1e-12)
    # Single precision has 24 binary digits: each logarithm is off by some 1e-7, times its count.
    single = log_likelihood_by_budget(utilities, choices, dtype=np.float32)
    np.testing.assert_allclose(single, plain, atol=1e-6 * np.linalg.norm(choices.counts))
