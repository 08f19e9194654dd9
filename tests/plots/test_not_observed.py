"""Figures claim nothing where an algorithm was not observed: curves are interrupted, areas and cells are empty."""

from dataclasses import replace

import numpy as np
import pytest

from polarbear import plots
from polarbear.plots.comparison_counts import ComparisonCounts
from polarbear.plots.decision_bands import DecisionBands
from polarbear.plots.dominance_matrix import DominanceMatrix
from polarbear.plots.pair_dominance import PairDominance
from polarbear.plots.rating_curves import RatingCurves
from tests.plots.legibility import texts_of
from tests.plots.posteriors import posterior_with
from tests.selection.posteriors import posterior_of
from tests.selection.short_runs import short_posterior


@pytest.fixture(scope="module")
def two():
    return short_posterior("long")


@pytest.fixture(scope="module")
def three():
    return short_posterior("long", "last")


def test_rating_curves_are_interrupted(three):
    data = RatingCurves.of(three)
    for curves in (data.mean, data.lower, data.upper):
        assert np.isnan(curves).T.tolist() == [[False, False, True, True], [False] * 4, [False] * 4]
    (axes,) = plots.ratings(three).axes
    drawn = [line.get_ydata() for line in axes.lines if len(line.get_xdata()) == 4]
    assert np.isnan(drawn[0]).tolist() == [False, False, True, True]
    assert np.isfinite(drawn[1:]).all()


def test_a_pair_is_interrupted_and_has_no_claim_about_every_budget(three):
    data = PairDominance.of(three, "short", "long")
    for curve in (data.beats, data.equal, data.wins, data.lower, data.upper):
        assert np.isnan(curve).tolist() == [False, False, True, True]
    assert (data.always, data.never) == (None, None)
    assert plots.pair(three, "short", "long").axes[0].get_title() == ""
    assert PairDominance.of(three, "long", "last").always > 0.5


@pytest.mark.parametrize("dominance", ["pointwise", "joint"])
def test_the_matrix_has_dashes_for_pairs_that_were_not_observed_at_every_budget(three, dominance):
    data = DominanceMatrix.of(three, dominance=dominance)
    assert np.isnan(data.probability).tolist() == [[False, True, True], [True, False, False], [True, False, False]]
    texts = [text.get_text() for text, _ in texts_of(plots.dominance(three, dominance=dominance))]
    assert texts.count("–") == 4
    assert any("–: not observed at some budget" in text for text in texts)


def test_leads_end_with_the_data(two, three):
    ten, hundred = pytest.approx(10), pytest.approx(100)
    assert leads_of(two) == [("short", 1, ten), (None, hundred, 1000)]
    assert leads_of(three) == [("short", 1, ten), ("long", ten, 1000)]
    late = posterior_of([[[0.2, 0.8], [0.2, 0.8], [0.8, 0.2], [0.8, 0.2]]])
    late = replace(late, comparisons=np.array([[0, 5], [0, 5], [5, 5], [5, 5]]))
    assert leads_of(late) == [("B", 1, 3), ("A", 3, 4)]


def leads_of(posterior):
    return [(each.leader, each.start, each.stop) for each in DecisionBands.of(posterior).ranges]


def test_areas_have_a_step_where_an_algorithm_is_not_observed_any_more(three):
    data = DecisionBands.of(three)
    assert data.edge_budgets == pytest.approx([1, 10, 10, 100, 1000])
    np.testing.assert_array_equal(data.edges, data.probability_best[[0, 1, 2, 2, 3]])
    late = DecisionBands.of(replace(three, comparisons=three.comparisons[::-1]))
    assert late.edge_budgets == pytest.approx([1, 10, 100, 100, 1000])
    np.testing.assert_array_equal(late.edges, late.probability_best[[0, 1, 1, 2, 3]])


def test_the_decision_map_is_empty_where_nothing_was_compared(two):
    (axes,) = plots.decision_map(two).axes
    ends = [path.vertices[:, 0].max() for area in axes.collections for path in area.get_paths()]
    assert ends == pytest.approx([10] * len(ends))
    assert ends


def test_comparisons_are_drawn_per_algorithm_and_budget(three):
    data = ComparisonCounts.of(three)
    assert (data.names, data.instances) == (three.names, 20)
    axes, bar = plots.comparisons(three, unit="evaluations").axes
    (mesh,) = axes.collections
    shown = mesh.get_array().reshape(3, 4)
    assert shown.filled(0).tolist() == [[20, 20, 0, 0], [20] * 4, [20] * 4]
    assert shown.mask[0].tolist() == [False, False, True, True]
    assert axes.get_xlabel() == "evaluations"
    assert bar.get_xlabel() == "number of comparisons"


def test_comparisons_of_an_older_posterior_are_unknown():
    with pytest.raises(ValueError, match="expected a posterior that knows its number of comparisons"):
        plots.comparisons(replace(posterior_with(3), comparisons=None))


def test_a_budget_between_gaps_has_a_marker(three):
    comparisons = three.comparisons.copy()
    comparisons[0, 0] = 0
    (axes,) = plots.ratings(replace(three, comparisons=comparisons)).axes
    assert [line.get_markevery() for line in axes.lines if line.get_marker() == "o"] == [[1]]
