import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from polarbear.plots.dominance_evolution import height_of, probability_at
from polarbear.plots.end_labels import spread
from polarbear.plots.lettering import format_tick, short_names


@given(st.lists(st.text(min_size=1, max_size=80), min_size=1, max_size=20, unique=True), st.integers(8, 30))
def test_short_names_are_short_and_different(names, longest):
    short = short_names(names, longest=longest)
    assert list(short) == names
    assert len(set(short.values())) == len(names)
    assert all(len(each) <= longest and each.isprintable() for each in short.values())


def test_names_that_fit_stay_as_they_are():
    assert short_names(["(1+1)-ES", "$x$"]) == {"(1+1)-ES": "(1+1)-ES", "$x$": "$x$"}


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.floats(0.01, 0.3))
def test_labels_are_moved_apart_in_order(wanted, gap):
    assume(gap * (len(wanted) - 1) <= 1)
    places = spread(np.array(wanted), gap)
    order = np.argsort(wanted, kind="stable")
    assert (np.diff(places[order]) >= gap - 1e-9).all()
    assert places.min() >= -1e-9
    assert places.max() <= 1 + 1e-9
    if len(wanted) > 1 and np.diff(np.sort(wanted)).min() >= gap:
        np.testing.assert_allclose(places, wanted, atol=1e-9)


def test_labels_that_do_not_fit_have_no_places():
    assert spread(np.array([0.1, 0.5, 0.9]), 0.6) is None


def test_the_axis_of_the_evolution_is_linear_and_then_counts_nines():
    np.testing.assert_allclose(height_of(np.array([0, 0.5, 0.9, 0.99, 0.999])), [0, 0.5, 0.9, 1.35, 1.8])
    probabilities = np.array([0, 0.3, 0.9, 0.95, 0.9985])
    np.testing.assert_allclose(probability_at(height_of(probabilities)), probabilities)
    assert height_of(np.array(1.0)) == height_of(np.array(0.9999))


@pytest.mark.parametrize(("budget", "text"), [(0, "0"), (0.25, "0.25"), (1e6, "1,000,000"), (3e-5, "3·10⁻⁵")])
def test_budgets_are_readable(budget, text):
    assert format_tick(budget) == text
