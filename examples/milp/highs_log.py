"""Parser of the log of HiGHS: the values of its incumbents, which the reader times."""

from __future__ import annotations

import re

# Src  Proc. InQueue |  Leaves   Expl. | BestBound       BestSol              Gap | ...
#  L       0       0         0   0.00%   -32512.190406   -32215.48158       0.92%      511 ...
_PROGRESS = re.compile(
    r"^ ?[A-Za-z]? +\d+ +\d+ +\d+ +[\d.]+% +\S+ +(?P<best>[-+\d.e]+) +\S+ +\d+ +\d+ +\d+ +\d+ +[\d.]+s$"
)


def incumbent(line: str) -> float | None:
    """Return the value of the best solution if a line of the log contains it.

    Examples
    --------
    >>> incumbent("L       0       0         0   0.00%   -32512.19   -32215.48   0.92%   511   14   4   80   0.2s")
    -32215.48
    >>> incumbent("        0       0         0   0.00%   -inf        inf          inf     0    0   0    0   0.0s")
    >>> incumbent("Presolving model")
    """
    match = _PROGRESS.match(line.strip())
    return float(match["best"]) if match else None
