"""Complete figures: each function runs the data step and the drawing step on a page of fitting size.

Every function returns a `matplotlib.figure.Figure`; `save` writes it. Widths are in inches, and heights follow from the
content. The functions have the names of `registry.FIGURES`, by which `draw_figure` finds them. The file is long because it
has one documented function per figure.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from polarbear.magnitude.collection import collect_runs
from polarbear.magnitude.quality import quality_curves
from polarbear.magnitude.speed_up import speed_up as measure
from polarbear.plots.budget_ratio import draw_speed_up
from polarbear.plots.comparison_counts import ComparisonCounts, draw_comparisons
from polarbear.plots.decision_bands import DecisionBands, draw_decision_map
from polarbear.plots.decision_forecast import DecisionForecast, draw_forecast, draw_open_pairs, pair_labels
from polarbear.plots.dominance_evolution import DominanceEvolution, draw_evolution
from polarbear.plots.dominance_matrix import DominanceMatrix, draw_dominance
from polarbear.plots.end_labels import columns_below
from polarbear.plots.group_panels import draw_panels, group_data, shared_list
from polarbear.plots.lettering import disable_math, short_names
from polarbear.plots.pair_dominance import PairDominance, draw_pair
from polarbear.plots.preference_values import PreferenceValues, draw_values
from polarbear.plots.quality_over_time import draw_quality
from polarbear.plots.rating_curves import RatingCurves, draw_ratings
from polarbear.plots.registry import FIGURES
from polarbear.plots.round_panels import RoundPanels, draw_rounds
from polarbear.plots.sample_allocation import SampleAllocation, draw_allocation
from polarbear.plots.style import WIDTH_INCHES, empty_figure, lay_out, new_figure, styled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

    from polarbear.literals import Axis, Elimination
    from polarbear.magnitude.collection import RunCollection, Source
    from polarbear.plots.registry import FigureName
    from polarbear.posterior.posterior import Posterior
    from polarbear.race.result import RaceResult
    from polarbear.selection import Preference

_LINE_INCHES = 0.14  # height of a name in a list
_ROW_INCHES = 0.24  # height of the row of an algorithm
_LETTER_INCHES = 0.062
_PANEL_INCHES = 1.65  # width that the title of a panel needs


def draw_figure(
    name: FigureName,
    posterior: Posterior | None,
    result: RaceResult | None = None,
    *,
    runs: RunCollection | None = None,
    pair: tuple[str, str] | None = None,
    **options: Any,
) -> Figure:
    """Draw the figure of a name in `FIGURES`, with defaults from the race if there is one.

    A race supplies its unit of time, its elimination rule and, for the decision map, its candidates.

    Parameters
    ----------
    name
        The name of the figure.
    posterior, result
        The posterior, and the result of the race if there is one. A figure that needs a race takes it alone.
    runs
        The runs with their values, for the figures that need them; by default those of the race.
    pair
        The two algorithms of the figures "pair" and "speed-up".
    **options
        Options such as `width`. None stands for the default, and a figure ignores options that it does not have.
    """
    if name not in FIGURES:
        raise ValueError(f"expected a figure out of {', '.join(FIGURES)}, got {name!r}")
    source: Posterior | RaceResult | RunCollection | None = posterior
    defaults: dict[str, Any] = {}
    if result is not None:
        defaults = {"unit": result.state.settings.clock, "elimination": result.state.settings.elimination}
        if name == "decision-map" and posterior is not None:  # an added candidate may not have run yet
            defaults["among"] = [each for each in result.pareto_set if each in posterior.names]
    if FIGURES[name].needs == "race":
        if result is None:
            raise ValueError(f"expected a race for the figure {name}, got a posterior alone; draw another figure")
        source = result
    elif FIGURES[name].needs == "runs":
        if runs is None and result is not None:
            runs = collect_runs(result, posterior=posterior)
        if runs is None:
            raise ValueError(
                f"expected runs for the figure {name}, got a posterior alone, which holds no values; give runs= or the "
                "result of a race"
            )
        source = runs
    elif posterior is None:
        raise ValueError(f"expected a posterior for the figure {name}, got none; pass result.posterior")
    if FIGURES[name].pair and posterior is not None:
        if pair is None:
            raise ValueError(
                f"expected two names for the figure {name}, got none; take two of {', '.join(posterior.names)}"
            )
        options |= {"first": pair[0], "second": pair[1]}
    function = globals()[name.replace("-", "_")]
    given = defaults | {option: value for option, value in options.items() if value is not None}
    accepted = inspect.signature(function).parameters
    figure: Figure = function(source, **{option: value for option, value in given.items() if option in accepted})
    return figure


def by_group(
    name: FigureName,
    posteriors: Mapping[str, Posterior],
    *,
    among: Sequence[str] | None = None,
    preference: Preference | None = None,
    axis: Axis | None = None,
    unit: str = "time",
    width: float | None = None,
) -> Figure:
    """Draw one figure with a panel for each of several posteriors, such as that of all runs and that of each function.

    Parameters
    ----------
    name
        "ratings", "decision-map" or "values": the figures with `FIGURES[name].panels`.
    posteriors
        The posterior of each panel, by its title. The first has all algorithms, whose order determines the colours.
    among
        The algorithms to show; all by default. A panel leaves out those that its group does not have.
    preference
        The preference over budgets of the figure "values".
    axis, unit, width
        See `ratings`.

    Examples
    --------
    >>> import polarbear as pb
    >>> values = {"smooth": [[[1.0, 2.0], [3.0, 1.0]]] * 5, "rough": [[[2.0, 1.0], [1.0, 3.0]]] * 5}
    >>> groups = {
    ...     name: pb.fit(pb.Choices.from_values(each, grid=[10, 100], names=["cma", "rs"]), draws=200)
    ...     for name, each in values.items()
    ... }
    >>> len(pb.plots.by_group("decision-map", groups).axes)
    2
    """
    panels = group_data(name, posteriors, among=among, preference=preference)
    with styled():
        names = next(iter(posteriors.values())).names if among is None else tuple(among)
        handles = shared_list(panels)
        columns = columns_below(width or WIDTH_INCHES, list(handles)) if handles else None
        each = _height_of_rows(len(names), 0.7, 0.3) if name == "values" else 1.9
        if name == "values":  # each panel has a list of names and a column of probabilities
            longest = max(map(len, short_names(names).values()))
            across = 2 if (width or WIDTH_INCHES) / 2 - _LETTER_INCHES * longest - 0.6 >= _PANEL_INCHES else 1
        else:
            across = _panels_across(width, list(handles) if columns is None else [])
        down = -(-len(panels) // across)
        across = -(-len(panels) // down)
        listed = _LINE_INCHES * len(handles) / (columns or 1)
        figure = empty_figure(width, 0.4 + (max(each * down, listed) if columns is None else each * down + listed))
        shared = name != "values"
        places = figure.subplots(down, across, sharex=shared, sharey=shared, squeeze=False).ravel().tolist()
        used, spare = places[: len(panels)], places[len(panels) :]
        draw_panels(used, panels, axis=axis, unit=unit)
        drawn = [ax for ax in used if ax.axison]
        below = drawn[0].get_xlabel() if drawn else ""
        figure.supylabel(drawn[0].get_ylabel() if drawn else "", fontsize="medium")
        if columns is None:
            figure.supxlabel(below, fontsize="medium")
        for ax in drawn:
            ax.set(xlabel="", ylabel="")
            if shared:
                ax.label_outer()
        for ax in used[-across:]:  # no panel lies below these
            ax.tick_params(labelbottom=True)
            if columns is not None:  # a common label would lie on the list
                ax.set_xlabel(below)
        for ax in spare:
            ax.remove()
        if handles:
            legend = figure.legend(
                list(handles.values()),
                list(handles),
                loc="outside right upper" if columns is None else "outside lower left",
                ncols=columns or 1,
            )
            for text in legend.get_texts():
                disable_math(text)
        return _settle(figure)


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
    """Draw the ratings over time: means, credible bands and, if known, the true ratings as dotted lines.

    Parameters
    ----------
    posterior
        Draws of ratings over time.
    among
        The algorithms to show, such as the Pareto set of a race; all by default.
    level
        The level of the credible bands.
    truth
        True ratings of all algorithms, shape (time, algorithm).
    axis
        "linear" or "log" time; the axis of the grid by default.
    unit
        The label of the time axis.
    width
        The width of the figure in inches.

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
        figure, ax = new_figure(width, _list_height(len(data.names)))
        draw_ratings(ax, data, axis=axis, unit=unit)
        return _settle(figure)


def evolution(result: RaceResult, *, width: float | None = None) -> Figure:
    """Draw the probability that each algorithm is dominated, and the share of decided pairs, over the rounds of a race."""
    data = DominanceEvolution.of(result)
    with styled():
        figure, ax = new_figure(width, _list_height(len(data.names)) + _height_below(width, data.names))
        draw_evolution(ax, data)
        return _settle(figure)


def values(
    posterior: Posterior,
    preference: Preference | None = None,
    *,
    among: Sequence[str] | None = None,
    width: float | None = None,
) -> Figure:
    """Draw the posterior of preference values, one distribution per algorithm."""
    data = PreferenceValues.of(posterior, preference, among=among)
    with styled():
        figure, ax = new_figure(width, _height_of_rows(len(data.names), 0.9, 0.3))
        draw_values(ax, data)
        return _settle(figure)


def allocation(result: RaceResult, *, axis: Axis | None = None, width: float | None = None) -> Figure:
    """Draw the number of instances on which each algorithm ran, over time."""
    data = SampleAllocation.of(result)
    with styled():
        figure, ax = new_figure(width, _height_of_rows(len(data.names), 1.0))
        draw_allocation(ax, data, axis=axis)
        return _settle(figure)


def comparisons(
    posterior: Posterior, *, axis: Axis | None = None, unit: str = "time", width: float | None = None
) -> Figure:
    """Draw the number of comparisons: on how many instances each algorithm was observed together with another one."""
    data = ComparisonCounts.of(posterior)
    with styled():
        figure, ax = new_figure(width, _height_of_rows(len(data.names), 1.0))
        draw_comparisons(ax, data, axis=axis, unit=unit)
        return _settle(figure)


def dominance(posterior: Posterior, *, elimination: Elimination = "pointwise", width: float | None = None) -> Figure:
    """Draw the probability that each algorithm beats each other one on most instances.

    The probability is the one at the least certain time, or jointly at all times if `elimination` is "joint".
    """
    data = DominanceMatrix.of(posterior, elimination=elimination)
    with styled():
        wide = width or min(WIDTH_INCHES, 3.0 + 0.35 * len(data.names))
        figure, ax = new_figure(wide, 0.85 * wide)
        draw_dominance(ax, data)
        return _settle(figure)


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
        return _settle(figure)


def decision_map(
    posterior: Posterior,
    *,
    among: Sequence[str] | None = None,
    axis: Axis | None = None,
    unit: str = "time",
    width: float | None = None,
) -> Figure:
    """Draw the decision map: the probability of coming first most often at each budget, and the changes of leader."""
    data = DecisionBands.of(posterior, among=among)
    with styled():
        figure, ax = new_figure(
            width, 3.0 + min(0.7, _height_below(width, data.names))
        )  # most names are inside their areas
        draw_decision_map(ax, data, axis=axis, unit=unit)
        return _settle(figure)


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
    """Draw the ratings after the rounds with decisions; the posterior is inferred again for each of them.

    Parameters
    ----------
    result
        The result of the race.
    numbers, most
        The rounds to show, by default the `key_rounds`, and their maximum number.
    level, truth, axis, width
        See `ratings`.
    unit
        The label of the time axis; the race's unit of time by default.
    """
    data = RoundPanels.of(result, rounds=numbers, most=most, level=level, truth=truth)
    unit = result.state.settings.clock if unit is None else unit
    with styled():
        down = -(-len(data.panels) // _panels_across(width, data.all_names))
        across = -(-len(data.panels) // down)
        figure = empty_figure(width, max(0.4 + 1.9 * down, 0.4 + _LINE_INCHES * len(data.all_names)))
        places = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False).ravel().tolist()
        used, spare = places[: len(data.panels)], places[len(data.panels) :]
        draw_rounds(used, data, axis=axis, unit=unit)
        for ax in used[-across:]:  # no panel lies below these
            ax.tick_params(labelbottom=True)
            ax.set_xlabel(unit)
        for ax in spare:
            ax.remove()
        return _settle(figure)


def forecast(result: RaceResult, *, most: int = 12, limit: float | None = None, width: float | None = None) -> Figure:
    """Draw the number of instances by which undecided pairs should be decided, if the present posterior is right.

    Parameters
    ----------
    result
        The result of the race.
    most
        The largest number of undecided pairs to show.
    limit
        The number of instances at which the race stops, to mark it.
    width
        See `ratings`.
    """
    data = DecisionForecast.of(result, limit=limit)
    with styled():
        shown = min(most, len(data.open_pairs))
        if not shown:
            figure, ax = new_figure(width, 2.2)
            draw_forecast(ax, data)
            return _settle(figure)
        lines = sum(label.count("\n") + 1 for label in pair_labels(data, most=most))
        figure = empty_figure(width, 2.4 + 0.18 * lines)
        top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=[1.6, 0.4 + 0.18 * lines])
        draw_forecast(top, data)
        draw_open_pairs(bottom, data, most=most)
        top.set_xlabel("")
        return _settle(figure)


def quality(
    source: Source,
    *,
    among: Sequence[str] | None = None,
    axis: Axis | None = None,
    unit: str | None = None,
    width: float | None = None,
    **reading: Any,
) -> Figure:
    """Draw the median over instances of the best value so far, with quartiles as bands, per algorithm.

    Parameters
    ----------
    source
        The result of a race, imported runs, or trajectories.
    among
        The algorithms to show; all by default.
    axis
        "linear" or "log" time; the axis of the grid by default.
    unit
        The label of the time axis; the unit of the runs by default.
    width
        The width of the figure in inches.
    **reading
        The `posterior`, the `grid` and the rules of comparison; see `collect_runs`.
    """
    data = quality_curves(source, among=among, intervals=False, **reading)
    with styled():
        figure, ax = new_figure(width, _list_height(len(data.names)))
        draw_quality(ax, data, axis=axis, unit=unit)
        return _settle(figure)


def speed_up(
    source: Source,
    first: str,
    second: str,
    *,
    axis: Axis | None = None,
    unit: str | None = None,
    width: float | None = None,
    **reading: Any,
) -> Figure:
    """Draw the share of the second algorithm's budget that the first needs for the same quality; see `quality`."""
    data = measure(source, first, second, **reading)
    with styled():
        figure, ax = new_figure(width, 2.4)
        draw_speed_up(ax, data, axis=axis, unit=unit)
        return _settle(figure)


def _list_height(names: int) -> float:
    """Return the height in inches for a list of names beside the axes."""
    return max(3.0, 0.7 + _LINE_INCHES * names)


def _height_below(width: float | None, names: Sequence[str]) -> float:
    """Return the height in inches for a list of names below the axes; zero if the list fits beside them."""
    columns = columns_below(width or WIDTH_INCHES, list(short_names(names).values()))
    return 0.0 if columns is None else _LINE_INCHES * (2 + len(names) // columns)


def _panels_across(width: float | None, names: Sequence[str]) -> int:
    """Return the number of panels that fit side by side, given their titles and the list of names beside them, if any."""
    longest = max(map(len, short_names(names).values()), default=0)
    room = (width or WIDTH_INCHES) - 0.6 - (0.5 + _LETTER_INCHES * longest if names else 0)
    return int(min(3, max(1, room // _PANEL_INCHES)))


def _height_of_rows(names: int, besides: float, each: float = _ROW_INCHES) -> float:
    """Return the height in inches for one row per name, of which at least three, and the rest of the figure."""
    return besides + each * max(names, 3)


def _settle(figure: Figure) -> Figure:
    """Compute layout and ticks while the style is active, and return the figure."""
    lay_out(figure)
    return figure
