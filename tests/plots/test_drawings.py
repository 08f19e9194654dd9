"""Every figure with few and many algorithms, short and long names: nothing overlaps, is cut off, or becomes a formula."""

import subprocess
import sys
from functools import cache
from itertools import combinations
from typing import get_args
from unittest.mock import patch

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

import polarbear as pb
from polarbear import plots
from polarbear.plots.lettering import short_names
from tests.plots.posteriors import posterior_with, race_with

OF_A_POSTERIOR = [name for name, entry in plots.FIGURES.items() if entry.needs == "posterior"]
OF_A_RACE = [name for name, entry in plots.FIGURES.items() if entry.needs == "race"]
FIVE = ("CSA", "MXNES", "TPA", "LPXNES", "random")
HOSTILE = ("$x_1$", "a_b^c", "two\nlines", r"\frac{1}{2}", "50% & $", "<script>", "tab\there", "‮reversed")


def of_posterior(name, posterior, **options):
    return plots.draw_figure(name, posterior, pair=posterior.names[:2], **options)


@cache
def figure_of_five(name):
    """Return a figure of five algorithms with short names, drawn once for several tests."""
    if plots.FIGURES[name].needs == "race":
        return of_race(name, race_with(5, names=FIVE, rounds=2))
    return of_posterior(name, posterior_with(5, names=FIVE))


def of_race(name, race, **options):
    return plots.draw_figure(name, race.posterior, race, most=4 if name == "rounds" else None, **options)


def texts_of(figure):
    """Return all texts that are drawn, with their boxes in pixels."""
    drawn, draw = [], Text.draw

    def record(text, renderer):
        if text.get_visible() and text.get_text().strip():
            drawn.append(text)
        draw(text, renderer)

    with patch.object(Text, "draw", record):
        figure.draw_without_rendering()
    return [(text, text.get_window_extent()) for text in dict.fromkeys(drawn)]


def corners(text, box):
    """Return the corners of a text, rotated as it is drawn."""
    if text.get_rotation() % 90 == 0:
        return np.array([[box.x0, box.y0], [box.x1, box.y0], [box.x1, box.y1], [box.x0, box.y1]])
    angle = np.deg2rad(text.get_rotation())
    flat = text.get_rotation()
    text.set_rotation(0)
    level = text.get_window_extent()
    text.set_rotation(flat)
    x, y = text.get_transform().transform(text.get_position())
    along, up = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    start = np.array([x, y])
    return np.array(
        [start, start + along * level.width, start + along * level.width + up * level.height, start + up * level.height]
    )


def overlap(first, second):
    """Return whether two convex shapes overlap by more than a pixel: no line separates them (separating axis theorem)."""
    if (first.max(axis=0) <= second.min(axis=0) + 1).any() or (second.max(axis=0) <= first.min(axis=0) + 1).any():
        return False
    for shape in (first, second):
        for side in np.roll(shape, -1, axis=0) - shape:
            normal = np.array([-side[1], side[0]]) / np.hypot(*side)
            one, other = first @ normal, second @ normal
            if one.max() <= other.min() + 1 or other.max() <= one.min() + 1:
                return False
    return True


def assert_legible(figure):
    """Check that no text overlaps another one, is cut off or is too small; return the texts."""
    texts = texts_of(figure)
    assert texts
    page, axes = figure.bbox, figure.axes[0].bbox
    assert axes.width > 0.25 * page.width
    assert axes.height > 0.2 * page.height
    for text, box in texts:
        inside = box.x0 >= page.x0 - 1 and box.y0 >= page.y0 - 1 and box.x1 <= page.x1 + 1 and box.y1 <= page.y1 + 1
        assert inside, f"{text.get_text()!r} is cut off"
        assert text.get_fontsize() >= 7
    shapes = [(text.get_text(), corners(text, box)) for text, box in texts]
    for (one, shape), (other, its_shape) in combinations(shapes, 2):
        assert not overlap(shape, its_shape), f"{one!r} lies on {other!r}"
    return [text for text, _ in texts]


@pytest.mark.parametrize("figure", plots.FIGURES)
def test_figures_of_five_algorithms_are_legible(figure):
    assert_legible(figure_of_five(figure))


@pytest.mark.parametrize(("number", "length"), [(2, 1), (5, 60), (20, 60)])
@pytest.mark.parametrize("figure", OF_A_POSTERIOR)
def test_figures_of_a_posterior_are_legible(figure, number, length):
    assert_legible(of_posterior(figure, posterior_with(number, length)))


@pytest.mark.parametrize(("number", "length"), [(2, 1), (20, 60)])
@pytest.mark.parametrize("figure", OF_A_RACE)
def test_figures_of_a_race_are_legible(figure, number, length):
    assert_legible(of_race(figure, race_with(number, length, rounds=2)))


@pytest.mark.parametrize("figure", [name for name in OF_A_POSTERIOR if name != "pair"])
def test_figures_of_a_column_are_legible(figure):
    assert_legible(of_posterior(figure, posterior_with(5, 6, names=FIVE), width=3.4))


@pytest.mark.parametrize("figure", OF_A_RACE)
def test_figures_of_a_race_in_a_column_are_legible(figure):
    assert_legible(of_race(figure, race_with(5, names=FIVE, rounds=2), width=3.4))


@pytest.mark.parametrize("figure", plots.FIGURES)
def test_drawing_a_figure_again_does_not_change_it(figure):
    drawn = figure_of_five(figure)
    before = [ax.get_position().bounds for ax in drawn.axes]
    for _ in range(2):
        drawn.draw_without_rendering()
    after = [ax.get_position().bounds for ax in drawn.axes]
    np.testing.assert_allclose(after, before, atol=0.005)  # of the figure: texts are measured anew each time


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
    drawn = of_race(figure, race_with(len(HOSTILE), names=HOSTILE, rounds=1, rope=0.0))
    assert_literal(assert_legible(drawn), HOSTILE)


def assert_literal(texts, names):
    short = short_names(names)
    with_names = [text for text in texts if any(name in text.get_text() for name in short.values())]
    assert with_names
    for text in with_names:
        assert text.get_parse_math() is False
        assert text.get_usetex() is False
        assert "\n" not in text.get_text() or "Round" in text.get_text()


def test_equal_figures_give_equal_files(tmp_path):
    figures = [plots.ratings(posterior_with(3)) for _ in range(2)]
    for ending, beginning in {"pdf": b"%PDF", "svg": b"<?xml", "png": b"\x89PNG"}.items():
        first, second = (tmp_path / f"{k}.{ending}" for k in range(2))
        plots.save(figures[0], first)
        plots.save(figures[1], second)
        assert first.read_bytes().startswith(beginning)
        assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize(
    ("code", "module"),
    [("from polarbear.plots import *", "matplotlib"), ("import polarbear.plots.registry", "numpy")],
    ids=["data steps", "registry"],
)
def test_heavy_modules_are_imported_only_when_needed(code, module):
    code = f"{code}; import sys; print({module!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_every_figure_has_an_entry_and_a_function():
    assert set(plots.FIGURES) == set(get_args(plots.FigureName))
    assert all(callable(getattr(plots, name.replace("-", "_"))) for name in plots.FIGURES)


def test_a_race_supplies_the_defaults_of_its_figures():
    race = race_with(5, names=FIVE, rounds=2)
    bands = plots.draw_figure("decision-map", race.posterior, race, unit=None)
    assert bands.axes[0].get_xlabel() == race.state.settings.clock
    names = {text.get_text() for text, _ in texts_of(bands)} & set(FIVE)
    assert names <= set(race.pareto_set)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rating", "expected a figure out of ratings, .* got 'rating'"),
        ("rounds", "expected a race for the figure rounds, got a posterior alone"),
        ("pair", "expected two names for the figure pair, got none; take two of A, B, C"),
    ],
)
def test_figures_that_cannot_be_drawn_are_refused(name, message):
    with pytest.raises(ValueError, match=message):
        plots.draw_figure(name, posterior_with(3))


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"figures need Matplotlib: pip install 'polarbear\[plots\]'"):
        plots.ratings(posterior_with(3))


def test_an_unknown_ending_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"expected a file that ends in .pdf, .svg or .png, got '.*x.jpg'"):
        plots.save(Figure(), tmp_path / "x.jpg")


def test_drawing_changes_no_global_setting():
    before = dict(mpl.rcParams)
    plots.ratings(posterior_with(3))
    assert dict(mpl.rcParams) == before


def test_the_time_axis_follows_the_grid_or_the_option():
    log, even = posterior_with(3), posterior_with(3, grid=pb.linear_grid(0, 10, 12))

    def scale(posterior, **options):
        ax = Figure().add_subplot()
        plots.draw_ratings(ax, plots.RatingCurves.of(posterior), labelled=False, **options)
        return ax.get_xscale()

    assert (scale(log), scale(log, axis="linear"), scale(even)) == ("log", "linear", "linear")
    with pytest.raises(ValueError, match="expected times above 0 for a log axis, got a grid from 0"):
        plots.ratings(even, axis="log")
    with pytest.raises(ValueError, match="expected the axis 'linear' or 'log', got 'lin'"):
        plots.ratings(even, axis="lin")
    with pytest.raises(ValueError, match=r"expected a width of 2\.5 inches or more, got 0\.5"):
        plots.ratings(even, width=0.5)


@pytest.mark.parametrize("figure", OF_A_POSTERIOR)
def test_a_single_time_can_be_drawn(figure):
    assert_legible(of_posterior(figure, posterior_with(3, grid=pb.Grid([50.0]))))


def test_the_truth_is_dotted_in_the_colour_of_its_algorithm():
    posterior = posterior_with(3)
    ax = plots.ratings(posterior, truth=posterior.ratings[0]).axes[0]
    for column, colour in enumerate(plots.assign_colours(posterior.names).values()):
        mine = [line for line in ax.lines if line.get_color() == colour and len(line.get_xdata()) == 12]
        assert {line.is_dashed() for line in mine} == {False, True}
        [dotted] = [line for line in mine if line.is_dashed()]
        np.testing.assert_array_equal(dotted.get_ydata(), posterior.ratings[0][:, column])


def test_rounds_show_the_truth_and_the_unit():
    race = race_with(5, names=FIVE, rounds=2)
    truth = race.posterior.ratings[0]
    panels = plots.rounds(race, most=2, truth=truth, unit="steps").axes
    assert len(panels) == 2
    for ax in panels:
        assert ax.get_xlabel() == "steps"
        for column in range(5):
            assert sum(np.array_equal(line.get_ydata(), truth[:, column]) for line in ax.lines) == 1


def test_an_algorithm_keeps_its_colour_whichever_others_are_shown():
    posterior = posterior_with(5)
    whole, part = plots.ratings(posterior), plots.ratings(posterior, among=["D", "E"])
    by_name = [
        {text.get_text(): text.get_color() for text in figure.axes[0].texts if text.get_text() in "DE"}
        for figure in (whole, part)
    ]
    assert by_name[0] == by_name[1] == {name: plots.assign_colours(posterior.names)[name] for name in "DE"}


def test_the_evolution_marks_every_decision():
    race = race_with(5, names=FIVE, rounds=2)
    ax = plots.evolution(race).axes[0]
    crosses = sum(len(line.get_xdata()) for line in ax.lines if line.get_marker() == "X")
    assert crosses == len(race.eliminations)
    diamonds = [line for line in ax.lines if line.get_marker() == "D"]
    assert sum(len(line.get_xdata()) for line in diamonds) == plots.DominanceEvolution.of(race).resolved.sum()


def test_a_figure_can_be_drawn_into_other_axes():
    figure = Figure(figsize=(8, 3))
    left, right = figure.subplots(1, 2)
    plots.draw_ratings(left, plots.RatingCurves.of(posterior_with(3)), labelled=False)
    plots.draw_values(right, plots.PreferenceValues.of(posterior_with(3)))
    assert len(figure.axes) == 2


def test_without_room_for_labels_there_is_a_list():
    figure = Figure(figsize=(4, 1.2))
    ax = figure.add_subplot()
    plots.draw_ratings(ax, plots.RatingCurves.of(posterior_with(20)))
    assert len(ax.get_legend().get_texts()) == 20
