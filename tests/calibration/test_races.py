"""Races on known ground truth: how often they go wrong, against what their own posteriors promise.

Truths are drawn from the prior that the race believes in. Under the race's own model each elimination is wrong with at most
the probability that its posterior gave to it, at the moment of stopping too; calibrated, also where rankings are alike.
"""

import pytest
from scipy import stats

from polarbear.calibration.races import RaceCell, raced, summary
from polarbear.calibration.study import key, run_study


def keeps_its_promises(cell, outcomes):
    """Wrong eliminations as a Poisson variable, once in a thousand sets of seeds too many."""
    wrong, promised = sum(each["wrong"] for each in outcomes), sum(each["promised"] for each in outcomes)
    print(f"\n{wrong} wrong eliminations, {promised:.1f} promised: {summary(cell, outcomes)}")
    assert sum(each["eliminated"] for each in outcomes) > len(outcomes) / 2
    return stats.poisson.sf(wrong - 1, promised) > 1e-3


@pytest.mark.parametrize("autocorrelation", [0.0, 0.95])
def test_races_keep_their_promises(autocorrelation):
    cell = RaceCell(confidence=0.95, times=20, autocorrelation=autocorrelation, draws=1000)
    assert keeps_its_promises(cell, [raced(cell, seed) for seed in range(8)])


@pytest.mark.calibration
@pytest.mark.parametrize(("prior", "autocorrelation"), [("GaussianProcess", 0.0), ("RandomWalk", 0.95)])
@pytest.mark.parametrize(("algorithms", "confidence"), [(5, 0.95), (5, 0.99), (10, 0.95)])
def test_many_races_keep_their_promises(prior, algorithms, confidence, autocorrelation):
    cell = RaceCell(
        prior=prior,
        algorithms=algorithms,
        confidence=confidence,
        times=20,
        autocorrelation=autocorrelation,
        most_instances=400,
    )
    assert keeps_its_promises(cell, run_study(raced, [cell], replicates=50, workers=2)[key(cell)])


@pytest.mark.calibration
def test_races_of_the_paper_s_likelihood_break_theirs_where_rankings_are_alike():
    cell = RaceCell(confidence=0.95, times=20, autocorrelation=0.95, draws=1000, calibration="none")
    assert not keeps_its_promises(cell, run_study(raced, [cell], replicates=150, workers=2)[key(cell)])
