"""Defaults that Python, race.toml, the command line, figures and the report have in common.

This module imports nothing, so that every room may use it. docs/how-to/defaults.md lists all defaults, with the reasons for
those that differ; a test compares it with the code.
"""

CONFIDENCE = 0.95  # the probability that a decision needs
LEVEL = 0.95  # of every credible interval and band
TAILS = (0.025, 0.975)  # the quantiles at the ends of such an interval
RELATIVE_TOLERANCE = 1e-12  # of tied values: arithmetic in another order changes them by less
