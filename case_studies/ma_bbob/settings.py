"""The settings and results of the paper's second case study."""

from __future__ import annotations

from typing import Any

import polarbear as pb

DIMENSION = 30
EVALUATIONS = 2000 * DIMENSION
PARETO_SET = frozenset({"CSA", "TPA", "XNES", "MXNES"})
FULL_COST = 1000 * 7 * EVALUATIONS  # all seven algorithms on 1000 instances, as is usual: 4.2e8
PAIRS = (("CSA", "TPA"), ("LPXNES", "MXNES"), ("MXNES", "RS"), ("CSA", "MXNES"), ("MSR", "XNES"), ("CSA", "XNES"))
"""The pairs whose EAF differences the paper shows."""


def paper_settings() -> dict[str, Any]:
    """Return the paper's settings: independent Dirichlet, pointwise elimination, strict resolution, batches of 8 to 128."""
    return {
        "prior": pb.Dirichlet(),
        "dominance": "pointwise",
        "until": "every-budget",
        "confidence": 0.99,
        "margin": 0.05,
        "batch": pb.AdaptiveBatch(8, 128),
    }
