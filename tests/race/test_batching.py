"""How batches grow and shrink: the paper's rule."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polarbear import AdaptiveBatch, FixedBatch


@given(st.integers(1, 50), st.integers(0, 200), st.floats(0, 1), st.data())
def test_double_when_nothing_resolves_halve_when_more_than_a_fifth_does(smallest, more, share, data):
    batch = AdaptiveBatch(smallest, smallest + more)
    size = data.draw(st.integers(smallest, smallest + more))
    wanted = 2 * size if share == 0 else size // 2 if share > 0.2 else size
    assert batch.after(size, share) == max(smallest, min(smallest + more, wanted))


def test_a_fifth_is_not_yet_many_and_a_little_is_not_nothing():
    batch = AdaptiveBatch(1, 100)
    assert batch.after(10, 0.2) == 10
    assert batch.after(10, 0.2 + 1e-12) == 5
    assert batch.after(10, 1e-12) == 10


def test_the_first_batch_is_the_smallest_by_default():
    assert AdaptiveBatch(8, 128).first == 8
    assert AdaptiveBatch(8, 128, start=32).first == 32
    assert AdaptiveBatch(4, 4).after(4, 0.0) == 4


@given(st.integers(1, 100), st.integers(1, 100), st.floats(0, 1))
def test_a_fixed_batch_stays(size, given_size, share):
    batch = FixedBatch(size)
    assert (batch.first, batch.after(given_size, share)) == (size, size)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: FixedBatch(0), "expected a whole number of at least 1 for the batch, got 0"),
        (lambda: FixedBatch(2.5), "expected a whole number of at least 1 for the batch, got 2.5"),
        (lambda: AdaptiveBatch(0, 4), "expected a whole number of at least 1 for the smallest batch"),
        (lambda: AdaptiveBatch(8, 4), "expected a whole number of at least 8 for the largest batch, got 4"),
        (lambda: AdaptiveBatch(8, 16, start=4), "expected a whole number of at least 8 for the first batch, got 4"),
        (lambda: AdaptiveBatch(8, 16, start=17), "expected the first batch to be at most the largest, 16, got 17"),
        (lambda: AdaptiveBatch(True, 16), "expected a whole number of at least 1 for the smallest batch"),
    ],
)
def test_invalid_sizes_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()
