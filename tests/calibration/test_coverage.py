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
    # 95 % within three points, and two standard errors of the simulation.
    assert abs(shares.mean() - 0.95) < 0.03 + 2 * error
