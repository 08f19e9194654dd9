"""The settings of the study."""

from __future__ import annotations

import numpy as np

import polarbear as pb

CONFIDENCE = 0.95
SHOWN = (20, 38, 100, 198)
"""Numbers of evaluations in the tables: the initial designs end at 20, the paper names 38, and all tables reach 198."""

SCOPES = {
    "new antigens": pb.BayesianBootstrap(),
    "new runs on these antigens": pb.BayesianBootstrap(generalise_to="instances"),
}
"""What the answer generalises to, and the prior under which it does."""


def grid() -> pb.Grid:
    """Return whole numbers of evaluations, log-spaced.

    It begins at 20. Until then the methods evaluate initial designs, which are the same for every antigen.
    """
    return pb.Grid(np.union1d(np.geomspace(SHOWN[0], SHOWN[-1], 16).round(), SHOWN), "log")
