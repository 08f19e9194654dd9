"""Coverage of calibrated posteriors, by simulation: the quick version of docs/calibration.md."""

import numpy as np
import pytest

from polarbear.calibration.coverage import LEVEL, TEMPORAL, CoverageCell, covered

DATA_SETS = 100


@pytest.mark.calibration
@pytest.mark.parametrize("autocorrelation", [0.0, 0.9, 1.0])
def test_calibrated_intervals_hold_the_truth_as_often_as_they_say(autocorrelation):
    found = []
    for prior in TEMPORAL:
        cell = CoverageCell(prior=prior, autocorrelation=autocorrelation, instances=30, times=20)
        shares = np.array([covered(cell, replicate)["coverage"] for replicate in range(DATA_SETS)])
        error = shares.std(ddof=1) / DATA_SETS**0.5
        print(f"\n{prior}, autocorrelation {autocorrelation:g}: {shares.mean():.1%} ± {2 * error:.1%}")
        # Errors are up to one per cent: a prior alone is held to four, all together to the two that are promised.
        assert abs(shares.mean() - LEVEL) < 0.02 + 2 * error
        found.append(shares.mean())
    assert abs(np.mean(found) - LEVEL) < 0.02
