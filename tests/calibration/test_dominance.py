"""Probabilities of being better at every time, where that is rare: do they come true as often as they say?

Intervals at each time may hold the truth as often as they should, and yet whoever looks better at all times may owe it to
noise that lasts as long as the run. Truths that change all the time hardly ever dominate each other, so that most of those
that seem to do are such.
"""

import numpy as np
import pytest
from scipy import stats

import polarbear as pb
from polarbear.calibration.simulator import Simulator, dominators

ALGORITHMS, INSTANCES, DATA_SETS, AT_LEAST = 10, 40, 300, 0.7
GRID = pb.linear_grid(1, 20, 20)


def claims(replicate, calibration):
    """Of each pair that is likely to dominate: how likely, and whether it is so."""
    rng = np.random.default_rng([replicate, ALGORITHMS, INSTANCES])
    truth = pb.BSpline().sample(GRID, ALGORITHMS, 1, rng=rng)[0]
    values = Simulator(0.95).values(truth, INSTANCES, rng=rng)
    choices = pb.Choices.from_values(values, grid=GRID, per_instance=True)
    posterior = pb.fit(choices, prior=pb.BSpline(), calibration=calibration, draws=2000, seed=replicate)
    likely = pb.anytime_dominance(posterior)
    claimed = likely >= AT_LEAST
    return likely[claimed], dominators(truth)[claimed]


@pytest.mark.calibration
@pytest.mark.parametrize(("calibration", "kept"), [("trajectory", True), ("none", False)])
def test_who_is_said_to_be_better_at_every_time_is(calibration, kept):
    said, so = (np.concatenate(each) for each in zip(*(claims(r, calibration) for r in range(DATA_SETS)), strict=True))
    wrong, promised = int((~so).sum()), float((1 - said).sum())
    print(f"\n{calibration}: {wrong} of {len(said)} claims are wrong, {promised:.1f} promised")
    assert len(said) > 30
    # As a Poisson variable; up to twice as many as promised are known to be wrong (docs/calibration.md).
    assert (stats.poisson.sf(wrong - 1, promised) > 1e-5) == kept
