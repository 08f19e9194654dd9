"""Every figure is legible with few and many algorithms: no text overlaps, is cut off, or becomes a formula."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import polarbear as pb
from polarbear import plots
from polarbear.plots.lettering import short_names
from tests.plots.legibility import (
    FIVE,
    OF_A_POSTERIOR,
    OF_A_RACE,
    assert_legible,
    figure_of_five,
    figure_of_tree,
    of_posterior,
    of_race,
)
from tests.plots.posteriors import posterior_with, race_with

HOSTILE = ("$x_1$", "a_b^c", "two\nlines", r"\frac{1}{2}", "50% & $", "<script>", "tab\there", "‮reversed")


@pytest.mark.parametrize("figure", plots.FIGURES)
def test_figures_of_five_algorithms_are_legible_and_stay_as_they_are(figure):
    drawn = figure_of_five(figure)
    before = [ax.get_position().bounds for ax in drawn.axes]
    assert_legible(drawn)
    with plots.styled():
        drawn.draw_without_rendering()  # lays it out once more
    after = [ax.get_position().bounds for ax in drawn.axes]
    np.testing.assert_allclose(after, before, atol=0.005)  # of the figure: texts are measured anew each time


@pytest.mark.parametrize("number", [20])
@pytest.mark.parametrize("figure", OF_A_POSTERIOR)
def test_figures_of_algorithms_with_long_names_are_legible(figure, number):
    assert_legible(of_posterior(figure, posterior_with(number, 60)))


@pytest.mark.parametrize(("number", "length"), [pytest.param(2, 1, marks=pytest.mark.calibration), (20, 60)])
@pytest.mark.parametrize("figure", OF_A_RACE)
def test_figures_of_a_race_are_legible(figure, number, length):
    assert_legible(of_race(figure, race_with(number, length, rounds=2)))


@pytest.mark.parametrize("figure", [name for name in OF_A_POSTERIOR if name != "pair"])
def test_figures_of_a_column_are_legible(figure):
    assert_legible(of_posterior(figure, posterior_with(5, 6, names=FIVE), width=3.4))


@pytest.mark.calibration
@pytest.mark.parametrize("figure", [name for name in OF_A_RACE if name != "speed-up"])
def test_figures_of_a_race_in_a_column_are_legible(figure):
    assert_legible(of_race(figure, race_with(5, names=FIVE, rounds=2), width=3.4))


@pytest.mark.parametrize("width", [None, 3.4])
def test_a_tree_with_hostile_names_is_legible(width):
    """Names of algorithms and features appear literally, and are left out or shortened where there is no room."""
    drawn = figure_of_tree(HOSTILE, feature="$a_1$ " + "long " * 12, width=width)
    texts = assert_legible(drawn)
    assert_literal(texts, HOSTILE)
    written = [text.get_text() for text in texts]
    assert sum("… (10)" in text and text.startswith("$a_1$") for text in written) == 3
    assert not any(text.get_parse_math() for text in texts if "$a_1$" in text.get_text())


def test_the_truth_on_a_linear_axis_is_legible():
    posterior = posterior_with(5, 60)
    assert_legible(plots.ratings(posterior, axis="linear", truth=posterior.ratings[0]))


def test_the_checks_detect_overlap_and_cut_off_text():
    figure = Figure(figsize=(3, 2), layout="constrained")
    ax = figure.add_subplot()
    ax.text(0.5, 0.5, "one")
    ax.text(0.52, 0.5, "other")
    with pytest.raises(AssertionError, match="'one' lies on 'other'"):
        assert_legible(figure)
    figure = Figure(figsize=(3, 2), layout="none")
    figure.add_axes((0.3, 0.3, 0.6, 0.6)).text(0.9, 0.5, "a long text")
    with pytest.raises(AssertionError, match="'a long text' is cut off"):
        assert_legible(figure)


@pytest.mark.parametrize("figure", OF_A_POSTERIOR)
def test_hostile_names_are_shown_as_text(figure):
    drawn = of_posterior(figure, posterior_with(len(HOSTILE), names=HOSTILE, seed=1))
    assert_literal(assert_legible(drawn), HOSTILE)


@pytest.mark.parametrize("figure", OF_A_RACE)
def test_hostile_names_of_a_race_are_shown_as_text(figure):
    drawn = of_race(figure, race_with(len(HOSTILE), names=HOSTILE, rounds=1, margin=0.0))
    assert_literal(assert_legible(drawn), HOSTILE)


def test_a_name_has_the_same_form_in_all_figures():
    names = (*(f"an algorithm whose long name ends in a number: {k}" for k in (1, 2, 3, 44)), "an algorithm")
    race = race_with(5, names=names, rounds=2, margin=0.0)
    written = set(short_names(names).values())
    (values,) = plots.values(race.posterior, among=names[1:3]).axes
    forecast = plots.forecast(race).axes[1]
    assert {label.get_text() for label in values.get_yticklabels()} < written
    assert {name for label in forecast.get_yticklabels() for name in label.get_text().split(" –\n")} <= written
    for figure in (plots.rounds(race, most=1), plots.evolution(race)):
        legend = figure.legends[0] if figure.legends else figure.axes[-1].get_legend()
        assert [text.get_text().split(", ")[0] for text in legend.get_texts()] == list(short_names(names).values())


def assert_literal(texts, names):
    short = short_names(names)
    with_names = [text for text in texts if any(name in text.get_text() for name in short.values())]
    assert with_names
    for text in with_names:
        assert text.get_parse_math() is False
        assert text.get_usetex() is False
        assert "\n" not in text.get_text() or "Round" in text.get_text()


@pytest.mark.parametrize("figure", OF_A_POSTERIOR)
def test_a_single_budget_of_two_algorithms_can_be_drawn(figure):
    assert_legible(of_posterior(figure, posterior_with(2, grid=pb.Grid([50.0]))))


def test_without_room_for_labels_there_is_a_list():
    figure = Figure(figsize=(4, 1.2))
    ax = figure.add_subplot()
    plots.draw_ratings(ax, plots.RatingCurves.of(posterior_with(20)))
    assert len(ax.get_legend().get_texts()) == 20
