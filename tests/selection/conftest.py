"""A posterior of four algorithms that cross."""

import pytest

from tests.selection.posteriors import random_posterior


@pytest.fixture
def posterior():
    return random_posterior()
