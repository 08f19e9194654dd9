"""Forecast a race from its present posterior: how many instances it needs, and whether another drop is likely."""

from __future__ import annotations

from itertools import combinations
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy

from polarbear.posterior.findings import independent_units

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from polarbear.arrays import Array, Mask
    from polarbear.posterior.posterior import Posterior
    from polarbear.race.settings import Settings


_ROUNDING = float(np.finfo(np.float64).eps)
_GROWTH = 2.0 ** np.arange(0.0, 10.25, 0.25)  # candidate multiples of the present amount of data, up to 1,024


# A forecast is shown from this number of independent instances. In 14 simulated races of four algorithms, 80 % of the
# forecasts were between a quarter and three times the true number after 8 instances, and between 0.5 and 2.6 times it from
# 32 on.
STABLE_FROM = 32
# The probability below which a drop is too unlikely to wait for. With 0.05 simulated races use 10 % fewer instances,
# and miss a drop in one race of a hundred more.
UNLIKELY = 0.02
# A forecast depends on the closest pair, and jumps. Nine of ten changes from round to round were below a factor of 2.1; the
# median of three rounds changes by at most about 1.5.
ROUNDS = 3


class _LogOdds(NamedTuple):
    """The logit of the win rate of a pair, arrays of shape (budget,)."""

    mean: Array
    deviation: Array


def further_instances(
    posterior: Posterior, decided: Mask, settings: Settings, recent: Sequence[float] = ()
) -> float | None:
    """Return about how many more instances decide every pair, to one digit, since it is often wrong by a factor of two.

    It is None before 32 independent instances, when a forecast is not stable, and infinite if 1,024 times the present data
    are too few. Repetitions of instances are counted, as by a limit.

    Parameters
    ----------
    posterior, decided, settings
        See `instances_needed`.
    recent
        What `instances_needed` gave in the last rounds, this one included; their median is steadier than the last value.
    """
    if independent_units(posterior) < STABLE_FROM:
        return None
    total = median(recent) if recent else instances_needed(posterior, decided, settings)
    return roughly(max(total - posterior.instances, 0.0))


def roughly(instances: float) -> float:
    """Return a forecast with one significant digit.

    Examples
    --------
    >>> roughly(412.7), roughly(18_438.0), roughly(6.0)
    (400.0, 20000.0, 6.0)
    """
    return float(f"{instances:.1g}")


def instances_needed(posterior: Posterior, decided: Mask, settings: Settings) -> float:
    """Return the total number of instances at which every undecided pair should be decided.

    It is infinite if 1,024 times the present data are too few. With k times the instances that compare a pair, the logit of
    its win rate is assumed to be normal around its present mean, with 1/k of its present variance. A pair is decided when
    the sign is known, or when the logit is known to lie within the margin.
    """
    needed = instances_per_budget(posterior, decided, settings)
    return max((float(each.max()) for each in needed.values()), default=float(posterior.instances))


def instances_per_budget(posterior: Posterior, decided: Mask, settings: Settings) -> dict[tuple[int, int], Array]:
    """Return for each undecided pair the total numbers of instances at which its undecided budgets should be decided.

    The key of a pair is the positions of its algorithms; see `instances_needed` for the assumptions. With `until` "pairs"
    or "set", what decides the pair at one budget may decide it at all others.
    """
    result = {}
    for a, b in np.argwhere(np.triu(~decided.all(axis=0), 1)).tolist():
        odds = _log_odds(posterior, a, b)
        better, equal = _growth_needed(odds, settings)
        growth = np.minimum(better, equal)[~decided[:, a, b]]
        if settings.until != "every-budget":
            ahead = odds.mean > 0
            first, second, even = (np.min(each, initial=np.inf) for each in (better[ahead], better[~ahead], equal))
            growth = np.minimum(growth, min(max(first, second), max(min(first, second), even)))
        result[a, b] = posterior.instances + (growth - 1) * compared_instances(posterior, a, b)
    return result


def beyond_patience(posterior: Posterior, decided: Mask, settings: Settings) -> Mask:
    """Return where pairs are left undecided because of `Settings.patience`, in the shape of `decided`.

    A pair is not left as long as it may well end in a drop within the patience.
    """
    left = np.zeros_like(decided)
    if settings.patience is None or posterior.instances < STABLE_FROM:
        return left
    for (a, b), needed in instances_per_budget(posterior, decided, settings).items():
        compared = compared_instances(posterior, a, b)
        used = compared / (compared + settings.patience)
        if _drop_chance(posterior, (a, b), settings.confidence, used) < UNLIKELY:
            left[~decided[:, a, b], a, b] = needed - posterior.instances > settings.patience
            left[:, b, a] = left[:, a, b]
    return left


def drop_probability(
    posterior: Posterior,
    candidates: Collection[str],
    *,
    confidence: float,
    most_instances: float,
    settled: Collection[Collection[str]] = (),
) -> float:
    """Return the largest probability, over pairs of candidates, that one will be seen to beat the other at every budget.

    With m and s the mean and the deviation of the logit at a budget, z the quantile of the confidence and f the share of
    the instances that the race has used, the budget is decided by the end with probability
    Φ((m/s − z √f) / √(1 − f)): conditional power, averaged over the posterior (Spiegelhalter et al. 1986). A pair has
    the probability of its least likely budget. Without a limit, f = 0.

    Parameters
    ----------
    posterior
        The present posterior.
    candidates
        The algorithms that remain in the race.
    confidence
        The probability at which the race drops an algorithm.
    most_instances
        The number of instances that the race may use; at least as many as it has used; may be infinite.
    settled
        Groups of candidates in which none is dropped because of another one: circles.
    """
    members = [position for position, name in enumerate(posterior.names) if name in candidates]
    used = min(1.0, posterior.instances / most_instances)
    circles = [{posterior.names.index(name) for name in each} for each in settled]
    chances = (
        _drop_chance(posterior, pair, confidence, used)
        for pair in combinations(members, 2)
        if not any(each.issuperset(pair) for each in circles)
    )
    return max(chances, default=0.0)


def compared_instances(posterior: Posterior, first: int, second: int) -> int:
    """Return on how many instances a pair was compared: the number of the algorithm that was observed on fewer.

    A race that was confined to other algorithms has more instances than that.
    """
    if posterior.comparisons is None:
        return posterior.instances
    return max(int(posterior.comparisons[:, [first, second]].max(axis=0).min()), 1)


def _drop_chance(posterior: Posterior, pair: tuple[int, int], confidence: float, used: float) -> float:
    """Return the probability that one of a pair is dropped, from its logits and the used share of the instances.

    Budgets at which the two tie on every instance do not count, as in `drop_probabilities`.
    """
    differ = posterior.differing_pairs[:, pair[0], pair[1]]
    if not differ.any() or confidence == 1:
        return 0.0
    odds = _log_odds(posterior, *pair)
    needed, left = scipy.special.ndtri(confidence) * np.sqrt(used), np.sqrt(max(1 - used, 1e-12))
    certainty = (odds.mean / odds.deviation)[differ]
    return max(float(scipy.special.ndtr((lead.min() - needed) / left)) for lead in (certainty, -certainty))


def _log_odds(posterior: Posterior, first: int, second: int) -> _LogOdds:
    """Return the mean and the standard deviation of the logit of a pair's win rate.

    Of a belief about the pair they follow from the moments of the win rate to first order.
    """
    if posterior.beliefs is None:
        logits = scipy.special.logit(np.clip(posterior.win_rates(first, second), _ROUNDING, 1 - _ROUNDING))
        return _LogOdds(logits.mean(axis=1), np.maximum(logits.std(axis=1), 1e-12))
    mean, deviation = (each(first, second) for each in (posterior.beliefs.mean, posterior.beliefs.deviation))
    mean = np.clip(mean, _ROUNDING, 1 - _ROUNDING)
    return _LogOdds(scipy.special.logit(mean), np.maximum(deviation / (mean * (1 - mean)), 1e-12))


def _growth_needed(odds: _LogOdds, settings: Settings) -> tuple[Array, Array]:
    """Return the growth of the data at each budget that decides the sign, and the growth that decides equivalence."""
    mean, deviation = np.abs(odds.mean), odds.deviation
    edge = np.log((0.5 + settings.margin) / (0.5 - settings.margin))
    spread = deviation / np.sqrt(_GROWTH)[:, None]
    better = scipy.special.ndtr(mean / spread) >= settings.confidence
    equal = (
        scipy.special.ndtr((edge - mean) / spread) - scipy.special.ndtr((-edge - mean) / spread) >= settings.confidence
    )
    first, second = (np.where(each.any(axis=0), _GROWTH[each.argmax(axis=0)], np.inf) for each in (better, equal))
    return first, second
