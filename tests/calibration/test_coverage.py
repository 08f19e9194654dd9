"""Coverage of the default prior, by simulation: the short version of docs/explanation/calibration.md."""

import numpy as np
import pytest

from polarbear.calibration.coverage import CoverageCell, measure_coverage
from polarbear.calibration.truths import TRUTHS

DATA_SETS = 60


@pytest.mark.calibration
@pytest.mark.parametrize("autocorrelation", [0.0, 0.95, 1.0])
@pytest.mark.parametrize("truth", TRUTHS)
def test_intervals_have_their_nominal_coverage(truth, autocorrelation):
    cell = CoverageCell(truth=truth, autocorrelation=autocorrelation)
    shares = np.array([measure_coverage(cell, replicate)["coverage"] for replicate in range(DATA_SETS)])
    error = shares.std(ddof=1) / DATA_SETS**0.5
    print(f"\n{truth}, autocorrelation {autocorrelation:g}: {shares.mean():.1%} ± {2 * error:.1%}")
    # 95 % within three points, and two standard errors of the simulation. Intervals of near-equal algorithms are wider: a
    # pair alone does not show that its win rate is so close to one half.
    highest = 0.995 if truth == "near-equal" else 0.98
    assert 0.92 - 2 * error < shares.mean() < highest + 2 * error
