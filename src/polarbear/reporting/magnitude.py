"""Data of the section "How much better": quality curves, speed-ups of the leader, gaps of pairs, and values by instance.

The page embeds the values of at most 200 instances at 40 budgets, fewer for many algorithms, so that it stays small. Winners
come from exact values, since single precision cannot always tell which of two close values is better. Intervals need the
weights of all instances, which the page does not hold: shares of gaps are computed here, for a few tolerances.
"""

from __future__ import annotations

import base64
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.magnitude.collection import label_instance
from polarbear.magnitude.gap import describe_tolerance, measure_gaps
from polarbear.magnitude.quality import median_intervals, quartile_curves
from polarbear.magnitude.speed_up import measure_speed_up
from polarbear.magnitude.summary import how_much_better, leader_and_rivals
from polarbear.observe import ABSENT, Grid, rank_values

if TYPE_CHECKING:
    from polarbear.arrays import Array, Indices
    from polarbear.magnitude.collection import RunCollection
    from polarbear.magnitude.speed_up import SpeedUp
    from polarbear.posterior.posterior import Posterior
    from polarbear.reporting.subject import Subject

_BUDGETS = 40  # of the embedded values
_INSTANCES = 200
_CELLS = 60_000  # values in all, of five bytes each: 400 kB in base64
_BUDGETS = 30  # at which speed-ups are computed
_WORK = 40_000_000  # weights to add up for all speed-ups, which takes a few seconds
_MEDIAN_WORK = 200_000_000  # weights to add up for the intervals of all medians, which takes two seconds
_LEAST_DRAWS = 200
_GAP_WORK = 6_000_000_000  # weights to add up for all shares of gaps, which takes a few seconds
_GAP_CELLS = 15_000  # shares with their intervals, of six bytes each: 120 kB in base64
_SHARES = (0.1, 0.5, 0.9)  # of the distances from the best value that lie below each tolerance
_UNKNOWN = 255  # rank of a value, or share, that is not known


def magnitude(subject: Subject) -> dict[str, Any] | None:
    """Return the quality curves, the speed-ups of the leader and the values; None without runs of two algorithms."""
    runs = subject.runs
    if runs is None:
        return None
    names = subject.posterior.names
    columns = [runs.names.index(name) if name in runs.names else None for name in names]
    grid = runs.grid
    budgets = _spread(len(grid), _BUDGETS)
    last = leader_and_rivals(subject.posterior, subject.candidates, float(grid.budgets[-1]))
    if len(last) < 2:
        last = [*last, *(name for name in names if name not in last)]
    quality = _quality(runs, columns, budgets)
    return {
        "sentences": list(how_much_better(runs, subject.posterior, among=subject.candidates)),
        "maximise": runs.maximise,
        "budgets": grid.budgets[budgets].tolist(),
        "pair": [names.index(name) for name in last[:2]],
        "quality": quality,
        "other_best": _other_best_median(subject.posterior, quality["median"], last[0], maximise=runs.maximise),
        "speed": _speed_ups(subject, runs, budgets),
        "gaps": _gaps(runs, columns, budgets),
        **_values(runs, columns, budgets),
    }


def _spread(number: int, most: int) -> Indices:
    """Return at most `most` positions out of `number`, evenly spaced, with the first and the last."""
    return np.unique(np.linspace(0, number - 1, min(number, most)).round().astype(int))


def _quality(runs: RunCollection, columns: list[int | None], budgets: Indices) -> dict[str, Any]:
    """Return the median, its interval and the quartiles, each by algorithm and budget; None where a value is not finite."""
    curves = quartile_curves(runs, runs.names)
    draws = runs.weights.draws.shape[1]
    affordable = max(_LEAST_DRAWS, _MEDIAN_WORK // (len(runs.instances) * len(budgets) * len(runs.names)))
    lower, upper = median_intervals(runs, runs.names, budgets=budgets, step=-(-draws // affordable))

    def by_algorithm(values: Array) -> list[list[float | None]]:
        return [[None] * len(budgets) if k is None else _short(values[budgets, k]) for k in columns]

    return {
        "median": by_algorithm(curves["median"]),
        "lower": by_algorithm(lower),
        "upper": by_algorithm(upper),
        "low": by_algorithm(curves["low_quartile"]),
        "high": by_algorithm(curves["high_quartile"]),
    }


def _other_best_median(
    posterior: Posterior, medians: list[list[float | None]], name: str, *, maximise: bool
) -> int | None:
    """Return the algorithm with the best median at the last budget if the leader beats it on most instances; else None."""
    leader, sign = posterior.names.index(name), -1 if maximise else 1
    last = {algorithm: sign * values[-1] for algorithm, values in enumerate(medians) if values[-1] is not None}
    if leader not in last:
        return None
    best = min(last, key=lambda algorithm: last[algorithm])
    is_beaten = last[best] < last[leader] and posterior.expected_win_rate(leader, best)[-1] > 0.5
    return best if is_beaten else None


def _short(values: Array) -> list[float | None]:
    """Return values with four significant digits; None for those that are not finite."""
    return [float(f"{value:.4g}") if np.isfinite(value) else None for value in values]


def _speed_ups(subject: Subject, runs: RunCollection, budgets: Indices) -> list[dict[str, Any]]:
    """Return, for some of the budgets, the leader and its speed-up against each other algorithm."""
    names, draws = subject.posterior.names, runs.weights.draws.shape[1]
    affordable = _WORK // (len(runs.instances) * draws * len(names))
    places = _spread(len(budgets), int(np.clip(affordable, 5, _BUDGETS)))
    grid_budgets = runs.grid.budgets[budgets[places]]
    leaders = [next(iter(leader_and_rivals(subject.posterior, subject.candidates, at)), None) for at in grid_budgets]
    rows: dict[float, list[dict[str, Any]]] = {float(at): [] for at in grid_budgets}
    rivals = {name for (name, _), run in runs.runs.items() if run.values.size}  # of the others, every run failed
    for leader in dict.fromkeys(name for name in leaders if name is not None):
        led = Grid([at for at, name in zip(grid_budgets, leaders, strict=True) if name == leader])
        for rival in names:
            if rival != leader and rival in rivals:
                found = measure_speed_up(runs, leader, rival, led, at=float(led.budgets[-1]))
                for place, at in enumerate(led.budgets):
                    rows[float(at)].append({"algorithm": names.index(rival), **_row(found, place)})
    return [
        {"at": float(at), "leader": names.index(leader), "rivals": rows[float(at)]}
        for at, leader in zip(grid_budgets, leaders, strict=True)
        if leader is not None
    ]


def _row(found: SpeedUp, place: int) -> dict[str, Any]:
    """Return the budget ratio and its interval at one budget, as numbers and as text."""
    ratio = _short(np.array([each[place] for each in (found.ratio, found.lower, found.upper)]))
    if not found.instances[place]:
        return {"ratio": ratio, "text": "not compared"}
    amount, interval = found.amount(place), found.interval(place)
    return {"ratio": ratio, "text": amount if amount == interval else f"{amount} ({interval})"}


def _gaps(runs: RunCollection, columns: list[int | None], budgets: Indices) -> dict[str, Any]:
    """Return the shares of instances with a gap above each tolerance, as per cents in base64.

    The order is (pair, tolerance, quantity, budget), with the pairs (0, 1), (0, 2), ..., (1, 2), ... of all algorithms and
    the quantities of `GapShares` from `better` to `worse_upper`.
    """
    tolerances = [0.0, *_example_tolerances(runs, budgets)]
    pairs = list(combinations(columns, 2))
    each = len(runs.instances) * runs.weights.draws.shape[1]
    most = min(_GAP_CELLS, _GAP_WORK // each) // (len(pairs) * len(tolerances))
    grid = Grid(runs.grid.budgets[budgets[_spread(len(budgets), max(2, most))]])
    percents = np.full((len(pairs), len(tolerances), 6, len(grid)), np.nan)
    for k, tolerance in enumerate(tolerances):
        for pair, (one, other) in enumerate(pairs):
            if one is not None and other is not None:
                found = measure_gaps(
                    runs, runs.names[one], runs.names[other], tolerance, grid, at=float(grid.budgets[-1])
                )
                better = found.better, found.better_lower, found.better_upper
                percents[pair, k] = 100 * np.stack([*better, found.worse, found.worse_lower, found.worse_upper])
    packed = np.where(np.isnan(percents), _UNKNOWN, np.rint(percents)).astype(np.uint8)
    return {
        "amounts": [describe_tolerance(tolerance) for tolerance in tolerances],
        "budgets": grid.budgets.tolist(),
        "shares": base64.b64encode(packed.tobytes()).decode("ascii"),
    }


def _example_tolerances(runs: RunCollection, budgets: Indices) -> list[float]:
    """Return round numbers near quantiles of the distances from the best value on the same instance at the same budget."""
    sign = -1.0 if runs.maximise else 1.0
    losses = sign * runs.table.values[:, budgets]
    losses = np.where(np.isfinite(losses), losses, np.inf)
    with np.errstate(invalid="ignore"):
        distances = losses - losses.min(axis=2, keepdims=True)
    distances = distances[np.isfinite(distances) & (distances > 0)]
    if not distances.size:
        return []
    return list(dict.fromkeys(float(f"{each:.0e}") for each in np.quantile(distances, _SHARES)))


def _values(runs: RunCollection, columns: list[int | None], budgets: Indices) -> dict[str, Any]:
    """Return values and ranks of a sample of the instances, in base64, in the order (instance, budget, algorithm)."""
    ranks = rank_values(
        runs.table.values,
        absolute_tolerance=runs.absolute_tolerance,
        relative_tolerance=runs.relative_tolerance,
        maximise=runs.maximise,
    )
    number = len(runs.instances)
    most = max(1, min(_INSTANCES, _CELLS // (len(budgets) * len(columns))))
    shown = np.arange(number)
    if number > most:
        shown = np.sort(np.random.default_rng(0).choice(number, most, replace=False))
    values = np.full((len(shown), len(budgets), len(columns)), np.nan, dtype="<f4")
    places = np.full(values.shape, _UNKNOWN, dtype=np.uint8)
    for place, column in enumerate(columns):
        if column is not None:
            values[..., place] = runs.table.values[np.ix_(shown, budgets)][..., column]
            own = ranks[np.ix_(shown, budgets)][..., column]
            places[..., place] = np.where(own == ABSENT, _UNKNOWN, np.minimum(own, _UNKNOWN - 1))
    return {
        "instances": [str(label_instance(runs.instances[row])) for row in shown],
        "total": number,
        "values": base64.b64encode(values.tobytes()).decode("ascii"),
        "ranks": base64.b64encode(places.tobytes()).decode("ascii"),
    }
