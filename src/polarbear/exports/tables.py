"""Runs, posteriors, pairs and selections as tables: dictionaries from names to columns of equal length."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.posterior.relations import anytime_dominance, dominance, equivalence, win_probability

if TYPE_CHECKING:
    from collections.abc import Iterable

    from polarbear.arrays import Array
    from polarbear.posterior.posterior import Posterior
    from polarbear.race.jobs import Run
    from polarbear.selection import Selection

Table = dict[str, Any]  # a list or an array per column


def runs_table(runs: Iterable[Run], *, clock: str) -> Table:
    """Return recorded runs with one row per improvement, under IOHprofiler's column names.

    The last row of a run holds the time at which it ended and its best value.
    """
    names, instances, status, times, values = [], [], [], [], []
    for run in runs:
        path = run.trajectory
        at, best = path.times.tolist(), path.values.tolist()
        worst = -math.inf if path.maximise else math.inf
        if not at or at[-1] < run.reached:
            at, best = [*at, run.reached], [*best, best[-1] if best else worst]
        names += [path.algorithm] * len(at)
        instances += [path.instance] * len(at)
        status += [run.status] * len(at)
        times += at
        values += best
    axis = "evaluations" if clock == "evaluations" else "time"
    return {"algorithm_name": names, "instance": instances, axis: times, "raw_y": values, "status": status}


def posterior_table(posterior: Posterior, *, level: float = 0.95) -> Table:
    """Return each algorithm's rating at each time, with its credible interval and the probability of being best.

    They are NaN where the algorithm was not observed. The last column is the number of comparisons, if it is known.
    """
    from polarbear.selection import decision_map

    summary, best = posterior.summary(level), decision_map(posterior).probability_best
    times, algorithms = summary.mean.shape
    rating, lower, upper, best = (
        np.where(posterior.observed, each, np.nan).ravel()
        for each in (summary.mean, summary.lower, summary.upper, best)
    )
    table = {
        "algorithm_name": list(posterior.names) * times,
        "time": np.repeat(posterior.grid.times, algorithms),
        "rating": rating,
        "lower": lower,
        "upper": upper,
        "level": np.full(times * algorithms, level),
        "probability_best": best,
    }
    return table if posterior.comparisons is None else {**table, "comparisons": posterior.comparisons.ravel()}


def comparisons_by_name(posterior: Posterior) -> dict[str, list[int]] | None:
    """Return the number of comparisons of each algorithm at each time of the grid; None if it is unknown."""
    if posterior.comparisons is None:
        return None
    return dict(zip(posterior.names, posterior.comparisons.T.tolist(), strict=True))


def pairwise_table(posterior: Posterior, *, rope: float = 0.05) -> Table:
    """Return one row per ordered pair: win rates, and the probability that the first beats the second on most instances.

    `beats_everywhere` is this probability jointly over all times. Under a prior that treats each time alone,
    `beats_at_each_time` replaces it: the probability at the least certain time. `win_rate` is the expected share of
    instances on which the first beats the second, averaged over the times. Times at which one of the two was not observed do
    not count, and what would be about such times is NaN.
    """
    known = posterior.observed_pairs
    beats, wins, equal = (
        np.where(known, each, np.nan)
        for each in (dominance(posterior), win_probability(posterior), equivalence(posterior, rope=rope))
    )
    least = beats.min(axis=0)
    # A pair that wins in no draw at some time cannot win at all times; skip it.
    everywhere = anytime_dominance(posterior, where=least > 0) if posterior.joint else least
    everywhere = np.where(known.all(axis=0), everywhere, np.nan)
    pairs = [(a, b) for a in range(len(posterior.names)) for b in range(len(posterior.names)) if a != b]
    rows, columns = np.array(pairs, dtype=int).reshape(-1, 2).T
    return {
        "algorithm_name": [posterior.names[a] for a in rows],
        "against": [posterior.names[b] for b in columns],
        "beats_everywhere" if posterior.joint else "beats_at_each_time": everywhere[rows, columns],
        "beats_at_start": beats[0][rows, columns],
        "beats_at_end": beats[-1][rows, columns],
        "win_rate": _mean_over_time(wins[:, rows, columns]),
        "win_rate_at_start": wins[0][rows, columns],
        "win_rate_at_end": wins[-1][rows, columns],
        "equal_share": _mean_over_time(equal[:, rows, columns]),
    }


def _mean_over_time(values: Array) -> Array:
    """Return the means over time of values (time, pair), without NaN; NaN for pairs without any value."""
    known = np.isfinite(values)
    sums: Array = np.where(known, values, 0.0).sum(axis=0)
    means: Array = np.divide(sums, known.sum(axis=0), out=np.full_like(sums, np.nan), where=known.any(axis=0))
    return means


def selection_table(selection: Selection) -> Table:
    """Return the candidates of a selection, one row per candidate, the best first."""
    each = selection.candidates
    return {
        "choice": [one.name for one in each],
        "score": [one.score for one in each],
        "expected": [one.expected for one in each],
        "lower": [one.lower for one in each],
        "upper": [one.upper for one in each],
        "probability_best": [one.probability_best for one in each],
        "regret": [one.regret for one in each],
    }
