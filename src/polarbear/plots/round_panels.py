"""Figure of the rating posterior after selected rounds of a race, by default those with decisions.

The posteriors are inferred again from the runs that the race had after each round.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from polarbear.models.bayesian_bootstrap import BayesianBootstrap
from polarbear.observe import Grid
from polarbear.plots.dominance_evolution import DominanceEvolution
from polarbear.plots.end_labels import legend_line
from polarbear.plots.lettering import short_names, show_literally
from polarbear.plots.palette import assign_looks
from polarbear.plots.rating_curves import RatingCurves, draw_ratings
from polarbear.race.inference import infer_posterior
from polarbear.race.observations import Observations, add_runs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from polarbear.literals import Axis
    from polarbear.posterior.posterior import Posterior
    from polarbear.race.outcome import RaceOutcome
    from polarbear.race.rounds import Round
    from polarbear.race.state import State

_DRAWS = 200  # per panel: enough for a small band; up to six posteriors are inferred for one figure
_BUDGETS = 16  # per panel, if there are more: three millimetres apart with three panels side by side
_LINE = 16  # characters of names that fit into the title of a panel, beside the decision


@dataclass(frozen=True, eq=False)
class Panel:
    """The posterior after one round.

    Attributes
    ----------
    round
        The number of the round.
    dropped, decided
        The algorithms dropped in this round, and those that became decided against all others.
    instances
        The number of instances used so far.
    curves
        The rating curves.
    excluded
        The algorithms dropped so far.
    """

    round: int
    dropped: tuple[str, ...]
    decided: tuple[str, ...]
    instances: int
    curves: RatingCurves
    excluded: frozenset[str]


@dataclass(frozen=True, eq=False)
class RoundPanels:
    """The posteriors after selected rounds, in order; `all_names` lists all algorithms of the race."""

    panels: tuple[Panel, ...]
    all_names: tuple[str, ...]

    @classmethod
    def of(
        cls,
        result: RaceOutcome,
        *,
        rounds: Sequence[int] | None = None,
        most: int = 6,
        level: float = 0.95,
        truth: ArrayLike | None = None,
    ) -> Self:
        """Infer the posteriors of selected rounds again, from the runs that the race had after each.

        Parameters
        ----------
        result
            The result of the race.
        rounds
            Numbers of rounds; by default the `key_rounds`.
        most
            The maximum number of rounds chosen by default.
        level
            The level of the credible intervals.
        truth
            True ratings of all algorithms, shape (budget, algorithm).
        """
        chosen = key_rounds(result, most=most) if rounds is None else tuple(rounds)
        decided, panels = _newly_decided(result), []
        state = _with_fewer_draws(result.state)
        if truth is None:
            state = _with_fewer_budgets(state)
        earlier: State | None = None
        for number in chosen:
            earlier = state_after(state, number, since=earlier)
            panels.append(
                Panel(
                    round=number,
                    dropped=tuple(each.name for each in result.rounds[number - 1].dropped),
                    decided=decided[number - 1],
                    instances=len(earlier.observations.instances),
                    curves=RatingCurves.of(infer_posterior(earlier), level=level, truth=truth),
                    excluded=frozenset(earlier.names) - earlier.candidates,
                )
            )
        return cls(tuple(panels), result.state.names)


def _with_fewer_draws(state: State) -> State:
    """Return a state whose posterior, unless it is known already, has no more draws than a panel needs."""
    settings = state.settings
    fewest = math.ceil(1 / (1 - settings.confidence))  # settings with fewer draws are refused
    draws = max(_DRAWS, fewest)
    return state if settings.draws <= draws else replace(state, settings=replace(settings, draws=draws))


def _with_fewer_budgets(state: State) -> State:
    """Return a state with no more budgets than a panel needs; priors over time have a scale for the grid, and keep it."""
    grid = state.settings.grid
    if len(grid) <= _BUDGETS or not isinstance(state.settings.prior, BayesianBootstrap):
        return state
    kept = np.linspace(0, len(grid) - 1, _BUDGETS).round().astype(np.intp)
    return replace(state, settings=replace(state.settings, grid=Grid(grid.budgets[kept], grid.axis)), posterior=None)


def key_rounds(result: RaceOutcome, *, most: int = 6) -> tuple[int, ...]:
    """Return the numbers of the key rounds: the first, the last, and those with decisions.

    If there are more than `most`, the last round has priority, then rounds that drop algorithms, then rounds with newly
    decided algorithms, and later rounds before earlier ones.
    """
    if most < 1:
        raise ValueError(f"expected at least one round to show, got {most!r}; leave it out to show six")
    rounds, decided = result.rounds, _newly_decided(result)
    if not rounds:
        raise ValueError("expected a race with rounds, got none to show; run the race first")
    weight = {
        round_.number: (round_.number == len(rounds), bool(round_.dropped), bool(new), round_.number)
        for round_, new in zip(rounds, decided, strict=True)
        if round_.dropped or new or round_.number in (1, len(rounds))
    }
    return tuple(sorted(sorted(weight, key=lambda number: weight[number], reverse=True)[:most]))


def posterior_after(state: State, number: int) -> Posterior:
    """Return the posterior of a race after a round; it is exact if the settings have not changed since."""
    return infer_posterior(state_after(state, number))


def state_after(state: State, number: int, *, since: State | None = None) -> State:
    """Return the state of a race after a round: its runs, names and candidates, under the present settings.

    The state after another round, `since`, saves time: if it is an earlier one, only later runs are ranked.
    """
    if not 1 <= number <= len(state.rounds):
        raise ValueError(f"expected a round from 1 to {len(state.rounds)}, got {number!r}")
    rounds = state.rounds[:number]
    names = tuple(name for name, _ in rounds[-1].threat)
    all_runs, observations, ranked = state.observations.runs, Observations(), 0
    if since is not None and since.names == names and len(since.rounds) <= number:
        observations, ranked = since.observations, len(since.rounds)
    for round_ in rounds[ranked:]:
        keys = [(name, instance) for name, _ in round_.budgets for instance in round_.instances]
        new = [all_runs[key] for key in keys if key in all_runs and key not in observations.runs]
        if new:
            observations = add_runs(observations, new, names, state.settings)
    last = number == len(state.rounds) and observations.runs.keys() == all_runs.keys() and names == state.names
    return replace(
        state,
        names=names,
        candidates=frozenset(names) - _dropped_in(rounds),
        observations=observations,
        rounds=rounds,
        posterior=state.posterior if last else None,
    )


def _dropped_in(rounds: Sequence[Round]) -> set[str]:
    """Return the algorithms that are dropped after these rounds."""
    dropped: set[str] = set()
    for round_ in rounds:
        if round_.kind == "review":
            dropped.clear()
        dropped.difference_update(name for name, _ in round_.budgets)  # it runs: it was restored or came back
        dropped.difference_update(round_.returned)
        dropped.update(each.name for each in round_.dropped)
    return dropped


def _newly_decided(result: RaceOutcome) -> list[tuple[str, ...]]:
    """Return the candidates that became decided against all others, per round."""
    evolution = DominanceEvolution.of(result)
    return [tuple(name for name, new in zip(evolution.names, row, strict=True) if new) for row in evolution.decided]


def draw_rounds(axes: Sequence[Axes], data: RoundPanels, *, axis: Axis | None = None, unit: str = "budget") -> None:
    """Draw one panel per round, on as many axes as there are panels; dropped algorithms are faint."""
    short = short_names(data.all_names)
    highest = max(float(panel.curves.upper.max()) for panel in data.panels)
    for ax, panel in zip(axes, data.panels, strict=True):
        curves = replace(panel.curves, all_names=data.all_names)
        draw_ratings(ax, curves, axis=axis, unit=unit, faint=panel.excluded, labelled=False)
        ax.set_ylim(0, 1.03 * highest)
        ax.label_outer()
        _head(ax, f"Round {panel.round} · {panel.instances} instances", _decision_lines(panel, short))
    figure = axes[0].get_figure()
    assert figure is not None
    look = assign_looks(data.all_names)
    legend = figure.legend(
        [legend_line(look[name]) for name in data.all_names],
        [short[name] for name in data.all_names],
        loc="outside right upper",
    )
    for text in legend.get_texts():
        show_literally(text)


def _head(ax: Axes, heading: str, lines: Sequence[str]) -> None:
    """Write a heading above a panel, and lines of text below it.

    Each line is a text of its own: Matplotlib sets ligatures in texts of several lines, and embeds their font twice.
    """
    pad, step, size = 4.0, 9.75, 7.5  # in points
    show_literally(ax.set_title(heading, va="bottom", fontsize=size, pad=pad + step * len(lines)))
    for number, line in enumerate(reversed(lines)):
        offset = (0, pad + step * number)
        show_literally(
            ax.annotate(
                line, (0, 1), offset, xycoords="axes fraction", textcoords="offset points", va="bottom", fontsize=size
            )
        )


def _decision_lines(panel: Panel, short: Mapping[str, str]) -> list[str]:
    """Return the decisions of a round in lines: dropped algorithms, then newly decided ones; a long name has a line."""
    lines = []
    for names, what in ((panel.dropped, "dropped"), (panel.decided, "decided")):
        listed = ", ".join(short[name] for name in names)
        if len(listed) <= _LINE:
            lines += [f"{listed} {what}"] if names else []
        else:
            lines += [listed, what] if len(names) == 1 else [f"{len(names)} algorithms {what}"]
    return lines
