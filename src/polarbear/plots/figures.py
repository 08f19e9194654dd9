"""Whole figures: the data step, the drawing step and a page that fits them, in one call each.

Every function returns a `matplotlib.figure.Figure`; `save` writes it. Widths are in inches, heights follow from the content.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from polarbear.plots.decision_bands import DecisionBands, draw_decision_map
from polarbear.plots.decision_forecast import DecisionForecast, draw_forecast, draw_open_pairs
from polarbear.plots.dominance_evolution import DominanceEvolution, draw_evolution
from polarbear.plots.dominance_matrix import DominanceMatrix, draw_dominance
from polarbear.plots.end_labels import columns_below
from polarbear.plots.lettering import short_names
from polarbear.plots.pair_dominance import PairDominance, draw_pair
from polarbear.plots.preference_values import PreferenceValues, draw_values
from polarbear.plots.rating_curves import RatingCurves, draw_ratings
from polarbear.plots.round_panels import RoundPanels, draw_rounds
from polarbear.plots.sample_allocation import SampleAllocation, draw_allocation
from polarbear.plots.style import WIDTH_INCHES, empty_figure, new_figure, styled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

    from polarbear.observe.grid import Axis
    from polarbear.posterior.elimination import Elimination
    from polarbear.posterior.posterior import Posterior
    from polarbear.race.result import RaceResult
    from polarbear.selection import Preference

_LINE_INCHES = 0.14  # of a name in a list
_ROW_INCHES = 0.24  # of an algorithm that has a row
_LETTER_INCHES = 0.062
_PANEL_INCHES = 1.65  # for the title of a panel


def ratings(
    posterior: Posterior,
    *,
    among: Sequence[str] | None = None,
    level: float = 0.95,
    truth: ArrayLike | None = None,
    axis: Axis | None = None,
    unit: str = "time",
    width: float | None = None,
) -> Figure:
    """Draw the rating posterior over time: means, credible bands, and the truth, dotted, where it is known.

    Parameters
    ----------
    posterior
        The belief.
    among
        The algorithms to show, such as a race's Pareto set; all by default.
    level
        Of the bands.
    truth
        True ratings of all algorithms, shape (time, algorithm).
    axis
        "linear" or "log" time; the grid's own by default.
    unit
        What to write under the time axis.
    width
        In inches.

    Examples
    --------
    >>> import polarbear as pb
    >>> choices = pb.Choices.from_values([[[1.0, 2.0], [3.0, 1.0]]] * 5, grid=[10, 100], names=["cma", "rs"])
    >>> figure = pb.plots.ratings(pb.fit(choices, prior=pb.RandomWalk(), draws=200))
    >>> len(figure.axes)
    1
    """
    data = RatingCurves.of(posterior, among=among, level=level, truth=truth)
    with styled():
        figure, ax = new_figure(width, _listing(len(data.names)))
        draw_ratings(ax, data, axis=axis, unit=unit)
        return _settled(figure)


def evolution(result: RaceResult, *, width: float | None = None) -> Figure:
    """How surely each algorithm was dominated, round by round, and how much was decided."""
    data = DominanceEvolution.of(result)
    with styled():
        figure, ax = new_figure(width, _listing(len(data.names)) + _below(width, data.names))
        draw_evolution(ax, data)
        return _settled(figure)


def values(
    posterior: Posterior,
    preference: Preference | None = None,
    *,
    among: Sequence[str] | None = None,
    width: float | None = None,
) -> Figure:
    """The posterior over preference values, one distribution an algorithm."""
    data = PreferenceValues.of(posterior, preference, among=among)
    with styled():
        figure, ax = new_figure(width, _rows(len(data.names), 0.9, 0.3))
        draw_values(ax, data)
        return _settled(figure)


def allocation(result: RaceResult, *, axis: Axis | None = None, width: float | None = None) -> Figure:
    """On how many instances each algorithm was run, and until when."""
    data = SampleAllocation.of(result)
    with styled():
        figure, ax = new_figure(width, _rows(len(data.names), 1.0))
        draw_allocation(ax, data, axis=axis)
        return _settled(figure)


def dominance(posterior: Posterior, *, elimination: Elimination = "pointwise", width: float | None = None) -> Figure:
    """Draw the probability that each algorithm beats each other one on most instances.

    At its least certain time, or at all times at once if `elimination` is "joint".
    """
    data = DominanceMatrix.of(posterior, elimination=elimination)
    with styled():
        wide = width or min(WIDTH_INCHES, 3.0 + 0.35 * len(data.names))
        figure, ax = new_figure(wide, 0.85 * wide)
        draw_dominance(ax, data)
        return _settled(figure)


def pair(
    posterior: Posterior,
    first: str,
    second: str,
    *,
    rope: float = 0.05,
    axis: Axis | None = None,
    unit: str = "time",
    width: float | None = None,
) -> Figure:
    """Draw the probability that one algorithm beats another on most instances, over time."""
    data = PairDominance.of(posterior, first, second, rope=rope)
    with styled():
        figure, ax = new_figure(width, 2.4)
        draw_pair(ax, data, axis=axis, unit=unit)
        return _settled(figure)


def decision_map(
    posterior: Posterior,
    *,
    among: Sequence[str] | None = None,
    axis: Axis | None = None,
    unit: str = "time",
    width: float | None = None,
) -> Figure:
    """Draw which algorithm comes first most often at each budget, how certain that is, and where the leader changes."""
    data = DecisionBands.of(posterior, among=among)
    with styled():
        figure, ax = new_figure(width, 3.0 + min(0.7, _below(width, data.names)))  # most names stand in their areas
        draw_decision_map(ax, data, axis=axis, unit=unit)
        return _settled(figure)


def rounds(
    result: RaceResult,
    *,
    numbers: Sequence[int] | None = None,
    most: int = 6,
    level: float = 0.95,
    truth: ArrayLike | None = None,
    axis: Axis | None = None,
    unit: str | None = None,
    width: float | None = None,
) -> Figure:
    """The rating posterior after the rounds in which something was decided; it is inferred again for each of them.

    Parameters
    ----------
    result
        Of the race.
    numbers, most
        Which rounds, by default those that tell the story, and how many of them at most.
    level, truth, axis, width
        See `ratings`.
    unit
        What to write under the time axis; the race's own by default.
    """
    data = RoundPanels.of(result, rounds=numbers, most=most, level=level, truth=truth)
    unit = result.state.settings.clock if unit is None else unit
    with styled():
        down = -(-len(data.panels) // _across(width, data.everybody))
        across = -(-len(data.panels) // down)
        figure = empty_figure(width, max(0.4 + 1.9 * down, 0.4 + _LINE_INCHES * len(data.everybody)))
        places = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False).ravel().tolist()
        used, spare = places[: len(data.panels)], places[len(data.panels) :]
        draw_rounds(used, data, axis=axis, unit=unit)
        for ax in used[-across:]:  # below some there is no other
            ax.tick_params(labelbottom=True)
            ax.set_xlabel(unit)
        for ax in spare:
            ax.remove()
        return _settled(figure)


def forecast(result: RaceResult, *, most: int = 12, width: float | None = None) -> Figure:
    """By how many instances the open pairs should be decided, if what the race believes now is right."""
    data = DecisionForecast.of(result)
    with styled():
        shown = min(most, len(data.open_pairs))
        if not shown:
            figure, ax = new_figure(width, 2.2)
            draw_forecast(ax, data)
            return _settled(figure)
        figure = empty_figure(width, 2.4 + 0.18 * shown)
        top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=[1.6, 0.4 + 0.18 * shown])
        draw_forecast(top, data)
        draw_open_pairs(bottom, data, most=most)
        top.set_xlabel("")
        return _settled(figure)


def _listing(names: int) -> float:
    """Inches of height that a list of names beside the axes needs."""
    return max(3.0, 0.7 + _LINE_INCHES * names)


def _below(width: float | None, names: Sequence[str]) -> float:
    """Inches of height for a list of names below the axes, where the figure is too narrow for one beside them."""
    columns = columns_below(width or WIDTH_INCHES, list(short_names(names).values()))
    return 0.0 if columns is None else _LINE_INCHES * (2 + len(names) // columns)


def _across(width: float | None, names: Sequence[str]) -> int:
    """How many panels fit side by side: their titles need room, and the list of names beside them takes some."""
    longest = max(map(len, short_names(names).values()))
    room = (width or WIDTH_INCHES) - 0.6 - (0.5 + _LETTER_INCHES * longest)
    return int(min(3, max(1, room // _PANEL_INCHES)))


def _rows(names: int, besides: float, each: float = _ROW_INCHES) -> float:
    return besides + each * max(names, 3)


def _settled(figure: Figure) -> Figure:
    """The figure with its layout and ticks made, while the style is on."""
    figure.draw_without_rendering()
    return figure
