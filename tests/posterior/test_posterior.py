"""Posteriors: what they hold, summarise and refuse."""

import importlib.metadata
import math
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from polarbear.posterior.posterior import ratings_from_utilities
from tests.posterior.posteriors import dirichlet_posterior


@pytest.fixture
def posterior():
    return dirichlet_posterior()


def test_ratings_are_copied_and_read_only(posterior):
    given = np.full((5, 4, 3), 1 / 3)
    ours = replace(posterior, ratings=given)
    given[:] = 0
    assert (ours.ratings == 1 / 3).all()
    with pytest.raises(ValueError, match="read-only"):
        ours.ratings[0] = 0
    with pytest.raises(FrozenInstanceError):
        ours.names = ("X", "Y", "Z")


@pytest.mark.parametrize("shape", [(4, 3), (0, 4, 3), (5, 3, 4), (5, 4, 2), (5, 4, 3, 1), ()])
def test_ratings_of_another_shape_are_refused(posterior, shape):
    with pytest.raises(ValueError, match=r"shape \(draw, 4 budgets, 3 algorithms\), got "):
        replace(posterior, ratings=np.ones(shape))


@pytest.mark.parametrize("draws", [1, 2, 7, 49])
def test_thinning_keeps_different_evenly_spaced_draws(posterior, draws):
    thinned = posterior.thin(draws)
    index = [int(np.flatnonzero((posterior.ratings == draw).all(axis=(1, 2)))[0]) for draw in thinned.ratings]
    assert len(set(index)) == draws
    assert index == sorted(index)
    assert max(np.diff([*index, 50]), default=0) <= math.ceil(50 / max(draws - 1, 1))
    assert thinned.diagnostics == posterior.diagnostics


def test_thinning_to_more_draws_than_there_are_changes_nothing(posterior):
    assert posterior.thin(50) is posterior
    assert posterior.thin(1000) is posterior
    with pytest.raises(ValueError, match="expected at least 1 draw, got 0"):
        posterior.thin(0)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_a_summary_is_mean_and_quantiles(posterior, level):
    summary = posterior.summary(level)
    np.testing.assert_allclose(summary.mean, posterior.ratings.mean(axis=0), rtol=1e-14)
    np.testing.assert_allclose(summary.lower, np.quantile(posterior.ratings, 0.5 - level / 2, axis=0), rtol=1e-12)
    np.testing.assert_allclose(summary.upper, np.quantile(posterior.ratings, 0.5 + level / 2, axis=0), rtol=1e-12)
    assert summary.level == level
    assert posterior.summary().level == 0.95


@pytest.mark.parametrize("level", [0, 1, -0.1, 95, math.nan])
def test_a_level_outside_0_to_1_is_refused(posterior, level):
    with pytest.raises(ValueError, match="expected a level between 0 and 1, got "):
        posterior.summary(level)


def test_xarray_receives_named_axes(posterior):
    group = posterior.to_xarray()
    ratings = group["ratings"]
    assert ratings.dims == ("chain", "draw", "budget", "algorithm")
    assert ratings.shape == (1, 50, 4, 3)
    np.testing.assert_array_equal(ratings.values[0], posterior.ratings)
    np.testing.assert_array_equal(ratings["budget"], posterior.grid.budgets)
    assert ratings["algorithm"].values.tolist() == ["A", "B", "C"]
    assert float(ratings.sel(algorithm="B", draw=7)[0, 2]) == posterior.ratings[7, 2, 1]
    assert group.attrs["diagnostics"] == "All is well."


@pytest.mark.parametrize(
    ("installed", "container"), [("0.23.4", "InferenceData"), ("1.3.0", "DataTree"), (None, "DataTree")]
)
def test_arviz_receives_the_container_that_it_uses(posterior, installed, container, monkeypatch):
    if container == "InferenceData":
        found = pytest.importorskip("arviz", reason="needs ArviZ 0.x, which PyMC 5 brings")
        if not found.__version__.startswith("0."):
            pytest.skip("needs ArviZ 0.x, which PyMC 5 brings")

    actual = importlib.metadata.version

    def version(name):
        if name != "arviz":  # such as NumPy, which xarray asks for when it is imported
            return actual(name)
        if installed is None:
            raise importlib.metadata.PackageNotFoundError(name)
        return installed

    monkeypatch.setattr("importlib.metadata.version", version)
    data = posterior.to_arviz()
    assert type(data).__name__ == container
    np.testing.assert_array_equal(data.posterior["ratings"][0], posterior.ratings)


def test_the_installed_arviz_summarises_ratings(posterior):
    az = pytest.importorskip("arviz", reason="needs ArviZ, which PyMC brings")
    table = az.summary(posterior.to_arviz(), var_names=["ratings"])
    assert table.index.tolist() == [f"ratings[{budget}, {name}]" for budget in posterior.grid.budgets for name in "ABC"]
    # Three digits are printed.
    np.testing.assert_allclose(table["mean"].astype(float), posterior.ratings.mean(axis=0).ravel(), atol=1e-3)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # the win rate of an algorithm over itself is constant
def test_the_installed_arviz_summarises_all_variables(posterior):
    az = pytest.importorskip("arviz", reason="needs ArviZ, which PyMC brings")
    assert len(az.summary(posterior.to_arviz())) == 4 * 3 + 4 * 3 * 3


def test_a_frame_has_one_row_for_each_budget_and_algorithm(posterior):
    frame = posterior.to_frame(0.9)
    assert frame["algorithm_name"].tolist() == list("ABC") * 4
    summary = posterior.summary(0.9)
    for column, expected in (("rating", summary.mean), ("lower", summary.lower), ("upper", summary.upper)):
        assert frame[column].tolist() == expected.ravel().tolist()
    at_last = frame[frame["budget"] == posterior.grid.budgets[-1]].set_index("algorithm_name")
    first = posterior.ratings[:, -1].argmax(axis=1)
    assert at_last["probability_best"].to_dict() == pytest.approx(
        {name: (first == k).mean() for k, name in enumerate("ABC")}
    )
    assert posterior.to_frame(backend="polars").shape == (12, 7)


def test_notebooks_show_ratings_at_three_budgets(posterior):
    html = posterior._repr_html_()
    assert html.startswith("<p>Ratings: on how many instances each algorithm comes first, with 95 % intervals</p>")
    assert html.count("<tr>") == 4
    assert html.count("<th>at ") == 3
    summary = posterior.summary()
    mean, lower, upper = (100 * each[-1, 2] for each in (summary.mean, summary.lower, summary.upper))
    assert f"<td>{mean:.0f} % ({lower:.0f} to {upper:.0f} %)</td></tr>" in html
    assert f"<p>Reliable. {posterior.diagnostics.message}</p>" in html
    scoped = replace(posterior, scope="to new <functions>")._repr_html_()
    assert scoped.endswith("<p>Ratings generalise to new &lt;functions&gt;.</p>")


def test_the_representation_says_whether_it_is_reliable(posterior):
    assert repr(posterior) == "Posterior(3 algorithms, 4 budgets, 12 instances, 50 draws, BSpline(...), reliable)"
    doubtful = replace(posterior, diagnostics=replace(posterior.diagnostics, reliable=False))
    assert "NOT reliable" in repr(doubtful)


def test_ratings_of_utilities_are_their_softmax():
    utilities = np.random.default_rng(0).normal(scale=3, size=(4, 3, 6))
    utilities[0, :, 0] = [1e5, 0, -1e5]
    ratings = ratings_from_utilities(utilities)
    assert ratings.shape == (6, 4, 3)
    expected = np.exp(utilities[1:]) / np.exp(utilities[1:]).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(ratings[:, 1:], np.moveaxis(expected, -1, 0), rtol=1e-13)
    np.testing.assert_allclose(ratings[0, 0], [1, 0, 0], atol=1e-250)
    assert ratings[0, 0, 1] > ratings[0, 0, 2] > 0  # too small for softmax, and still in order
    np.testing.assert_allclose(ratings.sum(axis=-1), 1, rtol=1e-14)
