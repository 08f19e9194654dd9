"""Every figure with few and many algorithms, short and long names: nothing overlaps, is cut off, or becomes a formula."""

import subprocess
import sys
from itertools import combinations
from unittest.mock import patch

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

import polarbear as pb
from polarbear import plots
from polarbear.plots.lettering import short_names
from tests.plots.beliefs import posterior_with, race_with

CASES = [(2, 1), (2, 60), (5, 1), (5, 60), (20, 1), (20, 60)]
OF_A_POSTERIOR = {
    "ratings": plots.ratings,
    "values": plots.values,
    "dominance": plots.dominance,
    "pair": lambda posterior: plots.pair(posterior, *posterior.names[:2], unit="evaluations"),
    "decision_map": plots.decision_map,
}
OF_A_RACE = {
    "evolution": plots.evolution,
    "allocation": plots.allocation,
    "rounds": lambda race: plots.rounds(race, most=4),
    "forecast": plots.forecast,
}
FIVE = ("CSA", "MXNES", "TPA", "LPXNES", "random")
HOSTILE = ("$x_1$", "a_b^c", "two\nlines", r"\frac{1}{2}", "50% & $", "<script>", "tab\there", "‮reversed")


@pytest.fixture(scope="module")
def races():
    """A race of each size and length of names, made when it is first asked for."""
    made = {}

    def race(number, length):
        if (number, length) not in made:
            made[number, length] = race_with(number, length, rounds=2)
        return made[number, length]

    return race


def texts_of(figure):
    """All texts that are really drawn, with their boxes in pixels."""
    drawn, draw = [], Text.draw

    def noted(text, renderer):
        if text.get_visible() and text.get_text().strip():
            drawn.append(text)
        draw(text, renderer)

    with patch.object(Text, "draw", noted):
        FigureCanvasAgg(figure).draw()
    return [(text, text.get_window_extent()) for text in dict.fromkeys(drawn)]


def corners(text, box):
    """The corners of a text as it lies there, rotated where it is."""
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
    """Whether two convex shapes overlap by more than a pixel: no line between them (separating axis theorem)."""
    for shape in (first, second):
        for side in np.roll(shape, -1, axis=0) - shape:
            normal = np.array([-side[1], side[0]]) / np.hypot(*side)
            one, other = first @ normal, second @ normal
            if one.max() <= other.min() + 1 or other.max() <= one.min() + 1:
                return False
    return True


def assert_legible(figure):
    texts = texts_of(figure)
    assert texts
    page, axes = figure.bbox, figure.axes[0].bbox
    assert axes.width > 0.25 * page.width
    assert axes.height > 0.2 * page.height
    for text, box in texts:
        inside = box.x0 >= page.x0 - 1 and box.y0 >= page.y0 - 1 and box.x1 <= page.x1 + 1 and box.y1 <= page.y1 + 1
        assert inside, f"{text.get_text()!r} is cut off"
        assert text.get_fontsize() >= 7
    for (one, box), (other, its) in combinations(texts, 2):
        assert not overlap(corners(one, box), corners(other, its)), f"{one.get_text()!r} lies on {other.get_text()!r}"


@pytest.mark.parametrize(("number", "length"), CASES)
@pytest.mark.parametrize("figure", OF_A_POSTERIOR)
def test_figures_of_a_posterior_are_legible(figure, number, length):
    assert_legible(OF_A_POSTERIOR[figure](posterior_with(number, length)))


@pytest.mark.parametrize(("number", "length"), CASES)
@pytest.mark.parametrize("figure", OF_A_RACE)
def test_figures_of_a_race_are_legible(figure, number, length, races):
    assert_legible(OF_A_RACE[figure](races(number, length)))


@pytest.mark.parametrize("figure", ["ratings", "values", "dominance", "decision_map"])
def test_figures_of_a_column_are_legible(figure):
    assert_legible(getattr(plots, figure)(posterior_with(5, 6, names=FIVE), width=3.4))


@pytest.mark.parametrize("figure", ["evolution", "allocation", "rounds", "forecast"])
def test_figures_of_a_race_in_a_column_are_legible(figure):
    assert_legible(getattr(plots, figure)(race_with(5, names=FIVE, rounds=2), width=3.4))


@pytest.mark.parametrize("figure", [*OF_A_POSTERIOR, *OF_A_RACE])
def test_a_figure_stays_as_it_is_when_it_is_drawn_again(figure, races):
    of_a_race = figure in OF_A_RACE
    drawn = OF_A_RACE[figure](races(5, 1)) if of_a_race else OF_A_POSTERIOR[figure](posterior_with(5))
    before = [ax.get_position().bounds for ax in drawn.axes]
    for _ in range(3):
        drawn.draw_without_rendering()
    after = [ax.get_position().bounds for ax in drawn.axes]
    np.testing.assert_allclose(after, before, atol=0.005)  # of the figure: texts are measured anew each time


def test_the_truth_on_a_linear_axis_is_legible():
    posterior = posterior_with(5, 60)
    assert_legible(plots.ratings(posterior, axis="linear", truth=posterior.ratings[0]))


def test_the_checks_find_what_is_wrong():
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
    names = HOSTILE
    drawn = OF_A_POSTERIOR[figure](posterior_with(len(names), names=names, seed=1))
    _assert_literal(drawn, names)
    assert_legible(drawn)


@pytest.mark.parametrize("figure", OF_A_RACE)
def test_hostile_names_of_a_race_are_shown_as_text(figure):
    race = race_with(len(HOSTILE), names=HOSTILE, rounds=1, rope=0.0)
    drawn = OF_A_RACE[figure](race)
    _assert_literal(drawn, HOSTILE)
    assert_legible(drawn)


def _assert_literal(figure, names):
    short = short_names(names)
    seen = [text for text, _ in texts_of(figure) if any(name in text.get_text() for name in short.values())]
    assert seen
    for text in seen:
        assert text.get_parse_math() is False
        assert text.get_usetex() is False
        assert "\n" not in text.get_text() or "Round" in text.get_text() or " out" in text.get_text()


@pytest.mark.parametrize("ending", ["pdf", "svg", "png"])
def test_files_are_written_and_the_same_each_time(tmp_path, ending):
    first, second = (tmp_path / f"{k}.{ending}" for k in range(2))
    for path in (first, second):
        plots.save(plots.ratings(posterior_with(3)), path)
    beginning = {"pdf": b"%PDF", "svg": b"<?xml", "png": b"\x89PNG"}[ending]
    assert first.read_bytes().startswith(beginning)
    assert first.read_bytes() == second.read_bytes()


def test_data_steps_do_not_need_matplotlib():
    code = "import polarbear.plots, sys; print('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_without_matplotlib_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"figures need Matplotlib: pip install 'polarbear\[plots\]'"):
        plots.ratings(posterior_with(3))


def test_an_unknown_ending_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"expected a file that ends in .pdf, .svg or .png, got '.*x.jpg'"):
        plots.save(plots.ratings(posterior_with(3)), tmp_path / "x.jpg")


def test_nothing_global_changes():
    before = dict(mpl.rcParams)
    plots.ratings(posterior_with(3))
    assert dict(mpl.rcParams) == before


def test_the_time_axis_follows_the_grid_or_the_wish():
    log, even = posterior_with(3), posterior_with(3, grid=pb.linear_grid(0, 10, 12))
    assert plots.ratings(log).axes[0].get_xscale() == "log"
    assert plots.ratings(log, axis="linear").axes[0].get_xscale() == "linear"
    assert plots.ratings(even).axes[0].get_xscale() == "linear"
    with pytest.raises(ValueError, match="a log axis needs times above 0"):
        plots.ratings(even, axis="log")
    with pytest.raises(ValueError, match="expected the axis 'linear' or 'log', got 'lin'"):
        plots.ratings(even, axis="lin")
    with pytest.raises(ValueError, match=r"expected a width of 2\.5 inches or more, got 0\.5"):
        plots.ratings(even, width=0.5)


@pytest.mark.parametrize("figure", [*OF_A_POSTERIOR])
def test_a_single_time_can_be_drawn(figure):
    assert_legible(OF_A_POSTERIOR[figure](posterior_with(3, grid=pb.Grid([50.0]))))


def test_the_truth_is_dotted_in_the_colour_of_its_algorithm():
    posterior = posterior_with(3)
    ax = plots.ratings(posterior, truth=posterior.ratings[0]).axes[0]
    for column, colour in enumerate(plots.assign_colours(posterior.names).values()):
        mine = [line for line in ax.lines if line.get_color() == colour and len(line.get_xdata()) == 12]
        assert {line.is_dashed() for line in mine} == {False, True}
        [dotted] = [line for line in mine if line.is_dashed()]
        np.testing.assert_array_equal(dotted.get_ydata(), posterior.ratings[0][:, column])


def test_rounds_show_the_truth_and_the_unit_that_are_asked_for(races):
    race = races(5, 1)
    truth = race.posterior.ratings[0]
    panels = plots.rounds(race, most=2, truth=truth, unit="steps").axes
    assert len(panels) == 2
    for ax in panels:
        assert ax.get_xlabel() == "steps"
        for column in range(5):
            assert sum(np.array_equal(line.get_ydata(), truth[:, column]) for line in ax.lines) == 1


def test_an_algorithm_keeps_its_colour_whoever_is_shown_beside_it():
    posterior = posterior_with(5)
    whole, part = plots.ratings(posterior), plots.ratings(posterior, among=["D", "E"])
    by_name = [
        {text.get_text(): text.get_color() for text, _ in texts_of(figure) if text.get_text() in "DE"}
        for figure in (whole, part)
    ]
    assert by_name[0] == by_name[1] == {name: plots.assign_colours(posterior.names)[name] for name in "DE"}


def test_marks_of_the_evolution_are_where_something_was_decided(races):
    race = races(5, 1)
    ax = plots.evolution(race).axes[0]
    crosses = sum(len(line.get_xdata()) for line in ax.lines if line.get_marker() == "X")
    assert crosses == len(race.eliminations)
    diamonds = [line for line in ax.lines if line.get_marker() == "D"]
    assert sum(len(line.get_xdata()) for line in diamonds) == plots.DominanceEvolution.of(race).resolved.sum()


def test_a_drawing_goes_into_somebody_elses_axes():
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
