"""Figures show the truth, units, colours and decisions; equal ones give equal files, and invalid ones are refused."""

import subprocess
import sys
from typing import get_args

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

import polarbear as pb
from polarbear import plots
from tests.plots.legibility import FIVE, texts_of
from tests.plots.posteriors import posterior_with, race_with
from tests.selection.posteriors import crossing_at


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


@pytest.mark.parametrize(("never", "label"), [(0, "37.4"), (10, "37.4, if at all")])
def test_a_change_of_the_leader_has_the_number_of_its_sentence(never, label):
    """A leads B until 37.42, and in some of the 100 draws to the end."""
    ends = np.where(np.arange(100) < never, 150.0, 37.42)
    posterior = crossing_at(ends, pb.linear_grid(0, 100, 21))
    (change,) = pb.decision_map(posterior).leader_changes
    assert ("37.4" in change.sentence, "if it happens at all" in change.sentence) == (True, never > 0)
    assert label in [text.get_text() for text, _ in texts_of(plots.decision_map(posterior))]


def test_a_saved_figure_has_its_layout_and_later_changes(tmp_path):
    figure = plots.ratings(posterior_with(3))
    layout = figure.get_layout_engine()
    plots.save(figure, tmp_path / "a.svg")
    assert figure.get_layout_engine() is layout
    before = figure.axes[0].get_position().y1
    figure.axes[0].set_title("a title\nof two lines")
    plots.save(figure, tmp_path / "b.svg")
    assert figure.axes[0].get_position().y1 < before - 0.02  # there is room for the title


def test_every_figure_has_an_entry_and_a_function():
    assert set(plots.FIGURES) == set(get_args(plots.FigureName))
    assert all(callable(getattr(plots, name.replace("-", "_"))) for name in plots.FIGURES)


def test_a_race_supplies_the_defaults_of_its_figures():
    race = race_with(5, names=FIVE, rounds=2)
    bands = plots.draw_figure("decision-map", race.posterior, race, unit=None)
    assert bands.axes[0].get_xlabel() == race.state.settings.clock
    names = {text.get_text() for text, _ in texts_of(bands)} & set(FIVE)
    assert names <= set(race.kept)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rating", "expected a figure out of ratings, .* got 'rating'"),
        ("rounds", "expected a race for the figure rounds, got a posterior alone"),
        ("pair", "expected two names for the figure pair, got none; take two of A, B, C"),
        ("quality", "expected runs for the figure quality, got a posterior alone, which holds no values"),
    ],
)
def test_figures_that_cannot_be_drawn_are_refused(name, message):
    with pytest.raises(ValueError, match=message):
        plots.draw_figure(name, posterior_with(3))


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"figures need Matplotlib: pip install 'polarbear-anytime\[plots\]'"):
        plots.ratings(posterior_with(3))


def test_an_unknown_ending_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"expected a file that ends in .pdf, .svg or .png, got '.*x.jpg'"):
        plots.save(Figure(), tmp_path / "x.jpg")


def test_drawing_changes_no_global_setting():
    before = dict(mpl.rcParams)
    plots.ratings(posterior_with(3))
    assert dict(mpl.rcParams) == before


def test_the_budget_axis_follows_the_grid_or_the_option():
    log, even = posterior_with(3), posterior_with(3, grid=pb.linear_grid(0, 10, 12))

    def scale(posterior, **options):
        ax = Figure().add_subplot()
        plots.draw_ratings(ax, plots.RatingCurves.of(posterior), labelled=False, **options)
        return ax.get_xscale()

    assert (scale(log), scale(log, axis="linear"), scale(even)) == ("log", "linear", "linear")
    with pytest.raises(ValueError, match="expected budgets above 0 for a log axis, got a grid from 0"):
        plots.ratings(even, axis="log")
    with pytest.raises(ValueError, match="expected the axis 'linear' or 'log', got 'lin'"):
        plots.ratings(even, axis="lin")
    with pytest.raises(ValueError, match=r"expected a width of 2\.5 inches or more, got 0\.5"):
        plots.ratings(even, width=0.5)


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
    assert crosses == len(race.drops)
    diamonds = [line for line in ax.lines if line.get_marker() == "D"]
    assert sum(len(line.get_xdata()) for line in diamonds) == plots.DominanceEvolution.of(race).decided.sum()


def test_a_figure_can_be_drawn_into_other_axes():
    figure = Figure(figsize=(8, 3))
    left, right = figure.subplots(1, 2)
    plots.draw_ratings(left, plots.RatingCurves.of(posterior_with(3)), labelled=False)
    plots.draw_values(right, plots.PreferenceValues.of(posterior_with(3)))
    assert len(figure.axes) == 2


def test_the_axis_of_values_is_logarithmic_if_they_span_decades():
    def scale(factor):
        runs = [pb.Trajectory(name, i, [1, 10], [factor, 1.0 + i], end=10) for name in "ab" for i in range(9)]
        return plots.quality(runs, grid=[1, 10]).axes[0].get_yscale()

    assert (scale(1e4), scale(10.0), scale(-10.0)) == ("log", "linear", "linear")


def test_a_speed_up_is_drawn_with_its_bounds():
    """A reaches the quality of B at 10 after 5, and that of B at 100 not within its 300."""
    runs = [pb.Trajectory("A", i, [5], [1.0], end=300) for i in range(9)]
    runs += [pb.Trajectory("B", i, [10, 50], [2.0, 0.5], end=300) for i in range(9)]
    ax = plots.speed_up(runs, "A", "B", grid=[10, 20, 100]).axes[0]
    curve, marks = ax.lines[:2]
    np.testing.assert_allclose(curve.get_ydata(), [0.5, 0.25, np.nan])
    assert (marks.get_xdata().tolist(), marks.get_ydata().tolist()) == ([100.0], [pytest.approx(3.0)])
    assert ax.get_xlabel() == "budget of B"
    with pytest.raises(ValueError, match="expected instances that compare A and B at some budget, got none"):
        plots.speed_up([runs[0], replace_instance(runs[-1])], "A", "B", grid=[10, 20])


def test_gaps_are_drawn_with_their_tolerance_and_intervals():
    """A is better than B by 0 to 8 on nine instances, and unknown at 100."""
    runs = [pb.Trajectory("A", i, [1], [0.0], end=50) for i in range(9)]
    runs += [pb.Trajectory("B", i, [1], [float(i)], end=300) for i in range(9)]
    figure = plots.gap(runs, "A", "B", 5, grid=[10, 20, 100])
    ax = figure.axes[0]
    better, worse = ax.lines[:2]
    np.testing.assert_allclose(better.get_ydata(), [3 / 9, 3 / 9, np.nan])
    np.testing.assert_allclose(worse.get_ydata(), [0, 0, np.nan])
    found = pb.gap_exceeds(runs, "A", "B", 5, grid=[10, 20, 100])
    assert band_at(ax.collections[0], 10) == pytest.approx([found.better_lower[0], found.better_upper[0]])
    assert ax.get_title("left") == "better by more than 5\nbands: 95 % intervals"
    with pytest.raises(ValueError, match="expected instances with values of both A and B, got none"):
        plots.gap([runs[0], replace_instance(runs[-1])], "A", "B", grid=[10, 20])


def band_at(band, budget):
    """Return the lowest and the highest point of a band at a budget."""
    outline = band.get_paths()[0].vertices
    heights = outline[outline[:, 0] == budget, 1]
    return [heights.min(), heights.max()]


def test_the_interval_of_a_median_is_drawn_and_reaches_the_edge_where_it_has_no_end():
    """Values 0 to 14 on fifteen instances, and two instances of B, which do not bound its median."""
    runs = [pb.Trajectory("A", i, [1], [float(i)], end=300) for i in range(15)]
    runs += [pb.Trajectory("B", i, [1], [float(i)], end=300) for i in range(2)]
    ax = plots.quality(runs, grid=[10, 100]).axes[0]
    curves = pb.quality_curves(runs, grid=[10, 100])
    assert np.isinf([curves.lower[0, 1], curves.upper[0, 1]]).all()
    quartiles, interval, _, endless = ax.collections
    assert band_at(quartiles, 10) == pytest.approx([3.0, 11.0])
    assert band_at(interval, 10) == pytest.approx([curves.lower[0, 0], curves.upper[0, 0]])
    assert band_at(endless, 10) == pytest.approx(ax.get_ylim())
    assert ax.get_title("left") == "dark bands: 95 % intervals of the medians\nlight bands: quartiles"


def replace_instance(run):
    return pb.Trajectory(run.algorithm, 99, run.budgets, run.values, end=run.end)
