import pytest

from tests.plots.beliefs import small_race


@pytest.fixture(scope="session")
def raced():
    """A finished race with eliminations."""
    result = small_race(40)
    assert result.finished
    assert result.eliminations
    return result


@pytest.fixture(scope="session")
def unfinished():
    """A race in which pairs are open."""
    result = small_race(2, rope=0.0, confidence=0.99)
    assert not result.finished
    return result
