"""Defaults that Python, race.toml, the command line, figures and the report have in common.

This module imports nothing, so that every room may use it. docs/how-to/defaults.md lists all defaults, with the reasons for
those that differ; a test compares it with the code.
"""

CONFIDENCE = 0.95  # the probability that a decision needs
LEVEL = 0.95  # of every credible interval and band
TAILS = (0.025, 0.975)  # the quantiles at the ends of such an interval
RELATIVE_TOLERANCE = 1e-12  # of tied values: arithmetic in another order changes them by less

# What solvers report while they have no solution: SCIP 1e20, HiGHS and others 1e30, CBC 1e50, CPLEX 1e75, Gurobi 1e100, GLPK
# the largest float. The values may have been stored in single precision, hence the relative distance.
SENTINELS = (1e20, 1e30, 1e50, 1e75, 1e100, 1.7976931348623157e308)
SAME_SENTINEL = 1e-6


def is_sentinel(value: float) -> bool:
    """Return whether a value means "no solution yet", whatever its sign.

    Examples
    --------
    >>> is_sentinel(-1e30), is_sentinel(2e20)
    (True, False)
    """
    return any(abs(abs(value) / each - 1) < SAME_SENTINEL for each in SENTINELS)
