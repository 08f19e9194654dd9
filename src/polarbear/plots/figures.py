"""Complete figures: each function runs the data step and the drawing step on a page of fitting size.

Every function returns a `matplotlib.figure.Figure`; `save` writes it. Widths are in inches, and heights follow from the
content. The functions have the names of `registry.FIGURES`, by which `draw_figure` finds them.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from polarbear import plots
from polarbear.magnitude.collection import collect_runs
from polarbear.magnitude.gap import gap_exceeds
from polarbear.magnitude.quality import quality_curves
from polarbear.magnitude.speed_up import speed_up as measure
from polarbear.plots.budget_ratio import draw_speed_up
from polarbear.plots.comparison_counts import ComparisonCounts, draw_comparisons
from polarbear.plots.decision_bands import DecisionBands, draw_decision_map
from polarbear.plots.decision_forecast import DecisionForecast, draw_forecast, draw_open_pairs, pair_labels
from polarbear.plots.dominance_evolution import DominanceEvolution, draw_evolution
from polarbear.plots.dominance_matrix import DominanceMatrix, draw_dominance
from polarbear.plots.gap_shares import draw_gap
from polarbear.plots.page_sizes import LINE_INCHES, height_below, height_of_rows, list_height, panels_across
from polarbear.plots.pair_dominance import PairDominance, draw_pair
from polarbear.plots.preference_values import PreferenceValues, draw_values
from polarbear.plots.quality_over_time import draw_quality
from polarbear.plots.rating_curves import RatingCurves, draw_ratings
from polarbear.plots.registry import FIGURES
from polarbear.plots.round_panels import RoundPanels, draw_rounds
from polarbear.plots.sample_allocation import SampleAllocation, draw_allocation
from polarbear.plots.style import WIDTH_INCHES, empty_figure, lay_out, new_figure, styled
from polarbear.race.outcome import outcome_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

    from polarbear.literals import Axis, Dominance
    from polarbear.magnitude.collection import RunCollection, Source
    from polarbear.plots.registry import FigureName
    from polarbear.posterior.posterior import Posterior
    from polarbear.race.outcome import RaceOutcome
    from polarbear.selection import Preference


def draw_figure(
    name: FigureName,
    posterior: Posterior | None,
    result: RaceOutcome | None = None,
    *,
    runs: RunCollection | None = None,
    pair: tuple[str, str] | None = None,
    **options: Any,
) -> Figure:
    """Draw the figure of a name in `FIGURES`, with defaults from the race if there is one.

    A race supplies its unit of budgets, its rule of dominance and, for the decision map, its candidates.

    Parameters
    ----------
    name
        The name of the figure.
    posterior, result
        The posterior, and the result of the race if there is one. A figure that needs a race takes it alone.
    runs
        The runs with their values, for the figures that need them; by default those of the race.
    pair
        The two algorithms of the figures "pair", "speed-up" and "gap".
    **options
        Options such as `width`. None stands for the default, and a figure ignores options that it does not have.
    """
    if name not in FIGURES:
        raise ValueError(f"expected a figure out of {', '.join(FIGURES)}, got {name!r}")
    source: Posterior | RaceOutcome | RunCollection | None = posterior
    defaults: dict[str, Any] = {}
    if result is not None:
        defaults = {"unit": result.state.settings.clock, "dominance": result.state.settings.dominance}
        # An added candidate may not have run yet.
        if name in ("decision-map", "values", "tree") and posterior is not None:
            defaults["among"] = [each for each in result.kept if each in posterior.names]
    if FIGURES[name].needs == "race":
        if result is None:
            raise ValueError(f"expected a race for the figure {name}, got a posterior alone; draw another figure")
        source = result
    elif FIGURES[name].needs in ("runs", "features"):
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
    function = getattr(plots, name.replace("-", "_"))
    given = defaults | {option: value for option, value in options.items() if value is not None}
    accepted = inspect.signature(function).parameters
    figure: Figure = function(source, **{option: value for option, value in given.items() if option in accepted})
    return figure


def ratings(
    posterior: Posterior,
    *,
    among: Sequence[str] | None = None,
    level: float = 0.95,
    truth: ArrayLike | None = None,
    axis: Axis | None = None,
    unit: str = "budget",
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
        True ratings of all algorithms, shape (budget, algorithm).
    axis
        "linear" or "log"; the axis of the grid by default.
    unit
        The label of the budget axis.
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
        figure, ax = new_figure(width, list_height(len(data.names)))
        draw_ratings(ax, data, axis=axis, unit=unit)
        return lay_out(figure)


def evolution(result: RaceOutcome, *, width: float | None = None) -> Figure:
    """Draw the probability that each algorithm is dominated, and the share of decided pairs, over the rounds of a race."""
    result = outcome_of(result)
    data = DominanceEvolution.of(result)
    with styled():
        figure, ax = new_figure(width, list_height(len(data.names)) + height_below(width, data.names))
        draw_evolution(ax, data)
        return lay_out(figure)


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
        figure, ax = new_figure(width, height_of_rows(len(data.names), 0.9, 0.3))
        draw_values(ax, data)
        return lay_out(figure)


def allocation(result: RaceOutcome, *, axis: Axis | None = None, width: float | None = None) -> Figure:
    """Draw the number of instances on which each algorithm ran, over time."""
    result = outcome_of(result)
    data = SampleAllocation.of(result)
    with styled():
        figure, ax = new_figure(width, height_of_rows(len(data.names), 1.0))
        draw_allocation(ax, data, axis=axis)
        return lay_out(figure)


def comparisons(
    posterior: Posterior, *, axis: Axis | None = None, unit: str = "budget", width: float | None = None
) -> Figure:
    """Draw the number of comparisons: on how many instances each algorithm was observed together with another one."""
    data = ComparisonCounts.of(posterior)
    with styled():
        figure, ax = new_figure(width, height_of_rows(len(data.names), 1.0))
        draw_comparisons(ax, data, axis=axis, unit=unit)
        return lay_out(figure)


def dominance(posterior: Posterior, *, dominance: Dominance = "pointwise", width: float | None = None) -> Figure:
    """Draw the probability that each algorithm beats each other one on most instances.

    The probability is the one at the least certain budget, or jointly at all budgets if `dominance` is "joint".
    """
    data = DominanceMatrix.of(posterior, dominance=dominance)
    with styled():
        wide = width or min(WIDTH_INCHES, 3.0 + 0.35 * len(data.names))
        figure, ax = new_figure(wide, 0.85 * wide)
        draw_dominance(ax, data)
        return lay_out(figure)


def pair(
    posterior: Posterior,
    first: str,
    second: str,
    *,
    margin: float = 0.05,
    axis: Axis | None = None,
    unit: str = "budget",
    width: float | None = None,
) -> Figure:
    """Draw the probability that one algorithm beats another on most instances, over time."""
    data = PairDominance.of(posterior, first, second, margin=margin)
    with styled():
        figure, ax = new_figure(width, 2.4)
        draw_pair(ax, data, axis=axis, unit=unit)
        return lay_out(figure)


def decision_map(
    posterior: Posterior,
    *,
    among: Sequence[str] | None = None,
    axis: Axis | None = None,
    unit: str = "budget",
    width: float | None = None,
) -> Figure:
    """Draw the decision map: the probability of being the best choice at each budget, and the changes of leader."""
    data = DecisionBands.of(posterior, among=among)
    with styled():
        figure, ax = new_figure(
            width, 3.0 + min(0.7, height_below(width, data.names))
        )  # most names are inside their areas
        draw_decision_map(ax, data, axis=axis, unit=unit)
        return lay_out(figure)


def rounds(
    result: RaceOutcome,
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
        The label of the budget axis; the race's unit of budgets by default.
    """
    result = outcome_of(result)
    data = RoundPanels.of(result, rounds=numbers, most=most, level=level, truth=truth)
    unit = result.state.settings.clock if unit is None else unit
    with styled():
        down = -(-len(data.panels) // panels_across(width, data.all_names))
        across = -(-len(data.panels) // down)
        figure = empty_figure(width, max(0.4 + 1.9 * down, 0.4 + LINE_INCHES * len(data.all_names)))
        places = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False).ravel().tolist()
        used, spare = places[: len(data.panels)], places[len(data.panels) :]
        draw_rounds(used, data, axis=axis, unit=unit)
        for ax in used[-across:]:  # no panel lies below these
            ax.tick_params(labelbottom=True)
            ax.set_xlabel(unit)
        for ax in spare:
            ax.remove()
        return lay_out(figure)


def forecast(result: RaceOutcome, *, most: int = 12, limit: float | None = None, width: float | None = None) -> Figure:
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
    result = outcome_of(result)
    data = DecisionForecast.of(result, limit=limit)
    with styled():
        shown = min(most, len(data.open_pairs))
        if not shown:
            figure, ax = new_figure(width, 2.2)
            draw_forecast(ax, data)
            return lay_out(figure)
        lines = sum(label.count("\n") + 1 for label in pair_labels(data, most=most))
        figure = empty_figure(width, 2.4 + 0.18 * lines)
        top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=[1.6, 0.4 + 0.18 * lines])
        draw_forecast(top, data)
        draw_open_pairs(bottom, data, most=most)
        top.set_xlabel("")
        return lay_out(figure)


def quality(
    source: Source,
    *,
    among: Sequence[str] | None = None,
    axis: Axis | None = None,
    unit: str | None = None,
    width: float | None = None,
    **reading: Any,
) -> Figure:
    """Draw the median over instances of the best value so far, with its 95 % interval and the quartiles, per algorithm.

    Parameters
    ----------
    source
        The result of a race, imported runs, or trajectories.
    among
        The algorithms to show; all by default.
    axis
        "linear" or "log"; the axis of the grid by default.
    unit
        The label of the budget axis; the unit of the runs by default.
    width
        The width of the figure in inches.
    **reading
        The `posterior`, the `grid` and the rules of comparison; see `collect_runs`.
    """
    data = quality_curves(source, among=among, **reading)
    with styled():
        figure, ax = new_figure(width, list_height(len(data.names)))
        draw_quality(ax, data, axis=axis, unit=unit)
        return lay_out(figure)


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
        return lay_out(figure)


def gap(
    source: Source,
    first: str,
    second: str,
    tolerance: float = 0.0,
    *,
    relative: bool = False,
    axis: Axis | None = None,
    unit: str | None = None,
    width: float | None = None,
    **reading: Any,
) -> Figure:
    """Draw the share of instances on which each algorithm of a pair is better by more than a tolerance, over time.

    Parameters
    ----------
    source
        The result of a race, imported runs, or trajectories.
    first, second
        The pair.
    tolerance, relative
        The smallest gap that matters to you, in the units of the values, or as a share of the second algorithm's value; by
        default every difference counts. See `gap_exceeds`.
    axis, unit, width, **reading
        See `quality`.
    """
    data = gap_exceeds(source, first, second, tolerance, relative=relative, **reading)
    with styled():
        figure, ax = new_figure(width, 2.4)
        draw_gap(ax, data, axis=axis, unit=unit)
        return lay_out(figure)
