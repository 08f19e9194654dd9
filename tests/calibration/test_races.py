"""Races on known truths: the rate of wrong drops, compared with the probabilities of their posteriors."""

import pytest
from scipy import stats

from polarbear.calibration.races import RaceCell, simulate_race, summarise
from polarbear.calibration.study import key, run_study


def keeps_its_promises(cell, outcomes):
    """Test wrong drops, a Poisson variable, against their expected number; a false alarm has probability 0.001."""
    wrong, promised = sum(each["wrong"] for each in outcomes), sum(each["promised"] for each in outcomes)
    print(f"\n{wrong} wrong drops, {promised:.1f} promised: {summarise(cell, outcomes)}")
    assert sum(each["dropped"] for each in outcomes) > len(outcomes) / 2
    return stats.poisson.sf(wrong - 1, promised) > 1e-3


@pytest.mark.parametrize("autocorrelation", [pytest.param(0.0, marks=pytest.mark.calibration), 0.95])
def test_races_keep_their_promises(autocorrelation):
    cell = RaceCell(autocorrelation=autocorrelation, budgets=10)
    assert keeps_its_promises(cell, [simulate_race(cell, seed) for seed in range(2)])


@pytest.mark.calibration
@pytest.mark.parametrize("truth", ["random walk", "constant", "two kinds"])
@pytest.mark.parametrize("dominance", ["joint", "pointwise"])
def test_many_races_keep_their_promises(truth, dominance):
    cell = RaceCell(truth=truth, dominance=dominance)
    assert keeps_its_promises(cell, run_study(simulate_race, [cell], replicates=100, workers=2)[key(cell)])


@pytest.mark.calibration
def test_a_guarantee_holds():
    cell = RaceCell(guarantee=0.05, dominance="pointwise")
    outcomes = run_study(simulate_race, [cell], replicates=100, workers=2)[key(cell)]
    # At most 5 % of races: ten or more of a hundred would be a one in forty event.
    assert sum(each["wrong"] > 0 for each in outcomes) < 10


@pytest.mark.calibration
def test_races_with_the_papers_likelihood_break_their_promises_if_runs_are_correlated():
    cell = RaceCell(belief="RandomWalk")
    assert not keeps_its_promises(cell, run_study(simulate_race, [cell], replicates=150, workers=2)[key(cell)])
