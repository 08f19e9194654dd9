"""The next step: the widest range that is unclear, and how many more instances should name an algorithm there.

With k times the instances, the probit z of P(a beats b) is assumed to grow by √k. The leader is decided against another
contender once half of the range's budgets reach Φ⁻¹(0.8), and an algorithm is named once the slowest contender is decided.
After as many more instances, an algorithm is named at half of the budgets in about 70 % of resampled MA-BBOB recordings
(tests/calibration/test_answer.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy

from polarbear.answer.ranges import NAMED
from polarbear.posterior.findings import independent_units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.answer.ranges import Range
    from polarbear.posterior.posterior import Posterior

_LONGEST = 8  # times the present instances; a forecast beyond is no step


@dataclass(frozen=True)
class NextStep:
    """What should narrow the widest unclear range.

    Attributes
    ----------
    start, stop
        The range.
    pair
        The two algorithms that lead there.
    instances
        About how many more independent instances should name an algorithm, with one significant digit.
    contenders
        The number of algorithms that may be best there.
    """

    start: float
    stop: float
    pair: tuple[str, str]
    instances: int
    contenders: int = 2


def next_step(posterior: Posterior, ranges: Sequence[Range]) -> NextStep | None:
    """Return the next step; None if no range is unclear, or if it would take more than eight times the present instances."""
    unclear = [each for each in ranges if each.kind == "unclear" and len(each.names) > 1]
    if not unclear:
        return None
    widest = max(unclear, key=lambda each: each.length)
    leader, *others = widest.names
    growth = max(_growth(posterior, widest, leader, other) for other in others)
    if growth - 1 > _LONGEST:
        return None
    number = independent_units(posterior)
    further = max(number * (growth - 1), 0.1 * number, 1.0)
    return NextStep(widest.start, widest.stop, (leader, others[0]), int(float(f"{further:.1g}")), len(widest.names))


def _growth(posterior: Posterior, where: Range, leader: str, other: str) -> float:
    """Return how many times the present data decide between two algorithms at half of the budgets of a range."""
    ahead = posterior.win_rate_above(posterior.names.index(leader), posterior.names.index(other))
    probits = np.abs(scipy.special.ndtri(np.clip(ahead[where.first : where.last + 1], 1e-6, 1 - 1e-6)))
    return float((scipy.special.ndtri(NAMED) / max(float(np.median(probits)), 1e-6)) ** 2)
