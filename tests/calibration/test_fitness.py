"""The study of the fitness of candidates."""

import pytest

from polarbear.calibration.fitness import FitnessCell, simulate_candidate, summarise


@pytest.mark.parametrize("raced", [False, True])
def test_candidates_that_belong_have_a_higher_fitness(raced):
    cell = FitnessCell("constant", 16, raced, competitors=2, budgets=2, draws=200)
    outcomes = [simulate_candidate(cell, replicate) for replicate in range(8)]
    assert outcomes[0] == simulate_candidate(cell, 0)
    belongs, not_ = ([each["stated"] for each in outcomes if each["belongs"] == truth] for truth in (True, False))
    assert sum(belongs) / len(belongs) > 0.5 > sum(not_) / len(not_)


def test_outcomes_are_summarised_by_their_stated_probability():
    stated = {0.0: False, 0.1: False, 0.7: True, 0.75: False, 1.0: True}
    summary = summarise(FitnessCell(), [{"stated": each, "belongs": belongs} for each, belongs in stated.items()])
    assert [each["candidates"] for each in summary["bins"]] == [2, 0, 2, 1]
    assert [each["belong"] and each["belong"][0] for each in summary["bins"]] == [0.0, None, 0.5, 1.0]
    assert summary["bins"][2]["stated"] == pytest.approx(0.725)
    assert summary["brier"] == pytest.approx((0.1**2 + 0.3**2 + 0.75**2) / 5, abs=1e-4)
    assert summary["brier_base"] == pytest.approx(0.4 * 0.6)
